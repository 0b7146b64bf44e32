use super::*;
use crate::store::Wanted;
use crate::tests::{at, new_session, on_both, text as text_at, write};

fn patch(value: Value) -> BranchContext {
    serde_json::from_value(value).expect("a patch")
}

#[test]
fn what_is_added_while_a_branch_is_merged_is_not_archived_away() {
    on_both(|root, memory| {
        memory.save_branch(&patch(json!({"branch": "x", "pendingTasks": ["a"]}))).expect("saved");
        let seen = memory.joined_branch("x").expect("a branch");
        let mut other = at(root, Wanted::Json);
        let more = json!({"branch": "x", "decisions": [{"decision": "Use Argon2id"}]});
        other.save_branch(&patch(more)).expect("saved");
        assert_eq!(memory.archive_as("x", &seen).expect("looked at"), None);
        assert_eq!(memory.branch("x").expect("a branch").decisions.len(), 1);
        let merged = memory.merge_branch("x").expect("merged");
        assert_eq!((merged.promoted.len(), merged.known.len()), (1, 0));
        assert!(text_at(root, &merged.archived).contains("Use Argon2id"));
    });
}

#[test]
fn a_session_that_goes_on_after_it_was_taken_in_is_counted_once() {
    on_both(|_, memory| {
        let session = memory.start_session(new_session("x")).expect("a session");
        let said = json!({
            "decisions": [{"decision": "first"}], "tasksPending": ["docs"],
            "filesModified": ["a.rs"],
        });
        let said = said.as_object().expect("an object");
        let mut half = memory.update_session(&session.id, said).expect("updated");
        // What ending it does before the session itself is marked as ended, which fails.
        half.ended_at = Some(json!(memory.now() + 1000));
        assert!(!memory.promote_session(&half).expect("promoted").was_known);
        let before = memory.branch("x").expect("a branch");
        let done = patch(json!({"branch": "x", "completedTasks": ["docs"]}));
        memory.save_branch(&done).expect("saved");
        let more = json!({"decisions": [{"decision": "second"}], "filesModified": ["b.rs"]});
        let more = more.as_object().expect("an object");
        let (_, promoted) = memory.end_session(&session.id, more).expect("ended");
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
fn what_one_side_has_done_is_not_left_to_do() {
    on_both(|root, memory| {
        let conflict = "{\"branch\": \"x\",\n<<<<<<< HEAD\n\"completedTasks\": [\"a\"], \
            \"pendingTasks\": [\"b\"],\n=======\n\"completedTasks\": [], \
            \"pendingTasks\": [\"a\", \"c\"],\n>>>>>>> y\n\"updatedAt\": 1}\n";
        write(root, ".aidd/branches/x.json", conflict);
        let context = memory.branch("x").expect("a branch");
        assert_eq!(context.pending_tasks, ["b", "c"]);
        let archived = json!({"branch": "x", "completedTasks": ["c"], "pendingTasks": ["a"]});
        write(root, ".aidd/branches/archive/x.json", &archived.to_string());
        let whole = memory.joined_branch("x").expect("a branch");
        assert_eq!(whole.pending_tasks, ["b"]);
    });
}

#[test]
fn what_is_permanent_is_looked_up_once_for_each_type() {
    on_both(|_, memory| {
        let decided: Vec<Value> =
            (0..40).map(|n| json!({"decision": format!("number {n}")})).collect();
        let twice = [&decided[..], &[json!({"decision": " Number 7. "})]].concat();
        let context = patch(json!({"branch": "x", "decisions": twice,
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
