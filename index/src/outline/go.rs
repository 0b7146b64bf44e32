//! The outline of Go.

use super::build::{Build, child_of, named, wanted_kinds};
use super::{Chain, Kind, RefKind, Root, Step};
use crate::fields::Fields as _;
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "argument_list",
    "call_expression",
    "composite_literal",
    "const_spec",
    "field_declaration",
    "func_literal",
    "function_declaration",
    "keyed_element",
    "method_declaration",
    "method_elem",
    "method_spec",
    "range_clause",
    "short_var_declaration",
    "type_alias",
    "type_identifier",
    "type_spec",
    "type_switch_statement",
    "var_spec",
];

/// Maximum nesting of an expression or type that is read.
const MAX_DEPTH: usize = 24;

pub(super) fn wanted() -> &'static [bool] {
    static WANTED_KINDS: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::Go, WANTED));
    &WANTED_KINDS
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    match node.kind() {
        "function_declaration" | "method_declaration" => function(build, node),
        "func_literal" => {
            build.open(node, None, true);
            parameters(build, node);
        }
        "type_spec" | "type_alias" => type_spec(build, node),
        "method_spec" | "method_elem" => {
            let Some(name) = node.field("name") else { return };
            let Some(at) = build.add(Kind::Method, name, node) else { return };
            let result = node.field("result").map(|kind| result(build, kind));
            let exported = is_exported(build.text_of(name));
            let symbol = build.symbol(at);
            symbol.value = result;
            symbol.exported = exported;
        }
        "field_declaration" => field(build, node),
        "const_spec" | "var_spec" => variable(build, node),
        "short_var_declaration" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
                return;
            };
            let values: Vec<Chain> = named(right).map(|at| value(build, at, 0)).collect();
            assign(build, named(left).collect(), &values);
        }
        "range_clause" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
                return;
            };
            let element = value(build, right, 0).then(Step::Element);
            for (index, name) in named(left).enumerate() {
                let chain = if index == 1 { element.clone() } else { Chain::of(Root::Literal) };
                let text = build.text_of(name);
                build.local(text, chain, name);
            }
        }
        "type_switch_statement" => {
            for name in node.field("alias").into_iter().flat_map(named) {
                let text = build.text_of(name);
                build.local(text, Chain::of(Root::Unknown), name);
            }
        }
        "call_expression" => call(build, node),
        "composite_literal" => {
            let Some(kind) = node.field("type") else { return };
            let name = child_name(kind);
            if let Some((name, receiver)) = name {
                build.done.insert(name.start_byte());
                let receiver = receiver.map(|at| Chain::name(build.text_of(at)));
                build.refer(RefKind::New, name, receiver, 255);
            }
        }
        "type_identifier" => {
            if build.done.remove(&node.start_byte()) {
                return;
            }
            let qualifier = node.prev_named_sibling();
            let qualifier = qualifier.filter(|at| at.kind() == "package_identifier");
            let receiver = qualifier.map(|at| Chain::name(build.text_of(at)));
            build.refer(RefKind::Type, node, receiver, 255);
        }
        "argument_list" => {
            for argument in named(node) {
                pass_on(build, argument);
            }
        }
        "keyed_element" => {
            if let Some(inner) = named(node).nth(1).and_then(|element| named(element).next()) {
                pass_on(build, inner);
            }
        }
        _ => {}
    }
}

fn is_exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

fn pass_on(build: &mut Build<'_>, node: Node<'_>) {
    match node.kind() {
        "identifier" => build.refer(RefKind::Use, node, None, 255),
        "selector_expression" => refer(build, RefKind::Use, node, 255),
        _ => {}
    }
}

fn refer(build: &mut Build<'_>, kind: RefKind, target: Node<'_>, arguments: u8) {
    match target.kind() {
        "identifier" => build.refer(kind, target, None, arguments),
        "selector_expression" => {
            let (Some(object), Some(name)) = (target.field("operand"), target.field("field"))
            else {
                return;
            };
            let receiver = value(build, object, 0);
            build.refer(kind, name, Some(receiver), arguments);
        }
        "type_instantiation_expression" | "index_expression" => {
            let inner = named(target).next();
            let is_name = |at: &Node<'_>| matches!(at.kind(), "identifier" | "selector_expression");
            if let Some(inner) = inner.filter(is_name) {
                refer(build, kind, inner, arguments);
            }
        }
        _ => {}
    }
}

