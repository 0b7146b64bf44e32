//! What the sessions of agents did: which tools they called, which pages they were served, which
//! findings they introduced and fixed, and how they ended. The server and the hooks note this as
//! events; names, counts and times only. [`ProjectMemory::session_records`] computes the figures of
//! each session from its events.
//!
//! Events are stored in batches. An hour after a session has ended, [`ProjectMemory::fold_usage`]
//! replaces its batches with one record.

pub mod event;
mod name;
mod replay;
pub mod summary;
#[cfg(test)]
mod tests;

pub use name::Name;

use super::MemoryError;
use super::health::reverted_commit_times;
use super::kinds::{self, Observation};
use super::project::ProjectMemory;
use super::records::SessionState;
use super::store::{Durability, Layers, Query, StorageBackend, Table};
use super::times::millis;
use aidd_evolution::SessionRecord;
use aidd_evolution::record::{Outcome, TaskType, Tokens};
use event::{Event, TimedEvent};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The beginning of the ids of batches and of records.
const BATCH: &str = "usage_";
const RECORD: &str = "record_";
/// Age in milliseconds from which an ended session gets no more events: one hour.
const FINAL_AFTER_MS: i64 = 3_600_000;
/// Age in milliseconds of the last event from which a session is over that nobody ended: one day.
const STALE_MS: i64 = 24 * FINAL_AFTER_MS;
/// Number of days for which records are retained.
pub const RETENTION_DAYS: i64 = 365;

/// What is stored about one session.
#[derive(Debug, Default)]
struct Stored {
    /// The folded record, and when the session started.
    record: Option<(SessionRecord, i64)>,
    events: Vec<TimedEvent>,
    /// Ids of the batches.
    batches: Vec<String>,
}

/// A record, and when its session started, in milliseconds since 1970.
#[derive(Debug)]
struct Dated {
    record: SessionRecord,
    start: i64,
    /// Whether the record can be folded: its session has ended, and has batches.
    is_foldable: bool,
    batches: Vec<String>,
}

impl ProjectMemory {
    /// Stores what happened in a session.
    ///
    /// # Errors
    /// When `session` is not an id, or the store cannot be written.
    pub fn note_events(&mut self, session: &str, events: &[TimedEvent]) -> Result<(), MemoryError> {
        let Some(at) = events.iter().map(|event| event.at).min() else { return Ok(()) };
        let session = Name::new(session)
            .ok_or_else(|| MemoryError::Unknown { item: "session", id: session.to_owned() })?;
        let id = self.new_id(&format!("{BATCH}{session}"), at, "");
        let events: Vec<(i64, &Event)> =
            events.iter().map(|timed| (timed.at - at, &timed.event)).collect();
        let document = json!({"id": id, "session": session, "at": at, "events": events});
        self.write(Durability::Normal, &mut |store, gate| {
            store.put_document(Table::Analytics, &id, at, &gate.clean(&document)?)
        })
    }

    /// An id for events that belong to no session.
    pub fn usage_id(&mut self) -> String {
        let at = self.now();
        self.new_id("server", at, "")
    }

