//! Lifecycles: features in phases. Each phase is completed with evidence.

use super::render::{Row, cap_limit, count_noun, day_of};
use crate::context::Context;
use crate::tool::{Answer, Choice, Profile, Tool, ToolError};
use crate::tools::checks::pack_gate;
use aidd_memory::lifecycle::{CriterionResult, MEMORY_RECORDED, PHASES, Phase, phase};
use aidd_memory::records::Lifecycle;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    let memory = &[Profile::Memory];
    vec![
        Tool::new(
            "aidd_lifecycle_get",
            "Lifecycle phases",
            "Lists the six lifecycle phases with their criteria. Use before aidd_lifecycle_init; \
             use aidd_lifecycle_status for a feature in progress.",
            get,
        )
        .in_profiles(&[Profile::Memory, Profile::Plan]),
        Tool::new(
            "aidd_lifecycle_init",
            "Start lifecycle",
            "Starts a lifecycle for a feature. Use for work with several steps, not for a small \
             fix.",
            init,
        )
        .non_destructive()
        .in_profiles(memory),
        Tool::new(
            "aidd_lifecycle_advance",
            "Advance lifecycle",
            "Completes the current phase of a feature if evidence or recorded runs meet its exit \
             criteria. Use `back` if the specification was wrong; use aidd_lifecycle_status to \
             only see the criteria.",
            advance,
        )
        .non_destructive()
        .with_choice(CHOICE)
        .in_profiles(memory),
        Tool::new(
            "aidd_lifecycle_status",
            "Lifecycle status",
            "Returns the current phase of a feature and which exit criteria are met. Use before \
             aidd_lifecycle_advance.",
            status,
        )
        .in_profiles(memory),
        Tool::new(
            "aidd_lifecycle_list",
            "List lifecycles",
            "Lists lifecycles with their phase and progress. Use to find the id of a lifecycle; \
             use aidd_lifecycle_status to read one lifecycle.",
            list,
        )
        .in_profiles(&[Profile::Memory, Profile::Plan]),
    ]
}

/// The arguments of each action; phases are completed one at a time.
const CHOICE: Choice = Choice {
    argument: "action",
    default: "advance",
    allowed: &[(&["advance"], &["evidence", "notes", "force"]), (&["back"], &["to"])],
};

#[derive(Deserialize, JsonSchema)]
struct NoParams {}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Phases {
    #[schemars(skip)]
    name: &'static str,
    phases: Vec<Row>,
    #[schemars(skip)]
    total_phases: usize,
}

fn criteria(phase: &Phase) -> Vec<Row> {
    let row = |criterion: &aidd_memory::lifecycle::Criterion| {
        let hints: Vec<String> = criterion.accepts.iter().map(|evidence| evidence.hint()).collect();
        Row::from_value(
            json!({"key": criterion.key, "criterion": criterion.description, "shownBy": hints}),
        )
    };
    phase.exit.iter().map(row).collect()
}

/// Exit criteria, one per line, with the accepted evidence.
fn criteria_text(phase: &Phase) -> String {
    let mut text = String::new();
    for criterion in phase.exit {
        let hints: Vec<String> = criterion.accepts.iter().map(|evidence| evidence.hint()).collect();
        let _ = write!(
            text,
            "\n- {}: {} ({})",
            criterion.key,
            criterion.description,
            hints.join("; or ")
        );
    }
    text
}

