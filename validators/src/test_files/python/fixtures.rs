//! Checks on fixtures, imports of pytest and patches.

use super::functions::Yields;
use super::walk::Walker;
use super::{marks, span};
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Alias, Expr, ExprCall, Stmt, StmtFunctionDef, StmtImportFrom};
use ruff_text_size::Ranged;

/// Maximum length in bytes of a `lambda` that is searched for names: nested functions are searched
/// repeatedly.
const MAX_LAMBDA: usize = 4 << 10;

/// Checks the definition of a fixture.
pub(super) fn check<'a>(walker: &mut Walker<'a, '_, '_>, function: &'a StmtFunctionDef) {
    for decorator in &function.decorator_list {
        decorator_arguments(walker, &decorator.expression);
        marks::check_fixture(walker, decorator);
    }
    let mut yields = Yields(None);
    yields.visit_body(&function.body);
    if let (Some(place), Some(Stmt::Expr(last))) = (yields.0, function.body.last())
        && matches!(&*last.value, Expr::Yield(_))
        && span(&*last.value) == place
    {
        let keyword = Span { start: place.start, end: place.start + 5 };
        if let Some(finding) =
            walker.at("tests/python-useless-yield", keyword, "`yield` without statements after it")
        {
            finding.help("Write `return`");
            // A declared return type would no longer match.
            if function.returns.is_none() {
                finding.fix("Write `return`", vec![Edit::replace(keyword, "return")]);
            }
        }
    }
    if function.parameters.iter().any(|parameter| parameter.name().as_str() == "request") {
        let mut finder = Finalizers(None);
        finder.visit_body(&function.body);
        if let Some(place) = finder.0
            && let Some(finding) = walker.at(
                "tests/python-addfinalizer",
                place,
                "`request.addfinalizer` instead of `yield`",
            )
        {
            finding.help("Write `yield` and the clean-up after it");
        }
    }
}

/// Finds the first call of `request.addfinalizer`.
struct Finalizers(Option<Span>);

impl<'a> Visitor<'a> for Finalizers {
    fn visit_expr(&mut self, expression: &'a Expr) {
        step();
        if let Expr::Call(call) = expression
            && let Expr::Attribute(attribute) = &*call.func
            && attribute.attr.as_str() == "addfinalizer"
            && matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "request")
        {
            self.0 = self.0.or(Some(span(&*call.func)));
        }
        visitor::walk_expr(self, expression);
    }
}

fn decorator_arguments<'a>(walker: &mut Walker<'a, '_, '_>, decorator: &'a Expr) {
    let (callee, call) = match decorator {
        Expr::Call(call) => (&*call.func, Some(call)),
        expression => (expression, None),
    };
    let Some(name) = walker.dotted(callee) else { return };
    if *name == ["pytest", "yield_fixture"]
        && let Some(finding) =
            walker.at("tests/python-yield-fixture", span(callee), "`yield_fixture` is deprecated")
    {
        finding.help("Write `pytest.fixture`, which also accepts `yield`");
    }
    if !matches!(*name, ["pytest", "fixture" | "yield_fixture"]) {
        return;
    }
    let Some(call) = call else { return };
    let parentheses = span(&call.arguments);
    if call.arguments.is_empty()
        && walker.slice(parentheses) == "()"
        && let Some(finding) = walker.at(
            "tests/python-fixture-parentheses",
            parentheses,
            "fixture with empty parentheses",
        )
    {
        finding.help("Write `@pytest.fixture`");
        finding.fix("Delete the parentheses", vec![Edit::delete(parentheses)]);
    }
    if let Some(first) = call.arguments.args.first()
        && let Some(finding) = walker.at(
            "tests/python-positional-fixture-argument",
            span(first),
            "positional argument of `pytest.fixture`",
        )
    {
        finding.help("Name the argument: `scope=…`");
        if call.arguments.args.len() == 1 {
            finding.fix("Name the argument", vec![Edit::insert(span(first).start, "scope=")]);
        }
    }
    let scope = call
        .arguments
        .keywords
        .iter()
        .find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == "scope"));
    if let Some(scope) = scope
        && matches!(&scope.value, Expr::StringLiteral(text) if text.value.to_str() == "function")
        && let Some(finding) = walker.at(
            "tests/python-redundant-scope",
            span(scope),
            "`scope=\"function\"` is the default",
        )
    {
        finding.help("Delete the argument");
    }
}

/// Reports `import pytest as other`.
pub(super) fn check_import(walker: &mut Walker<'_, '_, '_>, alias: &Alias) {
    if alias.asname.as_ref().is_some_and(|name| name.as_str() != "pytest")
        && let Some(finding) = walker.at(
            "tests/python-pytest-import",
            span(alias),
            "pytest is imported under another name",
        )
    {
        finding.help("Write `import pytest`");
    }
}

/// Reports `from pytest import …`.
pub(super) fn check_import_from(walker: &mut Walker<'_, '_, '_>, import: &StmtImportFrom) {
    let place = walker.first_line(span(import));
    if let Some(finding) =
        walker.at("tests/python-pytest-import", place, "members of pytest are imported")
    {
        finding.help("Write `import pytest` and `pytest.fixture`");
    }
}

/// Reports patches with a function that ignores its arguments.
pub(super) fn check_call<'a>(walker: &mut Walker<'a, '_, '_>, call: &'a ExprCall) {
    let Some(parts) = walker.dotted(&call.func) else { return };
    let position = match &*parts {
        [
            "mocker" | "class_mocker" | "module_mocker" | "package_mocker" | "session_mocker"
            | "mock",
            "patch",
        ]
        | ["unittest", "mock", "patch"] => 1,
        [
            "mocker" | "class_mocker" | "module_mocker" | "package_mocker" | "session_mocker"
            | "mock",
            "patch",
            "object",
        ]
        | ["unittest", "mock", "patch", "object"] => 2,
        _ => return,
    };
    let has_value = call
        .arguments
        .keywords
        .iter()
        .any(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == "return_value"));
    let new = call.arguments.args.get(position).or_else(|| {
        let mut keywords = call.arguments.keywords.iter();
        keywords
            .find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == "new"))
            .map(|keyword| &keyword.value)
    });
    let Some(Expr::Lambda(lambda)) = new.filter(|_| !has_value) else { return };
    if lambda.range().len().to_usize() > MAX_LAMBDA {
        return;
    }
    let uses_parameter = lambda.parameters.as_ref().is_some_and(|parameters| {
        let mut uses =
            UsesAny(parameters.iter().map(|parameter| parameter.name().as_str()).collect(), false);
        uses.visit_expr(&lambda.body);
        uses.1
    });
    let value = walker.slice(span(&*lambda.body)).lines().next().unwrap_or_default();
    let message = "patch with a function that ignores its arguments";
    if !uses_parameter
        && let Some(finding) = walker.at("tests/python-patch-with-lambda", span(lambda), message)
    {
        finding.help(format!("Write `return_value={value}`, which also records the calls"));
    }
}

/// Determines whether an expression uses one of several names.
struct UsesAny<'n>(Vec<&'n str>, bool);

impl<'a> Visitor<'a> for UsesAny<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        step();
        self.1 |= matches!(expression, Expr::Name(name) if self.0.contains(&name.id.as_str()));
        visitor::walk_expr(self, expression);
    }
}
