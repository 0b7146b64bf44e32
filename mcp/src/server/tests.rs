//! Tests of the server through a client, with and without the `initialize` handshake.

use super::Server;
use crate::TOOL_THREADS;
use crate::catalog::Catalog;
use crate::context::{Context, Setup};
use crate::profile::Profile;
use crate::testing::{Client, Era, server, tools, wait_for_file};
use serde_json::{Value, json};
use std::time::Instant;

const OLD_REVISION: Era = Era::Handshake("2025-11-25");

/// Runs `test` with a client of each protocol era.
fn with_each_handshake(test: impl Fn(&mut Client, Era)) {
    for era in [Era::Modern, OLD_REVISION, Era::Handshake("2024-11-05")] {
        let folder = tempfile::tempdir().expect("a directory");
        let mut client = Client::new(server(folder.path(), Profile::Engine), era);
        test(&mut client, era);
        client.disconnect();
    }
}

#[test]
fn the_server_identifies_itself() {
    with_each_handshake(|client, era| {
        let (info, version) = match era {
            Era::Modern => {
                let found = client.request("server/discover", json!({}))["result"].clone();
                let newest = found["supportedVersions"].as_array().expect("versions").clone();
                assert!(newest.contains(&json!("2026-07-28")), "{found}");
                assert_eq!(
                    (&found["ttlMs"], &found["cacheScope"]),
                    (&json!(3_600_000), &json!("public"))
                );
                assert!(found["instructions"].as_str().expect("text").starts_with("aidd stores"));
                (found["_meta"]["io.modelcontextprotocol/serverInfo"].clone(), json!("2026-07-28"))
            }
            Era::Handshake(version) => {
                assert!(
                    client.initialize_result["instructions"].is_string(),
                    "{}",
                    client.initialize_result
                );
                assert_eq!(client.initialize_result["protocolVersion"], version);
                (client.initialize_result["serverInfo"].clone(), json!(version))
            }
        };
        assert_eq!(info["name"], "aidd", "{version}");
        assert_eq!(info["version"], env!("CARGO_PKG_VERSION"), "{version}");
    });
}

#[test]
fn the_tool_list_is_the_same_each_time() {
    with_each_handshake(|client, era| {
        let first = client.request("tools/list", json!({}));
        let second = client.request("tools/list", json!({}));
        assert_eq!(first["result"], second["result"]);
        let names: Vec<&Value> = first["result"]["tools"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|tool| &tool["name"])
            .collect();
        assert_eq!(names, ["aidd_echo", "aidd_wait", "save_decision"]);
        if era == Era::Modern {
            assert_eq!(first["result"]["ttlMs"], 3_600_000);
            assert_eq!(first["result"]["cacheScope"], "public");
        }
    });
}

#[test]
fn a_tool_returns_data_and_text() {
    with_each_handshake(|client, _| {
        let response = client.call("aidd_echo", json!({"text": "é"}));
        assert_eq!(response["structuredContent"], json!({"text": "é"}));
        assert_eq!(response["content"], json!([{"type": "text", "text": "é"}]));
        assert_eq!(response["isError"], false);
        assert_eq!(client.text("aidd/echo", json!({"text": "a"})), "a");
        assert_eq!(client.text("aidd.echo", json!({"text": "a"})), "a");
        assert_eq!(client.text("say", json!({"text": "a"})), "a");
    });
}

#[test]
fn tool_errors_are_returned_as_results() {
    with_each_handshake(|client, _| {
        assert_eq!(
            client.text("aidd_echo", json!({"txet": "a"})),
            "error: unknown argument `txet`; did you mean `text`?\n`text` is missing (Text to repeat)"
        );
        assert_eq!(
            client.text("aidd_echo", json!({"text": "fail"})),
            "error: it failed\nhint: say something else"
        );
        assert!(
            client
                .text("aidd_echo", json!({"text": "panic"}))
                .starts_with("error: the tool panicked")
        );
        assert_eq!(client.text("aidd_echo", json!({"text": "still here"})), "still here");
    });
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    with_each_handshake(|client, _| {
        let response = client.request("tools/call", json!({"name": "aidd_ecco", "arguments": {}}));
        assert_eq!(response["error"]["code"], -32602, "{response}");
        let message = response["error"]["message"].as_str().expect("text");
        assert_eq!(message, "unknown tool `aidd_ecco`; did you mean `aidd_echo`?");
    });
}

