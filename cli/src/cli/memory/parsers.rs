//! Value parsers for the arguments of `aidd memory`.

use aidd_memory::types::{Kind, Relation};
use serde_json::Value;

pub(super) fn kind(text: &str) -> Result<Kind, String> {
    text.parse()
}

pub(super) fn relation(text: &str) -> Result<Relation, String> {
    text.replace('-', "_").parse()
}

/// Parses `relation:id`.
pub(super) fn link(text: &str) -> Result<(Relation, String), String> {
    let (name, id) = text
        .split_once(':')
        .ok_or_else(|| "expected RELATION:ID, such as builds_on:ID".to_owned())?;
    Ok((relation(name)?, id.to_owned()))
}

/// Parses `field=value`.
pub(super) fn field(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| "expected FIELD=VALUE, such as reasoning=TEXT".to_owned())?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text)
        .map_err(|error| aidd_report::exit::describe_json_error(&error, "a JSON option"))
}

pub(super) fn confidence(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}
