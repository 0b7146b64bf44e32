//! Finds the rules that are disabled, less severe or changed.

use super::{Kind, Scope, Side, Weakening, list_names, number};
use crate::project::config::{Config, Level, RuleSetting, line_of};
use crate::rules::packs::Packs;
use crate::rules::registry::Registry;
use crate::rules::rule::{Rule, Settings};
use crate::text::finding::{RuleId, Severity};
use crate::text::kind::is_memory_path;
use crate::text::paths::rule_globs;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The cause and the new level of lowered rules; each becomes one entry of the report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cause {
    kind: Kind,
    path: String,
    line: Option<u32>,
    /// The text before the rules in the message.
    prefix: String,
    /// The new severity; `None` if the rule is disabled.
    to: Option<Severity>,
}

/// The rules lowered by each cause, with their severities in the base.
type LoweredRules = BTreeMap<Cause, BTreeMap<RuleId, Severity>>;

pub(super) fn compare(base: &Side<'_>, head: &Side<'_>, tracked: &[String]) -> Vec<Weakening> {
    let (before, after) = (base.engine.table().base(), head.engine.table().base());
    let causes = Causes::new(base, head);
    let mut lowered = LoweredRules::new();
    let mut found = Vec::new();
    // Sorted by id, because the order of a map is not deterministic.
    for rule in base.engine.registry().rules() {
        let Some((from, params)) = severity_of(before, rule) else { continue };
        let head_rule = head.engine.registry().get(&rule.id);
        let to = head_rule.and_then(|head_rule| severity_of(after, head_rule));
        if to.is_none_or(|(severity, _)| severity < from) {
            let cause = causes.cause_of(rule, to.map(|(severity, _)| severity));
            lowered.entry(cause).or_default().insert(rule.id.clone(), from);
        } else if let Some(head_rule) = head_rule {
            let conditions = [head, base].map(|side| side.engine.pack_conditions(&rule.id));
            if to.is_some_and(|(_, head_params)| head_params != params) {
                found.push(causes.settings_weakening(&rule.id, "changes the parameters of"));
            } else if conditions[0].is_some() && conditions[0] != conditions[1] {
                found.push(causes.settings_weakening(&rule.id, "adds a condition to"));
            } else if head_rule.check != rule.check
                && (head_rule.path.is_some() || rule.path.is_some())
            {
                found.push(changed_check(rule, head_rule));
            }
        }
    }
    let everywhere =
        lowered.into_iter().map(|(cause, rules)| cause.into_weakening(rules, Scope::All));
    found.extend(everywhere);
    found.extend(new_overrides(base, head));
    found.extend(removed_overrides(base, head));
    let rest = weakened_by_path(base, head, tracked, &found);
    found.extend(rest);
    found
}

/// The severity of a rule and its parameters; `None` if it is disabled.
fn severity_of<'a>(
    settings: &'a Settings,
    rule: &Rule,
) -> Option<(Severity, &'a serde_json::Map<String, serde_json::Value>)> {
    let setting = settings.get(&rule.id)?;
    Some((setting.severity?, &setting.params))
}

impl Cause {
    fn into_weakening(self, rules: BTreeMap<RuleId, Severity>, files: Scope) -> Weakening {
        let names = || list_names(rules.keys().map(|rule| format!("`{rule}`")));
        let action = match (rules.len(), rules.values().next(), self.to) {
            (1, Some(from), None) => format!("disables {} (severity in the base: {from})", names()),
            (1, Some(from), Some(to)) => format!("lowers {} from {from} to {to}", names()),
            (count, _, None) => format!("disables {}: {}", number(count, "rule"), names()),
            (count, _, Some(to)) => {
                format!("lowers {} to {to}: {}", number(count, "rule"), names())
            }
        };
        Weakening {
            kind: self.kind,
            path: self.path,
            line: self.line,
            message: format!("{}{action}", self.prefix),
            rules: Some(rules.into_keys().collect()),
            files,
        }
    }
}

