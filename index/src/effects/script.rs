//! JavaScript and TypeScript as events.

use super::scan::{Action, Argument, Call, Expr, Grammar, Parameter, Scan, Source, kinds, named};
use super::{UNKNOWN, parameter};
use crate::fields::Fields as _;
use crate::outline::Kind;
use crate::outline::build::has_child;
use ast_grep_language::SupportLang;
use std::rc::Rc;
use std::sync::LazyLock;
use tree_sitter::Node;

const BRANCHES: &[&str] = &[
    "do_statement",
    "for_in_statement",
    "for_statement",
    "if_statement",
    "switch_statement",
    "try_statement",
    "while_statement",
];
const FUNCTIONS: &[&str] = &[
    "arrow_function",
    "function_declaration",
    "function_expression",
    "generator_function",
    "generator_function_declaration",
    "method_definition",
];
const WANTED: &[&str] = &[
    "assignment_expression",
    "augmented_assignment_expression",
    "call_expression",
    "catch_clause",
    "class_declaration",
    "decorator",
    "enum_declaration",
    "formal_parameters",
    "identifier",
    "import_statement",
    "jsx_closing_element",
    "field_definition",
    "member_expression",
    "method_signature",
    "property_signature",
    "public_field_definition",
    "required_parameter",
    "new_expression",
    "shorthand_property_identifier",
    "type_annotation",
    "type_arguments",
    "type_parameters",
    "unary_expression",
    "update_expression",
    "variable_declarator",
];

pub(super) fn grammar(language: SupportLang) -> Grammar {
    static JAVASCRIPT: LazyLock<Vec<u8>> =
        LazyLock::new(|| kinds(SupportLang::JavaScript, BRANCHES, FUNCTIONS, WANTED, &["string"]));
    static TYPESCRIPT: LazyLock<Vec<u8>> =
        LazyLock::new(|| kinds(SupportLang::TypeScript, BRANCHES, FUNCTIONS, WANTED, &["string"]));
    static TSX: LazyLock<Vec<u8>> =
        LazyLock::new(|| kinds(SupportLang::Tsx, BRANCHES, FUNCTIONS, WANTED, &["string"]));
    let kinds: &[u8] = match language {
        SupportLang::JavaScript => &JAVASCRIPT,
        SupportLang::TypeScript => &TYPESCRIPT,
        _ => &TSX,
    };
    Grammar { kinds, visit }
}

