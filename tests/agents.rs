//! The agent door with a client that is not ours: the protocol's SDK for Python goes through an
//! agent's day, in both eras of the protocol.
//!
//! `mcp/tests/clients/install` fetches it. Without it the tests say so and pass; with
//! `AIDD_REQUIRE_CLIENTS=1` they fail.
#![expect(clippy::disallowed_methods, reason = "the client and Git are programs of their own")]

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python that has the SDK; else says that it is missing.
fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let bin = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let python = target.join("clients/venv").join(bin);
    if python.exists() {
        return Some(python);
    }
    let text = "the SDK for Python is missing; mcp/tests/clients/install fetches it";
    assert!(env::var_os("AIDD_REQUIRE_CLIENTS").is_none(), "{text}");
    let _ = writeln!(std::io::stderr(), "skipped: {text}");
    None
}

fn git(root: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
    assert!(git.args(args).status().expect("Git runs").success(), "{args:?}");
}

fn day(mode: &str) {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("shop");
    std::fs::create_dir(&root).expect("made");
    git(&root, &["init", "-q", "-b", "main"]);
    std::fs::write(root.join("refund.ts"), "export const refund = 1n;\n").expect("written");
    let aidd = env!("CARGO_BIN_EXE_aidd");
    let init = Command::new(aidd).arg("init").current_dir(&root).output().expect("aidd runs");
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "feat: a shop"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp/tests/clients/day.py");
    let done = Command::new(python).arg(script).args([aidd]).arg(&root).arg(mode).output();
    let done = done.expect("Python runs");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}{err}");
    assert_eq!(out.trim(), "the day is over");
}

#[test]
fn a_day_without_handshake() {
    day("auto");
}

#[test]
fn a_day_with_handshake() {
    day("legacy");
}
