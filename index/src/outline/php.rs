//! The outline of PHP.

use super::build::{Build, child_of, named, wanted_kinds};
use super::php_values::{annotation, is_name, scoped, value};
use super::{Chain, Kind, RefKind, Root, Step};
use crate::fields::Fields as _;
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "anonymous_class",
    "anonymous_function",
    "arrow_function",
    "array_creation_expression",
    "assignment_expression",
    "attribute",
    "binary_expression",
    "catch_clause",
    "class_constant_access_expression",
    "class_declaration",
    "const_element",
    "enum_case",
    "enum_declaration",
    "foreach_statement",
    "function_call_expression",
    "function_definition",
    "interface_declaration",
    "member_access_expression",
    "member_call_expression",
    "method_declaration",
    "named_type",
    "nullsafe_member_access_expression",
    "nullsafe_member_call_expression",
    "object_creation_expression",
    "property_declaration",
    "scoped_call_expression",
    "scoped_property_access_expression",
    "trait_declaration",
    "use_declaration",
];

pub(super) fn wanted() -> &'static [bool] {
    static WANTED_KINDS: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::Php, WANTED));
    &WANTED_KINDS
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "trait_declaration"
        | "enum_declaration" => class(build, node),
        "anonymous_class" => build.open(node, None, false),
        "enum_case" => {
            let Some(name) = node.field("name") else { return };
            if let Some(at) = build.add(Kind::Variant, name, node) {
                build.symbol(at).value = Some(Chain::of(Root::Class).then(Step::Instance));
                build.symbol(at).exported = true;
            }
        }
        "const_element" => {
            let Some(name) = child_of(node, &["name"]) else { return };
            if !build.is_in_function()
                && let Some(at) = build.add(Kind::Constant, name, node)
            {
                build.symbol(at).value = Some(Chain::of(Root::Literal));
                build.symbol(at).exported = true;
            }
        }
        "function_definition" | "method_declaration" => function(build, node),
        "anonymous_function" | "arrow_function" => {
            build.open(node, None, true);
            if let Some(list) = node.field("parameters") {
                parameters(build, list);
            }
        }
        "property_declaration" => property(build, node),
        "use_declaration" => {
            let Some(class) = build.class() else { return };
            let names: Vec<Node<'t>> = named(node).filter(|at| is_name(*at)).collect();
            for name in names {
                refer_name(build, RefKind::Implements, name, 255);
                let chain = value(build, name, 0);
                build.symbol(class).bases.push(chain);
            }
        }
        "assignment_expression" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
                return;
            };
            let chain = value(build, right, 0);
            if matches!(
                left.kind(),
                "member_access_expression" | "scoped_property_access_expression"
            ) {
                // What is only assigned is not used.
                build.done.insert(left.end_byte());
            }
            match left.kind() {
                "variable_name" => {
                    let text = build.text_of(left);
                    build.local(text, chain, left);
                }
                "member_access_expression" => {
                    let object = build.field_text(left, "object");
                    let name = build.field_text(left, "name");
                    if let (Some("$this"), Some(name), Some(class)) =
                        (object, name, build.enclosing_class())
                    {
                        build.field(class, &format!("${name}"), chain);
                    }
                }
                _ => {}
            }
        }
        "foreach_statement" => {
            let mut parts = named(node);
            let (Some(list), Some(target)) = (parts.next(), parts.next()) else { return };
            let target = match target.kind() {
                "pair" => named(target).last().unwrap_or(target),
                _ => target,
            };
            if target.kind() == "variable_name" {
                let chain = value(build, list, 0).then(Step::Element);
                let text = build.text_of(target);
                build.local(text, chain, target);
            }
        }
        "catch_clause" => {
            let kind = node.field("type").and_then(|list| named(list).next());
            if let (Some(kind), Some(name)) = (kind, node.field("name")) {
                let chain = annotation(build, kind, 0);
                let text = build.text_of(name);
                build.local(text, chain, name);
            }
        }
        "function_call_expression" => {
            let Some(name) = node.field("function") else { return };
            let count = build.count(node.field("arguments"));
            if is_name(name) {
                refer_name(build, RefKind::Call, name, count);
            }
        }
        "member_call_expression" | "nullsafe_member_call_expression" => {
            let Some(name) = node.field("name") else { return };
            if name.kind() != "name" {
                return;
            }
            let receiver =
                node.field("object").map_or(Chain::of(Root::Unknown), |at| value(build, at, 0));
            let count = build.count(node.field("arguments"));
            build.refer(RefKind::Call, name, Some(receiver), count);
        }
        "scoped_call_expression" => {
            let (Some(scope), Some(name)) = (node.field("scope"), node.field("name")) else {
                return;
            };
            if name.kind() != "name" {
                return;
            }
            let receiver = value(build, scope, 0);
            if is_name(scope) {
                refer_name(build, RefKind::Type, scope, 255);
            }
            let count = build.count(node.field("arguments"));
            build.refer(RefKind::Call, name, Some(receiver), count);
        }
        "class_constant_access_expression" => {
            let mut parts = named(node);
            let (Some(scope), Some(name)) = (parts.next(), parts.next()) else { return };
            if is_name(scope) {
                refer_name(build, RefKind::Use, scope, 255);
            }
            if build.text_of(name) != "class" {
                let receiver = value(build, scope, 0);
                build.refer(RefKind::Value, name, Some(receiver), 255);
            }
        }
        "scoped_property_access_expression" => {
            let (Some(scope), Some(name)) = (node.field("scope"), node.field("name")) else {
                return;
            };
            if is_name(scope) {
                refer_name(build, RefKind::Use, scope, 255);
            }
            if !build.done.remove(&node.end_byte()) {
                let receiver = value(build, scope, 0);
                build.refer(RefKind::Value, name, Some(receiver), 255);
            }
        }
        "member_access_expression" | "nullsafe_member_access_expression" => {
            let (Some(object), Some(name)) = (node.field("object"), node.field("name")) else {
                return;
            };
            let receiver = value(build, object, 0);
            if name.kind() == "name"
                && receiver.root != Root::Unknown
                && !build.done.remove(&node.end_byte())
            {
                let text = format!("${}", build.text_of(name));
                build.refer_to(RefKind::Value, &text, name, Some(receiver), 255);
            }
        }
        "binary_expression" => {
            let is_test = build.field_text(node, "operator") == Some("instanceof");
            if let Some(name) = node.field("right").filter(|at| is_test && is_name(*at)) {
                refer_name(build, RefKind::Type, name, 255);
            }
        }
        "array_creation_expression" => method_in_array(build, node),
        "object_creation_expression" => {
            let Some(kind) = named(node).next() else { return };
            let count = build.count(child_of(node, &["arguments"]));
            if is_name(kind) {
                refer_name(build, RefKind::New, kind, count);
            }
        }
        "named_type" => {
            if let Some(name) = named(node).next() {
                refer_name(build, RefKind::Type, name, 255);
            }
        }
        "attribute" => {
            if let Some(name) = named(node).next() {
                build.marks.test |= build.text_of(name) == "Test";
                refer_name(build, RefKind::Decorates, name, 255);
            }
        }
        _ => {}
    }
}

