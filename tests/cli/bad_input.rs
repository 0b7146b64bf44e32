//! Tests of problems that new users meet first: paths outside a project, and settings and pages
//! that cannot be used.

use crate::cli::support::{BLUE, Project};
use std::fs;

/// A project that is neither in a Git repository nor has settings.
fn without_marker(files: &[(&str, &str)]) -> Project {
    let project = Project::new(files);
    fs::remove_dir(project.path().join(".git")).expect("removed");
    project
}

const LATEST: &str = "FROM node:latest\n";

#[test]
fn without_a_project_the_order_of_the_paths_does_not_matter() {
    let project = without_marker(&[("Dockerfile", LATEST), ("src/Dockerfile", LATEST)]);
    for paths in [["src", "Dockerfile"], ["Dockerfile", "src"]] {
        let output = project.run(&["check", paths[0], paths[1]]).expect_code(0);
        for place in ["--> Dockerfile:1:6", "= also at 1 place: src/Dockerfile:1:6"] {
            assert!(output.out.contains(place), "{}", output.out);
        }
    }
    let output = project.run(&["check", "src"]).expect_code(0);
    assert!(output.out.contains("--> src/Dockerfile:1:6"), "{}", output.out);
    project.run(&["baseline", "write", "src", "Dockerfile"]).expect_code(0);
}

#[test]
fn ignore_files_apply_without_a_repository() {
    let project = without_marker(&[(".gitignore", "out/\n"), ("out/Dockerfile", LATEST)]);
    let output = project.run(&["check"]).expect_code(0);
    assert!(!output.out.contains("latest-tag"), "{}", output.out);
    project.run(&["init"]).expect_code(0);
    project.run(&["memory", "add", "insight", "hello"]).expect_code(0);
    let output = project.run(&["check", "--format", "json"]).expect_code(0);
    let output: serde_json::Value = serde_json::from_str(&output.out).expect("JSON");
    assert_eq!(output["summary"]["skipped"], serde_json::json!([]), "{output}");
}

#[test]
fn an_empty_configuration_is_an_error() {
    let project = Project::new(&[("a.txt", "")]);
    for text in ["", " \n", "// nothing\n"] {
        project.write(".aidd/config.json", text);
        let output = project.run(&["check"]).expect_code(2);
        assert!(output.err.contains("config.json:1:1: the file is empty; expected"), "{output:?}");
    }
}

#[test]
fn the_error_for_an_invalid_parameter_names_the_key() {
    let project = Project::new(&[("a.txt", "")]);
    for (rules, words) in [
        (
            r#""DL3007": {"params": {"x": 1}}"#,
            "parameters of `DL3007`: `DL3007` takes no parameters",
        ),
        (
            r#""secrets/*": {"params": {"x": 1}}"#,
            "parameters of `secrets/*`: unknown parameter `x`",
        ),
    ] {
        project.write(".aidd/config.json", format!("{{\"rules\": {{{rules}}}}}"));
        let output = project.run(&["check"]).expect_code(2);
        assert!(output.err.contains(words) && output.err.contains("\nhint: "), "{}", output.err);
    }
}

#[test]
fn the_doctor_reports_what_check_reports() {
    let config = r#"{"rules": {"secrets/nope": "error", "dockerfile/latest-tg": "off"}, "rulez": {},
        "baseline": "nope.json", "exclude": ["!a"], "overrides": [{"files": ["nope/**"], "rules": {}}], "ci": {"blockOn": ["nope"]}, "content": {"paths": {"rules": "nope"}}}"#;
    let project = Project::new(&[(".aidd/config.json", config)]);
    let output = project.run(&["doctor"]).expect_code(1);
    for words in [
        ".aidd/config.json:1:12: unknown rule `secrets/nope`; run `aidd rule list`",
        "unknown rule `dockerfile/latest-tg`; did you mean `dockerfile/latest-tag`?",
        "unknown key `rulez`; expected one of",
        "`baseline`: nope.json does not exist",
        "`exclude`: `!a` matches nothing, because `!` does not negate a glob; delete it",
        "`overrides`: `nope/**` matches no file; correct the globs",
        "ci.blockOn: unknown rule, tag or category `nope`",
        "`content.paths.rules`: nope is not a directory",
    ] {
        assert!(output.out.contains(words), "{words}: {}", output.out);
    }
    project.write(".aidd/config.json", "{}");
    assert!(project.run(&["doctor"]).expect_code(0).out.ends_with("no problems with the setup\n"));
}

#[test]
fn a_page_that_enforces_nothing_is_reported() {
    let open = BLUE.replacen("\n---\n# team", "\n# team", 1);
    let project = Project::new(&[("rules/d.md", &open)]);
    let words = "rules/d.md:37:1: the header is not closed; add a `---` line";
    for command in [&["rule", "test"][..], &["doctor"]] {
        assert!(project.run(command).expect_code(1).out.contains(words), "{command:?}");
    }
    project.write("rules/d.md", BLUE);
    project.write("rules/e.md", BLUE);
    let words = "rules/d.md:13:3: `team/old-colour` is also the id of rules/e.md";
    for command in [&["rule", "test"][..], &["doctor"]] {
        let output = project.run(command).expect_code(1);
        assert!(output.out.contains(words), "{command:?}: {}", output.out);
    }
}

#[test]
fn a_page_with_a_check_replaces_the_shipped_rule() {
    let page = "---\nseverity: info\nmessage: own\ncheck: {files: ['*.nope'], text: {regex: node}}\n---\n# dockerfile/latest-tag\n\nOurs.\n";
    let project = Project::new(&[("Dockerfile", LATEST), ("a.nope", "node\n")]);
    project.write("rules/i.md", page);
    let output = project.run(&["check", "--only", "dockerfile/latest-tag"]).expect_code(0);
    assert!(output.out.contains("info[dockerfile/latest-tag]: own"), "{}", output.out);
    assert!(!output.out.contains("--> Dockerfile"), "{}", output.out);
}

