//! Pull requests and merge queues.

use crate::base::*;
use aidd_ci::event::System;
use insta::assert_snapshot;

/// The test merge of `topic` into `main`, and its event.
fn merged(server: &Repository) -> Event {
    server.git(&["switch", "--quiet", "--detach", "main"]);
    let merge = server.merge("topic");
    server.git(&["update-ref", "refs/pull/7/merge", "HEAD"]);
    server.git(&["switch", "--quiet", "main"]);
    let git_ref = Some("refs/pull/7/merge".to_owned());
    Event { sha: Some(merge), git_ref, ..pull_request(server, "topic") }
}

#[test]
fn the_merge_commit_names_its_base_at_any_depth() {
    let (server, _) = server(3);
    let event = merged(&server);
    let main = server.rev("main");
    // The branch has newer commits than the merge.
    server.commits(2);
    for (depth, said) in [("--depth=1", "fetching HASH (main)\n"), ("--depth=2", "")] {
        let clone = checkout(&server, "refs/pull/7/merge", &[depth]);
        let ran = find(&clone, &event);
        ran.is(&main, "first parent of the merge commit");
        assert_eq!((ran.head, &*ran.messages), (None, said));
        assert_eq!(clone.git(&["rev-parse", "--is-shallow-repository"]), "true");
    }
    let clone = checkout(&server, "refs/pull/7/merge", &[]);
    find(&clone, &event).is(&main, "first parent of the merge commit");
    // Even if the event names another commit, as that of a review can.
    let event =
        Event { sha: None, trigger: Trigger::Other("pull_request_review".to_owned()), ..event };
    find(&clone, &event).is(&main, "first parent of the merge commit");
}

#[test]
fn a_head_that_is_a_merge_itself_is_no_trial_merge() {
    let (server, fork) = server(2);
    server.git(&["branch", "old", &fork]);
    server.git(&["switch", "--quiet", "topic"]);
    server.merge("main");
    let main = server.rev("main");
    let head = server.rev("topic");
    // Gitea and GitLab check the head, as does the checkout action if configured.
    let why = "merge base of main and the pull request";
    for sha in [Some(head.clone()), None] {
        let event = Event { sha, ..pull_request(&server, "topic") };
        find(&checkout(&server, "topic", &[]), &event).is(&main, why);
        find(&checkout(&server, "topic", &SHALLOW), &event).is(&main, why);
    }
    // The event can name a base older than the commits merged since.
    let mut event = pull_request(&server, "topic");
    event.pull.as_mut().expect("one").base_sha = fork;
    find(&checkout(&server, "topic", &SHALLOW), &event).is(&main, why);
}

#[test]
fn a_pull_request_that_was_merged_is_compared_with_its_old_base() {
    let (server, fork) = server(2);
    let event = pull_request(&server, "topic");
    server.merge("topic");
    let clone = checkout(&server, "topic", &SHALLOW);
    find(&clone, &event).is(&fork, "merge base of main and the pull request");
}

#[test]
fn gitlab_says_the_base_unless_it_has_merged() {
    let (server, fork) = server(2);
    let mut event = merged(&server);
    event.system = System::GitLab;
    event.before = Some(fork.clone());
    let clone = checkout(&server, "refs/pull/7/merge", &SHALLOW);
    find(&clone, &event).is(&server.rev("main"), "first parent of the merge commit");
    event.sha = Some(server.rev("topic"));
    let clone = checkout(&server, "topic", &SHALLOW);
    find(&clone, &event).is(&fork, "base of the merge request");
}

#[test]
fn a_target_is_compared_with_a_head_that_is_fetched_and_not_checked_out() {
    let (server, fork) = server(5);
    // The commit of a fork is in no branch of the server.
    let head = server.rev("topic");
    server.git(&["update-ref", "refs/pull/7/head", "topic"]);
    server.git(&["branch", "--quiet", "-D", "topic"]);
    let event =
        Event { trigger: Trigger::PullRequestTarget, ..pull_request(&server, "refs/pull/7/head") };
    for depth in [&SHALLOW[..], &[]] {
        let clone = checkout(&server, "main", depth);
        let ran = find(&clone, &event);
        ran.is(&fork, "merge base of main and the pull request");
        assert_eq!(ran.head.as_ref(), Some(&head));
        assert_eq!(clone.git(&["show", &format!("{head}:topic.txt")]), "new");
        assert!(!clone.path("topic.txt").exists());
    }
    // Since 2025-12-08, the default branch is checked out, whatever the target branch.
    server.git(&["branch", "release", &fork]);
    server.git(&["switch", "--quiet", "--orphan", "other"]);
    server.commit(&[("c.txt", "one\n")]);
    let mut event = event;
    event.pull.as_mut().expect("one").base_ref = "release".to_owned();
    let ran = find(&checkout(&server, "other", &SHALLOW), &event);
    ran.is(&fork, "merge base of release and the pull request");
    // With an explicit commit, the head is the same.
    let ask = SearchInput { explicit: Some("main"), ..SearchInput::default() };
    let ran = find_with(&checkout(&server, "main", &SHALLOW), &event, ask);
    ran.is(&fork, "merge base of main and HEAD");
    assert_eq!(ran.head.as_ref(), Some(&head));
    // A head that cannot be fetched is never replaced by the checkout.
    event.pull.as_mut().expect("one").head_sha = "1".repeat(40);
    let ask = SearchInput { no_base: NoBase::Full, ..SearchInput::default() };
    let ran = find_with(&checkout(&server, "main", &SHALLOW), &event, ask);
    let error = ran.base.expect_err("refused");
    assert!(error.starts_with("git fetch: fatal: "), "{error}");
}

#[test]
fn a_merge_group_names_its_base() {
    let (server, _) = server(1);
    let main = server.rev("main");
    let group = server.merge("topic");
    server.commits(1);
    let event =
        Event { before: Some(main.clone()), sha: Some(group), ..event(Trigger::MergeGroup) };
    let clone = checkout(&server, "main", &SHALLOW);
    let ran = find(&clone, &event);
    ran.is(&main, "base of the merge group");
    assert_eq!(ran.messages, "fetching HASH (the base of the merge group)\n");
    let clone = checkout(&server, &main, &SHALLOW);
    assert_snapshot!(find(&clone, &event).base.expect_err("refused"), @"
    nothing to compare: the base of the merge group is checked out
    hint: check out the merge group, as the checkout action does by default
    ");
}

#[test]
fn an_empty_comparison_is_refused_unless_the_pull_request_is_empty() {
    let (server, _) = server(1);
    let event = Event { sha: Some(server.rev("main")), ..pull_request(&server, "topic") };
    let clone = checkout(&server, "main", &SHALLOW);
    assert_snapshot!(find(&clone, &event).base.expect_err("refused"), @"
    nothing to compare: HASH is already part of main
    hint: check out the merge commit of the pull request, as the checkout action does by default, or its head HASH
    ");
    for depth in [&SHALLOW[..], &[]] {
        let clone = checkout(&server, "main", depth);
        let ask = SearchInput { no_base: NoBase::Full, ..SearchInput::default() };
        let why = "nothing to compare: HASH is already part of main";
        find_with(&clone, &event, ask).is_whole(why);
    }
    server.git(&["switch", "--quiet", "--create", "empty", "main"]);
    server.commits(1);
    let ran = find(&checkout(&server, "empty", &SHALLOW), &pull_request(&server, "empty"));
    ran.is(&server.rev("main"), "merge base of main and the pull request");
    assert!(ran.messages.ends_with("the pull request changes no file\n"), "{}", ran.messages);
}
