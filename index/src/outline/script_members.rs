//! Functions, methods, properties and variables of JavaScript and TypeScript.

use super::build::{Build, child_of, has_child, named, start};
use super::script::pass_on;
use super::script_values::{annotation, bind, declared, is_function, returned, value};
use super::{Chain, Kind, Position, Root, Symbol};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// Functions that return the function passed to them, or one that calls it.
const WRAPPING: &[&str] = &[
    "action",
    "asyncHandler",
    "cache",
    "callback",
    "catchAsync",
    "debounce",
    "forwardRef",
    "memo",
    "memoize",
    "observer",
    "once",
    "throttle",
    "useCallback",
    "useDebouncedCallback",
    "useEvent",
    "useEffectEvent",
    "useMemoizedFn",
    "useThrottledCallback",
];

/// Adds the component that a file is, which is what other files import from it by default.
pub(super) fn component(build: &mut Build<'_>, name: &str) {
    let text = build.text;
    let last = text.rfind('\n').map_or(0, |at| at + 1);
    let size = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let end = Position {
        offset: size(text.len()),
        line: size(text.matches('\n').count()),
        column: size(text.len() - last),
    };
    build.out.symbols.push(Symbol {
        name: name.to_owned(),
        qualified: name.to_owned(),
        parent: None,
        kind: Kind::Component,
        start: Position::default(),
        end,
        at: Position::default(),
        body: None,
        exported: true,
        test: false,
        property: false,
        callable: false,
        extension: false,
        arity: (0, 255),
        owner: None,
        value: None,
        bases: Vec::new(),
        signature: format!("component {name}"),
        parameters: Vec::new(),
        return_type: None,
        doc: None,
        complexity: None,
        body_hash: None,
    });
    build.out.exports.push(("default".to_owned(), name.to_owned()));
    build.component = Some(0);
}

/// The object with the options of a component, which is exported as it is or through a function such as
/// `defineComponent`.
pub(super) fn options<'t>(build: &Build<'t>, exported: Node<'t>) -> Option<(u32, Node<'t>)> {
    let component = build.component?;
    let object = match exported.kind_name() {
        "object" => exported,
        "call_expression" => named(exported.field("arguments")?).last()?,
        _ => return None,
    };
    (object.kind_name() == "object").then_some((component, object))
}

/// Opens the scope of a function and adds its parameters.
pub(super) fn function<'t>(build: &mut Build<'t>, node: Node<'t>, symbol: Option<u32>) {
    let class = build.enclosing_class();
    let is_constructor =
        symbol.is_some_and(|at| build.out.symbols[at as usize].name == "constructor");
    build.open(node, symbol, true);
    let list = node.field("parameters").or_else(|| node.field("parameter"));
    let mut names = Vec::new();
    let (mut least, mut most) = (0_u8, 0_u8);
    let parameters: Vec<Node<'t>> = match list {
        Some(single) if single.kind_name() == "identifier" => vec![single],
        Some(list) => named(list).collect(),
        None => Vec::new(),
    };
    for parameter in parameters {
        let pattern =
            parameter.field("pattern").or_else(|| parameter.field("left")).unwrap_or(parameter);
        let chain = match parameter.kind_name() {
            "required_parameter" | "optional_parameter" => declared(build, parameter),
            "assignment_pattern" => {
                parameter.field("right").map_or(Chain::of(Root::Unknown), |at| value(build, at))
            }
            _ => Chain::of(Root::Unknown),
        };
        let is_optional = parameter.kind_name() == "optional_parameter"
            || parameter.field("value").is_some()
            || parameter.kind_name() == "assignment_pattern";
        most = if pattern.kind_name() == "rest_pattern" { 255 } else { most.saturating_add(1) };
        if !is_optional && most != 255 {
            least = most;
        }
        let has_modifier = child_of(parameter, &["accessibility_modifier"]).is_some()
            || has_child(parameter, "readonly");
        if let Some(class) = class.filter(|_| is_constructor && has_modifier) {
            let name = build.text_of(pattern);
            build.field(class, name, chain.clone());
        }
        names.push(build.text_of(pattern).chars().take(60).collect());
        bind(build, pattern, &chain);
    }
    let Some(at) = symbol else { return };
    let declared = node.field("return_type");
    let text = declared.map(|at| build.text_of(at).trim_start_matches(':').trim().to_owned());
    let result = match declared {
        Some(kind) => Some(annotation(build, kind)),
        None => returned(build, node),
    };
    let body = node.field("body").map(|body| (start(body), super::build::end(body)));
    let symbol = build.symbol(at);
    symbol.arity = (least, most);
    symbol.parameters = names;
    symbol.return_type = text;
    symbol.value = result;
    symbol.body = symbol.body.or(body);
}

pub(super) fn method<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    // The methods of an object that is not named belong to the enclosing function.
    let Some(class) = build.class() else {
        function(build, node, None);
        return;
    };
    let is_private = build.text_of(name).starts_with('#')
        || child_of(node, &["accessibility_modifier"])
            .is_some_and(|at| build.text_of(at) != "public");
    let is_class_exported = build.out.symbols[class as usize].exported;
    let is_getter = has_child(node, "get");
    let symbol = match name.kind_name() {
        "computed_property_name" => None,
        _ => build.add(Kind::Method, name, node),
    };
    if let Some(at) = symbol {
        let doc = build.doc_before(node);
        let symbol = build.symbol(at);
        symbol.exported = is_class_exported && !is_private;
        symbol.property = is_getter;
        symbol.doc = doc;
    }
    function(build, node, symbol);
}

