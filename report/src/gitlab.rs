//! Code quality reports for GitLab.

use super::wire::{Finding, Status};
use super::{Document, escape};
use aidd_engine::text::finding::Severity;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

#[derive(Serialize)]
struct Issue<'a> {
    description: &'a str,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u64,
}

pub(super) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let issues: Vec<Issue<'_>> = reported(document)
        .into_iter()
        .map(|finding| {
            // GitLab drops issues that share a fingerprint.
            let count = seen.entry(&finding.id).or_default();
            *count += 1;
            let id = &finding.id;
            Issue {
                description: &finding.message,
                check_name: &finding.rule,
                fingerprint: if *count == 1 { id.clone() } else { format!("{id}:{count}") },
                severity: severity(finding.severity),
                location: Location {
                    path: &finding.path,
                    lines: Lines { begin: finding.start.line },
                },
            }
        })
        .collect();
    escape::write_json(&issues, out)
}

/// The new findings, most severe first. For a comparison of whole trees, all current findings:
/// GitLab compares them with the target branch itself, and would treat missing findings as fixed.
fn reported(document: &Document) -> Vec<&Finding> {
    if !document.comparison.as_ref().is_some_and(|comparison| comparison.whole_tree) {
        return document.ranked();
    }
    let current = document.with_status(&[Status::New, Status::Moved, Status::PreExisting]);
    let mut findings: Vec<&Finding> = current.collect();
    findings.sort_by_key(|finding| Reverse(finding.severity));
    findings
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Info => "info",
    }
}
