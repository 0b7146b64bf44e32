//! Reads the lines of aidd one by one: lines of tracked files in the current or the older format, and
//! memories of a checkout.

use super::{ImportedFile, checkout_entry, older_kind};
use crate::legacy;
use crate::log::{LineReader, ProblemKind, Revision};
use serde_json::Value;
use std::collections::BTreeSet;

/// Reads lines into an [`ImportedFile`].
#[derive(Debug)]
pub(super) struct OwnLines {
    reader: LineReader,
    /// The hashes of the revisions in the older format.
    older: BTreeSet<String>,
}

impl OwnLines {
    pub(super) fn new(name: &str) -> Self {
        Self { reader: LineReader::new(name), older: BTreeSet::new() }
    }

    /// Adds the contents of the next line to `read`.
    pub(super) fn read_line(&mut self, line: &[u8], read: &mut ImportedFile) {
        let line = line.trim_ascii_end();
        let revision = match parse_revision(line) {
            Some(revision) => {
                self.reader.skip_line();
                self.reader.accept(line, revision)
            }
            None => self.read_other(line, read),
        };
        for problem in self.reader.take_problems() {
            // Only malformed lines are listed as skipped: duplicate and edited lines are imported,
            // and conflict markers contain no memory.
            if problem.kind == ProblemKind::MalformedLine {
                read.skip(format!("line {}", problem.line), problem.message);
            }
        }
        let Some(revision) = revision else { return };
        if revision.kind.file().is_some() {
            read.revisions.push(revision);
        } else {
            let why = format!("{} is not stored in a tracked file", revision.kind.with_article());
            read.skip(format!("line {}", self.reader.line()), why);
        }
    }

    /// Reads a line that is not the state of a permanent memory in the current format.
    fn read_other(&mut self, line: &[u8], read: &mut ImportedFile) -> Option<Revision> {
        let value: Value = serde_json::from_slice(line).unwrap_or_default();
        if let Some(kind) = value.as_object().and_then(older_kind) {
            self.reader.skip_line();
            match legacy::revision(kind, value) {
                Some(revision) if !self.older.insert(revision.rev.clone()) => {}
                Some(revision) => read.revisions.push(revision),
                None => read.skip(format!("line {}", self.reader.line()), format!("not a {kind}")),
            }
            None
        } else if let Some(entry) = checkout_entry(value) {
            self.reader.skip_line();
            read.entries.push(entry);
            None
        } else {
            self.reader.read_line(line)
        }
    }
}

/// The state of a permanent memory in the current format; most lines contain one.
fn parse_revision(line: &[u8]) -> Option<Revision> {
    let revision: Revision = serde_json::from_slice(line).ok()?;
    let is_state = !revision.content.trim().is_empty() && !revision.id.is_empty();
    (is_state && !revision.extra.contains_key("layer")).then_some(revision)
}
