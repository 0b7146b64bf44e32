//! The output formats of the command line, one file per format.
//!
//! Formats compute nothing themselves: positions come from [`Source::position`], and the file's
//! `Redactor` is applied to every text first, so that no format can reveal a secret. All formats
//! except text excerpts are generated from a [`Document`].

mod allowed;
mod compliance;
mod counts;
pub mod document;
pub mod enforcement;
pub mod error;
pub mod escape;
mod excerpt;
pub mod exit;
mod fit;
pub mod gate;
pub mod gfm;
mod github;
mod gitlab;
mod json;
mod junit;
pub mod layout;
mod line_hash;
mod listing;
mod markdown;
mod output;
pub mod project;
mod redact;
pub mod run;
mod sarif;
pub mod settings;
mod streams;
mod text;
mod uri;
mod weakened;
pub mod wire;

use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::{FailOn, Finding, Severity, Status};
use aidd_engine::text::source::{Source, Span};
use aidd_engine::workspace::walk::{self, FileReport};
use gate::{Policy, Verdict};
use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

pub use compliance::{ComplianceFormat, ComplianceInput, compliance};
pub use document::{Caret, Document, LineHashes, Skipped, SourceLines, VersionControl};
pub use escape::{escape_log, is_hidden, one_line, printable};
pub use fit::sarif_gzip;
pub use line_hash::line_hashes;
pub use listing::{Listing, is_about_settings, is_secret};
pub use markdown::{Budget, markdown};
pub use output::{Output, broken_pipe};
pub use streams::{Io, When};
pub use uri::directory as directory_uri;
pub use weakened::BY_BASE;
pub use weakened::{Weakening, WeakeningKind};
pub use wire::{Comparison, Reach, ReachedSymbol, Severities};

/// The results of a run over a tree.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The files with findings, in output order.
    pub files: Vec<FileFindings<'a>>,
    /// The files of the base with findings that are fixed, in output order.
    pub fixed: Vec<FileFindings<'a>>,
    /// All rules, sorted by id.
    pub rules: &'a [Rule],
    /// Number of files checked.
    pub checked: usize,
    /// Files skipped or only partly checked.
    pub skipped: &'a [walk::Skipped],
    /// The lowest severity that fails the run.
    pub fail_on: FailOn,
    /// The project's policy on rules, which overrides `fail_on`.
    pub policy: Option<&'a Policy>,
    /// The base of the comparison, if there was one.
    pub comparison: Option<Comparison>,
    /// Notes on the run, one sentence each.
    pub notes: Vec<String>,
    /// What the change reaches, if the code index was used.
    pub reach: Option<Reach>,
    /// The duration of the run.
    pub elapsed: Duration,
    /// The directory that paths are relative to.
    pub root: &'a Path,
    /// Whether the findings were compared with a baseline.
    pub baseline: bool,
    /// Number of baseline entries that no longer match.
    pub stale: usize,
    /// Whether SARIF also contains baselined and allowed findings, marked as suppressed. GitHub
    /// code scanning ignores the mark and would open an alert for each of these findings.
    pub suppressed: bool,
    /// Distinguishes several runs on one commit, as code scanning requires.
    pub category: Option<&'a str>,
    /// The checked commit, if known.
    pub version_control: Option<&'a VersionControl>,
}

/// The findings in one source.
#[derive(Clone, Debug)]
pub struct FileFindings<'a> {
    /// The text that was checked, with its path.
    pub source: &'a Source,
    /// The findings, sorted by span.
    pub findings: Vec<&'a Finding>,
    /// Spans of the source that no output may contain.
    pub secrets: &'a [Span],
}

impl<'a> FileFindings<'a> {
    /// Creates the findings from the report on one file.
    #[must_use]
    pub fn from_report(file: &'a FileReport) -> Self {
        let findings = file.checked.findings.iter().collect();
        Self { source: &file.source, findings, secrets: &file.checked.secrets }
    }
}

/// Number of findings in `files` by severity, without allowed ones.
#[must_use]
pub fn count_current(files: &[FileReport]) -> Severities {
    let mut counts = Severities::default();
    for finding in files.iter().flat_map(|file| &file.checked.findings) {
        if finding.status != Status::Allowed {
            counts.add(finding.severity);
        }
    }
    counts
}

/// The output format of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Format {
    /// Source excerpts for people.
    Text,
    /// One line per finding: `path:line:column: severity[rule] message`.
    Concise,
    /// The complete results, for programs; see `docs/findings.schema.json`.
    Json,
    /// SARIF 2.1.0, with all fields that GitHub code scanning uses.
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

/// Text style for a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether to use colours.
    pub color: bool,
    /// Whether rule ids become links to the pages of the rules.
    pub hyperlinks: bool,
    /// Width in columns.
    pub width: usize,
    /// Whether messages are wrapped at the width.
    pub wrap: bool,
    /// Which findings are listed.
    pub listing: Listing,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            color: false,
            hyperlinks: false,
            width: 100,
            wrap: false,
            listing: Listing::default(),
        }
    }
}

