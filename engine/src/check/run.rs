//! Runs the patterns of pages over one source.

use super::{Depth, Engine, SKIPPED};
use crate::forms::all::Patterns;
use crate::forms::text::ScanResult;
use crate::forms::variants::Variant;
use crate::parse::syntax::Tree;
use crate::rules::rule::{Report, Rule};
use crate::text::files::Files;
use crate::text::source::Span;

/// The input of the patterns, apart from the report.
pub(super) struct PatternInput<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) tree: &'a Tree<'a>,
    pub(super) depth: Depth,
    pub(super) is_markdown: bool,
    /// Whether the text patterns run, and the words of the families are searched for.
    pub(super) searches_text: bool,
}

/// Runs the patterns of `rules`, and reports the patterns that could not run. Returns, for
/// each list of words whose occurrences are recorded ([`Patterns::new`]), the offsets of its words.
pub(super) fn run_patterns(
    patterns: &Patterns,
    rules: &[Rule],
    input: &PatternInput<'_>,
    report: &mut Report<'_>,
) -> Vec<Vec<usize>> {
    let ScanResult { watched, stopped } = if input.searches_text {
        patterns.text(rules).run(rules, input.tree, input.depth != Depth::Full, report)
    } else {
        ScanResult::default()
    };
    if let Some(rule) = stopped.filter(|_| report.begin(SKIPPED)) {
        let message = format!(
            "time limit exceeded by the expression of `{rule}`; the file was searched only in part"
        );
        report.at(Span::default(), message);
    }
    if input.depth != Depth::Full {
        return watched;
    }
    if let Err(over) = patterns.syntax.run(rules, input.tree, report)
        && report.begin(SKIPPED)
    {
        let message = format!(
            "time limit exceeded by the syntax patterns; `{}` and later patterns ran only in part",
            over.rule
        );
        report.at(Span::default(), message);
    }
    let mut unparsed = None;
    report.within_limit(("patterns on values", SKIPPED), |report| {
        unparsed = patterns.data.run(input.files, report);
    });
    if let Some((span, why, rule)) = unparsed
        && report.begin(SKIPPED)
    {
        report.at(span, format!("the values cannot be parsed, so `{rule}` did not run: {why}"));
    }
    if input.is_markdown {
        report.within_limit(("patterns on documents", SKIPPED), |report| {
            patterns.documents.run(input.files, report);
        });
    }
    watched
}

impl Engine {
    /// The heap memory of the text patterns that are compiled so far, in bytes. They are compiled when
    /// they are first needed, so it grows with the kinds of files that are checked.
    #[must_use]
    pub fn pattern_memory(&self) -> usize {
        self.patterns.text_memory() + self.variants.pattern_memory()
    }
}

/// Reports a file whose parser exceeded its time limit.
pub(super) fn report_stopped(tree: &Tree<'_>, report: &mut Report<'_>) {
    if tree.is_timed_out() && report.begin(SKIPPED) {
        let message = "time limit exceeded by the parser; syntax patterns did not run";
        report.at(Span::default(), message);
    }
}

/// Reports rules that cannot run on this source because the combination of several overrides is
/// invalid.
pub(super) fn report_invalid(variant: &Variant, depth: Depth, report: &mut Report<'_>) {
    for (rule, why) in variant.invalid.iter().filter(|_| depth == Depth::Full) {
        if report.begin(rule) && report.begin(SKIPPED) {
            let message = format!(
                "`{rule}` did not run: the combination of overrides for this path is invalid: {why}"
            );
            report.at(Span::default(), message);
        }
    }
}
