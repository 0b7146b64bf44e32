//! Ten heuristics for questioning a decision. Each heuristic asks questions about the facts in the
//! text of the decision, and collects evidence from memory, knowledge base and project. The page
//! `specs/heuristics.md` defines the heuristics.

mod questions;
#[cfg(test)]
mod tests;

use super::decision::{self, DecisionFacts, Kind};
use super::knowledge::{Entry, Knowledge};
use super::library::{Library, TableError};
use super::page_kind::PageKind;
use aidd_engine::project::stack::Stack;
use aidd_memory::types::Outcome;
use questions::Questions;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Default number of heuristics in an answer.
pub const DEFAULT_COUNT: usize = 5;
/// Maximum number of pieces of evidence per heuristic.
const MAX_EVIDENCE: usize = 6;

/// Maximum number of questions per heuristic.
const MAX_QUESTIONS: usize = 4;
/// Minimum number of heuristics. If the decision contains few facts, heuristics with general
/// questions are added.
const MIN_COUNT: usize = 3;

/// The cost of a wrong decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stakes {
    /// Can be undone in minutes.
    Low,
    /// Can be undone in a day.
    #[default]
    Medium,
    /// Takes weeks to undo, or other work depends on it.
    High,
    /// Data, money, trust or safety is lost.
    Catastrophic,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Words {
    #[serde(default)]
    en: Vec<String>,
    #[serde(default)]
    ko: Vec<String>,
}

/// A heuristic as defined on the page.
#[derive(Clone, Debug, Deserialize)]
struct Heuristic {
    id: String,
    name: String,
    stakes: Vec<Stakes>,
    words: Words,
    asks: Vec<String>,
    /// Questions by kind of decision. The placeholders `<object>`, `<chosen>`, `<left>`, `<rejected>`
    /// and `<retained>` are replaced by facts of the decision; a question with a placeholder without a
    /// value is omitted.
    #[serde(default, rename = "of")]
    asks_by_kind: BTreeMap<Kind, Vec<String>>,
    evidence: Vec<String>,
}

/// The locations in the project's files at which an identifier from the decision occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The identifier.
    pub name: String,
    /// The locations as `path:line`.
    pub locations: Vec<String>,
    /// The number of searched files.
    pub searched: usize,
}

/// A memory relevant to the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedMemory {
    /// The id of the memory.
    pub id: String,
    /// `decision`, `mistake`, `convention` or another memory type.
    pub kind: String,
    /// The beginning of the memory's content.
    pub title: String,
    /// The outcome, if the memory is a decision.
    pub outcome: Option<Outcome>,
    /// Remarks that must be displayed with the memory: see [`aidd_memory::brief::Brief::marks`].
    pub marks: String,
}

impl RelatedMemory {
    /// The memory on one line, with its remarks.
    fn line(&self) -> String {
        format!("{}: {}{}", self.id, self.title, self.marks)
    }
}

/// The context in which heuristics are applied.
#[derive(Clone, Copy, Debug)]
pub struct HeuristicsContext<'s> {
    /// The library with the page of heuristics.
    pub library: &'s Library,
    /// The knowledge base.
    pub knowledge: &'s Knowledge<'s>,
    /// The project's manifests.
    pub stack: &'s Stack,
    /// Memories about the same subject.
    pub memories: &'s [RelatedMemory],
    /// Where the identifiers of the decision occur in the project.
    pub mentions: &'s [Mention],
}

/// A heuristic applied to the decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedHeuristic {
    /// `H1` to `H10`.
    pub id: String,
    /// The display name from the page.
    pub name: String,
    /// The reason why the heuristic was selected: the stakes, or words of the decision.
    pub because: String,
    /// Questions about facts of the decision; general questions if no fact is relevant.
    pub asks: Vec<String>,
    /// Evidence for the answers, one line each.
    pub evidence: Vec<String>,
    /// Kinds of evidence that would answer the questions but were not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// The result of applying the heuristics.
#[derive(Debug)]
pub struct HeuristicsReport<'k, 'a> {
    /// The facts in the text of the decision.
    pub facts: DecisionFacts<'k, 'a>,
    /// The heuristics, most relevant first.
    pub applied: Vec<AppliedHeuristic>,
    /// The number of further heuristics that apply.
    pub more: usize,
}

