//! Finding memories again: a search that gives compact hits, what was remembered around one of
//! them, and whole entries for the few that are worth reading.

mod around;
mod dates;
pub(crate) mod index;
pub(crate) mod prepare;
mod rank;
mod search;
mod snippet;
mod stem;
mod terms;
pub mod texts;

use super::store::Layers;
use super::types::{Kind, Layer, Outcome, Status};
use serde::Serialize;

/// In which order hits are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchOrder {
    /// The best answer first.
    #[default]
    Relevance,
    /// The last made first.
    Newest,
    /// The first made first.
    Oldest,
}

/// What memories are compared by: there to measure what each is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Using {
    /// Words and meaning, fused.
    #[default]
    Both,
    /// The terms they share with the question.
    Words,
    /// How like the question their vectors are.
    Meaning,
}

/// What is asked of the memory. What is empty or `None` does not choose, except for the layers: every
/// reader names them, so there is no default.
#[derive(Clone, Debug)]
pub struct Question {
    /// The layers that are searched.
    pub layers: Layers,
    /// The question in any words. Empty: all that the filters leave, the newest first.
    pub text: String,
    /// Types.
    pub kinds: Vec<Kind>,
    /// Made at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Made before this time.
    pub until: Option<i64>,
    /// Of this branch.
    pub branch: Option<String>,
    /// Naming this file, by its path or the end of it.
    pub file: Option<String>,
    /// Of this session.
    pub session_id: Option<String>,
    /// Decisions with this outcome.
    pub outcome: Option<Outcome>,
    /// On this topic, as [`super::words::topic_key`] sees it.
    pub topic: Option<String>,
    /// Whether memories that a later one replaced are given too.
    pub with_superseded: bool,
    /// The order.
    pub order: SearchOrder,
    /// At most so many hits.
    pub limit: usize,
    /// Whether to tell how the hits were found.
    pub with_diagnostics: bool,
}

impl Question {
    /// All of these layers that was not replaced, the best ten answers.
    #[must_use]
    pub fn new(layers: Layers) -> Self {
        Self {
            layers,
            text: String::new(),
            kinds: Vec::new(),
            since: None,
            until: None,
            branch: None,
            file: None,
            session_id: None,
            outcome: None,
            topic: None,
            with_superseded: false,
            order: SearchOrder::Relevance,
            limit: 10,
            with_diagnostics: false,
        }
    }
}

/// A memory in a few words: enough to choose by, few enough to give many.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The memory.
    pub id: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Where it lives.
    pub layer: Layer,
    /// The branch it comes from, of what a session observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// How it begins.
    pub title: String,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Milliseconds since 1970.
    pub updated_at: i64,
    /// How it stands.
    pub status: Status,
    /// What came of it, of a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why it came so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_reason: Option<String>,
    /// The failed decision that it follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows_failed: Option<String>,
    /// The memory that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The rule that enforces it, of a convention or a mistake with a check that holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforced: Option<String>,
    /// From 0 to 1; 0 where nothing was asked in words.
    pub score: f64,
    /// The part that answers, as far as the title does not show it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub snippet: String,
}

/// What was found. Nothing is an answer too.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The hits, in the order asked for.
    pub hits: Vec<Hit>,
    /// How many memories fit, those beyond the limit too.
    pub matched: usize,
    /// Why the answer may be worse than it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
    /// How the hits were found, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Diagnostics>,
}

/// How hits were found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostics {
    /// What was looked for, as it is compared.
    pub terms: Vec<String>,
    /// How many memories were looked through.
    pub searched: usize,
    /// What each hit was found by.
    pub answers: Vec<Answer>,
}

/// What a hit was found by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// About 1 when all words of the question stand in it.
    pub words: f32,
    /// 0.5 for the memory that is nearest in meaning.
    pub meaning: f32,
}

/// A memory, and what was remembered before and after it, the oldest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// The memory that was asked for.
    pub anchor: Hit,
    /// Made before it.
    pub before: Vec<Hit>,
    /// Made after it.
    pub after: Vec<Hit>,
}
