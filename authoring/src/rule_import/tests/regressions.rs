//! Regression tests: configurations modelled on real projects, with the findings of their pages.

use super::*;
use aidd_engine::text::finding::Status;
use aidd_engine::text::source::Source;

/// The findings of the imported pages in `files`, as `rule path`.
fn findings(import: &Import, files: &[(&str, &str)]) -> Vec<String> {
    let pages: Vec<_> =
        import.pages.iter().map(|page| (page.path.clone(), page.text.clone())).collect();
    let engine = engine_of(&pages).expect("an engine");
    let (memory, _) = project(files);
    let mut found = Vec::new();
    for page in &import.pages {
        let rule = engine.registry().get(&page.id).expect("a rule");
        let name = page.id.split_once('/').map_or(&*page.id, |(_, name)| name);
        let paths = examples::files_with_findings(&engine, rule, &memory);
        found.extend(paths.into_iter().map(|path| format!("{name} {path}")));
    }
    found.sort();
    found
}

fn ids(import: &Import) -> Vec<&str> {
    import.pages.iter().map(|page| page.id.as_str()).collect()
}

/// Files without content.
fn empty_files<'p>(paths: &[&'p str]) -> Vec<(&'p str, &'static str)> {
    paths.iter().map(|path| (*path, "")).collect()
}

