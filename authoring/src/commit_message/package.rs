//! Decides whether other packages can rely on a symbol, so that its removal is a breaking change.
//! Only provable cases count: without a manifest that makes the package available to others, no
//! change is breaking.

use super::facts::{Facts, is_product};
use super::symbols::{Symbol, SymbolKind};
use super::symbols_diff::{LocatedSymbol, SymbolPair};
use super::syntax::TOKEN_SEPARATOR;
use super::text::in_backticks;
use super::{Change, breaking, keys};
use aidd_engine::parse::json;
use aidd_engine::parse::tree::Tree;
use regex::Regex;
use std::collections::BTreeSet;

/// Names of the manifests that define packages.
const MANIFESTS: [&str; 4] = ["Cargo.toml", "package.json", "pyproject.toml", "go.mod"];
/// Maximum number of breaking changes that are reported.
const MAX_BREAKS: usize = 20;

/// The files needed to describe a change in addition to the changed files: manifests in the parent
/// directories, and the entry files, which determine whether symbols of the changed files are
/// public. The files that exist belong in [`super::DescribeParams::context`].
#[must_use]
pub fn context_paths(changes: &[Change]) -> Vec<String> {
    let mut paths = BTreeSet::new();
    for path in changes.iter().flat_map(|change| [Some(&change.path), change.old_path.as_ref()]) {
        let Some(path) = path else { continue };
        for folder in ancestors(path) {
            paths.extend(MANIFESTS.map(|name| join(folder, name)));
            let entries: &[&str] = match path.rsplit('.').next().unwrap_or_default() {
                "rs" => &["lib.rs", "src/lib.rs", "mod.rs"],
                "ts" | "tsx" | "mts" => &["index.ts", "src/index.ts", "index.tsx", "src/index.tsx"],
                "js" | "jsx" | "mjs" | "cjs" => &["index.js", "src/index.js", "index.mjs"],
                "go" => &["main.go"],
                _ => &[],
            };
            paths.extend(entries.iter().map(|name| join(folder, name)));
            if path.ends_with(".rs") && !folder.is_empty() {
                paths.insert(format!("{folder}.rs"));
            }
        }
    }
    for change in changes {
        paths.remove(&change.path);
    }
    paths.into_iter().collect()
}

/// The directories above a path, nearest first; the root is the empty string.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rsplit_once('/') {
        Some((folder, _)) => Some(folder),
        None => (!path.is_empty()).then_some(""),
    })
    .skip(1)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The known files of the project before the change.
struct ProjectBefore<'a> {
    context: &'a [(String, String)],
    facts: &'a Facts<'a>,
}

