//! Checks examples and default values against their schemas. The keywords `format` and `pattern`,
//! and all unsupported keywords, accept every value.

mod requests;

use super::document::{Document, is_template};
use super::fixes::conversion;
use super::schemas::{has_type, is_ambiguous, is_nullable, types};
use super::specification::Version;
use super::structure::{describe, list_of};
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use requests::{is_equal_in_request, is_text_in_request};
use std::collections::HashSet;

/// Maximum nesting of schemas and references for one example.
const MAX_DEPTH: usize = 64;
/// Maximum number of comparisons for one example: the first number for each of its values, plus the
/// second number for the schema.
const MAX_STEPS: (usize, usize) = (50, 2000);
/// Maximum total size of the checked examples, as a multiple of the number of values in the
/// document. Several objects can share an example, so the total can exceed the number of values.
const MAX_TOTAL_FACTOR: usize = 20;
/// Maximum number of schemas of an `allOf` that an example is checked against.
const MAX_ALL_OF: usize = 1000;

pub(super) fn invalid_example(document: &Document<'_>, report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    let mut remaining = MAX_TOTAL_FACTOR * document.values.all.len();
    for (schema, value, what) in examples(document) {
        if !seen.insert((schema, value)) {
            continue;
        }
        let size = size(document, value);
        if size > remaining {
            return;
        }
        remaining -= size;
        if is_opaque(document, value) || is_text_in_request(document, schema, value) {
            continue;
        }
        let mut check = Check { document, steps: MAX_STEPS.0 * size + MAX_STEPS.1 };
        // A default of `null` is often written in an alternative that does not allow `null`, next
        // to an alternative that does.
        if *document.datum(value) == Datum::Null
            && let Some(whole) = schema_of_alternative(document, schema)
            && check.check(whole, value, 0).is_ok()
        {
            continue;
        }
        if let Err(mismatch) = check.check(schema, value, 0) {
            let Mismatch { at, message } = mismatch;
            let path = path(document, value, at);
            let place = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
            let message = format!("the {what} does not match its schema{place}: {message}");
            let finding = report.at(document.span(at), message);
            finding.help("Correct the value or the schema");
            if let Some((span, text)) = conversion(document, schema, at).filter(|_| at == value) {
                finding.fix_unsafe(format!("Write `{text}`"), vec![Edit::replace(span, text)]);
            }
        }
    }
}

/// The schema whose `anyOf` or `oneOf` contains `schema`.
fn schema_of_alternative(document: &Document<'_>, schema: usize) -> Option<usize> {
    let list = document.parent(schema)?;
    matches!(document.key(list), "anyOf" | "oneOf").then(|| document.parent(list))?
}

/// The examples and default values: the schema, the value, and the word for it in messages
/// (`example` or `default`).
fn examples(document: &Document<'_>) -> Vec<(usize, usize, &'static str)> {
    let mut found = Vec::new();
    for schema in super::schemas::schema_like(document) {
        found.extend(document.get(schema, "default").map(|value| (schema, value, "default")));
        found.extend(document.get(schema, "example").map(|value| (schema, value, "example")));
        if document.version >= Version::V3_1
            && let Some(list) = document.get(schema, "examples")
            && *document.datum(list) == Datum::List
        {
            found.extend(document.children(list).iter().map(|&value| (schema, value, "example")));
        }
    }
    if document.version == Version::V2 {
        for response in document.objects("response") {
            let (Some(schema), Some(list)) =
                (document.get(response, "schema"), document.get(response, "examples"))
            else {
                continue;
            };
            let values = document.children(list).iter();
            let values = values.filter(|&&value| is_json(document.key(value)));
            found.extend(values.map(|&value| (schema, value, "example")));
        }
        return found;
    }
    for (name, owner) in ["parameter", "header", "media-type"]
        .into_iter()
        .flat_map(|name| document.objects(name).map(move |owner| (name, owner)))
    {
        let Some(schema) = document.get(owner, "schema") else { continue };
        if name == "media-type" && !is_json(document.key(owner)) {
            continue;
        }
        let example = document.get(owner, "example");
        let example = example
            .filter(|&value| name == "media-type" || !is_equal_in_request(document, schema, value));
        found.extend(example.map(|value| (schema, value, "example")));
        let Some(map) = document.get(owner, "examples") else { continue };
        if !document.is_map(map) || document.targets.contains_key(&map) {
            continue;
        }
        for &entry in document.children(map) {
            let Some(example) = document.resolve(entry).filter(|&at| document.is_map(at)) else {
                continue;
            };
            let value =
                document.get(example, "value").or_else(|| document.get(example, "dataValue"));
            found.extend(value.map(|value| (schema, value, "example")));
        }
    }
    found
}

