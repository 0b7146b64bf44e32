//! The outline of JavaScript and TypeScript.

use super::build::{Build, child_of, has_child, named, wanted_kinds};
use super::script_members::{function, method, options, pair, property, variable};
use super::script_values::{annotation, bind, is_function, value};
use super::{Chain, Kind, RefKind, Root, Step};
use crate::fields::Fields as _;
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "abstract_class_declaration",
    "abstract_method_signature",
    "arguments",
    "array",
    "arrow_function",
    "assignment_expression",
    "call_expression",
    "catch_clause",
    "class",
    "class_declaration",
    "decorator",
    "enum_declaration",
    "export_specifier",
    "export_statement",
    "field_definition",
    "for_in_statement",
    "function_declaration",
    "function_expression",
    "function_signature",
    "generator_function",
    "generator_function_declaration",
    "import_statement",
    "interface_declaration",
    "internal_module",
    "jsx_expression",
    "jsx_opening_element",
    "jsx_self_closing_element",
    "method_definition",
    "method_signature",
    "module",
    "new_expression",
    "pair",
    "property_signature",
    "public_field_definition",
    "return_statement",
    "shorthand_property_identifier",
    "type_alias_declaration",
    "type_identifier",
    "variable_declarator",
];

pub(super) fn wanted(language: SupportLang) -> &'static [bool] {
    static JAVASCRIPT: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::JavaScript, WANTED));
    static TYPESCRIPT: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::TypeScript, WANTED));
    static TSX: LazyLock<Vec<bool>> = LazyLock::new(|| wanted_kinds(SupportLang::Tsx, WANTED));
    match language {
        SupportLang::JavaScript => &JAVASCRIPT,
        SupportLang::TypeScript => &TYPESCRIPT,
        _ => &TSX,
    }
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    if build.done.remove(&node.start_byte()) && node.kind_name() == "type_identifier" {
        return;
    }
    match node.kind_name() {
        "export_statement" => export(build, node),
        "export_specifier" => {}
        "import_statement" => {
            for name in named(node).take(2) {
                build.done.insert(name.start_byte());
            }
        }
        "class_declaration" | "abstract_class_declaration" | "class" => class(build, node),
        "interface_declaration" => interface(build, node),
        "enum_declaration" => enumeration(build, node),
        "internal_module" | "module" => {
            let Some(name) = node.field("name") else { return };
            let symbol = match name.kind_name() {
                "string" => None,
                _ => build.add(Kind::Module, name, node),
            };
            set_exported(build, symbol, node);
            build.open(node, symbol, false);
        }
        "type_alias_declaration" => {
            let Some(name) = node.field("name") else { return };
            let Some(symbol) = build.add(Kind::Type, name, node) else { return };
            set_exported(build, Some(symbol), node);
            if let Some(aliased) = node.field("value") {
                if matches!(aliased.kind_name(), "object_type" | "intersection_type") {
                    build.open(node, Some(symbol), false);
                }
                let value = annotation(build, aliased);
                build.symbol(symbol).value = Some(value);
            }
        }
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            let Some(name) = node.field("name") else { return };
            let symbol = build.add(Kind::Function, name, node);
            set_exported(build, symbol, node);
            function(build, node, symbol);
        }
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            method(build, node);
        }
        "public_field_definition" | "field_definition" | "property_signature" => {
            property(build, node);
        }
        "variable_declarator" => variable(build, node),
        "arrow_function" | "function_expression" | "generator_function"
            if !build.done.remove(&node.id()) =>
        {
            function(build, node, None);
        }
        "pair" => pair(build, node),
        "call_expression" => call(build, node),
        "new_expression" => {
            let Some(target) = node.field("constructor") else { return };
            let count = build.count(node.field("arguments"));
            refer(build, RefKind::New, target, count);
        }
        "decorator" => {
            let Some(inner) = named(node).next() else { return };
            let target = match inner.kind_name() {
                "call_expression" => inner.field("function"),
                _ => Some(inner),
            };
            build.done.insert(inner.id());
            if let Some(target) = target {
                refer(build, RefKind::Decorates, target, 255);
            }
        }
        "jsx_opening_element" | "jsx_self_closing_element" => {
            let Some(name) = node.field("name") else { return };
            let is_component = build.text_of(name).starts_with(|c: char| c.is_uppercase());
            if is_component || name.kind_name() == "member_expression" {
                refer(build, RefKind::Use, name, 255);
            }
        }
        "type_identifier" => build.refer(RefKind::Type, node, None, 255),
        "assignment_expression" => assignment(build, node),
        "for_in_statement" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
                return;
            };
            let element = value(build, right).then(Step::Element);
            let is_of = node.field("operator").is_some_and(|at| at.kind_name() == "of");
            bind(build, left, &if is_of { element } else { Chain::of(Root::Literal) });
        }
        "catch_clause" => {
            if let Some(name) = node.field("parameter") {
                bind(build, name, &Chain::of(Root::Unknown));
            }
        }
        "shorthand_property_identifier" => build.refer(RefKind::Use, node, None, 255),
        "arguments" | "array" | "jsx_expression" | "return_statement" => {
            for argument in named(node) {
                pass_on(build, argument);
            }
        }
        _ => {}
    }
}

