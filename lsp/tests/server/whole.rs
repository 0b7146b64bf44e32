use crate::support::{Client, places, project, pulling, pushed, uri, write};
use serde_json::json;
use std::fs;
use std::time::Duration;

const TESTED: &str = "---\nseverity: warning\nmessage: \"`<name>` has no test\"\ncheck:\n  exclude: ['*.test.js']\n  tree: { each: 'src/*.js', exists: ['<dir>/<stem>.test.js'] }\n---\n# team/tested\n\nTest it.\n";

#[tokio::test]
async fn a_file_that_comes_or_goes_changes_the_findings_of_another() {
    let folder = project();
    let root = folder.path();
    write(root, "rules/tested.md", TESTED);
    let file = write(root, "src/a.js", "debugger\n");
    let mut client = Client::start(root, pushed()).await;
    client.open(&file, "javascript", "debugger\n").await;
    let found = client.published(&file, Some(1)).await;
    assert_eq!(places(&found), ["team/no-stop 0:0-8", "team/tested 0:0-0"]);
    let test = write(root, "src/a.test.js", "1\n");
    client.watched(&test, 1).await;
    assert_eq!(places(&client.published(&file, Some(1)).await), ["team/no-stop 0:0-8"]);
    fs::remove_file(root.join("src/a.test.js")).expect("removed");
    client.watched(&test, 3).await;
    assert_eq!(client.published(&file, Some(1)).await.len(), 2);
}

#[tokio::test]
async fn what_is_missing_is_told_of_the_workspace() {
    let folder = project();
    let root = folder.path();
    write(
        root,
        "rules/readme.md",
        "---\nseverity: error\ncheck:\n  tree: { exists: README.md }\n---\n# team/readme\n\nSay it.\n",
    );
    let mut client = Client::start(root, pulling()).await;
    let ask = json!({ "previousResultIds": [] });
    let report = client.ask("workspace/diagnostic", ask.clone()).await;
    let items = report["items"].as_array().expect("a list");
    let readme = uri(&root.join("README.md"));
    let missing = items.iter().find(|one| one["uri"] == readme.as_str()).expect("the file");
    assert_eq!(missing["items"][0]["code"], "team/readme");
    let previous =
        json!({ "previousResultIds": [{ "uri": readme, "value": missing["resultId"] }] });
    write(root, "README.md", "# it\n");
    client.watched(&readme, 1).await;
    // The client is told to ask again once the project was looked at.
    for _ in 0..100 {
        let report = client.ask("workspace/diagnostic", previous.clone()).await;
        let items = report["items"].as_array().expect("a list");
        if items.iter().any(|one| one["uri"] == readme.as_str() && one["items"] == json!([])) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the finding stays");
}
