use crate::server::support::{Client, project, pulling, pushed, write};
use serde_json::{Value, json};

#[tokio::test]
async fn the_exit_code_depends_on_a_prior_shutdown() {
    let folder = project();
    let client = Client::start(folder.path(), pushed()).await;
    assert_eq!(client.shut_down().await, 0);
    let mut client = Client::start(folder.path(), pushed()).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(client.code().await, 1);
    let client = Client::start(folder.path(), pushed()).await;
    assert_eq!(client.hang_up().await, 1, "the input ends");
    let mut client = Client::connect();
    client.notify("exit", Value::Null).await;
    assert_eq!(client.code().await, 1, "before it was asked anything");
}

#[tokio::test]
async fn a_waiting_request_does_not_block_others() {
    let folder = project();
    write(folder.path(), "a.js", "debugger");
    let mut client = Client::start(folder.path(), pulling()).await;
    let first = client.ask("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    let known =
        json!([{ "uri": first["items"][0]["uri"], "value": first["items"][0]["resultId"] }]);
    let params = json!({ "previousResultIds": known, "partialResultToken": 2 });
    let id = client.begin("workspace/diagnostic", params).await;
    let _ = client.command("aidd.showConfig", json!([])).await;
    assert!(!client.received.iter().any(|one| one["id"] == id), "it is not answered");
    assert_eq!(client.shut_down().await, 0);
}

#[tokio::test]
async fn nothing_is_heard_before_initialize_and_after_shutdown() {
    let folder = project();
    let file = write(folder.path(), "a.js", "debugger\n");
    let mut client = Client::connect();
    let id =
        client.begin("textDocument/diagnostic", json!({ "textDocument": { "uri": file } })).await;
    assert_eq!(client.answer(id).await["error"]["code"], -32002);
    client.open(&file, "javascript", "debugger\n").await;
    let _ = client.initialize(&[folder.path()], pushed()).await;
    client.open(&file, "javascript", "debugger; debugger\n").await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 2);
    let _ = client.ask("shutdown", Value::Null).await;
    client.replace(&file, 2, "").await;
    let id =
        client.begin("workspace/executeCommand", json!({ "command": "aidd.showConfig" })).await;
    assert_eq!(client.answer(id).await["error"]["code"], -32600);
    client.notify("exit", Value::Null).await;
    assert_eq!(client.code().await, 0);
}

#[tokio::test]
async fn what_a_client_refuses_or_garbles_is_survived() {
    let folder = project();
    let file = write(folder.path(), "a.js", "debugger\n");
    let mut client = Client::connect();
    client.refuses = true;
    let dynamic = json!({ "dynamicRegistration": true });
    let mut can = pushed();
    can["workspace"] = json!({
        "didChangeWatchedFiles": dynamic,
        "didChangeConfiguration": dynamic,
        "configuration": true,
    });
    client.settings = json!({ "run": "sometimes" });
    let _ = client.initialize(&[folder.path()], can).await;
    let _ = client.wait_for("window/logMessage", |one| one["type"] == 3).await;
    for (method, params) in [
        ("textDocument/didOpen", json!({ "textDocument": { "uri": "no uri" } })),
        ("textDocument/didChange", json!({ "textDocument": { "uri": file }, "contentChanges": 7 })),
        (
            "textDocument/didChange",
            json!({ "textDocument": { "uri": file, "version": 9 }, "contentChanges": [] }),
        ),
        ("textDocument/didClose", json!({ "textDocument": { "uri": file } })),
        ("notebookDocument/didOpen", json!({})),
        ("$/setTrace", json!({ "value": "verbose" })),
        ("team/unknown", Value::Null),
    ] {
        client.notify(method, params).await;
    }
    let id = client.begin("team/unknown", Value::Null).await;
    assert_eq!(client.answer(id).await["error"]["code"], -32601);
    client.open("vscode-notebook-cell:/a.ipynb#1", "python", "debugger").await;
    client.open(&file, "javascript", "debugger\n").await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 1);
    let of_cell =
        client.received.iter().any(|one| one["params"]["uri"] == "vscode-notebook-cell:/a.ipynb#1");
    assert!(!of_cell);
    assert_eq!(client.shut_down().await, 0);
}

#[tokio::test]
async fn what_is_offered_depends_on_what_the_client_can() {
    let folder = project();
    let mut client = Client::connect();
    let answer = client.initialize(&[folder.path()], json!({})).await;
    let can = &answer["capabilities"];
    assert_eq!(can["positionEncoding"], "utf-16");
    assert_eq!(can["diagnosticProvider"], Value::Null);
    let mut client = Client::connect();
    let mut wanted = pulling();
    wanted["general"] = json!({ "positionEncodings": ["utf-16", "utf-8"] });
    let answer = client.initialize(&[folder.path()], wanted).await;
    let can = &answer["capabilities"];
    assert_eq!(can["positionEncoding"], "utf-8");
    assert_eq!(can["diagnosticProvider"]["workspaceDiagnostics"], true);
    assert_eq!(answer["serverInfo"]["name"], "aidd-lsp");
}
