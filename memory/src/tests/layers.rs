//! What readers see of each layer, on random histories of branches, sessions and merges in two
//! clones: exactly what a simple model predicts. Observations of sessions and branches are never
//! decisions of the project, and promoted ones exist once.
#![expect(clippy::disallowed_methods, reason = "tests look at files")]

mod cases;

use super::faults::{Numbers, size};
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

/// The contents of a branch in the model.
#[derive(Clone, Debug, Default, PartialEq)]
struct Held {
    /// Texts of permanent decisions.
    decided: BTreeSet<String>,
    /// Comparison keys of permanent conventions.
    agreed: BTreeSet<String>,
    /// Pairs of a decision and the decision that it superseded.
    superseded: BTreeSet<(String, String)>,
    /// Observations that were promoted to permanent decisions.
    promoted: BTreeSet<String>,
    /// Decisions of sessions on a branch, with their observations.
    noted: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// The tracked files.
    files: BTreeMap<String, String>,
}

impl Held {
    fn holding(&self) -> BTreeSet<String> {
        let over = |text: &&String| !self.superseded.iter().any(|(_, old)| old == *text);
        self.decided.iter().filter(over).cloned().collect()
    }
}

/// A clone: its directory, the checked-out branch, and observations of its sessions (text and id).
struct Clone {
    folder: TempDir,
    memory: ProjectMemory,
    branch: &'static str,
    observed: Vec<(String, String)>,
}

