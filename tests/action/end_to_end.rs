//! Tests of the action with the real binary, on a pull request from a fork with a read-only token.

use crate::action::runner::{Outcome, Runner};
use crate::repository::Repository;
use serde_json::{Value, json};
use std::fs;
use tokio::runtime::{Builder, Runtime};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

const LATEST: &str = "FROM node:latest\nUSER 1000\n";

/// A server that refuses requests as GitHub does if a token lacks the permission.
struct GitHub {
    server: MockServer,
    runtime: Runtime,
}

impl GitHub {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let server = runtime.block_on(MockServer::start());
        let refusal = json!({ "message": "Resource not accessible by integration" });
        let refused = ResponseTemplate::new(403).set_body_json(refusal);
        runtime.block_on(Mock::given(any()).respond_with(refused).mount(&server));
        Self { server, runtime }
    }

    fn requests(&self) -> usize {
        self.runtime.block_on(self.server.received_requests()).expect("recorded").len()
    }
}

/// A clone as created by the checkout action: the merge commit of a pull request that adds a
/// Dockerfile, and its parents.
fn checkout() -> Repository {
    let server = Repository::new();
    server.commit(&[("old/Dockerfile", LATEST)]);
    server.git(&["switch", "--quiet", "--create", "topic"]);
    server.commit(&[("new/Dockerfile", LATEST), ("old/Dockerfile", &format!("# Old.\n{LATEST}"))]);
    server.git(&["switch", "--quiet", "main"]);
    server.commit(&[("README.md", "# Shop\n")]);
    server.merge("topic");
    server.cloned(&["--depth=2"])
}

/// A runner with the binary under test, in a clone, with an event as GitHub sends it.
fn runner(clone: &Repository, github: &GitHub) -> Runner {
    let runner = Runner::new("none\n");
    let real = env!("CARGO_BIN_EXE_aidd");
    let build = format!(
        "#!/bin/sh\nmkdir -p \"$CARGO_TARGET_DIR/release\"\nln -s '{real}' \"$CARGO_TARGET_DIR/release/aidd\"\n"
    );
    runner.install("cargo", &build);
    let payload = concat!(env!("CARGO_MANIFEST_DIR"), "/ci/tests/events/pull_request.json");
    let mut event: Value =
        serde_json::from_str(&fs::read_to_string(payload).expect("text")).expect("JSON");
    event["pull_request"]["head"]["sha"] = clone.rev("HEAD^2").into();
    event["pull_request"]["base"]["sha"] = clone.rev("HEAD^1").into();
    runner.write("event.json", &event.to_string());
    let payload = runner.path("event.json").display().to_string();
    runner
        .in_workspace(clone.root())
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", payload)
        .env("GITHUB_REPOSITORY", "acme/shop")
        .env("GITHUB_SERVER_URL", "https://github.com")
        .env("GITHUB_API_URL", github.server.uri())
        .env("GITHUB_SHA", clone.rev("HEAD"))
        .env("GITHUB_REF", "refs/pull/7/merge")
        .env("GITHUB_RUN_ID", "1")
}

/// The result and the counts in the outputs, on one line.
fn counts(outcome: &Outcome) -> String {
    let names = ["result", "errors", "warnings", "infos", "fixed", "pre-existing"];
    names.map(|name| format!("{name}={}", outcome.outputs[name])).join(" ")
}

const EXPECTED: &str = "result=failure errors=0 warnings=1 infos=0 fixed=0 pre-existing=1";

#[test]
fn a_fork_gets_the_outputs_that_its_token_allows() {
    let (clone, github) = (checkout(), GitHub::new());
    let runner = runner(&clone, &github).with_input("fail-on", "warning");
    let outcome = runner.run();
    assert_eq!(outcome.code, 1, "{}", outcome.log);
    assert_eq!(counts(&outcome), EXPECTED, "{}", outcome.log);
    assert!(outcome.log.contains("::warning file=new/Dockerfile,line=1"), "{}", outcome.log);
    assert!(!outcome.log.contains("file=old/Dockerfile"), "{}", outcome.log);
    assert!(!outcome.log.contains("the-token"), "{}", outcome.log);
    let sarif = fs::read_to_string(&outcome.outputs["sarif-file"]).expect("SARIF");
    assert!(sarif.contains("new/Dockerfile") && !sarif.contains("old/Dockerfile"), "{sarif}");
    let summary = runner.read("summary");
    assert!(summary.contains("new/Dockerfile"), "{summary}");
    for skipped in ["comment", "code scanning"] {
        assert!(summary.contains(skipped), "{skipped} is not reported: {summary}");
    }
    assert!(github.requests() > 0);
}

#[test]
fn non_blocking_findings_do_not_fail_the_step() {
    let (clone, github) = (checkout(), GitHub::new());
    let runner =
        runner(&clone, &github).with_input("fail-on", "error").with_input("comment", "false");
    let outcome = runner.with_input("sarif", "off").run();
    assert_eq!(outcome.code, 0, "{}", outcome.log);
    assert_eq!(counts(&outcome), EXPECTED.replace("failure", "success"));
    assert_eq!(github.requests(), 0, "nothing should be posted");
}

#[test]
fn shards_are_merged_into_one_report() {
    let (clone, github) = (checkout(), GitHub::new());
    let quiet = |runner: Runner| runner.with_input("comment", "false").with_input("sarif", "off");
    let reports = [1, 2].map(|part| {
        let runner = quiet(runner(&clone, &github)).with_input("shard", &format!("{part}/2"));
        let runner = runner.with_input("fail-on", "never");
        let outcome = runner.run();
        assert_eq!(outcome.code, 0, "{}", outcome.log);
        fs::read_to_string(&outcome.outputs["report"]).expect("a report")
    });
    let runner = quiet(runner(&clone, &github)).with_input("command", "merge");
    let paths = ["1.json", "2.json"].map(|name| runner.path(name).display().to_string());
    runner.write("1.json", &reports[0]);
    runner.write("2.json", &reports[1]);
    let outcome =
        runner.with_input("paths", &paths.join("\n")).with_input("fail-on", "warning").run();
    assert_eq!(outcome.code, 1, "{}", outcome.log);
    assert_eq!(counts(&outcome), EXPECTED, "{}", outcome.log);
}
