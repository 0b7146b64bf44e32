//! Imports shared configurations, rulesets and fixes.

use super::*;

#[test]
fn alint_rulesets_are_imported_rule_by_rule() {
    let names: Vec<String> = alint::RULESETS.keys().cloned().collect();
    assert_eq!(names.len(), 24);
    // Number of imported rules, of all rules, and of pages without examples.
    let mut counts = BTreeMap::new();
    for name in &names {
        let text = format!("extends: [alint://bundled/{name}@v1]\n");
        let import = import_files(&[(".alint.yml", &text)], Tool::Alint);
        let rules = alint::RULESETS[name]["rules"].as_array().map_or(0, Vec::len);
        let pages: BTreeSet<&str> = import.pages.iter().map(|page| page.item.as_str()).collect();
        let not_imported: BTreeSet<&str> =
            import.not_imported.iter().map(|item| item.item.as_str()).collect();
        assert!(pages.is_disjoint(&not_imported), "{name}: {not_imported:?}");
        assert_eq!(pages.len() + not_imported.len(), rules, "{name}: {:?}", import.not_imported);
        for item in &import.not_imported {
            let why = &item.why;
            assert!(!why.contains("unknown kind") && !why.contains("is missing"), "{item:?}");
        }
        let part = format!("It is part of `alint://bundled/{name}@v1`.");
        assert!(import.pages.iter().all(|page| page.text.contains(&part)), "{name}");
        let without_examples = import.pages.iter().filter(|page| !page.has_examples).count();
        counts.insert(name.as_str(), (pages.len(), rules, without_examples));
    }
    insta::assert_debug_snapshot!(counts, @r#"
    {
        "agent-context": (
            4,
            4,
            0,
        ),
        "agent-hygiene": (
            3,
            6,
            0,
        ),
        "apache/governance": (
            8,
            8,
            0,
        ),
        "ci/github-actions": (
            2,
            3,
            0,
        ),
        "compliance/apache-2": (
            3,
            3,
            0,
        ),
        "compliance/reuse": (
            3,
            3,
            0,
        ),
        "docs/adr": (
            4,
            4,
            0,
        ),
        "dotnet": (
            4,
            7,
            0,
        ),
        "go": (
            7,
            7,
            1,
        ),
        "hygiene/lockfiles": (
            7,
            7,
            0,
        ),
        "hygiene/no-tracked-artifacts": (
            11,
            11,
            1,
        ),
        "java": (
            10,
            10,
            1,
        ),
        "monorepo": (
            4,
            4,
            1,
        ),
        "monorepo/cargo-workspace": (
            3,
            3,
            3,
        ),
        "monorepo/pnpm-workspace": (
            3,
            3,
            0,
        ),
        "monorepo/yarn-workspace": (
            3,
            3,
            3,
        ),
        "node": (
            8,
            8,
            1,
        ),
        "oss-baseline": (
            15,
            15,
            1,
        ),
        "php": (
            6,
            6,
            0,
        ),
        "python": (
            8,
            8,
            1,
        ),
        "rust": (
            10,
            10,
            2,
        ),
        "toolchain-pins": (
            0,
            24,
            0,
        ),
        "tooling/editorconfig": (
            3,
            3,
            0,
        ),
        "versioning": (
            1,
            11,
            0,
        ),
    }
    "#);
}

/// A rule with each fix.
pub(super) const FIXES: &str = r#"
rules:
  - { id: space, kind: no_trailing_whitespace, level: error, paths: "**/*.md", fix: { file_trim_trailing_whitespace: {} } }
  - { id: bidi, kind: no_bidi_controls, level: error, paths: "**/*.md", fix: { file_strip_bidi: {} } }
  - { id: blank, kind: max_consecutive_blank_lines, level: error, paths: "**/*.md", max: 1, fix: { file_collapse_blank_lines: {} } }
  - { id: header, kind: file_header, level: error, paths: "src/**/*.rs", lines: 3, pattern: "SPDX", fix: { insert_header: { content: "// SPDX-License-Identifier: MIT\n" } } }
  - { id: footer, kind: file_footer, level: error, paths: "docs/*.md", lines: 2, pattern: "Owner: \\w+", fix: { file_append: { content: "Owner: team\n" } } }
  - { id: made, kind: file_exists, level: error, paths: [CODEOWNERS, .github/CODEOWNERS], fix: { file_create: { path: .github/CODEOWNERS, content: "* @team" } } }
  - { id: named, kind: filename_case, level: error, paths: "src/**/*.rs", case: snake_case, fix: { file_rename: {} } }
  - { id: value, kind: json_path_equals, level: error, paths: tsconfig.json, path: $.compilerOptions.strict, equals: true, fix: { set_value: {} } }
  - { id: gone, kind: json_path_absent, level: error, paths: package.json, path: $.scripts.postinstall, fix: { remove_value: {} } }
  - { id: word, kind: file_content_forbidden, level: error, paths: "**/*.md", pattern: "utili[sz]e", fix: { replace: { replacement: use } } }
  - { id: ends, kind: line_endings, level: error, paths: "**/*.sh", target: lf, fix: { file_normalize_line_endings: {} } }
  - { id: removed, kind: file_absent, level: error, paths: "**/*.orig", fix: { file_remove: {} } }
  - { id: late, kind: file_ends_with, level: error, paths: "**/*.md", suffix: "END\n", fix: { file_append: { content: "END\n" } } }
  - { id: ran, kind: file_exists, level: error, paths: x.txt, fix: { command: { run: [make] } } }
"#;

#[test]
fn supported_alint_fixes_are_imported() {
    let import = import_files(&[(".alint.yml", FIXES)], Tool::Alint);
    assert_eq!(import.not_imported, []);
    let mut reported = String::new();
    for page in &import.pages {
        let header = aidd_page::header(&page.text).expect("a header");
        let fix = header.check.and_then(|check| check.fix);
        let lines = page.text.lines().skip_while(|line| !line.starts_with("## Fixed"));
        let shown: Vec<&str> = lines.skip(1).filter(|line| !line.is_empty()).collect();
        reported.push_str(&format!("{} {} {:?} {shown:?}\n", page.id, fix.is_some(), page.notes));
    }
    insta::assert_snapshot!(reported, @r#"
    alint/bidi true [] ["```md", "ab", "```"]
    alint/blank true [] ["```md", "a", "b", "```"]
    alint/ends true [] []
    alint/footer true [] ["```md", "Nothing of the kind.", "Owner: team", "```"]
    alint/gone true [] ["```json", "{\"scripts\":{}}", "```"]
    alint/header true [] ["```rs", "// SPDX-License-Identifier: MIT", "Nothing of the kind.", "```"]
    alint/late false ["the fix `file_append` is not imported: `insert` writes at the end only text that is required in the last lines"] []
    alint/made true [] ["```txt", "* @team", "```"]
    alint/named true [] ["```rs", "src/bad_name.rs", "```"]
    alint/ran false ["the fix `command` is not imported: code of the repository is never run"] []
    alint/removed false ["the fix `file_remove` is not imported: fixes never delete files"] []
    alint/space true [] ["```md", "a", "```"]
    alint/value true [] ["```json", "{\"compilerOptions\":{\"strict\":true}}", "```"]
    alint/word true [] ["```md", "use", "```"]
    "#);
}

#[test]
fn yaml_merge_keys_are_resolved() {
    let text = "_all: &all\n  .ts: kebab-case\n  .js: kebab-case\nls:\n  <<: *all\n  src:\n    <<: [*all]\n    .ts: snake_case\n";
    let import = import_files(&[(".ls-lint.yml", text)], Tool::LsLint);
    assert_eq!(import.not_imported, []);
    let ids: Vec<&str> = import.pages.iter().map(|page| page.id.as_str()).collect();
    assert_eq!(ids, ["ls-lint/js", "ls-lint/src-js", "ls-lint/src-ts", "ls-lint/ts"]);
    assert!(import.pages[2].text.contains("snake"), "{}", import.pages[2].text);
}

#[test]
fn rules_with_unreadable_values_are_not_imported() {
    let text = "const base = require('@commitlint/config-conventional');\nconst kinds = require('./kinds');\nmodule.exports = {\n  extends: ['./team', 'gone'],\n  parserPreset: { parserOpts: { headerPattern: /^\\[(\\w+)\\] (.+)$/, headerCorrespondence: ['scope', 'subject'] } },\n  rules: {\n    'type-enum': [2, 'always', [...base.rules['type-enum'][2], ...kinds]],\n    'scope-enum': [2, 'always', scopes()],\n    'body-max-line-length': [2, 'always', Infinity],\n  },\n};\n";
    let import = import_files(
        &[
            ("commitlint.config.js", text),
            ("kinds.json", "[\"wip\"]"),
            (
                "team.mjs",
                "export default { rules: { 'header-max-length': [1, 'always', 60], 'scope-enum': [2, 'always', ['a']], 'scope-empty': [2, 'never'], 'body-max-line-length': [2, 'always', 80] } }\n",
            ),
        ],
        Tool::Commitlint,
    );
    insta::assert_debug_snapshot!(import.pages.iter().map(|page| &*page.id).collect::<Vec<_>>(), @r#"
    [
        "commitlint/header-max-length",
    ]
    "#);
    insta::assert_debug_snapshot!(not_imported(&import), @r#"
    [
        "`rules.scope-enum[2]` (line 8): `scopes()`: not a literal; code of the repository is never run",
        "extends `gone`: it is neither in the project nor in `node_modules`",
        "scope-empty: unsupported with the custom `headerPattern` `^\\[(\\w+)\\] (.+)$`: only forbidden cases are imported and, if `type-empty` and `subject-empty` are `never`, the allowed types and scopes; write a page with `commit: { subject: … }`",
        "type-enum: unsupported with the custom `headerPattern` `^\\[(\\w+)\\] (.+)$`: only forbidden cases are imported and, if `type-empty` and `subject-empty` are `never`, the allowed types and scopes; write a page with `commit: { subject: … }`",
    ]
    "#);
}
