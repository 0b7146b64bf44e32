//! Tools by intent: save a decision, a checkpoint or a note, resume work, record an outcome.

use super::older;
use super::permanent::{SavedAnswer, branch_of, saved_answer};
use super::relation::link;
use super::render::{
    Row, current_branch, entry_row, entry_text, parse_confidence, parse_time, push_list,
};
use super::search::OutcomeArg;
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_memory::kinds::{Checkpoint, Decision, Insight};
use aidd_memory::permanent::{Conflict, NewMemory};
use aidd_memory::types::{Kind, Link, Relation, Status, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "save_decision",
            "Save decision",
            "Saves a decision for the team, and supersedes the last decision on the same topic. \
             Use after a decision; use save_checkpoint before a break and save_insight for a \
             note.",
            save_decision,
        )
        .non_destructive()
        .in_profiles(&[Profile::Memory, Profile::Lean])
        .with_older_names(older::SAVE_DECISION),
        Tool::new(
            "save_checkpoint",
            "Save checkpoint",
            "Saves the state of the work. Use before a break; use load_checkpoint to resume the \
             work.",
            save_checkpoint,
        )
        .non_destructive()
        .in_profiles(&[Profile::Memory, Profile::Lean])
        .with_spellings(&[("open_files", "openFiles"), ("next_steps", "nextSteps")])
        .with_older_names(older::SAVE_CHECKPOINT),
        Tool::new(
            "save_insight",
            "Save insight",
            "Saves an insight that stays in this checkout. Use for a lesson learned; use save_decision \
             to record a decision for the team.",
            save_insight,
        )
        .non_destructive()
        .in_profiles(&[Profile::Memory, Profile::Plan]),
        Tool::new(
            "load_checkpoint",
            "Load checkpoint",
            "Returns the last checkpoint, the open session and the pending tasks. Use to resume \
             work; use load_context to read a memory.",
            load_checkpoint,
        )
        .in_profiles(&[Profile::Memory, Profile::Lean])
        .with_older_names(older::LOAD_CHECKPOINT),
        Tool::new(
            "evolve_outcome",
            "Record outcome",
            "Records the outcome of a decision. Use once the outcome is known; use \
             evolve_supersede to replace the decision.",
            evolve_outcome,
        )
        .non_destructive()
        .idempotent()
        .in_profiles(&[Profile::Memory, Profile::Lean])
        .with_spellings(&[
            ("decisionId", "id"),
            ("decision_id", "id"),
            ("failure_reason", "reason"),
            ("failureReason", "reason"),
            ("limitation", "reason"),
        ])
        .with_value_aliases(&[("outcome", "failure", "FAILED")])
        .with_older_names(older::UPDATE_OUTCOME),
        Tool::new(
            "evolve_supersede",
            "Supersede decision",
            "Replaces a decision with a new decision; the old decision stays in the history. Use \
             after a change of mind; use aidd_memory_edit_decision to change only the wording.",
            evolve_supersede,
        )
        .non_destructive()
        .in_profiles(&[Profile::Memory, Profile::Plan])
        .with_spellings(&[("decisionId", "id"), ("decision_id", "id")]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DecisionParams {
    topic: String,
    decision: String,
    reasoning: String,
    /// Up to 3 questions it answers, in words it does not use
    #[serde(default)]
    questions: Vec<String>,
    /// Confidence from 0 to 1; default: 0.7
    confidence: Option<f64>,
    #[serde(default)]
    alternatives: Vec<String>,
    #[schemars(extend("x-unlisted" = true))]
    context: Option<String>,
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    supersedes: Vec<String>,
    /// Links to memories: {to, relation (builds_on, refines, contradicts …), reason}
    #[serde(default)]
    links: Vec<Row>,
    #[schemars(extend("x-unlisted" = true))]
    session_id: Option<String>,
    /// Evidence for the decision, such as links or measurements
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    evidence: Vec<String>,
    #[schemars(extend("x-unlisted" = true))]
    risks: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    outcome: Option<String>,
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    replaces: Vec<Row>,
    /// Ticket to which the decision belongs; default: that of the session's branch
    #[schemars(extend("x-unlisted" = true))]
    ticket: Option<String>,
    /// Scope within the ticket
    #[serde(alias = "scope_key")]
    #[schemars(extend("x-unlisted" = true))]
    scope_key: Option<String>,
    /// Stage in which the decision was made, such as PLAN
    #[schemars(extend("x-unlisted" = true))]
    stage: Option<String>,
    /// Document that states the decision
    #[serde(alias = "source_path")]
    #[schemars(extend("x-unlisted" = true))]
    source_path: Option<String>,
    /// `rejected` for a decision that was considered and rejected
    #[schemars(extend("x-unlisted" = true))]
    status: Option<String>,
    /// Day or time of the decision if it is older, such as 2026-03-01
    #[schemars(extend("x-unlisted" = true))]
    date: Option<String>,
}

/// Parses the status of a decision.
fn verdict(text: Option<&str>) -> Result<Option<Verdict>, ToolError> {
    match text.map(|word| word.trim().to_ascii_lowercase()).as_deref() {
        None | Some("" | "active" | "accepted") => Ok(None),
        Some(word) => {
            word.parse().map(Some).map_err(|error| ToolError::new(format!("`status`: {error}")))
        }
    }
}

/// Parses the outcome with which a decision is saved. `pending` and `superseded`, which MAMA uses,
/// mean that there is no outcome.
fn initial_outcome(text: Option<&str>) -> Result<Option<aidd_memory::types::Outcome>, ToolError> {
    match text.map(|word| word.trim().to_ascii_lowercase()).as_deref() {
        None | Some("pending" | "superseded") => Ok(None),
        Some(word) => aidd_memory::types::Outcome::read(word)
            .map(Some)
            .map_err(|error| ToolError::new(format!("`outcome`: {error}"))),
    }
}

/// Default confidence of a decision.
const DEFAULT_CONFIDENCE: f64 = 0.7;

fn save_decision(
    context: &Context,
    params: DecisionParams,
) -> Result<Answer<SavedAnswer>, ToolError> {
    if params.topic.trim().is_empty() {
        return Err(ToolError::new("`topic` is empty")
            .remedy("pass a topic of one or two words, or use aidd_memory_add_decision"));
    }
    let links = params.links.iter().enumerate().map(|(index, item)| link(index, item));
    let links = links.collect::<Result<Vec<_>, ToolError>>()?;
    let (mut links, notes): (Vec<Link>, Vec<Option<String>>) = links.into_iter().unzip();
    links.extend(params.supersedes.iter().map(|id| Link::new(Relation::Supersedes, id)));
    for replaced_decision in &params.replaces {
        let reason =
            Some(replaced_decision.text("reason").to_owned()).filter(|reason| !reason.is_empty());
        links
            .push(Link { reason, ..Link::new(Relation::Supersedes, replaced_decision.text("id")) });
    }
    let mut extra = Map::new();
    if !params.evidence.is_empty() {
        extra.insert("evidence".to_owned(), params.evidence.into());
    }
    extra.extend(params.risks.map(|risks| ("risks".to_owned(), risks.into())));
    let body = Decision {
        outcome: initial_outcome(params.outcome.as_deref())?,
        extra,
        reasoning: params.reasoning,
        alternatives: params.alternatives.into_iter().map(Value::from).collect(),
        context: params.context,
        confidence: Some(
            parse_confidence("confidence", params.confidence)?.unwrap_or(DEFAULT_CONFIDENCE),
        ),
        ticket: params.ticket,
        scope_key: params.scope_key,
        stage: params.stage,
        source_path: params.source_path,
        questions: params.questions,
        status: verdict(params.status.as_deref())?,
        ..Decision::default()
    };
    let mut new = NewMemory {
        content: params.decision,
        topic: Some(params.topic),
        body,
        links,
        session_id: params.session_id,
        branch: None,
        created_at: parse_time("date", params.date.as_deref())?,
    };
    context.memory(|memory| -> Result<_, ToolError> {
        new.branch = branch_of(memory, new.session_id.as_deref())?;
        let saved = memory.save_decision(&new)?;
        let mut answer = saved_answer(Kind::Decision, saved, memory)?;
        for note in notes.iter().flatten() {
            let _ = write!(answer.text, "\nnote: {note}");
        }
        // If a decision with this text exists and has an outcome, report the outcome.
        let stored = memory.get(std::slice::from_ref(&answer.data.id))?.remove(0);
        if stored.outcome().is_some() {
            let _ = write!(answer.text, "\nnote: {}", memory.brief(&stored)?.line(80));
        }
        // Two active decisions on one topic are possible only if the new decision has a link other
        // than `supersedes`.
        if new.links.iter().any(|link| link.relation != Relation::Supersedes) {
            let id = &answer.data.id;
            for conflict in memory.conflicts_of(id)? {
                let _ = write!(answer.text, "\nnote: {}", conflict_note(&conflict));
            }
        }
        Ok(answer)
    })
}

fn conflict_note(conflict: &Conflict) -> String {
    match conflict {
        Conflict::TwoHeads { id, .. } => format!("{id} has two concurrent edits"),
        Conflict::OneTopic { topic, ids } => {
            format!("{} active decisions on {topic}: {}", ids.len(), ids.join(", "))
        }
        Conflict::Contradiction { from, to } => {
            format!("{from} contradicts {to}, and both are active")
        }
        Conflict::Cycle { from, to } => format!("{from} and {to} supersede each other"),
        Conflict::Forked { ids } => {
            format!("{} superseded the same memory, and all are active", ids.join(" and "))
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckpointParams {
    summary: String,
    #[serde(default)]
    open_files: Vec<String>,
    next_steps: Option<Steps>,
    #[schemars(extend("x-unlisted" = true))]
    status: Option<String>,
    branch: Option<String>,
    session_id: Option<String>,
}

// A string, or a list of strings.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Steps {
    One(String),
    Several(Vec<String>),
}

#[derive(Serialize, JsonSchema)]
struct SavedNote {
    id: String,
    #[schemars(skip)]
    saved: bool,
}

fn save_checkpoint(
    context: &Context,
    params: CheckpointParams,
) -> Result<Answer<SavedNote>, ToolError> {
    let next_steps = match params.next_steps {
        Some(Steps::One(text)) => Some(Value::from(text)),
        Some(Steps::Several(texts)) => Some(Value::from(texts)),
        None => None,
    };
    let body = Checkpoint {
        open_files: params.open_files,
        next_steps,
        status: params.status,
        ..Checkpoint::default()
    };
    let branch_of_call = params.branch.or_else(|| current_branch(context));
    let id = context.memory(|memory| -> Result<_, ToolError> {
        let branch_of_session = branch_of(memory, params.session_id.as_deref())?;
        let (branch, session) =
            (branch_of_session.or(branch_of_call), params.session_id.as_deref());
        Ok(memory.save_checkpoint(&params.summary, &body, session, branch.as_deref())?)
    })?;
    let text = format!("Saved {id}; resume with load_checkpoint.");
    Ok(Answer::new(SavedNote { id, saved: true }, text))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InsightParams {
    content: String,
    topic: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    category: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    /// Up to 3 questions it answers, in words it does not use
    #[serde(default)]
    questions: Vec<String>,
    #[schemars(extend("x-unlisted" = true))]
    source: Option<String>,
    session_id: Option<String>,
}

fn save_insight(context: &Context, params: InsightParams) -> Result<Answer<SavedNote>, ToolError> {
    let body = Insight {
        category: params.category,
        tags: params.tags,
        questions: params.questions,
        source: params.source,
        ..Insight::default()
    };
    let id = context.memory(|memory| -> Result<_, ToolError> {
        let session = params.session_id.as_deref();
        branch_of(memory, session)?;
        Ok(memory.save_insight(&params.content, params.topic.as_deref(), &body, session)?)
    })?;
    let text = format!("Saved {id}.");
    Ok(Answer::new(SavedNote { id, saved: true }, text))
}

#[derive(Deserialize, JsonSchema)]
struct BranchQuery {
    branch: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Loaded {
    #[schemars(skip)]
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_session: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending_tasks: Vec<String>,
}

fn load_checkpoint(context: &Context, params: BranchQuery) -> Result<Answer<Loaded>, ToolError> {
    let current = params.branch.clone().or_else(|| current_branch(context));
    context.memory(|memory| -> Result<_, ToolError> {
        let entry = memory.last_checkpoint(params.branch.as_deref())?;
        let branch = entry.as_ref().and_then(|entry| entry.branch.clone()).or(current);
        let (mut open_session, mut pending_tasks) = (None, Vec::new());
        if let Some(branch) = &branch {
            let open = memory.sessions(Some(branch), Some(false), 1)?.pop();
            pending_tasks = memory.branch(branch)?.pending_tasks;
            if let Some(open) = open {
                for task in open.tasks_pending {
                    if !pending_tasks.contains(&task) {
                        pending_tasks.push(task);
                    }
                }
                open_session = Some(open.id);
            }
        }
        let mut text = match &entry {
            Some(entry) => entry_text(&entry.clone().into(), &[]),
            None => "No checkpoint yet.".to_owned(),
        };
        if let Some(branch) = &branch {
            let _ = write!(text, "\nbranch: {branch}");
        }
        if let Some(open) = &open_session {
            let _ = write!(text, "\nopen session: {open}");
        }
        push_list(&mut text, "pending", &pending_tasks);
        let checkpoint = entry.as_ref().map(|entry| entry_row(entry, &[]));
        let found = entry.is_some();
        Ok(Answer::new(Loaded { found, checkpoint, open_session, pending_tasks }, text))
    })
}

#[derive(Deserialize, JsonSchema)]
struct OutcomeParams {
    id: String,
    outcome: OutcomeArg,
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Evolved {
    id: String,
    #[schemars(skip)]
    outcome: &'static str,
}

fn evolve_outcome(context: &Context, params: OutcomeParams) -> Result<Answer<Evolved>, ToolError> {
    let outcome = params.outcome.outcome();
    let OutcomeParams { id, reason, .. } = params;
    context.memory(|memory| memory.set_outcome(&id, outcome, reason.as_deref()))?;
    let text = format!("{id}: {outcome}.");
    Ok(Answer::new(Evolved { id, outcome: outcome.word() }, text))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SupersedeParams {
    id: String,
    decision: String,
    reasoning: String,
    topic: Option<String>,
    #[serde(default)]
    questions: Vec<String>,
    confidence: Option<f64>,
    session_id: Option<String>,
}

fn evolve_supersede(
    context: &Context,
    params: SupersedeParams,
) -> Result<Answer<SavedAnswer>, ToolError> {
    context.memory(|memory| -> Result<_, ToolError> {
        let old = memory.get(std::slice::from_ref(&params.id))?.remove(0);
        if old.kind != Kind::Decision {
            let kind = old.kind.with_article();
            return Err(ToolError::new(format!("`{}` is {kind}, not a decision", old.id)));
        }
        if old.status == Status::Superseded {
            let chain = memory.chain(&old.id)?;
            let newest = chain.iter().rfind(|entry| entry.status == Status::Active);
            let remedy = newest.map(|entry| format!("supersede its successor `{}`", entry.id));
            return Err(ToolError::new(format!("`{}` is already superseded", old.id))
                .remedy(remedy.unwrap_or_default()));
        }
        let body = Decision {
            reasoning: params.reasoning,
            questions: params.questions,
            confidence: Some(
                parse_confidence("confidence", params.confidence)?.unwrap_or(DEFAULT_CONFIDENCE),
            ),
            ..Decision::default()
        };
        let branch = branch_of(memory, params.session_id.as_deref())?;
        let new = NewMemory {
            content: params.decision,
            topic: params.topic.or(old.topic),
            body,
            links: vec![Link::new(Relation::Supersedes, &params.id)],
            session_id: params.session_id,
            branch,
            created_at: None,
        };
        let saved = memory.save_decision(&new)?;
        Ok(saved_answer(Kind::Decision, saved, memory)?)
    })
}
