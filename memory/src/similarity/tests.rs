use super::mistakes::MIN_STALE_ENTRIES;
use super::*;
use crate::permanent::Edit;
use crate::tests::{decision, mistake, on_both_stores, text, write};

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
