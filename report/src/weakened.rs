//! The list of weakened checks at the top of a report.

use super::gfm::escape;
use super::{Document, blob_url, number, one_line};
use aidd_engine::workspace::weakened;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of entries in a log.
const MAX_LOG_ENTRIES: usize = 20;
/// Maximum number of entries on a Markdown page.
const MAX_MARKDOWN_ENTRIES: usize = 20;
/// Maximum size in bytes of the entries on a Markdown page.
const MAX_MARKDOWN_BYTES: usize = 8_000;

/// Start of the reason of a finding that is reported only with the settings of the base.
pub const BY_BASE: &str = "reported with the settings of the base";

/// One way in which a change makes the checks weaker than in the base.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Weakening {
    /// The kind of setting or file that weakens the checks.
    pub kind: WeakeningKind,
    /// The file that weakens the checks; if the change deletes it, its path in the base.
    pub path: String,
    /// The line in that file, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// The effect on the checks: ``disables `team/colour` (severity in the base: error)``.
    pub message: String,
}

/// The kind of setting or file through which a change weakens the checks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WeakeningKind {
    /// `failOn` is less strict.
    FailOn,
    /// `ci.blockOn`, `ci.warnOn` or `ci.ignore` is less strict.
    Policy,
    /// A rule is disabled, less severe, or has other parameters.
    Rule,
    /// A pack of rules is no longer included.
    Pack,
    /// A rule page, or a memory with a check, is deleted, less strict, or checks something else.
    Page,
    /// `include` or `exclude` excludes more files.
    Paths,
    /// `maxFileSize` is smaller.
    FileSize,
    /// An ignore file excludes more files.
    IgnoreFile,
    /// The baseline has more entries.
    Baseline,
    /// A comment allows findings.
    AllowComment,
}

impl From<weakened::Kind> for WeakeningKind {
    fn from(kind: weakened::Kind) -> Self {
        match kind {
            weakened::Kind::Rule => Self::Rule,
            weakened::Kind::Pack => Self::Pack,
            weakened::Kind::Page => Self::Page,
            weakened::Kind::Paths => Self::Paths,
            weakened::Kind::FileSize => Self::FileSize,
            weakened::Kind::Baseline => Self::Baseline,
            weakened::Kind::IgnoreFile => Self::IgnoreFile,
        }
    }
}

/// The reason of a finding, if it states that only the settings of the base report it.
pub(super) fn base_only_reason(reason: Option<&str>) -> Option<&str> {
    reason.filter(|reason| reason.starts_with(BY_BASE))
}

impl Document {
    /// The checks weakened by the change.
    #[must_use]
    pub fn weakened(&self) -> &[Weakening] {
        self.comparison.as_ref().map_or(&[], |comparison| &comparison.weakened)
    }
}

/// `path:line`, or only the path.
fn location(weakening: &Weakening) -> String {
    match weakening.line {
        Some(line) => format!("{}:{line}", weakening.path),
        None => weakening.path.clone(),
    }
}

/// Lines for a log: a heading, and a limited number of entries.
pub(super) fn lines(document: &Document) -> Vec<String> {
    let weakened = document.weakened();
    if weakened.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("{}:", title(weakened.len()))];
    let line = |weakening: &Weakening| {
        one_line(&format!("  {}: {}", location(weakening), weakening.message))
    };
    lines.extend(weakened.iter().take(MAX_LOG_ENTRIES).map(line));
    if let Some(remaining @ 1..) = weakened.len().checked_sub(MAX_LOG_ENTRIES) {
        lines.push(format!("  and {remaining} more"));
    }
    lines
}

fn title(count: usize) -> String {
    format!("This change weakens the checks in {}", number(count, "place"))
}

/// A section for a Markdown page.
pub(super) fn section(document: &Document) -> String {
    let weakened = document.weakened();
    if weakened.is_empty() {
        return String::new();
    }
    let mut text = format!("\n**{}:**\n\n", title(weakened.len()));
    let mut listed = 0;
    for weakening in weakened.iter().take(MAX_MARKDOWN_ENTRIES) {
        let line = format!("- {}: {}\n", link(document, weakening), escape(&weakening.message));
        if text.len() + line.len() > MAX_MARKDOWN_BYTES {
            break;
        }
        text.push_str(&line);
        listed += 1;
    }
    if listed < weakened.len() {
        text.push_str(&format!("- and {} more\n", weakened.len() - listed));
    }
    text
}

/// The location, linked if the checked commit and the line are known. An entry without a line can
/// refer to a file that the change deletes, which the checked commit does not contain.
fn link(document: &Document, weakening: &Weakening) -> String {
    let location = escape(&location(weakening));
    match (&document.version_control, weakening.line) {
        (Some(commit), Some(line)) => {
            let url = blob_url(&commit.repository, &commit.revision, &weakening.path);
            format!("[{location}](<{url}#L{line}>)")
        }
        _ => location,
    }
}
