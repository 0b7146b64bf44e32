//! Release series that no longer receive fixes, according to the knowledge base.

use super::versions::{Locks, pairs};
use super::{Found, Manifests, entry_finding};
use crate::project::declared::{Declared, Manifest, Origin};
use crate::project::locked::Resolution;
use crate::project::stack::{Ecosystem, Group, Version};
use aidd_page::Guide;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The end of support of a release series, as listed in the header of a knowledge entry.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct EndOfLife {
    /// The series: `2`, `4.2`.
    pub series: String,
    /// The date, `YYYY-MM-DD`, or the month.
    pub date: String,
    /// The URL of the announcement.
    pub source: String,
}

/// A technology of the knowledge base with series that are no longer supported.
#[derive(Clone, Debug, Deserialize)]
pub struct Lifecycle {
    /// The name of the technology.
    #[serde(default)]
    pub name: String,
    /// The packages, as `ecosystem:name`.
    #[serde(default)]
    packages: Vec<String>,
    /// The date of the last review, `YYYY-MM-DD`.
    #[serde(default)]
    pub last_updated: String,
    /// The series.
    #[serde(default)]
    end_of_life: Vec<EndOfLife>,
}

/// The lifecycles of packages: `ecosystem:name` → technology.
#[derive(Clone, Debug, Default)]
pub struct Lifecycles {
    all: Vec<Lifecycle>,
    by_package: HashMap<String, usize>,
}

impl Lifecycles {
    /// Reads the headers of the knowledge entries in `guides`.
    #[must_use]
    pub fn new(guides: &[Guide]) -> Self {
        let entries = guides.iter().filter(|guide| guide.path.starts_with("knowledge/"));
        // Most entries have no list of series; their headers are not parsed.
        let entries = entries.filter(|guide| guide.header.contains("\"end_of_life\""));
        let all: Vec<Lifecycle> =
            entries.filter_map(|guide| serde_json::from_str(guide.header).ok()).collect();
        let mut by_package = HashMap::new();
        for (index, lifecycle) in all.iter().enumerate() {
            by_package.extend(lifecycle.packages.iter().map(|package| (package.clone(), index)));
        }
        Self { all, by_package }
    }

    /// The series of `version`, whether or not its support has ended.
    #[must_use]
    pub fn series(
        &self,
        ecosystem: Ecosystem,
        package: &str,
        version: &Version,
    ) -> Option<(&Lifecycle, &EndOfLife)> {
        let index = *self.by_package.get(&format!("{ecosystem}:{package}"))?;
        let lifecycle = self.all.get(index)?;
        let mut series = lifecycle.end_of_life.iter().filter(|row| {
            let series = Version::read(&row.series);
            series.is_some_and(|series| {
                series.precision() <= version.precision() && version.is_in_series(&series)
            })
        });
        series.next().map(|row| (lifecycle, row))
    }

    /// The series of `version`, if its support had ended when the entry was reviewed. An end of
    /// support after the review is ignored even if it has passed, so that the same files always
    /// have the same findings.
    fn ended(
        &self,
        ecosystem: Ecosystem,
        package: &str,
        version: &Version,
    ) -> Option<(&Lifecycle, &EndOfLife)> {
        let series = self.series(ecosystem, package, version);
        series.filter(|(lifecycle, row)| row.date <= lifecycle.last_updated)
    }
}

pub(super) fn find(manifests: &Manifests, locks: &Locks, lifecycles: &Lifecycles) -> Vec<Found> {
    let mut locked: BTreeMap<(&str, u32), Version> = BTreeMap::new();
    for pair in pairs(manifests, locks) {
        if let Resolution::Versions(versions) = &pair.resolution
            && let [version] = &versions[..]
            && let Some(version) = Version::read(&version.version)
        {
            let (manifest, declared) = (pair.required.manifest, pair.required.declared);
            locked.insert((&manifest.path, declared.span.start), version);
        }
    }
    let mut found = Vec::new();
    for manifest in &manifests.all {
        for declared in manifest.dependencies.iter().filter(|declared| is_chosen(declared)) {
            let version = locked.get(&(&manifest.path, declared.span.start)).cloned();
            let Some(version) = version.or_else(|| pinned(manifest.ecosystem, declared)) else {
                continue;
            };
            let ended = lifecycles.ended(manifest.ecosystem, &declared.package, &version);
            if let Some((lifecycle, row)) = ended {
                found.push(finding(manifest, declared, lifecycle, row));
            }
        }
    }
    found
}

/// Whether the project itself chooses the version.
fn is_chosen(declared: &Declared) -> bool {
    declared.origin == Origin::Registry
        && declared.group != Group::Peer
        && !declared.inherits
        && !declared.indirect
}

/// The leading numbers that all versions allowed by the requirement share; `None` if they share
/// none.
pub(super) fn pinned(ecosystem: Ecosystem, declared: &Declared) -> Option<Version> {
    let requirement = declared.requirement.as_deref()?.trim();
    let (range, is_pessimistic) = match requirement.strip_prefix("~>") {
        Some(range) => (range, true),
        None => (requirement, requirement.starts_with('~')),
    };
    if range.contains(['>', '<', '*', ',', '!', '|', '[', '(', ' ']) && !is_pessimistic {
        return None;
    }
    let version = Version::read(range.trim_start_matches("~=").trim_start_matches('~'))?;
    let has_caret = requirement.starts_with('^')
        || ecosystem == Ecosystem::Cargo && requirement.starts_with(|c: char| c.is_ascii_digit());
    let shared = match () {
        () if has_caret => 1,
        // `~> 7.0.8` allows every version 7.0.x, and `~> 7.0` every version 7.x.
        () if is_pessimistic && ecosystem != Ecosystem::Npm => {
            version.to_string().matches('.').count().max(1)
        }
        () if is_pessimistic => 2,
        () => usize::MAX,
    };
    let shared = version.to_string().split('.').take(shared).collect::<Vec<_>>().join(".");
    Version::read(&shared).filter(|_| !range.contains(','))
}

fn finding(
    manifest: &Manifest,
    declared: &Declared,
    lifecycle: &Lifecycle,
    row: &EndOfLife,
) -> Found {
    let message = format!(
        "support for {} {} ended {} ({}, as of {})",
        lifecycle.name, row.series, row.date, row.source, lifecycle.last_updated
    );
    let (name, mut finding) = entry_finding(manifest, declared, message);
    finding.names.extend([
        ("technology".to_owned(), lifecycle.name.clone()),
        ("series".to_owned(), row.series.clone()),
        ("date".to_owned(), row.date.clone()),
        ("source".to_owned(), row.source.clone()),
        ("reviewed".to_owned(), lifecycle.last_updated.clone()),
    ]);
    (name, finding)
}
