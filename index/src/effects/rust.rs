//! Rust as events.

use super::scan::{Action, Argument, Call, Expr, Grammar, Parameter, Scan, Source, kinds, named};
use super::{RECEIVER, UNKNOWN, Variability, parameter};
use crate::fields::Fields as _;
use crate::outline::build::has_child;
use ast_grep_language::SupportLang;
use std::rc::Rc;
use std::sync::LazyLock;
use tree_sitter::Node;

const BRANCHES: &[&str] =
    &["for_expression", "if_expression", "loop_expression", "match_expression", "while_expression"];
const FUNCTIONS: &[&str] = &["closure_expression", "function_item"];
const WANTED: &[&str] = &[
    "array_expression",
    "assignment_expression",
    "attribute_item",
    "call_expression",
    "compound_assignment_expr",
    "field_declaration",
    "identifier",
    "let_condition",
    "let_declaration",
    "macro_definition",
    "macro_invocation",
    "match_arm",
    "parameters",
    "shorthand_field_identifier",
    "static_item",
    "struct_expression",
    "tuple_expression",
    "type_arguments",
    "use_declaration",
];
/// Parts of the names of types that can be changed through a shared reference.
const INTERIOR: &[&str] =
    &["Atomic", "Cell", "Mutex", "OnceLock", "Receiver", "RwLock", "Sender", "UnsafeCell"];

pub(super) fn grammar() -> Grammar {
    static KINDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        kinds(SupportLang::Rust, BRANCHES, FUNCTIONS, WANTED, &["string_literal"])
    });
    Grammar { kinds: &KINDS, visit }
}

fn visit<'t>(scan: &mut Scan<'t>, node: Node<'t>, _: Option<&str>) -> bool {
    let field = |name: &str| node.field(name);
    match node.kind() {
        "function_item" => {
            scan.skipped.extend(field("name").map(|name| name.id()));
            function(scan, node);
        }
        "closure_expression" => {
            let list = field("parameters");
            for (at, item) in list.into_iter().flat_map(named).enumerate() {
                let pattern = item.field("pattern").unwrap_or(item);
                let mut names = Vec::new();
                pattern_names(pattern, &mut names, 0);
                for name in names {
                    scan.skipped.insert(name.id());
                    let text = scan.text_of(name);
                    scan.current().closures.push((text, at, node));
                    scan.current().bound.insert(text);
                }
            }
        }
        "parameters" | "attribute_item" | "macro_definition" | "type_arguments"
        | "use_declaration" => return false,
        "field_declaration" => {
            if let (Some(name), Some(kind)) = (field("name"), field("type")) {
                let kind = annotation(scan, kind);
                let text = scan.text_of(name);
                scan.field(text, kind);
            }
        }
        "static_item" => {
            is_static_changed(scan, node);
            scan.skipped.extend(field("name").map(|name| name.id()));
        }
        "let_declaration" | "let_condition" => {
            if let Some(pattern) = field("pattern") {
                let value = field("value");
                let kind = field("type").map_or("", |kind| annotation(scan, kind));
                let source = match (value, kind) {
                    (Some(value), _) => Source::Value(value),
                    (None, kind) => Source::Typed(kind),
                };
                bind(scan, pattern, source);
            }
        }
        "for_expression" => {
            if let (Some(pattern), Some(value)) = (field("pattern"), field("value")) {
                bind(scan, pattern, Source::Element(value));
                scan.add(node, Action::Iterate(value));
            }
        }
        "array_expression" | "tuple_expression" => {
            for part in named(node) {
                scan.add(part, Action::Move(part));
            }
        }
        "struct_expression" => {
            for part in field("body").into_iter().flat_map(named) {
                let value = part.field("value").or_else(|| named(part).last());
                if let Some(value) = value {
                    scan.add(part, Action::Move(value));
                }
            }
        }
        "match_expression" => {
            if let Some(value) = field("value") {
                scan.matched.push((node.end_byte(), value));
            }
        }
        "match_arm" => {
            let at = node.start_byte();
            while scan.matched.last().is_some_and(|(end, _)| *end <= at) {
                scan.matched.pop();
            }
            let source = scan.matched.last().map_or(Source::Unknown, |(_, v)| Source::Element(*v));
            if let Some(pattern) = field("pattern") {
                bind(scan, pattern, source);
            }
        }
        "assignment_expression" | "compound_assignment_expr" => {
            let right = field("right").map_or(Source::Unknown, Source::Value);
            let source = match node.kind() {
                "assignment_expression" => right,
                _ => Source::Typed("number"),
            };
            if let Some(left) = field("left") {
                assign(scan, left, source);
            }
        }
        "call_expression" => {
            if let Expr::Call(call) = scan.expr(node) {
                scan.add(node, Action::Call(call));
            }
        }
        "macro_invocation" => invocation(scan, node),
        "identifier" | "shorthand_field_identifier" => {
            let name = scan.text_of(node);
            scan.add(node, Action::Read(name));
        }
        _ => {}
    }
    true
}

