//! Why the form `commit` of a page cannot be judged.

use super::demands::CASES;
use crate::forms::expression::{TOO_LARGE, last_line};
use crate::text::paths::GlobError;
use thiserror::Error;

/// What is wrong with the demands of the form `commit`.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CommitError {
    /// A glob is malformed.
    #[error("{0}")]
    Glob(#[from] GlobError),
    /// A glob of `change` has no text.
    #[error("a glob of `change` is empty")]
    EmptyGlob,
    /// The description of a commit is to have a case that nobody knows.
    #[error("`{0}` is no case of a description: {cases}", cases = CASES.join(", "))]
    Case(String),
    /// An expression is too large to run fast.
    #[error("`{0}`: {TOO_LARGE}")]
    TooLarge(String),
    /// An expression is malformed.
    #[error("`{text}` is no expression: {}", last_line(.why))]
    Expression {
        /// The expression.
        text: String,
        /// What is wrong with it.
        why: regex::Error,
    },
}