/// Applies the heuristics to a decision.
///
/// # Errors
/// Fails when the page of heuristics cannot be read.
pub fn apply<'s>(
    text: &str,
    stakes: Stakes,
    limit: usize,
    context: &HeuristicsContext<'s>,
) -> Result<HeuristicsReport<'s, 's>, TableError> {
    let facts = decision::extract_facts(text, context.knowledge);
    let mut chosen: Vec<(i32, AppliedHeuristic)> = Vec::new();
    let mut general: Vec<(i32, AppliedHeuristic)> = Vec::new();
    for heuristic in heuristics(context.library)? {
        let words = matched_words(text, &heuristic.words);
        let matches_stakes = heuristic.stakes.contains(&stakes);
        let applied = apply_heuristic(&heuristic, &words, stakes, &facts, context);
        let has_questions = !applied.asks.is_empty();
        let weight = 2 * i32::try_from(words.len()).unwrap_or(5)
            + i32::from(matches_stakes)
            + relevance(&heuristic.id, &facts, context)
            + precedence(&heuristic.id, stakes);
        if has_questions && (matches_stakes || !words.is_empty() || !applied.evidence.is_empty()) {
            chosen.push((weight, applied));
        } else if matches_stakes || !words.is_empty() {
            general.push((weight, with_general_question(&heuristic, applied, &facts)));
        }
    }
    // Questions about the decision itself are more useful than general questions.
    chosen.sort_by_key(|(weight, _)| -weight);
    general.sort_by_key(|(weight, _)| -weight);
    let missing = MIN_COUNT.saturating_sub(chosen.len());
    chosen.extend(general.into_iter().take(missing));
    let more = chosen.len().saturating_sub(limit);
    chosen.truncate(limit);
    let applied = chosen.into_iter().map(|(_, applied)| applied).collect();
    Ok(HeuristicsReport { facts, applied, more })
}

/// Applies the first general question of a heuristic to a decision without relevant facts.
fn with_general_question(
    heuristic: &Heuristic,
    applied: AppliedHeuristic,
    facts: &DecisionFacts<'_, '_>,
) -> AppliedHeuristic {
    let subject = format!("“{}”", facts.subject);
    let template = heuristic.asks.iter().find(|question| question.contains("<decision>"));
    let question = template.map(|template| template.replace("<decision>", &subject));
    let asks = question.into_iter().collect();
    let open = if applied.evidence.is_empty() { heuristic.evidence.clone() } else { Vec::new() };
    AppliedHeuristic { asks, open, ..applied }
}

fn heuristics(library: &Library) -> Result<Vec<Heuristic>, TableError> {
    let page = library.get(PageKind::Specs, "heuristics").ok_or(TableError::NoHeuristics)?;
    let rows = page.header.get("heuristics").cloned().unwrap_or(Value::Null);
    serde_json::from_value(rows)
        .map_err(|why| TableError::Malformed { path: page.path.clone(), why })
}

/// The words of a heuristic that occur in the decision: English words as whole words, Korean words
/// anywhere.
fn matched_words(text: &str, words: &Words) -> Vec<String> {
    let text = text.to_lowercase();
    let padded: String =
        text.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { ' ' }).collect();
    let padded = format!(" {} ", padded.split_whitespace().collect::<Vec<_>>().join(" "));
    let english = words.en.iter().filter(|word| {
        let word = word.to_lowercase();
        // Plurals and regular verb suffixes match too.
        ["", "s", "es", "d", "ed", "ing"]
            .iter()
            .any(|suffix| padded.contains(&format!(" {word}{suffix} ")))
    });
    let korean = words.ko.iter().filter(|word| text.contains(word.as_str()));
    english.chain(korean).cloned().collect()
}

/// The priority that a heuristic has only because the stakes are high; 0 for most heuristics.
fn precedence(id: &str, stakes: Stakes) -> i32 {
    match (id, stakes >= Stakes::High) {
        ("H1", true) => 3,
        ("H10" | "H6", true) => 2,
        _ => 0,
    }
}

/// The weighted number of facts of the decision about which the heuristic asks.
fn relevance(id: &str, facts: &DecisionFacts<'_, '_>, context: &HeuristicsContext<'_>) -> i32 {
    let has = |condition: bool, weight| if condition { weight } else { 0 };
    match id {
        "H1" => has(!facts.reasons.is_empty(), 1) + has(!facts.figures.is_empty(), 1),
        "H2" => has(facts.chosen().next().is_some(), 1),
        "H3" => has(!facts.absolutes.is_empty(), 2),
        "H4" => has(new_technologies(facts, context.stack).len() > 1, 3),
        "H6" => has(!facts.actions.is_empty(), 4),
        "H7" => has(!new_technologies(facts, context.stack).is_empty(), 2),
        "H8" => has(!facts.figures.is_empty(), 2),
        "H9" => {
            let has_other = !facts.abandoned.is_empty() || !facts.rejected.is_empty();
            has(!facts.biases.is_empty(), 4) + has(has_other, 1)
        }
        "H10" => has(!context.memories.is_empty(), 3),
        _ => 0,
    }
}

