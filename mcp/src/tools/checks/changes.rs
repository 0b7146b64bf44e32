//! Checks of the changes on the current branch: new findings, and the pull request report.

use super::findings::{self, AnswerOptions, Findings};
use super::{DEFAULT_LIMIT, MAX_LIMIT};
use crate::context::Context;
use crate::tool::{Answer, Choice, Profile, Tool, ToolError};
use aidd_engine::check::Selection;
use aidd_engine::workspace::project::Project;
use aidd_engine::workspace::walk::uncommitted;
use aidd_report::run::{self, ComplianceFormat, Document, Format, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum length of a report in characters, which is also GitHub's limit for a comment.
const MAX_REPORT_CHARS: usize = 65_536;

pub(super) fn tools() -> Vec<Tool> {
    let check = Tool::new(
        "aidd_ci_diff_check",
        "Check changes",
        "Checks the uncommitted changes and those of the branch for new findings, like the pull \
         request check. Use before a commit; use aidd_check_compliance for a single file.",
        diff_check,
    )
    .in_profiles(&[Profile::Tools, Profile::Lean]);
    let report = Tool::new(
        "aidd_ci_report",
        "Pull-request report",
        "Returns the report of the pull request check. Use to show the result to people; use \
         aidd_ci_diff_check to fix findings.",
        report,
    )
    .with_choice(Choice {
        argument: "policy",
        default: "false",
        allowed: &[(&["false"], &["base"])],
    })
    .in_profiles(&[Profile::Tools, Profile::Plan]);
    vec![check, report]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DiffParams {
    /// Revision to compare with; default: the main branch
    base: Option<String>,
    /// Paths to check; default: all changed files
    #[serde(default)]
    changed_files: Vec<String>,
    /// Maximum number of findings; default: 20
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

fn diff_check(context: &Context, params: DiffParams) -> Result<Answer<Findings>, ToolError> {
    let project = context.project()?;
    let target = Target::Changes { base: params.base.as_deref(), below: &params.changed_files };
    let mut document = check_changes(context, &project, &target)?;
    if params.base.is_none()
        && document.checked == 0
        && let Some(note) = unchanged_note(context)
    {
        document.notes.push(note);
    }
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let selection = &Selection::default();
    let shown = AnswerOptions { limit, selection, files: &project.disk, disabled: None };
    Ok(findings::answer(&project, &document, shown))
}

/// The note if nothing was checked because the work is already on the main branch; "passes" alone
/// would be misleading.
fn unchanged_note(context: &Context) -> Option<String> {
    let changes = uncommitted(context.root())?.changes;
    changes.is_empty().then(|| {
        "no uncommitted changes and no commits since the base; to check earlier commits, pass an \
         earlier `base`, such as HEAD~1"
            .to_owned()
    })
}

/// Checks the changes with all rules.
fn check_changes(
    context: &Context,
    project: &Project,
    target: &Target<'_>,
) -> Result<Document, ToolError> {
    let all = Selection::default();
    run::check_until(project, &all, target, context.stop()).map_err(findings::to_tool_error)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReportParams {
    #[serde(default)]
    format: ReportFormat,
    /// Revision to compare with; default: the main branch
    base: Option<String>,
    /// Whether to return the enforced policy instead of findings
    #[serde(default)]
    policy: bool,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ReportFormat {
    #[default]
    Markdown,
    Json,
    Github,
}

#[derive(Serialize, JsonSchema)]
struct Report {
    format: ReportFormat,
    /// Whether the pull request would fail; absent for a policy report.
    #[serde(skip_serializing_if = "Option::is_none")]
    fails: Option<bool>,
    report: String,
}

fn report(context: &Context, params: ReportParams) -> Result<Answer<Report>, ToolError> {
    let project = context.project()?;
    let (fails, text) = if params.policy {
        let format = match params.format {
            ReportFormat::Markdown => ComplianceFormat::Markdown,
            ReportFormat::Json => ComplianceFormat::Json,
            ReportFormat::Github => ComplianceFormat::Github,
        };
        (None, run::policy(&project, format).map_err(findings::to_tool_error)?)
    } else {
        let target = Target::Changes { base: params.base.as_deref(), below: &[] };
        let document = check_changes(context, &project, &target)?;
        let format = match params.format {
            ReportFormat::Markdown => Format::Markdown,
            ReportFormat::Json => Format::Json,
            ReportFormat::Github => Format::Github,
        };
        (Some(document.is_failing()), run::render(&project, &document, format))
    };
    if text.chars().nth(MAX_REPORT_CHARS).is_some() {
        return Err(ToolError::new(format!("the report is longer than {MAX_REPORT_CHARS} characters"))
            .remedy("get the findings in parts with aidd_ci_diff_check, or the full report with `aidd ci --output FILE`"));
    }
    let content = text.clone();
    Ok(Answer::new(Report { format: params.format, fails, report: text }, content))
}
