//! How sessions ended, by model and kind of task.

use super::render::{Row, count_noun};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_engine::project::overlay::{OVERLAY_PATH, Overlay};
use aidd_engine::text::escape;
use aidd_evolution::SessionRecord;
use aidd_evolution::models::{
    self, Comparison, MIN_SESSIONS, Model, ModelRow, Recommendation, TaskFilter,
};
use aidd_evolution::record::TaskType;
use aidd_guidance::routing::Routing;
use aidd_guidance::task::{ExpectedChange, classify};
use aidd_memory::project::ProjectMemory;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_model_performance",
            "Model results",
            "Returns how sessions ended by model and kind of task: share of successes with interval, \
             findings, reverts, tokens. Use to review models; use aidd_model_recommend to choose one.",
            performance,
        )
        .in_profiles(&[Profile::Plan]),
        Tool::new(
            "aidd_model_compare",
            "Compare models",
            "Compares models side by side, with the probability that one succeeds more often in the \
             same kinds of tasks. Use with the names that aidd_model_performance returns.",
            compare,
        )
        .in_profiles(&[Profile::Plan]),
        Tool::new(
            "aidd_model_recommend",
            "Recommend a model",
            "Names the model that does best in a kind of task, or what is missing to name one. Use \
             before work is assigned to a model.",
            recommend,
        )
        .in_profiles(&[Profile::Plan]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PerformanceParams {
    /// Only this model: MODEL or PROVIDER/MODEL
    model: Option<String>,
    /// Only tasks of this domain, such as backend-engineer
    domain: Option<String>,
    /// Only tasks of this nature, such as bug-fix
    nature: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Performance {
    /// One row for each model and kind of task.
    rows: Vec<Row>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CompareParams {
    /// Models to compare: MODEL or PROVIDER/MODEL
    #[schemars(length(min = 2, max = 5))]
    models: Vec<String>,
    /// Only tasks of this domain, such as backend-engineer
    domain: Option<String>,
    /// Only tasks of this nature, such as bug-fix
    nature: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Compared {
    rows: Vec<Row>,
    /// Pairs, each with `model`, `other`, the number of sessions `compared`, and the `probability`
    /// that `model` succeeds more often; absent with too few sessions.
    comparisons: Vec<Row>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecommendParams {
    /// Description of the task, from which domain and nature are derived
    task: Option<String>,
    /// Domain of the task, such as backend-engineer
    domain: Option<String>,
    /// Nature of the task, such as bug-fix
    nature: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Recommended {
    /// `provider` and `model`; absent if the sessions do not show which one is best.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Row>,
    /// Lowest probability that the model is better than another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    /// The model that an applied change names for this kind of task; it takes precedence.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<String>,
    /// What is missing for a recommendation.
    missing: Vec<String>,
    rows: Vec<Row>,
}

fn records(context: &Context) -> Result<Vec<SessionRecord>, ToolError> {
    context.memory(ProjectMemory::session_records)
}

fn to_rows<T: Serialize>(items: &[T]) -> Vec<Row> {
    items.iter().map(Row::from_value).collect()
}

/// A row as a line of text.
fn line(row: &ModelRow) -> String {
    let mut text = escape::line(&row.model.name()).into_owned();
    match &row.task {
        Some(task) if task.is_unknown() => text.push_str(", unknown task"),
        Some(task) => _ = write!(text, ", {} {}", task.domain, task.nature),
        None => {}
    }
    let _ = write!(text, ": {}", count_noun(row.sessions, "session"));
    match row.success {
        Some(share) => {
            let [value, low, high] = [share.value, share.low, share.high].map(|it| 100.0 * it);
            let _ = write!(
                text,
                ", {value:.0} % of {} with an outcome succeeded (90 % interval {low:.0}–{high:.0} %)",
                row.rated
            );
        }
        None => text.push_str(", none with an outcome"),
    }
    if let Some(findings) = row.findings_per_thousand_lines {
        let _ = write!(text, ", {findings:.1} findings per 1,000 edited lines");
    }
    if row.reverts > 0 {
        let _ = write!(text, ", {} reverts", row.reverts);
    }
    for (value, unit) in [(row.tokens, "tokens"), (row.minutes, "minutes")] {
        if let Some(value) = value.filter(|value| *value >= 0.5) {
            let _ = write!(text, ", {value:.0} {unit}");
        }
    }
    if let Some(cost) = row.cost {
        let _ = write!(text, ", ${cost:.2}");
    }
    text
}

fn lines(rows: &[ModelRow]) -> String {
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The text of an answer without a session.
const NO_SESSIONS: &str = "No session was recorded for this. Sessions are recorded by the hooks that `aidd init` sets up.";

fn performance(
    context: &Context,
    params: PerformanceParams,
) -> Result<Answer<Performance>, ToolError> {
    let filter = TaskFilter { domain: params.domain, nature: params.nature };
    let mut rows = models::rows(&records(context)?, &filter, true);
    if let Some(model) = &params.model {
        let known = rows.clone();
        rows.retain(|row| row.model.is_named(model));
        if rows.is_empty() && !known.is_empty() {
            return Err(unknown_model(model, &known));
        }
    }
    let text = if rows.is_empty() { NO_SESSIONS.to_owned() } else { lines(&rows) };
    Ok(Answer::new(Performance { rows: to_rows(&rows) }, text))
}

fn unknown_model(model: &str, rows: &[ModelRow]) -> ToolError {
    let mut names: Vec<String> = rows.iter().map(|row| row.model.name()).collect();
    names.sort();
    names.dedup();
    let error = ToolError::new(format!("no session with the model `{model}`"));
    if names.is_empty() { error } else { error.remedy(format!("known: {}", names.join(", "))) }
}

fn compare(context: &Context, params: CompareParams) -> Result<Answer<Compared>, ToolError> {
    let filter = TaskFilter { domain: params.domain, nature: params.nature };
    let records = records(context)?;
    let all = models::rows(&records, &filter, false);
    let mut rows: Vec<ModelRow> = Vec::new();
    for model in &params.models {
        let row = all.iter().find(|row| row.model.is_named(model));
        let row = row.ok_or_else(|| unknown_model(model, &all))?;
        if !rows.contains(row) {
            rows.push(row.clone());
        }
    }
    let mut text = lines(&rows);
    let mut comparisons: Vec<Comparison> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        for other in &rows[index + 1..] {
            let pair = (&row.model, &other.model);
            let comparison = models::compare(&records, &filter, pair, context.now());
            let _ = write!(text, "\n{}", sentence(&comparison));
            comparisons.push(comparison);
        }
    }
    Ok(Answer::new(Compared { rows: to_rows(&rows), comparisons: to_rows(&comparisons) }, text))
}

fn sentence(comparison: &Comparison) -> String {
    let name = |model: &Model| escape::line(&model.name()).into_owned();
    let (model, other) = (name(&comparison.model), name(&comparison.other));
    let (own, others) = comparison.compared;
    match comparison.probability {
        Some(probability) => format!(
            "{model} succeeds more often than {other} with a probability of {:.0} % ({own} and \
             {others} sessions in the same kinds of tasks)",
            100.0 * probability
        ),
        None => format!(
            "{model} and {other} cannot be compared: {own} and {others} of {MIN_SESSIONS} sessions \
             with an outcome in the same kinds of tasks"
        ),
    }
}

/// The kind of task that a description says.
fn derived(context: &Context, task: &str) -> Result<TaskFilter, ToolError> {
    let library = context.library()?;
    let project = context.project()?;
    let error = |error: &dyn std::fmt::Display| ToolError::new(error.to_string());
    let routing = Routing::for_library(&library).map_err(|it| error(&it))?;
    let expected = ExpectedChange::default();
    let task =
        classify(&library, routing, &project.disk, task, &expected).map_err(|it| error(&it))?;
    let nature = task.route.workflow.unwrap_or_else(|| "other".to_owned());
    Ok(TaskFilter { domain: task.route.roles.into_iter().next(), nature: Some(nature) })
}

fn recommend(context: &Context, params: RecommendParams) -> Result<Answer<Recommended>, ToolError> {
    let mut filter = match &params.task {
        Some(task) if !task.trim().is_empty() => derived(context, task)?,
        _ => TaskFilter::default(),
    };
    filter.domain = params.domain.or(filter.domain);
    filter.nature = params.nature.or(filter.nature);
    let Recommendation { model, probability, missing, rows } =
        models::recommend(&records(context)?, &filter, context.now());
    let kind = [&filter.domain, &filter.nature].into_iter().flatten().cloned();
    let kind = kind.collect::<Vec<_>>().join(", ");
    let tasks = if kind.is_empty() { "all tasks".to_owned() } else { format!("tasks: {kind}") };
    let mut text = match (&model, probability) {
        (Some(model), Some(probability)) => format!(
            "{} ({tasks}): better than each other model that has enough sessions, with a probability \
             of at least {:.0} %",
            escape::line(&model.name()),
            100.0 * probability
        ),
        _ => format!("No recommendation ({tasks})."),
    };
    let applied = applied(context, &filter)?;
    if let Some(name) = &applied {
        let name = escape::line(name);
        text = format!(
            "{name} ({tasks}): set by an applied change in {OVERLAY_PATH}. From the sessions alone:\n\
             {text}"
        );
    }
    for why in &missing {
        let _ = write!(text, "\n- {}", escape::line(why));
    }
    if !rows.is_empty() {
        let _ = write!(text, "\n{}", lines(&rows));
    }
    let data = Recommended {
        model: model.map(Row::from_value),
        probability,
        applied,
        missing,
        rows: to_rows(&rows),
    };
    Ok(Answer::new(data, text))
}

/// The model that an applied change names for a kind of task.
fn applied(context: &Context, filter: &TaskFilter) -> Result<Option<String>, ToolError> {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let task = TaskType { domain: part(&filter.domain), nature: part(&filter.nature) };
    let overlay = Overlay::read(&context.project()?.disk).unwrap_or_default();
    Ok(overlay.models.get(&task.name()).cloned())
}

/// The page of the resource `aidd://models/analytics`.
pub(crate) fn page(context: &Context) -> Result<String, ToolError> {
    let records = records(context)?;
    let rows = models::rows(&records, &TaskFilter::default(), true);
    let mut text = format!(
        "# Models\n\n{} that ended, measured by the server and the hooks. A session succeeded if its \
         last test run passed and nothing was reverted. The interval contains the true share with a \
         probability of 90 %.\n",
        count_noun(records.len(), "session")
    );
    if rows.is_empty() {
        text.push_str("\nNo session has ended yet.\n");
        return Ok(text);
    }
    text.push_str("\n| Model | Task | Sessions | With outcome | Succeeded | Interval | Findings per 1,000 lines | Reverts | Tokens | Minutes |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for row in &rows {
        let task = row.task.as_ref().filter(|task| !task.is_unknown());
        let task = task.map_or_else(
            || "unknown".to_owned(),
            |task| format!("{}, {}", task.domain, task.nature),
        );
        let share = row.success.map(|share| format!("{:.0} %", 100.0 * share.value));
        let interval = row
            .success
            .map(|share| format!("{:.0}–{:.0} %", 100.0 * share.low, 100.0 * share.high));
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "none".to_owned(), |value| format!("{value:.digits$}"))
        };
        let none = || "none".to_owned();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            escape::markdown::words(&row.model.name()),
            escape::markdown::words(&task),
            row.sessions,
            row.rated,
            share.unwrap_or_else(none),
            interval.unwrap_or_else(none),
            number(row.findings_per_thousand_lines, 1),
            row.reverts,
            number(row.tokens, 0),
            number(row.minutes, 0),
        );
    }
    Ok(text)
}
