//! Tests of the formats in which clients pass paths and edits. Each format was found in the
//! documentation or in an issue of a client.

use crate::cli::agent_hooks::{claude_event, set_up};
use crate::cli::support::{BLUE, Project};
use serde_json::{Value, json};

/// A project with a rule that `blue` violates, and with files that do not violate the rule.
fn project() -> Project {
    let project = Project::new(&[
        ("packages/api/a.txt", "a red sky\n"),
        ("a.txt", "a red sky\n"),
        (".aidd/config.json", "{}"),
    ]);
    let rule = BLUE.replace("severity: warning", "severity: error");
    project.write(".aidd/rules/team/old-colour.md", rule);
    project
}

/// The findings in a hook's answer, in any format: location and rule.
fn findings_in(answer: &Value) -> Vec<String> {
    let pointers = [
        "/hookSpecificOutput/permissionDecisionReason",
        "/hookSpecificOutput/additionalContext",
        "/permissionDecisionReason",
        "/additionalContext",
        "/additional_context",
    ];
    let text =
        pointers.iter().find_map(|pointer| answer.pointer(pointer)?.as_str()).unwrap_or_default();
    let lines = text.lines().filter(|line| line.contains("team/old-colour"));
    lines.filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect()
}

const PATCH: &str =
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-a red sky\n+a blue sky\n*** End Patch\n";

fn codex(project: &Project, event: &str, folder: &str, patch: &str) -> Value {
    json!({
        "session_id": "s", "turn_id": "1", "hook_event_name": event, "model": "gpt-5",
        "transcript_path": "/home/u/.codex/sessions/s.jsonl", "cwd": project.absolute(folder),
        "tool_name": "apply_patch", "tool_use_id": "c", "tool_input": {"command": patch},
        "tool_response": "Success. Updated the following files",
    })
}

#[test]
fn a_path_is_relative_to_the_clients_directory() {
    let project = project();
    let hook = |name: &str, payload: &Value, folder: &str| {
        let mut command = project.command(folder, &["hook", name]);
        command.env("AIDD_HOOK_LIMIT", "120");
        let output = project.finish(&mut command, payload.to_string().as_bytes()).expect_code(0);
        assert_eq!(output.err, "");
        serde_json::from_str(&output.out).unwrap_or(Value::Null)
    };
    let folder = "packages/api";
    let expected = ["packages/api/a.txt:1:3 error team/old-colour"];
    let payload = codex(&project, "PreToolUse", folder, PATCH);
    assert_eq!(findings_in(&hook("pre-tool-use", &payload, folder)), expected);
    // The directory in which the hook is started does not matter, and the directory in the payload is
    // optional.
    assert_eq!(findings_in(&hook("pre-tool-use", &payload, "")), expected);
    let mut without_directory = payload;
    without_directory["cwd"] = Value::Null;
    assert_eq!(findings_in(&hook("pre-tool-use", &without_directory, folder)), expected);
    project.write("packages/api/a.txt", "a blue sky\n");
    let payload = codex(&project, "PostToolUse", folder, PATCH);
    assert_eq!(findings_in(&hook("post-tool-use", &payload, folder)), expected);
    // A path that only exists relative to the project root is resolved there.
    project.remove("packages/api/a.txt");
    project.write("b.txt", "a blue sky\n");
    let patch = PATCH.replace("a.txt", "b.txt");
    let payload = codex(&project, "PostToolUse", folder, &patch);
    assert_eq!(
        findings_in(&hook("post-tool-use", &payload, folder)),
        ["b.txt:1:3 error team/old-colour"]
    );
    // Paths outside the project are ignored.
    let patch = PATCH.replace("a.txt", "../../../a.txt");
    let payload = codex(&project, "PreToolUse", folder, &patch);
    assert_eq!(hook("pre-tool-use", &payload, folder), Value::Null);
}

#[test]
fn a_moved_file_is_checked_at_its_target() {
    let project = project();
    let patch = PATCH.replace("a.txt\n", "a.txt\n*** Move to: sky/new.txt\n");
    let payload = codex(&project, "PreToolUse", "", &patch);
    let expected = ["sky/new.txt:1:3 error team/old-colour"];
    assert_eq!(findings_in(&project.answer("pre-tool-use", &payload)), expected);
    project.remove("a.txt");
    project.write("sky/new.txt", "a blue sky\n");
    let payload = codex(&project, "PostToolUse", "", &patch);
    assert_eq!(findings_in(&project.answer("post-tool-use", &payload)), expected);
    let output = project.run(&["memory", "--json", "sessions"]).expect_code(0);
    let sessions: Value = serde_json::from_str(&output.out).expect("JSON");
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1));
}

#[cfg(unix)]
#[test]
fn a_project_can_be_reached_through_a_link() {
    let project = project();
    let link_dir = tempfile::tempdir().expect("a folder");
    let link = link_dir.path().join("link");
    std::os::unix::fs::symlink(project.path(), &link).expect("linked");
    let input = json!({
        "file_path": link.join("a.txt"), "old_string": "red", "new_string": "blue",
    });
    let payload = claude_event("PreToolUse", json!({"tool_name": "Edit", "tool_input": input}));
    let expected = ["a.txt:1:3 error team/old-colour"];
    assert_eq!(findings_in(&project.answer("pre-tool-use", &payload)), expected);
    let mut command = project.command("", &["hook", "pre-tool-use"]);
    command.current_dir(&link).env("AIDD_HOOK_LIMIT", "120");
    let output = project.finish(&mut command, payload.to_string().as_bytes()).expect_code(0);
    assert_eq!(findings_in(&serde_json::from_str(&output.out).expect("JSON")), expected);
}

