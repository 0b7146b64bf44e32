//! The targets of single imports, for the code index.

use super::resolve::{Resolution, ResolveContext, Resolver};
use super::{Facts, Name};
use crate::text::files::Files;
use crate::text::listing::Listing;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The target of one import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// Files of the project, ordered by path; several if the language imports whole packages.
    Files(Vec<String>),
    /// An external package, such as `npm:lodash`.
    Package(String),
    /// A part of the project that does not exist, or a target that cannot be determined.
    Unresolved,
}

/// Resolves single imports. Valid as long as the list of files, the manifests and the declarations
/// in `facts` do not change.
#[derive(Debug)]
pub struct ImportTargets<'a> {
    context: ResolveContext,
    listing: &'a Listing,
}

impl<'a> ImportTargets<'a> {
    /// Loads the data for resolving imports; see [`super::Graph::new`].
    #[must_use]
    pub fn new(
        files: &dyn Files,
        listing: &'a Listing,
        facts: &BTreeMap<String, Arc<Facts>>,
    ) -> Self {
        Self { context: ResolveContext::new(files, listing, facts), listing }
    }

    /// The target of `name`, imported in the file at `from`.
    #[must_use]
    pub fn target(&self, from: &str, name: &Name) -> ImportTarget {
        match Resolver::new(self.listing, &self.context).resolve(from, name) {
            Resolution::Files(files) => ImportTarget::Files(files.into_iter().collect()),
            Resolution::Package(package) => ImportTarget::Package(package),
            Resolution::Missing | Resolution::Unknown => ImportTarget::Unresolved,
        }
    }
}
