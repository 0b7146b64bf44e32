//! Tests of faults that must not lose acknowledged data: killed processes, damaged files, full
//! disks, other versions of aidd. The default sizes are small; `AIDD_FAULTS=nightly` increases
//! them.

mod damage;
mod disk;
mod histories;
mod lost;
mod places;
mod processes;
mod skew;

use super::*;
use crate::kinds::{Insight, Observation};
use crate::store::{Layers, Query, StorageBackend};
use crate::types::{Kind, Layer, Status};
use std::fmt::Write as _;

/// Returns `small` by default, and `nightly` when the environment requests it.
pub(super) fn size(small: usize, nightly: usize) -> usize {
    match std::env::var("AIDD_FAULTS") {
        Ok(word) if word == "nightly" => nightly,
        // A percentage of the nightly size.
        Ok(word) => {
            let percent: usize = word.parse().expect("AIDD_FAULTS is `nightly` or a percentage");
            (nightly * percent / 100).max(small)
        }
        Err(_) => small,
    }
}

/// Prints a note about tests that ran or could not run.
#[expect(clippy::print_stderr, reason = "prints notes of the tests")]
fn print_note(text: &str) {
    eprintln!("{text}");
}

/// A deterministic random sequence: SplitMix64.
pub(super) struct Rng(pub(super) u64);

impl Rng {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).expect("a number");
        usize::try_from(self.next() % end).expect("below")
    }

    /// Random words that no other text contains.
    pub(super) fn words(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let mut rest = self.next();
            for _ in 0..6 {
                text.push(char::from(b'a' + u8::try_from(rest % 26).expect("a letter")));
                rest /= 26;
            }
            text.push(' ');
        }
        text.trim_end().to_owned()
    }
}

/// Creates a directory on an in-memory file system if there is one, because a disk would make these
/// tests slow.
fn ram_temp_dir() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("a directory")
}

/// Like [`open_memory`], but the memory can have notices.
pub(super) fn open_with_notices(root: &Path, choice: BackendChoice) -> ProjectMemory {
    ProjectMemory::open(&crate::DISTRIBUTION, root, choice, crate::project::system_clock())
        .expect("a memory")
}

/// All permanent memories, as text.
pub(super) fn permanent_text(memory: &mut ProjectMemory) -> String {
    let query = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::PERMANENT) };
    memory
        .read(&mut |store| {
            let mut text = String::new();
            let mut entries = store.entries(&query)?;
            entries.sort_by(|a, b| a.id.cmp(&b.id));
            for entry in entries {
                let links = store.links(&entry.id)?;
                writeln!(text, "{} {}", serde_json::json!(entry), serde_json::json!(links))
                    .expect("a string");
            }
            Ok(text)
        })
        .expect("permanent memory")
}

/// The permanent memories that a new checkout reads from the tracked files of `root`, as text.
fn permanent_text_of_files(root: &Path) -> String {
    let folder = TempDir::new().expect("a directory");
    let target = folder.path().join("ai/memory");
    std::fs::create_dir_all(&target).expect("made");
    if let Ok(entries) = std::fs::read_dir(root.join("ai/memory")) {
        for entry in entries.flatten() {
            std::fs::copy(entry.path(), target.join(entry.file_name())).expect("copied");
        }
    }
    permanent_text(&mut open_with_notices(folder.path(), BackendChoice::Sqlite))
}

/// Number of memories of each layer, and of sessions.
fn counts(memory: &mut ProjectMemory) -> [usize; 4] {
    memory
        .read(&mut |store: &mut dyn StorageBackend| {
            let mut counts = [0; 4];
            for (layer, _, _, count) in store.counts()? {
                let at = Layer::ALL.iter().position(|known| *known == layer).expect("a layer");
                counts[at] += usize::try_from(count).expect("a count");
            }
            counts[3] = store.documents(crate::store::Table::Sessions)?.len();
            Ok(counts)
        })
        .expect("counts")
}

/// Saves records of several types in each of `rounds`.
fn save_some(memory: &mut ProjectMemory, numbers: &mut Rng, rounds: usize) {
    for _ in 0..rounds {
        let topic = format!("topic {}", numbers.below(9));
        let text = numbers.words(6);
        memory.save_decision(&decision(&text, Some(&topic))).expect("saved");
        let session = memory.start_session(new_session("main")).expect("a session");
        for _ in 0..4 {
            let text = numbers.words(30);
            memory
                .observe(&session.id, Kind::Pattern, &text, &Observation::default())
                .expect("observed");
        }
        let text = numbers.words(8);
        memory.save_insight(&text, None, &Insight::default(), None).expect("saved");
        memory.start_lifecycle(&text, None, None).expect("started");
    }
}
