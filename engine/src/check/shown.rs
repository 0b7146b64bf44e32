//! The parts of a text that the output of findings can show. If no rule on secrets is enabled, only
//! these parts are searched for secrets.

use crate::text::finding::Finding;
use crate::text::source::{Source, Span};
use aho_corasick::AhoCorasick;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Number of lines before and after a finding that are searched: at least as many as an excerpt
/// shows.
const LINES_AROUND: usize = 3;

/// Maximum number of values that are searched for in the other parts of a text.
const MAX_VALUES: usize = 64;

/// Length in bytes of the values that are searched for in the other parts of a text.
const VALUE_LENGTH: Range<usize> = 6..512;

/// Texts shorter than this are searched completely.
const MIN_BYTES: usize = 1 << 10;

/// Beginnings of secrets that extend over several lines, and of the calls that contain them. A text
/// with one of them is searched completely.
pub(super) const MULTILINE_MARKERS: [&str; 16] = [
    "-----BEGIN ",
    "-----begin ",
    "---- BEGIN ",
    "PuTTY-User-Key-File-",
    "putty-user-key-file-",
    "PRIVATE KEY-----",
    "private key-----",
    "private_key_id",
    "\"kty\"",
    "organizations/",
    "curl",
    "CURL",
    "machine ",
    "machine\t",
    "transifex",
    "tx_token",
];

/// Finds [`MULTILINE_MARKERS`]. The search is case-sensitive, because that is several times as fast.
static MULTILINE: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(MULTILINE_MARKERS).ok());

/// The ranges that the output of `findings` can show: the lines around each span, and the lines that
/// contain a value of these lines or of a message, because the context of a secret can be elsewhere
/// in the text. Sorted and disjoint; `None` if the whole text must be searched.
pub(super) fn ranges(source: &Source, findings: &[Finding]) -> Option<Vec<Range<usize>>> {
    let text = source.text();
    if text.len() < MIN_BYTES || MULTILINE.as_ref().is_none_or(|markers| markers.is_match(text)) {
        return None;
    }
    let spans = findings.iter().flat_map(|finding| {
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
        let related = finding.related.iter().map(|related| related.span);
        [finding.span].into_iter().chain(related).chain(edits)
    });
    let mut around: Vec<Range<usize>> = spans.map(|span| lines_around(source, span)).collect();
    around = merge(around);
    if covered(&around) * 2 > text.len() {
        return None;
    }
    let mut values = BTreeSet::new();
    for range in &around {
        add_values(&text[range.clone()], &mut values);
    }
    for finding in findings {
        let related = finding.related.iter().map(|related| &related.message);
        let texts = [&finding.message].into_iter().chain(&finding.help).chain(related);
        texts.for_each(|text| add_values(text, &mut values));
    }
    if values.len() > MAX_VALUES {
        return None;
    }
    if !values.is_empty() {
        let finder = AhoCorasick::new(values).ok()?;
        let elsewhere = finder.find_iter(text).map(|found| Span::new(found.start(), found.end()));
        around.extend(elsewhere.map(|span| lines_around(source, span)).collect::<Vec<_>>());
        around = merge(around);
    }
    (covered(&around) * 2 <= text.len()).then_some(around)
}

/// The range of the lines of `span`, and of the lines around them.
fn lines_around(source: &Source, span: Span) -> Range<usize> {
    let last = span.end.saturating_sub(1).max(span.start);
    let first = source.line_of(span.start).saturating_sub(LINES_AROUND);
    let last = source.line_of(last) + LINES_AROUND;
    let end = source.line_span(last.min(source.line_count() - 1)).end;
    source.line_span(first).start as usize..end as usize
}

/// The sorted ranges, with overlapping and adjacent ranges joined.
fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let overlaps = next.start <= last.end + 1;
        if overlaps {
            last.end = last.end.max(next.end);
        }
        overlaps
    });
    ranges
}

fn covered(ranges: &[Range<usize>]) -> usize {
    ranges.iter().map(Range::len).sum()
}

/// Adds the words that could be secrets: at least one digit or sign that words and paths do not
/// contain.
fn add_values<'t>(text: &'t str, values: &mut BTreeSet<&'t str>) {
    let is_end = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'>')
    };
    let is_sign = |byte: u8| byte.is_ascii_digit() || b"!@#$%^&*+~".contains(&byte);
    let mut start = 0;
    for word in text.as_bytes().split(is_end) {
        let end = start + word.len();
        if VALUE_LENGTH.contains(&word.len())
            && word.iter().any(|&byte| is_sign(byte))
            && let Some(value) = text.get(start..end)
        {
            values.insert(value.trim_matches(['(', ')', '[', ']', '{', '}', ':', '=', '.']));
        }
        start = end + 1;
    }
    values.remove("");
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_page::Severity;

    fn found(text: &str, spans: &[&str], message: &str) -> Option<Vec<String>> {
        let source = Source::new("a.js", text);
        let finding = |part: &&str| {
            let start = text.find(part).expect("in the text");
            let span = Span::new(start, start + part.len());
            Finding::new("a/b".into(), Severity::Error, span, message)
        };
        let findings: Vec<Finding> = spans.iter().map(finding).collect();
        let ranges = ranges(&source, &findings)?;
        Some(ranges.into_iter().map(|range| text[range].to_owned()).collect())
    }

    #[test]
    fn only_the_shown_lines_and_lines_with_their_values_are_searched() {
        let filler = "const a = b;\n".repeat(200);
        let text =
            format!("x = 'hunter22'\n{filler}expect('hunter22').toBe(c)\n{filler}y = 1\n{filler}");
        let lines = |count: usize| "const a = b;\n".repeat(count);
        let expected = [
            format!("x = 'hunter22'\n{}", lines(3).trim_end()),
            format!("{}expect('hunter22').toBe(c)\n{}", lines(3), lines(3).trim_end()),
        ];
        assert_eq!(found(&text, &["expect"], "m"), Some(expected.to_vec()));
        let expected = [expected[0].clone(), expected[1].clone()];
        assert_eq!(found(&text, &["x ="], "quotes `hunter22`"), Some(expected.to_vec()));
        assert_eq!(found(&text, &["y ="], "m").map(|ranges| ranges.len()), Some(1));
    }

    #[test]
    fn texts_with_multiline_secrets_are_searched_completely() {
        let filler = "const a = b;\n".repeat(200);
        let text = format!("-----BEGIN RSA PRIVATE KEY-----\n{filler}expect(b)\n{filler}");
        assert_eq!(found(&text, &["expect"], "m"), None);
        assert_eq!(found("expect(b)", &["expect"], "m"), None);
    }
}
