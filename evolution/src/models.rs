//! How sessions ended by provider, model and kind of task. There is no built-in opinion on any
//! provider: without enough sessions, nothing is recommended.

use crate::record::{SessionRecord, TaskType};
use crate::statistics::{Counts, beta_interval, beta_posterior_greater, stratified_greater};
use serde::Serialize;
use std::collections::BTreeMap;

/// Minimum number of sessions with an outcome for a comparison.
pub const MIN_SESSIONS: usize = 5;
/// The probability that a recommended model is better than each other one must exceed this.
pub const MIN_PROBABILITY: f64 = 0.8;
/// The probability with which an interval contains the share of successes.
const LEVEL: f64 = 0.9;
/// Number of days after which a session counts half in comparisons.
const HALF_LIFE_DAYS: f64 = 90.0;
/// Lines to which findings are related.
const LINES: f64 = 1000.0;

/// A provider and a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Model {
    pub provider: String,
    pub model: String,
}

impl Model {
    fn from_record(record: &SessionRecord) -> Self {
        let named = |name: &str| if name.is_empty() { "unknown" } else { name }.to_owned();
        Self { provider: named(&record.provider), model: named(&record.model) }
    }

    /// Whether `text` names the model: `MODEL` or `PROVIDER/MODEL`, ignoring case.
    #[must_use]
    pub fn is_named(&self, text: &str) -> bool {
        let full = format!("{}/{}", self.provider, self.model);
        let text = text.trim();
        text.eq_ignore_ascii_case(&self.model) || text.eq_ignore_ascii_case(&full)
    }

    /// The name of a model as `PROVIDER/MODEL`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }
}

/// The sessions to consider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Only tasks of this domain.
    pub domain: Option<String>,
    /// Only tasks of this nature.
    pub nature: Option<String>,
}

impl TaskFilter {
    fn matches(&self, task: &TaskType) -> bool {
        let is_same = |wanted: &Option<String>, own: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(own))
        };
        is_same(&self.domain, &task.domain) && is_same(&self.nature, &task.nature)
    }
}

/// The share of sessions that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Successes divided by sessions with an outcome.
    pub value: f64,
    /// The ends of the interval that contains the true share with a probability of 90 %.
    pub low: f64,
    #[expect(missing_docs, reason = "documented with `low`")]
    pub high: f64,
}

/// The results of one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    /// Provider and name, as the client reports them.
    #[serde(flatten)]
    pub model: Model,
    /// The kind of task; `None` for all kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskType>,
    /// Number of sessions with the model and the kind of task.
    pub sessions: usize,
    /// Number of sessions with an outcome.
    pub rated: usize,
    /// Number of these that succeeded.
    pub successes: usize,
    /// `None` without a session that has an outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<Share>,
    /// Findings that were introduced in 1,000 edited lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings_per_thousand_lines: Option<f64>,
    /// Files and commits that were reverted.
    pub reverts: u32,
    /// Mean number of tokens of the sessions whose client reported them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<f64>,
    /// Mean cost in US dollars of the sessions whose client reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Mean duration in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
}

/// One row for each model, the one with the most sessions first; with `by_task`, one for each model
/// and kind of task.
#[must_use]
pub fn rows(records: &[SessionRecord], filter: &TaskFilter, by_task: bool) -> Vec<ModelRow> {
    let mut groups: BTreeMap<(Model, Option<TaskType>), Vec<&SessionRecord>> = BTreeMap::new();
    for record in records.iter().filter(|record| filter.matches(&record.task)) {
        let task = by_task.then(|| record.task.clone());
        groups.entry((Model::from_record(record), task)).or_default().push(record);
    }
    let mut rows: Vec<ModelRow> =
        groups.into_iter().map(|((model, task), records)| row(model, task, &records)).collect();
    rows.sort_by(|a, b| (b.sessions, &a.model, &a.task).cmp(&(a.sessions, &b.model, &b.task)));
    rows
}

fn row(model: Model, task: Option<TaskType>, records: &[&SessionRecord]) -> ModelRow {
    let outcomes: Vec<f64> = records.iter().filter_map(|record| record.success()).collect();
    let successes = outcomes.iter().filter(|success| **success > 0.5).count();
    let success = (!outcomes.is_empty()).then(|| {
        let (good, all) = (to_f64(successes), to_f64(outcomes.len()));
        let (low, high) = beta_interval(good, all, LEVEL);
        Share { value: good / all, low, high }
    });
    let lines: u64 = records.iter().filter_map(|record| record.edited_lines).sum();
    let introduced: u64 = records
        .iter()
        .flat_map(|record| record.rules.values())
        .map(|rule| u64::from(rule.introduced))
        .sum();
    let reverts = records.iter().filter_map(|record| record.outcome);
    ModelRow {
        model,
        task,
        sessions: records.len(),
        rated: outcomes.len(),
        successes,
        success,
        findings_per_thousand_lines: (lines > 0)
            .then(|| LINES * integer(introduced) / integer(lines)),
        reverts: reverts.map(|outcome| outcome.files_reverted + outcome.commits_reverted).sum(),
        tokens: mean(records.iter().filter_map(|record| {
            record.tokens.map(|tokens| integer(tokens.input + tokens.output))
        })),
        cost: mean(records.iter().filter_map(|record| record.cost)),
        minutes: mean(records.iter().filter_map(|record| record.minutes)),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / to_f64(count))
}

