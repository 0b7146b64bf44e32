//! Tests of incomplete clones and unusual files.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::{Runner, payload};
use crate::pull_requests::support::{project, run};
use crate::repository::Repository;
use insta::assert_snapshot;
use std::fs;

/// A pull request that edits, renames, adds and removes files.
fn edited_pull_request() -> PullRequest {
    let text = "one\ntwo\nthree\nblue\nfive\nsix\nseven\n";
    let files = [("a/b.txt", "blue old\n"), ("c/old.txt", text), ("d/gone.txt", "blue gone\n")];
    PullRequest::new(&files, |server| {
        server.write("a/b.txt", "zero\nblue old\nblue new\n");
        server.git(&["mv", "c/old.txt", "c/new.txt"]);
        server.write("c/new.txt", format!("zero\n{text}blue eight\n"));
        server.write("e/added.txt", "blue added\n");
        server.git(&["rm", "--quiet", "d/gone.txt"]);
    })
}

#[test]
fn a_sparse_checkout_gives_the_complete_report() {
    let scene = edited_pull_request();
    let expected = scene.standard_runner().ci_summary(&[]);
    assert_snapshot!(expected, @"
    exit 1, (first parent of the merge commit)
    a/b.txt:2 team/colour pre-existing: already present on line 1 of the base
    a/b.txt:3 team/colour new: this change added or changed the line
    c/new.txt:5 team/colour pre-existing: already present on line 4 of the base
    c/new.txt:9 team/colour new: this change added or changed the line
    e/added.txt:1 team/colour new: the file is new
    d/gone.txt:1 team/colour fixed: the file was removed
    ");
    let clone = scene.checkout(&scene.merge, &["--depth=1"]);
    clone.git(&["sparse-checkout", "set", "--no-cone", "/rules/", "/a/"]);
    assert!(!clone.path("e/added.txt").exists());
    assert_eq!(scene.runner(clone).ci_summary(&[]), expected);
}

#[test]
fn a_sparse_checkout_of_the_default_branch_reports_missing_files() {
    let scene = edited_pull_request();
    let clone = scene.checkout(&scene.merge, &["--depth=1"]);
    clone.git(&["sparse-checkout", "set", "--no-cone", "/rules/", "/a/"]);
    let values = [("ref", "refs/heads/main"), ("before", &*scene.base), ("after", &scene.merge)];
    let runner = Runner::github(clone, "push", "refs/heads/main", &payload("push.json", &values));
    assert_snapshot!(runner.ci_summary(&[]), @"
    exit 1, (commit before the push), all files
    Not checked, because not checked out: 2 changed files
    a/b.txt:2 team/colour pre-existing: already present on line 1 of the base
    a/b.txt:3 team/colour new: this change added or changed the line
    d/gone.txt:1 team/colour fixed: the file was removed
    ");
}

/// A partial clone of a pull request that contains only the blobs of the checked-out commit.
fn without_blobs(scene: &PullRequest, commit: &str) -> Repository {
    let clone = scene.server.cloned(&["--filter=blob:none", "--no-checkout"]);
    clone.git(&["fetch", "--quiet", "--filter=blob:none", "origin", commit]);
    clone.git(&["checkout", "--quiet", "--detach", commit]);
    clone
}

#[test]
fn missing_blobs_are_fetched() {
    let scene = edited_pull_request();
    let expected = scene.standard_runner().ci_summary(&[]);
    let clone = without_blobs(&scene, &scene.merge);
    let missing = "rev-list --objects --missing=print HEAD^1".split(' ').collect::<Vec<_>>();
    assert!(clone.git(&missing).contains('?'), "the clone must lack the blobs of the base");
    assert_eq!(scene.runner(clone).ci_summary(&[]), expected);
    // If the checkout is also sparse, the blobs of the head are missing too.
    let clone = scene.server.cloned(&["--filter=blob:none", "--no-checkout"]);
    clone.git(&["fetch", "--quiet", "--filter=blob:none", "origin", &scene.merge]);
    clone.git(&["sparse-checkout", "set", "--no-cone", "/rules/"]);
    clone.git(&["checkout", "--quiet", "--detach", &scene.merge]);
    assert_eq!(scene.runner(clone).ci_summary(&[]), expected);
}

#[test]
fn missing_blobs_of_the_head_are_fetched() {
    let mut scene = edited_pull_request();
    let target = |scene: &PullRequest, clone: Repository| {
        let event = scene.payload("pull_request_target.json");
        Runner::github(clone, "pull_request_target", "refs/heads/main", &event).ci_summary(&[])
    };
    let expected = target(&scene, scene.checkout(&scene.base, &["--depth=1"]));
    assert_snapshot!(expected, @"
    exit 1, (merge base of main and the pull request)
    a/b.txt:2 team/colour pre-existing: already present on line 1 of the base
    a/b.txt:3 team/colour new: this change added or changed the line
    c/new.txt:5 team/colour pre-existing: already present on line 4 of the base
    c/new.txt:9 team/colour new: this change added or changed the line
    e/added.txt:1 team/colour new: the file is new
    d/gone.txt:1 team/colour fixed: the file was removed
    ");
    assert_eq!(target(&scene, without_blobs(&scene, &scene.base)), expected);
    // The checked-out commit does not contain the newest settings of the target.
    let checked_out = scene.base.clone();
    scene.push_to_target(&[(".aidd/config.json", r#"{ "exclude": ["e/"] }"#)]);
    let report = target(&scene, without_blobs(&scene, &checked_out));
    assert!(!report.contains("e/added.txt") && report.contains("a/b.txt:3"), "{report}");
}

#[test]
fn blobs_that_cannot_be_fetched_are_an_error() {
    let scene = edited_pull_request();
    let clone = without_blobs(&scene, &scene.merge);
    clone.git(&["remote", "set-url", "origin", "file:///nowhere"]);
    let output = scene.runner(clone).ci(&[]);
    assert_eq!((output.code, &*output.out), (2, ""));
    assert!(output.err.contains("git fetch"), "{}", output.err);
}

#[test]
fn a_submodule_is_not_entered() {
    let inner = project(&[("inner.txt", "blue\n")]);
    let scene = PullRequest::new(&[("a.txt", "a\n")], |server| {
        let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
        server.git(&[&add[..], &[&*inner.url(), "sub"]].concat());
        server.write("a.txt", "blue\n");
    });
    assert_snapshot!(scene.standard_runner().ci_summary(&[]), @"
    exit 1, (first parent of the merge commit)
    a.txt:1 team/colour new: this change added or changed the line
    ");
    let clone = scene.checkout(&scene.merge, &["--depth=1"]);
    clone.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"]);
    assert!(clone.path("sub/inner.txt").exists());
    assert_snapshot!(scene.runner(clone).ci_summary(&[]), @"
    exit 1, (first parent of the merge commit)
    a.txt:1 team/colour new: this change added or changed the line
    ");
}

#[test]
fn line_endings_of_the_work_tree_are_not_a_change() {
    let scene = PullRequest::standard();
    let clone = scene.checkout(&scene.merge, &["--depth=1"]);
    for file in ["a.txt", "theirs.txt"] {
        let text = fs::read_to_string(clone.path(file)).expect("text");
        clone.write(file, text.replace('\n', "\r\n"));
    }
    assert_eq!(scene.runner(clone).ci_summary(&[]), scene.standard_runner().ci_summary(&[]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_supported() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let old = OsStr::from_bytes(b"caf\xE9/old.txt");
    let new = OsStr::from_bytes(b"caf\xE9/\xFF new.txt");
    let scene = PullRequest::new(&[("a.txt", "a\n")], |server| server.write(new, "blue new\n"));
    assert_snapshot!(scene.standard_runner().ci_summary(&[]), @"
    exit 1, (first parent of the merge commit)
    caf�/� new.txt:1 team/colour new: the file is new
    ");
    let server = project(&[]);
    server.write(old, "blue old\n");
    server.commit(&[]);
    server.write(old, "zero\nblue old\nblue new\n");
    server.commit(&[]);
    let runner = Runner::new(server);
    let expected = runner.ci_summary(&["--base", "HEAD~1"]);
    assert_snapshot!(expected, @"
    exit 1, (given as HEAD~1)
    caf�/old.txt:2 team/colour pre-existing: already present on line 1 of the base
    caf�/old.txt:3 team/colour new: this change added or changed the line
    ");
    // With `--scope all`, the file whose name is not UTF-8 is not reported as missing from the
    // checkout.
    let report = runner.ci_summary(&["--base", "HEAD~1", "--scope", "all"]);
    assert!(report.contains("old.txt:3") && !report.contains("checked out"), "{report}");
    // `--shard` and Markdown, which renders file names as links, also support the name.
    let file = runner.file("report.md").display().to_string();
    assert_eq!(runner.ci(&["--base", "HEAD~1", "--output", &file, "--shard", "1/1"]).code, 1);
    assert!(runner.text("report.md").contains("old.txt:3"));
}

/// The report on `a.txt`, which had two findings, after its text is replaced with `content`.
fn report_after_change(content: &[u8], config: &str) -> String {
    let server = project(&[("a.txt", "blue\nblue too\n"), (".aidd/config.json", config)]);
    server.write("a.txt", content);
    server.commit(&[]);
    Runner::new(server).ci_summary(&["--base", "HEAD~1"])
}

#[test]
fn findings_in_unchecked_files_are_not_reported_as_fixed() {
    assert_snapshot!(report_after_change(b"\0\0\0", "{}"), @"exit 0, (given as HEAD~1)");
    let large = "x".repeat(2000);
    let limit = r#"{ "maxFileSize": 1000 }"#;
    assert_snapshot!(report_after_change(large.as_bytes(), limit), @"exit 0, (given as HEAD~1)");
    assert_snapshot!(report_after_change(b"", "{}"), @"
    exit 0, (given as HEAD~1)
    a.txt:1 team/colour fixed: the line was changed or removed
    a.txt:2 team/colour fixed: the line was changed or removed
    ");
}

#[test]
fn findings_on_unchanged_lines_are_not_new_after_a_skipped_base() {
    let large = format!("blue\n{}\nblue too\n", "x\n".repeat(1000));
    let config = r#"{ "maxFileSize": 1000 }"#;
    let server = project(&[("a.txt", &large), (".aidd/config.json", config)]);
    server.commit(&[("a.txt", "blue\nblue new\nblue too\n")]);
    assert_snapshot!(Runner::new(server).ci_summary(&["--base", "HEAD~1"]), @"
    exit 1, (given as HEAD~1)
    a.txt:1 team/colour pre-existing: the line is unchanged; the base was checked only in part
    a.txt:2 team/colour new: this change added or changed the line
    a.txt:3 team/colour pre-existing: the line is unchanged; the base was checked only in part
    ");
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let scene =
        PullRequest::new(&[("a.txt", "blue\n")], |server| server.write("a.txt", "one\nblue\n"));
    let clone = scene.checkout(&scene.merge, &["--depth=1"]);
    let path = clone.path("a.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).expect("set");
    // Root can read the file despite its mode.
    let readable = fs::read(&path).is_ok();
    let report = scene.runner(clone).ci_summary(&[]);
    assert!(!report.contains("fixed"), "{report}");
    let expected = if readable { "exit 0" } else { "exit 3" };
    assert!(report.starts_with(expected), "{report}");
    assert_eq!(report.contains("a.txt cannot be read"), !readable, "{report}");
}

#[test]
fn programs_named_in_the_repository_are_not_run_and_the_clone_is_unchanged() {
    let scene = PullRequest::standard();
    let clone = scene.checkout(&scene.merge, &["--depth=1"]);
    let mark = clone.path(".git/ran");
    let touch = format!("touch {}", mark.display());
    clone.write(".git/hooks/post-checkout", format!("#!/bin/sh\n{touch}\n"));
    for key in ["core.fsmonitor", "filter.x.smudge", "diff.external", "core.sshCommand"] {
        clone.git(&["config", key, &touch]);
    }
    clone.write("untracked.txt", "blue\n");
    let state = |clone: &Repository| {
        (clone.rev("HEAD"), clone.git(&["-c", "core.fsmonitor=false", "status", "--porcelain"]))
    };
    let before = state(&clone);
    let runner = scene.runner(clone);
    assert!(!runner.ci_summary(&[]).contains("untracked"));
    assert_eq!(state(&runner.clone), before);
    assert!(!mark.exists(), "a program named in the repository's settings ran");
    assert!(run(&runner.clone, &["ci", "merge", "a.txt"]).status.code() == Some(2));
}
