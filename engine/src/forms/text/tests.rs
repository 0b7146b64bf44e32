use crate::check::{Engine, Selection};
use crate::project::config::Config;
use crate::rules::registry::Registry;
use crate::text::files::Memory;
use crate::text::source::{Encoding, Source};
use std::fmt::Write as _;

fn matched_texts(check: &str, text: &str) -> Vec<String> {
    let page = format!("---\nseverity: error\ncheck:\n  text: {{ {check} }}\n---\n# a/b\n\nWhy.\n");
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), page)]);
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
            .expect("valid");
    let rule = engine.registry().get("a/b").expect("present");
    assert_eq!(crate::forms::problems(rule), Vec::<String>::new());
    let source = Source::new("x", text);
    let findings = engine.check_rule(&rule.id, &source, &Memory::default());
    findings.iter().map(|finding| source.slice(finding.span).to_owned()).collect()
}

#[test]
fn line_breaks_of_all_kinds_end_a_token() {
    let check = r"regex: '\bk_(?P<at>[a-z]{4})(?:[^a-z]|$)', keywords: [k_]";
    for end in ["", "\n", "\r\n", "\r", ";\r\n"] {
        assert_eq!(matched_texts(check, &format!("x = k_abcd{end}")), ["abcd"], "{end:?}");
    }
    assert_eq!(matched_texts(check, "k_abcd k_efgh\r\nk_abcde k_ijkl"), ["abcd", "efgh", "ijkl"]);
    assert_eq!(
        matched_texts("assigned: '[a-z]{4}', keywords: [key]", "key=abcd\r\nkey: 'efgh'\r\n"),
        ["abcd", "efgh"]
    );
}

#[test]
fn a_byte_order_mark_does_not_prevent_matches() {
    assert_eq!(matched_texts("regex: '^key'", "\u{FEFF}key\nkey"), ["key", "key"]);
    assert_eq!(matched_texts(r"regex: '\Akey(?P<at>.)', keywords: [key]", "\u{FEFF}keyé"), ["é"]);
    assert_eq!(matched_texts(r"regex: '\bkey$'", "\u{FEFF}key"), ["key"]);
    assert_eq!(matched_texts("regex: '^key'", "\u{FEFF}"), [""; 0]);
    // A rule that reports the byte order mark itself.
    assert_eq!(matched_texts(r"regex: '\A\x{feff}'", "\u{FEFF}key"), ["\u{FEFF}"]);
}

#[test]
fn words_can_follow_the_name_of_an_assigned_value() {
    let check = "assigned: '[0-9]{4}', keywords: [acme]";
    assert_eq!(
        matched_texts(check, "Acme access token: 1234\nacme secret key = 5678"),
        ["1234", "5678"]
    );
    assert_eq!(matched_texts(check, "<meta name='acme-site' content='1234'>"), [""; 0]);
    assert_eq!(matched_texts(check, "acme was founded in the year: 1234"), [""; 0]);
}

#[test]
fn keywords_are_found_in_any_case_and_on_very_long_lines() {
    let check = "regex: 'KEY[0-9]', keywords: [key]";
    assert_eq!(matched_texts(check, "KEY1 key2 Key3 KEY4"), ["KEY1", "KEY4"]);
    let long = format!("{}KEY1{}KEY2", " key ".repeat(4000), " key ".repeat(4000));
    assert_eq!(matched_texts(check, &long), ["KEY1", "KEY2"]);
}

#[test]
fn the_surrounding_text_can_suppress_a_finding() {
    let check =
        r"regex: '://u:(?P<at>[a-z]+)@[a-z.]+', keywords: ['://'], unless-match: ['@localhost$']";
    assert_eq!(matched_texts(check, "a://u:abc@localhost a://u:def@host.io"), ["def"]);
}

#[test]
fn a_pattern_without_keywords_runs_only_on_its_files() {
    let page = "---\nseverity: error\ncheck:\n  files: ['*.md']\n  text: { regex: 'a' }\n---\n# a/b\n\nWhy.\n";
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), page.into())]);
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
            .expect("valid");
    let rule = engine.registry().get("a/b").expect("present");
    let count =
        |path: &str| engine.check_rule(&rule.id, &Source::new(path, "a"), &Memory::default()).len();
    assert_eq!((count("x.md"), count("x.py")), (1, 0));
}

#[test]
fn a_pattern_without_keywords_is_searched_for_in_the_whole_text() {
    assert_eq!(matched_texts("regex: '(?s)a.*?b'", "x a\n\nb a b"), ["a\n\nb", "a b"]);
    assert_eq!(matched_texts("regex: '^#.*$'", "# a\r\n# b"), ["# a", "# b"]);
}

