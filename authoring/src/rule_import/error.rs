//! Why a configuration cannot be read.

use super::alint::MOST_FILES;
use super::{DEEPEST, Tool};
use aidd_engine::text::files::SIDE_FILE_LIMIT;
use std::io;
use thiserror::Error;

/// Why the configuration of another tool is not imported: the file, the place and what is wrong.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A file cannot be read.
    #[error("{path}: {why}")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        why: io::Error,
    },
    /// A file is too large.
    #[error("{0} has more than {SIDE_FILE_LIMIT} bytes")]
    Large(String),
    /// A file is no text.
    #[error("{0} is not UTF-8")]
    Encoding(String),
    /// A file is malformed.
    #[error("{path}:{}:{}: {why}", .place.0, .place.1)]
    Malformed {
        /// The file.
        path: String,
        /// Line and column, from 1.
        place: (u32, u32),
        /// What is wrong there.
        why: String,
    },
    /// Its values nest too deep.
    #[error("{path}: `{key}` lies more than {DEEPEST} levels deep")]
    Deep {
        /// The file.
        path: String,
        /// The key of such a value.
        key: String,
    },
    /// It is a list, or a value alone.
    #[error("{0} is not a mapping of keys to values")]
    NoMapping(String),
    /// It has several documents.
    #[error("{0} has more than one document")]
    Documents(String),
    /// It is a program, and nothing that it exports is literal.
    #[error(
        "{0}: nothing can be read without running it: `module.exports = {{ … }}` and `export \
         default {{ … }}` are read"
    )]
    NotLiteral(String),
    /// It does not look like the configuration of any tool.
    #[error(
        "{0} looks like no configuration that is known; say of which tool it is: --from {known}",
        known = keys(&Tool::ALL, "|")
    )]
    NoTool(String),
    /// It could be of several tools.
    #[error("{path} could be of {}; say of which: --from {}", keys(.tools, " or of "), first(.tools))]
    Tools {
        /// The file.
        path: String,
        /// The tools.
        tools: Vec<Tool>,
    },
    /// It says nothing of what ls-lint judges.
    #[error("{0} has no `ls`: the names that ls-lint judges")]
    NoNames(String),
    /// A key of ls-lint has a value that says nothing.
    #[error("{path}: `{key}` is neither rules nor a folder")]
    Names {
        /// The file.
        path: String,
        /// The key.
        key: String,
    },
    /// A rule is no mapping.
    #[error("{path}: a rule is no mapping: {rule}")]
    Rule {
        /// The file.
        path: String,
        /// What stands in its place, as JSON.
        rule: String,
    },
    /// A rule has no id.
    #[error("{0}: a rule has no `id`")]
    NoId(String),
    /// Too many files extend one another.
    #[error("{0}: more than {MOST_FILES} files extend one another")]
    Extends(String),
    /// A file names one outside of the project.
    #[error("{path}: `{to}` leads out of the project")]
    Outside {
        /// The file.
        path: String,
        /// What it names.
        to: String,
    },
}

fn keys(tools: &[Tool], between: &str) -> String {
    tools.iter().map(|tool| tool.key()).collect::<Vec<_>>().join(between)
}

fn first(tools: &[Tool]) -> &'static str {
    tools.first().map_or("", |tool| tool.key())
}