pub(super) fn property<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let name = node.field("name").or_else(|| node.field("property"));
    let (Some(name), Some(class)) = (name, build.class()) else { return };
    if name.kind_name() == "computed_property_name" {
        return;
    }
    let initial = node.field("value").map(unwrapped).filter(|value| is_function(*value));
    let kind = if initial.is_some() { Kind::Method } else { Kind::Field };
    let is_function_type = node
        .field("type")
        .and_then(|kind| named(kind).next())
        .is_some_and(|kind| kind.kind_name() == "function_type");
    let is_class_exported = build.out.symbols[class as usize].exported;
    let Some(symbol) = build.add(kind, name, node) else { return };
    build.symbol(symbol).exported = is_class_exported;
    build.symbol(symbol).callable = is_function_type;
    if let Some(initial) = initial {
        build.done.insert(initial.id());
        function(build, initial, Some(symbol));
        return;
    }
    let chain = declared(build, node);
    build.symbol(symbol).value = Some(chain);
}

/// The expression in parentheses or before `as` and `satisfies`.
fn unwrapped(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    for _ in 0..8 {
        match node.kind_name() {
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                match named(node).next() {
                    Some(inner) => node = inner,
                    None => break,
                }
            }
            _ => break,
        }
    }
    node
}

/// The function that is an argument of a call, such as in `memo(() => …)`.
fn wrapped<'t>(build: &Build<'t>, call: Node<'t>) -> Option<Node<'t>> {
    let target = call.field("function")?;
    let name = match target.kind_name() {
        "identifier" => build.text_of(target),
        "member_expression" => {
            let object = build.field_text(target, "object")?;
            let name = build.field_text(target, "property")?;
            if object != "React" { return None } else { name }
        }
        _ => return None,
    };
    if !WRAPPING.contains(&name) {
        return None;
    }
    named(call.field("arguments")?).find(|argument| is_function(*argument))
}

pub(super) fn variable<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let Some(name) = node.field("name") else { return };
    let initial = node.field("value");
    let is_top = !build.is_in_function();
    // `export const a = …` exports the declaration around the declarator.
    let is_exported = is_top
        && build.exported.is_some_and(|_| {
            node.parent()
                .is_some_and(|parent| build.exported.is_some_and(|(id, _)| id == parent.id()))
        });
    if name.kind_name() != "identifier" {
        let chain = declared(build, node);
        bind(build, name, &chain);
        return;
    }
    let initial = initial.map(unwrapped);
    let function_node = initial.filter(|initial| is_function(*initial));
    let wrapped_node = initial
        .filter(|initial| initial.kind_name() == "call_expression")
        .and_then(|call| wrapped(build, call));
    if !is_top && function_node.is_none() && wrapped_node.is_none() {
        let chain = declared(build, node);
        let text = build.text_of(name);
        build.local(text, chain, name);
        return;
    }
    let kind = if function_node.is_some() || wrapped_node.is_some() {
        Kind::Function
    } else if node.parent().is_some_and(|parent| has_child(parent, "const")) {
        Kind::Constant
    } else {
        Kind::Variable
    };
    let Some(symbol) = build.add(kind, name, node) else { return };
    let doc = node.parent().and_then(|parent| build.doc_before(parent));
    build.symbol(symbol).exported = is_exported;
    build.symbol(symbol).doc = doc;
    if let Some(initial) = function_node {
        build.done.insert(initial.id());
        function(build, initial, Some(symbol));
    } else if let Some(initial) = wrapped_node {
        build.done.insert(initial.id());
        // The arguments of the wrapper are read in the scope of the function too.
        build.open(node, Some(symbol), false);
        function(build, initial, Some(symbol));
    } else {
        let chain = declared(build, node);
        let is_object = initial.is_some_and(|initial| {
            initial.kind_name() == "object"
                || matches!(initial.kind_name(), "as_expression" | "satisfies_expression")
                    && named(initial).next().is_some_and(|inner| inner.kind_name() == "object")
        });
        let is_alias = chain.root != Root::Literal && chain.root != Root::Unknown;
        build.symbol(symbol).value = is_alias.then_some(chain);
        // Only the methods of the object itself are its members.
        build.open(node, Some(symbol), !is_object);
    }
}

/// A property of an object: a function is a method of the object.
pub(super) fn pair<'t>(build: &mut Build<'t>, node: Node<'t>) {
    let (Some(key), Some(inner)) = (node.field("key"), node.field("value")) else {
        return;
    };
    pass_on(build, inner);
    let is_in_object = build.class().is_some()
        && matches!(
            build.parent_kind(),
            Some(Kind::Constant | Kind::Variable | Kind::Method | Kind::Component)
        );
    if is_function(inner)
        && is_in_object
        && key.kind_name() == "property_identifier"
        && let Some(symbol) = build.add(Kind::Method, key, node)
    {
        build.done.insert(inner.id());
        function(build, inner, Some(symbol));
    }
}
