//! Limits on the cost of results in tokens and time.

use super::tests::{call, repository, try_call};
use crate::context::Context;
use aidd_lexicon::tokens;
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};

/// Tools, their arguments, and the maximum number of tokens of the result. Token counts are upper
/// bounds.
const MAX_TOKENS: &[(&str, &str, usize)] = &[
    ("aidd_bootstrap", r#"{"tokenBudget": "minimal", "task": "Add a login page"}"#, 400),
    ("aidd_bootstrap", r#"{"tokenBudget": "standard", "task": "Add a login page"}"#, 1200),
    ("aidd_bootstrap", r#"{"tokenBudget": "full", "task": "Add a login page"}"#, 3000),
    ("aidd_classify_task", r#"{"description": "Implement the orders endpoint in NestJS"}"#, 200),
    ("aidd_get_routing_table", "{}", 1200),
    ("aidd_get_routing_table", r#"{"phase": "BUILD"}"#, 450),
    ("aidd_get_competency_matrix", "{}", 2000),
    ("aidd_get_config", "{}", 150),
    ("aidd_suggest_next", r#"{"task": "Add a login page"}"#, 500),
    ("aidd_optimize_context", "{}", 1760),
    ("aidd_scaffold", r#"{"dryRun": true}"#, 1500),
];

#[test]
fn every_answer_stays_within_its_token_limit() {
    let folder = repository();
    for (tool, arguments, max) in MAX_TOKENS {
        let arguments = serde_json::from_str(arguments).expect("JSON");
        let answer = call(folder.path(), tool, arguments);
        let count = tokens::count(&answer.text);
        assert!(count <= *max, "{tool}: {count} of {max}\n{}", answer.text);
        assert!(count * 4 >= *max || *max <= 500, "{tool}: {count} of {max}");
    }
    let library = aidd_guidance::Library::shipped(&aidd_content::RULES);
    for page in library.pages_of_kind(aidd_guidance::PageKind::Skills) {
        if page.name != "competency-matrix" {
            let answer = call(folder.path(), "aidd_get_agent", json!({"agent": page.name}));
            assert!(
                tokens::count(&answer.text) <= 1200,
                "{}: {}",
                page.name,
                tokens::count(&answer.text)
            );
        }
    }
}

#[test]
fn bootstrap_reads_no_project_files() {
    let folder = repository();
    let root = folder.path();
    for number in 0..10_000 {
        let path = root.join(format!("packages/p{}/src", number / 100));
        if number % 100 == 0 {
            fs::create_dir_all(&path).expect("created");
        }
        fs::write(path.join(format!("file{number}.ts")), "export {};\n").expect("written");
    }
    let context = Context::at(&crate::DISTRIBUTION, root);
    try_call(&context, "aidd_bootstrap", json!({})).expect("an answer");
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..9 {
        let start = Instant::now();
        try_call(&context, "aidd_bootstrap", json!({"task": "Add a login page"}))
            .expect("an answer");
        times.push(start.elapsed());
    }
    times.sort();
    // Five times the limit of a release build, since tests are not optimized. Take the minimum,
    // because other processes can be running.
    assert!(times[0] < Duration::from_millis(75), "{times:?}");
}
