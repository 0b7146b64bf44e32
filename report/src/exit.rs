//! Exit codes and user errors.

use std::fmt;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// No findings at or above the severity that fails the run.
    Clean,
    /// Findings at or above the severity that fails the run.
    Findings,
    /// Invalid usage or configuration.
    Usage,
    /// A file that should have been checked could not be read.
    Unchecked,
}

impl Exit {
    /// The exit code of the process.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Unchecked => 3,
        }
    }
}

/// An error that the user can correct, with a hint. Ends the process with [`Exit::Usage`].
#[derive(Debug)]
pub struct UserError {
    message: String,
    hint: Option<String>,
}

impl UserError {
    /// Creates an error without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds a hint with the remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl std::error::Error for UserError {}

/// Describes an error in JSON, with its position; `source` is the program that writes such JSON.
#[must_use]
pub fn describe_json_error(error: &serde_json::Error, source: &str) -> String {
    use serde_json::error::Category;
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Eof => "the JSON is incomplete".to_owned(),
        Category::Syntax => format!("line {line}, column {column}: invalid JSON"),
        Category::Data | Category::Io => {
            format!("line {line}, column {column}: not in the format written by {source}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_errors_are_described() {
        let describe = |text: &str| {
            let error = serde_json::from_str::<Vec<u8>>(text).expect_err("invalid JSON");
            describe_json_error(&error, "aidd")
        };
        assert_eq!(describe("[1,"), "the JSON is incomplete");
        assert_eq!(describe("[1\n;"), "line 2, column 1: invalid JSON");
        assert_eq!(describe("{}"), "line 1, column 0: not in the format written by aidd");
    }

    #[test]
    fn exit_codes_are_stable() {
        let codes = [Exit::Clean, Exit::Findings, Exit::Usage, Exit::Unchecked].map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
