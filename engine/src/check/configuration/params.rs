//! Checks the parameters of rules written in Rust. Unknown parameters and values of the wrong type
//! are ignored and reported.

use super::rule_keys;
use crate::check::family::{FileContext, Param, ParamType};
use crate::project::config;
use crate::text::nearest::nearest;
use serde_json::Value;
use std::ops::Range;

/// The invalid parameters that a configuration sets for rules without a page check: message and
/// byte range of each. A parameter set by a glob applies to the rules that have it.
pub(super) fn invalid_params(text: &str, context: &FileContext<'_>) -> Vec<(String, Range<usize>)> {
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
        let rules: Vec<_> = context.registry.named(&key.name).collect();
        if rules.is_empty() || rules.iter().any(|rule| rule.form.is_some()) {
            continue;
        }
        let params = context.families.iter().flat_map(|family| family.params);
        let known: Vec<&Param> =
            params.filter(|param| rules.iter().any(|known| *known.id == *param.rule)).collect();
        for (name, range) in &key.params {
            let Some(value) = values.and_then(|values| values.get(name)) else { continue };
            let why = match known.iter().find(|param| param.name == name) {
                Some(param) => expected_type(param.param_type, value)
                    .map(|kind| format!("`{name}`: expected {kind}")),
                None if known.is_empty() => Some(format!("`{}` takes no parameters", key.name)),
                None => {
                    let names: Vec<&str> = known.iter().map(|param| param.name).collect();
                    let hint = nearest(name, names.iter().copied()).map_or_else(
                        || format!("expected one of `{}`", names.join("`, `")),
                        |near| format!("did you mean `{near}`?"),
                    );
                    Some(format!("`{}` has no parameter `{name}`; {hint}", key.name))
                }
            };
            invalid.extend(why.map(|why| (why, range.clone())));
        }
    }
    invalid
}

/// The expected type of a parameter, if the value has another type.
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
