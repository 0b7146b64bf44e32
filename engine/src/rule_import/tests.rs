//! What becomes of whole configurations. The lists of what there is are the tools' own, so that a
//! rule that nobody thought of cannot be missing here.

use super::alint::kinds;
use super::*;
use crate::check::{Engine, Selection};
use crate::config::Config;
use crate::examples;
use crate::files::{Listed, Memory};
use crate::listing::Listing;
use crate::registry::Registry;
use std::collections::{BTreeMap, BTreeSet};

/// Files as a project has them.
fn project(files: &[(&str, &str)]) -> (Memory, Listing) {
    let memory = Memory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    );
    let listing = Listing::new(memory.0.keys().cloned());
    (memory, listing)
}

fn made(files: &[(&str, &str)], tool: Tool) -> Import {
    let (memory, listing) = project(files);
    let files_of = Listed { files: &memory, listing: &listing };
    let path = files[0].0;
    assert_eq!(tool_of(&files_of, path), Ok(tool), "{path}");
    let import = import(&files_of, path, tool, ".aidd/rules").unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(import.defects, Vec::<String>::new());
    holds(&import);
    import
}

/// Every page loads, and its examples hold.
fn holds(import: &Import) {
    let pages: Vec<_> =
        import.pages.iter().map(|page| (page.path.clone(), page.text.clone())).collect();
    let engine = Engine::new(Registry::new(&pages), &Config::default(), &Selection::default())
        .expect("an engine");
    for page in &import.pages {
        let rule =
            engine.registry().get(&page.id).unwrap_or_else(|| panic!("{} is not read", page.id));
        assert_eq!(crate::patterns::problems(rule), Vec::<String>::new(), "{}", page.text);
        if page.has_examples {
            assert_eq!(examples::run(&engine, rule), Vec::<String>::new(), "{}", page.text);
        }
    }
}

/// What was left, `item: why`.
fn left(import: &Import) -> Vec<String> {
    import.left.iter().map(|left| format!("{}: {}", left.item, left.why)).collect()
}

/// The form of a page's check.
fn form(page: &Page) -> &'static str {
    let header = aidd_content::page::header(&page.text).expect("a header");
    header.check.and_then(|check| check.form()).map_or("none", |form| form.key())
}

/// A rule of each kind of alint, by the schema of 0.21.0.
const ALINT: &str = include_str!("alint/kinds.yml");

#[test]
fn every_kind_of_alint_is_carried_over_or_said_to_be_left() {
    let import = made(&[(".alint.yml", ALINT)], Tool::Alint);
    let mut forms: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for page in &import.pages {
        forms.entry(&page.item).or_default().insert(form(page));
    }
    let mut carried = 0;
    for (kind, way) in kinds::KINDS {
        let stated = format!("\n    kind: {kind}\n");
        assert!(ALINT.contains(&stated), "{kind} is not in the sample");
        let left = import.left.iter().find(|left| left.item == kind);
        match way {
            kinds::Way::Form(form) => {
                let made = forms.get(kind);
                assert_eq!(left, None, "{kind}");
                assert_eq!(made, Some(&BTreeSet::from([form])), "{kind}");
                carried += 1;
            }
            kinds::Way::Left(why) => {
                assert_eq!(left.map(|left| left.why.as_str()), Some(why), "{kind}")
            }
            kinds::Way::Ours(ours) => {
                assert_eq!(left.and_then(|left| left.instead.as_deref()), Some(ours), "{kind}");
            }
        }
    }
    assert!(kinds::KINDS.is_sorted_by_key(|(kind, _)| *kind), "the table is ordered by name");
    // The bar is 65; the documentation names this figure.
    assert_eq!(carried, 76);
    let bare: Vec<&str> = import
        .pages
        .iter()
        .filter(|page| !page.has_examples)
        .map(|page| page.item.as_str())
        .collect();
    // A block of a page ends in a line break, always.
    assert_eq!(bare, ["final_newline"], "pages without examples");
}

