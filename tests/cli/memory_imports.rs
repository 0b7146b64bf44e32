//! Imports of memories of other programs.

use crate::cli::support::Project;
use insta::assert_snapshot;

#[test]
fn memories_of_other_programs_are_imported() {
    let project = Project::outside_repository();
    project.write(
        "memory.jsonl",
        "{\"type\":\"entity\",\"name\":\"Auth\",\"entityType\":\"component\",\"observations\":[\"uses JWT\"]}\n{\"type\":\"relation\",\"from\":\"x\",\"to\":\"y\",\"relationType\":\"z\"}\n",
    );
    let output = project.run(&["memory", "import", "memory.jsonl"]).expect_code(0);
    let (output, undo) = output.out.split_once("take it back with `aidd ").expect("a command");
    assert_snapshot!(output, @"
    read memory.jsonl as server-memory
    imported 1 memory; 0 already known
      this checkout: 1 insight
    skipped x: relations start from this entity, but it does not exist
    ");
    let found = project.memory(&["search", "JWT"]);
    assert_eq!(found["hits"][0]["topic"], "Auth");
    let undo: Vec<&str> = undo.trim().trim_end_matches('`').split(' ').collect();
    let output = project.run(&undo).expect_code(0);
    assert_eq!(output.out, "took back the import of memory.jsonl\nremoved 1 item\n");
    assert_eq!(project.memory(&["search", "JWT"])["hits"], serde_json::json!([]));
    let output = project.run(&undo).expect_code(2);
    assert!(output.err.contains("unknown import"), "{}", output.err);
}

#[test]
fn a_dry_run_import_writes_nothing() {
    let project = Project::outside_repository();
    project.write("memory.jsonl", "{\"type\":\"entity\",\"name\":\"Auth\",\"entityType\":\"component\",\"observations\":[\"uses JWT\"]}\n");
    let output = project.run(&["memory", "import", "memory.jsonl", "--dry-run"]).expect_code(0);
    assert!(output.out.contains("would import 1 memory"), "{}", output.out);
    assert_eq!(output.err, "");
    assert!(!project.path().join(".aidd").exists() && !project.path().join("ai").exists());
}
