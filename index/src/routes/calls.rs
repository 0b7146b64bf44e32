//! Routes that are declared by calls: `app.get("/path", handler)`.

use super::constants::{REQUIRED, required};
use super::{Reader, join, normal};
use crate::fields::Fields as _;
use crate::outline::build::{child_of, named};
use crate::outline::{Chain, Root};
use std::borrow::Cow;
use tree_sitter::Node;

/// Maximum nesting of calls in a handler argument.
pub(super) const MAX_DEPTH: usize = 8;

/// A call: the receiver, the name of the function, and the arguments.
pub(super) struct Call<'t> {
    pub(super) receiver: Option<Node<'t>>,
    pub(super) name: &'t str,
    pub(super) arguments: Vec<Node<'t>>,
}

impl<'t> Reader<'t> {
    /// The parts of a call expression.
    pub(super) fn call(&self, node: Node<'t>) -> Option<Call<'t>> {
        let list = node.field("arguments");
        let (receiver, name) = match node.kind() {
            "call_expression" | "call" | "invocation_expression" if self.family != "ruby" => {
                let function = node.field("function")?;
                let (receiver, name) = match function.kind() {
                    "member_expression" => ("object", "property"),
                    "attribute" => ("object", "attribute"),
                    "selector_expression" => ("operand", "field"),
                    "field_expression" => ("value", "field"),
                    "scoped_identifier" => ("path", "name"),
                    "member_access_expression" => ("expression", "name"),
                    "identifier" => return self.finish(None, function, list),
                    _ => return None,
                };
                (function.field(receiver), function.field(name)?)
            }
            "scoped_call_expression" => (node.field("scope"), node.field("name")?),
            "member_call_expression" => (node.field("object"), node.field("name")?),
            "call" => (node.field("receiver"), node.field("method")?),
            _ => return None,
        };
        self.finish(receiver, name, list)
    }

    fn finish(
        &self,
        receiver: Option<Node<'t>>,
        name: Node<'t>,
        list: Option<Node<'t>>,
    ) -> Option<Call<'t>> {
        let arguments = list.into_iter().flat_map(named).map(|argument| {
            // In C# and PHP, an argument is a node around an expression.
            match argument.kind() {
                "argument" => named(argument).last().unwrap_or(argument),
                _ => argument,
            }
        });
        Some(Call { receiver, name: self.text_of(name), arguments: arguments.collect() })
    }

    pub(super) fn visit_call(&mut self, node: Node<'t>) {
        if !matches!(
            node.kind(),
            "call_expression"
                | "call"
                | "invocation_expression"
                | "scoped_call_expression"
                | "member_call_expression"
        ) {
            return;
        }
        let Some(call) = self.call(node) else { return };
        let framework = self.framework;
        if self.visit_mount(node, &call) {
            return;
        }
        if framework.group.iter().any(|name| name == call.name) {
            return self.group(node, &call);
        }
        if framework.scope.iter().any(|name| name == call.name) {
            if let Some(prefix) = call.arguments.first().and_then(|at| self.prefix_text(*at)) {
                // `Route::prefix("a")->group(function () { … })` and `r.Route("/a", func(r) { … })`
                let whole = statement(node);
                self.scopes.push((node.start_byte(), whole.end_byte(), prefix.into_owned()));
            }
            return;
        }
        if framework.resources.iter().any(|name| name == call.name) {
            return self.resource(node, &call);
        }
        let Some(method) = framework.calls.get(call.name) else { return };
        if call.receiver.is_none() != framework.plain {
            return;
        }
        let Some(path) = call.arguments.first().and_then(|at| self.prefix_text(*at)) else {
            return;
        };
        let path = &*required(path, framework.relative || framework.plain);
        let is_path = path.starts_with(['/', REQUIRED])
            || path == "*"
            || framework.relative
            || framework.plain
            || path.contains(" /")
            || path.is_empty() && call.arguments.len() > 1;
        if !is_path || call.arguments.len() < 2 {
            return;
        }
        let at = framework.handler.unwrap_or(call.arguments.len() - 1);
        let Some(handler) = call.arguments.get(at) else { return };
        // A configuration such as `client.get("/path", {…})` is a request, not a route.
        let is_value =
            matches!(handler.kind(), "object" | "string" | "dictionary" | "template_string");
        if is_value {
            return;
        }
        let place = (node, call.receiver);
        let verbs = self.verbs(*handler);
        if verbs.is_empty() {
            if !framework.verbs.is_empty() {
                return;
            }
            let handler = self.handler(*handler, 0);
            return self.add(place, method, path, None, handler);
        }
        for (method, handler) in verbs {
            self.add(place, method, path, None, handler);
        }
    }

