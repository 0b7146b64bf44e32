//! The compiled checks of the forms that check single files: `text`, `syntax`, `data` and `doc`.

use super::data::DataPatterns;
use super::doc::DocPatterns;
use super::syntax::SyntaxPatterns;
use super::text::TextPatterns;
use crate::rules::rule::Rule;
use aidd_page::Tables;

/// The compiled checks of a set of rules, grouped by form.
#[derive(Debug)]
pub struct Patterns {
    /// Checks of the form `text`.
    pub text: TextPatterns,
    /// Checks of the form `syntax`.
    pub syntax: SyntaxPatterns,
    /// Checks of the form `data`.
    pub data: DataPatterns,
    /// Checks of the form `doc`.
    pub documents: DocPatterns,
}

impl Patterns {
    /// Compiles the checks of `rules`; `tables` are the keyword tables of the shipped pages.
    /// Occurrences of the words in each list of `watch` are recorded during the text scan.
    #[must_use]
    pub fn new(tables: &'static Tables, rules: &[Rule], watch: &[&[&'static str]]) -> Self {
        Self {
            text: TextPatterns::new(tables, rules, watch),
            syntax: SyntaxPatterns::new(tables, rules),
            data: DataPatterns::new(rules),
            documents: DocPatterns::new(rules),
        }
    }
}
