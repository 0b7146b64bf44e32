//! Observations of a session: findings, and the results of commands.

use super::permanent::redaction_note;
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_memory::kinds::Observation;
use aidd_memory::types::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_observation",
            "Observe",
            "Records an observation, or the result of a command (`type` tool_outcome), in a session. \
             Use as soon as it occurs; use save_decision to record a decision for the team.",
            observe,
        )
        .non_destructive()
        .in_profiles(&[Profile::Memory]),
    ]
}

// A kind of memory that can be recorded as an observation.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ObservationKind {
    Decision,
    Mistake,
    Convention,
    Pattern,
    Preference,
    Insight,
    ToolOutcome,
    WorkflowOutcome,
    Context,
}

impl ObservationKind {
    fn kind(self) -> Kind {
        match self {
            Self::Decision => Kind::Decision,
            Self::Mistake => Kind::Mistake,
            Self::Convention => Kind::Convention,
            Self::Pattern => Kind::Pattern,
            Self::Preference => Kind::Preference,
            Self::Insight => Kind::Insight,
            Self::ToolOutcome => Kind::ToolOutcome,
            Self::WorkflowOutcome => Kind::WorkflowOutcome,
            Self::Context => Kind::Context,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ObservationParams {
    session_id: String,
    #[serde(rename = "type")]
    kind: ObservationKind,
    title: String,
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    facts: Vec<String>,
    narrative: Option<String>,
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    concepts: Vec<String>,
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    files_read: Vec<String>,
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    files_modified: Vec<String>,
    #[schemars(extend("x-unlisted" = true))]
    discovery_tokens: Option<u64>,
    command: Option<String>,
    exit_code: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SavedNote {
    id: String,
    #[schemars(skip)]
    saved: bool,
}

fn observe(context: &Context, params: ObservationParams) -> Result<Answer<SavedNote>, ToolError> {
    let mut extra = Map::new();
    if let Some(command) = params.command {
        extra.insert("command".to_owned(), json!(command));
    }
    if let Some(code) = params.exit_code {
        extra.insert("exitCode".to_owned(), json!(code));
    }
    let body = Observation {
        facts: params.facts,
        narrative: params.narrative,
        concepts: params.concepts,
        files_read: params.files_read,
        files_modified: params.files_modified,
        discovery_tokens: params.discovery_tokens,
        extra,
    };
    let kind = params.kind.kind();
    let (id, note) = context.memory(|memory| -> Result<_, ToolError> {
        let id = memory.observe(&params.session_id, kind, &params.title, &body)?;
        let note = redaction_note(memory, &id)?;
        Ok((id, note))
    })?;
    let text = format!("Saved {id}.{note}");
    Ok(Answer::new(SavedNote { id, saved: true }, text))
}
