//! Resolves conflicts, and removes memories of any layer.

use super::MemoryError;
use super::conflicts::find_forks_with;
use super::graph::supersedes;
use super::log::{self, Op, Revision};
use super::permanent::Edit;
use super::project::{Drafted, ProjectMemory};
use super::store::Durability;
use super::types::{Entry, Kind, Layer, Link, Relation, Status};
use std::collections::BTreeSet;

/// Result of resolving conflicts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// Ids of the concurrent edits that were dropped.
    pub dropped: Vec<String>,
    /// Ids of the memories that were superseded.
    pub superseded: Vec<String>,
    /// Ids of the memories that no longer supersede the resolved memory.
    pub unlinked: Vec<String>,
}

impl Resolution {
    /// Whether there was no conflict to resolve.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ProjectMemory {
    /// Resolves conflicts in favour of a permanent memory. If it has concurrent edits, the edit
    /// whose id starts with `rev` is retained; without `rev`, the displayed edit. The memory then
    /// supersedes other active decisions on its topic and memories that contradict it. If memories
    /// supersede each other in a cycle, the cycle is broken.
    ///
    /// # Errors
    /// When there is no such memory, `rev` does not match exactly one of its edits, or the memory
    /// is superseded.
    pub fn resolve(&mut self, id: &str, rev: Option<&str>) -> Result<Resolution, MemoryError> {
        self.write_permanent(&mut |memory| memory.draft_resolution(id, rev))
    }

    fn draft_resolution(
        &mut self,
        id: &str,
        rev: Option<&str>,
    ) -> Result<Drafted<Resolution>, MemoryError> {
        let entry = self.permanent(id)?;
        if entry.status == Status::Superseded {
            return Err(MemoryError::Invalid(format!(
                "`{id}` is superseded: resolve the memory that superseded it, or save a new decision"
            )));
        }
        let at = self.now();
        let (mut revision, dropped) = self.chosen_edit(&entry, rev, at)?;
        let mut resolution = Resolution { dropped, ..Resolution::default() };
        let mut revisions = self.unlink_revisions(id, at, &mut resolution)?;
        let is_self_link = |link: &Link| link.to == id && link.relation == Relation::Supersedes;
        if revision.links.iter().any(is_self_link) {
            revision.links.retain(|link| !is_self_link(link));
            resolution.unlinked.push(id.to_owned());
        }
        if revision.op == Op::Put {
            for other in self.conflicting(&entry)? {
                if !supersedes(self.store(), id, &other)? {
                    revision.links.push(Link::new(Relation::Supersedes, &other));
                    resolution.superseded.push(other);
                }
            }
        }
        if !(resolution.dropped.is_empty() && resolution.superseded.is_empty())
            || resolution.unlinked.iter().any(|unlinked| unlinked == id)
        {
            revisions.push(revision);
        }
        Ok((revisions, resolution))
    }

    /// Returns the revision that continues the retained edit, and the ids of the dropped edits.
    fn chosen_edit(
        &mut self,
        entry: &Entry,
        rev: Option<&str>,
        at: i64,
    ) -> Result<(Revision, Vec<String>), MemoryError> {
        let other_heads = |retained: &str| {
            entry.heads.iter().filter(|head| *head != retained).cloned().collect::<Vec<String>>()
        };
        let Some(rev) = rev else {
            let shown = entry.heads.first().map_or("", String::as_str);
            return Ok((self.draft_edit(entry, Edit::default(), at)?, other_heads(shown)));
        };
        let heads: Vec<&String> = entry.heads.iter().filter(|head| head.starts_with(rev)).collect();
        let [head] = heads[..] else {
            return Err(MemoryError::Invalid(format!(
                "`{rev}` must match exactly one of the edits {}",
                entry.heads.join(", ")
            )));
        };
        let lines = self.present(&entry.id)?;
        let parents = log::tips(&lines);
        let line = lines.into_iter().find(|line| line.rev == *head);
        let line = line.ok_or_else(|| MemoryError::Unknown { item: "edit", id: head.clone() })?;
        let created_at = Some(entry.created_at);
        Ok((Revision { parents, at, created_at, rev: String::new(), ..line }, other_heads(head)))
    }

    /// Drafts the revisions that break cycles: they remove the links to `id` from the memories that
    /// supersede `id` although `id` supersedes them.
    fn unlink_revisions(
        &mut self,
        id: &str,
        at: i64,
        resolution: &mut Resolution,
    ) -> Result<Vec<Revision>, MemoryError> {
        let mut revisions = Vec::new();
        for link in self.store().links(id)? {
            let supersedes_id =
                link.relation == Relation::Supersedes && link.to == id && link.from != id;
            if !supersedes_id || !supersedes(self.store(), id, &link.from)? {
                continue;
            }
            let other = self.permanent(&link.from)?;
            let mut revision = self.draft_edit(&other, Edit::default(), at)?;
            revision.links.retain(|own| (&*own.to, own.relation) != (id, Relation::Supersedes));
            revisions.push(revision);
            resolution.unlinked.push(link.from);
        }
        Ok(revisions)
    }

    /// The ids of the active memories that conflict with `entry`.
    fn conflicting(&mut self, entry: &Entry) -> Result<BTreeSet<String>, MemoryError> {
        let mut conflicting = BTreeSet::new();
        if entry.kind == Kind::Decision {
            let on_topic = self.on_topic(entry.topic.as_deref())?;
            conflicting.extend(on_topic.into_iter().map(|other| other.id));
        }
        for link in self.store().links(&entry.id)? {
            if link.relation == Relation::Contradicts {
                let other = if link.from == entry.id { link.to } else { link.from };
                let known = self.store().entry(&other)?;
                let is_active = |other: &Entry| {
                    (other.status, other.layer) == (Status::Active, Layer::Permanent)
                };
                conflicting.extend(known.filter(is_active).map(|other| other.id));
            }
        }
        conflicting.extend(find_forks_with(self.store(), &entry.id)?.into_iter().flatten());
        conflicting.remove(&entry.id);
        Ok(conflicting)
    }

    /// Removes a memory: the lines of a permanent memory are retained, any other memory is deleted.
    /// Returns the removed memory.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn remove_any(&mut self, id: &str, reason: Option<&str>) -> Result<Entry, MemoryError> {
        let unknown = || MemoryError::Unknown { item: "memory", id: id.to_owned() };
        let found = self.read(&mut |store| store.entry(id))?;
        let entry = found.filter(|entry| entry.status != Status::Removed).ok_or_else(unknown)?;
        if entry.layer == Layer::Permanent {
            self.remove(entry.kind, id, reason)?;
        } else {
            self.write(Durability::Full, &mut |store, _| store.delete_entry(id).map(|_| ()))?;
        }
        Ok(entry)
    }
}