fn get(_: &Context, _: NoParams) -> Result<Answer<Phases>, ToolError> {
    let (mut rows, mut text) = (Vec::new(), String::new());
    for phase in &PHASES {
        let _ = write!(text, "{}: {}{}\n\n", phase.name, phase.description, criteria_text(phase));
        rows.push(Row::from_value(json!({
            "name": phase.name, "description": phase.description, "entryCriteria": phase.entry,
            "exitCriteria": criteria(phase), "keyActivities": phase.activities,
        })));
    }
    let data = Phases { name: "AIDD", phases: rows, total_phases: PHASES.len() };
    Ok(Answer::new(data, text.trim_end()))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Init {
    feature: String,
    session_id: Option<String>,
    start_phase: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LifecycleAnswer {
    id: String,
    #[schemars(skip)]
    feature: String,
    #[schemars(skip)]
    status: String,
    #[schemars(skip)]
    current_phase: String,
    #[schemars(skip)]
    progress: String,
    /// Exit criteria of the current phase; criteria that were checked have `met` and `why`.
    #[schemars(skip)]
    exit_criteria: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    phases: Vec<Row>,
}

fn progress(state: &Lifecycle) -> String {
    let index = PHASES.iter().position(|phase| phase.name == state.current_phase);
    let done = if state.status == "completed" { PHASES.len() } else { index.unwrap_or_default() };
    format!("{done}/{}", PHASES.len())
}

fn to_answer(state: &Lifecycle) -> LifecycleAnswer {
    let exit_criteria = match phase(&state.current_phase) {
        Ok(phase) if state.status == "active" => criteria(phase),
        _ => Vec::new(),
    };
    LifecycleAnswer {
        id: state.id.clone(),
        feature: state.feature.clone(),
        status: state.status.clone(),
        current_phase: state.current_phase.clone(),
        progress: progress(state),
        exit_criteria,
        phases: Vec::new(),
    }
}

/// The current phase of a lifecycle and its exit criteria.
fn next_text(state: &Lifecycle) -> String {
    match phase(&state.current_phase) {
        Ok(phase) if state.status == "active" => {
            format!("{}: {}{}", phase.name, phase.description, criteria_text(phase))
        }
        _ => format!("{} is {}.", state.feature, state.status),
    }
}

fn init(context: &Context, params: Init) -> Result<Answer<LifecycleAnswer>, ToolError> {
    let state = context.memory(|memory| {
        let (session, start) = (params.session_id.as_deref(), params.start_phase.as_deref());
        memory.start_lifecycle(&params.feature, session, start)
    })?;
    let text = format!("Started {}.\n{}", state.id, next_text(&state));
    Ok(Answer::new(to_answer(&state), text))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AdvanceAction {
    #[default]
    Advance,
    Back,
    Abandon,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Advance {
    lifecycle_id: String,
    #[serde(default)]
    action: Option<AdvanceAction>,
    /// Evidence by criterion key: {file}, {commit}, {branch}, {memory} or {note, by}
    evidence: Option<Row>,
    #[schemars(extend("x-unlisted" = true))]
    notes: Option<String>,
    /// Whether to complete the phase even if some criteria are not met; requires `reason`
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    force: bool,
    #[schemars(extend("x-unlisted" = true))]
    reason: Option<String>,
    /// Earlier phase to return to, for the action `back`
    #[schemars(extend("x-unlisted" = true))]
    to: Option<String>,
}

fn criteria_rows(results: &[CriterionResult]) -> Vec<Row> {
    let row = |result: &CriterionResult| {
        let mut row = Row::from_value(json!({
            "key": result.key, "criterion": result.description, "met": result.met, "why": result.why,
        }));
        if !result.met {
            let hints: Vec<String> =
                result.accepts.iter().map(|evidence| evidence.hint()).collect();
            row.0.insert("shownBy".to_owned(), json!(hints));
        }
        row
    };
    results.iter().map(row).collect()
}

fn criteria_results(results: &[CriterionResult]) -> String {
    let mut text = String::new();
    for result in results {
        let met = if result.met { "met" } else { "NOT met" };
        let _ = write!(text, "\n- {} {met}: {} ({})", result.key, result.description, result.why);
        if !result.met {
            let hints: Vec<String> =
                result.accepts.iter().map(|evidence| evidence.hint()).collect();
            let _ = write!(text, "; evidence: {}", hints.join(", or "));
        }
    }
    text
}

fn advance(context: &Context, params: Advance) -> Result<Answer<LifecycleAnswer>, ToolError> {
    let reason = params.reason.clone().filter(|reason| !reason.trim().is_empty());
    let action = params.action.unwrap_or_default();
    if reason.is_none() && (params.force || action != AdvanceAction::Advance) {
        return Err(
            ToolError::new("`reason` is missing").remedy("state the reason; it is recorded")
        );
    }
    let (id, reason) = (params.lifecycle_id.as_str(), reason.unwrap_or_default());
    match action {
        AdvanceAction::Advance => advance_phase(context, &params, &reason),
        AdvanceAction::Back => {
            let to = params.to.as_deref().ok_or_else(|| {
                ToolError::new("`to` is missing; pass the earlier phase to return to")
            })?;
            let state = context.memory(|memory| memory.return_lifecycle(id, to, &reason))?;
            let text = format!("Returned to {}.\n{}", state.current_phase, next_text(&state));
            Ok(Answer::new(to_answer(&state), text))
        }
        AdvanceAction::Abandon => {
            let state = context.memory(|memory| memory.abandon_lifecycle(id, &reason))?;
            let text = next_text(&state);
            Ok(Answer::new(to_answer(&state), text))
        }
    }
}

/// Fails if the gate on memory packs blocks the current phase; with `force`, records a waiver.
fn check_packs(context: &Context, id: &str, force: Option<&str>) -> Result<(), ToolError> {
    let state = context.memory(|memory| memory.lifecycle(id))?;
    let project = context.project()?;
    let Some(mut gate) = pack_gate::check(context, &project, &state.current_phase)? else {
        return Ok(());
    };
    match force {
        _ if gate.passes || !gate.blocks => Ok(()),
        Some(reason) => gate.waive(context, &state.current_phase, reason),
        None => Err(ToolError::new(format!("{MEMORY_RECORDED} is not met: {}", gate.why))
            .remedy("build the packs with aidd_pack, action build; a person can waive the gate: pass `force` with `reason`")),
    }
}

fn advance_phase(
    context: &Context,
    params: &Advance,
    reason: &str,
) -> Result<Answer<LifecycleAnswer>, ToolError> {
    let evidence = params.evidence.clone().map(|row| row.0).unwrap_or_default();
    let force = params.force.then_some(reason);
    check_packs(context, &params.lifecycle_id, force)?;
    let transition = context.memory(|memory| {
        memory.advance_lifecycle(&params.lifecycle_id, &evidence, params.notes.as_deref(), force)
    })?;
    if !transition.moved {
        return Err(ToolError::new(format!(
            "{} is not complete:{}",
            transition.left,
            criteria_results(&transition.results)
        ))
        .remedy(
            "pass `evidence` by criterion key; record a check run with aidd_observation, type \
             tool_outcome, with command and exitCode; or pass `force` with `reason`",
        ));
    }
    let unmet: Vec<&str> =
        transition.results.iter().filter(|result| !result.met).map(|result| result.key).collect();
    let mut text = format!("Completed {}.", transition.left);
    if !unmet.is_empty() {
        let _ = write!(text, " Forced, not met: {}.", unmet.join(", "));
    }
    let _ = write!(text, "\n{}", next_text(&transition.lifecycle));
    Ok(Answer::new(to_answer(&transition.lifecycle), text))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LifecycleQuery {
    lifecycle_id: String,
}

fn status(context: &Context, params: LifecycleQuery) -> Result<Answer<LifecycleAnswer>, ToolError> {
    context.memory(|memory| -> Result<_, ToolError> {
        let state = memory.lifecycle(&params.lifecycle_id)?;
        let mut data = to_answer(&state);
        let mut text = format!(
            "{} {} {} {} in {}",
            state.id, state.feature, data.status, data.progress, data.current_phase
        );
        if state.status == "active" {
            let no_evidence = serde_json::Map::new();
            let results = memory.check_lifecycle(&state.id, &no_evidence)?;
            text.push_str(&criteria_results(&results));
            data.exit_criteria = criteria_rows(&results);
        }
        for phase in &state.phases {
            let _ = write!(text, "\n{} {}", phase.name, day_of(&phase.entered_at));
            if let Some(exited) = &phase.exited_at {
                let _ = write!(text, " - {}", day_of(exited));
            }
            if let Some(reason) = &phase.forced {
                let _ = write!(text, " forced: {reason}");
            }
            if let Some(notes) = &phase.notes {
                let _ = write!(text, " {notes}");
            }
        }
        data.phases = state.phases.iter().map(Row::from_value).collect();
        Ok(Answer::new(data, text))
    })
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Completed,
    Abandoned,
}

#[derive(Deserialize, JsonSchema)]
struct Listing {
    status: Option<Status>,
    limit: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    #[schemars(skip)]
    count: usize,
    lifecycles: Vec<Row>,
}

fn list(context: &Context, params: Listing) -> Result<Answer<Listed>, ToolError> {
    let (limit, note) = cap_limit("limit", params.limit, 20, 100);
    let status = params.status.map(|status| match status {
        Status::Active => "active",
        Status::Completed => "completed",
        Status::Abandoned => "abandoned",
    });
    let states = context.memory(|memory| memory.lifecycles(status, limit))?;
    let mut text = format!("{}.", count_noun(states.len(), "lifecycle"));
    let mut rows = Vec::new();
    for state in &states {
        let progress = progress(state);
        let _ = write!(
            text,
            "\n{} {} {progress} {} {}",
            state.id, state.status, state.current_phase, state.feature
        );
        rows.push(Row::from_value(json!({
            "id": state.id, "feature": state.feature, "status": state.status,
            "currentPhase": state.current_phase, "progress": progress,
            "updatedAt": state.updated_at,
        })));
    }
    if let Some(note) = note {
        let _ = write!(text, "\nnote: {note}");
    }
    Ok(Answer::new(Listed { count: rows.len(), lifecycles: rows }, text))
}
