//! Tests of the tool, the resources and the gate on packs.

use crate::context::Context;
use crate::{resources, tools};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

#[expect(clippy::disallowed_methods, reason = "the test creates a repository with Git")]
fn git(root: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(root).args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args);
    assert!(git.output().expect("Git runs").status.success(), "{args:?}");
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(path, text).expect("written");
}

fn project(config: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    write(root, "AGENTS.md", "# Rules\n\n- Never push to main.\n");
    write(root, "a.py", "def one():\n    pass\n");
    write(root, ".aidd/config.json", config);
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["add", "."],
        &["commit", "-q", "-m", "feat: x"],
        &["checkout", "-q", "-b", "feat/ABC-1-x"],
    ] {
        git(root, args);
    }
    dir
}

/// The text of an answer or error.
fn call(context: &Context, name: &str, arguments: Value) -> String {
    let tool = tools::all().into_iter().find(|tool| tool.name == name).expect("a tool");
    let Value::Object(arguments) = arguments else { panic!("an object") };
    match tool.call(context, arguments) {
        Ok(answer) => answer.text,
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn an_agent_builds_reads_slices_and_verifies_packs() {
    let dir = project("{}");
    let context = Context::at(&crate::DISTRIBUTION, dir.path());
    let pack = |arguments| call(&context, "aidd_pack", arguments);
    assert!(pack(json!({"action": "verify"})).contains("memory_semantic_pack_missing"));
    let saved = json!({
        "topic": "store", "decision": "Use files", "reasoning": "no server", "ticket": "ABC-1",
        "stage": "PLAN", "sourcePath": "AGENTS.md",
    });
    call(&context, "save_decision", saved);
    let refused = json!({
        "topic": "queue", "decision": "Use a queue", "reasoning": "one more server",
        "status": "rejected", "ticket": "ABC-1",
    });
    call(&context, "save_decision", refused);
    let built = pack(json!({"action": "build"}));
    assert!(built.contains("written aidd/reports/memory/ABC-1.semantic.pack.json"), "{built}");
    assert!(pack(json!({"action": "verify"})).contains("valid and current"));
    assert!(pack(json!({})).contains("Never push to main."));
    let decisions: Value =
        serde_json::from_str(&pack(json!({"pack": "decisions"}))).expect("a pack");
    assert_eq!(decisions["active_decisions"]["rows"][0][3], "Use files");
    assert_eq!(decisions["rejected"]["rows"][0][4], "rejected");
    let slice = pack(json!({"action": "slice", "query": "no server"}));
    assert!(slice.contains("store: Use files"), "{slice}");
    assert!(pack(json!({"action": "slice"})).starts_with("error: `query` is missing"));
    assert!(pack(json!({"ticket": "../x"})).starts_with("error: invalid ticket"));
    let read = |uri| resources::read(&context, uri);
    let semantic = read("aidd://packs/ABC-1/semantic").expect("a pack");
    assert_eq!(semantic, pack(json!({})));
    assert_eq!(read("aidd://packs/current/semantic").expect("a pack"), semantic);
    assert!(read("aidd://packs/ABC-1/nothing").is_err());
    assert!(read("aidd://packs/..%2F..%2Fx/semantic").is_err());
    let reads = context.memory(|memory| memory.pack_reads("ABC-1")).expect("reads");
    let counts: Vec<(&str, u64)> = reads.iter().map(|read| (&*read.path, read.count)).collect();
    assert_eq!(counts[0], ("aidd/reports/memory/ABC-1.semantic.pack.json", 4));
    assert_eq!(counts.len(), 3);
}

#[test]
fn rejected_decisions_are_found_but_never_hold() {
    let dir = project("{}");
    let context = Context::at(&crate::DISTRIBUTION, dir.path());
    let made = json!({"topic": "queue", "decision": "Use a table", "reasoning": "one server"});
    call(&context, "save_decision", made);
    let refused = json!({
        "topic": "queue", "decision": "Use a broker", "reasoning": "more to run",
        "status": "rejected",
    });
    let first = call(&context, "save_decision", refused.clone());
    assert!(!first.contains("supersedes"), "{first}");
    assert!(call(&context, "save_decision", refused).contains("Already known"));
    let found = call(&context, "search_by_topic", json!({"topic": "queue"}));
    assert!(found.contains("Use a table") && found.contains("Use a broker [rejected]"), "{found}");
    let found = call(&context, "aidd_memory_search", json!({"query": "broker"}));
    assert!(found.contains("[rejected]"), "{found}");
    let start = call(&context, "aidd_bootstrap", json!({}));
    assert!(start.contains("Use a table") && !start.contains("Use a broker"), "{start}");
    let held = resources::read(&context, "aidd://memory/decisions").expect("a page");
    assert!(held.contains("Use a table") && !held.contains("Use a broker"), "{held}");
}

#[test]
fn the_gate_blocks_only_if_it_is_hard_and_a_person_can_waive_it() {
    let off = project("{}");
    let context = Context::at(&crate::DISTRIBUTION, off.path());
    let gates = |context: &Context, arguments| call(context, "aidd_check_quality_gates", arguments);
    assert!(gates(&context, json!({"phase": "PLAN"})).starts_with("error: PLAN has no gates"));
    assert!(!gates(&context, json!({"phase": "SHIP"})).contains("memory_recorded"));
    let soft = project("{\"memory\": {\"gate\": \"soft\"}}");
    let context = Context::at(&crate::DISTRIBUTION, soft.path());
    let text = gates(&context, json!({"phase": "PLAN"}));
    assert!(text.starts_with("PLAN is complete; 1 of 1 gates not met"), "{text}");
    assert!(text.contains("memory_semantic_pack_missing"), "{text}");

    let hard = project("{\"memory\": {\"gate\": \"hard\", \"requireServed\": true}}");
    let root = hard.path();
    let context = Context::at(&crate::DISTRIBUTION, root);
    assert!(gates(&context, json!({"phase": "PLAN"})).starts_with("PLAN is not complete"));
    let started =
        call(&context, "aidd_lifecycle_init", json!({"feature": "x", "startPhase": "PLAN"}));
    let id = started.split_whitespace().nth(1).expect("an id").trim_end_matches('.').to_owned();
    let advance = |more: Value| {
        let mut arguments = json!({"lifecycleId": id});
        arguments
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().expect("one"));
        call(&context, "aidd_lifecycle_advance", arguments)
    };
    assert!(advance(json!({})).contains("memory_recorded is not met"));
    call(&context, "aidd_pack", json!({"action": "build"}));
    assert!(gates(&context, json!({"phase": "PLAN"})).starts_with("PLAN is complete"));
    assert!(!advance(json!({})).contains("memory_recorded"));
    // A change of an input is not a reason to block: the packs are brought up to date.
    write(root, "AGENTS.md", "# Rules\n\n- Never push to master.\n");
    assert!(gates(&context, json!({"phase": "PLAN"})).starts_with("PLAN is complete"));
    let text = gates(&context, json!({"phase": "SHIP"}));
    assert!(text.contains("missing memory_recorded: memory_pack_not_served"), "{text}");
    let waiver = json!({"memory_recorded": {"note": "nothing was decided here", "by": "Anna"}});
    let text = gates(&context, json!({"phase": "SHIP", "evidence": waiver}));
    assert!(text.contains("pass memory_recorded: waived:"), "{text}");
    assert!(gates(&context, json!({"phase": "SHIP"})).contains("pass memory_recorded: waived:"));
    call(&context, "aidd_pack", json!({}));
    assert!(
        gates(&context, json!({"phase": "VERIFY"})).contains("pass memory_recorded: the packs")
    );
    let health = call(&context, "aidd_project_health", json!({}));
    assert!(
        health.contains("memory_recorded: 2 phases blocked, 1 waived: 50 % false blocks"),
        "{health}"
    );
}

#[test]
fn the_start_lists_what_to_read_first_within_its_budget() {
    let dir = project("{\"memory\": {\"packs\": {\"enabled\": true}}}");
    let context = Context::at(&crate::DISTRIBUTION, dir.path());
    let start = call(&context, "aidd_bootstrap", json!({}));
    let lines = [
        "1. aidd/reports/research/ABC-1-rlm.pack.json",
        "2. aidd/reports/memory/ABC-1.semantic.pack.json",
        "3. aidd/reports/memory/ABC-1.decisions.pack.json",
        "4. lifecycle: none active",
        "5. state of the branch feat/ABC-1-x",
        "6. for a single question: aidd_pack slice",
    ];
    for line in lines {
        assert!(start.contains(line), "{line}\n{start}");
    }
    assert!(dir.path().join("aidd/reports/memory/ABC-1.semantic.pack.json").exists());
    let quiet = project("{}");
    let context = Context::at(&crate::DISTRIBUTION, quiet.path());
    assert!(!call(&context, "aidd_bootstrap", json!({})).contains("Read in this order"));
    assert!(!quiet.path().join("aidd").exists());
    write(
        quiet.path(),
        ".aidd/config.json",
        "{\"memory\": {\"readOrder\": [\"decisions\", \"rlm\"]}}",
    );
    call(&context, "aidd_pack", json!({"action": "build"}));
    let start = call(&context, "aidd_bootstrap", json!({}));
    assert!(start.contains("1. aidd/reports/memory/ABC-1.decisions.pack.json"), "{start}");
    assert!(!start.contains("3. "), "{start}");
}
