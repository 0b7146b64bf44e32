//! Checks on schemas: their types, enumerations, bounds and composition.

use super::document::{Document, is_template};
use super::fixes::{insertion_after, item_removal, removal, suggest, unquoted_key};
use super::pointer::Target;
use super::specification::Version;
use super::structure::list_of;
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use std::collections::{HashMap, HashSet};

/// Maximum number of types of a schema that are read. JSON Schema defines seven.
const MAX_TYPES: usize = 10;
/// Maximum number of composed schemas that are visited for one schema.
const MAX_PARTS: usize = 200;
/// Maximum number of properties and parts of composed schemas that are visited, for each value of
/// the document: many schemas can extend the same large schema.
const MAX_COMPOSED: usize = 20;

/// The schemas, and the objects of Swagger 2.0 that have the fields of schemas.
pub(super) fn schema_like<'d>(document: &'d Document<'_>) -> impl Iterator<Item = usize> + use<'d> {
    let names: &[&str] = match document.version {
        Version::V2 => &["schema", "parameter", "items", "header"],
        _ => &["schema"],
    };
    names.iter().flat_map(|name| document.objects.get(name).into_iter().flatten().copied())
}

/// The types of a schema; empty if they are not restricted.
pub(super) fn types<'d>(document: &'d Document<'_>, schema: usize) -> Vec<&'d str> {
    let Some(at) = document.get(schema, "type") else { return Vec::new() };
    match document.datum(at) {
        Datum::Text(text) => vec![text],
        Datum::List => document
            .children(at)
            .iter()
            .take(MAX_TYPES)
            .filter_map(|&item| document.text(item))
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether a value has the JSON Schema type `name`.
pub(super) fn has_type(datum: &Datum, name: &str, number: Option<f64>) -> bool {
    match name {
        "null" => *datum == Datum::Null,
        "boolean" => matches!(datum, Datum::Bool(_)),
        "number" => matches!(datum, Datum::Number(_)),
        "integer" => {
            matches!(datum, Datum::Number(_)) && number.is_none_or(|number| number.fract() == 0.0)
        }
        // For parsers of YAML 1.1, `098` is a string.
        "string" => match datum {
            Datum::Text(_) => true,
            Datum::Number(text) => is_ambiguous(text),
            _ => false,
        },
        "array" => *datum == Datum::List,
        "object" => *datum == Datum::Map,
        // An unknown type is reported by another rule; the content of a `file` is not in the
        // document.
        _ => true,
    }
}

/// Whether a number starts with zeros, so that some parsers of YAML read it as a string.
pub(super) fn is_ambiguous(number: &str) -> bool {
    let digits = number.trim_start_matches(['+', '-']).as_bytes();
    matches!(digits, [b'0', next, ..] if next.is_ascii_digit())
}

/// Whether `null` is valid in addition to the types of a schema.
pub(super) fn is_nullable(document: &Document<'_>, schema: usize) -> bool {
    // Documents that were converted from another version often contain the field of that version.
    ["nullable", "x-nullable"].iter().any(|field| document.bool_of(schema, field) == Some(true))
}

pub(super) fn array_without_items(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version >= Version::V3_1 {
        return;
    }
    for schema in schema_like(document) {
        let is_composed =
            ["allOf", "anyOf", "oneOf"].iter().any(|field| document.get(schema, field).is_some());
        if document.text_of(schema, "type") == Some("array")
            && document.get(schema, "items").is_none()
            && !is_composed
        {
            let at = document.get(schema, "type").unwrap_or(schema);
            let finding = report.at(document.span(at), "the array has no `items`");
            finding.help("Describe the items; `items: {}` allows any item");
            // In Swagger 2.0, the items of a parameter need a type.
            let insertion = insertion_after(document, schema, "type", ("items", "{}"));
            if let Some((offset, text)) = insertion.filter(|_| document.is_type(schema, "schema")) {
                finding.fix("Add `items: {}`", vec![Edit::insert(offset, text)]);
            }
        }
    }
}

/// The values of `enum` of a schema.
fn enum_values<'d>(document: &'d Document<'_>, schema: usize) -> &'d [usize] {
    document.get(schema, "enum").map_or(&[][..], |values| document.children(values))
}

pub(super) fn invalid_enum_value(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in schema_like(document) {
        let types = types(document, schema);
        if types.is_empty() {
            continue;
        }
        for &value in enum_values(document, schema) {
            let datum = document.datum(value);
            let number = document.number(value);
            // If a parameter is a list, its items are often restricted by `enum` of the list
            // itself.
            let is_valid = types.iter().any(|name| has_type(datum, name, number))
                || *datum == Datum::Null && is_nullable(document, schema)
                || document.text(value).is_some_and(is_template);
            if !is_valid {
                let found = super::structure::describe(document, value);
                let types: Vec<String> = types.iter().map(|name| format!("`{name}`")).collect();
                let help = match datum {
                    Datum::Null if document.version == Version::V3_0 => {
                        "Add `nullable: true`, or remove the value"
                    }
                    Datum::Null => "Add `null` to `type`, or remove the value",
                    _ => "Write a value of the type, or correct `type`",
                };
                let finding = report.at(
                    document.span(value),
                    format!("{found} in `enum`, but the type is {}", list_of(&types)),
                );
                finding.help(help);
                let span = document.values.all[value].span;
                let written = document.source.slice(span);
                let is_scalar = matches!(datum, Datum::Bool(_) | Datum::Number(_));
                if types == ["`string`"] && is_scalar && !written.contains(['"', '\'', '\n']) {
                    let text = format!("\"{written}\"");
                    finding.fix_unsafe(format!("Write `{text}`"), vec![Edit::replace(span, text)]);
                }
            }
        }
    }
}

pub(super) fn duplicate_enum_value(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in schema_like(document) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut previous: Option<usize> = None;
        for &value in enum_values(document, schema) {
            let before = previous.replace(value);
            let key = match document.datum(value) {
                Datum::Text(text) => format!("s{text}"),
                Datum::Number(text) => document
                    .number(value)
                    .map_or_else(|| format!("n{text}"), |number| format!("n{number}")),
                Datum::Bool(value) => format!("b{value}"),
                Datum::Null => "null".to_owned(),
                Datum::List | Datum::Map => continue,
            };
            let Some(&first) = seen.get(&key) else {
                seen.insert(key, value);
                continue;
            };
            let shown = document.source.slice(document.span(value)).to_owned();
            let finding =
                report.at(document.span(value), format!("duplicate value `{shown}` in `enum`"));
            finding.help("Remove the duplicate");
            finding.related(document.span(first), "the first value");
            if let Some(edit) = before.and_then(|before| removal(document, before, value)) {
                finding.fix("Remove the duplicate", vec![edit]);
            }
        }
    }
}

pub(super) fn contradictory_bounds(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in schema_like(document) {
        for (min, max) in [
            ("minimum", "maximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
            ("minContains", "maxContains"),
        ] {
            let (Some(low), Some(high)) =
                (document.number_of(schema, min), document.number_of(schema, max))
            else {
                continue;
            };
            if low > high {
                let at = document.get(schema, min).unwrap_or(schema);
                report
                    .at(
                        document.span(at),
                        format!("`{min}` is greater than `{max}`: no value is valid"),
                    )
                    .help("Correct the bounds");
            }
        }
    }
}

pub(super) fn invalid_pattern(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in schema_like(document) {
        let Some(at) = document.get(schema, "pattern") else { continue };
        let Some(pattern) = document.text(at).filter(|pattern| !is_template(pattern)) else {
            continue;
        };
        if let Some(fault) = pattern_fault(pattern) {
            report
                .at(document.span(at), format!("`pattern` is not a regular expression: {fault}"))
                .help("Correct the expression; it must have the syntax of JavaScript");
        }
    }
}

/// The fault that makes `pattern` invalid in every syntax of regular expressions; `None` if there
/// is none.
fn pattern_fault(pattern: &str) -> Option<&'static str> {
    let mut depth = 0_usize;
    let mut in_class = false;
    let mut has_atom = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                if chars.next().is_none() {
                    return Some("it ends with a backslash");
                }
                has_atom = true;
            }
            ']' if in_class => in_class = false,
            _ if in_class => {}
            '[' => {
                in_class = true;
                has_atom = true;
            }
            '(' => {
                depth += 1;
                // `(?` starts a group with options.
                has_atom = chars.as_str().starts_with('?');
            }
            ')' => {
                if depth == 0 {
                    return Some("`)` without `(`");
                }
                depth -= 1;
                has_atom = true;
            }
            '|' => has_atom = false,
            '*' | '+' | '?' if !has_atom => return Some("nothing to repeat"),
            _ => has_atom = true,
        }
    }
    if in_class {
        return Some("`[` without `]`");
    }
    (depth > 0).then_some("`(` without `)`")
}