/// Adds a reference for the method that an array such as `[Foo::class, 'run']` names.
fn method_in_array(build: &mut Build<'_>, node: Node<'_>) {
    let elements: Vec<Node<'_>> = named(node).take(3).filter_map(|at| named(at).next()).collect();
    let [object, text] = elements.as_slice() else { return };
    let receiver = match object.kind() {
        "class_constant_access_expression" => {
            let mut parts = named(*object);
            let (Some(scope), Some(name)) = (parts.next(), parts.next()) else { return };
            match build.text_of(name) {
                "class" => value(build, scope, 0),
                _ => return,
            }
        }
        "variable_name" => value(build, *object, 0),
        _ => return,
    };
    let content = child_of(*text, &["string_content"]);
    if let (true, Some(name)) = (matches!(text.kind(), "string" | "encapsed_string"), content) {
        build.refer(RefKind::Value, name, Some(receiver), 255);
    }
}

/// Adds a reference by a possibly qualified name.
fn refer_name(build: &mut Build<'_>, kind: RefKind, name: Node<'_>, count: u8) {
    let text = build.text_of(name);
    if matches!(text, "self" | "static" | "parent" | "") {
        return;
    }
    let last = match name.kind() {
        "name" => name,
        _ => named(name).last().unwrap_or(name),
    };
    let receiver = (last.id() != name.id()).then(|| {
        let scope = text.rsplit_once('\\').map_or("", |(scope, _)| scope);
        scoped(scope)
    });
    build.refer(kind, last, receiver, count);
}

