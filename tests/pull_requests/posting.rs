//! Tests of posting to a GitHub mock server.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::Runner;
use crate::pull_requests::server::{Fault, GitHub, TOKEN, error};
use crate::pull_requests::support::SPELLING;
use insta::assert_snapshot;
use serde_json::Value;

const ALL: [&str; 4] = ["--comment", "--check-run", "--review", "--upload-sarif"];

fn scene() -> PullRequest {
    PullRequest::new(&[SPELLING, ("a.txt", "one\nblue old\nthree\n")], |server| {
        server.write("a.txt", "one\nblue old\nthree\nblue new\nteh end\n");
    })
}

/// A mock server that knows the pull request.
fn server(scene: &PullRequest) -> GitHub {
    let server = GitHub::start("");
    register_pull_request(&server, scene);
    server
}

/// Sets the head and the diff of the pull request on the mock server.
fn register_pull_request(server: &GitHub, scene: &PullRequest) {
    let mut state = server.state();
    state.head = Some(scene.head.clone());
    state.diff.insert("a.txt".into(), vec![(1, 20)]);
}

fn runner(scene: &PullRequest, server: &GitHub) -> Runner {
    scene.standard_runner().set("GITHUB_API_URL", &server.api).set("GITHUB_TOKEN", TOKEN)
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().map(|value| value["body"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn later_runs_update_earlier_posts() {
    let mut scene = scene();
    let server = server(&scene);
    let output = runner(&scene, &server).ci(&ALL);
    assert_eq!(output.code, 1);
    assert_eq!(posting_message(&output.err), "");
    assert_snapshot!(scene.with_commit_names(&texts(&server.state().comments).join("\n---\n")), @"
    <!-- aidd:report:aidd -->
    ## aidd: changes needed: 1 error, 1 warning introduced in 1 changed file

    **Failing:** `blue` is not our colour at [a.txt:4](<https://github.com/octo/demo/blob/MERGE/a.txt#L4>) ([team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>))

    Compared with BASE (first parent of the merge commit).

    1 fixable with --fix

    ### Errors (1)

    **[team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>)** at [a.txt:4](<https://github.com/octo/demo/blob/MERGE/a.txt#L4>): `blue` is not our colour

          3 | three
        > 4 | blue new
            | ^^^^
          5 | teh end

    <details>
    <summary>Warnings (1)</summary>

    | Location | Problem | Remedy | Rule |
    | --- | --- | --- | --- |
    | [a.txt:5](<https://github.com/octo/demo/blob/MERGE/a.txt#L5>) | `teh` is misspelt |  | [team/spelling](<https://github.com/octo/demo/blob/MERGE/rules/team/spelling.md>) |

    </details>

    | In the changed files | Before | Now | Change |
    | --- | ---: | ---: | ---: |
    | Errors | 1 | 2 | +1 |
    | Warnings | 0 | 1 | +1 |

    <details>
    <summary>Pre-existing: 1 error</summary>

    | Location | Problem | Remedy | Rule |
    | --- | --- | --- | --- |
    | [a.txt:2](<https://github.com/octo/demo/blob/MERGE/a.txt#L2>) | `blue` is not our colour |  | [team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>) |

    </details>
    ");
    assert_snapshot!(texts(&server.state().review_comments).join("\n---\n"), @r"
    <!-- aidd:finding:c59e2031f01207b6 -->
    **team/spelling**: \`teh\` is misspelt

    ```suggestion
    the end
    ```
    ");
    let run = server.state().check_runs[0].clone();
    assert_eq!(run["conclusion"], "failure");
    assert_eq!(run["head_sha"], *scene.head);
    assert_eq!(run["output"]["annotations"].as_array().map(Vec::len), Some(2));
    let upload = server.state().sarifs[0].clone();
    assert_eq!(upload["ref"], "refs/pull/7/head");
    assert_eq!(upload["commit_sha"], *scene.head);

    // The warning is fixed, the error remains.
    scene.push(&[("a.txt", "one\nblue old\nthree\nblue new\nthe end\n")]);
    register_pull_request(&server, &scene);
    let output = runner(&scene, &server).ci(&ALL);
    assert_eq!((output.code, &*posting_message(&output.err)), (1, ""));
    assert_eq!(server.state().comments.len(), 1);
    assert_snapshot!(scene.with_commit_names(&texts(&server.state().comments)[0]), @"
    <!-- aidd:report:aidd -->
    ## aidd: changes needed: 1 error introduced in 1 changed file

    **Failing:** `blue` is not our colour at [a.txt:4](<https://github.com/octo/demo/blob/MERGE/a.txt#L4>) ([team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>))

    Compared with BASE (first parent of the merge commit).

    ### Errors (1)

    **[team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>)** at [a.txt:4](<https://github.com/octo/demo/blob/MERGE/a.txt#L4>): `blue` is not our colour

          3 | three
        > 4 | blue new
            | ^^^^
          5 | the end

    | In the changed files | Before | Now | Change |
    | --- | ---: | ---: | ---: |
    | Errors | 1 | 2 | +1 |

    <details>
    <summary>Pre-existing: 1 error</summary>

    | Location | Problem | Remedy | Rule |
    | --- | --- | --- | --- |
    | [a.txt:2](<https://github.com/octo/demo/blob/MERGE/a.txt#L2>) | `blue` is not our colour |  | [team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>) |

    </details>
    ");

    // All findings are fixed.
    scene.push(&[("a.txt", "one\nblue old\nthree\nthe end\n")]);
    register_pull_request(&server, &scene);
    let output = runner(&scene, &server).ci(&ALL);
    assert_eq!((output.code, &*posting_message(&output.err)), (0, ""));
    assert_snapshot!(scene.with_commit_names(&texts(&server.state().comments).join("\n---\n")), @"
    <!-- aidd:report:aidd -->
    ## aidd: no problems

    This pull request introduces no findings.
    ");
    assert_eq!(server.state().check_runs[2]["conclusion"], "success");
    assert_eq!(server.state().review_comments.len(), 1);
}

#[test]
fn a_pull_request_without_findings_gets_no_comment() {
    let scene = PullRequest::new(&[("a.txt", "one\n")], |server| server.write("a.txt", "two\n"));
    let server = server(&scene);
    let output = runner(&scene, &server).ci(&["--comment", "--review"]);
    assert_eq!((output.code, &*posting_message(&output.err)), (0, ""));
    assert_eq!(server.log(), "GET issues/7/comments?per_page=100&page=1");
}

#[test]
fn with_a_read_only_token_annotations_summary_and_exit_code_remain() {
    let scene = scene();
    let server = server(&scene);
    server.state().read_only = true;
    let runner = runner(&scene, &server);
    let output = runner.ci(&ALL);
    assert_eq!(output.code, 1);
    assert_eq!(output.out, scene.standard_runner().ci(&[]).out);
    let skipped: Vec<&str> = output
        .err
        .lines()
        .filter_map(|line| line.split_once(" (403"))
        .map(|(message, _)| message)
        .collect();
    assert_snapshot!(skipped.join("\n"), @"
    aidd: The SARIF report was not uploaded to code scanning: the token has no permission for this
    aidd: The check run was not created: the token has no permission for this
    aidd: The comment was not posted: the token has no permission for this
    aidd: Not posted: 1 of 1 suggestion: the token has no permission for this
    ");
    let summary = runner.text("summary.md");
    assert_eq!(summary.matches("403: Resource not accessible").count(), skipped.len());
}

#[test]
fn without_a_token_only_posting_is_skipped() {
    let scene = scene();
    let server = server(&scene);
    let runner = scene.standard_runner().set("GITHUB_API_URL", &server.api);
    let output = runner.ci(&ALL);
    assert_eq!(output.code, 1);
    assert_snapshot!(output.err.lines().last().unwrap_or_default(), @"aidd: nothing was posted: set GITHUB_TOKEN to a token of the repository");
    assert!(output.out.starts_with("::error "));
    assert!(runner.text("summary.md").contains("nothing was posted"));
    assert_eq!(server.log(), "");
}

#[test]
fn only_github_receives_the_token() {
    let scene = scene();
    let server = server(&scene);
    let gitea = runner(&scene, &server).set("GITEA_ACTIONS", "true").ci(&ALL);
    assert_eq!(gitea.code, 1);
    assert_snapshot!(gitea.err.lines().last().unwrap_or_default(), @"aidd: nothing was posted: this run is not on GitHub");
    let gitlab = Runner::new(scene.checkout(&scene.head, &[]))
        .set("GITLAB_CI", "true")
        .set("GITHUB_TOKEN", TOKEN)
        .set("CI_SERVER_URL", &server.api)
        .set("CI_API_V4_URL", &server.api)
        .set("CI_PROJECT_PATH", "octo/demo")
        .set("CI_DEFAULT_BRANCH", "main")
        .set("CI_PIPELINE_SOURCE", "push")
        .set("CI_COMMIT_SHA", &scene.head)
        .set("CI_COMMIT_REF_NAME", "topic");
    assert_eq!(gitlab.ci(&ALL).code, 1);
    assert_eq!(server.log(), "");
}

#[test]
fn a_rate_limit_is_reported_and_waiting_is_limited() {
    let scene = scene();
    let server = server(&scene);
    let limit = || {
        let wait = vec![("retry-after", "3600".to_owned())];
        Fault::Answer(403, wait, error(403, "API rate limit exceeded", &[]))
    };
    server.fail("GET issues", limit());
    let runner = runner(&scene, &server);
    let output = runner.ci(&["--comment", "--review"]);
    assert_eq!(output.code, 1);
    let rate_limits =
        output.err.lines().filter(|line| line.contains("accepts no more requests until"));
    assert_eq!(rate_limits.count(), 2, "{}", output.err);
    assert_eq!(server.log(), "GET issues/7/comments?per_page=100&page=1");
}

#[test]
fn failed_requests_are_retried_and_a_lost_server_is_reported() {
    let scene = scene();
    let server = server(&scene);
    server.fail("POST issues", Fault::Answer(502, Vec::new(), Value::Null));
    server.fail("POST issues", Fault::Unanswered);
    let output = runner(&scene, &server).ci(&["--comment"]);
    assert_eq!((output.code, &*posting_message(&output.err)), (1, ""));
    assert_eq!(server.state().comments.len(), 1);

    let gone = scene.standard_runner().set("GITHUB_TOKEN", TOKEN).ci(&["--comment"]);
    assert_eq!(gone.code, 1);
    assert!(gone.out.starts_with("::error "));
    let message = posting_message(&gone.err);
    assert!(
        message.starts_with("aidd: The comment was not posted: GitHub did not respond"),
        "{message}"
    );
    assert!(!gone.err.contains(TOKEN) && !gone.out.contains(TOKEN));
}

/// The log lines about posting.
fn posting_message(log: &str) -> String {
    log.lines().filter(|line| !line.contains("fetching")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_suggestion_is_skipped_if_the_lines_differ() {
    let before = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";
    let mut scene = PullRequest::new(&[SPELLING, ("a.txt", before)], |server| {
        server.write("a.txt", format!("{before}teh end\n"));
    });
    scene.push_to_target(&[("a.txt", &format!("zero\n{before}"))]);
    let server = server(&scene);
    let output = runner(&scene, &server).ci(&["--review"]);
    assert_eq!(output.code, 0);
    assert!(output.out.contains("a.txt,line=11"), "{}", output.out);
    assert_snapshot!(output.out.lines().find(|line| line.contains("suggestion")).unwrap_or_default(), @"note: 1 suggestion skipped: the target has since changed the same file");
    assert_eq!(server.log(), "");
    // If the head itself is checked out, the line numbers match.
    let head = scene.runner(scene.checkout(&scene.head, &["--depth=1"]));
    let output =
        head.set("GITHUB_API_URL", &server.api).set("GITHUB_TOKEN", TOKEN).ci(&["--review"]);
    assert_eq!(output.code, 0);
    let comments = server.state().review_comments.clone();
    assert_eq!(comments.len(), 1);
    assert_eq!(comments[0]["line"], 10);
}

#[test]
fn a_fix_that_does_not_remove_its_finding_is_not_suggested() {
    let stays = SPELLING.1.replace("'the'", "'teh teh'").replace("team/spelling", "team/stays");
    let files = [("rules/team/stays.md", &*stays), ("a.txt", "one\n")];
    let scene = PullRequest::new(&files, |server| server.write("a.txt", "one\nteh end\n"));
    let note = |output: &str| {
        output.lines().find(|line| line.contains("suggested")).unwrap_or_default().to_owned()
    };
    let server = server(&scene);
    let output = runner(&scene, &server).ci(&["--review"]);
    assert_snapshot!(note(&output.out), @"note: Fix of team/stays at a.txt:2 not suggested: the finding remained");
    assert_eq!(server.state().review_comments.len(), 0);
    // The same for a head that is not checked out.
    let payload = scene.payload("pull_request_target.json");
    let clone = scene.checkout(&scene.base, &["--depth=1"]);
    let target = Runner::github(clone, "pull_request_target", "refs/heads/main", &payload);
    let target = target.set("GITHUB_API_URL", &server.api).set("GITHUB_TOKEN", TOKEN);
    let output = target.ci(&["--review"]);
    assert_snapshot!(note(&output.out), @"note: Fix of team/stays at a.txt:2 not suggested: the finding remained");
    assert_eq!(server.state().review_comments.len(), 0);
}
