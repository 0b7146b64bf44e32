//! Reads `package.json`, and the lock files of npm, pnpm, Yarn and Bun.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use serde_json::Value;
use std::collections::BTreeMap;

const GROUPS: [(&str, Group); 4] = [
    ("dependencies", Group::Normal),
    ("devDependencies", Group::Dev),
    ("peerDependencies", Group::Peer),
    ("optionalDependencies", Group::Optional),
];

/// The runtimes in `engines`.
const ENGINES: [&str; 5] = ["node", "npm", "pnpm", "yarn", "bun"];

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let path = join(folder, "package.json");
    let Some(value) = reader.json(&path) else { return Vec::new() };
    let Some(object) = value.as_object() else {
        reader.problems.push(format!("{path}: not an object; file skipped"));
        return Vec::new();
    };
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut manifest = Manifest::new(path.clone(), Ecosystem::Npm);
    manifest.name = text("name");
    manifest.version = text("version");
    manifest.manager =
        text("packageManager").map(|manager| text_before_at_sign(&manager).to_owned());
    for (key, group) in GROUPS {
        for (name, wanted) in string_entries(object.get(key)) {
            let is_listed = manifest.dependencies.iter().any(|known| known.name == name);
            // Peer dependencies are often also listed as development dependencies.
            if !is_listed {
                manifest.dependencies.push(dependency(&name, &wanted, group));
            }
        }
    }
    manifest.scripts = string_entries(object.get("scripts")).collect();
    let engines = object.get("engines");
    for (name, version) in string_entries(engines).filter(|(name, _)| ENGINES.contains(&&**name)) {
        manifest.pins.push(Pin { name, version, path: path.clone() });
    }
    read_workspace(folder, object.get("workspaces"), &mut manifest, reader);
    vec![manifest]
}

fn text_before_at_sign(text: &str) -> &str {
    text.split('@').next().unwrap_or(text)
}

/// The entries of an object whose values are strings.
fn string_entries(value: Option<&Value>) -> impl Iterator<Item = (String, String)> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
}

fn dependency(name: &str, wanted: &str, group: Group) -> Dependency {
    // `"old": "npm:new@1"` installs `new` under the name `old`.
    if let Some(alias) = wanted.strip_prefix("npm:") {
        let at = alias.rfind('@').filter(|at| *at > 0);
        let (name, range) = at.map_or((alias, None), |at| (&alias[..at], Some(&alias[at + 1..])));
        return Dependency::new(name, range, group);
    }
    if let Some(catalog) = wanted.strip_prefix("catalog:") {
        let catalog = if catalog.is_empty() { "default" } else { catalog };
        let inherits = Some(format!("{catalog}/{name}"));
        return Dependency { inherits, ..Dependency::new(name, None, group) };
    }
    Dependency::new(name, Some(wanted), group)
}

fn read_workspace(
    folder: &str,
    declared: Option<&Value>,
    manifest: &mut Manifest,
    reader: &mut Reader<'_>,
) {
    let globs = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut all = declared.map_or_else(Vec::new, |value| match value {
        Value::Object(object) => {
            collect_catalogs(value, &mut manifest.shared);
            object.get("packages").map_or_else(Vec::new, globs)
        }
        other => globs(other),
    });
    if let Some(pnpm) = reader.yaml(&join(folder, "pnpm-workspace.yaml")) {
        all.extend(globs(&pnpm["packages"]));
        collect_catalogs(&pnpm, &mut manifest.shared);
        manifest.manager.get_or_insert_with(|| "pnpm".to_owned());
    }
    if all.is_empty()
        && let Some(lerna) = reader.json(&join(folder, "lerna.json"))
    {
        all.extend(globs(&lerna["packages"]));
    }
    for glob in all {
        let (glob, list) = match glob.strip_prefix('!') {
            Some(glob) => (glob, &mut manifest.excluded),
            None => (&*glob, &mut manifest.members),
        };
        list.push(glob.to_owned());
    }
}

/// Collects the ranges in `catalog` and `catalogs`, by `catalog/name`.
fn collect_catalogs(value: &Value, shared: &mut BTreeMap<String, String>) {
    let mut add = |catalog: &str, ranges: Option<&Value>| {
        shared.extend(
            string_entries(ranges).map(|(name, range)| (format!("{catalog}/{name}"), range)),
        );
    };
    add("default", value.get("catalog"));
    for (catalog, ranges) in value.get("catalogs").and_then(Value::as_object).into_iter().flatten()
    {
        add(catalog, Some(ranges));
    }
}

pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    let mut found = Vec::new();
    // The lock files are read in order of precedence, in case a directory has several.
    let path = join(folder, "pnpm-lock.yaml");
    if let Some(value) = reader.yaml(&path) {
        found.push(pnpm(path, &value));
    }
    for name in ["package-lock.json", "npm-shrinkwrap.json"] {
        let path = join(folder, name);
        if let Some(value) = reader.json(&path) {
            found.push(npm(path, &value));
        }
    }
    let path = join(folder, "yarn.lock");
    if let Some(text) = reader.text(&path) {
        found.push(yarn(path, &text));
    }
    let path = join(folder, "bun.lock");
    if let Some(value) = reader.jsonc(&path) {
        found.push(bun(path, &value));
    }
    let path = join(folder, "bun.lockb");
    if crate::text::files::Files::exists(reader.disk, &path) {
        reader.problems.push(format!(
            "{path}: binary, not read; run `bun install --save-text-lockfile` to write bun.lock"
        ));
        if found.is_empty() {
            found.push(Lock::new(path, Ecosystem::Npm, "bun"));
        }
    }
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|lock| &*lock.path).collect();
        reader.problems.push(format!("{}: several lock files; using the first", names.join(", ")));
    }
    found
}

fn npm(path: String, value: &Value) -> Lock {
    let mut lock = Lock::new(path, Ecosystem::Npm, "npm");
    for (key, package) in value["packages"].as_object().into_iter().flatten() {
        let Some((member, name)) = key.rsplit_once("node_modules/") else { continue };
        let member = member.trim_end_matches('/');
        // Packages that are nested in other packages are not direct dependencies.
        if let Some(version) = package["version"].as_str()
            && !member.contains("node_modules")
        {
            let names = lock.by_member.entry(member.to_owned()).or_default();
            names.insert(name.to_owned(), version.to_owned());
        }
    }
    // The format before npm 7.
    for (name, package) in value["dependencies"].as_object().into_iter().flatten() {
        if let Some(version) = package["version"].as_str() {
            lock.add(name, version);
        }
    }
    lock
}

fn pnpm(path: String, value: &Value) -> Lock {
    let mut lock = Lock::new(path, Ecosystem::Npm, "pnpm");
    // For a single package, older formats have no `importers`.
    let importers = value["importers"].as_object().map_or_else(
        || vec![(".", value)],
        |importers| importers.iter().map(|(member, importer)| (&**member, importer)).collect(),
    );
    for (member, importer) in importers {
        let member = if member == "." { "" } else { member };
        let names = lock.by_member.entry(member.to_owned()).or_default();
        for (key, _) in GROUPS {
            for (name, package) in importer[key].as_object().into_iter().flatten() {
                // The suffix of `19.1.0(react@19.1.0)` lists the peers.
                if let Some(version) = package["version"].as_str().or(package.as_str()) {
                    let version = version.split(['(', '_']).next().unwrap_or(version);
                    if !version.contains(':') {
                        names.insert(name.clone(), version.to_owned());
                    }
                }
            }
        }
    }
    lock
}

/// Parses both formats of Yarn: an unindented line `"a@^1", "a@^2":`, then an indented line
/// `version "1.0"` or `version: 1.0`.
fn yarn(path: String, text: &str) -> Lock {
    let mut lock = Lock::new(path, Ecosystem::Npm, "yarn");
    let mut ranges: Vec<&str> = Vec::new();
    for line in text.lines() {
        if !line.starts_with([' ', '#']) && line.ends_with(':') {
            let names = line.trim_end_matches(':').trim_matches('"').split(',');
            ranges = names.map(|name| name.trim().trim_matches('"')).collect();
        } else if let Some(version) = line.trim_start().strip_prefix("version")
            && line.starts_with("  ")
            && !line.starts_with("   ")
        {
            let version = version.trim_matches([' ', ':', '"']);
            for range in ranges.drain(..).filter(|range| !range.contains("@workspace:")) {
                let at = range.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
                lock.add(at.map_or(range, |at| &range[..at]), version);
                lock.by_range.insert(range.to_owned(), version.to_owned());
            }
        }
    }
    lock
}

fn bun(path: String, value: &Value) -> Lock {
    let mut lock = Lock::new(path, Ecosystem::Npm, "bun");
    let members = lock.by_member.entry(String::new()).or_default();
    for (key, package) in value["packages"].as_object().into_iter().flatten() {
        let Some(resolved) = package[0].as_str() else { continue };
        let Some(at) = resolved.rfind('@').filter(|at| *at > 0) else { continue };
        let (name, version) = (&resolved[..at], &resolved[at + 1..]);
        // Dependencies of other packages have a nested key.
        if key == name && !version.contains(':') {
            members.insert(name.to_owned(), version.to_owned());
        }
    }
    lock
}
