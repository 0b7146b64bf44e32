//! Reads `pyproject.toml`, requirements files and the output of pip-tools, `setup.cfg`, `Pipfile`,
//! and the lock files of uv, Poetry, PDM and Pipenv, and `pylock.toml`.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use crate::text::files::{Files, files_in};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Maximum number of requirements files per directory.
const MAX_REQUIREMENTS_FILES: usize = 20;
/// Name parts of requirements files for development.
const DEV_NAMES: [&str; 6] = ["dev", "test", "lint", "doc", "ci", "build"];

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let mut found = Vec::new();
    let path = join(folder, "pyproject.toml");
    if let Some(value) = reader.toml(&path) {
        found.push(pyproject(path, &value));
    }
    let path = join(folder, "setup.cfg");
    if let Some(text) = reader.text(&path) {
        found.extend(setup_cfg(&path, &text));
    }
    let path = join(folder, "Pipfile");
    if let Some(value) = reader.toml(&path) {
        let mut manifest = Manifest::new(path, Ecosystem::Pypi);
        manifest.manager = Some("pipenv".to_owned());
        add_poetry_dependencies(
            value["packages"].as_object(),
            Group::Normal,
            &mut manifest.dependencies,
        );
        add_poetry_dependencies(
            value["dev-packages"].as_object(),
            Group::Dev,
            &mut manifest.dependencies,
        );
        found.push(manifest);
    }
    let is_project = found.iter().any(|manifest| manifest.path.ends_with("pyproject.toml"));
    found.extend(requirements_files(folder, is_project, reader));
    let program = join(folder, "setup.py");
    if found.is_empty() && reader.disk.exists(&program) {
        let message =
            format!("{program}: not read because it is a program; its dependencies are unknown");
        reader.problems.push(message);
    }
    found
}

