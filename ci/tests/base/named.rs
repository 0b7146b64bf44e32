//! An explicit base, and runs without an event.

use crate::base::*;
use insta::assert_snapshot;

fn named(clone: &Repository, rev: &str) -> SearchResult {
    find_with(
        clone,
        &Event::default(),
        SearchInput { explicit: Some(rev), ..SearchInput::default() },
    )
}

#[test]
fn a_base_can_be_a_branch_a_tag_or_a_commit_that_is_not_here_yet() {
    let (server, fork) = server(4);
    server.git(&["tag", "plain", &fork]);
    server.git(&["tag", "--annotate", "--message", "x", "annotated", &fork]);
    for depth in [&SHALLOW[..], &[]] {
        let at = |rev: &str| named(&checkout(&server, "topic", depth), rev);
        at("main").is(&fork, "merge base of main and HEAD");
        at("origin/main").is(&fork, "merge base of origin/main and HEAD");
        at("refs/heads/main").is(&fork, "merge base of refs/heads/main and HEAD");
        at(&server.rev("main"))
            .is(&fork, &format!("merge base of {} and HEAD", server.rev("main")));
        at("plain").is(&fork, "given as plain");
        at("annotated").is(&fork, "given as annotated");
        at("HEAD~1").is(&server.rev("topic~1"), "given as HEAD~1");
        at("HEAD^").is(&server.rev("topic^"), "given as HEAD^");
        at("HEAD~5").is(&fork, "given as HEAD~5");
        at("HEAD").is(&server.rev("topic"), "given as HEAD");
    }
}

#[test]
fn a_base_that_is_nowhere_is_an_error_or_the_whole_tree() {
    let (server, _) = server(1);
    let clone = checkout(&server, "topic", &SHALLOW);
    let said = ["nowhere", "--upload-pack=x", "a..b", "HEAD~99", "nowhere^{tree}"]
        .map(|rev| named(&clone, rev).base.expect_err("refused"));
    assert_snapshot!(said.join("\n"), @"
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
    let ask = SearchInput { explicit: Some("nowhere"), no_base: NoBase::Full, compare: None };
    let why = "unknown commit `nowhere`: not a branch or tag of the remote either";
    find_with(&clone, &Event::default(), ask).is_whole(why);
}

#[test]
fn without_an_event_the_default_branch_is_guessed() {
    let (server, fork) = server(2);
    let clone = server.cloned(&["--branch=topic"]);
    find(&clone, &Event::default()).is(&fork, "merge base of origin/HEAD and HEAD");
    clone.git(&["remote", "set-head", "origin", "--delete"]);
    find(&clone, &Event::default()).is(&fork, "merge base of origin/main and HEAD");
    // A clone of one branch does not contain the default branch; the server does.
    let clone = checkout(&server, "topic", &SHALLOW);
    find(&clone, &Event::default()).is(&fork, "merge base of the default branch and HEAD");
    // Commits that are already on it have nothing to compare.
    let ran = find(&server.cloned(&[]), &Event::default());
    assert_snapshot!(ran.base.expect_err("refused"), @"
    nothing to compare: HEAD is part of origin/HEAD
    hint: set another commit with --base, such as HEAD~1, or check everything with --no-base full
    ");
    let lonely = Repository::new();
    lonely.commit(&[("a.txt", "one\n")]);
    assert_snapshot!(find(&lonely, &Event::default()).base.expect_err("refused"), @"
    nothing to compare: HEAD is part of main
    hint: set another commit with --base, such as HEAD~1, or check everything with --no-base full
    ");
    lonely.git(&["branch", "-m", "work"]);
    assert_snapshot!(find(&lonely, &Event::default()).base.expect_err("refused"), @"
    no commit to compare with: the clone has no remote to fetch from
    hint: set one with --base, or check everything with --no-base full
    ");
    lonely.git(&["config", "init.defaultBranch", "trunk"]);
    let trunk = lonely.rev("HEAD");
    lonely.git(&["branch", "trunk"]);
    lonely.commits(1);
    find(&lonely, &Event::default()).is(&trunk, "merge base of trunk and HEAD");
}

#[test]
fn without_a_repository_or_commit_there_is_nothing_to_compare_with() {
    let say = &mut |_: &str| {};
    let mut of = |root: &std::path::Path, no_base| {
        base::find(&crate::DISTRIBUTION, root, &Event::default(), None, no_base, None, say)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let error = of(folder.path(), NoBase::Error).expect_err("refused").to_string();
    assert!(error.ends_with("is not in a Git repository"), "{error}");
    let found = of(folder.path(), NoBase::Full).expect("found");
    assert!(matches!(found.against, BaseChoice::WholeTree { .. }));
    let empty = Repository::new();
    let error = of(empty.root(), NoBase::Error).expect_err("refused").to_string();
    assert_eq!(
        error,
        "the repository has no commit yet\nhint: run `aidd check .`, which needs no commit and checks all files"
    );
}
