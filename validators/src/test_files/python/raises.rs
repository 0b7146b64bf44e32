//! Checks on expected exceptions and warnings.

use super::span;
use super::walk::Walker;
use aidd_engine::text::time_limit::step;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprCall, Stmt, StmtWith};

/// Exception classes that match almost every exception, including those that a defect raises.
const BROAD: [&str; 2] = ["Exception", "BaseException"];

/// Exceptions that have many causes.
const COMMON: [&str; 5] = ["ValueError", "OSError", "IOError", "EnvironmentError", "socket.error"];

/// `pytest.raises` or `pytest.warns`.
fn pytest_name<'a>(walker: &Walker<'a, '_, '_>, call: &'a ExprCall) -> Option<&'a str> {
    match &*walker.dotted(&call.func)? {
        ["pytest", name @ ("raises" | "warns")] => Some(name),
        _ => None,
    }
}

/// `assertRaises` and similar methods of `self`.
fn unittest_name<'a>(walker: &Walker<'a, '_, '_>, call: &'a ExprCall) -> Option<&'a str> {
    match &*walker.dotted(&call.func)? {
        [
            "self" | "cls",
            name @ ("assertRaises" | "assertRaisesRegex" | "failUnlessRaises"
            | "assertRaisesRegexp"),
        ] => Some(name),
        _ => None,
    }
}

pub(super) fn check_call<'a>(walker: &mut Walker<'a, '_, '_>, call: &'a ExprCall) {
    let keyword = |name: &str| {
        call.arguments
            .keywords
            .iter()
            .any(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == name))
    };
    if let Some(name) = unittest_name(walker, call) {
        if let Some(finding) = walker.at(
            "tests/python-unittest-raises",
            span(&*call.func),
            format!("`{name}` of unittest instead of `pytest.raises`"),
        ) {
            finding.help("Write `with pytest.raises(…)`");
        }
        if name == "assertRaises" && call.arguments.args.len() == 1 {
            check_broad(walker, &call.arguments.args[0], "assertRaisesRegex(…)");
        }
        return;
    }
    let Some(name) = pytest_name(walker, call) else { return };
    let has_expectation = keyword("expected_exception")
        || keyword("expected_warning")
        || keyword("match")
        || keyword("check");
    let Some(expected) = call.arguments.args.first() else {
        // Since pytest 8.4, `match` or `check` can replace the exception, and `pytest.warns` has a
        // default.
        if !has_expectation
            && call.arguments.keywords.is_empty()
            && name == "raises"
            && let Some(finding) = walker.at(
                "tests/python-raises-without-exception",
                span(call),
                "`pytest.raises` without an expected exception",
            )
        {
            finding.help("Name the exception: `pytest.raises(KeyError)`");
        }
        return;
    };
    let is_unmatched = match call
        .arguments
        .keywords
        .iter()
        .find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == "match"))
    {
        Some(keyword) => {
            matches!(&keyword.value, Expr::NoneLiteral(_))
                || matches!(&keyword.value, Expr::StringLiteral(text) if text.value.is_empty())
        }
        None => {
            !keyword("check") && call.arguments.keywords.iter().all(|keyword| keyword.arg.is_some())
        }
    };
    if !is_unmatched || call.arguments.args.len() > 1 {
        return;
    }
    if name == "raises" {
        check_broad(walker, expected, "match=…");
    }
    let Some(parts) = walker.dotted(expected) else { return };
    let exception = parts.join(".");
    let exception = exception.strip_prefix("builtins.").unwrap_or(&exception);
    let is_common = COMMON.contains(&exception)
        || name == "warns" && matches!(exception, "Warning" | "UserWarning" | "DeprecationWarning");
    if is_common
        && let Some(finding) = walker.at(
            "tests/python-unmatched-raises",
            span(expected),
            format!("`{exception}` has many possible causes"),
        )
    {
        finding.help("Add `match=…` with a part of the message");
    }
}

