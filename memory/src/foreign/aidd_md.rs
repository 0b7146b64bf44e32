//! Reads the database of aidd.md, an earlier version of aidd: `.aidd/data.db`.

use super::database::Database;
use super::{Format, ImportedDocument, ImportedFile, entry, name, put, text, texts, time};
use crate::records::{BranchContext, Lifecycle, SessionState};
use crate::store::Table;
use crate::{MemoryError, legacy};
use aidd_engine::parse::lines::types::{Entry, Kind, Layer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Tables that are not imported, and why.
const LEFT_OUT: [(&str, &str); 4] = [
    ("artifacts", "documents, which are not memories"),
    ("drafts", "drafts of rules"),
    ("banned_patterns", "patterns; write rules for them with `aidd rule new`"),
    ("evolution_candidates", "suggestions, which aidd derives again"),
];

pub(super) fn read(database: &Database) -> Result<ImportedFile, MemoryError> {
    let mut read = ImportedFile::new(Format::AiddMd);
    for (index, row) in database
        .rows("permanent_memory", &["id", "type", "title", "content", "created_at", "session_id"])?
        .iter()
        .enumerate()
    {
        match permanent(row) {
            Some(revision) => read.revisions.push(revision),
            None => read.skip(
                format!("row {} of permanent_memory", index + 1),
                "it has no title, or is no decision, mistake or convention",
            ),
        }
    }
    let branches = sessions(database, &mut read)?;
    observations(database, &branches, &mut read)?;
    branch_states(database, &mut read)?;
    lifecycles(database, &mut read)?;
    for (table, why) in LEFT_OUT {
        let count = database.count(table)?;
        if count > 0 {
            read.skip(table, format!("{count} {why}"));
        }
    }
    Ok(read)
}

/// Converts a row to the item that the JSON export of aidd.md contains for it, so that the export
/// and the database have the same memories.
fn permanent(row: &Value) -> Option<crate::log::Revision> {
    let kind: Kind = text(row, &["type"])?.parse().ok()?;
    kind.file()?;
    let content_key = if kind == Kind::Mistake { "error" } else { kind.word() };
    let body = text(row, &["content"]).unwrap_or_default();
    let mut item = match serde_json::from_str(&body) {
        Ok(Value::Object(fields)) => fields,
        _ if body.is_empty() => Map::new(),
        _ => Map::from_iter([("content".to_owned(), body.into())]),
    };
    item.insert("id".to_owned(), name(row)?.into());
    item.insert(content_key.to_owned(), row.get("title")?.as_str()?.into());
    put(&mut item, "createdAt", text(row, &["created_at"]));
    put(&mut item, "sessionId", text(row, &["session_id"]));
    text(row, &["title"])?;
    legacy::revision(kind, Value::Object(item))
}

/// Reads the sessions; returns the branch of each session.
fn sessions(
    database: &Database,
    read: &mut ImportedFile,
) -> Result<BTreeMap<String, String>, MemoryError> {
    let columns = ["id", "branch", "started_at", "ended_at", "data"];
    let mut branches = BTreeMap::new();
    for row in database.rows("sessions", &columns)? {
        let Some(id) = name(&row) else { continue };
        let state = text(&row, &["data"]).and_then(|data| serde_json::from_str(&data).ok());
        let Some(mut state): Option<SessionState> = state else {
            read.skip(format!("session {id}"), "its data cannot be read");
            continue;
        };
        state.id.clone_from(&id);
        if state.branch.is_empty() {
            state.branch = text(&row, &["branch"]).unwrap_or_default();
        }
        if state.started_at.is_null() {
            state.started_at = row["started_at"].clone();
        }
        if state.ended_at.is_none() && !row["ended_at"].is_null() {
            state.ended_at = Some(row["ended_at"].clone());
        }
        let at = time(&row, &["started_at"]);
        branches.insert(id.clone(), state.branch.clone());
        let value = serde_json::to_value(&state)?;
        read.documents.push(ImportedDocument { table: Table::Sessions, id, at, value });
    }
    Ok(branches)
}

fn observations(
    database: &Database,
    branches: &BTreeMap<String, String>,
    read: &mut ImportedFile,
) -> Result<(), MemoryError> {
    let columns = [
        "id",
        "session_id",
        "type",
        "title",
        "content",
        "facts",
        "concepts",
        "files_read",
        "files_modified",
        "discovery_tokens",
        "created_at",
    ];
    for (index, row) in database.rows("observations", &columns)?.iter().enumerate() {
        match observation(row, branches) {
            Some(entry) => read.entries.push(entry),
            None => {
                read.skip(format!("row {} of observations", index + 1), "it has no title or id");
            }
        }
    }
    Ok(())
}

fn observation(row: &Value, branches: &BTreeMap<String, String>) -> Option<Entry> {
    let content = text(row, &["title"])?;
    let kind = text(row, &["type"]).and_then(|word| word.parse().ok()).unwrap_or(Kind::Insight);
    let mut entry = entry(kind, time(row, &["created_at"]), "aidd.md", &name(row)?, content);
    entry.session_id = text(row, &["session_id"]);
    let branch = entry.session_id.as_ref().and_then(|session| branches.get(session));
    if let Some(branch) = branch {
        entry.layer = Layer::Session;
        entry.branch = Some(branch.clone());
    }
    let metadata = &mut entry.metadata;
    put(metadata, "narrative", text(row, &["content"]));
    put(metadata, "facts", texts(row, "facts"));
    put(metadata, "concepts", texts(row, "concepts"));
    put(metadata, "filesRead", texts(row, "files_read"));
    put(metadata, "filesModified", texts(row, "files_modified"));
    put(metadata, "discoveryTokens", row["discovery_tokens"].as_u64());
    Some(entry)
}

fn branch_states(database: &Database, read: &mut ImportedFile) -> Result<(), MemoryError> {
    for row in database.rows("branches", &["name", "data", "archived"])? {
        let Some(branch) = text(&row, &["name"]) else { continue };
        let context = text(&row, &["data"]).and_then(|data| serde_json::from_str(&data).ok());
        let Some(mut context): Option<BranchContext> = context else {
            read.skip(format!("branch {branch}"), "its data cannot be read");
            continue;
        };
        if row["archived"].as_i64() == Some(1) {
            read.skip(format!("branch {branch}"), "it is archived");
            continue;
        }
        context.branch = branch;
        read.branches.push(context);
    }
    Ok(())
}

fn lifecycles(database: &Database, read: &mut ImportedFile) -> Result<(), MemoryError> {
    let columns = [
        "id",
        "session_id",
        "feature",
        "current_phase",
        "status",
        "phases",
        "created_at",
        "updated_at",
    ];
    for mut row in database.rows("lifecycle_sessions", &columns)? {
        let Some(id) = name(&row) else { continue };
        let phases = text(&row, &["phases"]).and_then(|text| serde_json::from_str(&text).ok());
        row["phases"] = phases.unwrap_or_else(|| json!([]));
        let at = time(&row, &["created_at"]);
        if let Ok(lifecycle) = serde_json::from_value::<Lifecycle>(row) {
            let value = serde_json::to_value(&lifecycle)?;
            read.documents.push(ImportedDocument { table: Table::Lifecycles, id, at, value });
        } else {
            read.skip(format!("lifecycle {id}"), "its data cannot be read");
        }
    }
    Ok(())
}
