//! Calls every write operation with a secret and a private text in every field.

use super::*;
use crate::foreign::{ImportOptions, ImportedParts};
use crate::kinds::{Checkpoint, Convention, Insight, Observation};
use crate::log::Revision;
use crate::permanent::Edit;
use crate::project_map::{MapEntry, MapKind};
use crate::records::BranchContext;
use crate::types::{Kind, Link, Outcome, Relation};
use crate::usage::Name;
use crate::usage::event::{Event, TimedEvent};
use crate::work_list::{NewWork, WorkChange};
use serde_json::{Map, Value, json};

const PRIVATE: &str = "zebra-crossing";

/// Assembled at run time, so that no file contains a complete token.
fn token() -> String {
    format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")
}

/// A text with a secret and a private text, unique for each number.
fn sensitive_text(n: usize) -> String {
    format!("text {n} of {} <Private>{PRIVATE}</PRIVATE> and {} after", "w".repeat(n + 1), token())
}

fn fields() -> Map<String, Value> {
    Map::from_iter([(
        "free".to_owned(),
        json!({sensitive_text(30): [sensitive_text(31), {"deep": sensitive_text(32)}]}),
    )])
}

/// Imports a private text and a secret in every kind of item.
fn import_sensitive(memory: &mut ProjectMemory) {
    let rows = json!({"decisions": [
        {"id": "a", "topic": sensitive_text(70), "decision": sensitive_text(71), "created_at": 5},
        {"id": "b", "topic": "b", "decision": sensitive_text(72), "kind": "lesson"},
    ], "decision_edges": [
        {"from_id": "b", "to_id": "a", "relationship": "refines", "reason": sensitive_text(73)},
    ]});
    let file = crate::foreign::read("x.json", rows.to_string().as_bytes(), None);
    let mut file = file.expect("a format");
    let mut work = memory.add_work(NewWork::task("Other")).expect("added");
    (work.id, work.title) = ("task_1_a".to_owned(), sensitive_text(74));
    file.work.push(work);
    let branch = BranchContext {
        branch: "imported".to_owned(),
        pending_tasks: vec![sensitive_text(75)],
        ..BranchContext::default()
    };
    file.branches.push(branch);
    let description = Some(sensitive_text(79));
    file.map.push(MapEntry { description, ..MapEntry::new(MapKind::Flow, sensitive_text(80)) });
    let value = json!({"id": "s", "name": sensitive_text(76)});
    let table = crate::store::Table::Sessions;
    let id = "s".to_owned();
    file.documents.push(crate::foreign::ImportedDocument { table, id, at: 5, value });
    memory.import_file(&file, &sensitive_text(77), false).expect("imported");
    let text = format!("# Rules\n\n- {}\n", sensitive_text(81));
    let file = crate::foreign::read("CLAUDE.md", text.as_bytes(), None).expect("a format");
    memory.import_file(&file, "CLAUDE.md", false).expect("imported");
    let id = memory.drafts(None).expect("drafts")[0].id.clone();
    memory.accept_draft(&id, Some(&sensitive_text(82))).expect("accepted");
}

/// Imports lines in parts, with a private text and a secret in every field.
fn import_sensitive_lines(memory: &mut ProjectMemory) {
    let first = |n: usize| Revision {
        topic: Some(sensitive_text(n + 1)),
        branch: Some(sensitive_text(n + 2)),
        extra: fields(),
        ..Revision::first(Kind::Decision, sensitive_text(n), 5, sensitive_text(n + 3))
    };
    let lines = (0..8).map(|n| first(200 + 4 * n).with_rev().line() + "\n").collect::<String>();
    let folder = TempDir::new().expect("a directory");
    write(folder.path(), "lines.jsonl", &lines);
    let path = folder.path().join("lines.jsonl");
    let parts = ImportedParts::open(&path, "lines", &ImportOptions::default()).expect("opened");
    let (summary, _) = memory.import_parts(parts, &sensitive_text(83), false).expect("imported");
    assert_eq!(summary.redacted, 8);
}

