//! The typed form of the metadata of each type of memory.

use super::MemoryError;
use super::types::{Kind, Outcome, Verdict};
use aidd_engine::workspace::memory_checks::CHECK;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Metadata of a decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Decision {
    /// Why the decision was made.
    #[serde(skip_serializing_if = "String::is_empty", alias = "rationale")]
    pub reasoning: String,
    /// Alternatives that were considered: strings, or objects with the option and why it was
    /// rejected.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "alternatives_considered")]
    pub alternatives: Vec<Value>,
    /// The situation in which the decision was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Confidence, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How the decision turned out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why the decision turned out that way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_reason: Option<String>,
    /// When the outcome was recorded, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_at: Option<i64>,
    /// The ticket to which the decision belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket: Option<String>,
    /// The scope within the ticket.
    #[serde(skip_serializing_if = "Option::is_none", alias = "scope_key")]
    pub scope_key: Option<String>,
    /// The stage in which the decision was made, such as `PLAN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The document that states the decision.
    #[serde(skip_serializing_if = "Option::is_none", alias = "source_path")]
    pub source_path: Option<String>,
    /// Whether the decision was made or rejected; absent means made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Verdict>,
    /// Questions that the memory answers: see [`check_questions`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Fields unknown to this version of aidd.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Metadata of a mistake; its content is the error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Mistake {
    /// Why the mistake happened.
    #[serde(skip_serializing_if = "String::is_empty", alias = "root_cause")]
    pub root_cause: String,
    /// How the mistake was fixed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fix: String,
    /// How to prevent the mistake from recurring.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prevention: String,
    /// The affected files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How often the mistake occurred; absent means once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<u64>,
    /// When the mistake last occurred, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<i64>,
    /// The check that detects the mistake: see [`aidd_engine::workspace::memory_checks`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Value>,
    /// Questions that the memory answers: see [`check_questions`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Fields unknown to this version of aidd.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Metadata of a convention.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Convention {
    /// An example that follows the convention.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub example: String,
    /// Further examples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Why the convention exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The area that the convention belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The check that enforces the convention: see [`aidd_engine::workspace::memory_checks`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Value>,
    /// Questions that the memory answers: see [`check_questions`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Fields unknown to this version of aidd.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Metadata of a session's observation; its content is the title.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Observation {
    /// Facts, one per string.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// Description in prose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrative: Option<String>,
    /// The concepts that the observation concerns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub concepts: Vec<String>,
    /// Files that the session read.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "files_read")]
    pub files_read: Vec<String>,
    /// Files that the session changed.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "files_modified")]
    pub files_modified: Vec<String>,
    /// Number of tokens spent to discover the facts.
    #[serde(skip_serializing_if = "Option::is_none", alias = "discovery_tokens")]
    pub discovery_tokens: Option<u64>,
    /// Fields unknown to this version of aidd.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Metadata of a checkpoint; its content is the summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Checkpoint {
    /// Files that were open.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "open_files")]
    pub open_files: Vec<String>,
    /// The next steps, in the form the caller chose.
    #[serde(skip_serializing_if = "Option::is_none", alias = "next_steps")]
    pub next_steps: Option<Value>,
    /// Status in the caller's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Fields unknown to this version of aidd.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Metadata of an insight; its content is the lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Insight {
    /// The category, in the caller's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Tags to search by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The source of the insight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Questions that the memory answers: see [`check_questions`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Fields unknown to this version of aidd.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The fields of a type that can be edited, in addition to content and topic.
#[must_use]
pub fn editable_fields(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Decision => &[
            "reasoning",
            "alternatives",
            "context",
            "confidence",
            "outcome",
            "outcomeReason",
            "ticket",
            "scopeKey",
            "stage",
            "sourcePath",
            "status",
            QUESTIONS,
        ],
        Kind::Mistake => {
            &["rootCause", "fix", "prevention", "files", "occurrences", "check", QUESTIONS]
        }
        Kind::Convention => &["example", "examples", "rationale", "category", "check", QUESTIONS],
        _ => &[],
    }
}

