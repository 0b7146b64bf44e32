//! Rules on components and hooks of React.

use super::ast::*;
use super::walk::{Candidate, Frame, Role, State, WRAPPERS, Walker};
use super::{dependencies, effects, keys, plain, props};
use aidd_engine::text::finding::Severity;
use oxc_ast::ast::*;
use oxc_span::GetSpan;
use std::collections::HashSet;

/// The top-level components of the file that are wrapped in `memo` without a comparison.
pub(super) fn memo_components<'a>(program: &Program<'a>) -> HashSet<&'a str> {
    let mut memos = HashSet::new();
    for statement in &program.body {
        let declaration = match statement {
            Statement::VariableDeclaration(declaration) => Some(&**declaration),
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::VariableDeclaration(declaration) => Some(&**declaration),
                _ => None,
            },
            _ => None,
        };
        for declarator in declaration.iter().flat_map(|it| &it.declarations) {
            let call = declarator.init.as_ref().and_then(call_of);
            let is_memo = call
                .is_some_and(|call| callee_name(call) == Some("memo") && call.arguments.len() == 1);
            memos.extend(binding_name(&declarator.id).filter(|_| is_memo));
        }
    }
    memos
}

/// Reads the constants of a component: its state, its new objects and its new components.
#[inline(never)]
pub(super) fn read_body<'a>(
    frame: &mut Frame<'a>,
    function: Callable<'_, 'a>,
    walker: &Walker<'a, '_, '_>,
) {
    props::read_defaults(frame, function);
    for statement in function.statements() {
        match statement {
            Statement::VariableDeclaration(declaration) => {
                for declarator in &declaration.declarations {
                    let Some(init) = &declarator.init else { continue };
                    read_declarator(frame, declarator, init, declaration.kind.is_const(), walker);
                }
            }
            Statement::FunctionDeclaration(inner) => {
                let Some(id) = &inner.id else { continue };
                let (name, span) = (id.name.as_str(), span(id.span));
                frame.literals.insert(name, ("function", span));
                if is_component_name(name) {
                    let is_plain = plain::is_plain(Callable::Function(inner), walker.text);
                    frame.created.push(Candidate { name, span, is_plain });
                }
            }
            Statement::ClassDeclaration(inner) => {
                if let Some(id) = inner.id.as_ref().filter(|id| is_component_name(&id.name)) {
                    let (name, span) = (id.name.as_str(), span(id.span));
                    frame.created.push(Candidate { name, span, is_plain: false });
                }
            }
            _ => {}
        }
    }
}

/// Maximum number of state variables of a component that are known.
const MAX_STATES: usize = 256;

fn read_declarator<'a>(
    frame: &mut Frame<'a>,
    declarator: &VariableDeclarator<'a>,
    init: &Expression<'a>,
    is_const: bool,
    walker: &Walker<'a, '_, '_>,
) {
    let call = call_of(init);
    if let BindingPattern::ArrayPattern(pattern) = &declarator.id {
        let is_state = call.and_then(hook_name).is_some_and(|hook| hook == "useState");
        let mut names = pattern.elements.iter().map(|it| it.as_ref().and_then(binding_name));
        let is_state = is_state && frame.states.len() < MAX_STATES;
        if let (true, Some(value), Some(Some(setter))) = (is_state, names.next(), names.next()) {
            let initial = call.and_then(|call| call.arguments.first()?.as_expression());
            let is_flag = matches!(initial, Some(Expression::BooleanLiteral(_)));
            frame.states.push(State { value, setter, is_flag });
        }
        return;
    }
    let Some(name) = binding_name(&declarator.id) else { return };
    if let Some(what) = created_by(init).filter(|what| is_const && *what != "element") {
        frame.literals.insert(name, (what, span(declarator.id.span())));
        props::read_components(frame, name, init);
    }
    if !is_component_name(name) {
        return;
    }
    let is_component = match (Callable::of(init), call) {
        (Some(function), _) => !function.is_async(),
        (_, Some(call)) => creates_component(walker, call),
        _ => match init.get_inner_expression() {
            Expression::TaggedTemplateExpression(template) => root_name(&template.tag)
                .is_some_and(|root| root == "styled" && walker.imports.is_from_any(root, &STYLED)),
            Expression::ClassExpression(_) => true,
            _ => false,
        },
    };
    if is_component {
        let span = span(declarator.id.span());
        let function = Callable::of(init);
        let is_plain = function.is_some_and(|function| plain::is_plain(function, walker.text));
        frame.created.push(Candidate { name, span, is_plain });
    }
}

/// Packages whose `styled` returns a component.
const STYLED: [&str; 4] =
    ["styled-components", "@emotion/styled", "@mui/material/styles", "@linaria/react"];

