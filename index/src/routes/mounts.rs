//! Mounts: a router that serves the routes of another router under a prefix. The other router can be
//! declared in another file, so the resolver finds it.

use super::calls::{Call, MAX_DEPTH};
use super::{Group, Reader, normal};
use crate::fields::Fields as _;
use crate::outline::build::{self, child_of, named};
use crate::outline::{Chain, Kind, Outline};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tree_sitter::Node;

/// The router on which routes or mounts are declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Router {
    /// The parameter of a function: the index of the function's symbol, and of the parameter.
    Parameter(u32, u32),
    /// The variable with this name, visible at the declaration.
    Variable(String),
}

/// Where routes or mounts are declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The router; `None` if routes are listed without a router.
    pub router: Option<Router>,
    /// The index of the symbol of the enclosing function.
    pub function: Option<u32>,
}

/// The router that a mount adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Target {
    /// A variable, or a function that returns a router or adds routes to one.
    Value(Chain),
    /// What the import at this index loads.
    Import(u32),
    /// A module with the name, which the file does not import otherwise.
    Module(String),
}

/// The routes of a router, served by another router under a prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mount {
    /// The serving router.
    pub origin: Origin,
    /// The prefix; empty or with a leading slash.
    pub prefix: String,
    /// The router whose routes are served.
    pub target: Target,
    /// For a function that adds routes to one of its parameters: the index of the parameter.
    pub parameter: Option<u32>,
    /// Whether the prefix replaces the prefix that the other router declares.
    pub replaces: bool,
    /// The line of the call, from 0.
    pub line: u32,
    /// The offset of the call.
    pub offset: u32,
}

/// A function that mounts a router.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shape {
    call: String,
    /// The index of the router among the arguments.
    router: usize,
    /// Whether all following arguments can be routers too.
    #[serde(default)]
    rest: bool,
    /// The index of the prefix among the arguments.
    prefix: Option<usize>,
    /// The name of the argument that contains the prefix.
    key: Option<String>,
    /// Whether the argument is a function that adds routes to its first parameter.
    #[serde(default)]
    passes: bool,
    /// Whether the prefix replaces the prefix that the other router declares.
    #[serde(default)]
    replaces: bool,
    /// The function around the router, such as `include("a.urls")`.
    through: Option<String>,
}

impl<'t> Reader<'t> {
    /// Reads a call that mounts a router; returns whether it is one.
    pub(super) fn visit_mount(&mut self, node: Node<'t>, call: &Call<'t>) -> bool {
        let framework = self.framework;
        let mut is_mount = false;
        for shape in framework.mounts.iter().filter(|shape| shape.call == call.name) {
            is_mount |= self.mount(node, call, shape);
        }
        is_mount || self.pass(node, call)
    }

    fn mount(&mut self, node: Node<'t>, call: &Call<'t>, shape: &Shape) -> bool {
        let mut first = shape.router;
        let prefix = match (shape.prefix, &shape.key) {
            (Some(at), _) => match call.arguments.get(at) {
                Some(argument) => match self.prefix_text(*argument) {
                    Some(prefix) => prefix,
                    // `app.use(router)`
                    None if shape.rest => {
                        first = 0;
                        Cow::default()
                    }
                    None => return false,
                },
                None => return false,
            },
            (None, Some(key)) => match self.property(&call.arguments, key) {
                Some(value) => match self.prefix_text(value) {
                    Some(prefix) => prefix,
                    None => return false,
                },
                None => Cow::default(),
            },
            (None, None) => Cow::default(),
        };
        let count = if shape.rest { usize::MAX } else { 1 };
        let framework_is_plain = self.framework.plain;
        let mut is_mount = false;
        for argument in call.arguments.iter().skip(first).take(count) {
            let argument = match &shape.through {
                Some(name) => match self.call(*argument) {
                    Some(inner) if inner.name == name => match inner.arguments.first() {
                        Some(first) => *first,
                        None => continue,
                    },
                    _ => continue,
                },
                None => *argument,
            };
            let replaces = shape.replaces && !prefix.is_empty();
            let prefix = normal(&self.receiver_prefix(call.receiver), &prefix);
            // `include([path(…)])`
            let list = Some(whole_list(argument)).filter(|list| list.kind() == "list");
            if let Some(list) = list.filter(|_| framework_is_plain) {
                self.scopes.push((list.start_byte(), list.end_byte(), prefix));
                is_mount = true;
                continue;
            }
            if is_function(argument) {
                if shape.passes {
                    self.enter(argument, call.receiver, prefix);
                    is_mount = true;
                }
                continue;
            }
            // `.nest("/a", Router::new().route(…))`
            if self.is_constructed(argument) {
                self.scopes.push((argument.start_byte(), argument.end_byte(), prefix));
                is_mount = true;
                continue;
            }
            let Some(target) = self.target(argument) else { continue };
            let parameter = shape.passes.then_some(0);
            self.add_mount((node, call.receiver), prefix, (target, parameter), replaces);
            is_mount = true;
        }
        is_mount
    }

