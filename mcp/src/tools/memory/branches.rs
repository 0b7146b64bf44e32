//! Branches: the state of work on them until the merge.

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
            "Saves and reads a branch's state. Use action merge after the merge to make its decisions and \
             errors permanent.",
            branch,
        )
        .destroys()
        .with_choice(CHOICE)
        .in_profiles(&[Profile::Memory]),
    ]
}

/// The arguments of each action.
const CHOICE: Choice = Choice {
    by: "action",
    default: "",
    takes: &[
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
    /// Default: current branch
    branch: Option<String>,
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
    /// All data of the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<Vec<Row>>,
    /// promote: texts of the added entries; merge: ids of the entries that became permanent.
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted: Option<Vec<String>>,
    /// merge: ids of entries that were already permanent.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<Vec<String>>,
    /// merge: path of the archived context.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<String>,
}

fn branch(context: &Context, given: BranchParams) -> Result<Answer<BranchAnswer>, ToolError> {
    let fields = Row::from_value(&given.fields);
    let is_needed = !matches!(given.action, Action::List | Action::Promote);
    let branch = match given.branch.clone() {
        None if is_needed => current_branch(context),
        branch => branch,
    };
    if is_needed && branch.is_none() {
        return Err(ToolError::new("`branch` is missing, and no branch is checked out"));
    }
    let branch = branch.unwrap_or_default();
    context.memory(|memory| match given.action {
        Action::Get => get(memory, &branch),
        Action::Save => save(memory, &branch, fields),
        Action::Promote => promote(memory, given.session_id.as_deref(), &branch),
        Action::List => list(memory),
        Action::Merge => merge(memory, &branch, given.promote_decisions != Some(false)),
    })
}

fn get(memory: &mut ProjectMemory, branch: &str) -> Result<Answer<BranchAnswer>, ToolError> {
    let known = memory.branch(branch)?;
    let is_new = known.updated_at.is_null();
    let text = if is_new { format!("No data for {branch}.") } else { render(&known) };
    let answered = BranchAnswer {
        branch: Some(branch.to_owned()),
        context: Some(Row::from_value(&known)),
        ..BranchAnswer::default()
    };
    Ok(Answer::new(answered, text))
}

/// Renders the data of a branch, without default values.
fn render(known: &BranchContext) -> String {
    let mut text = format!("{}, saved {}", known.branch, day_of(&known.updated_at));
    for (name, value) in [
        ("feature", &known.feature),
        ("phase", &known.phase),
        ("spec", &known.spec),
        ("plan", &known.plan),
        ("lifecycle", &known.lifecycle_session_id),
    ] {
        if let Some(value) = value {
            let _ = write!(text, "\n{name}: {value}");
        }
    }
    push_list(&mut text, "done", &known.completed_tasks);
    push_list(&mut text, "pending", &known.pending_tasks);
    for made in &known.decisions {
        let _ = write!(text, "\ndecided: {}", made.decision);
        if !made.reasoning.is_empty() {
            let _ = write!(text, " (because: {})", made.reasoning);
        }
    }
    for repaired in &known.errors_encountered {
        let _ = write!(text, "\nerror: {}", repaired.error);
        if !repaired.fix.is_empty() {
            let _ = write!(text, " (fixed by: {})", repaired.fix);
        }
    }
    push_list(&mut text, "files", &known.files_modified);
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
    let answered = BranchAnswer {
        branch: Some(branch.to_owned()),
        context: Some(Row::from_value(&saved)),
        ..BranchAnswer::default()
    };
    Ok(Answer::new(answered, text))
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
        return Err(ToolError::new(format!("`{session}` has not ended"))
            .remedy("end it with aidd_session, action end, which also promotes it"));
    }
    let promoted = memory.promote_session(&state)?;
    let text = if promoted.was_known {
        format!("{} already has {session}.", state.branch)
    } else {
        let mut text = format!("Added {session} to {}.", state.branch);
        push_list(&mut text, "decisions", &promoted.decisions);
        push_list(&mut text, "errors", &promoted.errors);
        text
    };
    let texts = promoted.decisions.into_iter().chain(promoted.errors).collect();
    let answered = BranchAnswer {
        branch: Some(state.branch),
        promoted: Some(texts),
        ..BranchAnswer::default()
    };
    Ok(Answer::new(answered, text))
}

fn list(memory: &mut ProjectMemory) -> Result<Answer<BranchAnswer>, ToolError> {
    let (contexts, bad) = memory.branches()?;
    let mut text = format!("{}.", count_noun(contexts.len(), "branch"));
    let mut rows = Vec::new();
    for known in contexts {
        let _ = write!(
            text,
            "\n{} {} {} done, {} pending",
            known.branch,
            day_of(&known.updated_at),
            known.completed_tasks.len(),
            known.pending_tasks.len()
        );
        let mut row = Row::from_value(json!({
            "branch": known.branch, "updatedAt": known.updated_at,
            "sessionsCount": known.sessions_count, "pendingTasks": known.pending_tasks.len(),
            "decisions": known.decisions.len(),
        }));
        for (name, value) in [("feature", known.feature), ("phase", known.phase)] {
            if let Some(value) = value {
                row.0.insert(name.to_owned(), value.into());
            }
        }
        rows.push(row);
    }
    for path in bad {
        let _ = write!(text, "\nnote: {path} is not a branch context");
    }
    Ok(Answer::new(BranchAnswer { branches: Some(rows), ..BranchAnswer::default() }, text))
}

fn merge(
    memory: &mut ProjectMemory,
    branch: &str,
    promotes: bool,
) -> Result<Answer<BranchAnswer>, ToolError> {
    // Later calls do not show the tasks of an archived branch.
    let left = memory.branch(branch)?.pending_tasks;
    if !promotes {
        let archived = memory.archive_branch(branch)?;
        let mut text = format!("Archived {branch} to {archived}; nothing became permanent.");
        push_list(&mut text, "was pending", &left);
        let answered = BranchAnswer {
            branch: Some(branch.to_owned()),
            archived: Some(archived),
            ..BranchAnswer::default()
        };
        return Ok(Answer::new(answered, text));
    }
    let merged = memory.merge_branch(branch)?;
    let mut text = format!("Merged {branch}; its context is archived in {}.", merged.archived);
    push_list(&mut text, "now permanent", &merged.promoted);
    push_list(&mut text, "already permanent", &merged.known);
    push_list(&mut text, "was pending", &left);
    let answered = BranchAnswer {
        branch: Some(branch.to_owned()),
        promoted: Some(merged.promoted),
        known: Some(merged.known),
        archived: Some(merged.archived),
        ..BranchAnswer::default()
    };
    Ok(Answer::new(answered, text))
}
