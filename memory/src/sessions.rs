//! Starts, updates and ends sessions. When a session ends, its decisions are promoted to its
//! branch.

use super::MemoryError;
use super::branches::PromotedRecords;
use super::project::ProjectMemory;
use super::records::{SessionState, TokenUsage};
use super::store::{Durability, Sessions, StorageBackend, Table};
use serde_json::{Map, Value, json};

/// Fields that are set only when a session starts or ends.
const FIXED_FIELDS: [&str; 8] = [
    "id",
    "branch",
    "startedAt",
    "started_at",
    "endedAt",
    "ended_at",
    "parentSessionId",
    "parent_session_id",
];

/// Client name of sessions that were started by hooks of a client that did not identify itself.
const UNKNOWN_CLIENT: &str = "unknown";
/// Age in milliseconds from which an open session started by a hook is ignored.
const MAX_HOOK_SESSION_AGE_MS: i64 = 24 * 60 * 60 * 1000;

/// Reads a session; older records can lack fields.
fn session(store: &mut dyn StorageBackend, id: &str) -> Result<SessionState, MemoryError> {
    let unknown = || MemoryError::Unknown { item: "session", id: id.to_owned() };
    Ok(serde_json::from_value(store.document(Table::Sessions, id)?.ok_or_else(unknown)?)?)
}

/// When a session began, in milliseconds since 1970.
fn start_time(session: &SessionState) -> i64 {
    super::times::millis(&session.started_at).unwrap_or_default()
}

impl ProjectMemory {
    /// Starts a session with the fields of `new`, except its id and times, which are set by this
    /// function.
    ///
    /// # Errors
    /// When `new` has no branch or provider, or its parent session does not exist.
    pub fn start_session(&mut self, new: SessionState) -> Result<SessionState, MemoryError> {
        let state = self.new_session(new)?;
        self.put_session(&state)?;
        Ok(state)
    }

    /// Returns the open session of the client conversation that `new` identifies by its
    /// `memory_session_id`. If there is none, starts a session with `new`. If two processes call
    /// this function at the same time, only one of them starts a session, and both receive that
    /// session.
    ///
    /// # Errors
    /// As [`Self::start_session`].
    pub fn join_session(&mut self, new: SessionState) -> Result<SessionState, MemoryError> {
        let state = self.new_session(new)?;
        self.write(Durability::Full, &mut |store, gate| {
            let all = store.sessions(Sessions::Open)?;
            let all = all.into_iter().filter_map(|state| serde_json::from_value(state).ok());
            let is_same = |other: &SessionState| {
                !other.is_ended() && other.memory_session_id == state.memory_session_id
            };
            if let Some(open) = all.into_iter().find(is_same) {
                return Ok(open);
            }
            let document = gate.clean(&json!(state))?;
            store.put_document(Table::Sessions, &state.id, start_time(&state), &document)?;
            Ok(state.clone())
        })
    }

    /// Creates a session from `new` that starts now.
    fn new_session(&mut self, new: SessionState) -> Result<SessionState, MemoryError> {
        if new.branch.trim().is_empty() || new.ai_provider.provider.trim().is_empty() {
            return Err(MemoryError::Invalid("the branch or the provider of the session is missing; set `branch`, and set `aiProvider` to {\"provider\": \"…\", \"model\": \"…\"}".to_owned()));
        }
        new.check_not_empty()?;
        if let Some(parent) = &new.parent_session_id {
            self.session(parent)?;
        }
        let at = self.now();
        let id = self.new_id("session", at, &new.branch);
        let mut state = SessionState { id, started_at: at.into(), ended_at: None, ..new };
        state.stamp(at);
        Ok(state)
    }

    fn put_session(&mut self, state: &SessionState) -> Result<(), MemoryError> {
        self.write(Durability::Full, &mut |store, gate| {
            let document = gate.clean(&json!(state))?;
            store.put_document(Table::Sessions, &state.id, start_time(state), &document)
        })
    }

    /// Reads a session by id.
    ///
    /// # Errors
    /// When no session has this id.
    pub fn session(&mut self, id: &str) -> Result<SessionState, MemoryError> {
        self.read(&mut |store| session(store, id))
    }

