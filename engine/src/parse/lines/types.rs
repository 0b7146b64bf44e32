//! Plain data: a memory, its links, and their enums.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The schema version of [`Entry`] that this aidd writes. Readers retain unknown fields.
pub const SCHEMA_VERSION: u32 = 1;

/// Defines an enum that is represented by a word in JSON, database columns and messages.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All variants, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word that represents the variant.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let known = Self::ALL.iter().find(|known| known.word() == text);
                known.copied().ok_or_else(|| {
                    let words: Vec<&str> = Self::ALL.iter().map(|known| known.word()).collect();
                    format!("unknown value `{text}`; expected one of {}", words.join(", "))
                })
            }
        }
    };
}

words! {
    /// The kind of a memory.
    Kind {
        /// A choice and its reasons.
        Decision = "decision",
        /// An error, its cause and its fix.
        Mistake = "mistake",
        /// A convention of the project.
        Convention = "convention",
        /// A recurring pattern.
        Pattern = "pattern",
        /// A personal preference.
        Preference = "preference",
        /// A lesson in a sentence or two.
        Insight = "insight",
        /// The outcome of a tool call.
        ToolOutcome = "tool_outcome",
        /// The outcome of a workflow.
        WorkflowOutcome = "workflow_outcome",
        /// The state of unfinished work, for whoever continues it.
        Checkpoint = "checkpoint",
        /// Any other useful context.
        Context = "context",
    }
}

words! {
    /// How long a memory is stored, and who can see it.
    Layer {
        /// Observed in a session; deleted with old sessions.
        Session = "session",
        /// Stored in this checkout until it is removed.
        Local = "local",
        /// Stored in tracked files; shared with the team.
        Permanent = "permanent",
    }
}

words! {
    /// The status of a memory. Derived from links, removals and rejections, never read from a line.
    Status {
        /// In effect.
        Active = "active",
        /// A decision that was considered and rejected.
        Rejected = "rejected",
        /// Replaced by a later memory.
        Superseded = "superseded",
        /// Removed; its history is retained.
        Removed = "removed",
    }
}

words! {
    /// The relation of one memory to another.
    Relation {
        /// Replaces the other memory.
        Supersedes = "supersedes",
        /// Makes the other memory more precise.
        Refines = "refines",
        /// Contradicts the other memory.
        Contradicts = "contradicts",
        /// Is based on the other memory.
        BuildsOn = "builds_on",
        /// Questions the other memory.
        Debates = "debates",
        /// Combines several memories.
        Synthesizes = "synthesizes",
        /// Is related to the other memory.
        RelatesTo = "relates_to",
    }
}

words! {
    /// The outcome of a decision.
    Outcome {
        /// The decision succeeded.
        Success = "SUCCESS",
        /// The decision failed.
        Failed = "FAILED",
        /// The decision succeeded in part.
        Partial = "PARTIAL",
    }
}

words! {
    /// Whether a decision was made or rejected.
    Verdict {
        /// The decision was made.
        Accepted = "accepted",
        /// The decision was considered and rejected.
        Rejected = "rejected",
    }
}

words! {
    /// The level of an entry of the work list, from the largest to the smallest.
    Level {
        /// A stage of the project.
        Stage = "stage",
        /// A milestone of a stage.
        Milestone = "milestone",
        /// A task, possibly of a stage or milestone.
        Task = "task",
        /// A part of a task.
        Subtask = "subtask",
        /// Work that interrupts a task.
        Sidequest = "sidequest",
        /// A single step of a task, subtask or sidequest.
        Item = "item",
    }
}

words! {
    /// The state of an entry of the work list.
    WorkStatus {
        /// Not started.
        Open = "open",
        /// In progress.
        Started = "started",
        /// Waiting for something.
        Blocked = "blocked",
        /// Completed.
        Done = "done",
        /// Given up; not counted.
        Dropped = "dropped",
    }
}

words! {
    /// The priority of an entry of the work list.
    Priority {
        /// After everything else.
        Low = "low",
        /// The default.
        Medium = "medium",
        /// Before medium.
        High = "high",
        /// Before everything else.
        Critical = "critical",
    }
}

/// A string that is not an [`Outcome`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown outcome `{0}`; expected SUCCESS, FAILED or PARTIAL")]
pub struct UnknownOutcome(pub String);

impl Outcome {
    /// Parses an outcome, ignoring case; "failure" is also accepted for FAILED.
    ///
    /// # Errors
    /// When `text` is not a known outcome.
    pub fn read(text: &str) -> Result<Self, UnknownOutcome> {
        match text.trim().to_ascii_uppercase().as_str() {
            "FAILURE" => Ok(Self::Failed),
            upper => upper.parse().map_err(|_| UnknownOutcome(text.trim().to_owned())),
        }
    }
}

