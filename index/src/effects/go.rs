//! Go as events.

use super::scan::{Action, Argument, Call, Expr, Grammar, Parameter, Scan, Source, kinds, named};
use super::{IO, Map, RECEIVER, UNKNOWN, parameter};
use crate::fields::Fields as _;
use crate::outline::build::has_child;
use ast_grep_language::SupportLang;
use std::rc::Rc;
use std::sync::LazyLock;
use tree_sitter::Node;

const BRANCHES: &[&str] = &[
    "expression_switch_statement",
    "for_statement",
    "if_statement",
    "select_statement",
    "type_switch_statement",
];
const FUNCTIONS: &[&str] = &["func_literal", "function_declaration", "method_declaration"];
const WANTED: &[&str] = &[
    "assignment_statement",
    "call_expression",
    "dec_statement",
    "field_declaration",
    "go_statement",
    "identifier",
    "import_declaration",
    "inc_statement",
    "keyed_element",
    "parameter_list",
    "range_clause",
    "selector_expression",
    "send_statement",
    "short_var_declaration",
    "type_arguments",
    "unary_expression",
    "var_spec",
];
/// Types whose values cannot be changed through a copy.
const SCALARS: &[&str] = &[
    "bool",
    "byte",
    "complex128",
    "complex64",
    "error",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "rune",
    "string",
    "time.Duration",
    "time.Month",
    "time.Time",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

pub(super) fn grammar() -> Grammar {
    static KINDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        kinds(SupportLang::Go, BRANCHES, FUNCTIONS, WANTED, &["interpreted_string_literal"])
    });
    Grammar { kinds: &KINDS, visit }
}

fn visit<'t>(scan: &mut Scan<'t>, node: Node<'t>, _: Option<&str>) -> bool {
    let field = |name: &str| node.field(name);
    match node.kind() {
        kind if FUNCTIONS.contains(&kind) => function(scan, node),
        "parameter_list" | "import_declaration" | "type_arguments" => return false,
        "field_declaration" => {
            let kind = field("type").map_or("", |kind| kind_of(scan, kind));
            let mut cursor = node.walk();
            let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
            for name in names {
                let text = scan.text_of(name);
                scan.field(text, kind);
            }
        }
        "short_var_declaration" | "var_spec" => {
            let names: Vec<Node<'t>> = match field("left") {
                Some(left) => named(left).collect(),
                None => {
                    let mut cursor = node.walk();
                    node.children_by_field_name("name", &mut cursor).collect()
                }
            };
            let right = field("right").or_else(|| field("value"));
            let values: Vec<Node<'t>> = right.into_iter().flat_map(named).collect();
            let kind = field("type").map_or("", |kind| kind_of(scan, kind));
            for (at, name) in names.iter().enumerate() {
                scan.skipped.insert(name.id());
                let text = scan.text_of(*name);
                let source = match values.get(at) {
                    _ if !kind.is_empty() && values.is_empty() => Source::Typed(kind),
                    Some(value) if values.len() == names.len() => Source::Value(*value),
                    _ => match values.first() {
                        Some(value) => Source::Value(*value),
                        None => Source::Typed(""),
                    },
                };
                scan.add(*name, Action::Bind(text, source));
            }
        }
        "assignment_statement" => {
            let left: Vec<Node<'t>> = field("left").into_iter().flat_map(named).collect();
            let right: Vec<Node<'t>> = field("right").into_iter().flat_map(named).collect();
            for (at, target) in left.iter().enumerate() {
                let source = match right.get(at).or(right.first()) {
                    Some(value) => Source::Value(*value),
                    None => Source::Unknown,
                };
                assign(scan, *target, source);
            }
        }
        "inc_statement" | "dec_statement" => {
            if let Some(target) = named(node).next() {
                assign(scan, target, Source::Typed("number"));
            }
        }
        "range_clause" => {
            let is_declared = has_child(node, ":=");
            if let Some(right) = field("right") {
                for (at, name) in field("left").into_iter().flat_map(named).enumerate() {
                    let source = if at == 0 { Source::Typed("") } else { Source::Element(right) };
                    if is_declared {
                        scan.skipped.insert(name.id());
                        let text = scan.text_of(name);
                        scan.add(name, Action::Bind(text, source));
                    } else {
                        assign(scan, name, source);
                    }
                }
                scan.add(node, Action::Iterate(right));
            }
        }
        "type_switch_statement" => {
            for name in field("alias").into_iter().flat_map(named) {
                scan.skipped.insert(name.id());
                let text = scan.text_of(name);
                let source = field("value").map_or(Source::Unknown, Source::Value);
                scan.add(name, Action::Bind(text, source));
            }
        }
        "call_expression" => {
            if let Expr::Call(call) = scan.expr(node) {
                scan.add(node, Action::Call(call));
            }
        }
        "go_statement" => scan.add(node, Action::Direct(IO)),
        "send_statement" => {
            if let Some(channel) = field("channel") {
                scan.add(node, Action::Write(channel, true, Source::Typed("")));
            }
        }
        "unary_expression" if has_child(node, "<-") => {
            if let Some(channel) = field("operand") {
                scan.add(node, Action::Write(channel, true, Source::Typed("")));
            }
        }
        "selector_expression" => {
            if let (Some(object), Some(name)) = (field("operand"), field("field")) {
                let text = scan.text_of(name);
                scan.add(node, Action::Member(object, text));
            }
        }
        // The key can be the name of a field.
        "keyed_element" => {
            if let Some(key) = named(node).next() {
                scan.skipped
                    .extend(named(key).filter(|at| at.kind() == "identifier").map(|at| at.id()));
                scan.skipped.insert(key.id());
            }
        }
        "identifier" => {
            let name = scan.text_of(node);
            if !matches!(name, "_" | "nil" | "true" | "false" | "iota") {
                scan.add(node, Action::Read(name));
            }
        }
        _ => {}
    }
    true
}

