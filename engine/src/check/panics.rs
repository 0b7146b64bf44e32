//! Continues the run after a panic in the check of one file: a defect of one rule must not hide the
//! findings in all other files.

use super::{CheckResult, Depth, Engine, SKIPPED};
use crate::rules::rule::{Report, Settings};
use crate::text::files::Files;
use crate::text::source::{Source, Span};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Engine {
    /// Checks one source. If a check panics, the result is a finding that reports the failure.
    pub(super) fn check_catching_panic(
        &self,
        settings: &Settings,
        source: &Source,
        files: &dyn Files,
        depth: Depth,
    ) -> CheckResult {
        // A panic leaves no shared state incomplete: the checks only read the engine, except for
        // caches, which get complete entries.
        let check = AssertUnwindSafe(|| self.run_checks(settings, source, files, depth));
        catch_unwind(check).unwrap_or_else(|_| failed_result(settings, source))
    }
}

/// The result for a source whose check panicked.
fn failed_result(settings: &Settings, source: &Source) -> CheckResult {
    let mut report = Report::new(source, settings);
    if report.begin(SKIPPED) {
        report.at(Span::default(), "the check failed, so this file was not checked").help(
            "Report this defect of aidd with the part of the file that causes it; until it is \
             corrected, review the file yourself",
        );
    }
    CheckResult {
        findings: report.finish(),
        // The secrets of the file are unknown, so no output shows any part of the file.
        secrets: vec![Span::new(0, source.text().len())],
        ..CheckResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Distribution, Family, Selection};
    use crate::project::config::Config;
    use crate::rules::registry::Registry;
    use crate::text::files::Memory;
    use crate::text::kind::Kind;

    static PANICKING: Distribution = Distribution::new(
        &aidd_content::RULES,
        &[Family {
            rules: || (crate::DISTRIBUTION.families[0].rules)(),
            claim: |path, _| path.ends_with(".defect").then_some(Kind("defect")),
            check: |_, _, report| {
                let text = report.source().text();
                report.begin("secrets/jwt");
                report.at(Span::new(0, 1), &text[..2]);
            },
            finds_secrets: true,
            ..Family::EMPTY
        }],
    );

    #[test]
    fn a_panic_affects_only_one_file() {
        let registry = Registry::new(PANICKING.pages, &[]);
        let (config, selection) = (Config::default(), Selection::default());
        let engine = Engine::new(&PANICKING, registry, &config, &selection).expect("valid");
        let check = |path: &str, text: &str| {
            let source = Source::new(path, text);
            let checked = engine.check(&source, &Memory::default());
            let lines = checked.findings.iter().map(|it| format!("{}: {}", it.rule, it.message));
            (lines.collect::<Vec<_>>(), checked.secrets)
        };
        let (findings, secrets) = check("a.defect", "k\u{e9}y = 1");
        assert_eq!(
            findings,
            [format!("{SKIPPED}: the check failed, so this file was not checked")]
        );
        assert_eq!(secrets, [Span::new(0, 8)]);
        let (findings, secrets) = check("a.defect", "key");
        assert_eq!(findings, ["secrets/jwt: ke"]);
        assert!(secrets.is_empty());
    }
}
