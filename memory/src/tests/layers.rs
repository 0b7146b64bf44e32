//! Tests with random histories of branches, sessions and merges in two clones: a reader of each
//! layer ([`Layers`]) sees exactly the memories that a simple model predicts. Observations of
//! sessions and branches are never decisions of the project, and promoted observations exist once.
#![expect(clippy::disallowed_methods, reason = "tests read and write files")]

mod cases;

use super::faults::{Rng, size};
use super::*;
use crate::branches::join;
use crate::kinds::{Convention, Observation};
use crate::permanent::Conflict;
use crate::recall::Question;
use crate::records::BranchContext;
use crate::state;
use crate::store::{Layers, Query};
use crate::types::{Kind, Link, Relation};
use std::collections::{BTreeMap, BTreeSet};

const BRANCHES: [&str; 3] = ["main", "login", "search"];
const CONVENTIONS: [&str; 2] = ["Use tabs", "Name booleans is, has or can"];

/// The expected contents of a branch.
#[derive(Clone, Debug, Default, PartialEq)]
struct BranchModel {
    /// Texts of permanent decisions.
    decisions: BTreeSet<String>,
    /// Comparison keys of permanent conventions.
    conventions: BTreeSet<String>,
    /// Pairs of a decision and the decision that it superseded.
    superseded: BTreeSet<(String, String)>,
    /// Observations that were promoted to permanent decisions.
    promoted: BTreeSet<String>,
    /// Decisions of sessions on a branch, with their observations.
    session_decisions: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// The tracked files.
    files: BTreeMap<String, String>,
}

impl BranchModel {
    fn active_decisions(&self) -> BTreeSet<String> {
        let is_active = |text: &&String| !self.superseded.iter().any(|(_, old)| old == *text);
        self.decisions.iter().filter(is_active).cloned().collect()
    }
}

/// A clone of the project: its directory, the checked-out branch, and observations of its sessions
/// (text and id).
struct TestClone {
    folder: TempDir,
    memory: ProjectMemory,
    branch: &'static str,
    observed: Vec<(String, String)>,
}

fn tracked_files(root: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for folder in ["ai/memory", ".aidd/branches", ".aidd/branches/archive"] {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.path().is_file()) {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            files.insert(path.clone(), text(root, &path));
        }
    }
    files
}

/// Replaces the tracked files with those of another branch, as Git does.
fn check_out(root: &Path, files: &BTreeMap<String, String>) {
    for path in tracked_files(root).keys().filter(|path| !files.contains_key(*path)) {
        std::fs::remove_file(root.join(path)).expect("removed");
    }
    for (path, text) in files {
        write(root, path, text);
    }
}

/// The files after a merge: the lines of both sides (`merge=union`), and both branch contexts
/// joined.
fn merged_files(
    ours: &BTreeMap<String, String>,
    theirs: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut files = ours.clone();
    for (path, text) in theirs {
        let own = files.entry(path.clone()).or_default();
        if path.ends_with(".jsonl") {
            let known: BTreeSet<String> = own.lines().map(str::to_owned).collect();
            for line in text.lines().filter(|line| !known.contains(*line)) {
                own.push_str(line);
                own.push('\n');
            }
        } else if own.is_empty() {
            own.clone_from(text);
        } else {
            let read = |text: &str| serde_json::from_str(text).expect("a context");
            let mut context: BranchContext = read(own);
            join(&mut context, read(text));
            *own = serde_json::to_string_pretty(&context).expect("a text") + "\n";
        }
    }
    files
}

