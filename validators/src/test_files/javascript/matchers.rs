//! Checks on the choice of matchers.

use super::assertions::Assertion;
use super::span;
use super::walk::Walker;
use aidd_engine::text::finding::Edit;
use oxc_ast::ast::{Argument, BinaryOperator, CallExpression, Expression};
use oxc_span::GetSpan;

/// The aliases of matchers that Jest removed in version 30, with the names of the matchers.
const ALIASES: [(&str, &str); 11] = [
    ("toBeCalled", "toHaveBeenCalled"),
    ("toBeCalledTimes", "toHaveBeenCalledTimes"),
    ("toBeCalledWith", "toHaveBeenCalledWith"),
    ("lastCalledWith", "toHaveBeenLastCalledWith"),
    ("nthCalledWith", "toHaveBeenNthCalledWith"),
    ("toReturn", "toHaveReturned"),
    ("toReturnTimes", "toHaveReturnedTimes"),
    ("toReturnWith", "toHaveReturnedWith"),
    ("lastReturnedWith", "toHaveLastReturnedWith"),
    ("nthReturnedWith", "toHaveNthReturnedWith"),
    ("toThrowError", "toThrow"),
];

/// Checks the call of a matcher.
pub(super) fn check<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Expression::StaticMemberExpression(member) = &call.callee else { return };
    let name = member.property.name.as_str();
    if !name.starts_with("to") && !name.starts_with("last") && !name.starts_with("nth") {
        return;
    }
    let Some(assertion) = Assertion::new(&walker.names, &member.object) else { return };
    if assertion.arguments.is_some() {
        return;
    }
    let place = span(member.property.span);
    let is_negated = assertion.has_member("not");
    if let Some((_, new)) = ALIASES.iter().find(|(old, _)| *old == name)
        && let Some(finding) =
            walker.at("tests/alias-matcher", place, format!("`{name}` is an alias of `{new}`"))
    {
        finding.help(format!("Write `{new}`; Jest 30 removed the alias"));
        finding.fix(format!("Write `{new}`"), vec![Edit::replace(place, *new)]);
    }
    let first = call.arguments.first().and_then(Argument::as_expression);
    if matches!(name, "toThrow" | "toThrowError")
        && call.arguments.is_empty()
        && !is_negated
        && let Some(finding) = walker.at(
            "tests/throw-without-message",
            place,
            format!("`{name}` without the expected error accepts every error"),
        )
    {
        finding.help("Pass the error message, a regular expression or the error class");
    }
    if name == "toMatchInlineSnapshot"
        && let Some(Argument::TemplateLiteral(template)) = call.arguments.last()
        && !template.expressions.is_empty()
        && let Some(finding) = walker.at(
            "tests/interpolated-snapshot",
            span(template.span),
            "a snapshot with `${…}` cannot be updated",
        )
    {
        finding.help("Write the value into the snapshot, or use a matcher such as `toEqual`");
    }
    if name == "toEqual"
        && first.is_some_and(|value| !is_primitive(value))
        && let Some(finding) = walker.at(
            "tests/loose-equality",
            place,
            "`toEqual` ignores `undefined` properties and types",
        )
    {
        finding.help("Write `toStrictEqual`");
        finding.fix_unsafe("Write `toStrictEqual`", vec![Edit::replace(place, "toStrictEqual")]);
    }
    let value = assertion.head.arguments.first().and_then(Argument::as_expression);
    if let (Some(value), true) = (value, assertion.variant.is_empty()) {
        check_constant(walker, name, value, first, is_negated, call);
        check_precision(walker, name, value, first, place);
    }
}

fn is_equality(name: &str) -> bool {
    matches!(name, "toBe" | "toEqual" | "toStrictEqual")
}

fn is_primitive(value: &Expression<'_>) -> bool {
    match value {
        Expression::TemplateLiteral(template) => template.expressions.is_empty(),
        Expression::UnaryExpression(unary) => unary.argument.is_number_literal(),
        value => value.is_literal() || value.is_undefined() || value.is_nan(),
    }
}

/// Reports assertions on literals, whose result never changes.
fn check_constant<'a>(
    walker: &mut Walker<'a, '_, '_>,
    name: &str,
    value: &Expression<'a>,
    expected: Option<&Expression<'a>>,
    is_negated: bool,
    call: &CallExpression<'a>,
) {
    if is_negated || !value.is_literal() {
        return;
    }
    let text = |expression: &Expression<'a>| expression.span().source_text(walker.text);
    let always = match expected {
        Some(expected) if is_equality(name) => {
            expected.is_literal() && text(expected) == text(value)
        }
        None => {
            name == "toBeTruthy"
                && matches!(value, Expression::BooleanLiteral(value) if value.value)
        }
        _ => false,
    };
    if always
        && let Some(finding) =
            walker.at("tests/constant-assertion", span(call.span), "assertion that cannot fail")
    {
        finding.help("Assert a result of the code under test");
    }
}

/// Reports comparisons for which a matcher with a better message exists.
fn check_precision<'a>(
    walker: &mut Walker<'a, '_, '_>,
    name: &str,
    value: &Expression<'a>,
    expected: Option<&Expression<'a>>,
    place: aidd_engine::text::source::Span,
) {
    let Some(expected) = expected.filter(|_| is_equality(name)) else { return };
    let better = if matches!(value, Expression::StaticMemberExpression(member) if member.property.name == "length")
    {
        "toHaveLength"
    } else if expected.is_null() {
        "toBeNull"
    } else if expected.is_undefined() {
        "toBeUndefined"
    } else if expected.is_nan() {
        "toBeNaN"
    } else if matches!(expected, Expression::BooleanLiteral(_))
        && let Some(better) = comparison_matcher(value)
    {
        better
    } else if name != "toBe" && is_primitive(expected) {
        "toBe"
    } else {
        return;
    };
    let has_no_argument = matches!(better, "toBeNull" | "toBeUndefined" | "toBeNaN");
    let whole = span(expected.span());
    if let Some(finding) = walker.at(
        "tests/imprecise-matcher",
        place,
        format!("`{better}` is more precise than `{name}` here"),
    ) {
        finding.help(format!("Write `{better}`"));
        if has_no_argument {
            finding.fix(
                format!("Write `{better}`"),
                vec![Edit::replace(place, better), Edit::delete(whole)],
            );
        } else if better == "toBe" {
            finding.fix("Write `toBe`", vec![Edit::replace(place, "toBe")]);
        }
    }
}

/// The matcher for a value that is a comparison.
fn comparison_matcher(value: &Expression<'_>) -> Option<&'static str> {
    match value {
        Expression::BinaryExpression(binary) => Some(match binary.operator {
            BinaryOperator::StrictEquality | BinaryOperator::StrictInequality => "toBe",
            BinaryOperator::GreaterThan => "toBeGreaterThan",
            BinaryOperator::GreaterEqualThan => "toBeGreaterThanOrEqual",
            BinaryOperator::LessThan => "toBeLessThan",
            BinaryOperator::LessEqualThan => "toBeLessThanOrEqual",
            _ => return None,
        }),
        Expression::CallExpression(call) => {
            let member = call.callee.get_member_expr()?;
            (member.static_property_name()? == "includes" && call.arguments.len() == 1)
                .then_some("toContain")
        }
        _ => None,
    }
}
