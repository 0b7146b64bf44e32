//! The JSON that `--format json` writes, and what the other formats are made from.

use super::gate::Verdict;
use super::redact::Redactor;
use super::weakened::Weakening;
use super::{Document, FileFindings, Run};
use aidd_engine::text::finding::{self as engine, FileChange, Severity};
use aidd_engine::text::source::{Encoding, Source, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one run of aidd found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Findings of aidd")]
pub struct Report<'a> {
    /// The version of this format; it grows when a field changes its meaning or goes.
    pub schema_version: u32,
    /// What wrote the report.
    pub tool: &'a Tool,
    /// The findings, by path, then by place; after them those that are fixed.
    pub findings: &'a [Finding],
    /// Totals.
    pub summary: Summary,
    /// What the files were compared with. Absent when they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<&'a Comparison>,
    /// What else there is to know of the run.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schemars(default)]
    pub notes: &'a [String],
}

/// What wrote the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Tool {
    /// `aidd`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Finding {
    /// The same for the same problem in every output, also after lines above it moved.
    pub id: String,
    /// The rule: `kind/name`.
    pub rule: String,
    /// What other tools call the rule.
    pub aliases: Vec<String>,
    /// How bad it is, as configured for this path.
    #[schemars(with = "SeverityName")]
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The file, relative to the root, with `/` between segments on every system.
    pub path: String,
    /// The first character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
    /// How the finding stands against the base, the baseline and the allow comments.
    pub status: Status,
    /// Why it has that status.
    pub reason: Option<String>,
    /// What `ci.blockOn` and `ci.warnOn` make of it while it is new. Absent: neither names it, and
    /// `failOn` decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// Edits that mend it. Absent when they would show a secret.
    pub fix: Option<Fix>,
    /// Other places that explain it.
    pub related: Vec<Related>,
}

/// How bad a finding is.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "names the values in the schema; the engine owns the type")]
enum SeverityName {
    /// Certainly a fault.
    Error,
    /// Likely a fault.
    Warning,
    /// Worth knowing.
    Info,
}

/// A place in a file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Position {
    /// Line, from 1.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// Column, from 1, in Unicode code points.
    #[schemars(range(min = 1))]
    pub column: u64,
    /// Bytes of the file before this place.
    pub offset: u64,
}

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Not known before.
    New,
    /// The same text had it at another place of the base.
    Moved,
    /// The base has it at the same place.
    PreExisting,
    /// The base had it; it is gone. The place is one in the base.
    Fixed,
    /// Recorded in the baseline.
    Baselined,
    /// Allowed by a comment.
    Allowed,
}

/// What the project's policy makes of a new finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// It makes the run fail, whatever its severity.
    Block,
    /// It does not make the run fail.
    Warn,
}

/// Edits that mend a finding, all or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Fix {
    /// What the fix does.
    pub title: String,
    /// Whether it keeps the meaning of the file.
    #[schemars(with = "SafetyName")]
    pub safety: String,
    /// The edits; they never overlap.
    pub edits: Vec<Edit>,
    /// Instead of edits: the file that comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create: Option<NewFile>,
    /// Instead of edits: the path that the file of the finding gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rename_to: Option<String>,
}

/// A file that a fix makes; never over one that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct NewFile {
    /// Its path from the root, with `/`.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// What to expect of a fix.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "names the values in the schema; the engine owns the type")]
enum SafetyName {
    /// Keeps the meaning of the file.
    Safe,
    /// May change the meaning of the file.
    Unsafe,
}

/// Replaces the text from `start` to `end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Edit {
    /// The first character that goes.
    pub start: Position,
    /// One past the last character that goes.
    pub end: Position,
    /// What comes instead.
    pub text: String,
}

/// A second place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Related {
    /// The file.
    pub path: String,
    /// The first character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
    /// What is there.
    pub message: String,
}

/// Totals of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// New findings that are errors.
    pub error: usize,
    /// New findings that are warnings.
    pub warning: usize,
    /// New findings that are worth knowing.
    pub info: usize,
    /// Findings that the base has at another place.
    pub moved: usize,
    /// Findings that the base has at the same place.
    pub pre_existing: usize,
    /// Findings that only the base has.
    pub fixed: usize,
    /// Findings that the baseline records.
    pub baselined: usize,
    /// Findings that a comment allows.
    pub allowed: usize,
    /// Findings that `ci.ignore` leaves out.
    pub ignored: usize,
    /// Findings that the baseline records and that are there no more.
    pub stale: usize,
    /// Files checked.
    pub files: usize,
    /// Files that were not, or not wholly, checked.
    pub skipped: Vec<Skipped>,
}

/// What the files were compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Comparison {
    /// What the base is called: `main (merge base 1a2b3c4)`.
    pub base: String,
    /// The base's full hash, when it is a commit.
    pub base_sha: Option<String>,
    /// Whether all files were checked, or only those that changed.
    pub whole_tree: bool,
    /// How many files changed.
    pub changed_files: usize,
    /// The findings that stood in the files checked, at the base; allowed ones left out.
    pub before: Severities,
    /// Those that stand in them now.
    pub after: Severities,
    /// What the change weakens: settings, rule pages, the baseline, allow comments, ignore files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakened: Vec<Weakening>,
}

