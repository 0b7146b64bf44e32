//! The first call: opens or takes up a session, and tells what an agent should know before it begins.

use super::{next, project_name, stands};
use crate::context::Context;
use crate::tool::{Answer, Profile, Tool, ToolError};
use crate::tools::memory::shown::{Row, branch_here};
use aidd_engine::config::TokenBudget;
use aidd_engine::guidance::next::Asked;
use aidd_engine::guidance::start::{Told, start};
use aidd_engine::memory::project::ProjectMemory;
use aidd_engine::memory::records::SessionState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Instant;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_bootstrap",
            "Start here",
            "Rules, past mistakes, decisions and where work stands, within a token budget. Use first. \
             With aiProvider it opens a session.",
            bootstrap,
        )
        .writes()
        .in_profiles(&[Profile::Core])
        .also(&["aidd_start"]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Given {
    /// What you are about to do
    task: Option<String>,
    /// minimal 400, standard 1200, full 3000
    token_budget: Option<Budget>,
    /// provider, model, modelId, client
    ai_provider: Option<Row>,
    /// Your thread, found again after a restart
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
    fn of(self) -> TokenBudget {
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
    /// At most so many.
    tokens: usize,
    budget: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// action, tool, args, needs, reason
    #[schemars(skip)]
    next: Vec<Row>,
    /// Part to lines that are not in the text.
    #[schemars(skip)]
    left_out: Row,
}

fn bootstrap(context: &Context, given: Given) -> Result<Answer<Started>, ToolError> {
    let began = Instant::now();
    if let Some(path) = given.path.as_deref()
        && !context.inside(path)?.is_empty()
    {
        return Err(ToolError::new(format!(
            "`path` is {path}, and this server is for the project's root"
        ))
        .remedy("leave it out, or start another server with --root"));
    }
    let project = context.project()?;
    let library = context.library()?;
    let branch = given.branch.clone().or_else(|| branch_here(context));
    let mut notes = Vec::new();
    let content = project.config.content.clone().unwrap_or_default();
    if given.ai_provider.is_some() && !content.tracks_sessions() {
        notes.push("No session is kept: content.sessionTracking is false.".to_owned());
    } else if let Some(provider) = &given.ai_provider {
        let branch = branch.clone().ok_or_else(|| {
            ToolError::new("`branch` is missing")
                .remedy("no branch is checked out here: name the one you work on")
        })?;
        let spent = began.elapsed().as_secs_f64() * 1000.0;
        notes.push(context.memory(|memory| open(memory, &given, provider, &branch, spent))?);
    }
    let state = stands(context, branch.as_deref(), given.task.as_deref())?;
    let asked = Asked { task: given.task.as_deref(), ..Asked::default() };
    let steps = next(&state, &asked);
    let size = given.token_budget.map(Budget::of).or(content.token_budget).unwrap_or_default();
    let name = project_name(context);
    let told =
        Told { library: &library, state: &state, next: &steps, project: &name, notes: &notes };
    let sheet = start(&told, size);
    let left_out = sheet.shares.iter().filter(|share| share.left_out > 0);
    let left_out = left_out.map(|share| (share.title.clone(), json!(share.left_out)));
    let answer = Started {
        tokens: sheet.tokens,
        budget: sheet.budget,
        session_id: state.session.as_ref().map(|session| session.id.clone()),
        branch: state.branch.clone(),
        next: steps.iter().map(super::upcoming::row).collect(),
        left_out: Row(left_out.collect()),
    };
    Ok(Answer::new(answer, sheet.text))
}

/// Takes up the open session of the client's thread, else opens one that follows the thread's last.
/// What to say of it.
fn open(
    memory: &mut ProjectMemory,
    given: &Given,
    provider: &Row,
    branch: &str,
    spent: f64,
) -> Result<String, ToolError> {
    let thread = match &given.memory_session_id {
        Some(thread) => memory.thread(thread)?,
        None => None,
    };
    if let Some(open) = thread.as_ref().filter(|open| !open.is_ended() && open.branch == branch) {
        return Ok(format!("Session {} of this thread goes on.", open.id));
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
    Ok(format!("Started {}.", state.id))
}
