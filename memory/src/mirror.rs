//! Mirrors the lines of the tracked files in the store, and resolves them to memories.

use super::MemoryError;
use super::graph::Superseders;
use super::journal;
use super::log::{self, Revision};
use super::privacy::Gate;
use super::store::{Layers, MirroredLine, Query, StorageBackend};
use super::types::{Kind, Layer, Relation, Status};
use aidd_engine::parse::lines::duplicates::{duplicate_key, find_duplicates};
use std::collections::{BTreeMap, BTreeSet};

/// Counts of an import from tracked files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Number of new lines.
    pub new: usize,
    /// Number of lines that the files no longer contain. The store retains these lines.
    pub removed: usize,
}

/// The permanent memories that a change affects, and those whose status depends on them.
#[derive(Default)]
struct AffectedMemories(BTreeSet<String>);

/// The lines that the store contains for a tracked file, but that are missing from the file.
pub(super) fn missing_lines(
    store: &mut dyn StorageBackend,
    file: &str,
) -> Result<Vec<Revision>, MemoryError> {
    let mut missing = Vec::new();
    for (rev, id, present) in store.lines_in(file)? {
        if !present {
            let lines = store.lines_of(&id)?.into_iter().filter(|line| line.file == file);
            missing.extend(lines.map(|line| line.line).filter(|line| line.rev == rev));
        }
    }
    Ok(missing)
}

/// The lines of a memory that the tracked files contain now.
pub(super) fn present_lines(
    store: &mut dyn StorageBackend,
    id: &str,
) -> Result<Vec<Revision>, MemoryError> {
    let lines = store.lines_of(id)?.into_iter().filter(|line| line.present);
    Ok(lines.map(|line| line.line).collect())
}

/// Makes the lines of a source in the store equal to `revisions`; with `rebuilt`, also rewrites
/// lines that the store already has, because they could be damaged.
pub(super) fn import_lines(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    source: &str,
    revisions: &[Revision],
    rebuilt: bool,
) -> Result<ImportCounts, MemoryError> {
    let mut imported = ImportCounts::default();
    let mut known: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for (rev, id, present) in store.lines_in(source)? {
        known.insert(rev, (id, present));
    }
    let mut changes: Vec<Change<'_>> = Vec::new();
    for revision in revisions {
        match known.remove(&revision.rev) {
            Some((_, true)) if !rebuilt => {}
            Some((_, true)) => changes.push(Change::Put(revision)),
            Some((id, false)) => {
                changes.push(Change::Present { id, rev: revision.rev.clone(), is_present: true });
                imported.new += 1;
            }
            None => {
                changes.push(Change::Put(revision));
                imported.new += 1;
            }
        }
    }
    for (rev, (id, present)) in known {
        if present {
            changes.push(Change::Present { id, rev, is_present: false });
            imported.removed += 1;
        }
    }
    let affected = AffectedMemories::from_ids(store, changes.iter().map(Change::id))?;
    for change in &changes {
        match change {
            Change::Put(revision) => put_line(store, gate, source, revision)?,
            Change::Present { rev, is_present, .. } => {
                store.set_present(source, rev, *is_present)?;
            }
        }
    }
    affected.resolve(store, gate)?;
    Ok(imported)
}

/// A change to a line in the store.
enum Change<'a> {
    /// Insert or replace the line.
    Put(&'a Revision),
    /// Set whether the file contains a known line.
    Present { id: String, rev: String, is_present: bool },
}

impl Change<'_> {
    /// The id of the memory to which the line belongs.
    fn id(&self) -> &str {
        match self {
            Self::Put(revision) => &revision.id,
            Self::Present { id, .. } => id,
        }
    }
}

pub(super) fn put_lines(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    file: &str,
    revisions: &[Revision],
) -> Result<(), MemoryError> {
    let affected =
        AffectedMemories::from_ids(store, revisions.iter().map(|revision| &*revision.id))?;
    for revision in revisions {
        put_line(store, gate, file, revision)?;
    }
    affected.resolve(store, gate)
}

/// Adds the lines of a damaged store that are missing from this store and resolves them; returns
/// the number of added lines.
pub(super) fn restore(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    lines: &[&MirroredLine],
) -> Result<usize, MemoryError> {
    let mut new = Vec::new();
    for mirrored in lines {
        let MirroredLine { file, line, .. } = mirrored;
        let known = store.lines_of(&line.id)?;
        let is_known = known.iter().any(|own| (&own.file, &own.line.rev) == (file, &line.rev));
        // The gate does not change a line that has already passed the gate.
        let clean = gate.clean(*mirrored).ok().filter(|clean| clean.line == *line);
        new.extend(clean.filter(|_| !is_known && journal::is_source(file)));
    }
    let affected = AffectedMemories::from_ids(store, new.iter().map(|clean| &*clean.line.id))?;
    for clean in &new {
        store.put_line(clean)?;
    }
    affected.resolve(store, gate)?;
    Ok(new.len())
}

fn put_line(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    file: &str,
    line: &Revision,
) -> Result<(), MemoryError> {
    let mirrored = MirroredLine { file: file.to_owned(), present: true, line: line.clone() };
    store.put_line(&gate.clean(&mirrored)?)
}

impl AffectedMemories {
    /// Collects the memories affected by changes to `ids`. Call this function before the changes
    /// are made.
    fn from_ids<'a>(
        store: &mut dyn StorageBackend,
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<Self, MemoryError> {
        let mut affected = Self(ids.map(str::to_owned).collect());
        affected.add_duplicates(store)?;
        affected.add_cycles(&Superseders::from_ids(store, &affected.0)?);
        affected.add_superseded(store)?;
        Ok(affected)
    }

