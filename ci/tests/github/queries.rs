//! Queries to GitHub.

use crate::github::fixture::{repository, server};
use crate::github::server::{Fault, GitHub, HEAD, TOKEN, error};
use aidd_ci::event::WorkflowRun;
use aidd_ci::github::{merge_base, pull_of_run};
use insta::assert_snapshot;
use serde_json::{Value, json};

const OTHER: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn the_merge_base_is_queried() {
    let server = server();
    server.state().merge_base = OTHER.into();
    let repository = repository(&server);
    assert_eq!(merge_base(&repository, TOKEN, "main", HEAD).expect("a commit"), OTHER);
    merge_base(&repository, TOKEN, "feature/é b", "fork:x?y").expect("a commit");
    assert_snapshot!(server.log(), @r"
    GET compare/main...8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e?per_page=1
    GET compare/feature%2F%C3%A9%20b...fork%3Ax%3Fy?per_page=1
    ");
    server.state().merge_base = "--upload-pack=x".into();
    let error = merge_base(&repository, TOKEN, "main", HEAD).expect_err("no hash");
    assert_snapshot!(error, @r"
    cannot get the merge base from GitHub: the response was not understood (the merge base is not a hash)
    hint: Check the URL of the API
    ");
    let missing =
        Fault::Answer(404, Vec::new(), crate::github::server::error(404, "Not Found", &[]));
    server.fail("GET compare", missing);
    let error = merge_base(&repository, TOKEN, "main", HEAD).expect_err("not found");
    assert_snapshot!(error, @r"
    cannot get the merge base from GitHub: not found (404: Not Found)
    hint: Check that the token has access to the repository and has `contents: read, pull-requests: read`
    ");
}

#[test]
fn repository_names_that_change_the_request_path_are_rejected() {
    let server = server();
    for (owner, name) in [("octo", ".."), ("octo/demo", "x"), ("", "demo"), ("octo", "demo?x")] {
        let mut repository = repository(&server);
        (repository.owner, repository.name) = (owner.into(), name.into());
        merge_base(&repository, TOKEN, "main", HEAD).expect_err("malformed");
    }
    assert_eq!(server.log(), "");
}

fn pull(number: u64, sha: &str, from: &str, branch: &str) -> Value {
    let owner = from.split('/').next().expect("an owner");
    json!({
        "number": number,
        "state": "open",
        "fork": from != "octo/demo",
        "head": {
            "sha": sha,
            "ref": branch,
            "label": format!("{owner}:{branch}"),
            "repo": { "full_name": from },
        },
        "base": { "sha": OTHER, "ref": "main", "repo": { "full_name": "octo/demo" } },
    })
}

fn run_of(repository: &str, branch: &str) -> WorkflowRun {
    WorkflowRun {
        id: 1,
        event: "pull_request".into(),
        head_sha: HEAD.into(),
        head_branch: branch.into(),
        head_repository: repository.into(),
    }
}

fn find_pull(server: &GitHub, run: &WorkflowRun, claimed: Option<u64>) -> String {
    match pull_of_run(&repository(server), TOKEN, run, claimed) {
        Ok(number) => format!("#{number}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_pull_request_of_a_run_is_found() {
    let server = server();
    let gone = {
        let mut gone = pull(5, HEAD, "mallory/demo", "patch/1");
        gone["head"]["repo"] = Value::Null;
        gone
    };
    let closed = {
        let mut closed = pull(6, HEAD, "octo/demo", "patch/1");
        closed["state"] = "closed".into();
        closed
    };
    let elsewhere = {
        let mut elsewhere = pull(8, HEAD, "octo/demo", "patch/1");
        elsewhere["base"]["repo"]["full_name"] = "upstream/demo".into();
        elsewhere
    };
    server.state().pulls = vec![
        pull(1, HEAD, "octo/demo", "patch/1"),
        pull(2, OTHER, "octo/demo", "patch/1"),
        pull(3, HEAD, "Mona/demo", "patch/1"),
        pull(4, OTHER, "mona/demo", "patch/2"),
        gone,
        closed,
        elsewhere,
    ];
    let own = run_of("octo/demo", "patch/1");
    let fork = run_of("mona/demo", "patch/1");
    assert_eq!(find_pull(&server, &own, None), "#1");
    assert_snapshot!(server.log(), @r"
    GET commits/8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e/pulls?per_page=100&page=1
    GET pulls?state=open&head=octo%3Apatch%2F1&per_page=100&page=1
    ");
    assert_eq!(find_pull(&server, &own, Some(1)), "#1");
    server.state().pulls[2]["head"]["label"] = "mona:patch/1".into();
    assert_eq!(find_pull(&server, &fork, None), "#3");
    assert_eq!(find_pull(&server, &fork, Some(3)), "#3");
    // A report from the fork claims someone else's pull request.
    assert_snapshot!(find_pull(&server, &fork, Some(1)), @r"
    the report claims pull request #1, but 8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e is the head of #3
    hint: nothing was posted: a report can only be posted to its own pull request
    ");
    // The pull request has newer commits.
    assert_snapshot!(find_pull(&server, &run_of("mona/demo", "patch/2"), Some(4)), @r"
    no open pull request has 8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e as its head
    hint: the pull request was closed, or has newer commits with their own run
    ");
    // The repository of the fork was deleted.
    assert!(find_pull(&server, &run_of("mallory/demo", "patch/1"), Some(5)).contains("no open"));
    // Two pull requests have the same branch.
    server.state().pulls.push(pull(9, HEAD, "octo/demo", "patch/1"));
    assert_eq!(find_pull(&server, &own, Some(9)), "#9");
    assert_snapshot!(find_pull(&server, &own, None), @r"
    8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e is the head of #1, #9
    hint: the report must name one of these pull requests
    ");
}

#[test]
fn the_pull_request_of_a_commit_that_only_the_fork_has_is_found() {
    let server = server();
    server.state().pulls = vec![pull(3, HEAD, "mona/demo", "x")];
    let unknown = error(422, "No commit found for SHA", &[]);
    server.fail("GET commits", Fault::Answer(422, Vec::new(), unknown));
    assert_eq!(find_pull(&server, &run_of("mona/demo", "x"), Some(3)), "#3");
    let mut invalid = run_of("mona/demo", "x");
    invalid.head_sha = "../../user".into();
    server.log();
    assert!(find_pull(&server, &invalid, Some(3)).contains("not a hash"));
    assert_eq!(server.log(), "");
}
