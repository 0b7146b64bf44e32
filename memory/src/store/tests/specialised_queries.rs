//! Tests that specialised queries return the same results as reading all records.

use super::*;

/// The search data of each memory without its terms, ordered by id.
fn indexed_rows(store: &mut dyn StorageBackend) -> Vec<String> {
    let mut all = Vec::new();
    let read =
        &mut |row: SearchData| all.push(format!("{:?}", SearchData { columns: None, ..row }));
    store.indexed(None, false, read).expect("indexed");
    all.sort();
    all
}

fn put(store: &mut dyn StorageBackend, gate: &Gate, entry: &Entry) {
    let clean = gate.clean(entry).expect("clean");
    write(store, |store| store.put_entry(&clean).expect("put"));
}

#[test]
fn a_first_search_reads_the_same_data_as_a_full_read() {
    on_both(|store, gate| {
        let first = entry("decision_1_a", Kind::Decision, 1);
        put(store, gate, &first);
        put(store, gate, &entry("mistake_2_b", Kind::Mistake, 2));
        put(store, gate, &Entry { topic: None, ..entry("insight_3_c", Kind::Insight, 3) });
        let assert_same_data = |store: &mut dyn StorageBackend| {
            let full = indexed(store, None);
            let full = full.into_iter().map(|row| SearchData { columns: None, ..row });
            let mut full: Vec<String> = full.map(|row| format!("{row:?}")).collect();
            full.sort();
            assert_eq!(indexed_rows(store), full);
            full.join("\n")
        };
        assert_same_data(store);
        // Changes the status together with the memory and alone, the text, and the branch.
        put(store, gate, &Entry { status: Status::Superseded, ..first.clone() });
        assert_eq!(assert_same_data(store).matches("Superseded").count(), 1);
        write(store, |store| store.set_status("mistake_2_b", Status::Removed).expect("set"));
        assert_eq!(assert_same_data(store).matches("Removed").count(), 1);
        put(store, gate, &Entry { content: "see src/a.rs".into(), ..first.clone() });
        assert!(assert_same_data(store).contains("src/a.rs"));
        put(store, gate, &Entry { branch: Some("b/1".into()), session_id: None, ..first.clone() });
        assert!(assert_same_data(store).contains("b/1"));
        write(store, |store| assert!(store.delete_entry("mistake_2_b").expect("deleted")));
        assert_eq!(assert_same_data(store).lines().count(), 2);
    });
}

#[test]
fn memories_of_an_older_schema_are_indexed_unchanged() {
    let folder = TempDir::new().expect("a directory");
    let gate = Gate::new(&crate::DISTRIBUTION);
    let path = sqlite::path(folder.path());
    let mut old = sqlite::open_with(folder.path(), migrations::STEPS, 5).expect("a store").store;
    put(&mut *old, &gate, &entry("decision_1_a", Kind::Decision, 1));
    put(&mut *old, &gate, &entry("mistake_2_b", Kind::Mistake, 2));
    write(&mut *old, |store| store.set_status("mistake_2_b", Status::Superseded).expect("set"));
    let before = indexed_rows(&mut *old);
    drop(old);
    // Restores the second schema, as an older aidd left it, with a session that is not JSON.
    let db = rusqlite::Connection::open(&path).expect("open");
    for index in [
        "memories_by_meaning",
        "memories_contested",
        "memories_holding",
        "decisions_on_topic",
        "links_by_relation",
        "sessions_open",
        "sessions_by_thread",
        "search_sketches",
    ] {
        db.execute_batch(&format!("DROP INDEX {index}")).expect("dropped");
    }
    db.execute_batch("ALTER TABLE memories DROP COLUMN meaning_key").expect("dropped");
    for column in [
        "type",
        "status",
        "created_at",
        "topic_key",
        "session_id",
        "branch",
        "layer",
        "sketch",
        "is_question",
    ] {
        db.execute_batch(&format!("ALTER TABLE search DROP COLUMN {column}")).expect("dropped");
    }
    db.execute_batch("INSERT INTO sessions VALUES ('s', 1, '{')").expect("put");
    db.pragma_update(None, "user_version", 2).expect("set");
    drop(db);
    let opened = open(folder.path(), BackendChoice::Sqlite, 7).expect("a store");
    assert!(opened.notices[0].contains("from schema 2 to 6"), "{:?}", opened.notices);
    let mut store = opened.store;
    assert_eq!(indexed_rows(&mut *store), before);
    assert_eq!(store.check().expect("checked"), [""; 0]);
}

