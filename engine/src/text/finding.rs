//! Plain data: findings of checks, and the edits that fix them.

use crate::text::source::Span;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use aidd_page::Severity;

/// A rule id: `kind/kebab-name`.
pub type RuleId = Arc<str>;

/// A violation of a rule at one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The id of the violated rule.
    pub rule: RuleId,
    /// The severity, as configured for this path.
    pub severity: Severity,
    /// The byte range of the source that violates the rule.
    pub span: Span,
    /// The problem in one sentence, without a final period.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// Edits that fix the finding.
    pub fix: Option<Fix>,
    /// Other locations that explain the finding.
    pub related: Vec<Related>,
    /// The byte range of a secret, which must not be shown in any output.
    pub secret: Option<Span>,
    /// Identifies the finding. The id is the same in every frontend, and does not change when lines
    /// above the finding move. Empty until all checks of a file have run.
    pub id: String,
    /// The status relative to the base, the baseline and the allow comments.
    pub status: Status,
    /// The reason for the status.
    pub reason: Option<String>,
    /// The things that the finding counts, if it is one finding for several of them.
    pub items: Option<Items>,
    /// Whether the finding is about the whole file, such as a missing header: its position is only
    /// where it is displayed.
    pub is_about_file: bool,
    /// A hash of the lines before and after the finding; `None` without such lines, or before all
    /// checks of a file have run.
    pub around: Option<u64>,
}

/// The things that one finding counts, such as the missing keys of a file: a baseline records each
/// of them, so that only further ones are new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Items {
    /// The word for one item: `key`.
    pub noun: &'static str,
    /// The predicate for one item: `is not in a.json`.
    pub one: String,
    /// The predicate for several items: `are not in a.json`.
    pub many: String,
    /// The names of the items.
    pub names: Vec<String>,
}

impl Items {
    /// Maximum number of items in a message.
    const LISTED: usize = 3;
    /// Maximum number of characters of an item in a message.
    const MAX_CHARS: usize = 60;

    /// `4 keys are not in a.json: `a`, `b`, `c` and 1 more`.
    #[must_use]
    pub fn message(&self) -> String {
        let Self { noun, one, many, names } = self;
        let count = names.len();
        let shown: Vec<String> = names
            .iter()
            .take(Self::LISTED)
            .map(|name| format!("`{}`", Self::abbreviate(name)))
            .collect();
        let rest = count.saturating_sub(Self::LISTED);
        let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        let (plural, predicate) = if count == 1 { ("", one) } else { ("s", many) };
        format!("{count} {noun}{plural} {predicate}: {}{rest}", shown.join(", "))
    }

    /// A name on one line, and not too long.
    fn abbreviate(name: &str) -> String {
        let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if line.chars().count() <= Self::MAX_CHARS {
            return line;
        }
        let start: String = line.chars().take(Self::MAX_CHARS - 1).collect();
        format!("{start}…")
    }
}

/// Another location that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The location, in the same source.
    pub span: Span,
    /// The explanation.
    pub message: String,
}

/// The status of a finding relative to the base, the baseline and the allow comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Not in the base.
    #[default]
    New,
    /// In the base at another position with the same text.
    Moved,
    /// In the base at the same position.
    PreExisting,
    /// Present in the base, but no longer reported.
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

/// Edits that fix one finding. Either all edits are applied or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// A description of the fix, as displayed in an editor's menu: "Use COPY instead of ADD".
    pub title: String,
    /// Whether the fix can be applied without confirmation.
    pub safety: Safety,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
    /// A file to create or rename instead of edits.
    pub file: Option<FileChange>,
}

/// A file to create or rename. Existing files are never overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// Creates a new file.
    Create {
        /// The path, relative to the root.
        path: String,
        /// The content.
        text: String,
    },
    /// Moves the file of the finding.
    Rename {
        /// The new path, relative to the root.
        to: String,
    },
}

/// Whether a fix preserves the meaning of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// Preserves the meaning of the file; applied by `--fix`.
    Safe,
    /// Can change the meaning; applied by `--fix-unsafe` only.
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

/// Replaces the bytes of `span` with `text`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The bytes to replace; empty to insert.
    pub span: Span,
    /// The replacement; empty to delete.
    pub text: String,
}

impl Edit {
    /// Replaces `span` with `text`.
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
            items: None,
            is_about_file: false,
            around: None,
        }
    }

    /// Sets what the finding counts, and the message that names it.
    pub fn items(&mut self, items: Items) -> &mut Self {
        self.message = items.message();
        self.items = Some(items);
        self
    }

    /// Sets the remedy.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Sets a fix that preserves the meaning of the file.
    pub fn fix(&mut self, title: impl Into<String>, edits: Vec<Edit>) -> &mut Self {
        self.fix = Some(Fix { title: title.into(), safety: Safety::Safe, edits, file: None });
        self
    }

    /// Sets a fix that can change the meaning of the file.
    pub fn fix_unsafe(&mut self, title: impl Into<String>, edits: Vec<Edit>) -> &mut Self {
        self.fix = Some(Fix { title: title.into(), safety: Safety::Unsafe, edits, file: None });
        self
    }

    /// Adds another location that explains the finding.
    pub fn related(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.related.push(Related { span, message: message.into() });
        self
    }

    /// Marks bytes that must not be shown in any output.
    pub fn secret(&mut self, span: Span) -> &mut Self {
        self.secret = Some(span);
        self
    }
}

/// The minimum severity that makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of at least this severity.
    Severity(Severity),
    /// Findings never make a run fail.
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
                // The caller prints the value.
                .map_err(|_| "expected error, warning, info or never".to_owned()),
        }
    }
}
