//! Posts that GitHub accepts.

use crate::github::fixture::*;
use crate::github::server::{BOT, Fault, GitHub, error};
use aidd_ci::github::PostOptions;
use aidd_engine::text::finding::Severity;
use insta::assert_snapshot;
use serde_json::{Value, json};

#[test]
fn a_run_posts_all_its_parts() {
    let server = server();
    let mut run = run(2);
    run.findings[1].severity = Severity::Warning;
    run.suggestions[1].last = 3;
    let posted = run.post_all(&server, ALL);
    assert_snapshot!(server.log(), @r"
    POST code-scanning/sarifs
    POST check-runs
    GET issues/7/comments?per_page=100&page=1
    POST issues/7/comments
    GET pulls/7/comments?per_page=100&page=1
    POST pulls/7/reviews
    GET code-scanning/sarifs/47177e22-5596-11eb-80a1-c1e54ef945c6
    ");
    assert_snapshot!(format!("{posted:#?}"), @r#"
    Posted {
        comment_url: Some(
            "https://github.com/octo/demo/pull/7#issuecomment-1",
        ),
        check_run_url: Some(
            "https://github.com/octo/demo/runs/1",
        ),
        sarif_id: Some(
            "47177e22-5596-11eb-80a1-c1e54ef945c6",
        ),
        suggestions: 2,
        skipped: [],
    }
    "#);
    let state = server.state();
    let mut check_run = state.check_runs[0].clone();
    let id = text(&check_run["external_id"].take());
    assert!(id.starts_with("aidd-") && id.len() == 21, "{id}");
    assert_snapshot!(pretty(&check_run), @r###"
    {
      "name": "aidd",
      "head_sha": "8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e",
      "external_id": null,
      "status": "completed",
      "conclusion": "failure",
      "output": {
        "title": "2 errors introduced",
        "summary": "## aidd\n\nThere are errors.",
        "annotations": [
          {
            "path": "Dockerfile",
            "start_line": 1,
            "end_line": 1,
            "annotation_level": "failure",
            "title": "dockerfile/latest-tag",
            "message": "Pin the tag of @debian\n\nName a version",
            "start_column": 6,
            "end_column": 19
          },
          {
            "path": "Dockerfile",
            "start_line": 2,
            "end_line": 2,
            "annotation_level": "warning",
            "title": "dockerfile/latest-tag",
            "message": "Pin the tag of @debian\n\nName a version",
            "start_column": 6,
            "end_column": 19
          }
        ]
      },
      "details_url": "https://github.com/octo/demo/actions/runs/1",
      "id": 1
    }
    "###);
    assert_snapshot!(pretty(&state.comments[0]), @r#"
    {
      "id": 1,
      "issue": "7",
      "html_url": "https://github.com/octo/demo/pull/7#issuecomment-1",
      "user": {
        "id": 41898282,
        "login": "github-actions[bot]",
        "type": "Bot"
      },
      "body": "<!-- aidd:report:aidd -->\n## aidd\n\nThere are errors.",
      "created_at": "2026-11-22T00:00:00Z",
      "author_association": "NONE"
    }
    "#);
    assert_snapshot!(pretty(&state.reviews[0]), @r#"
    {
      "commit_id": "8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e",
      "event": "COMMENT",
      "body": "<!-- aidd:review:aidd -->\naidd suggests 2 fixes.",
      "comments": [
        {
          "path": "Dockerfile",
          "body": "<!-- aidd:finding:0000000000000001 -->\n**dockerfile/latest-tag**: Pin the tag of \\@&#8203;debian\n\nName a version\n\n```suggestion\nFROM debian:1\n```\n",
          "line": 1,
          "side": "RIGHT"
        },
        {
          "path": "Dockerfile",
          "body": "<!-- aidd:finding:0000000000000002 -->\n**dockerfile/latest-tag**: Pin the tag of \\@&#8203;debian\n\nName a version\n\n```suggestion\nFROM debian:2\n```\n",
          "line": 3,
          "side": "RIGHT",
          "start_line": 2,
          "start_side": "RIGHT"
        }
      ]
    }
    "#);
    assert_snapshot!(pretty(&state.sarifs[0]), @r#"
    {
      "commit_sha": "8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e",
      "ref": "refs/pull/7/head",
      "sarif": "H4sIAAAAAAAAAwMAAAAAAAAAAAA=",
      "tool_name": "aidd"
    }
    "#);
}

#[test]
fn no_request_is_sent_for_parts_that_are_not_requested() {
    let server = server();
    run(3).post_all(&server, PostOptions::default());
    assert_eq!(server.log(), "");
    // Without a pull request, no comment can be posted.
    let without_pull = Run { pull: None, ..run(3) };
    without_pull.post_all(&server, ALL);
    assert_snapshot!(server.log(), @r"
    POST code-scanning/sarifs
    POST check-runs
    GET code-scanning/sarifs/47177e22-5596-11eb-80a1-c1e54ef945c6
    ");
    assert_eq!(server.state().sarifs[0]["ref"], "refs/heads/main");
}

#[test]
fn a_second_run_changes_the_comment_in_place() {
    let server = server();
    let first = run(2).post_all(&server, COMMENT);
    server.log();
    // The comment is unchanged, so nothing is posted.
    assert_eq!(run(2).post_all(&server, COMMENT), first);
    assert_snapshot!(server.log(), @r"
    GET issues/7/comments?per_page=100&page=1
    GET /user
    ");
    let more = Run { comment: Some("More errors.".into()), ..run(3) };
    assert_eq!(more.post_all(&server, COMMENT), first);
    assert_eq!(comments(&server), ["<!-- aidd:report:aidd -->\nMore errors."]);
    // A run without problems updates the comment.
    assert_eq!(clean().post_all(&server, COMMENT), first);
    assert_snapshot!(comments(&server).join("\n---\n"), @r"
    <!-- aidd:report:aidd -->
    ## aidd: no problems

    This pull request introduces no findings.
    ");
}

#[test]
fn a_clean_pull_request_gets_no_comment() {
    let server = server();
    assert_eq!(clean().post_all(&server, COMMENT).comment_url, None);
    assert_eq!(comments(&server), Vec::<String>::new());
}

#[test]
fn comments_of_other_accounts_are_unchanged() {
    const COPY: &str = "<!-- aidd:report:aidd -->\nI am aidd!";
    let user = |id: u64, kind: &str| json!({ "id": id, "login": "x", "type": kind });
    for person in [false, true] {
        let server = server();
        let mut state = server.state();
        state.person = person;
        let other_account = user(99, if person { "Bot" } else { "User" });
        state.comment("7", &other_account, &COPY.into());
        state.comment("7", &user(BOT, "Bot"), &"see <!-- aidd:report:aidd -->".into());
        state.comment("7", &Value::Null, &COPY.into());
        state.comment("8", &user(BOT, "Bot"), &COPY.into());
        drop(state);
        run(1).post_all(&server, COMMENT);
        run(1).post_all(&server, COMMENT);
        let texts = comments(&server);
        assert_eq!(texts.len(), 5);
        assert_eq!(texts[0], COPY);
        assert_eq!(texts[2], COPY);
        assert_eq!(texts[3], COPY);
        assert!(texts[4].ends_with("There are errors."), "{}", texts[4]);
    }
}

#[test]
fn duplicate_comments_are_deleted_except_the_oldest() {
    let server = server();
    let own = json!({ "id": BOT, "login": "github-actions[bot]", "type": "Bot" });
    for text in ["one", "two", "three"] {
        let body = format!("<!-- aidd:report:aidd -->\r\n{text}");
        server.state().comment("7", &own, &body.into());
    }
    let posted = run(1).post_all(&server, COMMENT);
    assert!(posted.comment_url.expect("a page").ends_with("#issuecomment-1"));
    assert_eq!(comments(&server), ["<!-- aidd:report:aidd -->\n## aidd\n\nThere are errors."]);
}

#[test]
fn a_comment_that_cannot_be_edited_is_created_again() {
    let server = server();
    run(1).post_all(&server, COMMENT);
    let refusal = error(403, "Resource not accessible by integration", &[]);
    server.fail("PATCH issues/comments/1", Fault::Answer(403, Vec::new(), refusal));
    let more = Run { comment: Some("More.".into()), ..run(1) };
    let posted = more.post_all(&server, COMMENT);
    assert!(posted.comment_url.expect("a page").ends_with("#issuecomment-2"));
    assert_eq!(comments(&server).len(), 2);
}

#[test]
fn each_category_has_its_own_comment_and_check_run() {
    let server = server();
    for marker in ["aidd", "web app", "-->"] {
        let run = Run { marker: marker.into(), ..run(1) };
        run.post_all(&server, ALL);
        run.post_all(&server, COMMENT);
    }
    assert_eq!(comments(&server).len(), 2);
    let state = server.state();
    let names: Vec<&Value> = state.check_runs.iter().map(|run| &run["name"]).collect();
    assert_eq!(names, ["aidd", "aidd (web-app)", "aidd"]);
}

#[test]
fn the_comment_is_found_on_a_later_page() {
    let server = server();
    let someone = json!({ "id": 99, "login": "x", "type": "User" });
    for number in 0..230 {
        server.state().comment("7", &someone, &format!("comment {number}").into());
    }
    run(1).post_all(&server, COMMENT);
    clean().post_all(&server, COMMENT);
    assert_eq!(comments(&server).len(), 231);
}

#[test]
fn a_long_comment_is_truncated() {
    let server = server();
    let long = "<details>\n\n".to_owned() + &"| é | row |\n".repeat(9_000) + "\n</details>\n";
    let run = Run { comment: Some(long.clone()), summary: long, ..run(1) };
    run.post_all(&server, ALL);
    let text = &comments(&server)[0];
    assert!((65_400..=65_536).contains(&text.len()), "{} bytes", text.len());
    let (_, end) = text.rsplit_once("row |").expect("a row");
    assert_snapshot!(end, @r"


    </details>

    *Truncated: a comment is limited to 65,536 characters. See the job summary for the full report.*
    ");
    // A second run does not update the comment, although it is truncated.
    server.log();
    run.post_all(&server, COMMENT);
    assert!(!server.log().contains("PATCH"));
    // One byte per character, to reach the server's limit in characters too.
    let long = "row\n".repeat(20_000);
    Run { comment: Some(long.clone()), summary: long, ..run }.post_all(&server, ALL);
    assert!(comments(&server)[0].len() > 65_400);
}

#[test]
fn annotations_are_posted_in_batches() {
    let server = server();
    run(120).post_all(&server, CHECK_RUN);
    assert_snapshot!(server.log(), @r"
    POST check-runs
    PATCH check-runs/1
    PATCH check-runs/1
    ");
    let state = server.state();
    let annotations = state.check_runs[0]["output"]["annotations"].as_array().expect("a list");
    let lines: Vec<u64> = annotations.iter().filter_map(|a| a["start_line"].as_u64()).collect();
    assert_eq!(lines, (1..=120).collect::<Vec<_>>());
}

#[test]
fn the_thousand_most_severe_findings_are_annotated() {
    let server = server();
    let posted = run(1_003).post(&server, CHECK_RUN);
    assert_snapshot!(posted.skipped.join("\n"), @"3 findings not annotated: the check run shows the 1000 most severe findings. Fix these first, or read the job log.");
    let state = server.state();
    assert_eq!(state.check_runs[0]["output"]["annotations"].as_array().map(Vec::len), Some(1_000));
}

#[test]
fn annotations_fit_the_limits_of_github() {
    let server = server();
    let mut run = run(4);
    run.findings[0].end.line = 3;
    (run.findings[1].end.line, run.findings[1].end.column) = (3, 1);
    run.findings[1].severity = Severity::Warning;
    run.findings[2].end = run.findings[2].start;
    run.findings[2].severity = Severity::Info;
    run.findings[2].help = None;
    run.findings[2].message = "two\nlines\u{202e} and \u{1b}[31m".into();
    run.findings[3].message = "é".repeat(40_000);
    run.findings[3].rule = "x".repeat(300);
    run.title = "é\n".repeat(300);
    run.post_all(&server, CHECK_RUN);
    let state = server.state();
    let annotations = state.check_runs[0]["output"]["annotations"].as_array().expect("a list");
    assert_snapshot!(pretty(&json!(annotations[..3])), @r#"
    [
      {
        "path": "Dockerfile",
        "start_line": 1,
        "end_line": 3,
        "annotation_level": "failure",
        "title": "dockerfile/latest-tag",
        "message": "Pin the tag of @debian\n\nName a version"
      },
      {
        "path": "Dockerfile",
        "start_line": 2,
        "end_line": 2,
        "annotation_level": "warning",
        "title": "dockerfile/latest-tag",
        "message": "Pin the tag of @debian\n\nName a version"
      },
      {
        "path": "Dockerfile",
        "start_line": 3,
        "end_line": 3,
        "annotation_level": "notice",
        "title": "dockerfile/latest-tag",
        "message": "two\nlines\\u{202e} and \\u{1b}[31m",
        "start_column": 6,
        "end_column": 6
      }
    ]
    "#);
    assert_eq!(text(&annotations[3]["message"]).len(), 64_000);
    assert_eq!(text(&annotations[3]["title"]).len(), 255);
}

#[test]
fn the_conclusion_follows_from_the_result() {
    let server = server();
    run(1).post_all(&server, CHECK_RUN);
    Run { failed: false, ..run(1) }.post_all(&server, CHECK_RUN);
    clean().post_all(&server, CHECK_RUN);
    let state = server.state();
    let conclusions: Vec<&Value> = state.check_runs.iter().map(|run| &run["conclusion"]).collect();
    assert_eq!(conclusions, ["failure", "neutral", "success"]);
}

#[test]
fn pending_uploads_to_code_scanning_are_awaited() {
    let server = server();
    let pending = json!({ "processing_status": "pending" });
    let done = json!({ "processing_status": "complete", "analyses_url": "https://x" });
    server.state().processing = vec![pending.clone(), pending.clone(), done];
    let missing = error(404, "Not Found", &[]);
    server.fail("GET code-scanning", Fault::Answer(404, Vec::new(), missing));
    let posted = run(1).post_all(&server, SARIF);
    assert_eq!(posted.sarif_id.as_deref(), Some("47177e22-5596-11eb-80a1-c1e54ef945c6"));
    assert_eq!(server.log().lines().count(), 5);
    // Longer processing is not awaited.
    server.state().processing = vec![pending];
    run(1).post_all(&server, SARIF);
    assert_eq!(server.log().lines().count(), 6);
}

#[test]
fn the_api_of_an_enterprise_server_has_a_path_prefix() {
    let server = GitHub::start("/api/v3");
    server.state().diff.insert("Dockerfile".into(), vec![(1, 40)]);
    run(2).post_all(&server, ALL);
    run(2).post_all(&server, ALL);
    assert_eq!(comments(&server).len(), 1);
}
