//! Tests of `aidd pack` and of the hooks that keep packs current and note what is read.

use crate::cli::support::{Project, token};
use serde_json::{Value, json};

fn project() -> Project {
    Project::new(&[
        ("AGENTS.md", "# Rules\n\n- Never push to main.\n"),
        ("docs/glossary.md", "# Glossary\n\n**Refund**: money that goes back\n"),
        ("src/a.py", "def one():\n    pass\n"),
        (".aidd/config.json", "{}"),
    ])
}

fn reads(project: &Project, path: &str) -> Vec<(String, bool)> {
    let mut memory = aidd_memory::project::ProjectMemory::open(
        &crate::DISTRIBUTION,
        project.path(),
        aidd_memory::store::BackendChoice::default(),
        aidd_memory::project::system_clock(),
    )
    .expect("a memory");
    let reads = memory.pack_reads(path).expect("reads");
    reads.into_iter().map(|read| (read.path, read.is_covered)).collect()
}

#[test]
fn packs_are_built_once_verified_and_sliced() {
    let project = project();
    project.run(&["pack", "verify"]).expect_code(1);
    let built = project.run(&["pack", "build"]).expect_code(0).out;
    assert!(built.contains("written aidd/reports/memory/project.semantic.pack.json"), "{built}");
    let again = project.run(&["pack", "build"]).expect_code(0).out;
    assert!(!again.contains("written"), "{again}");
    project.run(&["pack", "verify"]).expect_code(0);
    let slice = project.run(&["pack", "slice", "refund"]).expect_code(0).out;
    assert!(slice.contains("money that goes back"), "{slice}");
    let shown = project.run(&["pack", "show", "semantic", "--ticket", "ABC-1"]).expect_code(0).out;
    assert!(shown.contains("\"ticket\":\"ABC-1\""), "{shown}");
    project.run(&["pack", "build", "--ticket", "a/b"]).expect_code(2);
    project.write("AGENTS.md", "# Rules\n\n- Never push to master.\n");
    let output = project.run(&["pack", "verify", "--json"]).expect_code(1).out;
    let output: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(output["problems"][0]["code"], "memory_semantic_pack_stale");
}

#[test]
fn rejected_decisions_and_secrets_are_shown_as_such() {
    let project = project();
    let add = |args: &[&str]| project.run(&[&["memory", "add", "decision"], args].concat());
    add(&["Use files", "--topic", "store", "--ticket", "AB-1"]).expect_code(0);
    add(&["Use a server", "--topic", "store", "--rejected", "--reasoning", "to run"])
        .expect_code(0);
    add(&["Use x", "--rejected", "--supersedes", "store"]).expect_code(2);
    let text = project.run(&["pack", "show", "decisions"]).expect_code(0).out;
    let pack: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(pack["active_decisions"]["rows"].as_array().map(Vec::len), Some(1));
    assert_eq!(pack["rejected"]["rows"][0][3], "Use a server");
    let found = project.run(&["memory", "search", "server"]).expect_code(0).out;
    assert!(found.contains("rejected"), "{found}");
    project.write("AGENTS.md", format!("# Rules\n\n- Never use {} again.\n", token()));
    let text = project.run(&["pack", "show", "semantic"]).expect_code(0).out;
    assert!(!text.contains(&token()) && text.contains("again"), "{text}");
}

#[test]
fn hooks_keep_packs_current_and_note_what_is_read() {
    let project = project();
    project.run(&["pack", "build"]).expect_code(0);
    project.write("AGENTS.md", "# Rules\n\n- Never push to master.\n");
    let event = |name: &str, more: Value| {
        let mut event = json!({"hook_event_name": name, "session_id": "s", "cwd": project.path()});
        event.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("one"));
        event
    };
    let answer = project.answer("session-start", &event("SessionStart", json!({})));
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a text");
    assert!(text.contains("aidd/reports/memory/project.semantic.pack.json"), "{text}");
    project.run(&["pack", "verify"]).expect_code(0);
    for (path, more) in [
        ("docs/glossary.md", json!({})),
        ("AGENTS.md", json!({"offset": 1, "limit": 2})),
        ("src/a.py", json!({})),
        ("aidd/reports/memory/project.semantic.pack.json", json!({})),
    ] {
        let mut input = json!({"file_path": project.absolute(path)});
        input.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("one"));
        let read = event("PostToolUse", json!({"tool_name": "Read", "tool_input": input}));
        project.run_hook("post-tool-use", &read).expect_code(0);
    }
    let expected = [
        ("docs/glossary.md".to_owned(), true),
        ("aidd/reports/memory/project.semantic.pack.json".to_owned(), false),
    ];
    assert_eq!(reads(&project, "project"), expected);
}

#[test]
fn the_schemas_of_the_packs_are_current() {
    use aidd_pack::PackKind;
    for (name, schema) in [
        ("semantic-pack", PackKind::Semantic.schema()),
        ("decisions-pack", PackKind::Decisions.schema()),
        ("research-pack", PackKind::Rlm.schema()),
        ("decision", PackKind::Log.schema()),
        ("memory-slice", aidd_pack::SLICE_SCHEMA),
    ] {
        crate::docs::assert_current(&format!("docs/{name}.schema.json"), schema);
    }
}
