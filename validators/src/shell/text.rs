//! The text a shell gets to see, and the way back to the source.

use aidd_engine::text::source::Span;
use std::fmt;

/// Shell text, which may be put together from several places of a source: a `RUN` line without its
/// continuations and comments, or the body of a here-document.
#[derive(Clone, Copy)]
pub(crate) struct ShellText<'a> {
    text: &'a str,
    place: &'a dyn Fn(usize, usize) -> Span,
}

impl fmt::Debug for ShellText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ShellText").field(&self.text).finish()
    }
}

impl<'a> ShellText<'a> {
    /// `text`, whose bytes from `start` to `end` stand at `place(start, end)` of the source.
    pub(crate) fn new(text: &'a str, place: &'a dyn Fn(usize, usize) -> Span) -> Self {
        Self { text, place }
    }

    /// The text as the shell reads it.
    #[must_use]
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The source bytes behind `start..end` of the text.
    #[must_use]
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        (self.place)(start, end)
    }
}
