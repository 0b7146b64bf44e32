//! What the creation of an instance calls, although no constructor is written: in Python, the functions
//! that create the default values of fields.

use crate::effects::data::Family;
use crate::effects::file::{FileNames, Owner};
use crate::effects::scan::{Action, Argument, Expr};
use crate::effects::{CallFact, Cause, FunctionFacts, UNKNOWN};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// The facts of each class with fields whose default values are created by functions.
pub(super) fn factories(names: &FileNames<'_, '_>) -> Vec<FunctionFacts> {
    let scan = names.scan;
    let mut all: Vec<FunctionFacts> = Vec::new();
    if scan.family != Family::Python {
        return all;
    }
    for event in &scan.functions[0].events {
        let Action::Call(call) = &event.action else { continue };
        let Some(symbol) = class_at(names, event.node) else { continue };
        for argument in call.arguments.iter().filter(|argument| is_factory(names, argument)) {
            let at = match all.iter().position(|facts| facts.symbol == symbol) {
                Some(at) => at,
                None => {
                    all.push(FunctionFacts { symbol, ..FunctionFacts::default() });
                    all.len() - 1
                }
            };
            factory(names, argument.node, &mut all[at]);
        }
    }
    all
}

/// The innermost class around a node.
fn class_at(names: &FileNames<'_, '_>, node: Node<'_>) -> Option<u32> {
    let at = u32::try_from(node.start_byte()).ok()?;
    let symbols = (0_u32..).zip(&names.scan.outline.symbols);
    let around = symbols.filter(|(_, symbol)| {
        symbol.kind.is_type() && symbol.start.offset <= at && at < symbol.end.offset
    });
    around.max_by_key(|(_, symbol)| symbol.start.offset).map(|(symbol, _)| symbol)
}

/// Whether an argument is a function that creates a default value.
fn is_factory(names: &FileNames<'_, '_>, argument: &Argument<'_>) -> bool {
    let name = argument.node.parent().and_then(|parent| parent.field("name"));
    let is_factory =
        |name: Node<'_>| matches!(names.scan.text_of(name), "default_factory" | "factory");
    argument.is_named && name.is_some_and(is_factory)
}

/// Adds a call of the function.
fn factory<'t>(names: &FileNames<'_, 't>, node: Node<'t>, facts: &mut FunctionFacts) {
    let scan = names.scan;
    let line = u32::try_from(node.start_position().row).unwrap_or(u32::MAX);
    let text = scan.text_of(node).lines().next().unwrap_or_default().to_owned();
    let known = match scan.expr(node) {
        Expr::Closure => {
            let body = node.field("body").map(|body| scan.expr(body));
            let is_plain = match body {
                Some(Expr::Scalar(_)) => true,
                Some(Expr::Fresh(_, parts)) => {
                    parts.iter().all(|part| matches!(scan.expr(*part), Expr::Scalar(_)))
                }
                _ => false,
            };
            if is_plain { 0 } else { UNKNOWN }
        }
        Expr::Name(_) | Expr::Member(..) => {
            let path = scan.path(node).unwrap_or_default();
            let is_declared = path.len() == 1 && names.owner(0, path[0]) == Owner::Declared;
            let full = names.full_path(0, &path);
            let known = full.and_then(|full| scan.table.effects(&full, Some(0)));
            if known.is_none() && (is_declared || path.len() == 1) {
                let unknown = (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
                facts.calls.push(CallFact {
                    at: u32::try_from(node.start_byte()).unwrap_or(u32::MAX),
                    line,
                    text,
                    known: None,
                    certain: false,
                    receiver: unknown,
                    arguments: Vec::new(),
                    rest: (0, 0, 0, 0),
                    symbols: Vec::new(),
                });
                return;
            }
            known.unwrap_or(UNKNOWN)
        }
        _ => UNKNOWN,
    };
    if known != 0 {
        facts.causes.push(Cause { bits: known, line, text });
    }
}
