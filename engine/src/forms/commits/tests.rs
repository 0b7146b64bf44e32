//! Tests of the faults that `commit` checks report in messages and changes.

use super::*;
use proptest::prelude::*;
use std::fmt::Write as _;

fn check_from(yaml: &str) -> Result<CommitCheck, CommitError> {
    let page = format!("---\nseverity: error\ncheck:\n  commit: {yaml}\n---\n");
    let header = aidd_page::header(&page).expect("a header");
    CommitCheck::new(&header.check.expect("a check").commit.expect("commit"), "")
}

fn display(checked: &[CheckedText]) -> String {
    let mut out = String::new();
    for CheckedText { path, text, faults } in checked {
        for Fault { span, message, help } in faults {
            let covered_text = text[span.range()].replace('\n', "|");
            let _ = write!(out, "{path} {covered_text:?}: {message}");
            let _ = writeln!(
                out,
                "{}",
                help.as_ref().map_or(String::new(), |help| format!(" ({help})"))
            );
        }
    }
    out
}

fn commit(message: &str) -> Commit {
    Commit {
        hash: "0123456789abcdef0123".to_owned(),
        message: message.to_owned(),
        ..Commit::default()
    }
}

fn check_messages(yaml: &str, messages: &[&str]) -> String {
    let input = CommitInput {
        commits: messages.iter().map(|message| commit(message)).collect(),
        members: vec!["core".to_owned(), "app".to_owned()],
        ..CommitInput::default()
    };
    display(&check_from(yaml).expect("valid").check(&input))
}

