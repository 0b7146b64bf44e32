//! Checks fenced blocks of Markdown as separate sources.

use super::{Engine, SKIPPED};
use crate::parse::markdown::{self, Fence};
use crate::parse::syntax::Tree;
use crate::rules::rule::{Report, Settings};
use crate::text::files::Files;
use crate::text::finding::{Finding, Related, RuleId};
use crate::text::source::Source;
use crate::text::time_limit::{catch_exceeded, end_if_exceeded};
use std::collections::HashSet;

impl Engine {
    /// Runs the family for the language of each fenced block, and maps spans and edits back to the
    /// Markdown file.
    pub(super) fn check_fences(
        &self,
        source: &Source,
        settings: &Settings,
        (off, files): (&HashSet<RuleId>, &dyn Files),
        report: &mut Report<'_>,
    ) {
        let family_for_fence = |language: &str| self.distribution.family_for_fence(language);
        if !markdown::may_have_fences(source.text(), |language| {
            family_for_fence(language).is_some()
        }) {
            return;
        }
        // The blocks of a file share one time limit.
        report.within_limit(("fenced blocks", SKIPPED), |report| {
            let is_checked = |info: &str| family_for_fence(Fence::word(info)).is_some();
            for fence in markdown::fences(source, is_checked) {
                let Some((family, kind)) = family_for_fence(fence.language()) else { continue };
                if !(family.is_complete_file)(&fence.text) {
                    continue;
                }
                let inner = Source::new(source.path(), fence.text.as_str());
                let mut inner_report = Report::new(&inner, settings).without(off);
                let tree = Tree::new(&inner);
                let context = self.context(files, &tree);
                let check = || (family.check)(kind, &context, &mut inner_report);
                if catch_exceeded(check).is_err() {
                    let last = inner_report.last_rule();
                    last.into_iter().for_each(|rule| report.set_last_rule(rule));
                    end_if_exceeded();
                }
                let findings = inner_report.finish().into_iter();
                report.extend(findings.map(|finding| map_to_document(finding, &fence)));
            }
        });
    }
}

/// Maps a finding in a fenced block to the Markdown file.
fn map_to_document(mut finding: Finding, fence: &Fence) -> Finding {
    let contiguous = |fix: &crate::text::finding::Fix| {
        fix.edits.iter().all(|edit| {
            fence.is_contiguous(edit.span) && (fence.is_plain() || !edit.text.contains('\n'))
        })
    };
    finding.fix = finding.fix.filter(contiguous).map(|mut fix| {
        for edit in &mut fix.edits {
            edit.span = fence.outer(edit.span);
        }
        fix
    });
    finding.span = fence.outer(finding.span);
    finding.secret = finding.secret.map(|span| fence.outer(span));
    for Related { span, .. } in &mut finding.related {
        *span = fence.outer(*span);
    }
    finding
}
