//! Branches: the state of the work on each branch until it is merged.

use super::render::{Row, count_noun, current_branch, day_of, push_list};
use crate::context::Context;
use crate::tool::{Answer, Choice, Profile, Tool, ToolError};
use aidd_memory::project::ProjectMemory;
use aidd_memory::records::BranchContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_branch",
            "Branch",
            "Saves or returns the tasks and decisions of a branch. Use `merge` after the merge in \
             Git: it adds the decisions and mistakes to the permanent memory.",
            branch,
        )
        .destructive()
        .with_spellings(&[("tasksPending", "pendingTasks"), ("tasksCompleted", "completedTasks")])
        .with_choice(CHOICE)
        .in_profiles(&[Profile::Memory]),
    ]
}

/// The arguments of each action.
const CHOICE: Choice = Choice {
    argument: "action",
    default: "",
    allowed: &[
        (&["get", "save", "promote", "merge"], &["branch"]),
        (&["promote"], &["sessionId"]),
        (&["merge"], &["promoteDecisions"]),
        (
            &["save"],
            &[
                "feature",
                "phase",
                "spec",
                "plan",
                "completedTasks",
                "pendingTasks",
                "decisions",
                "errorsEncountered",
                "filesModified",
            ],
        ),
    ],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Get,
    Save,
    Promote,
    List,
    Merge,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BranchParams {
    action: Action,
    /// Name of the branch; default: the current branch
    branch: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    session_id: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    promote_decisions: Option<bool>,
    #[serde(flatten)]
    #[schemars(flatten)]
    fields: BranchFields,
}

/// The saved state of a branch.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BranchFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    feature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    phase: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    spec: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    plan: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_tasks: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_tasks: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    errors_encountered: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unlisted" = true))]
    files_modified: Option<Vec<String>>,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BranchAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<Vec<Row>>,
    /// For `promote`, the texts of the added entries; for `merge`, the ids of the entries that
    /// became permanent.
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted: Option<Vec<String>>,
    /// For `merge`, the ids of the entries that were already permanent.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<Vec<String>>,
    /// For `merge`, the path of the archived context.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<String>,
}

fn branch(context: &Context, params: BranchParams) -> Result<Answer<BranchAnswer>, ToolError> {
    let fields = Row::from_value(&params.fields);
    let is_needed = !matches!(params.action, Action::List | Action::Promote);
    let branch = match params.branch.clone() {
        None if is_needed => current_branch(context),
        branch => branch,
    };
    if is_needed && branch.is_none() {
        return Err(ToolError::new("`branch` is missing, and no branch is checked out"));
    }
    let branch = branch.unwrap_or_default();
    context.memory(|memory| match params.action {
        Action::Get => get(memory, &branch),
        Action::Save => save(memory, &branch, fields),
        Action::Promote => promote(memory, params.session_id.as_deref(), &branch),
        Action::List => list(memory),
        Action::Merge => merge(memory, &branch, params.promote_decisions != Some(false)),
    })
}

fn get(memory: &mut ProjectMemory, branch: &str) -> Result<Answer<BranchAnswer>, ToolError> {
    let state = memory.branch(branch)?;
    let is_new = state.updated_at.is_null();
    let text = if is_new { format!("No data for {branch}.") } else { render(&state) };
    let result = BranchAnswer {
        branch: Some(branch.to_owned()),
        context: Some(Row::from_value(&state)),
        ..BranchAnswer::default()
    };
    Ok(Answer::new(result, text))
}

/// Renders the data of a branch, without default values.
fn render(state: &BranchContext) -> String {
    let mut text = format!("{}, saved {}", state.branch, day_of(&state.updated_at));
    for (name, value) in [
        ("feature", &state.feature),
        ("phase", &state.phase),
        ("spec", &state.spec),
        ("plan", &state.plan),
        ("lifecycle", &state.lifecycle_session_id),
    ] {
        if let Some(value) = value {
            let _ = write!(text, "\n{name}: {value}");
        }
    }
    push_list(&mut text, "done", &state.completed_tasks);
    push_list(&mut text, "pending", &state.pending_tasks);
    for decision in &state.decisions {
        let _ = write!(text, "\ndecided: {}", decision.decision);
        if !decision.reasoning.is_empty() {
            let _ = write!(text, " (because: {})", decision.reasoning);
        }
    }
    for error in &state.errors_encountered {
        let _ = write!(text, "\nerror: {}", error.error);
        if !error.fix.is_empty() {
            let _ = write!(text, " (fixed by: {})", error.fix);
        }
    }
    push_list(&mut text, "files", &state.files_modified);
    text
}

