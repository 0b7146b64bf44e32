use crate::server::support::{Client, locations, project, push_capabilities, token, uri, write};
use serde_json::{Value, json};
use std::fs;

#[tokio::test]
async fn a_diagnostic_contains_message_range_and_link_to_the_rule_page() {
    let folder = project();
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    let file = uri(&folder.path().join("a.js"));
    client.open(&file, "javascript", "\ndebugger\n").await;
    let found = client.published(&file, Some(1)).await;
    let finding = &found[0];
    assert_eq!(finding["severity"], 2);
    assert_eq!(finding["source"], "aidd");
    assert_eq!(finding["message"], "`debugger` stops");
    let page = finding["codeDescription"]["href"].as_str().expect("a link");
    assert!(page.ends_with("/rules/no-debugger.md"), "{page}");
    assert_eq!(finding["data"]["id"].as_str().map(str::len), Some(16));
    client.open("untitled:Untitled-1", "dockerfile", "FROM debian:latest\n").await;
    let found = client.published("untitled:Untitled-1", Some(1)).await;
    let latest = found.iter().find(|finding| finding["code"] == "dockerfile/latest-tag");
    let page = latest.expect("the shipped rule")["codeDescription"]["href"].as_str();
    assert!(page.is_some_and(|page| page.starts_with("https://")), "{page:?}");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": file } })).await;
    assert_eq!(client.published(&file, None).await.len(), 0);
    let mut plain = Client::start(folder.path(), json!({})).await;
    plain.open(&file, "javascript", "debugger").await;
    assert_eq!(plain.published(&file, Some(1)).await[0]["codeDescription"], Value::Null);
}

#[tokio::test]
async fn an_ignored_file_has_no_findings() {
    let folder = project();
    let root = folder.path();
    fs::create_dir(root.join(".git")).expect("created");
    write(root, ".gitignore", "out/\n");
    let ignored = write(root, "out/a.js", "debugger");
    let checked = write(root, "in/a.js", "debugger");
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&ignored, "javascript", "debugger").await;
    client.open(&checked, "javascript", "debugger").await;
    assert_eq!(client.published(&ignored, Some(1)).await.len(), 0);
    assert_eq!(client.published(&checked, Some(1)).await.len(), 1);
    write(root, ".gitignore", "in/\n");
    client.report_change(&uri(&root.join(".gitignore")), 2).await;
    assert_eq!(client.published(&ignored, Some(1)).await.len(), 1);
    assert_eq!(client.published(&checked, Some(1)).await.len(), 0);
}

#[tokio::test]
async fn baselined_findings_are_hints_and_allowed_findings_are_not_shown() {
    let folder = project();
    let root = folder.path();
    let text = "debugger\n// aidd:allow team/no-stop because\ndebugger // allowed\n";
    let file = write(root, "a.js", text);
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", text).await;
    assert_eq!(locations(&client.published(&file, Some(1)).await), ["team/no-stop 0:0-8"]);
    let recorded = client.command("aidd.writeBaseline", json!([])).await;
    assert_eq!(recorded, json!({ "recorded": 1 }));
    let found = client.published(&file, Some(1)).await;
    assert_eq!((found.len(), &found[0]["severity"]), (1, &json!(4)));
    assert_eq!(found[0]["data"]["status"], "baselined");
}

#[tokio::test]
async fn the_findings_of_edited_lines_and_moved_files_stay_baselined() {
    let folder = project();
    let root = folder.path();
    let text = "a();\nb();\ndebugger\nc();\nd();\n";
    let file = write(root, "a.js", text);
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", text).await;
    assert_eq!(client.published(&file, Some(1)).await[0]["severity"], 2);
    let recorded = client.command("aidd.writeBaseline", json!([])).await;
    assert_eq!(recorded, json!({ "recorded": 1 }));
    client.replace(&file, 2, &text.replace("debugger", "debugger; e();")).await;
    let edited = client.published(&file, Some(2)).await;
    assert_eq!(edited[0]["data"]["status"], "baselined", "{edited:?}");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": file } })).await;
    fs::create_dir(root.join("lib")).expect("created");
    fs::rename(root.join("a.js"), root.join("lib/b.js")).expect("moved");
    let moved = uri(&root.join("lib/b.js"));
    client.open(&moved, "javascript", text).await;
    let found = client.published(&moved, Some(1)).await;
    assert_eq!(found[0]["data"]["status"], "baselined", "{found:?}");
    // Another finding in the moved file is new.
    client.replace(&moved, 2, &format!("{text}debugger\n")).await;
    let found = client.published(&moved, Some(2)).await;
    let statuses: Vec<&Value> = found.iter().map(|finding| &finding["data"]["status"]).collect();
    assert_eq!(statuses, ["baselined", "new"], "{found:?}");
}

