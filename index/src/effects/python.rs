//! Python as events.

use super::scan::{Action, Argument, Call, Expr, Grammar, Parameter, Scan, Source, kinds, named};
use super::{RECEIVER, parameter};
use crate::fields::Fields as _;
use crate::outline::Kind;
use crate::outline::build::has_child;
use ast_grep_language::SupportLang;
use std::rc::Rc;
use std::sync::LazyLock;
use tree_sitter::Node;

const BRANCHES: &[&str] = &[
    "dictionary_comprehension",
    "for_statement",
    "generator_expression",
    "if_statement",
    "list_comprehension",
    "match_statement",
    "set_comprehension",
    "try_statement",
    "while_statement",
];
const FUNCTIONS: &[&str] = &["function_definition", "lambda"];
const WANTED: &[&str] = &[
    "as_pattern",
    "assignment",
    "attribute",
    "augmented_assignment",
    "call",
    "class_definition",
    "decorated_definition",
    "delete_statement",
    "for_in_clause",
    "global_statement",
    "identifier",
    "import_from_statement",
    "import_statement",
    "keyword_argument",
    "lambda_parameters",
    "named_expression",
    "nonlocal_statement",
    "parameters",
    "subscript",
    "type",
    "with_item",
];

pub(super) fn grammar() -> Grammar {
    static KINDS: LazyLock<Vec<u8>> =
        LazyLock::new(|| kinds(SupportLang::Python, BRANCHES, FUNCTIONS, WANTED, &[]));
    Grammar { kinds: &KINDS, visit }
}

fn visit<'t>(scan: &mut Scan<'t>, node: Node<'t>, field: Option<&str>) -> bool {
    match node.kind_name() {
        "function_definition" => {
            function(scan, node);
            scan.skipped.extend(node.field("name").map(|name| name.id()));
        }
        "parameters" | "lambda_parameters" => return false,
        "lambda" => {
            let list = node.field("parameters");
            for (at, name) in list.into_iter().flat_map(named).enumerate() {
                let name = name.field("name").unwrap_or(name);
                let text = scan.text_of(name);
                scan.current().closures.push((text, at, node));
                scan.current().bound.insert(text);
            }
        }
        "decorated_definition" => decorators(scan, node),
        "class_definition" => {
            scan.skipped.extend(node.field("name").map(|name| name.id()));
        }
        "type" | "import_statement" | "import_from_statement" => return false,
        "assignment" => {
            let left = node.field("left");
            let right = node.field("right");
            if let Some(left) = left {
                let is_field = left.kind_name() == "attribute" || scan.is_outside();
                let name = left.field("attribute").unwrap_or(left);
                let kind = match node.field("type") {
                    Some(kind) => annotation(scan, kind),
                    None => match right.map(|right| scan.expr(right)) {
                        Some(Expr::Fresh(kind, _) | Expr::Scalar(kind)) => kind,
                        _ => "",
                    },
                };
                if is_field && name.kind_name() == "identifier" {
                    let name = scan.text_of(name);
                    scan.field(name, kind);
                }
            }
            if let (Some(left), Some(right)) = (left, right) {
                target(scan, left, Source::Value(right), 0);
            }
        }
        "augmented_assignment" => {
            let left = node.field("left");
            let right = node.field("right");
            if let (Some(left), Some(right)) = (left, right) {
                match left.kind_name() {
                    "identifier" => {
                        let name = scan.text_of(left);
                        scan.add(node, Action::Assign(name, Source::Value(right), true));
                    }
                    _ => target(scan, left, Source::Value(right), 0),
                }
            }
        }
        "named_expression" => {
            if let (Some(name), Some(right)) = (node.field("name"), node.field("value")) {
                target(scan, name, Source::Value(right), 0);
            }
        }
        "for_statement" | "for_in_clause" => {
            if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                target(scan, left, Source::Element(right), 0);
                let action = match has_child(node, "async") {
                    true => Action::Write(right, true, Source::Typed("")),
                    false => Action::Iterate(right),
                };
                scan.add(node, action);
            }
        }
        "subscript" => {
            if let Some(object) = node.field("value") {
                scan.add(node, Action::Index(object));
            }
        }
        "as_pattern" => {
            let whole = named(node).next();
            if let (Some(whole), Some(alias)) = (whole, node.field("alias")) {
                target(scan, alias, Source::Value(whole), 0);
            }
        }
        "with_item" => {
            if let Some(value) = node.field("value") {
                let value = match value.kind_name() {
                    "as_pattern" => named(value).next().unwrap_or(value),
                    _ => value,
                };
                scan.add(node, Action::Enter(value));
            }
        }
        "delete_statement" => {
            for inner in named(node) {
                target(scan, inner, Source::Unknown, 0);
            }
        }
        "global_statement" | "nonlocal_statement" => {
            for name in named(node) {
                let name = scan.text_of(name);
                scan.current().outer.insert(name);
            }
            return false;
        }
        "call" => {
            if let Expr::Call(call) = scan.expr(node) {
                scan.add(node, Action::Call(call));
            }
        }
        "attribute" => {
            if let (Some(object), Some(name)) = (node.field("object"), node.field("attribute")) {
                let text = scan.text_of(name);
                scan.skipped.insert(name.id());
                scan.add(node, Action::Member(object, text));
            }
        }
        "keyword_argument" => {
            scan.skipped.extend(node.field("name").map(|name| name.id()));
        }
        "identifier" if field != Some("attribute") => {
            let name = scan.text_of(node);
            scan.add(node, Action::Read(name));
        }
        _ => {}
    }
    true
}

