//! Tests of pull requests from forks: one run saves its report; another run, which treats the report
//! as untrusted, posts it.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::{RunOutput, Runner, payload};
use crate::pull_requests::server::{GitHub, TOKEN};
use crate::repository::Repository;
use insta::assert_snapshot;
use serde_json::{Value, json};

/// The pull request of a fork, its report, and a GitHub mock server.
struct Fork {
    scene: PullRequest,
    server: GitHub,
    report: Value,
}

impl Fork {
    fn new() -> Self {
        let scene =
            PullRequest::new(&[("a.txt", "one\n")], |server| server.write("a.txt", "blue\n"));
        let server = GitHub::start("");
        server.state().pulls = vec![json!({
            "number": 7,
            "state": "open",
            "fork": true,
            "head": {
                "sha": scene.head,
                "ref": "cards",
                "label": "kim:cards",
                "repo": { "full_name": "kim/shop" },
            },
            "base": { "sha": scene.base, "ref": "main", "repo": { "full_name": "octo/demo" } },
        })];
        let mut event = scene.payload("pull_request.json");
        event["pull_request"]["head"]["repo"]["full_name"] = "kim/shop".into();
        let clone = scene.checkout(&scene.merge, &["--depth=1"]);
        let runner = Runner::github(clone, "pull_request", "refs/pull/7/merge", &event);
        let file = runner.file("report.json");
        assert_eq!(runner.ci(&["--save", &file.to_string_lossy()]).code, 1);
        let report = serde_json::from_str(&runner.text("report.json")).expect("a report");
        Self { scene, server, report }
    }

    /// Posts the report in a later run on the default branch, without the files of the pull request.
    fn post(&self, report: &[u8], args: &[&str]) -> (RunOutput, Runner) {
        let event = payload("workflow_run.json", &[("workflow_run.head_sha", &self.scene.head)]);
        let clone = Repository::new();
        clone.commit(&[("README.md", "nothing\n")]);
        clone.write("report.json", report);
        let runner = Runner::github(clone, "workflow_run", "refs/heads/main", &event)
            .set("GITHUB_API_URL", &self.server.api)
            .set("GITHUB_TOKEN", TOKEN);
        let output = runner.run_in("", &[&["ci", "post", "report.json"], args].concat());
        (output, runner)
    }

    /// Asserts that a report is rejected, and returns the error message.
    fn assert_rejected(&self, report: &[u8]) -> String {
        let (output, runner) = self.post(report, &["--comment", "--check-run", "--upload-sarif"]);
        let text = format!("{}{}{}", output.out, output.err, runner.text("summary.md"));
        assert_ne!(output.code, 0, "{text}");
        let log = self.server.log();
        assert!(!log.contains("POST") && !log.contains("PATCH"), "{log}");
        assert_eq!((output.out, runner.text("summary.md")), (String::new(), String::new()));
        let folder = runner.clone.path("").to_string_lossy().into_owned();
        let first = output.err.lines().next().unwrap_or_default().replace(&folder, "");
        self.scene.with_commit_names(&first)
    }

    /// Asserts that the report is rejected if the value at a JSON pointer is replaced.
    fn assert_rejected_with(&self, pointer: &str, value: impl Into<Value>) -> String {
        let mut report = self.report.clone();
        *report.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value.into();
        self.assert_rejected(report.to_string().as_bytes())
    }
}