/// The findings of a page in a file, one per line: position, text, message and fix; then the fixed
/// file.
fn findings(header: &str, path: &str, text: &str) -> String {
    let page = format!("---\nseverity: warning\n{header}\n---\n# a/b\n\nWhy so.\n");
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), page)]);
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
            .expect("valid");
    let rule = engine.registry().get("a/b").expect("a rule");
    assert_eq!(crate::forms::problems(rule), Vec::<String>::new());
    let source = Source::new(path, text);
    let findings = engine.check_rule(&rule.id, &source, &Memory::default());
    let mut reported = String::new();
    for finding in &findings {
        let at = source.position(finding.span.start, Encoding::CodePoints);
        let found = source.slice(finding.span);
        let fix = finding
            .fix
            .as_ref()
            .map_or("-".to_owned(), |fix| format!("{} ({})", fix.title, fix.safety));
        let _ = writeln!(
            reported,
            "{}:{} {found:?} {}; {fix}",
            at.line + 1,
            at.column + 1,
            finding.message
        );
    }
    let fixes: Vec<_> = findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
    if !fixes.is_empty() {
        let (bytes, _) = crate::workspace::fix::apply(text.as_bytes(), &fixes);
        let _ = write!(reported, "{:?}", String::from_utf8(bytes).expect("text"));
    }
    reported
}

#[test]
fn a_match_is_reported_only_in_the_selected_parts() {
    let text = "// fixme a\nlet b = \"fixme c\"; fixme();\n";
    let header = |within: &str| format!("check:\n  text: {{ regex: fixme, in: {within} }}");
    let reported = |within: &str| findings(&header(within), "a.ts", text);
    assert_eq!(reported("comments"), "1:4 \"fixme\" Why so.; -\n");
    assert_eq!(reported("strings"), "2:10 \"fixme\" Why so.; -\n");
    assert_eq!(reported("code"), "2:20 \"fixme\" Why so.; -\n");
    assert_eq!(reported("[comments, code]").lines().count(), 2);
    assert_eq!(reported("all").lines().count(), 3);
    assert_eq!(reported("prose"), "");
    // Without a parser there are no parts.
    assert_eq!(findings(&header("comments"), "a.toml", "# fixme"), "");
}

