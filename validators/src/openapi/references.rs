//! Checks on references and on unused components.

use super::document::{Document, Reference};
use super::fixes::{entry_removal, suggest};
use super::pointer::Target;
use super::specification::Version;
use super::structure::with_article;
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use std::collections::{HashMap, HashSet};

fn target(document: &Document<'_>, reference: &Reference) -> Option<Target> {
    document.targets.get(&reference.object).copied()
}

pub(super) fn unresolved_ref(document: &Document<'_>, report: &mut Report<'_>) {
    for reference in &document.references {
        let Some(text) = document.text(reference.at) else { continue };
        let span = document.span(reference.at);
        match target(document, reference) {
            Some(Target::Missing) if !document.has_base_uris => {
                let near = nearest_pointer(document, text);
                let finding = report.at(span, format!("`{text}` does not exist"));
                match near {
                    Some(near) => suggest(document, finding, (span, text), &near),
                    None => _ = finding.help("Define the value, or correct the reference"),
                }
            }
            Some(Target::MissingFile) => {
                let file = text.split('#').next().unwrap_or_default();
                report
                    .at(span, format!("the file `{file}` does not exist"))
                    .help("Correct the path; it is relative to this file");
            }
            Some(Target::MissingInFile) => {
                report
                    .at(span, format!("`{text}` does not exist in the file"))
                    .help("Define the value in the file, or correct the reference");
            }
            Some(Target::Name) if !has_name(document, text) => {
                report
                    .at(span, format!("`{text}` does not exist"))
                    .help("Write the path of the value, such as `#/components/schemas/Pet`");
            }
            _ => {}
        }
    }
    unresolved_operations(document, report);
}

/// Whether a reference `#name` is allowed: names are defined by anchors.
fn has_name(document: &Document<'_>, text: &str) -> bool {
    if document.version < Version::V3_1 {
        return false;
    }
    let name = text.trim_start_matches('#');
    document.has_base_uris
        || document.values.all.iter().any(|value| {
            let is_anchor = |(key, _): &(String, _)| key == "$anchor" || key == "$dynamicAnchor";
            value.key.as_ref().is_some_and(is_anchor)
                && matches!(&value.datum, Datum::Text(anchor) if anchor == name)
        })
}

/// A pointer to the existing component with the most similar name.
fn nearest_pointer(document: &Document<'_>, text: &str) -> Option<String> {
    let (parent_pointer, name) = text.rsplit_once('/')?;
    let parent = super::pointer::find_local(document, parent_pointer.strip_prefix('#')?)?;
    let names = document.children(parent).iter();
    let near = document.nearest(name, names.map(|&child| document.key(child)))?;
    Some(format!("{parent_pointer}/{near}"))
}

/// Reports links whose `operationId` does not exist.
fn unresolved_operations(document: &Document<'_>, report: &mut Report<'_>) {
    let mut links = document.objects("link").peekable();
    if links.peek().is_none() || document.has_external_references() {
        return;
    }
    let operations = document.objects("operation");
    let ids: HashSet<&str> =
        operations.filter_map(|operation| document.text_of(operation, "operationId")).collect();
    for link in links {
        let Some(at) = document.get(link, "operationId") else { continue };
        if let Some(id) = document.text(at).filter(|id| !ids.contains(id)) {
            report
                .at(document.span(at), format!("no operation has the id `{id}`"))
                .help("Write the `operationId` of an operation of this document");
        }
    }
}

pub(super) fn ref_type(document: &Document<'_>, report: &mut Report<'_>) {
    for reference in &document.references {
        let (Some(expected), Some(Target::Local(target))) =
            (reference.target, target(document, reference))
        else {
            continue;
        };
        let message = match document.types[target] {
            Some(found) if found == expected => continue,
            Some(found) => {
                format!(
                    "expected a reference to {}, found {}",
                    with_article(expected),
                    with_article(found)
                )
            }
            // Values of extensions and unknown keywords have no type.
            None => {
                let is_schema = expected == "schema" && document.version >= Version::V3_1;
                let is_valid = document.is_map(target)
                    || is_schema && matches!(document.datum(target), Datum::Bool(_));
                if is_valid && !is_component_map(document, target) {
                    continue;
                }
                let found = super::structure::describe(document, target);
                format!("expected a reference to {}, found {found}", with_article(expected))
            }
        };
        report.at(document.span(reference.at), message).help(format!(
            "Refer to {}, such as `{}`",
            with_article(expected),
            example(document.version, expected)
        ));
    }
}

/// Whether `at` is a map of components, such as `#/components/schemas`.
fn is_component_map(document: &Document<'_>, at: usize) -> bool {
    if document.version == Version::V2 {
        let names = ["definitions", "parameters", "responses"];
        return names.iter().any(|name| document.get(document.root, name) == Some(at));
    }
    document.parent(at).is_some_and(|parent| document.is_type(parent, "components"))
        && !document.key(at).starts_with("x-")
}

