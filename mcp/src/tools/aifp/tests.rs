//! Tests of the tools, on a small project, and of the shipped directives.

mod blueprint;
mod project;
mod templates;

use crate::context::Context;
use crate::tools;
use aidd_guidance::Library;
use aidd_guidance::directives::{Action, Directives, Step};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(path, text).expect("written");
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    let text = "def total(prices):\n    \"\"\"Adds prices.\"\"\"\n    return sum(prices)\n\n\ndef main():\n    return total([1, 2])\n";
    write(folder.path(), "shop/prices.py", text);
    folder
}

/// The text and the data of an answer; the text of an error.
fn call(context: &Context, name: &str, arguments: Value) -> (String, Value) {
    let tool = tools::all().into_iter().find(|tool| tool.name == name).expect(name);
    let Value::Object(arguments) = arguments else { panic!("an object") };
    match tool.call(context, arguments) {
        Ok(answer) => (answer.text, answer.data),
        Err(error) => (format!("error: {error}"), Value::Null),
    }
}

/// Replaces the time and the hash in ids.
fn with_stable_ids(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut stable = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let mut parts = word[..end].split('_');
        let name = parts.next().unwrap_or_default();
        let is_time =
            parts.next().is_some_and(|part| part.len() > 9 && part.parse::<u64>().is_ok());
        stable += before;
        stable += &if is_time { format!("{name}_ID") } else { word[..end].to_owned() };
        rest = &word[end..];
    }
    stable + rest
}

fn shipped() -> Directives {
    Directives::from_library(&Library::shipped(&aidd_content::RULES))
}

/// The directives of the blueprint, by group.
const NAMES: &str = include_str!("names.txt");

#[test]
fn all_directives_of_the_blueprint_exist_and_can_be_run() {
    let directives = shipped();
    assert_eq!(directives.problems, Vec::<String>::new());
    let names: Vec<&str> = NAMES.split_whitespace().collect();
    assert_eq!(names.len(), 94);
    for name in names {
        assert!(directives.get(name).is_some(), "{name}");
    }
    let tools = tools::all();
    let rules = crate::DISTRIBUTION.engine().expect("an engine").registry().rules();
    for directive in directives.all() {
        for name in directive.related.iter().chain(&directive.parent) {
            assert!(directives.get(name).is_some(), "{}: {name}", directive.name);
        }
        for action in directive.steps.iter().flat_map(Step::actions) {
            match action {
                Action::Tool { name, with } => {
                    let tool = tools.iter().find(|tool| tool.name == name);
                    let tool = tool.unwrap_or_else(|| panic!("{}: {name}", directive.name));
                    let known = tool.input();
                    for (key, value) in with {
                        let property = &known["properties"][key];
                        assert!(!property.is_null(), "{}: {name} {key}", directive.name);
                        let words = property["enum"].as_array();
                        assert!(
                            words.is_none_or(|words| words.contains(value)),
                            "{}: {name} {key} {value}",
                            directive.name
                        );
                    }
                }
                Action::Check(globs) => {
                    for glob in globs {
                        let set = aidd_engine::text::paths::rule_globs(&[glob]).expect("a glob");
                        assert!(
                            rules.iter().any(|rule| set.is_match(&*rule.id)),
                            "{}: no rule matches {glob}",
                            directive.name
                        );
                    }
                }
                _ => {}
            }
        }
    }
}

