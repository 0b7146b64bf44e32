//! The content of lock files: the packages that a package manager chose, with their positions, and
//! which of them each package of the project uses directly.

mod javascript;
mod lines;
mod tables;
#[cfg(test)]
mod tests;

use super::declared::{Manifest, Origin, normalize};
use super::stack::Ecosystem;
use crate::text::conflict::{MERGE_CONFLICT, first_conflict};
use crate::text::paths::parent_dir;
use crate::text::source::Span;
use std::collections::{BTreeSet, HashMap};

/// Maximum size of a lock file that is read, in bytes.
pub const MAX_BYTES: u64 = 24 << 20;

/// The names of the lock files that can be read, with the ecosystem and the tool that writes them.
pub const FILES: [(&str, Ecosystem, &str); 15] = [
    ("package-lock.json", Ecosystem::Npm, "npm"),
    ("npm-shrinkwrap.json", Ecosystem::Npm, "npm"),
    ("pnpm-lock.yaml", Ecosystem::Npm, "pnpm"),
    ("yarn.lock", Ecosystem::Npm, "Yarn"),
    ("bun.lock", Ecosystem::Npm, "Bun"),
    ("Cargo.lock", Ecosystem::Cargo, "Cargo"),
    ("uv.lock", Ecosystem::Pypi, "uv"),
    ("poetry.lock", Ecosystem::Pypi, "Poetry"),
    ("pdm.lock", Ecosystem::Pypi, "PDM"),
    ("Pipfile.lock", Ecosystem::Pypi, "Pipenv"),
    ("go.sum", Ecosystem::Go, "go"),
    ("Gemfile.lock", Ecosystem::Gem, "Bundler"),
    ("gems.locked", Ecosystem::Gem, "Bundler"),
    ("composer.lock", Ecosystem::Composer, "Composer"),
    ("gradle.lockfile", Ecosystem::Maven, "Gradle"),
];

/// A package in a lock file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// The name in the registry, normalized for Python.
    pub name: String,
    /// The exact version.
    pub version: String,
    /// The source of the package.
    pub origin: Origin,
    /// The span of the entry's name or key.
    pub span: Span,
    /// Whether the file contains only the checksum of the package's manifest, as `go.sum` does for
    /// versions that were considered.
    pub is_manifest_only: bool,
    /// The licence, if the lock file contains it: an SPDX expression.
    pub licence: Option<String>,
}

/// The packages of a lock file that one package of the project uses directly: name → indexes into
/// [`Lock::packages`]. If there are several indexes, the file does not specify which of the
/// packages is used.
pub type Direct = HashMap<String, Vec<usize>>;

/// A lock file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The path, relative to the root.
    pub path: String,
    /// The ecosystem of the packages.
    pub ecosystem: Ecosystem,
    /// The tool that writes the file.
    pub tool: &'static str,
    /// The packages, in order.
    pub packages: Vec<Locked>,
    /// The packages of the project that the lock file covers, by [`Lock::key`].
    members: HashMap<String, Direct>,
    /// Whether the members are identified by name instead of directory.
    by_name: bool,
    /// Whether the file lists the direct dependencies separately.
    lists_direct: bool,
    /// `name@range` → index into `packages`, for Yarn.
    by_range: HashMap<String, usize>,
    /// Packages whose versions the project overrides, regardless of ranges.
    pub overridden: BTreeSet<String>,
    /// The position and description of the reason why the file cannot be read.
    pub problem: Option<(Span, String)>,
}

/// The result of looking up a dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution<'l> {
    /// The lock file does not cover the manifest, or does not specify which version is used.
    Unknown,
    /// The lock file covers the manifest, and has no entry for the dependency.
    Missing,
    /// The version that is used; if there are several versions, one of them is used.
    Versions(Vec<&'l Locked>),
}

/// The ecosystem and the tool of the lock file at `path`; `None` if the file is not a lock file.
#[must_use]
pub fn tool(path: &str) -> Option<(Ecosystem, &'static str)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let found = FILES.iter().find(|(known, ..)| *known == name);
    found.map(|(_, ecosystem, tool)| (*ecosystem, *tool))
}

/// Reads the lock file at `path` with this text; `None` if the file is not a lock file.
#[must_use]
pub fn read(path: &str, text: &str) -> Option<Lock> {
    let (ecosystem, tool) = tool(path)?;
    let mut lock = Lock::new(path, ecosystem, tool);
    if let Some(line) = first_conflict(text) {
        lock.problem = Some((Span::new(line.start, line.end), MERGE_CONFLICT.to_owned()));
        return Some(lock);
    }
    match (ecosystem, tool) {
        (_, "npm") => javascript::npm(text, &mut lock),
        (_, "pnpm") => javascript::pnpm(text, &mut lock),
        (_, "Bun") => javascript::bun(text, &mut lock),
        (_, "Yarn") => lines::yarn(text, &mut lock),
        (Ecosystem::Cargo, _) => tables::cargo(text, &mut lock),
        (_, "uv") => tables::uv(text, &mut lock),
        (_, "Pipenv") => tables::pipenv(text, &mut lock),
        (Ecosystem::Pypi, _) => tables::poetry(text, &mut lock),
        (Ecosystem::Go, _) => lines::go_sum(text, &mut lock),
        (Ecosystem::Gem, _) => lines::bundler(text, &mut lock),
        (Ecosystem::Composer, _) => tables::composer(text, &mut lock),
        _ => lines::gradle(text, &mut lock),
    }
    Some(lock)
}

