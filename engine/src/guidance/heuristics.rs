//! Ten ways to question a decision, put to the decision at hand: what each asks of what it names, and
//! what memory, knowledge base and project say to it. The questions are those of
//! `specs/heuristics.md`.

use super::decision::{self, Named};
use super::knowledge::{Entry, Knowledge};
use super::library::Library;
use super::shelf::Shelf;
use crate::stack::{Stack, Version};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Heuristics in an answer unless told otherwise.
pub const USUAL: usize = 5;
/// Most pieces of evidence for one heuristic.
const EVIDENCE: usize = 6;

/// Most questions that any decision would be asked.
const GENERAL: usize = 2;

/// What a wrong decision costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stakes {
    /// Undone in minutes.
    Low,
    /// Undone in a day.
    #[default]
    Medium,
    /// Undone in weeks, or others build on it.
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

/// A heuristic as the page has it.
#[derive(Clone, Debug, Deserialize)]
struct Heuristic {
    id: String,
    name: String,
    stakes: Vec<Stakes>,
    words: Words,
    asks: Vec<String>,
    evidence: Vec<String>,
}

/// A memory that bears on the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    /// Its id.
    pub id: String,
    /// `decision`, `mistake`, `convention`, or another type.
    pub kind: String,
    /// How it begins.
    pub title: String,
    /// What came of it, of a decision.
    pub outcome: Option<String>,
}

/// What a heuristic is asked with.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'s> {
    /// The heuristics.
    pub library: &'s Library,
    /// The knowledge base.
    pub knowledge: &'s Knowledge<'s>,
    /// The project's manifests.
    pub stack: &'s Stack,
    /// Memories on the same thing.
    pub memories: &'s [Recalled],
}

/// A heuristic, put to the decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// `H1` to `H10`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Why it was chosen: the stakes, or the words of the decision.
    pub because: String,
    /// Questions about what the decision names; where it names nothing for it, the general ones.
    pub asks: Vec<String>,
    /// What speaks to them.
    pub evidence: Vec<String>,
    /// What would answer and was not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// All that came of it.
#[derive(Debug)]
pub struct Questioned<'k, 'a> {
    /// What the decision names.
    pub named: Named<'k, 'a>,
    /// The heuristics, the one to begin with first.
    pub applied: Vec<Applied>,
    /// How many more fit.
    pub more: usize,
}

/// Puts the heuristics to a decision.
///
/// # Errors
/// When the page of heuristics cannot be read.
pub fn apply<'s>(
    text: &str,
    stakes: Stakes,
    limit: usize,
    scene: &Scene<'s>,
) -> Result<Questioned<'s, 's>, String> {
    let named = decision::read(text, scene.knowledge);
    let mut chosen: Vec<(i32, Heuristic, Vec<String>)> = Vec::new();
    for heuristic in heuristics(scene.library)? {
        let words = heard(text, &heuristic.words);
        let fits = heuristic.stakes.contains(&stakes);
        if !fits && words.is_empty() {
            continue;
        }
        let weight = 2 * i32::try_from(words.len()).unwrap_or(5)
            + i32::from(fits)
            + named_for(&heuristic.id, &named, scene)
            + precedence(&heuristic.id, stakes);
        chosen.push((weight, heuristic, words));
    }
    chosen.sort_by_key(|(weight, ..)| -weight);
    let more = chosen.len().saturating_sub(limit);
    chosen.truncate(limit);
    let applied = chosen
        .into_iter()
        .map(|(_, heuristic, words)| put(&heuristic, &words, stakes, &named, scene))
        .collect();
    Ok(Questioned { named, applied, more })
}

fn heuristics(library: &Library) -> Result<Vec<Heuristic>, String> {
    let page =
        library.get(Shelf::Specs, "heuristics").ok_or("there is no page specs/heuristics")?;
    let rows = page.header.get("heuristics").cloned().unwrap_or(Value::Null);
    serde_json::from_value(rows).map_err(|error| format!("{}: {error}", page.path))
}

