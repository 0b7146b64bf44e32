//! The rule on dependencies of hooks that differ on each render.

use super::ast::*;
use super::props;
use super::walk::Walker;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

/// A dependency that is new on each render.
struct Unstable {
    place: Span,
    message: String,
    help: String,
    /// Where the value is created, if it has a name.
    definition: Option<Span>,
}

/// Reports the first of the dependencies that differ on each render, with the others.
pub(super) fn check<'a>(
    walker: &mut Walker<'a, '_, '_>,
    call: &CallExpression<'a>,
    hook: &str,
    index: usize,
) {
    let Some(Expression::ArrayExpression(list)) =
        call.arguments.get(index).and_then(Argument::as_expression)
    else {
        return;
    };
    let effect = if hook.ends_with("Effect") { "runs" } else { "is computed" };
    let mut unstable: Vec<Unstable> = Vec::new();
    for element in &list.elements {
        let Some(expression) = element.as_expression() else { continue };
        match find(walker, expression, hook, effect) {
            Some(found) => unstable.push(found),
            None => props::check_dependency(walker, expression, &format!("`{hook}` {effect}")),
        }
    }
    let mut unstable = unstable.into_iter();
    let Some(first) = unstable.next() else { return };
    if walker.package.ignores_dependencies(walker.files) {
        return;
    }
    let is_cheap =
        hook == "useImperativeHandle" || Callable::of_argument(call, 0).is_some_and(only_listens);
    let Some(finding) = walker.at("perf/unstable-dependency", first.place, first.message) else {
        return;
    };
    finding.help(first.help);
    if let Some(definition) = first.definition {
        finding.related(definition, "created here");
    }
    for other in unstable {
        finding.related(other.place, other.message);
    }
    if is_cheap {
        finding.severity = finding.severity.min(Severity::Info);
    }
}

/// What is wrong with a dependency.
fn find<'a>(
    walker: &Walker<'a, '_, '_>,
    expression: &Expression<'a>,
    hook: &str,
    effect: &str,
) -> Option<Unstable> {
    let place = span(expression.span());
    if let Some(what) = created_by(expression) {
        return Some(Unstable {
            place,
            message: format!("new {what} as a dependency: `{hook}` {effect} on each render"),
            help: "List the values that it is made of.".to_owned(),
            definition: None,
        });
    }
    let name = name_of(expression).filter(|_| !walker.package.has_compiler)?;
    let (what, definition) = *walker.frame()?.literals.get(name)?;
    let wrapper = if what == "function" { "`useCallback`" } else { "`useMemo`" };
    Some(Unstable {
        place,
        message: format!("`{name}` is a new {what} on each render, so `{hook}` {effect} each time"),
        help: format!(
            "Define `{name}` outside of the component, in the callback, or with {wrapper}."
        ),
        definition: Some(definition),
    })
}

/// Whether an effect does nothing but add listeners, which its cleanup removes. To do so on each
/// render costs little.
fn only_listens(effect: Callable<'_, '_>) -> bool {
    let mut listens = false;
    let is_known = effect.statements().iter().all(|statement| match statement {
        Statement::ReturnStatement(_) | Statement::FunctionDeclaration(_) => true,
        Statement::VariableDeclaration(declaration) => declaration.declarations.iter().all(|it| {
            it.init
                .as_ref()
                .is_some_and(|init| Callable::of(init).is_some() || call_of(init).is_none())
        }),
        // `if (!open) return;` and `if (open) { … }`
        Statement::IfStatement(branch) => {
            block_statements(&branch.consequent).iter().all(|inner| match inner {
                Statement::ReturnStatement(_) => true,
                other => adds_listener(other).inspect(|()| listens = true).is_some(),
            })
        }
        other => adds_listener(other).inspect(|()| listens = true).is_some(),
    });
    is_known && listens
}

fn adds_listener(statement: &Statement<'_>) -> Option<()> {
    let Statement::ExpressionStatement(statement) = statement else { return None };
    let call = call_of(&statement.expression)?;
    (callee_name(call) == Some("addEventListener")).then_some(())
}
