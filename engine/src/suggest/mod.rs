//! From a sentence to a check: what a page, AGENTS.md or CONTRIBUTING demands in words, drafted as
//! the header of a rule page. Nothing here is certain: a draft is tried on the project and shown
//! before anybody takes it.

mod drafts;
mod sentences;
mod shapes;
#[cfg(test)]
mod tests;

pub use drafts::page;
pub use sentences::{Sentence, sentences};

/// What became of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A check that says the same, as far as words can be trusted.
    Draft(Draft),
    /// It asks for something to be run: an agent's hook or a step of CI does that, no check.
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
    /// A line that should break the rule, and the path it would stand in; empty when the form has
    /// none.
    pub fails: Option<(String, String)>,
}

/// How surely a check says what its sentence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
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
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What is known of the project that sentences speak of.
pub struct Ground<'a> {
    /// Its files, from the root, with `/`.
    pub paths: &'a [String],
    /// Whether a file's text holds a word; asked for few words, of files of code only.
    pub holds: &'a dyn Fn(&str, &str) -> bool,
}

impl std::fmt::Debug for Ground<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ground").field("paths", &self.paths.len()).finish_non_exhaustive()
    }
}

/// What a sentence comes to.
#[must_use]
pub fn verdict(sentence: &Sentence, ground: &Ground<'_>) -> Verdict {
    shapes::SHAPES
        .iter()
        .find_map(|shape| shape.read(sentence, ground))
        .unwrap_or(Verdict::Guidance)
}
