//! The figures of one session: names, counts and times, never text.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Maximum number of tool names in [`SessionRecord::sequence`].
pub const MAX_SEQUENCE: usize = 200;

/// What was recorded of one session. A record has names and figures only: nothing in it identifies a
/// person or contains text of the project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionRecord {
    /// Id of the session.
    pub id: String,
    /// When the session ended, in milliseconds since 1970; 0 if it has not ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub ended_at: i64,
    /// Provider of the model, such as `anthropic`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// The model, as its client names it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// What kind of task it was.
    #[serde(skip_serializing_if = "TaskType::is_unknown")]
    pub task: TaskType,
    /// Roles that were served or used, with the number of times.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, u32>,
    /// Skills that were served or used.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skills: BTreeMap<String, u32>,
    /// Workflows that were served or used.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub workflows: BTreeMap<String, u32>,
    /// Knowledge entries that were served or used.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub knowledge: BTreeMap<String, u32>,
    /// Tool calls by name of the tool.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolUse>,
    /// Names of the tools in the order of the calls; repeated calls count once, at most
    /// [`MAX_SEQUENCE`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sequence: Vec<String>,
    /// Findings by the id of their rule.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, RuleUse>,
    /// Runs of tests, builds and linters.
    #[serde(skip_serializing_if = "Runs::is_empty")]
    pub runs: Runs,
    /// Whether the last run passed; `None` if nothing was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run_passed: Option<bool>,
    /// How the session ended; `None` if that is unknown, for example after it only answered questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Lines that were added or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_lines: Option<u64>,
    /// Tokens, where the client reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Cost in US dollars, where the client reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Tokens that were spent on what the session learned, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery_tokens: Option<u64>,
    /// Duration of the session in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
    /// Memories that were read in full or cited, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub memories: BTreeMap<String, u32>,
}

/// What kind of task a session worked on: only sessions of the same kind are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskType {
    /// The field of the work, such as `backend`.
    pub domain: String,
    /// The kind of the work, such as `bugfix`.
    pub nature: String,
}

/// The calls of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolUse {
    /// Number of all calls of the tool.
    pub calls: u32,
    /// Calls that returned an error.
    pub errors: u32,
    /// Calls whose result proved useful.
    pub good: u32,
    /// Calls that failed, or whose advice was reverted.
    pub bad: u32,
    /// Total duration in milliseconds.
    pub millis: u64,
    /// Total size of the answers in bytes.
    pub bytes: u64,
    /// Total size of the answers in tokens.
    pub tokens: u64,
}

/// The findings of one rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RuleUse {
    /// Findings that edits introduced.
    pub introduced: u32,
    /// Findings that edits fixed.
    pub fixed: u32,
    /// Findings that were allowed with a comment.
    pub allowed: u32,
    /// Findings whose change was reverted.
    pub reverted: u32,
}

impl AddAssign for ToolUse {
    fn add_assign(&mut self, other: Self) {
        let Self { calls, errors, good, bad, millis, bytes, tokens } = other;
        self.calls += calls;
        self.errors += errors;
        self.good += good;
        self.bad += bad;
        self.millis += millis;
        self.bytes += bytes;
        self.tokens += tokens;
    }
}

impl AddAssign for RuleUse {
    fn add_assign(&mut self, other: Self) {
        let Self { introduced, fixed, allowed, reverted } = other;
        self.introduced += introduced;
        self.fixed += fixed;
        self.allowed += allowed;
        self.reverted += reverted;
    }
}

/// Runs of tests, builds and linters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Runs {
    pub passed: u32,
    pub failed: u32,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Outcome {
    /// Findings in the edited files before the session.
    pub findings_start: u32,
    /// Findings in the edited files at its end.
    pub findings_end: u32,
    /// Those of severity error.
    pub errors_left: u32,
    /// Edited files that were at the end as they were before the session.
    pub files_reverted: u32,
    /// Edited files that were edited again later in the session.
    pub files_reworked: u32,
    /// Commits of the session that were reverted with Git, also later.
    pub commits_reverted: u32,
    /// The rating of the person: 1 good, -1 bad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<i8>,
}

/// Tokens of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
}

fn is_zero(at: &i64) -> bool {
    *at == 0
}

impl TaskType {
    /// `domain/nature`; empty if neither is known.
    #[must_use]
    pub fn name(&self) -> String {
        match (self.domain.as_str(), self.nature.as_str()) {
            ("", nature) => nature.to_owned(),
            (domain, "") => domain.to_owned(),
            (domain, nature) => format!("{domain}/{nature}"),
        }
    }

    /// Whether neither part is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.domain.is_empty() && self.nature.is_empty()
    }
}

impl Runs {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl SessionRecord {
    /// 0 if something failed: the last run, a revert, a finding of severity error that was left, or the
    /// person was dissatisfied. Otherwise 1 if the last run passed or the person was satisfied.
    /// Otherwise `None`: without a test, a session without faults proves nothing and does not count.
    #[must_use]
    pub fn success(&self) -> Option<f64> {
        let outcome = self.outcome.unwrap_or_default();
        let feedback = outcome.feedback.unwrap_or_default();
        let has_failed = self.last_run_passed == Some(false)
            || outcome.errors_left > 0
            || outcome.files_reverted > 0
            || outcome.commits_reverted > 0
            || feedback < 0;
        if has_failed {
            return Some(0.0);
        }
        (self.last_run_passed == Some(true) || feedback > 0).then_some(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_record_is_small_and_has_no_outcome() {
        let record = SessionRecord { id: "s1".to_owned(), ..SessionRecord::default() };
        assert_eq!(serde_json::to_string(&record).expect("JSON"), r#"{"id":"s1"}"#);
        assert_eq!(record.success(), None);
    }

    #[test]
    fn a_session_succeeds_if_the_last_run_passed_and_nothing_was_reverted() {
        let record = |json: &str| serde_json::from_str::<SessionRecord>(json).expect("a record");
        let cases = [
            (r#"{"lastRunPassed":true}"#, Some(1.0)),
            (r#"{"lastRunPassed":false}"#, Some(0.0)),
            (r#"{"outcome":{}}"#, None),
            (r#"{"outcome":{"feedback":1}}"#, Some(1.0)),
            (r#"{"outcome":{"errorsLeft":1},"lastRunPassed":true}"#, Some(0.0)),
            (r#"{"outcome":{"commitsReverted":1}}"#, Some(0.0)),
            (r#"{"outcome":{"feedback":-1}}"#, Some(0.0)),
            (r#"{"runs":{"passed":1}}"#, None),
        ];
        for (json, expected) in cases {
            assert_eq!(record(json).success(), expected, "{json}");
        }
    }
}
