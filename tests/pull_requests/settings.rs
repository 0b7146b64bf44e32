//! Tests that programs named in a repository's Git configuration are not run, and that settings
//! required for a fetch still apply.
#![cfg(unix)]

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::Runner;
use crate::pull_requests::smart_http;
use crate::repository::Repository;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tempfile::TempDir;

/// Settings that name a program or make Git run one, with their values; `@` is replaced with the
/// program, and `&` with a directory that contains a program for every hook.
const PROGRAMS: [(&str, &str); 31] = [
    ("core.alternateRefsCommand", "@"),
    ("core.askPass", "@"),
    ("core.editor", "@"),
    ("core.fsmonitor", "@"),
    ("core.gitProxy", "@"),
    ("core.hooksPath", "&"),
    ("core.pager", "@"),
    ("core.sshCommand", "@"),
    ("core.untrackedCache", "true"),
    ("credential.helper", "!@"),
    ("diff.evil.command", "@"),
    ("diff.evil.textconv", "@"),
    ("diff.external", "@"),
    ("fetch.recurseSubmodules", "true"),
    ("filter.evil.clean", "@"),
    ("filter.evil.process", "@"),
    ("filter.evil.required", "true"),
    ("filter.evil.smudge", "@"),
    ("gc.auto", "1"),
    ("gpg.program", "@"),
    ("init.templateDir", "&"),
    ("log.showSignature", "true"),
    ("merge.evil.driver", "@"),
    ("pager.config", "@"),
    ("pager.log", "@"),
    ("protocol.ext.allow", "always"),
    ("remote.origin.receivepack", "@"),
    ("remote.origin.uploadpack", "@"),
    ("ssh.variant", "simple"),
    ("trace2.eventTarget", "@"),
    ("uploadpack.packObjectsHook", "@"),
];

/// Hooks that Git could run during these tests.
const HOOKS: [&str; 8] = [
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "pre-auto-gc",
    "pre-commit",
    "proc-receive",
    "reference-transaction",
    "update",
];

/// A program that records that it was run.
struct Marker {
    folder: TempDir,
}

