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
use aidd_engine::guidance::next::{Asked, Next, suggest};
use aidd_engine::guidance::state::{self, State};
use aidd_engine::memory::MemoryError;

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
