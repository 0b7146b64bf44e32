//! Path searches in a graph, without recursion.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// For each node, the next node on a shortest path to a goal; the next node of a goal is the goal
/// itself. Paths contain only nodes that `through` accepts.
pub(super) fn next_hops(
    backward: &[Vec<usize>],
    goals: impl IntoIterator<Item = usize>,
    through: &dyn Fn(usize) -> bool,
) -> Vec<Option<usize>> {
    let mut next = vec![None; backward.len()];
    let mut queue: VecDeque<usize> = VecDeque::new();
    for goal in goals {
        if next[goal].is_none() {
            next[goal] = Some(goal);
            queue.push_back(goal);
        }
    }
    while let Some(at) = queue.pop_front() {
        for &previous in &backward[at] {
            if next[previous].is_none() && through(previous) {
                next[previous] = Some(at);
                queue.push_back(previous);
            }
        }
    }
    next
}

/// The path from `start` to a goal, inclusive.
pub(super) fn path(next: &[Option<usize>], start: usize) -> Vec<usize> {
    let mut nodes = vec![start];
    let mut at = start;
    while let Some(to) = next[at]
        && to != at
    {
        nodes.push(to);
        at = to;
    }
    nodes
}

/// The strongly connected components with two or more nodes; each sorted, ordered by their first
/// node. Tarjan's algorithm with an explicit stack.
pub(super) fn components(forward: &BTreeMap<usize, BTreeSet<usize>>) -> Vec<Vec<usize>> {
    let mut state = Tarjan::default();
    let mut found = Vec::new();
    for &root in forward.keys() {
        if !state.index.contains_key(&root) {
            state.search_from(root, forward, &mut found);
        }
    }
    found.retain(|component| component.len() > 1);
    for component in &mut found {
        component.sort_unstable();
    }
    found.sort();
    found
}

#[derive(Default)]
struct Tarjan {
    index: BTreeMap<usize, usize>,
    low: BTreeMap<usize, usize>,
    stack: Vec<usize>,
    on_stack: BTreeSet<usize>,
}

impl Tarjan {
    fn open(&mut self, node: usize) {
        let number = self.index.len();
        self.index.insert(node, number);
        self.low.insert(node, number);
        self.stack.push(node);
        self.on_stack.insert(node);
    }

    fn lower_link(&mut self, node: usize, to: usize) {
        if let Some(low) = self.low.get_mut(&node) {
            *low = to.min(*low);
        }
    }

    fn search_from(
        &mut self,
        root: usize,
        forward: &BTreeMap<usize, BTreeSet<usize>>,
        found: &mut Vec<Vec<usize>>,
    ) {
        let none = BTreeSet::new();
        let nexts = |node: usize| forward.get(&node).unwrap_or(&none).iter();
        self.open(root);
        let mut calls = vec![(root, nexts(root))];
        while let Some((node, remaining)) = calls.last_mut() {
            let node = *node;
            if let Some(&to) = remaining.next() {
                match self.index.get(&to) {
                    None => {
                        self.open(to);
                        calls.push((to, nexts(to)));
                    }
                    Some(&number) if self.on_stack.contains(&to) => self.lower_link(node, number),
                    Some(_) => {}
                }
                continue;
            }
            calls.pop();
            let low = self.low[&node];
            if let Some((caller, _)) = calls.last() {
                self.lower_link(*caller, low);
            }
            if low == self.index[&node] {
                found.push(self.close(node));
            }
        }
    }

    fn close(&mut self, node: usize) -> Vec<usize> {
        let mut component = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.on_stack.remove(&member);
            component.push(member);
            if member == node {
                break;
            }
        }
        component
    }
}

/// A shortest cycle through the first node of a component. Begins with that node, which is not
/// repeated at the end.
pub(super) fn cycle(forward: &BTreeMap<usize, BTreeSet<usize>>, component: &[usize]) -> Vec<usize> {
    let Some(&start) = component.first() else { return Vec::new() };
    let members: BTreeSet<usize> = component.iter().copied().collect();
    let mut previous: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &to in forward.get(&at).into_iter().flatten() {
            if to == start {
                let back = std::iter::successors(Some(at), |at| previous.get(at).copied());
                let mut cycle: Vec<usize> = back.collect();
                cycle.reverse();
                return cycle;
            }
            if members.contains(&to) && !previous.contains_key(&to) {
                previous.insert(to, at);
                queue.push_back(to);
            }
        }
    }
    Vec::new()
}
