//! The syntax tree of a source, parsed once for all that ask.

use crate::source::Source;
use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_language::SupportLang;
use std::cell::OnceCell;
use std::fmt;

/// A parsed text.
pub type Parsed = AstGrep<StrDoc<SupportLang>>;

/// The tree of one source, made when first asked for.
pub struct Tree<'s> {
    source: &'s Source,
    parsed: OnceCell<Parsed>,
}

impl fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_parsed = self.parsed.get().is_some();
        f.debug_struct("Tree").field("parsed", &is_parsed).finish_non_exhaustive()
    }
}

impl<'s> Tree<'s> {
    /// That of `source`.
    #[must_use]
    pub fn of(source: &'s Source) -> Self {
        Self { source, parsed: OnceCell::new() }
    }

    /// The tree in `language`, which is the one of the source's path: a source has one.
    pub fn in_language(&self, language: SupportLang) -> &Parsed {
        self.parsed.get_or_init(|| language.ast_grep(self.source.text()))
    }

    /// The tree, when something asked for it.
    #[must_use]
    pub fn made(&self) -> Option<&Parsed> {
        self.parsed.get()
    }
}
