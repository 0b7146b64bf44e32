//! Rules written in Rust, one module per family. Each family parses a file once and lists its
//! checks by rule id; a rule's severity and texts are in its page. Programs pass [`ALL`] to the
//! engine.

mod a11y;
mod agents;
mod cached;
mod coverage;
mod credentials;
mod deps;
mod dockerfile;
mod i18n;
mod json;
mod markup;
mod memory;
mod mermaid;
mod metadata;
mod openapi;
mod perf;
mod scripts;
mod shell;
mod sql;
mod test_files;
mod tkb;
mod tokens;

use aidd_engine::check::family::Family;
use aidd_engine::rules::rule::Report;

/// All families, in the order in which they run. A family that applies the settings of another
/// tool, such as hadolint, runs before the families of the rules whose severity these settings
/// change.
pub static ALL: &[Family] = &[
    memory::FAMILY,
    tkb::FAMILY,
    deps::FAMILY,
    dockerfile::FAMILY,
    mermaid::FAMILY,
    openapi::FAMILY,
    sql::FAMILY,
    test_files::FAMILY,
    markup::FAMILY,
    coverage::FAMILY,
    agents::FAMILY,
    tokens::FAMILY,
    i18n::FAMILY,
    json::FAMILY,
    credentials::FAMILY,
    metadata::FAMILY,
];

/// The code of one rule: inspects a parsed file and reports violations.
type Check<T> = fn(&T, &mut Report<'_>);

/// The rules of one family, by id.
type Checks<T> = &'static [(&'static str, Check<T>)];

fn check_ids<T>(checks: Checks<T>) -> Vec<&'static str> {
    checks.iter().map(|&(id, _)| id).collect()
}

fn run_checks<T>(checks: Checks<T>, file: &T, report: &mut Report<'_>) {
    for &(id, check) in checks {
        if report.begin(id) {
            check(file, report);
        }
    }
}

/// The content that the program ships, for tests.
#[cfg(test)]
static DISTRIBUTION: aidd_engine::check::Distribution =
    aidd_engine::check::Distribution::new(&aidd_content::RULES, ALL);
