//! Runs the protocol's conformance suite against the server over HTTP, in the latest revision and
//! in the last revision that starts with `initialize`.
//!
//! `tests/mcp/install` installs the suite. Without it, the tests print a note and pass; with
//! `AIDD_REQUIRE_MCP=1` they fail.

use aidd_engine::check::Distribution;
use aidd_mcp::HttpOptions;
use aidd_mcp::catalog::Catalog;
use aidd_mcp::conformance::Fixtures;
use aidd_mcp::context::Context;
use aidd_mcp::server::Server;
use aidd_mcp::{Profile, http, tools};
use serde_json::Value;
use std::env;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::mpsc;
use std::thread;
use tokio::sync::oneshot;

/// The shipped rules.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

/// The directory that `tests/mcp/install` creates.
fn suite_directory() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
    let directory = Some(target.join("mcp-clients")).filter(|folder| folder.join("done").exists());
    if directory.is_none() {
        let message = "the conformance suite is missing; run tests/mcp/install to install it";
        assert!(env::var_os("AIDD_REQUIRE_MCP").is_none(), "{message}");
        let _ = writeln!(std::io::stderr(), "skipped: {message}");
    }
    directory
}

/// Serves the project at `root` until the sender is dropped.
fn serve(root: &Path) -> (SocketAddr, oneshot::Sender<()>, thread::JoinHandle<()>) {
    let server =
        Server::new(Catalog::new(tools::all(), Profile::Engine), Context::at(&DISTRIBUTION, root));
    let (report_address, address) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let options = HttpOptions { address: "127.0.0.1:0".into(), ..HttpOptions::default() };
        let shutdown = async {
            let _ = stopped.await;
        };
        let report_address = move |address| report_address.send(address).expect("received");
        let serving =
            http::serve(Fixtures::new(server), &options, |_| None, report_address, shutdown);
        runtime.expect("a runtime").block_on(serving).expect("a clean exit");
    });
    (address.recv().expect("an address"), stop, thread)
}

#[expect(clippy::disallowed_methods, reason = "the conformance suite is a Node.js program")]
fn run(suite_directory: &Path, arguments: &[&str]) -> Output {
    let suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
    Command::new(suite_directory.join("bin/node"))
        .arg(suite_directory.join(suite))
        .arg("server")
        .args(arguments)
        .output()
        .expect("the suite runs")
}

/// The failed checks and their messages.
fn failures(results: &Path) -> String {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(results).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path().join("checks.json")).unwrap_or_default();
        let checks: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
        let is_failed =
            |check: &&Value| check["status"] == "FAILURE" || check["status"] == "WARNING";
        lines.extend(checks.iter().filter(is_failed).map(|check| {
            format!("{} {}: {}", check["status"], check["id"], check["errorMessage"])
        }));
    }
    lines.join("\n")
}

#[track_caller]
fn assert_suite_passes(arguments: &[&str]) {
    let Some(suite_directory) = suite_directory() else { return };
    let folder = tempfile::tempdir().expect("a directory");
    let (address, stop, thread) = serve(folder.path());
    let url = format!("http://{address}{}", http::PATH);
    let results = folder.path().join("results").to_string_lossy().into_owned();
    let mut suite_arguments = vec!["--url", &url, "-o", &results];
    suite_arguments.extend(arguments);
    let output = run(&suite_directory, &suite_arguments);
    drop(stop);
    thread.join().expect("no panic");
    let suite_output = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{suite_output}\n{}", failures(Path::new(&results)));
    // A suite that ran no checks would also pass.
    assert!(suite_output.contains("tools-call-simple-text"), "{suite_output}");
}

#[test]
fn the_requirements_of_2026_07_28_are_met() {
    assert_suite_passes(&["--requirements", "2026-07-28"]);
}

#[test]
fn the_full_suite_of_2026_07_28_passes() {
    assert_suite_passes(&["--suite", "all", "--spec-version", "2026-07-28"]);
}

#[test]
fn the_requirements_of_2025_11_25_are_met() {
    assert_suite_passes(&["--requirements", "2025-11-25"]);
}

#[test]
fn the_full_suite_of_2025_11_25_passes() {
    let expected_failures =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp/expected-failures.yml");
    let expected_failures = expected_failures.to_string_lossy().into_owned();
    let version = ["--spec-version", "2025-11-25", "--expected-failures", &expected_failures];
    assert_suite_passes(&[["--suite", "all"].as_slice(), &version].concat());
}
