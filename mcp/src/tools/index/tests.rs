//! Tests of the tools of the code index on a small project.

use crate::context::Context;
use crate::tools;
use aidd_lexicon::tokens;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const FILES: &[(&str, &str)] = &[
    (
        "src/orders.ts",
        "import { saveOrder } from './store';\n\n/** Creates an order. */\nexport function createOrder(id: string) {\n  return saveOrder(id);\n}\n\nexport function route() {\n  return createOrder('1');\n}\n",
    ),
    (
        "src/store.ts",
        "/** Writes an order. */\nexport function saveOrder(id: string) {\n  return write(id);\n}\n\nfunction write(id: string) {\n  return id;\n}\n",
    ),
    (
        "src/orders.test.ts",
        "import { createOrder } from './orders';\ntest('creates an order', () => { createOrder('1'); });\n",
    ),
    (
        "ai/memory/decisions.jsonl",
        "{\"id\":\"decision_1_a\",\"type\":\"decision\",\"topic\":\"orders\",\"content\":\"Orders are written by saveOrder only\",\"metadata\":{\"reasoning\":\"One place validates\"},\"createdAt\":1766137513000,\"updatedAt\":1766137513000,\"schemaVersion\":1}\n",
    ),
    (
        "rules/store.md",
        "---\nseverity: warning\ncheck:\n  files: [src/store.ts]\n  syntax:\n    language: [typescript]\n    rule: { pattern: 'console.log($$$ARGS)' }\n---\n# team/no-log-in-store\n\nThe store does not write logs, because they contain addresses.\n",
    ),
];

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    for (path, text) in FILES {
        write(folder.path(), path, text);
    }
    folder
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(path, text).expect("written");
}

