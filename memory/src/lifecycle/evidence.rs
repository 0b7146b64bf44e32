//! Checks whether evidence meets a criterion. The caller supplies the evidence, or it is recorded.

use super::phases::{Content, Criterion, EvidenceKind};
use crate::MemoryError;
use crate::outcomes::{self, Check, Run};
use crate::project::ProjectMemory;
use crate::store::{Layers, Order, Query};
use crate::types::{Entry, Kind, Status};
use aidd_engine::project::git::Repository;
use aidd_engine::text::files::{Disk, Files};
use serde_json::Value;
use std::path::Path;

/// Maximum number of bytes read from a file.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Maximum number of lines of a summary.
const MAX_SUMMARY_LINES: usize = 20;
/// Extensions of documents, which cannot be tests.
const PROSE_EXTENSIONS: [&str; 9] =
    [".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".org", ".html", ".pdf"];
/// Maximum number of pieces of evidence for one criterion.
const MAX_PIECES: usize = 32;

/// Result of checking a criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionResult {
    /// Key of the criterion.
    pub key: &'static str,
    /// Description of the criterion.
    pub description: &'static str,
    /// Whether the criterion is met.
    pub met: bool,
    /// The evidence, or the reason why the criterion is not met.
    pub why: String,
    /// The accepted kinds of evidence.
    pub accepts: &'static [EvidenceKind],
}

/// The context in which evidence is checked.
pub(super) struct Context<'a> {
    pub(super) root: &'a Path,
    /// When the lifecycle started, in milliseconds since 1970.
    pub(super) began: i64,
    /// The branch of the lifecycle's session.
    pub(super) branch: Option<String>,
}

