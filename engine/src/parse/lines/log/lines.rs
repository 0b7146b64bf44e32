//! Reading the lines of a tracked file.

use super::super::id;
use super::super::types::SCHEMA_VERSION;
use super::{Op, Problem, ProblemKind, Revision};
use serde_json::Value;
use std::collections::HashSet;

/// Reads the lines of the tracked file at `path`. An invalid line does not affect the others.
#[must_use]
pub fn read(path: &str, bytes: &[u8]) -> (Vec<Revision>, Vec<Problem>) {
    let (revisions, problems) = read_numbered(path, bytes);
    (revisions.into_iter().map(|(_, revision)| revision).collect(), problems)
}

/// Like [`read`], but with the number of each line, counted from 1.
#[must_use]
pub fn read_numbered(path: &str, bytes: &[u8]) -> (Vec<(usize, Revision)>, Vec<Problem>) {
    let (mut reader, mut revisions) = (LineReader::new(path), Vec::new());
    for line in bytes.split(|&byte| byte == b'\n') {
        revisions.extend(reader.read_line(line).map(|revision| (reader.line, revision)));
    }
    (revisions, reader.problems)
}

/// The message for a line that was written by a newer aidd.
fn newer_schema_message(line: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let version = value.get("schemaVersion")?.as_u64()?;
    (version > u64::from(SCHEMA_VERSION)).then(|| {
        format!("written by a newer aidd (schema {version}); skipped until you update aidd")
    })
}

/// The required part that is missing from a line.
fn missing_part(revision: &Revision) -> Option<String> {
    if revision.id.is_empty() {
        return Some("missing `id`".to_owned());
    }
    let is_empty = revision.op == Op::Put && revision.content.trim().is_empty();
    // A newer aidd can store the content elsewhere.
    if !is_empty || revision.schema_version > SCHEMA_VERSION {
        return None;
    }
    let older_name = OLDER_NAMES.iter().find(|name| revision.extra.contains_key(**name));
    let kind = revision.kind;
    Some(match older_name {
        Some(name) => format!("{kind} without `content`; rename `{name}` to `content`"),
        None => format!("{kind} without `content`"),
    })
}

/// Names of the `content` field in older formats.
pub const OLDER_NAMES: [&str; 3] = ["decision", "error", "convention"];

/// Merge conflict markers: at the start of a line, followed by a space or the end of the line.
const CONFLICT_MARKERS: [&[u8]; 4] = [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"];

/// Reads the lines of a tracked file one by one, so that a large file is never in RAM as a whole.
#[derive(Debug)]
pub struct LineReader {
    path: String,
    /// Number of lines that were read.
    line: usize,
    /// The hashes of the revisions that were read.
    known: HashSet<Box<str>>,
    problems: Vec<Problem>,
}

impl LineReader {
    /// A reader of the file at `path`; the path is only named in problems.
    #[must_use]
    pub fn new(path: &str) -> Self {
        Self { path: path.to_owned(), line: 0, known: HashSet::new(), problems: Vec::new() }
    }

    /// Number of the last line, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Counts a line that the caller reads in another way.
    pub fn skip_line(&mut self) {
        self.line += 1;
    }

    /// Returns and clears the problems with the lines that were read.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// Parses the next line, with or without its line break; `None` if it contains no new revision.
    pub fn read_line(&mut self, line: &[u8]) -> Option<Revision> {
        self.line += 1;
        let line = match self.line {
            1 => line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(line),
            _ => line,
        };
        let line = line.trim_ascii_end();
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let is_marker = |marker: &&[u8]| {
            line.strip_prefix(*marker).is_some_and(|rest| matches!(rest.first(), None | Some(b' ')))
        };
        if CONFLICT_MARKERS.iter().any(is_marker) {
            let message =
                "merge conflict marker; both sides were read; remove the marker".to_owned();
            return self.report(ProblemKind::ConflictMarker, message);
        }
        let revision: Revision = match serde_json::from_slice(line) {
            Ok(revision) => revision,
            Err(error) => {
                let message = newer_schema_message(line)
                    .unwrap_or_else(|| format!("not a memory: {}", error_message(&error)));
                return self.report(ProblemKind::MalformedLine, message);
            }
        };
        if let Some(message) = missing_part(&revision) {
            return self.report(ProblemKind::MalformedLine, message);
        }
        self.accept(line, revision)
    }

    /// Like [`Self::read_line`], for a line that the caller has counted and parsed.
    pub fn accept(&mut self, line: &[u8], revision: Revision) -> Option<Revision> {
        let revision = match has_own_hash(line.trim_ascii_end(), &revision.rev) {
            true => revision,
            false => self.with_rev(revision),
        };
        if !self.known.insert(revision.rev.as_str().into()) {
            let message = format!("duplicate line of `{}`", revision.id);
            return self.report(ProblemKind::DuplicateLine, message);
        }
        Some(revision)
    }

    /// Computes the hash of a line that was not written as it is by aidd.
    fn with_rev(&mut self, revision: Revision) -> Revision {
        let written_rev = revision.rev.clone();
        let mut revision = revision.with_rev();
        if !written_rev.is_empty() && written_rev != revision.rev {
            let message =
                format!("`{}` was edited in place; the edited version is used", revision.id);
            self.report(ProblemKind::EditedLine, message);
            // The revision replaces the original line and the revisions that line replaced.
            revision.parents.push(written_rev);
            revision.parents.sort_unstable();
            revision.parents.dedup();
            revision = revision.with_rev();
        }
        revision
    }

    fn report(&mut self, kind: ProblemKind, message: String) -> Option<Revision> {
        self.problems.push(Problem { path: self.path.clone(), line: self.line, kind, message });
        None
    }
}

/// Whether a line, without the field `rev`, has the hash `rev`: then it was written by aidd and not
/// changed since. Other lines can be equal to such a line in another notation.
fn has_own_hash(line: &[u8], rev: &str) -> bool {
    // A quotation mark within a text is escaped, so that the field is not found in a text.
    let field = format!(",\"rev\":\"{rev}\"");
    let Some((before, after)) =
        std::str::from_utf8(line).ok().and_then(|line| line.rsplit_once(&*field))
    else {
        return false;
    };
    !rev.is_empty() && id::digest(&[&[before, after].concat()]) == rev
}

/// The message of a serde error, without the position that serde appends and without names of Rust
/// types.
fn error_message(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "the JSON is incomplete".to_owned();
    }
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(&*text, |(message, _)| message);
    if message.ends_with("expected struct Revision") {
        return "expected a JSON object".to_owned();
    }
    match message.strip_prefix("missing field ") {
        Some(field) => format!("the field {field} is missing"),
        None if error.is_syntax() => format!("not JSON: {message}"),
        None => message.to_owned(),
    }
}
