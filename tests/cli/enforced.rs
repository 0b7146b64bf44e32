//! Tests of conventions with a check, which are added, enforced, edited manually and removed.

use crate::cli::memory::normalize;
use crate::cli::support::Project;
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
    let mut output_text = String::new();
    for invalid in [
        r#"{"text": {"regx": "moment"}}"#,
        r#"{"text": {"regex": "moment("}}"#,
        r#"{"text": {"regex": "Moment"}, "fails": {"src/a.ts": "moment(1)"}}"#,
        "{",
    ] {
        let output = add(invalid).expect_code(2);
        output_text.push_str(output.err.lines().next().unwrap_or_default());
        output_text.push('\n');
    }
    assert!(!project.path().join("ai/memory/conventions.jsonl").exists());
    let output = add(
        r#"{"files": ["*.ts"], "text": {"regex": "\\bmoment\\("}, "severity": "error", "fails": {"src/x.ts": "moment()"}}"#,
    );
    output_text.push_str(&output.expect_code(0).err);
    let id = project.memory(&["recent"])["hits"][0]["id"].as_str().expect("an id").to_owned();
    let checked = project.run(&["check", "--format", "github"]);
    assert_eq!(checked.code, 1);
    output_text.push_str(&checked.out);
    output_text.push_str(&project.run(&["rule", "list", "convention/*"]).expect_code(0).out);
    output_text.push_str(&project.run(&["rule", "test"]).expect_code(0).out);
    let doctor = project.run(&["doctor"]).expect_code(0).out;
    output_text.extend(
        doctor.lines().filter(|line| line.starts_with("rule")).map(|line| format!("{line}\n")),
    );
    output_text.push_str(&project.run(&["memory", "search", "moment"]).expect_code(0).out);
    // An invalid manual edit is reported by every command.
    let text = project.read("ai/memory/conventions.jsonl");
    project.write("ai/memory/conventions.jsonl", text.replace("\"regex\"", "\"regx\""));
    let checked =
        project.run(&["check", "src", "--only", "memory/malformed-check", "--format", "github"]);
    output_text.push_str(&checked.expect_code(1).out);
    let doctor = project.run(&["doctor"]).expect_code(1).out;
    output_text.extend(
        doctor.lines().filter(|line| line.starts_with("wrong")).map(|line| format!("{line}\n")),
    );
    project.run(&["memory", "edit", &id, "--unset", "check"]).expect_code(0);
    assert_eq!(project.run(&["check", "src"]).code, 0);
    assert_snapshot!(without_counts(&normalize(&output_text, &[&id])), @"
    error: `check`: unknown key `regx`; did you mean `regex`?
    error: `check.text` cannot run: unclosed group
    error: `check` fails its own examples: `fails`: no finding in src/a.ts
    error: invalid value '{' for '--check <JSON>': the JSON is incomplete
    note: Enforced as convention/dates-are-made-with-temporal-never-with: 2 findings in 1 of N files: src/a.ts:1:12, src/a.ts:2:1.
    note: run `aidd init`, so that Git merges the memory without conflicts
    ::error file=src/a.ts,line=1,endLine=1,col=12,endColumn=19,title=convention/dates-are-made-with-temporal-never-with::Dates are made with Temporal, never with moment
    ::error file=src/a.ts,line=2,endLine=2,col=1,endColumn=8,title=convention/dates-are-made-with-temporal-never-with::Dates are made with Temporal, never with moment
    2 errors in N files
    error   convention/dates-are-made-with-temporal-never-with  Dates are made with Temporal, never with moment (ai/memory/conventions.jsonl)
    convention/dates-are-made-with-temporal-never-with: 2 findings in the project; applies to N files
    rules          N shipped, 0 from the project (rules, ai/rules, .aidd/rules), 1 from its memory (ai/memory)
    rule           convention/dates-are-made-with-temporal-never-with applies to N files
    Dates are made with Temporal, never with moment
      moment()
      ID1 · TIME · enforced as convention/dates-are-made-with-temporal-never-with · 0.72
    ::error file=ai/memory/conventions.jsonl,line=1,endLine=1,col=146,endColumn=295,title=memory/malformed-check::`check`: unknown key `regx`; did you mean `regex`?; `ID1` is not enforced%0Afix the check: `aidd memory edit ID1 --set check='{…}'`
    1 error in N files
    ");
}

/// Replaces the numbers of files and shipped rules. The number of files differs between platforms,
/// because it includes the files of the store.
fn without_counts(text: &str) -> String {
    let mut normalized = String::new();
    for line in text.lines() {
        let mut words: Vec<&str> = line.split(' ').collect();
        for at in 1..words.len() {
            let is_varying_count = words[at].starts_with("files") || words[at] == "shipped,";
            if is_varying_count && words[at - 1].parse::<usize>().is_ok() {
                words[at - 1] = "N";
            }
        }
        normalized.push_str(&words.join(" "));
        normalized.push('\n');
    }
    normalized
}
