//! Questions about a decision.

use super::{old_forms, related_memories};
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
use aidd_guidance::knowledge::{Knowledge, OldFormRule};
use aidd_guidance::legacy::SearchRequest;
use aidd_memory::recall::Hit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Maximum number of memories used as evidence.
const MAX_MEMORIES: usize = 6;
/// Minimum score of a related memory.
const MIN_SCORE: f64 = 0.25;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_apply_heuristics",
            "Question a decision",
            "Asks critical questions about a decision, with evidence from memory, knowledge and manifests. Use \
             for decisions that are hard to undo.",
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
    /// One sentence, with numbers and names
    decision: String,
    /// Reasons and alternatives
    context: Option<String>,
    /// Default: medium
    stakes: Option<StakesParam>,
    /// Default: 5
    #[schemars(range(min = 1, max = 10))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct HeuristicsResult {
    heuristics: Vec<Row>,
    /// Names in the decision.
    named: Row,
    /// Number of further heuristics that apply.
    more: usize,
}

fn recalled(hit: Hit) -> RelatedMemory {
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
    given: HeuristicsParams,
) -> Result<Answer<HeuristicsResult>, ToolError> {
    if given.decision.trim().is_empty() {
        return Err(ToolError::new("`decision` is empty").remedy("state it in one sentence"));
    }
    let stakes = match given.stakes {
        Some(StakesParam::Low) => Stakes::Low,
        None | Some(StakesParam::Medium) => Stakes::Medium,
        Some(StakesParam::High) => Stakes::High,
        Some(StakesParam::Catastrophic) => Stakes::Catastrophic,
    };
    let text = match given.context.as_deref().map(str::trim) {
        Some(more) if !more.is_empty() => format!("{}\n{more}", given.decision.trim()),
        _ => given.decision.trim().to_owned(),
    };
    let is_whole = decision::truncate(&text).len() == text.len();
    let text = decision::truncate(&text).to_owned();
    let library = context.library()?;
    let knowledge = Knowledge::new(&library);
    let stack = stack::detect(&Disk::new(context.root()));
    let found = related_memories(context, &text, MAX_MEMORIES)?;
    let near = found.hits.into_iter().filter(|hit| hit.score >= MIN_SCORE);
    let memories: Vec<RelatedMemory> = near.map(recalled).collect();
    let mentions = mentions(context, &decision::extract_facts(&text, &knowledge).identifiers)?;
    let scene = HeuristicsContext {
        library: &library,
        knowledge: &knowledge,
        stack: &stack,
        memories: &memories,
        mentions: &mentions,
    };
    let limit = given.limit.unwrap_or(DEFAULT_COUNT).clamp(1, 10);
    let asked = heuristics::apply(&text, stakes, limit, &scene)
        .map_err(|error| ToolError::new(error.to_string()))?;
    let mut said = render(&asked);
    if !is_whole {
        let _ = write!(said, "\nonly the first {} characters were read", decision::MAX_CHARS);
    }
    let data = HeuristicsResult {
        heuristics: asked.applied.iter().map(Row::from_value).collect(),
        named: names_found(&asked),
        more: asked.more,
    };
    Ok(Answer::new(data, said))
}

/// Finds names of code and data in the project's files.
fn mentions(context: &Context, names: &[String]) -> Result<Vec<Mention>, ToolError> {
    let form = |name: &String| OldFormRule {
        since: String::new(),
        pattern: name.clone(),
        instead: String::new(),
    };
    let forms: Vec<OldFormRule> = names.iter().map(form).collect();
    let wanted = SearchRequest { name: "", ecosystems: Vec::new(), forms: forms.iter().collect() };
    let search = old_forms(context, None, &[wanted])?;
    let mention = |name: &String| {
        let found = search.found.iter().filter(|it| it.pattern == *name);
        Mention {
            name: name.clone(),
            places: found.map(|it| format!("{}:{}", it.path, it.line)).collect(),
            searched: search.files,
        }
    };
    // In a project without source files, a missing name is no evidence.
    let is_searched = search.files > 0;
    Ok(names.iter().filter(|_| is_searched).map(mention).collect())
}

/// The names in the decision, without empty groups.
fn names_found(asked: &HeuristicsReport<'_, '_>) -> Row {
    let of = &asked.named;
    let names = |entries: Vec<&str>| entries.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let lists = [
        ("chooses", names(of.chosen().map(|entry| entry.name).collect())),
        ("leaves", names(of.abandoned.iter().map(|entry| entry.name).collect())),
        ("figures", of.figures.clone()),
        ("acts", of.acts.clone()),
        ("reasons", of.reasons.clone()),
        ("absolutes", of.absolutes.clone()),
        ("pulls", of.biases.clone()),
    ];
    let filled = lists.into_iter().filter(|(_, list)| !list.is_empty());
    Row(filled.map(|(key, list)| (key.to_owned(), Value::from(list))).collect::<Map<_, _>>())
}

fn render(asked: &HeuristicsReport<'_, '_>) -> String {
    let mut text = format!("on “{}”", asked.named.subject);
    for one in &asked.applied {
        let _ = write!(text, "\n{} {} ({})", one.id, one.name, one.because);
        for ask in &one.asks {
            let _ = write!(text, "\n  ? {ask}");
        }
        for evidence in &one.evidence {
            let _ = write!(text, "\n  = {evidence}");
        }
        if !one.open.is_empty() {
            let _ = write!(text, "\n  open: {}", one.open.join(", "));
        }
    }
    if asked.more > 0 {
        let _ = write!(text, "\n{} more apply; raise `limit`", asked.more);
    }
    text
}
