//! Reads an abbreviated copy of each event that the CI systems send.

use aidd_ci::event::{Event, System, Trigger};
use insta::{assert_debug_snapshot, assert_snapshot};

const SHA: &str = "17b1a8a3c0bd5d3b0e4d0f9ddc5c5b2a3e1f0a11";

/// Variables set by every GitHub runner.
const GITHUB: [(&str, &str); 10] = [
    ("GITHUB_ACTIONS", "true"),
    ("GITHUB_EVENT_PATH", "/runner/event.json"),
    ("GITHUB_SHA", SHA),
    ("GITHUB_REPOSITORY", "acme/shop"),
    ("GITHUB_SERVER_URL", "https://github.com"),
    ("GITHUB_API_URL", "https://api.github.com"),
    ("GITHUB_RUN_ID", "6134073189"),
    ("GITHUB_RUN_ATTEMPT", "1"),
    ("GITHUB_BASE_REF", ""),
    ("GITHUB_HEAD_REF", ""),
];

fn read(env: &[(&str, &str)], payload: Option<&[u8]>) -> Result<Event, String> {
    // The last value of a variable applies.
    let get = |name: &str| {
        let found = env.iter().rev().find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    Event::read(&get, payload).map_err(|error| error.to_string())
}

fn github(name: &str, git_ref: &str, payload: &str) -> Result<Event, String> {
    let extra = [("GITHUB_EVENT_NAME", name), ("GITHUB_REF", git_ref)];
    read(&[&GITHUB[..], &extra].concat(), Some(payload.as_bytes()))
}

fn gitlab(extra: &[(&str, &str)]) -> Result<Event, String> {
    let common = [
        ("GITLAB_CI", "true"),
        ("CI_SERVER_URL", "https://gitlab.example.org"),
        ("CI_API_V4_URL", "https://gitlab.example.org/api/v4"),
        ("CI_PROJECT_PATH", "acme/web/shop"),
        ("CI_PIPELINE_URL", "https://gitlab.example.org/acme/web/shop/-/pipelines/12"),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_COMMIT_SHA", SHA),
        ("CI_COMMIT_BEFORE_SHA", "0000000000000000000000000000000000000000"),
        ("CI_COMMIT_REF_NAME", "cards"),
    ];
    read(&[&common[..], extra].concat(), None)
}

/// The results, one per line.
fn lines<T: std::fmt::Debug>(read: impl IntoIterator<Item = T>) -> String {
    read.into_iter().map(|read| format!("{read:?}\n")).collect()
}

#[test]
fn a_pull_request_is_read() {
    let event = github("pull_request", "refs/pull/7/merge", include_str!("pull_request.json"));
    assert_debug_snapshot!(event.expect("read"), @r#"
    Event {
        system: GitHub,
        trigger: PullRequest,
        repository: Some(
            Repository {
                server: "https://github.com",
                api: "https://api.github.com",
                owner: "acme",
                name: "shop",
            },
        ),
        sha: Some(
            "17b1a8a3c0bd5d3b0e4d0f9ddc5c5b2a3e1f0a11",
        ),
        git_ref: Some(
            "refs/pull/7/merge",
        ),
        default_branch: Some(
            "main",
        ),
        pull: Some(
            Pull {
                number: 7,
                base_ref: "main",
                base_sha: "1405df66cbe219b0bf6355bc3d60361a8376b6b4",
                head_ref: "cards",
                head_sha: "1a954628a960aaef81d7b2d4521929579f3541e6",
                fork: false,
            },
        ),
        title: Some(
            "Take cards",
        ),
        before: None,
        forced: false,
        run_url: Some(
            "https://github.com/acme/shop/actions/runs/6134073189",
        ),
        workflow_run: None,
    }
    "#);
}

#[test]
fn a_pull_request_from_a_deleted_fork_is_treated_as_a_fork() {
    let payload = include_str!("pull_request_deleted_fork.json");
    let event = github("pull_request", "refs/pull/7/merge", payload).expect("read");
    assert!(event.pull.expect("a pull request").fork);
}

#[test]
fn the_commit_of_a_pull_request_target_event_is_the_head() {
    let payload = include_str!("pull_request_target.json");
    let event = github("pull_request_target", "refs/heads/main", payload).expect("read");
    assert_debug_snapshot!((&event.trigger, &event.sha, &event.git_ref, &event.pull), @r#"
    (
        PullRequestTarget,
        Some(
            "1a954628a960aaef81d7b2d4521929579f3541e6",
        ),
        Some(
            "refs/pull/7/head",
        ),
        Some(
            Pull {
                number: 7,
                base_ref: "release/2",
                base_sha: "1405df66cbe219b0bf6355bc3d60361a8376b6b4",
                head_ref: "main",
                head_sha: "1a954628a960aaef81d7b2d4521929579f3541e6",
                fork: true,
            },
        ),
    )
    "#);
    assert_eq!(event.sha, event.pull.map(|pull| pull.head_sha));
}

#[test]
fn a_review_event_contains_its_pull_request() {
    let payload = include_str!("pull_request_review.json");
    let event = github("pull_request_review", "refs/pull/7/merge", payload).expect("read");
    assert_eq!(event.trigger, Trigger::Other("pull_request_review".to_owned()));
    assert!(event.pull.is_some_and(|pull| pull.number == 7 && pull.fork));
}

#[test]
fn a_merge_group_is_read() {
    let git_ref = "refs/heads/gh-readonly-queue/main/pr-7-a";
    let event = github("merge_group", git_ref, include_str!("merge_group.json")).expect("read");
    assert_debug_snapshot!((&event.trigger, &event.sha, &event.before, &event.pull), @r#"
    (
        MergeGroup,
        Some(
            "64292b1c2b2e13ead8788fc8a2b8edc8c1db4ecd",
        ),
        Some(
            "1405df66cbe219b0bf6355bc3d60361a8376b6b4",
        ),
        None,
    )
    "#);
}

#[test]
fn pushes_are_read() {
    let event_fields = |git_ref: &str, payload: &str| {
        let event = github("push", git_ref, payload)?;
        Ok::<_, String>((event.git_ref, event.before, event.forced, event.default_branch))
    };
    let results = [
        event_fields("refs/heads/main", include_str!("push.json")),
        event_fields("refs/heads/cards", include_str!("push_new_branch.json")),
        event_fields("refs/heads/cards", include_str!("push_forced.json")),
        event_fields("refs/tags/v1.2.0", include_str!("push_tag.json")),
        event_fields("refs/heads/main", include_str!("push_deleted.json")),
    ];
    assert_snapshot!(lines(results), @r#"
    Ok((Some("refs/heads/main"), Some("1405df66cbe219b0bf6355bc3d60361a8376b6b4"), false, Some("main")))
    Ok((Some("refs/heads/cards"), None, false, Some("main")))
    Ok((Some("refs/heads/cards"), Some("f12e996adf405952c9666956e73952681bc053d8"), true, Some("main")))
    Ok((Some("refs/tags/v1.2.0"), None, false, Some("main")))
    Err("the push deleted refs/heads/cards: nothing is left to check\nhint: run the job only `if: ${{ !github.event.deleted }}`")
    "#);
}

#[test]
fn scheduled_and_manual_runs_need_no_payload() {
    let trigger_and_branch = |name: &str, payload: Option<&str>| {
        let extra = [("GITHUB_EVENT_NAME", name), ("GITHUB_REF", "refs/heads/main")];
        let event =
            read(&[&GITHUB[..], &extra].concat(), payload.map(str::as_bytes)).expect("read");
        (event.trigger, event.default_branch)
    };
    let results = [
        trigger_and_branch("schedule", Some(include_str!("schedule.json"))),
        trigger_and_branch("schedule", None),
        trigger_and_branch("workflow_dispatch", Some(include_str!("workflow_dispatch.json"))),
        trigger_and_branch("workflow_dispatch", None),
        trigger_and_branch("release", None),
    ];
    assert_snapshot!(lines(results), @r#"
    (Schedule, Some("main"))
    (Schedule, Some("main"))
    (Dispatch, Some("main"))
    (Dispatch, None)
    (Other("release"), None)
    "#);
}

#[test]
fn a_workflow_run_event_contains_the_triggering_run() {
    let event = github("workflow_run", "refs/heads/main", include_str!("workflow_run.json"));
    assert_debug_snapshot!(event.expect("read").workflow_run, @r#"
    Some(
        WorkflowRun {
            id: 6134073189,
            event: "pull_request",
            head_sha: "1a954628a960aaef81d7b2d4521929579f3541e6",
            head_branch: "cards",
            head_repository: "kim/shop",
        },
    )
    "#);
}

#[test]
fn a_gitea_event_is_read_like_a_github_event() {
    let extra = [
        ("GITEA_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_REF", "refs/pull/7/head"),
        ("GITHUB_SERVER_URL", "https://git.example.org/"),
        ("GITHUB_API_URL", "https://git.example.org/api/v1"),
        ("GITHUB_RUN_ATTEMPT", "2"),
    ];
    let payload = include_bytes!("gitea_pull_request.json");
    let mut event = read(&[&GITHUB[..], &extra].concat(), Some(payload)).expect("read");
    assert_debug_snapshot!((event.repository.take(), event.run_url.take()), @r#"
    (
        Some(
            Repository {
                server: "https://git.example.org",
                api: "https://git.example.org/api/v1",
                owner: "acme",
                name: "shop",
            },
        ),
        Some(
            "https://git.example.org/acme/shop/actions/runs/6134073189/attempts/2",
        ),
    )
    "#);
    assert_eq!(event.system, System::Gitea);
    assert!(event.pull.is_some_and(|pull| !pull.fork));
    // Without `GITEA_ACTIONS`, Gitea is recognised by its API URL.
    let event = read(&[&GITHUB[..], &extra[1..]].concat(), Some(payload)).expect("read");
    assert_eq!(event.system, System::Gitea);
}

#[test]
fn the_api_url_of_a_self_hosted_server_is_derived_from_its_url() {
    let extra = [
        ("GITHUB_EVENT_NAME", "schedule"),
        ("GITHUB_SERVER_URL", "https://github.example.org"),
        ("GITHUB_API_URL", ""),
    ];
    let event = read(&[&GITHUB[..], &extra].concat(), None).expect("read");
    assert_eq!(event.repository.expect("known").api, "https://github.example.org/api/v3");
}

#[test]
fn gitlab_pipelines_are_read() {
    let request = [
        ("CI_PIPELINE_SOURCE", "merge_request_event"),
        ("CI_MERGE_REQUEST_IID", "7"),
        ("CI_MERGE_REQUEST_PROJECT_ID", "1"),
        ("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "2"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "cards"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "3f786850e387550fdab836ed7e6dc881de23001b"),
    ];
    assert_debug_snapshot!(gitlab(&request).expect("read"), @r#"
    Event {
        system: GitLab,
        trigger: PullRequest,
        repository: Some(
            Repository {
                server: "https://gitlab.example.org",
                api: "https://gitlab.example.org/api/v4",
                owner: "acme/web",
                name: "shop",
            },
        ),
        sha: Some(
            "17b1a8a3c0bd5d3b0e4d0f9ddc5c5b2a3e1f0a11",
        ),
        git_ref: Some(
            "refs/merge-requests/7/head",
        ),
        default_branch: Some(
            "main",
        ),
        pull: Some(
            Pull {
                number: 7,
                base_ref: "main",
                base_sha: "3f786850e387550fdab836ed7e6dc881de23001b",
                head_ref: "cards",
                head_sha: "17b1a8a3c0bd5d3b0e4d0f9ddc5c5b2a3e1f0a11",
                fork: true,
            },
        ),
        title: None,
        before: Some(
            "3f786850e387550fdab836ed7e6dc881de23001b",
        ),
        forced: false,
        run_url: Some(
            "https://gitlab.example.org/acme/web/shop/-/pipelines/12",
        ),
        workflow_run: None,
    }
    "#);
    // In a pipeline on the merge of source and target, both heads are known.
    let merged = [
        ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "89e6c98d92887913cadf06b2adb97f26cde4849b"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "2b66fd261ee5c6cfc8de7fa466bab600bcfe4f69"),
    ];
    let event = gitlab(&[&request[..], &merged].concat()).expect("read");
    assert_debug_snapshot!((event.pull, event.before), @r#"
    (
        Some(
            Pull {
                number: 7,
                base_ref: "main",
                base_sha: "89e6c98d92887913cadf06b2adb97f26cde4849b",
                head_ref: "cards",
                head_sha: "2b66fd261ee5c6cfc8de7fa466bab600bcfe4f69",
                fork: true,
            },
        ),
        Some(
            "3f786850e387550fdab836ed7e6dc881de23001b",
        ),
    )
    "#);
    let event_fields = |extra: &[(&str, &str)]| {
        let event = gitlab(extra).expect("read");
        (event.trigger, event.git_ref, event.before)
    };
    let before = ("CI_COMMIT_BEFORE_SHA", "3f786850e387550fdab836ed7e6dc881de23001b");
    let results = [
        event_fields(&[("CI_PIPELINE_SOURCE", "push"), before]),
        event_fields(&[("CI_PIPELINE_SOURCE", "push")]),
        event_fields(&[("CI_PIPELINE_SOURCE", "push"), ("CI_COMMIT_TAG", "v1")]),
        event_fields(&[("CI_PIPELINE_SOURCE", "schedule"), before]),
        event_fields(&[("CI_PIPELINE_SOURCE", "web")]),
        event_fields(&[("CI_PIPELINE_SOURCE", "external_pull_request_event")]),
    ];
    assert_snapshot!(lines(results), @r#"
    (Push, Some("refs/heads/cards"), Some("3f786850e387550fdab836ed7e6dc881de23001b"))
    (Push, Some("refs/heads/cards"), None)
    (Push, Some("refs/tags/v1"), None)
    (Schedule, Some("refs/heads/cards"), None)
    (Dispatch, Some("refs/heads/cards"), None)
    (Other("external_pull_request_event"), Some("refs/heads/cards"), None)
    "#);
}

#[test]
fn without_a_known_ci_system_the_event_is_empty() {
    assert_eq!(read(&[], None), Ok(Event::default()));
    assert_eq!(read(&[("CI", "true"), ("GITHUB_ACTIONS", "false")], None), Ok(Event::default()));
}

#[test]
fn an_invalid_payload_is_reported() {
    let read_error = |payload: Option<&[u8]>| {
        let extra = [("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_REF", "refs/pull/7/merge")];
        read(&[&GITHUB[..], &extra].concat(), payload).expect_err("refused")
    };
    let valid = include_str!("pull_request.json");
    let without = |field: &str| valid.replace(&format!("\"{field}\":"), "\"other\":");
    let huge = vec![b' '; (25 << 20) + 1];
    let results = [
        read_error(None),
        read_error(Some(b"")),
        read_error(Some(b"[1]")),
        read_error(Some(&valid.as_bytes()[..400])),
        read_error(Some(&huge)),
        read_error(Some("[".repeat(100_000).as_bytes())),
        read_error(Some(without("sha").as_bytes())),
        read_error(Some(without("pull_request").as_bytes())),
        read_error(Some(valid.replace("\"number\": 7", "\"number\": \"7; rm\"").as_bytes())),
        read_error(Some(valid.replace("\"sha\": \"", "\"sha\": \"--upload-pack=x").as_bytes())),
    ];
    assert_snapshot!(results.join("\n"), @r#"
    /runner/event.json: the event pull_request cannot be read
    hint: GITHUB_EVENT_PATH must name the file that the runner wrote; if the job runs in a container, mount this file
    /runner/event.json: the event is not JSON: EOF while parsing a value at line 1 column 0
    /runner/event.json: the event is not a JSON object
    /runner/event.json: the event is not JSON: EOF while parsing a string at line 16 column 33
    /runner/event.json: the event has 26214401 bytes; the maximum is 26214400
    /runner/event.json: the event is not JSON: recursion limit exceeded at line 1 column 128
    /runner/event.json: the event has no `pull_request.base.sha`
    /runner/event.json: the event has no `pull_request.number`
    /runner/event.json: the event has no `pull_request.number`
    /runner/event.json: `pull_request.base.sha` is not a commit hash: "--upload-pack=x1405df66cbe219b0bf6355bc3d60361a8376b6b4"
    "#);
    let variables = [
        read(&[("GITHUB_ACTIONS", "true")], None),
        read(
            &[&GITHUB[..], &[("GITHUB_EVENT_NAME", "push"), ("GITHUB_SHA", "main")]].concat(),
            None,
        ),
        read(
            &[&GITHUB[..], &[("GITHUB_EVENT_NAME", "push"), ("GITHUB_REPOSITORY", "shop")]]
                .concat(),
            None,
        ),
        gitlab(&[("CI_MERGE_REQUEST_IID", "x")]),
        gitlab(&[("CI_MERGE_REQUEST_IID", "7")]),
    ];
    let results = variables.map(|read| read.expect_err("refused"));
    assert_snapshot!(results.join("\n"), @r#"
    GITHUB_EVENT_NAME is not set
    GITHUB_SHA is not a commit hash: "main"
    GITHUB_REPOSITORY is not `owner/name`: "shop"
    CI_MERGE_REQUEST_IID is not a number: "x"
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME is not set
    "#);
}
