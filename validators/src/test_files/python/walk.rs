//! The walk over the tree: which function and class the current node is in.

use super::{asserts, fixtures, functions, marks, raises};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Identifier, ModModule, Stmt, StmtClassDef, StmtFunctionDef};
use std::collections::HashMap;
use std::ops::Deref;

/// Maximum number of parts of a dotted name.
const MAX_PARTS: usize = 5;

/// The parts of a dotted name. Most expressions are looked up, so it needs no memory of its own.
pub(super) struct Dotted<'a> {
    parts: [&'a str; MAX_PARTS + 1],
    /// The index of the first part.
    start: usize,
}

impl<'a> Dotted<'a> {
    fn prepend(&mut self, part: &'a str) {
        self.start -= 1;
        self.parts[self.start] = part;
    }
}

impl<'a> Deref for Dotted<'a> {
    type Target = [&'a str];

    fn deref(&self) -> &Self::Target {
        &self.parts[self.start..]
    }
}

/// A function that contains the current node.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub(super) is_test: bool,
    span: Span,
    /// Whether the function creates an `Exception`; `None` until it is needed.
    creates_exception: Option<bool>,
}

pub(super) struct Walker<'a, 'r, 's> {
    pub(super) text: &'a str,
    pub(super) report: &'r mut Report<'s>,
    /// Local name → dotted name, for names imported from pytest.
    imported: HashMap<&'a str, &'static str>,
    pub(super) functions: Vec<Function>,
    pub(super) classes: Vec<&'a StmtClassDef>,
    /// Depth of `with pytest.raises(…)` blocks, `try` statements and similar.
    pub(super) raises: u32,
    /// The exception names of the `except` clauses that enclose the current node.
    pub(super) exceptions: Vec<&'a str>,
    pub(super) has_pytest: bool,
    /// Whether the `with` statement whose items are visited binds a name, so that later statements
    /// can check the exception.
    pub(super) has_info: bool,
}

impl<'a, 'r, 's> Walker<'a, 'r, 's> {
    pub(super) fn new(text: &'a str, report: &'r mut Report<'s>) -> Self {
        Self {
            text,
            report,
            imported: HashMap::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            raises: 0,
            exceptions: Vec::new(),
            has_pytest: false,
            has_info: false,
        }
    }

    pub(super) fn run(mut self, module: &'a ModModule) {
        functions::check_body(&mut self, &module.body);
        self.visit_body(&module.body);
    }

    /// Adds a finding unless the rule is disabled.
    pub(super) fn at(
        &mut self,
        rule: &str,
        span: Span,
        message: impl Into<String>,
    ) -> Option<&mut Finding> {
        super::super::report_at(self.report, rule, span, message)
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// The span of the first line of a node.
    pub(super) fn first_line(&self, span: Span) -> Span {
        let length = self.slice(span).lines().next().unwrap_or_default().len();
        Span::new(span.start as usize, span.start as usize + length)
    }

    pub(super) fn in_test(&self) -> bool {
        self.functions.iter().any(|function| function.is_test)
    }

    /// Whether the innermost function creates an `Exception`, such as for the side effect of a
    /// mock.
    pub(super) fn creates_exception(&mut self) -> bool {
        let text = self.text;
        let Some(function) = self.functions.last_mut() else { return false };
        *function.creates_exception.get_or_insert_with(|| {
            let text = &text[function.span.range()];
            text.match_indices("Exception(").any(|(at, _)| {
                let before = text[..at].chars().next_back();
                before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
            })
        })
    }

    /// The dotted name of an expression such as `pytest.mark.skip`; names imported from pytest
    /// begin with `pytest`.
    pub(super) fn dotted(&self, expression: &'a Expr) -> Option<Dotted<'a>> {
        let mut dotted = Dotted { parts: [""; MAX_PARTS + 1], start: MAX_PARTS + 1 };
        let mut at = expression;
        for _ in 0..MAX_PARTS {
            match at {
                Expr::Attribute(attribute) => {
                    dotted.prepend(attribute.attr.as_str());
                    at = &attribute.value;
                }
                Expr::Name(name) => {
                    let name = name.id.as_str();
                    let imported = self.imported.get(name).copied();
                    dotted.prepend(imported.unwrap_or(name));
                    if imported.is_some_and(|member| member != "pytest") {
                        dotted.prepend("pytest");
                    }
                    return Some(dotted);
                }
                _ => return None,
            }
        }
        None
    }

    pub(super) fn is_dotted(&self, expression: &'a Expr, name: &[&str]) -> bool {
        self.dotted(expression).is_some_and(|parts| *parts == *name)
    }

    fn import(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    if alias.name.as_str() == "pytest" {
                        self.has_pytest = true;
                        let local = alias.asname.as_ref().unwrap_or(&alias.name);
                        self.imported.insert(local.as_str(), "pytest");
                        fixtures::check_import(self, alias);
                    }
                }
            }
            Stmt::ImportFrom(import)
                if import.module.as_ref().is_some_and(|module| module.as_str() == "pytest") =>
            {
                self.has_pytest = true;
                for alias in &import.names {
                    let member = MEMBERS.iter().find(|member| **member == alias.name.as_str());
                    let local = alias.asname.as_ref().unwrap_or(&alias.name);
                    if let Some(member) = member {
                        self.imported.insert(local.as_str(), member);
                    }
                }
                fixtures::check_import_from(self, import);
            }
            _ => {}
        }
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        let is_fixture = functions::is_fixture(self, function);
        let is_test = !is_fixture
            && function.name.starts_with("test")
            && self.functions.is_empty()
            && functions::is_named_test(&function.name);
        functions::check(self, function, is_test, is_fixture);
        let span = super::span(function);
        self.functions.push(Function { is_test, span, creates_exception: None });
        visitor::walk_body(self, &function.body);
        self.functions.pop();
    }
}

