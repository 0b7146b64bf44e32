//! The outline of Python.

use super::build::{Build, end, named, sentence, start, wanted_kinds};
use super::python_values::{annotation, bind, returned, value};
use super::{Chain, Kind, RefKind, Root, Step};
use crate::fields::Fields as _;
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "argument_list",
    "assignment",
    "as_pattern",
    "call",
    "class_definition",
    "decorated_definition",
    "decorator",
    "except_clause",
    "for_in_clause",
    "for_statement",
    "function_definition",
    "keyword_argument",
    "lambda",
    "list",
    "named_expression",
    "pair",
    "return_statement",
    "type",
];

pub(super) fn wanted() -> &'static [bool] {
    static WANTED_KINDS: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::Python, WANTED));
    &WANTED_KINDS
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    match node.kind_name() {
        "class_definition" => class(build, node),
        "function_definition" => function(build, node),
        "decorated_definition" => read_decorators(build, node),
        "decorator" => {
            let Some(inner) = named(node).next() else { return };
            let target = match inner.kind_name() {
                "call" => inner.field("function"),
                _ => Some(inner),
            };
            build.done.insert(inner.id());
            if let Some(target) = target {
                refer(build, RefKind::Decorates, target, 255);
            }
        }
        "lambda" => {
            build.open(node, None, true);
            for parameter in node.field("parameters").into_iter().flat_map(named) {
                let name = parameter.field("name").unwrap_or(parameter);
                if name.kind_name() == "identifier" {
                    let name = build.text_of(parameter);
                    build.local(name, Chain::of(Root::Unknown), parameter);
                }
            }
        }
        "call" => call(build, node),
        "assignment" => assignment(build, node),
        "for_statement" | "for_in_clause" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
                return;
            };
            let element = value(build, right).then(Step::Element);
            bind(build, left, &element);
        }
        "as_pattern" => {
            let Some(whole) = named(node).next() else { return };
            let Some(target) = node.field("alias") else { return };
            // `with A() as b`: most context managers return themselves.
            let chain = match node.parent().map(|parent| parent.kind_name()) {
                Some("except_clause") => value(build, whole).then(Step::Instance),
                _ => value(build, whole).member("__enter__").then(Step::Call),
            };
            bind(build, target, &chain);
        }
        "named_expression" => {
            if let (Some(name), Some(right)) = (node.field("name"), node.field("value")) {
                let chain = value(build, right);
                bind(build, name, &chain);
            }
        }
        "type" => types(build, node),
        "argument_list" | "list" => {
            if build.done.remove(&node.id()) {
                return;
            }
            for argument in named(node) {
                pass_on(build, argument);
            }
        }
        "keyword_argument" | "pair" => {
            if let Some(inner) = node.field("value") {
                pass_on(build, inner);
            }
        }
        "return_statement" => {
            if let Some(inner) = named(node).next() {
                pass_on(build, inner);
            }
        }
        _ => {}
    }
}

fn pass_on(build: &mut Build<'_>, node: Node<'_>) {
    match node.kind_name() {
        "identifier" => build.refer(RefKind::Use, node, None, 255),
        "attribute" => refer(build, RefKind::Use, node, 255),
        _ => {}
    }
}

fn refer(build: &mut Build<'_>, kind: RefKind, target: Node<'_>, arguments: u8) {
    match target.kind_name() {
        "identifier" => build.refer(kind, target, None, arguments),
        "attribute" => {
            let (Some(object), Some(name)) = (target.field("object"), target.field("attribute"))
            else {
                return;
            };
            let receiver = value(build, object);
            build.refer(kind, name, Some(receiver), arguments);
        }
        _ => {}
    }
}

/// Adds references for the names in an annotation.
fn types(build: &mut Build<'_>, node: Node<'_>) {
    let mut remaining = vec![node];
    while let Some(node) = remaining.pop() {
        match node.kind_name() {
            "identifier" | "attribute" => refer(build, RefKind::Type, node, 255),
            "type" if remaining.len() > 1 => {}
            _ if remaining.len() < 200 => {
                remaining.extend(named(node).filter(|inner| inner.kind_name() != "type"));
            }
            _ => {}
        }
    }
}

