//! The walk over the tree: which test, suite and function the current node is in.

use super::names::{Block, Names, Role};
use super::{assertions, blocks, matchers, waits};
use aho_corasick::AhoCorasick;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Parts of names that suggest an assertion.
static ASSERTING: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = [
        "expect", "assert", "should", "verif", "pars", "compil", "check", "valid", "fail", "throw",
        "reject", "snap", "match", "satisf", "equal", "done", "visit", "screen", "find", "getby",
        "getall", "render", "mount", "type",
    ];
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("a few literals")
});

/// Parts of names that suggest a call that makes a test fail when nothing is thrown.
static FAILING: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = [
        "expect", "assert", "should", "verif", "check", "fail", "reject", "done", "match", "raise",
    ];
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("a few literals")
});

/// Maximum nesting depth of suites and tests that are checked, because some checks read the whole
/// text of a suite or test.
const MAX_FRAMES: usize = 64;

/// Maximum length in bytes of the span of a first line.
const MAX_LINE: usize = 512;

/// A test, suite or hook whose function contains the current node.
pub(super) struct Frame<'a> {
    pub(super) role: Role,
    /// The call up to the end of its title.
    pub(super) span: Span,
    /// The whole call, including its function.
    pub(super) whole: Span,
    /// Whether the rule on missing assertions does not apply.
    pub(super) is_exempt: bool,
    /// Whether the block is skipped, with all blocks in it.
    pub(super) is_skipped: bool,
    pub(super) has_assertion: bool,
    /// Whether the test can fail outside of `catch` clauses.
    pub(super) can_fail: bool,
    /// The first assertion in a `catch` clause.
    pub(super) expect_in_catch: Option<Span>,
    /// The first `await` in the function of the suite.
    pub(super) first_await: Option<Span>,
    /// Whether the first `await` is reported.
    pub(super) is_await_reported: bool,
    /// The number of conditions that enclose the test.
    conditions: u32,
    /// The titles so far: their location, and whether the function of the block has one statement.
    pub(super) titles: HashMap<(Role, &'a str), (Span, bool)>,
    pub(super) hooks: HashSet<&'a str>,
}

/// A function that contains the current node.
pub(super) struct Function {
    pub(super) is_async: bool,
    /// The role of the call that runs the function.
    pub(super) role: Role,
    /// The number of loops that enclose the current node in this function.
    pub(super) loops: u32,
}

pub(super) struct Walker<'a, 'r, 's> {
    pub(super) text: &'a str,
    pub(super) comments: &'r [Comment],
    program: &'r Program<'a>,
    /// The number of tests in the file, once it is needed.
    test_count: OnceCell<usize>,
    pub(super) names: Names<'a>,
    pub(super) report: &'r mut Report<'s>,
    pub(super) frames: Vec<Frame<'a>>,
    /// The indexes of the tests among the frames.
    tests: Vec<usize>,
    pub(super) functions: Vec<Function>,
    /// The start offset of the function that the next block runs, and the frame of that block.
    pending: Option<(u32, Frame<'a>)>,
    pub(super) conditions: u32,
    pub(super) catches: u32,
    /// The number of calls of `expect` so far.
    pub(super) expects: usize,
    /// Number of enclosing calls such as `beforeAll` or `server`, in which waits are deliberate.
    pub(super) setups: u32,
}

/// Counts the tests of a file.
struct TestCounter<'n, 'a> {
    names: &'n Names<'a>,
    count: usize,
}

impl<'a> Visit<'a> for TestCounter<'_, 'a> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let block = self.names.block(call);
        self.count += usize::from(block.is_some_and(|block| block.role == Role::Test));
        walk::walk_call_expression(self, call);
    }
}

impl<'a, 'r, 's> Walker<'a, 'r, 's> {
    /// The number of calls that define tests.
    pub(super) fn count_tests(&self) -> usize {
        *self.test_count.get_or_init(|| {
            let mut counter = TestCounter { names: &self.names, count: 0 };
            counter.visit_program(self.program);
            counter.count
        })
    }

    pub(super) fn new(
        text: &'a str,
        program: &'r Program<'a>,
        names: Names<'a>,
        report: &'r mut Report<'s>,
    ) -> Self {
        let top = Frame::new(Role::Suite, Span::default(), Span::default(), 0);
        Self {
            text,
            comments: &program.comments,
            program,
            test_count: OnceCell::new(),
            names,
            report,
            frames: vec![top],
            tests: Vec::new(),
            functions: Vec::new(),
            pending: None,
            conditions: 0,
            catches: 0,
            expects: 0,
            setups: 0,
        }
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

    /// The span of the first line of `place`.
    pub(super) fn first_line(&self, place: Span) -> Span {
        let start = place.start as usize;
        let end = self.text.floor_char_boundary((place.end as usize).min(start + MAX_LINE));
        let length = self.text[start..end].lines().next().unwrap_or_default().len();
        Span::new(start, start + length)
    }

    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("the frame of the file")
    }

