//! Detects the technologies of a project: manifests, their dependencies as requested and as locked,
//! package managers, pinned runtime versions, and guidance.
//!
//! Manifests are read, never run. They are searched for in the root, in its direct subdirectories,
//! in the subdirectories of direct subdirectories without a manifest (`services/api`), and in the
//! declared members of workspaces.

mod cargo;
mod dotnet;
mod go;
mod gradle;
mod guidance;
mod images;
pub mod installed;
mod jvm;
#[cfg(test)]
mod layout_tests;
mod lock;
mod members;
mod npm;
mod php;
mod pins;
mod python;
mod read;
mod resolve_versions;
mod ruby;
#[cfg(test)]
mod tests;
pub mod version;

use crate::text::files::{Disk, Files, dirs_below};
use lock::Lock;
use members::{is_auxiliary, is_foreign, is_left_out, members};
use read::Reader;
use resolve_versions::{apply_exact_ranges, apply_locks, inherit, inherit_managers};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub(super) use gradle::{group_of as gradle_group, quoted_coordinates as gradle_pattern};
pub use guidance::{ProjectGuidance, find_guidance};
pub use images::ImageUse;
pub use pins::Pin;
pub use version::Version;

/// Maximum number of directories to search.
const MAX_DIRS: usize = 400;

/// Maximum number of subdirectories to search in a directory without a manifest.
const MAX_SUBDIRS: usize = 40;

/// A package ecosystem. Its serialized names are used under `packages` in knowledge entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    /// JavaScript and TypeScript, on npm.
    Npm,
    /// Rust, on crates.io.
    Cargo,
    /// Python, on PyPI.
    Pypi,
    /// Go modules.
    Go,
    /// Java and Kotlin, on Maven Central.
    Maven,
    /// .NET, on NuGet.
    Nuget,
    /// Ruby, on RubyGems.
    Gem,
    /// PHP, on Packagist.
    Composer,
}

impl Ecosystem {
    /// The word for the ecosystem in JSON and knowledge entries.
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
    /// The ecosystem for a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
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
        all.into_iter().find(|ecosystem| ecosystem.word() == word)
    }

    /// The name of the runtime or compiler of the ecosystem's packages, as used in files that pin
    /// versions.
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

/// The purpose of a dependency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Required by the program.
    #[default]
    Normal,
    /// Required for development.
    Dev,
    /// Required for the build.
    Build,
    /// Provided by the project that uses the package.
    Peer,
    /// Installed if possible: npm `optionalDependencies` and similar.
    Optional,
}

/// A dependency in a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Dependency {
    /// The name in the registry.
    pub name: String,
    /// The version range, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// The version in the lock file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<String>,
    /// The purpose of the dependency.
    pub group: Group,
    /// The name under which a parent manifest defines the range, if the range is inherited.
    #[serde(skip)]
    pub inherits: Option<String>,
    /// The path of the parent manifest that defines the inherited range.
    #[serde(skip)]
    pub inherited_from: Option<String>,
    /// The name under which the project installs the package, if it differs: npm's `npm:` ranges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

impl Dependency {
    fn new(name: impl Into<String>, wanted: Option<&str>, group: Group) -> Self {
        let wanted = wanted.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        Self { name: name.into(), wanted, group, ..Self::default() }
    }

    /// The effective version: the locked version, or else the lower bound of the range.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        let locked = self.locked.as_deref().and_then(Version::read);
        locked.or_else(|| self.wanted.as_deref().and_then(Version::read))
    }
}

/// A manifest with its dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The path, relative to the root.
    pub path: String,
    /// The ecosystem of the packages.
    pub ecosystem: Ecosystem,
    /// The name of the package.
    pub name: Option<String>,
    /// The version of the package.
    pub version: Option<String>,
    /// The package manager: `pnpm`, `uv`; `None` if unknown.
    pub manager: Option<String>,
    /// Whether the package manager is Yarn 1, whose commands differ from those of later versions.
    pub uses_yarn_classic: bool,
    /// The programs and directories of the project with which its checks run, such as `bin/rails`
    /// and `mvnw`: those that exist in the directory of the manifest.
    pub tools: Vec<&'static str>,
    /// The dependencies, as listed.
    pub dependencies: Vec<Dependency>,
    /// The named commands in `scripts`.
    pub scripts: BTreeMap<String, String>,
    /// The path of the lock file that applies to the manifest.
    pub lock: Option<String>,
    /// Whether no lock file applies, because lock files in parent directories belong to other
    /// manifests.
    is_unlocked: bool,
    /// The version ranges that manifests in subdirectories can inherit, by key. A key with the
    /// prefix `=` maps to the name of the package instead.
    shared: BTreeMap<String, String>,
    /// The directories of the workspace members, as globs relative to the directory of the
    /// manifest.
    members: Vec<String>,
    /// Directories excluded from the workspace.
    excluded: Vec<String>,
    /// Required versions of runtimes and compilers.
    pins: Vec<Pin>,
}

