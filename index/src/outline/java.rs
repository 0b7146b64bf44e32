//! The outline of Java.

use super::build::{Build, child_of, named, wanted_kinds};
use super::{Chain, Kind, RefKind, Root, Step};
use crate::fields::Fields as _;
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "annotation",
    "annotation_type_declaration",
    "annotation_type_element_declaration",
    "catch_formal_parameter",
    "class_declaration",
    "compact_constructor_declaration",
    "constructor_declaration",
    "enhanced_for_statement",
    "enum_constant",
    "enum_declaration",
    "explicit_constructor_invocation",
    "field_declaration",
    "import_declaration",
    "interface_declaration",
    "lambda_expression",
    "local_variable_declaration",
    "marker_annotation",
    "method_declaration",
    "method_invocation",
    "method_reference",
    "object_creation_expression",
    "record_declaration",
    "resource",
    "scoped_type_identifier",
    "switch_label",
    "type_identifier",
    "type_pattern",
    "instanceof_expression",
];

/// Maximum nesting of an expression or type that is read.
const MAX_DEPTH: usize = 24;

pub(super) fn wanted() -> &'static [bool] {
    static WANTED_KINDS: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::Java, WANTED));
    &WANTED_KINDS
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => class(build, node),
        "enum_constant" => {
            if let Some(name) = node.field("name") {
                let class = build.enclosing_class();
                let symbol = build.add(Kind::Variant, name, node);
                if let (Some(at), Some(class)) = (symbol, class) {
                    let name = build.out.symbols[class as usize].name.clone();
                    build.symbol(at).value = Some(Chain::name(&name).then(Step::Instance));
                    build.symbol(at).exported = true;
                }
            }
        }
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => {
            function(build, node);
        }
        "lambda_expression" => {
            build.open(node, None, true);
            let Some(list) = node.field("parameters") else { return };
            if list.kind() == "identifier" {
                let name = build.text_of(list);
                build.local(name, Chain::of(Root::Unknown), list);
            } else {
                parameters(build, list);
            }
        }
        "field_declaration" | "local_variable_declaration" => variable(build, node),
        "enhanced_for_statement" | "resource" => {
            let (Some(name), Some(at)) = (node.field("name"), node.field("value")) else {
                return;
            };
            let kind = node.field("type");
            let chain = match kind {
                Some(kind) if build.text_of(kind) != "var" => annotation(build, kind, 0),
                _ if node.kind() == "resource" => value(build, at, 0),
                _ => value(build, at, 0).then(Step::Element),
            };
            let name_text = build.text_of(name);
            build.local(name_text, chain, name);
        }
        "catch_formal_parameter" | "type_pattern" | "instanceof_expression" => {
            let kinds = ["identifier", "type_identifier", "catch_type"];
            let name = node
                .field("name")
                .or_else(|| (node.kind() == "type_pattern").then(|| named(node).last()).flatten());
            let kind = node
                .field("right")
                .or_else(|| child_of(node, &kinds[1..]))
                .map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind, 0));
            if let Some(name) = name {
                let text = build.text_of(name);
                build.local(text, kind, name);
            }
        }
        "method_invocation" => {
            let Some(name) = node.field("name") else { return };
            let receiver = node.field("object").map(|at| value(build, at, 0));
            let count = build.count(node.field("arguments"));
            build.refer(RefKind::Call, name, receiver, count);
        }
        "method_reference" => {
            let mut parts = named(node);
            if let (Some(object), Some(name)) = (parts.next(), parts.last()) {
                let receiver = value(build, object, 0);
                build.refer(RefKind::Use, name, Some(receiver), 255);
            }
        }
        "explicit_constructor_invocation" => {
            let Some(target) = node.field("constructor") else { return };
            let count = build.count(node.field("arguments"));
            let root = if target.kind() == "super" { Root::Super } else { Root::Instance };
            build.refer_to(RefKind::Call, "<init>", target, Some(Chain::of(root)), count);
        }
        "object_creation_expression" => {
            let Some(kind) = node.field("type") else { return };
            let count = build.count(node.field("arguments"));
            let kind = match kind.kind() {
                "generic_type" => named(kind).next().unwrap_or(kind),
                _ => kind,
            };
            let name = match kind.kind() {
                "scoped_type_identifier" => named(kind).last().unwrap_or(kind),
                _ => kind,
            };
            build.done.insert(name.start_byte());
            let receiver = (kind.id() != name.id())
                .then(|| named(kind).next().map(|at| value(build, at, 0)))
                .flatten();
            build.refer(RefKind::New, name, receiver, count);
            if child_of(node, &["class_body"]).is_some() {
                build.open(node, None, false);
            }
        }
        "annotation" | "marker_annotation" => {
            if let Some(name) = node.field("name") {
                let is_test = matches!(
                    build.text_of(name),
                    "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory"
                );
                build.marks.test |= is_test;
                if name.kind() == "identifier" {
                    build.refer(RefKind::Decorates, name, None, 255);
                }
            }
        }
        "scoped_type_identifier" => {
            let mut parts = named(node);
            let (Some(scope), Some(name)) = (parts.next(), parts.last()) else { return };
            if build.done.insert(name.start_byte()) {
                let scope = value(build, scope, 0);
                build.refer(RefKind::Type, name, Some(scope), 255);
            }
        }
        "switch_label" => {
            // The constant of an enumeration is found in the type of the value.
            let switch = node.parent().and_then(|at| at.parent()).and_then(|at| at.parent());
            let Some(at) = switch.and_then(|at| at.field("condition")) else { return };
            let receiver = value(build, at, 0);
            if receiver.root != Root::Unknown {
                for name in named(node).filter(|at| at.kind() == "identifier") {
                    build.refer(RefKind::Value, name, Some(receiver.clone()), 255);
                }
            }
        }
        "type_identifier" if !build.done.remove(&node.start_byte()) => {
            build.refer(RefKind::Type, node, None, 255);
        }
        _ => {}
    }
}