/// The schemas that make up a schema: itself and its parts, also through references.
pub(super) struct Parts {
    pub(super) found: Vec<usize>,
    /// Whether all parts are known.
    pub(super) is_complete: bool,
}

pub(super) fn parts(document: &Document<'_>, schema: usize, fields: &[&str]) -> Parts {
    let mut parts = Parts { found: Vec::new(), is_complete: true };
    let mut seen = HashSet::new();
    let mut pending = vec![schema];
    while let Some(at) = pending.pop() {
        // In newer versions, a schema can have fields in addition to a reference.
        if document.targets.contains_key(&at) {
            match document.resolve(at) {
                Some(target) => pending.push(target),
                None => parts.is_complete = false,
            }
        }
        if !seen.insert(at) {
            continue;
        }
        if seen.len() > MAX_PARTS {
            parts.is_complete = false;
            break;
        }
        parts.found.push(at);
        for field in fields {
            let Some(list) = document.get(at, field) else { continue };
            match document.datum(list) {
                Datum::List => pending.extend(document.children(list)),
                _ => pending.push(list),
            }
        }
    }
    parts
}

pub(super) fn unknown_required_property(document: &Document<'_>, report: &mut Report<'_>) {
    const PARTS: [&str; 7] = ["allOf", "anyOf", "oneOf", "if", "then", "else", "not"];
    let mut visits_left = MAX_COMPOSED * document.values.all.len();
    let referenced_parts = referenced_parts(document);
    for schema in document.objects("schema") {
        let (Some(required), Some(_)) =
            (document.get(schema, "required"), document.get(schema, "properties"))
        else {
            continue;
        };
        let is_open = ["additionalProperties", "patternProperties"].iter().any(|field| {
            document.get(schema, field).is_some_and(|at| *document.datum(at) != Datum::Bool(false))
        });
        let is_part = is_part(document, schema) || referenced_parts.contains(&schema);
        if *document.datum(required) != Datum::List || is_open || is_part {
            continue;
        }
        let parts = parts(document, schema, &PARTS);
        visits_left = visits_left.saturating_sub(parts.found.len());
        if visits_left == 0 {
            return;
        }
        if !parts.is_complete {
            continue;
        }
        let maps: Vec<usize> =
            parts.found.iter().filter_map(|&part| document.get(part, "properties")).collect();
        if maps.iter().any(|map| document.targets.contains_key(map)) {
            continue;
        }
        for &item in document.children(required) {
            let Some(name) = document.text(item).filter(|name| !is_template(name)) else {
                continue;
            };
            if !maps.iter().any(|&map| document.get(map, name).is_some()) {
                let known = document
                    .get(schema, "properties")
                    .map_or(&[][..], |map| document.children(map));
                let known = known.iter().take(200).map(|&child| document.key(child));
                let near = document.nearest(name, known);
                let finding = report.at(
                    document.span(item),
                    format!("the required property `{name}` is not in `properties`"),
                );
                match near {
                    Some(near) => suggest(document, finding, (document.span(item), name), near),
                    None => {
                        finding.help("Describe the property, or remove the name");
                        if let Some(edit) = item_removal(document, item) {
                            finding.fix_unsafe(format!("Remove `{name}`"), vec![edit]);
                        }
                    }
                }
            }
        }
    }
}

