//! What does not go together with one memory, without reading the others.

use super::MemoryError;
use super::permanent::Conflict;
use super::project::ProjectMemory;
use super::store::Query;
use super::types::{Entry, Kind, Layer, Link, Relation, Status};
use super::words::topic_key;
use std::collections::BTreeSet;

impl ProjectMemory {
    /// What of [`Self::conflicts`] this permanent memory is part of: its topic and its links are
    /// read.
    ///
    /// # Errors
    /// When there is no such memory, or the store does not answer.
    pub fn conflicts_of(&mut self, id: &str) -> Result<Vec<Conflict>, MemoryError> {
        let (entry, on_topic, links, others) = self.read(&mut |store| {
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
            Ok((entry, on_topic, links, others))
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
        conflicts.sort();
        Ok(conflicts)
    }
}

/// What asks for the decisions that hold on a topic.
pub(super) fn decisions_on(topic: Option<&str>) -> Option<Query> {
    let topic = topic.filter(|topic| !topic_key(topic).is_empty())?.to_owned();
    let layers = vec![Layer::Permanent];
    Some(Query { layers, topic: Some(topic), ..Query::active(Kind::Decision) })
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
