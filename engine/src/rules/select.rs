//! Determines which rules run on a file, and with which severity, from the defaults of the pages,
//! the configuration, and the selection of a command line or editor.

use crate::project::config::{Config, Level, RuleSetting};
use crate::rules::packs::{PackError, Packs};
use crate::rules::registry::Registry;
use crate::rules::rule::{Params, Rule, Setting, Settings};
use crate::text::finding::{RuleId, Severity};
use crate::text::paths::{GlobError, Globs, rule_globs};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// A selection of rules from a command line or editor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Globs of rule ids, or aliases; empty means all enabled rules. A rule selected by its id or
    /// alias runs even if it is disabled by default.
    pub only: Vec<String>,
    /// Globs of rule ids, or aliases, to skip.
    pub skip: Vec<String>,
    /// The minimum severity of the rules to run.
    pub severity: Option<Severity>,
}

/// Why an engine cannot be built.
#[derive(Debug, Error)]
pub enum EngineError {
    /// A glob in the configuration or selection is malformed.
    #[error("{0}")]
    Glob(#[from] GlobError),
    /// The configuration names an unknown or malformed pack.
    #[error("compliance: {0}")]
    Pack(PackError),
    /// A parameter has the wrong type or is unknown.
    #[error("{}parameters of `{rule}`: {why}", .override_index.map_or(String::new(), |override_index| format!("overrides[{override_index}]: ")))]
    Params {
        /// The index of the override that sets the parameters; `None` for `rules` or a pack.
        override_index: Option<usize>,
        /// The rule that has the parameters.
        rule: RuleId,
        /// The fault in the parameters.
        why: String,
    },
    /// A shipped rule has neither a check in its page nor a function.
    #[error("shipped rule `{0}` has no check: the program was built without its family")]
    NoFunction(&'static str),
    /// A name in the selection does not match any rule.
    #[error("unknown rule `{name}`{}", .nearest.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?")))]
    UnknownRule {
        /// The name as selected.
        name: String,
        /// The most similar rule name, for `did you mean`.
        nearest: Option<String>,
    },
}

/// The settings of every rule, for any path.
#[derive(Debug)]
pub(crate) struct SettingsTable {
    /// The settings where no override applies.
    base: Arc<Settings>,
    overrides: Vec<(Globs, Vec<(RuleId, RuleSetting)>)>,
    selection: ResolvedSelection,
    /// The settings for each combination of overrides, by the indexes of the overrides; filled on
    /// demand.
    variants: Mutex<HashMap<Vec<usize>, Arc<Settings>>>,
    /// The elements of HTML that components render, by the name of the component.
    components: BTreeMap<String, String>,
    /// The properties that name the element of a component, in lower case.
    polymorphic: Vec<String>,
}

impl SettingsTable {
    /// The settings under `config`, limited to the rules in `selection`.
    pub(crate) fn new(
        registry: &Registry,
        config: &Config,
        packs: &Packs,
        selection: &Selection,
    ) -> Result<Self, EngineError> {
        let selection = ResolvedSelection::new(selection, registry)?;
        let configured = resolve_names(config.rules.iter().flatten(), registry);
        let mut overrides = Vec::new();
        for override_ in config.overrides.iter().flatten() {
            let globs = Globs::new(&override_.files, &[])?;
            overrides.push((globs, resolve_names(override_.rules.iter(), registry)));
        }
        let mut settings = base_settings(registry.rules(), packs, &configured);
        raise(&mut settings, &config.raised);
        let with_level = configured.iter().filter(|(_, to)| to.level().is_some());
        let with_level: HashSet<RuleId> = with_level.map(|(id, _)| id.clone()).collect();
        for (id, setting) in overrides.iter_mut().flat_map(|(_, rules)| rules) {
            let is_off = |setting: &Setting| setting.severity.is_none();
            if let Some(rule) = registry.get(id).filter(|rule| !rule.enabled)
                && settings.get(id).is_some_and(is_off)
                && !with_level.contains(id)
            {
                enable(setting, rule.severity);
            }
        }
        let base = Arc::new(selection.limit(settings, registry));
        let components = config.accessibility.iter().flat_map(|it| &it.components).flatten();
        let components = components.map(|(name, element)| (name.clone(), element.0.clone()));
        let components = components.collect();
        let polymorphic = config.accessibility.iter().flat_map(|it| &it.polymorphic).flatten();
        let polymorphic = polymorphic.map(|name| name.to_ascii_lowercase()).collect();
        let variants = Mutex::default();
        Ok(Self { base, overrides, selection, variants, components, polymorphic })
    }

    /// The elements of HTML that components render, by the name of the component.
    pub(crate) fn components(&self) -> &BTreeMap<String, String> {
        &self.components
    }

    /// The properties that name the element that a component renders, in lower case.
    pub(crate) fn polymorphic(&self) -> &[String] {
        &self.polymorphic
    }

    /// The overrides, in the order of the configuration.
    pub(crate) fn overrides(&self) -> &[(Globs, Vec<(RuleId, RuleSetting)>)] {
        &self.overrides
    }

    /// The settings where no override applies.
    pub(crate) fn base(&self) -> &Settings {
        &self.base
    }

    /// The minimum severity of the findings to report.
    pub(crate) fn min_severity(&self) -> Option<Severity> {
        self.selection.severity
    }

    /// Whether the rule is enabled for at least one path.
    pub(crate) fn may_run(&self, rule: &str) -> bool {
        let enables = |(id, setting): &(RuleId, RuleSetting)| {
            **id == *rule && setting.level().is_some_and(|level| level.severity().is_some())
        };
        self.base.get(rule).is_some_and(|setting| setting.severity.is_some())
            || self.overrides.iter().any(|(_, rules)| rules.iter().any(enables))
    }

    /// Whether `settings` are the settings without overrides.
    pub(crate) fn is_base(&self, settings: &Settings) -> bool {
        std::ptr::eq(&raw const *self.base, settings)
    }

    /// The settings for the file or directory at `path`.
    pub(crate) fn for_path(&self, path: &str, is_dir: bool, registry: &Registry) -> Arc<Settings> {
        let inner = (is_dir && !path.is_empty()).then(|| format!("{path}/"));
        let applying = |index: &usize| {
            let globs = &self.overrides[*index].0;
            globs.matches(path) || inner.as_ref().is_some_and(|inner| globs.matches(inner))
        };
        let key: Vec<usize> = (0..self.overrides.len()).filter(applying).collect();
        if key.is_empty() {
            return self.base.clone();
        }
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let mut settings = (*self.base).clone();
            for &index in &key {
                set(&mut settings, &self.overrides[index].1);
            }
            Arc::new(self.selection.limit(settings, registry))
        };
        variants.entry(key.clone()).or_insert_with(make).clone()
    }
}

/// The default settings of the pages, without configuration or selection.
pub(crate) fn defaults(rules: &[Rule]) -> Settings {
    base_settings(rules, &Packs::default(), &[])
}

/// A set of rules. Each start looks up all rules, so the hash is a fast one.
type RuleIds = HashSet<RuleId, foldhash::fast::RandomState>;

/// A selection, resolved to rules.
#[derive(Debug)]
struct ResolvedSelection {
    /// `None` selects all enabled rules.
    only: Option<RuleIds>,
    /// The rules selected by id or alias, which run even if they are disabled by default.
    exact: RuleIds,
    skip: RuleIds,
    severity: Option<Severity>,
}

impl ResolvedSelection {
    fn new(selection: &Selection, registry: &Registry) -> Result<Self, EngineError> {
        let mut exact = RuleIds::default();
        let resolve = |names: &[String], exact: &mut RuleIds| {
            let mut rules = RuleIds::default();
            for name in names {
                let before = rules.len();
                if name.contains(['*', '?', '[', '{']) {
                    let globs = rule_globs(&[name])?;
                    rules.extend(
                        registry
                            .rules()
                            .iter()
                            .map(|rule| rule.id.clone())
                            .filter(|id| globs.is_match(&**id)),
                    );
                } else {
                    let named: Vec<RuleId> =
                        registry.named(name).map(|rule| rule.id.clone()).collect();
                    exact.extend(named.iter().cloned());
                    rules.extend(named);
                }
                if rules.len() == before && !registry.contains(name) {
                    let nearest = registry.nearest(name);
                    return Err(EngineError::UnknownRule { name: name.clone(), nearest });
                }
            }
            Ok(rules)
        };
        let only = if selection.only.is_empty() {
            None
        } else {
            Some(resolve(&selection.only, &mut exact)?)
        };
        let skip = resolve(&selection.skip, &mut RuleIds::default())?;
        Ok(Self { only, exact, skip, severity: selection.severity })
    }

