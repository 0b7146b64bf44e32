//! Rules on single calls that are slow wherever they are.

use super::ast::*;
use super::react;
use super::walk::Walker;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

#[inline(never)]
pub(super) fn check<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    react::check_timed(walker, call);
    let Some(name) = callee_name(call) else { return };
    let object = receiver(call);
    match name {
        "write" | "writeln" if object.and_then(name_of) == Some("document") => {
            let message = format!("`document.{name}` blocks the parser");
            let place = span(call.span);
            if let Some(finding) = walker.at("perf/document-write", place, message) {
                finding.help("Insert elements with `append`, or load scripts with `async`.");
            }
        }
        "open" => check_request(walker, call),
        "addEventListener" => check_listener(walker, call),
        "shift" | "pop" | "at" => check_first(walker, call, name),
        "flat" => check_flat(walker, call),
        _ => {}
    }
}

/// Reports a request that blocks the page until it is answered.
fn check_request<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let is_method = string_argument(call, 0).is_some_and(|method| {
        ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"]
            .iter()
            .any(|it| it.eq_ignore_ascii_case(method))
    });
    let is_synchronous = matches!(
        call.arguments.get(2).and_then(Argument::as_expression),
        Some(Expression::BooleanLiteral(literal)) if !literal.value
    );
    // Workers may wait.
    let is_worker =
        contains(walker.text, "importScripts") || contains(walker.text, "self.onmessage");
    if is_method && is_synchronous && !is_worker {
        let message = "synchronous request blocks the page until the server answers";
        if let Some(finding) = walker.at("perf/synchronous-request", span(call.span), message) {
            finding.help("Use `fetch`.");
        }
    }
}

/// Reports listeners that keep the browser from scrolling or from restoring the page.
fn check_listener<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Some(event) = string_argument(call, 0) else { return };
    let object = receiver(call);
    let is_window = object.is_none_or(|object| {
        name_of(object).is_some_and(|name| matches!(name, "window" | "globalThis" | "self"))
    });
    if event == "unload" && is_window {
        report_unload(walker, call.span);
    }
    let is_scroll = matches!(event, "touchstart" | "touchmove" | "wheel" | "mousewheel");
    let handler = Callable::of_argument(call, 1);
    // For these objects, browsers assume that the listener is passive.
    let is_root = object.is_none_or(|object| {
        let text = slice(walker.text, object);
        matches!(text, "window" | "document" | "document.body" | "document.documentElement")
    });
    if is_scroll
        && !is_root
        && call.arguments.len() == 2
        && let Some(handler) = handler
    {
        let text = walker.slice(handler.span());
        let passes_on = mentions(text, "arguments") || passes_event_on(text, handler);
        if !contains(text, "preventDefault") && !passes_on {
            let message =
                format!("the browser waits for this `{event}` listener before it scrolls");
            if let Some(finding) = walker.at("perf/blocking-listener", span(call.span), message) {
                let end = span(call.arguments[1].span()).end;
                finding
                    .help("Pass `{ passive: true }`, because the listener does not prevent scrolling.")
                    .fix("Make passive", vec![Edit::insert(end, ", { passive: true }")]);
            }
        }
    }
}

/// Whether a listener passes its event to another function.
fn passes_event_on(text: &str, handler: Callable<'_, '_>) -> bool {
    let Some(event) = handler.param_name(0) else { return false };
    let body = text.split_once("=>").map_or(text, |(_, body)| body);
    [")", ","].iter().any(|end| {
        contains(body, &format!("({event}{end}")) || contains(body, &format!(", {event}{end}"))
    })
}

fn report_unload(walker: &mut Walker<'_, '_, '_>, place: oxc_span::Span) {
    let message = "an `unload` handler keeps the browser from restoring the page at once";
    if let Some(finding) = walker.at("perf/unload-handler", span(place), message) {
        finding.help("Use `pagehide`, or `visibilitychange` to save data.");
    }
}

#[inline(never)]
pub(super) fn check_assignment<'a>(
    walker: &mut Walker<'a, '_, '_>,
    assignment: &AssignmentExpression<'a>,
) {
    if let AssignmentTarget::ArrayAssignmentTarget(target) = &assignment.left
        && let [Some(_)] = &target.elements[..]
        && target.rest.is_none()
        && assignment.operator.is_assign()
    {
        report_pattern(walker, &assignment.right);
    }
    let Some(member) = assignment.left.as_member_expression() else { return };
    let is_window = name_of(member.object()).is_some_and(|name| name == "window");
    let is_removed = assignment.right.is_null_or_undefined();
    if is_window && member.static_property_name() == Some("onunload") && !is_removed {
        report_unload(walker, assignment.span);
    }
}

/// Reports `list.filter(…)[0]`.
#[inline(never)]
pub(super) fn check_member<'a>(walker: &mut Walker<'a, '_, '_>, member: &MemberExpression<'a>) {
    let MemberExpression::ComputedMemberExpression(computed) = member else { return };
    let is_first =
        matches!(&computed.expression, Expression::NumericLiteral(number) if number.value == 0.0);
    if is_first && !computed.optional {
        report_match(walker, &computed.object, computed.span, Match::First);
    }
}

