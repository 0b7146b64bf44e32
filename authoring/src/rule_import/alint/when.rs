//! The conditions of alint as those of a page.

use super::super::sample;
use super::{Left, Rule, anchored, texts};
use serde_json::{Value as Json, json};

/// `when` and `scope_filter` as a condition of ours.
pub(super) fn condition(rule: &mut Rule<'_>, facts: &[Json]) -> Result<Option<Json>, Left> {
    let mut ways = vec![json!({})];
    if let Some(text) = rule.options.get("when").and_then(Json::as_str).map(str::trim) {
        ways = stated(text, facts).ok_or_else(|| {
            format!("the condition `{text}` is unsupported: `when` of a page takes one fact, or `not` and one: that files exist")
        })?;
    }
    let filter = rule.options.get("scope_filter").and_then(Json::as_object);
    for (key, value) in filter.into_iter().flatten() {
        match key.as_str() {
            "has_ancestor" => {
                ways.iter_mut().for_each(|way| way["nearest"] = json!(texts(value)));
            }
            "changed_since" => {
                let note = "which files changed is settled by `aidd check --diff`, not by the rule";
                rule.notes.push(note.to_owned());
            }
            other => return Err(format!("`scope_filter: {other}` has no like in a page").into()),
        }
    }
    ways.retain(|way| *way != json!({}));
    Ok(if ways.len() > 1 { Some(ways.into()) } else { ways.pop() })
}

/// The conditions of ours, of which one must hold, for `facts.name` or `not facts.name`; `None` for
/// anything else, and for facts that a page does not know.
fn stated(text: &str, facts: &[Json]) -> Option<Vec<Json>> {
    let plain = text.strip_prefix("not ").unwrap_or(text);
    let name = plain.trim().strip_prefix("facts.")?;
    let fact = facts.iter().find(|fact| fact["id"] == name)?;
    let holds = plain == text;
    let one = |way: Json| if holds { way } else { json!({"not": way}) };
    if fact["data"].is_object() {
        return Some(vec![one(json!({"data": fact["data"]}))]);
    }
    // A plain path is one from the root here; a glob without a slash speaks of any folder.
    let place = |glob: String| match glob.contains(['*', '?', '[', '{']) {
        true => anchored(&glob),
        false => glob.trim_start_matches("./").to_owned(),
    };
    let places = |key: &str| texts(&fact[key]).into_iter().map(place).collect::<Vec<_>>();
    let groups: Vec<Vec<String>> = match (places("any_file_exists"), places("all_files_exist")) {
        (any, _) if !any.is_empty() => vec![any],
        // That one of them is missing may hold in several ways; that all are there is more than one
        // condition says.
        (_, all) => all.into_iter().map(|one| vec![one]).collect(),
    };
    let is_stated = !groups.is_empty() && (!holds || groups.len() == 1);
    is_stated.then(|| groups.iter().map(|group| one(json!({"file": group}))).collect())
}

/// The files that make a condition hold: such as lie deep, where they may, for a rule may ask for
/// one in the root.
pub(super) fn beside(when: &Json) -> Vec<String> {
    // Of several ways the first is shown.
    let when = when.get(0).unwrap_or(when);
    let globs = texts(&when["file"]);
    let deep =
        globs.iter().find_map(|glob| glob.strip_prefix("**/").map(|name| format!("part/{name}")));
    let file = deep.or_else(|| globs.first().cloned());
    let file = file.map(|glob| sample::of_glob(&glob, "example"));
    file.into_iter().chain(texts(&when["nearest"]).into_iter().next()).collect()
}
