//! Checks JSON against a JSON Schema, with messages for the person or agent who wrote the JSON.
//!
//! The subset of draft 2020-12 that schemars generates: `type`, `enum`, `const`, `properties`,
//! `required`, `additionalProperties`, `items`, `anyOf`, `oneOf`, `$ref` to `$defs`, and bounds of
//! numbers, strings and arrays. Other keywords are ignored. An object with `properties` takes no other
//! key unless `additionalProperties` allows it.

use crate::text::nearest::nearest;
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// Characters of a string that a message repeats; a longer one is cut.
const MAX_SHOWN: usize = 40;
/// References and alternatives followed from one schema: more would be a cycle.
const MAX_BRANCHES: usize = 64;

/// What is checked: a value of a document, with its place, or a value without one.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A value of a document.
    Ast(&'a Ast<'a>),
    /// A value from memory.
    Value(&'a Value),
    /// An object from memory.
    Object(&'a Map<String, Value>),
}

/// How a value breaks its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No alternative takes a value of this type, or this string.
    Mismatch,
    /// A number, a length or a count is out of bounds.
    Bounds,
    /// An object lacks a required key.
    MissingKey,
    /// An object has a key that the schema does not define.
    UnknownKey,
    /// An object has a key twice.
    DuplicateKey,
}

/// One place where a value breaks its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How it breaks the schema.
    pub kind: FaultKind,
    /// One sentence: what is wrong, then what is expected.
    pub message: String,
    /// Bytes of the document; empty for a value from memory.
    pub span: Range<usize>,
    /// JSON to write in place of the span, when it is clear what was meant.
    pub replacement: Option<String>,
}

/// The first `limit` faults of `node` under `schema`, depth first. `noun` is what messages call a key
/// of the outermost object: `key`, `argument`.
#[must_use]
pub fn faults(schema: &Map<String, Value>, node: Node<'_>, noun: &str, limit: usize) -> Vec<Fault> {
    let mut check = Check { root: schema, noun, limit, faults: Vec::new() };
    check.value(schema, node, "");
    check.faults
}

/// The schemas that `schema` resolves to: through references, and each alternative.
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

