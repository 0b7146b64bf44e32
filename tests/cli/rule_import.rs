//! Compares the pages of `aidd rule import` with the tools themselves: the directories under
//! `tests/fixtures/import` contain a configuration, files that violate it, and the tool's result.

use crate::cli::support::Project;
use aidd_engine::check::Selection;
use aidd_engine::forms::commits::{Commit, CommitInput};
use aidd_engine::text::files::Memory;
use aidd_engine::workspace::commit_checks;
use insta::assert_snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Findings as rule, path and line; line 0 is the whole file.
type Found = BTreeSet<(String, String, u64)>;

/// A copy of a fixture, and the lines of its result.
fn fixture(tool: &str) -> (Project, Vec<String>) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(tool);
    let project = Project::new(&[]);
    let mut verdict = Vec::new();
    let mut remaining = vec![from.clone()];
    while let Some(folder) = remaining.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                remaining.push(path);
                continue;
            }
            let name = path
                .strip_prefix(&from)
                .expect("a path in the directory")
                .to_string_lossy()
                .replace('\\', "/");
            let bytes = fs::read(&path).expect("read");
            if name == "verdict" {
                let text = String::from_utf8(bytes).expect("text");
                verdict = text.lines().skip(1).map(str::to_owned).collect();
            } else {
                project.write(&name, bytes);
            }
        }
    }
    assert!(!verdict.is_empty(), "{tool}: empty verdict file");
    (project, verdict)
}

fn verdict(lines: &[String]) -> Found {
    let row = |line: &String| {
        let mut words = line.rsplitn(3, ' ');
        let line = words.next().and_then(|line| line.parse().ok()).expect("a line");
        let path = words.next().expect("a path").to_owned();
        (words.next().expect("a rule").to_owned(), path, line)
    };
    lines.iter().map(row).collect()
}

