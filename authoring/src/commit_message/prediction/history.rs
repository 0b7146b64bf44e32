//! The commits before a change, in the form from which types and scopes are learnt.

use super::features::{hash, names, path_parts};
use crate::commit_message::Change;
use aidd_engine::forms::commits::is_bot;
use aidd_engine::forms::commits::message::parse_header;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};

/// The number of earlier commits to a file whose types are features of the next one.
const COMMITS_OF_FILE: usize = 5;
/// The number of latest commits whose types are features of the next one.
const LATEST: usize = 3;

/// A commit before the change, without its words: features and paths are stored as hashes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PastCommit {
    /// The full hash of the commit.
    pub id: String,
    /// The type; `None` if the message is not a Conventional Commit.
    pub kind: Option<String>,
    /// The part of the project in parentheses; `None` if the message has none.
    pub scope: Option<String>,
    /// Whether a program made the commit, such as an update of dependencies or a release.
    pub is_automatic: bool,
    /// The paths before and after the commit.
    files: Vec<(u32, u32)>,
    /// The features of the files.
    features: Vec<u32>,
    /// The parts of the paths, with the share of the files that have them.
    parts: Vec<(u32, f32)>,
}

impl PastCommit {
    /// The commit with the given first line and `author`, without its files.
    #[must_use]
    pub fn new(id: &str, subject: &str, author: &str) -> Self {
        let header = parse_header(subject, 0).ok();
        let scope = header.as_ref().and_then(|header| header.scope);
        let kind = header.as_ref().map(|header| header.commit_type);
        Self {
            id: id.to_owned(),
            kind: kind.map(str::to_owned),
            scope: scope.map(str::to_owned),
            is_automatic: is_bot(author) || [kind, scope].contains(&Some("release")),
            ..Self::default()
        }
    }

    /// A commit with these changes whose type is not known yet.
    pub(super) fn untyped(changes: &[Change]) -> Self {
        Self { kind: Some(String::new()), ..Self::default() }.with_changes(changes)
    }

    /// Whether types and scopes are learnt from the commit.
    #[must_use]
    pub fn is_example(&self) -> bool {
        self.kind.is_some() && !self.is_automatic
    }

    /// The commit with its changed files. Their texts are used only for examples.
    #[must_use]
    pub fn with_changes(mut self, changes: &[Change]) -> Self {
        self.files = changes
            .iter()
            .map(|change| {
                let before = change.old_path.as_ref().unwrap_or(&change.path);
                (hash(before), hash(&change.path))
            })
            .collect();
        if self.is_example() {
            self.features = names(changes).iter().map(|name| hash(name)).collect();
            let parts = path_parts(changes);
            self.parts = parts.iter().map(|(part, share)| (hash(part), *share)).collect();
        }
        self
    }

    /// The parts of the paths.
    pub(super) fn parts(&self) -> &[(u32, f32)] {
        &self.parts
    }

    /// The type for later commits to the same files.
    fn label(&self) -> &str {
        match &self.kind {
            _ if self.is_automatic => "bot",
            Some(kind) => kind,
            None => "none",
        }
    }
}

/// The features of a commit, with their values.
pub(super) type Features = Vec<(u32, f32)>;

/// The examples among `commits`, oldest first, with their features: those of their files and those
/// of the commits before them.
pub(super) fn examples(commits: &[PastCommit]) -> Vec<(&PastCommit, Features)> {
    let mut of_file: HashMap<u32, VecDeque<&str>> = HashMap::new();
    let mut latest: VecDeque<&str> = VecDeque::new();
    let mut examples = Vec::new();
    for commit in commits {
        if commit.is_example() {
            let mut features: Features =
                commit.features.iter().map(|&feature| (feature, 1.0)).collect();
            features.extend(features_of_earlier(commit, &of_file, &latest));
            examples.push((commit, features));
            latest.push_back(commit.label());
            if latest.len() > LATEST {
                latest.pop_front();
            }
        }
        for (before, after) in &commit.files {
            let mut labels = of_file.remove(before).unwrap_or_default();
            labels.push_back(commit.label());
            if labels.len() > COMMITS_OF_FILE {
                labels.pop_front();
            }
            of_file.insert(*after, labels);
        }
    }
    examples
}

/// The types of the latest commits, and of the latest commits to the same files.
fn features_of_earlier(
    commit: &PastCommit,
    of_file: &HashMap<u32, VecDeque<&str>>,
    latest: &VecDeque<&str>,
) -> Features {
    let mut values: HashMap<String, f32> = HashMap::new();
    for (before, _) in &commit.files {
        let Some(labels) = of_file.get(before) else { continue };
        let share = 1.0 / (labels.len() * commit.files.len()) as f32;
        for label in labels {
            *values.entry(format!("same files {label}")).or_default() += share;
        }
    }
    for label in latest {
        *values.entry(format!("latest {label}")).or_default() += 1.0 / LATEST as f32;
    }
    let mut features: Features = values.iter().map(|(name, value)| (hash(name), *value)).collect();
    features.sort_by_key(|(name, _)| *name);
    features
}