/// Notes a static that functions can change.
fn is_static_changed(scan: &mut Scan<'_>, node: Node<'_>) {
    let kind = node.field("type").map_or("", |kind| scan.text_of(kind));
    let is_changed = has_child(node, "mutable_specifier")
        || INTERIOR.iter().any(|name| kind.contains(name)) && !kind.starts_with("OnceLock");
    let is_lazy = ["Lazy", "OnceLock", "OnceCell"].iter().any(|name| kind.contains(name));
    let Some(name) = node.field("name") else { return };
    let at = u32::try_from(name.start_byte()).unwrap_or(u32::MAX);
    let symbol = scan.outline.symbols.iter().position(|symbol| symbol.at.offset == at);
    if let Some(symbol) = symbol.and_then(|at| u32::try_from(at).ok()) {
        // A lazy value is constant if its initial value is created without effects.
        let initial = node.field("value").map_or("", |value| scan.text_of(value));
        let initial = initial.split_once("||").map_or("", |(_, body)| body.trim_start());
        let path = initial.split('(').next().unwrap_or_default();
        let state = match (is_changed, is_lazy) {
            (true, _) => Variability::Changed,
            (_, true) if scan.table.effects(path, Some(1)) != Some(0) => Variability::Unchanged,
            _ => Variability::Constant,
        };
        scan.changing.push((symbol, state));
    }
}

/// The names that a pattern binds.
fn pattern_names<'t>(node: Node<'t>, names: &mut Vec<Node<'t>>, depth: usize) {
    if depth > 12 {
        return;
    }
    match node.kind() {
        "identifier" | "shorthand_field_identifier" => names.push(node),
        "scoped_identifier" | "type_identifier" | "field_identifier" | "match_pattern_guard" => {}
        "tuple_struct_pattern" | "struct_pattern" => {
            let kind = node.field("type").map(|kind| kind.id());
            for inner in named(node).filter(|inner| Some(inner.id()) != kind) {
                pattern_names(inner, names, depth + 1);
            }
        }
        "match_pattern" => {
            let condition = node.field("condition").map(|at| at.id());
            for inner in named(node).filter(|inner| Some(inner.id()) != condition) {
                pattern_names(inner, names, depth + 1);
            }
        }
        "field_pattern" => match node.field("pattern") {
            Some(pattern) => pattern_names(pattern, names, depth + 1),
            None => {
                for inner in named(node) {
                    pattern_names(inner, names, depth + 1);
                }
            }
        },
        _ => {
            for inner in named(node) {
                pattern_names(inner, names, depth + 1);
            }
        }
    }
}

fn bind<'t>(scan: &mut Scan<'t>, pattern: Node<'t>, source: Source<'t>) {
    let mut names = Vec::new();
    pattern_names(pattern, &mut names, 0);
    let is_whole = matches!(pattern.kind(), "identifier" | "mut_pattern");
    let source = match source {
        Source::Value(value) if !is_whole => Source::Element(value),
        other => other,
    };
    for name in names {
        let text = scan.text_of(name);
        scan.skipped.insert(name.id());
        // Constants and variants without a path are not variables.
        if !text.starts_with(|c: char| c.is_uppercase()) {
            scan.add(name, Action::Bind(text, source));
        }
    }
}

fn assign<'t>(scan: &mut Scan<'t>, node: Node<'t>, source: Source<'t>) {
    match node.kind() {
        "identifier" => {
            let name = scan.text_of(node);
            scan.add(node, Action::Assign(name, source, false));
        }
        "field_expression" => {
            if let Some(object) = node.field("value") {
                scan.add(node, Action::Write(object, false, source));
            }
        }
        "index_expression" | "unary_expression" => {
            if let Some(object) = named(node).next() {
                scan.add(node, Action::Write(object, true, source));
            }
        }
        "parenthesized_expression" | "tuple_expression" => {
            for inner in named(node) {
                assign(scan, inner, Source::Unknown);
            }
        }
        "scoped_identifier" => scan.add(node, Action::Write(node, false, source)),
        _ => {}
    }
}

