//! What is said of pages and settings that cannot be used.

use crate::check::{Engine, Selection};
use crate::config::{self, Config};
use crate::files::Memory;
use crate::registry::Registry;
use crate::source::{Encoding, Source};

/// What is told of the file at `path`: place, the text under it, message.
fn told(path: &str, text: &str, pages: &[(String, String)]) -> Vec<String> {
    let engine = Engine::new(Registry::new(pages), &Config::default(), &Selection::default())
        .expect("valid");
    let source = Source::new(path, text);
    let findings = engine.check(&source, &Memory::default()).findings;
    let line = |finding: &crate::finding::Finding| {
        let at = source.position(finding.span.start, Encoding::CodePoints);
        let under = source.slice(finding.span);
        format!("{}:{} {under}: {}", at.line + 1, at.column + 1, finding.message)
    };
    findings.iter().filter(|one| one.rule.starts_with("aidd/")).map(line).collect()
}

fn page(header: &str) -> String {
    format!("---\nseverity: warning\n{header}\n---\n# t/x\n\nWhy.\n")
}

#[test]
fn what_is_wrong_in_a_page_is_told_at_its_place_with_the_remedy() {
    let wrong = [
        "check:\n  files: { a: b }\n  text: { regex: a }",
        "check:\n  text: foo",
        "check:\n  text: { regex: foo, max: -1 }",
        "check:\n  text: { regex: foo, max: many }",
        "check:\n  text: { regex: foo }\n  fix: { replace: b, safe: yes }",
        "check:\n  text: { regex: foo }\nfix: { replace: b }",
        "check:\n  text: { regex: foo }\n  message: no",
        "check:\n  text: { regex: foo, files: ['*.ts'] }",
        "check:\n\ttext: { regex: foo }",
        "check:\n  text: { regex: \"\\d+\" }",
        "check:\n  text: { regex: \"\\bfoo\\b\" }",
        "check:\n  text: { regex: '(?<!a)b' }",
        "check:\n  text: { regex: 'x*' }",
        "check:\n  text: { swap: { foo: foo } }",
        "check:\n  text: { regex: 'a(b)' }\n  fix: { replace: '$2' }",
        "check:\n  text: { regex: 'a(?P<b>c)' }\n  fix: { replace: 'cost: $amount' }",
        "check:\n  files: ['src/{a,b/*.ts']\n  text: { regex: foo }",
        "check:\n  syntax: { language: typscript, rule: { kind: identifier } }",
        "check:\n  syntax: { language: rust, rule: { patern: 'a($B)' } }",
        "check:\n  syntax: { language: rust, rule: { kind: call_expresion } }",
        "check:\n  syntax: { language: rust, rule: { pattern: 'a($B)' }, fix: 'b($C)' }",
        "check:\n  data: { at: '$.a[', equals: 1 }",
        "check:\n  data: { at: '$.a', matches: '(20' }",
        "check:\n  tree: { each: 'packages/<pkg>/', exists: 'packages/<name>x/<package>' }",
        "check:\n  tree: { each: 'src/*.ts', only: ['*.ts'] }",
        "check:\n  when: { nearest: '*.toml' }\n  text: { regex: foo }",
        "check:\n  doc: { headings: ['#######  x'] }",
        "check:\n  commit: { subject: { matches: '(a' } }",
    ];
    let all = wrong.map(|header| told(".aidd/rules/x.md", &page(header), &[]).join("\n"));
    assert!(all.iter().all(|told| !told.is_empty()));
    insta::assert_snapshot!(all.join("\n"), @"");
}

#[test]
fn one_text_stands_for_a_list_of_one() {
    let text = page(
        "tags: a\ncheck:\n  files: '*.ts'\n  syntax: { language: typescript, rule: { pattern: 'foo($A)' } }",
    );
    let pages = [(".aidd/rules/x.md".to_owned(), text.clone())];
    assert_eq!(told(".aidd/rules/x.md", &text, &pages), [""; 0]);
    let engine = Engine::new(Registry::new(&pages), &Config::default(), &Selection::default());
    let found = engine.expect("valid").check(&Source::new("a.ts", "foo(1)"), &Memory::default());
    assert_eq!(found.findings.len(), 1);
}

#[test]
fn a_heading_without_its_space_is_one_all_the_same() {
    let text =
        page("check:\n  doc: { headings: ['#Title', '##Context'] }\n  fix: { insert: true }");
    let registry = Registry::new(&[(".aidd/rules/x.md".to_owned(), text)]);
    let engine = Engine::new(registry, &Config::default(), &Selection::default()).expect("valid");
    let source = Source::new("a.md", "# Title\n");
    let findings = engine.check(&source, &Memory::default()).findings;
    let own = findings.iter().find(|one| &*one.rule == "t/x").expect("found");
    assert_eq!(own.message, "`## Context` is missing; it belongs after `# Title`");
    let fix = own.fix.as_ref().expect("a fix");
    assert!(fix.edits[0].text.contains("## Context"), "{:?}", fix.edits);
}

#[test]
fn parameters_are_told_where_they_stand() {
    let text = page(
        "check:\n  params: { max: 3, word: a }\n  text: { regex: \"${word}\", max: \"${max}\" }",
    );
    let pages = [(".aidd/rules/x.md".to_owned(), text)];
    let config = r#"{
      "rules": { "t/x": { "params": { "max": 4, "mox": 1 } } },
      "overrides": [
        { "files": ["a/"], "rules": { "t/*": { "params": { "word": 5 } } } },
        { "files": ["b/"], "rules": { "t/x": { "params": { "max": 9 } } } },
        { "files": ["c/"], "rules": { "t/x": { "severity": "error", "params": { "max": -1 } } } }
      ]
    }"#;
    assert!(config::read(config).is_ok());
    insta::assert_snapshot!(told(".aidd/config.json", config, &pages).join("\n"), @"");
}
