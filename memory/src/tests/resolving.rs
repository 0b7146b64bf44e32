//! Tests of resolving conflicts, removing and importing memories, and pruning tracked files.

use super::{START, decision, mistake, on_both_stores, text, write};
use crate::MemoryError;
use crate::kinds::Insight;
use crate::log::Revision;
use crate::permanent::{Conflict, Edit};
use crate::project::ProjectMemory;
use crate::store::{BackendChoice, Layers, Query};
use crate::types::{Entry, Kind, Layer, Link, Relation, Status};

const DECISIONS: &str = "ai/memory/decisions.jsonl";

fn line(id: &str, at: i64, content: &str, topic: &str, links: &[(Relation, &str)]) -> Revision {
    let links = links.iter().map(|(relation, to)| Link::new(*relation, to)).collect();
    let first = Revision::first(Kind::Decision, id.into(), at, content);
    Revision { topic: Some(topic.into()), links, ..first }.with_rev()
}

fn file(lines: &[&Revision]) -> String {
    lines.iter().map(|line| line.line() + "\n").collect()
}

#[test]
fn resolving_retains_the_requested_edit() {
    on_both_stores(|root, memory| {
        let first = line("decision_1_a", 1, "cookies", "auth", &[]);
        let edit = |at, content: &str| {
            Revision {
                parents: vec![first.rev.clone()],
                at,
                content: content.into(),
                ..first.clone()
            }
            .with_rev()
        };
        let (day, week) = (edit(2, "cookies, a day"), edit(3, "cookies, a week"));
        write(root, DECISIONS, &file(&[&first, &day, &week]));
        let entry = memory.get(&["decision_1_a".into()]).expect("there").remove(0);
        assert_eq!((&*entry.content, entry.heads.len()), ("cookies, a week", 2));
        assert!(matches!(
            memory.resolve("decision_1_a", Some("zzz")),
            Err(MemoryError::Invalid(why)) if why.contains(&day.rev)
        ));
        let ambiguous = memory.resolve("decision_1_a", Some("")).expect_err("two edits match");
        assert!(ambiguous.to_string().starts_with("`` must match exactly one"), "{ambiguous}");
        let resolution = memory.resolve("decision_1_a", Some(&day.rev[..6])).expect("resolved");
        assert_eq!(resolution.dropped, std::slice::from_ref(&week.rev));
        let entry = memory.get(&["decision_1_a".into()]).expect("there").remove(0);
        assert_eq!((&*entry.content, entry.heads.len()), ("cookies, a day", 1));
        assert_eq!(entry.created_at, 1);
        let before = text(root, DECISIONS);
        assert!(memory.resolve("decision_1_a", None).expect("resolved").is_empty());
        assert_eq!(text(root, DECISIONS), before, "resolving without a conflict writes nothing");
    });
}

/// The same edit in two clones is one head, and the next edit replaces both lines.
#[test]
fn changes_after_the_same_edit_in_two_clones_replace_both_lines() {
    on_both_stores(|root, memory| {
        let lines = |id: &str| {
            let first = line(id, 1, "cookies", "", &[]);
            let edit = |at| {
                let parents = vec![first.rev.clone()];
                Revision { parents, at, content: format!("jwt {id}"), ..first.clone() }.with_rev()
            };
            [first.clone(), edit(2), edit(3)]
        };
        let ids = ["decision_1_a", "decision_1_b", "decision_1_c", "decision_1_d"];
        let all: Vec<Revision> = ids.into_iter().flat_map(lines).collect();
        write(root, DECISIONS, &file(&all.iter().collect::<Vec<_>>()));
        let entry_of = |memory: &mut ProjectMemory, id: &str| {
            memory.read(&mut |store| store.entry(id)).expect("read").expect("there")
        };
        memory.remove(Kind::Decision, "decision_1_a", None).expect("removed");
        let removed = entry_of(memory, "decision_1_a");
        assert_eq!((removed.status, removed.heads.len()), (Status::Removed, 1));
        let edit = Edit { content: Some("sessions".into()), ..Edit::default() };
        memory.edit(Kind::Decision, "decision_1_b", &edit).expect("edited");
        memory
            .link("decision_1_c", &Link::new(Relation::RelatesTo, "decision_1_b"))
            .expect("linked");
        let rev = entry_of(memory, "decision_1_d").heads.remove(0);
        memory.remove(Kind::Decision, "decision_1_d", None).expect("removed");
        for (id, content) in [("decision_1_b", "sessions"), ("decision_1_c", "jwt decision_1_c")] {
            let entry = entry_of(memory, id);
            assert_eq!((&*entry.content, entry.heads.len()), (content, 1));
        }
        assert!(!entry_of(memory, "decision_1_d").heads.contains(&rev));
        assert_eq!(memory.conflicts().expect("conflicts"), []);
    });
}

