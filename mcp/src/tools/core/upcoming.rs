//! Next steps, and sections of context within a token budget.

use super::{fit_to_budget, next, project_name, project_state};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_engine::check::Selection;
use aidd_engine::text::finding::Severity;
use aidd_engine::workspace::walk::{self, Uncommitted};
use aidd_guidance::session_start::{
    RESERVE_PERCENT, SECTIONS, StartContext, next_line, render_sections,
};
use aidd_guidance::suggestions::{Suggestion, SuggestionInput};
use aidd_lexicon::tokens;
use aidd_report::run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 5;
/// Maximum number of changed files that are checked for a suggestion.
const MAX_CHECKED_FILES: usize = 50;
/// Default token budget of a context.
const DEFAULT_BUDGET: usize = 4000;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_suggest_next",
            "Next steps",
            "Suggests next calls by branch, changes, phase and findings. Use when unsure what to do.",
            suggest_next,
        )
        .in_profiles(&[Profile::Core])
        .with_spellings(&[("currentTask", "task")]),
        Tool::new(
            "aidd_optimize_context",
            "Session context",
            "Returns rules, memory and state within a token budget. Use mid-session; use aidd_bootstrap at its start.",
            optimize,
        )
        .in_profiles(&[Profile::Core]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SuggestParams {
    task: Option<String>,
    /// Tools just called
    #[serde(default)]
    recent_actions: Vec<String>,
    #[schemars(extend("x-unlisted" = true))]
    branch: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Suggested {
    /// Fields: action, tool, args, reason; `needs` lists arguments to add.
    suggestions: Vec<Row>,
}

/// A suggestion as data.
pub(super) fn row(next: &Suggestion) -> Row {
    let mut row = Row::from_value(json!({
        "action": next.action, "tool": next.tool, "args": next.args, "reason": next.reason,
    }));
    if !next.needs.is_empty() {
        row.0.insert("needs".to_owned(), json!(next.needs));
    }
    row
}

fn suggest_next(context: &Context, given: SuggestParams) -> Result<Answer<Suggested>, ToolError> {
    let state = project_state(context, given.branch.as_deref(), given.task.as_deref())?;
    let uncommitted = walk::uncommitted(context.root());
    let changed = uncommitted.as_ref().map(Uncommitted::paths);
    let few =
        changed.as_ref().filter(|files| !files.is_empty() && files.len() <= MAX_CHECKED_FILES);
    let asked = SuggestionInput {
        task: given.task.as_deref(),
        recent: &given.recent_actions,
        changed: changed.as_deref(),
        findings: few.and_then(|_| findings(context, uncommitted.as_ref()?)),
    };
    let mut all = next(&state, &asked);
    all.truncate(MAX_SUGGESTIONS);
    let mut text: Vec<String> = all.iter().map(next_line).collect();
    if text.is_empty() {
        text.push("Nothing is pending.".to_owned());
    }
    Ok(Answer::new(Suggested { suggestions: all.iter().map(row).collect() }, text.join("\n")))
}

/// Number of new findings in the changes: errors, and others. `None` if the check cannot run; the
/// check tool reports the reason.
fn findings(context: &Context, known: &Uncommitted) -> Option<(usize, usize)> {
    let project = context.project().ok()?;
    let document = run::check_changes(&project, &Selection::default(), known).ok()?;
    let found = document.ranked();
    let errors = found.iter().filter(|finding| finding.severity == Severity::Error).count();
    Some((errors, found.len() - errors))
}

#[derive(Deserialize, JsonSchema)]
struct OptimizeParams {
    /// Tokens; default: 4000
    #[schemars(range(min = 100, max = 100_000))]
    budget: Option<usize>,
    /// header, memory, session, suggestions, rules, agents; default: all
    #[serde(default)]
    sections: Vec<String>,
    /// Current task
    task: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Optimized {
    /// The sections.
    text: String,
    /// Upper bound of the tokens of the text.
    tokens: usize,
    budget: usize,
    /// Part of the budget that stays free.
    reserve: usize,
}

fn optimize(context: &Context, given: OptimizeParams) -> Result<Answer<Optimized>, ToolError> {
    let budget = given.budget.unwrap_or(DEFAULT_BUDGET);
    let wanted: Vec<&str> = if given.sections.is_empty() {
        SECTIONS.to_vec()
    } else {
        given.sections.iter().map(String::as_str).collect()
    };
    if let Some(other) = wanted.iter().find(|name| !SECTIONS.contains(name)) {
        return Err(ToolError::new(format!(
            "`sections`: unknown section `{other}`; expected one of {}",
            SECTIONS.join(", ")
        )));
    }
    let library = context.library()?;
    let state = project_state(context, None, given.task.as_deref())?;
    let asked = SuggestionInput { task: given.task.as_deref(), ..SuggestionInput::default() };
    let steps = next(&state, &asked);
    let name = project_name(context);
    let reported =
        StartContext { library: &library, state: &state, next: &steps, project: &name, notes: &[] };
    let optimized = fit_to_budget(budget, |budget_of_text| {
        let sheet = render_sections(&reported, &wanted, budget_of_text);
        Optimized {
            tokens: tokens::count(&sheet.text),
            text: sheet.text,
            budget,
            reserve: budget * RESERVE_PERCENT / 100,
        }
    });
    let text = optimized.text.clone();
    Ok(Answer::new(optimized, text))
}
