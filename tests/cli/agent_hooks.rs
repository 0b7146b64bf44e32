//! Tests of the hooks of agent clients: the real binary, called as by each client.

use crate::cli::support::{BLUE, Project, RunOutput, token};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A directory set up by `aidd init`, outside a repository.
pub(crate) fn set_up() -> Project {
    let project = Project::new(&[]);
    std::fs::remove_dir(project.path().join(".git")).expect("removed");
    project.run(&["init"]).expect_code(0);
    project
}

impl Project {
    /// Runs a hook with `payload` on standard input, as a client does.
    pub(crate) fn run_hook(&self, name: &str, payload: &Value) -> RunOutput {
        let mut command = self.command("", &["hook", name]);
        // An unoptimised build can be slow on a busy machine.
        command.env("AIDD_HOOK_LIMIT", "120");
        self.finish(&mut command, payload.to_string().as_bytes())
    }

    /// The answer of a hook, as JSON; asserts that the hook writes nothing to standard error.
    #[track_caller]
    pub(crate) fn answer(&self, name: &str, payload: &Value) -> Value {
        let output = self.run_hook(name, payload).expect_code(0);
        assert_eq!(output.err, "", "{name}");
        if output.out.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&output.out).expect("JSON")
        }
    }

    pub(crate) fn absolute(&self, path: &str) -> String {
        self.path().join(path).display().to_string()
    }
}

/// An event as Claude Code sends it, with the additional fields `more`.
pub(crate) fn claude_event(event: &str, more: Value) -> Value {
    let mut payload = json!({
        "session_id": "5f0c", "transcript_path": "/home/u/.claude/projects/p/5f0c.jsonl",
        "cwd": "/", "permission_mode": "default", "hook_event_name": event,
    });
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
        payload.extend(more);
    }
    payload
}