/// How many findings of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Severities {
    /// Errors.
    pub error: usize,
    /// Warnings.
    pub warning: usize,
    /// Worth knowing.
    pub info: usize,
}

impl From<[usize; 3]> for Severities {
    /// In the order of [`Severity::ALL`].
    fn from([error, warning, info]: [usize; 3]) -> Self {
        Self { error, warning, info }
    }
}

impl Severities {
    /// How many of one severity.
    #[must_use]
    pub fn of(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Info => self.info,
        }
    }

    /// One more of a severity.
    pub fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.error += 1,
            Severity::Warning => self.warning += 1,
            Severity::Info => self.info += 1,
        }
    }
}

/// A file that was not, or not wholly, checked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Skipped {
    /// The file.
    pub path: String,
    /// Why.
    pub why: String,
}

/// The JSON schema of [`Report`], as `docs/findings.schema.json` holds it.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(Report);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// The whole run.
pub(super) fn report(document: &Document) -> Report<'_> {
    let counts = document.counts();
    let skipped =
        |file: &super::Skipped| Skipped { path: file.path.clone(), why: file.why.clone() };
    Report {
        schema_version: 1,
        tool: &document.tool,
        findings: &document.findings,
        summary: Summary {
            error: counts.new.error,
            warning: counts.new.warning,
            info: counts.new.info,
            moved: counts.moved,
            pre_existing: counts.pre_existing,
            fixed: counts.fixed,
            baselined: counts.baselined,
            allowed: counts.allowed,
            ignored: document.ignored,
            stale: document.stale,
            files: document.checked,
            skipped: document.skipped.iter().map(skipped).collect(),
        },
        comparison: document.comparison.as_ref(),
        notes: &document.notes,
    }
}

/// One finding of `file`.
pub(super) fn finding(
    run: &Run<'_>,
    file: &FileFindings<'_>,
    redactor: &Redactor<'_>,
    found: &engine::Finding,
) -> Finding {
    let source = file.source;
    let (start, end) = range(source, found.span);
    let redacted = |text: &String| redactor.text(text);
    Finding {
        id: found.id.clone(),
        rule: found.rule.to_string(),
        aliases: run.rule(&found.rule).map(|rule| rule.aliases.clone()).unwrap_or_default(),
        severity: found.severity,
        message: redactor.text(&found.message),
        help: found.help.as_ref().map(redacted),
        path: source.path().to_owned(),
        start,
        end,
        status: found.status.into(),
        reason: found.reason.as_ref().map(redacted),
        gate: match run.verdict(found) {
            Verdict::Block => Some(Gate::Block),
            Verdict::Warn => Some(Gate::Warn),
            Verdict::Ignore | Verdict::Unnamed => None,
        },
        fix: found.fix.as_ref().and_then(|mend| fix(source, redactor, mend)),
        related: found.related.iter().map(|other| related(source, redactor, other)).collect(),
    }
}

impl Status {
    /// Whether the baseline or a comment has settled the finding, so that a policy says nothing
    /// of it.
    pub(super) fn is_settled(self) -> bool {
        matches!(self, Self::Baselined | Self::Allowed)
    }
}

impl From<engine::Status> for Status {
    fn from(status: engine::Status) -> Self {
        match status {
            engine::Status::New => Self::New,
            engine::Status::Moved => Self::Moved,
            engine::Status::PreExisting => Self::PreExisting,
            engine::Status::Fixed => Self::Fixed,
            engine::Status::Baselined => Self::Baselined,
            engine::Status::Allowed => Self::Allowed,
        }
    }
}

fn related(source: &Source, redactor: &Redactor<'_>, other: &engine::Related) -> Related {
    let (start, end) = range(source, other.span);
    let message = redactor.text(&other.message);
    Related { path: source.path().to_owned(), start, end, message }
}

fn fix(source: &Source, redactor: &Redactor<'_>, fix: &engine::Fix) -> Option<Fix> {
    if !redactor.may_show(fix) {
        return None;
    }
    let edit = |edit: &engine::Edit| {
        let (start, end) = range(source, edit.span);
        Edit { start, end, text: edit.text.clone() }
    };
    let (mut create, mut rename_to) = (None, None);
    match &fix.file {
        Some(FileChange::Create { path, text }) => {
            create = Some(NewFile { path: path.clone(), text: text.clone() });
        }
        Some(FileChange::Rename { to }) => rename_to = Some(to.clone()),
        None => {}
    }
    Some(Fix {
        title: redactor.text(&fix.title),
        safety: fix.safety.to_string(),
        edits: fix.edits.iter().map(edit).collect(),
        create,
        rename_to,
    })
}

fn range(source: &Source, span: Span) -> (Position, Position) {
    (position(source, span.start), position(source, span.end))
}

/// The one place where this crate turns an offset into a line and a column.
pub(super) fn position(source: &Source, offset: u32) -> Position {
    let at = source.position(offset, Encoding::CodePoints);
    Position {
        line: u64::from(at.line) + 1,
        column: u64::from(at.column) + 1,
        offset: source.origin().offset + u64::from(offset),
    }
}
