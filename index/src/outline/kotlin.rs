//! The outline of Kotlin. Its grammar names few fields, so the parts of a node are found by kind.

use super::build::{Build, child_of, has_child, named, wanted_kinds};
use super::kotlin_values::{annotation, is_type, type_name, value};
use super::{Chain, Kind, RefKind, Root, Step};
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "annotation",
    "anonymous_function",
    "call_expression",
    "callable_reference",
    "catch_block",
    "class_declaration",
    "companion_object",
    "constructor_invocation",
    "enum_entry",
    "for_statement",
    "function_declaration",
    "infix_expression",
    "lambda_literal",
    "object_declaration",
    "object_literal",
    "property_declaration",
    "secondary_constructor",
    "type_alias",
    "user_type",
];

pub(super) fn wanted() -> &'static [bool] {
    static WANTED_KINDS: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::Kotlin, WANTED));
    &WANTED_KINDS
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    match node.kind() {
        "class_declaration" | "object_declaration" => class(build, node),
        "companion_object" => {
            // The members of a companion are members of its class.
            match child_of(node, &["type_identifier"]) {
                Some(_) => class(build, node),
                None => build.open(node, None, false),
            }
        }
        "object_literal" => build.open(node, None, false),
        "enum_entry" => {
            let Some(name) = child_of(node, &["simple_identifier"]) else { return };
            let class = build.enclosing_class();
            if let (Some(at), Some(class)) = (build.add(Kind::Variant, name, node), class) {
                let class = build.out.symbols[class as usize].name.clone();
                build.symbol(at).value = Some(Chain::name(&class).then(Step::Instance));
                build.symbol(at).exported = true;
            }
        }
        "type_alias" => {
            let Some(name) = child_of(node, &["type_identifier"]) else { return };
            let kind = named(node).filter(|at| is_type(*at)).last();
            if let Some(at) = build.add(Kind::Type, name, node) {
                build.symbol(at).value = kind.map(|kind| annotation(build, kind, 0));
                build.symbol(at).exported = is_exported(build, node);
            }
        }
        "function_declaration" => function(build, node),
        "secondary_constructor" => constructor(build, node),
        "anonymous_function" => {
            build.open(node, None, true);
            if let Some(list) = child_of(node, &["function_value_parameters"]) {
                parameters(build, list);
            }
        }
        "lambda_literal" => {
            build.open(node, None, true);
            let list = child_of(node, &["lambda_parameters"]);
            let names: Vec<Node<'t>> = list.into_iter().flat_map(named).collect();
            if names.is_empty() {
                build.local("it", Chain::of(Root::Unknown), node);
            }
            names.into_iter().for_each(|at| declare(build, at, Chain::of(Root::Unknown)));
        }
        "property_declaration" => property(build, node),
        "for_statement" => {
            let mut parts = named(node).filter(|at| at.kind() != "annotation");
            let (Some(name), Some(list)) = (parts.next(), parts.next()) else { return };
            let chain = value(build, list, 0).then(Step::Element);
            declare(build, name, chain);
        }
        "catch_block" => {
            let kind = named(node).find(|at| is_type(*at));
            if let (Some(name), Some(kind)) = (child_of(node, &["simple_identifier"]), kind) {
                let chain = annotation(build, kind, 0);
                let text = build.text_of(name);
                build.local(text, chain, name);
            }
        }
        "call_expression" => call(build, node),
        "infix_expression" => {
            let mut parts = named(node);
            let (Some(object), Some(name)) = (parts.next(), parts.next()) else { return };
            if name.kind() == "simple_identifier" {
                let receiver = value(build, object, 0);
                build.refer(RefKind::Call, name, Some(receiver), 1);
            }
        }
        "callable_reference" => {
            if let Some(name) = named(node).last() {
                let receiver = named(node).next().filter(|at| at.id() != name.id());
                let receiver = receiver.map(|at| Chain::name(build.text_of(at)));
                build.refer(RefKind::Use, name, receiver, 255);
            }
        }
        "constructor_invocation" => {
            let Some(kind) = child_of(node, &["user_type"]) else { return };
            let Some(name) = type_name(kind) else { return };
            let is_annotation = node.parent().is_some_and(|at| at.kind() == "annotation");
            if is_annotation {
                return;
            }
            build.done.insert(kind.start_byte());
            build.refer(RefKind::Extends, name, None, 255);
        }
        "annotation" => {
            let kind = child_of(node, &["user_type"]).or_else(|| {
                child_of(node, &["constructor_invocation"])
                    .and_then(|at| child_of(at, &["user_type"]))
            });
            if let Some((kind, name)) = kind.and_then(|kind| Some((kind, type_name(kind)?))) {
                let text = build.text_of(name);
                build.marks.test |= matches!(text, "Test" | "ParameterizedTest" | "RepeatedTest");
                build.done.insert(kind.start_byte());
                build.refer(RefKind::Decorates, name, None, 255);
            }
        }
        "user_type" if !build.done.remove(&node.start_byte()) => {
            if let Some(name) = type_name(node) {
                let scope = named(node)
                    .find(|at| at.kind() == "type_identifier")
                    .filter(|at| at.id() != name.id());
                let scope = scope.map(|at| Chain::name(build.text_of(at)));
                build.refer(RefKind::Type, name, scope, 255);
            }
        }
        _ => {}
    }
}

