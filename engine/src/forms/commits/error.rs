//! Errors in the `commit` check of a page.

use super::requirements::CASES;
use crate::forms::expression::{TOO_LARGE, last_line};
use crate::text::paths::GlobError;
use thiserror::Error;

/// Why a `commit` check cannot be compiled.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CommitError {
    /// A glob is malformed.
    #[error("{0}")]
    Glob(#[from] GlobError),
    /// A glob of `change` is the empty string.
    #[error("a glob of `change` is empty")]
    EmptyGlob,
    /// Unknown value of `case` for a description.
    #[error(
        "unknown case `{0}` for a description; expected one of {cases}",
        cases = CASES.join(", ")
    )]
    Case(String),
    /// An expression exceeds the size limit for compiled expressions.
    #[error("`{0}`: {TOO_LARGE}")]
    TooLarge(String),
    /// An expression is malformed.
    #[error("`{text}` is not a valid expression: {}", last_line(.why))]
    Expression {
        /// The expression as written in the page.
        text: String,
        /// The error of the regex parser.
        why: regex::Error,
    },
}
