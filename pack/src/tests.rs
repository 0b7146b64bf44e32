//! Tests of whole packs: schema, budget, stability, privacy.
#![expect(clippy::disallowed_methods, reason = "the tests write a project")]

mod stored;

use crate::budget::{Draft, Section};
use crate::{Gathered, Limits, Pack, PackKind, SLICE_SCHEMA, gather, place};
use aidd_engine::check::Distribution;
use aidd_engine::parse::lines::log::Revision;
use aidd_engine::parse::lines::types::{Kind, Link, Relation};
use aidd_engine::workspace::project::Project;
use aidd_index::query::Reader;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

/// A token of a form that is recognised as a secret, assembled so that this file contains none.
fn secret() -> String {
    format!("{}_{}", "ghp", "R4nD0mS3cr3tT0k3nV4lu3F0rT3st1ng12AB")
}

fn decision(at: i64, topic: &str, text: &str, metadata: &Value, links: Vec<Link>) -> Revision {
    let id = format!("decision_{at}_{}", "0".repeat(12));
    let first = Revision::first(Kind::Decision, id, at, text);
    let metadata = serde_json::from_value(metadata.clone()).expect("an object");
    Revision { topic: Some(topic.to_owned()), metadata, links, ..first }.with_rev()
}

fn decisions() -> Vec<Revision> {
    let own = json!({"ticket": "ABC-1", "stage": "PLAN", "reasoning": "no store to run"});
    let first = decision(1_000, "auth", "Sessions live in Redis", &json!({}), Vec::new());
    let link = Link::new(Relation::Supersedes, &first.id);
    vec![
        decision(2_000, "auth", "Sessions live in signed cookies", &own, vec![link]),
        first,
        decision(3_000, "mail", "Use SMTP", &json!({"status": "rejected"}), Vec::new()),
        decision(4_000, "cache", "Cache for a day", &json!({"outcome": "FAILED"}), Vec::new()),
    ]
}

fn lines(revisions: &[Revision]) -> String {
    revisions.iter().map(|revision| revision.line() + "\n").collect()
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(path, text).expect("written");
}

/// A project with documents, a memory and code.
fn project() -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    fs::create_dir_all(root.join(".aidd")).expect("created");
    write(root, "ai/memory/decisions.jsonl", &lines(&decisions()));
    let convention = Revision::first(Kind::Convention, "convention_1_a".into(), 1, "Use tabs");
    write(root, "ai/memory/conventions.jsonl", &lines(&[convention.with_rev()]));
    write(root, "AGENTS.md", "# Rules\n\n- Never push to main.\n- Sessions MUST expire.\n");
    write(
        root,
        "docs/specs/abc-1-login.md",
        "# Login\n\n## Glossary\n\n**Session**: a login of a user\n\n## Constraints\n\n- p95 under 50 ms\n\n\
         ## Open questions\n\n- How long does a session last?\n\nSee `src/login.py`.\n",
    );
    write(root, "docs/config.md", "| Key | Default |\n| --- | --- |\n| `ttl` | 30 |\n");
    write(
        root,
        "src/login.py",
        "class Session:\n    \"\"\"A login of a user.\"\"\"\n\ndef login():\n    return Session()\n",
    );
    dir
}

fn open(root: &Path) -> Project {
    Project::open(&DISTRIBUTION, root, None).expect("a project")
}

fn index(project: &Project) -> Reader {
    aidd_index::refresh(&project.disk, &project.config).expect("an index");
    Reader::open(project.root()).expect("an index")
}

