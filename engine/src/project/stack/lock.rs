//! The versions in lock files, for lookups by directory, range and name.

use super::read::Reader;
use super::{Dependency, Ecosystem, Version};
use crate::project::locked;
use serde_json::Value;
use std::collections::BTreeMap;

/// A parsed lock file.
#[derive(Clone, Debug)]
pub(super) struct Lock {
    /// The path, relative to the root.
    pub(super) path: String,
    pub(super) ecosystem: Ecosystem,
    /// The package manager that wrote the file.
    pub(super) manager: Option<String>,
    /// Whether Yarn 1 wrote the file.
    pub(super) is_yarn_classic: bool,
    /// Directory of a member, relative to the lock file → name → version.
    pub(super) by_member: BTreeMap<String, BTreeMap<String, String>>,
    /// `name@range` → version.
    pub(super) by_range: BTreeMap<String, String>,
    /// Name → all locked versions.
    pub(super) versions: BTreeMap<String, Vec<String>>,
}

impl Lock {
    pub(super) fn new(path: String, ecosystem: Ecosystem, manager: &str) -> Self {
        Self {
            path,
            ecosystem,
            manager: (!manager.is_empty()).then(|| manager.to_owned()),
            is_yarn_classic: false,
            by_member: BTreeMap::new(),
            by_range: BTreeMap::new(),
            versions: BTreeMap::new(),
        }
    }

    /// Reads the lock file at `path`, if it exists and is valid.
    pub(super) fn read(path: String, manager: &str, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(&path)?;
        let found = locked::read(&path, &text)?;
        if let Some((span, message)) = found.problem {
            reader.report(&path, &text, span, &message);
            return None;
        }
        let version = |package: &locked::Locked| {
            let version = &package.version;
            version.strip_prefix('v').unwrap_or(version).to_owned()
        };
        // Links to packages of the project have a path in place of a version.
        let has_version = |package: &locked::Locked| {
            !package.version.is_empty() && !package.version.contains(':')
        };
        let mut lock = Self::new(path, found.ecosystem, manager);
        for (dir, name, package) in found.by_dir() {
            if has_version(package) {
                let names = lock.by_member.entry(dir.to_owned()).or_default();
                names.insert(name.to_owned(), version(package));
            }
        }
        for (range, package) in found.by_range() {
            lock.by_range.insert(range.to_owned(), version(package));
        }
        // If the file lists the direct dependencies, other packages with the same name are
        // transitive dependencies.
        if lock.by_member.is_empty() {
            for package in found.packages.iter().filter(|package| has_version(package)) {
                lock.add(&*package.name, version(package));
            }
        }
        Some(lock)
    }

    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub(super) fn add(&mut self, name: impl Into<String>, version: impl Into<String>) {
        let versions = self.versions.entry(name.into()).or_default();
        let version = version.into();
        if !versions.contains(&version) {
            versions.push(version);
        }
    }

    /// Adds the tables in an array that have `name` and `version`.
    pub(super) fn add_packages(&mut self, packages: &Value, name_of: fn(&str) -> String) {
        for package in packages.as_array().into_iter().flatten() {
            if let (Some(name), Some(version)) =
                (package["name"].as_str(), package["version"].as_str())
            {
                self.add(name_of(name), version.strip_prefix('v').unwrap_or(version));
            }
        }
    }

    /// The version of `dependency` for a member in `folder`. `None` when the lock file has no
    /// version, or several versions match.
    pub(super) fn version(&self, folder: &str, dependency: &Dependency) -> Option<String> {
        // Lock files of npm list a package under the name under which it is installed.
        let name = dependency.alias.as_ref().unwrap_or(&dependency.name);
        let below = folder.strip_prefix(self.folder()).unwrap_or(folder).trim_start_matches('/');
        // A member without its own version of a package uses the version of a parent directory.
        let mut member = Some(below);
        while let Some(at) = member {
            let names = self.by_member.get(at);
            let version =
                names.and_then(|names| names.get(name).or_else(|| names.get(&dependency.name)));
            if let Some(version) = version {
                return Some(version.clone());
            }
            member = match at.rsplit_once('/') {
                Some((above, _)) => Some(above),
                None => (!at.is_empty()).then_some(""),
            };
        }
        if let Some(wanted) = &dependency.wanted {
            let target = match dependency.alias {
                Some(_) => format!("{}@", dependency.name),
                None => String::new(),
            };
            for range in [format!("{name}@{wanted}"), format!("{name}@npm:{target}{wanted}")] {
                if let Some(version) = self.by_range.get(&range) {
                    return Some(version.clone());
                }
            }
        }
        match self.versions.get(name).map_or(&[][..], |versions| versions) {
            [] => None,
            [single] => Some(single.clone()),
            several => newest_compatible(several, dependency.wanted.as_deref()?),
        }
    }
}

/// The newest version that is compatible with the range.
fn newest_compatible(versions: &[String], wanted: &str) -> Option<String> {
    let compatible_with = Version::read(wanted)?.compatibility_series();
    let parsed =
        versions.iter().filter_map(|text| Version::read(text).map(|parsed| (parsed, text)));
    let compatible =
        parsed.filter(|(version, _)| version.compatibility_series() == compatible_with);
    compatible.max_by(|a, b| a.0.cmp(&b.0)).map(|(_, text)| text.clone())
}
