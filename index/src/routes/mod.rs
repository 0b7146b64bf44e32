//! Routes: the handler of each method and path, read from the syntax trees of files that import a web
//! framework. The patterns that declare routes are listed in `frameworks.json`.

mod calls;
pub(crate) mod constants;
mod marks;
mod mounts;
mod rails;
#[cfg(test)]
mod tests;

use crate::outline::{Chain, Outline, Position, build};
use aidd_engine::parse::syntax::Parsed;
use aidd_engine::project::imports;
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use tree_sitter::Node;

pub(crate) use mounts::{Mount, Origin, Router, Target};

/// Maximum number of routes of one file.
const MAX_ROUTES: usize = 2000;
/// Maximum length of a path.
const MAX_PATH: usize = 300;

/// A route that a file declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Route {
    /// The HTTP method; `*` for any.
    pub method: String,
    /// The prefix that the router declares; empty or with a leading slash.
    pub base: String,
    /// The path below the prefix, with a leading slash.
    pub path: String,
    /// The router and the function that declare the route.
    pub origin: Origin,
    /// The name of the framework.
    pub framework: String,
    /// The line, from 0.
    pub line: u32,
    /// The offset of the declaration.
    pub offset: u32,
    /// The index of the handler's symbol, if it is declared in this file.
    pub symbol: Option<u32>,
    /// The handler, as written.
    pub handler: Option<Chain>,
    /// Whether the route exists only if its handler does, like the routes of a resource.
    pub implied: bool,
}

/// The patterns that declare routes in one framework.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Framework {
    framework: String,
    /// The languages: `script`, `python`, `rust`, `go`, `java`, `php`, `ruby` or `csharp`.
    family: String,
    /// The modules and packages that identify the framework if a file imports them.
    #[serde(default)]
    imports: Vec<String>,
    /// The files that contain routes although they import nothing.
    #[serde(default)]
    files: Vec<String>,
    /// Function → method: `app.get("/path", handler)`.
    #[serde(default)]
    calls: HashMap<String, String>,
    /// Decorator, annotation or attribute → method.
    #[serde(default)]
    marks: HashMap<String, String>,
    /// Annotations of a class whose path precedes the paths in it.
    #[serde(default)]
    prefix_marks: Vec<String>,
    /// Functions that return a router for a prefix.
    #[serde(default)]
    group: Vec<String>,
    /// Functions that take a prefix, and a function that declares the routes under the prefix.
    #[serde(default)]
    scope: Vec<String>,
    /// Functions that declare the routes of a resource.
    #[serde(default)]
    resources: Vec<String>,
    /// Functions in the handler argument that name the method: `get(handler)`.
    #[serde(default)]
    verbs: HashMap<String, String>,
    /// Functions that serve the routes of another router.
    #[serde(default)]
    mounts: Vec<mounts::Shape>,
    /// Functions that return a new router.
    #[serde(default)]
    constructors: HashSet<String>,
    /// The types of routers that are passed to functions.
    #[serde(default)]
    routers: HashSet<String>,
    /// The name of the argument that contains the prefix.
    prefix_key: Option<String>,
    /// The name of the argument that contains the methods.
    methods_key: Option<String>,
    /// The index of the handler among the arguments. Default: the last argument.
    handler: Option<usize>,
    /// Whether the functions are called without a receiver.
    #[serde(default)]
    plain: bool,
    /// Whether paths are written without a leading slash.
    #[serde(default)]
    relative: bool,
    /// Whether the imports of the framework can be in another file.
    #[serde(default)]
    implicit: bool,
}

static FRAMEWORKS: LazyLock<Vec<Framework>> =
    LazyLock::new(|| serde_json::from_str(include_str!("frameworks.json")).unwrap_or_default());

/// Reads the routes of a file.
struct Reader<'t> {
    text: &'t str,
    family: &'static str,
    outline: &'t Outline,
    imports: &'t [imports::Import],
    bindings: &'t [imports::Binding],
    framework: &'static Framework,
    /// Ranges in which paths have a prefix: start, end and prefix.
    scopes: Vec<(usize, usize, String)>,
    /// Router variable → its prefixes, in order.
    groups: HashMap<String, Vec<Group>>,
    routes: Vec<Route>,
    mounts: Vec<Mount>,
}

/// A router with a prefix.
struct Group {
    /// The index of the symbol of the function with the variable.
    function: Option<u32>,
    prefix: String,
    /// The router to which the prefix is relative.
    root: Option<String>,
}

