//! Checks on the definitions of tests: whether pytest collects them, and whether they run.

use super::walk::Walker;
use super::{fixtures, span};
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::Ranged;
use std::collections::{HashMap, HashSet};

/// The identifiers in a text.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

pub(super) fn is_named_test(name: &str) -> bool {
    name.strip_prefix("test")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Whether a decorator makes the function a fixture.
pub(super) fn is_fixture<'a>(walker: &Walker<'a, '_, '_>, function: &'a StmtFunctionDef) -> bool {
    function.decorator_list.iter().any(|decorator| {
        let callee = match &decorator.expression {
            Expr::Call(call) => &*call.func,
            expression => expression,
        };
        walker.is_dotted(callee, &["pytest", "fixture"])
            || walker.is_dotted(callee, &["pytest", "yield_fixture"])
            || walker.is_dotted(callee, &["pytest_asyncio", "fixture"])
    })
}

/// Reports tests of one module or class that a later test of the same name replaces.
pub(super) fn check_body<'a>(walker: &mut Walker<'a, '_, '_>, body: &'a [Stmt]) {
    let mut seen: HashMap<&str, (Span, bool)> = HashMap::new();
    for statement in body {
        let (name, place, decorators) = match statement {
            Stmt::FunctionDef(function) if is_named_test(&function.name) => {
                (function.name.as_str(), span(&function.name), &function.decorator_list)
            }
            Stmt::ClassDef(class) if class.name.starts_with("Test") => {
                (class.name.as_str(), span(&class.name), &class.decorator_list)
            }
            // The earlier definition is used: `run = test_a`, `del test_a`.
            Stmt::Assign(_) | Stmt::Delete(_) => {
                if !seen.is_empty() {
                    let text = walker.slice(span(statement));
                    for word in identifiers(text) {
                        seen.remove(word);
                    }
                }
                continue;
            }
            _ => continue,
        };
        // A decorator can register the function elsewhere.
        let is_plain = decorators.iter().all(|decorator| {
            let callee = match &decorator.expression {
                Expr::Call(call) => &*call.func,
                expression => expression,
            };
            walker.dotted(callee).is_some_and(|parts| {
                matches!(
                    parts.first(),
                    Some(
                        &("pytest"
                            | "mock"
                            | "patch"
                            | "unittest"
                            | "given"
                            | "staticmethod"
                            | "parameterized")
                    )
                ) && parts.last() != Some(&"register")
            })
        });
        if let Some((first, true)) = seen.insert(name, (place, is_plain)) {
            let message =
                format!("a later definition of `{name}` replaces this one, so it never runs");
            if let Some(finding) = walker.at("tests/python-shadowed-test", first, message) {
                finding.help("Rename one of them, or delete the copy");
                finding.related(place, "the later definition");
            }
        }
    }
}

/// Reports classes that pytest does not collect.
pub(super) fn check_class<'a>(walker: &mut Walker<'a, '_, '_>, class: &'a StmtClassDef) {
    let has_bases = class
        .arguments
        .as_ref()
        .is_some_and(|arguments| !arguments.args.is_empty() || !arguments.keywords.is_empty());
    if !walker.has_pytest
        || has_bases
        || !class.name.starts_with("Test")
        || !walker.functions.is_empty()
    {
        return;
    }
    let method = |wanted: fn(&str) -> bool| {
        class.body.iter().find_map(|statement| match statement {
            Stmt::FunctionDef(function) if wanted(function.name.as_str()) => Some(function),
            _ => None,
        })
    };
    let opts_out =
        class.body.iter().any(|statement| walker.slice(span(statement)).starts_with("__test__"));
    if let (Some(init), Some(_), false) =
        (method(|name| name == "__init__"), method(is_named_test), opts_out)
    {
        let message =
            format!("pytest does not collect `{}`, because it has an `__init__`", class.name);
        if let Some(finding) = walker.at("tests/python-uncollected-test", span(&init.name), message)
        {
            finding.help("Move the preparation into a fixture or `setup_method`");
        }
    }
}

