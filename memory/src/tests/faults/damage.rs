//! Tests with stores that were changed or truncated: the contents of the tracked files are always
//! restored, and all other readable records are recovered.

use super::*;
use crate::MemoryError;
use aidd_lexicon::embedding::NAME;
use std::fs;

/// The files of a store with this backend; the first is the store itself.
fn store_files(choice: BackendChoice) -> &'static [&'static str] {
    match choice {
        BackendChoice::Json => &[".aidd/data.jsonl"],
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
fn damage(path: &Path, round: usize, numbers: &mut Rng) -> String {
    let mut bytes = fs::read(path).expect("bytes");
    let start = match round % 4 {
        // Within the header of the database or of its log.
        0 => numbers.below(bytes.len().min(100)),
        _ => numbers.below(bytes.len()),
    };
    let change = if round % 5 == 4 {
        bytes.truncate(start);
        format!("truncated at {start}")
    } else {
        let length = [1, 16, 512, 4096][numbers.below(4)];
        let end = bytes.len().min(start + length);
        for byte in &mut bytes[start..end] {
            *byte ^= u8::try_from(1 + numbers.below(255)).expect("a byte");
        }
        format!("{} bytes changed at {start}", end - start)
    };
    fs::write(path, bytes).expect("damaged");
    format!("{} {change}", path.display())
}

fn check_random_damage(choice: BackendChoice) {
    let folder = ram_temp_dir();
    let mut numbers = Rng(11);
    let good = folder.path().join("good");
    fs::create_dir_all(&good).expect("made");
    let mut memory = open_memory(&good, choice);
    save_some(&mut memory, &mut numbers, 12);
    let permanent_before = permanent_text(&mut memory);
    let counts_before = counts(&mut memory);
    // The copy is made while the database is open, so that its log contains data.
    let image = folder.path().join("image");
    copy_folder(&good, &image);
    let _ = fs::remove_file(image.join(".aidd/data.db-shm"));
    drop(memory);
    assert_eq!(permanent_text_of_files(&image), permanent_before);
    for round in 0..size(24, 200) {
        let root = folder.path().join(format!("round-{round}"));
        copy_folder(&image, &root);
        let paths = store_files(choice);
        let change = damage(&root.join(paths[round / 2 % paths.len()]), round, &mut numbers);
        let mut memory =
            ProjectMemory::open(&crate::DISTRIBUTION, &root, choice, Box::new(|| START + 9_999))
                .unwrap_or_else(|error| panic!("round {round}, {change}: {error}"));
        // The import also detects damage that does not change the structure.
        memory.import().unwrap_or_else(|error| panic!("round {round}, {change}: {error}"));
        assert_eq!(permanent_text(&mut memory), permanent_before, "round {round}, {change}");
        assert_eq!(memory.check().expect("checked"), [""; 0], "round {round}, {change}");
        assert_eq!(counts(&mut memory), counts_before, "round {round}, {change}");
        // The store can be used, and no store remains to be examined.
        memory.save_decision(&decision("After the damage", None)).expect("saved");
        memory.start_session(new_session("main")).expect("a session");
        drop(memory);
        assert!(!root.join(".aidd/data.salvage").exists(), "round {round}, {change}");
        let mut reopened = open_with_notices(&root, choice);
        assert_eq!(reopened.take_notices(), [""; 0], "round {round}, {change}");
        assert_eq!(counts(&mut reopened)[2], counts_before[2] + 1, "round {round}, {change}");
        drop(reopened);
        fs::remove_dir_all(&root).expect("removed");
    }
}

#[test]
fn a_database_damaged_at_random_offsets_is_repaired() {
    check_random_damage(BackendChoice::Sqlite);
}

#[test]
fn a_log_damaged_at_random_offsets_is_repaired() {
    check_random_damage(BackendChoice::Json);
}

/// Creates and closes a store without a backup, as an earlier aidd left it; returns its directory
/// and contents.
fn create_store(choice: BackendChoice) -> (TempDir, [usize; 4], String) {
    let folder = ram_temp_dir();
    let mut memory = open_memory(folder.path(), choice);
    save_some(&mut memory, &mut Rng(5), 30);
    let (counts, permanent_before) = (counts(&mut memory), permanent_text(&mut memory));
    drop(memory);
    fs::remove_file(folder.path().join(store_files(choice)[0].to_owned() + ".backup"))
        .expect("removed");
    (folder, counts, permanent_before)
}

#[test]
fn sessions_and_observations_of_a_damaged_store_are_recovered() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let (folder, counts_before, permanent_before) = create_store(choice);
        let path = folder.path().join(store_files(choice)[0]);
        let mut bytes = fs::read(&path).expect("bytes");
        // Without the first bytes of the file, nothing in it can be read in the normal way.
        bytes[..40].fill(0);
        fs::write(&path, bytes).expect("damaged");
        let mut memory = open_with_notices(folder.path(), choice);
        assert_eq!(counts(&mut memory), counts_before, "{choice:?}");
        assert_eq!(permanent_text(&mut memory), permanent_before, "{choice:?}");
        let notices = memory.take_notices();
        assert!(notices[0].contains("the store was damaged"), "{notices:?}");
        assert!(
            notices[1].contains(
                "30 sessions, 120 observations, 30 other memories of this checkout, 30 lifecycles"
            ),
            "{notices:?}"
        );
        assert!(notices[1].contains("the store had no backup"), "{notices:?}");
        assert_eq!(notices[2], "read from the tracked files: 30 of type decision");
    }
}

