//! Tests that run on both stores.
#![expect(clippy::disallowed_methods, reason = "tests read and write files")]

mod specialised_queries;

use super::*;
use crate::privacy::Gate;
use crate::types::Relation;
use serde_json::{Map, json};
use tempfile::TempDir;

const BOTH: [BackendChoice; 2] = [BackendChoice::Sqlite, BackendChoice::Json];

fn opened(folder: &Path, choice: BackendChoice) -> Box<dyn StorageBackend> {
    let opened = open(folder, choice, 7).expect("a store");
    assert_eq!(opened.notices, [""; 0]);
    opened.store
}

/// Runs `test` on a new store of each kind.
fn on_both(test: impl Fn(&mut dyn StorageBackend, &Gate)) {
    let gate = Gate::new(&crate::DISTRIBUTION);
    for choice in BOTH {
        let folder = TempDir::new().expect("a directory");
        test(&mut *opened(folder.path(), choice), &gate);
    }
}

fn write(store: &mut dyn StorageBackend, work: impl Fn(&mut dyn StorageBackend)) {
    transaction(store, Durability::Full, &mut |store| {
        work(store);
        Ok(())
    })
    .expect("written");
}

fn entry(id: &str, kind: Kind, at: i64) -> Entry {
    Entry {
        id: id.into(),
        kind,
        layer: Layer::Permanent,
        topic: Some("Auth Strategy".into()),
        content: format!("content of {id}"),
        metadata: Map::from_iter([("reasoning".to_owned(), json!({"a": [1, null], "b": "줄"}))]),
        status: Status::Active,
        session_id: Some("session_1_a".into()),
        branch: None,
        created_at: at,
        updated_at: at + 10,
        schema_version: 1,
        heads: vec!["r1".into(), "r2".into()],
        extra: Map::from_iter([("later".to_owned(), json!(true))]),
    }
}

/// The search data of the memories that changed after a change number, with their terms.
fn indexed(store: &mut dyn StorageBackend, after: Option<i64>) -> Vec<SearchData> {
    let mut all = Vec::new();
    store.indexed(after, true, &mut |row| all.push(row)).expect("indexed");
    all
}

fn ids(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.id).collect()
}

#[test]
fn a_stored_memory_is_read_unchanged() {
    on_both(|store, gate| {
        let memory = entry("decision_1_a", Kind::Decision, 1);
        write(store, |store| store.put_entry(&gate.clean(&memory).expect("clean")).expect("put"));
        assert_eq!(store.entry("decision_1_a").expect("read"), Some(memory.clone()));
        assert_eq!(store.entry("decision_1_b").expect("read"), None);
        write(store, |store| store.set_status(&memory.id, Status::Superseded).expect("set"));
        let status = store.entry(&memory.id).expect("read").expect("there").status;
        assert_eq!(status, Status::Superseded);
        write(store, |store| {
            assert!(store.delete_entry(&memory.id).expect("deleted"));
            assert!(!store.delete_entry(&memory.id).expect("gone"));
        });
        assert_eq!(store.entry(&memory.id).expect("read"), None);
    });
}

