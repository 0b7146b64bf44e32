//! The patterns of some rules that judge single files, of all forms.

use super::data::DataPatterns;
use super::doc::DocPatterns;
use super::syntax::SyntaxPatterns;
use super::text::TextPatterns;
use crate::rules::rule::Rule;
use aidd_page::Tables;

/// The patterns of some rules, a form each.
#[derive(Debug)]
pub struct Patterns {
    /// Of the form `text`.
    pub text: TextPatterns,
    /// Of the form `syntax`.
    pub syntax: SyntaxPatterns,
    /// Of the form `data`.
    pub data: DataPatterns,
    /// Of the form `doc`.
    pub documents: DocPatterns,
}

impl Patterns {
    /// Those of `rules`; `tables` are those of the shipped pages. The places of the words in each
    /// list of `watch` are noted in passing.
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
