//! Symbols, references and calls from the code index.

use crate::server::support::{Client, project, uri, write};
use serde_json::{Value, json};
use std::path::Path;

async fn start(root: &Path, index: bool) -> (Client, Value) {
    let mut client = Client::connect();
    let params = json!({
        "processId": std::process::id(),
        "workspaceFolders": [{ "uri": uri(root), "name": "x" }],
        "capabilities": {},
        "initializationOptions": { "index": index },
    });
    let response = client.request("initialize", params).await;
    client.notify("initialized", json!({})).await;
    (client, response["capabilities"].clone())
}

fn at(uri: &str, line: u32, character: u32) -> Value {
    let position = json!({ "line": line, "character": character });
    json!({ "textDocument": { "uri": uri }, "position": position })
}

/// The start of each range of a list, as `file:line:character`.
fn starts(locations: &Value) -> Vec<String> {
    let start = |location: &Value| {
        let file = location["uri"].as_str().unwrap_or_default().rsplit('/').next();
        let start = &location["range"]["start"];
        format!("{}:{}:{}", file.unwrap_or_default(), start["line"], start["character"])
    };
    locations.as_array().map(|all| all.iter().map(start).collect()).unwrap_or_default()
}

#[tokio::test]
async fn the_index_is_disabled_by_default() {
    let folder = project();
    let (_, capabilities) = start(folder.path(), false).await;
    assert_eq!(capabilities["callHierarchyProvider"], Value::Null);
    assert_eq!(capabilities["workspaceSymbolProvider"], Value::Null);
}

#[tokio::test]
async fn symbols_references_and_calls_are_answered() {
    let folder = project();
    let store = write(folder.path(), "store.ts", "export function save() {}\n");
    let text = "import { save } from './store';\nexport function post() {\n  /* é𝔸 */ save();\n}\n";
    let api = write(folder.path(), "api.ts", text);
    let (mut client, capabilities) = start(folder.path(), true).await;
    assert_eq!(capabilities["callHierarchyProvider"], json!(true));
    let found = client.request("workspace/symbol", json!({ "query": "sav" })).await;
    assert_eq!(found[0]["name"], "save");
    let definition = client.request("textDocument/definition", at(&api, 2, 13)).await;
    assert_eq!(starts(&json!([definition])), ["store.ts:0:16"]);
    let mut params = at(&store, 0, 18);
    params["context"] = json!({ "includeDeclaration": true });
    let references = client.request("textDocument/references", params.clone()).await;
    assert_eq!(starts(&references), ["store.ts:0:16", "api.ts:2:12"]);

    let items = client.request("textDocument/prepareCallHierarchy", at(&store, 0, 18)).await;
    let params_of = |item: &Value| json!({ "item": item });
    let incoming = client.request("callHierarchy/incomingCalls", params_of(&items[0])).await;
    assert_eq!(incoming[0]["from"]["name"], "post");
    assert_eq!(incoming[0]["fromRanges"][0]["start"], json!({ "line": 2, "character": 12 }));
    let outgoing =
        client.request("callHierarchy/outgoingCalls", params_of(&incoming[0]["from"])).await;
    assert_eq!(outgoing[0]["to"]["name"], "save");

    // Unsaved lines move the results; the changed line has none.
    client.open(&api, "typescript", text).await;
    client.replace(&api, 2, &format!("// a\n// b\n{text}")).await;
    let references = client.request("textDocument/references", params).await;
    assert_eq!(starts(&references), ["store.ts:0:16", "api.ts:4:12"]);
    let definition = client.request("textDocument/definition", at(&api, 0, 3)).await;
    assert_eq!(definition, Value::Null);
    let document = json!({ "textDocument": { "uri": api } });
    let symbols = client.request("textDocument/documentSymbol", document).await;
    assert_eq!(symbols[0]["name"], "post");
    assert_eq!(symbols[0]["range"]["start"]["line"], 3);
    assert_eq!(client.shut_down().await, 0);
}
