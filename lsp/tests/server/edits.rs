use crate::server::support::{
    Client, frame, locations, project, pull_capabilities, push_capabilities, uri,
};
use serde_json::json;

/// The messages of a client in which the user types `text`: each edit appends one character.
fn burst(uri: &str, text: &str) -> String {
    let change = |(index, c): (usize, char)| {
        let position = json!({ "line": 0, "character": index });
        frame(&json!({
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {
                "textDocument": { "uri": uri, "version": index + 2 },
                "contentChanges": [{ "range": { "start": position, "end": position }, "text": c.to_string() }],
            },
        }))
    };
    text.chars().enumerate().map(change).collect()
}

#[tokio::test]
async fn five_hundred_edits_in_one_write_are_applied_in_order() {
    let folder = project();
    let file = uri(&folder.path().join("a.js"));
    let typed: String =
        (0..50).map(|count| if count % 7 == 3 { "debugger; " } else { "abcdefgh; " }).collect();
    let mut client = Client::start(folder.path(), pull_capabilities()).await;
    client.open(&file, "javascript", "").await;
    client.write(burst(&file, &typed).as_bytes()).await;
    let found = client.pull(&file).await;
    let mut expected: Vec<String> = typed
        .match_indices("debugger")
        .map(|(at, _)| format!("team/no-stop 0:{at}-{}", at + 8))
        .collect();
    expected.sort();
    assert_eq!(expected.len(), 7);
    assert_eq!(locations(&found), expected);
}

#[tokio::test]
async fn diagnostics_are_published_a_few_times_during_a_burst_of_edits_and_for_the_last_version() {
    let folder = project();
    let file = uri(&folder.path().join("a.js"));
    let mut client = Client::start(folder.path(), push_capabilities()).await;
    client.open(&file, "javascript", "").await;
    let text = "x debugger; debugger and much more to say of it in words";
    client.write(burst(&file, text).as_bytes()).await;
    let last = i64::try_from(text.len()).expect("a small length") + 1;
    let found = client.published(&file, Some(last)).await;
    assert_eq!(locations(&found), ["team/no-stop 0:12-20", "team/no-stop 0:2-10"]);
    let count = client
        .received
        .iter()
        .filter(|message| message["params"]["version"].as_i64() > Some(1))
        .count();
    assert!(count <= 8, "{count} times for {last} versions");
}

#[tokio::test]
async fn columns_use_the_negotiated_position_encoding() {
    for (offered, column, length) in [("utf-8", 13, 8), ("utf-16", 10, 8), ("utf-32", 9, 8)] {
        let folder = project();
        let file = uri(&folder.path().join("a.js"));
        let mut capabilities = pull_capabilities();
        capabilities["general"] = json!({ "positionEncodings": [offered] });
        let mut client = Client::connect();
        let response = client.initialize(&[folder.path()], capabilities).await;
        assert_eq!(response["capabilities"]["positionEncoding"], offered);
        client.open(&file, "javascript", "a\r\nx = '😀é';;\rb").await;
        // Replaces the first of the two semicolons.
        let at = |character: u32| json!({ "line": 1, "character": character });
        let range = json!({ "start": at(column - 1), "end": at(column) });
        client.change(&file, 7, json!([{ "range": range, "text": " debugger" }])).await;
        let expected = format!("team/no-stop 1:{column}-{}", column + length);
        assert_eq!(locations(&client.pull(&file).await), [expected], "{offered}");
        let far = json!({ "start": { "line": 99, "character": 0 }, "end": { "line": 99, "character": 9 } });
        client.change(&file, 3, json!([{ "range": far, "text": "\ndebugger" }])).await;
        assert_eq!(client.pull(&file).await.len(), 2, "a version can decrease");
    }
}
