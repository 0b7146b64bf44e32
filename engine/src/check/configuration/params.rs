//! The parameters of rules that are written in Rust: a configuration that gives others, or values of
//! another kind, changes nothing, and is told.

use super::rule_names;
use crate::check::family::{FileContext, Param, ParamType};
use crate::project::config;
use crate::text::nearest::nearest;
use serde_json::Value;
use std::ops::Range;

/// What is wrong with parameters that a configuration gives to rules without a check in their page,
/// and where. What is given by a glob is for those rules that take it.
pub(super) fn wrong(text: &str, context: &FileContext<'_>) -> Vec<(String, Range<usize>)> {
    let Ok((config, _)) = config::read(text) else { return Vec::new() };
    let mut wrong = Vec::new();
    for named in rule_names(text).iter().filter(|named| !named.name.contains('*')) {
        let rules = match named.within {
            None => config.rules.as_ref(),
            Some(at) => config.overrides.as_ref().and_then(|all| all.get(at)).map(|it| &it.rules),
        };
        let given = rules.and_then(|rules| rules.get(&named.name)?.params());
        // An alias may be that of several rules: one that takes the parameter is enough.
        let rules: Vec<_> = context.registry.named(&named.name).collect();
        if rules.is_empty() || rules.iter().any(|rule| rule.form.is_some()) {
            continue;
        }
        let params = context.families.iter().flat_map(|family| family.params);
        let known: Vec<&Param> =
            params.filter(|param| rules.iter().any(|known| *known.id == *param.rule)).collect();
        for (name, range) in &named.params {
            let Some(value) = given.and_then(|given| given.get(name)) else { continue };
            let why = match known.iter().find(|param| param.name == name) {
                Some(param) => {
                    expected(param.takes, value).map(|it| format!("`{name}` takes {it}"))
                }
                None if known.is_empty() => Some(format!("`{}` takes no parameters", named.name)),
                None => {
                    let names: Vec<&str> = known.iter().map(|param| param.name).collect();
                    let hint = nearest(name, names.iter().copied()).map_or_else(
                        || format!("known are `{}`", names.join("`, `")),
                        |near| format!("did you mean `{near}`?"),
                    );
                    Some(format!("no parameter of `{}` is called `{name}`; {hint}", named.name))
                }
            };
            wrong.extend(why.map(|why| (why, range.clone())));
        }
    }
    wrong
}

/// What a parameter takes, when the value is something else.
fn expected(takes: ParamType, value: &Value) -> Option<&'static str> {
    let (fits, expected) = match takes {
        ParamType::Strings => (
            value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            "a list of texts, such as `[\"a\"]`",
        ),
        ParamType::String => (value.is_string(), "a text"),
        ParamType::Number => (value.is_u64(), "a whole number"),
    };
    (!fits).then_some(expected)
}
