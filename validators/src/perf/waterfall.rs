//! Rule on requests that wait for each other without need.

use super::ast::*;
use super::loops::loads_by_name;
use super::project::NextRole;
use super::walk::{Frame, Role, Walker};
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;

/// Functions that load the data of a page.
const LOADERS: [&str; 8] = [
    "loader",
    "clientLoader",
    "load",
    "getServerSideProps",
    "getStaticProps",
    "generateMetadata",
    "getInitialProps",
    "generateStaticParams",
];

/// Parts of names of calls on which the next call depends although it does not use the result.
const GATES: [&str; 17] = [
    "auth",
    "session",
    "permission",
    "access",
    "cookie",
    "header",
    "param",
    "token",
    "redirect",
    "ensure",
    "require",
    "verify",
    "check",
    "csrf",
    "limit",
    "locale",
    "translation",
];

/// Parts of addresses of requests that the next requests need.
const GATE_ADDRESSES: [&str; 6] = ["auth", "session", "login", "token", "csrf", "permission"];

/// Calls of Nuxt that send a request and wait for it.
const COMPOSABLES: [&str; 2] = ["useFetch", "useAsyncData"];

/// Reports requests in sequence in a function that loads the data of a page, if the second does not
/// use the result of the first.
#[inline(never)]
pub(super) fn check<'a>(
    walker: &mut Walker<'a, '_, '_>,
    frame: &Frame<'a>,
    function: Callable<'_, 'a>,
) {
    let Some(name) = frame.name.filter(|_| frame.is_async) else { return };
    let is_loader = LOADERS.contains(&name)
        || frame.role == Role::Component
            && walker.package.has_next
            && walker.imports.next_role == NextRole::AppRouter;
    if is_loader {
        check_statements(walker, function.statements(), loads);
    }
}

/// Checks the script of a component of Nuxt.
pub(super) fn check_setup<'a>(walker: &mut Walker<'a, '_, '_>, program: &Program<'a>) {
    if walker.package.has_nuxt && walker.imports.is_vue_file {
        check_statements(walker, &program.body, waits_in_setup);
    }
}

/// Checks the script of a page of Astro.
pub(super) fn check_page<'a>(walker: &mut Walker<'a, '_, '_>, program: &Program<'a>) {
    check_statements(walker, &program.body, loads);
}

/// Whether a call sends a request that only loads something.
fn loads<'a>(walker: &Walker<'a, '_, '_>, call: &CallExpression<'a>) -> bool {
    let Some(name) = callee_name(call) else { return false };
    let changes = call.arguments.get(1).is_some_and(|options| {
        let text = slice(walker.text, options);
        mentions(text, "method") || mentions(text, "body")
    });
    let by_name = loads_by_name(name) || matches!(name, "$fetch" | "ofetch");
    // Files are read in microseconds, not over the network.
    let is_local = name.starts_with("read");
    // The names alone do not show whether there is anything to wait for.
    by_name && !is_local && !changes && walker.declared().sends_request(call)
}

/// Whether a call is one of a composable of Nuxt that waits for its request.
fn waits_in_setup<'a>(walker: &Walker<'a, '_, '_>, call: &CallExpression<'a>) -> bool {
    let is_composable = name_of(&call.callee).is_some_and(|name| COMPOSABLES.contains(&name));
    let options = ["lazy", "server", "immediate", "method", "body"];
    is_composable
        && !call.arguments.iter().any(|argument| {
            let text = slice(walker.text, argument);
            options.iter().any(|option| mentions(text, option))
        })
}

/// Whether other requests depend on a call although they do not use its result.
fn is_gate<'a>(walker: &Walker<'a, '_, '_>, call: &CallExpression<'a>) -> bool {
    let callee = slice(walker.text, &call.callee).to_ascii_lowercase();
    let address = call.arguments.first().map_or("", |address| slice(walker.text, address));
    let address = address.to_ascii_lowercase();
    GATES.iter().any(|word| callee.contains(word))
        || GATE_ADDRESSES.iter().any(|word| address.contains(word))
}

