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

#[test]
fn drafts_of_an_import_are_accepted_by_source() {
    let project = Project::outside_repository();
    project
        .write("CLAUDE.md", "# Rules\n\n- Amounts are integers in cents\n- Errors name a remedy\n");
    project.write(
        "docs/adr/1.md",
        "# Queue\n\n## Status\n\nDeprecated\n\n## Decision\n\nWe use a broker.\n",
    );
    project.run(&["memory", "import", "CLAUDE.md"]).expect_code(0);
    project.run(&["memory", "import", "docs/adr"]).expect_code(0);
    let hidden = |text: &str| {
        let words = text.split(' ').map(|word| match word.matches('_').count() {
            2 => word.split('_').next().unwrap_or_default().to_owned() + "_…",
            _ => word.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ").replace("_…:", "_…")
    };
    let accept = |args: &[&str]| project.run(&[&["memory", "accept"], args].concat());
    let output = accept(&["--all", "--from", "CLAUDE.md", "--dry-run"]).expect_code(0);
    assert_snapshot!(hidden(&output.out), @"
    would accept convention_… Errors name a remedy
    would accept convention_… Amounts are integers in cents
    ");
    let output = accept(&["--all"]).expect_code(0);
    assert_snapshot!(hidden(&output.out), @"
    accepted convention_… as convention_… Errors name a remedy
    accepted convention_… as convention_… Amounts are integers in cents
    skipped: `decision_… is deprecated; accept the decision that is in effect instead
    ");
    assert_eq!(output.err, "accepted 2 drafts\n");
    assert!(project.read("ai/memory/conventions.jsonl").contains("\"sourcePath\":\"CLAUDE.md\""));
    let output = accept(&["--all", "--from", "CLAUDE.md"]).expect_code(2);
    assert_snapshot!(output.err, @"error: no draft comes from `CLAUDE.md`; the open drafts come from docs/adr");
    let saved = project.memory(&["add", "convention", "Ours"]);
    let output = accept(&[saved["id"].as_str().expect("an id")]).expect_code(2);
    assert_snapshot!(hidden(&output.err), @"
    error: `convention_… is not a draft; only drafts of an import can be accepted
    hint: print the memory with `aidd memory show convention_…
    ");
}
