//! Notes on names and deprecated tokens.

use super::document::{Document, Layout, Node, alias};
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use std::collections::HashMap;

/// Whether the token is deprecated, by itself or through the nearest group that says so.
fn is_deprecated(document: &Document<'_>, token: &Node) -> bool {
    let mut at = Some(token.at);
    while let Some(index) = at {
        if let Some(property) = document.child(index, "$deprecated") {
            return !matches!(document.datum(property), Datum::Bool(false));
        }
        at = document.value(index).parent;
    }
    false
}

pub(super) fn deprecated_reference(document: &Document<'_>, report: &mut Report<'_>) {
    for token in &document.tokens {
        let Some(value) = document.token_value(token) else { continue };
        let Some(name) = document.text(value).and_then(alias) else { continue };
        let Some(&target) = document.by_path.get(name) else { continue };
        if is_deprecated(document, &document.tokens[target]) && !is_deprecated(document, token) {
            let message = format!("`{name}` is deprecated, but `{}` refers to it", token.path);
            report.at(document.span(value), message).help("Refer to the token that replaces it");
        }
    }
}

pub(super) fn similar_name(document: &Document<'_>, report: &mut Report<'_>) {
    for group in &document.groups {
        let mut seen: HashMap<String, &str> = HashMap::new();
        for &child in document.children(group.at) {
            let key = document.key(child);
            if key.starts_with('$') || !document.is_map(child) {
                continue;
            }
            if let Some(other) = seen.insert(key.to_lowercase(), key)
                && other != key
            {
                let message = format!("`{key}` differs from `{other}` only in case");
                report
                    .at(document.key_span(child), message)
                    .help("Rename one: tools that convert names to another case make them equal");
            }
        }
    }
}

pub(super) fn name_style(document: &Document<'_>, report: &mut Report<'_>) {
    let style = report.param("style").and_then(|style| style.as_str()).unwrap_or("kebab-case");
    let is_valid: fn(char) -> bool = match style {
        "camelCase" => |c| c.is_alphanumeric(),
        "snake_case" => |c| c.is_lowercase() || c.is_numeric() || c == '_',
        _ => |c| c.is_lowercase() || c.is_numeric() || c == '-',
    };
    for node in document.tokens.iter().chain(&document.groups) {
        let name = document.key(node.at);
        // The names of the sets of Tokens Studio are paths.
        if document.layout == Layout::Sets && document.value(node.at).parent == document.root() {
            continue;
        }
        let is_first_upper = style == "camelCase" && name.starts_with(char::is_uppercase);
        if name.starts_with('$') || !is_first_upper && name.chars().all(is_valid) {
            continue;
        }
        report.at(document.key_span(node.at), format!("the name `{name}` is not in {style}"));
    }
}
