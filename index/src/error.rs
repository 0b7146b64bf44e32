//! The errors of the index.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the index cannot be built or read.
#[derive(Debug, Error)]
pub enum IndexError {
    /// A file of the index cannot be read or written.
    #[error("cannot access {}: {source}; check its permissions", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The database reports an error.
    #[error("the code index cannot be used: {0}; run `aidd index --rm` to remove it")]
    Database(#[from] rusqlite::Error),
    /// The stored facts of a file cannot be decoded.
    #[error("the code index is damaged: {0}; run `aidd index --rm` to remove it")]
    Damaged(#[from] postcard::Error),
    /// The configuration contains a malformed glob.
    #[error(transparent)]
    Glob(#[from] aidd_engine::text::paths::GlobError),
    /// The repository cannot be read, or a revision does not exist.
    #[error(transparent)]
    Git(#[from] aidd_engine::project::git::GitError),
    /// A revision has no commit in common with the current branch.
    #[error(
        "`{0}` and the current commit have no common commit; pass an ancestor of the current commit"
    )]
    NoCommonCommit(String),
    /// The clone does not have the contents of some files of a commit.
    #[error(
        "{0} files of the commit are not in this clone; fetch them with `git fetch --refetch --no-filter`"
    )]
    NotFetched(usize),
    /// The index cannot be encoded in the format of another tool.
    #[error("cannot export the code index: {0}; exclude files in the configuration")]
    Export(String),
    /// A query is not allowed.
    #[error("{0}")]
    Refused(String),
    /// The index or its directory is a link.
    #[error("{} is a link; replace it with a regular file or directory", .0.display())]
    Link(PathBuf),
}

impl IndexError {
    /// Converts an I/O error on `path`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