    /// A function without a name that adds routes to its first parameter, a router under a prefix.
    fn enter(&mut self, function: Node<'t>, on: Option<Node<'t>>, prefix: String) {
        let list = function.field("parameters");
        let first = list.or_else(|| function.field("parameter"));
        let name = first.map(|first| match first.kind() {
            "identifier" => first,
            _ => named(first).next().unwrap_or(first),
        });
        let name = name.map(|at| child_of(at, &["identifier"]).unwrap_or(at));
        let root = on.and_then(|on| self.root(on));
        if let Some(name) = name.map(|at| self.text_of(at))
            && root.as_deref() != Some(name)
        {
            self.add_group(function, name.to_owned(), String::new(), root);
        }
        if !prefix.is_empty() {
            self.scopes.push((function.start_byte(), function.end_byte(), prefix));
        }
    }

    /// A call that passes a router to a function: `users.Register(r.Group("/users"))`.
    fn pass(&mut self, node: Node<'t>, call: &Call<'t>) -> bool {
        let routers = &self.framework.routers;
        if routers.is_empty() {
            return false;
        }
        let mut is_pass = false;
        for (index, argument) in (0_u32..).zip(&call.arguments) {
            let is_router = match argument.kind() {
                "identifier" => self.is_router(*argument),
                _ => self.call(*argument).is_some_and(|inner| {
                    inner.receiver.is_some() && self.framework.group.iter().any(|g| g == inner.name)
                }),
            };
            if !is_router {
                continue;
            }
            let function = node.field("function");
            let Some(chain) = function.and_then(|at| self.handler(at, 0)) else { continue };
            let prefix = normal("", &self.receiver_prefix(Some(*argument)));
            let target = (Target::Value(chain), Some(index));
            self.add_mount((node, Some(*argument)), prefix, target, false);
            is_pass = true;
        }
        is_pass
    }

    /// Whether an identifier is a group, or a variable whose declared type is a router.
    fn is_router(&self, node: Node<'t>) -> bool {
        let name = self.text_of(node);
        let offset = node.start_byte();
        let is_typed = || {
            let same = self.outline.locals.iter().filter(|local| local.name == name);
            let mut visible =
                same.filter(|at| (at.from as usize..at.to as usize).contains(&offset));
            visible.any(|local| {
                local.value.names().last().is_some_and(|last| self.framework.routers.contains(last))
            })
        };
        self.group_of(node).is_some() || is_typed()
    }

    fn add_mount(
        &mut self,
        (node, on): (Node<'t>, Option<Node<'t>>),
        prefix: String,
        (target, parameter): (Target, Option<u32>),
        replaces: bool,
    ) {
        let origin = self.origin(node, on);
        let start = build::start(node);
        let (line, offset) = (start.line, start.offset);
        self.mounts.push(Mount { origin, prefix, target, parameter, replaces, line, offset });
    }

    /// The router or function that an argument refers to.
    fn target(&self, node: Node<'t>) -> Option<Target> {
        // `include("a.urls")` and `include(("a.urls", "name"))`
        if self.framework.plain {
            let first = whole_list(node);
            if let Some(name) = self.literal(first) {
                return Some(Target::Module(name.to_owned()));
            }
            let is_name = matches!(first.kind(), "identifier" | "attribute");
            return is_name.then(|| self.handler(first, 0)).flatten().map(Target::Value);
        }
        let mut node = node;
        // The call at the start of `users::router().layer(x)`
        for _ in 0..MAX_DEPTH * 4 {
            if matches!(node.kind(), "await_expression" | "parenthesized_expression") {
                node = named(node).next()?;
                continue;
            }
            let function = node.field("function").map(|at| self.text_of(at));
            if matches!(function, Some("require" | "import")) {
                let range = node.byte_range();
                let is_inside = |at: &aidd_engine::project::imports::Import| {
                    range.contains(&(at.span.start as usize))
                };
                let at = self.imports.iter().position(is_inside)?;
                return Some(Target::Import(u32::try_from(at).ok()?));
            }
            let Some(call) = self.call(node) else { break };
            match call.receiver.filter(|receiver| self.call(*receiver).is_some()) {
                Some(receiver) => node = receiver,
                None => {
                    node = node.field("function")?;
                    break;
                }
            }
        }
        self.handler(node, 0).map(Target::Value)
    }

    /// Whether an argument is a new router with its routes.
    fn is_constructed(&self, node: Node<'t>) -> bool {
        let mut node = node;
        for _ in 0..MAX_DEPTH * 4 {
            let Some(call) = self.call(node) else { break };
            match call.receiver.filter(|receiver| self.call(*receiver).is_some()) {
                Some(receiver) => node = receiver,
                None => return self.framework.constructors.contains(call.name),
            }
        }
        false
    }

