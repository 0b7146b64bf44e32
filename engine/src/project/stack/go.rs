//! Reads `go.mod`, `go.sum` and `go.work`. Go selects the minimum version that satisfies all
//! modules, so the version in `go.mod` is the version that is built, provided that `go.sum` lists
//! it.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use std::collections::BTreeSet;

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let mut found = Vec::new();
    let path = join(folder, "go.work");
    if let Some(text) = reader.text(&path) {
        let mut manifest = Manifest::new(path.clone(), Ecosystem::Go);
        manifest.manager = Some("go".to_owned());
        manifest.pins.extend(statements(&text).filter_map(|statement| pin(statement, &path)));
        let folders = statements(&text).filter(|(word, _)| *word == "use");
        // The directory is not a member of itself.
        let folders = folders.map(|(_, rest)| rest.trim_matches('"'));
        let others = folders.filter(|rest| !matches!(*rest, "." | "./"));
        manifest.members = others.map(str::to_owned).collect();
        found.push(manifest);
    }
    let path = join(folder, "go.mod");
    if let Some(text) = reader.text(&path) {
        let sums = reader.text(&join(folder, "go.sum"));
        let sums = sums.as_ref().map(|text| sums_of(text).collect::<BTreeSet<_>>());
        let module = go_mod(&path, &text, sums.as_ref());
        if module.name.is_none() {
            let message = format!("{path}:1:1: no module name; file skipped");
            reader.problems.push(message);
        } else {
            found.push(module);
        }
    }
    found
}

/// `go.sum` has a hash for each module; the versions are taken from `go.mod`.
pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    let path = join(folder, "go.sum");
    let text = reader.text(&path);
    text.into_iter().map(|_| Lock::new(path.clone(), Ecosystem::Go, "go")).collect()
}

/// Parses lines `module v1.2.3 h1:…`, and skips lines that only concern `go.mod` files.
fn sums_of(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next()?, words.next()?);
        (!version.ends_with("/go.mod")).then_some((name, version))
    })
}

fn pin((word, rest): (&str, &str), path: &str) -> Option<Pin> {
    let version = rest.split("//").next().unwrap_or(rest).trim().trim_start_matches("go");
    matches!(word, "go" | "toolchain").then(|| Pin {
        name: "go".to_owned(),
        version: version.to_owned(),
        path: path.to_owned(),
    })
}

fn go_mod(path: &str, text: &str, sums: Option<&BTreeSet<(&str, &str)>>) -> Manifest {
    let mut manifest = Manifest::new(path.to_owned(), Ecosystem::Go);
    manifest.manager = Some("go".to_owned());
    for (word, rest) in statements(text) {
        match word {
            "module" => manifest.name = Some(rest.trim_matches('"').to_owned()),
            "require" => manifest.dependencies.extend(parse_requirement(rest)),
            _ => manifest.pins.extend(pin((word, rest), path)),
        }
    }
    for dependency in &mut manifest.dependencies {
        let version = dependency.wanted.clone().unwrap_or_default();
        if sums.is_some_and(|sums| !sums.contains(&(&*dependency.name, &*version))) {
            dependency.locked = None;
        }
    }
    for (_, rest) in statements(text).filter(|(word, _)| *word == "replace") {
        apply_replacement(rest, &mut manifest.dependencies);
    }
    manifest
}

/// Parses `old [v1] => new v2`; a directory in place of a module has no version.
fn apply_replacement(rest: &str, dependencies: &mut [Dependency]) {
    let Some((old, new)) = rest.split_once("=>") else { return };
    let mut old = old.split_whitespace();
    let (name, old_version) = (old.next(), old.next());
    let mut new = new.split("//").next().unwrap_or_default().split_whitespace();
    let (target, version) = (new.next().unwrap_or_default(), new.next());
    for dependency in dependencies.iter_mut().filter(|known| Some(&*known.name) == name) {
        if old_version.is_none() || dependency.wanted.as_deref() == old_version {
            let new_version = version.unwrap_or_default();
            dependency.wanted = Some(format!("=> {target} {new_version}").trim_end().to_owned());
            dependency.locked = version.map(|version| version.trim_start_matches('v').to_owned());
        }
    }
}

/// The statements, each as its first word and the rest, including a comment. Each line of a block
/// in parentheses is a separate statement.
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

/// Parses a direct dependency, `path version`; `None` for an indirect dependency.
fn parse_requirement(rest: &str) -> Option<Dependency> {
    if rest.contains("// indirect") {
        return None;
    }
    let mut words = rest.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    let plain = version.trim_start_matches('v');
    let locked = Some(plain.trim_end_matches("+incompatible").to_owned());
    Some(Dependency { locked, ..Dependency::new(name, Some(version), Group::Normal) })
}
