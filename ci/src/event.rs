//! What the CI system says of a run: the event, the repository, the pull request.
//!
//! Everything comes from the environment and the event's file, so that a test can say it. Of a
//! pull request, branch names and the like are whatever its author chose: hashes and numbers are
//! checked here, names are not.

mod github;
mod gitlab;
mod payload;

use aidd_report::exit::UserError;

/// The CI system of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum System {
    /// GitHub Actions, in the cloud or on a server of one's own.
    GitHub,
    /// Gitea or Forgejo: the variables of GitHub, without check runs and code scanning.
    Gitea,
    /// GitLab CI.
    GitLab,
    /// None that is known of.
    #[default]
    None,
}

/// What started a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trigger {
    /// A pull request, with the rights of its author: GitHub's `pull_request`, GitLab's merge
    /// request pipeline.
    PullRequest,
    /// A pull request, with the rights of the target: nothing of its head may be trusted.
    PullRequestTarget,
    /// A merge queue's candidate.
    MergeGroup,
    /// Commits pushed to a branch or tag.
    Push,
    /// A timer.
    Schedule,
    /// Started by hand.
    Dispatch,
    /// The end of another workflow.
    WorkflowRun,
    /// Any other event, by its name.
    Other(String),
    /// No CI system is known of.
    #[default]
    None,
}

/// What the CI system says of a run. What it does not say is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Who runs it.
    pub system: System,
    /// What started the run.
    pub trigger: Trigger,
    /// The repository that the run belongs to; of a pull request: the target.
    pub repository: Option<Repository>,
    /// The commit under check: full hash. Of [`Trigger::PullRequest`] on GitHub this is the merge
    /// of head and base; of [`Trigger::PullRequestTarget`] the head, which is not checked out.
    pub sha: Option<String>,
    /// Its ref: `refs/heads/main`, `refs/pull/7/merge`, `refs/pull/7/head`.
    pub git_ref: Option<String>,
    /// The branch that pull requests go to unless they say otherwise: `main`.
    pub default_branch: Option<String>,
    /// The pull request.
    pub pull: Option<Pull>,
    /// The title of the pull request, in its author's words.
    pub title: Option<String>,
    /// The commit to compare with, as the event names it: a push's `before`, a merge group's
    /// `base_sha`. Absent on a new branch.
    pub before: Option<String>,
    /// Whether the push replaced commits, so that `before` may be no ancestor.
    pub forced: bool,
    /// The page of the run.
    pub run_url: Option<String>,
    /// The number of the run that this one follows, of [`Trigger::WorkflowRun`].
    pub workflow_run: Option<WorkflowRun>,
}

/// A repository on a server. Its API is GitHub's only on [`System::GitHub`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The server's web address: `https://github.com`.
    pub server: String,
    /// The API's address: `https://api.github.com`.
    pub api: String,
    /// The owner; on GitLab the path of groups.
    pub owner: String,
    /// The name.
    pub name: String,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// The branch it goes to.
    pub base_ref: String,
    /// The newest commit of that branch when the event happened.
    pub base_sha: String,
    /// The branch it comes from.
    pub head_ref: String,
    /// Its newest commit.
    pub head_sha: String,
    /// Whether it comes from another repository, so that the run's token may only read.
    pub fork: bool,
}

/// The workflow run that this one follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRun {
    /// Its number.
    pub id: u64,
    /// The event that started it.
    pub event: String,
    /// The commit it checked: of a pull request, the head.
    pub head_sha: String,
    /// The branch it checked; empty if none.
    pub head_branch: String,
    /// The repository that the commit comes from, `owner/name`; empty once it is deleted.
    pub head_repository: String,
}

impl Event {
    /// The event as the environment and `payload`, the bytes of the file that `GITHUB_EVENT_PATH`
    /// names, tell it. Without a CI system that is known of, all is absent.
    ///
    /// # Errors
    /// When the payload is needed and missing, too large, malformed, or without a field that the
    /// event must have; when a commit is named by something else than a hash; and of a push that
    /// deleted its branch, as there is nothing left to check.
    pub fn read(
        env: &dyn Fn(&str) -> Option<String>,
        payload: Option<&[u8]>,
    ) -> Result<Self, UserError> {
        let env = Env(env);
        // Gitea and Forgejo say that they are GitHub Actions as well.
        if env.is_true("GITHUB_ACTIONS") {
            github::read(&env, payload)
        } else if env.is_true("GITLAB_CI") {
            gitlab::read(&env)
        } else {
            Ok(Self::default())
        }
    }

    /// The branch that was pushed or is under check, when the ref is one.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.git_ref.as_deref()?.strip_prefix("refs/heads/")
    }

    /// The branch that is checked: of a pull request the one it comes from.
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

/// The environment of the run, in which an empty variable is an absent one.
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

    /// A commit; all zeros say that there is none.
    fn hash(&self, name: &str) -> Result<Option<String>, UserError> {
        self.get(name).map_or(Ok(None), |value| hash(value, name))
    }
}

/// `value` if it is a commit's hash, nothing if it is all zeros; `origin` is named by the error.
fn hash(value: String, origin: &str) -> Result<Option<String>, UserError> {
    if !is_hash(&value) {
        let start: String = value.chars().take(80).collect();
        return Err(UserError::new(format!("{origin} is no commit hash: {start:?}")));
    }
    Ok(value.bytes().any(|byte| byte != b'0').then_some(value))
}

/// Owner and name of `owner/name`; on GitLab the owner may have slashes in it.
fn owner_and_name(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('/').filter(|(owner, name)| !owner.is_empty() && !name.is_empty())
}

impl Repository {
    /// The repository's page.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/{}/{}", self.server, self.owner, self.name)
    }
}
