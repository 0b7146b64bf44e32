//! Reads `Cargo.toml` and `Cargo.lock`.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use serde_json::Value;

const GROUPS: [(&str, Group); 3] = [
    ("dependencies", Group::Normal),
    ("dev-dependencies", Group::Dev),
    ("build-dependencies", Group::Build),
];

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let path = join(folder, "Cargo.toml");
    let Some(value) = reader.toml(&path) else { return Vec::new() };
    let mut manifest = Manifest::new(path.clone(), Ecosystem::Cargo);
    let package = &value["package"];
    manifest.name = package["name"].as_str().map(str::to_owned);
    let workspace = &value["workspace"];
    let own = |key: &str| package[key].as_str().or(workspace["package"][key].as_str());
    manifest.version = own("version").map(str::to_owned);
    manifest.manager = Some("cargo".to_owned());
    if let Some(version) = own("rust-version") {
        manifest.pins.push(Pin { name: "rust".to_owned(), version: version.to_owned(), path });
    }
    add_dependencies(&value, &mut manifest.dependencies);
    for platform in value["target"].as_object().into_iter().flatten() {
        add_dependencies(platform.1, &mut manifest.dependencies);
    }
    for (name, specification) in workspace["dependencies"].as_object().into_iter().flatten() {
        let range = specification.as_str().or(specification["version"].as_str());
        if let Some(range) = range {
            manifest.shared.insert(name.clone(), range.to_owned());
        }
    }
    let strings = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        items.map(str::to_owned).collect()
    };
    manifest.members = strings(&workspace["members"]);
    if workspace.is_object() {
        // Path dependencies of the root are members even if they are not listed.
        let tables = GROUPS.iter().filter_map(|(key, _)| value[*key].as_object()).flatten();
        let paths = tables.filter_map(|(_, specification)| specification["path"].as_str());
        manifest.members.extend(paths.map(str::to_owned));
    }
    manifest.excluded = strings(&workspace["exclude"]);
    vec![manifest]
}

fn add_dependencies(tables: &Value, dependencies: &mut Vec<Dependency>) {
    for (key, group) in GROUPS {
        for (name, specification) in tables[key].as_object().into_iter().flatten() {
            let package = specification["package"].as_str().unwrap_or(name);
            if dependencies.iter().any(|known| known.name == package) {
                continue;
            }
            let range = specification.as_str().or(specification["version"].as_str());
            let group = if specification["optional"] == true { Group::Optional } else { group };
            let inherits = (specification["workspace"] == true).then(|| name.clone());
            dependencies.push(Dependency { inherits, ..Dependency::new(package, range, group) });
        }
    }
}

pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    Lock::read(join(folder, "Cargo.lock"), "cargo", reader).into_iter().collect()
}