/// Whether a call returns a new component each time.
fn creates_component(walker: &Walker<'_, '_, '_>, call: &CallExpression<'_>) -> bool {
    let Some(name) = callee_name(call) else { return false };
    match name {
        "lazy" | "defineAsyncComponent" => true,
        "dynamic" => walker.imports.is_from_any("dynamic", &["next/dynamic"]),
        "styled" => walker.imports.is_from_any("styled", &STYLED),
        _ => WRAPPERS.contains(&name) && props::is_wrapped_function(call),
    }
}

/// Decides the candidates of a component.
#[inline(never)]
pub(super) fn finish<'a>(walker: &mut Walker<'a, '_, '_>, frame: &Frame<'a>) {
    for candidate in &frame.created {
        // A function that is called as one renders nothing by itself.
        if !frame.rendered.contains(candidate.name) {
            continue;
        }
        let outer = frame.name.unwrap_or("the component");
        let name = candidate.name;
        // An object can have a component and, inside it, another one with the same name.
        let which = if name == outer {
            let line = walker.report.source().line_of(frame.span.start) + 1;
            format!("the `{outer}` on line {line}")
        } else {
            format!("`{outer}`")
        };
        let message = format!("component `{name}` is created again on each render of {which}");
        if let Some(finding) = walker.at("perf/nested-component", candidate.span, message) {
            finding.help("Define it outside, and pass what it needs as props.");
            if candidate.is_plain {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
    }
    for candidate in &frame.index_keys {
        let setter = frame.states.iter().find(|state| state.value == Some(candidate.name));
        let Some(setter) = setter.filter(|it| walker.reordering.contains(it.setter)) else {
            continue;
        };
        let message = format!(
            "index as key in `{}`, from which `{}` removes or moves items",
            candidate.name, setter.setter
        );
        if let Some(finding) = walker.at("perf/index-key", candidate.span, message) {
            finding.help("Use a property that identifies the item as the key.");
        }
    }
}

/// Notes whether a call of a setter removes or moves items of a list.
#[inline(never)]
pub(super) fn note_setter<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Some(setter) = name_of(&call.callee).filter(|name| name.starts_with("set")) else { return };
    let Some(state) = walker.state_of_setter(setter) else { return };
    let (setter, value) = (state.setter, state.value);
    let Some(argument) = call.arguments.first().and_then(Argument::as_expression) else { return };
    let (result, list) = match Callable::of(argument) {
        Some(function) => (function.returned(), function.param_name(0)),
        None => (Some(argument), value),
    };
    let (Some(result), Some(list)) = (result, list) else { return };
    if moves_items(result, list) {
        walker.reordering.insert(setter);
    }
}

/// Whether an expression is `list` without some of its items, or in another order.
fn moves_items(expression: &Expression<'_>, list: &str) -> bool {
    if let Some(call) = call_of(expression) {
        let is_of_list = receiver(call).and_then(root_name) == Some(list);
        let first = call.arguments.first().and_then(Argument::as_expression).and_then(name_of);
        return match callee_name(call) {
            Some("filter") => is_of_list && !is_boolean_filter(call),
            Some("toSorted" | "toSpliced" | "toReversed") => is_of_list,
            Some("arrayMove" | "arrayRemove") => first == Some(list),
            _ => false,
        };
    }
    match expression.get_inner_expression() {
        Expression::ArrayExpression(array) => {
            let spreads_list = |element: &ArrayExpressionElement<'_>| match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    root_name(&spread.argument) == Some(list)
                }
                _ => false,
            };
            // Items are put before those of the list, or parts of the list are joined.
            array.elements.len() > 1 && array.elements.iter().skip(1).any(spreads_list)
        }
        _ => false,
    }
}

fn is_boolean_filter(call: &CallExpression<'_>) -> bool {
    let first = call.arguments.first().and_then(Argument::as_expression);
    first.and_then(name_of) == Some("Boolean")
}

/// Checks the call of a hook.
#[inline(never)]
pub(super) fn check_hook<'a>(
    walker: &mut Walker<'a, '_, '_>,
    call: &CallExpression<'a>,
    hook: &'a str,
) {
    match hook {
        "useEffect" | "useLayoutEffect" | "useInsertionEffect" => {
            effects::check_effect(walker, call, hook);
            dependencies::check(walker, call, hook, 1);
        }
        "useMemo" | "useCallback" => {
            if call.arguments.len() == 1
                && Callable::of_argument(call, 0).is_some()
                && walker.component().is_some()
            {
                let name = span(call.callee.span());
                let message =
                    format!("`{hook}` without dependencies computes its value on each render");
                if let Some(finding) = walker.at("perf/memo-without-dependencies", name, message) {
                    finding.help("Add the array of dependencies.");
                }
            }
            dependencies::check(walker, call, hook, 1);
        }
        "useImperativeHandle" => dependencies::check(walker, call, hook, 2),
        "useState" => check_initial_state(walker, call),
        _ => {}
    }
}

