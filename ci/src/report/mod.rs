//! The output formats of the command line: from findings to text, one file per format.
//!
//! A format computes nothing of its own: places come from [`Source::position`], and every text
//! passes the file's `Redactor` first, so that no format can show a secret.

mod excerpt;
mod github;
mod gitlab;
mod json;
mod junit;
mod line_hash;
mod markdown;
mod redact;
mod sarif;
mod text;
mod uri;
pub mod wire;

use aidd_engine::finding::{FailOn, Finding, Safety, Severity, Status};
use aidd_engine::rule::Rule;
use aidd_engine::source::{Source, Span};
use aidd_engine::walk::Skipped;
use clap::ValueEnum;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

pub use line_hash::line_hashes;
pub(crate) use markdown::escape;

/// What one run over a tree found.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The files with findings, in the order of the output.
    pub files: Vec<FileFindings<'a>>,
    /// All rules, sorted by id.
    pub rules: &'a [Rule],
    /// How many files were checked.
    pub checked: usize,
    /// The files that were not, or not wholly, checked.
    pub skipped: &'a [Skipped],
    /// The least severity that makes the run fail.
    pub fail_on: FailOn,
    /// How long the run took.
    pub elapsed: Duration,
    /// The folder that paths are relative to.
    pub root: &'a Path,
    /// Whether the findings were compared with a baseline.
    pub baseline: bool,
    /// Whether SARIF holds baselined and allowed findings too, marked as suppressed. Code scanning
    /// on GitHub does not read the mark and would open an alert for each.
    pub suppressed: bool,
    /// Tells several runs on one commit apart, as code scanning needs it.
    pub category: Option<&'a str>,
    /// The commit under check, when known.
    pub version_control: Option<VersionControl<'a>>,
}

/// The findings in one source.
#[derive(Clone, Debug)]
pub struct FileFindings<'a> {
    /// The source.
    pub source: &'a Source,
    /// Its findings, sorted by span.
    pub findings: Vec<&'a Finding>,
    /// Spans of the source that no output may show.
    pub secrets: &'a [Span],
}

/// The commit under check.
#[derive(Clone, Copy, Debug)]
pub struct VersionControl<'a> {
    /// The repository's page: `https://github.com/owner/name`.
    pub repository: &'a str,
    /// The commit's full hash.
    pub revision: &'a str,
    /// The branch, when there is one.
    pub branch: Option<&'a str>,
}

/// How a run is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Source excerpts for people.
    Text,
    /// All that is known, for programs; see `docs/findings.schema.json`.
    Json,
    /// SARIF 2.1.0, complete for code scanning on GitHub.
    Sarif,
    /// Workflow commands that GitHub shows as annotations.
    Github,
    /// A table for job summaries and comments.
    Markdown,
    /// A code quality report for GitLab.
    Gitlab,
    /// JUnit XML for test dashboards.
    Junit,
}

/// How the terminal wants its text.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether colours are understood and wanted.
    pub color: bool,
    /// Whether rule ids become links to their pages.
    pub hyperlinks: bool,
    /// Columns.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, hyperlinks: false, width: 100 }
    }
}

/// Writes `run` to `out`.
///
/// # Errors
/// When `out` fails.
pub fn write(
    format: Format,
    run: &Run<'_>,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    match format {
        Format::Text => text::write(run, &mut out, style),
        Format::Json => json::write(run, &mut out),
        Format::Sarif => sarif::write(run, &mut out),
        Format::Github => github::write(run, &mut out),
        Format::Markdown => markdown::write(run, &mut out),
        Format::Gitlab => gitlab::write(run, &mut out),
        Format::Junit => junit::write(run, &mut out),
    }?;
    out.flush()
}

impl Run<'_> {
    fn rule(&self, id: &str) -> Option<&Rule> {
        let at = self.rules.binary_search_by(|rule| (*rule.id).cmp(id)).ok()?;
        Some(&self.rules[at])
    }

    /// Whether a finding of `severity` makes the run fail.
    fn fails(&self, severity: Severity) -> bool {
        matches!(self.fail_on, FailOn::Severity(least) if severity >= least)
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for finding in self.files.iter().flat_map(|file| &file.findings) {
            counts.add(finding);
        }
        counts
    }

    /// The new findings, worst first, as outputs that hold only so many show them.
    fn ranked(&self) -> Vec<wire::Finding> {
        let mut findings = wire::findings(self);
        findings.retain(|finding| finding.status == wire::Status::New);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings
    }
}

