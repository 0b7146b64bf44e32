//! Permanent memories of the team: decisions, mistakes, conventions.

use super::check_findings::check_findings;
use super::render::{Row, parse_confidence, parse_time, value_text};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_engine::check::secrets::REDACTED;
use aidd_engine::workspace::memory_checks::{self, CHECK};
use aidd_memory::MemoryError;
use aidd_memory::kinds::{Convention, Decision, Mistake};
use aidd_memory::permanent::{Edit, NewMemory, Saved};
use aidd_memory::project::ProjectMemory;
use aidd_memory::types::{Kind, Relation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    let memory = &[Profile::Memory];
    vec![
        Tool::new(
            "aidd_memory_add_decision",
            "Add decision",
            "Saves a decision for the team. Use for a decision without a topic; otherwise use \
             save_decision.",
            add_decision,
        )
        .non_destructive()
        .in_profiles(&[Profile::Memory, Profile::Plan]),
        Tool::new(
            "aidd_memory_add_mistake",
            "Add mistake",
            "Saves an error with its cause and fix, so that aidd_diagnose_error finds it. Use \
             after a fix.",
            add_mistake,
        )
        .non_destructive()
        .in_profiles(&[Profile::Memory, Profile::Lean]),
        Tool::new(
            "aidd_memory_add_convention",
            "Add convention",
            "Saves a convention of the team. Use for a general practice; use save_decision for a \
             single choice.",
            add_convention,
        )
        .non_destructive()
        .idempotent()
        .in_profiles(memory),
        Tool::new(
            "aidd_memory_edit_decision",
            "Edit decision",
            "Changes the text of a decision. Use to improve the wording; use evolve_supersede to \
             replace the decision.",
            edit_decision,
        )
        .non_destructive()
        .idempotent()
        .in_profiles(&[Profile::Memory, Profile::Plan]),
        Tool::new(
            "aidd_memory_edit_mistake",
            "Edit mistake",
            "Changes a recorded mistake. Use when a better fix is known; use \
             aidd_memory_add_mistake for a new mistake.",
            edit_mistake,
        )
        .non_destructive()
        .idempotent()
        .in_profiles(&[Profile::Memory, Profile::Plan]),
        Tool::new(
            "aidd_memory_edit_convention",
            "Edit convention",
            "Changes a convention. Use to correct or clarify the convention; use aidd_memory_prune \
             to remove it.",
            edit_convention,
        )
        .non_destructive()
        .idempotent()
        .in_profiles(&[Profile::Memory, Profile::Plan]),
        Tool::new(
            "aidd_memory_prune",
            "Remove memory",
            "Removes a memory and reactivates the memories that it superseded. Use if a memory is \
             wrong; use evolve_supersede to replace a decision.",
            prune,
        )
        .destructive()
        .in_profiles(memory),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedAnswer {
    pub(super) id: String,
    #[serde(rename = "type")]
    #[schemars(skip)]
    kind: &'static str,
    /// Whether the memory was written; false if it already existed.
    #[schemars(skip)]
    saved: bool,
    #[schemars(skip)]
    duplicate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrences: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    superseded: Vec<String>,
    /// Similar active memories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<Row>,
    /// The rule that enforces the memory, and its current findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    enforced: Option<Row>,
}

/// The note that parts of a saved memory were replaced, as a line; empty if none were.
pub(super) fn redaction_note(memory: &mut ProjectMemory, id: &str) -> Result<String, MemoryError> {
    let entry = memory.read(&mut |store| store.entry(id))?;
    let is_redacted = serde_json::to_string(&entry)?.contains(REDACTED);
    let note = format!("\nnote: secrets or private text were replaced by {REDACTED}");
    Ok(if is_redacted { note } else { String::new() })
}

pub(super) fn saved_answer(
    kind: Kind,
    saved: Saved,
    memory: &mut ProjectMemory,
) -> Result<Answer<SavedAnswer>, MemoryError> {
    let Saved { id, is_new, is_edited, occurrences, superseded, superseded_by, similar } = saved;
    let mut text = match (is_new, occurrences) {
        (true, _) => format!("Saved {id}."),
        (false, Some(count)) => format!("Already known as {id}; occurred {count} times."),
        (false, None) if is_edited => format!("Already known as {id}; added the new fields."),
        (false, None) => format!("Already known as {id}; nothing was written."),
    };
    if !superseded.is_empty() {
        let _ = write!(text, "\n{id} supersedes {}.", superseded.join(", "));
    }
    if let Some(newer) = &superseded_by {
        let _ = write!(text, "\nThe newer decision {newer} supersedes it.");
    }
    text.push_str(&redaction_note(memory, &id)?);
    for other in &similar {
        let similarity = other.similarity * 100.0;
        let _ = write!(
            text,
            "\nnote: {similarity:.0} % similar to {} \"{}\": supersede, link or prune one of the \
             two if they mean the same",
            other.id, other.title
        );
    }
    let similar = similar
        .iter()
        .map(|other| {
            let similarity = (other.similarity * 100.0).round() / 100.0;
            Row::from_value(json!({"id": other.id, "title": other.title, "likeness": similarity}))
        })
        .collect();
    let (kind, duplicate) = (kind.word(), !is_new);
    let saved = is_new || is_edited || occurrences.is_some();
    let enforced = None;
    Ok(Answer::new(
        SavedAnswer { id, kind, saved, duplicate, occurrences, superseded, similar, enforced },
        text,
    ))
}

/// Adds the current findings of the memory's check, so that the agent sees immediately whether the
/// check works as intended.
fn with_check_findings(context: &Context, mut answer: Answer<SavedAnswer>) -> Answer<SavedAnswer> {
    let (findings, sentence) = check_findings(context, &answer.data.id);
    answer.text = format!("{}\n{sentence}", answer.text);
    answer.data.enforced = findings;
    answer
}

/// The branch of a session, for entries saved in this session; an unknown session is an error.
pub(super) fn branch_of(
    memory: &mut ProjectMemory,
    session: Option<&str>,
) -> Result<Option<String>, ToolError> {
    session.map(|id| Ok(memory.session(id)?.branch)).transpose()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewDecision {
    decision: String,
    reasoning: String,
    #[serde(default)]
    alternatives: Vec<String>,
    context: Option<String>,
    /// Up to 3 questions it answers, in words it does not use
    #[serde(default)]
    questions: Vec<String>,
    session_id: Option<String>,
    /// Date of the memory, if it is from an earlier day, such as 2026-03-01
    #[schemars(extend("x-unlisted" = true))]
    date: Option<String>,
}

fn add_decision(context: &Context, params: NewDecision) -> Result<Answer<SavedAnswer>, ToolError> {
    context.memory(|memory| -> Result<_, ToolError> {
        let body = Decision {
            reasoning: params.reasoning,
            alternatives: params.alternatives.into_iter().map(Value::from).collect(),
            context: params.context,
            questions: params.questions,
            ..Decision::default()
        };
        let branch = branch_of(memory, params.session_id.as_deref())?;
        let new = NewMemory {
            content: params.decision,
            body,
            session_id: params.session_id,
            branch,
            created_at: parse_time("date", params.date.as_deref())?,
            ..NewMemory::default()
        };
        let saved = memory.save_decision(&new)?;
        Ok(saved_answer(Kind::Decision, saved, memory)?)
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewMistake {
    error: String,
    root_cause: String,
    fix: String,
    prevention: String,
    #[serde(default)]
    files: Vec<String>,
    /// Up to 3 questions it answers, in words it does not use
    #[serde(default)]
    questions: Vec<String>,
    check: Option<Row>,
    #[schemars(extend("x-unlisted" = true))]
    session_id: Option<String>,
    /// Date of the memory, if it is from an earlier day, such as 2026-03-01
    #[schemars(extend("x-unlisted" = true))]
    date: Option<String>,
}

fn add_mistake(context: &Context, params: NewMistake) -> Result<Answer<SavedAnswer>, ToolError> {
    let is_enforced = params.check.is_some();
    let saved = context.memory(|memory| -> Result<_, ToolError> {
        let body = Mistake {
            root_cause: params.root_cause,
            fix: params.fix,
            prevention: params.prevention,
            files: params.files,
            questions: params.questions,
            check: params.check.map(|check| Value::Object(check.0)),
            ..Mistake::default()
        };
        let branch = branch_of(memory, params.session_id.as_deref())?;
        let new = NewMemory {
            content: params.error,
            body,
            session_id: params.session_id,
            branch,
            created_at: parse_time("date", params.date.as_deref())?,
            ..NewMemory::default()
        };
        let saved = memory.save_mistake(&new)?;
        Ok(saved_answer(Kind::Mistake, saved, memory)?)
    })?;
    Ok(if is_enforced { with_check_findings(context, saved) } else { saved })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewConvention {
    convention: String,
    example: String,
    rationale: Option<String>,
    category: Option<String>,
    #[serde(default)]
    questions: Vec<String>,
    /// Check that enforces the convention, such as {"files": ["*.ts"], "text": {"regex": "…"}}
    check: Option<Row>,
    #[schemars(extend("x-unlisted" = true))]
    session_id: Option<String>,
    /// Date of the memory, if it is from an earlier day, such as 2026-03-01
    #[schemars(extend("x-unlisted" = true))]
    date: Option<String>,
}

fn add_convention(
    context: &Context,
    params: NewConvention,
) -> Result<Answer<SavedAnswer>, ToolError> {
    let is_enforced = params.check.is_some();
    let saved = context.memory(|memory| -> Result<_, ToolError> {
        let body = Convention {
            example: params.example,
            rationale: params.rationale,
            category: params.category,
            questions: params.questions,
            check: params.check.map(|check| Value::Object(check.0)),
            ..Convention::default()
        };
        let branch = branch_of(memory, params.session_id.as_deref())?;
        let new = NewMemory {
            content: params.convention,
            body,
            session_id: params.session_id,
            branch,
            created_at: parse_time("date", params.date.as_deref())?,
            ..NewMemory::default()
        };
        let saved = memory.save_convention(&new)?;
        Ok(saved_answer(Kind::Convention, saved, memory)?)
    })?;
    Ok(if is_enforced { with_check_findings(context, saved) } else { saved })
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditDecision {
    id: String,
    decision: Option<String>,
    topic: Option<String>,
    reasoning: Option<String>,
    alternatives: Option<Vec<String>>,
    context: Option<String>,
    confidence: Option<f64>,
    ticket: Option<String>,
    scope_key: Option<String>,
    stage: Option<String>,
    source_path: Option<String>,
    /// `rejected` or `accepted`
    status: Option<String>,
    questions: Option<Vec<String>>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditMistake {
    id: String,
    error: Option<String>,
    root_cause: Option<String>,
    fix: Option<String>,
    prevention: Option<String>,
    files: Option<Vec<String>>,
    questions: Option<Vec<String>>,
    check: Option<Row>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditConvention {
    id: String,
    convention: Option<String>,
    example: Option<String>,
    rationale: Option<String>,
    category: Option<String>,
    questions: Option<Vec<String>>,
    check: Option<Row>,
}

#[derive(Serialize, JsonSchema)]
struct Edited {
    id: String,
    #[serde(rename = "type")]
    #[schemars(skip)]
    kind: &'static str,
    #[schemars(skip)]
    updated: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    enforced: Option<Row>,
}

fn edit_decision(context: &Context, params: EditDecision) -> Result<Answer<Edited>, ToolError> {
    parse_confidence("confidence", params.confidence)?;
    edit(context, Kind::Decision, &params)
}

fn edit_mistake(context: &Context, params: EditMistake) -> Result<Answer<Edited>, ToolError> {
    edit(context, Kind::Mistake, &params)
}

fn edit_convention(context: &Context, params: EditConvention) -> Result<Answer<Edited>, ToolError> {
    edit(context, Kind::Convention, &params)
}

/// Changes the passed fields. The content is the field named after the type, or `error` for a
/// mistake.
fn edit(
    context: &Context,
    kind: Kind,
    params: &impl Serialize,
) -> Result<Answer<Edited>, ToolError> {
    let mut fields: Map<String, Value> = Row::from_value(params).0;
    fields.retain(|_, value| !value.is_null());
    let mut text = |name: &str| match fields.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let id = text("id").unwrap_or_default();
    let name = if kind == Kind::Mistake { "error" } else { kind.word() };
    let content = text(name);
    let topic = text("topic");
    let has_check = fields.contains_key(CHECK);
    let mut updated: Vec<String> = fields.keys().cloned().collect();
    updated.extend(content.is_some().then(|| name.to_owned()));
    updated.extend(topic.is_some().then(|| "topic".to_owned()));
    if updated.is_empty() {
        return Err(
            ToolError::new("no change requested").remedy("pass a field in addition to `id`")
        );
    }
    let entry =
        context.memory(|memory| memory.edit(kind, &id, &Edit { content, topic, fields }))?;
    let mut output = format!("Changed {id}: {}.\n{}", updated.join(", "), entry.content);
    for (name, value) in &entry.metadata {
        let _ = write!(output, "\n{name}: {}", value_text(value));
    }
    let mut enforced = None;
    if has_check && memory_checks::check_of(&entry).is_some() {
        let (findings, sentence) = check_findings(context, &id);
        let _ = write!(output, "\n{sentence}");
        enforced = findings;
    }
    Ok(Answer::new(Edited { id, kind: kind.word(), updated, enforced }, output))
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Permanent {
    Decision,
    Mistake,
    Convention,
}

#[derive(Deserialize, JsonSchema)]
struct Prune {
    #[serde(rename = "type")]
    kind: Permanent,
    id: String,
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Removed {
    #[schemars(skip)]
    id: String,
    #[serde(rename = "type")]
    #[schemars(skip)]
    kind: &'static str,
    removed: bool,
    /// Ids of memories that are active again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    restored: Vec<String>,
}

fn prune(context: &Context, params: Prune) -> Result<Answer<Removed>, ToolError> {
    let kind = match params.kind {
        Permanent::Decision => Kind::Decision,
        Permanent::Mistake => Kind::Mistake,
        Permanent::Convention => Kind::Convention,
    };
    let Prune { id, reason, .. } = params;
    context.memory(|memory| -> Result<_, ToolError> {
        let links = memory.read(&mut |store| store.links(&id))?;
        memory.remove(kind, &id, reason.as_deref())?;
        let superseded = links
            .into_iter()
            .filter(|link| link.from == id && link.relation == Relation::Supersedes)
            .map(|link| link.to);
        let superseded: Vec<String> = superseded.collect();
        let (entries, _) = memory.entries_by_id(&superseded)?;
        let active = aidd_memory::types::Status::Active;
        let restored: Vec<String> = entries
            .into_iter()
            .filter(|entry| entry.status == active)
            .map(|entry| entry.id)
            .collect();
        let mut text = format!("Removed {id}; its lines remain in the file's history.");
        if !restored.is_empty() {
            let _ = write!(text, "\nActive again: {}.", restored.join(", "));
        }
        Ok(Answer::new(Removed { id, kind: kind.word(), removed: true, restored }, text))
    })
}
