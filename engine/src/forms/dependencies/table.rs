//! All dependencies of a project in one table: declared, locked, used.

use super::end_of_life::{EndOfLife, Lifecycles};
use super::versions::{Locks, Pair, mismatch, must_be_locked, pairs};
use super::{Manifests, Usage, names};
use crate::forms::layers::Imports;
use crate::forms::project_form::Scope;
use crate::project::declared::{Declared, Manifest, Origin};
use crate::project::locked::{Lock, Resolution};
use crate::project::stack::{Ecosystem, Group, Version};
use aidd_page::Guide;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The dependencies of a project.
#[derive(Debug, Serialize)]
pub struct DependencyTable {
    /// One row for each entry of a manifest.
    pub dependencies: Vec<DependencyRow>,
    /// The lock files.
    #[serde(skip)]
    pub locks: Vec<Lock>,
    /// Notes on manifests and lock files that could not be read, and on directories with lock files
    /// of several tools.
    pub notes: Vec<String>,
}

/// An entry of a manifest.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DependencyRow {
    /// The path of the manifest.
    pub manifest: String,
    /// The name of the package in the registry.
    pub name: String,
    /// The ecosystem, which determines the registry and the rules for versions.
    pub ecosystem: Ecosystem,
    /// The purpose of the dependency.
    pub group: Group,
    /// The requirement, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// The locked versions. If there are several, the lock file does not specify which of them is
    /// used.
    pub locked: Vec<String>,
    /// The path of the lock file that applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// The number of files that import the package; `None` if imports are not checked.
    pub used_by: Option<usize>,
    /// Whether the locked version satisfies the requirement; `None` if that is not checked.
    pub satisfied: Option<bool>,
    /// The end of support of the series, according to the knowledge base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_life: Option<EndOfLife>,
    /// The source of the package.
    #[serde(skip)]
    pub origin: Origin,
    /// The registry that the entry names.
    #[serde(skip)]
    pub registry: Option<String>,
    /// The URLs of the repositories that the manifest adds.
    #[serde(skip)]
    pub repositories: Arc<[String]>,
    /// The versions in the registry; `None` if no registry was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedVersions>,
    /// Notes for the reader, one phrase each.
    pub notes: Vec<String>,
}

/// The result of asking the registry of a dependency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PublishedVersions {
    /// The newest stable version.
    Latest(String),
    /// No registry has a package of this name.
    Missing,
    /// Why the versions are not known.
    NotChecked(String),
}

/// Reads the dependencies of the project. `guides` are the shipped guidance pages.
#[must_use]
pub fn read(scope: &Scope<'_>, imports: &Imports<'_>, guides: &[Guide]) -> DependencyTable {
    let manifests = Manifests::read(scope);
    let locks = Locks::read(scope);
    let lifecycles = Lifecycles::new(guides);
    let (graph, _) = imports.graph(scope);
    let usage = Usage::new(graph);
    let mut dependencies = Vec::new();
    {
        let pairs = pairs(&manifests, &locks);
        let mut by_entry: HashMap<(&str, u32), &Pair<'_>> = HashMap::new();
        for pair in &pairs {
            let key = (&*pair.manifest.path, pair.declared.span.start);
            by_entry.insert(key, pair);
        }
        for manifest in manifests.all.iter().filter(|manifest| scope.covers(&manifest.path)) {
            let repositories: Arc<[String]> =
                manifest.repositories.iter().map(|repository| repository.url.clone()).collect();
            for declared in &manifest.dependencies {
                let pair = by_entry.get(&(&*manifest.path, declared.span.start)).copied();
                let used_by = used_by(&manifests, &usage, manifest, declared);
                let row = row(scope, manifest, declared, pair, used_by);
                let row = DependencyRow { repositories: Arc::clone(&repositories), ..row };
                dependencies.push(with_end_of_life(row, declared, &lifecycles));
            }
        }
    }
    let unread = manifests.unread.iter().filter(|path| scope.covers(path));
    let mut notes: Vec<String> = unread
        .map(|path| format!("{path}: not read: malformed or too large; correct the file"))
        .collect();
    notes.extend(super::versions::notes(&locks));
    notes.extend(
        super::versions::several(&locks)
            .into_iter()
            .map(|(_, finding)| format!("{}: {}", finding.path, finding.message)),
    );
    DependencyTable { dependencies, locks: locks.all, notes }
}

