//! Finds the root directories of absolute Python imports.

use super::project_files::ProjectFiles;
use super::resolve::listed;
use crate::project::manifest::{at, text, toml};
use crate::text::files::Files;
use crate::text::paths::{join, parent_dir};
use serde_json::Value;
use std::collections::BTreeSet;

/// Python manifest files.
const MANIFESTS: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// The root directories, sorted: the root of the project, directories with a manifest, their `src`
/// directories, directories named in manifests, and directories that contain top-level packages.
pub(super) fn roots(files: &dyn Files, project: &ProjectFiles<'_>) -> Vec<String> {
    let mut roots = BTreeSet::from([String::new()]);
    if project.has_folder("src") {
        roots.insert("src".to_owned());
    }
    for name in MANIFESTS {
        for path in project.files_named(name) {
            let folder = parent_dir(path);
            roots.insert(folder.to_owned());
            let manifest = if name == "pyproject.toml" { toml(files, path) } else { Value::Null };
            let named = named_directories(&manifest).into_iter().chain(["src".to_owned()]);
            let named = named.filter_map(|to| join(folder, &to));
            roots.extend(named.filter(|root| project.has_folder(root)));
        }
    }
    // Without a manifest, the location of top-level packages determines the root directory.
    for path in project.files_named("__init__.py") {
        let mut folder = parent_dir(path);
        while !folder.is_empty() && project.has_file(&format!("{folder}/__init__.py")) {
            folder = parent_dir(folder);
        }
        roots.insert(folder.to_owned());
    }
    roots.into_iter().collect()
}

/// The directories named in a manifest, for each supported build tool.
fn named_directories(manifest: &Value) -> Vec<String> {
    let tool = at(manifest, &["tool"]);
    let mut named = listed(tool, &["setuptools", "packages", "find", "where"]);
    named.extend(text(tool, &["setuptools", "package-dir", ""]).map(str::to_owned));
    let from = at(tool, &["poetry", "packages"]).as_array().into_iter().flatten();
    named.extend(from.filter_map(|package| text(package, &["from"]).map(str::to_owned)));
    let wheel = ["hatch", "build", "targets", "wheel"];
    let hatch = at(tool, &wheel);
    named.extend(listed(hatch, &["sources"]));
    let packages = listed(hatch, &["packages"]);
    named.extend(packages.iter().map(|path| parent_dir(path).to_owned()));
    named.extend(text(tool, &["uv", "build-backend", "module-root"]).map(str::to_owned));
    named.extend(text(tool, &["maturin", "python-source"]).map(str::to_owned));
    named.extend(listed(tool, &["pytest", "ini_options", "pythonpath"]));
    named
}
