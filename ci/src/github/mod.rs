//! What GitHub shows of a run: check run, comment, review and code scanning, through its API.
//!
//! Posting never fails as a whole. What the token, the plan or the network does not allow is left
//! out and told in words. No text of GitHub's is passed on as it came, and none holds the token.

mod check_run;
mod client;
mod comment;
mod compare;
mod failure;
mod pulls;
mod review;
mod sarif;
mod words;

use crate::event::{Repository, WorkflowRun};
use aidd_engine::check::Distribution;
use aidd_report::exit::UserError;
use aidd_report::wire;
use anyhow::Result;
use client::Client;
use failure::Failure;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

pub use review::Suggestion;

/// Where to post.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// What proves the right to post. It appears in no output.
    pub token: &'a str,
    /// The commit that was checked: full hash. Of a pull request: its head, not the merge commit.
    pub head_sha: &'a str,
    /// Its ref: `refs/heads/main`, `refs/pull/7/merge`.
    pub git_ref: &'a str,
    /// The pull request; without one, comment and review are not for this run.
    pub pull: Option<u64>,
    /// The page of the run.
    pub run_url: Option<&'a str>,
}

/// What to post.
#[derive(Clone, Debug)]
pub struct Content<'a> {
    /// What looks for secrets in the lines of suggestions.
    pub distribution: &'static Distribution,
    /// One line: `2 errors, 1 warning introduced`.
    pub title: String,
    /// Whether the check run fails. Else it is a success without findings, and neutral with some.
    pub failed: bool,
    /// The check run's text: Markdown, cut to what GitHub takes.
    pub summary: String,
    /// The comment's text: Markdown, without marker. `None`: there is nothing to say, so that only
    /// a comment of an earlier run is changed, to say that all is well now.
    pub comment: Option<String>,
    /// The new findings, worst first.
    pub findings: &'a [wire::Finding],
    /// For each path the lines of the head that the diff shows: first and last, from 1.
    pub diff_lines: &'a BTreeMap<String, Vec<(u32, u32)>>,
    /// Fixes to offer in a review.
    pub suggestions: &'a [Suggestion],
    /// The SARIF report, compressed with gzip.
    pub sarif: Option<&'a [u8]>,
    /// Tells several reports on one pull request apart.
    pub marker: &'a str,
}

/// Which parts to post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// A check run with annotations.
    pub check_run: bool,
    /// One comment on the pull request, changed in place by later runs.
    pub comment: bool,
    /// Fixes as suggestions in a review.
    pub review: bool,
    /// The SARIF report, for code scanning.
    pub sarif: bool,
}

/// What was posted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posted {
    /// The comment's page.
    pub comment_url: Option<String>,
    /// The check run's page.
    pub check_run_url: Option<String>,
    /// GitHub's name of the SARIF upload.
    pub sarif_id: Option<String>,
    /// How many suggestions this run added.
    pub suggestions: usize,
    /// What could not be posted, why, and what to do: plain text, one line each. Parts of it are
    /// GitHub's own words: to be escaped like any text of a stranger.
    pub left_out: Vec<String>,
}

/// How long to bear with a server.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For one request and its whole answer.
    pub request: Duration,
    /// The first pause after a broken answer and between two looks at an upload; it doubles.
    pub pause: Duration,
    /// For all that rate limits demand, in sum.
    pub limits: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            pause: Duration::from_millis(500),
            limits: Duration::from_secs(60),
        }
    }
}

impl fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("repository", &self.repository)
            .field("head_sha", &self.head_sha)
            .field("git_ref", &self.git_ref)
            .field("pull", &self.pull)
            .finish_non_exhaustive()
    }
}

/// Posts the wanted parts of `content`, each on its own.
#[must_use]
pub fn post(target: &Target<'_>, wanted: Wanted, content: &Content<'_>) -> Posted {
    post_with(target, wanted, content, Patience::default())
}

/// The same, with another patience.
#[must_use]
pub fn post_with(
    target: &Target<'_>,
    wanted: Wanted,
    content: &Content<'_>,
    patience: Patience,
) -> Posted {
    let work = async {
        let client = Client::new(target.repository, target.token, patience)?;
        Ok(parts(&client, target, wanted, content).await)
    };
    client::block_on(work).and_then(|posted| posted).unwrap_or_else(|failure| Posted {
        left_out: vec![failure.line("Nothing was posted to GitHub", "contents: read")],
        ..Posted::default()
    })
}

async fn parts(
    client: &Client,
    target: &Target<'_>,
    wanted: Wanted,
    content: &Content<'_>,
) -> Posted {
    let mut posted = Posted::default();
    // First what GitHub works on for a while, so that it is done when the rest is.
    if let Some(report) = content.sarif.filter(|_| wanted.sarif) {
        match sarif::upload(client, target, report).await {
            Ok(id) => posted.sarif_id = Some(id),
            Err(failure) => posted.left_out.push(sarif::line(&failure)),
        }
    }
    if wanted.check_run {
        let made = check_run::post(client, target, content, &mut posted).await;
        told(made, "The check run was not made", "checks: write", &mut posted);
    }
    if let Some(pull) = target.pull {
        if wanted.comment {
            let made = comment::post(client, pull, content, &mut posted).await;
            told(made, "The comment was not posted", "pull-requests: write", &mut posted);
        }
        if wanted.review {
            let made = review::post(client, target, pull, content, &mut posted).await;
            told(made, "No suggestions were posted", "pull-requests: write", &mut posted);
        }
    }
    if let Some(id) = posted.sarif_id.clone()
        && let Err(failure) = sarif::settled(client, &id).await
    {
        posted.left_out.push(sarif::line(&failure));
    }
    posted
}

fn told(made: Result<(), Failure>, what: &str, permission: &str, posted: &mut Posted) {
    if let Err(failure) = made {
        posted.left_out.push(failure.line(what, permission));
    }
}

/// The newest commit that `base` and `head` (hashes, branches, or `owner:branch`) share, as full
/// hash, from GitHub's comparison of the two.
///
/// # Errors
/// When GitHub does not tell.
pub fn merge_base(repository: &Repository, token: &str, base: &str, head: &str) -> Result<String> {
    ask(repository, token, "GitHub did not tell the merge base", async |client| {
        compare::merge_base(client, base, head).await
    })
}

/// The pull request that the run before this one checked: open, and with exactly the commit that
/// `run`, told by GitHub itself, names as its head. `claimed` is the number that the run's report,
/// which nobody vouches for, gives; it chooses between several and must be one of them.
///
/// # Errors
/// When there is none, when there are several and none is claimed, when the claim is false, and when
/// GitHub does not tell.
pub fn pull_of_run(
    repository: &Repository,
    token: &str,
    run: &WorkflowRun,
    claimed: Option<u64>,
) -> Result<u64> {
    let open = ask(repository, token, "GitHub did not tell the pull request", async |client| {
        pulls::with_head(client, repository, run).await
    })?;
    Ok(pulls::choose(&open, run, claimed)?)
}

fn ask<T>(
    repository: &Repository,
    token: &str,
    what: &str,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T> {
    let work = async {
        let client = Client::new(repository, token, Patience::default())?;
        work(&client).await
    };
    let answer = client::block_on(work).and_then(|answer| answer);
    answer.map_err(|failure| {
        let (why, advice) = failure.words("contents: read, pull-requests: read");
        UserError::new(format!("{what}: {why}")).hint(advice).into()
    })
}
