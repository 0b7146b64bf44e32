//! Reads the times, messages and authors of commits, and the names of branches.

use super::{GitError, Repository, parse_object_id, to_git_error};
use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

/// The time and message of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The full hash of the commit.
    pub id: String,
    /// Commit time, in milliseconds since 1970.
    pub at: i64,
    /// The full commit message.
    pub message: String,
}

/// A commit as used by checks of commit messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthoredCommit {
    /// The full hash of the commit.
    pub id: String,
    /// The full commit message.
    pub message: String,
    /// The author, as `Name <address>`.
    pub author: String,
    /// Whether the commit has several parents.
    pub is_merge: bool,
}

impl Repository {
    /// The commits reachable from `head` but not from any of `bases`, latest first; at most
    /// `limit`. Bases that are not in the repository have no effect.
    ///
    /// # Errors
    /// When `head` is not in the repository, or an object is missing.
    pub fn commits_between(
        &self,
        bases: &[&str],
        head: &str,
        limit: usize,
    ) -> Result<Vec<AuthoredCommit>, GitError> {
        let repository = self.inner.to_thread_local();
        let known =
            |base: &&str| parse_object_id(base).is_ok_and(|id| repository.find_commit(id).is_ok());
        let hidden: Vec<ObjectId> = bases
            .iter()
            .filter(|base| known(base))
            .map(|base| parse_object_id(base))
            .collect::<Result<_, _>>()?;
        let walk = repository
            .rev_walk([parse_object_id(head)?])
            .with_hidden(hidden)
            .all()
            .map_err(to_git_error)?;
        let mut commits = Vec::new();
        for info in walk.take(limit) {
            let commit =
                repository.find_commit(info.map_err(to_git_error)?.id).map_err(to_git_error)?;
            let author = commit.author().map_err(to_git_error)?;
            commits.push(AuthoredCommit {
                id: commit.id.to_string(),
                message: String::from_utf8_lossy(commit.message_raw_sloppy()).into_owned(),
                author: format!("{} <{}>", author.name, author.email),
                is_merge: commit.parent_ids().count() > 1,
            });
        }
        Ok(commits)
    }

    /// The time and message of `commit`.
    ///
    /// # Errors
    /// When the commit is not in the repository.
    pub fn commit_info(&self, commit: &str) -> Result<Commit, GitError> {
        let repository = self.inner.to_thread_local();
        let commit = repository.find_commit(parse_object_id(commit)?).map_err(to_git_error)?;
        let seconds = commit.time().map_err(to_git_error)?.seconds;
        let message = String::from_utf8_lossy(commit.message_raw_sloppy()).into_owned();
        Ok(Commit { id: commit.id.to_string(), at: seconds.saturating_mul(1000), message })
    }

    /// Whether a branch with this name exists locally or among the branches fetched from `origin`.
    #[must_use]
    pub fn has_branch(&self, name: &str) -> bool {
        let repository = self.inner.to_thread_local();
        ["refs/heads/", "refs/remotes/origin/"].iter().any(|folder| {
            let name = format!("{folder}{name}");
            matches!(repository.try_find_reference(name.as_str()), Ok(Some(_)))
        })
    }

    /// The value of `name` in the repository's own configuration, such as `core.commentChar`.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<String> {
        let repository = self.inner.to_thread_local();
        let value = repository.config_snapshot().string(name)?;
        Some(String::from_utf8_lossy(&value).into_owned())
    }

    /// The checked out branch; `None` for a detached HEAD.
    #[must_use]
    pub fn branch(&self) -> Option<String> {
        let name = self.inner.to_thread_local().head_name().ok()??;
        Some(name.shorten().to_string())
    }

    /// The name of the main branch according to the repository's own configuration
    /// (`init.defaultBranch`).
    #[must_use]
    pub fn default_branch(&self) -> Option<String> {
        let repository = self.inner.to_thread_local();
        let name = repository.config_snapshot().string("init.defaultBranch")?;
        Some(name.to_string()).filter(|name| !name.is_empty())
    }

    /// The commits up to and including HEAD that were made since `at` (milliseconds since 1970),
    /// latest first; at most `limit`.
    ///
    /// # Errors
    /// When there are no commits yet, or an object is missing.
    pub fn since(&self, at: i64, limit: usize) -> Result<Vec<Commit>, GitError> {
        let repository = self.inner.to_thread_local();
        let head = self.commit("HEAD")?;
        let sorting = Sorting::ByCommitTimeCutoff {
            order: CommitTimeOrder::NewestFirst,
            seconds: at.div_euclid(1000),
        };
        let walk = repository
            .rev_walk([parse_object_id(&head)?])
            .sorting(sorting)
            .all()
            .map_err(to_git_error)?;
        let mut commits = Vec::new();
        for info in walk.take(limit) {
            commits.push(self.commit_info(&info.map_err(to_git_error)?.id.to_string())?);
        }
        Ok(commits)
    }
}
