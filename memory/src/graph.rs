//! Walks along links: breadth first, up to a maximum depth, visiting each memory once.

use super::MemoryError;
use super::project::ProjectMemory;
use super::store::StorageBackend;
use super::types::{Entry, Link, Relation};
use aidd_engine::parse::lines::active_set::find_cycles;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Maximum depth of any walk.
pub const MAX_DEPTH: usize = 5;
/// Depth of a walk from a topic.
pub const TOPIC_DEPTH: usize = 3;
/// Depth of a walk from the results of a search by meaning.
pub const SEARCH_DEPTH: usize = 5;
/// Depth of a walk for the context of one memory.
pub const MEMORY_DEPTH: usize = 2;
/// Maximum number of memories of a walk; the result states when the limit is reached. The limit is
/// ten times what an agent can use; at 30 microseconds per memory, a walk takes less than 100
/// milliseconds.
pub const MAX_MEMORIES: usize = 1000;

/// A memory that a walk reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The memory itself.
    pub entry: Entry,
    /// Number of links from the start.
    pub depth: usize,
    /// The link by which the memory was reached; `None` for the start.
    pub by: Option<Link>,
}

/// Result of a walk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// The memories, nearest first.
    pub steps: Vec<Step>,
    /// Whether the walk stopped before all memories up to the depth were visited.
    pub is_truncated: bool,
}

/// Walks from `start` along links with these relations (all, when empty), in both directions.
///
/// # Errors
/// When the store cannot be read.
pub fn walk(
    store: &mut dyn StorageBackend,
    start: &str,
    relations: &[Relation],
    depth: usize,
) -> Result<Walk, MemoryError> {
    let depth = depth.min(MAX_DEPTH);
    let mut walk = Walk::default();
    let mut seen = BTreeSet::from([start.to_owned()]);
    let mut queue = VecDeque::from([(start.to_owned(), 0, None)]);
    while let Some((id, distance, by)) = queue.pop_front() {
        let Some(entry) = store.entry(&id)? else { continue };
        if walk.steps.len() == MAX_MEMORIES {
            walk.is_truncated = true;
            break;
        }
        walk.steps.push(Step { entry, depth: distance, by });
        if distance == depth {
            continue;
        }
        for link in store.links(&id)?.into_iter().filter(|link| !link.is_promotion()) {
            let next = if link.from == id { &link.to } else { &link.from };
            if (relations.is_empty() || relations.contains(&link.relation))
                && seen.insert(next.clone())
            {
                queue.push_back((next.clone(), distance + 1, Some(link)));
            }
        }
    }
    Ok(walk)
}

/// Whether `from` supersedes `to`, directly or indirectly. The search starts at `to`, because few
/// memories supersede a memory, but a memory can supersede the whole history of a topic.
pub(super) fn supersedes(
    store: &mut dyn StorageBackend,
    from: &str,
    to: &str,
) -> Result<bool, MemoryError> {
    let mut seen = BTreeSet::from([to.to_owned()]);
    let mut pending = vec![to.to_owned()];
    while let Some(id) = pending.pop() {
        for by in store.superseding(&id)? {
            if by == from {
                return Ok(true);
            }
            if seen.insert(by.clone()) {
                pending.push(by);
            }
        }
    }
    Ok(false)
}

/// A set of memories, and all memories that supersede them, directly or indirectly.
#[derive(Debug, Default)]
pub(super) struct Superseders {
    /// Each superseded memory, with the memories that supersede it directly.
    direct: BTreeMap<String, Vec<String>>,
}

impl Superseders {
    /// Collects `ids` and the memories that supersede them, reading the links of each memory once.
    pub(super) fn from_ids(
        store: &mut dyn StorageBackend,
        ids: &BTreeSet<String>,
    ) -> Result<Self, MemoryError> {
        let mut superseders = Self::default();
        for id in ids {
            let mut pending = vec![id.clone()];
            while let Some(id) = pending.pop() {
                if superseders.direct.contains_key(&id) {
                    continue;
                }
                let by = store.superseding(&id)?;
                if !by.is_empty() {
                    pending.extend(by.iter().cloned());
                    superseders.direct.insert(id, by);
                }
            }
        }
        Ok(superseders)
    }

    /// The cycles among the memories: see [`find_cycles`]. All members of a cycle supersede each
    /// other, directly or indirectly.
    pub(super) fn cycles(&self) -> BTreeMap<&str, &str> {
        let links = self.direct.iter().flat_map(|(to, by)| by.iter().map(|from| (&**from, &**to)));
        find_cycles(links)
    }

    /// The memories that supersede a memory directly.
    pub(super) fn superseding(&self, id: &str) -> &[String] {
        self.direct.get(id).map_or(&[], Vec::as_slice)
    }
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
            return Err(MemoryError::Unknown { item: "memory", id: start.to_owned() });
        }
        Ok(walk)
    }

    /// The memory `id` and the memories that are connected to it by `supersedes` links, directly or
    /// indirectly, oldest first.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn chain(&mut self, id: &str) -> Result<Vec<Entry>, MemoryError> {
        let found = self.read(&mut |store| {
            let mut found: BTreeMap<String, Entry> = BTreeMap::new();
            let mut pending = vec![id.to_owned()];
            while let Some(id) = pending.pop() {
                if found.contains_key(&id) || found.len() == MAX_MEMORIES {
                    continue;
                }
                let Some(entry) = store.entry(&id)? else { continue };
                let links = store.links(&id)?.into_iter();
                let is_superseding =
                    |link: &Link| link.relation == Relation::Supersedes && !link.is_promotion();
                for link in links.filter(is_superseding) {
                    pending.push(if link.from == id { link.to } else { link.from });
                }
                found.insert(id, entry);
            }
            Ok(found)
        })?;
        if found.is_empty() {
            return Err(MemoryError::Unknown { item: "memory", id: id.to_owned() });
        }
        let mut chain: Vec<Entry> = found.into_values().collect();
        chain.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(chain)
    }
}
