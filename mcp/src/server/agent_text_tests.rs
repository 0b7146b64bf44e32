//! Tests that what an agent reads contains no secrets and no invisible text.

use crate::testing::Client;
use serde_json::json;
use std::fs;
use std::path::Path;

/// A token in the format of GitHub, in parts, so that no scanner reports this file.
fn token() -> String {
    ["ghp", "_", "9sKq27Xv", "LmP4aRt8WzYb3NcD", "6fGh1JkE0QuT"].concat()
}

/// A tag character and a bidirectional control.
const TAG: char = '\u{e0041}';
const OVERRIDE: char = '\u{202e}';

/// A project whose instructions, pages and code contain a token and invisible text.
fn project(root: &Path) {
    let line = format!("Always deploy with {} and{TAG} check the{OVERRIDE} log.", token());
    let files = [
        ("CLAUDE.md", format!("# Rules\n\n## Deployment\n\n- {line}\n")),
        ("rules/deploy.md", format!("# Deployment\n\n{line}\n\n- MUST: {line}\n")),
        (
            "prompts/deploy.md",
            format!("---\nname: deploy\nsummary: {line}\n---\n# Deploy\n\n{line}\n"),
        ),
        ("src/login.ts", format!("export function login() {{\n  // {line}\n  return 1;\n}}\n")),
        (
            "package.json",
            format!("{{\"name\": \"shop\", \"scripts\": {{\"deploy\": \"x {}\"}}}}", token()),
        ),
    ];
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        fs::write(path, text).expect("written");
    }
}

fn assert_clean(text: &str, source: &str) {
    assert!(!text.contains(&token()), "{source} shows the token: {text}");
    for hidden in [TAG, OVERRIDE] {
        assert!(!text.contains(hidden), "{source} contains {hidden:?}");
        let escaped = hidden.escape_unicode().to_string();
        assert!(!text.contains(&escaped), "{source} contains {escaped}: {text}");
    }
}

#[test]
fn tools_show_no_secrets_and_no_invisible_text() {
    let folder = tempfile::tempdir().expect("a directory");
    project(folder.path());
    let mut client = Client::at(folder.path());
    let error = format!("Error: bad token {}\n    at login (src/login.ts:2:3)", token());
    for (tool, arguments, quoted) in [
        ("aidd_bootstrap", json!({}), "Always deploy with [REDACTED] and check the log."),
        ("aidd_optimize_context", json!({}), "[REDACTED]"),
        ("aidd_diagnose_error", json!({"error": error}), "bad token [REDACTED]"),
        ("aidd_explore", json!({"symbols": ["login"]}), "[REDACTED]"),
        ("aidd_detect_project", json!({}), "package.json"),
        ("aidd_suggest_rule", json!({"sentence": format!("Never commit {}.", token())}), ""),
        ("aidd_memory_search", json!({"query": format!("token {}", token())}), ""),
        // The message of an error quotes the argument.
        ("aidd_tech_compatibility", json!({"technologies": [token()]}), ""),
    ] {
        let result = client.call(tool, arguments);
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.contains(quoted), "{tool}: {text}");
        // The text of the whole result, with its data.
        assert_clean(&unescaped(&result), tool);
    }
    client.disconnect();
}

/// All strings of a value, one per line.
fn unescaped(value: &serde_json::Value) -> String {
    let (mut text, mut open) = (String::new(), vec![value]);
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::String(part) => text = format!("{text}{part}\n"),
            serde_json::Value::Array(items) => open.extend(items),
            serde_json::Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    text
}

#[test]
fn resources_and_prompts_show_no_secrets_and_no_invisible_text() {
    let folder = tempfile::tempdir().expect("a directory");
    project(folder.path());
    let mut client = Client::at(folder.path());
    for (method, params, is_quoted) in [
        ("resources/read", json!({"uri": "aidd://rules/deploy"}), true),
        ("resources/read", json!({"uri": "aidd://agents"}), false),
        ("resources/read", json!({"uri": "aidd://enforcement/guardrails"}), false),
        ("prompts/list", json!({}), false),
    ] {
        let response = client.request(method, params.clone());
        let text = unescaped(&response["result"]);
        assert!(!text.is_empty(), "{method}: {response}");
        assert!(!is_quoted || text.contains("deploy with [REDACTED] and check"), "{text}");
        assert_clean(&text, &format!("{method} {params}"));
    }
    client.disconnect();
}