    /// The innermost test that encloses the current node.
    pub(super) fn test(&mut self) -> Option<&mut Frame<'a>> {
        self.tests.last().and_then(|&index| self.frames.get_mut(index))
    }

    /// Whether the current node is inside a condition of the innermost test.
    pub(super) fn is_conditional(&mut self) -> bool {
        let conditions = self.conditions;
        self.test().is_some_and(|test| conditions > test.conditions)
    }

    pub(super) fn set_asserting(&mut self) {
        if let Some(test) = self.test() {
            test.has_assertion = true;
        }
    }

    pub(super) fn set_can_fail(&mut self) {
        if self.catches == 0
            && let Some(test) = self.test()
        {
            test.can_fail = true;
        }
    }

    /// Notes whether the name suggests that the current test has an assertion or can fail.
    fn note_name(&mut self, name: &str) {
        let catches = self.catches;
        let Some(test) = self.test() else { return };
        if !test.has_assertion
            && (ASSERTING.is_match(name) || matches!(name, "ok" | "is" | "not" | "eq" | "t" | "cy"))
        {
            test.has_assertion = true;
        }
        if !test.can_fail && catches == 0 && (FAILING.is_match(name) || matches!(name, "ok" | "cy"))
        {
            test.can_fail = true;
        }
    }

    fn enter(&mut self, start: u32, is_async: bool) -> bool {
        let frame = match self.pending.take() {
            Some((expected, frame)) if expected == start => Some(frame),
            pending => {
                self.pending = pending;
                None
            }
        };
        let role = frame.as_ref().map_or(Role::None, |frame| frame.role);
        self.functions.push(Function { is_async, role, loops: 0 });
        let has_frame = frame.is_some();
        if role == Role::Test {
            self.tests.push(self.frames.len());
        }
        self.frames.extend(frame);
        has_frame
    }

    fn leave(&mut self, has_frame: bool) {
        self.functions.pop();
        if has_frame && let Some(frame) = self.frames.pop() {
            if frame.role == Role::Test {
                self.tests.pop();
            }
            blocks::finish(self, &frame);
        }
    }

    fn in_condition(&mut self, visit: impl FnOnce(&mut Self)) {
        self.conditions += 1;
        visit(self);
        self.conditions -= 1;
    }

    fn in_loop(&mut self, visit: impl FnOnce(&mut Self)) {
        if let Some(function) = self.functions.last_mut() {
            function.loops += 1;
        }
        visit(self);
        if let Some(function) = self.functions.last_mut() {
            function.loops -= 1;
        }
    }

    /// Sets the frame of the function that `block` runs.
    fn expect_callback(&mut self, block: &Block<'a, '_>, call: &CallExpression<'a>) {
        let Some(callback) = &block.callback else { return };
        let title_end = block.title.map_or(block.name_span.end, |title| {
            use oxc_span::GetSpan;
            title.span().end.min(callback.span.start.max(block.name_span.end))
        });
        let span = Span { start: call.span.start, end: title_end };
        let mut frame = Frame::new(block.role, span, super::span(call.span), self.conditions);
        frame.is_exempt = blocks::is_exempt(self, block, callback);
        frame.is_skipped = blocks::is_skipped(block);
        self.pending = Some((callback.span.start, frame));
    }
}

impl Frame<'_> {
    fn new(role: Role, span: Span, whole: Span, conditions: u32) -> Self {
        Self {
            role,
            span,
            whole,
            is_exempt: false,
            is_skipped: false,
            has_assertion: false,
            can_fail: false,
            expect_in_catch: None,
            first_await: None,
            is_await_reported: false,
            conditions,
            titles: HashMap::new(),
            hooks: HashSet::new(),
        }
    }
}

/// Functions in whose callbacks a wait is deliberate.
const SETUPS: [&str; 8] =
    ["setup", "beforeAll", "afterAll", "server", "http", "msw", "get", "post"];

