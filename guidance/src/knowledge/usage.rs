//! What a project uses of a technology: its packages, container images, pinned versions and clients.

use super::{Entry, normalize_name};
use aidd_engine::project::stack::{Dependency, ImageUse, Manifest, Stack, Version};
use std::collections::BTreeSet;

/// The name of the ecosystem of container images in `packages` and `clients`.
const IMAGES: &str = "oci";

/// Evidence that a project uses a technology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The path of the file.
    pub path: String,
    /// The name of the package, image or runtime in the file.
    pub name: String,
    /// The version of the technology, if the file states it.
    pub version: Option<Version>,
    /// Whether the file names only a client, which can also be used with a compatible technology.
    pub is_client: bool,
}

impl Entry<'_> {
    /// The dependencies of a project that are packages of this technology.
    #[must_use]
    pub fn used_in<'s>(&self, stack: &'s Stack) -> Vec<(&'s Manifest, &'s Dependency)> {
        dependencies(stack, &self.packages).collect()
    }

    /// The version that the project uses, and the file that contains it: the version of the first
    /// package found, or for a runtime the pinned version, or the tag of a container image.
    #[must_use]
    pub fn version_in(&self, stack: &Stack) -> Option<(Version, String)> {
        let used = self.used_in(stack).into_iter();
        let mut versions = used.filter_map(|(manifest, dependency)| {
            let path = match (&dependency.locked, &manifest.lock) {
                (Some(_), Some(lock)) => lock.clone(),
                _ => manifest.path.clone(),
            };
            Some((dependency.version()?, path))
        });
        let pinned = || {
            let names: BTreeSet<String> = self.names().map(normalize_name).collect();
            let mut pins =
                stack.pins.iter().filter(|pin| names.contains(&normalize_name(&pin.name)));
            pins.find_map(|pin| Some((Version::read(&pin.version)?, pin.path.clone())))
        };
        let tagged = || {
            let mut images = images(stack, &self.packages);
            images.find_map(|image| Some((image.version()?, image.path.clone())))
        };
        versions.next().or_else(pinned).or_else(tagged)
    }

    /// Evidence that the project uses the technology, the most precise first; `None` if there is none.
    #[must_use]
    pub fn usage_in(&self, stack: &Stack) -> Option<Usage> {
        if let Some((version, path)) = self.version_in(stack) {
            let (name, version) = (self.name.to_owned(), Some(version));
            return Some(Usage { path, name, version, is_client: false });
        }
        let all = [(&self.packages, false), (&self.clients, true)];
        all.into_iter().find_map(|(packages, is_client)| {
            let package = dependencies(stack, packages)
                .next()
                .map(|(manifest, dependency)| (&manifest.path, &dependency.name));
            let image = || images(stack, packages).next().map(|image| (&image.path, &image.name));
            let (path, name) = package.or_else(image)?;
            Some(Usage { path: path.clone(), name: name.clone(), version: None, is_client })
        })
    }
}

/// The dependencies of a project that are among `packages`.
fn dependencies<'s>(
    stack: &'s Stack,
    packages: &[(&str, &str)],
) -> impl Iterator<Item = (&'s Manifest, &'s Dependency)> {
    stack.dependencies().filter(|(manifest, dependency)| {
        let used = (manifest.ecosystem.word(), &*dependency.name);
        packages.iter().any(|&(ecosystem, name)| {
            // Go modules include their major version in the name.
            (ecosystem, name) == used
                || (ecosystem, used.0) == ("go", "go")
                    && used.1.strip_prefix(name).is_some_and(|rest| rest.starts_with("/v"))
        })
    })
}

/// The container images of a project that are among `packages`.
fn images<'s>(stack: &'s Stack, packages: &[(&str, &str)]) -> impl Iterator<Item = &'s ImageUse> {
    stack.images.iter().filter(|image| packages.contains(&(IMAGES, &*image.name)))
}
