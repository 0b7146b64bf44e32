//! Renders memories as data and as short text.

use crate::context::Context;
use crate::tool::ToolError;
use aidd_engine::project::git::Repository;
use aidd_engine::workspace::memory_checks;
use aidd_memory::brief::Brief;
use aidd_memory::recall::{Certainty, Found, Hit};
use aidd_memory::times::{day, millis};
use aidd_memory::types::{Entry, Kind, Layer, Link, Status};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;

/// An object whose fields are not described in the schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::tools) struct Row(pub(in crate::tools) Map<String, Value>);

impl JsonSchema for Row {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Row".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object"})
    }
}

impl Row {
    /// The fields of a value that is an object.
    pub(in crate::tools) fn from_value(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(Value::Object(map)) => Self(map),
            _ => Self(Map::new()),
        }
    }

    /// The value of a string field; empty if the field is not a string.
    pub(in crate::tools) fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Limits the argument `name` to a value from 1 to `max`; returns the value, and a note if it was
/// changed.
pub(in crate::tools) fn cap_limit(
    name: &str,
    requested: Option<i64>,
    default: usize,
    max: usize,
) -> (usize, Option<String>) {
    match requested.map(|requested| usize::try_from(requested).unwrap_or_default()) {
        None => (default, None),
        Some(requested) if requested > max => {
            (max, Some(format!("`{name}` was reduced to the maximum, {max}")))
        }
        Some(0) => (1, Some(format!("`{name}` was raised to the minimum, 1"))),
        Some(requested) => (requested, None),
    }
}

/// Parses a memory type argument without listing its values in the schema.
pub(super) fn kind(name: Option<&str>) -> Result<Option<Kind>, ToolError> {
    let kind = name.map(str::parse::<Kind>).transpose();
    kind.map_err(|error| ToolError::new(format!("`type`: {error}")))
}

/// Checks a number from 0 to 1.
pub(super) fn parse_confidence(name: &str, value: Option<f64>) -> Result<Option<f64>, ToolError> {
    match value {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(ToolError::new(format!("`{name}` must be from 0 to 1, found {value}")))
        }
        value => Ok(value),
    }
}

/// Parses a time argument: `2026-01-05`, with or without a time, or milliseconds since 1970.
pub(super) fn parse_time(name: &str, value: Option<&str>) -> Result<Option<i64>, ToolError> {
    let Some(text) = value.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let time = text.parse().ok().or_else(|| millis(&json!(text)));
    match time {
        Some(time) => Ok(Some(time)),
        None => Err(ToolError::new(format!("`{name}` is not a time: {text}"))
            .remedy("use the form 2026-01-05 or 2026-01-05T10:00:00Z")),
    }
}

/// The day of a time in a record. Older records store times as text.
pub(super) fn day_of(time: &Value) -> String {
    millis(time).map(day).unwrap_or_default()
}

/// The checked-out branch.
pub(crate) fn current_branch(context: &Context) -> Option<String> {
    Repository::open(context.root()).ok()?.branch()
}

/// A result on one line, with the information that an agent needs to select results.
pub(super) fn hit_line(hit: &Hit) -> String {
    let topic = hit.topic.as_ref().map(|topic| format!("{topic}: ")).unwrap_or_default();
    let mut line = format!("{} {} {topic}{}", hit.id, day(hit.created_at), hit.title);
    if !hit.snippet.is_empty() {
        let _ = write!(line, " | {}", hit.snippet.replace('\n', " "));
    }
    line.push_str(&hit.marks());
    if let Some(rule) = &hit.enforced {
        let _ = write!(line, " [enforced: {rule}]");
    }
    match (&hit.superseded_by, hit.status) {
        (Some(by), _) => {
            let _ = write!(line, " [superseded by {by}]");
        }
        (None, Status::Active) => {}
        (None, other) => {
            let _ = write!(line, " [{other}]");
        }
    }
    line
}

/// A result as data, without default values.
pub(super) fn hit_row(hit: &Hit) -> Row {
    let mut row = Row::from_value(hit);
    if hit.updated_at == hit.created_at {
        row.0.remove("updatedAt");
    }
    if hit.status == Status::Active {
        row.0.remove("status");
    }
    if hit.layer == Layer::Permanent {
        row.0.remove("layer");
    }
    row.0.remove("score");
    row.0.insert("relevanceScore".to_owned(), json!((hit.score * 1000.0).round() / 1000.0));
    row
}

