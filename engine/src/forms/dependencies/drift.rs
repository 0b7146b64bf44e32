//! Dependencies whose major version differs between the manifests of a workspace.

use super::{Found, Manifests, entry_finding};
use crate::project::declared::{Declared, Manifest, Origin};
use crate::project::stack::{Ecosystem, Group, Version};
use std::collections::BTreeMap;

/// The manifests that declare a package, with the major version that each requires.
type Declarations<'a> = Vec<(u64, &'a Manifest, &'a Declared)>;

pub(super) fn find(manifests: &Manifests) -> Vec<Found> {
    let mut by_package: BTreeMap<(Ecosystem, &str), Declarations<'_>> = BTreeMap::new();
    for manifest in &manifests.all {
        for declared in &manifest.dependencies {
            let is_chosen = declared.origin == Origin::Registry
                && declared.group != Group::Peer
                && declared.name == declared.package;
            let requirement = declared.requirement.as_deref().filter(|_| is_chosen);
            // The major version is a part of the name of a Go module.
            if manifest.ecosystem == Ecosystem::Go {
                continue;
            }
            if let Some(major) = requirement.and_then(major) {
                let key = (manifest.ecosystem, &*declared.package);
                by_package.entry(key).or_default().push((major, manifest, declared));
            }
        }
    }
    let mut found = Vec::new();
    for ((_, package), declarations) in &by_package {
        let Some((newest, with_newest, _)) = declarations.iter().max_by_key(|(major, ..)| *major)
        else {
            continue;
        };
        for (major, manifest, declared) in declarations.iter().filter(|(major, ..)| major < newest)
        {
            let message = format!(
                "`{package}` has major version {major} here and {newest} in {}",
                with_newest.path
            );
            let (name, mut finding) = entry_finding(manifest, declared, message);
            finding.names.extend([
                ("major".to_owned(), major.to_string()),
                ("newest".to_owned(), newest.to_string()),
                ("path".to_owned(), with_newest.path.clone()),
            ]);
            found.push((name, finding));
        }
    }
    found
}

/// The major version of a range that allows only one major version.
fn major(requirement: &str) -> Option<u64> {
    let has_several = requirement.contains(['>', '<', '*', ',', '|', '[', '(']);
    Version::read(requirement).filter(|_| !has_several).map(|version| version.major())
}
