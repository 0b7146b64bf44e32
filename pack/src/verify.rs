//! Checks stored packs: schema, budget, ids and chains, and whether they are current.

use crate::{Gathered, Limits, PackError, PackKind, place};
use aidd_engine::parse::json_schema::{Node, faults};
use aidd_index::query::Reader;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A problem of a stored pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The reason code, such as `memory_semantic_pack_missing`.
    pub code: String,
    /// Path relative to the root.
    pub path: String,
    /// The problem in a sentence.
    pub message: String,
}

/// Maximum number of faults that are reported for a pack.
const MAX_FAULTS: usize = 5;

/// What a problem is about; the last part of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Missing,
    Invalid,
    Stale,
}

fn problem(kind: PackKind, ticket: &str, fault: Fault, message: impl Into<String>) -> Problem {
    let name = match kind {
        PackKind::Semantic => "semantic_pack",
        PackKind::Decisions => "decisions_pack",
        PackKind::Rlm => "rlm_pack",
        PackKind::Log => "decisions_log",
    };
    let word = match fault {
        Fault::Missing => "missing",
        Fault::Invalid => "invalid",
        Fault::Stale => "stale",
    };
    Problem {
        code: format!("memory_{name}_{word}"),
        path: kind.path(ticket),
        message: message.into(),
    }
}

/// The violations of a schema by a document.
fn schema_faults(schema: &str, document: &Value) -> Vec<String> {
    let schema: Map<String, Value> = serde_json::from_str(schema).unwrap_or_default();
    let found = faults(&schema, Node::Value(document), "key", MAX_FAULTS);
    found.into_iter().map(|fault| fault.message).collect()
}

/// The problems in the text of a pack or of the log.
fn text_faults(kind: PackKind, text: &str, limits: Limits) -> Vec<String> {
    if kind == PackKind::Log {
        return log_faults(text);
    }
    let document: Value = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => return vec![format!("not JSON: {error}")],
    };
    let mut found = schema_faults(kind.schema(), &document);
    let (chars, lines) = (text.chars().count(), text.lines().count());
    if chars > limits.chars {
        found.push(format!("{chars} characters; the limit is {}", limits.chars));
    }
    if lines > limits.lines {
        found.push(format!("{lines} lines; the limit is {}", limits.lines));
    }
    for (name, counted) in [("chars", chars), ("lines", lines)] {
        if document["stats"][name].as_u64() != u64::try_from(counted).ok() {
            found.push(format!("`stats.{name}` does not match the file, which has {counted}"));
        }
    }
    found.extend(repeated_ids(&document));
    found.extend(unknown_successors(&document));
    found
}

fn rows<'a>(document: &'a Value, section: &str) -> impl Iterator<Item = &'a Vec<Value>> {
    let rows = document[section]["rows"].as_array().into_iter().flatten();
    rows.filter_map(Value::as_array)
}

fn repeated_ids(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for section in ["constraints", "invariants", "active_decisions", "rejected"] {
        let mut known = BTreeSet::new();
        for id in rows(document, section).filter_map(|row| row.first()?.as_str()) {
            if !known.insert(id) {
                found.push(format!("duplicate id {id} in {section}"));
            }
        }
    }
    found
}

/// Superseded decisions whose successor the pack does not contain although it left nothing out.
fn unknown_successors(document: &Value) -> Vec<String> {
    let dropped = document["stats"]["dropped"]["active_decisions"].as_u64().unwrap_or_default();
    if dropped > 0 {
        return Vec::new();
    }
    let active: BTreeSet<&str> =
        rows(document, "active_decisions").filter_map(|row| row.first()?.as_str()).collect();
    let successors = rows(document, "superseded_heads").filter_map(|row| row.get(3)?.as_str());
    let unknown = successors.filter(|id| !active.contains(id));
    unknown.map(|id| format!("superseded_by names {id}, which is not active")).collect()
}

fn log_faults(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut supersedes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let Ok(document) = serde_json::from_str::<Value>(line) else {
            found.push(format!("line {} is not JSON", at + 1));
            continue;
        };
        let faults = schema_faults(PackKind::Log.schema(), &document);
        found.extend(faults.into_iter().map(|fault| format!("line {}: {fault}", at + 1)));
        let id = document["decision_id"].as_str().unwrap_or_default().to_owned();
        let targets = document["supersedes"].as_array().into_iter().flatten();
        let targets = targets.filter_map(Value::as_str).map(str::to_owned).collect();
        if supersedes.insert(id.clone(), targets).is_some() {
            found.push(format!("line {}: duplicate id {id}", at + 1));
        }
        if found.len() >= MAX_FAULTS {
            return found;
        }
    }
    for (id, targets) in &supersedes {
        let is_mutual = |target: &String| {
            target == id || supersedes.get(target).is_some_and(|others| others.contains(id))
        };
        if targets.iter().any(is_mutual) {
            found.push(format!("{id} is in a cycle of superseded decisions"));
        }
    }
    found
}

/// Why a stored pack differs from the current one.
fn difference(stored: &str, current: &str) -> &'static str {
    let hash = |text: &str| {
        let document: Option<Value> = serde_json::from_str(text).ok();
        document.and_then(|document| Some(document["stats"]["input_hash"].as_str()?.to_owned()))
    };
    match (hash(stored), hash(current)) {
        (Some(stored), Some(current)) if stored == current => {
            "differs from the pack that its inputs give; run `aidd pack build`"
        }
        _ => "its inputs changed; run `aidd pack build`",
    }
}

impl Gathered<'_> {
    /// The problems of the stored packs of the ticket.
    ///
    /// # Errors
    /// When a directory is a link, or a file or the index cannot be read.
    pub fn verify(&self, reader: Option<&Reader>) -> Result<Vec<Problem>, PackError> {
        let mut problems = Vec::new();
        for kind in PackKind::ALL {
            let path = kind.path(&self.ticket);
            let Some(stored) = place::read(self.project.root(), &path)? else {
                let message = "there is no such pack; run `aidd pack build`";
                problems.push(problem(kind, &self.ticket, Fault::Missing, message));
                continue;
            };
            let found = text_faults(kind, &stored, self.limits);
            let is_valid = found.is_empty();
            let invalid =
                found.into_iter().map(|fault| problem(kind, &self.ticket, Fault::Invalid, fault));
            problems.extend(invalid);
            let current = self.pack(kind, reader)?;
            if is_valid && stored != current.text {
                let message = difference(&stored, &current.text);
                problems.push(problem(kind, &self.ticket, Fault::Stale, message));
            }
        }
        Ok(problems)
    }
}
