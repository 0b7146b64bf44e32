//! Tests of the complete memory of a project, on both stores.
#![expect(clippy::disallowed_methods, reason = "tests read and write files")]

mod accept;
mod enforced;
mod faults;
mod flow;
mod import_parts;
mod imports;
mod layers;
mod merges;
mod naming;
mod older_directory;
mod privacy;
mod rejected;
mod repeated_saves;
pub(super) mod repository;
mod resolving;

use super::kinds::{Decision, Mistake};
use super::permanent::NewMemory;
use super::project::ProjectMemory;
use super::records::{AiProvider, SessionState};
use super::store::BackendChoice;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tempfile::TempDir;

/// The start time of test clocks, in 2025. A clock advances by a millisecond per call.
pub(super) const START: i64 = 1_763_800_000_000;

/// Opens the memory of the project at `root`, and asserts that there are no notices.
pub(super) fn open_memory(root: &Path, choice: BackendChoice) -> ProjectMemory {
    let time = Arc::new(AtomicI64::new(START));
    let clock = Box::new(move || time.fetch_add(1, Ordering::Relaxed));
    let mut memory =
        ProjectMemory::open(&crate::DISTRIBUTION, root, choice, clock).expect("a memory");
    assert_eq!(memory.take_notices(), [""; 0]);
    memory
}

/// Runs `test` in a new project for each kind of store.
pub(super) fn on_both_stores(test: impl Fn(&Path, &mut ProjectMemory)) {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let folder = TempDir::new().expect("a directory");
        test(folder.path(), &mut open_memory(folder.path(), choice));
    }
}

pub(super) fn decision(content: &str, topic: Option<&str>) -> NewMemory<Decision> {
    NewMemory { content: content.into(), topic: topic.map(str::to_owned), ..NewMemory::default() }
}

pub(super) fn mistake(error: &str, fix: &str) -> NewMemory<Mistake> {
    NewMemory {
        content: error.into(),
        body: Mistake { fix: fix.into(), ..Mistake::default() },
        ..NewMemory::default()
    }
}

pub(super) fn new_session(branch: &str) -> SessionState {
    SessionState {
        branch: branch.into(),
        ai_provider: AiProvider { provider: "anthropic".into(), ..AiProvider::default() },
        ..SessionState::default()
    }
}

pub(super) fn text(root: &Path, path: &str) -> String {
    std::fs::read_to_string(root.join(path)).expect("a text")
}

pub(super) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
    std::fs::write(path, text).expect("written");
}
