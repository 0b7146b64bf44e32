//! Conventions with a check: added, enforced, edited by hand, taken away.

use crate::memory::steady;
use crate::support::Project;
use insta::assert_snapshot;

#[test]
fn a_convention_with_a_check_is_enforced() {
    let project = Project::new(&[
        ("src/a.ts", "const at = moment(1)\nmoment(2)\n"),
        ("src/b.ts", "const at = Temporal.Now\n"),
    ]);
    let content = "Dates are made with Temporal, never with moment";
    let add =
        |check: &str| project.run(&["memory", "add", "convention", content, "--check", check]);
    let mut said = String::new();
    for wrong in [
        r#"{"text": {"regx": "moment"}}"#,
        r#"{"text": {"regex": "moment("}}"#,
        r#"{"text": {"regex": "Moment"}, "fails": {"src/a.ts": "moment(1)"}}"#,
        "{",
    ] {
        let ran = add(wrong).ends(2);
        said.push_str(ran.err.lines().next().unwrap_or_default());
        said.push('\n');
    }
    assert!(!project.path().join("ai/memory/conventions.jsonl").exists());
    let ran = add(
        r#"{"files": ["*.ts"], "text": {"regex": "\\bmoment\\("}, "severity": "error", "fails": {"src/x.ts": "moment()"}}"#,
    );
    said.push_str(&ran.ends(0).err);
    let id = project.memory(&["recent"])["hits"][0]["id"].as_str().expect("an id").to_owned();
    let checked = project.run(&["check", "--format", "github"]);
    assert_eq!(checked.code, 1);
    said.push_str(&checked.out);
    said.push_str(&project.run(&["rule", "list", "convention/*"]).ends(0).out);
    said.push_str(&project.run(&["rule", "test"]).ends(0).out);
    let doctor = project.run(&["doctor"]).ends(0).out;
    said.extend(
        doctor.lines().filter(|line| line.starts_with("rule")).map(|line| format!("{line}\n")),
    );
    said.push_str(&project.run(&["memory", "search", "moment"]).ends(0).out);
    // Edited by hand until it is none: told wherever aidd looks, and nothing else is lost.
    let text = project.read("ai/memory/conventions.jsonl");
    project.write("ai/memory/conventions.jsonl", text.replace("\"regex\"", "\"regx\""));
    let checked =
        project.run(&["check", "src", "--only", "memory/malformed-check", "--format", "github"]);
    said.push_str(&checked.ends(1).out);
    let doctor = project.run(&["doctor"]).ends(2).out;
    said.extend(
        doctor.lines().filter(|line| line.starts_with("wrong")).map(|line| format!("{line}\n")),
    );
    project.run(&["memory", "edit", &id, "--unset", "check"]).ends(0);
    assert_eq!(project.run(&["check", "src"]).code, 0);
    assert_snapshot!(steady(&said, &[&id]), @"");
}
