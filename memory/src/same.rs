//! Permanent memories that two clones saved each for itself and that say the same: only one of them is
//! shown, and what is done to one is done to all.

use super::MemoryError;
use super::graph;
use super::meaning::{meaning_key, repeats};
use super::project::ProjectMemory;
use super::types::{Entry, Link, Relation, Status};
use std::collections::BTreeSet;

impl ProjectMemory {
    /// The others that are one with a memory: of all of them one is shown.
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

    /// The links by which a memory that is changed takes the place of those that say what it said.
    pub(super) fn links_to_same(&mut self, entry: &Entry) -> Result<Vec<Link>, MemoryError> {
        let mut links = Vec::new();
        for other in self.same_as(entry)? {
            if !graph::supersedes(self.store(), &other.id, &entry.id)? {
                links.push(Link::to(Relation::Supersedes, &other.id));
            }
        }
        Ok(links)
    }

    /// Adds to the links of a new memory those that supersede what says the same as what it supersedes.
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
