//! Tests of `aidd lsp` as a process: how it exits, and that it reports the same findings as the other
//! frontends.
#![expect(
    clippy::disallowed_methods,
    reason = "the program under test is started as an editor does"
)]

mod client;

use client::Editor;
use serde_json::{Value, json};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// Waits for a process to exit; its standard input stays open.
fn wait_for_exit(editor: &mut Editor) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = editor.process.try_wait().expect("a child") {
            return status;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "the process does not exit");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_server_exits_on_request_while_its_input_is_open() {
    let folder = tempfile::tempdir().expect("a folder");
    for (sends_shutdown, code) in [(true, 0), (false, 1)] {
        let mut editor = Editor::start();
        editor.initialize(folder.path(), std::process::id());
        if sends_shutdown {
            let _ = editor.request("shutdown", &Value::Null);
        }
        editor.notify("exit", &Value::Null);
        assert_eq!(wait_for_exit(&mut editor).code(), Some(code));
    }
}

#[cfg(unix)]
#[test]
fn the_server_exits_when_its_parent_process_exits() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut parent = Editor::start();
    let mut editor = Editor::start();
    editor.initialize(folder.path(), parent.process.id());
    let _ = editor.request("workspace/executeCommand", &json!({ "command": "aidd.showConfig" }));
    parent.process.kill().expect("killed");
    let _ = parent.process.wait().expect("gone");
    assert_eq!(wait_for_exit(&mut editor).code(), Some(1));
}

#[test]
fn the_server_reports_the_findings_of_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    std::fs::create_dir_all(root.join(".aidd")).expect("made");
    let write = |path: &str, text: &str| std::fs::write(root.join(path), text).expect("written");
    write(".aidd/config.json", "{\"failsOn\": \"error\"}\n");
    write("Dockerfile", "FROM debian:latest\r\nRUN echo '😀' && cd /tmp\r\nADD a b\r\n");
    write("read me.md", "```dockerfile\nFROM debian:latest\n```\n");
    let output = Command::new(env!("CARGO_BIN_EXE_aidd"))
        .args(["check", ".", "--format", "json"])
        .current_dir(root)
        .output()
        .expect("run");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let number = |value: &Value, base: u64| value.as_u64().expect("a number") - base;
    let mut expected: Vec<(String, u64, u64)> = json["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|finding| {
            let start = &finding["start"];
            (finding["id"].to_string(), number(&start["line"], 1), number(&start["column"], 1))
        })
        .collect();
    let mut editor = Editor::start();
    editor.initialize(root, std::process::id());
    let report = editor.request("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    let mut findings: Vec<(String, u64, u64)> = report["items"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|file| file["items"].as_array().expect("a list"))
        .map(|diagnostic| {
            let start = &diagnostic["range"]["start"];
            (
                diagnostic["data"]["id"].to_string(),
                number(&start["line"], 0),
                number(&start["character"], 0),
            )
        })
        .collect();
    expected.sort();
    findings.sort();
    assert!(expected.len() >= 5, "{expected:?}");
    assert_eq!(findings, expected);
    editor.notify("exit", &Value::Null);
    let _ = wait_for_exit(&mut editor);
}

/// After a pass over all files, the pages of the program that only the pass used are unmapped; without
/// optimization, they are 64 MB.
#[cfg(target_os = "linux")]
#[test]
fn a_pass_leaves_few_pages_of_the_program_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("Dockerfile", "FROM node:latest\nRUN cd /tmp && ls\n"),
        ("api.yaml", "openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths: {}\n"),
        ("migration.sql", "ALTER TABLE a ADD COLUMN b int NOT NULL;\n"),
        ("docs.md", "# A\n\n```mermaid\nflowchart LR\n  a --> b\n```\n"),
        ("AGENTS.md", "# A\n\nRun `make test` in `src/`.\n"),
        ("package.json", "{\"name\": \"a\", \"dependencies\": {\"b\": \"^1.0.0\"}}\n"),
        ("locales/en.json", "{\"a\": \"{{b}}\"}\n"),
        ("locales/de.json", "{\"a\": \"b\"}\n"),
        ("page.html", "<img src=a><a href=b></a>\n"),
        ("view.tsx", "export const A = () => <img src=\"a\" />;\n"),
        ("a.test.ts", "import { b } from \"./b\";\ntest(\"a\", () => { b(); });\n"),
        ("test_a.py", "import os\n\ndef test_a():\n    os.system(a)\n"),
        ("a.go", "package a\n\nfunc A() { b() }\n"),
        ("A.java", "class A { void a() { b(); } }\n"),
        ("a.rs", "fn a() { b(); }\n"),
        ("a.rb", "a = b(c)\n"),
        ("a.php", "<?php $a = b($c);\n"),
        ("a.cs", "class A { void B() { C(); } }\n"),
        ("a.sh", "#!/bin/sh\ncd /tmp; ls $1\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    let mut editor = Editor::start();
    editor.initialize(folder.path(), std::process::id());
    let params = json!({ "command": "aidd.checkWorkspace", "arguments": [] });
    let _ = editor.request("workspace/executeCommand", &params);
    await_program_pages(&editor, 40);
}

/// The pages of the program that only the first check of a document used are unmapped; without
/// optimization, more than 40 MB are in memory then.
#[cfg(target_os = "linux")]
#[test]
fn an_opened_document_leaves_few_pages_of_the_program_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "import os\n\ndef test_a():\n    os.system(a)\n";
    let path = folder.path().join("test_a.py");
    std::fs::write(&path, text).expect("written");
    let uri = format!("file://{}", path.display());
    let mut editor = Editor::start();
    editor.initialize(folder.path(), std::process::id());
    let document = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
    editor.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    let _ = editor.request("textDocument/diagnostic", &json!({ "textDocument": { "uri": uri } }));
    await_program_pages(&editor, 15);
}

/// Waits until at most `max` megabytes of files are mapped in memory.
#[cfg(target_os = "linux")]
fn await_program_pages(editor: &Editor, max: usize) {
    let status = format!("/proc/{}/status", editor.process.id());
    let megabytes = || -> usize {
        let status = std::fs::read_to_string(&status).expect("a process");
        let mut values = status.lines().filter_map(|line| line.strip_prefix("RssFile:"));
        let value = values.next().and_then(|value| value.trim().strip_suffix(" kB"));
        value.expect("a size").parse::<usize>().expect("a number") >> 10
    };
    let started = Instant::now();
    while megabytes() > max {
        assert!(started.elapsed() < Duration::from_secs(30), "{} MB", megabytes());
        std::thread::sleep(Duration::from_millis(50));
    }
}
