//! Deletes old sessions and their observations, and, on request, the lines of removed memories from
//! the tracked files. Memories that were saved permanently are never pruned.

use super::MemoryError;
use super::journal;
use super::project::ProjectMemory;
use super::records::SessionState;
use super::store::{Durability, Layers, Query, StorageBackend, Table};
use super::times::millis;
use super::types::Status;
use serde_json::Value;
use std::collections::BTreeSet;

/// The conditions under which an ended session is deleted; either condition suffices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PruneConditions {
    /// Sessions that began more than this many days ago.
    pub days: u32,
    /// Sessions that are not among this many most recent sessions.
    pub sessions: usize,
}

impl Default for PruneConditions {
    fn default() -> Self {
        Self { days: 90, sessions: 100 }
    }
}

/// The sessions that were deleted, or that would be deleted in a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrunedSessions {
    /// Ids of the sessions.
    pub sessions: Vec<String>,
    /// Number of observations of these sessions.
    pub observations: usize,
}

impl ProjectMemory {
    /// Deletes the sessions that match `conditions`, with their observations; with `dry_run`, only
    /// returns them.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn prune(
        &mut self,
        conditions: PruneConditions,
        dry_run: bool,
    ) -> Result<PrunedSessions, MemoryError> {
        let cutoff = self.now() - i64::from(conditions.days) * 86_400_000;
        if dry_run {
            return self.read(&mut |store| {
                let sessions = prunable(store, conditions, cutoff)?;
                let mut observations = 0;
                for id in &sessions {
                    observations += observation_ids(store, id)?.len();
                }
                Ok(PrunedSessions { sessions, observations })
            });
        }
        self.write(Durability::Normal, &mut |store, _| {
            let sessions = prunable(store, conditions, cutoff)?;
            let mut observations = 0;
            for id in &sessions {
                observations += drop_session(store, id)?;
            }
            Ok(PrunedSessions { sessions, observations })
        })
    }
}

/// A memory whose lines were deleted from its tracked file, or would be deleted in a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrunedMemory {
    /// Id of the memory.
    pub id: String,
    /// The beginning of its content.
    pub title: String,
}

impl ProjectMemory {
    /// Deletes from the tracked files the lines of memories that were removed more than `days` days
    /// ago; with `dry_run`, only returns these memories. The store retains the lines, so that
    /// [`Self::export`] can restore them.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn prune_tracked(
        &mut self,
        days: u32,
        dry_run: bool,
    ) -> Result<Vec<PrunedMemory>, MemoryError> {
        let cutoff = self.now() - i64::from(days) * 86_400_000;
        if dry_run {
            return self.read(&mut |store| removed_memories(store, cutoff));
        }
        self.refuse_unwritable()?;
        let lock = self.journal.lock()?;
        // Checked under the lock: another clone's edit can restore a memory.
        let old = self.read_locked(&mut |store| removed_memories(store, cutoff))?;
        if old.is_empty() {
            return Ok(old);
        }
        let ids: BTreeSet<&str> = old.iter().map(|memory| &*memory.id).collect();
        for (_, path) in &self.journal.sources()[..3] {
            let Some((bytes, _)) = self.journal.read(path)? else { continue };
            let text = String::from_utf8(bytes).map_err(|_| {
                MemoryError::Invalid(format!("{path} is not UTF-8; convert it to UTF-8 first"))
            })?;
            let remaining: String =
                text.split_inclusive('\n').filter(|line| !is_line_of(line, &ids)).collect();
            if remaining.len() < text.len() {
                self.journal.write(path, &remaining)?;
            }
        }
        drop(lock);
        self.read(&mut |_| Ok(()))?;
        Ok(old)
    }
}

/// The memories that were removed before `cutoff` and whose lines are all in files of the current
/// format, to which aidd still writes. A memory with lines in an older file would become active
/// again if the line that removes it were deleted.
fn removed_memories(
    store: &mut dyn StorageBackend,
    cutoff: i64,
) -> Result<Vec<PrunedMemory>, MemoryError> {
    let query = Query { statuses: vec![Status::Removed], ..Query::new(Layers::PERMANENT) };
    let mut old = Vec::new();
    for entry in store.entries(&query)?.into_iter().filter(|entry| entry.updated_at < cutoff) {
        let lines = store.lines_of(&entry.id)?;
        if lines.iter().all(|line| !line.present || journal::is_written(&line.file)) {
            old.push(PrunedMemory { title: entry.title(80), id: entry.id });
        }
    }
    Ok(old)
}

fn is_line_of(line: &str, memories: &BTreeSet<&str>) -> bool {
    let line: Option<Value> = serde_json::from_str(line.trim_start_matches('\u{FEFF}')).ok();
    let id = line.as_ref().and_then(|line| line["id"].as_str());
    id.is_some_and(|id| memories.contains(id))
}

fn prunable(
    store: &mut dyn StorageBackend,
    conditions: PruneConditions,
    cutoff: i64,
) -> Result<Vec<String>, MemoryError> {
    let mut ids = Vec::new();
    // The last started session comes first, so the index is the number of newer sessions.
    for (newer_sessions, document) in store.documents(Table::Sessions)?.into_iter().enumerate() {
        let Ok(state) = serde_json::from_value::<SessionState>(document) else { continue };
        let is_old = millis(&state.started_at).is_some_and(|began| began < cutoff);
        if state.is_ended() && (is_old || newer_sessions >= conditions.sessions) {
            ids.push(state.id);
        }
    }
    Ok(ids)
}

/// The ids of a session's observations.
fn observation_ids(
    store: &mut dyn StorageBackend,
    session: &str,
) -> Result<Vec<String>, MemoryError> {
    let query = Query {
        statuses: Status::ALL.to_vec(),
        session_id: Some(session.to_owned()),
        ..Query::new(Layers::SESSION)
    };
    Ok(store.entries(&query)?.into_iter().map(|entry| entry.id).collect())
}

/// Deletes a session and its observations; returns the number of observations.
pub(super) fn drop_session(
    store: &mut dyn StorageBackend,
    session: &str,
) -> Result<usize, MemoryError> {
    let ids = observation_ids(store, session)?;
    for id in &ids {
        store.delete_entry(id)?;
    }
    store.delete_document(Table::Sessions, session)?;
    Ok(ids.len())
}
