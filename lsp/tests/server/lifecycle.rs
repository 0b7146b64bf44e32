use crate::server::support::{Client, project, pull_capabilities, push_capabilities, write};
use serde_json::{Value, json};

#[tokio::test]
async fn the_exit_code_depends_on_a_prior_shutdown() {
    let folder = project();
    let client = Client::start(folder.path(), push_capabilities()).await;
    assert_eq!(client.shut_down().await, 0);
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(client.exit_code().await, 1);
    let client = Client::start(folder.path(), push_capabilities()).await;
    assert_eq!(client.hang_up().await, 1, "the input ends");
    let mut client = Client::connect();
    client.notify("exit", Value::Null).await;
    assert_eq!(client.exit_code().await, 1, "exit without initialize");
}

#[tokio::test]
async fn a_waiting_request_does_not_block_other_requests() {
    let folder = project();
    write(folder.path(), "a.js", "debugger");
    let mut client = Client::start(folder.path(), pull_capabilities()).await;
    let first = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    let known =
        json!([{ "uri": first["items"][0]["uri"], "value": first["items"][0]["resultId"] }]);
    let params = json!({ "previousResultIds": known, "partialResultToken": 2 });
    let id = client.send_request("workspace/diagnostic", params).await;
    let _ = client.command("aidd.showConfig", json!([])).await;
    assert!(
        !client.received.iter().any(|message| message["id"] == id),
        "the request is still pending"
    );
    assert_eq!(client.shut_down().await, 0);
}

#[tokio::test]
async fn messages_before_initialize_and_after_shutdown_are_rejected() {
    let folder = project();
    let file = write(folder.path(), "a.js", "debugger\n");
    let mut client = Client::connect();
    let id = client
        .send_request("textDocument/diagnostic", json!({ "textDocument": { "uri": file } }))
        .await;
    assert_eq!(client.response(id).await["error"]["code"], -32002);
    client.open(&file, "javascript", "debugger\n").await;
    let _ = client.initialize(&[folder.path()], push_capabilities()).await;
    client.open(&file, "javascript", "debugger; debugger\n").await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 2);
    let _ = client.request("shutdown", Value::Null).await;
    client.replace(&file, 2, "").await;
    let id = client
        .send_request("workspace/executeCommand", json!({ "command": "aidd.showConfig" }))
        .await;
    assert_eq!(client.response(id).await["error"]["code"], -32600);
    client.notify("exit", Value::Null).await;
    assert_eq!(client.exit_code().await, 0);
}

#[tokio::test]
async fn a_header_without_a_usable_length_ends_the_session() {
    for header in ["Content-Length: many", "Content-Length: 99999999999999"] {
        let mut client = Client::connect();
        client.write(format!("{header}\r\n\r\n").as_bytes()).await;
        assert_eq!(client.exit_code().await, 1);
    }
}

#[tokio::test]
async fn refused_and_malformed_messages_do_not_end_the_session() {
    let folder = project();
    let file = write(folder.path(), "a.js", "debugger\n");
    let mut client = Client::connect();
    client.refuses = true;
    let dynamic = json!({ "dynamicRegistration": true });
    let mut capabilities = push_capabilities();
    capabilities["workspace"] = json!({
        "didChangeWatchedFiles": dynamic,
        "didChangeConfiguration": dynamic,
        "configuration": true,
    });
    client.settings = json!({ "run": "sometimes" });
    let _ = client.initialize(&[folder.path()], capabilities).await;
    let _ = client.wait_for("window/logMessage", |message| message["type"] == 3).await;
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
    let id = client.send_request("team/unknown", Value::Null).await;
    assert_eq!(client.response(id).await["error"]["code"], -32601);
    for (body, code) in [("{brok", -32700), ("[]", -32600)] {
        client.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await;
        let error = loop {
            let message = client.next().await.expect("the server is running");
            if message.get("error").is_some() {
                break message;
            }
        };
        assert_eq!((&error["id"], &error["error"]["code"]), (&Value::Null, &json!(code)));
    }
    client.open("vscode-notebook-cell:/a.ipynb#1", "python", "debugger").await;
    client.open(&file, "javascript", "debugger\n").await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 1);
    let is_cell_reported = client
        .received
        .iter()
        .any(|message| message["params"]["uri"] == "vscode-notebook-cell:/a.ipynb#1");
    assert!(!is_cell_reported);
    assert_eq!(client.shut_down().await, 0);
}

#[tokio::test]
async fn the_server_capabilities_depend_on_the_client() {
    let folder = project();
    let mut client = Client::connect();
    let response = client.initialize(&[folder.path()], json!({})).await;
    let capabilities = &response["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["diagnosticProvider"], Value::Null);
    let mut client = Client::connect();
    let mut client_capabilities = pull_capabilities();
    client_capabilities["general"] = json!({ "positionEncodings": ["utf-16", "utf-8"] });
    let response = client.initialize(&[folder.path()], client_capabilities).await;
    let capabilities = &response["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-8");
    assert_eq!(capabilities["diagnosticProvider"]["workspaceDiagnostics"], true);
    assert_eq!(response["serverInfo"]["name"], "aidd-lsp");
}