fn visit<'t>(scan: &mut Scan<'t>, node: Node<'t>, _: Option<&str>) -> bool {
    let field = |name: &str| node.field(name);
    match node.kind_name() {
        kind if FUNCTIONS.contains(&kind) => function(scan, node),
        // Default values are read; the names of the parameters are declarations.
        "formal_parameters" => {
            for item in named(node) {
                let pattern = field_of(item, "pattern").unwrap_or(item);
                skip_names(scan, pattern, 0);
            }
        }
        "property_signature" | "public_field_definition" | "field_definition" => {
            let name = field("name").or_else(|| field("property"));
            let kind = match (field("type"), field("value")) {
                (Some(kind), _) => annotation(scan, kind),
                (None, Some(value)) => match scan.expr(value) {
                    Expr::Fresh(kind, _) | Expr::Scalar(kind) => kind,
                    Expr::Call(call) if call.is_new => {
                        scan.table.annotation(scan.text_of(call.function)).unwrap_or_default()
                    }
                    _ => "",
                },
                _ => "",
            };
            if let Some(name) = name {
                let text = scan.text_of(name);
                scan.field(text, kind);
            }
            return node.kind_name() != "property_signature";
        }
        "required_parameter"
            if crate::outline::build::child_of(node, &["accessibility_modifier"]).is_some() =>
        {
            if let (Some(name), Some(kind)) = (field("pattern"), field("type")) {
                let kind = annotation(scan, kind);
                let text = scan.text_of(name);
                scan.field(text, kind);
            }
        }
        "type_annotation"
        | "type_arguments"
        | "type_parameters"
        | "enum_declaration"
        | "import_statement"
        | "decorator"
        | "jsx_closing_element"
        | "method_signature" => return false,
        "class_declaration" => scan.skipped.extend(field("name").map(|name| name.id())),
        "variable_declarator" => {
            if let Some(name) = field("name") {
                let source = field("value").map_or(Source::Typed(""), Source::Value);
                pattern(scan, name, source, true, 0);
                skip_names(scan, name, 0);
            }
        }
        "assignment_expression" => {
            if let (Some(left), Some(right)) = (field("left"), field("right")) {
                pattern(scan, left, Source::Value(right), false, 0);
            }
        }
        "augmented_assignment_expression" => {
            if let Some(left) = field("left") {
                pattern(scan, left, Source::Typed("number"), false, 0);
            }
        }
        "update_expression" => {
            if let Some(inner) = field("argument") {
                pattern(scan, inner, Source::Typed("number"), false, 0);
            }
        }
        "unary_expression" if has_child(node, "delete") => {
            if let Some(inner) = field("argument") {
                pattern(scan, inner, Source::Unknown, false, 0);
            }
        }
        "for_in_statement" => {
            if let (Some(left), Some(right)) = (field("left"), field("right")) {
                let is_declared = field("kind").is_some();
                pattern(scan, left, Source::Element(right), is_declared, 0);
                let action = match has_child(node, "await") {
                    true => Action::Write(right, true, Source::Typed("")),
                    false => Action::Iterate(right),
                };
                scan.add(node, action);
                if is_declared {
                    skip_names(scan, left, 0);
                }
            }
        }
        "catch_clause" => {
            if let Some(name) = field("parameter") {
                pattern(scan, name, Source::Typed(""), true, 0);
                skip_names(scan, name, 0);
            }
        }
        "call_expression" | "new_expression" => {
            if let Expr::Call(call) = scan.expr(node) {
                if call.function.kind_name() == "import" {
                    scan.add(node, Action::Direct(UNKNOWN));
                } else {
                    scan.add(node, Action::Call(call));
                }
            }
        }
        "member_expression" => {
            if let (Some(object), Some(name)) = (field("object"), field("property")) {
                let text = scan.text_of(name);
                scan.add(node, Action::Member(object, text));
            }
        }
        "identifier" | "shorthand_property_identifier" => {
            let name = scan.text_of(node);
            if name != "undefined" {
                scan.add(node, Action::Read(name));
            }
        }
        _ => {}
    }
    true
}

fn field_of<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.field(name)
}

/// Marks the names that a pattern declares as declarations.
fn skip_names<'t>(scan: &mut Scan<'t>, node: Node<'t>, depth: usize) {
    if depth > 8 {
        return;
    }
    match node.kind_name() {
        "identifier" => {
            scan.skipped.insert(node.id());
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(left) = node.field("left") {
                skip_names(scan, left, depth + 1);
            }
        }
        "pair_pattern" => {
            if let Some(value) = node.field("value") {
                skip_names(scan, value, depth + 1);
            }
        }
        "object_pattern" | "array_pattern" | "rest_pattern" => {
            for inner in named(node) {
                skip_names(scan, inner, depth + 1);
            }
        }
        _ => {}
    }
}

