//! Imports configurations of markdownlint, ls-lint and ast-grep.

use super::*;

#[test]
fn every_markdownlint_rule_is_imported_or_reported() {
    let text = r###"{"default": true, "MD043": {"headings": ["# *", "## Use", "*"]}, "MD044": {"names": ["GitHub"]}, "extends": "./base.json", "headers": false}"###;
    let import = import_files(&[(".markdownlint.json", text)], Tool::Markdownlint);
    assert_eq!(markdownlint::RULES.len(), 53);
    for (name, table) in &*markdownlint::RULES {
        let page = import.pages.iter().find(|page| page.item == *name);
        let display_name = format!("{name} {}", table.names[0]);
        let item = import.not_imported.iter().find(|item| item.item == display_name);
        if let (Some(id), Some(pack)) = (&table.ours, &table.pack) {
            let instead = item.and_then(|item| item.instead.clone()).unwrap_or_default();
            assert!(instead.contains(id) && instead.contains(pack), "{name}");
            assert!(
                Registry::new(crate::DISTRIBUTION.pages, &[]).get(id).is_some(),
                "{id} is gone"
            );
            assert!(
                aidd_content::RULES.packs.iter().any(|known| known.id == pack),
                "{pack} is gone"
            );
        } else if table.style {
            let by_number = |item: &NotImported| {
                item.item.contains(&format!("{name},")) || item.item.contains(&format!("{name})"))
            };
            assert!(page.is_none() && import.not_imported.iter().any(by_number), "{name}");
        } else if table.unsupported.is_some() {
            assert!(page.is_none() && item.is_some(), "{name}");
        } else {
            let is_shown = page.is_some_and(|page| page.has_examples);
            assert!(is_shown && item.is_none(), "{name}: {page:?} {item:?}");
        }
    }
    assert!(not_imported(&import).iter().any(|item| item.starts_with("extends `./base.json`: ")));
    assert!(not_imported(&import).iter().any(|item| item.starts_with("headers: neither a rule")));
}

