//! Runs the examples of the pages.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::workspace::examples;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
        .expect("shipped rules")
});

#[test]
fn examples_of_the_pages_have_the_documented_findings() {
    let rules = ENGINE.registry().rules().iter().filter(|rule| rule.id.starts_with("a11y/"));
    let problems: Vec<String> = rules
        .flat_map(|rule| {
            examples::run(&ENGINE, rule)
                .into_iter()
                .map(|problem| format!("{}: {problem}", rule.id))
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
