//! Packs: sets of rules that a project switches on by one name.

use crate::config::{Config, RuleSetting, nearest};
use crate::finding::RuleId;
use crate::paths::rule_globs;
use crate::registry::Registry;
use aidd_content::page::{Many, PackHeader, WhenHeader};
use std::collections::{BTreeSet, HashMap};

/// The packs of a configuration, resolved to rules.
#[derive(Debug, Default)]
pub struct Packs {
    /// The rules that are on.
    pub on: BTreeSet<RuleId>,
    /// What is set of them, in the order of the packs.
    pub set: Vec<(RuleId, RuleSetting)>,
    /// What must hold for those that are on under a condition: one of the list.
    pub when: HashMap<RuleId, Many<WhenHeader>>,
}

/// The names of all packs.
pub fn names() -> impl Iterator<Item = &'static str> {
    aidd_content::PACKS.iter().map(|pack| pack.id)
}

/// The pack most like `name`.
#[must_use]
pub fn nearest_name(name: &str) -> Option<&'static str> {
    nearest(name, names())
}

/// The header of a pack.
///
/// # Errors
/// When there is none of this name.
pub fn header(name: &str) -> Result<PackHeader, String> {
    aidd_content::pack(name).ok_or_else(|| {
        let near = nearest_name(name);
        let hint = near.map_or_else(
            || format!("known are {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        format!("no pack is called `{name}`; {hint}")
    })
}

impl Packs {
    /// The packs that `config` names.
    ///
    /// # Errors
    /// The first name that is no pack, or what is wrong with its page.
    pub fn of(config: &Config, registry: &Registry) -> Result<Self, String> {
        let mut packs = Self::default();
        let mut always: BTreeSet<RuleId> = BTreeSet::new();
        for name in config.compliance.iter().flatten() {
            let header = header(name)?;
            let rules = named(&header.rules, registry)?;
            for rule in rules {
                if header.when.is_empty() {
                    always.insert(rule.clone());
                }
                packs.when.entry(rule.clone()).or_default().0.extend(header.when.0.clone());
                packs.on.insert(rule);
            }
            for (name, setting) in &header.set {
                let setting: RuleSetting = serde_json::from_str(&setting.0)
                    .map_err(|error| format!("pack: `{name}`: {error}"))?;
                let rules = named(std::slice::from_ref(name), registry)?;
                packs.set.extend(rules.into_iter().map(|rule| (rule, setting.clone())));
            }
        }
        packs.when.retain(|rule, _| !always.contains(rule));
        Ok(packs)
    }
}

/// The rules that ids and globs name, ordered by id.
fn named(names: &[String], registry: &Registry) -> Result<Vec<RuleId>, String> {
    // Most names are ids, for which no expression need be made.
    let is_glob = |name: &&String| name.contains(['*', '?', '[', ']', '{', '}', '\\', '!', ',']);
    let (globs, ids): (Vec<&String>, Vec<&String>) = names.iter().partition(is_glob);
    let known = ids.iter().filter_map(|name| registry.get(&name.to_ascii_lowercase()));
    let mut rules: BTreeSet<RuleId> = known.map(|rule| rule.id.clone()).collect();
    if !globs.is_empty() {
        let globs = rule_globs(&globs)?;
        let ids = registry.rules().iter().map(|rule| &rule.id);
        rules.extend(ids.filter(|id| globs.is_match(&***id)).cloned());
    }
    Ok(rules.into_iter().collect())
}
