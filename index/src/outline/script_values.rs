//! Expressions and types of JavaScript and TypeScript as chains.

use super::build::{Build, child_of, named};
use super::{Chain, Root, Step};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// Maximum nesting of an expression or type that is read.
const MAX_DEPTH: usize = 24;

/// Whether a node is a function.
pub(super) fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind_name(),
        "arrow_function" | "function_expression" | "function" | "generator_function"
    )
}

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
        "this" => Chain::of(Root::Instance),
        "super" => Chain::of(Root::Super),
        "member_expression" => match node.field("property") {
            Some(name) => inner("object").member(build.text_of(name)),
            None => unknown(),
        },
        "subscript_expression" => inner("object").then(Step::Element),
        "call_expression" => {
            injected(build, node).unwrap_or_else(|| inner("function").then(Step::Call))
        }
        "new_expression" => inner("constructor").then(Step::Instance),
        "await_expression" | "parenthesized_expression" | "non_null_expression" => first(),
        "as_expression" | "satisfies_expression" => match named(node).nth(1) {
            // `as const` keeps the value.
            Some(kind) => type_at(build, kind, depth + 1),
            None => first(),
        },
        "assignment_expression" => inner("right"),
        "binary_expression" => {
            let operator = node.field("operator").map(|at| at.kind_name());
            match operator {
                Some("||" | "??") => inner("left"),
                Some("&&") => inner("right"),
                _ => Chain::of(Root::Literal),
            }
        }
        "array" => match named(node).next() {
            Some(element) if element.kind_name() != "spread_element" => {
                Chain::of(Root::List(Box::new(value_at(build, element, depth + 1))))
            }
            _ => Chain::of(Root::Literal),
        },
        "string" | "template_string" | "number" | "regex" | "true" | "false" | "object"
        | "unary_expression" | "update_expression" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// An instance of the class that is the only argument of `inject(A)` or `container.get(A)`.