/// The strings that a schema without alternatives lists.
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

    fn value(&mut self, schema: &'a Map<String, Value>, node: Node<'_>, path: &str) {
        let branches = branches(self.root, schema);
        let fitting: Vec<_> = branches.iter().filter(|branch| fits(branch, node)).collect();
        match fitting[..] {
            [] => self.mismatch(&branches, schema, node, path),
            [branch] => self.branch(branch, node, path),
            _ => self.faults.extend(self.fewest(&fitting, node, path)),
        }
    }

    /// The faults under the alternative that has the fewest.
    fn fewest(
        &self,
        branches: &[&&'a Map<String, Value>],
        node: Node<'_>,
        path: &str,
    ) -> Vec<Fault> {
        let mut fewest: Option<Vec<Fault>> = None;
        for branch in branches {
            let limit = self.limit.saturating_sub(self.faults.len());
            let mut check = Check { faults: Vec::new(), limit, ..*self };
            check.branch(branch, node, path);
            if check.faults.is_empty() {
                return Vec::new();
            }
            if fewest.as_ref().is_none_or(|fewest| check.faults.len() < fewest.len()) {
                fewest = Some(check.faults);
            }
        }
        fewest.unwrap_or_default()
    }

    /// Checks what a value holds, under a schema whose type it has.
    fn branch(&mut self, schema: &'a Map<String, Value>, node: Node<'_>, path: &str) {
        self.bounds(schema, node, path);
        let items = schema.get("items").and_then(Value::as_object);
        if let (Some(items), Some(elements)) = (items, node.elements()) {
            for (index, element) in elements.into_iter().enumerate() {
                if self.is_full() {
                    return;
                }
                self.value(items, element, &format!("{path}[{index}]"));
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
                    self.unknown_key(properties, entry, &names, path);
                }
                Some(Value::Object(schema)) => {
                    self.value(schema, entry.value, &join(path, entry.name));
                }
                Some(_) => {}
            }
        }
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = name.as_str().filter(|name| !names.contains(name)) else { continue };
            let about = properties.and_then(|known| known.get(name)?.get("description")?.as_str());
            let about = about.map(|about| format!(": {about}")).unwrap_or_default();
            let message = format!("`{}` is missing{about}", join(path, name));
            self.push(FaultKind::MissingKey, node.span(), message);
        }
    }

    fn unknown_key(
        &mut self,
        known: Option<&Map<String, Value>>,
        entry: &Entry<'_>,
        present: &HashSet<&str>,
        path: &str,
    ) {
        let mut names = keys(known);
        names.retain(|name| *name != "$schema");
        let absent = names.iter().copied().filter(|name| !present.contains(name));
        let near = nearest(entry.name, absent);
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "expected none".to_owned(),
            None => format!("expected one of {}", names.join(", ")),
        };
        let (noun, place) = match path {
            "" => (self.noun, String::new()),
            path => ("key", format!(" in `{path}`")),
        };
        let message = format!("unknown {noun} `{}`{place}; {hint}", entry.name);
        self.push_fix(FaultKind::UnknownKey, entry.span.clone(), message, near);
    }

    /// Reports a value that none of `branches` takes.
    fn mismatch(
        &mut self,
        branches: &[&Map<String, Value>],
        schema: &Map<String, Value>,
        node: Node<'_>,
        path: &str,
    ) {
        let words: Vec<&str> = branches.iter().flat_map(|branch| listed(branch)).collect();
        let instead = node.word_meant(&words);
        let hint = match instead {
            Some(word) => format!("; did you mean `{word}`?"),
            None => node.remedy(branches).to_owned(),
        };
        let mut expected: Vec<String> =
            branches.iter().flat_map(|branch| describe(branch)).collect();
        // That a value may be null only helps who wrote null.
        if expected.len() > 1 {
            expected.retain(|expected| expected != "null");
        }
        let place = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
        let about = schema.get("description").and_then(Value::as_str);
        let holds_objects = branches.iter().any(|branch| holds_objects(branch));
        let about = about.filter(|_| holds_objects && !path.is_empty());
        let about =
            about.map(|about| format!(" ({})", about.trim_end_matches('.'))).unwrap_or_default();
        let message =
            format!("{place}expected {}{about}, found {}{hint}", either(expected), node.found());
        self.push_fix(FaultKind::Mismatch, node.span(), message, instead);
    }

    fn bounds(&mut self, schema: &Map<String, Value>, node: Node<'_>, path: &str) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let (size, verb, unit, [least, most]) = if let Some(number) = node.number() {
            (number, "be", "", ["minimum", "maximum"])
        } else if let Some(text) = node.text() {
            (count(text.chars().count()), "have", " characters", ["minLength", "maxLength"])
        } else if let Some(elements) = node.elements() {
            (count(elements.len()), "have", " items", ["minItems", "maxItems"])
        } else {
            return;
        };
        let limit = match (bound(least), bound(most)) {
            (Some(least), _) if size < least => format!("at least {least}"),
            (_, Some(most)) if size > most => format!("at most {most}"),
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

    /// A value without elements or keys.
    fn scalar(self) -> Option<Cow<'a, Value>> {
        match self {
            Self::Ast(Ast::StringLit(text)) => Some(Cow::Owned(Value::from(&*text.value))),
            Self::Ast(Ast::BooleanLit(truth)) => Some(Cow::Owned(Value::from(truth.value))),
            // Rust reads every number that JSON has; a float beyond its range is none.
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

    /// Whether the value has the type of JSON Schema that `name` names.
    fn is(self, name: &str) -> bool {
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

    /// What a message says was found.
    fn found(self) -> String {
        let text = self.text().filter(|text| text.chars().count() > MAX_SHOWN);
        match (text, self.scalar()) {
            (Some(text), _) => {
                let head: String = text.chars().take(MAX_SHOWN).collect();
                format!("the string {}", Value::from(format!("{head}…")))
            }
            (None, Some(value)) if value.is_string() => format!("the string {value}"),
            (None, Some(value)) => value.to_string(),
            (None, None) if self.elements().is_some() => "a list".to_owned(),
            (None, None) => "an object".to_owned(),
        }
    }

    /// The word that was probably meant. ESLint numbers its levels, and others say `false` for off.
    fn word_meant<'w>(self, words: &[&'w str]) -> Option<&'w str> {
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

    /// How to write a value that is right but for its quotes or brackets.
    fn remedy(self, branches: &[&Map<String, Value>]) -> &'static str {
        let takes = |name: &str| branches.iter().any(|branch| types(branch).contains(&name));
        let fits_one =
            |value: &Value| branches.iter().any(|branch| fits(branch, Node::Value(value)));
        if let Some(text) = self.text() {
            return match serde_json::from_str::<Value>(text) {
                Ok(inner) if fits_one(&inner) => "; remove the quotes",
                _ if takes("array") => "; put it in brackets",
                _ => "",
            };
        }
        if self.number().is_some() && takes("string") { "; put it in quotes" } else { "" }
    }
}

/// The types that a schema names.
fn types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        one => one.and_then(Value::as_str).into_iter().collect(),
    }
}

/// Whether a schema takes a value of this type, or this scalar; what it holds is not looked at.
fn fits(schema: &Map<String, Value>, node: Node<'_>) -> bool {
    let types = types(schema);
    let is_type = types.is_empty() || types.iter().any(|name| node.is(name));
    let is = |value: &Value| node.scalar().is_some_and(|scalar| *scalar == *value);
    is_type
        && schema.get("const").is_none_or(is)
        && schema.get("enum").and_then(Value::as_array).is_none_or(|all| all.iter().any(is))
}

fn holds_objects(schema: &Map<String, Value>) -> bool {
    let is_object = |schema: &Map<String, Value>| types(schema).contains(&"object");
    let items = schema.get("items").and_then(Value::as_object);
    is_object(schema) || items.is_some_and(is_object)
}

/// What a schema without alternatives takes, one phrase for each type or listed string.
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

/// The keys of an object, sorted: whether serde_json keeps their order is a matter of its features.
fn keys(object: Option<&Map<String, Value>>) -> Vec<&str> {
    let mut keys: Vec<&str> = object.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// `a, b or c`.
fn either(mut all: Vec<String>) -> String {
    let last = all.pop().unwrap_or_default();
    if all.is_empty() { last } else { format!("{} or {last}", all.join(", ")) }
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
