//! Tests of how inputs are passed to the binary, and of the outputs.

use crate::action::install::STUB;
use crate::action::runner::{Outcome, Runner};

/// A machine whose `cargo` installs the stub.
fn machine() -> Runner {
    let runner = Runner::new("none\n");
    runner.install("stub", STUB);
    runner.install(
        "cargo",
        "#!/bin/sh\nmkdir -p \"$CARGO_TARGET_DIR/release\"\ncp \"$SEEN/../bin/stub\" \"$CARGO_TARGET_DIR/release/aidd\"\n",
    );
    runner
}

/// The arguments of the binary, one per line, without the name of the temporary directory.
#[track_caller]
fn args(runner: &Runner) -> String {
    let outcome = runner.run();
    assert_eq!(outcome.code, 1, "{}", outcome.log);
    let temp = runner.path("temp").display().to_string();
    let args = runner.read("seen/args").replace(&temp, "TEMP");
    let random = args.split_once("TEMP/aidd.").map(|(_, rest)| rest[..6].to_owned());
    random.map_or(args.clone(), |random| args.replace(&random, "XXXXXX"))
}

#[track_caller]
fn assert_refused(runner: &Runner) -> Outcome {
    let outcome = runner.run();
    assert_eq!(outcome.code, 2, "{}", outcome.log);
    assert!(runner.read("seen/args").is_empty(), "aidd was run");
    outcome
}

#[test]
fn default_inputs_are_passed_as_options() {
    let runner = machine();
    insta::assert_snapshot!(args(&runner), @r"
    [ci]
    [--scope]
    [auto]
    [--output]
    [sarif=TEMP/aidd.XXXXXX/aidd.sarif]
    [--save]
    [TEMP/aidd.XXXXXX/aidd-report.json]
    [--comment]
    [--upload-sarif]
    [--]
    [.]
    ");
    assert_eq!(runner.read("seen/token"), "the-token\n");
    assert!(runner.read("seen/summary").ends_with("/summary\n"));
}

#[test]
fn every_input_has_its_option() {
    let runner = machine()
        .with_input("paths", "src\ndocs\n")
        .with_input("base", "main")
        .with_input("diff", "off")
        .with_input("fail-on", "warning")
        .with_input("config", "ci/aidd.json")
        .with_input("annotations", "false")
        .with_input("summary", "false")
        .with_input("comment", "false")
        .with_input("check-run", "true")
        .with_input("review", "true")
        .with_input("sarif", "off")
        .with_input("category", "docs")
        .with_input("shard", "2/4")
        .with_input("args", "--exclude=vendor/**\n--no-base\nfull\n")
        .with_input("token", "another");
    insta::assert_snapshot!(args(&runner), @r"
    [ci]
    [--scope]
    [all]
    [--base]
    [main]
    [--shard]
    [2/4]
    [--output]
    [sarif=TEMP/aidd.XXXXXX/aidd.sarif]
    [--save]
    [TEMP/aidd.XXXXXX/aidd-report.json]
    [--fail-on]
    [warning]
    [--no-annotations]
    [--review]
    [--config]
    [ci/aidd.json]
    [--category]
    [docs]
    [--check-run]
    [--exclude=vendor/**]
    [--no-base]
    [full]
    [--]
    [src]
    [docs]
    ");
    assert_eq!(runner.read("seen/token"), "another\n");
    assert_eq!(runner.read("seen/summary"), "none\n");
}

#[test]
fn a_report_is_posted() {
    let runner = machine().with_input("command", "post").with_input("paths", "aidd-report.json");
    insta::assert_snapshot!(args(&runner), @r"
    [ci]
    [post]
    [--comment]
    [--upload-sarif]
    [--]
    [aidd-report.json]
    ");
}

#[test]
fn reports_are_merged() {
    let runner = machine().with_input("command", "merge").with_input("paths", "1.json\n2.json");
    let runner =
        runner.with_input("sarif", "off").with_input("comment", "false").with_input("shard", "1/2");
    insta::assert_snapshot!(args(&runner), @r"
    [ci]
    [merge]
    [--output]
    [sarif=TEMP/aidd.XXXXXX/aidd.sarif]
    [--save]
    [TEMP/aidd.XXXXXX/aidd-report.json]
    [--]
    [1.json]
    [2.json]
    ");
}

#[test]
fn inputs_are_not_interpreted_by_the_shell() {
    let hostile = "a b'c\"d $(touch pwned) `touch pwned` ; touch pwned * -- \\";
    for input in ["paths", "base", "fail-on", "config", "category", "shard", "args"] {
        let runner = machine().with_input(input, hostile);
        let args = args(&runner);
        assert!(args.contains(&format!("[{hostile}]\n")), "{input}: {args}");
        assert!(!runner.path("work/pwned").exists(), "{input}");
    }
    let runner = machine().with_input("paths", "--fix\n");
    assert!(args(&runner).ends_with("[--]\n[--fix]\n"), "a path must not become an option");
}

#[test]
fn aidd_runs_in_the_working_directory() {
    let runner = machine().with_input("working-directory", "a b");
    std::fs::create_dir(runner.path("work/a b")).expect("made");
    args(&runner);
    assert!(runner.read("seen/folder").ends_with("/a b\n"));
}

#[test]
fn invalid_values_of_switches_are_rejected() {
    for input in ["annotations", "summary", "comment", "check-run", "review"] {
        let outcome = assert_refused(&machine().with_input(input, "yes"));
        let error =
            format!("::error title=aidd::input {input}: expected true or false, found 'yes'");
        assert!(outcome.log.contains(&error), "{}", outcome.log);
    }
    for input in ["diff", "sarif"] {
        let outcome = assert_refused(&machine().with_input(input, "never"));
        assert!(
            outcome.log.contains(&format!("input {input}: expected auto or off")),
            "{}",
            outcome.log
        );
    }
    let outcome = assert_refused(&machine().with_input("command", "fix"));
    assert!(outcome.log.contains("expected check, merge or post, found 'fix'"), "{}", outcome.log);
}

#[test]
fn the_action_passes_on_the_outputs_of_the_binary() {
    let outcome = machine().run();
    let outputs: String = outcome
        .outputs
        .iter()
        .filter(|(name, _)| *name != "binary")
        .map(|(name, value)| format!("{name}={value}\n"))
        .collect();
    insta::assert_snapshot!(outputs, @r"
    errors=2
    fixed=3
    infos=0
    pre-existing=4
    report=/tmp/report.json
    result=failure
    sarif-file=/tmp/a.sarif
    warnings=1
    ");
}
