//! Why no move to another version is planned.

use aidd_engine::project::stack::Version;
use thiserror::Error;

/// Why a move is not planned, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MigrationError {
    /// The target is the older version.
    #[error(
        "{to} is older than {from}: going back is not a migration; restore the commit and the \
         lock file from before"
    )]
    Backwards {
        /// The version that there is.
        from: Version,
        /// The version that is asked for.
        to: Version,
    },
    /// The version that there is belongs to the target.
    #[error("{technology} is at {from} already, which is of {to}")]
    Done {
        /// What is to be moved.
        technology: String,
        /// The version that there is.
        from: Version,
        /// The version that is asked for.
        to: Version,
    },
    /// Nobody says which version there is.
    #[error("no manifest tells which version of {0} there is; give `currentVersion`")]
    NoStart(String),
    /// What is given as the version that there is, is none.
    #[error("`{0}` is no version; write one such as 4 or 4.1.2")]
    Start(String),
    /// Nobody says which version is wanted.
    #[error("the entry on {0} names no version; give `targetVersion`")]
    NoTarget(String),
    /// What is given as the target is neither a version nor a technology.
    #[error(
        "`{given}` is no version and no technology with an entry; write one such as 5 or 5.1, or a \
         name; the entry on {technology} tells of the way to: {}",
        if .ways.is_empty() { "none".to_owned() } else { .ways.join(", ") }
    )]
    Target {
        /// What is given.
        given: String,
        /// What is to be moved.
        technology: String,
        /// Where its entry knows the way to.
        ways: Vec<String>,
    },
}
