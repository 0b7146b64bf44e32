//! Tests with a project whose memory is in `memory/`, the directory that was used before
//! `ai/memory/`.

use super::faults::{open_with_notices, permanent_text};
use super::*;
use aidd_engine::text::files::Disk;
use serde_json::json;

const LINE: &str =
    r#"{"at":1,"content":"Use SQLite","id":"decision_1_a","topic":"store","type":"decision"}"#;

#[test]
fn the_existing_memory_directory_is_used() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let folder = TempDir::new().expect("a directory");
        let root = folder.path();
        write(root, "memory/decisions.jsonl", &format!("{LINE}\n"));
        let mut memory = open_with_notices(root, choice);
        assert_eq!(memory.folder(), "memory");
        assert_eq!(memory.get(&["decision_1_a".into()]).expect("read")[0].content, "Use SQLite");
        memory.save_decision(&decision("Use Postgres", Some("store"))).expect("saved");
        memory.save_mistake(&mistake("boom", "fixed")).expect("saved");
        assert!(!root.join("ai").exists());
        assert_eq!(text(root, "memory/decisions.jsonl").lines().count(), 2);
        assert_eq!(text(root, "memory/mistakes.jsonl").lines().count(), 1);
        let expected = permanent_text(&mut memory);
        drop(memory);
        assert_eq!(permanent_text(&mut open_with_notices(root, choice)), expected);
        // Moves the files as Git does: the memories are the same, and the new directory is used.
        write(root, "ai/memory/decisions.jsonl", &text(root, "memory/decisions.jsonl"));
        std::fs::rename(root.join("memory/mistakes.jsonl"), root.join("ai/memory/mistakes.jsonl"))
            .expect("moved");
        std::fs::remove_file(root.join("memory/decisions.jsonl")).expect("removed");
        let mut memory = open_with_notices(root, choice);
        assert_eq!((memory.folder(), permanent_text(&mut memory)), ("ai/memory", expected));
    }
}

#[test]
fn the_newer_of_two_memory_directories_is_used() {
    on_both_stores(|root, memory| {
        write(root, "memory/decisions.jsonl", &format!("{LINE}\n"));
        assert_eq!(
            memory.read(&mut |store| store.entry("decision_1_a")).expect("read").map(|e| e.id),
            Some("decision_1_a".to_owned())
        );
        assert_eq!(memory.journal().unread_folder(), None);
        // Switches to a branch with the new directory while the memory is open.
        write(root, "ai/memory/decisions.jsonl", &LINE.replace("decision_1_a", "decision_2_b"));
        let has_memory = |memory: &mut ProjectMemory, id: &str| {
            memory.read(&mut |store| store.entry(id)).expect("read").is_some()
        };
        assert!(has_memory(memory, "decision_2_b") && !has_memory(memory, "decision_1_a"));
        assert_eq!(
            (memory.folder(), memory.journal().unread_folder()),
            ("ai/memory", Some("memory"))
        );
    });
}

#[test]
fn a_directory_named_memory_without_memory_files_is_ignored() {
    on_both_stores(|root, memory| {
        write(root, "memory/allocator.rs", "fn main() {}");
        memory.save_decision(&decision("Use jemalloc", None)).expect("saved");
        assert_eq!(memory.folder(), "ai/memory");
        assert!(root.join("ai/memory/decisions.jsonl").is_file());
    });
}

#[test]
fn checks_are_read_from_the_same_memory_directory() {
    let folder = TempDir::new().expect("a directory");
    let root = folder.path();
    let check = json!({"rule": "no-moment", "files": ["*.ts"], "text": {"regex": "moment"}});
    let line = |id: &str, check: &serde_json::Value| {
        json!({"at": 1, "id": id, "type": "convention", "content": "No moment",
            "metadata": {"check": check}})
        .to_string()
    };
    let read_checks = || aidd_engine::workspace::memory_checks::read(&Disk::new(root));
    write(root, "memory/conventions.jsonl", &line("convention_1_a", &check));
    let pages = read_checks().pages;
    assert_eq!((pages.len(), &*pages[0].path), (1, "memory/conventions.jsonl"));
    assert!(aidd_engine::text::kind::is_memory_path(&pages[0].path));
    write(root, "memory/conventions.jsonl", &line("convention_1_a", &json!({"severity": "grave"})));
    assert_eq!(read_checks().malformed[0].0, "memory/conventions.jsonl");
    write(root, "ai/memory/conventions.jsonl", &line("convention_2_b", &check));
    let pages = read_checks().pages;
    assert_eq!((pages.len(), &*pages[0].path), (1, "ai/memory/conventions.jsonl"));
}
