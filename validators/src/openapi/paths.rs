//! Checks on the paths and their parameters.

use super::document::{Document, METHODS, short};
use super::fixes::unquoted_key;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Maximum number of paths that are compared, and maximum number of comparisons of segments.
const MAX_COMPARED: (usize, usize) = (1000, 200_000);

/// The names in braces in a path.
fn template_names(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = path;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        names.push(name);
        rest = after;
    }
    names
}

/// A name without the operators of URI templates, which some frameworks support.
fn base_name(name: &str) -> &str {
    name.trim_start_matches(['+', '.', '/', ';', '?', '&', '#']).trim_end_matches('*')
}

/// The declared path parameters: their names and spans.
type Declared<'d> = Vec<(&'d str, Span)>;

/// The path parameters in the field `parameters` of `at`, and whether the list is complete.
fn declared<'d>(document: &'d Document<'_>, at: usize) -> (Declared<'d>, bool) {
    let Some(list) = document.get(at, "parameters") else { return (Vec::new(), true) };
    let mut is_complete = document.reference(list).is_none();
    let mut found = Vec::new();
    for &item in document.children(list) {
        let Some(parameter) = document.resolve(item) else {
            is_complete = false;
            continue;
        };
        let name = document.get(parameter, "name");
        if document.text_of(parameter, "in") != Some("path") {
            continue;
        }
        let Some(text) = name.and_then(|name| document.text(name)) else { continue };
        // A parameter in `components` is reported where it is referenced.
        let shown = if parameter == item { name } else { document.reference(item) };
        found.push((text, document.span(shown.unwrap_or(item))));
    }
    (found, is_complete)
}

pub(super) fn path_parameters(document: &Document<'_>, report: &mut Report<'_>) {
    let mut methods: HashMap<usize, Vec<(&str, usize)>> = HashMap::new();
    for operation in document.operations() {
        methods.entry(operation.entry).or_default().push((operation.method, operation.at));
    }
    let mut seen = HashSet::new();
    for (path, entry, item) in document.path_items("paths") {
        if super::document::is_template(path) {
            continue;
        }
        let names: Vec<&str> = template_names(path);
        duplicate_names(document, (path, entry), &names, report);
        let names: HashSet<&str> = names.into_iter().map(base_name).collect();
        let Some(item) = item.filter(|&item| seen.insert(item)) else { continue };
        let (shared, is_complete) = declared(document, item);
        report_unknown(&shared, &names, path, report);
        let operations = methods.get(&entry).map_or(&[][..], Vec::as_slice);
        let mut missing: Vec<(&str, Span, &str)> = Vec::new();
        for &(method, at) in operations {
            let (own, is_own_complete) = declared(document, at);
            report_unknown(&own, &names, path, report);
            if !is_complete || !is_own_complete {
                continue;
            }
            let declared = own.iter().chain(&shared);
            let known: HashSet<&str> = declared.map(|(name, _)| base_name(name)).collect();
            let unknown = names.iter().filter(|name| !name.is_empty() && !known.contains(**name));
            missing.extend(unknown.map(|name| (*name, document.key_span(at), method)));
        }
        missing.sort_unstable();
        for group in missing.chunk_by(|first, second| first.0 == second.0) {
            let (name, _, _) = group[0];
            let help = format!("Declare a parameter `{name}` with `in: path`, or correct the name");
            if group.len() == operations.len() {
                let message = format!("the path parameter `{name}` is not declared");
                report.at(document.key_span(entry), message).help(help);
                continue;
            }
            for (name, span, method) in group {
                let message = format!("the path parameter `{name}` is not declared for `{method}`");
                report.at(*span, message).help(help.clone());
            }
        }
    }
}

fn duplicate_names(
    document: &Document<'_>,
    (path, entry): (&str, usize),
    names: &[&str],
    report: &mut Report<'_>,
) {
    let mut seen = HashSet::new();
    let duplicate = names.iter().find(|name| !name.is_empty() && !seen.insert(base_name(name)));
    if let Some(name) = duplicate {
        report
            .at(document.key_span(entry), format!("`{path}` contains `{{{name}}}` twice"))
            .help("Rename one of the two parameters");
    }
}

