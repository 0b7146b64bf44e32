//! The walk over a script: which component, hook and loop the current node is in. The checks are
//! never inlined, so that the walk needs little stack for each level of nesting.

use super::ast::{
    Callable, binding_name, call_of, callee_name, contains, hook_name, is_component_name,
    is_hook_name, name_of, span,
};
use super::declared::Declared;
use super::first_uses::FirstUses;
use super::project::Package;
use super::{
    calls, cleanup, imports, layout, lazy, leaks, loops, next, plain, props, react, waterfall,
};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// The role of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Component,
    Hook,
    Other,
}

/// A state variable of a component, from `const [value, setValue] = useState()`.
pub(super) struct State<'a> {
    pub(super) value: Option<&'a str>,
    pub(super) setter: &'a str,
    /// Whether the initial value is `true` or `false`.
    pub(super) is_flag: bool,
}

/// A candidate for a finding, decided at the end of the component.
pub(super) struct Candidate<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    /// Whether nobody notices that its elements are built again.
    pub(super) is_plain: bool,
}

/// A function that encloses the current node.
pub(super) struct Frame<'a> {
    pub(super) role: Role,
    pub(super) name: Option<&'a str>,
    pub(super) is_async: bool,
    pub(super) span: Span,
    pub(super) states: Vec<State<'a>>,
    /// The number of hooks that the function calls itself.
    pub(super) hooks: u32,
    /// Constants of a component that hold a new object, array or function after each render.
    pub(super) literals: HashMap<&'a str, (&'static str, Span)>,
    /// Parameters whose default is a new object, array or function after each render.
    pub(super) defaults: HashMap<&'a str, (&'static str, Span)>,
    /// Constants that are objects of components, with the first of these.
    pub(super) component_maps: Vec<(&'a str, Span)>,
    /// Components that the function creates.
    pub(super) created: Vec<Candidate<'a>>,
    /// Keys that are the index in a list of the component's state.
    pub(super) index_keys: Vec<Candidate<'a>>,
    /// The names of the components that the function renders.
    pub(super) rendered: HashSet<&'a str>,
    pub(super) loops: Vec<loops::Loop<'a>>,
}

impl<'a> Frame<'a> {
    fn new(role: Role, name: Option<&'a str>, is_async: bool, span: Span) -> Self {
        Self {
            role,
            name,
            is_async,
            span,
            states: Vec::new(),
            hooks: 0,
            literals: HashMap::new(),
            defaults: HashMap::new(),
            component_maps: Vec::new(),
            created: Vec::new(),
            index_keys: Vec::new(),
            rendered: HashSet::new(),
            loops: Vec::new(),
        }
    }
}

