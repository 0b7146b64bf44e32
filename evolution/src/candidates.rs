//! What the records of sessions suggest: candidates with their figures, for the seven kinds of changes.
//!
//! A candidate says that sessions with a property had better outcomes than comparable sessions without
//! it. Only sessions of the same task type and model are compared. No part of it uses a language
//! model, and no candidate names a person.

use crate::betting::BettingTest;
use crate::log::Figures;
use crate::record::SessionRecord;
use crate::statistics::{Counts, stratified_greater};
use aidd_engine::project::config::{ChangeKind, EvolutionConfig};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The difference that matters: smaller ones are no reason for a change.
pub const MIN_DIFFERENCE: f64 = 0.05;
/// Days after which a session counts half.
const HALF_LIFE_DAYS: f64 = 90.0;
/// Minimum number of comparable sessions without the property.
pub const MIN_WITHOUT: u32 = 5;
/// Minimum number of sessions on both sides of a stratum.
const MIN_STRATUM: u32 = 3;
/// The evidence that is required for each candidate that was ever looked at: 1 % of errors in all.
const EVIDENCE_PER_CANDIDATE: f64 = 100.0;
const DAY: f64 = 86_400_000.0;

/// What is done with a candidate.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Applied without asking, if that is configured.
    Apply,
    /// Drafted for a person.
    Draft,
    /// Shown, and looked at again after the next session.
    Pending,
}

/// A change that the records suggest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// The same for the same suggestion: kind, task type and subject.
    pub id: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// What is suggested: a role, a rule, a pair of tools.
    pub subject: String,
    /// The task type, as `domain/nature`; empty for all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// One line that says what changes.
    pub title: String,
    /// On what the verdict is based.
    pub figures: Figures,
    /// What is done with it.
    pub verdict: Verdict,
}

/// One observation of a comparison.
#[derive(Clone, Debug)]
pub struct Observation {
    /// When it was made, in milliseconds since 1970.
    pub at: i64,
    /// Only observations of the same stratum are compared.
    pub stratum: String,
    /// Whether it has the property.
    pub with: bool,
    /// The outcome, from 0 to 1.
    pub value: f64,
}

/// The figures of a comparison, without the required evidence. The confidence weighs observations by
/// age; the evidence does not.
#[must_use]
pub fn compare(observations: &[Observation], now: i64) -> Figures {
    let mut strata: BTreeMap<&str, (Counts, u32, u32)> = BTreeMap::new();
    let mut test = BettingTest::default();
    for one in observations {
        let days = (now - one.at).max(0) as f64 / DAY;
        let weight = 0.5f64.powf(days / HALF_LIFE_DAYS);
        let (counts, with, without) = strata.entry(&one.stratum).or_default();
        if one.with {
            counts.with += weight;
            counts.with_successes += weight * one.value;
            *with += 1;
        } else {
            counts.without += weight;
            counts.without_successes += weight * one.value;
            *without += 1;
        }
        test.add(&one.stratum, one.with, one.value);
    }
    let is_comparable =
        |(_, with, without): &&(Counts, u32, u32)| *with >= MIN_STRATUM && *without >= MIN_STRATUM;
    let used: Vec<_> = strata.values().filter(is_comparable).copied().collect();
    // Without a stratum that is large enough on both sides, sum all: the number of sessions decides
    // whether that is enough.
    let used = if used.is_empty() {
        let sum = strata.values().fold((Counts::default(), 0, 0), |sum, one| {
            let counts = Counts {
                with_successes: sum.0.with_successes + one.0.with_successes,
                with: sum.0.with + one.0.with,
                without_successes: sum.0.without_successes + one.0.without_successes,
                without: sum.0.without + one.0.without,
            };
            (counts, sum.1 + one.1, sum.2 + one.2)
        });
        vec![sum]
    } else {
        used
    };
    let counts: Vec<Counts> = used.iter().map(|(counts, ..)| *counts).collect();
    let share = |successes: f64, all: f64| (all > 0.0).then(|| successes / all);
    let sum = |value: fn(&Counts) -> f64| counts.iter().map(value).sum::<f64>();
    Figures {
        confidence: Some(stratified_greater(&counts, MIN_DIFFERENCE)),
        sessions_with: used.iter().map(|(_, with, _)| with).sum(),
        sessions_without: used.iter().map(|(.., without)| without).sum(),
        share_with: share(sum(|counts| counts.with_successes), sum(|counts| counts.with)),
        share_without: share(sum(|counts| counts.without_successes), sum(|counts| counts.without)),
        evidence: Some(test.value()),
        required: None,
    }
}

