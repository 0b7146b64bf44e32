use super::edits::{Change, Edit, PATCH, Proposal, proposals};
use super::payload::{Payload, PayloadFormat};
use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn payload(value: &Value) -> Payload {
    Payload::read(value.to_string().as_bytes()).expect("an object")
}

fn edit(old: &str, new: &str, all: bool) -> Edit {
    Edit { old: old.into(), new: new.into(), all }
}

fn proposal(path: &str, change: Change) -> Vec<Proposal> {
    vec![Proposal { path: path.into(), from: None, change }]
}

#[test]
fn the_payload_format_is_detected() {
    for (payload_json, form) in [
        (json!({"hook_event_name": "PreToolUse", "tool_name": "Write"}), PayloadFormat::Claude),
        (json!({"hookEventName": "PreToolUse", "tool_name": "create_file"}), PayloadFormat::Claude),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": "apply_patch"}),
            PayloadFormat::Claude,
        ),
        (json!({}), PayloadFormat::Claude),
        (json!({"hook_event_name": "PreToolUse", "tool_name": "edit"}), PayloadFormat::Devin),
        (json!({"hook_event_name": "preToolUse", "tool_name": "Write"}), PayloadFormat::Cursor),
        (json!({"hook_event_name": "stop", "cursor_version": "2.0"}), PayloadFormat::Cursor),
        (
            json!({"hook_event_name": "BeforeTool", "tool_name": "write_file"}),
            PayloadFormat::Gemini,
        ),
        (json!({"hook_event_name": "AfterTool"}), PayloadFormat::Gemini),
        (json!({"agent_action_name": "pre_write_code"}), PayloadFormat::Cascade),
        (json!({"toolName": "edit", "toolArgs": "{}"}), PayloadFormat::Copilot),
    ] {
        assert_eq!(payload(&payload_json).format(), form, "{payload_json}");
    }
}

#[test]
fn edits_are_read_from_every_format() {
    let whole = |text: &str| Change::Whole(text.into());
    let edits = |edits| Change::Edits(edits);
    for (input, expected) in [
        (json!({"file_path": "a", "content": "b"}), proposal("a", whole("b"))),
        (json!({"filePath": "a", "content": "b"}), proposal("a", whole("b"))),
        (json!({"path": "a", "contents": "b"}), proposal("a", whole("b"))),
        (
            json!({"file_path": "a", "old_string": "b", "new_string": "c", "replace_all": true}),
            proposal("a", edits(vec![edit("b", "c", true)])),
        ),
        (
            json!({"file_path": "a", "edits": [
                {"old_string": "b", "new_string": "c"}, {"oldString": "d", "newString": "e"}, 1,
            ]}),
            proposal("a", edits(vec![edit("b", "c", false), edit("d", "e", false)])),
        ),
        (
            json!({"replacements": [
                {"filePath": "a", "oldString": "b", "newString": "c"},
                {"filePath": "a", "oldString": "d", "newString": "e"},
            ]}),
            proposal("a", edits(vec![edit("b", "c", false), edit("d", "e", false)])),
        ),
        (
            json!({"filePath": "a.ipynb", "cellId": "1", "newCode": "b"}),
            proposal("a.ipynb", edits(vec![edit("", "b", false)])),
        ),
        (
            json!({"notebook_path": "a.ipynb", "new_source": "b"}),
            proposal("a.ipynb", edits(vec![edit("", "b", false)])),
        ),
        (json!({"file_path": "a", "offset": 1}), vec![]),
        (json!({"command": "cargo test"}), vec![]),
        (json!({"file_path": 1, "content": {}}), vec![]),
        (json!("text"), vec![]),
        (json!(null), vec![]),
    ] {
        assert_eq!(proposals(&input), expected, "{input}");
    }
}

