//! The rulesets that come with alint: `alint://bundled/NAME@v1`.

use super::Left;
use aidd_engine::parse::values::{Format, Values};
use serde_json::{Map, Value as Json};

/// Which rules each has, and what those judge.
const RULESETS: &str = include_str!("bundled.yml");

/// All rulesets, by name.
pub(in super::super) fn all() -> Map<String, Json> {
    let values = Values::read(Format::Yaml, RULESETS);
    match values.roots.first().map(|&root| values.json(root)) {
        Some(Json::Object(all)) => all,
        _ => Map::new(),
    }
}

/// The ruleset at `url`, as a configuration; what each rule is part of is noted in it.
///
/// # Errors
/// When there is none of that name and revision.
pub(super) fn ruleset(url: &str) -> Result<Map<String, Json>, Left> {
    let name = url.trim_start_matches("alint://bundled/");
    let (name, revision) = name.split_once('@').unwrap_or((name, "v1"));
    let known = all().remove(name).filter(|_| revision == "v1");
    let Some(Json::Object(mut ruleset)) = known else {
        let left = Left::new(format!("extends `{url}`"), "alint 0.20 brings no such ruleset");
        return Err(left.instead("copy its rules into the file and import again"));
    };
    for rule in ruleset.get_mut("rules").and_then(Json::as_array_mut).into_iter().flatten() {
        rule["bundled"] = Json::from(url);
    }
    Ok(ruleset)
}
