//! Tests of `pull_request_target` events: the run has the permissions of the target, so the head
//! must not influence the checks.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::Runner;
use crate::pull_requests::support::{RULE, command};
use crate::repository::Repository;
use insta::assert_snapshot;

/// Files of a hostile head, each of which tries to disable checks in a different way.
const ATTACKS: [(&str, &str); 6] = [
    (".aidd/config.json", r#"{ "rules": { "team/colour": "off" }, "exclude": ["*"] }"#),
    (".aidd/config.json", r#"{ "failOn": "never", "ci": { "ignore": ["team/colour"] } }"#),
    (RULE.0, "---\nseverity: info\n---\n# team/colour\n\nNothing.\n"),
    (".gitignore", "*\n"),
    (".aiddignore", "evil.txt\n"),
    (".aidd/config.json", "{"),
];

fn runner(scene: &PullRequest, clone: Repository) -> Runner {
    let payload = scene.payload("pull_request_target.json");
    Runner::github(clone, "pull_request_target", "refs/heads/main", &payload)
}

fn scene(attack: impl FnOnce(&Repository)) -> PullRequest {
    PullRequest::new(&[("a.txt", "blue old\n")], |server| {
        attack(server);
        server.write("evil.txt", "blue evil\n");
        server.git(&["add", "--force", "evil.txt"]);
    })
}

const EXPECTED_REPORT: &str = "\
exit 1, (merge base of main and the pull request)
evil.txt:1 team/colour new: the file is new
";

/// Asserts that the expected lines are reported. More lines are allowed, because the file of the
/// attack itself can have findings.
#[track_caller]
fn assert_found(report: &str, attack: &str) {
    let found = EXPECTED_REPORT.lines().all(|line| report.lines().any(|other| other == line));
    assert!(found, "{attack}: {report}");
}

#[test]
fn a_head_cannot_disable_its_checks() {
    for (path, text) in ATTACKS {
        let scene = scene(|server| {
            server.write(path, text);
            server.git(&["add", "--force", path]);
        });
        // The target is checked out; the head is fetched, but never written to disk.
        let target = runner(&scene, scene.checkout(&scene.base, &["--depth=1"]));
        assert_found(&target.ci_summary(&[]), text);
        assert!(!target.clone.path("evil.txt").exists());
        // The rules of the target apply even if the head is checked out.
        let head = runner(&scene, scene.checkout(&scene.head, &["--depth=1"]));
        assert_found(&head.ci_summary(&[]), text);
    }
}

#[test]
fn the_ignore_files_of_the_target_apply_and_those_of_the_head_do_not() {
    let found =
        EXPECTED_REPORT.replacen('\n', "\n1 changed file is excluded by `.aiddignore`\n", 1);
    let before = [(".aiddignore", "generated/\n"), ("generated/old.txt", "fine\n")];
    let scene = PullRequest::new(&before, |server| {
        server.write(".aiddignore", "evil.txt\n");
        server.write("evil.txt", "blue evil\n");
        server.write("generated/new.txt", "blue generated\n");
    });
    for commit in [&scene.base, &scene.head] {
        let clone = scene.checkout(commit, &["--depth=1"]);
        assert_eq!(runner(&scene, clone).ci_summary(&[]), found);
    }
    // In a partial clone, missing blobs are fetched.
    let clone = scene.server.cloned(&["--filter=blob:none", "--no-checkout"]);
    clone.git(&["fetch", "--quiet", "--filter=blob:none", "origin", &scene.head, &scene.base]);
    clone.git(&["sparse-checkout", "set", "--no-cone", "/rules/"]);
    clone.git(&["checkout", "--quiet", "--detach", &scene.base]);
    assert_eq!(runner(&scene, clone).ci_summary(&[]), found);
}

#[test]
fn allow_comments_of_a_head_are_listed() {
    let scene = PullRequest::new(&[("a.txt", "blue old\n")], |server| {
        server.write("evil.txt", "# aidd:allow team/colour the sky\nblue evil\n");
        server.write(".aidd/config.json", r#"{ "failOn": "never" }"#);
    });
    let output =
        runner(&scene, scene.checkout(&scene.base, &["--depth=1"])).ci(&["--format", "json"]);
    let weakened = &output.report()["comparison"]["weakened"];
    assert_eq!(weakened.as_array().map(Vec::len), Some(1), "{weakened}");
    assert_eq!((&weakened[0]["kind"], &weakened[0]["line"]), (&"allow-comment".into(), &1.into()));
}

#[test]
fn a_head_cannot_delete_the_rule_or_add_a_baseline() {
    let scene_without = scene(|server| {
        server.git(&["rm", "--quiet", RULE.0]);
    });
    let target = runner(&scene_without, scene_without.checkout(&scene_without.base, &[]));
    assert_eq!(target.ci_summary(&[]), EXPECTED_REPORT);

    let scene_with = scene(|server| {
        server.write("evil.txt", "blue evil\n");
        let output = command(server, "", &["baseline", "write"]).output().expect("started");
        assert!(output.status.success());
        let baseline = std::fs::read_to_string(server.path(".aidd/baseline.json"));
        assert!(baseline.expect("written").contains("evil.txt"));
    });
    for commit in [&scene_with.base, &scene_with.head] {
        let runner = runner(&scene_with, scene_with.checkout(commit, &["--depth=1"]));
        assert_eq!(runner.ci_summary(&[]), EXPECTED_REPORT);
    }
}

#[test]
fn an_outdated_head_is_checked_with_the_newest_rules_of_the_target() {
    let off = r#"{ "rules": { "team/colour": "off" } }"#;
    let mut scene = PullRequest::new(&[(".aidd/config.json", off)], |server| {
        server.write("evil.txt", "blue evil\n");
    });
    scene.push_to_target(&[(".aidd/config.json", "{}")]);
    for commit in [&scene.base, &scene.head, &scene.fork] {
        let runner = runner(&scene, scene.checkout(commit, &["--depth=1"]));
        assert_eq!(runner.ci_summary(&[]), EXPECTED_REPORT);
    }
}

#[test]
fn the_work_tree_is_not_read() {
    let scene = scene(|_| ());
    let clone = scene.checkout(&scene.base, &["--depth=1"]);
    clone.write(".aidd/config.json", "{ \"rules\": { \"team/colour\": \"off\" } }");
    clone.write(".aidd/baseline.json", "no baseline");
    clone.write(RULE.0, "---\nseverity: nonsense\n---\n# team/colour\n");
    clone.write("evil.txt", "harmless\n");
    clone.write("more.txt", "blue, but not committed\n");
    assert_eq!(runner(&scene, clone).ci_summary(&[]), EXPECTED_REPORT);
}

#[test]
fn nested_projects_are_read_from_the_target() {
    let rule = RULE.1.replace("team/colour", "app/colour");
    let app = [("app/.aidd/config.json", "{}"), ("app/rules/app/colour.md", &rule)];
    let scene = PullRequest::new(&app, |server| {
        // A project added by the head, without rules: ignored.
        server.write("lib/.aidd/config.json", "{}");
        server.write("lib/evil.txt", "blue evil\n");
        server.write("app/.aidd/config.json", r#"{ "rules": { "app/colour": "off" } }"#);
        server.write("app/evil.txt", "blue evil\n");
    });
    let head = runner(&scene, scene.checkout(&scene.head, &["--depth=1"]));
    assert_snapshot!(head.ci_summary(&["lib"]), @"
    exit 1, (merge base of main and the pull request)
    lib/evil.txt:1 team/colour new: the file is new
    ");
    assert_snapshot!(head.ci_summary(&["app"]), @"
    exit 1, (merge base of main and the pull request)
    app/evil.txt:1 app/colour new: the file is new
    ");
}

#[test]
fn without_a_base_nothing_is_trusted() {
    let scene = scene(|_| ());
    let clone = scene.checkout(&scene.base, &["--depth=1"]);
    clone.git(&["remote", "set-url", "origin", "file:///nowhere"]);
    let output = runner(&scene, clone).ci(&["--no-base", "full"]);
    assert_eq!((output.code, &*output.out), (2, ""));
    let clone = scene.checkout(&scene.head, &["--depth=1"]);
    clone.git(&["remote", "set-url", "origin", "file:///nowhere"]);
    let output = runner(&scene, clone).ci(&["--no-base", "full"]);
    assert_eq!((output.code, &*output.out), (2, ""));
    let hint = output.err.lines().last().unwrap_or_default();
    assert_snapshot!(hint, @"hint: pull_request_target runs only use the rules of the target");
}

/// A convention of the target, with a check.
const CONVENTION: (&str, &str) = (
    "ai/memory/conventions.jsonl",
    r#"{"at":1,"content":"No red","id":"convention_1_a","metadata":{"check":{"files":["*.txt"],"rule":"no-red","severity":"error","text":{"regex":"red"}}},"type":"convention"}
"#,
);

#[test]
fn a_head_cannot_change_conventions_of_the_target() {
    let superseding = r#"{"at":2,"content":"Red is fine","id":"convention_2_c","links":[{"relation":"supersedes","to":"convention_1_a"}],"type":"convention"}"#;
    let removed = format!("{}{superseding}\n", CONVENTION.1);
    let lower_severity = CONVENTION.1.replace("error", "info");
    let other = CONVENTION.1.replace("no-red", "other").replace("convention_1_a", "convention_2_b");
    for attack in ["", &removed, &lower_severity, &other] {
        let scene = PullRequest::new(&[CONVENTION], |server| {
            server.write(CONVENTION.0, attack);
            server.write("evil.txt", "red evil\n");
        });
        for commit in [&scene.base, &scene.head] {
            let clone = scene.checkout(commit, &["--depth=1"]);
            let report = runner(&scene, clone).ci_summary(&[]);
            let found =
                report.lines().filter(|line| line.starts_with("evil.txt")).collect::<Vec<_>>();
            assert_eq!(
                found,
                ["evil.txt:1 convention/no-red new: the file is new"],
                "{attack}: {report}"
            );
        }
    }
    // The head adds a directory that would take precedence over the memory directory of the target.
    let plain = (CONVENTION.0.strip_prefix("ai/").expect("below ai"), CONVENTION.1);
    for name in ["decisions.jsonl", "conventions.json"] {
        let scene = PullRequest::new(&[plain], |server| {
            server.write(format!("ai/memory/{name}"), "");
            server.write("evil.txt", "red evil\n");
        });
        let clone = scene.checkout(&scene.head, &["--depth=1"]);
        let report = runner(&scene, clone).ci_summary(&[]);
        assert!(report.contains("evil.txt:1 convention/no-red new"), "{name}: {report}");
    }
    // In a partial clone, the missing blobs of the memory are fetched.
    let scene = PullRequest::new(&[CONVENTION], |server| {
        server.write(CONVENTION.0, "");
        server.write("evil.txt", "red evil\n");
    });
    let clone = scene.server.cloned(&["--filter=blob:none", "--no-checkout"]);
    clone.git(&["fetch", "--quiet", "--filter=blob:none", "origin", &scene.head, &scene.base]);
    clone.git(&["checkout", "--quiet", "--detach", &scene.head]);
    assert!(runner(&scene, clone).ci_summary(&[]).contains("evil.txt:1 convention/no-red"));
}
