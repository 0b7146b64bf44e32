//! Checks whether assertions are complete, awaited and executed.

use super::framework::Framework;
use super::names::{Names, Role};
use super::span;
use super::walk::Walker;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::source::Span;
use oxc_ast::ast::{Argument, CallExpression, Expression, ReturnStatement};
use oxc_span::GetSpan;

/// Maximum number of links in the chain of an assertion.
const MAX_CHAIN: usize = 12;

/// The assertions of Playwright that wait until the page has the expected state.
const WEB_FIRST: [&str; 30] = [
    "toBeAttached",
    "toBeChecked",
    "toBeDisabled",
    "toBeEditable",
    "toBeEmpty",
    "toBeEnabled",
    "toBeFocused",
    "toBeHidden",
    "toBeInViewport",
    "toBeOK",
    "toBeVisible",
    "toContainClass",
    "toContainText",
    "toHaveAccessibleDescription",
    "toHaveAccessibleErrorMessage",
    "toHaveAccessibleName",
    "toHaveAttribute",
    "toHaveClass",
    "toHaveCount",
    "toHaveCSS",
    "toHaveId",
    "toHaveJSProperty",
    "toHaveRole",
    "toHaveScreenshot",
    "toHaveText",
    "toHaveTitle",
    "toHaveURL",
    "toHaveValue",
    "toHaveValues",
    "toMatchAriaSnapshot",
];

/// The connecting words in the assertion chains of Chai.
const CHAI: [&str; 14] = [
    "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "a", "an",
    "deep",
];

/// A chain that begins with a call of `expect`.
pub(super) struct Assertion<'a, 'n> {
    pub(super) head: &'n CallExpression<'a>,
    /// `soft`, `poll` or `element` for a chain that begins with `expect.soft(…)`, `expect.poll(…)`
    /// or `expect.element(…)`; otherwise empty.
    pub(super) variant: &'a str,
    /// The members of the chain, first to last.
    pub(super) members: Vec<(&'a str, Span)>,
    /// The arguments of the last member, if it is called.
    pub(super) arguments: Option<&'n [Argument<'a>]>,
}

impl<'a, 'n> Assertion<'a, 'n> {
    pub(super) fn new(names: &Names<'a>, expression: &'n Expression<'a>) -> Option<Self> {
        let mut members = Vec::new();
        let mut arguments = None;
        let mut at = expression.get_inner_expression();
        for _ in 0..MAX_CHAIN {
            match at {
                Expression::CallExpression(call) => {
                    if let Some(variant) = expect_variant(names, call) {
                        members.reverse();
                        return Some(Self { head: call, variant, members, arguments });
                    }
                    if members.is_empty() && arguments.is_none() {
                        arguments = Some(call.arguments.as_slice());
                    }
                    at = call.callee.get_inner_expression();
                }
                Expression::StaticMemberExpression(member) => {
                    members.push((member.property.name.as_str(), span(member.property.span)));
                    at = member.object.get_inner_expression();
                }
                _ => return None,
            }
        }
        None
    }

    pub(super) fn has_member(&self, name: &str) -> bool {
        self.members.iter().any(|(member, _)| *member == name)
    }

    fn is_chai(&self) -> bool {
        self.members.iter().any(|(member, _)| CHAI.contains(member))
    }

