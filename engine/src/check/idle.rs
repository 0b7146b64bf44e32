//! The checks that a selection excludes for all files, so that they do not have to run.

use super::family::{Distribution, Family};
use crate::rules::registry::Registry;
use crate::rules::select::SettingsTable;
use aidd_page::Form;
use std::collections::HashSet;

/// The excluded checks. They apply only under the settings without overrides.
#[derive(Debug)]
pub(super) struct Idle {
    /// The names of the families whose rules are all excluded.
    families: HashSet<&'static str>,
    /// Whether all rules that search the text for patterns or keywords are excluded.
    pub(super) text: bool,
}

impl Idle {
    pub(super) fn new(
        distribution: &Distribution,
        registry: &Registry,
        settings: &SettingsTable,
    ) -> Self {
        // A rule that is only disabled by default can be enabled by the settings of another tool.
        let is_excluded = |rule: &str| {
            let base = settings.base().get(rule);
            !settings.may_run(rule) && base.is_some_and(|setting| setting.is_configured)
        };
        let is_idle = |family: &&Family| (family.rules)().into_iter().all(is_excluded);
        let idle = distribution.families.iter().filter(is_idle);
        let families: HashSet<&'static str> = idle.map(|family| family.name).collect();
        let searches =
            |family: &Family| !families.contains(family.name) && !(family.keywords)().is_empty();
        let mut patterns = registry.rules().iter().filter(|rule| rule.form == Some(Form::Text));
        let text = !distribution.families.iter().any(searches)
            && patterns.all(|rule| is_excluded(&rule.id));
        Self { families, text }
    }

    pub(super) fn contains(&self, family: &Family) -> bool {
        self.families.contains(family.name)
    }
}