fn check_broad<'a>(walker: &mut Walker<'a, '_, '_>, expected: &'a Expr, remedy: &str) {
    let Some(parts) = walker.dotted(expected) else { return };
    let (Some(exception), 1 | 2) = (parts.last(), parts.len()) else { return };
    let is_broad =
        BROAD.contains(exception) && (parts.len() == 1 || parts.first() == Some(&"builtins"));
    if !is_broad || walker.has_info || walker.creates_exception() {
        return;
    }
    let message =
        format!("`{exception}` also accepts a misspelt name or a wrong argument in the test");
    if let Some(finding) = walker.at("tests/python-broad-raises", span(expected), message) {
        finding.help(format!("Name the exception, or add `{remedy}` with a part of the message"));
    }
}

/// Checks a `with` statement; returns whether it expects an exception or a warning.
pub(super) fn check_with<'a>(walker: &mut Walker<'a, '_, '_>, with: &'a StmtWith) -> bool {
    let mut is_raises = false;
    walker.has_info = with.items.iter().any(|item| item.optional_vars.is_some());
    for item in &with.items {
        let Expr::Call(call) = &item.context_expr else { continue };
        let name = pytest_name(walker, call);
        let expects_exception = name == Some("raises") || unittest_name(walker, call).is_some();
        is_raises |= expects_exception || name.is_some();
        if let Some(name) = name
            && (with.body.len() > 1 || with.body.first().is_some_and(is_compound))
        {
            let place = walker.first_line(span(with));
            if let Some(finding) = walker.at(
                "tests/python-several-statements-in-raises",
                place,
                format!("several statements in `pytest.{name}`"),
            ) {
                finding.help("Move all statements but the one that raises out of the block");
            }
        }
        if let (true, Some(Expr::Name(info))) = (expects_exception, item.optional_vars.as_deref()) {
            unreachable_assert(walker, with, info.id.as_str());
        }
    }
    is_raises
}

/// Whether a statement contains other statements, apart from those with an empty body.
fn is_compound(statement: &Stmt) -> bool {
    let is_pass = |body: &[Stmt]| matches!(body, [Stmt::Pass(_)]);
    match statement {
        Stmt::With(with) => {
            !(is_pass(&with.body) || matches!(&*with.body, [statement] if !is_compound(statement)))
        }
        Stmt::For(for_) => !is_pass(&for_.body),
        Stmt::If(_) | Stmt::While(_) | Stmt::Try(_) => true,
        _ => false,
    }
}

/// Reports assertions on the exception inside the `with` block, which ends when the exception is
/// raised.
fn unreachable_assert<'a>(walker: &mut Walker<'a, '_, '_>, with: &'a StmtWith, info: &str) {
    // The first statement is expected to raise the exception.
    for statement in with.body.iter().skip(1) {
        let value = match statement {
            Stmt::Assert(assert) => &*assert.test,
            Stmt::Expr(expression) => match &*expression.value {
                Expr::Call(call)
                    if walker.dotted(&call.func).is_some_and(|parts| {
                        parts.len() == 2 && parts[0] == "self" && parts[1].starts_with("assert")
                    }) =>
                {
                    &*expression.value
                }
                _ => continue,
            },
            _ => continue,
        };
        let mut uses = Uses(info, false);
        uses.visit_expr(value);
        if !uses.1 {
            continue;
        }
        let place = walker.first_line(span(statement));
        let message =
            format!("never runs: the block ends when the exception in `{info}` is raised");
        if let Some(finding) = walker.at("tests/python-unreachable-assert", place, message) {
            finding.help("Move the assertion below the `with` block");
        }
    }
}

/// Determines whether an expression uses a name.
struct Uses<'n>(&'n str, bool);

impl<'a> Visitor<'a> for Uses<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        step();
        self.1 |= matches!(expression, Expr::Name(name) if name.id.as_str() == self.0);
        visitor::walk_expr(self, expression);
    }
}
