//! Compares manifests with lock files.

use super::{Found, Manifests, entry_finding, is_foreign};
use crate::forms::project_form::{ProjectFinding, Scope};
use crate::project::declared::{Declared, Manifest, Origin};
use crate::project::locked::{self, Lock, Locked, MAX_BYTES, Resolution};
use crate::project::stack::{Ecosystem, Group};
use crate::project::{manifest, ranges};
use crate::text::paths::{below, upwards};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The lock files of the project.
pub(super) struct Locks {
    /// All lock files, ordered by path.
    pub(super) all: Vec<Lock>,
    /// Ecosystem and directory → indexes of the lock files there.
    by_dir: HashMap<(Ecosystem, String), Vec<usize>>,
}

/// The version requirement that applies to a dependency, and where it is written.
#[derive(Clone, Copy)]
pub(super) struct Required<'m> {
    pub(super) manifest: &'m Manifest,
    pub(super) declared: &'m Declared,
}

impl Locks {
    pub(super) fn read(scope: &Scope<'_>) -> Self {
        let paths = scope.listing.files().iter();
        let paths = paths.filter(|path| locked::tool(path).is_some() && !is_foreign(path));
        let mut all: Vec<Lock> = paths.filter_map(|path| read(scope, path)).collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        let mut by_dir: HashMap<(Ecosystem, String), Vec<usize>> = HashMap::new();
        for (index, lock) in all.iter().enumerate() {
            by_dir.entry((lock.ecosystem, lock.dir().to_owned())).or_default().push(index);
        }
        Self { all, by_dir }
    }

    /// The lock files of an ecosystem in a directory.
    pub(super) fn in_dir(&self, ecosystem: Ecosystem, dir: &str) -> impl Iterator<Item = &Lock> {
        let indexes = self.by_dir.get(&(ecosystem, dir.to_owned()));
        indexes.into_iter().flatten().filter_map(|&index| self.all.get(index))
    }

    /// The lock file that applies to the manifest; `None` if there is none, or several tools could
    /// be in use. In a workspace of JavaScript, the lock file of the workspace applies, and the
    /// lock file of a member is obsolete.
    pub(super) fn for_manifest(&self, manifest: &Manifest) -> Option<&Lock> {
        let mut candidates = upwards(manifest.dir()).map(|dir| {
            let locks = self.in_dir(manifest.ecosystem, dir);
            locks.filter(|lock| is_read_by(lock, manifest)).collect::<Vec<_>>()
        });
        let mut found = candidates.find(|locks| !locks.is_empty())?;
        if manifest.ecosystem == Ecosystem::Npm {
            found = candidates.filter(|locks| !locks.is_empty()).last().unwrap_or(found);
        }
        match found[..] {
            [lock] => Some(lock),
            _ => None,
        }
    }
}

/// Whether the tool of the lock file reads the manifest, and the lock file covers it.
fn is_read_by(lock: &Lock, manifest: &Manifest) -> bool {
    let name = manifest.path.rsplit('/').next().unwrap_or_default();
    let reads = match lock.ecosystem {
        Ecosystem::Pypi => name == if lock.tool == "Pipenv" { "Pipfile" } else { "pyproject.toml" },
        _ => true,
    };
    reads && lock.covers(manifest)
}

fn read(scope: &Scope<'_>, path: &str) -> Option<Lock> {
    let bytes = scope.files.read(path, MAX_BYTES + 1).ok()?;
    let text =
        (bytes.len() as u64 <= MAX_BYTES).then(|| String::from_utf8(bytes).ok()).flatten()?;
    let mut lock = locked::read(path, &text)?;
    if lock.ecosystem == Ecosystem::Npm {
        let package = manifest::json(scope.files, &below(lock.dir(), "package.json"));
        let overrides = ["/overrides", "/resolutions", "/pnpm/overrides"].into_iter();
        let tables = overrides.filter_map(|pointer| package.pointer(pointer)?.as_object());
        // `parent>name@range`, `parent/name` and `name@range` override `name`.
        for key in tables.flat_map(serde_json::Map::keys) {
            let key = key.rsplit('>').next().unwrap_or(key);
            let key = &key[..key.rfind('@').filter(|at| *at > 0).unwrap_or(key.len())];
            let scoped = key.rfind('@').unwrap_or_else(|| key.rfind('/').map_or(0, |at| at + 1));
            lock.overridden.insert(key[scoped..].to_owned());
        }
    }
    Some(lock)
}

