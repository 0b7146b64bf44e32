//! Reads the tables `decisions`, `decision_edges` and `checkpoints` of the memory server MAMA, from
//! its database or as JSON.

use super::database::Database;
use super::projects::Selected;
use super::{Format, ImportOptions, ImportedFile, entry, name, put, text, texts, time};
use crate::MemoryError;
use aidd_engine::parse::lines::id;
use aidd_engine::parse::lines::log::{Op, Revision};
use aidd_engine::parse::lines::types::{Kind, Link, Outcome, Relation, Status};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

const DECISION_COLUMNS: [&str; 20] = [
    "id",
    "topic",
    "decision",
    "reasoning",
    "confidence",
    "outcome",
    "failure_reason",
    "limitation",
    "evidence",
    "alternatives",
    "risks",
    "summary",
    "event_date",
    "kind",
    "status",
    "session_id",
    "supersedes",
    "superseded_by",
    "created_at",
    "updated_at",
];
const EDGE_COLUMNS: [&str; 7] =
    ["from_id", "to_id", "relationship", "reason", "weight", "created_by", "approved_by_user"];
const CHECKPOINT_COLUMNS: [&str; 6] =
    ["id", "timestamp", "summary", "open_files", "next_steps", "status"];

/// Session ids that the API of MAMA makes up begin with this text.
const API_SESSION: &str = "mama_api_";

/// Reads the database of either version.
pub(super) fn read_database(
    database: &Database,
    options: &ImportOptions,
) -> Result<ImportedFile, MemoryError> {
    let mut decisions = database.rows("decisions", &DECISION_COLUMNS)?;
    let scopes = scopes(database)?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for project in scopes.values().flatten() {
        *counts.entry(project.clone()).or_default() += 1;
    }
    let selected = Selected::from_options(options, &counts)?;
    let own = |row: &Value| name(row).and_then(|name| scopes.get(&name));
    let all = decisions.len();
    decisions.retain(|row| selected.contains(own(row).into_iter().flatten().map(String::as_str)));
    let others = all - decisions.len();
    for row in &mut decisions {
        if let Some(projects) = own(row).cloned() {
            row["projects"] = json!(projects);
        }
    }
    let document = json!({
        "decisions": decisions,
        "decision_edges": database.rows("decision_edges", &EDGE_COLUMNS)?,
        "checkpoints": database.rows("checkpoints", &CHECKPOINT_COLUMNS)?,
    });
    let mut read = read(&document);
    if others > 0 {
        read.skip("decisions", format!("{others} memories of other projects"));
    }
    Ok(read)
}

/// The projects of each memory that has any.
fn scopes(database: &Database) -> Result<BTreeMap<String, Vec<String>>, MemoryError> {
    let mut projects: BTreeMap<String, String> = BTreeMap::new();
    for scope in database.rows("memory_scopes", &["id", "kind", "external_id"])? {
        if text(&scope, &["kind"]).as_deref() == Some("project")
            && let Some((id, project)) = name(&scope).zip(text(&scope, &["external_id"]))
        {
            projects.insert(id, project);
        }
    }
    let mut scopes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for binding in database.rows("memory_scope_bindings", &["memory_id", "scope_id"])? {
        let project = text(&binding, &["scope_id"]).and_then(|id| projects.get(&id));
        if let Some((memory, project)) = text(&binding, &["memory_id"]).zip(project) {
            scopes.entry(memory).or_default().push(project.clone());
        }
    }
    Ok(scopes)
}

