//! The log of all changes: JSON lines that are only appended, so that Git can merge them by union.
//!
//! The log is the only record. The overlay, the list of drafts and the list of applied changes are
//! computed from it, in the order of time and id: two clones with the same lines have the same state,
//! in whatever order the lines were merged.

use aidd_engine::parse::lines::id::digest;
use aidd_engine::parse::lines::words::{pieces, similarity};
use aidd_engine::project::config::ChangeKind;
use aidd_engine::project::overlay::Overlay;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Days during which nothing similar to a rejected draft is proposed.
pub const SILENT_DAYS: i64 = 30;
const DAY: i64 = 86_400_000;
/// Similarity from which two titles are about the same, as for mistakes.
const MIN_SIMILARITY: f64 = 0.5;

/// What an entry records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A change was applied without asking.
    Apply,
    /// A draft was created.
    Draft,
    /// A person approved a draft.
    Approve,
    /// A person rejected a draft.
    Reject,
    /// A change was reverted.
    Revert,
    /// An applied change is no longer supported by the records.
    Drift,
}

/// What a draft becomes when it is approved.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// A page with a rule and its examples.
    Rules,
    /// An entry of the knowledge base.
    Knowledge,
    /// A page with a skill of an agent.
    Skills,
    /// A page with the steps of a workflow.
    Workflows,
    /// A convention in the project memory.
    Conventions,
    /// A patch of the configuration.
    Settings,
}

impl Category {
    /// All categories, in the order of lists.
    pub const ALL: [Self; 6] = [
        Self::Rules,
        Self::Knowledge,
        Self::Skills,
        Self::Workflows,
        Self::Conventions,
        Self::Settings,
    ];

    /// The name, which is also the name of the directory.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Knowledge => "knowledge",
            Self::Skills => "skills",
            Self::Workflows => "workflows",
            Self::Conventions => "conventions",
            Self::Settings => "settings",
        }
    }
}

/// A change of one value of the overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlayChange {
    /// Section of the overlay.
    pub section: String,
    /// Key in the section.
    pub key: String,
    /// The value before; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after; absent if it is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A change of one file: of its whole content, or of single lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Path, relative to the root.
    pub path: String,
    /// SHA-256 of the content before; absent if there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// SHA-256 of the content after; absent if the file is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// SHA-256 of lines that are appended; other lines of the file may change meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
    /// SHA-256 of lines that are taken out again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
}

impl FileChange {
    /// Whether only single lines of the file change.
    #[must_use]
    pub fn is_of_lines(&self) -> bool {
        self.added.is_some() || self.removed.is_some()
    }
}

/// The figures on which a change is based.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Figures {
    /// Probability that the difference exceeds 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Sessions with the property.
    #[serde(rename = "with")]
    pub sessions_with: u32,
    /// Comparable sessions without it.
    #[serde(rename = "without")]
    pub sessions_without: u32,
    /// Share of successes with it; recent sessions count more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_with: Option<f64>,
    /// Share of successes without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_without: Option<f64>,
    /// Evidence of the test that may be looked at after every session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<f64>,
    /// Evidence that is required to apply a change without asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<f64>,
}

/// A draft, as it was created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DraftData {
    /// The kind of page, memory or setting that an approved draft becomes.
    pub category: Category,
    /// Path of the draft, relative to the root.
    pub path: String,
    /// The trial of a rule, or another remark for the person who decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogEntry {
    /// Id of the entry; that of a draft or an applied change is also the id of it.
    pub id: String,
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// What was done with the change or draft.
    pub action: Action,
    /// The draft or change that the action concerns, if it is not the entry itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The kind of change; absent for a draft that a person created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ChangeKind>,
    /// The candidate from which it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<String>,
    /// One line that says what changes.
    pub title: String,
    /// The figures on which it is based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
    /// The draft that is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftData>,
    /// Changes of the overlay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlay: Vec<OverlayChange>,
    /// Changes of other files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// The permanent memory that an approved draft saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Hash of the changes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub patch: String,
    /// Who did it: `aidd`, `person` or `agent`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// Why, for a rejection or revert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl LogEntry {
    /// An entry with an id and the hash of its changes.
    #[must_use]
    pub fn new(action: Action, title: &str, at: i64, actor: &str) -> Self {
        Self {
            id: String::new(),
            at,
            action,
            target: None,
            kind: None,
            candidate: None,
            title: title.to_owned(),
            figures: None,
            draft: None,
            overlay: Vec::new(),
            files: Vec::new(),
            memory: None,
            patch: String::new(),
            actor: actor.to_owned(),
            reason: None,
        }
    }

    /// Sets the hash of the changes, and the id.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        let changes = serde_json::json!([&self.overlay, &self.files]).to_string();
        self.patch = digest(&[&changes]);
        let prefix = match self.action {
            Action::Draft => "draft",
            Action::Apply => "change",
            _ => "entry",
        };
        let target = self.target.clone().unwrap_or_default();
        let unique = format!("{} {:?} {}", self.at, self.action, self.actor);
        let id = digest(&[&unique, &self.title, &target, &self.patch]);
        self.id = format!("{prefix}_{}_{id}", self.at);
        self
    }

    /// The line of the entry, with its end.
    #[must_use]
    pub fn to_line(&self) -> String {
        format!("{}\n", serde_json::to_string(self).unwrap_or_default())
    }
}

