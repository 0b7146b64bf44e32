//! Checks on the calls that define tests, suites and hooks.

use super::comments;
use super::framework::Framework;
use super::names::{Block, Callback, Role};
use super::span;
use super::walk::{Frame, Walker};
use aidd_engine::text::finding::{Edit, Finding, Severity};
use aidd_engine::text::source::Span;
use oxc_ast::ast::{Argument, CallExpression, Expression, ImportDeclaration, ObjectExpression};
use oxc_span::GetSpan;

/// Maximum number of comments of a test that are read.
const MAX_COMMENTS: usize = 64;

/// Parts of the paths of files whose tests check types when they are compiled.
const TYPE_TESTS: [&str; 2] = ["test-d.", "types.test."];

pub(super) fn check<'a>(
    walker: &mut Walker<'a, '_, '_>,
    block: &Block<'a, '_>,
    call: &CallExpression<'a>,
) {
    check_suspended(walker, block);
    check_focused(walker, block, call);
    check_disabled(walker, block, call);
    match block.role {
        Role::Hook => {
            check_duplicate_hook(walker, block);
            return;
        }
        Role::Foreign => return,
        _ => {}
    }
    check_title(walker, block);
    let Some(callback) = &block.callback else { return };
    if block.role == Role::Test {
        check_test(walker, block, callback, call);
    }
}

/// The span of the function name with its modifiers: `it.only`.
fn name_with_modifiers(block: &Block<'_, '_>) -> Span {
    let end = block.modifiers.last().map_or(block.name_span.end, |(_, last)| last.end);
    Span { start: block.name_span.start, end: end.max(block.name_span.end) }
}

fn true_option(object: &ObjectExpression<'_>, keys: &[&str]) -> Option<Span> {
    object.properties.iter().filter_map(|property| property.as_property()).find_map(|property| {
        let name = property.key.static_name()?;
        let is_set = matches!(&property.value, Expression::BooleanLiteral(value) if value.value);
        (keys.contains(&&*name) && is_set).then(|| span(property.span))
    })
}

/// Whether the arguments look like those of a test or suite, not of another function.
fn is_definition(block: &Block<'_, '_>) -> bool {
    let is_text = block.title.is_some_and(|title| {
        matches!(title, Argument::StringLiteral(_) | Argument::TemplateLiteral(_))
    });
    is_text || block.callback.is_some()
}

fn check_focused<'a>(
    walker: &mut Walker<'a, '_, '_>,
    block: &Block<'a, '_>,
    call: &CallExpression<'a>,
) {
    let is_renamed = matches!(block.name, "fit" | "fdescribe" | "fcontext");
    let only = block.modifiers.iter().find(|(name, _)| *name == "only");
    let option = block.options.and_then(|options| true_option(options, &["only"]));
    if is_renamed && block.callback.is_some() && block.title.is_some_and(is_text_argument) {
        let name = &block.name[1..];
        let edit = Edit::replace(span(block.name_span), name);
        let is_alone = is_alone(walker);
        let finding = walker.at(
            "tests/focused-test",
            name_with_modifiers(block),
            focus_message(call, walker.text),
        );
        finish_focus(finding, vec![edit], is_alone);
    } else if let Some(&(_, only)) = only
        && is_definition(block)
    {
        let before = walker.text[..only.start as usize].trim_end();
        let dot = Span::new(before.len().saturating_sub(1), only.end as usize);
        let edit = Edit::delete(dot);
        let is_alone = is_alone(walker);
        let finding = walker.at(
            "tests/focused-test",
            name_with_modifiers(block),
            focus_message(call, walker.text),
        );
        let edits = if before.ends_with('.') { vec![edit] } else { Vec::new() };
        finish_focus(finding, edits, is_alone);
    } else if let Some(option) = option
        && is_definition(block)
    {
        let is_alone = is_alone(walker);
        finish_focus(
            walker.at("tests/focused-test", option, focus_message(call, walker.text)),
            Vec::new(),
            is_alone,
        );
    }
}

