//! References between tokens and groups: whether they are well-formed, exist, end, and have the
//! right type.

use super::document::{Document, Layout, Node, alias};
use super::mode::Mode;
use super::project::Universe;
use super::types::{TokenType, token_type};
use super::values::{Type, problems};
use super::{
    CIRCULAR, INVALID_EXTENDS, INVALID_REFERENCE, Issue, MISSING_REFERENCE, REFERENCE_TYPE,
};
use aidd_engine::parse::values::Datum;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::nearest::closest;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

/// What a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The token at this value.
    Token(usize),
    /// Any value of the document.
    Value(usize),
}

/// A reference in the value of a token.
struct Reference<'d> {
    /// The index of the string.
    at: usize,
    /// The path in curly braces, or the JSON pointer.
    to: &'d str,
    is_pointer: bool,
    /// The type that its place requires.
    expected: Option<Type>,
}

/// Maximum number of names of other files that a missing name is compared with.
const MAX_CANDIDATES: usize = 2000;

/// Maximum number of missing names of a file for which a similar name is searched.
const MAX_SUGGESTIONS: usize = 25;
/// Maximum length of a chain of groups that is searched for a circle.
const MAX_CHAIN: usize = 100;

struct Checker<'d, 'a, 'f> {
    document: &'d Document<'a>,
    files: &'f dyn Files,
    universe: OnceCell<(Arc<Universe>, bool)>,
}

pub(super) fn check(document: &Document<'_>, files: &dyn Files, issues: &mut Vec<Issue>) {
    let checker = Checker { document, files, universe: OnceCell::new() };
    let mut edges: Vec<Vec<(usize, usize)>> = vec![Vec::new(); document.tokens.len()];
    for (index, token) in document.tokens.iter().enumerate() {
        for reference in references(document, token, issues) {
            let target = checker.target(token, &reference, issues);
            // Sets of Tokens Studio replace tokens of other sets.
            let is_same =
                |to: &usize| set_of(document, token) == set_of(document, &document.tokens[*to]);
            edges[index].extend(target.filter(is_same).map(|to| (to, reference.at)));
        }
    }
    cycles(document, &edges, issues);
    for group in &document.groups {
        checker.extends(group, issues);
    }
}

/// The set of Tokens Studio that contains a token.
fn set_of(document: &Document<'_>, token: &Node) -> Option<usize> {
    if document.layout != Layout::Sets {
        return None;
    }
    let mut at = token.at;
    while let Some(parent) = document.value(at).parent.filter(|up| Some(*up) != document.root()) {
        at = parent;
    }
    Some(at)
}

/// The references in the value of a token.
fn references<'d>(
    document: &'d Document<'_>,
    token: &Node,
    issues: &mut Vec<Issue>,
) -> Vec<Reference<'d>> {
    let mut found = Vec::new();
    let Some(value) = document.token_value(token) else { return found };
    // A reference without `$type` has the type of its target.
    let own = document.child_text(token.at, "$type").and_then(Type::from_name);
    let composite = match token_type(document, token) {
        TokenType::Named(name, _) => Type::from_name(name),
        _ => None,
    };
    let mut pending = vec![(value, own, composite)];
    while let Some((at, expected, around)) = pending.pop() {
        match document.datum(at) {
            Datum::Text(text) if document.key(at) == "$ref" => {
                found.push(Reference { at, to: text, is_pointer: true, expected });
            }
            Datum::Text(text)
                if document.layout == Layout::Format && document.mode != Mode::Other =>
            {
                match alias(text) {
                    Some(to) if !to.is_empty() => {
                        found.push(Reference { at, to, is_pointer: false, expected });
                    }
                    _ if text.trim_start().starts_with('{') => {
                        let message = format!("`{text}` is not a reference");
                        let help =
                            "Write the path of a token in curly braces, such as `{color.brand}`";
                        issues.push(
                            Issue::new(INVALID_REFERENCE, document.span(at), message).help(help),
                        );
                    }
                    _ => {}
                }
            }
            Datum::Text(text) => {
                // Other tools replace references inside of strings.
                let parts = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
                let names = parts.map(|(name, _)| name.trim()).filter(|name| is_name(name));
                found.extend(names.map(|to| Reference {
                    at,
                    to,
                    is_pointer: false,
                    expected: None,
                }));
            }
            Datum::Map if document.child(at, "$ref").is_some() => {
                let Some(pointer) = document.child(at, "$ref") else { continue };
                if document.text(pointer).is_some() {
                    pending.push((pointer, expected, None));
                } else {
                    let message = "`$ref` must be a string";
                    issues.push(Issue::new(INVALID_REFERENCE, document.span(pointer), message));
                }
            }
            Datum::Map => {
                for &child in document.children(at) {
                    let key = document.key(child);
                    let members = around.map_or(&[][..], Type::members);
                    let member =
                        members.iter().find(|(name, _)| *name == key).map(|&(_, kind)| kind);
                    let is_dash = around == Some(Type::StrokeStyle) && key == "dashArray";
                    let inner = if is_dash { Some(Type::Dimension) } else { member };
                    pending.push((child, if is_dash { None } else { member }, inner));
                }
            }
            Datum::List => {
                let item = match around {
                    Some(Type::Shadow | Type::Gradient | Type::Dimension) => around,
                    _ => None,
                };
                pending.extend(document.children(at).iter().map(|&child| (child, item, around)));
            }
            _ => {}
        }
    }
    found
}

