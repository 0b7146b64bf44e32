//! Checks on fixed waits and on tests that are repeated until they pass.

use super::names::Role;
use super::span;
use super::walk::Walker;
use oxc_ast::ast::{
    Argument, AwaitExpression, BinaryOperator, CallExpression, Expression, Statement,
};
use oxc_span::GetSpan;

/// The shortest wait in milliseconds that is reported.
const MIN_WAIT: f64 = 100.0;

/// Maximum number of links in a chain of calls.
const MAX_CHAIN: usize = 32;

/// The first name of a callee: `page` of `page.locator(…).click`.
pub(super) fn root_name<'a>(callee: &Expression<'a>) -> Option<&'a str> {
    let mut at = callee;
    for _ in 0..MAX_CHAIN {
        match at {
            Expression::Identifier(id) => return Some(id.name.as_str()),
            Expression::StaticMemberExpression(member) => at = &member.object,
            Expression::CallExpression(call) => at = &call.callee,
            _ => return None,
        }
    }
    None
}

/// The value of a numeric literal or a product of numeric literals.
fn numeric_value(expression: &Expression<'_>) -> Option<f64> {
    match expression {
        Expression::NumericLiteral(number) => Some(number.value),
        Expression::BinaryExpression(binary)
            if binary.operator == BinaryOperator::Multiplication =>
        {
            match (&binary.left, &binary.right) {
                (Expression::NumericLiteral(left), Expression::NumericLiteral(right)) => {
                    Some(left.value * right.value)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether the argument is a number of milliseconds that is long enough to be reported.
fn is_long(argument: Option<&Argument<'_>>) -> bool {
    argument
        .and_then(Argument::as_expression)
        .and_then(numeric_value)
        .is_some_and(|time| time >= MIN_WAIT)
}

/// Whether a wait at the current place delays a test.
fn delays_test(walker: &Walker<'_, '_, '_>) -> bool {
    walker.setups == 0
        && walker.functions.iter().all(|function| function.loops == 0)
        && walker
            .functions
            .last()
            .is_some_and(|function| matches!(function.role, Role::Test | Role::Hook))
}

fn report_wait(walker: &mut Walker<'_, '_, '_>, place: oxc_span::Span) {
    if let Some(finding) =
        walker.at("tests/sleeping-test", span(place), "test waits for a fixed time")
    {
        finding
            .help("Wait for the condition (`waitFor`, `findBy…`, an event), or use a fake clock");
    }
}

/// Reports `await` of a timer.
pub(super) fn check_await<'a>(walker: &mut Walker<'a, '_, '_>, expression: &AwaitExpression<'a>) {
    let is_wait = match &expression.argument {
        Expression::NewExpression(new) if new.callee.is_specific_id("Promise") => {
            new.arguments.first().and_then(Argument::as_expression).is_some_and(is_timer)
        }
        Expression::CallExpression(call) => {
            let name = match &call.callee {
                Expression::Identifier(id) => id.name.as_str(),
                Expression::StaticMemberExpression(member) => member.property.name.as_str(),
                _ => return,
            };
            matches!(
                name,
                "sleep" | "delay" | "wait" | "timeout" | "setTimeout" | "waitForTimeout" | "pause"
            ) && is_long(call.arguments.first())
        }
        _ => false,
    };
    if is_wait && delays_test(walker) {
        report_wait(walker, expression.span);
    }
}

/// Whether the function passed to `new Promise` only starts a timer that resolves the promise.
fn is_timer(function: &Expression<'_>) -> bool {
    let statement = match function {
        Expression::ArrowFunctionExpression(arrow) => {
            if let Some(expression) = arrow.get_expression() {
                return is_timer_call(expression);
            }
            arrow.body.as_function_body().map(|body| &body.statements)
        }
        Expression::FunctionExpression(function) => {
            function.body.as_ref().map(|body| &body.statements)
        }
        _ => None,
    };
    match statement.map(|statements| statements.as_slice()) {
        Some([Statement::ExpressionStatement(statement)]) => is_timer_call(&statement.expression),
        _ => false,
    }
}

fn is_timer_call(expression: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = expression else { return false };
    let is_timeout = match &call.callee {
        Expression::Identifier(id) => id.name == "setTimeout",
        Expression::StaticMemberExpression(member) => {
            member.property.name == "setTimeout"
                && member
                    .object
                    .get_identifier_reference()
                    .is_some_and(|object| matches!(object.name.as_str(), "globalThis" | "window"))
        }
        _ => false,
    };
    let resolves = match call.arguments.first() {
        Some(Argument::Identifier(_)) => true,
        Some(Argument::ArrowFunctionExpression(arrow)) => match arrow.get_expression() {
            Some(expression) => expression.is_call_expression(),
            None => arrow.body.as_function_body().is_some_and(|body| body.statements.len() == 1),
        },
        _ => false,
    };
    is_timeout && resolves && is_long(call.arguments.get(1))
}

/// Reports fixed waits of Cypress and tests that are retried.
pub(super) fn check_call<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Expression::StaticMemberExpression(member) = &call.callee else {
        check_options(walker, call);
        return;
    };
    let object = member.object.get_identifier_reference().map(|id| id.name.as_str());
    let first = call.arguments.first();
    let count = first.and_then(Argument::as_expression).and_then(numeric_value);
    let repeats = count.is_some_and(|count| count >= 1.0);
    match (object, member.property.name.as_str()) {
        (Some("cy"), "wait") if is_long(first) && delays_test(walker) => {
            report_wait(walker, call.span);
        }
        (Some("jest"), "retryTimes") if first.is_some() && count != Some(0.0) => {
            report_retries(walker, call.span);
        }
        (None, "retries") if repeats => {
            let is_test = match &member.object {
                Expression::ThisExpression(_) => true,
                Expression::CallExpression(inner) => walker.names.block(inner).is_some(),
                _ => false,
            };
            if is_test {
                report_retries(walker, call.span);
            }
        }
        _ => check_options(walker, call),
    }
}

fn report_retries(walker: &mut Walker<'_, '_, '_>, place: oxc_span::Span) {
    if let Some(finding) =
        walker.at("tests/retried-test", span(place), "tests are retried until they pass")
    {
        finding.help("Find out what the test depends on, or disable it and link an issue");
    }
}

/// Reports the options `retry` and `retries` of a test or suite.
fn check_options<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let object = call.arguments.iter().take(3).find_map(|argument| match argument {
        Argument::ObjectExpression(object) => Some(object),
        _ => None,
    });
    let Some(object) = object else { return };
    let is_configure = call.callee.span().source_text(walker.text) == "test.describe.configure";
    if !is_configure && walker.names.block(call).is_none() {
        return;
    }
    let retry_option = object.properties.iter().filter_map(|property| property.as_property()).find(|property| {
        let is_retry = property.key.static_name().is_some_and(|name| matches!(&*name, "retry" | "retries"));
        is_retry
            && match &property.value {
                Expression::NumericLiteral(number) => number.value >= 1.0,
                Expression::ObjectExpression(modes) => modes.properties.iter().filter_map(|mode| mode.as_property()).any(|mode| {
                    matches!(&mode.value, Expression::NumericLiteral(number) if number.value >= 1.0)
                }),
                _ => false,
            }
    });
    if let Some(property) = retry_option {
        report_retries(walker, property.span);
    }
}