fn function<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    if !scan.is_own() {
        return;
    }
    let mut index = 0;
    for item in node.field("parameters").into_iter().flat_map(named) {
        if item.kind() == "self_parameter" {
            let text = scan.text_of(item);
            let is_changed = text.contains('&') && text.contains("mut");
            let is_value = !text.contains('&');
            let own = if is_value { 0 } else { RECEIVER };
            scan.current().parameters.push(Parameter {
                name: "self",
                own,
                inner: own,
                kind: "",
                shared: !is_changed,
                exclusive: is_changed,
                shared_default: false,
            });
            continue;
        }
        let kind = item.field("type");
        let text = kind.map_or("", |kind| scan.text_of(kind));
        let bit = parameter(index);
        index += 1;
        let is_changed = text.contains("&mut ")
            || text.contains(" mut ")
            || text.starts_with("*mut")
            || text.contains("'_ mut ");
        let is_open = text.starts_with("impl ") && !text.starts_with("impl Fn")
            || text.contains("dyn ")
            || text.len() == 1;
        let is_interior = INTERIOR.iter().any(|name| text.contains(name))
            || text.contains("Rc<")
            || text.contains("Arc<");
        let is_function = text.contains("Fn(") || text.contains("FnMut(") || text.contains("fn(");
        let is_reference = text.starts_with('&') || is_function;
        let own = if is_changed || is_open || is_interior || is_reference { bit } else { 0 };
        let Some(pattern) = item.field("pattern") else { continue };
        let mut names = Vec::new();
        pattern_names(pattern, &mut names, 0);
        let kind = kind.map_or("", |kind| annotation(scan, kind));
        for name in names {
            let name = scan.text_of(name);
            scan.current().bound.insert(name);
            scan.current().parameters.push(Parameter {
                name,
                own,
                inner: own,
                kind,
                shared: !is_changed && !is_open,
                exclusive: is_changed,
                shared_default: false,
            });
        }
    }
    scan.current().bound.insert("self");
}

/// The built-in type in an annotation; empty if it is none.
fn annotation(scan: &Scan<'_>, node: Node<'_>) -> &'static str {
    let text = scan.text_of(node).trim_start_matches('&').trim();
    let text = text.trim_start_matches("mut ").trim();
    let head = text.split('<').next().unwrap_or(text).trim();
    let head = if head.starts_with('[') { "Vec" } else { head };
    scan.table.annotation(head.rsplit("::").next().unwrap_or(head)).unwrap_or_default()
}

/// The calls in the arguments of a macro, which the grammar reads as tokens.
fn invocation<'t>(scan: &mut Scan<'t>, node: Node<'t>) {
    let Some(name) = node.field("macro") else { return };
    let text = format!("{}!", scan.text_of(name));
    let is_vec = text == "vec!";
    scan.skipped.insert(name.id());
    let tokens = named(node).find(|at| at.kind() == "token_tree");
    let is_writing = matches!(&*text, "write!" | "writeln!");
    if is_writing
        && let Some(target) = tokens.and_then(|tokens| named(tokens).next())
        && matches!(target.kind(), "identifier" | "self")
    {
        scan.add(target, Action::Write(target, true, Source::Typed("")));
    } else if is_writing {
        scan.add(node, Action::Direct(UNKNOWN));
    } else {
        scan.add(node, Action::Named(text));
    }
    for part in tokens.into_iter().filter(|_| is_vec).flat_map(named) {
        scan.add(part, Action::Move(part));
    }
    if let Some(tokens) = tokens {
        calls_in(scan, tokens, 0);
    }
}

fn calls_in<'t>(scan: &mut Scan<'t>, tokens: Node<'t>, depth: usize) {
    if depth > 24 {
        return;
    }
    let mut cursor = tokens.walk();
    let all: Vec<Node<'t>> = tokens.children(&mut cursor).collect();
    for (at, token) in all.iter().enumerate() {
        if token.kind() != "token_tree" {
            continue;
        }
        calls_in(scan, *token, depth + 1);
        let is_call = scan.text_of(*token).starts_with('(');
        let Some(before) = at.checked_sub(1).and_then(|at| all.get(at)) else { continue };
        let kind = |back: usize| at.checked_sub(back).and_then(|at| all.get(at)).map(Node::kind);
        match before.kind() {
            "!" => {
                if let Some(name) = at.checked_sub(2).and_then(|at| all.get(at)) {
                    let text = format!("{}!", scan.text_of(*name));
                    scan.add(*name, Action::Named(text));
                }
            }
            "identifier" if is_call => {
                let mut path = scan.text_of(*before).to_owned();
                let mut back = 2;
                if kind(back) == Some(".") {
                    path.insert(0, '.');
                } else {
                    while kind(back) == Some("::")
                        && let Some(outer) = at.checked_sub(back + 1).and_then(|at| all.get(at))
                    {
                        path = format!("{}::{path}", scan.text_of(*outer));
                        back += 2;
                    }
                }
                scan.add(*before, Action::Named(path));
            }
            ">" if is_call => scan.add(*before, Action::Direct(UNKNOWN)),
            _ => {}
        }
    }
}

