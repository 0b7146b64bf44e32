//! Tests with stores that were deleted, truncated or replaced by the database of another program:
//! the data that only the store contained is restored from its backup, and notices report losses.
#![expect(clippy::disallowed_methods, reason = "truncates files and starts processes")]

use super::processes::Job;
use super::*;
use crate::store::{Layers, Table, backup, sqlite};
use crate::usage::event::{Event, RunCheck, TimedEvent};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

const BOTH: [BackendChoice; 2] = [BackendChoice::Sqlite, BackendChoice::Json];

fn store_in(root: &Path, choice: BackendChoice) -> PathBuf {
    root.join(if choice == BackendChoice::Json { ".aidd/data.jsonl" } else { ".aidd/data.db" })
}

fn truncate(path: &Path, length: u64) {
    OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|file| file.set_len(length))
        .expect("truncated");
}

/// All data that only the store contains, as text.
fn local_data(memory: &mut ProjectMemory) -> String {
    let query = Query {
        statuses: Status::ALL.to_vec(),
        ..Query::new(Layers::SESSION.union(Layers::LOCAL))
    };
    memory
        .read(&mut |store| {
            let mut text = String::new();
            let mut entries = store.entries(&query)?;
            entries.sort_by(|a, b| a.id.cmp(&b.id));
            for entry in entries {
                writeln!(text, "{}", serde_json::json!(entry)).expect("a string");
            }
            for table in [Table::Sessions, Table::Lifecycles, Table::Analytics] {
                let mut rows = store.rows(table, "")?;
                rows.sort_by(|a, b| a.0.cmp(&b.0));
                writeln!(text, "{rows:?}").expect("a string");
            }
            Ok(text)
        })
        .expect("the data of the store")
}

/// Creates and closes a store; returns its directory and contents.
fn create_store(choice: BackendChoice, rounds: usize) -> (TempDir, [usize; 4], String, String) {
    let folder = ram_temp_dir();
    let mut memory = open_memory(folder.path(), choice);
    save_some(&mut memory, &mut Rng(7), rounds);
    let event = Event::Run(true, vec![RunCheck::Tests]);
    memory.note_events("session_1_a", &[TimedEvent { at: 7, event }]).expect("noted");
    let (permanent_before, local) = (permanent_text(&mut memory), local_data(&mut memory));
    let counts = counts(&mut memory);
    (folder, counts, permanent_before, local)
}

#[test]
fn a_truncated_or_missing_store_is_restored_and_reported() {
    for choice in BOTH {
        let (folder, counts_before, permanent_before, before) = create_store(choice, 12);
        let root = folder.path();
        let path = store_in(root, choice);
        let image = fs::read(&path).expect("bytes");
        let length = image.len() as u64;
        let mut numbers = Rng(23);
        let mut lengths =
            vec![None, Some(0), Some(1), Some(length / 2), Some(length / 8192 * 4096)];
        lengths.extend((0..size(3, 60)).map(|_| Some(numbers.next() % length)));
        for at in lengths {
            let _ = fs::remove_file(root.join(".aidd/data.db-wal"));
            fs::write(&path, &image).expect("restored");
            match at {
                None => fs::remove_file(&path).expect("removed"),
                Some(at) => truncate(&path, at),
            }
            let mut memory = open_with_notices(root, choice);
            assert_eq!(counts(&mut memory), counts_before, "{choice:?} truncated at {at:?}");
            assert_eq!(
                permanent_text(&mut memory),
                permanent_before,
                "{choice:?} truncated at {at:?}"
            );
            assert_eq!(local_data(&mut memory), before, "{choice:?} truncated at {at:?}");
            let notices = memory.take_notices().join("\n");
            for words in ["restored from", "sessions", "complete up to", "12 of type decision"] {
                assert!(notices.contains(words), "{choice:?} truncated at {at:?}: {notices}");
            }
            drop(memory);
            assert_eq!(
                open_with_notices(root, choice).take_notices(),
                [""; 0],
                "{choice:?} truncated at {at:?}"
            );
        }
    }
}

