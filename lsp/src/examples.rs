//! Runs the examples of an open rule page, like `aidd rule test`.

use aidd_engine::check::{Distribution, Engine, Selection};
use aidd_engine::forms;
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::{self, Registry};
use aidd_engine::text::kind::is_page_path;
use aidd_engine::workspace::examples;

/// An example of a rule page whose result differs from the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedExample {
    /// The one-based line at which the block of the example begins.
    pub line: usize,
    /// The expected and the actual result.
    pub message: String,
}

/// The failing examples of the page `text` at `path`; none if it is not a usable rule page. Missing
/// examples are not reported.
#[must_use]
pub fn failures(distribution: &'static Distribution, path: &str, text: &str) -> Vec<FailedExample> {
    if !is_page_path(path) || !registry::is_rule_page(path, text) {
        return Vec::new();
    }
    let usable = |rule: &aidd_engine::rules::rule::Rule| {
        rule.form.is_some() && forms::problems(rule).is_empty()
    };
    let Some(rule) = registry::project_rule(path, text).filter(usable) else { return Vec::new() };
    let pages = [(path.to_owned(), text.to_owned())];
    let registry = Registry::from_pages(distribution.pages, &pages);
    let selection = Selection::default();
    let Ok(engine) = Engine::new(distribution, registry, &Config::default(), &selection) else {
        return Vec::new();
    };
    let failures = examples::run(&engine, engine.registry().get(&rule.id).unwrap_or(&rule));
    let failed = |failure: &String| match examples::split_line(failure) {
        (Some(line), message) => Some(FailedExample { line, message: message.to_owned() }),
        (None, _) => None,
    };
    failures.iter().filter_map(failed).collect()
}
