//! Describes a change: the input is the changed files, the output is facts for a commit message. The
//! functions are pure and deterministic.
//!
//! The facts are derived from the files; the author of the change writes the message. Type and scope
//! are proposed if predictions of this kind are usually right (docs/benchmarks.md), and a first line
//! if the files show what the change does.

mod breaking;
mod convention;
mod dependencies;
mod draft;
mod facts;
mod file_kind;
mod keys;
mod lines;
mod package;
pub mod prediction;
pub mod staged;
mod symbols;
mod symbols_diff;
mod syntax;
#[cfg(test)]
mod tests;
mod text;

pub use convention::{CommitRules, Convention};
pub use draft::{LetterCase, SeveralTopics, Style, VerbForm};
pub use facts::{
    DependencyChange, Difference, FileChange, SettingChange, SymbolChange, SymbolChangeKind,
};
pub use file_kind::FileKind;
pub use package::context_paths;
pub use symbols::SymbolKind;

use facts::Facts;
use prediction::{PastCommit, Prediction};
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of entries in each list of a [`Description`]; the rest is counted.
pub const MAX_ENTRIES: usize = 50;

/// A file of the changes, with its kind.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The path relative to the root; for a deleted file, the last path.
    pub path: String,
    /// The previous path, if the file was moved.
    pub old_path: Option<String>,
    /// Whether the file was added, deleted or changed.
    pub kind: ChangeKind,
    /// The text before the change; `None` if the file did not exist, is not text or is too large.
    pub before: Option<String>,
    /// The text after the change; `None` if the file no longer exists, is not text or is too large.
    pub after: Option<String>,
}

/// The kind of change to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// The file did not exist before.
    Added,
    /// The file does not exist any more.
    Deleted,
    /// The file exists before and after, possibly at another path.
    #[default]
    Changed,
}

/// The input of [`describe`].
#[derive(Clone, Debug, Default)]
pub struct DescribeParams {
    /// The files that the commit changes.
    pub changes: Vec<Change>,
    /// The files of [`context_paths`] that exist, as path and text.
    pub context: Vec<(String, String)>,
    /// The recent messages by people, newest first.
    pub messages: Vec<String>,
    /// The commits before the change, oldest first.
    pub past: Vec<PastCommit>,
    /// The types and scopes that the project's rules allow; empty without such a rule.
    pub commit_rules: CommitRules,
    /// The commit that these changes revert.
    pub reverts: Option<RevertedCommit>,
}

/// A commit that a change reverts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RevertedCommit {
    /// The first line of the commit message.
    pub subject: String,
    /// The full hash of the commit.
    pub commit: String,
}

/// The facts of a change, and the project's message convention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// The first line of the message, with `…` for what the author fills in; absent if nothing is
    /// known about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// Present if the change probably has several topics, so that the draft names none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub several_topics: Option<SeveralTopics>,
    /// The proposed type; absent if no type is likely enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// The reason for the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The likeliest types, if no type is likely enough; empty if the project's history shows no
    /// convention.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub likely_types: Vec<String>,
    /// The proposed scope; absent if no scope is likely enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The types and scopes that the project allows or uses.
    pub convention: Convention,
    /// The commit that the change reverts exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverts: Option<RevertedCommit>,
    /// Breaking changes: public names that are removed, renamed, made private or given another
    /// signature; removed routes and operations, dropped versions of an engine, and columns and
    /// tables that a migration drops.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaking: Vec<String>,
    /// The new version of the project itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The changed files, sorted by path.
    pub files: Vec<FileChange>,
    /// The changed functions, types, values, members and test cases; public ones first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SymbolChange>,
    /// The changed dependencies, by manifest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyChange>,
    /// The changed keys of configuration files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingChange>,
    /// The number of entries omitted from these lists.
    pub omitted: Omitted,
}

/// The number of entries omitted from each list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Omitted {
    /// Omitted from [`Description::files`].
    pub files: usize,
    /// Omitted from [`Description::symbols`].
    pub symbols: usize,
    /// Omitted from [`Description::dependencies`].
    pub dependencies: usize,
    /// Omitted from [`Description::settings`].
    pub settings: usize,
}

/// Describes the changes of `input`; `None` when there are none.
#[must_use]
pub fn describe(input: &DescribeParams) -> Option<Description> {
    if input.changes.is_empty() {
        return None;
    }
    let facts = Facts::new(input);
    let convention = Convention::new(&input.commit_rules, &input.messages);
    let prediction = propose(input, &convention);
    let draft = draft::draft(&facts, &convention, &prediction, input.reverts.as_ref());
    let (kind, why) = draft.kind.unzip();
    let mut several_topics = draft.several_topics;
    if let Some(topics) = &mut several_topics {
        topics.other_files.truncate(MAX_ENTRIES);
    }
    let (mut files, mut symbols) = (facts.file_changes(), facts.symbol_changes());
    let (mut dependencies, mut settings) = (facts.dependency_changes(), facts.setting_changes());
    let omitted = Omitted {
        files: truncate(&mut files),
        symbols: truncate(&mut symbols),
        dependencies: truncate(&mut dependencies),
        settings: truncate(&mut settings),
    };
    Some(Description {
        draft: draft.line,
        several_topics,
        likely_types: if kind.is_none() { prediction.likely_types } else { Vec::new() },
        r#type: kind,
        why,
        scope: draft.scope,
        convention,
        reverts: input.reverts.clone(),
        breaking: package::breaking_changes(&facts, &input.context),
        version: facts.version().map(|(_, new)| new.to_owned()),
        files,
        symbols,
        dependencies,
        settings,
        omitted,
    })
}

/// The proposed type and scope: the type `revert` for an exact revert, otherwise what the history
/// predicts. Without a convention, nothing is proposed.
fn propose(input: &DescribeParams, convention: &Convention) -> Prediction {
    if input.reverts.is_some() && convention.allows("revert") {
        let why = "the files are as they were before the last commit";
        let kind = Some(("revert".to_owned(), why.to_owned()));
        return Prediction { kind, ..Prediction::default() };
    }
    if !convention.is_used() {
        return Prediction::default();
    }
    prediction::predict(&input.changes, &input.past, convention)
}

/// Truncates a list to [`MAX_ENTRIES`] and returns the number of omitted entries.
fn truncate<T>(entries: &mut Vec<T>) -> usize {
    let omitted = entries.len().saturating_sub(MAX_ENTRIES);
    entries.truncate(MAX_ENTRIES);
    omitted
}
