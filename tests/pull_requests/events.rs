//! Tests of the commit that each event is compared with.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::{Runner, payload};
use crate::pull_requests::support::project;
use crate::repository::Repository;
use insta::assert_snapshot;

#[test]
fn a_pull_request_is_compared_with_its_target() {
    let scene = PullRequest::standard();
    let report = |depth: &[&str]| scene.runner(scene.checkout(&scene.merge, depth)).ci_summary(&[]);
    let expected = report(&[]);
    assert_snapshot!(expected, @"
    exit 1, (first parent of the merge commit)
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    gone.txt:1 team/colour fixed: the file was removed
    ");
    for depth in ["--depth=1", "--depth=2"] {
        assert_eq!(report(&[depth]), expected, "{depth}");
    }
}

#[test]
fn a_pull_request_head_is_compared_with_the_merge_base() {
    let scene = PullRequest::standard();
    let report = |depth: &[&str]| scene.runner(scene.checkout(&scene.head, depth)).ci_summary(&[]);
    let expected = report(&[]);
    assert_snapshot!(expected, @"
    exit 1, (merge base of main and the pull request)
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    gone.txt:1 team/colour fixed: the file was removed
    ");
    assert_eq!(report(&["--depth=1"]), expected);
}

#[test]
fn a_checked_out_target_has_nothing_to_compare() {
    let scene = PullRequest::standard();
    let output = scene.runner(scene.checkout(&scene.base, &["--depth=1"])).ci(&[]);
    assert_eq!(output.code, 2);
    assert_snapshot!(scene.with_commit_names(&output.err), @"
    error: nothing to compare: BASE1e7ed is already part of main
    hint: check out the merge commit of the pull request, as the checkout action does by default, or its head HEADf1544
    ");
}

#[test]
fn a_merge_group_is_compared_with_its_base() {
    let scene = PullRequest::standard();
    let group = [("merge_group.base_sha", &*scene.base), ("merge_group.head_sha", &scene.merge)];
    let clone = scene.checkout(&scene.merge, &["--depth=1"]);
    let git_ref = "refs/heads/gh-readonly-queue/main/pr-7";
    let runner =
        Runner::github(clone, "merge_group", git_ref, &payload("merge_group.json", &group));
    assert_snapshot!(runner.ci_summary(&[]), @"
    exit 1, (base of the merge group)
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    gone.txt:1 team/colour fixed: the file was removed
    ");
}

/// A server with a branch that has the commit `before` and then the pushed commit `after`.
struct Pushed {
    server: Repository,
    before: String,
    after: String,
}

impl Pushed {
    fn push_to(branch: &str) -> Self {
        let server = project(&[("a.txt", "blue one\n"), ("old.txt", "blue old\n")]);
        server.git(&["switch", "--quiet", "--force-create", branch]);
        let before = server.commit(&[("a.txt", "blue one\nblue two\n")]);
        let after = server.commit(&[("a.txt", "blue one\nblue two\nblue three\n")]);
        Self { server, before, after }
    }

    fn report(&self, branch: &str, name: &str, before: &str) -> String {
        let clone = Repository::new();
        clone.git(&["remote", "add", "origin", &self.server.url()]);
        clone.git(&["fetch", "--quiet", "--depth=1", "origin", &self.after]);
        clone.git(&["checkout", "--quiet", "--detach", &self.after]);
        let git_ref = format!("refs/heads/{branch}");
        let values = [("ref", &*git_ref), ("before", before), ("after", &self.after)];
        Runner::github(clone, "push", &git_ref, &payload(name, &values)).ci_summary(&[])
    }
}

#[test]
fn a_push_is_compared_with_the_previous_commit() {
    let pushed = Pushed::push_to("topic");
    assert_snapshot!(pushed.report("topic", "push.json", &pushed.before), @"
    exit 1, (commit before the push)
    a.txt:1 team/colour pre-existing: already present on line 1 of the base
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:3 team/colour new: this change added or changed the line
    ");
    let none = "0".repeat(40);
    assert_snapshot!(pushed.report("topic", "push_new_branch.json", &none), @"
    exit 1, (merge base of main and HEAD)
    a.txt:1 team/colour pre-existing: already present on line 1 of the base
    a.txt:2 team/colour new: this change added or changed the line
    a.txt:3 team/colour new: this change added or changed the line
    ");
}

#[test]
fn a_push_to_the_default_branch_checks_all_files() {
    let pushed = Pushed::push_to("main");
    assert_snapshot!(pushed.report("main", "push.json", &pushed.before), @"
    exit 1, (commit before the push), all files
    a.txt:1 team/colour pre-existing: already present on line 1 of the base
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:3 team/colour new: this change added or changed the line
    old.txt:1 team/colour pre-existing: the file did not change
    ");
    let none = "0".repeat(40);
    assert_snapshot!(pushed.report("main", "push_new_branch.json", &none), @"
    exit 1
    All files were checked: this is the first push to main
    a.txt:1 team/colour new: -
    a.txt:2 team/colour new: -
    a.txt:3 team/colour new: -
    old.txt:1 team/colour new: -
    ");
}

#[test]
fn a_forced_push_is_compared_with_the_merge_base() {
    let mut pushed = Pushed::push_to("topic");
    pushed.server.git(&["reset", "--quiet", "--hard", "main"]);
    let replaced = pushed.before.clone();
    pushed.after = pushed.server.commit(&[("b.txt", "blue instead\n")]);
    assert_snapshot!(pushed.report("topic", "push_forced.json", &replaced), @"
    exit 1, (merge base of main and HEAD)
    b.txt:1 team/colour new: the file is new
    ");
    let mut pushed = Pushed::push_to("main");
    pushed.server.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    let replaced = pushed.before.clone();
    pushed.after = pushed.server.commit(&[("b.txt", "blue instead\n")]);
    assert_snapshot!(pushed.report("main", "push_forced.json", &replaced), @"
    exit 1, (merge base of HEAD and main as it was before the forced push), all files
    a.txt:1 team/colour pre-existing: the file did not change
    b.txt:1 team/colour new: the file is new
    old.txt:1 team/colour pre-existing: the file did not change
    ");
}

#[test]
fn scheduled_and_manual_runs_check_all_files() {
    let server = project(&[("a.txt", "blue\n")]);
    let reports = ["schedule", "workflow_dispatch"].map(|name| {
        let clone = server.cloned(&["--depth=1"]);
        let payload = payload(&format!("{name}.json"), &[]);
        Runner::github(clone, name, "refs/heads/main", &payload).ci_summary(&[])
    });
    assert_snapshot!(reports.concat(), @"
    exit 1
    All files were checked: a scheduled run checks everything
    a.txt:1 team/colour new: -
    exit 1
    All files were checked: a run started by hand checks everything
    a.txt:1 team/colour new: -
    ");
}

#[test]
fn gitlab_passes_the_event_in_variables() {
    let scene = PullRequest::standard();
    let common = [
        ("GITLAB_CI", "true"),
        ("CI_SERVER_URL", "https://gitlab.example.org"),
        ("CI_PROJECT_PATH", "octo/demo"),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_COMMIT_SHA", &*scene.head),
        ("CI_COMMIT_REF_NAME", "topic"),
    ];
    let report = |more: &[(&str, &str)]| {
        let clone = scene.checkout(&scene.head, &["--depth=1"]);
        let variables = common.iter().chain(more);
        let runner =
            variables.fold(Runner::new(clone), |runner, (name, value)| runner.set(name, value));
        // No line of the log is a GitHub workflow command.
        assert!(!runner.ci(&[]).out.contains("::"));
        runner.ci_summary(&[])
    };
    assert_snapshot!(report(&[
        ("CI_PIPELINE_SOURCE", "merge_request_event"),
        ("CI_MERGE_REQUEST_IID", "3"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &scene.fork),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
    ]), @"
    exit 1, (base of the merge request)
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    gone.txt:1 team/colour fixed: the file was removed
    ");
    assert_snapshot!(report(&[
        ("CI_PIPELINE_SOURCE", "push"),
        ("CI_COMMIT_BEFORE_SHA", &"0".repeat(40)),
    ]), @"
    exit 1, (merge base of main and HEAD)
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    gone.txt:1 team/colour fixed: the file was removed
    ");
}

#[test]
fn without_a_ci_system_the_base_is_passed_as_an_option() {
    let scene = PullRequest::standard();
    let clone = scene.server.cloned(&["--branch=topic"]);
    let runner = Runner::new(clone);
    assert_snapshot!(runner.ci_summary(&["--base", "origin/main"]), @"
    exit 1, (merge base of origin/main and HEAD)
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    gone.txt:1 team/colour fixed: the file was removed
    ");
    // Without `--base`, aidd compares with the default branch of the remote.
    assert_snapshot!(runner.ci_summary(&[]), @"
    exit 1, (merge base of origin/HEAD and HEAD)
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    gone.txt:1 team/colour fixed: the file was removed
    ");
    let runner_with_variable =
        Runner::new(scene.server.cloned(&["--branch=topic"])).set("AIDD_BASE", &scene.fork);
    assert_snapshot!(scene.with_commit_names(&runner_with_variable.ci_summary(&[])), @"
    exit 1, (given as FORK)
    a.txt:2 team/colour pre-existing: already present on line 2 of the base
    a.txt:4 team/colour new: this change added or changed the line
    gone.txt:1 team/colour fixed: the file was removed
    ");
}

#[test]
fn without_a_base_nothing_is_checked_unless_requested() {
    let repository = project(&[("a.txt", "blue\n")]);
    repository.git(&["branch", "-m", "work"]);
    let runner = Runner::new(repository);
    let output = runner.ci(&[]);
    assert_eq!((output.code, &*output.out), (2, ""));
    assert_snapshot!(output.err, @"
    error: no commit to compare with: the clone has no remote to fetch from
    hint: set one with --base, or check everything with --no-base full
    ");
    let output = runner.ci(&["--base", "nowhere"]);
    assert_eq!((output.code, &*output.out), (2, ""));
    assert_snapshot!(output.err, @"
    error: unknown commit `nowhere`: the clone has no remote to fetch from
    hint: fetch it first, or check out with `fetch-depth: 0`
    ");
    assert_snapshot!(runner.ci_summary(&["--no-base", "full"]), @"
    exit 1
    All files were checked: no commit to compare with: the clone has no remote to fetch from
    a.txt:1 team/colour new: -
    ");
    assert_snapshot!(runner.ci_summary(&["--base", "nowhere", "--no-base", "full"]), @"
    exit 1
    All files were checked: unknown commit `nowhere`: the clone has no remote to fetch from
    a.txt:1 team/colour new: -
    ");
}

#[test]
fn an_invalid_event_is_an_error() {
    let scene = PullRequest::standard();
    let error_of = |payload: &serde_json::Value| {
        let clone = scene.checkout(&scene.merge, &["--depth=1"]);
        let output = Runner::github(clone, "pull_request", "refs/pull/7/merge", payload).ci(&[]);
        assert_eq!((output.code, &*output.out), (2, ""));
        let (path, message) = output.err.split_once("event.json").unwrap_or(("", &output.err));
        assert!(path.starts_with("error: "));
        message.to_owned()
    };
    assert_snapshot!(error_of(&serde_json::Value::Null), @": the event is not a JSON object");
    assert_snapshot!(error_of(&payload("schedule.json", &[])), @": the event has no `pull_request.number`");
    let hash = [("pull_request.head.sha", "--upload-pack=x")];
    assert_snapshot!(error_of(&payload("pull_request.json", &hash)), @r#": `pull_request.head.sha` is not a commit hash: "--upload-pack=x""#);
    let gone = scene.standard_runner().set("GITHUB_EVENT_PATH", "/nowhere/event.json").ci(&[]);
    assert_eq!((gone.code, &*gone.out), (2, ""));
}
