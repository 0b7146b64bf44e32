//! Imports data that other programs wrote, and takes the imports back.

use super::*;
use crate::foreign::{Format, ImportOptions, read_path};
use crate::intake::{ImportSummary, TargetCounts};
use crate::permanent::Edit;
use crate::project_map::{MapEntry, MapKind};
use crate::store::{Layers, Query, Table};
use crate::types::{Kind, Link, Relation, Status};
use crate::work_list::{WorkChange, WorkStatus};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The directory with the data.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/imports")
}

/// Sources, the SQL text of their databases or their paths, and what an import adds.
const SOURCES: [(&str, &[&str], &str); 13] = [
    ("mama-1.5.11", &["mama-1.5.11.sql"], "checkout: 4 checkpoint; tracked: 18 decision, 8 link"),
    (
        "mama-1.15.0",
        &["mama-1.15.0.sql"],
        "checkout: 4 checkpoint, 2 context; tracked: 19 decision, 8 link",
    ),
    (
        "mama-1.15.0 with a supplement",
        &["mama-1.15.0.sql", "mama-1.15.0-supplement.sql"],
        "checkout: 4 checkpoint, 4 context, 1 insight, 1 preference; tracked: 2 convention, \
         22 decision, 10 link, 1 removal",
    ),
    (
        "aidd.md",
        &["aidd.md.sql"],
        "sessions: 2 branch state, 1 convention, 1 decision, 2 insight, 1 lifecycle, 1 mistake, \
         2 pattern, 1 preference, 3 session, 1 tool_outcome, 1 workflow_outcome; tracked: \
         4 convention, 7 decision, 4 mistake",
    ),
    (
        "claude-mem",
        &["claude-mem-13.25.3.sql"],
        "checkout: 3 checkpoint, 3 decision, 6 insight, 2 mistake, 3 workflow_outcome",
    ),
    // Three of the tasks are notes: deferred, completed and obsolete work.
    (
        "aimfp",
        &["aimfp-1.69.0.sql"],
        "checkout: 3 checkpoint, 2 context, 5 insight; map: 3 flow, 3 theme; tracked: \
         1 convention, 5 decision, 1 mistake; work: 4 item, 4 milestone, 2 sidequest, 3 stage, 3 subtask, 9 task",
    ),
    (
        "aifp of 2025",
        &["aifp-2025-10.sql"],
        "checkout: 3 context, 1 insight; map: 1 flow, 1 theme; tracked: 2 decision, 1 mistake; work: 1 item, \
         2 milestone, 1 sidequest, 2 stage, 1 subtask, 3 task",
    ),
    (
        "memory-v2 i97",
        &["memory-v2-i97"],
        "drafts: 13 context, 4 convention; tracked: 11 decision, 2 link, 1 removal",
    ),
    (
        "memory-v2 i122",
        &["memory-v2-i122"],
        "drafts: 9 context, 4 convention; tracked: 12 decision, 5 link, 1 removal",
    ),
    ("serena", &["serena/memories"], "checkout: 10 context, 1 link"),
    ("server-memory", &["server-memory.jsonl"], "checkout: 12 insight, 1 pattern, 2 preference"),
    ("decision records", &["drafts"], "checkout: 1 link; drafts: 6 decision"),
    ("guidance", &["guidance"], "drafts: 5 convention, 3 decision, 1 mistake"),
];

/// Writes the database with these SQL texts.
fn write_database(path: &Path, texts: &[&str], journal: &str) -> rusqlite::Connection {
    let db = rusqlite::Connection::open(path).expect("a database");
    db.execute_batch(&format!("PRAGMA page_size = 512; PRAGMA journal_mode = {journal}"))
        .expect("a mode");
    for text in texts {
        let text = std::fs::read_to_string(data().join(text)).expect("SQL");
        db.execute_batch(&text).expect("executed");
    }
    db
}