/// Writes `run` to `out`. `document` must be built from the same run with [`Document::for_formats`]
/// for a set of formats that includes this one.
///
/// # Errors
/// Fails when `out` fails.
pub fn write(
    format: Format,
    run: &Run<'_>,
    document: &Document,
    out: &mut dyn io::Write,
    style: &Style,
) -> io::Result<()> {
    if format != Format::Text {
        return render(format, document, run.rules, out, style.listing);
    }
    let mut out = io::BufWriter::new(out);
    text::excerpts(run, document, &mut out, style)?;
    out.flush()
}

/// Writes a document to `out` when the sources are not available; `rules` are all rules, sorted by
/// id. `listing` applies to [`Format::Text`] and [`Format::Concise`].
///
/// # Errors
/// Fails when `out` fails.
pub fn render(
    format: Format,
    document: &Document,
    rules: &[Rule],
    out: &mut dyn io::Write,
    listing: Listing,
) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    match format {
        Format::Text | Format::Concise => text::lines(document, &mut out, listing),
        Format::Json => json::write(document, &mut out),
        Format::Sarif => sarif::write(document, rules, &mut out),
        Format::Github => github::write(document, &mut out),
        Format::Markdown => out.write_all(markdown(document, rules, Budget::Comment).as_bytes()),
        Format::Gitlab => gitlab::write(document, &mut out),
        Format::Junit => junit::write(document, &mut out),
    }?;
    out.flush()
}

impl Run<'_> {
    fn rule(&self, id: &str) -> Option<&Rule> {
        rule(self.rules, id)
    }

    /// The policy's verdict on a finding.
    fn verdict(&self, finding: &Finding) -> Verdict {
        self.policy.map_or(Verdict::Unmatched, |policy| policy.verdict_of(finding))
    }

    /// Whether a finding makes the run fail.
    fn fails(&self, finding: &Finding) -> bool {
        let is_above = match self.fail_on {
            FailOn::Severity(threshold) => finding.severity >= threshold,
            FailOn::Never => false,
        };
        let verdict = self.verdict(finding);
        finding.status == Status::New
            && (verdict == Verdict::Block || verdict == Verdict::Unmatched && is_above)
    }

    /// Whether the policy omits a finding from the reports.
    fn ignores(&self, finding: &Finding) -> bool {
        self.verdict(finding) == Verdict::Ignore && !wire::Status::from(finding.status).is_covered()
    }
}

/// The rule with this id, from rules sorted by id.
fn rule<'a>(rules: &'a [Rule], id: &str) -> Option<&'a Rule> {
    let index = rules.binary_search_by(|rule| (*rule.id).cmp(id)).ok()?;
    rules.get(index)
}

/// `1 file`, `2 files`.
pub fn number(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `1 error`, `2 warnings`, `3 info`.
fn severity_count(count: usize, severity: Severity) -> String {
    match severity {
        Severity::Info => format!("{count} info"),
        _ => number(count, &severity.to_string()),
    }
}

/// The files that were skipped or only partly checked: a heading, and at most `limit` lines. Files
/// with the same reason share a line, except those that could not be read.
fn skipped_lines(document: &Document, limit: usize) -> Vec<String> {
    let skipped = &document.skipped;
    if skipped.is_empty() {
        return Vec::new();
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for file in skipped.iter().filter(|file| !file.failed) {
        *counts.entry(&file.why).or_default() += 1;
    }
    let count = number(skipped.len(), "file");
    let mut lines = vec![format!("{count} skipped or only partly checked:")];
    let mut listed = 0;
    let first_files = skipped.iter().filter_map(|file| {
        let count = if file.failed { 1 } else { counts.remove(&*file.why)? };
        Some((file, count))
    });
    for (file, count) in first_files.take(limit) {
        listed += count;
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        lines.push(format!("  {}{more}: {}", one_line(&file.path), one_line(&file.why)));
    }
    if let Some(remaining @ 1..) = skipped.len().checked_sub(listed) {
        lines.push(format!("  and {remaining} more"));
    }
    lines
}

/// The lines before the last line of a log: the base, and the notes.
fn remarks(document: &Document) -> Vec<String> {
    let comparison = document.comparison.as_ref().map(|comparison| {
        let files = number(comparison.changed_files, "changed file");
        format!("compared with {}: {files}", one_line(&comparison.base))
    });
    let notes = document.notes.iter().map(|note| format!("note: {}", one_line(note)));
    comparison.into_iter().chain(notes).collect()
}

/// The URL of the page of a rule. The page of a project's own rule has a URL only if the repository
/// of the project is known.
fn rule_url(commit: Option<&VersionControl>, rule: &Rule) -> Option<String> {
    match (&rule.path, commit) {
        (None, _) => {
            let repository = env!("CARGO_PKG_REPOSITORY");
            Some(format!("{repository}/blob/main/content/rules/{}.md", rule.id))
        }
        (Some(path), Some(commit)) => Some(blob_url(&commit.repository, &commit.revision, path)),
        (Some(_), None) => None,
    }
}

/// URL of a file at a commit.
fn blob_url(repository: &str, revision: &str, path: &str) -> String {
    format!("{repository}/blob/{revision}/{}", uri::relative(path))
}

/// The embedded distribution, for tests.
#[cfg(test)]
static DISTRIBUTION: aidd_engine::check::Distribution =
    aidd_engine::check::Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