fn row(
    scope: &Scope<'_>,
    manifest: &Manifest,
    declared: &Declared,
    pair: Option<&Pair<'_>>,
    used_by: Option<usize>,
) -> DependencyRow {
    let mut notes = Vec::new();
    let mut locked = BTreeSet::new();
    let mut satisfied = None;
    if let Some(pair) = pair {
        match &pair.resolution {
            Resolution::Versions(versions) => {
                // Packages of the project have no version of their own in most lock files.
                let published = versions.iter().filter(|package| package.origin != Origin::Path);
                locked.extend(published.map(|package| package.version.clone()));
                satisfied = super::versions::is_satisfied(pair);
                if mismatch(pair).is_some() {
                    notes.push("locked version does not satisfy the range".to_owned());
                }
            }
            Resolution::Missing if must_be_locked(scope, pair) => {
                notes.push("not in the lock file".to_owned());
            }
            Resolution::Missing | Resolution::Unknown => {}
        }
    }
    match declared.origin {
        Origin::Git => notes.push("from Git".to_owned()),
        Origin::Url => notes.push("from a URL".to_owned()),
        Origin::Path => notes.push("from the project".to_owned()),
        Origin::Registry => {}
    }
    if declared.name != declared.package {
        notes.push(format!("used as {}", declared.name));
    }
    let declared_text = match (&declared.requirement, pair) {
        (None, Some(pair)) => pair.required.declared.requirement.clone(),
        (requirement, _) => requirement.clone(),
    };
    DependencyRow {
        manifest: manifest.path.clone(),
        name: declared.package.clone(),
        ecosystem: manifest.ecosystem,
        group: declared.group,
        declared: declared_text,
        locked: locked.into_iter().collect(),
        lock: pair.map(|pair| pair.lock.path.clone()),
        used_by,
        satisfied,
        end_of_life: None,
        origin: declared.origin,
        registry: declared.registry.clone(),
        repositories: Arc::new([]),
        published: None,
        notes,
    }
}

/// Adds the end of support of the locked version, or of the only series that the range allows.
fn with_end_of_life(
    mut row: DependencyRow,
    declared: &Declared,
    lifecycles: &Lifecycles,
) -> DependencyRow {
    let version = match &row.locked[..] {
        [version] => Version::read(version),
        _ => super::end_of_life::pinned(row.ecosystem, declared),
    };
    let series = version.and_then(|version| lifecycles.series(row.ecosystem, &row.name, &version));
    if let Some((lifecycle, series)) = series {
        let tense = if series.date <= lifecycle.last_updated { "ended" } else { "ends" };
        row.notes.push(format!(
            "support for {} {} {tense} {} (as of {})",
            lifecycle.name, series.series, series.date, lifecycle.last_updated
        ));
        row.end_of_life = Some(series.clone());
    }
    row
}

/// The number of files that import the package; `None` if imports of the ecosystem are not read.
fn used_by(
    manifests: &Manifests,
    usage: &Usage<'_>,
    manifest: &Manifest,
    declared: &Declared,
) -> Option<usize> {
    let ecosystem = manifest.ecosystem;
    // Imports of packages of the project are resolved to files.
    if declared.origin == Origin::Path {
        return None;
    }
    let modules = match ecosystem {
        Ecosystem::Npm => vec![declared.name.clone()],
        Ecosystem::Cargo => names::crate_names(&declared.name, &declared.package),
        Ecosystem::Pypi => names::python_modules(&declared.package),
        Ecosystem::Go => {
            let files: BTreeSet<&str> = usage.module_files(&declared.name).collect();
            return Some(
                files.into_iter().filter(|path| manifests.concerns(manifest, path)).count(),
            );
        }
        _ => return None,
    };
    let files: BTreeSet<&str> =
        modules.iter().flat_map(|module| usage.files(ecosystem, module)).collect();
    Some(files.into_iter().filter(|path| manifests.concerns(manifest, path)).count())
}
