//! Checks on test files: JavaScript and TypeScript (Jest, Vitest, Mocha, `node:test`, Bun,
//! Playwright, Cypress), Python (pytest, unittest),
//! Go (testing, testify) and Ruby (RSpec, minitest).

mod go;
mod javascript;
mod python;
mod ruby;
#[cfg(test)]
pub(crate) mod tests;

use aidd_engine::check::SKIPPED;
use aidd_engine::check::family::Family;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::source::Span;
use tree_sitter::Node;

/// Test files in JavaScript or TypeScript.
const JAVASCRIPT: Kind = Kind("javascript-tests");
/// Test files in Go.
const GO: Kind = Kind("go-tests");
/// Test files in Ruby.
const RUBY: Kind = Kind("ruby-tests");
/// Test files in Python, for pytest or unittest.
const PYTHON: Kind = Kind("python-tests");

/// The rules on tests.
pub(super) const FAMILY: Family = Family {
    name: "tests",
    rules: || [go::RULES, javascript::RULES, python::RULES, ruby::RULES].concat(),
    claim: |path, text| claim(path, text),
    check: |kind, context, report| {
        let checked = match kind {
            GO => {
                go::check(context, report);
                Ok(())
            }
            RUBY => {
                ruby::check(context, report);
                Ok(())
            }
            PYTHON => python::check(report),
            _ => javascript::check(context.files, report),
        };
        if let Err(too_complex) = checked
            && report.begin(SKIPPED)
        {
            let message = format!("{too_complex}; the checks on tests did not run");
            report.at(Span::default(), message);
        }
    },
    affects_other_files: |path| matches!(path.rsplit('/').next(), Some("go.mod" | "package.json")),
    ..Family::EMPTY
};

/// Names of directories in which a file is a test file if it contains a call that defines a test.
const TEST_DIRS: [&str; 7] = ["__tests__", "test", "tests", "spec", "e2e", "cypress", "testing"];

/// Whether the path alone shows that the file contains tests.
pub(super) fn is_test(path: &str) -> bool {
    claim(path, "").is_some()
}

fn claim(path: &str, text: &str) -> Option<Kind> {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rsplit_once('.')?;
    match extension {
        "go" => {
            let is_copied = || dirs.split('/').any(|dir| matches!(dir, "testdata" | "vendor"));
            (stem.ends_with("_test") && !is_copied()).then_some(GO)
        }
        "py" => {
            let is_test = stem.starts_with("test_")
                || stem.ends_with("_test")
                || matches!(stem, "conftest" | "tests" | "test");
            is_test.then_some(PYTHON)
        }
        "rb" => {
            let is_test = stem.ends_with("_spec") || stem.ends_with("_test");
            (is_test || stem.starts_with("test_")).then_some(RUBY)
        }
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => {
            if stem.ends_with(".min") || stem.ends_with(".d") || stem.ends_with(".bench") {
                return None;
            }
            let has_test_name = stem
                .rsplit_once('.')
                .is_some_and(|(_, part)| matches!(part, "test" | "spec" | "cy" | "e2e"));
            let is_in_test_dir = || dirs.split('/').any(|dir| TEST_DIRS.contains(&dir));
            let is_test = has_test_name || is_in_test_dir() && javascript::may_define_tests(text);
            is_test.then_some(JAVASCRIPT)
        }
        _ => None,
    }
}

/// The text of a node of a syntax tree.
fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The span of a node of a syntax tree.
fn node_span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// Adds a finding of `rule` unless the rule is disabled.
fn report_at<'r>(
    report: &'r mut Report<'_>,
    rule: &str,
    span: Span,
    message: impl Into<String>,
) -> Option<&'r mut Finding> {
    report.begin(rule).then(|| report.at(span, message))
}
