//! The rules that a call requests, which of them are disabled, and how to enable them.

use aidd_engine::check::Engine;
use aidd_engine::project::config::{Config, Level, RuleSetting};
use aidd_engine::rules::packs::{self, Packs};
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::RuleId;
use aidd_engine::text::paths::rule_globs;
use aidd_engine::workspace::project::Project;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of disabled rules listed by name.
const MAX_LISTED: usize = 3;
/// Maximum number of packs suggested.
const MAX_PACKS: usize = 5;

/// The rules that a call requests.
#[derive(Default)]
pub(super) struct Requested {
    /// The names for [`Selection::only`](aidd_engine::check::Selection::only).
    pub(super) only: Vec<String>,
    /// The rules that run only if they are enabled, by requested name and category.
    groups: BTreeMap<(String, String), Vec<RuleId>>,
}

/// The requested rules that are disabled.
pub(super) struct Disabled {
    /// Whether all rules of a requested group are disabled, so that the group was not checked.
    pub(super) has_disabled_group: bool,
    /// Notes on the disabled rules and how to enable them.
    pub(super) notes: Vec<String>,
}

impl Requested {
    /// Resolves names of categories, tags, packs, ids, aliases and globs. The check reports unknown
    /// names.
    pub(super) fn new(registry: &Registry, names: &[String]) -> Self {
        let mut requested = Self::default();
        for name in names {
            if name.contains(['/', '*', '?', '[', '{']) || registry.named(name).next().is_some() {
                requested.add_glob(registry, name, name);
            } else if registry.rules().iter().any(|rule| category_of(&rule.id) == name) {
                requested.add_glob(registry, name, &format!("{name}/*"));
            } else {
                requested.add_label(registry, name);
            }
        }
        requested
    }

    fn add_glob(&mut self, registry: &Registry, name: &str, glob: &str) {
        self.only.push(glob.to_owned());
        // A rule named by its id or alias runs even if it is disabled.
        if let Some(globs) = rule_globs(&[glob]).ok().filter(|_| is_glob(glob)) {
            let rules = registry.rules().iter().filter(|rule| globs.is_match(&*rule.id));
            self.add_rules(name, rules);
        }
    }

    /// Adds the rules that have a tag or belong to a pack. The name of a pack is often also a tag.
    fn add_label(&mut self, registry: &Registry, name: &str) {
        let pack = rules_of_pack(registry, name);
        let has_label = |rule: &&Rule| {
            pack.contains(&rule.id) || rule.tags.iter().any(|tag| tag.eq_ignore_ascii_case(name))
        };
        let rules: Vec<&Rule> = registry.rules().iter().filter(has_label).collect();
        if rules.is_empty() {
            self.only.push(name.to_owned());
            return;
        }
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for rule in registry.rules() {
            *sizes.entry(category_of(&rule.id)).or_default() += 1;
        }
        let mut by_category: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
        for &rule in &rules {
            by_category.entry(category_of(&rule.id)).or_default().push(rule);
        }
        for (category, rules) in by_category {
            if sizes.get(category) == Some(&rules.len()) {
                self.only.push(format!("{category}/*"));
            } else {
                self.only.extend(rules.iter().map(|rule| as_glob(&rule.id)));
            }
        }
        self.add_rules(name, rules.into_iter());
    }

    fn add_rules<'a>(&mut self, name: &str, rules: impl Iterator<Item = &'a Rule>) {
        for rule in rules {
            let key = (name.to_owned(), category_of(&rule.id).to_owned());
            self.groups.entry(key).or_default().push(rule.id.clone());
        }
    }

    /// The requested rules that are disabled in `project`, or at `path` if one file is checked.
    /// Groups in which only some rules are disabled are included only if `include_partial` is set.
    pub(super) fn disabled(
        &self,
        project: &Project,
        engine: &Engine,
        path: Option<&str>,
        include_partial: bool,
    ) -> Disabled {
        let settings = path.map(|path| engine.settings(path));
        let is_enabled = |rule: &RuleId| match &settings {
            Some(settings) => settings.get(rule).is_some_and(|setting| setting.severity.is_some()),
            None => engine.is_enabled_anywhere(rule),
        };
        let mut disabled = Disabled { has_disabled_group: false, notes: Vec::new() };
        for ((name, category), rules) in &self.groups {
            let disabled_rules: Vec<&RuleId> =
                rules.iter().filter(|rule| !is_enabled(rule)).collect();
            let is_group_disabled = disabled_rules.len() == rules.len();
            if disabled_rules.is_empty() || !is_group_disabled && !include_partial {
                continue;
            }
            disabled.has_disabled_group |= is_group_disabled;
            let (count, total) = (disabled_rules.len(), rules.len());
            let suffix = if name == category { String::new() } else { format!(" of `{name}`") };
            disabled.notes.push(format!(
                "disabled: {count} of {total} {category} rules{suffix} ({}); {}",
                list(&disabled_rules),
                remedy(project, engine, &disabled_rules)
            ));
        }
        disabled
    }
}

