//! URIs in all forms that clients send, partly malformed messages, and directories created or
//! deleted as a single event.

use crate::server::support::{
    Client, locations, project, pull_capabilities, push_capabilities, uri, write,
};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const RULE: &str = "---\nseverity: warning\nmessage: \"`<match>` waits\"\ncheck:\n  text:\n    regex: 'sleep'\n    keywords: [sleep]\n---\n# team/no-sleep\n\nNone.\n";

/// The raw path of a URI, without percent-encoding.
fn raw(root: &std::path::Path, path: &str) -> String {
    format!("file://{}/{path}", root.display())
}

#[tokio::test]
async fn a_document_is_found_by_any_spelling_of_its_uri() {
    for path in ["app/[id]/page.js", "a b/c.js", "줄/é.js", "a%41.js", "100%/a.js"] {
        let folder = project();
        let root = folder.path();
        let encoded = write(root, path, "debugger\n");
        // Whether a raw `%` starts an escape depends on the characters after it.
        let sent = if path.contains("%4") { encoded.clone() } else { raw(root, path) };
        let mut client = Client::start(root, push_capabilities()).await;
        client.open(&sent, "javascript", "debugger\n").await;
        let found = client.published(&encoded, Some(1)).await;
        assert_eq!(locations(&found), ["team/no-stop 0:0-8"], "{path}");
        // A document opened with a raw URI is changed with an encoded URI in lower case.
        let lower = encoded.replace("%5B", "%5b").replace("%5D", "%5d");
        client.replace(&lower, 2, "\n\ndebugger\n").await;
        let found = client.published(&encoded, Some(2)).await;
        assert_eq!(locations(&found), ["team/no-stop 2:0-8"], "{path}");
        let at =
            json!({ "textDocument": { "uri": sent }, "position": { "line": 2, "character": 3 } });
        let hover = client.request("textDocument/hover", at).await;
        assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("stops")));
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": sent } })).await;
        assert_eq!(client.published(&encoded, None).await, [] as [Value; 0], "{path}");
    }
}

#[tokio::test]
async fn folder_uris_without_percent_encoding_are_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("[app] 줄");
    write(&root, "rules/no-sleep.md", RULE);
    let file = write(&root, "a.js", "sleep\n");
    let mut client = Client::connect();
    let folders = json!([
        { "uri": "not a uri", "name": "odd" },
        { "uri": format!("file://{}", root.display()), "name": "app" },
    ]);
    let params = json!({
        "processId": null,
        "rootUri": "",
        "workspaceFolders": folders,
        "capabilities": pull_capabilities(),
    });
    client.request("initialize", params).await;
    client.notify("initialized", json!({})).await;
    let report = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    let items = report["items"].as_array().expect("a list");
    let found = items.iter().find(|item| item["uri"] == file.as_str()).expect("the file");
    assert_eq!(found["items"][0]["code"], "team/no-sleep");
}

#[tokio::test]
async fn malformed_items_are_logged_and_valid_items_are_processed() {
    let folder = project();
    let root = folder.path();
    let file = write(root, "a.js", "sleep\n");
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", "sleep\n").await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 0);
    let page = write(root, "rules/no-sleep.md", RULE);
    let changes = json!([
        { "uri": "not a uri", "type": 1 },
        { "type": 2 },
        7,
        { "uri": raw(root, "rules/[odd].md"), "type": 3 },
        { "uri": page, "type": 1 },
    ]);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes })).await;
    assert_eq!(locations(&client.published(&file, Some(1)).await), ["team/no-sleep 0:0-5"]);
    for pointer in ["changes/0", "changes/1", "changes/2"] {
        let start = format!("workspace/didChangeWatchedFiles: {pointer}: ");
        let is_expected = |params: &Value| {
            params["message"].as_str().is_some_and(|text| text.starts_with(&start))
        };
        assert_eq!(client.wait_for("window/logMessage", is_expected).await["type"], 2);
    }
    // After an unreadable edit, published diagnostics could belong to another text.
    client.change(&file, 2, json!([{ "range": "all", "text": "" }])).await;
    assert_eq!(client.published(&file, None).await.len(), 0);
    let is_expected = |params: &Value| {
        params["message"].as_str().is_some_and(|text| text.ends_with("until it is reopened"))
    };
    client.wait_for("window/logMessage", is_expected).await;
    client.open(&file, "javascript", "sleep\n").await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 1);
    for (method, params) in [
        ("workspace/didChangeWatchedFiles", json!({})),
        ("workspace/didRenameFiles", json!({ "files": 1 })),
        ("workspace/didChangeWorkspaceFolders", json!([])),
        ("textDocument/didOpen", json!({ "textDocument": { "uri": file } })),
        ("textDocument/didSave", Value::Null),
    ] {
        client.notify(method, params).await;
        let start = format!("{method}: ");
        let is_expected = |params: &Value| {
            params["message"].as_str().is_some_and(|text| text.starts_with(&start))
        };
        client.wait_for("window/logMessage", is_expected).await;
    }
}

