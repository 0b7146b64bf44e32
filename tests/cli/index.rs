//! Tests of `aidd index`.

use crate::cli::support::{Project, token};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn project() -> Project {
    let project = Project::new(&[
        (".gitignore", "ignored.py\n"),
        ("ignored.py", "def hidden(): pass\n"),
        (
            "api.ts",
            "import { save as store } from './store';\nexport function post() { store(); }\n",
        ),
        ("store.ts", "/** Writes a row. Returns nothing. */\nexport function save() {}\n"),
        ("api.test.ts", "import { post } from './api';\ntest('posts', () => { post(); });\n"),
    ]);
    project.write("keys.py", format!("def key():\n    token = \"{}\"\n", token()));
    project
}

#[test]
fn questions_are_answered_from_a_current_index() {
    let project = project();
    let ask = |args: &[&str]| project.run(&[&["index"], args].concat()).expect_code(0).out;
    assert_snapshot!(ask(&[]), @"4 files indexed, 4 changed");
    assert_snapshot!(ask(&[]), @"4 files indexed, 0 changed");
    assert_snapshot!(ask(&["callers", "save"]), @r"
    store.ts:2 function save: 1 caller
      api.ts:2 call post
    ");
    assert_snapshot!(ask(&["impact", "save"]), @r"
    api.ts:2 function post
      api.test.ts:2 test posts
    ");
    assert_snapshot!(ask(&["affected", "store.ts"]), @"api.test.ts");
    project.write("api.ts", "export function post() {}\n");
    assert_snapshot!(ask(&["callers", "save"]), @"store.ts:2 function save: 0 callers");
    assert_snapshot!(ask(&["find", "hidden"]), @"no name of a symbol contains `hidden`");
    assert_eq!(ask(&["find", "hidden", "--json"]).trim(), "[]");
    assert_snapshot!(
        ask(&["sql", "SELECT name, doc FROM symbols WHERE name = 'save'", "--json"]).replace(char::is_whitespace, ""),
        @r#"[{"name":"save","doc":"Writesarow."}]"#
    );
    assert_snapshot!(ask(&["doctor"]), @"the code index has no problems");
    assert_snapshot!(ask(&["--rm"]), @"removed the code index");
}

#[test]
fn secrets_are_masked() {
    let project = project();
    for args in [&["show", "key"][..], &["show", "key", "--json"]] {
        let out = project.run(&[&["index"], args].concat()).expect_code(0).out;
        assert!(out.contains("token") && !out.contains(&token()), "{out}");
    }
}

#[test]
fn refusals_say_what_is_allowed() {
    let project = project();
    let output = project.run(&["index", "sql", "DELETE FROM refs"]).expect_code(2);
    assert!(output.err.contains("one SELECT or WITH statement"), "{}", output.err);
    let output = project.run(&["index", "show", "sav"]).expect_code(2);
    assert!(output.err.contains("similar names: save"), "{}", output.err);
}

#[test]
fn questions_without_a_result_say_so() {
    let project = project();
    project.write("web.ts", "import express from 'express';\nconst app = express();\napp.get('/users/list', () => {});\n");
    let ask = |args: &[&str]| project.run(&[&["index"], args].concat()).expect_code(0).out;
    assert_snapshot!(ask(&["find", "psot"]), @"no name of a symbol contains `psot`; similar names: post");
    assert_snapshot!(ask(&["routes", "usres"]), @"none of 1 route contains `usres`; similar routes: GET /users/list");
    assert_snapshot!(ask(&["impact", "key"]), @"no proved reference leads to `key`");
    assert_snapshot!(ask(&["flows", "key"]), @"no proved call leads on from `key`");
    assert_snapshot!(ask(&["affected", "keys.py"]), @"no test file refers to keys.py or imports it");
    let refuse = |args: &[&str]| project.run(&[&["index"], args].concat()).expect_code(2).err;
    assert_snapshot!(refuse(&["affected", "stores.ts"]), @"
    error: stores.ts does not exist
    hint: similar path: store.ts
    ");
    assert_snapshot!(refuse(&["map", "--focus", "nothing/at/all"]), @"error: nothing/at/all does not exist");
    assert_snapshot!(refuse(&["affected", ".gitignore"]), @"
    error: .gitignore is not in the code index
    hint: the index contains source files that Git does not ignore
    ");
    assert_snapshot!(refuse(&["callers", "psot"]), @"
    error: the index has no symbol `psot`
    hint: similar names: post
    ");
    assert_snapshot!(ask(&["dead"]), @"no function or type is without references; `--exported` also lists exported ones");
}

#[test]
fn a_check_of_changes_reports_what_they_reach() {
    let project = Project::repository();
    project.write("store.ts", "export function save() {\n  return 1;\n}\n");
    project
        .write("api.ts", "import { save } from './store';\nexport function post() { save(); }\n");
    project
        .write("api.test.ts", "import { post } from './api';\ntest('posts', () => { post(); });\n");
    project.write("other.ts", "export function other() {\n  return 1;\n}\n");
    project.git(&["add", "."]).expect_code(0);
    project.git(&["commit", "-qm", "feat: store"]).expect_code(0);
    let check =
        |args: &[&str]| project.run(&[&["check", "--changed"], args].concat()).expect_code(0);
    assert!(!check(&["--reach"]).out.contains("this change reaches"), "nothing changed");
    project.write("store.ts", "export function save() {\n  return 2;\n}\n");
    project.write("other.ts", "export function other() {\n  return 2;\n}\n");
    project.run(&["index", "--rm"]).expect_code(0);
    assert!(!check(&[]).out.contains("this change reaches"), "no index");
    let note = "this change reaches 1 caller in 1 file; 1 affected test file; untested: other (other.ts:1)";
    assert!(check(&["--reach"]).out.contains(note), "{}", check(&["--reach"]).out);
    // Now there is an index.
    for format in ["text", "json", "markdown"] {
        let out = check(&["--format", format]).out.replace('\\', "");
        assert!(out.contains("1 caller in 1 file; 1 affected test file"), "{format}: {out}");
    }
    let report: Value =
        serde_json::from_str(&check(&["--format", "json"]).out).expect("a JSON report");
    assert_eq!(
        report["reach"],
        json!({
            "changed": [
                {"name": "other", "path": "other.ts", "line": 1},
                {"name": "save", "path": "store.ts", "line": 1},
            ],
            "callers": [{"name": "post", "path": "api.ts", "line": 2}],
            "indirect": 0,
            "tests": ["api.test.ts"],
            "untested": [{"name": "other", "path": "other.ts", "line": 1}],
        })
    );
    let output = project.run(&["check", "--reach"]).expect_code(2);
    assert!(output.err.contains("--reach") || output.err.contains("--diff"), "{}", output.err);
}

#[test]
fn routes_lead_to_the_functions_that_answer_them() {
    let project = Project::new(&[
        (
            "api/users.py",
            "from fastapi import APIRouter\nfrom store import save\n\nrouter = APIRouter(prefix='/users')\n\n@router.post('/{id}')\ndef create(id):\n    save(id)\n",
        ),
        ("store.py", "def save(id):\n    pass\n"),
        (
            "Routes.kt",
            "import org.springframework.web.bind.annotation.GetMapping\n\nclass Health {\n    @GetMapping(\"/health\")\n    fun check() = \"up\"\n}\n",
        ),
    ]);
    let ask = |args: &[&str]| project.run(&[&["index"], args].concat()).expect_code(0).out;
    assert_snapshot!(ask(&["routes"]), @r"
    GET /health Health.check Routes.kt:4
    POST /users/{id} create api/users.py:6
    ");
    assert_snapshot!(ask(&["routes", "users"]), @"POST /users/{id} create api/users.py:6");
    let sql = "SELECT fl.name, fi.path FROM flows fl JOIN file_flows ff ON ff.flow_id = fl.id
        JOIN files fi ON fi.id = ff.file_id ORDER BY fl.name, fi.path";
    assert_snapshot!(ask(&["sql", sql]), @r#"
    {"name":"GET /health","path":"Routes.kt"}
    {"name":"POST /users/{id}","path":"api/users.py"}
    {"name":"POST /users/{id}","path":"store.py"}
    "#);
}

#[test]
fn the_flows_that_people_named_are_listed_with_their_names() {
    let project = Project::new(&[
        ("shop/cart.py", "def pay(cart):\n    return sum(cart)\n"),
        ("web/app.py", "from shop.cart import pay\n\ndef main():\n    return pay([])\n"),
    ]);
    let ask = |args: &[&str]| project.run(&[&["index"], args].concat()).expect_code(0).out;
    assert_snapshot!(ask(&["flows"]), @"web/app.py:3 function main");
    ask(&["name", "flow", "checkout", "--entry", "shop/cart.py#pay"]);
    ask(&["name", "flow", "release", "web"]);
    assert_snapshot!(ask(&["flows"]), @r"
    shop/cart.py:1 function pay (flow `checkout`)
    web (flow `release`)
    web/app.py:3 function main
    ");
}

#[test]
fn the_exported_flowchart_has_no_findings() {
    let project = project();
    project.write(
        "web/page [1].ts",
        "import { post } from '../api';\nexport const page = () => post();\n",
    );
    for args in [&[][..], &["--focus", "web", "api.ts"]] {
        let out =
            project.run(&[&["index", "export", "--mermaid"], args].concat()).expect_code(0).out;
        assert!(out.contains("-->|1|"), "{out}");
        project.write("graph.mmd", out);
        project.run(&["check", "graph.mmd"]).expect_code(0);
    }
    project.run(&["index", "export"]).expect_code(2);
    project.run(&["index", "export", "--tags", "--mermaid"]).expect_code(2);
}

#[test]
fn questions_about_a_commit_leave_the_work_tree_and_its_index_unchanged() {
    let project = Project::repository();
    project.write("store.ts", "export function save() {\n  return 1;\n}\n");
    project
        .write("api.ts", "import { save } from './store';\nexport function post() { save(); }\n");
    project.git(&["add", "."]).expect_code(0);
    project.git(&["commit", "-qm", "feat: store"]).expect_code(0);
    project.write("api.ts", "export function put() {}\n");
    let ask = |args: &[&str]| project.run(&[&["index"], args].concat()).expect_code(0).out;
    assert!(ask(&["--rev", "HEAD"]).starts_with("3 files of commit "));
    assert!(!project.path().join(".aidd/data.index.db").exists());
    assert_snapshot!(ask(&["callers", "save", "--rev", "HEAD"]), @"
    store.ts:1 function save: 1 caller
      api.ts:2 call post
    ");
    assert_snapshot!(ask(&["callers", "save"]), @"store.ts:1 function save: 0 callers");
    assert!(ask(&["show", "post", "--rev", "HEAD"]).contains("function post() { save(); }"));
    assert_snapshot!(ask(&["affected", "store.ts", "--rev", "HEAD"]), @"no test file refers to store.ts or imports it");
    assert_snapshot!(ask(&["sql", "SELECT count(*) AS n FROM functions", "--rev", "HEAD"]), @r#"{"n":3}"#);
    let refuse = |args: &[&str]| project.run(&[&["index"], args].concat()).expect_code(2).err;
    assert!(refuse(&["--rev", "missing"]).contains("missing"));
    assert_snapshot!(refuse(&["affected", "--rev", "HEAD"]), @"error: `--rev` cannot be used with `affected` without files");
    assert_snapshot!(refuse(&["affected", "gone.ts", "--rev", "HEAD"]), @"error: gone.ts does not exist");
    project.run(&["index", "--rm"]).expect_code(0);
    assert!(!project.path().join(".aidd/data.index.commits").exists());
}
