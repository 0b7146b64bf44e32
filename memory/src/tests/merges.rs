//! Tests with tracked files that were changed by Git, by hand or by other processes.

use super::*;
use crate::log::ProblemKind;
use crate::permanent::{Conflict, Edit};
use crate::store::{Layers, Query, sqlite};
use crate::types::{Kind, Status};

const FILE: &str = "ai/memory/decisions.jsonl";

fn texts_with_status(memory: &mut ProjectMemory) -> Vec<String> {
    let query = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::ALL) };
    let entries = memory.read(&mut |store| store.entries(&query)).expect("entries");
    let mut texts: Vec<String> = entries
        .into_iter()
        .map(|entry| format!("{} {} {}", entry.content, entry.status, entry.heads.len()))
        .collect();
    texts.sort();
    texts
}

#[test]
fn lines_committed_by_others_are_imported() {
    on_both_stores(|root, memory| {
        memory.save_decision(&decision("Ours", None)).expect("saved");
        let other = TempDir::new().expect("a directory");
        open_memory(other.path(), BackendChoice::Json)
            .save_decision(&decision("Theirs", None))
            .expect("saved");
        let lines_of_both = text(other.path(), FILE) + &text(root, FILE);
        write(root, FILE, &lines_of_both);
        assert_eq!(texts_with_status(memory), ["Ours active 1", "Theirs active 1"]);
        assert_eq!(memory.problems().expect("problems"), []);
        // Memories that were only read are not written.
        assert_eq!(text(root, FILE), lines_of_both);
    });
}

#[test]
fn concurrent_edits_are_two_heads_until_another_edit_merges_them() {
    on_both_stores(|root, memory| {
        let id = memory.save_decision(&decision("Base", None)).expect("saved").id;
        let base = text(root, FILE);
        let other = TempDir::new().expect("a directory");
        write(other.path(), FILE, &base);
        let edit = |content: &str| Edit { content: Some(content.into()), ..Edit::default() };
        memory.edit(Kind::Decision, &id, &edit("Ours")).expect("edited");
        open_memory(other.path(), BackendChoice::Sqlite)
            .edit(Kind::Decision, &id, &edit("Theirs"))
            .expect("edited");
        let theirs = text(other.path(), FILE).replace(&base, "");
        let conflict = format!("{}<<<<<<< HEAD\n=======\n{theirs}>>>>>>> x\n", text(root, FILE));
        write(root, FILE, &conflict);
        let conflicts = memory.conflicts().expect("conflicts");
        assert!(
            matches!(&conflicts[..], [Conflict::TwoHeads { id: of, heads }] if *of == id && heads.len() == 2)
        );
        let problems = memory.problems().expect("problems");
        let lines: Vec<_> = problems.iter().map(|problem| (problem.line, problem.kind)).collect();
        let marker = ProblemKind::ConflictMarker;
        assert_eq!(lines, [(3, marker), (4, marker), (6, marker)]);
        memory.edit(Kind::Decision, &id, &edit("Both")).expect("edited");
        assert_eq!(texts_with_status(memory), ["Both active 1"]);
        assert_eq!(memory.conflicts().expect("conflicts"), []);
        assert_eq!(text(root, FILE).lines().count(), 7);
    });
}

#[test]
fn members_of_a_cycle_from_two_branches_are_active_and_reported() {
    on_both_stores(|root, memory| {
        let a = memory.save_decision(&decision("A", None)).expect("saved").id;
        let b = memory.save_decision(&decision("B", None)).expect("saved").id;
        let base = text(root, FILE);
        let link = |memory: &mut ProjectMemory, from: &str, to: &str| {
            let link = crate::types::Link::new(crate::types::Relation::Supersedes, to);
            memory.link(from, &link).expect("linked");
        };
        let other = TempDir::new().expect("a directory");
        write(other.path(), FILE, &base);
        link(memory, &a, &b);
        link(&mut open_memory(other.path(), BackendChoice::Json), &b, &a);
        let lines_of_both = text(root, FILE) + &text(other.path(), FILE).replace(&base, "");
        write(root, FILE, &lines_of_both);
        assert_eq!(texts_with_status(memory), ["A active 1", "B active 1"]);
        assert_eq!(memory.conflicts().expect("conflicts").len(), 2);
    });
}