impl Manifest {
    /// An empty manifest at a path relative to the root.
    #[must_use]
    pub fn new(path: String, ecosystem: Ecosystem) -> Self {
        Self {
            path,
            ecosystem,
            name: None,
            version: None,
            manager: None,
            uses_yarn_classic: false,
            tools: Vec::new(),
            dependencies: Vec::new(),
            scripts: BTreeMap::new(),
            lock: None,
            is_unlocked: false,
            shared: BTreeMap::new(),
            members: Vec::new(),
            excluded: Vec::new(),
            pins: Vec::new(),
        }
    }

    /// The directory of the manifest; empty for the root.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether the manifest declares a workspace.
    #[must_use]
    pub fn is_workspace(&self) -> bool {
        !self.members.is_empty()
    }
}

/// The technologies of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// The manifests; the manifests in the root come first.
    pub manifests: Vec<Manifest>,
    /// The pinned versions of runtimes.
    pub pins: Vec<Pin>,
    /// The paths of the lock files that were read.
    pub locks: Vec<String>,
    /// The problems with reading files, one sentence each, starting with the path.
    pub problems: Vec<String>,
    /// The container images that files of the project name; only [`detect_with_images`] reads them.
    pub images: Vec<ImageUse>,
}

impl Stack {
    /// Whether the project has several packages.
    #[must_use]
    pub fn is_monorepo(&self) -> bool {
        let folders = self.manifests.iter().map(Manifest::folder);
        let below: BTreeSet<&str> = folders.filter(|folder| !folder.is_empty()).collect();
        self.manifests.iter().any(Manifest::is_workspace) || below.len() > 1
    }

    /// The runtime or compiler version for the packages of a manifest, from the nearest file in the
    /// manifest's directory or a parent; if a directory has several files, from the first.
    #[must_use]
    pub fn runtime_of(&self, manifest: &Manifest) -> Option<&Pin> {
        let runtime = manifest.ecosystem.runtime();
        installed::self_and_ancestors(manifest.folder()).into_iter().find_map(|folder| {
            let is_in_folder =
                |pin: &&Pin| pin.path.rsplit_once('/').map_or("", |(dir, _)| dir) == folder;
            self.pins.iter().filter(|pin| pin.name == runtime).find(is_in_folder)
        })
    }

    /// Every dependency with its manifest.
    pub fn dependencies(&self) -> impl Iterator<Item = (&Manifest, &Dependency)> {
        self.manifests.iter().flat_map(|manifest| {
            manifest.dependencies.iter().map(move |dependency| (manifest, dependency))
        })
    }

    /// The manifests that apply to a file: the file itself if it is a manifest, otherwise the
    /// manifests in the nearest directory at or above it that contains manifests.
    #[must_use]
    pub fn nearest(&self, path: &str) -> Vec<&Manifest> {
        if let Some(own) = self.manifests.iter().find(|manifest| manifest.path == path) {
            return vec![own];
        }
        let above = installed::self_and_ancestors(path).into_iter();
        let mut found = above.map(|folder| {
            self.manifests.iter().filter(|manifest| manifest.folder() == folder).collect::<Vec<_>>()
        });
        found.find(|manifests| !manifests.is_empty()).unwrap_or_default()
    }

