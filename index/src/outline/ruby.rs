//! The outline of Ruby.

use super::build::{Build, child_of, named, start, wanted_kinds};
use super::ruby_values::{first_symbol, is_local, methods_in, refer_symbol, value};
use super::{Chain, Kind, RefKind, Root};
use crate::fields::Fields as _;
use ast_grep_language::SupportLang;
use std::sync::LazyLock;
use tree_sitter::Node;

const WANTED: &[&str] = &[
    "assignment",
    "block",
    "block_argument",
    "call",
    "class",
    "constant",
    "do_block",
    "exception_variable",
    "identifier",
    "lambda",
    "method",
    "module",
    "operator_assignment",
    "singleton_class",
    "singleton_method",
    "super",
];

/// Maximum number of parameters that are read.
const MAX_PARAMETERS: usize = 200;

/// Methods whose first argument is the name of a method.
const NAMES_METHOD: &[&str] = &["__send__", "method", "public_send", "respond_to?", "send", "try"];

/// Methods of every object and of modules, which are no calls of methods of the project.
const KEYWORDS: &[&str] = &[
    "__method__",
    "alias_method",
    "attr_accessor",
    "attr_reader",
    "attr_writer",
    "autoload",
    "binding",
    "block_given?",
    "caller",
    "catch",
    "exit",
    "extend",
    "fail",
    "format",
    "include",
    "lambda",
    "loop",
    "module_function",
    "nil",
    "p",
    "prepend",
    "private",
    "private_class_method",
    "private_constant",
    "proc",
    "protected",
    "public",
    "puts",
    "raise",
    "rand",
    "require",
    "require_relative",
    "sleep",
    "sprintf",
    "throw",
    "warn",
];

pub(super) fn wanted() -> &'static [bool] {
    static WANTED_KINDS: LazyLock<Vec<bool>> =
        LazyLock::new(|| wanted_kinds(SupportLang::Ruby, WANTED));
    &WANTED_KINDS
}

pub(super) fn visit<'t>(build: &mut Build<'t>, node: Node<'t>) {
    match node.kind() {
        "class" | "module" => class(build, node),
        "singleton_class" => build.open(node, None, false),
        "method" | "singleton_method" => method(build, node),
        "block" | "do_block" => {
            build.open(node, None, true);
            if let Some(list) = node.field("parameters") {
                parameters(build, list);
            }
        }
        "lambda" => {
            build.open(node, None, true);
            if let Some(list) = node.field("parameters") {
                parameters(build, list);
            }
        }
        "assignment" => assignment(build, node),
        "operator_assignment" => {
            // `@a ||= Foo.new`
            if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                assign(build, left, Some(right));
            }
        }
        "exception_variable" => {
            if let Some(name) = named(node).next() {
                assign(build, name, None);
            }
        }
        "call" => call(build, node),
        "super" => {
            let Some(name) = enclosing_method(build) else { return };
            build.refer_to(RefKind::Call, &name, node, Some(Chain::of(Root::Super)), 255);
        }
        "identifier" => plain(build, node),
        "block_argument" => {
            // `&:name` calls the method of each element.
            if let Some(symbol) = child_of(node, &["simple_symbol"]) {
                let receiver = Chain::of(Root::Unknown);
                refer_symbol(build, RefKind::Call, symbol, receiver, 0);
            }
        }
        "constant" => constant(build, node),
        _ => {}
    }
}

fn enclosing_method(build: &Build<'_>) -> Option<String> {
    let symbol = build.out.symbols.get(build.parent()? as usize)?;
    symbol.kind.is_function().then(|| symbol.name.clone())
}

/// The last constant of a possibly qualified name, and the text before it.
fn last_constant<'n>(node: Node<'n>) -> (Node<'n>, Option<Node<'n>>) {
    match node.kind() {
        "scope_resolution" => (node.field("name").unwrap_or(node), node.field("scope")),
        _ => (node, None),
    }
}

