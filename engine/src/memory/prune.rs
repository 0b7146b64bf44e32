//! What may go: old sessions and what they observed. Nothing in a tracked file, and nothing that
//! was saved to stay, is ever pruned.

use super::MemoryError;
use super::legacy::millis;
use super::project::ProjectMemory;
use super::records::SessionState;
use super::store::{Durability, Query, StorageBackend, Table};
use super::types::{Layer, Status};

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
        layers: vec![Layer::Session],
        statuses: Status::ALL.to_vec(),
        session_id: Some(session.to_owned()),
        ..Query::default()
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