#[expect(clippy::cast_precision_loss, reason = "numbers of sessions")]
fn to_f64(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "numbers of lines and tokens")]
fn integer(count: u64) -> f64 {
    count as f64
}

/// Two models side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The model that is compared.
    pub model: Model,
    /// The model with which it is compared.
    pub other: Model,
    /// The probability that `model` succeeds more often than `other` in the same kinds of tasks;
    /// `None` if a side has fewer than [`MIN_SESSIONS`] sessions with an outcome in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Number of sessions with an outcome of `model` and of `other` in kinds of tasks that both did.
    pub compared: (usize, usize),
}

/// Compares two models. Only sessions with the same kind of task are compared, and older sessions
/// count less; `now` is in milliseconds since 1970.
#[must_use]
pub fn compare(
    records: &[SessionRecord],
    filter: &TaskFilter,
    (model, other): (&Model, &Model),
    now: i64,
) -> Comparison {
    let mut strata: BTreeMap<&TaskType, (Counts, usize, usize)> = BTreeMap::new();
    for record in records.iter().filter(|record| filter.matches(&record.task)) {
        let (of, Some(success)) = (Model::from_record(record), record.success()) else { continue };
        let weight = weight(record, now);
        let (counts, own, others) = strata.entry(&record.task).or_default();
        if of == *model {
            counts.with += weight;
            counts.with_successes += weight * success;
            *own += 1;
        } else if of == *other {
            counts.without += weight;
            counts.without_successes += weight * success;
            *others += 1;
        }
    }
    strata.retain(|_, (_, own, others)| *own > 0 && *others > 0);
    let compared =
        strata.values().fold((0, 0), |sum, (_, own, others)| (sum.0 + own, sum.1 + others));
    let counts: Vec<Counts> = strata.into_values().map(|(counts, ..)| counts).collect();
    let is_enough = compared.0.min(compared.1) >= MIN_SESSIONS;
    let probability = match &counts[..] {
        _ if !is_enough => None,
        [one] => Some(beta_posterior_greater(
            one.with_successes,
            one.with,
            one.without_successes,
            one.without,
            0.0,
        )),
        several => Some(stratified_greater(several, 0.0)),
    };
    Comparison { model: model.clone(), other: other.clone(), probability, compared }
}

fn weight(record: &SessionRecord, now: i64) -> f64 {
    const DAY_MS: f64 = 86_400_000.0;
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of some years")]
    let age = (now - record.ended_at).max(0) as f64;
    0.5_f64.powf(age / DAY_MS / HALF_LIFE_DAYS)
}

/// The model that does best, or why none is named.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recommendation {
    /// `None` if the data does not name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    /// The lowest probability that it is better than another model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// What is missing for a recommendation, or to consider a model, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The results that were considered.
    pub rows: Vec<ModelRow>,
}