/// The path of a source; databases are written to `folder`.
fn source(files: &[&str], folder: &Path, journal: &str) -> PathBuf {
    if files[0] == "guidance" {
        for (name, file) in
            [("CLAUDE.md", "guidance.txt"), ("sub/CLAUDE.md", "guidance-of-a-directory.txt")]
        {
            let text = std::fs::read_to_string(data().join("drafts").join(file)).expect("text");
            write(folder, &format!("project/{name}"), &text);
        }
        return folder.join("project");
    }
    if !files[0].ends_with(".sql") {
        return data().join(files[0]);
    }
    let path = folder.join("source.db");
    write_database(&path, files, journal).close().expect("closed");
    path
}

fn options() -> ImportOptions {
    ImportOptions { all_projects: true, ..ImportOptions::default() }
}

fn import(memory: &mut ProjectMemory, path: &Path, dry_run: bool) -> ImportSummary {
    let format = path.ends_with("serena/memories").then_some(Format::Serena);
    let file = read_path(path, "source", &ImportOptions { format, ..options() }).expect("read");
    memory.import_file(&file, "source", dry_run).expect("imported")
}

fn described(targets: &TargetCounts) -> String {
    let describe = |(target, counts): (&&str, &BTreeMap<String, usize>)| {
        let counts: Vec<String> =
            counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        format!("{target}: {}", counts.join(", "))
    };
    targets.iter().map(describe).collect::<Vec<_>>().join("; ")
}

/// Everything that a memory contains, as text.
fn contents(memory: &mut ProjectMemory) -> String {
    let query = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::ALL) };
    let text = memory.read(&mut |store| {
        let mut entries = store.entries(&query)?;
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        let mut documents = store.rows(Table::Sessions, "")?;
        documents.extend(store.rows(Table::Lifecycles, "")?);
        documents.sort_by(|a, b| a.0.cmp(&b.0));
        let mut lines = Vec::new();
        for file in ["decisions", "mistakes", "conventions"] {
            lines.push(store.lines_in(file)?);
        }
        Ok(format!("{entries:#?}\n{documents:#?}\n{lines:#?}\n{:#?}", store.all_links()?))
    });
    let work: Vec<_> = memory.work().expect("a list").entries().cloned().collect();
    let map: Vec<_> =
        memory.project_map().expect("a map").entries().map(|(_, entry)| entry.clone()).collect();
    let branches = memory.journal().branches().expect("branches").0;
    format!("{}\n{work:#?}\n{map:#?}\n{branches:#?}", text.expect("read"))
}

