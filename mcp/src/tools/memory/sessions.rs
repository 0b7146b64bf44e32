//! Sessions: the current work of an agent, and its result.

use super::render::{Row, cap_limit, count_noun, current_branch, day_of, push_list};
use crate::context::Context;
use crate::tool::{Answer, Choice, Profile, Tool, ToolError};
use aidd_memory::project::ProjectMemory;
use aidd_memory::records::SessionState;
use aidd_memory::store::{Layers, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Estimated input and output tokens of a tool call, if they were not counted.
const TOKENS_PER_CALL: (u64, u64) = (400, 600);
/// Maximum number of open sessions listed in an error about a missing session id.
const MAX_OPEN_LISTED: usize = 5;
/// Approximate number of characters per token.
const CHARS_PER_TOKEN: usize = 4;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_session",
            "Session",
            "Records the work of a session; `end` adds its decisions to the branch. Use as the \
             work proceeds; use aidd_observation for a single observation.",
            session,
        )
        .destructive()
        .with_spellings(&[("pendingTasks", "tasksPending"), ("completedTasks", "tasksCompleted")])
        .with_choice(CHOICE)
        .in_profiles(&[Profile::Memory, Profile::Lean]),
    ]
}

/// The arguments of each action.
const CHOICE: Choice = Choice {
    argument: "action",
    default: "",
    allowed: &[
        (&["update", "end", "get", "delete"], &["id"]),
        (&["list"], &["status", "limit"]),
        (&["start", "list"], &["branch"]),
        (&["start"], &["parentSessionId"]),
        (
            &["start", "update", "end"],
            &[
                "memorySessionId",
                "aiProvider",
                "used",
                "name",
                "input",
                "output",
                "summary",
                "note",
                "taskClassification",
                "decisions",
                "errorsResolved",
                "filesModified",
                "tasksCompleted",
                "tasksPending",
                "toolsCalled",
                "tokenUsage",
                "timingMetrics",
                "outcome",
                "lifecycleSessionId",
            ],
        ),
    ],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Start,
    Update,
    End,
    Get,
    List,
    Delete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SessionStatus {
    Active,
    Completed,
}

/// The arguments of `aidd_session`. Only the arguments that select the action and the session are
/// read here; the other fields are passed to the memory unchanged.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Session {
    action: Action,
    id: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    limit: Option<i64>,
    #[schemars(extend("x-unlisted" = true))]
    status: Option<SessionStatus>,
    branch: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    parent_session_id: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    memory_session_id: Option<String>,
    /// Model and client of the agent: {provider, model, modelId, client}
    ai_provider: Option<Row>,
    /// Resources that the session used: {agents, skills, rules, workflows, knowledge}
    #[schemars(extend("x-unlisted" = true))]
    used: Option<Row>,
    #[serde(flatten)]
    #[schemars(flatten)]
    fields: SessionFields,
}

/// The record of a session, with the field names of [`SessionState`].
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SessionFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    task_classification: Option<Row>,
    /// Decisions, each {decision, reasoning}
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    errors_resolved: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files_modified: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    tasks_completed: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks_pending: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    tools_called: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    token_usage: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    timing_metrics: Option<Row>,
    /// Outcome of the session: {testsPassing, complianceScore, reverts}
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    lifecycle_session_id: Option<String>,
}

/// The resources that a session used.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct UsedResources {
    agents: Vec<String>,
    skills: Vec<String>,
    rules: Vec<String>,
    workflows: Vec<String>,
    knowledge: Vec<String>,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SessionAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// `active`, `completed` or `deleted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    /// For `get`, the full record; for other actions, item counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<Vec<Row>>,
    /// The decisions and errors that ending the session added to the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted: Option<Row>,
    /// The open session of the same conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<Row>,
}

