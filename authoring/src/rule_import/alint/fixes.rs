//! The fixes of alint as those of our forms.

use super::super::draft::Draft;
use super::Rule;
use serde_json::{Value as Json, json};

/// Gives the drafts of a rule its fix, or notes why they have none.
pub(super) fn settle(drafts: &mut [Draft], rule: &Rule<'_>) {
    let Some(Json::Object(fix)) = rule.options.get("fix") else { return };
    for (name, given) in fix {
        let mut is_carried = false;
        let mut why = None;
        for draft in drafts.iter_mut() {
            match one(name, given, draft, rule) {
                Ok(()) => is_carried = true,
                Err(other) => why = Some(other),
            }
        }
        if let (false, Some(why)) = (is_carried, why) {
            for draft in drafts.iter_mut() {
                draft.notes.push(format!("its fix `{name}` is not carried over: {why}"));
            }
        }
    }
}

fn one(name: &str, given: &Json, draft: &mut Draft, rule: &Rule<'_>) -> Result<(), String> {
    let check = draft.check.as_mut().ok_or("there is nothing to mend")?;
    let of = |form: &str| {
        let has = check.get(form).is_some();
        has.then_some(())
            .ok_or_else(|| format!("the form `{form}` has it, and the page is of another"))
    };
    let requires = check["text"]["require"] == json!(true);
    let content = || {
        let given = given["content"].as_str().filter(|text| !text.trim().is_empty());
        given.ok_or_else(|| "what it writes stands in another file".to_owned())
    };
    let fix = match name {
        "file_trim_trailing_whitespace"
        | "file_strip_bidi"
        | "file_strip_zero_width"
        | "file_strip_bom" => {
            of("text")?;
            json!({"replace": ""})
        }
        "file_append_final_newline" => {
            of("text")?;
            json!({"replace": "${at}\n", "safe": true})
        }
        "file_normalize_line_endings" => {
            of("text")?;
            let crlf = rule.options.get("target").is_some_and(|target| target == "crlf");
            json!({"replace": if crlf { "\r\n" } else { "\n" }, "safe": true})
        }
        "file_collapse_blank_lines" => {
            of("text")?;
            let max = usize::try_from(rule.number("max")?.min(100)).unwrap_or(1);
            if max == 0 { json!({"replace": ""}) } else { json!({"replace": "\n".repeat(max)}) }
        }
        "replace" => {
            of("text")?;
            let text = given["replacement"].as_str().ok_or("it names no `replacement`")?;
            json!({"replace": text})
        }
        "file_prepend" | "insert_header" if requires => {
            if check["text"]["last"].is_u64() {
                return Err("what is missing belongs at the end".to_owned());
            }
            json!({"insert": content()?.trim_end_matches('\n'), "as": "text", "safe": true})
        }
        "file_append" if requires => {
            if !check["text"]["last"].is_u64() {
                return Err("`insert` writes at the end only what is looked for in the last lines"
                    .to_owned());
            }
            json!({"insert": content()?.trim_end_matches('\n'), "as": "text", "safe": true})
        }
        "file_create" => {
            of("tree")?;
            let mut text = content()?.to_owned();
            if !text.ends_with('\n') {
                text.push('\n');
            }
            first(check, given["path"].as_str())?;
            draft.template = Some(text);
            json!({"create": true})
        }
        "file_rename" => {
            of("tree")?;
            let names = super::texts(&check["tree"]["name"]);
            if names.iter().all(|name| name.starts_with('/')) {
                return Err(
                    "a better name is proposed in kebab, snake, Pascal, flat or small letters"
                        .to_owned(),
                );
            }
            json!({"rename": true})
        }
        "set_value" | "sync_from" => {
            of("data")?;
            if check["data"]["equals"].is_null() && check["data"]["same"]["relation"] != "equal" {
                return Err("the page compares with no one value".to_owned());
            }
            json!({"set": "same", "safe": true})
        }
        "remove_value" => {
            of("data")?;
            json!({"remove": true})
        }
        "file_remove" => return Err("no fix deletes a file here".to_owned()),
        "file_prepend" | "insert_header" | "file_append" => {
            return Err("`insert` mends what a file must hold".to_owned());
        }
        "command" => return Err("nothing of the repository is run".to_owned()),
        _ => return Err("no form has its like".to_owned()),
    };
    check["fix"] = fix;
    Ok(())
}

/// Puts the path that is made first among those of which one must exist.
fn first(check: &mut Json, path: Option<&str>) -> Result<(), String> {
    let exists = check["tree"]["exists"].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<&str> = exists.split(" | ").collect();
    if let Some(path) = path {
        let at = all.iter().position(|one| *one == path);
        let at = at.ok_or_else(|| format!("`{path}` is none of the files that must exist"))?;
        let made = all.remove(at);
        all.insert(0, made);
    }
    if all.first().is_none_or(|first| first.contains(['*', '?', '{', '['])) {
        return Err("a glob names no file to make".to_owned());
    }
    check["tree"]["exists"] = json!(all.join(" | "));
    Ok(())
}
