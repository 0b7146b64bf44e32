//! Masks the secrets of a source in every string of the output.

use super::FileFindings;
use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aidd_engine::check::REDACTED;
use aidd_engine::text::finding::{FileChange, Fix};
use aidd_engine::text::source::{Source, Span};
use std::borrow::Cow;
use std::ops::Range;

/// Minimum length of values in bytes: shorter values occur in ordinary words and are hidden by
/// position only.
const MIN_LENGTH: usize = 4;

/// Hides the secrets of a source, by position and by value.
pub(super) struct Redactor<'a> {
    source: &'a Source,
    /// Sorted and disjoint.
    spans: Vec<Span>,
    values: Option<NFA>,
}

impl<'a> Redactor<'a> {
    pub(super) fn new(file: &FileFindings<'a>) -> Self {
        let secrets = file.findings.iter().filter_map(|finding| finding.secret);
        let mut spans: Vec<Span> = file.secrets.iter().copied().chain(secrets).collect();
        spans.sort_unstable();
        spans.dedup();
        let values = build_value_search(file.source, &spans);
        // Overlapping secrets can be merged here, because bytes are hidden by position.
        spans.dedup_by(|next, last| {
            let overlaps = next.start <= last.end;
            if overlaps {
                *last = last.cover(*next);
            }
            overlaps
        });
        Self { source: file.source, spans, values }
    }

    /// `text` with the value of every secret masked.
    pub(super) fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for range in self.find_values(text) {
            out.push_str(&text[from..range.start]);
            out.push_str(REDACTED);
            from = range.end;
        }
        out.push_str(&text[from..]);
        out
    }

    /// Whether the edits of `fix` contain no secrets. Edits with masked secrets would write the
    /// mask into the file.
    pub(super) fn can_show(&self, fix: &Fix) -> bool {
        let new_text = match &fix.file {
            Some(FileChange::Create { text, .. }) => Some(text),
            _ => None,
        };
        let edits = fix.edits.iter().map(|edit| &edit.text);
        edits.chain(new_text).all(|text| self.find_values(text).is_empty())
    }

    /// The text of `span` with each byte of a secret replaced by `*`, so that the length is
    /// unchanged.
    pub(super) fn excerpt(&self, span: Span) -> Cow<'a, str> {
        let text = self.source.slice(span);
        let start = self.source.text().floor_char_boundary(span.start as usize);
        let mut hidden = self.find_values(text);
        let end = start + text.len();
        let first = self.spans.partition_point(|secret| secret.end as usize <= start);
        let within = self.spans[first..].iter().take_while(|secret| (secret.start as usize) < end);
        hidden.extend(within.map(|secret| {
            let (from, to) = ((secret.start as usize).max(start), (secret.end as usize).min(end));
            from - start..to - start
        }));
        if hidden.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(mask(text, hidden)) }
    }

    /// The beginning of [`Self::excerpt`]: more than `length` bytes if the text of `span` has more, so
    /// that the cost does not depend on the length of a line.
    pub(super) fn beginning(&self, span: Span, length: usize) -> Cow<'a, str> {
        // A value that begins before the end is masked although it ends after it.
        let longest = self.values.as_ref().map_or(0, Automaton::max_pattern_len);
        let end = (span.start as usize).saturating_add(length + longest + char::MAX.len_utf8());
        self.excerpt(Span { end: span.end.min(u32::try_from(end).unwrap_or(u32::MAX)), ..span })
    }

    /// The occurrences of secret values in `text`: sorted and disjoint.
    fn find_values(&self, text: &str) -> Vec<Range<usize>> {
        self.values.as_ref().map_or_else(Vec::new, |values| occurrences(values, text))
    }
}

/// The occurrences of `values` in `text`: sorted and disjoint.
///
/// Takes one step per byte of `text`. `find_overlapping_iter` would yield every value that ends at
/// a byte: as many matches as there are values if each value is a suffix of the next.
fn occurrences(values: &NFA, text: &str) -> Vec<Range<usize>> {
    let mut state = values.start_state(Anchored::No).expect("unanchored searches are enabled");
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (end, byte) in (1..).zip(text.bytes()) {
        state = values.next_state(Anchored::No, state, byte);
        if values.is_match(state) {
            // The first pattern of a state is the longest; the others are suffixes of it.
            let longest = values.pattern_len(values.match_pattern(state, 0));
            ranges.push(end - longest..end);
        }
    }
    merge_ranges(ranges)
}

/// The sorted ranges, with overlapping and adjacent ranges joined.
fn merge_ranges(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let overlaps = next.start <= last.end;
        if overlaps {
            last.end = last.end.max(next.end);
        }
        overlaps
    });
    ranges
}

fn mask(text: &str, hidden: Vec<Range<usize>>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut hidden = merge_ranges(hidden).into_iter().peekable();
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        while hidden.next_if(|range| range.end <= at).is_some() {}
        let is_hidden = hidden.peek().is_some_and(|range| range.start < end);
        if is_hidden && !matches!(c, '\r' | '\n') {
            out.extend(std::iter::repeat_n('*', c.len_utf8()));
        } else {
            out.push(c);
        }
    }
    out
}

/// Builds the search for the values of the secrets, and for each line of a multi-line value.
fn build_value_search(source: &Source, spans: &[Span]) -> Option<NFA> {
    let mut values: Vec<&str> = Vec::new();
    for text in spans.iter().map(|&span| source.slice(span)) {
        values.push(text);
        if text.contains(['\r', '\n']) {
            values.extend(text.lines().map(str::trim));
        }
    }
    values.retain(|value| value.len() >= MIN_LENGTH);
    values.sort_unstable();
    values.dedup();
    // Exceeding the automaton's limit would require a source of gigabytes.
    (!values.is_empty()).then(|| NFA::new(values).expect("the values fit into the automaton"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exactly_the_bytes_of_occurrences_are_covered(
            values in proptest::collection::vec("[ab]{1,4}", 1..6),
            text in "[abc]{0,40}",
        ) {
            let mut expected = vec![false; text.len()];
            for value in &values {
                for start in 0..text.len() {
                    if text[start..].starts_with(value.as_str()) {
                        expected[start..start + value.len()].fill(true);
                    }
                }
            }
            let mut covered = vec![false; text.len()];
            for range in occurrences(&NFA::new(&values).expect("few values"), &text) {
                covered[range].fill(true);
            }
            prop_assert_eq!(covered, expected);
        }

        #[test]
        fn the_beginning_of_an_excerpt_has_the_same_masks(
            values in proptest::collection::vec("[ab]{1,4}", 1..6),
            text in "[abc줄]{0,40}",
            secret in (0_u32..40, 0_u32..9),
            length in 0_usize..20,
        ) {
            let source = Source::new("a.txt", text);
            let spans = vec![Span { start: secret.0, end: secret.0 + secret.1 }];
            let values = Some(NFA::new(&values).expect("few values"));
            let redactor = Redactor { source: &source, spans, values };
            let all = redactor.excerpt(source.line_span(0));
            let beginning = redactor.beginning(source.line_span(0), length);
            let cut = |text: &str| text[..text.floor_char_boundary(length)].to_owned();
            prop_assert_eq!(cut(&beginning), cut(&all));
            prop_assert_eq!(beginning.len() > length, all.len() > length);
        }
    }
}
