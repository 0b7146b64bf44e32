//! The hooks that clients of agents run, and what `aidd init --client` writes for them: the real
//! binary, called as each client calls it.

use crate::support::{BLUE, Project, Ran, token};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A folder with an empty set-up, and no repository.
fn set_up() -> Project {
    let project = Project::new(&[]);
    std::fs::remove_dir(project.path().join(".git")).expect("removed");
    project.run(&["init"]).ends(0);
    project
}

impl Project {
    /// Runs a hook as a client does.
    fn tells(&self, name: &str, said: &Value) -> Ran {
        self.run_with(said.to_string().as_bytes(), &["hook", name])
    }

    /// What a hook answers, as JSON; nothing else is said.
    #[track_caller]
    fn answer(&self, name: &str, said: &Value) -> Value {
        let ran = self.tells(name, said).ends(0);
        assert_eq!(ran.err, "", "{name}");
        if ran.out.is_empty() { Value::Null } else { serde_json::from_str(&ran.out).expect("JSON") }
    }

    fn place(&self, path: &str) -> String {
        self.path().join(path).display().to_string()
    }
}

/// What Claude Code says of an event.
fn claude(event: &str, more: Value) -> Value {
    let mut said = json!({
        "session_id": "5f0c", "transcript_path": "/home/u/.claude/projects/p/5f0c.jsonl",
        "cwd": "/", "permission_mode": "default", "hook_event_name": event,
    });
    let fields = said.as_object_mut().expect("an object");
    for (key, value) in more.as_object().expect("an object") {
        fields.insert(key.clone(), value.clone());
    }
    said
}

