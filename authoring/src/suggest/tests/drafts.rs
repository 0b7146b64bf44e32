//! Tests that check drafts.

use super::project;
use crate::suggest::{Draft, DraftReport, Limit, SuggestError, try_draft};
use aidd_engine::workspace::project::Project;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn limit() -> Limit {
    Limit { time: Duration::from_secs(60), stop: Arc::default() }
}

pub(super) fn try_text(project: &Project, text: &str, sentence: Option<&str>) -> DraftReport {
    try_draft(project, &Draft { text, sentence }, &limit()).expect("a report")
}

fn to_json(report: &DraftReport) -> String {
    serde_json::to_string_pretty(report).expect("JSON")
}

const PAGE: &str = "---
severity: warning
message: \"`legacyParse()` is slow\"
check: { syntax: { language: [typescript], rule: { pattern: 'legacyParse($$$ARGS)' } } }
---
# team/no-legacy-parse

Never call `legacyParse()`.

## Fails

```ts
const a = legacyParse(b);
```

```finding
1:11 legacyParse(b)
```

## Passes

```ts
const a = parse(b);
```
";

const CODE: &[(&str, &str)] = &[
    (".aidd/x", ""),
    ("src/a.ts", "const text = load();\nconst user = legacyParse(text);\n"),
    ("src/b.ts", "export const b = 2;\n"),
    ("AGENTS.md", "- Never call `legacyParse()`.\n"),
];

