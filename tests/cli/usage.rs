//! Tests of the responses to commands that a new user types.

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
        let output = project.run_env(&[(name, "")], &["check", "."]).expect_code(0);
        assert_eq!((output.out, output.err), (plain.out.clone(), plain.err.clone()), "{name}");
    }
    let text = project.run_env(&[("AIDD_EXCLUDE", "")], &["config", "show"]).expect_code(0).out;
    assert!(text.contains("exclude = []  # default"), "{text}");
}

#[test]
fn the_error_for_an_invalid_variable_names_the_variable() {
    let project = project();
    let error = |name: &str, value: &str, args: &[&str]| {
        project.run_env(&[(name, value)], args).expect_code(2).err
    };
    assert_snapshot!(error("AIDD_JOBS", "many", &["check", "."]), @"
    error: invalid value 'many' for '--jobs <N>': expected a whole number

    For more information, try '--help'.
    hint: the value comes from the environment variable AIDD_JOBS
    ");
    assert!(
        error("AIDD_FORMAT", "xml", &["check"]).contains("the environment variable AIDD_FORMAT")
    );
    let from_option = error("AIDD_FORMAT", "json", &["check", "--format", "xml"]);
    assert!(!from_option.contains("variable"), "{from_option}");
}

#[test]
fn a_list_of_globs_can_contain_braces() {
    let project = project();
    project.write("b.md", "blue\n");
    let out = |args: &[&str]| project.run(args).expect_code(0).out;
    assert!(!out(&["check", ".", "--exclude", "*.{txt,md}"]).contains("a.txt"));
    assert!(out(&["check", ".", "--exclude", "*.md,x"]).contains("a.txt"));
    assert!(out(&["check", ".", "--only", "team/{old-colour,red}"]).contains("a.txt"));
    let output = project.run(&["check", ".", "--only", ","]).expect_code(2);
    assert_eq!(output.err, "error: --only requires at least one rule\n");
    let output = project.run(&["check", ".", "--exclude", "[a"]).expect_code(2);
    assert!(output.err.contains("not a glob: `[a`: unclosed character class"), "{}", output.err);
}

#[test]
fn an_output_of_an_unknown_format_writes_nothing() {
    let project = project();
    let output = project.run(&["check", ".", "--output", "jnit=a.xml"]).expect_code(2);
    assert_snapshot!(output.err, @r"
    error: --output jnit=a.xml: unknown format `jnit`; did you mean `junit`?
    hint: the formats are text, concise, json, sarif, github, markdown, gitlab, junit
    ");
    assert!(!project.path().join("jnit=a.xml").exists());
}

#[test]
fn options_of_other_tools_produce_hints() {
    let project = project();
    let hint = |args: &[&str]| {
        let stderr = project.run(args).expect_code(2).err;
        stderr.lines().last().unwrap_or_default().to_owned()
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
    let rules = project.run(&["rule", "packs", "git"]).expect_code(0).out;
    assert!(rules.lines().any(|line| line.contains("compliance/commit-message")), "{rules}");
    assert!(rules.lines().all(|line| !line.starts_with("off")), "{rules}");
    let off = project.run(&["rule", "list", "compliance/enum"]).expect_code(0).out;
    assert!(off.starts_with("off "), "{off}");
    let output = project.run(&["rule", "packs", "gti"]).expect_code(2);
    assert_snapshot!(output.err, @"
    error: unknown pack `gti`; did you mean `git`?
    hint: `aidd rule packs` lists all packs
    ");
    let output = project.run(&["explain", "git"]).expect_code(2);
    assert!(
        output.err.contains("hint: `git` is a rule pack: aidd rule packs git"),
        "{}",
        output.err
    );
    project.write(".aidd/packs/torn.md", "<<<<<<< a\n---\npack: { rules: x }\n---\n");
    let output = project.run(&["rule", "packs"]).expect_code(2);
    assert!(
        output.out.contains("off docs"),
        "an invalid pack hides the other packs: {}",
        output.out
    );
    assert!(output.err.contains(".aidd/packs/torn.md:1:1: merge conflict"), "{}", output.err);
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
    let conflict = "<<<<<<< HEAD\n---\nseverity: error\n=======\n---\nseverity: info\n>>>>>>> b\ncheck:\n  text: { regex: blue }\n---\n# team/x\n\nWhy.\n";
    project.write(".aidd/rules/x.md", conflict);
    let output = project.run(&["check", "."]).expect_code(1);
    assert!(output.out.contains("merge conflict in the page"), "{}", output.out);
    project.write(".aidd/rules/x.md", "\n---\nseverity: error\n---\n# team/x\n\nWhy.\n");
    let output = project.run(&["check", "."]).expect_code(1);
    assert!(output.out.contains("the header must begin on the first line"), "{}", output.out);
}

#[test]
fn a_dry_run_reports_unsafe_fixes() {
    let project = Project::new(&[("Dockerfile", "FROM node:20.1\nRUN apt-get install -y a=1\n")]);
    let output = project.run(&["check", ".", "--fix", "--dry-run"]).expect_code(0);
    assert_eq!(output.err, "nothing to fix; 1 problem fixable with --fix-unsafe\n");
}

#[test]
fn a_missing_message_file_is_reported() {
    let output = project().run(&["hook", "commit-msg", "nowhere"]).expect_code(2);
    assert!(output.err.contains("nowhere"), "{}", output.err);
}

#[test]
fn a_misnamed_configuration_is_reported() {
    let project = project();
    project.write("aidd.toml", "fail-on = 'warning'\n");
    let message = "aidd.toml is not read; move the settings to .aidd/config.json, in JSON";
    let output = project.run(&["check", "."]).expect_code(0);
    assert_eq!(output.err, format!("note: {message}\n"));
    assert_eq!(project.run(&["check", ".", "-q"]).expect_code(0).err, "");
    let doctor = project.run(&["doctor"]).expect_code(1).out;
    assert!(doctor.contains(&format!("problem        {message}")), "{doctor}");
    project.write(".aidd/config.json", "{}");
    assert_eq!(project.run(&["check", "."]).expect_code(0).err, "");
}

/// The type in an ELF header is at offset 16: 2 for a program at a fixed address, 3 for one that is
/// relocated at each start (build.rs has the reason).
#[test]
#[cfg(all(target_os = "linux", target_endian = "little"))]
fn the_program_starts_without_relocations() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_aidd")).unwrap();
    assert_eq!(program[..4], *b"\x7fELF");
    assert_eq!(u16::from_le_bytes([program[16], program[17]]), 2);
}
