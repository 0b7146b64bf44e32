//! A project with its memory in `memory/`, the directory before `ai/memory/`.

use super::faults::{opened, permanent};
use super::*;
use aidd_engine::text::files::Disk;
use serde_json::json;

const LINE: &str =
    r#"{"at":1,"content":"Use SQLite","id":"decision_1_a","topic":"store","type":"decision"}"#;

#[test]
fn memory_is_read_and_written_where_the_project_has_it() {
    for wanted in [Wanted::Sqlite, Wanted::Json] {
        let folder = TempDir::new().expect("a directory");
        let root = folder.path();
        write(root, "memory/decisions.jsonl", &format!("{LINE}\n"));
        let mut memory = opened(root, wanted);
        assert_eq!(memory.folder(), "memory");
        assert_eq!(memory.get(&["decision_1_a".into()]).expect("read")[0].content, "Use SQLite");
        memory.save_decision(&decision("Use Postgres", Some("store"))).expect("saved");
        memory.save_mistake(&mistake("boom", "fixed")).expect("saved");
        assert!(!root.join("ai").exists());
        assert_eq!(text(root, "memory/decisions.jsonl").lines().count(), 2);
        assert_eq!(text(root, "memory/mistakes.jsonl").lines().count(), 1);
        let whole = permanent(&mut memory);
        drop(memory);
        assert_eq!(permanent(&mut opened(root, wanted)), whole);
        // Moved as by Git: the same memories, and new ones go to the new directory.
        write(root, "ai/memory/decisions.jsonl", &text(root, "memory/decisions.jsonl"));
        std::fs::rename(root.join("memory/mistakes.jsonl"), root.join("ai/memory/mistakes.jsonl"))
            .expect("moved");
        std::fs::remove_file(root.join("memory/decisions.jsonl")).expect("removed");
        let mut memory = opened(root, wanted);
        assert_eq!((memory.folder(), permanent(&mut memory)), ("ai/memory", whole));
    }
}

#[test]
fn where_both_are_there_the_newer_place_counts() {
    on_both(|root, memory| {
        write(root, "memory/decisions.jsonl", &format!("{LINE}\n"));
        assert_eq!(
            memory.read(&mut |store| store.entry("decision_1_a")).expect("read").map(|e| e.id),
            Some("decision_1_a".to_owned())
        );
        assert_eq!(memory.journal().unread_folder(), None);
        // Switching to a branch with the new directory under an open process.
        write(root, "ai/memory/decisions.jsonl", &LINE.replace("decision_1_a", "decision_2_b"));
        let ids = |memory: &mut ProjectMemory, id: &str| {
            memory.read(&mut |store| store.entry(id)).expect("read").is_some()
        };
        assert!(ids(memory, "decision_2_b") && !ids(memory, "decision_1_a"));
        assert_eq!(
            (memory.folder(), memory.journal().unread_folder()),
            ("ai/memory", Some("memory"))
        );
    });
}

#[test]
fn a_folder_called_memory_without_memories_is_left_alone() {
    on_both(|root, memory| {
        write(root, "memory/allocator.rs", "fn main() {}");
        memory.save_decision(&decision("Use jemalloc", None)).expect("saved");
        assert_eq!(memory.folder(), "ai/memory");
        assert!(root.join("ai/memory/decisions.jsonl").is_file());
    });
}

#[test]
fn what_is_enforced_comes_from_the_same_place() {
    let folder = TempDir::new().expect("a directory");
    let root = folder.path();
    let check = json!({"rule": "no-moment", "files": ["*.ts"], "text": {"regex": "moment"}});
    let line = |id: &str, check: &serde_json::Value| {
        json!({"at": 1, "id": id, "type": "convention", "content": "No moment",
            "metadata": {"check": check}})
        .to_string()
    };
    let of = || aidd_engine::workspace::remembered::read(&Disk::new(root));
    write(root, "memory/conventions.jsonl", &line("convention_1_a", &check));
    let pages = of().pages;
    assert_eq!((pages.len(), &*pages[0].path), (1, "memory/conventions.jsonl"));
    assert!(aidd_engine::text::kind::is_memory_path(&pages[0].path));
    write(root, "memory/conventions.jsonl", &line("convention_1_a", &json!({"severity": "grave"})));
    assert_eq!(of().malformed[0].0, "memory/conventions.jsonl");
    write(root, "ai/memory/conventions.jsonl", &line("convention_2_b", &check));
    let pages = of().pages;
    assert_eq!((pages.len(), &*pages[0].path), (1, "ai/memory/conventions.jsonl"));
}
