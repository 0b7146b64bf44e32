//! Why the form `data` of a page cannot be judged.

use crate::forms::expression::ExpressionError;
use thiserror::Error;

/// What is wrong with a test of the form `data`.
#[derive(Debug, Error)]
pub enum DataError {
    /// A place is malformed.
    #[error("`at: {at}`: {fault}")]
    Place {
        /// The place as the page has it.
        at: String,
        /// What is wrong with it.
        fault: PlaceFault,
    },
    /// An expression is malformed.
    #[error("{0}")]
    Expression(#[from] ExpressionError),
    /// A bound is neither a number nor a version.
    #[error("`{name}: {text}` is no number and no version")]
    Bound {
        /// Its key.
        name: &'static str,
        /// Its value.
        text: String,
    },
    /// A value cannot be compared with.
    #[error("{0}")]
    Value(#[from] serde_json::Error),
}

/// What is wrong with the place of a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlaceFault {
    /// It does not begin at the root.
    #[error("it begins with `$`")]
    NoRoot,
    /// A step begins with something else.
    #[error("a step begins with `.`, `..` or `[`")]
    Step,
    /// A step has no name.
    #[error("a step has no name")]
    NoName,
    /// A name has characters that stand in quotes only.
    #[error("write a name with such characters as `['name']`")]
    Unquoted,
    /// A quote is opened, and not closed.
    #[error("a quote is not closed")]
    Quote,
    /// A bracket is opened, and not closed.
    #[error("`[` is not closed")]
    Bracket,
    /// A part of RFC 9535 that is not known here.
    #[error("filters and slices are not known here; `where` tests first")]
    Unknown,
    /// What stands between brackets is no number.
    #[error("`{0}` is no index; a name stands in quotes: `['{0}']`")]
    Index(String),
    /// Two selectors without a comma between them.
    #[error("`,` or `]` is missing")]
    Separator,
}
