//! A code quality report for GitLab.

use super::Run;
use aidd_engine::finding::Severity;
use serde::Serialize;
use std::collections::HashMap;
use std::io;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u64,
}

pub(super) fn write(run: &Run<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let issues: Vec<Issue> = run
        .ranked()
        .into_iter()
        .map(|finding| {
            // GitLab drops issues that share a fingerprint.
            let count = seen.entry(finding.id.clone()).or_default();
            *count += 1;
            let fingerprint =
                if *count == 1 { finding.id } else { format!("{}:{count}", finding.id) };
            Issue {
                description: finding.message,
                check_name: finding.rule,
                fingerprint,
                severity: severity(finding.severity),
                location: Location {
                    path: finding.path,
                    lines: Lines { begin: finding.start.line },
                },
            }
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Info => "info",
    }
}