/// Whether the file has only one test, and the framework runs each file on its own, so that a focus
/// disables nothing. In Mocha and Playwright, a focus also disables the tests of other files.
fn is_alone(walker: &Walker<'_, '_, '_>) -> bool {
    !matches!(walker.names.framework, Framework::Mocha | Framework::Playwright | Framework::Node)
        && walker.count_tests() == 1
}

fn is_text_argument(argument: &Argument<'_>) -> bool {
    matches!(argument, Argument::StringLiteral(_) | Argument::TemplateLiteral(_))
}

fn focus_message(call: &CallExpression<'_>, text: &str) -> String {
    let start = call.span.start as usize;
    let end = text.floor_char_boundary((call.span.end as usize).min(start + 240));
    let first = text[start..end].lines().next();
    let mut line: String = first.unwrap_or_default().chars().take(60).collect();
    line.truncate(line.trim_end().len());
    format!("focused test disables all others: `{line}`")
}

fn finish_focus(finding: Option<&mut Finding>, edits: Vec<Edit>, is_alone: bool) {
    if let Some(finding) = finding {
        if is_alone {
            finding.severity = Severity::Info;
            finding.message =
                finding.message.replacen("disables all others", "has no effect now", 1);
        }
        finding.help("Remove the focus before committing");
        if !edits.is_empty() {
            finding.fix_unsafe("Remove the focus", edits);
        }
    }
}

/// Whether a block is skipped: `xit`, `describe.skip`.
pub(super) fn is_skipped(block: &Block<'_, '_>) -> bool {
    block.name.starts_with('x')
        || block.modifiers.iter().any(|(name, _)| matches!(*name, "skip" | "fixme" | "ignore"))
}

fn check_disabled<'a>(
    walker: &mut Walker<'a, '_, '_>,
    block: &Block<'a, '_>,
    call: &CallExpression<'a>,
) {
    let is_skipped = is_skipped(block);
    let first = call.arguments.first();
    let is_named = first.is_some_and(is_text_argument)
        || block.callback.is_some()
            && block.title.is_some()
            && !matches!(
                first,
                Some(Argument::ArrowFunctionExpression(_) | Argument::FunctionExpression(_))
            );
    // `test.skip()` in a test of Playwright.
    let is_whole_test =
        first.is_none() && matches!(block.modifiers.as_slice(), [("skip" | "fixme", _)]);
    let option = block.options.and_then(|options| true_option(options, &["skip", "ignore"]));
    let place = if is_skipped && (is_named || is_whole_test) && block.role != Role::Hook {
        Some(name_with_modifiers(block))
    } else {
        option.filter(|_| is_named)
    };
    let Some(place) = place else { return };
    let title = first.map(|title| title.span().source_text(walker.text)).unwrap_or_default();
    if comments::names_issue(title) || comments::has_issue(walker, span(call.span)) {
        return;
    }
    if let Some(finding) =
        walker.at("tests/disabled-test", place, "skipped test without a linked issue")
    {
        finding.help("Fix or delete the test, or reference the issue on the line before it: `#123` or its URL");
    }
}

fn check_duplicate_hook<'a>(walker: &mut Walker<'a, '_, '_>, block: &Block<'a, '_>) {
    let name = block.modifiers.first().map_or(block.name, |(name, _)| *name);
    if walker.functions.last().is_some_and(|function| function.role != Role::Suite) {
        return;
    }
    let is_first = walker.frame().hooks.insert(name);
    if block.callback.is_some() && !is_first {
        let message = format!("second `{name}` in the same suite");
        if let Some(finding) =
            walker.at("tests/duplicate-hook", name_with_modifiers(block), message)
        {
            finding.help("Move the statements into one hook");
        }
    }
}

