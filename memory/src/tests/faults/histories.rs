//! Tests with histories of two branches, merged in every possible way: nothing from either side is
//! lost, and the merge order does not matter.
#![expect(clippy::disallowed_methods, reason = "runs Git to merge")]

use super::*;
use crate::permanent::{Conflict, Edit};
use crate::store::Order;
use crate::types::{Link, Outcome, Relation};
use aidd_engine::parse::lines::active_set::{self, ActiveSet};
use aidd_engine::parse::lines::log::FoldedMemory;
use std::collections::BTreeSet;
use std::process::Command;

const FILES: [&str; 3] =
    ["ai/memory/decisions.jsonl", "ai/memory/mistakes.jsonl", "ai/memory/conventions.jsonl"];

/// One side of a history: its directory, and the decisions whose text it changed.
struct Side {
    folder: TempDir,
    edited: BTreeSet<String>,
}

/// Applies a random operation to a memory.
fn apply_random_operation(
    memory: &mut ProjectMemory,
    numbers: &mut Rng,
    edited: &mut BTreeSet<String>,
) {
    let oldest = Query { order: Order::Oldest, ..Query::active(Layers::PERMANENT, Kind::Decision) };
    let known: Vec<String> = memory
        .read(&mut |store| store.entries(&oldest))
        .expect("entries")
        .into_iter()
        .map(|entry| entry.id)
        .collect();
    // Older memories are chosen more often, so that both sides often choose the same memory.
    let pick = |numbers: &mut Rng| {
        let index = numbers.below(known.len()).min(numbers.below(known.len()));
        known[index].clone()
    };
    let text = numbers.words(4);
    let topic = format!("topic {}", numbers.below(5));
    match numbers.below(if known.is_empty() { 3 } else { 11 }) {
        0 | 1 => drop(memory.save_decision(&decision(&text, Some(&topic))).expect("saved")),
        2 => drop(memory.save_mistake(&mistake("cannot open the door", &text)).expect("saved")),
        3..=6 => {
            let id = pick(numbers);
            let edit = Edit { content: Some(text), ..Edit::default() };
            memory.edit(Kind::Decision, &id, &edit).expect("edited");
            edited.insert(id);
        }
        7 => {
            let id = pick(numbers);
            let edit = Edit { topic: Some(topic), ..Edit::default() };
            memory.edit(Kind::Decision, &id, &edit).expect("renamed");
        }
        8 => {
            let id = pick(numbers);
            memory.remove(Kind::Decision, &id, Some("moot")).expect("removed");
            edited.remove(&id);
        }
        9 => {
            let id = pick(numbers);
            memory.set_outcome(&id, Outcome::Failed, Some(&text)).expect("set");
        }
        _ => {
            let (from, to) = (pick(numbers), pick(numbers));
            let relation =
                if numbers.below(3) > 0 { Relation::Supersedes } else { Relation::Contradicts };
            // The link is rejected if it leads to the memory itself or creates a cycle.
            let _ = memory.link(&from, &Link::new(relation, &to));
        }
    }
}

/// The conflicts computed from all memories and links, independently of the stored status.
fn conflicts_from_links(memory: &mut ProjectMemory) -> Vec<Conflict> {
    let query = Query::new(Layers::PERMANENT);
    let (entries, links) = memory
        .read(&mut |store| Ok((store.entries(&query)?, store.all_links()?)))
        .expect("memories");
    let links_of = |id: &str| links.iter().filter(|link| link.from == id).cloned().collect();
    let memories: Vec<FoldedMemory> = entries
        .into_iter()
        .map(|entry| FoldedMemory { links: links_of(&entry.id), entry })
        .collect();
    let contested = memories.iter().map(|memory| &memory.entry);
    let contested = contested.filter(|entry| entry.is_contested());
    let mut conflicts: Vec<Conflict> = contested
        .map(|entry| Conflict::TwoHeads { id: entry.id.clone(), heads: entry.heads.clone() })
        .collect();
    let text = str::to_owned;
    conflicts.extend(ActiveSet::new(&memories).conflicts().into_iter().map(
        |conflict| match conflict {
            active_set::Conflict::SharedTopic(topic, ids) => {
                Conflict::OneTopic { topic, ids: ids.into_iter().map(text).collect() }
            }
            active_set::Conflict::Contradiction(from, to) => {
                Conflict::Contradiction { from: text(from), to: text(to) }
            }
            active_set::Conflict::Cycle(from, to) => {
                Conflict::Cycle { from: text(from), to: text(to) }
            }
            active_set::Conflict::Forked(ids) => {
                Conflict::Forked { ids: ids.into_iter().map(text).collect() }
            }
        },
    ));
    conflicts.sort();
    conflicts
}

