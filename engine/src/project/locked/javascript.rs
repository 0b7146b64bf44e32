//! Reads the lock files of npm, pnpm and Bun.

use super::super::declared::Origin;
use super::{Direct, Lock};
use crate::parse::values::{Datum, Format, Value, Values};
use crate::text::source::Span;
use std::collections::HashMap;

/// The keys of the tables of direct dependencies.
const GROUPS: [&str; 4] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Parses the file into values, and returns them with the index of the first value. A syntax error
/// is stored as the problem of `lock`.
pub(super) fn parse(format: Format, text: &str, lock: &mut Lock) -> (Values, usize) {
    let mut values = Values::read(format, text);
    if let Some((span, message)) = values.broken.take() {
        lock.problem = Some((span, message));
    } else if values.roots.is_empty() {
        lock.problem = Some((Span::default(), "the file is empty".to_owned()));
    }
    let root = values.roots.first().copied().unwrap_or_default();
    (values, root)
}

/// The entries of the mapping `at`: key, span of the key, index of the value.
pub(super) fn entries(values: &Values, at: usize) -> impl Iterator<Item = (&str, Span, usize)> {
    let children = values.all.get(at).map_or(&[][..], |value| &value.children);
    children.iter().filter_map(|&child| {
        let (name, span) = values.all[child].key.as_ref()?;
        Some((name.as_str(), *span, child))
    })
}

/// The string under `key` in the mapping `at`.
pub(super) fn field(values: &Values, at: usize, key: &str) -> Option<String> {
    values.child(at, key).and_then(|at| values.text(at))
}

/// The names in the tables of direct dependencies of the mapping `at`.
fn direct_names(values: &Values, at: usize) -> impl Iterator<Item = &str> {
    let tables = GROUPS.iter().filter_map(move |key| values.child(at, key));
    tables.flat_map(|table| entries(values, table).map(|(name, ..)| name))
}

fn origin(resolved: Option<&str>) -> Origin {
    match resolved {
        Some(url) if url.starts_with("git") => Origin::Git,
        Some(url) if url.starts_with("file:") => Origin::Path,
        _ => Origin::Registry,
    }
}

/// Reads lock files of npm: <https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json>.
pub(super) fn npm(text: &str, lock: &mut Lock) {
    let (values, root) = parse(Format::Json, text, lock);
    let Some(packages) = values.child(root, "packages") else {
        // The format of npm 6 and older does not distinguish direct dependencies.
        let mut tables: Vec<usize> = values.child(root, "dependencies").into_iter().collect();
        let mut is_top = true;
        while is_top || !tables.is_empty() {
            let mut nested = Vec::new();
            for (name, span, at) in tables.iter().flat_map(|&table| entries(&values, table)) {
                if let Some(version) = field(&values, at, "version") {
                    let is_url = version.contains(['/', ':']);
                    let origin = if is_url { Origin::Url } else { Origin::Registry };
                    lock.add(name, &version, origin, span);
                }
                nested.extend(values.child(at, "dependencies"));
            }
            // Only the packages at the top can be direct dependencies.
            if is_top {
                lock.set_flat();
                is_top = false;
            }
            tables = nested;
        }
        return;
    };
    // The path of an installed package → its index.
    let mut installed: HashMap<&str, usize> = HashMap::new();
    let mut members: Vec<(&str, usize)> = Vec::new();
    for (key, span, at) in entries(&values, packages) {
        let Some((_, name)) = key.rsplit_once("node_modules/") else {
            members.push((key, at));
            continue;
        };
        let resolved = field(&values, at, "resolved");
        let is_link = values.child(at, "link").is_some();
        let origin = if is_link { Origin::Path } else { origin(resolved.as_deref()) };
        let version = field(&values, at, "version").unwrap_or_default();
        // The name of an alias differs from the name of the directory.
        let name = field(&values, at, "name").unwrap_or_else(|| name.to_owned());
        let index = lock.add(&name, &version, origin, span);
        lock.packages[index].licence = field(&values, at, "license");
        installed.insert(key, index);
    }
    lock.lists_direct = true;
    for (dir, at) in members {
        let mut direct = Direct::new();
        for name in direct_names(&values, at) {
            let mut ancestors = crate::text::paths::upwards(dir);
            let index = ancestors.find_map(|dir| {
                let slash = if dir.is_empty() { "" } else { "/" };
                installed.get(&*format!("{dir}{slash}node_modules/{name}"))
            });
            direct.insert(name.to_owned(), index.copied().into_iter().collect());
        }
        lock.members.insert(dir.to_owned(), direct);
    }
}