/// A request that the following statements wait for.
struct Waiting<'a> {
    callee: &'a str,
    place: Span,
    /// The names of its result and of what is computed from it.
    names: Vec<&'a str>,
}

/// What decides whether an awaited call sends a request.
type IsRequest = for<'a> fn(&Walker<'a, '_, '_>, &CallExpression<'a>) -> bool;

/// Reports requests that wait for one before them, whose result they do not use.
fn check_statements<'a>(
    walker: &mut Walker<'a, '_, '_>,
    statements: &[Statement<'a>],
    is_request: IsRequest,
) {
    let mut waiting: Option<Waiting<'a>> = None;
    for statement in statements {
        let Statement::VariableDeclaration(declaration) = statement else {
            // Imports, types and functions do not run.
            if !statement.is_declaration() && !matches!(statement, Statement::ImportDeclaration(_))
            {
                waiting = None;
            } else if let Some(waiting) = &mut waiting
                && let Statement::FunctionDeclaration(function) = statement
                && let Some(id) = &function.id
                && mentions_any(slice(walker.text, &**function), &waiting.names)
            {
                waiting.names.push(id.name.as_str());
            }
            continue;
        };
        for declarator in &declaration.declarations {
            let names = declarator.id.get_binding_identifiers();
            let names = names.into_iter().map(|identifier| identifier.name.as_str());
            let names: Vec<&str> = names.collect();
            let text = slice(walker.text, declarator);
            let request = awaited(declarator).filter(|call| is_request(walker, call));
            let depends =
                waiting.as_ref().is_some_and(|waiting| mentions_any(text, &waiting.names));
            if depends {
                if let Some(waiting) = &mut waiting {
                    waiting.names.extend(names);
                }
                continue;
            }
            match request {
                Some(call) if !names.is_empty() && !is_gate(walker, call) => {
                    let callee = callee_name(call).unwrap_or_default();
                    if let Some(waiting) = &waiting {
                        report(walker, waiting, callee, span(call.span));
                    }
                    waiting = Some(Waiting { callee, place: span(call.span), names });
                }
                Some(_) => waiting = None,
                None if awaits(declarator) => waiting = None,
                None => {}
            }
        }
    }
}

fn mentions_any(text: &str, names: &[&str]) -> bool {
    names.iter().any(|name| mentions(text, name))
}

fn report(walker: &mut Walker<'_, '_, '_>, first: &Waiting<'_>, callee: &str, place: Span) {
    let message = if callee == first.callee {
        format!("this `{callee}` waits for the previous one, whose result it does not use")
    } else {
        format!("`{callee}` waits for `{}`, whose result it does not use", first.callee)
    };
    if let Some(finding) = walker.at("perf/request-waterfall", place, message) {
        finding
            .help("Start both calls, then wait for them with `Promise.all`.")
            .related(first.place, "the first request");
    }
}

/// The call that a declaration awaits, without those that only read its answer.
fn awaited<'b, 'a>(declarator: &'b VariableDeclarator<'a>) -> Option<&'b CallExpression<'a>> {
    /// Maximum number of calls in a chain.
    const MAX_CHAIN: usize = 8;
    let Some(Expression::AwaitExpression(awaited)) = &declarator.init else { return None };
    let mut call = call_of(&awaited.argument)?;
    for _ in 0..MAX_CHAIN {
        let is_reader = callee_name(call)
            .is_some_and(|name| matches!(name, "then" | "catch" | "json" | "text"));
        let Some(object) = receiver(call).filter(|_| is_reader) else { break };
        // `(await fetch(address)).json()`
        let object = match object.get_inner_expression() {
            Expression::AwaitExpression(inner) => &inner.argument,
            _ => object,
        };
        let Some(inner) = call_of(object) else { break };
        call = inner;
    }
    Some(call)
}

fn awaits(declarator: &VariableDeclarator<'_>) -> bool {
    matches!(&declarator.init, Some(Expression::AwaitExpression(_)))
}
