//! Excerpts of the source with carets, for people at a terminal.

use super::redact::Redactor;
use super::{FileFindings, Run, Style, excerpt, number, one_line, printable, rule_url, wire};
use aidd_engine::finding::{Finding, Safety, Severity, Status};
use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{Group, Level, Renderer};
use std::io;

/// Skipped files that are named.
const SKIPPED: usize = 20;

pub(super) fn write(run: &Run<'_>, out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(style.width).hyperlink(style.hyperlinks);
    for file in &run.files {
        let redactor = Redactor::new(file);
        for finding in &file.findings {
            if finding.status == Status::New {
                let shown = Shown { run, file, redactor: &redactor, finding };
                writeln!(out, "{}\n", shown.render(&renderer, style))?;
            }
        }
    }
    skipped(run, out)?;
    let counts = run.counts();
    let files = number(run.checked, "file");
    let seconds = run.elapsed.as_secs_f64();
    let (found, fixable, known) = (counts.found(), counts.fixable(), counts.known());
    writeln!(out, "{found} in {files} ({seconds:.1} s){fixable}{known}")
}

struct Shown<'a> {
    run: &'a Run<'a>,
    file: &'a FileFindings<'a>,
    redactor: &'a Redactor<'a>,
    finding: &'a Finding,
}

impl Shown<'_> {
    fn render(&self, renderer: &Renderer, style: &Style) -> String {
        let level = level(self.finding.severity);
        let message = self.shown(&self.finding.message);
        let mut title = level.clone().primary_title(message).id(&*self.finding.rule);
        if let Some(url) = self.run.rule(&self.finding.rule).and_then(rule_url) {
            title = title.id_url(url);
        }
        let title = renderer.render(&[Group::with_title(title)]);

        let excerpt = excerpt::of(self.file.source, self.redactor, self.finding, style.width);
        let arrow = format!("{}-->", " ".repeat(excerpt.gutter()));
        let arrow = if style.color {
            format!("{DEFAULT_LINE_NUM_STYLE}{arrow}{DEFAULT_LINE_NUM_STYLE:#}")
        } else {
            arrow
        };
        let mut group = Group::with_level(level).element(excerpt.snippet());
        for note in excerpt.notes() {
            group = group.element(Level::NOTE.message(note));
        }
        if let Some(help) = &self.finding.help {
            group = group.element(Level::HELP.message(self.shown(help)));
        }
        if let Some(fix) = &self.finding.fix {
            let flag = match fix.safety {
                Safety::Safe => "--fix",
                Safety::Unsafe => "--fix-unsafe",
            };
            let text = format!("{} ({flag})", self.shown(&fix.title));
            group = group.element(Level::HELP.with_name("fix").message(text));
        }
        let place = place(self.file, self.finding.span.start);
        format!("{title}\n{arrow} {place}\n{}", renderer.render(&[group]))
    }

    /// What a terminal may show of a text.
    fn shown(&self, text: &str) -> String {
        printable(&self.redactor.text(text))
    }
}

/// `path:line:column`.
fn place(file: &FileFindings<'_>, offset: u32) -> String {
    let at = wire::position(file.source, offset);
    format!("{}:{}:{}", one_line(file.source.path()), at.line, at.column)
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    }
}

fn skipped(run: &Run<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    if run.skipped.is_empty() {
        return Ok(());
    }
    writeln!(out, "{} could not be checked:", number(run.skipped.len(), "file"))?;
    for (path, why) in run.skipped.iter().take(SKIPPED) {
        writeln!(out, "  {}: {}", one_line(path), one_line(why))?;
    }
    if let Some(more @ 1..) = run.skipped.len().checked_sub(SKIPPED) {
        writeln!(out, "  and {more} more")?;
    }
    writeln!(out)
}
