//! The outline of C#.

use super::build::{Build, child_of, named, wanted_kinds};
use super::csharp_values::{annotation, type_refs, value};
use super::{Chain, Kind, RefKind, Root, Step};
use crate::fields::Fields as _;
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "array_creation_expression",
    "as_expression",
    "attribute",
    "cast_expression",
    "catch_declaration",
    "class_declaration",
    "conditional_access_expression",
    "constructor_declaration",
    "constructor_initializer",
    "declaration_expression",
    "declaration_pattern",
    "default_expression",
    "delegate_declaration",
    "destructor_declaration",
    "enum_declaration",
    "enum_member_declaration",
    "event_field_declaration",
    "field_declaration",
    "foreach_statement",
    "implicit_object_creation_expression",
    "interface_declaration",
    "invocation_expression",
    "is_expression",
    "lambda_expression",
    "local_declaration_statement",
    "local_function_statement",
    "method_declaration",
    "object_creation_expression",
    "operator_declaration",
    "primary_constructor_base_type",
    "property_declaration",
    "record_declaration",
    "recursive_pattern",
    "struct_declaration",
    "type_argument_list",
    "type_parameter_constraint",
    "type_pattern",
    "typeof_expression",
    "using_statement",
];

/// Attributes of test methods.
const TESTS: &[&str] = &["Fact", "Theory", "Test", "TestCase", "TestMethod", "DataTestMethod"];

pub(super) fn wanted() -> &'static [bool] {
    static WANTED_KINDS: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::CSharp, WANTED));
    &WANTED_KINDS
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "struct_declaration"
        | "record_declaration"
        | "enum_declaration" => class(build, node),
        "delegate_declaration" => {
            let Some(name) = node.field("name") else { return };
            let exported = is_exported(build, node);
            let doc = build.doc_before(node);
            if let Some(at) = build.add(Kind::Type, name, node) {
                let symbol = build.symbol(at);
                symbol.exported = exported;
                symbol.doc = doc;
            }
        }
        "enum_member_declaration" => {
            let Some(name) = node.field("name") else { return };
            let class = build.enclosing_class();
            if let (Some(at), Some(class)) = (build.add(Kind::Variant, name, node), class) {
                let class = build.out.symbols[class as usize].name.clone();
                build.symbol(at).value = Some(Chain::name(&class).then(Step::Instance));
                build.symbol(at).exported = true;
            }
        }
        "method_declaration"
        | "constructor_declaration"
        | "destructor_declaration"
        | "operator_declaration"
        | "local_function_statement" => function(build, node),
        "property_declaration" => property(build, node),
        "field_declaration" | "event_field_declaration" => variables(build, node, true),
        "local_declaration_statement" | "using_statement" => variables(build, node, false),
        "lambda_expression" => {
            build.open(node, None, true);
            match node.field("parameters") {
                Some(list) if list.kind() == "parameter_list" => {
                    parameters(build, list);
                }
                Some(name) => {
                    let text = build.text_of(name);
                    build.local(text, Chain::of(Root::Unknown), name);
                }
                None => {}
            }
        }
        "foreach_statement" => {
            let (Some(name), Some(list)) = (node.field("left"), node.field("right")) else {
                return;
            };
            let kind = node.field("type");
            let chain = match kind {
                Some(kind) if kind.kind() != "implicit_type" => annotation(build, kind, 0),
                _ => value(build, list, 0).then(Step::Element),
            };
            if name.kind() == "identifier" {
                let text = build.text_of(name);
                build.local(text, chain, name);
            }
        }
        "catch_declaration" | "declaration_pattern" | "declaration_expression" => {
            let kind = node.field("type");
            if let (Some(kind), Some(name)) = (kind, node.field("name")) {
                let text = build.text_of(name);
                let chain = annotation(build, kind, 0);
                build.local(text, chain, name);
                type_refs(build, kind);
            }
        }
        "invocation_expression" => call(build, node),
        "array_creation_expression"
        | "cast_expression"
        | "default_expression"
        | "recursive_pattern"
        | "type_parameter_constraint"
        | "type_pattern"
        | "typeof_expression" => {
            if let Some(kind) = node.field("type") {
                type_refs(build, kind);
            }
        }
        "as_expression" | "is_expression" => {
            if let Some(kind) = node.field("right") {
                type_refs(build, kind);
            }
        }
        "type_argument_list" => type_refs(build, node),
        "conditional_access_expression" => {
            let binding = child_of(node, &["member_binding_expression"]);
            let receiver = node.field("condition").map(|at| value(build, at, 0));
            let binding = binding.filter(|at| !build.done.contains(&at.end_byte()));
            if let (Some(name), Some(receiver)) =
                (binding.and_then(|at| at.field("name")), receiver)
            {
                build.refer(RefKind::Value, plain_name(name), Some(receiver), 255);
            }
        }
        "object_creation_expression" => {
            let Some(kind) = node.field("type") else { return };
            let count = build.count(node.field("arguments"));
            new(build, kind, count);
        }
        "primary_constructor_base_type" => {
            let Some(kind) = node.field("type") else { return };
            new(build, kind, 255);
        }
        "constructor_initializer" => {
            let is_base = build.text_of(node).trim_start_matches([':', ' ']).starts_with("base");
            let count = build.count(child_of(node, &["argument_list"]));
            let root = if is_base { Root::Super } else { Root::Instance };
            build.refer_to(RefKind::Call, ".ctor", node, Some(Chain::of(root)), count);
        }
        "attribute" => {
            let Some(name) = node.field("name") else { return };
            if name.kind() == "identifier" {
                let text = build.text_of(name);
                build.marks.test |= TESTS.contains(&text);
                build.refer(RefKind::Decorates, name, None, 255);
            }
        }
        _ => {}
    }
}

