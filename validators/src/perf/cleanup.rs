//! Rules on cleanup: listeners that the removal does not match, asynchronous effects, and classes of
//! React.

use super::ast::*;
use super::leaks;
use super::react::TIMED;
use super::walk::Walker;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

/// Reports `removeEventListener` with a function that was never added.
#[inline(never)]
pub(super) fn check_removal<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    if callee_name(call) != Some("removeEventListener") {
        return;
    }
    if call.arguments.iter().take(2).any(Argument::is_spread) {
        return;
    }
    let Some(listener) = call.arguments.get(1).and_then(Argument::as_expression) else { return };
    let what = match call_of(listener) {
        _ if Callable::of(listener).is_some() => "a new function",
        Some(inner) if property_of(&inner.callee) == Some("bind") => "the result of `bind`",
        Some(inner) if callee_name(inner).is_some_and(|name| TIMED.contains(&name)) => {
            "a new function"
        }
        _ => return,
    };
    let message = format!("`removeEventListener` removes nothing: {what} was never added");
    let place = span(listener.span());
    if let Some(finding) = walker.at("perf/ineffective-listener-removal", place, message) {
        finding.help(
            "Store the function in a variable and pass it to both calls, or add the listener with `signal`.",
        );
    }
}

/// Reports an asynchronous effect that returns the function to clean up.
pub(super) fn check_async<'a>(
    walker: &mut Walker<'a, '_, '_>,
    function: Callable<'_, 'a>,
    framework: &str,
) {
    if !function.is_async() {
        return;
    }
    let Some(returned) = function.statements().iter().find_map(|statement| match statement {
        Statement::ReturnStatement(statement) => {
            statement.argument.as_ref().filter(|argument| Callable::of(argument).is_some())
        }
        _ => None,
    }) else {
        return;
    };
    let message =
        format!("the effect is `async`: {framework} never calls the function that it returns");
    if let Some(finding) = walker.at("perf/leaking-effect", span(returned.span()), message) {
        finding
            .help("Call an `async` function in the effect, and return the cleanup outside of it.");
    }
}

/// Checks a component that is a class.
#[inline(never)]
pub(super) fn check_class<'a>(walker: &mut Walker<'a, '_, '_>, class: &Class<'a>) {
    check_angular(walker, class);
    check_react(walker, class);
}

/// Checks the class of a component of Angular.
fn check_angular<'a>(walker: &mut Walker<'a, '_, '_>, class: &Class<'a>) {
    let is_component = class.decorators.iter().any(|decorator| {
        call_of(&decorator.expression)
            .and_then(callee_name)
            .is_some_and(|name| matches!(name, "Component" | "Directive"))
    });
    // The component of the application exists as long as the page.
    let is_root = class.id.as_ref().is_some_and(|id| matches!(&*id.name, "App" | "AppComponent"));
    let ends = ["ngOnDestroy", "estroyRef", "takeUntil", "onDestroy", "ntilDestroy"];
    let is_ended = || ends.iter().any(|name| contains(walker.slice(span(class.span)), name));
    if !is_component || is_root || is_ended() {
        return;
    }
    for member in &class.body.body {
        let ClassElement::MethodDefinition(method) = member else { continue };
        let starts = method.key.static_name().is_some_and(|name| {
            matches!(&*name, "ngOnInit" | "ngAfterContentInit" | "ngAfterViewInit" | "constructor")
        });
        if starts {
            leaks::check_method(walker, &method.value, span(class.span));
        }
    }
}

/// Whether a class is a component of React.
pub(super) fn is_react_class(class: &Class<'_>) -> bool {
    let parent = class.heritage.as_ref().map(|heritage| &heritage.expression);
    parent.is_some_and(|parent| {
        let name = name_of(parent).or_else(|| property_of(parent));
        matches!(name, Some("Component" | "PureComponent"))
    })
}

/// Checks the class of a component of React.
fn check_react<'a>(walker: &mut Walker<'a, '_, '_>, class: &Class<'a>) {
    if !walker.package.has_react {
        return;
    }
    let method = |name: &str| {
        class.body.body.iter().find_map(|member| match member {
            ClassElement::MethodDefinition(method)
                if method.key.static_name().as_deref() == Some(name) =>
            {
                Some(&*method.value)
            }
            _ => None,
        })
    };
    if let Some(mount) = method("componentDidMount").filter(|_| is_react_class(class))
        && method("componentWillUnmount").is_none()
    {
        leaks::check_method(walker, mount, span(class.span));
    }
}
