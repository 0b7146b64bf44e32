//! Applies edits to bytes, and maps spans between the text before and after them.

use crate::text::finding::{Edit, Fix};
use crate::text::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Applies `fixes` in order, skipping each fix with an edit that touches an edit of an earlier fix.
/// An edit that several fixes share is made once. Returns the new bytes and the number of fixes
/// applied.
#[must_use]
pub fn apply(bytes: &[u8], fixes: &[&Fix]) -> (Vec<u8>, usize) {
    let mut edits = Edits::default();
    let applied = fixes.iter().filter(|fix| edits.add_fix(fix, bytes.len())).count();
    (edits.splice(bytes).0, applied)
}

/// Edits by their start. Edits of different fixes never touch; edits of one fix can touch, which is
/// a bug in the rule that provides the fix.
#[derive(Default)]
pub(crate) struct Edits<'a>(BTreeMap<u32, BTreeSet<&'a Edit>>);

impl<'a> Edits<'a> {
    /// Adds the edits of a fix for a text of `length` bytes. Returns `false` if the fix has no
    /// edits, if an edit is not within the text, or if an edit touches an edit of another fix.
    pub(crate) fn add_fix(&mut self, fix: &'a Fix, length: usize) -> bool {
        let is_valid =
            |edit: &Edit| edit.span.start <= edit.span.end && edit.span.end as usize <= length;
        if fix.edits.is_empty()
            || !fix.edits.iter().all(is_valid)
            || fix.edits.iter().any(|edit| self.conflicts(edit))
        {
            return false;
        }
        fix.edits.iter().for_each(|edit| self.add(edit));
        true
    }

    /// The edits, in order.
    pub(crate) fn into_edits(self) -> Vec<Edit> {
        self.0.into_values().flatten().cloned().collect()
    }

    /// Applies the edits to `bytes`.
    pub(crate) fn splice(self, bytes: &[u8]) -> (Vec<u8>, EditMap) {
        let mut out = Vec::with_capacity(bytes.len());
        let mut pairs = Vec::new();
        let mut at = 0;
        for edit in self.0.into_values().flatten() {
            // Overlapping edits within one fix are a bug in the rule that provides the fix: the
            // first edit wins.
            if (edit.span.start as usize) < at {
                continue;
            }
            out.extend_from_slice(&bytes[at..edit.span.start as usize]);
            let start = out.len();
            out.extend_from_slice(edit.text.as_bytes());
            at = edit.span.end as usize;
            pairs.push((edit.span, Span::new(start, out.len())));
        }
        out.extend_from_slice(&bytes[at..]);
        (out, EditMap(pairs))
    }

    /// Whether an edit touches another edit that is not equal to it.
    fn conflicts(&self, edit: &Edit) -> bool {
        let Span { start, end } = edit.span;
        let at_start = self.0.get(&start).into_iter().flatten();
        let before = self.0.range(..start).next_back();
        let within = self.0.range(start..end).find(|(at, _)| **at != start);
        let mut neighbours = before.into_iter().chain(within).flat_map(|(_, edits)| edits);
        at_start.into_iter().any(|other| **other != *edit)
            || neighbours.any(|other| touches(other, edit))
    }

    fn add(&mut self, edit: &'a Edit) {
        self.0.entry(edit.span.start).or_default().insert(edit);
    }
}

/// Whether two edits that begin at different offsets cannot both be applied.
fn touches(a: &Edit, b: &Edit) -> bool {
    a.span.overlaps(b.span)
        || (a.span.is_empty() && b.span.start < a.span.start && a.span.start < b.span.end)
        || (b.span.is_empty() && a.span.start < b.span.start && b.span.start < a.span.end)
}

/// The replaced spans, before and after the edits, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EditMap(Vec<(Span, Span)>);

impl EditMap {
    /// The span in the text before the edits. A position within a replacement becomes the whole
    /// replaced span.
    pub(crate) fn back(&self, span: Span) -> Span {
        self.map(span, |&(before, after)| (after, before))
    }

    /// The span in the text after the edits. A position within a replaced span becomes the whole
    /// replacement.
    pub(crate) fn forward(&self, span: Span) -> Span {
        self.map(span, |&pair| pair)
    }