#[test]
fn the_deepest_ls_lint_directory_applies() {
    let text = "ls:\n  'apps/*/src/*':\n    .tsx: kebab-case\n  'apps/*/src/app/*':\n    .ts: kebab-case\n  'apps/one/src':\n    .ts: snake_case\n";
    let import = import_files(&[(".ls-lint.yml", text)], Tool::LsLint);
    let files = empty_files(&[
        "apps/one/src/ui/Bad.tsx",
        "apps/one/src/app/page/Fine.tsx",
        "apps/one/src/app/page/Bad.ts",
        "apps/one/src/kebab-name.ts",
        "apps/one/src/ui/Fine.ts",
    ]);
    insta::assert_snapshot!(findings(&import, &files).join("\n"), @"
    apps-any-src-any-tsx apps/one/src/ui/Bad.tsx
    apps-any-src-app-any-ts apps/one/src/app/page/Bad.ts
    apps-one-src-ts apps/one/src/kebab-name.ts
    ");
}

#[test]
fn the_more_literal_ls_lint_glob_takes_precedence() {
    let text = "ls:\n  'src/**':\n    .ts: kebab-case\n    .dir: kebab-case\n  'src/**/hooks/**':\n    .ts: regex:use[A-Z][a-zA-Z]*\n  'src/legacy':\n    .ts: snake_case\n";
    let import = import_files(&[(".ls-lint.yml", text)], Tool::LsLint);
    let files = empty_files(&[
        "src/a/useX.ts",
        "src/a/hooks/useX.ts",
        "src/a/hooks/good-name.ts",
        "src/legacy/good-name.ts",
        "src/Bad/a.ts",
    ]);
    insta::assert_snapshot!(findings(&import, &files).join("\n"), @"
    src-all-dir src/Bad
    src-all-hooks-all-ts src/a/hooks/good-name.ts
    src-all-ts src/a/useX.ts
    src-legacy-ts src/legacy/good-name.ts
    ");
    let noted = |name: &str| {
        let page = import.pages.iter().find(|page| page.id.ends_with(name)).expect("a page");
        page.notes.iter().any(|note| note.contains("an arbitrary one of them"))
    };
    assert!(noted("src-all-ts") && noted("src-all-hooks-all-ts") && !noted("src-legacy-ts"));
}

#[test]
fn imported_ls_lint_cases_match_the_same_names_as_ls_lint() {
    let text = "ls:\n  .k: kebab-case\n  .l: lowercase\n  .s: snake_case\n  .c: camelCase\n  .p: PascalCase\n  .dir: kebab-case\n";
    let import = import_files(&[(".ls-lint.yml", text)], Tool::LsLint);
    assert_eq!(not_imported(&import), [""; 0]);
    let passing = [
        "a/a--b.k",
        "a/-a.k",
        "a/a_b c.l",
        "a/_a.s",
        "a/aBBc.c",
        "a/9aB.c",
        "a/\u{C774}\u{B984}.c",
        "a/A9b.p",
        "a/HtmlPAge.p",
        "a/Ab1C.p",
    ];
    let failing = [
        "a/aB.k",
        "a/\u{C774}\u{B984}.k",
        "a/\u{C774}\u{B984}.l",
        "a/a-b.s",
        "a/aBBB.c",
        "a/9AA.c",
        "a/AB.p",
        "v1.2/x",
        "B/x",
    ];
    assert_eq!(findings(&import, &empty_files(&passing)), [""; 0]);
    let found = findings(&import, &empty_files(&failing));
    assert_eq!(found.len(), failing.len(), "{found:#?}");
    let page = import.pages.iter().find(|page| page.id == "ls-lint/k").expect("a page");
    assert!(page.text.contains("'kebab /"), "{}", page.text);
}

#[test]
fn ls_lint_expressions_are_anchored_as_in_ls_lint() {
    let text = "ls:\n  .a: regex:x|y\n  .b: regex:(x|y)\n  .c: regex:!x|y\n  .d: pointcase\n";
    let import = import_files(&[(".ls-lint.yml", text)], Tool::LsLint);
    let files =
        empty_files(&["xa.a", "by.a", "bad.a", "xa.b", "x.b", "xa.c", "bad.c", "Bad.d", "good.d"]);
    insta::assert_snapshot!(findings(&import, &files).join("\n"), @"
    a bad.a
    b xa.b
    c xa.c
    d Bad.d
    ");
    let notes =
        |name: &str| import.pages.iter().find(|page| page.id == name).expect("a page").notes.len();
    assert_eq!([notes("ls-lint/a"), notes("ls-lint/b"), notes("ls-lint/d")], [1, 0, 1]);
}

#[test]
fn pages_that_would_check_themselves_exclude_their_directory() {
    let text = "ls:\n  .md: SCREAMING_SNAKE_CASE\n  .dir: kebab-case\n  .ts: kebab-case\n";
    let import = import_files(&[(".ls-lint.yml", text)], Tool::LsLint);
    let self_excluding: Vec<&str> = import
        .pages
        .iter()
        .filter(|page| page.text.contains("'/.aidd', '/.aidd/'"))
        .map(|page| page.id.as_str())
        .collect();
    assert_eq!(self_excluding, ["ls-lint/folders", "ls-lint/md"]);
    let text = "{\"default\": false, \"MD043\": {\"headings\": [\"# Title\", \"*\"]}}";
    let import = import_files(&[(".markdownlint.json", text)], Tool::Markdownlint);
    let excludes_itself = import.pages[0].text.contains("exclude: ['/.aidd', '/.aidd/']");
    assert!(excludes_itself, "{}", import.pages[0].text);
}

#[test]
fn the_markdownlint_rules_file_takes_precedence() {
    let runner = "config: { MD042: true }\nignores: [vendor]\n";
    let files = [
        (".markdownlint-cli2.yaml", runner),
        (".markdownlint.json", "{\"default\": false, \"MD034\": \"warning\"}"),
        (".markdownlintrc", "{}"),
        ("docs/.markdownlint.yaml", "MD033: false\n"),
    ];
    let (memory, _) = project(&files);
    assert_eq!(discover(&memory), [(".markdownlint-cli2.yaml".to_owned(), Tool::Markdownlint)]);
    let import = import_files(&files, Tool::Markdownlint);
    assert_eq!(ids(&import), ["markdownlint/md034-no-bare-urls"]);
    let page = &import.pages[0].text;
    assert!(page.contains("severity: warning\n") && page.contains("'/vendor', '/vendor/'"));
    insta::assert_debug_snapshot!(not_imported(&import), @r#"
    [
        "config: markdownlint-cli2 reads `.markdownlint.json` instead",
        ".markdownlintrc: markdownlint reads `.markdownlint-cli2.yaml` in the same directory instead",
        "docs/.markdownlint.yaml: it applies to `docs/` only",
    ]
    "#);
}

#[test]
fn options_can_be_set_by_markdownlint_tag() {
    let text = "default: warning\nhtml: { allowed_elements: [br] }\nemphasis: false\nspaces: 0\nno-duplicate-heading: { allow_different_nesting: true }\nline_length: { line_length: 120 }\nMD041: { allow_preamble: true, level: 2 }\nlanguages: true\n";
    let import = import_files(&[(".markdownlint.yaml", text)], Tool::Markdownlint);
    let text = |name: &str| {
        let page = import.pages.iter().find(|page| page.id.contains(name));
        page.map_or("", |page| page.text.as_str())
    };
    assert!(text("md033").contains("html: [br]") && text("md033").contains("severity: error"));
    assert!(text("md034").contains("severity: warning"));
    assert!(text("md034").contains("aliases: [MD034, no-bare-urls]"));
    assert_eq!((text("md036"), text("md018")), ("", ""));
    let listed = not_imported(&import);
    let listed: Vec<&String> =
        listed.iter().filter(|entry| entry.contains("markdownlint 0.42")).collect();
    insta::assert_debug_snapshot!(listed, @r#"
    [
        "languages: neither a rule nor a tag of markdownlint 0.42",
        "MD024: allow_different_nesting: not an option of that rule in markdownlint 0.42",
    ]
    "#);
    let files = [
        ("a.md", "Text.\n\n## A\n"),
        ("b.md", "Text.\n\n# A\n"),
        ("c.md", "Text.\n"),
        ("d.md", "## A\n\nSee <br> and <b>x</b>.\n"),
    ];
    insta::assert_snapshot!(findings(&import, &files).join("\n"), @"
    md033-no-inline-html d.md
    md041-first-line-heading b.md
    ");
}

#[test]
fn files_of_overrides_of_markdownlint_are_excluded() {
    let text = "config:\n  default: false\n  MD034: true\n  MD033: { allowed_elements: [br] }\noverrides:\n  - filter: ['docs/**/*.md']\n    combine: merge\n    config: { MD034: false }\n  - filter: ['api/*.md']\n    combine: replace\n    config: { default: false, MD033: { allowed_elements: [b] } }\n  - files: [x.md]\n    config: { MD034: false }\n  - { filter: ['a/*.md', '!a/b.md'], combine: merge, config: { MD034: false } }\n";
    let import = import_files(&[(".markdownlint-cli2.yaml", text)], Tool::Markdownlint);
    let same = "# A\n\nSee https://example.org and <b>x</b> and <br>.\n";
    let files = [("a.md", same), ("docs/a.md", same), ("api/a.md", same)];
    insta::assert_snapshot!(findings(&import, &files).join("\n"), @"
    md033-no-inline-html a.md
    md034-no-bare-urls a.md
    ");
    insta::assert_debug_snapshot!(not_imported(&import), @r#"
    [
        "overrides: a page has only one set of options, so the files that match `filter` are excluded; to check these files, import their rules from a separate configuration",
    ]
    "#);
}

#[test]
fn ignored_paths_of_markdownlint_are_excluded() {
    let files = [
        (".markdownlint.json", "{\"default\": false, \"MD034\": true}"),
        (".markdownlintignore", "# old\nnode_modules\ndocs/old\n!docs/old/a.md\n*.gen.md\n"),
    ];
    let import = import_files(&files, Tool::Markdownlint);
    let same = "# A\n\nSee https://example.org.\n";
    let paths = ["a.md", "x/node_modules/a.md", "docs/old/b.md", "x/docs/old/b.md", "a.gen.md"];
    let files: Vec<_> = paths.iter().map(|path| (*path, same)).collect();
    insta::assert_snapshot!(findings(&import, &files).join("\n"), @"
    md034-no-bare-urls a.md
    md034-no-bare-urls x/docs/old/b.md
    ");
    assert_eq!(not_imported(&import).len(), 1, "{:?}", not_imported(&import));
}

#[test]
fn markdownlint_comments_suppress_the_pages() {
    let import = import_files(
        &[(".markdownlint.json", "{\"default\": false, \"MD034\": true, \"MD033\": true}")],
        Tool::Markdownlint,
    );
    let pages: Vec<_> =
        import.pages.iter().map(|page| (page.path.clone(), page.text.clone())).collect();
    let engine = engine_of(&pages).expect("an engine");
    let new_findings = |text: &str| {
        let checked = engine.check(&Source::new("a.md", text), &Memory::default());
        let is_new = |finding: &&aidd_engine::text::finding::Finding| {
            finding.status == Status::New && finding.rule.starts_with("markdownlint/")
        };
        checked.findings.iter().filter(is_new).count()
    };
    let line = "See https://a.org and <b>x</b>.";
    for (text, expected) in [
        (format!("# A\n\n{line}\n"), 2),
        (format!("# A\n\n<!-- markdownlint-disable -->\n\n{line}\n"), 0),
        (format!("# A\n\n<!-- markdownlint-disable MD033 no-bare-urls -->\n\n{line}\n"), 0),
        (format!("# A\n\n<!-- markdownlint-disable MD034 -->\n\n{line}\n"), 1),
        (
            format!(
                "# A\n\n<!-- markdownlint-disable MD034 -->\n\n{line}\n\n<!-- markdownlint-enable MD034 -->\n\n{line}\n"
            ),
            3,
        ),
        (
            format!(
                "# A\n\n<!-- markdownlint-disable-next-line md034 MD033 -->\n{line}\n\n{line}\n"
            ),
            2,
        ),
        (format!("# A\n\n{line} <!-- markdownlint-disable-line -->\n\n{line}\n"), 2),
        (format!("# A\n\n{line}\n\n<!-- markdownlint-disable-file MD034 -->\n"), 1),
    ] {
        assert_eq!(new_findings(&text), expected, "{text}");
    }
}

/// Directories that are identified by their contents, and conditions that a page cannot express.
pub(super) const ALINT_CONDITIONS: &str = r#"
version: 1
facts:
  - { id: code, any_file_exists: ["Cargo.toml", "**/*.py"] }
  - { id: docs, any_file_exists: [docs/index.md] }
  - { id: workspace, all_files_exist: [package.json, pnpm-workspace.yaml] }
rules:
  - { id: root, kind: dir_contains, select: ".", require: [README, LICENSE], level: error }
  - id: only-known
    kind: for_each_dir
    select: "*"
    when_iter: 'not (iter.path == ".github" or iter.path == "packages")'
    require: [{ kind: dir_absent, paths: "{path}" }]
    level: error
  - id: shape
    kind: for_each_dir
    select: packages/*
    when_iter: 'iter.has_file("Cargo.toml")'
    require:
      - { kind: file_exists, paths: "{path}/Cargo.lock" }
      - { kind: dir_only_contains, select: "{path}", allow: [Cargo.toml] }
    level: error
  - id: every
    kind: every_matching_has
    select: "checks/*"
    require:
      - { kind: dir_only_contains, select: "{path}", allow: [default.nix] }
    level: error
  - id: none-of
    kind: for_each_dir
    select: packages/*
    when_iter: 'not (iter.has_file("a") or iter.has_file("b"))'
    require: [{ kind: dir_only_contains, select: "{path}", allow: [x] }]
    level: error
  - { id: names, kind: filename_regex, paths: "**/*.{js,ts}", pattern: '^\.?[a-z0-9]+(-[a-z0-9]+)*\.(js|jsx|ts)$', level: error }
  - { id: both, kind: file_exists, paths: x/a, level: error, when: facts.code and facts.docs }
  - { id: either, kind: file_exists, paths: x/b, level: error, when: facts.code or facts.docs }
  - { id: neither, kind: file_exists, paths: x/c, level: error, when: not (facts.code or facts.docs) }
  - { id: but-not, kind: file_exists, paths: x/d, level: error, when: facts.docs and not facts.code }
  - { id: no-workspace, kind: file_exists, paths: x/e, level: error, when: not facts.workspace }
  - { id: gate, kind: import_gate, paths: "a/*.pkg", import_pattern: '^\s*"([^"]+)"', forbid: '^team/tool([-/@]|$)', level: error }
"#;

#[test]
fn alint_conditions_are_imported_or_reported() {
    let import = import_files(&[(".alint.yml", ALINT_CONDITIONS)], Tool::Alint);
    insta::assert_debug_snapshot!(not_imported(&import), @r#"
    [
        "only-known: the condition `not (iter.path == \".github\" or iter.path == \"packages\")` is unsupported: a page supports only `iter.has_file(…)` for each directory",
        "every: its `dir_only_contains` is not imported: `select` within a selection is unsupported",
        "none-of: the condition `not (iter.has_file(\"a\") or iter.has_file(\"b\"))` is unsupported: a page supports only `iter.has_file(…)` for each directory",
        "both: the condition `facts.code and facts.docs` is unsupported: `when` of a page takes one fact about existing files, or `not` and one fact",
        "either: the condition `facts.code or facts.docs` is unsupported: `when` of a page takes one fact about existing files, or `not` and one fact",
        "neither: the condition `not (facts.code or facts.docs)` is unsupported: `when` of a page takes one fact about existing files, or `not` and one fact",
        "but-not: the condition `facts.docs and not facts.code` is unsupported: `when` of a page takes one fact about existing files, or `not` and one fact",
        "gate: it matches imports with a custom expression; write a rule page with a `layers` check and `forbid`",
    ]
    "#);
    let notes: Vec<String> = import
        .pages
        .iter()
        .flat_map(|page| page.notes.iter().map(|note| format!("{}: {note}", page.id)))
        .collect();
    insta::assert_debug_snapshot!(notes, @r#"
    [
        "alint/shape: findings are reported at the file that identifies the directory",
        "alint/shape: its `dir_only_contains` is not imported: `select` within a selection is unsupported",
    ]
    "#);
    let files = [
        ("README", ""),
        ("packages/one/Cargo.toml", ""),
        ("packages/one/other.txt", ""),
        ("packages/two/other.txt", ""),
        ("odd/a.txt", ""),
        (".github/a.txt", ""),
        ("checks/one/default.nix", ""),
        ("checks/one/more.nix", ""),
        ("packages/two/badName.ts", ""),
        ("packages/two/good-name.js", ""),
        ("docs/index.md", ""),
        ("a/a.pkg", "import {\n  \"team/tool\"\n}\n"),
        ("a/b.pkg", "import {\n  \"team/tool-kit\"\n}\n"),
        ("a/c.pkg", "import {\n  \"team/tools\"\n  \"other/team/tool\"\n}\n"),
    ];
    insta::assert_snapshot!(findings(&import, &files).join("\n"), @"
    names packages/two/badName.ts
    no-workspace x/e
    root LICENSE
    shape packages/one/Cargo.toml
    ");
    let files =
        [("Cargo.toml", "[package]\n"), ("package.json", "{}"), ("pnpm-workspace.yaml", "")];
    insta::assert_snapshot!(findings(&import, &files).join("\n"), @"
    root LICENSE
    root README
    ");
}

#[test]
fn a_typescript_rule_excludes_tsx() {
    let text = "id: no-log\nlanguage: TypeScript\nmessage: No — `log`.\nseverity: error\nnote: |\n  Use the logger.\n  It is there.\n\n  Before:\n    log(1)\n\n  - one\n  - two\nrule: { pattern: log($A) }\n---\nid: no-log-tsx\nlanguage: tsx\nmessage: No log.\nseverity: error\nrule: { pattern: log($A) }\n";
    let import = import_files(&[("rules/no-log.yml", text)], Tool::AstGrep);
    let files = [("a.ts", "log(1);\n"), ("b.tsx", "log(1);\n")];
    assert_eq!(findings(&import, &files), ["no-log a.ts", "no-log-tsx b.tsx"]);
    let page = &import.pages[1].text;
    assert!(page.contains("message: 'No — `log`.'"), "{page}");
    let note = "\nUse the logger. It is there.\n\n```text\nBefore:\n  log(1)\n```\n\n```text\n- one\n- two\n```\n";
    assert!(page.contains(note), "{page}");
}
