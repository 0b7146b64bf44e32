//! Tests of the files that `aidd init --client` writes, used as by the clients: the files have the
//! client's format, the server starts from them, and the hooks that they configure run and answer in
//! the client's format.

use crate::agents::{AIDD, as_argument, script_with_input};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The formats of files and answers, from the documentation of the clients.
const FORMATS: &str = include_str!("client_files.json");

/// The files that define the server, and the key of the server definitions in each file.
const SERVERS: [(&str, &str); 7] = [
    (".mcp.json", "mcpServers"),
    (".cursor/mcp.json", "mcpServers"),
    (".vscode/mcp.json", "servers"),
    (".codex/config.toml", "mcp_servers"),
    (".devin/config.json", "mcpServers"),
    (".zed/settings.json", "context_servers"),
    (".gemini/settings.json", "mcpServers"),
];

/// An empty directory, set up for clients, and the paths that were written for them.
fn set_up_directory(clients: &[&str]) -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut init = Command::new(AIDD);
    init.arg("init").args(clients.iter().flat_map(|client| ["--client", client]));
    let output = init.current_dir(folder.path()).output().expect("aidd runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8(output.stdout).expect("text");
    let ours = [".aidd/config.json", ".gitattributes", ".gitignore"];
    let paths = out.lines().filter_map(|line| line.strip_prefix("wrote "));
    let paths = paths.filter(|path| !ours.contains(path)).map(str::to_owned).collect();
    (folder, paths)
}

const CLIENTS: [&str; 7] =
    ["claude-code", "cursor", "vscode", "codex", "windsurf", "zed", "gemini"];

/// The parsed content of a file; for a page, its header.
fn content(root: &Path, path: &str) -> Value {
    let text = fs::read_to_string(root.join(path)).expect("a file");
    match path.rsplit('.').next() {
        Some("toml") => {
            let document: toml_edit::Document<String> = text.parse().expect("TOML");
            table(document.as_table())
        }
        Some("json") => serde_json::from_str(&text).expect("JSON"),
        _ => match text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")) {
            Some((header, _)) => serde_saphyr::from_str(header).expect("YAML"),
            None => Value::Null,
        },
    }
}

fn table(source: &dyn toml_edit::TableLike) -> Value {
    Value::Object(source.iter().map(|(key, item)| (key.to_owned(), item_of(item))).collect())
}

fn item_of(item: &toml_edit::Item) -> Value {
    if let Some(inner) = item.as_table_like() {
        return table(inner);
    }
    match item.as_value() {
        Some(toml_edit::Value::String(text)) => json!(text.value()),
        Some(toml_edit::Value::Array(list)) => {
            let texts = list.iter().map(|value| json!(value.as_str().expect("a text")));
            Value::Array(texts.collect())
        }
        other => panic!("{other:?} does not occur in the files of aidd"),
    }
}

/// Validates `value` against the schema with the name `name`.
#[track_caller]
fn assert_format(schemas: &Value, name: &str, value: &Value) {
    let mut schema = match schemas.get(name).or_else(|| schemas["$defs"].get(name)) {
        Some(schema) => schema.clone(),
        None => panic!("{name} has no schema in client_files.json"),
    };
    schema["$defs"] = schemas["$defs"].clone();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{value:#}");
}

#[test]
fn every_file_has_the_format_of_its_client() {
    let schemas: Value = serde_json::from_str(FORMATS).expect("JSON");
    let (folder, paths) = set_up_directory(&CLIENTS);
    for path in &paths {
        assert_format(&schemas, path, &content(folder.path(), path));
    }
    let known: BTreeSet<&str> =
        schemas.as_object().expect("forms").keys().map(String::as_str).collect();
    let written: BTreeSet<&str> = paths.iter().map(String::as_str).chain(["$defs"]).collect();
    assert_eq!(known, written);
}

#[test]
fn the_server_of_every_client_starts_from_its_file() {
    let (folder, _) = set_up_directory(&CLIENTS);
    let mut servers = Vec::new();
    for (path, key) in SERVERS {
        let file = content(folder.path(), path);
        let server = &file[key]["aidd"];
        servers.push(json!([path, server["command"], server["args"]]));
    }
    let clients_json = Value::Array(servers).to_string();
    let Some(output) = script_with_input(
        "set_up.py",
        &[as_argument(folder.path())],
        &clients_json,
        &path_with_aidd(),
    ) else {
        return;
    };
    let started: Vec<&str> = output.lines().collect();
    assert_eq!(started, SERVERS.map(|(path, _)| path));
}

/// `PATH` with the directory of the binary prepended.
fn path_with_aidd() -> OsString {
    let folder = Path::new(AIDD).parent().expect("a folder").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&others)))
        .expect("a path")
}