/// The name of the family of a language.
fn family(language: SupportLang) -> &'static str {
    match language {
        SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx => "script",
        SupportLang::Python => "python",
        SupportLang::Rust => "rust",
        SupportLang::Go => "go",
        SupportLang::Java | SupportLang::Kotlin => "java",
        SupportLang::Php => "php",
        SupportLang::Ruby => "ruby",
        SupportLang::CSharp => "csharp",
        _ => "",
    }
}

/// The routes and mounts that the file at `path` declares.
#[must_use]
pub(crate) fn read(
    path: &str,
    text: &str,
    language: SupportLang,
    tree: &Parsed,
    outline: &Outline,
    imports: &imports::Facts,
) -> (Vec<Route>, Vec<Mount>) {
    let family = family(language);
    let names: Vec<String> = imports
        .imports
        .iter()
        .filter(|import| !import.inline || family == "rust")
        .map(|import| import.name.display().replace("::", "."))
        .collect();
    let mut routes = match family {
        "script" => next_routes(path, outline, &names),
        _ => Vec::new(),
    };
    let mut mounts = Vec::new();
    let parsed = tree.root();
    let mut is_found = false;
    for framework in FRAMEWORKS.iter().filter(|at| at.family == family) {
        let is_imported = names.iter().any(|name| {
            framework.imports.iter().any(|import| {
                name.strip_prefix(&**import)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
            })
        });
        let is_file = framework
            .files
            .iter()
            .any(|file| path.ends_with(&**file) || file.ends_with('/') && path.contains(&**file));
        let is_implicit = framework.implicit
            && framework
                .marks
                .keys()
                .chain(framework.calls.keys())
                .any(|name| text.contains(&**name));
        // A file that uses a framework can also import the library that the framework wraps.
        if !(is_imported || is_file || is_implicit) || is_found && framework.framework == "net/http"
        {
            continue;
        }
        is_found = true;
        let mut reader = Reader {
            text,
            family,
            outline,
            imports: &imports.imports,
            bindings: &imports.bindings,
            framework,
            scopes: Vec::new(),
            groups: HashMap::new(),
            routes: Vec::new(),
            mounts: Vec::new(),
        };
        match framework.framework.as_str() {
            "rails" => reader.rails(parsed.get_inner_node()),
            _ => {
                reader.walk(parsed.get_inner_node());
                reader.add_prefixes();
            }
        }
        routes.append(&mut reader.routes);
        mounts.append(&mut reader.mounts);
    }
    routes.sort_by(|a, b| (a.offset, &a.method, &a.path).cmp(&(b.offset, &b.method, &b.path)));
    routes.dedup_by(|a, b| (a.offset, &a.method, &a.path) == (b.offset, &b.method, &b.path));
    routes.truncate(MAX_ROUTES);
    mounts.truncate(MAX_ROUTES);
    (routes, mounts)
}

