//! Shell text as the shell reads it, and the mapping back to the source.

use aidd_engine::text::source::Span;
use std::fmt;

/// Shell text, which can be assembled from several parts of a source: a `RUN` line without its
/// continuations and comments, or the body of a here-document.
#[derive(Clone, Copy)]
pub(crate) struct ShellText<'a> {
    text: &'a str,
    span_of: &'a dyn Fn(usize, usize) -> Span,
}

impl fmt::Debug for ShellText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ShellText").field(&self.text).finish()
    }
}

impl<'a> ShellText<'a> {
    /// Creates a text; `span_of(start, end)` returns the source span of the bytes `start..end`.
    pub(crate) fn new(text: &'a str, span_of: &'a dyn Fn(usize, usize) -> Span) -> Self {
        Self { text, span_of }
    }

    /// The text as the shell reads it.
    #[must_use]
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The source span of `start..end` of the text.
    #[must_use]
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        (self.span_of)(start, end)
    }
}
