//! Conventions and mistakes with a check: the results and errors when a memory with a check is
//! saved.

use super::{TestAgent, client};
use serde_json::{Value, json};
use std::fs;

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    fs::create_dir(folder.path().join(".aidd")).expect("created");
    fs::create_dir(folder.path().join("src")).expect("created");
    for index in 0..7 {
        fs::write(folder.path().join(format!("src/{index}.ts")), "x\nmoment(1)\n")
            .expect("written");
    }
    folder
}

fn no_moment(check: &Value) -> Value {
    json!({"convention": "No moment", "example": "Temporal.Now", "check": check})
}

#[test]
fn saving_a_check_returns_its_findings() {
    let folder = project();
    let mut agent = TestAgent::at(folder.path());
    let check = json!({"files": ["*.ts"], "text": {"regex": "\\bmoment\\("}});
    let output = agent.text("aidd_memory_add_convention", no_moment(&check));
    let other_check = json!({"files": ["*.js"], "text": {"regex": "\\bmoment\\("}});
    let data = agent.data("aidd_memory_add_convention", no_moment(&other_check));
    let id = data["id"].as_str().expect("an id").to_owned();
    assert_eq!(data["enforced"]["count"], 0);
    assert_eq!(data["enforced"]["rule"], "convention/no-moment");
    let found = agent.text("aidd_memory_search", json!({"query": "moment"}));
    let row = agent.data("aidd_memory_search", json!({"query": "moment"}));
    assert_eq!(row["results"][0]["enforced"], "convention/no-moment");
    let finding_count = |agent: &mut TestAgent| {
        let file = json!({"content": "moment(2)", "filePath": "src/new.ts"});
        let findings = agent.data("aidd_check_compliance", file)["findings"].clone();
        findings.as_array().expect("a list").len()
    };
    assert_eq!(finding_count(&mut agent), 0);
    let edited = json!({"id": id, "check": check});
    let edited = agent.text("aidd_memory_edit_convention", edited);
    assert_eq!(finding_count(&mut agent), 1);
    let without_check = agent.text("aidd_memory_edit_convention", json!({"id": id, "check": {}}));
    assert_eq!(finding_count(&mut agent), 0);
    let mistake = json!({
        "error": "TypeError: moment is not a function", "rootCause": "two versions of moment",
        "fix": "use Temporal", "prevention": "no moment",
        "check": {"tree": {"absent": "src/0.ts"}, "rule": "no-zero"},
    });
    let mistake = agent.text("aidd_memory_add_mistake", mistake);
    // The memory files are checked, too, so the total number of files varies.
    let output = [output, found, edited, without_check, mistake].join("\n\n");
    let output = (7..=15)
        .fold(output, |output, count| output.replace(&format!(" of {count} files"), " of N files"));
    insta::assert_snapshot!(output, @r#"
    Saved convention#1.
    Enforced as convention/no-moment: 7 findings in 7 of N files: src/0.ts:2:1, src/1.ts:2:1, src/2.ts:2:1, src/3.ts:2:1, src/4.ts:2:1, ….

    1:
    convention#1 2025-11-22 No moment | no-moment [enforced: convention/no-moment]

    Changed convention#1: check.
    No moment
    check: {"files":["*.ts"],"rule":"no-moment","text":{"regex":"\\bmoment\\("}}
    example: Temporal.Now
    Enforced as convention/no-moment: 7 findings in 7 of N files: src/0.ts:2:1, src/1.ts:2:1, src/2.ts:2:1, src/3.ts:2:1, src/4.ts:2:1, ….

    Changed convention#1: check.
    No moment
    example: Temporal.Now

    Saved mistake#1.
    Enforced as mistake/no-zero: 1 finding in 1 of N files: src/0.ts:1:1.
    "#);
}

#[test]
fn an_invalid_check_is_rejected_and_nothing_is_saved() {
    let folder = project();
    let mut client = client(folder.path());
    let errors: Vec<String> = [
        json!({"text": {"regx": "a"}}),
        json!({"text": {"regex": "a{1000}{1000}{1000}"}}),
        json!({"text": {"regex": "moment"}, "fails": {"src/a.ts": "Temporal"}}),
        json!("text"),
    ]
    .into_iter()
    .map(|check| client.text("aidd_memory_add_convention", no_moment(&check)))
    .collect();
    assert!(!folder.path().join("ai/memory").exists());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    error: `check`: unknown key `regx`; did you mean `regex`?
    error: `check.text` cannot run: the expression is too large to match efficiently; bound its repetitions
    error: `check` fails its own examples: `fails`: no finding in src/a.ts
    error: `check`: expected an object (Check that enforces the convention, such as {"files": ["*.ts"], "text": {"regex": "…"}}), found the string "text"
    "#);
}