fn class<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let (last, scope) = last_constant(name);
    let kind = if node.kind() == "class" { Kind::Class } else { Kind::Mixin };
    let doc = build.doc_before(node);
    let scope = scope.map(|scope| build.text_of(scope).trim_start_matches("::").to_owned());
    // The names of a qualified name are not read on their own.
    build.done.insert(name.start_byte());
    let symbol = build.add(kind, last, node);
    if let (Some(at), Some(scope)) = (symbol, scope.filter(|scope| !scope.is_empty())) {
        let symbol = build.symbol(at);
        let outer = symbol.qualified.len() - symbol.name.len();
        symbol.qualified.insert_str(outer, &format!("{scope}::"));
    }
    let mut bases = Vec::new();
    if let Some(base) = node.field("superclass").and_then(|clause| named(clause).next())
        && matches!(base.kind(), "constant" | "scope_resolution")
    {
        let (last, _) = last_constant(base);
        let receiver = receiver_of(build, base);
        build.done.insert(last.start_byte());
        build.refer(RefKind::Extends, last, receiver, 255);
        bases.push(value(build, base, 0));
    }
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        symbol.bases = bases;
        symbol.exported = true;
        symbol.doc = doc;
    }
    build.open(node, symbol, false);
}

fn receiver_of(build: &Build<'_>, node: Node<'_>) -> Option<Chain> {
    match node.kind() {
        "scope_resolution" => node.field("scope").map(|scope| value(build, scope, 0)),
        _ => None,
    }
}

fn parameters<'t>(build: &mut Build<'t>, list: Node<'t>) -> (Vec<String>, (u8, u8)) {
    let (mut names, mut least, mut most) = (Vec::new(), 0_u8, 0_u8);
    let mut pending: Vec<Node<'t>> = named(list).collect();
    pending.reverse();
    while let Some(parameter) = pending.pop() {
        if names.len() > MAX_PARAMETERS {
            break;
        }
        let name = match parameter.kind() {
            "identifier" => {
                least = least.saturating_add(1);
                most = most.saturating_add(1);
                Some(parameter)
            }
            "destructured_parameter" => {
                let mut inner: Vec<Node<'t>> = named(parameter).collect();
                inner.reverse();
                pending.extend(inner);
                None
            }
            "optional_parameter" => {
                most = most.saturating_add(1);
                parameter.field("name")
            }
            "splat_parameter" | "hash_splat_parameter" | "keyword_parameter" => {
                // Keyword arguments are counted as one argument or as several.
                most = 255;
                parameter.field("name")
            }
            _ => parameter.field("name"),
        };
        let Some(name) = name else { continue };
        let text = build.text_of(name);
        names.push(text.to_owned());
        build.done.insert(name.start_byte());
        build.local(text, Chain::of(Root::Unknown), name);
    }
    (names, (if most == 255 { 0 } else { least }, most))
}

fn method<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let doc = build.doc_before(node);
    let kind = match build.enclosing_class() {
        Some(_) => Kind::Method,
        None if node.kind() == "singleton_method" => Kind::Method,
        None => Kind::Function,
    };
    let text = build.text_of(name);
    build.marks.test |= text.starts_with("test_") && build.path.contains("test");
    let at = start(node).offset;
    let is_private = build.done.remove(&node.start_byte())
        || build.private.is_some_and(|(class, end)| build.class() == Some(class) && at < end);
    let symbol = build.add(kind, name, node);
    build.open(node, symbol, true);
    let list = node.field("parameters");
    let (names, arity) = list.map_or_else(|| (Vec::new(), (0, 0)), |list| parameters(build, list));
    let result = node.field("body").and_then(|body| match body.kind() {
        "body_statement" => named(body).filter(|at| at.kind() != "comment").last(),
        _ => Some(body),
    });
    let chain = result.map_or(Chain::of(Root::Unknown), |at| value(build, at, 0));
    if let Some(at) = symbol {
        let symbol = build.symbol(at);
        // A method that returns what it is called with says nothing about its result.
        symbol.value = (chain.root != Root::Unknown).then_some(chain);
        symbol.parameters = names;
        symbol.arity = arity;
        symbol.exported = !is_private;
        symbol.doc = doc;
    }
}