pub(super) struct Walker<'a, 'r, 's> {
    pub(super) text: &'a str,
    program: &'r Program<'a>,
    pub(super) package: &'r Package,
    pub(super) files: &'r dyn Files,
    pub(super) imports: imports::Imports<'a>,
    pub(super) report: &'r mut Report<'s>,
    pub(super) frames: Vec<Frame<'a>>,
    /// The name of the function that begins at an offset.
    pending: Option<(u32, &'a str)>,
    /// The loops whose bodies are the functions that begin at these offsets.
    pub(super) pending_loops: Vec<(u32, loops::Loop<'a>)>,
    /// Components of the file that are wrapped in `memo` without a comparison of their own.
    pub(super) memos: HashSet<&'a str>,
    /// Setters that are called with a list in which elements were removed or moved.
    pub(super) reordering: HashSet<&'a str>,
    /// The number of enclosing calls whose argument is only evaluated for the first render.
    pub(super) hook_arguments: u32,
    /// The number of enclosing calls of hooks that return the same elements until a value changes.
    pub(super) memoized: u32,
    /// The elements that enclose the current node, with the modules that export them.
    elements: Vec<(&'a str, &'a str)>,
    /// Whether the script has a callback for the removal of its component, once it is needed.
    stops_on_removal: OnceCell<bool>,
    /// The variables of the script, once they are needed.
    declared: OnceCell<Declared<'a>>,
    /// How the names of the script are used, once it is needed.
    first_uses: OnceCell<FirstUses<'a>>,
    /// The name of the class of React that encloses the current node.
    class: Option<&'a str>,
    is_component_file: bool,
    /// The number of `Head` elements in the document of Next.
    pub(super) document_heads: u32,
}

impl<'a, 'r, 's> Walker<'a, 'r, 's> {
    pub(super) fn new(
        text: &'a str,
        program: &'r Program<'a>,
        package: &'r Package,
        files: &'r dyn Files,
        report: &'r mut Report<'s>,
    ) -> Self {
        let mut imports = imports::Imports::new(program);
        let path = report.source().path();
        imports.set_path(package, path);
        Self {
            text,
            program,
            package,
            files,
            imports,
            report,
            frames: Vec::new(),
            pending: None,
            pending_loops: Vec::new(),
            memos: react::memo_components(program),
            reordering: HashSet::new(),
            hook_arguments: 0,
            memoized: 0,
            elements: Vec::new(),
            stops_on_removal: OnceCell::new(),
            declared: OnceCell::new(),
            first_uses: OnceCell::new(),
            class: None,
            is_component_file: [".tsx", ".jsx"].iter().any(|end| path.ends_with(end)),
            document_heads: 0,
        }
    }

    /// Adds a finding unless the rule is disabled.
    pub(super) fn at(
        &mut self,
        rule: &str,
        span: Span,
        message: impl Into<String>,
    ) -> Option<&mut Finding> {
        super::report_at(self.report, rule, span, message)
    }

    pub(super) fn frame(&self) -> Option<&Frame<'a>> {
        self.frames.last()
    }

    /// The innermost component or hook that encloses the current node.
    pub(super) fn component(&self) -> Option<&Frame<'a>> {
        self.frames.iter().rev().find(|frame| frame.role != Role::Other)
    }

    /// The state variable that a function sets.
    pub(super) fn state_of_setter(&self, setter: &str) -> Option<&State<'a>> {
        self.frames.iter().rev().flat_map(|frame| &frame.states).find(|it| it.setter == setter)
    }

    /// The state variable with this name.
    pub(super) fn state(&self, name: &str) -> Option<&State<'a>> {
        let mut states = self.frames.iter().rev().flat_map(|frame| &frame.states);
        states.find(|it| it.value == Some(name))
    }

    /// Whether the script has a callback for the removal of its component.
    pub(super) fn stops_on_removal(&self) -> bool {
        const ENDS: [&str; 6] = [
            "nmount",
            "estroy",
            "deactivated",
            "nScopeDispose",
            "onDeactivated",
            "beforeRouteLeave",
        ];
        // `onMounted` and `onMount` do not contain the first word.
        *self.stops_on_removal.get_or_init(|| ENDS.iter().any(|name| contains(self.text, name)))
    }

    /// The variables that the script declares.
    pub(super) fn declared(&self) -> &Declared<'a> {
        self.declared.get_or_init(|| Declared::of(self.program))
    }

    /// The variables of which the script uses only the first item.
    pub(super) fn first_uses(&self) -> &FirstUses<'a> {
        self.first_uses.get_or_init(|| FirstUses::of(self.program))
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    #[inline(never)]
    fn enter(&mut self, function: Callable<'_, 'a>, own_name: Option<&'a str>) {
        let start = function.span().start;
        let pending = self.pending.take_if(|(at, _)| *at == start).map(|(_, name)| name);
        let name = own_name.or(pending);
        let role = match name {
            Some(name) if is_hook_name(name) => Role::Hook,
            Some(name) if is_component_name(name) => Role::Component,
            _ => Role::Other,
        };
        let mut frame = Frame::new(role, name, function.is_async(), function.span());
        if role != Role::Other && self.package.has_react {
            react::read_body(&mut frame, function, self);
        }
        if let Some(index) = self.pending_loops.iter().position(|(at, _)| *at == start) {
            frame.loops.push(self.pending_loops.swap_remove(index).1);
        }
        waterfall::check(self, &frame, function);
        self.frames.push(frame);
    }

    #[inline(never)]
    fn leave(&mut self) {
        let Some(mut frame) = self.frames.pop() else { return };
        for the_loop in std::mem::take(&mut frame.loops) {
            loops::finish(self, &the_loop);
        }
        if frame.role != Role::Other {
            react::finish(self, &frame);
        }
        if let Some(outer) = self.frames.last_mut() {
            outer.rendered.extend(frame.rendered.drain());
            outer.index_keys.append(&mut frame.index_keys);
        }
    }

    fn in_loop(&mut self, the_loop: loops::Loop<'a>, visit: impl FnOnce(&mut Self)) {
        if self.frames.is_empty() {
            // Code of the module, outside of functions.
            let mut frame = Frame::new(Role::Other, None, true, the_loop.span);
            frame.loops.push(the_loop);
            self.frames.push(frame);
            visit(self);
            self.leave();
            return;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.push(the_loop);
        }
        visit(self);
        if let Some(the_loop) = self.frames.last_mut().and_then(|frame| frame.loops.pop()) {
            loops::finish(self, &the_loop);
        }
    }
}

