//! Rules on effects of React: endless renders, and state that can be computed.

use super::ast::*;
use super::cleanup;
use super::leaks::{self, Cleanup, Scope};
use super::walk::{Role, Walker};
use oxc_ast::ast::*;

/// Checks an effect of React.
pub(super) fn check_effect<'a>(
    walker: &mut Walker<'a, '_, '_>,
    call: &CallExpression<'a>,
    hook: &str,
) {
    let Some(function) = Callable::of_argument(call, 0) else { return };
    let list = call.arguments.get(1).and_then(Argument::as_expression);
    let dependencies = match list.map(Expression::get_inner_expression) {
        None if call.arguments.len() == 1 => Dependencies::None,
        Some(Expression::ArrayExpression(array)) => Dependencies::List(array),
        _ => Dependencies::Unknown,
    };
    cleanup::check_async(walker, function, "React");
    check_endless(walker, function, &dependencies, hook);
    // An effect before the page is drawn renders twice on purpose, such as after hydration.
    if hook == "useEffect" {
        check_derived(walker, function, &dependencies);
    }
    let scope = Scope::Part(function.span());
    leaks::check_leaks(walker, function, scope, &dependencies, Cleanup::Returned);
}

/// When an effect runs.
pub(super) enum Dependencies<'b, 'a> {
    /// The effect runs after each render.
    None,
    List(&'b ArrayExpression<'a>),
    /// The code runs once for each component.
    Mount,
    Unknown,
}

impl Dependencies<'_, '_> {
    /// Whether the effect can run several times for the same component.
    pub(super) fn is_repeated(&self) -> bool {
        match self {
            Self::None | Self::Unknown => true,
            Self::List(list) => !list.elements.is_empty(),
            Self::Mount => false,
        }
    }

    fn names(&self, name: &str) -> bool {
        let Self::List(list) = self else { return false };
        list.elements.iter().any(|element| element.as_expression().and_then(name_of) == Some(name))
    }
}

/// Reports an effect that sets state to a new value each time it runs, and runs because of it.
fn check_endless<'a>(
    walker: &mut Walker<'a, '_, '_>,
    function: Callable<'_, 'a>,
    dependencies: &Dependencies<'_, 'a>,
    hook: &str,
) {
    if matches!(dependencies, Dependencies::Unknown) || function.is_async() {
        return;
    }
    let expressions = function.expression().into_iter().chain(
        function
            .statements()
            .iter()
            // After a condition, the rest of the effect may not run.
            .take_while(|statement| {
                matches!(
                    statement,
                    Statement::ExpressionStatement(_) | Statement::VariableDeclaration(_)
                )
            })
            .filter_map(|statement| match statement {
                Statement::ExpressionStatement(statement) => Some(&statement.expression),
                _ => None,
            }),
    );
    for expression in expressions {
        let Some(call) = call_of(expression) else { continue };
        let Some(setter) = name_of(&call.callee) else { continue };
        let Some(state) = walker.state_of_setter(setter) else { continue };
        let Some(argument) = call.arguments.first().and_then(Argument::as_expression) else {
            continue;
        };
        let is_endless = match dependencies {
            Dependencies::None => true,
            _ => state.value.is_some_and(|value| dependencies.names(value)),
        };
        let value = state.value;
        if is_endless && is_always_new(argument, value) {
            let message = match (dependencies, value) {
                (Dependencies::List(_), Some(value)) => format!(
                    "`{setter}` changes `{value}`, on which this `{hook}` depends: endless renders"
                ),
                _ => format!(
                    "`{setter}` renders again, and this `{hook}` runs after each render: endless renders"
                ),
            };
            if let Some(finding) = walker.at("perf/endless-effect", span(call.span), message) {
                finding.help(match dependencies {
                    Dependencies::None => "Add the array of dependencies.",
                    _ => "Set the state in the event that changes it, or compute it during rendering.",
                });
            }
            return;
        }
    }
}

