//! What a project is built with: its manifests, their dependencies as wanted and as locked, its
//! package managers, the versions of runtimes it pins, and the marks of guidance in it.
//!
//! Manifests are read, never run. They are looked for in the root, in the folders right below it, in
//! those below a folder without a manifest (`services/api`), and wherever a manifest declares a
//! member of its workspace.

mod cargo;
mod dotnet;
mod go;
mod gradle;
pub mod installed;
mod jvm;
mod lock;
mod markers;
mod npm;
mod php;
mod pins;
mod python;
mod read;
mod ruby;
mod settle;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod tests;
pub mod version;

use crate::text::files::{Disk, folders_below};
use lock::Lock;
use read::Reader;
use serde::Serialize;
use settle::{exact, inherit, managed, settle};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use markers::{Markers, markers};
pub use pins::Pin;
pub use version::Version;

/// Most folders that are looked through.
const FOLDERS: usize = 400;

/// Most folders that are looked through below one without a manifest.
const BELOW: usize = 40;

/// Folders that hold what others wrote, or what was built.
const FOREIGN: [&str; 12] = [
    "node_modules",
    "target",
    "vendor",
    "dist",
    "build",
    "out",
    "venv",
    "bin",
    "obj",
    "coverage",
    "__pycache__",
    "third_party",
];

/// Whose packages they are. The words are those of `packages` in knowledge entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    /// JavaScript and TypeScript.
    Npm,
    /// Rust.
    Cargo,
    /// Python.
    Pypi,
    /// Go.
    Go,
    /// Java and Kotlin.
    Maven,
    /// .NET.
    Nuget,
    /// Ruby.
    Gem,
    /// PHP.
    Composer,
}

impl Ecosystem {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Cargo => "cargo",
            Self::Pypi => "pypi",
            Self::Go => "go",
            Self::Maven => "maven",
            Self::Nuget => "nuget",
            Self::Gem => "gem",
            Self::Composer => "composer",
        }
    }
}

impl Ecosystem {
    /// That of a word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let all = [
            Self::Npm,
            Self::Cargo,
            Self::Pypi,
            Self::Go,
            Self::Maven,
            Self::Nuget,
            Self::Gem,
            Self::Composer,
        ];
        all.into_iter().find(|it| it.word() == word)
    }

    /// The name under which files pin what its packages run on, or are built with.
    #[must_use]
    pub fn runtime(self) -> &'static str {
        match self {
            Self::Npm => "node",
            Self::Cargo => "rust",
            Self::Pypi => "python",
            Self::Go => "go",
            Self::Maven => "java",
            Self::Nuget => "dotnet",
            Self::Gem => "ruby",
            Self::Composer => "php",
        }
    }
}

impl fmt::Display for Ecosystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What a dependency is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// The program itself.
    #[default]
    Normal,
    /// Work on it.
    Dev,
    /// Its build.
    Build,
    /// To be brought by whoever uses the package.
    Peer,
    /// Only where it is there, or asked for.
    Optional,
}

/// A package that a manifest names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Dependency {
    /// Its name as its registry has it.
    pub name: String,
    /// The range, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// The version that a lock file settles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<String>,
    /// What it is for.
    pub group: Group,
    /// Whether the range stands in a manifest above, under this name.
    #[serde(skip)]
    pub inherits: Option<String>,
}

impl Dependency {
    fn new(name: impl Into<String>, wanted: Option<&str>, group: Group) -> Self {
        let wanted = wanted.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        Self { name: name.into(), wanted, group, ..Self::default() }
    }

    /// The version that counts: the locked one, else the lower bound of the range.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        let locked = self.locked.as_deref().and_then(Version::read);
        locked.or_else(|| self.wanted.as_deref().and_then(Version::read))
    }
}

/// A manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Its path from the root.
    pub path: String,
    /// Whose packages it names.
    pub ecosystem: Ecosystem,
    /// What it calls the package.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Who installs its packages: `pnpm`, `uv`; `None` when nothing tells.
    pub manager: Option<String>,
    /// What it needs.
    pub dependencies: Vec<Dependency>,
    /// Named commands: those of `scripts`.
    pub scripts: BTreeMap<String, String>,
    /// The file that settles versions for it.
    pub lock: Option<String>,
    /// Whether no lock file speaks of it: those above are of other manifests.
    is_unlocked: bool,
    /// Ranges that manifests below may inherit; names, under their key there after `=`.
    shared: BTreeMap<String, String>,
    /// Folders of the members of its workspace, as globs from its folder.
    members: Vec<String>,
    /// Folders that are no members.
    left_out: Vec<String>,
    /// Versions of runtimes and compilers that it asks for.
    pins: Vec<Pin>,
}