/// Applies one to five random operations; returns the ids of the edited memories.
fn apply_random_operations(memory: &mut ProjectMemory, numbers: &mut Rng) -> BTreeSet<String> {
    let mut edited = BTreeSet::new();
    for _ in 0..1 + numbers.below(5) {
        apply_random_operation(memory, numbers, &mut edited);
    }
    edited
}

/// Opens a memory with a clock that starts at `start`.
fn open_with_clock(root: &Path, choice: BackendChoice, start: i64) -> ProjectMemory {
    let time = Arc::new(AtomicI64::new(start));
    let clock = Box::new(move || time.fetch_add(7, Ordering::Relaxed));
    ProjectMemory::open(&crate::DISTRIBUTION, root, choice, clock).expect("a memory")
}

fn lines_of(root: &Path, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Returns the lines of both sides, merged in one of six styles.
fn merged_text(style: usize, base: &[String], ours: &[String], theirs: &[String]) -> String {
    let (new_ours, new_theirs) = (&ours[base.len()..], &theirs[base.len()..]);
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (base_text, ours, theirs) = (text(base), text(new_ours), text(new_theirs));
    match style {
        // merge=union
        0 => base_text + &ours + &theirs,
        1 => base_text + &theirs + &ours,
        // Conflict markers are left in the file, in both styles of Git; one has Windows line
        // endings.
        2 => format!("{base_text}<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> x\n"),
        3 => format!("{base_text}<<<<<<< HEAD\n{ours}||||||| b\n=======\n{theirs}>>>>>>> x\n")
            .replace('\n', "\r\n"),
        // Both files one after the other, then all lines in reverse order.
        4 => format!("{base_text}{ours}{base_text}{theirs}"),
        _ => {
            let all = base_text + &ours + &theirs;
            all.lines().rev().map(|line| format!("{line}\n")).collect()
        }
    }
}

/// Checks one random history; returns the number of memories that both sides edited.
fn check_history(seed: u64) -> usize {
    let mut numbers = Rng(seed);
    let choice = if seed.is_multiple_of(2) { BackendChoice::Sqlite } else { BackendChoice::Json };
    let base = ram_temp_dir();
    let mut first = open_with_clock(base.path(), choice, START);
    apply_random_operations(&mut first, &mut numbers);
    apply_random_operations(&mut first, &mut numbers);
    drop(first);
    let mut side = |start: i64| {
        let folder = ram_temp_dir();
        for file in FILES {
            let lines = lines_of(base.path(), file);
            if !lines.is_empty() {
                write(folder.path(), file, &(lines.join("\n") + "\n"));
            }
        }
        let edited = apply_random_operations(
            &mut open_with_clock(folder.path(), choice, start),
            &mut numbers,
        );
        Side { folder, edited }
    };
    let (ours, theirs) = (side(START + 1_000), side(START + 1_003));
    let mut first = None;
    for style in 0..6 {
        let folder = ram_temp_dir();
        let mut all = 0;
        for file in FILES {
            let [base, ours, theirs] =
                [&base, &ours.folder, &theirs.folder].map(|folder| lines_of(folder.path(), file));
            if ours.len() + theirs.len() > 0 {
                write(folder.path(), file, &merged_text(style, &base, &ours, &theirs));
            }
            let lines: BTreeSet<&String> = ours.iter().chain(&theirs).collect();
            all += lines.len();
        }
        let mut memory = open_with_clock(folder.path(), choice, START + 9_000);
        let present_lines = memory
            .read(&mut |store| {
                let mut present_lines = 0;
                for file in ["decisions", "mistakes", "conventions"] {
                    present_lines +=
                        store.lines_in(file)?.iter().filter(|(_, _, present)| *present).count();
                }
                Ok(present_lines)
            })
            .expect("lines");
        assert_eq!(present_lines, all, "seed {seed}, merge style {style}: lines");
        let conflicts = memory.conflicts().expect("conflicts");
        assert_eq!(
            conflicts,
            conflicts_from_links(&mut memory),
            "seed {seed}, merge style {style}"
        );
        for id in ours.edited.intersection(&theirs.edited) {
            let is_contested = |conflict: &Conflict| matches!(conflict, Conflict::TwoHeads { id: found, heads } if found == id && heads.len() > 1);
            assert!(
                conflicts.iter().any(is_contested),
                "seed {seed}, merge style {style}: {id} {conflicts:?}"
            );
        }
        let permanent_memories = permanent_text(&mut memory);
        assert_eq!(
            first.get_or_insert_with(|| permanent_memories.clone()),
            &permanent_memories,
            "seed {seed}, merge style {style}"
        );
    }
    ours.edited.intersection(&theirs.edited).count()
}

#[test]
fn any_history_of_two_branches_preserves_both_sides() {
    let count = size(30, 1000);
    let edited_on_both: usize = (0..count).map(|seed| check_history(seed as u64)).sum();
    assert!(
        edited_on_both > count / 10,
        "only {edited_on_both} memories were edited on both sides"
    );
}

/// Git itself merges the tracked files as configured.
#[test]
fn git_merges_memory_without_a_conflict() {
    for seed in 0..size(2, 50) {
        let mut numbers = Rng(900 + seed as u64);
        let folder = TempDir::new().expect("a directory");
        let root = folder.path();
        let git = |args: &[&str]| {
            let output = Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
                .args(args)
                .current_dir(root)
                .output();
            output.map(|output| (output.status.success(), output))
        };
        let ok = |args: &[&str]| {
            let (ok, output) = git(args).expect("Git");
            assert!(ok, "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        };
        if git(&["init", "-q", "-b", "main"]).is_err() {
            print_note("Git is not installed");
            return;
        }
        write(root, ".gitattributes", "ai/memory/*.jsonl merge=union\n");
        write(root, ".gitignore", ".aidd/data.*\n");
        let mut memory = open_with_clock(root, BackendChoice::Sqlite, START);
        for _ in 0..3 {
            let text = numbers.words(4);
            memory.save_decision(&decision(&text, None)).expect("saved");
        }
        let commit = || {
            ok(&["add", "-A"]);
            ok(&["commit", "-q", "-m", "x"]);
        };
        commit();
        // The memory stays open throughout.
        let mut edited = Vec::new();
        for branch in ["one", "two"] {
            ok(&["checkout", "-q", "main"]);
            ok(&["checkout", "-q", "-b", branch]);
            edited.push(apply_random_operations(&mut memory, &mut numbers));
            let text = numbers.words(4);
            memory.save_decision(&decision(&text, Some("both"))).expect("saved");
            commit();
        }
        ok(&["merge", "-q", "one", "-m", "merged"]);
        assert_eq!(memory.problems().expect("problems"), []);
        assert_eq!(permanent_text(&mut memory), permanent_text_of_files(root), "seed {seed}");
        let conflicts = memory.conflicts().expect("conflicts");
        let is_shared_topic = |conflict: &&Conflict| matches!(conflict, Conflict::OneTopic { topic, ids } if topic == "both" && ids.len() == 2);
        assert!(conflicts.iter().find(is_shared_topic).is_some(), "seed {seed}: {conflicts:?}");
        for id in edited[0].intersection(&edited[1]) {
            let entry = memory.get(std::slice::from_ref(id)).expect("there").remove(0);
            assert!(entry.is_contested(), "seed {seed}: {id}");
        }
    }
}