    /// The prefix of the router on which a method is called.
    pub(super) fn receiver_prefix(&self, receiver: Option<Node<'t>>) -> String {
        let (mut receiver, mut outer) = (receiver, String::new());
        // The prefixes of the groups in the receiver, innermost first.
        let mut inner: Vec<Cow<'t, str>> = Vec::new();
        for _ in 0..MAX_DEPTH {
            let Some(node) = receiver else { break };
            if let Some(group) = self.group_of(node) {
                outer.clone_from(&group.prefix);
                break;
            }
            // `r.Group("/a").GET(…)`
            match self.call(node) {
                Some(call) if self.framework.group.iter().any(|name| name == call.name) => {
                    inner.extend(call.arguments.first().and_then(|at| self.prefix_text(*at)));
                    receiver = call.receiver;
                }
                Some(call) => receiver = call.receiver,
                None => break,
            }
        }
        inner.iter().rev().fold(outer, |all, prefix| normal(&all, prefix))
    }

    /// `api := r.Group("/api")`
    fn group(&mut self, node: Node<'t>, call: &Call<'t>) {
        let key = self.framework.prefix_key.as_deref();
        let prefix = match key {
            Some(key) => self.keyword(&call.arguments, key).and_then(|at| self.prefix_text(at)),
            None => call.arguments.first().and_then(|at| self.prefix_text(*at)),
        };
        let Some(prefix) = prefix else { return };
        let outer = self.receiver_prefix(call.receiver);
        let prefix = if outer.is_empty() { prefix.into_owned() } else { join(&outer, &prefix) };
        let Some(target) = assigned(node) else { return };
        let name = self.text_of(target).to_owned();
        // A constructor such as `APIRouter(prefix="/a")` has no outer router.
        let outer = call.receiver.filter(|_| self.framework.prefix_key.is_none());
        let root = outer.and_then(|outer| self.root(outer)).or_else(|| Some(name.clone()));
        self.add_group(node, name, prefix, root);
    }