impl<'a> Visit<'a> for Walker<'a, '_, '_> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let block = self.names.block(call).filter(|_| self.frames.len() < MAX_FRAMES);
        if let Some(block) = block {
            blocks::check(self, &block, call);
            self.expect_callback(&block, call);
        } else {
            assertions::check_call(self, call);
            matchers::check(self, call);
        }
        waits::check_call(self, call);
        let is_setup = waits::root_name(&call.callee).is_some_and(|name| SETUPS.contains(&name));
        self.setups += u32::from(is_setup);
        let is_catch = call
            .callee
            .get_member_expr()
            .and_then(MemberExpression::static_property_name)
            .is_some_and(|name| name == "catch");
        if is_catch {
            self.visit_expression(&call.callee);
            self.catches += 1;
            self.in_condition(|walker| walker.visit_arguments(&call.arguments));
            self.catches -= 1;
        } else {
            walk::walk_call_expression(self, call);
        }
        self.setups -= u32::from(is_setup);
    }

    fn visit_function(&mut self, function: &oxc_ast::ast::Function<'a>, flags: ScopeFlags) {
        let has_frame = self.enter(function.span.start, function.r#async);
        walk::walk_function(self, function, flags);
        self.leave(has_frame);
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        let has_frame = self.enter(arrow.span.start, arrow.r#async);
        if let Some(expression) = arrow.get_expression() {
            assertions::check_value(self, expression);
        }
        walk::walk_arrow_function_expression(self, arrow);
        self.leave(has_frame);
    }

    fn visit_expression_statement(&mut self, statement: &ExpressionStatement<'a>) {
        assertions::check_statement(self, &statement.expression);
        let expects = self.expects;
        walk::walk_expression_statement(self, statement);
        if self.expects > expects {
            assertions::check_promise(self, &statement.expression);
        }
    }

    fn visit_await_expression(&mut self, expression: &AwaitExpression<'a>) {
        waits::check_await(self, expression);
        blocks::note_await(self, expression.span);
        walk::walk_await_expression(self, expression);
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        self.note_name(identifier.name.as_str());
    }

    fn visit_identifier_name(&mut self, identifier: &IdentifierName<'a>) {
        self.note_name(identifier.name.as_str());
    }

    fn visit_binding_identifier(&mut self, identifier: &BindingIdentifier<'a>) {
        self.note_name(identifier.name.as_str());
    }

    fn visit_throw_statement(&mut self, statement: &ThrowStatement<'a>) {
        self.set_asserting();
        self.set_can_fail();
        walk::walk_throw_statement(self, statement);
    }

    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        assertions::check_return(self, statement);
        self.set_asserting();
        walk::walk_return_statement(self, statement);
    }

    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        blocks::check_condition(self, statement.span, "if");
        self.visit_expression(&statement.test);
        self.in_condition(|walker| {
            walker.visit_statement(&statement.consequent);
            if let Some(alternate) = &statement.alternate {
                walker.visit_statement(alternate);
            }
        });
    }

    fn visit_switch_statement(&mut self, statement: &SwitchStatement<'a>) {
        blocks::check_condition(self, statement.span, "switch");
        self.visit_expression(&statement.discriminant);
        self.in_condition(|walker| walker.visit_switch_cases(&statement.cases));
    }

    fn visit_conditional_expression(&mut self, expression: &ConditionalExpression<'a>) {
        blocks::check_condition(self, expression.span, "?:");
        self.visit_expression(&expression.test);
        self.in_condition(|walker| {
            walker.visit_expression(&expression.consequent);
            walker.visit_expression(&expression.alternate);
        });
    }

    fn visit_logical_expression(&mut self, expression: &LogicalExpression<'a>) {
        self.visit_expression(&expression.left);
        self.in_condition(|walker| walker.visit_expression(&expression.right));
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause<'a>) {
        self.catches += 1;
        self.in_condition(|walker| walk::walk_catch_clause(walker, clause));
        self.catches -= 1;
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        self.in_loop(|walker| walk::walk_while_statement(walker, statement));
    }

    fn visit_do_while_statement(&mut self, statement: &DoWhileStatement<'a>) {
        self.in_loop(|walker| walk::walk_do_while_statement(walker, statement));
    }

    fn visit_for_statement(&mut self, statement: &ForStatement<'a>) {
        self.in_loop(|walker| walk::walk_for_statement(walker, statement));
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.in_loop(|walker| walk::walk_for_in_statement(walker, statement));
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.in_loop(|walker| walk::walk_for_of_statement(walker, statement));
    }

    fn visit_export_declaration(&mut self, export: &ExportDeclaration<'a>) {
        blocks::check_export(self, export.span, export.declaration.is_typescript_syntax());
        walk::walk_export_declaration(self, export);
    }

    fn visit_export_default_declaration(&mut self, export: &ExportDefaultDeclaration<'a>) {
        blocks::check_export(self, export.span, false);
        walk::walk_export_default_declaration(self, export);
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        blocks::check_import(self, import);
    }

    // Types contain no calls.
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
}