/// Whether the text in curly braces can be a path of names rather than code.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(['$', '\n', ';', ':', '"', '('])
}

impl Checker<'_, '_, '_> {
    fn project(&self) -> &(Arc<Universe>, bool) {
        self.universe.get_or_init(|| super::project::universe(self.document, self.files))
    }

    fn universe(&self) -> &Universe {
        &self.project().0
    }

    /// Whether tokens of the document can come from outside of the project.
    fn is_open(&self) -> bool {
        self.project().1
    }

    /// Whether a token contains the value that a name leads to. Style Dictionary replaces such
    /// references too.
    fn is_below_token(&self, name: &str) -> bool {
        let is_token = |above: &str| {
            self.document.by_path.contains_key(above) || self.universe().token(above).is_some()
        };
        name.match_indices('.').any(|(at, _)| is_token(&name[..at]))
    }

    /// The index of the token that a reference names, after reporting what is wrong with it.
    fn target(
        &self,
        token: &Node,
        reference: &Reference<'_>,
        issues: &mut Vec<Issue>,
    ) -> Option<usize> {
        if reference.is_pointer {
            return self.pointer(token, reference, issues);
        }
        let document = self.document;
        let span = document.span(reference.at);
        let to = reference.to;
        let short = to.strip_suffix(".value").filter(|_| document.layout != Layout::Format);
        let known = document.by_path.get(to).or_else(|| document.by_path.get(short?)).copied();
        let at = match known {
            Some(index) => Some(document.tokens[index].at),
            None if document.layout == Layout::Format => document.find(to),
            None => None,
        };
        if let Some(index) = at.and_then(|at| document.token_around(at)) {
            self.types(token, reference, at?, issues);
            return Some(index);
        }
        if let Some(name) = self.universe().token(to) {
            if let (Some(expected), Some(found)) =
                (reference.expected, name.as_deref().and_then(Type::from_name))
                && found != expected
                && !self.is_open()
            {
                issues.push(wrong_type(document, reference, expected, found.name()));
            }
            return None;
        }
        if document.layout != Layout::Format && self.universe().has_group(to)
            || document.mode == Mode::Other && self.is_below_token(to)
        {
            return None;
        }
        let is_closed = !self.is_open();
        match at {
            Some(at) if document.mode != Mode::Other => {
                let message = format!("`{{{to}}}` names a group, not a token");
                let issue = Issue::new(MISSING_REFERENCE, span, message);
                issues.push(if document.child(at, "$root").is_some() {
                    let text = format!("\"{{{to}.$root}}\"");
                    issue.fix(format!("Write {text}"), vec![Edit::replace(span, text)])
                } else {
                    issue.help("Name a token in this group")
                });
            }
            None if is_closed => {
                let message = format!("the token `{{{to}}}` does not exist");
                let issue = Issue::new(MISSING_REFERENCE, span, message);
                let own = document.tokens.iter().map(|token| token.path.as_str());
                let names = own.chain(self.universe().names()).take(MAX_CANDIDATES);
                let names = names.filter(|name| *name != token.path);
                let is_searched = issues.len() < MAX_SUGGESTIONS;
                let near = is_searched.then(|| closest(to, names.map(|name| (name, name))));
                issues.push(match near.flatten() {
                    Some(near) => issue.help(format!("Did you mean `{{{near}}}`?")),
                    None => issue,
                });
            }
            _ => {}
        }
        None
    }

    fn pointer(
        &self,
        token: &Node,
        reference: &Reference<'_>,
        issues: &mut Vec<Issue>,
    ) -> Option<usize> {
        let document = self.document;
        let span = document.span(reference.at);
        let to = reference.to;
        // Files and addresses are outside of this file.
        let rest = to.strip_prefix('#')?;
        let has_bad_escape = rest
            .match_indices('~')
            .any(|(at, _)| !matches!(rest.as_bytes().get(at + 1), Some(b'0' | b'1')));
        if !rest.starts_with('/') || has_bad_escape {
            let message = format!("`{to}` is not a JSON pointer");
            issues.push(
                Issue::new(INVALID_REFERENCE, span, message)
                    .help("Write a path such as `#/color/brand/$value`"),
            );
            return None;
        }
        let Some(at) = document.pointer(to) else {
            let is_merged = super::project::is_resolver_source(self.files, document.source.path());
            if document.mode != Mode::Other && !is_merged {
                let message = format!("`{to}` does not exist in this file");
                issues.push(Issue::new(MISSING_REFERENCE, span, message));
            }
            return None;
        };
        self.types(token, reference, at, issues);
        document.token_around(at)
    }

    /// Reports a reference to a value at `at` of another type.
    fn types(&self, token: &Node, reference: &Reference<'_>, at: usize, issues: &mut Vec<Issue>) {
        let document = self.document;
        let Some(expected) = reference.expected.filter(|_| document.mode != Mode::Other) else {
            return;
        };
        let is_whole = document.by_value.contains_key(&at) || document.key(at) == "$value";
        let target = document.token_around(at).map(|index| &document.tokens[index]);
        if !is_whole {
            if reference.is_pointer && !problems(document, at, expected).is_empty() {
                let what = expected.name();
                let message = format!("`{}` is not a value of type {what}", reference.to);
                issues.push(Issue::new(REFERENCE_TYPE, document.span(reference.at), message));
            }
            return;
        }
        let Some(target) = target.filter(|target| target.at != token.at) else { return };
        if let TokenType::Named(name, _) = token_type(document, target)
            && Type::from_name(name).is_some_and(|found| found != expected)
        {
            issues.push(wrong_type(document, reference, expected, name));
        }
    }

    /// Checks the group that a group extends.
    fn extends(&self, group: &Node, issues: &mut Vec<Issue>) {
        let document = self.document;
        if document.layout != Layout::Format || document.mode == Mode::Other {
            return;
        }
        let key = ["$extends", "$ref"].iter().find_map(|key| document.child(group.at, key));
        let Some(reference) = key else { return };
        let span = document.span(reference);
        let Some(text) = document.text(reference) else {
            let message = format!("`{}` must be a string", document.key(reference));
            issues.push(Issue::new(INVALID_EXTENDS, span, message));
            return;
        };
        let name = alias(text);
        if name.is_none() && !text.starts_with('#') {
            if document.key(reference) == "$extends" {
                let message = format!("`{text}` is not a reference to a group");
                issues.push(
                    Issue::new(INVALID_EXTENDS, span, message)
                        .help("Write the path of a group in curly braces, such as `{button}`"),
                );
            }
            return;
        }
        let Some(target) = document.extended(group.at).flatten() else {
            let is_elsewhere = name.is_some_and(|name| self.universe().has_group(name));
            if !is_elsewhere && !self.is_open() {
                let message = format!("the group `{text}` does not exist");
                issues.push(Issue::new(INVALID_EXTENDS, span, message));
            }
            return;
        };
        if document.is_token(target) {
            let message = format!("`{text}` is a token; a group can only extend a group");
            issues.push(Issue::new(INVALID_EXTENDS, span, message));
            return;
        }
        let mut above = Some(group.at);
        while let Some(at) = above {
            if at == target {
                let message = format!("the group extends `{text}`, which contains it");
                issues.push(Issue::new(INVALID_EXTENDS, span, message));
                return;
            }
            above = document.value(at).parent;
        }
        let mut seen = HashSet::from([group.at]);
        let mut at = target;
        while seen.len() < MAX_CHAIN && seen.insert(at) {
            let Some(next) = document.extended(at).flatten() else { return };
            at = next;
        }
        // The group that closes the cycle reports it.
        if at == group.at {
            let message = format!("the group extends itself through `{text}`");
            issues.push(Issue::new(INVALID_EXTENDS, span, message));
        }
    }
}