/// The name of a type, and the package before it.
fn child_name(node: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let mut node = node;
    for _ in 0..8 {
        match node.kind() {
            "type_identifier" => return Some((node, None)),
            "qualified_type" => {
                return Some((node.field("name")?, node.field("package")));
            }
            "generic_type" => node = node.field("type")?,
            "pointer_type" => node = named(node).next()?,
            _ => return None,
        }
    }
    None
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
        "identifier" => Chain::name(build.text_of(node)),
        "selector_expression" => match node.field("field") {
            Some(name) => inner("operand").member(build.text_of(name)),
            None => unknown(),
        },
        "call_expression" => {
            let function = node.field("function");
            let is_new = function.is_some_and(|function| build.text_of(function) == "new");
            if is_new {
                let kind = node.field("arguments").and_then(|a| named(a).next());
                return kind.map_or_else(unknown, |kind| annotation(build, kind, depth + 1));
            }
            inner("function").then(Step::Call)
        }
        "index_expression" => inner("operand").then(Step::Element),
        "slice_expression" => inner("operand"),
        "unary_expression" => inner("operand"),
        "parenthesized_expression" => {
            named(node).next().map_or_else(unknown, |at| value(build, at, depth + 1))
        }
        "composite_literal" | "type_assertion_expression" | "type_conversion_expression" => {
            node.field("type").map_or_else(unknown, |kind| annotation(build, kind, depth + 1))
        }
        "interpreted_string_literal"
        | "raw_string_literal"
        | "int_literal"
        | "float_literal"
        | "rune_literal"
        | "true"
        | "false"
        | "binary_expression" => Chain::of(Root::Literal),
        _ => unknown(),
    }
}

/// An instance of a type.
fn annotation(build: &Build<'_>, node: Node<'_>, depth: usize) -> Chain {
    let unknown = || Chain::of(Root::Unknown);
    if depth > MAX_DEPTH {
        return unknown();
    }
    match node.kind() {
        "type_identifier" | "identifier" => Chain::name(build.text_of(node)).then(Step::Instance),
        "qualified_type" => {
            let package = build.field_text(node, "package").unwrap_or_default();
            let name = build.field_text(node, "name").unwrap_or_default();
            Chain::name(package).member(name).then(Step::Instance)
        }
        "pointer_type" | "parenthesized_type" => {
            named(node).next().map_or_else(unknown, |at| annotation(build, at, depth + 1))
        }
        "generic_type" => {
            node.field("type").map_or_else(unknown, |at| annotation(build, at, depth + 1))
        }
        "slice_type" | "array_type" => {
            let element =
                node.field("element").map_or_else(unknown, |at| annotation(build, at, depth + 1));
            Chain::of(Root::List(Box::new(element)))
        }
        "map_type" | "channel_type" => {
            let element =
                node.field("value").map_or_else(unknown, |at| annotation(build, at, depth + 1));
            Chain::of(Root::List(Box::new(element)))
        }
        _ => unknown(),
    }
}

/// The first result of a function.
fn result(build: &Build<'_>, node: Node<'_>) -> Chain {
    if node.kind() != "parameter_list" {
        return annotation(build, node, 0);
    }
    let first = named(node).next().and_then(|first| first.field("type"));
    first.map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind, 0))
}

/// Adds the parameters of a function as variables.
fn parameters<'t>(build: &mut Build<'t>, node: Node<'t>) -> Vec<String> {
    let mut names = Vec::new();
    for list in ["receiver", "parameters", "result"] {
        let Some(found) = node.field(list) else { continue };
        for parameter in named(found) {
            let Some(kind) = parameter.field("type") else { continue };
            let mut chain = annotation(build, kind, 0);
            if parameter.kind() == "variadic_parameter_declaration" {
                chain = Chain::of(Root::List(Box::new(chain)));
            }
            let mut cursor = parameter.walk();
            for name in parameter.children_by_field_name("name", &mut cursor) {
                let text = build.text_of(name);
                if list == "parameters" {
                    names.push(text.to_owned());
                }
                build.local(text, chain.clone(), name);
            }
        }
    }
    names
}

