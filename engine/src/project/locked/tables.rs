//! Reads lock files in TOML, and the JSON lock files of Pipenv and Composer.

use super::super::declared::{Origin, normalize};
use super::javascript::{entries, field, is_map, parse};
use super::{Direct, Lock};
use crate::parse::values::{Format, Values};
use crate::text::source::Span;
use std::collections::HashMap;

/// Maximum number of packages with the same name and version of which an entry can mean each.
const MAX_MEANT: usize = 16;

/// The packages that entries of a lock file can mean.
struct Meant {
    by_name: HashMap<String, Vec<usize>>,
    by_version: HashMap<(String, String), Vec<usize>>,
}

impl Meant {
    fn new(lock: &Lock) -> Self {
        let (mut by_name, mut by_version) = (Direct::new(), HashMap::new());
        let add = |indexes: &mut Vec<usize>, index: usize| {
            if indexes.len() < MAX_MEANT {
                indexes.push(index);
            }
        };
        for (index, package) in lock.packages.iter().enumerate() {
            let key = (package.name.clone(), package.version.clone());
            add(by_name.entry(package.name.clone()).or_default(), index);
            add(by_version.entry(key).or_default(), index);
        }
        Self { by_name, by_version }
    }

    /// The indexes of the packages with this name and, if given, this version.
    fn find(&self, name: &str, version: Option<&str>) -> &[usize] {
        let found = match version {
            None => self.by_name.get(name),
            Some(version) => self.by_version.get(&(name.to_owned(), version.to_owned())),
        };
        found.map_or(&[][..], Vec::as_slice)
    }
}

/// The indexes of the items of the list under `key`.
fn items<'v>(values: &'v Values, at: usize, key: &str) -> &'v [usize] {
    let list = values.child(at, key).and_then(|at| values.all.get(at));
    list.map_or(&[][..], |list| &list.children)
}

/// The span of the value under `key`, or of the whole entry.
fn span_of(values: &Values, at: usize, key: &str) -> Span {
    values.all[values.child(at, key).unwrap_or(at)].span
}

pub(super) fn cargo(text: &str, lock: &mut Lock) {
    let (values, root) = parse(Format::Toml, text, lock);
    let packages = items(&values, root, "package");
    for &at in packages {
        let name = field(&values, at, "name").unwrap_or_default();
        let version = field(&values, at, "version").unwrap_or_default();
        let origin = match field(&values, at, "source") {
            None => Origin::Path,
            Some(source) if source.starts_with("git") => Origin::Git,
            Some(_) => Origin::Registry,
        };
        lock.add(&name, &version, origin, span_of(&values, at, "name"));
    }
    // Without `[patch]`, all packages without a source are members.
    let meant = Meant::new(lock);
    for &at in packages.iter().filter(|&&at| values.child(at, "source").is_none()) {
        let mut direct = Direct::new();
        for &item in items(&values, at, "dependencies") {
            // `name`, `name version` or `name version (source)`.
            let Some(text) = values.text(item) else { continue };
            let mut words = text.split(' ');
            let name = words.next().unwrap_or_default();
            let chosen = meant.find(name, words.next());
            direct.entry(name.to_owned()).or_default().extend(chosen);
        }
        let name = field(&values, at, "name").unwrap_or_default();
        lock.members.insert(name, direct);
    }
    // `[[patch.unused]]` and replaced sources do not change which version a member uses.
    (lock.by_name, lock.lists_direct) = (true, true);
}

