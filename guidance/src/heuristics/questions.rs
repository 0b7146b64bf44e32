//! The questions of each heuristic about the facts of a decision, and the evidence for the answers.

use super::{HeuristicsContext, alternatives_in_project, new_technologies, project_usage};
use crate::compatibility::{self, Verdict};
use crate::decision::DecisionFacts;
use crate::knowledge::Entry;
use aidd_engine::project::stack::Version;
use aidd_memory::types::Outcome;

/// Maximum number of locations listed per identifier.
const MAX_LOCATIONS: usize = 4;

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
    facts: &DecisionFacts<'_, '_>,
    context: &HeuristicsContext<'_>,
    questions: &mut Questions,
) {
    for reason in &facts.reasons {
        questions.add_question(format!(
            "“{reason}”: which run, test or document shows this, and how recent is it?"
        ));
    }
    for figure in &facts.figures {
        questions.add_question(match is_measured(figure) {
            true => format!("{figure}: who measured it, where, under what load?"),
            false => format!("{figure}: what is its source, and how recent is it?"),
        });
    }
    for entry in facts.technologies.iter().map(|(entry, _)| entry) {
        if let (Some(usage), Some(described)) = (project_usage(entry, context.stack), entry.version)
        {
            questions.add_evidence(format!(
                "{usage}; entry {} describes {described}, reviewed {}",
                entry.page.name, entry.updated
            ));
        }
    }
    add_mentions(context, questions);
}

pub(super) fn first_principles(facts: &DecisionFacts<'_, '_>, questions: &mut Questions) {
    for entry in facts.chosen() {
        let cases = entry.use_cases();
        let best = cases.iter().max_by_key(|case| case.fit);
        let worst = cases.iter().min_by_key(|case| case.fit);
        if let (Some(best), Some(worst)) = (best, worst) {
            questions.add_question(format!(
                "Is the requirement closer to “{}”, which {} is good at, or to “{}”, which it is not good at?",
                best.case, entry.name, worst.case
            ));
            questions.add_evidence(format!(
                "entry {}: {} {}/10; {} {}/10 ({})",
                entry.page.name, best.case, best.fit, worst.case, worst.fit, worst.why
            ));
        }
    }
}

pub(super) fn pareto(facts: &DecisionFacts<'_, '_>, questions: &mut Questions) {
    for absolute in &facts.absolutes {
        questions.add_question(format!(
            "“{absolute}”: which small part of the cases accounts for most of the effect, and is that part enough?"
        ));
    }
}

pub(super) fn simplicity(
    facts: &DecisionFacts<'_, '_>,
    context: &HeuristicsContext<'_>,
    questions: &mut Questions,
) {
    let new = new_technologies(facts, context.stack);
    if !new.is_empty() {
        let names: Vec<&str> = new.iter().map(|entry| entry.name).collect();
        questions.add_question(format!(
            "{} would be new in the project: which measurable requirement does it meet?",
            names.join(", ")
        ));
    }
    for entry in new {
        for (alternative, when) in alternatives_in_project(entry, context) {
            questions.add_evidence(format!(
                "the project already has {alternative}, an alternative to {}: {when}",
                entry.name
            ));
        }
    }
}

pub(super) fn repeated_mistakes(context: &HeuristicsContext<'_>, questions: &mut Questions) {
    for memory in context.memories.iter().filter(|memory| memory.kind == "mistake") {
        questions.add_question(format!("Does this repeat {}: “{}”?", memory.id, memory.title));
        questions.add_evidence(memory.line());
    }
}