/// The findings of the imported pages: the second part of the id, path, line.
fn aidd_findings(project: &Project, tool: &str) -> Found {
    let only = format!("{tool}/*");
    let output = project.run(&["check", ".", "--only", &only, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&output.out).expect("JSON");
    let row = |finding: &serde_json::Value| {
        let rule = finding["rule"].as_str().and_then(|rule| rule.split_once('/')).expect("an id").1;
        let path = finding["path"].as_str().expect("a path").to_owned();
        (rule.to_owned(), path, finding["start"]["line"].as_u64().expect("a line"))
    };
    let found = report["findings"].as_array().expect("findings").iter().map(row);
    // The pages themselves did not exist when the tool ran.
    found.filter(|(_, path, _)| !path.starts_with(".aidd/")).collect()
}

/// The differences by rule and path. A tool's finding on a directory or on the project matches a
/// finding on a file within it; some tools only report the first of several lines.
fn diff_findings(theirs: &Found, ours: &Found) -> Vec<String> {
    type Row = (String, String, u64);
    let matches = |(rule, path, line): &Row, ours: &Row| {
        let is_within = path == "." || ours.1 == *path || ours.1.starts_with(&format!("{path}/"));
        ours.0 == *rule && is_within && (*line == 0 || ours.2 == *line)
    };
    let missed = theirs.iter().filter(|their| !ours.iter().any(|our| matches(their, our)));
    let more = ours.iter().filter(|our| {
        !theirs.iter().any(|their| matches(&(their.0.clone(), their.1.clone(), 0), our))
    });
    let render = |sign: &str, (rule, path, line): &Row| format!("{sign} {rule} {path}:{line}");
    missed.map(|row| render("missed", row)).chain(more.map(|row| render("more", row))).collect()
}

#[test]
fn alint_and_the_imported_pages_have_the_same_findings() {
    let (project, theirs) = fixture("alint");
    let output = project.run(&["rule", "import"]).expect_code(0);
    assert_snapshot!(output.out, @"
    .alint.yml (alint)
      wrote .aidd/rules/alint/adr-filename-pattern.md
      wrote .aidd/rules/alint/adr-has-context-section.md
      wrote .aidd/rules/alint/adr-has-status-section.md
      wrote .aidd/rules/alint/adr-name.md
      wrote .aidd/rules/alint/adr-only.md
      wrote .aidd/rules/alint/adr-sections.md
        differs: headings deeper than all listed ones are not checked
      wrote .aidd/rules/alint/alt.md
      wrote .aidd/rules/alint/ascii.md
      wrote .aidd/rules/alint/bash.md
      wrote .aidd/rules/alint/docs-there.md
      wrote .aidd/rules/alint/each-package.md
      wrote .aidd/rules/alint/edition.md
      wrote .aidd/rules/alint/fragments.md
      wrote .aidd/rules/alint/go-only.md
      wrote .aidd/rules/alint/header-pair.md
      wrote .aidd/rules/alint/licence-field.md
      wrote .aidd/rules/alint/licence-text.md
      wrote .aidd/rules/alint/links.md
      wrote .aidd/rules/alint/markers.md
      wrote .aidd/rules/alint/no-backups.md
      wrote .aidd/rules/alint/no-postinstall.md
      wrote .aidd/rules/alint/no-println.md
      wrote .aidd/rules/alint/no-tmp.md
      wrote .aidd/rules/alint/no-trailing.md
      wrote .aidd/rules/alint/not-a-stub.md
      wrote .aidd/rules/alint/not-empty.md
      wrote .aidd/rules/alint/package-readme.md
      wrote .aidd/rules/alint/pinned.md
      wrote .aidd/rules/alint/readme.md
      wrote .aidd/rules/alint/reviewed.md
      wrote .aidd/rules/alint/security.md
      wrote .aidd/rules/alint/shallow.md
      wrote .aidd/rules/alint/short.md
      wrote .aidd/rules/alint/small.md
      wrote .aidd/rules/alint/snake.md
      wrote .aidd/rules/alint/spdx.md
      wrote .aidd/rules/alint/strict.md
      wrote .aidd/rules/alint/unique-stem.md
      wrote .aidd/rules/alint/width.md
      wrote .aidd/rules/alint/workflow-name.md
      not imported:
        same-version: it compares values of several files; write a rule page with a `data` check and `same`
        domain: it matches imports with a custom expression; write a rule page with a `layers` check and `forbid`
        dead-symlink: links and file modes are left to Git and the operating system
    ");
    project.run(&["rule", "test"]).expect_code(0);
    // `domain` and `same-version` are not imported. Of two files with the same name, alint reports
    // the first, aidd the second.
    assert_snapshot!(diff_findings(&verdict(&theirs), &aidd_findings(&project, "alint")).join("\n"), @"
    missed adr-sections docs/adr/Second.md:1
    missed domain src/domain/a.ts:1
    missed same-version packages/b/package.json:0
    missed unique-stem src/app/main.rs:0
    more unique-stem src/main.rs:1
    ");
}

#[test]
fn ls_lint_and_the_imported_pages_have_the_same_findings() {
    let (project, theirs) = fixture("ls-lint");
    let output = project.run(&["rule", "import"]).expect_code(0);
    assert_snapshot!(output.out, @"
    .ls-lint.yml (ls-lint)
      wrote .aidd/rules/ls-lint/any-ts.md
      wrote .aidd/rules/ls-lint/any.md
      wrote .aidd/rules/ls-lint/folders.md
      wrote .aidd/rules/ls-lint/lib-all-js.md
      wrote .aidd/rules/ls-lint/md-count.md
      wrote .aidd/rules/ls-lint/md.md
      wrote .aidd/rules/ls-lint/packages-any-dir.md
      wrote .aidd/rules/ls-lint/packages-any-src-tsx.md
      wrote .aidd/rules/ls-lint/packages-any-ts.md
      wrote .aidd/rules/ls-lint/spec-ts.md
      wrote .aidd/rules/ls-lint/sql.md
      wrote .aidd/rules/ls-lint/ts.md
    ");
    project.run(&["rule", "test"]).expect_code(0);
    // ls-lint reports an extension; pages for one extension have the directory in their name.
    let paths = |found: &Found| -> BTreeSet<String> {
        found.iter().map(|(_, path, _)| path.clone()).collect()
    };
    let found = aidd_findings(&project, "ls-lint");
    let (count, names): (Found, Found) =
        found.into_iter().partition(|(rule, ..)| rule.ends_with("-count"));
    let theirs = verdict(&theirs);
    let (exists, others): (Found, Found) =
        theirs.into_iter().partition(|(rule, ..)| rule.ends_with('!'));
    assert_eq!(paths(&names), paths(&others));
    assert_eq!((count.len(), exists.len()), (1, 1));
}

#[test]
fn ast_grep_and_the_imported_pages_have_the_same_findings() {
    let (project, theirs) = fixture("ast-grep");
    let output = project.run(&["rule", "import"]).expect_code(0);
    assert_snapshot!(output.out, @"
    sgconfig.yml (ast-grep)
      wrote .aidd/rules/ast-grep/no-await-in-loop.md
      wrote .aidd/rules/ast-grep/no-console.md
      wrote .aidd/rules/ast-grep/no-eval.md
      not imported:
        no-console: metadata: a page has `tags` and `sources`; other data about a rule is dropped
        swift-thing: `swift` is not a built-in language; expected one of bash, c, csharp, css, go, html, java, javascript, json, php, python, ruby, rust, tsx, typescript, yaml
        with-rewriters: a `syntax` check has no `rewriters`
    ");
    assert_snapshot!(project.read(".aidd/rules/ast-grep/no-console.md"), @"
    ---
    severity: error
    message: '`console.<METHOD>` is left over from debugging'
    help: 'Use the logger.'
    sources: ['https://example.org/no-console']
    check:
      files: ['src/**']
      exclude: ['src/cli/**', '*.tsx']
      syntax:
        language: [typescript]
        rule:
          pattern: 'console.$METHOD($$$ARGS)'
        constraints:
          METHOD:
            regex: '^(log|debug)$'
        fix: 'logger.$METHOD($$$ARGS)'
        labels:
          METHOD: 'this one'
    ---
    # ast-grep/no-console

    Code in typescript MUST NOT match `no-console`.

    `console.METHOD` is left over from debugging.

    Use the logger.

    It knows where the lines go.

    Imported from `rules/no-console.yml`, where ast-grep calls it `no-console`.

    ## Fails

    ```ts path=src/example.ts
    console.log(a)
    ```

    ```finding
    1:1 console.log(a)
    ```

    ```ts path=src/example.ts
    function f() {
      console.debug(1, 2)
    }
    ```

    ```finding
    2:3 console.debug(1, 2)
    ```

    ## Passes

    ```ts path=src/example.ts
    logger.info(a)
    ```

    ```ts path=src/example.ts
    console.error(a)
    ```

    ## Fixed

    ```ts
    logger.log(a)
    ```

    ```ts
    function f() {
      logger.debug(1, 2)
    }
    ```
    ");
    project.run(&["rule", "test", "ast-grep/no-console", "ast-grep/no-eval"]).expect_code(0);
    assert_eq!(diff_findings(&verdict(&theirs), &aidd_findings(&project, "ast-grep")), [""; 0]);
}

#[test]
fn markdownlint_and_the_imported_pages_have_the_same_findings() {
    let (project, theirs) = fixture("markdownlint");
    let output = project.run(&["rule", "import"]).expect_code(0);
    assert_snapshot!(output.out, @"
    .markdownlint.jsonc (markdownlint)
      wrote .aidd/rules/markdownlint/md011-no-reversed-links.md
      wrote .aidd/rules/markdownlint/md018-no-missing-space-atx.md
      wrote .aidd/rules/markdownlint/md024-no-duplicate-heading.md
      wrote .aidd/rules/markdownlint/md025-single-title.md
        differs: a second one is reported wherever the first is; in markdownlint the first must begin the document
        differs: a title in the front matter does not count as a heading
      wrote .aidd/rules/markdownlint/md026-no-trailing-punctuation.md
      wrote .aidd/rules/markdownlint/md033-no-inline-html.md
      wrote .aidd/rules/markdownlint/md034-no-bare-urls.md
      wrote .aidd/rules/markdownlint/md036-no-emphasis-as-heading.md
        differs: a fully bold line of a longer paragraph is reported too
      wrote .aidd/rules/markdownlint/md041-first-line-heading.md
      wrote .aidd/rules/markdownlint/md042-no-empty-links.md
      wrote .aidd/rules/markdownlint/md044-proper-names.md
        differs: names in HTML are not checked
      wrote .aidd/rules/markdownlint/md045-no-alt-text.md
      wrote .aidd/rules/markdownlint/md051-link-fragments.md
        differs: links to headings of other files are checked too
      wrote .aidd/rules/markdownlint/md052-reference-links-images.md
      wrote .aidd/rules/markdownlint/md053-link-image-reference-definitions.md
        differs: a second definition of a name is not reported
      wrote .aidd/rules/markdownlint/md059-descriptive-link-text.md
      not imported:
        MD001 heading-increment: covered by a built-in rule; instead: `compliance/heading-jump`, enabled by the pack `docs`
        MD013 line-length, 31 style rules that are enabled by default (MD003, MD004, MD005, MD007, MD009, MD010, MD012, MD014, MD019, MD020, MD021, MD022, MD023, MD027, MD028, MD029, MD030, MD031, MD032, MD035, MD037, MD038, MD039, MD047, MD048, MD049, MD050, MD054, MD055, MD058, MD060): layout is the job of a formatter and needs no rule
        MD040 fenced-code-language: covered by a built-in rule; instead: `compliance/unnamed-code-block`, enabled by the pack `docs`
        MD056 table-column-count: no form checks tables
    ");
    project.run(&["rule", "test"]).expect_code(0);
    let theirs: Vec<String> = theirs
        .into_iter()
        // These rules are covered by built-in rules.
        .filter(|line| !["MD001", "MD040"].iter().any(|rule| line.starts_with(rule)))
        .collect();
    let ours: Found = aidd_findings(&project, "markdownlint")
        .into_iter()
        .map(|(rule, path, line)| (rule[..5].to_uppercase(), path, line))
        .collect();
    assert_snapshot!(diff_findings(&verdict(&theirs), &ours).join("\n"), @"");
}

#[test]
fn commitlint_and_the_imported_pages_have_the_same_findings() {
    let (project, theirs) = fixture("commitlint");
    let output = project.run(&["rule", "import"]).expect_code(0);
    assert_snapshot!(output.out, @"
    commitlint.config.js (commitlint)
      wrote .aidd/rules/commitlint/body-case.md
        differs: trailers (`Name: text` at the end) are not part of the body
      wrote .aidd/rules/commitlint/body-max-line-length.md
        differs: body and footers are checked in the same way; lines that cannot be wrapped (a URL, one long word) and sign-off lines are skipped
      wrote .aidd/rules/commitlint/conventional.md
        differs: a first line with only a version is checked too
        differs: `body-leading-blank` has the severity of the other rules
      wrote .aidd/rules/commitlint/footer-leading-blank.md
        differs: only footers on breaking changes, and references to issues at the beginning of a line, are reported
      wrote .aidd/rules/commitlint/header-max-length.md
        differs: the number of a pull request at the end, ` (#12)`, is not counted
      wrote .aidd/rules/commitlint/header-trim.md
      wrote .aidd/rules/commitlint/scope-case.md
      wrote .aidd/rules/commitlint/subject-case.md
      wrote .aidd/rules/commitlint/subject-exclamation-mark.md
      wrote .aidd/rules/commitlint/subject-full-stop.md
      wrote .aidd/rules/commitlint/subject-max-length.md
      wrote .aidd/rules/commitlint/subject-min-length.md
      not imported:
        `ignores[0]` (line 5): `(message) => message.startsWith('WIP')`: not a literal; code of the repository is never run
        local-plugin-rule: not a rule of commitlint 21; a plugin can define it
    ");
    project.run(&["rule", "test"]).expect_code(0);
    assert_snapshot!(diff_on_messages(&project, &theirs).join("\n"), @"");
}

#[test]
fn commitlint_with_a_custom_parser_and_the_imported_pages_have_the_same_findings() {
    let (project, theirs) = fixture("commitlint-parser");
    let output = project.run(&["rule", "import"]).expect_code(0);
    assert_snapshot!(output.out, @r#"
    commitlint.config.mjs (commitlint)
      wrote .aidd/rules/commitlint/body-case.md
        differs: trailers (`Name: text` at the end) are not part of the body
      wrote .aidd/rules/commitlint/body-full-stop.md
        differs: trailers (`Name: text` at the end) are not part of the body
      wrote .aidd/rules/commitlint/body-max-length.md
        differs: trailers (`Name: text` at the end) are not part of the body
      wrote .aidd/rules/commitlint/body-min-length.md
        differs: trailers (`Name: text` at the end) are not part of the body
      wrote .aidd/rules/commitlint/first-line.md
      wrote .aidd/rules/commitlint/header-case.md
      wrote .aidd/rules/commitlint/header-max-length.md
        differs: the number of a pull request at the end, ` (#12)`, is not counted
      wrote .aidd/rules/commitlint/references-empty.md
      not imported:
        subject-case, subject-max-length: unsupported with the custom `headerPattern` `^(\w+)(?:\((\w[\w/-]*)\))? - (.+)$`: only forbidden cases are imported and, if `type-empty` and `subject-empty` are `never`, the allowed types and scopes; write a page with `commit: { subject: … }`
    "#);
    project.run(&["rule", "test"]).expect_code(0);
    assert_snapshot!(diff_on_messages(&project, &theirs).join("\n"), @"");
}

/// The messages for which commitlint and the imported pages differ, with the rules.
fn diff_on_messages(project: &Project, theirs: &[String]) -> Vec<String> {
    let messages: Vec<String> =
        serde_json::from_str(&project.read("messages.json")).expect("texts");
    assert_eq!(theirs.len(), messages.len());
    let opened =
        aidd_engine::workspace::project::Project::open(&crate::DISTRIBUTION, project.path(), None)
            .expect("a project");
    let engine = opened.engine(&Selection::default()).expect("an engine");
    // A page can cover several rules.
    let items = |id: &str| -> BTreeSet<String> {
        let page = project.read(&format!(".aidd/rules/{id}.md"));
        let (_, rest) = page.split_once("calls it `").expect("an origin");
        rest.split('`').next().expect("names").split(", ").map(str::to_owned).collect()
    };
    let pages: BTreeMap<String, BTreeSet<String>> = engine
        .registry()
        .rules()
        .iter()
        .filter(|rule| rule.id.starts_with("commitlint/"))
        .map(|rule| (rule.id.to_string(), items(&rule.id)))
        .collect();
    let mut differences = Vec::new();
    for (message, line) in messages.iter().zip(theirs) {
        let work = CommitInput {
            commits: vec![Commit { message: format!("{message}\n"), ..Commit::default() }],
            ..CommitInput::default()
        };
        let report = commit_checks::run(&engine, &work, &Memory::default());
        let found: BTreeSet<&str> = report
            .texts
            .iter()
            .flat_map(|(_, checked)| &checked.findings)
            .map(|finding| &*finding.rule)
            .collect();
        for rule in line.split(' ').skip(1) {
            let has_finding = |(id, items): (&String, &BTreeSet<String>)| {
                items.contains(rule).then(|| found.contains(id.as_str()))
            };
            // Rules without a page are reported by the import.
            if pages.iter().find_map(has_finding) == Some(false) {
                differences.push(format!("{message:?}: {rule} only by commitlint"));
            }
        }
        for id in found {
            if !line.split(' ').skip(1).any(|rule| pages[id].contains(rule)) {
                differences.push(format!("{message:?}: {id} only by its page"));
            }
        }
    }
    differences
}

#[test]
fn a_repeated_import_writes_only_missing_pages() {
    let project = Project::new(&[(".ls-lint.yml", "ls:\n  .ts: kebab-case\n"), ("src/a.ts", "")]);
    let output = project.run(&["rule", "import", "--dry-run"]).expect_code(0);
    assert_snapshot!(output.out, @"
    .ls-lint.yml (ls-lint)
      would write .aidd/rules/ls-lint/ts.md
    ");
    assert!(!project.path().join(".aidd/rules").exists(), "a dry run wrote pages");
    project.run(&["rule", "import"]).expect_code(0);
    let path = ".aidd/rules/ls-lint/ts.md";
    let before = project.read(path);
    let again = project.run(&["rule", "import"]).expect_code(0);
    assert_eq!(again.err, "0 pages written, 1 unchanged; 0 items not imported\n");
    project.write(path, before.replace("severity: error", "severity: info"));
    let output = project.run(&["rule", "import"]).expect_code(1);
    assert!(output.err.contains("1 differ (overwrite with --force)"), "{}", output.err);
    assert!(project.read(path).contains("severity: info"));
    project.run(&["rule", "import", "--force"]).expect_code(0);
    assert_eq!(project.read(path), before);
    // A page with the same id elsewhere would conflict.
    project.remove(path);
    project.write("rules/names.md", &before);
    let output = project.run(&["rule", "import"]).expect_code(1);
    assert!(output.out.contains("another page has the same id"), "{}", output.out);
}

#[test]
fn an_unreadable_configuration_does_not_prevent_other_imports() {
    let project = Project::new(&[
        (".ls-lint.yml", "ls:\n  .ts: [\n"),
        (".markdownlint.json", "{\"default\": false, \"MD045\": true}\n"),
    ]);
    let stderr = project.run(&["rule", "import"]).expect_code(2).err;
    assert!(
        stderr.contains("1 page written") && stderr.contains("error: .ls-lint.yml:"),
        "{stderr}"
    );
    let again = project.run(&["rule", "import", "--from", "markdownlint"]).expect_code(0).err;
    assert!(again.contains("1 unchanged"), "{again}");
}

#[test]
fn an_unsupported_import_is_an_error_with_a_remedy() {
    let project =
        Project::new(&[("odd.yml", "a: 1\n"), ("broken.json", "{"), (".ls-lint.yml", "ls: [a]\n")]);
    let error = |args: &[&str]| project.run(args).expect_code(2).err;
    assert_snapshot!(error(&["rule", "import", "odd.yml"]), @"error: odd.yml is not a known configuration; name its tool: --from alint|commitlint|ls-lint|ast-grep|markdownlint");
    assert_snapshot!(error(&["rule", "import", "broken.json", "--from", "markdownlint"]), @"error: broken.json:1:1: Unterminated object");
    assert_snapshot!(error(&["rule", "import"]), @"error: .ls-lint.yml has no `ls` section with naming rules");
    assert_snapshot!(error(&["rule", "import", "../a.yml"]), @"
    error: ../a.yml is not inside the project
    hint: copy the file into the project first
    ");
    assert_snapshot!(error(&["rule", "import", "gone.yml"]), @"error: gone.yml: no such file");
    assert_snapshot!(error(&["rule", "import", "--to", "docs"]), @"
    error: rules are not read from docs
    hint: pass one of these directories, or a subdirectory of one: rules/, ai/rules/, .aidd/rules/
    ");
    assert_snapshot!(error(&["rule", "import", "--from", "alint"]), @"
    error: no known configuration in the project root
    hint: pass a file: aidd rule import FILE; supported tools: alint, commitlint, ls-lint, ast-grep, markdownlint
    ");
}
