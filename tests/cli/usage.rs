//! The commands a new user types, and the responses.

use crate::cli::support::{BLUE, CONSOLE, Project};
use insta::assert_snapshot;

/// A project in which one file violates a rule.
fn project() -> Project {
    Project::new(&[("rules/blue.md", BLUE), ("a.txt", "blue\n")])
}

#[test]
fn an_empty_variable_counts_as_unset() {
    let project = project();
    let plain = project.run(&["check", "."]).expect_code(0);
    assert!(plain.out.contains("team/old-colour"), "{}", plain.out);
    let names = [
        "AIDD_EXCLUDE",
        "AIDD_FORMAT",
        "AIDD_FAIL_ON",
        "AIDD_CONFIG",
        "AIDD_BASELINE",
        "AIDD_JOBS",
        "AIDD_MAX_FILE_SIZE",
    ];
    for name in names {
        let ran = project.run_env(&[(name, "")], &["check", "."]).expect_code(0);
        assert_eq!((ran.out, ran.err), (plain.out.clone(), plain.err.clone()), "{name}");
    }
    let shown = project.run_env(&[("AIDD_EXCLUDE", "")], &["config", "show"]).expect_code(0).out;
    assert!(shown.contains("exclude = []  # default"), "{shown}");
}

#[test]
fn a_wrong_value_of_a_variable_names_the_variable() {
    let project = project();
    let said = |name: &str, value: &str, args: &[&str]| {
        project.run_env(&[(name, value)], args).expect_code(2).err
    };
    assert_snapshot!(said("AIDD_JOBS", "many", &["check", "."]), @"
    error: invalid value 'many' for '--jobs <N>': a whole number is expected

    For more information, try '--help'.
    hint: the value comes from the environment variable AIDD_JOBS
    ");
    assert!(
        said("AIDD_FORMAT", "xml", &["check"]).contains("the environment variable AIDD_FORMAT")
    );
    let typed = said("AIDD_FORMAT", "json", &["check", "--format", "xml"]);
    assert!(!typed.contains("variable"), "{typed}");
}

#[test]
fn a_list_of_globs_can_contain_braces() {
    let project = project();
    project.write("b.md", "blue\n");
    let out = |args: &[&str]| project.run(args).expect_code(0).out;
    assert!(!out(&["check", ".", "--exclude", "*.{txt,md}"]).contains("a.txt"));
    assert!(out(&["check", ".", "--exclude", "*.md,x"]).contains("a.txt"));
    assert!(out(&["check", ".", "--only", "team/{old-colour,red}"]).contains("a.txt"));
    let ran = project.run(&["check", ".", "--only", ","]).expect_code(2);
    assert_eq!(ran.err, "error: --only requires at least one rule\n");
    let ran = project.run(&["check", ".", "--exclude", "[a"]).expect_code(2);
    assert!(ran.err.contains("not a glob: `[a`: unclosed character class"), "{}", ran.err);
}

#[test]
fn an_output_of_an_unknown_format_writes_nothing() {
    let project = project();
    let ran = project.run(&["check", ".", "--output", "jnit=a.xml"]).expect_code(2);
    assert_snapshot!(ran.err, @r"
    error: --output jnit=a.xml: unknown format `jnit`; did you mean `junit`?
    hint: the formats are text, json, sarif, github, markdown, gitlab, junit
    ");
    assert!(!project.path().join("jnit=a.xml").exists());
}

#[test]
fn options_of_other_tools_produce_hints() {
    let project = project();
    let hint = |args: &[&str]| {
        let said = project.run(args).expect_code(2).err;
        said.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(hint(&["fix"]), "hint: did you mean `aidd check . --fix`?");
    assert_eq!(hint(&["check", "--rule", "x"]), "hint: did you mean `--only`?");
    assert_eq!(hint(&["check", "--no-color"]), "hint: did you mean `--color never`?");
}

#[test]
fn nested_projects_are_checked_from_the_root() {
    let project = project();
    project.write("packages/api/.aidd/rules/console.md", CONSOLE);
    project.write("packages/api/src/a.js", "console.log(1)\n");
    project.write("packages/web/a.txt", "blue\n");
    let first = project.run(&["check", "packages/api/src/a.js", "packages/web/a.txt"]);
    let second = project.run(&["check", "packages/web/a.txt", "packages/api/src/a.js"]);
    assert_eq!((&first.out, &first.err), (&second.out, &second.err));
    assert!(first.out.contains("--> packages/web/a.txt:1:1"), "{}", first.out);
}

#[test]
fn packs_are_listed_with_effective_severities() {
    let project = Project::new(&[(".aidd/config.json", r#"{"compliance": "git"}"#)]);
    let listed = project.run(&["rule", "packs"]).expect_code(0);
    let git = listed.out.lines().find(|line| line.contains(" git ")).unwrap_or_default();
    assert!(git.starts_with("on  git") && git.contains(" rules  "), "{git}");
    assert!(listed.out.contains("off docs"), "{}", listed.out);
    assert!(
        listed.err.contains("`aidd rule packs NAME` lists the rules of a pack"),
        "{}",
        listed.err
    );
    let one = project.run(&["rule", "packs", "git"]).expect_code(0).out;
    assert!(one.lines().any(|line| line.contains("compliance/commit-message")), "{one}");
    assert!(one.lines().all(|line| !line.starts_with("off")), "{one}");
    let off = project.run(&["rule", "list", "compliance/enum"]).expect_code(0).out;
    assert!(off.starts_with("off "), "{off}");
    let ran = project.run(&["rule", "packs", "gti"]).expect_code(2);
    assert_snapshot!(ran.err, @"
    error: unknown pack `gti`; did you mean `git`?
    hint: `aidd rule packs` lists all packs
    ");
    let ran = project.run(&["explain", "git"]).expect_code(2);
    assert!(ran.err.contains("hint: it is a rule pack: aidd rule packs git"), "{}", ran.err);
    project.write(".aidd/packs/torn.md", "<<<<<<< a\n---\npack: { rules: x }\n---\n");
    let ran = project.run(&["rule", "packs"]).expect_code(2);
    assert!(ran.out.contains("off docs"), "an invalid pack does not hide the others: {}", ran.out);
    assert!(ran.err.contains(".aidd/packs/torn.md:1:1: merge conflict"), "{}", ran.err);
    project.remove(".aidd/packs/torn.md");
    let json = project.run(&["rule", "packs", "--json"]).expect_code(0).out;
    let all: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(all[0]["on"], false);
}

#[test]
fn an_unknown_pack_is_reported_with_its_position() {
    let project = Project::new(&[(".aidd/config.json", "{\n  \"compliance\": [\"gti\"]\n}\n")]);
    assert_snapshot!(project.run(&["check", "."]).expect_code(2).err, @"error: ROOT/.aidd/config.json:2:18: compliance: unknown pack `gti`; did you mean `git`?");
}

#[test]
fn a_page_with_a_merge_conflict_is_reported() {
    let project = project();
    let torn = "<<<<<<< HEAD\n---\nseverity: error\n=======\n---\nseverity: info\n>>>>>>> b\ncheck:\n  text: { regex: blue }\n---\n# team/x\n\nWhy.\n";
    project.write(".aidd/rules/x.md", torn);
    let ran = project.run(&["check", "."]).expect_code(1);
    assert!(ran.out.contains("merge conflict in the page"), "{}", ran.out);
    project.write(".aidd/rules/x.md", "\n---\nseverity: error\n---\n# team/x\n\nWhy.\n");
    let ran = project.run(&["check", "."]).expect_code(1);
    assert!(ran.out.contains("the header must begin on the first line"), "{}", ran.out);
}

#[test]
fn a_dry_run_reports_unsafe_fixes() {
    let project = Project::new(&[("Dockerfile", "FROM node:20.1\nRUN apt-get install -y a=1\n")]);
    let ran = project.run(&["check", ".", "--fix", "--dry-run"]).expect_code(0);
    assert_eq!(ran.err, "nothing to fix; 1 problem fixable with --fix-unsafe\n");
}

#[test]
fn a_missing_message_file_is_reported() {
    let ran = project().run(&["hook", "commit-msg", "nowhere"]).expect_code(2);
    assert!(ran.err.contains("nowhere"), "{}", ran.err);
}

#[test]
fn a_misnamed_configuration_is_reported() {
    let project = project();
    project.write("aidd.toml", "fail-on = 'warning'\n");
    let said = "aidd.toml is not read: the configuration is .aidd/config.json, in JSON";
    let ran = project.run(&["check", "."]).expect_code(0);
    assert_eq!(ran.err, format!("note: {said}\n"));
    assert_eq!(project.run(&["check", ".", "-q"]).expect_code(0).err, "");
    let doctor = project.run(&["doctor"]).expect_code(2).out;
    assert!(doctor.contains(&format!("wrong          {said}")), "{doctor}");
    project.write(".aidd/config.json", "{}");
    assert_eq!(project.run(&["check", "."]).expect_code(0).err, "");
}
