//! A run as plain data: the source of every format except text excerpts, and the data that one job
//! passes to another.

use super::counts::Counts;
use super::redact::Redactor;
use super::wire::{self, Comparison, Finding, Gate, Reach, Status, Tool};
use super::{FileFindings, Format, Run, line_hashes, printable, sarif, uri};
use aidd_engine::project::config::FailOnName;
use aidd_engine::text::finding::{FailOn, Severity};
use aidd_engine::text::source::{Decoded, Origin, Source, Span};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

/// Version of [`Document`]; incremented when a field is removed or changes its meaning.
pub const VERSION: u32 = 1;

/// Path → line → the hash by which GitHub code scanning recognizes the line.
pub type LineHashes = BTreeMap<String, BTreeMap<u64, String>>;

/// All results of a run, without the sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// Version of this structure.
    pub schema_version: u32,
    /// The program that wrote the document.
    pub tool: Tool,
    /// The findings, sorted by path and position; after them the fixed findings, whose positions
    /// are in the base.
    pub findings: Vec<Finding>,
    /// The hashes of the lines with findings; only for files that are entirely UTF-8.
    pub line_hashes: LineHashes,
    /// Id of a new finding → the safety of its fix, if the fix is omitted because it would reveal a
    /// secret.
    pub withheld_fixes: BTreeMap<String, String>,
    /// Id of a new error → the lines around it, with secrets masked.
    #[serde(default)]
    pub excerpts: BTreeMap<String, SourceLines>,
    /// Number of files checked.
    pub checked: usize,
    /// Files skipped or only partly checked.
    pub skipped: Vec<Skipped>,
    /// Number of findings ignored by the policy.
    pub ignored: usize,
    /// Whether the findings were compared with a baseline.
    pub baseline: bool,
    /// Number of baseline entries that no longer match.
    pub stale: usize,
    /// The base of the comparison, if there was one.
    pub comparison: Option<Comparison>,
    /// The checked commit, if known.
    pub version_control: Option<VersionControl>,
    /// Distinguishes several runs on one commit, as code scanning requires.
    pub category: Option<String>,
    /// The lowest severity that fails the run.
    pub fail_on: FailOnName,
    /// Whether SARIF also contains baselined, allowed and fixed findings.
    pub suppressed: bool,
    /// The root directory, as a `file:` URI; paths are relative to it.
    pub root: Option<String>,
    /// Notes on the run, one sentence each.
    pub notes: Vec<String>,
    /// What the change reaches, if the code index was used.
    #[serde(default)]
    pub reach: Option<Reach>,
    /// The duration of the run.
    pub elapsed: Duration,
}

/// Some lines of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceLines {
    /// Number of the first line, from 1.
    pub first: u64,
    /// The lines, without line breaks.
    pub lines: Vec<String>,
    /// The place of the finding in its line; absent if it spans several lines or its start was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caret: Option<Caret>,
}

/// The characters of a line of [`SourceLines`] that a finding concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caret {
    /// Number of characters of the line before the finding.
    pub start: usize,
    /// Number of characters of the finding.
    pub length: usize,
}

/// Maximum number of excerpts of a document.
pub const MAX_EXCERPTS: usize = 100;
/// Maximum number of lines of an excerpt.
pub const MAX_EXCERPT_LINES: usize = 5;
/// Maximum number of bytes of a line of an excerpt.
const MAX_EXCERPT_BYTES: usize = 160;

/// A file that was skipped or only partly checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// Path relative to the root.
    pub path: String,
    /// The reason.
    pub why: String,
    /// Whether the file should have been checked but could not be read.
    pub failed: bool,
}

/// The checked commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionControl {
    /// URL of the repository, such as `https://github.com/owner/name`.
    pub repository: String,
    /// Full hash of the commit.
    pub revision: String,
    /// The branch, if there is one.
    pub branch: Option<String>,
}

impl Document {
    /// Creates the document of `run`. Line hashes require a pass over each file with findings, and
    /// only SARIF contains them.
    #[must_use]
    pub fn from_run(run: &Run<'_>, line_hashes: bool) -> Self {
        let mut document = Self::without_findings(run);
        for file in run.files.iter().chain(&run.fixed) {
            document.add_file(run, file);
        }
        if line_hashes {
            document.hash_lines(run);
        }
        document
    }