const PATCHED: &str = "*** Begin Patch
*** Add File: new.txt
+one
+two
*** Update File: src/a.rs
*** Move to: src/b.rs
@@ fn main() {
 fn main() {
-    old();
+    new();
 }
@@
-last
+least
*** Delete File: gone.txt
*** End Patch
";

#[test]
fn files_and_hunks_of_a_patch_are_parsed() {
    let found = proposals(&json!({"command": PATCHED}));
    let hunks = vec![
        edit("fn main() {\n    old();\n}\n", "fn main() {\n    new();\n}\n", false),
        edit("last\n", "least\n", false),
    ];
    let change = Change::Edits(hunks);
    let moved = Proposal { path: "src/b.rs".into(), from: Some("src/a.rs".into()), change };
    let expected = [proposal("new.txt", Change::Whole("one\ntwo\n".into())), vec![moved]];
    assert_eq!(found, expected.into_iter().flatten().collect::<Vec<_>>());
    assert_eq!(payload(&json!({"tool_input": {"command": PATCHED}})).command(), None);
    assert_eq!(proposals(&json!({"input": "*** Begin Patch\n+lost\n*** End"})), []);
}

#[test]
fn a_moved_file_is_checked_at_its_new_path() {
    let patch = format!("{PATCH}\n*** Update File: a.rs\n*** Move to: b/a.rs\n@@\n-old\n+new\n");
    let change = Change::Edits(vec![edit("old\n", "new\n", false)]);
    let moved = Proposal { path: "b/a.rs".into(), from: Some("a.rs".into()), change };
    assert_eq!(proposals(&json!({ "input": patch })), [moved]);
    // A file that is only moved is not written, and a move without a file is ignored.
    let patch = format!("{PATCH}\n*** Move to: x\n*** Update File: a.rs\n*** Move to: b.rs\n");
    assert_eq!(proposals(&json!({ "input": patch })), []);
}

#[test]
fn files_without_a_text_count_as_edits_only_for_writing_tools() {
    let proposals_of = |tool: &str| {
        let input = json!({"files": ["a.rs", 1, "b.rs"]});
        let payload = payload(&json!({"tool_name": tool, "tool_input": input}));
        paths::proposals(&payload, Path::new("/p"), Path::new("/p"))
    };
    let written = ["a.rs", "b.rs"].map(|path| proposal(path, Change::Unknown));
    assert_eq!(proposals_of("editFiles"), written.into_iter().flatten().collect::<Vec<_>>());
    assert_eq!(proposals_of("readFiles"), []);
}

#[test]
fn edits_are_applied_and_reverted() {
    let change = Change::Edits(vec![edit("b\n", "B\n", false), edit("x", "y", true)]);
    let after = change.apply(Some("a\nb\nx x\n"));
    assert_eq!((&*after.text, after.is_complete), ("a\nB\ny y\n", true));
    assert_eq!(change.revert("a\nB\ny y\n").as_deref(), Some("a\nb\nx x\n"));
    // Line feeds match the line endings of the file.
    let after = Change::Edits(vec![edit("a\nb", "c\nd", false)]).apply(Some("a\r\nb\r\n"));
    assert_eq!((&*after.text, after.is_complete), ("c\r\nd\r\n", true));
    // If the position is not found, only the inserted text is known.
    let after = Change::Edits(vec![edit("gone", "new", false)]).apply(Some("text"));
    assert_eq!((&*after.text, after.is_complete), ("new", false));
    let after = Change::Edits(vec![edit("", "new", false)]).apply(None);
    assert_eq!((&*after.text, after.is_complete), ("new", true));
    assert_eq!(change.revert("nothing of it"), None);
}

#[test]
fn outcomes_are_read_from_every_format() {
    for (payload_json, expected) in [
        (json!({"hook_event_name": "PostToolUseFailure"}), Some(false)),
        (json!({"hook_event_name": "PostToolUse", "tool_response": {"stdout": ""}}), Some(true)),
        (json!({"tool_response": {"stdout": "", "interrupted": true}}), None),
        (json!({"tool_response": {"exit_code": 101}}), Some(false)),
        (json!({"tool_output": "{\"exitCode\":0,\"stdout\":\"ok\"}"}), Some(true)),
        (json!({"tool_response": {"llmContent": "Stdout: x\nExit Code: 2\n"}}), Some(false)),
        (json!({"tool_response": {"success": true, "output": "x"}}), Some(true)),
        (json!({"tool_info": {"command_line": "make", "exit_code": 0}}), Some(true)),
        (json!({"tool_response": "text"}), None),
        (json!({}), None),
    ] {
        assert_eq!(payload(&payload_json).outcome(), expected, "{payload_json}");
    }
}

#[test]
fn the_output_of_a_pipe_determines_the_result_of_its_checks() {
    for (command, stdout, expected) in [
        ("npm test 2>&1 | tail -20", "Tests: 1 failed, 3 passed", Some(false)),
        ("npm test 2>&1 | tail -20", "Tests: 3 passed", Some(true)),
        ("npm test &", "", None),
        ("npm test", "Tests: 3 passed", Some(true)),
    ] {
        let payload = payload(&json!({
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_response": {"stdout": stdout, "stderr": "", "interrupted": false},
        }));
        assert_eq!(payload.checks_passed(), expected, "{command}");
    }
}

/// The value of an option does not hide the name of the hook.
#[test]
fn a_hook_is_found_after_every_option() {
    for option in Cli::command().get_arguments().filter(|option| option.is_global_set()) {
        let Some(name) = option.get_long() else { continue };
        let takes_value = option.get_action().takes_values();
        let words = ["aidd", &format!("--{name}"), "hook", "hook", "stop"].map(OsString::from);
        let words = words.iter().enumerate().filter(|(index, _)| takes_value || *index != 2);
        let words: Vec<OsString> = words.map(|(_, word)| word.clone()).collect();
        assert!(is_agent_hook(&words), "{words:?}");
    }
}

#[test]
fn agent_hooks_are_recognized_in_malformed_command_lines() {
    let is_hook =
        |args: &[&str]| is_agent_hook(&args.iter().map(OsString::from).collect::<Vec<_>>());
    for name in NAMES {
        assert!(is_hook(&["aidd", "hook", name]), "{name}");
        assert!(is_hook(&["aidd", "--color", "never", "hook", name, "--wrong"]), "{name}");
    }
    assert!(is_hook(&["aidd", "hook", "--color", "never", "stop"]));
    for other in ["install", "stopp", "--help", ""] {
        assert!(!is_hook(&["aidd", "hook", other]), "{other}");
    }
    // An argument named `hook` is not the command.
    assert!(!is_hook(&["aidd", "check", "hook", "stop"]));
    assert!(!is_hook(&["aidd", "--color", "hook", "stop"]));
    let unknown = |args: &[&str]| is_unknown(&args.iter().map(OsString::from).collect::<Vec<_>>());
    assert!(unknown(&["aidd", "hook", "stopp"]) && unknown(&["aidd", "hook", "PreToolUse", "x"]));
    assert!(!unknown(&["aidd", "hook", "install"]) && !unknown(&["aidd", "hook", "--wrong"]));
    assert!(!unknown(&["aidd", "check", "hook", "stopp", "--wrong"]) && !unknown(&["aidd"]));
    assert!(!is_hook(&["aidd", "stop"]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_patches_and_texts_are_handled(
        lines in prop::collection::vec("(\\*\\*\\* (Add|Update|Delete) File: ?|@@|[+ -])[ -~]{0,8}", 0..12),
        text in "[ -~\\n가]{0,40}",
    ) {
        let patch = format!("*** Begin Patch\n{}\n", lines.join("\n"));
        for proposal in proposals(&json!({"input": patch})) {
            let after = proposal.change.apply(Some(&text));
            let _ = proposal.change.revert(&after.text);
        }
    }

    #[test]
    fn an_edit_whose_old_text_is_found_is_applied(
        before in "[a-d\\n]{1,30}", start in 0usize..30, length in 1usize..6, new in "[a-e\\n]{0,6}",
    ) {
        let start = start % before.len();
        let old = &before[start..(start + length).min(before.len())];
        let after = Change::Edits(vec![edit(old, &new, false)]).apply(Some(&before));
        prop_assert!(after.is_complete);
        prop_assert_eq!(after.text, before.replacen(old, &new, 1));
    }
}
