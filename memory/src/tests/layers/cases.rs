//! Tests of layers, outcomes and merges with fixed histories.

use super::*;
use crate::types::{Outcome, Status};

#[test]
fn a_session_decision_becomes_a_project_decision_when_its_branch_is_merged() {
    on_both_stores(|_, memory| {
        memory.save_decision(&decision("Use PostgreSQL", Some("store"))).expect("saved");
        let session = memory.start_session(new_session("feature/login")).expect("a session");
        let body = Observation::default();
        let observation =
            memory.observe(&session.id, Kind::Decision, "Use MongoDB", &body).expect("observed");
        let reported = |memory: &mut ProjectMemory| -> Vec<String> {
            let state = state::read(memory, Some("main"), Some("Use MongoDB")).expect("state");
            sorted(state.decisions.into_iter().map(|brief| brief.entry.content).collect())
        };
        assert_eq!(reported(memory), ["Use PostgreSQL"]);
        let question = || Question { text: "Use MongoDB".into(), ..Question::new(Layers::ALL) };
        let hit = memory.search(&question()).expect("found").hits.remove(0);
        assert_eq!(
            (&hit.id, &*hit.marks()),
            (&observation, " [observed in a session on feature/login]")
        );
        memory.end_session(&session.id, &serde_json::Map::new()).expect("ended");
        assert_eq!(reported(memory), ["Use PostgreSQL"]);
        let promoted = memory.merge_branch("feature/login").expect("merged").promoted;
        assert_eq!(reported(memory), ["Use MongoDB", "Use PostgreSQL"]);
        assert_eq!(active_texts(memory, Layers::ALL), ["Use MongoDB", "Use PostgreSQL"]);
        let hits = memory.search(&question()).expect("found").hits;
        let ids: Vec<&String> = hits.iter().map(|hit| &hit.id).collect();
        assert!(ids.contains(&&promoted[0]) && !ids.contains(&&observation), "{ids:?}");
        // The observation can still be found, and the result states its successor.
        let including_superseded = Question { with_superseded: true, ..question() };
        let hits = memory.search(&including_superseded).expect("found").hits;
        let old = hits.into_iter().find(|hit| hit.id == observation).expect("there");
        assert_eq!(old.superseded_by.as_ref(), Some(&promoted[0]));
        assert_eq!(memory.chain(&promoted[0]).expect("a chain").len(), 1);
        assert_eq!(memory.walk(&promoted[0], &[], 3).expect("a walk").steps.len(), 1);
        memory.remove(Kind::Decision, &promoted[0], None).expect("removed");
        assert_eq!(active_texts(memory, Layers::ALL), ["Use MongoDB", "Use PostgreSQL"]);
        assert_eq!(reported(memory), ["Use PostgreSQL"]);
    });
}

#[test]
fn failed_decisions_are_listed_separately_with_their_reason() {
    on_both_stores(|_, memory| {
        let save = |memory: &mut ProjectMemory, text: &str, topic: &str| {
            memory.save_decision(&decision(text, Some(topic))).expect("saved").id
        };
        let failed = save(memory, "Sessions live in signed cookies", "auth");
        let partial = save(memory, "Cache in Redis", "cache");
        memory.set_outcome(&failed, Outcome::Failed, Some("Cookies grew\nover 4 KB")).expect("set");
        memory.set_outcome(&partial, Outcome::Partial, Some("evictions")).expect("set");
        let body = Convention::default();
        let links = vec![Link::new(Relation::BuildsOn, &failed)];
        let content = "Sign every cookie".to_owned();
        let new = NewMemory { content, body, links, ..NewMemory::default() };
        memory.save_convention(&new).expect("saved");
        let state = state::read(memory, None, None).expect("state");
        let lines = |briefs: &[crate::brief::Brief]| -> Vec<String> {
            briefs.iter().map(|brief| brief.line(80)).collect()
        };
        assert_eq!(lines(&state.decisions), ["cache: Cache in Redis [PARTIAL: evictions]"]);
        assert_eq!(
            lines(&state.failed),
            ["auth: Sessions live in signed cookies [FAILED: Cookies grew over 4 KB]"]
        );
        let follows = format!("Sign every cookie [follows from {failed}, which FAILED]");
        assert_eq!(lines(&state.conventions), [follows]);
    });
}

#[test]
fn lines_of_another_branch_do_not_apply_where_the_file_is_not_checked_out() {
    on_both_stores(|root, memory| {
        repository::TestRepository::new(root);
        let content = "Use tabs".to_owned();
        memory.save_decision(&decision("Use Redis", Some("cache"))).expect("saved");
        memory.save_convention(&NewMemory { content, ..NewMemory::default() }).expect("saved");
        let files = tracked_files(root);
        check_out(root, &BTreeMap::new());
        assert_eq!(active_texts(memory, Layers::ALL), [""; 0]);
        // The lines of the other branch are not written to a file of this branch either.
        memory.save_decision(&decision("Use nothing", Some("cache"))).expect("saved");
        assert_eq!(text(root, "ai/memory/decisions.jsonl").lines().count(), 1);
        assert_eq!(memory.export(false).expect("exported"), 0);
        check_out(root, &files);
        assert_eq!(active_texts(memory, Layers::ALL), ["Use Redis"]);
    });
}