/// A pointer to a component of a type.
fn example(version: Version, name: &str) -> &'static str {
    match (name, version == Version::V2) {
        ("schema", true) => "#/definitions/Pet",
        ("parameter", true) => "#/parameters/limit",
        ("response", true) => "#/responses/NotFound",
        ("parameter", false) => "#/components/parameters/limit",
        ("response", false) => "#/components/responses/NotFound",
        ("request-body", _) => "#/components/requestBodies/Pet",
        ("example", _) => "#/components/examples/cat",
        ("header", _) => "#/components/headers/Retry-After",
        ("security-scheme", _) => "#/components/securitySchemes/key",
        ("link", _) => "#/components/links/next",
        ("callback", _) => "#/components/callbacks/onEvent",
        ("media-type", _) => "#/components/mediaTypes/Pet",
        ("path-item", _) => "#/paths/~1pets",
        _ => "#/components/schemas/Pet",
    }
}

pub(super) fn circular_ref(document: &Document<'_>, report: &mut Report<'_>) {
    // The state of each object with a reference: the number of the walk that reached it. An object
    // that the same walk reaches twice is in a cycle.
    let mut reached: HashMap<usize, usize> = HashMap::new();
    for (walk, reference) in document.references.iter().enumerate() {
        let mut at = reference.object;
        loop {
            match reached.get(&at) {
                Some(&number) if number == walk => {
                    if let Some(cycle) = document.get(at, "$ref") {
                        let text = document.text(cycle).unwrap_or_default();
                        report
                            .at(document.span(cycle), format!("`{text}` leads back to itself"))
                            .help("Replace a reference of the chain with the object");
                    }
                    break;
                }
                Some(_) => break,
                None => {}
            }
            reached.insert(at, walk);
            match document.targets.get(&at) {
                Some(Target::Local(target)) => at = *target,
                _ => break,
            }
        }
    }
}

pub(super) fn remote_ref(document: &Document<'_>, report: &mut Report<'_>) {
    let ids: HashSet<&str> = if document.has_base_uris {
        let all = document.values.all.iter();
        let ids = all.filter(|value| value.key.as_ref().is_some_and(|(key, _)| key == "$id"));
        ids.filter_map(|value| match &value.datum {
            Datum::Text(id) => Some(id.as_str()),
            _ => None,
        })
        .collect()
    } else {
        HashSet::new()
    };
    for reference in &document.references {
        if target(document, reference) != Some(Target::Remote) {
            continue;
        }
        let text = document.text(reference.at).unwrap_or_default();
        if ids.contains(text.split('#').next().unwrap_or_default()) {
            continue;
        }
        report
            .at(document.span(reference.at), format!("`{text}` is not checked: it is not a file"))
            .help("Store a copy of the target in the project, and refer to this file");
    }
}

/// The fields that only describe a value.
const TEXTS: [&str; 6] = ["description", "example", "examples", "externalDocs", "summary", "title"];

pub(super) fn ref_siblings(document: &Document<'_>, report: &mut Report<'_>) {
    for reference in &document.references {
        let name = reference.target.unwrap_or_default();
        let is_modern = document.version >= Version::V3_1;
        if name == "path-item" || is_modern && name == "schema" {
            continue;
        }
        let ignored = document.children(reference.object).iter().filter(|&&child| {
            let key = document.key(child);
            let is_allowed = is_modern && matches!(key, "summary" | "description");
            key != "$ref" && !key.starts_with("x-") && !is_allowed
        });
        let ignored: Vec<usize> = ignored.copied().collect();
        let Some(&first) = ignored.first() else { continue };
        let names: Vec<String> =
            ignored.iter().take(5).map(|&at| format!("`{}`", document.key(at))).collect();
        let help = match (name, document.version) {
            ("schema", _) => "Remove the fields, or write the reference in `allOf`",
            (_, Version::V2 | Version::V3_0) => {
                "Remove the fields, or write them in the referenced object"
            }
            _ => "Remove the fields; only `summary` and `description` are allowed",
        };
        let verb = if ignored.len() == 1 { "is" } else { "are" };
        let finding = report.at(
            document.key_span(first),
            format!("{} next to `$ref` {verb} ignored", names.join(", ")),
        );
        finding.help(help);
        if let [only] = ignored[..]
            && let Some(span) = entry_removal(document, only)
        {
            let title = format!("Remove `{}`", document.key(only));
            finding.fix_unsafe(title, vec![Edit::delete(span)]);
        }
        // An ignored description, or a field that the referenced object already has, is harmless; an
        // ignored `nullable` is not.
        let target = document.resolve(reference.object);
        let is_repeated = |at: usize| {
            let repeated = target.and_then(|target| document.get(target, document.key(at)));
            let datum = document.datum(at);
            !matches!(datum, Datum::List | Datum::Map)
                && repeated.is_some_and(|repeated| document.datum(repeated) == datum)
        };
        let is_harmless = |at: usize| {
            document.key(at) == "type" || TEXTS.contains(&document.key(at)) || is_repeated(at)
        };
        if ignored.iter().all(|&at| is_harmless(at)) {
            finding.severity = finding.severity.min(Severity::Info);
        }
    }
}

