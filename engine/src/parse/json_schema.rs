//! Checks JSON against a JSON Schema, with messages for the person or agent who wrote the JSON.
//!
//! Supports the subset of draft 2020-12 that schemars generates: `type`, `enum`, `const`,
//! `properties`, `required`, `additionalProperties`, `items`, `anyOf`, `oneOf`, `$ref` to `$defs`,
//! and bounds of numbers, strings and arrays. If a schema does not set `additionalProperties`, only
//! the keys in `properties` are allowed.

use crate::text::nearest::{nearest, nearest_names};
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value};
use std::{borrow::Cow, collections::HashSet, ops::Range};

/// Maximum number of characters of a string that a message quotes.
const MAX_DISPLAYED_CHARS: usize = 40;
/// Maximum number of references and alternatives that are followed from one schema.
const MAX_BRANCHES: usize = 64;

/// A value to check; only a value of a document has a position.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A value of a document.
    Ast(&'a Ast<'a>),
    /// A value from memory.
    Value(&'a Value),
    /// An object from memory.
    Object(&'a Map<String, Value>),
}

/// The ways in which a value can violate its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No alternative accepts a value of this type, or this string.
    Mismatch,
    /// A number, a length or a count is out of bounds.
    Bounds,
    /// An object lacks a required key.
    MissingKey,
    /// An object has a key that the schema does not define.
    UnknownKey,
    /// An object has a duplicate key.
    DuplicateKey,
}

/// A violation of the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of violation.
    pub kind: FaultKind,
    /// The message in one sentence: the fault, then the expected value.
    pub message: String,
    /// The byte range in the document; empty for a value from memory.
    pub span: Range<usize>,
    /// The JSON that replaces the span, if the intended value is clear.
    pub replacement: Option<String>,
}

/// The first `limit` faults of `node` under `schema`, depth first. Messages call a key of the
/// outermost object `noun`, such as `argument`.
#[must_use]
pub fn faults(schema: &Map<String, Value>, node: Node<'_>, noun: &str, limit: usize) -> Vec<Fault> {
    let mut check = Check { root: schema, noun, limit, faults: Vec::new() };
    check.check_value(schema, node, "");
    check.faults
}

/// The schemas that `schema` resolves to: references are followed, alternatives separated.
#[must_use]
pub fn branches<'s>(
    root: &'s Map<String, Value>,
    schema: &'s Map<String, Value>,
) -> Vec<&'s Map<String, Value>> {
    let mut found = Vec::new();
    let mut rest = vec![schema];
    for _ in 0..MAX_BRANCHES {
        let Some(schema) = rest.pop() else { break };
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|path| path.strip_prefix("#/$defs/"));
        if let Some(name) = target {
            let definition = root.get("$defs").and_then(|all| all.get(name));
            rest.extend(definition.and_then(Value::as_object));
        } else if let Some(several) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            let several = several.as_array().into_iter().flatten();
            rest.extend(several.filter_map(Value::as_object).rev());
        } else {
            found.push(schema);
        }
    }
    found
}

/// The strings that a schema without alternatives allows in `enum` and `const`.
#[must_use]
pub fn listed(schema: &Map<String, Value>) -> Vec<&str> {
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    values.chain(schema.get("const")).filter_map(Value::as_str).collect()
}

struct Check<'a> {
    root: &'a Map<String, Value>,
    noun: &'a str,
    limit: usize,
    faults: Vec<Fault>,
}

impl<'a> Check<'a> {
    fn is_full(&self) -> bool {
        self.faults.len() >= self.limit
    }

    fn push(&mut self, kind: FaultKind, span: Range<usize>, message: String) {
        self.push_fix(kind, span, message, None);
    }

    fn push_fix(
        &mut self,
        kind: FaultKind,
        span: Range<usize>,
        message: String,
        replacement: Option<&str>,
    ) {
        if !self.is_full() {
            let replacement = replacement.map(|word| Value::from(word).to_string());
            self.faults.push(Fault { kind, message, span, replacement });
        }
    }

    fn check_value(&mut self, schema: &'a Map<String, Value>, node: Node<'_>, path: &str) {
        let branches = branches(self.root, schema);
        let accepting: Vec<_> = branches.iter().filter(|branch| accepts(branch, node)).collect();
        match accepting[..] {
            [] => self.report_mismatch(&branches, schema, node, path),
            [branch] => self.check_branch(branch, node, path),
            _ => self.faults.extend(self.fewest_faults(&accepting, node, path)),
        }
    }