/// Adds a reference to a name that is used as a value.
pub(super) fn pass_on(build: &mut Build<'_>, node: Node<'_>) {
    if node.kind_name() == "identifier" {
        build.refer(RefKind::Use, node, None, 255);
    }
}

/// Adds a reference to the function or class in an expression.
fn refer(build: &mut Build<'_>, kind: RefKind, target: Node<'_>, arguments: u8) {
    let mut target = target;
    for _ in 0..8 {
        match target.kind_name() {
            // The grammar reads `await f<T>(a)` as a call of `await f`.
            "parenthesized_expression"
            | "non_null_expression"
            | "instantiation_expression"
            | "await_expression" => match named(target).next() {
                Some(inner) => target = inner,
                None => return,
            },
            _ => break,
        }
    }
    match target.kind_name() {
        "identifier" | "type_identifier" => build.refer(kind, target, None, arguments),
        "member_expression" => {
            let (Some(object), Some(name)) = (target.field("object"), target.field("property"))
            else {
                return;
            };
            let receiver = value(build, object);
            build.refer(kind, name, Some(receiver), arguments);
        }
        "super" => {
            let receiver = Chain::of(Root::Super);
            build.refer_to(kind, "constructor", target, Some(receiver), arguments);
        }
        _ => {}
    }
}

fn export<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let is_default = has_child(node, "default");
    let exported = if is_default { "default" } else { "" };
    if let Some(declaration) = node.field("declaration") {
        build.exported = Some((declaration.id(), exported));
        return;
    }
    if let Some(expression) = node.field("value") {
        if let Some((component, object)) = options(build, expression) {
            build.open(object, Some(component), false);
            return;
        }
        match expression.kind_name() {
            "identifier" => {
                let local = build.text_of(expression).to_owned();
                build.out.exports.push(("default".to_owned(), local));
                pass_on(build, expression);
            }
            _ if is_function(expression) || expression.kind_name() == "object" => {
                let kind = if is_function(expression) { Kind::Function } else { Kind::Constant };
                if expression.field("name").is_some() {
                    build.exported = Some((expression.id(), "default"));
                    return;
                }
                let symbol = build.add_named(kind, "default", expression, expression);
                if let Some(symbol) = symbol {
                    build.symbol(symbol).exported = true;
                    build.out.exports.push(("default".to_owned(), "default".to_owned()));
                }
                if is_function(expression) {
                    build.done.insert(expression.id());
                    function(build, expression, symbol);
                } else {
                    build.open(expression, symbol, false);
                }
            }
            "class" => build.exported = Some((expression.id(), "default")),
            "call_expression" => {
                let symbol = build.add_named(Kind::Constant, "default", expression, expression);
                if let Some(symbol) = symbol {
                    let chain = value(build, expression);
                    build.symbol(symbol).exported = true;
                    build.symbol(symbol).value = Some(chain);
                    build.out.exports.push(("default".to_owned(), "default".to_owned()));
                    build.open(expression, Some(symbol), true);
                }
            }
            _ => {}
        }
        return;
    }
    if node.field("source").is_some() {
        return;
    }
    if let Some(clause) = child_of(node, &["export_clause"]) {
        for specifier in named(clause) {
            let Some(name) = build.field_text(specifier, "name") else { continue };
            let alias = build.field_text(specifier, "alias").unwrap_or(name);
            build.out.exports.push((alias.to_owned(), name.to_owned()));
        }
    }
}

/// Attributes a symbol as exported if the enclosing statement exports it.
fn set_exported(build: &mut Build<'_>, symbol: Option<u32>, node: Node<'_>) {
    let Some(at) = symbol else { return };
    let doc = build.doc_before(node);
    let is_exported = build.exported.is_some_and(|(id, _)| id == node.id());
    let exported = build.exported.filter(|_| is_exported);
    let name = build.symbol(at).name.clone();
    let symbol = build.symbol(at);
    symbol.doc = doc;
    symbol.exported |= is_exported;
    if exported.is_some_and(|(_, name)| name == "default") {
        build.out.exports.push(("default".to_owned(), name));
    }
}

