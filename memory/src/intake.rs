//! Imports memories that were created elsewhere. Each memory retains its id and is imported only
//! once.

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
    /// Number of new lines and memories from which private text or a secret was removed.
    pub redacted: usize,
}

impl ProjectMemory {
    /// Imports revisions of permanent memories, and memories of this checkout. Existing memories
    /// are not changed; with `dry_run`, nothing is written.
    ///
    /// # Errors
    /// When a revision has a type without a tracked file, or a file cannot be written.
    pub fn import_entries(
        &mut self,
        revisions: &[Revision],
        entries: &[Entry],
        dry_run: bool,
    ) -> Result<ImportSummary, MemoryError> {
        let mut summary = self.write_permanent(&mut |memory| {
            let (revisions, summary) = memory.unknown_lines(revisions)?;
            Ok((if dry_run { Vec::new() } else { revisions }, summary))
        })?;
        let (mut new, mut seen) = (Vec::new(), BTreeSet::new());
        for entry in entries {
            let is_known = self.read(&mut |store| store.entry(&entry.id))?.is_some();
            if is_known || !seen.insert(&entry.id) {
                summary.known += 1;
            } else {
                summary.redacted += usize::from(*self.gate.clean(entry)? != *entry);
                summary.new.push(entry.id.clone());
                new.push(entry);
            }
        }
        if !dry_run && !new.is_empty() {
            self.write(Durability::Full, &mut |store, gate| {
                new.iter().try_for_each(|entry| store.put_entry(&gate.clean(*entry)?))
            })?;
        }
        Ok(summary)
    }

    /// Returns the lines that the tracked files do not contain, in the form in which they will be
    /// written. When the gate changes a line, the hash of the line changes, and the references of
    /// later lines are updated.
    fn unknown_lines(
        &mut self,
        revisions: &[Revision],
    ) -> Result<(Vec<Revision>, ImportSummary), MemoryError> {
        let mut new_revs: BTreeMap<String, String> = BTreeMap::new();
        let (mut unknown, mut summary) = (Vec::new(), ImportSummary::default());
        let (mut lines, mut memories) = (BTreeSet::new(), BTreeSet::new());
        for (old_rev, revision) in parents_first(revisions) {
            let mut revision = revision.clone();
            for parent in &mut revision.parents {
                if let Some(rev) = new_revs.get(parent) {
                    parent.clone_from(rev);
                }
            }
            let clean = self.gate.clean(&revision)?.into_inner();
            let is_redacted = clean != revision;
            let clean = clean.with_rev();
            let existing = self.store().lines_of(&clean.id)?;
            let is_known = existing.iter().any(|line| line.present && line.line.rev == clean.rev);
            if clean.rev != old_rev {
                new_revs.insert(old_rev, clean.rev.clone());
            }
            if is_known || !lines.insert(clean.rev.clone()) {
                summary.known += 1;
                continue;
            }
            summary.redacted += usize::from(is_redacted);
            if memories.insert(clean.id.clone()) {
                summary.new.push(clean.id.clone());
            }
            unknown.push(clean);
        }
        Ok((unknown, summary))
    }
}

/// Returns the revisions with their hashes. Each revision follows the revisions that it replaces,
/// because clocks can be set back; otherwise the revisions are ordered by time.
fn parents_first(revisions: &[Revision]) -> Vec<(String, &Revision)> {
    let revs: Vec<String> =
        revisions.iter().map(|revision| revision.clone().with_rev().rev).collect();
    let present: BTreeSet<&str> = revs.iter().map(String::as_str).collect();
    let mut children: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut pending_parents: Vec<usize> = Vec::new();
    for (index, revision) in revisions.iter().enumerate() {
        let parents: BTreeSet<&str> = revision.parents.iter().map(String::as_str).collect();
        let known: Vec<&str> = parents.intersection(&present).copied().collect();
        pending_parents.push(known.len());
        known.into_iter().for_each(|parent| children.entry(parent).or_default().push(index));
    }
    let ready = |index: usize| Reverse((revisions[index].at, index));
    let mut next: BinaryHeap<_> =
        (0..revisions.len()).filter(|index| pending_parents[*index] == 0).map(ready).collect();
    let mut order: Vec<usize> = Vec::new();
    while let Some(Reverse((_, index))) = next.pop() {
        order.push(index);
        // A line that replaces a duplicate line follows the first of the duplicates.
        for child in children.remove(&*revs[index]).unwrap_or_default() {
            pending_parents[child] -= 1;
            if pending_parents[child] == 0 {
                next.push(ready(child));
            }
        }
    }
    // Real hashes cannot form a cycle. Lines of a forged cycle are appended instead of dropped.
    order.extend((0..revisions.len()).filter(|index| pending_parents[*index] > 0));
    order.into_iter().map(|index| (revs[index].clone(), &revisions[index])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::parse::lines::types::Kind;

    #[test]
    fn a_line_follows_the_lines_it_replaces_despite_clock_skew() {
        let first = Revision::first(Kind::Decision, "d".into(), 9, "a").with_rev();
        let replacing = |at, parents: &[&Revision]| {
            let parents = parents.iter().map(|parent| parent.rev.clone()).collect();
            Revision { parents, at, ..first.clone() }.with_rev()
        };
        let (left, right) = (replacing(5, &[&first]), replacing(4, &[&first]));
        let merged = replacing(1, &[&left, &right]);
        let other = Revision::first(Kind::Decision, "e".into(), 7, "b").with_rev();
        let lines = [
            merged.clone(),
            left.clone(),
            first.clone(),
            first.clone(),
            right.clone(),
            other.clone(),
        ];
        let order: Vec<String> = parents_first(&lines).into_iter().map(|(rev, _)| rev).collect();
        let expected =
            [&other, &first, &right, &left, &merged, &first].map(|line| line.rev.clone());
        assert_eq!(order, expected);
    }
}