/// Whether a media type is JSON. An example of another type can be a string that contains the
/// serialised value.
fn is_json(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    name.ends_with("/json") || name.ends_with("+json")
}

/// Whether an example is not checked because it is empty or contains a placeholder, a reference, or
/// JSON in a string.
fn is_opaque(document: &Document<'_>, value: usize) -> bool {
    if document.values.all[value].span.is_empty() {
        return true;
    }
    if let Some(text) = document.text(value) {
        return is_template(text) || text.trim_start().starts_with(['{', '[']);
    }
    let mut pending = vec![value];
    while let Some(at) = pending.pop() {
        if document.key(at) == "$ref" && at != value || document.text(at).is_some_and(is_template) {
            return true;
        }
        pending.extend(document.children(at));
    }
    false
}

/// The number of nested values in `value`, including `value` itself.
fn size(document: &Document<'_>, value: usize) -> usize {
    let mut count = 0;
    let mut pending = vec![value];
    while let Some(at) = pending.pop() {
        count += 1;
        pending.extend(document.children(at));
    }
    count
}

/// The JSON pointer from `from` to `to`.
fn path(document: &Document<'_>, from: usize, to: usize) -> String {
    let mut steps = Vec::new();
    let mut at = to;
    while at != from {
        let Some(parent) = document.parent(at) else { return String::new() };
        if *document.datum(parent) == Datum::List {
            let index = document.children(parent).iter().position(|&child| child == at);
            steps.push(index.unwrap_or_default().to_string());
        } else {
            steps.push(document.key(at).to_owned());
        }
        at = parent;
    }
    steps.reverse();
    steps.iter().map(|step| format!("/{step}")).collect()
}

/// A value that does not match its schema.
struct Mismatch {
    at: usize,
    message: String,
}

type Checked = Result<(), Mismatch>;

/// The check of one example. Once the steps are used up, every value is accepted.
struct Check<'d, 'a> {
    document: &'d Document<'a>,
    steps: usize,
}

fn fail(at: usize, message: impl Into<String>) -> Checked {
    Err(Mismatch { at, message: message.into() })
}

impl Check<'_, '_> {
    /// Subtracts steps; returns `false` if none are left.
    fn spend(&mut self, steps: usize) -> bool {
        let is_left = self.steps > steps;
        self.steps = self.steps.saturating_sub(steps.max(1));
        is_left
    }

    fn check(&mut self, schema: usize, value: usize, depth: usize) -> Checked {
        let document = self.document;
        if depth > MAX_DEPTH || !self.spend(1) {
            return Ok(());
        }
        if *document.datum(schema) == Datum::Bool(false) {
            return fail(value, "no value is valid here");
        }
        if !document.is_map(schema) {
            return Ok(());
        }
        if document.targets.contains_key(&schema) {
            if let Some(target) = document.resolve(schema) {
                self.check(target, value, depth + 1)?;
            }
            // In older versions, the fields next to a reference are ignored.
            if document.version < Version::V3_1 {
                return Ok(());
            }
        }
        if *document.datum(value) == Datum::Null && is_nullable(document, schema) {
            return Ok(());
        }
        if document.text(value).is_some_and(is_template) {
            return Ok(());
        }
        self.check_type(schema, value)?;
        self.check_enum(schema, value)?;
        match document.datum(value) {
            Datum::Number(_) => self.check_number(schema, value)?,
            Datum::Text(text) => self.check_length(schema, value, text)?,
            Datum::List => self.check_items(schema, value, depth)?,
            Datum::Map => self.check_properties(schema, value, depth)?,
            _ => {}
        }
        self.check_composition(schema, value, depth)
    }

