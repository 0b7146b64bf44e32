//! Tests of the agent server with an independent client: scripts that use the protocol's Python SDK
//! run agent sessions, call every tool, and start the server from the files that `aidd init` writes.
//!
//! `mcp/tests/clients/install` installs the SDK. If the SDK is missing, the tests print a note and
//! pass; with `AIDD_REQUIRE_CLIENTS=1` they fail. The files that `aidd init` writes are checked without
//! the SDK.
#![expect(clippy::disallowed_methods, reason = "the client and Git are external programs")]

mod normalize;
mod sessions;
mod set_up;
mod tools;

use std::env;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const AIDD: &str = env!("CARGO_BIN_EXE_aidd");

/// The path of the Python interpreter with the SDK; prints a note and returns `None` if it is missing.
fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let bin = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let python = target.join("clients/venv").join(bin);
    if python.exists() {
        return Some(python);
    }
    let text = "the SDK for Python is missing; install it with mcp/tests/clients/install";
    assert!(env::var_os("AIDD_REQUIRE_CLIENTS").is_none(), "{text}");
    let _ = writeln!(std::io::stderr(), "skipped: {text}");
    None
}

/// The output of a script in `mcp/tests/clients`; `None` if the SDK is missing.
fn script(name: &str, args: &[&str]) -> Option<String> {
    script_with_input(name, args, "", &env::var_os("PATH").unwrap_or_default())
}

/// The output of a script with `input` as standard input and `path` as `PATH`.
fn script_with_input(name: &str, args: &[&str], input: &str, path: &OsStr) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp/tests/clients").join(name);
    let mut python = Command::new(python()?);
    python.arg(script).args(args).env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONUTF8", "1");
    // When all tests run, every processor is busy, and a hook could time out.
    python.env("AIDD_HOOK_LIMIT", "120");
    for name in ["AIDD_ROOT", "AIDD_MCP_PROFILE", "AIDD_MCP_TOKEN", "AIDD_CONFIG"] {
        python.env_remove(name);
    }
    python.env("PATH", path).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = python.spawn().expect("Python runs");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("Python ends");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name} {args:?}\n{err}");
    Some(out.into_owned())
}

/// A path as an argument of a script.
fn as_argument(path: &Path) -> &str {
    path.to_str().expect("a UTF-8 path")
}

fn git(root: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
    assert!(git.args(args).status().expect("Git runs").success(), "{args:?}");
}

/// A repository with a commit, set up by `aidd init`.
fn shop(folder: &Path) -> PathBuf {
    let root = folder.join("shop");
    std::fs::create_dir(&root).expect("made");
    git(&root, &["init", "-q", "-b", "main"]);
    std::fs::write(root.join("refund.ts"), "export const refund = 1n;\n").expect("written");
    let init = Command::new(AIDD).arg("init").current_dir(&root).output().expect("aidd runs");
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "feat: a shop"]);
    root
}

fn run_session(mode: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = shop(folder.path());
    let Some(output) = script("day.py", &[AIDD, as_argument(&root), mode]) else { return };
    assert_eq!(output.trim(), "all checks passed");
}

#[test]
fn a_session_works_without_handshake() {
    run_session("auto");
}

#[test]
fn a_session_works_with_handshake() {
    run_session("legacy");
}
