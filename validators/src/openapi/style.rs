//! Checks on missing optional fields, and on the case of names.

use super::document::{Document, Operation};
use super::specification::Version;
use super::structure::{list_of, version_span};
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;

/// Whether the object has a non-empty field.
fn has(document: &Document<'_>, at: usize, field: &str) -> bool {
    document.get(at, field).is_some_and(|at| match document.datum(at) {
        Datum::Text(text) => !text.trim().is_empty(),
        Datum::List | Datum::Map => !document.children(at).is_empty(),
        Datum::Null => false,
        _ => true,
    })
}

/// Reports the operations without the field `field`.
fn missing_in_operations(
    document: &Document<'_>,
    field: &str,
    help: &str,
    report: &mut Report<'_>,
) {
    for Operation { method, path, at, .. } in document.operations() {
        if !has(document, at, field) {
            report
                .at(document.key_span(at), format!("`{method} {path}` has no `{field}`"))
                .help(help);
        }
    }
}

pub(super) fn missing_operation_id(document: &Document<'_>, report: &mut Report<'_>) {
    missing_in_operations(document, "operationId", "Add a unique `operationId`", report);
}

pub(super) fn missing_operation_description(document: &Document<'_>, report: &mut Report<'_>) {
    missing_in_operations(document, "description", "Describe what the operation does", report);
}

pub(super) fn missing_operation_summary(document: &Document<'_>, report: &mut Report<'_>) {
    missing_in_operations(document, "summary", "Add a short `summary`", report);
}

pub(super) fn missing_operation_tag(document: &Document<'_>, report: &mut Report<'_>) {
    missing_in_operations(document, "tags", "Add a tag that groups the operation", report);
}

pub(super) fn several_operation_tags(document: &Document<'_>, report: &mut Report<'_>) {
    for operation in document.operations() {
        if let Some(tags) = document.get(operation.at, "tags")
            && document.children(tags).len() > 1
        {
            let count = document.children(tags).len();
            report
                .at(document.key_span(tags), format!("the operation has {count} tags"))
                .help("Retain the tag that groups the operation");
        }
    }
}

/// Reports that the field `field` of `info` is missing.
fn missing_in_info(document: &Document<'_>, field: &str, help: &str, report: &mut Report<'_>) {
    let Some(info) = document.get(document.root, "info") else { return };
    if document.is_map(info) && !document.targets.contains_key(&info) && !has(document, info, field)
    {
        report.at(document.key_span(info), format!("`info` has no `{field}`")).help(help);
    }
}

pub(super) fn missing_info_description(document: &Document<'_>, report: &mut Report<'_>) {
    missing_in_info(document, "description", "Describe the interface", report);
}

pub(super) fn missing_contact(document: &Document<'_>, report: &mut Report<'_>) {
    missing_in_info(document, "contact", "Add `contact` with a name, URL or address", report);
}

pub(super) fn missing_license(document: &Document<'_>, report: &mut Report<'_>) {
    missing_in_info(document, "license", "Add `license` with a name", report);
}

pub(super) fn incomplete_contact(document: &Document<'_>, report: &mut Report<'_>) {
    for contact in document.objects("contact") {
        let missing = ["name", "url", "email"].into_iter();
        let missing: Vec<String> = missing
            .filter(|field| !has(document, contact, field))
            .map(|field| format!("`{field}`"))
            .collect();
        if !missing.is_empty() {
            let message = format!("the contact has no {}", list_of(&missing));
            report.at(document.key_span(contact), message).help("Add the missing fields");
        }
    }
}

pub(super) fn license_without_terms(document: &Document<'_>, report: &mut Report<'_>) {
    for license in document.objects("license") {
        let has_terms = ["url", "identifier"].iter().any(|field| has(document, license, field));
        if !has_terms && has(document, license, "name") {
            let help = if document.version < Version::V3_1 {
                "Add `url` with the text of the license"
            } else {
                "Add `identifier` with an SPDX expression, or `url`"
            };
            let name = document.get(license, "name").unwrap_or(license);
            report.at(document.span(name), "the license has no link to its text").help(help);
        }
    }
}

/// The tags that are declared in this document.
fn tags(document: &Document<'_>) -> impl Iterator<Item = usize> {
    document.objects("tag")
}

pub(super) fn missing_tag_description(document: &Document<'_>, report: &mut Report<'_>) {
    for tag in tags(document) {
        if !has(document, tag, "description") {
            let name = document.text_of(tag, "name").unwrap_or_default();
            report
                .at(document.key_span(tag), format!("the tag `{name}` has no description"))
                .help("Describe what the operations of the tag have in common");
        }
    }
}

