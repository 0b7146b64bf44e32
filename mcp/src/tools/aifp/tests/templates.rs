//! The templates of code, parsed with the parsers of the rules.

use super::{call, project};
use crate::context::Context;
use aidd_engine::parse::syntax::Tree;
use aidd_engine::text::source::Source;
use serde_json::json;

/// The languages, each with a file name.
const LANGUAGES: [(&str, &str); 5] = [
    ("python", "a.py"),
    ("javascript", "a.js"),
    ("typescript", "a.ts"),
    ("rust", "a.rs"),
    ("go", "a.go"),
];

#[test]
fn each_language_has_templates_that_parse() {
    let folder = project();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    for (name, path) in LANGUAGES {
        let sql = format!(
            "SELECT template_name, template_code, variables_json FROM templates
             WHERE category = 'adt' AND language = '{name}' ORDER BY template_name"
        );
        let (text, data) = call(&context, "query_mcp_db", json!({"sql": sql}));
        let rows = data["rows"].as_array().unwrap_or_else(|| panic!("{text}"));
        let names: Vec<&str> =
            rows.iter().filter_map(|row| row["template_name"].as_str()).collect();
        assert_eq!(names, [format!("algebraic_data_type_{name}"), format!("result_type_{name}")]);
        for row in rows {
            let mut code = row["template_code"].as_str().expect("code").to_owned();
            let variables = row["variables_json"].as_str().expect("variables");
            let variables: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(variables).expect("an object");
            for name in variables.keys() {
                assert!(code.contains(&format!("{{{{{name}}}}}")), "{name}");
                code = code.replace(&format!("{{{{{name}}}}}"), name);
            }
            let source = Source::new(path, code);
            let tree = Tree::new(&source);
            let root = tree.root().expect("a tree");
            assert!(!root.has_error(), "{name}:\n{}", source.text());
        }
    }
    // Directives and tools return the pages.
    let (text, _) = call(&context, "aidd_get_agent", json!({"agent": "result-type"}));
    assert!(text.contains("def map_result("), "{text}");
}