    /// The faults under the alternative with the fewest faults.
    fn fewest_faults(
        &self,
        branches: &[&&'a Map<String, Value>],
        node: Node<'_>,
        path: &str,
    ) -> Vec<Fault> {
        let mut fewest: Option<Vec<Fault>> = None;
        for branch in branches {
            let limit = self.limit.saturating_sub(self.faults.len());
            let mut check = Check { faults: Vec::new(), limit, ..*self };
            check.check_branch(branch, node, path);
            if check.faults.is_empty() {
                return Vec::new();
            }
            if fewest.as_ref().is_none_or(|fewest| check.faults.len() < fewest.len()) {
                fewest = Some(check.faults);
            }
        }
        fewest.unwrap_or_default()
    }

    /// Checks the elements and entries of a value against a schema that accepts its type.
    fn check_branch(&mut self, schema: &'a Map<String, Value>, node: Node<'_>, path: &str) {
        self.check_bounds(schema, node, path);
        let items = schema.get("items").and_then(Value::as_object);
        if let (Some(items), Some(elements)) = (items, node.elements()) {
            for (index, element) in elements.into_iter().enumerate() {
                if self.is_full() {
                    return;
                }
                self.check_value(items, element, &format!("{path}[{index}]"));
            }
        }
        let Some(entries) = node.entries() else { return };
        let mut names = HashSet::new();
        for entry in entries.iter().rev() {
            if !names.insert(entry.name) {
                let message = format!("duplicate key `{}`; the last value wins", entry.name);
                self.push(FaultKind::DuplicateKey, entry.span.clone(), message);
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for entry in &entries {
            if self.is_full() {
                return;
            }
            let known = properties.and_then(|known| known.get(entry.name));
            match known.or_else(|| schema.get("additionalProperties")) {
                None if properties.is_none() => {}
                None | Some(Value::Bool(false)) => {
                    self.report_unknown_key(properties, entry, &names, path);
                }
                Some(Value::Object(schema)) => {
                    self.check_value(schema, entry.value, &join(path, entry.name));
                }
                Some(_) => {}
            }
        }
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = name.as_str().filter(|name| !names.contains(name)) else { continue };
            let description =
                properties.and_then(|known| known.get(name)?.get("description")?.as_str());
            let description = description
                .map(|description| format!(" ({})", description.trim_end_matches('.')))
                .unwrap_or_default();
            let message = format!("`{}` is missing{description}", join(path, name));
            self.push(FaultKind::MissingKey, node.span(), message);
        }
    }

    fn report_unknown_key(
        &mut self,
        known: Option<&Map<String, Value>>,
        entry: &Entry<'_>,
        present: &HashSet<&str>,
        path: &str,
    ) {
        let names: Vec<&str> = keys(known).into_iter().filter(|it| *it != "$schema").collect();
        let absent = || names.iter().copied().filter(|name| !present.contains(name));
        let near = nearest(entry.name, absent());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "expected none".to_owned(),
            None if self.noun == "argument" => nearest_names(entry.name, absent()),
            None => format!("expected one of {}", names.join(", ")),
        };
        let (noun, location) = match path {
            "" => (self.noun, String::new()),
            path => ("key", format!(" in `{path}`")),
        };
        let message = format!("unknown {noun} `{}`{location}; {hint}", entry.name);
        self.push_fix(FaultKind::UnknownKey, entry.span.clone(), message, near);
    }

    /// Reports a value that none of the `branches` accepts.
    fn report_mismatch(
        &mut self,
        branches: &[&Map<String, Value>],
        schema: &Map<String, Value>,
        node: Node<'_>,
        path: &str,
    ) {
        let words: Vec<&str> = branches.iter().flat_map(|branch| listed(branch)).collect();
        let suggestion = node.suggest_word(&words);
        let hint = match suggestion {
            Some(word) => format!("; did you mean `{word}`?"),
            None => node.remedy(branches).to_owned(),
        };
        let mut expected: Vec<String> =
            branches.iter().flat_map(|branch| describe(branch)).collect();
        // `null` is not mentioned as one of several expected types.
        if expected.len() > 1 {
            expected.retain(|expected| expected != "null");
        }
        let location = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
        let description = schema.get("description").and_then(Value::as_str);
        let has_objects = branches.iter().any(|branch| contains_objects(branch));
        let description = description.filter(|_| has_objects && !path.is_empty());
        let description = description
            .map(|description| format!(" ({})", description.trim_end_matches('.')))
            .unwrap_or_default();
        let message = format!(
            "{location}expected {}{description}, found {}{hint}",
            join_alternatives(expected),
            node.describe()
        );
        self.push_fix(FaultKind::Mismatch, node.span(), message, suggestion);
    }

    fn check_bounds(&mut self, schema: &Map<String, Value>, node: Node<'_>, path: &str) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let (size, verb, unit, [min_key, max_key]) = if let Some(number) = node.number() {
            (number, "be", "", ["minimum", "maximum"])
        } else if let Some(text) = node.text() {
            (count(text.chars().count()), "have", " characters", ["minLength", "maxLength"])
        } else if let Some(elements) = node.elements() {
            (count(elements.len()), "have", " items", ["minItems", "maxItems"])
        } else {
            return;
        };
        let limit = match (bound(min_key), bound(max_key)) {
            (Some(min), _) if size < min => format!("at least {min}"),
            (_, Some(max)) if size > max => format!("at most {max}"),
            _ => return,
        };
        let message = format!("`{path}` must {verb} {limit}{unit}, found {size}");
        self.push(FaultKind::Bounds, node.span(), message);
    }
}

