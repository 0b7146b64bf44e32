//! The cost of reading lock files, for each format, and of matching them with advisories.

use super::measure::{Case, assert_linear};
use aidd_engine::project::advisories::Matcher;
use aidd_engine::project::locked;

/// Maximum number of entries, so that the largest text has a few megabytes.
const MAX_ENTRIES: usize = 1 << 15;

/// Path, text before the entries, an entry by its index, and text after the entries.
type Row = (&'static str, &'static str, fn(usize) -> String, &'static str);

/// Lock files of ordinary entries.
const ORDINARY: &[Row] = &[
    (
        "package-lock.json",
        "{\"packages\":{\"\":{\"dependencies\":{\"a\":\"1\"}}",
        |n| {
            format!(
                ",\"node_modules/a{n}\":{{\"version\":\"1.0.0\",\"dependencies\":{{\"b\":\"1\"}}}}"
            )
        },
        "}}",
    ),
    (
        "pnpm-lock.yaml",
        "importers:\n  .:\n    dependencies:\n      a0: 1.0.0\npackages:\n",
        |n| format!("  a{n}@1.0.0:\n    resolution: {{integrity: b}}\n"),
        "",
    ),
    (
        "yarn.lock",
        "# yarn lockfile v1\n",
        |n| format!("\na{n}@^1.0.0, a{n}@1:\n  version \"1.0.0\"\n  dependencies:\n    b \"1\"\n"),
        "",
    ),
    (
        "bun.lock",
        "{\"workspaces\":{},\"packages\":{\"z\":[\"z@1\"]",
        |n| format!(",\"a{n}\":[\"a{n}@1.0.0\",\"\",{{}},\"sha\"]"),
        "}}",
    ),
    (
        "Cargo.lock",
        "version = 4\n",
        |n| format!("[[package]]\nname = \"a{n}\"\nversion = \"1.0.0\"\ndependencies = [\"a0\"]\n"),
        "",
    ),
    (
        "uv.lock",
        "version = 1\n",
        |n| {
            format!(
                "[[package]]\nname = \"a{n}\"\nversion = \"1\"\nsource = {{ registry = \"b\" }}\n"
            )
        },
        "",
    ),
    ("poetry.lock", "", |n| format!("[[package]]\nname = \"a{n}\"\nversion = \"1\"\n"), ""),
    ("pdm.lock", "", |n| format!("[[package]]\nname = \"a{n}\"\nversion = \"1\"\n"), ""),
    (
        "Pipfile.lock",
        "{\"default\":{\"z\":{}",
        |n| format!(",\"a{n}\":{{\"version\":\"==1\"}}"),
        "}}",
    ),
    (
        "go.sum",
        "",
        |n| format!("a.example/b{n} v1.0.0 h1:0\na.example/b{n} v1.0.0/go.mod h1:0\n"),
        "",
    ),
    ("Gemfile.lock", "GEM\n  specs:\n", |n| format!("    a{n} (1.0)\n      b (~> 1)\n"), ""),
    (
        "composer.lock",
        "{\"packages\":[{}",
        |n| {
            format!(",{{\"name\":\"v/a{n}\",\"version\":\"1.0\",\"replace\":{{\"v/b{n}\":\"*\"}}}}")
        },
        "]}",
    ),
    ("gradle.lockfile", "", |n| format!("g:a{n}:1.0=compileClasspath\n"), ""),
];

/// Lock files in which one entry concerns many others.
const HOSTILE: &[Row] = &[
    (
        "package-lock.json",
        "{\"packages\":{\"a/b/c/d/e\":{\"dependencies\":{\"z\":\"1\"",
        |n| format!(",\"a{n}\":\"1\""),
        "}}}}",
    ),
    (
        "package-lock.json",
        "{\"dependencies\":{\"z\":{\"version\":\"1\"}",
        |n| {
            format!(
                ",\"a{n}\":{{\"version\":\"1\",\"dependencies\":{{\"b\":{{\"version\":\"2\"}}}}}}"
            )
        },
        "}}",
    ),
    (
        "Cargo.lock",
        "[[package]]\nname = \"z\"\nversion = \"1\"\n",
        |_| {
            "[[package]]\nname = \"a\"\nversion = \"1\"\ndependencies = [\"a\", \"a 1\"]\n"
                .to_owned()
        },
        "",
    ),
    (
        "uv.lock",
        "version = 1\n",
        |_| {
            "[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { editable = \".\" }\ndependencies = [{ name = \"a\" }]\n"
            .to_owned()
        },
        "",
    ),
    (
        "yarn.lock",
        "# yarn lockfile v1\n",
        |n| format!("\na@{n}:\n  version \"1.0.{n}\"\n  resolved \"x\"\n"),
        "",
    ),
    ("Gemfile.lock", "GEM\n  specs:\n    a (1)\nDEPENDENCIES\n", |_| "  a\n".to_owned(), ""),
];

fn text((_, before, entry, after): &Row, size: usize) -> String {
    let entries: String = (0..size).map(entry).collect();
    format!("{before}{entries}{after}")
}

fn cases(rows: &'static [Row], max_size: usize) -> impl Iterator<Item = Case<'static>> {
    rows.iter().map(move |row| {
        let read = |text: String| {
            let lock = locked::read(row.0, &text).expect("a lock file");
            assert_eq!(lock.problem, None, "{}", row.0);
            let locks = [lock];
            let matcher = Matcher::new(&locks);
            assert!(matcher.matches().is_empty());
        };
        Case::new(row.0, max_size, move |size| text(row, size), read)
    })
}

#[test]
fn lock_files_are_read_in_linear_time() {
    assert_linear(cases(ORDINARY, MAX_ENTRIES));
}

#[test]
fn lock_files_with_repeated_names_are_read_in_linear_time() {
    // The tree of a larger text does not fit into the memory that earlier runs left to the process:
    // page faults would be measured.
    assert_linear(cases(HOSTILE, MAX_ENTRIES / 2));
}

#[test]
fn advisories_with_many_events_are_matched_in_linear_time() {
    let advisory = |size: usize| {
        let events: String =
            (0..size).map(|n| format!(",{{\"introduced\":\"0.{n}.1\"}}")).collect();
        format!(
            "{{\"id\":\"X\",\"affected\":[{{\"package\":{{\"ecosystem\":\"npm\",\"name\":\"a\"}},\"ranges\":[{{\"type\":\"SEMVER\",\"events\":[{{\"introduced\":\"0\"}}{events}]}}]}}]}}"
        )
    };
    let lock = "# yarn lockfile v1\n\na@1:\n  version \"1.0.0\"\n";
    let run = |text: String| {
        let locks = [locked::read("yarn.lock", lock).expect("a lock file")];
        let mut matcher = Matcher::new(&locks);
        matcher.add(&text);
        assert_eq!(matcher.matches().len(), 1);
    };
    assert_linear([Case::new("events of an advisory", MAX_ENTRIES, advisory, run)]);
}
