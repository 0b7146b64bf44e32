//! Errors of reading a configuration.

use super::alint::MAX_FILES;
use super::{MAX_DEPTH, Tool};
use aidd_engine::text::files::SIDE_FILE_LIMIT;
use std::io;
use thiserror::Error;

/// The reason why the configuration of another tool cannot be imported, with the file and the
/// position.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A file cannot be read.
    #[error("{path}: {why}")]
    Read {
        /// The path of the file.
        path: String,
        /// The I/O error.
        why: io::Error,
    },
    /// A file is too large.
    #[error("{0} has more than {SIDE_FILE_LIMIT} bytes")]
    TooLarge(String),
    /// A file is not text.
    #[error("{0} is not UTF-8")]
    NotUtf8(String),
    /// A file is malformed.
    #[error("{path}:{}:{}: {why}", .place.0, .place.1)]
    Malformed {
        /// The path of the file.
        path: String,
        /// Line and column, from 1.
        place: (u32, u32),
        /// The parse error.
        why: String,
    },
    /// The values are nested too deeply.
    #[error("{path}: `{key}` is nested more than {MAX_DEPTH} levels deep")]
    TooDeep {
        /// The path of the file.
        path: String,
        /// A key at that depth.
        key: String,
    },
    /// The file contains a list or a scalar.
    #[error("{0} is not a mapping of keys to values")]
    NotAMapping(String),
    /// The file contains several documents.
    #[error("{0} has more than one document")]
    MultipleDocuments(String),
    /// The file is JavaScript or TypeScript and does not export a literal.
    #[error(
        "{0}: cannot be read without running it: only `module.exports = {{ … }}` and `export \
         default {{ … }}` are supported"
    )]
    NotLiteral(String),
    /// The file does not look like the configuration of any supported tool.
    #[error(
        "{0} is not a known configuration; name its tool: --from {known}",
        known = tool_names(&Tool::ALL, "|")
    )]
    NoTool(String),
    /// The file can belong to several tools.
    #[error("{path} can belong to {}; name its tool: --from {}", tool_names(.tools, " or "), first_tool(.tools))]
    AmbiguousTool {
        /// The path of the file.
        path: String,
        /// The possible tools.
        tools: Vec<Tool>,
    },
    /// The file does not contain any ls-lint rules.
    #[error("{0} has no `ls` section with naming rules")]
    MissingNames(String),
    /// A key of ls-lint has an invalid value.
    #[error("{path}: the value of `{key}` must be naming rules or a mapping for a directory")]
    InvalidNames {
        /// The path of the file.
        path: String,
        /// The key of the value.
        key: String,
    },
    /// A rule is not a mapping.
    #[error("{path}: a rule is not a mapping: {rule}")]
    RuleNotAMapping {
        /// The path of the file.
        path: String,
        /// The value found instead, as JSON.
        rule: String,
    },
    /// A rule has no id.
    #[error("{0}: a rule has no `id`")]
    MissingId(String),
    /// The chain of `extends` has too many files.
    #[error("{0}: `extends` names more than {MAX_FILES} files")]
    TooManyExtends(String),
    /// A file refers to a file outside the project.
    #[error("{path}: `{to}` is outside the project")]
    OutsideProject {
        /// The path of the file.
        path: String,
        /// The path of the file outside the project.
        to: String,
    },
}

fn tool_names(tools: &[Tool], separator: &str) -> String {
    tools.iter().map(|tool| tool.key()).collect::<Vec<_>>().join(separator)
}

fn first_tool(tools: &[Tool]) -> &'static str {
    tools.first().map_or("", |tool| tool.key())
}
