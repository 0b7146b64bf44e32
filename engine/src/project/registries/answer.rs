//! The requests that ask a registry for the versions of a package, and its responses.

use super::super::declared::normalize;
use super::super::ranges::compare;
use super::super::stack::Ecosystem;
use crate::parse::xml;
use serde::Deserialize;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

/// A request to a registry, with the method `GET`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    /// The absolute URL, without credentials.
    pub url: String,
    /// The value of the header `Accept`.
    pub accept: &'static str,
}

/// The versions of a package in a registry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// The newest version that is stable and not withdrawn.
    pub latest: Option<String>,
    /// Version → why it must not be used: it is deprecated, yanked or abandoned.
    versions: BTreeMap<String, Option<String>>,
}

impl Published {
    /// Whether the registry has the version.
    #[must_use]
    pub fn has(&self, version: &str) -> bool {
        self.versions.contains_key(version)
    }

    /// Why the version must not be used.
    #[must_use]
    pub fn withdrawn(&self, version: &str) -> Option<&str> {
        self.versions.get(version)?.as_deref()
    }
}

/// The request for the versions of the package `name`; `None` if the name is not valid in the
/// ecosystem.
#[must_use]
pub fn request(ecosystem: Ecosystem, registry: &str, name: &str) -> Option<Request> {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    let segments = || name.split(['/', ':']);
    let count = segments().count();
    let unscoped = name.strip_prefix('@').unwrap_or(name);
    let is_name = unscoped.split(['/', ':']).all(|segment| {
        !segment.is_empty() && segment.chars().all(is_valid) && !segment.starts_with('.')
    });
    let has_form = match ecosystem {
        Ecosystem::Npm => count == if name.starts_with('@') { 2 } else { 1 },
        Ecosystem::Cargo | Ecosystem::Pypi | Ecosystem::Gem => count == 1,
        Ecosystem::Maven => name.split(':').count() == 2 && !name.contains('/'),
        Ecosystem::Composer => count == 2,
        Ecosystem::Go => true,
        Ecosystem::Nuget => false,
    };
    if !is_name || !has_form || ecosystem != Ecosystem::Maven && name.contains(':') {
        return None;
    }
    let (path, accept) = match ecosystem {
        Ecosystem::Npm => {
            (name.replace('/', "%2f"), "application/vnd.npm.install-v1+json, application/json")
        }
        Ecosystem::Cargo => (sparse_path(&name.to_lowercase()), "text/plain"),
        Ecosystem::Pypi => (format!("{}/", normalize(name)), "application/vnd.pypi.simple.v1+json"),
        Ecosystem::Go => (format!("{}/@v/list", escape_module(name)), "text/plain"),
        Ecosystem::Gem => (format!("info/{name}"), "text/plain"),
        Ecosystem::Composer => (format!("p2/{}.json", name.to_lowercase()), "application/json"),
        Ecosystem::Maven | Ecosystem::Nuget => {
            let (group, artifact) = name.split_once(':')?;
            (format!("{}/{artifact}/maven-metadata.xml", group.replace('.', "/")), "text/xml")
        }
    };
    Some(Request { url: format!("{registry}/{path}"), accept })
}

/// The path of a crate in a sparse index.
fn sparse_path(name: &str) -> String {
    match name.len() {
        1 | 2 => format!("{}/{name}", name.len()),
        3 => format!("3/{}/{name}", &name[..1]),
        _ => format!("{}/{}/{name}", &name[..2], &name[2..4]),
    }
}

/// The path of a module for a proxy: each upper-case letter becomes `!` and the lower-case letter.
fn escape_module(name: &str) -> String {
    let escape = |c: char| match c.is_ascii_uppercase() {
        true => format!("!{}", c.to_ascii_lowercase()),
        false => c.to_string(),
    };
    name.chars().map(escape).collect()
}

/// Reads the response to the request for the package `name`; `None` if it is not in the format of
/// the ecosystem, or lists no version.
#[must_use]
pub fn read(ecosystem: Ecosystem, name: &str, text: &str) -> Option<Published> {
    let mut published = match ecosystem {
        Ecosystem::Npm => npm(text)?,
        Ecosystem::Cargo => cargo(text)?,
        Ecosystem::Pypi => python(text)?,
        Ecosystem::Go => lines(text.lines().filter(|line| line.starts_with('v'))),
        Ecosystem::Gem => gem(text)?,
        Ecosystem::Composer => composer(name, text)?,
        Ecosystem::Maven => maven(text),
        Ecosystem::Nuget => return None,
    };
    if published.versions.is_empty() {
        return None;
    }
    if published.latest.is_none() {
        let versions = published.versions.iter();
        let usable = versions
            .filter(|(version, withdrawn)| withdrawn.is_none() && is_stable(ecosystem, version));
        let newest =
            usable.max_by(|(a, _), (b, _)| compare(ecosystem, a, b).unwrap_or(Ordering::Equal));
        published.latest = newest.map(|(version, _)| version.clone());
    }
    Some(published)
}

/// Whether a version is not a pre-release.
fn is_stable(ecosystem: Ecosystem, version: &str) -> bool {
    match ecosystem {
        Ecosystem::Pypi => {
            pep440_rs::Version::from_str(version).is_ok_and(|version| !version.any_prerelease())
        }
        Ecosystem::Maven => {
            let lower = version.to_lowercase();
            let mut words = lower.split(|c: char| !c.is_ascii_alphabetic());
            words.all(|word| {
                matches!(word, "" | "final" | "ga" | "release" | "jre" | "android" | "v")
            })
        }
        Ecosystem::Gem => !version.contains(|c: char| c.is_ascii_alphabetic()),
        Ecosystem::Composer => {
            let version = version.trim_start_matches('v');
            !version.contains(|c: char| c.is_ascii_alphabetic() || c == '-')
        }
        _ => semver::Version::parse(version.trim_start_matches('v'))
            .is_ok_and(|version| version.pre.is_empty()),
    }
}

