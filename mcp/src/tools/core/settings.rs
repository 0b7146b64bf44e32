//! The effective settings.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_guidance::Origin;
use aidd_guidance::PageKind;
use aidd_report::settings::effective;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_get_config",
            "Settings",
            "Returns the effective settings with their sources, the server's profile, root and \
             storage, and the project's pages. Use when it is unclear which settings apply.",
            get_config,
        )
        .in_profiles(&[Profile::Core]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct NoParams {}

#[derive(Serialize, JsonSchema)]
struct Settings {
    /// The server: `profile`, `transport`, `root`, `backend` and `version`.
    server: Row,
    /// The effective value of each setting, by key.
    settings: Row,
    /// The source of each value, by key.
    origins: Row,
    /// Paths of the project's pages.
    #[schemars(skip)]
    pages: Vec<String>,
    /// Pages that were skipped, each with the reason.
    #[schemars(skip)]
    problems: Vec<String>,
}

fn get_config(context: &Context, _: NoParams) -> Result<Answer<Settings>, ToolError> {
    let project = context.project()?;
    let library = context.library()?;
    let all = effective(&project, &|name| context.variable(name))
        .map_err(|error| ToolError::new(error.to_string()))?;
    let (profile, transport) = (context.profile().name(), context.transport());
    let backend = context.backend();
    let root = context.root().to_string_lossy();
    let mut text =
        format!("profile {profile}, transport {transport}, backend {backend}, root {root}\n");
    let server = Row::from_value(json!({
        "profile": profile, "transport": transport, "root": root, "backend": backend,
        "version": env!("CARGO_PKG_VERSION"),
    }));
    let (mut settings, mut origins) = (Map::new(), Map::new());
    for setting in all {
        let shown = project.distribution().redact(&setting.value.to_string());
        let _ = writeln!(text, "{} = {shown}  # {}", setting.key, setting.origin);
        let value: Value = serde_json::from_str(&shown).unwrap_or_else(|_| json!(shown));
        settings.insert(setting.key.to_owned(), value);
        origins.insert(setting.key.to_owned(), json!(setting.origin));
    }
    let is_project_page = |page: &&aidd_guidance::Page| page.origin == Origin::Project;
    let pages =
        PageKind::all().flat_map(|kind| library.pages_of_kind(kind)).filter(is_project_page);
    let pages: Vec<String> = pages.map(|page| page.path.clone()).collect();
    let _ = write!(
        text,
        "project pages: {}",
        if pages.is_empty() { "none".to_owned() } else { pages.join(", ") }
    );
    for problem in &library.problems {
        let _ = write!(text, "\nskipped: {problem}");
    }
    let problems = library.problems.clone();
    Ok(Answer::new(
        Settings { server, settings: Row(settings), origins: Row(origins), pages, problems },
        text,
    ))
}