fn all_writes(memory: &mut ProjectMemory) {
    let new_session = SessionState {
        name: Some(sensitive_text(0)),
        input: Some(sensitive_text(1)),
        extra: fields(),
        ..new_session(&sensitive_text(2))
    };
    let session = memory.start_session(new_session).expect("started").id;
    let note = [("why".to_owned(), sensitive_text(60).into())].into_iter().collect();
    memory.save_local(Kind::Preference, &sensitive_text(61), note).expect("saved");
    let work = NewWork { note: Some(sensitive_text(62)), ..NewWork::task(sensitive_text(63)) };
    let work = memory.add_work(work).expect("added");
    let change = WorkChange { note: Some(sensitive_text(64)), ..WorkChange::default() };
    memory.change_work(&work.id, &change).expect("changed");
    let description = Some(sensitive_text(66));
    let paths = vec![sensitive_text(78)];
    let entry =
        MapEntry { description, paths, ..MapEntry::new(MapKind::Theme, sensitive_text(67)) };
    memory.change_map(entry).expect("written");
    memory.change_page("ai/project.md", &mut |_| Ok(sensitive_text(68))).expect("written");
    let path = sensitive_text(69);
    memory.note_pack_read("A-1", &path, crate::pack_log::Reader::Hook, true).expect("noted");
    let codes = [sensitive_text(70)];
    memory.note_pack_gate("A-1", "PLAN", &codes, Some(&sensitive_text(71))).expect("noted");
    memory.save_run("run_1", &json!({"answer": sensitive_text(65)})).expect("saved");
    import_sensitive(memory);
    import_sensitive_lines(memory);
    let patch = json!({
        "decisions": [{"decision": sensitive_text(3), "reasoning": sensitive_text(4)}],
        "errorsResolved": [{"error": sensitive_text(5), "fix": sensitive_text(6)}],
        "filesModified": [sensitive_text(7)], "tasksPending": [sensitive_text(8)], "output": sensitive_text(9), "free": sensitive_text(10),
    });
    let patch: Map<String, Value> = serde_json::from_value(patch).expect("a patch");
    memory.update_session(&session, &patch).expect("updated");
    let body = Observation {
        facts: vec![sensitive_text(11)],
        narrative: Some(sensitive_text(12)),
        concepts: vec![sensitive_text(13)],
        files_read: vec![sensitive_text(14)],
        extra: fields(),
        ..Observation::default()
    };
    memory.observe(&session, Kind::Decision, &sensitive_text(15), &body).expect("observed");
    memory.end_session(&session, &patch).expect("ended");
    let branch = BranchContext {
        branch: sensitive_text(2),
        feature: Some(sensitive_text(16)),
        completed_tasks: vec![sensitive_text(17)],
        extra: fields(),
        ..BranchContext::default()
    };
    memory.save_branch(&branch).expect("saved");
    memory.merge_branch(&sensitive_text(2)).expect("merged");
    let reasons = |n| Decision {
        reasoning: sensitive_text(n),
        context: Some(sensitive_text(n + 1)),
        extra: fields(),
        ..Decision::default()
    };
    let new =
        NewMemory { body: reasons(18), ..decision(&sensitive_text(20), Some(&sensitive_text(21))) };
    let first = memory.save_decision(&new).expect("saved").id;
    let link = Link {
        reason: Some(sensitive_text(22)),
        extra: fields(),
        ..Link::new(Relation::Debates, &first)
    };
    let second = NewMemory { links: vec![link.clone()], ..decision("entirely other words", None) };
    let second = memory.save_decision(&second).expect("saved").id;
    memory.link(&second, &link).expect("linked");
    memory.set_outcome(&first, Outcome::Failed, Some(&sensitive_text(23))).expect("set");
    let edit = Edit {
        content: Some(sensitive_text(24)),
        topic: Some(sensitive_text(25)),
        fields: fields(),
    };
    memory.edit(Kind::Decision, &first, &edit).expect("edited");
    memory.remove(Kind::Decision, &first, Some(&sensitive_text(26))).expect("removed");
    memory.save_mistake(&mistake(&sensitive_text(27), &sensitive_text(28))).expect("saved");
    memory
        .save_mistake(&NewMemory {
            session_id: Some(sensitive_text(29)),
            ..mistake(&sensitive_text(27), &sensitive_text(33))
        })
        .expect("saved");
    let convention = Convention {
        example: sensitive_text(34),
        rationale: Some(sensitive_text(35)),
        extra: fields(),
        ..Convention::default()
    };
    memory
        .save_convention(&NewMemory {
            content: sensitive_text(36),
            body: convention,
            ..NewMemory::default()
        })
        .expect("saved");
    let body = Checkpoint {
        next_steps: Some(json!([sensitive_text(37)])),
        status: Some(sensitive_text(38)),
        ..Checkpoint::default()
    };
    memory
        .save_checkpoint(
            &sensitive_text(39),
            &body,
            Some(&sensitive_text(40)),
            Some(&sensitive_text(41)),
        )
        .expect("saved");
    let body = Insight {
        tags: vec![sensitive_text(42)],
        source: Some(sensitive_text(43)),
        ..Insight::default()
    };
    memory
        .save_insight(&sensitive_text(44), Some(&sensitive_text(45)), &body, None)
        .expect("saved");
    let lifecycle = memory.start_lifecycle(&sensitive_text(46), None, None).expect("started").id;
    let note = format!("as we said before: {}", sensitive_text(47));
    let evidence = Map::from_iter([("requirements".to_owned(), json!(note))]);
    let moved = memory
        .advance_lifecycle(
            &lifecycle,
            &evidence,
            Some(&sensitive_text(48)),
            Some(&sensitive_text(49)),
        )
        .expect("advanced");
    assert!(moved.lifecycle.phases[0].evidence.contains_key("requirements"));
    memory.return_lifecycle(&lifecycle, "UNDERSTAND", &sensitive_text(50)).expect("returned");
    memory.abandon_lifecycle(&lifecycle, &sensitive_text(51)).expect("abandoned");
    let name = |text: &str| Name::new(text).expect("a name");
    assert_eq!(Name::new(&sensitive_text(52)), None);
    let model = Event::Model(name("anthropic"), name(&token()));
    let events = [TimedEvent { at: START, event: model }];
    memory.note_events(&session, &events).expect("noted");
    assert!(memory.note_events(&sensitive_text(53), &events).is_err());
}

