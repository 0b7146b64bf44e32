//! The JSON written by `--format json`, from which the other formats are generated.

use super::gate::Verdict;
use super::redact::Redactor;
use super::weakened::Weakening;
use super::{Document, FileFindings, Run};
use aidd_engine::text::finding::{self as engine, FileChange, Severity};
use aidd_engine::text::source::{Encoding, Source, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The results of a run of aidd.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Findings of aidd")]
pub struct Report<'a> {
    /// Version of this format; incremented when a field is removed or changes its meaning.
    pub schema_version: u32,
    /// The program that wrote the report.
    pub tool: &'a Tool,
    /// The findings, sorted by path and position; fixed findings come last.
    pub findings: &'a [Finding],
    /// Totals of the run.
    pub summary: Summary,
    /// The base of the comparison. Absent if there was no comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<&'a Comparison>,
    /// Notes on the run, one sentence each.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schemars(default)]
    pub notes: &'a [String],
    /// What the change reaches. Absent if the code index was not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<&'a Reach>,
}

/// What a change reaches, by the references that the code index proves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Reach {
    /// The changed functions, types and values.
    pub changed: Vec<ReachedSymbol>,
    /// The code that directly refers to a changed symbol; without the changed symbols and tests.
    pub callers: Vec<ReachedSymbol>,
    /// Number of symbols that reach a changed symbol through other symbols.
    pub indirect: usize,
    /// The files of the tests that reach a changed symbol.
    pub tests: Vec<String>,
    /// The changed functions that no test reaches within three calls.
    pub untested: Vec<ReachedSymbol>,
}

/// A symbol, or code outside of all symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct ReachedSymbol {
    /// The name, with the names of the enclosing symbols; empty for code outside of all symbols.
    pub name: String,
    /// The file, relative to the root.
    pub path: String,
    /// The line of the declaration or, for a caller, of its first reference; from 1.
    #[schemars(range(min = 1))]
    pub line: u64,
}

/// The program that wrote the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Tool {
    /// Always `aidd`.
    pub name: String,
    /// The version of the program.
    pub version: String,
}

/// A location where a rule is violated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Finding {
    /// Stable identifier: the same problem has the same id in every output, even after lines above
    /// it moved.
    pub id: String,
    /// The rule id, `kind/name`.
    pub rule: String,
    /// Names of the rule in other tools.
    pub aliases: Vec<String>,
    /// The severity configured for this path.
    #[schemars(with = "SeverityName")]
    pub severity: Severity,
    /// The problem.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// The file, relative to the root, with `/` between segments on every system.
    pub path: String,
    /// The position of the first character.
    pub start: Position,
    /// The position after the last character.
    pub end: Position,
    /// The status relative to the base, the baseline and the allow comments.
    pub status: Status,
    /// The reason for the status.
    pub reason: Option<String>,
    /// The effect of `ci.blockOn` and `ci.warnOn` on a new finding. Absent if neither
    /// matches and `failOn` decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// Edits that fix the problem. Absent if they would reveal a secret.
    pub fix: Option<Fix>,
    /// Related locations that explain the finding.
    pub related: Vec<Related>,
}

/// The severity of a finding.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "names the values in the schema; the engine owns the type")]
enum SeverityName {
    /// A definite problem.
    Error,
    /// A likely problem.
    Warning,
    /// Informational.
    Info,
}

/// A position in a file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Position {
    /// Line number, from 1.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// Column, from 1, in Unicode code points.
    #[schemars(range(min = 1))]
    pub column: u64,
    /// Byte offset in the file.
    pub offset: u64,
}

/// The status of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Not present before.
    New,
    /// The base contains the finding in the same text at another position.
    Moved,
    /// The base contains the finding at the same position.
    PreExisting,
    /// Only the base contains the finding. The position refers to the base.
    Fixed,
    /// Recorded in the baseline.
    Baselined,
    /// Allowed by a comment.
    Allowed,
}

/// The effect of the project's policy on a new finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// Fails the run, whatever the severity.
    Block,
    /// Does not fail the run.
    Warn,
}

/// Edits that fix a finding, to be applied together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Fix {
    /// Description of the fix.
    pub title: String,
    /// Whether the fix preserves the meaning of the file.
    #[schemars(with = "SafetyName")]
    pub safety: String,
    /// The edits; they never overlap.
    pub edits: Vec<Edit>,
    /// Instead of edits: a file to create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create: Option<NewFile>,
    /// Instead of edits: the new path of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rename_to: Option<String>,
}

