//! Rule on requests that wait for each other without need.

use super::ast::*;
use super::loops::loads_by_name;
use super::project::NextRole;
use super::walk::{Frame, Role, Walker};
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

/// Reports two awaits in sequence in a function that loads the data of a page, if the second does
/// not use the result of the first.
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
    if !is_loader {
        return;
    }
    for pair in function.statements().windows(2) {
        let [first, second] = pair else { continue };
        let (Some((first, names)), Some((second, _))) = (awaited(first), awaited(second)) else {
            continue;
        };
        let text = slice(walker.text, second);
        let (Some(one), Some(other)) = (callee_name(first), callee_name(second)) else { continue };
        let is_gate = |call: &CallExpression<'a>| {
            let text = slice(walker.text, &call.callee).to_ascii_lowercase();
            GATES.iter().any(|word| text.contains(word))
        };
        let is_independent = !names.is_empty() && !names.iter().any(|name| mentions(text, name));
        let both_load = loads_by_name(one) && loads_by_name(other);
        // Files are read in microseconds, not over the network.
        let is_local = |name: &str| name.starts_with("read");
        if is_independent
            && both_load
            && !is_gate(first)
            && !is_gate(second)
            && !is_local(one)
            // The names alone do not show whether there is anything to wait for.
            && [first, second].iter().all(|call| walker.declared().sends_request(call))
        {
            let message = format!("`{other}` waits for `{one}`, whose result it does not use");
            let place = span(second.span);
            if let Some(finding) = walker.at("perf/request-waterfall", place, message) {
                finding.help("Start both calls, then wait for them with `Promise.all`.");
            }
        }
    }
}

/// The call that a declaration awaits, and the names that it declares.
fn awaited<'b, 'a>(statement: &'b Statement<'a>) -> Option<(&'b CallExpression<'a>, Vec<&'a str>)> {
    let Statement::VariableDeclaration(declaration) = statement else { return None };
    let [declarator] = &declaration.declarations[..] else { return None };
    let Some(Expression::AwaitExpression(awaited)) = &declarator.init else { return None };
    let names = declarator.id.get_binding_identifiers();
    let names = names.into_iter().map(|identifier| identifier.name.as_str()).collect();
    call_of(&awaited.argument).map(|call| (call, names))
}
