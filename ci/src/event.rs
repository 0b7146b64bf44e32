//! What the CI system says of a run: the event, the repository, the pull request.

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
    /// What started the run.
    pub trigger: Trigger,
    /// The repository that the run belongs to; of a pull request: the target.
    pub repository: Option<Repository>,
    /// The commit under check: full hash.
    pub sha: Option<String>,
    /// Its ref: `refs/heads/main`, `refs/pull/7/merge`.
    pub git_ref: Option<String>,
    /// The branch that pull requests go to unless they say otherwise: `main`.
    pub default_branch: Option<String>,
    /// The pull request.
    pub pull: Option<Pull>,
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

/// A repository on a server that speaks GitHub's API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The server's web address: `https://github.com`.
    pub server: String,
    /// The API's address: `https://api.github.com`.
    pub api: String,
    /// The owner.
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
    /// The branch it checked.
    pub head_branch: String,
    /// The repository that the commit comes from, `owner/name`.
    pub head_repository: String,
}

impl Repository {
    /// The repository's page.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/{}/{}", self.server, self.owner, self.name)
    }
}