/// A line of a transcript, without what differs from run to run.
fn steady(text: &str) -> String {
    let mut steady = String::new();
    let mut rest = text;
    while let Some(at) = ["session_", "decision_", "checkpoint_", "tool_outcome_"]
        .iter()
        .filter_map(|name| rest.find(name).map(|at| at + name.len()))
        .filter(|at| rest[*at..].starts_with(|c: char| c.is_ascii_digit()))
        .min()
    {
        let end = rest[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let end = end.map_or(rest.len(), |end| at + end);
        steady.push_str(&rest[..at]);
        steady.push_str("ID");
        rest = &rest[end..];
    }
    steady.push_str(rest);
    let mut words: Vec<String> = steady.split(' ').map(str::to_owned).collect();
    for word in &mut words {
        let is_day = word.len() >= 10
            && word.is_char_boundary(10)
            && word[..10].chars().enumerate().all(|(at, c)| match at {
                4 | 7 => c == '-',
                _ => c.is_ascii_digit(),
            });
        if is_day {
            word.replace_range(..10, "DAY");
        }
    }
    words.join(" ")
}

#[test]
fn an_empty_folder_serves_a_whole_conversation_of_claude_code() {
    let project = Project::new(&[]);
    std::fs::remove_dir(project.path().join(".git")).expect("removed");
    let ran = project.run(&["init", "--client", "claude-code"]).ends(0);
    let mut transcript = format!("$ aidd init --client claude-code\n{}{}", ran.out, ran.err);
    project
        .run(&["memory", "add", "decision", "Tokens live in cookies", "--topic", "auth"])
        .ends(0);

    let settings: Value =
        serde_json::from_str(&project.read(".claude/settings.json")).expect("JSON");
    let command = |event: &str| {
        let hook = &settings["hooks"][event][0]["hooks"][0];
        let command = hook["command"].as_str().expect("a command");
        command.strip_prefix("aidd hook ").expect("ours").to_owned()
    };
    let mut run = |event: &str, more: Value| {
        let ran = project.tells(&command(event), &claude(event, more)).ends(0);
        assert_eq!(ran.err, "", "{event}");
        let said = if ran.out.is_empty() { "(nothing)".to_owned() } else { steady(&ran.out) };
        let said = said.replace("\\n", "\n").replace(&token(), "TOKEN");
        // What is shipped is named after it, and grows.
        let said = said.split("\n## Rules\n").next().unwrap_or_default();
        write!(transcript, "\n> {event}\n{}\n", said.trim_end()).expect("memory");
    };
    run("SessionStart", json!({"source": "startup", "model": "claude-sonnet-5"}));
    run("UserPromptSubmit", json!({"prompt": "Let us continue where we stopped"}));
    let file = project.place("Dockerfile");
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
    assert_snapshot!(transcript.replace(&name, "NAME"), @"");

    let sessions: Value =
        serde_json::from_str(&project.run(&["memory", "--json", "sessions"]).ends(0).out)
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
    // Neither what was written nor what was run is kept.
    for entry in std::fs::read_dir(project.path().join(".aidd")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = if path.is_file() { std::fs::read(&path).expect("bytes") } else { Vec::new() };
        let text = String::from_utf8_lossy(&bytes);
        for content in ["apt-get", "debian", "--workspace", "npm run"] {
            assert!(!text.contains(content), "{} holds {content}", path.display());
        }
    }
}

#[test]
fn a_client_that_never_ends_its_message_is_not_waited_for() {
    let project = set_up();
    let mut command = project.command("", &["hook", "post-tool-use"]);
    let streams = [Stdio::piped(), Stdio::piped()];
    let [out, err] = streams;
    let started = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(out).stderr(err).spawn().expect("started");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"{\"hook_event_name\": ").expect("written");
    let output = child.wait_with_output().expect("ended");
    drop(stdin);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "aidd hook: not done in 3s; passed over\n");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn every_client_is_refused_a_secret_in_its_own_form() {
    let project = set_up();
    let leak = format!("KEY={}\n", token());
    let file = project.place("a.env");
    let input = json!({"file_path": file, "content": leak});
    let mut shown = String::new();
    for said in [
        claude("PreToolUse", json!({"tool_name": "Write", "tool_input": input})),
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
        let answer = project.answer("pre-tool-use", &said);
        let name = said["hook_event_name"].as_str().unwrap_or("PreToolUse (VS Code)");
        writeln!(shown, "{name}: {answer}").expect("memory");
    }
    let said = json!({
        "agent_action_name": "pre_write_code", "trajectory_id": "t", "execution_id": "e",
        "tool_info": {"file_path": file, "edits": [{"old_string": "", "new_string": leak}]},
    });
    let ran = project.tells("pre-tool-use", &said).ends(2);
    assert_eq!(ran.out, "");
    write!(shown, "pre_write_code (stderr, exit code 2): {}", ran.err).expect("memory");
    assert!(!shown.contains(&token()));
    // The same for all.
    let reason = ran.err.trim_end().to_owned();
    assert!(
        reason.starts_with("aidd refuses this edit, which would bring 1 finding:\na.env:1:5 error")
    );
    let quoted = Value::from(reason.as_str()).to_string();
    let shown = shown.replace(&quoted, "REASON").replace(&reason, "REASON");
    assert_snapshot!(shown, @"");
}

