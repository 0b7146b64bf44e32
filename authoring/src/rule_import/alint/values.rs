//! Values in JSON, YAML and TOML: their paths, and files that contain them.

use serde_json::{Map, Value as Json, json};

/// A query with the syntax that our engine supports: names, indexes, `*` and `..`.
pub(super) fn supported_query(query: &str) -> Result<&str, String> {
    let filter = query.contains(['?', '@', '(']) || query.contains(':') && !query.contains('\'');
    if filter {
        return Err(format!(
            "`{query}` has a filter or a slice: `at` of a `data` check supports names, indexes, `*` and `..`"
        ));
    }
    Ok(query)
}

/// The keys of a path from the root, and whether the value of each key is a list. Of alternative
/// names, the first is used; a key that can be at any depth is placed at the root.
pub(super) fn path_keys(at: &str) -> Option<Vec<(String, bool)>> {
    let mut keys: Vec<(String, bool)> = Vec::new();
    let mut rest = at.strip_prefix('$')?;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[*]").or_else(|| rest.strip_prefix("[0]")) {
            keys.last_mut()?.1 = true;
            rest = after;
            continue;
        }
        let plain = rest.trim_start_matches('.');
        let (name, after) = if let Some(quoted) = plain.strip_prefix('[') {
            let (inner, after) = quoted.split_once(']')?;
            let quote = inner.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
            (inner[1..].split(quote).next()?, after)
        } else {
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            (&plain[..end], &plain[end..])
        };
        if name.is_empty() || plain.len() == rest.len() && !rest.starts_with('[') {
            return None;
        }
        keys.push((name.to_owned(), false));
        rest = after;
    }
    (!keys.is_empty()).then_some(keys)
}

/// The text of a file that has `value` at a path from the root; `None` if the format is unsupported.
pub(super) fn file_with_value(file: &str, at: &str, value: &Json) -> Option<String> {
    let mut keys = path_keys(at)?;
    keys.iter_mut().filter(|(name, _)| name == "*").for_each(|(name, _)| "any".clone_into(name));
    let as_list_if = |value: Json, in_list: bool| if in_list { json!([value]) } else { value };
    match file.rsplit('.').next()? {
        "json" | "yml" | "yaml" => {
            let wrap = |inner: Json, (name, in_list): (String, bool)| {
                Json::Object(Map::from_iter([(name, as_list_if(inner, in_list))]))
            };
            Some(format!("{}\n", keys.into_iter().rev().fold(value.clone(), wrap)))
        }
        "toml" => {
            let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
            let ((last, in_list), tables) = keys.split_last()?;
            let is_plain = keys.iter().all(|(name, _)| name.bytes().all(is_word))
                && tables.iter().all(|(_, in_list)| !in_list);
            if !is_plain || value.is_object() || value.is_null() {
                return None;
            }
            let tables: Vec<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
            let head =
                if tables.is_empty() { String::new() } else { format!("[{}]\n", tables.join(".")) };
            Some(format!("{head}{last} = {}\n", as_list_if(value.clone(), *in_list)))
        }
        _ => None,
    }
}

/// The query of an `extract`.
pub(super) fn extract_query(spec: &Json) -> Result<String, String> {
    let query = ["json", "yaml", "toml"].into_iter().find_map(|format| spec[format].as_str());
    let query = query.ok_or(
        "its values come from lines or an expression; a `data` check reads JSON, YAML and TOML",
    )?;
    supported_query(query).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_a_value_at_a_query_are_generated() {
        let text = |file: &str, at: &str| file_with_value(file, at, &json!("x"));
        for (file, at, expected) in [
            ("a.json", "$.a.b[*]", r#"{"a":{"b":["x"]}}"#),
            ("a.yml", "$..['a b','c']", r#"{"a b":"x"}"#),
            ("a.toml", "$.tool['my-tool'].name", "[tool.my-tool]\nname = \"x\""),
            ("a.json", "$.a.*", r#"{"a":{"any":"x"}}"#),
            ("a.toml", "$.list[0]", "list = [\"x\"]"),
        ] {
            assert_eq!(text(file, at), Some(format!("{expected}\n")), "{at}");
        }
        for at in ["", "$", "$[?(@.a)]", "$.a[1:2]", "$.a.", "a.b", "$['a"] {
            assert_eq!(text("a.json", at), None, "{at}");
        }
    }
}
