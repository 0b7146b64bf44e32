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

/// The runtimes and package managers in `engines`.
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
    if let Some(manager) = text("packageManager") {
        let (name, version) = manager.split_once('@').unwrap_or((&manager, ""));
        manifest.manager = Some(name.to_owned());
        manifest.uses_yarn_classic = name == "yarn" && version.starts_with("1.");
        // A hash can follow: `pnpm@10.1.0+sha512.abc`.
        let version = version.split('+').next().unwrap_or_default().to_owned();
        if !version.is_empty() {
            manifest.pins.push(Pin { name: name.to_owned(), version, path: path.clone() });
        }
    }
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

/// The entries of an object, without those whose value is not a string.
fn string_entries(value: Option<&Value>) -> impl Iterator<Item = (String, String)> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
}

fn dependency(installed_name: &str, wanted: &str, group: Group) -> Dependency {
    let name = installed_name;
    // `"old": "npm:new@1"` installs `new` under the name `old`.
    if let Some(alias) = wanted.strip_prefix("npm:") {
        let at = alias.rfind('@').filter(|at| *at > 0);
        let (name, range) = at.map_or((alias, None), |at| (&alias[..at], Some(&alias[at + 1..])));
        let installed = Some(installed_name.to_owned()).filter(|installed| installed != name);
        return Dependency { alias: installed, ..Dependency::new(name, range, group) };
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
    // The lock files are read in order of precedence, in case a directory has several.
    let names = [
        ("pnpm-lock.yaml", "pnpm"),
        ("package-lock.json", "npm"),
        ("npm-shrinkwrap.json", "npm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
    ];
    let mut found: Vec<Lock> = names
        .into_iter()
        .filter_map(|(name, manager)| Lock::read(join(folder, name), manager, reader))
        .collect();
    for lock in found.iter_mut().filter(|lock| lock.path.ends_with("yarn.lock")) {
        let text = reader.text(&lock.path).unwrap_or_default();
        lock.is_yarn_classic = text.lines().take(5).any(|line| line == "# yarn lockfile v1");
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
