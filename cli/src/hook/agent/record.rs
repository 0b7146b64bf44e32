//! Records the edited files of a session, and the checks that ran with their results. Neither file
//! contents nor commands are recorded.

use super::edits::Proposal;
use super::payload::Payload;
use super::{CheckedEdits, usage};
use crate::memory::current_branch;
use aidd_engine::text::files::Disk;
use aidd_memory::MemoryError;
use aidd_memory::kinds::{self, Checkpoint, Observation};
use aidd_memory::outcomes::Check;
use aidd_memory::project::ProjectMemory;
use aidd_memory::records::{AiProvider, HOOK, STARTED_BY, SessionState};
use aidd_memory::store::{Layers, Order, Query};
use aidd_memory::times::millis;
use aidd_memory::types::{Entry, Kind};
use aidd_report::number;
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The status of a checkpoint saved by a hook.
const AUTOMATIC: &str = "automatic";
/// Separator before the agent's own text in a checkpoint.
const EARLIER: &str = "; earlier: ";
/// Maximum number of characters of the agent's own text.
const MAX_EARLIER_CHARS: usize = 400;
/// Age in milliseconds after which an unfinished session is ended: one day.
const STALE_AFTER_MS: i64 = 24 * 60 * 60 * 1000;
/// Maximum number of stale sessions that are ended at once.
const MAX_STALE: usize = 5;

/// The checked-out branch; without one, Git's default branch name.
pub(super) fn branch(root: &Path) -> String {
    current_branch(root).unwrap_or_else(|| "main".to_owned())
}

/// The open session of the client's conversation. If there is no open session, creates one. `None`
/// if the payload has no conversation id.
///
/// # Errors
/// Fails when the memory cannot be saved.
pub(super) fn begin_session(
    memory: &mut ProjectMemory,
    payload: &Payload,
    root: &Path,
) -> Result<Option<SessionState>> {
    let Some(conversation) = payload.session() else { return Ok(None) };
    let last = memory.conversation(conversation)?;
    if let Some(open) = last.as_ref().filter(|state| !state.is_ended()) {
        return Ok(Some(open.clone()));
    }
    end_stale(memory, conversation)?;
    let model = payload.model();
    let new = SessionState {
        branch: branch(root),
        memory_session_id: Some(conversation.to_owned()),
        parent_session_id: last.map(|state| state.id),
        ai_provider: AiProvider {
            provider: provider(model).to_owned(),
            model: model.to_owned(),
            model_id: model.to_owned(),
            client: payload.client().to_owned(),
            ..AiProvider::default()
        },
        extra: Map::from_iter([(STARTED_BY.to_owned(), json!(HOOK))]),
        ..SessionState::default()
    };
    // Hooks that run concurrently share one session.
    let session = memory.join_session(new)?;
    usage::note_model(memory, &session, root)?;
    Ok(Some(session))
}

/// The provider of a model, from its name.
fn provider(model: &str) -> &'static str {
    const PROVIDERS: [(&str, &str); 6] = [
        ("claude", "anthropic"),
        ("gpt", "openai"),
        ("codex", "openai"),
        ("gemini", "google"),
        ("swe", "cognition"),
        ("composer", "cursor"),
    ];
    let provider = PROVIDERS.iter().find(|(name, _)| model.to_lowercase().contains(name));
    provider.map_or("unknown", |(_, provider)| provider)
}

/// Ends old sessions that hooks started and no client ended. Not every client reports the end of a
/// conversation.
fn end_stale(memory: &mut ProjectMemory, conversation: &str) -> Result<()> {
    let open = memory.sessions(None, Some(false), usize::MAX)?;
    let now = now();
    let is_stale = |state: &&SessionState| {
        let started_at = millis(&state.started_at).unwrap_or(now);
        state.is_started_by_hook()
            && state.memory_session_id.as_deref() != Some(conversation)
            && now - started_at > STALE_AFTER_MS
    };
    let stale: Vec<SessionState> = open.iter().filter(is_stale).take(MAX_STALE).cloned().collect();
    for state in stale {
        finish(memory, &state)?;
    }
    Ok(())
}

fn now() -> i64 {
    aidd_memory::project::system_clock()()
}

/// The open session of the client's conversation.
fn open_session(memory: &mut ProjectMemory, payload: &Payload) -> Result<Option<SessionState>> {
    let Some(conversation) = payload.session() else { return Ok(None) };
    Ok(memory.conversation(conversation)?.filter(|state| !state.is_ended()))
}