#[test]
fn other_field_names_for_an_edit_are_accepted() {
    let project = project();
    project.write("a.txt", "a blue sky\n");
    let file = project.absolute("a.txt");
    let edit = json!({"old_string": "red", "new_string": "blue"});
    let arguments = json!({"path": file, "old_str": "red", "new_str": "blue"});
    let expected = ["a.txt:1:3 error team/old-colour"];
    for payload in [
        // An event of Cursor for a specific tool.
        json!({
            "hook_event_name": "afterFileEdit", "conversation_id": "c", "generation_id": "g",
            "workspace_roots": [project.path()], "file_path": file, "edits": [edit],
        }),
        // GitHub Copilot's format, with arguments as an object and as a string.
        json!({
            "sessionId": "s", "timestamp": 1, "cwd": project.path(), "toolName": "edit",
            "toolArgs": arguments, "toolResult": {"resultType": "success"},
        }),
        json!({
            "sessionId": "s", "timestamp": 1, "cwd": project.path(), "toolName": "edit",
            "toolArgs": arguments.to_string(), "toolResult": {"resultType": "success"},
        }),
        // VS Code, as documented: no text, only names.
        json!({
            "sessionId": "s", "hookEventName": "PostToolUse", "cwd": project.path(),
            "tool_name": "editFiles", "tool_input": {"files": ["a.txt"]}, "tool_response": "done",
        }),
    ] {
        assert_eq!(findings_in(&project.answer("post-tool-use", &payload)), expected, "{payload}");
    }
    let failed = json!({
        "sessionId": "s", "cwd": project.path(), "toolName": "edit", "toolArgs": arguments,
        "toolResult": {"resultType": "failure"},
    });
    assert_eq!(project.answer("post-tool-use", &failed), Value::Null);
    let created = json!({
        "sessionId": "s", "cwd": project.path(), "toolName": "create",
        "toolArgs": {"path": project.absolute("new.txt"), "file_text": "blue\n"},
    });
    let answer = project.answer("pre-tool-use", &created);
    assert_eq!(answer["permissionDecision"], "deny");
    assert_eq!(findings_in(&answer), ["new.txt:1:1 error team/old-colour"]);
}

/// If two files require each other, the file that is written first has a finding.
#[test]
fn findings_that_a_later_file_can_fix_are_reported_not_refused() {
    let project = project();
    project.write(
        ".aidd/rules/team/tested.md",
        "---\nseverity: error\nmessage: \"`<path>` has no test\"\ncheck:\n  tree: { each: \"src/**/*.rs\", exists: [\"tests/<stem>.rs\"] }\n---\n# team/tested\n\nEvery module has a test.\n",
    );
    project.write(
        ".aidd/rules/team/links.md",
        "---\nseverity: error\nmessage: \"a link that leads nowhere\"\ncheck:\n  files: [\"*.md\"]\n  doc: { links: [files] }\n---\n# team/links\n\nLinks lead somewhere.\n",
    );
    for (path, text, rule) in [
        ("src/a.rs", "fn a() {}\n", "team/tested"),
        ("docs/a.md", "# A\n\n[b](b.md)\n", "team/links"),
    ] {
        let input = json!({"file_path": project.absolute(path), "content": text});
        let payload =
            |event: &str| claude_event(event, json!({"tool_name": "Write", "tool_input": input}));
        assert_eq!(project.answer("pre-tool-use", &payload("PreToolUse")), Value::Null, "{path}");
        project.write(path, text);
        let report = project.answer("post-tool-use", &payload("PostToolUse")).to_string();
        assert!(report.contains(&format!("error {rule}")), "{path}: {report}");
    }
}

/// The commands of hooks in a client's file, at any depth.
#[cfg(unix)]
fn commands(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("aidd hook ") => found.push(text.clone()),
        Value::Array(inner) => inner.iter().for_each(|value| commands(value, found)),
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| !["windows", "powershell"].contains(&key.as_str()))
            .for_each(|(_, value)| commands(value, found)),
        _ => {}
    }
}

/// For team members with the files but without aidd, no client must treat the missing program as a
/// refusal. Most clients refuse on exit code 2; GitHub Copilot refuses a tool, and Devin
/// everything, on any exit code other than 0.
#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "the shell, as clients start it")]
fn without_aidd_nothing_is_refused() {
    let project = set_up();
    let clients = ["claude-code", "cursor", "vscode", "codex", "windsurf", "gemini"];
    let mut args = vec!["init"];
    args.extend(clients.iter().flat_map(|client| ["--client", client]));
    project.run(&args).expect_code(0);
    for (path, count, code) in [
        (".claude/settings.json", 8, 127),
        (".cursor/hooks.json", 7, 127),
        (".github/hooks/aidd.json", 5, 127),
        (".codex/hooks.json", 6, 127),
        (".devin/hooks.v1.json", 6, 0),
        (".windsurf/hooks.json", 4, 127),
        (".gemini/settings.json", 7, 127),
    ] {
        let file: Value = serde_json::from_str(&project.read(path)).expect("JSON");
        let mut all = Vec::new();
        commands(&file, &mut all);
        assert_eq!(all.len(), count, "{path}: {all:?}");
        for command in all {
            let mut shell = std::process::Command::new("/bin/sh");
            shell.args(["-c", &command]).current_dir(project.path()).env_clear();
            let output = project.finish(shell.env("PATH", "/nowhere"), b"{}");
            let is_copilots = path.starts_with(".github") && command.contains("pre-tool-use");
            let expected = if is_copilots { 0 } else { code };
            assert_eq!((output.code, &*output.out), (expected, ""), "{path}: {command}");
        }
    }
}