/// Reads a list of decisions, or an object with lists of decisions, edges and checkpoints.
pub(super) fn read(document: &Value) -> ImportedFile {
    let mut read = ImportedFile::new(Format::Mama);
    let list = |name: &str| document.get(name).and_then(Value::as_array);
    let decisions = document.as_array().or_else(|| list("decisions"));
    let mut memories = Memories::default();
    for (index, item) in decisions.into_iter().flatten().enumerate() {
        let position = format!("item {} of decisions", index + 1);
        let (Some(content), Some(item_name)) = (text(item, &["decision"]), name(item)) else {
            read.skip(position, "`decision` or `id` is missing");
            continue;
        };
        if memories.by_name.contains_key(&item_name) {
            read.skip(position, "the `id` occurs twice");
            continue;
        }
        memories.add(item, item_name, content);
    }
    let edges = list("decision_edges").or_else(|| list("edges"));
    memories.add_links(decisions.into_iter().flatten(), edges.into_iter().flatten(), &mut read);
    memories.finish(&mut read);
    for (index, item) in list("checkpoints").into_iter().flatten().enumerate() {
        checkpoint(item, index, &mut read);
    }
    read
}

/// A row of `decisions`, converted.
struct Memory {
    kind: Kind,
    at: i64,
    revision: Revision,
    item_name: String,
    status: Option<String>,
}

/// The memories of a file, and their positions by the ids that MAMA uses.
#[derive(Default)]
struct Memories {
    list: Vec<Memory>,
    by_name: BTreeMap<String, usize>,
}

impl Memories {
    fn add(&mut self, item: &Value, item_name: String, content: String) {
        let at = time(item, &["created_at", "event_date"]);
        let kind = kind(item);
        let first =
            Revision::first(kind, id::of_memory(kind, at, &["mama", &item_name]), at, content);
        let session_id = text(item, &["session_id"]).filter(|id| !id.starts_with(API_SESSION));
        let topic = text(item, &["topic"]);
        let revision = Revision { topic, session_id, metadata: metadata(item, kind), ..first };
        let status = text(item, &["status"]);
        self.by_name.insert(item_name.clone(), self.list.len());
        self.list.push(Memory { kind, at, revision, item_name, status });
    }