/// The words of a heuristic that stand in the decision: English ones as words, Korean ones anywhere.
fn heard(text: &str, words: &Words) -> Vec<String> {
    let text = text.to_lowercase();
    let padded: String =
        text.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { ' ' }).collect();
    let padded = format!(" {} ", padded.split_whitespace().collect::<Vec<_>>().join(" "));
    let english = words.en.iter().filter(|word| {
        let word = word.to_lowercase();
        // Plurals and simple endings count.
        ["", "s", "es", "d", "ed", "ing"]
            .iter()
            .any(|end| padded.contains(&format!(" {word}{end} ")))
    });
    let korean = words.ko.iter().filter(|word| text.contains(word.as_str()));
    english.chain(korean).cloned().collect()
}

/// Safety first, then truth, then what cannot be undone.
fn precedence(id: &str, stakes: Stakes) -> i32 {
    match (id, stakes >= Stakes::High) {
        ("H1", true) => 3,
        ("H10" | "H6", true) => 2,
        _ => 0,
    }
}

/// How much of what a heuristic asks about the decision names.
fn named_for(id: &str, named: &Named<'_, '_>, scene: &Scene<'_>) -> i32 {
    let has = |is: bool, weight| if is { weight } else { 0 };
    match id {
        "H1" => has(!named.reasons.is_empty(), 1) + has(!named.figures.is_empty(), 1),
        "H2" => has(named.chosen().next().is_some(), 1),
        "H3" => has(!named.absolutes.is_empty(), 2),
        "H4" => has(new_parts(named, scene.stack).len() > 1, 3),
        "H6" => has(!named.acts.is_empty(), 4),
        "H7" => has(!new_parts(named, scene.stack).is_empty(), 2),
        "H8" => has(!named.figures.is_empty(), 2),
        "H9" => has(!named.pulls.is_empty(), 4) + has(!named.left.is_empty(), 1),
        "H10" => has(!scene.memories.is_empty(), 3),
        _ => 0,
    }
}

/// Technologies chosen that the project does not have, where it has any manifest to tell.
fn new_parts<'k, 'a>(named: &Named<'k, 'a>, stack: &Stack) -> Vec<&'k Entry<'a>> {
    if stack.manifests.is_empty() {
        return Vec::new();
    }
    named.chosen().filter(|entry| entry.version_in(stack).is_none()).collect()
}

fn put(
    heuristic: &Heuristic,
    words: &[String],
    stakes: Stakes,
    named: &Named<'_, '_>,
    scene: &Scene<'_>,
) -> Applied {
    let mut said = Said::default();
    match &*heuristic.id {
        "H1" => zero_trust(named, scene, &mut said),
        "H2" => first_principles(named, &mut said),
        "H3" => pareto(named, &mut said),
        "H4" => fewest_parts(named, scene, &mut said),
        "H5" => ordinary_error(scene, &mut said),
        "H6" => way_back(named, scene, &mut said),
        "H7" => taking_away(named, scene, &mut said),
        "H8" => outside_figures(named, scene, &mut said),
        "H9" => bias(named, scene, &mut said),
        "H10" => discrepancy(named, scene, &mut said),
        _ => {}
    }
    // What is asked of the decision itself says more than what is asked of any.
    if said.asks.is_empty() {
        let subject = format!("“{}”", named.subject);
        let general = heuristic.asks.iter().filter(|ask| ask.contains("<decision>"));
        said.asks.extend(general.take(GENERAL).map(|ask| ask.replace("<decision>", &subject)));
    }
    said.evidence.truncate(EVIDENCE);
    let open = if said.evidence.is_empty() { heuristic.evidence.clone() } else { Vec::new() };
    let because = if words.is_empty() {
        let word = serde_json::to_value(stakes).unwrap_or_default();
        format!("stakes {}", word.as_str().unwrap_or_default())
    } else {
        format!("the decision says {}", words.join(", "))
    };
    Applied {
        id: heuristic.id.clone(),
        name: heuristic.name.clone(),
        because,
        asks: said.asks,
        evidence: said.evidence,
        open,
    }
}

#[derive(Default)]
struct Said {
    asks: Vec<String>,
    evidence: Vec<String>,
}

impl Said {
    fn ask(&mut self, text: String) {
        self.asks.push(text);
    }

    fn show(&mut self, text: String) {
        if !self.evidence.contains(&text) {
            self.evidence.push(text);
        }
    }
}

