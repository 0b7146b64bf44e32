//! Rules on properties of components: defaults that are new on each render, and components that are
//! created in place.

use super::ast::*;
use super::walk::{Frame, Role, WRAPPERS, Walker};
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

/// Reads the defaults of the properties of a component, and of the options of a hook.
pub(super) fn read_defaults<'a>(frame: &mut Frame<'a>, function: Callable<'_, 'a>) {
    for param in &function.params().items {
        if let Some(value) = &param.initializer {
            read_default(frame, &param.pattern, value);
        }
        let BindingPattern::ObjectPattern(pattern) = &param.pattern else { continue };
        for property in &pattern.properties {
            if let BindingPattern::AssignmentPattern(assignment) = &property.value {
                read_default(frame, &assignment.left, &assignment.right);
            }
        }
    }
}

fn read_default<'a>(frame: &mut Frame<'a>, pattern: &BindingPattern<'a>, value: &Expression<'a>) {
    if let (Some(name), Some(what)) = (binding_name(pattern), created_by(value)) {
        frame.defaults.insert(name, (what, span(value.span())));
    }
}

/// Reports a dependency of a hook that is a new object each time that the property is absent.
pub(super) fn check_dependency<'a>(
    walker: &mut Walker<'a, '_, '_>,
    expression: &Expression<'a>,
    effect: &str,
) {
    let Some(name) = name_of(expression).filter(|_| !walker.package.has_compiler) else { return };
    let default = walker.frame().and_then(|frame| frame.defaults.get(name)).copied();
    let Some((what, place)) = default else { return };
    let message =
        format!("without `{name}`, its default is a new {what} on each render: {effect} each time");
    if let Some(finding) = walker.at("perf/unstable-default", place, message) {
        finding
            .help("Define the default as a constant outside of the component.")
            .related(span(expression.span()), "the dependency");
    }
}

/// What an expression creates, also only in one of its cases: `items ?? []`.
pub(super) fn created_in_case(expression: &Expression<'_>) -> Option<&'static str> {
    const MAX_CASES: usize = 16;
    let mut cases = vec![expression];
    for _ in 0..MAX_CASES {
        let case = cases.pop()?.get_inner_expression();
        match case {
            Expression::ConditionalExpression(choice) => {
                cases.extend([&choice.alternate, &choice.consequent]);
            }
            Expression::LogicalExpression(logical) => cases.push(&logical.right),
            _ => {
                let created = created_by(case).filter(|what| *what != "element");
                if created.is_some() {
                    return created;
                }
            }
        }
    }
    None
}

/// The first function in an object that returns elements, as a component does.
fn component_in(object: &ObjectExpression<'_>) -> Option<Span> {
    object.properties.iter().find_map(|property| {
        let property = property.as_property()?;
        let function = Callable::of(&property.value)?;
        let returned = function.expression().or_else(|| match function.statements().last() {
            Some(Statement::ReturnStatement(statement)) => statement.argument.as_ref(),
            _ => None,
        })?;
        (created_by(returned) == Some("element")).then(|| span(property.key.span()))
    })
}

/// Notes a constant of a component that is an object of components.
pub(super) fn read_components<'a>(frame: &mut Frame<'a>, name: &'a str, init: &Expression<'a>) {
    if let Expression::ObjectExpression(object) = init.get_inner_expression()
        && let Some(place) = component_in(object)
    {
        frame.component_maps.push((name, place));
    }
}

/// Reports components that are created in the property `components` of an element.
pub(super) fn check_components<'a>(walker: &mut Walker<'a, '_, '_>, value: &Expression<'a>) {
    let Some(frame) = walker.frame().filter(|frame| frame.role == Role::Component) else { return };
    let is_once = frame.is_async || walker.imports.is_server_component(walker.package.has_next);
    // The React Compiler creates them once, and a component without hooks rarely renders by itself.
    if is_once || frame.hooks == 0 || walker.package.has_compiler || walker.hook_arguments > 0 {
        return;
    }
    let place = match value.get_inner_expression() {
        Expression::ObjectExpression(object) => component_in(object),
        _ => name_of(value).and_then(|name| {
            let mut maps = frame.component_maps.iter();
            maps.find(|(map, _)| *map == name).map(|(_, place)| *place)
        }),
    };
    let Some(place) = place else { return };
    let message =
        "component is created again on each render, which removes and inserts its elements";
    if let Some(finding) = walker.at("perf/inline-components", place, message) {
        finding
            .help("Define the components outside of the component, or the object with `useMemo`.");
    }
}

/// Notes the component that `createElement(Component)` renders.
#[inline(never)]
pub(super) fn note_element<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    if callee_name(call) == Some("createElement")
        && let Some(name) =
            call.arguments.first().and_then(Argument::as_expression).and_then(name_of)
        && is_component_name(name)
        && let Some(frame) = walker.frames.last_mut()
    {
        frame.rendered.insert(name);
    }
}

/// Whether the argument is a function, also in another wrapper: `memo(forwardRef(() => …))`.
pub(super) fn is_wrapped_function(call: &CallExpression<'_>) -> bool {
    let argument = call.arguments.first().and_then(Argument::as_expression);
    let inner = argument
        .and_then(call_of)
        .filter(|inner| callee_name(inner).is_some_and(|name| WRAPPERS.contains(&name)));
    Callable::of_argument(inner.unwrap_or(call), 0).is_some()
}
