//! Checks on marks of pytest.

use super::span;
use super::walk::Walker;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use ruff_python_ast::comparable::ComparableExpr;
use ruff_python_ast::{Decorator, Expr, ExprCall};
use std::collections::HashMap;

/// Checks a decorator of a function or class.
pub(super) fn check_decorator<'a>(walker: &mut Walker<'a, '_, '_>, decorator: &'a Decorator) {
    let (callee, call) = match &decorator.expression {
        Expr::Call(call) => (&*call.func, Some(call)),
        expression => (expression, None),
    };
    let Some(name) = walker.dotted(callee) else { return };
    let ["pytest", "mark", mark] = &*name else { return };
    if let Some(call) = call {
        let parentheses = span(&call.arguments);
        let is_empty = call.arguments.is_empty() && walker.slice(parentheses) == "()";
        if *mark == "usefixtures" && call.arguments.is_empty() {
            if let Some(finding) = walker.at(
                "tests/python-usefixtures-without-names",
                span(decorator),
                "`usefixtures` without a fixture has no effect",
            ) {
                finding.help("Name a fixture, or delete the mark");
            }
        } else if is_empty
            && let Some(finding) = walker.at(
                "tests/python-mark-parentheses",
                parentheses,
                "mark with empty parentheses",
            )
        {
            finding.help(format!("Write `@pytest.mark.{mark}`"));
            finding.fix("Delete the parentheses", vec![Edit::delete(parentheses)]);
        }
        if *mark == "parametrize" {
            check_parametrize(walker, call);
        }
    } else if *mark == "usefixtures"
        && let Some(finding) = walker.at(
            "tests/python-usefixtures-without-names",
            span(decorator),
            "`usefixtures` without a fixture has no effect",
        )
    {
        finding.help("Name a fixture, or delete the mark");
    }
}

/// Reports marks of a fixture, which pytest ignores.
pub(super) fn check_fixture<'a>(walker: &mut Walker<'a, '_, '_>, decorator: &'a Decorator) {
    let callee = match &decorator.expression {
        Expr::Call(call) => &*call.func,
        expression => expression,
    };
    let Some(name) = walker.dotted(callee) else { return };
    let ["pytest", "mark", mark @ ("asyncio" | "usefixtures")] = &*name else { return };
    let message = format!("the mark `{mark}` has no effect on a fixture");
    if let Some(finding) = walker.at("tests/python-mark-on-fixture", span(decorator), message) {
        finding.help(if *mark == "usefixtures" {
            "Request the fixture as a parameter; pytest 9 rejects the mark"
        } else {
            "Delete the mark; pytest 9 rejects it"
        });
    }
}

fn check_parametrize<'a>(walker: &mut Walker<'a, '_, '_>, call: &'a ExprCall) {
    let argument = |position: usize, name: &str| {
        call.arguments.args.get(position).or_else(|| {
            let mut keywords = call.arguments.keywords.iter();
            keywords
                .find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == name))
                .map(|keyword| &keyword.value)
        })
    };
    let (Some(names), Some(values)) = (argument(0, "argnames"), argument(1, "argvalues")) else {
        return;
    };
    let is_several = match names {
        Expr::StringLiteral(text) => {
            text.value.to_str().split(',').filter(|name| !name.trim().is_empty()).count() > 1
        }
        Expr::Tuple(tuple) => tuple.elts.len() > 1,
        Expr::List(list) => list.elts.len() > 1,
        _ => false,
    };
    let expected = match names {
        Expr::StringLiteral(_) if is_several => Some("a tuple of strings"),
        Expr::List(_) if is_several => Some("a tuple of strings"),
        Expr::Tuple(_) | Expr::List(_) if !is_several => Some("a string"),
        _ => None,
    };
    if let Some(expected) = expected
        && let Some(finding) = walker.at(
            "tests/python-parametrize-names",
            span(names),
            format!("names of parameters are not {expected}"),
        )
    {
        finding.help(format!("Write {expected}"));
    }
    let is_row_list = |row: &Expr| is_several && matches!(row, Expr::List(_));
    let misplaced = match values {
        Expr::Tuple(_) | Expr::Set(_) => Some(span(values)),
        Expr::List(list) => list.elts.iter().find(|row| is_row_list(row)).map(span),
        _ => None,
    };
    if let Some(place) = misplaced
        && let Some(finding) = walker.at(
            "tests/python-parametrize-values",
            place,
            "values of parameters are not a list of tuples",
        )
    {
        finding.help("Write a list of tuples");
    }
    let rows = match values {
        Expr::List(list) => list.elts.as_slice(),
        Expr::Tuple(tuple) => tuple.elts.as_slice(),
        _ => return,
    };
    let mut seen: HashMap<ComparableExpr<'_>, Span> = HashMap::new();
    for row in rows {
        if !is_constant(row) {
            continue;
        }
        let place = span(row);
        let value = ComparableExpr::from(row);
        if let Some(first) = seen.get(&value).copied() {
            if let Some(finding) = walker.at(
                "tests/python-duplicate-case",
                place,
                "the test runs twice with this value",
            ) {
                finding
                    .help("Delete the copy, or correct the value")
                    .related(first, "the first use of the value");
            }
        } else {
            seen.insert(value, place);
        }
    }
}

/// Whether a value consists of literals only.
fn is_constant(value: &Expr) -> bool {
    match value {
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_constant),
        Expr::List(list) => list.elts.iter().all(is_constant),
        Expr::UnaryOp(operation) => is_constant(&operation.operand),
        Expr::Name(_) | Expr::Attribute(_) => true,
        value => value.is_literal_expr(),
    }
}
