//! The parameters of rules that are written in Rust: a configuration that gives others, or values of
//! another kind, changes nothing, and is told.

use super::rule_names;
use crate::config::{self, nearest};
use crate::registry::Registry;
use serde_json::Value;
use std::ops::Range;

/// What a parameter is.
#[derive(Clone, Copy)]
enum Takes {
    Texts,
    Text,
    Number,
}

const LABELS: &str = "labels";

/// Rule, parameter, and what it is: all that is asked for by `Report::param`.
const TAKEN: [(&str, &str, Takes); 11] = [
    ("dockerfile/untrusted-registry", "registries", Takes::Texts),
    ("dockerfile/missing-label", LABELS, Takes::Texts),
    ("dockerfile/unknown-label", LABELS, Takes::Texts),
    ("dockerfile/label-url", LABELS, Takes::Texts),
    ("dockerfile/label-date", LABELS, Takes::Texts),
    ("dockerfile/label-license", LABELS, Takes::Texts),
    ("dockerfile/label-git-hash", LABELS, Takes::Texts),
    ("dockerfile/label-version", LABELS, Takes::Texts),
    ("dockerfile/label-email", LABELS, Takes::Texts),
    ("tkb/stale-entry", "months", Takes::Number),
    ("tkb/stale-entry", "today", Takes::Text),
];

/// What is wrong with parameters that a configuration gives to rules without a check in their page,
/// and where. What is given by a glob is for those rules that take it.
pub(super) fn wrong(text: &str, registry: &Registry) -> Vec<(String, Range<usize>)> {
    let Ok((config, _)) = config::read(text) else { return Vec::new() };
    let mut wrong = Vec::new();
    for named in rule_names(text).iter().filter(|named| !named.name.contains('*')) {
        let rules = match named.within {
            None => config.rules.as_ref(),
            Some(at) => config.overrides.as_ref().and_then(|all| all.get(at)).map(|it| &it.rules),
        };
        let given = rules.and_then(|rules| rules.get(&named.name)?.params());
        // An alias may be that of several rules: one that takes the parameter is enough.
        let rules: Vec<_> = registry.named(&named.name).collect();
        if rules.is_empty() || rules.iter().any(|rule| rule.form.is_some()) {
            continue;
        }
        let known: Vec<_> = TAKEN
            .iter()
            .filter(|(rule, ..)| rules.iter().any(|known| *known.id == **rule))
            .collect();
        for (name, range) in &named.params {
            let Some(value) = given.and_then(|given| given.get(name)) else { continue };
            let why = match known.iter().find(|(_, param, _)| param == name) {
                Some((.., takes)) => misfit(*takes, value).map(|it| format!("`{name}` takes {it}")),
                None if known.is_empty() => Some(format!("`{}` takes no parameters", named.name)),
                None => {
                    let names: Vec<&str> = known.iter().map(|(_, param, _)| *param).collect();
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

/// What a parameter has to be, when the value is something else.
fn misfit(takes: Takes, value: &Value) -> Option<&'static str> {
    let fits = match takes {
        Takes::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        Takes::Text => value.is_string(),
        Takes::Number => value.is_u64(),
    };
    let wanted = match takes {
        Takes::Texts => "a list of texts, such as `[\"a\"]`",
        Takes::Text => "a text",
        Takes::Number => "a whole number",
    };
    (!fits).then_some(wanted)
}
