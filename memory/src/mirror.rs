//! Mirrors the lines of the tracked files in the store, and resolves them to memories.

use super::MemoryError;
use super::graph::Above;
use super::journal;
use super::log::{self, Revision};
use super::privacy::Gate;
use super::store::{Layers, Mirrored, Query, StorageBackend};
use super::types::{Kind, Layer, Relation, Status};
use aidd_engine::parse::lines::duplicates::{meaning_key, repeats};
use std::collections::{BTreeMap, BTreeSet};

/// Counts of an import from tracked files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Lines that were new.
    pub new: usize,
    /// Lines that the files no longer contain. The store retains them.
    pub gone: usize,
}

/// The permanent memories that a change affects, and those whose status depends on them.
#[derive(Default)]
struct Touched(BTreeSet<String>);

pub(super) fn missing(
    store: &mut dyn StorageBackend,
    file: &str,
) -> Result<Vec<Revision>, MemoryError> {
    let mut missing = Vec::new();
    for (rev, id, present) in store.lines_in(file)? {
        if !present {
            let own = store.lines_of(&id)?.into_iter().filter(|own| own.file == file);
            missing.extend(own.map(|own| own.line).filter(|line| line.rev == rev));
        }
    }
    Ok(missing)
}

/// The lines of a memory that its files contain now.
pub(super) fn present_lines(
    store: &mut dyn StorageBackend,
    id: &str,
) -> Result<Vec<Revision>, MemoryError> {
    let lines = store.lines_of(id)?.into_iter().filter(|line| line.present);
    Ok(lines.map(|line| line.line).collect())
}

/// Makes the lines of a source in the store equal to `revisions`; with `rebuilt`, also rewrites lines
/// that the store already has, because they may be damaged.
pub(super) fn take_in(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    source: &str,
    revisions: &[Revision],
    rebuilt: bool,
) -> Result<Imported, MemoryError> {
    let mut imported = Imported::default();
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
            imported.gone += 1;
        }
    }
    let touched = Touched::from_ids(store, changes.iter().map(Change::id))?;
    for change in &changes {
        match change {
            Change::Put(revision) => put_line(store, gate, source, revision)?,
            Change::Present { rev, is_present, .. } => {
                store.set_present(source, rev, *is_present)?;
            }
        }
    }
    touched.resolve(store, gate)?;
    Ok(imported)
}

/// What to do with a line in the store.
enum Change<'a> {
    /// Insert or replace the line.
    Put(&'a Revision),
    /// Set whether the file contains a known line.
    Present { id: String, rev: String, is_present: bool },
}

impl Change<'_> {
    /// The id of the memory that the line belongs to.
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
    let touched = Touched::from_ids(store, revisions.iter().map(|revision| &*revision.id))?;
    for revision in revisions {
        put_line(store, gate, file, revision)?;
    }
    touched.resolve(store, gate)
}

/// Restores the lines of a damaged store and resolves them; returns how many were missing.
pub(super) fn restore(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    lines: &[&Mirrored],
) -> Result<usize, MemoryError> {
    let mut new = Vec::new();
    for mirrored in lines {
        let Mirrored { file, line, .. } = mirrored;
        let known = store.lines_of(&line.id)?;
        let is_known = known.iter().any(|own| (&own.file, &own.line.rev) == (file, &line.rev));
        // The gate does not change a line that already passed it.
        let clean = gate.clean(*mirrored).ok().filter(|clean| clean.line == *line);
        new.extend(clean.filter(|_| !is_known && journal::is_source(file)));
    }
    let touched = Touched::from_ids(store, new.iter().map(|clean| &*clean.line.id))?;
    for clean in &new {
        store.put_line(clean)?;
    }
    touched.resolve(store, gate)?;
    Ok(new.len())
}

fn put_line(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    file: &str,
    line: &Revision,
) -> Result<(), MemoryError> {
    let mirrored = Mirrored { file: file.to_owned(), present: true, line: line.clone() };
    store.put_line(&gate.clean(&mirrored)?)
}

