//! The first call: opens or resumes a session, and returns what an agent should know at the start.

use super::{fit_to_budget, next, project_name, project_state};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::{Row, current_branch};
use aidd_engine::project::config::TokenBudget;
use aidd_guidance::session_start::{StartContext, budget, render_start_within};
use aidd_guidance::suggestions::SuggestionInput;
use aidd_memory::project::ProjectMemory;
use aidd_memory::records::SessionState;
use aidd_pack::current;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Instant;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_bootstrap",
            "Start here",
            "Returns rules, past mistakes, decisions and work state within a token budget; with \
             aiProvider, opens a session. Use as the first call; use aidd_optimize_context later \
             in the session.",
            bootstrap,
        )
        .non_destructive()
        .in_profiles(&[Profile::Core, Profile::Lean])
        .with_aliases(&["aidd_start"]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BootstrapParams {
    /// Description of the task
    task: Option<String>,
    /// Maximum number of tokens: minimal (400), standard (1200) or full (3000)
    token_budget: Option<Budget>,
    /// Model and client of the agent: {provider, model, modelId, client}
    ai_provider: Option<Row>,
    /// Id of the conversation, to find its other sessions
    #[schemars(extend("x-unlisted" = true))]
    memory_session_id: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    branch: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    parent_session_id: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    task_classification: Option<Row>,
    #[schemars(extend("x-unlisted" = true))]
    path: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Budget {
    Minimal,
    Standard,
    Full,
}

impl Budget {
    fn to_token_budget(self) -> TokenBudget {
        match self {
            Self::Minimal => TokenBudget::Minimal,
            Self::Standard => TokenBudget::Standard,
            Self::Full => TokenBudget::Full,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Started {
    text: String,
    /// Upper bound of the number of tokens of the text.
    tokens: usize,
    budget: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
}

fn bootstrap(context: &Context, params: BootstrapParams) -> Result<Answer<Started>, ToolError> {
    let start = Instant::now();
    if let Some(path) = params.path.as_deref()
        && !context.to_relative(path)?.is_empty()
    {
        return Err(ToolError::new(format!(
            "`path` is {path}, but this server only serves the project root"
        ))
        .remedy("omit `path`, or start another server with --root"));
    }
    let project = context.project()?;
    let library = context.library()?;
    let branch = params.branch.clone().or_else(|| current_branch(context));
    let (mut notes, mut session_of_caller) = (Vec::new(), None);
    let content = project.config.content.clone().unwrap_or_default();
    if params.ai_provider.is_some() && !content.tracks_sessions() {
        notes.push("Sessions are disabled: content.sessionTracking is false.".to_owned());
    } else if let Some(provider) = &params.ai_provider {
        let branch = branch.clone().ok_or_else(|| {
            ToolError::new("`branch` is missing")
                .remedy("no branch is checked out; pass the branch you work on")
        })?;
        let startup_ms = start.elapsed().as_secs_f64() * 1000.0;
        let (session, note) = context
            .memory(|memory| open_session(memory, &params, provider, &branch, startup_ms))?;
        notes.push(note);
        session_of_caller = Some(session);
    }
    let mut state = project_state(context, branch.as_deref(), params.task.as_deref())?;
    // Prefer the session of the caller: other agents can work on the same branch.
    state.session = session_of_caller.or(state.session);
    let input = SuggestionInput { task: params.task.as_deref(), ..SuggestionInput::default() };
    let steps = next(&state, &input);
    let size = params
        .token_budget
        .map(Budget::to_token_budget)
        .or(content.token_budget)
        .unwrap_or_default();
    let name = project_name(context);
    let reading = match current::keep_current(&project) {
        Ok(Some(ticket)) => {
            current::read_chain(&current::settings(&project), context.root(), &ticket, &state)
        }
        Ok(None) => Vec::new(),
        Err(error) => {
            notes.push(format!("The memory packs were not updated: {error}."));
            Vec::new()
        }
    };
    let start_context = StartContext {
        library: &library,
        state: &state,
        next: &steps,
        project: &name,
        reading: &reading,
        notes: &notes,
    };
    let max_tokens = budget(size);
    let started = fit_to_budget(max_tokens, |tokens| {
        let rendered = render_start_within(&start_context, size, tokens);
        Started {
            text: rendered.text,
            tokens: rendered.tokens,
            budget: max_tokens,
            session_id: state.session.as_ref().map(|session| session.id.clone()),
            branch: state.branch.clone(),
        }
    });
    let text = started.text.clone();
    Ok(Answer::new(started, text))
}

/// Continues the session that the client's start hook opened, and records the provider.
fn continue_hook_session(
    memory: &mut ProjectMemory,
    hook_session: &SessionState,
    params: &BootstrapParams,
    provider: &Row,
) -> Result<(SessionState, String), ToolError> {
    let mut patch = Map::from_iter([("aiProvider".to_owned(), json!(provider))]);
    if let Some(task) = &params.task {
        patch.insert("input".to_owned(), json!(task));
    }
    let state = memory.update_session(&hook_session.id, &patch)?;
    let note = format!("Continuing session {} opened by the start hook.", state.id);
    Ok((state, note))
}

/// Continues the open session of the client's conversation, or opens a session that follows the
/// last session of this conversation. Returns the session and a note.
fn open_session(
    memory: &mut ProjectMemory,
    params: &BootstrapParams,
    provider: &Row,
    branch: &str,
    startup_ms: f64,
) -> Result<(SessionState, String), ToolError> {
    let previous = match &params.memory_session_id {
        Some(previous) => memory.conversation(previous)?,
        None => None,
    };
    if let Some(open) = previous.as_ref().filter(|open| !open.is_ended() && open.branch == branch) {
        return Ok((open.clone(), format!("Continuing session {} of this conversation.", open.id)));
    }
    if params.memory_session_id.is_none() && params.parent_session_id.is_none() {
        let client = provider.0.get("client").and_then(Value::as_str).unwrap_or_default();
        if let Some(hook_session) = memory.open_hook_session(branch, client)? {
            return continue_hook_session(memory, &hook_session, params, provider);
        }
    }
    let parent = params.parent_session_id.clone().or(previous.map(|last| last.id));
    let mut state = json!({
        "branch": branch, "aiProvider": provider, "memorySessionId": params.memory_session_id,
        "parentSessionId": parent, "input": params.task, "timingMetrics": {"startupMs": startup_ms},
    });
    if let (Some(class), Value::Object(state)) = (&params.task_classification, &mut state) {
        state.insert("taskClassification".to_owned(), json!(class));
    }
    let state: SessionState = serde_path_to_error::deserialize(state)
        .map_err(|error| ToolError::new(format!("`{}`: {}", error.path(), error.inner())))?;
    let state = memory.start_session(state)?;
    let note = format!("Started session {}.", state.id);
    Ok((state, note))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call, repository};
    use crate::context::Context;
    use aidd_memory::records::{AiProvider, HOOK, STARTED_BY, SessionState};
    use serde_json::{Map, json};

    /// Opens a session on `branch` as the hook of `client` does.
    fn hook_session(root: &std::path::Path, client: &str, branch: &str) -> String {
        let provider = AiProvider {
            provider: "unknown".to_owned(),
            client: client.to_owned(),
            ..AiProvider::default()
        };
        let session = SessionState {
            branch: branch.to_owned(),
            memory_session_id: Some(format!("thread of {client}")),
            ai_provider: provider,
            extra: Map::from_iter([(STARTED_BY.to_owned(), json!(HOOK))]),
            ..SessionState::default()
        };
        let context = Context::at(&crate::DISTRIBUTION, root);
        context.memory(|memory| memory.start_session(session)).expect("begun").id
    }

    #[test]
    fn the_session_of_the_start_hook_is_continued() {
        let folder = repository();
        let root = folder.path();
        let session_id = hook_session(root, "Claude Code", "feature/login");
        hook_session(root, "Claude Code", "main");
        hook_session(root, "Codex", "feature/login");
        let start = |client: &str| {
            let provider =
                json!({"provider": "anthropic", "model": "m", "modelId": "m-1", "client": client});
            call(root, "aidd_bootstrap", json!({"task": "Add a login", "aiProvider": provider}))
        };
        let answer = start("claude-code");
        assert_eq!(answer.data["sessionId"], json!(session_id), "{}", answer.text);
        assert!(answer.text.contains("opened by the start hook"), "{}", answer.text);
        let context = Context::at(&crate::DISTRIBUTION, root);
        let state = context.memory(|memory| memory.session(&session_id)).expect("a session");
        assert_eq!(state.ai_provider.model_id, "m-1");
        assert_eq!(state.input.as_deref(), Some("Add a login"));
        assert_ne!(start("Zed").data["sessionId"], json!(session_id));
    }
}
