//! Plain data: what a check found, and the edits that would mend it.

use crate::text::source::Span;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use aidd_page::Severity;

/// A rule id: `kind/kebab-name`.
pub type RuleId = Arc<str>;

/// One place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// Its severity, as configured for this path.
    pub severity: Severity,
    /// The bytes of the source that break it.
    pub span: Span,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Edits that mend it.
    pub fix: Option<Fix>,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// Bytes that no output may show.
    pub secret: Option<Span>,
    /// The same for the same problem in every door, also after lines above it moved. Empty until
    /// the checks of a file have all run.
    pub id: String,
    /// How the finding stands against the base, the baseline and the allow comments.
    pub status: Status,
    /// Why it has that status.
    pub reason: Option<String>,
}

/// A second place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where, in the same source.
    pub span: Span,
    /// What is there.
    pub message: String,
}

/// How a finding stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Not known before.
    #[default]
    New,
    /// The same text had it at another place of the base.
    Moved,
    /// The base has it at the same place.
    PreExisting,
    /// The base had it; it is gone.
    Fixed,
    /// Recorded in the baseline.
    Baselined,
    /// Allowed by a comment.
    Allowed,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::New => "new",
            Self::Moved => "moved",
            Self::PreExisting => "pre-existing",
            Self::Fixed => "fixed",
            Self::Baselined => "baselined",
            Self::Allowed => "allowed",
        })
    }
}

/// Edits that mend one finding, all or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the fix does, as an editor's menu shows it: "Use COPY instead of ADD".
    pub title: String,
    /// Whether it may run unasked.
    pub safety: Safety,
    /// The edits; they never overlap.
    pub edits: Vec<Edit>,
    /// What happens to a file instead of edits.
    pub file: Option<FileChange>,
}

/// A file that comes, or gets another name. Nothing that is there is ever replaced by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// A new file.
    Create {
        /// Its path from the root.
        path: String,
        /// What it says.
        text: String,
    },
    /// The file of the finding gets another path.
    Rename {
        /// That path, from the root.
        to: String,
    },
}

/// What a user may expect of a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// Keeps the meaning of the file: applied by `--fix`.
    Safe,
    /// May change the meaning: applied by `--fix-unsafe` only.
    Unsafe,
}

impl fmt::Display for Safety {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        })
    }
}

/// Replaces the bytes under `span` by `text`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What goes; empty to insert.
    pub span: Span,
    /// What comes; empty to delete.
    pub text: String,
}

impl Edit {
    /// Replaces `span` by `text`.
    #[must_use]
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }

    /// Inserts `text` at `offset`.
    #[must_use]
    pub fn insert(offset: u32, text: impl Into<String>) -> Self {
        Self { span: Span { start: offset, end: offset }, text: text.into() }
    }

    /// Deletes `span`.
    #[must_use]
    pub fn delete(span: Span) -> Self {
        Self { span, text: String::new() }
    }
}

impl Finding {
    /// A finding of `rule` at `span`, without help or fix.
    #[must_use]
    pub fn new(rule: RuleId, severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity,
            span,
            message: message.into(),
            help: None,
            fix: None,
            related: Vec::new(),
            secret: None,
            id: String::new(),
            status: Status::New,
            reason: None,
        }
    }

    /// Says what to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Offers a fix that keeps the meaning of the file.
    pub fn fix(&mut self, title: impl Into<String>, edits: Vec<Edit>) -> &mut Self {
        self.fix = Some(Fix { title: title.into(), safety: Safety::Safe, edits, file: None });
        self
    }

    /// Offers a fix that may change the meaning of the file.
    pub fn fix_unsafe(&mut self, title: impl Into<String>, edits: Vec<Edit>) -> &mut Self {
        self.fix = Some(Fix { title: title.into(), safety: Safety::Unsafe, edits, file: None });
        self
    }

    /// Adds a second place that explains the finding.
    pub fn related(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.related.push(Related { span, message: message.into() });
        self
    }

    /// Marks bytes that no output may show.
    pub fn secret(&mut self, span: Span) -> &mut Self {
        self.secret = Some(span);
        self
    }
}

/// The least severity that makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of this severity or above.
    Severity(Severity),
    /// Nothing makes it fail.
    Never,
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "never" => Ok(Self::Never),
            _ => text
                .parse()
                .map(Self::Severity)
                .map_err(|_| format!("`{text}` is none of error, warning, info and never")),
        }
    }
}
