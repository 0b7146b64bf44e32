//! Finds the pull request of a run of another workflow.
//!
//! GitHub does not report the pull request for forks. The run's own report does, but the author of
//! the pull request could have forged the report so that aidd writes to another pull request.

use super::client::Client;
use super::compare::is_hash;
use super::failure::Failure;
use super::markup::encode_segment;
use crate::event::{Repository, WorkflowRun};
use aidd_report::exit::UserError;
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
struct Pull {
    number: u64,
    state: String,
    head: Side,
    base: Side,
}

#[derive(Deserialize)]
struct Side {
    sha: String,
    /// `None` if the repository was deleted.
    repo: Option<Name>,
}

#[derive(Deserialize)]
struct Name {
    full_name: String,
}

/// The open pull requests to `repository` whose head is the commit that `run` checked.
pub(super) async fn pulls_with_head(
    client: &Client,
    repository: &Repository,
    run: &WorkflowRun,
) -> Result<BTreeSet<u64>, Failure> {
    if !is_hash(&run.head_sha) {
        return Err(Failure::UnexpectedResponse("the run's commit is not a hash".into()));
    }
    // Both lists are incomplete: the first lacks commits of forks, the second only knows the
    // branch's current name.
    let by_commit = format!("/commits/{}/pulls", run.head_sha);
    let owner = run.head_repository.split('/').next().unwrap_or_default();
    let head = format!("{owner}:{}", run.head_branch);
    let by_branch = format!("/pulls?state=open&head={}", encode_segment(&head));
    let mut pulls: Vec<Pull> = match client.list(&by_commit).await {
        // The commit of a fork can be unknown in this repository.
        Err(Failure::Missing(_) | Failure::Invalid(_)) => Vec::new(),
        listed => listed?,
    };
    pulls.extend(client.list::<Pull>(&by_branch).await?);
    let own = format!("{}/{}", repository.owner, repository.name);
    let belongs = |pull: &Pull| {
        pull.state == "open"
            && pull.head.sha == run.head_sha
            && pull.head.belongs_to(&run.head_repository)
            && pull.base.belongs_to(&own)
    };
    Ok(pulls.iter().filter(|pull| belongs(pull)).map(|pull| pull.number).collect())
}

impl Side {
    fn belongs_to(&self, repository: &str) -> bool {
        self.repo.as_ref().is_some_and(|repo| repo.full_name.eq_ignore_ascii_case(repository))
    }
}

/// The pull request among `open` that belongs to the run.
pub(super) fn choose_pull(
    open: &BTreeSet<u64>,
    run: &WorkflowRun,
    claimed: Option<u64>,
) -> Result<u64, UserError> {
    let sha = &run.head_sha;
    let list = || open.iter().map(|number| format!("#{number}")).collect::<Vec<_>>().join(", ");
    match (open.len(), claimed) {
        (0, _) => Err(UserError::new(format!("no open pull request has {sha} as its head"))
            .hint("the pull request was closed, or has newer commits with their own run")),
        (_, Some(number)) if open.contains(&number) => Ok(number),
        (_, Some(number)) => Err(UserError::new(format!(
            "the report claims pull request #{number}, but {sha} is the head of {}",
            list()
        ))
        .hint("nothing was posted: a report can only be posted to its own pull request")),
        (1, None) => Ok(open.iter().copied().sum()),
        (_, None) => Err(UserError::new(format!("{sha} is the head of {}", list()))
            .hint("the report must name one of these pull requests")),
    }
}
