//! Excerpts of the source with carets, for terminals.

use super::counts::Counts;
use super::gate::Verdict;
use super::layout::wrap;
use super::listing::{Item, Listing};
use super::redact::Redactor;
use super::{
    Document, FileFindings, Run, Style, excerpt, number, one_line, printable, remarks, rule_url,
    skipped_lines, weakened, wire,
};
use aidd_engine::text::finding::{Finding, Safety, Severity, Status};
use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{Group, Level, Renderer};
use std::io;
use std::time::Duration;

/// Maximum number of skipped files listed.
const MAX_SKIPPED: usize = 20;

/// A new finding, with the index of its file in [`Run::files`].
struct NewFinding<'a> {
    file: usize,
    finding: &'a Finding,
}

impl Item for NewFinding<'_> {
    fn severity(&self) -> Severity {
        self.finding.severity
    }

    fn rule(&self) -> &str {
        &self.finding.rule
    }

    fn is_fixable(&self) -> bool {
        self.finding.fix.is_some()
    }
}

impl Item for &wire::Finding {
    fn severity(&self) -> Severity {
        self.severity
    }

    fn rule(&self) -> &str {
        &self.rule
    }

    fn is_fixable(&self) -> bool {
        self.fix.is_some()
    }
}

/// Writes the new findings with excerpts of their sources; `document` needs no findings.
pub(super) fn excerpts(
    run: &Run<'_>,
    document: &Document,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(style.width).hyperlink(style.hyperlinks);
    write_header(document, out)?;
    let findings: Vec<NewFinding<'_>> = new_findings(run).collect();
    let selected = style.listing.select(&findings);
    let mut redactor: Option<(usize, Redactor<'_>)> = None;
    for &&NewFinding { file: index, finding } in &selected.listed {
        let file = &run.files[index];
        if redactor.as_ref().is_none_or(|(of, _)| *of != index) {
            redactor = Some((index, Redactor::new(file)));
        }
        let Some((_, redactor)) = &redactor else { continue };
        let excerpt = FindingExcerpt { run, file, redactor, finding };
        writeln!(out, "{}\n", excerpt.render(&renderer, style))?;
    }
    selected.write_table(out)?;
    write_summary(document, &run.counts(), out)
}

/// The new findings that the policy does not ignore, in output order.
fn new_findings<'a>(run: &'a Run<'_>) -> impl Iterator<Item = NewFinding<'a>> {
    run.files.iter().enumerate().flat_map(move |(index, file)| {
        let new = file.findings.iter().copied();
        new.filter(|finding| finding.status == Status::New && !run.ignores(finding))
            .map(move |finding| NewFinding { file: index, finding })
    })
}

/// Writes the new findings, one line each.
pub(super) fn lines(
    document: &Document,
    out: &mut dyn io::Write,
    listing: Listing,
) -> io::Result<()> {
    write_header(document, out)?;
    let findings: Vec<&wire::Finding> = document.with_status(&[wire::Status::New]).collect();
    let selected = listing.select(&findings);
    for finding in &selected.listed {
        let wire::Finding { path, start, severity, rule, message, .. } = finding;
        let (path, rule, message) = (one_line(path), one_line(rule), one_line(message));
        writeln!(out, "{path}:{}:{}: {severity}[{rule}] {message}", start.line, start.column)?;
    }
    if !selected.listed.is_empty() {
        writeln!(out)?;
    }
    selected.write_table(out)?;
    write_summary(document, &document.counts(), out)
}

/// Writes the list of weakened checks.
fn write_header(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    let lines = weakened::lines(document);
    for line in &lines {
        writeln!(out, "{line}")?;
    }
    if lines.is_empty() { Ok(()) } else { writeln!(out) }
}

/// Writes the skipped files, the notes and the totals.
fn write_summary(document: &Document, counts: &Counts, out: &mut dyn io::Write) -> io::Result<()> {
    for lines in [skipped_lines(document, MAX_SKIPPED), remarks(document)] {
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        if !lines.is_empty() {
            writeln!(out)?;
        }
    }
    let files = number(document.checked, "file");
    let (found, fixable, known) = (counts.found_text(), counts.fixable_text(), counts.known_text());
    writeln!(out, "{found} in {files} ({}){fixable}{known}", format_duration(document.elapsed))
}

struct FindingExcerpt<'a> {
    run: &'a Run<'a>,
    file: &'a FileFindings<'a>,
    redactor: &'a Redactor<'a>,
    finding: &'a Finding,
}

