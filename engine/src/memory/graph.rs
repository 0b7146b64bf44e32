//! Walking along links: breadth first, never deeper than is useful, never twice to one memory.

use super::MemoryError;
use super::project::ProjectMemory;
use super::store::StorageBackend;
use super::types::{Entry, Link, Relation};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// No walk goes deeper, whatever is asked for.
pub const DEEPEST: usize = 5;
/// How deep a walk from a topic goes.
pub const BY_TOPIC: usize = 3;
/// How deep a walk from what was found by meaning goes.
pub const BY_CONTEXT: usize = 5;
/// How deep a walk for the context of one memory goes.
pub const CONTEXT: usize = 2;
/// A walk ends at so many memories, and says so. Ten times what an agent can use; at 30
/// microseconds each it takes less than 100 milliseconds.
pub const WIDEST: usize = 1000;

/// A memory on a walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The memory.
    pub entry: Entry,
    /// How many links from the start.
    pub depth: usize,
    /// The link that led here; `None` for the start.
    pub by: Option<Link>,
}

/// What a walk met.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// The memories, the nearest first.
    pub steps: Vec<Step>,
    /// Whether there are more at this depth.
    pub is_cut: bool,
}

/// Walks from `start` along links of `relations` (any, when empty), in both directions.
///
/// # Errors
/// When the store does not answer.
pub fn walk(
    store: &mut dyn StorageBackend,
    start: &str,
    relations: &[Relation],
    depth: usize,
) -> Result<Walk, MemoryError> {
    let depth = depth.min(DEEPEST);
    let mut walk = Walk::default();
    let mut seen = BTreeSet::from([start.to_owned()]);
    let mut left = VecDeque::from([(start.to_owned(), 0, None)]);
    while let Some((id, at, by)) = left.pop_front() {
        let Some(entry) = store.entry(&id)? else { continue };
        if walk.steps.len() == WIDEST {
            walk.is_cut = true;
            break;
        }
        walk.steps.push(Step { entry, depth: at, by });
        if at == depth {
            continue;
        }
        for link in store.links(&id)? {
            let next = if link.from == id { &link.to } else { &link.from };
            if (relations.is_empty() || relations.contains(&link.relation))
                && seen.insert(next.clone())
            {
                left.push_back((next.clone(), at + 1, Some(link)));
            }
        }
    }
    Ok(walk)
}

/// Whether `from` supersedes `to`, directly or by others.
pub(super) fn supersedes(
    store: &mut dyn StorageBackend,
    from: &str,
    to: &str,
) -> Result<bool, MemoryError> {
    let mut seen = BTreeSet::from([from.to_owned()]);
    let mut left = vec![from.to_owned()];
    while let Some(id) = left.pop() {
        for link in store.links(&id)? {
            if link.from != id || link.relation != Relation::Supersedes {
                continue;
            }
            if link.to == to {
                return Ok(true);
            }
            if seen.insert(link.to.clone()) {
                left.push(link.to);
            }
        }
    }
    Ok(false)
}

impl ProjectMemory {
    /// Walks from a memory.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn walk(
        &mut self,
        start: &str,
        relations: &[Relation],
        depth: usize,
    ) -> Result<Walk, MemoryError> {
        let walk = self.read(&mut |store| walk(store, start, relations, depth))?;
        if walk.steps.is_empty() {
            return Err(MemoryError::Unknown { what: "memory", id: start.to_owned() });
        }
        Ok(walk)
    }

    /// The memories that supersede each other around `id`: the oldest first.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn chain(&mut self, id: &str) -> Result<Vec<Entry>, MemoryError> {
        let found = self.read(&mut |store| {
            let mut found: BTreeMap<String, Entry> = BTreeMap::new();
            let mut left = vec![id.to_owned()];
            while let Some(id) = left.pop() {
                if found.contains_key(&id) || found.len() == WIDEST {
                    continue;
                }
                let Some(entry) = store.entry(&id)? else { continue };
                let links = store.links(&id)?.into_iter();
                for link in links.filter(|link| link.relation == Relation::Supersedes) {
                    left.push(if link.from == id { link.to } else { link.from });
                }
                found.insert(id, entry);
            }
            Ok(found)
        })?;
        if found.is_empty() {
            return Err(MemoryError::Unknown { what: "memory", id: id.to_owned() });
        }
        let mut chain: Vec<Entry> = found.into_values().collect();
        chain.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(chain)
    }
}
