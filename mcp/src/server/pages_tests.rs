//! Tests the resources and prompts through a client.

use crate::resources::ROWS;
use crate::testing::Client;
use serde_json::{Value, json};
use std::fs;

fn read(client: &mut Client, uri: &str) -> Result<String, Value> {
    let response = client.request("resources/read", json!({"uri": uri}));
    let text = response["result"]["contents"][0]["text"].as_str().map(str::to_owned);
    text.ok_or_else(|| response["error"].clone())
}

fn complete_argument(client: &mut Client, reference: &Value, name: &str, value: &str) -> Value {
    let argument = json!({"name": name, "value": value});
    let params = json!({"ref": reference, "argument": argument});
    let response = client.request("completion/complete", params);
    let values = response["result"]["completion"]["values"].clone();
    if values.is_null() { response["error"].clone() } else { values }
}

#[test]
fn all_fourteen_resources_are_listed_and_can_be_read() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::at(folder.path());
    assert_eq!(ROWS.len(), 14);
    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    let templates =
        client.request("resources/templates/list", json!({}))["result"]["resourceTemplates"]
            .clone();
    assert_eq!(
        (listed.as_array().map(Vec::len), templates.as_array().map(Vec::len)),
        (Some(7), Some(7))
    );
    let names =
        [("{name}", ""), ("{agent}", "security-architect"), ("{category}/{entry}", "data/redis")];
    for row in ROWS {
        let name = match row.uri.split('/').nth(2) {
            Some("specs") => "lifecycle",
            Some("rules") => "security",
            Some("workflows") => "review",
            Some("templates") => "adr",
            _ => "",
        };
        let mut uri = row.uri.replace("{name}", name).replace("{ticket}/{pack}", "A-1/semantic");
        for (placeholder, name) in &names[1..] {
            uri = uri.replace(placeholder, name);
        }
        let text = read(&mut client, &uri).expect("a page");
        assert!(text.len() > 15 && !uri.contains('{'), "{uri}: {text}");
    }
    let evolution = read(&mut client, "aidd://evolution/status").expect("a page");
    assert!(evolution.contains("nothing is applied without asking"), "{evolution}");
    let models = read(&mut client, "aidd://models/analytics").expect("a page");
    assert!(models.contains("No session has ended yet."), "{models}");
    let guardrails = read(&mut client, "aidd://enforcement/guardrails").expect("a page");
    assert!(
        guardrails.contains(
            "- NEVER use `any`; use `unknown` and a check instead. [compliance/any-type]"
        )
    );
    client.disconnect();
}

#[test]
fn an_unknown_name_is_a_protocol_error() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::at(folder.path());
    let error = read(&mut client, "aidd://rules/securty").expect_err("none");
    assert_eq!(error["code"], -32002);
    assert_eq!(error["message"], "`securty` not found in rules; did you mean security?");
    let error = read(&mut client, "aidd://memory/decision").expect_err("none");
    assert_eq!(
        error["message"],
        "no resource at aidd://memory/decision; did you mean aidd://memory/decisions?"
    );
    for uri in
        ["aidd://rules/", "file:///etc/passwd", "aidd://rules/..%2Fsecret", "aidd://rules/%ff", ""]
    {
        assert!(read(&mut client, uri).is_err(), "{uri}");
    }
    client.disconnect();
}

#[test]
fn resources_contain_project_pages_and_memories() {
    let folder = tempfile::tempdir().expect("a directory");
    fs::create_dir(folder.path().join("rules")).expect("created");
    fs::write(folder.path().join("rules/our money.md"), "# Money\n\n- MUST count in cents.\n")
        .expect("written");
    let mut client = Client::at(folder.path());
    let page = read(&mut client, "aidd://rules/our%20money").expect("a page");
    assert!(page.contains("count in cents"));
    assert!(
        read(&mut client, "aidd://enforcement/guardrails")
            .expect("a page")
            .contains("## our money (rules/our money.md)")
    );
    client.text("aidd_memory_add_decision", json!({"decision": "Use queues", "reasoning": "load"}));
    let decisions = read(&mut client, "aidd://memory/decisions").expect("a page");
    assert!(decisions.starts_with("# 1 active decision\n\n## Use queues\n"), "{decisions}");
    assert!(decisions.contains("- reasoning: load\n"), "{decisions}");
    client.disconnect();
}

