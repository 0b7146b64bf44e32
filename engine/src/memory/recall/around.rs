//! The second and the third layer: what was remembered around a memory, and whole entries.

use super::{Hit, Timeline};
use crate::memory::MemoryError;
use crate::memory::project::ProjectMemory;
use crate::memory::store::{Order, Query, StorageBackend};
use crate::memory::types::{Entry, Outcome, Relation, Status};
use serde_json::Value;
use std::collections::BTreeSet;

/// A title has at most so many characters.
const TITLE: usize = 80;

impl ProjectMemory {
    /// The memory `anchor` and up to `depth` memories made before it and after it, of any type.
    ///
    /// # Errors
    /// When there is no such memory, or the store does not answer.
    pub fn timeline(&mut self, anchor: &str, depth: usize) -> Result<Timeline, MemoryError> {
        self.read(&mut |store| {
            let unknown = || MemoryError::Unknown { what: "memory", id: anchor.to_owned() };
            let own = store.entry(anchor)?.ok_or_else(unknown)?;
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for entry in store.entries(&Query { order: Order::Oldest, ..Query::default() })? {
                match (entry.created_at, &entry.id).cmp(&(own.created_at, &own.id)) {
                    std::cmp::Ordering::Less => before.push(entry),
                    std::cmp::Ordering::Greater => after.push(entry),
                    std::cmp::Ordering::Equal => {}
                }
            }
            after.truncate(depth);
            before.drain(..before.len().saturating_sub(depth));
            Ok(Timeline {
                anchor: hit(store, &own, 0.0)?,
                before: hits(store, &before)?,
                after: hits(store, &after)?,
            })
        })
    }

    /// The memories with these ids in their order, each once; and the ids that nothing has.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn entries_by_id(
        &mut self,
        ids: &[String],
    ) -> Result<(Vec<Entry>, Vec<String>), MemoryError> {
        self.read(&mut |store| {
            let (mut entries, mut unknown) = (Vec::new(), Vec::new());
            let mut seen = BTreeSet::new();
            for id in ids {
                if seen.insert(id) {
                    match store.entry(id)? {
                        Some(entry) => entries.push(entry),
                        None => unknown.push(id.clone()),
                    }
                }
            }
            Ok((entries, unknown))
        })
    }
}

fn hits(store: &mut dyn StorageBackend, entries: &[Entry]) -> Result<Vec<Hit>, MemoryError> {
    entries.iter().map(|entry| hit(store, entry, 0.0)).collect()
}

/// `entry` in a few words.
pub(super) fn hit(
    store: &mut dyn StorageBackend,
    entry: &Entry,
    score: f64,
) -> Result<Hit, MemoryError> {
    Ok(Hit {
        id: entry.id.clone(),
        kind: entry.kind,
        title: entry.title(TITLE),
        topic: entry.topic.clone(),
        created_at: entry.created_at,
        updated_at: entry.updated_at,
        status: entry.status,
        outcome: outcome(entry),
        superseded_by: successor(store, entry)?,
        score,
        snippet: String::new(),
    })
}

/// What came of a decision.
pub(super) fn outcome(entry: &Entry) -> Option<Outcome> {
    let outcome = entry.metadata.get("outcome").and_then(Value::as_str)?;
    Outcome::read(outcome).ok()
}

/// The last of those that took the place of `entry`.
fn successor(store: &mut dyn StorageBackend, entry: &Entry) -> Result<Option<String>, MemoryError> {
    if entry.status != Status::Superseded {
        return Ok(None);
    }
    let links = store.links(&entry.id)?.into_iter();
    let mut later = Vec::new();
    for link in links.filter(|link| link.relation == Relation::Supersedes && link.to == entry.id) {
        let from = store.entry(&link.from)?.filter(|from| from.status != Status::Removed);
        later.extend(from.map(|from| (from.created_at, from.id)));
    }
    Ok(later.into_iter().max().map(|(_, id)| id))
}
