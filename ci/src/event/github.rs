//! GitHub Actions, and Gitea and Forgejo, which use the same variables and payloads.

use super::payload::Payload;
use super::{Env, Event, Pull, Repository, System, Trigger, WorkflowRun, owner_and_name};
use aidd_report::exit::UserError;

pub(super) fn read(env: &Env<'_>, payload: Option<&[u8]>) -> Result<Event, UserError> {
    let name = env.need("GITHUB_EVENT_NAME")?;
    let payload = Payload::read(env, payload)?;
    let repository = repository(env, &payload)?;
    let run_url = repository.as_ref().and_then(|repository| run_url(env, repository));
    let event = Event {
        system: system(env, repository.as_ref()),
        trigger: trigger(&name),
        sha: env.hash("GITHUB_SHA")?,
        git_ref: env.get("GITHUB_REF"),
        default_branch: payload.text("repository.default_branch").map(str::to_owned),
        title: payload.text("pull_request.title").map(str::to_owned),
        repository,
        run_url,
        ..Event::default()
    };
    if needs_payload(&event.trigger) {
        payload.require(&name)?;
    }
    fill(event, env, &payload)
}

fn trigger(name: &str) -> Trigger {
    match name {
        "pull_request" => Trigger::PullRequest,
        "pull_request_target" => Trigger::PullRequestTarget,
        "merge_group" => Trigger::MergeGroup,
        "push" => Trigger::Push,
        "schedule" => Trigger::Schedule,
        "workflow_dispatch" => Trigger::Dispatch,
        "workflow_run" => Trigger::WorkflowRun,
        other => Trigger::Other(other.to_owned()),
    }
}

fn needs_payload(trigger: &Trigger) -> bool {
    !matches!(trigger, Trigger::Schedule | Trigger::Dispatch | Trigger::Other(_) | Trigger::None)
}

/// Adds the fields specific to this kind of event.
fn fill(mut event: Event, env: &Env<'_>, payload: &Payload) -> Result<Event, UserError> {
    match event.trigger {
        Trigger::PullRequest => event.pull = Some(pull(env, payload)?),
        Trigger::PullRequestTarget => {
            // GITHUB_SHA and GITHUB_REF describe the default branch, not the pull request.
            let pull = pull(env, payload)?;
            event.sha = Some(pull.head_sha.clone());
            event.git_ref = Some(format!("refs/pull/{}/head", pull.number));
            event.pull = Some(pull);
        }
        Trigger::MergeGroup => {
            event.before = Some(payload.need_hash("merge_group.base_sha")?);
            event.sha = Some(payload.need_hash("merge_group.head_sha")?);
        }
        Trigger::Push => push(&mut event, payload)?,
        Trigger::WorkflowRun => event.workflow_run = Some(workflow_run(payload)?),
        // `workflow_run` runs on the default branch only.
        Trigger::Schedule if event.default_branch.is_none() => {
            event.default_branch = event.branch().map(str::to_owned);
        }
        // Events of reviews and their comments contain the pull request.
        Trigger::Other(_) if payload.value_at("pull_request.head").is_some() => {
            event.pull = pull(env, payload).ok();
        }
        _ => {}
    }
    Ok(event)
}

fn push(event: &mut Event, payload: &Payload) -> Result<(), UserError> {
    let git_ref = payload.need_text("ref")?;
    if payload.is_true("deleted") {
        return Err(UserError::new(format!(
            "the push deleted {git_ref}: nothing is left to check"
        ))
        .hint("run the job only `if: ${{ !github.event.deleted }}`"));
    }
    event.before = payload.hash("before")?;
    event.forced = payload.is_true("forced");
    if event.sha.is_none() {
        event.sha = Some(payload.need_hash("after")?);
    }
    event.git_ref.get_or_insert(git_ref);
    Ok(())
}

fn pull(env: &Env<'_>, payload: &Payload) -> Result<Pull, UserError> {
    let target = payload
        .text("pull_request.base.repo.full_name")
        .map_or_else(|| env.get("GITHUB_REPOSITORY"), |name| Some(name.to_owned()));
    // The repository of a deleted fork is null.
    let source = payload.text("pull_request.head.repo.full_name");
    Ok(Pull {
        number: payload.need_number("pull_request.number")?,
        base_ref: payload.need_text("pull_request.base.ref")?,
        base_sha: payload.need_hash("pull_request.base.sha")?,
        head_ref: payload.need_text("pull_request.head.ref")?,
        head_sha: payload.need_hash("pull_request.head.sha")?,
        fork: source.is_none() || source != target.as_deref(),
    })
}

fn workflow_run(payload: &Payload) -> Result<WorkflowRun, UserError> {
    let text = |path| payload.text(path).unwrap_or_default().to_owned();
    Ok(WorkflowRun {
        id: payload.need_number("workflow_run.id")?,
        event: payload.need_text("workflow_run.event")?,
        head_sha: payload.need_hash("workflow_run.head_sha")?,
        head_branch: text("workflow_run.head_branch"),
        head_repository: text("workflow_run.head_repository.full_name"),
    })
}

fn repository(env: &Env<'_>, payload: &Payload) -> Result<Option<Repository>, UserError> {
    let variable = env.get("GITHUB_REPOSITORY");
    let path = variable.as_deref().or_else(|| payload.text("repository.full_name"));
    let Some(path) = path else { return Ok(None) };
    let (owner, name) = owner_and_name(path).ok_or_else(|| {
        UserError::new(format!("GITHUB_REPOSITORY is not `owner/name`: {path:?}"))
    })?;
    let server =
        address(env, "GITHUB_SERVER_URL").unwrap_or_else(|| "https://github.com".to_owned());
    let api = address(env, "GITHUB_API_URL").unwrap_or_else(|| match &*server {
        "https://github.com" => "https://api.github.com".to_owned(),
        server => format!("{server}/api/v3"),
    });
    Ok(Some(Repository { server, api, owner: owner.to_owned(), name: name.to_owned() }))
}

fn address(env: &Env<'_>, name: &str) -> Option<String> {
    Some(env.get(name)?.trim_end_matches('/').to_owned())
}

fn system(env: &Env<'_>, repository: Option<&Repository>) -> System {
    let gitea = env.is_true("GITEA_ACTIONS")
        || env.is_true("FORGEJO_ACTIONS")
        || repository.is_some_and(|repository| repository.api.ends_with("/api/v1"));
    if gitea { System::Gitea } else { System::GitHub }
}

/// URL of the run's page; for a run that was started again, the page of this attempt.
fn run_url(env: &Env<'_>, repository: &Repository) -> Option<String> {
    let url = format!("{}/actions/runs/{}", repository.url(), env.get("GITHUB_RUN_ID")?);
    Some(match env.get("GITHUB_RUN_ATTEMPT") {
        Some(attempt) if attempt != "1" => format!("{url}/attempts/{attempt}"),
        _ => url,
    })
}
