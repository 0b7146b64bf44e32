//! The text of one file, byte spans in it, and the conversion between offsets and line and column
//! positions.

mod decode;

use decode::decode;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::OnceLock;

/// A half-open byte range of one [`Source`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`, in bytes.
    ///
    /// # Panics
    /// When an offset does not fit in 32 bits; a [`Source`] is never that large.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let offset = |at: usize| u32::try_from(at).expect("a source is at most 4 GiB");
        Self { start: offset(start), end: offset(end) }
    }

    /// The empty span at `offset`.
    #[must_use]
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The span as a range, for slicing.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The length in bytes.
    #[must_use]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span covers no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether the two spans share a byte.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether `other` is within this span.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span moved `by` bytes towards the end.
    #[must_use]
    pub fn shift(self, by: usize) -> Self {
        Self::new(self.start as usize + by, self.end as usize + by)
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// The unit of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes of the UTF-8 text.
    Utf8,
    /// 16-bit units of UTF-16, the default of the language server protocol.
    Utf16,
    /// Unicode code points, as in JSON and SARIF output.
    CodePoints,
}

/// A zero-based line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 0.
    pub line: u32,
    /// Column, from 0, in the units of the requested [`Encoding`].
    pub column: u32,
}

/// How the bytes on disk were converted to text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// Valid UTF-8; a byte order mark is part of the text.
    Utf8,
    /// Not valid UTF-8: each invalid byte is replaced with one `0x1A`, so offsets are the same as
    /// in the file.
    Lossy,
    /// UTF-16 with a byte order mark, converted to UTF-8. Offsets refer to the UTF-8 text, and
    /// edits cannot be written back.
    Utf16,
}

/// The start of a window in a file that is too large to load at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Bytes of the file before this source.
    pub offset: u64,
    /// Lines of the file before this source.
    pub line: u32,
    /// The length of the part of the first line that precedes this source, if the source starts
    /// within a line.
    pub before: Columns,
}

/// The length of a text in each [`Encoding`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Columns {
    /// Bytes in UTF-8.
    pub utf8: u32,
    /// 16-bit units in UTF-16.
    pub utf16: u32,
    /// Unicode code points.
    pub code_points: u32,
}

impl Columns {
    /// The length of `text`.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        // Each character has one byte that is not a continuation byte; a four-byte character has
        // two UTF-16 units.
        let starts = text.bytes().filter(|byte| byte & 0xC0 != 0x80).count();
        let astral = text.bytes().filter(|byte| *byte >= 0xF0).count();
        Self {
            utf8: narrow(text.len()),
            utf16: narrow(starts + astral),
            code_points: narrow(starts),
        }
    }

    fn get(self, encoding: Encoding) -> u32 {
        match encoding {
            Encoding::Utf8 => self.utf8,
            Encoding::Utf16 => self.utf16,
            Encoding::CodePoints => self.code_points,
        }
    }

    /// The length of two concatenated texts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            utf8: self.utf8.saturating_add(other.utf8),
            utf16: self.utf16.saturating_add(other.utf16),
            code_points: self.code_points.saturating_add(other.code_points),
        }
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Distance between two entries of the column index, in bytes.
const STRIDE: usize = 512;

/// The text of one file, or of a window of a very large file.
///
/// Lines end at LF, CRLF or a lone CR, as in the language server protocol.
#[derive(Debug)]
pub struct Source {
    path: String,
    text: String,
    decoded: Decoded,
    origin: Origin,
    line_starts: OnceLock<Vec<u32>>,
    /// The length of the text before each multiple of [`STRIDE`], so that columns on lines of
    /// several megabytes are as fast as on short lines.
    columns: OnceLock<Vec<Columns>>,
}

