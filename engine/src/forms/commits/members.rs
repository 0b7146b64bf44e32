//! Finds the names of a project's members (workspace packages), which commits can use as scopes.

use crate::project::manifest::{json, text, toml};
use crate::text::files::Files;
use std::collections::BTreeSet;

/// Manifest files that mark a directory as a member.
const MANIFESTS: [&str; 8] = [
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
];

/// The names of the members: for each directory below the root that has a manifest, the directory
/// name, and the name in the manifest without its npm scope (`@scope/`).
#[must_use]
pub fn members<'p>(files: &dyn Files, paths: impl IntoIterator<Item = &'p str>) -> Vec<String> {
    let mut names = BTreeSet::new();
    for path in paths {
        let Some((dir, name)) = path.rsplit_once('/') else { continue };
        let is_foreign =
            dir.split('/').any(|part| matches!(part, "node_modules" | "vendor" | "target"));
        if !MANIFESTS.contains(&name) || is_foreign {
            continue;
        }
        names.extend(dir.rsplit('/').next().map(str::to_owned));
        let declared = match name {
            "package.json" => text(&json(files, path), &["name"]).map(str::to_owned),
            "Cargo.toml" => text(&toml(files, path), &["package", "name"]).map(str::to_owned),
            "pyproject.toml" => text(&toml(files, path), &["project", "name"]).map(str::to_owned),
            _ => None,
        };
        let unscoped = declared.as_deref().and_then(|name| name.rsplit('/').next());
        names.extend(unscoped.map(str::to_owned));
    }
    names.into_iter().filter(|name| !name.is_empty()).collect()
}
