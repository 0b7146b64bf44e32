//! `aidd ci post`: shows the report that another run saved, with this run's token.
//!
//! The run of a pull request from a fork has no right to write, and may save what it likes. So
//! nothing of the report is trusted: GitHub itself says which pull request the run belongs to, links
//! are made of that alone, rules are ours, and no text passes unescaped.

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
    let mut saved = Saved::open(&project::absolute(&io.cwd, &args.report), Writer::Strangers)?;
    if event.trigger == Trigger::WorkflowRun {
        lead_back(&mut event, &saved)?;
    }
    let Some(repository) = &event.repository else {
        return Err(UserError::new("this is no run on GitHub: there is nowhere to post")
            .hint("`aidd ci merge REPORT` shows a saved report in the log")
            .into());
    };
    is_of(&saved, &event)?;
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
    let wanted = github::Wanted { sarif: args.upload_sarif, ..args.posts.wanted() };
    let mut posted = outputs::post(io.distribution, &event, wanted, &saved, rules.rules(), &[]);
    if wanted.comment && event.pull.is_none() {
        posted.left_out.push("The comment was not posted: the run is of no pull request.".into());
    }
    let pages = posted.comment_url.iter().chain(&posted.check_run_url);
    for page in pages {
        writeln!(io.out, "{page}")?;
    }
    outputs::tell(&posted.left_out, io)?;
    if let Some(path) = env("GITHUB_STEP_SUMMARY") {
        let mut told = saved.document.clone();
        told.notes.extend(posted.left_out.iter().cloned());
        let text = report::markdown(&told, rules.rules(), Budget::Summary);
        outputs::append(path.as_ref(), &text)?;
    }
    // What a repository or a token does not allow is told above; nothing at all is a failure.
    let nothing = (&posted.comment_url, &posted.check_run_url, &posted.sarif_id);
    let failed = nothing == (&None, &None, &None) && !posted.left_out.is_empty();
    Ok(if failed { Exit::Unchecked } else { Exit::Clean })
}

/// Makes the event that of the pull request whose run came before this one.
fn lead_back(event: &mut Event, saved: &Saved) -> Result<()> {
    let (Some(run), Some(repository)) = (&event.workflow_run, &event.repository) else {
        return Err(UserError::new("the event names no run that came before").into());
    };
    let token = token().ok_or_else(|| {
        UserError::new("there is no token: which pull request the report is of must be asked")
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

/// Makes sure that a report does not claim to be of something else than the run at hand.
fn is_of(saved: &Saved, event: &Event) -> Result<()> {
    let known = event.repository.as_ref().map(|known| format!("{}/{}", known.owner, known.name));
    let head = event.pull.as_ref().map(|pull| &pull.head_sha).or(event.sha.as_ref());
    let number = event.pull.as_ref().map(|pull| pull.number);
    let claims = &saved.context;
    let differing = [
        (claims.repository.is_some() && claims.repository != known, "repository"),
        (claims.head_sha.is_some() && claims.head_sha.as_ref() != head, "commit"),
        (claims.pull.is_some() && claims.pull != number, "pull request"),
    ];
    let Some((_, what)) = differing.into_iter().find(|(differs, _)| *differs) else {
        return Ok(());
    };
    Err(UserError::new(format!("the report is of another {what} than the run that saved it"))
        .hint("nothing was posted: a report is only posted where it comes from")
        .into())
}