/// The names of the first rules.
fn list(rules: &[&RuleId]) -> String {
    let mut names: Vec<&str> = rules.iter().take(MAX_LISTED).map(|rule| &***rule).collect();
    if rules.len() > MAX_LISTED {
        names.push("…");
    }
    names.join(", ")
}

/// A clause that explains how to enable disabled rules.
pub(super) fn remedy(project: &Project, engine: &Engine, disabled: &[&RuleId]) -> String {
    let (registry, config) = (engine.registry(), &project.config);
    let enabled = Packs::from_config(config, registry).unwrap_or_default().enabled;
    let mut has_override = false;
    let mut settings: BTreeSet<&str> = BTreeSet::new();
    let mut remaining: BTreeSet<&RuleId> = BTreeSet::new();
    for &rule in disabled {
        if engine.is_enabled_anywhere(rule) {
            has_override = true;
            continue;
        }
        let is_default = registry.get(rule).is_some_and(|rule| rule.enabled);
        match disabling_key(config, registry, rule) {
            Some(key) if is_default || enabled.contains(rule) => {
                settings.insert(key);
            }
            _ => {
                remaining.insert(rule);
            }
        }
    }
    let mut steps = Vec::new();
    if !settings.is_empty() {
        let names: Vec<String> = settings.iter().map(|key| format!("\"{key}\": \"off\"")).collect();
        steps.push(format!("remove {} from `rules`", names.join(", ")));
    }
    let names = covering_packs(registry, &mut remaining);
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        steps.push(format!("add {} to `compliance`", names.join(", ")));
    }
    if let Some(rule) = remaining.first().and_then(|rule| registry.get(rule)) {
        let more = if remaining.len() > 1 { ", …" } else { "" };
        steps.push(format!("add \"{}\": \"{}\"{more} to `rules`", rule.id, rule.severity));
    }
    if has_override {
        steps.push("change the override for this path".to_owned());
    }
    format!("to enable in .aidd/config.json: {}", steps.join("; "))
}

/// The key in the configuration that disables a rule.
fn disabling_key<'a>(config: &'a Config, registry: &Registry, rule: &RuleId) -> Option<&'a str> {
    let is_off = |setting: &RuleSetting| setting.level() == Some(Level::Off);
    let selects = |key: &str| match is_glob(key) {
        true => rule_globs(&[key]).is_ok_and(|globs| globs.is_match(&**rule)),
        false => registry.named(key).any(|named| named.id == *rule),
    };
    let keys =
        config.rules.iter().flatten().filter(|(key, setting)| is_off(setting) && selects(key));
    keys.map(|(key, _)| &**key).next()
}

/// Selects the packs that together enable most rules in `remaining`, and removes these rules from
/// `remaining`.
fn covering_packs(registry: &Registry, remaining: &mut BTreeSet<&RuleId>) -> Vec<String> {
    if remaining.is_empty() {
        return Vec::new();
    }
    let all: Vec<(String, BTreeSet<RuleId>)> = packs::names(registry)
        .into_iter()
        .map(|name| {
            let rules = rules_of_pack(registry, &name);
            (name, rules)
        })
        .collect();
    let mut chosen = Vec::new();
    while chosen.len() < MAX_PACKS {
        // Of several equally good packs, the first is chosen: packs for one language come last.
        let gain =
            |rules: &BTreeSet<RuleId>| rules.iter().filter(|rule| remaining.contains(rule)).count();
        let best = all.iter().rev().max_by_key(|(_, rules)| gain(rules));
        let Some((name, rules)) = best.filter(|(_, rules)| gain(rules) > 0) else { break };
        chosen.push(name.clone());
        remaining.retain(|rule| !rules.contains(*rule));
    }
    chosen
}

/// The rules of a pack; none if there is no such pack.
fn rules_of_pack(registry: &Registry, name: &str) -> BTreeSet<RuleId> {
    if !packs::names(registry).iter().any(|known| known == name) {
        return BTreeSet::new();
    }
    let config = Config { compliance: Some(vec![name.to_owned()]), ..Config::default() };
    Packs::from_config(&config, registry).unwrap_or_default().enabled
}

/// The category of a rule: its id up to the slash.
fn category_of(id: &str) -> &str {
    id.split_once('/').map_or(id, |(category, _)| category)
}

fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// Converts a rule id to a glob: a rule selected by its full id runs even if the project disables
/// the rule; a rule selected by a glob does not.
pub(super) fn as_glob(name: &str) -> String {
    match name.char_indices().next_back() {
        Some((at, last)) if last != '*' => format!("{}[{last}]", &name[..at]),
        _ => name.to_owned(),
    }
}
