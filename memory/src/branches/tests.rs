use super::*;
use crate::store::BackendChoice;
use crate::tests::{new_session, on_both_stores, open_memory, text as text_at, write};

fn patch(value: Value) -> BranchContext {
    serde_json::from_value(value).expect("a patch")
}

#[test]
fn additions_during_a_merge_of_the_branch_are_not_lost() {
    on_both_stores(|root, memory| {
        memory.save_branch(&patch(json!({"branch": "x", "pendingTasks": ["a"]}))).expect("saved");
        let context = memory.joined_branch("x").expect("a branch");
        let mut other = open_memory(root, BackendChoice::Json);
        let additions = json!({"branch": "x", "decisions": [{"decision": "Use Argon2id"}]});
        other.save_branch(&patch(additions)).expect("saved");
        assert_eq!(memory.archive_unchanged("x", &context).expect("archived"), None);
        assert_eq!(memory.branch("x").expect("a branch").decisions.len(), 1);
        let merged = memory.merge_branch("x").expect("merged");
        assert_eq!((merged.promoted.len(), merged.known.len()), (1, 0));
        assert!(text_at(root, &merged.archived).contains("Use Argon2id"));
    });
}

#[test]
fn a_session_that_continues_after_its_promotion_is_counted_once() {
    on_both_stores(|_, memory| {
        let session = memory.start_session(new_session("x")).expect("a session");
        let fields = json!({
            "decisions": [{"decision": "first"}], "tasksPending": ["docs"],
            "filesModified": ["a.rs"],
        });
        let fields = fields.as_object().expect("an object");
        let mut session_state = memory.update_session(&session.id, fields).expect("updated");
        // Ending the session promotes it first; then marking the session as ended fails.
        session_state.ended_at = Some(json!(memory.now() + 1000));
        assert!(!memory.promote_session(&session_state).expect("promoted").was_known);
        let before = memory.branch("x").expect("a branch");
        let done = patch(json!({"branch": "x", "completedTasks": ["docs"]}));
        memory.save_branch(&done).expect("saved");
        let additions = json!({"decisions": [{"decision": "second"}], "filesModified": ["b.rs"]});
        let additions = additions.as_object().expect("an object");
        let (_, promoted) = memory.end_session(&session.id, additions).expect("ended");
        assert!(promoted.was_known);
        assert_eq!(promoted.decisions, ["second"]);
        let after = memory.branch("x").expect("a branch");
        assert_eq!(after.decisions.len(), 2);
        assert_eq!(after.files_modified, ["a.rs", "b.rs"]);
        assert_eq!(after.sessions_count, 1);
        assert!((after.total_duration_ms - before.total_duration_ms).abs() < 0.5);
        assert_eq!((after.completed_tasks, after.pending_tasks), (vec!["docs".into()], vec![]));
    });
}

#[test]
fn a_task_that_one_side_completed_is_not_pending() {
    on_both_stores(|root, memory| {
        let conflict = "{\"branch\": \"x\",\n<<<<<<< HEAD\n\"completedTasks\": [\"a\"], \
            \"pendingTasks\": [\"b\"],\n=======\n\"completedTasks\": [], \
            \"pendingTasks\": [\"a\", \"c\"],\n>>>>>>> y\n\"updatedAt\": 1}\n";
        write(root, ".aidd/branches/x.json", conflict);
        let context = memory.branch("x").expect("a branch");
        assert_eq!(context.pending_tasks, ["b", "c"]);
        let archived = json!({"branch": "x", "completedTasks": ["c"], "pendingTasks": ["a"]});
        write(root, ".aidd/branches/archive/x.json", &archived.to_string());
        let joined = memory.joined_branch("x").expect("a branch");
        assert_eq!(joined.pending_tasks, ["b"]);
    });
}

#[test]
fn memories_that_are_already_permanent_are_not_promoted_again() {
    on_both_stores(|_, memory| {
        let decisions: Vec<Value> =
            (0..40).map(|n| json!({"decision": format!("number {n}")})).collect();
        let with_duplicate = [&decisions[..], &[json!({"decision": " Number 7. "})]].concat();
        let context = patch(json!({"branch": "x", "decisions": with_duplicate,
            "errorsEncountered": [{"error": "boom at 7"}, {"error": "number 3"}]}));
        memory.save_branch(&context).expect("saved");
        let merged = memory.merge_branch("x").expect("merged");
        assert_eq!((merged.promoted.len(), merged.known.len()), (42, 0));
        let again = patch(json!({"branch": "y", "decisions": [{"decision": "NUMBER 9"}],
            "errorsEncountered": [{"error": "Boom at 8"}, {"error": "number 9"}]}));
        memory.save_branch(&again).expect("saved");
        let merged = memory.merge_branch("y").expect("merged");
        // Errors are compared without numbers, and not with decisions.
        assert_eq!((merged.promoted.len(), merged.known.len()), (0, 3));
    });
}
