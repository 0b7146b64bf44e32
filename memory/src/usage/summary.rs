//! Figures of all sessions together: tools, rules, pages and lifecycles.

use crate::MemoryError;
use crate::lifecycle::PHASES;
use crate::project::ProjectMemory;
use crate::records::Lifecycle;
use crate::times::millis;
use aidd_evolution::SessionRecord;
use aidd_evolution::record::{RuleUse, ToolUse};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::AddAssign;

const DAY_MS: i64 = 86_400_000;
/// Number of weeks in a trend.
pub const WEEKS: usize = 12;

/// Numbers per week, the current week last.
pub type Trend = [u32; WEEKS];

/// The figures of a period.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Numbers, durations and outcomes of sessions.
    pub sessions: SessionFigures,
    /// Tools, resources and prompts; the one with the most calls first.
    pub tools: Vec<ToolFigures>,
    /// Rules; the one with the most introduced findings first.
    pub rules: Vec<RuleFigures>,
    /// Pages that were served; the one that most sessions used first.
    pub pages: Vec<PageFigures>,
}

/// The sessions of a period.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionFigures {
    /// Number of sessions in the period.
    pub count: usize,
    /// Number of sessions with an outcome.
    pub rated: usize,
    /// Number of these that succeeded.
    pub successes: usize,
    /// Runs of checks that passed, and that failed.
    pub runs_passed: u32,
    #[expect(missing_docs, reason = "documented with `runs_passed`")]
    pub runs_failed: u32,
    /// Lines that were edited.
    pub edited_lines: u64,
    /// Files that were reverted within a session.
    pub files_reverted: u32,
    /// Commits that were reverted with Git.
    pub commits_reverted: u32,
    /// Tokens, if a client reported them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost in US dollars, if a client reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Number of sessions in each week.
    pub trend: Trend,
}

/// The calls of one tool, resource or prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are self-explanatory, see `ToolUse`")]
pub struct ToolFigures {
    pub name: String,
    pub sessions: usize,
    pub calls: u32,
    pub errors: u32,
    pub good: u32,
    pub bad: u32,
    /// Mean duration of a call in milliseconds.
    pub mean_millis: f64,
    /// Mean number of tokens of an answer.
    pub mean_tokens: f64,
    /// Mean length of an answer in bytes.
    pub mean_bytes: f64,
    /// Number of calls in each week.
    pub trend: Trend,
}

/// The findings of one rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are self-explanatory, see `RuleUse`")]
pub struct RuleFigures {
    pub rule: String,
    pub sessions: usize,
    pub introduced: u32,
    pub fixed: u32,
    pub allowed: u32,
    pub reverted: u32,
    /// Introduced findings per week.
    pub trend: Trend,
}

/// The use of one page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageFigures {
    /// `role`, `skill`, `workflow`, `knowledge` or `memory`.
    pub kind: &'static str,
    /// The name of the page, or the id of the memory.
    pub name: String,
    /// How often it was served.
    pub served: u32,
    /// Number of sessions that used it.
    pub sessions: usize,
    /// Number of these with an outcome.
    pub rated: usize,
    /// Number of these that succeeded.
    pub successes: usize,
    /// Tokens that these sessions spent on what they learned, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery_tokens: Option<u64>,
}

/// The lifecycles of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleFigures {
    /// Number of features in progress.
    pub active: usize,
    /// Number of completed features.
    pub completed: usize,
    /// Number of abandoned features.
    pub abandoned: usize,
    /// The phases, in order.
    pub phases: Vec<PhaseFigures>,
}

/// What happened in one phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseFigures {
    /// The name of the phase.
    pub phase: &'static str,
    /// How often it was entered.
    pub entered: usize,
    /// How often it was completed although criteria were not met.
    pub forced: usize,
    /// Number of features that are in this phase.
    pub current: usize,
    /// Median number of days until it was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_days: Option<f64>,
}

/// The mean of `sum` over `count` values.
#[expect(clippy::cast_precision_loss, reason = "rounded for display")]
fn mean(sum: u64, count: u32) -> f64 {
    (10.0 * sum as f64 / f64::from(count.max(1))).round() / 10.0
}

/// The position in a trend; `None` if the time is outside of it.
fn week(record: &SessionRecord, now: i64) -> Option<usize> {
    let at = if record.ended_at == 0 { now } else { record.ended_at };
    let weeks_ago = usize::try_from((now - at).max(0) / (7 * DAY_MS)).ok()?;
    (WEEKS - 1).checked_sub(weeks_ago)
}

