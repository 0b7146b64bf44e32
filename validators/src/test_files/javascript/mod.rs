//! Checks on tests in JavaScript and TypeScript, in one walk over the tree.

mod assertions;
mod blocks;
mod comments;
mod framework;
mod matchers;
mod names;
mod waits;
mod walk;

use super::nesting::{TooComplex, with_stack};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::source::Span;
use framework::Framework;
use names::Names;
use oxc_allocator::Allocator;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use std::cell::RefCell;
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
    let Ok(source_type) = SourceType::from_path(source.path()) else { return Ok(()) };
    // Many projects write JSX in files with the extension `.js`.
    let source_type = source_type.with_jsx(source_type.is_javascript());
    with_stack(source.text(), || {
        with_allocator(|allocator| {
            let options = ParseOptions {
                preserve_parens: false,
                allow_return_outside_function: true,
                // Names are compared with strings only.
                enable_ident_hashes: false,
                ..ParseOptions::default()
            };
            let parsed =
                Parser::new(allocator, source.text(), source_type).with_options(options).parse();
            if parsed.panicked {
                return;
            }
            let names = Names::new(&parsed.program, || Framework::of_project(files, source.path()));
            let mut walker = Walker::new(source.text(), &parsed.program, names, report);
            comments::check(&mut walker, &parsed.program);
            walker.visit_program(&parsed.program);
        });
    })
}

/// Maximum number of bytes that a thread keeps allocated between two files.
const MAX_RETAINED_BYTES: usize = 8 << 20;

thread_local! {
    /// The memory of the trees of a thread. Most of the cost of fresh memory is in the page faults.
    static ALLOCATOR: RefCell<Allocator> = RefCell::default();
}

/// Runs `check` with the memory of the thread, which is empty before and after.
fn with_allocator(check: impl FnOnce(&Allocator)) {
    ALLOCATOR.with(|retained| match retained.try_borrow_mut() {
        Ok(mut allocator) => {
            // A check that panicked has not emptied the memory.
            allocator.reset();
            check(&allocator);
            if allocator.capacity() > MAX_RETAINED_BYTES {
                *allocator = Allocator::default();
            } else {
                allocator.reset();
            }
        }
        Err(_) => check(&Allocator::default()),
    });
}

fn span(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}
