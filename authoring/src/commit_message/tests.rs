//! Files before and after, and the header they give.

use super::{Change, Fate, Input, Message, context_paths, describe};
use std::collections::BTreeMap;

type Files<'a> = &'a [(&'a str, &'a str)];

/// The input for two states of a project. A file gone and a file with the same text elsewhere, or
/// `(old, new)` in `renames`, are one file renamed, as Git sees it.
fn input(before: Files<'_>, after: Files<'_>, renames: Files<'_>, subjects: &[&str]) -> Input {
    let old: BTreeMap<&str, &str> = before.iter().copied().collect();
    let new: BTreeMap<&str, &str> = after.iter().copied().collect();
    let text =
        |files: &BTreeMap<&str, &str>, path: &str| files.get(path).map(|it| (*it).to_owned());
    let mut changes = Vec::new();
    for path in old.keys().chain(new.keys()).collect::<std::collections::BTreeSet<_>>() {
        if old.get(path) == new.get(path) || renames.iter().any(|(from, _)| from == path) {
            continue;
        }
        let from = renames.iter().find(|(_, to)| to == path).map(|(from, _)| *from);
        let before = text(&old, from.unwrap_or(path));
        let after = text(&new, path);
        let fate = match (&before, &after) {
            (None, _) => Fate::Added,
            (_, None) => Fate::Deleted,
            _ => Fate::Changed,
        };
        let old_path = from.map(str::to_owned);
        changes.push(Change { path: (*path).to_owned(), old_path, fate, before, after });
    }
    let context = context_paths(&changes).into_iter().filter_map(|path| {
        let text = text(&new, &path)?;
        Some((path, text))
    });
    Input {
        context: context.collect(),
        subjects: subjects.iter().map(|subject| (*subject).to_owned()).collect(),
        changes,
        reverts: None,
    }
}

#[track_caller]
fn message(before: Files<'_>, after: Files<'_>) -> Message {
    let message = describe(&input(before, after, &[], &[])).expect("a change");
    assert!(message.header().chars().count() <= super::HEADER, "{}", message.header());
    message
}

#[track_caller]
fn header(before: Files<'_>, after: Files<'_>) -> String {
    message(before, after).header()
}

const CLIENT: &str = "pub struct Client { base: String }\n\nimpl Client {\n    pub fn get(&self, path: &str) -> String {\n        let url = format!(\"{}/{path}\", self.base);\n        send(&url)\n    }\n}\n\nfn send(url: &str) -> String {\n    if url.len() > 10 { url.to_owned() } else { String::new() }\n}\n";

#[test]
fn new_things_are_features() {
    let add = |more: &str| format!("{CLIENT}{more}");
    let with = |path: &str, text: &str| header(&[(path, CLIENT)], &[(path, text)]);
    let path = "src/http_client.rs";
    assert_eq!(
        with(path, &add("pub fn parse_url(a: u8) {}\n")),
        "feat: add `parse_url` to the HTTP client"
    );
    assert_eq!(
        with(path, &add("pub fn a() {}\npub fn b() {}\n")),
        "feat: add `a` and `b` to the HTTP client"
    );
    assert_eq!(
        with(path, &CLIENT.replace("fn send", "impl Client { pub fn post(&self) {} }\nfn send")),
        "feat: add `Client::post` to the HTTP client"
    );
    assert_eq!(
        with(path, &CLIENT.replace("base: String", "base: String, pub timeout: u64")),
        "feat: add `timeout` to `Client`"
    );
    assert_eq!(
        header(&[], &[("src/auth/login.ts", "export class Login { start() {} }")]),
        "feat(auth): add `Login`"
    );
    assert_eq!(
        header(
            &[],
            &[(
                "src/http_client.rs",
                "pub fn a() {}\npub fn b() {}\npub fn c() {}\npub fn d() {}\n"
            )]
        ),
        "feat: add the HTTP client module"
    );
    assert_eq!(
        header(
            &[("README.md", "# A\n")],
            &[
                ("README.md", "# A\n"),
                ("src/pay/card.py", "def charge(a): pass\n"),
                ("src/pay/bank.py", "def transfer(a): pass\n"),
                ("src/pay/__init__.py", "VERSION = 1\n"),
            ]
        ),
        "feat(pay): add `transfer`"
    );
    assert_eq!(
        header(&[], &[("db/0003_users.sql", "CREATE TABLE users (id int);\n")]),
        "feat(db): add 0003_users.sql"
    );
}