/// Reports the absence of a field of the document.
fn missing_in_document(document: &Document<'_>, field: &str, help: &str, report: &mut Report<'_>) {
    if !has(document, document.root, field) {
        report.at(version_span(document), format!("the document has no `{field}`")).help(help);
    }
}

pub(super) fn missing_tags(document: &Document<'_>, report: &mut Report<'_>) {
    missing_in_document(document, "tags", "Declare the tags of the operations", report);
}

pub(super) fn missing_server(document: &Document<'_>, report: &mut Report<'_>) {
    let (field, help) = match document.version {
        Version::V2 => ("host", "Add `host` with the name of the server"),
        _ => ("servers", "Add `servers` with the URL of a server"),
    };
    if document.get(document.root, "paths").is_some() {
        missing_in_document(document, field, help, report);
    }
}

pub(super) fn missing_scheme(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version == Version::V2 {
        missing_in_document(document, "schemes", "Add `schemes: [https]`", report);
    }
}

pub(super) fn unsorted_tags(document: &Document<'_>, report: &mut Report<'_>) {
    let names = tags(document).filter_map(|tag| {
        let at = document.get(tag, "name")?;
        Some((document.text(at)?.to_lowercase(), at))
    });
    let names: Vec<(String, usize)> = names.collect();
    if let Some(pair) = names.windows(2).find(|pair| pair[0].0 > pair[1].0) {
        let (before, after) = (&pair[0], &pair[1]);
        let [first, second] = [before, after].map(|(_, at)| document.text(*at).unwrap_or_default());
        report
            .at(
                document.span(after.1),
                format!("the tags are not in alphabetical order: `{second}` follows `{first}`"),
            )
            .help("Sort the tags by name");
    }
}

pub(super) fn missing_parameter_description(document: &Document<'_>, report: &mut Report<'_>) {
    for parameter in document.objects("parameter") {
        if !has(document, parameter, "description") {
            let name = document.text_of(parameter, "name").unwrap_or_default();
            report
                .at(
                    document.key_span(parameter),
                    format!("the parameter `{name}` has no description"),
                )
                .help("Describe the parameter");
        }
    }
}

pub(super) fn missing_component_description(document: &Document<'_>, report: &mut Report<'_>) {
    let maps: &[(&str, &str)] = &[
        ("schemas", "schema"),
        ("responses", "response"),
        ("parameters", "parameter"),
        ("requestBodies", "request body"),
        ("headers", "header"),
        ("securitySchemes", "security scheme"),
        ("definitions", "schema"),
    ];
    for (field, name) in maps {
        let owner = match document.version {
            Version::V2 => Some(document.root),
            _ => document.get(document.root, "components"),
        };
        let map = owner.and_then(|owner| document.get(owner, field));
        for &component in map.map_or(&[][..], |map| document.children(map)) {
            let is_object = document.types[component].is_some()
                && document.is_map(component)
                && !document.targets.contains_key(&component);
            if is_object && !has(document, component, "description") {
                let key = document.key(component);
                report
                    .at(
                        document.key_span(component),
                        format!("the {name} `{key}` has no description"),
                    )
                    .help("Describe the component");
            }
        }
    }
}

pub(super) fn property_case(document: &Document<'_>, report: &mut Report<'_>) {
    let is_camel = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    for schema in document.objects("schema") {
        let Some(properties) = document.get(schema, "properties") else { continue };
        for &property in document.children(properties) {
            let name = document.key(property);
            if !is_camel(name) && !name.starts_with(['$', '@', '_']) && !name.starts_with("x-") {
                report
                    .at(document.key_span(property), format!("`{name}` is not in camel case"))
                    .help("Write the first letter of each word but the first in upper case");
            }
        }
    }
}

pub(super) fn inline_combinator(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in document.objects("schema") {
        for field in ["allOf", "anyOf", "oneOf"] {
            let Some(list) = document.get(schema, field) else { continue };
            let parts = document.children(list);
            // In older versions, `allOf` adds fields to a reference.
            let adds_fields = field == "allOf"
                && document.version < Version::V3_1
                && document.children(schema).len() > 1
                && parts.iter().any(|part| document.targets.contains_key(part));
            if parts.len() == 1 && !adds_fields {
                let span: Span = document.key_span(list);
                report
                    .at(span, format!("`{field}` has only one schema"))
                    .help("Write the schema without the list");
            }
        }
    }
}