#[tokio::test]
async fn changed_settings_and_rules_are_read_again() {
    let folder = project();
    let root = folder.path();
    let file = uri(&root.join("a.js"));
    let config = uri(&root.join(".aidd/config.json"));
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", "debugger").await;
    assert_eq!(client.published(&file, Some(1)).await[0]["severity"], 2);
    write(root, ".aidd/config.json", "{\"rules\": {\"team/no-stop\": \"error\"}}");
    client.report_change(&config, 2).await;
    assert_eq!(client.published(&file, Some(1)).await[0]["severity"], 1);
    // Errors are reported, and the last valid settings are kept.
    write(root, ".aidd/config.json", "{\"rules\": [}");
    client.report_change(&config, 2).await;
    let message = client.wait_for("window/logMessage", |_| true).await;
    assert!(
        message["message"].as_str().is_some_and(|text| text.contains("config.json")),
        "{message}"
    );
    assert_eq!(client.published(&config, None).await.len(), 1);
    // The finding states the problem.
    assert!(!client.received.iter().any(|message| message["method"] == "window/showMessage"));
    assert_eq!(client.published(&file, Some(1)).await[0]["severity"], 1);
    client.replace(&file, 2, "debugger; debugger").await;
    assert_eq!(client.published(&file, Some(2)).await.len(), 2);
    write(root, ".aidd/config.json", "{}");
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": config } })).await;
    assert_eq!(client.published(&config, None).await.len(), 0);
    assert_eq!(client.published(&file, Some(2)).await[0]["severity"], 2);
    fs::remove_file(root.join("rules/no-debugger.md")).expect("removed");
    client.report_change(&uri(&root.join("rules/no-debugger.md")), 3).await;
    assert_eq!(client.published(&file, Some(2)).await.len(), 0);
}

/// The page of `project()` for another word, with further text.
fn rule_page(word: &str, rest: &str) -> String {
    format!(
        "---\nseverity: warning\nmessage: \"`<match>` stops\"\ncheck:\n  text:\n    regex: '{word}'\n---\n# team/no-stop\n\nLeave none.\n{rest}"
    )
}

#[tokio::test]
async fn unsaved_edits_of_a_rule_page_apply_and_a_half_typed_page_keeps_its_last_rule() {
    let folder = project();
    let root = folder.path();
    let (file, page) = (uri(&root.join("a.js")), uri(&root.join("rules/no-debugger.md")));
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", "debugger alert").await;
    assert_eq!(client.published(&file, Some(1)).await[0]["message"], "`debugger` stops");
    let saved = fs::read_to_string(root.join("rules/no-debugger.md")).expect("a page");
    client.open(&page, "markdown", &saved).await;
    client.replace(&page, 2, &rule_page("alert", "")).await;
    let is_alert = |params: &Value| {
        params["uri"] == file && params["diagnostics"][0]["message"] == "`alert` stops"
    };
    let _ = client.wait_for("textDocument/publishDiagnostics", is_alert).await;
    let valid = rule_page("alert", "");
    for (version, half) in [(3, rule_page("alert(", "")), (5, valid.replace("severity", "sev"))] {
        client.replace(&page, version, &half).await;
        let found = client.published(&page, Some(version)).await;
        assert_eq!(found[0]["code"], "aidd/malformed-page", "{found:?}");
        write(root, "rules/no-debugger.md", &half);
        client.notify("textDocument/didSave", json!({ "textDocument": { "uri": page } })).await;
        let _ = client.wait_for("textDocument/publishDiagnostics", is_alert).await;
        client.replace(&page, version + 1, &valid).await;
    }
    write(root, "rules/no-debugger.md", &saved);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": page } })).await;
    let is_saved = |params: &Value| {
        params["uri"] == file && params["diagnostics"][0]["message"] == "`debugger` stops"
    };
    let _ = client.wait_for("textDocument/publishDiagnostics", is_saved).await;
    assert!(!client.received.iter().any(|message| message["method"] == "window/showMessage"));
}

