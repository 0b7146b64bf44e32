//! Tests of the language server with real clients: each client opens the same files, shows the
//! findings of the command line with the same ids at the same columns, applies a fix, and shows that
//! the finding disappears.
//!
//! `lsp/tests/editors/install` installs the clients. A test whose client is missing prints a note
//! and passes; with `AIDD_REQUIRE_EDITORS=1` it fails.

use serde_json::Value;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: [&str; 4] = ["Dockerfile", "deploy.env", "crlf.txt", "notes.txt"];
/// Location of the fix: the second finding of the file is on the second line, after text whose
/// width differs between the encodings.
const FIX: &str = "notes.txt:2";
const FIXED: &str = "😀𝒳 é teal 😀 blue";

const TREE: [(&str, &str); 7] = [
    (".aidd/config.json", "{}\n"),
    ("Dockerfile", "FROM node:latest\n# 😀 é\nRUN echo '𝒳😀' && sudo ls && cd /tmp\n"),
    ("deploy.env", "NAME=😀𝒳\n𝒳=\"😀é😀\" TOKEN=tok_0123456789ab # 😀\n"),
    ("crlf.txt", "one\r\n😀 blue\r\n"),
    ("notes.txt", "plain blue\n😀𝒳 é blue 😀 blue\n"),
    (
        "rules/old-colour.md",
        "---\nseverity: warning\nmessage: \"`<match>` is last year's\"\ncheck:\n  files: [\"*.txt\"]\n  text:\n    regex: 'blue'\n    keywords: [blue]\n  fix: { replace: teal, safe: true }\n---\n# team/old-colour\n\nPaint it teal.\n",
    ),
    (
        "rules/deploy-token.md",
        "---\nseverity: error\nmessage: \"a token of the deployment\"\ncheck:\n  text:\n    regex: 'tok_[0-9a-f]{12}'\n    keywords: [tok_]\n---\n# team/deploy-token\n\nKeep it in the vault.\n",
    ),
];

/// The directory that `lsp/tests/editors/install` creates.
fn editors() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    target.join("editors")
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("lsp/tests/editors")
}

/// An installed client; prints a note if it is missing.
fn client(name: &str) -> Option<PathBuf> {
    let found = Some(editors().join("bin").join(name)).filter(|path| path.exists());
    if found.is_none() {
        report_missing(name);
    }
    found
}

/// Prints that a client is not tested, directly to standard error, because the test runner captures
/// other output.
fn report_missing(name: &str) {
    let text = format!("{name} is missing; install it with lsp/tests/editors/install");
    assert!(env::var_os("AIDD_REQUIRE_EDITORS").is_none(), "{text}");
    let _ = writeln!(std::io::stderr(), "skipped: {text}");
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in TREE {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }
    folder
}

/// The findings of the command line for a file, in the format of the drivers.
#[expect(clippy::disallowed_methods, reason = "the binary under test, and its clients")]
fn cli_findings(root: &Path, file: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_aidd"))
        .args(["check", file, "--format", "json"])
        .current_dir(root)
        .output()
        .expect("it runs");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = fs::read_to_string(root.join(file)).expect("text");
    let line = |finding: &Value| {
        let at = |end: &str, key: &str| finding[end][key].as_u64().expect("a number");
        let offset = |end| usize::try_from(at(end, "offset")).expect("a small number");
        let marked = text[offset("start")..offset("end")].lines().next().unwrap_or_default();
        let word = |key: &str| finding[key].as_str().expect("text").to_owned();
        let (line, column) = (at("start", "line"), at("start", "column"));
        let rest = format!("{} {} {} {marked}", word("rule"), word("severity"), word("id"));
        format!("{file}:{line}:{column} {rest}")
    };
    let mut lines: Vec<String> =
        json["findings"].as_array().expect("a list").iter().map(line).collect();
    lines.sort();
    lines
}

/// Runs a driver, and compares the findings that its editor shows with those of the command line.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "the binary under test, and its clients")]
fn assert_shows_and_fixes<T: AsRef<OsStr>>(program: &Path, args: &[T]) {
    let folder = project();
    let root = folder.path().canonicalize().expect("a folder");
    let mut expected: Vec<String> =
        FILES.iter().flat_map(|file| cli_findings(&root, file)).collect();
    assert!(expected.len() >= 6, "{expected:?}");
    let state = tempfile::tempdir().expect("a folder");
    let out = state.path().join("out.txt");
    let process = Command::new(program)
        .args(args)
        .current_dir(&root)
        .env("AIDD_SERVER", concat!(env!("CARGO_BIN_EXE_aidd"), "\nlsp"))
        .env("AIDD_ROOT", &root)
        .env("AIDD_FILES", FILES.join("\n"))
        .env("AIDD_FIX", FIX)
        .env("AIDD_OUT", &out)
        .env("AIDD_EDITORS", editors())
        .env("HOME", state.path())
        .env("XDG_STATE_HOME", state.path())
        .env("XDG_CACHE_HOME", state.path())
        .output()
        .expect("it runs");
    let output = fs::read_to_string(&out).unwrap_or_default();
    expected.extend(["-- fixed".to_owned(), FIXED.to_owned()]);
    expected.extend(cli_findings(&root, "notes.txt"));
    let output: Vec<&str> = output.lines().collect();
    let words = String::from_utf8_lossy(&process.stderr);
    assert!(output == expected, "seen: {output:#?}\nexpected: {expected:#?}\n{words}");
}

/// Neovim runs its script from the command line; 0.7 does not support `-l`.
fn check_neovim(name: &str) {
    let Some(program) = client(name) else { return };
    let script = format!("luafile {}", scripts().join("neovim.lua").display());
    assert_shows_and_fixes(
        &program,
        &["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", &script],
    );
}

#[test]
fn neovim_of_debian_shows_and_fixes_findings() {
    check_neovim("nvim");
}

/// The current release is only installed on x86-64.
#[test]
#[cfg(target_arch = "x86_64")]
fn current_neovim_shows_and_fixes_findings() {
    check_neovim("nvim-new");
}

#[test]
fn emacs_with_eglot_shows_and_fixes_findings() {
    let Some(program) = client("emacs") else { return };
    let script = scripts().join("eglot.el");
    assert_shows_and_fixes(&program, &["-Q", "--batch", "-l", &script.to_string_lossy()]);
}

#[test]
fn pytest_lsp_shows_and_fixes_findings_with_the_capabilities_of_each_editor() {
    let Some(program) = client("python") else { return };
    let script = scripts().join("reference.py");
    for editor in [
        "emacs@v29.1",
        "neovim@v0.6.1",
        "neovim@v0.7.0",
        "neovim@v0.10.0",
        "neovim@v0.11.0",
        "visual-studio-code@v1.65.2",
    ] {
        assert_shows_and_fixes(&program, &[script.as_os_str(), editor.as_ref()]);
    }
}

#[test]
fn the_reference_client_shows_and_fixes_findings_in_each_encoding() {
    let Some(program) = client("node") else { return };
    let script = scripts().join("protocol.mjs");
    for (encoding, delivery) in
        [("utf-8", "push"), ("utf-16", "push"), ("utf-16", "pull"), ("utf-32", "pull")]
    {
        assert_shows_and_fixes(
            &program,
            &[script.as_os_str(), encoding.as_ref(), delivery.as_ref()],
        );
    }
}
