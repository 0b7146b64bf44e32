//! Why nothing could be reported.

use super::draft::MAX_DRAFT;
use super::statement::MAX_SENTENCE;
use aidd_engine::check::EngineError;
use aidd_engine::text::paths::GlobError;
use aidd_engine::workspace::project::ProjectError;
use std::io;
use thiserror::Error;

/// Why a survey, a sentence or a draft could not be looked at.
#[derive(Debug, Error)]
pub enum SuggestError {
    /// The configuration does not hold.
    #[error("{0}")]
    Project(#[from] ProjectError),
    /// The rules of the project cannot be run together with the draft.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// A document that was named cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// Its path.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// The sentence has no words.
    #[error("the sentence is empty")]
    EmptySentence,
    /// The sentence is longer than [`MAX_SENTENCE`].
    #[error("the sentence has more than {MAX_SENTENCE} characters")]
    LongSentence,
    /// The draft has no text.
    #[error("the draft is empty")]
    EmptyDraft,
    /// The draft is longer than a rule page may be.
    #[error("the draft has more than {} KiB", MAX_DRAFT >> 10)]
    LongDraft,
    /// A glob of the configuration is malformed.
    #[error("{0}")]
    Walk(#[from] GlobError),
}

impl SuggestError {
    /// What to do about it, in the imperative; empty where the message says it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Project(_) | Self::Engine(_) | Self::Walk(_) => "",
            Self::Read { .. } => "name a text file of the project",
            Self::EmptySentence => "state what must or must not be: Never use `eval()`",
            Self::LongSentence => "pass one sentence at a time, or name the document",
            Self::EmptyDraft => "pass a rule page, or its header",
            Self::LongDraft => "pass one rule page with short examples",
        }
    }
}
