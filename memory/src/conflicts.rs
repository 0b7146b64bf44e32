//! Conflicts in permanent memory.

use super::MemoryError;
use super::log::Revision;
use super::permanent::Edit;
use super::project::ProjectMemory;
use super::store::{ConflictCandidates, Layers, Query, StorageBackend};
use super::types::{Entry, Kind, Layer, Link, Relation, Status};
use super::words::topic_key;
use aidd_engine::parse::lines::active_set::{
    find_cycles, forks, is_disconnected, normalized_topic,
};
use std::collections::{BTreeMap, BTreeSet};

/// A conflict between permanent memories, or between edits of a permanent memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conflict {
    /// Two concurrent edits of one memory.
    TwoHeads {
        /// Id of the memory.
        id: String,
        /// Ids of the revisions, the displayed one first.
        heads: Vec<String>,
    },
    /// More than one active decision on a topic.
    OneTopic {
        /// The topic's comparison key.
        topic: String,
        /// Ids of the decisions.
        ids: Vec<String>,
    },
    /// A memory contradicts another, and both are active.
    Contradiction {
        /// Id of the memory with the link.
        from: String,
        /// Id of the contradicted memory.
        to: String,
    },
    /// Memories that supersede each other in a cycle.
    Cycle {
        /// Id of the memory with the link.
        from: String,
        /// Id of the superseded memory, which is still active.
        to: String,
    },
    /// Active memories that supersede the same memory, directly or indirectly: branches replaced it
    /// independently.
    Forked {
        /// Ids of the active memories.
        ids: Vec<String>,
    },
}

impl ProjectMemory {
    /// The active decisions on a topic.
    pub(super) fn on_topic(&mut self, topic: Option<&str>) -> Result<Vec<Entry>, MemoryError> {
        match active_decisions_query(topic) {
            Some(query) => self.store().entries(&query),
            None => Ok(Vec::new()),
        }
    }

    /// Refuses a decision with an earlier date that is to supersede a newer decision.
    pub(super) fn refuse_newer(
        &mut self,
        revision: &Revision,
        date: Option<i64>,
    ) -> Result<(), MemoryError> {
        let superseding =
            revision.links.iter().filter(|link| link.relation == Relation::Supersedes);
        for link in superseding.filter(|_| date.is_some()) {
            let target = self.store().entry(&link.to)?;
            if target.is_some_and(|target| target.created_at > revision.at) {
                return Err(MemoryError::Invalid(format!(
                    "`{}` is newer than this decision and cannot be superseded by it; omit the \
                     link or the date",
                    link.to
                )));
            }
        }
        Ok(())
    }

    /// Drafts the link from the next of the `newer` decisions to an older decision with the same
    /// topic; also returns its id. A decision with conflicting edits is not changed: both decisions
    /// are then listed as a conflict.
    pub(super) fn draft_superseding(
        &mut self,
        newer: &[Entry],
        older: &str,
    ) -> Result<(Option<Revision>, Option<String>), MemoryError> {
        let next = newer.iter().filter(|entry| !entry.is_contested());
        let Some(next) = next.min_by_key(|entry| (entry.created_at, &entry.id)) else {
            return Ok((None, None));
        };
        let at = self.now();
        let mut revision = self.draft_edit(next, Edit::default(), at)?;
        revision.links.push(Link::new(Relation::Supersedes, older));
        Ok((Some(revision), Some(next.id.clone())))
    }

