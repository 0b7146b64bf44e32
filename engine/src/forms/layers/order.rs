//! Checks the order of the imports in a JavaScript or TypeScript file: packages come first, then
//! the files of the project. Packages of the workspace, and aliases that look like packages, can be
//! anywhere.

use super::Breach;
use crate::project::imports::{Edge, Graph, Specifier, Target};
use std::collections::{HashMap, HashSet};

/// Directories of a project that bundlers resolve without a leading `./`.
const PROJECT_DIRS: [&str; 25] = [
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

/// Extensions of imported files that are not code.
const ASSET_EXTENSIONS: [&str; 12] = [
    ".css", ".scss", ".sass", ".less", ".svg", ".png", ".jpg", ".webp", ".json", ".md", ".woff",
    ".woff2",
];

/// Whether the order of imports is checked in the file at `path`.
pub(super) fn is_checked_path(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts")
}

/// Reports, for each checked file, the last import of a package that follows an import of a project
/// file. `edges` are ordered by file and position. Imports without names are ignored, because they
/// run code at their position.
pub(super) fn check(graph: &Graph, edges: &[&Edge], is_checked: &[bool]) -> Vec<Breach> {
    let mut aliases: HashMap<&str, u32> = HashMap::new();
    let is_local = |name: &str| Specifier::of(name) == Specifier::Local;
    for unresolved in graph.unresolved.iter().filter(|unresolved| is_local(&unresolved.name)) {
        let first = aliases.entry(&unresolved.path).or_insert(unresolved.span.start);
        *first = unresolved.span.start.min(*first);
    }
    let project_ends: HashSet<&str> =
        graph.files.iter().filter_map(|file| last_two_segments(stem(&file.path))).collect();
    let mut breaches = Vec::new();
    for imports in edges.chunk_by(|a, b| a.from == b.from) {
        let Some(first) = imports.first() else { continue };
        let path = graph.files[first.from].path.as_str();
        if !is_checked[first.from] || !is_checked_path(path) {
            continue;
        }
        let is_considered =
            |edge: &&&Edge| edge.binds.is_some() && !edge.type_only && !edge.deferred;
        let first_local =
            imports.iter().filter(is_considered).find(|edge| edge.binds == Some(Specifier::Local));
        let local_start =
            first_local.map(|edge| edge.span.start).into_iter().chain(aliases.get(path).copied());
        let Some(local_start) = local_start.min() else { continue };
        let late_package = imports
            .iter()
            .rev()
            .filter(is_considered)
            .take_while(|edge| edge.span.start > local_start)
            .find_map(|edge| match &edge.to {
                Target::Package(name) => {
                    package_name(name, &project_ends).map(|name| (edge.span, name))
                }
                Target::Files(_) => None,
            });
        if let Some((span, name)) = late_package {
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

/// The specifier of a package; `None` for a specifier that a bundler provides or resolves to a file
/// of the project.
fn package_name<'a>(name: &'a str, project_ends: &HashSet<&str>) -> Option<&'a str> {
    let name = name.strip_prefix("npm:")?;
    let unscoped = name.strip_prefix('@').unwrap_or(name);
    let is_name =
        unscoped.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit());
    let first = name.split('/').next().unwrap_or(name);
    let is_project_path = name.contains('/')
        && (PROJECT_DIRS.contains(&first)
            || last_two_segments(stem(name)).is_some_and(|end| project_ends.contains(end)));
    let is_asset = ASSET_EXTENSIONS.iter().any(|extension| name.ends_with(extension));
    let is_virtual = name.contains(':') || name.ends_with("jsx-runtime");
    (is_name && !is_project_path && !is_asset && !is_virtual).then_some(name)
}

/// The path without its extension.
fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    path[name..].find('.').filter(|&dot| dot > 0).map_or(path, |dot| &path[..name + dot])
}

/// The last two segments of a path.
fn last_two_segments(path: &str) -> Option<&str> {
    let (before, _) = path.rsplit_once('/')?;
    Some(before.rfind('/').map_or(path, |slash| &path[slash + 1..]))
}
