//! Finds and applies the allow comments of a source without checking the source.

use super::{Depth, Engine};
use crate::check::allow;
use crate::parse::syntax::Tree;
use crate::rules::rule::{Report, Settings};
use crate::text::files::Files;
use crate::text::finding::{Finding, Status};
use crate::text::source::{Source, Span};

impl Engine {
    /// Marks the findings that a comment in `source` allows, and returns the spans of the aidd
    /// comments.
    pub fn allow(&self, source: &Source, findings: &mut [Finding]) -> Vec<Span> {
        let settings = Settings::default();
        let mut unused = Report::new(source, &settings);
        allow::apply(source, &self.registry, Vec::new, findings, &mut unused).used
    }

    /// The effective allow comments of `source`: aidd comments that name a rule, and comments of
    /// other tools that allow one of `findings`.
    #[must_use]
    pub fn allow_comments(&self, source: &Source, findings: &[Finding]) -> Vec<allow::Comment> {
        let statements = || self.statements(source, &Tree::new(source));
        allow::comments(source, &self.registry, statements, findings)
    }
}