/// The schemas that are the targets of references in parts of other schemas.
fn referenced_parts(document: &Document<'_>) -> HashSet<usize> {
    let parts = document.targets.iter().filter(|&(&object, _)| is_part(document, object));
    parts
        .filter_map(|(_, target)| if let Target::Local(at) = *target { Some(at) } else { None })
        .collect()
}

/// Whether a schema is only a part of another schema, which can define the properties.
fn is_part(document: &Document<'_>, schema: usize) -> bool {
    let holder = match document.parent(schema) {
        Some(parent) if *document.datum(parent) == Datum::List => parent,
        _ => schema,
    };
    matches!(
        document.key(holder),
        "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas"
    )
}

pub(super) fn conflicting_all_of(document: &Document<'_>, report: &mut Report<'_>) {
    let mut visits_left = MAX_COMPOSED * document.values.all.len();
    for schema in document.objects("schema") {
        let Some(list) = document.get(schema, "allOf") else { continue };
        if *document.datum(list) != Datum::List {
            continue;
        }
        let mut seen: HashMap<&str, (Vec<&str>, usize)> = HashMap::new();
        let mut reported: HashSet<&str> = HashSet::new();
        for part in parts(document, schema, &["allOf"]).found {
            let Some(properties) = document.get(part, "properties") else { continue };
            for &property in document.children(properties) {
                visits_left = visits_left.saturating_sub(1);
                if visits_left == 0 {
                    return;
                }
                let Some(target) = document.resolve(property) else { continue };
                let types = types(document, target);
                let name = document.key(property);
                if types.is_empty() {
                    continue;
                }
                let Some((others, other)) = seen.get(name) else {
                    seen.insert(name, (types, property));
                    continue;
                };
                let is_number = |name: &&str| matches!(*name, "integer" | "number");
                let is_common = types.iter().any(|name| others.contains(name))
                    || types.iter().any(is_number) && others.iter().any(is_number);
                if is_common || !reported.insert(name) {
                    continue;
                }
                let (first, second) = (types.join(", "), others.join(", "));
                report
                    .at(
                        document.key_span(list),
                        format!(
                            "the parts give `{name}` different types: `{second}` and `{first}`"
                        ),
                    )
                    .help("Write the same type in all parts")
                    .related(document.key_span(*other), format!("here, the type is `{second}`"))
                    .related(document.key_span(property), format!("here, the type is `{first}`"));
            }
        }
    }
}