impl<'a> ProjectBefore<'a> {
    fn text(&self, path: &str) -> Option<&'a str> {
        for file in &self.facts.files {
            let old = file.change.old_path.as_ref().unwrap_or(&file.change.path);
            if old == path {
                return file.change.before.as_deref();
            }
        }
        self.context.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_str())
    }

    /// The nearest directory above `path` that contains a file `name`, and the text of this file.
    fn manifest<'p>(&self, path: &'p str, name: &str) -> Option<(&'p str, &'a str)> {
        ancestors(path).find_map(|folder| Some((folder, self.text(&join(folder, name))?)))
    }

    /// Whether other packages can use `symbol`.
    fn is_public(&self, located: &LocatedSymbol) -> bool {
        let (path, symbol) = (located.path.as_str(), &located.symbol);
        if !symbol.exported || symbol.in_test || !is_product(path) {
            return false;
        }
        let top = symbol.parent.as_deref().unwrap_or(&symbol.name);
        match path.rsplit('.').next().unwrap_or_default() {
            "rs" => self.is_exposed_by_crate(path, top).unwrap_or(false),
            "ts" | "tsx" | "mts" | "js" | "jsx" | "mjs" | "cjs" => {
                self.is_exposed_by_npm_package(path, top).unwrap_or(false)
            }
            "py" => self.is_in_python_package(path).unwrap_or(false),
            "go" => self.is_in_go_library(path).unwrap_or(false),
            _ => false,
        }
    }

    /// Whether a publishable library crate exposes the symbol through public modules or re-exports
    /// from its root.
    fn is_exposed_by_crate(&self, path: &str, top: &str) -> Option<bool> {
        let (folder, manifest) = self.manifest(path, "Cargo.toml")?;
        let source = join(folder, "src");
        let inside = path.strip_prefix(&source)?.strip_prefix('/')?.strip_suffix(".rs")?;
        let mut parent = self.text(&join(&source, "lib.rs"))?;
        if !is_published_crate(manifest) || inside == "main" || inside.starts_with("bin/") {
            return Some(false);
        }
        let mut at = source;
        let segments = inside.split('/').filter(|part| !matches!(*part, "mod" | "lib"));
        for segment in segments {
            if re_exports(parent, segment, top) {
                return Some(true);
            }
            if !declares_public_module(parent, segment) {
                return Some(false);
            }
            at = join(&at, segment);
            let files = [format!("{at}.rs"), format!("{at}/mod.rs")];
            let Some(text) = files.iter().find_map(|file| self.text(file)) else { break };
            parent = text;
        }
        Some(true)
    }

    /// Whether an npm package that can be published exposes the symbol: the file is an entry point,
    /// or the entry point exports the symbol from the file.
    fn is_exposed_by_npm_package(&self, path: &str, top: &str) -> Option<bool> {
        let (folder, manifest) = self.manifest(path, "package.json")?;
        if !is_published_by_npm(manifest)? {
            return Some(false);
        }
        let tree = json::parse(manifest);
        let inside = path.strip_prefix(folder)?.trim_start_matches('/');
        let stem = without_extension(inside.strip_prefix("src/").unwrap_or(inside));
        if stem == "index" || entry_points(&tree).any(|entry| entry == stem) {
            return Some(true);
        }
        let indexes = ["src/index.ts", "src/index.tsx", "src/index.js", "index.ts", "index.js"];
        let text = indexes.iter().find_map(|name| self.text(&join(folder, name)))?;
        Some(exports_symbol(text, stem, top))
    }

    /// Whether a Python project that is built and installed contains the file outside modules that
    /// are private by name.
    fn is_in_python_package(&self, path: &str) -> Option<bool> {
        let (_, manifest) = self.manifest(path, "pyproject.toml")?;
        let is_hidden = path.split('/').any(|part| {
            (part.starts_with('_') && !part.starts_with("__init__"))
                || matches!(part, "scripts" | "tools" | "setup.py" | "migrations")
        });
        Some(is_published_by_python(manifest) && !is_hidden)
    }

    /// Whether a Go module that is not a program contains the file outside `internal`.
    fn is_in_go_library(&self, path: &str) -> Option<bool> {
        let (folder, _) = self.manifest(path, "go.mod")?;
        let is_program = self.text(&join(folder, "main.go")).is_some();
        let is_hidden = path.split('/').any(|part| matches!(part, "internal" | "cmd" | "main.go"));
        Some(!is_program && !is_hidden)
    }
}

/// Whether a crate with this manifest can be published.
pub(super) fn is_published_crate(manifest: &str) -> bool {
    !keys::toml_settings(manifest).iter().any(|(key, value)| {
        key == "package.publish" && matches!(value.replace(' ', "").as_str(), "false" | "[]")
    })
}

/// Whether an npm package with this manifest can be published and has an entry point.
pub(super) fn is_published_by_npm(manifest: &str) -> Option<bool> {
    let tree = json::parse(manifest);
    let root = *tree.nodes.first()?.children.first()?;
    let is_private = tree.text(root, "private") == Some("true");
    let is_package = tree.text(root, "name").is_some()
        && ["main", "module", "exports", "types", "bin"]
            .iter()
            .any(|key| tree.child(root, key).is_some());
    Some(is_package && !is_private)
}