/// The maps of components that can be unused, and the word for such a component in messages.
fn component_maps(document: &Document<'_>) -> Vec<(usize, &'static str)> {
    let root = document.root;
    let mut maps = Vec::new();
    if document.version == Version::V2 {
        for (key, name) in [
            ("definitions", "schema"),
            ("parameters", "parameter"),
            ("responses", "response"),
            ("securityDefinitions", "security scheme"),
        ] {
            maps.extend(document.get(root, key).map(|at| (at, name)));
        }
        return maps;
    }
    let Some(components) = document.get(root, "components") else { return maps };
    for (key, name) in [
        ("schemas", "schema"),
        ("responses", "response"),
        ("parameters", "parameter"),
        ("examples", "example"),
        ("requestBodies", "request body"),
        ("headers", "header"),
        ("links", "link"),
        ("callbacks", "callback"),
        ("pathItems", "path item"),
        ("mediaTypes", "media type"),
        ("securitySchemes", "security scheme"),
    ] {
        maps.extend(document.get(components, key).map(|at| (at, name)));
    }
    maps
}

pub(super) fn unused_component(document: &Document<'_>, report: &mut Report<'_>) {
    let has_paths = ["paths", "webhooks"].iter().any(|field| {
        document.get(document.root, field).is_some_and(|at| !document.children(at).is_empty())
    });
    // A document without paths is a library, and other files that were not read can refer to this
    // document.
    if !has_paths || document.has_external_references() || document.has_base_uris {
        return;
    }
    let mut used: HashSet<usize> = HashSet::new();
    for target in document.targets.values() {
        let Target::Local(target) = target else { continue };
        let mut at = Some(*target);
        while let Some(value) = at.filter(|&value| used.insert(value)) {
            at = document.parent(value);
        }
    }
    let mapped = mapped_names(document);
    let required: HashSet<&str> = document
        .objects("security-requirement")
        .flat_map(|requirement| document.children(requirement))
        .map(|&entry| document.key(entry))
        .collect();
    for (map, name) in component_maps(document) {
        for &component in document.children(map) {
            let key = document.key(component);
            let is_used = used.contains(&component)
                || name == "security scheme" && is_required(document, &required, key)
                || name == "schema"
                    && (mapped.contains(key)
                        || is_variant(document, component)
                        || has_anchor(document, component));
            if !is_used && !key.starts_with("x-") {
                let message = format!("the {name} `{key}` is never used");
                let finding = report.at(document.key_span(component), message);
                finding.help("Remove the component, or refer to it");
                if let Some(span) = entry_removal(document, component) {
                    finding.fix_unsafe(format!("Remove `{key}`"), vec![Edit::delete(span)]);
                }
            }
        }
    }
}

/// Whether a security requirement names a scheme. In OpenAPI 3.2, a requirement can be a URI.
fn is_required(document: &Document<'_>, required: &HashSet<&str>, name: &str) -> bool {
    let is_uri = |requirement: &&str| requirement.rsplit('/').next() == Some(name);
    required.contains(name) || document.version >= Version::V3_2 && required.iter().any(is_uri)
}

/// The names of schemas in the mappings of discriminators.
fn mapped_names<'d>(document: &'d Document<'_>) -> HashSet<&'d str> {
    let mut names = HashSet::new();
    for discriminator in document.objects("discriminator") {
        let default = document.text_of(discriminator, "defaultMapping");
        let mapping = document.get(discriminator, "mapping");
        let values = mapping.map_or(&[][..], |mapping| document.children(mapping));
        let values = values.iter().filter_map(|&value| document.text(value));
        names.extend(values.chain(default).filter_map(|text| text.rsplit('/').next()));
    }
    names
}

/// Whether a schema extends a schema with a discriminator. The values of a discriminator select
/// schemas by name.
fn is_variant(document: &Document<'_>, schema: usize) -> bool {
    let Some(parts) = document.get(schema, "allOf") else { return false };
    document.children(parts).iter().any(|&part| {
        document.targets.contains_key(&part)
            && document
                .resolve(part)
                .is_some_and(|base| document.get(base, "discriminator").is_some())
    })
}

/// Whether references can name the schema by an anchor.
fn has_anchor(document: &Document<'_>, schema: usize) -> bool {
    ["$anchor", "$dynamicAnchor"].iter().any(|key| document.get(schema, key).is_some())
}