/// What the project has of a technology.
fn here(entry: &Entry<'_>, stack: &Stack) -> Option<String> {
    entry.version_in(stack).map(|(version, place)| format!("{place} has {} {version}", entry.name))
}

fn zero_trust(named: &Named<'_, '_>, scene: &Scene<'_>, said: &mut Said) {
    for reason in &named.reasons {
        said.ask(format!("“{reason}”: which run, test or document shows it, and of what date?"));
    }
    for figure in &named.figures {
        said.ask(format!("{figure}: who measured it, where, under what load?"));
    }
    for entry in named.technologies.iter().map(|(entry, _)| entry) {
        let described = entry.version.unwrap_or("no version");
        let at = format!("entry {}: {described}, reviewed {}", entry.page.name, entry.updated);
        said.show(match here(entry, scene.stack) {
            Some(here) => format!("{here}; {at}"),
            None => at,
        });
    }
}

fn first_principles(named: &Named<'_, '_>, said: &mut Said) {
    for entry in named.chosen() {
        let cases = entry.use_cases();
        let best = cases.iter().max_by_key(|case| case.fit);
        let worst = cases.iter().min_by_key(|case| case.fit);
        if let (Some(best), Some(worst)) = (best, worst) {
            said.ask(format!(
                "Is the demand nearer to “{}”, for which {} is good, or to “{}”, for which it is not?",
                best.case, entry.name, worst.case
            ));
            said.show(format!(
                "entry {}: {} {}/10; {} {}/10 ({})",
                entry.page.name, best.case, best.fit, worst.case, worst.fit, worst.why
            ));
        }
    }
}

fn pareto(named: &Named<'_, '_>, said: &mut Said) {
    for absolute in &named.absolutes {
        said.ask(format!(
            "“{absolute}”: which few of them carry most of the effect, and what if only those?"
        ));
    }
}

fn fewest_parts(named: &Named<'_, '_>, scene: &Scene<'_>, said: &mut Said) {
    let new = new_parts(named, scene.stack);
    if !new.is_empty() {
        let names: Vec<&str> = new.iter().map(|entry| entry.name).collect();
        let parts = if new.len() == 1 { "a part" } else { "parts" };
        said.ask(format!("{} would be {parts} the project does not have: which demand, with its figure, does each serve?", names.join(", ")));
    }
    for entry in new {
        for (other, when) in alternatives_here(entry, scene) {
            said.show(format!(
                "{other} is there already, an alternative to {}: {when}",
                entry.name
            ));
        }
    }
}

/// Alternatives to a technology that the project has: what they are there as, and when to choose them.
fn alternatives_here(entry: &Entry<'_>, scene: &Scene<'_>) -> Vec<(String, String)> {
    let rows = entry.alternatives().into_iter();
    rows.filter_map(|(name, when)| {
        let other = scene.knowledge.find(&name).ok()?;
        Some((here(other, scene.stack)?, when))
    })
    .collect()
}

fn ordinary_error(scene: &Scene<'_>, said: &mut Said) {
    for memory in scene.memories.iter().filter(|memory| memory.kind == "mistake") {
        said.ask(format!("Is it {} again: “{}”?", memory.id, memory.title));
        said.show(format!("{}: {}", memory.id, memory.title));
    }
}

fn way_back(named: &Named<'_, '_>, scene: &Scene<'_>, said: &mut Said) {
    for act in &named.acts {
        said.ask(format!(
            "“{act}”: what brings back the state before, in how long, and when was that last tried?"
        ));
    }
    for (entry, _) in &named.technologies {
        let current = entry.version_in(scene.stack).map(|(version, _)| version);
        let ahead = entry.migrations.iter().find(|it| {
            let to = Version::read(&it.to);
            to.zip(current.clone()).is_some_and(|(to, current)| to > current)
        });
        if let Some(ahead) = ahead.filter(|it| !it.breaking.is_empty()) {
            said.show(format!(
                "entry {}: {} to {} breaks {}",
                entry.page.name,
                ahead.from,
                ahead.to,
                ahead.breaking.join("; ")
            ));
        }
    }
    failures(scene, said);
}

