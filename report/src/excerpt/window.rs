//! The columns of long lines that an excerpt shows.

use aidd_engine::text::source::{Source, Span};
use textwrap::core::display_width;

/// Number of columns of a tab in the output.
const TAB: usize = 4;
/// Indent above which the common white space of the lines is cut.
const MAX_INDENT: usize = 24;

/// A range of columns. The lines are cut at the same columns, so that they stay aligned.
pub(super) struct Window {
    start: usize,
    end: usize,
    /// Whether a line has text before the window.
    cuts_text: bool,
}

/// A line, and the part of it that is long enough for every window: an extremely long line is not
/// measured completely.
type Part = (Span, Span);

impl Window {
    /// The window for `lines` with marks at `spans`; `None` if all lines fit in `columns`.
    pub(super) fn around(
        source: &Source,
        lines: &[Part],
        spans: &[Span],
        columns: usize,
    ) -> Option<Self> {
        let columns = columns.max(20);
        let is_blank = |part: &Part| source.slice(part.1).trim().is_empty();
        let parts = || lines.iter().filter(|part| !is_blank(part));
        let indent = parts().map(|part| indent(source, part)).min().unwrap_or_default();
        let widest = parts().map(|part| end_column(source, part)).max().unwrap_or_default();
        if widest <= columns && indent <= MAX_INDENT {
            return None;
        }
        // Only the white space before the lines is cut.
        if widest - indent <= columns {
            return Some(Self { start: indent, end: usize::MAX, cuts_text: false });
        }
        let column = |offset: u32| {
            let part = lines.iter().find(|(line, _)| (line.start..=line.end).contains(&offset))?;
            Some((part, column_of(source, part, offset)))
        };
        let marks =
            spans.iter().filter_map(|span| Some((column(span.start)?, column(span.end)?.1)));
        let marks: Vec<(&Part, usize, usize)> =
            marks.map(|((part, start), end)| (part, start, end)).collect();
        let (_, first, _) = *marks.iter().min_by_key(|(_, start, _)| start)?;
        // The first mark is that of the finding.
        let (part, start, end) = *marks.first()?;
        let last = marks.iter().map(|(_, _, end)| *end).max()?;
        // One column for `…` at each end.
        let room = columns - 2;
        let (left, right) =
            if last.saturating_sub(first) <= room { (first, last) } else { (start, end) };
        let (left, right) = (left.min(right), right.max(left));
        if right - indent < columns {
            return Some(Self { start: indent, end: indent + columns - 1, cuts_text: false });
        }
        let padding = room.saturating_sub(right - left) / 2;
        let earliest = left.saturating_sub(padding).max(indent);
        let start = boundary(source, part, (earliest, left));
        Some(Self { start, end: start + room, cuts_text: true })
    }

    /// The part of a line in the window, and the prefix that marks a cut.
    pub(super) fn part(&self, source: &Source, part: Part) -> (Span, &'static str) {
        let (line, visible) = part;
        let text = source.slice(visible);
        let mut column = (visible.start - line.start) as usize;
        let (mut start, mut end) = (None, text.len());
        for (at, c) in text.char_indices() {
            if column >= self.start && start.is_none() {
                start = Some(at);
            }
            if column >= self.end {
                end = at;
                break;
            }
            column += char_columns(c);
        }
        let Some(start) = start else { return (Span::at(line.end as usize), "") };
        let offset = visible.start as usize;
        let shown = Span::new(offset + start, offset + end.max(start));
        let is_cut = offset > line.start as usize || !text[..start].trim().is_empty();
        let is_blank = text[start..end.max(start)].trim().is_empty();
        let prefix = match (self.cuts_text, is_cut) {
            _ if is_blank => "",
            (true, true) => "…",
            (true, false) => " ",
            (false, _) => "",
        };
        (shown, prefix)
    }
}

/// The column after the last character.
fn end_column(source: &Source, part: &Part) -> usize {
    let (line, visible) = part;
    let cut = usize::from(visible.end < line.end);
    column_of(source, part, visible.end) + cut
}

/// Number of columns of the white space before a line.
fn indent(source: &Source, part: &Part) -> usize {
    let (line, visible) = part;
    if visible.start > line.start {
        return (visible.start - line.start) as usize;
    }
    let text = source.slice(*visible);
    columns(&text[..text.len() - text.trim_start().len()])
}

/// The column of an offset, counted from zero. Text before the visible part counts one column per
/// byte.
fn column_of(source: &Source, (line, visible): &Part, offset: u32) -> usize {
    let offset = offset.clamp(visible.start, visible.end);
    let before = Span { start: visible.start, end: offset };
    (visible.start - line.start) as usize + columns(source.slice(before))
}

/// Number of columns of a text.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

fn char_columns(c: char) -> usize {
    if c == '\t' { TAB } else { display_width(c.encode_utf8(&mut [0; 4])) }
}

/// The first column in the range at which a tag begins, or else a word; otherwise the first column.
fn boundary(source: &Source, part: &Part, (earliest, latest): (usize, usize)) -> usize {
    let (line, visible) = part;
    let mut column = (visible.start - line.start) as usize;
    let (mut tag, mut word) = (None, None);
    let mut previous = ' ';
    for c in source.slice(*visible).chars() {
        if (earliest..=latest).contains(&column) {
            if c == '<' && tag.is_none() {
                tag = Some(column);
            }
            if previous.is_whitespace() && !c.is_whitespace() && word.is_none() {
                word = Some(column);
            }
        }
        previous = c;
        column += char_columns(c);
    }
    tag.or(word).unwrap_or(earliest)
}