#[test]
fn cancelled_calls_stop_without_a_response() {
    with_each_handshake(|client, _| {
        let id = client.send_request("tools/call", json!({"name": "aidd_wait", "arguments": {}}));
        let mut cancellation = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
        cancellation["params"] = json!({"requestId": id, "reason": "changed my mind"});
        client.send(&cancellation);
        // The other call is answered first.
        let next = client
            .send_request("tools/call", json!({"name": "aidd_echo", "arguments": {"text": "a"}}));
        assert_eq!(client.receive().expect("a response")["id"], next);
        let response = client.send_request("tools/list", json!({}));
        assert_eq!(client.receive().expect("a response")["id"], response);
    });
}

#[test]
fn a_running_call_stops_when_cancelled() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    let id = client.send_request("tools/call", json!({"name": "aidd_wait", "arguments": {}}));
    client.text("aidd_echo", json!({"text": "a"}));
    wait_for_file(&folder.path().join("begun"));
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
    }));
    client.text("aidd_echo", json!({"text": "a"}));
    wait_for_file(&folder.path().join("stopped"));
}

#[test]
fn running_calls_leave_transport_threads_free_and_waiting_calls_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    let begun = folder.path().join("begun");
    let count = || std::fs::read(&begun).unwrap_or_default().len();
    let wait = json!({"name": "aidd_wait", "arguments": {}});
    let ids: Vec<i64> =
        (0..TOOL_THREADS + 1).map(|_| client.send_request("tools/call", wait.clone())).collect();
    client.run_until(&|| count() == TOOL_THREADS, "all slots taken");
    assert!(client.has_free_transport_thread());
    let cancel = |client: &mut Client, id: i64| {
        let params = json!({"requestId": id});
        let method = "notifications/cancelled";
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    };
    // The last call is still waiting for a slot and never gets one.
    cancel(&mut client, ids[TOOL_THREADS]);
    client.request("tools/list", json!({}));
    for id in &ids[..TOOL_THREADS] {
        cancel(&mut client, *id);
    }
    assert_eq!(client.text("aidd_echo", json!({"text": "room again"})), "room again");
    assert_eq!(count(), TOOL_THREADS);
}

/// The real tools, and files that take several seconds to check.
#[test]
fn a_check_of_many_files_stops_when_it_is_cancelled() {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(folder.path().join(".aidd")).expect("created");
    let text = "const value = compute(input, options) + \"some words\";\n".repeat(400);
    for name in 0..600 {
        std::fs::write(folder.path().join(format!("{name}.ts")), &text).expect("written");
    }
    let arguments = json!({"filePath": "."});
    let duration_of_call = |is_cancelled: bool| {
        let mut client = Client::at(folder.path());
        let start = Instant::now();
        if is_cancelled {
            let call = json!({"name": "aidd_check_compliance", "arguments": arguments});
            let id = client.send_request("tools/call", call);
            client.request("tools/list", json!({}));
            let params = json!({"requestId": id});
            let method = "notifications/cancelled";
            client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        } else {
            let text = client.text("aidd_check_compliance", arguments.clone());
            assert!(text.contains(" in 600 files;"), "{text}");
        }
        // The runtime waits for running tools.
        let last = client.disconnect();
        assert!(last.iter().all(|message| message.get("result").is_none()), "{last:?}");
        start.elapsed()
    };
    // Other processes can be running: use the fastest of three calls.
    let times: Vec<_> = (0..3).map(|_| (duration_of_call(false), duration_of_call(true))).collect();
    assert!(times.iter().any(|(completed, cancelled)| *cancelled < *completed / 2), "{times:?}");
}

#[test]
fn an_immediate_disconnect_is_not_an_error() {
    let folder = tempfile::tempdir().expect("a directory");
    let client = Client::new(server(folder.path(), Profile::Engine), Era::Modern);
    client.disconnect();
}

#[test]
fn pending_calls_are_answered_after_the_client_closes_its_input() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    client.send_request("tools/call", json!({"name": "aidd_echo", "arguments": {"text": "last"}}));
    let last = client.disconnect();
    assert_eq!(last[0]["result"]["structuredContent"]["text"], "last", "{last:?}");
}

#[test]
fn the_instructions_of_the_lean_profile_name_unlisted_tools() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Lean), OLD_REVISION);
    let list = client.request("tools/list", json!({}));
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(1));
    let instructions = client.initialize_result["instructions"].as_str().expect("text").to_owned();
    assert!(
        instructions.ends_with("--profile plan` lists all): aidd_wait, save_decision."),
        "{instructions}"
    );
    let mut memory_client = Client::new(server(folder.path(), Profile::Memory), OLD_REVISION);
    let response = memory_client.request("tools/call", json!({"name": "aidd_wait"}));
    assert_eq!(response["error"]["code"], -32602, "{response}");
}

