//! Checks on tests in JavaScript and TypeScript, in one walk over the tree.

mod assertions;
mod blocks;
mod comments;
mod framework;
mod matchers;
mod names;
mod waits;
mod walk;

use crate::scripts::nesting::TooComplex;
use crate::scripts::with_program;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::source::Span;
use framework::Framework;
use names::Names;
use oxc_ast_visit::Visit;
use walk::Walker;

/// The rules on tests in JavaScript and TypeScript.
pub(super) const RULES: &[&str] = &[
    "tests/alias-matcher",
    "tests/assertion-free-test",
    "tests/assertion-without-matcher",
    "tests/async-suite",
    "tests/async-test-with-done",
    "tests/commented-out-test",
    "tests/conditional-expect",
    "tests/conditional-in-test",
    "tests/constant-assertion",
    "tests/disabled-test",
    "tests/done-callback",
    "tests/duplicate-hook",
    "tests/duplicate-title",
    "tests/empty-test",
    "tests/expect-in-catch",
    "tests/exported-test-file",
    "tests/focused-test",
    "tests/imprecise-matcher",
    "tests/interpolated-snapshot",
    "tests/invalid-title",
    "tests/loose-equality",
    "tests/mocks-import",
    "tests/nested-test",
    "tests/retried-test",
    "tests/returned-value",
    "tests/sleeping-test",
    "tests/standalone-expect",
    "tests/throw-without-message",
    "tests/unawaited-assertion",
    "tests/unreturned-promise",
];

/// Whether the text can contain a call that defines a test.
pub(super) fn may_define_tests(text: &str) -> bool {
    ["describe", "it(", "test(", "it.", "test."]
        .iter()
        .any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Parses the source of the report and runs the rules.
pub(super) fn check(files: &dyn Files, report: &mut Report<'_>) -> Result<(), TooComplex> {
    let source = report.source();
    with_program(source, |program| {
        let names = Names::new(program, || Framework::of_project(files, source.path()));
        let mut walker = Walker::new(source.text(), program, names, report);
        comments::check(&mut walker, program);
        walker.visit_program(program);
    })
}

fn span(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}
