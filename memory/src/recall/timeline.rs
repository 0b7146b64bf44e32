//! The second and third steps of recall: the memories around a memory, and complete entries.

use super::{Hit, Timeline, snippet};
use crate::MemoryError;
use crate::brief::follows_failed;
use crate::project::ProjectMemory;
use crate::store::{Layers, Order, Query, StorageBackend};
use crate::types::{Entry, Layer, Relation, Status};
use aidd_engine::parse::lines::duplicates::duplicate_key;
use aidd_engine::workspace::memory_checks;
use std::collections::BTreeSet;

/// Maximum length of a title, in characters.
const MAX_TITLE_CHARS: usize = 80;

impl ProjectMemory {
    /// The memory `anchor` and up to `depth` memories created before and after it, of any type.
    ///
    /// # Errors
    /// When there is no such memory, or the store cannot be read.
    pub fn timeline(&mut self, anchor: &str, depth: usize) -> Result<Timeline, MemoryError> {
        self.read(&mut |store| {
            let unknown = || MemoryError::Unknown { item: "memory", id: anchor.to_owned() };
            let anchor = store.entry(anchor)?.ok_or_else(unknown)?;
            let at = anchor.created_at;
            let created = |since, until, order| Query {
                since,
                until,
                order,
                limit: Some(depth),
                ..Query::new(Layers::ALL)
            };
            let mut before = store.entries(&created(None, Some(at), Order::LastCreated))?;
            before.reverse();
            let mut after = store.entries(&created(at.checked_add(1), None, Order::Oldest))?;
            // Memories created in the same millisecond are ordered by id.
            let same = Query { limit: None, ..created(Some(at), at.checked_add(1), Order::Oldest) };
            let (earlier, later): (Vec<Entry>, Vec<Entry>) = store
                .entries(&same)?
                .into_iter()
                .filter(|entry| entry.id != anchor.id)
                .partition(|entry| entry.id < anchor.id);
            before.extend(earlier);
            after.splice(..0, later);
            before.drain(..before.len().saturating_sub(depth));
            after.truncate(depth);
            Ok(Timeline {
                anchor: related_hit(store, &anchor)?,
                before: related_hits(store, &before)?,
                after: related_hits(store, &after)?,
            })
        })
    }

    /// Returns the memories in the order of `ids`, without duplicates, and the unknown ids.
    ///
    /// # Errors
    /// When the store cannot be read.
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

fn related_hits(
    store: &mut dyn StorageBackend,
    entries: &[Entry],
) -> Result<Vec<Hit>, MemoryError> {
    entries.iter().map(|entry| related_hit(store, entry)).collect()
}

/// The compact form of a memory that was not selected by a question; its score is 0.
fn related_hit(store: &mut dyn StorageBackend, entry: &Entry) -> Result<Hit, MemoryError> {
    let mut hit = hit(store, entry, 0.0)?;
    hit.snippet = snippet::snippet_for(entry, &hit.title, &[]);
    Ok(hit)
}

/// The compact form of `entry`.
pub(super) fn hit(
    store: &mut dyn StorageBackend,
    entry: &Entry,
    score: f32,
) -> Result<Hit, MemoryError> {
    Ok(Hit {
        id: entry.id.clone(),
        kind: entry.kind,
        layer: entry.layer,
        branch: entry.branch.clone().filter(|_| entry.layer == Layer::Session),
        session_id: entry.session_id.clone(),
        title: entry.title(MAX_TITLE_CHARS),
        topic: entry.topic.clone(),
        created_at: entry.created_at,
        updated_at: entry.updated_at,
        status: entry.status,
        outcome: entry.outcome(),
        outcome_reason: entry.outcome_reason(),
        follows_failed: follows_failed(store, entry)?,
        superseded_by: successor(store, entry)?,
        enforced: Some(entry)
            .filter(|entry| entry.status == Status::Active && entry.layer == Layer::Permanent)
            .and_then(memory_checks::rule_of),
        // Three digits are enough to distinguish hits; more would only cost tokens.
        score: (f64::from(score) * 1000.0).round() / 1000.0,
        confidence: None,
        snippet: String::new(),
    })
}

/// The last of the memories that superseded `entry`.
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
    if let Some((_, id)) = later.into_iter().max() {
        return Ok(Some(id));
    }
    // The entry was hidden as a duplicate of an active memory.
    let keys = duplicate_key(entry).into_iter().collect();
    let same = store.with_duplicate_keys(&keys)?.into_iter();
    let first = same.filter(|same| same.status == Status::Active);
    Ok(first.min_by_key(|same| (same.created_at, same.id.clone())).map(|same| same.id))
}
