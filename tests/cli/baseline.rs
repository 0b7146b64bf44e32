//! Tests of `aidd baseline` and of its effect on `aidd check`.

use crate::cli::support::{BLUE, Project, paths, token};
use insta::assert_snapshot;

fn project() -> Project {
    let project = Project::new(&[
        ("rules/blue.md", BLUE),
        ("a.txt", "blue\n"),
        ("sub/b.txt", "a blue sky\n"),
        (".aidd/config.json", r#"{"failOn": "warning"}"#),
    ]);
    project.run(&["baseline", "write"]).expect_code(0);
    project
}

#[test]
fn the_exit_code_of_a_quiet_run_is_that_of_a_run_with_output() {
    let project = project();
    for options in [&[][..], &["--no-baseline"], &["--only", "team/*"], &["--only", "secrets/*"]] {
        let shown = project.run(&[&["check", "."], options].concat());
        let quiet = project.run(&[&["check", ".", "--quiet"], options].concat());
        assert_eq!((quiet.code, &*quiet.out), (shown.code, ""), "{options:?}");
    }
    project.run(&["check", ".", "--quiet"]).expect_code(0);
    project.run(&["check", ".", "--quiet", "--no-baseline"]).expect_code(1);
}

#[test]
fn recorded_findings_are_baselined_and_new_ones_are_not() {
    let project = project();
    assert_snapshot!(project.read(".aidd/baseline.json"), @r#"
    {
      "schemaVersion": 1,
      "findings": [
        {
          "path": "a.txt",
          "rule": "team/old-colour",
          "id": "ce5a7bc9589e42b4",
          "count": 1
        },
        {
          "path": "sub/b.txt",
          "rule": "team/old-colour",
          "id": "4c6cc405951454c9",
          "count": 1
        }
      ]
    }
    "#);
    let output = project.run(&["check", "."]).expect_code(0);
    assert!(output.out.ends_with("; 2 baselined\n"), "{}", output.out);
    // A finding that was moved by lines above it is the same finding; a further occurrence is new.
    project.write("a.txt", "teal\n\nblue\n");
    project.run(&["check", "."]).expect_code(0);
    project.write("a.txt", "blue\nblue\n");
    let output = project.run(&["check", ".", "--format", "github"]).expect_code(1);
    assert_eq!(paths(&output.out), ["a.txt"]);
    let output = project.run(&["check", ".", "--no-baseline", "--format", "github"]).expect_code(1);
    assert_eq!(paths(&output.out), ["a.txt", "a.txt", "sub/b.txt"]);
}

#[test]
fn new_findings_are_recorded_only_on_request() {
    let project = project();
    let before = project.read(".aidd/baseline.json");
    project.write("c.txt", "blue\n");
    let output = project.run(&["baseline", "write"]).expect_code(2);
    assert_snapshot!(output.err, @"
    error: 1 finding is not in the baseline
    hint: show them with `aidd check`; --accept-new records them, with paths or `--only RULE` only some of them; `aidd baseline prune` only removes entries
    ");
    assert_eq!(project.read(".aidd/baseline.json"), before);
    let output = project.run(&["baseline", "write", "--accept-new"]).expect_code(0);
    assert_snapshot!(output.err, @"
    recorded 3 findings in .aidd/baseline.json: 3 warnings
    commit this file: from now on, `aidd check` reports only findings that are not in it
    ");
    project.run(&["check", "."]).expect_code(0);
}

#[test]
fn removed_findings_are_reported_and_pruned() {
    let project = project();
    project.remove("sub/b.txt");
    let note = "note: 1 finding in the baseline is no longer found; run `aidd baseline prune` to remove the entries\n";
    assert_eq!(project.run(&["check", "."]).expect_code(0).err, note);
    assert_eq!(project.run_in("sub", &["check", "."]).expect_code(0).err, note);
    // A run that did not check the file reports nothing.
    assert_eq!(project.run(&["check", "a.txt"]).expect_code(0).err, "");
    assert_eq!(project.run(&["check", ".", "--only", "secrets/*"]).expect_code(0).err, "");
    assert_eq!(project.run(&["check", ".", "--exclude", "sub/"]).expect_code(0).err, "");
    let output = project.run(&["baseline", "prune"]).expect_code(0);
    assert_eq!(output.err, "removed 1 finding from .aidd/baseline.json\n");
    assert_eq!(project.run(&["check", "."]).expect_code(0).err, "");
    assert!(!project.read(".aidd/baseline.json").contains("sub/b.txt"), "the entry is not removed");
}

#[test]
fn a_partial_run_preserves_other_entries() {
    let project = project();
    let before = project.read(".aidd/baseline.json");
    project.run_in("sub", &["baseline", "write"]).expect_code(0);
    assert_eq!(project.read(".aidd/baseline.json"), before);
    project.write("sub/c.txt", "blue");
    project.run(&["baseline", "write", "sub", "--accept-new"]).expect_code(0);
    project.run(&["check", "."]).expect_code(0);
}

#[test]
fn an_invalid_baseline_exits_with_2_for_every_command() {
    let project = project();
    let valid = project.read(".aidd/baseline.json");
    let conflict = format!("<<<<<<< HEAD\n{valid}=======\n{valid}>>>>>>> topic\n");
    project.write(".aidd/baseline.json", &conflict);
    let output = project.run(&["check", "."]).expect_code(2);
    assert_snapshot!(output.err, @r"
    error: ROOT/.aidd/baseline.json:1:1: conflict marker; keep both sides, then run `aidd baseline prune`
    hint: fix the file by hand or restore it from Git; or delete the file and run `aidd baseline write` to record all current findings
    ");
    for args in [["baseline", "write"], ["baseline", "prune"]] {
        project.run(&args).expect_code(2);
        assert_eq!(project.read(".aidd/baseline.json"), conflict);
    }
    for broken in ["", "[]", "{\"schemaVersion\": 1}", "{\"schemaVersion\": 99, \"findings\": []}"]
    {
        project.write(".aidd/baseline.json", broken);
        assert_eq!(project.run(&["check", "."]).expect_code(2).out, "");
    }
    project.run(&["check", ".", "--no-baseline"]).expect_code(1);
}

#[test]
fn another_baseline_file_can_be_used() {
    let project = project();
    project.remove(".aidd/baseline.json");
    let output = project.run(&["check", ".", "--baseline", "known.json"]).expect_code(2);
    assert!(
        output.err.contains("hint: run `aidd baseline write` to create a baseline"),
        "{}",
        output.err
    );
    project.run(&["baseline", "write", "--baseline", "known.json"]).expect_code(0);
    project.run(&["check", "."]).expect_code(1);
    project.run(&["check", ".", "--baseline", "known.json"]).expect_code(0);
    project.run_env(&[("AIDD_BASELINE", "known.json")], &["check", "."]).expect_code(0);
    project.write(".aidd/config.json", r#"{"failOn": "warning", "baseline": "known.json"}"#);
    project.run_in("sub", &["check", "."]).expect_code(0);
}

#[test]
fn the_configured_baseline_must_be_inside_the_project() {
    let project = project();
    let config = |baseline: &str| format!(r#"{{"failOn": "warning", "baseline": "{baseline}"}}"#);
    for outside in ["../known.json", "/known.json", "sub/../../known.json"] {
        project.write(".aidd/config.json", config(outside));
        let output = project.run(&["baseline", "write"]).expect_code(2);
        assert!(output.err.contains("is outside the project"), "{outside}: {}", output.err);
        project.run(&["baseline", "prune"]).expect_code(2);
    }
    project.write(".aidd/config.json", config("sub/../known.json"));
    project.run(&["baseline", "write"]).expect_code(0);
    project.run(&["check", "."]).expect_code(0);
}

#[test]
fn a_moved_file_and_an_edited_line_keep_their_entries() {
    let project = project();
    project.write("a.txt", "one\na blue car\ntwo\n");
    project.run(&["baseline", "write", "--accept-new"]).expect_code(0);
    project.remove("sub/b.txt");
    project.write("new/c.txt", "a blue sky\n");
    project.write("a.txt", "one\na blue bus\ntwo\n");
    let output = project.run(&["check", "."]).expect_code(0);
    assert!(output.out.ends_with("; 2 baselined\n"), "{}", output.out);
    assert_eq!(output.err, "");
    // Different neighbours: another finding.
    project.write("a.txt", "three\na blue bus\nfour\n");
    project.run(&["check", "."]).expect_code(1);
}

#[test]
fn keys_that_are_missing_later_are_new() {
    let project = Project::new(&[(".aidd/config.json", r#"{"rules": {"i18n/*": "warning"}}"#)]);
    let catalogue = |keys: &[&str]| {
        let entries: Vec<String> =
            keys.iter().map(|key| format!("  \"{key}\": \"text of {key} 5\"")).collect();
        format!("{{\n{}\n}}\n", entries.join(",\n"))
    };
    project.write("locales/en.json", catalogue(&["a", "b", "c", "d", "e", "f"]));
    project.write("locales/de.json", catalogue(&["a", "b", "c", "d"]));
    project.write("locales/fr.json", catalogue(&["a", "b", "c", "d", "e", "f"]));
    let options = ["check", ".", "--only", "i18n/missing-key", "--format", "concise"];
    let before = project.run(&options).expect_code(0).out;
    assert!(before.contains("2 keys of locales/en.json not translated: `e`, `f`"), "{before}");
    project.run(&["baseline", "write"]).expect_code(0);
    // The first line of the file changes.
    project.write("locales/de.json", catalogue(&["z", "a", "b", "c", "d"]));
    let output = project.run(&options).expect_code(0).out;
    assert!(!output.contains("missing-key"), "{output}");
    project.write("locales/en.json", catalogue(&["a", "b", "c", "d", "e", "f", "g"]));
    let output = project.run(&options).expect_code(0).out;
    assert!(output.contains("1 key of locales/en.json not translated: `g`"), "{output}");
}

#[test]
fn recorded_secrets_are_named_and_rules_can_be_chosen() {
    let project = Project::new(&[("rules/blue.md", BLUE), ("a.txt", "blue\n")]);
    project.write("src/app.conf", format!("token = {}\n", token()));
    let output = project.run(&["baseline", "write", "--only", "team/*"]).expect_code(0);
    assert_snapshot!(output.err, @"
    recorded 1 finding in .aidd/baseline.json: 1 warning
    commit this file: from now on, `aidd check` reports only findings that are not in it
    ");
    let output = project.run(&["baseline", "write"]).expect_code(2);
    assert!(output.err.starts_with("error: 1 finding is not in the baseline"), "{}", output.err);
    let args = ["baseline", "write", "--accept-new", "--only", "secrets/*"];
    let output = project.run(&args).expect_code(0);
    assert_snapshot!(output.err, @"
    recorded 1 finding in .aidd/baseline.json: 1 error
    retained 1 finding of other files and rules
    includes 1 possible secret; a recorded secret that is in use must still be revoked:
      src/app.conf:1: secrets/github-personal-access-token
    commit this file: from now on, `aidd check` reports only findings that are not in it
    ");
    let output = project.run(&["check", "."]).expect_code(0);
    assert!(output.out.ends_with("; 2 baselined\n"), "{}", output.out);
    project.write("b.txt", "a blue sky\n");
    let output = project.run(&["check", "."]).expect_code(0).out;
    assert!(
        output.contains("\nthe new findings do not fail the run: `failOn` is `error`\n"),
        "{output}"
    );
}
