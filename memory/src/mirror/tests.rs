use super::*;
use crate::store::{Durability, Wanted, in_memory, open, transaction};
use aidd_engine::parse::lines::active_set::ActiveSet;
use aidd_engine::parse::lines::log::{Folded, fold};
use aidd_engine::parse::lines::types::{Kind, Link};
use proptest::prelude::*;
use std::path::Path;
use tempfile::TempDir;

/// An operation on one of a few memories: it is put with links to others, or removed.
type Act = (usize, Option<Vec<usize>>);

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let links = proptest::collection::vec(0..NAMES.len(), 0..4);
    let act = (0..NAMES.len(), proptest::option::weighted(0.8, links));
    proptest::collection::vec(act, 1..16)
}

/// The line for the operation, after the existing ones.
fn line(before: &[Revision], at: usize, (memory, links): &Act) -> Revision {
    let id = NAMES[*memory].to_owned();
    let own: Vec<Revision> = before.iter().filter(|line| line.id == id).cloned().collect();
    let at = i64::try_from(at).expect("small");
    let first =
        Revision { parents: log::tips(&own), ..Revision::first(Kind::Decision, id, at, "x") };
    let to = |link: &usize| Link::new(Relation::Supersedes, NAMES[*link]);
    match links {
        Some(links) => Revision { links: links.iter().map(to).collect(), ..first },
        None => Revision { op: log::Op::Remove, content: String::new(), ..first },
    }
    .sealed()
}

/// The active memories, computed from the lines alone.
fn by_lines(lines: &[Revision]) -> Vec<&'static str> {
    let of = |id: &&str| {
        let own: Vec<Revision> = lines.iter().filter(|line| line.id == **id).cloned().collect();
        fold(&own)
    };
    let memories: Vec<Folded> = NAMES.iter().filter_map(of).collect();
    let standing = ActiveSet::new(&memories);
    NAMES.into_iter().filter(|id| standing.is_active(id)).collect()
}

fn by_store(store: &mut dyn StorageBackend) -> Vec<&'static str> {
    let mut holds = |id: &&str| {
        let entry = store.entry(id).expect("read");
        entry.is_some_and(|entry| entry.status == Status::Active)
    };
    NAMES.into_iter().filter(|id| holds(id)).collect()
}

fn plays(store: &mut dyn StorageBackend, acts: &[Act]) -> Result<(), TestCaseError> {
    let gate = Gate::new(&crate::DISTRIBUTION);
    let mut lines: Vec<Revision> = Vec::new();
    let mut take = |lines: &[Revision]| {
        transaction(store, Durability::Normal, &mut |store| {
            take_in(store, &gate, "decisions", lines, false)
        })
        .expect("taken in");
        by_store(store)
    };
    for (at, act) in acts.iter().enumerate() {
        lines.push(line(&lines, at, act));
        prop_assert_eq!(take(&lines), by_lines(&lines));
    }
    // A branch without the last lines, and back; then every other line.
    for left in [lines.len() / 2, lines.len()] {
        prop_assert_eq!(take(&lines[..left]), by_lines(&lines[..left]));
    }
    let some: Vec<Revision> = lines.iter().step_by(2).cloned().collect();
    prop_assert_eq!(take(&some), by_lines(&some));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn the_store_and_the_lines_say_the_same_of_what_holds(acts in acts()) {
        plays(&mut *in_memory(Path::new("none")).expect("a store").store, &acts)?;
    }
}

#[test]
fn a_circle_of_four_is_left_by_all_when_one_link_goes() {
    let folder = TempDir::new().expect("a directory");
    for wanted in [Wanted::Sqlite, Wanted::Json] {
        let mut opened = open(folder.path(), wanted, 7).expect("a store");
        // a over d, b over a, c over b, d over c; then d over none.
        let acts: [Act; 5] = [
            (0, Some(vec![3])),
            (1, Some(vec![0])),
            (2, Some(vec![1])),
            (3, Some(vec![2])),
            (3, Some(vec![])),
        ];
        plays(&mut *opened.store, &acts).expect("the same");
    }
}

/// The cost of a save does not grow with the number of earlier decisions on its topic.
#[test]
fn a_new_decision_looks_at_few_of_the_old_ones() {
    let mut opened = in_memory(Path::new("none")).expect("a store");
    let gate = Gate::new(&crate::DISTRIBUTION);
    let mut save = |n: usize| {
        let links = n.checked_sub(1).map(|n| Link::new(Relation::Supersedes, &format!("d{n}")));
        let first = Revision::first(Kind::Decision, format!("d{n}"), 1, "x");
        let line = Revision { links: links.into_iter().collect(), ..first }.sealed();
        transaction(&mut *opened.store, Durability::Normal, &mut |store| {
            put_lines(store, &gate, "decisions", std::slice::from_ref(&line))
        })
        .expect("saved");
    };
    (0..60).for_each(&mut save);
    let ids = BTreeSet::from(["d59".to_owned(), "d58".to_owned()]);
    let above = Above::from_ids(&mut *opened.store, &ids).expect("above");
    assert_eq!(above.superseding("d58"), ["d59"]);
    assert_eq!(above.superseding("d57"), [""; 0], "it is not looked at");
    assert!(above.circles().is_empty());
}
