//! Resolves the version of each dependency: from a parent manifest, from the lock file, or from the
//! dependency's own range.

use super::lock::Lock;
use super::{Ecosystem, Manifest};
use std::collections::BTreeMap;

/// Sets the range of dependencies that inherit it from a parent manifest.
pub(super) fn inherit(manifests: &mut [Manifest]) {
    let shared: Vec<(Ecosystem, String, BTreeMap<String, String>)> = manifests
        .iter()
        .filter(|manifest| !manifest.shared.is_empty())
        .map(|manifest| (manifest.ecosystem, manifest.path.clone(), manifest.shared.clone()))
        .collect();
    let folder_of = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).len();
    for manifest in manifests {
        let (ecosystem, folder) = (manifest.ecosystem, manifest.folder().to_owned());
        // The nearest parent comes first.
        let mut parents: Vec<_> = shared
            .iter()
            .filter(|(of, from, _)| {
                *of == ecosystem && is_within(&folder, &from[..folder_of(from)])
            })
            .collect();
        parents.sort_by_key(|(_, from, _)| std::cmp::Reverse(folder_of(from)));
        for dependency in &mut manifest.dependencies {
            let Some(key) = &dependency.inherits else { continue };
            let shared =
                |key: &str| parents.iter().find_map(|(_, _, ranges)| ranges.get(key)).cloned();
            let group = key.split_once(':').map(|(group, _)| format!("{group}:*"));
            let defines =
                |key: &str| parents.iter().find(|(_, _, ranges)| ranges.contains_key(key));
            dependency.inherited_from = defines(key).map(|(_, path, _)| path.clone());
            dependency.wanted = shared(key).or_else(|| shared(&group?));
            if let Some(name) = shared(&format!("={key}")) {
                dependency.name = name;
            }
        }
    }
}

/// Without a lock file, treats ranges that allow only a single version as locked.
pub(super) fn apply_exact_ranges(manifest: &mut Manifest) {
    let is_pom = manifest.path.ends_with("pom.xml");
    if manifest.lock.is_some() {
        return;
    }
    for dependency in manifest.dependencies.iter_mut().filter(|known| known.locked.is_none()) {
        let wanted = dependency.wanted.as_deref().unwrap_or_default();
        let version = match manifest.ecosystem {
            Ecosystem::Npm => Some(wanted.trim_start_matches(['=', 'v'])),
            Ecosystem::Composer => Some(wanted.trim_start_matches('v')),
            Ecosystem::Gem => Some(wanted.trim_start_matches('=').trim_start()),
            Ecosystem::Cargo => wanted.strip_prefix('='),
            // Of a direct dependency, NuGet installs the lowest version that the range allows.
            Ecosystem::Nuget => {
                let single = wanted.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
                Some(single.unwrap_or(wanted))
            }
            // Direct dependencies take precedence over transitive dependencies.
            Ecosystem::Maven => Some(wanted).filter(|it| is_pom && !it.ends_with("-SNAPSHOT")),
            // Python requirements use `==`, and the versions of Go modules are always exact.
            Ecosystem::Pypi | Ecosystem::Go => None,
        };
        let version = version.map(str::trim).filter(|version| is_full_version(version, is_pom));
        dependency.locked = version.map(str::to_owned);
    }
}

/// Whether a text is a full version: `1.2.3`, `1.2.3-beta.1`; in a POM, any version that is not a
/// range.
pub(super) fn is_full_version(version: &str, is_pom: bool) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let are_numbers = numbers.split('.').all(|part| part.parse::<u64>().is_ok());
    version.starts_with(|c: char| c.is_ascii_digit())
        && version.chars().all(is_part)
        && (is_pom || are_numbers && numbers.matches('.').count() >= 2)
}

/// Sets the package manager of npm packages without a declared manager from the nearest parent
/// package.
pub(super) fn inherit_managers(manifests: &mut [Manifest]) {
    let is_npm = |manifest: &Manifest| manifest.ecosystem == Ecosystem::Npm;
    let declared: Vec<(String, String)> = manifests
        .iter()
        .filter(|manifest| is_npm(manifest))
        .filter_map(|manifest| Some((manifest.folder().to_owned(), manifest.manager.clone()?)))
        .collect();
    for manifest in
        manifests.iter_mut().filter(|manifest| is_npm(manifest) && manifest.manager.is_none())
    {
        let parents = declared.iter().filter(|(folder, _)| is_within(manifest.folder(), folder));
        let nearest = parents.max_by_key(|(folder, _)| folder.len());
        manifest.manager = nearest.map(|(_, manager)| manager.clone());
    }
}

fn is_within(folder: &str, ancestor: &str) -> bool {
    ancestor.is_empty()
        || folder == ancestor
        || folder.strip_prefix(ancestor).is_some_and(|rest| rest.starts_with('/'))
}

/// Sets the locked versions of dependencies from the nearest lock file in the directory or a
/// parent.
pub(super) fn apply_locks(manifests: &mut [Manifest], locks: &[Lock]) {
    for manifest in manifests.iter_mut().filter(|manifest| !manifest.is_unlocked) {
        let folder = manifest.folder().to_owned();
        let mut parents: Vec<&Lock> = locks
            .iter()
            .filter(|lock| lock.ecosystem == manifest.ecosystem)
            .filter(|lock| is_within(&folder, lock.folder()))
            .collect();
        parents.sort_by_key(|lock| std::cmp::Reverse(lock.folder().len()));
        let Some(nearest) = parents.first() else { continue };
        manifest.lock = Some(nearest.path.clone());
        manifest.uses_yarn_classic |= nearest.is_yarn_classic;
        if manifest.manager.is_none() {
            manifest.manager = nearest.manager.clone();
        }
        for dependency in &mut manifest.dependencies {
            if dependency.locked.is_none() {
                dependency.locked = nearest.version(&folder, dependency);
            }
        }
    }
}
