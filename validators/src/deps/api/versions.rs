//! The version of a package, a language or a runtime that applies to a file.

use super::table::{Origin, Package};
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::project::declared::{self, Declared, Manifest, normalize};
use aidd_engine::project::locked::{self, Lock, MAX_BYTES, Resolution};
use aidd_engine::project::ranges;
use aidd_engine::project::stack::{Ecosystem, Group, Version};
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::paths::{below, parent_dir, upwards};
use std::sync::Arc;

/// The version that a project declares.
pub(super) struct DeclaredVersion {
    /// The path of the manifest.
    pub(super) manifest: String,
    /// The requirement, as written.
    pub(super) requirement: String,
    /// The lowest version that the requirement allows.
    pub(super) minimum: Option<Version>,
    /// The version in the lock file, if it can be used instead of the minimum.
    pub(super) locked: Option<Version>,
}

/// The version of `package` that the nearest manifests above the file at `path` declare.
pub(super) fn declared(
    files: &dyn Files,
    path: &str,
    package: &Package,
) -> Option<DeclaredVersion> {
    upwards(parent_dir(path)).find_map(|dir| match package.origin {
        Origin::Npm => in_manifests(files, dir, Ecosystem::Npm, &package.name),
        Origin::Pypi => in_manifests(files, dir, Ecosystem::Pypi, &package.name),
        Origin::Node => field(files, dir, "package.json", &[&["engines", "node"]]),
        Origin::Python => field(
            files,
            dir,
            "pyproject.toml",
            &[&["project", "requires-python"], &["tool", "poetry", "dependencies", "python"]],
        ),
        Origin::Module => in_manifests(files, dir, Ecosystem::Go, &package.name),
        Origin::Go => go_directive(files, dir),
    })
}

/// Whether the nearest manifest above the file at `path` declares an npm package with this name.
pub(super) fn declares_npm(files: &dyn Files, path: &str, name: &str) -> bool {
    upwards(parent_dir(path)).any(|dir| in_manifests(files, dir, Ecosystem::Npm, name).is_some())
}

/// Whether a manifest above the file at `path` declares a package that provides a former module of
/// the standard library of Python: `legacy-cgi`, `standard-telnetlib`, `audioop-lts`, and setuptools
/// for `distutils`.
pub(super) fn declares_backport(files: &dyn Files, path: &str, module: &str) -> bool {
    let dirs = upwards(parent_dir(path));
    let paths = dirs.flat_map(|dir| manifest_paths(files, dir, Ecosystem::Pypi));
    let provides = |entry: &Declared| {
        let name = normalize(&entry.package);
        name.split('-').any(|part| part == module) || module == "distutils" && name == "setuptools"
    };
    let declares = |path: String| {
        let manifest = manifest(files, &path);
        manifest
            .as_ref()
            .as_ref()
            .is_some_and(|manifest| manifest.dependencies.iter().any(provides))
    };
    paths.into_iter().any(declares)
}

/// The lowest of the versions that the manifests in the directory declare; `None` if they do not
/// declare the package.
fn in_manifests(
    files: &dyn Files,
    dir: &str,
    ecosystem: Ecosystem,
    name: &str,
) -> Option<DeclaredVersion> {
    let manifests: Vec<Arc<Option<Manifest>>> =
        manifest_paths(files, dir, ecosystem).iter().map(|path| manifest(files, path)).collect();
    let manifests = manifests.iter().filter_map(|manifest| manifest.as_ref().as_ref());
    // Bundlers replace Vue with its migration build, which has the removed APIs.
    let is_migration_build = |entry: &Declared| entry.package == "@vue/compat";
    if name == "vue"
        && manifests.clone().any(|manifest| manifest.dependencies.iter().any(is_migration_build))
    {
        return None;
    }
    let entries: Vec<(&Manifest, &Declared)> = manifests
        .flat_map(|manifest| manifest.dependencies.iter().map(move |entry| (manifest, entry)))
        .filter(|(_, entry)| {
            let is_named = match ecosystem {
                Ecosystem::Pypi => normalize(&entry.package) == name,
                // A renamed dependency is another package.
                _ => entry.package == name && entry.name == name,
            };
            is_named && entry.origin == declared::Origin::Registry && !entry.shared
        })
        .collect();
    let minimum = |entry: &Declared| {
        entry.requirement.as_deref().and_then(|range| ranges::minimum(ecosystem, range))
    };
    let with_minimum = entries.iter().filter_map(|entry| Some((entry, minimum(entry.1)?)));
    let lowest = with_minimum.min_by(|a, b| a.1.cmp(&b.1));
    let (manifest, entry) =
        lowest.as_ref().map_or_else(|| entries.first(), |(entry, _)| Some(*entry))?;
    // A peer dependency is installed in the version that another project chooses.
    let is_peer = entries.iter().any(|(_, entry)| entry.group == Group::Peer);
    let locked = if is_peer { None } else { locked_version(files, manifest, &entry.name) };
    // The lowest version of `*` is 0.
    let has_bound = |minimum: &Version| Version::read("0").is_some_and(|zero| *minimum > zero);
    let minimum = lowest.map(|(_, minimum)| minimum).filter(has_bound);
    Some(DeclaredVersion {
        manifest: manifest.path.clone(),
        requirement: entry.requirement.clone().unwrap_or_default(),
        // Without a lower bound, the version in the lock file is the only one that is used.
        minimum: minimum.or_else(|| locked.clone()),
        locked,
    })
}