/// Results as text, with notes.
pub(super) fn render_hits(found: &Found, notes: &[String]) -> String {
    let mut text = match (found.hits.len(), found.matched) {
        (0, _) => "No matching memory.".to_owned(),
        (shown, all) if shown < all => format!("{shown} of {all}:"),
        (shown, _) => format!("{shown}:"),
    };
    for hit in &found.hits {
        let _ = write!(text, "\n{}", hit_line(hit));
    }
    let certainty = found.certainty.and_then(Certainty::note).map(str::to_owned);
    let degraded = found.degraded.iter().map(|why| format!("degraded: {why}"));
    for note in certainty.into_iter().chain(degraded).chain(notes.to_vec()) {
        let _ = write!(text, "\nnote: {note}");
    }
    text
}

/// The metadata fields of an observation; they are shown next to the content.
const OBSERVATION_FIELDS: [&str; 6] =
    ["facts", "narrative", "concepts", "filesRead", "filesModified", "discoveryTokens"];

/// A full memory as data, with its links.
pub(super) fn entry_row(entry: &Entry, links: &[Link]) -> Row {
    let mut row = Row::from_value(entry);
    for name in OBSERVATION_FIELDS {
        let metadata = row.0.get_mut("metadata").and_then(Value::as_object_mut);
        if let Some(value) = metadata.and_then(|metadata| metadata.remove(name)) {
            row.0.insert(name.to_owned(), value);
        }
    }
    row.0.insert("title".to_owned(), json!(entry.title(100)));
    if let Some(rule) = memory_checks::rule_of(entry).filter(|_| entry.status == Status::Active) {
        row.0.insert("enforced".to_owned(), json!(rule));
    }
    if !links.is_empty() {
        row.0.insert("links".to_owned(), json!(links));
    }
    row
}

pub(super) fn entry_text(brief: &Brief, links: &[Link]) -> String {
    let entry = &brief.entry;
    let mut text = format!("{} {} {}", entry.id, day(entry.created_at), entry.status);
    if let Some(topic) = &entry.topic {
        let _ = write!(text, " on {topic}");
    }
    text.push_str(&brief.marks());
    let _ = write!(text, "\n{}", entry.content);
    for (name, value) in &entry.metadata {
        let _ = write!(text, "\n{name}: {}", value_text(value));
    }
    let rule = memory_checks::rule_of(entry).filter(|_| entry.status == Status::Active);
    if let Some(rule) = rule {
        let _ = write!(text, "\nenforced as {rule}");
    }
    for link in links {
        let reason = link.reason.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        let relation = if link.is_promotion() { "was promoted from" } else { link.relation.word() };
        let _ = write!(text, "\n{} {relation} {}{reason}", link.from, link.to);
    }
    if entry.is_contested() {
        text.push_str("\ntwo concurrent edits; edit this memory to resolve them");
    }
    text
}

/// A value as text: lists joined, objects as JSON.
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

/// A count with its noun; `word` is the singular.
pub(super) fn count_noun(count: usize, word: &str) -> String {
    match (count, word.strip_suffix("ch")) {
        (1, _) => format!("1 {word}"),
        (_, Some(_)) => format!("{count} {word}es"),
        _ => format!("{count} {word}s"),
    }
}

/// Appends a named list on its own line, unless it is empty.
pub(super) fn push_list(text: &mut String, name: &str, items: &[String]) {
    if !items.is_empty() {
        let _ = write!(text, "\n{name}: {}", items.join("; "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_limits_are_parsed() {
        assert_eq!(parse_time("since", Some("2024-02-29")), Ok(Some(1_709_164_800_000)));
        assert_eq!(parse_time("since", Some("17")), Ok(Some(17)));
        assert_eq!(parse_time("since", Some(" ")), Ok(None));
        assert!(parse_time("since", Some("tomorrow")).is_err());
        assert_eq!(cap_limit("limit", Some(9000), 20, 100).0, 100);
        for too_small in [0, -5] {
            let (limit, note) = cap_limit("limit", Some(too_small), 20, 100);
            assert_eq!((limit, note.as_deref()), (1, Some("`limit` was raised to the minimum, 1")));
        }
        assert_eq!(cap_limit("limit", Some(1), 20, 100), (1, None));
    }
}