struct Simulation {
    models: BTreeMap<&'static str, BranchModel>,
    clones: Vec<TestClone>,
    numbers: Rng,
    count: usize,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let clones = [("main", BackendChoice::Sqlite), ("login", BackendChoice::Json)].map(
            |(branch, choice)| {
                let folder = TempDir::new().expect("a directory");
                // The Git index is empty, so missing files do not count as deleted by mistake.
                repository::TestRepository::new(folder.path());
                let start = START + if branch == "main" { 0 } else { 1 };
                let time = Arc::new(AtomicI64::new(start));
                let clock = Box::new(move || time.fetch_add(2, Ordering::Relaxed));
                let memory =
                    ProjectMemory::open(&crate::DISTRIBUTION, folder.path(), choice, clock)
                        .expect("a memory");
                TestClone { folder, memory, branch, observed: Vec::new() }
            },
        );
        let models = BRANCHES.map(|branch| (branch, BranchModel::default())).into();
        Self { models, clones: clones.into(), numbers: Rng(seed), count: 0 }
    }

    fn words(&mut self) -> String {
        self.count += 1;
        format!("{} number {}", self.numbers.words(2), self.count)
    }

    fn commit(&mut self, at: usize) {
        let clone = &self.clones[at];
        self.models.get_mut(clone.branch).expect("a branch").files =
            tracked_files(clone.folder.path());
    }

    fn step(&mut self) {
        let at = self.numbers.below(2);
        let branch = self.clones[at].branch;
        match self.numbers.below(9) {
            0 | 1 => self.run_session(at),
            2 => {
                let words = self.words();
                self.clones[at].memory.save_decision(&decision(&words, None)).expect("saved");
                self.models.get_mut(branch).expect("a branch").decisions.insert(words);
            }
            3 => {
                let words = CONVENTIONS[self.numbers.below(CONVENTIONS.len())];
                let typed =
                    if self.numbers.below(2) > 0 { words.to_uppercase() } else { words.into() };
                let body = Convention::default();
                let new = NewMemory { content: typed, body, ..NewMemory::default() };
                self.clones[at].memory.save_convention(&new).expect("saved");
                self.models
                    .get_mut(branch)
                    .expect("a branch")
                    .conventions
                    .insert(words.to_lowercase());
            }
            4 => self.supersede(at),
            5 => self.promote(at),
            6 => self.merge(at),
            _ => self.switch_branch(at),
        }
        self.commit(at);
    }

    /// Runs a session that observes decisions, some of which can already be known.
    fn run_session(&mut self, at: usize) {
        let branch = self.clones[at].branch;
        let known: Vec<String> = self.models[branch].active_decisions().into_iter().collect();
        let mut texts = vec![self.words()];
        if !known.is_empty() && self.numbers.below(3) == 0 {
            texts.push(known[self.numbers.below(known.len())].clone());
        }
        let clone = &mut self.clones[at];
        let session = clone.memory.start_session(new_session(branch)).expect("a session");
        let session_decisions = self
            .models
            .get_mut(branch)
            .expect("a branch")
            .session_decisions
            .entry(branch.to_owned());
        let session_decisions = session_decisions.or_default();
        for text in texts {
            let body = Observation::default();
            let id =
                clone.memory.observe(&session.id, Kind::Decision, &text, &body).expect("observed");
            session_decisions.entry(text.clone()).or_default().insert(id.clone());
            clone.observed.push((text, id));
        }
        clone.memory.end_session(&session.id, &serde_json::Map::new()).expect("ended");
    }

    fn supersede(&mut self, at: usize) {
        let branch = self.clones[at].branch;
        let active_decisions: Vec<String> =
            self.models[branch].active_decisions().into_iter().collect();
        if active_decisions.is_empty() {
            return;
        }
        let old = active_decisions[self.numbers.below(active_decisions.len())].clone();
        let new = self.words();
        let memory = &mut self.clones[at].memory;
        let id = ids(memory, &old).remove(0);
        let links = vec![Link::new(Relation::Supersedes, &id)];
        memory.save_decision(&NewMemory { links, ..decision(&new, None) }).expect("saved");
        let model = self.models.get_mut(branch).expect("a branch");
        model.decisions.insert(new.clone());
        model.superseded.insert((new, old));
    }

    /// Makes the memories of a branch permanent.
    fn promote(&mut self, at: usize) {
        let model = self.models.get_mut(self.clones[at].branch).expect("a branch");
        let branches: Vec<String> = model.session_decisions.keys().cloned().collect();
        if branches.is_empty() {
            return;
        }
        let branch = branches[self.numbers.below(branches.len())].clone();
        self.clones[at].memory.merge_branch(&branch).expect("merged");
        for (text, observed) in &model.session_decisions[&branch] {
            // A decision that was superseded meanwhile remains superseded; its observation remains
            // active.
            let is_superseded = model.superseded.iter().any(|(_, old)| old == text);
            if model.decisions.insert(text.clone()) || !is_superseded {
                model.promoted.extend(observed.iter().cloned());
            }
        }
    }

    /// Merges another branch.
    fn merge(&mut self, at: usize) {
        let own = self.clones[at].branch;
        let other = BRANCHES[self.numbers.below(BRANCHES.len())];
        let theirs = self.models[other].clone();
        let ours = self.models.get_mut(own).expect("a branch");
        ours.decisions.extend(theirs.decisions);
        ours.conventions.extend(theirs.conventions);
        ours.superseded.extend(theirs.superseded);
        ours.promoted.extend(theirs.promoted);
        for (branch, session_decisions) in theirs.session_decisions {
            let own = ours.session_decisions.entry(branch).or_default();
            for (text, observed) in session_decisions {
                own.entry(text).or_default().extend(observed);
            }
        }
        let files = merged_files(&ours.files, &theirs.files);
        check_out(self.clones[at].folder.path(), &files);
    }

    /// Checks out a branch that the other clone has not checked out.
    fn switch_branch(&mut self, at: usize) {
        let taken = self.clones[1 - at].branch;
        let free: Vec<&str> = BRANCHES.into_iter().filter(|name| *name != taken).collect();
        let branch = free[self.numbers.below(free.len())];
        self.clones[at].branch = branch;
        check_out(self.clones[at].folder.path(), &self.models[branch].files);
    }

    fn assert_matches_model(&mut self, seed: u64) {
        for clone in &mut self.clones {
            let model = &self.models[clone.branch];
            let active_decisions: Vec<String> = model.active_decisions().into_iter().collect();
            let unpromoted = clone.observed.iter().filter(|(_, id)| !model.promoted.contains(id));
            let session_decisions: Vec<String> = unpromoted.map(|(text, _)| text.clone()).collect();
            let all: Vec<String> =
                sorted(active_decisions.iter().chain(&session_decisions).cloned().collect());
            let session_decisions = sorted(session_decisions);
            let position = format!("seed {seed}, {}", clone.branch);
            for (layers, expected) in [
                (Layers::PERMANENT, &active_decisions),
                (Layers::SAVED, &active_decisions),
                (Layers::LOCAL, &Vec::new()),
                (Layers::SESSION, &session_decisions),
                (Layers::ALL, &all),
            ] {
                assert_eq!(
                    &active_texts(&mut clone.memory, layers),
                    expected,
                    "{position} {layers:?}"
                );
                let question =
                    Question { kinds: vec![Kind::Decision], limit: 9999, ..Question::new(layers) };
                let hits = clone.memory.search(&question).expect("found").hits;
                let titles = sorted(hits.into_iter().map(|hit| hit.title).collect());
                assert_eq!(&titles, expected, "{position} {layers:?}: search");
            }
            let current =
                state::read(&mut clone.memory, Some(clone.branch), Some("number")).expect("state");
            let reported =
                current.decisions.iter().map(|brief| brief.entry.content.clone()).collect();
            for text in sorted(reported) {
                assert!(active_decisions.contains(&text), "{position}: the state contains {text}");
            }
            let query = Query::active(Layers::ALL, Kind::Convention);
            let conventions =
                clone.memory.read(&mut |store| store.entries(&query)).expect("entries");
            let conventions =
                conventions.into_iter().map(|entry| entry.content.to_lowercase()).collect();
            let expected: Vec<String> = model.conventions.iter().cloned().collect();
            assert_eq!(sorted(conventions), expected, "{position}: each convention once");
            assert_eq!(
                forked_texts(&mut clone.memory),
                expected_forks(model),
                "{position}: conflicts"
            );
        }
    }
}