fn assign<'t>(scan: &mut Scan<'t>, node: Node<'t>, source: Source<'t>) {
    match node.kind() {
        "identifier" => {
            let name = scan.text_of(node);
            if name != "_" {
                scan.add(node, Action::Assign(name, source, false));
            }
        }
        "selector_expression" | "index_expression" => {
            if let Some(object) = node.field("operand") {
                let is_element = node.kind() == "index_expression";
                scan.add(node, Action::Write(object, is_element, source));
            }
        }
        "unary_expression" => {
            if let Some(inner) = node.field("operand") {
                scan.add(node, Action::Write(inner, true, source));
            }
        }
        "parenthesized_expression" => {
            if let Some(inner) = named(node).next() {
                assign(scan, inner, source);
            }
        }
        _ => {}
    }
}

/// The built-in type that a type node names; empty if it is none.
fn kind_of(scan: &Scan<'_>, node: Node<'_>) -> &'static str {
    let text = scan.text_of(node);
    match node.kind() {
        "slice_type" | "array_type" => "slice",
        "map_type" => "map",
        "channel_type" => "channel",
        "pointer_type" => scan.table.annotation(text.trim_start_matches('*')).unwrap_or_default(),
        _ => scan.table.annotation(text).unwrap_or_default(),
    }
}

fn function<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    scan.skipped.extend(node.field("name").map(|name| name.id()));
    let is_own = scan.is_own();
    let receiver = node.field("receiver");
    let mut index = 0;
    let lists = [receiver, node.field("parameters")];
    for (list, is_receiver) in lists.into_iter().zip([true, false]) {
        for item in list.into_iter().flat_map(named) {
            let kind = item.field("type");
            let mut cursor = item.walk();
            let names: Vec<Node<'t>> = item.children_by_field_name("name", &mut cursor).collect();
            for name in &names {
                let name = scan.text_of(*name);
                scan.current().bound.insert(name);
                if !is_own {
                    scan.current().closures.push((name, index, node));
                    index += 1;
                    continue;
                }
                let bit = if is_receiver { RECEIVER } else { parameter(index) };
                let parameter = of_type(scan, name, kind, bit);
                scan.current().parameters.push(parameter);
                if !is_receiver {
                    index += 1;
                }
            }
            if names.is_empty() && !is_receiver {
                index += 1;
            }
        }
    }
    // Named results are variables.
    let results = node.field("result").filter(|at| at.kind() == "parameter_list");
    for item in results.into_iter().flat_map(named) {
        let mut cursor = item.walk();
        let names: Vec<Node<'t>> = item.children_by_field_name("name", &mut cursor).collect();
        for name in names {
            let text = scan.text_of(name);
            scan.add(name, Action::Bind(text, Source::Typed("")));
        }
    }
}