fn save(
    memory: &mut ProjectMemory,
    branch: &str,
    fields: Row,
) -> Result<Answer<BranchAnswer>, ToolError> {
    let mut patch = fields.0;
    patch.insert("branch".to_owned(), json!(branch));
    let patch: BranchContext = serde_path_to_error::deserialize(Value::Object(patch))
        .map_err(|error| ToolError::new(format!("`{}`: {}", error.path(), error.inner())))?;
    let saved = memory.save_branch(&patch)?;
    let text = format!(
        "{branch}: {} done, {} pending, {}, {}.",
        count_noun(saved.completed_tasks.len(), "task"),
        saved.pending_tasks.len(),
        count_noun(saved.decisions.len(), "decision"),
        count_noun(saved.errors_encountered.len(), "error")
    );
    let result = BranchAnswer {
        branch: Some(branch.to_owned()),
        context: Some(Row::from_value(&saved)),
        ..BranchAnswer::default()
    };
    Ok(Answer::new(result, text))
}

fn promote(
    memory: &mut ProjectMemory,
    session: Option<&str>,
    branch: &str,
) -> Result<Answer<BranchAnswer>, ToolError> {
    let session = session.ok_or_else(|| {
        ToolError::new("`sessionId` is missing; pass the session whose decisions to promote")
    })?;
    let state = memory.session(session)?;
    if !branch.is_empty() && branch != state.branch {
        return Err(ToolError::new(format!("`{session}` belongs to the branch {}", state.branch))
            .remedy("omit `branch`"));
    }
    if !state.is_ended() {
        return Err(ToolError::new(format!("`{session}` has not ended")).remedy(
            "end the session with aidd_session, action end, which also promotes its decisions",
        ));
    }
    let promoted = memory.promote_session(&state)?;
    let text = if promoted.was_known {
        format!("The branch {} already contains {session}.", state.branch)
    } else {
        let mut text = format!("Added {session} to {}.", state.branch);
        push_list(&mut text, "decisions", &promoted.decisions);
        push_list(&mut text, "errors", &promoted.errors);
        text
    };
    let texts = promoted.decisions.into_iter().chain(promoted.errors).collect();
    let result = BranchAnswer {
        branch: Some(state.branch),
        promoted: Some(texts),
        ..BranchAnswer::default()
    };
    Ok(Answer::new(result, text))
}

fn list(memory: &mut ProjectMemory) -> Result<Answer<BranchAnswer>, ToolError> {
    let (contexts, invalid_paths) = memory.branches()?;
    let mut text = format!("{}.", count_noun(contexts.len(), "branch"));
    let mut rows = Vec::new();
    for state in contexts {
        let _ = write!(
            text,
            "\n{} {} {} done, {} pending",
            state.branch,
            day_of(&state.updated_at),
            state.completed_tasks.len(),
            state.pending_tasks.len()
        );
        let mut row = Row::from_value(json!({
            "branch": state.branch, "updatedAt": state.updated_at,
            "sessionsCount": state.sessions_count, "pendingTasks": state.pending_tasks.len(),
            "decisions": state.decisions.len(),
        }));
        for (name, value) in [("feature", state.feature), ("phase", state.phase)] {
            if let Some(value) = value {
                row.0.insert(name.to_owned(), value.into());
            }
        }
        rows.push(row);
    }
    for path in invalid_paths {
        let _ = write!(text, "\nnote: {path} does not contain the saved state of a branch");
    }
    Ok(Answer::new(BranchAnswer { branches: Some(rows), ..BranchAnswer::default() }, text))
}

fn merge(
    memory: &mut ProjectMemory,
    branch: &str,
    promote: bool,
) -> Result<Answer<BranchAnswer>, ToolError> {
    // Show the pending tasks now: later calls do not show the tasks of an archived branch.
    let pending = memory.branch(branch)?.pending_tasks;
    if !promote {
        let archived = memory.archive_branch(branch)?;
        let mut text = format!("Archived {branch} to {archived}; nothing became permanent.");
        push_list(&mut text, "was pending", &pending);
        let result = BranchAnswer {
            branch: Some(branch.to_owned()),
            archived: Some(archived),
            ..BranchAnswer::default()
        };
        return Ok(Answer::new(result, text));
    }
    let merged = memory.merge_branch(branch)?;
    let mut text = format!("Merged {branch}; its context is archived in {}.", merged.archived);
    push_list(&mut text, "now permanent", &merged.promoted);
    push_list(&mut text, "already permanent", &merged.known);
    push_list(&mut text, "was pending", &pending);
    let result = BranchAnswer {
        branch: Some(branch.to_owned()),
        promoted: Some(merged.promoted),
        known: Some(merged.known),
        archived: Some(merged.archived),
        ..BranchAnswer::default()
    };
    Ok(Answer::new(result, text))
}