fn has_word(build: &Build<'_>, node: Node<'_>, word: &str) -> bool {
    child_of(node, &["modifiers"])
        .is_some_and(|at| build.text_of(at).split_whitespace().any(|part| part == word))
}

fn class<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let kind = match node.kind() {
        "interface_declaration" | "annotation_type_declaration" => Kind::Interface,
        "enum_declaration" => Kind::Enum,
        "record_declaration" => Kind::Struct,
        _ => Kind::Class,
    };
    let exported = has_word(build, node, "public") || build.parent_kind() == Some(Kind::Interface);
    let doc = build.doc_before(node);
    build.marks = Default::default();
    let symbol = build.add(kind, name, node);
    let mut bases = Vec::new();
    for (clause, kind) in [
        ("superclass", RefKind::Extends),
        ("interfaces", RefKind::Implements),
        ("extends_interfaces", RefKind::Extends),
    ] {
        let found = node.field(clause).or_else(|| child_of(node, &[clause]));
        let mut remaining: Vec<Node<'t>> = found.into_iter().flat_map(named).collect();
        while let Some(base) = remaining.pop() {
            match base.kind() {
                "type_list" | "interface_type_list" if remaining.len() < 100 => {
                    remaining.extend(named(base));
                }
                "generic_type" => remaining.extend(named(base).next()),
                "type_identifier" => {
                    build.done.insert(base.start_byte());
                    build.refer(kind, base, None, 255);
                    bases.push(Chain::name(build.text_of(base)));
                }
                "scoped_type_identifier" => {
                    bases.push(value(build, base, 0));
                    let mut parts = named(base);
                    if let (Some(scope), Some(name)) = (parts.next(), parts.last()) {
                        build.done.insert(name.start_byte());
                        let scope = value(build, scope, 0);
                        build.refer(kind, name, Some(scope), 255);
                    }
                }
                _ => {}
            }
        }
    }
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.bases = bases;
        symbol.exported = exported;
        symbol.doc = doc;
    }
    build.open(node, symbol, false);
    if let (Some(at), Some(list)) = (symbol, node.field("parameters")) {
        for parameter in named(list) {
            let kind = parameter.field("type");
            let name = build.field_text(parameter, "name");
            if let (Some(kind), Some(name)) = (kind, name) {
                let chain = annotation(build, kind, 0);
                build.field(at, name, chain);
            }
        }
    }
}

fn parameters<'t>(build: &mut Build<'t>, list: Node<'t>) -> (Vec<String>, (u8, u8)) {
    let (mut names, mut count, mut spread) = (Vec::new(), 0_u8, false);
    for parameter in named(list) {
        let kind = parameter.field("type");
        let mut chain = kind.map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind, 0));
        let name = match parameter.kind() {
            "identifier" => Some(parameter),
            "spread_parameter" => {
                spread = true;
                chain = Chain::of(Root::Unknown);
                child_of(parameter, &["variable_declarator"]).and_then(|at| at.field("name"))
            }
            "formal_parameter" => parameter.field("name"),
            _ => None,
        };
        let Some(name) = name else { continue };
        count = count.saturating_add(1);
        let text = build.text_of(name);
        names.push(text.to_owned());
        build.local(text, chain, name);
    }
    (names, if spread { (count.saturating_sub(1), 255) } else { (count, count) })
}