/// Whether an expression passes on an exclusive reference, if its value is one. What is read through
/// `*` or `&` is a copy or a shared reference.
pub(super) fn is_passed(node: Node<'_>) -> bool {
    match node.kind() {
        "reference_expression" => has_child(node, "mutable_specifier"),
        "unary_expression" | "index_expression" => false,
        _ => true,
    }
}

/// One level of an expression.
pub(super) fn expr<'t>(scan: &Scan<'t>, node: Node<'t>) -> Expr<'t> {
    let field = |name: &str| node.field(name);
    match node.kind() {
        "self" => Expr::Name("self"),
        "identifier"
        | "type_identifier"
        | "crate"
        | "super"
        | "metavariable"
        | "shorthand_field_identifier"
        | "primitive_type" => Expr::Name(scan.text_of(node)),
        "scoped_identifier" | "scoped_type_identifier" => match (field("path"), field("name")) {
            (Some(path), Some(name)) => Expr::Member(path, name),
            (None, Some(name)) => Expr::Name(scan.text_of(name)),
            _ => Expr::Unknown,
        },
        "field_expression" => match (field("value"), field("field")) {
            (Some(object), Some(name)) => Expr::Member(object, name),
            _ => Expr::Unknown,
        },
        "generic_function" => Expr::Either(field("function").into_iter().collect()),
        "generic_type" | "generic_type_with_turbofish" => {
            Expr::Either(field("type").into_iter().collect())
        }
        "bracketed_type" => Expr::Either(named(node).take(1).collect()),
        "index_expression" => named(node).next().map_or(Expr::Unknown, Expr::Index),
        "call_expression" => {
            let Some(function) = field("function") else { return Expr::Unknown };
            let arguments = field("arguments").into_iter().flat_map(named);
            let arguments = arguments.map(|node| Argument { node, is_named: false }).collect();
            Expr::Call(Rc::new(Call { function, arguments, is_new: false }))
        }
        "string_literal" | "raw_string_literal" => Expr::Scalar("str"),
        "integer_literal"
        | "float_literal"
        | "boolean_literal"
        | "char_literal"
        | "binary_expression"
        | "unit_expression"
        | "type_cast_expression"
        | "range_expression" => Expr::Scalar("number"),
        "unary_expression" => Expr::Either(named(node).take(1).collect()),
        "macro_invocation" => {
            let name = field("macro").map_or("", |name| scan.text_of(name));
            match name {
                "format" => Expr::Fresh("String", Rc::default()),
                "vec" => Expr::Fresh("Vec", Rc::default()),
                _ => Expr::Unknown,
            }
        }
        "array_expression" | "tuple_expression" => Expr::Fresh("", named(node).collect()),
        "struct_expression" => Expr::Fresh("", field("body").into_iter().flat_map(named).collect()),
        "field_initializer" => Expr::Either(field("value").into_iter().collect()),
        "shorthand_field_initializer"
        | "base_field_initializer"
        | "parenthesized_expression"
        | "try_expression"
        | "await_expression" => Expr::Either(named(node).take(1).collect()),
        "reference_expression" => Expr::Either(field("value").into_iter().collect()),
        "if_expression" => Expr::Either(
            [field("consequence"), field("alternative")].into_iter().flatten().collect(),
        ),
        "else_clause" | "unsafe_block" => Expr::Either(named(node).take(1).collect()),
        "block" => Expr::Either(named(node).last().into_iter().collect()),
        "match_expression" => Expr::Either(field("body").into_iter().collect()),
        "match_block" => Expr::Either(named(node).collect()),
        "match_arm" => Expr::Either(field("value").into_iter().collect()),
        "closure_expression" => Expr::Closure,
        _ => Expr::Unknown,
    }
}