fn is_exported(build: &Build<'_>, node: Node<'_>) -> bool {
    let modifiers = child_of(node, &["modifiers"]).map(|at| build.text_of(at)).unwrap_or_default();
    !modifiers.split_whitespace().any(|word| matches!(word, "private" | "protected"))
}

/// Adds the variables that a pattern declares.
fn declare<'t>(build: &mut Build<'t>, node: Node<'t>, chain: Chain) {
    match node.kind() {
        "variable_declaration" => {
            let kind = named(node).find(|at| is_type(*at));
            let chain = kind.map_or(chain, |kind| annotation(build, kind, 0));
            if let Some(name) = child_of(node, &["simple_identifier"]) {
                let text = build.text_of(name);
                build.local(text, chain, name);
            }
        }
        "multi_variable_declaration" => {
            let parts: Vec<Node<'t>> = named(node).collect();
            for part in parts.into_iter().filter(|at| at.kind() == "variable_declaration") {
                declare(build, part, Chain::of(Root::Unknown));
            }
        }
        _ => {}
    }
}

fn class<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = child_of(node, &["type_identifier"]) else { return };
    let kind = if has_child(node, "interface") {
        Kind::Interface
    } else if has_child(node, "enum") || child_of(node, &["enum_class_body"]).is_some() {
        Kind::Enum
    } else {
        Kind::Class
    };
    let exported = is_exported(build, node);
    let doc = build.doc_before(node);
    build.marks = Default::default();
    let symbol = build.add(kind, name, node);
    let mut bases = Vec::new();
    let clauses: Vec<Node<'t>> =
        named(node).filter(|at| at.kind() == "delegation_specifier").collect();
    for clause in clauses {
        let Some(part) = named(clause).next() else { continue };
        let kind = match part.kind() {
            "user_type" => Some(part),
            _ => child_of(part, &["user_type"]),
        };
        let Some(kind) = kind else { continue };
        bases.push(value(build, kind, 0));
        if part.kind() == "user_type"
            && let Some(name) = type_name(kind)
        {
            build.done.insert(kind.start_byte());
            build.refer(RefKind::Implements, name, None, 255);
        }
    }
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.bases = bases;
        symbol.exported = exported;
        symbol.doc = doc;
    }
    build.open(node, symbol, false);
    let list = child_of(node, &["primary_constructor"]);
    if let (Some(at), Some(list)) = (symbol, list) {
        let parameters: Vec<Node<'t>> =
            named(list).filter(|at| at.kind() == "class_parameter").collect();
        for parameter in parameters {
            let kind = named(parameter).find(|at| is_type(*at));
            let name = child_of(parameter, &["simple_identifier"]);
            if let (Some(kind), Some(name)) = (kind, name) {
                let chain = annotation(build, kind, 0);
                let text = build.text_of(name);
                build.field(at, text, chain);
            }
        }
    }
}

fn parameters<'t>(build: &mut Build<'t>, list: Node<'t>) -> (Vec<String>, (u8, u8)) {
    let (mut names, mut least, mut most) = (Vec::new(), 0_u8, 0_u8);
    let is_spread = build.text_of(list).contains("vararg ");
    let mut cursor = list.walk();
    let parts: Vec<Node<'t>> = list.children(&mut cursor).collect();
    for (index, parameter) in parts.iter().enumerate() {
        if parameter.kind() != "parameter" {
            continue;
        }
        let Some(name) = child_of(*parameter, &["simple_identifier"]) else { continue };
        let kind = named(*parameter).find(|at| is_type(*at));
        let chain = kind.map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind, 0));
        let text = build.text_of(name);
        names.push(text.to_owned());
        build.local(text, chain, name);
        most = most.saturating_add(1);
        let has_default = parts.get(index + 1).is_some_and(|next| next.kind() == "=");
        if !has_default {
            least = least.saturating_add(1);
        }
    }
    (names, if is_spread { (0, 255) } else { (least, most) })
}

