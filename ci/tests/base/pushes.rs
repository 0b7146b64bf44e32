//! Pushes, and events without changes.

use crate::base::*;
use insta::assert_snapshot;

fn push(branch: &str, before: Option<&str>) -> Event {
    Event {
        git_ref: Some(format!("refs/heads/{branch}")),
        before: before.map(str::to_owned),
        ..event(Trigger::Push)
    }
}

#[test]
fn a_push_is_compared_with_the_commit_before_it() {
    let (server, _) = server(1);
    let before = server.rev("main");
    server.commits(3);
    for depth in [&SHALLOW[..], &[]] {
        let result = find(&checkout(&server, "main", depth), &push("main", Some(&before)));
        result.expect_base(&before, "commit before the push");
    }
}

#[test]
fn a_new_branch_is_compared_with_the_default_branch() {
    let (server, fork) = server(6);
    let why = "merge base of main and HEAD";
    for depth in [&SHALLOW[..], &[]] {
        find(&checkout(&server, "topic", depth), &push("topic", None)).expect_base(&fork, why);
    }
    server.git(&["branch", "bare", "main"]);
    let result = find(&checkout(&server, "bare", &SHALLOW), &push("bare", None));
    result.expect_base(&server.rev("main"), why);
    assert_eq!(result.messages, "all commits are already part of main\n");
}

#[test]
fn a_forced_push_to_a_branch_is_compared_with_the_default_branch() {
    let (server, fork) = server(2);
    let old = server.rev("topic");
    server.git(&["switch", "--quiet", "topic"]);
    server.git(&["reset", "--quiet", "--hard", &fork]);
    server.commit(&[("other.txt", "new\n")]);
    let event = Event { forced: true, ..push("topic", Some(&old)) };
    let why = "merge base of main and HEAD";
    find(&checkout(&server, "topic", &SHALLOW), &event).expect_base(&fork, why);
    find(&checkout(&server, "topic", &[]), &event).expect_base(&fork, why);
    // In a full clone, the forced push is detected even if the event does not report it.
    find(&checkout(&server, "topic", &[]), &push("topic", Some(&old))).expect_base(&fork, why);
    // The server can have deleted the old commit.
    let event = push("topic", Some(&"1".repeat(40)));
    let result = find(&checkout(&server, "topic", &SHALLOW), &event);
    result.expect_base(&fork, why);
    assert!(result.messages.contains("not our ref"), "{}", result.messages);
}

#[test]
fn a_forced_push_to_the_default_branch_is_compared_with_the_merge_base_of_old_and_new() {
    let (server, fork) = server(2);
    let old = server.rev("main");
    server.git(&["reset", "--quiet", "--hard", &fork]);
    server.commit(&[("other.txt", "new\n")]);
    let event = Event { forced: true, ..push("main", Some(&old)) };
    let why = "merge base of HEAD and main as it was before the forced push";
    find(&checkout(&server, "main", &SHALLOW), &event).expect_base(&fork, why);
    let event = Event { forced: true, ..push("main", Some(&"1".repeat(40))) };
    let result = find(&checkout(&server, "main", &SHALLOW), &event);
    result.expect_whole_tree("the commit before the push to main no longer exists");
}

#[test]
fn the_first_push_checks_all_files() {
    let server = Repository::new();
    server.commit(&[("a.txt", "one\n")]);
    let result = find(&checkout(&server, "main", &SHALLOW), &push("main", None));
    result.expect_whole_tree("this is the first push to main");
}

#[test]
fn events_without_a_change_check_all_files() {
    let (server, _) = server(1);
    let clone = checkout(&server, "main", &SHALLOW);
    let reason = |trigger| {
        let result = find(&clone, &event(trigger));
        assert_eq!(result.base, Err("whole tree".to_owned()));
        result.why
    };
    let release = Trigger::Other("release".to_owned());
    let why = [Trigger::Schedule, Trigger::Dispatch, Trigger::WorkflowRun, release].map(reason);
    assert_snapshot!(why.join("\n"), @"
    a scheduled run checks everything
    a run started by hand checks everything
    the run was triggered by another workflow
    the event `release` contains no change
    ");
    let tag = Event { git_ref: Some("refs/tags/v1".to_owned()), ..event(Trigger::Push) };
    find(&clone, &tag).expect_whole_tree("the tag v1 was pushed");
    // If a base is set explicitly, it is used.
    let input = SearchInput { explicit: Some("HEAD~1"), ..SearchInput::default() };
    find_with(&clone, &tag, input).expect_base(&server.rev("main~1"), "given as HEAD~1");
}
