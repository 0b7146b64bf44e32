//! Tests of saving existing memories again, and of invalid fields.

use super::*;
use crate::kinds::{Convention, Decision};
use crate::log::Revision;
use crate::permanent::Edit;
use crate::types::{Entry, Kind, Link, Relation, Status};
use serde_json::{Value, json};

fn get_one(memory: &mut ProjectMemory, id: &str) -> Entry {
    memory.get(&[id.to_owned()]).expect("a memory").remove(0)
}

fn links(memory: &mut ProjectMemory, id: &str) -> Vec<(Relation, String)> {
    let links = memory.read(&mut |store| store.links(id)).expect("links");
    links.into_iter().map(|link| (link.relation, link.to)).collect()
}

#[test]
fn fields_of_a_known_mistake_are_merged() {
    on_both_stores(|_, memory| {
        let cause = memory.save_decision(&decision("Use Redis", None)).expect("saved").id;
        let first = memory.save_mistake(&mistake("cache is empty", "warm it")).expect("saved");
        let repeated_mistake = |to: &str| NewMemory {
            topic: Some("cache".into()),
            links: vec![Link::new(Relation::RelatesTo, to)],
            branch: Some("main".into()),
            ..mistake("cache is empty", "warm it up")
        };
        let unknown = memory.save_mistake(&repeated_mistake("decision_0_x")).expect_err("unknown");
        assert_eq!(unknown.to_string(), "unknown memory `decision_0_x`");
        let again = memory.save_mistake(&repeated_mistake(&cause)).expect("saved");
        assert_eq!((&again.id, again.occurrences, again.is_edited), (&first.id, Some(2), true));
        let entry = get_one(memory, &first.id);
        assert_eq!(
            (entry.topic.as_deref(), &entry.metadata["fix"]),
            (Some("cache"), &json!("warm it up"))
        );
        assert_eq!(links(memory, &first.id), [(Relation::RelatesTo, cause.clone())]);
        let third = memory.save_mistake(&repeated_mistake(&cause)).expect("saved");
        assert_eq!((third.occurrences, third.is_edited), (Some(3), false));
        let history = memory.history(&first.id).expect("a history");
        assert_eq!((history.len(), history[1].branch.as_deref()), (4, Some("main")));
    });
}

#[test]
fn fields_of_a_known_decision_or_convention_are_merged() {
    on_both_stores(|root, memory| {
        let other = memory.save_decision(&decision("Keep events", None)).expect("saved").id;
        let new = |reasoning: &str, to: &[&str]| NewMemory {
            content: "Use PostgreSQL".into(),
            topic: Some("store".into()),
            body: Decision { reasoning: reasoning.into(), ..Decision::default() },
            links: to.iter().map(|to| Link::new(Relation::BuildsOn, to)).collect(),
            ..NewMemory::default()
        };
        let first = memory.save_decision(&new("", &[])).expect("saved");
        let again = memory.save_decision(&new("it is known", &[&other])).expect("saved");
        assert_eq!((&again.id, again.is_new, again.is_edited), (&first.id, false, true));
        assert_eq!(get_one(memory, &first.id).metadata["reasoning"], "it is known");
        assert_eq!(links(memory, &first.id), [(Relation::BuildsOn, other)]);
        let before = text(root, "ai/memory/decisions.jsonl");
        let same = memory.save_decision(&new("", &[])).expect("saved");
        assert_eq!((same.is_edited, text(root, "ai/memory/decisions.jsonl")), (false, before));
        let error = memory.save_decision(&new("", &[&first.id])).expect_err("a link to itself");
        assert!(error.to_string().ends_with("cannot be linked to itself"), "{error}");

        let convention = |examples: &[&str]| NewMemory {
            content: "Name booleans is, has or can".into(),
            body: Convention {
                examples: examples.iter().map(|&example| example.to_owned()).collect(),
                ..Convention::default()
            },
            ..NewMemory::default()
        };
        let first = memory.save_convention(&convention(&[])).expect("saved");
        let again = memory.save_convention(&convention(&["isOpen"])).expect("saved");
        assert_eq!((&again.id, again.is_edited), (&first.id, true));
        assert_eq!(get_one(memory, &first.id).metadata["examples"], json!(["isOpen"]));
    });
}

