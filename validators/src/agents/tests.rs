//! Unit tests of the rules on files that steer agents.

use super::*;
use crate::DISTRIBUTION;
use aidd_engine::check::family::SessionCost;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::workspace::examples;

fn memory(files: &[(&str, &str)]) -> Memory {
    Memory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    )
}

#[test]
fn the_cost_of_a_session_counts_imports_and_listings_once() {
    let files = memory(&[
        ("AGENTS.md", "Run the tests."),
        ("CLAUDE.md", "@AGENTS.md\n@AGENTS.md\n"),
        (".claude/rules/api.md", "---\npaths: [src/**]\n---\nRules on the interface."),
        (".claude/rules/all.md", "Answer in English."),
        (".claude/skills/a/SKILL.md", "---\nname: a\ndescription: Does a.\n---\nSteps."),
    ]);
    let costs = cost::session_costs(&files);
    assert!(costs.iter().all(|cost| cost.tokens() > 0));
    let show = |cost: &SessionCost| {
        let parts: Vec<&str> = cost.parts.iter().map(|part| &*part.path).collect();
        format!("{}: {}", cost.client, parts.join(", "))
    };
    let shown: Vec<String> = costs.iter().map(show).collect();
    assert_eq!(
        shown,
        [
            "AGENTS.md: AGENTS.md",
            "Claude Code: CLAUDE.md, AGENTS.md, .claude/rules/all.md, .claude/skills/ (names and descriptions)",
        ]
    );
}

#[test]
fn examples_of_all_pages_have_the_documented_findings() {
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let only = Selection { only: vec!["agents/*".to_owned()], ..Selection::default() };
    let engine = Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("valid");
    let rules = engine.registry().rules().iter().filter(|rule| rule.id.starts_with("agents/"));
    let problems: Vec<String> = rules
        .flat_map(|rule| {
            let run = examples::run(&engine, rule);
            run.into_iter().map(|problem| format!("{}: {problem}", rule.id))
        })
        .collect();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
