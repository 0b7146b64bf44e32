//! Peer dependencies in lock files: packages that a project installs because another package
//! requires them at run time.

use super::Manifests;
use crate::forms::project_form::Scope;
use crate::project::stack::Ecosystem;
use crate::text::files::Files;
use crate::text::paths::below;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum size of a lock file, in bytes.
const LIMIT: u64 = 24 << 20;

/// The names of npm packages that an installed package declares as peer dependencies.
pub(super) fn peers(scope: &Scope<'_>, manifests: &Manifests) -> BTreeSet<String> {
    let mut peers = BTreeSet::new();
    let mut dirs: BTreeSet<&str> = BTreeSet::new();
    let npm = manifests.all.iter().filter(|manifest| manifest.ecosystem == Ecosystem::Npm);
    dirs.extend(npm.map(crate::project::declared::Manifest::dir));
    for dir in dirs {
        for name in ["pnpm-lock.yaml", "yarn.lock"] {
            if let Some(text) = read(scope.files, scope, &below(dir, name)) {
                add_indented(&text, &mut peers);
            }
        }
        for name in ["package-lock.json", "npm-shrinkwrap.json"] {
            let text = read(scope.files, scope, &below(dir, name));
            let lock = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
            let packages = lock.as_ref().and_then(|lock| lock["packages"].as_object());
            for (key, package) in packages.into_iter().flatten() {
                if !key.is_empty() {
                    add_keys(&package["peerDependencies"], &mut peers);
                }
            }
        }
        if let Some(text) = read(scope.files, scope, &below(dir, "bun.lock")) {
            let options = jsonc_parser::ParseOptions::default();
            let lock = jsonc_parser::parse_to_serde_value::<Value>(&text, &options);
            let lock = lock.unwrap_or(Value::Null);
            for (_, package) in lock["packages"].as_object().into_iter().flatten() {
                for part in package.as_array().into_iter().flatten() {
                    add_keys(&part["peerDependencies"], &mut peers);
                }
            }
        }
    }
    peers
}

fn read(files: &dyn Files, scope: &Scope<'_>, path: &str) -> Option<String> {
    if !scope.listing.has_file(path) {
        return None;
    }
    let bytes = files.read(path, LIMIT + 1).ok()?;
    (bytes.len() as u64 <= LIMIT).then(|| String::from_utf8(bytes).ok()).flatten()
}

fn add_keys(value: &Value, peers: &mut BTreeSet<String>) {
    peers.extend(value.as_object().into_iter().flatten().map(|(name, _)| name.clone()));
}

/// Adds the keys below each `peerDependencies:` of an indented format. Both pnpm and Yarn write one
/// key on each line, so that the (large) file does not have to be parsed as YAML.
fn add_indented(text: &str, peers: &mut BTreeSet<String>) {
    let mut section: Option<usize> = None;
    for line in text.lines() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if section.is_some_and(|depth| indent <= depth) {
            section = None;
        }
        if code.starts_with("peerDependencies:") {
            section = Some(indent);
        } else if section.is_some()
            && let Some((name, _)) = code.split_once(": ")
        {
            peers.insert(name.trim_matches(['"', '\'']).to_owned());
        }
    }
}
