//! Which fixes hold, and which are undone.

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
        // Its result is an error.
        page("worse", "warning", "mild", "harsh"),
        page("harsh", "error", "harsh", "harsh"),
        // Each of these restores the other.
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
    let undone: Vec<String> = result
        .undone
        .iter()
        .map(|one| format!("; {} {}:{} {}", one.rule, one.line, one.column, one.reason))
        .collect();
    let text = String::from_utf8(result.bytes).expect("text");
    format!("{text:?} {}{}", result.fixed, undone.concat())
}

#[test]
fn a_fix_whose_finding_remains_is_undone_and_others_stay() {
    assert_eq!(
        fixed("a.txt", "blue stays\nblue\n"),
        r#""teal stays\nteal\n" 2; t/same 1:6 the finding remained"#
    );
}

#[test]
fn a_fix_that_adds_an_error_is_undone() {
    assert_eq!(
        fixed("a.txt", "harsh\nblue mild\nmild blue\n"),
        "\"harsh\\nteal mild\\nmild teal\\n\" 2; t/worse 2:6 it added an error of `t/harsh` on \
         line 2; t/worse 3:1 it added an error of `t/harsh` on line 3"
    );
}

#[test]
fn a_fix_that_restores_a_fixed_finding_is_undone() {
    // Both words are fixed at once; then the results are each other's findings.
    let text = fixed("a.txt", "left\n");
    assert_eq!(text, "\"right\\n\" 1; t/right 1:1 it restored a fixed finding of `t/left`");
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
fn a_file_with_many_failing_fixes_takes_few_checks() {
    let text = "mild\n".repeat(40) + &"blue\n".repeat(500) + "mild\n";
    let result = fix_file(&ENGINE, "a.txt", text.into_bytes(), &Memory::default(), Safety::Unsafe);
    assert_eq!(result.fixed, 500);
    assert_eq!(result.undone.len(), 41);
    let is_verified = |one: &Undone| matches!(one.reason, Reason::AddsError { .. });
    assert!(result.undone.iter().all(is_verified), "{:?}", result.undone);
}

#[test]
fn fixes_that_fail_are_named_without_changing_the_file() {
    let text = b"blue stays mild\n".to_vec();
    let failing = failing_fixes(&ENGINE, "a.txt", text, &Memory::default(), &|_| true);
    let rules: Vec<&str> = failing.iter().map(|one| &*one.rule).collect();
    assert_eq!(rules, ["t/same", "t/worse"]);
    assert_eq!(failing[0].column, 6);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fixed_findings_are_gone_and_no_error_is_new(
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
            findings.iter().filter(|one| &*one.rule == rule).count()
        };
        prop_assert!(count(&after, "t/harsh") <= count(&before, "t/harsh"));
        let fixable = before.iter().filter(|one| one.fix.is_some()).count();
        prop_assert!(result.fixed + result.undone.len() <= fixable + after.len());
        for rule in ["t/same", "t/worse"] {
            prop_assert_eq!(count(&after, rule), count(&before, rule));
        }
        prop_assert_eq!(count(&after, "t/good"), 0);
        let parses = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
        prop_assert!(path != "a.json" || !parses(text.as_bytes()) || parses(&result.bytes));
        // Rules that contradict each other replace their fixes in every run.
        if !text.contains("left") && !text.contains("right") {
            let again = result.bytes.clone();
            let again = fix_file(&ENGINE, path, again, &Memory::default(), Safety::Unsafe);
            prop_assert_eq!(again.bytes, result.bytes);
        }
    }
}
