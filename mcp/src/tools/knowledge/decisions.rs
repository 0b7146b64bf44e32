//! Asks critical questions about a decision, with evidence from the memory and the project.

use super::{find_outdated_usage, related_memories};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_engine::project::stack;
use aidd_engine::text::files::Disk;
use aidd_guidance::decision;
use aidd_guidance::heuristics::{
    self, DEFAULT_COUNT, HeuristicsContext, HeuristicsReport, Mention, RelatedMemory, Stakes,
};
use aidd_guidance::knowledge::{Knowledge, UsagePattern};
use aidd_guidance::legacy::SearchRequest;
use aidd_memory::recall::Hit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Maximum number of memories used as evidence.
const MAX_MEMORIES: usize = 6;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_apply_heuristics",
            "Question a decision",
            "Returns critical questions about a decision, with evidence from the memory, the \
             knowledge base, manifests and code. Use before a decision that is hard to undo.",
            apply,
        )
        .in_profiles(&[Profile::Core]),
    ]
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StakesParam {
    Low,
    Medium,
    High,
    Catastrophic,
}

#[derive(Deserialize, JsonSchema)]
struct HeuristicsParams {
    /// Decision in one sentence, with numbers and names
    decision: String,
    /// Reasons for it, and alternatives
    context: Option<String>,
    /// Consequences of a wrong decision; default: medium
    stakes: Option<StakesParam>,
    /// Maximum number of heuristics; default: 5
    #[schemars(range(min = 1, max = 10))]
    #[schemars(extend("x-unlisted" = true))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct HeuristicsResult {
    heuristics: Vec<Row>,
    /// The options, actions, biases and other terms that the decision mentions, grouped by kind.
    named: Row,
    /// Number of further heuristics that apply.
    more: usize,
}

fn to_related_memory(hit: Hit) -> RelatedMemory {
    RelatedMemory {
        kind: hit.kind.word().to_owned(),
        outcome: hit.outcome,
        marks: hit.marks(),
        id: hit.id,
        title: hit.title,
    }
}

fn apply(
    context: &Context,
    params: HeuristicsParams,
) -> Result<Answer<HeuristicsResult>, ToolError> {
    if params.decision.trim().is_empty() {
        return Err(
            ToolError::new("`decision` is empty").remedy("state the decision in one sentence")
        );
    }
    let stakes = match params.stakes {
        Some(StakesParam::Low) => Stakes::Low,
        None | Some(StakesParam::Medium) => Stakes::Medium,
        Some(StakesParam::High) => Stakes::High,
        Some(StakesParam::Catastrophic) => Stakes::Catastrophic,
    };
    let text = match params.context.as_deref().map(str::trim) {
        Some(more) if !more.is_empty() => format!("{}\n{more}", params.decision.trim()),
        _ => params.decision.trim().to_owned(),
    };
    let is_complete = decision::truncate(&text).len() == text.len();
    let text = decision::truncate(&text).to_owned();
    let library = context.library()?;
    let knowledge = Knowledge::new(&library);
    let stack = stack::detect_with_images(&Disk::new(context.root()));
    let found = related_memories(context, &text, MAX_MEMORIES)?;
    let close_hits = found.hits.into_iter().filter(Hit::is_possible);
    let memories: Vec<RelatedMemory> = close_hits.map(to_related_memory).collect();
    let mentions = mentions(context, &decision::extract_facts(&text, &knowledge).identifiers)?;
    let heuristics_context = HeuristicsContext {
        library: &library,
        knowledge: &knowledge,
        stack: &stack,
        memories: &memories,
        mentions: &mentions,
    };
    let limit = params.limit.unwrap_or(DEFAULT_COUNT).clamp(1, 10);
    let report = heuristics::apply(&text, stakes, limit, &heuristics_context)
        .map_err(|error| ToolError::new(error.to_string()))?;
    let mut output = render(&report);
    if !is_complete {
        let _ = write!(output, "\nonly the first {} characters were read", decision::MAX_CHARS);
    }
    let data = HeuristicsResult {
        heuristics: report.applied.iter().map(Row::from_value).collect(),
        named: names_found(&report),
        more: report.more,
    };
    Ok(Answer::new(data, output))
}

/// Finds names of code and data in the project's files.
fn mentions(context: &Context, names: &[String]) -> Result<Vec<Mention>, ToolError> {
    let to_pattern = |name: &String| UsagePattern {
        pattern: name.clone(),
        comments: true,
        ..UsagePattern::default()
    };
    let patterns: Vec<UsagePattern> = names.iter().map(to_pattern).collect();
    let request =
        SearchRequest { name: "", ecosystems: Vec::new(), patterns: patterns.iter().collect() };
    let search = find_outdated_usage(context, None, &[request])?;
    let mention = |name: &String| {
        let found = search.found.iter().filter(|usage| usage.pattern == *name);
        Mention {
            name: name.clone(),
            locations: found.map(|usage| format!("{}:{}", usage.path, usage.line)).collect(),
            searched: search.files,
        }
    };
    // In a project without source files, a missing name is not evidence.
    let is_searched = search.files > 0;
    Ok(names.iter().filter(|_| is_searched).map(mention).collect())
}

/// The names in the decision, without empty groups.
fn names_found(report: &HeuristicsReport<'_, '_>) -> Row {
    let facts = &report.facts;
    let names = |entries: Vec<&str>| entries.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let lists = [
        ("chosen", names(facts.adopted().map(|entry| entry.name).collect())),
        ("abandoned", names(facts.abandoned.iter().map(|entry| entry.name).collect())),
        ("rejected", names(facts.rejected.iter().map(|entry| entry.name).collect())),
        ("retained", names(facts.retained.iter().map(|entry| entry.name).collect())),
        ("figures", facts.figures.clone()),
        ("actions", facts.actions.clone()),
        ("reasons", facts.reasons.clone()),
        ("absolutes", facts.absolutes.clone()),
        ("biases", facts.biases.clone()),
    ];
    let filled = lists.into_iter().filter(|(_, list)| !list.is_empty());
    Row(filled.map(|(key, list)| (key.to_owned(), Value::from(list))).collect::<Map<_, _>>())
}

fn render(report: &HeuristicsReport<'_, '_>) -> String {
    let mut text = format!("on “{}”", report.facts.subject);
    for heuristic in &report.applied {
        let _ = write!(text, "\n{} {} ({})", heuristic.id, heuristic.name, heuristic.because);
        for question in &heuristic.asks {
            let _ = write!(text, "\n  ? {question}");
        }
        for evidence in &heuristic.evidence {
            let _ = write!(text, "\n  = {evidence}");
        }
        if !heuristic.open.is_empty() {
            let _ = write!(text, "\n  open: {}", heuristic.open.join(", "));
        }
    }
    if report.more > 0 {
        let _ = write!(text, "\n{} more apply; raise `limit`", report.more);
    }
    text
}
