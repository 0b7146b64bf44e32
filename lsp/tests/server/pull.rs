use crate::server::support::{Client, project, pulling, uri, write};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The reports by the last segment of their URI.
fn by_name(report: &Value) -> BTreeMap<String, Value> {
    let items = report["items"].as_array().expect("a list");
    let name = |one: &Value| {
        let uri = one["uri"].as_str().expect("a URI");
        (uri.rsplit('/').next().unwrap_or_default().to_owned(), one.clone())
    };
    items.iter().map(name).collect()
}

fn previous(reports: &BTreeMap<String, Value>) -> Value {
    let ids = reports.values().map(|one| json!({ "uri": one["uri"], "value": one["resultId"] }));
    ids.collect()
}

#[tokio::test]
async fn an_unchanged_document_is_reported_once() {
    let folder = project();
    let file = write(folder.path(), "a.js", "debugger debugger");
    let mut client = Client::start(folder.path(), pulling()).await;
    assert_eq!(client.pull(&file).await.len(), 2, "it is not open");
    assert_eq!(client.pull(&uri(&folder.path().join("none"))).await.len(), 0);
    client.open(&file, "javascript", "debugger").await;
    let document = json!({ "uri": file });
    let first = client.ask("textDocument/diagnostic", json!({ "textDocument": document })).await;
    assert_eq!(
        (&first["kind"], first["items"].as_array().map(Vec::len)),
        (&json!("full"), Some(1))
    );
    let again = json!({ "textDocument": document, "previousResultId": first["resultId"] });
    let second = client.ask("textDocument/diagnostic", again.clone()).await;
    assert_eq!(second, json!({ "kind": "unchanged", "resultId": first["resultId"] }));
    client.replace(&file, 2, " debugger").await;
    let third = client.ask("textDocument/diagnostic", again).await;
    assert_eq!(third["kind"], "full");
    let sent = client.received.iter().any(|one| one["method"] == "textDocument/publishDiagnostics");
    assert!(!sent, "pull clients get no push diagnostics");
}

#[tokio::test]
async fn a_workspace_is_reported_and_then_its_changes() {
    let folder = project();
    let root = folder.path();
    let a = write(root, "a.js", "debugger");
    let b = write(root, "sub/b.js", "debugger debugger");
    let open = write(root, "open.js", "debugger");
    let mut client = Client::start(root, pulling()).await;
    client.open(&open, "javascript", "").await;
    let ask = |ids: Value| json!({ "previousResultIds": ids });
    let first = by_name(&client.ask("workspace/diagnostic", ask(json!([]))).await);
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(names, ["a.js", "b.js", "open.js"]);
    assert!(first.values().all(|one| one["kind"] == "full"));
    assert_eq!(first["open.js"]["version"], 1);
    assert_eq!(first["open.js"]["items"], json!([]));
    let second = by_name(&client.ask("workspace/diagnostic", ask(previous(&first))).await);
    assert!(second.values().all(|one| one["kind"] == "unchanged"), "{second:?}");
    std::fs::remove_file(root.join("a.js")).expect("removed");
    write(root, "sub/b.js", "debugger");
    client.watched(&a, 3).await;
    client.watched(&b, 2).await;
    let third = by_name(&client.ask("workspace/diagnostic", ask(previous(&first))).await);
    assert_eq!(third["a.js"]["items"], json!([]));
    assert_eq!(third["b.js"]["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(third["open.js"]["kind"], "unchanged");
    // The settings have changed, and the client is asked to refresh.
    write(root, ".aidd/config.json", "{\"rules\": {\"team/no-stop\": \"error\"}}");
    client.watched(&uri(&root.join(".aidd/config.json")), 2).await;
    let _ = client.wait_for("workspace/diagnostic/refresh", |_| true).await;
    let fourth = by_name(&client.ask("workspace/diagnostic", ask(previous(&third))).await);
    assert_eq!(fourth["b.js"]["items"][0]["severity"], 1);
}

#[tokio::test]
async fn partial_results_are_sent_and_the_response_waits_for_changes() {
    let folder = project();
    let root = folder.path();
    for count in 0..200 {
        write(root, &format!("{count}.js"), "debugger");
    }
    let mut client = Client::start(root, pulling()).await;
    let ask =
        |token: u32, ids: Value| json!({ "previousResultIds": ids, "partialResultToken": token });
    let whole = client.ask("workspace/diagnostic", ask(1, json!([]))).await;
    assert_eq!(whole, json!({ "items": [] }), "all of it was sent before");
    let mut reports = BTreeMap::new();
    let mut parts = 0;
    while let Some(at) = client.received.iter().position(|one| one["params"]["token"] == 1) {
        let part = client.received.remove(at).expect("it is there");
        reports.extend(by_name(&part["params"]["value"]));
        parts += 1;
    }
    assert_eq!(reports.len(), 200);
    assert!(parts > 2, "{parts} parts");
    let id = client.begin("workspace/diagnostic", ask(2, previous(&reports))).await;
    // A request that is answered after it.
    let _ = client.pull(&uri(&root.join("1.js"))).await;
    assert!(!client.received.iter().any(|one| one["id"] == id));
    let changed = write(root, "7.js", "");
    client.watched(&changed, 2).await;
    assert_eq!(client.answer(id).await["result"], json!({ "items": [] }));
    let part = client.wait_for("$/progress", |one| one["token"] == 2).await;
    let news = by_name(&part["value"]);
    assert_eq!(news["7.js"]["items"], json!([]));
    assert_eq!(client.shut_down().await, 0);
}

#[tokio::test]
async fn a_cancelled_pass_ends_at_once() {
    let folder = project();
    let root = folder.path();
    let text = format!("{}debugger\n", "let some = 'words and more of them';\n".repeat(400));
    for count in 0..400 {
        write(root, &format!("{count}.js"), &text);
    }
    let mut client = Client::start(root, pulling()).await;
    let id = client.begin("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let started = Instant::now();
    client.notify("$/cancelRequest", json!({ "id": id })).await;
    let answer = client.answer(id).await;
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    // The next request is not affected.
    let whole = client.ask("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    assert_eq!(by_name(&whole).len(), 400);
}