#[test]
fn memories_are_found_by_their_fields() {
    on_both(|store, gate| {
        let mut all = vec![
            entry("decision_1_a", Kind::Decision, 1),
            entry("decision_2_b", Kind::Decision, 2),
            entry("mistake_3_c", Kind::Mistake, 3),
            entry("insight_4_d", Kind::Insight, 4),
        ];
        all[1].status = Status::Removed;
        all[2].topic = None;
        all[2].branch = Some("main".into());
        all[3].layer = Layer::Local;
        all[3].session_id = None;
        write(store, |store| {
            for entry in &all {
                store.put_entry(&gate.clean(entry).expect("clean")).expect("put");
            }
        });
        let number = store.change_number().expect("a change number");
        let mut find = |query: Query| {
            let found = store.entries(&query).expect("found");
            ids(&found).join(" ")
        };
        let base = || Query::new(Layers::ALL);
        assert_eq!(find(base()), "insight_4_d mistake_3_c decision_1_a");
        assert_eq!(find(Query { order: Order::Oldest, limit: Some(1), ..base() }), "decision_1_a");
        assert_eq!(
            find(Query { kinds: vec![Kind::Mistake, Kind::Insight], since: Some(4), ..base() }),
            "insight_4_d"
        );
        assert_eq!(find(Query { until: Some(3), ..base() }), "decision_1_a");
        assert_eq!(find(Query { statuses: vec![Status::Removed], ..base() }), "decision_2_b");
        assert_eq!(find(Query::new(Layers::LOCAL)), "insight_4_d");
        assert_eq!(
            find(Query { topic: Some("auth-STRATEGY".into()), ..base() }),
            "insight_4_d decision_1_a"
        );
        assert_eq!(find(Query { branch: Some("main".into()), ..base() }), "mistake_3_c");
        assert_eq!(
            find(Query { session_id: Some("session_1_a".into()), ..base() }),
            "mistake_3_c decision_1_a"
        );
        assert_eq!(find(Query { after: Some(number), ..base() }), "");
        let counts = store.counts().expect("counts");
        assert_eq!(counts.len(), 4);
        assert!(counts.contains(&(Layer::Local, Kind::Insight, Status::Active, 1)));
        write(store, |store| store.set_status("decision_1_a", Status::Superseded).expect("set"));
        let changed = store
            .entries(&Query { after: Some(number), order: Order::Change, ..base() })
            .expect("found");
        assert_eq!(ids(&changed), ["decision_1_a"]);
        // Without a change, the change number stays the same.
        let number = store.change_number().expect("a change number");
        write(store, |store| store.set_status("decision_1_a", Status::Superseded).expect("set"));
        assert_eq!(store.change_number().expect("a change number"), number);
    });
}

#[test]
fn links_are_found_from_both_ends() {
    on_both(|store, gate| {
        let link =
            |from: &str, relation, to: &str| Link { from: from.into(), ..Link::new(relation, to) };
        let links = vec![link("a", Relation::Supersedes, "b"), link("a", Relation::Debates, "c")];
        let reverse = vec![link("c", Relation::BuildsOn, "a")];
        let put = |store: &mut dyn StorageBackend, id: &str, links: &Vec<Link>| {
            store.put_links(id, &gate.clean(links).expect("clean")).expect("put");
        };
        write(store, |store| {
            put(store, "a", &links);
            put(store, "c", &reverse);
        });
        assert_eq!(store.links("b").expect("links"), [links[0].clone()]);
        assert_eq!(store.links("a").expect("links").len(), 3);
        let all = [&links[..], &reverse[..]].concat();
        assert_eq!(store.all_links().expect("links"), all);
        write(store, |store| put(store, "a", &Vec::new()));
        assert_eq!(store.links("a").expect("links"), reverse);
        assert_eq!(store.links("b").expect("links"), []);
    });
}

#[test]
fn lines_and_documents_are_stored() {
    on_both(|store, gate| {
        let line = Revision::first(Kind::Decision, "decision_1_a".into(), 1, "c").with_rev();
        let mirrored = MirroredLine { file: "decisions".into(), present: true, line: line.clone() };
        write(store, |store| {
            store.put_line(&gate.clean(&mirrored).expect("clean")).expect("put");
            for (at, id) in [(1, "a"), (3, "b"), (2, "c")] {
                let document = gate.clean(&json!({"id": id})).expect("clean");
                store.put_document(Table::Sessions, id, at, &document).expect("put");
            }
        });
        assert_eq!(store.lines_of("decision_1_a").expect("lines"), [mirrored]);
        write(store, |store| store.set_present("decisions", &line.rev, false).expect("set"));
        let lines = store.lines_in("decisions").expect("lines");
        assert_eq!(lines, [(line.rev.clone(), line.id.clone(), false)]);
        assert_eq!(store.lines_in("decision").expect("lines"), []);
        let documents = store.documents(Table::Sessions).expect("documents");
        assert_eq!(json!(documents), json!([{"id": "b"}, {"id": "c"}, {"id": "a"}]));
        assert_eq!(store.documents(Table::Lifecycles).expect("documents").len(), 0);
        write(store, |store| {
            assert!(store.delete_document(Table::Sessions, "b").expect("deleted"));
            assert!(!store.delete_document(Table::Sessions, "b").expect("gone"));
        });
        assert_eq!(store.document(Table::Sessions, "b").expect("read"), None);
        assert_eq!(store.document(Table::Sessions, "c").expect("read"), Some(json!({"id": "c"})));
        assert_eq!(store.check().expect("checked"), [""; 0]);
    });
}