#[test]
fn a_damaged_page_loses_only_its_own_records() {
    let (folder, counts_before, permanent_before) = create_store(BackendChoice::Sqlite);
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
    let page_start = leaves[leaves.len() / 2];
    bytes[page_start..page_start + 4096].fill(0xA5);
    fs::write(&path, bytes).expect("damaged");
    let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
    memory.import().expect("imported");
    assert_eq!(permanent_text(&mut memory), permanent_before);
    let remaining_counts = counts(&mut memory);
    assert_eq!((remaining_counts[2], remaining_counts[3]), (counts_before[2], counts_before[3]));
    // At most the contents of one page are lost.
    assert!(
        remaining_counts[0] < counts_before[0] && remaining_counts[0] + 20 > counts_before[0],
        "{remaining_counts:?} of {counts_before:?}"
    );
    let notices = memory.take_notices().join("\n");
    assert!(notices.contains("recovered from"), "{notices}");
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[test]
fn missing_tracked_files_are_restored_from_a_damaged_store() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let (folder, counts_before, permanent_before) = create_store(choice);
        fs::remove_dir_all(folder.path().join("ai")).expect("removed");
        let path = folder.path().join(store_files(choice)[0]);
        let mut bytes = fs::read(&path).expect("bytes");
        bytes[..40].fill(0);
        fs::write(&path, bytes).expect("damaged");
        let mut memory = open_with_notices(folder.path(), choice);
        assert_eq!(counts(&mut memory), counts_before, "{choice:?}");
        assert_eq!(permanent_text(&mut memory), permanent_before, "{choice:?}");
        assert_eq!(memory.export(false).expect("exported"), 30);
        assert_eq!(permanent_text_of_files(folder.path()), permanent_before, "{choice:?}");
    }
}

