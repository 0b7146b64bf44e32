//! Tests of agent hooks under error conditions, and of their run time.

use crate::cli::agent_hooks::{claude_event, set_up};
use crate::cli::support::{BLUE, Project, token};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const HOOKS: [&str; 7] = [
    "session-start",
    "user-prompt",
    "pre-tool-use",
    "post-tool-use",
    "pre-compact",
    "stop",
    "session-end",
];

#[test]
fn an_incomplete_message_times_out() {
    let project = set_up();
    let mut command = project.command("", &["hook", "post-tool-use"]);
    let streams = [Stdio::piped(), Stdio::piped()];
    let [out, err] = streams;
    let started = Instant::now();
    command.env("AIDD_HOOK_LIMIT", "1");
    let mut child = command.stdin(Stdio::piped()).stdout(out).stderr(err).spawn().expect("started");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"{\"hook_event_name\": ").expect("written");
    let output = child.wait_with_output().expect("ended");
    drop(stdin);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "aidd hook: timed out after 1s; skipped\n");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn hooks_succeed_on_any_input() {
    let project = set_up();
    let mut deep = "[".repeat(100_000);
    deep.push_str(&"]".repeat(100_000));
    let valid = claude_event(
        "PostToolUse",
        json!({"tool_name": "Write", "tool_input": {
            "file_path": project.absolute("a.txt"), "content": "a",
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
        valid.as_bytes()[..valid.len() / 2].to_vec(),
        json!({"hook_event_name": 7, "session_id": [], "tool_name": {}, "tool_input": "x",
            "cwd": "\u{0}", "tool_response": 3})
        .to_string()
        .into_bytes(),
        claude_event(
            "PostToolUse",
            json!({"tool_name": "Teleport", "tool_input": {"where": "home"}}),
        )
        .to_string()
        .into_bytes(),
        claude_event(
            "PreToolUse",
            json!({"tool_name": "Write", "tool_input": {
                "file_path": "\u{0}/../../../x\n", "content": "x",
            }}),
        )
        .to_string()
        .into_bytes(),
        claude_event("Nothing", json!({"session_id": "x".repeat(100_000)}))
            .to_string()
            .into_bytes(),
    ];
    for name in HOOKS {
        for payload in &hostile {
            let output = project.run_with(payload, &["hook", name]).expect_code(0);
            let start = String::from_utf8_lossy(&payload[..payload.len().min(80)]).into_owned();
            // Any conversation that starts receives the memory.
            let is_start =
                name == "session-start" && output.out.starts_with("{\"hookSpecificOutput\"");
            assert!(output.out.is_empty() || is_start, "{name} {start}: {}", output.out);
            assert!(!output.err.contains("panicked"), "{name} {start}: {}", output.err);
        }
        let output = project.run_with(b"{}", &["hook", name, "--wrong"]).expect_code(0);
        assert_eq!(output.out, "", "{name}");
        assert!(output.err.contains("--wrong"), "{}", output.err);
    }
    let mut huge = br#"{"prompt": ""#.to_vec();
    huge.resize(20 << 20, b'x');
    for name in ["pre-tool-use", "user-prompt"] {
        let output = project.run_with(&huge, &["hook", name]).expect_code(0);
        assert_eq!(output.out, "", "{name}");
    }
}

#[test]
fn a_broken_setup_does_not_block() {
    let start = claude_event("SessionStart", json!({"source": "startup"}));
    let project = set_up();
    project.write(".aidd/config.json", "{\"failOn\": ");
    let input =
        json!({"file_path": project.absolute("a.env"), "content": format!("K={}", token())});
    let payload = claude_event("PreToolUse", json!({"tool_name": "Write", "tool_input": input}));
    let output = project.run_hook("pre-tool-use", &payload).expect_code(0);
    assert_eq!(output.out, "");
    assert!(output.err.starts_with("aidd hook pre-tool-use: "), "{}", output.err);
    assert!(output.err.ends_with("skipped\n"), "{}", output.err);
    // An invalid database, and a directory in its place.
    project.write(".aidd/data.db", "this is not a database");
    project.run_hook("session-start", &start).expect_code(0);
    let project = set_up();
    project.write(".aidd/data.db/x", "");
    for name in ["session-start", "post-tool-use", "stop", "pre-compact", "session-end"] {
        let output = project.run_hook(name, &start).expect_code(0);
        assert!(!output.err.contains("panicked"), "{name}: {}", output.err);
    }
    // A hook does not set up anything.
    let project = Project::new(&[]);
    for name in ["session-start", "stop", "session-end"] {
        assert_eq!(project.answer(name, &start), Value::Null, "{name}");
    }
    assert!(!project.path().join(".aidd").exists());
}

/// Clients treat exit code 2 as a refusal; some clients then refuse every later action too.
#[test]
fn an_unknown_hook_refuses_nothing() {
    let project = set_up();
    for name in ["subagent-stop", "PreToolUse", "stopp"] {
        let output = project.run_with(b"{}", &["hook", name]).expect_code(1);
        assert_eq!(output.out, "");
        assert!(
            output.err.contains(&format!("unrecognized subcommand '{name}'")),
            "{}",
            output.err
        );
    }
    project.run(&["hook", "install", "--wrong"]).expect_code(2);
    project.run(&["hook"]).expect_code(2);
    project.run(&["hook", "help"]).expect_code(0);
}

#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "a shell that deletes its own directory")]
fn a_deleted_directory_does_not_block() {
    let project = set_up();
    for name in HOOKS {
        project.write("gone/x", "");
        let script = format!("rm -r ../gone && exec '{}' hook {name}", env!("CARGO_BIN_EXE_aidd"));
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).current_dir(project.path().join("gone")).env_clear();
        shell.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let payload = claude_event("Stop", json!({"prompt": "continue"})).to_string();
        let output = project.finish(&mut shell, payload.as_bytes()).expect_code(0);
        assert_eq!(output.out, "", "{name}");
        assert!(
            output.err.starts_with("aidd hook: cannot read the current directory"),
            "{}",
            output.err
        );
    }
}

/// Findings of an edit are reported in time, even if the edit cannot be recorded.
#[test]
fn findings_are_reported_while_the_store_is_locked() {
    let project = set_up();
    project.write(".aidd/rules/team/old-colour.md", BLUE);
    project.write("a.txt", "a blue sky\n");
    let payload = edit_event(&project, "one");
    project.run_hook("post-tool-use", &payload).expect_code(0);
    let path = project.absolute(".aidd/data.journal.lock");
    let journal = std::fs::File::options().write(true).create(true).truncate(false).open(path);
    let journal = journal.expect("the lock of the memory");
    journal.lock().expect("locked");
    // A change to a tracked file requires the lock.
    project.write("ai/memory/decisions.jsonl", "");
    let mut command = project.command("", &["hook", "post-tool-use"]);
    command.env("AIDD_HOOK_LIMIT", "5");
    let output = project.finish(&mut command, payload.to_string().as_bytes()).expect_code(0);
    assert!(output.out.contains("a.txt:1:3 warning team/old-colour"), "{}", output.out);
    assert_eq!(output.err, "aidd hook: timed out after 5s; skipped\n");
}

fn edit_event(project: &Project, session: &str) -> Value {
    let input =
        json!({"file_path": project.absolute("a.txt"), "old_string": "red", "new_string": "blue"});
    let more = json!({"session_id": session, "tool_name": "Edit", "tool_input": input});
    claude_event("PostToolUse", more)
}

/// Clients run the hooks of parallel tool calls and conversations in parallel.
#[test]
fn concurrent_hooks_record_all_sessions() {
    const PARALLEL: usize = 10;
    let project = set_up();
    project.write("a.txt", "a blue sky\n");
    let sessions = |project: &Project| {
        let output =
            project.run(&["memory", "--json", "sessions", "--limit", "100"]).expect_code(0);
        let json: Value = serde_json::from_str(&output.out).expect("JSON");
        json["sessions"].as_array().expect("a list").clone()
    };
    let run_concurrently = |name: &(dyn Fn(usize) -> String + Sync)| {
        std::thread::scope(|scope| {
            for number in 0..PARALLEL {
                let project = &project;
                scope.spawn(move || {
                    let output =
                        project.run_hook("post-tool-use", &edit_event(project, &name(number)));
                    assert_eq!(output.expect_code(0).err, "");
                });
            }
        });
    };
    run_concurrently(&|_| "same".to_owned());
    assert_eq!(sessions(&project).len(), 1);
    run_concurrently(&|number| format!("other {number}"));
    assert_eq!(sessions(&project).len(), 1 + PARALLEL);
}

/// Prints the cold run time of each hook; the limit of 20 ms applies to an optimised build.
#[test]
#[expect(clippy::print_stdout, reason = "prints the measured times")]
fn hooks_are_fast() {
    const RUNS: usize = 20;
    let project = set_up();
    project
        .run(&["memory", "add", "decision", "Tokens live in cookies", "--topic", "auth"])
        .expect_code(0);
    project.write("a.rs", "fn main() {}\n");
    let input =
        json!({"file_path": project.absolute("a.rs"), "old_string": "main", "new_string": "other"});
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
        let payload = claude_event(event, more.clone());
        let mut times: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let started = Instant::now();
                project.run_hook(name, &payload).expect_code(0);
                started.elapsed()
            })
            .collect();
        times.sort_unstable();
        let (median, p95) = (times[RUNS / 2], times[RUNS * 95 / 100 - 1]);
        println!("{name:<14} p50 {median:?} p95 {p95:?}");
        assert!(p95 < Duration::from_secs(120), "{name}: {p95:?}");
        if !cfg!(debug_assertions) && std::env::var_os("AIDD_BARS").is_some() {
            assert!(p95 <= Duration::from_millis(20), "{name}: {p95:?}");
        }
    }
}
