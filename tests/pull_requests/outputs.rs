//! Tests of the outputs of a run: log, job summary, step outputs and files.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::Runner;
use crate::pull_requests::support::{SPELLING, project};
use insta::assert_snapshot;
use serde_json::Value;

/// A pull request with an error, a fixable warning, and a fixed finding.
fn scene() -> PullRequest {
    let before = [SPELLING, ("a.txt", "one\nblue old\nthree\n"), ("gone.txt", "blue gone\n")];
    PullRequest::new(&before, |server| {
        server.git(&["rm", "--quiet", "gone.txt"]);
        server.write("a.txt", "one\nblue old\nthree\nblue, 100% new\nteh end\n");
    })
}

fn assert_valid_sarif(log: &Value) {
    let schema = include_str!("../../report/tests/sarif-2.1.0.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(log).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}

/// The results of a SARIF file, one per line: rule, location, and whether the result has both
/// fingerprints.
fn results(runner: &Runner, file: &str) -> String {
    let log: Value = serde_json::from_str(&runner.text(file)).expect("JSON");
    assert_valid_sarif(&log);
    let mut text = String::new();
    for result in log["runs"][0]["results"].as_array().expect("results") {
        let location = &result["locations"][0]["physicalLocation"];
        let fingerprints = &result["partialFingerprints"];
        let both = fingerprints["primaryLocationLineHash"].is_string()
            && fingerprints["aidd/v1"].is_string();
        text.push_str(&format!(
            "{} {}:{} {both}\n",
            result["ruleId"], location["artifactLocation"]["uri"], location["region"]["startLine"]
        ));
    }
    text
}

#[test]
fn the_log_has_annotations_and_the_summary_is_appended() {
    let scene = scene();
    let runner = scene.standard_runner();
    std::fs::write(runner.file("summary.md"), "Text of another step.\n").expect("written");
    std::fs::write(runner.file("output.txt"), "other=1\n").expect("written");
    let sarif = runner.file("results.sarif");
    let report = runner.file("report.json");
    let output =
        runner.ci(&["--output", &sarif.to_string_lossy(), "--save", &report.to_string_lossy()]);
    assert_eq!(output.code, 1);
    assert_snapshot!(scene.with_commit_names(&output.out), @"
    ::error file=a.txt,line=4,endLine=4,col=1,endColumn=5,title=team/colour::`blue` is not our colour
    ::warning file=a.txt,line=5,endLine=5,col=1,endColumn=4,title=team/spelling::`teh` is misspelt
    compared with BASE (first parent of the merge commit): 2 changed files
    1 error, 1 warning in 1 file; 1 fixable with --fix; 1 pre-existing, 1 fixed
    ");
    assert_snapshot!(scene.with_commit_names(&output.err), @"aidd: fetching BASEbe969 (main)");
    assert_snapshot!(scene.with_commit_names(&runner.text("summary.md")), @"
    Text of another step.
    ## aidd: changes needed: 1 error, 1 warning introduced in 2 changed files

    **Failing:** `blue` is not our colour at [a.txt:4](<https://github.com/octo/demo/blob/MERGE/a.txt#L4>) ([team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>))

    Compared with BASE (first parent of the merge commit).

    1 fixable with --fix

    ### Errors (1)

    **[team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>)** at [a.txt:4](<https://github.com/octo/demo/blob/MERGE/a.txt#L4>): `blue` is not our colour

          3 | three
        > 4 | blue, 100% new
            | ^^^^
          5 | teh end

    <details>
    <summary>Warnings (1)</summary>

    | Location | Problem | Remedy | Rule |
    | --- | --- | --- | --- |
    | [a.txt:5](<https://github.com/octo/demo/blob/MERGE/a.txt#L5>) | `teh` is misspelt |  | [team/spelling](<https://github.com/octo/demo/blob/MERGE/rules/team/spelling.md>) |

    </details>

    ### Fixed by this change (1)

    Thank you for leaving the code better than you found it.

    - team/colour at [gone.txt:1](<https://github.com/octo/demo/blob/BASE/gone.txt#L1>): `blue` is not our colour

    | In the changed files | Before | Now | Change |
    | --- | ---: | ---: | ---: |
    | Errors | 2 | 2 | 0 |
    | Warnings | 0 | 1 | +1 |

    <details>
    <summary>Pre-existing: 1 error</summary>

    | Location | Problem | Remedy | Rule |
    | --- | --- | --- | --- |
    | [a.txt:2](<https://github.com/octo/demo/blob/MERGE/a.txt#L2>) | `blue` is not our colour |  | [team/colour](<https://github.com/octo/demo/blob/MERGE/rules/team/colour.md>) |

    </details>
    ");
    let folder = runner.file("").to_string_lossy().into_owned();
    assert_snapshot!(runner.text("output.txt").replace(&folder, "FOLDER/"), @"
    other=1
    result=failure
    errors=1
    warnings=1
    infos=0
    fixed=1
    pre-existing=1
    sarif-file=FOLDER/results.sarif
    report=FOLDER/report.json
    ");
    assert_snapshot!(results(&runner, "results.sarif"), @r#"
    "team/colour" "a.txt":4 true
    "team/spelling" "a.txt":5 true
    "#);
}

#[test]
fn code_scanning_receives_all_findings_of_the_default_branch() {
    let server = project(&[("a.txt", "blue one\n"), ("old.txt", "blue old\n")]);
    let before = server.rev("HEAD");
    let after = server.commit(&[("a.txt", "blue one\nblue two\n")]);
    let values = [("ref", "refs/heads/main"), ("before", &*before), ("after", &after)];
    let payload = crate::pull_requests::runner::payload("push.json", &values);
    let clone = server.cloned(&["--depth=1"]);
    let runner = Runner::github(clone, "push", "refs/heads/main", &payload);
    let sarif = runner.file("all.sarif");
    let output = runner.ci(&["--output", &sarif.to_string_lossy()]);
    // Only findings of the push are annotated and fail the run.
    assert_eq!(output.code, 1);
    assert_eq!(output.out.lines().filter(|line| line.starts_with("::")).count(), 1);
    assert_snapshot!(results(&runner, "all.sarif"), @r#"
    "team/colour" "a.txt":1 true
    "team/colour" "a.txt":2 true
    "team/colour" "old.txt":1 true
    "#);
    let changed = runner.file("changed.sarif");
    let output = runner.ci(&["--scope", "changed", "--output", &changed.to_string_lossy()]);
    assert_eq!(output.code, 1);
    assert_snapshot!(results(&runner, "changed.sarif"), @r#""team/colour" "a.txt":2 true"#);
}

#[test]
fn reports_of_an_earlier_run_are_not_checked() {
    let scene = scene();
    let runner = scene.standard_runner();
    let report = runner.ci_summary(&["--output", "out/report.txt", "--save", "saved.txt"]);
    assert_eq!(runner.ci_summary(&["--output", "out/report.txt", "--save", "saved.txt"]), report);
    assert!(!report.contains("report.txt") && !report.contains("saved.txt"), "{report}");
}

#[test]
fn annotations_are_optional_and_other_formats_contain_no_commands() {
    // A runner would interpret these lines of the log as commands, one in each syntax.
    let trap = "blue ##[set-output name=result]success\n::error file=b.txt::blue\n";
    let scene = PullRequest::new(&[("a.txt", "one\n")], |server| server.write("a.txt", trap));
    let runner = scene.standard_runner();
    let args = [
        &["--no-annotations"][..],
        &["--format", "text"],
        &["--format", "json"],
        &["--format", "sarif"],
        &["--format", "markdown"],
        &["--format", "junit"],
        &["--format", "gitlab"],
    ];
    for args in args {
        let output = runner.ci(args);
        assert_eq!(output.code, 1);
        assert!(output.out.contains("blue"), "{}", output.out);
        assert_no_command(&output.out);
        assert_no_command(&output.err);
    }
    let output = runner.ci(&[]);
    assert_eq!(output.out.lines().filter(|line| line.starts_with("::error ")).count(), 2);
    assert!(!output.out.contains("##["), "{}", output.out);
    // The same applies outside CI, because any system can read the log.
    let runner = Runner::new(scene.checkout(&scene.merge, &[]));
    let output = runner.ci(&["--base", &scene.base]);
    assert!(output.out.contains("# #["), "{}", output.out);
    assert_no_command(&output.out);
}

#[track_caller]
fn assert_no_command(log: &str) {
    let command = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
    assert_eq!(log.lines().find(command), None);
}

#[test]
fn the_policy_is_reported() {
    let server = project(&[
        ("a.txt", "blue\n"),
        (
            ".aidd/config.json",
            r#"{ "ci": { "blockOn": ["team/colour"], "warnOn": ["dockerfile"] } }"#,
        ),
    ]);
    let runner = Runner::new(server);
    let policies = ["github", "json", "markdown"].map(|format| {
        let output = runner.ci(&["--policy", format]);
        assert_eq!((output.code, &*output.err), (0, ""));
        output.out
    });
    assert!(policies[0].contains("team/colour"), "{}", policies[0]);
    let json: Value = serde_json::from_str(&policies[1]).expect("JSON");
    assert!(json.is_object());
    assert!(policies[2].contains("team/colour"), "{}", policies[2]);
}

#[test]
fn a_report_contains_the_findings() {
    let scene = PullRequest::standard();
    let runner = scene.standard_runner();
    for format in ["json", "github", "markdown"] {
        let report = runner.ci(&["--report", format]);
        let same = runner.ci(&["--format", format]);
        assert_eq!((report.code, same.code), (1, 1), "{format}: {}", report.err);
        let without_time = |text: &str| {
            let lines = text.lines().filter(|line| !line.contains("elapsed"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(without_time(&report.out), without_time(&same.out), "{format}");
        assert!(report.out.contains("team/colour"), "{format}: {}", report.out);
    }
    let json = runner.ci(&["--report", "json"]).report();
    let statuses = json["findings"].as_array().expect("findings").iter();
    let statuses: Vec<&str> = statuses.filter_map(|finding| finding["status"].as_str()).collect();
    assert_eq!(statuses, ["pre-existing", "new", "fixed"]);
}

#[test]
fn a_project_in_a_subdirectory_is_reported_with_paths_from_the_root() {
    let page = format!("app/{}", SPELLING.0);
    let files = [("app/.aidd/config.json", "{}"), (&*page, SPELLING.1), ("app/a.txt", "one\n")];
    let scene = PullRequest::new(&files, |server| server.write("app/a.txt", "one\nteh end\n"));
    let runner = scene.standard_runner();
    let sarif = runner.file("app.sarif").display().to_string();
    let part = runner.file("part.json").display().to_string();
    let output = runner.run_in("app", &["ci", "--output", &sarif]);
    assert_snapshot!(scene.with_commit_names(&output.out), @"
    ::warning file=app/a.txt,line=2,endLine=2,col=1,endColumn=4,title=team/spelling::`teh` is misspelt
    compared with BASE (first parent of the merge commit): 1 changed file
    1 warning in 1 file; 1 fixable with --fix
    ");
    assert_snapshot!(results(&runner, "app.sarif"), @r#""team/spelling" "app/a.txt":2 true"#);
    let log: Value = serde_json::from_str(&runner.text("app.sarif")).expect("JSON");
    let root = log["runs"][0]["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().expect("text");
    assert!(!root.ends_with("app/"), "{root}");
    let row = |text: String| text.lines().find(|line| line.contains("teh")).map(str::to_owned);
    assert_snapshot!(scene.with_commit_names(&row(runner.text("summary.md")).expect("a row")), @"| [app/a.txt:2](<https://github.com/octo/demo/blob/MERGE/app/a.txt#L2>) | `teh` is misspelt |  | [team/spelling](<https://github.com/octo/demo/blob/MERGE/app/rules/team/spelling.md>) |");
    // A run from the root and merged shards print the same report.
    assert_eq!(runner.ci(&["app"]).out, output.out);
    assert_eq!(runner.run_in("app", &["ci", "--shard", "1/1", "--save", &part]).code, 0);
    assert_eq!(runner.run_in("app", &["ci", "merge", &part]).out, output.out);
}