impl FindingExcerpt<'_> {
    fn render(&self, renderer: &Renderer, style: &Style) -> String {
        let level = level(self.finding.severity);
        let rule = one_line(&self.finding.rule);
        let used = self.finding.severity.to_string().len() + rule.chars().count() + 4;
        let message = wrap(&self.escaped(&self.finding.message), used, style);
        let commit = self.run.version_control;
        let mut title = level.clone().primary_title(message).id(rule);
        if let Some(url) = self.run.rule(&self.finding.rule).and_then(|rule| rule_url(commit, rule))
        {
            title = title.id_url(url);
        }
        let title = renderer.render(&[Group::with_title(title)]);

        let excerpt = excerpt::build(self.file.source, self.redactor, self.finding, style.width);
        let arrow = format!("{}-->", " ".repeat(excerpt.gutter()));
        let arrow = if style.color {
            format!("{DEFAULT_LINE_NUM_STYLE}{arrow}{DEFAULT_LINE_NUM_STYLE:#}")
        } else {
            arrow
        };
        let mut group = Group::with_level(level).element(excerpt.snippet());
        // ` = help: ` after the line numbers.
        let used = excerpt.gutter() + 9;
        for note in excerpt.notes() {
            group = group.element(Level::NOTE.message(wrap(note, used, style)));
        }
        if let Some(help) = &self.finding.help {
            let help = wrap(&self.escaped(help), used, style);
            group = group.element(Level::HELP.message(help));
        }
        let fix = self.finding.fix.as_ref().filter(|fix| self.redactor.can_show(fix));
        let diff = fix.and_then(|fix| excerpt::diff(self.file.source, self.redactor, &fix.edits));
        if let Some(fix) = fix {
            let flag = match fix.safety {
                Safety::Safe => "--fix",
                Safety::Unsafe => "--fix-unsafe",
            };
            let text = wrap(&format!("{} ({flag})", self.escaped(&fix.title)), used, style);
            group = group.element(Level::HELP.with_name("fix").message(text));
        }
        if let Some(diff) = &diff {
            group = group.element(diff.snippet());
        }
        if let Some(reason) = weakened::base_only_reason(self.finding.reason.as_deref()) {
            group = group.element(Level::NOTE.message(self.escaped(reason)));
        } else if let Some(note) = self.policy_note() {
            group = group.element(Level::NOTE.message(note));
        }
        let location = location(self.file, self.finding.span.start);
        format!("{title}\n{arrow} {location}\n{}", renderer.render(&[group]))
    }

    /// A note on the effect of the policy.
    fn policy_note(&self) -> Option<&'static str> {
        match self.run.verdict(self.finding) {
            Verdict::Block => Some("`ci.blockOn` contains this rule: the run fails"),
            Verdict::Warn => {
                Some("`ci.warnOn` contains this rule: the finding does not fail the run")
            }
            Verdict::Ignore | Verdict::Unmatched => None,
        }
    }

    /// Redacts text and escapes it for a terminal.
    fn escaped(&self, text: &str) -> String {
        printable(&self.redactor.text(text))
    }
}

/// `path:line:column`.
fn location(file: &FileFindings<'_>, offset: u32) -> String {
    let position = wire::position(file.source, offset);
    format!("{}:{}:{}", one_line(file.source.path()), position.line, position.column)
}

fn format_duration(elapsed: Duration) -> String {
    if elapsed < Duration::from_millis(100) {
        format!("{} ms", elapsed.as_millis())
    } else {
        format!("{:.1} s", elapsed.as_secs_f64())
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    }
}