/// The text of a title without substitutions.
fn literal_title<'a>(title: &Argument<'a>) -> Option<&'a str> {
    match title {
        Argument::StringLiteral(text) => Some(text.value.as_str()),
        Argument::TemplateLiteral(template) => template.single_quasi().map(|text| text.as_str()),
        _ => None,
    }
}

fn check_title<'a>(walker: &mut Walker<'a, '_, '_>, block: &Block<'a, '_>) {
    let Some(title) = block.title else { return };
    let place = span(title.span());
    let invalid = match title {
        Argument::NumericLiteral(_)
        | Argument::ObjectExpression(_)
        | Argument::ArrayExpression(_)
        | Argument::BooleanLiteral(_)
        | Argument::NullLiteral(_) => {
            block.callback.is_some().then_some("the title is not a string")
        }
        _ => match literal_title(title) {
            Some(text) if text.trim().is_empty() => Some("the title is empty"),
            Some(text) if text.trim() != text => Some("the title begins or ends with a space"),
            Some(text) if text.split(' ').next().is_some_and(|first| first == block.name) => {
                Some("the title repeats the name of the function")
            }
            _ => None,
        },
    };
    if let Some(message) = invalid
        && let Some(finding) = walker.at("tests/invalid-title", place, message)
    {
        finding.help("Write a title that states the behaviour");
    }
    let Some(text) = literal_title(title) else { return };
    let in_suite = walker
        .functions
        .last()
        .is_none_or(|function| function.role == Role::Suite && function.loops == 0);
    if block.is_each()
        || !in_suite
        || walker.conditions > 0
        || text.is_empty()
        || block.callback.is_none()
    {
        return;
    }
    let key = (block.role, text);
    let is_single = has_one_statement(block);
    if let Some((first, is_first_single)) = walker.frame().titles.get(&key).copied() {
        let what = if block.role == Role::Suite { "suite" } else { "test" };
        let message = format!("another {what} in the same block has this title");
        let is_listing = is_single && is_first_single && walker.frames.len() > 1;
        let is_scenario = is_scenario(walker);
        if let Some(finding) = walker.at("tests/duplicate-title", place, message) {
            finding
                .help("Use each title only once, or delete the copy")
                .related(first, "the first use of the title");
            // Two suites with the same title are often parts of one suite, and their tests have
            // different titles.
            if block.role == Role::Suite || is_listing || is_scenario {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
    } else {
        walker.frame().titles.insert(key, (place, is_single));
    }
}

/// Whether the function of a block consists of one statement. Several such tests with the same title
/// in a suite are a list of cases: the suite names the case, and the statement is as short as a title.
fn has_one_statement(block: &Block<'_, '_>) -> bool {
    block
        .callback
        .as_ref()
        .is_some_and(|callback| callback.body.is_none_or(|body| body.statements.len() == 1))
}

/// Whether the tests of the file are the steps of a scenario, which can repeat a step: Cypress runs
/// them in order in one browser.
fn is_scenario(walker: &Walker<'_, '_, '_>) -> bool {
    let path = walker.report.source().path();
    walker.names.framework == Framework::Cypress
        || path.contains(".cy.")
        || path.split('/').any(|part| part == "cypress")
}

/// Notes the first `await` in the function of a suite, if the framework does not wait for it.
pub(super) fn note_await(walker: &mut Walker<'_, '_, '_>, place: oxc_span::Span) {
    let is_collecting = matches!(
        walker.names.framework,
        Framework::Jest | Framework::Mocha | Framework::Playwright | Framework::Cypress
    );
    let in_suite = walker.functions.last().is_some_and(|function| function.role == Role::Suite);
    if is_collecting && in_suite {
        let keyword = Span { start: place.start, end: place.start + 5 };
        walker.frame().first_await.get_or_insert(keyword);
    }
}

/// Reports the `await` that precedes a test, hook or suite in the function of its suite: a function
/// that is awaited last can define all its tests before it suspends.
fn check_suspended(walker: &mut Walker<'_, '_, '_>, block: &Block<'_, '_>) {
    let in_suite = walker.functions.last().is_some_and(|function| function.role == Role::Suite);
    if !in_suite || block.role == Role::Foreign {
        return;
    }
    let begin = block.name_span.start;
    let Some(keyword) = walker.frame().first_await.filter(|keyword| keyword.end < begin) else {
        return;
    };
    let is_reported = walker.frame().is_await_reported;
    walker.frame().is_await_reported = true;
    if is_reported {
        return;
    }
    let message = "the framework does not wait for this suite: tests after the `await` are lost or are not part of the suite";
    if let Some(finding) = walker.at("tests/async-suite", keyword, message) {
        finding.help("Move the asynchronous part into a hook such as `beforeAll`");
    }
}

fn check_test<'a>(
    walker: &mut Walker<'a, '_, '_>,
    block: &Block<'a, '_>,
    callback: &Callback<'a, '_>,
    call: &CallExpression<'a>,
) {
    let place = Span {
        start: call.span.start,
        end: block.title.map_or(block.name_span.end, |title| title.span().end),
    };
    let is_done =
        matches!(walker.names.framework, Framework::Jest | Framework::Mocha | Framework::Cypress);
    let parameter = callback.params.items.first().filter(|_| !block.is_each());
    if let Some(parameter) = parameter
        && let Some(name) = parameter.pattern.get_identifier_name()
    {
        let done = span(parameter.pattern.span());
        if callback.is_async && is_done {
            let message = format!(
                "test is asynchronous and also has the callback `{name}`; the framework rejects it"
            );
            if let Some(finding) = walker.at("tests/async-test-with-done", done, message) {
                finding.help("Delete the parameter and await the promises");
            }
        } else if matches!(&*name, "done" | "cb" | "callback")
            && let Some(finding) = walker.at(
                "tests/done-callback",
                done,
                format!("the callback `{name}` ends the test"),
            )
        {
            finding.help("Return or await a promise; a test that throws before the callback fails only after the time limit");
        }
    }
    // A skipped test with tests in it is a suite that somebody disabled as a whole.
    let is_nested = walker.functions.last().is_some_and(|function| function.role == Role::Test)
        && !walker.frames.iter().any(|frame| frame.is_skipped)
        && block.title.is_some_and(is_text_argument)
        && !matches!(
            walker.names.framework,
            Framework::Node | Framework::Foreign | Framework::Unknown
        );
    if is_nested
        && let Some(finding) =
            walker.at("tests/nested-test", place, "test in the function of another test")
    {
        finding.help("Move the test out, or make the outer call a suite");
    }
    let Some(body) = callback.body else { return };
    let is_empty = body.statements.is_empty() && !has_comment(walker, span(body.span));
    let is_pending =
        block.modifiers.iter().any(|(name, _)| matches!(*name, "todo" | "skip" | "fixme"))
            || block.name.starts_with('x')
            || walker.frames.iter().any(|frame| frame.is_skipped);
    // Mocha runs the hooks of a suite only if the suite has a test, and a hook can contain the check.
    let has_setup = walker.frames.last().is_some_and(|frame| {
        ["before", "beforeAll", "beforeEach"].iter().any(|name| frame.hooks.contains(name))
    });
    if is_empty
        && !has_setup
        && !is_pending
        && block.title.is_some_and(is_text_argument)
        && let Some(finding) =
            walker.at("tests/empty-test", place, "test without statements always passes")
    {
        finding.help("Write the test, mark it with `todo`, or delete it");
    }
}

fn has_comment(walker: &Walker<'_, '_, '_>, body: Span) -> bool {
    let first = walker.comments.partition_point(|comment| comment.span.start < body.start);
    walker.comments.get(first).is_some_and(|comment| comment.span.end <= body.end)
}

/// Whether the rule on missing assertions does not apply to a block: it is not a plain test with a
/// title and a body in braces, its body is empty, or a comment can explain why the assertion is
/// missing.
pub(super) fn is_exempt<'a>(
    walker: &Walker<'a, '_, '_>,
    block: &Block<'a, '_>,
    callback: &Callback<'a, '_>,
) -> bool {
    let is_plain = block.role == Role::Test
        && matches!(block.name, "it" | "test")
        && block.title.is_some_and(is_text_argument)
        && block.modifiers.iter().all(|(name, _)| {
            matches!(*name, "only" | "concurrent" | "sequential" | "serial" | "each")
        });
    let Some(body) = callback.body.filter(|_| is_plain) else { return true };
    if body.statements.is_empty() && !has_comment(walker, span(body.span)) {
        return true;
    }
    // A comment can explain why the assertion is missing.
    let first = walker.comments.partition_point(|comment| comment.span.start < body.span.start);
    let mut inside = walker.comments[first..]
        .iter()
        .take(MAX_COMMENTS)
        .take_while(|comment| comment.span.end <= body.span.end);
    inside.any(|comment| {
        let text = comment.content_span().source_text(walker.text).trim_start();
        !["TODO", "FIXME", "eslint", "@ts"].iter().any(|start| text.starts_with(start))
    })
}

