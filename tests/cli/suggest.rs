//! `aidd rule suggest` and `aidd rule coverage`: from the sentence to the finding.

use crate::support::Project;
use insta::assert_snapshot;

fn project() -> Project {
    Project::new(&[
        (".aidd/config.json", r#"{"rules": {"repository/*": "off"}}"#),
        ("eslint.config.js", "export default [{ rules: { 'no-var': 'error' } }];\n"),
        (
            "AGENTS.md",
            "# Working here\n\n- Never call `legacyParse()`; it is slow.\n- Never use `var`.\n\
             - Run `npm test` before a commit.\n- Write good code, always.\n\
             - Files in `src` have at most 400 lines.\n- Never hard-code passwords.\n",
        ),
        ("rules/output.md", "# Output\n\nDo not use `audit.flush()`.\n"),
        ("src/a.ts", "const text = load();\nconst user = legacyParse(text);\n"),
        ("src/b.ts", "export const b = 2;\n"),
    ])
}

#[test]
fn sentences_are_drafted_tried_and_told() {
    let ran = project().run(&["rule", "suggest"]).ends(0);
    assert_snapshot!(ran.out, @"
    AGENTS.md:3  Never call `legacyParse()`; it is slow.
      check     project/no-legacyparse (syntax), sure: high
      catches   1 place, in 1 of the 2 it looked at (50.0 %)
                src/a.ts:2  const user = legacyParse(text);
      severity  warning: it nearly holds: mend these, or put them off by `aidd baseline write`
      page      .aidd/rules/no-legacyparse.md

    AGENTS.md:7  Files in `src` have at most 400 lines.
      check     project/at-most-400-lines (tree), sure: high
      catches   nothing in the 2 it looked at
      severity  error: it holds already
      page      .aidd/rules/at-most-400-lines.md

    rules/output.md:3  Do not use `audit.flush()`.
      check     project/no-audit-flush (syntax), sure: high
      catches   nothing in the 3 it looked at
      severity  error: it holds already
      page      rules/output.md, into its header

    Enforced already:
      AGENTS.md:8  Never hard-code passwords.  [by secrets/*]

    Enforced by other tools:
      AGENTS.md:4  Never use `var`.  [by eslint/no-var (eslint.config.js)]

    For a hook of the agent, or a step of CI:
      AGENTS.md:5  Run `npm test` before a commit.  [npm test]

    Guidance: no check can tell:
      AGENTS.md:6  Write good code, always.
    ");
    assert_snapshot!(ran.err, @"
    7 sentences: 1 enforced, 1 enforced by other tools, 3 with a check to be had, 1 for a hook or CI, 1 guidance only; 2 files read
    nothing was written; `aidd rule suggest --write` writes 3 pages
    ");
}

#[test]
fn a_written_page_is_enforced_and_the_sentence_covered() {
    let project = project();
    project.run(&["check", "--fail-on", "warning", "."]).ends(0);
    let ran = project.run(&["rule", "suggest", "--write"]).ends(0);
    assert!(ran.err.contains("wrote .aidd/rules/no-legacyparse.md\n"), "{}", ran.err);
    assert!(ran.err.contains("wrote rules/output.md\n"), "{}", ran.err);
    assert_snapshot!(project.read(".aidd/rules/no-legacyparse.md"), @r#"
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
    # project/no-legacyparse

    Never call `legacyParse()`; it is slow.

    The sentence stands in `AGENTS.md`.

    ## Fails

    ```ts path=src/a.ts
    const user = legacyParse(text);
    ```

    ```finding
    1:14 legacyParse(text)
    ```

    ## Passes

    ```ts path=src/a.ts
    const text = load();
    ```
    "#);
    assert_snapshot!(project.read("rules/output.md"), @r#"
    ---
    severity: error
    message: "`audit.flush()` is not used here"
    check:
      syntax:
        language:
        - javascript
        - typescript
        rule:
          pattern: audit.flush($$$ARGS)
    ---
    # Output

    Do not use `audit.flush()`.

    ## Fails

    ```js path=src/example.js
    audit.flush(1);
    ```

    ```finding
    1:1 audit.flush(1)
    ```

    ## Passes

    ```js path=src/example.js
    const answer = 42;
    ```
    "#);
    let tested = project.run(&["rule", "test"]).ends(0);
    assert!(tested.err.ends_with(" tested, 0 failed\n"), "{}", tested.err);
    let checked = project.run(&["check", "--fail-on", "warning", "."]).ends(1);
    assert!(checked.out.contains("project/no-legacyparse"), "{}", checked.out);
    assert_snapshot!(project.run(&["rule", "coverage"]).ends(0).out, @"
    file             sentences  enforced  elsewhere  ready  hook  guidance
    AGENTS.md                6         3          1      0     1         1
    rules/output.md          1         1          0      0     0         0
    all                      7         4          1      0     1         1

    enforced: 5 of 7 sentences (71 %), 5 of the 5 that a check can judge
    ");
    // What is enforced is drafted no more, and nothing is written twice.
    let again = project.run(&["rule", "suggest", "--write"]).ends(0);
    assert!(!again.err.contains("wrote"), "{}", again.err);
}

#[test]
fn programs_read_the_same() {
    let project = project();
    let ran = project.run(&["rule", "suggest", "AGENTS.md", "--format", "json"]).ends(0);
    let told: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(told["count"]["sentences"], 6);
    let first = &told["sentences"][0];
    assert_eq!(first["kind"], "draft");
    assert_eq!(first["catches"]["first"][0]["path"], "src/a.ts");
    assert_eq!(first["draft"]["check"]["syntax"]["rule"]["pattern"], "legacyParse($$$ARGS)");
    let ran = project.run(&["rule", "coverage", "--format", "json"]).ends(0);
    let told: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(told["sentences"][0]["draft"].get("page").is_none());
}

#[test]
fn what_cannot_be_read_is_said() {
    let project = project();
    let ran = project.run(&["rule", "suggest", "gone.md"]).ends(2);
    assert!(ran.err.contains("gone.md: "), "{}", ran.err);
    let ran = project.run(&["rule", "suggest", "../x.md"]).ends(2);
    assert!(ran.err.contains("does not lie in the project"), "{}", ran.err);
    let empty = Project::new(&[("a.txt", "")]);
    let ran = empty.run(&["rule", "suggest"]).ends(0);
    assert!(ran.err.contains("no file with sentences was found"), "{}", ran.err);
}

#[test]
fn what_the_code_contradicts_is_not_written() {
    let calls = "legacyParse(1);\n".repeat(30);
    let project =
        Project::new(&[("AGENTS.md", "Never call `legacyParse()`.\n"), ("src/a.ts", &calls)]);
    let ran = project.run(&["rule", "suggest", "--write"]).ends(0);
    assert!(ran.out.contains("info: the sentence does not describe this code"), "{}", ran.out);
    assert!(ran.err.contains("not written: .aidd/rules/no-legacyparse.md"), "{}", ran.err);
    assert!(!project.path().join(".aidd").exists());
}

#[test]
fn the_page_shows_what_is_printed() {
    let project = Project::new(&[
        (
            "AGENTS.md",
            "# Working here\n\n- Never call `legacyParse()`; use `parse()`.\n- `src/domain` must not import `src/store`.\n\
             - Never use `var`.\n- Never use `any`.\n- Never commit `.env`.\n- Run `npm test` before a commit.\n\
             - Ask before you add a dependency, always.\n",
        ),
        ("eslint.config.js", "export default [{ rules: { 'no-var': 'error' } }];\n"),
        ("src/store/db.ts", "export const db = new Map();\n"),
        (
            "src/domain/user.ts",
            "import { db } from \"../store/db\";\n\nexport const user = db.get(\"user\");\n",
        ),
        ("src/import.ts", "const text = load();\nconst user = legacyParse(text);\n"),
    ]);
    let ran = project.run(&["rule", "suggest"]).ends(0);
    let block = format!("```console\n$ aidd rule suggest\n{}\n```\n", ran.out.trim_end());
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/writing-rules.md");
    let page = std::fs::read_to_string(page).expect("text").replace("\r\n", "\n");
    assert!(page.contains(&block), "docs/writing-rules.md does not show:\n{block}");
}