    /// The figures of the sessions that have ended, the last one last. Commits that were reverted
    /// since are counted.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn session_records(&mut self) -> Result<Vec<SessionRecord>, MemoryError> {
        let mut records = self.all_session_records()?;
        records.retain(|record| record.ended_at > 0);
        Ok(records)
    }

    /// The figures of all sessions; those that have not ended come last.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn all_session_records(&mut self) -> Result<Vec<SessionRecord>, MemoryError> {
        let now = self.now();
        let mut records = self.read(&mut |store| dated_records(store, now))?;
        let oldest = records.iter().map(|dated| dated.start).min();
        let reverted = oldest.and_then(|oldest| reverted_commit_times(self.root(), oldest));
        for dated in &mut records {
            count_reverted(dated, reverted.as_deref().unwrap_or_default());
        }
        records.sort_by(|a, b| {
            let key = |dated: &Dated| (dated.record.ended_at == 0, dated.record.ended_at);
            (key(a), &a.record.id).cmp(&(key(b), &b.record.id))
        });
        Ok(records.into_iter().map(|dated| dated.record).collect())
    }

    /// Replaces the batches of the sessions that ended more than an hour ago with one record each,
    /// and deletes the records that are older than [`RETENTION_DAYS`].
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn fold_usage(&mut self) -> Result<(), MemoryError> {
        let now = self.now();
        let expired = now - RETENTION_DAYS * 24 * FINAL_AFTER_MS;
        let is_due =
            |dated: &Dated| dated.is_foldable || dated.record.ended_at.max(dated.start) < expired;
        let has_due = self.read(&mut |store| Ok(dated_records(store, now)?.iter().any(is_due)))?;
        if !has_due {
            return Ok(());
        }
        self.write(Durability::Normal, &mut |store, gate| {
            for dated in dated_records(store, now)?.iter().filter(|dated| is_due(dated)) {
                let id = format!("{RECORD}{}", dated.record.id);
                for batch in &dated.batches {
                    store.delete_document(Table::Analytics, batch)?;
                }
                if dated.record.ended_at.max(dated.start) < expired {
                    store.delete_document(Table::Analytics, &id)?;
                    continue;
                }
                let document = json!({"id": id, "start": dated.start, "record": dated.record});
                let document = gate.clean(&document)?;
                store.put_document(Table::Analytics, &id, dated.start, &document)?;
            }
            Ok(())
        })
    }

    /// Deletes all statistics of sessions; returns the number of sessions.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn forget_usage(&mut self) -> Result<usize, MemoryError> {
        self.write(Durability::Full, &mut |store, _| {
            let sessions = stored(store)?;
            for (id, stored) in &sessions {
                drop_stored(store, id, &stored.batches)?;
            }
            Ok(sessions.len())
        })
    }
}

/// Deletes the statistics of a session.
pub(super) fn drop_usage(store: &mut dyn StorageBackend, session: &str) -> Result<(), MemoryError> {
    let batches = store.rows(Table::Analytics, &format!("{BATCH}{session}_"))?;
    let ids: Vec<String> = batches.into_iter().map(|(id, ..)| id).collect();
    drop_stored(store, session, &ids)
}

fn drop_stored(
    store: &mut dyn StorageBackend,
    session: &str,
    batches: &[String],
) -> Result<(), MemoryError> {
    for batch in batches {
        store.delete_document(Table::Analytics, batch)?;
    }
    store.delete_document(Table::Analytics, &format!("{RECORD}{session}")).map(|_| ())
}

/// What is stored, by session. Events of newer versions are ignored.
fn stored(store: &mut dyn StorageBackend) -> Result<BTreeMap<String, Stored>, MemoryError> {
    let mut sessions: BTreeMap<String, Stored> = BTreeMap::new();
    for (id, start, mut document) in store.rows(Table::Analytics, RECORD)? {
        if let Ok(record) = serde_json::from_value(document["record"].take())
            && let Some(session) = id.strip_prefix(RECORD)
        {
            sessions.entry(session.to_owned()).or_default().record = Some((record, start));
        }
    }
    for (id, at, mut document) in store.rows(Table::Analytics, BATCH)? {
        let Some(session) = document["session"].as_str().map(str::to_owned) else { continue };
        let stored = sessions.entry(session).or_default();
        let Value::Array(events) = document["events"].take() else { continue };
        let events = events.into_iter().filter_map(|event| {
            let (offset, event) = serde_json::from_value::<(i64, Event)>(event).ok()?;
            Some(TimedEvent { at: at + offset, event })
        });
        stored.events.extend(events);
        stored.batches.push(id);
    }
    Ok(sessions)
}

