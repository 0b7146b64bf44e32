//! Duplicates: permanent memories with the same content that two clones saved independently. Only
//! one of the duplicates is displayed, and changes to one duplicate apply to all.

use super::MemoryError;
use super::graph;
use super::kinds::Decision;
use super::permanent::NewMemory;
use super::project::ProjectMemory;
use super::store::{Layers, Query};
use super::types::{Entry, Kind, Link, Relation, Status};
use super::words::{fold_text, topic_key};
use aidd_engine::parse::lines::duplicates::{duplicate_key, find_duplicates};
use std::collections::BTreeSet;

impl ProjectMemory {
    /// The duplicates of a memory.
    pub(super) fn duplicates_of(&mut self, entry: &Entry) -> Result<Vec<Entry>, MemoryError> {
        let Some(key) = duplicate_key(entry) else { return Ok(Vec::new()) };
        let mut candidates = Vec::new();
        for other in self.store().with_duplicate_keys(&BTreeSet::from([key]))? {
            let superseded = other.status == Status::Superseded
                && !self.store().superseding(&other.id)?.is_empty();
            // A decision that was made is no duplicate of one that was rejected.
            if !superseded && other.is_rejected() == entry.is_rejected() {
                candidates.push(other);
            }
        }
        let displayed_ids = find_duplicates(&candidates);
        let displayed = |id: &str| displayed_ids.get(id).copied().unwrap_or(id).to_owned();
        let displayed_id = displayed(&entry.id);
        let is_candidate = candidates.iter().any(|other| other.id == entry.id);
        let others = candidates.iter().filter(|other| is_candidate && other.id != entry.id);
        Ok(others.filter(|other| displayed(&other.id) == displayed_id).cloned().collect())
    }

    /// The rejected decision with the topic and text of `new`.
    pub(super) fn find_rejected(
        &mut self,
        new: &NewMemory<Decision>,
    ) -> Result<Option<Entry>, MemoryError> {
        let query = Query {
            kinds: vec![Kind::Decision],
            statuses: vec![Status::Rejected],
            ..Query::new(Layers::PERMANENT)
        };
        let key = |topic: Option<&str>, text: &str| {
            (topic.map(topic_key).unwrap_or_default(), fold_text(text))
        };
        let wanted = key(new.topic.as_deref(), &new.content);
        let found = self.store().entries(&query)?;
        Ok(found.into_iter().find(|old| key(old.topic.as_deref(), &old.content) == wanted))
    }

    /// The links by which an edited memory supersedes its duplicates.
    pub(super) fn links_to_duplicates(&mut self, entry: &Entry) -> Result<Vec<Link>, MemoryError> {
        let mut links = Vec::new();
        for other in self.duplicates_of(entry)? {
            if !graph::supersedes(self.store(), &other.id, &entry.id)? {
                links.push(Link::new(Relation::Supersedes, &other.id));
            }
        }
        Ok(links)
    }

    /// Adds links to the duplicates of the memories that a new memory supersedes.
    pub(super) fn supersede_duplicates(
        &mut self,
        links: &mut Vec<Link>,
    ) -> Result<(), MemoryError> {
        let targets = links.iter().filter(|link| link.relation == Relation::Supersedes);
        let targets: Vec<String> = targets.map(|link| link.to.clone()).collect();
        for target in targets {
            let Some(entry) = self.store().entry(&target)? else { continue };
            for link in self.links_to_duplicates(&entry)? {
                if !links.iter().any(|own| own.to == link.to) {
                    links.push(link);
                }
            }
        }
        Ok(())
    }
}
