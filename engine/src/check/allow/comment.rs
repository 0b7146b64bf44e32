//! The comment that contains a marker: the text around it, and its words.

use super::markers::is_aidd;
use crate::text::source::{Source, Span};

/// Maximum number of bytes read after a marker: one line can contain thousands of markers.
const MAX_READ: usize = 2048;

/// Length in bytes of the longest comment opener, `<!--`.
const MAX_OPENER_LENGTH: usize = 4;

/// The closers of comments that can end within their line.
const CLOSERS: [&str; 4] = ["-->", "*/", "#}", "*)"];

/// Characters that can precede the rule names in a list.
pub(super) const LIST_PREFIXES: [char; 6] = [' ', '\t', ':', ',', '=', '['];

/// The text before and after a marker on its line; `None` if the match is not a marker.
pub(super) fn text_around_marker<'a>(
    source: &'a Source,
    literal: &str,
    start: usize,
) -> Option<(&'a str, &'a str)> {
    let line = source.line_span(source.line_of(Span::at(start).start));
    let before = &source.text()[line.start as usize..start];
    let after = truncated(&source.text()[start + literal.len()..line.end as usize]);
    // `aidd:allowed` is another word, and `aidd:allow-next-line` is misspelt. An aidd marker must be
    // at the start of a comment; elsewhere, the text only mentions the marker.
    let is_word =
        after.starts_with(|c: char| c.is_alphanumeric() && !literal.ends_with(['=', ':']));
    let is_word = is_word || is_aidd(literal) && after.starts_with('-');
    (!is_word && (!is_aidd(literal) || opens_comment(before))).then_some((before, after))
}

/// The first [`MAX_READ`] bytes of the text after a marker.
fn truncated(after: &str) -> &str {
    &after[..after.floor_char_boundary(MAX_READ)]
}

/// Whether the text before a marker ends with a comment opener.
pub(super) fn opens_comment(before: &str) -> bool {
    const OPENERS: [&str; 11] = ["#", "//", "--", "/*", "*", "<!--", "%", ";", "{#", "(*", "rem"];
    let before = before.trim_end();
    OPENERS.iter().any(|opener| before.ends_with(opener))
}

/// Whether the text before a marker on its line is only a comment opener.
pub(super) fn is_alone_on_line(before: &str) -> bool {
    let before = before.trim_end();
    let opener = before.ceil_char_boundary(before.len().saturating_sub(MAX_OPENER_LENGTH));
    // Search from the end, because thousands of markers can follow one long indentation.
    before[..opener].trim_end().is_empty()
}

/// Splits the text after a marker into rule names, the reason, and the length of the part with
/// names.
pub(super) fn split(after: &str) -> (Vec<&str>, String, usize) {
    let after = within_comment(after).trim_end();
    let mut words = Vec::new();
    let mut at = 0;
    let mut has_next = true;
    while has_next {
        let rest = &after[at..];
        let begin = at + rest.len() - rest.trim_start_matches(LIST_PREFIXES).len();
        let end = after[begin..].find([' ', '\t']).map_or(after.len(), |length| begin + length);
        let part = &after[begin..end];
        if part.is_empty() || part.starts_with("--") {
            break;
        }
        words.extend(
            part.split(',')
                .map(|word| word.trim_matches([';', ':', ']']))
                .filter(|word| !word.is_empty()),
        );
        // A comma before or after the gap continues the list.
        has_next = part.ends_with(',') || after[end..].trim_start().starts_with(',');
        at = end;
    }
    let reason = after[at..].trim_matches([' ', '\t', '-', ':', '—']).to_owned();
    (words, reason, at)
}

/// The part of `after` up to the end of the comment that contains the marker.
pub(super) fn within_comment(after: &str) -> &str {
    let end = CLOSERS.iter().filter_map(|closer| after.find(closer)).min();
    &after[..end.unwrap_or(after.len())]
}

/// Whether the word is a rule code, such as `B602` or `gosec/G204`.
pub(super) fn is_code(word: &str) -> bool {
    let code = word.rsplit('/').next().unwrap_or(word);
    code.starts_with(|c: char| c.is_ascii_uppercase())
        && code.ends_with(|c: char| c.is_ascii_digit())
}

pub(super) fn opens_comment_line(source: &Source, line: usize) -> bool {
    let text = source.slice(source.line_span(line)).trim_start();
    ["#", "//", "--", "/*", "{/*", "<!--", "%", ";", "rem "]
        .iter()
        .any(|opener| text.starts_with(opener))
}

/// The span of the comment around a directive. If the line contains nothing else, the span of the
/// whole line with its line break.
pub(in crate::check) fn whole_comment(source: &Source, span: Span) -> Span {
    let line = source.line_span(source.line_of(span.start));
    let before = source.slice(Span { start: line.start, end: span.start });
    let opener =
        before.trim_end().trim_end_matches(|c: char| !c.is_whitespace() && !c.is_alphanumeric());
    let start = line.start + Span::at(opener.trim_end().len()).start;
    let rest = truncated(source.slice(Span { start: span.end, end: line.end }));
    let closer =
        CLOSERS.iter().filter_map(|closer| rest.find(closer).map(|at| at + closer.len())).min();
    let end = closer.map_or(line.end, |length| span.end + Span::at(length).start);
    if start == line.start && end == line.end {
        let next = source.line_span(source.line_of(line.start) + 1);
        return Span { start: line.start, end: next.start.max(line.end) };
    }
    Span { start, end }
}