/// One piece of evidence.
enum Piece<'a> {
    File(&'a str),
    Commit { rev: &'a str, file: Option<&'a str> },
    Branch(&'a str),
    Memory(&'a str),
    Note { text: &'a str, by: Option<&'a str> },
}

/// The evidence that meets a criterion, or the reason why the criterion is not met.
type Verdict = Result<String, String>;

/// Checks a criterion by the supplied evidence or, without it, by the records.
pub(super) fn check_criterion(
    memory: &mut ProjectMemory,
    context: &Context<'_>,
    criterion: &Criterion,
    supplied: Option<&Value>,
) -> Result<CriterionResult, MemoryError> {
    let verdict = match supplied.filter(|value| !has_no_evidence(value)) {
        Some(value) => check_by_evidence(memory, context, criterion, value)?,
        None => check_by_records(memory, context, criterion)?,
    };
    let (met, why) = match verdict {
        Ok(why) => (true, why),
        Err(why) => (false, why),
    };
    Ok(CriterionResult {
        key: criterion.key,
        description: criterion.description,
        met,
        why,
        accepts: criterion.accepts,
    })
}

/// Whether a value contains no evidence. Booleans and numbers do not count as evidence.
fn has_no_evidence(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.iter().all(has_no_evidence),
        Value::Object(map) => map.values().all(has_no_evidence),
    }
}

/// Checks a criterion by pieces of evidence: every piece must be valid and of an accepted kind.
fn check_by_evidence(
    memory: &mut ProjectMemory,
    context: &Context<'_>,
    criterion: &Criterion,
    value: &Value,
) -> Result<Verdict, MemoryError> {
    let values: Vec<&Value> = match value {
        Value::Array(list) => list.iter().collect(),
        single => vec![single],
    };
    if values.len() > MAX_PIECES {
        return Ok(Err(format!("more than {MAX_PIECES} pieces of evidence")));
    }
    let mut accepted = Vec::new();
    for value in values {
        let piece = match parse_piece(context, value) {
            Ok(piece) => piece,
            Err(why) => return Ok(Err(why)),
        };
        match check_piece(memory, context, criterion, &piece)? {
            Ok(evidence) => accepted.push(evidence),
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(accepted.join("; ")))
}

/// Parses a piece of evidence. The key of an object states its kind; a string that is neither the
/// id of a memory nor the path of a file is a note.
fn parse_piece<'a>(context: &Context<'_>, value: &'a Value) -> Result<Piece<'a>, String> {
    match value {
        Value::Object(map) => {
            let text = |name: &str| map.get(name).and_then(Value::as_str);
            let (file, by) = (text("file"), text("by"));
            if let Some(rev) = text("commit") {
                return Ok(Piece::Commit { rev, file });
            }
            let candidates = [
                file.map(Piece::File),
                text("branch").map(Piece::Branch),
                text("memory").or(text("observation")).map(Piece::Memory),
                text("note").map(|text| Piece::Note { text, by }),
            ];
            candidates.into_iter().flatten().next().ok_or_else(|| {
                "expected an object with `file`, `commit`, `branch`, `memory` or `note`".to_owned()
            })
        }
        Value::String(text) => {
            let text = text.trim();
            for (prefix, make) in PREFIXES {
                if let Some(rest) = text.strip_prefix(prefix) {
                    return Ok(make(rest.trim()));
                }
            }
            if is_id(text) {
                return Ok(Piece::Memory(text));
            }
            let is_file = !text.contains('\n') && Disk::new(context.root).exists(text);
            Ok(if is_file { Piece::File(text) } else { Piece::Note { text, by: None } })
        }
        _ => Err("evidence must be a string or an object".to_owned()),
    }
}

/// Whether a string is the id of a memory: `decision_1763…`; `decision_log.md` is a file.
fn is_id(text: &str) -> bool {
    let time = Kind::ALL.iter().find_map(|kind| text.strip_prefix(kind.word())?.strip_prefix('_'));
    time.is_some_and(|time| time.starts_with(|c: char| c.is_ascii_digit()))
        && !text.contains(char::is_whitespace)
}

type MakePiece = fn(&str) -> Piece<'_>;

/// Prefixes that state the kind of evidence.
const PREFIXES: [(&str, MakePiece); 5] = [
    ("file:", |text| Piece::File(text)),
    ("commit:", |rev| Piece::Commit { rev, file: None }),
    ("branch:", |text| Piece::Branch(text)),
    ("memory:", |text| Piece::Memory(text)),
    ("note:", |text| Piece::Note { text, by: None }),
];

fn check_piece(
    memory: &mut ProjectMemory,
    context: &Context<'_>,
    criterion: &Criterion,
    piece: &Piece<'_>,
) -> Result<Verdict, MemoryError> {
    let mut why = None;
    for kind in criterion.accepts {
        let verdict = match (kind, piece) {
            (EvidenceKind::File(content), Piece::File(path)) => check_file(context, path, *content),
            (EvidenceKind::Commit, Piece::Commit { rev, file }) => check_rev(context, rev, *file),
            // A string that consists of a commit hash does not need the prefix `commit:`.
            (EvidenceKind::Commit, Piece::Note { text, by: None }) if is_hash(text) => {
                check_rev(context, text, None)
            }
            (EvidenceKind::Branch, Piece::Branch(name)) => check_branch(context, name),
            (EvidenceKind::Branch, Piece::Note { text, .. })
                if !text.contains(char::is_whitespace) =>
            {
                check_branch(context, text)
            }
            (EvidenceKind::Tasks, Piece::Branch(name)) => check_tasks(memory, name)?,
            (EvidenceKind::Outcome(check), Piece::Memory(id)) => {
                check_run(memory, context, *check, id)?
            }
            (EvidenceKind::Memory(content), Piece::Memory(id)) => match find_memory(memory, id)? {
                Ok(entry) => {
                    check_content(&full_text(&entry), *content).map(|()| format!("`{id}`"))
                }
                Err(why) => Err(why),
            },
            (EvidenceKind::SavedMemory, Piece::Memory(id)) => match find_memory(memory, id)? {
                Ok(entry) if entry.updated_at >= context.began => Ok(format!("`{id}`")),
                Ok(_) => Err(format!("`{id}` was last saved before the lifecycle started")),
                Err(why) => Err(why),
            },
            (EvidenceKind::Note(content), Piece::Note { text: note, .. }) => {
                check_content(note, *content).map(|()| "a note".to_owned())
            }
            (EvidenceKind::Person, Piece::Note { text: note, by }) => match by.map(str::trim) {
                Some(by) if !by.is_empty() => {
                    check_content(note, Content::Words).map(|()| format!("a note by {by}"))
                }
                _ => Err("the note has no `by`; set it to the person who approved".to_owned()),
            },
            _ => continue,
        };
        match verdict {
            Ok(evidence) => return Ok(Ok(evidence)),
            Err(other) => why = why.or(Some(other)),
        }
    }
    let kind = match piece {
        Piece::File(_) => "a file",
        Piece::Commit { .. } => "a commit",
        Piece::Branch(_) => "a branch",
        Piece::Memory(_) => "a memory",
        Piece::Note { .. } => "a note",
    };
    let unaccepted = || format!("{kind} is not accepted as evidence for this criterion");
    Ok(Err(why.unwrap_or_else(unaccepted)))
}

/// Checks a criterion by the records of the lifecycle's branch: runs, tasks and memories.
fn check_by_records(
    memory: &mut ProjectMemory,
    context: &Context<'_>,
    criterion: &Criterion,
) -> Result<Verdict, MemoryError> {
    let mut why = None;
    for kind in criterion.accepts {
        let verdict = match (kind, context.branch.as_deref()) {
            (EvidenceKind::SavedMemory, _) => check_memory_saved(memory, context)?,
            (EvidenceKind::Outcome(check), Some(branch)) => {
                check_last_run(memory, context, *check, branch)?
            }
            (EvidenceKind::Tasks, Some(branch)) => check_tasks(memory, branch)?,
            (EvidenceKind::Outcome(_) | EvidenceKind::Tasks, None) => {
                Err("no evidence was supplied, and the lifecycle has no session with records"
                    .to_owned())
            }
            _ => continue,
        };
        match verdict {
            Ok(evidence) => return Ok(Ok(evidence)),
            Err(other) => why = why.or(Some(other)),
        }
    }
    Ok(Err(why.unwrap_or_else(|| "no evidence was supplied".to_owned())))
}

fn check_file(context: &Context<'_>, path: &str, content: Content) -> Verdict {
    let path = path.replace('\\', "/");
    let disk = Disk::new(context.root);
    let location = disk.locate(&path).map_err(|_| format!("`{path}` is outside the project"))?;
    let missing = || format!("file `{path}` does not exist");
    // A link can lead out of the project.
    let (real, root) = (location.canonicalize(), context.root.canonicalize());
    if !real.map_err(|_| missing())?.starts_with(root.map_err(|_| missing())?) {
        return Err(format!("`{path}` is outside the project"));
    }
    if !disk.exists(&path) {
        return Err(missing());
    }
    let lower = path.to_lowercase();
    let mut parts = lower.split(|c: char| !c.is_alphanumeric());
    if matches!(content, Content::Test | Content::Archived) {
        let (words, expected): (&[&str], &str) = if content == Content::Test {
            (&["test", "tests", "spec", "specs", "e2e", "it"], "a test")
        } else {
            (&["archive", "archived", "done", "completed"], "an archived file")
        };
        let is_prose = PROSE_EXTENSIONS.iter().any(|extension| lower.ends_with(extension));
        return if parts.any(|part| words.contains(&part)) && !(content == Content::Test && is_prose)
        {
            Ok(format!("the file `{path}`"))
        } else {
            Err(format!("the path `{path}` does not look like the path of {expected}"))
        };
    }
    let bytes = disk.read(&path, MAX_FILE_BYTES).map_err(|error| format!("{path}: {error}"))?;
    check_content(&String::from_utf8_lossy(&bytes), content)
        .map(|()| format!("the file `{path}`"))
        .map_err(|why| format!("`{path}`: {why}"))
}

/// Checks that a file, memory or note has the content that the criterion requires.
fn check_content(text: &str, content: Content) -> Result<(), String> {
    let lower = text.to_lowercase();
    let has_all = |words: &[&[&str]]| {
        words.iter().all(|translations| translations.iter().any(|word| lower.contains(word)))
    };
    let require = |is_met: bool, why: &str| if is_met { Ok(()) } else { Err(why.to_owned()) };
    match content {
        Content::Scenarios => require(
            has_all(&[
                &["given", "조건", "前提"],
                &["when", "만일", "もし"],
                &["then", "그러면", "ならば"],
            ]),
            "expected the words `given`, `when` and `then`",
        ),
        Content::Estimates => require(
            has_all(&[&["complexity", "복잡도", "複雑"], &["tier", "티어", "ティア"]]),
            "expected the words `complexity` and `tier`",
        ),
        Content::Paths => require(text.split_whitespace().any(is_path), "expected a file path"),
        Content::Short => {
            let lines = text.trim().lines().count();
            let why = format!("expected 1 to {MAX_SUMMARY_LINES} lines, found {lines}");
            require(lines > 0 && lines <= MAX_SUMMARY_LINES, &why)
        }
        Content::Words | Content::Test | Content::Archived => {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            require(words.count() >= 3, "expected at least three words")
        }
    }
}

/// Whether a word looks like a file path: `src/a.rs`, `Cargo.toml`.
fn is_path(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_'));
    let name = word.rsplit('/').next().unwrap_or(word);
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=10).contains(&extension.len())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

fn is_hash(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn repository(context: &Context<'_>) -> Result<Repository, String> {
    Repository::open(context.root).map_err(|error| error.to_string())
}

fn check_rev(context: &Context<'_>, rev: &str, file: Option<&str>) -> Verdict {
    let repository = repository(context)?;
    let id = repository.commit(rev).map_err(|error| error.to_string())?;
    let commit = repository.commit_info(&id).map_err(|error| error.to_string())?;
    let short = &id[..id.len().min(8)];
    // Git stores whole seconds.
    if commit.at + 1000 <= context.began {
        return Err(format!("the commit {short} was made before the lifecycle started"));
    }
    if let Some(file) = file {
        let snapshot = repository.snapshot(&id).map_err(|error| error.to_string())?;
        if !snapshot.exists(file) {
            return Err(format!("the commit {short} has no file `{file}`"));
        }
    }
    Ok(format!(
        "the commit {short} \"{}\"",
        commit.message.lines().next().unwrap_or_default().trim()
    ))
}

fn check_branch(context: &Context<'_>, name: &str) -> Verdict {
    if repository(context)?.has_branch(name) {
        Ok(format!("the branch `{name}`"))
    } else {
        Err(format!("the repository has no branch `{name}`"))
    }
}

fn check_tasks(memory: &mut ProjectMemory, branch: &str) -> Result<Verdict, MemoryError> {
    let context = memory.branch(branch)?;
    let (completed, pending) = (context.completed_tasks.len(), context.pending_tasks.len());
    Ok(if pending > 0 {
        Err(format!(
            "`{branch}` has pending tasks ({pending}), such as \"{}\"",
            context.pending_tasks[0]
        ))
    } else if completed == 0 {
        Err(format!("no tasks are saved for the branch `{branch}`"))
    } else {
        Ok(format!("{completed} completed tasks of `{branch}`, none pending"))
    })
}

fn find_memory(memory: &mut ProjectMemory, id: &str) -> Result<Result<Entry, String>, MemoryError> {
    let entry = memory.read(&mut |store| store.entry(id))?;
    let entry = entry.filter(|entry| entry.status != Status::Removed && !entry.is_rejected());
    Ok(entry.ok_or_else(|| format!("unknown memory `{id}`")))
}

/// The complete text of a memory.
fn full_text(entry: &Entry) -> String {
    let metadata = serde_json::to_string_pretty(&entry.metadata).unwrap_or_default();
    if entry.metadata.is_empty() {
        entry.content.clone()
    } else {
        format!("{}\n{metadata}", entry.content)
    }
}

/// Checks a recorded run by its id: the run must belong to the lifecycle and must have passed, and
/// a later run must not have failed.
fn check_run(
    memory: &mut ProjectMemory,
    context: &Context<'_>,
    check: Check,
    id: &str,
) -> Result<Verdict, MemoryError> {
    let entry = match find_memory(memory, id)? {
        Ok(entry) => entry,
        Err(why) => return Ok(Err(why)),
    };
    if entry.kind != Kind::ToolOutcome {
        return Ok(Err(format!("`{id}` has the type {}, not tool_outcome", entry.kind)));
    }
    if entry.created_at < context.began {
        return Ok(Err(format!("`{id}` was recorded before the lifecycle started")));
    }
    if context.branch.is_some() && entry.branch != context.branch {
        return Ok(Err(format!("`{id}` belongs to another branch")));
    }
    let Run { checks, passed } = outcomes::read(&entry);
    if !checks.contains(&check) {
        return Ok(Err(format!("`{id}` is not recorded as a {}", check.noun())));
    }
    if passed != Some(true) {
        return Ok(Err(result_message(id, passed)));
    }
    match entry.branch.as_deref() {
        Some(branch) => check_last_run(memory, context, check, branch),
        None => Ok(Ok(format!("`{id}` passed"))),
    }
}

fn result_message(id: &str, passed: Option<bool>) -> String {
    match passed {
        Some(_) => format!("`{id}` failed"),
        None => format!("`{id}` has no result; record its `exitCode`"),
    }
}

/// Checks the last recorded run of a check on a branch since the lifecycle started.
fn check_last_run(
    memory: &mut ProjectMemory,
    context: &Context<'_>,
    check: Check,
    branch: &str,
) -> Result<Verdict, MemoryError> {
    let query = Query {
        branch: Some(branch.to_owned()),
        since: Some(context.began),
        order: Order::Newest,
        ..Query::active(Layers::SESSION.union(Layers::LOCAL), Kind::ToolOutcome)
    };
    for entry in memory.read(&mut |store| store.entries(&query))? {
        let Run { checks, passed } = outcomes::read(&entry);
        if checks.contains(&check) {
            return Ok(match passed {
                Some(true) => Ok(format!("`{}` passed: {}", entry.id, entry.title(60))),
                other => Err(result_message(&entry.id, other)),
            });
        }
    }
    Ok(Err(format!("no {} is recorded on `{branch}` since the lifecycle started", check.noun())))
}

/// Checks that a memory was saved since the lifecycle started.
fn check_memory_saved(
    memory: &mut ProjectMemory,
    context: &Context<'_>,
) -> Result<Verdict, MemoryError> {
    const KINDS: [Kind; 5] =
        [Kind::Decision, Kind::Mistake, Kind::Convention, Kind::Insight, Kind::Checkpoint];
    let query = Query {
        kinds: KINDS.to_vec(),
        since: Some(context.began),
        order: Order::Newest,
        limit: Some(1),
        ..Query::new(Layers::ALL)
    };
    let newest = memory.read(&mut |store| store.entries(&query))?.pop();
    Ok(newest
        .map(|entry| format!("`{}`: {}", entry.id, entry.title(60)))
        .ok_or_else(|| "no memory was saved since the lifecycle started".to_owned()))
}
