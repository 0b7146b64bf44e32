//! The conditions of alint as those of a page.

use super::super::sample;
use super::{Left, Rule, anchored, conditions, texts};
use serde_json::{Map, Value as Json, json};

type When = Map<String, Json>;

/// `when` and `scope_filter` as a condition of ours.
pub(super) fn condition(rule: &mut Rule<'_>, facts: &[Json]) -> Result<Option<Json>, Left> {
    let mut ways = match rule.options.get("when").and_then(Json::as_str) {
        Some(text) => {
            stated(text, facts).map_err(|why| format!("its condition `{}` {why}", text.trim()))?
        }
        None => vec![When::new()],
    };
    let filter = rule.options.get("scope_filter").and_then(Json::as_object);
    for (key, value) in filter.into_iter().flatten() {
        match key.as_str() {
            "has_ancestor" => {
                let nearest =
                    |way: &mut When| drop(way.insert("nearest".to_owned(), json!(texts(value))));
                ways.iter_mut().for_each(nearest);
            }
            "changed_since" => {
                let note = "which files changed is settled by `aidd check --diff`, not by the rule";
                rule.notes.push(note.to_owned());
            }
            other => return Err(format!("`scope_filter: {other}` has no like in a page").into()),
        }
    }
    ways.retain(|way| !way.is_empty());
    Ok(match ways.len() {
        0 => None,
        1 => ways.pop().map(Json::Object),
        _ => Some(ways.into_iter().map(Json::Object).collect()),
    })
}

/// The conditions of ours, of which one must hold, for what alint says of facts.
fn stated(text: &str, facts: &[Json]) -> Result<Vec<When>, String> {
    let odd = || "is none that `when` of a page states: files that exist".to_owned();
    let mut stated = Vec::new();
    for way in conditions::ways(text).ok_or_else(odd)? {
        // Of several that must not all be there, each is a way of its own.
        let mut open = vec![When::new()];
        for (holds, asked) in way {
            let is_plain = asked.given.is_none() && asked.equals.is_none();
            let name = asked.name.strip_prefix("facts.").filter(|_| is_plain);
            let fact = name.and_then(|name| facts.iter().find(|fact| fact["id"] == name));
            let demands = demands(fact.ok_or_else(odd)?, holds).ok_or_else(odd)?;
            let mut next = Vec::new();
            for before in &open {
                for demand in &demands {
                    next.push(joined(before, demand).ok_or("asks for several things at once; a condition of a page asks for one file that is there")?);
                }
            }
            open = next;
        }
        stated.extend(open);
    }
    Ok(stated)
}

/// The demand on a fact, as conditions of which one must hold; `None` where a page has none like it.
fn demands(fact: &Json, holds: bool) -> Option<Vec<Vec<(&'static str, Json)>>> {
    if fact["data"].is_object() {
        let data = fact["data"].clone();
        let one = if holds { ("data", data) } else { ("not", json!({"data": data})) };
        return Some(vec![vec![one]]);
    }
    // A plain path is one from the root here; a glob without a slash speaks of any folder.
    let place = |glob: String| match glob.contains(['*', '?', '[', '{']) {
        true => anchored(&glob),
        false => glob.trim_start_matches("./").to_owned(),
    };
    let places = |key: &str| texts(&fact[key]).into_iter().map(place).collect::<Vec<_>>();
    let groups: Vec<Vec<String>> = match (places("any_file_exists"), places("all_files_exist")) {
        (any, _) if !any.is_empty() => vec![any],
        (_, all) => all.into_iter().map(|one| vec![one]).collect(),
    };
    let file = |group: &Vec<String>| ("file", json!(group));
    let missing = |group: &Vec<String>| vec![("not", json!({"file": group}))];
    match (&groups[..], holds) {
        ([], _) => None,
        (groups, true) => Some(vec![groups.iter().map(file).collect()]),
        // One of them is missing.
        (groups, false) => Some(groups.iter().map(missing).collect()),
    }
}

/// A condition with a demand more; `None` where one cannot say both.
fn joined(before: &When, demand: &[(&str, Json)]) -> Option<When> {
    let mut when = before.clone();
    for (key, value) in demand {
        match when.get_mut(*key) {
            None => drop(when.insert((*key).to_owned(), value.clone())),
            Some(same) if *key == "file" && same == value => {}
            // Of files that are not there, there may be any number.
            Some(not) if *key == "not" && !not["file"].is_null() && !value["file"].is_null() => {
                let mut none = texts(&not["file"]);
                none.extend(texts(&value["file"]));
                not["file"] = json!(none);
            }
            Some(_) => return None,
        }
    }
    Some(when)
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
