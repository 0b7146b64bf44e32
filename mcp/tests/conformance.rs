//! The protocol's conformance suite against the server over HTTP, in the latest revision and in the
//! last one that starts with `initialize`.
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
fn clients() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
    let found = Some(target.join("mcp-clients")).filter(|folder| folder.join("done").exists());
    if found.is_none() {
        let text = "the protocol's tests are missing; tests/mcp/install fetches them";
        assert!(env::var_os("AIDD_REQUIRE_MCP").is_none(), "{text}");
        let _ = writeln!(std::io::stderr(), "skipped: {text}");
    }
    found
}

/// Serves the project at `root` until the sender is dropped.
fn serve(root: &Path) -> (SocketAddr, oneshot::Sender<()>, thread::JoinHandle<()>) {
    let server =
        Server::new(Catalog::new(tools::all(), Profile::Engine), Context::at(&DISTRIBUTION, root));
    let (say, address) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let door = HttpOptions { address: "127.0.0.1:0".into(), ..HttpOptions::default() };
        let end = async {
            let _ = stopped.await;
        };
        let say = move |address| say.send(address).expect("heard");
        let serving = http::serve(Fixtures::new(server), &door, |_| None, say, end);
        runtime.expect("a runtime").block_on(serving).expect("a clean exit");
    });
    (address.recv().expect("an address"), stop, thread)
}

#[expect(clippy::disallowed_methods, reason = "the protocol's tests are a program of Node's")]
fn run(clients: &Path, arguments: &[&str]) -> Output {
    let suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
    Command::new(clients.join("bin/node"))
        .arg(clients.join(suite))
        .arg("server")
        .args(arguments)
        .output()
        .expect("it runs")
}

/// The failed checks and their messages.
fn failures(results: &Path) -> String {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(results).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path().join("checks.json")).unwrap_or_default();
        let checks: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
        let bad = |check: &&Value| check["status"] == "FAILURE" || check["status"] == "WARNING";
        lines.extend(checks.iter().filter(bad).map(|check| {
            format!("{} {}: {}", check["status"], check["id"], check["errorMessage"])
        }));
    }
    lines.join("\n")
}

#[track_caller]
fn passes(arguments: &[&str]) {
    let Some(clients) = clients() else { return };
    let folder = tempfile::tempdir().expect("a directory");
    let (address, stop, thread) = serve(folder.path());
    let url = format!("http://{address}{}", http::PATH);
    let results = folder.path().join("results").to_string_lossy().into_owned();
    let mut all = vec!["--url", &url, "-o", &results];
    all.extend(arguments);
    let output = run(&clients, &all);
    drop(stop);
    thread.join().expect("no panic");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", failures(Path::new(&results)));
    // A suite without checks would pass too.
    assert!(said.contains("tools-call-simple-text"), "{said}");
}

#[test]
fn what_2026_07_28_requires() {
    passes(&["--requirements", "2026-07-28"]);
}

#[test]
fn everything_of_2026_07_28() {
    passes(&["--suite", "all", "--spec-version", "2026-07-28"]);
}

#[test]
fn what_2025_11_25_requires() {
    passes(&["--requirements", "2025-11-25"]);
}

#[test]
fn everything_of_2025_11_25() {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp/expected-failures.yml");
    let known = known.to_string_lossy().into_owned();
    let version = ["--spec-version", "2025-11-25", "--expected-failures", &known];
    passes(&[["--suite", "all"].as_slice(), &version].concat());
}
