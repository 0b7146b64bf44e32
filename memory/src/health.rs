//! Metrics of the work in a project. Measured values are preferred; the values that sessions
//! reported about themselves are used only where nothing was measured.

use super::MemoryError;
use super::outcomes::{self, Check};
use super::project::ProjectMemory;
use super::records::SessionState;
use super::store::{Layers, Order, Query};
use super::times::millis;
use super::types::{Entry, Kind};
use aidd_engine::project::git::Repository;
use aidd_evolution::SessionRecord;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of samples for a metric to have a value.
pub const MIN_SAMPLES: usize = 3;
/// Minimum share of the total weight that the metrics with a value must have. Below this share,
/// there is no overall value.
const MIN_WEIGHT: f64 = 0.5;
/// Maximum number of commits searched for reverts.
const MAX_COMMITS: usize = 5_000;

/// One metric, from 0 to 100.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// One of `sessionSuccess`, `complianceAvg`, `errorRecurrence`, `modelConsistency`,
    /// `memoryUtilization`.
    pub name: &'static str,
    /// `None` when there are fewer than [`MIN_SAMPLES`] samples.
    pub value: Option<f64>,
    /// Number of sessions or mistakes that the value is computed from.
    pub samples: usize,
    /// Number of measured samples; the other samples were reported by sessions.
    pub measured: usize,
    /// Weight in the overall value; the weights of all metrics add up to 1.
    pub weight: f64,
    /// Description of the value, for display.
    pub meaning: &'static str,
}

/// The metrics of a project, with advice.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// Weighted mean of the metrics that have a value; `None` when these have less than half of the
    /// total weight.
    pub overall: Option<f64>,
    /// All five metrics, including those without a value.
    pub metrics: Vec<Metric>,
    /// Number of ended sessions that were examined.
    pub sessions: usize,
    /// Advice on low values, one sentence each.
    pub advice: Vec<String>,
}

/// The measured or reported values of one ended session.
#[derive(Debug, Default)]
struct Sample {
    model: String,
    /// Whether the tests passed and no commit was reverted.
    success: Option<Measurement<bool>>,
    /// Percentage of the session's checks that passed.
    compliance: Option<Measurement<f64>>,
    /// Whether the session recorded a decision or a fixed error.
    recorded_memory: bool,
}

/// A value, and whether it was measured or reported by the session.
#[derive(Clone, Copy, Debug)]
struct Measurement<T> {
    value: T,
    measured: bool,
}

impl ProjectMemory {
    /// Examines the last `limit` ended sessions and all mistakes.
    ///
    /// A session's success is measured by its last recorded test run and by whether commits made
    /// during the session were reverted later; its compliance is the share of its checks (lint,
    /// types, build) whose last recorded run passed.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn health(&mut self, limit: usize) -> Result<Health, MemoryError> {
        let sessions = self.sessions(None, Some(true), limit)?;
        let oldest = sessions.iter().filter_map(|session| millis(&session.started_at)).min();
        let reverted = oldest.and_then(|oldest| reverted_commit_times(self.root(), oldest));
        let records = self.all_session_records()?;
        let records: BTreeMap<&str, &SessionRecord> =
            records.iter().map(|record| (record.id.as_str(), record)).collect();
        let mut samples = Vec::new();
        for session in &sessions {
            let query = Query {
                session_id: Some(session.id.clone()),
                order: Order::Oldest,
                ..Query::new(Layers::ALL)
            };
            let entries = self.read(&mut |store| store.entries(&query))?;
            let mut sample = sample(session, &entries, reverted.as_deref());
            let success = records.get(session.id.as_str()).and_then(|record| record.success());
            if let Some(success) = success {
                sample.success = Some(Measurement { value: success > 0.5, measured: true });
            }
            samples.push(sample);
        }
        let query = Query::active(Layers::PERMANENT, Kind::Mistake);
        let mistakes = self.read(&mut |store| store.entries(&query))?;
        let metrics = vec![
            success(&samples),
            compliance(&samples),
            recurrence(&mistakes),
            consistency(&samples),
            utilization(&samples),
        ];
        let advice = advice(&metrics);
        Ok(Health { overall: overall(&metrics), metrics, sessions: sessions.len(), advice })
    }
}

/// The hashes, or their beginnings, of the commits that a commit with this message reverts.
pub fn reverted_hashes(message: &str) -> impl Iterator<Item = String> + '_ {
    let reverts = message.split("This reverts commit ").skip(1);
    let hashes = reverts.map(|rest| rest.chars().take_while(char::is_ascii_hexdigit).collect());
    hashes.filter(|hash: &String| hash.len() >= 7)
}