/// The record of each session.
fn dated_records(store: &mut dyn StorageBackend, now: i64) -> Result<Vec<Dated>, MemoryError> {
    let mut records = Vec::new();
    for (id, stored) in stored(store)? {
        let Stored { record, events, batches } = stored;
        if events.is_empty()
            && let Some((record, start)) = record
        {
            records.push(Dated { record, start, is_foldable: false, batches });
            continue;
        }
        let state = store.document(Table::Sessions, &id)?;
        let state = state.and_then(|state| serde_json::from_value::<SessionState>(state).ok());
        let times = events.iter().map(|event| event.at);
        let (first, last) =
            (times.clone().min().unwrap_or_default(), times.max().unwrap_or_default());
        let mut new = replay::replay(&id, events);
        let start = state.as_ref().and_then(|state| millis(&state.started_at)).unwrap_or(first);
        let ended = match &state {
            Some(state) => state.ended_at.as_ref().and_then(millis),
            None => Some(last).filter(|last| now - last > FINAL_AFTER_MS),
        };
        let ended = ended.or(Some(last).filter(|last| now - last > STALE_MS));
        new.ended_at = ended.unwrap_or_default();
        if let Some(state) = &state {
            describe(&mut new, state, start);
            new.discovery_tokens = discovery_tokens(store, &id)?;
        }
        let (record, start) = match record {
            Some((mut folded, start)) => {
                replay::merge(&mut folded, new);
                (folded, start)
            }
            None => (new, start),
        };
        let is_foldable = ended.is_some_and(|ended| now - ended.max(last) > FINAL_AFTER_MS);
        records.push(Dated { record, start, is_foldable, batches });
    }
    Ok(records)
}

/// Adds what the record of the session says about its model and task.
fn describe(record: &mut SessionRecord, state: &SessionState, start: i64) {
    let name = |text: &str| Name::new(text).map(String::from);
    let provider = &state.ai_provider;
    if let Some(known) = name(&provider.provider).filter(|name| name != "unknown") {
        record.provider = known;
    }
    if let Some(model) = name(&provider.model_id).or_else(|| name(&provider.model)) {
        record.model = model;
    }
    let task = &state.task_classification;
    if record.task.is_unknown() {
        let part = |text: &str| name(text).unwrap_or_default();
        record.task = TaskType { domain: part(&task.domain), nature: part(&task.nature) };
    }
    if state.token_telemetry_source.as_deref() == Some("reported")
        && let Some(usage) = &state.token_usage
    {
        let cached = [usage.cache_read_tokens, usage.cache_write_tokens].into_iter().flatten();
        let input = cached.fold(usage.input_tokens, u64::saturating_add);
        record.tokens = Some(Tokens { input, output: usage.output_tokens });
        record.cost = usage.total_cost.filter(|cost| cost.is_finite() && *cost >= 0.0);
    }
    if record.ended_at > 0 {
        record.minutes = Some(replay::minutes(record.ended_at - start));
    }
    let feedback = state.outcome.as_ref().and_then(|outcome| outcome.user_feedback.as_deref());
    let feedback = match feedback.unwrap_or_default().trim() {
        "positive" | "good" | "+1" | "1" => Some(1),
        "negative" | "bad" | "-1" => Some(-1),
        _ => None,
    };
    if feedback.is_some() {
        record.outcome.get_or_insert_default().feedback = feedback;
    }
}

/// The tokens that the observations of a session say they cost.
fn discovery_tokens(
    store: &mut dyn StorageBackend,
    session: &str,
) -> Result<Option<u64>, MemoryError> {
    let query = Query { session_id: Some(session.to_owned()), ..Query::new(Layers::SESSION) };
    let entries = store.entries(&query)?;
    let tokens = entries.iter().filter_map(|entry| {
        kinds::typed::<Observation>(&entry.metadata).ok().and_then(|body| body.discovery_tokens)
    });
    Ok(tokens.fold(None, |sum: Option<u64>, tokens| Some(sum.unwrap_or_default() + tokens)))
}

/// Counts the commits that were made during a session and reverted later; the findings that the
/// session left are then findings whose change was reverted.
fn count_reverted(dated: &mut Dated, reverted: &[i64]) {
    let record = &mut dated.record;
    // Git stores whole seconds.
    let during = dated.start - 999..=record.ended_at;
    let count = reverted.iter().filter(|at| during.contains(at)).count();
    if count == 0 || record.edited_lines.is_none() {
        return;
    }
    let outcome: &mut Outcome = record.outcome.get_or_insert_default();
    outcome.commits_reverted = u32::try_from(count).unwrap_or(u32::MAX);
    for rule in record.rules.values_mut() {
        let left = rule.introduced.saturating_sub(rule.fixed);
        rule.reverted = (rule.reverted + left).min(rule.introduced);
    }
}