/// Adds the events of an assignment to a pattern.
fn pattern<'t>(
    scan: &mut Scan<'t>,
    node: Node<'t>,
    source: Source<'t>,
    is_declared: bool,
    depth: usize,
) {
    if depth > 8 {
        return;
    }
    let element = match source {
        Source::Value(value) | Source::Element(value) => Source::Element(value),
        other => other,
    };
    match node.kind_name() {
        "identifier" | "shorthand_property_identifier_pattern" => {
            let name = scan.text_of(node);
            let action = match is_declared {
                true => Action::Bind(name, source),
                false => Action::Assign(name, source, false),
            };
            scan.add(node, action);
        }
        "member_expression" | "subscript_expression" => {
            if let Some(object) = node.field("object") {
                let is_element = node.kind_name() == "subscript_expression";
                scan.add(node, Action::Write(object, is_element, source));
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(left) = node.field("left") {
                pattern(scan, left, source, is_declared, depth + 1);
            }
        }
        "pair_pattern" => {
            if let Some(value) = node.field("value") {
                pattern(scan, value, source, is_declared, depth + 1);
            }
        }
        "object_pattern" | "array_pattern" | "rest_pattern" | "array" => {
            for inner in named(node) {
                pattern(scan, inner, element, is_declared, depth + 1);
            }
        }
        "parenthesized_expression" | "non_null_expression" | "as_expression" => {
            if let Some(inner) = named(node).next() {
                pattern(scan, inner, source, is_declared, depth + 1);
            }
        }
        _ => {}
    }
}

fn function<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    scan.skipped.extend(node.field("name").map(|name| name.id()));
    let list = node.field("parameters").or_else(|| node.field("parameter"));
    let items: Vec<Node<'t>> = match list {
        Some(single) if single.kind_name() == "identifier" => {
            scan.skipped.insert(single.id());
            vec![single]
        }
        Some(list) => named(list).collect(),
        None => Vec::new(),
    };
    let is_own = scan.is_own();
    for (index, item) in items.into_iter().enumerate() {
        let pattern = field_of(item, "pattern").unwrap_or(item);
        let pattern = match pattern.kind_name() {
            "assignment_pattern" => field_of(pattern, "left").unwrap_or(pattern),
            _ => pattern,
        };
        let kind = field_of(item, "type").map_or("", |kind| annotation(scan, kind));
        let mut names = Vec::new();
        collect_names(scan, pattern, &mut names, 0);
        let is_whole = pattern.kind_name() == "identifier";
        for name in names {
            scan.current().bound.insert(name);
            if !is_own {
                scan.current().closures.push((name, index, node));
                continue;
            }
            let bit = parameter(index);
            let is_plain = is_whole && matches!(kind, "string" | "number");
            let own = if is_plain || pattern.kind_name() == "rest_pattern" { 0 } else { bit };
            scan.current().parameters.push(Parameter {
                name,
                own,
                inner: if is_plain { 0 } else { bit },
                kind: if is_whole { kind } else { "" },
                shared: false,
                exclusive: false,
                shared_default: false,
            });
        }
    }
    let is_method = scan.symbol().is_some_and(|symbol| symbol.kind == Kind::Method);
    // Decorators precede the method.
    if is_own && is_method && has_decorator(node) {
        scan.current().is_truncated = true;
    }
}

fn has_decorator(node: Node<'_>) -> bool {
    has_child(node, "decorator")
        || node.prev_named_sibling().is_some_and(|before| before.kind_name() == "decorator")
}

fn collect_names<'t>(scan: &Scan<'t>, node: Node<'t>, names: &mut Vec<&'t str>, depth: usize) {
    match node.kind_name() {
        "identifier" | "shorthand_property_identifier_pattern" => names.push(scan.text_of(node)),
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(left) = node.field("left") {
                collect_names(scan, left, names, depth + 1);
            }
        }
        "pair_pattern" => {
            if let Some(value) = node.field("value") {
                collect_names(scan, value, names, depth + 1);
            }
        }
        "object_pattern" | "array_pattern" | "rest_pattern" if depth < 8 => {
            for inner in named(node) {
                collect_names(scan, inner, names, depth + 1);
            }
        }
        _ => {}
    }
}

