//! Tests of unusual states of the memory's files, and of the effects of edits and imports.

use crate::cli::support::Project;
use serde_json::Value;
use std::fs;

const DECISIONS: &str = "ai/memory/decisions.jsonl";

#[test]
fn an_edit_changes_the_named_fields_or_is_rejected() {
    let project = Project::outside_repository();
    let id = project.add_decision("Use SQLite", &["--topic", "store"]);
    let edit = |args: &[&str]| project.run(&[&["memory", "edit", &id], args].concat());
    edit(&["--set", "content=Use Postgres", "--set", "reasoning=Many writers"]).expect_code(0);
    let entry = project.memory(&["show", &id])["entries"][0].clone();
    assert_eq!(entry["content"], "Use Postgres");
    assert_eq!(entry["metadata"]["reasoning"], "Many writers");
    assert_eq!(entry["metadata"]["content"], Value::Null);
    edit(&["--set", "topic=database"]).expect_code(0);
    assert_eq!(project.memory(&["show", &id])["entries"][0]["topic"], "database");
    edit(&["--unset", "topic"]).expect_code(0);
    assert_eq!(project.memory(&["show", &id])["entries"][0]["topic"], Value::Null);
    let before = project.read(DECISIONS);
    for (args, message) in [
        (
            &["--set", "contents=x"][..],
            "a decision has no field `contents`; its fields are content, topic, reasoning, \
             alternatives, context, confidence, outcome, outcomeReason",
        ),
        (&["--unset", "mood"], "a decision has no field `mood`; its fields are"),
        (&["--unset", "content"], "a decision cannot be empty"),
        (&["--content", "x", "--set", "content=y"], "both change `content`"),
        (&["--set", "context=x", "--unset", "context"], "field `context` is set twice"),
    ] {
        let output = edit(args).expect_code(2);
        assert!(output.err.contains(message), "{args:?}: {}", output.err);
    }
    assert_eq!(project.read(DECISIONS), before);
}

#[test]
fn the_memory_v2_log_is_imported_with_its_history() {
    let project = Project::outside_repository();
    let log = [
        r#"{"schema":"aidd.memory.decision.v1","ts":"2026-02-14T09:30:00Z","decision_id":"aaa","topic":"auth","decision":"JWT","rationale":"simple","status":"active"}"#,
        r#"{"schema":"aidd.memory.decision.v1","ts":"2026-02-15T09:30:00Z","decision_id":"bbb","topic":"auth","decision":"Sessions","status":"active","supersedes":"aaa"}"#,
        r#"{"schema":"aidd.memory.decision.v1","ts":"2026-02-16T09:30:00Z","decision_id":"ccc","topic":"queue","decision":"Kafka","status":"rejected"}"#,
    ];
    project.write("T-1.decisions.jsonl", log.join("\n"));
    let output = project.run(&["memory", "import", "T-1.decisions.jsonl"]).expect_code(0);
    assert!(output.out.contains("as memory-v2"), "{}", output.out);
    let found = project.memory(&["search", "--all", "--sort", "oldest"]);
    let found: Vec<(&str, &str, i64)> = found["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .map(|hit| {
            let text = |name: &str| hit[name].as_str().unwrap_or("active");
            (text("title"), text("status"), hit["createdAt"].as_i64().expect("a time"))
        })
        .collect();
    assert_eq!(
        found,
        [
            ("JWT", "superseded", 1_771_061_400_000),
            ("Sessions", "active", 1_771_147_800_000),
            ("Kafka", "rejected", 1_771_234_200_000),
        ]
    );
    let again = project.run(&["memory", "import", "T-1.decisions.jsonl"]).expect_code(0);
    assert!(again.out.contains("imported 0 memories"), "{}", again.out);
}

#[test]
fn another_programs_database_is_reported_and_preserved() {
    let project = Project::outside_repository();
    let path = project.path().join(".aidd/data.db");
    // The first page of an empty database with the application id of GeoPackage.
    let mut before = vec![0; 4096];
    before[..16].copy_from_slice(b"SQLite format 3\0");
    before[16..24].copy_from_slice(&[0x10, 0, 1, 1, 0, 64, 32, 32]);
    before[24..32].copy_from_slice(&[0, 0, 0, 1, 0, 0, 0, 1]);
    before[44..48].copy_from_slice(&[0, 0, 0, 4]);
    before[56..60].copy_from_slice(&[0, 0, 0, 1]);
    before[68..72].copy_from_slice(b"GPKG");
    before[92..96].copy_from_slice(&[0, 0, 0, 1]);
    before[100..108].copy_from_slice(&[13, 0, 0, 0, 0, 0x10, 0, 0]);
    fs::create_dir_all(project.path().join(".aidd")).expect("made");
    fs::write(&path, &before).expect("written");
    let output = project.run(&["memory", "add", "decision", "Use SQLite"]).expect_code(0);
    assert!(output.err.contains("another program (application id 0x47504b47"), "{}", output.err);
    assert!(!output.err.contains("damaged"), "{}", output.err);
    let report = project.run(&["memory", "doctor"]);
    assert!(
        report.out.contains("the database of another program; delete it once"),
        "{}",
        report.out
    );
    let moved = fs::read_dir(project.path().join(".aidd")).expect("a folder").flatten();
    let moved = moved.map(|entry| entry.path()).find(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("data.foreign-"))
    });
    assert_eq!(fs::read(moved.expect("moved aside")).expect("bytes"), before);
}

#[test]
fn an_existing_memory_directory_is_used() {
    let project = Project::outside_repository();
    fs::create_dir(project.path().join(".git")).expect("made");
    let line =
        r#"{"at":1,"content":"Use SQLite","id":"decision_1_a","topic":"store","type":"decision"}"#;
    project.write("memory/decisions.jsonl", format!("{line}\n<<<<<<< HEAD\n"));
    assert_eq!(project.memory(&["show", "decision_1_a"])["entries"][0]["content"], "Use SQLite");
    let output = project.run(&["check"]);
    assert!(output.out.contains("memory/conflict-marker"), "{}", output.out);
    project.run(&["memory", "doctor", "--fix"]);
    let attributes = project.read(".gitattributes");
    assert!(attributes.ends_with("\nmemory/*.jsonl merge=union\n"), "{attributes}");
    assert_eq!(project.read("memory/decisions.jsonl"), format!("{line}\n"));
    let output =
        project.run(&["memory", "add", "mistake", "boom", "--fix", "fixed"]).expect_code(0);
    assert!(output.out.contains("in memory/mistakes.jsonl"), "{}", output.out);
    assert!(!project.path().join("ai").exists());
    project.write("ai/memory/decisions.jsonl", "");
    let report = project.run(&["memory", "doctor"]);
    assert!(
        report.out.contains("memory also contains memories, but only ai/memory is read"),
        "{}",
        report.out
    );
}
