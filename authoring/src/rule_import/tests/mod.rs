//! Tests that import whole configurations. The lists of rules come from the tools themselves, so that
//! the tests cover every rule.

mod regressions;
mod rulesets;
mod snapshots;
mod tools;

use super::alint::KINDS;
use super::*;
use aidd_engine::check::Selection;
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::{Listed, Memory};
use aidd_engine::text::listing::Listing;
use aidd_engine::workspace::examples;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a project.
fn project(files: &[(&str, &str)]) -> (Memory, Listing) {
    let memory = Memory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    );
    let listing = Listing::new(memory.0.keys().cloned());
    (memory, listing)
}

fn engine_of(pages: &[(String, String)]) -> Option<Engine> {
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, pages),
        &Config::default(),
        &Selection::default(),
    )
    .ok()
}

fn import_files(files: &[(&str, &str)], tool: Tool) -> Import {
    let (memory, listing) = project(files);
    let files_of = Listed { files: &memory, listing: &listing };
    let path = files[0].0;
    assert_eq!(tool_of(&files_of, path).expect(path), tool);
    let import = import(&files_of, path, tool, ".aidd/rules", &engine_of)
        .unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(import.defects, Vec::<String>::new());
    assert_examples_pass(&import);
    import
}

/// Checks that every page loads and its examples pass.
fn assert_examples_pass(import: &Import) {
    let pages: Vec<_> =
        import.pages.iter().map(|page| (page.path.clone(), page.text.clone())).collect();
    let engine = engine_of(&pages).expect("an engine");
    for page in &import.pages {
        let rule =
            engine.registry().get(&page.id).unwrap_or_else(|| panic!("{} is not read", page.id));
        assert_eq!(aidd_engine::forms::problems(rule), Vec::<String>::new(), "{}", page.text);
        if page.has_examples {
            assert_eq!(examples::run(&engine, rule), Vec::<String>::new(), "{}", page.text);
        }
    }
}

/// The items that are not imported, as `item: why`.
fn not_imported(import: &Import) -> Vec<String> {
    import.not_imported.iter().map(|item| format!("{}: {}", item.item, item.why)).collect()
}

/// The form of the check on a page.
fn form(page: &Page) -> &'static str {
    let header = aidd_page::header(&page.text).expect("a header");
    header.check.and_then(|check| check.form()).map_or("none", |form| form.key())
}

/// An alint configuration with a rule of each kind in the schema of 0.21.0.
const ALINT: &str = include_str!("carried/alint-kinds.yml");

#[test]
fn every_alint_kind_is_imported_or_reported() {
    let import = import_files(&[(".alint.yml", ALINT)], Tool::Alint);
    let mut forms: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for page in &import.pages {
        forms.entry(&page.item).or_default().insert(form(page));
    }
    let mut imported = 0;
    for (kind, table) in &*KINDS {
        let line = format!("\n    kind: {kind}\n");
        assert!(ALINT.contains(&line), "{kind} is not in the sample");
        let item = import.not_imported.iter().find(|item| item.item == *kind);
        if let Some(why) = &table.unsupported {
            assert_eq!(item.map(|item| &item.why), Some(why), "{kind}");
        } else if let Some(ours) = &table.ours {
            assert_eq!(item.and_then(|item| item.instead.as_ref()), Some(ours), "{kind}");
        } else {
            let form = table.form().expect(kind);
            assert_eq!(item, None, "{kind}");
            assert_eq!(forms.get(kind.as_str()), Some(&BTreeSet::from([form])), "{kind}");
            imported += 1;
        }
    }
    // The documentation states this number.
    assert_eq!(imported, 71);
    let without_examples: Vec<&str> = import
        .pages
        .iter()
        .filter(|page| !page.has_examples)
        .map(|page| page.item.as_str())
        .collect();
    // A block of a page always ends with a line break.
    assert_eq!(without_examples, ["final_newline"], "pages without examples");
}

/// A configuration with every rule of commitlint.
fn plain_rules() -> String {
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
    let rules: String = commitlint::TABLES.rules.keys().map(|name| rule(name)).collect();
    format!("export default {{\n  rules: {{\n{rules}  }},\n}}\n")
}