#[test]
fn a_failed_write_is_rolled_back_and_a_committed_write_is_visible() {
    let gate = Gate::new(&crate::DISTRIBUTION);
    for choice in BOTH {
        let folder = TempDir::new().expect("a directory");
        let mut one = opened(folder.path(), choice);
        let mut other = opened(folder.path(), choice);
        let clean = gate.clean(&entry("decision_1_a", Kind::Decision, 1)).expect("clean");
        let failed: Result<(), _> = transaction(&mut *one, Durability::Normal, &mut |store| {
            store.put_entry(&clean)?;
            Err(MemoryError::Invalid("no".into()))
        });
        assert!(failed.is_err());
        assert_eq!(one.entry("decision_1_a").expect("read"), None);
        write(&mut *other, |store| store.put_entry(&clean).expect("put"));
        assert!(one.entry("decision_1_a").expect("read").is_some());
        drop((one, other));
        let mut reopened = opened(folder.path(), choice);
        assert!(reopened.entry("decision_1_a").expect("read").is_some());
    }
}

#[test]
fn a_damaged_store_is_moved_aside() {
    for (choice, name) in [(BackendChoice::Sqlite, "data.db"), (BackendChoice::Json, "data.jsonl")]
    {
        let folder = TempDir::new().expect("a directory");
        std::fs::write(folder.path().join(name), "no store, ".repeat(1000)).expect("written");
        let opened = open(folder.path(), choice, 7).expect("a store");
        assert!(opened.notices[0].contains("was damaged"), "{:?}", opened.notices);
        let aside = folder.path().join(format!("{name}.corrupt-7"));
        assert!(aside.is_file());
        drop(opened);
        assert_eq!(open(folder.path(), choice, 8).expect("a store").notices, [""; 0]);
    }
}

#[test]
fn a_newer_store_is_rejected() {
    let folder = TempDir::new().expect("a directory");
    drop(opened(folder.path(), BackendChoice::Sqlite));
    let connection = rusqlite::Connection::open(sqlite::path(folder.path())).expect("open");
    connection.pragma_update(None, "user_version", 99).expect("set");
    drop(connection);
    let error = open(folder.path(), BackendChoice::Auto, 7).expect_err("newer");
    assert!(matches!(error, MemoryError::Newer { found: 99, .. }), "{error}");
    std::fs::write(folder.path().join("data.jsonl"), "{\"aidd\":9,\"generation\":\"x\"}\n")
        .expect("written");
    let error = open(folder.path(), BackendChoice::Json, 7).expect_err("newer");
    assert!(matches!(error, MemoryError::Newer { found: 9, .. }), "{error}");
}

#[test]
fn a_migration_backs_up_the_log_and_fails_atomically() {
    let gate = Gate::new(&crate::DISTRIBUTION);
    let folder = TempDir::new().expect("a directory");
    let mut old = opened(folder.path(), BackendChoice::Sqlite);
    let clean = gate.clean(&entry("decision_1_a", Kind::Decision, 1)).expect("clean");
    write(&mut *old, |store| store.put_entry(&clean).expect("put"));
    // `old` is still open, so its writes are still in the log.
    let steps_with = |step| [migrations::STEPS, &[step]].concat();
    let steps = steps_with("CREATE TABLE more (x); INSERT INTO none VALUES (1);");
    let error = sqlite::open_with(folder.path(), &steps, 5).expect_err("a broken step");
    assert!(error.to_string().contains("cannot migrate the schema from 6 to 7"), "{error}");
    let steps = steps_with("CREATE TABLE more (x);");
    let new = sqlite::open_with(folder.path(), &steps, 6).expect("migrated");
    assert!(new.notices[0].contains("from schema 6 to 7"), "{:?}", new.notices);
    let backup = folder.path().join("data.db.v6-to-v7-6.bak");
    let copy = rusqlite::Connection::open(backup).expect("a backup");
    let count: i64 =
        copy.query_row("SELECT count(*) FROM memories", [], |row| row.get(0)).expect("rows");
    assert_eq!(count, 1);
    assert!(matches!(
        open(folder.path(), BackendChoice::Sqlite, 7),
        Err(MemoryError::Newer { .. })
    ));
}

