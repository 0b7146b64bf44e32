use crate::server::support::{Client, project, pull_capabilities, uri, write};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The reports, keyed by the last segment of their URI.
fn reports_by_name(report: &Value) -> BTreeMap<String, Value> {
    let items = report["items"].as_array().expect("a list");
    let name = |item: &Value| {
        let uri = item["uri"].as_str().expect("a URI");
        (uri.rsplit('/').next().unwrap_or_default().to_owned(), item.clone())
    };
    items.iter().map(name).collect()
}

fn previous(reports: &BTreeMap<String, Value>) -> Value {
    let ids =
        reports.values().map(|report| json!({ "uri": report["uri"], "value": report["resultId"] }));
    ids.collect()
}

#[tokio::test]
async fn an_unchanged_document_is_reported_once() {
    let folder = project();
    let file = write(folder.path(), "a.js", "debugger debugger");
    let mut client = Client::start(folder.path(), pull_capabilities()).await;
    assert_eq!(client.pull(&file).await.len(), 2, "the file is not open");
    assert_eq!(client.pull(&uri(&folder.path().join("none"))).await.len(), 0);
    client.open(&file, "javascript", "debugger").await;
    let document = json!({ "uri": file });
    let first =
        client.request("textDocument/diagnostic", json!({ "textDocument": document })).await;
    assert_eq!(
        (&first["kind"], first["items"].as_array().map(Vec::len)),
        (&json!("full"), Some(1))
    );
    let with_previous_id =
        json!({ "textDocument": document, "previousResultId": first["resultId"] });
    let second = client.request("textDocument/diagnostic", with_previous_id.clone()).await;
    assert_eq!(second, json!({ "kind": "unchanged", "resultId": first["resultId"] }));
    client.replace(&file, 2, " debugger").await;
    let third = client.request("textDocument/diagnostic", with_previous_id).await;
    assert_eq!(third["kind"], "full");
    let sent = client
        .received
        .iter()
        .any(|message| message["method"] == "textDocument/publishDiagnostics");
    assert!(!sent, "pull clients get no push diagnostics");
}

#[tokio::test]
async fn a_second_workspace_report_contains_only_changes() {
    let folder = project();
    let root = folder.path();
    let a = write(root, "a.js", "debugger");
    let b = write(root, "sub/b.js", "debugger debugger");
    let open = write(root, "open.js", "debugger");
    let mut client = Client::start(root, pull_capabilities()).await;
    client.open(&open, "javascript", "").await;
    let params_for = |ids: Value| json!({ "previousResultIds": ids });
    let first =
        reports_by_name(&client.request("workspace/diagnostic", params_for(json!([]))).await);
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(names, ["a.js", "b.js", "open.js"]);
    assert!(first.values().all(|report| report["kind"] == "full"));
    assert_eq!(first["open.js"]["version"], 1);
    assert_eq!(first["open.js"]["items"], json!([]));
    let second = reports_by_name(
        &client.request("workspace/diagnostic", params_for(previous(&first))).await,
    );
    assert!(second.values().all(|report| report["kind"] == "unchanged"), "{second:?}");
    std::fs::remove_file(root.join("a.js")).expect("removed");
    write(root, "sub/b.js", "debugger");
    client.report_change(&a, 3).await;
    client.report_change(&b, 2).await;
    let third = reports_by_name(
        &client.request("workspace/diagnostic", params_for(previous(&first))).await,
    );
    assert_eq!(third["a.js"]["items"], json!([]));
    assert_eq!(third["b.js"]["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(third["open.js"]["kind"], "unchanged");
    // The settings have changed, and the server requests a refresh.
    write(root, ".aidd/config.json", "{\"rules\": {\"team/no-stop\": \"error\"}}");
    client.report_change(&uri(&root.join(".aidd/config.json")), 2).await;
    let _ = client.wait_for("workspace/diagnostic/refresh", |_| true).await;
    let fourth = reports_by_name(
        &client.request("workspace/diagnostic", params_for(previous(&third))).await,
    );
    assert_eq!(fourth["b.js"]["items"][0]["severity"], 1);
}

#[tokio::test]
async fn partial_results_are_sent_and_the_response_waits_for_changes() {
    let folder = project();
    let root = folder.path();
    for count in 0..200 {
        write(root, &format!("{count}.js"), "debugger");
    }
    let mut client = Client::start(root, pull_capabilities()).await;
    let params_for =
        |token: u32, ids: Value| json!({ "previousResultIds": ids, "partialResultToken": token });
    let whole = client.request("workspace/diagnostic", params_for(1, json!([]))).await;
    assert_eq!(whole, json!({ "items": [] }), "all items were sent as partial results");
    let mut reports = BTreeMap::new();
    let mut parts = 0;
    while let Some(at) = client.received.iter().position(|message| message["params"]["token"] == 1)
    {
        let part = client.received.remove(at).expect("a message");
        reports.extend(reports_by_name(&part["params"]["value"]));
        parts += 1;
    }
    assert_eq!(reports.len(), 200);
    assert!(parts > 2, "{parts} parts");
    let id = client.send_request("workspace/diagnostic", params_for(2, previous(&reports))).await;
    // The response to this request shows that the server has received the pending request.
    let _ = client.pull(&uri(&root.join("1.js"))).await;
    assert!(!client.received.iter().any(|message| message["id"] == id));
    let changed = write(root, "7.js", "");
    client.report_change(&changed, 2).await;
    assert_eq!(client.response(id).await["result"], json!({ "items": [] }));
    let part = client.wait_for("$/progress", |message| message["token"] == 2).await;
    let changes = reports_by_name(&part["value"]);
    assert_eq!(changes["7.js"]["items"], json!([]));
    assert_eq!(client.shut_down().await, 0);
}

#[tokio::test]
async fn a_cancelled_workspace_request_ends_at_once() {
    let folder = project();
    let root = folder.path();
    let text = format!("{}debugger\n", "let some = 'words and more of them';\n".repeat(400));
    for count in 0..400 {
        write(root, &format!("{count}.js"), &text);
    }
    let mut client = Client::start(root, pull_capabilities()).await;
    let id = client.send_request("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let started = Instant::now();
    client.notify("$/cancelRequest", json!({ "id": id })).await;
    let response = client.response(id).await;
    assert_eq!(response["error"]["code"], -32800, "{response}");
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    // The next request is not affected.
    let whole = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    assert_eq!(reports_by_name(&whole).len(), 400);
}
