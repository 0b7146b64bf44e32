//! Duplicates: permanent memories with the same meaning that two clones saved independently. Only
//! one of them is displayed, and changes to one apply to all.

use super::MemoryError;
use super::graph;
use super::project::ProjectMemory;
use super::types::{Entry, Link, Relation, Status};
use aidd_engine::parse::lines::duplicates::{meaning_key, repeats};
use std::collections::BTreeSet;

impl ProjectMemory {
    /// The duplicates of a memory.
    pub(super) fn same_as(&mut self, entry: &Entry) -> Result<Vec<Entry>, MemoryError> {
        let Some(meaning) = meaning_key(entry) else { return Ok(Vec::new()) };
        let mut holding = Vec::new();
        for one in self.store().same(&BTreeSet::from([meaning]))? {
            let superseded = one.status == Status::Superseded
                && !graph::superseding(self.store(), &one.id)?.is_empty();
            if !superseded {
                holding.push(one);
            }
        }
        let repeats = repeats(&holding);
        let shown = |id: &str| repeats.get(id).copied().unwrap_or(id).to_owned();
        let of_entry = shown(&entry.id);
        let own = holding.iter().any(|one| one.id == entry.id);
        let same = holding.iter().filter(|one| own && one.id != entry.id);
        Ok(same.filter(|one| shown(&one.id) == of_entry).cloned().collect())
    }

    /// The links by which an edited memory supersedes its duplicates.
    pub(super) fn links_to_same(&mut self, entry: &Entry) -> Result<Vec<Link>, MemoryError> {
        let mut links = Vec::new();
        for other in self.same_as(entry)? {
            if !graph::supersedes(self.store(), &other.id, &entry.id)? {
                links.push(Link::new(Relation::Supersedes, &other.id));
            }
        }
        Ok(links)
    }

    /// Adds links to the duplicates of the memories that a new memory supersedes.
    pub(super) fn supersede_same(&mut self, links: &mut Vec<Link>) -> Result<(), MemoryError> {
        let targets = links.iter().filter(|link| link.relation == Relation::Supersedes);
        let targets: Vec<String> = targets.map(|link| link.to.clone()).collect();
        for target in targets {
            let Some(entry) = self.store().entry(&target)? else { continue };
            for link in self.links_to_same(&entry)? {
                if !links.iter().any(|own| own.to == link.to) {
                    links.push(link);
                }
            }
        }
        Ok(())
    }
}