#[test]
fn resolving_drops_duplicate_edits_in_favour_of_the_requested_edit() {
    on_both_stores(|root, memory| {
        let first = line("decision_1_a", 1, "cookies", "", &[]);
        let edit = |at, content: &str| {
            let parents = vec![first.rev.clone()];
            Revision { parents, at, content: content.into(), ..first.clone() }.with_rev()
        };
        let (twin, same, other) = (edit(2, "jwt"), edit(3, "jwt"), edit(4, "sessions"));
        write(root, DECISIONS, &file(&[&first, &twin, &same, &other]));
        let resolution = memory.resolve("decision_1_a", Some(&other.rev)).expect("resolved");
        assert_eq!(resolution.dropped, [same.rev]);
        let entry = memory.get(&["decision_1_a".into()]).expect("there").remove(0);
        assert_eq!((&*entry.content, entry.heads.len()), ("sessions", 1));
        let none = memory.resolve("decision_1_a", Some("")).expect("resolved");
        assert!(none.is_empty());
    });
}

#[test]
fn resolving_supersedes_the_conflicting_decisions() {
    on_both_stores(|root, memory| {
        let [a, b, c] = [
            line("decision_1_a", 1, "cookies", "Auth", &[]),
            line("decision_2_b", 2, "redis", "auth", &[]),
            line("decision_3_c", 3, "jwt", "x", &[(Relation::Contradicts, "decision_1_a")]),
        ];
        write(root, DECISIONS, &file(&[&a, &b, &c]));
        assert_eq!(memory.conflicts().expect("conflicts").len(), 2);
        let resolution = memory.resolve("decision_1_a", None).expect("resolved");
        assert_eq!(resolution.superseded, ["decision_2_b", "decision_3_c"]);
        assert_eq!(memory.conflicts().expect("conflicts"), []);
        let superseded = memory.resolve("decision_2_b", None).expect_err("superseded");
        assert!(superseded.to_string().contains("superseded"), "{superseded}");
    });
}

#[test]
fn resolving_breaks_a_cycle_at_the_requested_memory() {
    on_both_stores(|root, memory| {
        let supersedes = Relation::Supersedes;
        let [a, b, c] = [
            line("decision_1_a", 1, "cookies", "x", &[(supersedes, "decision_3_c")]),
            line("decision_2_b", 2, "redis", "y", &[(supersedes, "decision_1_a")]),
            line("decision_3_c", 3, "jwt", "z", &[(supersedes, "decision_2_b")]),
        ];
        write(root, DECISIONS, &file(&[&a, &b, &c]));
        let conflicts = memory.conflicts().expect("conflicts");
        assert!(conflicts.iter().all(|conflict| matches!(conflict, Conflict::Cycle { .. })));
        assert_eq!(conflicts.len(), 3);
        let resolution = memory.resolve("decision_2_b", None).expect("resolved");
        assert_eq!(resolution.unlinked, ["decision_3_c"]);
        assert_eq!(memory.conflicts().expect("conflicts"), []);
        let ids = ["decision_1_a", "decision_2_b", "decision_3_c"].map(str::to_owned);
        let entries = memory.get(&ids).expect("there");
        let statuses: Vec<Status> = entries.iter().map(|entry| entry.status).collect();
        assert_eq!(statuses, [Status::Superseded, Status::Active, Status::Superseded]);
    });
}

#[test]
fn removal_retains_tracked_lines_and_deletes_other_memories() {
    on_both_stores(|root, memory| {
        let tracked = memory.save_decision(&decision("cookies", None)).expect("saved").id;
        let own = memory.save_insight("lesson", None, &Insight::default(), None).expect("saved");
        memory.remove_any(&tracked, Some("wrong")).expect("removed");
        memory.remove_any(&own, None).expect("removed");
        assert!(text(root, DECISIONS).contains("cookies"));
        for id in [&tracked, &own] {
            let again = memory.remove_any(id, None);
            assert!(matches!(again, Err(MemoryError::Unknown { .. })), "{id}");
        }
    });
}

#[test]
fn a_memory_with_a_redacted_secret_is_recognised_again() {
    on_both_stores(|_, memory| {
        let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
        let error = mistake(&format!("push refused\nwith {token}\n<private>mine</private>"), "f");
        let first = memory.save_mistake(&error).expect("saved");
        let again = memory.save_mistake(&error).expect("saved");
        assert_eq!((again.id, again.occurrences), (first.id, Some(2)));
        let decided = decision(&format!("use {token}"), Some("auth"));
        let first = memory.save_decision(&decided).expect("saved");
        let again = memory.save_decision(&decided).expect("saved");
        assert_eq!((again.id, again.is_new), (first.id, false));
        let mut private = decision("use a vault", Some("<private>acme</private> keys"));
        private.body.reasoning = format!("{token} leaked");
        let first = memory.save_decision(&private).expect("saved");
        let again = memory.save_decision(&private).expect("saved");
        assert_eq!((again.id, again.is_new, again.is_edited), (first.id, false, false));
    });
}