#[test]
fn json_is_used_where_sqlite_cannot_be_used() {
    let folder = TempDir::new().expect("a directory");
    std::fs::create_dir(folder.path().join("data.db")).expect("a directory in place of the file");
    let first = open(folder.path(), BackendChoice::Auto, 7).expect("a store");
    assert_eq!(first.store.name(), "json");
    assert!(first.notices[0].contains("SQLite cannot be used here"), "{:?}", first.notices);
    std::fs::remove_dir(folder.path().join("data.db")).expect("removed");
    let second = open(folder.path(), BackendChoice::Auto, 8).expect("a store");
    assert_eq!(second.store.name(), "json");
    assert_eq!(second.notices.len(), 1);
}

#[test]
fn network_file_systems_use_json_and_are_reported() {
    let network = Some(place::SharedFileSystem::Network("NFS"));
    let folder = TempDir::new().expect("a directory");
    let opened = open_best(folder.path(), network, 7).expect("a store");
    assert_eq!(opened.store.name(), "json");
    assert!(opened.notices[0].ends_with("network file system (NFS)"), "{:?}", opened.notices);
    // An existing database remains in use, and a notice appears each time it is opened.
    let folder = TempDir::new().expect("a directory");
    drop(self::opened(folder.path(), BackendChoice::Sqlite));
    for _ in 0..2 {
        let opened = open_best(folder.path(), network, 7).expect("a store");
        assert_eq!(opened.store.name(), "sqlite");
        assert!(opened.notices[0].contains("on a network file system (NFS)"));
    }
    // If the file system is only possibly a network file system, the notice appears once.
    let possible = Some(place::SharedFileSystem::Possibly("FUSE"));
    let folder = TempDir::new().expect("a directory");
    for notices in [1, 0] {
        let opened = open_best(folder.path(), possible, 7).expect("a store");
        assert_eq!((opened.store.name(), opened.notices.len()), ("sqlite", notices));
    }
}

#[test]
fn a_failed_migration_does_not_switch_to_json() {
    let folder = TempDir::new().expect("a directory");
    drop(opened(folder.path(), BackendChoice::Sqlite));
    let path = sqlite::path(folder.path());
    // The schema already contains what the step creates, so the step fails.
    let connection = rusqlite::Connection::open(&path).expect("open");
    connection.execute_batch("CREATE TABLE more (x)").expect("made");
    drop(connection);
    let steps: Vec<&str> =
        migrations::STEPS.iter().copied().chain(["CREATE TABLE more (x)"]).collect();
    let error = sqlite::open_with(folder.path(), &steps, 5).expect_err("a step fails");
    assert!(matches!(error, MemoryError::Store(_)), "{error}");
    assert!(!json::exists(folder.path()));
}

