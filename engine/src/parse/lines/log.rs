//! What the lines of permanent memory mean.
//!
//! A file of permanent memory is a set of lines. Each is a revision of one memory: its whole state
//! (`put`), that it was taken back (`remove`), or that it happened again (`seen`). A revision names
//! the ones it replaces (`parents`). As nothing depends on the order of lines, any merge that keeps
//! the lines of both sides keeps what both said; two edits of one revision stay as two heads until
//! someone settles them.

use super::id;
use super::types::{Entry, Kind, Layer, Link, SCHEMA_VERSION, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// The state of a memory.
    Put,
    /// The memory is taken back.
    Remove,
    /// It happened again.
    Seen,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    /// The memory.
    pub id: String,
    /// The hash of all else in the line. A line edited by hand is found by it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rev: String,
    /// The revisions it replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// What it says.
    #[serde(default = "put", skip_serializing_if = "is_put")]
    pub op: Op,
    /// When, in milliseconds since 1970.
    #[serde(default)]
    pub at: i64,
    /// The form of the line.
    #[serde(default = "one", rename = "schemaVersion")]
    pub schema_version: u32,
    /// What the memory is; given with `put`.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// As in [`Entry`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// As in [`Entry`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// As in [`Entry`].
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// As in [`Entry`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// As in [`Entry`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// As in [`Entry`]; absent when it is `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// The links that start at the memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Why, of a removal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

fn put() -> Op {
    Op::Put
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_put(op: &Op) -> bool {
    *op == Op::Put
}

fn one() -> u32 {
    1
}

impl Revision {
    /// A first revision of a memory that is new at `at`.
    #[must_use]
    pub fn first(kind: Kind, id: String, at: i64, content: impl Into<String>) -> Self {
        Self {
            id,
            rev: String::new(),
            parents: Vec::new(),
            op: Op::Put,
            at,
            schema_version: SCHEMA_VERSION,
            kind,
            topic: None,
            content: content.into(),
            metadata: Map::new(),
            session_id: None,
            branch: None,
            created_at: None,
            links: Vec::new(),
            reason: None,
            extra: Map::new(),
        }
    }

    /// A revision that begins where `entry` and its links stand, and replaces `parents`: see
    /// [`tips`].
    #[must_use]
    pub fn next(entry: &Entry, links: Vec<Link>, parents: Vec<String>, at: i64) -> Self {
        Self {
            parents,
            topic: entry.topic.clone(),
            metadata: entry.metadata.clone(),
            session_id: entry.session_id.clone(),
            branch: entry.branch.clone(),
            created_at: Some(entry.created_at),
            links,
            // Fields of a newer aidd stay, and are what that one says they are.
            schema_version: entry.schema_version.max(SCHEMA_VERSION),
            extra: entry.extra.clone(),
            ..Self::first(entry.kind, entry.id.clone(), at, entry.content.as_str())
        }
    }

    /// A removal of `entry`, whose last revisions are `parents`: see [`tips`].
    #[must_use]
    pub fn removal(entry: &Entry, parents: Vec<String>, at: i64, reason: Option<String>) -> Self {
        let first = Self::first(entry.kind, entry.id.clone(), at, "");
        Self { parents, op: Op::Remove, reason, ..first }
    }

    /// The line as JSON, and its hash.
    fn json(&self) -> (Value, String) {
        let mut value = json!(self);
        if let Some(map) = value.as_object_mut() {
            map.remove("rev");
        }
        let rev = id::digest(&[&id::canonical(&value)]);
        (value, rev)
    }

    /// The revision with its hash set.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        self.rev = self.json().1;
        self
    }

    /// The line, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        id::canonical(&json!(self))
    }

    /// Whether the hash in the line is that of the line; a line without one was written by hand.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.rev == self.json().1
    }

    /// What it says, without when and after what.
    fn state(&self) -> Value {
        let mut value = self.json().0;
        if let Some(map) = value.as_object_mut() {
            for key in ["parents", "at", "createdAt", "schemaVersion", "branch", "sessionId"] {
                map.remove(key);
            }
        }
        value
    }
}

/// What the revisions of one memory come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    /// The memory. Its status is active or removed; whether it is superseded, links tell.
    pub entry: Entry,
    /// The links that start at it.
    pub links: Vec<Link>,
}