    /// Disables the rules that are not selected.
    fn limit(&self, mut settings: Settings, registry: &Registry) -> Settings {
        if self.only.is_none() && self.skip.is_empty() && self.severity.is_none() {
            return settings;
        }
        for rule in registry.rules() {
            let Some(setting) = settings.get_mut(&rule.id) else { continue };
            if setting.severity.is_none() && self.exact.contains(&rule.id) {
                setting.severity = Some(rule.severity);
            }
            let is_selected = self.only.as_ref().is_none_or(|only| only.contains(&rule.id))
                && !self.skip.contains(&rule.id);
            let is_severe = setting.severity >= self.severity;
            if !is_selected || !is_severe {
                setting.severity = None;
                setting.is_configured = true;
            }
        }
        settings
    }
}

fn base_settings(rules: &[Rule], packs: &Packs, configured: &[(RuleId, RuleSetting)]) -> Settings {
    let mut settings: Settings = rules
        .iter()
        .map(|rule| {
            let is_enabled = rule.enabled || packs.enabled.contains(&rule.id);
            let severity = is_enabled.then_some(rule.severity);
            (rule.id.clone(), Setting { severity, params: Params::default(), is_configured: false })
        })
        .collect();
    set(&mut settings, &packs.settings);
    set(&mut settings, configured);
    // Configuring a parameter enables a rule that is disabled by default.
    let named = configured.iter().filter(|(_, to)| to.level().is_none());
    let named: HashSet<&RuleId> = named.map(|(id, _)| id).collect();
    for rule in rules.iter().filter(|rule| !rule.enabled) {
        if let Some(setting) = settings.get_mut(&rule.id)
            && named.contains(&rule.id)
        {
            setting.severity = Some(rule.severity);
        }
    }
    settings
}

/// Configuring a parameter enables a rule that is disabled by default.
fn enable(setting: &mut RuleSetting, severity: Severity) {
    if let RuleSetting::Detailed(detailed) = setting
        && detailed.severity.is_none()
        && !detailed.params.is_empty()
    {
        detailed.severity = Some(Level::from_severity(severity));
    }
}

/// Raises the severity of rules by one step. Rules that are off remain off, and a level that the
/// configuration or a pack sets remains.
fn raise(settings: &mut Settings, raised: &BTreeSet<String>) {
    for id in raised {
        let Some(setting) = settings.get_mut(id.as_str()) else { continue };
        if setting.is_configured {
            continue;
        }
        setting.severity = setting.severity.map(|severity| match severity {
            Severity::Info => Severity::Warning,
            Severity::Warning | Severity::Error => Severity::Error,
        });
    }
}

fn set(settings: &mut Settings, configured: &[(RuleId, RuleSetting)]) {
    for (id, configured_setting) in configured {
        let Some(setting) = settings.get_mut(id) else { continue };
        if let Some(level) = configured_setting.level() {
            setting.severity = level.severity();
            setting.is_configured = true;
        }
        if let Some(params) = configured_setting.params().filter(|params| !params.is_empty()) {
            setting.params.extend(params.clone());
        }
    }
}

/// Maps names in a configuration to rules. Globs come before exact names, so that exact names win.
/// Unknown names are skipped; a finding on the configuration file reports them.
fn resolve_names<'a>(
    rules: impl Iterator<Item = (&'a String, &'a RuleSetting)>,
    registry: &Registry,
) -> Vec<(RuleId, RuleSetting)> {
    let (globs, exact): (Vec<_>, Vec<_>) = rules.partition(|(name, _)| name.contains('*'));
    let mut resolved = Vec::new();
    for (name, setting) in globs {
        if let Ok(set) = rule_globs(&[name]) {
            let ids = registry
                .rules()
                .iter()
                .map(|rule| rule.id.clone())
                .filter(|id| set.is_match(&**id));
            resolved.extend(ids.map(|id| (id, setting.clone())));
        }
    }
    for (name, setting) in exact {
        resolved.extend(registry.named(name).map(|rule| (rule.id.clone(), setting.clone())));
    }
    resolved
}