impl Marker {
    fn new() -> Self {
        let marker = Self { folder: tempfile::tempdir().expect("a folder") };
        marker.write("program", "");
        for hook in HOOKS {
            marker.write(hook, "");
        }
        marker
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a program that records its run, and then runs the command `command`.
    fn write(&self, name: &str, command: &str) {
        let (path, mark) = (self.path(name), self.path("mark"));
        let text = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n{command}\n", mark.display());
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
    }

    fn value(&self, value: &str) -> String {
        let (program, folder) = (self.path("program"), self.folder.path());
        value.replace('@', &program.to_string_lossy()).replace('&', &folder.to_string_lossy())
    }

    /// The recorded runs since the last call.
    fn take_records(&self) -> String {
        let mark = fs::read_to_string(self.path("mark")).unwrap_or_default();
        let _ = fs::remove_file(self.path("mark"));
        mark
    }
}

/// A clone of a pull request's head that requires a fetch and whose configuration names the
/// recording program.
fn hostile_clone(scene: &PullRequest, marker: &Marker, included: bool) -> Repository {
    let clone = scene.checkout(&scene.head, &["--depth=1"]);
    clone.write(".git/info/attributes", "* filter=evil diff=evil merge=evil\n");
    for hook in HOOKS {
        fs::create_dir_all(clone.path(".git/hooks")).expect("made");
        fs::copy(marker.path(hook), clone.path(format!(".git/hooks/{hook}"))).expect("copied");
    }
    let file = clone.path(if included { ".git/included" } else { ".git/config" });
    if included {
        clone.git(&["config", "includeIf.gitdir:**.path", "included"]);
    }
    let file = file.to_string_lossy().into_owned();
    for (key, value) in PROGRAMS {
        clone.git(&["config", "--file", &file, key, &marker.value(value)]);
    }
    clone
}

#[test]
fn programs_named_in_a_repository_are_not_run() {
    for included in [false, true] {
        let scene = PullRequest::standard();
        let marker = Marker::new();
        let clone = hostile_clone(&scene, &marker, included);
        let files = [("staged.txt", "blue staged\n"), ("ai/memory/decisions.jsonl", "{}\n")];
        for (path, text) in files {
            clone.write(path, text);
        }
        let plain = ["-c", "filter.evil.clean=", "-c", "filter.evil.process="];
        let plain = [&plain[..], &["-c", "filter.evil.required=false"]].concat();
        clone.git(&[&plain[..], &["add", "staged.txt"]].concat());
        // The files and the index have the same timestamp, so Git must compare contents.
        clone.write("a.txt", "one\nblue old\nthree\nblue new\nblue more\n");
        marker.take_records();
        clone.run(&["status"]);
        assert!(!marker.take_records().is_empty(), "Git itself must run the configured programs");
        let runner = scene.runner(clone);
        let report = runner.ci_summary(&[]);
        assert_eq!(marker.take_records(), "");
        assert!(
            report.starts_with("exit 1, (merge base of main and the pull request)"),
            "{report}"
        );
        for args in [
            &["ci", "--base", "main"][..],
            &["check", "."],
            &["check", ".", "--diff", "HEAD"],
            &["check", ".", "--changed"],
            &["check", ".", "--staged"],
            &["generate", "commit-message"],
            &["hook", "status"],
            &["init"],
            &["memory", "doctor"],
            &["memory", "list"],
            &["memory", "search", "blue"],
            &["rule", "suggest"],
        ] {
            let output = runner.run_in("", args);
            assert_eq!(marker.take_records(), "", "{args:?}");
            assert!(!output.err.contains("not run"), "{args:?}: {}", output.err);
        }
    }
}

#[test]
fn a_url_that_names_a_program_is_rejected() {
    let scene = PullRequest::standard();
    let marker = Marker::new();
    let program = marker.path("program").to_string_lossy().into_owned();
    let ext = format!("ext::{program} %S");
    let url = scene.server.url();
    let cases: [&[(&str, &str)]; 5] = [
        &[("remote.origin.url", &ext)],
        &[(&format!("url.{ext}.insteadOf"), &url)],
        &[(&format!("url.{ext}.insteadOf"), "file://")],
        &[("remote.origin.vcs", "ext"), ("remote.origin.url", &program)],
        &[("remote.origin.url", "ssh://-oProxyCommand=x/y"), ("core.sshCommand", &program)],
    ];
    for settings in cases {
        let clone = scene.checkout(&scene.head, &["--depth=1"]);
        clone.git(&["config", "protocol.ext.allow", "always"]);
        for (key, value) in settings {
            clone.git(&["config", key, value]);
        }
        let output = scene.runner(clone).ci(&[]);
        assert_eq!(
            (output.code, marker.take_records().as_str()),
            (2, ""),
            "{settings:?}: {}",
            output.err
        );
        assert!(output.err.contains("hint: "), "{settings:?}: {}", output.err);
    }
}

#[test]
fn missing_objects_are_fetched_without_repository_programs() {
    let scene = PullRequest::standard();
    let marker = Marker::new();
    marker.write("program", "exec git-upload-pack \"$@\"");
    let clone = scene.server.cloned(&["--filter=tree:0", "--no-checkout"]);
    clone.git(&["fetch", "--quiet", "--filter=tree:0", "origin", &scene.merge]);
    clone.git(&["checkout", "--quiet", "--detach", &scene.merge]);
    let program = marker.value("@");
    clone.git(&["config", "remote.origin.uploadpack", &program]);
    let report = scene.runner(clone).ci_summary(&[]);
    assert_eq!(marker.take_records(), "");
    assert!(report.starts_with("exit 1, (first parent of the merge commit)"), "{report}");
}

#[test]
fn ignored_settings_are_reported() {
    let scene = PullRequest::standard();
    let clone = scene.checkout(&scene.head, &["--depth=1"]);
    clone.git(&["config", "core.sshCommand", "ssh -i key"]);
    let output = scene.runner(clone).ci(&[]);
    assert_eq!(output.code, 1, "{}", output.err);
    let note =
        "ignored, because a repository must not name programs: `core.sshcommand` in .git/config";
    assert!(output.err.contains(note), "{}", output.err);
    let clone = scene.checkout(&scene.head, &["--depth=1"]);
    clone.git(&["config", "remote.origin.uploadpack", "program"]);
    clone.git(&["remote", "set-url", "origin", "file:///nowhere"]);
    let output = scene.runner(clone).ci(&[]);
    let hint =
        "hint: ignored, because a repository must not name programs: `remote.origin.uploadpack`";
    assert!(output.code == 2 && output.err.contains(hint), "{}", output.err);
}

/// A clone of the pull request's head whose remote requires credentials.
fn private_clone(scene: &PullRequest) -> (Repository, String) {
    let url = smart_http::serve(scene.server.path(""), "AUTHORIZATION: basic c2VjcmV0");
    let clone = scene.checkout(&scene.head, &["--depth=1"]);
    clone.git(&["remote", "set-url", "origin", &format!("{url}repository")]);
    (clone, url)
}

fn assert_fetches(runner: &Runner) {
    let report = runner.ci_summary(&[]);
    assert!(report.starts_with("exit 1, (merge base of main and the pull request)"), "{report}");
    let names = fs::read_dir(runner.clone.path(".git")).expect("a folder");
    let names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with("aidd-")), "{names:?}");
}