fn session(context: &Context, params: Session) -> Result<Answer<SessionAnswer>, ToolError> {
    let current_branch_name = if params.action == Action::Start && params.branch.is_none() {
        current_branch(context)
    } else {
        None
    };
    context.memory(|memory| -> Result<_, ToolError> {
        if !matches!(params.action, Action::Start | Action::List) && params.id.is_none() {
            return Err(ToolError::new("`id` of the session is missing").remedy(list_open(memory)?));
        }
        let id = params.id.clone().unwrap_or_default();
        match params.action {
            Action::Start => start(memory, params, current_branch_name),
            Action::Update => update(memory, &id, &params),
            Action::End => end(memory, &id, &params),
            Action::Get => {
                let state = memory.session(&id)?;
                let text = serde_json::to_string_pretty(&state).unwrap_or_default();
                let result =
                    SessionAnswer { session: Some(Row::from_value(&state)), ..id_answer(&state) };
                Ok(Answer::new(result, text))
            }
            Action::List => list(memory, &params),
            Action::Delete => {
                memory.delete_session(&id)?;
                let text = format!("Deleted {id} and its observations.");
                let result = SessionAnswer {
                    id: Some(id),
                    status: Some("deleted"),
                    ..SessionAnswer::default()
                };
                Ok(Answer::new(result, text))
            }
        }
    })
}

/// A remedy that lists the open sessions.
fn list_open(memory: &mut ProjectMemory) -> Result<String, ToolError> {
    let open = memory.sessions(None, Some(false), MAX_OPEN_LISTED)?;
    let open: Vec<String> =
        open.iter().map(|state| format!("{} on {}", state.id, state.branch)).collect();
    Ok(if open.is_empty() {
        "no session is open; list past sessions with action list".to_owned()
    } else {
        format!("open: {}", open.join(", "))
    })
}

fn status_of(state: &SessionState) -> &'static str {
    if state.is_ended() { "completed" } else { "active" }
}

fn id_answer(state: &SessionState) -> SessionAnswer {
    SessionAnswer {
        id: Some(state.id.clone()),
        status: Some(status_of(state)),
        ..SessionAnswer::default()
    }
}

/// The record of a session, with its stored field names.
fn session_fields(params: &Session) -> Result<Map<String, Value>, ToolError> {
    let mut record = Row::from_value(&params.fields).0;
    if let Some(used) = &params.used {
        let used: UsedResources = serde_json::from_value(json!(used))
            .map_err(|error| ToolError::new(format!("`used`: {error}")))?;
        for (name, names) in [
            ("agentsUsed", used.agents),
            ("skillsUsed", used.skills),
            ("rulesApplied", used.rules),
            ("workflowsFollowed", used.workflows),
            ("tkbEntriesConsulted", used.knowledge),
        ] {
            if !names.is_empty() {
                record.insert(name.to_owned(), json!(names));
            }
        }
    }
    Ok(record)
}

fn start(
    memory: &mut ProjectMemory,
    params: Session,
    current_branch_name: Option<String>,
) -> Result<Answer<SessionAnswer>, ToolError> {
    let missing = |name: &str, remedy: &str| {
        Err(ToolError::new(format!("`{name}` is missing")).remedy(remedy))
    };
    let Some(branch) = params.branch.clone().or(current_branch_name) else {
        return missing("branch", "no branch is checked out; pass the branch you work on");
    };
    let Some(provider) = &params.ai_provider else {
        return missing("aiProvider", "identify yourself: {provider, model, modelId, client}");
    };
    // The last session of the same client conversation becomes the parent of the new session, even
    // if the process of that session was killed.
    let previous = match &params.memory_session_id {
        Some(previous) => memory.conversation(previous)?,
        None => None,
    };
    let parent =
        params.parent_session_id.clone().or(previous.as_ref().map(|state| state.id.clone()));
    let mut state = Row(session_fields(&params)?);
    state.0.insert("branch".to_owned(), json!(branch));
    state.0.insert("aiProvider".to_owned(), json!(provider));
    state.0.insert("memorySessionId".to_owned(), json!(params.memory_session_id));
    state.0.insert("parentSessionId".to_owned(), json!(parent));
    let state: SessionState = read(Value::Object(state.0))?;
    let state = memory.start_session(state)?;
    let mut result = SessionAnswer { session: Some(counts(&state)), ..id_answer(&state) };
    let mut text = format!("Started {} on {}.", state.id, state.branch);
    if let Some(open) = previous.filter(|previous| !previous.is_ended()) {
        let _ = write!(
            text,
            "\nThe previous session {} of this conversation is still open{}. Continue in the new session; \
             end the previous one when its work is done.",
            open.id,
            if open.tasks_pending.is_empty() {
                String::new()
            } else {
                format!(", pending: {}", open.tasks_pending.join("; "))
            }
        );
        result.previous = Some(summary(&open));
    }
    Ok(Answer::new(result, text))
}