fn report_unknown(
    declared: &Declared<'_>,
    names: &HashSet<&str>,
    path: &str,
    report: &mut Report<'_>,
) {
    for (name, span) in declared {
        if !names.contains(name) && !names.contains(base_name(name)) {
            report
                .at(
                    *span,
                    format!("the path `{}` has no parameter `{{{}}}`", short(path), short(name)),
                )
                .help("Correct the name, or remove the parameter");
        }
    }
}

/// A path without the names of its parameters.
fn normalized(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((_, after)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            break;
        };
        text.push_str("{}");
        rest = after;
    }
    text.push_str(rest);
    text
}

pub(super) fn identical_paths(document: &Document<'_>, report: &mut Report<'_>) {
    let mut seen: HashMap<String, (usize, &str)> = HashMap::new();
    for (path, entry, _) in document.path_items("paths") {
        match seen.get(&normalized(path)) {
            Some(&(first, first_path)) => {
                report
                    .at(
                        document.key_span(entry),
                        format!("`{path}` is identical to `{first_path}`"),
                    )
                    .help("Write the operations in one path item")
                    .related(document.key_span(first), "the first path");
            }
            None => _ = seen.insert(normalized(path), (entry, path)),
        }
    }
}

/// The paths as a tree of their segments.
#[derive(Default)]
struct Node<'d> {
    literals: BTreeMap<&'d str, usize>,
    parameter: Option<usize>,
    /// The paths that end here.
    ends: Vec<End<'d>>,
}

/// A path, and the methods of its operations.
struct End<'d> {
    entry: usize,
    path: &'d str,
    /// `None` if they are not known.
    methods: Option<BTreeSet<&'d str>>,
}

/// Maximum number of identical paths that are compared.
const MAX_IDENTICAL: usize = 10;

/// The methods of the operations of a path item.
fn methods<'d>(document: &'d Document<'_>, item: Option<usize>) -> Option<BTreeSet<&'d str>> {
    let item = item?;
    let additional = document.get(item, "additionalOperations");
    let additional = additional.map_or(&[][..], |map| document.children(map)).iter();
    let fields = METHODS.into_iter().filter(|method| document.get(item, method).is_some());
    let methods: BTreeSet<&str> = fields.chain(additional.map(|&at| document.key(at))).collect();
    (!methods.is_empty()).then_some(methods)
}

pub(super) fn ambiguous_paths(document: &Document<'_>, report: &mut Report<'_>) {
    let mut nodes = vec![Node::default()];
    let mut steps = 0;
    // A path such as `/guilds/templates/{code}` conflicts with many others, so only its first
    // conflict is reported.
    let mut reported = HashSet::new();
    for (path, entry, item) in document.path_items("paths").take(MAX_COMPARED.0) {
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let methods = methods(document, item);
        let found = find_ambiguous(&nodes, &segments, methods.as_ref(), &mut steps);
        if let Some((other, other_path)) = found
            && reported.insert(other)
        {
            report
                .at(
                    document.key_span(entry),
                    format!("`{path}` and `{other_path}` match the same URLs"),
                )
                .help("Change a fixed part of one of the paths")
                .related(document.key_span(other), "the other path");
        }
        let mut at = 0;
        for segment in segments {
            let next = nodes.len();
            let child = if is_parameter(segment) {
                *nodes[at].parameter.get_or_insert(next)
            } else {
                *nodes[at].literals.entry(segment).or_insert(next)
            };
            if child == next {
                nodes.push(Node::default());
            }
            at = child;
        }
        if nodes[at].ends.len() < MAX_IDENTICAL {
            nodes[at].ends.push(End { entry, path, methods });
        }
    }
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{') && segment.find('}') == Some(segment.len() - 1)
}

