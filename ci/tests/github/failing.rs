//! Refusals, rate limits, stalls and broken connections of GitHub.

use crate::github::fixture::*;
use crate::github::server::{Fault, GitHub, TOKEN, error};
use aidd_ci::github::{Target, Timeouts};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

fn error_response(status: u16, message: &str) -> Fault {
    Fault::Answer(status, Vec::new(), error(status, message, &[]))
}

fn rate_limited(headers: Vec<(&'static str, String)>, message: &str) -> Fault {
    Fault::Answer(403, headers, error(403, message, &[]))
}

/// Expects that all parts of a run with `findings` findings were posted.
fn expect_all_posted(server: &GitHub, findings: usize) {
    let state = server.state();
    assert_eq!(state.comments.len(), 1);
    assert_eq!(state.check_runs.len(), 1);
    let annotations = state.check_runs[0]["output"]["annotations"].as_array();
    assert_eq!(annotations.map(Vec::len), Some(findings));
    assert_eq!(state.review_comments.len(), findings.min(40));
    assert!(!state.sarifs.is_empty());
}

#[test]
fn with_a_read_only_token_nothing_is_posted() {
    let server = server();
    server.state().read_only = true;
    let posted = run(2).post(&server, ALL);
    assert_snapshot!(posted.skipped.join("\n"), @r"
    The SARIF report was not uploaded to code scanning: the token has no permission for this (403: Resource not accessible by integration). Give the job `permissions: security-events: write`; a pull request from a fork never gets this permission: save the report with `aidd ci --save` and post it with `aidd ci post` from a `workflow_run` workflow.
    The check run was not created: the token has no permission for this (403: Resource not accessible by integration). Give the job `permissions: checks: write`; a pull request from a fork never gets this permission: save the report with `aidd ci --save` and post it with `aidd ci post` from a `workflow_run` workflow.
    The comment was not posted: the token has no permission for this (403: Resource not accessible by integration). Give the job `permissions: pull-requests: write`; a pull request from a fork never gets this permission: save the report with `aidd ci --save` and post it with `aidd ci post` from a `workflow_run` workflow.
    Not posted: 2 of 2 suggestions: the token has no permission for this (403: Resource not accessible by integration). Give the job `permissions: pull-requests: write`; a pull request from a fork never gets this permission: save the report with `aidd ci --save` and post it with `aidd ci post` from a `workflow_run` workflow.
    ");
    // Permanent failures are not retried.
    assert_snapshot!(server.log(), @r"
    POST code-scanning/sarifs
    POST check-runs
    GET issues/7/comments?per_page=100&page=1
    POST issues/7/comments
    GET pulls/7/comments?per_page=100&page=1
    POST pulls/7/reviews
    ");
}

#[test]
fn an_unusable_token_is_reported() {
    let server = server();
    let tokens = ["", " \n", "two words", "line\nbreak", "é"];
    let posted = tokens.map(|token| Run { token: token.into(), ..run(1) }.post(&server, ALL));
    assert!(posted.iter().all(|result| *result == posted[0]), "{posted:?}");
    assert_snapshot!(posted[0].skipped.join("\n"), @"Nothing was posted to GitHub: there is no usable token. Set `GITHUB_TOKEN` to the job's `github.token`.");
    assert_eq!(server.log(), "");
    let posted = Run { token: "ghs_expired".into(), ..run(1) }.post(&server, COMMENT);
    assert_snapshot!(posted.skipped.join("\n"), @"The comment was not posted: GitHub does not accept the token (401). Use the job's `github.token`, or one that has not expired.");
    // A line break after the token is ignored.
    Run { token: format!("{TOKEN}\n"), ..run(1) }.post_all(&server, ALL);
}

#[test]
fn the_end_of_a_short_rate_limit_is_awaited() {
    let server = server();
    let after = vec![("retry-after", "1".to_owned())];
    server
        .fail("POST check-runs", rate_limited(after, "You have exceeded a secondary rate limit."));
    let reset = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() + 1;
    let until =
        vec![("x-ratelimit-remaining", "0".to_owned()), ("x-ratelimit-reset", reset.to_string())];
    server.fail("POST issues", Fault::Answer(429, until, error(429, "API rate limit", &[])));
    let start = Instant::now();
    run(2).post_all(&server, ALL);
    assert!(start.elapsed() >= Duration::from_secs(1));
    expect_all_posted(&server, 2);
}

#[test]
fn a_long_rate_limit_ends_all_requests() {
    let server = server();
    let headers = vec![
        ("x-ratelimit-remaining", "0".to_owned()),
        ("x-ratelimit-reset", "4102444800".to_owned()),
    ];
    server
        .fail("POST check-runs", rate_limited(headers, "API rate limit exceeded for installation"));
    let posted = run(2).post(&server, ALL);
    assert_snapshot!(posted.skipped.join("\n"), @r"
    The check run was not created: GitHub accepts no more requests until 00:00 UTC. Run the job again after that.
    The comment was not posted: GitHub accepts no more requests until 00:00 UTC. Run the job again after that.
    No suggestions were posted: GitHub accepts no more requests until 00:00 UTC. Run the job again after that.
    ");
    assert_snapshot!(server.log(), @r"
    POST code-scanning/sarifs
    POST check-runs
    ");
}

#[test]
fn a_rate_limit_without_a_time_lasts_a_minute() {
    let server = server();
    server.fail(
        "POST check-runs",
        rate_limited(Vec::new(), "You have exceeded a secondary rate limit"),
    );
    let posted = run(2).post(&server, CHECK_RUN);
    assert!(posted.skipped[0].contains("accepts no more requests until"), "{:?}", posted.skipped);
    assert_eq!(server.log().lines().count(), 1);
}

#[test]
fn requests_to_a_failing_server_are_retried() {
    let server = server();
    for request in
        ["POST check-runs", "PATCH check-runs", "GET issues", "POST issues", "POST pulls"]
    {
        server.fail(request, error_response(502, "Server Error"));
    }
    let html = Value::String("<html>Unicorn!</html>".into());
    server.fail("POST code-scanning", Fault::Answer(503, Vec::new(), html));
    run(60).post_all(&server, ALL);
    expect_all_posted(&server, 60);
}

#[test]
fn a_request_is_retried_at_most_three_times() {
    let server = server();
    for _ in 0..4 {
        server.fail("POST check-runs", error_response(500, "Server Error"));
    }
    let posted = run(2).post(&server, ALL);
    assert_snapshot!(posted.skipped.join("\n"), @"The check run was not created: GitHub did not respond (500: Server Error). Run the job again; if the error persists, check GitHub's status and the runner's network access.");
    assert_eq!(server.state().comments.len(), 1);
    assert_eq!(server.state().review_comments.len(), 2);
}

#[test]
fn a_broken_connection_leads_to_no_duplicates() {
    let creating =
        ["POST check-runs", "PATCH check-runs", "POST issues", "POST pulls", "POST code-scanning"];
    for fault in [Fault::Lost, Fault::Unanswered, Fault::Halved] {
        let server = server();
        for request in creating {
            server.fail(request, fault.clone());
        }
        server.fail("GET issues", Fault::Lost);
        let posted = run(60).post_all(&server, ALL);
        assert!(posted.check_run_url.is_some() && posted.comment_url.is_some());
        expect_all_posted(&server, 60);
    }
}

#[test]
fn a_request_without_a_response_is_retried() {
    let server = server();
    server.fail("POST issues", Fault::Stalled);
    let timeouts = Timeouts { request: Duration::from_millis(700), ..run(1).timeouts };
    Run { timeouts, ..run(1) }.post_all(&server, COMMENT);
    assert_eq!(comments(&server).len(), 1);
}

#[test]
fn an_unreachable_server_is_reported() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let mut server = server();
    server.api = format!("http://127.0.0.1:{port}");
    let posted = run(1).post(&server, COMMENT);
    let line = posted.skipped.join("\n");
    assert!(line.starts_with("The comment was not posted: GitHub did not respond ("), "{line}");
    server.api = "no address".into();
    assert_snapshot!(run(1).post(&server, COMMENT).skipped.join("\n"), @"Nothing was posted to GitHub: the response was not understood (the API's address is malformed). Check the URL of the API.");
}

#[test]
fn refusals_are_reported() {
    let server = server();
    let mut lines = Vec::new();
    let long = json!({
        "message": "Validation Failed",
        "errors": [
            { "resource": "IssueComment", "code": "unprocessable", "field": "data",
              "message": "Body is too long" },
            "a text", 5,
        ],
    });
    let faults = [
        error_response(404, "Not Found"),
        error_response(403, "Unable to create comment because issue is locked."),
        error_response(410, "Issues has been disabled in this repository."),
        error_response(301, "Moved Permanently"),
        Fault::Answer(422, Vec::new(), long),
        Fault::Answer(200, Vec::new(), json!(["unexpected"])),
        Fault::Answer(418, Vec::new(), Value::Null),
    ];
    for fault in faults {
        server.fail("POST issues", fault);
        lines.extend(run(1).post(&server, COMMENT).skipped);
    }
    assert_snapshot!(lines.join("\n"), @r#"
    The comment was not posted: not found (404: Not Found). Check that the token has access to the repository and has `pull-requests: write`.
    The comment was not posted: GitHub refused the request (403: Unable to create comment because issue is locked). Check the repository's settings and that the token has `pull-requests: write`.
    The comment was not posted: GitHub refused the request (410: Issues has been disabled in this repository). Check the repository's settings and that the token has `pull-requests: write`.
    The comment was not posted: the repository has moved (301: Moved Permanently). Use the repository's current name.
    The comment was not posted: GitHub does not accept the content (422: Validation Failed: IssueComment data unprocessable Body is too long; a text; 5). Run the job again on the newest commit; if the error persists, report it.
    The comment was not posted: the response was not understood (invalid type: string "unexpected", expected u64 at line 1 column 13). Check the URL of the API.
    The comment was not posted: GitHub refused the request (418: I'm a teapot). Check the repository's settings and that the token has `pull-requests: write`.
    "#);
}

#[test]
fn refusals_of_code_scanning_are_reported() {
    let server = server();
    let mut lines = Vec::new();
    let messages = [
        "Advanced Security must be enabled for this repository to use code scanning.",
        "Code scanning is not enabled for this repository.",
        "Resource not accessible by integration",
    ];
    for message in messages {
        server.fail("POST code-scanning", error_response(403, message));
        lines.extend(run(1).post(&server, SARIF).skipped);
    }
    server.fail("POST code-scanning", error_response(413, "Payload Too Large"));
    lines.extend(run(1).post(&server, SARIF).skipped);
    server.state().processing = vec![json!({
        "processing_status": "failed",
        "errors": ["rejecting SARIF, as there are more runs than allowed (25 > 20)", "two"],
    })];
    lines.extend(run(1).post(&server, SARIF).skipped);
    assert_snapshot!(lines.join("\n"), @r"
    The SARIF report was not uploaded to code scanning: code scanning is disabled for this repository (403: Advanced Security must be enabled for this repository to use code scanning). It is free for public repositories; for other repositories, enable Code Security in the repository's settings, or disable the upload: annotations and summary contain the same findings.
    The SARIF report was not uploaded to code scanning: code scanning is disabled for this repository (403: Code scanning is not enabled for this repository). It is free for public repositories; for other repositories, enable Code Security in the repository's settings, or disable the upload: annotations and summary contain the same findings.
    The SARIF report was not uploaded to code scanning: the token has no permission for this (403: Resource not accessible by integration). Give the job `permissions: security-events: write`; a pull request from a fork never gets this permission: save the report with `aidd ci --save` and post it with `aidd ci post` from a `workflow_run` workflow.
    The SARIF report was not uploaded to code scanning: the report is too large (413: Payload Too Large). Check fewer paths at once, each with a separate category.
    The SARIF report was not uploaded to code scanning: GitHub does not accept the content (rejecting SARIF, as there are more runs than allowed (25 > 20); two). Run the job again on the newest commit; if the error persists, report it.
    ");
}

#[test]
fn failed_annotation_batches_are_reported() {
    let server = server();
    server.fail("PATCH check-runs/1", error_response(422, "Validation Failed"));
    let posted = run(160).post(&server, CHECK_RUN);
    assert!(posted.check_run_url.is_some());
    assert_snapshot!(posted.skipped.join("\n"), @"110 annotations of 160 were not added to the check run: GitHub does not accept the content (422: Validation Failed). Run the job again on the newest commit; if the error persists, report it.");
}

#[test]
fn one_refused_suggestion_does_not_affect_the_others() {
    let server = server();
    // The server's diff is smaller than the local one.
    server.state().diff.insert("Dockerfile".into(), vec![(1, 4), (6, 40)]);
    let posted = run(12).post(&server, REVIEW);
    assert_eq!(posted.suggestions, 11);
    assert_snapshot!(posted.skipped.join("\n"), @"Not posted: 1 of 12 suggestions: GitHub does not accept the content (422: Unprocessable Entity: Pull request review thread line must be part of the diff). Run the job again on the newest commit; if the error persists, report it.");
    let sizes: Vec<_> = server
        .state()
        .reviews
        .iter()
        .map(|review| review["comments"].as_array().map_or(0, Vec::len))
        .collect();
    assert_eq!(sizes, [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
}

#[test]
fn an_outdated_head_gets_no_suggestions() {
    let server = server();
    server.state().diff.clear();
    let posted = run(30).post(&server, REVIEW);
    assert_eq!(posted.suggestions, 0);
    assert_snapshot!(posted.skipped.join("\n"), @"Not posted: 30 of 30 suggestions: GitHub does not accept the content (422: Unprocessable Entity: Pull request review thread line must be part of the diff). Run the job again on the newest commit; if the error persists, report it.");
    assert_snapshot!(server.log(), @r"
    GET pulls/7/comments?per_page=100&page=1
    POST pulls/7/reviews
    POST pulls/7/reviews
    POST pulls/7/reviews
    POST pulls/7/reviews
    ");
}

#[test]
fn the_token_is_not_sent_to_another_server() {
    let server = server();
    let other_server = GitHub::start("");
    let redirect =
        vec![("location", format!("{}/repos/octo/demo/issues/7/comments", other_server.api))];
    for request in ["GET issues", "POST check-runs"] {
        server.fail(
            request,
            Fault::Answer(307, redirect.clone(), error(307, "Temporary Redirect", &[])),
        );
    }
    let posted = run(1).post(&server, ALL);
    assert_eq!(posted.skipped.len(), 2);
    assert_eq!(other_server.log(), "");
}

#[test]
fn messages_contain_no_token_and_no_control_characters() {
    let server = server();
    let hostile_message = format!("no: {TOKEN}\n::error::x \u{1b}[2J\u{202e}{}", "x".repeat(999));
    for request in ["POST check-runs", "POST issues", "POST pulls", "POST code-scanning"] {
        server.fail(request, error_response(403, &hostile_message));
    }
    let posted = run(1).post(&server, ALL);
    assert_eq!(posted.skipped.len(), 4);
    for line in &posted.skipped {
        assert!(!line.contains(TOKEN) && !line.chars().any(char::is_control), "{line}");
        assert!(!line.contains('\u{202e}') && line.len() < 900, "{line}");
    }
    let repository = repository(&server);
    let target = Target {
        repository: &repository,
        token: TOKEN,
        head_sha: "",
        git_ref: "",
        pull: None,
        run_url: None,
    };
    assert!(!format!("{target:?}").contains(TOKEN));
}

#[test]
fn an_invalid_comment_url_is_discarded() {
    let server = server();
    let comment = json!({ "id": 1, "html_url": "https://x) [y](https://z", "body": "" });
    server.fail("POST issues", Fault::Answer(201, Vec::new(), comment));
    assert_eq!(run(1).post_all(&server, COMMENT).comment_url, None);
}
