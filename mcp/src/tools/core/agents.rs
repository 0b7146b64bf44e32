//! Roles: their pages, and which role is responsible for which competency.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_guidance::{Library, Origin, Page, PageKind};
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
            "Returns the page of a role, workflow or template. Use for the names that \
             aidd_classify_task returns.",
            get_agent,
        )
        .in_profiles(&[Profile::Core]),
        Tool::new(
            "aidd_get_competency_matrix",
            "Competencies",
            "Lists the roles that are responsible for each competency. Use to find a role by \
             competency; use aidd_classify_task to find the roles for a task.",
            matrix,
        )
        .in_profiles(&[Profile::Core, Profile::Plan]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct AgentParams {
    /// Name of the page, such as security-architect or bug-fix
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
    /// Whether the page belongs to the project.
    #[schemars(skip)]
    own: bool,
    #[schemars(skip)]
    path: String,
}

fn is_role(page: &&Page) -> bool {
    page.name != "competency-matrix"
}

fn get_agent(context: &Context, params: AgentParams) -> Result<Answer<Agent>, ToolError> {
    let library = context.library()?;
    let other_page = [PageKind::Workflows, PageKind::Templates]
        .into_iter()
        .find_map(|kind| Some((kind, library.get(kind, params.agent.trim())?)));
    if let Some((kind, page)) = other_page {
        return Ok(render_other(kind, page));
    }
    let page = library.find(PageKind::Skills, &params.agent).map_err(|near| {
        let hint = match &near[..] {
            [] => {
                let all =
                    library.pages_of_kind(PageKind::Skills).filter(is_role).map(|page| &*page.name);
                format!("known: {}", all.collect::<Vec<_>>().join(", "))
            }
            near => format!("did you mean {}?", near.join(", ")),
        };
        ToolError::new(format!("unknown role `{}`", params.agent)).remedy(hint)
    })?;
    let next: Vec<&str> = page.string_list("hands_over_to").collect();
    let body = match &next[..] {
        [] => page.body().to_owned(),
        next => format!("{}\n\nHands over to: {}\n", page.body().trim_end(), next.join(", ")),
    };
    Ok(Answer::new(to_agent(page, body.clone()), body))
}

fn to_agent(page: &Page, body: String) -> Agent {
    Agent {
        name: page.name.clone(),
        page: body,
        tier: page.header.get("tier").cloned(),
        own: page.origin == Origin::Project,
        path: page.path.clone(),
    }
}

/// Renders a template, or a workflow with the steps of its front matter. These pages are also
/// resources, but not every client can read resources.
fn render_other(kind: PageKind, page: &Page) -> Answer<Agent> {
    let mut body = String::new();
    let steps = page.header.get("steps").and_then(Value::as_array);
    for (index, step) in
        steps.into_iter().flatten().enumerate().filter(|_| kind == PageKind::Workflows)
    {
        let field = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default();
        let _ =
            write!(body, "{}. {} ({}): {}", index + 1, field("id"), field("role"), field("does"));
        if !field("done_when").is_empty() {
            let _ = write!(body, "; done when {}", field("done_when"));
        }
        if !field("tool").is_empty() {
            let _ = write!(body, " [{}]", field("tool"));
        }
        body.push('\n');
    }
    if !body.is_empty() {
        body.push('\n');
    }
    body.push_str(page.body().trim_end());
    body.push('\n');
    Answer::new(to_agent(page, body.clone()), body)
}

#[derive(Deserialize, JsonSchema)]
struct MatrixParams {
    /// Text that the name of a competency or role must contain
    filter: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Matrix {
    /// Competencies, each with `competency`, `primary` and `secondary` roles.
    competencies: Vec<Row>,
}

/// Each competency with its lead roles and its supporting roles.
fn competencies(library: &Library) -> BTreeMap<String, (Vec<String>, Vec<String>)> {
    let mut all: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for page in library.pages_of_kind(PageKind::Skills).filter(is_role) {
        let listed = page.header.get("competencies").and_then(Value::as_array);
        for competency in listed.into_iter().flatten() {
            let Some(name) = competency.get("name").and_then(Value::as_str).or(competency.as_str())
            else {
                continue;
            };
            let (primary, secondary) = all.entry(name.to_owned()).or_default();
            let is_primary = competency.get("level").and_then(Value::as_str) != Some("secondary");
            if is_primary { primary } else { secondary }.push(page.name.clone());
        }
    }
    all
}

fn matrix(context: &Context, params: MatrixParams) -> Result<Answer<Matrix>, ToolError> {
    let library = context.library()?;
    let mut all = competencies(&library);
    let filter = params.filter.unwrap_or_default().to_lowercase();
    all.retain(|name, (primary, secondary)| {
        let contains_filter = |text: &String| text.to_lowercase().contains(&filter);
        contains_filter(name) || primary.iter().chain(secondary.iter()).any(contains_filter)
    });
    if all.is_empty() {
        return Err(ToolError::new(format!("no competency or role contains `{filter}`"))
            .remedy("omit `filter` to list all"));
    }
    let mut text = String::from("competency: lead roles; supporting roles");
    let mut rows = Vec::new();
    for (name, (primary, secondary)) in all {
        let _ = write!(text, "\n{name}: {}", primary.join(", "));
        if !secondary.is_empty() {
            let _ = write!(text, "; {}", secondary.join(", "));
        }
        rows.push(Row::from_value(
            json!({"competency": name, "primary": primary, "secondary": secondary}),
        ));
    }
    Ok(Answer::new(Matrix { competencies: rows }, text))
}

#[cfg(test)]
mod tests {
    use super::super::tests::call;
    use serde_json::json;

    #[test]
    fn workflows_and_templates_can_be_read_like_roles() {
        let folder = tempfile::tempdir().expect("a directory");
        let read = |name: &str| call(folder.path(), "aidd_get_agent", json!({"agent": name}));
        let role = read("backend engineer");
        assert!(role.text.ends_with("Hands over to: quality-engineer, security-architect\n"));
        assert_eq!(role.data["page"], json!(role.text));
        let workflow = read("bug-fix");
        assert!(workflow.text.starts_with("1. report (quality-engineer): "), "{}", workflow.text);
        assert!(workflow.text.contains("[aidd_diagnose_error]\n3. "), "{}", workflow.text);
        assert!(workflow.text.contains("\n# Bug fix\n"));
        assert_eq!(workflow.data["path"], json!("workflows/bug-fix.md"));
        assert!(read("adr").text.contains("## Consequences"));
    }
}