    /// Creates the document of `run` with only the data that `formats` need.
    #[must_use]
    pub fn for_formats(run: &Run<'_>, formats: &[Format]) -> Self {
        if formats.iter().all(|&format| format == Format::Text) {
            return Self::without_findings(run);
        }
        Self::from_run(run, formats.contains(&Format::Sarif))
    }

    /// Creates the document of `run` without the findings.
    fn without_findings(run: &Run<'_>) -> Self {
        let skipped = run.skipped.iter().map(|file| Skipped {
            path: file.path.clone(),
            why: file.why.clone(),
            failed: file.failed,
        });
        Self {
            schema_version: VERSION,
            tool: Tool { name: "aidd".into(), version: env!("CARGO_PKG_VERSION").into() },
            findings: Vec::new(),
            line_hashes: LineHashes::new(),
            withheld_fixes: BTreeMap::new(),
            excerpts: BTreeMap::new(),
            checked: run.checked,
            skipped: skipped.collect(),
            ignored: run.ignored(),
            baseline: run.baseline,
            stale: run.stale,
            comparison: run.comparison.clone(),
            version_control: run.version_control.cloned(),
            category: run.category.map(str::to_owned),
            fail_on: fail_on_name(run.fail_on),
            suppressed: run.suppressed,
            root: uri::directory(run.root),
            notes: run.notes.clone(),
            reach: run.reach.clone(),
            elapsed: run.elapsed,
        }
    }

    fn add_file(&mut self, run: &Run<'_>, file: &FileFindings<'_>) {
        let redactor = Redactor::new(file);
        for &found in file.findings.iter().filter(|found| !run.ignores(found)) {
            let mut finding = wire::finding(run, file, &redactor, found);
            finding.gate = finding.gate.filter(|_| finding.status == Status::New);
            if let (Status::New, None, Some(fix)) = (finding.status, &finding.fix, &found.fix) {
                self.withheld_fixes.insert(found.id.clone(), fix.safety.to_string());
            }
            let is_shown = finding.status == Status::New && finding.severity == Severity::Error;
            if is_shown && self.excerpts.len() < MAX_EXCERPTS {
                let lines = source_lines(file.source, &redactor, found.span);
                self.excerpts.insert(found.id.clone(), lines);
            }
            self.findings.push(finding);
        }
    }

    /// Hashes the lines of the results. The hash is only valid for a complete UTF-8 file, because
    /// GitHub reads such a file in the same way; for other results, GitHub computes its own hash.
    fn hash_lines(&mut self, run: &Run<'_>) {
        let mut lines: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for finding in self.findings.iter().filter(|finding| finding.status != Status::Fixed) {
            if sarif::is_result(self, finding) {
                lines.entry(&finding.path).or_default().push(finding.start.line);
            }
        }
        let mut line_hashes_by_path = LineHashes::new();
        for source in run.files.iter().map(|file| file.source) {
            let is_complete =
                source.origin() == Origin::default() && source.decoded() == Decoded::Utf8;
            let Some(lines) = lines.get(source.path()).filter(|_| is_complete) else { continue };
            let hashes = line_hashes(source.text());
            let hash = |&line: &u64| {
                let index = usize::try_from(line.checked_sub(1)?).ok()?;
                Some((line, hashes.get(index)?.clone()))
            };
            line_hashes_by_path
                .insert(source.path().to_owned(), lines.iter().filter_map(hash).collect());
        }
        self.line_hashes = line_hashes_by_path;
    }

    /// The hash of the line on which a finding starts.
    pub(super) fn line_hash(&self, finding: &Finding) -> Option<&str> {
        if finding.status == Status::Fixed {
            return None;
        }
        Some(self.line_hashes.get(&finding.path)?.get(&finding.start.line)?.as_str())
    }

    /// Whether `finding` fails the run.
    #[must_use]
    pub fn fails(&self, finding: &Finding) -> bool {
        let threshold = match self.fail_on {
            FailOnName::Error => Some(Severity::Error),
            FailOnName::Warning => Some(Severity::Warning),
            FailOnName::Info => Some(Severity::Info),
            FailOnName::Never => None,
        };
        finding.status == Status::New
            && match finding.gate {
                Some(Gate::Block) => true,
                Some(Gate::Warn) => false,
                None => threshold.is_some_and(|threshold| finding.severity >= threshold),
            }
    }