/// An earlier path that matches some URLs of a path, if neither is more specific: each has a
/// parameter where the other has a fixed segment, and both have an operation with the same method.
fn find_ambiguous<'d>(
    nodes: &[Node<'d>],
    segments: &[&str],
    methods: Option<&BTreeSet<&str>>,
    steps: &mut usize,
) -> Option<(usize, &'d str)> {
    // The node, the position, and whether this path and the other path were more specific so far.
    let mut pending = vec![(0_usize, 0_usize, false, false)];
    while let Some((at, position, is_this, is_other)) = pending.pop() {
        *steps += 1;
        if *steps > MAX_COMPARED.1 {
            return None;
        }
        let node = &nodes[at];
        let Some(segment) = segments.get(position) else {
            let is_common = |end: &&End<'_>| match (&end.methods, methods) {
                (Some(one), Some(other)) => !one.is_disjoint(other),
                _ => true,
            };
            if is_this
                && is_other
                && let Some(end) = node.ends.iter().find(is_common)
            {
                return Some((end.entry, end.path));
            }
            continue;
        };
        let next = position + 1;
        if is_parameter(segment) {
            pending.extend(node.parameter.map(|child| (child, next, is_this, is_other)));
            let literals = node.literals.iter().filter(|(literal, _)| !literal.contains('{'));
            pending.extend(literals.map(|(_, &child)| (child, next, is_this, true)));
        } else {
            let literal = node.literals.get(segment);
            pending.extend(literal.map(|&child| (child, next, is_this, is_other)));
            let parameter =
                node.parameter.filter(|_| !segment.contains('{') && !segment.is_empty());
            pending.extend(parameter.map(|child| (child, next, true, is_other)));
        }
    }
    None
}

pub(super) fn trailing_slash(document: &Document<'_>, report: &mut Report<'_>) {
    for (path, entry, _) in document.path_items("paths") {
        let Some(shorter) = path.strip_suffix('/').filter(|shorter| !shorter.is_empty()) else {
            continue;
        };
        let written = unquoted_key(document, entry);
        let finding = report.at(document.key_span(entry), format!("`{path}` ends with a slash"));
        finding.help("Remove the slash");
        if let Some(span) = written {
            finding.fix_unsafe(format!("Write `{shorter}`"), vec![Edit::replace(span, shorter)]);
        }
    }
}

pub(super) fn query_in_path(document: &Document<'_>, report: &mut Report<'_>) {
    for (path, entry, _) in document.path_items("paths") {
        if normalized(path).contains('?') {
            report
                .at(document.key_span(entry), format!("`{path}` contains a query string"))
                .help("Describe the query string with parameters that have `in: query`");
        }
    }
}

pub(super) fn empty_path_parameter(document: &Document<'_>, report: &mut Report<'_>) {
    for (path, entry, _) in document.path_items("paths") {
        if template_names(path).iter().any(|name| name.trim().is_empty()) {
            report
                .at(document.key_span(entry), format!("`{path}` has a parameter without a name"))
                .help("Write the name of the parameter in the braces");
        }
    }
}

/// The first word of a segment. Words end at case changes, dots, colons, hyphens and underscores.
fn first_word(segment: &str) -> &str {
    let end = segment.char_indices().find(|&(at, c)| {
        matches!(c, '-' | '_' | '.' | ':')
            || at > 0 && c.is_uppercase() && !segment.starts_with(char::is_uppercase)
    });
    end.map_or(segment, |(end, _)| &segment[..end])
}

pub(super) fn http_verb_in_path(document: &Document<'_>, report: &mut Report<'_>) {
    const VERBS: [&str; 5] = ["get", "put", "post", "delete", "patch"];
    for (path, entry, _) in document.path_items("paths") {
        let literals = path.split('/').filter(|segment| !segment.contains('{'));
        let verb = literals.map(first_word).find(|word| VERBS.contains(&&*word.to_lowercase()));
        if let Some(verb) = verb {
            report
                .at(document.key_span(entry), format!("`{path}` contains the HTTP method `{verb}`"))
                .help("Name the resource; the method of the operation states the action");
        }
    }
}

pub(super) fn path_case(document: &Document<'_>, report: &mut Report<'_>) {
    let is_kebab = |segment: &str| {
        segment
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte))
    };
    for (path, entry, _) in document.path_items("paths") {
        let literals = normalized(path);
        let literals = literals.split('/').map(|segment| segment.replace("{}", ""));
        if let Some(segment) = literals.into_iter().find(|segment| !is_kebab(segment)) {
            report
                .at(
                    document.key_span(entry),
                    format!("`{segment}` in `{path}` is not in kebab-case"),
                )
                .help("Write lower-case words with hyphens between them");
        }
    }
}