#[tokio::test]
async fn unsaved_edits_of_a_rule_page_apply_with_a_broken_configuration_on_disk() {
    let folder = project();
    let root = folder.path();
    let config = write(root, ".aidd/config.json", "{\"rules\": {\"team/no-stop\": \"error\"}}\n");
    let (file, page) = (uri(&root.join("a.js")), uri(&root.join("rules/no-debugger.md")));
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", "debugger alert").await;
    assert_eq!(client.published(&file, Some(1)).await[0]["severity"], 1);
    write(root, ".aidd/config.json", "{\"rules\": {");
    client.report_change(&config, 2).await;
    client.open(&page, "markdown", &rule_page("debugger", "")).await;
    client.replace(&page, 2, &rule_page("alert", "")).await;
    let is_alert = |params: &Value| {
        params["uri"] == file && params["diagnostics"][0]["message"] == "`alert` stops"
    };
    let params = client.wait_for("textDocument/publishDiagnostics", is_alert).await;
    assert_eq!(params["diagnostics"][0]["severity"], 1, "the last valid configuration");
}

#[tokio::test]
async fn a_failing_example_of_an_open_rule_page_is_a_diagnostic() {
    let folder = project();
    let page = uri(&folder.path().join("rules/no-debugger.md"));
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    let text = |position: &str| {
        let fails = format!("```\na debugger\n```\n\n```finding\n{position} debugger\n```\n");
        rule_page("debugger", &format!("\n## Fails\n\n{fails}\n## Passes\n\n```\nnone\n```\n"))
    };
    client.open(&page, "markdown", &text("1:4")).await;
    let found = client.published(&page, Some(1)).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0]["message"],
        "the example fails: expected `1:4 debugger`, found `1:3 debugger`"
    );
    assert_eq!(found[0]["range"]["start"]["line"], 13);
    client.replace(&page, 2, &text("1:3")).await;
    assert_eq!(client.published(&page, Some(2)).await, Vec::<Value>::new());
}

#[tokio::test]
async fn sibling_files_are_read_from_the_editor() {
    let folder = project();
    let file = write(folder.path(), "Dockerfile", "");
    let siblings = write(folder.path(), ".hadolint.yaml", "");
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    client.open(&file, "dockerfile", "FROM debian:latest\n").await;
    let has_latest_tag =
        |found: &[Value]| found.iter().any(|finding| finding["code"] == "dockerfile/latest-tag");
    assert!(has_latest_tag(&client.published(&file, Some(1)).await));
    client.open(&siblings, "yaml", "ignored: [DL3007]\n").await;
    assert!(!has_latest_tag(&client.published(&file, Some(1)).await));
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": siblings } })).await;
    assert!(has_latest_tag(&client.published(&file, Some(1)).await));
}

#[tokio::test]
async fn files_of_an_openapi_document_are_checked_together() {
    let folder = project();
    let root = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    \
                A: {$ref: 'schemas.yaml#/A'}\n";
    let document = write(folder.path(), "openapi.yaml", root);
    let schemas = write(folder.path(), "schemas.yaml", "A: {type: string, enum: [1]}\n");
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    client.open(&document, "yaml", root).await;
    let has = |found: &[Value], code: &str| found.iter().any(|finding| finding["code"] == code);
    let (unresolved, value) = ("openapi/unresolved-ref", "openapi/invalid-enum-value");
    assert!(!has(&client.published(&document, Some(1)).await, unresolved));
    client.open(&schemas, "yaml", "A: {type: string, enum: [1]}\n").await;
    assert!(has(&client.published(&schemas, Some(1)).await, value));
    let _ = client.published(&document, Some(1)).await;
    client.replace(&schemas, 2, "B: {type: string, enum: [1]}\n").await;
    assert!(!has(&client.published(&schemas, Some(2)).await, value));
    assert!(has(&client.published(&document, Some(1)).await, unresolved));
    client.replace(&document, 2, &root.replace("#/A", "#/B")).await;
    assert!(!has(&client.published(&document, Some(2)).await, unresolved));
    // The result of the previous check can arrive first.
    let found = client.published(&schemas, Some(2)).await;
    assert!(has(&found, value) || has(&client.published(&schemas, Some(2)).await, value));
}