/// The types that a file declares: `value` if a copy shares only what its fields refer to, `channel`, or
/// empty for slices, maps and pointers. Types about which nothing is known are missing.
pub(super) fn types<'t>(text: &'t str, root: Node<'t>) -> Map<&'t str, &'static str> {
    let text_of = |node: Node<'t>| text.get(node.byte_range()).unwrap_or_default();
    let mut types = Map::default();
    for spec in named(root).filter(|at| at.kind() == "type_declaration").flat_map(named) {
        let (Some(name), Some(kind)) = (spec.field("name"), spec.field("type")) else {
            continue;
        };
        let found = match kind.kind() {
            // The fields of an embedded type can belong to a pointer.
            "struct_type" => {
                let fields = named(kind).flat_map(named);
                let mut fields = fields.filter(|at| at.kind() == "field_declaration");
                let is_plain = fields.all(|at| at.field("name").is_some());
                is_plain.then_some("value")
            }
            "array_type" => Some("value"),
            "slice_type" | "map_type" | "pointer_type" => Some(""),
            "channel_type" => Some("channel"),
            _ if SCALARS.contains(&text_of(kind)) => Some("value"),
            _ => None,
        };
        if let Some(found) = found {
            types.insert(text_of(name), found);
        }
    }
    types
}

/// The parameter with this type.
fn of_type<'t>(scan: &Scan<'t>, name: &'t str, node: Option<Node<'t>>, bit: u64) -> Parameter<'t> {
    let text = node.map_or("", |node| scan.text_of(node));
    let kind = node.map_or("", |node| kind_of(scan, node));
    let (own, inner, kind) = match node.map(|node| node.kind()) {
        _ if SCALARS.contains(&text) => (0, 0, kind),
        _ if text == "any" => (bit, bit, ""),
        Some("array_type") => (0, bit, "value"),
        Some("type_identifier") if kind.is_empty() => match scan.types.get(text) {
            Some(&"value") => (0, bit, "value"),
            Some(kind) => (bit, bit, *kind),
            None => (UNKNOWN, bit, ""),
        },
        Some("struct_type") => (0, bit, "value"),
        _ => (bit, bit, kind),
    };
    Parameter { name, own, inner, kind, shared: false, exclusive: false, shared_default: false }
}

/// One level of an expression.
pub(super) fn expr<'t>(scan: &Scan<'t>, node: Node<'t>) -> Expr<'t> {
    let field = |name: &str| node.field(name);
    match node.kind() {
        "identifier" | "type_identifier" | "package_identifier" => match scan.text_of(node) {
            "nil" | "true" | "false" | "iota" => Expr::Scalar("number"),
            name => Expr::Name(name),
        },
        "selector_expression" => match (field("operand"), field("field")) {
            (Some(object), Some(name)) => Expr::Member(object, name),
            _ => Expr::Unknown,
        },
        "qualified_type" => match (field("package"), field("name")) {
            (Some(object), Some(name)) => Expr::Member(object, name),
            _ => Expr::Unknown,
        },
        "index_expression" => field("operand").map_or(Expr::Unknown, Expr::Index),
        "type_instantiation_expression" => Expr::Either(named(node).take(1).collect()),
        "slice_expression" => field("operand").map_or(Expr::Unknown, Expr::Part),
        "call_expression" => {
            let Some(function) = field("function") else { return Expr::Unknown };
            let argument = |node: Node<'t>| match node.kind() {
                "variadic_argument" => {
                    Argument { node: named(node).next().unwrap_or(node), is_named: false }
                }
                _ => Argument { node, is_named: false },
            };
            let arguments = field("arguments").into_iter().flat_map(named).map(argument).collect();
            Expr::Call(Rc::new(Call { function, arguments, is_new: false }))
        }
        "type_conversion_expression" => Expr::Either(field("operand").into_iter().collect()),
        "interpreted_string_literal" | "raw_string_literal" => Expr::Scalar("string"),
        "int_literal" | "float_literal" | "rune_literal" | "imaginary_literal" | "true"
        | "false" | "nil" | "binary_expression" => Expr::Scalar("number"),
        "unary_expression" => {
            let operator = field("operator").map_or("", |operator| operator.kind());
            match (operator, field("operand")) {
                ("&", Some(inner)) => Expr::Either([inner].into()),
                ("*", Some(inner)) => Expr::Copy(inner),
                ("<-", _) => Expr::Unknown,
                _ => Expr::Scalar("number"),
            }
        }
        "composite_literal" => {
            let kind = field("type").map_or("", |kind| kind_of(scan, kind));
            Expr::Fresh(kind, field("body").into_iter().flat_map(named).collect())
        }
        "keyed_element" => Expr::Either(named(node).skip(1).collect()),
        "literal_value" => Expr::Fresh("", named(node).collect()),
        "literal_element"
        | "parenthesized_expression"
        | "type_assertion_expression"
        | "expression_list" => Expr::Either(named(node).take(1).collect()),
        "func_literal" => Expr::Closure,
        _ => Expr::Unknown,
    }
}
