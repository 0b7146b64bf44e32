//! Finds the crates of a project and their modules, and resolves Rust paths.

use super::Facts;
use super::project_files::{ProjectFiles, name_of};
use super::resolve::Resolution;
use crate::project::manifest::{at, text, toml};
use crate::text::files::Files;
use crate::text::paths::{join, parent_dir};
use crate::text::source::Span;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The crates that can be used without a dependency.
const STANDARD: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

/// A package with a manifest.
#[derive(Debug)]
struct Package {
    folder: String,
    manifest: Value,
    /// The name of the package's library, as used in code.
    library: String,
    /// The index of the library's crate.
    root: Option<usize>,
    /// Name in code → package name.
    dependencies: BTreeMap<String, String>,
}

/// A crate with its root file and modules.
#[derive(Debug)]
struct Crate {
    package: usize,
    file: String,
    is_test: bool,
    /// Path of a module → its file.
    modules: BTreeMap<Vec<String>, String>,
}

/// A declared module without a file.
#[derive(Clone, Debug)]
pub(super) struct MissingModule {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) span: Span,
}

/// All crates of the project.
#[derive(Debug, Default)]
pub(super) struct Crates {
    packages: Vec<Package>,
    by_name: BTreeMap<String, usize>,
    crates: Vec<Crate>,
    /// File → its crate, by index, and its module.
    modules_by_file: BTreeMap<String, (usize, Vec<String>)>,
    /// Files that are for tests only.
    pub(super) tests: BTreeSet<String>,
    pub(super) missing: Vec<MissingModule>,
}

impl Crates {
    pub(super) fn new(
        files: &dyn Files,
        project: &ProjectFiles<'_>,
        facts: &BTreeMap<String, Arc<Facts>>,
    ) -> Self {
        let mut all = Self::default();
        for path in project.files_named("Cargo.toml") {
            all.add_package(toml(files, path), parent_dir(path), project);
        }
        let mut non_test_files: BTreeSet<String> = BTreeSet::new();
        for index in 0..all.crates.len() {
            all.follow_modules(index, project, facts, &mut non_test_files);
        }
        all.tests.retain(|path| !non_test_files.contains(path));
        all
    }

    fn add_package(&mut self, manifest: Value, folder: &str, project: &ProjectFiles<'_>) {
        let Some(name) = text(&manifest, &["package", "name"]).map(str::to_owned) else { return };
        let library = text(&manifest, &["lib", "name"]).unwrap_or(&name).replace('-', "_");
        let dependencies = dependencies(&manifest);
        let index = self.packages.len();
        let package =
            Package { folder: folder.to_owned(), manifest, library, root: None, dependencies };
        let roots = roots(&package, project);
        self.by_name.entry(name).or_insert(index);
        self.packages.push(package);
        for (file, is_library, is_test) in roots {
            if is_library {
                self.packages[index].root = Some(self.crates.len());
            }
            let modules = BTreeMap::from([(Vec::new(), file.clone())]);
            self.crates.push(Crate { package: index, file, is_test, modules });
        }
    }

    /// Follows the `mod` declarations from the root of a crate.
    fn follow_modules(
        &mut self,
        index: usize,
        project: &ProjectFiles<'_>,
        facts: &BTreeMap<String, Arc<Facts>>,
        non_test_files: &mut BTreeSet<String>,
    ) {
        let root = &self.crates[index];
        let mut remaining = VecDeque::from([(root.file.clone(), Vec::new(), root.is_test)]);
        let mut seen = BTreeSet::new();
        while let Some((file, module, test)) = remaining.pop_front() {
            // A file can refer to itself with `#[path]`.
            if !seen.insert(file.clone()) {
                continue;
            }
            self.modules_by_file.entry(file.clone()).or_insert_with(|| (index, module.clone()));
            if test {
                self.tests.insert(file.clone());
            } else {
                non_test_files.insert(file.clone());
            }
            let Some(facts) = facts.get(&file) else { continue };
            let is_root = module.is_empty();
            for declared in &facts.modules {
                let mut path = module.clone();
                path.extend(declared.inside.iter().cloned());
                path.push(declared.name.clone());
                if !declared.is_external {
                    self.crates[index].modules.insert(path, file.clone());
                    continue;
                }
                match declared_file(project, &file, is_root, declared) {
                    Some(found) => {
                        self.crates[index].modules.insert(path.clone(), found.clone());
                        remaining.push_back((found, path, test || declared.test));
                    }
                    None => self.missing.push(MissingModule {
                        file: file.clone(),
                        name: declared.name.clone(),
                        span: declared.span,
                    }),
                }
            }
        }
    }

    /// Resolves `path` in the inline modules `inside` of the file at `from`.
    pub(super) fn resolve(&self, from: &str, path: &[String], inside: &[String]) -> Resolution {
        // The file does not belong to a known crate.
        let Some((index, module)) = self.modules_by_file.get(from) else {
            return Resolution::Unknown;
        };
        let mut module: Vec<String> = module.iter().chain(inside).cloned().collect();
        let Some((first, rest)) = path.split_first() else { return Resolution::Unknown };
        match first.as_str() {
            "crate" => self.walk(*index, Vec::new(), rest),
            "self" => self.walk(*index, module, rest),
            "super" => {
                let supers = path.iter().take_while(|segment| *segment == "super").count();
                if supers > module.len() {
                    return Resolution::Missing;
                }
                module.truncate(module.len() - supers);
                self.walk(*index, module, &path[supers..])
            }
            "" => rest.split_first().map_or(Resolution::Unknown, |(first, rest)| {
                self.resolve_in_other_crate(*index, first, rest)
            }),
            _ => {
                let mut child = module.clone();
                child.push(first.clone());
                if self.crates[*index].modules.contains_key(&child) {
                    return self.walk(*index, module, path);
                }
                self.resolve_in_other_crate(*index, first, rest)
            }
        }
    }

