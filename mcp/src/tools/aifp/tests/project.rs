//! The project record, its criteria, and the names of themes and flows.

use super::{call, project, write};
use crate::context::Context;
use aidd_lexicon::tokens;
use serde_json::json;

#[test]
fn the_record_is_changed_only_as_it_was_read() {
    let folder = project();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    let record = |arguments| call(&context, "aidd_project", arguments);
    let (text, _) = record(json!({}));
    assert_eq!(
        text,
        "error: ai/project.md does not exist\nhint: run the directive project_init, or use the action `update` with `name`"
    );
    let new = json!({"action": "update", "name": "shop", "goals": ["small"], "coverage": 80});
    let (_, created) = record(new);
    assert_eq!(created["project"]["version"], 1);
    let update = |checksum: &serde_json::Value, text: &str| json!({"action": "update", "section": "overview", "text": text, "checksum": checksum});
    let (_, updated) = record(update(&created["checksum"], "Sums prices."));
    assert_eq!(updated["project"]["version"], 2);
    assert_eq!(updated["project"]["criteria"]["coverage"], 80.0);
    let (text, _) = record(update(&created["checksum"], "Late."));
    assert!(text.starts_with("error: ai/project.md changed since it was read"), "{text}");
    let (text, _) = record(json!({"action": "update", "status": "paused"}));
    assert!(text.starts_with("error: `checksum` is missing"), "{text}");
    let (_, read) = record(json!({"section": "Overview"}));
    assert_eq!(
        (&read["sections"][0]["text"], &read["edited"]),
        (&json!("Sums prices."), &json!(false))
    );
    let path = folder.path().join("ai/project.md");
    let page = std::fs::read_to_string(&path).expect("a page");
    std::fs::write(&path, page.replace("Sums", "Adds")).expect("written");
    let (text, read) = record(json!({"section": "Overview"}));
    assert!(text.contains("edited since aidd wrote it"), "{text}");
    let token = ["ghp_", "XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg"].concat();
    let (_, updated) = record(update(&read["checksum"], &format!("Token {token}")));
    let page = std::fs::read_to_string(&path).expect("a page");
    assert!(!page.contains(&token), "{page}");
    let (_, read) = record(json!({"section": "Overview"}));
    assert_eq!((&read["edited"], &read["checksum"]), (&json!(false), &updated["checksum"]));
}

#[test]
fn criteria_are_counted_from_the_project() {
    let folder = project();
    let root = folder.path();
    let context = Context::at(&crate::DISTRIBUTION, root);
    write(
        root,
        "tests/test_prices.py",
        "from shop.prices import total\n\ndef test_total():\n    assert total([1]) == 1\n",
    );
    call(
        &context,
        "aidd_project",
        json!({"action": "update", "name": "shop", "coverage": 80, "documentation": 50}),
    );
    let check = || call(&context, "aidd_project", json!({"action": "check"})).0;
    assert_eq!(
        check(),
        "tasks: 0/0, minimum 100 %, not met (entries of the work list without parts)\n\
         documentation: 1/2, minimum 50 %, met (exported symbols with documentation)\n\
         tested_functions: 1/2 (functions that tests call)\n\
         coverage: 0/0, minimum 80 %, not met (no coverage report; run the tests with coverage)\n\
         not complete"
    );
    call(&context, "aidd_work", json!({"action": "add", "title": "Sum"}));
    call(&context, "aidd_work", json!({"action": "set", "entry": "Sum", "status": "done"}));
    write(
        root,
        "coverage/lcov.info",
        "SF:shop/prices.py\nDA:1,1\nDA:3,1\nDA:4,1\nDA:6,1\nDA:7,0\nend_of_record\n",
    );
    let text = check();
    assert!(
        text.contains("coverage: 4/5, minimum 80 %, met (coverage/lcov.info)\ncomplete"),
        "{text}"
    );
    std::thread::sleep(std::time::Duration::from_millis(20));
    write(root, "shop/prices.py", "def total(prices):\n    return sum(prices) + 0\n");
    let text = check();
    assert!(
        text.contains("(coverage/lcov.info is older than shop/prices.py; run the tests again)"),
        "{text}"
    );
    assert!(text.ends_with("not complete"), "{text}");
}

#[test]
fn names_of_people_are_in_all_answers() {
    let folder = project();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    let name = |arguments| call(&context, "aidd_project", arguments).0;
    let text = name(
        json!({"action": "name", "kind": "theme", "name": "money", "paths": ["shop/price.py"]}),
    );
    assert_eq!(
        text,
        "error: theme `money`: no indexed file matches `shop/price.py`; correct the path"
    );
    name(
        json!({"action": "name", "kind": "theme", "name": "money", "paths": ["shop"], "description": "Prices"}),
    );
    let text = name(json!({
        "action": "name", "kind": "flow", "name": "report", "entries": ["shop/prices.py#main"],
        "themes": ["money"],
    }));
    assert_eq!(text, "named the flow report");
    let (text, data) =
        call(&context, "get_project_context", json!({"context_type": "themes_only"}));
    assert!(text.contains("themes: money\nflows: report\n"), "{text}");
    assert_eq!(data["themes"][0]["ai_generated"], 0);
    assert_eq!(data["themes"][0]["confidence_score"], 1.0);
    let sql = "SELECT t.name, t.description, fl.name AS flow FROM flow_themes ft
        JOIN themes t ON t.id = ft.theme_id JOIN flows fl ON fl.id = ft.flow_id";
    for tool in ["query_project_db", "aidd_query"] {
        let (text, _) = call(&context, tool, json!({"sql": sql}));
        assert_eq!(text, r#"{"name":"money","description":"Prices","flow":"report"}"#, "{tool}");
    }
    let map = folder.path().join("ai/memory/map.jsonl");
    let lines = std::fs::read_to_string(&map).expect("a file");
    std::fs::write(&map, lines.replace("\"shop\"", "\"lib\"") + "<<<<<<< ours\n").expect("written");
    let (text, data) =
        call(&context, "get_project_context", json!({"context_type": "themes_only"}));
    assert_eq!(
        data["problems"],
        json!([
            "ai/memory/map.jsonl:3: merge conflict: delete the marker, all lines can remain",
            "ai/memory/map.jsonl:1: theme `money`: no indexed file matches `lib`; correct the path",
        ]),
        "{text}"
    );
    let text = name(json!({"action": "name", "kind": "theme", "name": "money", "remove": true}));
    assert_eq!(text, "removed the theme money");
}

#[test]
fn the_list_of_all_directives_fits_in_2000_tokens() {
    let folder = project();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    let (text, data) = call(&context, "get_all_directives", json!({}));
    let counts = (tokens::count(&text), tokens::count(&data.to_string()));
    assert!(counts.0 <= 2000 && counts.1 <= 2000, "{counts:?}");
    assert_eq!(data["directive_count"], data["directives"].as_array().map_or(0, Vec::len));
    assert_eq!(data["self_assessment_questions"].as_array().map(Vec::len), Some(4));
    assert!(data["action_reaction_model"]["code_write"].is_string());
    let (_, full) = call(&context, "get_all_directives", json!({"full": true}));
    assert!(full["directives"][0]["workflow"].is_array());
}