/// Recommends a model for the tasks that `filter` selects, if it is better than each other model
/// with a probability above [`MIN_PROBABILITY`].
#[must_use]
pub fn recommend(records: &[SessionRecord], filter: &TaskFilter, now: i64) -> Recommendation {
    let mut rows = rows(records, filter, false);
    // A session whose model is unknown says nothing about a model.
    rows.retain(|row| row.model.model != "unknown");
    let mut missing = Vec::new();
    let (known, few): (Vec<&ModelRow>, Vec<&ModelRow>) =
        rows.iter().partition(|row| row.rated >= MIN_SESSIONS);
    for row in few {
        missing.push(format!(
            "{} has {} of {MIN_SESSIONS} sessions with an outcome",
            row.model.name(),
            row.rated
        ));
    }
    if known.len() < 2 {
        missing.insert(0, "fewer than 2 models have enough sessions to be compared".to_owned());
        return Recommendation { model: None, probability: None, missing, rows };
    }
    let share = |row: &ModelRow| row.success.map_or(0.0, |share| share.value);
    let best = known.iter().max_by(|a, b| share(a).total_cmp(&share(b)));
    let Some(best) = best.map(|best| best.model.clone()) else {
        return Recommendation { model: None, probability: None, missing, rows };
    };
    let mut lowest = 1.0_f64;
    let mut is_complete = true;
    for other in known.iter().filter(|row| row.model != best) {
        let comparison = compare(records, filter, (&best, &other.model), now);
        match comparison.probability {
            Some(probability) => lowest = lowest.min(probability),
            None => {
                is_complete = false;
                missing.push(format!(
                    "{} and {} have {} and {} sessions with an outcome in the same kinds of tasks, \
                     of {MIN_SESSIONS}",
                    best.name(),
                    other.model.name(),
                    comparison.compared.0,
                    comparison.compared.1
                ));
            }
        }
    }
    if is_complete && lowest <= MIN_PROBABILITY {
        missing.push(format!(
            "{} is ahead, but better than the others with a probability of only {:.0} %; above \
             {:.0} % are required",
            best.name(),
            100.0 * lowest,
            100.0 * MIN_PROBABILITY
        ));
    }
    let is_better = is_complete && lowest > MIN_PROBABILITY;
    Recommendation {
        model: is_better.then_some(best),
        probability: is_better.then_some(lowest),
        missing,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    /// Sessions of models: model, nature of the task, successes, failures.
    fn sessions(rows: &[(&str, &str, usize, usize)]) -> Vec<SessionRecord> {
        let mut records = Vec::new();
        for (model, nature, successes, failures) in rows {
            for n in 0..successes + failures {
                records.push(SessionRecord {
                    id: format!("{model}-{n}"),
                    ended_at: NOW,
                    provider: "p".to_owned(),
                    model: (*model).to_owned(),
                    task: TaskType { domain: "backend".to_owned(), nature: (*nature).to_owned() },
                    last_run_passed: Some(n < *successes),
                    edited_lines: Some(100),
                    minutes: Some(10.0),
                    ..SessionRecord::default()
                });
            }
        }
        records
    }

    fn recommended(rows: &[(&str, &str, usize, usize)]) -> String {
        let answer = recommend(&sessions(rows), &TaskFilter::default(), NOW);
        match answer.model.zip(answer.probability) {
            Some((model, probability)) => format!("{} {probability:.2}", model.name()),
            None => answer.missing.join("\n"),
        }
    }

    #[test]
    fn a_model_is_recommended_only_if_the_sessions_show_it() {
        insta::assert_snapshot!(
            [
                recommended(&[("a", "fix", 9, 1), ("b", "fix", 4, 6)]),
                recommended(&[("a", "fix", 6, 4), ("b", "fix", 5, 5)]),
                recommended(&[("a", "fix", 9, 1), ("b", "fix", 3, 1)]),
                recommended(&[("a", "fix", 10, 0)]),
                recommended(&[("a", "fix", 10, 0), ("b", "feature", 2, 8)]),
                recommended(&[("a", "fix", 9, 1), ("", "fix", 0, 20)]),
                recommended(&[]),
            ]
            .join("\n---\n")
        );
    }

    /// `b` only looks better in total, because it did the easier tasks.
    #[test]
    fn models_are_compared_within_the_same_kind_of_task() {
        let records = sessions(&[
            ("a", "easy", 18, 0),
            ("a", "hard", 18, 42),
            ("b", "easy", 52, 8),
            ("b", "hard", 2, 16),
        ]);
        let model = |name: &str| Model { provider: "p".to_owned(), model: name.to_owned() };
        let comparison = compare(&records, &TaskFilter::default(), (&model("a"), &model("b")), NOW);
        assert!(comparison.probability.is_some_and(|p| p > 0.9), "{comparison:?}");
        let all = rows(&records, &TaskFilter::default(), false);
        let share = |name: &str| {
            let row = all.iter().find(|row| row.model.model == name).expect("a row");
            row.success.expect("a share").value
        };
        assert!(share("a") < share("b"));
    }

    #[test]
    fn old_sessions_count_less() {
        let mut records = sessions(&[("a", "fix", 10, 0), ("b", "fix", 5, 5)]);
        let model = |name: &str| Model { provider: "p".to_owned(), model: name.to_owned() };
        let probability = |records: &[SessionRecord]| {
            compare(records, &TaskFilter::default(), (&model("a"), &model("b")), NOW).probability
        };
        let recent = probability(&records).expect("enough sessions");
        for record in &mut records {
            record.ended_at -= 300 * 86_400_000;
        }
        let old = probability(&records).expect("enough sessions");
        assert!(recent > old && old > 0.5, "{recent} {old}");
    }

    #[test]
    fn a_row_has_an_interval_and_figures() {
        let rows = rows(
            &sessions(&[("a", "fix", 8, 2), ("b", "fix", 1, 0)]),
            &TaskFilter::default(),
            true,
        );
        insta::assert_snapshot!(serde_json::to_string_pretty(&rows).expect("JSON"));
    }
}
