//! Imported packages that no manifest declares.

use super::mentions::{Style, Word, mentioned};
use super::{Found, Manifests, is_foreign, names, package};
use crate::forms::project_form::{ProjectFinding, Scope};
use crate::project::declared::{Manifest, normalize};
use crate::project::imports::{Edge, Graph, Target};
use crate::project::stack::Ecosystem;
use crate::text::paths::{parent_dir, upwards};
use std::collections::{BTreeMap, BTreeSet};

/// An import of a package without a declaration.
struct Candidate<'g> {
    edge: &'g Edge,
    path: &'g str,
    name: &'g str,
    ecosystem: Ecosystem,
}

pub(super) fn find(scope: &Scope<'_>, manifests: &Manifests, graph: &Graph) -> Vec<Found> {
    let declared: Vec<BTreeSet<String>> = manifests.all.iter().map(declared_names).collect();
    let index: BTreeMap<&str, usize> =
        manifests.all.iter().enumerate().map(|(at, manifest)| (&*manifest.path, at)).collect();
    let mut candidates = Vec::new();
    for edge in &graph.edges {
        let Target::Package(target) = &edge.to else { continue };
        let Some((ecosystem, name)) = package(target) else { continue };
        let path = &*graph.files[edge.from].path;
        if is_foreign(path)
            || is_public(path)
            || !scope.covers(path)
            || !is_checked(ecosystem, name, edge)
        {
            continue;
        }
        let mut above = manifests.above(ecosystem, path).peekable();
        let is_described = above.peek().is_some_and(|nearest| describes_code(nearest));
        let is_declared = above.any(|manifest| {
            let names = index.get(&*manifest.path).and_then(|&at| declared.get(at));
            names.is_some_and(|names| declares(ecosystem, names, name))
        });
        if is_described && !is_declared && !is_directory(scope, path, name) {
            candidates.push(Candidate { edge, path, name, ecosystem });
        }
    }
    // Aliases of bundlers and ambient modules are defined in files that are not imported.
    let words: Vec<Word> = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.ecosystem == Ecosystem::Npm)
        .map(|(owner, candidate)| Word {
            text: candidate.name.to_owned(),
            style: Style::Plain,
            owner,
        })
        .collect();
    let can_define = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_config = name.contains("config") || name.contains("rc.") || name.ends_with("rc");
        let is_map =
            name == "package.json" || name.ends_with(".html") || name.contains("importmap");
        is_config || is_map || name.ends_with(".d.ts")
    };
    let is_other = |owner: usize, path: &str| candidates[owner].path != path;
    let defined = if words.is_empty() {
        BTreeSet::new()
    } else {
        mentioned(scope, manifests, &words, &can_define, &is_other)
    };
    let undefined = candidates.iter().enumerate().filter(|(owner, _)| !defined.contains(owner));
    let mut known: BTreeSet<(&str, &str)> = BTreeSet::new();
    undefined
        // One finding per file and package is enough.
        .filter(|(_, candidate)| known.insert((candidate.path, candidate.name)))
        .map(|(_, Candidate { edge, path, name, ecosystem })| {
            let file = match ecosystem {
                Ecosystem::Npm => "package.json",
                Ecosystem::Go => "go.mod",
                Ecosystem::Cargo => "Cargo.toml",
                _ => "manifest",
            };
            let finding = ProjectFinding {
                path: (*path).to_owned(),
                span: Some(edge.span),
                message: format!("`{name}` is imported, but no {file} declares it"),
                names: vec![("name".to_owned(), (*name).to_owned())],
                ..ProjectFinding::default()
            };
            ((*name).to_owned(), finding)
        })
        .collect()
}

/// Whether an undeclared import of this package would be a mistake.
fn is_checked(ecosystem: Ecosystem, name: &str, edge: &Edge) -> bool {
    match ecosystem {
        // Types of a package can be installed by another package.
        Ecosystem::Npm => {
            // Code can load an optional package in a function.
            !edge.type_only && !edge.deferred && is_npm_name(name) && !is_npm_builtin(name)
        }
        // Without a host name, a path is a package of the standard library.
        Ecosystem::Go => name.split('/').next().is_some_and(|host| host.contains('.')),
        // The compiler reports undeclared crates; the names of distributions do not determine the
        // names of their modules.
        _ => false,
    }
}