/// Reports `list.filter(…).shift()`, `list.filter(…).at(0)`, and the same for the last match.
fn check_first<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>, name: &str) {
    let argument = match &call.arguments[..] {
        [] => None,
        [argument] => Some(argument),
        _ => return,
    };
    if argument.is_some_and(Argument::is_spread) {
        return;
    }
    let which = match (name, argument.and_then(Argument::as_expression)) {
        ("shift", None) => Match::First,
        ("pop", None) => Match::Last,
        ("at", Some(Expression::NumericLiteral(number))) if number.value == 0.0 => Match::First,
        ("at", Some(Expression::UnaryExpression(unary)))
            if unary.operator == UnaryOperator::UnaryNegation
                && matches!(&unary.argument, Expression::NumericLiteral(number) if number.value == 1.0) =>
        {
            Match::Last
        }
        _ => return,
    };
    if let Some(object) = receiver(call)
        && !call.optional
    {
        report_match(walker, object, call.span, which);
    }
}

/// Reports `const [first] = list.filter(…)`, and a variable of which only the first item is used.
#[inline(never)]
pub(super) fn check_declarator<'a>(
    walker: &mut Walker<'a, '_, '_>,
    declarator: &VariableDeclarator<'a>,
) {
    // The template of a component can use the variables of its script.
    let has_template = walker.imports.is_vue_file || walker.imports.has_runes;
    if let (Some(name), Some(list)) = (binding_name(&declarator.id), &declarator.init)
        && !has_template
        && filter_name(walker, list).is_some()
        && walker.report.begin("perf/filter-first")
        && walker.first_uses().is_first_only(name)
    {
        let place = span(list.span());
        if let Some(finding) = walker.at("perf/filter-first", place, Match::First.message()) {
            finding.help(format!("Use `find`, and `{name}` itself for the first item."));
        }
    }
    let BindingPattern::ArrayPattern(pattern) = &declarator.id else { return };
    let [Some(_)] = &pattern.elements[..] else { return };
    if let Some(init) = declarator.init.as_ref().filter(|_| pattern.rest.is_none()) {
        report_pattern(walker, init);
    }
}

fn report_pattern<'a>(walker: &mut Walker<'a, '_, '_>, list: &Expression<'a>) {
    if filter_name(walker, list).is_none() {
        return;
    }
    let place = span(list.span());
    if let Some(finding) = walker.at("perf/filter-first", place, Match::First.message()) {
        finding.help("Use `find`, without brackets around the name.");
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Match {
    First,
    Last,
}

impl Match {
    fn message(self) -> &'static str {
        match self {
            Self::First => "`filter` visits all items, but only the first match is used",
            Self::Last => "`filter` visits all items, but only the last match is used",
        }
    }
}

/// The call of `filter` on a list that an expression is, with the place of the name.
fn filter_name<'b, 'a>(
    walker: &Walker<'a, '_, '_>,
    expression: &'b Expression<'a>,
) -> Option<(&'b CallExpression<'a>, Span)> {
    let Expression::CallExpression(call) = expression else { return None };
    let Some(MemberExpression::StaticMemberExpression(member)) = member_of(&call.callee) else {
        return None;
    };
    let ([callback] | [callback, _]) = &call.arguments[..] else { return None };
    let callback = callback.as_expression()?;
    // jQuery has a `filter` too, whose function uses `this`.
    let is_callback = match Callable::of(callback) {
        Some(function) => {
            function.params().items.len() <= 2
                && !(matches!(function, Callable::Function(_))
                    && mentions(walker.slice(function.span()), "this"))
        }
        None => name_of(callback).is_some(),
    };
    let is_list = member.property.name == "filter"
        && !call.optional
        && is_callback
        && !slice(walker.text, &member.object).contains('$');
    is_list.then(|| (&**call, span(member.property.span)))
}

fn report_match<'a>(
    walker: &mut Walker<'a, '_, '_>,
    object: &Expression<'a>,
    place: oxc_span::Span,
    which: Match,
) {
    let Some((call, name)) = filter_name(walker, object) else { return };
    let place = span(place);
    let rest = Span { start: call.span.end, end: place.end };
    if let Some(finding) = walker.at("perf/filter-first", place, which.message()) {
        let (method, help) = match which {
            Match::First => ("find", "Use `find`."),
            Match::Last => ("findLast", "Use `findLast`."),
        };
        // With strict types, the result of `find` can be `undefined`.
        let edits = vec![Edit::replace(name, method), Edit::delete(rest)];
        finding.help(help).fix_unsafe(help.trim_end_matches('.'), edits);
    }
}

/// Reports `list.map(…).flat()`.
fn check_flat<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Some(Expression::CallExpression(inner)) = receiver(call) else { return };
    let Some(MemberExpression::StaticMemberExpression(member)) = member_of(&inner.callee) else {
        return;
    };
    let is_optional =
        call.optional || member_of(&call.callee).is_some_and(MemberExpression::optional);
    let is_one_level = match call.arguments.first().and_then(Argument::as_expression) {
        _ if call.arguments.len() > 1 => false,
        None => call.arguments.is_empty(),
        Some(Expression::NumericLiteral(number)) => number.value == 1.0,
        Some(_) => false,
    };
    let is_map = member.property.name == "map"
        && inner.arguments.len() == 1
        && match Callable::of_argument(inner, 0) {
            Some(function) => !function.is_async(),
            None => inner.arguments[0].as_expression().is_some_and(|it| name_of(it).is_some()),
        }
        && !is_optional
        && !inner.optional;
    if is_one_level && is_map {
        let place = span(call.span);
        let message = "`map` and `flat` build the list twice";
        if let Some(finding) = walker.at("perf/map-flat", place, message) {
            let edits = vec![
                Edit::replace(span(member.property.span), "flatMap"),
                Edit::delete(Span { start: inner.span.end, end: place.end }),
            ];
            finding.help("Use `flatMap`.").fix("Use `flatMap`", edits);
        }
    }
}
