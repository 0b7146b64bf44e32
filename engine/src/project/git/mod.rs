//! Read-only access to Git repositories: commits, the files of a revision or of the index, and
//! differences. Objects are read directly from the store: hooks, filters, text conversions and
//! other programs configured in a repository never run, and the work tree is not modified.

mod changes;
mod directories;
mod excludes;
mod history;
mod past;
mod similar;
mod snapshot;
mod tracked;
mod unchanged;

use changes::Changes;
use gix::bstr::{BString, ByteSlice};
use gix::discover::upwards::{Options as Upwards, TrustPolicy};
use gix::object::tree::diff::ChangeDetached;
use gix::sec::Trust;
use gix::sec::trust::Mapping;
use gix::status::tree_index::TrackRenames;
use gix::status::{Item, Submodule, UntrackedFiles};
use gix::submodule::config::Ignore;
use gix::{ObjectId, ThreadSafeRepository};
use snapshot::Content;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

pub use changes::Change;
pub use directories::Directories;
pub(crate) use excludes::user_excludes;
pub use history::{AuthoredCommit, Commit};
pub use past::PastRevisions;
pub use snapshot::{Entry, Snapshot};
pub use tracked::{Tracked, TrackedDir};
pub use unchanged::{Unchanged, content_id};

/// Why a Git operation failed.
#[derive(Debug, Error)]
pub enum GitError {
    /// There is no repository at or above the directory.
    #[error("{0} is not in a Git repository")]
    NoRepository(String),
    /// A name does not resolve to a commit.
    #[error("unknown revision `{0}`")]
    UnknownRevision(String),
    /// Any other error, with the message of the library.
    #[error("{0}")]
    Other(String),
}

/// A repository, opened from a directory in its work tree.
#[derive(Debug)]
pub struct Repository {
    inner: ThreadSafeRepository,
    /// The path of the directory in the work tree, with a trailing slash; empty for the top.
    prefix: BString,
}

impl Repository {
    /// Opens the repository that contains `folder`. The Git configuration of the user and of the
    /// system is not read, and the configuration of the repository is not trusted.
    ///
    /// # Errors
    /// When there is no repository, or the repository is damaged.
    pub fn open(folder: &Path) -> Result<Self, GitError> {
        let trust = Upwards { trust: TrustPolicy::Assume(Trust::Reduced), ..Upwards::default() };
        let options = gix::open::Options::isolated();
        let by_trust_level = Mapping { full: options.clone(), reduced: options };
        let inner = ThreadSafeRepository::discover_opts(folder, trust, by_trust_level).map_err(
            |error| {
                let text = error.to_string();
                if text.contains("find a git repository") {
                    GitError::NoRepository(folder.display().to_string())
                } else {
                    GitError::Other(text)
                }
            },
        )?;
        let top = inner.work_dir().ok_or_else(|| {
            GitError::Other(format!("{} is in a bare repository", folder.display()))
        })?;
        let (top, folder) = (top.canonicalize(), folder.canonicalize());
        let prefix = match (top, folder) {
            (Ok(top), Ok(folder)) => crate::text::paths::relative(&top, &folder),
            (Err(error), _) | (_, Err(error)) => return Err(GitError::Other(error.to_string())),
        };
        let prefix = if prefix.is_empty() { prefix } else { prefix + "/" };
        Ok(Self { inner, prefix: prefix.into() })
    }

    /// The files that determine the checked out branch and the content of the index.
    #[must_use]
    pub fn state_files(&self) -> [PathBuf; 2] {
        let repository = self.inner.to_thread_local();
        [repository.git_dir().join("HEAD"), repository.index_path()]
    }

