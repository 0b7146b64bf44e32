//! Resolves imports to files of the project or packages.

use super::project_files::{ProjectFiles, name_of};
use super::rust_modules::Crates;
use super::script_config::ScriptConfig;
use super::{Facts, Name, go_modules, python_roots, script_resolve};
use crate::project::manifest;
use crate::text::files::Files;
use crate::text::listing::Listing;
use crate::text::paths::{parent_dir, upwards};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The result of resolving an import.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Resolution {
    /// Files of the project.
    Files(BTreeSet<String>),
    /// A package: `npm:lodash`, `py:requests`, `crate:serde`, `go:fmt`, `java:java.util.List`.
    Package(String),
    /// The import refers to a part of the project that does not exist.
    Missing,
    /// The target cannot be determined.
    Unknown,
}

impl Resolution {
    pub(super) fn files<S: Into<String>>(paths: impl IntoIterator<Item = S>) -> Self {
        Self::Files(paths.into_iter().map(Into::into).collect())
    }
}

/// The data for resolving imports, in addition to the list of files.
#[derive(Debug)]
pub(super) struct ResolveContext {
    script: ScriptConfig,
    /// Root directories of absolute Python imports.
    python: Vec<String>,
    /// Path of a Go module → its directory; longest path first.
    go: Vec<(String, String)>,
    /// Qualified name of a Java class → file.
    classes: BTreeMap<String, String>,
    /// Java package → its files.
    packages: BTreeMap<String, BTreeSet<String>>,
    pub(super) crates: Crates,
}

impl ResolveContext {
    pub(super) fn new(
        files: &dyn Files,
        listing: &Listing,
        facts: &BTreeMap<String, Arc<Facts>>,
    ) -> Self {
        let project = ProjectFiles(listing);
        let (mut classes, mut packages) = (BTreeMap::new(), BTreeMap::<_, BTreeSet<_>>::new());
        for (path, facts) in facts {
            let Some(package) = &facts.package else { continue };
            let stem = name_of(path).trim_end_matches(".java");
            classes.entry(format!("{package}.{stem}")).or_insert_with(|| path.clone());
            packages.entry(package.clone()).or_default().insert(path.clone());
        }
        Self {
            script: ScriptConfig::new(files, &project),
            python: python_roots::roots(files, &project),
            go: go_modules::modules(files, &project),
            crates: Crates::new(files, &project, facts),
            classes,
            packages,
        }
    }
}

/// Resolves imports with [`ResolveContext`] and the list of files.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    project: ProjectFiles<'a>,
    pub(super) context: &'a ResolveContext,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(listing: &'a Listing, context: &'a ResolveContext) -> Self {
        Self { project: ProjectFiles(listing), context }
    }

    /// Resolves `name` in the file at `from`.
    pub(super) fn resolve(&self, from: &str, name: &Name) -> Resolution {
        match name {
            Name::Script(specifier) => {
                script_resolve::resolve(&self.project, &self.context.script, from, specifier)
            }
            Name::Python { level: 0, module, member } => {
                self.resolve_python(from, module, member.as_ref())
            }
            Name::Python { level, module, member } => {
                self.resolve_relative_python(from, *level, module, member.as_ref())
            }
            Name::Rust { path, inside } => self.context.crates.resolve(from, path, inside),
            Name::Go(path) => self.resolve_go(path),
            Name::Java { name, all } => self.resolve_java(name, *all),
        }
    }

    fn resolve_python(&self, from: &str, module: &str, member: Option<&String>) -> Resolution {
        let nearest = |root: &&String| {
            root.is_empty()
                || from.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        // A script can import modules in its own directory; a module of a package cannot.
        let folder = parent_dir(from);
        let script = (!self.project.has_file(&below(folder, "__init__.py"))).then_some(folder);
        let (near, far): (Vec<_>, Vec<_>) = self.context.python.iter().partition(nearest);
        let roots = near.into_iter().rev().chain(far).map(String::as_str).chain(script);
        let mut is_in_project = false;
        for root in roots {
            if let Some(path) = self.python_module(root, module, member) {
                return Resolution::files([path]);
            }
            let first = module.split('.').next().unwrap_or_default();
            is_in_project |= self.is_python_part(root, first);
        }
        if is_in_project {
            Resolution::Missing
        } else {
            Resolution::Package(format!("py:{module}"))
        }
    }

    fn resolve_relative_python(
        &self,
        from: &str,
        level: usize,
        module: &str,
        member: Option<&String>,
    ) -> Resolution {
        let Some(folder) = upwards(parent_dir(from)).nth(level - 1) else {
            return Resolution::Missing;
        };
        match self.python_module(folder, module, member) {
            Some(path) => Resolution::files([path]),
            None => Resolution::Missing,
        }
    }

    /// The file of `module.member` or `module` below `root`.
    fn python_module(&self, root: &str, module: &str, member: Option<&String>) -> Option<String> {
        let path = module.split('.').filter(|part| !part.is_empty());
        let path = path.fold(root.to_owned(), |path, part| below(&path, part));
        let deeper = member.and_then(|member| self.python_file(&below(&path, member)));
        deeper.or_else(|| self.python_file(&path))
    }

    fn python_file(&self, path: &str) -> Option<String> {
        let package = ["__init__.py", "__init__.pyi"].map(|name| below(path, name));
        let module = [".py", ".pyi"].map(|extension| format!("{path}{extension}"));
        package.into_iter().chain(module).find(|path| self.project.has_file(path))
    }

    /// Whether the Python name that starts with `first` belongs to the code below `root`.
    fn is_python_part(&self, root: &str, first: &str) -> bool {
        let path = below(root, first);
        // A directory without `__init__.py` is also a package if it contains modules.
        self.python_file(&path).is_some()
            || self.project.files_in(&path).any(|path| path.ends_with(".py"))
    }

    fn resolve_go(&self, path: &str) -> Resolution {
        let inside = self.context.go.iter().find_map(|(module, folder)| {
            let rest = path.strip_prefix(module.as_str())?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| (folder, rest.trim_start_matches('/')))
        });
        let Some((folder, rest)) = inside else { return Resolution::Package(format!("go:{path}")) };
        let folder = if rest.is_empty() { folder.clone() } else { below(folder, rest) };
        let of_package = |path: &&str| path.ends_with(".go") && !path.ends_with("_test.go");
        let files: BTreeSet<String> =
            self.project.files_in(&folder).filter(of_package).map(str::to_owned).collect();
        if files.is_empty() { Resolution::Missing } else { Resolution::Files(files) }
    }

    fn resolve_java(&self, name: &str, all: bool) -> Resolution {
        if all && let Some(files) = self.context.packages.get(name) {
            return Resolution::Files(files.clone());
        }
        // A member of a class or a nested class: also search the enclosing names.
        let enclosing = std::iter::successors(Some(name), |name| Some(name.rsplit_once('.')?.0));
        if let Some(path) = enclosing.clone().find_map(|name| self.context.classes.get(name)) {
            return Resolution::files([path.as_str()]);
        }
        // The class is missing only if the project has the package that would contain the class.
        let package = name.rsplit_once('.').map_or("", |(package, _)| package);
        if self.context.packages.contains_key(package) {
            return Resolution::Missing;
        }
        Resolution::Package(format!("java:{name}"))
    }
}

/// A path below a directory.
fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The strings at a path of keys in a manifest, where the value is a single string or a list.
pub(super) fn listed(value: &serde_json::Value, keys: &[&str]) -> Vec<String> {
    manifest::strings(manifest::at(value, keys)).map(str::to_owned).collect()
}
