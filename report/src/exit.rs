//! How a run ends.

use std::fmt;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing at or above the severity that fails.
    Clean,
    /// Findings at or above it.
    Findings,
    /// Wrong usage or configuration.
    Usage,
    /// Something could not be read.
    Unchecked,
}

impl Exit {
    /// The number the process ends with.
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

/// Something the user did that cannot work, and what to do instead. Ends with [`Exit::Usage`].
#[derive(Debug)]
pub struct UserError {
    message: String,
    hint: Option<String>,
}

impl UserError {
    /// An error without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds what to do.
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

/// What is wrong with a JSON text that `what` writes, in words, and where.
#[must_use]
pub fn in_words(error: &serde_json::Error, what: &str) -> String {
    use serde_json::error::Category;
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Eof => "the JSON ends before it is whole".to_owned(),
        Category::Syntax => format!("line {line}, column {column}: this is no JSON"),
        Category::Data | Category::Io => {
            format!("line {line}, column {column}: what stands here is not what {what} writes")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_json_are_said_in_words() {
        let said = |text: &str| {
            let error = serde_json::from_str::<Vec<u8>>(text).expect_err("wrong");
            in_words(&error, "aidd")
        };
        assert_eq!(said("[1,"), "the JSON ends before it is whole");
        assert_eq!(said("[1\n;"), "line 2, column 1: this is no JSON");
        assert_eq!(said("{}"), "line 1, column 0: what stands here is not what aidd writes");
    }

    #[test]
    fn codes_are_a_contract() {
        let codes = [Exit::Clean, Exit::Findings, Exit::Usage, Exit::Unchecked].map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