#[test]
fn a_changed_line_of_a_log_is_reported_as_damage() {
    let gate = Gate::new(&crate::DISTRIBUTION);
    let folder = TempDir::new().expect("a directory");
    let mut store = opened(folder.path(), BackendChoice::Json);
    for n in 0..3 {
        let document = gate.clean(&json!({"id": "a", "n": n})).expect("clean");
        write(&mut *store, |store| {
            store.put_document(Table::Analytics, "a", n, &document).expect("put");
        });
    }
    let path = store.path().to_owned();
    let good = std::fs::read_to_string(&path).expect("a log");
    drop(store);
    let lines: Vec<&str> = good.lines().collect();
    let duplicated = [lines[0], lines[1], lines[1], lines[2], lines[3]].join("\n") + "\n";
    let dropped = [lines[0], lines[1], lines[3]].join("\n") + "\n";
    for bad in [good.replacen("\"n\":1", "\"n\":7", 1), duplicated, dropped] {
        std::fs::write(&path, bad).expect("written");
        let opened = open(folder.path(), BackendChoice::Json, 7).expect("a store");
        assert!(
            opened.notices[0].contains("was changed after it was written"),
            "{:?}",
            opened.notices
        );
    }
    // Everything after the damage is readable.
    let recovered = salvage::recover(&folder.path().join("data.jsonl.corrupt-7"));
    let read: Vec<_> =
        recovered.documents.iter().filter(|(table, ..)| *table == Table::Analytics).collect();
    assert_eq!((read.len(), recovered.lost), (1, 0));
    assert_eq!(read[0].3["n"], 2);
}

#[test]
fn an_open_store_that_was_moved_aside_is_reported() {
    for choice in BOTH {
        let folder = TempDir::new().expect("a directory");
        let one = opened(folder.path(), choice);
        let mut other = opened(folder.path(), choice);
        assert!(!one.is_set_aside());
        if choice == BackendChoice::Json {
            // The log is damaged first: a readable log counts as repaired by another process.
            let path = other.path().to_owned();
            let text = std::fs::read_to_string(&path).expect("a log") + "[\"x\",[]]\n";
            std::fs::write(path, text).expect("written");
        }
        let notice = set_aside(&mut other, "a test", 7).expect("moved aside");
        assert!(notice.contains("was damaged (a test)"), "{notice}");
        assert!(other.is_set_aside() && other.documents(Table::Meta).is_err());
        assert!(one.is_set_aside());
        drop(opened(folder.path(), choice));
        assert!(one.is_set_aside());
    }
}

#[test]
fn a_partial_line_is_skipped() {
    let gate = Gate::new(&crate::DISTRIBUTION);
    let folder = TempDir::new().expect("a directory");
    let mut store = opened(folder.path(), BackendChoice::Json);
    let path = store.path().to_owned();
    let partial = "[[\"memories\",\"decision_0_x\",{\"id\"";
    let text = std::fs::read_to_string(&path).expect("a log") + partial;
    std::fs::write(&path, text).expect("written");
    let clean = gate.clean(&entry("decision_1_a", Kind::Decision, 1)).expect("clean");
    write(&mut *store, |store| store.put_entry(&clean).expect("put"));
    let mut again = opened(folder.path(), BackendChoice::Json);
    assert!(again.entry("decision_1_a").expect("read").is_some());
    assert_eq!(again.check().expect("checked"), [""; 0]);
}

#[test]
fn a_log_of_outdated_lines_is_rewritten() {
    let gate = Gate::new(&crate::DISTRIBUTION);
    let folder = TempDir::new().expect("a directory");
    let mut one = opened(folder.path(), BackendChoice::Json);
    let mut other = opened(folder.path(), BackendChoice::Json);
    let documents: Vec<_> = (0..3).map(|n| gate.clean(&json!({"n": n})).expect("clean")).collect();
    for n in 0..5000 {
        let document = &documents[n % 3];
        transaction(&mut *one, Durability::Normal, &mut |store| {
            store.put_document(Table::Analytics, &format!("d{}", n % 3), 1, document)
        })
        .expect("written");
        if n % 1000 == 0 {
            assert!(other.document(Table::Analytics, "d0").expect("read").is_some());
        }
    }
    let length = std::fs::metadata(one.path()).expect("a log").len();
    assert!(length < 150_000, "{length} bytes");
    for store in [&mut one, &mut other] {
        assert_eq!(store.documents(Table::Analytics).expect("read").len(), 3);
    }
    assert_eq!(other.check().expect("checked"), [""; 0]);
}

