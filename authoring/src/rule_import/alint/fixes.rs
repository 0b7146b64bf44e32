//! Converts alint fixes to the fixes of our forms.

use super::super::draft::Draft;
use super::super::recipe::{self, RuleTable};
use super::Rule;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Adds the fix of a rule to its drafts, or a note why it is not imported.
pub(super) fn apply_fixes(drafts: &mut [Draft], rule: &Rule<'_>) {
    let Some(Json::Object(fix)) = rule.options.get("fix") else { return };
    for (name, given) in fix {
        let each: Vec<_> =
            drafts.iter_mut().map(|draft| convert_fix(name, given, draft, rule).err()).collect();
        // It is sufficient if one of several pages has the fix.
        let refused: Option<Vec<String>> = each.into_iter().collect();
        let Some(why) = refused.and_then(|mut all| all.pop()) else { continue };
        for draft in drafts.iter_mut() {
            draft.notes.push(format!("the fix `{name}` is not imported: {why}"));
        }
    }
}

/// The conversion of every fix.
static FIXES: LazyLock<BTreeMap<String, RuleTable>> =
    LazyLock::new(|| recipe::parse_tables(crate::rule_import::tables::ALINT_FIXES));

fn convert_fix(name: &str, given: &Json, draft: &mut Draft, rule: &Rule<'_>) -> Result<(), String> {
    let check = draft.check.as_mut().ok_or("there is nothing to fix")?;
    let table = FIXES.get(name).ok_or("no form has an equivalent")?;
    if let Some(why) = &table.left {
        return Err(why.clone());
    }
    if let Some(form) = table.coded.as_deref().filter(|form| check[*form].is_null()) {
        return Err(format!("only the form `{form}` supports it"));
    }
    let text = given["content"].as_str().filter(|text| !text.trim().is_empty());
    let text = text.map(|text| text.trim_end_matches('\n'));
    let names = super::string_list(&check["tree"]["name"]);
    let mut vars = rule.options.clone();
    vars.extend(given.as_object().cloned().unwrap_or_default());
    vars.extend(recipe::vars(json!({
        "text": text,
        "requires": check["text"]["require"] == json!(true),
        "is_last": check["text"]["last"].is_u64(),
        "proposes": names.iter().any(|name| !name.starts_with('/')),
        "compares": !check["data"]["equals"].is_null(),
    })));
    table.derive(&mut vars)?;
    let made = table.drafts(&vars, "", &|demand| rule.draft(demand))?;
    let fix = made.into_iter().find_map(|draft| draft.check).unwrap_or_default();
    if name == "file_create" {
        move_created_path_first(check, given["path"].as_str())?;
        draft.template = text.map(|text| format!("{text}\n"));
    }
    check["fix"] = fix;
    Ok(())
}

/// Moves the path that the fix creates to the front of the alternatives, one of which must exist.
fn move_created_path_first(check: &mut Json, path: Option<&str>) -> Result<(), String> {
    let exists = check["tree"]["exists"].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<&str> = exists.split(" | ").collect();
    all.sort_by_key(|one| path != Some(*one));
    match (all.first(), path) {
        (Some(first), Some(path)) if *first != path => {
            Err(format!("`{path}` is not one of the required files"))?;
        }
        (Some(first), _) if first.contains(['*', '?', '{', '[']) => {
            Err("a glob does not name a file to create")?;
        }
        _ => {}
    }
    check["tree"]["exists"] = json!(all.join(" | "));
    Ok(())
}
