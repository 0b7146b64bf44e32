//! Reads rows of the tables `decisions` and `checkpoints` of the memory server MAMA.

use super::{Format, ImportedFile, entry, name, put, text, texts, time};
use aidd_engine::parse::lines::id;
use aidd_engine::parse::lines::log::Revision;
use aidd_engine::parse::lines::types::{Kind, Link, Outcome, Relation};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Reads a list of decisions, or an object with lists of decisions and checkpoints.
pub(super) fn read(document: &Value) -> ImportedFile {
    let mut read = ImportedFile::new(Format::Mama);
    let list = |name: &str| document.get(name).and_then(Value::as_array);
    let decisions = document.as_array().or_else(|| list("decisions"));
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut superseded_names: Vec<(usize, Vec<String>)> = Vec::new();
    for (index, item) in decisions.into_iter().flatten().enumerate() {
        let position = format!("item {} of decisions", index + 1);
        let (Some(content), Some(item_name)) = (text(item, &["decision"]), name(item)) else {
            read.skip(position, "`decision` or `id` is missing");
            continue;
        };
        let at = time(item, &["created_at", "event_date"]);
        match kind(item) {
            kind @ (Kind::Decision | Kind::Convention) => {
                let id = id::of_memory(kind, at, &["mama", &item_name]);
                ids.insert(item_name, id.clone());
                superseded_names.push((read.revisions.len(), texts(item, "supersedes")));
                let first = Revision::first(kind, id, at, content);
                let topic = text(item, &["topic"]);
                let session_id = text(item, &["session_id"]);
                let metadata = metadata(item, kind);
                read.revisions.push(Revision { topic, session_id, metadata, ..first });
            }
            kind => {
                let mut entry = entry(kind, at, "mama", &item_name, content);
                entry.topic = text(item, &["topic"]);
                entry.metadata = metadata(item, kind);
                read.entries.push(entry);
            }
        }
    }
    for (index, names) in superseded_names {
        let known = names.iter().filter_map(|item_name| ids.get(item_name));
        let links = known.map(|id| Link::new(Relation::Supersedes, id)).collect();
        read.revisions[index].links = links;
    }
    read.revisions = read.revisions.into_iter().map(Revision::with_rev).collect();
    for (index, item) in list("checkpoints").into_iter().flatten().enumerate() {
        checkpoint(item, index, &mut read);
    }
    read
}

/// The type of a row: MAMA stores several types of memories as decisions.
fn kind(item: &Value) -> Kind {
    match item.get("kind").and_then(Value::as_str) {
        None | Some("decision") => Kind::Decision,
        Some("constraint") => Kind::Convention,
        Some("preference") => Kind::Preference,
        Some("lesson") => Kind::Insight,
        Some(_) => Kind::Context,
    }
}

fn metadata(item: &Value, kind: Kind) -> Map<String, Value> {
    let mut metadata = Map::new();
    let field = |name: &str| item.get(name).cloned().unwrap_or_default();
    let reasoning = if kind == Kind::Convention { "rationale" } else { "reasoning" };
    put(&mut metadata, reasoning, field("reasoning"));
    let confidence = item.get("confidence").and_then(Value::as_f64);
    put(&mut metadata, "confidence", confidence.filter(|value| (0.0..=1.0).contains(value)));
    put(&mut metadata, "alternatives", texts(item, "alternatives"));
    if let Some(stated) = text(item, &["outcome"]) {
        match Outcome::read(&stated) {
            Ok(outcome) => put(&mut metadata, "outcome", outcome.word()),
            // MAMA also has other outcomes, such as "pending".
            Err(_) => put(&mut metadata, "statedOutcome", stated),
        }
    }
    put(&mut metadata, "outcomeReason", field("failure_reason"));
    for name in ["limitation", "evidence", "risks", "summary", "kind"] {
        put(&mut metadata, name, field(name));
    }
    metadata
}

fn checkpoint(item: &Value, index: usize, read: &mut ImportedFile) {
    let Some(summary) = text(item, &["summary"]) else {
        return read.skip(format!("item {} of checkpoints", index + 1), "no summary");
    };
    let at = time(item, &["timestamp", "created_at"]);
    let item_name = name(item).unwrap_or_else(|| index.to_string());
    let mut entry = entry(Kind::Checkpoint, at, "mama", &item_name, summary);
    put(&mut entry.metadata, "openFiles", texts(item, "open_files"));
    put(&mut entry.metadata, "nextSteps", text(item, &["next_steps"]));
    put(&mut entry.metadata, "status", text(item, &["status"]));
    read.entries.push(entry);
}