/// Whether a Python project with this manifest is built and installed.
pub(super) fn is_published_by_python(manifest: &str) -> bool {
    let settings = keys::toml_settings(manifest);
    let has = |key: &str| settings.iter().any(|(name, _)| name.starts_with(key));
    let is_private = manifest.contains("Private ::")
        || settings.iter().any(|(key, v)| key == "tool.poetry.package-mode" && v == "false");
    has("build-system.") && !is_private
}

/// Whether a Rust module declares `pub mod name`.
fn declares_public_module(parent: &str, name: &str) -> bool {
    let pattern = format!(r"(?m)^\s*pub\s+mod\s+{}\s*[;{{]", regex::escape(name));
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(parent))
}

/// Whether a Rust module re-exports the symbol with `pub use name::…`.
fn re_exports(parent: &str, name: &str, symbol: &str) -> bool {
    let pattern = format!(r"pub\s+use\s+(?:(?:crate|self)::)?{}::([^;]*);", regex::escape(name));
    Regex::new(&pattern).is_ok_and(|pattern| {
        pattern
            .captures_iter(parent)
            .any(|found| has_word(&found[1], symbol) || found[1].contains('*'))
    })
}

/// Whether an entry file exports `symbol`, or everything, from the module `stem`.
fn exports_symbol(text: &str, stem: &str, symbol: &str) -> bool {
    let pattern = format!(
        r#"export\s+(?:type\s+)?(\*|\{{[^}}]*\}})[^;\n]*from\s+['"]\./{}(?:\.\w+)?(?:/index)?['"]"#,
        regex::escape(stem.strip_suffix("/index").unwrap_or(stem))
    );
    Regex::new(&pattern).is_ok_and(|pattern| {
        pattern.captures_iter(text).any(|found| &found[1] == "*" || has_word(&found[1], symbol))
    })
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).any(|part| part == word)
}

/// The files that a package.json names as its entry points, without their first directory and
/// extension.
fn entry_points(tree: &Tree) -> impl Iterator<Item = &str> {
    let is_entry = |at: usize| {
        let mut node_and_parents = std::iter::once(at).chain(tree.above(at));
        node_and_parents.any(|at| {
            matches!(tree.nodes[at].key.as_str(), "main" | "module" | "exports" | "types")
        })
    };
    tree.nodes.iter().enumerate().filter(move |(at, _)| is_entry(*at)).filter_map(|(_, node)| {
        let path = node.value.as_deref()?.trim_start_matches("./");
        let inside = ["dist/", "lib/", "build/", "src/", "out/"]
            .iter()
            .find_map(|folder| path.strip_prefix(folder))
            .unwrap_or(path);
        Some(without_extension(inside))
    })
}

fn without_extension(path: &str) -> &str {
    let start = path.rfind('/').map_or(0, |at| at + 1);
    path[start..].find('.').map_or(path, |at| &path[..start + at])
}

/// The breaking changes, one sentence each.
pub(super) fn breaking_changes(facts: &Facts<'_>, context: &[(String, String)]) -> Vec<String> {
    let before = ProjectBefore { context, facts };
    let symbols = &facts.symbols;
    let removed = symbols
        .removed
        .iter()
        .filter(|located| before.is_public(located))
        .map(|located| format!("{} is removed", in_backticks(&located.symbol.name)));
    let renamed =
        symbols.renamed.iter().filter(|pair| before.is_public(&pair.before)).map(|pair| {
            format!(
                "{} is now {}",
                in_backticks(&pair.before.symbol.name),
                in_backticks(&pair.after.symbol.name)
            )
        });
    let changed = symbols.changed.iter().filter_map(|pair| {
        let name = in_backticks(&pair.before.symbol.name);
        if !pair.after.symbol.exported {
            before.is_public(&pair.before).then(|| format!("{name} is private"))
        } else {
            (has_incompatible_signature(pair) && before.is_public(&pair.before))
                .then(|| format!("the signature of {name} changed"))
        }
    });
    let others = breaking::breaking_changes(facts);
    removed.chain(renamed).chain(changed).chain(others).take(MAX_BREAKS).collect()
}