#[test]
fn the_notice_lists_restored_records_and_their_source() {
    let (folder, ..) = create_store(BackendChoice::Sqlite, 3);
    truncate(&store_in(folder.path(), BackendChoice::Sqlite), 0);
    let notices = open_with_notices(folder.path(), BackendChoice::Sqlite).take_notices();
    assert!(notices[0].contains("data.db was missing or empty; restored from"), "{notices:?}");
    let counted = "3 sessions, 12 observations, 3 other memories of this checkout, 3 lifecycles, \
                   1 statistics record; the backup is complete up to";
    assert!(notices[0].contains(counted), "{notices:?}");
    assert_eq!(notices[1], "read from the tracked files: 3 of type decision");
}

/// The database is in the state of its last checkpoint: nothing in the database shows the loss.
#[test]
fn a_database_that_lost_its_log_is_restored_from_the_backup() {
    let folder = ram_temp_dir();
    let root = folder.path();
    save_some(&mut open_memory(root, BackendChoice::Sqlite), &mut Rng(1), 2);
    let path = store_in(root, BackendChoice::Sqlite);
    let mut memory = open_with_notices(root, BackendChoice::Sqlite);
    let old = fs::read(&path).expect("bytes");
    let session = memory.start_session(new_session("main")).expect("a session").id;
    memory.save_insight("Noted late", None, &Insight::default(), None).expect("saved");
    memory.delete_session(&session).expect("deleted");
    let before = local_data(&mut memory);
    drop(memory);
    fs::write(&path, old).expect("restored");
    let _ = fs::remove_file(root.join(".aidd/data.db-wal"));
    let mut memory = open_with_notices(root, BackendChoice::Sqlite);
    let notices = memory.take_notices().join("\n");
    assert!(notices.contains("had lost its last 3 writes; restored from"), "{notices}");
    assert_eq!(local_data(&mut memory), before);
}

#[test]
fn deleted_records_are_removed_from_the_backup_and_not_restored() {
    for choice in BOTH {
        let (folder, ..) = create_store(choice, 4);
        let mut memory = open_with_notices(folder.path(), choice);
        let id = memory.save_insight("Not for long", None, &Insight::default(), None);
        let id = id.expect("saved");
        let sessions = memory.sessions(None, None, 100).expect("sessions");
        memory.delete_session(&sessions[0].id).expect("deleted");
        memory.remove_any(&id, None).expect("removed");
        let before = local_data(&mut memory);
        drop(memory);
        let path = store_in(folder.path(), choice);
        let text = fs::read_to_string(backup::path_of(&path)).expect("a backup");
        assert!(!text.contains("Not for long") && !text.contains(&sessions[0].id));
        // The store is damaged, so that its pages are examined as well.
        let mut bytes = fs::read(&path).expect("bytes");
        bytes[..40].fill(0);
        fs::write(&path, bytes).expect("damaged");
        assert_eq!(local_data(&mut open_with_notices(folder.path(), choice)), before, "{choice:?}");
    }
}

#[test]
fn a_backup_without_a_readable_line_is_reported_and_moved_aside() {
    for choice in BOTH {
        let (folder, _, permanent_before, _) = create_store(choice, 3);
        let path = store_in(folder.path(), choice);
        let log = backup::path_of(&path);
        fs::write(&log, [0xFF, b'x', b'\n', 0x80]).expect("damaged");
        fs::remove_file(&path).expect("removed");
        let mut memory = open_with_notices(folder.path(), choice);
        let notices = memory.take_notices().join("\n");
        let words = [
            "was missing or empty, and nothing could be restored: the backup",
            "is damaged; it was moved to",
        ];
        assert!(words.iter().all(|words| notices.contains(words)), "{choice:?}: {notices}");
        assert_eq!(permanent_text(&mut memory), permanent_before);
        assert!(!log.exists());
        memory.save_insight("Noted later", None, &Insight::default(), None).expect("saved");
        assert!(backup::last_number(&log).is_some(), "{choice:?}");
        drop(memory);
        assert_eq!(open_with_notices(folder.path(), choice).take_notices(), [""; 0]);
    }
}

