//! Excerpts of the source with carets, for terminals.

use super::counts::Counts;
use super::gate::Verdict;
use super::layout::{self, wrap};
use super::listing::{Item, Listing};
use super::redact::Redactor;
use super::{
    Document, FileFindings, Run, Severities, Style, allowed, excerpt, number, one_line, printable,
    remarks, rule_url, skipped_lines, weakened, wire,
};
use aidd_engine::project::config::FailOnName;
use aidd_engine::text::finding::{Finding, Safety, Severity, Status};
use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{Group, Level, Renderer};
use std::io;
use std::time::Duration;

/// Maximum number of skipped files listed, and on a terminal.
const MAX_SKIPPED: (usize, usize) = (20, 3);
/// Maximum number of places of one message on a terminal.
const MAX_PLACES: usize = 8;

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

    fn group(&self) -> Option<[&str; 4]> {
        let Finding { rule, message, help, fix, reason, .. } = self.finding;
        let fix = fix.as_ref().map_or("", |fix| &fix.title);
        reason.is_none().then(|| [&**rule, message, help.as_deref().unwrap_or_default(), fix])
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

    fn group(&self) -> Option<[&str; 4]> {
        None
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
    let selected = style.listing.select(&findings, is_compared(document));
    // The redactor of a file, cached for the following findings of the file.
    let mut redactor: Option<(usize, Redactor<'_>)> = None;
    let mut excerpt = |group: &[&NewFinding<'_>]| {
        let (first, others) = group.split_first()?;
        let (index, file) = (first.file, run.files.get(first.file)?);
        if redactor.as_ref().is_none_or(|(of, _)| *of != index) {
            redactor = Some((index, Redactor::new(file)));
        }
        let (_, redactor) = redactor.as_ref()?;
        let places: Vec<String> = others.iter().map(|other| other.location(run)).collect();
        let finding = first.finding;
        Some(FindingExcerpt { run, file, redactor, finding }.render(&renderer, &places, style))
    };
    for text in selected.listed.iter().filter_map(|group| excerpt(group)) {
        writeln!(out, "{text}\n")?;
    }
    selected.write_cut(out)?;
    for group in &selected.named {
        let Some(&NewFinding { file, finding }) = group.first().copied() else { continue };
        let message = one_line(&Redactor::new(&run.files[file]).text(&finding.message));
        let places: Vec<String> = group.iter().map(|found| found.location(run)).collect();
        writeln!(out, "{}", title(run, finding, &message, (&renderer, style)))?;
        writeln!(out, "{}", layout::hanging("  --> ", &list(&places, style), style))?;
    }
    if !selected.named.is_empty() {
        writeln!(out)?;
    }
    if style.listing.allowed {
        allowed::write_all(run, out, style)?;
    }
    selected.write_table(out)?;
    let is_failing = new_findings(run).any(|found| run.fails(found.finding));
    write_summary(document, (&run.counts(), is_failing), style.listing, out)
}

impl NewFinding<'_> {
    fn location(&self, run: &Run<'_>) -> String {
        run.files
            .get(self.file)
            .map_or_else(String::new, |file| location(file, self.finding.span.start))
    }
}

/// The places, separated by commas; on a terminal, only the first ones.
fn list(places: &[String], style: &Style) -> String {
    let limit = style.listing.limit.map_or(usize::MAX, |_| MAX_PLACES);
    let (shown, rest) = places.split_at(places.len().min(limit));
    let shown = shown.join(", ");
    if rest.is_empty() { shown } else { format!("{shown} and {} more", rest.len()) }
}

/// `severity[rule]: message`, wrapped.
fn title(
    run: &Run<'_>,
    finding: &Finding,
    message: &str,
    (renderer, style): (&Renderer, &Style),
) -> String {
    let rule = one_line(&finding.rule);
    let used = finding.severity.to_string().len() + rule.chars().count() + 4;
    let message = wrap(message, used, style);
    let mut title = level(finding.severity).primary_title(message).id(rule);
    let found = run.rule(&finding.rule);
    if let Some(url) = found.and_then(|rule| rule_url(run.version_control, rule)) {
        title = title.id_url(url);
    }
    renderer.render(&[Group::with_title(title)])
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
    let selected = listing.select(&findings, is_compared(document));
    for finding in selected.listed.iter().chain(&selected.named).flatten() {
        let wire::Finding { path, start, severity, rule, message, .. } = finding;
        let (path, rule, message) = (one_line(path), one_line(rule), one_line(message));
        writeln!(out, "{path}:{}:{}: {severity}[{rule}] {message}", start.line, start.column)?;
    }
    if !selected.listed.is_empty() || !selected.named.is_empty() {
        writeln!(out)?;
    }
    selected.write_cut(out)?;
    if listing.allowed {
        allowed::write_lines(document, out)?;
    }
    selected.write_table(out)?;
    write_summary(document, (&document.counts(), document.is_failing()), listing, out)
}

/// Writes the list of weakened checks.
fn write_header(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    let lines = weakened::lines(document);
    for line in &lines {
        writeln!(out, "{line}")?;
    }
    if lines.is_empty() { Ok(()) } else { writeln!(out) }
}

/// Writes the skipped files, the notes and the totals. If the findings were compared with a base or
/// a baseline, the totals state whether the new ones fail the run.
fn write_summary(
    document: &Document,
    (counts, is_failing): (&Counts, bool),
    listing: Listing,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let max_skipped = if listing.limit.is_some() { MAX_SKIPPED.1 } else { MAX_SKIPPED.0 };
    for lines in [skipped_lines(document, max_skipped), remarks(document)] {
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        if !lines.is_empty() {
            writeln!(out)?;
        }
    }
    let is_compared = is_compared(document);
    let files = number(document.checked, "file");
    let found = if is_compared { counts.new_text() } else { counts.found_text() };
    let (fixable, known) = (counts.fixable_text(), counts.known_text());
    let time = format_duration(document.elapsed);
    writeln!(out, "{found} in {files} ({time}){fixable}{known}")?;
    if is_compared && !is_failing && counts.new != Severities::default() {
        let name = match document.fail_on {
            FailOnName::Error => "error",
            FailOnName::Warning => "warning",
            FailOnName::Info => "info",
            FailOnName::Never => "never",
        };
        writeln!(out, "the new findings do not fail the run: `failOn` is `{name}`")?;
    }
    Ok(())
}

/// Whether only findings are new that a base or a baseline does not have.
fn is_compared(document: &Document) -> bool {
    document.baseline || document.comparison.is_some()
}

struct FindingExcerpt<'a> {
    run: &'a Run<'a>,
    file: &'a FileFindings<'a>,
    redactor: &'a Redactor<'a>,
    finding: &'a Finding,
}

impl FindingExcerpt<'_> {
    /// Renders the finding; `places` are those of other findings with the same message.
    fn render(&self, renderer: &Renderer, places: &[String], style: &Style) -> String {
        let message = self.escaped(&self.finding.message);
        let title = title(self.run, self.finding, &message, (renderer, style));
        let excerpt = excerpt::build(self.file.source, self.redactor, self.finding, style.width);
        let arrow = format!("{}-->", " ".repeat(excerpt.gutter()));
        let arrow = if style.color {
            format!("{DEFAULT_LINE_NUM_STYLE}{arrow}{DEFAULT_LINE_NUM_STYLE:#}")
        } else {
            arrow
        };
        let mut group = Group::with_level(level(self.finding.severity)).element(excerpt.snippet());
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
        let diff = fix.and_then(|fix| {
            excerpt::diff(self.file.source, self.redactor, &fix.edits, style.width)
        });
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
        if !places.is_empty() {
            let name = format!("also at {}", number(places.len(), "place"));
            let used = excerpt.gutter() + name.len() + 5;
            let places = wrap(&list(places, style), used, style);
            group = group.element(Level::NOTE.with_name(name).message(places));
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
