//! Compares the lines of a change: which lines differ, and where the unchanged lines are in the
//! other version.

use crate::project::git::Change;
use crate::text::files::Files;
use crate::text::source::Source;
use gix::diff::blob::{Algorithm, Diff, InternedInput};
use std::ops::Range;

/// Maximum size in bytes of a file whose lines are compared; in larger files only the texts of
/// findings are compared.
const DIFF_LIMIT: u64 = 16 << 20;

/// Lines of the base that were replaced with lines of the head, zero-based; one side can be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The line range in the base.
    pub base: Range<u32>,
    /// The line range in the head.
    pub head: Range<u32>,
}

/// Maps lines of the base to lines of the head; `None` if the texts were not compared.
pub(super) struct LineMap<'a>(pub(super) Option<&'a [Hunk]>);

impl LineMap<'_> {
    /// Maps the first and last line of a range in the base to lines of the head; `None` if a line
    /// of the range changed.
    pub(super) fn to_head(&self, (first, last): (u32, u32)) -> Option<(u32, u32)> {
        let hunks = self.0?;
        let before = hunks.partition_point(|hunk| hunk.base.end <= first);
        // An insertion directly before the first line does not affect the range; an insertion
        // within the range splits the range.
        if hunks.get(before).is_some_and(|hunk| hunk.base.start <= last) {
            return None;
        }
        let last_before = before.checked_sub(1).map(|at| &hunks[at]);
        let head_line = |line: u32| match last_before {
            Some(hunk) => hunk.head.end + (line - hunk.base.end),
            None => line,
        };
        Some((head_line(first), head_line(last)))
    }

    pub(super) fn head_hunk(&self, lines: (u32, u32)) -> Option<usize> {
        self.hunk(lines, |hunk| &hunk.head)
    }

    pub(super) fn base_hunk(&self, lines: (u32, u32)) -> Option<usize> {
        self.hunk(lines, |hunk| &hunk.base)
    }

    /// Prepares the count of changed lines of the base.
    pub(super) fn changed_lines(&self) -> ChangedLines<'_> {
        let hunks = self.0.unwrap_or_default();
        let mut total = 0;
        let sums = hunks.iter().map(|hunk| {
            total += hunk.base.len();
            total
        });
        ChangedLines { sums: std::iter::once(0).chain(sums).collect(), hunks }
    }

    fn hunk(
        &self,
        (first, last): (u32, u32),
        side: impl Fn(&Hunk) -> &Range<u32>,
    ) -> Option<usize> {
        let hunks = self.0?;
        let at = hunks.partition_point(|hunk| side(hunk).end <= first);
        hunks.get(at).is_some_and(|hunk| side(hunk).start <= last).then_some(at)
    }
}

/// Counts changed lines of the base, in logarithmic time.
pub(super) struct ChangedLines<'a> {
    hunks: &'a [Hunk],
    /// The number of changed lines before each hunk.
    sums: Vec<usize>,
}

impl ChangedLines<'_> {
    /// The number of changed lines in a range, whose last line is included.
    pub(super) fn within(&self, (first, last): (u32, u32)) -> u32 {
        u32::try_from(self.before(last + 1) - self.before(first)).unwrap_or(u32::MAX)
    }

    fn before(&self, line: u32) -> usize {
        let next = self.hunks.partition_point(|hunk| hunk.base.end <= line);
        let partial =
            self.hunks.get(next).map_or(0, |hunk| line.saturating_sub(hunk.base.start) as usize);
        self.sums[next] + partial
    }
}

/// The changed lines of a file; `None` if it is new, deleted or too large to compare.
pub(super) fn hunks_of(
    change: &Change,
    (base, head): (&dyn Files, &dyn Files),
) -> Option<Vec<Hunk>> {
    let read = |files: &dyn Files, path: &str| {
        let bytes = files.read(path, DIFF_LIMIT + 1).ok()?;
        (bytes.len() as u64 <= DIFF_LIMIT).then(|| Source::decode(path, bytes))
    };
    let before = read(base, change.base.as_deref()?)?;
    let after = read(head, change.head.as_deref()?)?;
    Some(hunks(before.text(), after.text()))
}

/// The lines that differ, in order. Line endings (CRLF, LF) are ignored, because the work tree can
/// have other line endings than the object store.
#[must_use]
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(before.lines());
    input.update_after(after.lines());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunk = |hunk: gix::diff::blob::Hunk| Hunk { base: hunk.before, head: hunk.after };
    diff.hunks().map(hunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_of_the_base_are_mapped_to_the_head() {
        let hunks = hunks("a\nb\nc\nd\n", "a\r\nnew\r\nb\r\nd\r\n");
        assert_eq!(hunks, [Hunk { base: 1..1, head: 1..2 }, Hunk { base: 2..3, head: 3..3 }]);
        let map = LineMap(Some(&hunks));
        let mapped =
            [(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 3)].map(|lines| map.to_head(lines));
        assert_eq!(mapped, [Some((0, 0)), Some((2, 2)), None, Some((3, 3)), None, None]);
        assert_eq!((map.head_hunk((1, 1)), map.head_hunk((2, 2))), (Some(0), None));
        let changed = map.changed_lines();
        assert_eq!([(0, 1), (1, 2), (2, 3)].map(|lines| changed.within(lines)), [0, 1, 1]);
        assert_eq!((map.head_hunk((2, 3)), map.base_hunk((2, 2))), (Some(1), Some(1)));
    }

    proptest! {
        #[test]
        fn an_unchanged_line_is_mapped_to_the_same_text(
            before in proptest::collection::vec("[abc]{0,1}", 0..20),
            after in proptest::collection::vec("[abc]{0,1}", 0..20),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let hunks = hunks(&text(&before), &text(&after));
            let map = LineMap(Some(&hunks));
            let mut mapped = std::collections::BTreeSet::new();
            for (line, text) in (0_u32..).zip(&before) {
                if let Some((head_line, _)) = map.to_head((line, line)) {
                    prop_assert_eq!(text, &after[head_line as usize]);
                    prop_assert_eq!(map.head_hunk((head_line, head_line)), None);
                    mapped.insert(head_line);
                }
            }
            for head_line in 0..u32::try_from(after.len()).expect("few") {
                prop_assert_eq!(!mapped.contains(&head_line), map.head_hunk((head_line, head_line)).is_some());
            }
        }
    }
}
