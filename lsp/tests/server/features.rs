//! The language features, requested as an editor does.

use crate::server::support::{Client, project, push_capabilities, write};
use serde_json::{Value, json};

/// The capabilities of a modern client.
fn modern() -> Value {
    let mut capabilities = push_capabilities();
    let features = json!({
        "codeAction": {
            "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } },
            "dataSupport": true,
            "resolveSupport": { "properties": ["edit"] },
        },
        "hover": { "contentFormat": ["markdown"] },
        "completion": {},
        "documentLink": {},
        "codeLens": {},
    });
    for (key, value) in features.as_object().expect("an object") {
        capabilities["textDocument"][key] = value.clone();
    }
    capabilities["workspace"] = json!({
        "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create"] },
    });
    capabilities
}

fn position_params(uri: &str, line: u32, character: u32) -> Value {
    let position = json!({ "line": line, "character": character });
    json!({ "textDocument": { "uri": uri }, "position": position })
}

/// The action at a position whose title starts with `title`.
async fn action(
    client: &mut Client,
    uri: &str,
    (line, character): (u32, u32),
    title: &str,
) -> Value {
    let position = json!({ "line": line, "character": character });
    let params = json!({
        "textDocument": { "uri": uri },
        "range": { "start": position, "end": position },
        "context": { "diagnostics": [] },
    });
    let actions = client.request("textDocument/codeAction", params).await;
    let has_title =
        |action: &&Value| action["title"].as_str().is_some_and(|it| it.starts_with(title));
    actions.as_array().expect("a list").iter().find(has_title).expect(title).clone()
}

#[tokio::test]
async fn only_supported_features_are_offered() {
    let folder = project();
    let mut client = Client::connect();
    let response = client.initialize(&[folder.path()], json!({})).await;
    for feature in ["codeAction", "hover", "completion", "documentLink", "codeLens"] {
        assert_eq!(
            response["capabilities"][format!("{feature}Provider")],
            Value::Null,
            "{feature}"
        );
    }
    let mut client = Client::connect();
    let response = client.initialize(&[folder.path()], modern()).await;
    let capabilities = &response["capabilities"];
    assert_eq!(
        capabilities["codeActionProvider"],
        json!({
            "codeActionKinds": ["quickfix", "quickfix.suppress.aidd", "source.fixAll.aidd"],
            "resolveProvider": true,
        })
    );
    for feature in ["hover", "completion", "documentLink", "codeLens"] {
        assert_ne!(capabilities[format!("{feature}Provider")], Value::Null, "{feature}");
    }
}

#[tokio::test]
async fn a_finding_is_explained_and_fixed() {
    let folder = project();
    let uri = write(folder.path(), "Dockerfile", "");
    let mut client = Client::start(folder.path(), modern()).await;
    client.open(&uri, "dockerfile", "FROM debian:12\nENV 😀 b\n").await;
    let before = client.published(&uri, Some(1)).await;
    assert_eq!(before.len(), 1, "{before:?}");
    let hover = client.request("textDocument/hover", position_params(&uri, 1, 5)).await;
    let text = hover["contents"]["value"].as_str().expect("Markdown");
    assert!(text.contains("legacy-key-value"), "{text}");

    let action = action(&mut client, &uri, (1, 5), "Write").await;
    assert_eq!(action["edit"], Value::Null, "the edit is computed when the action is chosen");
    assert_eq!(action["diagnostics"][0]["code"], "dockerfile/legacy-key-value");
    let resolved = client.request("codeAction/resolve", action.clone()).await;
    let change = &resolved["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": uri, "version": 1 }));
    let edit = &change["edits"][0];
    assert_eq!((&edit["range"]["start"]["character"], &edit["newText"]), (&json!(6), &json!("=")));
    client.change(&uri, 2, json!([{ "range": edit["range"], "text": edit["newText"] }])).await;
    assert_eq!(client.published(&uri, Some(2)).await, Vec::<Value>::new());

    let id = client.send_request("codeAction/resolve", action).await;
    assert_eq!(client.response(id).await["error"]["code"], -32801, "the finding is gone");
    let id = client.send_request("codeAction/resolve", json!({ "title": "x" })).await;
    assert_eq!(client.response(id).await["error"]["code"], -32602);
}

