//! Stores whose bytes were changed or truncated: the contents of the tracked files are always
//! restored, and of the rest all readable records.

use super::*;
use crate::MemoryError;
use aidd_lexicon::embedding::NAME;
use std::fs;

/// The path of a store of each kind, and its other files.
fn files(wanted: Wanted) -> &'static [&'static str] {
    match wanted {
        Wanted::Json => &[".aidd/data.jsonl"],
        _ => &[".aidd/data.db", ".aidd/data.db-wal"],
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// Changes the file; returns a description of the change.
fn damage(path: &Path, round: usize, numbers: &mut Numbers) -> String {
    let mut bytes = fs::read(path).expect("bytes");
    let start = match round % 4 {
        // The header, of the file or of its log.
        0 => numbers.below(bytes.len().min(100)),
        _ => numbers.below(bytes.len()),
    };
    let done = if round % 5 == 4 {
        bytes.truncate(start);
        format!("cut at {start}")
    } else {
        let length = [1, 16, 512, 4096][numbers.below(4)];
        let end = bytes.len().min(start + length);
        for byte in &mut bytes[start..end] {
            *byte ^= u8::try_from(1 + numbers.below(255)).expect("a byte");
        }
        format!("{} bytes changed at {start}", end - start)
    };
    fs::write(path, bytes).expect("damaged");
    format!("{} {done}", path.display())
}

fn damaged_at_many_places(wanted: Wanted) {
    let folder = quick_folder();
    let mut numbers = Numbers(11);
    let good = folder.path().join("good");
    fs::create_dir_all(&good).expect("made");
    let mut memory = at(&good, wanted);
    save_some(&mut memory, &mut numbers, 12);
    let whole = permanent(&mut memory);
    let counted = counts(&mut memory);
    // The log of an open database is full.
    let image = folder.path().join("image");
    copy_folder(&good, &image);
    let _ = fs::remove_file(image.join(".aidd/data.db-shm"));
    drop(memory);
    assert_eq!(by_files_alone(&image), whole);
    for round in 0..size(24, 200) {
        let root = folder.path().join(format!("round-{round}"));
        copy_folder(&image, &root);
        let paths = files(wanted);
        let done = damage(&root.join(paths[round / 2 % paths.len()]), round, &mut numbers);
        let mut memory =
            ProjectMemory::open(&crate::DISTRIBUTION, &root, wanted, Box::new(|| START + 9_999))
                .unwrap_or_else(|error| panic!("round {round}, {done}: {error}"));
        // Damage without structural changes is found by a check.
        memory.import().unwrap_or_else(|error| panic!("round {round}, {done}: {error}"));
        assert_eq!(permanent(&mut memory), whole, "round {round}, {done}");
        assert_eq!(memory.check().expect("checked"), [""; 0], "round {round}, {done}");
        assert_eq!(counts(&mut memory), counted, "round {round}, {done}");
        // The store can be used, and no store is left to examine.
        memory.save_decision(&decision("After the damage", None)).expect("saved");
        memory.start_session(new_session("main")).expect("a session");
        drop(memory);
        assert!(!root.join(".aidd/data.salvage").exists(), "round {round}, {done}");
        let mut again = opened(&root, wanted);
        assert_eq!(again.take_notices(), [""; 0], "round {round}, {done}");
        assert_eq!(counts(&mut again)[2], counted[2] + 1, "round {round}, {done}");
        drop(again);
        fs::remove_dir_all(&root).expect("removed");
    }
}

#[test]
fn a_database_damaged_at_many_places_is_repaired() {
    damaged_at_many_places(Wanted::Sqlite);
}

#[test]
fn a_log_damaged_at_many_places_is_repaired() {
    damaged_at_many_places(Wanted::Json);
}

/// A closed store of each kind without a backup, as an earlier aidd left it, and its contents.
fn stored(wanted: Wanted) -> (TempDir, [usize; 4], String) {
    let folder = quick_folder();
    let mut memory = at(folder.path(), wanted);
    save_some(&mut memory, &mut Numbers(5), 30);
    let (counts, whole) = (counts(&mut memory), permanent(&mut memory));
    drop(memory);
    fs::remove_file(folder.path().join(files(wanted)[0].to_owned() + ".backup")).expect("removed");
    (folder, counts, whole)
}

#[test]
fn sessions_and_observations_of_a_damaged_store_are_carried_over() {
    for wanted in [Wanted::Sqlite, Wanted::Json] {
        let (folder, had, whole) = stored(wanted);
        let path = folder.path().join(files(wanted)[0]);
        let mut bytes = fs::read(&path).expect("bytes");
        // The first bytes of the file: nothing in it can be read in the normal way.
        bytes[..40].fill(0);
        fs::write(&path, bytes).expect("damaged");
        let mut memory = opened(folder.path(), wanted);
        assert_eq!(counts(&mut memory), had, "{wanted:?}");
        assert_eq!(permanent(&mut memory), whole, "{wanted:?}");
        let notices = memory.take_notices();
        assert!(notices[0].contains("the store was damaged"), "{notices:?}");
        assert!(
            notices[1].contains(
                "30 sessions, 120 observations, 30 other memories of this checkout, 30 lifecycles"
            ),
            "{notices:?}"
        );
        assert!(notices[1].contains("it had no backup"), "{notices:?}");
        assert_eq!(notices[2], "read from the tracked files: 30 of type decision");
    }
}

#[test]
fn a_hole_in_the_middle_costs_what_was_in_it() {
    let (folder, had, whole) = stored(Wanted::Sqlite);
    let path = folder.path().join(".aidd/data.db");
    let mut bytes = fs::read(&path).expect("bytes");
    // A leaf page of the memories table: such pages start with 13 and contain observations.
    let leaves: Vec<usize> = (4096..bytes.len())
        .step_by(4096)
        .filter(|at| bytes[*at] == 13 && find(&bytes[*at..at + 4096], b"\"pattern").is_none())
        .filter(|at| find(&bytes[*at..at + 4096], b"pattern_").is_some())
        // Search data is in other tables, and is rebuilt when it is lost.
        .filter(|at| find(&bytes[*at..at + 4096], NAME.as_bytes()).is_none())
        .collect();
    let hole = leaves[leaves.len() / 2];
    bytes[hole..hole + 4096].fill(0xA5);
    fs::write(&path, bytes).expect("damaged");
    let mut memory = opened(folder.path(), Wanted::Sqlite);
    memory.import().expect("imported");
    assert_eq!(permanent(&mut memory), whole);
    let left = counts(&mut memory);
    assert_eq!((left[2], left[3]), (had[2], had[3]));
    // At most the contents of one page are lost.
    assert!(left[0] < had[0] && left[0] + 20 > had[0], "{left:?} of {had:?}");
    let notices = memory.take_notices().join("\n");
    assert!(notices.contains("recovered from"), "{notices}");
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[test]
fn what_only_the_store_held_of_tracked_files_is_written_again() {
    for wanted in [Wanted::Sqlite, Wanted::Json] {
        let (folder, had, whole) = stored(wanted);
        fs::remove_dir_all(folder.path().join("ai")).expect("removed");
        let path = folder.path().join(files(wanted)[0]);
        let mut bytes = fs::read(&path).expect("bytes");
        bytes[..40].fill(0);
        fs::write(&path, bytes).expect("damaged");
        let mut memory = opened(folder.path(), wanted);
        assert_eq!(counts(&mut memory), had, "{wanted:?}");
        assert_eq!(permanent(&mut memory), whole, "{wanted:?}");
        assert_eq!(memory.export(false).expect("exported"), 30);
        assert_eq!(by_files_alone(folder.path()), whole, "{wanted:?}");
    }
}

#[test]
fn an_unreadable_damaged_store_is_abandoned_after_two_tries() {
    let (folder, had, _) = stored(Wanted::Sqlite);
    let aidd = folder.path().join(".aidd");
    let tried = |list: &str| {
        fs::write(aidd.join("data.salvage"), list).expect("written");
        let mut calls = 0;
        let result = crate::store::salvage::each(&aidd, &mut |_, remains| {
            calls += 1;
            assert!(remains.entries.is_empty());
            Err(MemoryError::Store("full".to_owned()))
        });
        (calls, result.is_err(), fs::read_to_string(aidd.join("data.salvage")).ok())
    };
    let again = Some("again data.db.corrupt-1\n".to_owned());
    assert_eq!(tried("first data.db.corrupt-1\n"), (1, true, again));
    assert_eq!(tried("again data.db.corrupt-1\n"), (1, true, None));
    assert_eq!(tried("nonsense"), (0, false, None));
    assert_eq!(counts(&mut opened(folder.path(), Wanted::Sqlite)), had);
}

/// Damages the full-text table of the closed store at `path` in one of several ways; returns which.
fn damage_search(path: &Path, way: usize) -> String {
    let db = rusqlite::Connection::open(path).expect("open");
    let table = ["search_text_data", "search_text_content", "search_text_idx"][way % 3];
    if way < 2 {
        // The content of the table, with every page intact.
        let sql = match way {
            0 => "UPDATE search_text_data SET block = zeroblob(length(block)) WHERE id > 10",
            _ => "DELETE FROM search_text_content WHERE id % 2 = 0",
        };
        assert!(db.execute(sql, []).expect("damaged") > 0, "{table}");
        return format!("rows of {table}");
    }
    let sql = "SELECT pageno FROM dbstat WHERE name = ?1 ORDER BY pagetype = 'leaf', pageno";
    let pages: Vec<u32> = db
        .prepare(sql)
        .expect("dbstat")
        .query_map([table], |row| row.get(0))
        .and_then(Iterator::collect)
        .expect("pages");
    drop(db);
    let page = if way < 5 { pages[0] } else { pages[pages.len() - 1] } as usize;
    let mut bytes = fs::read(path).expect("bytes");
    bytes[(page - 1) * 4096..page * 4096].fill(0xA5);
    fs::write(path, bytes).expect("damaged");
    format!("page {page} of {table}")
}

#[test]
fn a_damaged_search_index_is_repaired_in_place() {
    use crate::recall::Question;
    for way in 0..8 {
        let (folder, had, whole) = stored(Wanted::Sqlite);
        let mut memory = opened(folder.path(), Wanted::Sqlite);
        let word = "zanzibar";
        let id =
            memory.save_decision(&decision(&format!("Ship to {word}"), None)).expect("saved").id;
        let whole_now = permanent(&mut memory);
        assert_ne!(whole, whole_now);
        drop(memory);
        let path = folder.path().join(files(Wanted::Sqlite)[0]);
        let done = damage_search(&path, way);
        let mut memory = opened(folder.path(), Wanted::Sqlite);
        memory.import().unwrap_or_else(|error| panic!("{done}: {error}"));
        let notices = memory.take_notices();
        assert_eq!(notices.len(), 1, "{done}: {notices:?}");
        assert!(notices[0].starts_with("the search index was damaged"), "{notices:?}");
        assert_eq!(memory.check().expect("checked"), [""; 0], "{done}");
        assert_eq!(permanent(&mut memory), whole_now, "{done}");
        let [session, local, tracked, sessions] = counts(&mut memory);
        assert_eq!([session, local, tracked - 1, sessions], had, "{done}");
        let question = Question { text: word.to_owned(), ..Question::new(Layers::ALL) };
        let found = memory.search(&question).expect("found");
        assert_eq!(found.hits.first().map(|hit| &hit.id), Some(&id), "{done}");
        drop(memory);
        // Nothing was moved aside, and there is nothing to repair at the next start.
        let names = fs::read_dir(folder.path().join(".aidd")).expect("a directory").flatten();
        let aside = names.filter(|name| name.file_name().to_string_lossy().contains("corrupt"));
        assert_eq!(aside.count(), 0, "{done}");
        let mut again = opened(folder.path(), Wanted::Sqlite);
        assert_eq!(again.take_notices(), [""; 0], "{done}");
        assert_eq!(again.search(&question).expect("found").hits[0].id, id, "{done}");
    }
}

/// Damage found by a search, in a store that stays open.
#[test]
fn a_search_goes_on_over_a_damaged_index() {
    use crate::recall::Question;
    let (folder, ..) = stored(Wanted::Sqlite);
    let mut memory = opened(folder.path(), Wanted::Sqlite);
    let id = memory.save_decision(&decision("Ship to zanzibar", None)).expect("saved").id;
    damage_search(&folder.path().join(files(Wanted::Sqlite)[0]), 0);
    let question = Question { text: "zanzibar".to_owned(), ..Question::new(Layers::ALL) };
    let found = memory.search(&question).expect("found");
    assert_eq!(found.hits.first().map(|hit| &hit.id), Some(&id));
    let saved = memory.save_decision(&decision("Ship to mombasa", None)).expect("saved").id;
    let question = Question { text: "mombasa".to_owned(), ..Question::new(Layers::ALL) };
    assert_eq!(memory.search(&question).expect("found").hits[0].id, saved);
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    let notices = memory.take_notices().join("\n");
    assert!(notices.contains("search index") && !notices.contains("corrupt-"), "{notices}");
}
