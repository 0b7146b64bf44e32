//! The paths of a repository's directories, for callers that run the `git` program.

use super::{GitError, Repository, to_git_error};
use std::io::Write as _;
use std::path::PathBuf;

/// The directories of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directories {
    /// The directory of `HEAD` and the index; separate for each linked work tree.
    pub git: PathBuf,
    /// The directory shared by all work trees: configuration, references, shallow commits.
    pub common: PathBuf,
    /// The directory of the object store.
    pub objects: PathBuf,
    /// The top directory of the work tree.
    pub work_tree: PathBuf,
}

impl Repository {
    /// The directories of the repository. `core.worktree` in the repository's configuration is
    /// ignored.
    ///
    /// # Errors
    /// When a directory does not exist.
    pub fn directories(&self) -> Result<Directories, GitError> {
        let repository = self.inner.to_thread_local();
        let absolute = |path: &std::path::Path| path.canonicalize().map_err(to_git_error);
        let work_tree = repository.workdir().ok_or_else(|| GitError::Other("no work tree".into()));
        Ok(Directories {
            git: absolute(repository.git_dir())?,
            common: absolute(repository.common_dir())?,
            objects: absolute(repository.objects.store_ref().path())?,
            work_tree: absolute(work_tree?)?,
        })
    }

    /// Whether the repository uses SHA-256 object ids.
    #[must_use]
    pub fn is_sha256(&self) -> bool {
        self.inner.to_thread_local().object_hash() == gix::hash::Kind::Sha256
    }

    /// The content of a `packed-refs` file with every reference to an object.
    ///
    /// # Errors
    /// When the references cannot be read.
    pub fn packed_refs(&self) -> Result<Vec<u8>, GitError> {
        let repository = self.inner.to_thread_local();
        let references = repository.references().map_err(to_git_error)?;
        let mut text = Vec::new();
        for reference in references.all().map_err(to_git_error)? {
            let reference = reference.map_err(to_git_error)?;
            if let Some(id) = reference.try_id() {
                write!(text, "{id} ").map_err(to_git_error)?;
                text.extend_from_slice(reference.name().as_bstr());
                text.push(b'\n');
            }
        }
        Ok(text)
    }
}
