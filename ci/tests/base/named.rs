//! An explicit base, and runs without an event.

use crate::base::*;
use insta::assert_snapshot;

fn find_explicit(clone: &Repository, rev: &str) -> SearchResult {
    find_with(
        clone,
        &Event::default(),
        SearchInput { explicit: Some(rev), ..SearchInput::default() },
    )
}

#[test]
fn a_base_can_be_a_branch_a_tag_or_a_commit_that_must_be_fetched() {
    let (server, fork) = server(4);
    server.git(&["tag", "plain", &fork]);
    server.git(&["tag", "--annotate", "--message", "x", "annotated", &fork]);
    for depth in [&SHALLOW[..], &[]] {
        let find_rev = |rev: &str| find_explicit(&checkout(&server, "topic", depth), rev);
        find_rev("main").expect_base(&fork, "merge base of main and HEAD");
        find_rev("origin/main").expect_base(&fork, "merge base of origin/main and HEAD");
        find_rev("refs/heads/main").expect_base(&fork, "merge base of refs/heads/main and HEAD");
        find_rev(&server.rev("main"))
            .expect_base(&fork, &format!("merge base of {} and HEAD", server.rev("main")));
        find_rev("plain").expect_base(&fork, "given as plain");
        find_rev("annotated").expect_base(&fork, "given as annotated");
        find_rev("HEAD~1").expect_base(&server.rev("topic~1"), "given as HEAD~1");
        find_rev("HEAD^").expect_base(&server.rev("topic^"), "given as HEAD^");
        find_rev("HEAD~5").expect_base(&fork, "given as HEAD~5");
        find_rev("HEAD").expect_base(&server.rev("topic"), "given as HEAD");
    }
}

#[test]
fn an_unknown_base_is_an_error_or_leads_to_a_full_check() {
    let (server, _) = server(1);
    let clone = checkout(&server, "topic", &SHALLOW);
    let errors = ["nowhere", "--upload-pack=x", "a..b", "HEAD~99", "nowhere^{tree}"]
        .map(|rev| find_explicit(&clone, rev).base.expect_err("refused"));
    assert_snapshot!(errors.join("\n"), @"
    unknown commit `nowhere`: not a branch or tag of the remote either
    hint: fetch it first, or check out with `fetch-depth: 0`
    unknown commit `--upload-pack=x`: not a branch or tag of the remote either
    hint: fetch it first, or check out with `fetch-depth: 0`
    unknown commit `a..b`: not a branch or tag of the remote either
    hint: fetch it first, or check out with `fetch-depth: 0`
    unknown commit `HEAD~99`: not a branch or tag of the remote either
    hint: fetch it first, or check out with `fetch-depth: 0`
    unknown commit `nowhere^{tree}`: not a branch or tag of the remote either
    hint: fetch it first, or check out with `fetch-depth: 0`
    ");
    let input = SearchInput { explicit: Some("nowhere"), no_base: NoBase::Full, compare: None };
    let why = "unknown commit `nowhere`: not a branch or tag of the remote either";
    find_with(&clone, &Event::default(), input).expect_whole_tree(why);
}

#[test]
fn without_an_event_the_default_branch_is_guessed() {
    let (server, fork) = server(2);
    let clone = server.cloned(&["--branch=topic"]);
    find(&clone, &Event::default()).expect_base(&fork, "merge base of origin/HEAD and HEAD");
    clone.git(&["remote", "set-head", "origin", "--delete"]);
    find(&clone, &Event::default()).expect_base(&fork, "merge base of origin/main and HEAD");
    // A clone of one branch does not contain the default branch, but the server does.
    let clone = checkout(&server, "topic", &SHALLOW);
    find(&clone, &Event::default()).expect_base(&fork, "merge base of the default branch and HEAD");
    // On the default branch itself, there is nothing to compare.
    let result = find(&server.cloned(&[]), &Event::default());
    assert_snapshot!(result.base.expect_err("refused"), @"
    nothing to compare: HEAD is part of origin/HEAD
    hint: set another commit with --base, such as HEAD~1, or check everything with --no-base full
    ");
    let without_remote = Repository::new();
    without_remote.commit(&[("a.txt", "one\n")]);
    assert_snapshot!(find(&without_remote, &Event::default()).base.expect_err("refused"), @"
    nothing to compare: HEAD is part of main
    hint: set another commit with --base, such as HEAD~1, or check everything with --no-base full
    ");
    without_remote.git(&["branch", "-m", "work"]);
    assert_snapshot!(find(&without_remote, &Event::default()).base.expect_err("refused"), @"
    no commit to compare with: the clone has no remote to fetch from
    hint: set one with --base, or check everything with --no-base full
    ");
    without_remote.git(&["config", "init.defaultBranch", "trunk"]);
    let trunk = without_remote.rev("HEAD");
    without_remote.git(&["branch", "trunk"]);
    without_remote.commits(1);
    find(&without_remote, &Event::default()).expect_base(&trunk, "merge base of trunk and HEAD");
}

#[test]
fn without_a_repository_or_commit_there_is_no_base() {
    let log = &mut |_: &str| {};
    let mut search = |root: &std::path::Path, no_base| {
        base::find(&crate::DISTRIBUTION, root, &Event::default(), None, no_base, None, log)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let error = search(folder.path(), NoBase::Error).expect_err("refused").to_string();
    assert!(error.contains("is not in a Git repository"), "{error}");
    let found = search(folder.path(), NoBase::Full).expect("found");
    assert!(matches!(found.against, BaseChoice::WholeTree { .. }));
    let empty = Repository::new();
    let error = search(empty.root(), NoBase::Error).expect_err("refused").to_string();
    assert_eq!(
        error,
        "the repository has no commit yet\nhint: run `aidd check .`, which needs no commit and checks all files"
    );
}
