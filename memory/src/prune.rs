//! What may go: old sessions and what they observed. Nothing that was saved to stay is ever pruned;
//! in tracked files, on request, the lines of what was taken back.

use super::MemoryError;
use super::journal;
use super::project::ProjectMemory;
use super::records::SessionState;
use super::store::{Durability, Layers, Query, StorageBackend, Table};
use super::times::millis;
use super::types::Status;
use serde_json::Value;
use std::collections::BTreeSet;

/// When an ended session may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// It began more than so many days ago.
    pub days: u32,
    /// Or at least so many sessions are younger.
    pub sessions: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self { days: 90, sessions: 100 }
    }
}

/// What went, or would go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The sessions.
    pub sessions: Vec<String>,
    /// How many observations.
    pub observations: usize,
}

impl ProjectMemory {
    /// Deletes the sessions that `rules` let go, with what they observed; with `only_look`, says
    /// which those are.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn prune(&mut self, rules: Rules, only_look: bool) -> Result<Pruned, MemoryError> {
        let oldest = self.now() - i64::from(rules.days) * 86_400_000;
        if only_look {
            return self.read(&mut |store| {
                let sessions = prunable(store, rules, oldest)?;
                let mut observations = 0;
                for id in &sessions {
                    observations += observed(store, id)?.len();
                }
                Ok(Pruned { sessions, observations })
            });
        }
        self.write(Durability::Normal, &mut |store, _| {
            let sessions = prunable(store, rules, oldest)?;
            let mut observations = 0;
            for id in &sessions {
                observations += drop_session(store, id)?;
            }
            Ok(Pruned { sessions, observations })
        })
    }
}

/// A memory whose lines go from its tracked file, or would go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The memory.
    pub id: String,
    /// How it began.
    pub title: String,
}

impl ProjectMemory {
    /// Deletes the lines of memories that were taken back more than `days` days ago from the tracked
    /// files; with `only_look`, says which memories those are. The store keeps the lines aside, so
    /// that [`Self::export`] can bring them back.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn prune_tracked(
        &mut self,
        days: u32,
        only_look: bool,
    ) -> Result<Vec<Dropped>, MemoryError> {
        let oldest = self.now() - i64::from(days) * 86_400_000;
        if only_look {
            return self.read(&mut |store| droppable(store, oldest));
        }
        self.refuse_unwritable()?;
        let lock = self.journal.lock()?;
        // What holds is told under the lock: a team mate's edit may bring a memory back.
        let old = self.read_locked(&mut |store| droppable(store, oldest))?;
        if old.is_empty() {
            return Ok(old);
        }
        let ids: BTreeSet<&str> = old.iter().map(|memory| &*memory.id).collect();
        for (_, path) in &self.journal.sources()[..3] {
            let Some((bytes, _)) = self.journal.read(path)? else { continue };
            let text = String::from_utf8(bytes)
                .map_err(|_| MemoryError::Invalid(format!("{path} is not UTF-8: mend it first")))?;
            let kept: String =
                text.split_inclusive('\n').filter(|line| !speaks_of(line, &ids)).collect();
            if kept.len() < text.len() {
                self.journal.write(path, &kept)?;
            }
        }
        drop(lock);
        self.read(&mut |_| Ok(()))?;
        Ok(old)
    }
}

/// The memories that were taken back before `oldest`, and of which the files that are written hold
/// every line: without its removal there, a memory of an older file would hold again.
fn droppable(store: &mut dyn StorageBackend, oldest: i64) -> Result<Vec<Dropped>, MemoryError> {
    let query = Query { statuses: vec![Status::Removed], ..Query::new(Layers::PERMANENT) };
    let mut old = Vec::new();
    for entry in store.entries(&query)?.into_iter().filter(|entry| entry.updated_at < oldest) {
        let lines = store.lines_of(&entry.id)?;
        if lines.iter().all(|line| !line.present || journal::is_written(&line.file)) {
            old.push(Dropped { title: entry.title(80), id: entry.id });
        }
    }
    Ok(old)
}

fn speaks_of(line: &str, memories: &BTreeSet<&str>) -> bool {
    let line: Option<Value> = serde_json::from_str(line.trim_start_matches('\u{FEFF}')).ok();
    let id = line.as_ref().and_then(|line| line["id"].as_str());
    id.is_some_and(|id| memories.contains(id))
}

fn prunable(
    store: &mut dyn StorageBackend,
    rules: Rules,
    oldest: i64,
) -> Result<Vec<String>, MemoryError> {
    let mut ids = Vec::new();
    for (younger, document) in store.documents(Table::Sessions)?.into_iter().enumerate() {
        let Ok(state) = serde_json::from_value::<SessionState>(document) else { continue };
        let old = millis(&state.started_at).is_some_and(|began| began < oldest);
        if state.is_ended() && (old || younger >= rules.sessions) {
            ids.push(state.id);
        }
    }
    Ok(ids)
}

/// The ids of what a session observed.
fn observed(store: &mut dyn StorageBackend, session: &str) -> Result<Vec<String>, MemoryError> {
    let query = Query {
        statuses: Status::ALL.to_vec(),
        session_id: Some(session.to_owned()),
        ..Query::new(Layers::SESSION)
    };
    Ok(store.entries(&query)?.into_iter().map(|entry| entry.id).collect())
}

/// Deletes a session and what it observed; how many observations.
pub(super) fn drop_session(
    store: &mut dyn StorageBackend,
    session: &str,
) -> Result<usize, MemoryError> {
    let ids = observed(store, session)?;
    for id in &ids {
        store.delete_entry(id)?;
    }
    store.delete_document(Table::Sessions, session)?;
    Ok(ids.len())
}