#[test]
fn memories_follow_the_checked_out_branch() {
    on_both_stores(|root, memory| {
        memory.save_decision(&decision("Old", Some("t"))).expect("saved");
        let before = text(root, FILE);
        memory.save_decision(&decision("New", Some("t"))).expect("saved");
        let after = text(root, FILE);
        write(root, FILE, &before);
        assert_eq!(texts_with_status(memory), ["Old active 1"]);
        write(root, FILE, &after);
        assert_eq!(texts_with_status(memory), ["New active 1", "Old superseded 1"]);
        // Lines that were removed by hand are retained in the store.
        write(root, FILE, &before);
        assert_eq!(memory.missing_lines("decisions").expect("missing").len(), 1);
        assert_eq!(memory.export(true).expect("exported"), 1);
        assert_eq!(texts_with_status(memory), ["New active 1", "Old superseded 1"]);
    });
}

#[test]
fn a_deleted_file_is_written_again() {
    on_both_stores(|root, memory| {
        for content in ["One", "Two"] {
            memory.save_decision(&decision(content, None)).expect("saved");
        }
        let before = text(root, FILE);
        std::fs::remove_dir_all(root.join("ai")).expect("removed");
        assert_eq!(texts_with_status(memory), ["One active 1", "Two active 1"]);
        assert_eq!(memory.export(false).expect("exported"), 2);
        assert_eq!(text(root, FILE), before);
        std::fs::remove_dir_all(root.join("ai")).expect("removed");
        memory.save_decision(&decision("Three", None)).expect("saved");
        assert_eq!(text(root, FILE).lines().count(), 3);
        let mut again = ProjectMemory::open(
            &crate::DISTRIBUTION,
            root,
            BackendChoice::Auto,
            Box::new(|| START),
        )
        .expect("open");
        assert_eq!(texts_with_status(&mut again).len(), 3);
    });
}

#[test]
fn a_missing_or_damaged_store_is_rebuilt_from_the_files() {
    for name in ["data.db", "data.jsonl"] {
        let choice = if name == "data.db" { BackendChoice::Sqlite } else { BackendChoice::Json };
        let folder = TempDir::new().expect("a directory");
        let root = folder.path();
        let mut memory = open_memory(root, choice);
        for content in ["One", "Two", "Three"] {
            memory.save_decision(&decision(content, Some("t"))).expect("saved");
        }
        let expected = texts_with_status(&mut memory);
        drop(memory);
        let path = root.join(".aidd").join(name);
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(texts_with_status(&mut open_memory(root, choice)), expected);
        std::fs::write(&path, "x".repeat(20_000)).expect("damaged");
        let mut memory =
            ProjectMemory::open(&crate::DISTRIBUTION, root, choice, Box::new(|| START))
                .expect("open");
        assert!(memory.take_notices()[0].contains("was damaged"));
        assert_eq!(texts_with_status(&mut memory), expected);
    }
}

#[test]
fn damage_to_an_open_store_is_detected_and_repaired() {
    let folder = TempDir::new().expect("a directory");
    let root = folder.path();
    let mut memory = open_memory(root, BackendChoice::Sqlite);
    for n in 0..200 {
        memory
            .save_decision(&decision(&format!("number {n} {}", "long ".repeat(40)), None))
            .expect("saved");
    }
    let expected = texts_with_status(&mut memory);
    drop(memory);
    let path = sqlite::path(&root.join(".aidd"));
    let mut bytes = std::fs::read(&path).expect("read");
    let middle = bytes.len() / 2;
    for page in (middle..bytes.len()).step_by(4096) {
        let end = bytes.len().min(page + 512);
        bytes[page / 4096 * 4096..end].fill(0xA5);
    }
    std::fs::write(&path, bytes).expect("damaged");
    let mut memory = ProjectMemory::open(
        &crate::DISTRIBUTION,
        root,
        BackendChoice::Sqlite,
        Box::new(|| START + 9),
    )
    .expect("open");
    assert_eq!(texts_with_status(&mut memory), expected);
    let notices = memory.take_notices().join("\n");
    assert!(notices.contains("was damaged"), "{notices}");
    assert_eq!(memory.check().expect("checked"), [""; 0]);
}

