//! `go.mod` and `go.work`. Go takes the least version that all agree on, so what `go.mod` names is
//! what is built.

use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let mut found = Vec::new();
    let path = join(folder, "go.work");
    if let Some(text) = reader.text(&path) {
        let mut manifest = Manifest::new(path, Ecosystem::Go);
        manifest.manager = Some("go".to_owned());
        let folders = statements(&text).filter(|(word, _)| *word == "use");
        // The folder itself is no member of itself.
        let folders = folders.map(|(_, rest)| rest.trim_matches('"'));
        let others = folders.filter(|rest| !matches!(*rest, "." | "./"));
        manifest.members = others.map(str::to_owned).collect();
        found.push(manifest);
    }
    let path = join(folder, "go.mod");
    if let Some(text) = reader.text(&path) {
        let module = go_mod(&path, &text);
        if module.name.is_none() {
            let said = format!("{path}:1:1: names no module; the file is not used");
            reader.problems.push(said);
        } else {
            found.push(module);
        }
    }
    found
}

fn go_mod(path: &str, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path.to_owned(), Ecosystem::Go);
    manifest.manager = Some("go".to_owned());
    for (word, rest) in statements(text) {
        match word {
            "module" => manifest.name = Some(rest.trim_matches('"').to_owned()),
            "go" | "toolchain" => manifest.pins.push(Pin {
                name: "go".to_owned(),
                version: rest.trim_start_matches("go").to_owned(),
                path: path.to_owned(),
            }),
            "require" => manifest.dependencies.extend(required(rest)),
            _ => {}
        }
    }
    manifest
}

/// Statements, those in parentheses one by one: first word, and the rest with its comment.
fn statements(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut block = None;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            return None;
        }
        if line == ")" {
            block = None;
            return None;
        }
        if let Some(word) = block {
            return Some((word, line));
        }
        let (word, rest) = line.split_once([' ', '\t'])?;
        if rest.trim() == "(" {
            block = Some(word);
            return None;
        }
        Some((word, rest.trim()))
    })
}

/// What the module asks for itself: `path version`, without what others brought.
fn required(rest: &str) -> Option<Dependency> {
    if rest.contains("// indirect") {
        return None;
    }
    let mut words = rest.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    let plain = version.trim_start_matches('v');
    let locked = Some(plain.trim_end_matches("+incompatible").to_owned());
    Some(Dependency { locked, ..Dependency::new(name, Some(version), Group::Normal) })
}
