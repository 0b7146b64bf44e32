//! Sessions, branches and lifecycles, with all the fields defined for them. Field names are read in
//! both spellings (`filesModified`, `files_modified`) and written in the first; unknown fields are
//! preserved.

use super::MemoryError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Fields unknown to this version of aidd.
type Extra = Map<String, Value>;

/// The model, its provider and the client.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct AiProvider {
    pub provider: String,
    pub model: String,
    #[serde(alias = "model_id")]
    pub model_id: String,
    pub client: String,
    #[serde(skip_serializing_if = "Option::is_none", alias = "model_tier")]
    pub model_tier: Option<Value>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Classification of a session's task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct TaskClassification {
    pub domain: String,
    pub nature: String,
    pub complexity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "fast_track")]
    pub fast_track: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risky: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "skippable_stages")]
    pub skippable_stages: Vec<String>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// A decision of a session or on a branch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct RecordedDecision {
    pub decision: String,
    pub reasoning: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Value>,
    /// Branches only: the session that made the decision.
    #[serde(skip_serializing_if = "Option::is_none", alias = "session_id")]
    pub session_id: Option<String>,
    /// Branches only: ids of the sessions' observations of the decision.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub observed: BTreeSet<String>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// An error that was fixed in a session or on a branch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct FixedError {
    pub error: String,
    pub fix: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Value>,
    /// Branches only: the session that fixed the error.
    #[serde(skip_serializing_if = "Option::is_none", alias = "session_id")]
    pub session_id: Option<String>,
    /// Branches only: ids of the sessions' observations of the error.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub observed: BTreeSet<String>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// A tool that was called, and the quality of its result: good, neutral or bad.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct ToolCall {
    pub name: String,
    #[serde(alias = "result_quality")]
    pub result_quality: String,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Outcome of a session, as reported by the session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct SessionOutcome {
    #[serde(alias = "tests_passing")]
    pub tests_passing: bool,
    #[serde(alias = "compliance_score")]
    pub compliance_score: f64,
    pub reverts: u64,
    pub reworks: u64,
    #[serde(skip_serializing_if = "Option::is_none", alias = "user_feedback")]
    pub user_feedback: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "context_efficiency")]
    pub context_efficiency: Option<f64>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Token counts and cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct TokenUsage {
    #[serde(alias = "input_tokens")]
    pub input_tokens: u64,
    #[serde(alias = "output_tokens")]
    pub output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none", alias = "cache_read_tokens")]
    pub cache_read_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "cache_write_tokens")]
    pub cache_write_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "total_cost")]
    pub total_cost: Option<f64>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Durations in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct TimingMetrics {
    #[serde(skip_serializing_if = "Option::is_none", alias = "startup_ms")]
    pub startup_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "governance_overhead_ms")]
    pub governance_overhead_ms: Option<f64>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// One session of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct SessionState {
    /// `session_<ms>_<hash>`.
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The client's id of the conversation that this session continues.
    #[serde(skip_serializing_if = "Option::is_none", alias = "memory_session_id")]
    pub memory_session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "parent_session_id")]
    pub parent_session_id: Option<String>,
    pub branch: String,
    /// Milliseconds since 1970, or a string in older records.
    #[serde(alias = "started_at")]
    pub started_at: Value,
    #[serde(skip_serializing_if = "Option::is_none", alias = "ended_at")]
    pub ended_at: Option<Value>,
    #[serde(alias = "ai_provider")]
    pub ai_provider: AiProvider,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    pub decisions: Vec<RecordedDecision>,
    #[serde(alias = "errors_resolved")]
    pub errors_resolved: Vec<FixedError>,
    #[serde(alias = "files_modified")]
    pub files_modified: Vec<String>,
    #[serde(alias = "tasks_completed")]
    pub tasks_completed: Vec<String>,
    #[serde(alias = "tasks_pending")]
    pub tasks_pending: Vec<String>,
    #[serde(alias = "agents_used")]
    pub agents_used: Vec<String>,
    #[serde(alias = "skills_used")]
    pub skills_used: Vec<String>,
    #[serde(alias = "tools_called")]
    pub tools_called: Vec<ToolCall>,
    #[serde(alias = "rules_applied")]
    pub rules_applied: Vec<String>,
    #[serde(alias = "workflows_followed")]
    pub workflows_followed: Vec<String>,
    #[serde(alias = "tkb_entries_consulted")]
    pub tkb_entries_consulted: Vec<String>,
    #[serde(alias = "task_classification")]
    pub task_classification: TaskClassification,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SessionOutcome>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "lifecycle_session_id")]
    pub lifecycle_session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "token_usage")]
    pub token_usage: Option<TokenUsage>,
    /// One of `reported`, `estimated`, `missing`.
    #[serde(skip_serializing_if = "Option::is_none", alias = "token_telemetry_source")]
    pub token_telemetry_source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "timing_metrics")]
    pub timing_metrics: Option<TimingMetrics>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// The field that records what started a session; its value is [`HOOK`] if a hook started it.
pub const STARTED_BY: &str = "by";
/// The value of [`STARTED_BY`] for a session that a hook started.
pub const HOOK: &str = "hook";

impl SessionState {
    /// Sets the time of decisions and errors that have none.
    pub(super) fn stamp(&mut self, at: i64) {
        stamp(&mut self.decisions, &mut self.errors_resolved, at);
    }

