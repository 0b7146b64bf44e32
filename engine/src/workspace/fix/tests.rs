//! Tests of which fixes are retained and which are undone.

use super::*;
use crate::check::Selection;
use crate::project::config::Config;
use crate::rules::registry::Registry;
use crate::text::files::Memory;
use proptest::prelude::*;
use std::sync::LazyLock;

/// A rule that replaces the matches of `regex`.
fn page(id: &str, severity: &str, regex: &str, to: &str) -> (String, String) {
    let text = format!(
        "---\nseverity: {severity}\ncheck:\n  text: {{ regex: '{regex}' }}\n  fix: {{ replace: '{to}', safe: true }}\n---\n# t/{id}\n\nWhy.\n"
    );
    (format!("rules/{id}.md"), text)
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut pages = vec![
        page("good", "warning", "blue", "teal"),
        // The fix of this rule does nothing useful.
        page("same", "warning", "stays", "stays!"),
        // The result of this fix is an error.
        page("worse", "warning", "mild", "harsh"),
        page("harsh", "error", "harsh", "harsh"),
        // Each of these two rules restores the finding of the other.
        page("left", "warning", "left", "right"),
        page("right", "warning", "right", "left"),
        page("quote", "warning", "\"bare\"", "bare"),
        page("comma", "warning", "\\[ ", "[1,"),
        page("brace", "warning", "\\{ open", "open"),
        // The first step of two.
        page("step", "info", "first", "second"),
        page("last", "info", "second", "third"),
    ];
    pages.retain(|(path, _)| path != "rules/harsh.md");
    pages.push((
        "rules/harsh.md".to_owned(),
        "---\nseverity: error\ncheck:\n  text: { regex: 'harsh' }\n---\n# t/harsh\n\nWhy.\n"
            .to_owned(),
    ));
    let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
    let selection = Selection { only: vec!["t/*".to_owned()], ..Selection::default() };
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &selection).expect("an engine")
});

/// The fixed text, the number of fixed findings, and the undone fixes.
fn fixed(path: &str, text: &str) -> String {
    let files = Memory::default();
    let result = fix_file(&ENGINE, path, text.as_bytes().to_vec(), &files, Safety::Unsafe);
    let undone_fixes: Vec<String> = result
        .undone
        .iter()
        .map(|undone| {
            format!("; {} {}:{} {}", undone.rule, undone.line, undone.column, undone.reason)
        })
        .collect();
    let text = String::from_utf8(result.bytes).expect("text");
    format!("{text:?} {}{}", result.fixed, undone_fixes.concat())
}

#[test]
fn a_fix_whose_finding_remains_is_undone_and_other_fixes_are_retained() {
    assert_eq!(
        fixed("a.txt", "blue stays\nblue\n"),
        r#""teal stays\nteal\n" 2; t/same 1:6 the finding remained"#
    );
}

#[test]
fn a_fix_that_adds_an_error_is_undone() {
    assert_eq!(
        fixed("a.txt", "harsh\nblue mild\nmild blue\n"),
        "\"harsh\\nteal mild\\nmild teal\\n\" 2; t/worse 2:6 the fix added an error of `t/harsh` on \
         line 2; t/worse 3:1 the fix added an error of `t/harsh` on line 3"
    );
}

#[test]
fn a_fix_that_restores_a_fixed_finding_is_undone() {
    // The fix of each rule produces the finding of the other rule.
    let text = fixed("a.txt", "left\n");
    assert_eq!(text, "\"right\\n\" 1; t/right 1:1 the fix restored a fixed finding of `t/left`");
}

