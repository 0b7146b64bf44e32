//! Dependencies that no file uses.

use super::mentions::{Style, Word, mentioned};
use super::{Found, Manifests, Usage, entry_finding, locks, names};
use crate::forms::project_form::Scope;
use crate::project::declared::{Declared, Manifest, Origin};
use crate::project::stack::{Ecosystem, Group};
use std::collections::BTreeSet;

pub(super) fn find(scope: &Scope<'_>, manifests: &Manifests, usage: &Usage<'_>) -> Vec<Found> {
    let entries = manifests.all.iter().flat_map(|manifest| &manifest.dependencies);
    let inherited: BTreeSet<&str> =
        entries.filter(|entry| entry.inherits).map(|entry| &*entry.name).collect();
    // The library of a crate from Git can have any name, also for members that inherit the entry.
    let from_git: BTreeSet<&str> = manifests
        .all
        .iter()
        .flat_map(|manifest| &manifest.dependencies)
        .filter(|entry| entry.shared && entry.origin == Origin::Git)
        .map(|entry| &*entry.name)
        .collect();
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    for (at, manifest) in manifests.all.iter().enumerate() {
        let has_code = has_code(scope, manifest);
        let names = Names::new(manifest);
        for (entry, declared) in manifest.dependencies.iter().enumerate() {
            if has_code
                && scope.covers(&manifest.path)
                && is_candidate(manifest, &names, declared)
                && !(declared.shared && inherited.contains(&*declared.name))
                && !(declared.inherits && from_git.contains(&*declared.name))
                && !is_imported(manifests, usage, manifest, declared)
            {
                candidates.push((at, entry));
            }
        }
    }
    if candidates.is_empty() {
        return Vec::new();
    }
    let peers = locks::peers(scope, manifests);
    let declared = |&(at, entry): &(usize, usize)| {
        let manifest = &manifests.all[at];
        (manifest, &manifest.dependencies[entry])
    };
    candidates.retain(|candidate| {
        let (manifest, declared) = declared(candidate);
        manifest.ecosystem != Ecosystem::Npm || !peers.contains(&declared.name)
    });
    let words: Vec<Word> = candidates
        .iter()
        .enumerate()
        .flat_map(|(owner, candidate)| {
            let (manifest, declared) = declared(candidate);
            words(manifest, declared).into_iter().map(move |(text, style)| Word {
                text,
                style,
                owner,
            })
        })
        .collect();
    let concerns = |owner: usize, path: &str| {
        let (manifest, _) = declared(&candidates[owner]);
        manifests.concerns(manifest, path)
    };
    let used: BTreeSet<usize> = mentioned(scope, manifests, &words, &|_| true, &concerns);
    let unused = candidates.iter().enumerate().filter(|(owner, _)| !used.contains(owner));
    unused
        .map(|(_, candidate)| {
            let (manifest, declared) = declared(candidate);
            let message = if declared.shared {
                format!("no member of the workspace inherits `{}`", declared.name)
            } else {
                format!("`{}` is declared but not used", declared.name)
            };
            entry_finding(manifest, declared, message)
        })
        .collect()
}

/// The names that a manifest declares.
struct Names<'m> {
    all: BTreeSet<&'m str>,
    /// Peer dependencies: packages that a library installs for its tests, and that its users
    /// provide.
    peers: BTreeSet<&'m str>,
}

impl<'m> Names<'m> {
    fn new(manifest: &'m Manifest) -> Self {
        let entries = manifest.dependencies.iter();
        let peers = entries.clone().filter(|entry| entry.group == Group::Peer);
        Self {
            peers: peers.map(|entry| &*entry.name).collect(),
            all: entries.map(|entry| &*entry.name).collect(),
        }
    }
}

