//! A memory in a few words, with what has to be said whenever it is shown: what came of it, that it
//! follows from a decision that failed, and that it is no knowledge of the project but what a session
//! noted. Every surface shows memories by these words.

use super::MemoryError;
use super::project::ProjectMemory;
use super::recall::Hit;
use super::store::StorageBackend;
use super::types::{Entry, Kind, Layer, Outcome, Relation, Status};
use std::fmt::Write as _;

/// Most characters of a reason.
const REASON: usize = 120;

/// A memory, and the failed decision that it follows from.
#[derive(Clone, Debug, PartialEq)]
pub struct Brief {
    /// The memory.
    pub entry: Entry,
    /// The id of that decision.
    pub follows_failed: Option<String>,
}

impl From<Entry> for Brief {
    fn from(entry: Entry) -> Self {
        Self { entry, follows_failed: None }
    }
}

impl Brief {
    /// What has to be said with the memory, each part in brackets with a space before it; empty when
    /// nothing has to be.
    #[must_use]
    pub fn marks(&self) -> String {
        let entry = &self.entry;
        marks(
            (entry.kind, entry.layer, entry.branch.as_deref()),
            (entry.outcome(), entry.outcome_reason().as_deref()),
            self.follows_failed.as_deref(),
        )
    }

    /// Its topic, the beginning of its words (at most `chars` characters), and [`Self::marks`].
    #[must_use]
    pub fn line(&self, chars: usize) -> String {
        let topic = self.entry.topic.as_ref().map(|topic| format!("{topic}: "));
        format!("{}{}{}", topic.unwrap_or_default(), self.entry.title(chars), self.marks())
    }
}

impl Hit {
    /// As [`Brief::marks`].
    #[must_use]
    pub fn marks(&self) -> String {
        marks(
            (self.kind, self.layer, self.branch.as_deref()),
            (self.outcome, self.outcome_reason.as_deref()),
            self.follows_failed.as_deref(),
        )
    }
}

fn marks(
    (kind, layer, branch): (Kind, Layer, Option<&str>),
    (outcome, reason): (Option<Outcome>, Option<&str>),
    follows_failed: Option<&str>,
) -> String {
    let mut marks = String::new();
    if let Some(outcome) = outcome {
        let reason = reason.map(|reason| format!(": {}", clipped(reason))).unwrap_or_default();
        let _ = write!(marks, " [{outcome}{reason}]");
    }
    if let Some(id) = follows_failed {
        let _ = write!(marks, " [follows from {id}, which FAILED]");
    }
    // Other types are never the project's.
    if kind.file().is_some() {
        match (layer, branch) {
            (Layer::Permanent, _) => {}
            (Layer::Local, _) => marks.push_str(" [this checkout only]"),
            (Layer::Session, None) => marks.push_str(" [observed in a session]"),
            (Layer::Session, Some(branch)) => {
                let _ = write!(marks, " [observed in a session on {branch}]");
            }
        }
    }
    marks
}

fn clipped(reason: &str) -> String {
    match reason.char_indices().nth(REASON) {
        None => reason.to_owned(),
        Some((end, _)) => format!("{}…", reason[..end].trim_end()),
    }
}

/// The decision that failed and that a permanent memory builds on, refines or brings together with
/// others.
pub(super) fn follows_failed(
    store: &mut dyn StorageBackend,
    entry: &Entry,
) -> Result<Option<String>, MemoryError> {
    if entry.layer != Layer::Permanent {
        return Ok(None);
    }
    for link in store.links(&entry.id)? {
        let follows =
            matches!(link.relation, Relation::BuildsOn | Relation::Refines | Relation::Synthesizes);
        if !follows || link.from != entry.id {
            continue;
        }
        let basis = store.entry(&link.to)?;
        let failed = |basis: &Entry| basis.is_failed() && basis.status != Status::Removed;
        if let Some(basis) = basis.filter(failed) {
            return Ok(Some(basis.id));
        }
    }
    Ok(None)
}

impl ProjectMemory {
    /// These memories with what has to be said of each.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn briefs(&mut self, entries: &[Entry]) -> Result<Vec<Brief>, MemoryError> {
        self.read(&mut |store| {
            let brief = |entry: &Entry| {
                let follows_failed = follows_failed(&mut *store, entry)?;
                Ok(Brief { entry: entry.clone(), follows_failed })
            };
            entries.iter().map(brief).collect()
        })
    }

    /// A memory with what has to be said of it.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn brief(&mut self, entry: &Entry) -> Result<Brief, MemoryError> {
        let follows_failed = self.read(&mut |store| follows_failed(store, entry))?;
        Ok(Brief { entry: entry.clone(), follows_failed })
    }
}