fn assignment<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let (Some(left), right) = (node.field("left"), node.field("right")) else {
        return;
    };
    if left.kind() == "left_assignment_list" {
        let targets: Vec<Node<'t>> = named(left).collect();
        targets.into_iter().for_each(|target| assign(build, target, None));
        return;
    }
    assign(build, left, right);
}

fn assign<'t>(build: &mut Build<'t>, left: Node<'t>, right: Option<Node<'t>>) {
    let chain = right.map_or(Chain::of(Root::Unknown), |right| value(build, right, 0));
    let text = build.text_of(left);
    match left.kind() {
        "identifier" => {
            build.done.insert(left.start_byte());
            build.local(text, chain, left);
        }
        "instance_variable" | "class_variable" => {
            if let Some(class) = build.enclosing_class() {
                build.field(class, text, chain);
            }
        }
        "constant" if !build.is_in_function() => {
            // `Foo = Struct.new(:a) do … end` declares a class.
            let is_class = right.is_some_and(|right| {
                matches!(build.field_text(right, "method"), Some("new" | "define"))
                    && matches!(
                        build.field_text(right, "receiver"),
                        Some("Struct" | "Data" | "Class" | "Module")
                    )
            });
            let kind = if is_class { Kind::Class } else { Kind::Constant };
            if let Some(at) = build.add(kind, left, left) {
                build.symbol(at).exported = true;
                methods_in(build, right.filter(|_| !is_class).into_iter().collect());
                build.symbol(at).value = (!is_class).then_some(chain);
                if let (true, Some(right)) = (is_class, right) {
                    build.symbol(at).end = super::build::end(right);
                    build.open(right, Some(at), false);
                }
            }
        }
        _ => {}
    }
}

/// A name without receiver and arguments is a call unless it is a variable.
fn plain(build: &mut Build<'_>, node: Node<'_>) {
    if build.done.remove(&node.start_byte()) {
        return;
    }
    let text = build.text_of(node);
    if is_local(build, node) {
        return;
    }
    match text {
        "private" => return private(build, None),
        "public" | "protected" => build.private = None,
        _ => {}
    }
    if KEYWORDS.contains(&text) {
        return;
    }
    let in_class = build.enclosing_class().is_some() || build.is_in_function();
    if in_class {
        build.refer(RefKind::Call, node, None, 0);
    }
}

fn constant(build: &mut Build<'_>, node: Node<'_>) {
    if build.done.remove(&node.start_byte()) {
        return;
    }
    let receiver = node
        .parent()
        .filter(|parent| parent.kind() == "scope_resolution")
        .filter(|parent| parent.field("name").is_some_and(|at| at.id() == node.id()))
        .and_then(|parent| receiver_of(build, parent));
    build.refer(RefKind::Use, node, receiver, 255);
}

fn call<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("method") else { return };
    let text = build.text_of(name);
    build.done.insert(name.start_byte());
    let arguments = node.field("arguments");
    let Some(receiver) = node.field("receiver") else {
        return directive(build, node, name, text, arguments);
    };
    let mut count = build.count(arguments);
    if arguments.is_none() {
        count = 0;
    }
    let chain = value(build, receiver, 0);
    if text == "new" {
        // The constant names the class that is created.
        if matches!(receiver.kind(), "constant" | "scope_resolution") {
            let (last, _) = last_constant(receiver);
            let scope = receiver_of(build, receiver);
            build.done.insert(last.start_byte());
            build.refer(RefKind::New, last, scope, 255);
        }
        return;
    }
    if NAMES_METHOD.contains(&text)
        && let Some(symbol) = first_symbol(arguments)
    {
        return refer_symbol(build, RefKind::Value, symbol, chain, 255);
    }
    build.refer(RefKind::Call, name, Some(chain), count);
}