    /// Whether any finding fails the run.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        self.findings.iter().any(|finding| self.fails(finding))
    }

    /// Whether a file that should have been checked could not be read.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.skipped.iter().any(|file| file.failed)
    }

    /// The new findings, sorted for outputs that show only the first few: by severity and, within a
    /// severity, findings that fail the run first.
    #[must_use]
    pub fn ranked(&self) -> Vec<&Finding> {
        let mut new: Vec<&Finding> = self.with_status(&[Status::New]).collect();
        new.sort_by_key(|finding| Reverse((finding.severity, self.fails(finding))));
        new
    }

    /// The findings with one of these statuses, in document order.
    pub(super) fn with_status(
        &self,
        statuses: &'static [Status],
    ) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| statuses.contains(&finding.status))
    }

    /// The result as a title: `2 errors, 1 warning introduced`.
    #[must_use]
    pub fn title(&self) -> String {
        let found = self.counts().found_text();
        if self.comparison.is_some() { format!("{found} introduced") } else { found }
    }

    /// Counts of findings by status and severity.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { ignored: self.ignored, ..Counts::default() };
        for finding in &self.findings {
            let fix = finding.fix.as_ref().map(|fix| fix.safety.as_str());
            let fix = fix.or_else(|| self.withheld_fixes.get(&finding.id).map(String::as_str));
            counts.add(finding.status, finding.severity, fix);
        }
        counts
    }
}

/// The lines of a span, with one line before and after it.
fn source_lines(source: &Source, redactor: &Redactor<'_>, span: Span) -> SourceLines {
    let line = source.line_of(span.start);
    let end = source.line_of(span.end.saturating_sub(1).max(span.start));
    let last_line = source.line_of(u32::try_from(source.text().len()).unwrap_or(u32::MAX));
    let first = line.saturating_sub(1);
    let last = (end + 1).min(last_line).min(first + MAX_EXCERPT_LINES - 1);
    let text = |line: usize| {
        // There can be many findings on one long line.
        let text = redactor.beginning(source.line_span(line), MAX_EXCERPT_BYTES);
        let text = text.trim_end_matches(['\n', '\r']);
        let shown = &text[..text.floor_char_boundary(MAX_EXCERPT_BYTES)];
        let more = if shown.len() < text.len() { "…" } else { "" };
        printable(&format!("{shown}{more}"))
    };
    let first_number = u64::from(source.origin().line) + first as u64 + 1;
    let lines: Vec<String> = (first..=last).map(text).collect();
    let caret = (line == end).then(|| caret(source, redactor, span, lines.get(line - first)?));
    SourceLines { first: first_number, lines, caret: caret.flatten() }
}

/// The place of `span` in the excerpt `shown` of its line, in which characters are escaped and masked.
fn caret(source: &Source, redactor: &Redactor<'_>, span: Span, shown: &str) -> Option<Caret> {
    let line = source.line_span(source.line_of(span.start));
    if (span.start - line.start) as usize > MAX_EXCERPT_BYTES {
        return None;
    }
    let length = |start: u32, end: u32| {
        let span = Span { start, end: end.min(line.end) };
        let text = redactor.beginning(span, MAX_EXCERPT_BYTES);
        printable(text.trim_end_matches(['\n', '\r'])).chars().count()
    };
    let start = length(line.start, span.start);
    let rest = shown.chars().count().checked_sub(start).filter(|&rest| rest > 0)?;
    Some(Caret { start, length: length(span.start, span.end).clamp(1, rest) })
}

/// Returns the value of `failOn` in a configuration for `fail_on`.
pub fn fail_on_name(fail_on: FailOn) -> FailOnName {
    match fail_on {
        FailOn::Severity(Severity::Error) => FailOnName::Error,
        FailOn::Severity(Severity::Warning) => FailOnName::Warning,
        FailOn::Severity(Severity::Info) => FailOnName::Info,
        FailOn::Never => FailOnName::Never,
    }
}

impl Run<'_> {
    /// Number of current findings ignored by the policy.
    fn ignored(&self) -> usize {
        let current = self.files.iter().flat_map(|file| &file.findings);
        current.filter(|finding| self.ignores(finding)).count()
    }

    /// The same counts as [`Document::counts`], without building the findings.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { ignored: self.ignored(), ..Counts::default() };
        for file in self.files.iter().chain(&self.fixed) {
            for finding in file.findings.iter().filter(|finding| !self.ignores(finding)) {
                let fix = finding.fix.as_ref().map(|fix| match fix.safety {
                    aidd_engine::text::finding::Safety::Safe => "safe",
                    aidd_engine::text::finding::Safety::Unsafe => "unsafe",
                });
                counts.add(finding.status.into(), finding.severity, fix);
            }
        }
        counts
    }
}
