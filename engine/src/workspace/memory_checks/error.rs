//! Errors in the check of a memory.

use super::MAX_CHECK_BYTES;
use thiserror::Error;

/// Why the check of a memory cannot run: the key and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckError {
    /// The value of `check` is not an object.
    #[error(
        "`check` must be an object with the keys of `check:` in a rule page, such as {{\"files\": \
         [\"*.ts\"], \"text\": {{\"regex\": \"…\"}}}}"
    )]
    NotAnObject,
    /// The check is longer than a memory can store.
    #[error(
        "`check` has {0} bytes, more than {MAX_CHECK_BYTES}; write it as a rule page, which has no such \
         limit"
    )]
    TooLong(usize),
    /// The value of a key is not a string.
    #[error("`check.{0}` must be a string")]
    NotAString(&'static str),
    /// The value of `rule` cannot be the second half of a rule id.
    #[error(
        "`check.rule` must be the second half of the rule id, in lower-case letters, digits and \
         dashes, such as no-moment; found `{0}`"
    )]
    Name(String),
    /// Unknown severity.
    #[error("`check.severity`: {0}")]
    Severity(String),
    /// The examples under a key are not a map of paths to texts.
    #[error(
        "`check.{0}` must map paths to texts, such as {{\"src/a.ts\": \"…\"}}; a path must not have \
         spaces or quotes"
    )]
    Examples(&'static str),
    /// The header of the generated page is malformed. The message does not refer to the page, which
    /// the author never sees.
    #[error("{0}")]
    Header(String),
    /// The value under the key of the form is invalid.
    #[error("`check.{form}` cannot run: {}", .problems.join("; "))]
    Form {
        /// The key of the form.
        form: &'static str,
        /// The problems, one string each.
        problems: Vec<String>,
    },
}