/// Checks that `fields` can be edited in a memory of a type: they are fields of the type, or fields
/// that the memory already has (`existing`), for example from an import.
///
/// # Errors
/// The first field that cannot be edited; the message lists the editable fields.
pub fn check_field_names(
    kind: Kind,
    existing: &Map<String, Value>,
    fields: &Map<String, Value>,
) -> Result<(), MemoryError> {
    let known = editable_fields(kind);
    // For a misplaced `check`, a more specific error follows.
    let is_known =
        |name: &str| known.contains(&name) || existing.contains_key(name) || name == CHECK;
    match fields.keys().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(MemoryError::Invalid(format!(
            "a {kind} has no field `{name}`; its fields are content, topic, {}",
            known.join(", ")
        ))),
    }
}

/// Checks that each value has the type of its field. Null, which removes a field, is always valid.
///
/// # Errors
/// The first field whose value has the wrong type.
pub fn check(kind: Kind, fields: &Map<String, Value>) -> Result<(), MemoryError> {
    let check_type = match kind {
        Kind::Decision => deserialize_as::<Decision>,
        Kind::Mistake => deserialize_as::<Mistake>,
        Kind::Convention => deserialize_as::<Convention>,
        _ => return Ok(()),
    };
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        let field = Map::from_iter([(name.clone(), value.clone())]);
        check_type(field).map_err(|error| {
            MemoryError::Invalid(format!("invalid `{name}` of a {kind}: {error}"))
        })?;
    }
    check_questions(fields)
}

/// The field with the questions that a memory answers.
pub const QUESTIONS: &str = "questions";
/// Maximum number of questions of a memory.
pub const MAX_QUESTIONS: usize = 3;
/// Maximum number of characters of a question of a memory.
pub const MAX_QUESTION_CHARS: usize = 160;

/// Checks the questions in the metadata of a memory. The author of a memory writes them in the words
/// of somebody who does not know the memory, so that searches in these words find it. Results of
/// searches do not repeat them.
///
/// # Errors
/// When there are more than [`MAX_QUESTIONS`], or one is empty or longer than
/// [`MAX_QUESTION_CHARS`].
pub fn check_questions(metadata: &Map<String, Value>) -> Result<(), MemoryError> {
    let questions = metadata.get(QUESTIONS).and_then(Value::as_array);
    let questions = questions.map(Vec::as_slice).unwrap_or_default();
    let count = questions.len();
    if count > MAX_QUESTIONS {
        return Err(MemoryError::Invalid(format!(
            "`{QUESTIONS}` has {count} items; pass at most {MAX_QUESTIONS}"
        )));
    }
    for (at, question) in questions.iter().enumerate() {
        let text = question.as_str().unwrap_or_default();
        let chars = text.chars().count();
        if text.trim().is_empty() {
            return Err(MemoryError::Invalid(format!("`{QUESTIONS}[{at}]` is empty; omit it")));
        }
        if chars > MAX_QUESTION_CHARS {
            return Err(MemoryError::Invalid(format!(
                "`{QUESTIONS}[{at}]` has {chars} characters; shorten it to {MAX_QUESTION_CHARS}"
            )));
        }
    }
    Ok(())
}

/// The questions in the metadata of a memory, at most [`MAX_QUESTIONS`], each shortened to
/// [`MAX_QUESTION_CHARS`]: a tracked file can contain others.
pub(super) fn questions(metadata: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let questions = metadata.get(QUESTIONS).and_then(Value::as_array);
    let texts = questions.into_iter().flatten().filter_map(Value::as_str);
    texts.take(MAX_QUESTIONS).map(|text| {
        let end = text.char_indices().nth(MAX_QUESTION_CHARS).map_or(text.len(), |(at, _)| at);
        text.get(..end).unwrap_or(text)
    })
}

fn deserialize_as<T: DeserializeOwned>(
    fields: Map<String, Value>,
) -> Result<(), serde_json::Error> {
    serde_json::from_value::<T>(Value::Object(fields)).map(|_| ())
}

/// Converts a typed form to metadata.
///
/// # Errors
/// Never, for the types of this module.
pub fn metadata(typed: &impl Serialize) -> Result<Map<String, Value>, MemoryError> {
    match serde_json::to_value(typed)? {
        Value::Object(map) => Ok(map),
        _ => Err(MemoryError::Invalid("metadata must be an object".to_owned())),
    }
}

/// Converts metadata to its typed form.
///
/// # Errors
/// When a field has the wrong type.
pub fn typed<T: DeserializeOwned>(metadata: &Map<String, Value>) -> Result<T, MemoryError> {
    Ok(serde_json::from_value(Value::Object(metadata.clone()))?)
}
