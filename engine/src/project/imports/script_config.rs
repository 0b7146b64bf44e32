//! The configuration for resolving JavaScript specifiers: the packages of the project, and
//! TypeScript settings.

use super::places::ProjectFiles;
use crate::project::manifest::{at, json, strings, text};
use crate::text::files::Files;
use crate::text::paths::{join, parent_dir, upwards};
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum length of a chain of settings that extend one another.
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
    /// Pattern, and its target paths relative to the root.
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
    pub(super) fn new(files: &dyn Files, places: &ProjectFiles<'_>) -> Self {
        let mut setup = Self::default();
        for path in places.named("package.json").filter(|path| is_own(path)) {
            let manifest = json(files, path);
            let folder = parent_dir(path).to_owned();
            let index = setup.packages.len();
            if let Some(name) = text(&manifest, &["name"]) {
                setup.by_name.entry(name.to_owned()).or_insert(index);
            }
            setup.by_folder.insert(folder.clone(), index);
            setup.packages.push(Package { folder, manifest });
        }
        for name in SETTINGS {
            for path in places.named(name).filter(|path| is_own(path)) {
                let folder = parent_dir(path).to_owned();
                let read = || settings_at(files, places, path);
                setup.settings.entry(folder).or_insert_with(read);
            }
        }
        setup
    }

    /// The package that a specifier names, and the rest of the specifier.
    pub(super) fn named<'s>(&self, specifier: &'s str) -> Option<(&Package, &'s str)> {
        let (name, rest) = name_and_rest(specifier);
        self.by_name.get(name).map(|&index| (&self.packages[index], rest))
    }

    /// The package in `folder`.
    pub(super) fn at(&self, folder: &str) -> Option<&Package> {
        self.by_folder.get(folder).map(|&index| &self.packages[index])
    }

    /// The package that contains a file.
    pub(super) fn enclosing(&self, path: &str) -> Option<&Package> {
        upwards(parent_dir(path)).find_map(|folder| self.at(folder))
    }

    /// The settings that apply to a file.
    pub(super) fn settings(&self, path: &str) -> Option<&Settings> {
        upwards(parent_dir(path)).find_map(|folder| self.settings.get(folder))
    }
}

fn is_own(path: &str) -> bool {
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

fn settings_at(files: &dyn Files, places: &ProjectFiles<'_>, path: &str) -> Settings {
    let own = extended(files, places, path);
    if !own.paths.is_empty() || own.base.is_some() {
        return own;
    }
    // A file with only references: each referenced file covers a part of the directory.
    let value = json(files, path);
    let references = value.get("references").and_then(Value::as_array);
    let mut all = Settings::default();
    for reference in references.into_iter().flatten().take(MAX_EXTENDS) {
        let Some(to) = text(reference, &["path"]).and_then(|to| join(parent_dir(path), to)) else {
            continue;
        };
        // Settings in another directory apply to that directory only.
        if !places.has(&to) || parent_dir(&to) != parent_dir(path) {
            continue;
        }
        let other = extended(files, places, &to);
        all.base = all.base.or(other.base);
        all.paths.extend(other.paths);
    }
    all
}

/// The settings at `path`, on top of those that they extend.
fn extended(files: &dyn Files, places: &ProjectFiles<'_>, path: &str) -> Settings {
    let mut settings = Settings::default();
    let (mut has_paths, mut read) = (false, 0);
    // Last in, first out: nearer settings win, and within a list the later ones.
    let mut left = vec![path.to_owned()];
    while let Some(path) = left.pop() {
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
        left.extend(extends.filter_map(|to| {
            let to = join(folder, to)?;
            let with_ending = format!("{to}.json");
            [to, with_ending].into_iter().find(|path| places.has(path))
        }));
    }
    settings
}
