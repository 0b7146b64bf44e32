//! Tests of descriptions; each test passes the files before and after a change.

use super::{
    Change, ChangeKind, DescribeParams, Description, RevertedCommit, context_paths, describe,
};
use insta::assert_snapshot;
use std::collections::BTreeMap;

pub(super) type Files<'a> = &'a [(&'a str, &'a str)];

/// The input for two states of a project. As in Git, a removed file whose text appears at another
/// path, or an `(old, new)` pair in `renames`, is a rename.
pub(super) fn input(
    before: Files<'_>,
    after: Files<'_>,
    renames: Files<'_>,
    messages: &[&str],
) -> DescribeParams {
    let old: BTreeMap<&str, &str> = before.iter().copied().collect();
    let new: BTreeMap<&str, &str> = after.iter().copied().collect();
    let text =
        |files: &BTreeMap<&str, &str>, path: &str| files.get(path).map(|text| (*text).to_owned());
    let mut changes = Vec::new();
    for path in old.keys().chain(new.keys()).collect::<std::collections::BTreeSet<_>>() {
        if old.get(path) == new.get(path) || renames.iter().any(|(from, _)| from == path) {
            continue;
        }
        let from = renames.iter().find(|(_, to)| to == path).map(|(from, _)| *from);
        let before = text(&old, from.unwrap_or(path));
        let after = text(&new, path);
        let kind = match (&before, &after) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            _ => ChangeKind::Changed,
        };
        let old_path = from.map(str::to_owned);
        changes.push(Change { path: (*path).to_owned(), old_path, kind, before, after });
    }
    let context = context_paths(&changes).into_iter().filter_map(|path| {
        let text = text(&new, &path)?;
        Some((path, text))
    });
    DescribeParams {
        context: context.collect(),
        messages: messages.iter().map(|message| (*message).to_owned()).collect(),
        changes,
        ..DescribeParams::default()
    }
}

#[track_caller]
fn description(before: Files<'_>, after: Files<'_>) -> Description {
    describe(&input(before, after, &[], &[])).expect("a change")
}

/// The lists of a description, without the types.
#[track_caller]
fn facts(before: Files<'_>, after: Files<'_>) -> String {
    render(&description(before, after))
}

fn render(description: &Description) -> String {
    let text = description.to_string();
    let lists = text
        .lines()
        .filter(|line| !["type", "draft", "subject"].iter().any(|start| line.starts_with(start)));
    lists.collect::<Vec<_>>().join("\n")
}

const CLIENT: &str = "pub struct Client { base: String }\n\nimpl Client {\n    pub fn get(&self, path: &str) -> String {\n        let url = format!(\"{}/{path}\", self.base);\n        send(&url)\n    }\n}\n\nfn send(url: &str) -> String {\n    if url.len() > 10 { url.to_owned() } else { String::new() }\n}\n";