impl Touched {
    /// The memories affected by changes to `ids`; call it before the changes are made.
    fn from_ids<'a>(
        store: &mut dyn StorageBackend,
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<Self, MemoryError> {
        let mut touched = Self(ids.map(str::to_owned).collect());
        touched.same(store)?;
        touched.add_cycles(&Above::from_ids(store, &touched.0)?);
        touched.targets(store)?;
        Ok(touched)
    }

    /// Adds the memories that these supersede.
    fn targets(&mut self, store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
        for id in self.0.clone() {
            let links = store.links(&id)?.into_iter();
            let own = links.filter(|link| link.from == id);
            let own = own.filter(|link| link.relation == Relation::Supersedes);
            self.0.extend(own.map(|link| link.to));
        }
        Ok(())
    }

    /// Adds the memories with the same meaning: only one of them is displayed.
    fn same(&mut self, store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
        let mut meanings = BTreeSet::new();
        for id in &self.0 {
            meanings.extend(store.entry(id)?.as_ref().and_then(meaning_key));
        }
        if !meanings.is_empty() {
            self.0.extend(store.same(&meanings)?.into_iter().map(|entry| entry.id));
        }
        Ok(())
    }

    /// Adds the memories that supersede each other in a cycle with one of these; they are all
    /// active.
    fn add_cycles(&mut self, above: &Above) {
        let circles = above.circles();
        let touched: BTreeSet<&str> =
            self.0.iter().filter_map(|id| circles.get(&**id).copied()).collect();
        let members = circles.iter().filter(|(_, circle)| touched.contains(*circle));
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
        self.targets(store)?;
        let above = loop {
            let known = self.0.len();
            self.same(store)?;
            let above = Above::from_ids(store, &self.0)?;
            self.add_cycles(&above);
            // Members of a cycle can have the same meaning as others.
            if self.0.len() == known {
                break above;
            }
        };
        let circles = above.circles();
        let mut holding = Vec::new();
        for id in &self.0 {
            if let Some(entry) = store.entry(id)?.filter(|entry| entry.status != Status::Removed) {
                let status = status_of(store, &entry.id, &above, &circles)?;
                if status == Status::Active && entry.layer == Layer::Permanent {
                    holding.push(entry);
                } else {
                    store.set_status(id, status)?;
                }
            }
        }
        let repeats = repeats(&holding);
        for entry in &holding {
            let is_repeat = repeats.contains_key(&*entry.id);
            let status = if is_repeat { Status::Superseded } else { Status::Active };
            store.set_status(&entry.id, status)?;
        }
        Ok(())
    }
}

/// Status of a memory that was not removed: superseded by a memory that was not removed and that it
/// does not supersede itself. Merged branches can create a cycle; then all its members are active
/// and are listed as a conflict. Follows the same rules as [`aidd_engine::parse::lines::active_set`]
/// does for files.
fn status_of(
    store: &mut dyn StorageBackend,
    id: &str,
    above: &Above,
    circles: &BTreeMap<&str, &str>,
) -> Result<Status, MemoryError> {
    for later in above.superseding(id) {
        let circle = circles.get(id);
        if later == id || (circle.is_some() && circle == circles.get(&**later)) {
            continue;
        }
        let later = store.entry(later)?;
        if later.is_some_and(|later| later.status != Status::Removed) {
            return Ok(Status::Superseded);
        }
    }
    Ok(Status::Active)
}

/// Recomputes the status of memories with equal meaning, for a store written by a version of aidd
/// that did not compare them.
pub(super) fn resolve_duplicates(
    store: &mut dyn StorageBackend,
    gate: &Gate,
) -> Result<(), MemoryError> {
    let kinds = vec![Kind::Decision, Kind::Convention];
    let mut by_meaning: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in store.entries(&Query { kinds, ..Query::new(Layers::PERMANENT) })? {
        if let Some(meaning) = meaning_key(&entry) {
            by_meaning.entry(meaning).or_default().push(entry.id);
        }
    }
    let several = by_meaning.into_values().filter(|ids| ids.len() > 1).flatten();
    Touched(several.collect()).resolve(store, gate)
}

/// Deletes permanent memories without any line, left over from damage.
pub(super) fn drop_strays(store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
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
