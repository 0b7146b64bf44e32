//! Checks the import graph against the requirements of a page.

use super::order;
use super::parts::{Capture, Part, Targets};
use super::search::{components, cycle, next_hops, path as path_through};
use super::{Breach, LayersCheck, Step};
use crate::project::imports::{Edge, Graph, Target};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(
    layers: &LayersCheck,
    graph: &Graph,
    is_checked: &dyn Fn(&str) -> bool,
) -> Vec<Breach> {
    let mut checker = Checker::new(layers, graph, is_checked);
    checker.check_order(&layers.order);
    for rule in &layers.forbid {
        let goal = |path: &str| rule.to.contains(path) && !rule.except.contains(path);
        let package =
            |name: &str| rule.to.contains_package(name) && !rule.except.contains_package(name);
        let from = |path: &str| rule.from.contains(path);
        let has_packages = rule.to.has_packages();
        let goal =
            Goal { is_file: &goal, is_package: &package, has_packages, is_reported_itself: &from };
        checker.check_goal(&from, &goal, &|_, to| {
            let message = format!("`{}` must not import `{to}`", rule.from.text);
            (message, rule.from.text.clone(), rule.to.text.clone())
        });
    }
    for rule in &layers.only {
        checker.check_importers(&rule.to, &rule.from);
    }
    for capture in &layers.independent {
        checker.check_independence(capture);
    }
    for capture in &layers.acyclic {
        checker.check_cycles(capture);
    }
    if layers.packages_first {
        checker.breaches.extend(order::check(graph, &checker.edges, &checker.is_checked));
    }
    let mut breaches = checker.breaches;
    breaches.sort();
    breaches.dedup();
    breaches
}

struct Checker<'a> {
    graph: &'a Graph,
    /// The imports that are checked.
    edges: Vec<&'a Edge>,
    /// File → the imports that lead to it.
    backward: Vec<Vec<usize>>,
    is_checked: Vec<bool>,
    transitive: bool,
    breaches: Vec<Breach>,
}

/// The files and packages that must not be imported.
struct Goal<'a> {
    /// Whether the file at a path must not be imported.
    is_file: &'a dyn Fn(&str) -> bool,
    /// Whether a package must not be imported.
    is_package: &'a dyn Fn(&str) -> bool,
    has_packages: bool,
    /// Files whose own imports the page checks. The search for indirect imports stops at these
    /// files, because a finding is reported in them.
    is_reported_itself: &'a dyn Fn(&str) -> bool,
}

/// Builds the message and the names of the two parts for an import in a file (first argument) that
/// leads to a target (second argument).
type DescribeImport<'a> = dyn Fn(&str, &str) -> (String, String, String) + 'a;

impl<'a> Checker<'a> {
    fn new(layers: &LayersCheck, graph: &'a Graph, is_checked: &dyn Fn(&str) -> bool) -> Self {
        let is_included = |edge: &&Edge| {
            (layers.checks_tests || !edge.test) && !(layers.skips_types && edge.type_only)
        };
        let edges: Vec<&Edge> = graph.edges.iter().filter(is_included).collect();
        let mut backward = vec![Vec::new(); graph.files.len()];
        if layers.transitive {
            for edge in &edges {
                for &to in targets(edge) {
                    backward[to].push(edge.from);
                }
            }
        }
        Self {
            graph,
            edges,
            backward,
            is_checked: graph.files.iter().map(|file| is_checked(&file.path)).collect(),
            transitive: layers.transitive,
            breaches: Vec::new(),
        }
    }