#[test]
fn a_fix_needs_evidence() {
    let path = "src/client.rs";
    let mended = CLIENT.replace("> 10", ">= 10");
    let with_test = format!(
        "{mended}\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn short_addresses_are_sent_too() {{}}\n}}\n"
    );
    assert_eq!(
        header(&[(path, CLIENT)], &[(path, &mended)]),
        "refactor: rework `send` in the client"
    );
    assert_eq!(
        header(&[(path, CLIENT)], &[(path, &with_test)]),
        "fix: correct `send`: short addresses are sent too"
    );
    let told = mended.replace("    if url", "    // A regression of the last release.\n    if url");
    assert_eq!(header(&[(path, CLIENT)], &[(path, &told)]), "fix: correct `send` in the client");
    // What is gone says nothing.
    assert_eq!(
        header(&[(path, &told)], &[(path, CLIENT)]),
        "refactor: rework `send` in the client"
    );
    let changelog = "# Changelog\n\n## Unreleased\n\n### Fixed\n\n- Old.\n";
    let entry = format!("{changelog}- Fixed a crash on short addresses ([#7](http://x/7)).\n");
    assert_eq!(
        header(
            &[(path, CLIENT), ("CHANGELOG.md", changelog)],
            &[(path, &mended), ("CHANGELOG.md", &entry)]
        ),
        "fix: fix a crash on short addresses"
    );
}

#[test]
fn the_same_code_otherwise_is_refactoring() {
    let path = "src/client.rs";
    let body = "(a: u8) -> u8 { let b = a + 1; c(b); d(b, a) }\n";
    let one = |name: &str| format!("fn {name}{body}");
    assert_eq!(
        header(&[(path, &one("old_name"))], &[(path, &one("new_name"))]),
        "refactor: rename `old_name` to `new_name`"
    );
    let unused = format!("{CLIENT}fn unused() {{}}\n");
    assert_eq!(
        header(&[(path, &unused)], &[(path, CLIENT)]),
        "refactor: remove `unused` from the client"
    );
    let long = "fn a() {\n    let b = c(1, 2);\n    let d = e(b, 3);\n    let f = g(d, b);\n    h(f);\n}\n";
    let split = "fn a() {\n    let f = i();\n    h(f);\n}\nfn i() {\n    let b = c(1, 2);\n    let d = e(b, 3);\n    let f = g(d, b);\n    f\n}\n";
    assert_eq!(header(&[(path, long)], &[(path, split)]), "refactor: extract `i` from `a`");
    let more = CLIENT.replace("fn send(url: &str)", "fn send(url: &str, tries: u8)");
    assert_eq!(header(&[(path, CLIENT)], &[(path, &more)]), "refactor: let `send` take `tries`");
    assert_eq!(
        header(
            &[("src/a.rs", "use b::c;\nfn d() {}\n")],
            &[("src/a.rs", "use b::e;\nfn d() {}\n")]
        ),
        "refactor: change the imports of a.rs"
    );
    let message = describe(&input(
        &[("src/a/b.rs", CLIENT)],
        &[("src/c/d.rs", CLIENT)],
        &[("src/a/b.rs", "src/c/d.rs")],
        &[],
    ));
    assert_eq!(message.expect("a change").header(), "refactor(c): move src/a/b.rs to src/c/d.rs");
    assert_eq!(
        header(
            &[("src/a.rs", &one("e")), ("src/b.rs", "")],
            &[("src/a.rs", ""), ("src/b.rs", &one("e"))]
        ),
        "refactor: move `e` to src/b.rs"
    );
}