/// Whether the project contains code in the language of the manifest. Without it, the manifest
/// serves another purpose, such as the installation of tools.
fn has_code(scope: &Scope<'_>, manifest: &Manifest) -> bool {
    let extensions: &[&str] = match manifest.ecosystem {
        Ecosystem::Npm => {
            &[".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".vue", ".svelte"]
        }
        Ecosystem::Cargo => &[".rs"],
        Ecosystem::Pypi => &[".py"],
        Ecosystem::Go => &[".go"],
        _ => return false,
    };
    let below = scope.listing.below(manifest.dir());
    below.iter().any(|path| extensions.iter().any(|extension| path.ends_with(extension)))
}

/// Whether a use of the dependency would be visible in the project.
fn is_candidate(manifest: &Manifest, names: &Names<'_>, declared: &Declared) -> bool {
    let name = &*declared.package;
    match manifest.ecosystem {
        Ecosystem::Npm => {
            declared.group != Group::Peer
                && !names.peers.contains(&*declared.name)
                && !names::is_implicit_npm(name, &names.all)
        }
        // Packages in a shared table are used by inheriting them.
        Ecosystem::Cargo => {
            // The library of a crate from Git can have any name.
            let links_only =
                name.ends_with("-sys") || declared.configures || declared.origin == Origin::Git;
            declared.shared || !links_only && !is_renamed_optional(declared)
        }
        // Development tools are run by hand, without an import.
        Ecosystem::Pypi => {
            declared.group == Group::Normal
                && !is_frozen(manifest)
                && declared.origin == Origin::Registry
                && !names::is_implicit_python(name)
        }
        Ecosystem::Go => !declared.indirect && !is_provided(manifest, &declared.name),
        _ => false,
    }
}

/// Minimum number of entries in a list that counts as written by a tool.
const MIN_FROZEN: usize = 10;

/// Whether the list contains indirect dependencies too: `pip freeze` and pip-compile pin every
/// installed package.
fn is_frozen(manifest: &Manifest) -> bool {
    let entries = &manifest.dependencies;
    let is_pinned = |entry: &&Declared| {
        entry.requirement.as_deref().is_some_and(|requirement| requirement.starts_with("=="))
    };
    manifest.path.ends_with(".txt")
        && entries.len() >= MIN_FROZEN
        && entries.iter().filter(is_pinned).count() * 10 >= entries.len() * 9
}

/// Whether the dependency is optional and renamed; such an entry can serve only to enable features
/// of the package.
fn is_renamed_optional(declared: &Declared) -> bool {
    declared.group == Group::Optional && declared.name != declared.package
}

/// Whether a tool or a replacement in `go.mod` requires the Go module.
fn is_provided(manifest: &Manifest, module: &str) -> bool {
    manifest.provided.iter().any(|path| names::is_in_module(path, module))
}

/// Whether a file that concerns the manifest imports the package.
fn is_imported(
    manifests: &Manifests,
    usage: &Usage<'_>,
    manifest: &Manifest,
    declared: &Declared,
) -> bool {
    if declared.shared {
        return false;
    }
    let ecosystem = manifest.ecosystem;
    let imports =
        |name: &str| usage.files(ecosystem, name).any(|path| manifests.concerns(manifest, path));
    match ecosystem {
        Ecosystem::Cargo => {
            let names = names::crate_names(&declared.name, &declared.package);
            names.iter().any(|name| imports(name))
        }
        Ecosystem::Pypi => {
            let modules = names::python_modules(&declared.package);
            modules.iter().any(|module| imports(module))
                || usage
                    .imports_namespace(&declared.package, |path| manifests.concerns(manifest, path))
        }
        Ecosystem::Go => {
            usage.module_files(&declared.name).any(|path| manifests.concerns(manifest, path))
        }
        _ => imports(&declared.name),
    }
}

/// The words that count as a use of the dependency in files that are not parsed.
fn words(manifest: &Manifest, declared: &Declared) -> Vec<(String, Style)> {
    let name = &*declared.name;
    match manifest.ecosystem {
        // Inheriting is the only use of a shared entry.
        _ if declared.shared => Vec::new(),
        Ecosystem::Npm => names::npm_words(name),
        Ecosystem::Cargo => {
            let names = names::crate_names(name, &declared.package).into_iter();
            names.chain([name.to_owned()]).map(|word| (word, Style::Plain)).collect()
        }
        Ecosystem::Pypi => {
            let modules = names::python_modules(&declared.package).into_iter();
            let names = [name.to_lowercase(), crate::project::declared::normalize(name)];
            modules.chain(names).map(|word| (word, Style::Plain)).collect()
        }
        _ => vec![(name.to_owned(), Style::Plain)],
    }
}
