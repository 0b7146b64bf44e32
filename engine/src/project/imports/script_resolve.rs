//! Resolves JavaScript specifiers to files or packages.

use super::project_files::ProjectFiles;
use super::resolve::Resolution;
use super::script_config::{Package, ScriptConfig, Settings};
use crate::text::paths::{join, parent_dir};
use serde_json::Value;

/// File extensions that can be omitted in a specifier, in the order that compilers try them.
const EXTENSIONS: [&str; 14] = [
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".mjs", ".cts", ".cjs", ".vue", ".svelte",
    ".astro", ".json", ".css",
];
/// Output extension → source extensions: a specifier refers to the output, but the project contains
/// the source.
const SOURCE_EXTENSIONS: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
];
/// Output directories, whose sources are in `src`.
const OUTPUT_DIRS: [&str; 7] = ["dist", "build", "lib", "out", "esm", "cjs", "es"];
/// Maximum nesting of conditions in `exports`.
const MAX_CONDITION_DEPTH: usize = 8;

/// Resolves `specifier` in the file at `from`.
pub(super) fn resolve(
    project: &ProjectFiles<'_>,
    config: &ScriptConfig,
    from: &str,
    specifier: &str,
) -> Resolution {
    let specifier = specifier.split(['?', '!']).next().unwrap_or_default();
    if specifier.is_empty() || specifier.contains("://") || specifier.starts_with("data:") {
        return Resolution::Unknown;
    }
    let is_relative = specifier == "."
        || specifier == ".."
        || specifier.starts_with("./")
        || specifier.starts_with("../");
    if is_relative {
        let path = join(parent_dir(from), specifier);
        return file_or_missing(path.and_then(|path| find_file(project, config, &path)));
    }
    if specifier.starts_with('#') {
        let package = config.enclosing_package(from);
        let target =
            package.and_then(|package| resolve_own_import(project, config, package, specifier));
        return file_or_missing(target);
    }
    let mut is_alias = false;
    if let Some(settings) = config.settings(from) {
        match resolve_alias(project, config, settings, specifier) {
            Alias::File(path) => return Resolution::files([path]),
            Alias::Missing => is_alias = true,
            Alias::None => {}
        }
    }
    if let Some((package, rest)) = config.package_named(specifier) {
        return file_or_missing(Some(resolve_in_package(project, config, package, rest)));
    }
    // A package name cannot start with these prefixes.
    let is_invalid_name = ["@/", "~/", "/", "~"].iter().any(|start| specifier.starts_with(start));
    if is_alias || is_invalid_name {
        return Resolution::Missing;
    }
    let name = specifier.strip_prefix("node:").unwrap_or(specifier);
    Resolution::Package(format!("npm:{name}"))
}

fn file_or_missing(path: Option<String>) -> Resolution {
    path.map_or(Resolution::Missing, |path| Resolution::files([path]))
}

/// The file for a path with or without extension, or the entry file of a directory.
fn find_file(project: &ProjectFiles<'_>, config: &ScriptConfig, path: &str) -> Option<String> {
    if project.has_file(path) {
        return Some(path.to_owned());
    }
    for (output, sources) in SOURCE_EXTENSIONS {
        if let Some(stem) = path.strip_suffix(output) {
            let source = sources.iter().map(|source| format!("{stem}{source}"));
            if let Some(found) = source.into_iter().find(|path| project.has_file(path)) {
                return Some(found);
            }
        }
    }
    let with_extension = |path: &str| {
        let paths = EXTENSIONS.iter().map(|extension| format!("{path}{extension}"));
        paths.into_iter().find(|path| project.has_file(path))
    };
    if let Some(found) = (!path.is_empty()).then(|| with_extension(path)).flatten() {
        return Some(found);
    }
    if !project.has_folder(path) {
        return None;
    }
    let main_paths =
        config.package_at(path).into_iter().flat_map(|package| main_files(&package.manifest));
    let mut main_paths = main_paths.filter_map(|main| join(path, main));
    let main = main_paths
        .find_map(|main| if project.has_file(&main) { Some(main) } else { with_extension(&main) });
    main.or_else(|| join(path, "index").and_then(|index| with_extension(&index)))
}

enum Alias {
    File(String),
    /// An alias matches, but its target does not exist.
    Missing,
    None,
}

fn resolve_alias(
    project: &ProjectFiles<'_>,
    config: &ScriptConfig,
    settings: &Settings,
    specifier: &str,
) -> Alias {
    // The exact pattern wins, then the pattern with the longest prefix.
    let mut matching: Vec<(usize, &str, &[String])> = settings
        .paths
        .iter()
        .filter_map(|(pattern, targets)| {
            let (rank, star) = match_pattern(pattern, specifier)?;
            Some((rank, star, targets.as_slice()))
        })
        .collect();
    matching.sort_by_key(|(rank, ..)| std::cmp::Reverse(*rank));
    if let Some((rank, star, targets)) = matching.first() {
        // `@/../a` leaves the directory that the alias points to.
        let paths = targets.iter().filter_map(|target| join("", &target.replacen('*', star, 1)));
        let found = paths.into_iter().find_map(|path| find_file(project, config, &path));
        // `*` alone also matches every package.
        return match found {
            Some(path) => Alias::File(path),
            None if *rank > 0 && !is_installed(targets) => Alias::Missing,
            None => Alias::None,
        };
    }
    let path_in_base = settings.base.as_ref().and_then(|base| join(base, specifier));
    path_in_base.and_then(|path| find_file(project, config, &path)).map_or(Alias::None, Alias::File)
}

