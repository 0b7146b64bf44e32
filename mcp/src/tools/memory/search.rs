//! Search in three steps: titles, the memories before and after a memory, full entries.

use super::render::{
    Row, cap_limit, entry_row, entry_text, hit_line, hit_row, kind, parse_time, render_hits,
};
use crate::context::Context;
use crate::tool::{Answer, Profile, Tool, ToolError, UNKNOWN_MEMORY};
use aidd_memory::project::ProjectMemory;
use aidd_memory::recall::{Certainty, MAX_WORDINGS, Question, SearchOrder};
use aidd_memory::store::Layers;
use aidd_memory::types::{Entry, Link, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Maximum number of full entries per call.
const MAX_ENTRIES: usize = 50;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_memory_search",
            "Search memory",
            "Finds memories by words and meaning. Use before a decision or a fix, with \
             otherWordings; use aidd_memory_get to read the results in full.",
            search,
        )
        .in_profiles(&[Profile::Memory, Profile::Lean]),
        Tool::new(
            "aidd_memory_context",
            "Memory timeline",
            "Lists the memories saved before and after a given memory. Use to see the context of a \
             search result.",
            timeline,
        )
        .in_profiles(&[Profile::Memory]),
        Tool::new(
            "aidd_memory_get",
            "Read memories",
            "Returns full memories with their links. Use to read search results in full; use \
             aidd_memory_search to find memories.",
            get,
        )
        .in_profiles(&[Profile::Memory, Profile::Lean]),
    ]
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OrderBy {
    Relevance,
    DateAsc,
    DateDesc,
}

/// Parses an outcome argument without listing its values in the schema.
fn outcome(name: Option<&str>) -> Result<Option<Outcome>, ToolError> {
    let outcome = name.map(Outcome::read).transpose();
    outcome.map_err(|error| ToolError::new(format!("`outcome`: {error}")))
}

// The outcome of a decision, as an argument.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(super) enum OutcomeArg {
    #[serde(rename = "SUCCESS")]
    Success,
    #[serde(rename = "FAILED")]
    Failed,
    #[serde(rename = "PARTIAL")]
    Partial,
}

