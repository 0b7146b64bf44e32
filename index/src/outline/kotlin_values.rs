//! Values and types of Kotlin.

use super::build::{Build, child_of, named};
use super::{Chain, Root, Step};
use tree_sitter::Node;

/// Maximum nesting of an expression or type that is read.
const MAX_DEPTH: usize = 24;

/// Types that are sequences of their first argument.
const SEQUENCES: &[&str] = &[
    "List",
    "MutableList",
    "Set",
    "MutableSet",
    "Collection",
    "Iterable",
    "Sequence",
    "Array",
    "ArrayList",
    "Flow",
    "StateFlow",
    "MutableStateFlow",
];

/// Whether a node is a type.
pub(super) fn is_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "user_type"
            | "nullable_type"
            | "function_type"
            | "parenthesized_type"
            | "not_nullable_type"
    )
}

/// The last name of a type.
pub(super) fn type_name(node: Node<'_>) -> Option<Node<'_>> {
    named(node).filter(|at| at.kind() == "type_identifier").last()
}

/// The value of an expression, or the meaning of a type as an expression.
pub(super) fn value(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    let first = || named(node).next().map_or_else(unknown, |at| value(build, at, depth + 1));
    match node.kind() {
        "simple_identifier" | "type_identifier" => Chain::name(build.text_of(node)),
        "user_type" => {
            let mut names = named(node).filter(|at| at.kind() == "type_identifier");
            let Some(root) = names.next() else { return unknown() };
            names.fold(Chain::name(build.text_of(root)), |chain, name| {
                chain.member(build.text_of(name))
            })
        }
        "this_expression" => Chain::of(Root::Instance),
        "super_expression" => Chain::of(Root::Super),
        "navigation_expression" => {
            let mut parts = named(node);
            let (Some(object), Some(suffix)) = (parts.next(), parts.last()) else {
                return unknown();
            };
            match child_of(suffix, &["simple_identifier"]) {
                Some(name) => value(build, object, depth + 1).member(build.text_of(name)),
                None => unknown(),
            }
        }
        "call_expression" => first().then(Step::Call),
        "as_expression" => named(node)
            .filter(|at| is_type(*at))
            .last()
            .map_or_else(unknown, |at| annotation(build, at, depth + 1)),
        "parenthesized_expression" | "postfix_expression" | "elvis_expression" => first(),
        "indexing_expression" => first().then(Step::Element),
        "object_literal" => child_of(node, &["delegation_specifier"])
            .and_then(|at| named(at).next())
            .and_then(|at| {
                if at.kind() == "user_type" { Some(at) } else { child_of(at, &["user_type"]) }
            })
            .map_or_else(unknown, |at| annotation(build, at, depth + 1)),
        "string_literal"
        | "integer_literal"
        | "long_literal"
        | "real_literal"
        | "boolean_literal"
        | "character_literal"
        | "null_literal"
        | "additive_expression"
        | "multiplicative_expression"
        | "comparison_expression"
        | "equality_expression"
        | "conjunction_expression"
        | "disjunction_expression"
        | "collection_literal" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// An instance of a type.
pub(super) fn annotation(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    match node.kind() {
        "user_type" => {
            let name = type_name(node).map(|at| build.text_of(at)).unwrap_or_default();
            let argument = child_of(node, &["type_arguments"])
                .and_then(|list| named(list).next())
                .and_then(|at| named(at).find(|at| is_type(*at)));
            match argument {
                Some(argument) if SEQUENCES.contains(&name) => {
                    Chain::of(Root::List(Box::new(annotation(build, argument, depth + 1))))
                }
                _ => value(build, node, depth + 1).then(Step::Instance),
            }
        }
        "nullable_type" | "parenthesized_type" | "not_nullable_type" => named(node)
            .find(|at| is_type(*at))
            .map_or_else(unknown, |at| annotation(build, at, depth + 1)),
        _ => unknown(),
    }
}
