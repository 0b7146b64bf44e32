//! Tests of coverage reports, in real repositories.

use crate::cli::support::Project;

/// Commits the files of a project.
fn commit(project: &Project) {
    project.git(&["add", "."]).expect_code(0);
    project.git(&["commit", "--quiet", "-m", "feat: next"]).expect_code(0);
}

/// The findings on coverage in the change since `base`: severity, path, line, message.
fn findings(project: &Project, base: &str) -> Vec<String> {
    let args = ["check", ".", "--only", "tests/*", "--diff", base, "--format", "json"];
    let output = project.run(&args).expect_code(0).out;
    let document: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    let findings = document["findings"].as_array().expect("a list").iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    findings
        .map(|finding| {
            let (severity, path) = (text(&finding["severity"]), text(&finding["path"]));
            format!("{severity} {path}:{}: {}", finding["start"]["line"], text(&finding["message"]))
        })
        .collect()
}

const CART: &str = "\
export function sum(items) {
  return items.length;
}

export function clear(items) {
  items.length = 0;
}
";

const CHANGED_CART: &str = "\
export function sum(items) {
  if (!items) {
    return 0;
  }
  return items.length;
}

export function clear(items) {
  items.length = 0;
}

export function first(items) {
  return items[0];
}
";

/// Neither `return 0` nor `clear` nor `first` ran.
const LCOV: &str = "\
TN:
SF:src/cart.js
DA:1,4
DA:2,4
DA:3,0
DA:5,4
DA:8,1
DA:9,0
DA:12,1
DA:13,0
end_of_record
";

#[test]
fn only_changed_lines_without_coverage_are_reported() {
    let project = Project::repository();
    project.write(".gitignore", "coverage/\n");
    project.write("src/cart.js", CART);
    commit(&project);
    project.write("src/cart.js", CHANGED_CART);
    // Without a report, nothing is known.
    assert_eq!(findings(&project, "HEAD"), [""; 0]);
    project.write("coverage/lcov.info", LCOV);
    let expected = [
        "warning src/cart.js:3: changed line 3 is not covered by a test",
        "warning src/cart.js:13: changed line 13 is not covered by a test",
    ];
    assert_eq!(findings(&project, "HEAD"), expected);
    // In a run over all files, no line is a changed line.
    let args = ["check", ".", "--only", "tests/*", "--fail-on", "warning"];
    project.run(&args).expect_code(0);
    // Once the change is committed, it is the difference from the previous commit.
    commit(&project);
    assert_eq!(findings(&project, "HEAD~1"), expected);
    assert_eq!(findings(&project, "HEAD"), [""; 0]);
    let args = ["check", ".", "--only", "tests/*", "--diff", "HEAD~1", "--fail-on", "warning"];
    project.run(&args).expect_code(1);
}

#[test]
fn reports_that_do_not_describe_the_change_are_not_used() {
    let project = Project::repository();
    project.write("src/cart.js", CART);
    project.write("coverage/lcov.info", LCOV);
    commit(&project);
    project.write("src/cart.js", CHANGED_CART);
    let is_unusable = |why: &str| {
        let expected = format!("info src/cart.js:1: coverage report `coverage/lcov.info` {why}");
        assert_eq!(findings(&project, "HEAD"), [expected]);
    };
    is_unusable("is not of this change: the base contains the same report");
    // A report that was written before the last edit.
    project.write("coverage/lcov.info", format!("{LCOV}\n"));
    std::thread::sleep(std::time::Duration::from_millis(20));
    project.write("src/cart.js", format!("{CHANGED_CART}\n"));
    is_unusable("is older than this file");
    project.write("coverage/lcov.info", "SF:src/cart.js\nDA:1\n");
    is_unusable("is malformed in line 2: expected `DA:line,hits`");
}

/// Per format: the path of the report, its text, the path of a file whose second line did not run.
const REPORTS: [(&str, &str, &str); 6] = [
    ("lcov/coverage/lcov.info", "SF:src/a.js\nDA:1,1\nDA:2,0\nend_of_record\n", "lcov/src/a.js"),
    (
        "cobertura/coverage.xml",
        r#"<coverage><sources><source>/ci/cobertura/src</source></sources><packages><package>
<classes><class filename="a.php"><lines><line number="1" hits="1"/><line number="2" hits="0"/></lines>
</class></classes></package></packages></coverage>"#,
        "cobertura/src/a.php",
    ),
    (
        "jacoco/target/site/jacoco/jacoco.xml",
        r#"<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="a"><package name="org/a"><sourcefile name="A.java">
<line nr="1" mi="0" ci="2"/><line nr="2" mi="2" ci="0"/></sourcefile></package></report>"#,
        "jacoco/src/main/java/org/a/A.java",
    ),
    (
        "go/coverage.out",
        "mode: set\nexample.com/a/b/a.go:1.1,1.9 1 1\nexample.com/a/b/a.go:2.1,2.9 1 0\n",
        "go/b/a.go",
    ),
    (
        "llvm/llvm-cov.json",
        r#"{"data":[{"files":[{"filename":"/ci/llvm/src/a.rs","segments":
[[1,1,1,true,true,false],[1,9,0,false,false,false],[2,1,0,true,true,false],[2,9,0,false,false,false]]}]}],
"type":"llvm.coverage.json.export","version":"2.0.1"}"#,
        "llvm/src/a.rs",
    ),
    (
        "python/coverage.json",
        r#"{"meta":{"version":"7.6"},"files":{"a.py":{"executed_lines":[1],"missing_lines":[2]}}}"#,
        "python/a.py",
    ),
];

#[test]
fn reports_of_each_format_are_read() {
    let project = Project::repository();
    for (_, _, path) in REPORTS {
        project.write(path, "one()\n");
    }
    project.write("go/go.mod", "module example.com/a\n\ngo 1.24\n");
    commit(&project);
    for (_, _, path) in REPORTS {
        project.write(path, "one()\ntwo()\n");
    }
    for (report, text, _) in REPORTS {
        project.write(report, text);
    }
    let mut paths = REPORTS.map(|(_, _, path)| path);
    paths.sort_unstable();
    let expected =
        paths.map(|path| format!("warning {path}:2: changed line 2 is not covered by a test"));
    assert_eq!(findings(&project, "HEAD"), expected);
}
