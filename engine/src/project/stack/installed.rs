//! Finds packages that are installed or vendored in the project, which determine the actual
//! versions in use. Files are read but never run, and only below the root. Caches outside the
//! project are ignored, because they contain packages of other projects.

use super::python::normalize_name;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Manifest, Version};
use crate::text::files::{Disk, Files, dirs_below};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Common names of Python virtual environments.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// A package in the directory in which its package manager installs packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledPackage {
    /// The file or directory from which the version was read.
    pub path: String,
    /// The installed version.
    pub version: Version,
    /// The path of the package's interface documentation: types, a guide, sources.
    pub documents: Option<String>,
}

/// The installed packages of a project. Files that list many packages are read only once.
pub struct InstalledPackages<'d> {
    reader: RefCell<Reader<'d>>,
    records: RefCell<BTreeMap<String, Option<Value>>>,
}

impl<'d> InstalledPackages<'d> {
    /// Finds packages of the project on `disk`.
    #[must_use]
    pub fn new(disk: &'d Disk) -> Self {
        Self { reader: RefCell::new(Reader::new(disk)), records: RefCell::default() }
    }

    /// The problems with reading files, one sentence each, starting with the path.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        self.reader.borrow().problems.clone()
    }

    /// The package for `dependency` of `manifest`: in the manifest's directory, or else in the
    /// nearest parent directory. `None` if the package is not installed, or the name is not a valid
    /// package name.
    #[must_use]
    pub fn find(&self, manifest: &Manifest, dependency: &Dependency) -> Option<InstalledPackage> {
        // The name is untrusted input from the manifest.
        let name = &*dependency.name;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "@/-_.~+".contains(c);
        let is_safe = name.chars().all(is_name)
            && !name.starts_with('/')
            && !name.split('/').any(|part| matches!(part, "" | "." | ".."));
        if !is_safe {
            return None;
        }
        self_and_ancestors(manifest.folder()).into_iter().find_map(|folder| {
            match manifest.ecosystem {
                Ecosystem::Npm => self.find_npm(folder, name),
                Ecosystem::Cargo => self.find_cargo(folder, name, dependency),
                Ecosystem::Pypi => self.find_python(folder, name),
                Ecosystem::Go => self.find_go(folder, name),
                Ecosystem::Nuget => self.find_nuget(folder, name),
                Ecosystem::Gem => self.find_gem(folder, name),
                Ecosystem::Composer => self.find_composer(folder, name),
                // Maven packages are in a cache outside the project.
                Ecosystem::Maven => None,
            }
        })
    }

    fn disk(&self) -> &'d Disk {
        self.reader.borrow().disk
    }

    fn text(&self, path: &str) -> Option<String> {
        self.reader.borrow_mut().text(path)
    }

    /// Applies `find` to a JSON file that lists many packages.
    fn with_record<T>(&self, path: &str, find: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
        let mut records = self.records.borrow_mut();
        let read = || self.reader.borrow_mut().json(path);
        find(records.entry(path.to_owned()).or_insert_with(read).as_ref()?)
    }

    fn find_npm(&self, folder: &str, name: &str) -> Option<InstalledPackage> {
        let package = join(folder, &format!("node_modules/{name}"));
        let path = format!("{package}/package.json");
        let value = self.reader.borrow_mut().json(&path)?;
        let version = Version::read(value["version"].as_str()?)?;
        let types = value["types"].as_str().or(value["typings"].as_str());
        let documents = types.map(|types| format!("{package}/{}", types.trim_start_matches("./")));
        Some(InstalledPackage { path, version, documents })
    }

    /// `cargo vendor` creates a directory for each package. If the vendor directory has several
    /// versions of a package, the directories of all versions except the newest include the
    /// version.
    fn find_cargo(
        &self,
        folder: &str,
        name: &str,
        dependency: &Dependency,
    ) -> Option<InstalledPackage> {
        let locked = dependency.locked.as_deref();
        let exact = locked.map(|version| format!("vendor/{name}-{version}"));
        for package in exact.into_iter().chain([format!("vendor/{name}")]) {
            let package = join(folder, &package);
            let path = format!("{package}/Cargo.toml");
            let Some(value) = self.reader.borrow_mut().toml(&path) else { continue };
            let version = Version::read(value["package"]["version"].as_str()?)?;
            let source = format!("{package}/src/lib.rs");
            let documents = self.disk().exists(&source).then_some(source);
            return Some(InstalledPackage { path, version, documents });
        }
        None
    }

    fn find_python(&self, folder: &str, name: &str) -> Option<InstalledPackage> {
        let disk = self.disk();
        for environment in ENVIRONMENTS {
            let home = join(folder, environment);
            if !disk.is_dir(&home) || disk.to_relative(&home).is_none() {
                continue;
            }
            let libraries = dirs_below(disk, &format!("{home}/lib"));
            let python_libraries = libraries.iter().filter(|path| path.contains("/python"));
            let package_dirs = python_libraries.map(|path| format!("{path}/site-packages"));
            // The second directory is used on Windows.
            for package_dir in package_dirs.chain([format!("{home}/Lib/site-packages")]) {
                if let Some(found) = self.distribution(&package_dir, name) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Reads `name-1.2.dist-info/METADATA`:
    /// <https://packaging.python.org/en/latest/specifications/recording-installed-packages/>.
    fn distribution(&self, package_dir: &str, name: &str) -> Option<InstalledPackage> {
        let disk = self.disk();
        let mut folders = dirs_below(disk, package_dir).into_iter();
        let folder = folders.find(|folder| {
            let folder = folder.rsplit('/').next().unwrap_or(folder);
            let stem = folder.strip_suffix(".dist-info");
            stem.and_then(|stem| stem.rsplit_once('-'))
                .is_some_and(|(it, _)| normalize_name(it) == name)
        })?;
        let path = format!("{folder}/METADATA");
        let text = self.text(&path)?;
        // The header ends with the first empty line; the author's description follows.
        let header = text.lines().take_while(|line| !line.is_empty());
        let version = header.clone().find_map(|line| line.strip_prefix("Version:"))?;
        let version = Version::read(version)?;
        let module = format!("{package_dir}/{}", name.replace('-', "_"));
        let module_files = [format!("{module}/py.typed"), format!("{module}/__init__.py")];
        let documents = module_files.into_iter().find(|path| disk.exists(path));
        Some(InstalledPackage { path, version, documents })
    }

    /// Parses `# module v1.2.3` or `# module v1.2.3 => other v1.2.4`.
    fn find_go(&self, folder: &str, name: &str) -> Option<InstalledPackage> {
        let path = join(folder, "vendor/modules.txt");
        let text = self.text(&path)?;
        let line = text.lines().find_map(|line| {
            let (module, rest) = line.strip_prefix("# ")?.split_once(' ')?;
            (module == name).then_some(rest)
        })?;
        let version = Version::read(line.split_whitespace().next_back()?)?;
        let sources = join(folder, &format!("vendor/{name}"));
        let documents = self.disk().is_dir(&sources).then_some(sources);
        Some(InstalledPackage { path, version, documents })
    }

    /// Reads the result of the last restore, in the project's directory.
    fn find_nuget(&self, folder: &str, name: &str) -> Option<InstalledPackage> {
        let path = join(folder, "obj/project.assets.json");
        let version = self.with_record(&path, |record| {
            let libraries = record["libraries"].as_object()?;
            libraries.keys().find_map(|library| {
                let (id, version) = library.split_once('/')?;
                id.eq_ignore_ascii_case(name).then(|| Version::read(version))?
            })
        })?;
        Some(InstalledPackage { path, version, documents: None })
    }

    fn find_gem(&self, folder: &str, name: &str) -> Option<InstalledPackage> {
        let disk = self.disk();
        for ruby in dirs_below(disk, &join(folder, "vendor/bundle/ruby")) {
            for path in dirs_below(disk, &format!("{ruby}/gems")) {
                let gem = path.rsplit('/').next().unwrap_or(&path);
                let rest = gem.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
                // `rack-test-2.1` is another package, not a version of `rack`.
                let number = rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                // `1.18.2-x86_64-linux` is a platform-specific build.
                let number = number.and_then(|rest| rest.split('-').next());
                if let Some(version) = number.and_then(Version::read) {
                    let guide = format!("{path}/README.md");
                    let documents = disk.exists(&guide).then_some(guide);
                    return Some(InstalledPackage { path, version, documents });
                }
            }
        }
        None
    }

    fn find_composer(&self, folder: &str, name: &str) -> Option<InstalledPackage> {
        let path = join(folder, "vendor/composer/installed.json");
        let version = self.with_record(&path, |record| {
            // Composer 1 stored the list at the top level.
            let packages = record["packages"].as_array().or(record.as_array())?;
            let package = packages.iter().find(|package| package["name"] == name)?;
            Version::read(package["version"].as_str()?)
        })?;
        let guide = join(folder, &format!("vendor/{name}/README.md"));
        let documents = self.disk().exists(&guide).then_some(guide);
        Some(InstalledPackage { path, version, documents })
    }
}

/// A directory and all its ancestors, the root last.
pub(super) fn self_and_ancestors(folder: &str) -> Vec<&str> {
    let mut found = vec![folder];
    let mut at = folder;
    while !at.is_empty() {
        at = at.rsplit_once('/').map_or("", |(parent, _)| parent);
        found.push(at);
    }
    found
}