/// What the revisions of one memory come to, in whatever order they are given; `None` when none
/// says what the memory is.
///
/// Of several heads the latest is shown and an edit goes before a removal; all stay in
/// [`Entry::heads`]. Heads that say the same are one.
#[must_use]
pub fn fold(revisions: &[Revision]) -> Option<Folded> {
    let states = states(revisions);
    let mut heads = heads(&states);
    heads.sort_by_key(|head| head.op == Op::Remove);
    let shown = *heads.iter().chain(&states).find(|state| state.op == Op::Put)?;
    let removed = heads.iter().all(|head| head.op == Op::Remove);
    let born = states.iter().map(|state| state.created_at.unwrap_or(state.at)).min();
    let mut links: Vec<Link> = Vec::new();
    for link in heads.iter().flat_map(|head| &head.links) {
        if !links.iter().any(|known| (&known.to, known.relation) == (&link.to, link.relation)) {
            links.push(Link { from: shown.id.clone(), ..link.clone() });
        }
    }
    links.sort_by(|a, b| (a.relation, &a.to).cmp(&(b.relation, &b.to)));
    let entry = Entry {
        id: shown.id.clone(),
        kind: shown.kind,
        layer: Layer::Permanent,
        topic: shown.topic.clone(),
        content: shown.content.clone(),
        metadata: metadata(shown, revisions),
        status: if removed { Status::Removed } else { Status::Active },
        session_id: shown.session_id.clone(),
        branch: shown.branch.clone(),
        created_at: born.unwrap_or(shown.at),
        updated_at: heads.iter().map(|head| head.at).max().unwrap_or(shown.at),
        schema_version: shown.schema_version,
        heads: heads.iter().map(|head| head.rev.clone()).collect(),
        extra: shown.extra.clone(),
    };
    Some(Folded { entry, links })
}

/// The states among the revisions of one memory, the latest first, each once.
fn states(revisions: &[Revision]) -> Vec<&Revision> {
    let mut states: Vec<&Revision> =
        revisions.iter().filter(|revision| revision.op != Op::Seen).collect();
    states.sort_by_key(|state| (Reverse(state.at), &state.rev));
    states.dedup_by(|one, other| one.rev == other.rev);
    states
}

/// The states that no other replaces. Hand-written parents may run in a circle: then all are.
fn unreplaced<'a>(states: &[&'a Revision]) -> Vec<&'a Revision> {
    let replaced: BTreeSet<&str> =
        states.iter().flat_map(|state| &state.parents).map(String::as_str).collect();
    let tips: Vec<&Revision> =
        states.iter().copied().filter(|state| !replaced.contains(&*state.rev)).collect();
    if tips.is_empty() { states.to_vec() } else { tips }
}

/// What a new revision of a memory has to name as its parents to replace all that its revisions
/// say. More than [`Entry::heads`]: edits that say the same are one head, and each is a parent.
#[must_use]
pub fn tips(revisions: &[Revision]) -> Vec<String> {
    let mut tips = unreplaced(&states(revisions));
    tips.sort_by_key(|tip| tip.op == Op::Remove);
    tips.into_iter().map(|tip| tip.rev.clone()).collect()
}

/// The states that no other replaces, of those that say the same the latest.
fn heads<'a>(states: &[&'a Revision]) -> Vec<&'a Revision> {
    let mut heads = unreplaced(states);
    let mut said: Vec<(Value, Op)> = Vec::new();
    if heads.len() > 1 {
        heads.retain(|head| {
            let state = (head.state(), head.op);
            let is_new = !said.contains(&state);
            if is_new {
                said.push(state);
            }
            is_new
        });
    }
    heads
}

/// The shown metadata, and how often and when it happened again.
fn metadata(shown: &Revision, revisions: &[Revision]) -> Map<String, Value> {
    let mut metadata = shown.metadata.clone();
    let seen: BTreeSet<(i64, &str)> = revisions
        .iter()
        .filter(|revision| revision.op == Op::Seen)
        .map(|revision| (revision.at, &*revision.rev))
        .collect();
    if let Some((last, _)) = seen.last() {
        let before = metadata.get(OCCURRENCES).and_then(Value::as_u64).unwrap_or(1);
        metadata.insert(OCCURRENCES.into(), json!(before.saturating_add(seen.len() as u64)));
        metadata.insert(LAST_SEEN.into(), json!(last));
    }
    metadata
}

/// The key of how often a mistake was made.
pub const OCCURRENCES: &str = "occurrences";
/// The key of when it was made last.
pub const LAST_SEEN: &str = "lastSeenAt";

/// What is wrong with a line, or between lines, of a tracked file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The file, from the root.
    pub path: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What, as a word.
    pub kind: ProblemKind,
    /// What, as a sentence.
    pub message: String,
}