/// Whether a declaration has the word among its modifiers.
fn has_modifier(build: &Build<'_>, node: Node<'_>, word: &str) -> bool {
    named(node).any(|child| child.kind() == "modifier" && build.text_of(child) == word)
}

fn is_exported(build: &Build<'_>, node: Node<'_>) -> bool {
    has_modifier(build, node, "public")
        || has_modifier(build, node, "internal")
        || build.parent_kind() == Some(Kind::Interface)
}

fn new(build: &mut Build<'_>, kind: Node<'_>, count: u8) {
    let (name, receiver) = match kind.kind() {
        "generic_name" => (named(kind).next().unwrap_or(kind), None),
        "qualified_name" => {
            let Some(name) = kind.field("name") else { return };
            let scope = kind.field("qualifier").map(|at| value(build, at, 0));
            (name, scope)
        }
        "identifier" => (kind, None),
        _ => return,
    };
    build.refer(RefKind::New, name, receiver, count);
    type_refs(build, kind);
}

/// The name of a possibly generic name.
fn plain_name(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "generic_name" => named(node).next().unwrap_or(node),
        _ => node,
    }
}

fn call(build: &mut Build<'_>, node: Node<'_>) {
    let Some(function) = node.field("function") else { return };
    let count = build.count(node.field("arguments"));
    match function.kind() {
        "identifier" | "generic_name" => {
            let name = plain_name(function);
            if build.text_of(name) == "nameof" {
                return;
            }
            type_refs_of_generic(build, function);
            build.refer(RefKind::Call, name, None, count);
        }
        "member_access_expression" => {
            let Some(name) = function.field("name") else { return };
            let receiver = function
                .field("expression")
                .map_or(Chain::of(Root::Unknown), |at| value(build, at, 0));
            type_refs_of_generic(build, name);
            build.refer(RefKind::Call, plain_name(name), Some(receiver), count);
        }
        "conditional_access_expression" => {
            let receiver = function
                .field("condition")
                .map_or(Chain::of(Root::Unknown), |at| value(build, at, 0));
            let binding = child_of(function, &["member_binding_expression"]);
            build.done.extend(binding.map(|at| at.end_byte()));
            if let Some(name) = binding.and_then(|at| at.field("name")) {
                build.refer(RefKind::Call, plain_name(name), Some(receiver), count);
            }
        }
        "member_binding_expression" => {
            if let Some(name) = function.field("name") {
                let receiver = Chain::of(Root::Unknown);
                build.refer(RefKind::Call, plain_name(name), Some(receiver), count);
            }
        }
        _ => {}
    }
}

fn type_refs_of_generic(build: &mut Build<'_>, name: Node<'_>) {
    if let Some(list) = child_of(name, &["type_argument_list"]) {
        type_refs(build, list);
    }
}

fn class<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let kind = match node.kind() {
        "interface_declaration" => Kind::Interface,
        "struct_declaration" => Kind::Struct,
        "enum_declaration" => Kind::Enum,
        _ => Kind::Class,
    };
    let exported = is_exported(build, node);
    let doc = build.doc_before(node);
    build.marks = Default::default();
    let symbol = build.add(kind, name, node);
    let mut bases = Vec::new();
    if kind != Kind::Enum
        && let Some(list) = child_of(node, &["base_list"])
    {
        for (index, base) in named(list).enumerate() {
            let base = match base.kind() {
                "primary_constructor_base_type" => base.field("type").unwrap_or(base),
                "argument_list" => continue,
                _ => base,
            };
            let reference = match (kind, index) {
                (Kind::Class, 0) if !build.text_of(base).starts_with('I') => RefKind::Extends,
                (Kind::Interface, _) => RefKind::Extends,
                _ => RefKind::Implements,
            };
            let name = plain_name(base);
            match name.kind() {
                "identifier" => build.refer(reference, name, None, 255),
                "qualified_name" => {
                    let scope = name.field("qualifier");
                    let scope = scope.map(|at| value(build, at, 0));
                    if let Some(name) = name.field("name") {
                        build.refer(reference, plain_name(name), scope, 255);
                    }
                }
                _ => continue,
            }
            type_refs_of_generic(build, base);
            bases.push(value(build, base, 0));
        }
    }
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.bases = bases;
        symbol.exported = exported;
        symbol.doc = doc;
    }
    build.open(node, symbol, false);
    // The parameters of a primary constructor are visible in the whole type.
    if let (Some(at), Some(list)) = (symbol, child_of(node, &["parameter_list"])) {
        for parameter in named(list).filter(|at| at.kind() == "parameter") {
            let kind = parameter.field("type");
            let name = parameter.field("name");
            if let (Some(kind), Some(name)) = (kind, name) {
                type_refs(build, kind);
                let chain = annotation(build, kind, 0);
                let text = build.text_of(name);
                build.field(at, text, chain);
            }
        }
    }
}