/// The decorators of a function: those that are not known to leave it unchanged.
fn decorators<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    let Some(definition) = node.field("definition") else { return };
    let is_unknown = named(node).filter(|at| at.kind_name() == "decorator").any(|decorator| {
        let text = scan.text_of(decorator).trim_start_matches('@');
        let name = text.split('(').next().unwrap_or_default().trim();
        !scan.table.is_plain_decorator(name.rsplit('.').next().unwrap_or_default())
    });
    for decorator in named(node).filter(|at| at.kind_name() == "decorator") {
        scan.skipped.insert(decorator.id());
        // The names in a decorator are evaluated with the definition.
        let mut remaining = vec![decorator];
        while let Some(inner) = remaining.pop() {
            scan.skipped.insert(inner.id());
            remaining.extend(named(inner));
        }
    }
    if is_unknown && definition.kind_name() == "function_definition" {
        scan.wrapped.insert(definition.start_byte());
    }
}

fn function<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    if !scan.is_own() {
        return;
    }
    if scan.wrapped.contains(&node.start_byte()) {
        scan.current().is_truncated = true;
    }
    let symbol = scan.symbol();
    let is_method = symbol.is_some_and(|symbol| symbol.kind == Kind::Method);
    let is_static = is_method && is_static_method(scan, node);
    let mut at = 0;
    let list = node.field("parameters");
    for (index, item) in list.into_iter().flat_map(named).enumerate() {
        let name = match item.kind_name() {
            "identifier" => item,
            "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                match named(item).next() {
                    Some(inner) if inner.kind_name().ends_with("splat_pattern") => {
                        named(inner).next().unwrap_or(inner)
                    }
                    Some(inner) => inner,
                    None => continue,
                }
            }
            _ => match item.field("name") {
                Some(name) => name,
                None => continue,
            },
        };
        let is_splat = item.kind_name().ends_with("splat_pattern")
            || named(item).next().is_some_and(|inner| inner.kind_name().ends_with("splat_pattern"));
        let name = scan.text_of(name);
        let is_receiver = is_method && !is_static && index == 0;
        let bit = if is_receiver { RECEIVER } else { parameter(at) };
        let annotated = item.field("type");
        let kind = annotated.map_or("", |annotated| annotation(scan, annotated));
        let own = match kind {
            _ if is_splat => 0,
            "str" | "number" | "bytes" | "tuple" | "range" => 0,
            _ => bit,
        };
        let default = item.field("value").map(|value| value.kind_name());
        let parameter = Parameter {
            name,
            own,
            inner: if matches!(kind, "str" | "number" | "bytes") { 0 } else { bit },
            kind,
            shared: false,
            exclusive: false,
            shared_default: matches!(
                default,
                Some("list" | "dictionary" | "set" | "call" | "list_comprehension")
            ),
        };
        if !is_receiver {
            at += 1;
        }
        scan.current().parameters.push(parameter);
        scan.current().bound.insert(name);
    }
}

fn is_static_method(scan: &Scan<'_>, node: Node<'_>) -> bool {
    // The decorators are directly before the function.
    let before = scan.text.get(..node.start_byte()).unwrap_or_default().trim_end();
    before.ends_with("@staticmethod")
}

/// The built-in type in an annotation; empty if it is none.
fn annotation(scan: &Scan<'_>, node: Node<'_>) -> &'static str {
    let text = scan.text_of(node).trim_matches(['"', '\'']).trim();
    let text = text.strip_prefix("Optional[").and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let text = text.trim_end_matches("| None").trim_start_matches("None |").trim();
    if text.contains('|') {
        return "";
    }
    let head = text.split('[').next().unwrap_or(text).trim();
    let head = head.rsplit('.').next().unwrap_or(head);
    scan.table.annotation(head).unwrap_or_default()
}

