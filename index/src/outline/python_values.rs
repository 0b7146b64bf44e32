//! Expressions and types of Python as chains.

use super::build::{Build, named};
use super::{Chain, Root, Step};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// Maximum nesting of an expression or type that is read.
const MAX_DEPTH: usize = 24;

/// The value of an expression.
pub(super) fn value(build: &Build<'_>, node: Node<'_>) -> Chain {
    value_at(build, node, 0)
}

fn value_at(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    let inner =
        |field: &str| node.field(field).map_or_else(unknown, |at| value_at(build, at, depth + 1));
    let first = || named(node).next().map_or_else(unknown, |at| value_at(build, at, depth + 1));
    match node.kind_name() {
        "identifier" => Chain::name(build.text_of(node)),
        "attribute" => match node.field("attribute") {
            Some(name) => inner("object").member(build.text_of(name)),
            None => unknown(),
        },
        "call" => {
            let function = node.field("function");
            if function.is_some_and(|function| build.text_of(function) == "super") {
                return Chain::of(Root::Super);
            }
            // `cast(A, b)` is an instance of A.
            if function.is_some_and(|function| build.text_of(function) == "cast")
                && let Some(kind) = node.field("arguments").and_then(|a| named(a).next())
            {
                return annotation(build, kind);
            }
            inner("function").then(Step::Call)
        }
        "subscript" => inner("value").then(Step::Element),
        "await" | "parenthesized_expression" => first(),
        "named_expression" => inner("value"),
        "boolean_operator" => inner("left"),
        "conditional_expression" => first(),
        "list" | "set" | "tuple" => match named(node).next() {
            Some(element) => Chain::of(Root::List(Box::new(value_at(build, element, depth + 1)))),
            None => Chain::of(Root::Literal),
        },
        "list_comprehension" | "generator_expression" | "set_comprehension" => {
            Chain::of(Root::List(Box::new(inner("body"))))
        }
        "string"
        | "concatenated_string"
        | "integer"
        | "float"
        | "true"
        | "false"
        | "none"
        | "dictionary"
        | "dictionary_comprehension"
        | "binary_operator"
        | "comparison_operator"
        | "not_operator"
        | "unary_operator" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// An instance of the type in an annotation.
pub(super) fn annotation(build: &Build<'_>, node: Node<'_>) -> Chain {
    type_at(build, node, 0)
}

fn type_at(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    match node.kind_name() {
        "type" | "parenthesized_expression" => {
            named(node).next().map_or_else(unknown, |at| type_at(build, at, depth + 1))
        }
        "identifier" if build.text_of(node) == "Self" => Chain::of(Root::Instance),
        "identifier" | "attribute" => value_at(build, node, depth + 1).then(Step::Instance),
        "string" => quoted(build, node),
        // `A | None`
        "binary_operator" | "union_type" => {
            let mut parts = Vec::new();
            let mut remaining: Vec<Node<'_>> = named(node).collect();
            while let Some(part) = remaining.pop() {
                if matches!(part.kind_name(), "binary_operator" | "union_type") && parts.len() < 8 {
                    remaining.extend(named(part));
                } else if build.text_of(part) != "None" {
                    parts.push(type_at(build, part, depth + 1));
                }
            }
            match parts.as_slice() {
                [only] => only.clone(),
                _ => unknown(),
            }
        }
        "generic_type" => {
            let mut parts = named(node);
            let (Some(name), Some(list)) = (parts.next(), parts.next()) else { return unknown() };
            subscripted(build, build.text_of(name), &named(list).collect::<Vec<_>>(), name, depth)
        }
        "subscript" => {
            let Some(name) = node.field("value") else { return unknown() };
            let mut cursor = node.walk();
            let arguments: Vec<_> = node.children_by_field_name("subscript", &mut cursor).collect();
            subscripted(build, build.text_of(name), &arguments, name, depth)
        }
        "none" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// A type with arguments.
fn subscripted(
    build: &Build<'_>,
    text: &str,
    arguments: &[Node<'_>],
    name: Node<'_>,
    depth: usize,
) -> Chain {
    let inner = |at: usize| {
        arguments
            .get(at)
            .map_or_else(|| Chain::of(Root::Unknown), |at| type_at(build, *at, depth + 1))
    };
    match text.rsplit('.').next().unwrap_or_default() {
        "Optional" | "Annotated" | "Awaitable" | "ClassVar" | "Final" | "Coroutine"
        | "Required" | "NotRequired" | "Mapped" => {
            inner(if text.ends_with("Coroutine") { 2 } else { 0 })
        }
        "Union" => {
            let parts: Vec<_> =
                arguments.iter().filter(|part| build.text_of(**part) != "None").collect();
            match parts.as_slice() {
                [only] => type_at(build, **only, depth + 1),
                _ => Chain::of(Root::Unknown),
            }
        }
        "Type" | "type" => {
            let mut chain = inner(0);
            if chain.steps.last() == Some(&Step::Instance) {
                chain.steps.pop();
            }
            chain
        }
        "list" | "List" | "set" | "Set" | "tuple" | "Tuple" | "Sequence" | "Iterable"
        | "Iterator" | "Generator" | "AsyncIterator" | "AsyncGenerator" | "Collection"
        | "frozenset" | "FrozenSet" | "deque" | "QuerySet" => {
            Chain::of(Root::List(Box::new(inner(0))))
        }
        "dict" | "Dict" | "Mapping" | "MutableMapping" | "defaultdict" | "OrderedDict" => {
            Chain::of(Root::Literal)
        }
        "Literal" => Chain::of(Root::Literal),
        "Callable" => Chain::of(Root::Unknown),
        _ => type_at(build, name, depth + 1),
    }
}

/// The type in a quoted annotation: a plain or dotted name.
fn quoted(build: &Build<'_>, node: Node<'_>) -> Chain {
    let text = build.text_of(node).trim_matches(['"', '\'']);
    let text = text.strip_prefix("Optional[").and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let text = text.trim_end_matches("| None").trim();
    let mut parts = text.split('.');
    let is_name =
        |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Some(first) = parts.next().filter(is_name) else { return Chain::of(Root::Unknown) };
    let mut chain = Chain::name(first);
    for part in parts {
        if !is_name(&part) {
            return Chain::of(Root::Unknown);
        }
        chain = chain.member(part);
    }
    chain.then(Step::Instance)
}

/// The value that a function returns, if all its `return` statements return the same.
pub(super) fn returned(build: &Build<'_>, function: Node<'_>) -> Option<Chain> {
    let mut found: Option<Chain> = None;
    let mut remaining: Vec<Node<'_>> = function.field("body").into_iter().flat_map(named).collect();
    let mut visited = 0;
    while let Some(node) = remaining.pop() {
        visited += 1;
        if visited > 400 {
            return None;
        }
        match node.kind_name() {
            "return_statement" => {
                let Some(returned) = named(node).next() else { continue };
                if returned.kind_name() == "none" {
                    continue;
                }
                let chain = value(build, returned);
                if chain.root == Root::Unknown
                    || found.as_ref().is_some_and(|known| *known != chain)
                {
                    return None;
                }
                found = Some(chain);
            }
            "expression_statement"
                if named(node).next().is_some_and(|at| at.kind_name() == "yield") =>
            {
                return None;
            }
            "if_statement" | "elif_clause" | "else_clause" | "block" | "try_statement"
            | "except_clause" | "finally_clause" | "for_statement" | "while_statement"
            | "with_statement" | "match_statement" | "case_clause" => {
                remaining.extend(named(node));
            }
            _ => {}
        }
    }
    found
}

/// Adds the variables of a target to which `whole` is assigned.
pub(super) fn bind<'t>(build: &mut Build<'t>, target: Node<'t>, whole: &Chain) {
    let mut remaining = vec![(target, whole.clone())];
    while let Some((node, chain)) = remaining.pop() {
        if remaining.len() > 500 {
            return;
        }
        match node.kind_name() {
            "identifier" => {
                let name = build.text_of(node);
                build.local(name, chain, node);
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" => {
                let unknown = Chain::of(Root::Unknown);
                remaining.extend(named(node).map(|part| (part, unknown.clone())));
            }
            "list_splat_pattern" | "as_pattern_target" | "parenthesized_expression" => {
                let chain = if node.kind_name() == "as_pattern_target" {
                    chain
                } else {
                    Chain::of(Root::Unknown)
                };
                remaining.extend(named(node).map(|part| (part, chain.clone())));
            }
            _ => {}
        }
    }
}
