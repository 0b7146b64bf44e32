//! Tests of how the action obtains its binary.

use crate::action::runner::{Outcome, Runner, write_program};
use sha2::{Digest, Sha256};
use std::fs;
use std::process::Command;
use tokio::runtime::{Builder, Runtime};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A stub of the binary that records its arguments and environment.
pub(crate) const STUB: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "aidd 1.2.3"; exit; fi
for arg in "$@"; do printf '%s\n' "[$arg]"; done > "$SEEN/args"
printf '%s\n' "$PWD" > "$SEEN/folder"
printf '%s\n' "$GITHUB_TOKEN" > "$SEEN/token"
printf '%s\n' "${GITHUB_STEP_SUMMARY-none}" > "$SEEN/summary"
printf '%s\n' result=failure errors=2 warnings=1 infos=0 fixed=3 pre-existing=4 \
  sarif-file=/tmp/a.sarif report=/tmp/report.json >> "$GITHUB_OUTPUT"
exit 1
"#;

/// A stub of cargo that installs the stub in place of the binary and records its own arguments.
const CARGO: &str = r#"#!/bin/sh
printf '%s\n' "$*" > "$SEEN/cargo"
printf '%s\n' "$PWD" > "$SEEN/cargo-folder"
mkdir -p "$CARGO_TARGET_DIR/release"
cp "$SEEN/../bin/stub" "$CARGO_TARGET_DIR/release/aidd"
"#;

const ARCHIVE: &str = "aidd-x86_64-unknown-linux-musl.tar.gz";

/// A server that serves release files.
struct Server {
    server: MockServer,
    runtime: Runtime,
}

impl Server {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { server: runtime.block_on(MockServer::start()), runtime }
    }

    fn serve(&self, at: &str, response: ResponseTemplate) {
        let mock = Mock::given(method("GET")).and(path(at)).respond_with(response);
        self.runtime.block_on(mock.mount(&self.server));
    }

    fn file(&self, at: &str, bytes: &[u8]) {
        self.serve(at, ResponseTemplate::new(200).set_body_bytes(bytes));
    }

    /// The requested paths.
    fn requested_paths(&self) -> Vec<String> {
        let requests = self.runtime.block_on(self.server.received_requests()).expect("recorded");
        requests.iter().map(|request| request.url.path().to_owned()).collect()
    }
}

/// An archive as in a release: a directory with the binary.
#[expect(clippy::disallowed_methods, reason = "creates an archive")]
fn archive() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("aidd-x86_64-unknown-linux-musl");
    fs::create_dir(&inner).expect("made");
    write_program(&inner.join("aidd"), STUB);
    let mut tar = Command::new("tar");
    tar.args(["-czf", "archive.tar.gz", "aidd-x86_64-unknown-linux-musl"]);
    assert!(tar.current_dir(folder.path()).status().expect("tar").success());
    fs::read(folder.path().join("archive.tar.gz")).expect("bytes")
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The content of `.github/action/release` in a commit that is tagged 1.2.3.
fn release(bytes: &[u8]) -> String {
    let other = "0".repeat(64);
    format!("1.2.3\n{other} *aidd-aarch64-apple-darwin.tar.gz\n{} *{ARCHIVE}\n", sha256(bytes))
}

/// A machine whose `cargo` builds the stub.
fn machine(release: &str, server: &Server) -> Runner {
    let runner = Runner::new(release).with_input("download-url", &server.server.uri());
    runner.install("cargo", CARGO);
    runner.install("stub", STUB);
    runner
}

fn is_built(runner: &Runner) -> bool {
    !runner.read("seen/cargo").is_empty()
}

#[track_caller]
fn assert_refused(outcome: &Outcome, why: &str) {
    assert_eq!(outcome.code, 2, "{}", outcome.log);
    assert!(outcome.log.contains("::error title=aidd::"), "{}", outcome.log);
    assert!(outcome.log.contains(why), "{}", outcome.log);
    assert_eq!(outcome.steps, ["Get the release"]);
}