/// The text of the answer of a tool, or of its error; checks that both forms fit the budget.
fn call(root: &Path, name: &str, arguments: Value) -> String {
    let context = Context::at(&crate::DISTRIBUTION, root);
    let tool = tools::all().into_iter().find(|tool| tool.name == name).expect("a tool");
    let budget = arguments["budget"].as_u64().or(arguments["tokens"].as_u64());
    let Value::Object(arguments) = arguments else { panic!("an object") };
    match tool.call(&context, arguments) {
        Ok(answer) => {
            if let Some(budget) = budget {
                let budget = usize::try_from(budget).expect("small");
                assert!(tokens::count(&answer.text) <= budget, "{}", answer.text);
                assert!(tokens::count(&answer.data.to_string()) <= budget, "{}", answer.data);
            }
            answer.text
        }
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn a_symbol_is_shown_with_what_surrounds_it_and_what_was_decided() {
    let folder = project();
    let text =
        call(folder.path(), "aidd_explore", json!({"symbols": ["saveOrder"], "budget": 600}));
    assert_snapshot!(text, @r"
    ## Decided
    - decision_1_a: orders: Orders are written by saveOrder only — One place validates (names saveOrder)
    - rule team/no-log-in-store: The store does not write logs, because they contain addresses.

    ## src/store.ts
    function `saveOrder` lines 2-4 — Writes an order.
    callers (1): src/orders.ts (createOrder:5)
    calls: here (write:6)
    pure
    flow: route (src/orders.ts:8) → createOrder → saveOrder
    tests (1): src/orders.test.ts (creates an order:2)
    ```
    export function saveOrder(id: string) {
      return write(id);
    }
    ```
    ");
}

#[test]
fn questions_find_symbols_by_their_words_and_files_are_outlined() {
    let folder = project();
    let ask = |arguments| call(folder.path(), "aidd_explore", arguments);
    let text = ask(json!({"query": "where are orders created?"}));
    assert!(text.contains("function `createOrder` lines 4-6 — Creates an order."), "{text}");
    let text = ask(json!({"query": "how does route get to write()"}));
    assert!(
        text.contains("flow: route (src/orders.ts:8) → createOrder → saveOrder → write"),
        "{text}"
    );
    let text = ask(json!({"files": ["src/store.ts"]}));
    assert!(text.contains("imported by (1): src/orders.ts"), "{text}");
    assert!(text.contains("2: function saveOrder(id: string)"), "{text}");
}

#[test]
fn unknown_and_ambiguous_names_are_reported() {
    let folder = project();
    let text = call(folder.path(), "aidd_explore", json!({"symbols": ["saveOrdr"]}));
    assert_snapshot!(text, @r"
    error: the index has no symbol `saveOrdr`; nearest: saveOrder
    hint: pass one of these names, or other words for the same thing
    ");
    for n in 0..3 {
        write(folder.path(), &format!("src/m{n}.ts"), "export function run() {}\n");
    }
    let text = call(folder.path(), "aidd_explore", json!({"symbols": ["run"]}));
    assert!(
        text.starts_with("note: `run` has 3 definitions; the most used is shown, others: src/m"),
        "{text}"
    );
    let text = call(folder.path(), "aidd_explore", json!({}));
    assert!(text.starts_with("error: expected `query`, `symbols` or `files`"), "{text}");
    let text = call(folder.path(), "aidd_explore", json!({"files": ["../x"]}));
    assert!(text.contains("outside the project"), "{text}");
}

#[test]
fn answers_are_current_and_within_their_budget() {
    let folder = project();
    let body: String = (0..400).map(|n| format!("  console.info('line {n}');\n")).collect();
    write(folder.path(), "src/long.ts", &format!("export function longOne() {{\n{body}}}\n"));
    for budget in [200, 300, 800, 3000] {
        let arguments = json!({"query": "longOne saveOrder createOrder", "budget": budget});
        let text = call(folder.path(), "aidd_explore", arguments);
        assert!(text.contains("`longOne` lines 1-402"), "{budget}: {text}");
        let arguments = json!({"symbol": "longOne", "budget": budget});
        call(folder.path(), "aidd_impact", arguments);
        call(folder.path(), "aidd_map", json!({"tokens": budget}));
    }
    write(folder.path(), "src/long.ts", "export function longOne() { return 7; }\n");
    let text = call(folder.path(), "aidd_explore", json!({"symbols": ["longOne"]}));
    assert!(text.contains("return 7"), "{text}");
}

#[test]
fn secrets_in_source_are_masked() {
    let folder = project();
    let secret = ["ghp_", "A9c8B7d6E5f4G3h2I1j0K9l8M7n6", "O5p4Q3r2"].concat();
    write(
        folder.path(),
        "src/key.ts",
        &format!("export function key() {{ return \"{secret}\"; }}\n"),
    );
    for (tool, arguments) in [
        ("aidd_explore", json!({"symbols": ["key"]})),
        ("aidd_query", json!({"sql": "SELECT signature FROM symbols"})),
        ("aidd_map", json!({})),
    ] {
        let text = call(folder.path(), tool, arguments);
        assert!(!text.contains(&secret), "{tool}: {text}");
    }
}

#[test]
fn the_impact_of_a_symbol_is_listed() {
    let folder = project();
    let text = call(folder.path(), "aidd_impact", json!({"symbol": "saveOrder"}));
    assert_snapshot!(text, @r"
    A change to `saveOrder` src/store.ts:2 reaches 1 caller in 1 file, 1 more indirectly; 1 affected test file.
    callers:
      src/orders.ts (createOrder:5)
    tests: src/orders.test.ts
    ");
    let text = call(folder.path(), "aidd_impact", json!({"symbol": "write"}));
    assert!(text.contains("1 caller in 1 file, 2 more indirectly"), "{text}");
    let text = call(folder.path(), "aidd_impact", json!({"diff": "main"}));
    assert!(text.starts_with("error:"), "{text}");
}

#[test]
fn queries_only_read() {
    let folder = project();
    let ask = |sql: &str| call(folder.path(), "aidd_query", json!({ "sql": sql }));
    assert_eq!(ask("SELECT count(*) AS n FROM files"), "{\"n\":3}");
    assert!(ask("DELETE FROM files").starts_with("error: "), "refused");
}