#[tokio::test]
async fn an_open_configuration_is_edited_at_its_version() {
    let folder = project();
    let uri = write(folder.path(), "a.js", "debugger\n");
    let config = write(folder.path(), ".aidd/config.json", "{}\n");
    let mut client = Client::start(folder.path(), modern()).await;
    client.open(&uri, "javascript", "debugger\n").await;
    client.open(&config, "json", "{\n  // Unsaved.\n}\n").await;
    let action = action(&mut client, &uri, (0, 0), "Disable").await;
    let resolved = client.request("codeAction/resolve", action).await;
    let change = &resolved["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": config, "version": 1 }));
    assert!(change["edits"][0]["newText"].as_str().is_some_and(|it| it.contains("team/no-stop")));
}

#[tokio::test]
async fn the_definition_of_a_rule_of_the_project_is_its_page() {
    let folder = project();
    let source = write(folder.path(), "a.js", "");
    let config = write(folder.path(), ".aidd/config.json", "");
    let mut client = Client::start(folder.path(), modern()).await;
    let text = "// aidd:allow team/no-stop a test\ndebugger\n";
    client.open(&source, "javascript", text).await;
    let text = "{ \"rules\": { \"team/no-stop\": \"off\", \"dockerfile/sudo\": \"off\" } }\n";
    client.open(&config, "json", text).await;
    for (uri, column) in [(&source, 16), (&config, 18)] {
        let params = position_params(uri, 0, column);
        let found = client.request("textDocument/definition", params).await;
        let page = found[0]["uri"].as_str();
        assert!(page.is_some_and(|it| it.ends_with("/rules/no-debugger.md")), "{uri} {found}");
    }
    // A shipped rule has no page in the project, and code has no definition without the index.
    for (uri, line, column) in [(&config, 0, 40), (&source, 1, 2)] {
        let params = position_params(uri, line, column);
        assert_eq!(client.request("textDocument/definition", params).await, Value::Null);
    }
}

#[tokio::test]
async fn allowed_findings_are_linked_counted_and_shown() {
    let folder = project();
    let uri = write(folder.path(), "a.js", "");
    let mut client = Client::start(folder.path(), modern()).await;
    client.open(&uri, "javascript", "// aidd:allow team/no-stop a test\ndebugger\n").await;
    let links = client
        .request("textDocument/documentLink", json!({ "textDocument": { "uri": uri } }))
        .await;
    assert!(links[0]["target"].as_str().is_some_and(|it| it.ends_with("/rules/no-debugger.md")));
    let lenses =
        client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } })).await;
    let command = &lenses[0]["command"];
    assert_eq!(command["title"], "1 finding allowed in this file");
    let name = command["command"].as_str().expect("a name").to_owned();
    let shown = client.command(&name, command["arguments"].clone()).await;
    assert_eq!(shown[0]["reason"], "a test");
    let message = client.wait_for("window/showMessage", |_| true).await;
    assert_eq!(message["message"], "2: team/no-stop: `debugger` stops (a test)");
}

#[tokio::test]
async fn a_rule_name_is_completed_in_the_latest_text() {
    let folder = project();
    let uri = write(folder.path(), "a.js", "");
    let mut client = Client::start(folder.path(), modern()).await;
    client.open(&uri, "javascript", "").await;
    client.replace(&uri, 2, "// aidd:allow team/\n").await;
    let list = client.request("textDocument/completion", position_params(&uri, 0, 19)).await;
    let item = list["items"][0].clone();
    assert_eq!(item["label"], "team/no-stop");
    assert_eq!(item["documentation"], Value::Null);
    let item = client.request("completionItem/resolve", item).await;
    assert!(item["documentation"]["value"].as_str().is_some_and(|it| it.contains("Leave none.")));
    let nothing = client.request("textDocument/completion", position_params(&uri, 1, 0)).await;
    assert_eq!(nothing, Value::Null);
    let closed =
        client.request("textDocument/hover", position_params(&format!("{uri}x"), 0, 0)).await;
    assert_eq!(closed, Value::Null);
}
