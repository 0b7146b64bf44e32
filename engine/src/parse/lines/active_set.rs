//! Determines which memories of a file are active, from the file alone.

use super::duplicates::find_duplicates;
use super::log::FoldedMemory;
use super::types::{Entry, Kind, Relation, Status};
use super::words::topic_key;
use std::collections::{BTreeMap, BTreeSet};

/// The memories of a file by id, and the ids of the active memories.
#[derive(Debug, Default)]
pub struct ActiveSet<'a> {
    memories: BTreeMap<&'a str, &'a FoldedMemory>,
    active: BTreeSet<&'a str>,
    /// The supersession cycle that a memory is part of, identified by one of its members.
    cycles: BTreeMap<&'a str, &'a str>,
}

/// A conflict between memories of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conflict<'a> {
    /// Several active decisions have the same topic: the normalized topic, and the ids.
    SharedTopic(String, Vec<&'a str>),
    /// The first memory contradicts the second, and both are active.
    Contradiction(&'a str, &'a str),
    /// The first memory supersedes the second and is superseded by the second, directly or
    /// indirectly.
    Cycle(&'a str, &'a str),
    /// All of these memories superseded the same memory, directly or indirectly, and are active:
    /// several branches replaced that memory independently.
    Forked(Vec<&'a str>),
}

impl<'a> ActiveSet<'a> {
    /// Analyzes the memories of one file.
    #[must_use]
    pub fn new(memories: &'a [FoldedMemory]) -> Self {
        let memories: BTreeMap<&str, &FoldedMemory> = memories
            .iter()
            .filter(|memory| !matches!(memory.entry.status, Status::Removed | Status::Rejected))
            .map(|memory| (&*memory.entry.id, memory))
            .collect();
        let mut set = Self { memories, ..Self::default() };
        set.cycles = find_cycles(set.links(Relation::Supersedes));
        let superseded: BTreeSet<&str> = set
            .links(Relation::Supersedes)
            .filter(|(from, to)| !set.is_cycle(from, to))
            .map(|(_, to)| to)
            .collect();
        set.active = set.memories.keys().copied().filter(|id| !superseded.contains(id)).collect();
        let active_entries = set.active.iter().map(|id| &set.memories[id].entry);
        let repeats = find_duplicates(active_entries);
        set.active.retain(|id| !repeats.contains_key(id));
        set
    }

    /// The links with this relation between memories of the file.
    fn links(&self, relation: Relation) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.memories.values().flat_map(move |memory| {
            let own = memory.links.iter().filter(move |link| link.relation == relation);
            own.filter(|link| self.memories.contains_key(&*link.to))
                .map(|link| (&*memory.entry.id, &*link.to))
        })
    }

    fn is_cycle(&self, from: &str, to: &str) -> bool {
        from == to || self.cycles.get(from).is_some_and(|cycle| self.cycles.get(to) == Some(cycle))
    }

    /// Whether a memory of the file is active.
    #[must_use]
    pub fn is_active(&self, id: &str) -> bool {
        self.active.contains(id)
    }

    /// All conflicts, ordered.
    #[must_use]
    pub fn conflicts(&self) -> Vec<Conflict<'a>> {
        let mut conflicts = Vec::new();
        let mut topics: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for &id in &self.active {
            if let Some(key) = normalized_topic(&self.memories[id].entry) {
                topics.entry(key).or_default().push(id);
            }
        }
        conflicts.extend(
            topics
                .into_iter()
                .filter(|(_, ids)| ids.len() > 1)
                .map(|(topic, ids)| Conflict::SharedTopic(topic, ids)),
        );
        let is_active = |id: &str| self.is_active(id);
        let contradicting = self.links(Relation::Contradicts);
        conflicts.extend(
            contradicting
                .filter(|(from, to)| is_active(from) && is_active(to))
                .map(|(from, to)| Conflict::Contradiction(from, to)),
        );
        let superseding = self.links(Relation::Supersedes);
        conflicts.extend(
            superseding
                .filter(|(from, to)| self.is_cycle(from, to) && is_active(to))
                .map(|(from, to)| Conflict::Cycle(from, to)),
        );
        conflicts.extend(self.find_forks().into_iter().map(Conflict::Forked));
        conflicts.sort();
        conflicts
    }

    /// See [`Conflict::Forked`].
    fn find_forks(&self) -> Vec<Vec<&'a str>> {
        let superseding: Vec<(&str, &str)> = self.links(Relation::Supersedes).collect();
        let mut forked = forks(&superseding, &|id| self.is_active(id));
        forked.retain(|ids| {
            let links = ids.iter().flat_map(|id| self.memories[id].links.iter());
            is_disconnected(ids, links.map(|link| (&*link.from, &*link.to)), |id| {
                normalized_topic(&self.memories[id].entry)
            })
        });
        forked
    }
}