#[tokio::test]
async fn moving_a_rule_directory_away_and_back_updates_the_findings() {
    let folder = project();
    let root = folder.path();
    write(root, "packages/a/.aidd/rules/no-sleep.md", RULE);
    let file = write(root, "packages/a/x.js", "sleep\n");
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", "sleep\n").await;
    let rule = client.published(&file, Some(1)).await;
    assert_eq!(rule.len(), 1, "{rule:?}");
    let aidd = uri(&root.join("packages/a/.aidd"));
    fs::rename(root.join("packages/a/.aidd"), root.join("kept")).expect("moved");
    client.report_change(&aidd, 3).await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 0);
    fs::rename(root.join("kept"), root.join("packages/a/.aidd")).expect("moved");
    client.report_change(&aidd, 1).await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 1);
}

/// The files with findings, as paths below `src`.
async fn files_with_findings(client: &mut Client) -> Vec<String> {
    let report = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    let items = report["items"].as_array().expect("a list").iter();
    let found = items.filter(|item| item["items"].as_array().is_some_and(|all| !all.is_empty()));
    let mut found: Vec<String> = found
        .filter_map(|item| {
            item["uri"].as_str()?.rsplit_once("/src/").map(|(_, end)| end.to_owned())
        })
        .collect();
    found.sort();
    found
}

#[tokio::test]
async fn events_of_directories_apply_to_their_files() {
    let folder = project();
    let root = folder.path();
    for path in ["src/a/x.js", "src/a/deep/y.js", "src/b/z.js"] {
        write(root, path, "debugger\n");
    }
    write(root, ".aiddignore", "/src/ignored/\n");
    let mut client = Client::connect();
    let mut capabilities = pull_capabilities();
    let operations = json!({ "didCreate": true, "didRename": true, "didDelete": true });
    capabilities["workspace"]["fileOperations"] = operations;
    let response = client.initialize(&[root], capabilities).await;
    let registered = &response["capabilities"]["workspace"]["fileOperations"];
    for operation in ["didCreate", "didRename", "didDelete"] {
        assert_eq!(registered[operation]["filters"][0]["pattern"]["glob"], "**", "{operation}");
    }
    client.wait_for("client/registerCapability", |_| true).await;
    assert_eq!(files_with_findings(&mut client).await, ["a/deep/y.js", "a/x.js", "b/z.js"]);
    let uri_of = |path: &str| uri(&root.join(path));
    let move_to = |from: &str, to: &str| {
        fs::rename(root.join(from), root.join(to)).expect("moved");
        json!({ "files": [{ "oldUri": uri_of(from), "newUri": uri_of(to) }] })
    };
    let moved = move_to("src/a", "src/c");
    client.notify("workspace/didRenameFiles", moved).await;
    wait_for_files(&mut client, &["b/z.js", "c/deep/y.js", "c/x.js"]).await;
    // A watcher reports only the directories, not their contents.
    move_to("src/c", "src/d");
    let changes = json!([
        { "uri": uri_of("src/c"), "type": 3 },
        { "uri": uri_of("src/d"), "type": 1 },
        { "uri": uri_of("src"), "type": 2 },
    ]);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes })).await;
    wait_for_files(&mut client, &["b/z.js", "d/deep/y.js", "d/x.js"]).await;
    fs::remove_dir_all(root.join("src/b")).expect("removed");
    let deleted = json!({ "files": [{ "uri": uri_of("src/b") }] });
    client.notify("workspace/didDeleteFiles", deleted).await;
    wait_for_files(&mut client, &["d/deep/y.js", "d/x.js"]).await;
    write(root, "src/ignored/x.js", "debugger\n");
    write(root, "src/e/x.js", "debugger\n");
    let created =
        json!({ "files": [{ "uri": uri_of("src/ignored") }, { "uri": uri_of("src/e") }] });
    client.notify("workspace/didCreateFiles", created).await;
    wait_for_files(&mut client, &["d/deep/y.js", "d/x.js", "e/x.js"]).await;
}

/// Waits until the files with findings are `expected`; the server checks changes in the background.
async fn wait_for_files(client: &mut Client, expected: &[&str]) {
    for _ in 0..200 {
        if files_with_findings(client).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(files_with_findings(client).await, expected);
}