/// A file that a fix creates. It never overwrites an existing file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct NewFile {
    /// Path relative to the root, with `/` between segments.
    pub path: String,
    /// Contents of the file.
    pub text: String,
}

/// The safety of a fix.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "names the values in the schema; the engine owns the type")]
enum SafetyName {
    /// Preserves the meaning of the file.
    Safe,
    /// Can change the meaning of the file.
    Unsafe,
}

/// Replaces the text from `start` to `end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Edit {
    /// The position of the first replaced character.
    pub start: Position,
    /// The position after the last replaced character.
    pub end: Position,
    /// The replacement.
    pub text: String,
}

/// A second location that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Related {
    /// The file, relative to the root.
    pub path: String,
    /// The position of the first character.
    pub start: Position,
    /// The position after the last character.
    pub end: Position,
    /// Explanation of the location.
    pub message: String,
}

/// Totals of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Number of new errors.
    pub error: usize,
    /// Number of new warnings.
    pub warning: usize,
    /// Number of new informational findings.
    pub info: usize,
    /// Number of findings that the base has at another position.
    pub moved: usize,
    /// Number of findings that the base has at the same position.
    pub pre_existing: usize,
    /// Number of findings that only the base has.
    pub fixed: usize,
    /// Number of findings recorded in the baseline.
    pub baselined: usize,
    /// Number of findings allowed by comments.
    pub allowed: usize,
    /// Number of findings ignored by `ci.ignore`.
    pub ignored: usize,
    /// Number of baseline entries that no longer match.
    pub stale: usize,
    /// Number of files checked.
    pub files: usize,
    /// Files that were skipped or only partly checked.
    pub skipped: Vec<Skipped>,
}

/// The base of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Comparison {
    /// Name of the base, such as `main (merge base 1a2b3c4)`.
    pub base: String,
    /// Full hash of the base, if it is a commit.
    pub base_sha: Option<String>,
    /// Whether all files were checked, not only the changed ones.
    pub whole_tree: bool,
    /// Number of changed files.
    pub changed_files: usize,
    /// Counts of the findings in the checked files at the base, without allowed ones.
    pub before: Severities,
    /// Counts of the findings in the checked files now, without allowed ones.
    pub after: Severities,
    /// The checks weakened by the change: settings, rule pages, the baseline, allow comments,
    /// ignore files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakened: Vec<Weakening>,
}

/// Counts of findings by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Severities {
    /// Number of errors.
    pub error: usize,
    /// Number of warnings.
    pub warning: usize,
    /// Number of informational findings.
    pub info: usize,
}

impl From<[usize; 3]> for Severities {
    /// From counts in the order of [`Severity::ALL`].
    fn from([error, warning, info]: [usize; 3]) -> Self {
        Self { error, warning, info }
    }
}

impl Severities {
    /// The count of one severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Info => self.info,
        }
    }

    /// Counts a finding of this severity.
    pub fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.error += 1,
            Severity::Warning => self.warning += 1,
            Severity::Info => self.info += 1,
        }
    }
}

/// A file that was skipped or only partly checked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Skipped {
    /// The file, relative to the root.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// The JSON schema of [`Report`], as stored in `docs/findings.schema.json`.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(Report);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// The report of the whole run.
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
        reach: document.reach.as_ref(),
    }
}

/// Converts a finding of `file`.
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
            Verdict::Ignore | Verdict::Unmatched => None,
        },
        fix: found.fix.as_ref().and_then(|engine_fix| fix(source, redactor, engine_fix)),
        related: found.related.iter().map(|other| related(source, redactor, other)).collect(),
    }
}

impl Status {
    /// Whether the baseline or a comment covers the finding, so that the policy does not apply.
    pub(super) fn is_covered(self) -> bool {
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
    if !redactor.can_show(fix) {
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

/// The only conversion from offset to line and column in this crate.
pub(super) fn position(source: &Source, offset: u32) -> Position {
    let position = source.position(offset, Encoding::CodePoints);
    Position {
        line: u64::from(position.line) + 1,
        column: u64::from(position.column) + 1,
        offset: source.origin().offset + u64::from(offset),
    }
}