/// The texts of decisions that supersede the same decision and conflict, in groups.
fn forked_texts(memory: &mut ProjectMemory) -> Vec<Vec<String>> {
    let conflicts = memory.conflicts().expect("conflicts");
    let groups = conflicts.into_iter().filter_map(|conflict| match conflict {
        Conflict::Forked { ids } => Some(ids),
        _ => None,
    });
    let groups: Vec<Vec<String>> = groups.collect();
    let mut all: Vec<Vec<String>> = Vec::new();
    for ids in groups {
        let entries = memory.get(&ids).expect("there");
        all.push(sorted(entries.into_iter().map(|entry| entry.content).collect()));
    }
    all.sort();
    all
}

/// The conflicts that the model predicts: groups of active decisions that supersede the same
/// decision.
fn expected_forks(model: &BranchModel) -> Vec<Vec<String>> {
    let mut groups: Vec<BTreeSet<String>> =
        model.decisions.iter().map(|text| BTreeSet::from([text.clone()])).collect();
    for (new, old) in &model.superseded {
        let contains_either = |group: &BTreeSet<String>| group.contains(new) || group.contains(old);
        let (mut connected, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(contains_either);
        groups = rest;
        let joined = connected.drain(..).flatten().collect();
        groups.push(joined);
    }
    let active_decisions = model.active_decisions();
    let active_groups =
        groups.into_iter().map(|group| group.intersection(&active_decisions).cloned().collect());
    let mut active_groups: Vec<Vec<String>> =
        active_groups.filter(|active_groups: &Vec<String>| active_groups.len() > 1).collect();
    active_groups.sort();
    active_groups
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

fn entries(memory: &mut ProjectMemory, layers: Layers) -> Vec<crate::types::Entry> {
    let query = Query::active(layers, Kind::Decision);
    memory.read(&mut |store| store.entries(&query)).expect("entries")
}

fn active_texts(memory: &mut ProjectMemory, layers: Layers) -> Vec<String> {
    sorted(entries(memory, layers).into_iter().map(|entry| entry.content).collect())
}

/// The active permanent decisions with this text.
fn ids(memory: &mut ProjectMemory, text: &str) -> Vec<String> {
    let found = entries(memory, Layers::PERMANENT).into_iter();
    found.filter(|entry| entry.content == text).map(|entry| entry.id).collect()
}

#[test]
fn readers_see_the_memories_that_the_model_predicts() {
    for seed in 0..size(12, 400) as u64 {
        let mut simulation = Simulation::new(seed);
        for _ in 0..40 {
            simulation.step();
            simulation.assert_matches_model(seed);
        }
    }
}
