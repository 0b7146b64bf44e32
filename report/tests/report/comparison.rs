//! Tests of the effect that a comparison with a base, and a policy, have on each format.

use crate::report::fixture::{Change, change, render, rules, tree};
use aidd_engine::project::config::CiConfig;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::finding::{FailOn, Severity, Status};
use aidd_report::gate::Policy;
use aidd_report::{self as report, Budget, Document, Format, Run, markdown};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len() - count..].join("\n")
}

/// The output of a document without its sources.
fn from_document(format: Format, run: &Run<'_>) -> String {
    let mut out = Vec::new();
    report::render(
        format,
        &Document::from_run(run, true),
        run.rules,
        &mut out,
        report::Listing::default(),
    )
    .expect("writing to memory");
    String::from_utf8(out).expect("text")
}

fn policy(block: &[&str], warn: &[&str], ignore: &[&str]) -> Policy {
    let list = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect());
    let config = CiConfig { block_on: list(block), warn_on: list(warn), ignore: list(ignore) };
    let pages = rules().into_iter().map(|rule| {
        let aliases = rule.aliases.join(", ");
        let header = format!("---\nseverity: {}\naliases: [{aliases}]\n---\n", rule.severity);
        (format!("rules/{}.md", rule.id), format!("{header}# {}\n\nText.\n", rule.id))
    });
    let registry = Registry::new(crate::DISTRIBUTION.pages, &pages.collect::<Vec<_>>());
    let (policy, notes) = Policy::new(&config, FailOn::Severity(Severity::Warning), &registry);
    assert_eq!(notes, [""; 0]);
    policy
}