/// Whether callers of a function, or readers of a member, must change their code.
fn has_incompatible_signature(pair: &SymbolPair) -> bool {
    let (before, after) = (&pair.before.symbol, &pair.after.symbol);
    if !matches!(after.kind, SymbolKind::Function | SymbolKind::Member) || !pair.signature_differs()
    {
        return false;
    }
    let path = pair.after.path.as_str();
    match path.rsplit('.').next().unwrap_or_default() {
        // Python does not check types at run time, but callers can pass parameters by name.
        "py" => required_parameters(after, &before.parameters) != before.parameters,
        "js" | "jsx" | "mjs" | "cjs" => {
            required_parameters(after, &before.parameters).len() != before.parameters.len()
        }
        "ts" | "tsx" | "mts" => {
            let added = required_parameters(after, &before.parameters);
            let only_optional = added.len() == before.parameters.len()
                && after.parameters.len() > before.parameters.len();
            !only_optional && without_parameter_names(before) != without_parameter_names(after)
        }
        _ => without_parameter_names(before) != without_parameter_names(after),
    }
}

/// The parameters of a function, without new parameters that are optional.
fn required_parameters(symbol: &Symbol, known: &[String]) -> Vec<String> {
    let tokens: Vec<&str> = symbol.signature.split(TOKEN_SEPARATOR).collect();
    let is_optional = |name: &String| {
        let at = tokens.iter().position(|token| token == name).unwrap_or(tokens.len());
        let after = tokens.iter().skip(at + 1).take_while(|token| !matches!(**token, "," | ")"));
        after.clone().any(|token| matches!(*token, "=" | "?"))
            || at > 0 && matches!(tokens[at - 1], "*" | "**" | "...")
    };
    symbol
        .parameters
        .iter()
        .filter(|name| known.contains(name) || !is_optional(name))
        .cloned()
        .collect()
}

/// A signature without its parameter names, which callers do not write.
fn without_parameter_names(symbol: &Symbol) -> Vec<&str> {
    symbol
        .signature
        .split(TOKEN_SEPARATOR)
        .filter(|token| !matches!(*token, "mut" | "async" | "const"))
        .map(|token| if symbol.parameters.iter().any(|name| name == token) { "" } else { token })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_files_are_above_the_changes() {
        let change = Change { path: "a/src/b/c.rs".to_owned(), ..Change::default() };
        let paths = context_paths(&[change]);
        for path in ["a/Cargo.toml", "Cargo.toml", "a/src/lib.rs", "a/src/b.rs", "a/src/b/mod.rs"] {
            assert!(paths.iter().any(|found| found == path), "{path}: {paths:?}");
        }
        assert!(!paths.iter().any(|found| found == "a/src/b/c.rs"));
    }

    #[test]
    fn entries_and_modules_are_recognized() {
        assert!(
            declares_public_module("pub mod a;\nmod b;", "a")
                && !declares_public_module("pub mod a;\nmod b;", "b")
        );
        assert!(re_exports("pub use self::a::{B, C};", "a", "C"));
        assert!(!re_exports("use a::C;", "a", "C"));
        assert!(exports_symbol("export { A, type B } from './c/d.js'", "c/d", "B"));
        assert!(exports_symbol("export * from \"./c\"", "c/index", "X"));
        assert!(!exports_symbol("export { A } from './c'", "c", "B"));
        let tree = json::parse(
            r#"{"main": "dist/a.cjs", "exports": {"./b": {"import": "./dist/b/c.js"}}, "name": "x"}"#,
        );
        assert_eq!(entry_points(&tree).collect::<Vec<_>>(), ["a", "b/c"]);
    }
}