fn parameters<'t>(build: &mut Build<'t>, list: Node<'t>) -> (Vec<String>, (u8, u8), bool) {
    let (mut names, mut least, mut most, mut extension) = (Vec::new(), 0_u8, 0_u8, false);
    // `params` belongs to the list, not to a parameter of its own.
    if child_of(list, &["params"]).is_some() || build.text_of(list).contains("params ") {
        most = 255;
    }
    for parameter in named(list).filter(|at| at.kind() == "parameter") {
        let Some(name) = parameter.field("name") else { continue };
        let kind = parameter.field("type");
        let chain = kind.map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind, 0));
        if let Some(kind) = kind {
            type_refs(build, kind);
        }
        extension |= names.is_empty() && has_modifier(build, parameter, "this");
        let text = build.text_of(name);
        names.push(text.to_owned());
        build.local(text, chain, name);
        most = most.saturating_add(1);
        if !build.text_of(parameter).contains('=') {
            least = least.saturating_add(1);
        }
    }
    (names, (if most == 255 { 0 } else { least }, most), extension)
}

fn function<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let is_operator = node.kind() == "operator_declaration";
    let name = if is_operator { node.field("operator") } else { node.field("name") };
    let Some(name) = name else { return };
    let exported = is_exported(build, node);
    let kind =
        if node.kind() == "local_function_statement" { Kind::Function } else { Kind::Method };
    let result = node.field("returns").or_else(|| node.field("type"));
    let text = result.map(|at| build.text_of(at).to_owned());
    let chain = match (node.kind(), result) {
        ("constructor_declaration", _) => Chain::of(Root::Instance),
        (_, Some(result)) => annotation(build, result, 0),
        _ => Chain::of(Root::Unknown),
    };
    let doc = build.doc_before(node);
    build.marks.test |= named(node).filter(|at| at.kind() == "attribute_list").any(|list| {
        named(list).any(|at| build.field_text(at, "name").is_some_and(|name| TESTS.contains(&name)))
    });
    let symbol = if node.kind() == "destructor_declaration" {
        let text = format!("~{}", build.text_of(name));
        build.add_named(kind, &text, name, node)
    } else if is_operator {
        let text = format!("operator {}", build.text_of(name));
        build.add_named(kind, &text, name, node)
    } else {
        build.add(kind, name, node)
    };
    if let Some(result) = result {
        type_refs(build, result);
    }
    build.open(node, symbol, true);
    let list = node.field("parameters");
    let (names, mut arity, extension) =
        list.map_or_else(|| (Vec::new(), (0, 255), false), |list| parameters(build, list));
    if extension {
        // The receiver of a call is the first argument.
        arity = (arity.0.saturating_sub(1), arity.1);
    }
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.value = Some(chain);
        symbol.return_type = text;
        symbol.parameters = names;
        symbol.arity = arity;
        symbol.extension = extension;
        symbol.exported = exported;
        symbol.doc = doc;
    }
}

fn property<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let (Some(name), Some(kind)) = (node.field("name"), node.field("type")) else {
        return;
    };
    let exported = is_exported(build, node);
    let chain = annotation(build, kind, 0);
    let doc = build.doc_before(node);
    let symbol = build.add(Kind::Field, name, node);
    type_refs(build, kind);
    if let Some(at) = symbol {
        let text = build.text_of(kind).to_owned();
        let symbol = build.symbol(at);
        symbol.value = Some(chain);
        symbol.return_type = Some(text);
        symbol.exported = exported;
        symbol.doc = doc;
    }
    build.open(node, symbol, true);
}

/// The declared variables of a field or local declaration.
fn variables<'t>(build: &mut Build<'t>, node: Node<'t>, is_field: bool) {
    let Some(declaration) = child_of(node, &["variable_declaration"]) else { return };
    let Some(kind) = declaration.field("type") else { return };
    let is_inferred = kind.kind() == "implicit_type" || build.text_of(kind) == "var";
    let exported = is_field && is_exported(build, node);
    let is_event = node.kind() == "event_field_declaration";
    if !is_inferred {
        type_refs(build, kind);
    }
    let declarators: Vec<Node<'t>> =
        named(declaration).filter(|at| at.kind() == "variable_declarator").collect();
    for declarator in declarators {
        let Some(name) = declarator.field("name") else { continue };
        let initial = named(declarator).filter(|at| at.id() != name.id()).last();
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
            symbol.callable = is_event;
        }
    }
}
