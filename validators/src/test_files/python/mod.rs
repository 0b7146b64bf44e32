//! Checks on tests in Python, in one walk over the tree.

mod asserts;
mod fixtures;
mod functions;
mod marks;
mod raises;
mod walk;

use crate::scripts::nesting::{TooComplex, with_stack};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;
use ruff_text_size::{Ranged, TextRange};
use std::borrow::Cow;
use walk::Walker;

/// The rules on tests in Python.
pub(super) const RULES: &[&str] = &[
    "tests/python-addfinalizer",
    "tests/python-assert-false",
    "tests/python-assert-in-except",
    "tests/python-broad-raises",
    "tests/python-comparison-without-assert",
    "tests/python-composite-assert",
    "tests/python-duplicate-case",
    "tests/python-empty-test",
    "tests/python-fail-without-message",
    "tests/python-fixture-parentheses",
    "tests/python-mark-on-fixture",
    "tests/python-mark-parentheses",
    "tests/python-mock-assertion",
    "tests/python-parametrize-names",
    "tests/python-parametrize-values",
    "tests/python-patch-with-lambda",
    "tests/python-positional-fixture-argument",
    "tests/python-pytest-import",
    "tests/python-raises-without-exception",
    "tests/python-redundant-scope",
    "tests/python-several-statements-in-raises",
    "tests/python-shadowed-test",
    "tests/python-test-default",
    "tests/python-tuple-assert",
    "tests/python-uncollected-test",
    "tests/python-unittest-assertion",
    "tests/python-unittest-raises",
    "tests/python-unmatched-raises",
    "tests/python-unreachable-assert",
    "tests/python-unused-fixture-argument",
    "tests/python-usefixtures-without-names",
    "tests/python-useless-yield",
    "tests/python-yield-fixture",
];

/// Parses the source of the report and runs the rules.
pub(super) fn check(report: &mut Report<'_>) -> Result<(), TooComplex> {
    let text = report.source().text();
    // The parser does not accept a byte order mark, so three line breaks, which have the same
    // length in bytes, replace it.
    let text = match text.strip_prefix('\u{FEFF}') {
        Some(rest) => Cow::Owned(format!("\n\n\n{rest}")),
        None => Cow::Borrowed(text),
    };
    with_stack(&text, || {
        let Ok(parsed) = ruff_python_parser::parse_module(&text) else { return };
        Walker::new(&text, report).run(parsed.syntax());
    })
}

fn span(node: &impl Ranged) -> Span {
    to_span(node.range())
}

fn to_span(range: TextRange) -> Span {
    Span { start: range.start().to_u32(), end: range.end().to_u32() }
}