/// Records the effect of a tool call if it edited files or ran a check.
///
/// # Errors
/// Fails when the memory cannot be saved.
pub(super) fn record_tool(
    memory: &mut ProjectMemory,
    payload: &Payload,
    (root, proposals): (&Path, &[Proposal]),
    edits: &CheckedEdits,
) -> Result<()> {
    let described = describe_tool(payload, (root, proposals), edits.findings.len());
    let Some((title, body)) = described else { return Ok(()) };
    let Some(session) = begin_session(memory, payload, root)? else { return Ok(()) };
    memory.observe(&session.id, Kind::ToolOutcome, &title, &body)?;
    usage::note_tool(memory, &session.id, payload, &edits.figures, root)
}

/// The effect of a tool call as title and body.
fn describe_tool(
    payload: &Payload,
    (root, proposals): (&Path, &[Proposal]),
    findings: usize,
) -> Option<(String, Observation)> {
    let passed = payload.outcome();
    let mut extra = Map::from_iter([("tool".to_owned(), json!(payload.tool()))]);
    extra.insert(STARTED_BY.to_owned(), json!(HOOK));
    let disk = Disk::new(root);
    let files: Vec<String> = proposals
        .iter()
        .filter_map(|proposal| disk.to_relative(&proposal.path))
        .filter(|path| !path.is_empty())
        .collect();
    if !files.is_empty() {
        if passed == Some(false) {
            return None;
        }
        let summary =
            if findings == 0 { "no findings".to_owned() } else { number(findings, "finding") };
        let body = Observation {
            files_modified: files.clone(),
            facts: vec![summary],
            extra,
            ..Observation::default()
        };
        return Some((format!("edited {}", files.join(", ")), body));
    }
    let passed = payload.checks_passed();
    let checks = Check::from_command(payload.command()?, passed);
    if checks.is_empty() {
        return None;
    }
    let words: Vec<String> = checks.iter().map(|check| check.word().to_owned()).collect();
    if let Some(passed) = passed {
        extra.insert("passed".to_owned(), json!(passed));
    }
    let outcome = passed.map_or("", |passed| if passed { ": passed" } else { ": failed" });
    let title = format!("ran {}{outcome}", words.join(", "));
    Some((title, Observation { concepts: words, extra, ..Observation::default() }))
}

/// The observations of a session, oldest first.
fn observations(memory: &mut ProjectMemory, session: &str) -> Result<Vec<Entry>, MemoryError> {
    let query = Query {
        session_id: Some(session.to_owned()),
        order: Order::Oldest,
        ..Query::new(Layers::SESSION)
    };
    memory.read(&mut |store| store.entries(&query))
}

/// Summary of the observations of a session.
#[derive(Default)]
struct Summary {
    /// Edited files, in the order of the first edit.
    files: Vec<String>,
    /// Checks with the result of their last run.
    runs: Vec<(String, Option<bool>)>,
    /// Total number of observations.
    count: usize,
    /// Time of the last observation.
    last: i64,
}

impl Summary {
    fn from_entries(entries: &[Entry]) -> Self {
        let mut summary = Self { count: entries.len(), ..Self::default() };
        for entry in entries {
            summary.last = summary.last.max(entry.created_at);
            let body: Observation = kinds::typed(&entry.metadata).unwrap_or_default();
            for file in body.files_modified {
                if !summary.files.contains(&file) {
                    summary.files.push(file);
                }
            }
            if entry.kind == Kind::ToolOutcome {
                let passed = body.extra.get("passed").and_then(Value::as_bool);
                for check in body.concepts {
                    summary.runs.retain(|(known_check, _)| *known_check != check);
                    summary.runs.push((check, passed));
                }
            }
        }
        summary
    }

    fn text(&self) -> String {
        let mut parts = Vec::new();
        if !self.files.is_empty() {
            parts.push(format!("edited {}", number(self.files.len(), "file")));
        }
        for (check, passed) in &self.runs {
            parts.push(match passed {
                Some(true) => format!("{check} passed"),
                Some(false) => format!("{check} failed"),
                None => format!("{check} ran"),
            });
        }
        parts.join(", ")
    }
}

