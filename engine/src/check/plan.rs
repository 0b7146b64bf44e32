//! Which parts of the engine run under which settings, so that no time is spent on parts without an
//! enabled rule.

use super::family::{Claim, Family, FileContext};
use super::{Engine, OWN_RULES, configuration};
use crate::forms::syntax::language_of;
use crate::parse::syntax::Tree;
use crate::parse::values::Format;
use crate::rules::registry::SECRETS;
use crate::rules::rule::{Rule, Settings};
use crate::rules::select;
use crate::text::files::Files;
use crate::text::finding::RuleId;
use crate::text::kind::{self, Kind};
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
    reach: OnceLock<Reach>,
}

/// The files that the enabled rules can check, on any path.
#[derive(Debug)]
enum Reach {
    /// Any file, because a rule searches the text of all files.
    All,
    /// The files that one of the families or one of the forms accepts.
    Some { families: Vec<&'static Family>, forms: Vec<Form> },
}

/// The parts of the engine with a rule that the settings without overrides enable.
#[derive(Debug)]
struct Plan {
    /// Whether a text pattern or a family that searches for words is enabled.
    searches_text: bool,
    /// The names of the families with an enabled rule.
    families: HashSet<&'static str>,
    /// Whether the path or text of a file can disable an enabled rule.
    has_conditions: bool,
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

    /// Whether the path or text of a file can disable an enabled rule. Under settings with overrides,
    /// this is assumed.
    pub(super) fn has_conditions(&self, settings: &Settings) -> bool {
        !self.settings.is_base(settings)
            || self.derived.plan.get_or_init(|| self.plan(settings)).has_conditions
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
            has_conditions: self.conditions.may_disable(&is_enabled),
        }
    }

    /// Whether an enabled rule can have findings in the file at `path`, whatever its text. A walk does
    /// not open the other files.
    #[must_use]
    pub fn may_check(&self, path: &str) -> bool {
        match self.derived.reach.get_or_init(|| self.reach()) {
            Reach::All => true,
            Reach::Some { families, forms } => {
                families.iter().any(|family| (family.may_check)(path))
                    || forms.iter().any(|form| form_may_check(*form, path))
            }
        }
    }

    fn reach(&self) -> Reach {
        let is_enabled = |rule: &str| self.is_enabled_anywhere(rule);
        // These rules are about the files and comments of all other rules.
        let mut own = OWN_RULES.into_iter().chain((configuration::FAMILY.rules)());
        if self.reads_imports || own.any(is_enabled) {
            return Reach::All;
        }
        let is_active = |family: &&Family| (family.rules)().into_iter().any(is_enabled);
        let families: Vec<&'static Family> =
            self.distribution.families.iter().filter(is_active).collect();
        let searches_text =
            |family: &&Family| family.finds_secrets || !(family.keywords)().is_empty();
        let rules = self.registry.rules().iter().filter(|rule| !rule.is_project_check());
        let mut forms: Vec<Form> = Vec::new();
        for rule in rules {
            if let Some(form) = rule.form.filter(|form| !forms.contains(form))
                && is_enabled(&rule.id)
            {
                forms.push(form);
            }
        }
        if families.iter().any(searches_text) || forms.contains(&Form::Text) {
            return Reach::All;
        }
        Reach::Some { families, forms }
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

/// Whether checks of this form can run on the file at `path`.
fn form_may_check(form: Form, path: &str) -> bool {
    match form {
        Form::Text => true,
        Form::Syntax => language_of(path).is_some(),
        Form::Data => Format::from_path(path).is_some(),
        Form::Doc => kind::kinds(path, "").contains(&Kind::MARKDOWN),
        Form::Tree | Form::Layers | Form::Dependencies | Form::Commit => false,
    }
}