/// Reports an initial state that is read from storage or parsed on each render.
fn check_initial_state<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Some(argument) = call.arguments.first().and_then(Argument::as_expression) else { return };
    if Callable::of(argument).is_some() {
        return;
    }
    let mut expression = argument.get_inner_expression();
    while let Expression::LogicalExpression(logical) = expression {
        expression = logical.left.get_inner_expression();
    }
    let Some(initial) = call_of(expression) else { return };
    let object = receiver(initial).and_then(root_name);
    let is_slow = matches!(
        (object, callee_name(initial)),
        (Some("JSON"), Some("parse"))
            | (Some("localStorage" | "sessionStorage" | "window"), Some("getItem"))
    );
    if is_slow && walker.component().is_some() {
        let place = span(argument.span());
        let message = "initial state is read again on each render";
        if let Some(finding) = walker.at("perf/eager-initial-state", place, message) {
            finding.help("Pass a function, which runs for the first render only.").fix(
                "Wrap in a function",
                vec![aidd_engine::text::finding::Edit::insert(place.start, "() => ")],
            );
        }
    }
}

/// Clients and connections that must outlive a render.
const LONG_LIVED: [(&str, &str); 8] = [
    ("QueryClient", "the cache is lost"),
    ("ApolloClient", "the cache is lost"),
    ("WebSocket", "a connection is opened"),
    ("EventSource", "a connection is opened"),
    ("Worker", "a worker is started"),
    ("SharedWorker", "a worker is started"),
    ("AudioContext", "an audio device is opened"),
    ("BroadcastChannel", "a channel is opened"),
];

/// Reports a client or connection that each render creates.
#[inline(never)]
pub(super) fn check_new<'a>(walker: &mut Walker<'a, '_, '_>, new: &NewExpression<'a>) {
    let Some(name) = name_of(&new.callee) else { return };
    let Some((name, effect)) = LONG_LIVED.iter().find(|(class, _)| *class == name) else { return };
    if is_created_by_render(walker, new.span) {
        let message = format!("`{name}` is created on each render: {effect} each time");
        if let Some(finding) = walker.at("perf/created-in-render", span(new.span), message) {
            finding.help("Create it outside of the component, or once with `useState(() => …)`.");
        }
    }
}

/// Functions that return a function with its own timer.
pub(super) const TIMED: [&str; 2] = ["debounce", "throttle"];

/// Reports a debounced function that each render creates, so that it delays nothing.
pub(super) fn check_timed<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Some(name) = callee_name(call).filter(|name| TIMED.contains(name)) else { return };
    let is_library = receiver(call)
        .is_none_or(|object| name_of(object).is_some_and(|name| matches!(name, "_" | "lodash")));
    if is_library
        && Callable::of_argument(call, 0).is_some()
        && is_created_by_render(walker, call.span)
    {
        let message =
            format!("`{name}` returns a new function, with its own timer, on each render");
        if let Some(finding) = walker.at("perf/created-in-render", span(call.span), message) {
            finding.help("Create it once with `useMemo`, or keep it in a ref.");
        }
    }
}

/// Whether a declaration in the body of a component is evaluated on each render.
fn is_created_by_render(walker: &Walker<'_, '_, '_>, place: Span) -> bool {
    let Some(frame) = walker.frame() else { return false };
    // Server components render once.
    let is_once = frame.is_async || walker.imports.is_server_component(walker.package.has_next);
    // Only `const name = …` in the body itself; other places have conditions.
    let before = walker.text.get(..place.start as usize).unwrap_or_default().trim_end();
    let is_declared = before.ends_with('=') && !before.ends_with("?=") && !before.ends_with("|=");
    frame.role != Role::Other
        && walker.package.has_react
        && !is_once
        && walker.hook_arguments == 0
        && is_declared
        && frame.loops.is_empty()
        && is_direct_declaration(before)
}

/// Whether the text before an initializer ends with `const name =`.
fn is_direct_declaration(before: &str) -> bool {
    let line = before.lines().next_back().unwrap_or_default().trim_start();
    line.starts_with("const ") || line.starts_with("let ")
}

