//! Compares a document with its base, and finds changes that break clients of the interface.
//!
//! The server accepts requests, so a narrower description of a request breaks clients. Clients read
//! responses, so a wider description of a response breaks clients.

mod operations;
mod schemas;
mod security;

use super::document::{Document, METHODS};
use super::structure::version_span;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::{Source, Span};
use std::collections::{BTreeMap, HashSet};

/// Maximum size of a document of the base, in bytes.
const MAX_BASE_BYTES: u64 = 32 << 20;

/// The part of the interface that a breaking change affects. Each variant has its own rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Affected {
    Operation,
    Request,
    Response,
}

use Affected::{Operation, Request, Response};

/// A change that breaks clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    affected: Affected,
    span: Span,
    message: String,
    help: &'static str,
    /// Whether the change breaks few clients, or the removal was announced.
    is_minor: bool,
    /// The announced date of a removal.
    sunset: Option<String>,
}

pub(super) fn removed_operation(document: &Document<'_>, report: &mut Report<'_>) {
    report_changes(document, Operation, report);
}

pub(super) fn breaking_request(document: &Document<'_>, report: &mut Report<'_>) {
    report_changes(document, Request, report);
}

pub(super) fn breaking_response(document: &Document<'_>, report: &mut Report<'_>) {
    report_changes(document, Response, report);
}

fn report_changes(document: &Document<'_>, affected: Affected, report: &mut Report<'_>) {
    let today = report.today().map(|today| today.to_string());
    let changes = document.changes.get_or_init(|| find_changes(document).unwrap_or_default());
    for change in changes.iter().filter(|change| change.affected == affected) {
        // The alphabetical order of ISO 8601 dates is their chronological order.
        let sunset =
            change.sunset.as_ref().filter(|date| today.as_ref().is_some_and(|today| today < *date));
        let message = match sunset {
            Some(date) => format!("{} before its sunset on {date}", change.message),
            None => change.message.clone(),
        };
        let finding = report.at(change.span, message);
        finding.help(change.help);
        if change.is_minor && sunset.is_none() {
            finding.severity = aidd_engine::text::finding::Severity::Info;
        }
    }
}

/// The changes since the base; `None` if there is no base to compare with.
fn find_changes(document: &Document<'_>) -> Option<Vec<Change>> {
    let (files, path) = document.files.base_of(&document.parts.all[0].path)?;
    let source = Source::decode(path.clone(), files.read(&path, MAX_BASE_BYTES).ok()?);
    let base = Document::parse(&source, files).ok()?;
    if base.source.text() == document.source.text() {
        return None;
    }
    let mut comparison = Comparison {
        base: &base,
        head: document,
        is_new_specification: base.version != document.version,
        seen: HashSet::new(),
        steps: 0,
        found: Vec::new(),
    };
    comparison.compare_documents();
    let mut found = comparison.found;
    if is_major_change(&base, document) {
        found.iter_mut().for_each(|change| change.is_minor = true);
    }
    let mut seen = HashSet::new();
    found.retain(|change| seen.insert((change.span, change.message.clone())));
    Some(found)
}

/// Whether the major version of the interface increased.
fn is_major_change(base: &Document<'_>, head: &Document<'_>) -> bool {
    let major = |document: &Document<'_>| {
        let version = document.get_path(document.root, &["info", "version"])?;
        let version = document.text(version)?.trim_start_matches(['v', 'V']);
        version.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()
    };
    matches!((major(base), major(head)), (Some(before), Some(after)) if before < after)
}

/// The direction of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Direction {
    /// From clients to the server.
    In,
    /// From the server to clients.
    Out,
}

/// A comparison of a document with its base.
struct Comparison<'d, 'b> {
    base: &'d Document<'b>,
    head: &'d Document<'b>,
    /// Whether the version of the specification changed. Changes to schemas are then only
    /// information, because a new generator often describes the same schemas differently.
    is_new_specification: bool,
    /// The compared pairs of schemas.
    seen: HashSet<(usize, usize, Direction)>,
    /// The number of compared pairs.
    steps: usize,
    found: Vec<Change>,
}

/// An operation of the base or of the head.
#[derive(Clone, Copy, Debug)]
struct Method {
    /// The path item.
    item: usize,
    operation: usize,
}

/// A path of the base or of the head: its name, its value in `paths`, and its operations by method.
struct Path<'d> {
    name: &'d str,
    entry: usize,
    methods: BTreeMap<&'d str, Method>,
}

/// A path without the names of its parameters, which are not visible to clients.
fn normalized(path: &str) -> String {
    let mut rest = path.trim_end_matches('/');
    let mut normalized = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        normalized.push_str(before);
        normalized.push_str("{}");
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    normalized.push_str(rest);
    normalized
}

