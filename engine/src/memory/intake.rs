//! Taking in memories that were made elsewhere, with the ids they come with: once.

use super::MemoryError;
use super::log::Revision;
use super::project::ProjectMemory;
use super::store::Durability;
use super::types::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What was taken in, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenIn {
    /// The memories that are new, or of which a line is.
    pub new: Vec<String>,
    /// How many lines and memories were there already.
    pub known: usize,
    /// How many of the new ones lost private text or a secret on the way.
    pub redacted: usize,
}

impl ProjectMemory {
    /// Takes in revisions of permanent memories and memories of this checkout. Those that are there
    /// stay as they are; with `only_look`, all do.
    ///
    /// # Errors
    /// When a revision is of a type that no tracked file holds, or a file cannot be written.
    pub fn take_in(
        &mut self,
        revisions: &[Revision],
        entries: &[Entry],
        only_look: bool,
    ) -> Result<TakenIn, MemoryError> {
        let mut taken = self.write_permanent(&mut |memory| {
            let (revisions, taken) = memory.unknown_lines(revisions)?;
            Ok((if only_look { Vec::new() } else { revisions }, taken))
        })?;
        let (mut new, mut seen) = (Vec::new(), BTreeSet::new());
        for entry in entries {
            let is_known = self.read(&mut |store| store.entry(&entry.id))?.is_some();
            if is_known || !seen.insert(&entry.id) {
                taken.known += 1;
            } else {
                taken.redacted += usize::from(*self.gate.clean(entry)? != *entry);
                taken.new.push(entry.id.clone());
                new.push(entry);
            }
        }
        if !only_look && !new.is_empty() {
            self.write(Durability::Full, &mut |store, gate| {
                new.iter().try_for_each(|entry| store.put_entry(&gate.clean(*entry)?))
            })?;
        }
        Ok(taken)
    }

    /// The lines that the tracked files do not hold, as they will be written. A line whose words
    /// change at the gate has another hash then, which the lines after it have to name.
    fn unknown_lines(
        &mut self,
        revisions: &[Revision],
    ) -> Result<(Vec<Revision>, TakenIn), MemoryError> {
        let mut in_order: Vec<&Revision> = revisions.iter().collect();
        in_order.sort_by_key(|revision| revision.at);
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        let (mut unknown, mut taken) = (Vec::new(), TakenIn::default());
        let (mut lines, mut memories) = (BTreeSet::new(), BTreeSet::new());
        for revision in in_order {
            let mut revision = revision.clone();
            let stated = revision.clone().sealed().rev;
            for parent in &mut revision.parents {
                if let Some(name) = renamed.get(parent) {
                    parent.clone_from(name);
                }
            }
            let clean = self.gate.clean(&revision)?.into_inner();
            let is_redacted = clean != revision;
            let clean = clean.sealed();
            let there = self.store().lines_of(&clean.id)?;
            let is_known = there.iter().any(|line| line.present && line.line.rev == clean.rev);
            if clean.rev != stated {
                renamed.insert(stated, clean.rev.clone());
            }
            if is_known || !lines.insert(clean.rev.clone()) {
                taken.known += 1;
                continue;
            }
            taken.redacted += usize::from(is_redacted);
            if memories.insert(clean.id.clone()) {
                taken.new.push(clean.id.clone());
            }
            unknown.push(clean);
        }
        Ok((unknown, taken))
    }
}