pub(super) fn reversibility(
    facts: &DecisionFacts<'_, '_>,
    context: &HeuristicsContext<'_>,
    questions: &mut Questions,
) {
    for action in &facts.actions {
        questions.add_question(format!(
            "“{action}”: how is the previous state restored, how long does it take, and when was that last tested?"
        ));
    }
    for entry in facts.chosen().chain(facts.abandoned.iter().copied()) {
        let current = entry.version_in(context.stack).map(|(version, _)| version);
        let next_migration = entry.migrations.iter().find(|migration| {
            let to = Version::read(&migration.to);
            to.zip(current.clone()).is_some_and(|(to, current)| to > current)
        });
        if let Some(next_migration) =
            next_migration.filter(|migration| !migration.breaking.is_empty())
        {
            questions.add_evidence(format!(
                "entry {}: {} to {} breaks {}",
                entry.page.name,
                next_migration.from,
                next_migration.to,
                next_migration.breaking.join("; ")
            ));
        }
    }
    add_failures(context, questions);
}

/// Adds mistakes, and decisions on the same subject that failed or partly failed.
fn add_failures(context: &HeuristicsContext<'_>, questions: &mut Questions) {
    for memory in context.memories {
        let failed = matches!(memory.outcome, Some(Outcome::Failed | Outcome::Partial));
        if failed || memory.kind == "mistake" {
            questions.add_evidence(memory.line());
        }
    }
}

pub(super) fn removal(
    facts: &DecisionFacts<'_, '_>,
    context: &HeuristicsContext<'_>,
    questions: &mut Questions,
) {
    // What the project does not use cannot be removed from it.
    let is_removable = |entry: &&&Entry<'_>| {
        context.stack.manifests.is_empty() || entry.usage_in(context.stack).is_some()
    };
    for entry in new_technologies(facts, context.stack) {
        let alternatives = alternatives_in_project(entry, context);
        match (alternatives.first(), facts.abandoned.iter().find(is_removable)) {
            (_, Some(abandoned)) => questions.add_question(format!(
                "When will {} be fully removed, and what will still need it then?",
                abandoned.name
            )),
            (Some((alternative, _)), None) => questions.add_question(format!(
                "{alternative}: will it be removed when {} is added, or will both remain?",
                entry.name
            )),
            (None, None) => {
                questions.add_question(format!(
                    "What becomes unnecessary when {} is added?",
                    entry.name
                ));
            }
        }
        for (alternative, when) in alternatives {
            questions
                .add_evidence(format!("{alternative}, an alternative to {}: {when}", entry.name));
        }
    }
    for abandoned in &facts.abandoned {
        questions.evidence.extend(project_usage(abandoned, context.stack));
    }
    for rejected in &facts.rejected {
        if let Some(usage) = project_usage(rejected, context.stack) {
            questions.add_question(format!("{usage}: when is it removed, or is it an exception?"));
            questions.add_evidence(usage);
        }
    }
}

pub(super) fn reference_cases(
    facts: &DecisionFacts<'_, '_>,
    context: &HeuristicsContext<'_>,
    questions: &mut Questions,
) {
    for figure in &facts.figures {
        questions.add_question(format!(
            "{figure}: what was the result of the last comparable case, here or elsewhere?"
        ));
    }
    for memory in context.memories {
        if memory.outcome.is_some() {
            questions.add_evidence(memory.line());
        }
    }
    for entry in facts.chosen() {
        // A version or a licence is not a measurement.
        let is_figure = |(metric, value, _): &(String, String, String)| {
            let metric = metric.to_lowercase();
            let names = ["version", "licence", "release", "origin", "end of", "support", "format"];
            value.contains(|c: char| c.is_ascii_digit())
                && !names.iter().any(|name| metric.contains(name))
        };
        if let Some((metric, value, source)) = entry.metrics().into_iter().find(is_figure) {
            questions.add_evidence(format!("entry {}: {metric} {value} {source}", entry.page.name));
        }
    }
}