/// The built-in type in an annotation; empty if it is none.
fn annotation(scan: &Scan<'_>, node: Node<'_>) -> &'static str {
    let text = scan.text_of(node).trim_start_matches(':').trim();
    let text = text.trim_start_matches("readonly ").trim();
    let text = text.trim_end_matches("| undefined").trim_end_matches("| null").trim();
    if text.ends_with("[]") {
        return "array";
    }
    if text.contains('|') || text.contains('&') || text.contains("=>") {
        return "";
    }
    let head = text.split('<').next().unwrap_or(text).trim();
    scan.table.annotation(head).unwrap_or_default()
}

/// One level of an expression.
pub(super) fn expr<'t>(scan: &Scan<'t>, node: Node<'t>) -> Expr<'t> {
    let field = |name: &str| node.field(name);
    let both = |a: &str, b: &str| [field(a), field(b)].into_iter().flatten().collect();
    match node.kind_name() {
        "identifier" | "shorthand_property_identifier" | "undefined" => {
            Expr::Name(scan.text_of(node))
        }
        "this" | "super" => Expr::Instance,
        "member_expression" => match (field("object"), field("property")) {
            (Some(object), Some(name)) => Expr::Member(object, name),
            _ => Expr::Unknown,
        },
        "subscript_expression" => field("object").map_or(Expr::Unknown, Expr::Index),
        "call_expression" | "new_expression" => {
            let is_new = node.kind_name() == "new_expression";
            let function = field(if is_new { "constructor" } else { "function" });
            let Some(function) = function else { return Expr::Unknown };
            let list = field("arguments").filter(|list| list.kind_name() == "arguments");
            let argument = |inner: Node<'t>| match inner.kind_name() {
                "spread_element" => {
                    Argument { node: named(inner).next().unwrap_or(inner), is_named: true }
                }
                _ => Argument { node: inner, is_named: false },
            };
            let arguments = list.into_iter().flat_map(named).map(argument).collect();
            Expr::Call(Rc::new(Call { function, arguments, is_new }))
        }
        "string" | "template_string" => Expr::Scalar("string"),
        "number" | "true" | "false" | "null" => Expr::Scalar("number"),
        "update_expression" | "unary_expression" => Expr::Scalar("number"),
        "regex" => {
            let flags = field("flags").map_or("", |flags| scan.text_of(flags));
            match flags.contains(['g', 'y']) {
                true => Expr::Fresh("global_regexp", Rc::default()),
                false => Expr::Scalar("regexp"),
            }
        }
        "binary_expression" => {
            let operator = field("operator").map_or("", |operator| operator.kind_name());
            match operator {
                "||" | "&&" | "??" => Expr::Either(both("left", "right")),
                "+" if is_text(field("left")) || is_text(field("right")) => Expr::Scalar("string"),
                "+" => Expr::Scalar(""),
                _ => Expr::Scalar("number"),
            }
        }
        "array" => Expr::Fresh("array", named(node).collect()),
        "object" => Expr::Fresh("object", named(node).collect()),
        "pair" => Expr::Either(field("value").into_iter().collect()),
        "spread_element" => named(node).next().map_or(Expr::Unknown, Expr::Index),
        "ternary_expression" => Expr::Either(both("consequence", "alternative")),
        "assignment_expression" => Expr::Either(field("right").into_iter().collect()),
        "parenthesized_expression"
        | "non_null_expression"
        | "as_expression"
        | "satisfies_expression"
        | "await_expression"
        | "yield_expression" => Expr::Either(named(node).take(1).collect()),
        "sequence_expression" => Expr::Either(named(node).collect()),
        "arrow_function" | "function_expression" | "generator_function" => Expr::Closure,
        "jsx_element" | "jsx_self_closing_element" | "jsx_fragment" => Expr::Scalar(""),
        "method_definition" => Expr::Closure,
        _ => Expr::Unknown,
    }
}

fn is_text(node: Option<Node<'_>>) -> bool {
    node.is_some_and(|node| matches!(node.kind_name(), "string" | "template_string"))
}
