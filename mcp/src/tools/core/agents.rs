//! Roles: one whole, and who leads in what.

use crate::context::Context;
use crate::tool::{Answer, Profile, Tool, ToolError};
use crate::tools::memory::shown::Row;
use aidd_engine::guidance::{Library, Origin, Page, Shelf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_get_agent",
            "Role",
            "A role's page: how it works and what it hands over. Use when a task is given to it.",
            get_agent,
        )
        .in_profiles(&[Profile::Core]),
        Tool::new(
            "aidd_get_competency_matrix",
            "Competencies",
            "Who leads in what. Use to find a role by a skill; by a task aidd_classify_task.",
            matrix,
        )
        .in_profiles(&[Profile::Core]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Which {
    /// Its name, such as security-architect
    agent: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Agent {
    name: String,
    page: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    tier: Option<Value>,
    /// Whether the project wrote it.
    #[schemars(skip)]
    own: bool,
    #[schemars(skip)]
    path: String,
}

fn is_role(page: &&Page) -> bool {
    page.name != "competency-matrix"
}

fn get_agent(context: &Context, given: Which) -> Result<Answer<Agent>, ToolError> {
    let library = context.library()?;
    let page = library.find(Shelf::Skills, &given.agent).map_err(|near| {
        let hint = match &near[..] {
            [] => {
                let all = library.on(Shelf::Skills).filter(is_role).map(|page| &*page.name);
                format!("there are {}", all.collect::<Vec<_>>().join(", "))
            }
            near => format!("did you mean {}?", near.join(", ")),
        };
        ToolError::new(format!("there is no role `{}`", given.agent)).remedy(hint)
    })?;
    let agent = Agent {
        name: page.name.clone(),
        page: page.body().to_owned(),
        tier: page.header.get("tier").cloned(),
        own: page.origin == Origin::Project,
        path: page.path.clone(),
    };
    Ok(Answer::new(agent, page.body()))
}

#[derive(Deserialize, JsonSchema)]
struct Asked {
    /// Part of a competency or role (all)
    filter: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Matrix {
    /// competency, primary, secondary
    competencies: Vec<Row>,
}

/// Competency to the roles that lead in it, and to those that help.
fn competencies(library: &Library) -> BTreeMap<String, (Vec<String>, Vec<String>)> {
    let mut all: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for page in library.on(Shelf::Skills).filter(is_role) {
        let said = page.header.get("competencies").and_then(Value::as_array);
        for one in said.into_iter().flatten() {
            let Some(name) = one.get("name").and_then(Value::as_str).or(one.as_str()) else {
                continue;
            };
            let (primary, secondary) = all.entry(name.to_owned()).or_default();
            let is_primary = one.get("level").and_then(Value::as_str) != Some("secondary");
            if is_primary { primary } else { secondary }.push(page.name.clone());
        }
    }
    all
}

fn matrix(context: &Context, given: Asked) -> Result<Answer<Matrix>, ToolError> {
    let library = context.library()?;
    let mut all = competencies(&library);
    let filter = given.filter.unwrap_or_default().to_lowercase();
    all.retain(|name, (primary, secondary)| {
        let fits = |text: &String| text.to_lowercase().contains(&filter);
        fits(name) || primary.iter().chain(secondary.iter()).any(fits)
    });
    if all.is_empty() {
        return Err(ToolError::new(format!("no competency or role holds `{filter}`"))
            .remedy("leave `filter` out to see all"));
    }
    let mut text = String::from("competency: who leads; who helps");
    let mut rows = Vec::new();
    for (name, (primary, secondary)) in all {
        let _ = write!(text, "\n{name}: {}", primary.join(", "));
        if !secondary.is_empty() {
            let _ = write!(text, "; {}", secondary.join(", "));
        }
        rows.push(Row::of(json!({"competency": name, "primary": primary, "secondary": secondary})));
    }
    Ok(Answer::new(Matrix { competencies: rows }, text))
}
