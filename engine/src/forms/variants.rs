//! Page checks whose parameters the configuration overrides for some paths.
//!
//! When a path is first checked, each rule is compiled again if an override that applies to the
//! path sets its parameters. On such paths the default version of these rules does not run. A
//! project without such overrides has no overhead.

use crate::forms::all::Patterns;
use crate::forms::when::Conditions;
use crate::project::config::RuleSetting;
use crate::rules::registry::{Registry, error_message};
use crate::rules::rule::{Rule, Settings};
use crate::text::files::Files;
use crate::text::finding::RuleId;
use crate::text::paths::Globs;
use crate::text::source::Source;
use aidd_page::{CheckHeader, Many, Tables, WhenHeader, check_with};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The parameters that one override sets, by rule.
type Params = Vec<(RuleId, Map<String, Value>)>;

/// The indexes of the overrides that apply to a path, in configuration order.
pub(crate) type OverrideIndexes = Vec<usize>;

/// The checks that differ by path.
#[derive(Debug)]
pub(crate) struct Variants {
    tables: &'static Tables,
    /// The overrides that set parameters of page checks.
    overrides: Vec<(Globs, Params)>,
    /// The affected rules with their default parameters.
    rules: BTreeMap<RuleId, (Rule, Map<String, Value>)>,
    /// The conditions that packs add to rules.
    packs: HashMap<RuleId, Many<WhenHeader>>,
    cache: Mutex<HashMap<OverrideIndexes, Arc<Variant>>>,
}

/// The rules that differ on the paths to which the same overrides apply.
#[derive(Debug)]
pub(crate) struct Variant {
    rules: Vec<Rule>,
    /// Rules that cannot run on these paths, each with the reason.
    pub(crate) invalid: Vec<(RuleId, String)>,
    /// The compiled single-file checks.
    pub(crate) patterns: Patterns,
    /// The conditions of the rules.
    pub(crate) conditions: Conditions,
}

impl Variants {
    /// Collects the variants for `overrides`; `base` has the default parameters, `packs` the
    /// conditions of packs.
    ///
    /// # Errors
    /// Fails for the first override, in configuration order, that sets a parameter to a value that
    /// the rule rejects, or a parameter that must be the same for all paths. The error is the index
    /// of the override, the rule and the reason.
    pub(crate) fn new(
        registry: &Registry,
        overrides: &[(Globs, Vec<(RuleId, RuleSetting)>)],
        base: &Settings,
        packs: &HashMap<RuleId, Many<WhenHeader>>,
    ) -> Result<Self, (usize, RuleId, String)> {
        let mut variants = Self {
            tables: registry.tables(),
            overrides: Vec::new(),
            rules: BTreeMap::new(),
            packs: HashMap::new(),
            cache: Mutex::default(),
        };
        let mut config_indexes = Vec::new();
        for (config_index, (globs, settings)) in overrides.iter().enumerate() {
            let mut params = Params::new();
            for (id, setting) in settings {
                let Some(values) = setting.params().filter(|values| !values.is_empty()) else {
                    continue;
                };
                let Some(rule) = registry.get(id).filter(|rule| rule.form.is_some()) else {
                    continue;
                };
                let defaults = base.get(id).map(|setting| Map::clone(&setting.params));
                let defaults = defaults.unwrap_or_default();
                variants.rules.entry(id.clone()).or_insert_with(|| (rule.clone(), defaults));
                params.push((id.clone(), values.clone()));
            }
            if !params.is_empty() {
                variants.overrides.push((globs.clone(), params));
                config_indexes.push(config_index);
            }
        }
        let of_rule = |(id, when): (&RuleId, &Many<WhenHeader>)| {
            variants.rules.contains_key(id).then(|| (id.clone(), when.clone()))
        };
        variants.packs = packs.iter().filter_map(of_rule).collect();
        // At this point each override is checked by itself; invalid combinations are reported on
        // the paths where they occur.
        for (index, config_index) in config_indexes.into_iter().enumerate() {
            let variant = variants.for_overrides(vec![index]);
            if let Some((rule, why)) = variant.invalid.first() {
                return Err((config_index, rule.clone(), why.clone()));
            }
        }
        Ok(variants)
    }

    /// Whether no rule differs by path.
    pub(crate) fn is_empty(&self) -> bool {
        self.overrides.is_empty()
    }

    /// Whether this rule differs by path.
    pub(crate) fn varies(&self, rule: &str) -> bool {
        self.rules.contains_key(rule)
    }