#[tokio::test]
async fn each_folder_is_checked_with_its_own_settings() {
    let (first_folder, second_folder) = (project(), project());
    write(second_folder.path(), "inner/.aidd/config.json", "{}");
    let mut client = Client::connect();
    let _ = client.initialize(&[first_folder.path()], push_capabilities()).await;
    let first = uri(&first_folder.path().join("a.js"));
    let second = uri(&second_folder.path().join("a.js"));
    let inner = uri(&second_folder.path().join("inner/a.js"));
    for file in [&first, &second, &inner] {
        client.open(file, "javascript", "debugger").await;
    }
    assert_eq!(client.published(&first, Some(1)).await.len(), 1);
    assert_eq!(client.published(&second, Some(1)).await.len(), 1, "outside of all folders");
    assert_eq!(client.published(&inner, Some(1)).await.len(), 0, "the rule is in another root");
    let plain = tempfile::tempdir().expect("a folder");
    let file = write(plain.path(), "sub/a.env", &format!("A={}\n", token()));
    let added = json!({ "uri": uri(plain.path()), "name": "x" });
    let event = json!({ "event": { "added": [added], "removed": [] } });
    client.notify("workspace/didChangeWorkspaceFolders", event).await;
    let _ = client.published(&first, Some(1)).await;
    let shown = client.command("aidd.showConfig", json!([file])).await;
    assert_eq!(shown["root"], json!(plain.path()), "without a marker, the folder is the root");
}

#[tokio::test]
async fn documents_are_checked_only_on_save_if_the_setting_run_is_on_save() {
    let folder = project();
    let file = uri(&folder.path().join("a.js"));
    let mut client = Client::connect();
    client.settings = json!({ "run": "onSave" });
    let mut capabilities = push_capabilities();
    capabilities["workspace"] = json!({ "configuration": true });
    let _ = client.initialize(&[folder.path()], capabilities).await;
    let _ = client.wait_for("workspace/configuration", |_| true).await;
    // The server answers this request after the previous requests.
    let _ = client.command("aidd.explain", json!(["team/no-stop"])).await;
    client.open(&file, "javascript", "debugger").await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 1);
    client.replace(&file, 2, "").await;
    client.replace(&file, 3, "debugger debugger").await;
    let _ = client.command("aidd.explain", json!(["team/no-stop"])).await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": file } })).await;
    assert_eq!(client.published(&file, Some(3)).await.len(), 2);
    assert!(!client.received.iter().any(|message| message["params"]["version"] == 2));
}

#[tokio::test]
async fn files_that_are_not_open_are_checked_on_request() {
    let folder = project();
    let root = folder.path();
    let closed = write(root, "a.js", "debugger");
    let open = write(root, "b.js", "");
    let mut capabilities = push_capabilities();
    capabilities["window"] = json!({ "workDoneProgress": true });
    let mut client = Client::start(root, capabilities).await;
    client.open(&open, "javascript", "debugger debugger").await;
    assert_eq!(client.published(&open, Some(1)).await.len(), 2);
    let count = client.command("aidd.checkWorkspace", json!([])).await;
    assert_eq!(count, json!({ "files": 4, "findings": 3 }));
    assert_eq!(client.published(&closed, None).await.len(), 1);
    for kind in ["begin", "report", "end"] {
        let _ = client.wait_for("$/progress", |params| params["value"]["kind"] == kind).await;
    }
    fs::remove_file(root.join("a.js")).expect("removed");
    client.report_change(&closed, 3).await;
    assert_eq!(client.published(&closed, None).await.len(), 0, "the file was deleted");
    fs::write(root.join("b.js"), "debugger").expect("written");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": open } })).await;
    let on_disk = |params: &Value| {
        params["uri"] == open
            && params["diagnostics"].as_array().is_some_and(|list| list.len() == 1)
    };
    let _ = client.wait_for("textDocument/publishDiagnostics", on_disk).await;
}

#[tokio::test]
async fn a_huge_file_is_only_searched_for_secrets_and_reported_once() {
    let folder = project();
    write(folder.path(), ".aidd/config.json", "{\"maxFileSize\": 100}");
    let file = uri(&folder.path().join("a.js"));
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    let text = format!("debugger // {}\nx = '{}'\n", "much ".repeat(30), token());
    client.open(&file, "javascript", &text).await;
    let found = client.published(&file, Some(1)).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0]["code"].as_str().is_some_and(|code| code.starts_with("secrets/")));
    client.replace(&file, 2, &format!("{text} ")).await;
    let _ = client.published(&file, Some(2)).await;
    let message_count =
        client.received.iter().filter(|message| message["method"] == "window/logMessage").count();
    assert_eq!(message_count, 1);
}