pub(super) fn bias(
    facts: &DecisionFacts<'_, '_>,
    context: &HeuristicsContext<'_>,
    questions: &mut Questions,
) {
    for bias in &facts.biases {
        questions.add_question(format!("Without “{bias}”, would the decision be the same?"));
    }
    let abandoned = facts.abandoned.iter().map(|entry| (entry, "for staying"));
    let rejected = facts.rejected.iter().map(|entry| (entry, "against the decision"));
    for (entry, side) in abandoned.chain(rejected) {
        let cases = entry.use_cases();
        if let Some(best) = cases.iter().max_by_key(|case| case.fit) {
            questions.add_question(format!(
                "Make the best case {side}: {} is good at “{}” ({}). Does that apply?",
                entry.name, best.case, best.why
            ));
        }
    }
    for entry in facts.chosen() {
        for (name, when) in entry.alternatives().into_iter().take(2) {
            questions.add_evidence(format!("alternative to {}: {name}, {when}", entry.name));
        }
    }
    add_failures(context, questions);
}

pub(super) fn discrepancy(
    facts: &DecisionFacts<'_, '_>,
    context: &HeuristicsContext<'_>,
    questions: &mut Questions,
) {
    for memory in
        context.memories.iter().filter(|memory| matches!(&*memory.kind, "decision" | "convention"))
    {
        let (kind, title) = (&memory.kind, &memory.title);
        questions.add_question(match memory.outcome {
            Some(Outcome::Failed) => {
                format!("{kind} “{title}” FAILED: what is different this time?")
            }
            _ => format!("{kind} “{title}”: does it still apply, or does this supersede it?"),
        });
        questions.add_evidence(memory.line());
    }
    add_mentions(context, questions);
    let chosen: Vec<&Entry<'_>> = facts.chosen().collect();
    for entry in &chosen {
        if entry.maturity == "deprecated" {
            questions.add_question(format!(
                "{} is deprecated (entry reviewed {}): why use it for new work?",
                entry.name, entry.updated
            ));
            questions.add_evidence(format!("entry {}: maturity deprecated", entry.page.name));
        }
    }
    for (first, second, why) in
        compatibility::find_conflicts(&chosen, context.knowledge, context.stack)
    {
        questions.add_question(format!(
            "The project has {second}, which conflicts with {first}: which of the two stays?"
        ));
        questions.add_evidence(format!("{first} and {second}: {why}"));
    }
    for (index, first) in chosen.iter().enumerate() {
        for second in &chosen[index + 1..] {
            let pair = compatibility::compare(first, second, context.stack);
            let fact = pair.facts.first().filter(|_| pair.verdict < Verdict::NotKnown);
            if let Some(fact) = fact {
                questions.add_evidence(format!(
                    "{} with {}: {} (entry {})",
                    first.name, second.name, fact.fact, fact.source
                ));
            }
        }
    }
}

/// Adds the locations at which the identifiers of the decision occur, or the statement that they do
/// not occur. An identifier can be the name of a package in another spelling: `NextAuth` is
/// `next-auth`.
fn add_mentions(context: &HeuristicsContext<'_>, questions: &mut Questions) {
    let normalize = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    for mention in context.mentions {
        let mentioned = normalize(&mention.name);
        let package = context.stack.dependencies().find(|(_, package)| {
            let last_segment = package.name.rsplit(['/', ':']).next().unwrap_or(&package.name);
            [&*package.name, last_segment].iter().any(|name| normalize(name) == mentioned)
        });
        if let Some((manifest, package)) = package {
            let version = package.locked.as_deref().or(package.wanted.as_deref());
            let version = version.map(|version| format!(" {version}")).unwrap_or_default();
            questions.add_evidence(format!("{} names {}{version}", manifest.path, package.name));
            if mention.locations.is_empty() {
                continue;
            }
        }
        let listed =
            mention.locations.iter().take(MAX_LOCATIONS).cloned().collect::<Vec<_>>().join(", ");
        let more = mention.locations.len().saturating_sub(MAX_LOCATIONS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        questions.add_evidence(match mention.locations.is_empty() {
            true => format!(
                "`{}` occurs in none of the {} files searched",
                mention.name, mention.searched
            ),
            false => format!("`{}` occurs in {listed}{more}", mention.name),
        });
    }
}