pub(super) fn uv(text: &str, lock: &mut Lock) {
    let (values, root) = parse(Format::Toml, text, lock);
    let packages = items(&values, root, "package");
    let mut members: Vec<(String, usize)> = Vec::new();
    for &at in packages {
        let name = normalize(&field(&values, at, "name").unwrap_or_default());
        let version = field(&values, at, "version").unwrap_or_default();
        let source = values.child(at, "source").unwrap_or(at);
        let has = |key: &str| values.child(source, key).is_some();
        let is_member = has("editable") || has("virtual");
        let origin = match () {
            () if is_member || has("directory") || has("path") => Origin::Path,
            () if has("git") => Origin::Git,
            () if has("url") => Origin::Url,
            () => Origin::Registry,
        };
        if is_member {
            members.push((name.clone(), at));
        }
        lock.add(&name, &version, origin, span_of(&values, at, "name"));
    }
    let meant = Meant::new(lock);
    for (name, at) in members {
        let mut direct = Direct::new();
        let mut add = |item: usize| {
            let Some(name) = field(&values, item, "name").map(|name| normalize(&name)) else {
                return;
            };
            let version = field(&values, item, "version");
            let chosen = meant.find(&name, version.as_deref());
            direct.entry(name).or_default().extend(chosen);
        };
        items(&values, at, "dependencies").iter().for_each(|&item| add(item));
        for key in ["optional-dependencies", "dev-dependencies"] {
            let groups = values.child(at, key);
            for (_, _, group) in groups.into_iter().flat_map(|table| entries(&values, table)) {
                values.all[group].children.iter().for_each(|&item| add(item));
            }
        }
        lock.members.insert(name, direct);
    }
    if let Some(manifest) = values.child(root, "manifest") {
        for key in ["overrides", "constraints"] {
            let names = items(&values, manifest, key).iter();
            let names = names.filter_map(|&item| field(&values, item, "name"));
            lock.overridden.extend(names.map(|name| normalize(&name)));
        }
    }
    (lock.by_name, lock.lists_direct) = (true, true);
}

/// Reads lock files of Poetry and PDM.
pub(super) fn poetry(text: &str, lock: &mut Lock) {
    let (values, root) = parse(Format::Toml, text, lock);
    for &at in items(&values, root, "package") {
        let name = normalize(&field(&values, at, "name").unwrap_or_default());
        let version = field(&values, at, "version").unwrap_or_default();
        let source = values.child(at, "source").and_then(|at| field(&values, at, "type"));
        let origin = match source.as_deref() {
            Some("git") => Origin::Git,
            Some("url") => Origin::Url,
            Some("directory" | "file") => Origin::Path,
            _ => Origin::Registry,
        };
        lock.add(&name, &version, origin, span_of(&values, at, "name"));
    }
    lock.set_flat();
}

pub(super) fn pipenv(text: &str, lock: &mut Lock) {
    let (values, root) = parse(Format::Json, text, lock);
    for group in ["default", "develop"] {
        let table = values.child(root, group);
        for (name, span, at) in table.into_iter().flat_map(|table| entries(&values, table)) {
            let version = field(&values, at, "version").unwrap_or_default();
            let has = |key: &str| values.child(at, key).is_some();
            let origin = match () {
                () if has("git") => Origin::Git,
                () if has("path") => Origin::Path,
                () if has("file") => Origin::Url,
                () => Origin::Registry,
            };
            lock.add(&normalize(name), version.trim_start_matches('='), origin, span);
        }
    }
    lock.set_flat();
}

pub(super) fn composer(text: &str, lock: &mut Lock) {
    let (values, root) = parse(Format::Json, text, lock);
    let mut provided: Vec<String> = Vec::new();
    for key in ["packages", "packages-dev"] {
        for &at in items(&values, root, key).iter().filter(|&&at| is_map(&values.all[at])) {
            let name = field(&values, at, "name").unwrap_or_default().to_lowercase();
            let version = field(&values, at, "version").unwrap_or_default();
            let kind = values.child(at, "dist").and_then(|at| field(&values, at, "type"));
            let origin =
                if kind.as_deref() == Some("path") { Origin::Path } else { Origin::Registry };
            let index = lock.add(&name, &version, origin, span_of(&values, at, "name"));
            let licences = items(&values, at, "license").iter();
            let licences: Vec<String> = licences.filter_map(|&item| values.text(item)).collect();
            // Several licences are alternatives.
            lock.packages[index].licence = (!licences.is_empty()).then(|| licences.join(" OR "));
            for key in ["provide", "replace"] {
                let table = values.child(at, key);
                let names = table.into_iter().flat_map(|table| entries(&values, table));
                provided.extend(names.map(|(name, ..)| name.to_lowercase()));
            }
        }
    }
    lock.set_flat();
    let direct = lock.members.entry(String::new()).or_default();
    for name in provided {
        direct.entry(name).or_default();
    }
}