#[test]
fn layout_comments_and_tests_are_no_change_of_the_product() {
    let path = "src/client.rs";
    let loose = CLIENT.replace("{ base: String }", "{\n    base: String,\n}");
    assert_eq!(header(&[(path, CLIENT)], &[(path, &loose)]), "style: format client.rs");
    let told = CLIENT.replace("fn send", "/// Sends.\nfn send");
    assert_eq!(header(&[(path, CLIENT)], &[(path, &told)]), "docs: comment client.rs");
    let tested = format!(
        "{CLIENT}#[cfg(test)]\nmod tests {{ #[test] fn addresses_are_joined_by_a_slash() {{}} }}\n"
    );
    assert_eq!(
        header(&[(path, CLIENT)], &[(path, &tested)]),
        "test: check that addresses are joined by a slash"
    );
    assert_eq!(
        header(
            &[("src/url.test.ts", "it('a b', () => {})\n")],
            &[(
                "src/url.test.ts",
                "it('a b', () => {})\nit('returns null for no host', () => {})\n"
            )]
        ),
        "test: check that it returns null for no host"
    );
    assert_eq!(
        header(&[], &[("tests/test_url.py", "def test_a(): pass\ndef test_b(): pass\n")]),
        "test: add 2 tests to test_url.py"
    );
}

#[test]
fn words_for_people_are_documentation() {
    let page = "# The guide\n\nHow to recieve mail.\n\n## First\n\nText.\n";
    let change = |from: &str, to: &str| {
        header(&[("docs/guide.md", page)], &[("docs/guide.md", &page.replace(from, to))])
    };
    assert_eq!(change("recieve", "receive"), "docs: fix a typo in guide.md");
    assert_eq!(change("Text.", "Other words."), "docs: revise \"First\" in guide.md");
    assert_eq!(
        change("Text.", "Text.\n\n## Merge queue\n\nMore."),
        "docs: add \"Merge queue\" to guide.md"
    );
    assert_eq!(header(&[], &[("docs/guide.md", page)]), "docs: describe the guide in guide.md");
    assert_eq!(header(&[("docs/guide.md", page)], &[]), "docs: remove guide.md");
}

#[test]
fn dependencies_and_settings_are_told_from_source() {
    let cargo =
        "[package]\nname = \"a\"\nversion = \"1.0.0\"\n\n[dependencies]\nserde = \"1.0.1\"\n";
    let change = |from: &str, to: &str| {
        header(&[("Cargo.toml", cargo)], &[("Cargo.toml", &cargo.replace(from, to))])
    };
    assert_eq!(change("1.0.1", "1.0.2"), "build(deps): bump serde from 1.0.1 to 1.0.2");
    assert_eq!(change("serde = \"1.0.1\"\n", ""), "build(deps): drop the dependency on serde");
    assert_eq!(change("serde", "tokio = \"1\"\nserde"), "build(deps): depend on tokio");
    assert_eq!(change("1.0.0", "1.1.0"), "chore: release 1.1.0");
    let workflow =
        "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - run: make\n";
    let path = ".github/workflows/release_notes.yml";
    assert_eq!(
        header(&[(path, workflow)], &[(path, &workflow.replace("v4", "v5"))]),
        "ci(deps): bump actions/checkout from v4 to v5"
    );
    assert_eq!(header(&[], &[(path, workflow)]), "ci: add the release notes workflow");
    assert_eq!(
        header(&[("config/app.yaml", "retries: 3\n")], &[("config/app.yaml", "retries: 5\n")]),
        "chore(config): set `retries` to 5 in config/app.yaml"
    );
    assert_eq!(
        header(&[("Cargo.lock", "a\n")], &[("Cargo.lock", "b\n")]),
        "build(deps): update Cargo.lock"
    );
    let change = Change { path: "logo.png".to_owned(), fate: Fate::Added, ..Change::default() };
    let message = describe(&Input { changes: vec![change], ..Input::default() });
    assert_eq!(message.expect("a change").header(), "chore: add logo.png");
}

