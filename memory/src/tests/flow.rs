//! Tests of saving and superseding memories, of sessions, branches, lifecycles and pruning.

use super::*;
use crate::MemoryError;
use crate::graph::Step;
use crate::kinds::{Checkpoint, Convention, Insight, Observation};
use crate::permanent::{Conflict, Edit};
use crate::prune::PruneConditions;
use crate::recall::Question;
use crate::records::BranchContext;
use crate::store::{Layers, Query};
use crate::types::{Entry, Kind, Link, Outcome, Relation, Status};
use serde_json::{Map, Value, json};

fn get_one(memory: &mut ProjectMemory, id: &str) -> Entry {
    memory.get(&[id.to_owned()]).expect("a memory").remove(0)
}

fn map(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).expect("an object")
}

fn error_text<T: std::fmt::Debug>(result: Result<T, MemoryError>) -> String {
    result.expect_err("an error").to_string()
}

#[test]
fn a_new_decision_supersedes_the_decision_on_its_topic_in_every_script() {
    on_both_stores(|root, memory| {
        for (topic, first, second) in [
            ("auth strategy", "Use JWT in cookies", "Switch to server side sessions"),
            ("인증 방식", "JWT를 쓴다", "세션을 쓴다"),
            ("認証方式", "JWTを使う", "セッションを使う"),
        ] {
            let old = memory.save_decision(&decision(first, Some(topic))).expect("saved");
            assert!(old.is_new && old.superseded.is_empty());
            let again = memory.save_decision(&decision(&format!("{first}. "), Some(topic)));
            let again = again.expect("saved");
            assert_eq!((again.id, again.is_new), (old.id.clone(), false));
            let upper = topic.to_uppercase();
            let new = memory.save_decision(&decision(second, Some(&upper))).expect("saved");
            assert_eq!(new.superseded, std::slice::from_ref(&old.id));
            assert_eq!(get_one(memory, &old.id).status, Status::Superseded);
            assert_eq!(get_one(memory, &new.id).status, Status::Active);
            let chain = memory.chain(&old.id).expect("a chain");
            assert_eq!(chain.iter().map(|entry| &entry.id).collect::<Vec<_>>(), [&old.id, &new.id]);
            memory.remove(Kind::Decision, &new.id, None).expect("removed");
            assert_eq!(get_one(memory, &old.id).status, Status::Active);
        }
        assert_eq!(memory.conflicts().expect("conflicts"), []);
        assert_eq!(text(root, "ai/memory/decisions.jsonl").lines().count(), 9);
    });
}

#[test]
fn invalid_supersedes_links_are_rejected() {
    on_both_stores(|_, memory| {
        let supersedes = |id: &str| vec![Link::new(Relation::Supersedes, id)];
        let unknown = NewMemory { links: supersedes("decision_0_x"), ..decision("a", None) };
        assert_eq!(error_text(memory.save_decision(&unknown)), "unknown memory `decision_0_x`");
        let a = memory.save_decision(&decision("Store files on disk", None)).expect("saved").id;
        let b = NewMemory { links: supersedes(&a), ..decision("Keep blobs in a bucket", None) };
        let b = memory.save_decision(&b).expect("saved").id;
        let c = NewMemory { links: supersedes(&b), ..decision("Mirror everything twice", None) };
        let c = memory.save_decision(&c).expect("saved").id;
        let link = |memory: &mut ProjectMemory, from: &str, to: &str| {
            error_text(memory.link(from, &Link::new(Relation::Supersedes, to)))
        };
        assert_eq!(link(memory, &a, &a), format!("`{a}` cannot be linked to itself"));
        assert!(link(memory, &a, &c).ends_with("this link would create a cycle"));
        assert!(link(memory, &b, &c).ends_with("this link would create a cycle"));
        assert_eq!(memory.chain(&b).expect("a chain").len(), 3);
        assert_eq!(get_one(memory, &a).status, Status::Superseded);
    });
}

#[test]
fn conflicts_are_listed() {
    on_both_stores(|_, memory| {
        let a = memory.save_decision(&decision("Use tabs", Some("style"))).expect("saved").id;
        let contradicts = vec![Link::new(Relation::Contradicts, &a)];
        let b = NewMemory { links: contradicts, ..decision("Use spaces", Some("style")) };
        let b = memory.save_decision(&b).expect("saved");
        assert_eq!(b.superseded, [""; 0]);
        assert_eq!(
            memory.conflicts().expect("conflicts"),
            [
                Conflict::OneTopic { topic: "style".into(), ids: vec![a.clone(), b.id.clone()] },
                Conflict::Contradiction { from: b.id, to: a },
            ]
        );
    });
}

