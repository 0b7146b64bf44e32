//! Tests of `aidd check`: selection of files, output, exit codes.

use crate::cli::support::{BLUE, CONSOLE, Project, paths, token};
use insta::assert_snapshot;

/// An allow comment, written in two parts so that this file contains no such comment.
const ALLOW: &str = concat!("aidd", ":allow team/old-colour");

#[test]
fn a_clean_project_exits_with_0() {
    let project = Project::new(&[("a.txt", "teal\n")]);
    let output = project.run(&["check", "."]).expect_code(0);
    assert_snapshot!(output.out, @"no problems in 1 file (TIME)");
    assert_eq!(output.err, "");
    assert_eq!(project.run(&["check"]).expect_code(0).out, output.out);
}

#[test]
fn findings_exit_with_1_and_show_their_location() {
    let project = Project::new(&[("rules/blue.md", BLUE), ("rules/console.md", CONSOLE)]);
    project.write("a.txt", "a blue sky\n");
    project.write("src/a.js", "if (x) {\n  console.log(x)\n}\n");
    let output = project.run(&["check", "."]).expect_code(1);
    assert_snapshot!(output.out, @"
    error[team/console]: `console.log` is left over from debugging
     --> src/a.js:2:3
      |
    1 | if (x) {
    2 |   console.log(x)
      |   ^^^^^^^^^^^^^^
    3 | }
      |
      = fix: Replace with `logger.log(x)` (--fix-unsafe)
      |
    2 -   console.log(x)
    2 +   logger.log(x)
      |

    warning[team/old-colour]: `blue` is not our colour
     --> a.txt:1:3
      |
    1 | a blue sky
      |   ^^^^
      |
      = help: Use teal
      = fix: Replace with `teal` (--fix)
      |
    1 - a blue sky
    1 + a teal sky
      |

    1 error, 1 warning in 4 files (TIME); 1 fixable with --fix, 1 with --fix-unsafe
    next: review the fixes with `aidd check --fix --dry-run`
    ");
}

#[test]
fn fail_on_selects_the_failing_severity() {
    let project = Project::new(&[("rules/blue.md", BLUE), ("a.txt", "blue")]);
    project.run(&["check", "."]).expect_code(0);
    project.run(&["check", ".", "--fail-on", "warning"]).expect_code(1);
    project.run_env(&[("AIDD_FAIL_ON", "info")], &["check", "."]).expect_code(1);
    project.write(".aidd/config.json", r#"{"failOn": "warning"}"#);
    project.run(&["check", "."]).expect_code(1);
    project.run(&["check", ".", "--fail-on", "never"]).expect_code(0);
    let output = project.run_env(&[("AIDD_FAIL_ON", "fatal")], &["check", "."]).expect_code(2);
    assert!(output.err.contains(": expected error, warning, info or never"), "{}", output.err);
}

#[test]
fn rules_are_chosen_by_id_glob_alias_and_severity() {
    let project = Project::new(&[("rules/blue.md", BLUE)]);
    project.write("a.txt", format!("blue {}\n", token()));
    let rules = |args: &[&str]| {
        let output = project.run(&[&["check", ".", "--format", "github"], args].concat());
        let titles = output.out.lines().filter_map(|line| line.split_once("title="));
        titles
            .filter_map(|(_, rest)| rest.split_once("::"))
            .map(|(title, _)| title.to_owned())
            .collect::<Vec<_>>()
    };
    let token = "secrets/github-personal-access-token";
    assert_eq!(rules(&[]), [token, "team/old-colour"]);
    assert_eq!(rules(&["--only", "team/*"]), ["team/old-colour"]);
    assert_eq!(rules(&["--only", "github-pat"]), [token]);
    assert_eq!(rules(&["--only", "TEAM1,github-pat"]), [token, "team/old-colour"]);
    assert_eq!(rules(&["--skip", "secrets/*"]), ["team/old-colour"]);
    assert_eq!(rules(&["--severity", "error"]), [token]);
}

#[test]
fn invalid_usage_exits_with_2_and_a_hint() {
    let project = Project::new(&[("a.txt", "")]);
    let error = |args: &[&str]| project.run(args).expect_code(2).err;
    assert_snapshot!(error(&["check", ".", "--only", "secrets/github-personal-acess-token"]), @"
    error: unknown rule `secrets/github-personal-acess-token`; did you mean `secrets/github-personal-access-token`?
    hint: run `aidd rule list` to list all rules
    ");
    assert_snapshot!(error(&["explain", "github-personal-acess-token"]), @"
    error: unknown rule `github-personal-acess-token`
    hint: did you mean `secrets/github-personal-access-token`?
    ");
    assert_snapshot!(error(&["check", ".", "--output", "report"]), @r"
    error: --output report: unknown format
    hint: add the format: --output sarif=report
    ");
    assert_snapshot!(error(&["check", ".", "--stdin-path", "a.txt"]), @"
    error: --stdin-path requires the path `-`
    hint: aidd check - --stdin-path PATH < FILE
    ");
    assert!(error(&["check", ".", "--dry-run"]).contains("--fix"), "the error does not name --fix");
    assert!(
        error(&["chek"]).contains("similar subcommand exists: 'check'"),
        "no similar command is suggested"
    );
    assert!(
        error(&["check", "nowhere"]).starts_with("error: nowhere: "),
        "the error does not name the path"
    );
    assert!(
        error(&["check", "-", "a.txt"]).contains("`-` cannot be combined"),
        "the error does not name `-`"
    );
}

#[test]
fn all_lists_the_allowed_findings_with_their_reasons() {
    // Assembled here, so that this file contains no such comment.
    let mark = ["aidd", "allow"].join(":");
    let text = format!("blue # {mark} team/old-colour the old logo\nblue # {mark} TEAM1\n");
    let project = Project::new(&[("rules/blue.md", BLUE), ("a.txt", &text)]);
    assert_snapshot!(project.run(&["check", ".", "--all"]).expect_code(0).out, @"
    warning allowed[team/old-colour]: `blue` is not our colour
      --> a.txt:1:1: the old logo
    warning allowed[team/old-colour]: `blue` is not our colour
      --> a.txt:2:1: `aidd:allow` comment

    no problems in 2 files (TIME); 2 allowed
    ");
    let concise = project.run(&["check", ".", "--all", "--format", "concise"]).expect_code(0).out;
    assert_snapshot!(concise, @"
    a.txt:1:1: warning allowed[team/old-colour] `blue` is not our colour (the old logo)
    a.txt:2:1: warning allowed[team/old-colour] `blue` is not our colour (`aidd:allow` comment)

    no problems in 2 files (TIME); 2 allowed
    ");
    let out = project.run(&["check", "."]).expect_code(0).out;
    assert_eq!(out, "no problems in 2 files (TIME); 2 allowed\n");
}

#[test]
fn a_path_outside_the_project_is_refused() {
    let (project, other) = (Project::new(&[("a.txt", "")]), Project::new(&[("b.txt", "")]));
    let outside = other.path().join("b.txt").display().to_string();
    let output = project.run(&["check", "a.txt", &outside]).expect_code(2);
    assert!(output.err.contains("is not below"), "{}", output.err);
    assert!(output.err.contains("hint: check each project in a separate run"), "{}", output.err);
    project.run(&["check", &outside]).expect_code(0);
}

#[test]
fn standard_input_is_checked_as_a_path() {
    let project = Project::new(&[("rules/blue.md", BLUE)]);
    let output =
        project.run_with(b"blue", &["check", "-", "--stdin-path", "new.txt"]).expect_code(0);
    assert!(output.out.contains("--> new.txt:1:1"), "{}", output.out);
    let output =
        project.run_with(b"blue", &["check", "-", "--stdin-path", "new.csv"]).expect_code(0);
    assert_eq!(output.out, "no problems in 1 file (TIME)\n");
    let output = project.run_with(token().as_bytes(), &["check", "-"]).expect_code(1);
    assert!(output.out.contains("--> stdin.txt:1:1"), "{}", output.out);
    let output = project.run_with(b"", &["check", "-", "--stdin-path", "../a.txt"]).expect_code(2);
    assert!(output.err.contains("is not inside ROOT"), "{}", output.err);
}

#[test]
fn ignored_hidden_and_excluded_files_are_skipped() {
    let project = Project::new(&[
        ("rules/blue.md", BLUE),
        (".gitignore", "git.txt\n"),
        (".aiddignore", "own.txt\n"),
        ("git.txt", "blue"),
        ("own.txt", "blue"),
        ("seen.txt", "blue"),
        ("deep/.hidden.txt", "blue"),
    ]);
    let run = |args: &[&str]| {
        project.run(&[&["check", ".", "--format", "github"], args].concat()).expect_code(0).out
    };
    assert_eq!(paths(&run(&[])), ["deep/.hidden.txt", "seen.txt"]);
    assert_eq!(paths(&run(&["--no-hidden"])), ["seen.txt"]);
    assert_eq!(paths(&run(&["--exclude", "deep/"])), ["seen.txt"]);
    let all = ["deep/.hidden.txt", "git.txt", "own.txt", "seen.txt"];
    assert_eq!(paths(&run(&["--no-ignore"])), all);
    project.write(".aidd/config.json", r#"{"exclude": ["seen.*"]}"#);
    assert_eq!(paths(&run(&[])), ["deep/.hidden.txt"]);
    // Files named on the command line are checked.
    let output =
        project.run(&["check", "git.txt", "seen.txt", "--format", "github"]).expect_code(0);
    assert_eq!(output.out.matches("team/old-colour").count(), 2, "{}", output.out);
}

#[test]
fn a_file_named_several_times_is_checked_once() {
    let project = Project::new(&[("rules/blue.md", BLUE), ("d/a.txt", "blue"), ("b.txt", "blue")]);
    let args = ["check", "d/a.txt", "d", "d/../d/a.txt", ".", "rules", "--format", "github"];
    assert_eq!(paths(&project.run(&args).expect_code(0).out), ["b.txt", "d/a.txt"]);
    assert!(
        project
            .run(&["check", "d", "d"])
            .expect_code(0)
            .out
            .contains("1 warning in 2 files (TIME); 1 fixable with --fix\n")
    );
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    let project = Project::new(&[("rules/blue.md", BLUE)]);
    for n in 0..60 {
        project.write(&format!("d{}/f{n}.txt", n % 7), format!("{n} blue\n{}\nblue\n", token()));
    }
    for format in ["text", "json", "sarif", "github", "gitlab", "markdown"] {
        let run =
            |jobs| project.run(&["check", ".", "--format", format, "--jobs", jobs]).expect_code(1);
        let expected = run("1").out;
        assert_eq!(expected, run("7").out, "{format}");
        assert_eq!(expected, run("0").out, "{format}");
    }
}

#[test]
fn unused_allow_comments_are_reported() {
    let project = Project::new(&[("rules/blue.md", BLUE)]);
    project.write("a.txt", format!("blue # {ALLOW} the sky is\n"));
    let output = project.run(&["check", "a.txt"]).expect_code(0);
    assert!(output.out.ends_with("; 1 allowed\n"), "{}", output.out);
    project.write("a.txt", format!("teal # {ALLOW} the sky is\n"));
    let output = project.run(&["check", "a.txt"]).expect_code(0);
    assert!(output.out.contains("warning[aidd/unused-allow]"), "{}", output.out);
}
