//! A short form of a memory with the marks that must always be displayed: the outcome of a
//! decision, whether the memory follows from a failed decision, and whether it is an observation of
//! a session instead of project knowledge. Every frontend displays memories in this form.

use super::MemoryError;
use super::project::ProjectMemory;
use super::recall::Hit;
use super::store::StorageBackend;
use super::types::{Entry, Kind, Layer, Outcome, Relation, Status};
use std::fmt::Write as _;

/// Maximum length of a reason, in characters.
const MAX_REASON_CHARS: usize = 120;

/// A memory, and the failed decision from which it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Brief {
    /// The memory itself.
    pub entry: Entry,
    /// The id of the failed decision.
    pub follows_failed: Option<String>,
}

impl From<Entry> for Brief {
    fn from(entry: Entry) -> Self {
        Self { entry, follows_failed: None }
    }
}

impl Brief {
    /// The marks of the memory, each in brackets after a space; empty when there are none.
    #[must_use]
    pub fn marks(&self) -> String {
        let entry = &self.entry;
        let rejected = if entry.is_rejected() { " [rejected]" } else { "" };
        let marks = marks(
            (entry.kind, entry.layer, entry.branch.as_deref()),
            (entry.outcome(), entry.outcome_reason().as_deref()),
            self.follows_failed.as_deref(),
        );
        format!("{rejected}{marks}")
    }

    /// The topic, the beginning of the content (at most `chars` characters), and [`Self::marks`].
    #[must_use]
    pub fn line(&self, chars: usize) -> String {
        let topic = self.entry.topic.as_ref().map(|topic| format!("{topic}: "));
        format!("{}{}{}", topic.unwrap_or_default(), self.entry.title(chars), self.marks())
    }
}

impl Hit {
    /// Like [`Brief::marks`].
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
        let reason = reason.map(|reason| format!(": {}", truncate(reason))).unwrap_or_default();
        let _ = write!(marks, " [{outcome}{reason}]");
    }
    if let Some(id) = follows_failed {
        let _ = write!(marks, " [follows from {id}, which FAILED]");
    }
    // Memories whose type has no tracked file are never project knowledge and need no mark.
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

fn truncate(reason: &str) -> String {
    match reason.char_indices().nth(MAX_REASON_CHARS) {
        None => reason.to_owned(),
        Some((end, _)) => format!("{}…", reason[..end].trim_end()),
    }
}

/// The failed decision that a permanent memory builds on, refines or synthesizes with others.
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
    /// The short forms of `entries`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn briefs(&mut self, entries: &[Entry]) -> Result<Vec<Brief>, MemoryError> {
        self.read(&mut |store| {
            let brief = |entry: &Entry| {
                let follows_failed = follows_failed(&mut *store, entry)?;
                Ok(Brief { entry: entry.clone(), follows_failed })
            };
            entries.iter().map(brief).collect()
        })
    }

    /// The short form of a memory.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn brief(&mut self, entry: &Entry) -> Result<Brief, MemoryError> {
        let follows_failed = self.read(&mut |store| follows_failed(store, entry))?;
        Ok(Brief { entry: entry.clone(), follows_failed })
    }
}
