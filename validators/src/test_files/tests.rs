//! Unit tests of the rules on tests.

use super::*;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::finding::{Finding, Status};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples;
use proptest::prelude::*;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
        .expect("shipped rules")
});

/// The findings of one rule in a text, each as `line text`.
pub(crate) fn rule_findings(
    rule: &str,
    path: &str,
    text: &str,
    files: &[(&str, &str)],
) -> Vec<String> {
    let pair = |&(path, text): &(&str, &str)| (path.to_owned(), text.as_bytes().to_vec());
    let files = Memory(files.iter().map(pair).collect());
    let source = Source::new(path, text);
    let findings = ENGINE.check_rule(&format!("tests/{rule}").as_str().into(), &source, &files);
    findings
        .iter()
        .map(|finding| {
            format!("{} {}", source.line_of(finding.span.start) + 1, source.slice(finding.span))
        })
        .collect()
}

#[test]
fn examples_of_the_pages_have_the_documented_findings() {
    let rules = ENGINE.registry().rules().iter().filter(|rule| rule.id.starts_with("tests/"));
    let problems: Vec<String> = rules
        .flat_map(|rule| {
            examples::run(&ENGINE, rule)
                .into_iter()
                .map(|problem| format!("{}: {problem}", rule.id))
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn names_are_bound_by_the_imports_of_the_file() {
    let focus = |text| rule_findings("focused-test", "a.test.ts", text, &[]);
    assert_eq!(focus("import { test } from './fixtures';\ntest.only('a', () => {});").len(), 1);
    assert_eq!(
        focus("import { test as check } from 'vitest';\ncheck.only('a', () => {});").len(),
        1
    );
    let jsx = "test.only('a', () => { render(<App />); });";
    assert_eq!(rule_findings("focused-test", "a.test.js", jsx, &[]).len(), 1);
    assert_eq!(focus("const { it } = require('node:test');\nit.only('a', () => {});").len(), 1);
    assert_eq!(focus("import ava from 'ava';\nava.only('a', (t) => {});").len(), 1);
    assert!(focus("function test() {}\ntest.only('a', () => {});").is_empty());
    assert!(focus("const it = rows();\nit.only('a', () => {});").is_empty());
    let wait = |text| rule_findings("unawaited-assertion", "a.test.ts", text, &[]);
    assert!(wait("it('a', () => { expect(a).toBeVisible(); });").is_empty());
    let playwright = "import { expect } from '@playwright/test';\n";
    assert_eq!(
        wait(&format!("{playwright}it('a', () => {{ expect(a).toBeVisible(); }});")).len(),
        1
    );
}

#[test]
fn the_framework_is_read_from_the_nearest_manifest() {
    let text = "describe('a', async () => { await load(); it('b', () => {}); });";
    let suite =
        |files: &[(&str, &str)]| rule_findings("async-suite", "app/a.test.ts", text, files).len();
    assert_eq!(suite(&[]), 0);
    assert_eq!(suite(&[("package.json", "{\"devDependencies\": {\"jest\": \"30\"}}")]), 1);
    assert_eq!(suite(&[("package.json", "{\"devDependencies\": {\"vitest\": \"4\"}}")]), 0);
    let both = "{\"devDependencies\": {\"vitest\": \"4\", \"jest\": \"30\"}}";
    assert_eq!(suite(&[("package.json", both)]), 0);
    let inner = ("app/package.json", "{\"devDependencies\": {\"mocha\": \"11\"}}");
    assert_eq!(suite(&[("package.json", both), inner]), 1);
}

#[test]
fn test_files_are_recognized() {
    let is_test = |path: &str, text: &str| claim(path, text).is_some();
    assert!(
        is_test("a.test.ts", "") && is_test("src/a.spec.jsx", "") && is_test("cypress/a.cy.js", "")
    );
    assert!(is_test("test/a.js", "describe('a', () => {})") && !is_test("test/a.js", "export {}"));
    assert!(
        is_test("test_a.py", "") && is_test("tests/a_test.py", "") && is_test("conftest.py", "")
    );
    assert!(
        !is_test("a.ts", "it('a', () => {})")
            && !is_test("contest.py", "")
            && !is_test("a.test.md", "")
    );
    assert!(is_test("a_test.go", "") && !is_test("vendor/a/a_test.go", "") && !is_test("a.go", ""));
    assert!(is_test("spec/a_spec.rb", "") && is_test("test_a.rb", "") && !is_test("a.rb", ""));
}

#[test]
fn only_variables_of_shared_iterations_are_captured() {
    let captured = |version: &str, body: &str| {
        let text = format!("package a\n\nfunc TestA(t *testing.T) {{\n{body}\n}}\n");
        let manifest = format!("module a\n\n{version}\n");
        rule_findings("go-captured-loop-variable", "a/a_test.go", &text, &[("go.mod", &manifest)])
    };
    let run = |head: &str, body: &str| {
        format!("for {head} {{\nt.Run(\"a\", func(t *testing.T) {{\nt.Parallel()\n{body}\n}})\n}}")
    };
    let plain = run("_, row := range rows", "check(t, row.a, row.b)");
    for (version, count) in [
        ("go 1.21", 1),
        ("go 1.21.4", 1),
        ("go 1.9 // old", 1),
        ("", 1),
        ("go 1.22", 0),
        ("go 1.22rc1", 0),
        ("go 2.0", 0),
    ] {
        assert_eq!(captured(version, &plain).len(), count, "{version}");
    }
    let old = |head: &str, body: &str| captured("go 1.20", &run(head, body));
    assert_eq!(old("i := 0; i < 9; i++", "check(t, i)"), ["7 i"]);
    assert_eq!(old("i, row := range rows", "check(t, rows[i], row)"), ["7 i", "7 row"]);
    // The variable is declared outside of the loop, hidden, a field or not of this loop.
    assert!(old("range rows", "check(t, row)").is_empty());
    assert!(old("_, row = range rows", "check(t, row)").is_empty());
    assert!(old("_, row := range rows", "row := 1\ncheck(t, Row{row: 1}.row)").is_empty());
    let nested = run("_, row := range rows", "for _, row := range row.rows { check(t, row) }");
    assert_eq!(captured("go 1.20", &nested), ["7 row"]);
    assert_eq!(rule_findings("go-captured-loop-variable", "a_test.go", &plain, &[]), [""; 0]);
}

#[test]
fn calls_that_stop_a_test_belong_in_its_goroutine() {
    let fatal = |body: &str| {
        let imports = "import (\n\"testing\"\nmust \"github.com/stretchr/testify/require\"\n)";
        let text = format!("package a\n{imports}\nfunc TestA(t *testing.T) {{ {body} }}\n");
        rule_findings("go-fatal-in-goroutine", "a_test.go", &text, &[])
    };
    assert_eq!(fatal("go func() { must.Nil(t, f()) }()"), ["6 Nil"]);
    assert_eq!(fatal("m := must.New(t); go func() { m.Nil(f()) }()"), ["6 Nil"]);
    assert_eq!(fatal("g.Go(func() error { t.FailNow(); return nil })"), ["6 FailNow"]);
    assert!(fatal("go func() { m := must.New(c); t.Log(m) }()").is_empty());
    assert!(fatal("go func(must Check) { must.Nil(t) }(x)").is_empty());
    assert!(fatal("f(func() { t.Fatal() })").is_empty());
}

/// For each finding in a text: the rule id, and whether a comment allows the finding.
fn findings_with_status(
    config: &str,
    pages: &[(&str, &str)],
    path: &str,
    text: &str,
) -> Vec<(String, bool)> {
    let pages: Vec<(String, String)> =
        pages.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
    let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
    let config: Config = serde_json::from_str(config).expect("a configuration");
    let engine = Engine::new(&crate::DISTRIBUTION, registry, &config, &Selection::default())
        .expect("a valid configuration");
    let checked = engine.check(&Source::new(path, text), &Memory::default());
    let row = |finding: &Finding| (finding.rule.to_string(), finding.status == Status::Allowed);
    checked.findings.iter().map(row).collect()
}

const SLEEP: &str = "it('a', async () => { await sleep(500); expect(b()).toBe(1); });\n";
const FOCUS: &str = "it.only('a', () => { expect(b()).toBe(1); });\n";

#[test]
fn former_ids_of_rules_are_accepted() {
    let expected = |rule: &str, is_allowed| vec![(format!("tests/{rule}"), is_allowed)];
    let path = "a.test.ts";
    assert!(findings_with_status("{}", &[], path, SLEEP).is_empty());
    let rules = r#"{"rules": {"compliance/sleeping-test": "error"}}"#;
    assert_eq!(findings_with_status(rules, &[], path, SLEEP), expected("sleeping-test", false));
    assert_eq!(
        findings_with_status(r#"{"compliance": ["testing"]}"#, &[], path, SLEEP),
        expected("sleeping-test", false)
    );
    let pack = (
        ".aidd/packs/own.md",
        "---\npack:\n  rules:\n    - compliance/sleeping-test\n---\n# own\n\nOur rules.\n",
    );
    let own = r#"{"compliance": ["./own"]}"#;
    assert_eq!(findings_with_status(own, &[pack], path, SLEEP), expected("sleeping-test", false));
    let off = r#"{"rules": {"compliance/focused-test": "off"}}"#;
    assert!(findings_with_status(off, &[], path, FOCUS).is_empty());
    let allowed = ["// aidd:", "allow compliance/focused-test being debugged\n", FOCUS].concat();
    assert_eq!(findings_with_status("{}", &[], path, &allowed), expected("focused-test", true));
    for id in ["go-disabled", "java-sleeping", "python-retried", "ruby-focused", "rust-disabled"] {
        let former = format!("compliance/{id}-test");
        assert_eq!(ENGINE.registry().named(&former).count(), 1, "{former}");
    }
}

#[test]
fn comments_of_other_tools_allow_findings() {
    let status = |path: &str, text: &str| findings_with_status("{}", &[], path, text);
    for text in [
        format!("// eslint-disable-next-line jest/no-focused-tests\n{FOCUS}"),
        format!("// oxlint-disable-next-line vitest/no-focused-tests\n{FOCUS}"),
        format!("/* eslint-disable jest/no-focused-tests */\n\n{FOCUS}"),
        format!("// biome-ignore lint/suspicious/noFocusedTests: being debugged\n{FOCUS}"),
    ] {
        assert_eq!(status("a.test.ts", &text), [("tests/focused-test".to_owned(), true)], "{text}");
    }
    let raises = "import pytest\n\ndef test_a():\n    with pytest.raises(Exception):  # noqa: PT011\n        b()\n";
    assert_eq!(status("test_a.py", raises), [("tests/python-broad-raises".to_owned(), true)]);
}

#[test]
fn parameter_values_are_compared_regardless_of_formatting() {
    let cases = |values: &str| {
        let text = format!(
            "import pytest\n\n@pytest.mark.parametrize('a', [{values}])\ndef test_a(a):\n    assert a\n"
        );
        rule_findings("python-duplicate-case", "test_a.py", &text, &[]).len()
    };
    assert_eq!(cases("'a b', 'ab', 'a  b'"), 0);
    assert_eq!(cases("(1, 2), (1,2)"), 1);
}

#[test]
fn the_table_of_a_parametrized_test_is_not_its_title() {
    let titles = |text| rule_findings("invalid-title", "a.test.ts", text, &[]);
    assert!(titles("it.each([[1, 2]])('adds %d', (a, b) => { expect(a).toBe(b); });").is_empty());
    assert!(titles("describe.each([1])('adds %d', (a) => {});").is_empty());
    assert_eq!(titles("it(1, () => { expect(a()).toBe(b); });").len(), 1);
    assert!(titles("import { describe } from './api';\nconst a = describe({ id: 1 });").is_empty());
}

proptest! {
    #[test]
    fn any_text_can_be_checked(text in "([a-z(){}'`.;=>\\n ]|it\\(|expect\\(|describe\\(|def test_|assert |with pytest.raises\\(|for i := |t.Run\\(|func\\(t|go func\\(|do\n|end\n){0,60}") {
        for path in ["a.test.tsx", "test_a.py", "a_test.go", "a_spec.rb"] {
            let _ = ENGINE.check(&Source::new(path, text.as_str()), &Memory::default());
        }
    }
}