/// The normalized topic of a decision.
#[must_use]
pub fn normalized_topic(entry: &Entry) -> Option<String> {
    let topic = entry.topic.as_deref().filter(|_| entry.kind == Kind::Decision);
    topic.map(topic_key).filter(|key| !key.is_empty())
}

/// Groups of at least two active memories that are connected by these supersession links, directly
/// or indirectly.
#[must_use]
pub fn forks<'a>(
    superseding: &[(&'a str, &'a str)],
    is_active: &dyn Fn(&str) -> bool,
) -> Vec<Vec<&'a str>> {
    let ids = superseding.iter().flat_map(|(from, to)| [*from, *to]);
    let mut forks = connected_components(ids, superseding.iter().copied());
    forks.iter_mut().for_each(|ids| ids.retain(|id| is_active(id)));
    forks.retain(|ids| ids.len() > 1);
    forks
}

/// Whether links and shared topics leave the memories in more than one connected group. Memories
/// with the same topic are already reported as another conflict; two memories that intentionally
/// replace the same memory are linked.
#[must_use]
pub fn is_disconnected<'a>(
    ids: &[&'a str],
    links: impl Iterator<Item = (&'a str, &'a str)>,
    topic: impl Fn(&str) -> Option<String>,
) -> bool {
    let mut first_on: BTreeMap<String, &str> = BTreeMap::new();
    let mut on_topic = Vec::new();
    for id in ids {
        if let Some(topic) = topic(id) {
            on_topic.push((*first_on.entry(topic).or_insert(id), *id));
        }
    }
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    let links = links.filter(|(from, to)| known.contains(from) && known.contains(to));
    connected_components(ids.iter().copied(), links.chain(on_topic)).len() > 1
}

/// The groups of `ids` connected by `links` in any direction, each in order. Both ends of each link
/// are in `ids`.
fn connected_components<'a>(
    ids: impl Iterator<Item = &'a str>,
    links: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<Vec<&'a str>> {
    let ids: Vec<&str> = ids.collect::<BTreeSet<_>>().into_iter().collect();
    let mut parents: Vec<usize> = (0..ids.len()).collect();
    let root = |parents: &mut Vec<usize>, mut at: usize| {
        while parents[at] != at {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        at
    };
    for (from, to) in links {
        if let (Ok(from), Ok(to)) = (ids.binary_search(&from), ids.binary_search(&to)) {
            let (one, other) = (root(&mut parents, from), root(&mut parents, to));
            parents[one.max(other)] = one.min(other);
        }
    }
    let mut groups: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (at, id) in ids.iter().enumerate() {
        groups.entry(root(&mut parents, at)).or_default().push(id);
    }
    groups.into_values().collect()
}

