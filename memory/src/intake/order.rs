//! The order in which the lines of an import are planned.

use crate::log::Revision;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Returns the revisions with their hashes. Each revision follows the revisions that it replaces,
/// because clocks can be set back; otherwise the revisions are ordered by time.
pub(super) fn parents_first(revisions: &[Revision]) -> Vec<(String, &Revision)> {
    let rev_of = |revision: &Revision| match &*revision.rev {
        "" => revision.clone().with_rev().rev,
        rev => rev.to_owned(),
    };
    let revs: Vec<String> = revisions.iter().map(rev_of).collect();
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