fn tracked(root: &Path) -> BTreeMap<String, String> {
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

/// Replaces the files of a branch with those of another, as Git does.
fn check_out(root: &Path, files: &BTreeMap<String, String>) {
    for path in tracked(root).keys().filter(|path| !files.contains_key(*path)) {
        std::fs::remove_file(root.join(path)).expect("removed");
    }
    for (path, text) in files {
        write(root, path, text);
    }
}

/// Both sides of a merge: the lines of both (`merge=union`), and both branch contexts joined.
fn united(
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

struct World {
    held: BTreeMap<&'static str, Held>,
    clones: Vec<Clone>,
    numbers: Numbers,
    count: usize,
}

impl World {
    fn new(seed: u64) -> Self {
        let clones = [("main", Wanted::Sqlite), ("login", Wanted::Json)].map(|(branch, wanted)| {
            let folder = TempDir::new().expect("a directory");
            // With an empty index: missing files were not deleted by mistake.
            repository::TestRepository::new(folder.path());
            let start = START + if branch == "main" { 0 } else { 1 };
            let time = Arc::new(AtomicI64::new(start));
            let clock = Box::new(move || time.fetch_add(2, Ordering::Relaxed));
            let memory = ProjectMemory::open(&crate::DISTRIBUTION, folder.path(), wanted, clock)
                .expect("a memory");
            Clone { folder, memory, branch, observed: Vec::new() }
        });
        let held = BRANCHES.map(|branch| (branch, Held::default())).into();
        Self { held, clones: clones.into(), numbers: Numbers(seed), count: 0 }
    }

    fn words(&mut self) -> String {
        self.count += 1;
        format!("{} number {}", self.numbers.words(2), self.count)
    }

    fn commit(&mut self, at: usize) {
        let one = &self.clones[at];
        self.held.get_mut(one.branch).expect("a branch").files = tracked(one.folder.path());
    }

    fn act(&mut self) {
        let at = self.numbers.below(2);
        let branch = self.clones[at].branch;
        match self.numbers.below(9) {
            0 | 1 => self.work(at),
            2 => {
                let words = self.words();
                self.clones[at].memory.save_decision(&decision(&words, None)).expect("saved");
                self.held.get_mut(branch).expect("a branch").decided.insert(words);
            }
            3 => {
                let words = CONVENTIONS[self.numbers.below(CONVENTIONS.len())];
                let typed =
                    if self.numbers.below(2) > 0 { words.to_uppercase() } else { words.into() };
                let body = Convention::default();
                let new = New { content: typed, body, ..New::default() };
                self.clones[at].memory.save_convention(&new).expect("saved");
                self.held.get_mut(branch).expect("a branch").agreed.insert(words.to_lowercase());
            }
            4 => self.supersede(at),
            5 => self.promote(at),
            6 => self.merge(at),
            _ => self.leave(at),
        }
        self.commit(at);
    }

    /// A session that observes decisions, some of them possibly known, and ends.
    fn work(&mut self, at: usize) {
        let branch = self.clones[at].branch;
        let known: Vec<String> = self.held[branch].holding().into_iter().collect();
        let mut texts = vec![self.words()];
        if !known.is_empty() && self.numbers.below(3) == 0 {
            texts.push(known[self.numbers.below(known.len())].clone());
        }
        let one = &mut self.clones[at];
        let session = one.memory.start_session(new_session(branch)).expect("a session");
        let noted = self.held.get_mut(branch).expect("a branch").noted.entry(branch.to_owned());
        let noted = noted.or_default();
        for text in texts {
            let body = Observation::default();
            let id =
                one.memory.observe(&session.id, Kind::Decision, &text, &body).expect("observed");
            noted.entry(text.clone()).or_default().insert(id.clone());
            one.observed.push((text, id));
        }
        one.memory.end_session(&session.id, &serde_json::Map::new()).expect("ended");
    }

    fn supersede(&mut self, at: usize) {
        let branch = self.clones[at].branch;
        let holding: Vec<String> = self.held[branch].holding().into_iter().collect();
        if holding.is_empty() {
            return;
        }
        let old = holding[self.numbers.below(holding.len())].clone();
        let new = self.words();
        let memory = &mut self.clones[at].memory;
        let id = ids(memory, &old).remove(0);
        let links = vec![Link::new(Relation::Supersedes, &id)];
        memory.save_decision(&New { links, ..decision(&new, None) }).expect("saved");
        let held = self.held.get_mut(branch).expect("a branch");
        held.decided.insert(new.clone());
        held.superseded.insert((new, old));
    }

    /// Makes the memories of a branch permanent.
    fn promote(&mut self, at: usize) {
        let held = self.held.get_mut(self.clones[at].branch).expect("a branch");
        let branches: Vec<String> = held.noted.keys().cloned().collect();
        if branches.is_empty() {
            return;
        }
        let branch = branches[self.numbers.below(branches.len())].clone();
        self.clones[at].memory.merge_branch(&branch).expect("merged");
        for (text, observed) in &held.noted[&branch] {
            // A decision superseded meanwhile remains so, and the observation remains active.
            let is_over = held.superseded.iter().any(|(_, old)| old == text);
            if held.decided.insert(text.clone()) || !is_over {
                held.promoted.extend(observed.iter().cloned());
            }
        }
    }

    /// Merges another branch.
    fn merge(&mut self, at: usize) {
        let own = self.clones[at].branch;
        let other = BRANCHES[self.numbers.below(BRANCHES.len())];
        let theirs = self.held[other].clone();
        let ours = self.held.get_mut(own).expect("a branch");
        ours.decided.extend(theirs.decided);
        ours.agreed.extend(theirs.agreed);
        ours.superseded.extend(theirs.superseded);
        ours.promoted.extend(theirs.promoted);
        for (branch, noted) in theirs.noted {
            let own = ours.noted.entry(branch).or_default();
            for (text, observed) in noted {
                own.entry(text).or_default().extend(observed);
            }
        }
        let files = united(&ours.files, &theirs.files);
        check_out(self.clones[at].folder.path(), &files);
    }

    /// Checks out another branch, which the other clone does not have.
    fn leave(&mut self, at: usize) {
        let taken = self.clones[1 - at].branch;
        let free: Vec<&str> = BRANCHES.into_iter().filter(|name| *name != taken).collect();
        let branch = free[self.numbers.below(free.len())];
        self.clones[at].branch = branch;
        check_out(self.clones[at].folder.path(), &self.held[branch].files);
    }

    fn agrees(&mut self, seed: u64) {
        for one in &mut self.clones {
            let held = &self.held[one.branch];
            let holding: Vec<String> = held.holding().into_iter().collect();
            let left = one.observed.iter().filter(|(_, id)| !held.promoted.contains(id));
            let noted: Vec<String> = left.map(|(text, _)| text.clone()).collect();
            let all: Vec<String> = sorted(holding.iter().chain(&noted).cloned().collect());
            let noted = sorted(noted);
            let place = format!("seed {seed}, {}", one.branch);
            for (layers, expected) in [
                (Layers::PERMANENT, &holding),
                (Layers::SAVED, &holding),
                (Layers::LOCAL, &Vec::new()),
                (Layers::SESSION, &noted),
                (Layers::ALL, &all),
            ] {
                assert_eq!(&seen(&mut one.memory, layers), expected, "{place} {layers:?}");
                let question =
                    Question { kinds: vec![Kind::Decision], limit: 9999, ..Question::new(layers) };
                let hits = one.memory.search(&question).expect("found").hits;
                let titles = sorted(hits.into_iter().map(|hit| hit.title).collect());
                assert_eq!(&titles, expected, "{place} {layers:?}: search");
            }
            let current =
                state::read(&mut one.memory, Some(one.branch), Some("number")).expect("state");
            let reported =
                current.decisions.iter().map(|brief| brief.entry.content.clone()).collect();
            for text in sorted(reported) {
                assert!(holding.contains(&text), "{place}: should not contain {text}");
            }
            let query = Query::active(Layers::ALL, Kind::Convention);
            let agreed = one.memory.read(&mut |store| store.entries(&query)).expect("entries");
            let agreed = agreed.into_iter().map(|entry| entry.content.to_lowercase()).collect();
            let expected: Vec<String> = held.agreed.iter().cloned().collect();
            assert_eq!(sorted(agreed), expected, "{place}: each convention once");
            assert_eq!(forked(&mut one.memory), branched(held), "{place}: conflicts");
        }
    }
}

/// The conflicts about decisions that were replaced more than once, as text.
fn forked(memory: &mut ProjectMemory) -> Vec<Vec<String>> {
    let conflicts = memory.conflicts().expect("conflicts");
    let forked = conflicts.into_iter().filter_map(|conflict| match conflict {
        Conflict::Forked { ids } => Some(ids),
        _ => None,
    });
    let forked: Vec<Vec<String>> = forked.collect();
    let mut all: Vec<Vec<String>> = Vec::new();
    for ids in forked {
        let entries = memory.get(&ids).expect("there");
        all.push(sorted(entries.into_iter().map(|entry| entry.content).collect()));
    }
    all.sort();
    all
}

/// The same by the model: groups of active decisions above the same decision.
fn branched(held: &Held) -> Vec<Vec<String>> {
    let mut groups: Vec<BTreeSet<String>> =
        held.decided.iter().map(|text| BTreeSet::from([text.clone()])).collect();
    for (new, old) in &held.superseded {
        let is_of = |group: &BTreeSet<String>| group.contains(new) || group.contains(old);
        let (mut one, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_of);
        groups = rest;
        let joined = one.drain(..).flatten().collect();
        groups.push(joined);
    }
    let holding = held.holding();
    let tops = groups.into_iter().map(|group| group.intersection(&holding).cloned().collect());
    let mut tops: Vec<Vec<String>> = tops.filter(|tops: &Vec<String>| tops.len() > 1).collect();
    tops.sort();
    tops
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

fn entries(memory: &mut ProjectMemory, layers: Layers) -> Vec<crate::types::Entry> {
    let query = Query::active(layers, Kind::Decision);
    memory.read(&mut |store| store.entries(&query)).expect("entries")
}

fn seen(memory: &mut ProjectMemory, layers: Layers) -> Vec<String> {
    sorted(entries(memory, layers).into_iter().map(|entry| entry.content).collect())
}

/// The active permanent decisions with this text.
fn ids(memory: &mut ProjectMemory, text: &str) -> Vec<String> {
    let found = entries(memory, Layers::PERMANENT).into_iter();
    found.filter(|entry| entry.content == text).map(|entry| entry.id).collect()
}

#[test]
fn a_reader_sees_what_the_model_says() {
    for seed in 0..size(12, 400) as u64 {
        let mut world = World::new(seed);
        for _ in 0..40 {
            world.act();
            world.agrees(seed);
        }
    }
}