#[test]
fn an_unreadable_damaged_store_is_abandoned_after_two_attempts() {
    let (folder, counts_before, _) = create_store(BackendChoice::Sqlite);
    let aidd = folder.path().join(".aidd");
    let examine = |list: &str| {
        fs::write(aidd.join("data.salvage"), list).expect("written");
        let mut calls = 0;
        let result = crate::store::salvage::salvage_each(&aidd, &mut |_, recovered| {
            calls += 1;
            assert!(recovered.entries.is_empty());
            Err(MemoryError::Store("full".to_owned()))
        });
        (calls, result.is_err(), fs::read_to_string(aidd.join("data.salvage")).ok())
    };
    let retry_list = Some("again data.db.corrupt-1\n".to_owned());
    assert_eq!(examine("first data.db.corrupt-1\n"), (1, true, retry_list));
    assert_eq!(examine("again data.db.corrupt-1\n"), (1, true, None));
    assert_eq!(examine("nonsense"), (0, false, None));
    assert_eq!(counts(&mut open_with_notices(folder.path(), BackendChoice::Sqlite)), counts_before);
}

/// Damages the full-text table of the closed store at `path` in one of several ways; returns a
/// description.
fn damage_search_index(path: &Path, variant: usize) -> String {
    let db = rusqlite::Connection::open(path).expect("open");
    let table = ["search_text_data", "search_text_content", "search_text_idx"][variant % 3];
    if variant < 2 {
        // Changes the content of the table, but leaves every page intact.
        let sql = match variant {
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
    let page = if variant < 5 { pages[0] } else { pages[pages.len() - 1] } as usize;
    let mut bytes = fs::read(path).expect("bytes");
    bytes[(page - 1) * 4096..page * 4096].fill(0xA5);
    fs::write(path, bytes).expect("damaged");
    format!("page {page} of {table}")
}

#[test]
fn a_damaged_search_index_is_repaired_in_place() {
    use crate::recall::Question;
    for variant in 0..8 {
        let (folder, counts_before, permanent_before) = create_store(BackendChoice::Sqlite);
        let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
        let word = "zanzibar";
        let id =
            memory.save_decision(&decision(&format!("Ship to {word}"), None)).expect("saved").id;
        let permanent_after_save = permanent_text(&mut memory);
        assert_ne!(permanent_before, permanent_after_save);
        drop(memory);
        let path = folder.path().join(store_files(BackendChoice::Sqlite)[0]);
        let change = damage_search_index(&path, variant);
        let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
        memory.import().unwrap_or_else(|error| panic!("{change}: {error}"));
        let notices = memory.take_notices();
        assert_eq!(notices.len(), 1, "{change}: {notices:?}");
        assert!(notices[0].starts_with("the search index was damaged"), "{notices:?}");
        assert_eq!(memory.check().expect("checked"), [""; 0], "{change}");
        assert_eq!(permanent_text(&mut memory), permanent_after_save, "{change}");
        let [session, local, tracked, sessions] = counts(&mut memory);
        assert_eq!([session, local, tracked - 1, sessions], counts_before, "{change}");
        let question = Question { text: word.to_owned(), ..Question::new(Layers::ALL) };
        let found = memory.search(&question).expect("found");
        assert_eq!(found.hits.first().map(|hit| &hit.id), Some(&id), "{change}");
        drop(memory);
        // Nothing was moved aside, and there is nothing to repair at the next start.
        let names = fs::read_dir(folder.path().join(".aidd")).expect("a directory").flatten();
        let aside = names.filter(|name| name.file_name().to_string_lossy().contains("corrupt"));
        assert_eq!(aside.count(), 0, "{change}");
        let mut reopened = open_with_notices(folder.path(), BackendChoice::Sqlite);
        assert_eq!(reopened.take_notices(), [""; 0], "{change}");
        assert_eq!(reopened.search(&question).expect("found").hits[0].id, id, "{change}");
    }
}

/// The index is damaged while the store is open, and a search finds the damage.
#[test]
fn a_search_repairs_a_damaged_index() {
    use crate::recall::Question;
    let (folder, ..) = create_store(BackendChoice::Sqlite);
    let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
    let id = memory.save_decision(&decision("Ship to zanzibar", None)).expect("saved").id;
    damage_search_index(&folder.path().join(store_files(BackendChoice::Sqlite)[0]), 0);
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
