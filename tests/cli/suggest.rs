//! Tests of `aidd rule suggest` and `aidd rule coverage`.

use crate::cli::support::Project;
use insta::assert_snapshot;

const PAGE: &str = "---
severity: warning
message: \"`legacyParse()` is slow: use `parse()`\"
check: { syntax: { language: [typescript], rule: { pattern: 'legacyParse($$$ARGS)' } } }
---
# team/no-legacy-parse

Never call `legacyParse()`; it is slow.

## Fails

```ts
const user = legacyParse(text);
```

```finding
1:14 legacyParse(text)
```

## Passes

```ts
const user = parse(text);
```
";

fn project() -> Project {
    Project::new(&[
        (".aidd/config.json", r#"{"rules": {"repository/*": "off"}}"#),
        ("eslint.config.js", "export default [{ rules: { 'no-var': 'error' } }];\n"),
        (
            "AGENTS.md",
            "# Working here\n\n- Never call `legacyParse()`; it is slow.\n- Never use `var`.\n\
             - Write good code, always.\n- Never use `any`.\n- Never hard-code passwords.\n",
        ),
        ("src/a.ts", "const text = load();\nconst user = legacyParse(text);\n"),
        ("src/b.ts", "export const b = 2;\n"),
        ("draft.md", PAGE),
    ])
}

#[test]
fn sentences_of_documents_are_listed_with_the_rules_that_enforce_them() {
    let output = project().run(&["rule", "suggest"]).expect_code(0);
    assert_snapshot!(output.out, @r#"
    5 sentences: 1 enforced, 1 enforced by other tools, 1 covered by disabled rules, 2 not enforced
    AGENTS.md:3  Never call `legacyParse()`; it is slow.
      enforced    no
    AGENTS.md:4  Never use `var`.
      enforced    by eslint/no-var (eslint.config.js)
    AGENTS.md:5  Write good code, always.
      enforced    no
    AGENTS.md:6  Never use `any`.
      off         compliance/any-type
      turn on     "rules": {"compliance/any-type": "warning"} in .aidd/config.json, or the pack "typescript-strict" in "compliance"
    AGENTS.md:7  Never hard-code passwords.
      enforced    by secrets/*
    "#);
    assert_snapshot!(output.err, @r#"
    1 document read
    `aidd rule suggest "SENTENCE"` shows which forms of check could enforce a sentence
    "#);
    let coverage = project().run(&["rule", "coverage"]).expect_code(0);
    assert_snapshot!(coverage.out, @"
    document   sentences  enforced  by other tools  rule disabled  not enforced
    AGENTS.md          5         1               1              1             2
    all                5         1               1              1             2
    ");
    assert_snapshot!(coverage.err, @"
    5 sentences: 1 enforced, 1 enforced by other tools, 1 covered by disabled rules, 2 not enforced
    1 document read
    ");
}

#[test]
fn a_sentence_can_be_an_argument_or_standard_input() {
    let project = project();
    let sentence = "Never call legacyParse()";
    let output = project.run(&["rule", "suggest", sentence]).expect_code(0);
    assert_snapshot!(output.out, @r#"
    Never call `legacyParse()`; it is slow.
      stated in   AGENTS.md:3
      enforced    no
      draft       none; write the page yourself, or start from `aidd rule new ID --form FORM`
      page        .aidd/rules/never-call-legacyparse-it-is.md

    Forms (a header has `severity`, `message` and one of these):
      text         words, markers and comments, by a regular expression; `in` limits it to comments or prose
                   check: { files: ['*.ts'], text: { regex: '\bTODO\b', keywords: [TODO] } }
      syntax       calls, imports and other constructs of code, by an ast-grep rule
                   check: { syntax: { language: [typescript], rule: { pattern: 'eval($$$ARGS)' } } }
      tree         which files exist, their size, sibling files
                   check: { tree: { each: 'src/**/*.ts', exists: '<dir>/<stem>.test.ts' } }
      name         how files and directories are named
                   check: { tree: { each: 'src/**/*.ts', name: [kebab] } }
      data         values in JSON, YAML, TOML and front matter
                   check: { files: [tsconfig.json], data: { at: '$.compilerOptions.strict', equals: true } }
      layers       which part of the code imports which part or package
                   check: { layers: { forbid: [{ from: 'src/**', to: 'npm:moment' }] } }
      dependencies dependencies that no file uses, imports that no manifest declares
                   check: { dependencies: { report: undeclared } }
      doc          headings and sections of Markdown documents
                   check: { files: ['docs/adr/*.md'], doc: { headings: ['*', '## Status', '*'] } }
      commit       commit messages, branch names, files that change together
                   check: { commit: { subject: { max: 72 } } }
      enforced-by  requirements that a linter of the project already enforces
                   enforced-by: eslint/no-console
    "#);
    assert_snapshot!(output.err, @"write a rule page, then run `aidd rule suggest --draft FILE`");
    let piped =
        project.run_with(b"Never call\n legacyParse()\n", &["rule", "suggest", "-"]).expect_code(0);
    assert_eq!(piped.out, output.out);
    let certain = project.run(&["rule", "suggest", "Keep to compliance/any-type"]).expect_code(0);
    assert_snapshot!(certain.out, @r#"
    Keep to compliance/any-type
      stated in   not in a document
      off         compliance/any-type
      turn on     "rules": {"compliance/any-type": "warning"} in .aidd/config.json, or the pack "typescript-strict" in "compliance"
    "#);
    let korean = project.run(&["rule", "suggest", "console.log를 사용하지 마세요"]).expect_code(0);
    assert_snapshot!(korean.out, @r#"
    console.log를 사용하지 마세요
      stated in   not in a document
      off         compliance/debug-output
      turn on     "rules": {"compliance/debug-output": "warning"} in .aidd/config.json, or the pack "clean-code" in "compliance"
    "#);
}

#[test]
fn a_draft_is_validated_tested_and_then_enforced() {
    let project = project();
    let sentence = "Never call legacyParse()";
    let output = project.run(&["rule", "suggest", sentence, "--draft", "draft.md"]).expect_code(0);
    assert_snapshot!(output.out, @"
    valid: team/no-legacy-parse (save it as .aidd/rules/no-legacy-parse.md)
      examples    1 under `## Fails`, 1 under `## Passes`
      trial       1 finding in 1 of 2 checked items
                  src/a.ts:2  const user = legacyParse(text);
      severity    warning: few places break the rule: fix them, or run `aidd baseline write`
    ");
    let piped =
        project.run_with(PAGE.as_bytes(), &["rule", "suggest", "--draft", "-"]).expect_code(0);
    assert_eq!(piped.out, output.out);
    assert!(!project.path().join(".aidd/rules").exists());
    project.write(".aidd/rules/no-legacy-parse.md", PAGE);
    project.run(&["rule", "test"]).expect_code(0);
    let checked = project.run(&["check", "--fail-on", "warning", "."]).expect_code(1);
    assert!(checked.out.contains("team/no-legacy-parse"), "{}", checked.out);
    let listed = project.run(&["rule", "suggest", sentence]).expect_code(0);
    assert!(listed.out.contains("by team/no-legacy-parse"), "{}", listed.out);
}

#[test]
fn problems_in_a_draft_are_reported_with_line_and_remedy() {
    let project = project();
    project.write("draft.md", PAGE.replace("pattern:", "patern:"));
    let output = project.run(&["rule", "suggest", "--draft", "draft.md"]).expect_code(1);
    assert_snapshot!(output.out, @"
    not valid: team/no-legacy-parse (.aidd/rules/no-legacy-parse.md)
      line 4: unknown key `patern` in the rule; did you mean `pattern`?
        correct the value of `syntax`
    ");
    project.write("draft.md", PAGE.replace("1:14", "1:15"));
    let output = project.run(&["rule", "suggest", "--draft", "draft.md"]).expect_code(1);
    assert_snapshot!(output.out, @r#"
    not valid: team/no-legacy-parse (.aidd/rules/no-legacy-parse.md)
      line 12: expected `1:15 legacyParse(text)`, found `1:14 legacyParse(text)`
        correct the example, or the `finding` block after it (`line:column text`)
      examples    1 under `## Fails`, 1 under `## Passes`
      trial       1 finding in 1 of 2 checked items
                  src/a.ts:2  const user = legacyParse(text);
      severity    warning: few places break the rule: fix them, or run `aidd baseline write`
    "#);
}

#[test]
fn json_output_matches_text_output() {
    let project = project();
    let json = |args: &[&str]| {
        let output =
            project.run(&[&["rule", "suggest", "--format", "json"], args].concat()).expect_code(0);
        serde_json::from_str::<serde_json::Value>(&output.out).expect("JSON")
    };
    let all = json(&["AGENTS.md"]);
    assert_eq!(all["count"]["sentences"], 5);
    assert_eq!(all["sentences"][1]["coverage"]["status"], "elsewhere");
    let statement = json(&["Never call legacyParse()"]);
    assert_eq!(statement["statement"]["places"][0]["line"], 3);
    assert_eq!(statement["statement"]["coverage"]["status"], "open");
    assert_eq!(statement["forms"][1]["form"], "syntax");
    let draft = json(&["--draft", "draft.md"]);
    assert_eq!(draft["draft"]["valid"], true);
    assert_eq!(draft["draft"]["trial"]["samples"][0]["path"], "src/a.ts");
}

#[test]
fn hostile_input_is_rejected_or_escaped() {
    let project = project();
    let piped = |text: &[u8], args: &[&str], code: i32| {
        project.run_with(text, &[&["rule", "suggest"], args].concat()).expect_code(code)
    };
    let long = "never ".repeat(180_000);
    assert_snapshot!(piped(long.as_bytes(), &["-"], 2).err, @"
    error: standard input is larger than 1024 KiB
    hint: pass one sentence of at most 2000 characters, or one page
    ");
    assert_snapshot!(piped(&[b'a'; 900_000], &["-"], 2).err, @"
    error: the sentence has more than 2000 characters
    hint: pass one sentence at a time, or the path of a document
    ");
    assert_snapshot!(piped(b"", &["-"], 2).err, @"
    error: the sentence is empty
    hint: state a requirement, for example: Never use `eval()`
    ");
    assert_snapshot!(piped(b"", &["-", "--draft", "-"], 2).err, @"
    error: standard input cannot be both sentence and draft
    hint: pass a file for one of them
    ");
    let escaped = piped("Never\u{1b}]0;x\u{7} \u{202e}panic\r\n".as_bytes(), &["-"], 0);
    assert!(!escaped.out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{:?}", escaped.out);
    piped(&[0xFF, 0xFE, 0, b'a'], &["-"], 0);
    piped(b"\x1b[31m\0", &["--draft", "-"], 1);
}

#[test]
fn unreadable_input_is_an_error() {
    let project = project();
    let error =
        |args: &[&str]| project.run(&[&["rule", "suggest"], args].concat()).expect_code(2).err;
    assert_snapshot!(error(&["gone.md"]), @"
    error: gone.md: no such file
    hint: pass a document of the project, or a sentence in quotes
    ");
    assert_snapshot!(error(&["never", "use", "moment"]), @"
    error: never: no such file
    hint: pass a document of the project, or a sentence in quotes
    ");
    assert_snapshot!(error(&["AGENTS.md", "--draft", "draft.md"]), @"
    error: `--draft` cannot be combined with documents
    hint: pass a sentence in quotes, or no argument
    ");
    let outside = project.run(&["rule", "suggest", "/"]).expect_code(2);
    assert!(outside.err.contains("is not in the project"), "{}", outside.err);
    project.run(&["rule", "suggest", "--draft", "gone.md"]).expect_code(2);
    let empty = Project::new(&[("a.txt", "")]);
    let output = empty.run(&["rule", "suggest"]).expect_code(0);
    assert!(output.err.contains("no documents found"), "{}", output.err);
}

#[test]
fn the_documentation_shows_the_actual_output() {
    let project = Project::new(&[
        (
            "AGENTS.md",
            "# Working here\n\n- Never call `legacyParse()`; use `parse()`.\n- Never use `var`.\n\
             - Never use `any`.\n- Never hard-code passwords.\n- Ask before you add a dependency, always.\n",
        ),
        ("eslint.config.js", "export default [{ rules: { 'no-var': 'error' } }];\n"),
        ("src/import.ts", "const text = load();\nconst user = legacyParse(text);\n"),
        ("draft.md", PAGE),
    ]);
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/writing-rules.md");
    let page = std::fs::read_to_string(page).expect("text").replace("\r\n", "\n");
    let sentence = "Never call legacyParse()";
    for (arguments, args) in [
        ("", vec![]),
        (" \"Never call legacyParse()\"", vec![sentence]),
        (" \"Never call legacyParse()\" --draft draft.md", vec![sentence, "--draft", "draft.md"]),
    ] {
        let output = project.run(&[vec!["rule", "suggest"], args].concat()).expect_code(0);
        let block =
            format!("```console\n$ aidd rule suggest{arguments}\n{}\n```\n", output.out.trim_end());
        assert!(page.contains(&block), "docs/writing-rules.md does not show:\n{block}");
    }
}