impl Summary {
    /// Summarizes the sessions that ended at most `days` days before `now`, and open sessions.
    #[must_use]
    pub fn new(records: &[SessionRecord], days: i64, now: i64) -> Self {
        let is_recent = |record: &&SessionRecord| {
            record.ended_at == 0 || now - record.ended_at <= days * DAY_MS
        };
        let mut tools: BTreeMap<&str, Total<ToolUse>> = BTreeMap::new();
        let mut rules: BTreeMap<&str, Total<RuleUse>> = BTreeMap::new();
        let mut pages: BTreeMap<(&'static str, &str), PageFigures> = BTreeMap::new();
        let mut sessions = SessionFigures::default();
        for record in records.iter().filter(is_recent) {
            let week = week(record, now);
            sessions.add(record, week);
            for (name, own) in &record.tools {
                tools.entry(name).or_default().add(*own, week, own.calls);
            }
            for (name, own) in &record.rules {
                rules.entry(name).or_default().add(*own, week, own.introduced);
            }
            for (kind, used) in [
                ("role", &record.roles),
                ("skill", &record.skills),
                ("workflow", &record.workflows),
                ("knowledge", &record.knowledge),
                ("memory", &record.memories),
            ] {
                for (name, count) in used {
                    let page = pages.entry((kind, name)).or_default();
                    page.served += count;
                    page.sessions += 1;
                    page.rated += usize::from(record.success().is_some());
                    page.successes += usize::from(record.success() == Some(1.0));
                    if let Some(tokens) = record.discovery_tokens {
                        *page.discovery_tokens.get_or_insert_default() += tokens;
                    }
                }
            }
        }
        let mut tools: Vec<ToolFigures> = tools.into_iter().map(ToolFigures::from).collect();
        tools.sort_by_key(|tool| Reverse(tool.calls));
        let mut rules: Vec<RuleFigures> = rules.into_iter().map(RuleFigures::from).collect();
        rules.sort_by_key(|rule| Reverse((rule.introduced, rule.allowed, rule.fixed)));
        let named = |((kind, name), page): ((&'static str, &str), PageFigures)| PageFigures {
            kind,
            name: name.to_owned(),
            ..page
        };
        let mut pages: Vec<PageFigures> = pages.into_iter().map(named).collect();
        pages.sort_by_key(|page| Reverse((page.sessions, page.served, page.discovery_tokens)));
        Self { sessions, tools, rules, pages }
    }
}

/// A sum over sessions, and a count per week.
#[derive(Default)]
struct Total<T> {
    sum: T,
    sessions: usize,
    trend: Trend,
}

impl<T: AddAssign> Total<T> {
    fn add(&mut self, own: T, week: Option<usize>, count: u32) {
        self.sum += own;
        self.sessions += 1;
        if let Some(week) = week {
            self.trend[week] += count;
        }
    }
}

impl From<(&str, Total<ToolUse>)> for ToolFigures {
    fn from((name, Total { sum, sessions, trend }): (&str, Total<ToolUse>)) -> Self {
        let ToolUse { calls, errors, good, bad, millis, bytes, tokens } = sum;
        Self {
            name: name.to_owned(),
            sessions,
            calls,
            errors,
            good,
            bad,
            mean_millis: mean(millis, calls),
            mean_tokens: mean(tokens, calls),
            mean_bytes: mean(bytes, calls),
            trend,
        }
    }
}

impl From<(&str, Total<RuleUse>)> for RuleFigures {
    fn from((name, Total { sum, sessions, trend }): (&str, Total<RuleUse>)) -> Self {
        let RuleUse { introduced, fixed, allowed, reverted } = sum;
        Self { rule: name.to_owned(), sessions, introduced, fixed, allowed, reverted, trend }
    }
}

impl SessionFigures {
    fn add(&mut self, record: &SessionRecord, week: Option<usize>) {
        self.count += 1;
        self.rated += usize::from(record.success().is_some());
        self.successes += usize::from(record.success() == Some(1.0));
        self.runs_passed += record.runs.passed;
        self.runs_failed += record.runs.failed;
        self.edited_lines += record.edited_lines.unwrap_or_default();
        if let Some(outcome) = record.outcome {
            self.files_reverted += outcome.files_reverted;
            self.commits_reverted += outcome.commits_reverted;
        }
        if let Some(tokens) = record.tokens {
            *self.tokens.get_or_insert_default() += tokens.input + tokens.output;
        }
        if let Some(cost) = record.cost {
            *self.cost.get_or_insert_default() += cost;
        }
        if let Some(week) = week {
            self.trend[week] += 1;
        }
    }
}

impl ProjectMemory {
    /// The figures of all lifecycles.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn lifecycle_figures(&mut self) -> Result<LifecycleFigures, MemoryError> {
        Ok(lifecycle_figures(&self.lifecycles(None, usize::MAX)?))
    }
}

fn lifecycle_figures(lifecycles: &[Lifecycle]) -> LifecycleFigures {
    let count = |status: &str| lifecycles.iter().filter(|it| it.status == status).count();
    let phase = |name: &'static str| {
        let passed = lifecycles.iter().flat_map(|lifecycle| &lifecycle.phases);
        let passed: Vec<_> = passed.filter(|phase| phase.name == name).collect();
        let mut durations: Vec<i64> = passed
            .iter()
            .filter_map(|phase| {
                Some(millis(phase.exited_at.as_ref()?)? - millis(&phase.entered_at)?)
            })
            .collect();
        durations.sort_unstable();
        let is_here = |lifecycle: &&Lifecycle| {
            lifecycle.status == "active" && lifecycle.current_phase == name
        };
        PhaseFigures {
            phase: name,
            entered: passed.len(),
            forced: passed.iter().filter(|phase| phase.forced.is_some()).count(),
            current: lifecycles.iter().filter(is_here).count(),
            median_days: durations.get(durations.len() / 2).map(|millis| days(*millis)),
        }
    };
    LifecycleFigures {
        active: count("active"),
        completed: count("completed"),
        abandoned: count("abandoned"),
        phases: PHASES.iter().map(|it| phase(it.name)).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "rounded to a tenth of a day")]
fn days(millis: i64) -> f64 {
    (10.0 * millis as f64 / DAY_MS as f64).round() / 10.0
}