#[test]
fn different_successors_of_a_decision_on_two_branches_are_a_conflict() {
    on_both_stores(|root, memory| {
        let file = "ai/memory/decisions.jsonl";
        let old = memory.save_decision(&decision("Use REST", None)).expect("saved").id;
        let base = text(root, file);
        let links = || vec![Link::new(Relation::Supersedes, &old)];
        let replace = |memory: &mut ProjectMemory, words: &str, topic: Option<&str>| {
            memory
                .save_decision(&NewMemory { links: links(), ..decision(words, topic) })
                .expect("saved")
                .id
        };
        let ours = replace(memory, "Use GraphQL", Some("api"));
        let with_ours = text(root, file);
        write(root, file, &base);
        let theirs = replace(memory, "Use gRPC", None);
        assert_eq!(memory.conflicts().expect("conflicts"), []);
        write(root, file, &(with_ours + &text(root, file).replace(&base, "")));
        let mut ids = vec![ours.clone(), theirs.clone()];
        ids.sort();
        let conflict = Conflict::Forked { ids };
        assert_eq!(memory.conflicts().expect("conflicts"), std::slice::from_ref(&conflict));
        assert_eq!(memory.conflicts_of(&ours).expect("conflicts"), [conflict]);
        let resolution = memory.resolve(&theirs, None).expect("resolved");
        assert_eq!(resolution.superseded, std::slice::from_ref(&ours));
        assert_eq!(memory.conflicts().expect("conflicts"), []);
        assert_eq!(active_texts(memory, Layers::ALL), ["Use gRPC"]);
    });
}

#[test]
fn duplicates_of_two_clones_are_one_memory_and_change_together() {
    on_both_stores(|root, memory| {
        let file = "ai/memory/conventions.jsonl";
        let save = |memory: &mut ProjectMemory, content: &str| {
            let content = content.to_owned();
            memory
                .save_convention(&NewMemory { content, ..NewMemory::default() })
                .expect("saved")
                .id
        };
        let ours = save(memory, "Dates are UTC");
        let other = TempDir::new().expect("a directory");
        let mut clone = open_memory(other.path(), BackendChoice::Json);
        clone.save_decision(&decision("An hour passes", None)).expect("saved");
        let theirs = save(&mut clone, "dates are  UTC.");
        write(root, file, &(text(other.path(), file) + &text(root, file)));
        let active_conventions = |memory: &mut ProjectMemory| -> Vec<String> {
            let query = Query::active(Layers::ALL, Kind::Convention);
            let all = memory.read(&mut |store| store.entries(&query)).expect("entries");
            all.into_iter().map(|entry| entry.content).collect()
        };
        assert_eq!(active_conventions(memory), ["Dates are UTC"]);
        for id in [&ours, &theirs] {
            let entry = memory.get(std::slice::from_ref(id)).expect("there").remove(0);
            assert_ne!(entry.status, Status::Removed);
        }
        let all = Question { with_superseded: true, ..Question::new(Layers::ALL) };
        let hits = memory.search(&all).expect("found").hits;
        let repeat = hits.iter().find(|hit| hit.id == theirs).expect("there");
        assert_eq!(repeat.superseded_by.as_ref(), Some(&ours));
        let content = Some("Dates are local".to_owned());
        let edit = crate::permanent::Edit { content, ..Default::default() };
        memory.edit(Kind::Convention, &ours, &edit).expect("edited");
        assert_eq!(active_conventions(memory), ["Dates are local"]);
        memory.remove(Kind::Convention, &ours, None).expect("removed");
        // The memory that the edit superseded is active again.
        assert_eq!(active_conventions(memory), ["dates are  UTC."]);
        assert_eq!(memory.conflicts().expect("conflicts"), []);
    });
}

#[test]
fn memories_promoted_on_one_branch_are_not_permanent_on_another() {
    on_both_stores(|root, memory| {
        repository::TestRepository::new(root);
        let context =
            serde_json::json!({"branch": "x", "decisions": [{"decision": "Use Argon2id"}]});
        let context: BranchContext = serde_json::from_value(context).expect("a context");
        memory.save_branch(&context).expect("saved");
        let before = tracked_files(root);
        assert_eq!(memory.merge_branch("x").expect("merged").promoted.len(), 1);
        check_out(root, &before);
        assert_eq!(active_texts(memory, Layers::ALL), [""; 0]);
        assert_eq!(memory.merge_branch("x").expect("merged").promoted.len(), 1);
        assert_eq!(active_texts(memory, Layers::ALL), ["Use Argon2id"]);
    });
}