fn function<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let is_in_interface = build.parent_kind() == Some(Kind::Interface);
    let exported = has_word(build, node, "public") || is_in_interface;
    let text = build.field_text(node, "type").map(str::to_owned);
    let doc = build.doc_before(node);
    let modifiers = child_of(node, &["modifiers"]).map(|at| build.text_of(at)).unwrap_or_default();
    let is_test = ["@Test", "@ParameterizedTest", "@RepeatedTest"]
        .iter()
        .any(|mark| modifiers.split_whitespace().any(|word| word.split('(').next() == Some(*mark)));
    build.marks.test = is_test;
    let symbol = build.add(Kind::Method, name, node);
    let chain = match node.kind() {
        "method_declaration" | "annotation_type_element_declaration" => {
            node.field("type").map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind, 0))
        }
        _ => Chain::of(Root::Instance),
    };
    build.open(node, symbol, true);
    let list = node.field("parameters");
    let (names, arity) =
        list.map_or_else(|| (Vec::new(), (0, 255)), |list| parameters(build, list));
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.value = Some(chain);
        symbol.return_type = text;
        symbol.parameters = names;
        symbol.arity = arity;
        symbol.exported = exported;
        symbol.doc = doc;
    }
}

fn variable<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(kind) = node.field("type") else { return };
    let is_field = node.kind() == "field_declaration";
    let exported = has_word(build, node, "public");
    let is_inferred = build.text_of(kind) == "var";
    let declarators: Vec<Node<'t>> =
        named(node).filter(|at| at.kind() == "variable_declarator").collect();
    for declarator in declarators {
        let Some(name) = declarator.field("name") else { continue };
        let initial = declarator.field("value");
        let chain = match initial {
            Some(initial) if is_inferred => value(build, initial, 0),
            _ => annotation(build, kind, 0),
        };
        if !is_field {
            let text = build.text_of(name);
            build.local(text, chain, name);
        } else if let Some(at) = build.add(Kind::Field, name, node) {
            let symbol = build.symbol(at);
            symbol.value = Some(chain);
            symbol.exported = exported;
        }
    }
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
        "identifier" | "type_identifier" => Chain::name(build.text_of(node)),
        "this" => Chain::of(Root::Instance),
        "super" => Chain::of(Root::Super),
        "field_access" => match node.field("field") {
            Some(name) if name.kind() == "this" => Chain::of(Root::Instance),
            Some(name) => inner("object").member(build.text_of(name)),
            None => unknown(),
        },
        "scoped_identifier" | "scoped_type_identifier" => {
            let mut parts = named(node);
            let (Some(scope), Some(name)) = (parts.next(), parts.last()) else { return unknown() };
            value(build, scope, depth + 1).member(build.text_of(name))
        }
        "method_invocation" => {
            let name = build.field_text(node, "name").unwrap_or_default();
            match node.field("object") {
                Some(object) => value(build, object, depth + 1).member(name).then(Step::Call),
                None => Chain::name(name).then(Step::Call),
            }
        }
        "object_creation_expression" | "cast_expression" => {
            node.field("type").map_or_else(unknown, |kind| annotation(build, kind, depth + 1))
        }
        "array_access" => inner("array").then(Step::Element),
        "parenthesized_expression" => {
            named(node).next().map_or_else(unknown, |at| value(build, at, depth + 1))
        }
        "string_literal"
        | "decimal_integer_literal"
        | "true"
        | "false"
        | "character_literal"
        | "class_literal"
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
        "type_identifier" | "scoped_type_identifier" => {
            value(build, node, depth + 1).then(Step::Instance)
        }
        "generic_type" => {
            let mut parts = named(node);
            let Some(name) = parts.next() else { return unknown() };
            let argument = parts.next().and_then(|list| named(list).next());
            let is_list = matches!(
                build.text_of(name),
                "List" | "Set" | "Collection" | "Iterable" | "Stream" | "ArrayList" | "Flux"
            );
            match argument {
                Some(argument) if is_list => {
                    Chain::of(Root::List(Box::new(annotation(build, argument, depth + 1))))
                }
                _ => annotation(build, name, depth + 1),
            }
        }
        "array_type" => {
            let element = node.field("element");
            Chain::of(Root::List(Box::new(
                element.map_or_else(unknown, |at| annotation(build, at, depth + 1)),
            )))
        }
        "integral_type" | "floating_point_type" | "boolean_type" | "void_type" => {
            Chain::of(Root::Literal)
        }
        _ => unknown(),
    }
}