#[test]
fn only_what_an_edit_brings_is_told_and_only_where_check_would_look() {
    let project = Project::new(&[]);
    project.run(&["init"]).ends(0);
    project.write(".aidd/rules/team/old-colour.md", BLUE);
    project.write("a.txt", "a blue sky\n");
    let post = |path: &str, old: &str, new: &str| {
        let input = json!({"file_path": project.place(path), "old_string": old, "new_string": new});
        let said = claude("PostToolUse", json!({"tool_name": "Edit", "tool_input": input}));
        let answer = project.answer("post-tool-use", &said);
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    // What was there before is not told again.
    project.write("a.txt", "a blue sky\nand grass\n");
    assert_eq!(post("a.txt", "a blue sky\n", "a blue sky\nand grass\n"), "");
    project.write("a.txt", "a blue sky\nand blue grass\n");
    assert_snapshot!(post("a.txt", "and grass", "and blue grass"), @"
    aidd: this edit brought 1 finding:
    a.txt:2:5 warning team/old-colour: `blue` is not our colour. Use teal
    `aidd explain RULE` says why a rule is one.
    ");
    // Ignored, excluded, outside, gone.
    project.write(".gitignore", "out.txt\n");
    project.write("out.txt", "blue\n");
    assert_eq!(post("out.txt", "red", "blue"), "");
    project.write(".aidd/config.json", "{\"exclude\": [\"/old/\"]}");
    project.write("old/a.txt", "blue\n");
    assert_eq!(post("old/a.txt", "red", "blue"), "");
    assert_eq!(post("../a.txt", "red", "blue"), "");
    assert_eq!(post("/etc/hosts", "red", "blue"), "");
    assert_eq!(post("gone.txt", "red", "blue"), "");
    // The same by the command line.
    let ran = project.run(&["check", ".", "--format", "json"]).ends(0);
    let found: Value = serde_json::from_str(&ran.out).expect("JSON");
    let paths: Vec<&str> = found["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["path"].as_str())
        .collect();
    assert_eq!(paths, ["a.txt", "a.txt"]);
}

#[test]
fn an_error_on_the_way_refuses_and_an_old_one_does_not() {
    let project = set_up();
    project.write(
        ".aidd/rules/team/old-colour.md",
        BLUE.replace("severity: warning", "severity: error"),
    );
    project.write("a.txt", "a blue sky\nred\n");
    let pre = |old: &str, new: &str| {
        let input =
            json!({"file_path": project.place("a.txt"), "old_string": old, "new_string": new});
        let said = claude("PreToolUse", json!({"tool_name": "Edit", "tool_input": input}));
        let answer = project.answer("pre-tool-use", &said);
        answer["hookSpecificOutput"]["permissionDecision"].as_str().map(str::to_owned)
    };
    assert_eq!(pre("red", "green"), None);
    assert_eq!(pre("red", "light blue").as_deref(), Some("deny"));
    project.run(&["baseline", "write"]).ends(0);
    assert_eq!(pre("red", "light blue").as_deref(), Some("deny"));
}

#[test]
fn whatever_is_said_a_hook_ends_well() {
    let project = set_up();
    let mut deep = "[".repeat(100_000);
    deep.push_str(&"]".repeat(100_000));
    let whole = claude(
        "PostToolUse",
        json!({"tool_name": "Write", "tool_input": {
            "file_path": project.place("a.txt"), "content": "a",
        }}),
    )
    .to_string();
    let hostile: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"{".to_vec(),
        b"null".to_vec(),
        b"[1,2]".to_vec(),
        b"\xff\xfe\x00\x01\x02".to_vec(),
        deep.into_bytes(),
        whole.as_bytes()[..whole.len() / 2].to_vec(),
        json!({"hook_event_name": 7, "session_id": [], "tool_name": {}, "tool_input": "x",
            "cwd": "\u{0}", "tool_response": 3})
        .to_string()
        .into_bytes(),
        claude("PostToolUse", json!({"tool_name": "Teleport", "tool_input": {"where": "home"}}))
            .to_string()
            .into_bytes(),
        claude(
            "PreToolUse",
            json!({"tool_name": "Write", "tool_input": {
                "file_path": "\u{0}/../../../x\n", "content": "x",
            }}),
        )
        .to_string()
        .into_bytes(),
        claude("Nothing", json!({"session_id": "x".repeat(100_000)})).to_string().into_bytes(),
    ];
    let names = [
        "session-start",
        "user-prompt",
        "pre-tool-use",
        "post-tool-use",
        "pre-compact",
        "stop",
        "session-end",
    ];
    for name in names {
        for said in &hostile {
            let ran = project.run_with(said, &["hook", name]).ends(0);
            let shown = String::from_utf8_lossy(&said[..said.len().min(80)]).into_owned();
            // A conversation that begins is told what is remembered whoever it is.
            let is_start =
                name == "session-start" && ran.out.starts_with("{\"hookSpecificOutput\"");
            assert!(ran.out.is_empty() || is_start, "{name} {shown}: {}", ran.out);
            assert!(!ran.err.contains("panicked"), "{name} {shown}: {}", ran.err);
        }
        let ran = project.run_with(b"{}", &["hook", name, "--wrong"]).ends(0);
        assert_eq!(ran.out, "", "{name}");
        assert!(ran.err.contains("--wrong"), "{}", ran.err);
    }
    let mut huge = br#"{"prompt": ""#.to_vec();
    huge.resize(20 << 20, b'x');
    for name in ["pre-tool-use", "user-prompt"] {
        let ran = project.run_with(&huge, &["hook", name]).ends(0);
        assert_eq!(ran.out, "", "{name}");
    }
}

#[test]
fn a_broken_set_up_stands_in_nobodys_way() {
    let start = claude("SessionStart", json!({"source": "startup"}));
    let project = set_up();
    project.write(".aidd/config.json", "{\"failOn\": ");
    let input = json!({"file_path": project.place("a.env"), "content": format!("K={}", token())});
    let said = claude("PreToolUse", json!({"tool_name": "Write", "tool_input": input}));
    let ran = project.tells("pre-tool-use", &said).ends(0);
    assert_eq!(ran.out, "");
    assert!(ran.err.starts_with("aidd hook pre-tool-use: "), "{}", ran.err);
    assert!(ran.err.ends_with("passed over\n"), "{}", ran.err);
    // A store that is none, and a folder in its place.
    project.write(".aidd/data.db", "this is no database, and never was one");
    project.tells("session-start", &start).ends(0);
    let project = set_up();
    project.write(".aidd/data.db/x", "");
    for name in ["session-start", "post-tool-use", "stop", "pre-compact", "session-end"] {
        let ran = project.tells(name, &start).ends(0);
        assert!(!ran.err.contains("panicked"), "{name}: {}", ran.err);
    }
    // Nothing is set up by a hook.
    let project = Project::new(&[]);
    for name in ["session-start", "stop", "session-end"] {
        assert_eq!(project.answer(name, &start), Value::Null, "{name}");
    }
    assert!(!project.path().join(".aidd").exists());
}

#[test]
fn a_conversation_without_work_leaves_no_session() {
    let project = set_up();
    let answer = project.answer("session-start", &claude("SessionStart", json!({})));
    assert!(answer["hookSpecificOutput"]["additionalContext"].is_string());
    let count = |project: &Project| {
        let ran = project.run(&["memory", "--json", "sessions"]).ends(0);
        let sessions: Value = serde_json::from_str(&ran.out).expect("JSON");
        sessions["sessions"].as_array().map(Vec::len)
    };
    assert_eq!(count(&project), Some(1));
    project.answer("session-end", &claude("SessionEnd", json!({"reason": "exit"})));
    assert_eq!(count(&project), Some(0));
    // A client that names no conversation is told what is known all the same.
    let answer = project.answer("session-start", &json!({"hook_event_name": "SessionStart"}));
    assert!(answer["hookSpecificOutput"]["additionalContext"].is_string());
    assert_eq!(count(&project), Some(0));
}

#[test]
fn what_a_conversation_is_told_keeps_to_its_budget() {
    let project = set_up();
    let mut lines = String::new();
    for at in 0..60 {
        let id = format!("decision_17000000000{at:02}_0000000{at:02}");
        let line = json!({
            "id": id, "type": "decision", "topic": format!("topic {at}"), "layer": "permanent",
            "content": "가나다라 ".repeat(60), "status": "active", "schemaVersion": 1,
            "createdAt": 1_700_000_000_000_i64 + at, "updatedAt": 1_700_000_000_000_i64 + at,
        });
        writeln!(lines, "{line}").expect("memory");
    }
    project.write("ai/memory/decisions.jsonl", lines);
    let answer = project.answer("session-start", &claude("SessionStart", json!({})));
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a text");
    assert!(text.contains("topic 59: "), "{text}");
    let tokens = aidd_engine::guidance::tokens::count(text);
    assert!((600..=1200).contains(&tokens), "{tokens} tokens");
    project.write(".aidd/config.json", "{\"content\": {\"tokenBudget\": \"minimal\"}}");
    let answer = project.answer("session-start", &claude("SessionStart", json!({})));
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a text");
    let tokens = aidd_engine::guidance::tokens::count(text);
    assert!((100..=400).contains(&tokens), "{tokens} tokens");
}

/// Prints what each hook takes, cold; the bar of 20 ms holds for an optimised build.
#[test]
fn hooks_are_quick() {
    const RUNS: usize = 20;
    let project = set_up();
    project
        .run(&["memory", "add", "decision", "Tokens live in cookies", "--topic", "auth"])
        .ends(0);
    project.write("a.rs", "fn main() {}\n");
    let input =
        json!({"file_path": project.place("a.rs"), "old_string": "main", "new_string": "other"});
    let more = json!({"tool_name": "Edit", "tool_input": input, "prompt": "continue"});
    for (name, event) in [
        ("session-start", "SessionStart"),
        ("user-prompt", "UserPromptSubmit"),
        ("pre-tool-use", "PreToolUse"),
        ("post-tool-use", "PostToolUse"),
        ("pre-compact", "PreCompact"),
        ("stop", "Stop"),
        ("session-end", "SessionEnd"),
    ] {
        let said = claude(event, more.clone());
        let mut times: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let started = Instant::now();
                project.tells(name, &said).ends(0);
                started.elapsed()
            })
            .collect();
        times.sort_unstable();
        let (middle, most) = (times[RUNS / 2], times[RUNS * 95 / 100 - 1]);
        println!("{name:<14} p50 {middle:?} p95 {most:?}");
        assert!(most < Duration::from_secs(3), "{name}: {most:?}");
        if !cfg!(debug_assertions) && std::env::var_os("AIDD_BARS").is_some() {
            assert!(most <= Duration::from_millis(20), "{name}: {most:?}");
        }
    }
}

