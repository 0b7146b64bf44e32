//! Plain data: one memory, its links, and the words for them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The form of [`Entry`] that this aidd writes. Readers keep what they do not know.
pub const SCHEMA_VERSION: u32 = 1;

/// An enum of words: as JSON, in columns and in messages it is the word.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every one, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word for it.
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
                    format!("`{text}` is none of {}", words.join(", "))
                })
            }
        }
    };
}

words! {
    /// What a memory is.
    Kind {
        /// A choice and its reasons.
        Decision = "decision",
        /// An error, its cause and its cure.
        Mistake = "mistake",
        /// How things are done here.
        Convention = "convention",
        /// Something that keeps coming back.
        Pattern = "pattern",
        /// What someone likes.
        Preference = "preference",
        /// A lesson in a sentence or two.
        Insight = "insight",
        /// What a tool did.
        ToolOutcome = "tool_outcome",
        /// What a workflow led to.
        WorkflowOutcome = "workflow_outcome",
        /// Where work stands, for whoever takes it up.
        Checkpoint = "checkpoint",
        /// Anything else worth having at hand.
        Context = "context",
    }
}

words! {
    /// How long a memory lives, and who sees it.
    Layer {
        /// Observed in a session; goes with old sessions.
        Session = "session",
        /// Kept in this checkout until someone removes it.
        Local = "local",
        /// In the tracked files: the team's.
        Permanent = "permanent",
    }
}

words! {
    /// How a memory stands. Derived from links and removals, never taken from a line's own word.
    Status {
        /// Holds.
        Active = "active",
        /// A later one took its place.
        Superseded = "superseded",
        /// Taken back; its history stays.
        Removed = "removed",
    }
}

words! {
    /// What one memory is to another.
    Relation {
        /// Takes its place.
        Supersedes = "supersedes",
        /// Says it more exactly.
        Refines = "refines",
        /// Cannot hold together with it.
        Contradicts = "contradicts",
        /// Rests on it.
        BuildsOn = "builds_on",
        /// Doubts it.
        Debates = "debates",
        /// Brings several together.
        Synthesizes = "synthesizes",
        /// Has to do with it.
        RelatesTo = "relates_to",
    }
}

words! {
    /// What came of a decision.
    Outcome {
        /// It worked.
        Success = "SUCCESS",
        /// It did not.
        Failed = "FAILED",
        /// In part.
        Partial = "PARTIAL",
    }
}

/// A word that is no [`Outcome`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is none of SUCCESS, FAILED, PARTIAL")]
pub struct UnknownOutcome(pub String);

impl Outcome {
    /// Reads an outcome in any case; "failure" is FAILED.
    ///
    /// # Errors
    /// The words that are known, when it is none of them.
    pub fn read(text: &str) -> Result<Self, UnknownOutcome> {
        match text.trim().to_ascii_uppercase().as_str() {
            "FAILURE" => Ok(Self::Failed),
            upper => upper.parse().map_err(|_| UnknownOutcome(text.trim().to_owned())),
        }
    }
}

impl Kind {
    /// The tracked file of permanent memories of this kind; `None` for kinds that stay in the
    /// checkout.
    #[must_use]
    pub fn file(self) -> Option<&'static str> {
        match self {
            Self::Decision => Some("decisions"),
            Self::Mistake => Some("mistakes"),
            Self::Convention => Some("conventions"),
            _ => None,
        }
    }

    /// Whether a session may observe it.
    #[must_use]
    pub fn is_observable(self) -> bool {
        !matches!(self, Self::Checkpoint | Self::Context)
    }
}

/// One memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// `<type>_<milliseconds>_<hash>`; never changes.
    pub id: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// How long it lives.
    pub layer: Layer,
    /// What it is about, in the words it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The memory itself: the decision, the error, the convention, the title, the summary.
    pub content: String,
    /// What else its kind has to say: the typed forms are in `memory::kinds`.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// How it stands.
    pub status: Status,
    /// The session it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The branch it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Milliseconds since 1970.
    pub updated_at: i64,
    /// The form it was written in.
    pub schema_version: u32,
    /// The revisions that nothing later replaces; more than one is a conflict to settle. Empty for
    /// memories outside the tracked files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<String>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Entry {
    /// What came of it, of a decision.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let outcome = self.metadata.get("outcome").and_then(Value::as_str)?;
        Outcome::read(outcome).ok()
    }

    /// Why it came so, on one line.
    #[must_use]
    pub fn outcome_reason(&self) -> Option<String> {
        let reason = self.metadata.get("outcomeReason").and_then(Value::as_str)?;
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        (!reason.is_empty()).then_some(reason)
    }

    /// Whether it is a decision that failed: nothing that holds.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.kind == Kind::Decision && self.outcome() == Some(Outcome::Failed)
    }

    /// Whether two edits of it stand side by side.
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

/// The field of a link that says that its end was promoted to its start.
const PROMOTED: &str = "promoted";

/// A typed arrow from one memory to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Where it starts. Not written in the line of the memory it starts at.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// What `from` is to `to`.
    pub relation: Relation,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Link {
    /// The link of a permanent memory to what a session observed, which it was made of. It supersedes
    /// that where it is known, so that the same is not shown twice.
    #[must_use]
    pub fn promoting(observed: &str) -> Self {
        let extra = Map::from_iter([(PROMOTED.to_owned(), Value::Bool(true))]);
        Self { extra, ..Self::to(Relation::Supersedes, observed) }
    }

    /// Whether it leads to what its memory was made of: see [`Self::promoting`].
    #[must_use]
    pub fn is_promotion(&self) -> bool {
        self.relation == Relation::Supersedes && self.extra.contains_key(PROMOTED)
    }

    /// A link without a reason; `from` is filled in where it is stored.
    #[must_use]
    pub fn to(relation: Relation, to: &str) -> Self {
        Self { from: String::new(), to: to.to_owned(), relation, reason: None, extra: Map::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for &kind in Kind::ALL {
            assert_eq!(kind.word().parse::<Kind>(), Ok(kind));
        }
        assert!("thought".parse::<Kind>().expect_err("unknown").contains("tool_outcome"));
        assert_eq!(Outcome::read(" failure "), Ok(Outcome::Failed));
        assert_eq!(Outcome::read("partial"), Ok(Outcome::Partial));
        assert!(Outcome::read("done").is_err());
    }

    #[test]
    fn unknown_fields_stay() {
        let text = r#"{"id":"decision_1_a","type":"decision","layer":"permanent","content":"c",
            "metadata":{"mood":"good"},"status":"active","createdAt":1,"updatedAt":2,
            "schemaVersion":9,"colour":{"r":1}}"#;
        let entry: Entry = serde_json::from_str(text).expect("an entry");
        assert_eq!(entry.extra["colour"]["r"], 1);
        let back = serde_json::to_value(&entry).expect("JSON");
        assert_eq!(back, serde_json::from_str::<Value>(text).expect("JSON"));
    }
}
