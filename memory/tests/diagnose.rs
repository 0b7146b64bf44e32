//! Measures diagnoses on the output of real programs: the headline, the place in the project, and
//! the cure that is found again.
//!
//! Each file of `outputs/` holds the failures of one toolchain, each with the output of two runs:
//! on a developer's machine and on another one, at another time and with other ports. The labels
//! were written before any output was diagnosed, and half of the failures, drawn at random, were
//! not looked at while the formats were written (`set: held`).
#![expect(clippy::disallowed_methods, reason = "a test reads its outputs and makes files")]

use aidd_memory::diagnose::Diagnosis;
use aidd_memory::kinds::Mistake;
use aidd_memory::permanent::NewMemory;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::BackendChoice;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The root of the project in the first run.
const RUN_ROOT: &str = "/home/dev/shop";
/// Similarity from which the hook shows a cure without a request.
const SHOWN: f64 = 0.6;

/// Maximum length of a headline.
const MAX_HEADLINE_BYTES: usize = 400;
/// For each set the least numbers of right headlines, right places and found cures, and the
/// greatest number of cures of other failures. `docs/memory.md` states them as percentages.
const FLOORS: [(&str, usize, usize, usize, usize); 2] =
    [("held", 220, 222, 115, 2), ("tune", 241, 240, 123, 0)];

/// A failure of a real program.
#[derive(Default)]
struct Failure {
    id: String,
    toolchain: String,
    is_held: bool,
    /// Text that identifies the error, from the output.
    headline: String,
    /// The innermost location of the project's own code, `-` for none.
    place: String,
    /// Id of the failure whose cure also applies.
    same: String,
    files: Vec<String>,
    runs: Vec<String>,
}

fn failures() -> Vec<Failure> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outputs");
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .expect("outputs")
        .map(|entry| entry.expect("a file").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut all: Vec<Failure> = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("read");
        let toolchain = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end_matches('\n');
            if let Some(id) = bare.strip_prefix("=== ") {
                let id = id.to_owned();
                all.push(Failure {
                    same: id.clone(),
                    id,
                    toolchain: toolchain.clone(),
                    ..Failure::default()
                });
                continue;
            }
            let failure = all.last_mut().expect("a failure");
            if bare.starts_with("%%% ") {
                failure.runs.push(String::new());
            } else if let Some(run) = failure.runs.last_mut() {
                run.push_str(line);
            } else if let Some((name, value)) = bare.split_once(": ") {
                let value = value.to_owned();
                match name {
                    "set" => failure.is_held = value == "held",
                    "headline" => failure.headline = value,
                    "place" => failure.place = value,
                    "same" => failure.same = value,
                    _ => failure.files = value.split(' ').map(str::to_owned).collect(),
                }
            }
        }
    }
    all
}

/// Makes an empty project and opens its memory.
fn new_project() -> (TempDir, PathBuf, ProjectMemory) {
    let folder = TempDir::new().expect("a directory");
    // Projects often have the same name on other machines.
    let root = folder.path().join("shop");
    std::fs::create_dir(&root).expect("made");
    let clock = system_clock();
    let memory = ProjectMemory::open(&crate::DISTRIBUTION, &root, BackendChoice::Json, clock);
    (folder, root, memory.expect("a memory"))
}

fn write_files(root: &Path, failure: &Failure) {
    for file in &failure.files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        std::fs::write(path, "").expect("written");
    }
}

fn remove_files(root: &Path, failure: &Failure) {
    for file in &failure.files {
        std::fs::remove_file(root.join(file)).expect("removed");
        for dir in Path::new(file).ancestors().skip(1).filter(|dir| *dir != Path::new("")) {
            // A directory that is not empty stays for the next file.
            let _ = std::fs::remove_dir(root.join(dir));
        }
    }
}

fn local(text: &str, root: &Path) -> String {
    text.replace(RUN_ROOT, &root.to_string_lossy())
}

fn place(found: &Diagnosis) -> String {
    let Some(frame) = &found.primary else { return "-".to_owned() };
    let file = frame.project_path.as_deref().unwrap_or_default();
    frame.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// Numbers of answers of each kind.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    /// Number of diagnosed outputs.
    outputs: usize,
    /// Outputs with the right headline.
    headline: usize,
    /// Outputs with the right place.
    place: usize,
    /// Number of failures whose cures are saved.
    cures: usize,
    /// Failures whose cure is found first from the other run.
    found: usize,
    /// Failures for which the cure of another failure is found.
    other: usize,
}

/// Diagnoses every output, and lists the wrong answers in `report`.
fn measure(failures: &[Failure], report: &mut String) -> BTreeMap<&'static str, Score> {
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    let set = |failure: &Failure| if failure.is_held { "held" } else { "tune" };
    let (_folder, root, mut memory) = new_project();
    for failure in failures {
        write_files(&root, failure);
        let score = scores.entry(set(failure)).or_default();
        for (run, text) in failure.runs.iter().enumerate() {
            let found = memory.diagnose(&local(text, &root), SHOWN, 1).expect("diagnosed");
            let headline = found.trace.headline().line();
            let name = format!("{} {} run {run}", set(failure), failure.id);
            score.outputs += 1;
            if headline.contains(&failure.headline) && headline.len() <= MAX_HEADLINE_BYTES {
                score.headline += 1;
            } else {
                let _ = writeln!(report, "{name}: {headline:?} instead of {:?}", failure.headline);
            }
            let place = place(&found);
            if place == failure.place {
                score.place += 1;
            } else {
                let _ = writeln!(report, "{name}: in {place} instead of {}", failure.place);
            }
        }
        remove_files(&root, failure);
    }
    for failure in failures {
        write_files(&root, failure);
    }
    let mut ids: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for failure in failures {
        let body = Mistake { fix: failure.id.clone(), ..Mistake::default() };
        let content = local(&failure.runs[0], &root);
        let new = NewMemory { content, body, ..NewMemory::default() };
        ids.entry(memory.save_mistake(&new).expect("saved").id).or_default().push(&failure.same);
    }
    for failure in failures {
        let found = memory.diagnose(&failure.runs[1], SHOWN, 20).expect("diagnosed");
        let name = format!("{} {}", set(failure), failure.id);
        let is_same = |id: &str| ids.get(id).is_some_and(|same| same.contains(&&*failure.same));
        let score = scores.entry(set(failure)).or_default();
        score.cures += 1;
        if found.matches.first().is_some_and(|first| is_same(&first.id)) {
            score.found += 1;
        } else {
            let _ = writeln!(report, "{name}: the cure is not found");
        }
        if let Some(other) = found.matches.iter().find(|found| !is_same(&found.id)) {
            score.other += 1;
            let _ = writeln!(report, "{name}: also {} ({:.2})", other.fix, other.similarity);
        }
    }
    scores
}

#[test]
fn outputs_of_real_programs_are_understood() {
    let failures = failures();
    let toolchains: BTreeSet<&str> = failures.iter().map(|failure| &*failure.toolchain).collect();
    assert!(toolchains.len() >= 15 && failures.len() >= 120, "{}", failures.len());
    let mut report = String::new();
    let scores = measure(&failures, &mut report);
    for (set, score) in &scores {
        let _ = writeln!(report, "{set}: {score:?}");
    }
    if let Ok(path) = std::env::var("DIAGNOSE_REPORT") {
        std::fs::write(path, &report).expect("written");
    }
    for (set, headline, place, found, other) in FLOORS {
        let score = scores[set];
        assert!(score.headline >= headline && score.place >= place, "{report}");
        assert!(score.found >= found && score.other <= other, "{report}");
    }
}
