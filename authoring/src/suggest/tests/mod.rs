//! Tests of sentences and drafts, on projects on disk.
#![expect(clippy::disallowed_methods, reason = "the tests create projects")]

mod drafts;

use super::*;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::project::Project;
use std::fmt::Write as _;
use std::fs;

fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
    let directory = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        fs::write(path, text).expect("written");
    }
    let project = Project::open(&crate::DISTRIBUTION, directory.path(), None).expect("a project");
    (directory, project)
}

fn status(coverage: &Coverage) -> String {
    match coverage {
        Coverage::Enforced { rules } => format!("enforced by {}", rules.join(", ")),
        Coverage::EnforcedByOtherTool { rule, settings } => {
            format!("elsewhere by {rule} in {settings}")
        }
        Coverage::Disabled { rules, packs } => {
            format!("off: {}; packs {}", rules.join(", "), packs.join(", "))
        }
        Coverage::NotEnforced { note: Some(note) } => format!("open: {note}"),
        Coverage::NotEnforced { note: None } => "open".to_owned(),
    }
}

fn lines(survey: &Survey) -> String {
    let mut text = String::new();
    for StatedSentence { sentence, places, scope, coverage } in &survey.sentences {
        let places: Vec<String> =
            places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
        let _ = writeln!(text, "{} {sentence}\n  {}", places.join(" "), status(coverage));
        if !scope.is_empty() {
            let _ = writeln!(text, "  about {}", scope.join(" "));
        }
    }
    for note in &survey.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

#[test]
fn sentences_with_requirements_are_extracted() {
    let markdown = "---\ndescription: Always read this\n---\n# Rules\n\nWe like tests. Never use `eval()`, e.g. in a\nparser. Be nice.\n\n\
        - Files MUST be small\n- a note\n\n> You must not read this.\n\n```\nnever use `x()`\n```\n\n\
        | must | a |\n|---|---|\n| b | c |\n\n<!-- aidd:rules -->\n- MUST: be short\n\n<!-- /aidd:rules -->\n\n\
        ## Don't\n\n- Use `alert()`\n- Log secrets; never print them.\n\nThey are here.\n\n## 금지 사항\n\n- console.log 남기기\n";
    let source = Source::new("a.md", markdown);
    let found = extract_sentences(&source);
    let texts: Vec<String> = found.iter().map(|sentence| sentence.text.clone()).collect();
    insta::assert_snapshot!(texts.join("\n"), @"
    Never use `eval()`, e.g. in a parser.
    Files MUST be small
    Don't: Use `alert()`
    Don't: Log secrets
    Don't: never print them.
    금지 사항: console.log 남기기
    ");
    assert_eq!(source.slice(found[0].span), "Never use `eval()`, e.g. in a\nparser.");
    assert_eq!(source.slice(found[1].span), "Files MUST be small");
}

#[test]
fn a_survey_lists_the_rules_that_enforce_each_sentence() {
    let (_directory, project) = project(&[
        (".aidd/config.json", r#"{"compliance": ["git"]}"#),
        ("eslint.config.js", "export default [{ rules: { 'no-var': 'error' } }];\n"),
        ("src/a.ts", "export const a = 1;\n"),
        ("rules/parse.md", "# Parsing\n\nNever call `legacyParse()`.\n"),
        (
            "rules/log.md",
            "---\nseverity: info\ncheck: { text: { regex: 'zzz' } }\n---\n# team/log\n\nNever log `zzz`. It must be short.\n",
        ),
        (
            "AGENTS.md",
            "# Ours\n\n- Never use `var`.\n- Never log `zzz`.\n- Never use `any`.\n- Never hard-code passwords.\n\
             - Rule no-eval applies, always.\n- any 타입 사용 금지\n- Write good code, always.\n- Do not use `print()`.\n",
        ),
        ("web/CLAUDE.md", "Never use `any`. Never mutate props.\n"),
    ]);
    let survey = run_survey(&project, &[]).expect("a survey");
    insta::assert_snapshot!(lines(&survey), @"
    AGENTS.md:3 Never use `var`.
      elsewhere by eslint/no-var in eslint.config.js
    AGENTS.md:4 rules/log.md:7 Never log `zzz`.
      enforced by team/log
    AGENTS.md:5 web/CLAUDE.md:1 Never use `any`.
      off: compliance/any-type; packs typescript-strict
    AGENTS.md:6 Never hard-code passwords.
      enforced by secrets/*
    AGENTS.md:7 Rule no-eval applies, always.
      off: compliance/eval, functional/reflection; packs security
    AGENTS.md:8 any 타입 사용 금지
      off: compliance/any-type; packs typescript-strict
    AGENTS.md:9 Write good code, always.
      open
    AGENTS.md:10 Do not use `print()`.
      open
    web/CLAUDE.md:1 Never mutate props.
      open
      about web/**
    rules/parse.md:3 Never call `legacyParse()`.
      open
    ");
    assert_eq!(Counts::from_sentences(&survey.sentences).sentences, survey.sentences.len());
}

#[test]
fn sentences_of_a_page_with_enforced_by_are_enforced_by_the_other_tool() {
    let page = |by: &str| {
        format!(
            "---\nenforced-by: {by}\n---\n# team/output\n\nNever write to standard output. Always use the logger.\n"
        )
    };
    let (on, off) = (page("eslint/no-console"), page("eslint/no-alert"));
    let (_directory, project) = project(&[
        (".eslintrc.json", r#"{"rules": {"no-console": "error"}}"#),
        ("src/a.ts", "export const a = 1;\n"),
        (".aidd/rules/on.md", &on),
        (".aidd/rules/off.md", &off.replace("output", "alerts")),
        ("AGENTS.md", "- Always use the logger.\n"),
    ]);
    insta::assert_snapshot!(lines(&run_survey(&project, &[]).expect("a survey")), @"
    AGENTS.md:1 .aidd/rules/off.md:6 Always use the logger.
      elsewhere by eslint/no-console in .eslintrc.json
    .aidd/rules/off.md:6 Never write to standard alerts.
      open: its page names `eslint/no-alert`, but no ESLint configuration in this project enables `no-alert`
    .aidd/rules/on.md:6 Never write to standard output.
      elsewhere by eslint/no-console in .eslintrc.json
    ");
}

#[test]
fn skipped_sentences_are_noted_and_missing_files_are_errors() {
    let many: String = (0..2100).map(|index| format!("- Never call `gone{index}()`.\n")).collect();
    let (_directory, project) = project(&[(".aidd/x", ""), ("AGENTS.md", &many)]);
    let found = run_survey(&project, &[]).expect("a survey");
    assert_eq!(found.sentences.len(), 2000);
    assert!(found.notes[0].starts_with("skipped 100 sentences"), "{:?}", found.notes);
    let error = run_survey(&project, &["gone.md".to_owned()]).expect_err("missing");
    assert!(error.to_string().starts_with("gone.md: "), "{error}");
    assert_eq!(error.remedy(), "pass the path of a text file of the project");
}

/// The statement of a sentence, as text.
fn statement(project: &Project, sentence: &str) -> String {
    let Statement { stated, related, page } =
        describe_sentence(project, sentence).expect("a statement");
    let places: Vec<String> =
        stated.places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
    let mut text = format!(
        "{}\n  at [{}], about [{}]\n  {}\n  page {page}\n",
        stated.sentence,
        places.join(" "),
        stated.scope.join(" "),
        status(&stated.coverage)
    );
    for rule in related {
        let state = if rule.on { "on" } else { "off" };
        let _ = writeln!(text, "  related {} {state}", rule.rule);
    }
    text
}

#[test]
fn a_sentence_is_described_with_its_places_and_coverage() {
    let (_directory, project) = project(&[
        (".aidd/x", ""),
        ("src/a.ts", "export const a = 1;\n"),
        (
            "eslint.config.js",
            "export default [{ rules: { 'no-restricted-imports': ['error', 'moment'] } }];\n",
        ),
        ("AGENTS.md", "# Ours\n\n- Never call `legacyParse()`; it is slow.\n"),
        ("src/a.test.ts", "test(a);\n"),
        ("web/AGENTS.md", "- Never mutate props.\n"),
        ("rules/parse.md", "# Parsing\n\nAlways parse twice.\n"),
    ]);
    let all = [
        "never call legacyParse()",
        "Never mutate props",
        "Always parse twice.",
        "Never use moment",
        "Never use console.log",
        "Always skip the tests that fail",
        "커밋하기 전에 반드시 검토하세요.",
        "The compliance/any-type rule holds",
    ];
    let text: String = all.iter().map(|sentence| statement(&project, sentence)).collect();
    insta::assert_snapshot!(text, @"
    Never call `legacyParse()`; it is slow.
      at [AGENTS.md:3], about []
      open
      page .aidd/rules/never-call-legacyparse-it-is.md
    Never mutate props.
      at [web/AGENTS.md:1], about [web/**]
      open
      page web/.aidd/rules/never-mutate-props.md
      related perf/unstable-memo-prop on
      related functional/mutation off
      related a11y/unseen-attribute off
    Always parse twice.
      at [rules/parse.md:3], about []
      open
      page rules/parse.md
      related tests/python-duplicate-case on
      related i18n/duplicate-key on
    Never use moment
      at [], about []
      elsewhere by eslint/no-restricted-* in eslint.config.js
      page .aidd/rules/never-use-moment.md
    Never use console.log
      at [], about []
      off: compliance/debug-output; packs clean-code, javascript, typescript-strict
      page .aidd/rules/never-use-console-log.md
    Always skip the tests that fail
      at [], about []
      open
      page .aidd/rules/always-skip-the-tests-that.md
      related tests/python-assert-false off
      related tests/disabled-test off
      related tests/python-tuple-assert on
    커밋하기 전에 반드시 검토하세요.
      at [], about []
      open
      page .aidd/rules/draft.md
    The compliance/any-type rule holds
      at [], about []
      off: compliance/any-type; packs typescript-strict
      page .aidd/rules/the-compliance-any-type-rule.md
    ");
}

#[test]
fn hostile_sentences_are_rejected_or_sanitized() {
    let (_directory, project) = project(&[(".aidd/x", ""), ("AGENTS.md", "Never panic.\n")]);
    let error =
        |sentence: &str| describe_sentence(&project, sentence).expect_err("an error").to_string();
    assert_eq!(error(&"never ".repeat(200_000)), "the sentence has more than 2000 characters");
    assert_eq!(error(" \u{7}\u{202e}\n"), "the sentence is empty");
    assert_eq!(error("…?!"), "the sentence is empty");
    let found =
        describe_sentence(&project, "Never\u{1b}[31m \u{202e}panic\0.\n\n").expect("a statement");
    assert_eq!(found.stated.sentence, "Never [31m panic .");
    for text in ["«0» ` never".repeat(100), "`".repeat(2000), "((((\"'!".repeat(250)] {
        let _ = describe_sentence(&project, &text);
    }
}

/// Documents are parsed in linear time, whatever they contain.
#[test]
fn a_hostile_document_is_parsed_in_linear_time() {
    let start = std::time::Instant::now();
    let long = format!("Never use {}`x()`.\n\n", "the any new a an with to direct ".repeat(20_000));
    let many = "- Never use `foo()` in `a/b` or (((((((\n".repeat(20_000);
    for text in [long, many, "«".repeat(100_000), "never `".repeat(50_000)] {
        let found = extract_sentences(&Source::new("AGENTS.md", text));
        assert!(found.iter().all(|sentence| sentence.text.chars().count() <= 600));
    }
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn every_form_has_a_valid_header() {
    let (_directory, project) = project(&[
        (".aidd/x", ""),
        ("eslint.config.js", "export default [{ rules: { 'no-console': 'error' } }];\n"),
        ("package.json", r#"{"dependencies": {"moment": "2"}}"#),
    ]);
    for FormHint { form, header, .. } in FORMS {
        let text = format!("severity: warning\nmessage: It is so\n{header}");
        let report = drafts::try_text(&project, &text, None);
        assert!(report.valid, "{form}: {:?}", report.problems);
    }
    let keys = aidd_page::Form::ALL.map(aidd_page::Form::key);
    assert!(keys.iter().all(|key| FORMS.iter().any(|hint| hint.form == *key)));
}
