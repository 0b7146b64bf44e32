//! Lifecycles: features in phases, each completed with evidence.

use super::render::{Row, cap_limit, count_noun, day_of};
use crate::context::Context;
use crate::tool::{Answer, Choice, Profile, Tool, ToolError};
use aidd_memory::lifecycle::{CriterionResult, PHASES, Phase, phase};
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
            "Lists the six phases and their exit criteria. Use before aidd_lifecycle_init.",
            get,
        )
        .in_profiles(memory),
        Tool::new(
            "aidd_lifecycle_init",
            "Start lifecycle",
            "Starts a lifecycle for a feature. Use for multi-step work.",
            init,
        )
        .writes()
        .in_profiles(memory),
        Tool::new(
            "aidd_lifecycle_advance",
            "Advance lifecycle",
            "Completes the phase if evidence or records meet its criteria. Use action back if the spec \
             was wrong; use aidd_lifecycle_status to only check.",
            advance,
        )
        .writes()
        .with_choice(CHOICE)
        .in_profiles(memory),
        Tool::new(
            "aidd_lifecycle_status",
            "Lifecycle status",
            "Shows a feature's phase and the criteria it meets. Use before aidd_lifecycle_advance.",
            status,
        )
        .in_profiles(memory),
        Tool::new(
            "aidd_lifecycle_list",
            "List lifecycles",
            "Lists features in progress. Use to find a lifecycle's id.",
            list,
        )
        .in_profiles(memory),
    ]
}

/// The arguments of each action; phases are completed one at a time.
const CHOICE: Choice = Choice {
    by: "action",
    default: "advance",
    takes: &[(&["advance"], &["evidence", "notes", "force"]), (&["back"], &["to"])],
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
    let one = |criterion: &aidd_memory::lifecycle::Criterion| {
        let shown: Vec<String> = criterion.accepts.iter().map(|shown| shown.hint()).collect();
        Row::from_value(
            json!({"key": criterion.key, "criterion": criterion.description, "shownBy": shown}),
        )
    };
    phase.exit.iter().map(one).collect()
}