#[test]
fn arguments_are_completed() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::at(folder.path());
    let resource = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let skills = complete_argument(&mut client, &resource("aidd://skills/{agent}"), "agent", "sec");
    assert_eq!(skills, json!(["security-architect"]));
    let entry = complete_argument(
        &mut client,
        &resource("aidd://knowledge/{category}/{entry}"),
        "entry",
        "redi",
    );
    assert_eq!(entry, json!(["redis"]));
    let category = complete_argument(
        &mut client,
        &resource("aidd://knowledge/{category}/{entry}"),
        "category",
        "",
    );
    assert_eq!(category.as_array().map(Vec::len), Some(9), "{category}");
    let stakes = complete_argument(&mut client, &prompt("aidd_plan_task"), "stakes", "c");
    assert_eq!(stakes, json!(["catastrophic"]));
    assert_eq!(complete_argument(&mut client, &prompt("none"), "x", "")["code"], -32602);
    assert_eq!(
        complete_argument(&mut client, &resource("aidd://specs/{name}"), "other", "")["code"],
        -32602
    );
    client.disconnect();
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut client = Client::at(folder.path());
    let listed = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    let names: Vec<&str> = listed
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|prompt| prompt["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "aidd_plan_task",
            "aidd_review_code",
            "aidd_security_audit",
            "aidd_select_technology",
            "aidd_start_feature"
        ]
    );
    assert_eq!(
        listed[0]["arguments"][0],
        json!({"name": "task", "description": "The task, in a sentence or more", "required": true})
    );
    let get = |client: &mut Client, name: &str, arguments: Value| {
        client.request("prompts/get", json!({"name": name, "arguments": arguments}))
    };
    let prompt_result =
        get(&mut client, "aidd_plan_task", json!({"task": "Add a login", "stakes": "high"}));
    let text = prompt_result["result"]["messages"][0]["content"]["text"].as_str().expect("text");
    assert!(text.contains("<task>Add a login</task>") && text.contains("Stakes: high."), "{text}");
    assert!(text.contains("# Rules (aidd://rules/NAME)"));
    let error = get(&mut client, "aidd_plan_task", json!({}))["error"].clone();
    assert_eq!(
        error,
        json!({"code": -32602, "message": "`task` is missing (The task, in a sentence or more)"})
    );
    let error = get(&mut client, "aidd_plan_tsk", json!({}))["error"].clone();
    assert_eq!(error["message"], "unknown prompt `aidd_plan_tsk`; did you mean aidd_plan_task?");
    client.disconnect();
}

#[test]
fn project_pages_contain_no_active_content() {
    let folder = tempfile::tempdir().expect("a directory");
    let evil = "<img src=https://evil.example/p> ![i](https://evil.example/p) [run](command:x) \u{202e}Vec<String>";
    for directory in ["ai/rules", "ai/skills/odd", "ai/knowledge/data"] {
        fs::create_dir_all(folder.path().join(directory)).expect("created");
    }
    let page = format!("---\nname: odd\ntags: [\"<b>\"]\n---\n# Odd\n\nNEVER do {evil}.\n");
    for path in ["ai/rules/odd.md", "ai/skills/odd/SKILL.md", "ai/knowledge/data/odd.md"] {
        fs::write(folder.path().join(path), &page).expect("written");
    }
    let mut client = Client::at(folder.path());
    client.text(
        "aidd_memory_add_decision",
        json!({"decision": evil, "topic": evil, "reasoning": evil}),
    );
    let mut seen = 0;
    for uri in [
        "aidd://rules/odd",
        "aidd://skills/odd",
        "aidd://knowledge/data/odd",
        "aidd://agents",
        "aidd://enforcement/guardrails",
        "aidd://memory/decisions",
    ] {
        let Ok(text) = read(&mut client, uri) else { continue };
        // The front matter is shown as code.
        let text = text.rsplit("```").next().unwrap_or_default();
        seen += usize::from(text.contains("evil.example") || text.contains("Vec\\<String>"));
        for part in ["[run](command:", "![", "\u{202e}"] {
            assert!(!text.contains(part), "{uri}: {part} in {text}");
        }
        // The surrounding shipped pages can mention tags.
        let is_mixed = matches!(uri, "aidd://agents" | "aidd://enforcement/guardrails");
        let mut tags = text.match_indices('<').map(|(index, _)| &text[index.saturating_sub(1)..]);
        assert!(is_mixed || tags.all(|tag| tag.starts_with('\\')), "{uri}: {text}");
    }
    assert!(seen >= 3, "{seen}");
    client.disconnect();
}
