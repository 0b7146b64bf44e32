//! The text of an instruction without line continuations, with a mapping back to the source.

use crate::text::source::Span;
use std::ops::Range;

/// Text collected from several ranges of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logical {
    text: String,
    parts: Vec<Part>,
}

/// A mapping to the source: the bytes of the text from offset `at` on are the bytes of the source
/// from offset `source` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    at: usize,
    source: usize,
}

impl Logical {
    /// Appends `text`, which starts at offset `source` of the source.
    pub(super) fn push(&mut self, text: &str, source: usize) {
        if text.is_empty() && !self.parts.is_empty() {
            return;
        }
        self.parts.push(Part { at: self.text.len(), source });
        self.text.push_str(text);
    }

    /// The collected text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The source offset of the byte at `offset` of the text; the end of the text maps to the
    /// offset after its last byte.
    #[must_use]
    pub fn offset(&self, offset: usize) -> usize {
        let next = self.parts.partition_point(|part| part.at <= offset);
        let part = next.checked_sub(1).and_then(|at| self.parts.get(at));
        part.map_or(0, |part| part.source + (offset.min(self.text.len()) - part.at))
    }

    /// The source span of a range of the text; it can include continuations.
    #[must_use]
    pub fn span(&self, range: Range<usize>) -> Span {
        let start = self.offset(range.start);
        let end = if range.end > range.start { self.offset(range.end - 1) + 1 } else { start };
        Span::new(start, end.max(start))
    }

    /// Whether a range of the text is contiguous in the source.
    #[must_use]
    pub fn is_contiguous(&self, range: Range<usize>) -> bool {
        let length = range.len();
        self.span(range).len() == length
    }
}