fn is_installed(targets: &[String]) -> bool {
    targets.iter().any(|target| target.split('/').any(|part| part == "node_modules"))
}

/// The precedence of a matching pattern with at most one `*`, and the text that the star matches.
fn match_pattern<'s>(pattern: &str, specifier: &'s str) -> Option<(usize, &'s str)> {
    match pattern.split_once('*') {
        None => (pattern == specifier).then_some((usize::MAX, "")),
        Some((before, after)) => {
            let rest = specifier.strip_prefix(before)?.strip_suffix(after)?;
            Some((before.len(), rest))
        }
    }
}

/// The file for `name/rest`. If there is none, falls back to the manifest of the package, so that
/// rules on directories can still locate the import.
fn resolve_in_package(
    project: &ProjectFiles<'_>,
    config: &ScriptConfig,
    package: &Package,
    rest: &str,
) -> String {
    let manifest = &package.manifest;
    let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
    let mut targets = export_targets(manifest.get("exports").unwrap_or(&Value::Null), &subpath);
    if rest.is_empty() {
        targets.extend(main_files(manifest).map(str::to_owned));
        targets.extend(["index".to_owned(), "src/index".to_owned()]);
    } else {
        targets.extend([rest.to_owned(), format!("src/{rest}")]);
    }
    let found =
        targets.iter().find_map(|target| find_source(project, config, &package.folder, target));
    found.or_else(|| join(&package.folder, "package.json")).unwrap_or_default()
}

/// Resolves `#name` with `imports` of the package.
fn resolve_own_import(
    project: &ProjectFiles<'_>,
    config: &ScriptConfig,
    package: &Package,
    specifier: &str,
) -> Option<String> {
    let targets = export_targets(package.manifest.get("imports")?, specifier);
    targets.iter().find_map(|target| find_source(project, config, &package.folder, target))
}

/// The file of a package at `target`, or the source file from which the target is built.
fn find_source(
    project: &ProjectFiles<'_>,
    config: &ScriptConfig,
    folder: &str,
    target: &str,
) -> Option<String> {
    let path = join(folder, target)?;
    if let Some(found) = find_file(project, config, &path) {
        return Some(found);
    }
    let relative_target = target.trim_start_matches("./");
    let (first, rest) = relative_target.split_once('/')?;
    if !OUTPUT_DIRS.contains(&first) {
        return None;
    }
    let stem = [".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs"]
        .iter()
        .find_map(|extension| rest.strip_suffix(extension))
        .unwrap_or(rest);
    find_file(project, config, &join(folder, &format!("src/{stem}"))?)
}

fn main_files(manifest: &Value) -> impl Iterator<Item = &str> {
    ["source", "module", "main", "types"].into_iter().filter_map(|key| manifest.get(key)?.as_str())
}

/// The targets of `subpath` in `exports` or `imports`, in order.
fn export_targets(exports: &Value, subpath: &str) -> Vec<String> {
    let is_map = |value: &Value| {
        value.as_object().is_some_and(|map| map.keys().any(|key| key.starts_with(['.', '#'])))
    };
    if !is_map(exports) {
        return if subpath == "." { condition_targets(exports, "") } else { Vec::new() };
    }
    if let Some(entry) = exports.get(subpath) {
        return condition_targets(entry, "");
    }
    let patterns = exports.as_object().into_iter().flatten().filter(|(key, _)| key.contains('*'));
    let best = patterns
        .filter_map(|(pattern, entry)| {
            match_pattern(pattern, subpath).map(|(rank, star)| (rank, star, entry))
        })
        .max_by_key(|(rank, ..)| *rank);
    best.map_or_else(Vec::new, |(_, star, entry)| condition_targets(entry, star))
}

/// The targets in an entry under all conditions.
fn condition_targets(entry: &Value, star: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut remaining = vec![(entry, 0)];
    while let Some((value, depth)) = remaining.pop() {
        match value {
            Value::String(path) => paths.push(path.replace('*', star)),
            _ if depth >= MAX_CONDITION_DEPTH => {}
            Value::Array(items) => {
                remaining.extend(items.iter().rev().map(|item| (item, depth + 1)));
            }
            Value::Object(map) => {
                // Keep the order of the file, as Node does; `serde_json` has `preserve_order`.
                remaining.extend(map.values().rev().map(|item| (item, depth + 1)));
            }
            _ => {}
        }
    }
    paths
}