#[test]
fn similar_memories_are_reported_and_repeated_errors_are_counted() {
    on_both_stores(|_, memory| {
        let first = memory.save_decision(&decision("Use PostgreSQL for the event store", None));
        let first = first.expect("saved").id;
        let similar = memory.save_decision(&decision("Use PostgreSQL as event store", None));
        let similar = similar.expect("saved");
        assert_eq!(similar.similar[0].id, first);
        assert!(similar.is_new && similar.similar[0].similarity > 0.5);

        let error = "TypeError: cannot read 'id' of undefined at /srv/app/user.ts:41:7";
        let old = memory.save_mistake(&mistake(error, "check for undefined")).expect("saved");
        let error = "TypeError: cannot read 'id' of undefined at /home/x/user.ts:9:12";
        let again = memory.save_mistake(&mistake(error, "use optional chaining")).expect("saved");
        assert_eq!((&again.id, again.is_new, again.occurrences), (&old.id, false, Some(2)));
        let third = memory.save_mistake(&mistake(error, "use optional chaining")).expect("saved");
        assert_eq!(third.occurrences, Some(3));
        let entry = get_one(memory, &old.id);
        assert_eq!(entry.metadata["fix"], "use optional chaining");
        assert_eq!(entry.metadata["occurrences"], 3);
        assert!(!entry.is_contested());
        assert_eq!(memory.history(&old.id).expect("a history").len(), 4);
        let other = memory.save_mistake(&mistake("disk full while writing logs", "rotate"));
        assert!(other.expect("saved").is_new);

        let convention = |content: &str| NewMemory {
            content: content.into(),
            body: Convention::default(),
            ..NewMemory::default()
        };
        let old =
            memory.save_convention(&convention("Name booleans is, has or can")).expect("saved");
        let again =
            memory.save_convention(&convention("name booleans is, has or can.")).expect("saved");
        assert_eq!((again.id, again.is_new), (old.id, false));
        assert!(error_text(memory.save_convention(&convention(" "))).contains("cannot be empty"));
    });
}

#[test]
fn edits_and_outcomes_have_a_history() {
    on_both_stores(|root, memory| {
        let id = memory.save_decision(&decision("Use Redis", Some("cache"))).expect("saved").id;
        memory.set_outcome(&id, Outcome::Failed, Some("evictions")).expect("set");
        let edit = Edit {
            content: Some("Use Valkey".into()),
            fields: map(json!({"context": "licence", "confidence": 0.5})),
            ..Edit::default()
        };
        let entry = memory.edit(Kind::Decision, &id, &edit).expect("edited");
        assert_eq!(entry.content, "Use Valkey");
        assert_eq!(entry.metadata["outcome"], "FAILED");
        assert_eq!(entry.metadata["outcomeReason"], "evictions");
        assert_eq!(entry.metadata["confidence"], 0.5);
        // A field that decisions do not have would have no effect.
        for fields in [json!({"mood": 1}), json!({"content": "x"}), json!({"rationale": null})] {
            let edit = Edit { fields: map(fields), ..Edit::default() };
            assert!(error_text(memory.edit(Kind::Decision, &id, &edit)).ends_with(
                "; its fields are content, topic, reasoning, alternatives, context, confidence, \
                     outcome, outcomeReason, ticket, scopeKey, stage, sourcePath, status, questions"
            ));
        }
        assert!(entry.updated_at > entry.created_at && !entry.is_contested());
        assert_eq!(memory.history(&id).expect("a history").len(), 3);
        assert!(
            error_text(memory.edit(Kind::Mistake, &id, &edit))
                .contains("is a decision, not a mistake")
        );
        memory.remove(Kind::Decision, &id, Some("moot")).expect("removed");
        assert!(
            error_text(memory.set_outcome(&id, Outcome::Success, None))
                .starts_with("unknown memory")
        );
        assert_eq!(text(root, "ai/memory/decisions.jsonl").lines().count(), 4);
    });
}

