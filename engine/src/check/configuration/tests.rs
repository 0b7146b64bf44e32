//! The findings on invalid pages and settings.

use crate::check::{Engine, Selection};
use crate::project::config::{self, Config};
use crate::rules::registry::Registry;
use crate::text::files::Memory;
use crate::text::source::{Encoding, Source};

/// The findings in the file at `path`, each as position, covered text and message.
fn findings(path: &str, text: &str, pages: &[(String, String)]) -> Vec<String> {
    let engine = Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, pages),
        &Config::default(),
        &Selection::default(),
    )
    .expect("valid");
    let source = Source::new(path, text);
    let findings = engine.check(&source, &Memory::default()).findings;
    let line = |finding: &crate::text::finding::Finding| {
        let at = source.position(finding.span.start, Encoding::CodePoints);
        let covered = source.slice(finding.span);
        format!("{}:{} {covered}: {}", at.line + 1, at.column + 1, finding.message)
    };
    findings.iter().filter(|finding| finding.rule.starts_with("aidd/")).map(line).collect()
}

fn page(header: &str) -> String {
    format!("---\nseverity: warning\n{header}\n---\n# t/x\n\nWhy.\n")
}

#[test]
fn problems_of_a_page_are_reported_at_their_position_with_a_remedy() {
    let headers = [
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
    let all = headers.map(|header| findings(".aidd/rules/x.md", &page(header), &[]).join("\n"));
    assert!(all.iter().all(|reported| !reported.is_empty()));
    insta::assert_snapshot!(all.join("\n"), @r#"
    4:10 {: expected a string, found a mapping
    4:9 foo: expected a mapping, such as `{ key: value }`
    4:28 -1: expected a non-negative integer
    4:28 many: expected a non-negative integer
    5:28 yes: expected `true` or `false`
    5:1 fix: unknown key `fix`; it belongs under `check`
    5:3 message: unknown key `message`; it belongs at the top level of the header, not under `check`
    4:23 files: unknown key `files`; it belongs directly under `check`, next to the form
    4:1 	text: tab in indentation; use spaces
    4:18 "\d+": a backslash in double quotes starts a YAML escape; use single quotes
    4:19 \bfoo\b: the check cannot run: `\bfoo\b` contains a backspace, because YAML reads `\b` in double quotes as one; use single quotes
    4:19 (?<!: the check cannot run: `(?<!` is look-around, which is not supported: use `unless` or `unless-match` in a `text` check, `not` in a `syntax` check, or list paths in `exclude`
    4:19 x*: the check cannot run: `x*` matches the empty string at every position
    4:19 foo: the check cannot run: `foo` is replaced with itself
    5:10 replace: the check cannot run: `replace` uses the group `2`, which the expression does not have; its groups are numbered up to 1. Write a literal `$` as `$$`
    5:10 replace: the check cannot run: `replace` uses the group `amount`, which the expression does not have; its groups are `b`. Write a literal `$` as `$$`
    4:12 src/{a,b/*.ts: the check cannot run: not a glob: `src/{a,b/*.ts`: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
    4:23 typscript: the check cannot run: `typscript` is not a built-in language; did you mean `typescript`?
    4:37 patern: the check cannot run: unknown key `patern` in the rule; did you mean `pattern`?
    4:43 call_expresion: the check cannot run: `call_expresion` is not a node kind of rust; did you mean `call_expression`?
    4:57 fix: the check cannot run: `fix` uses `$C`, which the rule does not capture
    4:16 $.a[: the check cannot run: `at: $.a[`: unclosed `[`
    4:32 (20: the check cannot run: `(20`: unclosed group
    4:62 <package>: the check cannot run: `<package>` in `packages/<name>x/<package>` is not captured in `each`; expected one of pkg, path, dir, name, stem, ext
    4:3 tree: `only` applies to directories; end a pattern of `each` with `/`
    4:11 nearest: the check cannot run: `nearest` must be a name, not a glob: `*.toml`
    4:22 #######  x: the check cannot run: `#######  x` is not a heading: expected one to six `#` and text; `*` matches any run of headings
    4:34 (a: the check cannot run: `(a` is not a valid expression: unclosed group
    "#);
}

#[test]
fn all_errors_of_a_header_are_reported_at_once() {
    let text = page(
        "tgas: [a]\ncheck:\n  fils: '*.ts'\n  text: { regx: a, regex: b, max: -1 }\n  fix: { safe: yes }\nfix: { replace: c }",
    );
    insta::assert_snapshot!(findings(".aidd/rules/x.md", &text, &[]).join("\n"), @r"
    3:1 tgas: unknown key `tgas`; did you mean `tags`?
    5:3 fils: unknown key `fils`; did you mean `files`?
    6:11 regx: unknown key `regx`; did you mean `regex`?
    6:35 -1: expected a non-negative integer
    7:16 yes: expected `true` or `false`
    8:1 fix: unknown key `fix`; it belongs under `check`
    ");
}

#[test]
fn wrong_keys_and_checks_that_cannot_run_are_reported_at_once() {
    let text = page(
        "tgas: [a]\ncheck:\n  files: ['src/{a']\n  exlude: b\n  when: { file: '{b' }\n  text: { regex: '(c', mxa: 1 }",
    );
    insta::assert_snapshot!(findings(".aidd/rules/x.md", &text, &[]).join("\n"), @"
    3:1 tgas: unknown key `tgas`; did you mean `tags`?
    5:12 src/{a: the check cannot run: not a glob: `src/{a`: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
    6:3 exlude: unknown key `exlude`; did you mean `exclude`?
    7:18 {b: the check cannot run: not a glob: `{b`: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
    8:11 regex: the check cannot run: unclosed group
    8:24 mxa: unknown key `mxa`; did you mean `max`?
    ");
}

#[test]
fn all_problems_of_a_configuration_are_reported_at_once() {
    let text = r#"{"failsOn": "error", "maxFileSize": "big", "unknwon": 1,
"rules": {"dockerfile/sduo": "off", "no/rule": "of"}, "include": 3}"#;
    insta::assert_snapshot!(findings(".aidd/config.json", text, &[]).join("\n"), @r#"
    1:2 "failsOn": unknown key `failsOn`; did you mean `failOn`?
    1:37 "big": `maxFileSize`: expected an integer, such as 2097152, found the string "big"
    1:44 "unknwon": unknown key `unknwon`; expected one of accessibility, baseline, ci, compliance, content, evolution, exclude, failOn, include, maxFileSize, memory, overrides, rules
    2:11 "dockerfile/sduo": unknown rule `dockerfile/sduo`; did you mean `dockerfile/sudo`?
    2:37 "no/rule": unknown rule `no/rule`
    2:48 "of": `rules.no/rule`: expected `off`, `info`, `warning`, `error` or an object with `params`, `severity`, found the string "of"; did you mean `off`?
    2:66 3: `include`: expected a string or a list of strings, found 3; put it in quotes
    "#);
}

#[test]
fn a_string_is_accepted_as_a_list_of_one_item() {
    let text = page(
        "tags: a\ncheck:\n  files: '*.ts'\n  syntax: { language: typescript, rule: { pattern: 'foo($A)' } }",
    );
    let pages = [(".aidd/rules/x.md".to_owned(), text.clone())];
    assert_eq!(findings(".aidd/rules/x.md", &text, &pages), [""; 0]);
    let engine = Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &pages),
        &Config::default(),
        &Selection::default(),
    );
    let found = engine.expect("valid").check(&Source::new("a.ts", "foo(1)"), &Memory::default());
    assert_eq!(found.findings.len(), 1);
}

#[test]
fn a_heading_without_a_space_is_accepted() {
    let text =
        page("check:\n  doc: { headings: ['#Title', '##Context'] }\n  fix: { insert: true }");
    let registry =
        Registry::new(crate::DISTRIBUTION.pages, &[(".aidd/rules/x.md".to_owned(), text)]);
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
            .expect("valid");
    let source = Source::new("a.md", "# Title\n");
    let findings = engine.check(&source, &Memory::default()).findings;
    let finding =
        findings.iter().find(|finding| &*finding.rule == "t/x").expect("a finding of the rule");
    assert_eq!(finding.message, "`## Context` is missing; it belongs after `# Title`");
    let fix = finding.fix.as_ref().expect("a fix");
    assert!(fix.edits[0].text.contains("## Context"), "{:?}", fix.edits);
}

#[test]
fn invalid_parameters_are_reported_at_their_position() {
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
    insta::assert_snapshot!(findings(".aidd/config.json", config, &pages).join("\n"), @r#"
    2:49 "mox": unknown parameter `mox`; did you mean `max`?
    4:60 "word": parameter `word`: expected a string, found a number
    6:81 "max": expected a non-negative integer
    "#);
}

#[test]
fn unknown_parameters_are_reported() {
    let config = r#"{
      "rules": {
        "dockerfile/latest-tag": { "params": { "max": 4 } },
        "dockerfile/missing-label": { "params": { "labels": "version" } },
        "DL3026": { "params": { "registry": ["a"] } },
        "tkb/stale-entry": { "params": { "months": "six" } }
      },
      "overrides": [
        { "files": "a/", "rules": { "dockerfile/untrusted-registry": { "params": { "registries": ["a"] } } } },
        { "files": "b/", "rules": { "dockerfile/*": { "params": { "labels": ["a"] } } } }
      ]
    }"#;
    assert!(config::read(config).is_ok());
    insta::assert_snapshot!(findings(".aidd/config.json", config, &[]).join("\n"), @r#"
    3:48 "max": `dockerfile/latest-tag` takes no parameters; remove `params`
    4:51 "labels": `labels`: expected a list of strings, such as `["a"]`
    5:33 "registry": `DL3026` has no parameter `registry`; did you mean `registries`?
    6:42 "months": `months`: expected an integer
    "#);
}

#[test]
fn errors_of_yaml_and_ast_grep_are_rewritten() {
    let headers = [
        "tags: a\nseverity: info",
        "message: a: b",
        "message: `x` is bad",
        "message: @x",
        "message: 'x",
        "tags: [a, b",
        "message: |x",
        "message: 'it's'",
        "check:\n  files: *.ts\n  text: { regex: x }",
        "check:\n  files: 3\n  text: { regex: x }",
        "check:\n  text: { regex: a{2} }",
        "check:\n  text:\n    regex: x\n   max: 3",
        "check:\n  files: '[a'\n  text: { regex: x }",
        "check:\n  syntax: { language: ts, rule: { pattern: x } }",
        "check:\n  syntax: { language: js, rule: { pattern: x } }",
        "check:\n  syntax: { language: typescript, rule: [a] }",
        "check:\n  syntax: { language: typescript, rule: { any: [{ kind: call_expression }, { not: [a] }] } }",
        "check:\n  syntax: { language: typescript, rule: { kind: foo } }",
        "check:\n  syntax: { language: typescript, rule: {} }",
        "check:\n  syntax: { language: typescript, rule: { regex: '(' } }",
    ];
    let all = headers.map(|header| findings(".aidd/rules/x.md", &page(header), &[]).join("\n"));
    insta::assert_snapshot!(all.join("\n"), @"
    4:1 severity: duplicate key `severity`
    3:11 : quote a string that contains a colon
    3:10 `x`: quote a string that starts with a backtick
    3:10 @x: quote a string that starts with `@`
    4:1 : unclosed quote above
    3:7 [a: unclosed bracket '['
    3:10 |x: quote a string that starts with `|` or `>`
    3:14 s': unexpected text after a quoted string
    4:10 *.ts: quote a string that starts with `*`; YAML reads it as an alias
    4:3 files: expected a string, a mapping, or a list of them, found the number `3`
    4:19 {2}: missing `}` or comma
    6:4 max: inconsistent indentation, or an unclosed quote above
    4:11 [a: the check cannot run: not a glob: `[a`: unclosed character class; missing ']'
    4:23 ts: the check cannot run: `ts` is not a built-in language; did you mean `typescript`?
    4:23 js: the check cannot run: `js` is not a built-in language; did you mean `javascript`?
    4:35 rule: the check cannot run: `rule` is a list; expected one rule as a mapping, such as `{ kind: … }`
    4:78 not: the check cannot run: `not` is a list; expected one rule as a mapping, such as `{ kind: … }`
    4:49 foo: the check cannot run: `foo` is not a node kind of typescript
    4:3 syntax: the check cannot run: the rule has nothing to match; add a `pattern`, a `kind` or a `regex`
    4:43 regex: the check cannot run: a `regex` in the rule is not a valid expression
    ");
}

#[test]
fn an_expression_that_is_too_large_is_reported_at_its_position() {
    for regex in ["(x{1,100}){1,100}", "x{1,1000}{1,1000}", "(?:(?:a{50}b?){50}c){50}"] {
        let page = page(&format!("check:\n  text: {{ regex: '{regex}' }}"));
        let why = "the check cannot run: the expression is too large to match efficiently; bound its repetitions";
        assert_eq!(findings(".aidd/rules/x.md", &page, &[]), [format!("4:11 regex: {why}")]);
    }
    let data = page("check:\n  data: { at: '$.a', matches: '(x{1,100}){1,100}' }");
    let reported = findings(".aidd/rules/x.md", &data, &[]).join("\n");
    assert!(reported.contains("4:32 (x{1,100}){1,100}: "), "{reported}");
}
