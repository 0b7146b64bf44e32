//! The cost of a run must not grow faster than its input: eight times the input can take at most
//! twelve times as long. CPU time of the thread is measured, so that other work on the machine does
//! not count. `cargo test -p aidd-report --test tests linear -- --nocapture` prints the figures.

mod catalogues;
mod families;
mod limits;
mod locks;
mod measure;
mod project;
mod reports;
mod texts;

use aidd_engine::check::{CheckResult, Engine, SKIPPED, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::Source;
use cpu_time::ThreadTime;
use measure::{Case, assert_linear};
use std::sync::LazyLock;
use std::time::Duration;

/// Maximum size of a parsed file in bytes.
const MAX_PARSED_BYTES: usize = 2 << 20;

/// The engine with all built-in rules, including the rules that are disabled by default.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let only = registry.rules().iter().map(|rule| rule.id.to_string()).collect();
    let selection = Selection { only, ..Selection::default() };
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &selection)
        .expect("valid rules")
});

fn check(path: &str, text: String) -> (Source, CheckResult) {
    let source = Source::new(path, text);
    let checked = ENGINE.check(&source, &Memory::default());
    (source, checked)
}

/// The largest size for which `text` returns a text that is parsed.
fn max_size(text: impl Fn(usize) -> String) -> usize {
    let unit = text(64).len().max(1).div_ceil(64);
    MAX_PARSED_BYTES / unit
}

fn check_cases(cases: &'static [texts::Row]) -> impl Iterator<Item = Case<'static>> {
    cases.iter().map(|&(name, path, text)| {
        Case::new(name, max_size(text), text, move |text| drop(check(path, text)))
    })
}

#[test]
fn texts_that_were_once_slow_are_checked_in_linear_time() {
    assert_linear(check_cases(texts::ONCE_SLOW));
}

#[test]
fn unclosed_constructs_are_checked_in_linear_time() {
    assert_linear(check_cases(texts::UNCLOSED));
}

#[test]
fn nested_and_repeated_constructs_are_checked_in_linear_time() {
    assert_linear(check_cases(texts::NESTED));
}

#[test]
fn catalogues_are_checked_in_linear_time() {
    assert_linear(check_cases(catalogues::ROWS));
}

#[test]
fn files_of_front_ends_agents_and_tokens_are_checked_in_linear_time() {
    assert_linear(check_cases(families::ROWS));
}

#[test]
fn files_that_are_compared_with_each_other_are_checked_in_linear_time() {
    assert_linear(
        families::projects()
            .chain([families::opposite_demands(), families::servers_of_two_clients()]),
    );
}

/// For some texts, the cost of a parser grows faster than the length of the text.
#[test]
fn a_parser_that_takes_too_long_is_stopped() {
    for (path, unit) in [("a.py", "-->"), ("a.py", "a\\\n"), ("a.ts", "&a *a "), ("a.sh", "\0")] {
        let start = ThreadTime::now();
        let (_, checked) = check(path, unit.repeat((256 << 10) / unit.len()));
        let duration = start.elapsed();
        // The parser and the patterns have two seconds each; some time passes between two clock
        // checks.
        assert!(duration < Duration::from_secs(8), "{path} {unit:?}: {duration:?}");
        let is_reported = checked.findings.iter().any(|finding| &*finding.rule == SKIPPED);
        assert!(is_reported || duration < Duration::from_secs(4), "{path} {unit:?}: {duration:?}");
    }
}
