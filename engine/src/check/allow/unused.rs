//! Reports the allow comments that allow nothing.

use super::comment::whole_comment;
use super::{Applied, Directive, Rules, UNUSED};
use crate::rules::registry::Registry;
use crate::rules::rule::{Report, Rule};
use crate::text::finding::{Edit, RuleId};
use crate::text::source::Source;

/// Reports unused aidd comments. Returns the unused comments that name a rule of the project pass,
/// whose findings are not known yet, and the unused comments whose rules ran.
pub(super) fn report_unused(
    source: &Source,
    registry: &Registry,
    directives: &[Directive],
    report: &mut Report<'_>,
) -> Applied {
    let mut applied = Applied::default();
    for directive in directives.iter().filter(|directive| directive.is_aidd) {
        if directive.used {
            // Without a slash, the word can be a part of the reason.
            let unknown = directive.unknown.iter().find(|name| name.contains('/'));
            if let Some(unknown) = unknown.filter(|_| report.begin(UNUSED)) {
                report.at(directive.span, unknown_rule(unknown));
            }
            continue;
        }
        let mut names_rules = false;
        if let Rules::Named(rules) = &directive.rules
            && directive.unknown.is_empty()
            && !rules.is_empty()
        {
            let run_rules: Vec<&RuleId> =
                rules.iter().flat_map(|ids| ids.iter()).filter(|rule| report.begin(rule)).collect();
            // If no named rule ran, the comment can still be needed.
            if run_rules.is_empty() {
                continue;
            }
            let is_project_check =
                |rule: &&RuleId| registry.get(rule).is_some_and(Rule::is_project_check);
            if run_rules.iter().any(is_project_check) {
                applied.pending_allows.push(directive.span);
            }
            names_rules = true;
        }
        if !report.begin(UNUSED) {
            return Applied::default();
        }
        let message = match (directive.unknown.first(), &directive.rules) {
            (Some(unknown), _) => unknown_rule(unknown),
            (None, Rules::Named(rules)) if rules.is_empty() => {
                "this comment does not name a rule".to_owned()
            }
            _ => "this comment allows nothing; no matching finding".to_owned(),
        };
        let finding = report.at(directive.span, message);
        let edits = vec![Edit::delete(whole_comment(source, directive.span))];
        if names_rules {
            applied.unused.push(directive.span);
        }
        // Somebody wrote the reason for a finding, so a person decides.
        if names_rules && directive.has_reason() {
            finding.fix_unsafe("Delete the comment", edits);
        } else {
            finding.fix("Delete the comment", edits);
        }
    }
    applied
}

fn unknown_rule(name: &str) -> String {
    format!("this comment allows the unknown rule `{name}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Engine, Selection};
    use crate::project::config::Config;
    use crate::text::files::Memory;
    use crate::text::finding::{Safety, Status};

    /// The findings that are not allowed, with the safety of their fixes.
    fn findings(check: &str, text: &str) -> Vec<(String, Option<Safety>)> {
        let page =
            format!("---\nseverity: warning\ncheck:\n  {check}\n---\n# t/no-lodash\n\nWhy.\n");
        let pages = [("rules/x.md".to_owned(), page)];
        let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
        let (config, selection) = (Config::default(), Selection::default());
        let engine = Engine::new(&crate::DISTRIBUTION, registry, &config, &selection);
        let source = Source::new("src/a.ts", text);
        let found = engine.expect("an engine").check(&source, &Memory::default()).findings;
        let new = found.into_iter().filter(|finding| finding.status == Status::New);
        new.map(|finding| (finding.rule.to_string(), finding.fix.map(|fix| fix.safety))).collect()
    }

    #[test]
    fn a_comment_that_a_rule_takes_for_an_explanation_is_used() {
        let check = "syntax: { language: typescript, rule: { kind: expression_statement, not: { follows: { kind: comment } } } }";
        let rule = ("t/no-lodash".to_owned(), None);
        assert_eq!(findings(check, "f()\n"), std::slice::from_ref(&rule));
        assert_eq!(findings(check, "// aidd:allow t/no-lodash why\nf()\n"), []);
        let unused = |safety| ("aidd/unused-allow".to_owned(), Some(safety));
        let text = "// aidd:allow t/no-lodash why\nlet a = 1\n";
        assert_eq!(findings(check, text), [unused(Safety::Unsafe)]);
        let text = "// aidd:allow t/no-lodash\nlet a = 1\n";
        assert_eq!(findings(check, text), [unused(Safety::Safe)]);
        let text = "// aidd:allow t/no-lodash why\nlet a = 1\nf()\n";
        assert_eq!(findings(check, text), [unused(Safety::Unsafe), rule]);
    }

    #[test]
    fn a_comment_does_not_trigger_the_rule_that_it_names() {
        let check = "text: { regex: '\\blodash\\b' }";
        assert_eq!(findings(check, "// aidd:allow t/no-lodash old lodash\nimport 'lodash'\n"), []);
        let unused = ("aidd/unused-allow".to_owned(), Some(Safety::Unsafe));
        assert_eq!(findings(check, "// aidd:allow t/no-lodash why\nf()\n"), [unused]);
        assert_eq!(findings(check, "// no lodash\n").len(), 1);
    }
}
