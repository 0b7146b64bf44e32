//! Checks on keywords of schemas that depend on the type or on other schemas.

use super::document::{Document, short};
use super::fixes::{entry_removal, insertion_after_item};
use super::schemas::{is_nullable, parts, schema_like, types};
use super::specification::Version;
use super::structure::list_of;
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};

/// Maximum number of schemas in `oneOf` or `anyOf` that are read for one discriminator.
const MAX_VARIANTS: usize = 200;

/// Keyword that restricts only values of certain types → these types.
const KEYWORDS: [(&str, &[&str]); 12] = [
    ("items", &["array"]),
    ("minItems", &["array"]),
    ("maxItems", &["array"]),
    ("uniqueItems", &["array"]),
    ("properties", &["object"]),
    ("minProperties", &["object"]),
    ("maxProperties", &["object"]),
    ("minLength", &["string", "file"]),
    ("maxLength", &["string", "file"]),
    ("pattern", &["string", "file"]),
    ("minimum", &["integer", "number"]),
    ("maximum", &["integer", "number"]),
];

pub(super) fn keyword_of_other_type(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in schema_like(document) {
        let types = types(document, schema);
        if types.is_empty() {
            continue;
        }
        for (keyword, valid) in KEYWORDS {
            let Some(at) = document.get(schema, keyword) else { continue };
            if types.iter().any(|name| valid.contains(name)) {
                continue;
            }
            let types: Vec<String> =
                types.iter().map(|name| format!("`{}`", short(name))).collect();
            let valid = valid.iter().filter(|name| **name != "file");
            let valid: Vec<String> = valid.map(|name| format!("`{name}`")).collect();
            let message =
                format!("`{keyword}` has no effect, because the type is {}", list_of(&types));
            let help = format!("Write the type {}, or remove `{keyword}`", list_of(&valid));
            let finding = report.at(document.key_span(at), message);
            finding.help(help);
            // These describe the value: usually the type is wrong.
            if matches!(keyword, "items" | "properties") {
                continue;
            }
            // Generators write some limits next to every type.
            finding.severity = finding.severity.min(Severity::Info);
            if let Some(span) = entry_removal(document, at) {
                finding.fix_unsafe(format!("Remove `{keyword}`"), vec![Edit::delete(span)]);
            }
        }
    }
}

pub(super) fn nullable_enum(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version != Version::V3_0 {
        return;
    }
    for schema in document.objects("schema") {
        let Some(values) = document.get(schema, "enum") else { continue };
        let items = document.children(values);
        let has_null = items.iter().any(|&item| *document.datum(item) == Datum::Null);
        let is_typed = document.get(schema, "type").is_some();
        let Some(&last) = items.last() else { continue };
        if !is_nullable(document, schema) || !is_typed || has_null {
            continue;
        }
        let at = document.get(schema, "nullable").unwrap_or(values);
        let finding = report
            .at(document.key_span(at), "`nullable` has no effect, because `enum` excludes `null`");
        finding.help("Add `null` to `enum`, or remove `nullable`");
        if let Some((offset, text)) = insertion_after_item(document, last, "null") {
            finding.fix_unsafe("Add `null` to `enum`", vec![Edit::insert(offset, text)]);
        }
    }
}

pub(super) fn ignored_nullable(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version < Version::V3_1 {
        return;
    }
    for schema in document.objects("schema") {
        if document.bool_of(schema, "nullable") != Some(true) {
            continue;
        }
        let types = types(document, schema);
        // The author wrote both notations, so tools for either version allow `null`.
        let Some(at) = document.get(schema, "nullable").filter(|_| !types.contains(&"null")) else {
            continue;
        };
        let finding =
            report.at(document.key_span(at), "`nullable` has no effect since OpenAPI 3.1");
        finding.help("Add `null` to `type`, such as `type: [string, \"null\"]`");
        let field = document.get(schema, "type");
        let enum_without_null = document.get(schema, "enum").is_some();
        if let Some(field) = field.filter(|_| !enum_without_null)
            && let Some(name) = document.text(field)
            && let Some(removal) = entry_removal(document, at)
        {
            let written = document.values.all[field].span;
            let mark = if document.source.slice(written).starts_with('"') { "\"" } else { "" };
            let list = format!("[{mark}{name}{mark}, \"null\"]");
            let edits = vec![Edit::replace(written, list.clone()), Edit::delete(removal)];
            finding.fix_unsafe(format!("Write `type: {list}`"), edits);
        }
    }
}