impl Manifest {
    /// An empty manifest of an ecosystem at a path from the root.
    #[must_use]
    pub fn new(path: String, ecosystem: Ecosystem) -> Self {
        Self {
            path,
            ecosystem,
            name: None,
            version: None,
            manager: None,
            dependencies: Vec::new(),
            scripts: BTreeMap::new(),
            lock: None,
            is_unlocked: false,
            shared: BTreeMap::new(),
            members: Vec::new(),
            left_out: Vec::new(),
            pins: Vec::new(),
        }
    }

    /// The folder it lies in; the root is empty.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether it declares a workspace.
    #[must_use]
    pub fn is_workspace(&self) -> bool {
        !self.members.is_empty()
    }
}

/// What a project is built with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// Its manifests, those of the root first.
    pub manifests: Vec<Manifest>,
    /// The runtimes it pins.
    pub pins: Vec<Pin>,
    /// The lock files that were read.
    pub locks: Vec<String>,
    /// What could not be read or told, a sentence each, path first.
    pub problems: Vec<String>,
}

impl Stack {
    /// Whether it holds several packages.
    #[must_use]
    pub fn is_monorepo(&self) -> bool {
        let folders = self.manifests.iter().map(Manifest::folder);
        let below: BTreeSet<&str> = folders.filter(|folder| !folder.is_empty()).collect();
        self.manifests.iter().any(Manifest::is_workspace) || below.len() > 1
    }

    /// The runtime or compiler that the packages of a manifest are built with, as the nearest file at
    /// or above it pins it; of several side by side the first.
    #[must_use]
    pub fn runtime_of(&self, manifest: &Manifest) -> Option<&Pin> {
        let runtime = manifest.ecosystem.runtime();
        installed::above(manifest.folder()).into_iter().find_map(|folder| {
            let here = |pin: &&Pin| pin.path.rsplit_once('/').map_or("", |(of, _)| of) == folder;
            self.pins.iter().filter(|pin| pin.name == runtime).find(here)
        })
    }

    /// Every dependency with the manifest that names it.
    pub fn dependencies(&self) -> impl Iterator<Item = (&Manifest, &Dependency)> {
        self.manifests.iter().flat_map(|manifest| {
            manifest.dependencies.iter().map(move |dependency| (manifest, dependency))
        })
    }

    /// The manifests that count for a file: `path` itself, where it is one, else those of its folder,
    /// or of the nearest folder above that has any.
    #[must_use]
    pub fn nearest(&self, path: &str) -> Vec<&Manifest> {
        if let Some(own) = self.manifests.iter().find(|manifest| manifest.path == path) {
            return vec![own];
        }
        let above = installed::above(path).into_iter();
        let mut found = above.map(|folder| {
            self.manifests.iter().filter(|it| it.folder() == folder).collect::<Vec<_>>()
        });
        found.find(|manifests| !manifests.is_empty()).unwrap_or_default()
    }

    /// The dependencies of this name, in all manifests.
    pub fn named<'a>(
        &'a self,
        ecosystem: &'a str,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a Manifest, &'a Dependency)> {
        self.dependencies().filter(move |(manifest, dependency)| {
            manifest.ecosystem.word() == ecosystem && dependency.name == name
        })
    }
}

