//! Errors of `aidd rule suggest` and `aidd rule coverage`.

use super::draft::MAX_DRAFT;
use super::statement::MAX_SENTENCE;
use aidd_engine::check::EngineError;
use aidd_engine::text::paths::GlobError;
use aidd_engine::workspace::project::ProjectError;
use std::io;
use thiserror::Error;

/// The reason why documents, a sentence or a draft cannot be processed.
#[derive(Debug, Error)]
pub enum SuggestError {
    /// The configuration is invalid.
    #[error("{0}")]
    Project(#[from] ProjectError),
    /// The rules of the project cannot run together with the draft.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// A document passed by path cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The path of the document.
        path: String,
        /// The I/O error.
        source: io::Error,
    },
    /// The sentence has no words.
    #[error("the sentence is empty")]
    EmptySentence,
    /// The sentence is longer than [`MAX_SENTENCE`].
    #[error("the sentence has more than {MAX_SENTENCE} characters")]
    LongSentence,
    /// The draft is empty.
    #[error("the draft is empty")]
    EmptyDraft,
    /// The draft is longer than the maximum length of a rule page.
    #[error("the draft is larger than {} KiB", MAX_DRAFT >> 10)]
    LongDraft,
    /// A glob of the configuration is malformed.
    #[error("{0}")]
    Walk(#[from] GlobError),
}

impl SuggestError {
    /// The remedy, in the imperative; empty if the message contains it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Project(_) | Self::Engine(_) | Self::Walk(_) => "",
            Self::Read { .. } => "pass the path of a text file of the project",
            Self::EmptySentence => "state a requirement, for example: Never use `eval()`",
            Self::LongSentence => "pass one sentence at a time, or the path of a document",
            Self::EmptyDraft => "pass a rule page, or its header",
            Self::LongDraft => "pass one rule page with short examples",
        }
    }
}