impl<'a> Visit<'a> for Walker<'a, '_, '_> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        let name = function.id.as_ref().map(|id| id.name.as_str());
        self.enter(Callable::Function(function), name);
        walk::walk_function(self, function, flags);
        self.leave();
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.enter(Callable::Arrow(arrow), None);
        walk::walk_arrow_function_expression(self, arrow);
        self.leave();
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let (Some(name), Some(init)) = (binding_name(&declarator.id), &declarator.init) {
            self.pending = function_start(init).map(|start| (start, name));
        }
        calls::check_declarator(self, declarator);
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        cleanup::check_class(self, class);
        let outer = self.class;
        let name = class.id.as_ref().map_or(UNNAMED, |id| id.name.as_str());
        self.class = cleanup::is_react_class(class).then_some(name);
        walk::walk_class(self, class);
        self.class = outer;
    }

    fn visit_method_definition(&mut self, method: &MethodDefinition<'a>) {
        if let Some(name) = self.class
            && method.key.is_specific_static_name("render")
        {
            self.pending = Some((method.value.span.start, name));
        }
        walk::walk_method_definition(self, method);
    }

    fn visit_export_default_declaration(&mut self, export: &ExportDefaultDeclaration<'a>) {
        let start = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                Some(function.span.start)
            }
            other => other.as_expression().and_then(function_start),
        };
        // A script with elements exports a component.
        if let Some(start) = start.filter(|_| self.is_component_file) {
            self.pending = Some((start, UNNAMED));
        }
        walk::walk_export_default_declaration(self, export);
    }

    fn visit_object_expression(&mut self, object: &ObjectExpression<'a>) {
        leaks::check_options(self, object);
        walk::walk_object_expression(self, object);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let hook = hook_name(call);
        if let Some(hook) = hook {
            if let Some(frame) = self.frames.last_mut() {
                frame.hooks += 1;
            }
            react::check_hook(self, call, hook);
        }
        leaks::check_call(self, call);
        cleanup::check_removal(self, call);
        calls::check(self, call);
        loops::check_call(self, call);
        react::note_setter(self, call);
        props::note_element(self, call);
        let is_lazy = hook.is_some() || is_factory(call);
        let is_memoized = hook.is_some_and(|hook| plain::is_memoized(call, hook));
        self.hook_arguments += u32::from(is_lazy);
        self.memoized += u32::from(is_memoized);
        walk::walk_call_expression(self, call);
        self.memoized -= u32::from(is_memoized);
        self.hook_arguments -= u32::from(is_lazy);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        react::check_new(self, new);
        walk::walk_new_expression(self, new);
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        loops::check_assignment(self, assignment);
        calls::check_assignment(self, assignment);
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_member_expression(&mut self, member: &MemberExpression<'a>) {
        layout::check_member(self, member);
        calls::check_member(self, member);
        walk::walk_member_expression(self, member);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        lazy::check(self, import);
        walk::walk_import_expression(self, import);
    }

    fn visit_await_expression(&mut self, expression: &AwaitExpression<'a>) {
        loops::check_await(self, expression);
        walk::walk_await_expression(self, expression);
    }

    fn visit_jsx_element(&mut self, element: &JSXElement<'a>) {
        if !self.package.has_next {
            walk::walk_jsx_element(self, element);
            return;
        }
        let outer = std::mem::take(&mut self.elements);
        next::check_element(self, element, &outer);
        self.elements = outer;
        self.elements.push(next::name_and_module(self, &element.opening_element));
        walk::walk_jsx_element(self, element);
        self.elements.pop();
    }

    fn visit_jsx_opening_element(&mut self, element: &JSXOpeningElement<'a>) {
        react::check_element(self, element);
        walk::walk_jsx_opening_element(self, element);
    }

    fn visit_block_statement(&mut self, block: &BlockStatement<'a>) {
        let outer = layout::enter_block(self, &block.body);
        walk::walk_block_statement(self, block);
        layout::leave_block(self, outer);
    }

    fn visit_switch_statement(&mut self, switch: &SwitchStatement<'a>) {
        let outer = layout::enter_switch(self);
        walk::walk_switch_statement(self, switch);
        layout::leave_block(self, outer);
    }

    fn visit_for_statement(&mut self, statement: &ForStatement<'a>) {
        let the_loop = loops::Loop::plain(span(statement.span), statement.test.as_ref());
        self.in_loop(the_loop, |walker| walk::walk_for_statement(walker, statement));
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        let the_loop = loops::Loop::search(span(statement.span));
        self.in_loop(the_loop, |walker| walk::walk_while_statement(walker, statement));
    }

    fn visit_do_while_statement(&mut self, statement: &DoWhileStatement<'a>) {
        let the_loop = loops::Loop::search(span(statement.span));
        self.in_loop(the_loop, |walker| walk::walk_do_while_statement(walker, statement));
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        let the_loop = loops::Loop::plain(span(statement.span), Some(&statement.right));
        self.in_loop(the_loop, |walker| walk::walk_for_in_statement(walker, statement));
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        let the_loop = loops::Loop::for_of(statement);
        self.visit_expression(&statement.right);
        self.in_loop(the_loop, |walker| walker.visit_statement(&statement.body));
    }

    // Types contain no calls.
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
}

/// The name of a component that has none.
const UNNAMED: &str = "Component";

/// Functions that return a component that renders the given one.
pub(super) const WRAPPERS: [&str; 4] = ["memo", "forwardRef", "observer", "withErrorBoundary"];

/// The start of the function that an initializer defines, also inside of `memo` and `forwardRef`.
fn function_start(init: &Expression<'_>) -> Option<u32> {
    let mut init = init;
    for _ in 0..3 {
        if let Some(function) = Callable::of(init) {
            return Some(function.span().start);
        }
        let call = call_of(init)
            .filter(|call| callee_name(call).is_some_and(|name| WRAPPERS.contains(&name)))?;
        init = call.arguments.first()?.as_expression()?;
    }
    None
}

/// Whether a call evaluates its arguments on each render, but uses only those of the first one.
fn is_factory(call: &CallExpression<'_>) -> bool {
    name_of(&call.callee).is_some_and(|name| matches!(name, "ref" | "shallowRef" | "signal"))
}
