//! The knowledge base and the project's stack: entries, compatibility, and questions about
//! decisions and upgrades.

mod decisions;
mod entries;
mod render;
mod stack;
#[cfg(test)]
mod tests;
mod versions;

use crate::context::Context;
use crate::tool::{Tool, ToolError};
use aidd_engine::text::kind::{LEGACY_MEMORY_DIR, MEMORY_DIR};
use aidd_engine::workspace::walk::{self, Walk};
use aidd_guidance::legacy::{self, SearchRequest, SearchResults};
use aidd_memory::recall::{Found, Question};
use aidd_memory::store::Layers;
use aidd_memory::types::{Kind, Status};

/// The tools for knowledge and stack.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let families = [stack::tools(), entries::tools(), decisions::tools(), versions::tools()];
    families.into_iter().flatten().collect()
}

/// Searches the permanent memories that are related to a text. Does not create the memory if the
/// project has none.
fn related_memories(context: &Context, text: &str, limit: usize) -> Result<Found, ToolError> {
    let root = context.root();
    let memory_paths = [".aidd", MEMORY_DIR, LEGACY_MEMORY_DIR];
    if !memory_paths.iter().any(|folder| root.join(folder).exists()) {
        return Ok(Found::default());
    }
    let kinds = vec![Kind::Decision, Kind::Mistake, Kind::Convention];
    let question =
        Question { text: text.to_owned(), kinds, limit, ..Question::new(Layers::PERMANENT) };
    let mut found = context.memory(|memory| memory.search(&question))?;
    // A rejected decision is no precedent.
    found.hits.retain(|hit| hit.status != Status::Rejected);
    Ok(found)
}

/// Finds uses of the outdated API patterns of `requests` in the files that a check of the project
/// would read.
fn find_outdated_usage(
    context: &Context,
    below: Option<&str>,
    requests: &[SearchRequest<'_>],
) -> Result<SearchResults, ToolError> {
    if requests.iter().all(|request| request.patterns.is_empty()) {
        return Ok(SearchResults::default());
    }
    let project = context.project()?;
    let from = below.map_or_else(|| project.root().to_owned(), |path| project.root().join(path));
    let files = walk::list(&project.config, &project.disk, &Walk::over(vec![from]));
    let files = files.map_err(|error| ToolError::new(error.to_string()))?;
    Ok(legacy::search(&project.disk, files.iter().map(String::as_str), requests))
}