fn files_on_disk(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                found.push((path.display().to_string(), std::fs::read(&path).expect("read")));
            }
        }
    }
    found
}

#[test]
fn no_write_leaves_a_secret_or_a_private_text_on_the_disk() {
    on_both_stores(|root, memory| {
        all_writes(memory);
        let files = files_on_disk(root);
        assert!(files.len() >= 6, "{}", files.len());
        let token = token();
        let mut redacted = 0;
        for (path, bytes) in files {
            for word in [PRIVATE, &token] {
                let contains_word = bytes.windows(word.len()).any(|part| part == word.as_bytes());
                assert!(!contains_word && !path.contains(word), "{path} contains {word}");
            }
            redacted += bytes.windows(10).filter(|part| part == b"[REDACTED]").count();
        }
        assert!(redacted > 100, "{redacted}");
    });
}

#[test]
fn prepared_lines_pass_the_gate() {
    on_both_stores(|_, memory| {
        let body = Convention { rationale: Some(sensitive_text(1)), ..Convention::default() };
        let new = NewMemory { content: sensitive_text(2), body, ..NewMemory::default() };
        let lines = memory.prepare_convention(&new).expect("prepared").lines;
        let id = memory.save_convention(&new).expect("saved").id;
        let removal = memory.prepare_removal(&id, Some(&sensitive_text(3))).expect("prepared");
        let lines = lines + &removal.lines;
        assert_eq!(lines.lines().count(), 2);
        assert!(!lines.contains(PRIVATE) && !lines.contains(&token()), "{lines}");
    });
}

/// Every public function that writes must be called in `all_writes`, including future functions.
#[test]
fn every_writing_function_is_tested() {
    let tested = include_str!("privacy.rs");
    for source in [
        include_str!("../permanent.rs"),
        include_str!("../accept.rs"),
        include_str!("../intake.rs"),
        include_str!("../local.rs"),
        include_str!("../pack_log.rs"),
        include_str!("../work_list/mod.rs"),
        include_str!("../project_map/mod.rs"),
        include_str!("../pages.rs"),
        include_str!("../sessions.rs"),
        include_str!("../branches.rs"),
        include_str!("../lifecycle/mod.rs"),
        include_str!("../usage/mod.rs"),
    ] {
        for function in source.split("\n    pub fn ").skip(1) {
            let name = function.split('(').next().expect("a name");
            let end = function.find("\n    }\n").unwrap_or(function.len());
            let body = &function[..end];
            let writes = [
                "write(",
                "write_permanent(",
                "change_",
                "put_session(",
                ".save(",
                "import_part(",
                "import_file(",
            ];
            let takes_text =
                body.split(") ->").next().is_some_and(|head| head.matches(':').count() > 1);
            if writes.iter().any(|word| body.contains(word))
                && takes_text
                && !["delete_session", "discard_session", "import_entries"].contains(&name)
            {
                let called = tested.contains(&format!("memory.{name}("))
                    || tested.contains(&format!(".{name}("));
                assert!(called || name == "promote_session", "{name} is not tested");
            }
        }
    }
}
