//! Which lines of a text are new, and which are gone.

use similar::{Algorithm, ChangeTag, TextDiff};
use std::collections::BTreeMap;

/// Texts with more lines together are compared line by line without regard to order: the exact
/// comparison takes time with the square of what differs.
const ORDERED: usize = 6_000;

/// The lines that differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    if before.lines().count() + after.lines().count() > ORDERED {
        return Lines { added: only(after, before), removed: only(before, after) };
    }
    let mut lines = Lines::default();
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(before, after);
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

/// The lines that stand in `text` more often than in `other`, in order.
fn only(text: &str, other: &str) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in other.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let mut new = Vec::new();
    for line in text.lines() {
        match counts.get_mut(line) {
            Some(count @ 1..) => *count -= 1,
            _ => new.push(line.to_owned()),
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_texts_differ_alike() {
        let short = compare("a\nb\nc\n", "a\nB\nc\nc\n");
        assert_eq!((short.added.len(), short.removed.len()), (2, 1));
        let filler = "x\n".repeat(ORDERED);
        let long = compare(&format!("{filler}a\nb\nc\n"), &format!("{filler}a\nB\nc\nc\n"));
        assert_eq!(long, Lines { added: vec!["B".into(), "c".into()], removed: vec!["b".into()] });
    }
}