fn injected(build: &Build<'_>, call: Node<'_>) -> Option<Chain> {
    let function = call.field("function")?;
    let name = match function.kind_name() {
        "identifier" => build.text_of(function),
        "member_expression" => build.field_text(function, "property")?,
        _ => return None,
    };
    let is_container = match name {
        "inject" => true,
        "get" | "resolve" => function.kind_name() == "member_expression",
        _ => false,
    };
    let class = named(call.field("arguments")?).next()?;
    let text = build.text_of(class);
    let is_class = class.kind_name() == "identifier"
        && text.starts_with(|c: char| c.is_uppercase())
        && text.chars().any(char::is_lowercase);
    (is_container && is_class).then(|| Chain::name(text).then(Step::Instance))
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
    let first = || named(node).next().map_or_else(unknown, |at| type_at(build, at, depth + 1));
    match node.kind_name() {
        "type_annotation" | "parenthesized_type" | "readonly_type" | "optional_type" => first(),
        "type_identifier" | "identifier" => Chain::name(build.text_of(node)).then(Step::Instance),
        "nested_type_identifier" => match named(node).last() {
            Some(name) => named(node)
                .next()
                .map_or_else(unknown, |module| value_at(build, module, depth + 1))
                .member(build.text_of(name))
                .then(Step::Instance),
            None => unknown(),
        },
        "generic_type" => generic(build, node, depth),
        "array_type" => Chain::of(Root::List(Box::new(first()))),
        "union_type" => union(build, node, depth),
        "intersection_type" => first(),
        "type_query" => {
            named(node).next().map_or_else(unknown, |at| value_at(build, at, depth + 1))
        }
        "this_type" => Chain::of(Root::Instance),
        "type_predicate"
        | "asserts"
        | "predefined_type"
        | "literal_type"
        | "template_literal_type"
        | "tuple_type" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// The only part of a union that is not `null` or `undefined`.
fn union(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let mut parts = Vec::new();
    let mut remaining: Vec<Node<'_>> = named(node).collect();
    while let Some(part) = remaining.pop() {
        if part.kind_name() == "union_type" && parts.len() < 8 {
            remaining.extend(named(part));
        } else if !matches!(build.text_of(part), "null" | "undefined" | "void") {
            parts.push(type_at(build, part, depth + 1));
        }
    }
    match parts.as_slice() {
        [only] => only.clone(),
        _ => Chain::of(Root::Unknown),
    }
}

fn generic(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let Some(name) = node.field("name") else { return Chain::of(Root::Unknown) };
    let argument = node
        .field("type_arguments")
        .or_else(|| child_of(node, &["type_arguments"]))
        .and_then(|list| named(list).next());
    let inner = |argument: Option<Node<'_>>| {
        argument.map_or_else(
            || Chain::of(Root::Unknown),
            |argument| type_at(build, argument, depth + 1),
        )
    };
    match build.text_of(name) {
        "Promise" | "PromiseLike" | "Awaited" | "Partial" | "Required" | "Readonly"
        | "NonNullable" | "Omit" | "Pick" => inner(argument),
        "Array" | "ReadonlyArray" | "Set" | "ReadonlySet" | "Iterable" | "AsyncIterable"
        | "Iterator" | "Generator" | "AsyncGenerator" => {
            Chain::of(Root::List(Box::new(inner(argument))))
        }
        "ReturnType" => inner(argument).then(Step::Call),
        "InstanceType" => inner(argument).then(Step::Instance),
        _ => type_at(build, name, depth + 1),
    }
}

/// The type of a declared variable or parameter: its annotation, or its value.
pub(super) fn declared(build: &Build<'_>, node: Node<'_>) -> Chain {
    if let Some(kind) = node.field("type") {
        return annotation(build, kind);
    }
    node.field("value").map_or(Chain::of(Root::Unknown), |at| value(build, at))
}

/// Adds the variables that a pattern binds to parts of `whole`.
pub(super) fn bind<'t>(build: &mut Build<'t>, pattern: Node<'t>, whole: &Chain) {
    let mut remaining = vec![(pattern, whole.clone())];
    while let Some((node, chain)) = remaining.pop() {
        if remaining.len() > 500 {
            return;
        }
        match node.kind_name() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                let name = build.text_of(node);
                let chain = match node.kind_name() {
                    "identifier" => chain,
                    _ => chain.member(name),
                };
                build.local(name, chain, node);
            }
            "object_pattern" => {
                remaining.extend(named(node).map(|part| (part, chain.clone())));
            }
            "array_pattern" => {
                let element = chain.then(Step::Element);
                remaining.extend(named(node).map(|part| (part, element.clone())));
            }
            "pair_pattern" => {
                let key = build.field_text(node, "key").unwrap_or_default();
                if let Some(inner) = node.field("value") {
                    remaining.push((inner, chain.member(key)));
                }
            }
            "object_assignment_pattern" | "assignment_pattern" => {
                remaining.extend(node.field("left").map(|left| (left, chain)));
            }
            "rest_pattern" => {
                let inner = named(node).next();
                remaining.extend(inner.map(|inner| (inner, Chain::of(Root::Unknown))));
            }
            _ => {}
        }
    }
}

/// The value that a function returns, if all its `return` statements return the same.
pub(super) fn returned(build: &Build<'_>, function: Node<'_>) -> Option<Chain> {
    let body = function.field("body")?;
    if body.kind_name() != "statement_block" {
        return Some(value(build, body)).filter(|chain| chain.root != Root::Unknown);
    }
    let mut found: Option<Chain> = None;
    let mut remaining: Vec<Node<'_>> = named(body).collect();
    let mut visited = 0;
    while let Some(node) = remaining.pop() {
        visited += 1;
        if visited > 400 {
            return None;
        }
        match node.kind_name() {
            "return_statement" => {
                let Some(returned) = named(node).next() else { continue };
                if matches!(returned.kind_name(), "null" | "undefined") {
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
            "if_statement" | "else_clause" | "statement_block" | "try_statement"
            | "catch_clause" | "finally_clause" | "for_statement" | "for_in_statement"
            | "while_statement" | "do_statement" | "switch_statement" | "switch_body"
            | "switch_case" | "switch_default" => remaining.extend(named(node)),
            _ => {}
        }
    }
    found
}