/// The paths of the manifests in the directory.
fn manifest_paths(files: &dyn Files, dir: &str, ecosystem: Ecosystem) -> Vec<String> {
    let fixed: &[&str] = match ecosystem {
        Ecosystem::Npm => &["package.json"],
        Ecosystem::Go => &["go.mod"],
        _ => &["pyproject.toml", "Pipfile"],
    };
    let mut paths: Vec<String> = fixed.iter().map(|name| below(dir, name)).collect();
    if ecosystem == Ecosystem::Pypi {
        let lists = [dir.to_owned(), below(dir, "requirements")];
        for dir in lists {
            let is_list = |name: &String| {
                name.ends_with(".txt") && declared::ecosystem(&below(&dir, name)).is_some()
            };
            let mut names: Vec<String> = files.names(&dir).into_iter().filter(is_list).collect();
            names.sort_unstable();
            paths.extend(names.iter().map(|name| below(&dir, name)));
        }
    }
    paths
}

/// The manifest at `path`, read once per run.
fn manifest(files: &dyn Files, path: &str) -> Arc<Option<Manifest>> {
    let read = || declared::read(path, &side_file(files, path)?);
    match files.run_cache() {
        Some(cache) => cache.get_or_compute(&format!("manifest {path}"), read),
        None => Arc::new(read()),
    }
}

/// The version in the lock file that covers the manifest; `None` if there is none, or several.
fn locked_version(files: &dyn Files, manifest: &Manifest, name: &str) -> Option<Version> {
    let locks = upwards(manifest.dir()).map(|dir| {
        let paths =
            locked::FILES.iter().filter(|(_, ecosystem, _)| *ecosystem == manifest.ecosystem);
        let paths = paths.map(|(name, ..)| below(dir, name)).filter(|path| files.exists(path));
        let locks = paths.map(|path| lock(files, &path));
        let covers = |lock: &Arc<Option<Lock>>| {
            lock.as_ref().as_ref().is_some_and(|lock| lock.covers(manifest))
        };
        locks.filter(covers).collect::<Vec<_>>()
    });
    let mut locks = locks.filter(|locks| !locks.is_empty());
    let nearest = locks.next()?;
    // In a workspace of JavaScript, the lock file of the workspace applies.
    let found = match manifest.ecosystem {
        Ecosystem::Npm => locks.last().unwrap_or(nearest),
        _ => nearest,
    };
    let [lock] = &found[..] else { return None };
    let lock = lock.as_ref().as_ref()?;
    match lock.resolve(manifest, name) {
        Resolution::Versions(versions) => {
            let [version] = &versions[..] else { return None };
            Version::read(&version.version)
        }
        _ => None,
    }
}

/// The lock file at `path`, read once per run.
fn lock(files: &dyn Files, path: &str) -> Arc<Option<Lock>> {
    let read_text = || {
        let bytes = files.read(path, MAX_BYTES + 1).ok()?;
        (bytes.len() as u64 <= MAX_BYTES).then(|| String::from_utf8(bytes).ok()).flatten()
    };
    let read = |text: Option<String>| text.and_then(|text| locked::read(path, &text));
    match files.run_cache() {
        // While the files of an editor change, the parsed lock file remains valid.
        Some(cache) if cache.outlives_changes() => match read_text() {
            Some(text) => cache.get_or_parse(path, &text, || locked::read(path, &text)),
            None => Arc::new(None),
        },
        Some(cache) => cache.get_or_compute(&format!("lock {path}"), || read(read_text())),
        None => Arc::new(read(read_text())),
    }
}

/// The version in one of the fields of the manifest `name` in the directory.
fn field(files: &dyn Files, dir: &str, name: &str, keys: &[&[&str]]) -> Option<DeclaredVersion> {
    let manifest = below(dir, name);
    let text = side_file(files, &manifest)?;
    let values = Values::read(Format::from_path(&manifest)?, &text);
    let root = *values.roots.first()?;
    let requirement = keys.iter().find_map(|keys| {
        let at = keys.iter().try_fold(root, |at, key| values.child(at, key))?;
        values.text(at)
    })?;
    let ecosystem = if name == "package.json" { Ecosystem::Npm } else { Ecosystem::Pypi };
    let minimum = ranges::minimum(ecosystem, &requirement);
    Some(DeclaredVersion { manifest, requirement, minimum, locked: None })
}

/// The version in the directive `go` of the `go.mod` in the directory.
fn go_directive(files: &dyn Files, dir: &str) -> Option<DeclaredVersion> {
    let manifest = below(dir, "go.mod");
    let text = side_file(files, &manifest)?;
    let mut directives = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let version = directives.find_map(|line| line.trim().strip_prefix("go "))?.trim().to_owned();
    let minimum = Version::read(&version);
    Some(DeclaredVersion { manifest, requirement: version, minimum, locked: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::files::Memory;

    #[test]
    fn vue_with_its_migration_build_has_no_version() {
        for (text, is_declared) in [
            (r#"{"dependencies": {"vue": "^3.2.0"}}"#, true),
            (r#"{"dependencies": {"vue": "^3.2.0", "@vue/compat": "^3.2.0"}}"#, false),
        ] {
            let files = Memory([("package.json".to_owned(), text.into())].into());
            let version = in_manifests(&files, "", Ecosystem::Npm, "vue");
            assert_eq!(version.is_some(), is_declared, "{text}");
        }
    }
}