    fn map(&self, span: Span, pair: impl Fn(&(Span, Span)) -> (Span, Span)) -> Span {
        // An offset outside of the edits is moved by the edits before it.
        let moved = |offset: u32, before: usize| match before.checked_sub(1) {
            None => offset,
            Some(last) => {
                let (from, to) = pair(&self.0[last]);
                to.end + (offset - from.end)
            }
        };
        let first = self.0.partition_point(|edit| pair(edit).0.end <= span.start);
        let start = match self.0.get(first).map(&pair) {
            Some((from, to)) if from.start <= span.start => to.start,
            _ => moved(span.start, first),
        };
        let last = self.0.partition_point(|edit| pair(edit).0.end < span.end);
        let end = match self.0.get(last).map(&pair) {
            Some((from, to)) if from.start < span.end => to.end,
            _ => moved(span.end, last),
        };
        // An empty span at an insertion covers the inserted text.
        Span { start: start.min(end), end: start.max(end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::finding::Safety;
    use proptest::prelude::*;

    fn fix(edits: &[(usize, usize, &str)]) -> Fix {
        let edits = edits
            .iter()
            .map(|&(start, end, text)| Edit::replace(Span::new(start, end), text))
            .collect();
        Fix { title: "t".into(), safety: Safety::Safe, edits, file: None }
    }

    fn applied(text: &str, fixes: &[Fix]) -> (String, usize) {
        let (bytes, count) = apply(text.as_bytes(), &fixes.iter().collect::<Vec<_>>());
        (String::from_utf8(bytes).expect("text"), count)
    }

    #[test]
    fn touching_fixes_are_applied_in_the_next_round() {
        let fixes = [fix(&[(0, 2, "X")]), fix(&[(1, 3, "Y")]), fix(&[(3, 3, "+"), (4, 5, "")])];
        assert_eq!(applied("abcde", &fixes), ("Xc+d".into(), 2));
    }

    #[test]
    fn a_shared_edit_is_made_once() {
        let fixes = [fix(&[(0, 0, "use a\n"), (0, 1, "b")]), fix(&[(0, 0, "use a\n")])];
        assert_eq!(applied("z", &[fixes[1].clone(), fixes[1].clone()]), ("use a\nz".into(), 2));
    }

    #[test]
    fn an_edit_past_the_end_is_rejected() {
        assert_eq!(applied("ab", &[fix(&[(1, 9, "X")])]), ("ab".into(), 0));
    }

    #[test]
    fn spans_are_mapped_in_both_directions() {
        let fix = fix(&[(2, 4, "XYZ"), (6, 6, "++"), (8, 9, "")]);
        let mut edits = Edits::default();
        assert!(edits.add_fix(&fix, 10));
        let (out, map) = edits.splice(b"0123456789");
        assert_eq!(out, b"01XYZ45++679");
        let span = Span::new;
        for (before, after) in
            [((0, 2), (0, 2)), ((4, 6), (5, 7)), ((6, 8), (9, 11)), ((9, 10), (11, 12))]
        {
            assert_eq!(map.forward(span(before.0, before.1)), span(after.0, after.1));
            assert_eq!(map.back(span(after.0, after.1)), span(before.0, before.1));
        }
        assert_eq!(map.forward(span(3, 4)), span(2, 5));
        assert_eq!(map.back(span(3, 4)), span(2, 4));
        assert_eq!(map.back(span(8, 8)), span(6, 6));
        assert_eq!(map.forward(span(8, 9)), span(11, 11));
        assert_eq!(map.back(span(11, 11)), span(8, 9));
    }

    proptest! {
        #[test]
        fn text_outside_of_edits_is_unchanged(
            text in "[a-z]{0,30}",
            spans in proptest::collection::vec((0usize..30, 0usize..6), 0..8),
        ) {
            let fixes: Vec<Fix> = spans
                .iter()
                .map(|&(start, len)| fix(&[(start.min(text.len()), (start + len).min(text.len()), "#")]))
                .collect();
            let (out, count) = applied(&text, &fixes);
            prop_assert!(count <= fixes.len());
            // Each applied edit leaves one mark, and the text between the marks is unchanged and in
            // order.
            let mut rest = text.as_str();
            for piece in out.split('#') {
                let at = rest.find(piece);
                prop_assert!(at.is_some());
                rest = &rest[at.unwrap_or(0) + piece.len()..];
            }
        }

        #[test]
        fn text_outside_of_edits_is_mapped_to_itself(
            text in "[a-z]{0,30}",
            spans in proptest::collection::vec((0usize..30, 0usize..6, "#{0,3}"), 0..8),
        ) {
            let fixes: Vec<Fix> = spans
                .iter()
                .map(|(start, len, new)| fix(&[(*start.min(&text.len()), (start + len).min(text.len()), new)]))
                .collect();
            let mut edits = Edits::default();
            for fix in &fixes {
                edits.add_fix(fix, text.len());
            }
            let (out, map) = edits.splice(text.as_bytes());
            for at in 0..out.len() {
                let back = map.back(Span::new(at, at + 1));
                prop_assert!(back.end as usize <= text.len());
                if out[at] != b'#' {
                    prop_assert_eq!(&text.as_bytes()[back.range()], &out[at..=at]);
                    prop_assert_eq!(map.forward(back), Span::new(at, at + 1));
                }
            }
        }
    }
}
