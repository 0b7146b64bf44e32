//! Checks on assertions.

use super::span;
use super::walk::Walker;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{BoolOp, Expr, ExprCall, StmtAssert, StmtExpr};

/// The assertion methods of unittest that an `assert` can replace.
const UNITTEST_ASSERTIONS: [&str; 37] = [
    "assertAlmostEqual",
    "assertAlmostEquals",
    "assertCountEqual",
    "assertDictContainsSubset",
    "assertDictEqual",
    "assertEqual",
    "assertEquals",
    "assertFalse",
    "assertGreater",
    "assertGreaterEqual",
    "assertIn",
    "assertIs",
    "assertIsInstance",
    "assertIsNone",
    "assertIsNot",
    "assertIsNotNone",
    "assertItemsEqual",
    "assertLess",
    "assertLessEqual",
    "assertListEqual",
    "assertMultiLineEqual",
    "assertNotAlmostEqual",
    "assertNotAlmostEquals",
    "assertNotEqual",
    "assertNotEquals",
    "assertNotIn",
    "assertNotIsInstance",
    "assertNotRegex",
    "assertNotRegexpMatches",
    "assertRegex",
    "assertRegexpMatches",
    "assertSequenceEqual",
    "assertSetEqual",
    "assertTrue",
    "assertTupleEqual",
    "assert_",
    "failUnless",
];

/// The assertion methods of mocks.
const MOCK_ASSERTIONS: [&str; 10] = [
    "assert_any_call",
    "assert_any_await",
    "assert_awaited",
    "assert_awaited_once",
    "assert_called",
    "assert_called_once",
    "assert_called_once_with",
    "assert_called_with",
    "assert_has_calls",
    "assert_not_called",
];

/// Names that look like assertions of mocks; a mock accepts every name.
const MOCK_MISSPELT: [&str; 6] =
    ["called_once", "called_once_with", "called_with", "has_calls", "not_called", "any_call"];

pub(super) fn check_assert<'a>(walker: &mut Walker<'a, '_, '_>, assert: &'a StmtAssert) {
    match &*assert.test {
        Expr::Tuple(tuple) if !tuple.elts.is_empty() => {
            let whole = span(tuple);
            let is_one_line = !walker.slice(whole).contains('\n');
            let message = "assertion on a tuple is always true";
            if let Some(finding) = walker.at("tests/python-tuple-assert", whole, message) {
                finding.help("Delete the parentheses: `assert condition, \"message\"`");
                if tuple.elts.len() == 2 && tuple.parenthesized && is_one_line {
                    let brace = |start: u32| Edit::delete(Span { start, end: start + 1 });
                    let edits = vec![brace(whole.start), brace(whole.end - 1)];
                    finding.fix_unsafe("Delete the parentheses", edits);
                }
            }
        }
        Expr::BoolOp(operation) if operation.op == BoolOp::And && assert.msg.is_none() => {
            if let Some(finding) = walker.at(
                "tests/python-composite-assert",
                span(assert),
                "assertion combines conditions with `and`",
            ) {
                finding.help(
                    "Write one `assert` for each condition; the report then shows which one failed",
                );
            }
        }
        test if is_false(test) => {
            if let Some(finding) =
                walker.at("tests/python-assert-false", span(assert), "assertion that always fails")
            {
                finding.help("Write `pytest.fail(\"reason\")`; `python -O` removes the assertion");
            }
        }
        test => mock_attribute(walker, test),
    }
    if !walker.exceptions.is_empty() {
        let mut found = FindName(&walker.exceptions, None);
        found.visit_expr(&assert.test);
        if let Some(name) = found.1.map(str::to_owned)
            && let Some(finding) = walker.at(
                "tests/python-assert-in-except",
                span(assert),
                format!("assertion on `{name}` in an `except` clause"),
            )
        {
            finding.help("Use `pytest.raises`; without it, the test passes when nothing is raised");
        }
    }
}

fn is_false(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(value) => !value.value,
        Expr::NoneLiteral(_) => true,
        Expr::StringLiteral(text) => text.value.is_empty(),
        Expr::Tuple(tuple) => tuple.elts.is_empty(),
        Expr::List(list) => list.elts.is_empty(),
        Expr::Dict(dict) => dict.items.is_empty(),
        Expr::NumberLiteral(number) => {
            matches!(&number.value, ruff_python_ast::Number::Int(value) if *value == 0)
        }
        _ => false,
    }
}