fn read_decorators(build: &mut Build<'_>, node: Node<'_>) {
    let decorators: Vec<Node<'_>> =
        named(node).filter(|at| at.kind_name() == "decorator").collect();
    for decorator in decorators {
        let text = build.text_of(decorator).trim_start_matches('@');
        let name = text.split('(').next().unwrap_or_default().trim();
        let last = name.rsplit('.').next().unwrap_or_default();
        match last {
            "property" | "cached_property" | "hybrid_property" | "lazyproperty" | "getter" => {
                build.marks.property = true;
            }
            "staticmethod" => build.marks.is_static = true,
            "classmethod" => build.marks.is_class = true,
            "overload" => build.marks.overload = true,
            _ => {}
        }
    }
}

/// The first sentence of the string at the start of a body.
fn doc(build: &Build<'_>, node: Node<'_>) -> Option<String> {
    let first = named(node.field("body")?).next()?;
    let string = match first.kind_name() {
        "expression_statement" => named(first).next()?,
        _ => first,
    };
    if string.kind_name() != "string" {
        return None;
    }
    let text = build.text_of(string).trim_start_matches(['r', 'R', 'u', 'b', 'f']);
    sentence(text.trim_matches(['"', '\'']).lines().map(str::trim))
}

fn class<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let text = build.text_of(name);
    let symbol = build.add(Kind::Class, name, node);
    let mut bases = Vec::new();
    for base in node.field("superclasses").into_iter().flat_map(named) {
        let target = match base.kind_name() {
            "subscript" => base.field("value").unwrap_or(base),
            "identifier" | "attribute" => base,
            "keyword_argument" => continue,
            _ => {
                bases.push(Chain::of(Root::Unknown));
                continue;
            }
        };
        refer(build, RefKind::Extends, target, 255);
        bases.push(value(build, target));
    }
    if let Some(superclasses) = node.field("superclasses") {
        build.done.insert(superclasses.id());
    }
    let is_nested_exported =
        build.parent().is_none_or(|at| build.out.symbols[at as usize].exported);
    if let Some(at) = symbol {
        let doc = doc(build, node);
        let is_test = text.starts_with("Test") && is_test_path(build.path);
        let symbol = build.symbol(at);
        symbol.bases = bases;
        symbol.doc = doc;
        symbol.test |= is_test;
        symbol.exported = is_nested_exported && !text.starts_with('_');
    }
    build.open(node, symbol, false);
}

fn is_test_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_") || name.ends_with("_test.py") || path.split('/').any(|p| p == "tests")
}