fn is_exported(build: &Build<'_>, node: Node<'_>) -> bool {
    child_of(node, &["visibility_modifier"]).is_none_or(|at| build.text_of(at) == "public")
}

fn class<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let kind = match node.kind() {
        "interface_declaration" => Kind::Interface,
        "trait_declaration" => Kind::Trait,
        "enum_declaration" => Kind::Enum,
        _ => Kind::Class,
    };
    let doc = build.doc_before(node);
    build.marks = Default::default();
    let symbol = build.add(kind, name, node);
    let mut bases = Vec::new();
    for (clause, reference) in
        [("base_clause", RefKind::Extends), ("class_interface_clause", RefKind::Implements)]
    {
        let found: Vec<Node<'t>> = child_of(node, &[clause]).into_iter().flat_map(named).collect();
        for base in found.into_iter().filter(|at| is_name(*at)) {
            refer_name(build, reference, base, 255);
            bases.push(value(build, base, 0));
        }
    }
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.bases = bases;
        symbol.exported = true;
        symbol.doc = doc;
    }
    build.open(node, symbol, false);
}

fn parameters<'t>(build: &mut Build<'t>, list: Node<'t>) -> (Vec<String>, (u8, u8)) {
    let (mut names, mut least, mut most) = (Vec::new(), 0_u8, 0_u8);
    for parameter in named(list) {
        let Some(name) = parameter.field("name") else { continue };
        let kind = parameter.field("type");
        let chain = kind.map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind, 0));
        let text = build.text_of(name).trim_start_matches('&');
        names.push(text.to_owned());
        if parameter.kind() == "property_promotion_parameter"
            && let Some(class) = build.enclosing_class()
        {
            build.field(class, text, chain.clone());
        }
        if parameter.kind() == "variadic_parameter" {
            most = 255;
            build.local(text, Chain::of(Root::List(Box::new(chain))), name);
            continue;
        }
        build.local(text, chain, name);
        most = most.saturating_add(1);
        if parameter.field("default_value").is_none() {
            least = least.saturating_add(1);
        }
    }
    // PHP accepts more arguments than there are parameters.
    let _ = most;
    (names, (least, 255))
}

fn function<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let is_method = node.kind() == "method_declaration";
    let exported = !is_method || is_exported(build, node);
    let text = build.text_of(name);
    let doc = build.doc_before(node);
    let attributes = build.field_text(node, "attributes").unwrap_or_default();
    let is_test = is_method
        && (text.starts_with("test")
            || attributes.contains("Test")
            || doc.as_deref().is_some_and(|doc| doc.contains("@test")))
        && build.path.to_ascii_lowercase().contains("test");
    build.marks.test |= is_test;
    let result = node.field("return_type");
    let result_text = result.map(|at| build.text_of(at).to_owned());
    let chain = result.map_or(Chain::of(Root::Unknown), |at| annotation(build, at, 0));
    let kind = if is_method { Kind::Method } else { Kind::Function };
    let symbol = build.add(kind, name, node);
    build.open(node, symbol, true);
    let list = node.field("parameters");
    let (names, arity) =
        list.map_or_else(|| (Vec::new(), (0, 255)), |list| parameters(build, list));
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.value = Some(chain);
        symbol.return_type = result_text;
        symbol.parameters = names;
        symbol.arity = arity;
        symbol.exported = exported;
        symbol.doc = doc;
    }
}

fn property<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let exported = is_exported(build, node);
    let kind = node.field("type");
    let elements: Vec<Node<'t>> =
        named(node).filter(|at| at.kind() == "property_element").collect();
    for element in elements {
        let Some(name) = element.field("name") else { continue };
        let chain = match (kind, element.field("default_value")) {
            (Some(kind), _) => annotation(build, kind, 0),
            (None, Some(initial)) => value(build, initial, 0),
            (None, None) => Chain::of(Root::Unknown),
        };
        if let Some(at) = build.add(Kind::Field, name, node) {
            let symbol = build.symbol(at);
            symbol.value = (chain.root != Root::Unknown).then_some(chain);
            symbol.exported = exported;
        }
    }
}
