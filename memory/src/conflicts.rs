//! What of permanent memory does not go together.

use super::MemoryError;
use super::project::ProjectMemory;
use super::store::{Clashes, Layers, Query, StorageBackend};
use super::types::{Entry, Kind, Layer, Link, Relation, Status};
use super::words::topic_key;
use aidd_engine::parse::lines::standing::{circles, forks, is_apart, topic_of};
use std::collections::{BTreeMap, BTreeSet};

/// What does not go together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conflict {
    /// Two edits of one memory stand side by side.
    TwoHeads {
        /// The memory.
        id: String,
        /// The revisions, the shown one first.
        heads: Vec<String>,
    },
    /// More than one decision on a topic holds.
    OneTopic {
        /// The topic as it is compared.
        topic: String,
        /// The decisions.
        ids: Vec<String>,
    },
    /// One says that it contradicts the other, and both hold.
    Contradiction {
        /// The one.
        from: String,
        /// The other.
        to: String,
    },
    /// They supersede each other in a circle.
    Circle {
        /// The one.
        from: String,
        /// The other, which holds all the same.
        to: String,
    },
    /// They superseded the same memory, directly or by others, and all hold: branches replaced it each
    /// in its own way.
    Forked {
        /// The memories that hold.
        ids: Vec<String>,
    },
}

impl ProjectMemory {
    /// All that does not go together in permanent memory.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn conflicts(&mut self) -> Result<Vec<Conflict>, MemoryError> {
        let (clashes, forked) = self.read(&mut |store| {
            let clashes = store.clashes()?;
            let forked = forked(store, &clashes.superseding)?;
            Ok((clashes, forked))
        })?;
        let Clashes { contested, topics, links, .. } = clashes;
        let two_heads = contested.into_iter().map(|(id, heads)| Conflict::TwoHeads { id, heads });
        let mut conflicts: Vec<Conflict> = two_heads.collect();
        let on_topics = topics.into_iter().map(|(topic, ids)| Conflict::OneTopic { topic, ids });
        conflicts.extend(on_topics);
        conflicts.extend(links.into_iter().filter_map(|link| of_link(link, &|_| true)));
        conflicts.extend(forked.into_iter().map(|ids| Conflict::Forked { ids }));
        conflicts.sort();
        Ok(conflicts)
    }

    /// What of [`Self::conflicts`] this permanent memory is part of: its topic and its links are
    /// read.
    ///
    /// # Errors
    /// When there is no such memory, or the store does not answer.
    pub fn conflicts_of(&mut self, id: &str) -> Result<Vec<Conflict>, MemoryError> {
        let (entry, on_topic, links, others, forked) = self.read(&mut |store| {
            let unknown = || MemoryError::Unknown { what: "memory", id: id.to_owned() };
            let entry = store.entry(id)?.ok_or_else(unknown)?;
            let on_topic = match decisions_on(entry.topic.as_deref()) {
                Some(query) => store.entries(&query)?,
                None => Vec::new(),
            };
            let links = store.links(id)?;
            let mut others = Vec::new();
            for link in &links {
                let other = if link.from == id { &link.to } else { &link.from };
                others.extend(store.entry(other)?);
            }
            let forked = forked_with(store, id)?;
            Ok((entry, on_topic, links, others, forked))
        })?;
        let is_here = |one: &&Entry| one.layer == Layer::Permanent && one.status != Status::Removed;
        let all = || others.iter().chain([&entry]).filter(is_here);
        let known: BTreeSet<&str> = all().map(|one| &*one.id).collect();
        let active: BTreeSet<&str> =
            all().filter(|one| one.status == Status::Active).map(|one| &*one.id).collect();
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
            let mut ids: Vec<String> = on_topic.into_iter().map(|one| one.id).collect();
            ids.sort();
            conflicts.push(Conflict::OneTopic { topic, ids });
        }
        let links = links.into_iter().filter(|link| known.contains(&*link.from));
        conflicts.extend(links.filter_map(|link| of_link(link, &|id| active.contains(id))));
        conflicts.extend(forked.into_iter().map(|ids| Conflict::Forked { ids }));
        conflicts.sort();
        Ok(conflicts)
    }
}

/// See [`Conflict::Forked`]: of all memories that supersede each other.
fn forked(
    store: &mut dyn StorageBackend,
    superseding: &[(String, String)],
) -> Result<Vec<Vec<String>>, MemoryError> {
    let pairs: Vec<(&str, &str)> = superseding.iter().map(|(from, to)| (&**from, &**to)).collect();
    let ends: BTreeSet<&str> = pairs.iter().map(|(_, to)| *to).collect();
    let circles = circles(pairs.iter().copied());
    // Of others nobody need ask: they are superseded.
    let may_hold = |id: &str| !ends.contains(id) || circles.contains_key(id);
    let mut forked = Vec::new();
    for ids in forks(&pairs, &may_hold) {
        let (mut holding, mut links) = (Vec::new(), Vec::new());
        for id in ids {
            holding.extend(store.entry(id)?.filter(|entry| entry.status == Status::Active));
            links.extend(store.links(id)?);
        }
        let topics: BTreeMap<&str, Option<String>> =
            holding.iter().map(|entry| (&*entry.id, topic_of(entry))).collect();
        let ids: Vec<&str> = topics.keys().copied().collect();
        let pairs = links.iter().map(|link| (&*link.from, &*link.to));
        if is_apart(&ids, pairs, |id| topics.get(id).cloned().flatten()) {
            forked.push(ids.into_iter().map(str::to_owned).collect());
        }
    }
    Ok(forked)
}

/// Those of [`forked`] that a memory is among.
pub(super) fn forked_with(
    store: &mut dyn StorageBackend,
    id: &str,
) -> Result<Vec<Vec<String>>, MemoryError> {
    let superseding = store.clashes()?.superseding;
    let mut forked = forked(store, &superseding)?;
    forked.retain(|ids| ids.iter().any(|other| other == id));
    Ok(forked)
}

/// What asks for the decisions that hold on a topic.
pub(super) fn decisions_on(topic: Option<&str>) -> Option<Query> {
    let topic = topic.filter(|topic| !topic_key(topic).is_empty())?.to_owned();
    Some(Query { topic: Some(topic), ..Query::active(Layers::PERMANENT, Kind::Decision) })
}

/// What a link between memories of which some are active does not go together with.
pub(super) fn of_link(link: Link, is_active: &dyn Fn(&str) -> bool) -> Option<Conflict> {
    let Link { from, to, relation, .. } = link;
    match relation {
        _ if !is_active(&to) => None,
        Relation::Contradicts if is_active(&from) => Some(Conflict::Contradiction { from, to }),
        Relation::Supersedes => Some(Conflict::Circle { from, to }),
        _ => None,
    }
}
