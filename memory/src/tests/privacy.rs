//! Every write operation, with a secret and a private text in every field.

use super::*;
use crate::kinds::{Checkpoint, Convention, Insight, Observation};
use crate::permanent::Edit;
use crate::records::BranchContext;
use crate::types::{Kind, Link, Outcome, Relation};
use serde_json::{Map, Value, json};

const PRIVATE: &str = "zebra-crossing";

/// Assembled at run time, so that no file contains a complete token.
fn token() -> String {
    format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")
}

/// A text with both, unique for each number.
fn bad(n: usize) -> String {
    format!("text {n} of {} <Private>{PRIVATE}</PRIVATE> and {} after", "w".repeat(n + 1), token())
}

fn fields() -> Map<String, Value> {
    Map::from_iter([("free".to_owned(), json!({bad(30): [bad(31), {"deep": bad(32)}]}))])
}

fn all_writes(memory: &mut ProjectMemory) {
    let new_session = SessionState {
        name: Some(bad(0)),
        input: Some(bad(1)),
        extra: fields(),
        ..new_session(&bad(2))
    };
    let session = memory.start_session(new_session).expect("begun").id;
    let patch = json!({
        "decisions": [{"decision": bad(3), "reasoning": bad(4)}],
        "errorsResolved": [{"error": bad(5), "fix": bad(6)}],
        "filesModified": [bad(7)], "tasksPending": [bad(8)], "output": bad(9), "free": bad(10),
    });
    let patch: Map<String, Value> = serde_json::from_value(patch).expect("a patch");
    memory.update_session(&session, &patch).expect("updated");
    let body = Observation {
        facts: vec![bad(11)],
        narrative: Some(bad(12)),
        concepts: vec![bad(13)],
        files_read: vec![bad(14)],
        extra: fields(),
        ..Observation::default()
    };
    memory.observe(&session, Kind::Decision, &bad(15), &body).expect("observed");
    memory.end_session(&session, &patch).expect("ended");
    let branch = BranchContext {
        branch: bad(2),
        feature: Some(bad(16)),
        completed_tasks: vec![bad(17)],
        extra: fields(),
        ..BranchContext::default()
    };
    memory.save_branch(&branch).expect("saved");
    memory.merge_branch(&bad(2)).expect("merged");
    let reasons = |n| Decision {
        reasoning: bad(n),
        context: Some(bad(n + 1)),
        extra: fields(),
        ..Decision::default()
    };
    let new = New { body: reasons(18), ..decision(&bad(20), Some(&bad(21))) };
    let one = memory.save_decision(&new).expect("saved").id;
    let link =
        Link { reason: Some(bad(22)), extra: fields(), ..Link::new(Relation::Debates, &one) };
    let two = New { links: vec![link.clone()], ..decision("entirely other words", None) };
    let two = memory.save_decision(&two).expect("saved").id;
    memory.link(&two, &link).expect("linked");
    memory.set_outcome(&one, Outcome::Failed, Some(&bad(23))).expect("set");
    let edit = Edit { content: Some(bad(24)), topic: Some(bad(25)), fields: fields() };
    memory.edit(Kind::Decision, &one, &edit).expect("edited");
    memory.remove(Kind::Decision, &one, Some(&bad(26))).expect("removed");
    memory.save_mistake(&mistake(&bad(27), &bad(28))).expect("saved");
    memory
        .save_mistake(&New { session_id: Some(bad(29)), ..mistake(&bad(27), &bad(33)) })
        .expect("saved");
    let convention = Convention {
        example: bad(34),
        rationale: Some(bad(35)),
        extra: fields(),
        ..Convention::default()
    };
    memory
        .save_convention(&New { content: bad(36), body: convention, ..New::default() })
        .expect("saved");
    let body = Checkpoint {
        next_steps: Some(json!([bad(37)])),
        status: Some(bad(38)),
        ..Checkpoint::default()
    };
    memory.save_checkpoint(&bad(39), &body, Some(&bad(40)), Some(&bad(41))).expect("saved");
    let body = Insight { tags: vec![bad(42)], source: Some(bad(43)), ..Insight::default() };
    memory.save_insight(&bad(44), Some(&bad(45)), &body, None).expect("saved");
    let lifecycle = memory.start_lifecycle(&bad(46), None, None).expect("begun").id;
    let note = format!("as we said before: {}", bad(47));
    let evidence = Map::from_iter([("requirements".to_owned(), json!(note))]);
    let moved = memory
        .advance_lifecycle(&lifecycle, &evidence, Some(&bad(48)), Some(&bad(49)))
        .expect("on");
    assert!(moved.lifecycle.phases[0].evidence.contains_key("requirements"));
    memory.return_lifecycle(&lifecycle, "UNDERSTAND", &bad(50)).expect("back");
    memory.abandon_lifecycle(&lifecycle, &bad(51)).expect("abandoned");
    memory.note_figures(&bad(52), &json!({"x": bad(53)})).expect("noted");
}

fn on_disk(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
            } else {
                found.push((path.display().to_string(), std::fs::read(&path).expect("read")));
            }
        }
    }
    found
}

#[test]
fn no_write_leaves_a_secret_or_a_private_text_on_the_disk() {
    on_both(|root, memory| {
        all_writes(memory);
        let files = on_disk(root);
        assert!(files.len() >= 6, "{}", files.len());
        let token = token();
        let mut redacted = 0;
        for (path, bytes) in files {
            for word in [PRIVATE, &token] {
                let holds = bytes.windows(word.len()).any(|part| part == word.as_bytes());
                assert!(!holds && !path.contains(word), "{path} holds {word}");
            }
            redacted += bytes.windows(10).filter(|part| part == b"[REDACTED]").count();
        }
        assert!(redacted > 100, "{redacted}");
    });
}

/// The public functions of the memory that write, counted, so that new ones are added above.
#[test]
fn every_way_to_write_is_tried() {
    let tried = include_str!("privacy.rs");
    for source in [
        include_str!("../permanent.rs"),
        include_str!("../local.rs"),
        include_str!("../sessions.rs"),
        include_str!("../branches.rs"),
        include_str!("../lifecycle/mod.rs"),
    ] {
        for function in source.split("\n    pub fn ").skip(1) {
            let name = function.split('(').next().expect("a name");
            let end = function.find("\n    }\n").unwrap_or(function.len());
            let body = &function[..end];
            let writes = ["write(", "write_permanent(", "change_", "put_session(", ".save("];
            let takes_text =
                body.split(") ->").next().is_some_and(|head| head.matches(':').count() > 1);
            if writes.iter().any(|word| body.contains(word))
                && takes_text
                && name != "delete_session"
            {
                let called = tried.contains(&format!("memory.{name}("))
                    || tried.contains(&format!(".{name}("));
                assert!(called || name == "promote_session", "{name} is not tried");
            }
        }
    }
}
