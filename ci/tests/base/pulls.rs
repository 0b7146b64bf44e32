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
fn the_base_of_a_test_merge_is_its_first_parent_at_any_depth() {
    let (server, _) = server(3);
    let event = merged(&server);
    let main = server.rev("main");
    // The branch has newer commits than the merge.
    server.commits(2);
    for (depth, messages) in [("--depth=1", "fetching HASH (main)\n"), ("--depth=2", "")] {
        let clone = checkout(&server, "refs/pull/7/merge", &[depth]);
        let result = find(&clone, &event);
        result.expect_base(&main, "first parent of the merge commit");
        assert_eq!((result.head, &*result.messages), (None, messages));
        assert_eq!(clone.git(&["rev-parse", "--is-shallow-repository"]), "true");
    }
    let clone = checkout(&server, "refs/pull/7/merge", &[]);
    find(&clone, &event).expect_base(&main, "first parent of the merge commit");
    // The result is the same if the event names another commit, as a review event can.
    let event =
        Event { sha: None, trigger: Trigger::Other("pull_request_review".to_owned()), ..event };
    find(&clone, &event).expect_base(&main, "first parent of the merge commit");
}

#[test]
fn a_head_that_is_a_merge_commit_is_not_a_test_merge() {
    let (server, fork) = server(2);
    server.git(&["branch", "old", &fork]);
    server.git(&["switch", "--quiet", "topic"]);
    server.merge("main");
    let main = server.rev("main");
    let head = server.rev("topic");
    // Gitea and GitLab check out the head, and so does the checkout action if configured.
    let why = "merge base of main and the pull request";
    for sha in [Some(head.clone()), None] {
        let event = Event { sha, ..pull_request(&server, "topic") };
        find(&checkout(&server, "topic", &[]), &event).expect_base(&main, why);
        find(&checkout(&server, "topic", &SHALLOW), &event).expect_base(&main, why);
    }
    // The base in the event can be older than the commits merged since.
    let mut event = pull_request(&server, "topic");
    event.pull.as_mut().expect("a pull request").base_sha = fork;
    find(&checkout(&server, "topic", &SHALLOW), &event).expect_base(&main, why);
}

#[test]
fn a_pull_request_that_was_merged_is_compared_with_its_old_base() {
    let (server, fork) = server(2);
    let event = pull_request(&server, "topic");
    server.merge("topic");
    let clone = checkout(&server, "topic", &SHALLOW);
    find(&clone, &event).expect_base(&fork, "merge base of main and the pull request");
}

#[test]
fn the_base_from_gitlab_is_used_unless_a_test_merge_is_checked_out() {
    let (server, fork) = server(2);
    let mut event = merged(&server);
    event.system = System::GitLab;
    event.before = Some(fork.clone());
    let clone = checkout(&server, "refs/pull/7/merge", &SHALLOW);
    find(&clone, &event).expect_base(&server.rev("main"), "first parent of the merge commit");
    event.sha = Some(server.rev("topic"));
    let clone = checkout(&server, "topic", &SHALLOW);
    find(&clone, &event).expect_base(&fork, "base of the merge request");
}

#[test]
fn a_pull_request_target_run_fetches_the_head_without_checking_it_out() {
    let (server, fork) = server(5);
    // The commit of a fork is in no branch of the server.
    let head = server.rev("topic");
    server.git(&["update-ref", "refs/pull/7/head", "topic"]);
    server.git(&["branch", "--quiet", "-D", "topic"]);
    let event =
        Event { trigger: Trigger::PullRequestTarget, ..pull_request(&server, "refs/pull/7/head") };
    for depth in [&SHALLOW[..], &[]] {
        let clone = checkout(&server, "main", depth);
        let result = find(&clone, &event);
        result.expect_base(&fork, "merge base of main and the pull request");
        assert_eq!(result.head.as_ref(), Some(&head));
        assert_eq!(clone.git(&["show", &format!("{head}:topic.txt")]), "new");
        assert!(!clone.path("topic.txt").exists());
    }
    // Since 2025-12-08, the default branch is checked out, whatever the target branch.
    server.git(&["branch", "release", &fork]);
    server.git(&["switch", "--quiet", "--orphan", "other"]);
    server.commit(&[("c.txt", "one\n")]);
    let mut event = event;
    event.pull.as_mut().expect("a pull request").base_ref = "release".to_owned();
    let result = find(&checkout(&server, "other", &SHALLOW), &event);
    result.expect_base(&fork, "merge base of release and the pull request");
    // With an explicit base, the head is the same.
    let input = SearchInput { explicit: Some("main"), ..SearchInput::default() };
    let result = find_with(&checkout(&server, "main", &SHALLOW), &event, input);
    result.expect_base(&fork, "merge base of main and HEAD");
    assert_eq!(result.head.as_ref(), Some(&head));
    // If the head cannot be fetched, the checkout is not used instead.
    event.pull.as_mut().expect("a pull request").head_sha = "1".repeat(40);
    let input = SearchInput { no_base: NoBase::Full, ..SearchInput::default() };
    let result = find_with(&checkout(&server, "main", &SHALLOW), &event, input);
    let error = result.base.expect_err("refused");
    assert!(error.starts_with("git fetch: fatal: "), "{error}");
}

#[test]
fn a_merge_group_is_compared_with_the_base_from_its_event() {
    let (server, _) = server(1);
    let main = server.rev("main");
    let group = server.merge("topic");
    server.commits(1);
    let event =
        Event { before: Some(main.clone()), sha: Some(group), ..event(Trigger::MergeGroup) };
    let clone = checkout(&server, "main", &SHALLOW);
    let result = find(&clone, &event);
    result.expect_base(&main, "base of the merge group");
    assert_eq!(result.messages, "fetching HASH (the base of the merge group)\n");
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
        let input = SearchInput { no_base: NoBase::Full, ..SearchInput::default() };
        let why = "nothing to compare: HASH is already part of main";
        find_with(&clone, &event, input).expect_whole_tree(why);
    }
    server.git(&["switch", "--quiet", "--create", "empty", "main"]);
    server.commits(1);
    let result = find(&checkout(&server, "empty", &SHALLOW), &pull_request(&server, "empty"));
    result.expect_base(&server.rev("main"), "merge base of main and the pull request");
    assert!(result.messages.ends_with("the pull request changes no file\n"), "{}", result.messages);
}