/// The stems of requirements files in a directory, and whether the `.in` and the `.txt` file exist.
/// From the `.in` file, pip-tools generates a `.txt` file with all versions pinned.
fn stems(folder: &str, reader: &Reader<'_>) -> Vec<(String, [bool; 2])> {
    let mut found: BTreeMap<String, [bool; 2]> = BTreeMap::new();
    let in_dir = files_in(reader.disk, folder).into_iter();
    let in_dir = in_dir.filter(|name| name.contains("requirements"));
    let in_requirements_dir = files_in(reader.disk, &join(folder, "requirements")).into_iter();
    for name in in_dir.chain(in_requirements_dir.map(|name| format!("requirements/{name}"))) {
        for (index, extension) in [".in", ".txt"].into_iter().enumerate() {
            if let Some(stem) = name.strip_suffix(extension) {
                found.entry(stem.to_owned()).or_default()[index] = true;
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    // `requirements` precedes the files for development.
    found.sort_by_key(|(stem, _)| (stem.len(), stem.clone()));
    found
}

/// Reads requirements files. A file generated from the project file is its lock file.
fn requirements_files(folder: &str, is_project: bool, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let stems = stems(folder, reader);
    if stems.len() > MAX_REQUIREMENTS_FILES {
        let message = format!(
            "{folder}: only the first {MAX_REQUIREMENTS_FILES} requirements files were read"
        );
        reader.problems.push(message);
    }
    let mut found = Vec::new();
    for (stem, [has_source, has_list]) in stems.into_iter().take(MAX_REQUIREMENTS_FILES) {
        let source = join(folder, &format!("{stem}.in"));
        let list = join(folder, &format!("{stem}.txt"));
        let list_text = has_list.then(|| reader.text(&list)).flatten();
        let group = match DEV_NAMES.iter().any(|word| stem.contains(word)) {
            true => Group::Dev,
            false => Group::Normal,
        };
        let read = |text: &str| -> Vec<Dependency> {
            text.lines().filter_map(|line| requirement(line, group)).collect()
        };
        let mut manifest = Manifest::new(source.clone(), Ecosystem::Pypi);
        manifest.is_unlocked = true;
        match (has_source.then(|| reader.text(&source)).flatten(), list_text) {
            (Some(text), list_text) => {
                manifest.manager = Some("pip-tools".to_owned());
                manifest.dependencies = read(&text);
                let pinned = list_text.as_deref().map(read).unwrap_or_default();
                manifest.lock = list_text.map(|_| list);
                for dependency in &mut manifest.dependencies {
                    let matching = pinned.iter().find(|known| known.name == dependency.name);
                    dependency.locked = matching
                        .and_then(|known| known.locked.clone())
                        .or(dependency.locked.take());
                }
            }
            (None, Some(text)) if !(is_project && is_generated(&text)) => {
                manifest.path = list;
                manifest.manager = Some("pip".to_owned());
                manifest.dependencies = read(&text);
            }
            _ => continue,
        }
        found.push(manifest);
    }
    found
}

/// Whether the header of the file states that pip-compile or uv generated it.
fn is_generated(text: &str) -> bool {
    let head = text.lines().take(4).filter(|line| line.starts_with('#'));
    head.into_iter().any(|line| line.contains("autogenerated by"))
}

/// Normalizes a package name as the package index does:
/// <https://peps.python.org/pep-0503/#normalized-names>.
pub(super) fn normalize_name(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

fn pyproject(path: String, value: &Value) -> Manifest {
    let mut manifest = Manifest::new(path.clone(), Ecosystem::Pypi);
    let (project, tool) = (&value["project"], &value["tool"]);
    let poetry_table = &tool["poetry"];
    let own = |key: &str| project[key].as_str().or(poetry_table[key].as_str()).map(str::to_owned);
    manifest.name = own("name");
    manifest.version = own("version");
    let managers = ["uv", "poetry", "pdm", "hatch"];
    let manager = managers.into_iter().find(|name| tool[*name].is_object());
    manifest.manager = manager.map(str::to_owned);
    let mut add = |list: &Value, group| {
        let lines = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        manifest.dependencies.extend(lines.filter_map(|line| requirement(line, group)));
    };
    add(&project["dependencies"], Group::Normal);
    for (_, list) in project["optional-dependencies"].as_object().into_iter().flatten() {
        add(list, Group::Optional);
    }
    for (_, list) in value["dependency-groups"].as_object().into_iter().flatten() {
        add(list, Group::Dev);
    }
    add(&tool["uv"]["dev-dependencies"], Group::Dev);
    for (_, list) in tool["pdm"]["dev-dependencies"].as_object().into_iter().flatten() {
        add(list, Group::Dev);
    }
    let found = &mut manifest.dependencies;
    add_poetry_dependencies(poetry_table["dependencies"].as_object(), Group::Normal, found);
    add_poetry_dependencies(poetry_table["dev-dependencies"].as_object(), Group::Dev, found);
    for (_, group) in poetry_table["group"].as_object().into_iter().flatten() {
        add_poetry_dependencies(group["dependencies"].as_object(), Group::Dev, found);
    }
    let python = project["requires-python"].as_str();
    let python = python.or(poetry_table["dependencies"]["python"].as_str());
    if let Some(version) = python {
        let (name, version) = ("python".to_owned(), version.to_owned());
        manifest.pins.push(Pin { name, version, path });
    }
    let workspace = &tool["uv"]["workspace"];
    let folders = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        items.map(str::to_owned).collect()
    };
    manifest.members = folders(&workspace["members"]);
    manifest.excluded = folders(&workspace["exclude"]);
    manifest
}

fn add_poetry_dependencies(
    table: Option<&Map<String, Value>>,
    group: Group,
    found: &mut Vec<Dependency>,
) {
    for (name, specification) in table.into_iter().flatten().filter(|(name, _)| *name != "python") {
        let range = specification.as_str().or(specification["version"].as_str());
        let mut dependency = Dependency::new(normalize_name(name), range, group);
        // Without an operator, and with `==`, the version is exact.
        let exact = range.map(|range| range.trim_start_matches('='));
        dependency.locked = exact
            .filter(|version| super::resolve_versions::is_full_version(version, false))
            .map(str::to_owned);
        found.push(dependency);
    }
}

/// Parses `name[extra]>=1.2,<2 ; marker  # comment`.
fn requirement(line: &str, group: Group) -> Option<Dependency> {
    let line = line.split(" #").next().unwrap_or(line);
    let line = line.split(';').next().unwrap_or(line).trim();
    if line.is_empty() || line.starts_with(['#', '-', '.', '/']) || line.contains("://") {
        return None;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = line.find(|c| !is_name(c)).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let range = match rest.trim_start().strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1,
        None => rest,
    };
    // Options of pip, such as hashes, follow after white space.
    let range = range.trim().trim_matches(['(', ')', '\\']).split(" --").next()?.trim();
    if name.is_empty() || !range.is_empty() && !range.starts_with(['=', '<', '>', '!', '~', '@']) {
        return None;
    }
    let mut dependency = Dependency::new(normalize_name(name), Some(range), group);
    // An exact version is treated as locked.
    dependency.locked = range
        .strip_prefix("==")
        .map(|version| version.trim_start_matches('=').trim())
        .filter(|version| !version.contains(['*', ',']))
        .map(str::to_owned);
    Some(dependency)
}

/// Reads `install_requires` and the package metadata.
fn setup_cfg(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::new(path.to_owned(), Ecosystem::Pypi);
    manifest.is_unlocked = true;
    let (mut section, mut key) = ("", "");
    for line in text.lines() {
        let is_continued = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if !is_continued && line.starts_with('[') {
            (section, key) = (line.trim_matches(['[', ']', ' ']), "");
            continue;
        }
        let value = match line.split_once('=').filter(|_| !is_continued) {
            Some((name, value)) => {
                key = name.trim();
                value.trim()
            }
            None => line,
        };
        match (section, key) {
            ("metadata", "name") => manifest.name = Some(value.to_owned()),
            ("metadata", "version") => manifest.version = Some(value.to_owned()),
            ("options", "python_requires") => manifest.pins.push(Pin {
                name: "python".to_owned(),
                version: value.to_owned(),
                path: path.to_owned(),
            }),
            ("options", "install_requires") => {
                manifest.dependencies.extend(requirement(value, Group::Normal));
            }
            ("options.extras_require", _) => {
                manifest.dependencies.extend(requirement(value, Group::Optional));
            }
            _ => {}
        }
    }
    // Most `setup.cfg` files only contain settings of tools.
    let is_package = manifest.name.is_some() || !manifest.dependencies.is_empty();
    is_package.then_some(manifest)
}

pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    let names = [("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm")];
    let mut found: Vec<Lock> = names
        .into_iter()
        .filter_map(|(name, manager)| Lock::read(join(folder, name), manager, reader))
        .collect();
    let path = join(folder, "pylock.toml");
    if let Some(value) = reader.toml(&path) {
        let mut lock = Lock::new(path, Ecosystem::Pypi, "");
        lock.add_packages(&value["packages"], normalize_name);
        found.push(lock);
    }
    let path = join(folder, "requirements.txt");
    let has_source = reader.disk.exists(&join(folder, "requirements.in"));
    if let Some(text) = reader.text(&path).filter(|text| !has_source && is_generated(text)) {
        let mut lock = Lock::new(path, Ecosystem::Pypi, "pip");
        for dependency in text.lines().filter_map(|line| requirement(line, Group::Normal)) {
            if let Some(version) = dependency.locked {
                lock.add(dependency.name, version);
            }
        }
        found.push(lock);
    }
    found.extend(Lock::read(join(folder, "Pipfile.lock"), "pipenv", reader));
    found
}