impl Lock {
    fn new(path: &str, ecosystem: Ecosystem, tool: &'static str) -> Self {
        Self {
            path: path.to_owned(),
            ecosystem,
            tool,
            packages: Vec::new(),
            members: HashMap::new(),
            by_name: false,
            lists_direct: false,
            by_range: HashMap::new(),
            overridden: BTreeSet::new(),
            problem: None,
        }
    }

    /// The directory of the file; empty for the root.
    #[must_use]
    pub fn dir(&self) -> &str {
        parent_dir(&self.path)
    }

    /// Adds a package and returns its index.
    fn add(&mut self, name: &str, version: &str, origin: Origin, span: Span) -> usize {
        let (name, version) = (name.to_owned(), version.to_owned());
        let is_manifest_only = false;
        self.packages.push(Locked { name, version, origin, span, is_manifest_only, licence: None });
        self.packages.len() - 1
    }

    /// The indexes of the packages, by name.
    fn by_package(&self) -> Direct {
        let mut by_package = Direct::new();
        for (index, package) in self.packages.iter().enumerate() {
            by_package.entry(package.name.clone()).or_default().push(index);
        }
        by_package
    }

    /// Makes every package a possible direct dependency of the manifest in the same directory.
    fn set_flat(&mut self) {
        let all = self.by_package();
        self.members.insert(String::new(), all);
    }

    /// The key of the manifest in [`Lock::members`]; `None` if the manifest is not in the directory
    /// of the lock file or below it.
    fn key(&self, manifest: &Manifest) -> Option<String> {
        let below = match self.dir() {
            "" => Some(manifest.dir()),
            dir => match manifest.dir().strip_prefix(dir) {
                Some("") => Some(""),
                rest => rest.and_then(|rest| rest.strip_prefix('/')),
            },
        };
        if self.by_name {
            return below.and(manifest.name.as_ref()).map(|name| self.normalize(name));
        }
        below.map(str::to_owned)
    }

    /// The name of a package as it is written in the lock file.
    fn normalize(&self, name: &str) -> String {
        match self.ecosystem {
            Ecosystem::Pypi => normalize(name),
            Ecosystem::Composer => name.to_lowercase(),
            _ => name.to_owned(),
        }
    }

    /// Whether the lock file covers the manifest.
    #[must_use]
    pub fn covers(&self, manifest: &Manifest) -> bool {
        self.key(manifest).is_some_and(|key| self.members.contains_key(&key))
    }

    /// Looks up the dependency `name` of the manifest.
    #[must_use]
    pub fn resolve(&self, manifest: &Manifest, name: &str) -> Resolution<'_> {
        let direct = self.key(manifest).and_then(|key| self.members.get(&key));
        let Some(direct) = direct.filter(|_| self.problem.is_none()) else {
            return Resolution::Unknown;
        };
        match direct.get(&self.normalize(name)).map(Vec::as_slice) {
            None => Resolution::Missing,
            Some([]) => Resolution::Unknown,
            Some(indexes) => Resolution::Versions(
                indexes.iter().filter_map(|&index| self.packages.get(index)).collect(),
            ),
        }
    }

    /// The direct dependencies of the packages in each directory, where the file lists them: the
    /// directory relative to the lock file, the name, and the package.
    pub fn by_dir(&self) -> impl Iterator<Item = (&str, &str, &Locked)> {
        let is_listed = self.lists_direct && !self.by_name;
        let members = self.members.iter().filter(move |_| is_listed);
        members.flat_map(|(dir, direct)| {
            direct.iter().filter_map(|(name, indexes)| match indexes[..] {
                [index] => Some((&**dir, &**name, self.packages.get(index)?)),
                _ => None,
            })
        })
    }

    /// The packages by `name@range`, where the file contains ranges.
    pub fn by_range(&self) -> impl Iterator<Item = (&str, &Locked)> {
        let ranges = self.by_range.iter();
        ranges.filter_map(|(range, &index)| Some((&**range, self.packages.get(index)?)))
    }

    /// The indexes of the packages that a package of the project uses directly; `None` if the file
    /// does not list them separately.
    #[must_use]
    pub fn direct(&self) -> Option<BTreeSet<usize>> {
        let all = self.members.values().flat_map(HashMap::values).flatten().copied();
        self.lists_direct.then(|| all.collect())
    }
}
