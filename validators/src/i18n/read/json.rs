//! Reads JSON and application resource bundles.

use super::after_mark;
use crate::i18n::model::{Catalogue, Entry, SYNTAX};
use aidd_engine::text::source::Span;
use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::collections::HashMap;

/// JSON without the extensions of JSONC, which the libraries do not read.
pub(super) const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn span_of(range: Range, offset: usize) -> Span {
    Span::new(range.start + offset, range.end + offset)
}

/// The span of a string without its quotes.
pub(super) fn inner(range: Range, offset: usize) -> Span {
    let end = range.end.saturating_sub(1).max(range.start + 1);
    Span::new(range.start + 1 + offset, end + offset)
}

/// Parses strict JSON; a syntax error becomes a problem of the catalogue.
pub(super) fn parse<'t>(
    text: &'t str,
    offset: usize,
    catalogue: &mut Catalogue,
) -> Option<Value<'t>> {
    match parse_to_ast(&text[offset..], &CollectOptions::default(), &STRICT) {
        Ok(parsed) => {
            catalogue.complete = true;
            parsed.value
        }
        Err(error) => {
            let span = span_of(error.range(), offset);
            catalogue.problem(SYNTAX, span, error.kind().to_string());
            None
        }
    }
}

/// Reads texts of any depth; `None` if the file contains other data than texts.
pub(super) fn read(text: &str) -> Option<Catalogue> {
    let offset = after_mark(text);
    let mut catalogue = Catalogue::default();
    let Some(root) = parse(text, offset, &mut catalogue) else {
        return (!catalogue.complete).then_some(catalogue);
    };
    let Value::Object(root) = &root else { return None };
    let is_described = has_descriptions(&root.properties);
    let mut others = 0_usize;
    let mut pending: Vec<(String, Span, &Value<'_>)> = Vec::new();
    push(&root.properties, "", offset, &mut pending, &mut catalogue);
    while let Some((key, key_span, value)) = pending.pop() {
        match value {
            // The description is a note for translators.
            Value::Object(object) if is_described => {
                report_duplicates(&object.properties, offset, &mut catalogue);
                let shown = object.properties.iter().filter(|it| it.name.as_str() != DESCRIPTION);
                pending.extend(shown.rev().map(|it| {
                    let key = format!("{key}.{}", it.name.as_str());
                    (key, inner(it.name.range(), offset), &it.value)
                }));
            }
            Value::Object(object) => {
                push(&object.properties, &key, offset, &mut pending, &mut catalogue);
            }
            Value::Array(array) => {
                let item = |(index, value)| (format!("{key}.{index}"), key_span, value);
                pending.extend(array.elements.iter().enumerate().map(item).rev());
            }
            Value::StringLit(literal) => {
                let value = literal.value.clone().into_owned();
                let span = inner(literal.range, offset);
                catalogue.entries.push(Entry::single(key, key_span, value, span));
            }
            _ => others += 1,
        }
    }
    (others * 10 <= catalogue.entries.len()).then_some(catalogue)
}

/// The property of a text that describes it to translators, in files of Docusaurus.
const DESCRIPTION: &str = "description";

/// Whether each text of the file is an object with a message, and some have a description.
fn has_descriptions(properties: &[ObjectProp<'_>]) -> bool {
    let names = |property: &ObjectProp<'_>| match &property.value {
        Value::Object(object) => {
            let has = |name: &str| object.properties.iter().any(|it| it.name.as_str() == name);
            (has("message"), has(DESCRIPTION) && object.properties.len() == 2)
        }
        _ => (false, false),
    };
    let all: Vec<_> = properties.iter().map(names).collect();
    all.iter().all(|(has_message, _)| *has_message) && all.iter().any(|(_, is_pair)| *is_pair)
}

/// Adds the properties of an object, last first, and reports keys that occur twice.
fn push<'v>(
    properties: &'v [ObjectProp<'v>],
    parent: &str,
    offset: usize,
    pending: &mut Vec<(String, Span, &'v Value<'v>)>,
    catalogue: &mut Catalogue,
) {
    report_duplicates(properties, offset, catalogue);
    pending.extend(properties.iter().rev().map(|property| {
        let name = property.name.as_str();
        let key = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        (key, inner(property.name.range(), offset), &property.value)
    }));
}

/// Reports keys that an object has twice.
pub(super) fn report_duplicates(
    properties: &[ObjectProp<'_>],
    offset: usize,
    catalogue: &mut Catalogue,
) {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(properties.len());
    for (at, property) in properties.iter().enumerate() {
        let name = property.name.as_str();
        // The attributes of a text in a resource bundle are duplicated with the text.
        let Some(index) = seen.insert(name, at).filter(|_| !name.starts_with('@')) else {
            continue;
        };
        let earlier = &properties[index];
        let is_same = match (&earlier.value, &property.value) {
            (Value::StringLit(one), Value::StringLit(other)) => one.value == other.value,
            _ => false,
        };
        let spans = (inner(property.name.range(), offset), inner(earlier.name.range(), offset));
        catalogue.report_duplicate(name, spans, is_same, "the last one is used");
        // The earlier entry ends where the next property starts.
        let next = properties.get(index + 1).filter(|_| is_same);
        if let (Some(next), Some(problem)) = (next, catalogue.problems.last_mut()) {
            let start = earlier.range.start + offset;
            let span = Span::new(start, next.range.start + offset);
            problem.fix = Some(("Delete the first definition", span, String::new()));
        }
    }
}

/// Reads an application resource bundle.
pub(super) fn read_arb(text: &str) -> Catalogue {
    let offset = after_mark(text);
    let mut catalogue = Catalogue::default();
    let root = parse(text, offset, &mut catalogue);
    let Some(Value::Object(root)) = &root else { return catalogue };
    report_duplicates(&root.properties, offset, &mut catalogue);
    for property in &root.properties {
        let name = property.name.as_str();
        // Attributes of the file and of texts.
        if name.starts_with('@') {
            continue;
        }
        if let Value::StringLit(literal) = &property.value {
            let key_span = inner(property.name.range(), offset);
            let value = literal.value.clone().into_owned();
            let span = inner(literal.range, offset);
            catalogue.entries.push(Entry::single(name.to_owned(), key_span, value, span));
        }
    }
    catalogue
}
