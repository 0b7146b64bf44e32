//! `aidd check --diff`, `--changed` and `--staged`.

use crate::pull_requests::support::{check, command, lines, project, run};
use crate::repository::Repository;
use insta::assert_snapshot;

#[test]
fn each_finding_has_a_status_with_its_reason() {
    let repository = project(&[
        ("a.txt", "one\nblue two\nthree\nblue four\nfive\nblue six\n"),
        ("gone.txt", "blue gone\nblue travels far\n"),
    ]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository.git(&["rm", "--quiet", "gone.txt"]);
    repository.commit(&[
        ("a.txt", "zero\none\nblue two\n  blue six\nthree\nblue four, edited\nbluebell\n"),
        ("b.txt", "blue travels far\nblue is new\n# aidd:allow team/colour the sky\nblue sky\n"),
    ]);
    assert_snapshot!(check(&repository, &["--diff", "main"]), @"
    a.txt:3 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour moved: moved from line 6 of the base
    a.txt:6 team/colour pre-existing: the line was changed around the finding; already present on line 4 of the base
    a.txt:7 team/colour new: this change added or changed the line
    b.txt:1 team/colour moved: moved from `gone.txt`, line 2 of the base
    b.txt:2 team/colour new: the file is new
    b.txt:4 team/colour allowed: the sky
    gone.txt:1 team/colour fixed: the file was removed
    ");
    let output = run(&repository, &["check", ".", "--diff", "main"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_renamed_file_keeps_its_findings() {
    let text = "one\ntwo\nthree\nblue\nfive\nsix\nseven\n";
    let repository = project(&[("old/name.txt", text), ("same.txt", "blue\nblue\n")]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository.git(&["mv", "old/name.txt", "new.txt"]);
    repository.git(&["mv", "same.txt", "moved.txt"]);
    repository.commit(&[("new.txt", &format!("zero\n{text}blue eight\n"))]);
    assert_snapshot!(check(&repository, &["--diff", "main"]), @"
    moved.txt:1 team/colour pre-existing: already present on line 1 of the base
    moved.txt:2 team/colour pre-existing: already present on line 2 of the base
    new.txt:5 team/colour pre-existing: already present on line 4 of the base
    new.txt:9 team/colour new: this change added or changed the line
    ");
}

#[test]
fn the_base_is_the_merge_base_also_after_a_merge() {
    let repository = project(&[("a.txt", "a\n")]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository.commit(&[("mine.txt", "blue\n")]);
    repository.git(&["switch", "--quiet", "main"]);
    repository.commit(&[("theirs.txt", "blue\n"), ("a.txt", "a\nblue\n")]);
    repository.git(&["switch", "--quiet", "topic"]);
    let before = check(&repository, &["--diff", "main"]);
    repository.merge("main");
    assert_eq!(check(&repository, &["--diff", "main"]), before);
    assert_snapshot!(before, @"mine.txt:1 team/colour new: the file is new");
}

#[test]
fn the_head_includes_the_work_tree_and_untracked_files() {
    let repository = project(&[("a.txt", "blue\n"), (".gitignore", "ignored/\n")]);
    repository.write("a.txt", "green\nblue\n");
    repository.write("untracked/b.txt", "blue\n");
    repository.write("ignored/c.txt", "blue\n");
    let changed = check(&repository, &["--changed"]);
    assert_snapshot!(changed, @"
    a.txt:2 team/colour pre-existing: already present on line 1 of the base
    untracked/b.txt:1 team/colour new: the file is new
    ");
    assert_eq!(check(&repository, &["--diff", "HEAD"]), changed);
}

#[test]
fn the_index_is_checked_instead_of_the_work_tree() {
    let repository = project(&[("a.txt", "a\n"), ("b.txt", "blue\n")]);
    repository.write("a.txt", "a\nblue staged\n");
    repository.git(&["add", "a.txt"]);
    repository.write("a.txt", "a\nblue work tree\n");
    repository.write("b.txt", "blue\nblue\n");
    assert_snapshot!(check(&repository, &["--staged"]), @"a.txt:2 team/colour new: this change added or changed the line");
    repository.git(&["rm", "--quiet", "--cached", "b.txt"]);
    assert_snapshot!(check(&repository, &["--staged"]), @"
    a.txt:2 team/colour new: this change added or changed the line
    b.txt:1 team/colour fixed: the file was removed
    ");
}

#[test]
fn the_first_commit_is_compared_with_nothing() {
    let repository = Repository::new();
    repository.write(crate::pull_requests::support::RULE.0, crate::pull_requests::support::RULE.1);
    repository.write("a.txt", "blue\n");
    repository.git(&["add", "--all"]);
    assert_snapshot!(check(&repository, &["--staged"]), @"a.txt:1 team/colour new: the file is new");
}

#[test]
fn a_temporary_index_of_git_commit_is_used() {
    let repository = project(&[("a.txt", "a\n")]);
    repository.write("a.txt", "blue\n");
    repository.git(&["add", "a.txt"]);
    let mut command = command(&repository, "", &["check", ".", "--staged", "--format", "json"]);
    let output = command.env("GIT_INDEX_FILE", "no-such-index").output().expect("started");
    // Git treats a missing index as empty, so every file counts as deleted.
    assert_snapshot!(lines(&output), @"");
}

#[test]
fn line_endings_are_not_a_change() {
    let repository = project(&[("a.txt", "one\nblue\nthree\n")]);
    repository.write("a.txt", "one\r\nblue\r\nthree\r\nblue\r\n");
    assert_snapshot!(check(&repository, &["--changed"]), @"
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    ");
}

#[test]
fn submodules_and_links_are_not_entered() {
    let inner = project(&[("inner.txt", "blue\n")]);
    let repository = project(&[("a.txt", "a\n")]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    let url = inner.url();
    repository.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        "sub",
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.txt", repository.path("link.txt")).expect("linked");
    repository.commit(&[("b.txt", "blue\n")]);
    assert_snapshot!(check(&repository, &["--diff", "main"]), @"b.txt:1 team/colour new: the file is new");
}

#[test]
fn removing_an_allow_comment_makes_findings_new_and_adding_one_makes_them_allowed() {
    let repository =
        project(&[("a.txt", "# aidd:allow team/colour ours\nblue\nblue open\nlast\n")]);
    repository.write("a.txt", "blue\n# aidd:allow team/colour why not\nblue open\nlast\n");
    assert_snapshot!(check(&repository, &["--changed"]), @"
    a.txt:1 team/colour new: the comment that allowed it was removed
    a.txt:3 team/colour allowed: why not
    ");
}

#[test]
fn a_change_elsewhere_in_the_file_can_cause_a_finding() {
    let repository = project(&[(
        "Dockerfile",
        "FROM debian:12 AS build\nFROM debian:12\nCOPY --from=build /a /a\nUSER app\n",
    )]);
    repository.write(
        "Dockerfile",
        "FROM debian:12 AS other\nFROM debian:12\nCOPY --from=build /a /a\nUSER app\n",
    );
    let found = check(&repository, &["--changed", "--only", "dockerfile/*"]);
    assert!(found.contains("the line is unchanged; caused by a change elsewhere"), "{found}");
}

#[test]
fn a_project_in_a_subdirectory_has_relative_paths() {
    let repository = Repository::new();
    let (path, rule) = crate::pull_requests::support::RULE;
    repository.commit(&[
        ("app/.aidd/config.json", "{}"),
        (&format!("app/{path}"), rule),
        ("app/a.txt", "a\n"),
        ("b.txt", "b\n"),
    ]);
    repository.write("app/a.txt", "blue\n");
    repository.write("b.txt", "blue\n");
    let args = ["check", ".", "--changed", "--format", "json"];
    let output = command(&repository, "app", &args).output().expect("started");
    assert_snapshot!(lines(&output), @"a.txt:1 team/colour new: this change added or changed the line");
}

#[test]
fn only_the_requested_paths_are_checked() {
    let repository = project(&[("a/x.txt", "a\n"), ("ab/y.txt", "a\n")]);
    repository.write("a/x.txt", "blue\n");
    repository.write("ab/y.txt", "blue\n");
    let output = run(&repository, &["check", "a", "--changed", "--format", "json"]);
    assert_snapshot!(lines(&output), @"a/x.txt:1 team/colour new: this change added or changed the line");
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_supported() {
    use std::os::unix::ffi::OsStrExt;
    let repository = project(&[("a.txt", "a\n")]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xE9.txt");
    repository.write(name, "blue\n");
    repository.commit(&[]);
    repository.write(name, "green\nblue\nblue again\n");
    assert_snapshot!(check(&repository, &["--changed"]), @"
    caf�.txt:2 team/colour pre-existing: identical to line 1 of the base
    caf�.txt:3 team/colour new: the line does not exist in the base
    ");
}

#[test]
fn a_missing_base_is_an_error_with_a_hint() {
    let error_of = |repository: &Repository, args: &[&str]| {
        let output = run(repository, &[&["check", "."], args].concat());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("text")
    };
    let repository = project(&[("a.txt", "a\n")]);
    assert_snapshot!(error_of(&repository, &["--diff", "nowhere"]), @"
    error: unknown revision `nowhere`
    hint: run `git fetch` to update the remote branches, and `git branch --all` to list them
    ");
    assert_snapshot!(error_of(&repository, &["--base", "HEAD~40"]), @"
    error: unknown revision `HEAD~40`
    hint: the history may be shorter; `git rev-list --count HEAD` prints the number of commits
    ");
    repository.git(&["switch", "--quiet", "--orphan", "other"]);
    repository.commit(&[("b.txt", "b\n")]);
    assert_snapshot!(error_of(&repository, &["--diff", "main"]), @"
    error: `main` and HEAD have no common commit
    hint: pass an ancestor of the current commit
    ");
    assert_snapshot!(error_of(&repository, &["--diff", "main", "--staged"]), @"
    error: the argument '--diff <BASE>' cannot be used with '--staged'

    Usage: aidd check --diff <BASE> <PATHS>...

    For more information, try '--help'.
    ");
    let clone = repository.cloned(&["--depth=1", "--branch=other"]);
    assert_snapshot!(error_of(&clone, &["--diff", "HEAD~1"]), @"
    error: unknown revision `HEAD~1`
    hint: the clone is shallow and possibly limited to one branch; run `git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*'` to fetch the rest, or use `aidd ci --base origin/main`, which fetches the missing commits
    ");
}

#[test]
fn programs_named_in_a_repository_are_not_run() {
    let repository =
        project(&[("a.txt", "a\n"), (".gitattributes", "*.txt filter=evil diff=evil\n")]);
    let mark = repository.path(".git/ran");
    let touch = format!("touch {}", mark.display());
    for key in [
        "filter.evil.clean",
        "filter.evil.smudge",
        "diff.evil.textconv",
        "diff.evil.command",
        "core.fsmonitor",
    ] {
        repository.git(&["config", key, &touch]);
    }
    repository.write("a.txt", "blue\n");
    for args in [["--changed", "-q"], ["--staged", "-q"], ["--diff=HEAD", "-q"]] {
        run(&repository, &[&["check", "."], &args[..]].concat());
    }
    assert!(!mark.exists(), "a program named in the repository's settings ran");
}
