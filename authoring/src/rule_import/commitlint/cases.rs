//! Converts the letter cases of commitlint to regular expressions.

use super::super::recipe;
use super::super::string_list;
use super::{RuleSetting, TABLES};
use serde_json::Value as Json;

/// The names of the letter cases in the value of a rule.
///
/// # Errors
/// Fails when there is no case, or an item is not a name.
pub(super) fn case_names(value: &Json) -> Result<Vec<String>, String> {
    let cases = if value["cases"].is_null() { value } else { &value["cases"] };
    let names = string_list(cases);
    let count = cases.as_array().map_or(1, Vec::len);
    match names.len() {
        0 => Err("no case is set".to_owned()),
        named if named < count => {
            Err("a case has its own `when`, which a page does not support".to_owned())
        }
        _ => Ok(names),
    }
}

/// An expression for a text in one of the cases in the value of `setting`.
///
/// # Errors
/// Fails when a case is unknown.
pub(super) fn any_case_pattern(setting: &RuleSetting<'_>, part: &str) -> Result<String, String> {
    let case = |name: &String| {
        let case = TABLES.cases.get(name);
        let case = case.ok_or_else(|| format!("unknown case `{name}`"))?;
        recipe::fill_text(case, &TABLES.parts[part])
    };
    Ok(case_names(&setting.value)?.iter().map(case).collect::<Result<Vec<_>, String>>()?.join("|"))
}