/// Exit criteria, one per line, with the accepted evidence.
fn criteria_text(phase: &Phase) -> String {
    let mut text = String::new();
    for criterion in phase.exit {
        let shown: Vec<String> = criterion.accepts.iter().map(|shown| shown.hint()).collect();
        let _ = write!(
            text,
            "\n- {}: {} ({})",
            criterion.key,
            criterion.description,
            shown.join("; or ")
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
    /// Exit criteria of the current phase; if checked, each with `met` and `why`.
    #[schemars(skip)]
    exit_criteria: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    phases: Vec<Row>,
}

fn progress(state: &Lifecycle) -> String {
    let place = PHASES.iter().position(|phase| phase.name == state.current_phase);
    let done = if state.status == "completed" { PHASES.len() } else { place.unwrap_or_default() };
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

fn init(context: &Context, given: Init) -> Result<Answer<LifecycleAnswer>, ToolError> {
    let state = context.memory(|memory| {
        let (session, start) = (given.session_id.as_deref(), given.start_phase.as_deref());
        memory.start_lifecycle(&given.feature, session, start)
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
    /// By criterion: {file}, {commit}, {branch}, {memory}, {note, by}
    evidence: Option<Row>,
    #[schemars(extend("x-unlisted" = true))]
    notes: Option<String>,
    #[serde(default)]
    force: bool,
    reason: Option<String>,
    to: Option<String>,
}

fn criteria_rows(judged: &[CriterionResult]) -> Vec<Row> {
    let row = |one: &CriterionResult| {
        let mut row = Row::from_value(json!({
            "key": one.key, "criterion": one.description, "met": one.met, "why": one.why,
        }));
        if !one.met {
            let shown: Vec<String> = one.accepts.iter().map(|shown| shown.hint()).collect();
            row.0.insert("shownBy".to_owned(), json!(shown));
        }
        row
    };
    judged.iter().map(row).collect()
}

fn criteria_results(judged: &[CriterionResult]) -> String {
    let mut text = String::new();
    for one in judged {
        let met = if one.met { "met" } else { "NOT met" };
        let _ = write!(text, "\n- {} {met}: {} ({})", one.key, one.description, one.why);
        if !one.met {
            let shown: Vec<String> = one.accepts.iter().map(|shown| shown.hint()).collect();
            let _ = write!(text, "; evidence: {}", shown.join(", or "));
        }
    }
    text
}

fn advance(context: &Context, given: Advance) -> Result<Answer<LifecycleAnswer>, ToolError> {
    let reason = given.reason.clone().filter(|reason| !reason.trim().is_empty());
    let way = given.action.unwrap_or_default();
    if reason.is_none() && (given.force || way != AdvanceAction::Advance) {
        return Err(
            ToolError::new("`reason` is missing").remedy("state the reason; it is recorded")
        );
    }
    let (id, reason) = (given.lifecycle_id.as_str(), reason.unwrap_or_default());
    match way {
        AdvanceAction::Advance => advance_phase(context, &given, &reason),
        AdvanceAction::Back => {
            let to = given.to.as_deref().ok_or_else(|| {
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

fn advance_phase(
    context: &Context,
    given: &Advance,
    reason: &str,
) -> Result<Answer<LifecycleAnswer>, ToolError> {
    let evidence = given.evidence.clone().map(|row| row.0).unwrap_or_default();
    let force = given.force.then_some(reason);
    let moved = context.memory(|memory| {
        memory.advance_lifecycle(&given.lifecycle_id, &evidence, given.notes.as_deref(), force)
    })?;
    if !moved.moved {
        return Err(ToolError::new(format!(
            "{} is not complete:{}",
            moved.left,
            criteria_results(&moved.results)
        ))
        .remedy(
            "pass `evidence` by criterion key; record a check run with aidd_observation, type \
             tool_outcome, with command and exitCode; or pass `force` with `reason`",
        ));
    }
    let unmet: Vec<&str> = moved.results.iter().filter(|one| !one.met).map(|one| one.key).collect();
    let mut text = format!("Completed {}.", moved.left);
    if !unmet.is_empty() {
        let _ = write!(text, " Forced, not met: {}.", unmet.join(", "));
    }
    let _ = write!(text, "\n{}", next_text(&moved.lifecycle));
    Ok(Answer::new(to_answer(&moved.lifecycle), text))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LifecycleQuery {
    lifecycle_id: String,
}

fn status(context: &Context, given: LifecycleQuery) -> Result<Answer<LifecycleAnswer>, ToolError> {
    context.memory(|memory| -> Result<_, ToolError> {
        let state = memory.lifecycle(&given.lifecycle_id)?;
        let mut data = to_answer(&state);
        let mut text = format!(
            "{} {} {} {} in {}",
            state.id, state.feature, data.status, data.progress, data.current_phase
        );
        if state.status == "active" {
            let none = serde_json::Map::new();
            let judged = memory.check_lifecycle(&state.id, &none)?;
            text.push_str(&criteria_results(&judged));
            data.exit_criteria = criteria_rows(&judged);
        }
        for passed in &state.phases {
            let _ = write!(text, "\n{} {}", passed.name, day_of(&passed.entered_at));
            if let Some(exited) = &passed.exited_at {
                let _ = write!(text, " - {}", day_of(exited));
            }
            if let Some(why) = &passed.forced {
                let _ = write!(text, " forced: {why}");
            }
            if let Some(notes) = &passed.notes {
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

fn list(context: &Context, given: Listing) -> Result<Answer<Listed>, ToolError> {
    let (limit, note) = cap_limit(given.limit, 20, 100);
    let wanted = given.status.map(|status| match status {
        Status::Active => "active",
        Status::Completed => "completed",
        Status::Abandoned => "abandoned",
    });
    let states = context.memory(|memory| memory.lifecycles(wanted, limit))?;
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
