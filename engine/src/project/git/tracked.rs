//! Looks up in the index which paths Git tracks. A walk only queries paths that an ignore file
//! excludes, so no list of all paths is built.

use super::{GitError, Repository, to_git_error};
use crate::text::files::{Stamp, stamp_of};
use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::{Flags, Mode};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The index of a repository. Paths are relative to the top of the work tree, with `/` between
/// segments; bytes that are not UTF-8 become U+FFFD.
#[derive(Debug)]
pub struct Tracked {
    index: gix::index::File,
    path: PathBuf,
    /// The stamp of the index file before it was read.
    stamp: Option<Stamp>,
    /// The paths that are not UTF-8, as displayed.
    lossy: OnceLock<BTreeSet<String>>,
}

/// The content of the index for a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackedDir {
    /// The index has no entry at or below the directory.
    Empty,
    /// The index has files below the directory.
    Files,
    /// The directory is a submodule.
    Submodule,
}

impl Tracked {
    /// Opens the index of the repository whose work tree is at `top`.
    ///
    /// # Errors
    /// When there is no such repository, or the index is malformed.
    pub fn open(top: &Path) -> Result<Self, GitError> {
        let repository = Repository::open(top)?;
        // `.git` in `top` is not a repository; the repository was found in a parent directory.
        if !repository.prefix.is_empty() {
            return Err(GitError::NoRepository(top.display().to_string()));
        }
        let repository = repository.inner.to_thread_local();
        let (path, hash) = (repository.index_path(), repository.object_hash());
        let stamp = stamp_of(&path);
        // Like Git, do not verify the checksum of the index.
        let options = gix::index::decode::Options::default();
        let index =
            gix::index::File::at_or_default(&path, hash, true, options).map_err(to_git_error)?;
        Ok(Self { index, path, stamp, lossy: OnceLock::new() })
    }

    /// The path of the index file, and its stamp before it was read.
    #[must_use]
    pub fn read_from(&self) -> (&Path, Option<Stamp>) {
        (&self.path, self.stamp)
    }

    /// Whether the file at `path` is tracked.
    #[must_use]
    pub fn has_file(&self, path: &str) -> bool {
        let index = &self.index;
        let is_entry = |path: &str| {
            let found = index.entry_index_by_path(path.into());
            found.is_ok_and(|at| !matches!(index.entry(at).mode, Mode::COMMIT | Mode::DIR))
        };
        is_entry(path) || self.is_collapsed(path) || is_lossy(path) && self.lossy().contains(path)
    }

    /// The content of the index for the directory at `path`.
    #[must_use]
    pub fn dir(&self, path: &str) -> TrackedDir {
        let index = &self.index;
        let entry = index.entry_index_by_path(path.into()).map(|at| index.entry(at).mode);
        if entry == Ok(Mode::COMMIT) {
            return TrackedDir::Submodule;
        }
        let below = format!("{path}/");
        let is_lossy_below = || {
            let next = self.lossy().range(below.clone()..).next();
            next.is_some_and(|next| next.starts_with(&below))
        };
        let is_below = self.entries_below(&below).next().is_some()
            || self.is_collapsed(&below)
            || is_lossy(path) && is_lossy_below();
        if is_below { TrackedDir::Files } else { TrackedDir::Empty }
    }

    /// The number of tracked files at or below `path`, without files that a sparse checkout omits
    /// from disk.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        let below = format!("{path}/");
        let is_counted = |entry: &&gix::index::Entry| {
            matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE)
                && !entry.flags.contains(Flags::SKIP_WORKTREE)
        };
        let at = self.index.entry_range(path.into()).unwrap_or_default();
        let entries =
            self.index.entries()[at].iter().chain(self.entries_below(&below)).filter(is_counted);
        // A file in conflict has an entry for each side.
        let mut paths: Vec<&BStr> = entries.map(|entry| entry.path(&self.index)).collect();
        paths.dedup();
        paths.len()
    }

    /// Whether `path` is in a directory that a sparse index stores in place of its files. The index
    /// has no entries for these files, so any file in the directory on disk is treated as tracked.
    fn is_collapsed(&self, path: &str) -> bool {
        let mut dirs = path.match_indices('/').map(|(end, _)| &path[..=end]);
        self.index.is_sparse() && dirs.any(|dir| self.index.entry_index_by_path(dir.into()).is_ok())
    }

    /// The entries whose path starts with `prefix`.
    fn entries_below(&self, prefix: &str) -> impl Iterator<Item = &gix::index::Entry> {
        let (index, prefix) = (&self.index, prefix.as_bytes().to_vec());
        let entries = index.entries();
        let start = entries.partition_point(|entry| entry.path(index).as_bytes() < &*prefix);
        entries[start..].iter().take_while(move |entry| entry.path(index).starts_with(&prefix))
    }

    fn lossy(&self) -> &BTreeSet<String> {
        self.lossy.get_or_init(|| {
            let paths = self.index.entries().iter().map(|entry| entry.path(&self.index));
            let paths = paths.filter(|path| path.to_str().is_err());
            paths.map(|path| path.to_str_lossy().into_owned()).collect()
        })
    }
}

fn is_lossy(path: &str) -> bool {
    path.contains('\u{FFFD}')
}