impl Kind {
    /// The tracked file for permanent memories of this kind; `None` for kinds that are stored only
    /// in the checkout.
    #[must_use]
    pub fn file(self) -> Option<&'static str> {
        match self {
            Self::Decision => Some("decisions"),
            Self::Mistake => Some("mistakes"),
            Self::Convention => Some("conventions"),
            _ => None,
        }
    }

    /// The word with its indefinite article, such as `a decision` and `an insight`.
    #[must_use]
    pub fn with_article(self) -> String {
        let is_vowel = self.word().starts_with(['a', 'e', 'i', 'o', 'u']);
        format!("{} {self}", if is_vowel { "an" } else { "a" })
    }

    /// Whether a session can record memories of this kind.
    #[must_use]
    pub fn is_observable(self) -> bool {
        !matches!(self, Self::Checkpoint | Self::Context)
    }
}

/// A memory in its current state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// `<type>_<milliseconds>_<hash>`; never changes.
    pub id: String,
    /// The kind of memory.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// How long the memory is stored.
    pub layer: Layer,
    /// The topic, as entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The main text: the decision, the error, the convention, the title, the summary.
    pub content: String,
    /// Fields specific to the kind; the corresponding types are in `memory::kinds`.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// Whether the memory is active, superseded or removed.
    pub status: Status,
    /// The session in which the memory was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The branch on which the memory was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Time of creation, in milliseconds since 1970.
    pub created_at: i64,
    /// Time of the last change, in milliseconds since 1970.
    pub updated_at: i64,
    /// The schema version with which the memory was written.
    pub schema_version: u32,
    /// The latest revisions; more than one is a conflict to resolve. Empty for memories outside of
    /// the tracked files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<String>,
    /// Fields that this version of aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Entry {
    /// The outcome, if the memory is a decision with an outcome.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let outcome = self.metadata.get("outcome").and_then(Value::as_str)?;
        Outcome::read(outcome).ok()
    }

    /// The reason for the outcome, on one line.
    #[must_use]
    pub fn outcome_reason(&self) -> Option<String> {
        let reason = self.metadata.get("outcomeReason").and_then(Value::as_str)?;
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        (!reason.is_empty()).then_some(reason)
    }

    /// Whether the memory is a decision that failed and therefore is no longer in effect.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.kind == Kind::Decision && self.outcome() == Some(Outcome::Failed)
    }

    /// Whether the memory is a decision that was considered and rejected.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        let verdict = self.metadata.get(VERDICT).and_then(Value::as_str);
        self.kind == Kind::Decision && verdict == Some(Verdict::Rejected.word())
    }

    /// Whether the memory has two conflicting edits.
    #[must_use]
    pub fn is_contested(&self) -> bool {
        self.heads.len() > 1
    }

    /// The first line of the content, at most `chars` characters.
    #[must_use]
    pub fn title(&self, chars: usize) -> String {
        let line = self.content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let line = line.trim();
        match line.char_indices().nth(chars) {
            None => line.to_owned(),
            Some((end, _)) => format!("{}…", line[..end].trim_end()),
        }
    }
}

/// The metadata field of a decision with its [`Verdict`].
pub const VERDICT: &str = "status";

/// The link field that marks its target as promoted to its source.
const PROMOTED: &str = "promoted";

/// A typed link from one memory to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// The id of the source. Omitted in the line of the source memory.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// The id of the target.
    pub to: String,
    /// The relation of `from` to `to`.
    pub relation: Relation,
    /// The reason for the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Fields that this version of aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Link {
    /// The link from a permanent memory to the session observation it was created from. If the
    /// observation still exists, the link supersedes it, so that the content is not listed twice.
    #[must_use]
    pub fn promoting(observed: &str) -> Self {
        let extra = Map::from_iter([(PROMOTED.to_owned(), Value::Bool(true))]);
        Self { extra, ..Self::new(Relation::Supersedes, observed) }
    }

    /// Whether the link leads from a memory to the observation from which the memory was created;
    /// see [`Self::promoting`].
    #[must_use]
    pub fn is_promotion(&self) -> bool {
        self.relation == Relation::Supersedes && self.extra.contains_key(PROMOTED)
    }

    /// A link without a reason; `from` is set where the link is stored.
    #[must_use]
    pub fn new(relation: Relation, to: &str) -> Self {
        Self { from: String::new(), to: to.to_owned(), relation, reason: None, extra: Map::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parsed() {
        for &kind in Kind::ALL {
            assert_eq!(kind.word().parse::<Kind>(), Ok(kind));
        }
        assert!("thought".parse::<Kind>().expect_err("unknown").contains("tool_outcome"));
        assert_eq!(Outcome::read(" failure "), Ok(Outcome::Failed));
        assert_eq!(Outcome::read("partial"), Ok(Outcome::Partial));
        assert!(Outcome::read("done").is_err());
    }

    #[test]
    fn unknown_fields_are_retained() {
        let text = r#"{"id":"decision_1_a","type":"decision","layer":"permanent","content":"c",
            "metadata":{"mood":"good"},"status":"active","createdAt":1,"updatedAt":2,
            "schemaVersion":9,"colour":{"r":1}}"#;
        let entry: Entry = serde_json::from_str(text).expect("an entry");
        assert_eq!(entry.extra["colour"]["r"], 1);
        let back = serde_json::to_value(&entry).expect("JSON");
        assert_eq!(back, serde_json::from_str::<Value>(text).expect("JSON"));
    }
}