/// `private` makes the methods after it private, or those that it names.
fn private<'t>(build: &mut Build<'t>, arguments: Option<Node<'t>>) {
    let Some(class) = build.class() else { return };
    let Some(list) = arguments else {
        let end = build.scopes.last().map_or(0, |scope| scope.end);
        build.private = Some((class, end));
        return;
    };
    for argument in named(list) {
        match argument.kind() {
            "method" | "singleton_method" => {
                build.done.insert(argument.start_byte());
            }
            "simple_symbol" => {
                let name = build.text_of(argument).trim_start_matches(':');
                let symbols = build.out.symbols.iter_mut();
                symbols
                    .filter(|symbol| symbol.parent == Some(class) && symbol.name == name)
                    .for_each(|symbol| symbol.exported = false);
            }
            _ => {}
        }
    }
}

/// A call without receiver: a declaration such as `include Foo`, a test, or a method of `self`.
fn directive<'t>(
    build: &mut Build<'t>,
    node: Node<'t>,
    name: Node<'t>,
    text: &'t str,
    arguments: Option<Node<'t>>,
) {
    let first = arguments.and_then(|list| named(list).next());
    match text {
        "include" | "extend" | "prepend" => {
            let Some(class) = build.class() else { return };
            let names: Vec<Node<'t>> = arguments.into_iter().flat_map(named).collect();
            for base in names {
                if matches!(base.kind(), "constant" | "scope_resolution") {
                    let (last, _) = last_constant(base);
                    let scope = receiver_of(build, base);
                    build.done.insert(last.start_byte());
                    build.refer(RefKind::Implements, last, scope, 255);
                    let chain = value(build, base, 0);
                    build.symbol(class).bases.push(chain);
                }
            }
        }
        "attr_reader" | "attr_accessor" | "attr_writer" => {
            let Some(class) = build.class() else { return };
            let names: Vec<Node<'t>> = arguments.into_iter().flat_map(named).collect();
            for name in names.into_iter().filter(|at| at.kind() == "simple_symbol") {
                let text = build.text_of(name).trim_start_matches(':');
                if let Some(at) = build.add_named(Kind::Field, text, name, name) {
                    let chain = Chain::of(Root::Instance).member(&format!("@{text}"));
                    build.symbol(at).value = Some(chain);
                    build.symbol(at).exported = true;
                    build.symbol(at).callable = true;
                }
                let _ = class;
            }
        }
        "test" | "it" | "specify" if first.is_some_and(|at| at.kind() == "string") => {
            let title = first.and_then(|at| child_of(at, &["string_content"]));
            if let Some(title) = title {
                let text = build.text_of(title);
                if let Some(at) = build.add_named(Kind::Test, text, title, node) {
                    build.symbol(at).test = true;
                    build.open(node, Some(at), true);
                }
            }
        }
        "private" => private(build, arguments),
        "alias_method" => {
            let symbol = arguments.and_then(|list| named(list).nth(1));
            if let Some(symbol) = symbol.filter(|at| at.kind() == "simple_symbol") {
                refer_symbol(build, RefKind::Value, symbol, Chain::of(Root::Instance), 255);
            }
        }
        _ if KEYWORDS.contains(&text) => {}
        _ => {
            if NAMES_METHOD.contains(&text) {
                if let Some(symbol) = first_symbol(arguments) {
                    let receiver = Chain::of(Root::Instance);
                    return refer_symbol(build, RefKind::Value, symbol, receiver, 255);
                }
            } else if build.parent_kind().is_some_and(Kind::is_type) {
                methods_in(build, arguments.into_iter().flat_map(named).collect());
            }
            let mut count = build.count(arguments);
            if arguments.is_none() {
                count = 0;
            }
            if build.enclosing_class().is_some() || build.is_in_function() {
                build.refer(RefKind::Call, name, None, count);
            }
        }
    }
}
