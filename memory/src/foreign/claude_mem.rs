//! Reads the observations and session summaries of claude-mem, from its database or from the output
//! of its export script.

use super::database::Database;
use super::projects::Selected;
use super::{Format, ImportOptions, ImportedFile, entry, name, put, text, texts, time};
use crate::MemoryError;
use aidd_engine::parse::lines::types::{Entry, Kind};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const OBSERVATION_COLUMNS: [&str; 18] = [
    "id",
    "memory_session_id",
    "sdk_session_id",
    "project",
    "merged_into_project",
    "type",
    "title",
    "subtitle",
    "text",
    "narrative",
    "facts",
    "concepts",
    "files_read",
    "files_modified",
    "discovery_tokens",
    "created_at",
    "created_at_epoch",
    "origin_local_id",
];
const SUMMARY_COLUMNS: [&str; 14] = [
    "id",
    "memory_session_id",
    "sdk_session_id",
    "project",
    "merged_into_project",
    "request",
    "investigated",
    "learned",
    "completed",
    "next_steps",
    "notes",
    "files_edited",
    "created_at",
    "created_at_epoch",
];

/// The fields with the creation time, the preferred field first.
const TIME_FIELDS: [&str; 2] = ["created_at_epoch", "created_at"];

const NO_TEXT_OR_ID: &str = "the item has no text or no id";

/// Reads the database, which contains the memories of all projects of a person.
pub(super) fn read_database(
    database: &Database,
    options: &ImportOptions,
) -> Result<ImportedFile, MemoryError> {
    let mut observations = database.rows("observations", &OBSERVATION_COLUMNS)?;
    let mut summaries = database.rows("session_summaries", &SUMMARY_COLUMNS)?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in observations.iter().chain(&summaries) {
        for project in projects(row) {
            *counts.entry(project.to_owned()).or_default() += 1;
        }
    }
    let selected = Selected::from_options(options, &counts)?;
    let all = observations.len() + summaries.len();
    observations.retain(|row| selected.contains(projects(row)));
    summaries.retain(|row| selected.contains(projects(row)));
    let others = all - observations.len() - summaries.len();
    let columns = ["memory_session_id", "sdk_session_id", "custom_title"];
    let mut titles: BTreeMap<String, String> = BTreeMap::new();
    for row in database.rows("sdk_sessions", &columns)? {
        if let Some((id, title)) = session(&row).zip(text(&row, &["custom_title"])) {
            titles.insert(id, title);
        }
    }
    for row in &mut summaries {
        if let Some(title) = session(row).and_then(|id| titles.get(&id)) {
            row["session_title"] = json!(title);
        }
    }
    let mut read = read(&json!({"observations": observations, "summaries": summaries}));
    let prompts = database.count("user_prompts")?;
    read.skip_prompts(prompts);
    if others > 0 {
        read.skip("observations and summaries", format!("{others} memories of other projects"));
    }
    Ok(read)
}

/// The projects of a row: its own, and the one with which that project was merged.
fn projects(row: &Value) -> impl Iterator<Item = &str> {
    let names = ["project", "merged_into_project"].into_iter();
    names.filter_map(|name| row.get(name)?.as_str()).filter(|name| !name.is_empty())
}

pub(super) fn read(document: &Value) -> ImportedFile {
    let mut read = ImportedFile::new(Format::ClaudeMem);
    let list = |name: &str| document.get(name).and_then(Value::as_array).into_iter().flatten();
    for (index, item) in list("observations").enumerate() {
        match observation(item) {
            Some(entry) => read.entries.push(entry),
            None => read.skip(format!("item {} of observations", index + 1), NO_TEXT_OR_ID),
        }
    }
    for (index, item) in list("summaries").enumerate() {
        match summary(item) {
            Some(entry) => read.entries.push(entry),
            None => read.skip(format!("item {} of summaries", index + 1), NO_TEXT_OR_ID),
        }
    }
    read.skip_prompts(list("prompts").count());
    read
}

impl ImportedFile {
    fn skip_prompts(&mut self, count: usize) {
        if count > 0 {
            self.skip("prompts", format!("{count} user prompts, which are not memories"));
        }
    }
}

fn session(item: &Value) -> Option<String> {
    text(item, &["memory_session_id", "sdk_session_id", "session_id"])
}

fn observation(item: &Value) -> Option<Entry> {
    let content = text(item, &["title", "subtitle", "text", "narrative"])?;
    let stated = text(item, &["type"]);
    let kind = match stated.as_deref() {
        Some("decision") => Kind::Decision,
        Some("bugfix") => Kind::Mistake,
        Some("feature" | "refactor" | "change") => Kind::WorkflowOutcome,
        _ => Kind::Insight,
    };
    let at = time(item, &TIME_FIELDS);
    // Memories synchronised from another device have another number there.
    let item_name = text(item, &["origin_local_id"]).or_else(|| name(item))?;
    let mut entry = entry(kind, at, "claude-mem", &item_name, content);
    entry.session_id = session(item);
    let metadata = &mut entry.metadata;
    if kind == Kind::Insight {
        put(metadata, "category", stated);
    }
    if kind == Kind::Mistake {
        put(metadata, "files", texts(item, "files_modified"));
    }
    put(metadata, "facts", texts(item, "facts"));
    put(metadata, "narrative", text(item, &["narrative", "text"]));
    put(metadata, "concepts", texts(item, "concepts"));
    put(metadata, "filesRead", texts(item, "files_read"));
    put(metadata, "filesModified", texts(item, "files_modified"));
    let tokens = item.get("discovery_tokens").and_then(Value::as_u64);
    put(metadata, "discoveryTokens", tokens.filter(|tokens| *tokens > 0));
    for name in ["subtitle", "project"] {
        put(metadata, name, text(item, &[name]));
    }
    Some(entry)
}

fn summary(item: &Value) -> Option<Entry> {
    let parts = ["request", "investigated", "learned", "completed", "notes"];
    let content = text(item, &["completed", "learned", "request"])?;
    let mut entry =
        entry(Kind::Checkpoint, time(item, &TIME_FIELDS), "claude-mem", &name(item)?, content);
    entry.session_id = session(item);
    for name in parts {
        put(&mut entry.metadata, name, text(item, &[name]));
    }
    put(&mut entry.metadata, "nextSteps", text(item, &["next_steps"]));
    put(&mut entry.metadata, "openFiles", texts(item, "files_edited"));
    put(&mut entry.metadata, "project", text(item, &["project"]));
    put(&mut entry.metadata, "session", text(item, &["session_title"]));
    Some(entry)
}
