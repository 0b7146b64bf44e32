//! The outline of Rust.

use super::build::{Build, child_of, named, start, wanted_kinds};
use super::rust_values::{annotation, bind, value};
use super::{Chain, Kind, RefKind, Root, Step};
use crate::fields::Fields as _;
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "arguments",
    "attribute_item",
    "call_expression",
    "closure_expression",
    "const_item",
    "enum_item",
    "enum_variant",
    "field_declaration",
    "field_initializer",
    "for_expression",
    "function_item",
    "function_signature_item",
    "impl_item",
    "let_declaration",
    "let_condition",
    "macro_definition",
    "macro_invocation",
    "match_arm",
    "mod_item",
    "static_item",
    "struct_expression",
    "struct_item",
    "trait_item",
    "type_identifier",
    "type_item",
    "union_item",
    "use_declaration",
];

pub(super) fn wanted() -> &'static [bool] {
    static WANTED_KINDS: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::Rust, WANTED));
    &WANTED_KINDS
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    match node.kind() {
        "attribute_item" => {
            let text = build.text_of(node);
            let inner = text.trim_start_matches("#[").trim_end_matches(']').trim();
            let name = inner.split(['(', ' ', '=']).next().unwrap_or_default();
            let last = name.rsplit("::").next().unwrap_or_default();
            build.marks.test |= last == "test" || last == "bench" || inner == "cfg(test)";
            build.marks.exported |= inner.starts_with("macro_export");
        }
        "use_declaration" => skip_types(build, node),
        "mod_item" => {
            let Some(name) = node.field("name") else { return };
            if node.field("body").is_none() {
                build.marks = Default::default();
                return;
            }
            let symbol = add(build, Kind::Module, name, node);
            build.open(node, symbol, false);
        }
        "struct_item" | "union_item" | "enum_item" | "trait_item" => item(build, node),
        "type_item" => {
            let Some(name) = node.field("name") else { return };
            let chain = node.field("type").map(|at| annotation(build, at, 0));
            if let Some(at) = add(build, Kind::Type, name, node) {
                build.symbol(at).value = chain;
            }
        }
        "const_item" | "static_item" => {
            let Some(name) = node.field("name") else { return };
            let chain = node.field("type").map(|at| annotation(build, at, 0));
            if build.text_of(name) != "_"
                && let Some(at) = add(build, Kind::Constant, name, node)
            {
                build.symbol(at).value = chain;
            }
        }
        "enum_variant" | "field_declaration" => {
            let Some(name) = node.field("name") else { return };
            let is_variant = node.kind() == "enum_variant";
            let chain = node.field("type").map(|at| annotation(build, at, 0));
            let is_parent_exported =
                build.parent().is_some_and(|at| build.out.symbols[at as usize].exported);
            let kind = if is_variant { Kind::Variant } else { Kind::Field };
            if let Some(at) = add(build, kind, name, node) {
                let symbol = build.symbol(at);
                symbol.value = chain;
                symbol.callable = is_variant;
                symbol.exported |= is_variant && is_parent_exported;
            }
        }
        "macro_definition" => {
            let Some(name) = node.field("name") else { return };
            let is_exported = build.marks.exported;
            if let Some(at) = add(build, Kind::Macro, name, node) {
                build.symbol(at).exported |= is_exported;
            }
        }
        "impl_item" => implementation(build, node),
        "function_item" | "function_signature_item" => function(build, node),
        "closure_expression" => {
            build.open(node, None, true);
            parameters(build, node);
        }
        "let_declaration" | "let_condition" => {
            let Some(pattern) = node.field("pattern") else { return };
            let chain = match (node.field("type"), node.field("value")) {
                (Some(kind), _) => annotation(build, kind, 0),
                (None, Some(at)) => value(build, at, 0),
                _ => Chain::of(Root::Unknown),
            };
            bind(build, pattern, &chain);
        }
        "for_expression" => {
            if let (Some(pattern), Some(at)) = (node.field("pattern"), node.field("value")) {
                let chain = value(build, at, 0).then(Step::Element);
                bind(build, pattern, &chain);
            }
        }
        "match_arm" => {
            if let Some(pattern) = node.field("pattern") {
                bind(build, pattern, &Chain::of(Root::Unknown));
            }
        }
        "call_expression" => {
            let Some(target) = node.field("function") else { return };
            let count = build.count(node.field("arguments"));
            refer(build, RefKind::Call, target, count);
        }
        "macro_invocation" => {
            if let Some(name) = node.field("macro") {
                refer(build, RefKind::Call, name, 255);
            }
        }
        "struct_expression" => {
            if let Some(name) = node.field("name") {
                skip_types(build, name);
                refer(build, RefKind::New, name, 255);
            }
        }
        "type_identifier" => {
            if build.done.remove(&node.start_byte()) {
                return;
            }
            let parent = node.parent().filter(|at| at.kind() == "scoped_type_identifier");
            let receiver = parent
                .and_then(|at| at.field("path"))
                .filter(|path| path.id() != node.id())
                .map(|path| value(build, path, 0));
            build.refer(RefKind::Type, node, receiver, 255);
        }
        "arguments" => {
            for argument in named(node) {
                pass_on(build, argument);
            }
        }
        "field_initializer" => {
            if let Some(inner) = node.field("value") {
                pass_on(build, inner);
            }
        }
        _ => {}
    }
}

fn pass_on(build: &mut Build<'_>, node: Node<'_>) {
    match node.kind() {
        "identifier" => build.refer(RefKind::Use, node, None, 255),
        "scoped_identifier" => refer(build, RefKind::Use, node, 255),
        _ => {}
    }
}