/// Runs the checks at the end of a test.
pub(super) fn finish(walker: &mut Walker<'_, '_, '_>, frame: &Frame<'_>) {
    if frame.role != Role::Test {
        return;
    }
    if let Some(place) = frame.expect_in_catch
        && !frame.can_fail
        && let Some(finding) = walker.at(
            "tests/expect-in-catch",
            place,
            "all assertions are in a `catch`; the test passes when nothing is thrown",
        )
    {
        finding.help("Write `await expect(promise).rejects.toThrow(…)` or `expect(() => …).toThrow(…)`, or add `expect.assertions(…)`");
    }
    if frame.has_assertion || frame.is_exempt || checks_types(walker, frame.whole) {
        return;
    }
    if let Some(finding) =
        walker.at("tests/assertion-free-test", frame.span, "test without an assertion")
    {
        finding.help("Assert what the test name promises, and check once that the test can fail");
    }
}

/// Whether the test appears to check types, so that compiling it fails if they do not match.
fn checks_types(walker: &Walker<'_, '_, '_>, whole: Span) -> bool {
    let path = walker.report.source().path();
    if TYPE_TESTS.iter().any(|part| path.contains(part)) {
        return true;
    }
    let text = &walker.text[whole.range()];
    let is_type = |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_uppercase());
    text.contains(" satisfies ")
        || text.split(" as ").skip(1).any(is_type)
        || text.split(": ").skip(1).any(is_type)
}