fn function<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = child_of(node, &["simple_identifier"]) else { return };
    let exported = is_exported(build, node);
    let doc = build.doc_before(node);
    let receiver = child_of(node, &["receiver_type"]);
    let owner = receiver.and_then(|at| named(at).find(|at| is_type(*at)));
    let owner = owner.map(|at| named(at).find(|at| at.kind() == "user_type").unwrap_or(at));
    let owner = owner.map(|at| value(build, at, 0));
    let modifiers = child_of(node, &["modifiers"]).map(|at| build.text_of(at)).unwrap_or_default();
    build.marks.test |= modifiers.split_whitespace().any(|word| word == "@Test");
    // The type after the parameters is that of the result.
    let mut is_after = false;
    let result = named(node).find(|at| {
        is_after |= at.kind() == "function_value_parameters";
        is_after && is_type(*at)
    });
    let text = result.map(|at| build.text_of(at).to_owned());
    let body = child_of(node, &["function_body"]);
    let chain = match (result, body) {
        (Some(result), _) => annotation(build, result, 0),
        (None, Some(body)) => match named(body).next() {
            Some(only) if has_child(body, "=") => value(build, only, 0),
            _ => Chain::of(Root::Literal),
        },
        _ => Chain::of(Root::Unknown),
    };
    let kind = match build.class() {
        Some(_) => Kind::Method,
        None => Kind::Function,
    };
    let is_operator = text_is_quoted(build, name);
    let symbol = match is_operator {
        Some(plain) => build.add_named(kind, plain, name, node),
        None => build.add(kind, name, node),
    };
    build.open(node, symbol, true);
    let list = child_of(node, &["function_value_parameters"]);
    let (names, arity) =
        list.map_or_else(|| (Vec::new(), (0, 255)), |list| parameters(build, list));
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.value = Some(chain);
        symbol.return_type = text;
        symbol.parameters = names;
        symbol.arity = arity;
        symbol.extension = receiver.is_some();
        symbol.owner = owner;
        symbol.exported = exported;
        symbol.doc = doc;
        symbol.body = body.map(|at| (super::build::start(at), super::build::end(at)));
    }
}

/// The name in backticks, without them.
fn text_is_quoted<'t>(build: &Build<'t>, name: Node<'_>) -> Option<&'t str> {
    build.text_of(name).strip_prefix('`')?.strip_suffix('`')
}

fn constructor<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let symbol = build.add_named(Kind::Method, "constructor", node, node);
    build.open(node, symbol, true);
    let list = child_of(node, &["function_value_parameters"]);
    if let (Some(at), Some(list)) = (symbol, list) {
        let (names, arity) = parameters(build, list);
        let symbol = build.symbol(at);
        symbol.parameters = names;
        symbol.arity = arity;
    }
}

fn property<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let declaration = child_of(node, &["variable_declaration", "multi_variable_declaration"]);
    let Some(declaration) = declaration else { return };
    let kind = named(declaration).find(|at| is_type(*at));
    let initial = named(node).find(|at| {
        at.start_byte() >= declaration.end_byte()
            && !matches!(at.kind(), "getter" | "setter" | "type_constraints" | "property_delegate")
    });
    let delegate = child_of(node, &["property_delegate"]);
    let chain = match (kind, initial, delegate) {
        (Some(kind), ..) => annotation(build, kind, 0),
        (None, Some(initial), _) => value(build, initial, 0),
        _ => Chain::of(Root::Unknown),
    };
    if build.is_in_function() {
        return declare(build, declaration, chain);
    }
    let Some(name) = child_of(declaration, &["simple_identifier"]) else { return };
    let exported = is_exported(build, node);
    let doc = build.doc_before(node);
    let kind = if build.class().is_some() { Kind::Field } else { Kind::Variable };
    let receiver = child_of(node, &["receiver_type"]);
    if let Some(at) = build.add(kind, name, node) {
        let symbol = build.symbol(at);
        symbol.value = (chain.root != Root::Unknown).then_some(chain);
        symbol.exported = exported;
        symbol.doc = doc;
        symbol.extension = receiver.is_some();
        build.open(node, Some(at), true);
    }
}

fn call<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let mut parts = named(node);
    let (Some(callee), Some(suffix)) = (parts.next(), parts.next()) else { return };
    if suffix.kind() != "call_suffix" {
        return;
    }
    let mut count = 0_u8;
    for part in named(suffix) {
        match part.kind() {
            "value_arguments" => {
                count = count.saturating_add(build.count(Some(part)));
            }
            "annotated_lambda" => count = count.saturating_add(1),
            _ => {}
        }
    }
    match callee.kind() {
        "simple_identifier" => build.refer(RefKind::Call, callee, None, count),
        "navigation_expression" => {
            let mut parts = named(callee);
            let (Some(object), Some(suffix)) = (parts.next(), parts.last()) else { return };
            let Some(name) = child_of(suffix, &["simple_identifier"]) else { return };
            let receiver = value(build, object, 0);
            build.refer(RefKind::Call, name, Some(receiver), count);
        }
        _ => {}
    }
}
