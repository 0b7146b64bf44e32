//! Related memories: the decisions on a topic, the results of a semantic search, and linked
//! memories.

use super::older;
use super::render::{Row, cap_limit, entry_row, entry_text, kind, parse_time};
use super::search::{Hits, hits, links};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_memory::graph::{MAX_DEPTH, MEMORY_DEPTH, SEARCH_DEPTH, Step, TOPIC_DEPTH};
use aidd_memory::project::ProjectMemory;
use aidd_memory::recall::{Hit, Question, SearchOrder};
use aidd_memory::store::{Layers, Order, Query};
use aidd_memory::types::{Entry, Kind, Status};
use aidd_memory::words::topic_key;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Maximum number of linked memories shown with results.
const MAX_RELATED: usize = 10;
/// Maximum number of memories shown for a traversal of links.
const MAX_LINKED: usize = 30;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "load_context",
            "Load memory with links",
            "Returns a memory, selected by id or topic, with its links. Use before changing a \
             decision; use load_checkpoint to resume work.",
            load_context,
        )
        .in_profiles(&[Profile::Memory, Profile::Plan]),
        Tool::new(
            "search_by_topic",
            "Search by topic",
            "Returns the current and past decisions on a topic. Use for a known topic; otherwise \
             use search_by_context.",
            by_topic,
        )
        .in_profiles(&[Profile::Memory, Profile::Plan])
        .with_older_names(older::RECALL_DECISION),
        Tool::new(
            "search_by_context",
            "Search by context",
            "Finds memories by meaning, with the links of the best result. Use for questions such \
             as \"how did we …?\"; use aidd_memory_search to filter.",
            by_context,
        )
        .in_profiles(&[Profile::Memory, Profile::Plan])
        .with_spellings(&[("userQuestion", "query"), ("user_question", "query")])
        .with_older_names(older::SUGGEST_DECISION),
        Tool::new(
            "search_recent",
            "Recent memories",
            "Lists the newest memories. Use to see recent changes; use aidd_memory_search to find \
             memories by text.",
            recent,
        )
        .in_profiles(&[Profile::Memory, Profile::Plan])
        .with_older_names(older::LIST_DECISIONS),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct ContextParams {
    id: Option<String>,
    topic: Option<String>,
    /// Maximum number of links to follow
    depth: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct Loaded {
    entry: Row,
    /// Linked memories, each with its depth and the relation that leads to it.
    #[schemars(skip)]
    related: Vec<Row>,
}

fn load_context(context: &Context, params: ContextParams) -> Result<Answer<Loaded>, ToolError> {
    let (depth, note) = cap_limit("depth", params.depth, MEMORY_DEPTH, MAX_DEPTH);
    context.memory(|memory| -> Result<_, ToolError> {
        let id = match (params.id, params.topic) {
            (Some(id), None) => id,
            (None, Some(topic)) => {
                let entries = memories_on_topic(memory, &topic)?;
                let is_active = |entry: &&Entry| entry.status == Status::Active;
                let decision =
                    entries.iter().filter(is_active).rfind(|entry| entry.kind == Kind::Decision);
                match decision.or(entries.iter().rfind(is_active)).or(entries.last()) {
                    Some(entry) => entry.id.clone(),
                    None => return Err(unknown_topic(memory, &topic)?),
                }
            }
            _ => {
                return Err(ToolError::new("pass either `id` or `topic`"));
            }
        };
        let walk = memory.walk(&id, &[], depth)?;
        let entry = &walk.steps[0].entry;
        let entry_links = links(memory, entry)?;
        let mut text = entry_text(&memory.brief(entry)?, &entry_links);
        let related = render_steps(memory, &walk.steps[1..], MAX_LINKED, &mut text)?;
        if walk.is_truncated {
            text.push_str("\nnote: more linked memories exist at this depth");
        }
        if let Some(note) = note {
            let _ = write!(text, "\nnote: {note}");
        }
        Ok(Answer::new(Loaded { entry: entry_row(entry, &entry_links), related }, text))
    })
}

/// Renders the steps of a traversal as rows, and appends them to `text` as lines.
fn render_steps(
    memory: &mut ProjectMemory,
    steps: &[Step],
    max: usize,
    text: &mut String,
) -> Result<Vec<Row>, ToolError> {
    let mut rows = Vec::new();
    for step in steps.iter().take(max) {
        let (entry, depth) = (&step.entry, step.depth);
        let relation = step.by.as_ref().map_or("", |link| link.relation.word());
        let (title, marks) = (entry.title(80), memory.brief(entry)?.marks());
        let _ = write!(text, "\n{depth} {relation}: {} {} {title}{marks}", entry.id, entry.status);
        let mut row = Row::from_value(json!({
            "id": entry.id, "type": entry.kind, "title": title, "status": entry.status,
            "depth": depth, "relation": relation,
        }));
        if let Some(outcome) = entry.outcome() {
            row.0.insert("outcome".to_owned(), json!(outcome));
        }
        if let Some(reason) = entry.outcome_reason() {
            row.0.insert("outcomeReason".to_owned(), json!(reason));
        }
        rows.push(row);
    }
    if steps.len() > max {
        let _ = write!(text, "\nnote: omitted linked memories: {}", steps.len() - max);
    }
    Ok(rows)
}

/// Memories on a topic that were not removed, oldest first.
fn memories_on_topic(memory: &mut ProjectMemory, topic: &str) -> Result<Vec<Entry>, ToolError> {
    let (topic, order) = (Some(topic.to_owned()), Order::Oldest);
    let query = Query { topic, order, ..Query::new(Layers::SAVED) };
    Ok(memory.read(&mut |store| store.entries(&query))?)
}

/// The error for an unknown topic, with similar topics.
fn unknown_topic(memory: &mut ProjectMemory, topic: &str) -> Result<ToolError, ToolError> {
    let similar = similar_topics(memory, topic)?;
    let remedy = if similar.is_empty() {
        "search the contents with search_by_context".to_owned()
    } else {
        format!("similar topics: {}", similar.join(", "))
    };
    Ok(ToolError::new(format!("no memories on the topic `{topic}`")).remedy(remedy))
}

fn similar_topics(memory: &mut ProjectMemory, topic: &str) -> Result<Vec<String>, ToolError> {
    let question = Question { text: topic.to_owned(), ..Question::new(Layers::SAVED) };
    let mut topics: Vec<String> = Vec::new();
    for hit in memory.search(&question)?.hits.into_iter().filter(Hit::is_possible) {
        let is_new =
            |topic: &String| topics.iter().all(|known| topic_key(known) != topic_key(topic));
        let new_topic = hit.topic.filter(is_new);
        topics.extend(new_topic);
    }
    topics.truncate(5);
    Ok(topics)
}

#[derive(Deserialize, JsonSchema)]
struct TopicParams {
    topic: String,
    /// Maximum number of links to follow
    depth: Option<i64>,
    limit: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct Evolution {
    #[schemars(skip)]
    topic: String,
    /// Active memories.
    current: Vec<Row>,
    /// Replaced memories, oldest first.
    #[schemars(skip)]
    earlier: Vec<Row>,
    #[schemars(skip)]
    related: Vec<Row>,
    /// Similar topics, if this topic has no memories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<String>,
}

fn by_topic(context: &Context, params: TopicParams) -> Result<Answer<Evolution>, ToolError> {
    let (depth, depth_note) = cap_limit("depth", params.depth, TOPIC_DEPTH, MAX_DEPTH);
    let (limit, limit_note) = cap_limit("limit", params.limit, 20, 100);
    context.memory(|memory| -> Result<_, ToolError> {
        let topic = params.topic;
        let entries = memories_on_topic(memory, &topic)?;
        if entries.is_empty() {
            let nearest = similar_topics(memory, &topic)?;
            let mut text = format!("No memories on {topic}.");
            super::render::push_list(&mut text, "similar topics", &nearest);
            let (current, earlier, related) = (Vec::new(), Vec::new(), Vec::new());
            let data = Evolution { topic, current, earlier, related, nearest };
            return Ok(Answer::new(data, text));
        }
        let mut chain = with_linked_decisions(memory, entries)?;
        chain.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let more = chain.len().saturating_sub(limit);
        let chain = chain.split_off(more);
        let mut text = String::new();
        let (mut current, mut earlier) = (Vec::new(), Vec::new());
        for entry in &chain {
            let entry_links = links(memory, entry)?;
            if entry.status == Status::Active {
                let _ = write!(text, "{}\n\n", entry_text(&memory.brief(entry)?, &entry_links));
                current.push(entry_row(entry, &entry_links));
            } else {
                earlier.push(entry_row(entry, &entry_links));
            }
        }
        text.truncate(text.trim_end().len());
        for entry in chain.iter().filter(|entry| entry.status != Status::Active) {
            let day = aidd_memory::times::day(entry.created_at);
            let marks = memory.brief(entry)?.marks();
            let _ = write!(text, "\nearlier: {} {day} {}{marks}", entry.id, entry.title(100));
        }
        let seen: BTreeSet<&str> = chain.iter().map(|entry| &*entry.id).collect();
        let mut steps: Vec<Step> = Vec::new();
        for entry in chain.iter().filter(|entry| entry.status == Status::Active) {
            for step in memory.walk(&entry.id, &[], depth)?.steps {
                let is_new = !seen.contains(&*step.entry.id)
                    && !steps.iter().any(|known| known.entry.id == step.entry.id);
                steps.extend(is_new.then_some(step));
            }
        }
        let related = render_steps(memory, &steps, MAX_RELATED, &mut text)?;
        if more > 0 {
            let _ = write!(text, "\nnote: omitted older memories: {more}");
        }
        for note in depth_note.into_iter().chain(limit_note) {
            let _ = write!(text, "\nnote: {note}");
        }
        let text = text.trim_start().to_owned();
        let data = Evolution { topic, current, earlier, related, nearest: Vec::new() };
        Ok(Answer::new(data, text))
    })
}

/// Memories on a topic, and the decisions on other topics that supersede these memories or are
/// superseded by them.
fn with_linked_decisions(
    memory: &mut ProjectMemory,
    mut entries: Vec<Entry>,
) -> Result<Vec<Entry>, ToolError> {
    let mut known: BTreeSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
    let decisions = entries.iter().filter(|entry| entry.kind == Kind::Decision);
    let decisions: Vec<String> = decisions.map(|entry| entry.id.clone()).collect();
    // A traversal from any member of a chain finds all its members.
    let mut walked: BTreeSet<String> = BTreeSet::new();
    for id in decisions {
        if walked.contains(&id) {
            continue;
        }
        for linked in memory.chain(&id)? {
            walked.insert(linked.id.clone());
            if linked.status != Status::Removed && known.insert(linked.id.clone()) {
                entries.push(linked);
            }
        }
    }
    Ok(entries)
}

#[derive(Deserialize, JsonSchema)]
struct QueryParams {
    query: String,
    limit: Option<i64>,
    /// Maximum number of links to follow
    depth: Option<i64>,
}

fn by_context(context: &Context, params: QueryParams) -> Result<Answer<Hits>, ToolError> {
    let (limit, limit_note) = cap_limit("limit", params.limit, 10, 50);
    let (depth, depth_note) = cap_limit("depth", params.depth, SEARCH_DEPTH, MAX_DEPTH);
    let question = Question { text: params.query, limit, ..Question::new(Layers::ALL) };
    context.memory(|memory| -> Result<_, ToolError> {
        let mut answer =
            hits(memory, &question, limit_note.into_iter().chain(depth_note).collect())?;
        let ids: Vec<String> =
            answer.data.results.iter().map(|row| row.text("id").to_owned()).collect();
        if let Some(best) = ids.first() {
            let walk = memory.walk(best, &[], depth)?;
            let steps: Vec<Step> =
                walk.steps.into_iter().filter(|step| !ids.contains(&step.entry.id)).collect();
            if !steps.is_empty() {
                answer.text.push_str("\nlinked to the first result:");
            }
            answer.data.related = render_steps(memory, &steps, MAX_RELATED, &mut answer.text)?;
        }
        Ok(answer)
    })
}

#[derive(Deserialize, JsonSchema)]
struct RecentParams {
    limit: Option<i64>,
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Earliest date, such as 2026-01-05
    since: Option<String>,
}

fn recent(context: &Context, params: RecentParams) -> Result<Answer<Hits>, ToolError> {
    let (limit, note) = cap_limit("limit", params.limit, 10, 100);
    let question = Question {
        kinds: kind(params.kind.as_deref())?.into_iter().collect(),
        since: parse_time("since", params.since.as_deref())?,
        order: SearchOrder::Newest,
        limit,
        ..Question::new(Layers::ALL)
    };
    context.memory(|memory| hits(memory, &question, note.into_iter().collect()))
}