#[test]
fn every_source_is_imported_completely_once_and_taken_back() {
    let mut wrong = Vec::new();
    for (name, files, expected) in SOURCES {
        on_both_stores(|_, memory| {
            let folder = TempDir::new().expect("a directory");
            let path = source(files, folder.path(), "WAL");
            memory.save_decision(&decision("Ours", Some("ours"))).expect("saved");
            let before = contents(memory);
            let planned = import(memory, &path, true);
            assert_eq!(contents(memory), before, "{name}: a dry run wrote");
            let first = import(memory, &path, false);
            assert_eq!(first.targets, planned.targets, "{name}");
            let imported = contents(memory);
            let second = import(memory, &path, false);
            assert_eq!((second.new.len(), second.batch), (0, None), "{name}");
            assert_eq!(contents(memory), imported, "{name}");
            let undone = memory.undo_import(first.batch.as_deref()).expect("undone");
            assert_eq!(undone.remaining, [], "{name}");
            assert_eq!(contents(memory), before, "{name}");
            assert!(memory.export(true).expect("exported") == 0, "{name}");
            let again = import(memory, &path, false);
            assert_eq!(again.targets, first.targets, "{name}");
            memory.undo_import(None).expect("undone");
            assert_eq!(contents(memory), before, "{name}");
        });
        let folder = TempDir::new().expect("a directory");
        let path = source(files, folder.path(), "DELETE");
        let project = TempDir::new().expect("a directory");
        let mut memory = open_memory(project.path(), BackendChoice::Sqlite);
        let targets = described(&import(&mut memory, &path, false).targets);
        if targets != expected {
            wrong.push(format!("{name}: {targets}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_was_changed_since_the_import_remains() {
    on_both_stores(|_, memory| {
        let folder = TempDir::new().expect("a directory");
        let path = source(&["aimfp-1.69.0.sql"], folder.path(), "DELETE");
        let first = import(memory, &path, false);
        let query = Query::active(Layers::PERMANENT, Kind::Decision);
        let decisions = memory.read(&mut |store| store.entries(&query)).expect("read");
        let [edited, referred, ..] = &decisions[..] else { panic!("{decisions:#?}") };
        let edit = Edit { content: Some("Changed".to_owned()), ..Edit::default() };
        memory.edit(Kind::Decision, &edited.id, &edit).expect("edited");
        let mut new = decision("Ours", None);
        new.links = vec![Link::new(Relation::BuildsOn, &referred.id)];
        memory.save_decision(&new).expect("saved");
        let list = memory.work().expect("a list");
        let item = list.entries().find(|entry| entry.title == "CI file").expect("an item").clone();
        let change = WorkChange { status: Some(WorkStatus::Open), ..WorkChange::default() };
        memory.change_work(&item.id, &change).expect("changed");
        let undone = memory.undo_import(None).expect("undone");
        let remaining: Vec<&str> = undone.remaining.iter().map(|item| &*item.id).collect();
        for id in [&edited.id, &referred.id, &item.id] {
            assert!(remaining.contains(&&**id), "{remaining:?}");
        }
        // The item, and the work of which it is a part: a task, a milestone, a stage.
        assert_eq!(memory.work().expect("a list").entries().count(), 4);
        let left = memory.read(&mut |store| store.entries(&query)).expect("read");
        assert_eq!(left.len(), 3);
        // The rest can be imported again.
        let again = import(memory, &path, false);
        assert_eq!(again.new.len(), first.new.len() - remaining.len());
        assert!(memory.undo_import(Some("import_1_a")).is_err());
    });
}

#[test]
fn themes_and_flows_of_aifp_name_their_files() {
    let folder = TempDir::new().expect("a directory");
    let path = source(&["aimfp-1.69.0.sql"], folder.path(), "DELETE");
    let project = TempDir::new().expect("a directory");
    let mut memory = open_memory(project.path(), BackendChoice::Sqlite);
    let theme = |name: &str, path: &str| MapEntry {
        paths: vec![path.to_owned()],
        ..MapEntry::new(MapKind::Theme, name)
    };
    memory.change_map(theme("Search", "lib")).expect("named");
    let first = import(&mut memory, &path, false);
    let lines = |memory: &ProjectMemory| {
        let map = memory.project_map().expect("a map");
        let line =
            |entry: &MapEntry| format!("{} {:?} {:?}", entry.id(), entry.paths, entry.themes);
        map.entries().map(|(_, entry)| line(entry)).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(&memory),
        [
            r#"theme Authentication ["src/auth/passkey.py", "src/auth/session.py"] []"#,
            r#"theme Search ["lib"] []"#,
            r#"theme Переводы ["src/auth/passkey.py"] []"#,
            r#"flow Login flow ["src/auth/session.py"] ["Authentication"]"#,
            r#"flow Passkey registration ["src/auth/passkey.py"] ["Authentication", "Переводы"]"#,
            r#"flow Query flow ["src/search.py"] ["Search"]"#,
        ]
    );
    // A flow that was changed since remains, with its theme.
    let flow = MapEntry { kind: MapKind::Flow, ..theme("Login flow", "src/login.py") };
    memory.change_map(flow).expect("changed");
    let undone = memory.undo_import(first.batch.as_deref()).expect("undone");
    let remaining: Vec<_> = undone.remaining.iter().map(|item| (&*item.id, item.why)).collect();
    assert_eq!(
        remaining,
        [
            ("flow Login flow", "it was changed since the import"),
            ("theme Authentication", "something outside the import refers to it"),
        ]
    );
    assert_eq!(lines(&memory).len(), 3);
}

#[test]
fn a_row_that_the_other_program_changed_replaces_its_earlier_import() {
    let folder = TempDir::new().expect("a directory");
    let path = source(&["mama-1.5.11.sql"], folder.path(), "DELETE");
    let project = TempDir::new().expect("a directory");
    let mut memory = open_memory(project.path(), BackendChoice::Sqlite);
    import(&mut memory, &path, false);
    let db = rusqlite::Connection::open(&path).expect("a database");
    db.execute_batch("UPDATE decisions SET outcome = 'SUCCESS', confidence = 0.25").expect("set");
    drop(db);
    let second = import(&mut memory, &path, false);
    assert_eq!(described(&second.targets), "tracked: 18 decision, 8 link");
    let query = Query::new(Layers::PERMANENT);
    let entries = memory.read(&mut |store| store.entries(&query)).expect("read");
    assert_eq!(entries.len(), 18);
    assert!(entries.iter().all(|entry| entry.heads.len() == 1));
    assert!(entries.iter().all(|entry| entry.metadata["confidence"] == 0.25));
    assert_eq!(import(&mut memory, &path, false).new.len(), 0);
    assert_eq!(memory.undo_import(None).expect("undone").remaining, []);
    let entries = memory.read(&mut |store| store.entries(&query)).expect("read");
    assert!(entries.iter().any(|entry| entry.metadata["confidence"] != 0.25));
    assert_eq!(memory.undo_import(None).expect("undone").remaining, []);
    assert!(memory.read(&mut |store| store.entries(&query)).expect("read").is_empty());
}

#[test]
fn a_database_and_its_export_are_the_same_memories() {
    for (sql, exports) in [
        (
            "aidd.md.sql",
            &[
                "aidd.md-export/decisions.json",
                "aidd.md-export/mistakes.json",
                "aidd.md-export/conventions.json",
            ][..],
        ),
        ("claude-mem-13.25.3.sql", &["claude-mem-export.json"][..]),
    ] {
        for database_first in [true, false] {
            let folder = TempDir::new().expect("a directory");
            let database = source(&[sql], folder.path(), "DELETE");
            let mut paths: Vec<PathBuf> = exports.iter().map(|name| data().join(name)).collect();
            paths.insert(if database_first { 0 } else { paths.len() }, database);
            let project = TempDir::new().expect("a directory");
            let mut memory = open_memory(project.path(), BackendChoice::Sqlite);
            let mut ids: Vec<String> = Vec::new();
            for path in &paths {
                let file = read_path(path, &path.display().to_string(), &options());
                ids.extend(memory.import_file(&file.expect("read"), "x", false).expect("in").new);
            }
            let all = ids.len();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), all, "{sql}: a memory was imported twice");
        }
    }
}

#[test]
fn one_project_of_a_database_is_imported() {
    let folder = TempDir::new().expect("a directory");
    let path = source(&["claude-mem-13.25.3.sql"], folder.path(), "DELETE");
    let read = |options: &ImportOptions| read_path(&path, "claude-mem.db", options);
    let count = |options: &ImportOptions| read(options).expect("read").entries.len();
    let named =
        |name: &str| ImportOptions { projects: vec![name.to_owned()], ..ImportOptions::default() };
    let root =
        |name: &str| ImportOptions { root_name: Some(name.to_owned()), ..ImportOptions::default() };
    assert_eq!(count(&named("shop")) + count(&named("größen")), count(&options()));
    assert_eq!(count(&root("shop")), count(&named("shop")));
    for options in [named("other"), root("other")] {
        let error = read(&options).expect_err("unknown").to_string();
        assert!(error.contains("größen (") && error.contains("shop ("), "{error}");
    }
}

#[test]
fn hostile_and_damaged_databases_are_refused_or_read_safely() {
    let folder = TempDir::new().expect("a directory");
    let new = |name: &str| folder.path().join(name);
    let error_of =
        |path: &Path| read_path(path, "x.db", &options()).expect_err("refused").to_string();
    write_database(&new("odd.db"), &["mama-odd-values.sql"], "DELETE").close().expect("closed");
    let odd = read_path(&new("odd.db"), "odd.db", &options()).expect("read");
    assert!(odd.skipped.len() > 8, "{:#?}", odd.skipped);
    let project = TempDir::new().expect("a directory");
    let mut memory = open_memory(project.path(), BackendChoice::Sqlite);
    memory.import_file(&odd, "odd", false).expect("imported");
    assert_eq!(memory.import_file(&odd, "odd", false).expect("imported").new, [""; 0]);
    // `decisions` is an endless view.
    write_database(&new("view.db"), &["mama-hostile-schema.sql"], "DELETE").close().expect("ok");
    assert!(error_of(&new("view.db")).contains("not a database of a supported program"));
    for (name, sql) in [
        ("a", "CREATE TABLE observations (id INTEGER PRIMARY KEY, station TEXT)"),
        ("b", "CREATE TABLE decisions (id INTEGER PRIMARY KEY, verdict TEXT)"),
        ("c", "CREATE TABLE tasks (name TEXT); CREATE TABLE notes (content TEXT)"),
    ] {
        let db = rusqlite::Connection::open(new(name)).expect("a database");
        db.execute_batch(sql).expect("executed");
        drop(db);
        assert!(error_of(&new(name)).contains("its tables are"), "{name}");
    }
    let path = source(&["mama-1.5.11.sql"], folder.path(), "DELETE");
    let bytes = std::fs::read(&path).expect("read");
    std::fs::write(new("cut.db"), &bytes[..bytes.len() / 2]).expect("written");
    assert!(error_of(&new("cut.db")).contains("damaged SQLite database"));
    let own = project.path().join(".aidd/data.db");
    assert!(error_of(&own).contains("store of aidd"));
}

#[test]
fn memories_that_are_only_in_the_log_of_a_database_are_read() {
    let folder = TempDir::new().expect("a directory");
    let path = folder.path().join("source.db");
    let db = write_database(&path, &["aidd.md.sql"], "WAL");
    let before = std::fs::read(&path).expect("read");
    // The program is still running, and its data is only in the log.
    let file = read_path(&path, "source.db", &options()).expect("read");
    assert_eq!(file.revisions.len(), 15);
    assert_eq!(std::fs::read(&path).expect("read"), before);
    drop(db);
}

#[test]
fn a_damaged_list_of_imports_is_reported_and_nothing_is_imported() {
    let project = TempDir::new().expect("a directory");
    let mut memory = open_memory(project.path(), BackendChoice::Sqlite);
    let before = contents(&mut memory);
    let list = project.path().join(".aidd/data.imports.json");
    std::fs::write(&list, "{\"imports\": [").expect("written");
    let folder = TempDir::new().expect("a directory");
    let path = source(&["mama-1.5.11.sql"], folder.path(), "DELETE");
    let file = read_path(&path, "source.db", &options()).expect("read");
    let errors = [
        memory.import_file(&file, "source.db", false).expect_err("damaged").to_string(),
        memory.undo_import(None).expect_err("damaged").to_string(),
    ];
    for error in errors {
        assert!(error.starts_with(".aidd/data.imports.json is damaged ("), "{error}");
        assert!(error.contains("; delete it to import again"), "{error}");
    }
    assert_eq!(contents(&mut memory), before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Imports of any sources in any order, with repetitions, are taken back in any order.
    #[test]
    fn imports_are_taken_back_in_any_order(
        picks in proptest::collection::vec(0..SOURCES.len(), 1..5),
        seed in any::<u64>(),
    ) {
        let project = TempDir::new().expect("a directory");
        let mut memory = open_memory(project.path(), BackendChoice::Sqlite);
        let before = contents(&mut memory);
        for pick in picks {
            let folder = TempDir::new().expect("a directory");
            let path = source(SOURCES[pick].1, folder.path(), "DELETE");
            import(&mut memory, &path, false);
            prop_assert_eq!(import(&mut memory, &path, false).new.len(), 0);
        }
        let mut random = seed;
        // A later import can refer to memories of an earlier one, which is then taken back in parts.
        for _ in 0..50 {
            let batches = memory.import_batches().expect("batches");
            let Some(count) = u64::try_from(batches.len()).ok().filter(|count| *count > 0) else {
                break;
            };
            let at = usize::try_from(random % count).expect("an index");
            random = random.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            memory.undo_import(Some(&batches[at].id)).expect("undone");
        }
        prop_assert_eq!(contents(&mut memory), before);
    }
}
