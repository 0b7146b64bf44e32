//! Imports memories that were created elsewhere, with their ids, once.

use super::MemoryError;
use super::log::Revision;
use super::project::ProjectMemory;
use super::store::Durability;
use super::types::Entry;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Result of an import, or of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Ids of memories that are new or have a new line.
    pub new: Vec<String>,
    /// Number of lines and memories that already existed.
    pub known: usize,
    /// Number of new ones from which private text or a secret was removed.
    pub redacted: usize,
}

impl ProjectMemory {
    /// Imports revisions of permanent memories, and memories of this checkout. Existing ones are
    /// not changed; with `only_look`, nothing is written.
    ///
    /// # Errors
    /// When a revision has a type without a tracked file, or a file cannot be written.
    pub fn import_entries(
        &mut self,
        revisions: &[Revision],
        entries: &[Entry],
        only_look: bool,
    ) -> Result<ImportSummary, MemoryError> {
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

    /// The lines that the tracked files do not contain, as they will be written. When the gate
    /// changes a line, its hash changes, and the references of later lines are updated.
    fn unknown_lines(
        &mut self,
        revisions: &[Revision],
    ) -> Result<(Vec<Revision>, ImportSummary), MemoryError> {
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        let (mut unknown, mut taken) = (Vec::new(), ImportSummary::default());
        let (mut lines, mut memories) = (BTreeSet::new(), BTreeSet::new());
        for (stated, revision) in parents_first(revisions) {
            let mut revision = revision.clone();
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

/// Revisions with their hashes, each after those that it replaces and otherwise by time, because
/// clocks can go back.
fn parents_first(revisions: &[Revision]) -> Vec<(String, &Revision)> {
    let revs: Vec<String> =
        revisions.iter().map(|revision| revision.clone().sealed().rev).collect();
    let there: BTreeSet<&str> = revs.iter().map(String::as_str).collect();
    let mut children: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut waits: Vec<usize> = Vec::new();
    for (index, revision) in revisions.iter().enumerate() {
        let parents: BTreeSet<&str> = revision.parents.iter().map(String::as_str).collect();
        let known: Vec<&str> = parents.intersection(&there).copied().collect();
        waits.push(known.len());
        known.into_iter().for_each(|parent| children.entry(parent).or_default().push(index));
    }
    let ready = |index: usize| Reverse((revisions[index].at, index));
    let mut next: BinaryHeap<_> =
        (0..revisions.len()).filter(|index| waits[*index] == 0).map(ready).collect();
    let mut order: Vec<usize> = Vec::new();
    while let Some(Reverse((_, index))) = next.pop() {
        order.push(index);
        // Of duplicate lines, the first counts.
        for child in children.remove(&*revs[index]).unwrap_or_default() {
            waits[child] -= 1;
            if waits[child] == 0 {
                next.push(ready(child));
            }
        }
    }
    // Hashes cannot be cyclic. Forged cycles are appended instead of dropped.
    order.extend((0..revisions.len()).filter(|index| waits[*index] > 0));
    order.into_iter().map(|index| (revs[index].clone(), &revisions[index])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::parse::lines::types::Kind;

    #[test]
    fn a_line_follows_the_lines_it_replaces_despite_clock_skew() {
        let first = Revision::first(Kind::Decision, "d".into(), 9, "a").sealed();
        let with = |at, parents: &[&Revision]| {
            let parents = parents.iter().map(|parent| parent.rev.clone()).collect();
            Revision { parents, at, ..first.clone() }.sealed()
        };
        let (one, two) = (with(5, &[&first]), with(4, &[&first]));
        let both = with(1, &[&one, &two]);
        let other = Revision::first(Kind::Decision, "e".into(), 7, "b").sealed();
        let lines =
            [both.clone(), one.clone(), first.clone(), first.clone(), two.clone(), other.clone()];
        let order: Vec<String> = parents_first(&lines).into_iter().map(|(rev, _)| rev).collect();
        let expected = [&other, &first, &two, &one, &both, &first].map(|line| line.rev.clone());
        assert_eq!(order, expected);
    }
}
