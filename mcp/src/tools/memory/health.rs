//! Project health, computed from recorded runs.

use super::render::{Row, cap_limit, count_noun};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_memory::health::{MIN_SAMPLES, Metric};
use aidd_memory::project::ProjectMemory;
use aidd_memory::usage::summary::{LifecycleFigures, Summary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_project_health",
            "Project health",
            "Scores the health of the project from recorded sessions and mistakes, with sample \
             counts. Use to review the project, not a single change.",
            health,
        )
        .in_profiles(&[Profile::Memory, Profile::Plan]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HealthParams {
    /// Maximum number of sessions to examine; default: 50
    sessions_limit: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Health {
    /// Overall score from 0 to 100; absent if there is not enough data.
    #[serde(skip_serializing_if = "Option::is_none")]
    overall: Option<f64>,
    /// Categories by name, each with `value`, `samples`, `measured`, `weight` and `meaning`.
    categories: Row,
    #[schemars(skip)]
    sessions_analyzed: usize,
    #[schemars(skip)]
    recommendations: Vec<String>,
    /// How often the gate on memory packs blocked and was waived.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    memory_gate: Option<Row>,
    /// Rules with the most introduced findings in recorded sessions.
    #[schemars(skip)]
    violations: Vec<Row>,
    /// Roles, workflows, knowledge and memories that most sessions used.
    #[schemars(skip)]
    knowledge: Vec<Row>,
    /// Features by phase.
    #[schemars(skip)]
    lifecycle: Row,
}

/// Number of days, rules and pages in the statistics.
const DAYS: i64 = 90;
const MAX_ROWS: usize = 5;

/// The statistics as text.
fn statistics(summary: &Summary, lifecycle: &LifecycleFigures) -> String {
    let mut text = String::new();
    for rule in summary.rules.iter().take(MAX_ROWS) {
        let _ = write!(
            text,
            "\nrule {}: {} introduced, {} fixed, {} allowed, {} reverted",
            rule.rule, rule.introduced, rule.fixed, rule.allowed, rule.reverted
        );
    }
    for page in summary.pages.iter().take(MAX_ROWS) {
        let _ = write!(
            text,
            "\n{} {}: {}, {} of {} with an outcome succeeded",
            page.kind,
            page.name,
            count_noun(page.sessions, "session"),
            page.successes,
            page.rated
        );
    }
    if lifecycle.active + lifecycle.completed + lifecycle.abandoned > 0 {
        let forced: usize = lifecycle.phases.iter().map(|phase| phase.forced).sum();
        let _ = write!(
            text,
            "\nfeatures: {} active, {} completed, {} abandoned, {} forced",
            lifecycle.active,
            lifecycle.completed,
            lifecycle.abandoned,
            count_noun(forced, "phase")
        );
    }
    text
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn row(metric: &Metric) -> Row {
    let mut row = Row::from_value(json!({
        "samples": metric.samples, "measured": metric.measured, "weight": metric.weight,
        "meaning": metric.meaning,
    }));
    match metric.value {
        Some(value) => row.0.insert("value".to_owned(), json!(rounded(value))),
        None => row.0.insert("note".to_owned(), json!("not enough data")),
    };
    row
}

fn health(context: &Context, params: HealthParams) -> Result<Answer<Health>, ToolError> {
    let (limit, note) = cap_limit("sessionsLimit", params.sessions_limit, 50, 100);
    let health = context.memory(|memory| memory.health(limit))?;
    let gate = context.memory(ProjectMemory::gate_figures)?;
    let mut text = match health.overall {
        Some(overall) => {
            format!("{overall:.0} of 100, over {}.", count_noun(health.sessions, "session"))
        }
        None => {
            let sessions = count_noun(health.sessions, "ended session");
            format!("Not enough data for an overall score: {sessions}.")
        }
    };
    let mut categories = Row(serde_json::Map::new());
    for metric in &health.metrics {
        let value = match metric.value {
            Some(value) => format!("{value:.0}"),
            None => format!("not enough data, fewer than {MIN_SAMPLES} samples"),
        };
        let _ = write!(
            text,
            "\n{}: {value} ({}, {} of them measured): {}",
            metric.name,
            count_noun(metric.samples, "sample"),
            metric.measured,
            metric.meaning
        );
        categories.0.insert(metric.name.to_owned(), json!(row(metric)));
    }
    if let Some(rate) = gate.false_block_rate() {
        let _ = write!(
            text,
            "\nmemory_recorded: {} blocked, {} waived: {rate} % false blocks",
            count_noun(gate.blocked, "phase"),
            gate.waived
        );
    }
    let records = context.memory(ProjectMemory::all_session_records)?;
    let summary = Summary::new(&records, DAYS, context.now());
    let lifecycle = context.memory(ProjectMemory::lifecycle_figures)?;
    text.push_str(&statistics(&summary, &lifecycle));
    for advice in &health.advice {
        let _ = write!(text, "\n- {advice}");
    }
    if let Some(note) = note {
        let _ = write!(text, "\nnote: {note}");
    }
    let data = Health {
        overall: health.overall.map(rounded),
        categories,
        sessions_analyzed: health.sessions,
        recommendations: health.advice,
        memory_gate: gate.false_block_rate().map(|rate| {
            let mut row = Row::from_value(gate);
            row.0.insert("falseBlockRate".to_owned(), json!(rate));
            row
        }),
        violations: summary.rules.iter().take(MAX_ROWS).map(Row::from_value).collect(),
        knowledge: summary.pages.iter().take(MAX_ROWS).map(Row::from_value).collect(),
        lifecycle: Row::from_value(&lifecycle),
    };
    Ok(Answer::new(data, text))
}