/// A key of an object with its value, and the bytes of the key.
struct Entry<'a> {
    name: &'a str,
    value: Node<'a>,
    span: Range<usize>,
}

impl<'a> Node<'a> {
    fn span(self) -> Range<usize> {
        match self {
            Self::Ast(ast) => ast.range().start..ast.range().end,
            Self::Value(_) | Self::Object(_) => 0..0,
        }
    }

    fn elements(self) -> Option<Vec<Self>> {
        match self {
            Self::Ast(Ast::Array(array)) => Some(array.elements.iter().map(Self::Ast).collect()),
            Self::Value(Value::Array(list)) => Some(list.iter().map(Self::Value).collect()),
            _ => None,
        }
    }

    fn entries(self) -> Option<Vec<Entry<'a>>> {
        match self {
            Self::Ast(Ast::Object(object)) => {
                let entries = object.properties.iter().map(|property| {
                    let range = property.name.range();
                    let span = range.start..range.end;
                    Entry { name: property.name.as_str(), value: Self::Ast(&property.value), span }
                });
                Some(entries.collect())
            }
            Self::Value(Value::Object(map)) | Self::Object(map) => {
                let entries = map.iter();
                let entries = entries.map(|(name, value)| (name.as_str(), Self::Value(value)));
                Some(entries.map(|(name, value)| Entry { name, value, span: 0..0 }).collect())
            }
            _ => None,
        }
    }

    /// The value, if it has no elements or keys.
    fn scalar(self) -> Option<Cow<'a, Value>> {
        match self {
            Self::Ast(Ast::StringLit(text)) => Some(Cow::Owned(Value::from(&*text.value))),
            Self::Ast(Ast::BooleanLit(truth)) => Some(Cow::Owned(Value::from(truth.value))),
            // serde_json parses every JSON number in the range of `f64`.
            Self::Ast(Ast::NumberLit(number)) => {
                serde_json::from_str(number.value).ok().map(Cow::Owned)
            }
            Self::Ast(Ast::NullKeyword(_)) => Some(Cow::Owned(Value::Null)),
            Self::Value(value) if !value.is_object() && !value.is_array() => {
                Some(Cow::Borrowed(value))
            }
            _ => None,
        }
    }

    fn text(self) -> Option<&'a str> {
        match self {
            Self::Ast(Ast::StringLit(text)) => Some(&text.value),
            Self::Value(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    fn number(self) -> Option<f64> {
        self.scalar().and_then(|value| value.as_f64())
    }

    /// Whether the value has the JSON Schema type `name`.
    fn has_type(self, name: &str) -> bool {
        match name {
            "object" => self.entries().is_some(),
            "array" => self.elements().is_some(),
            "string" => self.text().is_some(),
            "integer" => self.scalar().is_some_and(|value| value.is_i64() || value.is_u64()),
            "number" => self.number().is_some(),
            "boolean" => self.scalar().is_some_and(|value| value.is_boolean()),
            "null" => self.scalar().is_some_and(|value| value.is_null()),
            _ => true,
        }
    }

    /// The description of the value in a message.
    fn describe(self) -> String {
        let text = self.text().filter(|text| text.chars().count() > MAX_DISPLAYED_CHARS);
        match (text, self.scalar()) {
            (Some(text), _) => {
                let head: String = text.chars().take(MAX_DISPLAYED_CHARS).collect();
                format!("the string {}", Value::from(format!("{head}…")))
            }
            (None, Some(value)) if value.is_string() => format!("the string {value}"),
            (None, Some(value)) => value.to_string(),
            (None, None) if self.elements().is_some() => "a list".to_owned(),
            (None, None) => "an object".to_owned(),
        }
    }

    /// The word that the author probably intended. ESLint uses numbers for levels; others use
    /// `false`.
    fn suggest_word<'w>(self, words: &[&'w str]) -> Option<&'w str> {
        if let Some(text) = self.text() {
            return nearest(text, words.iter().copied());
        }
        let is_level = words.contains(&"off");
        let level = match &*self.scalar()? {
            Value::Bool(false) => 0,
            Value::Number(number) => usize::try_from(number.as_u64()?).ok()?,
            _ => return None,
        };
        let word = ["off", "warning", "error"].get(level).filter(|_| is_level)?;
        words.iter().copied().find(|known| known == word)
    }

    /// The remedy for a value whose only fault is superfluous or missing quotes or brackets.
    fn remedy(self, branches: &[&Map<String, Value>]) -> &'static str {
        let accepts_type = |name: &str| branches.iter().any(|branch| types(branch).contains(&name));
        let is_accepted =
            |value: &Value| branches.iter().any(|branch| accepts(branch, Node::Value(value)));
        if let Some(text) = self.text() {
            return match serde_json::from_str::<Value>(text) {
                Ok(inner) if is_accepted(&inner) => "; remove the quotes",
                _ if accepts_type("array") => "; put it in brackets",
                _ => "",
            };
        }
        if self.number().is_some() && accepts_type("string") { "; put it in quotes" } else { "" }
    }
}

