//! Checks on names and repeated texts.

use super::document::{Document, is_template, short};
use super::pointer::Target;
use super::schemas::types;
use super::specification::Version;
use aidd_engine::rules::rule::Report;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Minimum length in bytes of a description that is compared with others. Short descriptions, such
/// as "The id", are repeated on purpose.
const MIN_DESCRIPTION: usize = 25;

/// Words that are plural without an `s` at the end, or have no plural.
const PLURAL_WORDS: [&str; 20] = [
    "children",
    "data",
    "equipment",
    "feedback",
    "health",
    "history",
    "info",
    "information",
    "inventory",
    "media",
    "me",
    "men",
    "metadata",
    "news",
    "people",
    "search",
    "series",
    "software",
    "status",
    "women",
];

pub(super) fn boolean_parameter_prefix(document: &Document<'_>, report: &mut Report<'_>) {
    for parameter in document.objects("parameter") {
        let schema = match document.version {
            Version::V2 => Some(parameter),
            _ => document.get(parameter, "schema").and_then(|schema| document.resolve(schema)),
        };
        let is_boolean = schema.is_some_and(|schema| types(document, schema) == ["boolean"]);
        let Some(at) = document.get(parameter, "name").filter(|_| is_boolean) else { continue };
        let name = document.text(at).unwrap_or_default();
        let has_prefix = ["is", "has"].iter().any(|prefix| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| {
                rest.starts_with(|c: char| c.is_uppercase() || c == '_' || c == '-')
            })
        });
        if !has_prefix && !is_template(name) {
            report
                .at(
                    document.span(at),
                    format!("the boolean `{}` does not start with `is` or `has`", short(name)),
                )
                .help("Write a name such as `isActive` or `has_items`");
        }
    }
}

pub(super) fn singular_collection(document: &Document<'_>, report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    for (path, entry, _) in document.path_items("paths") {
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        for pair in segments.windows(2) {
            let [name, parameter] = pair else { continue };
            let is_item = parameter.starts_with('{') && parameter.ends_with('}');
            let is_word = name.len() > 2
                && name.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_".contains(&byte));
            if is_item && is_word && !is_plural(name) && seen.insert(*name) {
                report
                    .at(
                        document.key_span(entry),
                        format!(
                            "the collection `{}` in `{}` is not in the plural",
                            short(name),
                            short(path)
                        ),
                    )
                    .help("Write the plural, such as `orders`");
            }
        }
    }
}

/// Whether the last word of a segment is in the plural or has no plural.
fn is_plural(segment: &str) -> bool {
    let start =
        segment.char_indices().rev().find(|&(_, c)| c == '-' || c == '_' || c.is_uppercase());
    let word = start
        .map_or(segment, |(at, _)| &segment[at..])
        .trim_start_matches(['-', '_'])
        .to_ascii_lowercase();
    PLURAL_WORDS.contains(&&*word) || word.ends_with('s') && !word.ends_with("ss")
}

pub(super) fn duplicate_component_name(document: &Document<'_>, report: &mut Report<'_>) {
    // For each type and name, the first object with the name.
    let mut first: HashMap<(&str, &str), usize> = HashMap::new();
    let mut reported = HashSet::new();
    for reference in &document.references {
        let (Some(kind), Some(&Target::Local(target))) =
            (reference.target, document.targets.get(&reference.object))
        else {
            continue;
        };
        let text = document.text(reference.at).unwrap_or_default();
        let Some(name) = component_name(text) else { continue };
        let other = *first.entry((kind, name)).or_insert(target);
        if other != target && reported.insert(target) {
            report
                .at(
                    document.span(reference.at),
                    format!(
                        "`{}` is also the name of another {}",
                        short(name),
                        super::structure::title(kind)
                    ),
                )
                .help("Rename one of the components: tools that join the files rename them")
                .related(document.key_span(other), "the other component");
        }
    }
}

/// The name that tools give to the target of a reference when they join the files of a document:
/// the last part of the pointer, or the name of the file.
fn component_name(reference: &str) -> Option<&str> {
    let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    let name = match pointer.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        _ => {
            let name = file.rsplit('/').next().unwrap_or(file);
            name.split('.').next().unwrap_or(name)
        }
    };
    (!name.is_empty()).then_some(name)
}

pub(super) fn duplicate_description(document: &Document<'_>, report: &mut Report<'_>) {
    let mut operations: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in document.operations() {
        let Some(at) = document.get(operation.at, "description") else { continue };
        let Some(text) = document.text(at).map(str::trim) else { continue };
        if text.len() < MIN_DESCRIPTION || is_template(text) {
            continue;
        }
        match operations.get(text) {
            Some(&first) => {
                report
                    .at(document.key_span(at), "another operation has the same description")
                    .help("Describe what distinguishes the operations")
                    .related(document.key_span(first), "the first description");
            }
            None => _ = operations.insert(text, at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{component_name, is_plural};

    #[test]
    fn plurals_are_recognized() {
        for word in ["orders", "order-items", "people", "userData", "statuses", "series"] {
            assert!(is_plural(word), "{word}");
        }
        for word in ["order", "address", "orders-item", "ordersItem"] {
            assert!(!is_plural(word), "{word}");
        }
    }

    #[test]
    fn names_of_components_are_read_from_references() {
        for (reference, name) in [
            ("#/components/schemas/Order", Some("Order")),
            ("schemas/Order.yaml", Some("Order")),
            ("a.yaml#/Order", Some("Order")),
            ("#", None),
        ] {
            assert_eq!(component_name(reference), name, "{reference}");
        }
    }
}
