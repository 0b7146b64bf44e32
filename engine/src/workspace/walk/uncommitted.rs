//! What differs from the last commit.

use super::work_tree_changes;
use crate::project::git::{Change, Repository};
use crate::text::files::Disk;
use std::path::Path;

/// Most changed files that are named.
const MAX_NAMED: usize = 200;

/// What differs from the last commit, untracked files included.
#[derive(Clone, Debug)]
pub struct Uncommitted {
    /// That commit.
    pub head: String,
    /// The files, by path.
    pub changes: Vec<Change>,
}

impl Uncommitted {
    /// The paths of the first few.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        // Our own store, where no ignore file names it.
        let paths = self.changes.iter().map(Change::path);
        let paths = paths.filter(|path| !path.starts_with(".aidd/data."));
        paths.take(MAX_NAMED).map(str::to_owned).collect()
    }
}

/// What differs from the last commit; `None` where there is no repository or no commit. Compares
/// every tracked file: too slow for a session start.
#[must_use]
pub fn uncommitted(root: &Path) -> Option<Uncommitted> {
    let repository = Repository::open(root).ok()?;
    let head = repository.commit("HEAD").ok()?;
    let snapshot = repository.snapshot(&head).ok()?;
    let changes = work_tree_changes(&repository, &snapshot, &Disk::new(root)).ok()?;
    Some(Uncommitted { head, changes })
}