    /// Sessions, the last started first, optionally filtered by branch and by whether they have
    /// ended.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn sessions(
        &mut self,
        branch: Option<&str>,
        ended: Option<bool>,
        limit: usize,
    ) -> Result<Vec<SessionState>, MemoryError> {
        let all = self.read(&mut |store| match ended {
            Some(false) => store.sessions(Sessions::Open),
            _ => store.documents(Table::Sessions),
        })?;
        let states = all.into_iter().filter_map(|state| serde_json::from_value(state).ok());
        Ok(states
            .filter(|state: &SessionState| {
                branch.is_none_or(|branch| state.branch == branch)
                    && ended.is_none_or(|ended| state.is_ended() == ended)
            })
            .take(limit)
            .collect())
    }

    /// Returns the last session of the client conversation with this id, so that a restarted client
    /// can continue the session.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn conversation(
        &mut self,
        memory_session_id: &str,
    ) -> Result<Option<SessionState>, MemoryError> {
        let selected = Sessions::Conversation(memory_session_id);
        let all = self.read(&mut |store| store.sessions(selected))?;
        let mut states = all.into_iter().filter_map(|state| serde_json::from_value(state).ok());
        let is_match =
            |state: &SessionState| state.memory_session_id.as_deref() == Some(memory_session_id);
        Ok(states.find(is_match))
    }

    /// Returns the last open session that a hook started for `client` on `branch`. An agent does
    /// not know the id that its client gave the conversation, so its tools would otherwise start a
    /// second session. Only the letters and digits of client names are compared, ignoring
    /// case.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open_hook_session(
        &mut self,
        branch: &str,
        client: &str,
    ) -> Result<Option<SessionState>, MemoryError> {
        let normalised = |name: &str| {
            let letters = name.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect::<String>()
        };
        let (now, requested) = (self.now(), normalised(client));
        let open = self.sessions(Some(branch), Some(false), usize::MAX)?;
        Ok(open.into_iter().find(|state| {
            let client = normalised(&state.ai_provider.client);
            let is_same = client == requested || client == UNKNOWN_CLIENT || requested.is_empty();
            state.is_started_by_hook()
                && is_same
                && now - start_time(state) < MAX_HOOK_SESSION_AGE_MS
        }))
    }

    /// Updates a session: appends to lists (files and names only when they are new), replaces
    /// pending tasks, adds to the token counts and sets the other fields.
    ///
    /// # Errors
    /// When there is no such session, it has ended, or a field has the wrong type.
    pub fn update_session(
        &mut self,
        id: &str,
        patch: &Map<String, Value>,
    ) -> Result<SessionState, MemoryError> {
        let mut patch = Patch::read(patch)?;
        patch.state.check_not_empty()?;
        patch.state.stamp(self.now());
        self.write(Durability::Full, &mut |store, gate| {
            let mut state = session(store, id)?;
            patch.apply(&mut state)?;
            let document = gate.clean(&json!(state))?;
            store.put_document(Table::Sessions, id, start_time(&state), &document)?;
            Ok(state)
        })
    }

    /// Ends a session after applying `patch`; its decisions and fixed errors are promoted to its
    /// branch.
    ///
    /// # Errors
    /// As [`Self::update_session`].
    pub fn end_session(
        &mut self,
        id: &str,
        patch: &Map<String, Value>,
    ) -> Result<(SessionState, PromotedRecords), MemoryError> {
        let mut state = self.update_session(id, patch)?;
        state.ended_at = Some(self.now().into());
        // Decisions are promoted before the session is marked as ended: after a crash in between,
        // the session can be ended again, and promoted decisions are not promoted again.
        let promoted = self.promote_session(&state)?;
        let ended = state.ended_at.clone();
        let state = self.write(Durability::Full, &mut |store, gate| {
            let mut state = session(store, id)?;
            refuse_ended(&state)?;
            state.ended_at.clone_from(&ended);
            let document = gate.clean(&json!(state))?;
            store.put_document(Table::Sessions, id, start_time(&state), &document)?;
            Ok(state)
        })?;
        Ok((state, promoted))
    }

    /// Deletes a session with its observations and statistics.
    ///
    /// # Errors
    /// When no session has this id.
    pub fn delete_session(&mut self, id: &str) -> Result<(), MemoryError> {
        self.write(Durability::Full, &mut |store, _| {
            session(store, id)?;
            super::usage::drop_usage(store, id)?;
            super::prune::drop_session(store, id).map(|_| ())
        })
    }

    /// Deletes a session that recorded nothing; its statistics remain.
    ///
    /// # Errors
    /// When no session has this id.
    pub fn discard_session(&mut self, id: &str) -> Result<(), MemoryError> {
        self.write(Durability::Full, &mut |store, _| {
            session(store, id)?;
            super::prune::drop_session(store, id).map(|_| ())
        })
    }
}

