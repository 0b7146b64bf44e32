//! Errors in the `tree` check of a page.

use super::names::CASES;
use super::template::BUILT_IN;
use crate::text::captures::PatternError;
use thiserror::Error;

/// Why a `tree` check cannot be compiled.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TreeError {
    /// A path pattern is malformed.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// A capture has the name of a built-in placeholder.
    #[error("`<{0}>` is a built-in name; rename the capture")]
    BuiltIn(String),
    /// A path uses a name that is not captured.
    #[error(
        "`<{name}>` in `{text}` is not captured in `each`; expected one of {}",
        list_names(.bound)
    )]
    Unbound {
        /// The unknown name.
        name: String,
        /// The path that contains the name.
        text: String,
        /// The captured names.
        bound: Vec<String>,
    },
    /// The page offers to create a missing file, but has no template for it.
    #[error("`fix: {{ create: true }}` requires a code block under `## Template`")]
    NoTemplate,
    /// The page offers to rename a file, but has no case to rename to.
    #[error("`fix: {{ rename: true }}` requires a case in `name` to rename to")]
    NoCase,
    /// An entry of `name` is neither a case nor an expression.
    #[error(
        "`{0}` is not a case; expected one of {cases}, `/an expression/`, `!/an expression/`, or a \
         case and `/an expression/`",
        cases = CASES.map(|(name, _)| name).join(", ")
    )]
    Case(String),
    /// An expression in `name` is malformed.
    #[error("name `{text}`: {why}")]
    Expression {
        /// The expression as written in the page.
        text: String,
        /// The error of the regex parser.
        why: regex::Error,
    },
}

fn list_names(bound: &[String]) -> String {
    let known: Vec<&str> = bound.iter().map(String::as_str).chain(BUILT_IN).collect();
    known.join(", ")
}
