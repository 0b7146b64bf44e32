//! The comment that a marker stands in: what is around it, and its words.

use super::markers::is_own;
use crate::text::source::{Source, Span};

/// How far behind its marker a comment is read, in bytes: thousands may stand on one line.
const REACH: usize = 2048;

/// Bytes of the longest opener of a comment: `<!--`.
const OPENER: usize = 4;

/// What closes a comment that can end within its line.
const CLOSERS: [&str; 4] = ["-->", "*/", "#}", "*)"];

/// What stands before the names of rules in a list.
pub(super) const LEADING: [char; 6] = [' ', '\t', ':', ',', '=', '['];

/// What stands on the line before and behind a marker; `None` when it is none.
pub(super) fn around<'a>(
    source: &'a Source,
    literal: &str,
    start: usize,
) -> Option<(&'a str, &'a str)> {
    let whole = source.line_span(source.line_of(Span::at(start).start));
    let before = &source.text()[whole.start as usize..start];
    let after = within_reach(&source.text()[start + literal.len()..whole.end as usize]);
    // `aidd:allowed` is a word; an own comment begins its comment, or it is talk about comments.
    let is_word =
        after.starts_with(|c: char| c.is_alphanumeric() && !literal.ends_with(['=', ':']));
    (!is_word && (!is_own(literal) || opens_comment(before))).then_some((before, after))
}

/// As much of what follows a marker as is read.
fn within_reach(after: &str) -> &str {
    &after[..after.floor_char_boundary(REACH)]
}

/// Whether the text before a marker ends in what opens a comment.
pub(super) fn opens_comment(before: &str) -> bool {
    const OPENERS: [&str; 11] = ["#", "//", "--", "/*", "*", "<!--", "%%", ";", "{#", "(*", "rem"];
    let before = before.trim_end();
    OPENERS.iter().any(|opener| before.ends_with(opener))
}

/// Whether before a marker there is nothing on its line but what opens the comment.
pub(super) fn stands_alone(before: &str) -> bool {
    let before = before.trim_end();
    let opener = before.ceil_char_boundary(before.len().saturating_sub(OPENER));
    // From its end: thousands of markers may stand behind one long indent.
    before[..opener].trim_end().is_empty()
}

/// Splits what follows a marker into rule names, the reason, and the length of the part with names.
pub(super) fn split(after: &str) -> (Vec<&str>, String, usize) {
    let after = within_comment(after).trim_end();
    let mut words = Vec::new();
    let mut at = 0;
    let mut more = true;
    while more {
        let rest = &after[at..];
        let begin = at + rest.len() - rest.trim_start_matches(LEADING).len();
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
        // A comma, before or behind the gap, carries the list on.
        more = part.ends_with(',') || after[end..].trim_start().starts_with(',');
        at = end;
    }
    let reason = after[at..].trim_matches([' ', '\t', '-', ':', '—']).to_owned();
    (words, reason, at)
}

/// The text up to what closes its comment.
pub(super) fn within_comment(after: &str) -> &str {
    let end = CLOSERS.iter().filter_map(|closer| after.find(closer)).min();
    &after[..end.unwrap_or(after.len())]
}

/// Whether the word is the code of a rule, as `B602` and `gosec/G204` are.
pub(super) fn is_code(word: &str) -> bool {
    let code = word.rsplit('/').next().unwrap_or(word);
    code.starts_with(|c: char| c.is_ascii_uppercase())
        && code.ends_with(|c: char| c.is_ascii_digit())
}

pub(super) fn opens_comment_line(source: &Source, line: usize) -> bool {
    let text = source.slice(source.line_span(line)).trim_start();
    ["#", "//", "--", "/*", "<!--", "%%", ";"].iter().any(|opener| text.starts_with(opener))
}

/// The comment around a directive; the whole line, with its break, when nothing else is on it.
pub(super) fn whole_comment(source: &Source, span: Span) -> Span {
    let line = source.line_span(source.line_of(span.start));
    let before = source.slice(Span { start: line.start, end: span.start });
    let opener =
        before.trim_end().trim_end_matches(|c: char| !c.is_whitespace() && !c.is_alphanumeric());
    let start = line.start + Span::at(opener.trim_end().len()).start;
    let rest = within_reach(source.slice(Span { start: span.end, end: line.end }));
    let closer =
        CLOSERS.iter().filter_map(|closer| rest.find(closer).map(|at| at + closer.len())).min();
    let end = closer.map_or(line.end, |length| span.end + Span::at(length).start);
    if start == line.start && end == line.end {
        let next = source.line_span(source.line_of(line.start) + 1);
        return Span { start: line.start, end: next.start.max(line.end) };
    }
    Span { start, end }
}