/// From the first contact to the completion check.
#[test]
fn a_project_from_init_to_the_completion_check() {
    let folder = project();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    let mut transcript = String::new();
    let mut step = |name: &str, arguments: Value| {
        let (text, data) = call(&context, name, arguments.clone());
        let _ = write!(transcript, "> {name} {arguments}\n{}\n\n", text.trim_end());
        data
    };
    step("get_project_status", json!({}));
    step("search_directives", json!({"keyword": "initialize project"}));
    step("aidd_directive", json!({"name": "project_init"}));
    step("aidd_directive", json!({"action": "done", "answer": "python"}));
    step(
        "aidd_directive",
        json!({"action": "done", "answer": "Sums prices. Done when the total is tested."}),
    );
    step(
        "aidd_project",
        json!({"action": "update", "name": "shop", "purpose": "Sums prices", "goals": ["a tested total"], "language": "python", "documentation": 50}),
    );
    step("aidd_directive", json!({"action": "done"}));
    step("aidd_work", json!({"action": "add", "title": "Core", "level": "stage"}));
    step("aidd_directive", json!({"action": "done"}));
    step("aidd_work", json!({"action": "add", "title": "Test the total", "parent": "Core"}));
    step("get_project_context", json!({}));
    step(
        "query_project_db",
        json!({"sql": "SELECT t.name, t.status, f.name AS function FROM tasks t, functions f WHERE f.name = 'total'"}),
    );
    step("get_project_functions", json!({}));
    step("aidd_work", json!({"action": "set", "entry": "Core", "status": "done"}));
    step("aidd_work", json!({"action": "set", "entry": "Test the total", "status": "done"}));
    step("get_project_tasks", json!({}));
    step("aidd_directive", json!({"name": "project_completion_check"}));
    step("aidd_directive", json!({"action": "done"}));
    step("aidd_project", json!({"action": "check"}));
    step("aidd_directive", json!({"action": "done"}));
    step("aidd_directive", json!({"action": "done", "answer": "yes"}));
    let read = step("aidd_project", json!({"action": "read", "section": "Overview"}));
    step(
        "aidd_project",
        json!({"action": "update", "status": "completed", "checksum": read["checksum"]}),
    );
    step("aidd_directive", json!({"action": "done"}));
    assert_snapshot!(with_stable_ids(&transcript));
}

#[test]
fn queries_on_the_directives_are_limited_to_reading() {
    let folder = project();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    let query = |sql: &str| call(&context, "query_mcp_db", json!({"sql": sql})).0;
    assert_eq!(
        query("SELECT count(*) AS n FROM directives WHERE type = 'user_preference'"),
        "{\"n\":5}"
    );
    assert!(query("DELETE FROM directives").starts_with("error: "));
    assert!(query("SELECT 1; SELECT 2").starts_with("error: found several statements"));
}

#[test]
fn the_root_of_another_project_is_refused() {
    let folder = project();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    let own = folder.path().to_str().expect("UTF-8");
    for (root, is_own) in [(own, true), (".", true), ("/", false), ("..", false)] {
        let (text, _) = call(&context, "get_project_status", json!({"project_root": root}));
        assert_eq!(!text.starts_with("error: this server serves only"), is_own, "{root}: {text}");
    }
}

/// Requests in the words of users, and the directive that is meant.
const REQUESTS: &[(&str, &str)] = &[
    ("make this function pure", "fp_purity"),
    ("remove the global variable", "fp_state_elimination"),
    ("replace the class with functions", "fp_no_oop"),
    ("set up a new project", "project_init"),
    ("break down the work into tasks", "project_task_decomposition"),
    ("what is the status of the project", "aifp_status"),
    ("is the milestone done", "project_completion_check"),
    ("I prefer tabs, remember my preference", "user_preferences_update"),
    ("create a branch", "git_create_branch"),
    ("restore the backup", "project_backup_restore"),
];

#[test]
fn requests_find_their_directive_among_the_first_three() {
    use aidd_guidance::directives::search::{Filter, search};
    let directives = shipped();
    let mut missed = Vec::new();
    for (request, expected) in REQUESTS {
        let found = search(&directives, request, Filter::default());
        let names: Vec<&str> =
            found.iter().take(3).map(|found| found.directive.name.as_str()).collect();
        if !names.contains(expected) {
            missed.push(format!("{request}: {names:?}"));
        }
    }
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn the_purity_of_code_is_answered_with_the_places_of_its_effects() {
    let folder = project();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    let code = "def f(xs):\n    xs.append(1)\n\ndef g(x):\n    return x + 1\n";
    let arguments = json!({ "name": "fp_purity", "code": code });
    let (text, data) = call(&context, "aidd_directive", arguments);
    assert_eq!(text, "f: effectful\n  line 2: mutation by `xs.append`\ng: pure\n");
    assert_eq!(data["findings"][0]["side_effects"][0]["effect"], "mutation");
    let arguments = json!({ "name": "fp_immutability", "code": code });
    let (text, _) = call(&context, "aidd_directive", arguments);
    assert!(text.contains("only the directive fp_purity"), "{text}");
    let arguments = json!({ "name": "fp_purity", "code": "1 + 1" });
    let (text, _) = call(&context, "aidd_directive", arguments);
    assert!(text.contains("no function"), "{text}");
}
