//! What each type of memory has to say beside its content: the typed form of its metadata.

use super::MemoryError;
use super::types::{Kind, Outcome};
use aidd_engine::workspace::remembered::CHECK;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Beside the decision itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Decision {
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty", alias = "rationale")]
    pub reasoning: String,
    /// What else was looked at: texts, or option and why it was rejected.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "alternatives_considered")]
    pub alternatives: Vec<Value>,
    /// In what situation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// How sure, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why it came so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_reason: Option<String>,
    /// When that was said, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_at: Option<i64>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Beside the error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Mistake {
    /// Why it happened.
    #[serde(skip_serializing_if = "String::is_empty", alias = "root_cause")]
    pub root_cause: String,
    /// What mended it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fix: String,
    /// What keeps it from coming back.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prevention: String,
    /// The files it was about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How often it was made; absent: once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<u64>,
    /// When it was made last, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<i64>,
    /// What enforces it: see [`aidd_engine::workspace::remembered`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Value>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Beside the convention.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Convention {
    /// How it looks when followed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub example: String,
    /// Further examples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What enforces it: see [`aidd_engine::workspace::remembered`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Value>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Beside the title of what a session observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Observation {
    /// Facts, one a text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// The story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrative: Option<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub concepts: Vec<String>,
    /// Files that were read.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "files_read")]
    pub files_read: Vec<String>,
    /// Files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "files_modified")]
    pub files_modified: Vec<String>,
    /// What finding it out cost, in tokens.
    #[serde(skip_serializing_if = "Option::is_none", alias = "discovery_tokens")]
    pub discovery_tokens: Option<u64>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Beside the summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Checkpoint {
    /// Files at hand.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "open_files")]
    pub open_files: Vec<String>,
    /// What comes next.
    #[serde(skip_serializing_if = "Option::is_none", alias = "next_steps")]
    pub next_steps: Option<Value>,
    /// In the caller's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Beside the lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Insight {
    /// What sort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Fields that this aidd does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The fields of a type that can be edited, beside its content and topic.
#[must_use]
pub fn editable(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Decision => {
            &["reasoning", "alternatives", "context", "confidence", "outcome", "outcomeReason"]
        }
        Kind::Mistake => &["rootCause", "fix", "prevention", "files", "occurrences", "check"],
        Kind::Convention => &["example", "examples", "rationale", "category", "check"],
        _ => &[],
    }
}

/// Looks whether a memory of a type can have `fields` edited: they are those of its type, or ones that
/// it `has`, as an import may have brought others.
///
/// # Errors
/// The first field that is not, with those that are.
pub fn check_names(
    kind: Kind,
    has: &Map<String, Value>,
    fields: &Map<String, Value>,
) -> Result<(), MemoryError> {
    let known = editable(kind);
    // Where a check does not belong, there is more to say than that.
    let is_known = |name: &str| known.contains(&name) || has.contains_key(name) || name == CHECK;
    match fields.keys().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(MemoryError::Invalid(format!(
            "a {kind} has no field `{name}`; its fields are content, topic, {}",
            known.join(", ")
        ))),
    }
}

/// Looks whether fields are what memories of a type have under their names. Null, which takes a field
/// out, always is.
///
/// # Errors
/// The first field that is not, by its name.
pub fn check(kind: Kind, fields: &Map<String, Value>) -> Result<(), MemoryError> {
    let fits = match kind {
        Kind::Decision => fits::<Decision>,
        Kind::Mistake => fits::<Mistake>,
        Kind::Convention => fits::<Convention>,
        _ => return Ok(()),
    };
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        let field = Map::from_iter([(name.clone(), value.clone())]);
        fits(field).map_err(|error| {
            MemoryError::Invalid(format!("`{name}` of a {kind} cannot be that: {error}"))
        })?;
    }
    Ok(())
}

fn fits<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<(), serde_json::Error> {
    serde_json::from_value::<T>(Value::Object(fields)).map(|_| ())
}

/// The metadata of a typed form.
///
/// # Errors
/// Never, for the types of this module.
pub fn metadata(of: &impl Serialize) -> Result<Map<String, Value>, MemoryError> {
    match serde_json::to_value(of)? {
        Value::Object(map) => Ok(map),
        _ => Err(MemoryError::Invalid("metadata is an object".to_owned())),
    }
}

/// The typed form of metadata.
///
/// # Errors
/// When a field is not what it should be.
pub fn typed<T: DeserializeOwned>(metadata: &Map<String, Value>) -> Result<T, MemoryError> {
    Ok(serde_json::from_value(Value::Object(metadata.clone()))?)
}
