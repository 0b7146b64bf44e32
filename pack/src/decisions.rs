//! The view of the decision log in the fields of the contract, and the decision pack.

use crate::budget::{Column, Draft, Section, one_line};
use crate::memories::{Decision, Memories};
use crate::ticket::PROJECT;
use aidd_engine::parse::lines::types::Status;
use aidd_memory::times;
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The schema of a line of the view.
pub(crate) const LINE_SCHEMA: &str = "aidd.memory.decision.v1";
/// The schema of the pack.
pub(crate) const PACK_SCHEMA: &str = "aidd.memory.decisions.pack.v1";

/// Maximum number of characters of a text in the view.
const MAX_TEXT: usize = 2000;

const ACTIVE: &[Column] = &[
    ("decision_id", 40),
    ("memory_id", 80),
    ("topic", 60),
    ("decision", 240),
    ("rationale", 160),
    ("ticket", 64),
    ("date", 10),
    ("outcome", 120),
];
const HEADS: &[Column] =
    &[("decision_id", 40), ("topic", 60), ("decision", 160), ("superseded_by", 40), ("date", 10)];
const REJECTED: &[Column] = &[
    ("decision_id", 40),
    ("memory_id", 80),
    ("topic", 60),
    ("decision", 200),
    ("status", 10),
    ("reason", 160),
];
const CONFLICTS: &[Column] = &[("conflict", 80), ("decisions", 40)];

/// Whether a decision belongs to a ticket; all decisions belong to the project.
fn is_own(decision: &Decision, ticket: &str) -> bool {
    ticket == PROJECT || decision.ticket == ticket
}

/// The lines of the view, one object each, in order of time.
pub(crate) fn log(memories: &Memories, ticket: &str) -> Vec<String> {
    let own = memories.decisions.iter().filter(|decision| is_own(decision, ticket));
    own.map(|decision| line(decision, memories).to_string()).collect()
}

fn line(decision: &Decision, memories: &Memories) -> Value {
    let entry = &decision.entry;
    let text = |text: &str| one_line(text, MAX_TEXT);
    let alternatives = entry.metadata.get("alternatives").and_then(Value::as_array);
    let alternatives = alternatives.into_iter().flatten().map(|alternative| match alternative {
        Value::String(own) => text(own),
        other => text(&other.to_string()),
    });
    let supersedes: Vec<&str> = decision
        .supersedes
        .iter()
        .filter_map(|id| memories.decision(id))
        .map(|other| &*other.id)
        .filter(|id| *id != decision.id)
        .collect();
    let source = Some(decision.field("sourcePath")).filter(|path| !path.is_empty());
    let source =
        source.map_or_else(|| format!("{}/decisions.jsonl", memories.folder), str::to_owned);
    let mut line = json!({
        "schema": LINE_SCHEMA,
        "ts": times::utc(entry.created_at),
        "ticket": decision.ticket,
        "scope_key": text(decision.scope()),
        "stage": text(decision.field("stage")),
        "decision_id": decision.id,
        "memory_id": text(&entry.id),
        "topic": text(entry.topic.as_deref().unwrap_or_default()),
        "decision": text(&entry.content),
        "alternatives": alternatives.collect::<Vec<_>>(),
        "rationale": text(decision.rationale()),
        "source_path": text(&source),
        "status": decision.status.word(),
        "supersedes": supersedes,
    });
    if let (Some(outcome), Some(line)) = (entry.outcome(), line.as_object_mut()) {
        line.insert("outcome".to_owned(), outcome.word().into());
    }
    line
}

/// The decision pack: what holds, the ticket's own decisions first, then the newest.
pub(crate) fn pack(memories: &Memories, ticket: &str, head: Vec<(&'static str, Value)>) -> Draft {
    let mut sorted: Vec<&Decision> = memories.decisions.iter().collect();
    sorted.sort_by_key(|decision| {
        let other = !is_own(decision, ticket) && decision.ticket != PROJECT;
        (!is_own(decision, ticket), other, Reverse(decision.entry.created_at), decision.id.clone())
    });
    let mut active = Section::new("active_decisions", ACTIVE);
    let mut heads = Section::new("superseded_heads", HEADS);
    let mut rejected = Section::new("rejected", REJECTED);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for decision in &sorted {
        *counts.entry(decision.status.word()).or_default() += 1;
        let entry = &decision.entry;
        let topic = entry.topic.as_deref().unwrap_or_default();
        let outcome = entry.outcome().map(|outcome| match entry.outcome_reason() {
            Some(reason) => format!("{outcome}: {reason}"),
            None => outcome.word().to_owned(),
        });
        match decision.status {
            Status::Active if !entry.is_failed() => {
                active.rows.push(vec![
                    decision.id.clone().into(),
                    entry.id.clone().into(),
                    topic.into(),
                    entry.content.clone().into(),
                    decision.rationale().into(),
                    decision.ticket.clone().into(),
                    times::day(entry.created_at).into(),
                    outcome.unwrap_or_default().into(),
                ]);
                heads.rows.extend(head_of(decision, memories));
            }
            Status::Rejected | Status::Active => {
                let (status, reason) = match decision.status {
                    Status::Rejected => ("rejected", decision.rationale().to_owned()),
                    _ => ("failed", entry.outcome_reason().unwrap_or_default()),
                };
                rejected.rows.push(vec![
                    decision.id.clone().into(),
                    entry.id.clone().into(),
                    topic.into(),
                    entry.content.clone().into(),
                    status.into(),
                    reason.into(),
                ]);
            }
            _ => {}
        }
    }
    let mut conflicts = Section::new("conflicts", CONFLICTS);
    for (name, members) in &memories.conflicts {
        let ids: Vec<&str> =
            members.iter().filter_map(|id| memories.decision(id)).map(|d| &*d.id).take(6).collect();
        conflicts.rows.push(vec![name.clone().into(), json!(ids)]);
    }
    let own = memories.decisions.iter().filter(|decision| decision.ticket == ticket).count();
    let mut stats = Map::new();
    stats.insert("entries_total".to_owned(), memories.decisions.len().into());
    stats.insert("invalid_entries".to_owned(), memories.invalid.into());
    stats.insert("own".to_owned(), own.into());
    for status in [Status::Active, Status::Superseded, Status::Rejected] {
        let count = counts.get(status.word()).copied().unwrap_or_default();
        stats.insert(status.word().to_owned(), count.into());
    }
    Draft {
        head,
        sections: vec![active, heads, rejected, conflicts],
        drop_order: &["superseded_heads", "rejected", "conflicts", "active_decisions"],
        stats,
    }
}

/// The latest decision that a decision supersedes, as a row.
fn head_of(decision: &Decision, memories: &Memories) -> Option<Vec<Value>> {
    let superseded = decision.supersedes.iter().filter_map(|id| memories.decision(id));
    let superseded = superseded.filter(|other| other.status == Status::Superseded);
    let last = superseded.max_by_key(|other| (other.entry.created_at, other.entry.id.clone()))?;
    Some(vec![
        last.id.clone().into(),
        last.entry.topic.clone().unwrap_or_default().into(),
        last.entry.content.clone().into(),
        decision.id.clone().into(),
        times::day(last.entry.created_at).into(),
    ])
}