/// Deserializes a session, or reports the invalid field.
fn read(value: Value) -> Result<SessionState, ToolError> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| ToolError::new(format!("`{}`: {}", error.path(), error.inner())))
}

/// The fields that an update adds.
fn patch(params: &Session) -> Result<Map<String, Value>, ToolError> {
    let mut patch = session_fields(params)?;
    if let Some(provider) = &params.ai_provider {
        patch.insert("aiProvider".to_owned(), json!(provider));
    }
    if let Some(conversation) = &params.memory_session_id {
        patch.insert("memorySessionId".to_owned(), json!(conversation));
    }
    read(Value::Object(patch.clone()))?;
    Ok(patch)
}

fn counts(state: &SessionState) -> Row {
    Row::from_value(json!({
        "branch": state.branch,
        "startedAt": state.started_at,
        "decisions": state.decisions.len(),
        "errors": state.errors_resolved.len(),
        "files": state.files_modified.len(),
        "tasksPending": state.tasks_pending.len(),
    }))
}

fn update(
    memory: &mut ProjectMemory,
    id: &str,
    params: &Session,
) -> Result<Answer<SessionAnswer>, ToolError> {
    let state = memory.update_session(id, &patch(params)?)?;
    let text = format!(
        "{id} has {}, {}, {}, {}.",
        count_noun(state.decisions.len(), "decision"),
        count_noun(state.errors_resolved.len(), "error"),
        count_noun(state.files_modified.len(), "file"),
        count_noun(state.tasks_pending.len(), "pending task")
    );
    Ok(Answer::new(SessionAnswer { session: Some(counts(&state)), ..id_answer(&state) }, text))
}

fn end(
    memory: &mut ProjectMemory,
    id: &str,
    params: &Session,
) -> Result<Answer<SessionAnswer>, ToolError> {
    let mut patch = patch(params)?;
    let before = memory.session(id)?;
    if before.is_ended() {
        return Err(ToolError::new(format!("the session `{id}` has ended"))
            .remedy("start another session; pass this id as its `parentSessionId`"));
    }
    let telemetry = telemetry(memory, &before, &mut patch)?;
    let (state, promoted) = memory.end_session(id, &patch)?;
    let mut text = format!("Ended {id}. Tokens: {telemetry}.");
    if promoted.was_known {
        let _ = write!(
            text,
            "\nThe branch {} already contains the decisions and errors of this session.",
            state.branch
        );
    } else if !promoted.decisions.is_empty() || !promoted.errors.is_empty() {
        let _ = write!(
            text,
            "\nAdded {} and {} to the branch {}.",
            count_noun(promoted.decisions.len(), "decision"),
            count_noun(promoted.errors.len(), "error"),
            state.branch
        );
        push_list(&mut text, "decisions", &promoted.decisions);
        push_list(&mut text, "errors", &promoted.errors);
    }
    let mut fields = counts(&state);
    fields.0.insert("endedAt".to_owned(), json!(state.ended_at));
    fields.0.insert("tokenTelemetry".to_owned(), json!(telemetry));
    let promoted = Row::from_value(json!({
        "branch": state.branch, "decisions": promoted.decisions, "errors": promoted.errors,
    }));
    let result =
        SessionAnswer { session: Some(fields), promoted: Some(promoted), ..id_answer(&state) };
    Ok(Answer::new(result, text))
}