#[test]
fn what_others_rely_on_breaks() {
    let source = "/// a\npub fn keep() {}\npub fn gone(a: u8) -> u8 { let b = a; c(b) }\n";
    let crate_of = |publish: &str| format!("[package]\nname = \"a\"\n{publish}");
    let lose = |manifest: &str, path: &str, root: &str| {
        message(
            &[("a/Cargo.toml", manifest), ("a/src/lib.rs", root), (path, source)],
            &[("a/Cargo.toml", manifest), ("a/src/lib.rs", root), (path, "pub fn keep() {}\n")],
        )
    };
    let message = lose(&crate_of(""), "a/src/b.rs", "pub mod b;\n");
    assert_eq!(message.header(), "refactor(a)!: remove `gone` from b.rs");
    assert_eq!(message.footer.as_deref(), Some("BREAKING CHANGE: `gone` is removed"));
    assert!(!lose(&crate_of(""), "a/src/b.rs", "mod b;\n").breaking);
    assert!(lose(&crate_of(""), "a/src/b.rs", "mod b;\npub use b::gone;\n").breaking);
    assert!(!lose(&crate_of("publish = false\n"), "a/src/b.rs", "pub mod b;\n").breaking);
    assert!(!lose(&crate_of(""), "a/src/main.rs", "pub mod b;\n").breaking);
}

#[test]
fn signatures_break_when_callers_must_change() {
    let is_breaking = |path: &str, before: &str, after: &str| {
        let package = r#"{"name": "p", "main": "dist/index.js"}"#;
        let python = "[project]\nname = \"p\"\n[build-system]\nrequires = []\n";
        let others =
            [("package.json", package), ("pyproject.toml", python), ("go.mod", "module m\n")];
        let with = |text| others.into_iter().chain([(path, text)]).collect::<Vec<_>>();
        message(&with(before), &with(after)).breaking
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
fn scopes_follow_the_project() {
    let after = [
        ("packages/web/src/auth/login.ts", "export const login = () => 1\n"),
        ("packages/web/package.json", "{}"),
    ];
    let of = |subjects: &[&str]| {
        let before = [("packages/web/package.json", "{}")];
        describe(&input(&before, &after, &[], subjects)).expect("a change").scope
    };
    assert_eq!(of(&[]).as_deref(), Some("web"));
    assert_eq!(of(&["fix(auth): x"]).as_deref(), Some("auth"));
    assert_eq!(of(&["fix: x"; 12]), None);
    let two =
        message(&[], &[("src/a/x.ts", "export const a = 1"), ("src/b/y.ts", "export const b = 1")]);
    assert_eq!(two.scope, None);
}

#[test]
fn a_commit_is_taken_back() {
    let mut input = input(&[("a", "1")], &[("a", "2")], &[], &[]);
    input.reverts = Some(("feat(x): add y".to_owned(), "ab12".repeat(10)));
    let message = describe(&input).expect("a change").to_string();
    assert_eq!(
        message,
        format!("revert: feat(x): add y\n\nThis reverts commit {}.", "ab12".repeat(10))
    );
}

#[test]
fn bodies_carry_facts_and_nothing_else() {
    let before = "pub fn a() {}\n";
    let after = "pub fn a(b: u8) {}\npub fn c() {}\n";
    let test = "it('works on c', () => {})\n";
    let message = message(
        &[("src/x.rs", before)],
        &[("src/x.rs", after), ("tests/x.test.ts", test), ("notes.txt", "n\n")],
    );
    assert_eq!(
        message.to_string(),
        "feat: add `c` to x.rs\n\n- let `a` take `b`\n- check that it works on c"
    );
    assert_eq!(message.why[0], "type feat: `c` can be used elsewhere and is new");
}

#[test]
fn nothing_changed_is_no_message() {
    assert_eq!(describe(&Input::default()), None);
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
        fn any_change_has_a_message(files in prop::collection::btree_map(path(), (text(), text()), 1..6)) {
            let changes: Vec<Change> = files.into_iter().map(|(path, (before, after))| {
                let fate = match (&before, &after) {
                    (None, _) => Fate::Added,
                    (_, None) => Fate::Deleted,
                    _ => Fate::Changed,
                };
                Change { path, before, after, fate, ..Change::default() }
            }).collect();
            let mut other = changes.clone();
            other.reverse();
            let message = describe(&Input { changes, ..Input::default() }).expect("a change");
            let header = message.header();
            prop_assert!(header.chars().count() <= super::super::HEADER, "{}", header);
            prop_assert!(!message.subject.is_empty() && !message.subject.ends_with('.'));
            prop_assert!(!message.to_string().chars().any(|c| c.is_control() && c != '\n'));
            prop_assert!(!header.contains('\n'));
            let again = describe(&Input { changes: other, ..Input::default() });
            prop_assert_eq!(again, Some(message));
        }
    }
}
