//! Files that are parts of OpenAPI documents. They are checked as parts of the documents that refer
//! to them, and their findings are reported once.

use super::document::Document;
use super::{CHECKS, is_data, is_document};
use aidd_engine::rules::rule::{Params, Report, Setting, Settings};
use aidd_engine::text::files::{Files, RunCache};
use aidd_engine::text::finding::{Finding, Severity};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths;
use aidd_engine::text::source::Source;
use jiff::civil::Date;
use memchr::memmem;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Maximum size of a document that is read for its parts, in bytes.
const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

/// The keys that identify a part; a part contains at least one of these keys.
const KEYS: [&str; 8] =
    ["$ref", "properties", "schema", "responses", "allOf", "anyOf", "oneOf", "enum"];

/// Findings by path.
type ByPath = HashMap<String, Vec<Finding>>;

/// Marks findings that are reported with the configured severity of their rule; other severities
/// are final.
const UNCHANGED: Severity = Severity::Error;

/// Settings that enable every rule with the severity [`UNCHANGED`].
pub(super) static ALL: LazyLock<Settings> = LazyLock::new(|| {
    let setting =
        Setting { severity: Some(UNCHANGED), params: Params::default(), is_configured: false };
    CHECKS.iter().map(|&(id, _)| (id.into(), setting.clone())).collect()
});

/// Whether the file at `path` can be a part of a document.
pub(super) fn is_candidate(path: &str, text: &str) -> bool {
    is_data(path)
        && KEYS.iter().any(|key| {
            memmem::find_iter(text.as_bytes(), key).any(|at| {
                let rest = text[at + key.len()..].trim_start_matches(['"', '\'']);
                rest.trim_start_matches(' ').starts_with(':')
            })
        })
}

/// Checks the file of `report` as a part of the documents that refer to it.
pub(super) fn check(files: &dyn Files, report: &mut Report<'_>) {
    let (Some(listing), Some(cache)) = (files.listing(), files.run_cache()) else { return };
    let (path, today) = (report.source().path(), report.today());
    let mut all: Vec<Finding> = Vec::new();
    for root in roots(files, (listing, cache), path) {
        let found = cache.get_or_compute(&key_of_findings(&root), || {
            let bytes = files.read(&root, MAX_DOCUMENT_BYTES).ok()?;
            findings_by_path(files, &Source::decode(&root, bytes), today)
        });
        let found = Option::as_ref(&found).and_then(|found| found.get(path));
        all.extend(found.into_iter().flatten().cloned());
    }
    let key = |finding: &Finding| (finding.rule.clone(), finding.span, finding.message.clone());
    all.sort_by_key(key);
    all.dedup_by_key(|finding| key(finding));
    replay(all, report);
}

/// The documents that can refer to the file at `path`: those in its directory or a parent directory,
/// and those whose names contain `openapi` or `swagger`.
fn roots(
    files: &dyn Files,
    (listing, cache): (&Listing, &RunCache),
    path: &str,
) -> BTreeSet<String> {
    let is_root = |path: &str| {
        let read = || files.read(path, MAX_DOCUMENT_BYTES).ok();
        let text = || Some(Source::decode(path, read()?));
        is_data(path) && text().is_some_and(|source| is_document(path, source.text()))
    };
    let named = cache.get_or_compute("openapi documents by name", || {
        let is_named = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
            name.contains("openapi") || name.contains("swagger")
        };
        let named = listing.files().iter().filter(is_named).filter(|path| is_root(path));
        named.cloned().collect::<Vec<String>>()
    });
    let mut roots: BTreeSet<String> = named.iter().cloned().collect();
    let mut directory = path;
    while !directory.is_empty() {
        directory = paths::parent_dir(directory);
        let in_directory =
            cache.get_or_compute(&format!("openapi documents in {directory}"), || {
                let names = files.names(directory).into_iter();
                let paths = names.map(|name| match directory {
                    "" => name,
                    _ => format!("{directory}/{name}"),
                });
                paths
                    .filter(|path| listing.has_file(path) && is_root(path))
                    .collect::<Vec<String>>()
            });
        roots.extend(in_directory.iter().cloned());
    }
    roots.remove(path);
    roots
}

/// Checks the document of `report` with its parts, and caches the findings in the parts. Returns
/// `false`, and adds no findings, if it is not a document of several files of the project.
pub(super) fn check_root(files: &dyn Files, report: &mut Report<'_>) -> bool {
    let source = report.source();
    let in_project = files.listing().is_some_and(|listing| listing.has_file(source.path()));
    let Some(cache) = files.run_cache().filter(|_| in_project && refers_to_files(source.text()))
    else {
        return false;
    };
    let today = report.today();
    let found = cache
        .get_or_compute(&key_of_findings(source.path()), || findings_by_path(files, source, today));
    let Some(found) = Option::as_ref(&found) else { return false };
    replay(found.get(source.path()).cloned().unwrap_or_default(), report);
    true
}

fn key_of_findings(root: &str) -> String {
    format!("openapi findings {root}")
}

/// Whether a text contains `$ref` with a target that does not start with `#`.
fn refers_to_files(text: &str) -> bool {
    text.match_indices("$ref").any(|(at, key)| {
        let rest = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        let value = rest.strip_prefix(':').map(str::trim_start);
        value.is_some_and(|value| !value.trim_start_matches(['"', '\'']).starts_with('#'))
    })
}

/// The findings in all files of a document; `None` if it is not a document of several files.
fn findings_by_path(files: &dyn Files, source: &Source, today: Option<Date>) -> Option<ByPath> {
    let document = Document::parse(source, files).ok()?;
    (document.parts.all.len() > 1).then(|| findings(&document, today, |_| true))
}

/// The findings of the `enabled` rules in all files of a document.
pub(super) fn findings(
    document: &Document<'_>,
    today: Option<Date>,
    mut enabled: impl FnMut(&'static str) -> bool,
) -> ByPath {
    let mut report = Report::new(&document.source, &ALL).with_date(today);
    for &(id, check) in CHECKS {
        if enabled(id) && report.begin(id) {
            check(document, &mut report);
        }
    }
    document.parts.separate(report.finish())
}

/// Adds findings of enabled rules to `report`, with the configured severities.
pub(super) fn replay(findings: Vec<Finding>, report: &mut Report<'_>) {
    for finding in findings {
        if report.begin(&finding.rule) {
            let added = report.at(finding.span, "");
            let severity = match finding.severity {
                UNCHANGED => added.severity,
                lowered => lowered,
            };
            *added = Finding { severity, ..finding };
        }
    }
}
