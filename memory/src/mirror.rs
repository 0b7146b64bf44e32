//! Mirrors the lines of the tracked files in the store, and resolves them to memories.

use super::MemoryError;
use super::graph::Superseders;
use super::journal;
use super::log::{self, Revision};
use super::privacy::{Clean, Gate};
use super::store::{Layers, MirroredLine, Query, StorageBackend};
use super::types::{Kind, Layer, Relation, Status};
use aidd_engine::parse::lines::duplicates::{duplicate_key, find_duplicates};
use std::collections::{BTreeMap, BTreeSet, HashMap};

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

/// Makes the lines of a source in the store equal to those of its file, which are added one by one.
#[derive(Debug)]
pub(super) struct LineImport<'a> {
    store: &'a mut dyn StorageBackend,
    gate: &'a Gate,
    source: &'a str,
    /// Whether lines that the store already has are also rewritten, because they could be damaged.
    rebuilds: bool,
    /// The revisions in the store that the file has not contained so far, and whether the store
    /// considers them present.
    known: HashMap<Box<str>, bool>,
    changed: ChangedLines,
    counts: ImportCounts,
}

impl<'a> LineImport<'a> {
    pub(super) fn new(
        store: &'a mut dyn StorageBackend,
        gate: &'a Gate,
        source: &'a str,
        rebuilds: bool,
    ) -> Result<Self, MemoryError> {
        let lines = store.lines_in(source)?.into_iter();
        let known = lines.map(|(rev, _, present)| (rev.into_boxed_str(), present)).collect();
        let (changed, counts) = (ChangedLines::default(), ImportCounts::default());
        Ok(Self { store, gate, source, rebuilds, known, changed, counts })
    }

    /// Adds the next line of the file.
    pub(super) fn add(&mut self, revision: Revision) -> Result<(), MemoryError> {
        match self.known.remove(&*revision.rev) {
            Some(true) if !self.rebuilds => return Ok(()),
            Some(true) => {}
            Some(false) => {
                self.counts.new += 1;
                self.store.set_present(self.source, &revision.rev, true)?;
                self.changed.ids.insert(revision.id);
                return Ok(());
            }
            None => self.counts.new += 1,
        }
        let clean = self.gate.clean(&revision)?;
        self.changed.put(self.store, self.source, clean)
    }

    /// Marks the lines that the file no longer contains, and updates the memories.
    pub(super) fn finish(mut self) -> Result<ImportCounts, MemoryError> {
        self.known.retain(|_, present| *present);
        if !self.known.is_empty() {
            for (rev, id, _) in self.store.lines_in(self.source)? {
                if self.known.contains_key(&*rev) {
                    self.store.set_present(self.source, &rev, false)?;
                    self.changed.ids.insert(id);
                    self.counts.removed += 1;
                }
            }
        }
        self.changed.resolve(self.store, self.gate)?;
        Ok(self.counts)
    }
}

/// The memories whose lines changed in the store.
#[derive(Debug, Default)]
pub(super) struct ChangedLines {
    /// The memories to combine from their lines.
    ids: BTreeSet<String>,
    stored: StoredMemories,
}

/// The new memories with a single line, which are already stored.
#[derive(Debug, Default)]
struct StoredMemories {
    ids: BTreeSet<String>,
    /// The memories that they supersede.
    superseded: BTreeSet<String>,
}

impl ChangedLines {
    /// Adds a line to the store. The first line of a new memory is stored as the memory, too, because
    /// most memories have no other line.
    pub(super) fn put(
        &mut self,
        store: &mut dyn StorageBackend,
        file: &str,
        line: Clean<Revision>,
    ) -> Result<(), MemoryError> {
        let id = &line.id;
        let is_known = self.stored.ids.remove(id)
            || self.ids.contains(id)
            || store.has_lines(id)?
            || store.entry(id)?.is_some();
        if is_known {
            self.ids.insert(id.clone());
        } else if let Some((entry, links)) = line.folded() {
            store.put_entry(&entry)?;
            if !links.is_empty() {
                store.put_links(id, &links)?;
                let superseded = links.iter().filter(|link| link.relation == Relation::Supersedes);
                self.stored.superseded.extend(superseded.map(|link| link.to.clone()));
            }
            self.stored.ids.insert(id.clone());
        } else {
            self.ids.insert(id.clone());
        }
        store.put_line(&line.mirrored(file))
    }

