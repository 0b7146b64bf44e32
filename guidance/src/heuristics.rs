//! Ten ways to question a decision, applied to a concrete decision: the questions that each asks
//! about what the decision names, and the evidence from memory, knowledge base and project. The
//! questions are those of `specs/heuristics.md`.

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
/// Minimum number of heuristics for a decision without a kind that names nothing.
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
    /// Takes weeks to undo, or others build on it.
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
    /// Questions by kind of decision. `<object>`, `<chosen>` and `<left>` are replaced by what the
    /// decision names; a question with a placeholder that has no value is not asked.
    #[serde(default)]
    of: BTreeMap<Kind, Vec<String>>,
    evidence: Vec<String>,
}

/// The places in the project's files where an identifier from the decision occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The identifier.
    pub name: String,
    /// The places as `path:line`.
    pub places: Vec<String>,
    /// How many files were searched.
    pub searched: usize,
}

/// A memory relevant to the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedMemory {
    /// The id of the memory.
    pub id: String,
    /// `decision`, `mistake`, `convention` or another memory type.
    pub kind: String,
    /// The beginning of its content.
    pub title: String,
    /// The outcome, if the memory is a decision.
    pub outcome: Option<Outcome>,
    /// Remarks that must accompany it: see [`aidd_memory::brief::Brief::marks`].
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
    /// Why it was selected: the stakes, or words of the decision.
    pub because: String,
    /// Questions about what the decision names; general questions if it names nothing relevant.
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
    /// What the decision names.
    pub named: DecisionFacts<'k, 'a>,
    /// The heuristics, most relevant first.
    pub applied: Vec<AppliedHeuristic>,
    /// How many more heuristics apply.
    pub more: usize,
}

/// Applies the heuristics to a decision.
///
/// # Errors
/// When the page of heuristics cannot be read.
pub fn apply<'s>(
    text: &str,
    stakes: Stakes,
    limit: usize,
    scene: &HeuristicsContext<'s>,
) -> Result<HeuristicsReport<'s, 's>, TableError> {
    let named = decision::extract_facts(text, scene.knowledge);
    let mut chosen: Vec<(i32, AppliedHeuristic)> = Vec::new();
    let mut general: Vec<(i32, AppliedHeuristic)> = Vec::new();
    for heuristic in heuristics(scene.library)? {
        let words = matched_words(text, &heuristic.words);
        let fits = heuristic.stakes.contains(&stakes);
        let applied = apply_heuristic(&heuristic, &words, stakes, &named, scene);
        let is_asked = !applied.asks.is_empty();
        let weight = 2 * i32::try_from(words.len()).unwrap_or(5)
            + i32::from(fits)
            + relevance(&heuristic.id, &named, scene)
            + precedence(&heuristic.id, stakes);
        if is_asked && (fits || !words.is_empty() || !applied.evidence.is_empty()) {
            chosen.push((weight, applied));
        } else if fits || !words.is_empty() {
            general.push((weight, with_general_question(&heuristic, applied, &named)));
        }
    }
    // Questions about the decision itself are more useful than general ones.
    chosen.sort_by_key(|(weight, _)| -weight);
    general.sort_by_key(|(weight, _)| -weight);
    let missing = MIN_COUNT.saturating_sub(chosen.len());
    chosen.extend(general.into_iter().take(missing));
    let more = chosen.len().saturating_sub(limit);
    chosen.truncate(limit);
    let applied = chosen.into_iter().map(|(_, applied)| applied).collect();
    Ok(HeuristicsReport { named, applied, more })
}

/// Applies the first general question of a heuristic to a decision that names nothing relevant.
fn with_general_question(
    heuristic: &Heuristic,
    applied: AppliedHeuristic,
    named: &DecisionFacts<'_, '_>,
) -> AppliedHeuristic {
    let subject = format!("“{}”", named.subject);
    let ask = heuristic.asks.iter().find(|ask| ask.contains("<decision>"));
    let asks = ask.map(|ask| ask.replace("<decision>", &subject)).into_iter().collect();
    let open = if applied.evidence.is_empty() { heuristic.evidence.clone() } else { Vec::new() };
    AppliedHeuristic { asks, open, ..applied }
}

fn heuristics(library: &Library) -> Result<Vec<Heuristic>, TableError> {
    let page = library.get(PageKind::Specs, "heuristics").ok_or(TableError::NoHeuristics)?;
    let rows = page.header.get("heuristics").cloned().unwrap_or(Value::Null);
    serde_json::from_value(rows)
        .map_err(|why| TableError::Malformed { path: page.path.clone(), why })
}

/// The words of a heuristic that occur in the decision: English as whole words, Korean anywhere.
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
            .any(|end| padded.contains(&format!(" {word}{end} ")))
    });
    let korean = words.ko.iter().filter(|word| text.contains(word.as_str()));
    english.chain(korean).cloned().collect()
}

