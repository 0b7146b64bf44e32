//! The dependencies that a manifest declares, each with its position.
//!
//! [`stack`](super::stack) reads the same files to detect technologies; this module is for checks,
//! which report a position and need every entry, also in other directories.

mod cargo;
mod composer;
mod gemfile;
mod go;
mod jvm;
mod npm;
mod python;
#[cfg(test)]
mod tests;

pub use python::normalize;

use super::stack::{Ecosystem, Group};
use crate::text::paths::parent_dir;
use crate::text::source::Span;

/// A dependency in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name under which the package is imported or linked: the key of the entry.
    pub name: String,
    /// The name in the registry, which differs from `name` for a renamed dependency.
    pub package: String,
    /// The span of the name, without quotes.
    pub span: Span,
    /// The span of the whole entry.
    pub entry: Span,
    /// The requirement, as written: `^1.2`, `>=2,<3`.
    pub requirement: Option<String>,
    /// The purpose of the dependency.
    pub group: Group,
    /// The source of the package.
    pub origin: Origin,
    /// The registry that the entry names, if it is not the default one.
    pub registry: Option<String>,
    /// Whether the entry only defines values that members of a workspace inherit.
    pub shared: bool,
    /// Whether the entry inherits its values from the workspace.
    pub inherits: bool,
    /// Whether another dependency needs the package: `// indirect` in Go.
    pub indirect: bool,
    /// Whether the entry enables features of the package, or applies to some platforms only.
    pub configures: bool,
}

/// Where a package comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The registry that the package manager is configured for.
    #[default]
    Registry,
    /// A Git repository.
    Git,
    /// An archive at a URL.
    Url,
    /// A directory or file of the project.
    Path,
}

/// A place from which packages are downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The URL as written in the manifest.
    pub url: String,
    /// The span of the URL, without quotes.
    pub span: Span,
}

/// A manifest and its dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The path, relative to the root.
    pub path: String,
    /// The ecosystem of the packages.
    pub ecosystem: Ecosystem,
    /// The name of the package that the manifest describes.
    pub name: Option<String>,
    /// The dependencies, in order.
    pub dependencies: Vec<Declared>,
    /// Names that code may import besides the dependencies: replaced and provided packages.
    pub provided: Vec<String>,
    /// The repositories that the manifest adds.
    pub repositories: Vec<Repository>,
}

impl Manifest {
    fn new(path: &str, ecosystem: Ecosystem) -> Self {
        Self {
            path: path.to_owned(),
            ecosystem,
            name: None,
            dependencies: Vec::new(),
            provided: Vec::new(),
            repositories: Vec::new(),
        }
    }

    /// The directory whose files the manifest describes; empty for the root.
    #[must_use]
    pub fn dir(&self) -> &str {
        let dir = parent_dir(&self.path);
        // `requirements/base.txt` describes the directory above.
        let is_list = self.ecosystem == Ecosystem::Pypi && self.path.ends_with(".txt");
        let is_list_dir = dir == "requirements" || dir.ends_with("/requirements");
        if is_list && is_list_dir { parent_dir(dir) } else { dir }
    }
}

impl Declared {
    fn new(name: &str, span: Span, entry: Span, group: Group) -> Self {
        Self {
            name: name.to_owned(),
            package: name.to_owned(),
            span,
            entry,
            requirement: None,
            group,
            origin: Origin::Registry,
            registry: None,
            shared: false,
            inherits: false,
            indirect: false,
            configures: false,
        }
    }
}

/// The ecosystem of the manifest at `path`; `None` if the file is not a manifest that can be read.
#[must_use]
pub fn ecosystem(path: &str) -> Option<Ecosystem> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "package.json" => Some(Ecosystem::Npm),
        "Cargo.toml" => Some(Ecosystem::Cargo),
        "pyproject.toml" | "Pipfile" => Some(Ecosystem::Pypi),
        "pom.xml" | "build.gradle" | "build.gradle.kts" | "libs.versions.toml" => {
            Some(Ecosystem::Maven)
        }
        "Gemfile" | "gems.rb" => Some(Ecosystem::Gem),
        "composer.json" => Some(Ecosystem::Composer),
        "go.mod" => Some(Ecosystem::Go),
        _ => python::is_requirements(path).then_some(Ecosystem::Pypi),
    }
}

/// Reads the manifest at `path` with this text; `None` if the file is not a manifest, or malformed.
#[must_use]
pub fn read(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::new(path, ecosystem(path)?);
    match manifest.ecosystem {
        Ecosystem::Npm => npm::read(text, &mut manifest)?,
        Ecosystem::Cargo => cargo::read(text, &mut manifest)?,
        Ecosystem::Go => go::read(text, &mut manifest),
        Ecosystem::Maven if path.ends_with("pom.xml") => jvm::read_pom(text, &mut manifest)?,
        Ecosystem::Maven if path.ends_with(".toml") => jvm::read_catalog(text, &mut manifest)?,
        Ecosystem::Maven => jvm::read_gradle(text, &mut manifest),
        Ecosystem::Gem => gemfile::read(text, &mut manifest)?,
        Ecosystem::Composer => composer::read(text, &mut manifest)?,
        _ if path.ends_with("Pipfile") => python::read_pipfile(text, &mut manifest)?,
        _ if path.ends_with(".txt") => python::read_requirements(text, &mut manifest),
        _ => python::read_pyproject(text, &mut manifest)?,
    }
    Some(manifest)
}

/// The span inside the quotes of a key or string, if it is quoted.
fn unquoted(text: &str, span: Span) -> Span {
    let slice = text.get(span.range()).unwrap_or_default();
    let is_quoted = slice.len() >= 2
        && slice.starts_with(['"', '\''])
        && slice.ends_with(slice.chars().next().unwrap_or_default());
    if is_quoted { Span { start: span.start + 1, end: span.end - 1 } } else { span }
}