#[test]
fn memories_imported_twice_exist_once() {
    on_both_stores(|root, memory| {
        let secret = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
        let first = line("decision_1_a", 1, &format!("use {secret}"), "auth", &[]);
        let edit = Revision {
            parents: vec![first.rev.clone()],
            at: 2,
            content: "use a vault".into(),
            ..first.clone()
        }
        .with_rev();
        let entry = Entry {
            layer: Layer::Local,
            kind: Kind::Insight,
            id: "insight_1_a".into(),
            content: "<private>x</private> lesson".into(),
            ..crate::log::fold(std::slice::from_ref(&first)).expect("a memory").entry
        };
        let (lines, entries) = ([edit, first], [entry]);
        let preview = memory.import_entries(&lines, &entries, true).expect("listed");
        assert_eq!((preview.new.len(), preview.known, preview.redacted), (2, 0, 2));
        assert!(!root.join(DECISIONS).exists());
        let imported = memory.import_entries(&lines, &entries, false).expect("imported");
        assert_eq!(crate::intake::ImportSummary { batch: None, ..imported }, preview);
        let entry = memory.get(&["decision_1_a".into()]).expect("there").remove(0);
        // The edit still follows the first line, although the gate changed the hash of that line.
        assert_eq!((&*entry.content, entry.heads.len()), ("use a vault", 1));
        assert!(!text(root, DECISIONS).contains(&secret));
        let before = text(root, DECISIONS);
        let again = memory.import_entries(&lines, &entries, false).expect("imported");
        assert_eq!((again.new.len(), again.known, again.redacted), (0, 3, 0));
        assert_eq!(text(root, DECISIONS), before);
        assert_eq!(memory.problems().expect("problems"), []);
    });
}

#[test]
fn tracked_lines_are_pruned_only_when_old_and_requested() {
    on_both_stores(|root, memory| {
        let gone = memory.save_mistake(&mistake("boom", "f")).expect("saved").id;
        let retained = memory.save_mistake(&mistake("other thing", "f")).expect("saved").id;
        memory.remove_any(&gone, None).expect("removed");
        let path = "ai/memory/mistakes.jsonl";
        let before = text(root, path);
        assert_eq!(memory.prune_tracked(1, false).expect("pruned"), []);
        // The memory is opened forty days later.
        let mut reopened = reopen_later(root, memory);
        let dropped = reopened.prune_tracked(30, true).expect("listed");
        assert_eq!(dropped.iter().map(|memory| &*memory.id).collect::<Vec<_>>(), [&*gone]);
        assert_eq!(text(root, path), before);
        assert_eq!(reopened.prune_tracked(30, false).expect("pruned"), dropped);
        assert!(!text(root, path).contains(&gone) && text(root, path).contains(&retained));
        assert_eq!(reopened.missing_lines("mistakes").expect("missing").len(), 2);
        reopened.export(true).expect("written");
        assert_eq!(text(root, path).lines().count(), before.lines().count());
    });
}

/// Opens the memory forty days later.
fn reopen_later(root: &std::path::Path, memory: &ProjectMemory) -> ProjectMemory {
    let choice =
        if memory.backend() == "json" { BackendChoice::Json } else { BackendChoice::Sqlite };
    let clock = Box::new(|| START + 40 * 86_400_000);
    ProjectMemory::open(&crate::DISTRIBUTION, root, choice, clock).expect("a memory")
}

#[test]
fn pruning_does_not_restore_memories_of_older_files() {
    on_both_stores(|root, memory| {
        let older = r#"{"decisions": [{"decision": "Use cookies", "date": "2025-01-01"}]}"#;
        write(root, "ai/memory/decisions.json", older);
        let id = memory
            .read(&mut |store| store.entries(&Query::new(Layers::ALL)))
            .expect("read")
            .remove(0)
            .id;
        memory.remove_any(&id, None).expect("removed");
        let mut reopened = reopen_later(root, memory);
        for dry_run in [true, false] {
            assert_eq!(reopened.prune_tracked(30, dry_run).expect("pruned"), []);
        }
        let entry = reopened.read(&mut |store| store.entry(&id)).expect("read").expect("there");
        assert_eq!(entry.status, Status::Removed);
        assert!(text(root, DECISIONS).contains(&id));
    });
}

#[test]
fn a_byte_order_mark_does_not_prevent_pruning() {
    on_both_stores(|root, memory| {
        let id = memory.save_decision(&decision("cookies", None)).expect("saved").id;
        memory.remove_any(&id, None).expect("removed");
        write(root, DECISIONS, &format!("\u{FEFF}{}", text(root, DECISIONS)));
        let mut reopened = reopen_later(root, memory);
        let dropped = reopened.prune_tracked(30, false).expect("pruned");
        assert_eq!(dropped.len(), 1);
        assert!(!text(root, DECISIONS).contains(&id));
        assert_eq!(reopened.read(&mut |store| store.entry(&id)).expect("read"), None);
    });
}