/// Facts about the project that the analysis needs.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The rules whose severity can be raised: they are on, not an error, and the configuration does
    /// not set their level; with the severity one step above.
    pub raisable: BTreeMap<String, String>,
    /// The candidates that were ever looked at, by kind.
    pub seen: BTreeMap<ChangeKind, BTreeSet<String>>,
}

/// The candidates of all records, which are ended sessions in the order of their end. Adds the
/// candidates to `facts.seen`. Empty during the learning period.
#[must_use]
pub fn analyze(
    records: &[SessionRecord],
    facts: &mut Facts,
    config: &EvolutionConfig,
    now: i64,
) -> Vec<Candidate> {
    if records.len() < config.learning_sessions() as usize {
        return Vec::new();
    }
    let mut found = crate::comparisons::all(records, facts)
        .into_iter()
        .filter(|comparison| config.proposes(comparison.kind))
        .filter_map(|comparison| {
            let with = comparison.observations.iter().filter(|one| one.with).count();
            if with == 0 || with == comparison.observations.len() {
                return None;
            }
            let task = &comparison.task;
            let name = comparison.kind.name();
            let figures = compare(&comparison.observations, now);
            Some(Candidate {
                id: format!("{name}:{task}:{}", comparison.subject),
                kind: comparison.kind,
                title: comparison.title,
                task: comparison.task,
                subject: comparison.subject,
                figures,
                verdict: Verdict::Pending,
            })
        })
        .collect::<Vec<_>>();
    for candidate in &found {
        facts.seen.entry(candidate.kind).or_default().insert(candidate.id.clone());
    }
    for candidate in &mut found {
        let seen = facts.seen.get(&candidate.kind).map_or(1, BTreeSet::len);
        candidate.figures.required = Some(EVIDENCE_PER_CANDIDATE * seen as f64);
        candidate.verdict = decide(candidate.kind, &candidate.figures, config);
    }
    let costs = discovery_costs(records);
    found.sort_by(|one, other| {
        let confidence = |candidate: &Candidate| candidate.figures.confidence.unwrap_or_default();
        // People see a whole percentage.
        let shown = |candidate: &Candidate| (100.0 * confidence(candidate)).round();
        let cost = |candidate: &Candidate| match candidate.kind {
            ChangeKind::KnowledgePromotion => costs.get(candidate.subject.as_str()).copied(),
            _ => None,
        };
        let order = one.verdict.cmp(&other.verdict);
        let order = order.then(shown(other).total_cmp(&shown(one)));
        let order = order.then(cost(other).cmp(&cost(one)));
        order.then(confidence(other).total_cmp(&confidence(one))).then(one.id.cmp(&other.id))
    });
    found
}

/// The tokens that the sessions with a knowledge entry spent on what they learned, where they are
/// known: of two entries of the same confidence, the one that was expensive to learn comes first.
fn discovery_costs(records: &[SessionRecord]) -> BTreeMap<&str, u64> {
    let mut costs: BTreeMap<&str, u64> = BTreeMap::new();
    for record in records {
        let Some(tokens) = record.discovery_tokens else { continue };
        for entry in record.knowledge.keys() {
            *costs.entry(entry).or_default() += tokens;
        }
    }
    costs
}

/// Whether changes of this kind can be applied without asking: only those without words. Words are
/// for people to approve.
#[must_use]
pub fn is_figure(kind: ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::RoutingWeight
            | ChangeKind::RuleSeverity
            | ChangeKind::KnowledgePromotion
            | ChangeKind::ModelRecommendation
    )
}

/// What is done with a candidate of these figures.
#[must_use]
pub fn decide(kind: ChangeKind, figures: &Figures, config: &EvolutionConfig) -> Verdict {
    let confidence = figures.confidence.unwrap_or_default();
    if figures.sessions_without < MIN_WITHOUT {
        return Verdict::Pending;
    }
    let has_evidence = match (figures.evidence, figures.required) {
        (Some(evidence), Some(required)) => evidence >= required,
        _ => false,
    };
    let applies = config.applies_above().is_some_and(|limit| {
        confidence > limit && figures.sessions_with >= config.apply_sessions()
    });
    if applies && has_evidence && is_figure(kind) {
        Verdict::Apply
    } else if confidence >= config.drafts_from()
        && figures.sessions_with >= config.sessions_for_draft()
    {
        Verdict::Draft
    } else {
        Verdict::Pending
    }
}

/// Whether the figures of an applied change no longer support it.
#[must_use]
pub fn has_drifted(figures: &Figures, config: &EvolutionConfig) -> bool {
    figures.confidence.is_some_and(|confidence| confidence < config.drafts_from())
        && figures.sessions_without >= MIN_WITHOUT
}
