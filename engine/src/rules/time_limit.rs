//! The time limit of a family of rules on one file.

use super::rule::Report;
use crate::text::source::Span;
use crate::text::time_limit::{Exceeded, end_if_exceeded, family_limit, measured, run_within};
use std::time::Duration;

/// How long a family may check one file. The checks take milliseconds, also of the longest files in
/// the repositories that aidd is tested with.
const LIMIT: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });
/// The number of findings after which the time is read again.
const FINDINGS_PER_CLOCK_READ: usize = 64;

impl Report<'_> {
    /// Runs the checks of a family until its time limit. Then the rule that ran is reported as
    /// `skipped`, and the findings so far are retained. `family` is named
    /// if no rule began.
    pub(crate) fn within_limit(
        &mut self,
        (family, skipped): (&str, &str),
        check: impl FnOnce(&mut Self),
    ) {
        self.clear_last_rule();
        let limit = family_limit().unwrap_or(LIMIT);
        let Err(Exceeded) = measured(|| run_within(limit, || check(self))) else { return };
        let rule = self.last_rule().cloned();
        self.unchecked("time limit exceeded");
        if self.begin(skipped) {
            let (name, seconds) = (rule.as_deref().unwrap_or(family), limit.as_secs_f64());
            let message = format!(
                "time limit of {seconds} seconds exceeded by `{name}`; it and later rules checked \
                 this file only in part"
            );
            self.at(Span::default(), message).help(format!(
                "Split the file, exclude it (`exclude`), or disable `{name}` for it (`overrides`)"
            ));
        }
    }

    /// Ends the check of the family if its time limit is exceeded; called for each finding, and reads
    /// the time once for several.
    pub(super) fn check_limit_of_findings(&self, count: usize) {
        if count.is_multiple_of(FINDINGS_PER_CLOCK_READ) {
            end_if_exceeded();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::{Distribution, Engine, Family, SKIPPED, Selection};
    use crate::project::config::Config;
    use crate::rules::registry::Registry;
    use crate::text::files::Memory;
    use crate::text::kind::Kind;
    use crate::text::source::{Source, Span};

    const DEFECT: Kind = Kind("defect");

    /// Families of which one never ends on `*.loop` and reports findings without end on `*.many`.
    static ENDLESS: Distribution = Distribution::new(
        &aidd_content::RULES,
        &[
            Family {
                name: "endless",
                rules: || (crate::DISTRIBUTION.families[0].rules)(),
                claim: |path, _| {
                    [".loop", ".many", ".lines"]
                        .iter()
                        .any(|end| path.ends_with(end))
                        .then_some(DEFECT)
                },
                fence: |language| (language == "loop").then_some(DEFECT),
                check: |_, _, report| {
                    report.begin("secrets/jwt");
                    report.at(Span::new(0, 1), "found before");
                    if report.source().path().ends_with(".many") {
                        for index in 0_u32.. {
                            report.at(Span::new(0, 1), "found").span.end = index % 3;
                        }
                    }
                    if report.source().path().ends_with(".lines") {
                        while report.source().line_of(0) == 0 {}
                    }
                    while report.begin("secrets/jwt") {}
                },
                ..Family::EMPTY
            },
            Family {
                name: "later",
                rules: || (crate::DISTRIBUTION.families[0].rules)(),
                claim: |_, _| Some(Kind("later")),
                check: |_, _, report| {
                    report.begin("secrets/jwt");
                    report.at(Span::new(1, 2), "found later");
                },
                ..Family::EMPTY
            },
        ],
    );

    fn check(path: &str, text: &str) -> Vec<String> {
        let registry = Registry::new(ENDLESS.pages, &[]);
        let engine = Engine::new(&ENDLESS, registry, &Config::default(), &Selection::default())
            .expect("valid");
        let source = Source::new(path, text);
        let findings = engine.check(&source, &Memory::default()).findings;
        let mut lines: Vec<String> =
            findings.iter().map(|it| format!("{}: {}", it.rule, it.message)).collect();
        lines.dedup();
        lines
    }

    #[test]
    fn a_family_that_does_not_end_is_stopped_and_named() {
        let stopped = format!(
            "{SKIPPED}: time limit of 1 seconds exceeded by `secrets/jwt`; it and later rules \
             checked this file only in part"
        );
        let expected = [&*stopped, "secrets/jwt: found before", "secrets/jwt: found later"];
        assert_eq!(check("a.loop", "key"), expected);
        assert_eq!(check("a.lines", "key"), expected, "a loop within one rule");
        assert_eq!(
            check("a.md", "key\n\n```loop\na\n```\n"),
            [&*stopped, "secrets/jwt: found later"]
        );
        assert!(check("a.many", "key").contains(&stopped));
        assert_eq!(check("a.txt", "key"), ["secrets/jwt: found later"]);
    }
}