    fn check_type(&mut self, schema: usize, value: usize) -> Checked {
        let document = self.document;
        let types = types(document, schema);
        let datum = document.datum(value);
        let number = document.number(value);
        if types.is_empty() || types.iter().any(|name| has_type(datum, name, number)) {
            return Ok(());
        }
        let types: Vec<String> = types.iter().map(|name| format!("`{name}`")).collect();
        fail(value, format!("expected {}, found {}", list_of(&types), describe(document, value)))
    }

    fn check_enum(&mut self, schema: usize, value: usize) -> Checked {
        let document = self.document;
        if let Some(list) = document.get(schema, "enum")
            && *document.datum(list) == Datum::List
            && !document.children(list).is_empty()
        {
            let values = document.children(list);
            if !self.spend(values.len()) {
                return Ok(());
            }
            if !values.iter().any(|&allowed| self.is_equal(allowed, value)) {
                return fail(value, "the value is not in `enum`");
            }
        }
        if let Some(expected) = document.get(schema, "const")
            && !self.is_equal(expected, value)
        {
            return fail(value, "the value is not equal to `const`");
        }
        Ok(())
    }

    /// Whether two values are equal. Once the steps are used up, all values count as equal.
    fn is_equal(&mut self, first: usize, second: usize) -> bool {
        let document = self.document;
        let mut pending = vec![(first, second)];
        while let Some((first, second)) = pending.pop() {
            if !self.spend(1) {
                return true;
            }
            match (document.datum(first), document.datum(second)) {
                (Datum::Number(one), Datum::Number(other)) => {
                    if one != other && document.number(first) != document.number(second) {
                        return false;
                    }
                }
                (Datum::Number(one), Datum::Text(other))
                | (Datum::Text(other), Datum::Number(one))
                    if is_ambiguous(one) =>
                {
                    if one != other {
                        return false;
                    }
                }
                (Datum::List, Datum::List) => {
                    let (first, second) = (document.children(first), document.children(second));
                    if first.len() != second.len() {
                        return false;
                    }
                    pending.extend(first.iter().copied().zip(second.iter().copied()));
                }
                (Datum::Map, Datum::Map) => {
                    let children = document.children(first);
                    if children.len() != document.children(second).len() {
                        return false;
                    }
                    for &child in children {
                        match document.get(second, document.key(child)) {
                            Some(other) => pending.push((child, other)),
                            None => return false,
                        }
                    }
                }
                (one, other) => {
                    if one != other {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn check_number(&mut self, schema: usize, value: usize) -> Checked {
        let document = self.document;
        let Some(number) = document.number(value) else { return Ok(()) };
        let bound = |field| document.number_of(schema, field);
        // In older versions, the exclusive bounds are flags.
        let is_exclusive = |field| document.bool_of(schema, field) == Some(true);
        if let Some(min) = bound("minimum")
            && (number < min || number <= min && is_exclusive("exclusiveMinimum"))
        {
            return fail(value, format!("less than the minimum {min}"));
        }
        if let Some(max) = bound("maximum")
            && (number > max || number >= max && is_exclusive("exclusiveMaximum"))
        {
            return fail(value, format!("greater than the maximum {max}"));
        }
        if let Some(min) = bound("exclusiveMinimum")
            && number <= min
        {
            return fail(value, format!("not greater than {min}"));
        }
        if let Some(max) = bound("exclusiveMaximum")
            && number >= max
        {
            return fail(value, format!("not less than {max}"));
        }
        Ok(())
    }

    /// Checks the size of a value against the fields `min` and `max` of the schema.
    fn check_size(
        &self,
        schema: usize,
        value: usize,
        size: usize,
        (min, max, unit): (&str, &str, &str),
    ) -> Checked {
        #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
        let number = size as f64;
        if let Some(bound) = self.document.number_of(schema, min)
            && number < bound
        {
            return fail(value, format!("{size} {unit}, fewer than `{min}: {bound}`"));
        }
        if let Some(bound) = self.document.number_of(schema, max)
            && number > bound
        {
            return fail(value, format!("{size} {unit}, more than `{max}: {bound}`"));
        }
        Ok(())
    }

    fn check_length(&mut self, schema: usize, value: usize, text: &str) -> Checked {
        let length = text.chars().count();
        self.check_size(schema, value, length, ("minLength", "maxLength", "characters"))
    }

    fn check_items(&mut self, schema: usize, value: usize, depth: usize) -> Checked {
        let document = self.document;
        let items = document.children(value);
        self.check_size(schema, value, items.len(), ("minItems", "maxItems", "items"))?;
        let prefix = document.get(schema, "prefixItems");
        let prefix = prefix.map_or(&[][..], |prefix| document.children(prefix));
        for (&item_schema, &item) in prefix.iter().zip(items) {
            self.check(item_schema, item, depth + 1)?;
        }
        let Some(item_schema) = document.get(schema, "items") else { return Ok(()) };
        if *document.datum(item_schema) == Datum::List {
            return Ok(());
        }
        for &item in items.iter().skip(prefix.len()) {
            self.check(item_schema, item, depth + 1)?;
        }
        Ok(())
    }

    fn check_properties(&mut self, schema: usize, value: usize, depth: usize) -> Checked {
        let document = self.document;
        let children = document.children(value);
        let bounds = ("minProperties", "maxProperties", "properties");
        self.check_size(schema, value, children.len(), bounds)?;
        let properties = document.get(schema, "properties");
        if properties.is_some_and(|map| document.targets.contains_key(&map)) {
            return Ok(());
        }
        let property = |name: &str| properties.and_then(|map| document.get(map, name));
        if let Some(required) = document.get(schema, "required")
            && *document.datum(required) == Datum::List
        {
            for &item in document.children(required) {
                let Some(name) = document.text(item) else { continue };
                let is_missing = self.spend(1) && document.get(value, name).is_none();
                // A `readOnly` property is required only in responses, a `writeOnly` property only
                // in requests.
                let is_one_way = |schema: usize| {
                    ["readOnly", "writeOnly"]
                        .iter()
                        .any(|field| document.bool_of(schema, field) == Some(true))
                };
                let schema = property(name);
                let is_partial = schema.is_some_and(|schema| {
                    is_one_way(schema) || document.resolve(schema).is_none_or(is_one_way)
                });
                if is_missing && !is_partial {
                    return fail(value, format!("the required property `{name}` is missing"));
                }
            }
        }
        let additional = document.get(schema, "additionalProperties");
        let has_patterns = document.get(schema, "patternProperties").is_some();
        for &child in children {
            let name = document.key(child);
            if let Some(schema) = property(name) {
                self.check(schema, child, depth + 1)?;
                continue;
            }
            let Some(additional) = additional.filter(|_| !has_patterns) else { continue };
            match document.datum(additional) {
                Datum::Bool(false) => {
                    return fail(child, format!("the property `{name}` is not in the schema"));
                }
                Datum::Map => self.check(additional, child, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks a value against the schemas of `allOf`, `anyOf` and `oneOf`.
    fn check_composition(&mut self, schema: usize, value: usize, depth: usize) -> Checked {
        let document = self.document;
        if let Some(list) = document.get(schema, "allOf") {
            for &part in document.children(list).iter().take(MAX_ALL_OF) {
                self.check(part, value, depth + 1)?;
            }
        }
        for field in ["anyOf", "oneOf"] {
            let Some(list) = document.get(schema, field) else { continue };
            let parts = document.children(list);
            let is_list = *document.datum(list) == Datum::List && !parts.is_empty();
            // Examples often match several similar schemas, which is rarely a mistake.
            if is_list && !parts.iter().any(|&part| self.check(part, value, depth + 1).is_ok()) {
                return match parts {
                    [only] => self.check(*only, value, depth + 1),
                    _ => fail(value, format!("no schema of `{field}` matches")),
                };
            }
        }
        Ok(())
    }
}
