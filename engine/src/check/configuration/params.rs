//! Checks the parameters of rules written in Rust: an editor shows all problems, and the engine
//! fails with the first.

use super::rule_keys;
use crate::check::family::{Family, Param, ParamType};
use crate::project::config::{self, Config, RuleSetting};
use crate::rules::registry::Registry;
use crate::rules::rule::Rule;
use crate::rules::select::EngineError;
use crate::text::finding::RuleId;
use crate::text::nearest::nearest;
use crate::text::paths::rule_globs;
use serde_json::Value;
use std::ops::Range;

/// The invalid parameters that a configuration sets for rules without a page check: message and
/// byte range of each. A parameter set under a glob applies to the matching rules that have this
/// parameter.
pub(super) fn invalid_params(
    text: &str,
    registry: &Registry,
    families: &[Family],
) -> Vec<(String, Range<usize>)> {
    let Ok((config, _)) = config::read(text) else { return Vec::new() };
    let mut invalid = Vec::new();
    for key in rule_keys(text).iter().filter(|key| !key.name.contains('*')) {
        let rules = match key.override_index {
            None => config.rules.as_ref(),
            Some(at) => {
                config.overrides.as_ref().and_then(|all| all.get(at)).map(|item| &item.rules)
            }
        };
        let values = rules.and_then(|rules| rules.get(&key.name)?.params());
        // An alias can name several rules; it is sufficient that one of them has the parameter.
        let rules: Vec<_> = registry.named(&key.name).collect();
        if rules.is_empty() || rules.iter().any(|rule| rule.form.is_some()) {
            continue;
        }
        let known = params_of(&rules, families);
        for (name, range) in &key.params {
            let Some(value) = values.and_then(|values| values.get(name)) else { continue };
            let why = problem(&key.name, (name, value), &known);
            invalid.extend(why.map(|why| (why, range.clone())));
        }
    }
    invalid
}

/// Checks the parameters that a configuration sets for rules without a page check, like
/// [`invalid_params`].
pub(in crate::check) fn validate_params(
    config: &Config,
    registry: &Registry,
    families: &[Family],
) -> Result<(), EngineError> {
    let base = config.rules.iter().map(|rules| (None, rules));
    let overrides = config.overrides.iter().flatten().enumerate();
    let overrides = overrides.map(|(index, item)| (Some(index), &item.rules));
    for (override_index, rules) in base.chain(overrides) {
        for (key, setting) in rules.iter().filter(|(key, _)| !key.contains('*')) {
            let Some(params) = setting.params().filter(|params| !params.is_empty()) else {
                continue;
            };
            let rules: Vec<&Rule> = registry.named(key).collect();
            if rules.is_empty() || rules.iter().any(|rule| rule.form.is_some()) {
                continue;
            }
            let known = params_of(&rules, families);
            if let Some(why) = params.iter().find_map(|param| problem(key, param, &known)) {
                return Err(EngineError::Params { override_index, rule: key.as_str().into(), why });
            }
        }
    }
    Ok(())
}

/// The key under `rules` that sets parameters for `rule`: its name, otherwise a glob.
pub(in crate::check) fn key_with_params(
    config: &Config,
    rule: &RuleId,
    registry: &Registry,
) -> Option<RuleId> {
    let has_params = |setting: &RuleSetting| setting.params().is_some_and(|set| !set.is_empty());
    let keys = config.rules.iter().flatten().filter(|(_, setting)| has_params(setting));
    let (globs, exact): (Vec<_>, Vec<_>) = keys.partition(|(key, _)| key.contains('*'));
    let is_exact = |key: &&String| registry.named(key).any(|named| named.id == *rule);
    let is_glob = |key: &&String| rule_globs(&[key]).is_ok_and(|globs| globs.is_match(&**rule));
    let exact = exact.into_iter().map(|(key, _)| key).find(is_exact);
    let key = exact.or_else(|| globs.into_iter().map(|(key, _)| key).find(is_glob));
    key.map(|key| key.as_str().into())
}

/// The parameters of `rules`.
fn params_of<'a>(rules: &[&Rule], families: &'a [Family]) -> Vec<&'a Param> {
    let params = families.iter().flat_map(|family| family.params);
    params.filter(|param| rules.iter().any(|rule| *rule.id == *param.rule)).collect()
}

/// The problem with the parameter `name` under `key`; `known` are the parameters of the rules that
/// `key` matches.
fn problem(key: &str, (name, value): (&String, &Value), known: &[&Param]) -> Option<String> {
    match known.iter().find(|param| param.name == name) {
        Some(param) => {
            expected_type(param.param_type, value).map(|kind| format!("`{name}`: expected {kind}"))
        }
        None if known.is_empty() => Some(format!("`{key}` takes no parameters; remove `params`")),
        None => {
            let names: Vec<&str> = known.iter().map(|param| param.name).collect();
            let hint = nearest(name, names.iter().copied()).map_or_else(
                || format!("expected one of `{}`", names.join("`, `")),
                |near| format!("did you mean `{near}`?"),
            );
            Some(format!("`{key}` has no parameter `{name}`; {hint}"))
        }
    }
}

/// The expected type of a parameter; `None` if the value has this type.
fn expected_type(param_type: ParamType, value: &Value) -> Option<&'static str> {
    let (is_valid, expected) = match param_type {
        ParamType::Strings => (
            value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            "a list of strings, such as `[\"a\"]`",
        ),
        ParamType::String => (value.is_string(), "a string"),
        ParamType::Number => (value.is_u64(), "an integer"),
    };
    (!is_valid).then_some(expected)
}