#[test]
fn older_files_are_read_and_edited_as_lines() {
    on_both_stores(|root, memory| {
        write(
            root,
            "ai/memory/decisions.json",
            r#"{"decisions": [{"date": "2026-02-05", "decision": "Use SQLite", "rationale": "r"}]}"#,
        );
        write(
            root,
            ".aidd/memory/mistakes.json",
            r#"[{"title": "boom", "content": "{\"fix\": \"f\"}", "createdAt": 5}]"#,
        );
        assert_eq!(texts_with_status(memory), ["Use SQLite active 1", "boom active 1"]);
        let id = memory
            .read(&mut |store| store.entries(&Query::active(Layers::PERMANENT, Kind::Decision)))
            .expect("read")
            .remove(0)
            .id;
        let edit = Edit { content: Some("Use SQLite in WAL mode".into()), ..Edit::default() };
        memory.edit(Kind::Decision, &id, &edit).expect("edited");
        assert_eq!(texts_with_status(memory), ["Use SQLite in WAL mode active 1", "boom active 1"]);
        assert_eq!(text(root, FILE).lines().count(), 1);
        let again = memory.save_mistake(&mistake("boom", "f")).expect("saved");
        assert_eq!((again.is_new, again.occurrences), (false, Some(2)));
    });
}

#[test]
fn an_import_counts_new_and_removed_lines() {
    on_both_stores(|root, memory| {
        memory.save_decision(&decision("One", None)).expect("saved");
        let line = text(root, FILE);
        write(root, FILE, &line.replace("One", "Uno"));
        let imported = memory.import().expect("imported");
        assert_eq!((imported.new, imported.removed), (1, 1));
        assert_eq!(memory.import().expect("imported"), Default::default());
        assert_eq!(memory.problems().expect("problems")[0].kind, ProblemKind::EditedLine);
        assert_eq!(texts_with_status(memory), ["Uno active 1"]);
    });
}

#[test]
fn reading_changes_no_byte() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let folder = TempDir::new().expect("a directory");
        let root = folder.path();
        drop(open_memory(root, choice).save_decision(&decision("One", Some("t"))).expect("saved"));
        let mut memory = open_memory(root, choice);
        texts_with_status(&mut memory);
        let name = memory.read(&mut |store| Ok(store.path().to_owned())).expect("a path");
        let before = std::fs::read(&name).expect("read");
        for _ in 0..100 {
            texts_with_status(&mut memory);
            memory.conflicts().expect("conflicts");
        }
        assert_eq!(std::fs::read(&name).expect("read"), before);
    }
}

#[test]
fn damage_at_any_offset_is_repaired_by_an_import() {
    let folder = TempDir::new().expect("a directory");
    let root = folder.path();
    let mut memory = open_memory(root, BackendChoice::Sqlite);
    for n in 0..40 {
        let topic = format!("topic {}", n % 9);
        memory.save_decision(&decision(&format!("number {n}"), Some(&topic))).expect("saved");
    }
    let expected = texts_with_status(&mut memory);
    drop(memory);
    let path = sqlite::path(&root.join(".aidd"));
    let good = std::fs::read(&path).expect("read");
    for round in 0..60_usize {
        let mut bytes = good.clone();
        // A fixed sequence of positions; the first are in the header.
        let offset =
            if round < 10 { round * 10 } else { round.wrapping_mul(2_654_435_761) % bytes.len() };
        let end = bytes.len().min(offset + 1 + round % 200);
        if round % 7 == 6 {
            bytes.truncate(offset);
        } else {
            bytes[offset..end].iter_mut().for_each(|byte| *byte ^= 0x5A);
        }
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(path.with_extension(format!("db{suffix}")));
        }
        std::fs::write(&path, bytes).expect("damaged");
        let now = START + i64::try_from(round).expect("small");
        let mut memory = match ProjectMemory::open(
            &crate::DISTRIBUTION,
            root,
            BackendChoice::Sqlite,
            Box::new(move || now),
        ) {
            Ok(memory) => memory,
            // The damaged bytes contain the schema version.
            Err(crate::MemoryError::Newer { .. }) => continue,
            Err(error) => panic!("round {round}: {error}"),
        };
        memory.import().unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert_eq!(texts_with_status(&mut memory), expected, "round {round} at {offset}");
    }
}
