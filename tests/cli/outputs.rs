//! Tests of the formats as written by the binary: to files, to pipes, with and without colour, and
//! without secrets.

use crate::cli::support::{BLUE, CONSOLE, Project, token};
use std::io::Read;
use std::process::Stdio;

const FORMATS: [&str; 7] = ["text", "json", "sarif", "github", "markdown", "gitlab", "junit"];

fn project() -> Project {
    Project::new(&[("rules/blue.md", BLUE), ("rules/console.md", CONSOLE), ("a.txt", "blue\n")])
}

#[test]
fn one_run_writes_several_files() {
    let project = project();
    project.write("b.js", "console.log(1)\n");
    let args = [
        "check",
        ".",
        "--output",
        "out/r.sarif",
        "--output",
        "r.json",
        "--output",
        "r.md",
        "--output",
        "r.xml",
        "--output",
        "r.txt",
        "--output",
        "gitlab=quality.json",
        "--output",
        "GITHUB=commands",
    ];
    let first = project.run(&args).expect_code(1);
    assert!(first.out.contains("; 1 fixable with --fix, 1 with --fix-unsafe\n"), "{}", first.out);
    let json =
        |path: &str| serde_json::from_str::<serde_json::Value>(&project.read(path)).expect("JSON");
    assert_eq!(json("out/r.sarif")["version"], "2.1.0");
    assert_eq!(json("r.json")["schemaVersion"], 1);
    assert_eq!(json("quality.json").as_array().map(Vec::len), Some(2));
    assert!(project.read("r.md").starts_with("## aidd: 1 error, 1 warning in "));
    assert!(project.read("r.xml").starts_with("<?xml version=\"1.0\""));
    assert!(project.read("r.txt").contains("--> a.txt:1:1"));
    assert!(project.read("commands").starts_with("::error file=b.js,line=1"));
    // The report files of the first run are not checked in the second.
    let second = project.run(&args).expect_code(1);
    assert_eq!(second.out, first.out);
    let quiet = project.run(&[&args[..], &["--quiet"]].concat()).expect_code(1);
    assert_eq!(quiet.out, "");
}

#[test]
fn an_output_file_that_cannot_be_written_exits_with_2() {
    let project = project();
    let output = project.run(&["check", ".", "--output", "a.txt/r.json"]).expect_code(2);
    assert!(output.err.starts_with("error: ") && output.err.contains("r.json"), "{}", output.err);
}

#[test]
fn colours_are_used_on_terminals_and_on_request() {
    let project = project();
    let colored = |env: &[(&str, &str)], args: &[&str]| {
        project.run_env(env, &[&["check", "."], args].concat()).expect_code(0).out.contains('\x1b')
    };
    assert!(!colored(&[], &[]));
    assert!(colored(&[], &["--color", "always"]));
    assert!(colored(&[("NO_COLOR", "1")], &["--color", "always"]));
    assert!(!colored(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], &[]));
    assert!(colored(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!colored(&[("CLICOLOR_FORCE", "1")], &["--color", "never"]));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let project = project();
    project.write("a.txt", "blue\n".repeat(4_000));
    let mut commands: Vec<Vec<&str>> =
        FORMATS.iter().map(|format| vec!["check", ".", "--format", format]).collect();
    commands.push(vec!["completions", "bash"]);
    commands.push(vec!["rule", "list"]);
    commands.push(vec!["rule", "list", "--json"]);
    commands.push(vec!["man"]);
    for args in commands {
        let mut child = project
            .command("", &args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let mut start = [0; 1];
        let mut out = child.stdout.take().expect("piped");
        out.read_exact(&mut start).expect("some output");
        drop(out);
        let output = child.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("panicked") && !err.contains("error"), "{args:?}: {err}");
    }
}

