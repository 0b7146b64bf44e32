//! Errors in the `layers` check of a page.

use super::parts::REGISTRIES;
use crate::text::captures::PatternError;
use crate::text::paths::GlobError;
use thiserror::Error;

/// Why a `layers` check cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayersError {
    /// A glob is malformed.
    #[error("{0}")]
    Glob(#[from] GlobError),
    /// A path with captures is malformed.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// A glob for packages is malformed.
    #[error("{0}")]
    Package(globset::Error),
    /// The entry looks like a package, but its registry is unknown.
    #[error(
        "`{0}` is neither a glob nor a package with one of the prefixes {known}",
        known = REGISTRIES.map(|(prefix, _)| prefix).join(", ")
    )]
    Registry(String),
    /// The pattern of `independent` has no capture to distinguish the parts.
    #[error(
        "`independent` requires a capture that distinguishes the parts, as in `src/<part>/**`; \
         `{0}` has none"
    )]
    NoCapture(String),
}
