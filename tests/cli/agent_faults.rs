//! Agent hooks under error conditions, and their run time.

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
    let whole = claude_event(
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
        whole.as_bytes()[..whole.len() / 2].to_vec(),
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
        for said in &hostile {
            let ran = project.run_with(said, &["hook", name]).expect_code(0);
            let shown = String::from_utf8_lossy(&said[..said.len().min(80)]).into_owned();
            // Any conversation that starts receives the memory.
            let is_start =
                name == "session-start" && ran.out.starts_with("{\"hookSpecificOutput\"");
            assert!(ran.out.is_empty() || is_start, "{name} {shown}: {}", ran.out);
            assert!(!ran.err.contains("panicked"), "{name} {shown}: {}", ran.err);
        }
        let ran = project.run_with(b"{}", &["hook", name, "--wrong"]).expect_code(0);
        assert_eq!(ran.out, "", "{name}");
        assert!(ran.err.contains("--wrong"), "{}", ran.err);
    }
    let mut huge = br#"{"prompt": ""#.to_vec();
    huge.resize(20 << 20, b'x');
    for name in ["pre-tool-use", "user-prompt"] {
        let ran = project.run_with(&huge, &["hook", name]).expect_code(0);
        assert_eq!(ran.out, "", "{name}");
    }
}

#[test]
fn a_broken_setup_does_not_block() {
    let start = claude_event("SessionStart", json!({"source": "startup"}));
    let project = set_up();
    project.write(".aidd/config.json", "{\"failOn\": ");
    let input =
        json!({"file_path": project.absolute("a.env"), "content": format!("K={}", token())});
    let said = claude_event("PreToolUse", json!({"tool_name": "Write", "tool_input": input}));
    let ran = project.run_hook("pre-tool-use", &said).expect_code(0);
    assert_eq!(ran.out, "");
    assert!(ran.err.starts_with("aidd hook pre-tool-use: "), "{}", ran.err);
    assert!(ran.err.ends_with("skipped\n"), "{}", ran.err);
    // An invalid database, and a directory in its place.
    project.write(".aidd/data.db", "this is no database, and never was one");
    project.run_hook("session-start", &start).expect_code(0);
    let project = set_up();
    project.write(".aidd/data.db/x", "");
    for name in ["session-start", "post-tool-use", "stop", "pre-compact", "session-end"] {
        let ran = project.run_hook(name, &start).expect_code(0);
        assert!(!ran.err.contains("panicked"), "{name}: {}", ran.err);
    }
    // A hook does not set up anything.
    let project = Project::new(&[]);
    for name in ["session-start", "stop", "session-end"] {
        assert_eq!(project.answer(name, &start), Value::Null, "{name}");
    }
    assert!(!project.path().join(".aidd").exists());
}

/// Clients treat exit code 2 as a refusal, some of them of everything that follows.
#[test]
fn an_unknown_hook_refuses_nothing() {
    let project = set_up();
    for name in ["subagent-stop", "PreToolUse", "stopp"] {
        let ran = project.run_with(b"{}", &["hook", name]).expect_code(1);
        assert_eq!(ran.out, "");
        assert!(ran.err.contains(&format!("unrecognized subcommand '{name}'")), "{}", ran.err);
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
        let said = claude_event("Stop", json!({"prompt": "continue"})).to_string();
        let ran = project.finish(&mut shell, said.as_bytes()).expect_code(0);
        assert_eq!(ran.out, "", "{name}");
        assert!(ran.err.starts_with("aidd hook: cannot read the current directory"), "{}", ran.err);
    }
}

/// Findings of an edit are reported in time, even if the edit cannot be recorded.
#[test]
fn a_busy_store_hides_no_finding() {
    let project = set_up();
    project.write(".aidd/rules/team/old-colour.md", BLUE);
    project.write("a.txt", "a blue sky\n");
    let said = edited(&project, "one");
    project.run_hook("post-tool-use", &said).expect_code(0);
    let path = project.absolute(".aidd/data.journal.lock");
    let journal = std::fs::File::options().write(true).create(true).truncate(false).open(path);
    let journal = journal.expect("the lock of the memory");
    journal.lock().expect("locked");
    // The tracked files are read again under that lock.
    project.write("ai/memory/decisions.jsonl", "");
    let mut command = project.command("", &["hook", "post-tool-use"]);
    command.env("AIDD_HOOK_LIMIT", "5");
    let ran = project.finish(&mut command, said.to_string().as_bytes()).expect_code(0);
    assert!(ran.out.contains("a.txt:1:3 warning team/old-colour"), "{}", ran.out);
    assert_eq!(ran.err, "aidd hook: timed out after 5s; skipped\n");
}

fn edited(project: &Project, session: &str) -> Value {
    let input =
        json!({"file_path": project.absolute("a.txt"), "old_string": "red", "new_string": "blue"});
    let more = json!({"session_id": session, "tool_name": "Edit", "tool_input": input});
    claude_event("PostToolUse", more)
}

/// Clients run the hooks of parallel tool calls and conversations in parallel.
#[test]
fn concurrent_hooks_lose_nothing() {
    const PARALLEL: usize = 10;
    let project = set_up();
    project.write("a.txt", "a blue sky\n");
    let sessions = |project: &Project| {
        let ran = project.run(&["memory", "--json", "sessions", "--limit", "100"]).expect_code(0);
        let said: Value = serde_json::from_str(&ran.out).expect("JSON");
        said["sessions"].as_array().expect("a list").clone()
    };
    let at_once = |name: &(dyn Fn(usize) -> String + Sync)| {
        std::thread::scope(|scope| {
            for number in 0..PARALLEL {
                let project = &project;
                scope.spawn(move || {
                    let ran = project.run_hook("post-tool-use", &edited(project, &name(number)));
                    assert_eq!(ran.expect_code(0).err, "");
                });
            }
        });
    };
    at_once(&|_| "same".to_owned());
    assert_eq!(sessions(&project).len(), 1);
    at_once(&|number| format!("other {number}"));
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
        let said = claude_event(event, more.clone());
        let mut times: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let started = Instant::now();
                project.run_hook(name, &said).expect_code(0);
                started.elapsed()
            })
            .collect();
        times.sort_unstable();
        let (middle, most) = (times[RUNS / 2], times[RUNS * 95 / 100 - 1]);
        println!("{name:<14} p50 {middle:?} p95 {most:?}");
        assert!(most < Duration::from_secs(120), "{name}: {most:?}");
        if !cfg!(debug_assertions) && std::env::var_os("AIDD_BARS").is_some() {
            assert!(most <= Duration::from_millis(20), "{name}: {most:?}");
        }
    }
}
