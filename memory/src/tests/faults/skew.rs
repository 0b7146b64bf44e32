//! Tests with two versions of aidd on one project: unknown data of the newer version is preserved.

use super::*;
use crate::log::{ProblemKind, Revision};
use crate::permanent::Edit;
use serde_json::{Value, json};

const FILE: &str = "ai/memory/decisions.jsonl";

/// A line as written by a future aidd.
fn newer_line() -> (String, Value) {
    let line = json!({
        "id": "decision_1763800000000_abcdefabcdef",
        "at": START,
        "schemaVersion": 9,
        "type": "decision",
        "topic": "storage",
        "content": "Keep blobs in a bucket",
        "metadata": {"reasoning": "cheap", "weight": {"cost": 3}},
        "links": [],
        "voters": ["a", "b"],
    });
    let revision: Revision = serde_json::from_value(line.clone()).expect("a revision");
    (revision.with_rev().line() + "\n", line)
}

#[test]
fn unknown_fields_of_a_newer_version_are_preserved_by_an_edit() {
    on_both_stores(|root, memory| {
        let (line_text, line) = newer_line();
        write(root, FILE, &line_text);
        let id = line["id"].as_str().expect("an id");
        let edit = Edit { content: Some("Keep blobs on disk".into()), ..Edit::default() };
        memory.edit(Kind::Decision, id, &edit).expect("edited");
        memory.set_outcome(id, crate::types::Outcome::Failed, None).expect("set");
        let written = text(root, FILE);
        let last: Value =
            serde_json::from_str(written.lines().last().expect("a line")).expect("JSON");
        assert_eq!(last["voters"], line["voters"]);
        assert_eq!(last["metadata"]["weight"], json!({"cost": 3}));
        assert_eq!(last["schemaVersion"], 9);
        assert_eq!(last["content"], "Keep blobs on disk");
        assert_eq!(written.lines().next().map(|line| line.to_owned() + "\n"), Some(line_text));
        // A rebuilt store also contains the fields.
        let other = ram_temp_dir();
        write(other.path(), FILE, &written);
        let entry = open_with_notices(other.path(), BackendChoice::Auto).get(&[id.to_owned()]);
        let entry = entry.expect("there").remove(0);
        assert_eq!(entry.extra["voters"], line["voters"]);
    });
}

#[test]
fn lines_of_unknown_types_are_reported_and_retained() {
    on_both_stores(|root, memory| {
        memory.save_decision(&decision("Known", None)).expect("saved");
        let line = r#"{"id":"hypothesis_1_x","type":"hypothesis","schemaVersion":4,"content":"x"}"#;
        let unknown_operation = r#"{"id":"decision_1_y","type":"decision","op":"freeze"}"#;
        let before = format!("{}{line}\n{unknown_operation}\n", text(root, FILE));
        write(root, FILE, &before);
        let problems = memory.problems().expect("problems");
        let positions: Vec<_> =
            problems.iter().map(|problem| (problem.line, problem.kind)).collect();
        assert_eq!(positions, [(2, ProblemKind::MalformedLine), (3, ProblemKind::MalformedLine)]);
        assert_eq!(
            problems[0].message,
            "written by a newer aidd (schema 4); skipped until you update aidd"
        );
        assert!(problems[1].message.starts_with("not a memory: "), "{problems:?}");
        memory.save_decision(&decision("After it", None)).expect("saved");
        assert!(text(root, FILE).starts_with(&before));
        assert_eq!(counts(memory)[2], 2);
    });
}

#[test]
fn a_newer_database_is_rejected_and_not_changed() {
    let folder = TempDir::new().expect("a directory");
    let mut memory = open_memory(folder.path(), BackendChoice::Sqlite);
    save_some(&mut memory, &mut Rng(1), 2);
    drop(memory);
    let path = folder.path().join(".aidd/data.db");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    connection
        .execute_batch("ALTER TABLE memories ADD COLUMN mood TEXT; PRAGMA user_version = 77;")
        .expect("a newer schema");
    drop(connection);
    let before = std::fs::read(&path).expect("bytes");
    for choice in [BackendChoice::Auto, BackendChoice::Sqlite] {
        let error = ProjectMemory::open(
            &crate::DISTRIBUTION,
            folder.path(),
            choice,
            crate::project::system_clock(),
        )
        .expect_err("newer");
        let known = crate::store::steps().len();
        let expected = format!(
            "{} has schema 77, but this version of aidd supports up to {known}: update aidd",
            path.display()
        );
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(std::fs::read(&path).expect("bytes"), before);
    assert!(!folder.path().join(".aidd/data.jsonl").exists());
}

#[test]
fn an_invalid_schema_version_is_reported_as_damage() {
    for number in [-5, 0, 1 << 30] {
        let folder = TempDir::new().expect("a directory");
        let mut memory = open_memory(folder.path(), BackendChoice::Sqlite);
        save_some(&mut memory, &mut Rng(1), 2);
        let (counts_before, permanent_before) = (counts(&mut memory), permanent_text(&mut memory));
        drop(memory);
        let connection = rusqlite::Connection::open(folder.path().join(".aidd/data.db"));
        let connection = connection.expect("a database");
        connection.pragma_update(None, "user_version", number).expect("set");
        drop(connection);
        let mut memory = open_with_notices(folder.path(), BackendChoice::Auto);
        assert_eq!(memory.backend(), "sqlite");
        assert!(memory.take_notices()[0].contains("schema version"), "{number}");
        assert_eq!(
            (counts(&mut memory), permanent_text(&mut memory)),
            (counts_before, permanent_before),
            "{number}"
        );
    }
}
