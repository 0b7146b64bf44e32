//! Reads manifests and settings as plain data.

use crate::text::files::{Files, side_file};
use serde_json::Value;
use toml_edit::{Document, Item, Value as Toml};

/// The data of the JSON file at `path`, with or without comments; null when the file does not exist
/// or is malformed.
#[must_use]
pub fn json(files: &dyn Files, path: &str) -> Value {
    let Some(text) = side_file(files, path) else { return Value::Null };
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let options = jsonc_parser::ParseOptions::default();
    jsonc_parser::parse_to_serde_value(text, &options).unwrap_or(Value::Null)
}

/// The data of the TOML file at `path`; null when the file does not exist or is malformed.
pub(crate) fn toml(files: &dyn Files, path: &str) -> Value {
    let Some(text) = side_file(files, path) else { return Value::Null };
    Document::parse(text.as_str()).map_or(Value::Null, |document| from_item(document.as_item()))
}

/// Recursion is safe: the parser rejects more than 80 levels of nesting.
fn from_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => from_value(value),
        Item::Table(table) => {
            table.iter().map(|(key, item)| (key.to_owned(), from_item(item))).collect()
        }
        Item::ArrayOfTables(tables) => Value::Array(
            tables
                .iter()
                .map(|table| {
                    table.iter().map(|(key, item)| (key.to_owned(), from_item(item))).collect()
                })
                .collect(),
        ),
    }
}

fn from_value(value: &Toml) -> Value {
    match value {
        Toml::String(text) => Value::from(text.value().as_str()),
        Toml::Integer(number) => Value::from(*number.value()),
        Toml::Float(number) => Value::from(*number.value()),
        Toml::Boolean(truth) => Value::from(*truth.value()),
        Toml::Datetime(time) => Value::from(time.value().to_string()),
        Toml::Array(items) => items.iter().map(from_value).collect(),
        Toml::InlineTable(table) => {
            table.iter().map(|(key, value)| (key.to_owned(), from_value(value))).collect()
        }
    }
}

/// The string at a path of keys; `None` if there is no string.
#[must_use]
pub fn text<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v str> {
    at(value, keys).as_str()
}

/// The value at a path of keys; null if it does not exist.
#[must_use]
pub fn at<'v>(value: &'v Value, keys: &[&str]) -> &'v Value {
    keys.iter().fold(value, |value, key| value.get(key).unwrap_or(&Value::Null))
}

/// The strings of a list, or a single string.
pub(crate) fn strings(value: &Value) -> impl Iterator<Item = &str> {
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    items.iter().filter_map(Value::as_str)
}
