//! URIs in all forms that clients send, partly malformed messages, and directories created or
//! deleted as a single event.

use crate::server::support::{Client, places, project, pulling, pushed, uri, write};
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
        // A raw `%` looks like the start of an escape; only the next characters decide.
        let sent = if path.contains("%4") { encoded.clone() } else { raw(root, path) };
        let mut client = Client::start(root, pushed()).await;
        client.open(&sent, "javascript", "debugger\n").await;
        let found = client.published(&encoded, Some(1)).await;
        assert_eq!(places(&found), ["team/no-stop 0:0-8"], "{path}");
        // A document opened with a raw URI is changed with an encoded, lower-case one.
        let lower = encoded.replace("%5B", "%5b").replace("%5D", "%5d");
        client.replace(&lower, 2, "\n\ndebugger\n").await;
        let found = client.published(&encoded, Some(2)).await;
        assert_eq!(places(&found), ["team/no-stop 2:0-8"], "{path}");
        let at =
            json!({ "textDocument": { "uri": sent }, "position": { "line": 2, "character": 3 } });
        let hover = client.ask("textDocument/hover", at).await;
        assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("stops")));
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": sent } })).await;
        assert_eq!(client.published(&encoded, None).await, [] as [Value; 0], "{path}");
    }
}

#[tokio::test]
async fn folders_may_be_named_by_raw_uris() {
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
        "capabilities": pulling(),
    });
    client.ask("initialize", params).await;
    client.notify("initialized", json!({})).await;
    let report = client.ask("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    let items = report["items"].as_array().expect("a list");
    let found = items.iter().find(|item| item["uri"] == file.as_str()).expect("the file");
    assert_eq!(found["items"][0]["code"], "team/no-sleep");
}

#[tokio::test]
async fn what_is_malformed_is_logged_and_the_rest_is_processed() {
    let folder = project();
    let root = folder.path();
    let file = write(root, "a.js", "sleep\n");
    let mut client = Client::start(root, pushed()).await;
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
    assert_eq!(places(&client.published(&file, Some(1)).await), ["team/no-sleep 0:0-5"]);
    for place in ["changes/0", "changes/1", "changes/2"] {
        let start = format!("workspace/didChangeWatchedFiles: {place}: ");
        let is_it = |params: &Value| {
            params["message"].as_str().is_some_and(|text| text.starts_with(&start))
        };
        assert_eq!(client.wait_for("window/logMessage", is_it).await["type"], 2);
    }
    // After an unreadable edit, published diagnostics could belong to another text.
    client.change(&file, 2, json!([{ "range": "all", "text": "" }])).await;
    assert_eq!(client.published(&file, None).await.len(), 0);
    let is_it = |params: &Value| {
        params["message"].as_str().is_some_and(|text| text.ends_with("until it is reopened"))
    };
    client.wait_for("window/logMessage", is_it).await;
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
        let is_it = |params: &Value| {
            params["message"].as_str().is_some_and(|text| text.starts_with(&start))
        };
        client.wait_for("window/logMessage", is_it).await;
    }
}

#[tokio::test]
async fn a_directory_with_rules_that_goes_and_comes_back_is_one_event() {
    let folder = project();
    let root = folder.path();
    write(root, "packages/a/.aidd/rules/no-sleep.md", RULE);
    let file = write(root, "packages/a/x.js", "sleep\n");
    let mut client = Client::start(root, pushed()).await;
    client.open(&file, "javascript", "sleep\n").await;
    let rule = client.published(&file, Some(1)).await;
    assert_eq!(rule.len(), 1, "{rule:?}");
    let aidd = uri(&root.join("packages/a/.aidd"));
    fs::rename(root.join("packages/a/.aidd"), root.join("kept")).expect("moved");
    client.watched(&aidd, 3).await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 0);
    fs::rename(root.join("kept"), root.join("packages/a/.aidd")).expect("moved");
    client.watched(&aidd, 1).await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 1);
}

/// The files with findings reported by the server, as the ends of their paths.
async fn with_findings(client: &mut Client) -> Vec<String> {
    let report = client.ask("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
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
async fn the_files_of_directories_follow_them() {
    let folder = project();
    let root = folder.path();
    for path in ["src/a/x.js", "src/a/deep/y.js", "src/b/z.js"] {
        write(root, path, "debugger\n");
    }
    write(root, ".aiddignore", "/src/ignored/\n");
    let mut client = Client::connect();
    let mut capabilities = pulling();
    let can = json!({ "didCreate": true, "didRename": true, "didDelete": true });
    capabilities["workspace"]["fileOperations"] = can;
    let answer = client.initialize(&[root], capabilities).await;
    let offered = &answer["capabilities"]["workspace"]["fileOperations"];
    for operation in ["didCreate", "didRename", "didDelete"] {
        assert_eq!(offered[operation]["filters"][0]["pattern"]["glob"], "**", "{operation}");
    }
    client.wait_for("client/registerCapability", |_| true).await;
    assert_eq!(with_findings(&mut client).await, ["a/deep/y.js", "a/x.js", "b/z.js"]);
    let place = |path: &str| uri(&root.join(path));
    let move_to = |from: &str, to: &str| {
        fs::rename(root.join(from), root.join(to)).expect("moved");
        json!({ "files": [{ "oldUri": place(from), "newUri": place(to) }] })
    };
    let moved = move_to("src/a", "src/c");
    client.notify("workspace/didRenameFiles", moved).await;
    expect(&mut client, &["b/z.js", "c/deep/y.js", "c/x.js"]).await;
    // As reported by a watcher: only the directories.
    move_to("src/c", "src/d");
    let changes = json!([
        { "uri": place("src/c"), "type": 3 },
        { "uri": place("src/d"), "type": 1 },
        { "uri": place("src"), "type": 2 },
    ]);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes })).await;
    expect(&mut client, &["b/z.js", "d/deep/y.js", "d/x.js"]).await;
    fs::remove_dir_all(root.join("src/b")).expect("removed");
    let gone = json!({ "files": [{ "uri": place("src/b") }] });
    client.notify("workspace/didDeleteFiles", gone).await;
    expect(&mut client, &["d/deep/y.js", "d/x.js"]).await;
    write(root, "src/ignored/x.js", "debugger\n");
    write(root, "src/e/x.js", "debugger\n");
    let come = json!({ "files": [{ "uri": place("src/ignored") }, { "uri": place("src/e") }] });
    client.notify("workspace/didCreateFiles", come).await;
    expect(&mut client, &["d/deep/y.js", "d/x.js", "e/x.js"]).await;
}

/// Waits until the files with findings are these; changes are checked in the background.
async fn expect(client: &mut Client, wanted: &[&str]) {
    for _ in 0..200 {
        if with_findings(client).await == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(with_findings(client).await, wanted);
}