    /// Checks that decisions and errors are not empty: see [`check_not_empty`].
    pub(super) fn check_not_empty(&self) -> Result<(), MemoryError> {
        check_not_empty(("decisions", &self.decisions), ("errorsResolved", &self.errors_resolved))
    }

    /// Whether the session has ended.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.ended_at.is_some()
    }

    /// Whether a hook of a client started the session.
    #[must_use]
    pub fn is_started_by_hook(&self) -> bool {
        self.extra.get(STARTED_BY).and_then(Value::as_str) == Some(HOOK)
    }
}

/// Checks that each decision and error has its main field. If the name of the field is misspelled,
/// the field is empty, and its content would be lost.
///
/// # Errors
/// The first entry without its main field, and the expected fields.
pub(super) fn check_not_empty(
    decisions: (&str, &[RecordedDecision]),
    errors: (&str, &[FixedError]),
) -> Result<(), MemoryError> {
    let empty = |text: &String| text.trim().is_empty();
    if let Some(at) = decisions.1.iter().position(|decision| empty(&decision.decision)) {
        let name = decisions.0;
        return Err(MemoryError::Invalid(format!(
            "`{name}[{at}].decision` is missing; expected {{\"decision\": \"…\", \"reasoning\": \"…\"}}"
        )));
    }
    if let Some(at) = errors.1.iter().position(|error| empty(&error.error)) {
        let name = errors.0;
        return Err(MemoryError::Invalid(format!(
            "`{name}[{at}].error` is missing; expected {{\"error\": \"…\", \"fix\": \"…\"}}"
        )));
    }
    Ok(())
}

fn stamp(decisions: &mut [RecordedDecision], errors: &mut [FixedError], at: i64) {
    for decision in decisions {
        decision.timestamp.get_or_insert_with(|| at.into());
    }
    for error in errors {
        error.timestamp.get_or_insert_with(|| at.into());
    }
}

/// The state of the work on a branch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct BranchContext {
    pub branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    #[serde(alias = "completed_tasks")]
    pub completed_tasks: Vec<String>,
    #[serde(alias = "pending_tasks")]
    pub pending_tasks: Vec<String>,
    pub decisions: Vec<RecordedDecision>,
    #[serde(alias = "errors_encountered")]
    pub errors_encountered: Vec<FixedError>,
    #[serde(alias = "files_modified")]
    pub files_modified: Vec<String>,
    #[serde(alias = "sessions_count")]
    pub sessions_count: u64,
    #[serde(alias = "total_duration_ms")]
    pub total_duration_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none", alias = "lifecycle_session_id")]
    pub lifecycle_session_id: Option<String>,
    /// Milliseconds since 1970, or a string in older records.
    #[serde(alias = "updated_at")]
    pub updated_at: Value,
    /// Ids of the sessions that were promoted to the branch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<String>,
    #[serde(flatten)]
    pub extra: Extra,
}

impl BranchContext {
    /// Sets the time of decisions and errors that have none.
    pub(super) fn stamp(&mut self, at: i64) {
        stamp(&mut self.decisions, &mut self.errors_encountered, at);
    }
}

/// A phase that a lifecycle has entered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct PassedPhase {
    pub name: String,
    #[serde(alias = "entered_at")]
    pub entered_at: Value,
    #[serde(skip_serializing_if = "Option::is_none", alias = "exited_at")]
    pub exited_at: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Maps each exit criterion to the evidence for it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub evidence: Map<String, Value>,
    /// Why the phase was completed although not every criterion was met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// A feature and its progress through the phases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Lifecycle {
    /// `lifecycle_<ms>_<hash>`.
    pub id: String,
    pub feature: String,
    /// One of `active`, `completed`, `abandoned`.
    pub status: String,
    #[serde(alias = "current_phase")]
    pub current_phase: String,
    pub phases: Vec<PassedPhase>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "session_id")]
    pub session_id: Option<String>,
    #[serde(alias = "created_at")]
    pub created_at: Value,
    #[serde(alias = "updated_at")]
    pub updated_at: Value,
    #[serde(flatten)]
    pub extra: Extra,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_spellings_are_read_and_nothing_is_lost() {
        let state: SessionState = serde_json::from_value(json!({
            "id": "s", "branch": "main", "started_at": "2026-01-01T00:00:00Z",
            "ai_provider": {"provider": "p", "model": "m", "model_id": "i", "client": "c", "seat": 1},
            "memory_session_id": "thread", "files_modified": ["a"],
            "tools_called": [{"name": "t", "result_quality": "good"}],
            "token_usage": {"input_tokens": 1, "output_tokens": 2}, "later": [1],
        }))
        .expect("a session");
        assert_eq!(state.memory_session_id.as_deref(), Some("thread"));
        assert_eq!(state.tools_called[0].result_quality, "good");
        assert_eq!(state.ai_provider.extra["seat"], 1);
        let value = json!(state);
        assert_eq!(value["filesModified"], json!(["a"]));
        assert_eq!(value["tokenUsage"]["inputTokens"], 1);
        assert_eq!(value["later"], json!([1]));
        assert_eq!(serde_json::from_value::<SessionState>(value).expect("a session"), state);
        let branch: BranchContext = serde_json::from_value(
            json!({"branch": "b", "errors_encountered": [{"error": "e", "fix": "f"}]}),
        )
        .expect("a branch");
        assert_eq!(branch.errors_encountered[0].fix, "f");
    }
}