    /// The value of a named argument, or of a property of an object among the arguments.
    fn property(&self, arguments: &[Node<'t>], key: &str) -> Option<Node<'t>> {
        self.keyword(arguments, key).or_else(|| {
            let objects = arguments.iter().filter(|at| at.kind() == "object");
            objects.map(|at| named(*at).collect::<Vec<_>>()).find_map(|at| self.keyword(&at, key))
        })
    }

    /// The router and the function in which `node` declares something on the receiver `on`.
    pub(super) fn origin(&self, node: Node<'t>, on: Option<Node<'t>>) -> Origin {
        let at = node.start_byte();
        let function = function_at(self.outline, at);
        let name = match self.family {
            "rust" => self.let_around(node),
            _ if self.framework.plain => self.list_around(node),
            _ => on.and_then(|on| self.root(on)),
        };
        let router = name.map(|name| {
            parameter_at(self.outline, function, &name).unwrap_or(Router::Variable(name))
        });
        Origin { router, function }
    }

    /// The name of the router at the start of a receiver: `r` of `r.Group("/a").Group("/b")`.
    pub(super) fn root(&self, receiver: Node<'t>) -> Option<String> {
        let mut node = receiver;
        for _ in 0..MAX_DEPTH {
            let text = self.text_of(node);
            if let Some(group) = self.group_of(node) {
                return group.root.clone();
            }
            match self.call(node) {
                Some(call) => node = call.receiver?,
                None => return (!text.contains(['(', '\n'])).then(|| text.to_owned()),
            }
        }
        None
    }

    /// Adds a variable that is a router with a prefix, and is declared at `node`.
    pub(super) fn add_group(
        &mut self,
        node: Node<'t>,
        name: String,
        prefix: String,
        root: Option<String>,
    ) {
        let function = function_at(self.outline, node.start_byte());
        self.groups.entry(name).or_default().push(Group { function, prefix, root });
    }

    /// The last declaration of the router that `node` names, in the innermost function with one.
    pub(super) fn group_of(&self, node: Node<'t>) -> Option<&Group> {
        let name = self.text_of(node);
        let all = self.groups.get(name)?;
        let mut scope = function_at(self.outline, node.start_byte());
        loop {
            if let Some(found) = all.iter().rfind(|group| group.function == scope) {
                return Some(found);
            }
            let symbol = self.outline.symbols.get(scope? as usize)?;
            // A parameter hides the variables of outer functions.
            if symbol.parameters.iter().any(|parameter| parameter == name) {
                return None;
            }
            scope = symbol.parent;
        }
    }

    /// The variable whose value is the list around `node`, in Django. Other files include `urlpatterns`
    /// by the name of the file.
    fn list_around(&self, node: Node<'t>) -> Option<String> {
        let mut at = node;
        while let Some(parent) = at.parent() {
            match parent.kind() {
                "assignment" | "augmented_assignment" => {
                    let left = parent.field("left").filter(|left| left.kind() == "identifier")?;
                    let name = self.text_of(left);
                    return (name != "urlpatterns").then(|| name.to_owned());
                }
                "block" | "module" => return None,
                _ => at = parent,
            }
        }
        None
    }

    /// The variable whose value contains `node`, in Rust.
    fn let_around(&self, node: Node<'t>) -> Option<String> {
        let mut at = node;
        while let Some(parent) = at.parent() {
            match parent.kind() {
                "let_declaration" => {
                    let name = parent.field("pattern")?;
                    let name = child_of(name, &["identifier"]).unwrap_or(name);
                    return Some(self.text_of(name).to_owned());
                }
                "function_item" | "block" => return None,
                _ => at = parent,
            }
        }
        None
    }
}

/// The list in `(list, "name")`, or the node itself.
fn whole_list(node: Node<'_>) -> Node<'_> {
    let first = Some(node).filter(|node| node.kind() == "tuple").and_then(|at| named(at).next());
    first.unwrap_or(node)
}

/// Whether a node is a function without a name.
fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function"
            | "function_expression"
            | "function"
            | "func_literal"
            | "closure_expression"
    )
}

/// The innermost function that contains an offset.
fn function_at(outline: &Outline, offset: usize) -> Option<u32> {
    let found = outline.symbols.iter().rposition(|symbol| {
        let is_code = symbol.kind.is_function() || symbol.kind == Kind::Test;
        is_code && (symbol.start.offset as usize..symbol.end.offset as usize).contains(&offset)
    });
    found.and_then(|at| u32::try_from(at).ok())
}

/// The parameter of an enclosing function with this name.
fn parameter_at(outline: &Outline, function: Option<u32>, name: &str) -> Option<Router> {
    let mut scope = function;
    while let Some(at) = scope {
        let symbol = outline.symbols.get(at as usize)?;
        if let Some(index) = symbol.parameters.iter().position(|parameter| parameter == name) {
            return Some(Router::Parameter(at, u32::try_from(index).ok()?));
        }
        scope = symbol.parent;
    }
    None
}
