//! The form `dependencies`: compares the manifests of the project with the imports of its files.
//!
//! The import graph shows which file imports which package. A dependency that no file imports can
//! still be in use: a configuration names it, a script runs it, or another package needs it. Such
//! uses are searched for as text (`mentions`), in the files that belong to the manifest.

mod drift;
pub mod end_of_life;
mod licences;
mod locks;
mod mentions;
mod names;
pub mod table;
mod undeclared;
mod unused;
mod versions;

use super::layers::Imports;
use super::project_form::{ProjectFinding, ProjectResult, Scope};
use crate::project::declared::{self, Declared, Manifest};
use crate::project::imports::{Graph, Target};
use crate::project::stack::Ecosystem;
use crate::text::files::side_file;
use crate::text::paths::{parent_dir, upwards};
use aidd_page::{DependenciesHeader, DependencyReport, Guide};
use end_of_life::Lifecycles;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use versions::Locks;

/// Runs the check in `header` over the project. `guides` are the shipped guidance pages.
#[must_use]
pub fn run(
    header: &DependenciesHeader,
    scope: &Scope<'_>,
    imports: &Imports<'_>,
    guides: &[Guide],
) -> ProjectResult {
    let Some(report) = header.report else { return ProjectResult::default() };
    // The rules of one run share the parsed files.
    let manifests: Arc<Manifests> =
        imports.shared().get_or_compute("manifests", || Manifests::read(scope));
    let locks = || imports.shared().get_or_compute("locks", || Locks::read(scope));
    let is_ignored = |name: &str| header.ignore.iter().any(|ignored| ignored == name);
    let mut notes = Vec::new();
    let mut found = match report {
        DependencyReport::Unused => {
            let (graph, _) = imports.graph(scope);
            unused::find(scope, &manifests, &Usage::new(graph))
        }
        DependencyReport::Undeclared => {
            let (graph, _) = imports.graph(scope);
            undeclared::find(scope, &manifests, graph)
        }
        DependencyReport::MajorDrift => drift::find(&manifests),
        DependencyReport::LockMismatch => {
            notes = versions::notes(&locks());
            versions::mismatches(&manifests, &locks())
        }
        DependencyReport::NotLocked => versions::not_locked(scope, &manifests, &locks()),
        DependencyReport::SeveralLockFiles => versions::several(&locks()),
        DependencyReport::EndOfLife => {
            end_of_life::find(&manifests, &locks(), &Lifecycles::new(guides))
        }
        DependencyReport::Licence => licences::find(scope, &locks(), &header.allow),
    };
    found.retain(|(name, finding)| !is_ignored(name) && scope.covers(&finding.path));
    let checked = manifests.all.iter().filter(|manifest| scope.covers(&manifest.path)).count();
    let found = found.into_iter().map(|(_, finding)| finding).collect();
    ProjectResult { found, checked, notes }
}

/// A finding and the name of the affected package.
type Found = (String, ProjectFinding);

/// A finding at the name of an entry in a manifest.
fn entry_finding(manifest: &Manifest, declared: &Declared, message: String) -> Found {
    let finding = ProjectFinding {
        path: manifest.path.clone(),
        span: Some(declared.span),
        message,
        names: vec![("name".to_owned(), declared.name.clone())],
        ..ProjectFinding::default()
    };
    (declared.name.clone(), finding)
}

/// The manifests of the project.
struct Manifests {
    /// All manifests, ordered by path.
    all: Vec<Manifest>,
    /// The paths of the manifests that could not be read, ordered.
    unread: Vec<String>,
    /// Ecosystem and directory → indexes of the manifests that describe the files there.
    by_dir: HashMap<(Ecosystem, String), Vec<usize>>,
}

/// Directories with code of third parties, or with projects that are data of tests or generators.
const FOREIGN_DIRS: [&str; 14] = [
    "node_modules",
    "vendor",
    "third_party",
    "fixtures",
    "__fixtures__",
    "fixture",
    "testdata",
    "test-data",
    "templates",
    "template",
    "__mocks__",
    "snapshots",
    "dist",
    ".yarn",
];

/// Whether a path is in a directory of [`FOREIGN_DIRS`].
fn is_foreign(path: &str) -> bool {
    // `{{` marks the templates of project generators.
    parent_dir(path).split('/').any(|part| FOREIGN_DIRS.contains(&part) || part.contains("{{"))
}

impl Manifests {
    fn read(scope: &Scope<'_>) -> Self {
        let listed = scope.listing.files().iter();
        let listed = listed.filter(|path| declared::ecosystem(path).is_some() && !is_foreign(path));
        let read = |path: &String| declared::read(path, &side_file(scope.files, path)?);
        let (mut all, mut unread) = (Vec::new(), Vec::new());
        for path in listed {
            match read(path) {
                Some(manifest) => all.push(manifest),
                None => unread.push(path.clone()),
            }
        }
        all.sort_by(|a: &Manifest, b| a.path.cmp(&b.path));
        unread.sort();
        let mut by_dir: HashMap<(Ecosystem, String), Vec<usize>> = HashMap::new();
        for (index, manifest) in all.iter().enumerate() {
            let key = (manifest.ecosystem, manifest.dir().to_owned());
            by_dir.entry(key).or_default().push(index);
        }
        Self { all, unread, by_dir }
    }