/// Finds the cycles of more than one memory and maps each member to one member that identifies the
/// cycle. Uses the algorithm of Kosaraju and Sharir: a depth-first search, then a reverse search in
/// order of completion.
#[must_use]
pub fn find_cycles<'a>(
    links: impl Iterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<&'a str, &'a str> {
    let (mut forward, mut backward) = (BTreeMap::new(), BTreeMap::new());
    for (from, to) in links {
        forward.entry(from).or_insert_with(Vec::new).push(to);
        backward.entry(to).or_insert_with(Vec::new).push(from);
    }
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    for &id in forward.keys() {
        walk(id, &forward, &mut seen, &mut order);
    }
    let (mut seen, mut cycles) = (BTreeSet::new(), BTreeMap::new());
    for id in order.into_iter().rev() {
        let mut cycle = Vec::new();
        walk(id, &backward, &mut seen, &mut cycle);
        if cycle.len() > 1 {
            cycles.extend(cycle.into_iter().map(|member| (member, id)));
        }
    }
    cycles
}

/// Visits the nodes reachable from `start` along `links` that were not visited yet. Appends each
/// node to `order` after all nodes that are reachable from it were visited.
fn walk<'a>(
    start: &'a str,
    links: &BTreeMap<&'a str, Vec<&'a str>>,
    seen: &mut BTreeSet<&'a str>,
    order: &mut Vec<&'a str>,
) {
    if !seen.insert(start) {
        return;
    }
    let successors = |id: &str| links.get(id).map_or(&[][..], Vec::as_slice).iter();
    let mut path = vec![(start, successors(start))];
    while let Some((id, next)) = path.last_mut() {
        match next.find(|next| seen.insert(next)) {
            Some(&next) => path.push((next, successors(next))),
            None => {
                order.push(id);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::{Revision, fold};
    use super::super::types::Link;
    use super::*;

    fn memory(id: &str, topic: &str, links: &[(Relation, &str)]) -> FoldedMemory {
        let links = links.iter().map(|(relation, to)| Link::new(*relation, to)).collect();
        let first = Revision::first(Kind::Decision, id.into(), 1, id);
        let revision = Revision { topic: Some(topic.into()), links, ..first }.with_rev();
        fold(&[revision]).expect("a memory")
    }

    #[test]
    fn superseded_memories_do_not_conflict() {
        let supersedes = Relation::Supersedes;
        let memories = [
            memory("a", "Auth", &[]),
            memory("b", "auth", &[(supersedes, "a")]),
            memory("c", "auth ", &[(supersedes, "b"), (supersedes, "gone")]),
            memory("d", "store", &[]),
        ];
        assert_eq!(ActiveSet::new(&memories).conflicts(), []);
        let memories = [memory("a", "Auth", &[]), memory("b", " auth", &[])];
        let conflicts = [Conflict::SharedTopic("auth".into(), vec!["a", "b"])];
        assert_eq!(ActiveSet::new(&memories).conflicts(), conflicts);
    }

    #[test]
    fn all_memories_in_a_cycle_are_active() {
        let supersedes = Relation::Supersedes;
        let memories = [
            memory("a", "x", &[(supersedes, "c"), (supersedes, "e")]),
            memory("b", "y", &[(supersedes, "a")]),
            memory("c", "z", &[(supersedes, "b")]),
            memory("d", "w", &[(supersedes, "d"), (Relation::Contradicts, "a")]),
            memory("e", "v", &[]),
        ];
        let conflicts = ActiveSet::new(&memories).conflicts();
        assert_eq!(
            conflicts,
            [
                Conflict::Contradiction("d", "a"),
                Conflict::Cycle("a", "c"),
                Conflict::Cycle("b", "a"),
                Conflict::Cycle("c", "b"),
                Conflict::Cycle("d", "d"),
            ]
        );
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let ids: Vec<String> = (0..20_000).map(|n| format!("d{n:05}")).collect();
        let memories: Vec<FoldedMemory> = ids
            .iter()
            .enumerate()
            .map(|(n, id)| {
                let before = n.checked_sub(1).map(|n| (Relation::Supersedes, &*ids[n]));
                memory(id, "one", before.as_slice())
            })
            .collect();
        assert_eq!(ActiveSet::new(&memories).conflicts(), []);
    }
}