#[test]
fn public_symbols_are_listed_first() {
    let path = "src/client.rs";
    let after = CLIENT.replace("> 10", ">= 10")
        + "pub fn parse_url(a: u8) {}\n#[cfg(test)]\nmod tests { #[test] fn urls_are_parsed() {} }\n";
    assert_snapshot!(facts(&[(path, CLIENT)], &[(path, &after)]), @r"
    files:
    - changed src/client.rs (source, +4 -1)
    symbols:
    - added public function `parse_url` in src/client.rs
    - changed function `send` in src/client.rs
    - added test `urls_are_parsed` in src/client.rs
    ");
    let body = "(a: u8) -> u8 { let b = a + 1; c(b); d(b, a) }\n";
    let function = |name: &str| format!("fn {name}{body}");
    assert_snapshot!(facts(&[(path, &function("old_name"))], &[(path, &function("new_name"))]), @r"
    files:
    - changed src/client.rs (source, +1 -1)
    symbols:
    - renamed function `old_name` to `new_name` in src/client.rs
    ");
    assert_snapshot!(
        facts(
            &[("src/a.rs", &function("e")), ("src/b.rs", "")],
            &[("src/a.rs", ""), ("src/b.rs", &function("e"))]
        ),
        @r"
    files:
    - changed src/a.rs (source, +0 -1)
    - changed src/b.rs (source, +1 -0)
    symbols:
    - moved function `e` from src/a.rs to src/b.rs
    "
    );
}

#[test]
fn differences_without_effect_are_classified() {
    let path = "src/client.rs";
    let changed =
        |from: &str, to: &str| facts(&[(path, CLIENT)], &[(path, &CLIENT.replace(from, to))]);
    assert_eq!(
        changed("{ base: String }", "{\n    base: String,\n}"),
        "files:\n- changed src/client.rs (source, layout only, +3 -1)"
    );
    assert_eq!(
        changed("fn send", "/// Sends.\nfn send"),
        "files:\n- changed src/client.rs (source, comments only, +1 -0)"
    );
    let tested = "pub struct Client;\n#[cfg(test)]\nmod tests { #[test] fn a() {} }\n";
    assert_eq!(
        facts(&[("src/a.rs", "pub struct Client;\n")], &[("src/a.rs", tested)]),
        "files:\n- changed src/a.rs (source, tests only, +2 -0)\nsymbols:\n- added test `a` in src/a.rs"
    );
    let moved = input(
        &[("src/a/b.rs", CLIENT)],
        &[("src/c/d.rs", CLIENT)],
        &[("src/a/b.rs", "src/c/d.rs")],
        &[],
    );
    assert_eq!(
        render(&describe(&moved).expect("a change")),
        "files:\n- renamed src/a/b.rs to src/c/d.rs (source, same text)"
    );
    let image =
        Change { path: "logo.png".to_owned(), kind: ChangeKind::Added, ..Change::default() };
    let description =
        describe(&DescribeParams { changes: vec![image], ..DescribeParams::default() });
    assert_eq!(render(&description.expect("a change")), "files:\n- added logo.png (asset)");
}

#[test]
fn dependencies_versions_and_settings_are_listed() {
    let cargo = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n\n[dependencies]\nserde = \"1.0.1\"\nlog = \"1\"\n";
    let after = cargo.replace("1.0.0", "1.1.0").replace("1.0.1", "1.0.2").replace("log", "tokio");
    let yaml = ("config/app.yaml", "retries: 3\nname: a\nold: 1\n");
    let other = ("config/app.yaml", "retries: 5\nname: b\nnew: 1\n");
    assert_snapshot!(facts(&[("Cargo.toml", cargo), yaml], &[("Cargo.toml", &after), other]), @r"
    version: 1.1.0
    files:
    - changed Cargo.toml (manifest, +3 -3)
    - changed config/app.yaml (config, +3 -3)
    dependencies:
    - removed log in Cargo.toml
    - changed serde from 1.0.1 to 1.0.2 in Cargo.toml
    - added tokio 1 in Cargo.toml
    settings:
    - added `new` in config/app.yaml
    - removed `old` in config/app.yaml
    - changed `name` in config/app.yaml
    - changed `retries` to 5 in config/app.yaml
    ");
}

#[test]
fn removed_public_symbols_are_breaking() {
    let source = "/// a\npub fn keep() {}\npub fn gone(a: u8) -> u8 { let b = a; c(b) }\n";
    let crate_of = |publish: &str| format!("[package]\nname = \"a\"\n{publish}");
    let breaking = |manifest: &str, path: &str, root: &str| {
        let before = [("a/Cargo.toml", manifest), ("a/src/lib.rs", root), (path, source)];
        let after = [before[0], before[1], (path, "pub fn keep() {}\n")];
        description(&before, &after).breaking
    };
    let gone = ["`gone` is removed"];
    assert_eq!(breaking(&crate_of(""), "a/src/b.rs", "pub mod b;\n"), gone);
    assert_eq!(breaking(&crate_of(""), "a/src/b.rs", "mod b;\npub use b::gone;\n"), gone);
    let none: [&str; 0] = [];
    assert_eq!(breaking(&crate_of(""), "a/src/b.rs", "mod b;\n"), none);
    assert_eq!(breaking(&crate_of("publish = false\n"), "a/src/b.rs", "pub mod b;\n"), none);
    assert_eq!(breaking(&crate_of(""), "a/src/main.rs", "pub mod b;\n"), none);
}

#[test]
fn a_signature_change_is_breaking_if_callers_must_change() {
    let is_breaking = |path: &str, before: &str, after: &str| {
        let package = r#"{"name": "p", "main": "dist/index.js"}"#;
        let python = "[project]\nname = \"p\"\n[build-system]\nrequires = []\n";
        let others =
            [("package.json", package), ("pyproject.toml", python), ("go.mod", "module m\n")];
        let files_with = |text| others.into_iter().chain([(path, text)]).collect::<Vec<_>>();
        !description(&files_with(before), &files_with(after)).breaking.is_empty()
    };
    let ts = |list: &str| format!("export function a({list}): void {{ b() }}\n");
    assert!(is_breaking("src/index.ts", &ts("c: string"), &ts("c: string, d: number")));
    assert!(!is_breaking("src/index.ts", &ts("c: string"), &ts("c: string, d?: number")));
    assert!(!is_breaking("src/index.ts", &ts("c: string"), &ts("c: string, d = 1")));
    assert!(!is_breaking("src/inner.ts", &ts("c: string"), &ts("d: number, c: string")));
    let py = |list: &str| format!("def a({list}):\n    b()\n");
    assert!(is_breaking("p/x.py", &py("c"), &py("c, d")));
    assert!(!is_breaking("p/x.py", &py("c"), &py("c, d=1")));
    assert!(!is_breaking("p/x.py", &py("c"), &py("c: int")));
    assert!(!is_breaking("p/_x.py", &py("c"), &py("c, d")));
    let go = |name: &str| format!("package p\nfunc {name}(c int) {{ b(c) }}\n");
    assert!(is_breaking("x.go", &go("Abc"), &go("abc")));
    assert!(!is_breaking("internal/x.go", &go("Abc"), &go("abc")));
}

#[test]
fn removed_routes_and_operations_are_breaking() {
    let app = |routes: &str| {
        format!("const express = require('express')\nconst app = express()\n{routes}")
    };
    let both = app("app.get('/users', list)\napp.post('/users', create)\n");
    let one = app("app.get('/users', list)\n");
    let breaking = |before: Files<'_>, after: Files<'_>| description(before, after).breaking;
    let gone = ["the route `POST /users` is removed"];
    assert_eq!(breaking(&[("src/app.js", &both)], &[("src/app.js", &one)]), gone);
    let other = app("app.post('/users', create)\n");
    let moved = [("src/app.js", one.as_str()), ("src/b.js", other.as_str())];
    assert_eq!(breaking(&[("src/app.js", &both)], &moved), [""; 0]);
    assert_eq!(breaking(&[("test/app.js", &both)], &[("test/app.js", &one)]), [""; 0]);
    let api = |paths: &str| format!("openapi: 3.1.0\npaths:\n  /a:\n{paths}");
    let before = api("    get: {summary: a}\n    put: {summary: b}\n");
    let after = api("    get: {summary: a}\n");
    let gone = ["the operation `PUT /a` is removed"];
    assert_eq!(breaking(&[("api.yaml", &before)], &[("api.yaml", &after)]), gone);
}

#[test]
fn an_exact_revert_gets_the_type_revert() {
    let mut input = input(&[("a", "1")], &[("a", "2")], &[], &[]);
    assert_eq!(describe(&input).expect("a change").r#type, None);
    let commit = "ab12".repeat(10);
    input.reverts =
        Some(RevertedCommit { subject: "feat(x): add y".to_owned(), commit: commit.clone() });
    let description = describe(&input).expect("a change");
    assert_eq!(description.r#type.as_deref(), Some("revert"));
    assert!(render(&description).starts_with(&format!("reverts: {commit} feat(x): add y\n")));
}

#[test]
fn long_lists_are_truncated_and_omitted_entries_are_counted() {
    let names: Vec<String> = (0..70).map(|at| format!("docs/{at:02}.md")).collect();
    let after: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    let description = description(&[], &after);
    assert_eq!((description.files.len(), description.omitted.files), (super::MAX_ENTRIES, 20));
    let text = description.to_string();
    assert!(text.ends_with("- added docs/19.md (docs, +1 -0)\n- 50 more\n"), "{text}");
}

#[test]
fn without_changes_there_is_no_description() {
    assert_eq!(describe(&DescribeParams::default()), None);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn path() -> impl Strategy<Value = String> {
        prop::sample::select(vec![
            "src/a.rs",
            "src/b.ts",
            "c.py",
            "d/e.go",
            "README.md",
            "Cargo.toml",
            "package.json",
            ".github/workflows/x.yml",
            "x\ny\u{1b}[0m",
            "é/ü.rb",
            "CHANGELOG.md",
            "tests/t.rs",
        ])
        .prop_map(str::to_owned)
    }

    fn text() -> impl Strategy<Value = Option<String>> {
        let line = prop::sample::select(vec![
            "pub fn a() {}",
            "export const b = (c) => 1",
            "def d(e=1): pass",
            "func F() {}",
            "# H é",
            "- Fixed x",
            "### Fixed",
            "version = \"1\"",
            "[dependencies]",
            "{\"a\": 1}",
            "`",
            "it('x y', z)",
            "class A:",
            "",
            "}",
            "\u{202e}\u{0}",
            "fn test_x() { if a > 1 {} }",
            "#[test]",
        ]);
        prop::option::of(prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n")))
    }

    proptest! {
        #[test]
        fn any_change_is_described(files in prop::collection::btree_map(path(), (text(), text()), 1..6)) {
            let changes: Vec<Change> = files.into_iter().map(|(path, (before, after))| {
                let kind = match (&before, &after) {
                    (None, _) => ChangeKind::Added,
                    (_, None) => ChangeKind::Deleted,
                    _ => ChangeKind::Changed,
                };
                Change { path, before, after, kind, ..Change::default() }
            }).collect();
            let mut other = changes.clone();
            other.reverse();
            let description = describe(&DescribeParams { changes, ..DescribeParams::default() }).expect("a change");
            let text = description.to_string();
            prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
            let has_mark = text.contains('\u{202e}');
            prop_assert!(!has_mark);
            let again = describe(&DescribeParams { changes: other, ..DescribeParams::default() });
            prop_assert_eq!(again, Some(description));
        }
    }
}