impl Source {
    /// A source of `text` at `path` (relative to the root, `/` between segments).
    #[must_use]
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self::with_origin(path.into(), text.into(), Decoded::Utf8, Origin::default())
    }

    /// Decodes the bytes of a file in any encoding; see [`Decoded`].
    #[must_use]
    pub fn decode(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self::decode_window(path.into(), bytes, Origin::default())
    }

    /// Decodes a window of a larger file that starts at `origin`.
    #[must_use]
    pub fn decode_window(path: String, bytes: Vec<u8>, origin: Origin) -> Self {
        let (text, decoded) = decode(bytes);
        Self::with_origin(path, text, decoded, origin)
    }

    fn with_origin(path: String, text: String, decoded: Decoded, origin: Origin) -> Self {
        Self { path, text, decoded, origin, line_starts: OnceLock::new(), columns: OnceLock::new() }
    }

    /// The path, relative to the root, with `/` between segments.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The last segment of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The whole text, including line breaks.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How the bytes were converted to text.
    #[must_use]
    pub fn decoded(&self) -> Decoded {
        self.decoded
    }

    /// The position in its file where this source starts.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The text of `span`. Offsets are clamped to character boundaries, so the function never
    /// fails.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        super::time_limit::step();
        let end = self.text.floor_char_boundary(span.end as usize);
        let start = self.text.floor_char_boundary(span.start as usize).min(end);
        &self.text[start..end]
    }

    /// The number of lines, at least 1; a trailing line break starts another line.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.line_starts().len()
    }

    /// The zero-based line (within this source) that contains `offset`.
    #[must_use]
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset) - 1
    }

    /// The span of a zero-based line (within this source), without its line break.
    #[must_use]
    pub fn line_span(&self, line: usize) -> Span {
        let starts = self.line_starts();
        let Some(&start) = starts.get(line) else { return Span::at(self.text.len()) };
        let end = starts.get(line + 1).map_or(self.text.len(), |&next| next as usize);
        let text = self.text[start as usize..end].trim_end_matches(['\r', '\n']);
        Span::new(start as usize, start as usize + text.len())
    }

    /// The span of all lines that `span` touches, without the last line break.
    #[must_use]
    pub fn lines_around(&self, span: Span) -> Span {
        let last = if span.is_empty() { span.start } else { span.end - 1 };
        self.line_span(self.line_of(span.start)).cover(self.line_span(self.line_of(last)))
    }

    /// The position in the file of `offset`, rounded down to the start of its character.
    #[must_use]
    pub fn position(&self, offset: u32, encoding: Encoding) -> Position {
        let offset = self.text.floor_char_boundary(offset as usize);
        let line = self.line_of(u32::try_from(offset).unwrap_or(u32::MAX));
        let start = self.line_starts()[line] as usize;
        let before = if line == 0 { self.origin.before } else { Columns::default() };
        let column = before.plus(self.columns_between(start, offset)).get(encoding);
        Position { line: narrow(line).saturating_add(self.origin.line), column }
    }

    /// The length of the text between two character boundaries.
    fn columns_between(&self, start: usize, end: usize) -> Columns {
        if end - start <= STRIDE {
            return Columns::from_text(&self.text[start..end]);
        }
        let (from, to) = (self.columns_before(start), self.columns_before(end));
        Columns {
            utf8: to.utf8 - from.utf8,
            utf16: to.utf16 - from.utf16,
            code_points: to.code_points - from.code_points,
        }
    }

    fn columns_before(&self, offset: usize) -> Columns {
        let index = self.columns.get_or_init(|| {
            let mut index = vec![Columns::default()];
            let mut at = 0;
            while at + STRIDE <= self.text.len() {
                let from = self.text.floor_char_boundary(at);
                let to = self.text.floor_char_boundary(at + STRIDE);
                let last = index.last().copied().unwrap_or_default();
                index.push(last.plus(Columns::from_text(&self.text[from..to])));
                at += STRIDE;
            }
            index
        });
        let entry = offset / STRIDE;
        let mut from = self.text.floor_char_boundary(entry * STRIDE);
        let mut base = index[entry];
        // The offset is within the character that crosses the index entry.
        if from > offset {
            from = self.text.floor_char_boundary((entry - 1) * STRIDE);
            base = index[entry - 1];
        }
        base.plus(Columns::from_text(&self.text[from..offset]))
    }

    /// The byte offset of `position`; a line or column past the end is clamped to the end.
    #[must_use]
    pub fn offset(&self, position: Position, encoding: Encoding) -> u32 {
        let Some(line) = position.line.checked_sub(self.origin.line) else { return 0 };
        let line = self.line_span(line as usize);
        let before =
            if position.line == self.origin.line { self.origin.before } else { Columns::default() };
        let column = position.column.saturating_sub(before.get(encoding));
        line.start + Span::at(column_offset(self.slice(line), column, encoding)).start
    }

    fn line_starts(&self) -> &[u32] {
        super::time_limit::step();
        self.line_starts.get_or_init(|| line_starts(&self.text))
    }
}

/// The byte offset of a column in a line, clamped to its end; a column within a character is
/// rounded down to its start.
#[must_use]
pub fn column_offset(line: &str, column: u32, encoding: Encoding) -> usize {
    let mut remaining = column as usize;
    for (at, c) in line.char_indices() {
        let units = match encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::CodePoints => 1,
        };
        if remaining < units {
            return at;
        }
        remaining -= units;
    }
    line.len()
}

