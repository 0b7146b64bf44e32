//! Converts alint fixes to the fixes of rule pages.

use super::super::draft::Draft;
use super::super::recipe::{self, RuleTable};
use super::Rule;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Adds the fix of a rule to its drafts, or a note with the reason why the fix is not imported.
pub(super) fn apply_fixes(drafts: &mut [Draft], rule: &Rule<'_>) {
    let Some(Json::Object(fix)) = rule.options.get("fix") else { return };
    for (name, options) in fix {
        let errors: Vec<_> =
            drafts.iter_mut().map(|draft| convert_fix(name, options, draft, rule).err()).collect();
        // If a rule becomes several pages, it is sufficient that one page has the fix.
        let errors: Option<Vec<String>> = errors.into_iter().collect();
        let Some(why) = errors.and_then(|mut all| all.pop()) else { continue };
        for draft in drafts.iter_mut() {
            draft.notes.push(format!("the fix `{name}` is not imported: {why}"));
        }
    }
}

/// The conversion of every fix.
static FIXES: LazyLock<BTreeMap<String, RuleTable>> =
    LazyLock::new(|| recipe::parse_tables(crate::rule_import::tables::ALINT_FIXES));

fn convert_fix(
    name: &str,
    options: &Json,
    draft: &mut Draft,
    rule: &Rule<'_>,
) -> Result<(), String> {
    let check = draft.check.as_mut().ok_or("there is nothing to fix")?;
    let table = FIXES.get(name).ok_or("rule pages have no equivalent fix")?;
    if let Some(why) = &table.unsupported {
        return Err(why.clone());
    }
    if let Some(form) = table.coded.as_deref().filter(|form| check[*form].is_null()) {
        return Err(format!("only a `{form}` check supports this fix"));
    }
    let text = options["content"].as_str().filter(|text| !text.trim().is_empty());
    let text = text.map(|text| text.trim_end_matches('\n'));
    let names = super::string_list(&check["tree"]["name"]);
    let mut vars = rule.options.clone();
    vars.extend(options.as_object().cloned().unwrap_or_default());
    vars.extend(recipe::vars(json!({
        "text": text,
        "requires": check["text"]["require"] == json!(true),
        "is_last": check["text"]["last"].is_u64(),
        "proposes": names.iter().any(|name| !name.starts_with('/')),
        "compares": !check["data"]["equals"].is_null(),
    })));
    table.derive(&mut vars)?;
    let fix_drafts = table.drafts(&vars, "", &|requirement| rule.draft(requirement))?;
    let fix = fix_drafts.into_iter().find_map(|draft| draft.check).unwrap_or_default();
    if name == "file_create" {
        move_created_path_first(check, options["path"].as_str())?;
        draft.template = text.map(|text| format!("{text}\n"));
    }
    check["fix"] = fix;
    Ok(())
}

/// Moves the path that the fix creates to the front of the alternative required paths.
fn move_created_path_first(check: &mut Json, path: Option<&str>) -> Result<(), String> {
    let exists = check["tree"]["exists"].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<&str> = exists.split(" | ").collect();
    all.sort_by_key(|required| path != Some(*required));
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
