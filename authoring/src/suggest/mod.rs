//! From a sentence to a check: what a page, AGENTS.md or CONTRIBUTING demands in words, drafted as
//! the header of a rule page. Nothing here is certain: a draft is tried on the project, proved by
//! examples and shown before anybody takes it.

mod calls;
mod code;
mod commits;
mod drafts;
mod elsewhere;
mod ground;
mod hedges;
mod imports;
mod korean;
mod marks;
mod open;
mod own;
mod page;
mod places;
mod proof;
mod scope;
mod sentences;
mod shapes;
mod survey;
mod swap;
#[cfg(test)]
mod tests;
mod topics;
mod trial;
mod words;

pub use ground::Ground;
pub use page::with_check;
pub use places::{is_place, places};
pub use sentences::{EXPORTED, Sentence, sentences};
pub use survey::{Asked, Bounds, Count, Outcome, Suggestion, Survey, Told, survey};
pub use trial::{Catch, Caught};

/// What became of a sentence, by its words alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A check that says the same, as far as words can be trusted.
    Draft(Draft),
    /// It asks for something to be done or run: an agent's hook or a step of CI does that, no check.
    Run(String),
    /// No check can tell whether it is kept.
    Guidance,
}

/// A check drafted from a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// `project/kebab-name`.
    pub id: String,
    /// The value of `check:`, as it will stand in the header.
    pub check: serde_json::Value,
    /// What a finding says.
    pub message: String,
    /// How surely the check says what the sentence does.
    pub trust: Trust,
    /// What should break the rule, the likeliest first; each is tried before it is an example.
    pub fails: Vec<Sample>,
    /// What should keep it.
    pub passes: Vec<Sample>,
}

/// The files of an example.
pub type Sample = Vec<Block>;

/// A file of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its path.
    pub path: String,
    /// Its text.
    pub text: String,
    /// How often the text stands in it.
    pub times: u64,
}

impl Block {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), times: 1 }
    }

    /// An example of one file.
    fn alone(path: impl Into<String>, text: impl Into<String>) -> Sample {
        vec![Self::new(path, text)]
    }
}

/// How surely a check says what its sentence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// The code contradicts the sentence: it is not meant as the check reads it, or nobody keeps it.
    Low,
    /// The sentence may mean more, or something else.
    Medium,
    /// The shape of the sentence has one meaning.
    High,
}

impl Trust {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What a sentence comes to, by its words.
#[must_use]
pub fn verdict(sentence: &Sentence, ground: &Ground) -> Verdict {
    shapes::read(sentence, ground).unwrap_or(Verdict::Guidance)
}

/// Whether a draft may come of the sentence: cheap, for offers.
#[must_use]
pub fn may_draft(sentence: &Sentence) -> bool {
    shapes::may_draft(sentence)
}
