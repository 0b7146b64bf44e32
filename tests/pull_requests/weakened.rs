//! Tests of changes that weaken the settings they are checked with: the report starts with a list
//! of the weakened settings, and the settings of the base apply as well.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::{RunOutput, Runner};
use crate::pull_requests::support::{RULE, command};
use crate::repository::Repository;
use insta::assert_snapshot;

const CONFIG: &str = ".aidd/config.json";

/// A pull request that adds `new.txt` with a violation of `team/colour`, and applies `change`.
fn scene(before: &[(&str, &str)], change: impl FnOnce(&Repository)) -> PullRequest {
    let files = [&[("a.txt", "blue old\n")], before].concat();
    PullRequest::new(&files, |server| {
        server.write("new.txt", "blue new\n");
        change(server);
    })
}

/// The weakened settings, and the failing findings of the report.
struct Report {
    output: RunOutput,
    weakened: String,
    new: String,
}

fn report_with(scene: &PullRequest, args: &[&str]) -> Report {
    let output = scene.standard_runner().ci(&[&["--format", "json"], args].concat());
    let report = output.report();
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let mut weakened = String::new();
    for entry in report["comparison"]["weakened"].as_array().into_iter().flatten() {
        let line = entry["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let (kind, path, message) =
            (text(&entry["kind"]), text(&entry["path"]), text(&entry["message"]));
        weakened.push_str(&format!("[{kind}] {path}{line}: {message}\n"));
    }
    let mut new = String::new();
    for finding in report["findings"].as_array().expect("findings") {
        if finding["status"] == "new" && finding["path"] == "new.txt" {
            let (rule, severity) = (text(&finding["rule"]), text(&finding["severity"]));
            new.push_str(&format!("{severity}[{rule}] {}\n", text(&finding["reason"])));
        }
    }
    Report { output, weakened, new }
}

fn report(scene: &PullRequest) -> Report {
    report_with(scene, &[])
}

/// The report of a pull request that must fail because of the settings of its base.
#[track_caller]
fn failing_report(before: &[(&str, &str)], change: impl FnOnce(&Repository)) -> String {
    let scene = scene(before, change);
    let report = report(&scene);
    assert_eq!(report.output.code, 1, "{}\n{}", report.output.out, report.output.err);
    // The text format lists weakened settings first.
    let text = scene.standard_runner().ci(&["--format", "text"]);
    assert_eq!(text.code, 1);
    assert!(text.out.starts_with("This change weakens the checks in "), "{}", text.out);
    format!("{}{}", report.weakened, report.new)
}

fn with_config(config: &str) -> String {
    failing_report(&[], |server| server.write(CONFIG, config))
}

#[test]
fn a_disabled_rule_is_listed() {
    assert_snapshot!(with_config("{\n  \"rules\": { \"team/colour\": \"off\" }\n}"), @"
    [rule] .aidd/config.json:2: disables `team/colour` (severity in the base: error)
    error[team/colour] reported with the settings of the base: .aidd/config.json:2 disables `team/colour` (severity in the base: error)
    ");
    assert_snapshot!(with_config(r#"{ "rules": { "TEAM/*": "off" } }"#), @"
    [rule] .aidd/config.json:1: disables `team/colour` (severity in the base: error)
    error[team/colour] reported with the settings of the base: .aidd/config.json:1 disables `team/colour` (severity in the base: error)
    ");
    let path = r#"{ "overrides": [{ "files": ["new.*"], "rules": { "team/colour": "off" } }] }"#;
    assert_snapshot!(with_config(path), @"
    [rule] .aidd/config.json:1: for `new.*`: disables `team/colour` (severity in the base: error)
    error[team/colour] reported with the settings of the base: .aidd/config.json:1 for `new.*`: disables `team/colour` (severity in the base: error)
    ");
}

#[test]
fn a_lower_severity_is_listed() {
    assert_snapshot!(with_config(r#"{ "rules": { "team/colour": "info" } }"#), @"
    [rule] .aidd/config.json:1: lowers `team/colour` from error to info
    error[team/colour] reported with the settings of the base: .aidd/config.json:1 lowers `team/colour` from error to info
    ");
}

#[test]
fn a_weaker_fail_condition_is_listed() {
    assert_snapshot!(with_config(r#"{ "failOn": "never" }"#), @"
    [fail-on] .aidd/config.json:1: changes `failOn` from error to never
    error[team/colour] the file is new
    ");
    assert_snapshot!(with_config(r#"{ "ci": { "warnOn": ["team/*"] } }"#), @"
    [policy] .aidd/config.json:1: `ci.warnOn` stops 1 rule from failing the run: `team/colour`
    error[team/colour] the file is new
    ");
    assert_snapshot!(with_config(r#"{ "ci": { "ignore": ["team/colour"] } }"#), @"
    [policy] .aidd/config.json:1: `ci.ignore` hides the findings of 1 rule: `team/colour`
    error[team/colour] the file is new
    ");
    let blocks = r#"{ "failOn": "never", "ci": { "blockOn": ["team/colour"] } }"#;
    let report = failing_report(&[(CONFIG, blocks)], |server| {
        server.write(CONFIG, r#"{ "failOn": "never" }"#);
    });
    assert_snapshot!(report, @"
    [policy] .aidd/config.json: `ci.blockOn` no longer names 1 rule: `team/colour`
    error[team/colour] the file is new
    ");
}

#[test]
fn excluded_files_are_listed() {
    assert_snapshot!(with_config(r#"{ "exclude": ["**"] }"#), @"
    [paths] .aidd/config.json:1: adds `**` to `exclude`; excludes 5 tracked files: `.aidd/config.json`, `a.txt`, `new.txt` and 2 more
    error[team/colour] reported with the settings of the base: .aidd/config.json:1 adds `**` to `exclude`; excludes 5 tracked files: `.aidd/config.json`, `a.txt`, `new.txt` and 2 more
    ");
    assert_snapshot!(with_config(r#"{ "include": ["*.md"] }"#), @"
    [paths] .aidd/config.json:1: narrows `include`; excludes 4 tracked files: `.aidd/config.json`, `a.txt`, `new.txt` and 1 more
    error[team/colour] reported with the settings of the base: .aidd/config.json:1 narrows `include`; excludes 4 tracked files: `.aidd/config.json`, `a.txt`, `new.txt` and 1 more
    ");
    assert_snapshot!(failing_report(&[], |server| server.write(".aiddignore", "*\n")), @"
    [ignore-file] .aiddignore: adds `*`; excludes 5 tracked files: `.aiddignore`, `a.txt`, `new.txt` and 2 more
    error[team/colour] reported with the settings of the base: .aiddignore adds `*`; excludes 5 tracked files: `.aiddignore`, `a.txt`, `new.txt` and 2 more
    ");
    assert_snapshot!(with_config(r#"{ "maxFileSize": 1 }"#), @"
    [file-size] .aidd/config.json:1: lowers `maxFileSize` from 2097152 to 1
    error[team/colour] reported with the settings of the base: .aidd/config.json:1 lowers `maxFileSize` from 2097152 to 1
    ");
}

#[test]
fn a_baseline_entry_for_a_new_problem_is_listed() {
    let report = failing_report(&[], |server| {
        let output = command(server, "", &["baseline", "write"]).output().expect("started");
        assert!(output.status.success());
    });
    assert_snapshot!(report, @"
    [baseline] .aidd/baseline.json: adds 2 known findings: 2 of `team/colour`
    error[team/colour] reported with the settings of the base: .aidd/baseline.json adds 2 known findings: 2 of `team/colour`
    ");
}

#[test]
fn a_removed_or_disabled_rule_page_is_listed() {
    let report = failing_report(&[], |server| {
        server.git(&["rm", "--quiet", RULE.0]);
    });
    assert_snapshot!(report, @"
    [page] rules/team/colour.md: is deleted: disables `team/colour` (severity in the base: error)
    error[team/colour] reported with the settings of the base: rules/team/colour.md is deleted: disables `team/colour` (severity in the base: error)
    ");
    let off = RULE.1.replace("severity: error", "severity: error\nenabled: false");
    assert_snapshot!(failing_report(&[], |server| server.write(RULE.0, &off)), @"
    [page] rules/team/colour.md:3: disables `team/colour` (severity in the base: error)
    error[team/colour] reported with the settings of the base: rules/team/colour.md:3 disables `team/colour` (severity in the base: error)
    ");
    let other = RULE.1.replace("blue\\w*", "bluebell");
    assert_snapshot!(failing_report(&[], |server| server.write(RULE.0, &other)), @"
    [page] rules/team/colour.md: changes the check of `team/colour`
    error[team/colour] reported with the settings of the base: rules/team/colour.md changes the check of `team/colour`
    ");
}

#[test]
fn a_removed_pack_is_listed() {
    let off = RULE.1.replace("severity: error", "severity: error\nenabled: false");
    let pack = "---\npack:\n  rules: [team/colour]\n---\n# Colours\n\nWhat we paint with.\n";
    let before = [
        (RULE.0, &*off),
        (".aidd/packs/colours.md", pack),
        (CONFIG, r#"{ "compliance": ["./colours"] }"#),
    ];
    assert_snapshot!(failing_report(&before, |server| server.write(CONFIG, "{}")), @"
    [pack] .aidd/config.json: removes the pack `./colours`: disables `team/colour` (severity in the base: error)
    error[team/colour] reported with the settings of the base: .aidd/config.json removes the pack `./colours`: disables `team/colour` (severity in the base: error)
    ");
}

#[test]
fn a_superseded_convention_is_listed() {
    let convention = r#"{"at":1,"content":"No blue","id":"convention_1_a","metadata":{"check":{"files":["*.txt"],"rule":"no-blue","severity":"error","text":{"regex":"blue"}}},"type":"convention"}"#;
    let superseding = r#"{"at":2,"content":"Blue is fine","id":"convention_2_c","links":[{"relation":"supersedes","to":"convention_1_a"}],"type":"convention"}"#;
    let path = "ai/memory/conventions.jsonl";
    let (first, both) = (format!("{convention}\n"), format!("{convention}\n{superseding}\n"));
    let report = failing_report(&[(path, &first)], |server| server.write(path, &both));
    assert_snapshot!(report, @"
    [page] ai/memory/conventions.jsonl: drops the check: disables `convention/no-blue` (severity in the base: error)
    error[convention/no-blue] reported with the settings of the base: ai/memory/conventions.jsonl drops the check: disables `convention/no-blue` (severity in the base: error)
    error[team/colour] the file is new
    ");
}

#[test]
fn a_linked_configuration_is_listed() {
    #[cfg(unix)]
    {
        let report = failing_report(&[(CONFIG, "{}")], |server| {
            server.write("other.json", r#"{ "rules": { "team/colour": "off" } }"#);
            std::fs::remove_file(server.path(CONFIG)).expect("removed");
            std::os::unix::fs::symlink("../other.json", server.path(CONFIG)).expect("made");
        });
        assert!(report.contains("team/colour"), "{report}");
    }
}

#[test]
fn a_new_nested_project_is_listed() {
    let scene = scene(&[("app/old.txt", "fine\n")], |server| {
        server.write("app/.aidd/config.json", r#"{ "rules": { "team/colour": "off" } }"#);
    });
    let report = report_with(&scene, &["app"]);
    assert_snapshot!(report.weakened, @"[rule] app/.aidd: turns its directory into a separate project: the settings of the parent project, including those of the base, do not apply");
}

#[test]
fn allow_comments_are_listed_and_apply() {
    let scene =
        PullRequest::new(&[("a.txt", "# aidd:allow team/colour the sea\nblue old\n")], |server| {
            server.write("new.txt", "# aidd:allow team/colour the sky\nblue new\n");
            server.write("a.txt", "one\n# aidd:allow team/colour the sea\nblue old\n");
        });
    let report = report(&scene);
    assert_eq!((report.output.code, &*report.new), (0, ""));
    assert_snapshot!(report.weakened, @r#"
    [allow-comment] new.txt:1: adds the comment `aidd:allow team/colour`; reason: "the sky"
    "#);
}

#[test]
fn only_weaker_settings_are_listed() {
    let stricter = r#"{ "rules": { "team/colour": "error" }, "failOn": "info" }"#;
    for change in [
        ("b.txt", "fine\n"),
        (CONFIG, stricter),
        (CONFIG, "{}"),
        (".aiddignore", "# nothing\n"),
        ("ai/memory/decisions.jsonl", ""),
    ] {
        let scene = scene(&[], |server| server.write(change.0, change.1));
        let report = report(&scene);
        assert_eq!((report.output.code, &*report.weakened), (1, ""), "{change:?}");
        assert_eq!(report.new, "error[team/colour] the file is new\n", "{change:?}");
    }
}

#[test]
fn weak_settings_of_the_base_are_not_listed() {
    // The weaker settings only affect existing findings.
    let scene = PullRequest::new(&[("a.txt", "blue old\n")], |server| {
        server.write("a.txt", "blue old\nfine\n");
        server.write(CONFIG, r#"{ "rules": { "team/colour": "off" } }"#);
    });
    let report = report(&scene);
    assert_eq!(report.output.code, 0, "{}", report.output.out);
    assert!(report.weakened.contains("disables `team/colour`"));
    // After the merge, they are the settings of the base.
    let runner = Runner::new(scene.checkout(&scene.merge, &[]));
    runner.clone.commit(&[("later.txt", "blue later\n")]);
    let output = runner.ci(&["--base", "HEAD~1", "--format", "json"]);
    assert_eq!(output.code, 0, "{}", output.out);
    assert!(output.report()["comparison"]["weakened"].is_null());
}

#[test]
fn the_settings_of_the_base_are_optional() {
    let scene = scene(&[], |server| server.write(CONFIG, r#"{ "rules": { "team/*": "off" } }"#));
    let report = report_with(&scene, &["--settings", "head"]);
    assert_eq!(report.output.code, 0, "{}", report.output.out);
    assert!(report.weakened.contains("disables `team/colour`"), "{}", report.weakened);
    let runner = scene.standard_runner().set("AIDD_SETTINGS", "head");
    assert_eq!(runner.ci(&[]).code, 0);
}

#[test]
fn a_fix_of_an_unreadable_configuration_is_checked_with_the_new_settings() {
    let scene = scene(&[(CONFIG, "{")], |server| server.write(CONFIG, "{}"));
    let report = report(&scene);
    assert_eq!(report.output.code, 1);
    let json = report.output.report();
    let note = json["notes"][0].as_str().expect("a note");
    assert!(
        note.starts_with("The settings of the base cannot be used, so only those of the change"),
        "{note}"
    );
    assert_eq!(report.new, "error[team/colour] the file is new\n");
}

#[test]
fn untracked_settings_apply_to_both_sides() {
    let scene = scene(&[(".gitignore", ".aidd/\n")], |server| {
        server.write("more.txt", "fine\n");
    });
    let runner = scene.standard_runner();
    runner.clone.write(CONFIG, r#"{ "rules": { "team/colour": "off" } }"#);
    let output = runner.ci(&["--format", "json"]);
    assert_eq!(output.code, 0, "{}", output.out);
    assert!(output.report()["comparison"]["weakened"].is_null(), "{}", output.out);
}

#[test]
fn every_format_starts_with_the_weakened_settings() {
    let scene = scene(&[], |server| {
        server.write(CONFIG, "{\n  \"rules\": { \"team/colour\": \"off\" }\n}");
    });
    let output = |format: &str| {
        scene.with_commit_names(&scene.standard_runner().ci(&["--format", format]).out)
    };
    let first = |text: &str, lines: usize| {
        text.lines().take(lines).map(|line| format!("{line}\n")).collect::<String>()
    };
    assert_snapshot!(first(&output("text"), 6), @"
    This change weakens the checks in 1 place:
      .aidd/config.json:2: disables `team/colour` (severity in the base: error)

    error[team/colour]: `blue` is not our colour
     --> new.txt:1:1
      |
    ");
    assert_snapshot!(first(&output("markdown"), 7), @r"
    ## aidd: changes needed: 1 error introduced in 2 changed files

    **Failing:** `blue` is not our colour (reported with the settings of the base: .aidd/config.json:2 disables \`team/colour\` (severity in the base: error)) at [new.txt:1](<https://github.com/octo/demo/blob/MERGE/new.txt#L1>) ([team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>))

    **This change weakens the checks in 1 place:**

    - [.aidd/config.json:2](<https://github.com/octo/demo/blob/MERGE/.aidd/config.json#L2>): disables \`team/colour\` (severity in the base: error)
    ");
    assert_snapshot!(first(&output("github"), 4), @"
    This change weakens the checks in 1 place:
      .aidd/config.json:2: disables `team/colour` (severity in the base: error)
    ::warning file=.aidd/config.json,line=2,title=This change weakens the checks::disables `team/colour` (severity in the base: error)
    ::error file=new.txt,line=1,endLine=1,col=1,endColumn=5,title=team/colour::`blue` is not our colour%0Areported with the settings of the base: .aidd/config.json:2 disables `team/colour` (severity in the base: error)
    ");
    let log: serde_json::Value = serde_json::from_str(&output("sarif")).expect("JSON");
    let note = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(note["descriptor"]["id"], "aidd/weakened-checks");
    assert_eq!(note["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"team/colour".into(), &"error".into()));
}

#[test]
fn merged_shards_report_weakened_settings_once() {
    let scene = scene(&[], |server| {
        server.write(CONFIG, r#"{ "exclude": ["*.txt"], "failOn": "never" }"#);
        server.write("more.txt", "blue more\n");
        server.write("moved.txt", "blue old\n");
        server.git(&["rm", "--quiet", "a.txt"]);
    });
    let expected = scene.standard_runner().ci(&["--format", "json"]);
    let runner = scene.standard_runner();
    let parts: Vec<String> =
        (1..=3).map(|at| runner.file(&format!("part-{at}.json")).display().to_string()).collect();
    for (part, at) in parts.iter().zip(1..) {
        let output = runner.ci(&["--shard", &format!("{at}/3"), "--save", part]);
        assert!(output.code < 2, "{}", output.err);
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let merged = runner.ci(&[&["merge", "--format", "json"], &parts[..]].concat());
    assert_eq!((expected.code, merged.code), (1, 1));
    assert_eq!(merged.report(), expected.report());
    assert_eq!(expected.report()["comparison"]["changedFiles"], 4, "{}", expected.out);
}

#[test]
fn attributes_that_lower_the_severity_are_listed() {
    let key = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    let report = failing_report(&[], |server| {
        server.write("new.txt", format!("token: {key}\n"));
        server.write(".gitattributes", "*.md text\nnew.* linguist-vendored\n");
    });
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(
        lines[0],
        "[paths] .gitattributes:2: declares 1 tracked file as vendored, generated or documentation: `new.txt`"
    );
    let reason = "reported with the settings of the base: .gitattributes:2 declares";
    assert!(lines[1].starts_with("error[secrets/") && lines[1].contains(reason), "{report}");
}
