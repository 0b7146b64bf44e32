//! Posts the results of a run through GitHub's API: check run, comment, review and code scanning.
//!
//! Posting never fails as a whole: parts that the token, the plan or the network does not allow are
//! skipped and reported. GitHub's texts are sanitized, and no output contains the token.

mod check_run;
mod client;
mod comment;
mod compare;
mod failure;
mod markup;
mod pulls;
mod review;
mod sarif;

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
    /// The repository that receives comments and statuses.
    pub repository: &'a Repository,
    /// The access token. It appears in no output.
    pub token: &'a str,
    /// Full hash of the checked commit. For a pull request, its head, not the merge commit.
    pub head_sha: &'a str,
    /// Ref of the run: `refs/heads/main`, `refs/pull/7/merge`.
    pub git_ref: &'a str,
    /// The pull request; if `None`, comment and review are skipped.
    pub pull: Option<u64>,
    /// URL of the run's page.
    pub run_url: Option<&'a str>,
}

/// What to post.
#[derive(Clone, Debug)]
pub struct Content<'a> {
    /// The built-in rules; used to redact secrets in suggested lines.
    pub distribution: &'static Distribution,
    /// The title in one line, such as `2 errors, 1 warning introduced`.
    pub title: String,
    /// Whether the check run fails. Otherwise its conclusion is `success` without findings and
    /// `neutral` with findings.
    pub failed: bool,
    /// Markdown text of the check run, truncated to GitHub's limit.
    pub summary: String,
    /// Markdown text of the comment, without marker. If `None`, no comment is created; an existing
    /// comment of an earlier run is updated to state that there are no problems.
    pub comment: Option<String>,
    /// The new findings, most severe first.
    pub findings: &'a [wire::Finding],
    /// Path → the line ranges of the head that the diff shows, each as first and last line, from 1.
    pub diff_lines: &'a BTreeMap<String, Vec<(u32, u32)>>,
    /// Fixes to suggest in a review.
    pub suggestions: &'a [Suggestion],
    /// The SARIF report, compressed with gzip.
    pub sarif: Option<&'a [u8]>,
    /// Distinguishes several reports on one pull request.
    pub marker: &'a str,
}

/// Which parts to post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostOptions {
    /// A check run with annotations.
    pub check_run: bool,
    /// One comment on the pull request, updated in place by later runs.
    pub comment: bool,
    /// Fixes as suggestions in a review.
    pub review: bool,
    /// The SARIF report, for code scanning.
    pub sarif: bool,
}

/// What was posted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posted {
    /// URL of the comment.
    pub comment_url: Option<String>,
    /// URL of the check run.
    pub check_run_url: Option<String>,
    /// GitHub's id of the SARIF upload.
    pub sarif_id: Option<String>,
    /// Number of suggestions that this run added.
    pub suggestions: usize,
    /// The parts that could not be posted, each with the reason and the remedy: plain text, one
    /// line each. The lines contain texts from GitHub, so escape them like any untrusted text.
    pub skipped: Vec<String>,
}

/// Time limits for requests to a server.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Limit for a request and its whole response.
    pub request: Duration,
    /// The first pause after a failed response and between two checks of an upload. Each following
    /// pause is twice as long.
    pub pause: Duration,
    /// Maximum total time spent waiting for rate limits.
    pub limits: Duration,
}

impl Default for Timeouts {
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

/// Posts the parts of `content` that `options` selects, each independently.
#[must_use]
pub fn post(target: &Target<'_>, options: PostOptions, content: &Content<'_>) -> Posted {
    post_with(target, options, content, Timeouts::default())
}

/// Like [`post`], with other time limits.
#[must_use]
pub fn post_with(
    target: &Target<'_>,
    options: PostOptions,
    content: &Content<'_>,
    timeouts: Timeouts,
) -> Posted {
    let work = async {
        let client = Client::new(target.repository, target.token, timeouts)?;
        Ok(post_parts(&client, target, options, content).await)
    };
    client::block_on(work).and_then(|posted| posted).unwrap_or_else(|failure| Posted {
        skipped: vec![failure.line("Nothing was posted to GitHub", "contents: read")],
        ..Posted::default()
    })
}

async fn post_parts(
    client: &Client,
    target: &Target<'_>,
    options: PostOptions,
    content: &Content<'_>,
) -> Posted {
    let mut posted = Posted::default();
    // Start with the parts that GitHub processes in the background.
    if let Some(report) = content.sarif.filter(|_| options.sarif) {
        match sarif::upload(client, target, report).await {
            Ok(id) => posted.sarif_id = Some(id),
            Err(failure) => posted.skipped.push(sarif::line(&failure)),
        }
    }
    if options.check_run {
        let result = check_run::post(client, target, content, &mut posted).await;
        record(result, "The check run was not created", "checks: write", &mut posted);
    }
    if let Some(pull) = target.pull {
        if options.comment {
            let result = comment::post(client, pull, content, &mut posted).await;
            record(result, "The comment was not posted", "pull-requests: write", &mut posted);
        }
        if options.review {
            let result = review::post(client, target, pull, content, &mut posted).await;
            record(result, "No suggestions were posted", "pull-requests: write", &mut posted);
        }
    }
    if let Some(id) = posted.sarif_id.clone()
        && let Err(failure) = sarif::wait_processed(client, &id).await
    {
        posted.skipped.push(sarif::line(&failure));
    }
    posted
}

fn record(result: Result<(), Failure>, skipped: &str, permission: &str, posted: &mut Posted) {
    if let Err(failure) = result {
        posted.skipped.push(failure.line(skipped, permission));
    }
}

/// The newest common ancestor of `base` and `head` (hashes, branches, or `owner:branch`) as a full
/// hash, from GitHub's comparison of the two.
///
/// # Errors
/// Fails when GitHub does not return the merge base.
pub fn merge_base(repository: &Repository, token: &str, base: &str, head: &str) -> Result<String> {
    query(repository, token, "cannot get the merge base from GitHub", async |client| {
        compare::merge_base(client, base, head).await
    })
}

/// The open pull request that the triggering run checked: its head is the commit in `run`, which
/// comes from GitHub itself. `claimed` is the pull request number in the run's report, which is
/// untrusted; the number selects one of several candidates and must be one of them.
///
/// # Errors
/// Fails when there is no candidate, when there are several and none is claimed, when the claim is
/// wrong, and when GitHub does not return the pull requests.
pub fn pull_of_run(
    repository: &Repository,
    token: &str,
    run: &WorkflowRun,
    claimed: Option<u64>,
) -> Result<u64> {
    let open =
        query(repository, token, "cannot get the pull request from GitHub", async |client| {
            pulls::pulls_with_head(client, repository, run).await
        })?;
    Ok(pulls::choose_pull(&open, run, claimed)?)
}

fn query<T>(
    repository: &Repository,
    token: &str,
    failed_step: &str,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T> {
    let work = async {
        let client = Client::new(repository, token, Timeouts::default())?;
        work(&client).await
    };
    let result = client::block_on(work).and_then(|result| result);
    result.map_err(|failure| {
        let (why, advice) = failure.reason_and_remedy("contents: read, pull-requests: read");
        UserError::new(format!("{failed_step}: {why}")).hint(advice).into()
    })
}