#[test]
fn the_release_is_checked_and_run() {
    let (server, bytes) = (Server::new(), archive());
    server.file(&format!("/v1.2.3/{ARCHIVE}"), &bytes);
    let runner = machine(&release(&bytes), &server);
    let first = runner.run();
    assert_eq!(first.code, 1, "the exit code differs from that of aidd: {}", first.log);
    assert_eq!(first.steps, ["Get the release", "aidd"]);
    assert!(first.log.contains(&format!("aidd 1.2.3, released, sha256 {}", sha256(&bytes))));
    assert!(runner.read("seen/args").starts_with("[ci]\n"));
    assert!(!is_built(&runner));
    let binary = &first.outputs["binary"];
    assert!(binary.starts_with(&runner.path("temp").display().to_string()), "{binary}");

    // A machine with a persistent tool cache does not download again.
    assert_eq!(runner.run().code, 1);
    assert_eq!(server.requested_paths(), [format!("/v1.2.3/{ARCHIVE}")]);
}

#[test]
fn a_cached_archive_is_verified_again() {
    let (server, bytes) = (Server::new(), archive());
    server.file(&format!("/v1.2.3/{ARCHIVE}"), &bytes);
    let runner = machine(&release(&bytes), &server);
    fs::create_dir_all(runner.path("tools/aidd/1.2.3")).expect("made");
    runner.write(&format!("tools/aidd/1.2.3/{ARCHIVE}"), "not what was released");
    let outcome = runner.run();
    assert_eq!(outcome.code, 1, "{}", outcome.log);
    assert_eq!(server.requested_paths().len(), 1);
}

#[test]
fn an_archive_with_another_sha256_is_refused() {
    let (server, bytes) = (Server::new(), archive());
    server.file(&format!("/v1.2.3/{ARCHIVE}"), &bytes);
    let runner = machine(&release(b"what was released"), &server);
    let outcome = runner.run();
    assert_refused(&outcome, "does not have the expected sha256");
    assert!(!is_built(&runner) && runner.read("seen/args").is_empty());
    assert!(!runner.path(&format!("tools/aidd/1.2.3/{ARCHIVE}")).exists());
}

#[test]
fn a_commit_without_a_release_is_built() {
    let server = Server::new();
    let runner = machine("none\n", &server);
    let outcome = runner.run();
    assert_eq!(outcome.code, 1, "{}", outcome.log);
    let steps =
        ["Get the release", "Restore the build", "Build from source", "Keep the build", "aidd"];
    assert_eq!(outcome.steps, steps);
    assert_eq!(runner.read("seen/cargo"), "build --release --locked --bin aidd\n");
    let folder = fs::canonicalize(runner.path("action")).expect("a folder");
    assert_eq!(runner.read("seen/cargo-folder"), format!("{}\n", folder.display()));
    assert_eq!(server.requested_paths(), [""; 0]);

    // The same source is not built again; changed source is.
    fs::remove_file(runner.path("seen/cargo")).expect("removed");
    assert_eq!(runner.run().code, 1);
    assert!(!is_built(&runner));
    runner.write("action/src/main.rs", "fn main() { }\n");
    assert_eq!(runner.run().code, 1);
    assert!(is_built(&runner));
}

#[test]
fn a_cached_build_is_not_stored_again() {
    let runner = machine("none\n", &Server::new()).with_cache();
    let outcome = runner.run();
    assert!(!outcome.steps.contains(&"Keep the build".to_owned()), "{:?}", outcome.steps);
}

#[test]
fn an_unreleased_version_is_built() {
    let (server, bytes) = (Server::new(), archive());
    let runner = machine(&release(&bytes), &server);
    let outcome = runner.run();
    assert_eq!(outcome.code, 1, "{}", outcome.log);
    assert!(
        is_built(&runner) && outcome.log.contains(" not found; building it"),
        "{}",
        outcome.log
    );

    for (os, arch) in [("Linux", "ARM"), ("Linux", "ARM64")] {
        let runner = machine(&release(&bytes), &server).with_platform(os, arch);
        let outcome = runner.run();
        assert_eq!(outcome.code, 1, "{}", outcome.log);
        assert!(is_built(&runner));
    }
}

#[test]
fn a_server_error_is_not_a_reason_to_build() {
    let (server, bytes) = (Server::new(), archive());
    server.serve(&format!("/v1.2.3/{ARCHIVE}"), ResponseTemplate::new(403));
    let runner = machine(&release(&bytes), &server);
    assert_refused(&runner.run(), "HTTP status 403");
    assert!(!is_built(&runner));
}