/// Times of the commits since `since` that were reverted later, in milliseconds since 1970. `None`
/// outside a repository.
pub(super) fn reverted_commit_times(root: &std::path::Path, since: i64) -> Option<Vec<i64>> {
    let repository = Repository::open(root).ok()?;
    let commits = repository.since(since, MAX_COMMITS).ok()?;
    let hashes: Vec<String> =
        commits.iter().flat_map(|commit| reverted_hashes(&commit.message)).collect();
    let is_reverted = |id: &str| hashes.iter().any(|hash| id.starts_with(hash.as_str()));
    Some(commits.iter().filter(|commit| is_reverted(&commit.id)).map(|commit| commit.at).collect())
}

fn sample(session: &SessionState, entries: &[Entry], reverted: Option<&[i64]>) -> Sample {
    let mut runs: BTreeMap<Check, bool> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.kind == Kind::ToolOutcome) {
        let run = outcomes::read(entry);
        for check in run.checks {
            if let Some(passed) = run.passed {
                runs.insert(check, passed);
            }
        }
    }
    let self_reported = session.outcome.as_ref();
    let span = millis(&session.started_at).zip(session.ended_at.as_ref().and_then(millis));
    let was_reverted = match (reverted, span) {
        // Git stores whole seconds.
        (Some(times), Some((start, end))) => {
            Some(times.iter().any(|at| (start - 999..=end).contains(at)))
        }
        _ => self_reported.map(|outcome| outcome.reverts > 0),
    };
    let tests =
        runs.get(&Check::Tests).map(|passed| Measurement { value: *passed, measured: true });
    let tests = tests.or_else(|| {
        self_reported.map(|outcome| Measurement { value: outcome.tests_passing, measured: false })
    });
    let success = tests
        .map(|tests| Measurement { value: tests.value && was_reverted != Some(true), ..tests });
    let checks: Vec<bool> = runs
        .iter()
        .filter(|(check, _)| **check != Check::Tests)
        .map(|(_, passed)| *passed)
        .collect();
    let compliance = if checks.is_empty() {
        let score = self_reported.map(|outcome| outcome.compliance_score.clamp(0.0, 100.0));
        score.filter(|score| score.is_finite()).map(|value| Measurement { value, measured: false })
    } else {
        let passed = checks.iter().filter(|passed| **passed).count();
        Some(Measurement { value: percentage(passed, checks.len()), measured: true })
    };
    let is_decision_or_mistake =
        |entry: &Entry| matches!(entry.kind, Kind::Decision | Kind::Mistake);
    let provider = &session.ai_provider;
    Sample {
        model: if provider.model_id.is_empty() { &provider.model } else { &provider.model_id }
            .clone(),
        success,
        compliance,
        recorded_memory: !session.decisions.is_empty()
            || !session.errors_resolved.is_empty()
            || entries.iter().any(is_decision_or_mistake),
    }
}

/// Returns `part` as a percentage of `total`.
#[expect(clippy::cast_precision_loss, reason = "counts of sessions and mistakes")]
fn percentage(part: usize, total: usize) -> f64 {
    if total == 0 { 0.0 } else { 100.0 * part as f64 / total as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "counts of sessions")]
fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

fn value_if_enough(samples: usize, value: f64) -> Option<f64> {
    (samples >= MIN_SAMPLES).then_some(value)
}

fn success(samples: &[Sample]) -> Metric {
    let measurements: Vec<Measurement<bool>> =
        samples.iter().filter_map(|sample| sample.success).collect();
    let value = percentage(
        measurements.iter().filter(|measurement| measurement.value).count(),
        measurements.len(),
    );
    Metric {
        name: "sessionSuccess",
        value: value_if_enough(measurements.len(), value),
        samples: measurements.len(),
        measured: measurements.iter().filter(|measurement| measurement.measured).count(),
        weight: 0.30,
        meaning: "sessions whose tests passed and whose commits were not reverted",
    }
}

fn compliance(samples: &[Sample]) -> Metric {
    let measurements: Vec<Measurement<f64>> =
        samples.iter().filter_map(|sample| sample.compliance).collect();
    let values: Vec<f64> = measurements.iter().map(|measurement| measurement.value).collect();
    Metric {
        name: "complianceAvg",
        value: value_if_enough(measurements.len(), mean(&values)),
        samples: measurements.len(),
        measured: measurements.iter().filter(|measurement| measurement.measured).count(),
        weight: 0.25,
        meaning: "checks that passed when they last ran in a session",
    }
}