fn wrong_type(
    document: &Document<'_>,
    reference: &Reference<'_>,
    expected: Type,
    found: &str,
) -> Issue {
    let what = expected.name();
    let message = format!("`{}` has the type {found}, but a {what} is required here", reference.to);
    Issue::new(REFERENCE_TYPE, document.span(reference.at), message)
}

/// Reports each cycle once, at the first reference that closes it.
fn cycles(document: &Document<'_>, edges: &[Vec<(usize, usize)>], issues: &mut Vec<Issue>) {
    // 0: not visited, 1: on the path, 2: done.
    let mut states = vec![0_u8; edges.len()];
    for start in 0..edges.len() {
        if states[start] != 0 {
            continue;
        }
        let mut path = vec![(start, 0)];
        states[start] = 1;
        while let Some((token, next)) = path.last_mut() {
            let Some(&(to, at)) = edges[*token].get(*next) else {
                states[*token] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            match states[to] {
                0 => {
                    states[to] = 1;
                    path.push((to, 0));
                }
                1 => {
                    let from = path.iter().position(|(token, _)| *token == to).unwrap_or(0);
                    let tokens = path[from..].iter().map(|(token, _)| *token).chain([to]);
                    let names: Vec<&str> =
                        tokens.map(|token| document.tokens[token].path.as_str()).collect();
                    let message = format!("circular reference: {}", names.join(" → "));
                    issues.push(
                        Issue::new(CIRCULAR, document.span(at), message)
                            .help("Give one of these tokens a value"),
                    );
                }
                _ => {}
            }
        }
    }
}
