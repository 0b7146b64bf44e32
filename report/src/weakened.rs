//! The list of weakened checks at the top of a report.

use super::gfm::escape;
use super::{Document, blob_url, number, one_line};
use aidd_engine::workspace::weakened;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of entries in a log.
const MAX_LISTED: usize = 20;
/// Maximum number of entries on a Markdown page, and their size in bytes.
const MAX_ITEMS: usize = 20;
const MAX_ITEM_BYTES: usize = 8_000;

/// Start of the reason of a finding that only the settings of the base report.
pub const BY_BASE: &str = "the settings of the base report it";

/// One way in which a change makes the checks weaker than in the base.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct Weakening {
    /// What is weakened.
    pub kind: WeakeningKind,
    /// The file that weakens the checks; if the change deletes it, its path in the base.
    pub path: String,
    /// The line in that file, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// The effect of the file: ``turns `team/colour` off (error in the base)``.
    pub message: String,
}

/// What a change weakens.
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
pub(super) fn by_base(reason: Option<&str>) -> Option<&str> {
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
fn place(one: &Weakening) -> String {
    match one.line {
        Some(line) => format!("{}:{line}", one.path),
        None => one.path.clone(),
    }
}

/// Lines for a log: a heading, and a limited number of entries.
pub(super) fn lines(document: &Document) -> Vec<String> {
    let weakened = document.weakened();
    if weakened.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("{}:", title(weakened.len()))];
    let line = |one: &Weakening| one_line(&format!("  {}: {}", place(one), one.message));
    lines.extend(weakened.iter().take(MAX_LISTED).map(line));
    if let Some(more @ 1..) = weakened.len().checked_sub(MAX_LISTED) {
        lines.push(format!("  and {more} more"));
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
    let mut named = 0;
    for one in weakened.iter().take(MAX_ITEMS) {
        let line = format!("- {}: {}\n", link(document, one), escape(&one.message));
        if text.len() + line.len() > MAX_ITEM_BYTES {
            break;
        }
        text.push_str(&line);
        named += 1;
    }
    if named < weakened.len() {
        text.push_str(&format!("- and {} more\n", weakened.len() - named));
    }
    text
}

/// The location, linked if the commit that contains it is known. A file that the change deletes is
/// not in that commit, and an entry without a line can refer to such a file.
fn link(document: &Document, one: &Weakening) -> String {
    let shown = escape(&place(one));
    match (&document.version_control, one.line) {
        (Some(at), Some(line)) => {
            let url = blob_url(&at.repository, &at.revision, &one.path);
            format!("[{shown}](<{url}#L{line}>)")
        }
        _ => shown,
    }
}
