//! Imports a large file of lines in parts. In tests, a file of a kilobyte is large.

use super::*;
use crate::foreign::{ImportOptions, ImportedParts, read_path};
use crate::log::Revision;
use crate::types::Kind;

const FILE: &str = "ai/memory/decisions.jsonl";

/// Lines of decisions; the first is changed by the gate, and a later line replaces it.
fn lines() -> String {
    let first = |n: i64, text: String| {
        Revision::first(Kind::Decision, format!("decision_{n}_a"), n, text).with_rev()
    };
    let private = first(1, "Use <private>Redis</private> for sessions".to_owned());
    let edit = Revision {
        parents: vec![private.rev.clone()],
        at: 9,
        content: "Use Valkey".to_owned(),
        ..private.clone()
    };
    let reason = "on the storage of events ".repeat(9);
    let others: Vec<Revision> = (2..8).map(|n| first(n, format!("{n} {reason}"))).collect();
    let mut lines = vec![private.line()];
    lines.extend(others[..4].iter().map(Revision::line));
    lines.extend([edit.with_rev().line(), others[0].line(), "{\"id\": 1".to_owned()]);
    lines.extend(others[4..].iter().map(Revision::line));
    lines.join("\n") + "\n"
}

fn sorted_lines(root: &Path) -> Vec<String> {
    let mut lines: Vec<String> = text(root, FILE).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn a_file_that_is_imported_in_parts_gives_the_same_memories() {
    let options = ImportOptions::default();
    on_both_stores(|root, memory| {
        write(root, "lines.jsonl", &lines());
        let path = root.join("lines.jsonl");
        let whole = TempDir::new().expect("a directory");
        let file = read_path(&path, "lines", &options).expect("read");
        let mut other = open_memory(whole.path(), BackendChoice::Sqlite);
        let mut expected = other.import_file(&file, "lines", false).expect("imported");
        expected.new.sort();
        let mut parts = ImportedParts::open(&path, "lines", &options).expect("read");
        let count = std::iter::from_fn(|| parts.next_part().expect("a part")).count();
        assert_eq!(count, 4);
        for dry_run in [true, false] {
            let parts = ImportedParts::open(&path, "lines", &options).expect("read");
            let (mut summary, skipped) =
                memory.import_parts(parts, "lines", dry_run).expect("imported");
            summary.new.sort();
            summary.batch = expected.batch.clone();
            assert_eq!(summary, expected);
            assert_eq!(skipped.len(), 1);
        }
        assert_eq!(sorted_lines(root), sorted_lines(whole.path()));
        let edited = memory.get(&["decision_1_a".to_owned()]).expect("a memory").remove(0);
        assert_eq!((&*edited.content, edited.heads.len()), ("Use Valkey", 1));
        let undone = memory.undo_import(None).expect("undone");
        assert_eq!((undone.removed, undone.remaining.len()), (7, 0));
        assert_eq!(text(root, FILE), "");
    });
}

#[test]
fn a_file_whose_lines_precede_the_lines_they_replace_is_read_as_a_whole() {
    let folder = TempDir::new().expect("a directory");
    let mut reversed: Vec<String> = lines().lines().map(str::to_owned).collect();
    reversed.reverse();
    write(folder.path(), "lines.jsonl", &reversed.join("\n"));
    let path = folder.path().join("lines.jsonl");
    let mut parts = ImportedParts::open(&path, "lines", &ImportOptions::default()).expect("read");
    let count = std::iter::from_fn(|| parts.next_part().expect("a part")).count();
    assert_eq!(count, 1);
}
