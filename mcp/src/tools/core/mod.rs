//! Guidance: what holds here, who does what, what comes next.

mod agents;
mod bootstrap;
mod classify;
#[cfg(test)]
mod costs;
mod layout;
mod settings;
#[cfg(test)]
mod tests;
mod upcoming;

use crate::context::Context;
use crate::tool::{Tool, ToolError};
use crate::tools::memory::shown::branch_here;
use aidd_guidance::next::{Asked, Next, suggest};
use aidd_lexicon::tokens;
use aidd_memory::MemoryError;
use aidd_memory::state::{self, State};
use serde::Serialize;

/// The tools of guidance.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let families = [
        settings::tools(),
        bootstrap::tools(),
        classify::tools(),
        agents::tools(),
        upcoming::tools(),
        layout::tools(),
    ];
    families.into_iter().flatten().collect()
}

/// Where work stands; what fits `task` first.
fn stands(context: &Context, branch: Option<&str>, task: Option<&str>) -> Result<State, ToolError> {
    let here = branch.map(str::to_owned).or_else(|| branch_here(context));
    context
        .memory(|memory| -> Result<_, MemoryError> { state::read(memory, here.as_deref(), task) })
}

/// What `make` makes of as many tokens as leave the data within `budget`: some clients give a model the
/// data and not the text, as Claude Code 2.1.197 does, so both have to keep to it.
fn within<T: Serialize>(budget: usize, mut make: impl FnMut(usize) -> T) -> T {
    let mut allowed = budget;
    loop {
        let made = make(allowed);
        let data = serde_json::to_string(&made).unwrap_or_default();
        let over = tokens::count(&data).saturating_sub(budget);
        if over == 0 || allowed == 0 {
            return made;
        }
        allowed = allowed.saturating_sub(over);
    }
}

/// What to do next, by tools that there are.
fn next(state: &State, asked: &Asked<'_>) -> Vec<Next> {
    let tools = crate::tools::all();
    let mut all = suggest(state, asked);
    all.retain(|next| tools.iter().any(|tool| tool.name == next.tool));
    all
}

/// The project's name: that of its folder.
fn project_name(context: &Context) -> String {
    let name = context.root().file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "project".to_owned())
}