fn class<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let name = node.field("name");
    let symbol = match name {
        Some(name) => build.add(Kind::Class, name, node),
        None if build.exported.is_some_and(|(id, _)| id == node.id()) => {
            build.add_named(Kind::Class, "default", node, node)
        }
        None => None,
    };
    set_exported(build, symbol, node);
    let mut bases = Vec::new();
    if let Some(heritage) = child_of(node, &["class_heritage"]) {
        for part in named(heritage) {
            match part.kind_name() {
                "extends_clause" | "implements_clause" => {
                    let is_extends = part.kind_name() == "extends_clause";
                    let kind = if is_extends { RefKind::Extends } else { RefKind::Implements };
                    for base in named(part) {
                        if base.kind_name() != "type_arguments" {
                            base_type(build, base, kind, &mut bases);
                        }
                    }
                }
                _ => base_type(build, part, RefKind::Extends, &mut bases),
            }
        }
    }
    if let Some(symbol) = symbol {
        build.symbol(symbol).bases = bases;
    }
    build.open(node, symbol, false);
}

/// Adds a base type.
fn base_type<'t>(build: &mut Build<'t>, base: Node<'t>, kind: RefKind, bases: &mut Vec<Chain>) {
    let name = match base.kind_name() {
        "generic_type" => base.field("name").unwrap_or(base),
        _ => base,
    };
    build.done.insert(name.start_byte());
    let chain = match name.kind_name() {
        "type_identifier" => Chain::name(build.text_of(name)),
        "nested_type_identifier" => {
            let mut chain = annotation(build, name);
            chain.steps.pop();
            chain
        }
        _ => value(build, name),
    };
    refer(build, kind, name, 255);
    bases.push(chain);
}

fn interface<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let symbol = build.add(Kind::Interface, name, node);
    set_exported(build, symbol, node);
    let mut bases = Vec::new();
    if let Some(clause) = child_of(node, &["extends_type_clause", "extends_clause"]) {
        for base in named(clause) {
            base_type(build, base, RefKind::Extends, &mut bases);
        }
    }
    if let Some(symbol) = symbol {
        build.symbol(symbol).bases = bases;
    }
    build.open(node, symbol, false);
}

fn enumeration<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let symbol = build.add(Kind::Enum, name, node);
    set_exported(build, symbol, node);
    build.open(node, symbol, false);
    for variant in node.field("body").into_iter().flat_map(named) {
        let name = variant.field("name").unwrap_or(variant);
        if matches!(name.kind_name(), "property_identifier" | "string") {
            build.add(Kind::Variant, name, variant);
        }
    }
}

fn call<'t>(build: &mut Build<'t>, node: Node<'t>) {
    if build.done.remove(&node.id()) {
        return;
    }
    let Some(target) = node.field("function") else { return };
    let arguments = node.field("arguments");
    let name = build.text_of(target);
    if target.kind_name() == "import" || name == "require" {
        return;
    }
    let base = name.split('.').next().unwrap_or_default();
    if matches!(base, "it" | "test")
        && let Some(title) = arguments.and_then(|list| named(list).next())
        && matches!(title.kind_name(), "string" | "template_string")
    {
        let text = build.text_of(title).trim_matches(['"', '\'', '`']);
        if let Some(symbol) = build.add_named(Kind::Test, text, title, node) {
            build.symbol(symbol).test = true;
            build.open(node, Some(symbol), true);
        }
        return;
    }
    let count = build.count(arguments);
    refer(build, RefKind::Call, target, count);
}

fn assignment<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return;
    };
    pass_on(build, right);
    if left.kind_name() == "identifier" {
        let chain = value(build, right);
        let name = build.text_of(left);
        if build.out.locals.iter().rev().take(64).any(|local| local.name == name) {
            build.local(name, chain, left);
        }
        return;
    }
    if left.kind_name() != "member_expression" {
        return;
    }
    let (Some(object), Some(name)) = (left.field("object"), left.field("property")) else {
        return;
    };
    let text = build.text_of(object);
    if text == "this" {
        if let Some(class) = build.enclosing_class() {
            let chain = value(build, right);
            let name = build.text_of(name);
            build.field(class, name, chain);
        }
    } else if text == "exports" || text == "module.exports" {
        let text = build.text_of(name);
        if right.kind_name() == "identifier" {
            let local = build.text_of(right).to_owned();
            build.out.exports.push((text.to_owned(), local));
        } else if is_function(right) {
            build.done.insert(right.id());
            let symbol = build.add(Kind::Function, name, node);
            if let Some(symbol) = symbol {
                build.symbol(symbol).exported = true;
            }
            function(build, right, symbol);
        }
    } else if text == "module" && build.text_of(name) == "exports" {
        if right.kind_name() == "identifier" {
            let local = build.text_of(right).to_owned();
            build.out.exports.push(("default".to_owned(), local));
        } else if right.kind_name() == "object" {
            for part in
                named(right).filter(|part| part.kind_name() == "shorthand_property_identifier")
            {
                let local = build.text_of(part).to_owned();
                build.out.exports.push((local.clone(), local));
            }
        }
    }
}