#[test]
fn a_missing_match_is_reported_and_inserted() {
    let header = "check:\n  text: { require: true, first: 3, regex: 'SPDX-License-Identifier: MIT' }\n  fix: { insert: 'SPDX-License-Identifier: MIT', as: comment, safe: true }";
    let spdx = |path: &str, text: &str| findings(header, path, text);
    insta::assert_snapshot!(spdx("a.rs", "fn a() {}\n"), @r#"
    1:1 "fn a() {}" Why so.; Insert `SPDX-License-Identifier: MIT` (safe)
    "// SPDX-License-Identifier: MIT\n\nfn a() {}\n"
    "#);
    insta::assert_snapshot!(spdx("a.sh", "#!/bin/sh\n\nls\n"), @r##"
    1:1 "#!/bin/sh" Why so.; Insert `SPDX-License-Identifier: MIT` (safe)
    "#!/bin/sh\n# SPDX-License-Identifier: MIT\n\nls\n"
    "##);
    insta::assert_snapshot!(spdx("a.py", "#!/usr/bin/python\r\n# -*- coding: latin-1 -*-\r\nx = 1\r\n"), @r##"
    1:1 "#!/usr/bin/python" Why so.; Insert `SPDX-License-Identifier: MIT` (safe)
    "#!/usr/bin/python\r\n# -*- coding: latin-1 -*-\r\n# SPDX-License-Identifier: MIT\r\n\r\nx = 1\r\n"
    "##);
    insta::assert_snapshot!(spdx("a.md", "---\na: b\n---\n# C\n"), @r#"
    1:1 "---" Why so.; Insert `SPDX-License-Identifier: MIT` (safe)
    "---\na: b\n---\n<!-- SPDX-License-Identifier: MIT -->\n\n# C\n"
    "#);
    insta::assert_snapshot!(spdx("a.html", "<!DOCTYPE html>\n<p>\n"), @r#"
    1:1 "<!DOCTYPE html>" Why so.; Insert `SPDX-License-Identifier: MIT` (safe)
    "<!DOCTYPE html>\n<!-- SPDX-License-Identifier: MIT -->\n\n<p>\n"
    "#);
    insta::assert_snapshot!(spdx("Dockerfile", "# syntax=docker/dockerfile:1\nFROM a\n"), @r##"
    1:1 "# syntax=docker/dockerfile:1" Why so.; Insert `SPDX-License-Identifier: MIT` (safe)
    "# syntax=docker/dockerfile:1\n# SPDX-License-Identifier: MIT\n\nFROM a\n"
    "##);
    insta::assert_snapshot!(spdx("a.php", "<?php\necho 1;\n"), @r#"
    1:1 "<?php" Why so.; Insert `SPDX-License-Identifier: MIT` (safe)
    "<?php\n// SPDX-License-Identifier: MIT\n\necho 1;\n"
    "#);
    insta::assert_snapshot!(spdx("b.php", "<p>\n<?php\n"), @r#"1:1 "<p>" Why so.; -"#);
    insta::assert_snapshot!(spdx("a.json", "{}"), @r#"1:1 "{}" Why so.; -"#);
    insta::assert_snapshot!(spdx("a.css", ""), @r#"
    1:1 "" Why so.; Insert `SPDX-License-Identifier: MIT` (safe)
    "/* SPDX-License-Identifier: MIT */\n"
    "#);
    assert_eq!(spdx("a.rs", "\n\n// SPDX-License-Identifier: MIT\n"), "");
    assert_ne!(spdx("a.rs", "\n\n\n// SPDX-License-Identifier: MIT\n"), "");
}

#[test]
fn the_last_lines_are_counted_from_the_end() {
    let header =
        "check:\n  text: { require: true, last: 1, regex: '^END$' }\n  fix: { insert: END }";
    assert_eq!(findings(header, "a.txt", "x\nEND\n"), "");
    assert_eq!(findings(header, "a.txt", "x\nEND"), "");
    insta::assert_snapshot!(findings(header, "a.txt", "END\nx"), @r#"
    1:1 "END" Why so.; Insert `END` (unsafe)
    "END\nx\nEND\n"
    "#);
    let either = "check:\n  text: { first: 1, last: 1, regex: 'x' }";
    assert_eq!(
        findings(either, "a.txt", "x\nx\nx\n"),
        "1:1 \"x\" Why so.; -\n3:1 \"x\" Why so.; -\n"
    );
}

#[test]
fn matches_above_the_maximum_are_reported() {
    let header = "check:\n  text: { max: 2, regex: 'unsafe', keywords: [unsafe] }";
    assert_eq!(findings(header, "a.rs", "unsafe unsafe"), "");
    assert_eq!(
        findings(header, "a.rs", "unsafe unsafe\nunsafe unsafe"),
        "2:1 \"unsafe\" Why so.; -\n2:8 \"unsafe\" Why so.; -\n"
    );
    let both = "check:\n  text: { require: true, max: 1, regex: 'main' }";
    assert_eq!(findings(both, "a.rs", "x"), "1:1 \"x\" Why so.; -\n");
    assert_eq!(findings(both, "a.rs", "main main"), "1:6 \"main\" Why so.; -\n");
}

#[test]
fn a_replacement_has_the_case_of_the_word() {
    let header = "check:\n  text: { in: [prose, comments], swap: { utilize: use, in order to: to, javascript: JavaScript } }";
    insta::assert_snapshot!(
        findings(header, "a.md", "# Utilize\n\nUtilize `utilize` in  order to UTILIZE reutilize Javascript, JavaScript.\n"),
        @r##"
    3:1 "Utilize" `Utilize`: write `Use`; Write `Use` (safe)
    3:19 "in  order to" `in  order to`: write `to`; Write `to` (safe)
    3:32 "UTILIZE" `UTILIZE`: write `USE`; Write `USE` (safe)
    3:50 "Javascript" `Javascript`: write `JavaScript`; Write `JavaScript` (safe)
    "# Utilize\n\nUse `utilize` to USE reutilize JavaScript, JavaScript.\n"
    "##
    );
    insta::assert_snapshot!(findings(header, "a.ts", "// utilize\nlet utilize;"), @r#"
    1:4 "utilize" `utilize`: write `use`; Write `use` (safe)
    "// use\nlet utilize;"
    "#);
    let anywhere =
        "message: 'say <better>, not <match>'\ncheck:\n  text: { swap: { blacklist: blocklist } }";
    insta::assert_snapshot!(findings(anywhere, "a.ts", "let blackList, black_list;"), @r#"
    1:5 "blackList" say blocklist, not blackList; Write `blocklist` (unsafe)
    "let blocklist, black_list;"
    "#);
    insta::assert_snapshot!(
        findings(header, "a.md", "See https://javascript.info/a#javascript, www.javascript.org and javascript@example.org, javascript.\n"),
        @r#"
    1:90 "javascript" `javascript`: write `JavaScript`; Write `JavaScript` (safe)
    "See https://javascript.info/a#javascript, www.javascript.org and javascript@example.org, JavaScript.\n"
    "#
    );
    let foreign = "check:\n  text: { swap: { 'größe': maß } }";
    insta::assert_snapshot!(findings(foreign, "a.txt", "GRÖSSE Größe GRÖßE"), @r#"
    1:8 "Größe" `Größe`: write `Maß`; Write `Maß` (unsafe)
    1:14 "GRÖßE" `GRÖßE`: write `Maß`; Write `Maß` (unsafe)
    "GRÖSSE Maß Maß"
    "#);
}

#[test]
fn white_space_is_trimmed_and_deletions_are_never_safe() {
    let header = "check:\n  text: { regex: '[ \\t]+$' }\n  fix: { trim: true, safe: true }";
    insta::assert_snapshot!(findings(header, "a.txt", "a  \nb\n"), @r#"
    1:2 "  " Why so.; Remove the white space (safe)
    "a\nb\n"
    "#);
    // The group is empty, so the replacement deletes the text.
    let header = "check:\n  text: { regex: 'a(b?)c' }\n  fix: { replace: '$1', safe: true }";
    insta::assert_snapshot!(findings(header, "a.txt", "abc ac"), @r#"
    1:1 "abc" Why so.; Replace with `b` (safe)
    1:5 "ac" Why so.; Delete it (unsafe)
    "b "
    "#);
}

#[test]
fn contradictory_headers_are_rejected() {
    let error = |check: &str| {
        let page = format!("---\nseverity: info\ncheck:\n  {check}\n---\n# a/b\n\nWhy.\n");
        match aidd_page::header(&page) {
            Err(error) => format!("{}: {}", &page[error.span], error.message),
            Ok(_) => {
                let registry =
                    Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), page)]);
                let problems = crate::forms::problems(registry.get("a/b").expect("a rule"));
                problems.join("; ")
            }
        }
    };
    let errors: Vec<String> = [
        "text: { regex: a, swap: { a: b } }",
        "text: { keywords: [a] }",
        "text: { regex: a, in: comment }",
        "text: { regex: a, in: [all, code] }",
        "text: { regex: a, first: 0 }",
        "text: { swap: { a: b }, require: true }",
        "text: { swap: { a: '' } }",
        "text: { regex: a, secret: high, max: 1 }",
        "text: { regex: a }\n  fix: { insert: b }",
        "text: { regex: a, require: true }\n  fix: { insert: b, as: comment }",
        "text: { regex: a, require: true }\n  fix: { replace: b }",
        "text: { regex: a }\n  fix: { replace: '', safe: true }",
        "text: { regex: a }\n  fix: { replace: b, as: comment }",
        "text: { swap: { a: b } }\n  fix: { replace: b }",
        "doc: { headings: ['# a'] }\n  fix: { insert: b }",
    ]
    .into_iter()
    .map(error)
    .collect();
    insta::assert_snapshot!(errors.join("\n"), @"
    text: a text pattern must have exactly one of `regex`, `assigned` and `swap`
    text: a text pattern must have exactly one of `regex`, `assigned` and `swap`
    in: unknown value `comment`
    text: `in`: `all` cannot be combined with other parts
    text: `first` must be at least 1 line
    text: `swap` cannot be combined with `require`
    text: each entry of `swap` must have a word and its replacement
    text: `max` requires the whole file, but a `secret` pattern reads only parts of large files; remove one of them
    fix: `insert` requires `require`
    the inserted text does not match the pattern: `b`
    fix: `replace` changes a match, but `require` reports files without a match; use `insert`
    fix: `replace: ''` is never safe; remove `safe`
    fix: `as` requires `insert` with a text
    fix: `swap` has its own fix; remove `replace`
    fix: `insert: TEXT` fixes findings of `text`, not of `doc`
    ");
}

#[test]
fn the_memory_of_patterns_grows_when_they_are_first_needed() {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
            .expect("valid");
    assert_eq!(engine.pattern_memory(), 0);
    let source = Source::new("a.txt", format!("token = gh{}_{}\n", "p", "a1B2".repeat(9)));
    let _ = engine.check(&source, &Memory::default());
    let memory = engine.pattern_memory();
    assert!(memory > 1 << 10, "{memory}");
    let _ = engine.check(&source, &Memory::default());
    assert!(engine.pattern_memory() < memory + (1 << 20));
}