#[test]
fn memories_of_the_first_schema_are_prepared_for_searches() {
    let folder = TempDir::new().expect("a directory");
    let db = rusqlite::Connection::open(sqlite::path(folder.path())).expect("open");
    db.execute_batch(migrations::STEPS[0]).expect("the first schema");
    db.pragma_update(None, "user_version", 1).expect("set");
    for n in 0..300 {
        db.execute(
            "INSERT INTO memories VALUES (?1, 'decision', 'local', 'Queue', 'queue', 'Postgres jobs',
                '{\"files\":[\"src/jobs.rs\"]}', 'active', NULL, 'main', 1, 2, 1, '[]', '{}', ?2)",
            rusqlite::params![format!("decision_1_{n}"), n],
        )
        .expect("a row");
    }
    drop(db);
    let mut opened = open(folder.path(), BackendChoice::Sqlite, 7).expect("a store");
    assert!(opened.notices[0].contains("from schema 1 to"), "{:?}", opened.notices);
    let found = indexed(&mut *opened.store, None);
    assert_eq!(found.len(), 300);
    assert!(found.iter().all(|memory| memory.vector.is_some() && memory.files == ["src/jobs.rs"]));
    assert_eq!(found[0].columns.as_ref().expect("texts")[1], "postgr job");
    let postings = opened.store.postings("postgr").expect("postings");
    assert_eq!(postings.len(), 300);
    assert_eq!(postings[0].1, [0, 1, 0, 0]);
    assert_eq!(opened.store.check().expect("checked"), [""; 0]);
}

#[test]
fn topic_keys_of_older_versions_are_updated() {
    let folder = TempDir::new().expect("a directory");
    let gate = Gate::new(&crate::DISTRIBUTION);
    let mut store = opened(folder.path(), BackendChoice::Sqlite);
    let memory = Entry { topic: Some("Cafe\u{301}".into()), ..entry("d", Kind::Decision, 1) };
    write(&mut *store, |store| store.put_entry(&gate.clean(&memory).expect("clean")).expect("put"));
    drop(store);
    // Changes the data to the form that an older aidd wrote.
    let db = rusqlite::Connection::open(sqlite::path(folder.path())).expect("open");
    db.execute_batch("UPDATE memories SET topic_key = topic; UPDATE search SET scheme = 1")
        .expect("set");
    drop(db);
    let query = Query { topic: Some("CAF\u{C9}".into()), ..Query::new(Layers::ALL) };
    let found = opened(folder.path(), BackendChoice::Sqlite).entries(&query).expect("found");
    assert_eq!(ids(&found), ["d"]);
}

#[test]
fn search_data_follows_changes_of_memories() {
    on_both(|store, gate| {
        let first = entry("decision_1_a", Kind::Decision, 1);
        let put = |store: &mut dyn StorageBackend, entry: &Entry| {
            write(store, |store| store.put_entry(&gate.clean(entry).expect("clean")).expect("put"));
        };
        put(store, &first);
        put(store, &entry("decision_2_b", Kind::Decision, 2));
        let number = store.change_number().expect("a change number");
        assert_eq!(indexed(store, Some(number)).len(), 0);
        put(store, &Entry { content: "an other text".into(), ..first.clone() });
        write(store, |store| store.set_status("decision_2_b", Status::Removed).expect("set"));
        let mut changed = indexed(store, Some(number));
        changed.sort_by(|a, b| a.id.cmp(&b.id));
        assert_eq!(changed.len(), 2);
        assert_eq!(changed[0].columns.as_ref().expect("texts")[1], "text");
        assert_eq!(changed[1].status, Status::Removed);
        let deletions = store.deletions().expect("a change number");
        let number = store.change_number().expect("a change number");
        write(store, |store| assert!(store.delete_entry(&first.id).expect("deleted")));
        assert!(store.deletions().expect("a change number") > deletions);
        assert!(store.change_number().expect("a change number") > number);
        assert_eq!(indexed(store, None).len(), 1);
        assert_eq!(store.postings("text").expect("postings"), []);
        assert_eq!(store.check().expect("checked"), [""; 0]);
    });
}