/// Finds the cause that lowers a rule.
struct Causes<'a> {
    head: &'a Side<'a>,
    /// Rule → the key under `rules` of the head that sets its level.
    keys: HashMap<RuleId, &'a str>,
    /// Rule → the key under `rules` of the head that sets its parameters.
    params: HashMap<RuleId, &'a str>,
    /// Rule → the pack that enables it in the base.
    packs: HashMap<RuleId, &'a str>,
}

impl<'a> Causes<'a> {
    fn new(base: &'a Side<'a>, head: &'a Side<'a>) -> Self {
        let registry = head.engine.registry();
        let mut packs = HashMap::new();
        for name in base.config.compliance.iter().flatten() {
            let single_pack = Config { compliance: Some(vec![name.clone()]), ..Config::default() };
            let pack = Packs::from_config(&single_pack, base.engine.registry()).unwrap_or_default();
            let set = pack.settings.into_iter().map(|(rule, _)| rule);
            for rule in pack.enabled.into_iter().chain(set) {
                packs.entry(rule).or_insert(name.as_str());
            }
        }
        let keys = keys(head.config, registry, |setting| setting.level().is_some());
        let params = keys_of_params(head.config, registry);
        Self { head, keys, params, packs }
    }

    fn cause_of(&self, rule: &Rule, to: Option<Severity>) -> Cause {
        let cause = |kind, path: &str, line, prefix: &str| Cause {
            kind,
            path: path.to_owned(),
            line,
            prefix: prefix.to_owned(),
            to,
        };
        let config = self.head.config_path;
        let line = |keys: &[&str]| line_of(self.head.config_text, keys);
        let Some(head_rule) = self.head.engine.registry().get(&rule.id) else {
            let path = rule.path.as_deref().unwrap_or_default();
            let action = if is_memory_path(path) { "drops the check: " } else { "is deleted: " };
            return cause(Kind::Page, path, None, action);
        };
        if let Some(key) = self.keys.get(&rule.id) {
            return cause(Kind::Rule, config, line(&["rules", key]), "");
        }
        if let Some(path) = &head_rule.path
            && (head_rule.severity < rule.severity || !head_rule.enabled && rule.enabled)
        {
            let key = if head_rule.enabled { "severity" } else { "enabled" };
            return cause(Kind::Page, path, header_line(head_rule, key), "");
        }
        if let Some(pack) = self.packs.get(&rule.id) {
            let is_listed = self.head.config.compliance.iter().flatten().any(|name| name == pack);
            if !is_listed {
                let action = format!("removes the pack `{pack}`: ");
                return cause(Kind::Pack, config, line(&["compliance"]), &action);
            }
            let mut project_packs = self.head.engine.registry().packs();
            if let Some((_, path, _)) = project_packs.find(|(name, ..)| name == pack) {
                return cause(Kind::Page, path, None, "");
            }
        }
        cause(Kind::Rule, config, line(&["rules"]), "")
    }

    fn settings_weakening(&self, rule: &RuleId, action: &str) -> Weakening {
        let config = self.head.config_text;
        let key = self.params.get(rule);
        Weakening {
            kind: Kind::Rule,
            path: self.head.config_path.to_owned(),
            line: key.and_then(|key| line_of(config, &["rules", key])),
            message: format!("{action} `{rule}`"),
            rules: Some([rule.clone()].into()),
            files: Scope::All,
        }
    }
}

