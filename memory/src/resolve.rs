//! Resolves conflicts, and removes memories of any layer.

use super::MemoryError;
use super::conflicts::forked_with;
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
    /// The concurrent edits that were dropped.
    pub dropped: Vec<String>,
    /// The memories that were superseded.
    pub superseded: Vec<String>,
    /// The memories that no longer supersede it.
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
    /// Resolves conflicts in favour of a permanent memory: of concurrent edits, keeps the one whose
    /// id starts with `rev`, otherwise the displayed one; supersedes other active decisions on its
    /// topic and memories that contradict it; and breaks a cycle of superseding.
    ///
    /// # Errors
    /// When there is no such memory, `rev` matches none of its edits or several, or it is
    /// superseded.
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
                "`{id}` is superseded: settle the memory that replaced it, or save a new decision"
            )));
        }
        let at = self.now();
        let (mut own, dropped) = self.chosen_edit(&entry, rev, at)?;
        let mut settled = Resolution { dropped, ..Resolution::default() };
        let mut revisions = self.unlink_revisions(id, at, &mut settled)?;
        let itself = |link: &Link| link.to == id && link.relation == Relation::Supersedes;
        if own.links.iter().any(itself) {
            own.links.retain(|link| !itself(link));
            settled.unlinked.push(id.to_owned());
        }
        if own.op == Op::Put {
            for other in self.conflicting(&entry)? {
                if !supersedes(self.store(), id, &other)? {
                    own.links.push(Link::new(Relation::Supersedes, &other));
                    settled.superseded.push(other);
                }
            }
        }
        if !(settled.dropped.is_empty() && settled.superseded.is_empty())
            || settled.unlinked.iter().any(|unlinked| unlinked == id)
        {
            revisions.push(own);
        }
        Ok((revisions, settled))
    }

    /// The revision that continues the edit to keep, and the edits that it drops.
    fn chosen_edit(
        &mut self,
        entry: &Entry,
        rev: Option<&str>,
        at: i64,
    ) -> Result<(Revision, Vec<String>), MemoryError> {
        let others = |kept: &str| {
            entry.heads.iter().filter(|head| *head != kept).cloned().collect::<Vec<String>>()
        };
        let Some(rev) = rev else {
            let shown = entry.heads.first().map_or("", String::as_str);
            return Ok((self.edited(entry, Edit::default(), at)?, others(shown)));
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
        let kept = lines.into_iter().find(|line| line.rev == *head);
        let kept = kept.ok_or_else(|| MemoryError::Unknown { what: "edit", id: head.clone() })?;
        let created_at = Some(entry.created_at);
        Ok((Revision { parents, at, created_at, rev: String::new(), ..kept }, others(head)))
    }

    /// Removes the links by which others supersede a memory that supersedes them.
    fn unlink_revisions(
        &mut self,
        id: &str,
        at: i64,
        settled: &mut Resolution,
    ) -> Result<Vec<Revision>, MemoryError> {
        let mut revisions = Vec::new();
        for link in self.store().links(id)? {
            let is_on = link.relation == Relation::Supersedes && link.to == id && link.from != id;
            if !is_on || !supersedes(self.store(), id, &link.from)? {
                continue;
            }
            let other = self.permanent(&link.from)?;
            let mut revision = self.edited(&other, Edit::default(), at)?;
            revision.links.retain(|own| (&*own.to, own.relation) != (id, Relation::Supersedes));
            revisions.push(revision);
            settled.unlinked.push(link.from);
        }
        Ok(revisions)
    }

    /// The active memories that conflict with this one.
    fn conflicting(&mut self, entry: &Entry) -> Result<BTreeSet<String>, MemoryError> {
        let mut losers = BTreeSet::new();
        if entry.kind == Kind::Decision {
            let on_topic = self.on_topic(entry.topic.as_deref())?;
            losers.extend(on_topic.into_iter().map(|other| other.id));
        }
        for link in self.store().links(&entry.id)? {
            if link.relation == Relation::Contradicts {
                let other = if link.from == entry.id { link.to } else { link.from };
                let known = self.store().entry(&other)?;
                let holds = |other: &Entry| {
                    (other.status, other.layer) == (Status::Active, Layer::Permanent)
                };
                losers.extend(known.filter(holds).map(|other| other.id));
            }
        }
        losers.extend(forked_with(self.store(), &entry.id)?.into_iter().flatten());
        losers.remove(&entry.id);
        Ok(losers)
    }

    /// Removes a memory: the lines of a permanent one are retained, others are deleted. Returns the
    /// memory.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn remove_any(&mut self, id: &str, reason: Option<&str>) -> Result<Entry, MemoryError> {
        let unknown = || MemoryError::Unknown { what: "memory", id: id.to_owned() };
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