/// How many findings of each sort.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    error: usize,
    warning: usize,
    info: usize,
    safe: usize,
    unsafe_: usize,
    baselined: usize,
    allowed: usize,
    moved: usize,
    pre_existing: usize,
    fixed: usize,
}

impl Counts {
    fn add(&mut self, finding: &Finding) {
        match finding.status {
            Status::Baselined => self.baselined += 1,
            Status::Allowed => self.allowed += 1,
            Status::Moved => self.moved += 1,
            Status::PreExisting => self.pre_existing += 1,
            Status::Fixed => self.fixed += 1,
            Status::New => {
                match finding.severity {
                    Severity::Error => self.error += 1,
                    Severity::Warning => self.warning += 1,
                    Severity::Info => self.info += 1,
                }
                match finding.fix.as_ref().map(|fix| fix.safety) {
                    Some(Safety::Safe) => self.safe += 1,
                    Some(Safety::Unsafe) => self.unsafe_ += 1,
                    None => {}
                }
            }
        }
    }

    fn of(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Info => self.info,
        }
    }

    /// `3 errors, 2 warnings`, or `no problems`.
    fn found(&self) -> String {
        let parts: Vec<String> = Severity::ALL
            .into_iter()
            .filter(|&severity| self.of(severity) > 0)
            .map(|severity| of_severity(self.of(severity), severity))
            .collect();
        if parts.is_empty() { "no problems".into() } else { parts.join(", ") }
    }

    /// `; 2 fixable with --fix, 1 with --fix-unsafe`, or nothing.
    fn fixable(&self) -> String {
        match (self.safe, self.unsafe_) {
            (0, 0) => String::new(),
            (safe, 0) => format!("; {safe} fixable with --fix"),
            (0, more) => format!("; {more} fixable with --fix-unsafe"),
            (safe, more) => format!("; {safe} fixable with --fix, {more} with --fix-unsafe"),
        }
    }

    /// `; 4 baselined, 1 allowed`, or nothing.
    fn known(&self) -> String {
        match (self.baselined, self.allowed) {
            (0, 0) => String::new(),
            (known, 0) => format!("; {known} baselined"),
            (0, allowed) => format!("; {allowed} allowed"),
            (known, allowed) => format!("; {known} baselined, {allowed} allowed"),
        }
    }
}

/// `1 file`, `2 files`.
pub(crate) fn number(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `1 error`, `2 warnings`, `3 info`.
fn of_severity(count: usize, severity: Severity) -> String {
    match severity {
        Severity::Info => format!("{count} info"),
        _ => number(count, &severity.to_string()),
    }
}

/// On one line, without characters that would steer a terminal or hide text.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if is_steering(c) { ' ' } else { c }).collect()
}

/// The same, with the line breaks left.
pub(crate) fn printable(text: &str) -> String {
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

/// Control characters, and those that reorder text around them.
fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The files that were not, or not wholly, checked: a heading, and as many as `room` of them.
fn skipped_lines(run: &Run<'_>, room: usize) -> Vec<String> {
    if run.skipped.is_empty() {
        return Vec::new();
    }
    let count = number(run.skipped.len(), "file");
    let mut lines = vec![format!("{count} not, or not wholly, checked:")];
    let named = run.skipped.iter().take(room);
    lines.extend(named.map(|file| format!("  {}: {}", one_line(&file.path), one_line(&file.why))));
    if let Some(more @ 1..) = run.skipped.len().checked_sub(room) {
        lines.push(format!("  and {more} more"));
    }
    lines
}

/// The public page of a rule: ours, or the project's own when its repository is known.
fn rule_url(run: &Run<'_>, rule: &Rule) -> Option<String> {
    match (&rule.path, run.version_control) {
        (None, _) => {
            let repository = env!("CARGO_PKG_REPOSITORY");
            Some(format!("{repository}/blob/main/content/rules/{}.md", rule.id))
        }
        (Some(path), Some(at)) => Some(blob_url(at, path)),
        (Some(_), None) => None,
    }
}

/// The page of a file at the commit under check.
fn blob_url(at: VersionControl<'_>, path: &str) -> String {
    format!("{}/blob/{}/{}", at.repository, at.revision, uri::relative(path))
}
