//! Whether all files of a change concern the same names: a draft that names one of several changes
//! would hide the others.

use super::names::stem_of;
use crate::commit_message::facts::{Difference, File};
use crate::commit_message::file_kind::FileKind;
use schemars::JsonSchema;
use serde::Serialize;

/// The sign that a change has several topics.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeveralTopics {
    /// The name that most of the change concerns.
    pub main: String,
    /// The changed files whose changed lines do not mention this name.
    pub other_files: Vec<String>,
}

/// The files among `files` whose changed lines mention none of `names`, which are defined at
/// `paths`, and not the files at these paths either.
pub(super) fn unrelated(files: &[&File<'_>], paths: &[&str], names: &[&str]) -> Vec<String> {
    let stems = paths.iter().map(|path| stem_of(path));
    let words: Vec<String> =
        names.iter().copied().chain(stems).map(plain).filter(|word| word.len() > 2).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let is_unrelated = |file: &&&File<'_>| {
        !paths.contains(&file.change.path.as_str())
            && has_own_topic(file)
            && !words.iter().any(|word| mentions(file, word))
    };
    files.iter().filter(is_unrelated).map(|file| file.change.path.clone()).collect()
}

/// Whether a file can be about something else: tests, new dependencies and changelogs follow other
/// files.
fn has_own_topic(file: &File<'_>) -> bool {
    let is_log = || stem_of(&file.change.path).to_lowercase().contains("change");
    match file.kind {
        FileKind::Test | FileKind::Asset | FileKind::Lock | FileKind::Generated => false,
        FileKind::Manifest => file.changed_dependencies.is_empty(),
        FileKind::Docs => !is_log(),
        _ => matches!(file.difference, Difference::Content),
    }
}

/// Whether the changed lines of a file contain a word: it occurs more or less often than before.
fn mentions(file: &File<'_>, word: &str) -> bool {
    let change = file.change;
    let count =
        |text: &Option<String>| text.as_ref().map_or(0, |text| plain(text).matches(word).count());
    let is_unread = change.before.is_none() && change.after.is_none();
    is_unread || plain(&change.path).contains(word) || count(&change.before) != count(&change.after)
}

/// A text in lower case without `-` and `_`, so that the spellings of a name are equal.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}
