//! Tests of rejected decisions: they are found, but never hold, supersede or conflict.

use super::*;
use crate::kinds::Decision;
use crate::log::Revision;
use crate::permanent::Edit;
use crate::recall::Question;
use crate::state;
use crate::store::{Layers, Query};
use crate::types::{Kind, Status, Verdict};
use serde_json::{Map, json};

fn rejected(content: &str) -> NewMemory<Decision> {
    let body = Decision { status: Some(Verdict::Rejected), ..Decision::default() };
    NewMemory { body, ..decision(content, Some("queue")) }
}

fn active(memory: &mut ProjectMemory) -> Vec<String> {
    let query = Query::active(Layers::PERMANENT, Kind::Decision);
    let entries = memory.read(&mut |store| store.entries(&query)).expect("entries");
    entries.into_iter().map(|entry| entry.content).collect()
}

#[test]
fn a_rejected_decision_is_found_but_does_not_hold() {
    on_both_stores(|_, memory| {
        let held = memory.save_decision(&decision("Use a table", Some("queue"))).expect("saved").id;
        let saved = memory.save_decision(&rejected("Use a broker")).expect("saved");
        assert!(saved.is_new && saved.superseded.is_empty());
        let again = memory.save_decision(&rejected("use a  broker.")).expect("saved");
        assert_eq!((again.is_new, &again.id), (false, &saved.id));
        assert_eq!(active(memory), ["Use a table"]);
        assert_eq!(memory.conflicts().expect("conflicts"), []);
        let state = state::read(memory, None, Some("broker")).expect("a state");
        assert_eq!(state.decisions.len() + state.failed.len(), 1);
        let question = Question { text: "broker".into(), ..Question::new(Layers::PERMANENT) };
        let hits = memory.search(&question).expect("found").hits;
        let hit = hits.iter().find(|hit| hit.id == saved.id).expect("a hit");
        assert_eq!(hit.status, Status::Rejected);
        assert_eq!(memory.chain(&held).expect("a chain").len(), 1);
    });
}

#[test]
fn rejecting_a_decision_reactivates_what_it_superseded() {
    on_both_stores(|root, memory| {
        memory.save_decision(&decision("Use a table", Some("queue"))).expect("saved");
        let second = memory.save_decision(&decision("Use a broker", Some("queue"))).expect("saved");
        assert_eq!((second.superseded.len(), active(memory)), (1, vec!["Use a broker".to_owned()]));
        let status = |word: &str| Map::from_iter([("status".to_owned(), json!(word))]);
        let edit = |word| Edit { fields: status(word), ..Edit::default() };
        memory.edit(Kind::Decision, &second.id, &edit("rejected")).expect("edited");
        assert_eq!(active(memory), ["Use a table"]);
        memory.edit(Kind::Decision, &second.id, &edit("accepted")).expect("edited");
        assert_eq!(active(memory), ["Use a broker"]);
        assert!(memory.edit(Kind::Decision, &second.id, &edit("maybe")).is_err());
        // A line of another clone has the same effect.
        let line = text(root, "ai/memory/decisions.jsonl");
        let last = line.lines().last().expect("a line");
        let revision: Revision = serde_json::from_str(last).expect("a revision");
        let metadata = status("rejected");
        let next = Revision {
            parents: vec![revision.rev.clone()],
            at: revision.at + 1,
            metadata,
            ..revision
        };
        write(root, "ai/memory/decisions.jsonl", &format!("{line}{}\n", next.with_rev().line()));
        assert_eq!(active(memory), ["Use a table"]);
    });
}

#[test]
fn reads_and_blocks_of_the_gate_are_counted() {
    use crate::pack_log::Reader;
    on_both_stores(|_, memory| {
        memory.note_pack_read("A-1", "x.pack.json", Reader::Server, false).expect("noted");
        memory.note_pack_read("A-1", "README.md", Reader::Hook, true).expect("noted");
        memory.note_pack_read("A-1", "x.pack.json", Reader::Server, false).expect("noted");
        memory.note_pack_read("A-2", "x.pack.json", Reader::Server, false).expect("noted");
        let reads = memory.pack_reads("A-1").expect("reads");
        let counts: Vec<(&str, u64)> = reads.iter().map(|read| (&*read.path, read.count)).collect();
        assert_eq!(counts, [("x.pack.json", 2), ("README.md", 1)]);
        let codes = ["memory_semantic_pack_missing".to_owned()];
        for phase in ["PLAN", "VERIFY", "SHIP", "PLAN"] {
            memory.note_pack_gate("A-1", phase, &codes, None).expect("noted");
        }
        memory.note_pack_gate("A-1", "SHIP", &codes, Some("no need (Anna)")).expect("noted");
        let figures = memory.gate_figures().expect("figures");
        assert_eq!((figures.blocked, figures.waived), (3, 1));
        assert_eq!(figures.false_block_rate(), Some(33));
        assert_eq!(memory.pack_waiver("A-1", "PLAN").expect("read"), None);
        assert!(memory.pack_waiver("A-1", "SHIP").expect("read").is_some());
    });
}