/// Finds the first use of one of the names in an expression.
struct FindName<'n, 'a>(&'n [&'a str], Option<&'a str>);

impl<'a> Visitor<'a> for FindName<'_, 'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        step();
        if let Expr::Name(name) = expression
            && self.0.contains(&name.id.as_str())
        {
            self.1 = self.1.or(Some(name.id.as_str()));
        }
        visitor::walk_expr(self, expression);
    }
}

/// Checks an expression whose value is not used.
pub(super) fn check_statement<'a>(walker: &mut Walker<'a, '_, '_>, statement: &'a StmtExpr) {
    let place = span(statement);
    match &*statement.value {
        Expr::Compare(_) if walker.in_test() && walker.raises == 0 => {
            if let Some(finding) = walker.at(
                "tests/python-comparison-without-assert",
                place,
                "comparison whose result is not used",
            ) {
                finding.help("Write `assert` before the comparison");
                finding.fix_unsafe(
                    "Assert the comparison",
                    vec![Edit::insert(place.start, "assert ")],
                );
            }
        }
        Expr::Attribute(attribute) if MOCK_ASSERTIONS.contains(&attribute.attr.as_str()) => {
            let message = format!("`{}` is not called, so nothing is asserted", attribute.attr);
            if let Some(finding) =
                walker.at("tests/python-mock-assertion", span(&attribute.attr), message)
            {
                finding.help("Call the method");
                if matches!(
                    attribute.attr.as_str(),
                    "assert_called"
                        | "assert_called_once"
                        | "assert_not_called"
                        | "assert_awaited"
                        | "assert_awaited_once"
                ) {
                    finding.fix_unsafe("Call the method", vec![Edit::insert(place.end, "()")]);
                }
            }
        }
        Expr::Call(call) => {
            if let Expr::Attribute(attribute) = &*call.func
                && MOCK_MISSPELT.contains(&attribute.attr.as_str())
                && walker.in_test()
            {
                check_misspelt(walker, attribute);
            }
        }
        _ => {}
    }
}

fn check_misspelt(walker: &mut Walker<'_, '_, '_>, attribute: &ruff_python_ast::ExprAttribute) {
    let name = attribute.attr.as_str();
    let message = format!("`{name}` is not an assertion of mocks; a mock accepts every name");
    if let Some(finding) = walker.at("tests/python-mock-assertion", span(&attribute.attr), message)
    {
        finding.help(format!("Write `assert_{name}`"));
    }
}

/// Reports `assert mock.called_once_with(…)`, which is always true.
fn mock_attribute<'a>(walker: &mut Walker<'a, '_, '_>, test: &'a Expr) {
    let callee = match test {
        Expr::Call(call) => &*call.func,
        Expr::UnaryOp(not) => return mock_attribute(walker, &not.operand),
        _ => return,
    };
    if let Expr::Attribute(attribute) = callee
        && MOCK_MISSPELT.contains(&attribute.attr.as_str())
    {
        check_misspelt(walker, attribute);
    }
}

/// Checks calls of assertion methods.
pub(super) fn check_call<'a>(walker: &mut Walker<'a, '_, '_>, call: &'a ExprCall) {
    let Some(parts) = walker.dotted(&call.func) else { return };
    match &*parts {
        ["self", name] if UNITTEST_ASSERTIONS.contains(name) => {
            let message = format!("`{name}` of unittest instead of `assert`");
            if let Some(finding) =
                walker.at("tests/python-unittest-assertion", span(&*call.func), message)
            {
                finding.help("Write `assert`; pytest shows both values");
            }
        }
        ["pytest", "fail"] => {
            let is_empty =
                |value: &Expr| matches!(value, Expr::StringLiteral(text) if text.value.is_empty());
            let first = call.arguments.args.first().or_else(|| {
                call.arguments
                    .keywords
                    .iter()
                    .find(|keyword| {
                        keyword
                            .arg
                            .as_ref()
                            .is_none_or(|arg| matches!(arg.as_str(), "reason" | "msg"))
                    })
                    .map(|keyword| &keyword.value)
            });
            if first.is_none_or(is_empty)
                && let Some(finding) = walker.at(
                    "tests/python-fail-without-message",
                    span(call),
                    "`pytest.fail` without a message",
                )
            {
                finding.help("Pass the reason");
            }
        }
        _ => {}
    }
}
