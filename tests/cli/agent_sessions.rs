//! Tests that the context an agent receives during a session has no duplicates and no omissions.

use crate::cli::agent_hooks::{claude_event, set_up};
use aidd_memory::kinds::Checkpoint;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::BackendChoice;
use serde_json::{Value, json};

fn context(answer: &Value) -> String {
    let answer = &answer["hookSpecificOutput"]["additionalContext"];
    answer.as_str().expect("a context").to_owned()
}

/// The agent passes no session id in its checkpoint, because it usually does not know the id.
#[test]
fn a_checkpoint_is_preserved_by_compaction() {
    let project = set_up();
    project.answer("session-start", &claude_event("SessionStart", json!({"source": "startup"})));
    let mut memory = ProjectMemory::open(
        &crate::DISTRIBUTION,
        project.path(),
        BackendChoice::default(),
        system_clock(),
    );
    let memory = memory.as_mut().expect("a memory");
    let body =
        Checkpoint { next_steps: Some(json!(["validate with zod"])), ..Checkpoint::default() };
    memory.save_checkpoint("POST /orders half done", &body, None, Some("main")).expect("saved");
    let file = project.absolute("a.ts");
    project.write("a.ts", "export const a = 1;\n");
    for trigger in ["auto", "manual"] {
        // Work continues after the checkpoint, so that the checkpoint is not the last event.
        std::thread::sleep(std::time::Duration::from_millis(5));
        let input = json!({"file_path": file, "content": "export const a = 1;\n"});
        let edited = json!({
            "tool_name": "Write", "tool_input": input, "tool_response": {"success": true},
        });
        project.answer("post-tool-use", &claude_event("PostToolUse", edited));
        project.answer("pre-compact", &claude_event("PreCompact", json!({"trigger": trigger})));
    }
    let start = claude_event("SessionStart", json!({"source": "compact"}));
    let resumed_context = context(&project.answer("session-start", &start));
    let summary = "before compaction (manual): edited 1 file; earlier: POST /orders half done\n";
    assert!(resumed_context.contains(summary), "{resumed_context}");
    assert!(
        resumed_context.contains("Next steps of the checkpoint: validate with zod\n"),
        "{resumed_context}"
    );
}

#[test]
fn a_resumed_conversation_does_not_repeat_the_rules() {
    let project = set_up();
    let start = |source: &str| {
        let payload = claude_event("SessionStart", json!({"source": source}));
        context(&project.answer("session-start", &payload))
    };
    let (first, compacted, resumed) = (start("startup"), start("compact"), start("resume"));
    for text in [&first, &compacted, &resumed] {
        assert!(text.contains("do not call it again"), "{text}");
    }
    assert!(first.contains("\n## Rules\n") && compacted.contains("\n## Rules\n"), "{first}");
    assert!(!resumed.contains("\n## Rules\n") && resumed.contains("\nBranch main"), "{resumed}");
}

/// The instructions of a project can contain a secret, and text that a reviewer does not see.
#[test]
fn the_start_hook_shows_no_secrets_and_no_invisible_text() {
    let project = set_up();
    let token = ["ghp", "_", "9sKq27Xv", "LmP4aRt8WzYb3NcD", "6fGh1JkE0QuT"].concat();
    let line = format!("Always deploy with {token} and\u{e0041} check the\u{202e} log.");
    project.write("CLAUDE.md", format!("# Rules\n\n## Deployment\n\n- {line}\n"));
    let answer = project.answer("session-start", &claude_event("SessionStart", json!({})));
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a context");
    assert!(context.contains("Always deploy with [REDACTED] and check the log."), "{context}");
}
