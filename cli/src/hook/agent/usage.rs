//! Notes edits and runs for the statistics of a session: names, counts and times, never text.

use super::payload::Payload;
use super::{read_config, transcript};
use aidd_memory::outcomes::Check;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::records::SessionState;
use aidd_memory::times::millis;
use aidd_memory::usage::Name;
use aidd_memory::usage::event::{Edit, Event, RunCheck, TimedEvent};
use anyhow::Result;
use serde_json::{Map, json};
use std::path::Path;

/// Notes the edits or the run of a tool call.
///
/// # Errors
/// Fails when the memory cannot be saved.
pub(super) fn note_tool(
    memory: &mut ProjectMemory,
    session: &str,
    payload: &Payload,
    edits: &[Edit],
    root: &Path,
) -> Result<()> {
    let mut events: Vec<Event> = edits.iter().cloned().map(Event::Edit).collect();
    if events.is_empty()
        && let Some((command, passed)) = payload.command().zip(payload.checks_passed())
    {
        let checks: Vec<RunCheck> =
            Check::from_command(command, Some(passed)).into_iter().map(RunCheck::from).collect();
        events.extend((!checks.is_empty()).then_some(Event::Run(passed, checks)));
    }
    note(memory, session, events, root)
}

/// Notes the provider and the model of a session that began: the session is deleted if it remains
/// empty.
///
/// # Errors
/// Fails when the memory cannot be saved.
pub(super) fn note_model(
    memory: &mut ProjectMemory,
    session: &SessionState,
    root: &Path,
) -> Result<()> {
    let provider = &session.ai_provider;
    let names = Name::new(&provider.provider).zip(Name::new(&provider.model));
    let event = names.map(|(provider, model)| Event::Model(provider, model));
    note(memory, &session.id, event.into_iter().collect(), root)
}

/// Adds the tokens in the client's transcript to a session, unless the session has token counts.
///
/// # Errors
/// Fails when the memory cannot be saved.
pub(super) fn note_tokens(
    memory: &mut ProjectMemory,
    session: &SessionState,
    payload: &Payload,
    root: &Path,
) -> Result<()> {
    if session.token_usage.is_some() || !read_config(root)?.records_usage() {
        return Ok(());
    }
    let start = millis(&session.started_at).unwrap_or_default();
    let Some(path) = payload.transcript() else { return Ok(()) };
    if let Some(usage) = transcript::usage_since(path, start) {
        let patch = Map::from_iter([
            ("tokenUsage".to_owned(), json!(usage)),
            ("tokenTelemetrySource".to_owned(), json!("reported")),
        ]);
        memory.update_session(&session.id, &patch)?;
    }
    Ok(())
}

fn note(memory: &mut ProjectMemory, session: &str, events: Vec<Event>, root: &Path) -> Result<()> {
    if events.is_empty() || !read_config(root)?.records_usage() {
        return Ok(());
    }
    let at = system_clock()();
    let events: Vec<TimedEvent> =
        events.into_iter().map(|event| TimedEvent { at, event }).collect();
    Ok(memory.note_events(session, &events)?)
}
