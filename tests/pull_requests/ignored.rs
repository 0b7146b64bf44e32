//! Tracked files that match an ignore file are part of a change like any other file.

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
    let of_head = check(&clone, &["--diff", "main"]);
    assert_snapshot!(of_head, @"
    build/deep/evil.txt:1 team/colour new: the file is new
    evil.gen.txt:1 team/colour new: the file is new
    ");
    clone.git(&["reset", "--quiet", "--soft", &scene.fork]);
    assert_eq!(check(&clone, &["--staged"]), of_head);
    assert_eq!(check(&clone, &["--changed"]), of_head);
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
    let whole = ["ci", "--base", "main", "--scope", "all", "--format", "json"];
    let ran = run(&repository, &whole);
    assert_snapshot!(lines(&ran), @"
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

/// `pull_request_target`: the ignore files of the target apply.
#[test]
fn for_an_untrusted_head_the_ignore_files_of_the_base_apply() {
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