fn function<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let text = build.text_of(name);
    let receiver = node
        .field("receiver")
        .and_then(|list| named(list).next())
        .and_then(|parameter| parameter.field("type"))
        .and_then(child_name)
        .map(|(name, _)| Chain::name(build.text_of(name)));
    let kind = if receiver.is_some() { Kind::Method } else { Kind::Function };
    build.owner = receiver.map(|chain| (chain, u32::MAX, false));
    let symbol = build.add(kind, name, node);
    build.owner = None;
    build.open(node, symbol, true);
    let names = parameters(build, node);
    let Some(at) = symbol else { return };
    let kind = node.field("result");
    let chain = kind.map(|kind| result(build, kind));
    let return_type = kind.map(|kind| build.text_of(kind).to_owned());
    let doc = build.doc_before(node);
    let is_test = build.path.ends_with("_test.go");
    let symbol = build.symbol(at);
    symbol.parameters = names;
    symbol.value = chain;
    symbol.return_type = return_type;
    symbol.doc = doc;
    symbol.exported = is_exported(text);
    symbol.test |=
        is_test && ["Test", "Benchmark", "Fuzz"].iter().any(|prefix| text.starts_with(prefix));
}

fn type_spec<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let text = build.text_of(name);
    let declared = node.field("type");
    let kind = match declared.map(|at| at.kind()) {
        Some("struct_type") => Kind::Struct,
        Some("interface_type") => Kind::Interface,
        _ => Kind::Type,
    };
    let Some(at) = build.add(kind, name, node) else { return };
    let doc = build.doc_before(node);
    let chain = declared.map(|at| annotation(build, at, 0));
    let symbol = build.symbol(at);
    symbol.exported = is_exported(text);
    symbol.doc = doc;
    if kind == Kind::Type {
        symbol.value = chain;
    }
    build.open(node, Some(at), false);
}

fn field<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let (Some(kind), Some(class)) = (node.field("type"), build.class()) else {
        return;
    };
    let chain = annotation(build, kind, 0);
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    if names.is_empty() {
        // An embedded type.
        let mut base = chain.clone();
        if base.steps.last() == Some(&Step::Instance) {
            base.steps.pop();
        }
        if let Some((name, _)) = child_name(kind) {
            let text = build.text_of(name);
            build.field(class, text, chain);
        }
        build.symbol(class).bases.push(base);
        return;
    }
    for name in names {
        let exported = is_exported(build.text_of(name));
        if let Some(at) = build.add(Kind::Field, name, node) {
            let symbol = build.symbol(at);
            symbol.value = Some(chain.clone());
            symbol.exported = exported;
        }
    }
}

/// Adds variables with the values assigned to them.
fn assign<'t>(build: &mut Build<'t>, names: Vec<Node<'t>>, values: &[Chain]) {
    let is_single = values.len() == 1 && names.len() > 1;
    for (index, name) in names.into_iter().enumerate() {
        if name.kind() != "identifier" {
            continue;
        }
        // The second result of a call is usually an error.
        let chain = match values.get(index) {
            Some(chain) if !is_single || index == 0 => chain.clone(),
            _ => Chain::of(Root::Literal),
        };
        let text = build.text_of(name);
        if text != "_" {
            build.local(text, chain, name);
        }
    }
}

fn variable<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let kind = node.field("type").map(|kind| annotation(build, kind, 0));
    let values: Vec<Chain> =
        node.field("value").into_iter().flat_map(named).map(|at| value(build, at, 0)).collect();
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> =
        node.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    let values = kind.map_or(values, |kind| vec![kind; names.len()]);
    if build.is_in_function() {
        assign(build, names, &values);
        return;
    }
    let symbol_kind = if node.kind() == "const_spec" { Kind::Constant } else { Kind::Variable };
    for (index, name) in names.into_iter().enumerate() {
        let text = build.text_of(name);
        if text == "_" {
            continue;
        }
        if let Some(at) = build.add(symbol_kind, name, node) {
            let symbol = build.symbol(at);
            symbol.exported = is_exported(text);
            symbol.value = values.get(index).cloned();
        }
    }
}

fn call<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(target) = node.field("function") else { return };
    let count = build.count(node.field("arguments"));
    // A conversion to a type in parentheses is not a call.
    if child_of(node, &["parenthesized_type"]).is_none() {
        refer(build, RefKind::Call, target, count);
    }
}
