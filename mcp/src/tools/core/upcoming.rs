//! Next steps, and sections of context within a token budget.

use super::{fit_to_budget, next, project_name, project_state};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_engine::check::Selection;
use aidd_engine::text::finding::Severity;
use aidd_engine::workspace::walk::{self, UncommittedChanges};
use aidd_guidance::session_start::{
    RESERVE_PERCENT, SECTIONS, StartContext, next_line, render_sections,
};
use aidd_guidance::suggestions::{Suggestion, SuggestionInput};
use aidd_lexicon::tokens;
use aidd_report::run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 5;
/// Maximum number of changed files that are checked for a suggestion.
const MAX_CHECKED_FILES: usize = 50;
/// Default token budget of a context.
const DEFAULT_BUDGET: usize = 2000;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_suggest_next",
            "Next steps",
            "Suggests the next tool calls, based on the branch, changes, phase and findings. Use \
             when it is unclear what to do next.",
            suggest_next,
        )
        .in_profiles(&[Profile::Core])
        .with_spellings(&[("currentTask", "task")]),
        Tool::new(
            "aidd_optimize_context",
            "Session context",
            "Returns rules, memory and work state within a token budget. Use during a session; \
             use aidd_bootstrap at the start of a session.",
            optimize,
        )
        .in_profiles(&[Profile::Core, Profile::Plan]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SuggestParams {
    task: Option<String>,
    /// Names of the most recently called tools
    #[serde(default)]
    recent_actions: Vec<String>,
    #[schemars(extend("x-unlisted" = true))]
    branch: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Suggested {
    /// Suggestions, each with `action`, `tool`, `args` and `reason`; `needs` lists arguments that
    /// must be added.
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

fn suggest_next(context: &Context, params: SuggestParams) -> Result<Answer<Suggested>, ToolError> {
    let state = project_state(context, params.branch.as_deref(), params.task.as_deref())?;
    let uncommitted = walk::uncommitted(context.root());
    let changed = uncommitted.as_ref().map(UncommittedChanges::paths);
    let checkable =
        changed.as_ref().filter(|files| !files.is_empty() && files.len() <= MAX_CHECKED_FILES);
    let input = SuggestionInput {
        task: params.task.as_deref(),
        recent: &params.recent_actions,
        changed: changed.as_deref(),
        findings: checkable.and_then(|_| findings(context, uncommitted.as_ref()?)),
    };
    let mut suggestions = next(&state, &input);
    suggestions.truncate(MAX_SUGGESTIONS);
    let mut text: Vec<String> = suggestions.iter().map(next_line).collect();
    if text.is_empty() {
        text.push("Nothing is pending.".to_owned());
    }
    Ok(Answer::new(
        Suggested { suggestions: suggestions.iter().map(row).collect() },
        text.join("\n"),
    ))
}

/// The number of new errors and the number of other new findings in the changes. `None` if the
/// check cannot run; `aidd_ci_diff_check` reports the reason.
fn findings(context: &Context, uncommitted: &UncommittedChanges) -> Option<(usize, usize)> {
    let project = context.project().ok()?;
    let document = run::check_changes(&project, &Selection::default(), uncommitted).ok()?;
    let ranked = document.ranked();
    let errors = ranked.iter().filter(|finding| finding.severity == Severity::Error).count();
    Some((errors, ranked.len() - errors))
}

#[derive(Deserialize, JsonSchema)]
struct OptimizeParams {
    /// Maximum number of tokens; default: 2000
    #[schemars(range(min = 100, max = 100_000))]
    budget: Option<usize>,
    /// Sections to return: header, memory, session, suggestions, rules, agents; default: all
    #[serde(default)]
    sections: Vec<String>,
    /// Maximum number of tokens per section, such as {"memory": 800}
    #[serde(default)]
    tokens: BTreeMap<String, usize>,
    /// Description of the current task
    task: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Optimized {
    text: String,
    /// Upper bound of the number of tokens of the text.
    tokens: usize,
    budget: usize,
    /// The unused part of the budget, in tokens.
    reserve: usize,
    /// For each section: `section`, `tokens`, `budget` and `omitted` lines.
    sections: Vec<Row>,
}

fn optimize(context: &Context, params: OptimizeParams) -> Result<Answer<Optimized>, ToolError> {
    let budget = params.budget.unwrap_or(DEFAULT_BUDGET);
    let sections: Vec<&str> = if params.sections.is_empty() {
        SECTIONS.to_vec()
    } else {
        params.sections.iter().map(String::as_str).collect()
    };
    let limited = params.tokens.keys().map(String::as_str);
    if let Some(unknown) =
        sections.iter().copied().chain(limited).find(|name| !SECTIONS.contains(name))
    {
        return Err(ToolError::new(format!(
            "`sections`: unknown section `{unknown}`; expected one of {}",
            SECTIONS.join(", ")
        )));
    }
    let library = context.library()?;
    let state = project_state(context, None, params.task.as_deref())?;
    let input = SuggestionInput { task: params.task.as_deref(), ..SuggestionInput::default() };
    let steps = next(&state, &input);
    let name = project_name(context);
    let start_context = StartContext {
        library: &library,
        state: &state,
        next: &steps,
        project: &name,
        reading: &[],
        notes: &[],
    };
    let optimized = fit_to_budget(budget, |budget_of_text| {
        let (rendered, used) =
            render_sections(&start_context, &sections, &params.tokens, budget_of_text);
        let counts = used.iter().map(|used| format!("{} {}", used.section, used.tokens));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let text = format!("{}\n(tokens: {counts})", rendered.text);
        Optimized {
            tokens: tokens::count(&text),
            text,
            sections: used.iter().map(Row::from_value).collect(),
            budget,
            reserve: budget * RESERVE_PERCENT / 100,
        }
    });
    let text = optimized.text.clone();
    Ok(Answer::new(optimized, text))
}