/// Saves a checkpoint before the client compacts the conversation. If the agent has saved a
/// checkpoint since its last edit, that checkpoint is more precise and no other is saved.
///
/// # Errors
/// Fails when the memory cannot be saved.
pub(super) fn save_checkpoint(memory: &mut ProjectMemory, payload: &Payload) -> Result<()> {
    let Some(session) = open_session(memory, payload)? else { return Ok(()) };
    let summary = Summary::from_entries(&observations(memory, &session.id)?);
    // Agents can save a checkpoint without a session id. Such a checkpoint on the branch belongs to
    // the session if it was saved after the session started.
    let last = memory.last_checkpoint(Some(&session.branch))?;
    let started_at = millis(&session.started_at).unwrap_or_default();
    let belongs_to_session = |entry: &Entry| {
        entry.session_id.as_deref() == Some(&*session.id)
            || entry.session_id.is_none() && entry.created_at >= started_at
    };
    let is_up_to_date = last
        .as_ref()
        .is_some_and(|entry| belongs_to_session(entry) && entry.created_at >= summary.last);
    if is_up_to_date || summary.count == 0 && session.tasks_pending.is_empty() {
        return Ok(());
    }
    // Include the text of the previous checkpoint, because only the latest checkpoint is displayed.
    let earlier: Option<Checkpoint> =
        last.as_ref().and_then(|entry| kinds::typed(&entry.metadata).ok());
    let steps = earlier.as_ref().and_then(|earlier| earlier.next_steps.clone());
    let pending = &session.tasks_pending;
    let next_steps = if pending.is_empty() { steps } else { Some(json!(pending)) };
    let files = summary.files.iter().rev().take(10).cloned().collect();
    let trigger = match payload.trigger() {
        "" => String::new(),
        trigger => format!(" ({})", trigger.chars().take(20).collect::<String>()),
    };
    let earlier_text = last.and_then(|entry| {
        let is_automatic =
            earlier.is_some_and(|checkpoint| checkpoint.status.as_deref() == Some(AUTOMATIC));
        agent_text(&entry.title(MAX_EARLIER_CHARS), is_automatic)
    });
    let earlier_text = earlier_text.map(|text| format!("{EARLIER}{text}")).unwrap_or_default();
    let text = format!("before compaction{trigger}: {}{earlier_text}", summary.text());
    let body = Checkpoint {
        open_files: files,
        next_steps,
        status: Some(AUTOMATIC.to_owned()),
        ..Checkpoint::default()
    };
    memory.save_checkpoint(&text, &body, Some(&session.id), Some(&session.branch))?;
    Ok(())
}

/// The agent's own text in a checkpoint. A checkpoint that a hook saved contains it after a
/// separator.
fn agent_text(text: &str, is_automatic: bool) -> Option<String> {
    if !is_automatic {
        return Some(text.to_owned());
    }
    text.split_once(EARLIER).map(|(_, included)| included.to_owned())
}

/// Updates a session from its observations at the end of a turn, because a killed client sends no
/// further event.
///
/// # Errors
/// Fails when the memory cannot be saved.
pub(super) fn update_progress(memory: &mut ProjectMemory, payload: &Payload) -> Result<()> {
    let Some(session) = open_session(memory, payload)? else { return Ok(()) };
    let summary = Summary::from_entries(&observations(memory, &session.id)?);
    let is_known = summary.files.iter().all(|file| session.files_modified.contains(file));
    if !is_known {
        memory.update_session(&session.id, &Map::from_iter([files(&summary)]))?;
    }
    Ok(())
}

fn files(summary: &Summary) -> (String, Value) {
    ("filesModified".to_owned(), json!(summary.files))
}

/// Ends the session of a conversation with a summary; a session without observations is deleted.
///
/// # Errors
/// Fails when the memory cannot be saved.
pub(super) fn end_session(
    memory: &mut ProjectMemory,
    payload: &Payload,
    root: &Path,
) -> Result<()> {
    if let Some(session) = open_session(memory, payload)? {
        usage::note_tokens(memory, &session, payload, root)?;
        finish(memory, &session)?;
    }
    Ok(memory.fold_usage()?)
}

fn finish(memory: &mut ProjectMemory, session: &SessionState) -> Result<()> {
    let summary = Summary::from_entries(&observations(memory, &session.id)?);
    let is_empty = summary.count == 0
        && session.decisions.is_empty()
        && session.errors_resolved.is_empty()
        && session.files_modified.is_empty()
        && session.tasks_completed.is_empty()
        && session.tasks_pending.is_empty()
        && session.output.is_none();
    if is_empty && session.is_started_by_hook() {
        memory.discard_session(&session.id)?;
        return Ok(());
    }
    let mut patch = Map::from_iter([files(&summary)]);
    if session.output.is_none() && summary.count > 0 {
        patch.insert("output".to_owned(), json!(summary.text()));
    }
    memory.end_session(&session.id, &patch)?;
    Ok(())
}