#[test]
fn merge_conflicts_are_reported_once() {
    let sides = "<<<<<<< HEAD\nRUN a\n=======\nRUN b\n>>>>>>> other\n";
    let diagram = sides.replace("RUN", "  x -->");
    let project = Project::new(&[
        ("Dockerfile", &format!("FROM node:20.1\n{sides}")),
        ("a.mmd", &format!("flowchart TD\n{diagram}")),
        ("b.md", "# Title\n\nText.\n\n```mermaid\n```\n"),
    ]);
    let output = project.run(&["check", "--format", "github"]).expect_code(1);
    let words = "::merge conflict; resolve it and remove the lines";
    assert_eq!(output.out.matches(words).count(), 2, "{}", output.out);
    for place in ["file=Dockerfile,line=2,", "file=a.mmd,line=2,", "file=b.md,line=5,"] {
        assert!(output.out.contains(place), "{place}: {}", output.out);
    }
    assert!(!output.out.contains("unknown instruction"), "{}", output.out);
    assert!(output.out.contains("the block contains no diagram"), "{}", output.out);
}

#[test]
fn unreadable_lines_of_the_memory_are_reported() {
    let project = Project::new(&[("ai/memory/decisions.jsonl", "{\"id\":\"decision_1\n")]);
    for command in [&["memory", "topics"][..], &["memory", "search", "cookies"]] {
        let output = project.run(command).expect_code(0);
        let words = "note: ai/memory/decisions.jsonl:1: not a memory: ";
        assert!(output.err.contains(words), "{}", output.err);
        assert!(output.err.contains("; run `aidd memory doctor`"), "{}", output.err);
    }
}

#[test]
fn messages_name_the_cause_once() {
    let project = Project::new(&[]);
    for (command, words) in [
        (&["check", "nope"][..], "error: nope: no such file or directory\nhint: correct the path"),
        (&["check", "--exclude", "[a"], "error: --exclude: "),
        (&["check", "--config", "nope.json"], "hint: correct the path in `--config`"),
        (&["mcp", "--config", "nope.json"], "hint: correct the path in `--config`"),
        (&["check", "--fail-on", "high"], ": expected error, warning, info or never"),
        (&["explain", "dockerfile"], "`aidd rule list 'dockerfile/*'`"),
    ] {
        let output = project.run(command).expect_code(2);
        assert!(output.err.contains(words), "{command:?}: {}", output.err);
        assert!(output.err.matches("os error").count() <= 1, "{command:?}: {}", output.err);
    }
    let outside = without_marker(&[(".aidd", "x")]);
    let output = outside.run(&["init"]).expect_code(2);
    assert!(output.err.contains(".aidd cannot be created: "), "{}", output.err);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    #[test]
    fn an_irregular_file_is_skipped_with_a_reason() {
        let project = without_marker(&[]);
        let _socket = UnixListener::bind(project.path().join("Dockerfile")).expect("bound");
        symlink("loop", project.path().join("loop")).expect("linked");
        for (command, words) in [
            (&["check", "Dockerfile"][..], "Dockerfile: cannot be read: not a regular file"),
            (&["check"], "Dockerfile: cannot be read: not a regular file"),
            (&["check", "loop"], "loop: cannot be read: "),
            (&["check", "/dev/null"], "  /dev/null: cannot be read: not a regular file"),
        ] {
            let output = project.run(command).expect_code(3);
            assert!(output.out.contains(words), "{command:?}: {}{}", output.out, output.err);
        }
        for command in [&["baseline", "write"][..], &["baseline", "prune"]] {
            let output = project.run(command).expect_code(3);
            assert!(output.err.contains("1 path skipped:\n  Dockerfile: cannot"), "{}", output.err);
        }
        let output = project.run(&["doctor"]).expect_code(1);
        assert!(output.out.contains("problem        Dockerfile: cannot be read"), "{}", output.out);
    }

    #[test]
    fn a_memory_file_that_is_a_link_to_a_device_is_skipped() {
        let project = Project::new(&[("ai/memory/README.md", "")]);
        symlink("/dev/zero", project.path().join("ai/memory/decisions.jsonl")).expect("linked");
        let output = project.run(&["check"]).expect_code(3);
        assert!(output.out.contains("ai/memory/decisions.jsonl: cannot be read: a link"));
        let output = project.run(&["memory", "recent"]).expect_code(0);
        assert!(output.err.contains("note: ai/memory/decisions.jsonl is not read"), "{output:?}");
    }
}

#[test]
fn a_wrong_allow_comment_is_reported_once() {
    for (comment, expected) in [
        ("aidd:allow-next-line dockerfile/latest-tag", "`aidd:allow-next-line` is not an allow"),
        ("AIDD:ALLOW dockerfile/latest-tag", "`AIDD:ALLOW` is not an allow comment"),
        (
            "aidd:allow dockerfile/latest-tag,secrets/foo why",
            "this comment allows the unknown rule `secrets/foo`",
        ),
    ] {
        let project = Project::new(&[("Dockerfile", &format!("# {comment}\nFROM node:latest\n"))]);
        let output = project.run(&["check", "--format", "concise"]);
        let unused: Vec<&str> =
            output.out.lines().filter(|line| line.contains("aidd/unused-allow")).collect();
        assert!(unused.len() == 1 && unused[0].contains(expected), "{}", output.out);
    }
}
