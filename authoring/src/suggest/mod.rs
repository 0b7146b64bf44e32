//! From a sentence to a check: finds where the team's documents contain the sentence, which rules
//! already enforce it, and which forms of check could enforce it; then validates the draft of a
//! page.
//!
//! Checks are not derived from prose. A person or a model writes the page; [`try_draft`] validates the
//! page, runs its examples and runs it on the project.

mod documents;
mod draft;
mod enforcers;
mod error;
mod forms;
mod languages;
mod peers;
mod related;
pub mod report;
mod requirement;
mod sentences;
mod statement;
mod survey;
#[cfg(test)]
mod tests;
pub(crate) mod trial;

pub use draft::{Draft, DraftReport, Examples, Problem, SeverityAdvice, try_draft};
pub use enforcers::Coverage;
pub use error::SuggestError;
pub use forms::{FORMS, FormHint};
pub use related::RelatedRule;
pub use sentences::{EXPORT_MARKERS, Sentence, extract_sentences};
pub use statement::{MAX_SENTENCE, Statement, describe_sentence};
pub use survey::{Counts, Place, StatedSentence, Survey, run_survey};
pub use trial::{Limit, Sample, Trial};
