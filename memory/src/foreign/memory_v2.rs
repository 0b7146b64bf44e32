//! Reads the decision log of aidd's Memory v2 (`aidd.memory.decision.v1`): one decision per line,
//! in either of its two formats.

use super::{Format, ImportedFile, put, text, texts, time};
use aidd_engine::parse::lines::id;
use aidd_engine::parse::lines::log::{Op, Revision};
use aidd_engine::parse::lines::types::{Kind, Link, Relation, VERDICT, Verdict};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Whether a line belongs to a decision log of Memory v2.
pub(super) fn is_line(line: &Map<String, Value>) -> bool {
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let is_schema = text("schema").is_some_and(|schema| schema.starts_with("aidd.memory.decision"));
    is_schema || (text("decision_id").is_some() && text("decision").is_some())
}

/// A memory of the log: its lines, oldest first.
struct LoggedMemory {
    id: String,
    revisions: Vec<Revision>,
    /// Ids, in the log, of the memories that this memory supersedes.
    supersedes: Vec<String>,
    /// Ids, in the log, of the memories that this memory contradicts.
    conflicts: Vec<String>,
    /// The status in the last line of the memory.
    status: Option<String>,
}

/// Reads the lines of a log.
pub(super) fn read(bytes: &[u8]) -> ImportedFile {
    let mut read = ImportedFile::new(Format::MemoryV2);
    let mut memories: Vec<(String, LoggedMemory)> = Vec::new();
    let mut positions: BTreeMap<String, usize> = BTreeMap::new();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let item: Value = serde_json::from_slice(line).unwrap_or_default();
        let (Some(content), Some(log_id)) =
            (text(&item, &["decision"]), text(&item, &["decision_id"]))
        else {
            read.skip(format!("line {}", index + 1), "`decision` or `decision_id` is missing");
            continue;
        };
        let at = time(&item, &["ts", "created_at", "timestamp"]);
        let position = *positions.entry(log_id.clone()).or_insert_with(|| {
            // The id is derived from the first line of the memory, so that a later export results
            // in the same id.
            let id = id::of_memory(Kind::Decision, at, &["memory-v2", &log_id]);
            let logged = LoggedMemory {
                id,
                revisions: Vec::new(),
                supersedes: Vec::new(),
                conflicts: Vec::new(),
                status: None,
            };
            memories.push((log_id.clone(), logged));
            memories.len() - 1
        });
        let memory = &mut memories[position].1;
        let first = Revision::first(Kind::Decision, memory.id.clone(), at, content);
        let revision = Revision {
            topic: text(&item, &["topic", "title"]),
            metadata: metadata(&item, &log_id),
            ..first
        };
        memory.revisions.push(revision);
        memory.supersedes.extend(texts(&item, "supersedes"));
        memory.conflicts.extend(texts(&item, "conflicts_with"));
        memory.status = text(&item, &["status"]);
    }
    let ids: BTreeMap<String, String> =
        memories.iter().map(|(log_id, memory)| (log_id.clone(), memory.id.clone())).collect();
    let superseded: Vec<String> =
        memories.iter().flat_map(|(_, memory)| memory.supersedes.clone()).collect();
    for (log_id, memory) in memories {
        let is_superseded = superseded.contains(&log_id);
        add_memory(memory, &ids, is_superseded, &mut read);
    }
    read
}

/// Adds the lines of a memory. Each line replaces the previous line and has the links of all lines.
fn add_memory(
    memory: LoggedMemory,
    ids: &BTreeMap<String, String>,
    is_superseded: bool,
    read: &mut ImportedFile,
) {
    let mut links: Vec<Link> = Vec::new();
    let targets = memory.supersedes.iter().map(|log_id| (Relation::Supersedes, log_id));
    let targets =
        targets.chain(memory.conflicts.iter().map(|log_id| (Relation::Contradicts, log_id)));
    for (relation, log_id) in targets {
        let Some(id) = ids.get(log_id).filter(|id| **id != memory.id) else {
            read.skip(
                log_id.clone(),
                format!("`{}` refers to this decision, which is not in the log", memory.id),
            );
            continue;
        };
        if !links.iter().any(|link| (&link.to, link.relation) == (id, relation)) {
            links.push(Link::new(relation, id));
        }
    }
    let mut parents: Vec<String> = Vec::new();
    let mut at = 0;
    let created_at = memory.revisions.first().map(|revision| revision.at);
    for mut revision in memory.revisions {
        if !parents.is_empty() {
            revision.created_at = created_at;
        }
        revision.parents = parents;
        revision.links.clone_from(&links);
        let revision = revision.with_rev();
        parents = vec![revision.rev.clone()];
        at = at.max(revision.at);
        read.revisions.push(revision);
    }
    // Superseded decisions without a successor in the log are not active.
    let reason = match memory.status.as_deref().map(str::to_ascii_lowercase).as_deref() {
        Some("superseded") if !is_superseded => "superseded in the log, without a successor in it",
        _ => return,
    };
    let removal = Revision {
        op: Op::Remove,
        parents,
        reason: Some(reason.to_owned()),
        ..Revision::first(Kind::Decision, memory.id, at, "")
    };
    read.revisions.push(removal.with_rev());
}

fn metadata(item: &Value, log_id: &str) -> Map<String, Value> {
    let mut metadata = Map::new();
    put(&mut metadata, "reasoning", text(item, &["rationale", "reasoning"]));
    put(&mut metadata, "alternatives", texts(item, "alternatives"));
    put(&mut metadata, "sourcePath", text(item, &["source_path", "source"]));
    for (name, key) in [("ticket", "ticket"), ("scopeKey", "scope_key"), ("stage", "stage")] {
        put(&mut metadata, name, text(item, &[key]));
    }
    let status = text(item, &["status"]).map(|status| status.to_ascii_lowercase());
    put(&mut metadata, VERDICT, status.filter(|status| status == Verdict::Rejected.word()));
    put(&mut metadata, "tags", texts(item, "tags"));
    put(&mut metadata, "decisionId", log_id);
    metadata
}
