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
/// Fails when `text` is malformed, or when it has another type where the template has an object or
/// an array.
pub(super) fn add(text: &str, template: &str) -> Result<Edited, Malformed> {
    let (root, template) = (parse(text)?, parse_template(template)?);
    let mut differing = Vec::new();
    let object = match (root.object_value(), root.value()) {
        (Some(object), _) => object,
        (None, None) => root.object_value_or_set(),
        (None, Some(_)) => return Err(Malformed::at_start("expected an object")),
    };
    merge(&object, &template, &mut Vec::new(), &mut differing)?;
    Ok(Edited { text: Some(root.to_string()), differing })
}

/// Removes the entries of `template` from `text`. The result has no text if the file contains
/// nothing else.
///
/// # Errors
/// Fails when `text` is malformed.
pub(super) fn remove(text: &str, template: &str) -> Result<Edited, Malformed> {
    let (root, template) = (parse(text)?, parse_template(template)?);
    let mut differing = Vec::new();
    let Some(object) = root.object_value() else {
        return Ok(Edited { text: Some(text.to_owned()), differing });
    };
    if !unmerge(&object, &template, &mut Vec::new(), &mut differing) {
        return Ok(Edited { text: Some(text.to_owned()), differing });
    }
    let remaining = value_of(&object);
    let has_only_defaults =
        remaining.as_ref().and_then(Value::as_object).is_some_and(|remaining| {
            remaining
                .iter()
                .all(|(key, value)| !value.is_object() && template.get(key) == Some(value))
        });
    let has_comments = has_comment(&object.children()) || has_comment(&root.children());
    Ok(Edited { text: (!has_only_defaults || has_comments).then(|| root.to_string()), differing })
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
    entries: &Map<String, Value>,
    path: &mut Vec<String>,
    differing: &mut Vec<String>,
) -> Result<(), Malformed> {
    for (key, value) in entries {
        path.push(key.clone());
        match object.get(key) {
            None => {
                object.append(key, to_input_value(value));
            }
            Some(property) => {
                let node = property.value();
                let existing_value = node.as_ref().and_then(value_of);
                match value {
                    _ if existing_value.as_ref() == Some(value) => {}
                    Value::Object(inner) if key != OWN_KEY => {
                        let existing = node.and_then(|node| node.as_object());
                        let existing =
                            existing.ok_or_else(|| unexpected_type(path, "an object"))?;
                        merge(&existing, inner, path, differing)?;
                    }
                    Value::Array(elements) if key != OWN_KEY => {
                        let existing = node.and_then(|node| node.as_array());
                        let existing = existing.ok_or_else(|| unexpected_type(path, "an array"))?;
                        merge_list(&existing, elements, path, differing);
                    }
                    _ => differing.push(path.join(".")),
                }
            }
        }
        path.pop();
    }
    Ok(())
}

fn unexpected_type(path: &[String], expected: &str) -> Malformed {
    Malformed::at_start(format!("expected {expected} at `{}`", path.join(".")))
}

fn merge_list(
    existing: &CstArray,
    elements: &[Value],
    path: &[String],
    differing: &mut Vec<String>,
) {
    for element in elements {
        let values: Vec<Value> = existing.elements().iter().filter_map(value_of).collect();
        if values.contains(element) {
            continue;
        }
        let commands = commands(element);
        if values.iter().any(|value| has_command(value, &commands)) {
            differing.push(path.join("."));
        } else {
            existing.ensure_multiline();
            existing.append(to_input_value(element));
        }
    }
}

/// Removes `entries` from `object`. Returns whether an entry was removed.
fn unmerge(
    object: &CstObject,
    entries: &Map<String, Value>,
    path: &mut Vec<String>,
    differing: &mut Vec<String>,
) -> bool {
    let mut is_changed = false;
    for (key, value) in entries {
        let Some(property) = object.get(key) else { continue };
        let Some(node) = property.value() else { continue };
        path.push(key.clone());
        match value {
            _ if key == OWN_KEY => {
                if value_of(&node).as_ref() == Some(value) {
                    property.remove();
                    is_changed = true;
                } else {
                    differing.push(path.join("."));
                }
            }
            Value::Object(inner) => {
                if let Some(existing) = node.as_object()
                    && unmerge(&existing, inner, path, differing)
                {
                    is_changed = true;
                    if existing.properties().is_empty() && !has_comment(&existing.children()) {
                        property.remove();
                    }
                }
            }
            Value::Array(elements) => {
                if let Some(existing) = node.as_array()
                    && unmerge_list(&existing, elements, path, differing)
                {
                    is_changed = true;
                    if existing.elements().is_empty() && !has_comment(&existing.children()) {
                        property.remove();
                    }
                }
            }
            _ => {}
        }
        path.pop();
    }
    is_changed
}

fn unmerge_list(
    existing: &CstArray,
    elements: &[Value],
    path: &[String],
    differing: &mut Vec<String>,
) -> bool {
    let mut is_changed = false;
    for element in elements {
        let commands = commands(element);
        for node in existing.elements() {
            let Some(value) = value_of(&node) else { continue };
            if value == *element {
                node.remove();
                is_changed = true;
            } else if has_command(&value, &commands) {
                differing.push(path.join("."));
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

/// Whether `entry` runs one of `expected_commands`, possibly with other settings than the
/// template.
fn has_command(entry: &Value, expected_commands: &[&str]) -> bool {
    commands(entry).iter().any(|command| expected_commands.contains(command))
}

fn to_input_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => {
            CstInputValue::Array(elements.iter().map(to_input_value).collect())
        }
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(key, value)| (key.clone(), to_input_value(value))).collect(),
        ),
    }
}
