//! Tests of drafted first lines: files before and after a change, and the history.

use crate::commit_message::describe;
use crate::commit_message::tests::{Files, input};
use insta::assert_snapshot;

/// Messages of a project in lower case that bumps dependencies with the new version only.
fn history() -> Vec<&'static str> {
    let mut messages = Vec::new();
    for _ in 0..4 {
        messages.extend([
            "chore(deps): bump left to 1.2.0 (#1)\n\nSigned-off-by: A <a@b.c>",
            "docs: fix typo in the guide\n\nSigned-off-by: A <a@b.c>",
            "feat(i18n): update fr translation\n\nSigned-off-by: A <a@b.c>",
            "refactor: remove the old parser",
            "chore: release v1.0.0",
        ]);
    }
    messages
}

#[track_caller]
fn draft(messages: &[&str], before: Files<'_>, after: Files<'_>, renames: Files<'_>) -> String {
    let description = describe(&input(before, after, renames, messages)).expect("a change");
    description.draft.unwrap_or_else(|| "-".to_owned())
}

const CARGO: &str = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n\n[dependencies]\nserde = \"1.0.1\"\nlog = \"0.4\"\nregex = \"1\"\n";

#[test]
fn a_change_of_dependencies_names_them() {
    let bumped = |changes: &[(&str, &str)]| {
        let after =
            changes.iter().fold(CARGO.to_owned(), |text, (from, to)| text.replace(from, to));
        draft(&history(), &[("Cargo.toml", CARGO)], &[("Cargo.toml", &after)], &[])
    };
    let all = [
        bumped(&[("1.0.1", "1.0.2")]),
        bumped(&[("1.0.1", "1.0.2"), ("0.4", "0.5")]),
        bumped(&[("1.0.1", "1.0.2"), ("0.4", "0.5"), ("regex = \"1\"", "regex = \"2\"")]),
        bumped(&[("log = \"0.4\"\n", "")]),
        bumped(&[("\"1.0.0\"", "\"1.1.0\"")]),
    ];
    assert_snapshot!(all.join("\n"), @"
    chore(deps): bump serde to 1.0.2
    chore(deps): bump log and serde
    chore(deps): bump dependencies
    chore(deps): remove log
    chore: release v1.1.0
    ");
    let messages = ["Bump a from 1.0 to 2.0", "Fixed the parser", "Added a page"].repeat(4);
    let after = CARGO.replace("1.0.1", "1.0.2");
    let other = draft(&messages, &[("Cargo.toml", CARGO)], &[("Cargo.toml", &after)], &[]);
    assert_snapshot!(other, @"Bump serde from 1.0.1 to 1.0.2");
}

#[test]
fn documents_and_translations_are_named() {
    let guide =
        "# Guide\n\nText with a mistkae in it.\n\n## Use\n\nRun it.\n\n## Limits\n\nNone.\n";
    let edited = |from: &str, to: &str| {
        draft(
            &history(),
            &[("docs/guide.md", guide)],
            &[("docs/guide.md", &guide.replace(from, to))],
            &[],
        )
    };
    let all = [
        edited("mistkae", "mistake"),
        edited("Run it.", "Run it twice."),
        edited("## Limits", "## Flags\n\nTwo.\n\n## Limits"),
        edited("with", "without"),
        draft(
            &history(),
            &[("app/locales/de.json", "{\"a\": \"b\"}")],
            &[("app/locales/de.json", "{\"a\": \"c\"}")],
            &[],
        ),
        draft(&history(), &[], &[("app/locales/pt-BR.json", "{\"a\": \"c\"}")], &[]),
    ];
    assert_snapshot!(all.join("\n"), @r#"
    docs: fix typo in guide
    …: update "Use" in guide
    …: add "Flags" to guide
    -
    feat(i18n): update de translation
    feat(i18n): add pt-BR translation
    "#);
}

#[test]
fn renamed_and_removed_names_are_stated() {
    let body = "(a: u8) -> u8 { let b = a + 1; c(b); d(b, a) }\n";
    let function = |name: &str| format!("pub fn {name}{body}");
    let long = "x\n".repeat(10);
    let all = [
        draft(
            &history(),
            &[("src/a.rs", &function("old"))],
            &[("src/a.rs", &function("new"))],
            &[],
        ),
        draft(&history(), &[("src/a.rs", "x")], &[("src/b.rs", "x")], &[("src/a.rs", "src/b.rs")]),
        draft(
            &history(),
            &[("src/a.rs", "x")],
            &[("src/net/a.rs", "x")],
            &[("src/a.rs", "src/net/a.rs")],
        ),
        draft(&history(), &[("src/Tabs.vue", &long)], &[], &[]),
        draft(
            &history(),
            &[("src/a.rs", "fn a() { b(1) }\n")],
            &[("src/a.rs", "fn a() { b(2) }\n")],
            &[],
        ),
    ];
    assert_snapshot!(all.join("\n"), @"
    …: rename old to new
    …: rename a.rs to b.rs
    …: move a.rs to net
    …: remove Tabs
    -
    ");
}

#[test]
fn the_style_of_the_history_is_derived() {
    let description = describe(&input(&[], &[("a", "b")], &[], &history())).expect("a change");
    let style = &description.convention.style;
    assert_eq!(
        style.to_string(),
        "lower case, imperative (`add`), at most 50 characters, trailer Signed-off-by"
    );
}

#[test]
fn a_version_is_released_or_bumped_like_the_last_one() {
    let version =
        |path: &str, from: &str, to: &str| draft(&history(), &[(path, from)], &[(path, to)], &[]);
    let lint = |v: &str| format!("jobs:\n  lint:\n    golangci-lint-version: v{v}\n");
    let list = "export default [\n  'en',\n  'fr',\n]\n";
    let longer = list.replace("  'fr',\n", "  'fr',\n  'he',\n");
    let all = [
        version(".version", "v1.0.0\n", "v1.0.1\n"),
        version("conf/tools.yml", &lint("2.1.0"), &lint("2.2.0")),
        version("conf/tools.yml", "a: 1.0.0 # x\n", "a: 1.0.0 # y\n"),
        draft(
            &history(),
            &[("config/i18n.ts", list)],
            &[("config/i18n.ts", &longer), ("locales/he.json", "{\"a\": \"b\"}\n")],
            &[],
        ),
    ];
    assert_snapshot!(all.join("\n"), @"
    chore: release v1.0.1
    chore(deps): bump golangci-lint to 2.2.0
    -
    feat(i18n): add he translation
    ");
}

#[test]
fn several_topics_are_left_open() {
    let retry =
        "pub fn retry(a: u8) -> u8 { let b = a + 1; wait(b); wait(a); a * b + 1 }\n".repeat(6);
    let stated = |messages: &[&str], before: Files<'_>, after: Files<'_>| {
        let text = describe(&input(before, after, &[], messages)).expect("a change").to_string();
        let lines =
            text.lines().filter(|line| line.starts_with("draft") || line.starts_with("open"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let docker = [("Dockerfile", "FROM node:20\n")];
    let other = [("Dockerfile", "FROM node:22\nUSER node\n"), ("src/retry.rs", &retry)];
    let user = [("src/retry.rs", &*retry), ("src/a.rs", "fn a() { retry(1) }\n")];
    let plain = ["Add the parser", "Remove the old parser", "Fix the parser"].repeat(4);
    let all = [
        stated(&plain, &docker, &other),
        stated(&plain, &[("src/a.rs", "fn a() {}\n")], &user),
        stated(&history(), &docker, &other),
        stated(&history(), &[("src/a.rs", "fn a() {}\n")], &user),
    ];
    assert_snapshot!(all.join("\n\n"), @"
    draft: none; probably several topics: retry, and changes that do not mention it in Dockerfile

    draft: Add retry

    draft: none; probably several topics: retry, and changes that do not mention it in Dockerfile

    draft: …: add retry
    ");
}
