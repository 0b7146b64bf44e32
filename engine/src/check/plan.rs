//! Which parts of the engine run under which settings, so that no time is spent on parts without an
//! enabled rule.

use super::Engine;
use super::family::{Claim, Family, FileContext};
use crate::parse::syntax::Tree;
use crate::rules::registry::SECRETS;
use crate::rules::rule::{Rule, Settings};
use crate::rules::select;
use crate::text::files::Files;
use crate::text::finding::RuleId;
use crate::text::source::Source;
use aidd_page::Form;
use std::collections::HashSet;
use std::sync::OnceLock;

/// Values that are derived from the settings when they are first needed.
#[derive(Debug, Default)]
pub(super) struct Derived {
    plan: OnceLock<Plan>,
    page_settings: OnceLock<Settings>,
    excludes_secret_rules: OnceLock<bool>,
}

/// The parts of the engine with a rule that the settings without overrides enable.
#[derive(Debug)]
struct Plan {
    /// Whether a text pattern or a family that searches for words is enabled.
    searches_text: bool,
    /// The names of the families with an enabled rule.
    families: HashSet<&'static str>,
}

impl Engine {
    /// The claims of the families with an enabled rule, and whether text patterns or families
    /// search the text for words. Under settings with overrides, everything counts as enabled.
    pub(super) fn active_claims(&self, source: &Source, settings: &Settings) -> (Vec<Claim>, bool) {
        if !self.settings.is_base(settings) {
            return (self.distribution.claims(source, |_| true), true);
        }
        let plan = self.derived.plan.get_or_init(|| self.plan(settings));
        let is_active = |family: &Family| plan.families.contains(family.name);
        (self.distribution.claims(source, is_active), plan.searches_text)
    }

    /// Whether a rule of `family` is enabled. Under settings with overrides, every family is active.
    pub(super) fn is_active(&self, family: &Family, settings: &Settings) -> bool {
        !self.settings.is_base(settings)
            || self.derived.plan.get_or_init(|| self.plan(settings)).families.contains(family.name)
    }

    fn plan(&self, settings: &Settings) -> Plan {
        let is_enabled =
            |rule: &str| settings.get(rule).is_some_and(|setting| setting.severity.is_some());
        let is_active = |family: &&Family| (family.rules)().into_iter().any(is_enabled);
        let active: Vec<&Family> = self.distribution.families.iter().filter(is_active).collect();
        let searches_words = active.iter().any(|family| !(family.keywords)().is_empty());
        let is_text = |rule: &&Rule| rule.form == Some(Form::Text);
        let mut text_rules = self.registry.rules().iter().filter(is_text);
        Plan {
            searches_text: searches_words || text_rules.any(|rule| is_enabled(&rule.id)),
            families: active.iter().map(|family| family.name).collect(),
        }
    }

    /// What the families receive with a source.
    pub(super) fn context<'a>(
        &'a self,
        files: &'a dyn Files,
        tree: &'a Tree<'a>,
    ) -> FileContext<'a> {
        FileContext {
            registry: &self.registry,
            files,
            families: self.distribution.families,
            tree,
            components: self.settings.components(),
            polymorphic: self.settings.polymorphic(),
        }
    }

    /// The settings of the pages, without configuration or selection.
    pub(super) fn page_settings(&self) -> &Settings {
        self.derived.page_settings.get_or_init(|| select::defaults(self.registry.rules()))
    }

    /// Whether `settings` disable a rule on secrets that is enabled by default.
    pub(super) fn excludes_secret_rules(&self, settings: &Settings) -> bool {
        let excludes = || {
            self.registry.rules().iter().any(|rule| {
                let is_disabled =
                    settings.get(&rule.id).is_none_or(|setting| setting.severity.is_none());
                is_disabled && rule.enabled && rule.id.starts_with(SECRETS)
            })
        };
        if self.settings.is_base(settings) {
            *self.derived.excludes_secret_rules.get_or_init(excludes)
        } else {
            excludes()
        }
    }

    /// Settings under which only `rule` runs, as defined by its page; a rule of `aidd/*` checks the
    /// pages and comments of other rules, so it runs with all other rules.
    pub(crate) fn settings_for_rule(&self, rule: &RuleId) -> Settings {
        let runs_with_all = rule.starts_with("aidd/");
        let mut settings = select::defaults(self.registry.rules());
        for known in self.registry.rules() {
            if let Some(setting) = settings.get_mut(&known.id) {
                let is_run = runs_with_all || known.id == *rule;
                setting.severity = is_run.then_some(known.severity);
                setting.is_configured = true;
            }
        }
        settings
    }
}