/// The entries of shared tables, by name.
pub(super) fn shared(manifests: &Manifests) -> BTreeMap<(Ecosystem, &str), Required<'_>> {
    let mut shared = BTreeMap::new();
    for manifest in &manifests.all {
        for declared in manifest.dependencies.iter().filter(|declared| declared.shared) {
            let key = (manifest.ecosystem, &*declared.name);
            shared.entry(key).or_insert(Required { manifest, declared });
        }
    }
    shared
}

/// A dependency of a manifest with its lock file.
pub(super) struct Pair<'a> {
    /// The manifest and its entry.
    pub(super) manifest: &'a Manifest,
    pub(super) declared: &'a Declared,
    /// Where the requirement is written: the entry itself, or the entry that it inherits.
    pub(super) required: Required<'a>,
    pub(super) lock: &'a Lock,
    pub(super) resolution: Resolution<'a>,
}

/// Every dependency that a lock file covers.
pub(super) fn pairs<'a>(manifests: &'a Manifests, locks: &'a Locks) -> Vec<Pair<'a>> {
    let shared = shared(manifests);
    let mut pairs = Vec::new();
    for manifest in &manifests.all {
        let Some(lock) = locks.for_manifest(manifest) else { continue };
        for declared in manifest.dependencies.iter().filter(|declared| !declared.shared) {
            let own = Required { manifest, declared };
            let required = match declared.inherits {
                true => match shared.get(&(manifest.ecosystem, &*declared.name)) {
                    Some(shared) => *shared,
                    None => continue,
                },
                false => own,
            };
            let name = match manifest.ecosystem {
                Ecosystem::Npm => &declared.name,
                _ => &required.declared.package,
            };
            let resolution = lock.resolve(manifest, name);
            pairs.push(Pair { manifest, declared, required, lock, resolution });
        }
    }
    pairs
}

/// Whether one of the locked versions satisfies the requirement; `None` if that is unknown, or the
/// project overrides the requirement.
pub(super) fn is_satisfied(pair: &Pair<'_>) -> Option<bool> {
    let Pair { required: Required { manifest, declared }, lock, resolution, .. } = pair;
    let Resolution::Versions(versions) = resolution else { return None };
    let requirement = declared.requirement.as_deref().map(str::trim)?;
    let is_checked = declared.origin == Origin::Registry
        && declared.group != Group::Peer
        && !requirement.is_empty()
        && !lock.overridden.contains(&declared.name)
        && versions.iter().all(|locked| locked.origin == Origin::Registry);
    let answers = versions
        .iter()
        .map(|locked| ranges::satisfies(manifest.ecosystem, requirement, &locked.version));
    let mut satisfied = Some(false);
    for answer in answers.take_while(|_| is_checked) {
        match answer {
            Some(true) => return Some(true),
            None => satisfied = None,
            Some(false) => {}
        }
    }
    satisfied.filter(|_| is_checked)
}

/// The locked versions, if none of them satisfies the requirement.
pub(super) fn mismatch<'p>(pair: &Pair<'p>) -> Option<Vec<&'p Locked>> {
    match &pair.resolution {
        Resolution::Versions(versions) if is_satisfied(pair) == Some(false) => {
            Some(versions.clone())
        }
        _ => None,
    }
}

/// The findings without duplicates, which occur because members of a workspace share requirements.
fn unique(found: Vec<Found>) -> Vec<Found> {
    let mut known = BTreeSet::new();
    let key = |finding: &ProjectFinding| {
        (finding.path.clone(), finding.span.map(|span| span.start), finding.message.clone())
    };
    found.into_iter().filter(|(_, finding)| known.insert(key(finding))).collect()
}