/// What may be wrong with tracked memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// A marker that a merge left; both sides were read.
    ConflictMarker,
    /// Not a memory; passed over.
    MalformedLine,
    /// A line that is there already.
    DuplicateLine,
    /// A line changed after it was written; read as it stands.
    EditedLine,
    /// The file cannot be read as what it is named.
    UnreadableFile,
}

/// Reads the lines of the tracked file at `path`. Whatever a line is, the others are read.
#[must_use]
pub fn read(path: &str, bytes: &[u8]) -> (Vec<Revision>, Vec<Problem>) {
    let (revisions, problems) = read_numbered(path, bytes);
    (revisions.into_iter().map(|(_, revision)| revision).collect(), problems)
}

/// As [`read`], with the number of each line, from 1.
#[must_use]
pub fn read_numbered(path: &str, bytes: &[u8]) -> (Vec<(usize, Revision)>, Vec<Problem>) {
    let mut reader =
        Reader { path, revisions: Vec::new(), known: BTreeSet::new(), problems: Vec::new() };
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        reader.line(index + 1, line.strip_suffix(b"\r").unwrap_or(line));
    }
    (reader.revisions, reader.problems)
}

/// What to say of a line that a newer aidd wrote.
fn newer(line: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let version = value.get("schemaVersion")?.as_u64()?;
    (version > u64::from(SCHEMA_VERSION)).then(|| {
        format!("written by a newer aidd (schema {version}): passed over until this one is updated")
    })
}

/// What a line misses to be a memory.
fn lacks(revision: &Revision) -> Option<String> {
    if revision.id.is_empty() {
        return Some("a memory without an id".to_owned());
    }
    let says_nothing = revision.op == Op::Put && revision.content.trim().is_empty();
    // A newer aidd may have another place for it.
    if !says_nothing || revision.schema_version > SCHEMA_VERSION {
        return None;
    }
    let older = OLDER_NAMES.iter().find(|name| revision.extra.contains_key(**name));
    let kind = revision.kind;
    Some(match older {
        Some(name) => format!("a {kind} without `content`: `{name}` is called `content` here"),
        None => format!("a {kind} without `content`"),
    })
}

/// What older forms call the content of a memory.
pub const OLDER_NAMES: [&str; 3] = ["decision", "error", "convention"];

/// The marks of a conflict: at the start of a line, followed by a space or nothing.
const MARKS: [&[u8]; 4] = [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"];

struct Reader<'a> {
    path: &'a str,
    revisions: Vec<(usize, Revision)>,
    known: BTreeSet<String>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let is_mark = |mark: &&[u8]| {
            line.strip_prefix(*mark).is_some_and(|rest| matches!(rest.first(), None | Some(b' ')))
        };
        if MARKS.iter().any(is_mark) {
            let message = "a conflict marker; both sides count, so the marker can go".to_owned();
            return self.problem(number, ProblemKind::ConflictMarker, message);
        }
        let revision: Revision = match serde_json::from_slice(line) {
            Ok(revision) => revision,
            Err(error) => {
                let message =
                    newer(line).unwrap_or_else(|| format!("not a memory: {}", said(&error)));
                return self.problem(number, ProblemKind::MalformedLine, message);
            }
        };
        match lacks(&revision) {
            Some(message) => self.problem(number, ProblemKind::MalformedLine, message),
            None => self.keep(number, revision),
        }
    }

    fn keep(&mut self, number: usize, revision: Revision) {
        let stated = revision.rev.clone();
        let mut revision = revision.sealed();
        if !stated.is_empty() && stated != revision.rev {
            let message =
                format!("`{}` was edited in place; it counts as it stands now", revision.id);
            self.problem(number, ProblemKind::EditedLine, message);
            // It takes the place of the line it was, and of what that one replaced.
            revision.parents.push(stated);
            revision.parents.sort_unstable();
            revision.parents.dedup();
            revision = revision.sealed();
        }
        if !self.known.insert(revision.rev.clone()) {
            let message = format!("a second copy of a line on `{}`", revision.id);
            return self.problem(number, ProblemKind::DuplicateLine, message);
        }
        self.revisions.push((number, revision));
    }

    fn problem(&mut self, line: usize, kind: ProblemKind, message: String) {
        self.problems.push(Problem { path: self.path.to_owned(), line, kind, message });
    }
}

/// An error of one line, without the place in it that serde adds.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(said, _)| said.to_owned())
}

#[cfg(test)]
mod tests;