    /// Adds the memories that the affected memories supersede.
    fn add_superseded(&mut self, store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
        for id in self.0.clone() {
            let links = store.links(&id)?.into_iter();
            let outgoing = links.filter(|link| link.from == id);
            let superseding = outgoing.filter(|link| link.relation == Relation::Supersedes);
            self.0.extend(superseding.map(|link| link.to));
        }
        Ok(())
    }

    /// Adds the duplicates of the affected memories: only one of several duplicates is displayed.
    fn add_duplicates(&mut self, store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
        let mut keys = BTreeSet::new();
        for id in &self.0 {
            keys.extend(store.entry(id)?.as_ref().and_then(duplicate_key));
        }
        if !keys.is_empty() {
            self.0.extend(store.with_duplicate_keys(&keys)?.into_iter().map(|entry| entry.id));
        }
        Ok(())
    }

    /// Adds the other members of the cycles that contain an affected memory. All members of a cycle
    /// are active.
    fn add_cycles(&mut self, superseders: &Superseders) {
        let cycles = superseders.cycles();
        let affected_cycles: BTreeSet<&str> =
            self.0.iter().filter_map(|id| cycles.get(&**id).copied()).collect();
        let members = cycles.iter().filter(|(_, cycle)| affected_cycles.contains(*cycle));
        self.0.extend(members.map(|(member, _)| (*member).to_owned()));
    }

    /// Recomputes the content, links and status of the affected memories.
    fn resolve(mut self, store: &mut dyn StorageBackend, gate: &Gate) -> Result<(), MemoryError> {
        for id in &self.0 {
            if store.lines_of(id)?.is_empty() {
                continue;
            }
            match log::fold(&present_lines(store, id)?) {
                None => {
                    store.delete_entry(id)?;
                }
                Some(folded) => {
                    store.put_entry(&gate.clean(&folded.entry)?)?;
                    store.put_links(id, &gate.clean(&folded.links)?)?;
                }
            }
        }
        self.add_superseded(store)?;
        let superseders = loop {
            let known = self.0.len();
            self.add_duplicates(store)?;
            let superseders = Superseders::from_ids(store, &self.0)?;
            self.add_cycles(&superseders);
            // Members of a cycle can have duplicates.
            if self.0.len() == known {
                break superseders;
            }
        };
        let cycles = superseders.cycles();
        let mut active = Vec::new();
        for id in &self.0 {
            if let Some(entry) = store.entry(id)?.filter(|entry| entry.status != Status::Removed) {
                let status = status_of(store, &entry.id, &superseders, &cycles)?;
                if status == Status::Active && entry.is_rejected() {
                    store.set_status(id, Status::Rejected)?;
                } else if status == Status::Active && entry.layer == Layer::Permanent {
                    active.push(entry);
                } else {
                    store.set_status(id, status)?;
                }
            }
        }
        let displayed_ids = find_duplicates(&active);
        for entry in &active {
            let is_duplicate = displayed_ids.contains_key(&*entry.id);
            let status = if is_duplicate { Status::Superseded } else { Status::Active };
            store.set_status(&entry.id, status)?;
        }
        Ok(())
    }
}

/// Returns the status of a memory that was not removed. The memory is superseded if another memory
/// supersedes it, unless the other memory was removed or rejected, or is in a cycle with it. Merged branches can
/// create a cycle; then all its members are active and are listed as a conflict.
/// [`aidd_engine::parse::lines::active_set`] follows the same rules for files.
fn status_of(
    store: &mut dyn StorageBackend,
    id: &str,
    superseders: &Superseders,
    cycles: &BTreeMap<&str, &str>,
) -> Result<Status, MemoryError> {
    for later in superseders.superseding(id) {
        let cycle = cycles.get(id);
        if later == id || (cycle.is_some() && cycle == cycles.get(&**later)) {
            continue;
        }
        let later = store.entry(later)?;
        let holds =
            |later: &super::types::Entry| later.status != Status::Removed && !later.is_rejected();
        if later.as_ref().is_some_and(holds) {
            return Ok(Status::Superseded);
        }
    }
    Ok(Status::Active)
}

/// Recomputes the status of duplicates, for a store written by a version of aidd that did not
/// detect them.
pub(super) fn resolve_duplicates(
    store: &mut dyn StorageBackend,
    gate: &Gate,
) -> Result<(), MemoryError> {
    let kinds = vec![Kind::Decision, Kind::Convention];
    let mut by_key: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in store.entries(&Query { kinds, ..Query::new(Layers::PERMANENT) })? {
        if let Some(key) = duplicate_key(&entry) {
            by_key.entry(key).or_default().push(entry.id);
        }
    }
    let duplicates = by_key.into_values().filter(|ids| ids.len() > 1).flatten();
    AffectedMemories(duplicates.collect()).resolve(store, gate)
}

/// Deletes permanent memories that have no line: damage to a store can leave such memories behind.
pub(super) fn delete_memories_without_lines(
    store: &mut dyn StorageBackend,
) -> Result<(), MemoryError> {
    let query = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::PERMANENT) };
    for entry in store.entries(&query)? {
        if !store.lines_of(&entry.id)?.iter().any(|line| line.present && line.line.id == entry.id) {
            store.delete_entry(&entry.id)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