/// The entries of a log, in the order of time and id, each once, and the number of lines that cannot be
/// read. Accepts JSON lines and a JSON list.
#[must_use]
pub fn parse(text: &str) -> (Vec<LogEntry>, usize) {
    let text = text.trim_start_matches('\u{FEFF}');
    let mut entries: BTreeMap<(i64, String), LogEntry> = BTreeMap::new();
    let mut unread = 0;
    let mut add = |entry: Option<LogEntry>| match entry {
        Some(entry) => {
            entries.entry((entry.at, entry.id.clone())).or_insert(entry);
        }
        None => unread += 1,
    };
    if text.trim_start().starts_with('[') {
        let values: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        values.into_iter().for_each(|value| add(serde_json::from_value(value).ok()));
    } else {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.for_each(|line| add(serde_json::from_str(line).ok()));
    }
    (entries.into_values().collect(), unread)
}

/// What a person decided on a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftStatus {
    /// Nobody has decided about the draft yet.
    Pending,
    /// A person approved the draft, and it was written.
    Approved,
    /// A person rejected the draft with a reason.
    Rejected,
}

impl DraftStatus {
    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }
}

/// A draft and what was decided on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The entry that created it.
    pub entry: LogEntry,
    /// Whether a person decided about the draft, and how.
    pub status: DraftStatus,
    /// When it was decided, in milliseconds since 1970.
    pub decided_at: Option<i64>,
    /// Why it was rejected.
    pub reason: Option<String>,
}

impl Draft {
    /// The category, path and notes of the draft.
    #[must_use]
    pub fn data(&self) -> Option<&DraftData> {
        self.entry.draft.as_ref()
    }
}

/// The state that follows from a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The changes that are in effect.
    pub overlay: Overlay,
    /// All drafts, by id.
    pub drafts: BTreeMap<String, Draft>,
    /// The applied and approved changes that are not reverted, in the order of the log.
    pub applied: Vec<LogEntry>,
    /// Ids of changes that are no longer supported.
    pub drifted: BTreeSet<String>,
    /// Changes that replaced a value which another clone had set at the same time: the ids of both.
    pub conflicts: Vec<(String, String)>,
}

impl State {
    /// The state after `entries`, which are in order.
    #[must_use]
    pub fn new(entries: &[LogEntry]) -> Self {
        let mut state = Self::default();
        let mut writers: BTreeMap<(&str, &str), &str> = BTreeMap::new();
        for entry in entries {
            for change in &entry.overlay {
                let known = state.overlay.section(&change.section);
                let known = known.and_then(|section| section.get(&change.key)).cloned();
                let writer = writers.insert((&change.section, &change.key), &entry.id);
                if let Some(writer) = writer.filter(|_| known != change.before) {
                    state.conflicts.push((writer.to_owned(), entry.id.clone()));
                }
                state.overlay.set(&change.section, &change.key, change.after.as_deref());
            }
            state.record(entry);
        }
        state
    }

    fn record(&mut self, entry: &LogEntry) {
        let target = entry.target.as_deref().unwrap_or_default();
        match entry.action {
            Action::Apply => {
                // The draft of the same candidate needs no decision any more.
                if let Some(draft) = self.drafts.get_mut(target) {
                    draft.status = DraftStatus::Approved;
                    draft.decided_at = Some(entry.at);
                }
                self.applied.push(entry.clone());
            }
            Action::Draft => {
                let draft = Draft {
                    entry: entry.clone(),
                    status: DraftStatus::Pending,
                    decided_at: None,
                    reason: None,
                };
                self.drafts.insert(entry.id.clone(), draft);
            }
            Action::Approve | Action::Reject => {
                if let Some(draft) = self.drafts.get_mut(target) {
                    let is_approved = entry.action == Action::Approve;
                    draft.status =
                        if is_approved { DraftStatus::Approved } else { DraftStatus::Rejected };
                    draft.decided_at = Some(entry.at);
                    draft.reason.clone_from(&entry.reason);
                    if is_approved {
                        self.applied.push(entry.clone());
                    }
                }
            }
            Action::Revert => {
                let reverted = self.applied.iter().position(|change| change.id == target);
                let reverted = reverted.map(|at| self.applied.remove(at));
                let draft = reverted.and_then(|change| change.target);
                // The draft is restored with the other files, and waits for a decision again.
                if let Some(draft) = draft.and_then(|id| self.drafts.get_mut(&id)) {
                    draft.status = DraftStatus::Pending;
                    draft.decided_at = None;
                }
            }
            Action::Drift => {
                self.drifted.insert(target.to_owned());
            }
        }
    }

    /// The rejected draft because of which nothing like `title` is proposed at the time `now`.
    #[must_use]
    pub fn silenced_by(&self, title: &str, now: i64) -> Option<&Draft> {
        let words = pieces(title);
        self.drafts.values().find(|draft| {
            draft.status == DraftStatus::Rejected
                && draft.decided_at.is_some_and(|at| now - at < SILENT_DAYS * DAY)
                && similarity(&pieces(&draft.entry.title), &words) >= MIN_SIMILARITY
        })
    }

    /// Whether the candidate is already drafted (and not rejected) or applied.
    #[must_use]
    pub fn has(&self, candidate: &str) -> bool {
        self.has_applied(candidate)
            || self.drafts.values().any(|draft| {
                draft.status != DraftStatus::Rejected
                    && draft.entry.candidate.as_deref() == Some(candidate)
            })
    }

    /// Whether the change of the candidate is in effect.
    #[must_use]
    pub fn has_applied(&self, candidate: &str) -> bool {
        self.applied.iter().any(|entry| entry.candidate.as_deref() == Some(candidate))
    }

    /// The draft of the candidate that waits for a decision.
    #[must_use]
    pub fn pending_draft(&self, candidate: &str) -> Option<&Draft> {
        self.drafts.values().find(|draft| {
            draft.status == DraftStatus::Pending
                && draft.entry.candidate.as_deref() == Some(candidate)
        })
    }
}

#[cfg(test)]
mod tests;