#[test]
fn logs_show_new_findings_and_count_the_others() {
    let change = change();
    let mut run = change.run();
    run.notes = vec!["the clone is shallow".into()];
    let text = render(Format::Text, &run);
    assert_eq!(text.matches("Pin the tag").count(), 1, "{text}");
    assert_snapshot!(last_lines(&text, 4), @"
    compared with main (merge base 1a2b3c4): 4 changed files
    note: the clone is shallow

    1 new error, 1 new warning, 1 new info in 12 files (0.2 s); 1 fixable with --fix, 1 with --fix-unsafe; 1 pre-existing, 1 moved, 1 fixed, 1 baselined, 1 allowed
    ");
    assert_snapshot!(last_lines(&render(Format::Github, &run), 5), @"
    1 file skipped or only partly checked:
      big/blob\\u{1b}.json: larger than 2 MiB | <b>
    compared with main (merge base 1a2b3c4): 4 changed files
    note: the clone is shallow
    1 error, 1 warning, 1 info in 12 files; 1 fixable with --fix, 1 with --fix-unsafe; 1 pre-existing, 1 moved, 1 fixed, 1 baselined, 1 allowed
    ");
    assert_eq!(render(Format::Junit, &run).matches("<testcase").count(), 4);
}

#[test]
fn without_sources_each_finding_is_one_line() {
    assert_snapshot!(from_document(Format::Text, &change().run()), @r"
    conf, dir/sé#t:1.toml:2:9: error[secrets/some-key] `[REDACTED]` is 100% | open see @someone <b> #12
    Dockerfile:1:6: warning[dockerfile/latest-tag] Pin the tag
    logs/big.log:41002:1: info[team/no-shouting] Do not shout

    1 file skipped or only partly checked:
      big/blob\u{1b}.json: larger than 2 MiB | <b>

    compared with main (merge base 1a2b3c4): 4 changed files

    1 new error, 1 new warning, 1 new info in 12 files (0.2 s); 1 fixable with --fix, 1 with --fix-unsafe; 1 pre-existing, 1 moved, 1 fixed, 1 baselined, 1 allowed
    ");
}

#[test]
fn a_document_renders_like_its_run() {
    let change = change();
    for run in [change.run(), Run { suppressed: true, ..change.run() }, change.head.run()] {
        for format in [
            Format::Json,
            Format::Sarif,
            Format::Github,
            Format::Markdown,
            Format::Gitlab,
            Format::Junit,
        ] {
            assert_eq!(from_document(format, &run), render(format, &run), "{format:?}");
        }
    }
}

#[test]
fn json_contains_findings_of_every_status_with_the_reason() {
    let change = change();
    let report: Value = serde_json::from_str(&render(Format::Json, &change.run())).expect("JSON");
    let findings = report["findings"].as_array().expect("a list");
    let reported: Vec<String> = findings
        .iter()
        .map(|finding| format!("{} {} {}", finding["path"], finding["status"], finding["reason"]))
        .collect();
    assert_snapshot!(reported.join("\n"), @r#"
    "Dockerfile" "new" null
    "Dockerfile" "allowed" "a test image"
    "Dockerfile" "baselined" null
    "app/Dockerfile" "moved" "moved from `c`, line 9 of the base"
    "app/Dockerfile" "pre-existing" "already present on line 1 of the base"
    "conf, dir/sé#t:1.toml" "new" null
    "logs/big.log" "new" null
    "old/k@.toml" "fixed" "the file was removed"
    "#);
    assert_eq!(
        report["summary"],
        json!({
            "error": 1, "warning": 1, "info": 1, "moved": 1, "preExisting": 1, "fixed": 1,
            "baselined": 1, "allowed": 1, "ignored": 0, "stale": 0, "files": 12,
            "skipped": [{"path": "big/blob\u{1b}.json", "why": "larger than 2 MiB | <b>"}],
        })
    );
    assert_eq!(report["comparison"]["before"], json!({"error": 2, "warning": 3, "info": 0}));
    let schema = serde_json::from_str(&report::wire::schema()).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&report));
}

#[test]
fn the_comment_contains_the_verdict_and_the_fixed_findings() {
    let mut change = change();
    change.head.files.truncate(2);
    let mut run = change.run();
    run.stale = 2;
    run.notes = vec!["see www.example.com".into()];
    assert_snapshot!(render(Format::Markdown, &run), @r"
    ## aidd: changes needed: 1 warning introduced in 4 changed files

    **Failing:** Pin the tag at [Dockerfile:1](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/Dockerfile#L1>) ([dockerfile/latest-tag](<https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md>))

    Compared with main (merge base 1a2b3c4).

    1 fixable with --fix; 1 baselined, 1 allowed

    ### Warnings (1)

    **[dockerfile/latest-tag](<https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md>)** at [Dockerfile:1](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/Dockerfile#L1>): Pin the tag

    help: Name a version

    ### Fixed by this change (1)

    Thank you for leaving the code better than you found it.

    - secrets/some-key at [old/k\@&#8203;.toml:2](<https://github.com/owner/name/blob/1a2b3c41a2b3c41a2b3c41a2b3c41a2b3c41a2b3/old/k@.toml#L2>): \[REDACTED\] lies open

    | In the changed files | Before | Now | Change |
    | --- | ---: | ---: | ---: |
    | Errors | 2 | 1 | −1 |
    | Warnings | 3 | 3 | 0 |
    | Info | 0 | 1 | +1 |

    <details>
    <summary>Pre-existing: 2 warnings</summary>

    | Location | Problem | Remedy | Rule |
    | --- | --- | --- | --- |
    | [app/Dockerfile:1](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/app/Dockerfile#L1>) | Pin the tag |  | [dockerfile/latest-tag](<https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md>) |
    | [app/Dockerfile:2](<https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/app/Dockerfile#L2>) | Pin the tag |  | [dockerfile/latest-tag](<https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md>) |

    </details>

    <details>
    <summary>1 file skipped or only partly checked</summary>

    - big/blob\\u{1b}.json: larger than 2 MiB \| &lt;b&gt;

    </details>

    - see www\.example.com
    - 2 baseline entries no longer match; run `aidd baseline prune` to remove stale entries
    ");
}

#[test]
fn a_change_without_new_findings_passes() {
    let mut change = change();
    for (_, findings, _) in &mut change.head.files {
        for finding in findings {
            finding.status = Status::PreExisting;
        }
    }
    let run = change.run();
    let text = render(Format::Markdown, &run);
    assert!(
        text.starts_with("## aidd: passed: no problems introduced in 4 changed files\n"),
        "{text}"
    );
    assert!(!Document::from_run(&run, false).is_failing());
}

/// Rule, baseline state and kind of suppression of each result.
fn results(change: &Change, whole_tree: bool, suppressed: bool) -> Vec<String> {
    let mut run = change.run();
    run.suppressed = suppressed;
    run.comparison.as_mut().expect("compared").whole_tree = whole_tree;
    let log: Value = serde_json::from_str(&render(Format::Sarif, &run)).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("a list");
    let reported = results.iter().map(|result| {
        let state = result["baselineState"].as_str().unwrap_or("-");
        let kind = result["suppressions"][0]["kind"].as_str().unwrap_or("-");
        format!("{} {state} {kind}", result["ruleId"].as_str().expect("a rule"))
    });
    reported.collect()
}

#[test]
fn code_scanning_gets_all_findings_only_after_a_full_check() {
    let change = change();
    let new = ["secrets/some-key new -", "dockerfile/latest-tag new -", "team/no-shouting new -"];
    assert_eq!(results(&change, false, false), new);
    assert_eq!(
        results(&change, true, false),
        [
            "secrets/some-key new -",
            "dockerfile/latest-tag new -",
            "dockerfile/latest-tag unchanged -",
            "dockerfile/latest-tag unchanged -",
            "team/no-shouting new -",
        ]
    );
    let all = results(&change, false, true);
    assert_eq!(all.len(), 8, "{all:?}");
    assert_eq!(all.last().map(String::as_str), Some("secrets/some-key absent -"));
}

#[test]
fn gitlab_gets_all_findings_after_a_full_check() {
    let change = change();
    let count = |whole_tree| {
        let mut run = change.run();
        run.comparison.as_mut().expect("compared").whole_tree = whole_tree;
        let issues: Vec<Value> =
            serde_json::from_str(&render(Format::Gitlab, &run)).expect("a list");
        issues.len()
    };
    assert_eq!((count(false), count(true)), (3, 5));
}

#[test]
fn a_policy_blocks_warns_and_ignores() {
    let tree = tree();
    let policy = policy(&["team/*"], &["secrets/some-key"], &["DL3007"]);
    let run = Run { policy: Some(&policy), ..tree.run() };
    let document = Document::from_run(&run, false);
    let fails: Vec<(&str, bool)> =
        document.ranked().iter().map(|finding| (&*finding.rule, document.fails(finding))).collect();
    assert_eq!(fails, [("secrets/some-key", false), ("team/no-shouting", true)]);
    assert!(document.is_failing());
    assert_snapshot!(render(Format::Text, &run), @r#"
    error[secrets/some-key]: `[REDACTED]` is 100% | open
                             see @someone <b> #12
     --> conf, dir/sé#t:1.toml:2:9
      |
    1 | a = 1
    2 |     😀key = "**************"; again = "**************"
      |             ^^^^^^^^^^^^^^^^
      |
      = help: Revoke [REDACTED]
      = note: `ci.warnOn` contains this rule: the finding does not fail the run

    1 error   secrets/some-key, fixable
    1 info    team/no-shouting, not listed

    1 file skipped or only partly checked:
      big/blob\u{1b}.json: larger than 2 MiB | <b>

    1 error, 1 info in 12 files (0.2 s); 1 fixable with --fix-unsafe; 1 baselined, 1 allowed, 1 ignored
    "#);
    assert_snapshot!(render(Format::Markdown, &run), @r#"
    ## aidd: 1 error, 1 info in 12 files

    **Failing:** Do not shout at logs/big.log:41002 (team/no-shouting)

    1 fixable with --fix-unsafe; 1 baselined, 1 allowed, 1 ignored

    ### Info, blocking (1)

    **team/no-shouting** at logs/big.log:41002: Do not shout

    ### Errors (1)

    **[secrets/some-key](<https://github.com/aidd-dev/aidd/blob/main/content/rules/secrets/some-key.md>)** at conf, dir/sé\#&#8203;t:1.toml:2: `[REDACTED]` is 100% \| open see \@&#8203;someone &lt;b&gt; \#&#8203;12

          1 | a = 1
        > 2 | 	😀key = "**************"; again = "**************"
            | 	        ^^^^^^^^^^^^^^^^
          3 |

    help: Revoke \[REDACTED\]

    <details>
    <summary>1 file skipped or only partly checked</summary>

    - big/blob\\u{1b}.json: larger than 2 MiB \| &lt;b&gt;

    </details>
    "#);
    let junit = render(Format::Junit, &run);
    assert_eq!(junit.matches("<failure").count(), 1, "{junit}");
    assert!(junit.contains(r#"<failure type="info""#), "{junit}");
    let json = render(Format::Json, &run);
    assert!(json.contains("\"gate\": \"block\"") && json.contains("\"gate\": \"warn\""), "{json}");
    assert!(!json.contains("FROM debian") && json.contains("\"ignored\": 1"), "{json}");
}

#[test]
fn a_long_report_nearly_fills_its_budget() {
    let mut change = change();
    let (source, mut findings, _) = change.head.files.remove(1);
    let old = findings.remove(1);
    let mut new = old.clone();
    new.status = Status::New;
    findings = vec![old; 10_000];
    findings.extend(vec![new; 10_000]);
    change.head.files = vec![(source, findings, Vec::new())];
    let fixed = change.base.files[0].1[0].clone();
    change.base.files[0].1 = vec![fixed; 500];
    let mut run = change.run();
    run.notes = vec!["a note of some length".repeat(30); 100];
    let document = Document::from_run(&run, false);
    for budget in [Budget::Comment, Budget::Summary] {
        let text = markdown(&document, run.rules, budget);
        let unused = budget.bytes() - text.len();
        assert!(unused < budget.bytes() / 10, "{unused} of {} bytes unused", budget.bytes());
        assert!(text.contains(" more problems not shown."), "{budget:?}");
        assert!(text.contains("10000 pre-existing problems not shown."), "{budget:?}");
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }
}