impl OutcomeArg {
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Success => Outcome::Success,
            Self::Failed => Outcome::Failed,
            Self::Partial => Outcome::Partial,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchParams {
    query: String,
    /// Two or three other wordings: terms of the field, synonyms, a guess of the answer
    #[serde(default)]
    other_wordings: Vec<String>,
    /// Such as decision, mistake, convention, insight …
    #[serde(rename = "type")]
    kind: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    session_id: Option<String>,
    branch: Option<String>,
    file: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    topic: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    outcome: Option<String>,
    /// Earliest date, such as 2026-01-05
    since: Option<String>,
    #[schemars(extend("x-unlisted" = true))]
    until: Option<String>,
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    superseded: bool,
    #[schemars(extend("x-unlisted" = true))]
    order_by: Option<OrderBy>,
    limit: Option<i64>,
    #[serde(default)]
    #[schemars(extend("x-unlisted" = true))]
    diagnostics: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hits {
    #[schemars(skip)]
    pub(super) count: usize,
    /// Number of matches, including those beyond the limit.
    #[schemars(skip)]
    pub(super) matched: usize,
    pub(super) results: Vec<Row>,
    /// How sure the search is of its best result: `close`, `possible` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(super) certainty: Option<Certainty>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) degraded: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diagnostics: Option<Row>,
    /// Memories linked to the best result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related: Vec<Row>,
}

fn search(context: &Context, params: SearchParams) -> Result<Answer<Hits>, ToolError> {
    let (limit, note) = cap_limit("limit", params.limit, 20, 100);
    let mut notes: Vec<String> = note.into_iter().collect();
    if params.other_wordings.len() > MAX_WORDINGS {
        notes.push(format!("only the first {MAX_WORDINGS} of `otherWordings` were searched"));
    }
    let question = Question {
        // Each result states whether it belongs to the project, a branch or a session.
        layers: Layers::ALL,
        text: params.query,
        wordings: params.other_wordings,
        kinds: kind(params.kind.as_deref())?.into_iter().collect(),
        since: parse_time("since", params.since.as_deref())?,
        until: parse_time("until", params.until.as_deref())?,
        branch: params.branch,
        file: params.file,
        session_id: params.session_id,
        outcome: outcome(params.outcome.as_deref())?,
        topic: params.topic,
        with_superseded: params.superseded,
        order: match params.order_by {
            None | Some(OrderBy::Relevance) => SearchOrder::Relevance,
            Some(OrderBy::DateAsc) => SearchOrder::Oldest,
            Some(OrderBy::DateDesc) => SearchOrder::Newest,
        },
        limit,
        with_diagnostics: params.diagnostics,
    };
    context.memory(|memory| hits(memory, &question, notes))
}

pub(super) fn hits(
    memory: &mut ProjectMemory,
    question: &Question,
    notes: Vec<String>,
) -> Result<Answer<Hits>, ToolError> {
    let found = memory.search(question)?;
    let text = render_hits(&found, &notes);
    let data = Hits {
        count: found.hits.len(),
        matched: found.matched,
        results: found.hits.iter().map(hit_row).collect(),
        certainty: found.certainty,
        degraded: found.degraded,
        diagnostics: found.diagnostics.map(Row::from_value),
        related: Vec::new(),
    };
    Ok(Answer::new(data, text))
}

#[derive(Deserialize, JsonSchema)]
struct ContextParams {
    /// Id of the memory
    anchor: String,
    /// Maximum number of memories before and after; default: 3
    depth: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
/// A memory, and the memories before and after it.
struct Timeline {
    anchor: Row,
    #[schemars(skip)]
    before: Vec<Row>,
    #[schemars(skip)]
    after: Vec<Row>,
}

fn timeline(context: &Context, params: ContextParams) -> Result<Answer<Timeline>, ToolError> {
    let (depth, note) = cap_limit("depth", params.depth, 3, 20);
    let found = context.memory(|memory| memory.timeline(&params.anchor, depth))?;
    let mut text = String::new();
    for hit in &found.before {
        let _ = writeln!(text, "{}", hit_line(hit));
    }
    let _ = writeln!(text, "> {}", hit_line(&found.anchor));
    for hit in &found.after {
        let _ = writeln!(text, "{}", hit_line(hit));
    }
    if let Some(note) = note {
        let _ = writeln!(text, "note: {note}");
    }
    let rows = |hits: &[_]| hits.iter().map(hit_row).collect();
    let data = Timeline {
        anchor: hit_row(&found.anchor),
        before: rows(&found.before),
        after: rows(&found.after),
    };
    Ok(Answer::new(data, text.trim_end()))
}

#[derive(Deserialize, JsonSchema)]
struct GetParams {
    ids: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Entries {
    #[schemars(skip)]
    pub(super) count: usize,
    pub(super) entries: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unknown: Vec<String>,
}

fn get(context: &Context, params: GetParams) -> Result<Answer<Entries>, ToolError> {
    if params.ids.is_empty() {
        return Err(ToolError::new("`ids` is empty")
            .remedy("get ids from aidd_memory_search or search_recent"));
    }
    let ids = &params.ids[..params.ids.len().min(MAX_ENTRIES)];
    context.memory(|memory| {
        let (entries, unknown) = memory.entries_by_id(ids)?;
        if entries.is_empty() {
            let ids = unknown.join("`, `");
            return Err(ToolError::new(format!("unknown memory `{ids}`")).remedy(UNKNOWN_MEMORY));
        }
        let (mut rows, mut text) = (Vec::new(), String::new());
        for entry in &entries {
            let links = links(memory, entry)?;
            rows.push(entry_row(entry, &links));
            let _ = write!(text, "{}\n\n", entry_text(&memory.brief(entry)?, &links));
        }
        if !unknown.is_empty() {
            let _ = writeln!(text, "note: unknown memory {}", unknown.join(", "));
        }
        if params.ids.len() > MAX_ENTRIES {
            let _ = writeln!(
                text,
                "note: at most {MAX_ENTRIES} memories per call; pass the other ids in another call"
            );
        }
        let text = text.trim_end().to_owned();
        Ok(Answer::new(Entries { count: rows.len(), entries: rows, unknown }, text))
    })
}

pub(super) fn links(memory: &mut ProjectMemory, entry: &Entry) -> Result<Vec<Link>, ToolError> {
    Ok(memory.read(&mut |store| store.links(&entry.id))?)
}
