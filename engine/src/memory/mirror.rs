//! The lines of the tracked files in the store, and what they come to there.

use super::MemoryError;
use super::journal;
use super::log::{self, Revision};
use super::privacy::Gate;
use super::store::{Mirrored, Query, StorageBackend};
use super::types::{Entry, Layer, Relation, Status};
use std::collections::{BTreeMap, BTreeSet};

/// What was taken in from tracked files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Lines that were not known.
    pub new: usize,
    /// Lines that the files no longer hold. The store keeps them aside.
    pub gone: usize,
}

/// The permanent memories that a change touches, and those whose standing depends on them.
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

/// Makes the lines of a source in the store those of `revisions`; with `anew`, also those that the
/// store seems to have, as what it has may be damaged.
pub(super) fn take_in(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    source: &str,
    revisions: &[Revision],
    anew: bool,
) -> Result<Imported, MemoryError> {
    let mut imported = Imported::default();
    let mut known: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for (rev, id, present) in store.lines_in(source)? {
        known.insert(rev, (id, present));
    }
    let mut touched = Touched::default();
    for revision in revisions {
        match known.remove(&revision.rev) {
            Some((_, true)) if !anew => {}
            Some((_, true)) => {
                touched.add(store, &revision.id)?;
                put_line(store, gate, source, revision)?;
            }
            Some((id, false)) => {
                touched.add(store, &id)?;
                store.set_present(source, &revision.rev, true)?;
                imported.new += 1;
            }
            None => {
                touched.add(store, &revision.id)?;
                put_line(store, gate, source, revision)?;
                imported.new += 1;
            }
        }
    }
    for (rev, (id, present)) in known {
        if present {
            touched.add(store, &id)?;
            store.set_present(source, &rev, false)?;
            imported.gone += 1;
        }
    }
    touched.settle(store, gate)?;
    Ok(imported)
}

pub(super) fn put_lines(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    file: &str,
    revisions: &[Revision],
) -> Result<(), MemoryError> {
    let mut touched = Touched::default();
    for revision in revisions {
        touched.add(store, &revision.id)?;
        put_line(store, gate, file, revision)?;
    }
    touched.settle(store, gate)
}

/// Puts lines back that a damaged store held, with what they come to; how many were not there.
pub(super) fn restore(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    lines: &[&Mirrored],
) -> Result<usize, MemoryError> {
    let mut touched = Touched::default();
    let mut count = 0;
    for mirrored in lines {
        let Mirrored { file, line, .. } = mirrored;
        let known = store.lines_of(&line.id)?;
        let is_known = known.iter().any(|own| (&own.file, &own.line.rev) == (file, &line.rev));
        // The gate takes nothing out of a line that passed it.
        let clean = gate.clean(*mirrored).ok().filter(|clean| clean.line == *line);
        if let Some(clean) = clean.filter(|_| !is_known && journal::path_of(file).is_some()) {
            touched.add(store, &line.id)?;
            store.put_line(&clean)?;
            count += 1;
        }
    }
    touched.settle(store, gate)?;
    Ok(count)
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
    /// Notes a memory that is about to change, and what it supersedes now.
    fn add(&mut self, store: &mut dyn StorageBackend, id: &str) -> Result<(), MemoryError> {
        if self.0.insert(id.to_owned()) {
            self.targets(store, id)?;
        }
        Ok(())
    }

    fn targets(&mut self, store: &mut dyn StorageBackend, id: &str) -> Result<(), MemoryError> {
        let links = store.links(id)?;
        let own = links.into_iter().filter(|link| link.from == id);
        self.0.extend(own.filter(|link| link.relation == Relation::Supersedes).map(|link| link.to));
        Ok(())
    }

    /// Works out anew what the touched memories are and how they stand.
    fn settle(mut self, store: &mut dyn StorageBackend, gate: &Gate) -> Result<(), MemoryError> {
        for id in self.0.clone() {
            let lines = store.lines_of(&id)?;
            if lines.is_empty() {
                continue;
            }
            let present: Vec<Revision> =
                lines.into_iter().filter(|line| line.present).map(|line| line.line).collect();
            match log::fold(&present) {
                None => {
                    store.delete_entry(&id)?;
                }
                Some(folded) => {
                    store.put_entry(&gate.clean(&folded.entry)?)?;
                    store.put_links(&id, &gate.clean(&folded.links)?)?;
                }
            }
            self.targets(store, &id)?;
        }
        for id in &self.0 {
            if let Some(entry) = store.entry(id)?.filter(|entry| entry.status != Status::Removed) {
                let status = standing(store, &entry)?;
                store.set_status(id, status)?;
            }
        }
        Ok(())
    }
}

/// Whether a memory that was not removed is superseded: by one that was not removed, and that it
/// does not itself supersede. Merged branches may make a circle; then all in it hold, and are
/// listed as a conflict.
fn standing(store: &mut dyn StorageBackend, entry: &Entry) -> Result<Status, MemoryError> {
    for link in store.links(&entry.id)? {
        if link.relation != Relation::Supersedes || link.to != entry.id {
            continue;
        }
        let later = store.entry(&link.from)?;
        let holds = later.is_some_and(|later| later.status != Status::Removed);
        if holds && !super::graph::supersedes(store, &entry.id, &link.from)? {
            return Ok(Status::Superseded);
        }
    }
    Ok(Status::Active)
}

/// Takes permanent memories out that no line speaks of: leftovers of a damage.
pub(super) fn drop_strays(store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
    let query = Query {
        layers: vec![Layer::Permanent],
        statuses: Status::ALL.to_vec(),
        ..Query::default()
    };
    for entry in store.entries(&query)? {
        if !store.lines_of(&entry.id)?.iter().any(|line| line.present && line.line.id == entry.id) {
            store.delete_entry(&entry.id)?;
        }
    }
    Ok(())
}