#[test]
fn a_row_without_its_memory_is_not_searched() {
    let folder = TempDir::new().expect("a directory");
    let gate = Gate::new(&crate::DISTRIBUTION);
    let mut store = opened(folder.path(), BackendChoice::Sqlite);
    put(&mut *store, &gate, &entry("decision_1_a", Kind::Decision, 1));
    let db = rusqlite::Connection::open(store.path()).expect("open");
    db.execute_batch(
        "INSERT INTO search (id, model, scheme, length, vector, files)
            SELECT 'stray', model, scheme, 1, vector, '[]' FROM search",
    )
    .expect("put");
    assert_eq!(indexed_rows(&mut *store).len(), 1);
}

#[test]
fn sessions_are_found_without_reading_all_sessions() {
    on_both(|store, gate| {
        let sessions = [
            json!({"id": "a", "memorySessionId": "t", "endedAt": 5}),
            json!({"id": "b", "memorySessionId": "t"}),
            json!({"id": "c", "memorySessionId": "u", "endedAt": null}),
            json!({"id": "d", "memory_session_id": "t", "endedAt": "2025-01-01"}),
            json!({"id": "e"}),
        ];
        write(store, |store| {
            for (at, session) in (0..).zip(&sessions) {
                let id = session["id"].as_str().expect("an id");
                let session = gate.clean(session).expect("clean");
                store.put_document(Table::Sessions, id, at, &session).expect("put");
            }
        });
        let is_sqlite = store.name() == "sqlite";
        let mut found = |which: Sessions<'_>| -> String {
            let found = store.sessions(which).expect("sessions");
            found.iter().filter_map(|session| session["id"].as_str()).collect()
        };
        // The JSON store can return more sessions, in the same order.
        let expected =
            |exactly: &str| if is_sqlite { exactly.to_owned() } else { "edcba".to_owned() };
        assert_eq!(found(Sessions::Open), expected("ecb"));
        assert_eq!(found(Sessions::Conversation("t")), expected("dba"));
        assert_eq!(found(Sessions::Conversation("v")), expected(""));
    });
}

#[test]
fn conflict_candidates_are_found_only_in_permanent_memory() {
    on_both(|store, gate| {
        let decision = |id: &str, topic: &str| Entry {
            topic: Some(topic.into()),
            heads: vec!["r".into()],
            ..entry(id, Kind::Decision, 1)
        };
        for entry in [
            decision("a", "Queue"),
            decision("b", "queue"),
            decision("c", "other"),
            Entry { status: Status::Superseded, ..decision("d", "other") },
            Entry { layer: Layer::Local, ..decision("e", "other") },
            Entry { kind: Kind::Convention, ..decision("f", "other") },
            Entry { heads: vec!["r,s".into()], ..decision("g", "") },
            Entry { heads: vec!["r".into(), "s".into()], ..decision("h", " ") },
            Entry {
                heads: vec!["r".into(), "s".into()],
                status: Status::Removed,
                ..decision("i", "queue")
            },
        ] {
            put(store, gate, &entry);
        }
        let link =
            |from: &str, relation, to: &str| Link { from: from.into(), ..Link::new(relation, to) };
        let links = [
            (
                "a",
                vec![link("a", Relation::Supersedes, "d"), link("a", Relation::Contradicts, "c")],
            ),
            ("b", vec![link("b", Relation::Supersedes, "b"), link("b", Relation::Debates, "a")]),
            (
                "d",
                vec![link("d", Relation::Supersedes, "a"), link("d", Relation::Contradicts, "a")],
            ),
            ("e", vec![link("e", Relation::Contradicts, "a")]),
            (
                "i",
                vec![link("i", Relation::Contradicts, "a"), link("i", Relation::Supersedes, "a")],
            ),
        ];
        write(store, |store| {
            for (from, links) in &links {
                store.put_links(from, &gate.clean(links).expect("clean")).expect("put");
            }
        });
        let candidates = store.conflict_candidates().expect("conflict candidates");
        assert_eq!(candidates.contested, [("h".to_owned(), vec!["r".to_owned(), "s".to_owned()])]);
        let topics: Vec<String> = candidates
            .topics
            .iter()
            .map(|(topic, ids)| format!("{topic}: {}", ids.join(" ")))
            .collect();
        assert_eq!(topics, ["queue: a b"]);
        let links: Vec<String> = candidates
            .links
            .iter()
            .map(|link| format!("{} {} {}", link.from, link.relation, link.to))
            .collect();
        assert_eq!(links, ["a contradicts c", "b supersedes b", "d supersedes a"]);
    });
}
