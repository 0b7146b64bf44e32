//! Values and types of C#.

use super::build::{Build, named};
use super::{Chain, RefKind, Root, Step};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// Maximum nesting of an expression or type that is read.
const MAX_DEPTH: usize = 24;
/// Maximum number of nodes of one type that are read.
const MAX_TYPE_NODES: usize = 200;

/// Types that are sequences of their first argument.
const SEQUENCES: &[&str] = &[
    "List",
    "IList",
    "IEnumerable",
    "ICollection",
    "IReadOnlyList",
    "IReadOnlyCollection",
    "HashSet",
    "ISet",
    "IQueryable",
    "IAsyncEnumerable",
    "Queue",
    "Stack",
    "Collection",
    "ConcurrentBag",
    "ImmutableList",
    "ImmutableArray",
    "DbSet",
];
/// Types whose value is awaited or read through.
const WRAPPERS: &[&str] = &["Task", "ValueTask", "Lazy", "Nullable"];

/// The value of an expression.
pub(super) fn value(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    let inner =
        |field: &str| node.field(field).map_or_else(unknown, |at| value(build, at, depth + 1));
    let first = || named(node).next().map_or_else(unknown, |at| value(build, at, depth + 1));
    match node.kind() {
        "identifier" => Chain::name(build.text_of(node)),
        "generic_name" => first(),
        "this" => Chain::of(Root::Instance),
        "base" => Chain::of(Root::Super),
        "qualified_name" => match node.field("name") {
            Some(name) => inner("qualifier").member(plain(build, name)),
            None => unknown(),
        },
        "member_access_expression" => match node.field("name") {
            Some(name) => inner("expression").member(plain(build, name)),
            None => unknown(),
        },
        "conditional_access_expression" => {
            let chain = inner("condition");
            let Some(binding) = named(node).last() else { return unknown() };
            match binding.kind() {
                "member_binding_expression" => match binding.field("name") {
                    Some(name) => chain.member(plain(build, name)),
                    None => unknown(),
                },
                _ => unknown(),
            }
        }
        "invocation_expression" => inner("function").then(Step::Call),
        "object_creation_expression" | "cast_expression" => {
            node.field("type").map_or_else(unknown, |kind| annotation(build, kind, depth + 1))
        }
        "as_expression" => {
            node.field("right").map_or_else(unknown, |kind| annotation(build, kind, depth + 1))
        }
        "await_expression" | "parenthesized_expression" | "checked_expression" => first(),
        "postfix_unary_expression" => first(),
        "element_access_expression" => inner("expression").then(Step::Element),
        "string_literal"
        | "interpolated_string_expression"
        | "verbatim_string_literal"
        | "raw_string_literal"
        | "integer_literal"
        | "real_literal"
        | "boolean_literal"
        | "character_literal"
        | "null_literal"
        | "binary_expression"
        | "typeof_expression"
        | "predefined_type" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

fn plain<'t>(build: &Build<'t>, name: Node<'_>) -> &'t str {
    match name.kind() {
        "generic_name" => named(name).next().map_or("", |at| build.text_of(at)),
        _ => build.text_of(name),
    }
}

/// An instance of a type.
pub(super) fn annotation(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    match node.kind() {
        "identifier" | "qualified_name" => value(build, node, depth + 1).then(Step::Instance),
        "generic_name" => {
            let mut parts = named(node);
            let Some(name) = parts.next() else { return unknown() };
            let argument = parts.next().and_then(|list| named(list).next());
            let text = build.text_of(name);
            match argument {
                Some(argument) if SEQUENCES.contains(&text) => {
                    Chain::of(Root::List(Box::new(annotation(build, argument, depth + 1))))
                }
                Some(argument) if WRAPPERS.contains(&text) => {
                    annotation(build, argument, depth + 1)
                }
                _ => Chain::name(text).then(Step::Instance),
            }
        }
        "nullable_type" | "ref_type" | "scoped_type" => {
            node.field("type").map_or_else(unknown, |at| annotation(build, at, depth + 1))
        }
        "array_type" => {
            let element =
                node.field("type").map_or_else(unknown, |at| annotation(build, at, depth + 1));
            Chain::of(Root::List(Box::new(element)))
        }
        "predefined_type" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// Adds references to the types in a type.
pub(super) fn type_refs(build: &mut Build<'_>, node: Node<'_>) {
    let mut pending = vec![node];
    let mut left = MAX_TYPE_NODES;
    while let Some(node) = pending.pop() {
        left = left.saturating_sub(1);
        if left == 0 {
            return;
        }
        match node.kind() {
            "identifier" => {
                if !build.done.contains(&node.start_byte()) {
                    build.done.insert(node.start_byte());
                    build.refer(RefKind::Type, node, None, 255);
                }
            }
            "qualified_name" => pending.extend(node.field("name")),
            "predefined_type" | "implicit_type" => {}
            _ => pending.extend(named(node)),
        }
    }
}