fn function<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let text = build.text_of(name);
    let class = build.class();
    let marks = build.marks.clone();
    let kind = if class.is_some() { Kind::Method } else { Kind::Function };
    let is_exported = build.parent().is_none_or(|at| build.out.symbols[at as usize].exported)
        && !build.is_in_function();
    let symbol = build.add(kind, name, node);
    let result = match node.field("return_type") {
        Some(kind) => Some(annotation(build, kind)),
        None => returned(build, node),
    };
    let return_type = build.field_text(node, "return_type").map(str::to_owned);
    let doc = doc(build, node);
    build.open(node, symbol, true);
    let mut names = Vec::new();
    let (mut least, mut most) = (0_u8, 0_u8);
    let parameters: Vec<Node<'t>> = node.field("parameters").into_iter().flat_map(named).collect();
    for (index, parameter) in parameters.into_iter().enumerate() {
        let (name, chain) = match parameter.kind_name() {
            "identifier" => (Some(parameter), Chain::of(Root::Unknown)),
            "typed_parameter" => {
                let inner = named(parameter).next();
                let splat = inner.is_some_and(|inner| inner.kind_name().ends_with("splat_pattern"));
                let name = if splat { inner.and_then(|i| named(i).next()) } else { inner };
                let kind = parameter.field("type");
                let chain = match kind {
                    Some(kind) if !splat => annotation(build, kind),
                    _ => Chain::of(Root::Literal),
                };
                (name, chain)
            }
            "default_parameter" => {
                let initial = parameter.field("value");
                let chain = initial.map(|initial| value(build, initial));
                let chain = chain.filter(|chain| chain.root != Root::Literal);
                (parameter.field("name"), chain.unwrap_or(Chain::of(Root::Unknown)))
            }
            "typed_default_parameter" => {
                let kind = parameter.field("type");
                let chain = kind.map_or(Chain::of(Root::Unknown), |kind| annotation(build, kind));
                (parameter.field("name"), chain)
            }
            "list_splat_pattern" | "dictionary_splat_pattern" => {
                most = 255;
                (named(parameter).next(), Chain::of(Root::Literal))
            }
            _ => (None, Chain::of(Root::Unknown)),
        };
        let Some(name) = name else { continue };
        let is_receiver = index == 0 && class.is_some() && !marks.is_static;
        let chain = match (is_receiver, marks.is_class || text == "__new__") {
            (true, true) => Chain::of(Root::Class),
            (true, false) => Chain::of(Root::Instance),
            _ => chain,
        };
        if !is_receiver && most != 255 {
            most += 1;
            if !parameter.kind_name().contains("default") {
                least = most;
            }
        }
        let name_text = build.text_of(name);
        names.push(name_text.to_owned());
        build.local(name_text, chain, name);
    }
    let Some(at) = symbol else { return };
    let symbol = build.symbol(at);
    symbol.arity = (least, most);
    symbol.parameters = names;
    symbol.return_type = return_type;
    symbol.value = result;
    symbol.doc = doc;
    symbol.test |= text.starts_with("test");
    symbol.exported = is_exported && (!text.starts_with('_') || text.ends_with("__"));
}

fn call<'t>(build: &mut Build<'t>, node: Node<'t>) {
    if build.done.remove(&node.id()) {
        return;
    }
    let Some(target) = node.field("function") else { return };
    if build.text_of(target) == "super" {
        return;
    }
    let arguments = node.field("arguments");
    let count = match arguments {
        Some(list) if list.kind_name() == "argument_list" => build.count(arguments),
        _ => 255,
    };
    refer(build, RefKind::Call, target, count);
}

fn assignment<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(left) = node.field("left") else { return };
    let right = node.field("right");
    let kind = node.field("type");
    let chain = match (kind, right) {
        (Some(kind), _) => annotation(build, kind),
        (None, Some(right)) => value(build, right),
        _ => Chain::of(Root::Unknown),
    };
    if let Some(right) = right {
        pass_on(build, right);
    }
    match left.kind_name() {
        "attribute" => {
            let is_own = left
                .field("object")
                .is_some_and(|object| matches!(build.text_of(object), "self" | "cls"));
            let name = build.field_text(left, "attribute");
            if let (true, Some(class), Some(name)) = (is_own, build.enclosing_class(), name) {
                build.field(class, name, chain);
            }
        }
        "identifier" if !build.is_in_function() => {
            let name = build.text_of(left);
            let class = build.class();
            let is_known = build
                .out
                .symbols
                .iter()
                .rev()
                .take(400)
                .any(|symbol| symbol.parent == class && symbol.name == name);
            if is_known {
                return;
            }
            let is_constant = !name.chars().any(char::is_lowercase);
            let symbol_kind = match class {
                Some(_) => Kind::Field,
                None if is_constant => Kind::Constant,
                None => Kind::Variable,
            };
            let Some(at) = build.add(symbol_kind, left, node) else { return };
            let symbol = build.symbol(at);
            symbol.body = right.map(|right| (start(right), end(right)));
            symbol.exported = !name.starts_with('_');
            let is_alias = chain.root != Root::Literal && chain.root != Root::Unknown;
            symbol.value = is_alias.then_some(chain);
        }
        _ if build.is_in_function() => bind(build, left, &chain),
        _ => {
            for name in named(left).filter(|name| name.kind_name() == "identifier") {
                if build.class().is_none()
                    && let Some(at) = build.add(Kind::Variable, name, node)
                {
                    build.symbol(at).exported = true;
                }
            }
        }
    }
}