/// Returns the source of the token counts. If the counts were not reported, adds an estimate from
/// the recorded data, and marks it as an estimate.
fn telemetry(
    memory: &mut ProjectMemory,
    state: &SessionState,
    patch: &mut Map<String, Value>,
) -> Result<&'static str, ToolError> {
    let source = if state.token_usage.is_some() || patch.contains_key("tokenUsage") {
        "reported"
    } else {
        let session_id = Some(state.id.clone());
        let query = Query { session_id, ..Query::new(Layers::ALL) };
        let observations = memory.read(&mut |store| store.entries(&query))?;
        let length_of = |name: &str, recorded: Option<&String>| {
            let patched = patch.get(name).and_then(Value::as_str).map(str::len);
            patched.or(recorded.map(String::len)).unwrap_or_default()
        };
        let input_chars = length_of("input", state.input.as_ref());
        let observed_chars: usize = observations
            .iter()
            .map(|entry| entry.content.len() + json!(entry.metadata).to_string().len())
            .sum();
        let output_chars = length_of("output", state.output.as_ref()) + observed_chars;
        let new_calls = patch.get("toolsCalled").and_then(Value::as_array).map_or(0, Vec::len);
        let calls = u64::try_from(state.tools_called.len() + new_calls).unwrap_or(u64::MAX);
        let tokens =
            |chars: usize| u64::try_from(chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u64::MAX);
        let (input, output) = (
            tokens(input_chars).saturating_add(calls.saturating_mul(TOKENS_PER_CALL.0)),
            tokens(output_chars).saturating_add(calls.saturating_mul(TOKENS_PER_CALL.1)),
        );
        if input + output == 0 {
            "missing"
        } else {
            patch.insert(
                "tokenUsage".to_owned(),
                json!({"inputTokens": input, "outputTokens": output}),
            );
            "estimated"
        }
    };
    patch.insert("tokenTelemetrySource".to_owned(), json!(source));
    Ok(source)
}

fn summary(state: &SessionState) -> Row {
    let mut row = Row::from_value(json!({
        "id": state.id, "branch": state.branch, "status": status_of(state),
        "startedAt": state.started_at,
    }));
    for (name, value) in [
        ("name", state.name.clone().map(Value::from)),
        ("memorySessionId", state.memory_session_id.clone().map(Value::from)),
        ("endedAt", state.ended_at.clone()),
        ("tasksPending", (!state.tasks_pending.is_empty()).then(|| json!(state.tasks_pending))),
    ] {
        if let Some(value) = value {
            row.0.insert(name.to_owned(), value);
        }
    }
    row
}

fn list(memory: &mut ProjectMemory, params: &Session) -> Result<Answer<SessionAnswer>, ToolError> {
    let (limit, note) = cap_limit("limit", params.limit, 20, 100);
    let ended = params.status.map(|status| status == SessionStatus::Completed);
    let sessions = memory.sessions(params.branch.as_deref(), ended, limit)?;
    let mut text = format!("{}.", count_noun(sessions.len(), "session"));
    for state in &sessions {
        let name = state.name.as_deref().unwrap_or_default();
        let _ = write!(
            text,
            "\n{} {} {} {} {name}",
            state.id,
            day_of(&state.started_at),
            status_of(state),
            state.branch
        );
    }
    if let Some(note) = note {
        let _ = write!(text, "\nnote: {note}");
    }
    let sessions = sessions.iter().map(summary).collect();
    Ok(Answer::new(SessionAnswer { sessions: Some(sessions), ..SessionAnswer::default() }, text))
}