    /// The overrides that apply to a file or directory at `path`.
    pub(crate) fn overrides_at(&self, path: &str, is_folder: bool) -> OverrideIndexes {
        let inner = is_folder.then(|| format!("{path}/"));
        let applies = |globs: &Globs| {
            globs.matches(path) || inner.as_ref().is_some_and(|inner| globs.matches(inner))
        };
        let all = self.overrides.iter().enumerate();
        all.filter(|(_, (globs, _))| applies(globs)).map(|(index, _)| index).collect()
    }

    /// The variant for the file at `path`.
    pub(crate) fn at(&self, path: &str) -> Option<Arc<Variant>> {
        if self.is_empty() {
            return None;
        }
        let indexes = self.overrides_at(path, false);
        (!indexes.is_empty()).then(|| self.for_overrides(indexes))
    }

    /// The variant for these overrides.
    pub(crate) fn for_overrides(&self, indexes: OverrideIndexes) -> Arc<Variant> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.get(&indexes) {
            return known.clone();
        }
        let variant = Arc::new(self.compile(&indexes));
        cache.insert(indexes, variant.clone());
        variant
    }

    fn compile(&self, indexes: &[usize]) -> Variant {
        let mut params: BTreeMap<&RuleId, Map<String, Value>> = BTreeMap::new();
        for (id, values) in indexes.iter().flat_map(|&index| &self.overrides[index].1) {
            let defaults = || self.rules.get(id).map(|(_, params)| params.clone());
            let all = params.entry(id).or_insert_with(|| defaults().unwrap_or_default());
            all.extend(values.clone());
        }
        let (mut rules, mut invalid) = (Vec::new(), Vec::new());
        for (id, params) in params {
            let Some((rule, _)) = self.rules.get(id) else { continue };
            match with_params(rule, &params) {
                Ok(rule) => rules.push(rule),
                Err(why) => invalid.push((id.clone(), why)),
            }
        }
        let patterns = Patterns::new(self.tables, &rules, Vec::new());
        let conditions = Conditions::new(&rules, &self.packs);
        Variant { rules, invalid, patterns, conditions }
    }

    /// The heap memory of the compiled text patterns, in bytes.
    pub(crate) fn pattern_memory(&self) -> usize {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.values().map(|variant| variant.patterns.text_memory()).sum()
    }

    /// The variants of each override by itself.
    pub(crate) fn single_override_variants(&self) -> impl Iterator<Item = Arc<Variant>> {
        (0..self.overrides.len()).map(|index| self.for_overrides(vec![index]))
    }
}

/// The rule with other parameters.
fn with_params(rule: &Rule, params: &Map<String, Value>) -> Result<Rule, String> {
    let check = check_with(&rule.page, params).map_err(|error| error_message(&error))?;
    if let Some(why) = check.as_ref().and_then(CheckHeader::reason_not_settable_by_path) {
        return Err(format!(
            "{why}, so they must be the same for all paths; set them under `rules`"
        ));
    }
    let mut varied = rule.clone();
    varied.set_check(check);
    Ok(varied)
}

impl Variant {
    /// The rules, sorted by id.
    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The variant of a rule.
    pub(crate) fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| *rule.id == *id)
    }

    /// Whether a rule differs from its default version on the paths of this variant.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.rule(id).is_some() || self.invalid.iter().any(|(rule, _)| **rule == *id)
    }

    /// The rules that do not run in `source` because of their conditions: the rules in `disabled`,
    /// except those of this variant, plus the rules of this variant whose conditions are not met.
    pub(crate) fn disabled_rules(
        &self,
        mut disabled: HashSet<RuleId>,
        source: &Source,
        (settings, files): (&Settings, &dyn Files),
    ) -> HashSet<RuleId> {
        disabled.retain(|rule| !self.has(rule));
        disabled.extend(self.conditions.unmet(source, settings, files));
        disabled
    }

    /// The rules whose default version does not run on the paths of this variant: the rules in
    /// `disabled`, and the rules of this variant.
    pub(crate) fn disabled_defaults(&self, disabled: &HashSet<RuleId>) -> HashSet<RuleId> {
        let varied = self.rules.iter().map(|rule| &rule.id);
        let invalid = self.invalid.iter().map(|(rule, _)| rule);
        disabled.iter().chain(varied).chain(invalid).cloned().collect()
    }
}

#[cfg(test)]
mod tests;