/// Whether a file is a type definition, or is served unchanged.
fn is_public(path: &str) -> bool {
    path.ends_with(".d.ts") || parent_dir(path).split('/').any(|part| part == "public")
}

/// Whether the manifest describes code. A manifest in a directory of scripts can describe only the
/// tools that are installed there.
fn describes_code(manifest: &Manifest) -> bool {
    match manifest.ecosystem {
        Ecosystem::Npm => !manifest.dependencies.is_empty(),
        _ => true,
    }
}

/// Frameworks, and the packages that code may import because the framework provides them.
const PROVIDED_BY: [(&str, &str); 4] = [
    ("next", "server-only client-only"),
    ("nuxt", "vue vue-router h3 nitropack ofetch ufo unhead defu pathe consola"),
    ("@docusaurus/core", "@docusaurus/theme-common @docusaurus/router"),
    ("@unocss/nuxt", "unocss"),
];

fn declared_names(manifest: &Manifest) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    names.extend(manifest.name.clone());
    names.extend(manifest.provided.iter().cloned());
    for (provider, provided) in PROVIDED_BY {
        if manifest.dependencies.iter().any(|entry| entry.name == provider) {
            names.extend(provided.split(' ').map(str::to_owned));
        }
    }
    for entry in &manifest.dependencies {
        match manifest.ecosystem {
            Ecosystem::Pypi => names.extend(names::python_modules(&entry.package)),
            _ => names.extend([entry.name.clone()]),
        }
        // Types are declared separately: `@types/a__b` for `@a/b`.
        if let Some(typed) = entry.name.strip_prefix("@types/") {
            names.insert(match typed.split_once("__") {
                Some((scope, name)) => format!("@{scope}/{name}"),
                None => typed.to_owned(),
            });
        }
    }
    names
}

fn declares(ecosystem: Ecosystem, names: &BTreeSet<String>, name: &str) -> bool {
    match ecosystem {
        Ecosystem::Go => {
            let mut above = std::iter::successors(Some(name), |path| {
                path.rsplit_once('/').map(|(above, _)| above)
            });
            above.any(|path| names.contains(path))
        }
        Ecosystem::Pypi => names.contains(&normalize(name).replace('-', "_")),
        _ => names.contains(name),
    }
}

/// Whether the first part of an npm name is a directory or file of the project, so that the name
/// can be a path under an alias or a base URL.
fn is_directory(scope: &Scope<'_>, path: &str, name: &str) -> bool {
    let first = name.split('/').next().unwrap_or(name).trim_start_matches('@');
    upwards(parent_dir(path)).any(|dir| {
        ["", "src", "app", "lib", "source", "packages"].iter().any(|below| {
            let parts = [dir, below, first].into_iter().filter(|part| !part.is_empty());
            let candidate = parts.collect::<Vec<_>>().join("/");
            scope.listing.has_dir(&candidate)
                || [".ts", ".tsx", ".js", ".jsx"]
                    .iter()
                    .any(|extension| scope.listing.has_file(&format!("{candidate}{extension}")))
        })
    })
}

/// Whether a name can be the name of a package on npm. Specifiers of bundlers contain other
/// characters: `virtual:pwa-register`, `$lib/a`.
fn is_npm_name(name: &str) -> bool {
    let (scope, base) = match name.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some(parts) => parts,
            None => return false,
        },
        None => ("a", name),
    };
    let is_part = |part: &str| {
        let is_valid = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
        };
        let is_alias = matches!(scope, "site" | "theme" | "generated");
        !is_alias
            && part.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && part.bytes().all(is_valid)
    };
    is_part(scope) && is_part(base) && !base.ends_with(".js")
}

/// Modules of Node.js and of other runtimes.
fn is_npm_builtin(name: &str) -> bool {
    const BUILTINS: [&str; 56] = [
        "assert",
        "async_hooks",
        "buffer",
        "bun",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "diagnostics_channel",
        "dns",
        "domain",
        "electron",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "sea",
        "sqlite",
        "stream",
        "string_decoder",
        "sys",
        "test",
        "timers",
        "tls",
        "trace_events",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "vscode",
        "wasi",
        "worker_threads",
        "zlib",
        "k6",
        "meteor",
        "atom",
        "ext",
        "figma",
        "virtual",
        "astro",
        "xterm",
    ];
    BUILTINS.contains(&name)
}