impl<'t> Reader<'t> {
    fn walk(&mut self, root: Node<'t>) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            if node.is_named() {
                self.visit_mark(node);
                self.visit_call(node);
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

    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The content of a string literal without interpolation.
    fn literal(&self, node: Node<'_>) -> Option<&'t str> {
        literal(self.text, node)
    }

    /// Adds the prefixes of the enclosing scopes to the routes. A prefix can follow its routes in the
    /// text.
    fn add_prefixes(&mut self) {
        let mut routes = std::mem::take(&mut self.routes);
        for route in &mut routes {
            route.base = normal(&self.prefix(route.offset as usize), &route.base);
        }
        self.routes = routes;
        let mut mounts = std::mem::take(&mut self.mounts);
        for mount in &mut mounts {
            mount.prefix = normal(&self.prefix(mount.offset as usize), &mount.prefix);
        }
        self.mounts = mounts;
    }

    /// The joined prefixes of the scopes that contain an offset, outermost first.
    fn prefix(&self, at: usize) -> String {
        let around = self.scopes.iter().filter(|(start, end, _)| (*start..*end).contains(&at));
        around.fold(String::new(), |all, (_, _, prefix)| join(&all, prefix))
    }

    /// Adds a route that is declared on the receiver `on`.
    fn add(
        &mut self,
        (node, on): (Node<'t>, Option<Node<'t>>),
        method: &str,
        path: &str,
        symbol: Option<u32>,
        handler: Option<Chain>,
    ) {
        // Go has patterns such as `GET /path`.
        let (method, path) = match path.split_once(' ') {
            Some((verb, path)) => (verb, path),
            None => (method, path),
        };
        let start: Position = build::start(node);
        let base = normal("", &self.receiver_prefix(on));
        let mut origin = self.origin(node, on);
        // A function with an attribute is added to a router elsewhere.
        if self.family == "rust" && symbol.is_some() {
            origin.function = symbol;
        }
        self.routes.push(Route {
            method: method.to_owned(),
            base,
            path: join("", path),
            origin,
            framework: self.framework.framework.clone(),
            line: start.line,
            offset: start.offset,
            symbol,
            handler,
            implied: false,
        });
    }
}

/// The content of a string literal without interpolation.
fn literal<'t>(text: &'t str, node: Node<'_>) -> Option<&'t str> {
    let kind = node.kind();
    let is_string = kind.contains("string") || kind == "simple_symbol";
    if !is_string {
        return None;
    }
    let mut cursor = node.walk();
    if node
        .children(&mut cursor)
        .any(|at| at.kind().contains("interpolat") || at.kind() == "template_substitution")
    {
        return None;
    }
    let text = text.get(node.byte_range()).unwrap_or_default();
    let text = match kind {
        "simple_symbol" => text.trim_start_matches(':'),
        _ => text
            .trim_start_matches(|c: char| c.is_ascii_alphabetic() || "@$#".contains(c))
            .trim_matches(['"', '\'', '`', '#']),
    };
    (text.len() <= MAX_PATH && !text.contains(['\n', ' '])
        || text
            .split_once(' ')
            .is_some_and(|(verb, _)| verb.chars().all(|c| c.is_ascii_uppercase())))
    .then_some(text)
}

/// Joins a prefix and a path, with one slash between them and one at the start.
fn join(prefix: &str, path: &str) -> String {
    let path = path.trim_start_matches('^').trim_end_matches('$');
    let (prefix, rest) = (prefix.trim_end_matches('/'), path.trim_start_matches('/'));
    if rest.is_empty() && !prefix.is_empty() {
        prefix.to_owned()
    } else {
        format!("{prefix}/{rest}")
    }
}

/// A prefix with a leading slash and none at the end; empty if there is none.
fn normal(outer: &str, prefix: &str) -> String {
    join(outer, prefix).trim_end_matches('/').to_owned()
}

/// The routes that Next.js derives from the paths of files.
fn next_routes(path: &str, outline: &Outline, imports: &[String]) -> Vec<Route> {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, "ts" | "tsx" | "js" | "jsx")) = name.split_once('.') else { return Vec::new() };
    let below = |root: &str| {
        let at = dir.split('/').position(|part| part == root)?;
        let parts: Vec<&str> = dir.split('/').skip(at + 1).collect();
        Some(parts)
    };
    let route = |method: &str, path: String, symbol: u32| Route {
        method: method.to_owned(),
        base: String::new(),
        path,
        origin: Origin::default(),
        framework: "next".to_owned(),
        line: outline.symbols[symbol as usize].start.line,
        offset: outline.symbols[symbol as usize].start.offset,
        symbol: Some(symbol),
        handler: None,
        implied: false,
    };
    let default = || {
        let local = outline.exports.iter().find(|(name, _)| name == "default");
        let name = local.map_or("default", |(_, local)| local.as_str());
        let found = outline.symbols.iter().position(|at| at.name == name && at.parent.is_none());
        found.and_then(|at| u32::try_from(at).ok())
    };
    // Groups in parentheses and slots are not part of the path.
    let address = |parts: &[&str]| {
        let parts = parts.iter().filter(|part| !part.starts_with('(') && !part.starts_with('@'));
        parts.fold(String::new(), |all, part| format!("{all}/{part}"))
    };
    match (stem, below("app"), below("pages")) {
        ("route", Some(parts), _) => {
            let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
            let symbols = (0_u32..).zip(&outline.symbols);
            symbols
                .filter(|(_, at)| at.exported && at.parent.is_none())
                .filter(|(_, at)| methods.contains(&&*at.name))
                .map(|(index, at)| route(&at.name, join("", &address(&parts)), index))
                .collect()
        }
        ("page", Some(parts), _) => {
            default().map(|at| route("GET", join("", &address(&parts)), at)).into_iter().collect()
        }
        (_, _, Some(parts)) if !stem.starts_with('_') => {
            let is_api = parts.first() == Some(&"api");
            let is_next = imports.iter().any(|name| name == "next" || name.starts_with("next/"));
            if !is_api && !is_next {
                return Vec::new();
            }
            let mut path = address(&parts);
            if stem != "index" {
                path = format!("{path}/{stem}");
            }
            let method = if is_api { "*" } else { "GET" };
            default().map(|at| route(method, join("", &path), at)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
