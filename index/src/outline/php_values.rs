//! Values and types of PHP.

use super::build::{Build, named};
use super::{Chain, Root, Step};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// Maximum nesting of an expression or type that is read.
const MAX_DEPTH: usize = 24;

/// Whether a node is a name, which can be qualified.
pub(super) fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind(), "name" | "qualified_name" | "relative_name")
}

/// The chain of a qualified name; the root of a name with a leading backslash is `\`.
pub(super) fn scoped(text: &str) -> Chain {
    let mut parts = text.split('\\');
    let first = parts.next().unwrap_or_default();
    let root = if first.is_empty() { "\\" } else { first };
    parts.fold(Chain::name(root), Chain::member)
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
        "variable_name" => match build.text_of(node) {
            "$this" => Chain::of(Root::Instance),
            name => Chain::name(name),
        },
        "name" => match build.text_of(node) {
            "self" | "static" => Chain::of(Root::Class),
            "parent" => Chain::of(Root::Super),
            name => Chain::name(name),
        },
        "relative_scope" => match build.text_of(node) {
            "parent" => Chain::of(Root::Super),
            _ => Chain::of(Root::Class),
        },
        "qualified_name" | "relative_name" => scoped(build.text_of(node)),
        "member_access_expression" | "nullsafe_member_access_expression" => {
            let Some(name) = build.field_text(node, "name") else { return unknown() };
            inner("object").member(&format!("${name}"))
        }
        "scoped_property_access_expression" => {
            let Some(name) = build.field_text(node, "name") else { return unknown() };
            inner("scope").member(name)
        }
        "class_constant_access_expression" => {
            let mut parts = named(node);
            let (Some(scope), Some(name)) = (parts.next(), parts.next()) else { return unknown() };
            match build.text_of(name) {
                "class" => Chain::of(Root::Literal),
                name => value(build, scope, depth + 1).member(name),
            }
        }
        "member_call_expression" | "nullsafe_member_call_expression" => {
            let Some(name) = build.field_text(node, "name") else { return unknown() };
            inner("object").member(name).then(Step::Call)
        }
        "scoped_call_expression" => {
            let Some(name) = build.field_text(node, "name") else { return unknown() };
            inner("scope").member(name).then(Step::Call)
        }
        "function_call_expression" => {
            // `app(Foo::class)` and `resolve(Foo::class)` return an instance.
            let name = build.field_text(node, "function").unwrap_or_default();
            if matches!(name, "app" | "resolve") {
                return class_argument(build, node, depth).unwrap_or_else(unknown);
            }
            inner("function").then(Step::Call)
        }
        "object_creation_expression" => {
            let kind = named(node).next();
            kind.filter(|at| is_name(*at))
                .map_or_else(unknown, |at| value(build, at, depth + 1).then(Step::Instance))
        }
        "parenthesized_expression" | "clone_expression" => {
            named(node).next().map_or_else(unknown, |at| value(build, at, depth + 1))
        }
        "assignment_expression" => inner("right"),
        "subscript_expression" => named(node)
            .next()
            .map_or_else(unknown, |at| value(build, at, depth + 1))
            .then(Step::Element),
        "string"
        | "encapsed_string"
        | "integer"
        | "float"
        | "boolean"
        | "null"
        | "heredoc"
        | "nowdoc"
        | "array_creation_expression"
        | "binary_expression" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// An instance of `Foo` for the argument `Foo::class`.
fn class_argument(build: &Build<'_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    let argument = named(node.field("arguments")?).next()?;
    let access =
        named(argument).next().filter(|at| at.kind() == "class_constant_access_expression")?;
    let mut parts = named(access);
    let (scope, name) = (parts.next()?, parts.next()?);
    (build.text_of(name) == "class").then(|| value(build, scope, depth + 1).then(Step::Instance))
}

/// An instance of a type.
pub(super) fn annotation(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    match node.kind() {
        "named_type" => named(node)
            .next()
            .map_or_else(unknown, |at| value(build, at, depth + 1).then(Step::Instance)),
        "name" | "qualified_name" | "relative_name" => {
            value(build, node, depth + 1).then(Step::Instance)
        }
        "optional_type" => {
            named(node).next().map_or_else(unknown, |at| annotation(build, at, depth + 1))
        }
        "union_type" => {
            let known: Vec<Node<'_>> =
                named(node).filter(|at| build.text_of(*at) != "null").collect();
            match known.as_slice() {
                [only] => annotation(build, *only, depth + 1),
                _ => unknown(),
            }
        }
        "primitive_type" => match build.text_of(node) {
            "static" => Chain::of(Root::Class).then(Step::Instance),
            _ => Chain::of(Root::Literal),
        },
        _ => unknown(),
    }
}