#[test]
fn markdownlint_rules_are_enabled_by_name_and_tag() {
    let text = "config:\n  default: false\n  links: true\n  line-length: false\n  MD042: false\n  headings: false\n  first-line-h1:\n    level: 2\nglobs:\n  - 'docs/**/*.md'\n  - '!docs/old/**'\nignores: [vendor]\ncustomRules: [./x.js]\n";
    let import = import_files(&[(".markdownlint-cli2.yaml", text)], Tool::Markdownlint);
    let ids: Vec<&str> = import.pages.iter().map(|page| page.id.as_str()).collect();
    insta::assert_debug_snapshot!(ids, @r#"
    [
        "markdownlint/md011-no-reversed-links",
        "markdownlint/md034-no-bare-urls",
        "markdownlint/md041-first-line-heading",
        "markdownlint/md051-link-fragments",
        "markdownlint/md052-reference-links-images",
        "markdownlint/md053-link-image-reference-definitions",
        "markdownlint/md059-descriptive-link-text",
    ]
    "#);
    let page = import.pages.iter().find(|page| page.id.contains("md041")).expect("a page");
    let globs = "files: ['docs/**/*.md']\n  exclude: ['docs/old/**', '/vendor', '/vendor/']\n";
    assert!(page.text.contains(globs), "{}", page.text);
    assert!(
        not_imported(&import)
            .contains(&"customRules: code of the repository is never run".to_owned())
    );
}

#[test]
fn every_ls_lint_case_is_imported() {
    for (at, case) in ls_lint::TABLES.cases.iter().enumerate() {
        for name in &case.names {
            let text = format!(
                "ls:\n  .ts: {name}\n  .dir: {name}\n  .spec.ts: {name}\n  src/*:\n    .*.js: {name}\n"
            );
            let import = import_files(&[(".ls-lint.yml", &text)], Tool::LsLint);
            assert_eq!(import.not_imported, [], "{name} {at}");
            assert_eq!(import.pages.len(), 4, "{name}");
            assert!(
                import.pages.iter().all(|page| page.has_examples && form(page) == "tree"),
                "{name}"
            );
        }
    }
    let text = "ls:\n  .a: regex:[a-z]{2,}\n  .b: exists:1\n  .c: exists:0\n  .d: regex:!x\n  .e: regex:${0}\n  .f | .g: kebab-case\n  .h: kebab-case | exists:1-2\n  .i: constcase\n  .k: 'regex:'\n  .l: exists:0-2\n  src/**/*.js: kebab-case\nodd: 1\n";
    let import = import_files(&[(".ls-lint.yml", text)], Tool::LsLint);
    insta::assert_debug_snapshot!(import.pages.iter().map(|page| (&*page.id, page.has_examples)).collect::<Vec<_>>(), @r#"
    [
        (
            "ls-lint/a",
            true,
        ),
        (
            "ls-lint/b-count",
            true,
        ),
        (
            "ls-lint/c-count",
            true,
        ),
        (
            "ls-lint/d",
            true,
        ),
        (
            "ls-lint/h-count",
            true,
        ),
        (
            "ls-lint/h",
            true,
        ),
        (
            "ls-lint/l-count",
            true,
        ),
    ]
    "#);
    insta::assert_debug_snapshot!(not_imported(&import), @r#"
    [
        ".f | .g: ls-lint treats it as an extension that no file has, so it has no effect",
        "src/**/*.js: ls-lint treats it as an extension that no file has, so it has no effect",
        ".e: it compares with the name of the parent directory, which expressions of a `tree` check do not support",
        ".i: unknown rule `constcase` of ls-lint 2.3",
        ".k: the expression is missing, which is an error in ls-lint",
        "odd: unknown key of ls-lint",
    ]
    "#);
}

/// One ast-grep rule for each key of a rule object, then rules with the keys outside the rule object.
pub(super) const AST_GREP: &str = r##"
id: pattern
language: JavaScript
rule: { pattern: foo($A) }
---
id: pattern-object
language: js
rule: { pattern: { context: 'class A { $F = 1 }', selector: field_definition } }
---
id: kind
language: python
rule: { kind: lambda }
---
id: regex
language: rust
rule: { kind: identifier, regex: '^tmp' }
---
id: nth-child
language: ts
rule: { kind: number, nthChild: { position: 2n+1, reverse: true } }
---
id: range
language: go
rule: { kind: identifier, range: { start: { line: 0, column: 0 }, end: { line: 0, column: 3 } } }
---
id: relations
language: java
rule: { kind: method_invocation, inside: { kind: method_declaration, stopBy: end }, has: { kind: identifier }, not: { any: [{ precedes: { kind: line_comment } }, { follows: { kind: line_comment } }] } }
---
id: composite
language: ruby
rule: { all: [{ kind: call }, { any: [{ pattern: puts $A }, { pattern: p $A }] }] }
---
id: utils
language: ts
utils: { is-call: { kind: call_expression } }
rule: { matches: is-call, has: { pattern: x } }
---
id: rewritten
language: py
rule: { pattern: old($A) }
constraints: { A: { regex: '^[a-z]+$' } }
transform: { B: { convert: { source: $A, toCase: upperCase } } }
fix: new($B)
---
id: fix-object
language: ts
rule: { kind: pair, has: { field: key, regex: '^a$' } }
fix: { template: '', expandEnd: { regex: ',' } }
---
id: siblings
language: css
severity: off
message: "`$A` and $$$REST"
note: Do it so.
url: https://example.org
files: ["*.css"]
ignores: ["gen/**"]
rule: { pattern: 'color: $A' }
labels: { A: { style: primary, message: this } }
metadata: { a: 1 }
---
id: rewriters
language: py
rule: { pattern: old($A) }
rewriters: [{ id: a, rule: { pattern: $A }, fix: b }]
---
id: language
language: kotlin
rule: { pattern: foo() }
---
id: slow
language: ts
rule: { kind: function_declaration, has: { kind: identifier, stopBy: end, inside: { kind: class_body, stopBy: end } } }
"##;

#[test]
fn every_ast_grep_key_is_imported_or_reported() {
    let import = import_files(&[("rule.yml", AST_GREP)], Tool::AstGrep);
    let ids: Vec<&str> = import.pages.iter().map(|page| page.id.as_str()).collect();
    insta::assert_debug_snapshot!(ids, @r#"
    [
        "ast-grep/composite",
        "ast-grep/fix-object",
        "ast-grep/kind",
        "ast-grep/nth-child",
        "ast-grep/pattern-object",
        "ast-grep/pattern",
        "ast-grep/range",
        "ast-grep/regex",
        "ast-grep/relations",
        "ast-grep/rewritten",
        "ast-grep/siblings",
        "ast-grep/utils",
    ]
    "#);
    insta::assert_debug_snapshot!(not_imported(&import), @r#"
    [
        "siblings: metadata: a page has `tags` and `sources`; other data about a rule is dropped",
        "rewriters: a `syntax` check has no `rewriters`",
        "language: `kotlin` is not a built-in language; expected one of bash, c, csharp, css, go, html, java, javascript, json, php, python, ruby, rust, tsx, typescript, yaml",
        "slow: `inside` with `stopBy: end` inside `has` with `stopBy: end` is too slow: start at the larger node, or bound one of them",
    ]
    "#);
    let siblings = import.pages.iter().find(|page| page.id == "ast-grep/siblings").expect("a page");
    insta::assert_snapshot!(siblings.text, @"
    ---
    severity: info
    enabled: false
    message: '`<A>` and <REST>'
    help: 'Do it so.'
    sources: ['https://example.org']
    check:
      files: ['*.css']
      exclude: ['gen/**']
      syntax:
        language: [css]
        rule:
          pattern: 'color: $A'
        labels:
          A: this
    ---
    # ast-grep/siblings

    Code in css MUST NOT match `siblings`.

    `A` and REST.

    Do it so.

    Imported from `rule.yml`, where ast-grep calls it `siblings`.

    ## Fails

    ```css path=example.css
    color: a
    ```

    ```finding
    1:1 color: a
    ```

    ## Passes

    ```css path=example.css times=0
    nothing
    ```
    ");
    assert_eq!(ast_grep::TABLES.keys.len(), 17);
    for (key, mapping) in &ast_grep::TABLES.keys {
        let is_in_sample = AST_GREP.contains(&format!("\n{key}: "));
        let is_reported = not_imported(&import)
            .iter()
            .any(|item| item.starts_with(&format!("siblings: {key}: ")));
        match mapping {
            ast_grep::KeyMapping::Syntax | ast_grep::KeyMapping::Page => {
                assert!(is_in_sample, "{key} is not in the sample");
            }
            ast_grep::KeyMapping::UnsupportedRule(_) => {
                assert!(not_imported(&import).iter().any(|item| item.contains(key)), "{key}");
            }
            ast_grep::KeyMapping::UnsupportedKey(_) => {
                assert!(is_reported || !is_in_sample, "{key}");
            }
        }
    }
}

#[test]
fn ast_grep_rules_keep_their_tests_and_shared_rules() {
    let import = import_files(
        &[
            (
                "sgconfig.yml",
                "ruleDirs: [rules]\nutilDirs: [utils]\ntestConfigs:\n  - testDir: rule-tests\n",
            ),
            (
                "rules/a/one.yml",
                "id: one\nlanguage: ts\nmessage: no $A\nrule: { pattern: foo($A), inside: { matches: loop, stopBy: end } }\n",
            ),
            ("utils/loop.yml", "id: loop\nlanguage: ts\nrule: { kind: while_statement }\n"),
            ("utils/unused.yml", "id: unused\nlanguage: ts\nrule: { kind: while_statement }\n"),
            (
                "rule-tests/one-test.yml",
                "id: one\nvalid: ['foo(1)']\ninvalid:\n  - while (a) foo(1)\n  - foo(2) // does not match\n",
            ),
            ("rule-tests/__snapshots__/one-snapshot.yml", "id: one\nvalid: ['broken']\n"),
        ],
        Tool::AstGrep,
    );
    assert_eq!(import.not_imported, []);
    insta::assert_snapshot!(import.pages[0].text, @"
    ---
    severity: info
    message: 'no <A>'
    check:
      exclude: ['*.tsx']
      syntax:
        language: [typescript]
        rule:
          inside:
            matches: loop
            stopBy: end
          pattern: 'foo($A)'
        utils:
          loop:
            kind: while_statement
    ---
    # ast-grep/one

    Code in typescript MUST NOT match `one`.

    no A.

    Imported from `rules/a/one.yml`, where ast-grep calls it `one`.

    ## Fails

    ```ts path=src/example.ts
    while (a) foo(1)
    ```

    ```finding
    1:11 foo(1)
    ```

    ## Passes

    ```ts path=src/example.ts
    foo(1)
    ```
    ");
}