/// The versions in a list without further data.
fn lines<'t>(versions: impl Iterator<Item = &'t str>) -> Published {
    let versions = versions.map(str::trim).filter(|version| !version.is_empty());
    let versions = versions.map(|version| (version.to_owned(), None)).collect();
    Published { latest: None, versions }
}

fn npm(text: &str) -> Option<Published> {
    #[derive(Deserialize)]
    struct Package {
        #[serde(rename = "dist-tags", default)]
        tags: HashMap<String, String>,
        #[serde(default)]
        versions: HashMap<String, Version>,
    }
    #[derive(Deserialize)]
    struct Version {
        #[serde(default)]
        deprecated: Option<Value>,
    }
    let package: Package = serde_json::from_str(text).ok()?;
    let withdrawn = |version: Version| match version.deprecated {
        Some(Value::String(why)) if !why.is_empty() => Some(format!("deprecated: {why}")),
        Some(Value::Bool(true)) => Some("deprecated".to_owned()),
        _ => None,
    };
    let versions = package.versions.into_iter();
    let versions = versions.map(|(name, version)| (name, withdrawn(version))).collect();
    Some(Published { latest: package.tags.get("latest").cloned(), versions })
}

fn cargo(text: &str) -> Option<Published> {
    #[derive(Deserialize)]
    struct Version {
        vers: String,
        #[serde(default)]
        yanked: bool,
    }
    let read = |line: &str| {
        let version: Version = serde_json::from_str(line).ok()?;
        Some((version.vers, version.yanked.then(|| "yanked".to_owned())))
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Some(Published { latest: None, versions: lines.map(read).collect::<Option<_>>()? })
}

fn python(text: &str) -> Option<Published> {
    #[derive(Deserialize)]
    struct Project {
        #[serde(default)]
        versions: Vec<String>,
        files: Vec<File>,
    }
    #[derive(Deserialize)]
    struct File {
        filename: String,
        #[serde(default)]
        yanked: Value,
    }
    let project: Project = serde_json::from_str(text).ok()?;
    let mut versions: BTreeMap<String, Option<String>> =
        project.versions.into_iter().map(|version| (version, None)).collect();
    // A version is yanked if all its files are.
    let mut yanked: BTreeMap<String, bool> = BTreeMap::new();
    for file in &project.files {
        let Some(version) = version_of_file(&file.filename) else { continue };
        let is_yanked = !matches!(file.yanked, Value::Null | Value::Bool(false));
        *yanked.entry(version.to_owned()).or_insert(true) &= is_yanked;
    }
    for (version, is_yanked) in yanked {
        let entry = versions.entry(version).or_default();
        if is_yanked {
            *entry = Some("yanked".to_owned());
        }
    }
    Some(Published { latest: None, versions })
}

/// The version in the name of a file: `a-1.0.tar.gz`, `a-1.0-py3-none-any.whl`.
fn version_of_file(name: &str) -> Option<&str> {
    if let Some(wheel) = name.strip_suffix(".whl") {
        return wheel.split('-').nth(1);
    }
    let extensions = [".tar.gz", ".zip", ".tar.bz2", ".tgz"];
    let stem = extensions.iter().find_map(|extension| name.strip_suffix(extension))?;
    stem.rsplit_once('-').map(|(_, version)| version)
}

/// The compact index: `---`, then a line `version[-platform] dependencies|requirements` for each
/// version.
fn gem(text: &str) -> Option<Published> {
    let (_, list) = text.split_once("---")?;
    let version = |line: &'_ str| line.split([' ', '-']).next().unwrap_or_default().to_owned();
    let versions: Vec<String> = list.lines().map(version).collect();
    Some(lines(versions.iter().map(String::as_str)))
}

fn composer(name: &str, text: &str) -> Option<Published> {
    let document: Value = serde_json::from_str(text).ok()?;
    let list = document.get("packages")?.get(name.to_lowercase())?.as_array()?;
    // In the minified format, an entry lists only the differences from the previous one.
    let abandoned = list.first().and_then(|first| match first.get("abandoned")? {
        Value::Bool(true) => Some("abandoned".to_owned()),
        Value::String(other) => Some(format!("abandoned: use {other}")),
        _ => None,
    });
    let versions = list.iter().filter_map(|entry| entry.get("version")?.as_str());
    let versions: BTreeMap<_, _> =
        versions.map(|version| (version.to_owned(), abandoned.clone())).collect();
    let names = versions.keys().filter(|version| is_stable(Ecosystem::Composer, version));
    let order =
        |a: &&String, b: &&String| compare(Ecosystem::Composer, a, b).unwrap_or(Ordering::Equal);
    let latest = names.max_by(order).cloned();
    Some(Published { latest, versions })
}

fn maven(text: &str) -> Published {
    let tree = xml::parse(text);
    let versions = tree.nodes.iter().filter(|node| node.key == "version");
    let is_listed = |node: &&crate::parse::tree::Node| {
        tree.nodes.get(node.parent).is_some_and(|parent| parent.key == "versions")
    };
    lines(versions.filter(is_listed).filter_map(|node| node.value.as_deref()))
}