    /// Updates the memories from their lines.
    pub(super) fn resolve(
        self,
        store: &mut dyn StorageBackend,
        gate: &Gate,
    ) -> Result<(), MemoryError> {
        AffectedMemories::from_ids(store, self.ids)?.resolve(store, gate, self.stored)
    }
}

pub(super) fn put_lines(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    file: &str,
    revisions: Vec<Clean<Revision>>,
) -> Result<(), MemoryError> {
    let mut changed = ChangedLines::default();
    for revision in revisions {
        changed.put(store, file, revision)?;
    }
    changed.resolve(store, gate)
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
    let ids = new.iter().map(|clean| clean.line.id.clone()).collect();
    let affected = AffectedMemories::from_ids(store, ids)?;
    for clean in &new {
        store.put_line(clean)?;
    }
    affected.resolve(store, gate, StoredMemories::default())?;
    Ok(new.len())
}

impl AffectedMemories {
    /// Collects the memories affected by changes to `ids`. Call this function before the memories
    /// are changed; their lines can already be changed.
    fn from_ids(
        store: &mut dyn StorageBackend,
        ids: BTreeSet<String>,
    ) -> Result<Self, MemoryError> {
        let mut affected = Self(ids);
        affected.add_duplicates(store)?;
        affected.add_cycles(&Superseders::from_ids(store, &affected.0)?);
        affected.add_superseded(store)?;
        Ok(affected)
    }

    /// Adds the memories that the affected memories supersede.
    fn add_superseded(&mut self, store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
        let mut superseded = Vec::new();
        for id in &self.0 {
            superseded.extend(store.superseded_by(id)?);
        }
        self.0.extend(superseded);
        Ok(())
    }

    /// Adds the duplicates of the affected memories: only one of several duplicates is displayed.
    /// Returns all memories that have a duplicate.
    fn add_duplicates(
        &mut self,
        store: &mut dyn StorageBackend,
    ) -> Result<BTreeSet<String>, MemoryError> {
        let repeated = store.duplicates(&self.0)?;
        self.0.extend(repeated.iter().cloned());
        Ok(repeated)
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

    /// Recomputes the content, links and status of the affected memories, and the status of the
    /// `stored` memories, whose content and links were just stored.
    fn resolve(
        mut self,
        store: &mut dyn StorageBackend,
        gate: &Gate,
        stored: StoredMemories,
    ) -> Result<(), MemoryError> {
        // A memory can have been stored before it became affected.
        for id in self.0.iter().filter(|id| !stored.ids.contains(*id)) {
            if !store.has_lines(id)? {
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
        // Most stored memories are neither superseded nor repeated: their status is as they were
        // stored.
        for id in &stored.ids {
            if !store.superseding(id)?.is_empty() {
                self.0.insert(id.clone());
            }
        }
        self.0.extend(store.duplicates(&stored.ids)?);
        self.0.extend(stored.superseded);
        drop(stored.ids);
        self.add_superseded(store)?;
        let (repeated, superseders) = loop {
            let known = self.0.len();
            let repeated = self.add_duplicates(store)?;
            let superseders = Superseders::from_ids(store, &self.0)?;
            self.add_cycles(&superseders);
            // Members of a cycle can have duplicates.
            if self.0.len() == known {
                break (repeated, superseders);
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
                    if repeated.contains(id) {
                        active.push(entry);
                    } else {
                        store.set_status(id, Status::Active)?;
                    }
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
    AffectedMemories(duplicates.collect()).resolve(store, gate, StoredMemories::default())
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