/// The members of pytest whose use the rules check.
const MEMBERS: [&str; 12] = [
    "raises",
    "warns",
    "fixture",
    "mark",
    "fail",
    "skip",
    "yield_fixture",
    "param",
    "deprecated_call",
    "importorskip",
    "xfail",
    "approx",
];

impl<'a> Visitor<'a> for Walker<'a, '_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        step();
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.import(statement),
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    marks::check_decorator(self, decorator);
                    self.visit_expr(&decorator.expression);
                }
                self.function(function);
            }
            Stmt::ClassDef(class) => {
                functions::check_body(self, &class.body);
                functions::check_class(self, class);
                for decorator in &class.decorator_list {
                    marks::check_decorator(self, decorator);
                    self.visit_expr(&decorator.expression);
                }
                let functions = std::mem::take(&mut self.functions);
                // The methods of a class inside a function are not collected as tests.
                if !functions.is_empty() {
                    let span = super::span(class);
                    self.functions.push(Function { is_test: false, span, creates_exception: None });
                }
                self.classes.push(class);
                visitor::walk_body(self, &class.body);
                self.classes.pop();
                self.functions = functions;
            }
            Stmt::With(with) => {
                let is_raises = raises::check_with(self, with);
                for item in &with.items {
                    self.visit_expr(&item.context_expr);
                }
                self.has_info = false;
                self.raises += u32::from(is_raises);
                visitor::walk_body(self, &with.body);
                self.raises -= u32::from(is_raises);
            }
            Stmt::Assert(assert) => {
                asserts::check_assert(self, assert);
                visitor::walk_stmt(self, statement);
            }
            Stmt::Expr(expression) => {
                asserts::check_statement(self, expression);
                visitor::walk_stmt(self, statement);
            }
            Stmt::Try(try_) => {
                // Where an exception is expected, a comparison can be the statement that raises it.
                let expects_exception = !try_.handlers.is_empty();
                self.raises += u32::from(expects_exception);
                visitor::walk_body(self, &try_.body);
                self.raises -= u32::from(expects_exception);
                for handler in &try_.handlers {
                    let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                    let depth = self.exceptions.len();
                    self.exceptions.extend(handler.name.as_ref().map(Identifier::as_str));
                    visitor::walk_body(self, &handler.body);
                    self.exceptions.truncate(depth);
                }
                visitor::walk_body(self, &try_.orelse);
                visitor::walk_body(self, &try_.finalbody);
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        step();
        if let Expr::Call(call) = expression {
            raises::check_call(self, call);
            asserts::check_call(self, call);
            fixtures::check_call(self, call);
        }
        visitor::walk_expr(self, expression);
    }
}
