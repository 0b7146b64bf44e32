//! Derives variables from the options of rule kinds that a conversion table alone cannot describe.

use super::super::expressions::alternatives;
use super::super::recipe::{self, Vars};
use super::super::sample;
use super::Rule;
use super::values::{extract_query, file_with_value, path_keys, supported_query};
use aidd_engine::text::paths::{below, parent_dir};
use serde_json::{Value as Json, json};

/// The variables that the pages of a rule kind need in addition to its options.
///
/// # Errors
/// Fails with the reason why the rule is not imported.
pub(super) fn vars(rule: &Rule<'_>) -> Result<Vars, String> {
    let derived = match rule.kind {
        "filename_regex" => {
            let pattern = rule.text("pattern")?;
            let stem = if rule.is_enabled("stem") {
                pattern
            } else {
                without_extension(pattern, &rule.paths())?
            };
            let inner = stem.trim_start_matches('^').trim_end_matches('$');
            json!({"inner": inner, "good": sample::from_regex(&format!("^(?:{inner})$"))})
        }
        "registry_paths_resolve" => registry_vars(rule)?,
        kind if ["dotenv", "ini_", "properties"].iter().any(|start| kind.starts_with(start)) => {
            setting_vars(rule)?
        }
        _ => value_vars(rule)?,
    };
    Ok(recipe::vars(derived))
}

/// The variables for a kind of rule on values: files with and without the required value.
fn value_vars(rule: &Rule<'_>) -> Result<Json, String> {
    let at = supported_query(rule.text("path")?)?;
    let required_value = match rule.options.get("matches").and_then(Json::as_str) {
        Some(pattern) => sample::from_regex(pattern).map(Json::from),
        None if rule.kind.ends_with("_equals") => {
            Some(rule.options.get("equals").cloned().unwrap_or_default())
        }
        None => None,
    };
    let file = rule.sample_path("example");
    let with_value = |at: &str, value: Json| file_with_value(&file, at, &value);
    Ok(json!({
        "present": !rule.is_enabled("if_present"),
        // A file with another value, and a file without the value.
        "bad": with_value(at, json!("something else")),
        "other": with_value("$.other", json!("x")),
        "good": required_value
            .map_or_else(|| with_value("$.other", json!("x")), |value| with_value(at, value)),
    }))
}

/// The variables for a kind of rule on paths that a manifest lists.
fn registry_vars(rule: &Rule<'_>) -> Result<Json, String> {
    let file = sample::from_glob(rule.text("source")?, "example");
    let at = extract_query(rule.options.get("extract").unwrap_or(&Json::Null))?;
    Ok(json!({
        "at": at,
        "gone": file_with_value(&file, &at, &json!("gone")),
        "found": file_with_value(&file, &at, &json!("here/a.txt")),
        "sibling": below(parent_dir(&file), "here/a.txt"),
        "file": file,
    }))
}

/// The variables for a kind of rule on a key in a file with lines of the form `key = value`.
fn setting_vars(rule: &Rule<'_>) -> Result<Json, String> {
    let path = rule.text("path")?;
    let names = query_names(path).ok_or_else(|| {
        format!("`{path}` is not a plain path to a value: this format is read line by line")
    })?;
    Ok(json!({
        "format": rule.kind.split('_').next(),
        "depth": names.len(),
        "section": names.first(),
        "name": names.last(),
        "shown": names.join("."),
    }))
}

/// The names of a query that is a plain path from the root.
fn query_names(path: &str) -> Option<Vec<String>> {
    let keys = path_keys(path).filter(|_| !path.contains("..") && !path.contains("','"))?;
    let is_plain = |(name, in_list): &(String, bool)| !in_list && !name.contains(['*', '?', '@']);
    keys.iter().all(is_plain).then(|| keys.into_iter().map(|(name, _)| name).collect())
}

/// Converts an expression for whole names to an expression for names up to their last dot.
fn without_extension<'p>(pattern: &'p str, globs: &[String]) -> Result<&'p str, String> {
    let why = || {
        format!(
            "`{pattern}` applies to the whole name; `name` of a `tree` check checks the name up to its last dot"
        )
    };
    let plain = pattern.strip_suffix('$').unwrap_or(pattern);
    let (head, extension) = plain.rsplit_once(r"\.").ok_or_else(why)?;
    let inner = extension.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.map_or(extension, |inner| inner.strip_prefix("?:").unwrap_or(inner));
    let known: Vec<&str> = inner.split('|').collect();
    let is_word = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
    // Files with extensions other than `known` would no longer be reported, so every glob must have
    // one of the known extensions.
    let has_known_extension = |glob: &String| {
        let Some((_, extension)) = glob.rsplit_once('.') else { return false };
        let inner = extension.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        inner.unwrap_or(extension).split(',').all(|extension| known.contains(&extension))
    };
    let is_balanced = head.matches('(').count() == head.matches(')').count();
    let is_grouped = known.len() == 1 || inner.len() < extension.len();
    let is_separable = is_grouped && is_balanced && alternatives(head).len() == 1;
    let is_convertible =
        is_separable && known.iter().all(is_word) && globs.iter().all(has_known_extension);
    is_convertible.then_some(head).ok_or_else(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_split() {
        assert_eq!(
            query_names("$.a['b c'].d"),
            Some(vec!["a".to_owned(), "b c".to_owned(), "d".to_owned()])
        );
        assert_eq!(query_names("$.a[*]"), None);
        assert_eq!(query_names("$"), None);
    }

    #[test]
    fn an_extension_is_removed_if_all_files_have_it() {
        assert_eq!(without_extension(r"^[a-z]+\.md$", &["docs/*.md".to_owned()]), Ok("^[a-z]+"));
        assert!(without_extension(r"^[a-z]+\.md$", &["docs/*".to_owned()]).is_err());
        assert!(without_extension("^[a-z.]+$", &["docs/*.md".to_owned()]).is_err());
    }
}
