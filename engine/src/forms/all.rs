//! The compiled checks of the forms that check single files: `text`, `syntax`, `data` and `doc`.

use super::data::DataPatterns;
use super::doc::DocPatterns;
use super::syntax::SyntaxPatterns;
use super::text::TextPatterns;
use crate::rules::rule::Rule;
use aidd_page::Tables;
use std::sync::OnceLock;

/// The compiled checks of a set of rules, grouped by form.
#[derive(Debug)]
pub struct Patterns {
    tables: &'static Tables,
    /// The lists of words whose occurrences are recorded.
    watch: Vec<Vec<&'static str>>,
    /// Collected when the first file that text patterns can match is checked.
    text: OnceLock<TextPatterns>,
    /// Checks of the form `syntax`.
    pub syntax: SyntaxPatterns,
    /// Checks of the form `data`.
    pub data: DataPatterns,
    /// Checks of the form `doc`.
    pub documents: DocPatterns,
}

impl Patterns {
    /// The checks of `rules`; `tables` are the keyword tables of the shipped pages. Occurrences of the
    /// words in each list of `watch` are recorded during the text scan.
    #[must_use]
    pub fn new(tables: &'static Tables, rules: &[Rule], watch: Vec<Vec<&'static str>>) -> Self {
        Self {
            tables,
            watch,
            text: OnceLock::new(),
            syntax: SyntaxPatterns::new(tables),
            data: DataPatterns::new(rules),
            documents: DocPatterns::new(rules),
        }
    }

    /// Checks of the form `text`. `rules` must be the same in each call.
    pub fn text(&self, rules: &[Rule]) -> &TextPatterns {
        self.text.get_or_init(|| {
            let watch: Vec<&[&'static str]> = self.watch.iter().map(Vec::as_slice).collect();
            TextPatterns::new(self.tables, rules, &watch)
        })
    }

    /// The heap memory of the text patterns that are compiled so far, in bytes.
    pub fn text_memory(&self) -> usize {
        self.text.get().map_or(0, TextPatterns::memory)
    }
}