    /// All conflicts in permanent memory.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn conflicts(&mut self) -> Result<Vec<Conflict>, MemoryError> {
        let (candidates, forked) = self.read(&mut |store| {
            let candidates = store.conflict_candidates()?;
            let forked = find_forks(store, &candidates.superseding)?;
            Ok((candidates, forked))
        })?;
        let ConflictCandidates { contested, topics, links, .. } = candidates;
        let two_heads = contested.into_iter().map(|(id, heads)| Conflict::TwoHeads { id, heads });
        let mut conflicts: Vec<Conflict> = two_heads.collect();
        let on_topics = topics.into_iter().map(|(topic, ids)| Conflict::OneTopic { topic, ids });
        conflicts.extend(on_topics);
        conflicts.extend(links.into_iter().filter_map(|link| conflict_of_link(link, &|_| true)));
        conflicts.extend(forked.into_iter().map(|ids| Conflict::Forked { ids }));
        conflicts.sort();
        Ok(conflicts)
    }

    /// The conflicts that involve the permanent memory `id`.
    ///
    /// # Errors
    /// When there is no such memory, or the store cannot be read.
    pub fn conflicts_of(&mut self, id: &str) -> Result<Vec<Conflict>, MemoryError> {
        let (entry, on_topic, links, others, forked) = self.read(&mut |store| {
            let unknown = || MemoryError::Unknown { item: "memory", id: id.to_owned() };
            let entry = store.entry(id)?.ok_or_else(unknown)?;
            let on_topic = match active_decisions_query(entry.topic.as_deref()) {
                Some(query) => store.entries(&query)?,
                None => Vec::new(),
            };
            let links = store.links(id)?;
            let mut others = Vec::new();
            for link in &links {
                let other = if link.from == id { &link.to } else { &link.from };
                others.extend(store.entry(other)?);
            }
            let forked = find_forks_with(store, id)?;
            Ok((entry, on_topic, links, others, forked))
        })?;
        let is_permanent =
            |memory: &&Entry| memory.layer == Layer::Permanent && memory.status != Status::Removed;
        let permanent = || others.iter().chain([&entry]).filter(is_permanent);
        let permanent_ids: BTreeSet<&str> = permanent().map(|memory| &*memory.id).collect();
        let active: BTreeSet<&str> = permanent()
            .filter(|memory| memory.status == Status::Active)
            .map(|memory| &*memory.id)
            .collect();
        let mut conflicts = Vec::new();
        if entry.is_contested() {
            conflicts.push(Conflict::TwoHeads { id: id.to_owned(), heads: entry.heads.clone() });
        }
        let topic = entry.topic.as_deref().map(topic_key).filter(|key| !key.is_empty());
        if let Some(topic) = topic
            && entry.kind == Kind::Decision
            && active.contains(id)
            && on_topic.len() > 1
        {
            let mut ids: Vec<String> = on_topic.into_iter().map(|decision| decision.id).collect();
            ids.sort();
            conflicts.push(Conflict::OneTopic { topic, ids });
        }
        let links = links.into_iter().filter(|link| permanent_ids.contains(&*link.from));
        conflicts
            .extend(links.filter_map(|link| conflict_of_link(link, &|id| active.contains(id))));
        conflicts.extend(forked.into_iter().map(|ids| Conflict::Forked { ids }));
        conflicts.sort();
        Ok(conflicts)
    }
}

/// Finds the groups of [`Conflict::Forked`]. `superseding` lists the pairs of a superseding and a
/// superseded memory.
fn find_forks(
    store: &mut dyn StorageBackend,
    superseding: &[(String, String)],
) -> Result<Vec<Vec<String>>, MemoryError> {
    let pairs: Vec<(&str, &str)> = superseding.iter().map(|(from, to)| (&**from, &**to)).collect();
    let superseded: BTreeSet<&str> = pairs.iter().map(|(_, to)| *to).collect();
    let cycles = find_cycles(pairs.iter().copied());
    // All other memories are superseded and need no look-up.
    let can_be_active = |id: &str| !superseded.contains(id) || cycles.contains_key(id);
    let mut forked = Vec::new();
    for ids in forks(&pairs, &can_be_active) {
        let (mut active, mut links) = (Vec::new(), Vec::new());
        for id in ids {
            active.extend(store.entry(id)?.filter(|entry| entry.status == Status::Active));
            links.extend(store.links(id)?);
        }
        let topics: BTreeMap<&str, Option<String>> =
            active.iter().map(|entry| (&*entry.id, normalized_topic(entry))).collect();
        let ids: Vec<&str> = topics.keys().copied().collect();
        let pairs = links.iter().map(|link| (&*link.from, &*link.to));
        if is_disconnected(&ids, pairs, |id| topics.get(id).cloned().flatten()) {
            forked.push(ids.into_iter().map(str::to_owned).collect());
        }
    }
    Ok(forked)
}

/// The groups of [`find_forks`] that contain the memory `id`.
pub(super) fn find_forks_with(
    store: &mut dyn StorageBackend,
    id: &str,
) -> Result<Vec<Vec<String>>, MemoryError> {
    let superseding = store.conflict_candidates()?.superseding;
    let mut forked = find_forks(store, &superseding)?;
    forked.retain(|ids| ids.iter().any(|other| other == id));
    Ok(forked)
}

/// The query for the active decisions on a topic; `None` if the topic is empty.
pub(super) fn active_decisions_query(topic: Option<&str>) -> Option<Query> {
    let topic = topic.filter(|topic| !topic_key(topic).is_empty())?.to_owned();
    Some(Query { topic: Some(topic), ..Query::active(Layers::PERMANENT, Kind::Decision) })
}

/// Returns the conflict that a link causes, if any; it depends on which memories are active.
pub(super) fn conflict_of_link(link: Link, is_active: &dyn Fn(&str) -> bool) -> Option<Conflict> {
    let Link { from, to, relation, .. } = link;
    match relation {
        _ if !is_active(&to) => None,
        Relation::Contradicts if is_active(&from) => Some(Conflict::Contradiction { from, to }),
        Relation::Supersedes => Some(Conflict::Cycle { from, to }),
        _ => None,
    }
}