/// The backup itself is damaged: its readable records are restored, and its unreadable lines are
/// counted.
#[test]
fn readable_records_of_a_damaged_backup_are_restored() {
    for choice in BOTH {
        let (folder, counts_before, permanent_before, _) = create_store(choice, 6);
        let path = store_in(folder.path(), choice);
        let log = backup::path_of(&path);
        let mut bytes = fs::read(&log).expect("bytes");
        let middle = bytes.len() / 2;
        bytes[middle..middle + 10].fill(b'x');
        bytes.extend(b"[half of a line that a killed process l");
        fs::write(&log, bytes).expect("damaged");
        fs::remove_file(&path).expect("removed");
        let mut memory = open_with_notices(folder.path(), choice);
        let notices = memory.take_notices().join("\n");
        assert!(notices.contains("2 lines of the backup could not be read"), "{notices}");
        let restored = counts(&mut memory);
        assert!(
            restored[0] + 1 >= counts_before[0] && restored[3] + 1 >= counts_before[3],
            "{restored:?} of {counts_before:?}"
        );
        assert_eq!(permanent_text(&mut memory), permanent_before);
    }
}

#[test]
fn a_long_backup_is_replaced_by_a_snapshot() {
    for choice in BOTH {
        let folder = ram_temp_dir();
        let mut memory = open_memory(folder.path(), choice);
        let session = memory.start_session(new_session("main")).expect("a session").id;
        let text = Rng(2).words(20_000);
        // The same record repeatedly: most of the log is out of date.
        for n in 0..80 {
            let input = serde_json::json!({"input": format!("{n} {text}")});
            let fields = input.as_object().expect("an object").clone();
            memory.update_session(&session, &fields).expect("updated");
        }
        let log = backup::path_of(&store_in(folder.path(), choice));
        let length = fs::metadata(&log).expect("a backup").len();
        assert!(length < (5 << 20), "{length}");
        let before = local_data(&mut memory);
        drop(memory);
        fs::remove_file(store_in(folder.path(), choice)).expect("removed");
        assert_eq!(local_data(&mut open_with_notices(folder.path(), choice)), before);
    }
}

/// Saves and deletes until it is killed: each deletion replaces the backup with a snapshot.
pub(super) fn save_and_delete(job: &Job<'_>) {
    let mut acks = OpenOptions::new().create(true).append(true).open(job.acks()).expect("acks");
    let mut memory = open_with_notices(job.root, job.choice);
    let retained = memory.start_session(new_session("main")).expect("a session").id;
    let mut numbers = Rng(u64::from(std::process::id()));
    for _ in 0..job.count {
        let deleted = memory.start_session(new_session("other")).expect("a session").id;
        let title = numbers.words(5);
        let id = memory.observe(&retained, Kind::Pattern, &title, &Observation::default());
        acks.write_all(format!("{}\n", id.expect("observed")).as_bytes()).expect("acknowledged");
        memory.delete_session(&deleted).expect("deleted");
    }
}

/// The store is in the state that a process leaves if it is killed between its snapshot and its
/// commit.
#[test]
fn writes_to_a_store_behind_its_backup_are_backed_up() {
    for choice in BOTH {
        let folder = TempDir::new().expect("a directory");
        let root = folder.path();
        let mut memory = open_with_notices(root, choice);
        let save = |memory: &mut ProjectMemory, text: &str| {
            memory.save_insight(text, None, &Insight::default(), None).expect("saved")
        };
        let first = save(&mut memory, "before");
        let log = backup::path_of(&store_in(root, choice));
        let number = backup::last_number(&log).expect("a number");
        let next = (number + 1).to_string();
        let line = format!("\n[]\t{next}\t{}\n", crate::id::digest(&[&next, "[]"]));
        let mut file = OpenOptions::new().append(true).open(&log).expect("the log");
        file.write_all(line.as_bytes()).expect("appended");
        let ids = [first, save(&mut memory, "after"), save(&mut memory, "later")];
        drop(memory);
        truncate(&store_in(root, choice), 0);
        let mut memory = open_with_notices(root, choice);
        for id in ids {
            let found = memory.read(&mut |store| store.entry(&id)).expect("read");
            assert!(found.is_some(), "{choice:?}: {id}");
        }
        assert!(backup::last_number(&log).expect("a number") >= number + 3);
    }
}

