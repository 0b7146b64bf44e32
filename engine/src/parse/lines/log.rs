//! The line format of permanent memory.
//!
//! A file of permanent memory is a set of lines. Each line is a revision of one memory: its whole
//! state (`put`), its removal (`remove`), or a repeated occurrence (`seen`). A revision names the
//! revisions it replaces (`parents`). The order of lines has no meaning, so a merge that retains
//! the lines of both sides loses nothing. Two edits of one revision remain as two heads until
//! someone resolves the conflict.

mod lines;

use super::id;
use super::types::{Entry, Kind, Layer, Link, SCHEMA_VERSION, Status};
pub use lines::{LineReader, OLDER_NAMES, read, read_numbered};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;

/// The operation of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Sets the state of a memory.
    Put,
    /// Removes the memory.
    Remove,
    /// Records that the mistake occurred again.
    Seen,
}

/// One line of a tracked memory file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    /// The id of the memory.
    pub id: String,
    /// The hash of all other fields of the line. Reveals lines that were edited by hand.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rev: String,
    /// The `rev` of each revision that this revision replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// The operation; `put` if absent.
    #[serde(default = "put", skip_serializing_if = "is_put")]
    pub op: Op,
    /// The time of the revision, in milliseconds since 1970.
    #[serde(default)]
    pub at: i64,
    /// The schema version of the line.
    #[serde(default = "default_schema_version", rename = "schemaVersion")]
    pub schema_version: u32,
    /// The kind of the memory; set with `put`.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// See [`Entry::topic`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// See [`Entry::content`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// See [`Entry::metadata`].
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// See [`Entry::session_id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// See [`Entry::branch`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// See [`Entry::created_at`]; absent when equal to `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// The links from this memory to others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// The reason for a removal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Fields that this version of aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

fn put() -> Op {
    Op::Put
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_put(op: &Op) -> bool {
    *op == Op::Put
}

fn default_schema_version() -> u32 {
    1
}

impl Revision {
    /// The first revision of a memory that was created at `at`.
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

    /// A revision with the state of `entry` and its links, which replaces `parents`; see [`tips`].
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
            // Fields written by a newer aidd are retained, together with its schema version.
            schema_version: entry.schema_version.max(SCHEMA_VERSION),
            extra: entry.extra.clone(),
            ..Self::first(entry.kind, entry.id.clone(), at, entry.content.as_str())
        }
    }

    /// A removal of `entry`, whose latest revisions are `parents`; see [`tips`].
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

    /// Sets the hash of the revision.
    #[must_use]
    pub fn with_rev(mut self) -> Self {
        self.rev = self.json().1;
        self
    }

    /// The line without a line break.
    #[must_use]
    pub fn line(&self) -> String {
        id::canonical(&json!(self))
    }

    /// Whether the hash in the line matches its content; a line without a hash was written by hand.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.rev == self.json().1
    }

    /// The state of the memory, without time and context.
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

/// The state of one memory, combined from its revisions.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldedMemory {
    /// The memory. Its status is active, rejected or removed; whether it is superseded follows from
    /// links.
    pub entry: Entry,
    /// The links from this memory to others.
    pub links: Vec<Link>,
}

/// Combines the revisions of one memory, in any order; `None` if no revision sets the state of the
/// memory.
///
/// If there are several heads, the latest is used, but an edit takes precedence over a removal; all
/// heads are listed in [`Entry::heads`]. Heads with equal state count as one.
#[must_use]
pub fn fold(revisions: &[Revision]) -> Option<FoldedMemory> {
    let states = states(revisions);
    let mut heads = heads(&states);
    heads.sort_by_key(|head| head.op == Op::Remove);
    let current = *heads.iter().chain(&states).find(|state| state.op == Op::Put)?;
    let is_removed = heads.iter().all(|head| head.op == Op::Remove);
    let created_at = states.iter().map(|state| state.created_at.unwrap_or(state.at)).min();
    let mut links: Vec<Link> = Vec::new();
    for link in heads.iter().flat_map(|head| &head.links) {
        if !links.iter().any(|known| (&known.to, known.relation) == (&link.to, link.relation)) {
            links.push(Link { from: current.id.clone(), ..link.clone() });
        }
    }
    links.sort_by(|a, b| (a.relation, &a.to).cmp(&(b.relation, &b.to)));
    let mut entry = Entry {
        id: current.id.clone(),
        kind: current.kind,
        layer: Layer::Permanent,
        topic: current.topic.clone(),
        content: current.content.clone(),
        metadata: metadata(current, revisions),
        status: if is_removed { Status::Removed } else { Status::Active },
        session_id: current.session_id.clone(),
        branch: current.branch.clone(),
        created_at: created_at.unwrap_or(current.at),
        updated_at: heads.iter().map(|head| head.at).max().unwrap_or(current.at),
        schema_version: current.schema_version,
        heads: heads.iter().map(|head| head.rev.clone()).collect(),
        extra: current.extra.clone(),
    };
    if !is_removed && entry.is_rejected() {
        entry.status = Status::Rejected;
    }
    Some(FoldedMemory { entry, links })
}