    /// The path from the top of the work tree to the opened directory, with a trailing slash; empty
    /// for the top.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.prefix.to_str_lossy().into_owned()
    }

    /// Resolves `rev` to a full commit hash: `main`, `HEAD~2`, `1a2b3c4`, a tag.
    ///
    /// # Errors
    /// When `rev` does not resolve to a commit.
    pub fn commit(&self, rev: &str) -> Result<String, GitError> {
        let unknown = || GitError::UnknownRevision(rev.to_owned());
        let repository = self.inner.to_thread_local();
        let spec = format!("{rev}^{{commit}}");
        let id = repository.rev_parse_single(spec.as_str()).map_err(|_| unknown())?;
        repository.find_commit(id).map_err(|_| unknown())?;
        Ok(id.to_string())
    }

    /// The hashes of a commit's parents, even if their objects are not in the repository.
    ///
    /// # Errors
    /// When the commit is not in the repository.
    pub fn parents(&self, commit: &str) -> Result<Vec<String>, GitError> {
        let repository = self.inner.to_thread_local();
        let commit = repository.find_commit(parse_object_id(commit)?).map_err(to_git_error)?;
        // The parents are read from the object, because a walk omits the parents at the boundary of
        // a shallow clone.
        let commit = commit.decode().map_err(to_git_error)?;
        Ok(commit.parents().map(|parent| parent.to_string()).collect())
    }

    /// The best common ancestors of two commits; the first is the ancestor that Git would use.
    ///
    /// # Errors
    /// When an object is missing.
    pub fn merge_bases(&self, first: &str, second: &str) -> Result<Vec<String>, GitError> {
        let repository = self.inner.to_thread_local();
        let bases = repository
            .merge_bases_many(parse_object_id(first)?, &[parse_object_id(second)?])
            .map_err(to_git_error)?;
        Ok(bases.iter().map(ToString::to_string).collect())
    }

    /// Whether the clone is shallow.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        self.inner.to_thread_local().is_shallow().unwrap_or(false)
    }

    /// The files of `commit`.
    ///
    /// # Errors
    /// When the commit is not in the repository.
    pub fn snapshot(&self, commit: &str) -> Result<Snapshot, GitError> {
        let repository = self.inner.to_thread_local();
        let commit = repository.find_commit(parse_object_id(commit)?).map_err(to_git_error)?;
        let tree = commit.tree_id().map_err(to_git_error)?.detach();
        Ok(self.new_snapshot(Content::Tree(tree)))
    }

    /// An empty snapshot, as the base of the first commit.
    #[must_use]
    pub fn empty_snapshot(&self) -> Snapshot {
        let empty = ObjectId::empty_tree(self.inner.to_thread_local().object_hash());
        self.new_snapshot(Content::Tree(empty))
    }

    /// The files that the next commit would contain. `index` is the path of an index that is used
    /// instead of the repository's own index, as in a hook of `git commit --only`.
    ///
    /// # Errors
    /// When the index is malformed.
    pub fn staged(&self, index: Option<&Path>) -> Result<Snapshot, GitError> {
        let repository = self.inner.to_thread_local();
        let path = index.map_or_else(|| repository.index_path(), Path::to_owned);
        let hash = repository.object_hash();
        let index = if path.exists() {
            gix::index::File::at(path, hash, false, gix::index::decode::Options::default())
                .map_err(to_git_error)?
        } else {
            gix::index::File::from_state(gix::index::State::new(hash), path)
        };
        Ok(self.new_snapshot(Content::Index(Arc::new(index))))
    }

    fn new_snapshot(&self, content: Content) -> Snapshot {
        Snapshot {
            repository: self.inner.clone(),
            prefix: self.prefix.clone(),
            content,
            folders: Arc::default(),
        }
    }

    /// The files that differ between a revision and another revision or the index, sorted.
    ///
    /// # Errors
    /// When an object is missing, or `base` is an index.
    pub fn changes(&self, base: &Snapshot, head: &Snapshot) -> Result<Vec<Change>, GitError> {
        let Content::Tree(old) = base.content else {
            return Err(GitError::Other("the base is not a revision".to_owned()));
        };
        match &head.content {
            Content::Tree(new) => self.tree_changes(old, *new),
            Content::Index(index) => self.index_changes(old, index),
        }
    }

    fn tree_changes(&self, old: ObjectId, new: ObjectId) -> Result<Vec<Change>, GitError> {
        let repository = self.inner.to_thread_local();
        let (old, new) = (repository.find_tree(old), repository.find_tree(new));
        let (old, new) = (old.map_err(to_git_error)?, new.map_err(to_git_error)?);
        let options = gix::diff::Options::default();
        let diff = repository.diff_tree_to_tree(&old, &new, Some(options)).map_err(to_git_error)?;
        let mut changes = Changes::default();
        for change in diff {
            match change {
                ChangeDetached::Addition { location, entry_mode, id, .. }
                    if entry_mode.is_blob() =>
                {
                    changes.add(location, id);
                }
                ChangeDetached::Deletion { location, entry_mode, id, .. }
                    if entry_mode.is_blob() =>
                {
                    changes.remove(location, id);
                }
                ChangeDetached::Modification {
                    location, previous_entry_mode, entry_mode, ..
                } => {
                    let (before, after) = (previous_entry_mode.is_blob(), entry_mode.is_blob());
                    changes.modify(location, before, after);
                }
                _ => {}
            }
        }
        changes.pair_renames(&repository);
        Ok(changes.below(self.prefix.as_bstr()))
    }

    fn index_changes(
        &self,
        old: ObjectId,
        index: &gix::index::State,
    ) -> Result<Vec<Change>, GitError> {
        let repository = self.inner.to_thread_local();
        let mut changes = Changes::default();
        repository
            .tree_index_status(&old, index, None, TrackRenames::Disabled, |change, _, _| {
                changes.apply_index_change(change.into_owned());
                Ok(gix::diff::index::Action::Continue(()))
            })
            .map_err(to_git_error)?;
        changes.pair_renames(&repository);
        Ok(changes.below(self.prefix.as_bstr()))
    }

    /// The files that differ between `base` and the work tree, sorted. `untracked` are the
    /// untracked files. The caller finds them, because gix would read the ignore files of the work
    /// tree without restrictions. Files with a new time stamp but unchanged text can be included.
    ///
    /// # Errors
    /// When an object is missing or the index is malformed.
    pub fn work_tree_changes(
        &self,
        base: &Snapshot,
        untracked: Vec<String>,
    ) -> Result<Vec<Change>, GitError> {
        let Content::Tree(tree) = base.content else {
            return Err(GitError::Other("the base is not a revision".to_owned()));
        };
        let repository = self.inner.to_thread_local();
        let items = repository
            .status(gix::progress::Discard)
            .map_err(to_git_error)?
            .head_tree(tree)
            .untracked_files(UntrackedFiles::None)
            .index_worktree_submodules(Submodule::Given { ignore: Ignore::All, check_dirty: false })
            .tree_index_track_renames(TrackRenames::Disabled)
            .into_iter(Vec::new())
            .map_err(to_git_error)?;
        let (mut changes, mut work_tree_items) = (Changes::default(), Vec::new());
        for item in items {
            match item.map_err(to_git_error)? {
                Item::TreeIndex(change) => changes.apply_index_change(change),
                Item::IndexWorktree(item) => work_tree_items.push(item),
            }
        }
        changes.pair_renames(&repository);
        for item in work_tree_items {
            changes.apply_work_tree_change(&item);
        }
        for path in untracked {
            changes.untracked(format!("{}{path}", self.prefix).into());
        }
        Ok(changes.below(self.prefix.as_bstr()))
    }
}

fn parse_object_id(hash: &str) -> Result<ObjectId, GitError> {
    ObjectId::from_hex(hash.as_bytes()).map_err(|_| GitError::UnknownRevision(hash.to_owned()))
}

fn to_git_error(error: impl std::fmt::Display) -> GitError {
    GitError::Other(error.to_string())
}