#[test]
fn killing_a_process_that_writes_the_backup_loses_no_acknowledged_write() {
    for choice in BOTH {
        let folder = TempDir::new().expect("a directory");
        let root = folder.path();
        drop(open_with_notices(root, choice));
        let mut numbers = Rng(31);
        for number in 0..size(6, 80) {
            let job =
                |number| Job { work: "save-and-delete", root, choice, number, count: 100_000 };
            let (first, second) = (2 * number, 2 * number + 1);
            let mut children = [job(first).start(), job(second).start()];
            let start = std::time::Instant::now();
            // The processes are killed while they work, not before they start.
            while [first, second].iter().any(|n| processes::acknowledged_ids(root, *n).is_empty())
                && start.elapsed() < Duration::from_secs(60)
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(numbers.next() % 60));
            for child in &mut children {
                child.kill().expect("killed");
                child.wait().expect("ended");
            }
            let acknowledged: BTreeSet<String> =
                (0..=second).flat_map(|n| processes::acknowledged_ids(root, n)).collect();
            // In every second round, the store is lost as well.
            if number % 2 == 1 {
                truncate(&store_in(root, choice), 0);
            }
            let mut memory = open_with_notices(root, choice);
            let entries = memory.read(&mut |store| store.entries(&Query::new(Layers::ALL)));
            let present: BTreeSet<String> =
                entries.expect("entries").into_iter().map(|entry| entry.id).collect();
            let lost: Vec<&String> = acknowledged.difference(&present).collect();
            assert!(lost.is_empty(), "{choice:?}: {} of {} lost", lost.len(), acknowledged.len());
            assert_eq!(memory.check().expect("checked"), [""; 0]);
        }
    }
}

/// Databases of other programs: their tables, and the expected notice.
const FOREIGN: [(&str, &str); 4] = [
    (
        "CREATE TABLE schema_version (version INTEGER NOT NULL);
         CREATE TABLE sessions (id TEXT PRIMARY KEY, branch TEXT NOT NULL, data TEXT NOT NULL);
         CREATE TABLE observations (id TEXT PRIMARY KEY, title TEXT NOT NULL);
         CREATE VIRTUAL TABLE observations_fts USING fts5(title);
         CREATE TABLE permanent_memory (id TEXT PRIMARY KEY, content TEXT NOT NULL);
         CREATE TABLE lifecycle_sessions (id TEXT PRIMARY KEY, data TEXT NOT NULL);
         INSERT INTO observations VALUES ('o1', 'seen');",
        "another program (aidd.md, an earlier version of aidd)",
    ),
    (
        "CREATE TABLE decisions (id TEXT PRIMARY KEY, topic TEXT, decision TEXT);
         CREATE TABLE decision_edges (from_id TEXT, to_id TEXT);
         INSERT INTO decisions VALUES ('d1', 'auth', 'JWT');",
        "another program (MAMA)",
    ),
    // Similar to a store of aidd: the same version and the same table names.
    (
        "CREATE TABLE meta (id TEXT PRIMARY KEY, data TEXT);
         CREATE TABLE memories (id TEXT PRIMARY KEY, type TEXT, content TEXT);
         INSERT INTO memories VALUES ('m', 'decision', 'x');
         PRAGMA user_version = 3;",
        "another program (its tables are memories, meta)",
    ),
    (
        "PRAGMA application_id = 252006674; CREATE TABLE vector_layers (table_name TEXT);",
        "another program (application id 0xf055112; its tables are vector_layers)",
    ),
];

