//! The configuration for resolving JavaScript specifiers: the packages of the project, and
//! TypeScript settings.

use super::project_files::ProjectFiles;
use crate::project::manifest::{at, json, strings, text};
use crate::text::files::Files;
use crate::text::paths::{join, parent_dir, upwards};
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum number of settings files that are read for one directory, because settings can extend
/// other settings.
const MAX_EXTENDS: usize = 16;
/// Names of settings files, in order of precedence.
const SETTINGS: [&str; 2] = ["tsconfig.json", "jsconfig.json"];

/// A package of the project.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) folder: String,
    pub(super) manifest: Value,
}

/// Path aliases, as in `compilerOptions`.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    /// The base directory of bare specifiers.
    pub(super) base: Option<String>,
    /// Each pattern, and its target paths relative to the root.
    pub(super) paths: Vec<(String, Vec<String>)>,
}

/// The packages and settings of a project.
#[derive(Debug, Default)]
pub(super) struct ScriptConfig {
    by_name: BTreeMap<String, usize>,
    by_folder: BTreeMap<String, usize>,
    packages: Vec<Package>,
    settings: BTreeMap<String, Settings>,
}

impl ScriptConfig {
    pub(super) fn new(files: &dyn Files, project: &ProjectFiles<'_>) -> Self {
        let mut config = Self::default();
        for path in project.files_named("package.json").filter(|path| is_in_project(path)) {
            let manifest = json(files, path);
            let folder = parent_dir(path).to_owned();
            let index = config.packages.len();
            if let Some(name) = text(&manifest, &["name"]) {
                config.by_name.entry(name.to_owned()).or_insert(index);
            }
            config.by_folder.insert(folder.clone(), index);
            config.packages.push(Package { folder, manifest });
        }
        for name in SETTINGS {
            for path in project.files_named(name).filter(|path| is_in_project(path)) {
                let folder = parent_dir(path).to_owned();
                let read = || settings_at(files, project, path);
                config.settings.entry(folder).or_insert_with(read);
            }
        }
        config
    }

    /// The package that a specifier names, and the rest of the specifier.
    pub(super) fn package_named<'s>(&self, specifier: &'s str) -> Option<(&Package, &'s str)> {
        let (name, rest) = name_and_rest(specifier);
        self.by_name.get(name).map(|&index| (&self.packages[index], rest))
    }

    /// The package in `folder`.
    pub(super) fn package_at(&self, folder: &str) -> Option<&Package> {
        self.by_folder.get(folder).map(|&index| &self.packages[index])
    }

    /// The package that contains a file.
    pub(super) fn enclosing_package(&self, path: &str) -> Option<&Package> {
        upwards(parent_dir(path)).find_map(|folder| self.package_at(folder))
    }

    /// The settings that apply to a file.
    pub(super) fn settings(&self, path: &str) -> Option<&Settings> {
        upwards(parent_dir(path)).find_map(|folder| self.settings.get(folder))
    }
}

fn is_in_project(path: &str) -> bool {
    !path.split('/').any(|part| part == "node_modules")
}

/// Splits `@scope/name/rest` into `@scope/name` and `rest`.
fn name_and_rest(specifier: &str) -> (&str, &str) {
    let skip =
        if specifier.starts_with('@') { specifier.find('/').map_or(0, |at| at + 1) } else { 0 };
    match specifier[skip..].find('/') {
        Some(at) => (&specifier[..skip + at], &specifier[skip + at + 1..]),
        None => (specifier, ""),
    }
}

fn settings_at(files: &dyn Files, project: &ProjectFiles<'_>, path: &str) -> Settings {
    let own = read_extended(files, project, path);
    if !own.paths.is_empty() || own.base.is_some() {
        return own;
    }
    // If a file only has references, each referenced file applies to a part of the directory.
    let value = json(files, path);
    let references = value.get("references").and_then(Value::as_array);
    let mut all = Settings::default();
    for reference in references.into_iter().flatten().take(MAX_EXTENDS) {
        let Some(to) = text(reference, &["path"]).and_then(|to| join(parent_dir(path), to)) else {
            continue;
        };
        // Settings in another directory apply to that directory only.
        if !project.has_file(&to) || parent_dir(&to) != parent_dir(path) {
            continue;
        }
        let other = read_extended(files, project, &to);
        all.base = all.base.or(other.base);
        all.paths.extend(other.paths);
    }
    all
}

/// The settings at `path`, merged with the settings that they extend.
fn read_extended(files: &dyn Files, project: &ProjectFiles<'_>, path: &str) -> Settings {
    let mut settings = Settings::default();
    let (mut has_paths, mut read) = (false, 0);
    // Last in, first out: settings win over the settings that they extend, and later entries of a
    // list win over earlier entries.
    let mut remaining = vec![path.to_owned()];
    while let Some(path) = remaining.pop() {
        read += 1;
        if read > MAX_EXTENDS {
            break;
        }
        let value = json(files, &path);
        let folder = parent_dir(&path);
        let options = at(&value, &["compilerOptions"]);
        let own_base = text(options, &["baseUrl"]).and_then(|base| join(folder, base));
        if settings.base.is_none() {
            settings.base.clone_from(&own_base);
        }
        if let Some(paths) = options.get("paths").and_then(Value::as_object)
            && !has_paths
        {
            has_paths = true;
            let base =
                own_base.as_deref().or(settings.base.as_deref()).unwrap_or(folder).to_owned();
            for (pattern, targets) in paths {
                let targets = strings(targets).filter_map(|target| join(&base, target)).collect();
                settings.paths.push((pattern.clone(), targets));
            }
        }
        let extends = strings(at(&value, &["extends"])).filter(|to| to.starts_with('.'));
        remaining.extend(extends.filter_map(|to| {
            let to = join(folder, to)?;
            let with_extension = format!("{to}.json");
            [to, with_extension].into_iter().find(|path| project.has_file(path))
        }));
    }
    settings
}
