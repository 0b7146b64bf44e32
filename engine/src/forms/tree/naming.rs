//! Checks names, and counts which convention the project follows.

use super::names::NameRule;
use super::{FileChange, Run, Subject, check_new, file_fix, file_name};
use crate::text::paths::{parent_dir, upwards};
use std::collections::HashMap;

/// Minimum number of names in a directory from which its convention is determined.
const MIN_NAMES: usize = 5;

/// The number of names that follow the convention of a page and the number of names that do not, by
/// directory (including its subdirectories) and extension.
pub(super) struct Usage(HashMap<(String, String), Counts>);

#[derive(Clone, Copy, Default)]
struct Counts {
    following: usize,
    breaking: usize,
}

impl Usage {
    /// Counts how many names of `subjects` follow the convention `names` and how many do not.
    pub(super) fn count(names: &[NameRule], subjects: &[Subject<'_>]) -> Self {
        let mut counts: HashMap<(String, String), Counts> = HashMap::new();
        for subject in subjects {
            let stem = stem(subject);
            let breaks = !names.iter().any(|rule| rule.matches(&stem));
            // A single word is written in the same way in most conventions, so it does not show
            // which convention is followed.
            let follows =
                names.first().is_some_and(|rule| rule.matches(&stem)) && stem.contains(['-', '_']);
            if !breaks && !follows {
                continue;
            }
            for dir in upwards(parent_dir(subject.path)) {
                let counts = counts.entry((dir.to_owned(), extension(subject))).or_default();
                counts.following += usize::from(follows);
                counts.breaking += usize::from(breaks);
            }
        }
        Self(counts)
    }

    /// Whether most names break the convention, in the nearest parent directory of `subject` with
    /// enough names.
    fn is_exception(&self, subject: &Subject<'_>) -> bool {
        let extension = extension(subject);
        let mut ancestor_counts = upwards(parent_dir(subject.path))
            .filter_map(|dir| self.0.get(&(dir.to_owned(), extension.clone())));
        ancestor_counts
            .find(|counts| counts.following + counts.breaking >= MIN_NAMES)
            .is_some_and(|counts| counts.breaking > counts.following)
    }
}

fn stem(subject: &Subject<'_>) -> String {
    if subject.is_folder {
        subject.name().to_owned()
    } else {
        subject.value("stem").unwrap_or_default()
    }
}

/// The extension of a file; `/` for a directory.
fn extension(subject: &Subject<'_>) -> String {
    if subject.is_folder { "/".to_owned() } else { subject.value("ext").unwrap_or_default() }
}

impl Run<'_> {
    pub(super) fn check_name(&mut self, subject: &Subject<'_>, usage: Option<&Usage>) {
        let names = &self.check.names;
        if names.is_empty() {
            return;
        }
        let stem = stem(subject);
        if names.iter().any(|rule| rule.matches(&stem)) {
            return;
        }
        if usage.is_some_and(|usage| usage.is_exception(subject)) {
            return;
        }
        let expected = names.iter().map(NameRule::description).collect::<Vec<_>>().join(" or ");
        let suggestion = names.iter().find_map(|rule| rule.suggest(&stem));
        let hint = suggestion.as_ref().map_or(String::new(), |name| format!(", such as `{name}`"));
        let message = format!("invalid name `{}`; expected {expected}{hint}", subject.name());
        let suggestion = suggestion.unwrap_or_default();
        let to = self.renamed_path(subject, &stem, &suggestion);
        let finding = self.add(
            subject,
            subject.path,
            message,
            &[("wanted", &expected), ("better", &suggestion)],
        );
        finding.fix = to.map(|to| {
            file_fix(format!("Rename it to {}", file_name(&to)), FileChange::Rename { to })
        });
    }

    /// The path of a file with a valid name, if the page offers to rename the file and no file
    /// exists at that path.
    fn renamed_path(&self, subject: &Subject<'_>, stem: &str, new_stem: &str) -> Option<String> {
        if !self.check.rename || subject.is_folder {
            return None;
        }
        let is_valid =
            !new_stem.is_empty() && self.check.names.iter().any(|rule| rule.matches(new_stem));
        let name = format!("{new_stem}{}", subject.name().strip_prefix(stem)?);
        let dir = &subject.path[..subject.path.len() - subject.name().len()];
        let to = format!("{dir}{name}");
        let is_free = !self.scope.listing.has_file(&to);
        (is_valid && is_free && check_new(&to).is_ok()).then_some(to)
    }
}