#[test]
fn the_database_of_another_program_is_moved_aside_unchanged() {
    for (schema, expected) in FOREIGN {
        for with_log in [false, true] {
            let folder = ram_temp_dir();
            let aidd = folder.path().join(".aidd");
            fs::create_dir_all(&aidd).expect("made");
            let path = sqlite::path(&aidd);
            let db = rusqlite::Connection::open(&path).expect("a database");
            if with_log {
                db.execute_batch("PRAGMA journal_mode = WAL").expect("a log");
            }
            db.execute_batch(schema).expect("a schema");
            if !with_log {
                db.close().expect("closed");
            } else {
                // Leaves the database as a killed process does: its data is in the log.
                std::mem::forget(db);
            }
            let bytes = |name: &str| fs::read(aidd.join(name)).ok();
            let before = (bytes("data.db"), bytes("data.db-wal"));
            let mut memory = open_with_notices(folder.path(), BackendChoice::Auto);
            assert_eq!(memory.backend(), "sqlite");
            let notices = memory.take_notices();
            assert_eq!(notices.len(), 1, "{notices:?}");
            assert!(notices[0].contains(expected), "{notices:?}");
            assert!(notices[0].contains("moved unchanged to"), "{notices:?}");
            assert!(!notices[0].contains("damaged"), "{notices:?}");
            let day = crate::times::day(crate::project::system_clock()());
            let aside = match expected.contains("aidd.md") {
                true => {
                    let remedy = "aidd memory import .aidd/data.aidd-md.db --dry-run";
                    assert!(notices[0].contains(remedy), "{notices:?}");
                    "data.aidd-md.db".to_owned()
                }
                false => format!("data.foreign-{day}.db"),
            };
            assert_eq!((bytes(&aside), bytes(&format!("{aside}-wal"))), before, "{expected}");
            memory.save_decision(&decision("Ours", None)).expect("saved");
            drop(memory);
            let mut reopened = open_with_notices(folder.path(), BackendChoice::Auto);
            assert_eq!(reopened.take_notices(), [""; 0]);
            assert_eq!(counts(&mut reopened)[2], 1);
            // The database of the other program is not examined as a damaged store.
            assert!(!aidd.join("data.salvage").exists());
        }
    }
}

#[test]
fn a_json_store_remains_in_use_next_to_a_foreign_database() {
    let folder = ram_temp_dir();
    let aidd = folder.path().join(".aidd");
    open_memory(folder.path(), BackendChoice::Json)
        .save_insight("In the log", None, &Insight::default(), None)
        .expect("saved");
    let db = rusqlite::Connection::open(sqlite::path(&aidd)).expect("a database");
    db.execute_batch(FOREIGN[0].0).expect("a schema");
    drop(db);
    let mut memory = open_with_notices(folder.path(), BackendChoice::Auto);
    assert_eq!(memory.backend(), "json");
    assert!(memory.take_notices()[0].contains("aidd.md, an earlier version of aidd"));
    assert_eq!(counts(&mut memory)[1], 1);
}

#[test]
fn a_store_is_recognised_with_and_without_its_application_id() {
    let (folder, counts_before, ..) = create_store(BackendChoice::Sqlite, 2);
    let path = store_in(folder.path(), BackendChoice::Sqlite);
    let id = || -> i32 {
        let db = rusqlite::Connection::open(&path).expect("a database");
        db.query_row("PRAGMA application_id", [], |row| row.get(0)).expect("an id")
    };
    assert_eq!(id(), 0x6169_6464);
    for other in [0, 77] {
        let db = rusqlite::Connection::open(&path).expect("a database");
        db.pragma_update(None, "application_id", other).expect("set");
        drop(db);
        let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
        assert_eq!(memory.take_notices(), [""; 0]);
        assert_eq!(counts(&mut memory), counts_before);
        drop(memory);
        assert_eq!(id(), 0x6169_6464);
    }
}
