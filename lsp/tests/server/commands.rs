use crate::server::support::{Client, project, push_capabilities, uri, write};
use serde_json::json;

#[tokio::test]
async fn a_rule_is_explained_by_its_id_or_alias() {
    let folder = project();
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    let page = client.command("aidd.explain", json!(["DL3007"])).await;
    assert!(page.as_str().is_some_and(|page| page.contains("# dockerfile/latest-tag")));
    let project_page =
        client.command("aidd.explain", json!(["team/no-stop", uri(folder.path())])).await;
    assert!(project_page.as_str().is_some_and(|page| page.contains("Leave none.")));
    let params = json!({ "command": "aidd.explain", "arguments": ["team/no-stp"] });
    let id = client.send_request("workspace/executeCommand", params).await;
    let error = &client.response(id).await["error"];
    assert_eq!(error["message"], "unknown rule `team/no-stp`; did you mean `team/no-stop`?");
    let params = json!({ "command": "aidd.unknown", "arguments": [] });
    let id = client.send_request("workspace/executeCommand", params).await;
    assert_eq!(client.response(id).await["error"]["code"], -32602);
}

#[tokio::test]
async fn the_configuration_is_shown() {
    let folder = project();
    write(folder.path(), ".aidd/config.json", "{\"failOn\": \"warning\"}");
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    let shown = client.command("aidd.showConfig", json!([])).await;
    assert_eq!(shown["root"], json!(folder.path()));
    assert_eq!(shown["configPath"], ".aidd/config.json");
    assert_eq!(shown["config"], json!({ "failOn": "warning" }));
    assert_eq!(shown["rules"]["project"], 1);
}

#[tokio::test]
async fn new_findings_are_baselined_only_on_request() {
    let folder = project();
    let file = write(folder.path(), "a.js", "debugger\n");
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    let recorded = client.command("aidd.writeBaseline", json!([{ "uri": file }])).await;
    assert_eq!(recorded, json!({ "recorded": 1 }));
    write(folder.path(), "b.js", "debugger\n");
    let params = json!({ "command": "aidd.writeBaseline", "arguments": [] });
    let id = client.send_request("workspace/executeCommand", params).await;
    assert_eq!(client.response(id).await["error"]["code"], -32803);
    let recorded = client.command("aidd.writeBaseline", json!([{ "acceptNew": true }])).await;
    assert_eq!(recorded, json!({ "recorded": 2 }));
}