#[test]
fn conventional_commits_are_checked() {
    let yaml = "{conventional: {types: [feat, fix, docs], scopes: [workspace, deps], scope-required: true, breaking: footer}}";
    let messages = [
        "feat(core): add x",
        "feature(core): add x",
        "fix: y",
        "fix(cor): y",
        "fix(core,apps): y",
        "feat(app)!: z",
        "feat(app)!: z\n\nBREAKING CHANGE: all",
        "feat(app): z\n\nBREAKING CHANGE: all",
        "Add x",
        "fix(core): y\nno blank line",
    ];
    insta::assert_snapshot!(check_messages(yaml, &messages), @r#"
    commit/0123456789ab "feature": unknown type `feature` (did you mean `feat`? Known types: feat, fix, docs)
    commit/0123456789ab "fix": the scope is missing; expected `type(scope): description`
    commit/0123456789ab "cor": unknown scope `cor` (did you mean `core`? Known scopes: deps, core, app)
    commit/0123456789ab "core,apps": unknown scope `apps` (did you mean `app`? Known scopes: deps, core, app)
    commit/0123456789ab "feat": a breaking change must be described in a `BREAKING CHANGE: …` footer
    commit/0123456789ab "BREAKING CHANGE": a breaking change requires `!` before the colon of its first line
    commit/0123456789ab "Add x": not a Conventional Commit: expected a type and a colon, as in `fix: …` (expected `type(scope): description`, as in `fix(parser): read empty files`)
    commit/0123456789ab "no blank line": expected a blank line after the first line
    "#);
    insta::assert_snapshot!(check_messages("{conventional: {breaking: forbid}}", &["a!: b", "a: b\n\nBREAKING CHANGE: c", "a: b"]), @r#"
    commit/0123456789ab "a": breaking changes are not allowed
    commit/0123456789ab "BREAKING CHANGE": breaking changes are not allowed
    "#);
}

#[test]
fn first_lines_and_bodies_are_checked() {
    let yaml = r#"{subject: {max: 20, case: lower, end: ".!", matches: "^\\w+: "}, body: {required-for: [feat], max-line: 24}, trailers: [Signed-off-by]}"#;
    let signed = "\n\nSigned-off-by: A <a@b.example>\n";
    let messages = [
        format!("feat: add a thing.{signed}"),
        format!(
            "feat: Add\n\nBecause of the long line here it fails.\nhttps://example.com/a/long/address/is/fine here{signed}"
        ),
        format!("fix: README of the day (#1234){signed}"),
        format!("fix: this is far too long to be read{signed}"),
        "no type\n".to_owned(),
    ];
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    insta::assert_snapshot!(check_messages(yaml, &messages), @r#"
    commit/0123456789ab "add a thing.": the description ends with `.`
    commit/0123456789ab "feat: add a thing.": a message of type `feat` requires a body
    commit/0123456789ab "Add": the description is not in lower case
    commit/0123456789ab "Because of the long line here it fails.": the line has 39 characters, more than 24
    commit/0123456789ab "fix: README of the day (#1234)": the first line has 22 characters, more than 20
    commit/0123456789ab "fix: this is far too long to be read": the first line has 36 characters, more than 20
    commit/0123456789ab "no type": the first line does not match `^\w+: `
    commit/0123456789ab "no type": the trailer `Signed-off-by:` is missing (run `git commit --amend --signoff` to add it)
    "#);
}

#[test]
fn generated_messages_are_skipped() {
    let default_check = check_from("{conventional: {}}").expect("valid");
    let check_without_skips = check_from("{conventional: {}, skip: []}").expect("valid");
    let commit_by = |message: &str, author: &str, is_merge: bool| Commit {
        author: author.to_owned(),
        is_merge,
        ..commit(message)
    };
    let input = CommitInput {
        commits: vec![
            commit_by("Merge branch 'a'", "A <a@b>", true),
            commit_by("Revert \"feat: x\"", "A <a@b>", false),
            commit_by(
                "Bump x",
                "dependabot[bot] <1+dependabot[bot]@users.noreply.github.com>",
                false,
            ),
        ],
        ..CommitInput::default()
    };
    assert_eq!((default_check.check(&input).len(), default_check.checked_count(&input)), (0, 0));
    assert_eq!(
        (check_without_skips.check(&input).len(), check_without_skips.checked_count(&input)),
        (3, 3)
    );
}

#[test]
fn titles_branches_and_changes_are_checked() {
    let yaml = r#"{conventional: {types: [fix]}, title: true, branch: "^(main|fix/[a-z-]+)$", change: {touches: ["migrations/**"], requires: ["docs/schema.md", "CHANGELOG.md | .changeset/*.md"], added: "tests/**", max-files: 1, max-lines: 10}}"#;
    let touch = |path: &str, added: bool| TouchedFile { path: path.to_owned(), added, lines: 6 };
    let input = CommitInput {
        title: Some("Some work (#12)".to_owned()),
        branch: Some("Feature_X".to_owned()),
        touched: Some(vec![
            touch("migrations/2.sql", true),
            touch("migrations/1.sql", false),
            touch(".changeset/a.md", true),
            touch("tests/a.rs", false),
        ]),
        ..CommitInput::default()
    };
    insta::assert_snapshot!(display(&check_from(yaml).expect("valid").check(&input)), @r#"
    commit/title "Some work (#12)": not a Conventional Commit: expected a type and a colon, as in `fix: …` (expected `type(scope): description`, as in `fix(parser): read empty files`)
    commit/branch "Feature_X": the branch `Feature_X` does not match `^(main|fix/[a-z-]+)$`
    commit/change "migrations/1.sql": the change touches `migrations/1.sql` and 1 other file but no file that matches `docs/schema.md`
    commit/change "migrations/1.sql": the change touches `migrations/1.sql` and 1 other file but adds no file that matches `tests/**`
    commit/change "migrations/1.sql": the change touches 2 files, more than 1 (split it: smaller changes are easier to review)
    commit/change "migrations/1.sql": the change adds and removes 12 lines, more than 10 (split it: smaller changes are easier to review)
    "#);
    let input =
        CommitInput { touched: Some(vec![touch("src/a.rs", false)]), ..CommitInput::default() };
    assert_eq!(check_from(yaml).expect("valid").check(&input), []);
}

#[test]
fn excluded_files_are_not_counted() {
    let touch = |path: &str| TouchedFile { path: path.to_owned(), added: false, lines: 6 };
    let input = CommitInput {
        touched: Some(vec![touch("Cargo.lock"), touch("src/a.rs"), touch("web/b.gen.ts")]),
        ..CommitInput::default()
    };
    let check = || check_from("{change: {max-lines: 10}}").expect("valid");
    let exclude = ["*.lock".to_owned(), "*.gen.*".to_owned()];
    let excluding = check().excluding(&exclude, "").expect("globs");
    assert_eq!(excluding.check(&input), []);
    insta::assert_snapshot!(display(&check().check(&input)), @r#"commit/change "Cargo.lock": the change adds and removes 18 lines, more than 10 (split it: smaller changes are easier to review)"#);
    assert!(check().excluding(&["{".to_owned()], "").is_err());
}

#[test]
fn names_keep_their_case_at_the_start_of_a_description() {
    let messages = [
        "docs: Dockerfiles as they are judged",
        "fix: Added a test",
        "fix: The cart",
        "fix: parse",
    ];
    insta::assert_snapshot!(check_messages("{subject: {case: lower}}", &messages), @r#"
    commit/0123456789ab "Added a test": the description is not in lower case
    commit/0123456789ab "The cart": the description is not in lower case
    "#);
}

#[test]
fn malformed_checks_are_rejected() {
    let problem = |yaml: &str| check_from(yaml).expect_err("malformed");
    insta::assert_snapshot!(problem("{branch: '('}"), @"`(` is not a valid expression: unclosed group");
    insta::assert_snapshot!(problem("{subject: {case: camel}}"), @"unknown case `camel` for a description; expected one of lower, sentence, upper");
    insta::assert_snapshot!(problem("{change: {touches: 'a', requires: 'b | '}}"), @"a glob of `change` is empty");
}

#[test]
fn paths_of_commits_are_virtual() {
    assert_eq!(commit_path("0123456789abcdef"), "commit/0123456789ab");
    assert!(is_virtual_path("commit/0123456789ab") && is_virtual_path(TITLE_PATH));
    assert!(!is_virtual_path("commit/readme") && !is_virtual_path("src/commit/title"));
}

proptest! {
    #[test]
    fn the_spans_of_faults_are_valid_in_any_message(text in "([a-zA-Zé():!, .#/-]|\n|BREAKING CHANGE: |\\(#1\\)){0,60}") {
        let yaml = r#"{conventional: {types: [feat], scopes: [a], breaking: footer}, subject: {max: 5, case: [lower, upper], end: "."}, body: {required-for: ["*"], max-line: 5}, trailers: [A-b], title: true}"#;
        let check = check_from(yaml).expect("valid");
        let input = CommitInput { commits: vec![commit(&text)], title: Some(text.clone()), ..CommitInput::default() };
        for checked in check.check(&input) {
            for fault in checked.faults {
                prop_assert!(checked.text.get(fault.span.range()).is_some());
            }
        }
    }
}

#[test]
fn bodies_footers_and_whole_messages_are_checked() {
    let yaml = r##"{subject: {not-matches: "(?i)\\bwip\\b"}, body: {matches: "^[A-Z]", not-matches: "TODO", min: 8, max: 20}, message: {matches: "#\\d+", not-matches: "(?i)secret"}}"##;
    let messages = [
        "Add it (#1)",
        "wip: add it (#1)",
        "Add it\n\nBecause of #2\n",
        "Add it\n\nbecause of #2\n",
        "Add it\n\nBecause of #2 TODO\n",
        "Add it\n\nA b #2\n",
        "Add it\n\nBecause of far too much #2\n",
        "Add it",
        "Add it #1\n\nKeep it secret\n",
        "Add it\n\nRefs: #3\n",
    ];
    insta::assert_snapshot!(check_messages(yaml, &messages), @r#"
    commit/0123456789ab "wip: add it (#1)": the first line matches `(?i)\bwip\b`
    commit/0123456789ab "because of #2": the body of the message does not match `^[A-Z]`
    commit/0123456789ab "Because of #2 TODO": the body of the message matches `TODO`
    commit/0123456789ab "A b #2": the body has 6 characters, fewer than 8
    commit/0123456789ab "Because of far too much #2": the body has 26 characters, more than 20
    commit/0123456789ab "Add it": the message does not match `#\d+`
    commit/0123456789ab "Add it #1": the message matches `(?i)secret`
    "#);
    // The blank line is required only by a page that sets no other requirement on the body.
    let without_blank_line = ["Add it\nand more"];
    assert!(check_messages("{body: {}}", &without_blank_line).contains("expected a blank line"));
    assert_eq!(
        check_messages("{body: {max-line: 80, required-for: ['*']}}", &without_blank_line),
        ""
    );
    assert!(
        check_messages("{body: {max: 0}}", &without_blank_line)
            .contains("8 characters, more than 0")
    );
    let footers =
        ["Add it", "Add it\n\nWhy.\n\nRefs: #3\n", "Add it\n\nFixes #12\nReviewed-by: A Person\n"];
    insta::assert_snapshot!(check_messages("{footers: {min: 9, max: 20}}", &footers), @r#"
    commit/0123456789ab "Refs": the footers have 8 characters, fewer than 9
    commit/0123456789ab "Fixes": the footers have 31 characters, more than 20
    "#);
    let problem = check_from("{message: {matches: '('}}").expect_err("malformed").to_string();
    assert!(problem.contains("not a valid expression"));
}

#[test]
fn fixup_commits_can_be_skipped() {
    let messages = ["fixup! feat: x", "squash! y", "amend! z", "fix up z"];
    let count = |skip: &str| {
        check_messages(&format!("{{subject: {{matches: '^fix: '}}, skip: [{skip}]}}"), &messages)
            .lines()
            .count()
    };
    assert_eq!((count(""), count("fixups")), (4, 1));
}
