//! What the work at hand changed: its new findings, and the report that the pull request would get.

use super::found::{self, Findings};
use super::{LIMIT, MOST};
use crate::context::Context;
use crate::tool::{Answer, Choice, Profile, Tool, ToolError};
use aidd_engine::check::Selection;
use aidd_engine::workspace::project::Project;
use aidd_engine::workspace::walk::uncommitted;
use aidd_report::run::{self, ComplianceFormat, Document, Format, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of a report; a comment of GitHub holds as many.
const REPORT: usize = 65_536;

pub(super) fn tools() -> Vec<Tool> {
    let check = Tool::new(
        "aidd_ci_diff_check",
        "Check what changed",
        "Findings that the work at hand brought about, as the pull request will judge it. Use before a \
         commit.",
        diff_check,
    )
    .in_profiles(&[Profile::Tools, Profile::Lean]);
    let report = Tool::new(
        "aidd_ci_report",
        "Pull-request report",
        "What the pull request would report. Use to tell people; to mend findings aidd_ci_diff_check.",
        report,
    )
    .choosing(Choice { by: "policy", usual: "false", takes: &[(&["false"], &["base"])] })
    .in_profiles(&[Profile::Tools]);
    vec![check, report]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Changes {
    /// Revision (main branch)
    base: Option<String>,
    /// Only below these
    #[serde(default)]
    changed_files: Vec<String>,
    /// (20)
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

fn diff_check(context: &Context, given: Changes) -> Result<Answer<Findings>, ToolError> {
    let project = context.project()?;
    let target = Target::Changes { base: given.base.as_deref(), below: &given.changed_files };
    let mut document = changed(context, &project, &target)?;
    if given.base.is_none()
        && document.checked == 0
        && let Some(note) = nothing_changed(context)
    {
        document.notes.push(note);
    }
    Ok(found::answer(&project, &document, given.limit.unwrap_or(LIMIT).clamp(1, MOST)))
}

/// What to say where nothing was looked at because the work is on the main branch already: "passes"
/// would be taken for a judgement of it.
fn nothing_changed(context: &Context) -> Option<String> {
    let changes = uncommitted(context.root())?.changes;
    changes.is_empty().then(|| {
        "nothing is uncommitted, and no commit is beside the base; for commits made on it name an \
         earlier `base`, such as HEAD~1"
            .to_owned()
    })
}

/// What changed, checked by all rules.
fn changed(
    context: &Context,
    project: &Project,
    target: &Target<'_>,
) -> Result<Document, ToolError> {
    let all = Selection::default();
    run::check_until(project, &all, target, context.stop()).map_err(found::said)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Asked {
    #[serde(default)]
    format: Form,
    /// Revision (main branch)
    base: Option<String>,
    /// What the gate enforces instead
    #[serde(default)]
    policy: bool,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Form {
    #[default]
    Markdown,
    Json,
    Github,
}

/// A report.
#[derive(Serialize, JsonSchema)]
struct Report {
    format: Form,
    /// Whether the pull request would fail; absent for the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    fails: Option<bool>,
    report: String,
}

fn report(context: &Context, given: Asked) -> Result<Answer<Report>, ToolError> {
    let project = context.project()?;
    let (fails, text) = if given.policy {
        let format = match given.format {
            Form::Markdown => ComplianceFormat::Markdown,
            Form::Json => ComplianceFormat::Json,
            Form::Github => ComplianceFormat::Github,
        };
        (None, run::policy(&project, format).map_err(found::said)?)
    } else {
        let target = Target::Changes { base: given.base.as_deref(), below: &[] };
        let document = changed(context, &project, &target)?;
        let format = match given.format {
            Form::Markdown => Format::Markdown,
            Form::Json => Format::Json,
            Form::Github => Format::Github,
        };
        (Some(document.is_failing()), run::render(&project, &document, format))
    };
    if text.chars().nth(REPORT).is_some() {
        return Err(ToolError::new(format!("the report has more than {REPORT} characters"))
            .remedy("aidd_ci_diff_check gives the findings in parts; `aidd ci --output FILE` writes it all"));
    }
    let said = text.clone();
    Ok(Answer::new(Report { format: given.format, fails, report: text }, said))
}
