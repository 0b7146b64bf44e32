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

    /// The comments among `unused` whose rules have findings if the comments are blank: some rules
    /// take any comment for an explanation.
    pub(super) fn needed_comments(
        &self,
        source: &Source,
        settings: &Settings,
        (files, depth): (&dyn Files, Depth),
        unused: &[Span],
    ) -> Vec<Span> {
        if unused.is_empty() || depth != Depth::Full {
            return Vec::new();
        }
        let mut text = source.text().to_owned();
        for span in unused {
            let comment = source.slice(allow::whole_comment(source, *span));
            let start = allow::whole_comment(source, *span).start as usize;
            let end = start + comment.trim_end().len();
            text.replace_range(start..end, &" ".repeat(end - start));
        }
        // The comments of the blanked text are of no interest.
        let mut settings = settings.clone();
        settings.remove(allow::UNUSED);
        let blanked = Source::new(source.path(), text);
        let mut findings = self.run_checks(&settings, &blanked, files, depth).findings;
        findings.retain(|finding| finding.status == Status::New);
        let statements = || self.statements(source, &Tree::new(source));
        let mut report = Report::new(source, &settings);
        let applied = allow::apply(source, &self.registry, statements, &mut findings, &mut report);
        unused.iter().copied().filter(|span| applied.used.contains(span)).collect()
    }
}