#[test]
fn edits_without_changes_are_not_written() {
    on_both_stores(|root, memory| {
        let id = memory.save_decision(&decision("Use Redis", Some("cache"))).expect("saved").id;
        let secret = format!("evictions, gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
        memory.set_outcome(&id, Outcome::Failed, Some(&secret)).expect("set");
        let edit = |content: &str, topic: &str, fields| Edit {
            content: Some(content.into()),
            topic: Some(topic.into()),
            fields: map(fields),
        };
        let first = edit("Use Valkey", "store", json!({"context": "licence", "confidence": null}));
        memory.edit(Kind::Decision, &id, &first).expect("edited");
        let before = text(root, "ai/memory/decisions.jsonl");
        assert_eq!(before.lines().count(), 3);
        memory.set_outcome(&id, Outcome::Failed, Some(&secret)).expect("set");
        memory.edit(Kind::Decision, &id, &first).expect("edited");
        memory.edit(Kind::Decision, &id, &Edit::default()).expect("edited");
        assert_eq!(text(root, "ai/memory/decisions.jsonl"), before);
        for (lines, other) in [
            edit("Use Valkey", "cache", json!({})),
            edit("Use Valkey", " ", json!({})),
            edit("Use Valkey", " ", json!({"context": null})),
            edit("Use Redis", " ", json!({})),
        ]
        .into_iter()
        .enumerate()
        {
            memory.edit(Kind::Decision, &id, &other).expect("edited");
            assert_eq!(text(root, "ai/memory/decisions.jsonl").lines().count(), 4 + lines);
        }
        memory.set_outcome(&id, Outcome::Failed, None).expect("set");
        memory.set_outcome(&id, Outcome::Success, None).expect("set");
        assert_eq!(text(root, "ai/memory/decisions.jsonl").lines().count(), 9);
    });
}

#[test]
fn the_conflicts_of_a_memory_are_all_conflicts_that_involve_it() {
    on_both_stores(|_, memory| {
        let save = |memory: &mut ProjectMemory, content: &str, topic, links| {
            let new = NewMemory { links, ..decision(content, Some(topic)) };
            memory.save_decision(&new).expect("saved").id
        };
        let first = save(memory, "Use Redis for it", "cache", vec![]);
        let contradicts = |to: &str| vec![Link::new(Relation::Contradicts, to)];
        let second = save(memory, "Use nothing at all", "cache", contradicts(&first));
        let third = save(memory, "Keep logs a day", "logs", contradicts(&first));
        let fourth = save(memory, "Keep logs a year", "logs", vec![]);
        let all = memory.conflicts().expect("conflicts");
        assert_eq!(all.len(), 2, "{all:?}");
        for (id, count) in [(&first, 2), (&second, 2), (&third, 0), (&fourth, 0)] {
            let own = memory.conflicts_of(id).expect("conflicts");
            let contains_id = |conflict: &&Conflict| match conflict {
                Conflict::OneTopic { ids, .. } => ids.contains(id),
                Conflict::Contradiction { from, to } => from == id || to == id,
                other => panic!("{other:?}"),
            };
            assert_eq!(own, all.iter().filter(contains_id).cloned().collect::<Vec<_>>());
            assert_eq!(own.len(), count, "{id}");
        }
        assert!(memory.conflicts_of("decision_1_x").is_err());
    });
}

#[test]
fn walks_are_breadth_first_and_terminate() {
    on_both_stores(|_, memory| {
        let mut ids: Vec<String> = Vec::new();
        for n in 0..8 {
            let mut new = decision(&format!("step number {n} {}", "x".repeat(n)), None);
            if let Some(last) = ids.last() {
                new.links.push(Link::new(Relation::BuildsOn, last));
            }
            ids.push(memory.save_decision(&new).expect("saved").id);
        }
        memory.link(&ids[0], &Link::new(Relation::RelatesTo, &ids[7])).expect("linked");
        let depths = |steps: &[Step]| steps.iter().map(|step| step.depth).collect::<Vec<_>>();
        let walk = memory.walk(&ids[0], &[], 99).expect("a walk");
        assert_eq!(depths(&walk.steps), [0, 1, 1, 2, 2, 3, 3, 4]);
        let walk = memory.walk(&ids[0], &[Relation::BuildsOn], 2).expect("a walk");
        assert_eq!(depths(&walk.steps), [0, 1, 2]);
        assert!(!walk.is_truncated);
        assert_eq!(error_text(memory.walk("none", &[], 1)), "unknown memory `none`");
    });
}

#[test]
fn a_session_is_promoted_to_its_branch_and_made_permanent_once() {
    on_both_stores(|root, memory| {
        let session = memory.start_session(new_session("feature/login")).expect("a session");
        memory
            .update_session(
                &session.id,
                &map(json!({
                    "decisions": [{"decision": "Hash with Argon2id", "reasoning": "r", "timestamp": START}],
                    "errorsResolved": [{"error": "bcrypt cuts at 72 bytes", "fix": "prehash"}],
                    "filesModified": ["a.rs", "a.rs", "b.rs"],
                    "tasksPending": ["docs"], "agentsUsed": ["security"],
                    "tokenUsage": {"inputTokens": 10, "outputTokens": 5}, "later": true,
                })),
            )
            .expect("updated");
        let body = Observation { facts: vec!["16 ms".into()], ..Observation::default() };
        memory.observe(&session.id, Kind::Decision, "Rate limit logins", &body).expect("observed");
        memory.observe(&session.id, Kind::Insight, "Tests are slow", &body).expect("observed");
        let patch =
            map(json!({"tokenUsage": {"inputTokens": 1, "outputTokens": 1}, "tasksPending": []}));
        let (ended, promoted) = memory.end_session(&session.id, &patch).expect("ended");
        assert_eq!(ended.token_usage.expect("tokens").input_tokens, 11);
        assert_eq!(ended.files_modified, ["a.rs", "b.rs"]);
        assert_eq!(ended.extra["later"], true);
        assert_eq!(promoted.decisions, ["Hash with Argon2id", "Rate limit logins"]);
        assert_eq!(promoted.errors, ["bcrypt cuts at 72 bytes"]);
        assert!(
            error_text(memory.end_session(&session.id, &Map::new())).contains("has already ended")
        );
        let again = memory.session(&session.id).expect("a session");
        assert!(memory.promote_session(&again).expect("promoted").was_known);

        let branch = memory.branch("feature/login").expect("a branch");
        assert_eq!((branch.sessions_count, branch.decisions.len()), (1, 2));
        assert_eq!(branch.decisions[0].session_id.as_ref(), Some(&session.id));
        let merged = memory.merge_branch("feature/login").expect("merged");
        assert_eq!((merged.promoted.len(), merged.known.len()), (3, 0));
        assert!(root.join(&merged.archived).is_file());
        assert!(memory.branch("feature/login").expect("a branch").decisions.is_empty());
        let lines = text(root, "ai/memory/decisions.jsonl");
        assert_eq!(lines.lines().count(), 2);
        let again = memory.merge_branch("feature/login").expect("merged");
        assert_eq!((again.promoted.len(), again.known.len()), (0, 3));
        assert_eq!(text(root, "ai/memory/decisions.jsonl"), lines);
        assert_eq!(error_text(memory.merge_branch("none")), "unknown branch `none`");

        // Another clone merges the same branch: the same lines.
        let other = TempDir::new().expect("a directory");
        let archived = text(root, &merged.archived);
        let current = merged.archived.replace("/archive", "");
        write(other.path(), &current, &archived);
        open_memory(other.path(), BackendChoice::Sqlite)
            .merge_branch("feature/login")
            .expect("merged");
        assert_eq!(text(other.path(), "ai/memory/decisions.jsonl"), lines);
    });
}

#[test]
fn sessions_join_their_conversation_and_reject_invalid_updates() {
    on_both_stores(|_, memory| {
        let conversation =
            SessionState { memory_session_id: Some("t".into()), ..new_session("main") };
        let first = memory.start_session(conversation.clone()).expect("a session");
        let second = SessionState { parent_session_id: Some(first.id.clone()), ..conversation };
        let second = memory.start_session(second).expect("a session");
        assert_eq!(
            memory.conversation("t").expect("a conversation").expect("a session").id,
            second.id
        );
        assert_eq!(memory.conversation("u").expect("no conversation"), None);
        // An open session is joined; an ended session is not.
        let joined = memory.join_session(second.clone()).expect("joined");
        assert_eq!(joined.memory_session_id.as_deref(), Some("t"));
        assert_eq!(memory.sessions(None, None, 10).expect("sessions").len(), 2);
        let other = SessionState { memory_session_id: Some("v".into()), ..new_session("main") };
        let started = memory.join_session(other.clone()).expect("started");
        memory.end_session(&started.id, &Map::new()).expect("ended");
        let restarted = memory.join_session(other).expect("started");
        assert_ne!(restarted.id, started.id);
        for id in [started.id, restarted.id] {
            memory.delete_session(&id).expect("deleted");
        }
        let orphan = SessionState { parent_session_id: Some("x".into()), ..new_session("main") };
        assert_eq!(error_text(memory.start_session(orphan)), "unknown session `x`");
        assert!(error_text(memory.start_session(SessionState::default())).contains("branch"));
        let id = map(json!({"id": "y"}));
        assert!(error_text(memory.update_session(&first.id, &id)).contains("cannot be changed"));
        let parent = map(json!({"parent_session_id": second.id}));
        assert!(
            error_text(memory.update_session(&first.id, &parent)).contains("cannot be changed")
        );
        let none = Observation::default();
        assert_eq!(
            error_text(memory.observe("x", Kind::Insight, "t", &none)),
            "unknown session `x`"
        );
        assert!(
            error_text(memory.observe(&first.id, Kind::Checkpoint, "t", &none))
                .contains("cannot be recorded as an observation")
        );
        assert_eq!(memory.sessions(Some("main"), Some(false), 10).expect("sessions").len(), 2);
        memory.delete_session(&first.id).expect("deleted");
        assert_eq!(memory.sessions(None, None, 10).expect("sessions").len(), 1);
    });
}

#[test]
fn checkpoints_and_insights_stay_in_the_checkout() {
    on_both_stores(|root, memory| {
        let body = Checkpoint { next_steps: Some(json!("write tests")), ..Checkpoint::default() };
        memory.save_checkpoint("half way", &body, None, Some("main")).expect("saved");
        let last = memory.save_checkpoint("nearly there", &body, None, None).expect("saved");
        let insight =
            memory.save_insight("Small diffs merge", Some("git"), &Insight::default(), None);
        insight.expect("saved");
        assert_eq!(memory.last_checkpoint(None).expect("read").expect("one").id, last);
        let on_main = memory.last_checkpoint(Some("main")).expect("read").expect("one");
        assert_eq!(on_main.content, "half way");
        assert!(!root.join("ai").exists());
    });
}

#[test]
fn pruning_deletes_only_old_sessions() {
    on_both_stores(|root, memory| {
        memory.save_decision(&decision("Keep me", None)).expect("saved");
        memory.save_insight("Me too", None, &Insight::default(), None).expect("saved");
        let mut ids = Vec::new();
        for n in 0..4 {
            let session = memory.start_session(new_session("main")).expect("a session");
            memory
                .observe(&session.id, Kind::Pattern, "seen", &Observation::default())
                .expect("observed");
            if n != 1 {
                memory.end_session(&session.id, &Map::new()).expect("ended");
            }
            ids.push(session.id);
        }
        let conditions = PruneConditions { days: 1, sessions: 2 };
        let preview = memory.prune(conditions, true).expect("listed");
        assert_eq!((&preview.sessions, preview.observations), (&vec![ids[0].clone()], 1));
        assert_eq!(memory.prune(conditions, false).expect("pruned"), preview);
        assert_eq!(memory.prune(conditions, false).expect("pruned").sessions.len(), 0);
        let remaining =
            memory.read(&mut |store| store.entries(&Query::new(Layers::ALL))).expect("entries");
        assert_eq!(remaining.len(), 5);
        assert_eq!(text(root, "ai/memory/decisions.jsonl").lines().count(), 1);
    });
}

#[test]
fn saving_a_branch_merges_its_fields() {
    on_both_stores(|root, memory| {
        let patch = |value: Value| serde_json::from_value::<BranchContext>(value).expect("a patch");
        memory
            .save_branch(&patch(json!({"branch": "x", "pendingTasks": ["a", "b"], "mood": 1})))
            .expect("saved");
        let saved = memory
            .save_branch(&patch(json!({"branch": "x", "completed_tasks": ["a"], "phase": "BUILD"})))
            .expect("saved");
        assert_eq!(
            (saved.pending_tasks, saved.phase.as_deref()),
            (vec!["b".to_owned()], Some("BUILD"))
        );
        assert!(text(root, ".aidd/branches/x.json").contains("\"mood\": 1"));
        assert!(
            error_text(memory.save_branch(&BranchContext::default()))
                .contains("branch name is empty")
        );
    });
}

/// Hooks record every edit: decisions rank above the names of edited files.
#[test]
fn decisions_rank_above_tool_outcomes() {
    on_both_stores(|_, memory| {
        let login = decision("Login goes through the identity provider", None);
        let decision_id = memory.save_decision(&login).expect("saved").id;
        let session = memory.start_session(new_session("main")).expect("a session");
        for _ in 0..3 {
            let none = Observation::default();
            let edited = "edited src/login.ts";
            memory.observe(&session.id, Kind::ToolOutcome, edited, &none).expect("observed");
        }
        let question = |kinds: Vec<Kind>| Question {
            text: "login".to_owned(),
            kinds,
            limit: 10,
            ..Question::new(Layers::ALL)
        };
        let found = memory.search(&question(Vec::new())).expect("found");
        assert_eq!(found.hits.first().map(|hit| &*hit.id), Some(&*decision_id), "{found:?}");
        // Tool outcomes are returned when their type is requested.
        let found = memory.search(&question(vec![Kind::ToolOutcome])).expect("found");
        assert_eq!(found.hits.len(), 3);
    });
}
