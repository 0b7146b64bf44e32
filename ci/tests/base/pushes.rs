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
        let ran = find(&checkout(&server, "main", depth), &push("main", Some(&before)));
        ran.is(&before, "commit before the push");
    }
}

#[test]
fn a_new_branch_is_compared_with_the_default_branch() {
    let (server, fork) = server(6);
    let why = "merge base of main and HEAD";
    for depth in [&SHALLOW[..], &[]] {
        find(&checkout(&server, "topic", depth), &push("topic", None)).is(&fork, why);
    }
    server.git(&["branch", "bare", "main"]);
    let ran = find(&checkout(&server, "bare", &SHALLOW), &push("bare", None));
    ran.is(&server.rev("main"), why);
    assert_eq!(ran.messages, "all commits are already part of main\n");
}

#[test]
fn a_forced_push_of_a_branch_is_compared_with_the_default_branch() {
    let (server, fork) = server(2);
    let old = server.rev("topic");
    server.git(&["switch", "--quiet", "topic"]);
    server.git(&["reset", "--quiet", "--hard", &fork]);
    server.commit(&[("other.txt", "new\n")]);
    let event = Event { forced: true, ..push("topic", Some(&old)) };
    let why = "merge base of main and HEAD";
    find(&checkout(&server, "topic", &SHALLOW), &event).is(&fork, why);
    find(&checkout(&server, "topic", &[]), &event).is(&fork, why);
    // In a full clone, the forced push is detected even if the event does not report it.
    find(&checkout(&server, "topic", &[]), &push("topic", Some(&old))).is(&fork, why);
    // The server can have deleted the old commit.
    let event = push("topic", Some(&"1".repeat(40)));
    let ran = find(&checkout(&server, "topic", &SHALLOW), &event);
    ran.is(&fork, why);
    assert!(ran.messages.contains("not our ref"), "{}", ran.messages);
}

#[test]
fn a_forced_push_of_the_default_branch_is_compared_with_the_merge_base_of_old_and_new() {
    let (server, fork) = server(2);
    let old = server.rev("main");
    server.git(&["reset", "--quiet", "--hard", &fork]);
    server.commit(&[("other.txt", "new\n")]);
    let event = Event { forced: true, ..push("main", Some(&old)) };
    let why = "merge base of HEAD and main as it was before the forced push";
    find(&checkout(&server, "main", &SHALLOW), &event).is(&fork, why);
    let event = Event { forced: true, ..push("main", Some(&"1".repeat(40))) };
    let ran = find(&checkout(&server, "main", &SHALLOW), &event);
    ran.is_whole("the commit before the push to main no longer exists");
}

#[test]
fn the_first_push_checks_all_files() {
    let server = Repository::new();
    server.commit(&[("a.txt", "one\n")]);
    let ran = find(&checkout(&server, "main", &SHALLOW), &push("main", None));
    ran.is_whole("this is the first push to main");
}

#[test]
fn events_without_a_change_check_all_files() {
    let (server, _) = server(1);
    let clone = checkout(&server, "main", &SHALLOW);
    let of = |trigger| {
        let ran = find(&clone, &event(trigger));
        assert_eq!(ran.base, Err("whole tree".to_owned()));
        ran.why
    };
    let release = Trigger::Other("release".to_owned());
    let why = [Trigger::Schedule, Trigger::Dispatch, Trigger::WorkflowRun, release].map(of);
    assert_snapshot!(why.join("\n"), @"
    a scheduled run checks everything
    a run started by hand checks everything
    the run was triggered by another workflow
    the event `release` contains no change
    ");
    let tag = Event { git_ref: Some("refs/tags/v1".to_owned()), ..event(Trigger::Push) };
    find(&clone, &tag).is_whole("the tag v1 was pushed");
    // Unless a commit is set explicitly.
    let ask = SearchInput { explicit: Some("HEAD~1"), ..SearchInput::default() };
    find_with(&clone, &tag, ask).is(&server.rev("main~1"), "given as HEAD~1");
}