/// Rule → the key under `rules` that sets it. Only keys whose setting satisfies `is_wanted` are
/// considered; globs are inserted first, so that exact names override them.
fn keys<'a>(
    config: &'a Config,
    registry: &Registry,
    is_wanted: impl Fn(&RuleSetting) -> bool,
) -> HashMap<RuleId, &'a str> {
    let set = config.rules.iter().flatten().filter(|(_, setting)| is_wanted(setting));
    let (globs, exact): (Vec<_>, Vec<_>) =
        set.map(|(name, _)| name.as_str()).partition(|name| name.contains('*'));
    let mut keys = HashMap::new();
    for glob in globs {
        let Ok(matcher) = rule_globs(&[glob]) else { continue };
        let ids = registry.rules().iter().map(|rule| &rule.id);
        keys.extend(ids.filter(|id| matcher.is_match(&***id)).map(|id| (id.clone(), glob)));
    }
    for name in exact {
        keys.extend(registry.named(name).map(|rule| (rule.id.clone(), name)));
    }
    keys
}

fn keys_of_params<'a>(config: &'a Config, registry: &Registry) -> HashMap<RuleId, &'a str> {
    keys(config, registry, |setting| setting.params().is_some_and(|params| !params.is_empty()))
}

/// The line of a key in the header of a page; `None` for a memory, whose page is generated.
fn header_line(rule: &Rule, key: &str) -> Option<u32> {
    if rule.path.as_deref().is_none_or(is_memory_path) {
        return None;
    }
    let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    let at = rule.page.lines().position(is_key)?;
    u32::try_from(at + 1).ok()
}

fn changed_check(rule: &Rule, head_rule: &Rule) -> Weakening {
    let path = head_rule.path.as_ref().or(rule.path.as_ref());
    Weakening {
        kind: Kind::Page,
        path: path.cloned().unwrap_or_default(),
        line: None,
        message: format!("changes the check of `{}`", rule.id),
        rules: Some([rule.id.clone()].into()),
        files: Scope::All,
    }
}

/// Overrides that exist only in the head and lower rules below the level that the base sets outside
/// of overrides.
fn new_overrides(base: &Side<'_>, head: &Side<'_>) -> Vec<Weakening> {
    let written = head.config.overrides.iter().flatten();
    let resolved = head.engine.table().overrides();
    let known: Vec<_> = base.config.overrides.iter().flatten().collect();
    let before = base.engine.table().base();
    let mut found = Vec::new();
    for (index, (written, (globs, rules))) in written.zip(resolved).enumerate() {
        if known.contains(&written) {
            continue;
        }
        let mut lowered: BTreeMap<Option<Severity>, BTreeMap<RuleId, Severity>> = BTreeMap::new();
        let mut params = BTreeSet::new();
        for (id, setting) in rules {
            let from = before.get(id).and_then(|setting| setting.severity);
            let Some(from) = from else { continue };
            match setting.level().map(Level::severity) {
                Some(to) if to < Some(from) => {
                    lowered.entry(to).or_default().insert(id.clone(), from);
                }
                _ if setting.params().is_some_and(|params| !params.is_empty()) => {
                    params.insert(id.clone());
                }
                _ => {}
            }
        }
        let line = line_of(head.config_text, &["overrides", &index.to_string()]);
        let prefix =
            format!("for {}: ", list_names(written.files.iter().map(|glob| format!("`{glob}`"))));
        for (to, rules) in lowered {
            let path = head.config_path.to_owned();
            let cause = Cause { kind: Kind::Rule, path, line, prefix: prefix.clone(), to };
            found.push(cause.into_weakening(rules, Scope::Matching(globs.clone())));
        }
        if !params.is_empty() {
            let names = list_names(params.iter().map(|rule| format!("`{rule}`")));
            found.push(Weakening {
                kind: Kind::Rule,
                path: head.config_path.to_owned(),
                line,
                message: format!("{prefix}changes the parameters of {names}"),
                rules: Some(params),
                files: Scope::Matching(globs.clone()),
            });
        }
    }
    found
}