/// The offset of the start of each line.
fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
            starts.push(Span::at(at + 1).start);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str) -> Vec<String> {
        let source = Source::new("x", text);
        let line = |line| source.slice(source.line_span(line)).to_owned();
        (0..source.line_count()).map(line).collect()
    }

    #[test]
    fn lines_end_at_lf_crlf_and_cr() {
        assert_eq!(lines(""), [""]);
        assert_eq!(lines("a"), ["a"]);
        assert_eq!(lines("a\n"), ["a", ""]);
        assert_eq!(lines("a\r\nb\rc\nd"), ["a", "b", "c", "d"]);
        assert_eq!(lines("\r\r\n\n"), ["", "", "", ""]);
    }

    #[test]
    fn columns_follow_the_encoding() {
        let source = Source::new("x", "\u{FEFF}a\n😀é=1");
        let at = u32::try_from(source.text().find('=').expect("present")).expect("small");
        let column = |encoding| source.position(at, encoding);
        assert_eq!(column(Encoding::Utf8), Position { line: 1, column: 6 });
        assert_eq!(column(Encoding::Utf16), Position { line: 1, column: 3 });
        assert_eq!(column(Encoding::CodePoints), Position { line: 1, column: 2 });
    }

    #[test]
    fn bytes_that_are_not_utf8_keep_their_offsets() {
        let source = Source::decode("x", b"caf\xE9 = 1\n".to_vec());
        assert_eq!(source.decoded(), Decoded::Lossy);
        assert_eq!(source.text().find('='), Some(5));
    }

    #[test]
    fn utf16_is_recognised_by_its_byte_order_mark() {
        let bytes =
            [0xFF, 0xFE].into_iter().chain("key=é".encode_utf16().flat_map(u16::to_le_bytes));
        let source = Source::decode("x", bytes.collect());
        assert_eq!((source.text(), source.decoded()), ("key=é", Decoded::Utf16));
    }

    #[test]
    fn positions_in_a_window_are_relative_to_the_file() {
        let source = Source::decode_window(
            "x".into(),
            b"a\nb".to_vec(),
            Origin { offset: 100, line: 7, before: Columns::from_text("é😀") },
        );
        assert_eq!(source.position(1, Encoding::Utf16), Position { line: 7, column: 4 });
        assert_eq!(source.offset(Position { line: 7, column: 3 }, Encoding::CodePoints), 1);
        assert_eq!(source.position(2, Encoding::Utf8), Position { line: 8, column: 0 });
        assert_eq!(source.offset(Position { line: 8, column: 1 }, Encoding::Utf8), 3);
    }

    #[test]
    fn columns_in_a_very_long_line_are_exact() {
        let text = "aé😀\u{301}".repeat(3 * STRIDE / 10);
        let source = Source::new("x", text.as_str());
        let mut utf16 = 0;
        for (count, (at, c)) in text.char_indices().enumerate() {
            let offset = Span::at(at).start;
            assert_eq!(source.position(offset, Encoding::CodePoints).column as usize, count);
            assert_eq!(source.position(offset, Encoding::Utf16).column as usize, utf16);
            utf16 += c.len_utf16();
        }
    }

    proptest! {
        #[test]
        fn positions_and_offsets_are_inverse(text in "[a\u{301}é😀\u{FEFF}\r\n\t ]{0,60}") {
            let source = Source::new("x", text.as_str());
            let mut before = None;
            for (at, c) in text.char_indices().chain([(text.len(), 'x')]) {
                let offset = u32::try_from(at).expect("small");
                for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::CodePoints] {
                    let position = source.position(offset, encoding);
                    // A position within a line break does not round-trip.
                    if source.line_span(position.line as usize).end >= offset {
                        prop_assert_eq!(source.offset(position, encoding), offset, "{:?}", c);
                    }
                }
                let position = source.position(offset, Encoding::CodePoints);
                prop_assert!(before < Some(position), "positions grow with offsets");
                before = Some(position);
            }
        }

        #[test]
        fn lines_and_their_breaks_make_up_the_text(text in "[aé😀\r\n]{0,60}") {
            let source = Source::new("x", text.as_str());
            let mut end = 0;
            for line in 0..source.line_count() {
                let span = source.line_span(line);
                prop_assert!(matches!(&text[end..span.start as usize], "" | "\n" | "\r" | "\r\n"));
                prop_assert!(!source.slice(span).contains(['\r', '\n']));
                end = span.end as usize;
            }
            prop_assert!(matches!(&text[end..], "" | "\n" | "\r" | "\r\n"));
        }

        #[test]
        fn any_bytes_become_text_of_the_same_length(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            prop_assume!(!matches!(bytes.as_slice(), [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]));
            let length = bytes.len();
            prop_assert_eq!(Source::decode("x", bytes).text().len(), length);
        }
    }
}
