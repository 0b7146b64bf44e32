//! Which subscriptions and listeners of components of Angular never end by themselves.

use super::ast::*;
use super::walk::Walker;
use oxc_ast::ast::*;

/// Operators of RxJS after which a stream ends.
const ENDS: [&str; 9] = [
    "take",
    "takeUntil",
    "takeWhile",
    "takeUntilDestroyed",
    "untilDestroyed",
    "first",
    "last",
    "single",
    "find",
];

/// Streams of services of frameworks that last as long as the page: the end of the name of the
/// service, the stream.
const STREAMS: [(&str, &str); 5] = [
    ("router", "events"),
    ("translate", "onLangChange"),
    ("translate", "onTranslationChange"),
    ("translate", "onDefaultLangChange"),
    ("zone", "onStable"),
];

/// Methods of services whose streams last as long as the page: the end of the name of the service, the
/// method.
const METHODS: [(&str, &str); 2] = [("store", "select"), ("breakpointobserver", "observe")];

/// Whether a subscription to a stream lasts until somebody ends it.
pub(super) fn is_endless<'a>(walker: &Walker<'a, '_, '_>, stream: &Expression<'a>) -> bool {
    let mut stream = stream;
    if let Some(call) = call_of(stream).filter(|call| callee_name(call) == Some("pipe")) {
        let ends = call.arguments.iter().any(|operator| {
            let operator = operator.as_expression();
            let Some(call) = operator.and_then(call_of) else {
                // An operator that the source does not show.
                return true;
            };
            callee_name(call).is_none_or(|name| ENDS.contains(&name))
        });
        let Some(inner) = receiver(call).filter(|_| !ends) else { return false };
        stream = inner;
    }
    if let Some(call) = call_of(stream) {
        let Some(name) = callee_name(call) else { return false };
        return match (name, receiver(call).and_then(last_name)) {
            // With one argument, it ends after one value.
            ("timer", None) => call.arguments.len() >= 2,
            ("interval" | "fromEvent", None) => true,
            (name, Some(service)) => {
                METHODS.iter().any(|(end, method)| *method == name && ends_with(service, end))
            }
            _ => false,
        };
    }
    let Some(name) = last_name(stream) else { return false };
    match member_of(stream).map(MemberExpression::object).and_then(last_name) {
        // `store.subscribe(…)`
        None => walker.package.has_react && name.to_lowercase().contains("store"),
        Some(service) => STREAMS.iter().any(|(end, it)| *it == name && ends_with(service, end)),
    }
}

/// Whether `renderer.listen("window", …)` adds a listener that outlives the component.
pub(super) fn is_global_listener(call: &CallExpression<'_>, renderer: &Expression<'_>) -> bool {
    last_name(renderer).is_some_and(|name| ends_with(name, "renderer"))
        && string_argument(call, 0)
            .is_some_and(|target| matches!(target, "window" | "document" | "body"))
}

/// The last name of `this.router` or `router`.
fn last_name<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    name_of(expression).or_else(|| property_of(expression))
}

/// Whether the name of a variable ends with this word in lower case: `this.translateService` and
/// `private readonly renderer2` count as well.
fn ends_with(name: &str, word: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    name.strip_suffix("service").unwrap_or(name).ends_with(word)
}