pub(super) fn check_condition(walker: &mut Walker<'_, '_, '_>, place: oxc_span::Span, what: &str) {
    if walker.test().is_none() {
        return;
    }
    let first = walker.first_line(span(place));
    if let Some(finding) =
        walker.at("tests/conditional-in-test", first, format!("condition `{what}` in a test"))
    {
        finding.help("Write one test for each case");
    }
}

pub(super) fn check_export(walker: &mut Walker<'_, '_, '_>, place: oxc_span::Span, is_type: bool) {
    let name = walker.report.source().name();
    if is_type || !(name.contains(".test.") || name.contains(".spec.")) {
        return;
    }
    let place = Span { start: place.start, end: place.start + 6 };
    if let Some(finding) = walker.at("tests/exported-test-file", place, "export from a test file") {
        finding.help(
            "Move the export into a file without tests; importing this file runs its tests again",
        );
    }
}

pub(super) fn check_import(walker: &mut Walker<'_, '_, '_>, import: &ImportDeclaration<'_>) {
    if import.source.value.as_str().split('/').any(|part| part == "__mocks__")
        && let Some(finding) =
            walker.at("tests/mocks-import", span(import.source.span), "import from `__mocks__`")
    {
        finding.help("Import the module itself; the framework replaces it with the mock, and there is only one instance");
    }
}
