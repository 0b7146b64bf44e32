//! Bounds what the checks report about one file, so that every output of it has a bounded size and is
//! written in bounded time. What exceeds the bounds is named in a finding.

use super::SKIPPED;
use crate::rules::rule::{Report, Settings};
use crate::text::finding::{FileChange, Finding, Fix};
use crate::text::source::{Source, Span};
use std::cmp::Reverse;

/// The bounds for one file.
struct Bounds {
    /// Maximum number of findings.
    findings: usize,
    /// Maximum number of bytes of a message or a help.
    text: usize,
    /// Maximum number of bytes of all fixes.
    fixes: usize,
    /// Maximum number of related locations of all findings.
    related: usize,
}

const BOUNDS: Bounds = Bounds { findings: 10_000, text: 4 << 10, fixes: 4 << 20, related: 20_000 };

/// The size of an edit in an output, in addition to its text, in bytes.
const EDIT_BYTES: usize = 64;

/// Removes what exceeds the bounds from `findings`, the least severe findings first, and adds a
/// finding that names it. Returns why the report on the file is incomplete, if findings were removed.
pub(super) fn apply(
    source: &Source,
    settings: &Settings,
    findings: &mut Vec<Finding>,
) -> Option<String> {
    apply_bounds(&BOUNDS, source, settings, findings)
}

fn apply_bounds(
    bounds: &Bounds,
    source: &Source,
    settings: &Settings,
    findings: &mut Vec<Finding>,
) -> Option<String> {
    let total = findings.len();
    if total > bounds.findings {
        findings.sort_by_key(|finding| Reverse(finding.severity));
        findings.truncate(bounds.findings);
        findings.sort_by_key(|finding| finding.span);
    }
    let (mut fix_bytes, mut related, mut without_fix, mut without_related) = (0, 0, 0, 0);
    for finding in findings.iter_mut() {
        abbreviate(&mut finding.message, bounds.text);
        if let Some(help) = &mut finding.help {
            abbreviate(help, bounds.text);
        }
        let bytes = finding.fix.as_ref().map_or(0, size);
        if fix_bytes + bytes > bounds.fixes {
            finding.fix = None;
            without_fix += 1;
        } else {
            fix_bytes += bytes;
        }
        let count = bounds.related.saturating_sub(related);
        if finding.related.len() > count {
            finding.related.truncate(count);
            without_related += 1;
        }
        related += finding.related.len();
    }
    let removed = total - findings.len();
    let parts = [
        (removed, format!("{removed} of {total} findings are not reported")),
        (without_fix, format!("{without_fix} findings are reported without their fixes")),
        (without_related, format!("{without_related} without all related locations")),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    if parts.is_empty() {
        return None;
    }
    let mut report = Report::new(source, settings);
    if report.begin(SKIPPED) {
        let message = format!("too much to report in one file: {}", parts.join(", "));
        report.at(Span::default(), message).help(
            "Correct what is reported and check the file again, exclude it (`exclude`), or disable \
             rules for it (`overrides`)",
        );
    }
    findings.splice(0..0, report.finish());
    (removed > 0).then(|| "too many findings".to_owned())
}

/// The size of a fix in bytes.
fn size(fix: &Fix) -> usize {
    let edits: usize = fix.edits.iter().map(|edit| EDIT_BYTES + edit.text.len()).sum();
    match &fix.file {
        Some(FileChange::Create { text, .. }) => edits + text.len(),
        Some(FileChange::Rename { .. }) | None => edits,
    }
}

/// Shortens a text to `limit` bytes.
fn abbreviate(text: &mut String, limit: usize) {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::registry::Registry;
    use crate::rules::select;
    use crate::text::finding::{Edit, Severity};

    fn finding(index: usize) -> Finding {
        let severity = if index == 3 { Severity::Error } else { Severity::Info };
        let mut finding =
            Finding::new("a/b".into(), severity, Span::at(index), "é".repeat(index + 1));
        finding.related(Span::at(0), "here").related(Span::at(1), "there");
        finding.fix("Insert", vec![Edit::insert(0, "x".repeat(36))]);
        finding
    }

    #[test]
    fn what_exceeds_the_bounds_is_named() {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        let settings = select::defaults(registry.rules());
        let source = Source::new("a.txt", "0123456789");
        let apply = |bounds: &Bounds| {
            let mut findings: Vec<Finding> = (0..4).map(finding).collect();
            let why = apply_bounds(bounds, &source, &settings, &mut findings);
            (findings, why)
        };
        let enough = Bounds { findings: 4, text: 8, fixes: 400, related: 8 };
        assert_eq!(apply(&enough), ((0..4).map(finding).collect(), None));

        let (findings, why) = apply(&Bounds { findings: 2, text: 3, fixes: 100, related: 3 });
        let texts: Vec<&str> = findings.iter().map(|finding| &*finding.message).collect();
        let named = "too much to report in one file: 2 of 4 findings are not reported, 1 findings \
                     are reported without their fixes, 1 without all related locations";
        assert_eq!(texts, [named, "é", "é…"]);
        assert_eq!(findings[2].severity, Severity::Error, "the most severe findings remain");
        assert!(findings[1].fix.is_some() && findings[2].fix.is_none());
        assert_eq!(findings.iter().map(|finding| finding.related.len()).sum::<usize>(), 3);
        assert_eq!(why.as_deref(), Some("too many findings"));
    }
}
