//! Reads the line-based lock files: Yarn, Go, Bundler and Gradle.

use super::super::declared::Origin;
use super::{Direct, Lock};
use crate::text::source::Span;
use std::collections::HashMap;

/// The lines of `text` with their offsets, without line breaks.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}

/// An entry of `yarn.lock`.
#[derive(Default)]
struct YarnEntry<'t> {
    /// `name@range`, without quotes.
    keys: Vec<&'t str>,
    span: Span,
    version: &'t str,
    resolved: &'t str,
    /// The dependencies with their ranges.
    dependencies: Vec<(&'t str, &'t str)>,
}

/// Whether an entry is a package, and not `__metadata`.
fn is_yarn_package(key: &str, entry: &YarnEntry<'_>) -> bool {
    !entry.version.is_empty() && key.get(1..).is_some_and(|rest| rest.contains('@'))
}

/// The name in `name@range`.
fn yarn_name(key: &str) -> &str {
    let end = key.get(1..).and_then(|rest| rest.find('@')).map_or(key.len(), |at| at + 1);
    &key[..end]
}

/// Reads both formats of Yarn: each entry is an unindented line `"a@^1", "a@^2":`, followed by
/// indented lines `version "1.0"` or `version: 1.0`.
pub(super) fn yarn(text: &str, lock: &mut Lock) {
    let mut all: Vec<YarnEntry<'_>> = Vec::new();
    let mut in_dependencies = false;
    for (at, line) in lines(text) {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        if indent == 0 {
            let keys = code.trim_end_matches(':').trim_matches('"').split(',');
            let keys = keys.map(|key| key.trim().trim_matches('"')).collect();
            let span = Span::new(at, at + line.len());
            all.push(YarnEntry { keys, span, ..YarnEntry::default() });
            in_dependencies = false;
            continue;
        }
        let Some(entry) = all.last_mut() else { continue };
        let (name, value) = match code.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            Some((name, rest)) => (name, rest),
            None => code.split_once([' ', ':']).unwrap_or((code, "")),
        };
        let value = value.trim_matches([' ', ':', '"']);
        if indent == 2 {
            in_dependencies =
                matches!(name, "dependencies" | "optionalDependencies" | "peerDependencies");
            match name {
                "version" => entry.version = value,
                "resolved" | "resolution" => entry.resolved = value,
                _ => {}
            }
        } else if indent == 4 && in_dependencies {
            entry.dependencies.push((name, value));
        }
    }
    let mut by_key: HashMap<&str, usize> = HashMap::new();
    let mut workspaces: Vec<(&str, usize)> = Vec::new();
    for (at, entry) in all.iter().enumerate() {
        let Some(first) = entry.keys.first().filter(|key| is_yarn_package(key, entry)) else {
            continue;
        };
        if let Some((_, dir)) = entry.resolved.split_once("@workspace:") {
            workspaces.push((dir, at));
            continue;
        }
        let is_git = entry.resolved.contains("git+") || entry.resolved.contains(".git#");
        let origin = match () {
            () if is_git => Origin::Git,
            () if first.contains("@file:") || first.contains("@link:") => Origin::Path,
            () => Origin::Registry,
        };
        // The name of an alias is in its resolution or range: `"name@npm:1.0"`, `a@npm:name@^1`.
        let alias = first.split_once("@npm:").filter(|(_, range)| range.rfind('@') > Some(0));
        let name = match (entry.resolved.split_once("@npm:"), alias) {
            (Some((name, _)), _) => name,
            (None, Some((_, range))) => yarn_name(range),
            (None, None) => yarn_name(first),
        };
        let index = lock.add(name, entry.version, origin, entry.span);
        by_key.extend(entry.keys.iter().map(|key| (*key, index)));
    }
    lock.by_range = by_key.iter().map(|(key, index)| ((*key).to_owned(), *index)).collect();
    if workspaces.is_empty() {
        // Files of version 1 do not contain the packages of the project.
        let mut direct = Direct::new();
        for (key, &index) in &by_key {
            direct.entry(yarn_name(key).to_owned()).or_default().push(index);
        }
        for indexes in direct.values_mut() {
            indexes.sort_unstable();
            indexes.dedup();
        }
        lock.members.insert(String::new(), direct);
        return;
    }
    for (dir, at) in workspaces {
        let mut direct = Direct::new();
        for (name, range) in &all[at].dependencies {
            let index = by_key.get(&*format!("{name}@{range}"));
            direct.insert((*name).to_owned(), index.copied().into_iter().collect());
        }
        let dir = if dir == "." { "" } else { dir };
        lock.members.insert(dir.to_owned(), direct);
    }
    lock.lists_direct = true;
}

/// Reads `go.sum`, with a module, a version and a hash on each line. A version with the suffix
/// `/go.mod` has the hash of the manifest only; such a line is sufficient for a requirement whose
/// packages are not imported.
pub(super) fn go_sum(text: &str, lock: &mut Lock) {
    for (at, line) in lines(text) {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            let manifest = version.strip_suffix("/go.mod");
            let version = manifest.unwrap_or(version);
            let start = at + line.len() - line.trim_start().len();
            let span = Span::new(start, start + name.len());
            let known = lock
                .packages
                .last_mut()
                .filter(|last| last.name == name && last.version == version);
            if let Some(known) = known {
                known.is_manifest_only &= manifest.is_some();
            } else {
                let index = lock.add(name, version, Origin::Registry, span);
                lock.packages[index].is_manifest_only = manifest.is_some();
            }
        }
    }
    lock.set_flat();
}

/// Reads `Gemfile.lock`: below `specs:`, gems are indented by four spaces and their dependencies by
/// six; below `DEPENDENCIES`, the gems of the manifest by two.
pub(super) fn bundler(text: &str, lock: &mut Lock) {
    let mut section = "";
    let mut named: Vec<&str> = Vec::new();
    for (at, line) in lines(text) {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        match (indent, section) {
            (0, _) => section = code,
            (4, "GEM" | "GIT" | "PATH" | "PLUGIN SOURCE") => {
                let Some((name, version)) = code.split_once(" (") else { continue };
                // `1.2-x86_64-linux` is a build for one platform.
                let version = version.trim_end_matches(')').split('-').next().unwrap_or_default();
                let origin = match section {
                    "GIT" => Origin::Git,
                    "PATH" => Origin::Path,
                    _ => Origin::Registry,
                };
                lock.add(name, version, origin, Span::new(at + indent, at + indent + name.len()));
            }
            (2, "DEPENDENCIES") => {
                // `!` marks a gem that is not from the default source.
                let name = code.split(' ').next().unwrap_or_default().trim_end_matches('!');
                named.push(name);
            }
            _ => {}
        }
    }
    let all = lock.by_package();
    let direct =
        named.into_iter().map(|name| (name.to_owned(), all.get(name).cloned().unwrap_or_default()));
    let direct = direct.collect();
    lock.members.insert(String::new(), direct);
    lock.lists_direct = true;
}

/// Reads `gradle.lockfile`, with `group:artifact:version=configurations` on each line. Only
/// configurations with locking enabled are listed, so a missing entry is not an error.
pub(super) fn gradle(text: &str, lock: &mut Lock) {
    for (at, line) in lines(text).filter(|(_, line)| !line.starts_with('#')) {
        let coordinates = line.split('=').next().unwrap_or_default();
        if let Some((name, version)) = coordinates.rsplit_once(':') {
            lock.add(name, version, Origin::Registry, Span::new(at, at + coordinates.len()));
        }
    }
}
