//! The findings that comments allow, in the text formats.

use super::layout;
use super::redact::Redactor;
use super::{Document, FileFindings, Run, Style, one_line, wire};
use aidd_engine::text::finding::{Finding, Status};
use std::io;

/// Writes the allowed findings, each with its location and the reason that its comment states.
pub(super) fn write_all(run: &Run<'_>, out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    let mut is_empty = true;
    for file in &run.files {
        let allowed = file.findings.iter().filter(|finding| finding.status == Status::Allowed);
        let mut redactor = None;
        for finding in allowed.filter(|finding| !run.ignores(finding)) {
            let redactor = redactor.get_or_insert_with(|| Redactor::new(file));
            write_one(file, redactor, finding, out, style)?;
            is_empty = false;
        }
    }
    if is_empty { Ok(()) } else { writeln!(out) }
}

fn write_one(
    file: &FileFindings<'_>,
    redactor: &Redactor<'_>,
    finding: &Finding,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let clean = |text: &str| one_line(&redactor.text(text));
    let start = format!("{} allowed[{}]: ", finding.severity, one_line(&finding.rule));
    writeln!(out, "{}", layout::hanging(&start, &clean(&finding.message), style))?;
    let position = wire::position(file.source, finding.span.start);
    let path = one_line(file.source.path());
    let mut location = format!("{path}:{}:{}", position.line, position.column);
    if let Some(reason) = &finding.reason {
        location.push_str(&format!(": {}", clean(reason)));
    }
    writeln!(out, "{}", layout::hanging("  --> ", &location, style))
}

/// Writes the allowed findings, one line each.
pub(super) fn write_lines(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    let mut allowed = document.with_status(&[wire::Status::Allowed]).peekable();
    if allowed.peek().is_none() {
        return Ok(());
    }
    for finding in allowed {
        let wire::Finding { path, start, severity, rule, message, reason, .. } = finding;
        let (path, rule, message) = (one_line(path), one_line(rule), one_line(message));
        let reason = reason.as_deref().map(|reason| format!(" ({})", one_line(reason)));
        let reason = reason.unwrap_or_default();
        writeln!(
            out,
            "{path}:{}:{}: {severity} allowed[{rule}] {message}{reason}",
            start.line, start.column
        )?;
    }
    writeln!(out)
}