    /// The value of a named argument.
    pub(super) fn keyword(&self, arguments: &[Node<'t>], key: &str) -> Option<Node<'t>> {
        arguments.iter().find_map(|at| {
            let name = at.field("name").or_else(|| at.field("key"))?;
            (self.text_of(name).trim_start_matches(':').trim_end_matches(':') == key)
                .then(|| at.field("value"))
                .flatten()
        })
    }

    /// The methods and handlers of `get(list).post(create)` and `web::get().to(list)`.
    fn verbs(&self, node: Node<'t>) -> Vec<(&'static str, Option<Chain>)> {
        let (mut found, mut next, mut target) = (Vec::new(), Some(node), None);
        if self.framework.verbs.is_empty() {
            return found;
        }
        for _ in 0..MAX_DEPTH * 4 {
            let Some(call) = next.and_then(|node| self.call(node)) else { break };
            if call.name == "to" {
                target = call.arguments.first().copied();
            } else if let Some(method) = self.framework.verbs.get(call.name) {
                let handler = call.arguments.first().copied().or(target);
                found.push((&**method, handler.and_then(|at| self.handler(at, 0))));
            }
            next = call.receiver;
        }
        found
    }

    /// The function that a handler argument names.
    pub(super) fn handler(&self, node: Node<'t>, depth: usize) -> Option<Chain> {
        if depth > MAX_DEPTH {
            return None;
        }
        let field = |name: &str| node.field(name);
        let member = |object: &str, name: &str| {
            let chain = self.handler(field(object)?, depth + 1)?;
            Some(chain.member(self.text_of(field(name)?)))
        };
        match node.kind() {
            "identifier" | "constant" | "name" => Some(Chain::name(self.text_of(node))),
            "this" | "self" => Some(Chain::of(Root::Instance)),
            "member_expression" => member("object", "property"),
            "attribute" => member("object", "attribute"),
            "selector_expression" => member("operand", "field"),
            "field_expression" => member("value", "field"),
            "member_access_expression" => member("expression", "name"),
            "scoped_identifier" => match field("path") {
                Some(_) => member("path", "name"),
                None => None,
            },
            // `View.as_view()`, `asyncHandler(list)`, `http.HandlerFunc(list)`
            "call_expression" | "call" | "invocation_expression" => {
                let call = self.call(node)?;
                match (call.name, call.receiver) {
                    ("as_view" | "bind" | "to_async", Some(receiver)) => {
                        self.handler(receiver, depth + 1)
                    }
                    _ => self.handler(*call.arguments.last()?, depth + 1),
                }
            }
            // `[Controller::class, 'method']`
            "array_creation_expression" => {
                let parts: Vec<Node<'t>> = named(node).filter_map(|at| named(at).next()).collect();
                let [class, method] = parts.as_slice() else { return None };
                let class = self.class_name(*class)?;
                Some(class.member(self.literal(*method)?))
            }
            // `Controller::class`
            "class_constant_access_expression" => Some(self.class_name(node)?.member("__invoke")),
            _ => None,
        }
    }

    fn class_name(&self, node: Node<'t>) -> Option<Chain> {
        let scope = named(node).next()?;
        let name = self.text_of(scope).rsplit('\\').next()?;
        Some(Chain::name(name))
    }

    /// `Route::resource("photos", PhotoController::class)`
    fn resource(&mut self, node: Node<'t>, call: &Call<'t>) {
        let [name, class, ..] = call.arguments.as_slice() else { return };
        let (Some(name), Some(class)) = (self.literal(*name), self.class_name(*class)) else {
            return;
        };
        // `photos.comments` are the comments of a photo.
        let mut parts = name.split('.');
        let mut path = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            path = format!("{path}/{{id}}/{part}");
        }
        let base = join("", &path);
        let item = format!("{base}/{{id}}");
        for (method, path, action) in [
            ("GET", &base, "index"),
            ("POST", &base, "store"),
            ("GET", &item, "show"),
            ("PUT", &item, "update"),
            ("DELETE", &item, "destroy"),
        ] {
            let handler = class.clone().member(action);
            self.add((node, None), method, path, None, Some(handler));
            self.imply();
        }
    }

    /// Attributes the last route as one that exists only if its function does.
    pub(super) fn imply(&mut self) {
        if let Some(route) = self.routes.last_mut() {
            route.implied = true;
        }
    }
}

/// The outermost call of a chain of calls.
fn statement(node: Node<'_>) -> Node<'_> {
    let mut whole = node;
    while let Some(parent) = whole.parent() {
        let is_chain = parent.kind().contains("call")
            || parent.kind().contains("member")
            || parent.kind().contains("field")
            || parent.kind().contains("invocation");
        if !is_chain || parent.start_byte() != node.start_byte() {
            break;
        }
        whole = parent;
    }
    whole
}

/// The variable to which a call is assigned.
fn assigned(node: Node<'_>) -> Option<Node<'_>> {
    let mut parent = statement(node).parent()?;
    if matches!(parent.kind(), "expression_list" | "equals_value_clause" | "await_expression") {
        parent = parent.parent()?;
    }
    let left = parent
        .field("left")
        .or_else(|| parent.field("name"))
        .or_else(|| parent.field("pattern"))?;
    match left.kind() {
        "expression_list" => child_of(left, &["identifier"]),
        _ => Some(left),
    }
}