/// Runs the commands configured for an event as Claude Code does: with the shell, in the project, with
/// the event on standard input. Returns the answers of the commands.
fn hook_answers(root: &Path, settings: &Value, event: &str, more: Value) -> Vec<String> {
    let mut payload = json!({
        "session_id": "0b6f3a52-7d1e-4a0e-9a55-2f1f3f9f0c11",
        "transcript_path": root.join(".claude/projects/p/0b6f3a52.jsonl"),
        "cwd": root, "permission_mode": "default", "hook_event_name": event,
    });
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
        payload.extend(more);
    }
    let tool = payload["tool_name"].as_str().unwrap_or_default().to_owned();
    let groups = settings["hooks"][event].as_array().expect("a list");
    let matches_tool = |group: &&Value| match group["matcher"].as_str() {
        // The matchers that `aidd init` writes are names separated by `|`.
        Some(matcher) => matcher.split('|').any(|name| name == tool),
        None => true,
    };
    let hooks = groups.iter().filter(matches_tool).flat_map(|group| group["hooks"].as_array());
    let commands = hooks.flatten().map(|hook| hook["command"].as_str().expect("a command"));
    commands.map(|command| hook_answer(root, command, &payload)).collect()
}

fn hook_answer(root: &Path, command: &str, payload: &Value) -> String {
    let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["/bin/sh", "-c"] };
    let mut child = Command::new(shell[0])
        .args([shell[1], command])
        .current_dir(root)
        .env("PATH", path_with_aidd())
        .env("CLAUDE_PROJECT_DIR", root)
        .env("AIDD_HOOK_LIMIT", "120")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(payload.to_string().as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*err), (Some(0), ""), "{command}");
    String::from_utf8(output.stdout).expect("text")
}

/// Simulates Claude Code in an initially empty directory: sends each event in the settings, and checks
/// its effect.
#[test]
fn the_hooks_of_claude_code_run_from_its_settings() {
    let schemas: Value = serde_json::from_str(FORMATS).expect("JSON");
    let (folder, _) = set_up_directory(&["claude-code"]);
    let root = folder.path();
    let settings = content(root, ".claude/settings.json");
    let mut events = Map::new();
    let mut run = |event: &str, more: Value| -> Value {
        let answers = hook_answers(root, &settings, event, more);
        assert_eq!(answers.len(), 1, "{event}: one command");
        events.insert(event.to_owned(), Value::Null);
        let text = answers[0].trim();
        // For these two events, plain text is passed to the agent unchanged.
        let is_plain = !text.starts_with('{');
        if text.is_empty() || is_plain && ["SessionStart", "UserPromptSubmit"].contains(&event) {
            return json!(text);
        }
        let answer: Value = serde_json::from_str(text).expect("JSON");
        assert_format(&schemas, "claude-answer", &answer);
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], event);
        answer["hookSpecificOutput"].clone()
    };
    let context =
        |answer: &Value| answer["additionalContext"].as_str().unwrap_or_default().to_owned();

    let start = run("SessionStart", json!({"source": "startup", "model": "claude-sonnet-5"}));
    assert!(context(&start).contains("aidd_"), "{start}");
    let prompt = run("UserPromptSubmit", json!({"prompt": "Let us continue where we stopped"}));
    assert!(prompt.as_str().is_some_and(|text| text.contains("load_checkpoint")), "{prompt}");

    let file = root.join("Dockerfile");
    let leak =
        format!("FROM debian:12\nENV TOKEN=gh{}_{}\n", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    let write = |text: &str| {
        json!({"tool_name": "Write", "tool_use_id": "toolu_1",
               "tool_input": {"file_path": file, "content": text}})
    };
    let refused = run("PreToolUse", write(&leak));
    assert_eq!(refused["permissionDecision"], "deny", "{refused}");
    let reason = refused["permissionDecisionReason"].as_str().unwrap_or_default();
    assert!(reason.contains("secrets/") && !reason.contains("Vq7RkX2m"), "{reason}");
    let text = "FROM debian:latest\nRUN make\n";
    assert_eq!(run("PreToolUse", write(text)), "");
    fs::write(&file, text).expect("written");
    let mut written = write(text);
    written["tool_response"] = json!({"type": "create", "filePath": file, "content": text});
    let found = run("PostToolUse", written);
    assert!(context(&found).contains("dockerfile/latest-tag"), "{found}");

    let bash = |more: Value| {
        let mut payload = json!({"tool_name": "Bash", "tool_use_id": "toolu_2",
                              "tool_input": {"command": "npm test", "description": "Runs the tests"}});
        payload
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        payload
    };
    let output = json!({"stdout": "ok", "stderr": "", "interrupted": false, "isImage": false});
    assert_eq!(run("PostToolUse", bash(json!({"tool_response": output}))), "");
    let failed = json!({"error": "Exit code 1", "is_interrupt": false});
    assert_eq!(run("PostToolUseFailure", bash(failed)), "");
    assert_eq!(run("PreCompact", json!({"trigger": "auto", "custom_instructions": ""})), "");
    assert_eq!(run("Stop", json!({"stop_hook_active": false})), "");
    assert_eq!(run("SessionEnd", json!({"reason": "prompt_input_exit"})), "");

    // The next conversation receives the results of the previous one; only the summary was stored.
    let next = run("SessionStart", json!({"source": "resume", "session_id": "another"}));
    assert!(context(&next).contains("Checkpoint"), "{next}");
    let named: BTreeSet<&String> = settings["hooks"].as_object().expect("hooks").keys().collect();
    assert_eq!(named, events.keys().collect(), "an event was not sent");
}
