//! Guidance: the current rules, roles and next steps.

mod agents;
mod bootstrap;
mod classify;
#[cfg(test)]
mod costs;
mod scaffold;
mod settings;
#[cfg(test)]
mod tests;
mod upcoming;

use crate::context::Context;
use crate::tool::{Tool, ToolError};
use crate::tools::memory::render::current_branch;
use aidd_guidance::suggestions::{Suggestion, SuggestionInput, suggest};
use aidd_lexicon::tokens;
use aidd_memory::MemoryError;
use aidd_memory::state::{self, State};
use serde::Serialize;

/// The guidance tools.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let families = [
        settings::tools(),
        bootstrap::tools(),
        classify::tools(),
        agents::tools(),
        upcoming::tools(),
        scaffold::tools(),
    ];
    families.into_iter().flatten().collect()
}

/// The project state, with entries related to `task` first.
fn project_state(
    context: &Context,
    branch: Option<&str>,
    task: Option<&str>,
) -> Result<State, ToolError> {
    let branch_name = branch.map(str::to_owned).or_else(|| current_branch(context));
    context.memory(|memory| -> Result<_, MemoryError> {
        state::read(memory, branch_name.as_deref(), task)
    })
}

/// Calls `make` with a number of tokens that keeps the returned data within `budget`. Some clients,
/// such as Claude Code 2.1.197, pass the data to the model instead of the text, so both must fit.
pub(in crate::tools) fn fit_to_budget<T: Serialize>(
    budget: usize,
    mut make: impl FnMut(usize) -> T,
) -> T {
    let mut allowed = budget;
    loop {
        let result = make(allowed);
        let data = serde_json::to_string(&result).unwrap_or_default();
        let excess = tokens::count(&data).saturating_sub(budget);
        if excess == 0 || allowed == 0 {
            return result;
        }
        allowed = allowed.saturating_sub(excess);
    }
}

/// The suggested next steps whose tools exist.
fn next(state: &State, input: &SuggestionInput<'_>) -> Vec<Suggestion> {
    let tools = crate::tools::all();
    let mut suggestions = suggest(state, input);
    suggestions.retain(|next| tools.iter().any(|tool| tool.name == next.tool));
    suggestions
}

/// The name of the project, which is the name of its directory.
fn project_name(context: &Context) -> String {
    let name = context.root().file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "project".to_owned())
}