#[test]
fn a_page_is_validated_and_tried() {
    let (_directory, project) = project(CODE);
    insta::assert_snapshot!(to_json(&try_text(&project, PAGE, Some("Never call legacyParse()"))), @r#"
    {
      "rule": "team/no-legacy-parse",
      "path": ".aidd/rules/no-legacy-parse.md",
      "valid": true,
      "problems": [],
      "examples": {
        "fails": 1,
        "passes": 1
      },
      "trial": {
        "findings": 1,
        "files": 1,
        "judged": 2,
        "samples": [
          {
            "path": "src/a.ts",
            "line": 2,
            "text": "const user = legacyParse(text);",
            "message": "`legacyParse()` is slow"
          }
        ]
      },
      "advice": {
        "severity": "warning",
        "reason": "few places break the rule: fix them, or run `aidd baseline write`"
      }
    }
    "#);
}

#[test]
fn a_header_alone_becomes_a_page() {
    let (_directory, project) = project(CODE);
    let header = "severity: warning\nmessage: It is slow\ncheck: { files: ['*.ts'], text: { regex: legacyParse } }\n";
    let report = try_text(&project, header, Some("Never call legacyParse()"));
    assert!(report.valid && report.trial.as_ref().is_some_and(|trial| trial.findings == 1));
    insta::assert_snapshot!(report.page.clone().expect("a page"), @"
    ---
    severity: warning
    message: It is slow
    check: { files: ['*.ts'], text: { regex: legacyParse } }
    ---
    # project/never-call-legacyparse

    Never call `legacyParse()`.
    ");
    insta::assert_snapshot!(report.notes.join("\n"), @"no examples yet: add `## Fails` and `## Passes` before you save the page");
    let fenced =
        try_text(&project, &format!("---\n{header}---\n"), Some("Never call legacyParse()"));
    assert_eq!(fenced, report);
    let unnamed = try_text(&project, header, None);
    assert_eq!(
        (unnamed.rule.as_str(), unnamed.path.as_str()),
        ("project/draft", ".aidd/rules/draft.md")
    );
}

#[test]
fn a_prose_rule_page_keeps_its_text() {
    let words = "# Parsing\n\nNever call `legacyParse()`. It is slow.\n";
    let (_directory, project) = project(&[CODE[1], ("rules/parse.md", words)]);
    let header = "severity: error\nmessage: Slow\ncheck: { text: { regex: legacyParse } }";
    let report = try_text(&project, header, Some("Never call legacyParse()"));
    assert_eq!(report.path, "rules/parse.md");
    assert_eq!(report.page, Some(format!("---\n{header}\n---\n{words}")));
}

#[test]
fn each_problem_has_a_line_and_a_remedy() {
    let (_directory, project) = project(CODE);
    let page = |from: &str, to: &str| PAGE.replace(from, to);
    let all = [
        page("pattern:", "patern:"),
        page("syntax:", "syntex:"),
        page("message:", "\tmessage:"),
        page("severity: warning\n", ""),
        page("'legacyParse($$$ARGS)'", "'legacyParse('"),
        page("1:11 legacyParse(b)", "1:12 legacyParse(b)"),
        page("parse(b)", "legacyParse(b)"),
        page("team/no-legacy-parse", "compliance/any-type"),
        page("---\n#", "#"),
        "check: { text: { regex: '(' } }\nseverity: info".to_owned(),
        "severity: info".to_owned(),
        "severity: info\ncheck: { text: { regx: a } }".to_owned(),
        "enforced-by: eslint/no-console\nseverity: info".to_owned(),
        "\u{1b}[31m\0".to_owned(),
    ];
    let text: Vec<String> = all
        .iter()
        .map(|draft| {
            let report = try_text(&project, draft, None);
            assert!(!report.valid, "{draft}");
            let lines = report.problems.iter().map(|problem| {
                assert!(!problem.remedy.is_empty(), "{draft}");
                format!("{}: {}\n   {}", problem.line, problem.message, problem.remedy)
            });
            lines.collect::<Vec<_>>().join("\n")
        })
        .collect();
    insta::assert_snapshot!(text.join("\n\n"), @r#"
    4: unknown key `patern` in the rule; did you mean `pattern`?
       correct the value of `syntax`

    4: unknown key `syntex`; did you mean `syntax`?
       correct the header and check the draft again

    3: tab in indentation; use spaces
       correct the header and check the draft again

    3: `severity` is missing
       correct the header and check the draft again

    4: the rule has no node kind to start at; add a `kind`, or check that its `pattern` is a complete piece of code
       correct the value of `syntax`

    12: expected `1:12 legacyParse(b)`, found `1:11 legacyParse(b)`
       correct the example, or the `finding` block after it (`line:column text`)

    22: expected no finding, found `1:11 legacyParse(b)`
       correct the example, or the `finding` block after it (`line:column text`)

    6: `compliance/any-type` is a rule shipped with aidd; the page would replace it
       choose another id in the title: `# project/name`

    24: the header is not closed; add a `---` line
       correct the header and check the draft again

    1: unclosed group
       correct the value of `text`

    1: the header has neither `check` nor `enforced-by`, so nothing enforces the page
       add a `check` of one form, or name the linter rule that enforces it

    2: unknown key `regx`; did you mean `regex`?
       correct the header and check the draft again

    1: no ESLint configuration in this project
       configure the tool, add a `check` to the page, or remove `enforced-by`

    1: quote a string that starts with `\u{1b}`
       correct the header and check the draft again
    "#);
}

#[test]
fn invalid_drafts_are_rejected() {
    let (_directory, project) = project(CODE);
    let error = |text: &str| {
        let report = try_draft(&project, &Draft { text, sentence: None }, &limit());
        report.expect_err("an error").to_string()
    };
    assert_eq!(error(" \n"), "the draft is empty");
    assert_eq!(error(&"a".repeat(1 << 20)), "the draft is larger than 256 KiB");
    let long = "a ".repeat(2000);
    let error = try_draft(&project, &Draft { text: PAGE, sentence: Some(&long) }, &limit());
    assert!(matches!(error, Err(SuggestError::LongSentence)));
}

#[test]
fn a_trial_masks_secrets_and_can_be_stopped() {
    let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    let code = format!("const legacy = \"{token}\";\n");
    let (_directory, project) = project(&[(".aidd/x", ""), ("src/a.ts", &code)]);
    let header = "severity: info\nmessage: 'old: <match>'\ncheck: { text: { regex: 'legacy.*' } }";
    let report = try_text(&project, header, None);
    assert_eq!(report.trial.as_ref().map(|trial| trial.findings), Some(1));
    let json = to_json(&report);
    assert!(!json.contains(&token) && json.contains("const legacy"), "{json}");
    let limit = Limit { stop: Arc::new(AtomicBool::new(true)), ..limit() };
    let report = try_draft(&project, &Draft { text: header, sentence: None }, &limit);
    let trial = report.expect("a report").trial.expect("a trial");
    assert!(trial.notes.iter().any(|note| note.starts_with("stopped after")), "{:?}", trial.notes);
}

#[test]
fn the_severity_follows_from_the_trial() {
    let advice = |calls: usize, regex: &str| {
        let code = "legacy();\n".repeat(calls);
        let (_directory, project) = project(&[(".aidd/x", ""), ("src/a.ts", &code)]);
        let header = format!(
            "severity: info\nmessage: Old\ncheck: {{ files: ['{regex}'], text: {{ regex: legacy }} }}"
        );
        try_text(&project, &header, None).advice.expect("advice").severity
    };
    assert_eq!(advice(0, "*.ts"), "error");
    assert_eq!(advice(3, "*.ts"), "warning");
    assert_eq!(advice(30, "*.ts"), "info");
    assert_eq!(advice(3, "*.py"), "warning");
}
