//! Errors of migration planning.

use aidd_engine::project::stack::Version;
use thiserror::Error;

/// Why a migration cannot be planned, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MigrationError {
    /// The target is older than the current version.
    #[error(
        "{to} is older than {from}: a downgrade is not a migration; restore the previous \
         commit and lock file"
    )]
    Backwards {
        /// The current version.
        from: Version,
        /// The requested version.
        to: Version,
    },
    /// The current version is already a version of the target.
    #[error("{technology} is already at {from}, which belongs to {to}")]
    AlreadyMigrated {
        /// The technology to migrate.
        technology: String,
        /// The current version.
        from: Version,
        /// The requested version.
        to: Version,
    },
    /// The current version is unknown.
    #[error("no manifest states the version of {0}; pass `currentVersion`")]
    MissingStart(String),
    /// The value of `currentVersion` is not a version.
    #[error("`{0}` is not a version; expected a version such as 4 or 4.1.2")]
    InvalidStart(String),
    /// The target version is unknown.
    #[error("the entry on {0} names no version; pass `targetVersion`")]
    MissingTarget(String),
    /// The requested target is neither a version nor a technology.
    #[error(
        "`{given}` is neither a version nor a technology with an entry; expected a version such \
         as 5 or 5.1, or a name; the entry on {technology} describes migrations to: {}",
        if .targets.is_empty() { "none".to_owned() } else { .targets.join(", ") }
    )]
    UnknownTarget {
        /// The value of the parameter.
        given: String,
        /// The technology to migrate.
        technology: String,
        /// The targets of the migrations in its entry.
        targets: Vec<String>,
    },
}