/// Whether an expression differs from the previous state each time. Equal texts and numbers are the
/// same state, so `text.slice(0, 9)`, `JSON.parse(text)` and `Date.now()` can end the renders.
fn is_always_new(expression: &Expression<'_>, state: Option<&str>) -> bool {
    if let Some(function) = Callable::of(expression) {
        let Some(returned) = function.returned() else { return false };
        return is_always_new(returned, function.param_name(0));
    }
    match expression.get_inner_expression() {
        Expression::ObjectExpression(_) | Expression::ArrayExpression(_) => true,
        Expression::NewExpression(_) => true,
        Expression::BinaryExpression(binary) => {
            let is_state =
                |side: &Expression<'_>| state.is_some_and(|state| name_of(side) == Some(state));
            let is_number = |side: &Expression<'_>| matches!(side.get_inner_expression(), Expression::NumericLiteral(number) if number.value > 0.0);
            matches!(binary.operator, BinaryOperator::Addition | BinaryOperator::Subtraction)
                && (is_state(&binary.left) && is_number(&binary.right)
                    || is_number(&binary.left) && is_state(&binary.right))
        }
        Expression::UnaryExpression(unary) => {
            unary.operator == UnaryOperator::LogicalNot
                && state.is_some_and(|state| name_of(&unary.argument) == Some(state))
        }
        // With `list?.map(…)`, the result can be `undefined` each time.
        Expression::CallExpression(call) => {
            let object = receiver(call).and_then(root_name);
            match callee_name(call) {
                Some("random") => object == Some("Math"),
                Some("map" | "filter" | "flatMap") => {
                    receiver(call).is_some() && Callable::of_argument(call, 0).is_some()
                }
                Some("keys" | "values" | "entries" | "fromEntries") => object == Some("Object"),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Maximum length in bytes of a component that is searched for calls of a setter.
const MAX_COMPONENT: usize = 64 << 10;

/// Reports an effect that only computes a state from other values.
fn check_derived<'a>(
    walker: &mut Walker<'a, '_, '_>,
    function: Callable<'_, 'a>,
    dependencies: &Dependencies<'_, 'a>,
) {
    let Dependencies::List(list) = dependencies else { return };
    let expression = match function.statements() {
        [Statement::ExpressionStatement(statement)] => &statement.expression,
        [] => match function.expression() {
            Some(expression) => expression,
            None => return,
        },
        _ => return,
    };
    let Some(call) = call_of(expression) else { return };
    let Some(setter) = name_of(&call.callee) else { return };
    let Some(argument) = call.arguments.first().and_then(Argument::as_expression) else { return };
    let Some(component) = walker.frame().filter(|frame| frame.role != Role::Other) else { return };
    let Some(state) = component.states.iter().find(|state| state.setter == setter) else { return };
    if component.span.range().len() > MAX_COMPONENT || Callable::of(argument).is_some() {
        return;
    }
    // The declaration and this effect: nothing else sets the state.
    if count_mentions(walker.slice(component.span), setter) != 2 {
        return;
    }
    let text = slice(walker.text, argument);
    let names: Vec<&str> = list
        .elements
        .iter()
        .filter_map(|element| element.as_expression().and_then(root_name))
        .collect();
    // A flag that is first set after the page was rendered on the server keeps both pages equal.
    let is_hydration = walker.package.has_next && state.is_flag;
    let is_computed = !names.is_empty()
        && !is_hydration
        && names.len() == list.elements.len()
        && names.iter().all(|name| mentions(text, name))
        && is_pure(argument);
    let Some(value) = state.value.filter(|_| is_computed) else { return };
    let message =
        format!("`{value}` can be computed during rendering; the effect renders a second time");
    if let Some(finding) = walker.at("perf/derived-state", span(call.span), message) {
        finding
            .help(format!("Replace state and effect with `const {value} = …`, or with `useMemo`."));
    }
}

/// Whether an expression depends on nothing but its names: no calls but of methods of texts and
/// lists, no refs, no browser objects.
fn is_pure(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::Identifier(_)
        | Expression::StringLiteral(_)
        | Expression::NumericLiteral(_)
        | Expression::BooleanLiteral(_)
        | Expression::NullLiteral(_) => true,
        Expression::TemplateLiteral(template) => template.expressions.iter().all(is_pure),
        Expression::BinaryExpression(binary) => is_pure(&binary.left) && is_pure(&binary.right),
        Expression::LogicalExpression(logical) => is_pure(&logical.left) && is_pure(&logical.right),
        Expression::UnaryExpression(unary) => is_pure(&unary.argument),
        Expression::ConditionalExpression(choice) => {
            is_pure(&choice.test) && is_pure(&choice.consequent) && is_pure(&choice.alternate)
        }
        Expression::StaticMemberExpression(member) => {
            member.property.name != "current" && is_pure(&member.object)
        }
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::StaticMemberExpression(member) => {
                member.property.name != "current" && is_pure(&member.object)
            }
            ChainElement::CallExpression(call) => is_pure_call(call),
            _ => false,
        },
        Expression::CallExpression(call) => is_pure_call(call),
        _ => false,
    }
}

fn is_pure_call(call: &CallExpression<'_>) -> bool {
    let is_known = callee_name(call).is_some_and(|name| {
        matches!(
            name,
            "filter"
                | "map"
                | "some"
                | "every"
                | "find"
                | "includes"
                | "join"
                | "slice"
                | "trim"
                | "toLowerCase"
                | "toUpperCase"
                | "reduce"
                | "toFixed"
                | "split"
        )
    });
    is_known && receiver(call).is_some_and(is_pure)
}