/// Checks the definition of a function.
pub(super) fn check<'a>(
    walker: &mut Walker<'a, '_, '_>,
    function: &'a StmtFunctionDef,
    is_test: bool,
    is_fixture: bool,
) {
    if is_fixture {
        fixtures::check(walker, function);
    }
    if !is_test {
        return;
    }
    let is_unittest = walker.classes.last().is_some_and(|class| class.arguments.is_some());
    if walker.classes.last().is_none_or(|class| class.arguments.is_none()) {
        let mut yields = Yields(None);
        yields.visit_body(&function.body);
        if let Some(place) = yields.0
            && walker.has_pytest
            && function.decorator_list.is_empty()
            && let Some(finding) = walker.at(
                "tests/python-uncollected-test",
                place,
                "pytest does not run a test with `yield`",
            )
        {
            finding.help("Parametrize the test, or move the `yield` into a fixture");
        }
    }
    check_empty(walker, function, is_unittest);
    let parameters = &function.parameters;
    let decorators = function.decorator_list.iter();
    let in_decorators: HashSet<&str> =
        decorators.flat_map(|decorator| identifiers(walker.slice(span(decorator)))).collect();
    for parameter in parameters.args.iter().chain(&parameters.kwonlyargs) {
        let name = parameter.parameter.name.as_str();
        if !is_unittest
            && parameter.default.is_some()
            && let Some(finding) = walker.at(
                "tests/python-test-default",
                span(parameter),
                format!("the default of `{name}` hides the fixture"),
            )
        {
            finding.help(
                "Delete the default; pytest passes no argument for a parameter with a default",
            );
        }
        if !is_unittest
            && name.starts_with('_')
            && name.len() > 1
            && parameter.default.is_none()
            && !in_decorators.contains(name)
            && let Some(finding) = walker.at(
                "tests/python-unused-fixture-argument",
                span(parameter),
                format!("the value of the fixture `{name}` is not used"),
            )
        {
            finding.help(format!("Write `@pytest.mark.usefixtures(\"{name}\")`"));
        }
    }
}

/// Reports tests that do nothing.
fn check_empty<'a>(
    walker: &mut Walker<'a, '_, '_>,
    function: &'a StmtFunctionDef,
    has_bases: bool,
) {
    let does_nothing = |statement: &Stmt| match statement {
        Stmt::Pass(_) => true,
        Stmt::Expr(expression) => matches!(*expression.value, Expr::EllipsisLiteral(_)),
        _ => false,
    };
    // In a subclass, an empty test disables the inherited one; a decorator or a docstring can state
    // a purpose.
    if has_bases || !function.decorator_list.is_empty() || !function.body.iter().all(does_nothing) {
        return;
    }
    let takes_fixtures =
        function.parameters.iter().any(|parameter| parameter.name().as_str() != "self");
    let end = walker.text[function.end().to_usize()..]
        .find('\n')
        .map_or(walker.text.len(), |at| function.end().to_usize() + at);
    let start = function.parameters.end().to_usize();
    if takes_fixtures
        || walker.text[start..end].contains('#')
        || is_explained_below(
            &walker.text[end..],
            indentation(walker.text, function.start().to_usize()),
        )
        || is_skipped(walker)
    {
        return;
    }
    if let Some(finding) = walker.at(
        "tests/python-empty-test",
        span(&function.name),
        "test without statements always passes",
    ) {
        finding.help("Write the test, mark it with `pytest.mark.skip(reason=…)`, or delete it");
    }
}

/// Whether a decorator of an enclosing class or the mark of the module skips the tests.
fn is_skipped(walker: &Walker<'_, '_, '_>) -> bool {
    let is_skip = |text: &str| {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.any(|word| matches!(word, "skip" | "skipif" | "skipIf" | "skipUnless" | "xfail"))
    };
    let mut decorators = walker.classes.iter().flat_map(|class| &class.decorator_list);
    decorators.any(|decorator| is_skip(walker.slice(span(decorator))))
        || walker.text.lines().any(|line| line.starts_with("pytestmark") && is_skip(line))
}

/// The width of the indentation of the line that contains `at`.
fn indentation(text: &str, at: usize) -> usize {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.len() - line.trim_start().len()
}

/// Whether the first line of `rest` that is not blank is a comment that is indented more than the
/// definition of the function, and so belongs to its body.
fn is_explained_below(rest: &str, indentation: usize) -> bool {
    let next = rest.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let comment = next.trim_start();
    comment.starts_with('#') && next.len() - comment.len() > indentation
}

/// Finds the first `yield` of a function, without the functions in it.
pub(super) struct Yields(pub(super) Option<Span>);

impl<'a> Visitor<'a> for Yields {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            visitor::walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        step();
        match expression {
            Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = self.0.or(Some(span(expression))),
            Expr::Lambda(_) | Expr::Generator(_) => {}
            _ => visitor::walk_expr(self, expression),
        }
    }
}