#[test]
fn another_version_is_verified_with_its_own_checksums() {
    let (server, bytes) = (Server::new(), archive());
    server.file(&format!("/v2.0.0/{ARCHIVE}"), &bytes);
    server.file("/v2.0.0/sha256.sum", format!("{} *{ARCHIVE}\n", sha256(&bytes)).as_bytes());
    let runner = machine("none\n", &server).with_input("version", "v2.0.0");
    let outcome = runner.run();
    assert_eq!(outcome.code, 1, "{}", outcome.log);
    assert!(outcome.log.contains("comes from the release itself"), "{}", outcome.log);
    assert!(!is_built(&runner));

    server.file("/v2.0.1/sha256.sum", format!("{} *{ARCHIVE}\n", sha256(b"")).as_bytes());
    server.file(&format!("/v2.0.1/{ARCHIVE}"), &bytes);
    let runner = machine("none\n", &server).with_input("version", "2.0.1");
    assert_refused(&runner.run(), "does not have the expected sha256");
}

#[test]
fn an_unavailable_version_is_refused() {
    let (server, bytes) = (Server::new(), archive());
    for (version, why) in [
        ("3.0.0", "release 3.0.0 not found"),
        ("latest", "is not of the form 1.2.3"),
        ("1.2", "is not of the form 1.2.3"),
        ("1.2.3/../../x", "is not of the form 1.2.3"),
        ("$(touch pwned)", "is not of the form 1.2.3"),
    ] {
        let runner = machine(&release(&bytes), &server).with_input("version", version);
        assert_refused(&runner.run(), why);
        assert!(!is_built(&runner) && !runner.path("work/pwned").exists());
    }
    let runner =
        machine("none\n", &server).with_input("version", "1.2.3").with_platform("Linux", "ARM");
    assert_refused(&runner.run(), "not released for Linux on ARM");
}

/// Stamps the checkout as the release workflow does, with a list of checksums as written by
/// cargo-dist.
#[test]
#[expect(clippy::disallowed_methods, reason = "a script of the release workflow")]
fn a_stamped_checkout_runs_the_release() {
    let (server, bytes) = (Server::new(), archive());
    server.file(&format!("/v1.2.3/{ARCHIVE}"), &bytes);
    let runner = machine("none\n", &server);
    let list = format!("{} *{ARCHIVE}\n{} *aidd-installer.sh\n\n", sha256(&bytes), sha256(b"x"));
    runner.write("sha256.sum", &list);
    let stamp = |tag: &str| {
        let mut stamp = Command::new(runner.path("action/.github/action/stamp.sh"));
        stamp.arg(tag).arg(runner.path("sha256.sum")).status().expect("run").code()
    };
    assert_eq!(stamp("v1.2"), Some(2));
    assert_eq!(stamp("v1.2.3"), Some(0));
    let stamped = runner.read("action/.github/action/release");
    assert_eq!(stamped, format!("# A comment.\n1.2.3\n{} *{ARCHIVE}\n", sha256(&bytes)));
    let outcome = runner.run();
    assert_eq!(outcome.code, 1, "{}", outcome.log);
    assert!(!is_built(&runner));
}

#[test]
fn a_source_build_can_be_requested() {
    let (server, bytes) = (Server::new(), archive());
    server.file(&format!("/v1.2.3/{ARCHIVE}"), &bytes);
    let runner = machine(&release(&bytes), &server).with_input("version", "source");
    assert_eq!(runner.run().code, 1);
    assert!(is_built(&runner));
    assert_eq!(server.requested_paths(), [""; 0]);
}

#[test]
fn without_cargo_the_remedy_is_printed() {
    let runner = Runner::new("none\n");
    for tool in ["bash", "dirname", "grep", "head", "tr", "find", "sort", "xargs", "cat", "cut"] {
        link(&runner, tool);
    }
    link(&runner, "sha256sum");
    let outcome = runner.with_only_its_path().run();
    assert_eq!(outcome.code, 2, "{}", outcome.log);
    assert!(outcome.log.contains("install Rust in an earlier step"), "{}", outcome.log);
}

/// Links a tool of this machine into the `PATH` of the runner.
fn link(runner: &Runner, tool: &str) {
    let paths = std::env::var("PATH").expect("a path");
    let found = paths.split(':').map(|folder| format!("{folder}/{tool}"));
    let found = found.into_iter().find(|path| fs::exists(path).unwrap_or_default());
    let found = found.unwrap_or_else(|| panic!("{tool} is not in PATH"));
    std::os::unix::fs::symlink(found, runner.path("bin").join(tool)).expect("linked");
}