#[test]
fn invalid_messages_do_not_stop_the_server() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    client.send(&json!("no message"));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/unheard_of"}));
    let response = client.request("unheard/of", json!({}));
    assert_eq!(response["error"]["code"], -32601, "{response}");
    assert_eq!(client.text("aidd_echo", json!({"text": "still here"})), "still here");
}

#[test]
fn a_line_that_is_not_json_is_answered_with_an_error() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    for line in
        [&br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"#[..], b"\xFF\xFE"]
    {
        client.send_line(line);
        let response = client.receive().expect("an answer");
        assert_eq!(response["error"]["code"], -32700, "{response}");
        assert_eq!(response["id"], Value::Null, "{response}");
    }
    assert_eq!(client.text("aidd_echo", json!({"text": "still here"})), "still here");
}

#[test]
fn parameters_of_the_wrong_type_are_reported() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    for (method, params, message) in [
        (
            "tools/call",
            json!({"name": "aidd_echo", "arguments": "x"}),
            "`arguments`: expected an object, found a string",
        ),
        ("resources/read", json!({}), "`uri` is missing in `params`"),
    ] {
        let error = &client.request(method, params)["error"];
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(message)));
    }
}

/// The names in the tool list.
fn names(client: &mut Client) -> Vec<String> {
    let response = client.request("tools/list", json!({}));
    let tools = response["result"]["tools"].as_array().expect("a list").clone();
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_dynamic_list_reorders_tools_and_hides_no_tool() {
    let folder = tempfile::tempdir().expect("a directory");
    let server = server(folder.path(), Profile::Engine).with_dynamic_order();
    let mut client = Client::new(server, OLD_REVISION);
    assert_eq!(client.initialize_result["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(names(&mut client), ["aidd_echo", "aidd_wait", "save_decision"]);
    let id = client
        .send_request("tools/call", json!({"name": "say", "arguments": {"text": "결정하자"}}));
    let notification = client.receive().expect("a notification");
    assert_eq!(notification["method"], "notifications/tools/list_changed", "{notification}");
    assert_eq!(client.receive().expect("a response")["id"], id);
    assert_eq!(names(&mut client), ["save_decision", "aidd_echo", "aidd_wait"]);
    // A second call with the same task causes no notification.
    let id =
        client.send_request("tools/call", json!({"name": "say", "arguments": {"text": "decided"}}));
    assert_eq!(client.receive().expect("a response")["id"], id);
}

#[test]
fn a_forced_situation_replaces_the_detection() {
    let folder = tempfile::tempdir().expect("a directory");
    let setup = Setup {
        environment: |name| (name == "AIDD_SITUATION").then(|| "deciding".to_owned()),
        ..Setup::at(&crate::DISTRIBUTION, folder.path())
    };
    let server = Server::new(Catalog::new(tools(), Profile::Engine), Context::new(setup))
        .with_dynamic_order();
    let mut client = Client::new(server, OLD_REVISION);
    let forced = ["save_decision", "aidd_echo", "aidd_wait"];
    assert_eq!(names(&mut client), forced);
    let id = client
        .send_request("tools/call", json!({"name": "say", "arguments": {"text": "yesterday"}}));
    assert_eq!(client.receive().expect("a response")["id"], id);
    assert_eq!(names(&mut client), forced);
}

#[test]
fn clients_of_the_newest_revision_get_a_stable_list() {
    let folder = tempfile::tempdir().expect("a directory");
    let server = server(folder.path(), Profile::Engine).with_dynamic_order();
    let mut client = Client::new(server, Era::Modern);
    let found = client.request("server/discover", json!({}));
    assert_eq!(found["result"]["capabilities"]["tools"], json!({}));
    let before = names(&mut client);
    let id =
        client.send_request("tools/call", json!({"name": "say", "arguments": {"text": "decided"}}));
    assert_eq!(client.receive().expect("a response")["id"], id);
    assert_eq!(names(&mut client), before);
}

#[test]
fn a_static_list_keeps_its_order() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    assert_eq!(client.initialize_result["capabilities"]["tools"], json!({}));
    let before = names(&mut client);
    client.text("say", json!({"text": "decided"}));
    assert_eq!(names(&mut client), before);
}