/// Replaces the parts of a text that differ between runs: ids and dates.
fn normalize(text: &str) -> String {
    let mut normalized = String::new();
    let mut rest = text;
    while let Some(at) = ["session_", "decision_", "checkpoint_", "tool_outcome_"]
        .iter()
        .filter_map(|name| rest.find(name).map(|at| at + name.len()))
        .filter(|at| rest[*at..].starts_with(|c: char| c.is_ascii_digit()))
        .min()
    {
        let end = rest[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let end = end.map_or(rest.len(), |end| at + end);
        normalized.push_str(&rest[..at]);
        normalized.push_str("ID");
        rest = &rest[end..];
    }
    normalized.push_str(rest);
    let mut words: Vec<String> = normalized.split(' ').map(str::to_owned).collect();
    for word in &mut words {
        let is_date = word.len() >= 10
            && word.is_char_boundary(10)
            && word[..10].chars().enumerate().all(|(at, c)| match at {
                4 | 7 => c == '-',
                _ => c.is_ascii_digit(),
            });
        if is_date {
            word.replace_range(..10, "DAY");
        }
    }
    words.join(" ")
}

#[test]
fn a_claude_code_conversation_works_in_an_empty_directory() {
    let project = Project::new(&[]);
    std::fs::remove_dir(project.path().join(".git")).expect("removed");
    let output = project.run(&["init", "--client", "claude-code"]).expect_code(0);
    let mut transcript = format!("$ aidd init --client claude-code\n{}{}", output.out, output.err);
    project
        .run(&["memory", "add", "decision", "Tokens live in cookies", "--topic", "auth"])
        .expect_code(0);

    let settings: Value =
        serde_json::from_str(&project.read(".claude/settings.json")).expect("JSON");
    let command = |event: &str| {
        let hook = &settings["hooks"][event][0]["hooks"][0];
        let command = hook["command"].as_str().expect("a command");
        command.strip_prefix("aidd hook ").expect("a hook of aidd").to_owned()
    };
    let mut run = |event: &str, more: Value| {
        let output = project.run_hook(&command(event), &claude_event(event, more)).expect_code(0);
        assert_eq!(output.err, "", "{event}");
        let output =
            if output.out.is_empty() { "(nothing)".to_owned() } else { normalize(&output.out) };
        let output = output.replace("\\n", "\n").replace(&token(), "TOKEN");
        // The rest is the list of shipped rules, which grows.
        let output = output.split("\n## Rules\n").next().unwrap_or_default();
        write!(transcript, "\n> {event}\n{}\n", output.trim_end()).expect("writing to memory");
    };
    run("SessionStart", json!({"source": "startup", "model": "claude-sonnet-5"}));
    run("UserPromptSubmit", json!({"prompt": "Let us continue where we stopped"}));
    let file = project.absolute("Dockerfile");
    let text = "FROM debian:latest\nRUN apt-get install -y curl\n";
    let leak = format!("FROM debian:12\nENV TOKEN={}\n", token());
    run(
        "PreToolUse",
        json!({"tool_name": "Write", "tool_input": {"file_path": file, "content": leak}}),
    );
    let input = json!({"file_path": file, "content": text});
    run("PreToolUse", json!({"tool_name": "Write", "tool_input": input}));
    project.write("Dockerfile", text);
    run(
        "PostToolUse",
        json!({
            "tool_name": "Write", "tool_input": input,
            "tool_response": {"type": "create", "filePath": file, "originalFile": null},
        }),
    );
    run(
        "PostToolUse",
        json!({
            "tool_name": "Bash", "tool_input": {"command": "cargo test --workspace"},
            "tool_response": {"stdout": "ok", "stderr": "", "interrupted": false},
        }),
    );
    run(
        "PostToolUseFailure",
        json!({
            "tool_name": "Bash", "tool_input": {"command": "npm run lint"}, "error": "exit 1",
        }),
    );
    run("PreCompact", json!({"trigger": "auto", "custom_instructions": ""}));
    run("Stop", json!({"stop_hook_active": false}));
    run("SessionStart", json!({"source": "compact", "model": "claude-sonnet-5"}));
    run("SessionEnd", json!({"reason": "exit"}));
    let name = project.path().file_name().expect("a name").to_string_lossy().into_owned();
    assert_snapshot!(transcript.replace(&name, "NAME"), @r###"
    $ aidd init --client claude-code
    wrote .claude/rules/aidd.md
    wrote .claude/settings.json
    wrote .mcp.json
    wrote .aidd/config.json
    Claude Code: start Claude Code here and allow the server `aidd` when prompted
    not in a Git repository; run `git init`, then run this command again

    > SessionStart
    {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"## NAME: current state
    This is the output of aidd_bootstrap; do not call it again. For a task, call aidd_classify_task.
    Branch main
    Open session session_ID
    ## Active decisions
    - auth: Tokens live in cookies [decision_ID]

    > UserPromptSubmit
    aidd memory (resuming): to resume earlier work, call load_checkpoint first, then load_context.

    > PreToolUse
    {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"aidd refuses this edit because it would add 1 finding:
    Dockerfile:2:11 error secrets/github-personal-access-token: GitHub personal access token (classic). Revoke the token at github.com/settings/tokens and replace it with a fine-grained one.
    `aidd explain RULE` explains a rule."}}

    > PreToolUse
    (nothing)

    > PostToolUse
    {"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"aidd: this edit added 2 findings:
    Dockerfile:1:6 warning dockerfile/latest-tag: image `debian` is tagged `latest`. Pin the version you tested, or add a digest
    Dockerfile:2:13 info dockerfile/apt-recommends: recommended packages are installed in addition to the requested packages. Add `--no-install-recommends` and list the packages that are needed
    `aidd explain RULE` explains a rule."}}

    > PostToolUse
    (nothing)

    > PostToolUseFailure
    (nothing)

    > PreCompact
    (nothing)

    > Stop
    (nothing)

    > SessionStart
    {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"## NAME: current state
    This is the output of aidd_bootstrap; do not call it again. For a task, call aidd_classify_task.
    Branch main
    Open session session_ID
    Checkpoint checkpoint_ID: before compaction (auto): edited 1 file, tests passed, types passed, build passed, lint failed
    Files open at the checkpoint: Dockerfile
    ## Active decisions
    - auth: Tokens live in cookies [decision_ID]

    > SessionEnd
    (nothing)
    "###);

    let sessions: Value =
        serde_json::from_str(&project.run(&["memory", "--json", "sessions"]).expect_code(0).out)
            .expect("JSON");
    let session = &sessions["sessions"][0];
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(session["filesModified"], json!(["Dockerfile"]));
    assert_eq!(
        session["output"],
        "edited 1 file, tests passed, types passed, build passed, lint failed"
    );
    assert_eq!(session["aiProvider"]["client"], "Claude Code");
    assert_eq!(session["aiProvider"]["provider"], "anthropic");
    assert!(session["endedAt"].is_i64(), "{session}");
    // Neither the content of edits nor the commands are stored.
    for entry in std::fs::read_dir(project.path().join(".aidd")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = if path.is_file() { std::fs::read(&path).expect("bytes") } else { Vec::new() };
        let text = String::from_utf8_lossy(&bytes);
        for content in ["apt-get", "debian", "--workspace", "npm run"] {
            assert!(!text.contains(content), "{} contains {content}", path.display());
        }
    }
}

#[test]
fn secrets_are_refused_in_the_format_of_each_client() {
    let project = set_up();
    let leak = format!("KEY={}\n", token());
    let file = project.absolute("a.env");
    let input = json!({"file_path": file, "content": leak});
    let mut answers = String::new();
    for payload in [
        claude_event("PreToolUse", json!({"tool_name": "Write", "tool_input": input})),
        json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "1", "cwd": "/",
            "tool_name": "apply_patch",
            "tool_input": {"command": format!("*** Begin Patch\n*** Add File: a.env\n+{leak}*** End Patch\n")},
        }),
        json!({
            "hookEventName": "PreToolUse", "sessionId": "s", "cwd": "/", "tool_name": "create_file",
            "tool_input": {"filePath": file, "content": leak},
        }),
        json!({"hook_event_name": "PreToolUse", "tool_name": "write", "tool_input": input}),
        json!({
            "hook_event_name": "preToolUse", "conversation_id": "c", "cursor_version": "2.4.0",
            "workspace_roots": [project.path()], "tool_name": "Write", "tool_input": input,
        }),
        json!({"hook_event_name": "BeforeTool", "session_id": "s", "tool_name": "write_file", "tool_input": input}),
    ] {
        let answer = project.answer("pre-tool-use", &payload);
        let name = payload["hook_event_name"].as_str().unwrap_or("PreToolUse (VS Code)");
        writeln!(answers, "{name}: {answer}").expect("writing to memory");
    }
    let payload = json!({
        "agent_action_name": "pre_write_code", "trajectory_id": "t", "execution_id": "e",
        "tool_info": {"file_path": file, "edits": [{"old_string": "", "new_string": leak}]},
    });
    let output = project.run_hook("pre-tool-use", &payload).expect_code(2);
    assert_eq!(output.out, "");
    write!(answers, "pre_write_code (stderr, exit code 2): {}", output.err)
        .expect("writing to memory");
    assert!(!answers.contains(&token()));
    // All clients receive the same reason.
    let reason = output.err.trim_end().to_owned();
    assert!(
        reason
            .starts_with("aidd refuses this edit because it would add 1 finding:\na.env:1:5 error")
    );
    let quoted = Value::from(reason.as_str()).to_string();
    let answers = answers.replace(&quoted, "REASON").replace(&reason, "REASON");
    assert_snapshot!(answers, @r#"
    PreToolUse: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":REASON}}
    PreToolUse: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":REASON}}
    PreToolUse (VS Code): {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":REASON}}
    PreToolUse: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":REASON},"decision":"block","reason":REASON}
    preToolUse: {"permission":"deny","user_message":"aidd refuses this edit because it would add 1 finding: a.env:1:5 error secrets/github-personal-access-token: GitHub personal access token (classic). Revoke the token at github.com/settings/tokens and replace it with a fine-grained one.","agent_message":REASON}
    BeforeTool: {"decision":"deny","reason":REASON}
    pre_write_code (stderr, exit code 2): REASON
    "#);
}

#[test]
fn only_new_findings_in_checked_files_are_reported() {
    let project = Project::new(&[]);
    project.run(&["init"]).expect_code(0);
    project.write(".aidd/rules/team/old-colour.md", BLUE);
    project.write("a.txt", "a blue sky\n");
    let report_after_edit = |path: &str, old: &str, new: &str| {
        let input =
            json!({"file_path": project.absolute(path), "old_string": old, "new_string": new});
        let payload =
            claude_event("PostToolUse", json!({"tool_name": "Edit", "tool_input": input}));
        let answer = project.answer("post-tool-use", &payload);
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    // Existing findings are not reported again.
    project.write("a.txt", "a blue sky\nand grass\n");
    assert_eq!(report_after_edit("a.txt", "a blue sky\n", "a blue sky\nand grass\n"), "");
    project.write("a.txt", "a blue sky\nand blue grass\n");
    assert_snapshot!(report_after_edit("a.txt", "and grass", "and blue grass"), @"
    aidd: this edit added 1 finding:
    a.txt:2:5 warning team/old-colour: `blue` is not our colour. Use teal
    `aidd explain RULE` explains a rule.
    ");
    // Files that are ignored, excluded, outside the project or deleted are not checked.
    project.write(".gitignore", "out.txt\n");
    project.write("out.txt", "blue\n");
    assert_eq!(report_after_edit("out.txt", "red", "blue"), "");
    project.write(".aidd/config.json", "{\"exclude\": [\"/old/\"]}");
    project.write("old/a.txt", "blue\n");
    assert_eq!(report_after_edit("old/a.txt", "red", "blue"), "");
    assert_eq!(report_after_edit("../a.txt", "red", "blue"), "");
    assert_eq!(report_after_edit("/etc/hosts", "red", "blue"), "");
    assert_eq!(report_after_edit("gone.txt", "red", "blue"), "");
    // The command line reports the same findings.
    let output = project.run(&["check", ".", "--format", "json"]).expect_code(0);
    let found: Value = serde_json::from_str(&output.out).expect("JSON");
    let paths: Vec<&str> = found["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|finding| finding["path"].as_str())
        .collect();
    assert_eq!(paths, ["a.txt", "a.txt"]);
}

#[test]
fn only_new_errors_refuse_an_edit() {
    let project = set_up();
    project.write(
        ".aidd/rules/team/old-colour.md",
        BLUE.replace("severity: warning", "severity: error"),
    );
    project.write("a.txt", "a blue sky\nred\n");
    let decision_before_edit = |old: &str, new: &str| {
        let input =
            json!({"file_path": project.absolute("a.txt"), "old_string": old, "new_string": new});
        let payload = claude_event("PreToolUse", json!({"tool_name": "Edit", "tool_input": input}));
        let answer = project.answer("pre-tool-use", &payload);
        answer["hookSpecificOutput"]["permissionDecision"].as_str().map(str::to_owned)
    };
    assert_eq!(decision_before_edit("red", "green"), None);
    assert_eq!(decision_before_edit("red", "light blue").as_deref(), Some("deny"));
    project.run(&["baseline", "write"]).expect_code(0);
    assert_eq!(decision_before_edit("red", "light blue").as_deref(), Some("deny"));
}

#[test]
fn the_session_of_a_conversation_without_work_is_not_stored() {
    let project = set_up();
    let answer = project.answer("session-start", &claude_event("SessionStart", json!({})));
    assert!(answer["hookSpecificOutput"]["additionalContext"].is_string());
    let count = |project: &Project| {
        let output = project.run(&["memory", "--json", "sessions"]).expect_code(0);
        let sessions: Value = serde_json::from_str(&output.out).expect("JSON");
        sessions["sessions"].as_array().map(Vec::len)
    };
    assert_eq!(count(&project), Some(1));
    project.answer("session-end", &claude_event("SessionEnd", json!({"reason": "exit"})));
    assert_eq!(count(&project), Some(0));
    // A client without a conversation id also receives the memory.
    let answer = project.answer("session-start", &json!({"hook_event_name": "SessionStart"}));
    assert!(answer["hookSpecificOutput"]["additionalContext"].is_string());
    assert_eq!(count(&project), Some(0));
}

#[test]
fn nothing_is_recorded_if_session_tracking_is_disabled() {
    let project = set_up();
    project.write(".aidd/config.json", "{\"content\": {\"sessionTracking\": false}}");
    let answer = project.answer("session-start", &claude_event("SessionStart", json!({})));
    assert!(answer["hookSpecificOutput"]["additionalContext"].is_string());
    project.write("a.txt", "green\n");
    let input =
        json!({"file_path": project.absolute("a.txt"), "old_string": "red", "new_string": "green"});
    let edit = claude_event("PostToolUse", json!({"tool_name": "Edit", "tool_input": input}));
    project.run_hook("post-tool-use", &edit).expect_code(0);
    let sessions = || {
        let output = project.run(&["memory", "--json", "sessions"]).expect_code(0);
        let sessions: Value = serde_json::from_str(&output.out).expect("JSON");
        sessions["sessions"].as_array().map(Vec::len)
    };
    assert_eq!(sessions(), Some(0));
    project.write(".aidd/config.json", "{}");
    project.run_hook("post-tool-use", &edit).expect_code(0);
    assert_eq!(sessions(), Some(1));
}

#[test]
fn the_context_stays_within_its_token_budget() {
    let project = set_up();
    let mut lines = String::new();
    for at in 0..60 {
        let id = format!("decision_17000000000{at:02}_0000000{at:02}");
        let line = json!({
            "id": id, "type": "decision", "topic": format!("topic {at}"), "layer": "permanent",
            "content": "가나다라 ".repeat(60), "status": "active", "schemaVersion": 1,
            "createdAt": 1_700_000_000_000_i64 + at, "updatedAt": 1_700_000_000_000_i64 + at,
        });
        writeln!(lines, "{line}").expect("writing to memory");
    }
    project.write("ai/memory/decisions.jsonl", lines);
    let answer = project.answer("session-start", &claude_event("SessionStart", json!({})));
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a text");
    assert!(text.contains("topic 59: "), "{text}");
    let tokens = aidd_lexicon::tokens::count(text);
    assert!((600..=1200).contains(&tokens), "{tokens} tokens");
    project.write(".aidd/config.json", "{\"content\": {\"tokenBudget\": \"minimal\"}}");
    let answer = project.answer("session-start", &claude_event("SessionStart", json!({})));
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a text");
    let tokens = aidd_lexicon::tokens::count(text);
    assert!((100..=400).contains(&tokens), "{tokens} tokens");
}

#[test]
fn only_related_memories_are_added_to_a_prompt() {
    let project = set_up();
    let add = |args: &[&str]| project.run(&[&["memory", "add"], args].concat()).expect_code(0).out;
    let decision = add(&[
        "decision",
        "Sessions live in signed cookies",
        "--topic",
        "sessions",
        "--reasoning",
        "No store to run",
    ]);
    let mistake = add(&[
        "mistake",
        "TypeError: Cannot read properties of undefined (reading 'basket')",
        "--fix",
        "Await the customer before reading the basket",
    ]);
    let id = |payload: &str| payload.split(' ').nth(1).expect("an id").to_owned();
    let (decision, mistake) = (id(&decision), id(&mistake));
    let run_prompt = |event: &str, prompt: &str| {
        let output = project
            .run_hook("user-prompt", &claude_event(event, json!({"prompt": prompt})))
            .expect_code(0);
        assert_eq!(output.err, "");
        output.out.replace(&decision, "DECIDED").replace(&mistake, "MISTAKE")
    };
    let prompt = |text: &str| run_prompt("UserPromptSubmit", text);
    assert_snapshot!(prompt("Why did we put sessions into signed cookies?"), @"
    Related project memory (details: `aidd_memory_get`):
    - decision sessions: Sessions live in signed cookies (because: No store to run) [DECIDED]
    aidd memory (searching): search the project's memory: search_by_topic for a topic, search_by_context for a question, search_recent for the last days.
    ");
    assert_snapshot!(prompt("TypeError: Cannot read properties of undefined (reading 'basket') at cart.ts:3"), @"
    Related project memory (details: `aidd_memory_get`):
    - mistake TypeError: Cannot read properties of undefined (reading 'basket') (fixed by: Await the customer before reading the basket) [MISTAKE]
    ");
    let gemini: Value = serde_json::from_str(&run_prompt(
        "BeforeAgent",
        "Where do the signed sessions cookies live",
    ))
    .expect("JSON");
    let text = gemini["hookSpecificOutput"]["additionalContext"].as_str().expect("a text");
    assert!(text.starts_with("Related project memory"), "{text}");
    let cursor = run_prompt("beforeSubmitPrompt", "Where do the signed sessions cookies live");
    let cursor: Value = serde_json::from_str(&cursor).expect("JSON");
    assert_eq!((&cursor["continue"], &cursor["additional_context"]), (&json!(true), &json!(text)));
    for other in [
        "Write a README for this repository",
        "Add a loading spinner to the settings page",
        "Bump the version to 2.0",
        "cookies",
        "run the tests",
        "버튼 색을 바꿔줘",
        "/sessions where do signed cookies live",
    ] {
        assert_eq!(prompt(other), "", "{other}");
    }
    // A hook does not set up anything.
    let unconfigured = Project::new(&[]);
    let payload =
        claude_event("UserPromptSubmit", json!({"prompt": "Where do our sessions live now?"}));
    assert_eq!(unconfigured.run_hook("user-prompt", &payload).expect_code(0).out, "");
    assert!(!unconfigured.path().join(".aidd").exists());
}