/// The adopted technologies that the project does not use yet; empty if the project has no manifest.
fn new_technologies<'k, 'a>(facts: &DecisionFacts<'k, 'a>, stack: &Stack) -> Vec<&'k Entry<'a>> {
    if stack.manifests.is_empty() {
        return Vec::new();
    }
    facts.adopted().filter(|entry| entry.usage_in(stack).is_none()).collect()
}

/// Fills the placeholders of a question with facts of the decision; `None` if a placeholder has no
/// value.
fn fill_placeholders(template: &str, facts: &DecisionFacts<'_, '_>) -> Option<String> {
    let chosen: Vec<&str> = facts.chosen().map(|entry| entry.name).collect();
    let names = |entries: &[&Entry<'_>]| {
        entries.iter().map(|entry| entry.name).collect::<Vec<_>>().join(" and ")
    };
    let object = facts.object.as_ref().map(|object| format!("“{object}”")).unwrap_or_default();
    let placeholders = [
        ("<chosen>", chosen.join(" and ")),
        ("<left>", names(&facts.abandoned)),
        ("<rejected>", names(&facts.rejected)),
        ("<retained>", names(&facts.retained)),
        ("<object>", object),
    ];
    let mut text = template.to_owned();
    for (placeholder, value) in placeholders {
        if text.contains(placeholder) {
            if value.is_empty() {
                return None;
            }
            text = text.replace(placeholder, &value);
        }
    }
    Some(text)
}

fn apply_heuristic(
    heuristic: &Heuristic,
    words: &[String],
    stakes: Stakes,
    facts: &DecisionFacts<'_, '_>,
    context: &HeuristicsContext<'_>,
) -> AppliedHeuristic {
    let mut questions = Questions::default();
    match &*heuristic.id {
        "H1" => questions::zero_trust(facts, context, &mut questions),
        "H2" => questions::first_principles(facts, &mut questions),
        "H3" => questions::pareto(facts, &mut questions),
        "H4" => questions::simplicity(facts, context, &mut questions),
        "H5" => questions::repeated_mistakes(context, &mut questions),
        "H6" => questions::reversibility(facts, context, &mut questions),
        "H7" => questions::removal(facts, context, &mut questions),
        "H8" => questions::reference_cases(facts, context, &mut questions),
        "H9" => questions::bias(facts, context, &mut questions),
        "H10" => questions::discrepancy(facts, context, &mut questions),
        _ => {}
    }
    let templates = facts.kind.and_then(|kind| heuristic.asks_by_kind.get(&kind));
    for template in templates.into_iter().flatten() {
        questions.questions.extend(fill_placeholders(template, facts));
    }
    questions.questions.truncate(MAX_QUESTIONS);
    questions.evidence.truncate(MAX_EVIDENCE);
    let is_open =
        questions.evidence.is_empty() && !questions.questions.is_empty() && !words.is_empty();
    let open = if is_open { heuristic.evidence.clone() } else { Vec::new() };
    let because = if words.is_empty() {
        let name = serde_json::to_value(stakes).unwrap_or_default();
        format!("stakes {}", name.as_str().unwrap_or_default())
    } else {
        format!("the decision mentions {}", words.join(", "))
    };
    AppliedHeuristic {
        id: heuristic.id.clone(),
        name: heuristic.name.clone(),
        because,
        asks: questions.questions,
        evidence: questions.evidence,
        open,
    }
}

/// The file in which the project uses a technology, with the version or the name in the file.
fn project_usage(entry: &Entry<'_>, stack: &Stack) -> Option<String> {
    let usage = entry.usage_in(stack)?;
    Some(match usage.version {
        Some(version) => format!("{} has {} {version}", usage.path, entry.name),
        None if usage.is_client => {
            format!("{} names {}, a client of {}", usage.path, usage.name, entry.name)
        }
        None => format!("{} names {}", usage.path, usage.name),
    })
}

/// The alternatives to a technology among the technologies that the project uses. For each
/// alternative: how the project uses it, and when to choose it.
fn alternatives_in_project(
    entry: &Entry<'_>,
    context: &HeuristicsContext<'_>,
) -> Vec<(String, String)> {
    let rows = entry.alternatives().into_iter();
    rows.filter_map(|(name, when)| {
        let alternative = context.knowledge.find(&name).ok()?;
        Some((project_usage(alternative, context.stack)?, when))
    })
    .collect()
}
