//! The changes since the last commit.

use super::work_tree_changes;
use crate::project::git::{Change, Repository};
use crate::text::files::Disk;
use std::path::Path;

/// Maximum number of changed files that are listed.
const MAX_LISTED: usize = 200;

/// The changes since the last commit, including untracked files.
#[derive(Clone, Debug)]
pub struct UncommittedChanges {
    /// The hash of the last commit.
    pub head: String,
    /// The changed files, sorted by path.
    pub changes: Vec<Change>,
}

impl UncommittedChanges {
    /// The paths of the first changes, up to a limit.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        // The `.aidd` store is excluded here, because an ignore file may not exclude it.
        let paths = self.changes.iter().map(Change::path);
        let paths = paths.filter(|path| !path.starts_with(".aidd/data."));
        paths.take(MAX_LISTED).map(str::to_owned).collect()
    }
}

/// The changes since the last commit; `None` without a repository or a commit. Compares every
/// tracked file, which is too slow for a session start.
#[must_use]
pub fn uncommitted(root: &Path) -> Option<UncommittedChanges> {
    let repository = Repository::open(root).ok()?;
    let head = repository.commit("HEAD").ok()?;
    let snapshot = repository.snapshot(&head).ok()?;
    let changes = work_tree_changes(&repository, &snapshot, &Disk::new(root)).ok()?;
    Some(UncommittedChanges { head, changes })
}
