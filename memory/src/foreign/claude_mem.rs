//! Reads the output of claude-mem's export script: observations, session summaries and prompts.

use super::{Format, ImportedFile, entry, name, put, text, texts, time};
use aidd_engine::parse::lines::types::{Entry, Kind};
use serde_json::Value;

/// The fields with the creation time, the preferred field first.
const TIME_FIELDS: [&str; 2] = ["created_at_epoch", "created_at"];

const NO_TEXT_OR_ID: &str = "the item has no text or no id";

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
    let prompts = list("prompts").count();
    if prompts > 0 {
        read.skip("prompts", format!("{prompts} user prompts, which are not memories"));
    }
    read
}

fn session(item: &Value) -> Option<String> {
    text(item, &["memory_session_id", "sdk_session_id", "session_id"])
}

fn observation(item: &Value) -> Option<Entry> {
    let content = text(item, &["title", "subtitle", "text", "narrative"])?;
    let kind = match text(item, &["type"]).as_deref() {
        Some("decision") => Kind::Decision,
        Some("bugfix") => Kind::Mistake,
        Some("feature" | "refactor" | "change") => Kind::WorkflowOutcome,
        _ => Kind::Insight,
    };
    let at = time(item, &TIME_FIELDS);
    let mut entry = entry(kind, at, "claude-mem", &name(item)?, content);
    entry.session_id = session(item);
    let metadata = &mut entry.metadata;
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
    Some(entry)
}
