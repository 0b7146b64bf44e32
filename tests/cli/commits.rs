//! Tests of rules on commits, in real repositories.

use crate::cli::support::Project;
use insta::assert_snapshot;
use std::fs;

const RULE: &str = "---
severity: error
check:
  commit:
    conventional: { types: [feat, fix], scopes: workspace }
    title: true
    branch: '^(main|work/.+)$'
    change: { touches: ['src/**'], requires: [CHANGELOG.md], max-lines: 3 }
---
# team/commits

Messages are read by those who come after.
";

/// A repository whose branch `side` violates every part of the rule.
fn project() -> Project {
    let project = Project::repository();
    project.stage("rules/commits.md", RULE);
    project.stage("parts/core/package.json", "{\"name\": \"@acme/core\"}\n");
    project.git(&["commit", "--quiet", "-m", "begin as one likes"]).expect_code(0);
    project.git(&["checkout", "--quiet", "-b", "side"]).expect_code(0);
    project.stage("src/lib.rs", "pub fn first() {}\n1\n2\n3\n4\n");
    project.git(&["commit", "--quiet", "-m", "fix(cor): count\n\nWhy."]).expect_code(0);
    project.git(&["commit", "--quiet", "--allow-empty", "-m", "feat(core): fine"]).expect_code(0);
    project.git(&["commit", "--quiet", "--allow-empty", "-m", "Some work"]).expect_code(0);
    project
}

/// Replaces hashes, which differ between runs.
fn normalize(out: &str) -> String {
    let mut lines = String::new();
    for line in out.lines() {
        let words = line.split_inclusive([' ', ':']).map(|word| match word.find("commit/") {
            Some(at)
                if word[at + 7..]
                    .starts_with(|c: char| c.is_ascii_digit() || ('a'..='f').contains(&c))
                    && word.len() >= at + 19 =>
            {
                format!("{}commit/HASH{}", &word[..at], &word[at + 19..])
            }
            _ => word.to_owned(),
        });
        lines.extend(words);
        lines.push('\n');
    }
    lines
}

