//! Accepting the drafts of imports.

use super::*;
use crate::foreign::{ImportOptions, read_path};
use crate::store::{Layers, Query};
use crate::types::{Entry, Kind, Status};
use serde_json::json;

const RECORDS: [(&str, &str); 4] = [
    (
        "docs/adr/0001-queue.md",
        "# 1. Queue\n\nDate: 2025-02-01\n\n## Status\n\nSuperseded by [2](0002-table.md)\n\n## Decision\n\nWe use a broker.\n",
    ),
    (
        "docs/adr/0002-table.md",
        "# 2. Table\n\nDate: 2025-03-01\n\n## Status\n\nAccepted\n\nSupersedes [1](0001-queue.md)\n\n## Context\n\nOne service less.\n\n## Decision\n\nWe use a table as the queue.\n",
    ),
    (
        "docs/adr/0003-cache.md",
        "# 3. Cache\n\n## Status\n\nRejected\n\n## Decision\n\nWe cache in the browser.\n",
    ),
    (
        "CLAUDE.md",
        "# Shop\n\n## Conventions\n\n- Amounts are integers in cents\n- Errors name a remedy\n\n## Known problems\n\n- Watch fails with ENOSPC. Fix: raise max_user_watches\n",
    ),
];

/// Imports the records and the guidance.
fn import(root: &Path, memory: &mut ProjectMemory) {
    for (path, text) in RECORDS {
        write(root, path, text);
    }
    for name in ["docs/adr", "CLAUDE.md"] {
        let file = read_path(&root.join(name), name, &ImportOptions::default()).expect("read");
        memory.import_file(&file, name, false).expect("imported");
    }
}

fn draft(memory: &mut ProjectMemory, text: &str) -> String {
    let drafts = memory.drafts(None).expect("drafts");
    let found = drafts.iter().find(|draft| draft.content.contains(text));
    found.expect("a draft").id.clone()
}

fn tracked(memory: &mut ProjectMemory) -> Vec<Entry> {
    let query = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::PERMANENT) };
    let mut entries = memory.read(&mut |store| store.entries(&query)).expect("read");
    entries.sort_by(|a, b| a.content.cmp(&b.content));
    entries
}

#[test]
fn an_accepted_draft_is_a_memory_of_the_team_with_its_source() {
    on_both_stores(|root, memory| {
        import(root, memory);
        assert_eq!(memory.drafts(None).expect("drafts").len(), 6);
        let id = draft(memory, "table");
        let (kind, saved) = memory.accept_draft(&id, Some("main")).expect("accepted");
        assert_eq!((kind, saved.is_new), (Kind::Decision, true));
        let [entry] = &tracked(memory)[..] else { panic!("one memory") };
        assert_eq!(entry.content, "We use a table as the queue.");
        assert_eq!(entry.topic.as_deref(), Some("Table"));
        assert_eq!(entry.branch.as_deref(), Some("main"));
        assert_eq!(crate::times::day(entry.created_at), "2025-03-01");
        assert_eq!(entry.metadata["sourcePath"], json!("0002-table.md"));
        assert!(!entry.metadata.contains_key("draft"));
        assert!(text(root, "ai/memory/decisions.jsonl").contains("0002-table.md"));
        let error = memory.accept_draft(&id, None).expect_err("accepted");
        assert_eq!(error.to_string(), format!("`{id}` was already accepted as `{}`", saved.id));
        assert_eq!(memory.drafts(None).expect("drafts").len(), 5);
        let id = draft(memory, "browser");
        memory.accept_draft(&id, None).expect("accepted");
        let query = Query { statuses: vec![Status::Rejected], ..Query::new(Layers::PERMANENT) };
        assert_eq!(memory.read(&mut |store| store.entries(&query)).expect("read").len(), 1);
    });
}

#[test]
fn drafts_are_accepted_by_source_and_never_again() {
    on_both_stores(|root, memory| {
        import(root, memory);
        for source in ["CLAUDE.md", "./CLAUDE.md"] {
            assert_eq!(memory.drafts(Some(source)).expect("drafts").len(), 3);
        }
        assert_eq!(memory.drafts(Some("0003-cache.md")).expect("drafts").len(), 1);
        let error = memory.drafts(Some("other.md")).expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "no draft comes from `other.md`; the open drafts come from CLAUDE.md, docs/adr"
        );
        let drafts = memory.drafts(Some("CLAUDE.md")).expect("drafts");
        for entry in &drafts {
            memory.accept_draft(&entry.id, None).expect("accepted");
        }
        let kinds: Vec<Kind> = tracked(memory).iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [Kind::Convention, Kind::Convention, Kind::Mistake]);
        // The import of the same file finds its drafts, and taking it back leaves them.
        import(root, memory);
        assert_eq!(memory.drafts(None).expect("drafts").len(), 3);
        memory.undo_import(None).expect("undone");
        assert_eq!(tracked(memory).len(), 3);
    });
}

#[test]
fn what_is_no_open_draft_is_refused() {
    on_both_stores(|root, memory| {
        import(root, memory);
        let old = draft(memory, "broker");
        let own = memory.save_decision(&decision("Ours", None)).expect("saved").id;
        let local = memory.save_insight("A lesson", None, &crate::kinds::Insight::default(), None);
        let local = local.expect("saved");
        let error = |memory: &mut ProjectMemory, id: &str| {
            memory.accept_draft(id, None).expect_err("refused").to_string().replace(id, "ID")
        };
        assert_eq!(
            error(memory, &old),
            "`ID` is superseded; accept the decision that is in effect instead"
        );
        let not_a_draft = "`ID` is not a draft; only drafts of an import can be accepted";
        assert_eq!(error(memory, &own), not_a_draft);
        assert_eq!(error(memory, &local), not_a_draft);
        assert_eq!(error(memory, "decision_1_a"), "unknown memory `ID`");
        let id = draft(memory, "cents");
        let edit = crate::permanent::Edit::default();
        let error = memory.edit(Kind::Convention, &id, &edit).expect_err("a draft").to_string();
        assert!(
            error.contains("is a draft; a person accepts it with `aidd memory accept"),
            "{error}"
        );
    });
}

#[test]
fn a_draft_of_a_known_memory_adds_its_fields() {
    on_both_stores(|root, memory| {
        import(root, memory);
        let known = memory
            .save_mistake(&mistake("Watch fails with ENOSPC.", "raise max_user_watches"))
            .expect("saved")
            .id;
        let id = draft(memory, "ENOSPC");
        let (_, saved) = memory.accept_draft(&id, None).expect("accepted");
        assert_eq!((&saved.id, saved.is_new, saved.occurrences), (&known, false, None));
        let [entry] = &tracked(memory)[..] else { panic!("one memory") };
        assert_eq!(entry.metadata["sourcePath"], json!("CLAUDE.md"));
        assert_eq!(entry.metadata.get("occurrences"), None);
        assert!(memory.check_draft(&id).is_err());
    });
}
