//! The questions of each heuristic about what the decision names, and the evidence for them.

use super::{HeuristicsContext, alternatives_in_project, new_technologies, project_usage};
use crate::compatibility;
use crate::decision::DecisionFacts;
use crate::knowledge::Entry;
use aidd_engine::project::stack::Version;
use aidd_memory::types::Outcome;

/// Maximum number of places listed per identifier.
const MAX_PLACES: usize = 4;

#[derive(Default)]
pub(super) struct Questions {
    pub(super) questions: Vec<String>,
    pub(super) evidence: Vec<String>,
}

impl Questions {
    fn add_question(&mut self, text: String) {
        self.questions.push(text);
    }

    fn add_evidence(&mut self, text: String) {
        if !self.evidence.contains(&text) {
            self.evidence.push(text);
        }
    }
}
/// Whether a figure is measured by a machine: a time, a rate or a size.
fn is_measured(figure: &str) -> bool {
    let unit = figure.trim_start_matches(|c: char| c.is_ascii_digit() || " ,.".contains(c));
    let units =
        ["ms", "s", "sec", "secs", "seconds", "milliseconds", "rps", "qps", "kb", "mb", "gb", "tb"];
    let unit = unit.to_lowercase();
    units.contains(&&*unit) || unit.starts_with("req") || unit == "초"
}

pub(super) fn zero_trust(
    named: &DecisionFacts<'_, '_>,
    scene: &HeuristicsContext<'_>,
    said: &mut Questions,
) {
    for reason in &named.reasons {
        said.add_question(format!(
            "“{reason}”: which run, test or document shows it, and from what date?"
        ));
    }
    for figure in &named.figures {
        said.add_question(match is_measured(figure) {
            true => format!("{figure}: who measured it, where, under what load?"),
            false => format!("{figure}: what is its source, and from what date?"),
        });
    }
    for entry in named.technologies.iter().map(|(entry, _)| entry) {
        if let (Some(here), Some(described)) = (project_usage(entry, scene.stack), entry.version) {
            said.add_evidence(format!(
                "{here}; entry {} describes {described}, reviewed {}",
                entry.page.name, entry.updated
            ));
        }
    }
    add_mentions(scene, said);
}

pub(super) fn first_principles(named: &DecisionFacts<'_, '_>, said: &mut Questions) {
    for entry in named.chosen() {
        let cases = entry.use_cases();
        let best = cases.iter().max_by_key(|case| case.fit);
        let worst = cases.iter().min_by_key(|case| case.fit);
        if let (Some(best), Some(worst)) = (best, worst) {
            said.add_question(format!(
                "Is the requirement closer to “{}”, which {} is good at, or to “{}”, which it is not?",
                best.case, entry.name, worst.case
            ));
            said.add_evidence(format!(
                "entry {}: {} {}/10; {} {}/10 ({})",
                entry.page.name, best.case, best.fit, worst.case, worst.fit, worst.why
            ));
        }
    }
}

pub(super) fn pareto(named: &DecisionFacts<'_, '_>, said: &mut Questions) {
    for absolute in &named.absolutes {
        said.add_question(format!(
            "“{absolute}”: which few of them account for most of the effect, and are those enough?"
        ));
    }
}

pub(super) fn simplicity(
    named: &DecisionFacts<'_, '_>,
    scene: &HeuristicsContext<'_>,
    said: &mut Questions,
) {
    let new = new_technologies(named, scene.stack);
    if !new.is_empty() {
        let names: Vec<&str> = new.iter().map(|entry| entry.name).collect();
        let parts = if new.len() == 1 { "a component" } else { "components" };
        said.add_question(format!("{} would be {parts} the project does not have: which requirement, with its figure, does each meet?", names.join(", ")));
    }
    for entry in new {
        for (other, when) in alternatives_in_project(entry, scene) {
            said.add_evidence(format!("{other} already, an alternative to {}: {when}", entry.name));
        }
    }
}

