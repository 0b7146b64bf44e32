//! Search in three steps: a search that returns compact hits, the memories created before and after
//! a hit, and complete entries for the few hits that are worth reading.

mod bm25;
mod dates;
mod docs;
mod filters;
mod first;
pub(crate) mod index;
mod meaning;
pub mod naming;
mod periods;
pub(crate) mod prepare;
mod rank;
mod search;
mod snippet;
pub mod texts;
mod timeline;
mod word_vectors;
mod wording;

use super::store::Layers;
use super::types::{Kind, Layer, Outcome, Status};
use serde::Serialize;

/// Order of the hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchOrder {
    /// Best match first.
    #[default]
    Relevance,
    /// Last created first.
    Newest,
    /// First created first.
    Oldest,
}

/// The features by which memories are compared with a question. They can be selected to measure the
/// value of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchFeatures {
    /// Words and meaning combined.
    #[default]
    Both,
    /// Terms shared with the question.
    Words,
    /// Similarity of the vectors.
    Meaning,
}

/// Maximum number of other wordings of a question that are searched for.
pub const MAX_WORDINGS: usize = 4;

/// A search query. Empty and `None` fields do not filter. The layers have no default: every caller
/// must choose them.
#[derive(Clone, Debug)]
pub struct Question {
    /// Layers to search: permanent memories, memories of this checkout, observations of sessions.
    pub layers: Layers,
    /// The question in free text. If it is empty, everything that passes the filters is returned,
    /// newest first.
    pub text: String,
    /// Other wordings of the same question, at most [`MAX_WORDINGS`], such as the terms that the
    /// author of a memory would have used. Each counts as much as `text`. They are ignored if `text` is
    /// empty.
    pub wordings: Vec<String>,
    /// Types to include.
    pub kinds: Vec<Kind>,
    /// Created at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Created before this time, in milliseconds since 1970.
    pub until: Option<i64>,
    /// Branch on which the memories were recorded.
    pub branch: Option<String>,
    /// File that the memories name, as a path or a part of a path.
    pub file: Option<String>,
    /// Session in which the memories were recorded.
    pub session_id: Option<String>,
    /// Outcome of decisions.
    pub outcome: Option<Outcome>,
    /// Topic, normalised by [`super::words::topic_key`].
    pub topic: Option<String>,
    /// Whether to include superseded memories.
    pub with_superseded: bool,
    /// Order of the hits.
    pub order: SearchOrder,
    /// Maximum number of hits.
    pub limit: usize,
    /// Whether to return diagnostics.
    pub with_diagnostics: bool,
}

impl Question {
    /// A query for these layers, without superseded memories, with at most ten hits.
    #[must_use]
    pub fn new(layers: Layers) -> Self {
        Self {
            layers,
            text: String::new(),
            wordings: Vec::new(),
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

/// A memory in compact form: detailed enough to select from, short enough to return many.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// Id of the memory.
    pub id: String,
    /// Type of the memory.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Layer of the memory.
    pub layer: Layer,
    /// The branch on which a session's observation was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The session in which the memory was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The beginning of the content.
    pub title: String,
    /// Topic of the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Creation time, in milliseconds since 1970.
    pub created_at: i64,
    /// Time of the last change, in milliseconds since 1970.
    pub updated_at: i64,
    /// Status of the memory.
    pub status: Status,
    /// Outcome of a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why the decision turned out that way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_reason: Option<String>,
    /// The failed decision that this memory is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows_failed: Option<String>,
    /// The memory that superseded this memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The rule that runs this memory's check, if it is an active convention or mistake with a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforced: Option<String>,
    /// Score from 0 to 1; 0 without a question. Hits are ordered by it.
    pub score: f64,
    /// Probability that the memory answers the question, from 0 to 1; `None` without a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The part that matches the question, unless the title shows it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub snippet: String,
}

impl Hit {
    /// Whether the memory can be an answer to the question: see [`Certainty::Possible`].
    #[must_use]
    pub fn is_possible(&self) -> bool {
        self.confidence.is_some_and(|confidence| confidence >= MIN_POSSIBLE)
    }
}

/// How sure a search is that its best hit answers the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// No memory is close to the question.
    None,
    /// The best hit can be an answer.
    Possible,
    /// The best hit is probably an answer.
    Close,
}

impl Certainty {
    /// The certainty of a hit with this confidence. On the tuning half of `tests/retrieval`, the
    /// first hit answers 17 % of the questions whose certainty is [`Self::None`].
    #[must_use]
    pub fn from_confidence(confidence: f64) -> Self {
        match confidence {
            c if c >= MIN_CLOSE => Self::Close,
            c if c >= MIN_POSSIBLE => Self::Possible,
            _ => Self::None,
        }
    }

    /// The certainty as it is printed with the hits; `None` if the best hit is close.
    #[must_use]
    pub fn note(self) -> Option<&'static str> {
        match self {
            Self::None => Some("no close match; the memories below are the nearest"),
            Self::Possible => Some("the best match is uncertain"),
            Self::Close => None,
        }
    }
}

/// Minimum confidence of a close match.
const MIN_CLOSE: f64 = 0.6;
/// Minimum confidence of a possible match.
const MIN_POSSIBLE: f64 = 0.25;

/// Result of a search; can be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The hits in the requested order.
    pub hits: Vec<Hit>,
    /// Number of matching memories, including those beyond the limit.
    pub matched: usize,
    /// How sure the search is of its best hit; `None` without a question or a hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// Why the result can be incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
    /// How the hits were found, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Diagnostics>,
}

/// Diagnostics of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostics {
    /// The terms that were searched for.
    pub terms: Vec<String>,
    /// Number of memories that were searched.
    pub searched: usize,
    /// The partial scores of each hit.
    pub answers: Vec<PartialScores>,
}

/// The partial scores of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartialScores {
    /// Word score: about 1 when the memory contains all words of the question.
    pub words: f32,
    /// Meaning score: at most 1.7 for the similarity of the texts and their parts, plus 2.4 for that of
    /// single words.
    pub meaning: f32,
}

/// A memory, and the memories created before and after it, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// The requested memory.
    pub anchor: Hit,
    /// Memories created before the requested memory.
    pub before: Vec<Hit>,
    /// Memories created after the requested memory.
    pub after: Vec<Hit>,
}
