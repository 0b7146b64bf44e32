//! Names, properties and nesting of tokens and groups.

use super::document::{Document, Layout};
use super::mode::Mode;
use super::{
    DUPLICATE_KEY, INVALID_NAME, INVALID_PROPERTY, INVALID_STRUCTURE, Issue, TOKEN_AND_GROUP,
};
use aidd_engine::parse::values::Datum;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::nearest::is_typo;
use std::collections::HashMap;

/// The properties that the format defines.
const PROPERTIES: [&str; 9] = [
    "$deprecated",
    "$description",
    "$extends",
    "$extensions",
    "$ref",
    "$root",
    "$schema",
    "$type",
    "$value",
];

pub(super) fn check(document: &Document<'_>, issues: &mut Vec<Issue>) {
    let Some(root) = document.root() else {
        return;
    };
    if !document.is_map(root) {
        let message = "the root of a token file must be an object";
        issues.push(Issue::new(INVALID_STRUCTURE, document.span(root), message));
        return;
    }
    duplicate_keys(document, issues);
    for token in &document.tokens {
        token_and_group(document, token.at, issues);
    }
    if document.layout != Layout::Format {
        return;
    }
    for node in document.tokens.iter().chain(&document.groups) {
        if document.value(node.at).parent.is_some() {
            name(document, node.at, issues);
        }
        properties(document, node.at, issues);
    }
    let is_named = super::has_token_name(document.source.path());
    if document.mode == Mode::Current || is_named && document.mode == Mode::Draft {
        for &at in &document.stray {
            let message =
                format!("`{}` is neither a token, a group nor a property", document.key(at));
            issues.push(
                Issue::new(INVALID_PROPERTY, document.key_span(at), message)
                    .help("Write a token, which is an object with `$value`"),
            );
        }
    }
}

fn duplicate_keys(document: &Document<'_>, issues: &mut Vec<Issue>) {
    for node in document.tokens.iter().chain(&document.groups) {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for &child in document.children(node.at) {
            if let Some(first) = seen.insert(document.key(child), child) {
                let key = document.key(child);
                let message = format!("duplicate key `{key}`: this entry replaces an earlier one");
                let line = document.source.line_of(document.key_span(first).start) + 1;
                issues.push(
                    Issue::new(DUPLICATE_KEY, document.key_span(child), message)
                        .help(format!("Rename one entry, or delete the one on line {line}")),
                );
            }
        }
    }
}

fn token_and_group(document: &Document<'_>, at: usize, issues: &mut Vec<Issue>) {
    for &child in document.children(at) {
        let key = document.key(child);
        let is_other = key.starts_with('$') && key != "$root" || key == document.value_key();
        // Other tools store data of their own in tokens.
        if is_other || !document.is_map(child) || !document.has_tokens(child) {
            continue;
        }
        let name = document.key(at);
        let message =
            format!("`{name}` is a token and a group: it has a value and contains `{key}`");
        let help = match document.layout {
            Layout::Format => {
                format!("Move the value into the token `$root` of the group `{name}`")
            }
            _ => format!("Move the value into a token of its own below `{name}`"),
        };
        issues.push(Issue::new(TOKEN_AND_GROUP, document.key_span(at), message).help(help));
        return;
    }
}

fn name(document: &Document<'_>, at: usize, issues: &mut Vec<Issue>) {
    let name = document.key(at);
    let message = if name.starts_with('$') && name != "$root" {
        format!("the name `{name}` begins with `$`, which is reserved for properties")
    } else if let Some(character) = name.chars().find(|c| matches!(c, '.' | '{' | '}')) {
        format!("the name `{name}` contains `{character}`, which references use")
    } else {
        return;
    };
    // Other tools read such names.
    if document.mode == Mode::Other {
        return;
    }
    issues.push(
        Issue::new(INVALID_NAME, document.key_span(at), message)
            .help("Rename it, and the references to it"),
    );
}

fn properties(document: &Document<'_>, at: usize, issues: &mut Vec<Issue>) {
    for &child in document.children(at) {
        let (key, datum) = (document.key(child), document.datum(child));
        let expected = match (key, datum) {
            ("$description" | "$type", Datum::Text(_))
            | ("$deprecated", Datum::Text(_) | Datum::Bool(_))
            | ("$extensions", Datum::Map) => continue,
            ("$description" | "$type", _) => "a string",
            ("$deprecated", _) => "true, false or a string",
            ("$extensions", _) => "an object",
            _ if key.starts_with('$') && !document.is_map(child) => {
                let near = PROPERTIES.iter().find(|known| is_typo(key, known) && **known != key);
                let Some(near) = near.filter(|known| document.child(at, known).is_none()) else {
                    continue;
                };
                let span = document.key_span(child);
                let message = format!("`{key}` is not a property; did you mean `{near}`?");
                let edit = Edit::replace(span, format!("\"{near}\""));
                issues.push(
                    Issue::new(INVALID_PROPERTY, span, message)
                        .fix_unsafe(format!("Rename it to `{near}`"), vec![edit]),
                );
                continue;
            }
            _ => continue,
        };
        if document.mode == Mode::Other && key == "$description" {
            continue;
        }
        let message = format!("`{key}` must be {expected}");
        issues.push(Issue::new(INVALID_PROPERTY, document.span(child), message));
    }
}