pub(super) fn repeated_mistakes(scene: &HeuristicsContext<'_>, said: &mut Questions) {
    for memory in scene.memories.iter().filter(|memory| memory.kind == "mistake") {
        said.add_question(format!("Does this repeat {}: “{}”?", memory.id, memory.title));
        said.add_evidence(memory.line());
    }
}

pub(super) fn reversibility(
    named: &DecisionFacts<'_, '_>,
    scene: &HeuristicsContext<'_>,
    said: &mut Questions,
) {
    for act in &named.acts {
        said.add_question(format!(
            "“{act}”: how is the previous state restored, how long does it take, and when was that last tested?"
        ));
    }
    for (entry, _) in &named.technologies {
        let current = entry.version_in(scene.stack).map(|(version, _)| version);
        let ahead = entry.migrations.iter().find(|it| {
            let to = Version::read(&it.to);
            to.zip(current.clone()).is_some_and(|(to, current)| to > current)
        });
        if let Some(ahead) = ahead.filter(|it| !it.breaking.is_empty()) {
            said.add_evidence(format!(
                "entry {}: {} to {} breaks {}",
                entry.page.name,
                ahead.from,
                ahead.to,
                ahead.breaking.join("; ")
            ));
        }
    }
    add_failures(scene, said);
}

/// Adds decisions on the same subject that failed or partly failed, and mistakes.
fn add_failures(scene: &HeuristicsContext<'_>, said: &mut Questions) {
    for memory in scene.memories {
        let is_bad = matches!(memory.outcome, Some(Outcome::Failed | Outcome::Partial));
        if is_bad || memory.kind == "mistake" {
            said.add_evidence(memory.line());
        }
    }
}

pub(super) fn removal(
    named: &DecisionFacts<'_, '_>,
    scene: &HeuristicsContext<'_>,
    said: &mut Questions,
) {
    for entry in new_technologies(named, scene.stack) {
        let there = alternatives_in_project(entry, scene);
        match (there.first(), named.abandoned.first()) {
            (_, Some(left)) => said.add_question(format!(
                "When will {} be fully removed, and what will still need it then?",
                left.name
            )),
            (Some((other, _)), None) => said.add_question(format!(
                "{other}: will it be removed when {} is added, or will both remain?",
                entry.name
            )),
            (None, None) => {
                said.add_question(format!(
                    "What becomes unnecessary when {} is added?",
                    entry.name
                ));
            }
        }
        for (other, when) in there {
            said.add_evidence(format!("{other}, an alternative to {}: {when}", entry.name));
        }
    }
    for left in &named.abandoned {
        let used = left.used_in(scene.stack);
        if let Some((manifest, _)) = used.first() {
            said.add_evidence(format!("{} names {}", manifest.path, left.name));
        }
    }
}

pub(super) fn reference_cases(
    named: &DecisionFacts<'_, '_>,
    scene: &HeuristicsContext<'_>,
    said: &mut Questions,
) {
    for figure in &named.figures {
        said.add_question(format!(
            "{figure}: what was the result of the last comparable case, here or elsewhere?"
        ));
    }
    for memory in scene.memories {
        if memory.outcome.is_some() {
            said.add_evidence(memory.line());
        }
    }
    for entry in named.chosen() {
        // A version or a licence is not a measurement.
        let is_figure = |(metric, value, _): &(String, String, String)| {
            let metric = metric.to_lowercase();
            let names = ["version", "licence", "release", "origin", "end of", "support", "format"];
            value.contains(|c: char| c.is_ascii_digit())
                && !names.iter().any(|name| metric.contains(name))
        };
        if let Some((metric, value, source)) = entry.metrics().into_iter().find(is_figure) {
            said.add_evidence(format!("entry {}: {metric} {value} {source}", entry.page.name));
        }
    }
}