    fn path(&self, file: usize) -> &'a str {
        &self.graph.files[file].path
    }

    /// Reports files matched by `from` that import a goal directly or, if indirect imports are
    /// checked, through other files.
    fn check_goal(
        &mut self,
        from: &dyn Fn(&str) -> bool,
        goal: &Goal<'_>,
        describe: &DescribeImport<'_>,
    ) {
        let is_from: Vec<bool> = self.graph.files.iter().map(|file| from(&file.path)).collect();
        let is_goal: Vec<bool> =
            self.graph.files.iter().map(|file| (goal.is_file)(&file.path)).collect();
        let is_reported: Vec<bool> =
            self.graph.files.iter().map(|file| (goal.is_reported_itself)(&file.path)).collect();
        let next = self.transitive.then(|| self.next_hops_to(&is_reported, &is_goal, goal));
        let mut breaches = Vec::new();
        for edge in &self.edges {
            if !is_from[edge.from] || !self.is_checked[edge.from] {
                continue;
            }
            let path = self.path(edge.from);
            let direct = match &edge.to {
                Target::Package(name) => (goal.is_package)(name).then(|| name.clone()),
                Target::Files(to) => {
                    to.iter().find(|&&to| is_goal[to]).map(|&to| self.path(to).to_owned())
                }
            };
            if let Some(to) = direct {
                breaches.push(breach(path, edge, describe(path, &to), Vec::new()));
                continue;
            }
            let Some(next) = &next else { continue };
            let start =
                targets(edge).iter().copied().find(|&to| !is_reported[to] && next[to].is_some());
            if let Some(start) = start {
                let steps = self.steps(&path_through(next, start), goal);
                let Some(last) = steps.last().map(|step| step.to.clone()) else { continue };
                let (message, from, to) = describe(path, &last);
                let intermediate = self.path(start);
                let message = format!("{message}, but does so through `{intermediate}`");
                breaches.push(breach(path, edge, (message, from, to), steps));
            }
        }
        self.breaches.extend(breaches);
    }

    fn next_hops_to(
        &self,
        is_reported: &[bool],
        is_goal: &[bool],
        goal: &Goal<'_>,
    ) -> Vec<Option<usize>> {
        let files = is_goal.iter().enumerate().filter(|(_, is_goal)| **is_goal).map(|(at, _)| at);
        let mut goals: Vec<usize> = files.collect();
        if goal.has_packages {
            let imports = |edge: &&&Edge| match &edge.to {
                Target::Package(name) => (goal.is_package)(name) && !is_reported[edge.from],
                Target::Files(_) => false,
            };
            goals.extend(self.edges.iter().filter(imports).map(|edge| edge.from));
        }
        next_hops(&self.backward, goals, &|at| !is_reported[at])
    }

    /// The imports along a path of files, and the import of the package at its end, if any.
    fn steps(&self, path: &[usize], goal: &Goal<'_>) -> Vec<Step> {
        let mut steps: Vec<Step> = path
            .windows(2)
            .filter_map(|pair| {
                let is_next =
                    |edge: &&&Edge| edge.from == pair[0] && targets(edge).contains(&pair[1]);
                let edge = self.edges_of(pair[0]).iter().find(|edge| is_next(edge))?;
                Some(self.step(edge, self.path(pair[1]).to_owned()))
            })
            .collect();
        let Some(&last) = path.last() else { return steps };
        if !(goal.is_file)(self.path(last)) {
            let package = self.edges_of(last).iter().find_map(|edge| match &edge.to {
                Target::Package(name) if (goal.is_package)(name) => Some((edge, name)),
                _ => None,
            });
            steps.extend(package.map(|(edge, name)| self.step(edge, name.clone())));
        }
        steps
    }

    /// The imports of one file; all imports are sorted by file.
    fn edges_of(&self, file: usize) -> &[&'a Edge] {
        let start = self.edges.partition_point(|edge| edge.from < file);
        let end = self.edges.partition_point(|edge| edge.from <= file);
        &self.edges[start..end]
    }

    fn step(&self, edge: &Edge, to: String) -> Step {
        Step { path: self.path(edge.from).to_owned(), span: edge.span, to }
    }

    fn check_order(&mut self, order: &[Vec<Part>]) {
        let position = |path: &str| {
            order.iter().enumerate().find_map(|(row, parts)| {
                let column = parts.iter().position(|part| part.contains(path))?;
                Some((row, column))
            })
        };
        let files = self.graph.files.iter().map(|file| file.path.as_str());
        let positions: BTreeMap<&str, (usize, usize)> =
            files.filter_map(|path| Some((path, position(path)?))).collect();
        let position = |path: &str| positions.get(path).copied();
        for (row, parts) in order.iter().enumerate() {
            for (column, part) in parts.iter().enumerate() {
                let from = |path: &str| position(path) == Some((row, column));
                let goal = |path: &str| {
                    position(path)
                        .is_some_and(|(to, other)| to < row || to == row && other != column)
                };
                let is_listed = |path: &str| position(path).is_some();
                let goal = Goal {
                    is_file: &goal,
                    is_package: &|_| false,
                    has_packages: false,
                    is_reported_itself: &is_listed,
                };
                self.check_goal(&from, &goal, &|_, to| {
                    let Some((above, at)) = position(to) else {
                        return (String::new(), String::new(), String::new());
                    };
                    let other = &order[above][at].text;
                    let why = if above < row { "a higher layer" } else { "part of the same layer" };
                    let message =
                        format!("`{}` must not import `{to}` of `{other}`, {why}", part.text);
                    (message, part.text.clone(), other.clone())
                });
            }
        }
    }

    /// Reports files outside `from` that import one of the targets `to`. Importing files of `from`
    /// is allowed.
    fn check_importers(&mut self, to: &Targets, from: &Part) {
        let transitive = std::mem::replace(&mut self.transitive, false);
        let goal = Goal {
            is_file: &|path| to.contains(path),
            is_package: &|name| to.contains_package(name),
            has_packages: false,
            is_reported_itself: &|_| false,
        };
        self.check_goal(
            &|path| !from.contains(path) && !to.contains(path),
            &goal,
            &|path, found| {
                let message = format!(
                    "`{path}` must not import `{found}`, which only `{}` may import",
                    from.text
                );
                (message, path.to_owned(), to.text.clone())
            },
        );
        self.transitive = transitive;
    }

    fn check_independence(&mut self, capture: &Capture) {
        if !self.transitive {
            return self.check_direct_independence(capture);
        }
        let keys: BTreeMap<&str, String> = self
            .graph
            .files
            .iter()
            .filter_map(|file| Some((file.path.as_str(), capture.key(&file.path)?)))
            .collect();
        let all: BTreeSet<&String> = keys.values().collect();
        for key in all {
            let goal = Goal {
                is_file: &|path| keys.get(path).is_some_and(|other| other != key),
                is_package: &|_| false,
                has_packages: false,
                is_reported_itself: &|path| keys.contains_key(path),
            };
            self.check_goal(&|path| keys.get(path) == Some(key), &goal, &|_, to| {
                describe_dependence(capture, key, to, keys.get(to).map_or("", String::as_str))
            });
        }
    }

    /// Like [`Self::check_independence`] without indirect imports: one pass over the imports, however
    /// many parts there are.
    fn check_direct_independence(&mut self, capture: &Capture) {
        let keys: Vec<Option<String>> =
            self.graph.files.iter().map(|file| capture.key(&file.path)).collect();
        for edge in self.edges.iter().filter(|edge| self.is_checked[edge.from]) {
            let Some(key) = &keys[edge.from] else { continue };
            let other = targets(edge)
                .iter()
                .find_map(|&to| Some((to, keys[to].as_ref().filter(|other| *other != key)?)));
            if let Some((to, other)) = other {
                let description = describe_dependence(capture, key, self.path(to), other);
                self.breaches.push(breach(self.path(edge.from), edge, description, Vec::new()));
            }
        }
    }

    /// Reports cycles between the files that a pattern matches or, if the pattern has captures,
    /// between the parts that the captures distinguish.
    fn check_cycles(&mut self, capture: &Capture) {
        let keys: Vec<Option<String>> =
            self.graph.files.iter().map(|file| capture.key(&file.path)).collect();
        let by_part = capture.has_names();
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let node = |file: usize, names: &mut BTreeMap<_, _>| {
            let key = keys[file].as_deref()?;
            let next = names.len();
            Some(if by_part { *names.entry(key).or_insert(next) } else { file })
        };
        let mut forward: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        // The first import from one node to another represents all imports between the two nodes.
        let mut imports: BTreeMap<(usize, usize), (&Edge, usize)> = BTreeMap::new();
        // Imports inside functions are commonly used to break a cycle, so they are not considered.
        for edge in self.edges.iter().filter(|edge| !edge.deferred) {
            let Some(from) = node(edge.from, &mut names) else { continue };
            for &target in targets(edge) {
                let Some(to) = node(target, &mut names).filter(|&to| to != from) else { continue };
                forward.entry(from).or_default().insert(to);
                imports.entry((from, to)).or_insert((edge, target));
            }
        }
        let part_names: BTreeMap<usize, &str> =
            names.iter().map(|(name, &index)| (index, *name)).collect();
        let display_node = |at: usize| {
            let name = part_names.get(&at).filter(|_| by_part).copied();
            name.unwrap_or_else(|| self.path(at)).to_owned()
        };
        let mut breaches = Vec::new();
        for component in components(&forward) {
            let cycle_nodes = cycle(&forward, &component);
            let returning = cycle_nodes.iter().copied().cycle().skip(1).take(cycle_nodes.len());
            let hops: Vec<(&Edge, usize)> = cycle_nodes
                .iter()
                .zip(returning)
                .filter_map(|(&from, to)| imports.get(&(from, to)).copied())
                .collect();
            // The cycle is reported in a file that is checked; the rest of the cycle can be in
            // files that are not checked.
            let Some(at) = hops.iter().position(|(edge, _)| self.is_checked[edge.from]) else {
                continue;
            };
            let mut names: Vec<String> =
                cycle_nodes.iter().map(|&node| display_node(node)).collect();
            names.rotate_left(at);
            let (first, rest) = (&names[0], names[1..].join("` → `"));
            let message = format!("import cycle: `{first}` → `{rest}` → `{first}`");
            let steps = hops.iter().cycle().skip(at + 1).take(hops.len() - 1);
            let steps =
                steps.map(|(edge, to)| self.step(edge, self.path(*to).to_owned())).collect();
            let description = (message, first.clone(), names.get(1).cloned().unwrap_or_default());
            let (edge, _) = hops[at];
            breaches.push(breach(self.path(edge.from), edge, description, steps));
        }
        self.breaches.extend(breaches);
    }
}

/// The message and the parts of an import of the file `to`, in the part `other`, by the part `key`.
fn describe_dependence(
    capture: &Capture,
    key: &str,
    to: &str,
    other: &str,
) -> (String, String, String) {
    let message = format!(
        "`{key}` must not import `{to}` of `{other}`: the parts of `{}` are independent",
        capture.text
    );
    (message, key.to_owned(), other.to_owned())
}

fn targets(edge: &Edge) -> &[usize] {
    match &edge.to {
        Target::Files(to) => to,
        Target::Package(_) => &[],
    }
}

fn breach(
    path: &str,
    edge: &Edge,
    (message, from, to): (String, String, String),
    steps: Vec<Step>,
) -> Breach {
    Breach { path: path.to_owned(), span: edge.span, message, from, to, steps }
}
