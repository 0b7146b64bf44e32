//! Which lines of a text are new, and which are gone.

use similar::{Algorithm, ChangeTag, TextDiff};
use std::time::Duration;

/// How long the comparison of one file may take; then it is rougher.
const PATIENCE: Duration = Duration::from_millis(300);

/// The lines that differ.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
}

impl Lines {
    /// How many differ.
    pub(super) fn count(&self) -> usize {
        self.added.len() + self.removed.len()
    }
}

/// The lines that differ between two texts.
pub(super) fn compare(before: &str, after: &str) -> Lines {
    let mut lines = Lines::default();
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(PATIENCE)
        .diff_lines(before, after);
    for change in diff.iter_all_changes() {
        let line = || change.value().trim_end_matches(['\n', '\r']).to_owned();
        match change.tag() {
            ChangeTag::Insert => lines.added.push(line()),
            ChangeTag::Delete => lines.removed.push(line()),
            ChangeTag::Equal => {}
        }
    }
    lines
}
