//! Selects the finding to report for each secret, and the spans that no output must show.

use super::Engine;
use super::secrets;
use crate::parse::syntax::Tree;
use crate::rules::rule::{Report, Settings};
use crate::text::files::Files;
use crate::text::finding::Finding;
use crate::text::source::{Source, Span};

impl Engine {
    /// Retains one finding per secret, and returns all spans that must not appear in any output.
    pub(super) fn resolve_secrets(
        &self,
        source: &Source,
        settings: &Settings,
        files: &dyn Files,
        findings: &mut Vec<Finding>,
    ) -> Vec<Span> {
        if findings.is_empty() {
            return Vec::new();
        }
        secrets::drop_samples(source, findings);
        let mut spans = secrets::resolve(findings, &self.registry);
        // An excerpt must not show a secret even if its rule was not selected.
        if !self.counts_only && self.excludes_secret_rules(settings) {
            spans.extend(self.unselected_secrets(source, files));
        }
        secrets::merge(spans)
    }

    fn unselected_secrets(&self, source: &Source, files: &dyn Files) -> Vec<Span> {
        let mut report = Report::new(source, self.page_settings());
        let tree = Tree::new(source);
        let rules = self.registry.rules();
        let words = self.patterns.text(rules).run(rules, &tree, true, &mut report).watched;
        let context = self.context(files, &tree);
        let claims = self.distribution.claims(source, |family| family.finds_secrets);
        for (claim, offsets) in claims.iter().zip(&words) {
            match claim.as_claimed() {
                Some((family, kind)) => (family.check)(kind, &context, &mut report),
                None => claim.check_keyword_hits(offsets, &mut report),
            }
        }
        report.finish().into_iter().filter_map(|finding| finding.secret).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Selection;
    use crate::project::config::Config;
    use crate::rules::registry::Registry;
    use crate::text::files::Memory;

    const RULE: &str = "---\nseverity: warning\ncheck:\n  text: { regex: 'token = \\S+' }\n---\n# team/token\n\nWhy.\n";

    #[test]
    fn counted_findings_are_the_findings_without_ids() {
        let token = format!("glpat-{}", "x8Fq2LmN7vKpR4tYz9Wb");
        let source = Source::new("a.txt", format!("token = {token}\ntoken = 1\n"));
        let pages = [("rules/token.md".to_owned(), RULE.to_owned())];
        let engine = || {
            let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
            let selection =
                Selection { only: vec!["team/token".to_owned()], ..Selection::default() };
            Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &selection)
                .expect("valid")
        };
        let mut shown = engine().check(&source, &Memory::default());
        let counted = engine().counting_only().check(&source, &Memory::default());
        assert_eq!(shown.findings.len(), 2);
        // The rules on secrets are not selected.
        assert_eq!((shown.secrets.len(), counted.secrets.len()), (1, 0));
        for finding in &mut shown.findings {
            assert!(!std::mem::take(&mut finding.id).is_empty());
            finding.around = None;
        }
        assert_eq!(counted.findings, shown.findings);
    }
}
