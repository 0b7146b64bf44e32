//! The JSON that `--format json` writes, and what the other formats are made from.

use super::redact::Redactor;
use super::{FileFindings, Run};
use aidd_engine::finding::{self as engine, Safety, Severity};
use aidd_engine::source::{Encoding, Source, Span};
use aidd_engine::walk;
use schemars::JsonSchema;
use serde::Serialize;

/// What one run of aidd found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Findings of aidd")]
pub struct Report {
    /// The version of this format; it grows when a field changes its meaning or goes.
    pub schema_version: u32,
    /// What wrote the report.
    pub tool: Tool,
    /// The findings, by path, then by place.
    pub findings: Vec<Finding>,
    /// Totals.
    pub summary: Summary,
}

/// What wrote the report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tool {
    /// `aidd`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One place where a rule is broken.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
    /// How the finding stands against the baseline and the allow comments.
    pub status: Status,
    /// Why it has that status.
    pub reason: Option<String>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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

/// Edits that mend a finding, all or none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Fix {
    /// What the fix does.
    pub title: String,
    /// Whether it keeps the meaning of the file.
    #[schemars(with = "SafetyName")]
    pub safety: String,
    /// The edits; they never overlap.
    pub edits: Vec<Edit>,
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Edit {
    /// The first character that goes.
    pub start: Position,
    /// One past the last character that goes.
    pub end: Position,
    /// What comes instead.
    pub text: String,
}

/// A second place that explains a finding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
pub struct Summary {
    /// New findings that are errors.
    pub error: usize,
    /// New findings that are warnings.
    pub warning: usize,
    /// New findings that are worth knowing.
    pub info: usize,
    /// Files checked.
    pub files: usize,
    /// Files that were not, or not wholly, checked.
    pub skipped: Vec<Skipped>,
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
pub(super) fn report(run: &Run<'_>) -> Report {
    let counts = run.counts();
    let skipped = |file: &walk::Skipped| Skipped { path: file.path.clone(), why: file.why.clone() };
    Report {
        schema_version: 1,
        tool: Tool { name: "aidd".into(), version: env!("CARGO_PKG_VERSION").into() },
        findings: findings(run),
        summary: Summary {
            error: counts.error,
            warning: counts.warning,
            info: counts.info,
            files: run.checked,
            skipped: run.skipped.iter().map(skipped).collect(),
        },
    }
}

/// All findings of a run, whatever their status.
pub(super) fn findings(run: &Run<'_>) -> Vec<Finding> {
    run.files.iter().flat_map(|file| file_findings(run, file)).collect()
}

/// The findings of one file, whatever their status.
pub(super) fn file_findings(run: &Run<'_>, file: &FileFindings<'_>) -> Vec<Finding> {
    let redactor = Redactor::new(file);
    file.findings.iter().map(|found| finding(run, file.source, &redactor, found)).collect()
}

fn finding(
    run: &Run<'_>,
    source: &Source,
    redactor: &Redactor<'_>,
    found: &engine::Finding,
) -> Finding {
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
        status: match found.status {
            engine::Status::New => Status::New,
            engine::Status::Moved => Status::Moved,
            engine::Status::PreExisting => Status::PreExisting,
            engine::Status::Fixed => Status::Fixed,
            engine::Status::Baselined => Status::Baselined,
            engine::Status::Allowed => Status::Allowed,
        },
        reason: found.reason.as_ref().map(redacted),
        fix: found.fix.as_ref().and_then(|mend| fix(source, redactor, mend)),
        related: found.related.iter().map(|other| related(source, redactor, other)).collect(),
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
    let safety = match fix.safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    };
    Some(Fix {
        title: redactor.text(&fix.title),
        safety: safety.into(),
        edits: fix.edits.iter().map(edit).collect(),
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