fn with<T>(root: &Path, ticket: &str, work: impl FnOnce(&Gathered<'_>, &Reader) -> T) -> T {
    let project = open(root);
    let reader = index(&project);
    let gathered = gather(&project, Some(ticket), Limits::MAX).expect("gathered");
    work(&gathered, &reader)
}

fn built(root: &Path, ticket: &str) -> Vec<Pack> {
    with(root, ticket, |gathered, reader| gathered.packs(Some(reader)).expect("packs"))
}

fn is_valid(schema: &str, text: &str) {
    let schema = serde_json::from_str(schema).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let document: Value = serde_json::from_str(text).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
}

fn cells(pack: &Pack, section: &str, column: usize) -> Vec<String> {
    let document: Value = serde_json::from_str(&pack.text).expect("JSON");
    let rows = document[section]["rows"].as_array().expect("rows");
    rows.iter().map(|row| row[column].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_pack_is_valid_and_contains_what_the_project_states() {
    let dir = project();
    let packs = built(dir.path(), "ABC-1");
    let [semantic, decisions, rlm, log] = &packs[..] else { panic!("four packs") };
    for (kind, pack) in [PackKind::Semantic, PackKind::Decisions, PackKind::Rlm].iter().zip(&packs)
    {
        is_valid(kind.schema(), &pack.text);
        assert_eq!(pack.path, kind.path("ABC-1"));
    }
    assert_eq!(cells(semantic, "terms", 0), ["Session"]);
    assert_eq!(cells(semantic, "defaults", 0), ["`ttl`"]);
    assert_eq!(cells(semantic, "constraints", 1), ["p95 under 50 ms", "Use tabs"]);
    assert_eq!(cells(semantic, "invariants", 1), ["Never push to main.", "Sessions MUST expire."]);
    assert!(semantic.text.contains("How long does a session last?"));
    assert_eq!(cells(decisions, "active_decisions", 3), ["Sessions live in signed cookies"]);
    assert_eq!(cells(decisions, "superseded_heads", 2), ["Sessions live in Redis"]);
    assert_eq!(cells(decisions, "rejected", 4), ["failed", "rejected"]);
    assert_eq!(cells(rlm, "files", 0), ["src/login.py"]);
    assert_eq!(log.text.lines().count(), 1);
    is_valid(PackKind::Log.schema(), &log.text);
    let all = built(dir.path(), "project");
    let statuses = all[3].text.lines().map(|line| {
        is_valid(PackKind::Log.schema(), line);
        serde_json::from_str::<Value>(line).expect("JSON")["status"].as_str().map(str::to_owned)
    });
    let statuses: Vec<Option<String>> = statuses.collect();
    let expected = ["superseded", "active", "rejected", "active"].map(|word| Some(word.to_owned()));
    assert_eq!(statuses, expected);
}

#[test]
fn defaults_of_the_command_line_follow_the_documented_ones() {
    let dir = project();
    let text = "import argparse\n\ndef build(parser):\n    parser.add_argument('--jobs', default=2)\n    \
        parser.add_argument('--port', default=80, help='The port')\n    \
        parser.add_argument('--token', default='x')\n\ndef serve(parser):\n    \
        parser.add_argument('--port', default=81)\n    parser.add_argument('--port', default=80)\n";
    write(dir.path(), "src/cli.py", text);
    write(dir.path(), "docs/cli.md", "# CLI\n\n- `--jobs N`: threads (default `4`)\n");
    let rows = built(dir.path(), "ABC-1")[0].text.clone();
    let rows: Vec<&str> =
        rows.lines().filter(|line| line.contains("\"`--") || line.contains("\"--")).collect();
    assert_eq!(
        rows,
        [
            r#"["--jobs N","4","docs/cli.md#cli",""],"#,
            r#"["--port","80","src/cli.py#build","The port"],"#,
            r#"["--port","81","src/cli.py#serve",""]"#,
        ]
    );
}

#[test]
fn two_clones_and_shuffled_lines_give_the_same_bytes() {
    let (one, other) = (project(), project());
    let first = built(one.path(), "ABC-1");
    assert_eq!(first, built(other.path(), "ABC-1"));
    let mut shuffled = decisions();
    shuffled.reverse();
    shuffled.swap(0, 1);
    write(other.path(), "ai/memory/decisions.jsonl", &lines(&shuffled));
    // Another time, another order of creation and a repeated line change nothing.
    let path = other.path().join("ai/memory/decisions.jsonl");
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, format!("{text}{text}")).expect("written");
    assert_eq!(first, built(other.path(), "ABC-1"));
}

#[test]
fn a_decision_has_the_same_id_whenever_it_is_made() {
    let id = |at, ticket: &str, text: &str| {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(dir.path().join(".aidd")).expect("created");
        let made = decision(at, "Auth", text, &json!({"ticket": ticket}), Vec::new());
        write(dir.path(), "ai/memory/decisions.jsonl", &lines(&[made]));
        cells(&built(dir.path(), ticket)[1], "active_decisions", 0)
    };
    assert_eq!(id(1, "A-1", "Use X."), id(99, "A-1", "use  x"));
    assert_ne!(id(1, "A-1", "Use X."), id(1, "A-2", "Use X."));
}

#[test]
fn secrets_are_masked_and_hidden_characters_escaped() {
    let dir = project();
    let text =
        format!("# R\n\n- Never share {} with anyone.\n- Never \u{202e}reorder text.\n", secret());
    write(dir.path(), "AGENTS.md", &text);
    let made = decision(9, "x", &format!("Use the key {}", secret()), &json!({}), Vec::new());
    write(dir.path(), "ai/memory/decisions.jsonl", &lines(&[made]));
    let packs = built(dir.path(), "project");
    for pack in &packs {
        assert!(!pack.text.contains(&secret()), "{}", pack.text);
        assert!(!pack.text.contains('\u{202e}'));
    }
    assert!(packs[0].text.contains("reorder text"));
    with(dir.path(), "project", |gathered, reader| {
        let slice = gathered.slice("never", Some(reader)).expect("a slice");
        assert!(!slice.text.contains(&secret()) && slice.text.contains("with anyone"));
    });
}

#[test]
fn a_slice_has_the_rows_with_all_words() {
    let dir = project();
    with(dir.path(), "ABC-1", |gathered, reader| {
        let slice = gathered.slice("  SESSIONS  cookies ", Some(reader)).expect("a slice");
        is_valid(SLICE_SCHEMA, &slice.text);
        assert_eq!(cells(&slice, "hits", 0), ["active_decisions"]);
        assert!(slice.path.starts_with("aidd/reports/context/ABC-1.memory-slice."));
        assert_eq!(slice, gathered.slice("sessions cookies", Some(reader)).expect("a slice"));
        let symbols = gathered.slice("login", Some(reader)).expect("a slice");
        assert!(cells(&symbols, "hits", 1).contains(&"src/login.py#login~function".to_owned()));
        let none = gathered.slice("nothing here", Some(reader)).expect("a slice");
        is_valid(SLICE_SCHEMA, &none.text);
        assert!(cells(&none, "hits", 0).is_empty());
    });
}

#[test]
fn verification_names_what_is_wrong() {
    let dir = project();
    let root = dir.path();
    let codes = || {
        with(root, "ABC-1", |gathered, reader| {
            let problems = gathered.verify(Some(reader)).expect("verified");
            problems.into_iter().map(|problem| problem.code).collect::<Vec<_>>()
        })
    };
    assert_eq!(
        codes(),
        [
            "memory_semantic_pack_missing",
            "memory_decisions_pack_missing",
            "memory_rlm_pack_missing",
            "memory_decisions_log_missing"
        ]
    );
    for pack in built(root, "ABC-1") {
        assert!(pack.write(root).expect("written"));
        assert!(!pack.write(root).expect("current"));
    }
    assert!(codes().is_empty());
    write(root, "AGENTS.md", "# Rules\n\n- Never push to master.\n");
    assert_eq!(codes(), ["memory_semantic_pack_stale"]);
    write(root, "AGENTS.md", "# Rules\n\n- Never push to main.\n- Sessions MUST expire.\n");
    let path = root.join(PackKind::Decisions.path("ABC-1"));
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, text.replace("\"pack_version\":1", "\"pack_version\":7")).expect("written");
    assert_eq!(codes(), ["memory_decisions_pack_invalid"]);
    fs::write(&path, "{").expect("written");
    fs::write(root.join(PackKind::Log.path("ABC-1")), "{}\n").expect("written");
    assert!(codes().contains(&"memory_decisions_log_invalid".to_owned()));
}

#[cfg(unix)]
#[test]
fn nothing_is_read_or_written_through_links() {
    use std::os::unix::fs::symlink;
    let other = tempfile::tempdir().expect("a directory");
    for link in ["aidd", "aidd/reports", "aidd/reports/memory"] {
        let dir = project();
        let root = dir.path();
        let at = root.join(link);
        fs::create_dir_all(at.parent().expect("a directory")).expect("created");
        // A link inside of the root is refused as well.
        for target in [other.path(), &root.join("docs")] {
            symlink(target, &at).expect("linked");
            let pack = &built(root, "ABC-1")[0];
            let error = pack.write(root).expect_err("refused").to_string();
            assert!(error.contains("link"), "{error}");
            assert!(place::read(root, &pack.path).is_err());
            fs::remove_file(&at).expect("removed");
        }
    }
    assert_eq!(fs::read_dir(other.path()).expect("a directory").count(), 0);
    // Documents outside of the root are not read.
    let dir = project();
    write(other.path(), "secret.md", "# R\n\n- Never tell anyone.\n");
    symlink(other.path().join("secret.md"), dir.path().join("docs/x.md")).expect("linked");
    symlink(other.path(), dir.path().join("rules")).expect("linked");
    assert!(!built(dir.path(), "ABC-1")[0].text.contains("tell anyone"));
}

#[test]
fn git_ignores_the_packs_unless_they_are_tracked() {
    let dir = project();
    let path = dir.path().join("aidd/reports/.gitignore");
    place::set_tracked(dir.path(), true).expect("nothing to do");
    assert!(!path.exists());
    place::set_tracked(dir.path(), false).expect("written");
    assert!(fs::read_to_string(&path).expect("text").ends_with("*\n"));
    place::set_tracked(dir.path(), true).expect("removed");
    assert!(!path.exists());
    fs::write(&path, "own\n").expect("written");
    place::set_tracked(dir.path(), true).expect("kept");
    assert!(path.exists());
}

/// Rows of random length, also with characters that JSON escapes and with wide characters.
fn arbitrary_rows() -> impl Strategy<Value = Vec<Vec<String>>> {
    let cell = prop_oneof![
        "[ -~]{0,40}",
        "[ -~]{0,320}",
        "[가-힣 \"\\\\]{0,200}",
        Just("\u{1F600}\"\n".repeat(120)),
    ];
    prop::collection::vec(prop::collection::vec(cell, 4), 0..25)
}

const COLUMNS: &[(&str, usize)] = &[("a", 300), ("b", 220), ("c", 120), ("d", 120)];
const NAMES: [&str; 5] = ["open_questions", "terms", "defaults", "constraints", "invariants"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_pack_exceeds_its_budget(
        all in prop::collection::vec(arbitrary_rows(), 5),
        chars in 2000_usize..=8000,
        lines in 40_usize..=180,
        rows in 1_usize..=15,
    ) {
        let limits = Limits { chars, lines, rows };
        let counts: Vec<usize> = all.iter().map(Vec::len).collect();
        let sections = NAMES.iter().zip(all).map(|(name, rows)| {
            let mut section = Section::new(name, COLUMNS);
            section.rows =
                rows.into_iter().map(|row| row.into_iter().map(Value::from).collect()).collect();
            section
        });
        let draft = Draft {
            head: vec![("ticket", "x".repeat(64).into())],
            sections: sections.collect(),
            drop_order: &NAMES,
            stats: Map::new(),
        };
        let text = draft.render(limits, &DISTRIBUTION);
        prop_assert!(text.chars().count() <= chars && text.lines().count() <= lines);
        let document: Value = serde_json::from_str(&text).expect("JSON");
        prop_assert_eq!(document["stats"]["chars"].as_u64(), u64::try_from(text.chars().count()).ok());
        prop_assert_eq!(document["stats"]["lines"].as_u64(), u64::try_from(text.lines().count()).ok());
        let mut all_empty = true;
        for (name, count) in NAMES.iter().zip(counts) {
            let kept = document[name]["rows"].as_array().map_or(0, Vec::len);
            let dropped = document["stats"]["dropped"][name].as_u64().unwrap_or_default();
            prop_assert_eq!(kept + usize::try_from(dropped).unwrap_or_default(), count);
            prop_assert!(kept <= rows);
            // A section loses rows to the budget only when all sections before it are empty.
            let was_cut = kept < count.min(rows);
            prop_assert!(all_empty || !was_cut);
            all_empty &= kept == 0;
        }
    }
}