/// The priority: safety first, then truth, then irreversible acts.
fn precedence(id: &str, stakes: Stakes) -> i32 {
    match (id, stakes >= Stakes::High) {
        ("H1", true) => 3,
        ("H10" | "H6", true) => 2,
        _ => 0,
    }
}

/// The weighted number of items that the heuristic asks about and the decision names.
fn relevance(id: &str, named: &DecisionFacts<'_, '_>, scene: &HeuristicsContext<'_>) -> i32 {
    let has = |is: bool, weight| if is { weight } else { 0 };
    match id {
        "H1" => has(!named.reasons.is_empty(), 1) + has(!named.figures.is_empty(), 1),
        "H2" => has(named.chosen().next().is_some(), 1),
        "H3" => has(!named.absolutes.is_empty(), 2),
        "H4" => has(new_technologies(named, scene.stack).len() > 1, 3),
        "H6" => has(!named.acts.is_empty(), 4),
        "H7" => has(!new_technologies(named, scene.stack).is_empty(), 2),
        "H8" => has(!named.figures.is_empty(), 2),
        "H9" => has(!named.biases.is_empty(), 4) + has(!named.abandoned.is_empty(), 1),
        "H10" => has(!scene.memories.is_empty(), 3),
        _ => 0,
    }
}

/// The chosen technologies that the project does not use yet; empty if it has no manifest.
fn new_technologies<'k, 'a>(named: &DecisionFacts<'k, 'a>, stack: &Stack) -> Vec<&'k Entry<'a>> {
    if stack.manifests.is_empty() {
        return Vec::new();
    }
    named.chosen().filter(|entry| entry.version_in(stack).is_none()).collect()
}

/// Fills the placeholders of a question with what the decision names; `None` if a placeholder has
/// no value.
fn fill_placeholders(ask: &str, named: &DecisionFacts<'_, '_>) -> Option<String> {
    let chosen: Vec<&str> = named.chosen().map(|entry| entry.name).collect();
    let left: Vec<&str> = named.abandoned.iter().map(|entry| entry.name).collect();
    let object = named.object.as_ref().map(|object| format!("“{object}”")).unwrap_or_default();
    let marks =
        [("<chosen>", chosen.join(" and ")), ("<left>", left.join(" and ")), ("<object>", object)];
    let mut text = ask.to_owned();
    for (mark, value) in marks {
        if text.contains(mark) {
            if value.is_empty() {
                return None;
            }
            text = text.replace(mark, &value);
        }
    }
    Some(text)
}

fn apply_heuristic(
    heuristic: &Heuristic,
    words: &[String],
    stakes: Stakes,
    named: &DecisionFacts<'_, '_>,
    scene: &HeuristicsContext<'_>,
) -> AppliedHeuristic {
    let mut said = Questions::default();
    match &*heuristic.id {
        "H1" => questions::zero_trust(named, scene, &mut said),
        "H2" => questions::first_principles(named, &mut said),
        "H3" => questions::pareto(named, &mut said),
        "H4" => questions::simplicity(named, scene, &mut said),
        "H5" => questions::repeated_mistakes(scene, &mut said),
        "H6" => questions::reversibility(named, scene, &mut said),
        "H7" => questions::removal(named, scene, &mut said),
        "H8" => questions::reference_cases(named, scene, &mut said),
        "H9" => questions::bias(named, scene, &mut said),
        "H10" => questions::discrepancy(named, scene, &mut said),
        _ => {}
    }
    for ask in named.kind.and_then(|kind| heuristic.of.get(&kind)).into_iter().flatten() {
        said.questions.extend(fill_placeholders(ask, named));
    }
    said.questions.truncate(MAX_QUESTIONS);
    said.evidence.truncate(MAX_EVIDENCE);
    let is_open = said.evidence.is_empty() && !said.questions.is_empty() && !words.is_empty();
    let open = if is_open { heuristic.evidence.clone() } else { Vec::new() };
    let because = if words.is_empty() {
        let word = serde_json::to_value(stakes).unwrap_or_default();
        format!("stakes {}", word.as_str().unwrap_or_default())
    } else {
        format!("the decision mentions {}", words.join(", "))
    };
    AppliedHeuristic {
        id: heuristic.id.clone(),
        name: heuristic.name.clone(),
        because,
        asks: said.questions,
        evidence: said.evidence,
        open,
    }
}

/// Where and in which version the project uses a technology.
fn project_usage(entry: &Entry<'_>, stack: &Stack) -> Option<String> {
    entry.version_in(stack).map(|(version, place)| format!("{place} has {} {version}", entry.name))
}

/// The alternatives to a technology that the project uses: where they are used, and when to choose
/// them.
fn alternatives_in_project(
    entry: &Entry<'_>,
    scene: &HeuristicsContext<'_>,
) -> Vec<(String, String)> {
    let rows = entry.alternatives().into_iter();
    rows.filter_map(|(name, when)| {
        let other = scene.knowledge.find(&name).ok()?;
        Some((project_usage(other, scene.stack)?, when))
    })
    .collect()
}
