//! The data that the CI system provides about a run: the event, the repository, the pull request.
//!
//! All data comes from the environment and the event file, so tests can set it. The author of a
//! pull request controls its branch names, title and similar texts: hashes and numbers are
//! validated here, names are not.

mod github;
mod gitlab;
mod payload;

use aidd_report::exit::UserError;

/// The CI system of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum System {
    /// GitHub Actions, on github.com or self-hosted.
    GitHub,
    /// Gitea or Forgejo: the variables of GitHub, without check runs and code scanning.
    Gitea,
    /// GitLab CI.
    GitLab,
    /// No known CI system.
    #[default]
    None,
}

/// The kind of event that started a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trigger {
    /// A pull request, with the permissions of its author: GitHub's `pull_request`, GitLab's merge
    /// request pipeline.
    PullRequest,
    /// A pull request, with the permissions of the target; the contents of its head are untrusted.
    PullRequestTarget,
    /// A merge group of a merge queue.
    MergeGroup,
    /// Commits pushed to a branch or tag.
    Push,
    /// A scheduled run, without a change to compare.
    Schedule,
    /// A run started manually.
    Dispatch,
    /// The completion of another workflow.
    WorkflowRun,
    /// Any other event, by name.
    Other(String),
    /// No known CI system.
    #[default]
    None,
}

/// The data that the CI system provides about a run. Fields that it does not provide are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The CI system.
    pub system: System,
    /// The kind of event that started the run.
    pub trigger: Trigger,
    /// The repository of the run; for a pull request, the target repository.
    pub repository: Option<Repository>,
    /// Full hash of the commit to check. For [`Trigger::PullRequest`] on GitHub, the merge of
    /// head and base; for [`Trigger::PullRequestTarget`], the head, which is not checked out.
    pub sha: Option<String>,
    /// Ref of that commit: `refs/heads/main`, `refs/pull/7/merge`, `refs/pull/7/head`.
    pub git_ref: Option<String>,
    /// The repository's default branch, such as `main`.
    pub default_branch: Option<String>,
    /// The pull request, for events that belong to one.
    pub pull: Option<Pull>,
    /// The title of the pull request, as written by its author.
    pub title: Option<String>,
    /// The commit to compare with according to the event: `before` of a push, `base_sha` of a merge
    /// group. `None` for a new branch.
    pub before: Option<String>,
    /// Whether the push replaced commits, so that `before` might not be an ancestor.
    pub forced: bool,
    /// URL of the run's page.
    pub run_url: Option<String>,
    /// The run that triggered this one, for [`Trigger::WorkflowRun`].
    pub workflow_run: Option<WorkflowRun>,
}

/// A repository on a server. Only [`System::GitHub`] has the API of GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The server's URL, such as `https://github.com`.
    pub server: String,
    /// The API's URL, such as `https://api.github.com`.
    pub api: String,
    /// The owner; on GitLab, the path of groups.
    pub owner: String,
    /// The repository name, without the owner.
    pub name: String,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// The number that GitHub or GitLab shows.
    pub number: u64,
    /// The target branch.
    pub base_ref: String,
    /// The newest commit of the target branch at the time of the event.
    pub base_sha: String,
    /// The source branch.
    pub head_ref: String,
    /// The newest commit of the source branch.
    pub head_sha: String,
    /// Whether the source branch is in another repository, so that the run's token is read-only.
    pub fork: bool,
}

/// The workflow run that triggered this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRun {
    /// The run id assigned by GitHub.
    pub id: u64,
    /// The event that started the triggering run.
    pub event: String,
    /// The commit that the triggering run checked; for a pull request, its newest commit.
    pub head_sha: String,
    /// The branch that the triggering run checked; empty if there is none.
    pub head_branch: String,
    /// The repository of that commit, `owner/name`; empty if the repository was deleted.
    pub head_repository: String,
}

impl Event {
    /// Reads the event from the environment and `payload`, the bytes of the file that
    /// `GITHUB_EVENT_PATH` names. Without a known CI system, all fields are empty.
    ///
    /// # Errors
    /// Fails when the payload is required but missing, too large, malformed, or lacks a required
    /// field; when a commit is not a hash; and for a push that deleted its branch, which leaves
    /// nothing to check.
    pub fn read(
        env: &dyn Fn(&str) -> Option<String>,
        payload: Option<&[u8]>,
    ) -> Result<Self, UserError> {
        let env = Env(env);
        // Gitea and Forgejo set the variable of GitHub Actions too.
        if env.is_true("GITHUB_ACTIONS") {
            github::read(&env, payload)
        } else if env.is_true("GITLAB_CI") {
            gitlab::read(&env)
        } else {
            Ok(Self::default())
        }
    }

    /// The branch that was pushed or is to be checked, if the ref is a branch.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.git_ref.as_deref()?.strip_prefix("refs/heads/")
    }

    /// The branch to check; for a pull request, the source branch.
    #[must_use]
    pub fn head_name(&self) -> Option<&str> {
        let pull = self.pull.as_ref().map(|pull| pull.head_ref.as_str());
        pull.filter(|name| !name.is_empty()).or_else(|| self.branch())
    }
}

/// Whether `text` is the full hash of a Git object, SHA-1 or SHA-256.
#[must_use]
pub fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The environment of the run; an empty variable counts as unset.
struct Env<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Env<'_> {
    fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value == "true")
    }

    fn need(&self, name: &str) -> Result<String, UserError> {
        self.get(name).ok_or_else(|| UserError::new(format!("{name} is not set")))
    }

    /// A commit hash; `None` if the variable is unset or consists of zeros.
    fn hash(&self, name: &str) -> Result<Option<String>, UserError> {
        self.get(name).map_or(Ok(None), |value| hash(value, name))
    }
}

/// Returns `value` if it is a commit hash, and `None` if it consists of zeros. The error names
/// `origin`.
fn hash(value: String, origin: &str) -> Result<Option<String>, UserError> {
    if !is_hash(&value) {
        let start: String = value.chars().take(80).collect();
        return Err(UserError::new(format!("{origin} is not a commit hash: {start:?}")));
    }
    Ok(value.bytes().any(|byte| byte != b'0').then_some(value))
}

/// Splits `owner/name`; on GitLab, the owner can contain slashes.
fn owner_and_name(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('/').filter(|(owner, name)| !owner.is_empty() && !name.is_empty())
}

impl Repository {
    /// URL of the repository's page.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/{}/{}", self.server, self.owner, self.name)
    }
}
