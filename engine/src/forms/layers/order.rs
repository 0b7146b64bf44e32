//! The order of the imports in a file of JavaScript or TypeScript: packages first, then the files of
//! the project. Packages of the workspace, and aliases that look like packages, can be in either
//! part.

use super::Breach;
use crate::project::imports::{Edge, Graph, Specifier, Target};
use std::collections::{HashMap, HashSet};

/// Directories of a project that bundlers resolve without a leading `./`.
const OWN_DIRS: [&str; 25] = [
    "src",
    "app",
    "components",
    "lib",
    "libs",
    "utils",
    "hooks",
    "pages",
    "features",
    "shared",
    "assets",
    "styles",
    "store",
    "config",
    "modules",
    "core",
    "common",
    "views",
    "services",
    "types",
    "test",
    "tests",
    "models",
    "helpers",
    "constants",
];

/// Extensions of imported files that are no code.
const ASSETS: [&str; 12] = [
    ".css", ".scss", ".sass", ".less", ".svg", ".png", ".jpg", ".webp", ".json", ".md", ".woff",
    ".woff2",
];

/// Whether imports are read from the file at `path` in an order that the check knows.
pub(super) fn reads(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts")
}

/// The last import of a package below an import of the project, for each checked file. `edges` are
/// ordered by file and position. Imports without names run where they are placed and do not count.
pub(super) fn check(graph: &Graph, edges: &[&Edge], is_checked: &[bool]) -> Vec<Breach> {
    let mut aliases: HashMap<&str, u32> = HashMap::new();
    let is_local = |name: &str| Specifier::of(name) == Specifier::Local;
    for lost in graph.unresolved.iter().filter(|lost| is_local(&lost.name)) {
        let first = aliases.entry(&lost.path).or_insert(lost.span.start);
        *first = lost.span.start.min(*first);
    }
    let own: HashSet<&str> = graph.files.iter().filter_map(|file| end(stem(&file.path))).collect();
    let mut breaches = Vec::new();
    for imports in edges.chunk_by(|a, b| a.from == b.from) {
        let Some(first) = imports.first() else { continue };
        let path = graph.files[first.from].path.as_str();
        if !is_checked[first.from] || !reads(path) {
            continue;
        }
        let counts = |edge: &&&Edge| edge.binds.is_some() && !edge.type_only && !edge.deferred;
        let of_project =
            imports.iter().filter(counts).find(|edge| edge.binds == Some(Specifier::Local));
        let own_start =
            of_project.map(|edge| edge.span.start).into_iter().chain(aliases.get(path).copied());
        let Some(own_start) = own_start.min() else { continue };
        let late = imports
            .iter()
            .rev()
            .filter(counts)
            .take_while(|edge| edge.span.start > own_start)
            .find_map(|edge| match &edge.to {
                Target::Package(name) => package_name(name, &own).map(|name| (edge.span, name)),
                Target::Files(_) => None,
            });
        if let Some((span, name)) = late {
            breaches.push(Breach {
                path: path.to_owned(),
                span,
                message: format!("package import `{name}` comes after project imports"),
                from: path.to_owned(),
                to: name.to_owned(),
                steps: Vec::new(),
            });
        }
    }
    breaches
}

/// The specifier of a package; `None` for one that a bundler provides or resolves to a file of the
/// project.
fn package_name<'a>(name: &'a str, own: &HashSet<&str>) -> Option<&'a str> {
    let name = name.strip_prefix("npm:")?;
    let begins = name.strip_prefix('@').unwrap_or(name);
    let is_name =
        begins.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit());
    let first = name.split('/').next().unwrap_or(name);
    let is_own = name.contains('/')
        && (OWN_DIRS.contains(&first) || end(stem(name)).is_some_and(|end| own.contains(end)));
    let is_asset = ASSETS.iter().any(|extension| name.ends_with(extension));
    let is_virtual = name.contains(':') || name.ends_with("jsx-runtime");
    (is_name && !is_own && !is_asset && !is_virtual).then_some(name)
}

/// The path without its extension.
fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    path[name..].find('.').filter(|&dot| dot > 0).map_or(path, |dot| &path[..name + dot])
}

/// The last two segments of a path.
fn end(path: &str) -> Option<&str> {
    let (before, _) = path.rsplit_once('/')?;
    Some(before.rfind('/').map_or(path, |slash| &path[slash + 1..]))
}
