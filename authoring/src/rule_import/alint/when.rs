//! Converts alint conditions to conditions of a page.

use super::super::sample;
use super::{NotImported, Rule, anchor_glob, string_list};
use serde_json::{Value as Json, json};

/// Converts `when` and `scope_filter` to the condition of a page.
pub(super) fn condition(rule: &mut Rule<'_>, facts: &[Json]) -> Result<Option<Json>, NotImported> {
    let mut conditions = vec![json!({})];
    if let Some(text) = rule.options.get("when").and_then(Json::as_str).map(str::trim) {
        conditions = alternatives(text, facts).ok_or_else(|| {
            format!("the condition `{text}` is unsupported: `when` of a page takes one fact about existing files, or `not` and one fact")
        })?;
    }
    let filter = rule.options.get("scope_filter").and_then(Json::as_object);
    for (key, value) in filter.into_iter().flatten() {
        match key.as_str() {
            "has_ancestor" => {
                conditions
                    .iter_mut()
                    .for_each(|condition| condition["nearest"] = json!(string_list(value)));
            }
            "changed_since" => {
                let note = "changed files are selected by `aidd check --diff`, not by the rule";
                rule.notes.push(note.to_owned());
            }
            other => {
                return Err(format!("`scope_filter: {other}` has no equivalent in a page").into());
            }
        }
    }
    conditions.retain(|condition| *condition != json!({}));
    Ok(if conditions.len() > 1 { Some(conditions.into()) } else { conditions.pop() })
}

/// The alternative conditions for `facts.name` or `not facts.name`; `None` for anything else, and
/// for facts that a page does not support.
fn alternatives(text: &str, facts: &[Json]) -> Option<Vec<Json>> {
    let plain = text.strip_prefix("not ").unwrap_or(text);
    let name = plain.trim().strip_prefix("facts.")?;
    let fact = facts.iter().find(|fact| fact["id"] == name)?;
    let is_positive = plain == text;
    let condition = |inner: Json| if is_positive { inner } else { json!({"not": inner}) };
    if fact["data"].is_object() {
        return Some(vec![condition(json!({"data": fact["data"]}))]);
    }
    // In alint, a plain path is relative to the root; in a page, a glob without a slash matches in
    // any directory.
    let to_glob = |glob: String| match glob.contains(['*', '?', '[', '{']) {
        true => anchor_glob(&glob),
        false => glob.trim_start_matches("./").to_owned(),
    };
    let globs = |key: &str| string_list(&fact[key]).into_iter().map(to_glob).collect::<Vec<_>>();
    let groups: Vec<Vec<String>> = match (globs("any_file_exists"), globs("all_files_exist")) {
        (any, _) if !any.is_empty() => vec![any],
        // `not all_files_exist` becomes one alternative per file. A positive `all_files_exist`
        // needs several conditions, which a page does not support.
        (_, all) => all.into_iter().map(|glob| vec![glob]).collect(),
    };
    let is_supported = !groups.is_empty() && (!is_positive || groups.len() == 1);
    is_supported.then(|| groups.iter().map(|group| condition(json!({"file": group}))).collect())
}

/// The files that satisfy a condition, in a subdirectory if possible, because the rule can require
/// a file in the root.
pub(super) fn condition_files(when: &Json) -> Vec<String> {
    // The first of several alternatives is used.
    let when = when.get(0).unwrap_or(when);
    let globs = string_list(&when["file"]);
    let deep =
        globs.iter().find_map(|glob| glob.strip_prefix("**/").map(|name| format!("part/{name}")));
    let file = deep.or_else(|| globs.first().cloned());
    let file = file.map(|glob| sample::from_glob(&glob, "example"));
    file.into_iter().chain(string_list(&when["nearest"]).into_iter().next()).collect()
}
