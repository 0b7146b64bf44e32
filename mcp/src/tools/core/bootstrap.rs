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
             aiProvider, opens a session. Use first.",
            bootstrap,
        )
        .writes()
        .in_profiles(&[Profile::Core])
        .with_aliases(&["aidd_start"]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BootstrapParams {
    /// Task to start
    task: Option<String>,
    /// Tokens: minimal 400, standard 1200, full 3000
    token_budget: Option<Budget>,
    /// provider, model, modelId, client
    ai_provider: Option<Row>,
    /// Conversation id, to resume later
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
    /// The context.
    text: String,
    /// Upper bound of the tokens of the text.
    tokens: usize,
    budget: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
}

fn bootstrap(context: &Context, given: BootstrapParams) -> Result<Answer<Started>, ToolError> {
    let began = Instant::now();
    if let Some(path) = given.path.as_deref()
        && !context.inside(path)?.is_empty()
    {
        return Err(ToolError::new(format!(
            "`path` is {path}, but this server only serves the project root"
        ))
        .remedy("omit it, or start another server with --root"));
    }
    let project = context.project()?;
    let library = context.library()?;
    let branch = given.branch.clone().or_else(|| current_branch(context));
    let (mut notes, mut own) = (Vec::new(), None);
    let content = project.config.content.clone().unwrap_or_default();
    if given.ai_provider.is_some() && !content.tracks_sessions() {
        notes.push("Sessions are disabled: content.sessionTracking is false.".to_owned());
    } else if let Some(provider) = &given.ai_provider {
        let branch = branch.clone().ok_or_else(|| {
            ToolError::new("`branch` is missing")
                .remedy("no branch is checked out; pass the branch you work on")
        })?;
        let spent = began.elapsed().as_secs_f64() * 1000.0;
        let (session, note) =
            context.memory(|memory| open_session(memory, &given, provider, &branch, spent))?;
        notes.push(note);
        own = Some(session);
    }
    let mut state = project_state(context, branch.as_deref(), given.task.as_deref())?;
    // Prefer the caller's session if others work on the branch too.
    state.session = own.or(state.session);
    let asked = SuggestionInput { task: given.task.as_deref(), ..SuggestionInput::default() };
    let steps = next(&state, &asked);
    let size = given
        .token_budget
        .map(Budget::to_token_budget)
        .or(content.token_budget)
        .unwrap_or_default();
    let name = project_name(context);
    let reported = StartContext {
        library: &library,
        state: &state,
        next: &steps,
        project: &name,
        notes: &notes,
    };
    let all = budget(size);
    let answer = fit_to_budget(all, |tokens| {
        let sheet = render_start_within(&reported, size, tokens);
        Started {
            text: sheet.text,
            tokens: sheet.tokens,
            budget: all,
            session_id: state.session.as_ref().map(|session| session.id.clone()),
            branch: state.branch.clone(),
        }
    });
    let text = answer.text.clone();
    Ok(Answer::new(answer, text))
}

/// Continues the session that the client's start hook opened, and records the provider.
fn continue_hook_session(
    memory: &mut ProjectMemory,
    begun: &SessionState,
    given: &BootstrapParams,
    provider: &Row,
) -> Result<(SessionState, String), ToolError> {
    let mut patch = Map::from_iter([("aiProvider".to_owned(), json!(provider))]);
    if let Some(task) = &given.task {
        patch.insert("input".to_owned(), json!(task));
    }
    let state = memory.update_session(&begun.id, &patch)?;
    let note = format!("Continuing session {} opened by the start hook.", state.id);
    Ok((state, note))
}

/// Continues the open session of the client's thread, or opens one that follows its last session.
/// Returns the session and a note.
fn open_session(
    memory: &mut ProjectMemory,
    given: &BootstrapParams,
    provider: &Row,
    branch: &str,
    spent: f64,
) -> Result<(SessionState, String), ToolError> {
    let thread = match &given.memory_session_id {
        Some(thread) => memory.thread(thread)?,
        None => None,
    };
    if let Some(open) = thread.as_ref().filter(|open| !open.is_ended() && open.branch == branch) {
        return Ok((open.clone(), format!("Continuing session {} of this thread.", open.id)));
    }
    if given.memory_session_id.is_none() && given.parent_session_id.is_none() {
        let client = provider.0.get("client").and_then(Value::as_str).unwrap_or_default();
        if let Some(begun) = memory.open_hook_session(branch, client)? {
            return continue_hook_session(memory, &begun, given, provider);
        }
    }
    let parent = given.parent_session_id.clone().or(thread.map(|last| last.id));
    let mut state = json!({
        "branch": branch, "aiProvider": provider, "memorySessionId": given.memory_session_id,
        "parentSessionId": parent, "input": given.task, "timingMetrics": {"startupMs": spent},
    });
    if let (Some(class), Value::Object(state)) = (&given.task_classification, &mut state) {
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

    /// A session as opened on `branch` by the hook of `client`.
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
        let own = hook_session(root, "Claude Code", "feature/login");
        hook_session(root, "Claude Code", "main");
        hook_session(root, "Codex", "feature/login");
        let start = |client: &str| {
            let who =
                json!({"provider": "anthropic", "model": "m", "modelId": "m-1", "client": client});
            call(root, "aidd_bootstrap", json!({"task": "Add a login", "aiProvider": who}))
        };
        let answer = start("claude-code");
        assert_eq!(answer.data["sessionId"], json!(own), "{}", answer.text);
        assert!(answer.text.contains("opened by the start hook"), "{}", answer.text);
        let context = Context::at(&crate::DISTRIBUTION, root);
        let state = context.memory(|memory| memory.session(&own)).expect("a session");
        assert_eq!(state.ai_provider.model_id, "m-1");
        assert_eq!(state.input.as_deref(), Some("Add a login"));
        assert_ne!(start("Zed").data["sessionId"], json!(own));
    }
}
