//! Why the form `tree` of a page cannot be judged.

use super::names::CASES;
use super::template::BUILT_IN;
use crate::text::captures::PatternError;
use thiserror::Error;

/// What is wrong with a check of the form `tree`.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TreeError {
    /// One of its paths is malformed.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// A capture has a name that is built in.
    #[error("`<{0}>` is built in: call the capture something else")]
    BuiltIn(String),
    /// A path has a name that nothing captures.
    #[error("`<{name}>` in `{text}` is captured by nothing in `each`: known are {}", known(.bound))]
    Unbound {
        /// The name.
        name: String,
        /// The path that has it.
        text: String,
        /// The names that are captured.
        bound: Vec<String>,
    },
    /// A missing file is to be created, and the page does not say with what.
    #[error("`fix: {{ create: true }}` needs a code block under `## Template`")]
    NoTemplate,
    /// A file is to be renamed, and the page does not say to what case.
    #[error("`fix: {{ rename: true }}` needs a case in `name` to rename to")]
    NoCase,
    /// What names have to be like is neither a case nor an expression.
    #[error(
        "`{0}` is no case: one of {cases}, `/an expression/`, `!/an expression/`, or a case and \
         `/an expression/`",
        cases = CASES.map(|(name, _)| name).join(", ")
    )]
    Case(String),
    /// An expression for names is malformed.
    #[error("name `{text}`: {why}")]
    Expression {
        /// The expression as the page has it.
        text: String,
        /// What is wrong with it.
        why: regex::Error,
    },
}

fn known(bound: &[String]) -> String {
    let known: Vec<&str> = bound.iter().map(String::as_str).chain(BUILT_IN).collect();
    known.join(", ")
}