/// The errors of `--format github`.
fn errors(out: &str) -> String {
    let out = normalize(out);
    out.lines().filter(|line| line.starts_with("::error")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_commits_of_a_branch_are_checked_against_its_base() {
    let project = project();
    // Without a base, no commits are checked.
    project.run(&["check", "."]).expect_code(0);
    let output = project.run(&["check", "--diff", "main", "--format", "github"]).expect_code(1);
    assert_snapshot!(errors(&output.out), @"
    ::error title=team/commits::commit/HASH: not a Conventional Commit: expected a type and a colon, as in `fix: …`%0Aexpected `type(scope): description`, as in `fix(parser): read empty files`
    ::error title=team/commits::commit/HASH: unknown scope `cor`%0Adid you mean `core`? Known scopes: core
    ::error title=team/commits::commit/branch: the branch `side` does not match `^(main|work/.+)$`
    ::error title=team/commits::commit/change: the change adds and removes 4 lines, more than 3%0Asplit it: smaller changes are easier to review
    ::error title=team/commits::commit/change: the change touches `src/lib.rs` but no file that matches `CHANGELOG.md`
    ");
    let output = project.run(&["check", "--diff", "main"]).expect_code(1);
    assert!(output.out.contains("unknown scope `cor`"), "{}", output.out);
    let sarif = project.run(&["check", "--diff", "main", "--format", "sarif"]).expect_code(1).out;
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    let run = &sarif["runs"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(0));
    let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("a list");
    assert_eq!(notes.len(), 5, "{notes:?}");
    assert!(notes.iter().all(|note| note["locations"].is_null()), "{notes:?}");
    // The ids do not depend on the hashes.
    let ids = || -> Vec<String> {
        let json = project.run(&["check", "--diff", "main", "--format", "json"]).expect_code(1).out;
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let all = json["findings"].as_array().expect("a list").iter();
        all.map(|finding| finding["id"].as_str().expect("an id").to_owned()).collect()
    };
    let before = ids();
    project
        .git(&[
            "commit",
            "--quiet",
            "--amend",
            "--allow-empty",
            "--date",
            "2001-01-01T00:00:00",
            "-m",
            "Some work",
        ])
        .expect_code(0);
    let mut after = ids();
    let (mut sorted, _) = (before.clone(), after.sort());
    sorted.sort();
    assert_eq!(after, sorted);
    let off = r#"{"rules": {"team/commits": "off"}}"#;
    project.write(".aidd/config.json", off);
    project.run(&["check", "--diff", "main"]).expect_code(0);
}

#[test]
fn the_title_of_a_pull_request_is_checked() {
    let project = project();
    let hash = |rev: &str| project.git(&["rev-parse", rev]).expect_code(0).out.trim().to_owned();
    let (base, head) = (hash("main"), hash("side"));
    let event = serde_json::json!({
        "repository": {"full_name": "a/b", "default_branch": "main"},
        "pull_request": {
            "number": 7, "title": "Wrong (#7)",
            "base": {"ref": "main", "sha": base, "repo": {"full_name": "a/b"}},
            "head": {"ref": "work/x", "sha": head, "repo": {"full_name": "a/b"}},
        },
    });
    let path = project.path().join(".git/event.json");
    fs::write(&path, event.to_string()).expect("written");
    let path = path.to_string_lossy().into_owned();
    let env = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_EVENT_PATH", &*path),
        ("GITHUB_SHA", &*head),
    ];
    let output = project.run_env(&env, &["ci"]).expect_code(1);
    assert_snapshot!(errors(&output.out), @"
    ::error title=team/commits::commit/HASH: not a Conventional Commit: expected a type and a colon, as in `fix: …`%0Aexpected `type(scope): description`, as in `fix(parser): read empty files`
    ::error title=team/commits::commit/HASH: unknown scope `cor`%0Adid you mean `core`? Known scopes: core
    ::error title=team/commits::commit/title: not a Conventional Commit: expected a type and a colon, as in `fix: …`%0Aexpected `type(scope): description`, as in `fix(parser): read empty files`
    ::error title=team/commits::commit/change: the change adds and removes 4 lines, more than 3%0Asplit it: smaller changes are easier to review
    ::error title=team/commits::commit/change: the change touches `src/lib.rs` but no file that matches `CHANGELOG.md`
    ");
}

#[test]
fn a_message_is_checked_before_the_commit() {
    let project = project();
    let output =
        project.run_with(b"Some words\n# a comment\n", &["hook", "commit-msg", "-"]).expect_code(1);
    assert_snapshot!(output.err, @"
    error: line 1: not a Conventional Commit: expected a type and a colon, as in `fix: …` [team/commits]
      expected `type(scope): description`, as in `fix(parser): read empty files`
    ");
    for valid in
        ["fix(core): it\n", "fixup! Some words\n", "# only a comment\n", "Merge branch 'a'\n"]
    {
        let output =
            project.run_with(valid.as_bytes(), &["hook", "commit-msg", "-"]).expect_code(0);
        assert_eq!(output.err, "", "{valid}");
    }
    let output = project.run(&["hook", "commit-msg", "none"]).expect_code(2);
    assert!(output.err.contains("ROOT/none"), "{}", output.err);
    project.run(&["hook", "install", "--hook", "commit-msg"]).expect_code(0);
    let output =
        project.git(&["commit", "--quiet", "--allow-empty", "-m", "no type"]).expect_code(1);
    assert!(output.err.contains("not a Conventional Commit"), "{}", output.err);
    project.git(&["commit", "--quiet", "--allow-empty", "-m", "fix(core): a type"]).expect_code(0);
}

#[test]
fn the_examples_of_a_rule_on_commits_are_run() {
    let project = Project::new(&[]);
    let page = |passes: &str| {
        format!(
            "---\nseverity: error\ncheck:\n  commit: {{ conventional: {{ types: [fix] }} }}\n---\n# team/commits\n\nWhy.\n\n## Fails\n\n```commit\nfeat: a\n```\n\n```finding\n1:1 feat\n```\n\n## Passes\n\n```commit\n{passes}\n```\n"
        )
    };
    project.write("rules/commits.md", page("fix: a"));
    let output = project.run(&["rule", "test"]).expect_code(0);
    assert_snapshot!(output.out, @"team/commits: applies to commits, in `aidd ci`, `aidd check --diff BASE` and `aidd hook commit-msg`");
    assert_snapshot!(output.err, @"1 rule tested, 0 failed");
    project.write("rules/commits.md", page("feat: a"));
    let output = project.run(&["rule", "test"]).expect_code(1);
    assert!(output.out.contains("expected no finding, found `1:1 feat`"), "{}", output.out);
}