/// Passwords known to the credential parsers are masked even if their rules are not selected.
#[test]
fn a_password_does_not_appear_in_output_of_other_rules() {
    let project = Project::new(&[("rules/blue.md", &BLUE.replace("  files: [\"*.txt\"]\n", ""))]);
    // The password is written in two parts, so that this file does not contain it.
    let password = concat!("h7Kq9z", "Xw2Lmt");
    project.write(
        "wp-config.php",
        format!("<?php\ndefine(\"DB_PASSWORD\", \"{password}\"); // blue\n"),
    );
    project.write("src/a.py", format!("password = \"{password}\"  # blue\n"));
    for args in [&["check", "."][..], &["check", ".", "--skip", "secrets/*"]] {
        for more in [&[][..], &["--fix", "--dry-run"], &["--format", "sarif"]] {
            let output = project.run(&[args, more].concat());
            assert!(output.out.contains("wp-config.php"), "{}", output.out);
            assert!(!output.out.contains(password), "{args:?} {more:?}:\n{}", output.out);
            assert!(
                !output.out.contains("rules/blue.md:"),
                "a rule reported its own page:\n{}",
                output.out
            );
        }
    }
}

/// The secret is a value in code, the only content of a file, on a line that another rule reports, and
/// in a name that another finding quotes.
#[test]
fn a_secret_does_not_appear_in_any_output() {
    let project = project();
    let token = token();
    project.write("a.txt", format!("blue {token} blue\n"));
    project.write("b.js", format!("console.log(\"{token}\")\n"));
    project.write(".env", format!("TOKEN={token}\nAGAIN='{token}'\n"));
    project.write("Dockerfile", format!("FROM a:1\nENV TOKEN={token}\nRUN echo {token}\n"));
    project.write("d.md", format!("```mermaid\ngraph TD\n  A[{token}] --> \n```\n"));
    project.write(".aidd/config.json", format!("{{\"rules\": {{\"{token}\": \"off\"}}}}"));
    project.write("rules/bad.md", format!("---\nseverity: {token}\n---\n# team/bad\n"));
    project.write("broken.json", format!("{{\"failOn\": \"{token}\"}}"));
    let mut outputs = Vec::new();
    for format in FORMATS {
        for more in [&[][..], &["--skip", "secrets/*"], &["--only", "team/*"], &["--no-baseline"]] {
            let args = [&["check", ".", "--format", format], more].concat();
            // The page of a selected rule is malformed.
            let code = if more.contains(&"team/*") { 2 } else { 1 };
            outputs.push((args.join(" "), project.run(&args).expect_code(code)));
        }
    }
    for args in [
        &["check", ".", "--fix", "--dry-run"][..],
        &["check", ".", "--fix-unsafe", "--dry-run"],
        &["rule", "test"],
        &["doctor"],
        &["doctor", "--config", "broken.json"],
        &["config", "show", "a.txt"],
        &["baseline", "write"],
        &["check", ".", "--sarif-suppressed", "--format", "sarif"],
    ] {
        outputs.push((args.join(" "), project.run(args)));
    }
    for (args, output) in outputs {
        assert!(!output.out.contains(&token), "`aidd {args}` shows a secret:\n{}", output.out);
        assert!(
            !output.err.contains(&token),
            "`aidd {args}` prints a secret on standard error:\n{}",
            output.err
        );
    }
    assert!(!project.read(".aidd/baseline.json").contains(&token));
}

#[test]
fn completions_manual_and_schema_are_printed() {
    let project = project();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(
            project.run(&["completions", shell]).expect_code(0).out.contains("baseline"),
            "{shell}"
        );
    }
    assert!(project.run(&["man"]).expect_code(0).out.contains(".TH aidd 1"));
    let man = project.run(&["man", "baseline", "write"]).expect_code(0).out;
    assert!(man.contains(".TH aidd-baseline-write 1") && man.contains("accept"), "{man}");
    assert!(project.run(&["man", "chek"]).expect_code(2).err.contains("unknown command `chek`"));
    let schema = project.run(&["config", "schema"]).expect_code(0).out;
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    assert_eq!(schema["title"], aidd_engine::project::config::schema()["title"]);
    let version = project.run(&["--version"]).expect_code(0).out;
    assert_eq!(version, format!("aidd {}\n", env!("CARGO_PKG_VERSION")));
}