/// Reads one manifest in a folder, if there is one.
type ReadManifests = fn(&str, &mut Reader<'_>) -> Vec<Manifest>;
/// Reads the lock files in a folder.
type ReadLocks = fn(&str, &mut Reader<'_>) -> Vec<Lock>;

/// One row an ecosystem.
const ECOSYSTEMS: &[(ReadManifests, ReadLocks)] = &[
    (npm::manifests, npm::locks),
    (cargo::manifests, cargo::locks),
    (python::manifests, python::locks),
    (go::manifests, go::locks),
    (jvm::manifests, no_locks),
    (gradle::manifests, gradle::locks),
    (dotnet::manifests, dotnet::locks),
    (ruby::manifests, ruby::locks),
    (php::manifests, php::locks),
];

/// Maven has no lock file: what a POM names is built.
fn no_locks(_: &str, _: &mut Reader<'_>) -> Vec<Lock> {
    Vec::new()
}

/// What the project on `disk` is built with.
#[must_use]
pub fn detect(disk: &Disk) -> Stack {
    detect_at(disk, "")
}

/// The same, with the manifests of `folder` and of all folders above it, wherever it lies.
#[must_use]
pub fn detect_at(disk: &Disk, folder: &str) -> Stack {
    let mut reader = Reader::new(disk);
    let mut stack = Stack::default();
    let mut locks = Vec::new();
    let mut seen = BTreeSet::new();
    let mut left = vec![String::new()];
    left.extend(installed::above(folder).into_iter().map(str::to_owned));
    let outer: Vec<String> =
        folders_below(disk, "").into_iter().filter(|name| !is_foreign(name)).collect();
    left.extend(outer.iter().cloned());
    let mut at = 0;
    while let Some(folder) = left.get(at).cloned() {
        at += 1;
        if !seen.insert(folder.clone()) {
            continue;
        }
        if seen.len() > FOLDERS {
            let said =
                format!("{folder}: {FOLDERS} folders were looked through; the others were not");
            reader.problems.push(said);
            break;
        }
        reader.enter(&folder);
        let known = stack.manifests.len();
        for (manifests, read_locks) in ECOSYSTEMS {
            let found = manifests(&folder, &mut reader);
            for manifest in &found {
                left.extend(members(disk, manifest, &mut reader.problems));
            }
            stack.manifests.extend(found);
            locks.extend(read_locks(&folder, &mut reader));
        }
        stack.pins.extend(pins::files(&folder, &mut reader));
        let is_bare = stack.manifests.len() == known && outer.contains(&folder);
        if is_bare && !is_aside(&folder) && !is_claimed(&folder, &stack.manifests) {
            let below = folders_below(disk, &folder);
            left.extend(below.into_iter().filter(|name| !is_foreign(name)).take(BELOW));
        }
    }
    inherit(&mut stack.manifests);
    settle(&mut stack.manifests, &locks);
    managed(&mut stack.manifests);
    for manifest in &mut stack.manifests {
        exact(manifest);
    }
    let asked = stack.manifests.iter_mut().flat_map(|manifest| std::mem::take(&mut manifest.pins));
    stack.pins.extend(asked.collect::<Vec<_>>());
    stack.locks = locks.into_iter().map(|lock| lock.path).collect();
    stack.problems = reader.problems;
    stack
}

/// Folders whose packages are there to be tried or shown.
fn is_aside(folder: &str) -> bool {
    let words =
        ["test", "tests", "spec", "fixtures", "testdata", "example", "examples", "samples", "docs"];
    words.contains(&folder)
}

/// Whether a workspace of the root says itself what below `folder` belongs to it, by a pattern: what
/// does not fit it was left out.
fn is_claimed(folder: &str, manifests: &[Manifest]) -> bool {
    let roots = manifests.iter().filter(|manifest| manifest.folder().is_empty());
    let globs = roots.flat_map(|manifest| &manifest.members);
    let mut globs = globs.filter(|glob| glob.contains(['*', '?', '[', '{']));
    globs.any(|glob| glob.trim_start_matches("./").split('/').next() == Some(folder))
}

fn is_foreign(folder: &str) -> bool {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    FOREIGN.contains(&name)
}

/// The folders that the globs of a workspace stand for. One that matches nothing is a problem.
fn members(disk: &Disk, manifest: &Manifest, problems: &mut Vec<String>) -> Vec<String> {
    let mut found = Vec::new();
    let from = manifest.folder();
    let left_out = manifest.left_out.iter().filter_map(|glob| read::resolve(from, glob));
    let left_out: Vec<_> = left_out.filter_map(|glob| matcher(&glob)).collect();
    for glob in &manifest.members {
        let Some(inside) = read::resolve(from, glob) else {
            let said =
                format!("{}: the member `{glob}` lies outside of the project", manifest.path);
            problems.push(said);
            continue;
        };
        let folders = expand(disk, &inside);
        if folders.is_empty() {
            problems.push(format!("{}: the member `{glob}` is no folder", manifest.path));
        }
        found.extend(folders.into_iter().filter(|folder| {
            !is_foreign(folder) && !left_out.iter().any(|glob| glob.is_match(folder))
        }));
    }
    found
}

fn matcher(glob: &str) -> Option<globset::GlobMatcher> {
    let glob = globset::GlobBuilder::new(glob).literal_separator(true).build();
    glob.ok().map(|glob| glob.compile_matcher())
}

/// The folders that fit a glob, looked for segment by segment.
fn expand(disk: &Disk, glob: &str) -> Vec<String> {
    let mut folders = vec![String::new()];
    for segment in glob.split('/').filter(|part| !part.is_empty() && *part != ".") {
        let mut next = Vec::new();
        for folder in folders {
            if segment == "**" {
                // No workspace nests deeper without declaring it.
                let below = folders_below(disk, &folder);
                let deeper = below.iter().filter(|name| !is_foreign(name));
                let deeper: Vec<String> =
                    deeper.flat_map(|folder| folders_below(disk, folder)).collect();
                next.push(folder);
                next.extend(below);
                next.extend(deeper);
            } else if segment.contains(['*', '?', '{', '[']) {
                let Some(matcher) = matcher(segment) else { continue };
                let name = |path: &String| path.rsplit('/').next().unwrap_or(path).to_owned();
                let below = folders_below(disk, &folder);
                next.extend(below.into_iter().filter(|path| matcher.is_match(name(path))));
            } else {
                next.push(read::join(&folder, segment));
            }
            if next.len() > FOLDERS {
                next.truncate(FOLDERS);
                break;
            }
        }
        folders = next;
    }
    folders.retain(|folder| disk.locate(folder).is_ok_and(|path| path.is_dir()));
    folders
}