pub(super) fn mismatches(manifests: &Manifests, locks: &Locks) -> Vec<Found> {
    let mut found = Vec::new();
    for pair in pairs(manifests, locks) {
        let Some(versions) = mismatch(&pair) else { continue };
        let Required { manifest, declared } = pair.required;
        let versions: BTreeSet<&str> = versions.iter().map(|locked| &*locked.version).collect();
        let versions = versions.into_iter().collect::<Vec<_>>().join(", ");
        let requirement = declared.requirement.as_deref().unwrap_or_default();
        let message = format!(
            "`{}` requires `{requirement}`, but {} has {versions}",
            declared.name, pair.lock.path
        );
        let (name, mut finding) = entry_finding(manifest, declared, message);
        finding.names.extend([
            ("requirement".to_owned(), requirement.to_owned()),
            ("locked".to_owned(), versions),
            ("lock".to_owned(), pair.lock.path.clone()),
        ]);
        found.push((name, finding));
    }
    unique(found)
}

/// Whether a lock file must have an entry for the dependency.
pub(super) fn must_be_locked(scope: &Scope<'_>, pair: &Pair<'_>) -> bool {
    let Required { manifest, declared } = pair.required;
    let is_certain = match manifest.ecosystem {
        // Environment markers can exclude a requirement for every supported environment.
        Ecosystem::Pypi => {
            !declared.configures && (pair.lock.tool != "PDM" || declared.group == Group::Normal)
        }
        // In a workspace, `go.work.sum` contains the remaining hashes.
        Ecosystem::Go => {
            let mut above = upwards(manifest.dir());
            !manifest.provided.contains(&declared.name)
                && !above.any(|dir| scope.listing.has_file(&below(dir, "go.work")))
        }
        Ecosystem::Gem => !declared.configures,
        _ => true,
    };
    is_certain
        && !matches!(declared.group, Group::Peer | Group::Optional)
        && matches!(declared.origin, Origin::Registry | Origin::Git)
}

pub(super) fn not_locked(scope: &Scope<'_>, manifests: &Manifests, locks: &Locks) -> Vec<Found> {
    let mut found = Vec::new();
    for pair in pairs(manifests, locks) {
        if pair.resolution == Resolution::Missing && must_be_locked(scope, &pair) {
            let Required { manifest, declared } = pair.required;
            let message = format!("`{}` has no entry in {}", declared.name, pair.lock.path);
            let (name, mut finding) = entry_finding(manifest, declared, message);
            finding.names.push(("lock".to_owned(), pair.lock.path.clone()));
            found.push((name, finding));
        }
    }
    unique(found)
}

/// Reports directories with lock files of several tools.
pub(super) fn several(locks: &Locks) -> Vec<Found> {
    let mut found = Vec::new();
    for indexes in locks.by_dir.values() {
        let all: Vec<&Lock> = indexes.iter().map(|&index| &locks.all[index]).collect();
        let [first, rest @ ..] = &all[..] else { continue };
        let Some(other) = rest.iter().find(|lock| lock.tool != first.tool) else { continue };
        let name = |lock: &Lock| lock.path.rsplit('/').next().unwrap_or_default().to_owned();
        let message = format!(
            "{} ({}) and {} ({}) lock the same packages",
            name(first),
            first.tool,
            name(other),
            other.tool
        );
        let names = vec![("first".to_owned(), name(first)), ("other".to_owned(), name(other))];
        let finding = ProjectFinding {
            path: first.path.clone(),
            message,
            names,
            ..ProjectFinding::default()
        };
        found.push((name(first), finding));
    }
    found.sort_by(|a, b| a.1.path.cmp(&b.1.path));
    found
}

/// Notes on lock files that could not be read.
pub(super) fn notes(locks: &Locks) -> Vec<String> {
    let broken = locks.all.iter().filter_map(|lock| Some((lock, lock.problem.as_ref()?)));
    broken.map(|(lock, (_, problem))| format!("{}: not read: {problem}", lock.path)).collect()
}