/// The types that a schema lists.
fn types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        name => name.and_then(Value::as_str).into_iter().collect(),
    }
}

/// Whether a schema accepts the type, or the scalar value, of a node; contents are not checked.
fn accepts(schema: &Map<String, Value>, node: Node<'_>) -> bool {
    let types = types(schema);
    let is_type = types.is_empty() || types.iter().any(|name| node.has_type(name));
    let listed = schema.get("enum").and_then(Value::as_array);
    let equals = |value: &Value| node.scalar().is_some_and(|scalar| *scalar == *value);
    is_type
        && schema.get("const").is_none_or(equals)
        && listed.is_none_or(|values| values.iter().any(equals))
}

fn contains_objects(schema: &Map<String, Value>) -> bool {
    let is_object = |schema: &Map<String, Value>| types(schema).contains(&"object");
    let items = schema.get("items").and_then(Value::as_object);
    is_object(schema) || items.is_some_and(is_object)
}

/// Describes the values that a schema without alternatives accepts, with one phrase for each type
/// or listed string.
fn describe(schema: &Map<String, Value>) -> Vec<String> {
    let words = listed(schema);
    if !words.is_empty() {
        return words.into_iter().map(|word| format!("`{word}`")).collect();
    }
    let example = schema.get("examples").and_then(|examples| examples.get(0));
    let example = example.map(|example| format!(", such as {example}")).unwrap_or_default();
    let items = schema.get("items").and_then(Value::as_object).map(types).unwrap_or_default();
    let keys = keys(schema.get("properties").and_then(Value::as_object));
    let keys: Vec<String> = keys.into_iter().map(|key| format!("`{key}`")).collect();
    let phrase = |name: &str| match name {
        "string" => format!("a string{example}"),
        "array" => match items[..] {
            ["string"] => "a list of strings".to_owned(),
            ["integer"] => "a list of integers".to_owned(),
            ["object"] => "a list of objects".to_owned(),
            _ => "a list".to_owned(),
        },
        "boolean" => "true or false".to_owned(),
        "integer" => format!("an integer{example}"),
        "object" if (1..=3).contains(&keys.len()) => format!("an object with {}", keys.join(", ")),
        "object" => "an object".to_owned(),
        "null" => name.to_owned(),
        other => format!("a {other}"),
    };
    types(schema).into_iter().map(phrase).collect()
}

/// The keys of an object, sorted, because serde_json preserves their order only optionally.
fn keys(object: Option<&Map<String, Value>>) -> Vec<&str> {
    let mut keys: Vec<&str> = object.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// `a, b or c`.
fn join_alternatives(mut phrases: Vec<String>) -> String {
    let last = phrases.pop().unwrap_or_default();
    if phrases.is_empty() { last } else { format!("{} or {last}", phrases.join(", ")) }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[expect(clippy::cast_precision_loss, reason = "no value in memory has 2^53 elements")]
fn count(length: usize) -> f64 {
    length as f64
}

#[cfg(test)]
mod tests;