#[test]
fn a_saved_report_is_posted_to_its_pull_request() {
    let fork = Fork::new();
    let report = fork.report.to_string();
    let (output, runner) =
        fork.post(report.as_bytes(), &["--comment", "--check-run", "--upload-sarif"]);
    assert_eq!((output.code, &*output.err), (0, ""));
    assert_snapshot!(output.out, @"
    https://github.com/octo/demo/pull/7#issuecomment-1
    https://github.com/octo/demo/runs/1
    ");
    let state = fork.server.state();
    let comment = state.comments[0].clone();
    assert_eq!(comment["issue"], "7");
    assert_snapshot!(fork.scene.with_commit_names(comment["body"].as_str().expect("text")), @"
    <!-- aidd:report:aidd -->
    ## aidd: changes needed: 1 error introduced in 1 changed file

    **Failing:** `blue` is not our colour at [a.txt:1](<https://github.com/octo/demo/blob/HEAD/a.txt#L1>) (team/colour)

    Compared with BASE (first parent of the merge commit).

    ### Errors (1)

    **team/colour** at [a.txt:1](<https://github.com/octo/demo/blob/HEAD/a.txt#L1>): `blue` is not our colour

        > 1 | blue
            | ^^^^
          2 |

    | In the changed files | Before | Now | Change |
    | --- | ---: | ---: | ---: |
    | Errors | 0 | 1 | +1 |
    ");
    assert_eq!(state.check_runs[0]["head_sha"], *fork.scene.head);
    assert_eq!(state.sarifs[0]["ref"], "refs/pull/7/head");
    assert!(runner.text("summary.md").contains("a.txt:1"));
}

#[test]
fn a_report_for_another_pull_request_is_rejected() {
    let fork = Fork::new();
    let other = "0123456789abcdef0123456789abcdef01234567";
    assert_snapshot!(fork.assert_rejected_with("/context/pull", 8), @"error: the report claims pull request #8, but HEAD is the head of #7");
    assert_snapshot!(fork.assert_rejected_with("/context/headSha", other), @"error: the report names a different commit than the run that saved it");
    assert_snapshot!(fork.assert_rejected_with("/context/repository", "octo/other"), @"error: the report names a different repository than the run that saved it");
    // The pull request is closed, or has newer commits.
    fork.server.state().pulls[0]["state"] = "closed".into();
    assert_snapshot!(fork.assert_rejected(fork.report.to_string().as_bytes()), @"error: no open pull request has HEAD as its head");
    fork.server.state().pulls[0]["state"] = "open".into();
    fork.server.state().pulls[0]["head"]["sha"] = other.into();
    assert_snapshot!(fork.assert_rejected(fork.report.to_string().as_bytes()), @"error: no open pull request has HEAD as its head");
}

#[test]
fn an_invalid_report_is_rejected() {
    let fork = Fork::new();
    assert_snapshot!(fork.assert_rejected(b"{"), @"error: report.json: not a saved report: the JSON is incomplete");
    assert_snapshot!(fork.assert_rejected(b"[]"), @"error: report.json: not a saved report: line 1, column 2: not in the format written by `aidd ci --save`");
    assert_snapshot!(fork.assert_rejected(b"\xff\xfe"), @"error: report.json: not a saved report: line 1, column 1: invalid JSON");
    assert_snapshot!(fork.assert_rejected(&vec![b'['; (64 << 20) + 1]), @"error: report.json: more than 67108864 bytes");
    assert_snapshot!(fork.assert_rejected("[".repeat(100_000).as_bytes()), @"error: report.json: not a saved report: line 1, column 1: not in the format written by `aidd ci --save`");
    assert_snapshot!(fork.assert_rejected_with("/schemaVersion", 99), @"error: report.json: unsupported schema version 99; this aidd reads version 1");
    assert_snapshot!(fork.assert_rejected_with("/document/findings/0/path", "../../etc/passwd"), @"error: report.json: findings[0]: `../../etc/passwd` is not a path below the root");
    assert_snapshot!(fork.assert_rejected_with("/document/findings/0/path", "/etc/passwd"), @"error: report.json: findings[0]: `/etc/passwd` is not a path below the root");
    assert_snapshot!(fork.assert_rejected_with("/document/findings/0/path", "x##[stop-commands]y/../z"), @"error: report.json: findings[0]: `x# #[stop-commands]y/../z` is not a path below the root");
    assert_snapshot!(fork.assert_rejected_with("/document/findings/0/path", "a\n::error::b/../c"), @"error: report.json: findings[0]: `a ::error::b/../c` is not a path below the root");
    assert_snapshot!(fork.assert_rejected_with("/document/category", "--> <b>"), @"error: report.json: `category` contains characters that are not allowed in an untrusted report");
    assert_snapshot!(fork.assert_rejected_with("/context/repository", "../.."), @"error: report.json: context.repository is not `owner/name`");
    assert_snapshot!(fork.assert_rejected_with("/document/findings/0/start/line", 0), @"error: report.json: findings[0]: invalid range");
    assert_snapshot!(fork.assert_rejected_with("/shard", json!({ "index": 9, "count": 2 })), @"error: report.json: the index of `shard` is not in 1..=count");
}

#[test]
fn hostile_texts_are_escaped() {
    let fork = Fork::new();
    let evil = "\n::error file=x::y\n##[set-output name=result]success @octo/team #1 GH-2 \
                ![i](https://evil.example/x.png) <img src=x> </details> | --> ``` \
                https://evil.example www.evil.example \u{202e}\u{1b}[31m";
    let mut report = fork.report.clone();
    let finding = &mut report["document"]["findings"][0];
    for name in ["rule", "message", "help", "reason"] {
        finding[name] = evil.into();
    }
    finding["path"] = "<b>@octo ##[x]/::error::.txt".into();
    finding["aliases"] = json!([evil]);
    report["document"]["notes"] = json!([evil]);
    report["document"]["skipped"] =
        json!([{ "path": "##[y] @octo.txt", "why": evil, "failed": false }]);
    report["document"]["root"] = "file:///evil".into();
    report["document"]["versionControl"] = json!({ "repository": "https://evil.example/x", "revision": fork.scene.head, "branch": null });
    report["document"]["lineHashes"] = json!({});
    report["diffLines"] = json!({});
    let args = ["--comment", "--check-run", "--upload-sarif"];
    let (output, runner) = fork.post(report.to_string().as_bytes(), &args);
    assert_eq!((output.code, &*output.err), (0, ""));
    for line in output.out.lines() {
        assert!(line.starts_with("https://github.com/octo/demo/"), "{line}");
    }
    let state = fork.server.state();
    let comment = state.comments[0]["body"].as_str().expect("text");
    let check_run = state.check_runs[0]["output"]["summary"].as_str().expect("text");
    for text in [comment, check_run, &runner.text("summary.md")] {
        assert!(text.contains("evil"), "{text}");
        assert_harmless(text);
    }
    assert_snapshot!(fork.scene.with_commit_names(comment), @r"
    <!-- aidd:report:aidd -->
    ## aidd: changes needed: 1 error introduced in 1 changed file

    **Failing:**  ::error file=x::y \#&#8203;\#&#8203;\[set-output name=result\]success \@&#8203;octo/team \#&#8203;1 GH-&#8203;2 \!\[i\](https\://evil.example/x.png) &lt;img src=x&gt; &lt;/details&gt; \| --&gt; \`\`\` https\://evil.example www\.evil.example \\u{202e}\\u{1b}\[31m at [&lt;b&gt;\@&#8203;octo \#&#8203;\#&#8203;\[x\]/::error::.txt:1](<https://github.com/octo/demo/blob/HEAD/%3Cb%3E@octo%20%23%23%5Bx%5D/%3A%3Aerror%3A%3A.txt#L1>) ( ::error file=x::y \#&#8203;\#&#8203;\[set-output name=result\]success \@&#8203;octo/team \#&#8203;1 GH-&#8203;2 \!\[i\](https\://evil.example/x.png) &lt;img src=x&gt; &lt;/details&gt; \| --&gt; \`\`\` https\://evil.example www\.evil.example \\u{202e}\\u{1b}\[31m)

    Compared with BASE (first parent of the merge commit).

    ### Errors (1)

    ** ::error file=x::y \#&#8203;\#&#8203;\[set-output name=result\]success \@&#8203;octo/team \#&#8203;1 GH-&#8203;2 \!\[i\](https\://evil.example/x.png) &lt;img src=x&gt; &lt;/details&gt; \| --&gt; \`\`\` https\://evil.example www\.evil.example \\u{202e}\\u{1b}\[31m** at [&lt;b&gt;\@&#8203;octo \#&#8203;\#&#8203;\[x\]/::error::.txt:1](<https://github.com/octo/demo/blob/HEAD/%3Cb%3E@octo%20%23%23%5Bx%5D/%3A%3Aerror%3A%3A.txt#L1>):  ::error file=x::y \#&#8203;\#&#8203;\[set-output name=result\]success \@&#8203;octo/team \#&#8203;1 GH-&#8203;2 \!\[i\](https\://evil.example/x.png) &lt;img src=x&gt; &lt;/details&gt; \| --&gt; \`\`\` https\://evil.example www\.evil.example \\u{202e}\\u{1b}\[31m

        > 1 | blue
            | ^^^^
          2 |

    help:  ::error file=x::y \#&#8203;\#&#8203;\[set-output name=result\]success \@&#8203;octo/team \#&#8203;1 GH-&#8203;2 \!\[i\](https\://evil.example/x.png) &lt;img src=x&gt; &lt;/details&gt; \| --&gt; \`\`\` https\://evil.example www\.evil.example \\u{202e}\\u{1b}\[31m

    | In the changed files | Before | Now | Change |
    | --- | ---: | ---: | ---: |
    | Errors | 0 | 1 | +1 |

    <details>
    <summary>1 file skipped or only partly checked</summary>

    - \#&#8203;\#&#8203;\[y\] \@&#8203;octo.txt:  ::error file=x::y \#&#8203;\#&#8203;\[set-output name=result\]success \@&#8203;octo/team \#&#8203;1 GH-&#8203;2 \!\[i\](https\://evil.example/x.png) &lt;img src=x&gt; &lt;/details&gt; \| --&gt; \`\`\` https\://evil.example www\.evil.example \\u{202e}\\u{1b}\[31m

    </details>

    -  ::error file=x::y \#&#8203;\#&#8203;\[set-output name=result\]success \@&#8203;octo/team \#&#8203;1 GH-&#8203;2 \!\[i\](https\://evil.example/x.png) &lt;img src=x&gt; &lt;/details&gt; \| --&gt; \`\`\` https\://evil.example www\.evil.example \\u{202e}\\u{1b}\[31m
    ");
    // GitHub shows annotations as plain text.
    let annotation = &state.check_runs[0]["output"]["annotations"][0];
    let message = annotation["message"].as_str().expect("text");
    assert!(!message.contains(['\u{202e}', '\u{1b}']), "{message}");
}

#[test]
fn untrusted_texts_on_weakened_settings_are_escaped() {
    let fork = Fork::new();
    let evil = "\n::error file=x::y\n##[set-output name=result]success @octo/team #1 \
                ![i](https://evil.example/x.png) <img src=x> --> ``` \u{202e}\u{1b}[31m";
    let mut report = fork.report.clone();
    let entry = json!({ "kind": "rule", "path": "<b>@octo ##[x]/::error::.txt", "line": 2, "message": evil });
    report["document"]["comparison"]["weakened"] = json!([entry]);
    let (output, runner) = fork.post(report.to_string().as_bytes(), &["--comment", "--check-run"]);
    assert_eq!((output.code, &*output.err), (0, ""));
    let comment = fork.server.state().comments[0]["body"].as_str().expect("text").to_owned();
    for text in [&comment, &runner.text("summary.md")] {
        assert!(
            text.contains("This change weakens the checks in 1 place") && text.contains("evil")
        );
        assert_harmless(text);
    }
    let fork = Fork::new();
    report["document"]["comparison"]["weakened"][0]["path"] = "../x".into();
    let error = fork.assert_rejected(report.to_string().as_bytes());
    assert_eq!(error, "error: report.json: `../x` is not a path below the root");
}

/// Asserts that Markdown contains no mention, issue, image, link or HTML from untrusted input.
#[track_caller]
fn assert_harmless(text: &str) {
    let mut parts = text.split("](<");
    let mut text_outside_links = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once(">)").expect("the end of a link");
        assert!(target.starts_with("https://github.com/octo/demo/blob/"), "{target}");
        assert!(target.bytes().all(|byte| byte.is_ascii_graphic()), "{target}");
        text_outside_links.push_str(rest);
    }
    for mark in [
        "@octo",
        " #1",
        "GH-2",
        "<img",
        "<b",
        " https://",
        "www.",
        "\u{202e}",
        "\u{1b}",
        "##[",
        "\n::",
        "```",
    ] {
        assert!(!text_outside_links.contains(mark), "{mark:?} in {text_outside_links}");
    }
    assert_eq!(text.matches("</details>").count(), text.matches("<details>").count());
    assert_eq!(text.matches("-->").count(), text.matches("<!--").count());
}

#[test]
fn outside_a_workflow_run_the_event_must_match() {
    let fork = Fork::new();
    let clone = fork.scene.checkout(&fork.scene.merge, &["--depth=1"]);
    clone.write("report.json", fork.report.to_string());
    let runner =
        fork.scene.runner(clone).set("GITHUB_API_URL", &fork.server.api).set("GITHUB_TOKEN", TOKEN);
    let post = ["ci", "post", "report.json", "--comment"];
    assert_eq!(runner.run_in("", &post).code, 0);
    assert_eq!(fork.server.state().comments.len(), 1);
    let mut report = fork.report.clone();
    report["context"]["pull"] = 8.into();
    runner.clone.write("report.json", report.to_string());
    let output = runner.run_in("", &post);
    assert_eq!((output.code, &*output.out), (2, ""));
    assert_snapshot!(output.err, @"
    error: the report names a different pull request than the run that saved it
    hint: nothing was posted: a report can only be posted for its own run
    ");
    // Without a CI system, there is no pull request to post to.
    let local = Runner::new(Repository::new());
    local.clone.write("report.json", fork.report.to_string());
    let output = local.run_in("", &post);
    assert_eq!(output.code, 2);
    assert_snapshot!(output.err, @"
    error: this run is not on GitHub, so the report cannot be posted
    hint: run `aidd ci merge REPORT` to show a saved report in the log
    ");
}
