//! Selects the finding to report for each secret, and the spans that no output must show.

use super::Engine;
use super::family::Claim;
use super::secrets;
use crate::parse::syntax::Tree;
use crate::rules::rule::{Report, Settings};
use crate::rules::select;
use crate::text::files::Files;
use crate::text::finding::Finding;
use crate::text::source::{Source, Span};

impl Engine {
    /// Retains one finding per secret, and returns all spans that must not appear in any output.
    pub(super) fn resolve_secrets(
        &self,
        source: &Source,
        settings: &Settings,
        siblings: (&[Claim], &dyn Files),
        findings: &mut Vec<Finding>,
    ) -> Vec<Span> {
        if findings.is_empty() {
            return Vec::new();
        }
        secrets::drop_samples(source, findings);
        let mut spans = secrets::resolve(findings, &self.registry);
        // An excerpt must not show a secret even if its rule was not selected.
        if self.excludes_secret_rules(settings) {
            spans.extend(self.unselected_secrets(source, siblings));
        }
        secrets::merge(spans)
    }

    fn excludes_secret_rules(&self, settings: &Settings) -> bool {
        self.registry.rules().iter().any(|rule| {
            let is_disabled =
                settings.get(&rule.id).is_none_or(|setting| setting.severity.is_none());
            is_disabled && rule.enabled && rule.id.starts_with("secrets/")
        })
    }

    fn unselected_secrets(
        &self,
        source: &Source,
        (claims, files): (&[Claim], &dyn Files),
    ) -> Vec<Span> {
        let all = select::defaults(self.registry.rules());
        let mut report = Report::new(source, &all);
        let tree = Tree::new(source);
        let words = self.patterns.text.run(self.registry.rules(), &tree, true, &mut report).watched;
        let context = self.context(files, &tree);
        for (claim, offsets) in claims.iter().zip(&words) {
            match claim.as_claimed().filter(|(family, _)| family.finds_secrets) {
                Some((family, kind)) => (family.check)(kind, &context, &mut report),
                None => claim.check_keyword_hits(offsets, &mut report),
            }
        }
        report.finish().into_iter().filter_map(|finding| finding.secret).collect()
    }
}