/// Adds the event of an assignment to a target.
fn target<'t>(scan: &mut Scan<'t>, node: Node<'t>, source: Source<'t>, depth: usize) {
    if depth > 8 {
        return;
    }
    match node.kind_name() {
        "identifier" => {
            let name = scan.text_of(node);
            let action = match scan.current().outer.contains(name) {
                true => Action::Assign(name, source, false),
                false => Action::Bind(name, source),
            };
            scan.add(node, action);
        }
        "attribute" | "subscript" => {
            let field = if node.kind_name() == "attribute" { "object" } else { "value" };
            if let Some(object) = node.field(field) {
                scan.add(node, Action::Write(object, node.kind_name() == "subscript", source));
            }
        }
        "as_pattern_target" | "parenthesized_expression" => {
            for inner in named(node) {
                target(scan, inner, source, depth + 1);
            }
        }
        "list_splat_pattern" | "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple"
        | "list" | "expression_list" => {
            let source = match source {
                Source::Value(value) | Source::Element(value) => Source::Element(value),
                other => other,
            };
            for inner in named(node) {
                target(scan, inner, source, depth + 1);
            }
        }
        _ => {}
    }
}

fn arguments<'t>(node: Option<Node<'t>>) -> Vec<Argument<'t>> {
    let Some(node) = node else { return Vec::new() };
    if node.kind_name() == "generator_expression" {
        return vec![Argument { node, is_named: false }];
    }
    let argument = |inner: Node<'t>| match inner.kind_name() {
        "keyword_argument" => {
            Argument { node: inner.field("value").unwrap_or(inner), is_named: true }
        }
        "list_splat" | "dictionary_splat" => {
            Argument { node: named(inner).next().unwrap_or(inner), is_named: true }
        }
        _ => Argument { node: inner, is_named: false },
    };
    named(node).map(argument).collect()
}

/// One level of an expression.
pub(super) fn expr<'t>(scan: &Scan<'t>, node: Node<'t>) -> Expr<'t> {
    let field = |name: &str| node.field(name);
    match node.kind_name() {
        "identifier" => Expr::Name(scan.text_of(node)),
        "attribute" => match (field("object"), field("attribute")) {
            (Some(object), Some(name)) => Expr::Member(object, name),
            _ => Expr::Unknown,
        },
        "subscript" => match field("value") {
            Some(value) if has_slice(node) => Expr::Copy(value),
            Some(value) => Expr::Index(value),
            None => Expr::Unknown,
        },
        "call" => match field("function") {
            Some(function) if scan.text_of(function) == "super" => Expr::Instance,
            Some(function) => Expr::Call(Rc::new(Call {
                function,
                arguments: arguments(field("arguments")),
                is_new: false,
            })),
            None => Expr::Unknown,
        },
        "string" | "concatenated_string" => Expr::Scalar("str"),
        "integer"
        | "float"
        | "comparison_operator"
        | "not_operator"
        | "unary_operator"
        | "true"
        | "false"
        | "none"
        | "ellipsis" => Expr::Scalar("number"),
        "binary_operator" => {
            Expr::Fresh("", [field("left"), field("right")].into_iter().flatten().collect())
        }
        "list" => Expr::Fresh("list", named(node).collect()),
        "set" => Expr::Fresh("set", named(node).collect()),
        "tuple" | "expression_list" => Expr::Fresh("tuple", named(node).collect()),
        "dictionary" => Expr::Fresh("dict", named(node).collect()),
        "pair" => Expr::Either(field("value").into_iter().collect()),
        "list_comprehension" => Expr::Fresh("list", field("body").into_iter().collect()),
        "set_comprehension" => Expr::Fresh("set", field("body").into_iter().collect()),
        "dictionary_comprehension" => Expr::Fresh("dict", field("body").into_iter().collect()),
        "generator_expression" => Expr::Fresh("iterator", field("body").into_iter().collect()),
        "list_splat" | "dictionary_splat" | "parenthesized_expression" | "await" => {
            Expr::Either(named(node).collect())
        }
        "boolean_operator" => {
            Expr::Either([field("left"), field("right")].into_iter().flatten().collect())
        }
        "conditional_expression" => {
            let parts: Vec<Node<'t>> = named(node).collect();
            Expr::Either([parts.first(), parts.get(2)].into_iter().flatten().copied().collect())
        }
        "named_expression" | "keyword_argument" => {
            Expr::Either(field("value").into_iter().collect())
        }
        "lambda" => Expr::Closure,
        _ => Expr::Unknown,
    }
}

fn has_slice(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children_by_field_name("subscript", &mut cursor).any(|at| at.kind_name() == "slice")
}