    /// The file of the deepest module along `rest`, starting at `module`.
    fn walk(&self, index: usize, mut module: Vec<String>, rest: &[String]) -> Resolution {
        let modules = &self.crates[index].modules;
        let Some(mut file) = modules.get(&module) else { return Resolution::Missing };
        for segment in rest {
            module.push(segment.clone());
            match modules.get(&module) {
                Some(deeper) => file = deeper,
                None => break,
            }
        }
        Resolution::files([file.as_str()])
    }

    /// Resolves a path that starts with the name of another crate.
    fn resolve_in_other_crate(&self, index: usize, name: &str, rest: &[String]) -> Resolution {
        let package = &self.packages[self.crates[index].package];
        let named = package.dependencies.get(name);
        let root = match named {
            Some(named) => self.by_name.get(named).and_then(|&at| self.packages[at].root),
            None if name == package.library => package.root,
            None => None,
        };
        match (root, named) {
            (Some(root), _) => self.walk(root, Vec::new(), rest),
            (None, Some(named)) => Resolution::Package(format!("crate:{named}")),
            (None, None) if STANDARD.contains(&name) => {
                Resolution::Package(format!("crate:{name}"))
            }
            (None, None) => Resolution::Unknown,
        }
    }
}

/// The file of `mod name;` in `file`.
fn declared_file(
    project: &ProjectFiles<'_>,
    file: &str,
    is_root: bool,
    declared: &super::Module,
) -> Option<String> {
    let folder = parent_dir(file);
    let stem = name_of(file).trim_end_matches(".rs");
    let base_dir = if is_root || stem == "mod" { folder.to_owned() } else { join(folder, stem)? };
    let below = declared.inside.iter().try_fold(base_dir, |at, name| join(&at, name))?;
    if let Some(path) = &declared.path {
        let base_dir = if declared.inside.is_empty() { folder } else { &below };
        return join(base_dir, path).filter(|path| project.has_file(path));
    }
    let name = &declared.name;
    let candidates = [format!("{name}.rs"), format!("{name}/mod.rs")];
    candidates.iter().filter_map(|name| join(&below, name)).find(|path| project.has_file(path))
}

/// The root files of the crates of a package: the file, whether the crate is the library, and
/// whether the crate is for tests (<https://doc.rust-lang.org/cargo/guide/project-layout.html>).
fn roots(package: &Package, project: &ProjectFiles<'_>) -> Vec<(String, bool, bool)> {
    let manifest = &package.manifest;
    let existing_file =
        |path: &str| join(&package.folder, path).filter(|path| project.has_file(path));
    let mut roots = Vec::new();
    let library = text(manifest, &["lib", "path"]).unwrap_or("src/lib.rs");
    roots.extend(existing_file(library).map(|path| (path, true, false)));
    let build = text(manifest, &["package", "build"]).unwrap_or("build.rs");
    let others = ["src/main.rs", build];
    roots.extend(others.into_iter().filter_map(existing_file).map(|path| (path, false, false)));
    let kinds = [
        ("bin", "src/bin", false),
        ("example", "examples", false),
        ("test", "tests", true),
        ("bench", "benches", true),
    ];
    for (key, folder, is_test) in kinds {
        let named = at(manifest, &[key]).as_array().into_iter().flatten();
        let named = named.filter_map(|target| existing_file(text(target, &["path"])?));
        roots.extend(named.map(|path| (path, false, is_test)));
        let Some(folder) = join(&package.folder, folder) else { continue };
        let found = project.files_in(&folder).filter(|path| path.ends_with(".rs"));
        roots.extend(found.map(|path| (path.to_owned(), false, is_test)));
        let mains = project.files_below(&folder).filter(|path| {
            path.strip_suffix("/main.rs").is_some_and(|at| parent_dir(at) == folder)
        });
        roots.extend(mains.map(|path| (path.to_owned(), false, is_test)));
    }
    let mut seen = BTreeSet::new();
    roots.retain(|(path, ..)| seen.insert(path.clone()));
    roots
}

/// The dependencies of a package: name in code, and package name.
fn dependencies(manifest: &Value) -> BTreeMap<String, String> {
    const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let targets = at(manifest, &["target"]).as_object().into_iter().flatten();
    let tables = std::iter::once(manifest).chain(targets.map(|(_, table)| table));
    let mut found = BTreeMap::new();
    for table in tables {
        for key in TABLES {
            for (name, specification) in at(table, &[key]).as_object().into_iter().flatten() {
                let package = text(specification, &["package"]).unwrap_or(name);
                found.insert(name.replace('-', "_"), package.to_owned());
            }
        }
    }
    found
}
