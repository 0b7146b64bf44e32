//! Values and names of Ruby.

use super::build::{Build, named, start};
use super::{Chain, RefKind, Root, Step};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// Maximum nesting of an expression that is read.
const MAX_DEPTH: usize = 24;
/// Maximum length of a symbol in bytes.
const MAX_SYMBOL: usize = 200;
/// Maximum number of nodes below the arguments of one declaration that are read.
const MAX_NODES: usize = 200;

/// Whether a name is a variable: it was assigned before.
pub(super) fn is_local(build: &Build<'_>, node: Node<'_>) -> bool {
    let (text, at) = (build.text_of(node), start(node).offset);
    let mut known = build.out.locals.iter().rev();
    known.any(|local| local.name == text && local.from <= at && at < local.to)
}

/// The first argument of a call, if it is a symbol.
pub(super) fn first_symbol<'t>(arguments: Option<Node<'t>>) -> Option<Node<'t>> {
    arguments.and_then(|list| named(list).next()).filter(|at| at.kind() == "simple_symbol")
}

/// Adds a reference whose name is a symbol.
pub(super) fn refer_symbol(
    build: &mut Build<'_>,
    kind: RefKind,
    at: Node<'_>,
    receiver: Chain,
    count: u8,
) {
    let text = build.text_of(at).trim_start_matches(':');
    if !text.is_empty() && text.len() <= MAX_SYMBOL {
        build.refer_to(kind, text, at, Some(receiver), count);
    }
}

/// Adds references for the methods that the arguments of a declaration name, such as
/// `before_action :load, if: :signed_in?`.
pub(super) fn methods_in<'t>(build: &mut Build<'t>, mut pending: Vec<Node<'t>>) {
    let mut left = MAX_NODES;
    while let Some(node) = pending.pop() {
        left -= 1;
        if left == 0 {
            return;
        }
        match node.kind() {
            "simple_symbol" | "bare_symbol" => {
                refer_symbol(build, RefKind::Value, node, Chain::of(Root::Instance), 255);
            }
            "pair" => pending.extend(node.field("value")),
            // `{ … }.freeze`
            "call" => pending.extend(node.field("receiver")),
            "array" | "hash" | "symbol_array" => pending.extend(named(node)),
            _ => {}
        }
    }
}

/// The value of an expression.
pub(super) fn value(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    let inner =
        |field: &str| node.field(field).map_or_else(unknown, |at| value(build, at, depth + 1));
    match node.kind() {
        "identifier" if build.text_of(node) == "new" => Chain::of(Root::Class).then(Step::Instance),
        "identifier" if !is_local(build, node) => Chain::name(build.text_of(node)).then(Step::Call),
        "identifier" | "constant" => Chain::name(build.text_of(node)),
        "scope_resolution" => {
            let Some(name) = build.field_text(node, "name") else { return unknown() };
            match node.field("scope") {
                Some(scope) => value(build, scope, depth + 1).member(name),
                None => Chain::name(name),
            }
        }
        "self" => Chain::of(Root::Instance),
        "instance_variable" | "class_variable" => {
            Chain::of(Root::Instance).member(build.text_of(node))
        }
        "call" => {
            let Some(name) = build.field_text(node, "method") else { return unknown() };
            match (name, node.field("receiver")) {
                ("new", Some(receiver)) => value(build, receiver, depth + 1).then(Step::Instance),
                (_, Some(_)) => inner("receiver").member(name).then(Step::Call),
                ("new", None) => Chain::of(Root::Class).then(Step::Instance),
                (_, None) => Chain::name(name).then(Step::Call),
            }
        }
        "assignment" | "operator_assignment" => inner("right"),
        "parenthesized_statements" => {
            named(node).last().map_or_else(unknown, |at| value(build, at, depth + 1))
        }
        "string" | "integer" | "float" | "true" | "false" | "nil" | "simple_symbol" | "hash"
        | "array" | "regex" | "heredoc_beginning" | "string_array" | "symbol_array" | "binary" => {
            Chain::of(Root::Literal)
        }
        _ => unknown(),
    }
}
