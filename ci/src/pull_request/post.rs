//! `aidd ci post`: posts the report saved by another run, with this run's token.
//!
//! The run of a pull request from a fork has no write access and can save any data. The report is
//! therefore untrusted: the run's pull request comes from GitHub, links are built only from
//! GitHub's data, only built-in rules are used, and all text is escaped.

use super::outputs;
use super::{env, event, token};
use crate::args::CiPost;
use crate::event::{Event, Pull, Trigger};
use crate::github;
use crate::saved::{Saved, Writer};
use aidd_engine::rules::registry::Registry;
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project;
use aidd_report::{self as report, Budget, VersionControl};
use anyhow::Result;
use std::io::Write;

pub(super) fn run(args: &CiPost, io: &mut Io<'_>) -> Result<Exit> {
    let mut event = event()?;
    let mut saved = Saved::open(&project::absolute(&io.cwd, &args.report), Writer::Untrusted)?;
    if event.trigger == Trigger::WorkflowRun {
        resolve_pull(&mut event, &saved)?;
    }
    let Some(repository) = &event.repository else {
        return Err(UserError::new("this run is not on GitHub, so the report cannot be posted")
            .hint("run `aidd ci merge REPORT` to show a saved report in the log")
            .into());
    };
    ensure_same_run(&saved, &event)?;
    let head = event.pull.as_ref().map(|pull| pull.head_sha.clone()).or_else(|| event.sha.clone());
    saved.document.version_control = head.map(|revision| VersionControl {
        repository: repository.url(),
        revision,
        branch: None,
    });
    if args.category.is_some() {
        saved.document.category.clone_from(&args.category);
    }
    let rules = Registry::new(io.distribution.pages, &[]);
    let options = github::PostOptions { sarif: args.upload_sarif, ..args.posts.options() };
    let mut posted = outputs::post(io.distribution, &event, options, &saved, rules.rules(), &[]);
    if options.comment && event.pull.is_none() {
        posted.skipped.push("The comment was not posted: the run has no pull request.".into());
    }
    let pages = posted.comment_url.iter().chain(&posted.check_run_url);
    for page in pages {
        writeln!(io.out, "{page}")?;
    }
    outputs::print_skipped(&posted.skipped, io)?;
    if let Some(path) = env("GITHUB_STEP_SUMMARY") {
        let mut listed = saved.document.clone();
        listed.notes.extend(posted.skipped.iter().cloned());
        let text = report::markdown(&listed, rules.rules(), Budget::Summary);
        outputs::append(path.as_ref(), &text)?;
    }
    // Parts that the repository or token does not allow are reported above. The run fails only if
    // no part was posted.
    let is_empty =
        posted.comment_url.is_none() && posted.check_run_url.is_none() && posted.sarif_id.is_none();
    let failed = is_empty && !posted.skipped.is_empty();
    Ok(if failed { Exit::Unchecked } else { Exit::Clean })
}

/// Replaces the event with the event of the pull request whose run triggered this run.
fn resolve_pull(event: &mut Event, saved: &Saved) -> Result<()> {
    let (Some(run), Some(repository)) = (&event.workflow_run, &event.repository) else {
        return Err(UserError::new("the event has no triggering workflow run").into());
    };
    let token = token().ok_or_else(|| {
        UserError::new("a token is required to look up the pull request of the report")
            .hint("set GITHUB_TOKEN to the token of the run")
    })?;
    let number = github::pull_of_run(repository, &token, run, saved.context.pull)?;
    let fork = run.head_repository != format!("{}/{}", repository.owner, repository.name);
    event.pull = Some(Pull {
        number,
        base_ref: String::new(),
        base_sha: String::new(),
        head_ref: run.head_branch.clone(),
        head_sha: run.head_sha.clone(),
        fork,
    });
    event.sha = Some(run.head_sha.clone());
    event.git_ref = Some(format!("refs/pull/{number}/head"));
    Ok(())
}

/// Ensures that a report does not claim to belong to another run.
fn ensure_same_run(saved: &Saved, event: &Event) -> Result<()> {
    let repository = event
        .repository
        .as_ref()
        .map(|repository| format!("{}/{}", repository.owner, repository.name));
    let head = event.pull.as_ref().map(|pull| &pull.head_sha).or(event.sha.as_ref());
    let number = event.pull.as_ref().map(|pull| pull.number);
    let claimed = &saved.context;
    let differing = [
        (claimed.repository.is_some() && claimed.repository != repository, "repository"),
        (claimed.head_sha.is_some() && claimed.head_sha.as_ref() != head, "commit"),
        (claimed.pull.is_some() && claimed.pull != number, "pull request"),
    ];
    let Some((_, difference)) = differing.into_iter().find(|(differs, _)| *differs) else {
        return Ok(());
    };
    Err(UserError::new(format!(
        "the report names a different {difference} than the run that saved it"
    ))
    .hint("nothing was posted: a report can only be posted for its own run")
    .into())
}