/// Checks an element: the value of a context, the props of memoized components, keys.
#[inline(never)]
pub(super) fn check_element<'a>(walker: &mut Walker<'a, '_, '_>, element: &JSXOpeningElement<'a>) {
    let name = match &element.name {
        JSXElementName::IdentifierReference(identifier) => Some(identifier.name.as_str()),
        _ => None,
    };
    // A memoized element keeps its first component.
    let has_candidates =
        walker.memoized == 0 && walker.frames.iter().any(|frame| !frame.created.is_empty());
    if let (true, Some(name), Some(frame)) = (has_candidates, name, walker.frames.last_mut()) {
        frame.rendered.insert(name);
    }
    let is_provider = match &element.name {
        JSXElementName::MemberExpression(member) => member.property.name == "Provider",
        _ => name.is_some_and(|name| name.ends_with("Context")),
    };
    let is_memo = name.is_some_and(|name| walker.memos.contains(name));
    for attribute in element.attributes.iter().filter_map(JSXAttributeItem::as_attribute) {
        let JSXAttributeName::Identifier(attribute_name) = &attribute.name else { continue };
        let Some(JSXAttributeValue::ExpressionContainer(container)) = &attribute.value else {
            continue;
        };
        let Some(value) = container.expression.as_expression() else { continue };
        let attribute_name = attribute_name.name.as_str();
        if attribute_name == "key" {
            check_key(walker, value);
        } else if attribute_name == "components" {
            props::check_components(walker, value);
        } else if is_provider && attribute_name == "value" {
            check_value(walker, value);
        } else if is_memo && attribute_name != "ref" {
            check_prop(walker, name.unwrap_or_default(), attribute_name, value);
        }
    }
}

/// The innermost function, if it is a component that re-renders by itself, and no compiler memoizes
/// its values.
fn unstable_frame<'w, 'a>(walker: &'w Walker<'a, '_, '_>) -> Option<&'w Frame<'a>> {
    let is_unstable = |frame: &&Frame<'a>| frame.role == Role::Component && frame.hooks > 0;
    walker.frame().filter(is_unstable).filter(|_| !walker.package.has_compiler)
}

/// What an expression creates on each render of a component that re-renders by itself.
fn unstable<'a>(walker: &Walker<'a, '_, '_>, value: &Expression<'a>) -> Option<&'static str> {
    let frame = unstable_frame(walker)?;
    created_by(value).or_else(|| Some(frame.literals.get(name_of(value)?)?.0))
}

fn check_value<'a>(walker: &mut Walker<'a, '_, '_>, value: &Expression<'a>) {
    let in_case = || unstable_frame(walker).and_then(|_| props::created_in_case(value));
    if let Some(what) = unstable(walker, value).or_else(in_case) {
        let message = format!(
            "the context gets a new {what} on each render, which re-renders all its consumers"
        );
        let place = span(value.span());
        if let Some(finding) = walker.at("perf/constructed-context-value", place, message) {
            finding.help("Wrap the value in `useMemo`.");
        }
    }
}

fn check_prop<'a>(
    walker: &mut Walker<'a, '_, '_>,
    element: &str,
    prop: &str,
    value: &Expression<'a>,
) {
    if let Some(what) = unstable(walker, value) {
        let message =
            format!("new {what} for `{prop}` on each render: `memo` of `{element}` has no effect");
        let place = span(value.span());
        if let Some(finding) = walker.at("perf/unstable-memo-prop", place, message) {
            finding.help(if what == "function" {
                "Wrap the function in `useCallback`, or define it outside of the component."
            } else {
                "Wrap the value in `useMemo`, or define it outside of the component."
            });
        }
    }
}

/// Notes a key that is the index of the enclosing `list.map((item, index) => …)`.
fn check_key<'a>(walker: &mut Walker<'a, '_, '_>, value: &Expression<'a>) {
    keys::check(walker, value);
    let index = match value.get_inner_expression() {
        Expression::Identifier(identifier) => Some(identifier.name.as_str()),
        // `${index}` and `index.toString()`
        Expression::TemplateLiteral(template) if template.expressions.len() == 1 => {
            name_of(&template.expressions[0])
        }
        _ => call_of(value)
            .filter(|call| callee_name(call) == Some("toString"))
            .and_then(|call| receiver(call).and_then(name_of)),
    };
    let Some(index) = index else { return };
    let list = walker.frames.iter().rev().find_map(|frame| {
        let the_loop = frame.loops.first()?;
        (the_loop.index == Some(index)).then_some(the_loop.list).flatten()
    });
    if let Some(list) = list.filter(|list| walker.state(list).is_some())
        && let Some(frame) = walker.frames.last_mut()
    {
        let span = span(value.span());
        frame.index_keys.push(Candidate { name: list, span, is_plain: false });
    }
}