#[test]
fn every_commitlint_rule_is_imported_or_reported() {
    let text = plain_rules();
    let import = import_files(&[("commitlint.config.mjs", &text)], Tool::Commitlint);
    let conventional = "type-enum, type-empty, subject-empty, scope-enum";
    let pages: BTreeSet<&str> =
        import.pages.iter().flat_map(|page| page.item.split(", ")).collect();
    assert!(import.pages.iter().any(|page| page.item.starts_with(conventional)));
    for name in commitlint::TABLES.rules.keys() {
        let name = name.as_str();
        let item =
            import.not_imported.iter().find(|item| item.item == name).map(|item| item.why.as_str());
        // The types are lower case, so the list already defines their case.
        assert!(name == "type-case" || pages.contains(name), "{name}");
        assert_eq!(item, None, "{name}");
    }
    assert_eq!(commitlint::TABLES.rules.len(), 38);
    assert!(import.pages.iter().all(|page| page.has_examples && form(page) == "commit"));
}

#[test]
fn shared_commitlint_configurations_are_known() {
    let text = r#"{"name": "x", "commitlint": {"extends": ["@commitlint/config-conventional", "./own"], "rules": {"header-max-length": [1, "always", 80], "no-such": [2]}}}"#;
    let (memory, _) = project(&[("package.json", text)]);
    assert_eq!(discover(&memory), [("package.json".to_owned(), Tool::Commitlint)]);
    let import = import_files(&[("package.json", text)], Tool::Commitlint);
    let ids: Vec<&str> = import.pages.iter().map(|page| page.id.as_str()).collect();
    insta::assert_debug_snapshot!(ids, @r#"
    [
        "commitlint/body-max-line-length",
        "commitlint/conventional",
        "commitlint/footer-leading-blank",
        "commitlint/header-max-length",
        "commitlint/header-trim",
        "commitlint/subject-case",
        "commitlint/subject-full-stop",
    ]
    "#);
    insta::assert_debug_snapshot!(not_imported(&import), @r#"
    [
        "extends `./own`: it is neither in the project nor in `node_modules`",
        "no-such: not a rule of commitlint 21; a plugin can define it",
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
fn alint_configurations_are_merged_and_templates_are_reported() {
    let import = import_files(
        &[
            (
                ".alint.yml",
                "extends:\n  - alint://bundled/docs/adr@v1\n  - alint://bundled/apache/governance@v9\n  - https://example.org/a.yml\n  - { url: ./base.yml, except: [gone] }\nrules:\n  - { id: adr-filename-pattern, level: 'off' }\n  - { id: adr-has-context-section, level: error }\n  - { id: base, level: warning }\n  - { id: of-gone, paths: x }\n  - { id: filled, extends_template: shape, vars: { name: 'a \"b\"' } }\n  - { id: off, kind: file_exists, paths: x, level: off }\n  - { id: odd, kind: no_such, level: error }\n  - { id: hard, kind: file_exists, paths: x, level: error, when: facts.count > 3 }\ntemplates:\n  - { id: shape, kind: file_exists, paths: '{{vars.name}}.md', level: info }\n",
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
        "alint/adr-has-context-section",
        "alint/adr-has-decision-section",
        "alint/adr-has-status-section",
        "alint/base",
    ]
    "#);
    insta::assert_debug_snapshot!(import.not_imported, @r#"
    [
        NotImported {
            item: "extends `alint://bundled/apache/governance@v9`",
            why: "alint 0.20 has no such ruleset",
            instead: Some(
                "copy its rules into the file and import again",
            ),
        },
        NotImported {
            item: "extends `https://example.org/a.yml`",
            why: "files are not downloaded; add the file to the project",
            instead: None,
        },
        NotImported {
            item: "adr-filename-pattern",
            why: "it is disabled",
            instead: None,
        },
        NotImported {
            item: "of-gone",
            why: "`kind` is missing, because the rule overrides a rule of a file that is not read",
            instead: None,
        },
        NotImported {
            item: "filled",
            why: "it uses the template `shape`",
            instead: Some(
                "write its fields into the rule and import again",
            ),
        },
        NotImported {
            item: "off",
            why: "it is disabled",
            instead: None,
        },
        NotImported {
            item: "odd",
            why: "unknown kind `no_such` of alint 0.21",
            instead: None,
        },
        NotImported {
            item: "hard",
            why: "the condition `facts.count > 3` is unsupported: `when` of a page takes one fact about existing files, or `not` and one fact",
            instead: None,
        },
    ]
    "#);
    let base = import.pages.iter().find(|page| page.id == "alint/base").expect("a page");
    insta::assert_snapshot!(base.text, @"
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
fn the_tool_is_detected_by_name_then_content() {
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
    let reported = |path: &str| {
        tool_of(&files, path)
            .map(Tool::key)
            .map_err(|why| why.to_string().split(';').next().unwrap_or_default().to_owned())
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
        assert_eq!(reported(path), Ok(tool), "{path}");
    }
    assert_eq!(reported("g.yml"), Err("g.yml can belong to ls-lint or markdownlint".to_owned()));
    assert_eq!(reported("h.yml"), Err("h.yml is not a known configuration".to_owned()));
    assert!(reported("i.yml").is_err_and(|why| why.starts_with("i.yml:")));
    assert!(reported("gone.yml").is_err());
}

#[test]
fn malformed_or_deep_configurations_are_errors() {
    let deep = format!("rules: {}{}\n", "[".repeat(100), "]".repeat(100));
    for (path, text, part) in [
        (".alint.yml", "rules:\n  - { kind: file_exists }\n", "a rule has no `id`"),
        (".alint.yml", "rules: [1]\n", "a rule is not a mapping"),
        (".alint.yml", deep.as_str(), "levels deep"),
        (".alint.yml", "extends: [../x.yml]\n", "is outside the project"),
        (".ls-lint.yml", "a: 1\n", "has no `ls`"),
        (".ls-lint.yml", "ls: { .ts: [a] }\n", "must be naming rules or a mapping for a directory"),
        ("commitlint.config.js", "module.exports = load()\n", "without running it"),
        (".commitlintrc", "- a\n", "not a mapping"),
        (".markdownlint.json", "{\"a\": }", ".markdownlint.json:1:"),
    ] {
        let (files, _) = project(&[(path, text)]);
        let tool = tool_of(&files, path).expect("a known tool");
        let why = import(&files, path, tool, "rules", &engine_of).expect_err(path).to_string();
        assert!(why.contains(part), "{path}: {why}");
    }
}

#[test]
fn incomplete_alint_rules_do_not_panic() {
    let reported =
        "when_iter: 'iter.has_file(\"x\")', require: [{ kind: file_exists, paths: '{path}/a' }]";
    let text = format!(
        "rules:\n- {{ id: a, kind: for_each_dir, {reported} }}\n- {{ id: c, kind: markdown_required_headings }}\n- {{ id: d, kind: line_endings, target: crlf, paths: '*.bat', fix: {{ file_normalize_line_endings: {{}} }} }}\n"
    );
    let import = import_files(&[(".alint.yml", &text)], Tool::Alint);
    let items = not_imported(&import);
    assert!(items.contains(&"c: `headings` is missing".to_owned()), "{items:?}");
    assert!(import.pages.iter().any(|page| page.item == "d"), "{items:?}");
}

proptest::proptest! {
    #[test]
    fn imports_do_not_panic_and_pages_are_valid(
        text in "(ls|rules|extends|default|MD0(01|44)|id|kind|level|paths|rule|language)?[:\\[\\]{} \n'.,a-z0-9*-]{0,60}",
    ) {
        for tool in Tool::ALL {
            let (files, listing) = project(&[("x.yml", &text)]);
            let files = Listed { files: &files, listing: &listing };
            if let Ok(import) = import(&files, "x.yml", tool, "rules", &engine_of) {
                proptest::prop_assert_eq!(import.defects, Vec::<String>::new());
            }
        }
    }
}
