//! GitLab CI: everything is in environment variables.

use super::{Env, Event, Pull, Repository, System, Trigger, owner_and_name};
use aidd_report::exit::UserError;

pub(super) fn read(env: &Env<'_>) -> Result<Event, UserError> {
    let event = Event {
        system: System::GitLab,
        repository: repository(env),
        sha: env.hash("CI_COMMIT_SHA")?,
        default_branch: env.get("CI_DEFAULT_BRANCH"),
        run_url: env.get("CI_PIPELINE_URL"),
        ..Event::default()
    };
    // A child pipeline of a merge request has a different CI_PIPELINE_SOURCE but the same
    // variables.
    match env.get("CI_MERGE_REQUEST_IID") {
        Some(number) => merge_request(event, env, &number),
        None => branch(event, env),
    }
}

fn merge_request(event: Event, env: &Env<'_>, number: &str) -> Result<Event, UserError> {
    let number: u64 = number
        .parse()
        .map_err(|_| UserError::new(format!("CI_MERGE_REQUEST_IID is not a number: {number:?}")))?;
    let before = env.hash("CI_MERGE_REQUEST_DIFF_BASE_SHA")?;
    // These two variables are set only if the pipeline runs on the merge of source and target.
    let target = env.hash("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")?;
    let source = env.hash("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")?;
    let missing = |name: &str| UserError::new(format!("{name} is not set"));
    let pull = Pull {
        number,
        base_ref: env.need("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")?,
        base_sha: target
            .or_else(|| before.clone())
            .ok_or_else(|| missing("CI_MERGE_REQUEST_DIFF_BASE_SHA"))?,
        head_ref: env.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME").unwrap_or_default(),
        head_sha: source.or_else(|| event.sha.clone()).ok_or_else(|| missing("CI_COMMIT_SHA"))?,
        fork: env.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID")
            != env.get("CI_MERGE_REQUEST_PROJECT_ID"),
    };
    let git_ref = env
        .get("CI_MERGE_REQUEST_REF_PATH")
        .unwrap_or_else(|| format!("refs/merge-requests/{number}/head"));
    Ok(Event {
        title: env.get("CI_MERGE_REQUEST_TITLE"),
        trigger: Trigger::PullRequest,
        pull: Some(pull),
        git_ref: Some(git_ref),
        before,
        ..event
    })
}

fn branch(event: Event, env: &Env<'_>) -> Result<Event, UserError> {
    let trigger = match env.need("CI_PIPELINE_SOURCE")?.as_str() {
        "push" => Trigger::Push,
        "schedule" => Trigger::Schedule,
        "web" | "webide" | "api" | "trigger" | "pipeline" | "chat" => Trigger::Dispatch,
        other => Trigger::Other(other.to_owned()),
    };
    let before = match trigger {
        Trigger::Push => env.hash("CI_COMMIT_BEFORE_SHA")?,
        _ => None,
    };
    let git_ref = match env.get("CI_COMMIT_TAG") {
        Some(tag) => Some(format!("refs/tags/{tag}")),
        None => env.get("CI_COMMIT_REF_NAME").map(|name| format!("refs/heads/{name}")),
    };
    Ok(Event { trigger, before, git_ref, ..event })
}

fn repository(env: &Env<'_>) -> Option<Repository> {
    let server = env.get("CI_SERVER_URL")?.trim_end_matches('/').to_owned();
    let path = env.get("CI_PROJECT_PATH")?;
    let (owner, name) = owner_and_name(&path)?;
    let api = env.get("CI_API_V4_URL").unwrap_or_else(|| format!("{server}/api/v4"));
    Some(Repository { server, api, owner: owner.to_owned(), name: name.to_owned() })
}
