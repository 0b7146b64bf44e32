//! The text of a query, and the positions of its parts in the file.

use aidd_engine::text::source::Span;
use tree_sitter::Node;

/// The text of a query with the values that are inserted into it.
#[derive(Debug, Default)]
pub(super) struct Query<'t> {
    /// Each inserted value is represented by [`HOLE`].
    pub(super) text: String,
    /// Where the text is in the file, in order.
    places: Vec<Place>,
    pub(super) holes: Vec<Hole<'t>>,
    /// Whether the text combines several expressions or alternatives.
    pub(super) is_assembled: bool,
}

/// The mark of an inserted value in the text.
pub(super) const HOLE: char = '\u{1}';
/// Separates the alternatives of a text.
pub(super) const BREAK: char = '\u{2}';

/// A part of the text: its offset in the text, and its range in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: usize,
    start: usize,
    end: usize,
    /// Whether each byte of the text is a byte of the file.
    is_verbatim: bool,
}

/// A value that is inserted into a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole<'t> {
    /// The offset in the text.
    pub(super) at: usize,
    pub(super) value: Value<'t>,
    /// Whether the value is formatted as a number.
    pub(super) is_number: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'t> {
    Node(Node<'t>),
    /// A name in a format string, and its offset in the file.
    Name(&'t str, usize),
    /// No value, because a format string has too few arguments.
    Missing,
}

impl<'t> Query<'t> {
    pub(super) fn push(&mut self, text: &str, start: usize, end: usize) {
        let is_verbatim = text.len() == end - start;
        self.places.push(Place { at: self.text.len(), start, end, is_verbatim });
        // Real queries do not contain the characters that mark holes and breaks.
        self.text.extend(text.chars().map(|c| if matches!(c, HOLE | BREAK) { ' ' } else { c }));
    }

    pub(super) fn push_hole(&mut self, value: Value<'t>, is_number: bool) {
        self.holes.push(Hole { at: self.text.len(), value, is_number });
        self.text.push(HOLE);
    }

    pub(super) fn push_break(&mut self) {
        self.text.push(BREAK);
    }

    /// Adds a part of another text.
    pub(super) fn push_slice(&mut self, other: &Self, start: usize, end: usize) {
        let Some(slice) = other.text.get(start..end) else { return };
        let to = self.text.len();
        let first = other.places.partition_point(|place| place.at <= start).saturating_sub(1);
        for place in other.places.iter().skip(first).take_while(|place| place.at < end) {
            let skipped = start.saturating_sub(place.at);
            let at = to + place.at.saturating_sub(start);
            let begin = if place.is_verbatim {
                (place.start + skipped).min(place.end)
            } else {
                place.start
            };
            self.places.push(Place { at, start: begin, ..*place });
        }
        let inside = other.holes.iter().filter(|hole| (start..end).contains(&hole.at));
        self.holes.extend(inside.map(|hole| Hole { at: hole.at - start + to, ..*hole }));
        self.text.push_str(slice);
    }

    /// Converts an offset in the text to an offset in the file.
    pub(super) fn source(&self, at: usize) -> usize {
        let before = self.places.partition_point(|place| place.at <= at).checked_sub(1);
        let Some(place) = before.and_then(|before| self.places.get(before)) else { return 0 };
        if place.is_verbatim { (place.start + at - place.at).min(place.end) } else { place.start }
    }

    /// Converts a span in the text to a span in the file.
    pub(super) fn span(&self, span: Span) -> Span {
        let (start, end) = (span.start as usize, span.end as usize);
        let first = self.source(start);
        if end <= start {
            return Span::at(first);
        }
        let last = self.places.partition_point(|place| place.at < end).checked_sub(1);
        let last = last.and_then(|last| self.places.get(last));
        let end = last.map_or(first, |place| {
            if place.is_verbatim {
                (place.start + end - place.at).min(place.end)
            } else {
                place.end
            }
        });
        Span::new(first, end.max(first))
    }
}
