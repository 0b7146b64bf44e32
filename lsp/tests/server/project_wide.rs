use crate::server::support::{
    Client, locations, project, pull_capabilities, push_capabilities, uri, write,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

const TESTED: &str = "---\nseverity: warning\nmessage: \"`<name>` has no test\"\ncheck:\n  exclude: ['*.test.js']\n  tree: { each: 'src/*.js', exists: ['<dir>/<stem>.test.js'] }\n---\n# team/tested\n\nTest it.\n";

#[tokio::test]
async fn creating_or_deleting_a_file_changes_the_findings_in_another_file() {
    let folder = project();
    let root = folder.path();
    write(root, "rules/tested.md", TESTED);
    let file = write(root, "src/a.js", "debugger\n");
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", "debugger\n").await;
    let found = client.published(&file, Some(1)).await;
    assert_eq!(locations(&found), ["team/no-stop 0:0-8", "team/tested 0:0-0"]);
    let test = write(root, "src/a.test.js", "1\n");
    client.report_change(&test, 1).await;
    assert_eq!(locations(&client.published(&file, Some(1)).await), ["team/no-stop 0:0-8"]);
    fs::remove_file(root.join("src/a.test.js")).expect("removed");
    client.report_change(&test, 3).await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 2);
}

#[tokio::test]
async fn a_missing_file_is_reported_for_the_workspace() {
    let folder = project();
    let root = folder.path();
    write(
        root,
        "rules/readme.md",
        "---\nseverity: error\ncheck:\n  tree: { exists: README.md }\n---\n# team/readme\n\nSay it.\n",
    );
    let mut client = Client::start(root, pull_capabilities()).await;
    let params = json!({ "previousResultIds": [] });
    let report = client.request("workspace/diagnostic", params.clone()).await;
    let items = report["items"].as_array().expect("a list");
    let readme = uri(&root.join("README.md"));
    let missing = items.iter().find(|item| item["uri"] == readme.as_str()).expect("the file");
    assert_eq!(missing["items"][0]["code"], "team/readme");
    let previous =
        json!({ "previousResultIds": [{ "uri": readme, "value": missing["resultId"] }] });
    write(root, "README.md", "# it\n");
    client.report_change(&readme, 1).await;
    // The server requests a refresh once the project has been checked.
    for _ in 0..100 {
        let report = client.request("workspace/diagnostic", previous.clone()).await;
        let items = report["items"].as_array().expect("a list");
        if items.iter().any(|item| item["uri"] == readme.as_str() && item["items"] == json!([])) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the finding remains");
}

#[tokio::test]
async fn a_changed_memory_changes_the_enforced_rules() {
    const FILE: &str = "ai/memory/conventions.jsonl";
    let folder = project();
    let root = folder.path();
    let file = write(root, "src/a.js", "moment()\n");
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", "moment()\n").await;
    assert_eq!(locations(&client.published(&file, Some(1)).await), [""; 0]);
    let line = r#"{"at":1,"content":"No moment","id":"convention_1_a","metadata":{"check":{"rule":"no-moment","text":{"regex":"moment"}}},"type":"convention"}"#;
    let memory = write(root, FILE, &format!("{line}\n"));
    client.report_change(&memory, 1).await;
    let found = client.published(&file, Some(1)).await;
    assert_eq!(locations(&found), ["convention/no-moment 0:0-6"]);
    let later = r#"{"at":2,"content":"Moment is fine","id":"convention_2_b","links":[{"relation":"supersedes","to":"convention_1_a"}],"type":"convention"}"#;
    write(root, FILE, &format!("{line}\n{later}\n"));
    client.report_change(&memory, 2).await;
    assert_eq!(locations(&client.published(&file, Some(1)).await), [""; 0]);
}

const NO_CYCLE: &str = "---\nseverity: warning\nmessage: a circle\ncheck:\n  layers: { acyclic: 'src/**' }\n---\n# team/circle\n\nNone.\n";

/// The locations of all findings that a server reports for a project, by file.
async fn findings_by_file(client: &mut Client) -> BTreeMap<String, Vec<String>> {
    let report = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).await;
    let items = report["items"].as_array().expect("a list").iter();
    let found = items.filter_map(|item| {
        let found = locations(item["items"].as_array()?);
        (!found.is_empty()).then(|| (item["uri"].as_str().unwrap_or_default().to_owned(), found))
    });
    found.collect()
}

#[tokio::test]
async fn after_a_checkout_the_results_equal_those_of_a_new_server() {
    let folder = project();
    let root = folder.path();
    write(root, "rules/tested.md", TESTED);
    write(root, "rules/circle.md", NO_CYCLE);
    for index in 0..40 {
        write(root, &format!("src/m{index}.js"), &format!("import './m{}';\n", index + 1));
    }
    let mut client = Client::start(root, pull_capabilities()).await;
    client.wait_for("client/registerCapability", |_| true).await;
    assert_eq!(
        findings_by_file(&mut client).await.len(),
        40,
        "no file has a test, and no imports form a cycle"
    );
    // Another branch: files are created, deleted, moved and changed, and one directory is deleted.
    let mut events = Vec::new();
    for index in 0..40 {
        let path = format!("src/m{index}.js");
        match index % 4 {
            0 => events.push((write(root, &format!("src/m{index}.test.js"), "1\n"), 1)),
            1 => {
                fs::rename(root.join(&path), root.join(format!("src/other{index}.js")))
                    .expect("moved");
                events.push((uri(&root.join(&path)), 3));
                events.push((uri(&root.join(format!("src/other{index}.js"))), 1));
            }
            2 => events.push((write(root, &path, "import './m0';\nimport './m4';\n"), 2)),
            _ => events.push((write(root, &path, "\nimport './m2';\ndebugger\n"), 2)),
        }
    }
    events.push((write(root, "src/m0.js", "import './m2';\n"), 2));
    let changes: Vec<_> =
        events.iter().map(|(uri, kind)| json!({ "uri": uri, "type": kind })).collect();
    for part in changes.chunks(7) {
        client.notify("workspace/didChangeWatchedFiles", json!({ "changes": part })).await;
    }
    let expected = findings_by_file(&mut Client::start(root, pull_capabilities()).await).await;
    assert!(expected.values().flatten().any(|location| location.starts_with("team/circle")));
    for _ in 0..200 {
        if findings_by_file(&mut client).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(findings_by_file(&mut client).await, expected);
}

#[tokio::test]
async fn unreported_changes_are_found_on_the_next_save() {
    let folder = project();
    let root = folder.path();
    write(root, "rules/tested.md", TESTED);
    write(root, "rules/circle.md", NO_CYCLE);
    let file = write(root, "src/a.js", "import './b';\n");
    let other = write(root, "src/b.js", "1\n");
    let mut client = Client::start(root, push_capabilities()).await;
    client.open(&file, "javascript", "import './b';\n").await;
    assert_eq!(locations(&client.published(&file, Some(1)).await), ["team/tested 0:0-0"]);
    for (path, text, found) in [
        ("src/a.test.js", "1\n", &[][..]),
        ("src/b.js", "import './a';\n", &["team/circle 0:8-11"]),
        ("src/b.js", "2\n", &[]),
    ] {
        write(root, path, text);
        let document = json!({ "uri": other });
        client.notify("textDocument/didSave", json!({ "textDocument": document })).await;
        assert_eq!(locations(&client.published(&file, Some(1)).await), found, "{path}");
    }
}