/// Attributes the types below a node as handled.
fn skip_types(build: &mut Build<'_>, node: Node<'_>) {
    let mut remaining = vec![node];
    while let Some(node) = remaining.pop() {
        if node.kind() == "type_identifier" {
            build.done.insert(node.start_byte());
        } else if node.kind() != "type_arguments" && remaining.len() < 1000 {
            remaining.extend(named(node));
        }
    }
}

fn add<'t>(build: &mut Build<'t>, kind: Kind, name: Node<'t>, node: Node<'t>) -> Option<u32> {
    let exported = child_of(node, &["visibility_modifier"]).is_some();
    let is_trait_item = build.parent_kind() == Some(Kind::Trait)
        || build.owner.as_ref().is_some_and(|(.., of)| *of);
    let text = build.text_of(name);
    let text = text.strip_prefix("r#").unwrap_or(text);
    let at = build.add_named(kind, text, name, node)?;
    let doc = build.doc_before(node);
    let symbol = build.symbol(at);
    symbol.exported = exported || is_trait_item;
    symbol.doc = doc;
    Some(at)
}

fn refer(build: &mut Build<'_>, kind: RefKind, target: Node<'_>, arguments: u8) {
    match target.kind() {
        "identifier" | "type_identifier" => build.refer(kind, target, None, arguments),
        "scoped_identifier" | "scoped_type_identifier" => {
            let Some(name) = target.field("name") else { return };
            let receiver =
                target.field("path").map_or(Chain::of(Root::Unknown), |path| value(build, path, 0));
            build.refer(kind, name, Some(receiver), arguments);
        }
        "field_expression" => {
            let (Some(object), Some(name)) = (target.field("value"), target.field("field")) else {
                return;
            };
            let receiver = value(build, object, 0);
            build.refer(kind, name, Some(receiver), arguments);
        }
        "generic_function" | "generic_type" | "generic_type_with_turbofish" => {
            let inner = target.field("function").or(target.field("type"));
            if let Some(inner) = inner.filter(|inner| !inner.kind().starts_with("generic")) {
                refer(build, kind, inner, arguments);
            }
        }
        _ => {}
    }
}

fn item<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let kind = match node.kind() {
        "enum_item" => Kind::Enum,
        "trait_item" => Kind::Trait,
        _ => Kind::Struct,
    };
    let Some(at) = add(build, kind, name, node) else { return };
    let bounds = node.field("bounds");
    let bases: Vec<Chain> =
        bounds.into_iter().flat_map(named).map(|base| value(build, base, 0)).collect();
    let is_callable = child_of(node, &["ordered_field_declaration_list"]).is_some();
    let symbol = build.symbol(at);
    symbol.bases = bases;
    symbol.callable = is_callable;
    let fields = child_of(node, &["ordered_field_declaration_list"]);
    let mut cursor = node.walk();
    for (index, kind) in fields
        .into_iter()
        .flat_map(|list| list.children_by_field_name("type", &mut cursor).collect::<Vec<_>>())
        .enumerate()
    {
        let chain = annotation(build, kind, 0);
        build.field(at, &index.to_string(), chain);
    }
    build.open(node, Some(at), false);
}

fn implementation<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let test = std::mem::take(&mut build.marks).test;
    let Some(kind) = node.field("type") else { return };
    let of = node.field("trait");
    let mut chain = annotation(build, kind, 0);
    if chain.steps.last() == Some(&Step::Instance) {
        chain.steps.pop();
    }
    if matches!(chain.root, Root::Unknown | Root::Literal | Root::List(_)) {
        chain = Chain::name(build.text_of(kind).split('<').next().unwrap_or_default());
    }
    if let Some(of) = of {
        skip_types(build, of);
        refer(build, RefKind::Implements, of, 255);
    }
    let end = u32::try_from(node.end_byte()).unwrap_or(u32::MAX);
    build.owner = Some((chain, end, of.is_some()));
    build.open(node, None, false);
    if test && let Some(scope) = build.scopes.last_mut() {
        scope.test = true;
    }
}

/// Opens the scope of the parameters of a function.
fn parameters<'t>(build: &mut Build<'t>, node: Node<'t>) -> Vec<String> {
    let mut names = Vec::new();
    for parameter in node.field("parameters").into_iter().flat_map(named) {
        let pattern = parameter.field("pattern").unwrap_or(parameter);
        let chain = parameter
            .field("type")
            .map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind, 0));
        names.push(build.text_of(pattern).chars().take(60).collect());
        bind(build, pattern, &chain);
    }
    names
}

fn function<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let end = start(node).offset;
    if build.owner.as_ref().is_some_and(|(_, until, _)| *until <= end) {
        build.owner = None;
    }
    // Functions in functions of an `impl` block belong to the function.
    let is_nested = build.is_in_function();
    let owner = if is_nested { build.owner.take() } else { None };
    let is_method = build.owner.is_some() || build.parent_kind() == Some(Kind::Trait);
    let kind = if is_method && !is_nested { Kind::Method } else { Kind::Function };
    let symbol = add(build, kind, name, node);
    if is_nested {
        build.owner = owner;
    }
    let return_type = node.field("return_type");
    let chain = return_type.map(|kind| annotation(build, kind, 0));
    let text = return_type.map(|kind| build.text_of(kind).to_owned());
    build.open(node, symbol, true);
    let names = parameters(build, node);
    let is_static = !names.iter().any(|name| name.ends_with("self"));
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.value = chain;
        symbol.return_type = text;
        symbol.parameters = names;
        symbol.arity.0 = u8::from(!is_static);
    }
}