#[test]
fn every_rule_of_commitlint_is_carried_over_or_said_to_be_left() {
    let values: BTreeMap<&str, &str> = BTreeMap::from([
        ("header-case", "'lower-case'"),
        ("scope-case", "'kebab-case'"),
        ("subject-case", "['sentence-case', 'upper-case']"),
        ("type-case", "'lower-case'"),
        ("body-case", "'sentence-case'"),
        ("scope-enum", "['api', 'web']"),
        ("type-enum", "['feat', 'fix']"),
        ("signed-off-by", "'Signed-off-by:'"),
        ("trailer-exists", "'Change-Id:'"),
        ("subject-full-stop", "'.'"),
        ("header-full-stop", "'.'"),
        ("body-full-stop", "'.'"),
    ]);
    let never = [
        "body-empty",
        "scope-empty",
        "subject-empty",
        "type-empty",
        "subject-full-stop",
        "header-full-stop",
        "subject-case",
        "subject-exclamation-mark",
        "references-empty",
    ];
    let rule = |name: &str| {
        let value = values.get(name).copied().unwrap_or(if name.contains("length") {
            "20"
        } else {
            "undefined"
        });
        let applicable = if never.contains(&name) { "never" } else { "always" };
        format!("    '{name}': [2, '{applicable}', {value}],\n")
    };
    let rules: String = commitlint::RULES.iter().map(|(name, _)| rule(name)).collect();
    let text = format!("export default {{\n  rules: {{\n{rules}  }},\n}}\n");
    let import = made(&[("commitlint.config.mjs", &text)], Tool::Commitlint);
    let conventional = "type-enum, type-empty, subject-empty, scope-enum";
    let pages: BTreeSet<&str> =
        import.pages.iter().flat_map(|page| page.item.split(", ")).collect();
    assert!(import.pages.iter().any(|page| page.item == conventional));
    for (name, way) in commitlint::RULES {
        let left = import.left.iter().find(|left| left.item == name).map(|left| left.why.as_str());
        match way {
            // The types are written in small letters, so that their case is said by them.
            commitlint::Way::Page if name == "type-case" => assert_eq!(left, None),
            commitlint::Way::Page => {
                assert!(pages.contains(name) && left.is_none(), "{name}: {left:?}")
            }
            commitlint::Way::Left(why) => assert_eq!(left, Some(why), "{name}"),
        }
    }
    assert!(commitlint::RULES.is_sorted_by_key(|(name, _)| *name));
    let carried = commitlint::RULES.iter().filter(|(_, way)| *way == commitlint::Way::Page).count();
    assert_eq!((carried, commitlint::RULES.len()), (29, 38));
    assert!(import.pages.iter().all(|page| page.has_examples && form(page) == "commit"));
}

