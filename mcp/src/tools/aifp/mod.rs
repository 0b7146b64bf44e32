//! Directives, the work list and the state of the project. The twelve tools of the AIFP blueprint
//! have the names and the fields that are printed there.

mod core_database;
mod core_pages;
mod criteria;
mod directives;
mod history;
mod project;
mod project_database;
mod purity;
mod record;
mod runs;
#[cfg(test)]
mod tests;
mod work;

use crate::context::Context;
use crate::tool::{Tool, ToolError};
use aidd_guidance::directives::Directives;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

pub(crate) use project_database::names_of;

/// The tools of this module.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let mut tools = directives::tools();
    tools.extend(project::tools());
    tools.extend(record::tools());
    tools.extend(runs::tools());
    tools.extend(work::tools());
    tools
}

/// The argument of tools on the project.
#[derive(Deserialize, JsonSchema)]
struct RootParams {
    /// Root of the project; default: the project of this server
    project_root: Option<String>,
}

/// Refuses the root of another project: the server reads only its own.
fn check_root(context: &Context, root: Option<&str>) -> Result<(), ToolError> {
    let Some(root) = root.filter(|root| !root.trim().is_empty()) else { return Ok(()) };
    let own = context.root();
    let is_own = |path: &Path| path == own || path.canonicalize().is_ok_and(|path| path == own);
    if is_own(&own.join(root)) {
        return Ok(());
    }
    Err(ToolError::new(format!("this server serves only the project {}", own.display()))
        .remedy("omit `project_root`, or start a server in the other project"))
}

fn directives(context: &Context) -> Result<Directives, ToolError> {
    Ok(Directives::from_library(&*context.library()?))
}
