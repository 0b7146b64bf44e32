//! The cost of a run must not grow faster than its input: eight times the input can take twelve
//! times as long. CPU time of the thread is measured, so that other work on the machine does not
//! count. `cargo test -p aidd-ci --test linear -- --nocapture` prints the figures.

mod measure;
mod project;
mod reports;
mod texts;

use aidd_engine::check::{Checked, Engine, SKIPPED, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::Source;
use cpu_time::ThreadTime;
use measure::{Case, assert_linear};
use std::sync::LazyLock;
use std::time::Duration;

/// Larger files are not parsed.
const LARGEST: usize = 2 << 20;

/// All built-in rules, including those disabled by default.
static ALL: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let only = registry.rules().iter().map(|rule| rule.id.to_string()).collect();
    let selection = Selection { only, ..Selection::default() };
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &selection)
        .expect("valid rules")
});

fn check(path: &str, text: String) -> (Source, Checked) {
    let source = Source::new(path, text);
    let checked = ALL.check(&source, &Memory::default());
    (source, checked)
}

/// The largest size whose text is parsed.
fn largest(text: impl Fn(usize) -> String) -> usize {
    let unit = text(64).len().max(1).div_ceil(64);
    LARGEST / unit
}

fn checked(cases: &'static [texts::Row]) -> impl Iterator<Item = Case<'static>> {
    cases.iter().map(|&(name, path, text)| {
        Case::new(name, largest(text), text, move |text| drop(check(path, text)))
    })
}

#[test]
fn the_known_texts() {
    assert_linear(checked(texts::KNOWN));
}

#[test]
fn what_is_never_closed() {
    assert_linear(checked(texts::UNCLOSED));
}

#[test]
fn what_is_nested_and_repeated() {
    assert_linear(checked(texts::NESTED));
}

/// Some texts cost a parser much more than their length; the parser is stopped.
#[test]
fn a_parser_that_takes_too_long_is_stopped() {
    for (path, unit) in [("a.py", "-->"), ("a.py", "a\\\n"), ("a.ts", "&a *a "), ("a.sh", "\0")] {
        let start = ThreadTime::now();
        let (_, checked) = check(path, unit.repeat((256 << 10) / unit.len()));
        let took = start.elapsed();
        // Two seconds each for the parser and the patterns, and some between two clock checks.
        assert!(took < Duration::from_secs(8), "{path} {unit:?}: {took:?}");
        let is_reported = checked.findings.iter().any(|finding| &*finding.rule == SKIPPED);
        assert!(is_reported || took < Duration::from_secs(4), "{path} {unit:?}: {took:?}");
    }
}
