use super::*;
use crate::store::{BackendChoice, Durability, in_memory, open, transaction};
use aidd_engine::parse::lines::active_set::ActiveSet;
use aidd_engine::parse::lines::log::{FoldedMemory, fold};
use aidd_engine::parse::lines::types::{Kind, Link, Relation};
use proptest::prelude::*;
use std::path::Path;
use tempfile::TempDir;

/// An operation on a memory of [`NAMES`]: its index and the indexes of the memories that it then
/// supersedes, or `None` to remove the memory.
type Operation = (usize, Option<Vec<usize>>);

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let links = proptest::collection::vec(0..NAMES.len(), 0..4);
    let operation = (0..NAMES.len(), proptest::option::weighted(0.8, links));
    proptest::collection::vec(operation, 1..16)
}

/// Creates the line that the operation adds after the `earlier` lines.
fn line(earlier: &[Revision], at: usize, (memory, links): &Operation) -> Revision {
    let id = NAMES[*memory].to_owned();
    let own: Vec<Revision> = earlier.iter().filter(|line| line.id == id).cloned().collect();
    let at = i64::try_from(at).expect("small");
    let first =
        Revision { parents: log::tips(&own), ..Revision::first(Kind::Decision, id, at, "x") };
    let to = |link: &usize| Link::new(Relation::Supersedes, NAMES[*link]);
    match links {
        Some(links) => Revision { links: links.iter().map(to).collect(), ..first },
        None => Revision { op: log::Op::Remove, content: String::new(), ..first },
    }
    .with_rev()
}

/// The active memories, computed from the lines alone.
fn active_by_lines(lines: &[Revision]) -> Vec<&'static str> {
    let folded_memory = |id: &&str| {
        let own: Vec<Revision> = lines.iter().filter(|line| line.id == **id).cloned().collect();
        fold(&own)
    };
    let memories: Vec<FoldedMemory> = NAMES.iter().filter_map(folded_memory).collect();
    let active_set = ActiveSet::new(&memories);
    NAMES.into_iter().filter(|id| active_set.is_active(id)).collect()
}

fn active_by_store(store: &mut dyn StorageBackend) -> Vec<&'static str> {
    let mut is_active = |id: &&str| {
        let entry = store.entry(id).expect("read");
        entry.is_some_and(|entry| entry.status == Status::Active)
    };
    NAMES.into_iter().filter(|id| is_active(id)).collect()
}

fn check_operations(
    store: &mut dyn StorageBackend,
    operations: &[Operation],
) -> Result<(), TestCaseError> {
    let gate = Gate::new(&crate::DISTRIBUTION);
    let mut lines: Vec<Revision> = Vec::new();
    let mut import = |lines: &[Revision]| {
        transaction(store, Durability::Normal, &mut |store| {
            let mut import = LineImport::new(store, &gate, "decisions", false)?;
            lines.iter().cloned().try_for_each(|line| import.add(line))?;
            import.finish()
        })
        .expect("imported");
        active_by_store(store)
    };
    for (at, operation) in operations.iter().enumerate() {
        lines.push(line(&lines, at, operation));
        prop_assert_eq!(import(&lines), active_by_lines(&lines));
    }
    // Switches to a branch without the last lines and back, then to a branch with every other line.
    for count in [lines.len() / 2, lines.len()] {
        prop_assert_eq!(import(&lines[..count]), active_by_lines(&lines[..count]));
    }
    let every_other: Vec<Revision> = lines.iter().step_by(2).cloned().collect();
    prop_assert_eq!(import(&every_other), active_by_lines(&every_other));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn the_store_and_the_lines_agree_on_the_active_memories(operations in operations()) {
        check_operations(&mut *in_memory(Path::new("none")).expect("a store").store, &operations)?;
    }
}

#[test]
fn removing_one_link_of_a_cycle_resolves_the_whole_cycle() {
    let folder = TempDir::new().expect("a directory");
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let mut opened = open(folder.path(), choice, 7).expect("a store");
        // a supersedes d, b supersedes a, c supersedes b, d supersedes c; then d supersedes
        // nothing.
        let operations: [Operation; 5] = [
            (0, Some(vec![3])),
            (1, Some(vec![0])),
            (2, Some(vec![1])),
            (3, Some(vec![2])),
            (3, Some(vec![])),
        ];
        check_operations(&mut *opened.store, &operations).expect("the same");
    }
}

/// The cost of a save does not grow with the number of earlier decisions on its topic.
#[test]
fn saving_a_decision_reads_few_earlier_decisions() {
    let mut opened = in_memory(Path::new("none")).expect("a store");
    let gate = Gate::new(&crate::DISTRIBUTION);
    let mut save = |n: usize| {
        let links = n.checked_sub(1).map(|n| Link::new(Relation::Supersedes, &format!("d{n}")));
        let first = Revision::first(Kind::Decision, format!("d{n}"), 1, "x");
        let line = Revision { links: links.into_iter().collect(), ..first }.with_rev();
        transaction(&mut *opened.store, Durability::Normal, &mut |store| {
            put_lines(store, &gate, "decisions", vec![gate.clean(&line)?])
        })
        .expect("saved");
    };
    (0..60).for_each(&mut save);
    let ids = BTreeSet::from(["d59".to_owned(), "d58".to_owned()]);
    let superseders = Superseders::from_ids(&mut *opened.store, &ids).expect("memories");
    assert_eq!(superseders.superseding("d58"), ["d59"]);
    assert_eq!(superseders.superseding("d57"), [""; 0], "`d57` was not read");
    assert!(superseders.cycles().is_empty());
}