/// Reads lock files of pnpm in the formats 5 to 9.
pub(super) fn pnpm(text: &str, lock: &mut Lock) {
    let (values, root) = parse(Format::Yaml, text, lock);
    let packages = values.child(root, "packages");
    let mut by_key: HashMap<(String, String), usize> = HashMap::new();
    for (key, span, _) in packages.into_iter().flat_map(|table| entries(&values, table)) {
        if let Some((name, version)) = pnpm_key(key) {
            let index = lock.add(name, version, pnpm_origin(version), span);
            by_key.insert((name.to_owned(), version.to_owned()), index);
        }
    }
    if let Some(table) = values.child(root, "overrides") {
        for (name, ..) in entries(&values, table) {
            // `parent>name@range` overrides `name`.
            let name = name.rsplit('>').next().unwrap_or(name);
            let end = name.rfind('@').filter(|at| *at > 0).unwrap_or(name.len());
            lock.overridden.insert(name[..end].to_owned());
        }
    }
    // For a single package, older formats have no `importers`.
    let importers: Vec<(&str, usize)> = match values.child(root, "importers") {
        Some(table) => entries(&values, table).map(|(dir, _, at)| (dir, at)).collect(),
        None => vec![(".", root)],
    };
    lock.lists_direct = true;
    for (dir, at) in importers {
        let mut direct = Direct::new();
        for table in GROUPS.iter().filter_map(|key| values.child(at, key)) {
            for (name, span, at) in entries(&values, table) {
                let version = field(&values, at, "version").or_else(|| values.text(at));
                let Some(version) = version else { continue };
                let (package, version) = match pnpm_key(&version) {
                    Some((name, version)) => (name, version),
                    None => (name, pnpm_version(&version)),
                };
                let key = (package.to_owned(), version.to_owned());
                let index = by_key.get(&key).copied();
                let index =
                    index.unwrap_or_else(|| lock.add(package, version, pnpm_origin(version), span));
                direct.insert(name.to_owned(), vec![index]);
            }
        }
        let dir = if dir == "." { "" } else { dir };
        lock.members.insert(dir.to_owned(), direct);
    }
}

/// A version without the peers that follow it: `18.2.0(react@18)`, `18.2.0_react@18`.
fn pnpm_version(text: &str) -> &str {
    // Versions of other origins contain paths and URLs.
    let end =
        if text.contains(':') { text.len() } else { text.find(['(', '_']).unwrap_or(text.len()) };
    &text[..end]
}

fn pnpm_origin(version: &str) -> Origin {
    match version {
        _ if version.starts_with("link:") || version.starts_with("file:") => Origin::Path,
        _ if version.contains("git") && version.contains([':', '/']) => Origin::Git,
        _ if version.contains([':', '/']) => Origin::Url,
        _ => Origin::Registry,
    }
}

/// The name and version of a key of pnpm: `/a/1.0.0`, `/@a/b@1.0.0(c@2.0.0)`, `a@1.0.0`.
fn pnpm_key(key: &str) -> Option<(&str, &str)> {
    let plain = key.strip_prefix('/');
    let text = plain.unwrap_or(key);
    let end = text.find('(').unwrap_or(text.len());
    // The scope of a package contains a slash.
    let scope = if text.starts_with('@') { text.find('/')? + 1 } else { 0 };
    // A parenthesis before the slash is not the start of the peers.
    let rest = text.get(scope..end)?;
    let at = rest.find('@').map(|at| scope + at);
    let slash = plain.and_then(|_| rest.find('/')).map(|at| scope + at);
    let split = match (at, slash) {
        (Some(at), Some(slash)) => at.min(slash),
        (at, slash) => at.or(slash)?,
    };
    let (name, version) = (&text[..split], pnpm_version(&text[split + 1..]));
    // `1.0.0_react@18.0.0` is a version with a peer.
    let is_name = !name.is_empty()
        && !name.contains(':')
        && (plain.is_some() || !name.starts_with(|c: char| c.is_ascii_digit()));
    is_name.then_some((name, version))
}

/// Reads lock files of Bun in the text format.
pub(super) fn bun(text: &str, lock: &mut Lock) {
    let (values, root) = parse(Format::Json, text, lock);
    let Some(packages) = values.child(root, "packages") else { return };
    let mut by_key: HashMap<&str, usize> = HashMap::new();
    for (key, span, at) in entries(&values, packages) {
        let resolved = values.all[at].children.first().and_then(|&first| values.text(first));
        let Some(resolved) = resolved else { continue };
        let Some(split) = resolved.get(1..).and_then(|rest| rest.find('@')) else { continue };
        let (name, version) = (&resolved[..=split], &resolved[split + 2..]);
        let origin = match version {
            _ if version.starts_with("workspace:") || version.starts_with("link:") => Origin::Path,
            _ => pnpm_origin(version),
        };
        by_key.insert(key, lock.add(name, version, origin, span));
    }
    if let Some(table) = values.child(root, "overrides") {
        lock.overridden.extend(entries(&values, table).map(|(name, ..)| name.to_owned()));
    }
    lock.lists_direct = true;
    let workspaces = values.child(root, "workspaces");
    for (dir, _, at) in workspaces.into_iter().flat_map(|table| entries(&values, table)) {
        let own = field(&values, at, "name").unwrap_or_default();
        let mut direct = Direct::new();
        for name in direct_names(&values, at) {
            let index = by_key.get(&*format!("{own}/{name}")).or_else(|| by_key.get(name));
            direct.insert(name.to_owned(), index.copied().into_iter().collect());
        }
        lock.members.insert(dir.to_owned(), direct);
    }
}

/// Whether the value is a mapping.
pub(super) fn is_map(value: &Value) -> bool {
    value.datum == Datum::Map
}