#[test]
fn the_files_of_every_client_are_these() {
    let project = set_up();
    let clients = ["claude-code", "cursor", "vscode", "codex", "windsurf", "zed", "gemini"];
    let mut args = vec!["init"];
    args.extend(clients.iter().flat_map(|client| ["--client", client]));
    assert_snapshot!(project.run(&args).ends(0).out, @"
    wrote .claude/rules/aidd.md
    wrote .claude/settings.json
    wrote .mcp.json
    wrote .cursor/hooks.json
    wrote .cursor/mcp.json
    wrote .cursor/rules/aidd.mdc
    wrote .github/hooks/aidd.json
    wrote .github/instructions/aidd.instructions.md
    wrote .vscode/mcp.json
    wrote .codex/config.toml
    wrote .codex/hooks.json
    wrote AGENTS.md
    wrote .devin/config.json
    wrote .devin/hooks.v1.json
    wrote .windsurf/hooks.json
    wrote .zed/settings.json
    wrote .gemini/settings.json
    wrote GEMINI.md
    kept .aidd/config.json
    ");
    let mut shown = String::new();
    for path in [
        ".cursor/hooks.json",
        ".cursor/rules/aidd.mdc",
        ".vscode/mcp.json",
        ".codex/config.toml",
        ".devin/hooks.v1.json",
        ".windsurf/hooks.json",
        ".zed/settings.json",
        ".gemini/settings.json",
    ] {
        writeln!(shown, "=== {path}\n{}", project.read(path)).expect("memory");
    }
    assert_snapshot!(shown, @r#"
    === .cursor/hooks.json
    {
      "version": 1,
      "hooks": {
        "sessionStart": [{ "command": "aidd hook session-start", "timeout": 10 }],
        "preToolUse": [
          { "command": "aidd hook pre-tool-use", "matcher": "Write|Edit|StrReplace", "timeout": 10 }
        ],
        "postToolUse": [
          { "command": "aidd hook post-tool-use", "matcher": "Write|Edit|StrReplace|Shell", "timeout": 10 }
        ],
        "preCompact": [{ "command": "aidd hook pre-compact", "timeout": 10 }],
        "stop": [{ "command": "aidd hook stop", "timeout": 10 }],
        "sessionEnd": [{ "command": "aidd hook session-end", "timeout": 10 }]
      }
    }

    === .cursor/rules/aidd.mdc
    ---
    description: The project's memory and checks
    alwaysApply: true
    ---

    <!-- aidd init -->
    ## aidd

    This project keeps its memory and checks its files with aidd; its tools are those of the MCP server `aidd`.

    - Taking up earlier work: `load_checkpoint`. Before a break: `save_checkpoint`.
    - Before deciding something or mending an error: `aidd_memory_search`. An error or stack trace: `aidd_diagnose_error`.
    - Once something is decided: `save_decision`. Once it is known how it went: `evolve_outcome`. After mending an error: `aidd_memory_add_mistake`.
    - Findings that come back after an edit are what the pull request would report: mend them. Before a commit: `aidd_ci_diff_check`.
    - Keys and passwords belong in no file that Git tracks.
    <!-- /aidd init -->

    === .vscode/mcp.json
    {
      "servers": {
        "aidd": {
          "type": "stdio",
          "command": "aidd",
          "args": ["mcp", "--root", "${workspaceFolder}"]
        }
      }
    }

    === .codex/config.toml
    [mcp_servers.aidd]
    command = "aidd"
    args = ["mcp"]

    === .devin/hooks.v1.json
    {
      "SessionStart": [
        {
          "hooks": [{ "type": "command", "command": "aidd hook session-start", "timeout": 10 }]
        }
      ],
      "UserPromptSubmit": [
        {
          "hooks": [{ "type": "command", "command": "aidd hook user-prompt", "timeout": 10 }]
        }
      ],
      "PreToolUse": [
        {
          "matcher": "edit|write",
          "hooks": [{ "type": "command", "command": "aidd hook pre-tool-use", "timeout": 10 }]
        }
      ],
      "PostToolUse": [
        {
          "matcher": "edit|write|exec",
          "hooks": [{ "type": "command", "command": "aidd hook post-tool-use", "timeout": 10 }]
        }
      ],
      "Stop": [
        {
          "hooks": [{ "type": "command", "command": "aidd hook stop", "timeout": 10 }]
        }
      ],
      "SessionEnd": [
        {
          "hooks": [{ "type": "command", "command": "aidd hook session-end", "timeout": 10 }]
        }
      ]
    }

    === .windsurf/hooks.json
    {
      "hooks": {
        "pre_write_code": [{ "command": "aidd hook pre-tool-use", "show_output": true }],
        "post_write_code": [{ "command": "aidd hook post-tool-use", "show_output": true }],
        "post_run_command": [{ "command": "aidd hook post-tool-use", "show_output": false }],
        "post_cascade_response": [{ "command": "aidd hook stop", "show_output": false }]
      }
    }

    === .zed/settings.json
    {
      "context_servers": {
        "aidd": {
          "command": "aidd",
          "args": ["mcp"],
          "env": {}
        }
      }
    }

    === .gemini/settings.json
    {
      "mcpServers": {
        "aidd": {
          "command": "aidd",
          "args": ["mcp"]
        }
      },
      "hooks": {
        "SessionStart": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook session-start", "timeout": 10000 }]
          }
        ],
        "BeforeAgent": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook user-prompt", "timeout": 10000 }]
          }
        ],
        "BeforeTool": [
          {
            "matcher": "write_file|replace",
            "hooks": [{ "type": "command", "command": "aidd hook pre-tool-use", "timeout": 10000 }]
          }
        ],
        "AfterTool": [
          {
            "matcher": "write_file|replace|run_shell_command",
            "hooks": [{ "type": "command", "command": "aidd hook post-tool-use", "timeout": 10000 }]
          }
        ],
        "PreCompress": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook pre-compact", "timeout": 10000 }]
          }
        ],
        "AfterAgent": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook stop", "timeout": 10000 }]
          }
        ],
        "SessionEnd": [
          {
            "hooks": [{ "type": "command", "command": "aidd hook session-end", "timeout": 10000 }]
          }
        ]
      }
    }
    "#);
    args.push("--remove");
    project.run(&args).ends(0);
    let left: Vec<String> = std::fs::read_dir(project.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(left, [".aidd"]);
}

#[test]
fn clients_that_are_there_are_named() {
    let project = Project::new(&[(".cursor/rules/x.mdc", ""), ("GEMINI.md", "# Mine\n")]);
    let ran = project.run(&["init"]).ends(0);
    assert!(
        ran.err.contains(
            "found here: Cursor, Gemini CLI; aidd init --client cursor --client gemini sets up"
        ),
        "{}",
        ran.err
    );
    let ran = project.run(&["init", "--client", "gemini"]).ends(0);
    assert!(ran.err.contains("found here: Cursor; aidd init --client cursor"), "{}", ran.err);
    assert!(project.read("GEMINI.md").starts_with("# Mine\n\n<!-- aidd init -->\n"));
    project.run(&["init", "--remove"]).ends(2);
    let ran = project.run(&["init", "--client", "cursor", "--dry-run"]).ends(0);
    assert!(ran.out.contains("+++ b/.cursor/mcp.json"), "{}", ran.out);
    assert!(ran.err.contains("would write .cursor/mcp.json"), "{}", ran.err);
    assert!(!project.path().join(".cursor/mcp.json").exists());
}
