//! Whole surveys: of a project on the disk.
#![expect(clippy::disallowed_methods, reason = "a project on the disk")]

use crate::suggest::{Asked, Bounds, Outcome, Survey, Told, survey};
use aidd_engine::text::files::Memory;
use aidd_engine::workspace::project::Project;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    let project = Project::open(&crate::DISTRIBUTION, folder.path(), None).expect("a project");
    (folder, project)
}

fn all(project: &Project) -> Survey {
    survey(project, &Asked::all(&project.disk)).expect("a survey")
}

/// A line a sentence.
fn lines(survey: &Survey) -> String {
    let mut text = String::new();
    for Told { path, line, text: words, outcome, .. } in &survey.told {
        let said = match outcome {
            Outcome::Enforced(by) => format!("enforced by {}", by.join(", ")),
            Outcome::Elsewhere { by, path } => format!("elsewhere by {by} in {path}"),
            Outcome::Switch { rules, packs, caught } => {
                let found = caught.as_ref().map_or(0, |caught| caught.findings);
                format!("switch on {} ({}), finds {found}", rules.join(", "), packs.join(", "))
            }
            Outcome::Draft(one) => {
                let caught = one.caught.clone().unwrap_or_default();
                let (found, files, judged) = (caught.findings, caught.files, caught.judged);
                let (id, severity, sure) = (&one.draft.id, one.severity, one.sure.word());
                format!("{id}: {severity}, {sure}, {found} in {files} of {judged} -> {}", one.path)
            }
            Outcome::Run(command) => format!("run {command}"),
            Outcome::Guidance(why) => format!(
                "guidance{}",
                why.as_ref().map(|why| format!(": {why}")).unwrap_or_default()
            ),
        };
        let _ = writeln!(text, "{path}:{line} {words}\n  {said}");
    }
    for note in &survey.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

#[test]
fn a_project_is_told_what_its_sentences_come_to() {
    let (_folder, project) = project(&[
        (".aidd/config.json", r#"{"compliance": ["git"]}"#),
        ("package.json", r#"{"dependencies": {"moment": "2"}}"#),
        ("eslint.config.js", "export default [{ rules: { 'no-var': 'error' } }];\n"),
        (
            "src/a.ts",
            "import moment from \"moment\";\nexport const when = moment();\nlegacyParse(when);\n",
        ),
        ("src/b.ts", "export const b = 2;\n"),
        ("src/c.ts", "export function c(value: unknown) {\n  return legacyParse(value);\n}\n"),
        ("rules/parse.md", "# Parsing\n\nNever call `legacyParse()`.\n"),
        (
            "AGENTS.md",
            "# Ours\n\n- Never use `var`.\n- Do not use `moment`.\n- Use Conventional Commits.\n- Never use `any`.\n\
             - Never hard-code passwords.\n- Run `npm test` first.\n- Write good code, always.\n- Never call `gone()`.\n",
        ),
        ("CLAUDE.md", "Never use `any`.\n"),
    ]);
    insta::assert_snapshot!(lines(&all(&project)), @"
    AGENTS.md:3 Never use `var`.
      elsewhere by eslint/no-var in eslint.config.js
    AGENTS.md:4 Do not use `moment`.
      project/no-moment: warning, medium, 1 in 1 of 1 -> .aidd/rules/no-moment.md
    AGENTS.md:5 Use Conventional Commits.
      enforced by compliance/commit-message
    AGENTS.md:6 Never use `any`.
      switch on compliance/any-type (typescript-strict), finds 0
    AGENTS.md:7 Never hard-code passwords.
      enforced by secrets/*
    AGENTS.md:8 Run `npm test` first.
      run npm test
    AGENTS.md:9 Write good code, always.
      guidance
    AGENTS.md:10 Never call `gone()`.
      project/no-gone: error, high, 0 in 0 of 4 -> .aidd/rules/no-gone.md
    rules/parse.md:3 Never call `legacyParse()`.
      project/no-legacyparse: warning, high, 2 in 2 of 3 -> rules/parse.md
    ");
}

#[test]
fn a_page_proves_itself() {
    let (_folder, project) = project(&[
        (".aidd/x", ""),
        ("src/a.ts", "const user = load();\nconst name = legacyParse(user);\n"),
        ("rules/parse.md", "# Parsing\n\nNever call `legacyParse()`. It is slow.\n"),
        ("AGENTS.md", "Files have at most 400 lines.\n"),
    ]);
    let survey = all(&project);
    let pages: Vec<String> = survey
        .suggestions()
        .into_iter()
        .map(|(path, one)| {
            format!("=== {path}{}\n{}", if one.in_place { " (in place)" } else { "" }, one.page)
        })
        .collect();
    insta::assert_snapshot!(pages.join("\n"), @r#"
    === .aidd/rules/at-most-400-lines.md
    ---
    severity: error
    message: "`<path>` has more than 400 lines"
    check:
      tree:
        each: "**/*.ts"
        lines:
          max: 400
    ---
    # project/at-most-400-lines

    Files have at most 400 lines.

    The sentence stands in `AGENTS.md`.

    ## Fails

    ```ts path=example.ts times=401
    word
    ```

    ```finding
    example.ts
    ```

    ## Passes

    ```ts path=example.ts
    word
    ```

    === rules/parse.md (in place)
    ---
    severity: warning
    message: "`legacyParse()` is not used here"
    check:
      syntax:
        language:
        - typescript
        rule:
          pattern: legacyParse($$$ARGS)
    ---
    # Parsing

    Never call `legacyParse()`. It is slow.

    ## Fails

    ```ts path=src/a.ts
    const name = legacyParse(user);
    ```

    ```finding
    1:14 legacyParse(user)
    ```

    ## Passes

    ```ts path=src/a.ts
    const user = load();
    ```
    "#);
}

#[test]
fn a_page_that_another_tool_enforces_is_counted_there() {
    let page = |by: &str| {
        format!(
            "---\nenforced-by: {by}\n---\n# team/output\n\nNever write to standard output. Always use the logger.\n"
        )
    };
    let (on, off) = (page("eslint/no-console"), page("eslint/no-alert"));
    let (_folder, project) = project(&[
        (".eslintrc.json", r#"{"rules": {"no-console": "error"}}"#),
        ("src/a.ts", "export const a = 1;\n"),
        (".aidd/rules/on.md", &on),
        (".aidd/rules/off.md", &off.replace("output", "alerts")),
        ("AGENTS.md", "- Always use the logger.\n- Never use `any`.\n"),
        ("eslint.config.mjs", "export default tseslint.configs.recommended;\n"),
    ]);
    insta::assert_snapshot!(lines(&all(&project)), @"
    AGENTS.md:1 Always use the logger.
      elsewhere by eslint/no-console in .eslintrc.json
    AGENTS.md:2 Never use `any`.
      elsewhere by eslint/@typescript-eslint/no-explicit-any in eslint.config.mjs
    .aidd/rules/off.md:6 Never write to standard alerts.
      guidance: its page names `eslint/no-alert`, but no settings of ESLint here switch `no-alert` on
    .aidd/rules/on.md:6 Never write to standard output.
      elsewhere by eslint/no-console in .eslintrc.json
    ");
}

#[test]
fn a_sentence_holds_where_its_file_does() {
    let (_folder, project) = project(&[
        (".aidd/x", ""),
        ("src/api/v1/a.py", "print(1)\n"),
        ("src/web/b.py", "print(2)\n"),
        ("web/c.py", "print(3)\n"),
        ("web/AGENTS.md", "- Never call `os.getpid()`.\n"),
        ("src/api/v1/AGENTS.md", "- Never use `print()`.\n- Files have at most 300 lines.\n"),
        (
            ".cursor/rules/web.mdc",
            "---\nglobs: src/web/**/*.py\n---\n- Never call `os.getcwd()`.\n",
        ),
    ]);
    let survey = all(&project);
    let checks: Vec<String> = survey
        .suggestions()
        .values()
        .map(|one| format!("{} {}", one.path, one.draft.check))
        .collect();
    insta::assert_snapshot!(checks.join("\n"), @r#"
    .aidd/rules/at-most-300-lines.md {"tree":{"each":"src/api/v1/**/*.py","lines":{"max":300}}}
    .aidd/rules/no-os-getcwd.md {"syntax":{"language":["python"],"rule":{"pattern":"os.getcwd($$$ARGS)"}},"files":["src/web/**/*.py"]}
    .aidd/rules/no-print.md {"syntax":{"language":["python"],"rule":{"pattern":"print($$$ARGS)"}},"files":["src/api/v1/**"]}
    web/.aidd/rules/no-os-getpid.md {"syntax":{"language":["python"],"rule":{"pattern":"os.getpid($$$ARGS)"}}}
    "#);
}

#[test]
fn what_is_written_instead_is_a_fix() {
    let (_folder, project) = project(&[
        (".aidd/x", ""),
        ("src/a.ts", "const copy = cloneDeep(tree, 1);\nconst now = Date.now();\n"),
        ("docs/a.md", "A blacklist of hosts.\n"),
        (
            "AGENTS.md",
            "- Use `structuredClone()` instead of `cloneDeep()`.\n- Write `allowlist`, not `blacklist`.\n",
        ),
    ]);
    let survey = all(&project);
    let pages: Vec<&str> = survey.suggestions().values().map(|one| one.page.as_str()).collect();
    insta::assert_snapshot!(pages.join("\n"), @r#"
    ---
    severity: warning
    message: "`cloneDeep()`: use `structuredClone()` instead"
    check:
      syntax:
        language:
        - typescript
        rule:
          pattern: cloneDeep($$$ARGS)
        fix: structuredClone($$$ARGS)
    ---
    # project/no-clonedeep

    Use `structuredClone()` instead of `cloneDeep()`.

    The sentence stands in `AGENTS.md`.

    ## Fails

    ```ts path=src/a.ts
    const copy = cloneDeep(tree, 1);
    ```

    ```finding
    1:14 cloneDeep(tree, 1)
    ```

    ## Passes

    ```ts path=src/example.ts
    structuredClone(1);
    ```

    ## Fixed

    ```ts path=src/a.ts
    const copy = structuredClone(tree, 1);
    ```

    ---
    severity: warning
    message: "`blacklist`: write `allowlist`"
    check:
      files:
      - "**/*.ts"
      - "**/*.{md,mdx,txt}"
      text:
        in:
        - prose
        - headings
        - comments
        swap:
          blacklist: allowlist
    ---
    # project/write-allowlist

    Write `allowlist`, not `blacklist`.

    The sentence stands in `AGENTS.md`.

    ## Fails

    ```md path=docs/example.md
    The blacklist is here.
    ```

    ```finding
    1:5 blacklist
    ```

    ## Passes

    ```md path=docs/example.md
    The allowlist is here.
    ```

    ## Fixed

    ```md path=docs/example.md
    The allowlist is here.
    ```
    "#);
}

#[test]
fn what_is_left_out_is_said() {
    let many: String = (0..50).map(|one| format!("- Never call `gone{one}()`.\n")).collect();
    let (_folder, project) =
        project(&[(".aidd/x", ""), ("AGENTS.md", &many), ("src/a.ts", "a();\n")]);
    let bounds = Bounds { sentences: 20, drafts: 5, ..Bounds::default() };
    let stop = Arc::new(AtomicBool::new(true));
    let asked = Asked { bounds, stop, ..Asked::all(&project.disk) };
    let survey = survey(&project, &asked).expect("a survey");
    let count = survey.count();
    assert_eq!((count.ready, count.guidance), (5, 15));
    let notes = survey.notes.join("\n");
    for part in
        ["30 sentences were not looked at", "drafts 5 checks at most", "the trial was stopped"]
    {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    let none = Memory::default();
    let paths = ["gone.md".to_owned()];
    let asked = Asked { paths: &paths, ..Asked::all(&none) };
    assert!(
        crate::suggest::survey(&project, &asked).expect_err("refused").starts_with("gone.md: ")
    );
}

#[test]
fn sentences_that_come_to_one_check_share_its_page() {
    let (_folder, project) = project(&[
        ("package.json", "{}"),
        ("src/a.ts", "export const a = 1;\n"),
        (
            "AGENTS.md",
            "- Never use default exports.\n- Named exports only.\n- Never use `alert()`.\n",
        ),
    ]);
    let survey = all(&project);
    let told: Vec<(&str, &[String])> =
        survey.told.iter().map(|told| (told.text.as_str(), told.also.as_slice())).collect();
    let [first, other] = told.as_slice() else { panic!("{}", lines(&survey)) };
    assert_eq!(*first, ("Never use default exports.", &["AGENTS.md:2".to_owned()][..]));
    assert_eq!(*other, ("Never use `alert()`.", &[][..]));
}

#[test]
fn reasons_conditions_and_plain_words_switch_nothing_on() {
    let (_folder, project) = project(&[
        ("package.json", "{}"),
        ("src/a.ts", "export const a = 1;\n"),
        (
            "AGENTS.md",
            "- Disabled in test files only.\n- Never skip failing tests.\n\
             - Place mocks in one folder so the order of imports stays sorted, always.\n\
             - No 'any' type allowed.\n- Do not add any types of plugins.\n\
             - No `any` unless justified by a comment.\n\
             - Do not use `any` unless absolutely necessary.\n- Prefer specific types over any.\n\
             - String literals over enums.\n- Use enums for string values.\n",
        ),
    ]);
    insta::assert_snapshot!(lines(&all(&project)), @"
    AGENTS.md:1 Disabled in test files only.
      guidance
    AGENTS.md:2 Never skip failing tests.
      switch on compliance/disabled-test (testing), finds 0
    AGENTS.md:3 Place mocks in one folder so the order of imports stays sorted, always.
      guidance
    AGENTS.md:4 No 'any' type allowed.
      switch on compliance/any-type (typescript-strict), finds 0
    AGENTS.md:5 Do not add any types of plugins.
      guidance
    AGENTS.md:6 No `any` unless justified by a comment.
      guidance
    AGENTS.md:7 Do not use `any` unless absolutely necessary.
      switch on compliance/any-type (typescript-strict), finds 0
    AGENTS.md:8 Prefer specific types over any.
      switch on compliance/any-type (typescript-strict), finds 0
    AGENTS.md:9 String literals over enums.
      switch on compliance/enum (typescript-strict), finds 0
    AGENTS.md:10 Use enums for string values.
      guidance
    ");
}