fn recurrence(mistakes: &[Entry]) -> Metric {
    let is_recurring = |entry: &&Entry| {
        let count = entry.metadata.get(super::log::OCCURRENCES);
        count.and_then(serde_json::Value::as_u64).is_some_and(|count| count > 1)
    };
    let recurring = mistakes.iter().filter(is_recurring).count();
    Metric {
        name: "errorRecurrence",
        value: value_if_enough(mistakes.len(), 100.0 - percentage(recurring, mistakes.len())),
        samples: mistakes.len(),
        measured: mistakes.len(),
        weight: 0.15,
        meaning: "mistakes that occurred only once",
    }
}

/// How consistent the models are: 100 minus the mean, over all models, of the standard deviation of
/// the compliance of their sessions.
fn consistency(samples: &[Sample]) -> Metric {
    let mut models: BTreeMap<&str, Vec<Measurement<f64>>> = BTreeMap::new();
    for sample in samples {
        if let Some(measurement) = sample.compliance {
            models.entry(&sample.model).or_default().push(measurement);
        }
    }
    models.retain(|_, measurements| measurements.len() >= MIN_SAMPLES);
    let deviations: Vec<f64> = models
        .values()
        .map(|measurements| {
            let values: Vec<f64> =
                measurements.iter().map(|measurement| measurement.value).collect();
            let average = mean(&values);
            let squares: Vec<f64> = values.iter().map(|value| (value - average).powi(2)).collect();
            mean(&squares).sqrt()
        })
        .collect();
    let all: Vec<Measurement<f64>> = models.into_values().flatten().collect();
    Metric {
        name: "modelConsistency",
        value: value_if_enough(all.len(), (100.0 - mean(&deviations)).max(0.0)),
        samples: all.len(),
        measured: all.iter().filter(|measurement| measurement.measured).count(),
        weight: 0.15,
        meaning: "100 minus the mean standard deviation of compliance within each model",
    }
}

fn utilization(samples: &[Sample]) -> Metric {
    let recorded = samples.iter().filter(|sample| sample.recorded_memory).count();
    Metric {
        name: "memoryUtilization",
        value: value_if_enough(samples.len(), percentage(recorded, samples.len())),
        samples: samples.len(),
        measured: samples.len(),
        weight: 0.15,
        meaning: "sessions that recorded a decision or a fixed error",
    }
}

fn overall(metrics: &[Metric]) -> Option<f64> {
    let weighted: Vec<(f64, f64)> = metrics
        .iter()
        .filter_map(|metric| metric.value.map(|value| (metric.weight, value)))
        .collect();
    let weight: f64 = weighted.iter().map(|(weight, _)| weight).sum();
    let sum: f64 = weighted.iter().map(|(weight, value)| weight * value).sum();
    (weight >= MIN_WEIGHT - 1e-9).then(|| sum / weight)
}

/// Name of the metric, the value below which advice is given, and the advice.
const ADVICE: [(&str, f64, &str); 5] = [
    (
        "sessionSuccess",
        60.0,
        "run the tests before a session ends, and examine the reverted commits",
    ),
    ("complianceAvg", 70.0, "run lint and type check after each change, not at the end"),
    ("errorRecurrence", 60.0, "add an enforceable check to the recurring mistakes"),
    ("modelConsistency", 60.0, "use the same rules and context for the same kind of task"),
    ("memoryUtilization", 50.0, "save decisions and fixed errors before a session ends"),
];

fn advice(metrics: &[Metric]) -> Vec<String> {
    let mut advice = Vec::new();
    for metric in metrics {
        let row = ADVICE.iter().find(|(name, ..)| *name == metric.name);
        if let Some((name, threshold, text)) = row
            && metric.value.is_some_and(|value| value < *threshold)
        {
            advice.push(format!("{name} is below {threshold}: {text}"));
        }
    }
    let reported: BTreeSet<&str> = metrics
        .iter()
        .filter(|metric| metric.value.is_some() && metric.measured < metric.samples)
        .map(|metric| metric.name)
        .collect();
    if !reported.is_empty() {
        let reported: Vec<&str> = reported.into_iter().collect();
        advice.push(format!(
            "partly reported by sessions instead of measured: {}; record runs as tool_outcome \
             observations with command and exitCode",
            reported.join(", ")
        ));
    }
    advice
}

#[cfg(test)]
mod tests;