/// The paths in `paths` or `webhooks`; `None` for a path item that was not read.
fn paths<'d>(document: &'d Document<'_>, field: &str) -> BTreeMap<String, Option<Path<'d>>> {
    let mut paths = BTreeMap::new();
    for (name, entry, item) in document.path_items(field) {
        let path = item.map(|item| {
            let additional = document.get(item, "additionalOperations");
            let additional = additional.map_or(&[][..], |map| document.children(map));
            let fields =
                METHODS.iter().filter_map(|&method| Some((method, document.get(item, method)?)));
            let methods = fields.chain(additional.iter().map(|&at| (document.key(at), at)));
            let methods = methods.filter_map(|(method, at)| {
                let operation = document.resolve(at).filter(|&at| document.is_map(at))?;
                Some((method, Method { item, operation }))
            });
            Path { name, entry, methods: methods.collect() }
        });
        paths.entry(normalized(name)).or_insert(path);
    }
    paths
}

impl<'d> Comparison<'d, '_> {
    fn add(
        &mut self,
        affected: Affected,
        span: Span,
        message: String,
        help: &'static str,
    ) -> &mut Change {
        let change = Change { affected, span, message, help, is_minor: false, sunset: None };
        self.found.push(change);
        let last = self.found.len() - 1;
        &mut self.found[last]
    }

    fn compare_documents(&mut self) {
        for (field, direction) in [("paths", Direction::In), ("webhooks", Direction::Out)] {
            let (base, head) = (paths(self.base, field), paths(self.head, field));
            // If the file with the paths was not read, nothing is known about the paths.
            if base.is_empty() || !self.is_known(field) {
                continue;
            }
            for (name, before) in &base {
                let Some(before) = before else { continue };
                match head.get(name) {
                    None => self.report_removed_path(field, before),
                    Some(Some(after)) => self.compare_paths(before, after, direction),
                    Some(None) => {}
                }
            }
        }
    }

    /// Whether the field `field` of the head was read, or does not exist.
    fn is_known(&self, field: &str) -> bool {
        let paths = self.head.get(self.head.root, field);
        paths.is_none_or(|paths| self.head.resolve(paths).is_some())
    }

    fn report_removed_path(&mut self, field: &str, path: &Path<'d>) {
        let head = self.head;
        let span =
            head.get(head.root, field).map_or_else(|| version_span(head), |at| head.key_span(at));
        let remaining = path.methods.values().filter(|method| !self.is_unstable(method.operation));
        let remaining: Vec<usize> = remaining.map(|method| method.operation).collect();
        let Some(&first) = remaining.first() else { return };
        let is_deprecated = remaining.iter().all(|&at| self.is_deprecated(at));
        let sunset = self.sunset(first);
        let what = if field == "paths" { "path" } else { "webhook" };
        let change = self.add(
            Operation,
            span,
            format!("the {what} `{}` was removed", super::document::short(path.name)),
            REMOVED,
        );
        change.is_minor = is_deprecated;
        change.sunset = sunset.filter(|_| is_deprecated);
    }

    fn compare_paths(&mut self, before: &Path<'d>, after: &Path<'d>, direction: Direction) {
        for (method, &base) in &before.methods {
            if self.is_unstable(base.operation) {
                continue;
            }
            let name =
                format!("`{} {}`", method.to_uppercase(), super::document::short(after.name));
            match after.methods.get(method) {
                Some(&head) => self.compare_operations(
                    (&name, before.name, after.name),
                    (base, head),
                    direction,
                ),
                None => {
                    let is_deprecated = self.is_deprecated(base.operation);
                    let sunset = self.sunset(base.operation);
                    let span = self.head.key_span(after.entry);
                    let change = self.add(Operation, span, format!("{name} was removed"), REMOVED);
                    change.is_minor = is_deprecated;
                    change.sunset = sunset.filter(|_| is_deprecated);
                }
            }
        }
    }

    fn is_deprecated(&self, operation: usize) -> bool {
        self.base.bool_of(operation, "deprecated") == Some(true)
    }

    /// Whether the base marks an operation as a draft, which clients should not rely on.
    fn is_unstable(&self, operation: usize) -> bool {
        matches!(self.base.text_of(operation, "x-stability-level"), Some("draft" | "alpha"))
    }

    /// The announced date of the removal.
    fn sunset(&self, operation: usize) -> Option<String> {
        let text = self.base.text_of(operation, "x-sunset")?;
        let date = text.get(..10)?;
        let is_date = date.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        is_date.then(|| date.to_owned())
    }
}

/// The remedy for a removal.
const REMOVED: &str =
    "Restore it and mark it `deprecated`, or increase the major version in `info.version`";

#[cfg(test)]
mod tests;