pub(super) fn bias(
    named: &DecisionFacts<'_, '_>,
    scene: &HeuristicsContext<'_>,
    said: &mut Questions,
) {
    for pull in &named.biases {
        said.add_question(format!("Without “{pull}”, would the decision be the same?"));
    }
    for left in &named.abandoned {
        let cases = left.use_cases();
        if let Some(best) = cases.iter().max_by_key(|case| case.fit) {
            said.add_question(format!(
                "Make the best case for staying: {} is good at “{}” ({}). Does that apply?",
                left.name, best.case, best.why
            ));
        }
    }
    for entry in named.chosen() {
        for (name, when) in entry.alternatives().into_iter().take(2) {
            said.add_evidence(format!("alternative to {}: {name}, {when}", entry.name));
        }
    }
    add_failures(scene, said);
}

pub(super) fn discrepancy(
    named: &DecisionFacts<'_, '_>,
    scene: &HeuristicsContext<'_>,
    said: &mut Questions,
) {
    for memory in scene.memories.iter().filter(|it| matches!(&*it.kind, "decision" | "convention"))
    {
        let (kind, title) = (&memory.kind, &memory.title);
        said.add_question(match memory.outcome {
            Some(Outcome::Failed) => {
                format!("{kind} “{title}” FAILED: what is different this time?")
            }
            _ => format!("{kind} “{title}”: does it still apply, or does this supersede it?"),
        });
        said.add_evidence(memory.line());
    }
    add_mentions(scene, said);
    let chosen: Vec<&Entry<'_>> = named.chosen().collect();
    for entry in &chosen {
        if entry.maturity == "deprecated" {
            said.add_question(format!(
                "{} is deprecated (entry reviewed {}): why use it for new work?",
                entry.name, entry.updated
            ));
            said.add_evidence(format!("entry {}: maturity deprecated", entry.page.name));
        }
    }
    for (one, other, why) in compatibility::find_conflicts(&chosen, scene.knowledge, scene.stack) {
        said.add_question(format!(
            "The project has {other}, which conflicts with {one}: which of the two stays?"
        ));
        said.add_evidence(format!("{one} and {other}: {why}"));
    }
    for (at, one) in chosen.iter().enumerate() {
        for other in &chosen[at + 1..] {
            let pair = compatibility::score_pair(one, other, scene.stack);
            let reason = pair.reasons.first().filter(|reason| reason.points <= -30);
            if let Some(reason) = reason {
                said.add_evidence(format!(
                    "{} with {}: {}/100, {}",
                    one.name, other.name, pair.score, reason.why
                ));
            }
        }
    }
}

/// Adds the places where the identifiers of the decision occur, or that they occur nowhere. An
/// identifier can be the name of a package in another spelling: `NextAuth` is `next-auth`.
fn add_mentions(scene: &HeuristicsContext<'_>, said: &mut Questions) {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    for mention in scene.mentions {
        let wanted = plain(&mention.name);
        let package = scene.stack.dependencies().find(|(_, package)| {
            let last = package.name.rsplit(['/', ':']).next().unwrap_or(&package.name);
            [&*package.name, last].iter().any(|name| plain(name) == wanted)
        });
        if let Some((manifest, package)) = package {
            let version = package.locked.as_deref().or(package.wanted.as_deref());
            let version = version.map(|version| format!(" {version}")).unwrap_or_default();
            said.add_evidence(format!("{} names {}{version}", manifest.path, package.name));
            if mention.places.is_empty() {
                continue;
            }
        }
        let shown = mention.places.iter().take(MAX_PLACES).cloned().collect::<Vec<_>>().join(", ");
        let more = mention.places.len().saturating_sub(MAX_PLACES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        said.add_evidence(match mention.places.is_empty() {
            true => format!(
                "`{}` occurs in none of the {} files searched",
                mention.name, mention.searched
            ),
            false => format!("`{}` occurs in {shown}{more}", mention.name),
        });
    }
}
