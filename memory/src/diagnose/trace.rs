//! The parsed form of error output.

/// The description of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorText {
    /// Type or code: `TypeError`, `E0308`.
    pub kind: Option<String>,
    /// Message on one line.
    pub message: String,
}

impl ErrorText {
    /// Kind and message on one line.
    #[must_use]
    pub fn line(&self) -> String {
        match &self.kind {
            Some(kind) if self.message.is_empty() => kind.clone(),
            Some(kind) => format!("{kind}: {}", self.message),
            None => self.message.clone(),
        }
    }
}

/// A stack frame or another location of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The file as printed.
    pub file: String,
    /// The line, starting at 1.
    pub line: Option<u32>,
    /// The column as printed.
    pub column: Option<u32>,
    /// The function name.
    pub function: Option<String>,
    /// The file's path relative to the root, when it belongs to the project.
    pub project_path: Option<String>,
}

/// Parsed error output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The language, if it was recognised.
    pub language: Option<&'static str>,
    /// The error that was thrown last.
    pub raised: ErrorText,
    /// The error at the end of the cause chain, when it is a different error.
    pub cause: Option<ErrorText>,
    /// Whether the program declares the cause as such. Otherwise, it is an error that was being
    /// handled when the other one was thrown.
    pub is_cause_declared: bool,
    /// Stack frames, innermost first. The frames of the cause precede all others.
    pub frames: Vec<Frame>,
    /// Files that the messages mention, those of the root cause first.
    pub mentions: Vec<Frame>,
    /// Whether parts of the text were skipped.
    pub is_truncated: bool,
}

impl Trace {
    /// The error to show first: the declared root cause, otherwise the error that was thrown last.
    #[must_use]
    pub fn headline(&self) -> &ErrorText {
        self.cause.as_ref().filter(|_| self.is_cause_declared).unwrap_or(&self.raised)
    }

    /// The innermost frame in a project file. Without one, the first project file that a message
    /// mentions.
    #[must_use]
    pub fn primary(&self) -> Option<&Frame> {
        self.frames.iter().chain(&self.mentions).find(|frame| frame.project_path.is_some())
    }
}