    /// Adds the links of the columns and of the edges. The newer memory has the link, as in MAMA.
    fn add_links<'a>(
        &mut self,
        items: impl Iterator<Item = &'a Value>,
        edges: impl Iterator<Item = &'a Value>,
        read: &mut ImportedFile,
    ) {
        for (index, edge) in edges.enumerate() {
            if let Err(why) = self.add_edge(edge) {
                read.skip(format!("item {} of decision_edges", index + 1), why);
            }
        }
        for item in items {
            let Some(own) = name(item).filter(|own| self.by_name.contains_key(own)) else {
                continue;
            };
            for older in texts(item, "supersedes") {
                // Ids in the columns can belong to memories that were deleted or that are in
                // another project.
                let _ = self.link(&own, &older, Link::new(Relation::Supersedes, ""));
            }
            for newer in texts(item, "superseded_by") {
                let _ = self.link(&newer, &own, Link::new(Relation::Supersedes, ""));
            }
        }
    }

    fn add_edge(&mut self, edge: &Value) -> Result<(), String> {
        let (Some(from), Some(to)) = (text(edge, &["from_id"]), text(edge, &["to_id"])) else {
            return Err("`from_id` or `to_id` is missing".to_owned());
        };
        if edge["approved_by_user"].as_i64() == Some(0) {
            return Err("a person did not approve the link".to_owned());
        }
        let word = text(edge, &["relationship"]).unwrap_or_default();
        let mut link = Link::new(word.parse().unwrap_or(Relation::RelatesTo), "");
        if word != link.relation.word() {
            put(&mut link.extra, "statedRelation", word);
        }
        link.reason = text(edge, &["reason"]);
        put(&mut link.extra, "weight", edge["weight"].as_f64());
        put(&mut link.extra, "createdBy", text(edge, &["created_by"]));
        self.link(&from, &to, link)
    }

    /// Adds a link between two memories, unless it exists.
    fn link(&mut self, from: &str, to: &str, mut link: Link) -> Result<(), String> {
        if from == to {
            return Err("the link leads to its own source".to_owned());
        }
        let at = |name: &str| self.by_name.get(name).copied();
        let (Some(from_at), Some(to_at)) = (at(from), at(to)) else {
            return Err(format!(
                "the link leads from {from} to {to}, one of which is not imported"
            ));
        };
        let target = &self.list[to_at];
        if target.kind.file().is_none() && self.list[from_at].kind.file().is_some() {
            return Err(format!("the link leads to {to}, which stays in this checkout"));
        }
        link.to.clone_from(&target.revision.id);
        if link.relation == Relation::Supersedes && self.supersedes(&link.to, from_at) {
            return Err(format!("{from} and {to} would supersede each other"));
        }
        let links = &mut self.list[from_at].revision.links;
        let is_same = |own: &Link| (&own.to, own.relation) == (&link.to, link.relation);
        if !links.iter().any(is_same) {
            links.push(link);
        }
        Ok(())
    }

    /// Whether the memory with the id `newer` supersedes a memory, directly or through others.
    fn supersedes(&self, newer: &str, older: usize) -> bool {
        let by_id = |id: &str| self.list.iter().position(|memory| memory.revision.id == id);
        let older = &self.list[older].revision.id;
        let (mut pending, mut seen) = (vec![newer.to_owned()], BTreeSet::new());
        while let Some(id) = pending.pop() {
            if id == *older {
                return true;
            }
            if let Some(memory) = by_id(&id).filter(|_| seen.insert(id)) {
                let links = self.list[memory].revision.links.iter();
                let superseding = links.filter(|link| link.relation == Relation::Supersedes);
                pending.extend(superseding.map(|link| link.to.clone()));
            }
        }
        false
    }

    fn finish(self, read: &mut ImportedFile) {
        let mut superseded: BTreeSet<String> = BTreeSet::new();
        let mut contradicted: BTreeSet<String> = BTreeSet::new();
        for link in self.list.iter().flat_map(|memory| &memory.revision.links) {
            match link.relation {
                Relation::Supersedes => superseded.insert(link.to.clone()),
                Relation::Contradicts => contradicted.insert(link.to.clone()),
                _ => false,
            };
        }
        for memory in self.list {
            let id = &memory.revision.id;
            // The status of memories with a successor follows from the link.
            let ended = memory.status.filter(|status| match &**status {
                "superseded" => !superseded.contains(id),
                "contradicted" => !contradicted.contains(id) && !superseded.contains(id),
                "stale" => true,
                _ => false,
            });
            if memory.kind.file().is_none() {
                let content = memory.revision.content;
                let mut entry = entry(memory.kind, memory.at, "mama", &memory.item_name, content);
                entry.topic = memory.revision.topic;
                entry.session_id = memory.revision.session_id;
                entry.metadata = memory.revision.metadata;
                if ended.is_some() || superseded.contains(id) {
                    entry.status = Status::Superseded;
                }
                let links = memory.revision.links.into_iter();
                read.links.extend(links.map(|link| Link { from: entry.id.clone(), ..link }));
                read.entries.push(entry);
                continue;
            }
            let revision = memory.revision.with_rev();
            let removal = ended.map(|status| Revision {
                op: Op::Remove,
                parents: vec![revision.rev.clone()],
                reason: Some(format!("{status} in MAMA")),
                ..Revision::first(memory.kind, revision.id.clone(), memory.at, "")
            });
            read.revisions.push(revision);
            read.revisions.extend(removal.map(Revision::with_rev));
        }
    }
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
    put(&mut metadata, reasoning, text(item, &["reasoning"]));
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
    put(&mut metadata, "outcomeReason", text(item, &["failure_reason"]));
    for name in ["limitation", "evidence", "risks", "kind"] {
        put(&mut metadata, name, field(name));
    }
    let summary = text(item, &["summary"]);
    put(
        &mut metadata,
        "summary",
        summary.filter(|it| text(item, &["decision"]) != Some(it.clone())),
    );
    put(&mut metadata, "eventDate", text(item, &["event_date"]));
    put(&mut metadata, "projects", field("projects"));
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
