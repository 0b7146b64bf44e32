//! Workflow commands, which GitHub turns into annotations.
//!
//! A step can create ten annotations of each level; GitHub silently drops further ones. The most
//! severe findings are therefore written first; the others are counted in a notice and listed in
//! the log.

use super::escape::{command_data as data, command_property as property};
use super::{
    Document, escape_log, number, one_line, remarks, severity_count, skipped_lines, weakened, wire,
};
use aidd_engine::forms::commits;
use aidd_engine::text::finding::Severity;
use std::io;

/// Maximum number of annotations of one level per step.
const MAX_ANNOTATIONS: usize = 10;
/// Maximum number of skipped files listed.
const MAX_SKIPPED: usize = 20;
/// Maximum number of warnings about weakened checks.
const MAX_WEAKENED: usize = 5;

pub(super) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    // Write the weakened checks to the log, and annotations for the first few.
    for line in weakened::lines(document) {
        writeln!(out, "{}", log_line(&line))?;
    }
    let annotated = &document.weakened()[..document.weakened().len().min(MAX_WEAKENED)];
    for weakening in annotated {
        let line = weakening.line.map(|line| format!(",line={line}")).unwrap_or_default();
        let (path, text) = (property(&weakening.path), data(&weakening.message));
        writeln!(out, "::warning file={path}{line},title=This change weakens the checks::{text}")?;
    }
    let ranked = document.ranked();
    let levels = by_severity(&ranked);
    let limits = annotation_limits(&levels, annotated.len());
    for (findings, limit) in levels.iter().zip(limits) {
        for finding in findings.iter().take(limit) {
            annotate(finding, out)?;
        }
    }
    for (severity, (findings, limit)) in Severity::ALL.into_iter().zip(levels.iter().zip(limits)) {
        if let Some(dropped @ [_, ..]) = findings.get(limit..) {
            list_dropped(severity, dropped, out)?;
        }
    }
    for line in skipped_lines(document, MAX_SKIPPED).into_iter().chain(remarks(document)) {
        writeln!(out, "{}", log_line(&line))?;
    }
    let counts = document.counts();
    let files = number(document.checked, "file");
    writeln!(
        out,
        "{} in {files}{}{}",
        counts.found_text(),
        counts.fixable_text(),
        counts.known_text()
    )
}

/// The findings of each severity, in the order of [`Severity::ALL`].
fn by_severity<'a, 'f>(ranked: &'a [&'f wire::Finding]) -> [&'a [&'f wire::Finding]; 3] {
    let errors = ranked.partition_point(|finding| finding.severity > Severity::Warning);
    let warnings = ranked.partition_point(|finding| finding.severity > Severity::Info);
    [&ranked[..errors], &ranked[errors..warnings], &ranked[warnings..]]
}

/// Maximum number of annotations of each severity, if `warnings` warnings were already written. For
/// each severity with dropped findings, a notice is written. A notice is itself an annotation of
/// the lowest level, and reduces the limit of that level by one.
fn annotation_limits(levels: &[&[&wire::Finding]; 3], warnings: usize) -> [usize; 3] {
    let limits = [MAX_ANNOTATIONS, MAX_ANNOTATIONS - warnings];
    let notices =
        levels.iter().zip(limits).filter(|(findings, limit)| findings.len() > *limit).count();
    let remaining = MAX_ANNOTATIONS - notices;
    let info = if levels[2].len() > remaining { remaining - 1 } else { remaining };
    [limits[0], limits[1], info]
}

fn annotate(finding: &wire::Finding, out: &mut dyn io::Write) -> io::Result<()> {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    if commits::is_virtual_path(&finding.path) {
        let help = finding.help.as_deref().map(|help| format!("\n{help}")).unwrap_or_default();
        let text = data(&format!("{}: {}{help}", finding.path, finding.message));
        return writeln!(out, "::{command} title={}::{text}", property(&finding.rule));
    }
    let (start, end) = (finding.start, finding.end);
    write!(out, "::{command} file={},line={}", property(&finding.path), start.line)?;
    write!(out, ",endLine={}", end.line)?;
    // GitHub rejects columns on a multi-line annotation.
    if start.line == end.line {
        write!(out, ",col={},endColumn={}", start.column, end.column)?;
    }
    let details = [finding.help.as_deref(), weakened::base_only_reason(finding.reason.as_deref())];
    let details: String = details.into_iter().flatten().map(|text| format!("\n{text}")).collect();
    let text = data(&format!("{}{details}", finding.message));
    writeln!(out, ",title={}::{text}", property(&finding.rule))
}

/// Reports the number of dropped annotations, and lists them in the log.
fn list_dropped(
    severity: Severity,
    dropped: &[&wire::Finding],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let count = match severity {
        Severity::Error => number(dropped.len(), "more error"),
        Severity::Warning => number(dropped.len(), "more warning"),
        Severity::Info => format!("{} more info", dropped.len()),
    };
    writeln!(
        out,
        "::notice title=aidd::{count}: GitHub shows {MAX_ANNOTATIONS} of each level; see the log"
    )?;
    writeln!(out, "::group::{}", severity_count(dropped.len(), severity))?;
    for finding in dropped {
        let wire::Finding { path, start, message, rule, .. } = finding;
        let line = format!("{path}:{}:{}: {message} [{rule}]", start.line, start.column);
        writeln!(out, "  {}", log_line(&line))?;
    }
    writeln!(out, "::endgroup::")
}

/// A log line that is not interpreted as a command.
fn log_line(text: &str) -> String {
    escape_log(&one_line(text))
}