/// The distinct revisions of one memory that set or remove its state, latest first.
fn states(revisions: &[Revision]) -> Vec<&Revision> {
    let mut states: Vec<&Revision> =
        revisions.iter().filter(|revision| revision.op != Op::Seen).collect();
    states.sort_by_key(|state| (Reverse(state.at), &state.rev));
    states.dedup_by(|one, other| one.rev == other.rev);
    states
}

/// The states that no other state replaces. Hand-written parents can form a cycle; in that case all
/// states are returned.
fn unreplaced<'a>(states: &[&'a Revision]) -> Vec<&'a Revision> {
    let replaced: BTreeSet<&str> =
        states.iter().flat_map(|state| &state.parents).map(String::as_str).collect();
    let tips: Vec<&Revision> =
        states.iter().copied().filter(|state| !replaced.contains(&*state.rev)).collect();
    if tips.is_empty() { states.to_vec() } else { tips }
}

/// The parents that a new revision needs in order to replace all current revisions of a memory.
/// Their number can exceed the number of [`Entry::heads`]: heads with equal state count as one
/// head, but each of them is a parent.
#[must_use]
pub fn tips(revisions: &[Revision]) -> Vec<String> {
    let mut tips = unreplaced(&states(revisions));
    tips.sort_by_key(|tip| tip.op == Op::Remove);
    tips.into_iter().map(|tip| tip.rev.clone()).collect()
}

/// The states that no other state replaces; among states with equal content, only the latest is
/// returned.
fn heads<'a>(states: &[&'a Revision]) -> Vec<&'a Revision> {
    let mut heads = unreplaced(states);
    let mut distinct_states: Vec<(Value, Op)> = Vec::new();
    if heads.len() > 1 {
        heads.retain(|head| {
            let state = (head.state(), head.op);
            let is_new = !distinct_states.contains(&state);
            if is_new {
                distinct_states.push(state);
            }
            is_new
        });
    }
    heads
}

/// The metadata of the current state, with the number and time of occurrences.
fn metadata(current: &Revision, revisions: &[Revision]) -> Map<String, Value> {
    let mut metadata = current.metadata.clone();
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

/// The metadata key for the number of times that a mistake was made.
pub const OCCURRENCES: &str = "occurrences";
/// The metadata key for the time at which a mistake was last made.
pub const LAST_SEEN: &str = "lastSeenAt";

/// A problem with a line, or between lines, of a tracked file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The path of the file, relative to the root.
    pub path: String,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The problem in one sentence.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            // The message about a file can contain its path.
            0 if self.message.contains(&self.path) => f.write_str(&self.message),
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// The kinds of problems in tracked memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// A marker of an unresolved merge; both sides are read.
    ConflictMarker,
    /// The line is not a memory and is skipped.
    MalformedLine,
    /// The line duplicates another line.
    DuplicateLine,
    /// The line was changed after it was written; the changed version is used.
    EditedLine,
    /// The file cannot be read as memory.
    UnreadableFile,
}

impl ProblemKind {
    /// Whether memories can be missing or doubtful because of the problem.
    #[must_use]
    pub fn affects_reading(self) -> bool {
        matches!(self, Self::ConflictMarker | Self::MalformedLine | Self::UnreadableFile)
    }
}

#[cfg(test)]
mod tests;