#[test]
fn what_a_shared_configuration_of_commitlint_sets_is_known() {
    let text = r#"{"name": "x", "commitlint": {"extends": ["@commitlint/config-conventional", "./own"], "rules": {"header-max-length": [1, "always", 80], "no-such": [2]}}}"#;
    let (memory, _) = project(&[("package.json", text)]);
    assert_eq!(discover(&memory), [("package.json".to_owned(), Tool::Commitlint)]);
    let import = made(&[("package.json", text)], Tool::Commitlint);
    let ids: Vec<&str> = import.pages.iter().map(|page| page.id.as_str()).collect();
    insta::assert_debug_snapshot!(ids, @r#"
    [
        "commitlint/body-leading-blank",
        "commitlint/body-max-line-length",
        "commitlint/conventional",
        "commitlint/header-max-length",
        "commitlint/header-trim",
        "commitlint/subject-case",
        "commitlint/subject-full-stop",
    ]
    "#);
    insta::assert_debug_snapshot!(left(&import), @r#"
    [
        "extends `./own`: what it sets is known only to the package",
        "footer-leading-blank: what follows no blank line is read as part of the body, not as a footer",
        "no-such: it is no rule of commitlint 20: a plugin may have it",
    ]
    "#);
    let length =
        import.pages.iter().find(|page| page.id.ends_with("header-max-length")).expect("a page");
    assert!(
        length.text.contains("severity: warning") && length.text.contains("max: 80"),
        "{}",
        length.text
    );
}

#[test]
fn every_rule_of_markdownlint_is_carried_over_or_said_to_be_left() {
    let text = r###"{"default": true, "MD043": {"headings": ["# *", "## Use", "*"]}, "MD044": {"names": ["GitHub"]}, "extends": "./base.json", "headers": false}"###;
    let import = made(&[(".markdownlint.json", text)], Tool::Markdownlint);
    for (name, names, way) in markdownlint::RULES {
        let page = import.pages.iter().find(|page| page.item == name);
        let left = import.left.iter().find(|left| left.item == format!("{name} {}", names[0]));
        match way {
            markdownlint::Way::Page => {
                assert!(
                    page.is_some_and(|page| page.has_examples) && left.is_none(),
                    "{name}: {page:?} {left:?}"
                );
            }
            markdownlint::Way::Ours(id, pack) => {
                let instead = left.and_then(|left| left.instead.clone()).unwrap_or_default();
                assert!(instead.contains(id) && instead.contains(pack), "{name}");
                assert!(Registry::new(&[]).get(id).is_some(), "{id} is gone");
                assert!(crate::packs::names().any(|known| known == pack), "{pack} is gone");
            }
            markdownlint::Way::Style | markdownlint::Way::Left(_) => {
                assert!(page.is_none() && left.is_some(), "{name}");
            }
        }
    }
    assert!(markdownlint::RULES.is_sorted_by_key(|row| row.0));
    assert!(left(&import).iter().any(|left| left.starts_with("extends: ")));
    assert!(left(&import).iter().any(|left| left.starts_with("headers: it is no rule")));
}

#[test]
fn rules_of_markdownlint_are_switched_by_name_and_tag() {
    let text = "config:\n  default: false\n  links: true\n  line-length: false\n  MD042: false\n  headings: false\n  first-line-h1:\n    level: 2\nglobs:\n  - 'docs/**/*.md'\n  - '!docs/old/**'\nignores: [vendor]\ncustomRules: [./x.js]\n";
    let import = made(&[(".markdownlint-cli2.yaml", text)], Tool::Markdownlint);
    let ids: Vec<&str> = import.pages.iter().map(|page| page.id.as_str()).collect();
    insta::assert_debug_snapshot!(ids, @r#"
    [
        "markdownlint/md011-no-reversed-links",
        "markdownlint/md041-first-line-heading",
        "markdownlint/md051-link-fragments",
        "markdownlint/md059-descriptive-link-text",
    ]
    "#);
    let page = import.pages.iter().find(|page| page.id.contains("md041")).expect("a page");
    assert!(
        page.text.contains("files: ['docs/**/*.md']") || page.text.contains("docs/**/*.md"),
        "{}",
        page.text
    );
    assert!(left(&import).contains(&"customRules: it is a program".to_owned()));
}

#[test]
fn every_case_of_ls_lint_is_carried_over() {
    for (at, case) in ls_lint::CASES.iter().enumerate() {
        for name in case.names {
            let text = format!(
                "ls:\n  .ts: {name}\n  .dir: {name}\n  .spec.ts: {name}\n  src/*:\n    .*.js: {name}\n"
            );
            let import = made(&[(".ls-lint.yml", &text)], Tool::LsLint);
            assert_eq!(import.left, [], "{name} {at}");
            assert_eq!(import.pages.len(), 4, "{name}");
            assert!(
                import.pages.iter().all(|page| page.has_examples && form(page) == "tree"),
                "{name}"
            );
        }
    }
    let text = "ls:\n  .a: regex:[a-z]{2,}\n  .b: exists:1\n  .c: exists:0\n  .d: regex:!x\n  .e: regex:${0}\n  .f | .g: kebab-case\n  .h: kebab-case | exists:1-2\n  .i: pointcase\nodd: 1\n";
    let import = made(&[(".ls-lint.yml", text)], Tool::LsLint);
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
            "ls-lint/h-count",
            true,
        ),
        (
            "ls-lint/h",
            true,
        ),
    ]
    "#);
    insta::assert_debug_snapshot!(left(&import), @r#"
    [
        ".f | .g: ls-lint takes it for an ending that no file has, and judges nothing by it",
        ".d: a name that must not match: the form `tree` says what names are like",
        ".e: it compares with the name of the folder above, which the form `tree` cannot put into an expression",
        ".i: `pointcase` is no rule of ls-lint 2.3",
        "odd: it is no key of ls-lint",
    ]
    "#);
}

/// Every key of a rule object of ast-grep, one rule each; then what stands beside it.
const AST_GREP: &str = r##"
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
id: beside
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
fn every_key_of_a_rule_of_ast_grep_is_carried_over_or_said_to_be_left() {
    let import = made(&[("rule.yml", AST_GREP)], Tool::AstGrep);
    let ids: Vec<&str> = import.pages.iter().map(|page| page.id.as_str()).collect();
    insta::assert_debug_snapshot!(ids, @r#"
    [
        "ast-grep/beside",
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
        "ast-grep/utils",
    ]
    "#);
    insta::assert_debug_snapshot!(left(&import), @r#"
    [
        "beside: metadata: a page has `tags` and `sources`; other data about a rule is not kept",
        "rewriters: the form `syntax` has no `rewriters`",
        "language: `kotlin` is not a built-in language: bash, c, css, go, html, java, javascript, json, php, python, ruby, rust, tsx, typescript, yaml",
        "slow: `inside` with `stopBy: end` inside `has` with `stopBy: end` is too slow: start at the larger node, or bound one of them",
    ]
    "#);
    let beside = import.pages.iter().find(|page| page.id == "ast-grep/beside").expect("a page");
    insta::assert_snapshot!(beside.text, @"
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
    # ast-grep/beside

    Code in css MUST NOT have the shape of `beside`.

    `A` and REST.

    Do it so.

    Imported from `rule.yml`, where ast-grep calls it `beside`.

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
    for (key, way) in ast_grep::KEYS {
        let stated = AST_GREP.contains(&format!("\n{key}: "));
        let why = left(&import).iter().any(|left| left.starts_with(&format!("beside: {key}: ")));
        match way {
            ast_grep::Way::Syntax | ast_grep::Way::Page => {
                assert!(stated, "{key} is not in the sample")
            }
            ast_grep::Way::Rule(_) => {
                assert!(left(&import).iter().any(|left| left.contains(key)), "{key}")
            }
            ast_grep::Way::Key(_) => assert!(why || !stated, "{key}"),
        }
    }
}

#[test]
fn rules_of_ast_grep_come_with_their_tests_and_shared_rules() {
    let import = made(
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
    assert_eq!(import.left, []);
    insta::assert_snapshot!(import.pages[0].text, @"
    ---
    severity: info
    message: 'no <A>'
    check:
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

    Code in typescript MUST NOT have the shape of `one`.

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

#[test]
fn alint_extends_and_overrides_and_fills_in_templates() {
    let import = made(
        &[
            (
                ".alint.yml",
                "extends:\n  - alint://bundled/rust@v1\n  - alint://bundled/apache/governance@v1\n  - https://example.org/a.yml\n  - { url: ./base.yml, except: [gone] }\nrules:\n  - { id: base, level: warning }\n  - { id: filled, extends_template: shape, vars: { name: 'a \"b\"' } }\n  - { id: off, kind: file_exists, paths: x, level: off }\n  - { id: odd, kind: no_such, level: error }\n  - { id: hard, kind: file_exists, paths: x, level: error, when: facts.count > 3 }\ntemplates:\n  - { id: shape, kind: file_exists, paths: '{{vars.name}}.md', level: info }\n",
            ),
            (
                "base.yml",
                "rules:\n  - { id: base, kind: file_exists, paths: README.md, level: error, message: 'Say what it is.' }\n  - { id: gone, kind: file_exists, paths: GONE.md, level: error }\n",
            ),
        ],
        Tool::Alint,
    );
    insta::assert_debug_snapshot!(import.pages.iter().map(|page| &*page.id).collect::<Vec<_>>(), @r#"
    [
        "alint/base",
        "alint/filled",
    ]
    "#);
    insta::assert_debug_snapshot!(import.left, @r#"
    [
        Left {
            item: "extends `alint://bundled/rust@v1`",
            why: "what it bundles is not read",
            instead: Some(
                "the pack `rust` comes nearest: \"compliance\": [\"rust\"]",
            ),
        },
        Left {
            item: "extends `alint://bundled/apache/governance@v1`",
            why: "what it bundles is not read",
            instead: Some(
                "no pack comes near; copy its rules into the file and import again",
            ),
        },
        Left {
            item: "extends `https://example.org/a.yml`",
            why: "nothing is fetched: put the file into the project",
            instead: None,
        },
        Left {
            item: "off",
            why: "it is off",
            instead: None,
        },
        Left {
            item: "odd",
            why: "`no_such` is no kind of alint 0.21",
            instead: None,
        },
        Left {
            item: "hard",
            why: "its condition `facts.count > 3` is none that `when` of a page states: files that exist",
            instead: None,
        },
    ]
    "#);
    insta::assert_snapshot!(import.pages[0].text, @"
    ---
    severity: warning
    message: 'Say what it is.'
    check:
      tree:
        exists: README.md
    ---
    # alint/base

    `README.md` MUST exist.

    Say what it is.

    Imported from `.alint.yml`, where alint calls it `base`.

    ## Fails

    ```txt path=notes/other.txt
    Text.
    ```

    ```finding
    README.md
    ```

    ## Passes

    ```txt path=notes/other.txt
    Text.
    ```

    ```md path=README.md
    Text.
    ```
    ");
}

#[test]
fn a_tool_is_told_by_name_then_by_content_and_never_guessed() {
    let (files, _) = project(&[
        (".ls-lint.yml", ""),
        ("a.yml", "ls: { .ts: kebab-case }\n"),
        ("b.yml", "rules:\n- { id: a, kind: file_exists }\n"),
        ("c.json", "{\"rules\": {\"type-enum\": [2]}}"),
        ("d.yaml", "ruleDirs: [x]\n"),
        ("e.json", "{\"MD013\": false}"),
        ("f.ts", "export default { extends: ['@commitlint/config-angular'] }"),
        ("g.yml", "ls: {}\nMD013: false\n"),
        ("h.yml", "nothing: known\n"),
        ("i.yml", "a: [\n"),
    ]);
    let told = |path: &str| {
        tool_of(&files, path)
            .map(|tool| tool.key())
            .map_err(|why| why.split(';').next().unwrap_or_default().to_owned())
    };
    for (path, tool) in [
        (".ls-lint.yml", "ls-lint"),
        ("a.yml", "ls-lint"),
        ("b.yml", "alint"),
        ("c.json", "commitlint"),
        ("d.yaml", "ast-grep"),
        ("e.json", "markdownlint"),
        ("f.ts", "commitlint"),
    ] {
        assert_eq!(told(path), Ok(tool), "{path}");
    }
    assert_eq!(told("g.yml"), Err("g.yml could be of ls-lint or of markdownlint".to_owned()));
    assert_eq!(told("h.yml"), Err("h.yml looks like no configuration that is known".to_owned()));
    assert!(told("i.yml").is_err_and(|why| why.starts_with("i.yml:")));
    assert!(told("gone.yml").is_err());
}

#[test]
fn what_is_malformed_or_too_deep_is_an_error_with_its_place() {
    let deep = format!("rules: {}{}\n", "[".repeat(100), "]".repeat(100));
    for (path, text, part) in [
        (".alint.yml", "rules:\n  - { kind: file_exists }\n", "a rule has no `id`"),
        (".alint.yml", "rules: [1]\n", "a rule is no mapping"),
        (".alint.yml", deep.as_str(), "levels deep"),
        (".alint.yml", "extends: [../x.yml]\n", "leads out of the project"),
        (".ls-lint.yml", "a: 1\n", "has no `ls`"),
        (".ls-lint.yml", "ls: { .ts: [a] }\n", "neither rules nor a folder"),
        ("commitlint.config.js", "module.exports = load()\n", "without running it"),
        (".commitlintrc", "- a\n", "not a mapping"),
        (".markdownlint.json", "{\"a\": }", ".markdownlint.json:1:"),
    ] {
        let (files, _) = project(&[(path, text)]);
        let tool = tool_of(&files, path).expect("by its name");
        let why = import(&files, path, tool, "rules").expect_err(path);
        assert!(why.contains(part), "{path}: {why}");
    }
}

proptest::proptest! {
    #[test]
    fn nothing_panics_and_no_page_is_a_fault(
        text in "(ls|rules|extends|default|MD0(01|44)|id|kind|level|paths|rule|language)?[:\\[\\]{} \n'.,a-z0-9*-]{0,60}",
    ) {
        for tool in Tool::ALL {
            let (files, listing) = project(&[("x.yml", &text)]);
            let files = Listed { files: &files, listing: &listing };
            if let Ok(import) = import(&files, "x.yml", tool, "rules") {
                proptest::prop_assert_eq!(import.defects, Vec::<String>::new());
            }
        }
    }
}