pub(super) fn discriminator_property(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version == Version::V2 {
        return discriminator_property_2(document, report);
    }
    for discriminator in document.objects("discriminator") {
        unknown_default(document, discriminator, report);
        let Some(schema) = document.parent(discriminator) else { continue };
        let Some(at) = document.get(discriminator, "propertyName") else { continue };
        let Some(name) = document.text(at) else { continue };
        let has_default = document.get(discriminator, "defaultMapping").is_some();
        if has_default || !is_optional(document, schema, name) {
            continue;
        }
        let finding = report
            .at(document.span(at), format!("the discriminator `{}` is optional", short(name)));
        if document.version == Version::V3_2 {
            finding.help("Add the property to `required`, or add `defaultMapping`");
        } else {
            finding.help("Add the property to `required`");
            // Earlier versions recommend this, and do not define what tools do with a value
            // without the property.
            finding.severity = finding.severity.min(Severity::Info);
        }
    }
}

/// Whether a schema, or one of its alternatives, defines the property and does not require it.
fn is_optional(document: &Document<'_>, schema: usize, name: &str) -> bool {
    let alternatives = ["oneOf", "anyOf"].iter().filter_map(|field| document.get(schema, field));
    let alternatives = alternatives.flat_map(|list| document.children(list)).take(MAX_VARIANTS);
    let (mut is_defined, mut is_required) = (false, false);
    let mut is_optional_in_alternative = false;
    let own = state_in(document, schema, name);
    is_defined |= own.0;
    is_required |= own.1;
    for &alternative in alternatives {
        let Some(alternative) = document.resolve(alternative) else { return false };
        let (defined, required) = state_in(document, alternative, name);
        is_optional_in_alternative |= defined && !required;
    }
    !is_required && (is_defined || is_optional_in_alternative)
}

/// Whether a schema, including the parts of its `allOf`, defines a property, and whether it requires
/// the property. A schema with an unknown part counts as one that requires the property.
fn state_in(document: &Document<'_>, schema: usize, name: &str) -> (bool, bool) {
    let parts = parts(document, schema, &["allOf"]);
    let is_defined = parts.found.iter().any(|&part| {
        document.get(part, "properties").is_some_and(|map| document.get(map, name).is_some())
    });
    let is_required = parts.found.iter().any(|&part| {
        let required = document.get(part, "required");
        let required = required.map_or(&[][..], |list| document.children(list));
        required.iter().any(|&item| document.text(item) == Some(name))
    });
    (is_defined, is_required || !parts.is_complete)
}

/// Reports a default mapping to a schema that does not exist.
fn unknown_default(document: &Document<'_>, discriminator: usize, report: &mut Report<'_>) {
    let Some(at) = document.get(discriminator, "defaultMapping") else { return };
    let Some(name) = document.text(at) else { return };
    let schemas = document.get_path(document.root, &["components", "schemas"]);
    let is_name = !name.contains(['/', '#', '.', ':']);
    let is_known = schemas.is_some_and(|schemas| document.get(schemas, name).is_some());
    let is_missing_pointer = name
        .strip_prefix('#')
        .is_some_and(|pointer| super::pointer::find_local(document, pointer).is_none());
    if is_name && !is_known || is_missing_pointer && !document.has_base_uris {
        report
            .at(document.span(at), format!("the schema `{}` does not exist", short(name)))
            .help("Write the name of a schema in `components`");
    }
}

fn discriminator_property_2(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in document.objects("schema") {
        let Some(at) = document.get(schema, "discriminator") else { continue };
        let Some(name) = document.text(at) else { continue };
        let (is_defined, is_required) = state_in(document, schema, name);
        let is_complete = parts(document, schema, &["allOf"]).is_complete;
        let name = short(name);
        if !is_defined && is_complete {
            report
                .at(document.span(at), format!("the discriminator `{name}` is not in `properties`"))
                .help("Describe the property, and add it to `required`");
        } else if !is_required {
            report
                .at(document.span(at), format!("the discriminator `{name}` is optional"))
                .help("Add the property to `required`");
        }
    }
}
