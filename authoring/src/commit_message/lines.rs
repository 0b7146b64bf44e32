//! Counts the added and removed lines between two texts.

use similar::{Algorithm, ChangeTag, TextDiff};
use std::collections::BTreeMap;

/// Maximum total number of lines for an exact comparison, whose time is quadratic in the
/// differences. Longer texts are compared as unordered lines.
const MAX_ORDERED_LINES: usize = 6_000;

/// The number of lines that differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineCounts {
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// Counts the lines that differ between two texts.
pub(super) fn compare(before: &str, after: &str) -> LineCounts {
    if before.lines().count() + after.lines().count() > MAX_ORDERED_LINES {
        return LineCounts {
            added: surplus_lines(after, before),
            removed: surplus_lines(before, after),
        };
    }
    let mut counts = LineCounts::default();
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(before, after);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => counts.added += 1,
            ChangeTag::Delete => counts.removed += 1,
            ChangeTag::Equal => {}
        }
    }
    counts
}

/// The number of lines that `text` contains more often than `other`.
fn surplus_lines(text: &str, other: &str) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in other.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let mut new = 0;
    for line in text.lines() {
        match counts.get_mut(line) {
            Some(count @ 1..) => *count -= 1,
            _ => new += 1,
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_texts_have_the_same_counts() {
        let short = compare("a\nb\nc\n", "a\nB\nc\nc\n");
        assert_eq!(short, LineCounts { added: 2, removed: 1 });
        let filler = "x\n".repeat(MAX_ORDERED_LINES);
        let long = compare(&format!("{filler}a\nb\nc\n"), &format!("{filler}a\nB\nc\nc\n"));
        assert_eq!(long, short);
    }
}