pub(super) fn nullable_without_type(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version != Version::V3_0 {
        return;
    }
    for schema in document.objects("schema") {
        if document.bool_of(schema, "nullable") == Some(true)
            && document.get(schema, "type").is_none()
        {
            let at = document.get(schema, "nullable").unwrap_or(schema);
            report
                .at(document.key_span(at), "`nullable` has no effect without `type`")
                .help("Add `type` to the same schema");
        }
    }
}

pub(super) fn deprecated_xml_field(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version < Version::V3_2 {
        return;
    }
    for xml in document.objects("xml") {
        for (field, value) in [("attribute", "attribute"), ("wrapped", "element")] {
            if let Some(at) = document.get(xml, field) {
                let finding = report.at(document.key_span(at), format!("`{field}` is deprecated"));
                finding.help(format!("Write `nodeType: {value}`"));
                let span = document.values.all[at].span;
                // `true` means the same as the new field.
                if *document.datum(at) == Datum::Bool(true)
                    && document.get(xml, "nodeType").is_none()
                    && let Some(key) = unquoted_key(document, at)
                {
                    let written = document.source.slice(document.key_span(at));
                    let mark = if written.starts_with(['"', '\'']) { "\"" } else { "" };
                    let edits = vec![
                        Edit::replace(key, "nodeType"),
                        Edit::replace(span, format!("{mark}{value}{mark}")),
                    ];
                    finding.fix(format!("Write `nodeType: {value}`"), edits);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pattern_fault;

    #[test]
    fn only_invalid_regular_expressions_are_reported() {
        for valid in
            ["^[a-z]+$", "(?=.*\\d)x", "[^]]", "a|b", "\\(", "(?:a)*", "[(]", "^*?", "a{2}"]
        {
            assert_eq!(pattern_fault(valid), None, "{valid}");
        }
        for invalid in ["[a", "(a", "a)", "*.js", "a\\", "a|*"] {
            assert!(pattern_fault(invalid).is_some(), "{invalid}");
        }
    }
}
