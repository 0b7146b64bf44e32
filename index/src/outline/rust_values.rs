//! Expressions, types and patterns of Rust as chains.

use super::build::{Build, named};
use super::{Chain, Root, Step};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// Maximum nesting of an expression or type that is read.
const MAX_DEPTH: usize = 24;

/// Types whose methods are those of their argument.
const TRANSPARENT: &[&str] = &["Box", "Rc", "Arc", "Ref", "RefMut", "MutexGuard", "Cow", "Pin"];

/// Types that contain a value, which methods such as `unwrap` return.
const WRAPPERS: &[&str] = &["Option", "Result", "Mutex", "RwLock", "RefCell", "LazyLock"];

/// Methods that return the value that a wrapper contains, or the value itself.
const UNWRAPPING: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or_default",
    "unwrap_or",
    "unwrap_or_else",
    "as_ref",
    "as_mut",
    "clone",
    "to_owned",
    "lock",
    "borrow",
    "borrow_mut",
    "read",
    "write",
    "ok",
    "cloned",
    "copied",
    "ok_or",
    "ok_or_else",
    "map_err",
    "context",
    "with_context",
    "as_deref",
    "iter",
    "iter_mut",
    "into_iter",
    "first",
    "last",
    "next",
    "get",
    "get_mut",
    "take",
];

/// The value of an expression or path.
pub(super) fn value(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    let inner =
        |field: &str| node.field(field).map_or_else(unknown, |at| value(build, at, depth + 1));
    let first = || named(node).next().map_or_else(unknown, |at| value(build, at, depth + 1));
    match node.kind() {
        "identifier" | "type_identifier" => match build.text_of(node) {
            "Self" => Chain::of(Root::Class),
            name => Chain::name(name.strip_prefix("r#").unwrap_or(name)),
        },
        "self" => Chain::of(Root::Instance),
        "crate" | "super" => Chain::name(build.text_of(node)),
        "scoped_identifier" | "scoped_type_identifier" => {
            let name = build.field_text(node, "name").unwrap_or_default();
            match node.field("path") {
                Some(path) if path.kind() == "self" => Chain::name("self").member(name),
                Some(_) => inner("path").member(name),
                None => unknown(),
            }
        }
        "field_expression" => match node.field("field") {
            Some(name) => inner("value").member(build.text_of(name)),
            None => unknown(),
        },
        "call_expression" => {
            let function = node.field("function");
            if let Some(function) = function.filter(|at| at.kind() == "field_expression") {
                let name = build.field_text(function, "field").unwrap_or_default();
                if UNWRAPPING.contains(&name) {
                    let object = function.field("value");
                    return object.map_or_else(unknown, |at| value(build, at, depth + 1));
                }
            }
            if function.is_some_and(|at| {
                matches!(
                    build.text_of(at),
                    "Some"
                        | "Ok"
                        | "Box::new"
                        | "Arc::new"
                        | "Rc::new"
                        | "Mutex::new"
                        | "RefCell::new"
                )
            }) {
                let argument = node.field("arguments").and_then(|a| named(a).next());
                return argument.map_or_else(unknown, |at| value(build, at, depth + 1));
            }
            inner("function").then(Step::Call)
        }
        "generic_function" => inner("function"),
        "generic_type" | "bracketed_type" | "generic_type_with_turbofish" => {
            match node.field("type") {
                Some(kind) => value(build, kind, depth + 1),
                None => first(),
            }
        }
        "struct_expression" => inner("name").then(Step::Instance),
        "reference_expression" => inner("value"),
        "index_expression" => first().then(Step::Element),
        "try_expression" | "await_expression" | "parenthesized_expression" | "unary_expression" => {
            first()
        }
        "type_cast_expression" => {
            node.field("type").map_or_else(unknown, |kind| annotation(build, kind, depth + 1))
        }
        "string_literal" | "raw_string_literal" | "integer_literal" | "float_literal"
        | "boolean_literal" | "char_literal" | "binary_expression" | "macro_invocation"
        | "tuple_expression" | "unit_expression" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// An instance of a type.
pub(super) fn annotation(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    let inner =
        |field: &str| node.field(field).map_or_else(unknown, |at| annotation(build, at, depth + 1));
    match node.kind() {
        "type_identifier" if build.text_of(node) == "Self" => Chain::of(Root::Instance),
        "type_identifier" | "scoped_type_identifier" => {
            value(build, node, depth + 1).then(Step::Instance)
        }
        "reference_type" => inner("type"),
        "dynamic_type" | "abstract_type" => inner("trait"),
        "generic_type" => {
            let name = build.field_text(node, "type").unwrap_or_default();
            let name = name.rsplit("::").next().unwrap_or_default();
            let argument = node
                .field("type_arguments")
                .and_then(|list| named(list).find(|at| at.kind() != "lifetime"));
            let argument = || argument.map_or_else(unknown, |at| annotation(build, at, depth + 1));
            match name {
                _ if TRANSPARENT.contains(&name) || WRAPPERS.contains(&name) => argument(),
                "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => {
                    Chain::of(Root::List(Box::new(argument())))
                }
                _ => inner("type"),
            }
        }
        "array_type" => Chain::of(Root::List(Box::new(inner("element")))),
        "primitive_type" | "tuple_type" | "unit_type" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// Adds the variables of a pattern.
pub(super) fn bind<'t>(build: &mut Build<'t>, pattern: Node<'t>, whole: &Chain) {
    let mut remaining = vec![(pattern, whole.clone())];
    while let Some((node, chain)) = remaining.pop() {
        if remaining.len() > 500 {
            return;
        }
        let unknown = Chain::of(Root::Unknown);
        match node.kind() {
            "identifier" | "shorthand_field_identifier" => {
                let name = build.text_of(node);
                build.local(name, chain, node);
            }
            "mut_pattern" | "ref_pattern" | "reference_pattern" | "match_pattern" => {
                remaining.extend(named(node).map(|inner| (inner, chain.clone())));
            }
            "tuple_struct_pattern" => {
                let path = node.field("type");
                let is_wrapper = path.is_some_and(|at| matches!(build.text_of(at), "Some" | "Ok"));
                let part = if is_wrapper { chain } else { unknown };
                let inner = named(node).filter(|inner| Some(inner.id()) != path.map(|at| at.id()));
                remaining.extend(inner.map(|inner| (inner, part.clone())));
            }
            "tuple_pattern" | "slice_pattern" | "or_pattern" => {
                remaining.extend(named(node).map(|inner| (inner, unknown.clone())));
            }
            "struct_pattern" => {
                let fields = named(node).filter(|inner| inner.kind() == "field_pattern");
                for field in fields {
                    let name = build.field_text(field, "name").unwrap_or_default();
                    let inner = field.field("pattern");
                    let inner = inner.or_else(|| field.field("name"));
                    remaining.extend(inner.map(|inner| (inner, chain.clone().member(name))));
                }
            }
            _ => {}
        }
    }
}
