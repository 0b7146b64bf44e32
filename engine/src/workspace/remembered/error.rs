//! Why the check of a memory cannot run.

use super::LONGEST;
use thiserror::Error;

/// What is wrong with the check of a memory: the key, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckError {
    /// It is no object.
    #[error(
        "`check` is an object with what stands under `check:` of a rule page, such as {{\"files\": \
         [\"*.ts\"], \"text\": {{\"regex\": \"…\"}}}}"
    )]
    NoObject,
    /// It is longer than a memory may carry.
    #[error(
        "`check` has {0} bytes, of at most {LONGEST}: write it as a rule page, which has no such \
         bound"
    )]
    Long(usize),
    /// The value of a key is no text.
    #[error("`check.{0}` is a text")]
    NoText(&'static str),
    /// The name of its rule is no half of an id.
    #[error(
        "`check.rule` is the second half of the rule's id, in lower-case letters, digits and \
         dashes, such as no-moment; it is `{0}`"
    )]
    Name(String),
    /// Its severity is none.
    #[error("`check.severity`: {0}")]
    Severity(String),
    /// The examples under a key are no paths and texts.
    #[error(
        "`check.{0}` is an object of path and text, such as {{\"src/a.ts\": \"…\"}}; a path has no \
         spaces or quotes"
    )]
    Examples(&'static str),
    /// Its page has a malformed header, in words for one who never saw the page.
    #[error("{0}")]
    Header(String),
    /// Its form cannot be judged.
    #[error("`check.{form}` cannot run: {}", .problems.join("; "))]
    Form {
        /// The key of the form.
        form: &'static str,
        /// What is wrong with it.
        problems: Vec<String>,
    },
}
