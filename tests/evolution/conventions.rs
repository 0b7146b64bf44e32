//! Approved conventions: what a killed process leaves, and what a revert takes back.

use crate::pull_requests::support::{self, print as run};
use crate::repository::Repository;
use serde_json::Value;
use std::fs;
#[cfg(unix)]
use std::process::Stdio;

const MEMORY: &str = "ai/memory/conventions.jsonl";
const LOG: &str = ".aidd/evolution/log.jsonl";

/// A repository with the convention "Sort imports" and a commit.
fn repository() -> Repository {
    let repository = Repository::new();
    repository.write(".gitignore", ".aidd/data*\n");
    repository.write(".gitattributes", "ai/memory/*.jsonl merge=union\n");
    repository.write(".aidd/config.json", "{}");
    run(&repository, &["memory", "add", "convention", "Sort imports"]);
    repository.commit(&[]);
    repository
}

#[track_caller]
fn refused(repository: &Repository, args: &[&str]) -> String {
    let output = support::run(repository, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(repository: &Repository, path: &str) -> String {
    fs::read_to_string(repository.path(path)).unwrap_or_default()
}

/// Drafts a convention; returns the id of the draft.
fn draft(repository: &Repository, convention: &str) -> String {
    repository.write("draft.md", format!("{convention}\n\nA rationale.\n"));
    let args = ["draft", "create", "conventions", convention, "--file", "draft.md"];
    let created = run(repository, &args);
    fs::remove_file(repository.path("draft.md")).expect("removed");
    created.split_whitespace().next().expect("an id").to_owned()
}

/// Approves a draft; returns the id of the change.
fn approve(repository: &Repository, draft: &str) -> String {
    let answer = run(repository, &["draft", "approve", draft, "--json"]);
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    answer["entry"]["id"].as_str().expect("an id").to_owned()
}

/// Whether the memory of the project has this convention.
fn is_known(repository: &Repository, convention: &str) -> bool {
    run(repository, &["memory", "recent", "--json"]).contains(convention)
}

#[test]
fn a_convention_that_is_not_committed_is_reverted_byte_for_byte() {
    let repository = repository();
    let before = text(&repository, MEMORY);
    let id = draft(&repository, "Use Temporal for dates");
    let change = approve(&repository, &id);
    assert!(is_known(&repository, "Use Temporal"));
    let review = run(&repository, &["evolve", "review", &change]);
    assert!(review.contains(&format!("{MEMORY}: a line added")), "{review}");
    run(&repository, &["evolve", "revert", &change]);
    assert_eq!(text(&repository, MEMORY), before);
    assert!(!is_known(&repository, "Use Temporal"));
    // What was saved meanwhile remains.
    let change = approve(&repository, &id);
    run(&repository, &["memory", "add", "convention", "Log in JSON"]);
    run(&repository, &["evolve", "revert", &change]);
    assert!(!text(&repository, MEMORY).contains("Use Temporal"));
    assert!(is_known(&repository, "Log in JSON") && is_known(&repository, "Sort imports"));
    assert!(!is_known(&repository, "Use Temporal"));
}

/// Without another convention, the file did not exist before.
#[test]
fn a_revert_removes_the_file_that_an_approval_created() {
    let repository = Repository::new();
    repository.write(".gitignore", ".aidd/data*\n");
    repository.commit(&[(".aidd/config.json", "{}")]);
    let id = draft(&repository, "Use Temporal for dates");
    let change = approve(&repository, &id);
    assert!(repository.path(MEMORY).exists());
    run(&repository, &["evolve", "revert", &change]);
    assert!(!repository.path(MEMORY).exists());
    assert!(!is_known(&repository, "Use Temporal"));
}

/// A line that others have would come back with a merge, so the removal is a line, too.
#[test]
fn the_revert_of_a_committed_convention_survives_a_merge() {
    let repository = repository();
    let id = draft(&repository, "Use Temporal for dates");
    let change = approve(&repository, &id);
    repository.commit(&[]);
    let before = text(&repository, MEMORY);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    run(&repository, &["memory", "add", "convention", "Log in JSON"]);
    repository.commit(&[]);
    repository.git(&["switch", "--quiet", "main"]);
    run(&repository, &["evolve", "revert", &change]);
    assert!(text(&repository, MEMORY).starts_with(&before));
    repository.commit(&[]);
    repository.merge("topic");
    assert!(is_known(&repository, "Log in JSON") && is_known(&repository, "Sort imports"));
    assert!(!is_known(&repository, "Use Temporal"));
}

#[test]
fn a_revert_does_not_overwrite_an_edited_convention() {
    let repository = repository();
    let id = draft(&repository, "Use Temporal for dates");
    let answer = run(&repository, &["draft", "approve", &id, "--json"]);
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let (change, memory) = (&answer["entry"]["id"], &answer["written"]);
    let change = change.as_str().expect("an id");
    let memory = memory.as_str().expect("an id");
    run(&repository, &["memory", "edit", memory, "--content", "Use Temporal in src"]);
    let error = refused(&repository, &["evolve", "revert", change]);
    assert!(error.contains("was edited since"), "{error}");
    assert!(is_known(&repository, "Use Temporal in src"));
}

#[test]
fn a_convention_that_was_known_before_remains() {
    let repository = repository();
    let before = text(&repository, MEMORY);
    let id = draft(&repository, "Sort imports");
    let change = approve(&repository, &id);
    assert_eq!(text(&repository, MEMORY), before);
    run(&repository, &["evolve", "revert", &change]);
    assert_eq!(text(&repository, MEMORY), before);
    assert!(is_known(&repository, "Sort imports"));
}

/// A state that a process passes through while it changes something.
#[cfg(unix)]
type Stage = (&'static str, fn(&Before, &Repository) -> bool);

/// The files before a process starts.
#[cfg(unix)]
struct Before {
    log: String,
    memory: String,
    manifest: String,
    has_draft: bool,
}

#[cfg(unix)]
impl Before {
    fn new(repository: &Repository, draft: &str) -> Self {
        Self {
            log: text(repository, LOG),
            memory: text(repository, MEMORY),
            manifest: text(repository, MANIFEST),
            has_draft: repository.path(draft).exists(),
        }
    }
}

#[cfg(unix)]
const MANIFEST: &str = ".aidd/drafts/manifest.json";
#[cfg(unix)]
const DRAFT: &str = ".aidd/drafts/conventions/use-temporal-for-dates.md";

#[cfg(unix)]
const STAGES: [Stage; 6] = [
    ("at the start", |_, _| true),
    ("with the intent", |_, repository| repository.path(".aidd/evolution/journal.json").exists()),
    ("logged", |before, repository| text(repository, LOG) != before.log),
    ("draft moved", |before, repository| repository.path(DRAFT).exists() != before.has_draft),
    ("memory written", |before, repository| text(repository, MEMORY) != before.memory),
    ("list written", |before, repository| text(repository, MANIFEST) != before.manifest),
];

/// Runs the binary and kills it with SIGKILL as soon as it has reached a stage.
#[cfg(unix)]
fn kill_at(repository: &Repository, args: &[&str], stage: &Stage) {
    let before = Before::new(repository, DRAFT);
    let mut command = support::command(repository, "", args);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    while child.try_wait().expect("a status").is_none() {
        if (stage.1)(&before, repository) {
            let _ = child.kill();
        }
    }
}

/// Asserts that the convention is applied and logged, or neither; returns whether it is applied.
#[cfg(unix)]
#[track_caller]
fn is_applied(repository: &Repository, draft: &str, stage: &str) -> bool {
    let drafts = run(repository, &["draft", "list", "--all", "--json"]);
    let drafts: Value = serde_json::from_str(&drafts).expect("JSON");
    let mut drafts = drafts["drafts"].as_array().expect("drafts").iter();
    let status = &drafts.find(|it| it["id"] == *draft).expect("the draft")["status"];
    let is_applied = status == "approved";
    let lines = text(repository, MEMORY);
    let count = lines.lines().filter(|line| line.contains("Use Temporal")).count();
    assert_eq!(count, usize::from(is_applied), "{stage}: {status}: {lines}");
    assert_eq!(repository.path(DRAFT).exists(), !is_applied, "{stage}: {status}");
    assert_eq!(is_known(repository, "Use Temporal"), is_applied, "{stage}");
    assert!(!repository.path(".aidd/evolution/journal.json").exists(), "{stage}");
    is_applied
}

#[cfg(unix)]
#[test]
fn a_killed_process_leaves_a_convention_applied_and_logged_or_neither() {
    let (mut applied, mut reverted) = (0, 0);
    for stage in &STAGES {
        let repository = repository();
        let id = draft(&repository, "Use Temporal for dates");
        kill_at(&repository, &["draft", "approve", &id], stage);
        if is_applied(&repository, &id, stage.0) {
            applied += 1;
        } else {
            run(&repository, &["draft", "approve", &id]);
        }
        kill_at(&repository, &["evolve", "revert", "--all"], stage);
        reverted += usize::from(!is_applied(&repository, &id, stage.0));
        run(&repository, &["evolve", "revert", "--all"]);
        assert!(!is_applied(&repository, &id, stage.0));
    }
    // Nothing is applied at the start, and everything after the line is in the log.
    assert!((4..6).contains(&applied) && (4..6).contains(&reverted), "{applied} {reverted}");
}
