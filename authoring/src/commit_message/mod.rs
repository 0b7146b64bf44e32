//! What a change is about: changed files in, facts for a commit message out. Pure, and the same
//! for the same input.
//!
//! The facts are read from the files; the wording is left to whoever knows why the change was made.
//! The only proposal is a type, and only one that was measured to be right more often than the
//! project's most frequent type (docs/benchmarks.md).

mod convention;
mod dependencies;
mod facts;
mod file_kind;
mod keys;
mod lines;
mod package;
pub mod staged;
mod symbols;
mod symbols_diff;
mod syntax;
#[cfg(test)]
mod tests;
mod text;

pub use convention::{Allowed, Convention};
pub use facts::{
    DependencyChange, Difference, FileChange, SettingChange, SymbolChange, SymbolChangeKind,
};
pub use file_kind::FileKind;
pub use package::context_paths;
pub use symbols::SymbolKind;

use facts::Facts;
use schemars::JsonSchema;
use serde::Serialize;

/// Most entries of each list of a [`Description`]; the rest is counted.
pub const MAX_ENTRIES: usize = 50;

/// A changed file.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Its path from the root, or the last one it had.
    pub path: String,
    /// The path it had before, when that was another one.
    pub old_path: Option<String>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Its text before; `None`: there was no file, or it is no text, or too large.
    pub before: Option<String>,
    /// Its text after, likewise.
    pub after: Option<String>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// There was no such file.
    Added,
    /// There is no such file any more.
    Deleted,
    /// It exists before and after, perhaps at another path.
    #[default]
    Changed,
}

/// All that a description is made of.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The changed files.
    pub changes: Vec<Change>,
    /// Those files of [`context_paths`] that exist: path and text.
    pub context: Vec<(String, String)>,
    /// First lines of recent commit messages, newest first.
    pub subjects: Vec<String>,
    /// What the project's rules allow; empty without such a rule.
    pub allowed: Allowed,
    /// The commit that these changes revert.
    pub reverts: Option<Reverted>,
}

/// A commit that a change reverts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reverted {
    /// Its first line.
    pub subject: String,
    /// Its hash.
    pub commit: String,
}

/// The facts of a change, and what the project allows in a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// The type to begin with; none where the project's history shows no convention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Why that type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the project allows, or is used to.
    pub convention: Convention,
    /// The commit that is reverted exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverts: Option<Reverted>,
    /// Public names that are removed, renamed, hidden or called differently.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaking: Vec<String>,
    /// The new version of the project itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// By path.
    pub files: Vec<FileChange>,
    /// Functions, types, values, members and test cases; public ones first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SymbolChange>,
    /// By manifest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyChange>,
    /// Keys of configuration files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingChange>,
    /// Entries left out of these lists.
    pub omitted: Omitted,
}

/// How many entries are left out of each list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Omitted {
    /// Of [`Description::files`].
    pub files: usize,
    /// Of [`Description::symbols`].
    pub symbols: usize,
    /// Of [`Description::dependencies`].
    pub dependencies: usize,
    /// Of [`Description::settings`].
    pub settings: usize,
}

/// The facts of these changes; `None` when there are none.
#[must_use]
pub fn describe(input: &Input) -> Option<Description> {
    if input.changes.is_empty() {
        return None;
    }
    let facts = Facts::new(input);
    let convention = Convention::new(&input.allowed, &input.subjects);
    let proposed = propose(&facts, &convention, input.reverts.is_some());
    let (kind, why) = proposed.unzip();
    let (mut files, mut symbols) = (facts.file_changes(), facts.symbol_changes());
    let (mut dependencies, mut settings) = (facts.dependency_changes(), facts.setting_changes());
    let omitted = Omitted {
        files: truncate(&mut files),
        symbols: truncate(&mut symbols),
        dependencies: truncate(&mut dependencies),
        settings: truncate(&mut settings),
    };
    Some(Description {
        r#type: kind,
        why,
        convention,
        reverts: input.reverts.clone(),
        breaking: package::breaks(&facts, &input.context),
        version: facts.version().map(str::to_owned),
        files,
        symbols,
        dependencies,
        settings,
        omitted,
    })
}

/// The type to begin with, and why: one that the convention defines by the files alone, else the
/// project's most frequent one.
fn propose(
    facts: &Facts<'_>,
    convention: &Convention,
    is_revert: bool,
) -> Option<(String, String)> {
    let only = |kind: FileKind| facts.files.iter().all(|file| file.kind == kind);
    let exact = if is_revert {
        Some(("revert", "the files are as they were before the last commit"))
    } else if only(FileKind::Docs) {
        Some(("docs", "only documentation changed"))
    } else if only(FileKind::Test) {
        Some(("test", "only tests changed"))
    } else if only(FileKind::Ci) {
        Some(("ci", "only continuous integration changed"))
    } else {
        None
    };
    match exact.filter(|(kind, _)| convention.allows(kind)) {
        Some((kind, why)) => Some((kind.to_owned(), why.to_owned())),
        None => convention.most_frequent(),
    }
}

/// Shortens a list to [`MAX_ENTRIES`] and returns how many are left out.
fn truncate<T>(entries: &mut Vec<T>) -> usize {
    let omitted = entries.len().saturating_sub(MAX_ENTRIES);
    entries.truncate(MAX_ENTRIES);
    omitted
}
