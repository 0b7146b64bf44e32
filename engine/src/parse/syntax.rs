//! The syntax tree of a source, parsed once and shared by all checks.

use crate::text::source::Source;
use crate::text::time_limit::Deadline;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_core::{AstGrep, Language as _};
use ast_grep_language::SupportLang;
use std::cell::{Cell, OnceCell};
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;
use tree_sitter::{ParseOptions, Parser};

/// The time limit for parsing one file; errors in the input are slow to recover from in some
/// grammars.
const BUDGET: Duration = Duration::from_secs(2);

/// How much text the parser reads at a time, in bytes.
const CHUNK: usize = 8 << 10;

/// The stack in bytes that the parser needs for each byte of a text. For some errors, it releases its
/// own stack with a call for each token; 96 bytes per call were measured.
const STACK_PER_BYTE: usize = 128;
/// The stack in bytes that the parser needs for any text.
const BASE_STACK: usize = 128 << 10;

/// A parsed text with its syntax tree.
pub type Parsed = AstGrep<StrDoc<SupportLang>>;

/// The syntax tree of one source, parsed on first use.
pub struct Tree<'s> {
    source: &'s Source,
    parsed: OnceCell<Option<Parsed>>,
}

impl fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_parsed = self.get().is_some();
        f.debug_struct("Tree").field("parsed", &is_parsed).finish_non_exhaustive()
    }
}

impl<'s> Tree<'s> {
    /// An unparsed tree of `source`.
    #[must_use]
    pub fn new(source: &'s Source) -> Self {
        Self { source, parsed: OnceCell::new() }
    }

    /// The path of the source.
    pub(crate) fn path(&self) -> &str {
        self.source.path()
    }

    /// The tree in `language`, which must be the language of the source's path. `None` when parsing
    /// exceeded the time limit.
    pub fn in_language(&self, language: SupportLang) -> Option<&Parsed> {
        self.parsed.get_or_init(|| parse(self.source.text(), language, BUDGET)).as_ref()
    }

    /// The root of the tree in the language of the source's path; `None` for a file in a language
    /// without a grammar, or when parsing exceeded the time limit.
    pub fn root(&self) -> Option<tree_sitter::Node<'_>> {
        let language = SupportLang::from_path(self.source.path())?;
        Some(self.in_language(language)?.root().get_inner_node())
    }

    /// The tree, if it has been requested and parsed.
    #[must_use]
    pub fn get(&self) -> Option<&Parsed> {
        self.parsed.get()?.as_ref()
    }

    /// Whether the tree was requested and parsing exceeded the time limit.
    #[must_use]
    pub fn is_timed_out(&self) -> bool {
        self.parsed.get().is_some_and(Option::is_none)
    }
}

/// Runs a parser of tree-sitter for a text with this number of bytes, on a stack that cannot
/// overflow. Memory is reserved for the whole stack, but only the part that is needed is used.
pub fn with_parser_stack<T>(bytes: usize, run: impl FnOnce() -> T) -> T {
    let needed = BASE_STACK.saturating_add(bytes.saturating_mul(STACK_PER_BYTE));
    stacker::maybe_grow(needed, needed, run)
}

/// Parses a text in `language`; `None` when parsing exceeded the time limit.
#[must_use]
pub fn parse_text(text: &str, language: SupportLang) -> Option<Parsed> {
    parse(text, language, BUDGET)
}

/// Parses a text; `None` when it takes longer than `budget`.
fn parse(text: &str, lang: SupportLang, budget: Duration) -> Option<Parsed> {
    with_parser_stack(text.len(), || parse_on_stack(text, lang, budget))
}

fn parse_on_stack(text: &str, lang: SupportLang, budget: Duration) -> Option<Parsed> {
    let mut parser = Parser::new();
    parser.set_language(&lang.get_ts_language()).ok()?;
    let deadline = Deadline::after(budget);
    let is_over = Cell::new(false);
    let is_time_over = || {
        is_over.set(is_over.get() || deadline.is_exceeded());
        is_over.get()
    };
    let mut progress =
        |_: &_| if is_time_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    // Between two progress callbacks, the scanner can read the whole text repeatedly. When the time
    // is over, the end of the text is reported, which stops the scanner.
    let mut read = |at: usize, _| match text.as_bytes().get(at..) {
        Some(rest) if !is_time_over() => &rest[..rest.len().min(CHUNK)],
        _ => &[],
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    let tree = tree.filter(|_| !is_over.get())?;
    Some(AstGrep::doc(StrDoc { src: text.to_owned(), lang, tree }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parser_that_takes_too_long_is_stopped() {
        let text = "-->".repeat(10_000);
        assert!(parse(&text, SupportLang::Python, Duration::ZERO).is_none());
        assert!(parse("a = 1\n", SupportLang::Python, BUDGET).is_some());
    }

    #[test]
    fn unclosed_blocks_do_not_overflow_the_stack() {
        let run = || drop(parse_text(&"a:{".repeat(60_000), SupportLang::TypeScript));
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run);
        assert!(thread.expect("a thread").join().is_ok());
    }
}
