//! Rule on modules that are to be loaded on demand, but are part of the bundle already.

use super::ast::*;
use super::walk::Walker;
use oxc_ast::ast::*;

/// Reports `import("./chart")` in a script that also imports something of `./chart` statically.
#[inline(never)]
pub(super) fn check<'a>(walker: &mut Walker<'a, '_, '_>, import: &ImportExpression<'a>) {
    let Some(module) = string_of(&import.source) else { return };
    let Some(first) = walker.imports.static_import(module) else { return };
    let path = walker.report.source().path();
    if !walker.imports.run_in_browser(walker.text, walker.package, path) {
        return;
    }
    let message =
        format!("`{module}` is not loaded on demand, because this file also imports it statically");
    if let Some(finding) = walker.at("perf/ineffective-lazy-import", span(import.span), message) {
        finding
            .help(
                "Move what the static import needs into another module, or use the static import.",
            )
            .related(first, "imported here");
    }
}
