//! Tests of the conditions that make a run fail.

use crate::pull_requests::runner::Runner;
use crate::pull_requests::support::{SPELLING, project};
use crate::repository::Repository;
use insta::assert_snapshot;

/// A repository whose last commit adds an error of `team/colour` and a warning of `team/spelling`;
/// the findings of the first commit remain.
fn repository() -> Repository {
    let repository = project(&[SPELLING, ("a.txt", "blue teh\n"), (".aidd/config.json", "{}")]);
    repository.commit(&[("b.txt", "blue new\nteh new\n")]);
    repository
}

#[test]
fn the_policy_takes_precedence_over_the_severity() {
    let runner = Runner::new(repository());
    let mut table = String::new();
    for (config, args) in [
        ("{}", ""),
        ("{}", "--fail-on warning"),
        ("{}", "--fail-on never"),
        (r#"{ "failOn": "never" }"#, ""),
        (r#"{ "failOn": "never" }"#, "--fail-on error"),
        // `blockOn` blocks at any severity, and overrides the command line.
        (r#"{ "ci": { "blockOn": ["team/spelling"] } }"#, "--fail-on never"),
        (r#"{ "ci": { "blockOn": ["team/*"], "warnOn": ["team/colour"] } }"#, "--fail-on never"),
        // `warnOn` never blocks.
        (r#"{ "ci": { "warnOn": ["team/colour"] } }"#, ""),
        (r#"{ "ci": { "warnOn": ["team/colour"] } }"#, "--fail-on warning"),
        (r#"{ "ci": { "warnOn": ["team/*"] } }"#, "--fail-on info"),
        // `ignore` applies unless a more specific pattern of another list matches.
        (r#"{ "ci": { "ignore": ["team/*"] } }"#, "--fail-on info"),
        (r#"{ "ci": { "ignore": ["team/*"], "blockOn": ["team/spelling"] } }"#, ""),
        (r#"{ "ci": { "ignore": ["team/colour"], "blockOn": ["team/colour"] } }"#, ""),
        // Misspelt rule names are reported.
        (r#"{ "ci": { "blockOn": ["team/color"] } }"#, ""),
    ] {
        runner.clone.write(".aidd/config.json", config);
        let args = ["--base", "HEAD~1"].into_iter().chain(args.split_whitespace());
        let args: Vec<&str> = args.collect();
        let output = runner.ci(&[&args[..], &["--format", "json"]].concat());
        let report = output.report();
        let (summary, notes) = (&report["summary"], &report["notes"]);
        let counts = ["error", "warning", "ignored"].map(|sort| summary[sort].to_string());
        let note = notes[0].as_str().unwrap_or_default();
        let typed = args[2..].join(" ");
        let line = format!("{} {} {config} {typed} {note}", output.code, counts.join("/"));
        table.push_str(&format!("{}\n", line.trim_end()));
        // `aidd check` ignores the policy for pull requests, but treats severities the same way.
        if !config.contains("ci") {
            let check = [&["check", ".", "--diff", "HEAD~1", "-q"], &args[2..]].concat();
            assert_eq!(runner.run_in("", &check).code, output.code, "{config} {typed}");
        }
    }
    assert_snapshot!(table, @r#"
    1 1/1/0 {}
    1 1/1/0 {} --fail-on warning
    0 1/1/0 {} --fail-on never
    0 1/1/0 { "failOn": "never" }
    1 1/1/0 { "failOn": "never" } --fail-on error
    1 1/1/0 { "ci": { "blockOn": ["team/spelling"] } } --fail-on never
    1 1/1/0 { "ci": { "blockOn": ["team/*"], "warnOn": ["team/colour"] } } --fail-on never
    0 1/1/0 { "ci": { "warnOn": ["team/colour"] } }
    1 1/1/0 { "ci": { "warnOn": ["team/colour"] } } --fail-on warning
    0 1/1/0 { "ci": { "warnOn": ["team/*"] } } --fail-on info
    0 0/0/2 { "ci": { "ignore": ["team/*"] } } --fail-on info
    1 0/1/1 { "ci": { "ignore": ["team/*"], "blockOn": ["team/spelling"] } }
    0 0/1/1 { "ci": { "ignore": ["team/colour"], "blockOn": ["team/colour"] } }
    1 1/1/0 { "ci": { "blockOn": ["team/color"] } }  ci.blockOn: unknown rule, tag or category `team/color`; did you mean `team/colour`?
    "#);
}

#[test]
fn environment_and_options_set_the_fail_condition_of_runs_and_merges() {
    let runner = Runner::new(repository()).set("AIDD_FAIL_ON", "never");
    let part = runner.file("part.json").display().to_string();
    let base = ["--base", "HEAD~1"];
    assert_eq!(runner.ci(&[&base[..], &["--save", &part]].concat()).code, 0);
    assert_eq!(runner.ci(&[&base[..], &["--fail-on", "error"]].concat()).code, 1);
    assert_eq!(runner.ci(&["merge", &part]).code, 0);
    assert_eq!(runner.ci(&["merge", &part, "--fail-on", "warning"]).code, 1);
}

#[test]
fn only_new_findings_fail() {
    let repository = repository();
    repository.commit(&[("a.txt", "one\nblue teh\n"), ("c.txt", "fine\n")]);
    let runner = Runner::new(repository);
    let strict = ["--base", "HEAD~1", "--fail-on", "info"];
    assert_eq!(runner.ci(&strict).code, 0);
    // Pre-existing findings do not make a report on all files fail either.
    let all = runner.ci(&[&strict[..], &["--scope", "all", "--format", "json"]].concat());
    assert_eq!(all.code, 0);
    assert_eq!(all.report()["summary"]["preExisting"], 4);
    // Findings in the baseline and allowed findings are not new.
    runner.clone.write("c.txt", "# aidd:allow team/colour the sky\nblue sky\nblue known\n");
    runner.clone.commit(&[]);
    assert_eq!(runner.ci(&strict).code, 1);
    assert_eq!(runner.run_in("", &["baseline", "write", "c.txt"]).code, 0);
    runner.clone.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
    runner.clone.commit(&[]);
    // Baseline entries that the change adds have no effect, except with `--settings head`.
    assert_eq!(runner.ci(&strict).code, 1);
    let output = runner.ci(&[&strict[..], &["--settings", "head", "--format", "json"]].concat());
    assert_eq!(output.code, 0);
    assert_eq!(output.report()["summary"]["baselined"], 1);
    assert_eq!(output.report()["summary"]["allowed"], 1);
    assert_eq!(runner.ci(&[&strict[..], &["--no-baseline"]].concat()).code, 1);
}