    /// The dependencies with this name, in all manifests.
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

/// Reads the manifests of one ecosystem in a directory.
type ReadManifests = fn(&str, &mut Reader<'_>) -> Vec<Manifest>;
/// Reads the lock files of one ecosystem in a directory.
type ReadLocks = fn(&str, &mut Reader<'_>) -> Vec<Lock>;

/// The readers of each ecosystem.
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

/// Programs and directories with which projects of an ecosystem run their checks.
const TOOLS: [(Ecosystem, &str); 7] = [
    (Ecosystem::Gem, "bin/rails"),
    (Ecosystem::Gem, "bin/rubocop"),
    (Ecosystem::Gem, "spec"),
    (Ecosystem::Gem, "test"),
    (Ecosystem::Pypi, "manage.py"),
    (Ecosystem::Maven, "mvnw"),
    (Ecosystem::Maven, "gradlew"),
];

fn tools(disk: &Disk, folder: &str, ecosystem: Ecosystem) -> Vec<&'static str> {
    let exists = |path: &str| disk.is_dir(path) || disk.exists(path);
    let own = TOOLS.iter().filter(|(other, _)| *other == ecosystem).map(|(_, path)| *path);
    own.filter(|path| exists(&read::join(folder, path))).collect()
}

/// Maven has no lock file; the versions in a POM are the versions that are built.
fn no_locks(_: &str, _: &mut Reader<'_>) -> Vec<Lock> {
    Vec::new()
}

/// Detects the technologies of the project on `disk`.
#[must_use]
pub fn detect(disk: &Disk) -> Stack {
    detect_at(disk, "")
}

/// Like [`detect`], and also reads the container images of Compose files, CI workflows and
/// Dockerfiles in the same directories.
#[must_use]
pub fn detect_with_images(disk: &Disk) -> Stack {
    let (mut stack, folders) = detect_in(disk, "");
    stack.images = images::images(disk, &folders);
    stack
}

/// Like [`detect`], and also reads the manifests of `folder` and all its parent directories.
#[must_use]
pub fn detect_at(disk: &Disk, folder: &str) -> Stack {
    detect_in(disk, folder).0
}

/// The technologies, and the directories that were searched.
fn detect_in(disk: &Disk, folder: &str) -> (Stack, BTreeSet<String>) {
    let mut reader = Reader::new(disk);
    let mut stack = Stack::default();
    let mut locks = Vec::new();
    let mut seen = BTreeSet::new();
    let mut member_folders = BTreeSet::new();
    let mut queue = vec![String::new()];
    queue.extend(installed::self_and_ancestors(folder).into_iter().map(str::to_owned));
    let outer: Vec<String> =
        dirs_below(disk, "").into_iter().filter(|name| !is_foreign(name)).collect();
    queue.extend(outer.iter().cloned());
    let mut at = 0;
    while let Some(folder) = queue.get(at).cloned() {
        at += 1;
        if !seen.insert(folder.clone()) {
            continue;
        }
        if seen.len() > MAX_DIRS {
            let message = format!(
                "{folder}: stopped after {MAX_DIRS} directories; the others were not searched"
            );
            reader.problems.push(message);
            break;
        }
        reader.enter(&folder);
        let manifest_count = stack.manifests.len();
        for (manifests, read_locks) in ECOSYSTEMS {
            let mut found = manifests(&folder, &mut reader);
            if !member_folders.contains(&folder) {
                found
                    .retain(|manifest| !is_left_out(&folder, manifest.ecosystem, &stack.manifests));
            }
            for manifest in &mut found {
                manifest.tools = tools(disk, &folder, manifest.ecosystem);
                let members = members(disk, manifest, &mut reader.problems);
                queue.extend(members.iter().cloned());
                member_folders.extend(members);
            }
            stack.manifests.extend(found);
            locks.extend(read_locks(&folder, &mut reader));
        }
        stack.pins.extend(pins::files(&folder, &mut reader));
        let has_no_manifest = stack.manifests.len() == manifest_count && outer.contains(&folder);
        if has_no_manifest && !is_auxiliary(&folder) {
            let below = dirs_below(disk, &folder);
            queue.extend(below.into_iter().filter(|name| !is_foreign(name)).take(MAX_SUBDIRS));
        }
    }
    inherit(&mut stack.manifests);
    apply_locks(&mut stack.manifests, &locks);
    inherit_managers(&mut stack.manifests);
    for manifest in &mut stack.manifests {
        apply_exact_ranges(manifest);
    }
    let manifest_pins =
        stack.manifests.iter_mut().flat_map(|manifest| std::mem::take(&mut manifest.pins));
    stack.pins.extend(manifest_pins.collect::<Vec<_>>());
    stack.locks = locks.into_iter().map(|lock| lock.path).collect();
    stack.problems = reader.problems;
    (stack, seen)
}
