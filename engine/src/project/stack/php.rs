//! Reads `composer.json` and `composer.lock`.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use serde_json::Value;

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let path = join(folder, "composer.json");
    let Some(value) = reader.json(&path) else { return Vec::new() };
    let mut manifest = Manifest::new(path.clone(), Ecosystem::Composer);
    manifest.manager = Some("composer".to_owned());
    manifest.name = value["name"].as_str().map(str::to_owned);
    manifest.version = value["version"].as_str().map(str::to_owned);
    for (key, group) in [("require", Group::Normal), ("require-dev", Group::Dev)] {
        for (name, range) in value[key].as_object().into_iter().flatten() {
            let range = range.as_str();
            if name == "php" {
                let version = range.unwrap_or_default().to_owned();
                manifest.pins.push(Pin { name: name.clone(), version, path: path.clone() });
            } else if name.contains('/') {
                manifest.dependencies.push(Dependency::new(name, range, group));
            }
        }
    }
    // Path repositories contain packages of the same project.
    for repository in value["repositories"].as_array().into_iter().flatten() {
        if let Some(folder) = repository["url"].as_str().filter(|_| repository["type"] == "path") {
            manifest.members.push(folder.to_owned());
        }
    }
    for (name, command) in value["scripts"].as_object().into_iter().flatten() {
        let command = match command {
            Value::String(command) => command.clone(),
            Value::Array(commands) => {
                commands.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" && ")
            }
            _ => continue,
        };
        manifest.scripts.insert(name.clone(), command);
    }
    vec![manifest]
}

pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    Lock::read(join(folder, "composer.lock"), "composer", reader).into_iter().collect()
}
