//! Why the form `layers` of a page cannot be judged.

use super::parts::REGISTRIES;
use crate::text::captures::PatternError;
use crate::text::paths::GlobError;
use thiserror::Error;

/// What is wrong with the demands of the form `layers`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayersError {
    /// A glob is malformed.
    #[error("{0}")]
    Glob(#[from] GlobError),
    /// A path with captures is malformed.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// A glob on packages is malformed.
    #[error("{0}")]
    Package(globset::Error),
    /// It looks like a package, of a registry that nobody knows.
    #[error(
        "`{0}` is no glob, and none of {known} begins it",
        known = REGISTRIES.map(|(prefix, _)| prefix).join(", ")
    )]
    Registry(String),
    /// Nothing tells the parts of `independent` from each other.
    #[error(
        "`independent` needs a capture to tell the parts by, as in `src/<part>/**`: `{0}` has none"
    )]
    NoCapture(String),
}
