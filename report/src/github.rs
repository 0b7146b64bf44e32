//! Workflow commands, which GitHub turns into annotations.
//!
//! A step can create ten annotations of each level; GitHub silently drops further ones. The most
//! severe are therefore written first, and the rest is counted in a notice and listed in the log.

use super::escape::{command_data as data, command_property as property};
use super::{
    Document, escape_log, number, of_severity, one_line, remarks, skipped_lines, weakened, wire,
};
use aidd_engine::forms::commits;
use aidd_engine::text::finding::Severity;
use std::io;

/// Annotations of one level per step.
const MAX_ANNOTATIONS: usize = 10;
/// Maximum number of skipped files listed.
const MAX_SKIPPED: usize = 20;
/// Maximum number of warnings about weakened checks.
const MAX_WEAKENED: usize = 5;

pub(super) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    // Write the first lines of the log, and a warning for each of the first entries.
    for line in weakened::lines(document) {
        writeln!(out, "{}", log_line(&line))?;
    }
    let warned = &document.weakened()[..document.weakened().len().min(MAX_WEAKENED)];
    for one in warned {
        let line = one.line.map(|line| format!(",line={line}")).unwrap_or_default();
        let (path, text) = (property(&one.path), data(&one.message));
        writeln!(out, "::warning file={path}{line},title=This change weakens the checks::{text}")?;
    }
    let ranked = document.ranked();
    let levels = by_severity(&ranked);
    let room = room(&levels, warned.len());
    for (findings, room) in levels.iter().zip(room) {
        for finding in findings.iter().take(room) {
            annotate(finding, out)?;
        }
    }
    for (severity, (findings, room)) in Severity::ALL.into_iter().zip(levels.iter().zip(room)) {
        if let Some(cut @ [_, ..]) = findings.get(room..) {
            list(severity, cut, out)?;
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

/// Number of annotations of each severity, after `warned` other warnings. Dropped findings are
/// reported by a notice, which is itself an annotation of the lowest level, so that level has room
/// for one less.
fn room(levels: &[&[&wire::Finding]; 3], warned: usize) -> [usize; 3] {
    let most = [MAX_ANNOTATIONS, MAX_ANNOTATIONS - warned];
    let shown_lines =
        levels.iter().zip(most).filter(|(findings, most)| findings.len() > *most).count();
    let left = MAX_ANNOTATIONS - shown_lines;
    let info = if levels[2].len() > left { left - 1 } else { left };
    [most[0], most[1], info]
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
    let more = [finding.help.as_deref(), weakened::by_base(finding.reason.as_deref())];
    let more: String = more.into_iter().flatten().map(|text| format!("\n{text}")).collect();
    let text = data(&format!("{}{more}", finding.message));
    writeln!(out, ",title={}::{text}", property(&finding.rule))
}

/// Reports the number of dropped annotations, and lists them in the log.
fn list(severity: Severity, cut: &[&wire::Finding], out: &mut dyn io::Write) -> io::Result<()> {
    let more = match severity {
        Severity::Error => number(cut.len(), "more error"),
        Severity::Warning => number(cut.len(), "more warning"),
        Severity::Info => format!("{} more info", cut.len()),
    };
    writeln!(
        out,
        "::notice title=aidd::{more}: GitHub shows {MAX_ANNOTATIONS} of each level; see the log"
    )?;
    writeln!(out, "::group::{}", of_severity(cut.len(), severity))?;
    for finding in cut {
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
