//! Errors in the `data` check of a page.

use crate::forms::expression::ExpressionError;
use thiserror::Error;

/// Why a `data` test cannot be compiled.
#[derive(Debug, Error)]
pub enum DataError {
    /// A path (`at`) is malformed.
    #[error("`at: {at}`: {fault}")]
    Path {
        /// The path as written in the page.
        at: String,
        /// The error in the path.
        fault: PathFault,
    },
    /// An expression is malformed.
    #[error("{0}")]
    Expression(#[from] ExpressionError),
    /// A bound is neither a number nor a version.
    #[error("`{name}: {text}` is neither a number nor a version")]
    Bound {
        /// The key, `min` or `max`.
        name: &'static str,
        /// The value as written in the page.
        text: String,
    },
    /// A value of the page has no JSON representation.
    #[error("{0}")]
    Value(#[from] serde_json::Error),
}

/// An error in the path of a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathFault {
    /// The path does not begin at the root.
    #[error("expected `$` at the beginning")]
    NoRoot,
    /// A step begins with an unexpected character.
    #[error("expected `.`, `..` or `[` at the beginning of a step")]
    Step,
    /// A step has no name.
    #[error("a step has no name")]
    NoName,
    /// An unquoted name contains characters that must be quoted.
    #[error("a name with special characters must be quoted: `['name']`")]
    Unquoted,
    /// Unclosed quote.
    #[error("unclosed quote")]
    Quote,
    /// Unclosed bracket.
    #[error("unclosed `[`")]
    Bracket,
    /// An unsupported part of RFC 9535.
    #[error("filters and slices are not supported; use `where` for conditions")]
    Unknown,
    /// The text between brackets is not a number.
    #[error("`{0}` is not an index; names must be quoted: `['{0}']`")]
    Index(String),
    /// Two selectors without a comma between them.
    #[error("expected `,` or `]`")]
    Separator,
}
