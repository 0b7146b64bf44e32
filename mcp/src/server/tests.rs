//! Tests of the server through a client, with and without the `initialize` handshake.

use crate::THREADS;
use crate::profile::Profile;
use crate::testing::{Client, Era, server, wait_for_file};
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
                assert!(client.hello["instructions"].is_string(), "{}", client.hello);
                assert_eq!(client.hello["protocolVersion"], version);
                (client.hello["serverInfo"].clone(), json!(version))
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
fn a_tool_answers_with_data_and_text() {
    with_each_handshake(|client, _| {
        let answer = client.call("aidd_echo", json!({"text": "é"}));
        assert_eq!(answer["structuredContent"], json!({"text": "é"}));
        assert_eq!(answer["content"], json!([{"type": "text", "text": "é"}]));
        assert_eq!(answer["isError"], false);
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
            "error: unknown argument `txet`; did you mean `text`?\n`text` is missing: Text to repeat"
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
        let answer = client.request("tools/call", json!({"name": "aidd_ecco", "arguments": {}}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().expect("text");
        assert_eq!(message, "unknown tool `aidd_ecco`; did you mean `aidd_echo`?");
    });
}

#[test]
fn cancelled_calls_stop_without_a_response() {
    with_each_handshake(|client, _| {
        let id = client.ask("tools/call", json!({"name": "aidd_wait", "arguments": {}}));
        let mut gone = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
        gone["params"] = json!({"requestId": id, "reason": "changed my mind"});
        client.send(&gone);
        // The other call is answered first.
        let next =
            client.ask("tools/call", json!({"name": "aidd_echo", "arguments": {"text": "a"}}));
        assert_eq!(client.receive().expect("an answer")["id"], next);
        let answer = client.ask("tools/list", json!({}));
        assert_eq!(client.receive().expect("an answer")["id"], answer);
    });
}

#[test]
fn a_running_call_stops_when_cancelled() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    let id = client.ask("tools/call", json!({"name": "aidd_wait", "arguments": {}}));
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
    let ids: Vec<i64> = (0..THREADS + 1).map(|_| client.ask("tools/call", wait.clone())).collect();
    client.run_until(&|| count() == THREADS, "all slots taken");
    assert!(client.has_free_transport_thread());
    let cancel = |client: &mut Client, id: i64| {
        let params = json!({"requestId": id});
        let method = "notifications/cancelled";
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    };
    // The last call is still waiting for a slot and never gets one.
    cancel(&mut client, ids[THREADS]);
    client.request("tools/list", json!({}));
    for id in &ids[..THREADS] {
        cancel(&mut client, *id);
    }
    assert_eq!(client.text("aidd_echo", json!({"text": "room again"})), "room again");
    assert_eq!(count(), THREADS);
}

/// The real tools, and files that take several seconds to check.
#[test]
fn a_check_of_many_files_stops_when_it_is_cancelled() {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(folder.path().join(".aidd")).expect("made");
    let text = "const value = compute(input, options) + \"some words\";\n".repeat(400);
    for name in 0..600 {
        std::fs::write(folder.path().join(format!("{name}.ts")), &text).expect("written");
    }
    let all = json!({"filePath": "."});
    let timed = |is_cancelled: bool| {
        let mut client = Client::at(folder.path());
        let begun = Instant::now();
        if is_cancelled {
            let call = json!({"name": "aidd_check_compliance", "arguments": all});
            let id = client.ask("tools/call", call);
            client.request("tools/list", json!({}));
            let params = json!({"requestId": id});
            let method = "notifications/cancelled";
            client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        } else {
            let text = client.text("aidd_check_compliance", all.clone());
            assert!(text.contains("files checked 600"), "{text}");
        }
        // The runtime waits for running tools.
        let last = client.disconnect();
        assert!(last.iter().all(|message| message.get("result").is_none()), "{last:?}");
        begun.elapsed()
    };
    // Other processes can be running: use the fastest of three calls.
    let times: Vec<_> = (0..3).map(|_| (timed(false), timed(true))).collect();
    assert!(times.iter().any(|(whole, cancelled)| *cancelled < *whole / 2), "{times:?}");
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
    client.ask("tools/call", json!({"name": "aidd_echo", "arguments": {"text": "last"}}));
    let last = client.disconnect();
    assert_eq!(last[0]["result"]["structuredContent"]["text"], "last", "{last:?}");
}

#[test]
fn the_lean_profile_names_its_unlisted_tools() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Lean), OLD_REVISION);
    let list = client.request("tools/list", json!({}));
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(1));
    let reported = client.hello["instructions"].as_str().expect("text").to_owned();
    assert!(reported.ends_with("returns the known ones): aidd_wait, save_decision."), "{reported}");
    let mut other = Client::new(server(folder.path(), Profile::Memory), OLD_REVISION);
    let answer = other.request("tools/call", json!({"name": "aidd_wait"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn invalid_messages_do_not_stop_the_server() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    client.send(&json!("no message"));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/unheard_of"}));
    let answer = client.request("unheard/of", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    assert_eq!(client.text("aidd_echo", json!({"text": "still here"})), "still here");
}

/// The names in the tool list.
fn names(client: &mut Client) -> Vec<String> {
    let answer = client.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().expect("a list").clone();
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_dynamic_list_reorders_tools_and_hides_none() {
    let folder = tempfile::tempdir().expect("a directory");
    let server = server(folder.path(), Profile::Engine).dynamic();
    let mut client = Client::new(server, OLD_REVISION);
    assert_eq!(client.hello["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(names(&mut client), ["aidd_echo", "aidd_wait", "save_decision"]);
    let id = client.ask("tools/call", json!({"name": "say", "arguments": {"text": "결정하자"}}));
    let reported = client.receive().expect("a notification");
    assert_eq!(reported["method"], "notifications/tools/list_changed", "{reported}");
    assert_eq!(client.receive().expect("an answer")["id"], id);
    assert_eq!(names(&mut client), ["save_decision", "aidd_echo", "aidd_wait"]);
    // A second call with the same task causes no notification.
    let id = client.ask("tools/call", json!({"name": "say", "arguments": {"text": "decided"}}));
    assert_eq!(client.receive().expect("an answer")["id"], id);
}

#[test]
fn clients_of_the_newest_revision_get_a_stable_list() {
    let folder = tempfile::tempdir().expect("a directory");
    let server = server(folder.path(), Profile::Engine).dynamic();
    let mut client = Client::new(server, Era::Modern);
    let found = client.request("server/discover", json!({}));
    assert_eq!(found["result"]["capabilities"]["tools"], json!({}));
    let before = names(&mut client);
    let id = client.ask("tools/call", json!({"name": "say", "arguments": {"text": "decided"}}));
    assert_eq!(client.receive().expect("an answer")["id"], id);
    assert_eq!(names(&mut client), before);
}

#[test]
fn a_static_list_keeps_its_order() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(server(folder.path(), Profile::Engine), OLD_REVISION);
    assert_eq!(client.hello["capabilities"]["tools"], json!({}));
    let before = names(&mut client);
    client.text("say", json!({"text": "decided"}));
    assert_eq!(names(&mut client), before);
}