#[test]
fn a_mistake_with_invalid_fields_is_still_counted() {
    for (invalid_fields, count) in [
        (json!({"occurrences": "3"}), 2),
        (json!({"files": "a.rs", "occurrences": 4}), 5),
        (json!({"occurrences": u64::MAX}), u64::MAX),
    ] {
        on_both_stores(|root, memory| {
            let first = Revision::first(Kind::Mistake, "mistake_1_a".into(), 1, "cache is empty");
            let metadata = invalid_fields.as_object().expect("an object").clone();
            let line = Revision { metadata, ..first }.with_rev();
            write(root, "ai/memory/mistakes.jsonl", &(line.line() + "\n"));
            let again = memory.save_mistake(&mistake("cache is empty", "warm it"));
            assert_eq!(again.expect("saved").occurrences, Some(count));
            assert_eq!(get_one(memory, "mistake_1_a").metadata["occurrences"], count);
            let again = memory.save_mistake(&mistake("cache is empty", "warm it"));
            assert_eq!(again.expect("saved").occurrences, Some(count.saturating_add(1)));
        });
    }
}

#[test]
fn an_edit_with_invalid_fields_is_rejected() {
    on_both_stores(|root, memory| {
        let id = memory.save_mistake(&mistake("cache is empty", "warm it")).expect("saved").id;
        let before = text(root, "ai/memory/mistakes.jsonl");
        let mut edit_fields = |fields: Value| {
            let fields = fields.as_object().expect("an object").clone();
            memory.edit(Kind::Mistake, &id, &Edit { fields, ..Edit::default() })
        };
        for (fields, name) in [
            (
                json!({"mood": 1, "files": ["a.rs"]}),
                "a mistake has no field `mood`; its fields are",
            ),
            (json!({"prevention": "x", "files": "a.rs"}), "invalid `files` of a mistake"),
            (json!({"occurrences": "3"}), "invalid `occurrences` of a mistake"),
            (json!({"fix": ["a"]}), "invalid `fix` of a mistake"),
        ] {
            let error = edit_fields(fields).expect_err(name).to_string();
            assert!(error.starts_with(name), "{error}");
        }
        assert_eq!(text(root, "ai/memory/mistakes.jsonl"), before);
        let entry = edit_fields(json!({"files": ["a.rs"], "fix": null, "prevention": "x"}))
            .expect("edited");
        assert_eq!(entry.metadata.get("fix"), None);
        assert_eq!(entry.metadata["prevention"], "x");
    });
}

#[test]
fn a_memory_can_be_saved_with_an_earlier_date() {
    on_both_stores(|_, memory| {
        let dated = |content: &str, at: i64| NewMemory {
            created_at: Some(at),
            ..decision(content, Some("cache"))
        };
        let first = memory.save_decision(&dated("Use Redis", START - 5000)).expect("saved").id;
        assert_eq!(get_one(memory, &first).created_at, START - 5000);
        let second = memory.save_decision(&dated("Use memcached", START - 3000)).expect("saved");
        assert_eq!(second.superseded, std::slice::from_ref(&first));
        let between = memory.save_decision(&dated("Use files", START - 4000)).expect("saved");
        assert_eq!(
            (between.superseded, &between.superseded_by),
            (vec![], &Some(second.id.clone()))
        );
        let before = memory.save_decision(&dated("Use nothing", START - 6000)).expect("saved");
        assert_eq!(before.superseded_by.as_ref(), Some(&second.id));
        for id in [&first, &between.id, &before.id] {
            assert_eq!(get_one(memory, id).status, Status::Superseded);
        }
        assert_eq!(get_one(memory, &second.id).status, Status::Active);
        assert_eq!(memory.conflicts().expect("conflicts"), []);
        let link = Link::new(Relation::Supersedes, &second.id);
        let older = NewMemory { links: vec![link], ..dated("Use disks", START - 3500) };
        let error = memory.save_decision(&older).expect_err("newer").to_string();
        assert!(error.contains("is newer than this decision and cannot be superseded"), "{error}");
        memory.remove(Kind::Decision, &second.id, None).expect("removed");
        assert_eq!(get_one(memory, &between.id).status, Status::Active);
        let error = memory.save_decision(&dated("Use none", START + 90_000_000)).expect_err("late");
        assert_eq!(error.to_string(), "the date of a memory cannot be in the future");
    });
}
