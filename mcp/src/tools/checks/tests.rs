//! Tests the tools as the server calls them: with files, text and a repository.
#![expect(clippy::disallowed_methods, reason = "the tests create a repository with Git")]

mod disabled;

use crate::context::Context;
use crate::tool::{Answer, ToolError};
use crate::tools;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const DOCKERFILE: &str = "FROM debian:12\nRUN cd /tmp && sudo true\nUSER app\n";

fn call(root: &Path, name: &str, arguments: Value) -> Result<Answer<Value>, ToolError> {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let tools = tools::all();
    let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
    tool.call(&Context::at(&crate::DISTRIBUTION, root), arguments)
}

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        fs::write(path, text).expect("written");
    }
    folder
}

fn git(root: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args);
    assert!(git.output().expect("Git runs").status.success(), "{args:?}");
}

#[test]
fn text_is_checked_as_the_file_at_its_intended_path() {
    let folder = project(&[(".aidd/x", "")]);
    let arguments = json!({"content": DOCKERFILE, "limit": 2});
    let answer = call(folder.path(), "aidd_validate_dockerfile", arguments).expect("an answer");
    insta::assert_snapshot!(answer.text, @"
    0 errors, 0 warnings, 3 info in 1 file; the check passes
    info Dockerfile:2:5 dockerfile/cd-instead-of-workdir [e2ccdb38360b0890] `cd` changes the directory for this `RUN` only
      help: Use `WORKDIR`, which also applies to the following instructions
      fix (unsafe): Use WORKDIR
    info Dockerfile:2:16 dockerfile/sudo [7feb405bde191792] `sudo` is not needed in a build
      help: Switch with `USER root` and back, or use `gosu` when the container starts
      fix (unsafe): Remove sudo
    and 1 more; raise `limit` or narrow the path
    reason for dockerfile/cd-instead-of-workdir: The effect of `cd` in a `RUN` ends with that instruction, so every later `RUN`, `COPY` or `CMD` has to repeat it. `WORKDIR` sets the directory once for all following instructions, creates it, and is recorded in the image's configuration.
    reason for dockerfile/sudo: `sudo` in a build changes nothing for root and behaves unpredictably for any other user. It drops environment variables, can prompt for a password, and does not forward signals. `RUN` already runs as the user of the last `USER` instruction.
    ");
    insta::assert_snapshot!(format!("{:#}", answer.data["findings"][0]), @r#"
    {
      "id": "e2ccdb38360b0890",
      "rule": "dockerfile/cd-instead-of-workdir",
      "severity": "info",
      "path": "Dockerfile",
      "start": {
        "line": 2,
        "column": 5,
        "offset": 19
      },
      "end": {
        "line": 2,
        "column": 12,
        "offset": 26
      },
      "message": "`cd` changes the directory for this `RUN` only",
      "help": "Use `WORKDIR`, which also applies to the following instructions",
      "status": "new",
      "fix": {
        "title": "Use WORKDIR",
        "safety": "unsafe",
        "edits": [
          {
            "start": {
              "line": 2,
              "column": 1,
              "offset": 15
            },
            "end": {
              "line": 2,
              "column": 16,
              "offset": 30
            },
            "text": "WORKDIR /tmp\nRUN "
          }
        ]
      }
    }
    "#);
}

#[test]
fn files_and_directories_are_checked() {
    let folder = project(&[(".aidd/x", ""), ("a/Dockerfile", DOCKERFILE), ("b/x.md", "# b\n")]);
    let all = call(folder.path(), "aidd_check_compliance", json!({"filePath": "."}));
    let all = all.expect("an answer").data;
    assert!(all["findings"].as_array().is_some_and(|found| found.len() > 1), "{all}");
    assert_eq!(all["findings"][0]["path"], "a/Dockerfile");
    let some = json!({"filePath": "a", "ruleCategories": ["secrets", "mermaid/*"]});
    let some = call(folder.path(), "aidd_check_compliance", some).expect("an answer");
    assert!(
        some.text.starts_with("no findings in 1 file; the enabled rules pass\nnote: disabled: ")
            && some.text.contains(" mermaid rules of `mermaid/*` (mermaid/experimental-type, "),
        "{}",
        some.text
    );
    assert_eq!(some.data["passes"], true);
    let some = json!({"filePath": "a", "ruleCategories": ["secrets"]});
    let some = call(folder.path(), "aidd_check_compliance", some).expect("an answer");
    assert_eq!(some.text, "no findings in 1 file; the check passes");
}

#[test]
fn a_secret_is_reported_but_not_shown() {
    let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    let folder = project(&[(".aidd/x", "")]);
    let arguments = json!({"content": format!("token = {token}\n")});
    let answer = call(folder.path(), "aidd_scan_secrets", arguments).expect("an answer");
    assert_eq!(answer.data["passes"], false);
    assert_eq!(answer.data["findings"][0]["start"]["column"], 9);
    assert!(!answer.text.contains(&token) && !answer.data.to_string().contains(&token));
}

#[test]
fn missing_paths_and_paths_outside_the_project_are_errors() {
    let folder = project(&[(".aidd/x", "")]);
    let error_text = |name: &str, arguments: Value| {
        call(folder.path(), name, arguments).expect_err("refused").to_string()
    };
    insta::assert_snapshot!(error_text("aidd_scan_secrets", json!({})), @"
    expected `filePath` or `content`
    hint: pass a file or directory relative to the project root (`.` for all), or text
    ");
    insta::assert_snapshot!(error_text("aidd_check_compliance", json!({"content": "x"})), @"
    `filePath` is missing: which rules apply to `content` depends on its path
    hint: pass the intended path, such as src/api/user.ts
    ");
    insta::assert_snapshot!(error_text("aidd_scan_secrets", json!({"filePath": "../x"})), @"
    ../x is not in the project
    hint: paths are relative to the project root
    ");
    insta::assert_snapshot!(error_text("aidd_scan_secrets", json!({"filePath": "gone"})), @"
    gone: no such file
    hint: paths are relative to the project root
    ");
    insta::assert_snapshot!(
        error_text("aidd_check_compliance", json!({"filePath": ".", "ruleCategories": ["secret/*"]})), @"
    unknown rule `secret/*`; did you mean `secrets/*`?
    hint: run `aidd rule list` to list all rules
    hint: correct `ruleCategories`
    ");
    let gone = error_text("aidd_ci_diff_check", json!({"base": "gone"}));
    assert!(
        gone.ends_with(
            "is not in a Git repository\nhint: use aidd_check_compliance with \
             `filePath` to check files without Git"
        ),
        "{gone}"
    );
}

#[test]
fn changes_are_checked_as_in_the_pull_request() {
    let folder = project(&[("a/Dockerfile", DOCKERFILE)]);
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    git(root, &["add", "."]);
    git(root, &["commit", "-qm", "feat: a"]);
    let unchanged = call(root, "aidd_ci_diff_check", json!({})).expect("an answer");
    assert_eq!(unchanged.data["findings"], json!([]));
    fs::write(root.join("a/Dockerfile"), format!("{DOCKERFILE}RUN sudo false\n")).expect("written");
    fs::write(root.join("Dockerfile"), "FROM debian:12\nUSER app\nRUN sudo true\n")
        .expect("written");
    let changed = call(root, "aidd_ci_diff_check", json!({"base": "HEAD"})).expect("an answer");
    let found = changed.data["findings"].as_array().expect("a list");
    let paths: Vec<&str> = found.iter().filter_map(|found| found["path"].as_str()).collect();
    assert!(paths.contains(&"Dockerfile") && paths.contains(&"a/Dockerfile"), "{paths:?}");
    assert!(changed.data["summary"]["preExisting"].as_u64() > Some(0), "{}", changed.data);
    let arguments = json!({"changedFiles": ["a"]});
    let selected = call(root, "aidd_ci_diff_check", arguments).expect("an answer").data;
    let found = selected["findings"].as_array().expect("a list");
    assert!(found.iter().all(|found| found["path"] == "a/Dockerfile") && !found.is_empty());
    let report = call(root, "aidd_ci_report", json!({})).expect("an answer");
    assert!(report.text.contains("a/Dockerfile"), "{}", report.text);
    let json = call(root, "aidd_ci_report", json!({"format": "json"})).expect("an answer");
    let read: Value = serde_json::from_str(&json.text).expect("JSON");
    assert_eq!(read["schemaVersion"], 1);
    let policy = call(root, "aidd_ci_report", json!({"policy": true})).expect("an answer");
    assert_eq!(policy.data.get("fails"), None);
    assert!(policy.text.contains("error"), "{}", policy.text);
}

/// A repository whose first commit is on `branch`.
fn repository(branch: &str) -> tempfile::TempDir {
    let folder = project(&[("x.md", "# x\n")]);
    git(folder.path(), &["init", "-q", "-b", branch]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "feat: x"]);
    folder
}

#[test]
fn without_a_main_branch_the_base_is_not_guessed() {
    let folder = repository("trunk");
    let root = folder.path();
    git(root, &["checkout", "-qb", "feat/x"]);
    let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    fs::write(root.join("y.txt"), format!("token = {token}\n")).expect("written");
    git(root, &["add", "."]);
    git(root, &["commit", "-qm", "feat: y"]);
    let error_text = |tool: &str| call(root, tool, json!({})).expect_err("refused").to_string();
    insta::assert_snapshot!(error_text("aidd_ci_diff_check"), @"
    no main branch found: there is no origin/HEAD, origin/main, origin/master, main or master, nor a branch named by the repository's `init.defaultBranch`
    hint: pass `base`, the target branch; `HEAD` compares only with the last commit
    ");
    assert_eq!(error_text("aidd_ci_report"), error_text("aidd_ci_diff_check"));
    let named = call(root, "aidd_ci_diff_check", json!({"base": "trunk"})).expect("an answer");
    assert_eq!(named.data["passes"], false);
    git(root, &["config", "init.defaultBranch", "trunk"]);
    let reported = call(root, "aidd_ci_diff_check", json!({})).expect("an answer");
    assert_eq!(
        (&reported.data["passes"], &reported.data["base"]),
        (&json!(false), &named.data["base"])
    );
}

#[test]
fn before_the_first_commit_all_findings_are_new() {
    let folder = project(&[("Dockerfile", "FROM debian:12\nUSER app\nRUNN true\n")]);
    git(folder.path(), &["init", "-q", "-b", "trunk"]);
    let answer = call(folder.path(), "aidd_ci_diff_check", json!({})).expect("an answer");
    assert!(
        answer.text.contains("compared with nothing: the repository has no commit yet"),
        "{}",
        answer.text
    );
    assert_eq!(answer.data["passes"], false);
}

#[test]
fn a_cancelled_check_is_an_error() {
    let folder = repository("main");
    let tools = tools::all();
    for (name, arguments) in [
        ("aidd_check_compliance", json!({"filePath": "."})),
        ("aidd_scan_secrets", json!({"filePath": "x.md"})),
        ("aidd_ci_diff_check", json!({})),
        ("aidd_ci_report", json!({})),
    ] {
        let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let context = Context::at(&crate::DISTRIBUTION, folder.path());
        context.cancel();
        let error = tool.call(&context, arguments).expect_err(name);
        assert_eq!(error.to_string(), "cancelled");
    }
}

#[test]
fn skipped_files_are_counted_and_some_of_them_are_listed() {
    let folder = project(&[(".aidd/config.json", "{\"maxFileSize\": 1}")]);
    for name in 0..30 {
        fs::write(folder.path().join(format!("{name}.mmd")), "graph TD\n").expect("written");
    }
    let answer = call(folder.path(), "aidd_check_compliance", json!({"filePath": "."}));
    let answer = answer.expect("an answer");
    assert_eq!(answer.data["skipped"].as_array().map(Vec::len), Some(20));
    assert!(answer.data["summary"]["skipped"].as_u64() >= Some(30), "{}", answer.data["summary"]);
    assert!(answer.text.contains(" more files; narrow the path"), "{}", answer.text);
}

#[test]
fn a_rule_is_explained_by_its_page() {
    let page = "---\nseverity: warning\ncheck:\n  text: { regex: 'foo' }\n---\n# team/no-foo\n\nFoo is old.\n";
    let folder = project(&[(".aidd/rules/no-foo.md", page)]);
    let explained =
        |rule: &str| call(folder.path(), "aidd_explain_violation", json!({"rule": rule}));
    let project_rule = explained("team/no-foo").expect("an answer");
    assert_eq!(project_rule.text, "team/no-foo (warning, .aidd/rules/no-foo.md)\nFoo is old.");
    assert_eq!(project_rule.data["rules"][0]["enabled"], true);
    for name in ["dockerfile/latest-tag", "DL3007", "latest-tag"] {
        let text = explained(name).expect("an answer").text;
        assert!(text.starts_with("dockerfile/latest-tag (warning, also DL3007"), "{text}");
        assert!(text.contains("## Passes"), "{text}");
    }
    let error = explained("latest-tags").expect_err("unknown");
    assert_eq!(error.remedy, "did you mean `dockerfile/latest-tag`?");
    let family = explained("team/*").expect_err("a family");
    assert_eq!(family.message, "`team` is a category, not a rule");
    assert_eq!(family.remedy, "pass one of team/no-foo");
}

#[test]
fn staged_changes_are_listed_for_a_commit_message() {
    let folder = project(&[("README.md", "# A\n"), (".aidd/x", "")]);
    let generate = |folder: &Path| call(folder, "aidd_generate_commit_message", json!({}));
    let none = generate(folder.path()).expect_err("no repository");
    assert_eq!(none.remedy, "create a repository with `git init`");
    git(folder.path(), &["init", "-q"]);
    let none = generate(folder.path()).expect_err("nothing is staged");
    assert_eq!(none.message, "nothing is staged");
    git(folder.path(), &["add", "README.md"]);
    let answer = generate(folder.path()).expect("an answer");
    assert_eq!(answer.data["type"], Value::Null);
    assert_eq!(answer.data["files"][0]["path"], "README.md");
    assert!(answer.text.contains("\n- added README.md (docs, +1 -0)"), "{}", answer.text);
}

const DRAFT: &str = "severity: warning
message: \"`legacyParse()` is slow\"
check: { syntax: { language: [typescript], rule: { pattern: 'legacyParse($$$ARGS)' } } }";

#[test]
fn a_sentence_becomes_a_check_in_two_calls() {
    let folder = project(&[
        (".aidd/x", ""),
        ("src/a.ts", "const text = load();\nconst user = legacyParse(text);\n"),
        ("AGENTS.md", "- Never call `legacyParse()`.\n- Never use `any`.\n"),
    ]);
    let suggest =
        |arguments: Value| call(folder.path(), "aidd_suggest_rule", arguments).expect("an answer");
    let sentence = "Never call legacyParse()";
    let first = suggest(json!({ "sentence": sentence }));
    insta::assert_snapshot!(first.text, @r#"
    Never call `legacyParse()`.
      stated in   AGENTS.md:1
      enforced    no
      draft       none; write the page yourself, or start from `aidd rule new ID --form FORM`
      page        .aidd/rules/never-call-legacyparse.md

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
    Write a rule page and pass it as `draft`, with the sentence.
    "#);
    assert_eq!(first.data["statement"]["places"][0], json!({"path": "AGENTS.md", "line": 1}));
    let second = suggest(json!({"sentence": sentence, "draft": DRAFT}));
    insta::assert_snapshot!(second.text, @r#"
    valid: project/never-call-legacyparse (save it as .aidd/rules/never-call-legacyparse.md)
      examples    0 under `## Fails`, 0 under `## Passes`
      trial       1 finding in 1 of 1 checked items
                  src/a.ts:2  const user = legacyParse(text);
      severity    warning: few places break the rule: fix them, or run `aidd baseline write`
      note        no examples yet: add `## Fails` and `## Passes` before you save the page

    ---
    severity: warning
    message: "`legacyParse()` is slow"
    check: { syntax: { language: [typescript], rule: { pattern: 'legacyParse($$$ARGS)' } } }
    ---
    # project/never-call-legacyparse

    Never call `legacyParse()`.
    "#);
    assert_eq!(second.data["draft"]["trial"]["samples"][0]["line"], 2);
    let invalid = suggest(json!({"draft": DRAFT.replace("pattern", "patern")}));
    insta::assert_snapshot!(invalid.text, @r#"
    not valid: project/draft (.aidd/rules/draft.md)
      line 3: unknown key `patern` in the rule; did you mean `pattern`?
        correct the value of `syntax`

    ---
    severity: warning
    message: "`legacyParse()` is slow"
    check: { syntax: { language: [typescript], rule: { patern: 'legacyParse($$$ARGS)' } } }
    ---
    # project/draft

    State the rule and its reason here.
    "#);
    let page = suggest(json!({"filePath": "AGENTS.md", "limit": 1}));
    insta::assert_snapshot!(page.text, @"
    2 sentences: 0 enforced, 0 enforced by other tools, 1 covered by disabled rules, 1 not enforced
    AGENTS.md:1  Never call `legacyParse()`.
      enforced    no
    note: not listed: 1 more sentence
    ");
    // The server returns the same result.
    let mut client = crate::testing::Client::at(folder.path());
    let params = json!({"sentence": sentence, "draft": DRAFT});
    assert_eq!(client.text("aidd_suggest_rule", params), second.text);
    client.disconnect();
}

#[test]
fn invalid_sentences_and_drafts_are_rejected() {
    let folder = project(&[(".aidd/x", ""), ("a.md", "words\n")]);
    let error_text = |arguments: Value| {
        call(folder.path(), "aidd_suggest_rule", arguments).expect_err("refused").to_string()
    };
    assert!(error_text(json!({})).starts_with("expected `sentence`, `filePath` or `draft`"));
    assert!(
        error_text(json!({"sentence": "a", "filePath": "a.md"})).contains("cannot be combined")
    );
    assert!(
        error_text(json!({"sentence": "x".repeat(1 << 20)})).contains("more than 2000 characters")
    );
    assert!(error_text(json!({"sentence": "\u{1b}\u{202e}"})).contains("the sentence is empty"));
    assert!(error_text(json!({"draft": "x".repeat(1 << 20)})).contains("larger than 256 KiB"));
    assert!(error_text(json!({"filePath": "../a.md"})).contains("outside the project"));
    assert!(error_text(json!({"filePath": "gone.md"})).starts_with("gone.md: "));
    assert!(error_text(json!({"filePath": "a.md"})).contains("`a.md` contains no requirement"));
}

/// If an agent guesses the name of a category or a rule, the error suggests similar names.
#[test]
fn similar_names_are_suggested() {
    let folder = project(&[("a.ts", "export const a = 1;\n")]);
    let error_text = |tool: &str, arguments: Value| {
        call(folder.path(), tool, arguments).expect_err("refused").to_string()
    };
    let params = json!({"filePath": ".", "ruleCategories": ["secrit"]});
    let message = error_text("aidd_check_compliance", params);
    assert!(message.starts_with("unknown rule `secrit`"), "{message}");
    let message = error_text("aidd_explain_violation", json!({"rule": "no-any"}));
    assert!(message.contains("similar rules: compliance/any-type"), "{message}");
    let message = error_text("aidd_explain_violation", json!({"rule": "zzz"}));
    assert!(message.contains("`aidd rule list`"), "{message}");
}

/// On the main branch without changes, the answer states that nothing was checked.
#[test]
fn an_empty_comparison_is_reported() {
    let folder = project(&[("a.ts", "export const a = 1;\n")]);
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "stuff"]);
    let text = call(root, "aidd_ci_diff_check", json!({})).expect("an answer").text;
    assert!(text.contains("no uncommitted changes") && text.contains("HEAD~1"), "{text}");
    fs::write(root.join("b.ts"), "export const b = 1;\n").expect("written");
    let text = call(root, "aidd_ci_diff_check", json!({})).expect("an answer").text;
    assert!(!text.contains("HEAD~1") && text.contains(" in 1 file;"), "{text}");
}