#[test]
fn a_fix_that_breaks_the_file_is_undone() {
    assert_eq!(
        fixed("a.json", "{\"a\": \"bare\", \"b\": \"blue\"}"),
        r#""{\"a\": \"bare\", \"b\": \"teal\"}" 1; t/quote 1:7 the file no longer parsed as JSON"#
    );
    for (path, text, format) in [
        ("a.toml", "a = \"bare\"\nb = \"blue\"\n", "TOML"),
        ("a.js", "f(function () { open(); }); // blue\n", "javascript"),
        ("a.rs", "fn f() { open(); } // blue\n", "rust"),
        ("a.yml", "a: { open: 1 }\nb: blue\n", "YAML"),
        ("a.md", "---\na: { open: 1 }\n---\nblue\n", "front matter"),
    ] {
        let result = fixed(path, text);
        assert!(result.contains("teal"), "{path}: {result}");
        assert!(result.contains(&format!("the file no longer parsed as {format}")), "{result}");
    }
    // A file that did not parse before is fixed.
    assert!(fixed("b.json", "{\"a\": \"bare\"").starts_with(r#""{\"a\": bare" 1"#));
}

#[test]
fn a_finding_that_a_fix_caused_is_fixed_but_not_counted() {
    assert_eq!(fixed("a.txt", "first\n"), "\"third\\n\" 1");
}

#[test]
fn many_failing_fixes_require_few_checks() {
    let text = "mild\n".repeat(40) + &"blue\n".repeat(500) + "mild\n";
    let result = fix_file(&ENGINE, "a.txt", text.into_bytes(), &Memory::default(), Safety::Unsafe);
    assert_eq!(result.fixed, 500);
    assert_eq!(result.undone.len(), 41);
    let is_verified = |undone: &UndoneFix| matches!(undone.reason, Reason::AddsError { .. });
    assert!(result.undone.iter().all(is_verified), "{:?}", result.undone);
}

#[test]
fn failing_fixes_are_returned_without_changing_the_file() {
    let text = b"blue stays mild\n".to_vec();
    let failing = failing_fixes(&ENGINE, "a.txt", text, &Memory::default(), &|_| true);
    let rules: Vec<&str> = failing.iter().map(|undone| &*undone.rule).collect();
    assert_eq!(rules, ["t/same", "t/worse"]);
    assert_eq!(failing[0].column, 6);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fixed_findings_disappear_and_no_error_is_added(
        words in proptest::collection::vec(
            prop_oneof![
                Just("blue"), Just("stays"), Just("mild"), Just("harsh"), Just("left"),
                Just("right"), Just("\"bare\""), Just("[ "), Just("{ open"), Just("first"),
                Just("second"), Just("\n"), Just("\"x\""), Just(","), Just("]"), Just("}"),
            ],
            0..20,
        ),
        path in prop_oneof![Just("a.txt"), Just("a.json"), Just("a.yaml"), Just("a.js")],
    ) {
        let text = words.join(" ");
        let check = |bytes: &[u8]| {
            let source = Source::decode(path, bytes.to_vec());
            ENGINE.check(&source, &Memory::default()).findings
        };
        let result =
            fix_file(&ENGINE, path, text.clone().into_bytes(), &Memory::default(), Safety::Unsafe);
        let (before, after) = (check(text.as_bytes()), check(&result.bytes));
        let count = |findings: &[Finding], rule: &str| {
            findings.iter().filter(|finding| &*finding.rule == rule).count()
        };
        prop_assert!(count(&after, "t/harsh") <= count(&before, "t/harsh"));
        let fixable = before.iter().filter(|finding| finding.fix.is_some()).count();
        prop_assert!(result.fixed + result.undone.len() <= fixable + after.len());
        for rule in ["t/same", "t/worse"] {
            prop_assert_eq!(count(&after, rule), count(&before, rule));
        }
        prop_assert_eq!(count(&after, "t/good"), 0);
        let parses = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
        prop_assert!(path != "a.json" || !parses(text.as_bytes()) || parses(&result.bytes));
        // Rules that contradict each other change the text in every run.
        if !text.contains("left") && !text.contains("right") {
            let second = result.bytes.clone();
            let second = fix_file(&ENGINE, path, second, &Memory::default(), Safety::Unsafe);
            prop_assert_eq!(second.bytes, result.bytes);
        }
    }
}
