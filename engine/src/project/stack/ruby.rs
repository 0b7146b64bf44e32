//! Reads `Gemfile` and `Gemfile.lock`, or `gems.rb` and `gems.locked`.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let names = ["Gemfile", "gems.rb"].map(|name| join(folder, name));
    let read = names.into_iter().find_map(|path| reader.text(&path).map(|text| (path, text)));
    let Some((path, text)) = read else { return Vec::new() };
    let mut manifest = Manifest::new(path.clone(), Ecosystem::Gem);
    manifest.manager = Some("bundler".to_owned());
    let mut group = Group::Normal;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim();
        let mut quoted = line.split(['"', '\'']).skip(1).step_by(2);
        if line == "end" {
            group = Group::Normal;
        } else if let Some(names) = line.strip_prefix("group ") {
            if names.contains(":development") || names.contains(":test") {
                group = Group::Dev;
            }
        } else if line.starts_with("gem ") || line.starts_with("gem(") {
            if let Some(name) = quoted.next() {
                // `gem "a", require: "b"` has no version.
                let range = quoted.find(|it| it.contains(|c: char| c.is_ascii_digit()));
                let range = range.filter(|it| !it.contains(['/', ':']));
                let is_dev = [":development", ":test"].iter().any(|it| line.contains(it));
                let group = if is_dev { Group::Dev } else { group };
                manifest.dependencies.push(Dependency::new(name, range, group));
            }
        // `ruby file: ".ruby-version"` names the file with the version.
        } else if line.starts_with("ruby ")
            && !line.contains("file:")
            && let Some(version) = quoted.next()
        {
            let (name, version) = ("ruby".to_owned(), version.to_owned());
            manifest.pins.push(Pin { name, version, path: path.clone() });
        }
    }
    vec![manifest]
}

pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    let names = ["Gemfile.lock", "gems.locked"].map(|name| join(folder, name));
    names.into_iter().find_map(|path| Lock::read(path, "bundler", reader)).into_iter().collect()
}
