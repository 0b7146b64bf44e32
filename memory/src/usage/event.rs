//! What the server and the hooks note during a session, in a short form: names, counts and times.

use super::name::Name;
use crate::outcomes::Check;
use aidd_engine::parse::lines::id;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of findings that an event names.
const MAX_FINDINGS: usize = 10;

/// The beginning of a hash, which identifies a path, a state of a file or a finding within a
/// session. The text cannot be recovered from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mark(u32);

impl Mark {
    /// The mark of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let digits = id::digest(&[text]);
        Self(digits.get(..8).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or_default())
    }

    /// The marks of the first ids of findings.
    #[must_use]
    pub fn from_findings<'a>(ids: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        ids.into_iter().take(MAX_FINDINGS).map(Self::new).collect()
    }
}

/// An event and its time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedEvent {
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// What was called, served, edited or run.
    pub event: Event,
}

/// Something that happened in a session. The names in the stored form are short, because there are
/// many events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A tool was called, a resource read or a prompt rendered.
    #[serde(rename = "c")]
    Call(Call),
    /// A page was served.
    #[serde(rename = "s")]
    Served(PageUse, Name),
    /// The task was classified: domain and nature.
    #[serde(rename = "t")]
    Task(Name, Name),
    /// A file was edited.
    #[serde(rename = "e")]
    Edit(Edit),
    /// Checks ran: whether they passed, and which ones.
    #[serde(rename = "r")]
    Run(bool, Vec<RunCheck>),
    /// What an earlier call of a tool returned was used: the tool, and the time of the call.
    #[serde(rename = "g")]
    Used(Name, i64),
    /// A session began: the provider and the model.
    #[serde(rename = "p")]
    Model(Name, Name),
    /// A memory was read in full or cited.
    #[serde(rename = "m")]
    Memory(Name),
}

/// The kind of a page that was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageUse {
    /// The page of a role.
    #[serde(rename = "r")]
    Role,
    /// A skill that is not a role.
    #[serde(rename = "s")]
    Skill,
    /// A page with the steps of a task.
    #[serde(rename = "w")]
    Workflow,
    /// An entry of the knowledge base.
    #[serde(rename = "k")]
    Knowledge,
}

/// A kind of check that ran, in the stored form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are those of `Check`")]
pub enum RunCheck {
    #[serde(rename = "t")]
    Tests,
    #[serde(rename = "l")]
    Lint,
    #[serde(rename = "y")]
    Types,
    #[serde(rename = "b")]
    Build,
}

impl From<Check> for RunCheck {
    fn from(check: Check) -> Self {
        match check {
            Check::Tests => Self::Tests,
            Check::Lint => Self::Lint,
            Check::Types => Self::Types,
            Check::Build => Self::Build,
        }
    }
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Name of the tool.
    #[serde(rename = "t")]
    pub tool: Name,
    /// Duration of the call in milliseconds.
    #[serde(rename = "m", default, skip_serializing_if = "is_zero")]
    pub millis: u32,
    /// Length of the answer in bytes.
    #[serde(rename = "b", default, skip_serializing_if = "is_zero")]
    pub bytes: u32,
    /// Length of the answer in tokens.
    #[serde(rename = "k", default, skip_serializing_if = "is_zero")]
    pub tokens: u32,
    /// Whether the call failed.
    #[serde(rename = "x", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// The findings that the answer names.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Mark>,
}

/// An edit of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The path relative to the root of the project.
    #[serde(rename = "p")]
    pub path: Mark,
    /// Lines that were added or changed.
    #[serde(rename = "n", default, skip_serializing_if = "is_zero")]
    pub lines: u32,
    /// The state of the file before the edit; `None` for a new file, or if it is unknown.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Mark>,
    /// The state after the edit.
    #[serde(rename = "w")]
    pub new: Mark,
    /// Findings in the file before and after the edit.
    #[serde(rename = "b", default, skip_serializing_if = "is_zero")]
    pub before: u32,
    #[serde(rename = "a", default, skip_serializing_if = "is_zero")]
    #[expect(missing_docs, reason = "documented with `before`")]
    pub after: u32,
    /// Findings of severity error before and after the edit.
    #[serde(rename = "y", default, skip_serializing_if = "is_zero")]
    pub errors_before: u32,
    #[serde(rename = "x", default, skip_serializing_if = "is_zero")]
    #[expect(missing_docs, reason = "documented with `errors_before`")]
    pub errors: u32,
    /// Findings by rule that the edit introduced, fixed and allowed.
    #[serde(rename = "r", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<Name, [u32; 3]>,
    /// The first findings that the edit introduced.
    #[serde(rename = "i", default, skip_serializing_if = "Vec::is_empty")]
    pub introduced: Vec<Mark>,
    /// The first findings that the edit fixed.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Mark>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "called by serde")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