/// Overrides that exist only in the base and raise rules above the level that the head sets outside
/// of overrides.
fn removed_overrides(base: &Side<'_>, head: &Side<'_>) -> Vec<Weakening> {
    let written = base.config.overrides.iter().flatten();
    let resolved = base.engine.table().overrides();
    let after = head.engine.table().base();
    let head_overrides: Vec<_> =
        head.config.overrides.iter().flatten().zip(head.engine.table().overrides()).collect();
    let mut found = Vec::new();
    for (written, (globs, rules)) in written.zip(resolved) {
        let mut lowered: BTreeMap<Option<Severity>, BTreeMap<RuleId, Severity>> = BTreeMap::new();
        for (id, setting) in rules {
            let Some(from) = setting.level().and_then(Level::severity) else { continue };
            let Some(to) = after.get(id).map(|setting| setting.severity) else { continue };
            let is_retained = head_overrides.iter().any(|(head_override, (_, rules))| {
                let level = |setting: &RuleSetting| setting.level().and_then(Level::severity);
                head_override.files == written.files
                    && rules
                        .iter()
                        .any(|(known, setting)| known == id && level(setting) >= Some(from))
            });
            if to < Some(from) && !is_retained {
                lowered.entry(to).or_default().insert(id.clone(), from);
            }
        }
        for (to, rules) in lowered {
            let files = list_names(written.files.iter().map(|glob| format!("`{glob}`")));
            let cause = Cause {
                kind: Kind::Rule,
                path: head.config_path.to_owned(),
                line: line_of(head.config_text, &["overrides"]),
                prefix: format!("removes an override; for {files}: "),
                to,
            };
            found.push(cause.into_weakening(rules, Scope::Matching(globs.clone())));
        }
    }
    found
}

/// The settings in the base and in the head, and the files to which they apply.
type Pair<'a> = (Arc<Settings>, Arc<Settings>, Vec<&'a String>);

/// Weakened settings of tracked files that `known` does not cover. They result from another order
/// or combination of overrides.
fn weakened_by_path(
    base: &Side<'_>,
    head: &Side<'_>,
    tracked: &[String],
    known: &[Weakening],
) -> Vec<Weakening> {
    let none = |side: &Side<'_>| side.engine.table().overrides().is_empty();
    if none(base) && none(head) {
        return Vec::new();
    }
    // The same overrides give the same settings, so there are few pairs to compare.
    let mut pairs: BTreeMap<(usize, usize), Pair<'_>> = BTreeMap::new();
    for path in tracked {
        let (before, after) = (base.engine.settings(path), head.engine.settings(path));
        let key = (Arc::as_ptr(&before).addr(), Arc::as_ptr(&after).addr());
        pairs.entry(key).or_insert_with(|| (before, after, Vec::new())).2.push(path);
    }
    let mut pairs: Vec<_> = pairs.into_values().collect();
    // Sorted by files, because the order of addresses differs between runs.
    pairs.sort_by(|one, other| one.2.cmp(&other.2));
    let mut found = Vec::new();
    for (before, after, files) in pairs {
        let mut lowered: BTreeMap<Option<Severity>, BTreeMap<RuleId, Severity>> = BTreeMap::new();
        for rule in head.engine.registry().rules() {
            let Some((from, _)) = severity_of(&before, rule) else { continue };
            let to = severity_of(&after, rule).map(|(severity, _)| severity);
            let is_listed = || known.iter().any(|weakening| weakening.covers(&rule.id, files[0]));
            if to < Some(from) && !is_listed() {
                lowered.entry(to).or_default().insert(rule.id.clone(), from);
            }
        }
        for (to, rules) in lowered {
            let names = list_names(files.iter().map(|path| format!("`{path}`")));
            let cause = Cause {
                kind: Kind::Rule,
                path: head.config_path.to_owned(),
                line: line_of(head.config_text, &["overrides"]),
                prefix: format!("for {} ({names}): ", number(files.len(), "tracked file")),
                to,
            };
            let files = files.iter().map(|path| (*path).clone()).collect();
            found.push(cause.into_weakening(rules, Scope::Listed(files)));
        }
    }
    found
}
