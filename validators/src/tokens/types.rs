//! The types of tokens, and whether their values have the form that the type requires.

use super::document::{Document, Node, alias};
use super::mode::Mode;
use super::references::Target;
use super::values::{Type, problems};
use super::{INVALID_VALUE, Issue, MISSING_TYPE, UNKNOWN_TYPE, values};
use aidd_engine::parse::values::Datum;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::nearest::closest;

/// Types of other tools, such as Tokens Studio and Figma.
pub(super) const OTHER_TYPES: [&str; 36] = [
    "asset",
    "aspectRatio",
    "blur",
    "boolean",
    "borderRadius",
    "borderWidth",
    "boxShadow",
    "breakpoint",
    "composition",
    "content",
    "easing",
    "elevation",
    "file",
    "fontFamilies",
    "fontSize",
    "fontSizes",
    "fontStyle",
    "fontWeights",
    "icon",
    "image",
    "letterSpacing",
    "lineHeight",
    "lineHeights",
    "link",
    "opacity",
    "other",
    "paragraphIndent",
    "paragraphSpacing",
    "percentage",
    "sizing",
    "spacing",
    "string",
    "text",
    "textCase",
    "textDecoration",
    "time",
];

/// The type of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenType<'d> {
    /// The type, and the index of `$type`.
    Named(&'d str, usize),
    /// Neither the token nor a group states a type.
    Missing,
    /// It depends on another file, or on a reference that is reported elsewhere.
    Unknown,
}

/// Maximum number of references that are followed.
const MAX_HOPS: usize = 50;

/// The type of a token, directly, through its reference or from its groups.
pub(super) fn token_type<'d>(document: &'d Document<'_>, token: &Node) -> TokenType<'d> {
    let mut token = token;
    for _ in 0..MAX_HOPS {
        if let Some(at) = document.child(token.at, "$type") {
            return document.text(at).map_or(TokenType::Unknown, |name| TokenType::Named(name, at));
        }
        let Some(value) = document.token_value(token) else { return TokenType::Unknown };
        let target = match document.datum(value) {
            Datum::Text(text) if document.key(value) == "$ref" => {
                document.pointer(text).map(Target::Value)
            }
            Datum::Text(text) if text.trim_start().starts_with('{') => {
                alias(text).and_then(|path| document.find(path)).map(Target::Token)
            }
            Datum::Map => match document.child_text(value, "$ref") {
                Some(pointer) => document.pointer(pointer).map(Target::Value),
                None => return group_type(document, token),
            },
            _ => return group_type(document, token),
        };
        match target {
            Some(Target::Token(at) | Target::Value(at)) => {
                let whole = document.by_value.get(&at).or_else(|| {
                    let parent = document.value(at).parent?;
                    document.by_value.get(&parent).filter(|_| document.key(at) == "$value")
                });
                match whole {
                    Some(&index) => token = &document.tokens[index],
                    // A part of a value has no type of its own.
                    None => return group_type(document, token),
                }
            }
            None => return TokenType::Unknown,
        }
    }
    TokenType::Unknown
}

fn group_type<'d>(document: &'d Document<'_>, token: &Node) -> TokenType<'d> {
    let mut group = token.group;
    while let Some(index) = group {
        let node = &document.groups[index];
        if let Some(at) = document.child(node.at, "$type") {
            return document.text(at).map_or(TokenType::Unknown, |name| TokenType::Named(name, at));
        }
        if document.extended(node.at).is_some() {
            return TokenType::Unknown;
        }
        group = node.group;
    }
    TokenType::Missing
}

pub(super) fn check(document: &Document<'_>, files: &dyn Files, issues: &mut Vec<Issue>) {
    for node in document.tokens.iter().chain(&document.groups) {
        if let Some(at) = document.child(node.at, "$type") {
            unknown_type(document, at, issues);
        }
    }
    let is_in_resolver = super::project::is_resolver_source(files, document.source.path());
    for token in &document.tokens {
        let Some(value) = document.token_value(token) else { continue };
        match token_type(document, token) {
            TokenType::Named(name, _) => {
                if let Some(expected) = Type::from_name(name) {
                    check_value(document, value, expected, issues);
                }
            }
            // The group can get its type from another file of the resolver.
            TokenType::Missing if document.mode != Mode::Other && !is_in_resolver => {
                let message = format!("the token `{}` has no type", document.key(token.at));
                issues.push(
                    Issue::new(MISSING_TYPE, document.key_span(token.at), message)
                        .help("Add `$type` to the token or to a group that contains it"),
                );
            }
            TokenType::Missing | TokenType::Unknown => {}
        }
    }
}

fn unknown_type(document: &Document<'_>, at: usize, issues: &mut Vec<Issue>) {
    let Some(name) = document.text(at) else { return };
    if Type::from_name(name).is_some() || document.mode == Mode::Other {
        return;
    }
    if OTHER_TYPES.contains(&name) && !document.has_schema() {
        return;
    }
    let span = document.span(at);
    let near = closest(name, Type::NAMES.iter().map(|&(name, _)| (name, name)));
    let issue = Issue::new(UNKNOWN_TYPE, span, format!("`{name}` is not a type of the format"));
    issues.push(match near {
        Some(near) => {
            let title = format!("Write `{near}`");
            let edits = vec![Edit::replace(span, format!("\"{near}\""))];
            let issue = issue.help(title.as_str());
            // Another word can have another meaning.
            if near.eq_ignore_ascii_case(name) {
                issue.fix(title, edits)
            } else {
                issue.fix_unsafe(title, edits)
            }
        }
        None => {
            let names: Vec<&str> = Type::NAMES.iter().map(|&(name, _)| name).collect();
            issue.help(format!("The types are {}", names.join(", ")))
        }
    });
}

fn check_value(document: &Document<'_>, value: usize, expected: Type, issues: &mut Vec<Issue>) {
    // Values of earlier drafts are reported once for the file.
    if document.mode != Mode::Current && values::is_draft(document, value, expected) {
        return;
    }
    // Other tools have values of their own, such as calculations and units.
    if document.mode == Mode::Other {
        return;
    }
    for problem in problems(document, value, expected) {
        let mut issue = Issue::new(INVALID_VALUE, document.span(problem.at), problem.message);
        issue.help = problem.help;
        if let Some((title, text)) = problem.fix {
            issue = issue.fix(title, vec![Edit::replace(document.span(problem.at), text)]);
        }
        issues.push(issue);
    }
}
