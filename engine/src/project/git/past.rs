//! Looks up whether a path existed in an earlier revision.

use super::{GitError, Repository, to_git_error};
use gix::bstr::ByteSlice;
use gix::{ObjectId, ThreadSafeRepository};

/// Maximum number of commits that are read.
const MAX_COMMITS: usize = 2_000;
/// One of this number of commits is searched: a file that a text names has usually existed for
/// longer.
const STEP: usize = 40;
/// The number of the latest commits that are all searched.
const LATEST: usize = 20;

/// A selection of the earlier revisions of a repository.
#[derive(Clone, Debug)]
pub struct PastRevisions {
    repository: ThreadSafeRepository,
    prefix: String,
    trees: Vec<ObjectId>,
}

impl Repository {
    /// A selection of the earlier revisions of `HEAD`, along first parents. In a shallow clone, the
    /// selection has no more revisions than the clone.
    ///
    /// # Errors
    /// When there is no commit, or an object is damaged.
    pub fn past_revisions(&self) -> Result<PastRevisions, GitError> {
        let repository = self.inner.to_thread_local();
        let head = repository.head_id().map_err(to_git_error)?;
        let walk = repository.rev_walk([head]).first_parent_only().all().map_err(to_git_error)?;
        let mut trees: Vec<ObjectId> = Vec::new();
        for (index, info) in walk.take(MAX_COMMITS).enumerate().skip(1) {
            let Ok(info) = info else { break };
            if index > LATEST && index % STEP != 0 {
                continue;
            }
            let commit = repository.find_commit(info.id).ok();
            let Some(tree) = commit.and_then(|commit| Some(commit.tree_id().ok()?.detach())) else {
                break;
            };
            if trees.last() != Some(&tree) {
                trees.push(tree);
            }
        }
        let prefix = self.prefix.to_str_lossy().into_owned();
        Ok(PastRevisions { repository: self.inner.clone(), prefix, trees })
    }
}

impl PastRevisions {
    /// Whether one of the revisions has a file or directory at `path`.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let repository = self.repository.to_thread_local();
        let full_path = format!("{}{path}", self.prefix);
        let has = |tree: &ObjectId| {
            let tree = repository.find_tree(*tree).ok()?;
            tree.lookup_entry_by_path(full_path.as_str()).ok()?
        };
        self.trees.iter().any(|tree| has(tree).is_some())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files created for the tests")]
mod tests {
    use super::*;
    use std::path::Path;
    use std::process::Command;

    fn git(root: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let status = Command::new("git").args(identity).args(arguments).current_dir(root).status();
        assert!(status.is_ok_and(|status| status.success()), "git {arguments:?}");
    }

    #[test]
    fn a_removed_file_is_found_in_an_earlier_revision() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        git(root, &["init", "-q"]);
        std::fs::create_dir(root.join("src")).expect("created");
        std::fs::write(root.join("src/old.ts"), "1\n").expect("written");
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "one"]);
        git(root, &["mv", "src/old.ts", "new.ts"]);
        git(root, &["commit", "-q", "-m", "two"]);
        let past = Repository::open(root).expect("opened").past_revisions().expect("read");
        assert!(past.has("src/old.ts") && past.has("src"));
        assert!(!past.has("new.ts") && !past.has("src/other.ts"));
    }
}