#[test]
fn credentials_of_the_checkout_action_are_used() {
    let scene = PullRequest::standard();
    let (clone, _) = private_clone(&scene);
    let output = scene.runner(clone).ci(&[]);
    assert_eq!(output.code, 2, "the remote requires credentials");
    // The credentials are in the configuration of the repository.
    let (clone, url) = private_clone(&scene);
    let header = "AUTHORIZATION: basic c2VjcmV0";
    clone.git(&["config", &format!("http.{url}.extraheader"), header]);
    assert_fetches(&scene.runner(clone));
    // The credentials are in a separate file, which the configuration includes for this directory.
    let (clone, url) = private_clone(&scene);
    let files = tempfile::tempdir().expect("a folder");
    let file = files.path().join("git-credentials.config").to_string_lossy().into_owned();
    clone.git(&["config", "--file", &file, &format!("http.{url}.extraheader"), header]);
    let directory = clone.path(".git").canonicalize().expect("a folder");
    let directory = directory.to_string_lossy();
    clone.git(&["config", &format!("includeIf.gitdir:{directory}.path"), &file]);
    assert_fetches(&scene.runner(clone));
    // The credentials are set for a URL that replaces the URL of the remote.
    let (clone, url) = private_clone(&scene);
    let address = format!("{url}repository");
    clone.git(&["config", &format!("http.{url}.extraheader"), header]);
    clone.git(&["remote", "set-url", "origin", "https://git.example.org/repository"]);
    clone.git(&[
        "config",
        &format!("url.{address}.insteadOf"),
        "https://git.example.org/repository",
    ]);
    assert_fetches(&scene.runner(clone));
}

#[test]
fn settings_of_the_user_are_used() {
    let scene = PullRequest::standard();
    let (clone, url) = private_clone(&scene);
    let files = tempfile::tempdir().expect("a folder");
    let (user, included) = (files.path().join("user"), files.path().join("included"));
    let directory = clone.root().canonicalize().expect("a folder");
    let text = format!(
        "[includeIf \"gitdir:{}/\"]\n\tpath = {}\n",
        directory.display(),
        included.display()
    );
    fs::write(&user, text).expect("written");
    let header = "AUTHORIZATION: basic c2VjcmV0";
    let text = format!("[http \"{url}\"]\n\textraheader = {header}\n");
    fs::write(&included, text).expect("written");
    let runner = scene.runner(clone);
    assert_fetches(&runner.set("GIT_CONFIG_GLOBAL", &user.to_string_lossy()));
}
