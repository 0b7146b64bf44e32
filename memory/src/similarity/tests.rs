use super::mistakes::MIN_STALE_ENTRIES;
use super::*;
use crate::permanent::Edit;
use crate::tests::{decision, mistake, on_both_stores, text, write};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

#[test]
fn removed_memories_are_not_compared() {
    const FILE: &str = "ai/memory/decisions.jsonl";
    on_both_stores(|root, memory| {
        let save = |memory: &mut ProjectMemory, n: usize| {
            let content = format!("Use PostgreSQL for the event store {}", "x".repeat(n));
            memory.save_decision(&decision(&content, None)).expect("saved").id
        };
        save(memory, 0);
        let with_one = text(root, FILE);
        for n in 1..=MAX_REPORTED {
            save(memory, n);
        }
        let with_all = text(root, FILE);
        for (lines, expected) in [(&with_one, 1), (&with_all, MAX_REPORTED), (&with_one, 1)] {
            write(root, FILE, lines);
            memory.read(&mut |_| Ok(())).expect("read");
            let similar = memory.similar(Kind::Decision, "Use PostgreSQL for the event store x");
            assert_eq!(similar.expect("similar").len(), expected);
        }
    });
}

#[test]
fn removed_mistakes_are_not_counted() {
    const FILE: &str = "ai/memory/mistakes.jsonl";
    on_both_stores(|root, memory| {
        let save = |memory: &mut ProjectMemory, word: &str| {
            let content = format!("{word} lost its connection to the broker in {word}");
            memory.save_mistake(&mistake(&content, "reconnect")).expect("saved").id
        };
        let id = save(memory, "worker");
        let with_one = text(root, FILE);
        save(memory, "importer failed since the index");
        let with_all = text(root, FILE);
        let own = pieces("connection");
        for _ in 0..50 {
            for (lines, expected) in [(&with_one, 1), (&with_all, 2)] {
                write(root, FILE, lines);
                memory.read(&mut |_| Ok(())).expect("read");
                let counts = memory.piece_counts(&own).expect("counts");
                assert_eq!(
                    (counts.memories, counts.by_piece.values().sum::<u32>()),
                    (expected, expected)
                );
            }
        }
        // Edits leave outdated entries, too.
        for n in 0..400 {
            let content = Some(format!("worker {n} lost its connection"));
            memory.edit(Kind::Mistake, &id, &Edit { content, ..Edit::default() }).expect("edited");
            memory.piece_counts(&BTreeSet::new()).expect("counts");
        }
        let known = memory.similarity.mistakes.known.len();
        assert!(known <= 2 * MIN_STALE_ENTRIES, "{known}");
    });
}

#[test]
fn a_sketch_excludes_no_similar_text_and_most_others() {
    let words = ["use", "postgres", "for", "events", "store", "queue", "redis", "cache", "at"];
    let text = |seed: usize| -> String {
        (0..3 + seed % 4)
            .map(|n| words[(seed * (n + 3) + n) % words.len()].to_owned() + " ")
            .collect()
    };
    let long = |seed: usize| -> BTreeSet<u64> {
        (0..120)
            .flat_map(|n| pieces(&format!("w{}", (seed * 31 + n * (seed + 7)) % 4001)))
            .collect()
    };
    let sketch = |pieces: &BTreeSet<u64>| {
        Sketch::from_bytes(&Sketch::new(pieces).to_bytes()).expect("the same length")
    };
    let mut passed = 0;
    for seed in 0..300 {
        for other in 0..100 {
            let (one, two) = (pieces(&text(seed)), pieces(&text(other)));
            let can_be = sketch(&one).can_be_similar(&sketch(&two));
            assert!(can_be || similarity(&one, &two) < MIN_SIMILARITY, "{one:?} {two:?}");
            let (one, two) = (long(seed), long(other));
            let can_be = sketch(&one).can_be_similar(&sketch(&two));
            let is_similar = similarity(&one, &two) >= MIN_SIMILARITY;
            assert!(can_be || !is_similar);
            passed += usize::from(can_be && !is_similar);
        }
    }
    assert!(passed < 300, "{passed} of 30,000");
    assert!(Sketch::UNKNOWN.can_be_similar(&Sketch::new(&pieces("a text"))));
    assert_eq!(Sketch::from_bytes(b"short"), None);
}

proptest! {
    #[test]
    fn a_sketch_excludes_no_similar_set_of_pieces(
        one in btree_set(any::<u64>(), 0..200),
        removed in 0_usize..100,
        added in vec(any::<u64>(), 0..100),
    ) {
        let mut two: BTreeSet<u64> = one.iter().skip(removed).copied().collect();
        two.extend(added);
        let can_be = Sketch::new(&one).can_be_similar(&Sketch::new(&two));
        prop_assert!(can_be || similarity(&one, &two) < MIN_SIMILARITY);
    }
}

#[test]
fn the_similar_memories_are_those_of_a_full_comparison() {
    let words = ["use", "postgres", "for", "events", "sessions", "redis", "cache", "queue"];
    on_both_stores(|_, memory| {
        let text = |n: usize| -> String {
            (0..4 + n % 3)
                .map(|at| words[(n * 5 + at * (1 + n % 2)) % 8].to_owned() + " ")
                .collect()
        };
        let mut all = Vec::new();
        for n in 0..24 {
            let content = format!("{}{n}", text(n));
            let new = decision(&content, None);
            let own = pieces(&content);
            let mut expected: Vec<(f64, String)> = all
                .iter()
                .map(|(id, other): &(String, String)| {
                    (similarity(&own, &pieces(other)), id.clone())
                })
                .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
                .collect();
            expected.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            expected.truncate(MAX_REPORTED);
            let saved = memory.save_decision(&new).expect("saved");
            let found: Vec<(f64, String)> =
                saved.similar.into_iter().map(|other| (other.similarity, other.id)).collect();
            assert_eq!(found, expected, "{content}");
            all.push((saved.id, content));
        }
    });
}