    /// The member or variant that makes the result of the assertion a promise; `None` if the result
    /// is not a promise.
    fn promise_reason(&self, names: &Names<'_>) -> Option<&'a str> {
        let (last, _) = *self.members.last()?;
        self.arguments?;
        if ["then", "catch", "finally", "notify"].iter().any(|name| self.has_member(name)) {
            return None;
        }
        let settled = ["resolves", "rejects"];
        if let Some((member, _)) = self.members.iter().find(|(member, _)| settled.contains(member))
        {
            return Some(member);
        }
        if self.is_chai() {
            let settled = ["eventually", "rejectedWith"];
            return self
                .members
                .iter()
                .find(|(member, _)| settled.contains(member))
                .map(|(member, _)| *member);
        }
        if matches!(self.variant, "poll" | "element") {
            return Some(self.variant);
        }
        (names.has_playwright_expect && WEB_FIRST.contains(&last)).then_some(last)
    }
}

/// The variant of a call of `expect`; empty for `expect(…)` itself.
fn expect_variant<'a>(names: &Names<'a>, call: &CallExpression<'a>) -> Option<&'a str> {
    match &call.callee {
        Expression::Identifier(id) => (names.role(id.name.as_str()) == Role::Expect).then_some(""),
        Expression::StaticMemberExpression(member) => {
            let Expression::Identifier(id) = &member.object else { return None };
            let variant = member.property.name.as_str();
            (matches!(variant, "soft" | "poll" | "element")
                && names.role(id.name.as_str()) == Role::Expect)
                .then_some(variant)
        }
        _ => None,
    }
}

/// Counts a call of `expect`, and checks whether it is in a condition, in a `catch` clause or
/// outside of a test.
pub(super) fn check_call<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    if let Expression::StaticMemberExpression(member) = &call.callee
        && matches!(member.property.name.as_str(), "assertions" | "hasAssertions")
    {
        walker.set_can_fail();
        if let Some(test) = walker.test() {
            test.can_fail = true;
        }
    }
    if expect_variant(&walker.names, call).is_none() {
        return;
    }
    walker.expects += 1;
    let end = call.callee.span().end;
    let place = Span { start: call.span.start, end };
    if walker.catches > 0
        && let Some(test) = walker.test()
        && test.expect_in_catch.is_none()
    {
        test.expect_in_catch = Some(place);
    }
    walker.set_can_fail();
    if walker.is_conditional()
        && let Some(finding) = walker.at(
            "tests/conditional-expect",
            span(call.span),
            "assertion that runs only under a condition",
        )
    {
        finding.help("Assert the condition too, or write one test for each case");
    }
    let is_outside = walker
        .functions
        .last()
        .is_none_or(|function| matches!(function.role, Role::Suite | Role::Hook));
    if is_outside
        && walker.test().is_none()
        && let Some(finding) =
            walker.at("tests/standalone-expect", span(call.span), "assertion outside of a test")
    {
        finding
            .help("Move the assertion into a test, so that the report names the test that failed");
    }
}

/// Checks an expression whose value is not used.
pub(super) fn check_statement<'a>(walker: &mut Walker<'a, '_, '_>, expression: &Expression<'a>) {
    let (inner, is_awaited) = match expression {
        Expression::AwaitExpression(awaited) => (&awaited.argument, true),
        expression => (expression, false),
    };
    if walker.test().is_some_and(|test| !test.has_assertion) && is_helper_call(inner, is_awaited) {
        walker.set_asserting();
    }
    let Some(assertion) = Assertion::new(&walker.names, inner) else { return };
    check_completeness(walker, &assertion, inner);
    if is_awaited {
        return;
    }
    let Some(reason) = assertion.promise_reason(&walker.names) else { return };
    let place = span(inner.span());
    let is_async = walker.functions.last().is_some_and(|function| function.is_async);
    let message =
        format!("the promise of this assertion (`{reason}`) is not awaited, so a failure is lost");
    if let Some(finding) = walker.at("tests/unawaited-assertion", walker.first_line(place), message)
    {
        finding.help("Write `await` before `expect`, in an `async` function");
        if is_async {
            finding.fix_unsafe("Await the assertion", vec![Edit::insert(place.start, "await ")]);
        }
    }
}

/// Checks the value of an arrow function without braces.
pub(super) fn check_value<'a>(walker: &mut Walker<'a, '_, '_>, expression: &Expression<'a>) {
    let inner = match expression {
        Expression::AwaitExpression(awaited) => &awaited.argument,
        expression => expression,
    };
    let is_test = walker.functions.last().is_some_and(|function| function.role == Role::Test);
    if !is_test {
        return;
    }
    if let Some(assertion) = Assertion::new(&walker.names, inner) {
        check_completeness(walker, &assertion, inner);
    }
}

/// Whether the expression calls a function that can contain assertions.
fn is_helper_call(expression: &Expression<'_>, is_awaited: bool) -> bool {
    let Expression::CallExpression(call) = expression else { return false };
    match &call.callee {
        Expression::Identifier(_) => true,
        Expression::StaticMemberExpression(member) if is_awaited => {
            let Expression::Identifier(object) = &member.object else { return false };
            let name = object.name.as_str();
            let lower = name.to_ascii_lowercase();
            let is_page = name != "page"
                && ["page", "po", "component"].iter().any(|part| lower.ends_with(part));
            is_page
                || ["Object", "Helper", "Driver", "Robot", "Model"]
                    .iter()
                    .any(|part| name.ends_with(part) && name.len() > part.len())
        }
        _ => false,
    }
}

