//! The routes of Rails: `config/routes.rb`.

use super::calls::Call;
use super::{Reader, join};
use crate::fields::Fields as _;
use crate::outline::Chain;
use tree_sitter::Node;

/// The actions of a resource: HTTP method, whether the path contains the id of an item, path suffix,
/// and name.
const ACTIONS: &[(&str, bool, &str, &str)] = &[
    ("GET", false, "", "index"),
    ("GET", false, "/new", "new"),
    ("POST", false, "", "create"),
    ("GET", true, "", "show"),
    ("GET", true, "/edit", "edit"),
    ("PATCH", true, "", "update"),
    ("DELETE", true, "", "destroy"),
];

/// A block of routes.
struct Block {
    end: usize,
    /// The path of the block.
    path: String,
    /// The path of an item, in the block of `resources`.
    item: Option<String>,
    /// The modules of the controllers.
    modules: Vec<String>,
    /// The controller of the enclosing resource.
    controller: Option<String>,
}

impl<'t> Reader<'t> {
    pub(super) fn rails(&mut self, root: Node<'t>) {
        let mut blocks: Vec<Block> = Vec::new();
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            if node.kind() == "call" {
                while blocks.last().is_some_and(|block| block.end <= node.start_byte()) {
                    blocks.pop();
                }
                self.rails_call(node, &mut blocks);
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn rails_call(&mut self, node: Node<'t>, blocks: &mut Vec<Block>) {
        let Some(call) = self.call(node) else { return };
        if call.receiver.is_some() {
            return;
        }
        let (path, item, modules, controller) = match blocks.last() {
            Some(Block { path, item, modules, controller, .. }) => {
                (path.clone(), item.clone(), modules.clone(), controller.clone())
            }
            None => (String::new(), None, Vec::new(), None),
        };
        // Routes nested in `resources` are member routes, unless they are collection routes.
        let outer = path;
        let path = match self.option(&call, "on").as_deref() {
            Some("collection") => outer.clone(),
            Some("member") => format!("{outer}/:id"),
            _ => item.clone().unwrap_or_else(|| outer.clone()),
        };
        let names: Vec<&'t str> =
            call.arguments.iter().filter_map(|at| self.literal(*at)).collect();
        let mut open = |path: String,
                        item: Option<String>,
                        modules: Vec<String>,
                        controller: Option<String>| {
            if let Some(block) = node.field("block") {
                blocks.push(Block { end: block.end_byte(), path, item, modules, controller });
            }
        };
        match call.name {
            "namespace" => {
                let Some(name) = names.first() else { return };
                let mut modules = modules;
                modules.push(self.option(&call, "module").unwrap_or_else(|| (*name).to_owned()));
                open(
                    join(&path, &self.option(&call, "path").unwrap_or_else(|| (*name).to_owned())),
                    None,
                    modules,
                    None,
                );
            }
            "scope" => {
                let inner = names
                    .first()
                    .map(|name| (*name).to_owned())
                    .or_else(|| self.option(&call, "path"));
                let mut modules = modules;
                modules.extend(self.option(&call, "module"));
                let controller = self.option(&call, "controller").or(controller);
                match inner {
                    Some(inner) => open(join(&path, &inner), None, modules, controller),
                    None => open(outer, item, modules, controller),
                }
            }
            "controller" => open(path, None, modules, names.first().map(|name| (*name).to_owned())),
            "member" => {
                open(format!("{outer}/:id"), None, modules, controller);
            }
            "collection" => open(outer, None, modules, controller),
            "constraints" | "concern" | "authenticate" => open(outer, item, modules, controller),
            "resources" | "resource" => {
                let is_many = call.name == "resources";
                for name in &names {
                    let below = join(
                        &path,
                        &self.option(&call, "path").unwrap_or_else(|| (*name).to_owned()),
                    );
                    let plural = if is_many { (*name).to_owned() } else { plural(name) };
                    let controller = self.option(&call, "controller").unwrap_or(plural);
                    let mut inner = modules.clone();
                    inner.extend(self.option(&call, "module"));
                    self.rails_resource(
                        node,
                        &call.arguments,
                        &below,
                        is_many,
                        &inner,
                        &controller,
                    );
                }
                let Some(name) = names.first() else { return };
                let below =
                    join(&path, &self.option(&call, "path").unwrap_or_else(|| (*name).to_owned()));
                let mut inner = modules;
                inner.extend(self.option(&call, "module"));
                let own = if is_many { (*name).to_owned() } else { plural(name) };
                let item = is_many.then(|| format!("{below}/:{}_id", singular(name)));
                // The modules of the resource are not those of nested resources.
                open(below, item, inner, Some(own));
            }
            "root" => {
                let target = names
                    .first()
                    .map(|name| (*name).to_owned())
                    .or_else(|| self.option(&call, "to"));
                let handler = target.and_then(|target| handler(&modules, &target));
                self.add((node, None), "GET", &join(&path, ""), None, handler);
            }
            verb => {
                let Some(method) = self.framework.calls.get(verb).cloned() else { return };
                let pair = call.arguments.iter().find_map(|at| {
                    let key = self.literal(at.field("key")?)?;
                    let value = self.literal(at.field("value")?)?;
                    value.contains('#').then_some((key, value))
                });
                let Some(name) = names.first().copied().or(pair.map(|(key, _)| key)) else {
                    return;
                };
                let target =
                    self.option(&call, "to").or_else(|| pair.map(|(_, value)| value.to_owned()));
                let target = target.or_else(|| {
                    let controller = self.option(&call, "controller").or(controller)?;
                    let action =
                        self.option(&call, "action").unwrap_or_else(|| name.replace('/', "_"));
                    Some(format!("{controller}#{action}"))
                });
                let target =
                    target.or_else(|| name.split_once('/').map(|(a, b)| format!("{a}#{b}")));
                let handler = target.and_then(|target| handler(&modules, &target));
                let full = join(&path, name);
                self.add((node, None), &method, &full, None, handler);
            }
        }
    }

    /// The text of a named argument.
    fn option(&self, call: &Call<'t>, key: &str) -> Option<String> {
        self.keyword(&call.arguments, key).and_then(|at| self.literal(at)).map(str::to_owned)
    }

    fn rails_resource(
        &mut self,
        node: Node<'t>,
        arguments: &[Node<'t>],
        path: &str,
        is_many: bool,
        modules: &[String],
        controller: &str,
    ) {
        let list = |key: &str| -> Option<Vec<&'t str>> {
            let value = self.keyword(arguments, key)?;
            if let Some(one) = self.literal(value) {
                return Some(vec![one]);
            }
            let text = self.text_of(value);
            // `%i[ index show ]` and `[ :index, :show ]`
            let inner = text.trim_start_matches("%i").trim_start_matches("%w");
            let inner = inner.trim_matches(['[', ']', '(', ')', ' ']);
            Some(inner.split([' ', ',', ':']).filter(|part| !part.is_empty()).collect())
        };
        let (only, except) = (list("only"), list("except").unwrap_or_default());
        for (method, is_item, below, action) in ACTIONS {
            let is_listed = only.as_ref().is_none_or(|only| only.contains(action));
            if !is_listed || except.contains(action) || !is_many && *action == "index" {
                continue;
            }
            let item = if *is_item && is_many { "/:id" } else { "" };
            let handler = handler(modules, &format!("{controller}#{action}"));
            self.add((node, None), method, &format!("{path}{item}{below}"), None, handler);
            self.imply();
        }
    }
}

/// The singular of a resource name.
fn singular(name: &str) -> String {
    match (name.strip_suffix("ies"), name.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) => stem.to_owned(),
        (None, None) => name.to_owned(),
    }
}

/// The plural of a resource name; covers only the forms that occur in controller names.
fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ if name.ends_with(['s', 'x']) => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

/// The method of a controller that `posts#index` names.
fn handler(modules: &[String], target: &str) -> Option<Chain> {
    let (controller, action) = target.split_once('#')?;
    let (outer, name) = match controller.rsplit_once('/') {
        Some((outer, name)) => (Some(outer), name),
        None => (None, controller),
    };
    let outer = outer.into_iter().flat_map(|outer| outer.split('/'));
    let mut parts: Vec<String> =
        modules.iter().flat_map(|module| module.split('/')).chain(outer).map(camel).collect();
    parts.push(format!("{}Controller", camel(name)));
    let mut parts = parts.iter();
    let first = Chain::name(parts.next()?);
    Some(parts.fold(first, |chain, part| chain.member(part)).member(action))
}

fn camel(name: &str) -> String {
    let parts = name.split('_').map(|part| {
        let mut letters = part.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    });
    parts.collect()
}