fn refuse_ended(state: &SessionState) -> Result<(), MemoryError> {
    if state.is_ended() {
        return Err(MemoryError::Invalid(format!(
            "the session `{}` has already ended; start a new session",
            state.id
        )));
    }
    Ok(())
}

/// An update of a session. `state` contains the new values, and `fields` the fields that the update
/// sets.
struct Patch {
    state: SessionState,
    fields: Map<String, Value>,
}

impl Patch {
    fn read(patch: &Map<String, Value>) -> Result<Self, MemoryError> {
        if let Some(fixed) = FIXED_FIELDS.iter().find(|name| patch.contains_key(**name)) {
            return Err(MemoryError::Invalid(format!(
                "`{fixed}` of a session cannot be changed; remove it"
            )));
        }
        let state = serde_json::from_value(Value::Object(patch.clone()))?;
        Ok(Self { state, fields: patch.clone() })
    }

    fn has(&self, name: &str, older_name: &str) -> bool {
        self.fields.contains_key(name) || self.fields.contains_key(older_name)
    }

    fn apply(&self, to: &mut SessionState) -> Result<(), MemoryError> {
        refuse_ended(to)?;
        let from = self.state.clone();
        to.decisions.extend(from.decisions);
        to.errors_resolved.extend(from.errors_resolved);
        to.tools_called.extend(from.tools_called);
        for (to, from) in [
            (&mut to.files_modified, from.files_modified),
            (&mut to.tasks_completed, from.tasks_completed),
            (&mut to.agents_used, from.agents_used),
            (&mut to.skills_used, from.skills_used),
            (&mut to.rules_applied, from.rules_applied),
            (&mut to.workflows_followed, from.workflows_followed),
            (&mut to.tkb_entries_consulted, from.tkb_entries_consulted),
        ] {
            add_new(to, from);
        }
        if self.has("tasksPending", "tasks_pending") {
            to.tasks_pending = from.tasks_pending;
        }
        if self.has("aiProvider", "ai_provider") {
            to.ai_provider = from.ai_provider;
        }
        if self.has("taskClassification", "task_classification") {
            to.task_classification = from.task_classification;
        }
        replace_if_some(&mut to.name, from.name);
        replace_if_some(&mut to.memory_session_id, from.memory_session_id);
        replace_if_some(&mut to.input, from.input);
        replace_if_some(&mut to.output, from.output);
        replace_if_some(&mut to.outcome, from.outcome);
        replace_if_some(&mut to.lifecycle_session_id, from.lifecycle_session_id);
        replace_if_some(&mut to.token_telemetry_source, from.token_telemetry_source);
        replace_if_some(&mut to.fingerprint, from.fingerprint);
        replace_if_some(&mut to.timing_metrics, from.timing_metrics);
        if let Some(used) = from.token_usage {
            add_usage(to.token_usage.get_or_insert_default(), used);
        }
        to.extra.extend(from.extra);
        Ok(())
    }
}

fn replace_if_some<T>(to: &mut Option<T>, from: Option<T>) {
    if from.is_some() {
        *to = from;
    }
}

/// Appends the strings that `to` does not contain yet.
pub(super) fn add_new(to: &mut Vec<String>, from: Vec<String>) {
    for text in from {
        if !to.contains(&text) {
            to.push(text);
        }
    }
}

fn add_usage(to: &mut TokenUsage, used: TokenUsage) {
    let sum = |to: Option<u64>, more: Option<u64>| match (to, more) {
        (None, None) => None,
        (to, more) => Some(to.unwrap_or_default().saturating_add(more.unwrap_or_default())),
    };
    to.input_tokens = to.input_tokens.saturating_add(used.input_tokens);
    to.output_tokens = to.output_tokens.saturating_add(used.output_tokens);
    to.cache_read_tokens = sum(to.cache_read_tokens, used.cache_read_tokens);
    to.cache_write_tokens = sum(to.cache_write_tokens, used.cache_write_tokens);
    if let Some(cost) = used.total_cost {
        to.total_cost = Some(to.total_cost.unwrap_or_default() + cost);
    }
    to.extra.extend(used.extra);
}