/// Reports assertions that compare nothing: `expect(x)`, `expect(x).toBeTruthy`.
fn check_completeness<'a>(
    walker: &mut Walker<'a, '_, '_>,
    assertion: &Assertion<'a, '_>,
    whole: &Expression<'a>,
) {
    let place = walker.first_line(span(whole.span()));
    let message = match assertion.members.last() {
        // Other libraries take the assertion as an argument: `expect(x, "to be", y)`.
        // QUnit's `expect(3)` states the number of assertions.
        None if matches!(assertion.head.arguments.as_slice(), [Argument::NumericLiteral(_)]) => {
            return;
        }
        None if assertion.head.arguments.len() <= 1 => {
            "`expect` without a matcher asserts nothing".to_owned()
        }
        Some((last, _)) if assertion.arguments.is_none() && !assertion.is_chai() => {
            let is_matcher = last
                .strip_prefix("to")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
            if is_matcher {
                format!("matcher `{last}` is not called, so nothing is asserted")
            } else if matches!(*last, "not" | "resolves" | "rejects") {
                format!("`{last}` without a matcher asserts nothing")
            } else {
                return;
            }
        }
        _ => return,
    };
    let fix = assertion
        .members
        .last()
        .filter(|(last, _)| {
            matches!(
                *last,
                "toBeTruthy"
                    | "toBeFalsy"
                    | "toBeNull"
                    | "toBeUndefined"
                    | "toBeDefined"
                    | "toBeNaN"
                    | "toHaveBeenCalled"
                    | "toThrow"
                    | "toBeVisible"
                    | "toBeInTheDocument"
                    | "toBeDisabled"
                    | "toBeEnabled"
            )
        })
        .map(|(_, place)| place.end);
    if let Some(finding) = walker.at("tests/assertion-without-matcher", place, message) {
        finding.help("Call a matcher: `expect(value).toBe(expected)`");
        if assertion.head.arguments.first().is_some_and(throws_if_missing) {
            finding.severity = finding.severity.min(Severity::Info);
        }
        if let Some(end) = fix {
            finding.fix_unsafe("Call the matcher", vec![Edit::insert(end, "()")]);
        }
    }
}

/// Whether an argument is a query of Testing Library that fails if it finds no element, such as
/// `screen.getByRole("button")`: without a matcher, `expect` is redundant, but the test checks
/// something.
fn throws_if_missing(argument: &Argument<'_>) -> bool {
    let call = match argument {
        Argument::CallExpression(call) => call,
        Argument::AwaitExpression(waiting) => match &waiting.argument {
            Expression::CallExpression(call) => call,
            _ => return false,
        },
        _ => return false,
    };
    let name = match &call.callee {
        Expression::Identifier(name) => name.name.as_str(),
        Expression::StaticMemberExpression(member) => member.property.name.as_str(),
        _ => return false,
    };
    // The method of Cypress asserts by itself.
    name == "should"
        || ["getBy", "getAllBy", "findBy", "findAllBy"].iter().any(|start| name.starts_with(start))
}

/// Reports a statement that is a chain of promises with assertions, if the test does not wait for
/// the promises.
pub(super) fn check_promise<'a>(walker: &mut Walker<'a, '_, '_>, expression: &Expression<'a>) {
    let Expression::CallExpression(call) = expression else { return };
    let Expression::StaticMemberExpression(member) = &call.callee else { return };
    let name = member.property.name.as_str();
    let Some(function) = walker.functions.last() else { return };
    if !matches!(name, "then" | "catch" | "finally")
        || function.role != Role::Test
        || function.is_async
    {
        return;
    }
    // Cypress waits for its queued commands, and a test with `done` waits for that call.
    let is_queued = super::waits::root_name(&call.callee)
        .is_none_or(|root| matches!(root, "cy" | "expect"))
        || walker.names.framework == Framework::Cypress;
    let text = expression.span().source_text(walker.text);
    if is_queued
        || ["done", "cb(", "callback", "resolve", "reject", ".end("]
            .iter()
            .any(|word| text.contains(word))
    {
        return;
    }
    let place = walker.first_line(span(expression.span()));
    if let Some(finding) = walker.at(
        "tests/unreturned-promise",
        place,
        "the test ends before the assertions in this promise run",
    ) {
        finding.help("Return the promise, or make the function `async` and await it");
    }
}

/// Reports `return` with a value in the function of a test.
pub(super) fn check_return(walker: &mut Walker<'_, '_, '_>, statement: &ReturnStatement<'_>) {
    let is_test = walker.functions.last().is_some_and(|function| function.role == Role::Test);
    if is_test
        && let Some(value) = &statement.argument
        && matches!(value, Expression::CallExpression(_))
    {
        let place = Span { start: statement.span.start, end: statement.span.start + 6 };
        if let Some(finding) = walker.at("tests/returned-value", place, "test returns a value") {
            finding.help("Await the promise instead of returning it");
        }
    }
}
