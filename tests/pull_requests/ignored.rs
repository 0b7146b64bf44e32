//! Tests that tracked files which match an ignore file are part of a change like any other file.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::Runner;
use crate::pull_requests::support::{check, lines, project, run};
use crate::repository::Repository;
use insta::assert_snapshot;

#[test]
fn a_force_added_file_is_part_of_the_change() {
    let scene =
        PullRequest::new(&[(".gitignore", "*.gen.txt\nbuild/\n"), ("a.txt", "a\n")], |server| {
            for path in ["evil.gen.txt", "build/deep/evil.txt"] {
                server.write(path, "blue evil\n");
                server.git(&["add", "--force", path]);
            }
        });
    assert_snapshot!(scene.standard_runner().ci_summary(&[]), @"
    exit 1, (first parent of the merge commit)
    build/deep/evil.txt:1 team/colour new: the file is new
    evil.gen.txt:1 team/colour new: the file is new
    ");
    let clone = scene.checkout(&scene.head, &[]);
    clone.git(&["branch", "main", &scene.fork]);
    let report = check(&clone, &["--diff", "main"]);
    assert_snapshot!(report, @"
    build/deep/evil.txt:1 team/colour new: the file is new
    evil.gen.txt:1 team/colour new: the file is new
    ");
    clone.git(&["reset", "--quiet", "--soft", &scene.fork]);
    assert_eq!(check(&clone, &["--staged"]), report);
    assert_eq!(check(&clone, &["--changed"]), report);
}

#[test]
fn findings_in_ignored_tracked_files_are_pre_existing() {
    let repository = project(&[("old.txt", "blue old\n")]);
    repository.write(".gitignore", "*.txt\n");
    repository.write("gen.txt", "blue gen\nmore\n");
    repository.git(&["add", "--force", ".gitignore", "gen.txt"]);
    repository.git(&["commit", "--quiet", "--message", "two"]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository.write("gen.txt", "zero\nblue gen\nmore\nbluebell\n");
    repository.write("untracked.txt", "blue\n");
    repository.git(&["commit", "--quiet", "--all", "--message", "three"]);
    assert_snapshot!(check(&repository, &["--diff", "main"]), @"
    gen.txt:2 team/colour pre-existing: already present on line 1 of the base
    gen.txt:4 team/colour new: this change added or changed the line
    ");
    // A push to the default branch checks all files.
    let args = ["ci", "--base", "main", "--scope", "all", "--format", "json"];
    let output = run(&repository, &args);
    assert_snapshot!(lines(&output), @"
    gen.txt:2 team/colour pre-existing: already present on line 1 of the base
    gen.txt:4 team/colour new: this change added or changed the line
    old.txt:1 team/colour pre-existing: the file did not change
    ");
}

#[test]
fn the_report_counts_excluded_changed_files() {
    let scene =
        PullRequest::new(&[(".aiddignore", "fixtures/\n"), ("fixtures/a.txt", "a\n")], |server| {
            server.write("fixtures/a.txt", "blue\n");
            server.write("fixtures/b.txt", "blue\n");
            server.write("c.txt", "c\n");
        });
    let runner = scene.standard_runner();
    assert_snapshot!(runner.ci_summary(&[]), @"
    exit 0, (first parent of the merge commit)
    2 changed files are excluded by `.aiddignore`
    ");
}

/// The event is `pull_request_target`, so the ignore files of the target apply.
#[test]
fn ignore_files_of_the_base_apply_to_an_untrusted_head() {
    let base = [(".aiddignore", "fixtures/\n"), (".gitignore", "*.gen.txt\n"), ("a.txt", "a\n")];
    let scene = PullRequest::new(&base, |server| {
        server.write(".aiddignore", "evil.txt\n");
        server.write("evil.txt", "blue evil\n");
        server.write("evil.gen.txt", "blue evil\n");
        server.write("fixtures/b.txt", "blue by intent\n");
        server.git(&["add", "--force", "evil.gen.txt"]);
    });
    let payload = scene.payload("pull_request_target.json");
    let runner = |clone: Repository| {
        Runner::github(clone, "pull_request_target", "refs/heads/main", &payload)
    };
    for commit in [&scene.base, &scene.head] {
        let runner = runner(scene.checkout(commit, &["--depth=1"]));
        insta::allow_duplicates!(assert_snapshot!(runner.ci_summary(&[]), @"
        exit 1, (merge base of main and the pull request)
        1 changed file is excluded by `.aiddignore`
        evil.gen.txt:1 team/colour new: the file is new
        evil.txt:1 team/colour new: the file is new
        "));
    }
}