    /// The manifests of an ecosystem in the directory of the file at `path` and the directories
    /// above it, nearest first.
    fn above<'a>(
        &'a self,
        ecosystem: Ecosystem,
        path: &'a str,
    ) -> impl Iterator<Item = &'a Manifest> {
        let dirs = upwards(parent_dir(path));
        let indexes = dirs.filter_map(move |dir| self.by_dir.get(&(ecosystem, dir.to_owned())));
        indexes.flatten().filter_map(|&index| self.all.get(index))
    }

    /// Whether a use in the file at `path` can be a use of a dependency of `manifest`: the file is
    /// in the directory of the manifest or below it. In npm, other files can also use the
    /// dependency: files without a manifest in their directory or above it, and files whose nearest
    /// manifest is also above `manifest` (such as a configuration file in the root).
    fn concerns(&self, manifest: &Manifest, path: &str) -> bool {
        if is_below(manifest.dir(), path) {
            return true;
        }
        if manifest.ecosystem != Ecosystem::Npm {
            return false;
        }
        let nearest = self.above(manifest.ecosystem, path).next();
        nearest.is_none_or(|nearest| is_below(nearest.dir(), &manifest.path))
    }
}

/// Whether a path is in the directory `dir` at any depth.
fn is_below(dir: &str, path: &str) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

/// The packages that files import.
struct Usage<'g> {
    /// Ecosystem and name of the package → the paths of the files that import it.
    by_package: BTreeMap<(Ecosystem, String), BTreeSet<&'g str>>,
    /// Imported Python modules whose name contains a dot, normalized like the name of a
    /// distribution.
    namespaces: BTreeMap<String, BTreeSet<&'g str>>,
}

impl<'g> Usage<'g> {
    fn new(graph: &'g Graph) -> Self {
        let mut by_package: BTreeMap<(Ecosystem, String), BTreeSet<&str>> = BTreeMap::new();
        let mut namespaces: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for edge in &graph.edges {
            let Target::Package(target) = &edge.to else { continue };
            let Some((ecosystem, name)) = package(target) else { continue };
            let path = &*graph.files[edge.from].path;
            by_package.entry((ecosystem, name.to_owned())).or_default().insert(path);
            if let Some(module) = target.strip_prefix("py:").filter(|module| module.contains('.')) {
                namespaces.entry(declared::normalize(module)).or_default().insert(path);
            }
        }
        Self { by_package, namespaces }
    }

    /// Whether a file imports a module in the namespace that a distribution is named after:
    /// `google.cloud.storage` of `google-cloud-storage`.
    fn imports_namespace(&self, distribution: &str, concerns: impl Fn(&str) -> bool) -> bool {
        let name = declared::normalize(distribution);
        let mut modules = self.namespaces.range(name.clone()..);
        let mut modules = std::iter::from_fn(move || modules.next())
            .take_while(|(module, _)| module.starts_with(&name))
            .filter(|(module, _)| matches!(module.as_bytes().get(name.len()), None | Some(b'-')));
        modules.any(|(_, files)| files.iter().any(|path| concerns(path)))
    }

    /// The files that import a package of a Go module.
    fn module_files(&self, module: &str) -> impl Iterator<Item = &'g str> {
        let from = (Ecosystem::Go, module.to_owned());
        let paths = self.by_package.range(from..);
        let in_module = paths
            .take_while(move |((ecosystem, path), _)| {
                *ecosystem == Ecosystem::Go && path.starts_with(module)
            })
            .filter(move |((_, path), _)| names::is_in_module(path, module));
        in_module.flat_map(|(_, files)| files.iter().copied())
    }

    /// The files that import a package.
    fn files(&self, ecosystem: Ecosystem, name: &str) -> impl Iterator<Item = &'g str> {
        self.by_package.get(&(ecosystem, name.to_owned())).into_iter().flatten().copied()
    }
}

/// The ecosystem of an imported package and the name of the package, without the path of a module
/// in the package. For Go, the name is the whole path: only the manifest defines where the module
/// ends.
fn package(target: &str) -> Option<(Ecosystem, &str)> {
    let (kind, path) = target.split_once(':')?;
    let prefix = |end: Option<usize>| &path[..end.unwrap_or(path.len())];
    match kind {
        "npm" => {
            let parts = if path.starts_with('@') { 2 } else { 1 };
            let end = path.match_indices('/').nth(parts - 1).map(|(at, _)| at);
            Some((Ecosystem::Npm, prefix(end)))
        }
        "py" => Some((Ecosystem::Pypi, prefix(path.find('.')))),
        "crate" => Some((Ecosystem::Cargo, path.split("::").next().unwrap_or(path))),
        "go" => Some((Ecosystem::Go, path)),
        _ => None,
    }
}