/// Decisions on the same thing that did not go well, and mistakes.
fn failures(scene: &Scene<'_>, said: &mut Said) {
    for memory in scene.memories {
        match memory.outcome.as_deref() {
            Some(outcome @ ("FAILED" | "PARTIAL")) => {
                said.show(format!("{} came to {outcome}: {}", memory.id, memory.title));
            }
            _ if memory.kind == "mistake" => said.show(format!("{}: {}", memory.id, memory.title)),
            _ => {}
        }
    }
}

fn taking_away(named: &Named<'_, '_>, scene: &Scene<'_>, said: &mut Said) {
    for entry in new_parts(named, scene.stack) {
        let there = alternatives_here(entry, scene);
        match (there.first(), named.left.first()) {
            (_, Some(left)) => said.ask(format!(
                "When does {} go wholly, and what still needs it on that day?",
                left.name
            )),
            (Some((other, _)), None) => said.ask(format!(
                "{other}: does it go when {} comes, or are there two of a kind from then on?",
                entry.name
            )),
            (None, None) => said.ask(format!("What becomes unneeded when {} comes?", entry.name)),
        }
        for (other, when) in there {
            said.show(format!("{other}, an alternative to {}: {when}", entry.name));
        }
    }
    for left in &named.left {
        let used = left.used_in(scene.stack);
        if let Some((manifest, _)) = used.first() {
            said.show(format!("{} names {}", manifest.path, left.name));
        }
    }
}

fn outside_figures(named: &Named<'_, '_>, scene: &Scene<'_>, said: &mut Said) {
    for figure in &named.figures {
        said.ask(format!(
            "{figure}: what did the last comparable case here, or elsewhere, come to?"
        ));
    }
    for memory in scene.memories {
        if let Some(outcome) = &memory.outcome {
            said.show(format!("{} ({outcome}): {}", memory.id, memory.title));
        }
    }
    for entry in named.chosen() {
        let metrics = entry.metrics();
        if let Some((metric, value, source)) = metrics.first() {
            said.show(format!("entry {}: {metric} {value} {source}", entry.page.name));
        }
    }
}

fn bias(named: &Named<'_, '_>, scene: &Scene<'_>, said: &mut Said) {
    for pull in &named.pulls {
        said.ask(format!("Without “{pull}”, would the decision be the same?"));
    }
    for left in &named.left {
        let cases = left.use_cases();
        if let Some(best) = cases.iter().max_by_key(|case| case.fit) {
            said.ask(format!(
                "Argue in earnest for staying: {} is good at “{}” ({}). Does that apply?",
                left.name, best.case, best.why
            ));
        }
    }
    for entry in named.chosen() {
        for (name, when) in entry.alternatives().into_iter().take(2) {
            said.show(format!("against {}: {name}, {when}", entry.name));
        }
    }
    failures(scene, said);
}

fn discrepancy(named: &Named<'_, '_>, scene: &Scene<'_>, said: &mut Said) {
    for memory in scene.memories.iter().filter(|it| matches!(&*it.kind, "decision" | "convention"))
    {
        said.ask(format!(
            "{} “{}”: does it still hold beside this, or is it superseded?",
            memory.kind, memory.title
        ));
        said.show(format!("{}: {}", memory.id, memory.title));
    }
    let chosen: Vec<&Entry<'_>> = named.chosen().collect();
    for entry in &chosen {
        if entry.maturity == "deprecated" {
            said.ask(format!(
                "{} is deprecated (entry reviewed {}): why for new work?",
                entry.name, entry.updated
            ));
            said.show(format!("entry {}: maturity deprecated", entry.page.name));
        }
    }
    for (one, other, why) in
        super::compatibility::clashes_here(&chosen, scene.knowledge, scene.stack)
    {
        said.ask(format!(
            "The project has {other}, which does not go with {one}: which of the two stays?"
        ));
        said.show(format!("{one} and {other}: {why}"));
    }
    for (at, one) in chosen.iter().enumerate() {
        for other in &chosen[at + 1..] {
            let pair = super::compatibility::pair(one, other, scene.stack);
            let reason = pair.reasons.first().filter(|reason| reason.points <= -30);
            if let Some(reason) = reason {
                said.show(format!(
                    "{} with {}: {}/100, {}",
                    one.name, other.name, pair.score, reason.why
                ));
            }
        }
    }
}
