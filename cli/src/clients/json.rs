//! Adds entries to a JSON file of a client and removes them again. All other content, comments and
//! formatting are preserved.

use super::{Edited, Malformed};
use aidd_engine::project::config::{parse_options, syntax_error};
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};
use std::fmt::Display;

/// Key of aidd's own entries. Such an entry is added or removed as a whole.
const OWN_KEY: &str = "aidd";
/// Prefix of the hook commands.
const COMMAND_PREFIX: &str = "aidd hook ";

/// Adds the entries of `template` that are missing in `text`.
///
/// # Errors
/// When `text` is malformed, or has another type where an object or an array is expected.
pub(super) fn add(text: &str, template: &str) -> Result<Edited, Malformed> {
    let (root, wanted) = (parse(text)?, parse_template(template)?);
    let mut kept = Vec::new();
    let object = match (root.object_value(), root.value()) {
        (Some(object), _) => object,
        (None, None) => root.object_value_or_set(),
        (None, Some(_)) => return Err(Malformed::at_start("expected an object")),
    };
    merge(&object, &wanted, &mut Vec::new(), &mut kept)?;
    Ok(Edited { text: Some(root.to_string()), differing: kept })
}

/// Removes the entries of `template` from `text`. The result has no text if nothing else is left.
///
/// # Errors
/// When `text` is malformed.
pub(super) fn remove(text: &str, template: &str) -> Result<Edited, Malformed> {
    let (root, wanted) = (parse(text)?, parse_template(template)?);
    let mut kept = Vec::new();
    let Some(object) = root.object_value() else {
        return Ok(Edited { text: Some(text.to_owned()), differing: kept });
    };
    if !unmerge(&object, &wanted, &mut Vec::new(), &mut kept) {
        return Ok(Edited { text: Some(text.to_owned()), differing: kept });
    }
    let left = value_of(&object);
    let is_bare = left.as_ref().and_then(Value::as_object).is_some_and(|left| {
        left.iter().all(|(key, value)| !value.is_object() && wanted.get(key) == Some(value))
    });
    let is_reported = has_comment(&object.children()) || has_comment(&root.children());
    Ok(Edited { text: (!is_bare || is_reported).then(|| root.to_string()), differing: kept })
}

fn parse(text: &str) -> Result<CstRootNode, Malformed> {
    CstRootNode::parse(text, &parse_options())
        .map_err(|error| syntax_error(text, &error))
        .map_err(|problem| Malformed::at(text, problem.span.start, problem.message))
}

fn parse_template(template: &str) -> Result<Map<String, Value>, Malformed> {
    serde_json::from_str(template).map_err(|error| Malformed::at_start(error.to_string()))
}

fn merge(
    object: &CstObject,
    wanted: &Map<String, Value>,
    place: &mut Vec<String>,
    kept: &mut Vec<String>,
) -> Result<(), Malformed> {
    for (key, value) in wanted {
        place.push(key.clone());
        match object.get(key) {
            None => {
                object.append(key, input(value));
            }
            Some(property) => {
                let node = property.value();
                let found = node.as_ref().and_then(value_of);
                match value {
                    _ if found.as_ref() == Some(value) => {}
                    Value::Object(inner) if key != OWN_KEY => {
                        let own = node.and_then(|node| node.as_object());
                        let own = own.ok_or_else(|| unexpected_type(place, "an object"))?;
                        merge(&own, inner, place, kept)?;
                    }
                    Value::Array(elements) if key != OWN_KEY => {
                        let own = node.and_then(|node| node.as_array());
                        let own = own.ok_or_else(|| unexpected_type(place, "an array"))?;
                        merge_list(&own, elements, place, kept);
                    }
                    _ => kept.push(place.join(".")),
                }
            }
        }
        place.pop();
    }
    Ok(())
}

fn unexpected_type(place: &[String], what: &str) -> Malformed {
    Malformed::at_start(format!("expected {what} at `{}`", place.join(".")))
}

fn merge_list(own: &CstArray, wanted: &[Value], place: &[String], kept: &mut Vec<String>) {
    for element in wanted {
        let found: Vec<Value> = own.elements().iter().filter_map(value_of).collect();
        if found.contains(element) {
            continue;
        }
        let commands = commands(element);
        if found.iter().any(|other| commands_in(other, &commands)) {
            kept.push(place.join("."));
        } else {
            own.ensure_multiline();
            own.append(input(element));
        }
    }
}

/// Removes `wanted` from `own`. Returns whether something was removed.
fn unmerge(
    object: &CstObject,
    wanted: &Map<String, Value>,
    place: &mut Vec<String>,
    kept: &mut Vec<String>,
) -> bool {
    let mut is_changed = false;
    for (key, value) in wanted {
        let Some(property) = object.get(key) else { continue };
        let Some(node) = property.value() else { continue };
        place.push(key.clone());
        match value {
            _ if key == OWN_KEY => {
                if value_of(&node).as_ref() == Some(value) {
                    property.remove();
                    is_changed = true;
                } else {
                    kept.push(place.join("."));
                }
            }
            Value::Object(inner) => {
                if let Some(own) = node.as_object()
                    && unmerge(&own, inner, place, kept)
                {
                    is_changed = true;
                    if own.properties().is_empty() && !has_comment(&own.children()) {
                        property.remove();
                    }
                }
            }
            Value::Array(elements) => {
                if let Some(own) = node.as_array()
                    && unmerge_list(&own, elements, place, kept)
                {
                    is_changed = true;
                    if own.elements().is_empty() && !has_comment(&own.children()) {
                        property.remove();
                    }
                }
            }
            _ => {}
        }
        place.pop();
    }
    is_changed
}

fn unmerge_list(
    own: &CstArray,
    wanted: &[Value],
    place: &[String],
    kept: &mut Vec<String>,
) -> bool {
    let mut is_changed = false;
    for element in wanted {
        let commands = commands(element);
        for node in own.elements() {
            let Some(found) = value_of(&node) else { continue };
            if found == *element {
                node.remove();
                is_changed = true;
            } else if commands_in(&found, &commands) {
                kept.push(place.join("."));
            }
        }
    }
    is_changed
}

/// The value of a node without its comments.
fn value_of(node: &impl Display) -> Option<Value> {
    jsonc_parser::parse_to_serde_value(&node.to_string(), &parse_options()).ok()
}

fn has_comment(children: &[CstNode]) -> bool {
    children.iter().any(CstNode::is_comment)
}

/// The aidd commands in an array entry.
fn commands(entry: &Value) -> Vec<&str> {
    match entry {
        Value::String(text) if text.starts_with(COMMAND_PREFIX) => vec![text],
        Value::Array(elements) => elements.iter().flat_map(commands).collect(),
        Value::Object(fields) => fields.values().flat_map(commands).collect(),
        _ => Vec::new(),
    }
}

/// Whether `entry` runs one of the `wanted` commands, possibly with other settings than the
/// template.
fn commands_in(entry: &Value, wanted: &[&str]) -> bool {
    commands(entry).iter().any(|command| wanted.contains(command))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(key, value)| (key.clone(), input(value))).collect(),
        ),
    }
}
