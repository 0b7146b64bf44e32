//! Classifies a task: roles, workflow and phase.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_engine::project::config::TokenBudget;
use aidd_guidance::routing::{Routing, Row as Route};
use aidd_guidance::task::{ExpectedChange, Task, classify};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_classify_task",
            "Classify task",
            "Returns the roles, workflow, tier, phase and skippable stages for a task. Use before \
             planning a task; use aidd_get_routing_table for an overview.",
            classify_task,
        )
        .in_profiles(&[Profile::Core]),
        Tool::new(
            "aidd_get_routing_table",
            "Routing table",
            "Lists the role, workflow, tier and template for each kind of task. Use for an \
             overview; use aidd_classify_task for a single task.",
            table,
        )
        .in_profiles(&[Profile::Core, Profile::Plan]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct ClassifyParams {
    /// Description of the task in one sentence
    description: String,
    /// Paths of the files that are expected to change
    #[serde(default)]
    files: Vec<String>,
    /// Number of lines that are expected to change
    #[schemars(extend("x-unlisted" = true))]
    lines: Option<usize>,
    /// Whether tests cover the affected code
    #[schemars(extend("x-unlisted" = true))]
    tested: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Classified {
    roles: Vec<String>,
    /// Confidence from 0 to 1.
    confidence: f64,
    complexity: &'static str,
    fast_track: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    row: Option<String>,
    /// The second-best row of the routing table.
    #[serde(rename = "second", skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    runner_up: Option<String>,
    /// Candidate rows of the routing table if `row` is absent.
    #[serde(rename = "maybe", skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    candidates: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    workflow: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    phase: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    tier: Option<u8>,
    /// Name of the template to fill in, or of the template with questions for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    template: Option<String>,
    /// Roles suggested as the next step after the task.
    #[serde(rename = "then")]
    #[schemars(skip)]
    next_roles: Vec<String>,
    /// Paths of existing deliverables, by role.
    #[serde(rename = "present")]
    #[schemars(skip)]
    existing_deliverables: Row,
    /// Words and files that indicate risk.
    #[schemars(skip)]
    risks: Vec<String>,
    #[schemars(skip)]
    skippable_stages: Vec<String>,
    /// Conditions of the fast track, each with `id`, `description` and `met` (absent if unknown).
    #[schemars(skip)]
    conditions: Vec<Row>,
    /// Value for the argument `tokenBudget` of aidd_bootstrap.
    #[schemars(skip)]
    token_budget: &'static str,
}

fn classify_task(
    context: &Context,
    params: ClassifyParams,
) -> Result<Answer<Classified>, ToolError> {
    if params.description.trim().is_empty() {
        return Err(
            ToolError::new("`description` is empty").remedy("describe the task in one sentence")
        );
    }
    let library = context.library()?;
    let routing =
        Routing::for_library(&library).map_err(|error| ToolError::new(error.to_string()))?;
    let expected =
        ExpectedChange { files: params.files, lines: params.lines, is_tested: params.tested };
    let project = context.project()?;
    let task = classify(&library, routing, &project.disk, &params.description, &expected)
        .map_err(|error| ToolError::new(error.to_string()))?;
    let text = render(&task);
    Ok(Answer::new(to_classified(task), text))
}

fn to_classified(task: Task) -> Classified {
    let conditions = task.conditions.iter().map(|condition| {
        let mut row =
            Row::from_value(json!({"id": condition.id, "description": condition.description}));
        if let Some(is_met) = condition.is_met {
            row.0.insert("met".to_owned(), json!(is_met));
        }
        row
    });
    let route = task.route;
    Classified {
        confidence: (route.confidence() * 100.0).floor() / 100.0,
        complexity: task.size.name(),
        fast_track: task.fast_track,
        conditions: conditions.collect(),
        row: route.row,
        runner_up: route.runner_up,
        candidates: route.candidates,
        roles: route.roles,
        workflow: route.workflow,
        phase: route.phase,
        tier: route.tier,
        template: route.template.or(task.ask),
        next_roles: route.next_roles,
        existing_deliverables: Row(task
            .existing_deliverables
            .into_iter()
            .map(|(role, path)| (role, json!(path)))
            .collect()),
        risks: task.risks,
        skippable_stages: task.skips,
        token_budget: match task.size.budget() {
            TokenBudget::Minimal => "minimal",
            TokenBudget::Standard => "standard",
            TokenBudget::Full => "full",
        },
    }
}

fn render(task: &Task) -> String {
    let route = &task.route;
    let mut text = String::new();
    if let Some(ask) = &task.ask {
        let _ = write!(
            text,
            "No row of the routing table matches. Ask the user what is needed, why and for whom (template {ask}), or \
             name a role in the description. aidd_get_routing_table lists all rows."
        );
        if !route.candidates.is_empty() {
            let _ = write!(text, "\nPossible rows: {}", route.candidates.join(", "));
        }
    } else {
        if task.is_from_files {
            text.push_str("The text decides for no row of the routing table. Based on the files:");
        } else {
            let row = route.row.as_deref().unwrap_or("role named in the description");
            let _ = write!(text, "{row} ({:.0} %)", (route.confidence() * 100.0).floor());
        }
        if let Some(second) = &route.runner_up {
            let _ = write!(text, ", or {second}");
        }
        let _ = write!(text, "\nroles: {}", route.roles.join(", "));
        for (name, value) in [
            ("workflow", route.workflow.clone()),
            ("phase", route.phase.clone()),
            ("tier", route.tier.map(|tier| tier.to_string())),
            ("template", route.template.clone()),
            ("next roles", Some(route.next_roles.join(", ")).filter(|roles| !roles.is_empty())),
        ] {
            if let Some(value) = value {
                let _ = write!(text, "\n{name}: {value}");
            }
        }
    }
    if let Some(model) = &task.model {
        let _ = write!(text, "\nmodel recommended by recorded sessions: {model}");
    }
    for (role, path) in &task.existing_deliverables {
        let _ = write!(text, "\n{path} already exists, so {role} only reviews it");
    }
    let _ = write!(text, "\ncomplexity: {}", task.size.name());
    if !task.risks.is_empty() {
        let _ = write!(text, "\nrisky: {}", task.risks.join(", "));
    }
    if task.fast_track {
        let _ = write!(text, "\nfast track: yes, skipping {}", task.skips.join(", "));
    } else {
        let conditions_with = |is_met| {
            let all = task.conditions.iter().filter(|condition| condition.is_met == is_met);
            all.map(|condition| &*condition.description).collect::<Vec<_>>().join("; ")
        };
        let (unmet, unknown) = (conditions_with(Some(false)), conditions_with(None));
        text.push_str("\nfast track: no");
        if !unmet.is_empty() {
            let _ = write!(text, "\n  not met: {unmet}");
        }
        if !unknown.is_empty() {
            let _ = write!(text, "\n  unknown (pass files, lines, tested): {unknown}");
        }
    }
    text
}

#[derive(Deserialize, JsonSchema)]
struct TableParams {
    /// Lifecycle phase, such as BUILD; default: all phases
    phase: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Table {
    rows: Vec<Row>,
}

fn table(context: &Context, params: TableParams) -> Result<Answer<Table>, ToolError> {
    let library = context.library()?;
    let routing =
        Routing::for_library(&library).map_err(|error| ToolError::new(error.to_string()))?;
    let phase_filter = params.phase.map(|phase| phase.to_uppercase());
    let is_in_phase = |row: &&Route| phase_filter.as_ref().is_none_or(|phase| row.phase == *phase);
    let rows: Vec<&Route> = routing.rows().iter().filter(is_in_phase).collect();
    if let Some(phase) = phase_filter.filter(|_| rows.is_empty()) {
        let mut phases: Vec<&str> = routing.rows().iter().map(|row| &*row.phase).collect();
        phases.dedup();
        return Err(ToolError::new(format!(
            "no row has the phase {phase}; phases: {}",
            phases.join(", ")
        )));
    }
    let mut text = String::from("task: role, workflow, tier, template");
    let mut phase = "";
    let mut data = Vec::new();
    for row in rows {
        if row.phase != phase {
            phase = &row.phase;
            let _ = write!(text, "\n# {phase}");
        }
        let (id, role, workflow, tier) = (&row.id, &row.role, &row.workflow, row.tier);
        let _ = write!(text, "\n{id}: {role}, {workflow}, {tier}");
        if let Some(template) = &row.template {
            let _ = write!(text, ", {template}");
        }
        data.push(Row::from_value(json!({
            "id": id, "role": role, "workflow": workflow, "tier": tier, "phase": row.phase,
            "template": row.template,
        })));
    }
    Ok(Answer::new(Table { rows: data }, text))
}
