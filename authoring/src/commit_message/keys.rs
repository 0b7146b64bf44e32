//! The settings of a data file: `path.to.key` and value.

use aidd_engine::parse::tree::Tree;
use aidd_engine::parse::{json, yaml};
use std::collections::BTreeMap;

/// Maximum number of settings; a file with more settings is data, and its keys are not informative.
const MAX_SETTINGS: usize = 5_000;

/// The settings of a file that were added, removed or changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyDelta {
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    /// The key and, if the new value is a number or a boolean, the new value.
    pub(super) set: Vec<(String, Option<String>)>,
}

/// Compares the settings of two versions of a file; `None` when no settings can be read.
pub(super) fn compare(path: &str, before: &str, after: &str) -> Option<KeyDelta> {
    let (before, after) = (read(path, before)?, read(path, after)?);
    let mut delta = KeyDelta::default();
    for (key, value) in &after {
        match before.get(key) {
            None => delta.added.push(key.clone()),
            Some(old) if old != value => delta.set.push((key.clone(), plain_value(value))),
            Some(_) => {}
        }
    }
    delta.removed = before.into_keys().filter(|key| !after.contains_key(key)).collect();
    delta.added = collapse_common_keys(&delta.added);
    delta.removed = collapse_common_keys(&delta.removed);
    Some(delta)
}

/// A value that is self-explanatory and cannot be a secret.
fn plain_value(value: &str) -> Option<String> {
    let is_number = value.len() <= 12
        && value.chars().any(|c| c.is_ascii_digit())
        && value.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '_'));
    (is_number || matches!(value, "true" | "false")).then(|| value.to_owned())
}

/// Replaces several keys that have the same parent with the parent key.
fn collapse_common_keys(keys: &[String]) -> Vec<String> {
    let mut parents: BTreeMap<&str, usize> = BTreeMap::new();
    for key in keys {
        if let Some((parent, _)) = key.rsplit_once('.') {
            *parents.entry(parent).or_default() += 1;
        }
    }
    let mut collapsed: Vec<String> = keys
        .iter()
        .map(|key| match key.rsplit_once('.') {
            Some((parent, _)) if parents[parent] > 1 && parent.contains('.') => parent.to_owned(),
            _ => key.clone(),
        })
        .collect();
    collapsed.dedup();
    collapsed
}

fn read(path: &str, text: &str) -> Option<BTreeMap<String, String>> {
    let entries = match path.rsplit('.').next().unwrap_or_default() {
        "json" | "jsonc" | "json5" => tree_settings(&json::parse(text)),
        "yaml" | "yml" => tree_settings(&yaml::parse(text)),
        "toml" => toml_settings(text),
        _ => return None,
    };
    if entries.len() > MAX_SETTINGS {
        return None;
    }
    let mut settings: BTreeMap<String, String> = BTreeMap::new();
    for (key, value) in entries {
        // All items of a list have the same key; the joined items are the value of the key.
        settings
            .entry(key)
            .and_modify(|all| {
                all.push('\n');
                all.push_str(&value);
            })
            .or_insert(value);
    }
    Some(settings)
}

fn tree_settings(tree: &Tree) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    for node in &tree.nodes {
        let Some(value) = &node.value else { continue };
        let mut keys = vec![node.key.as_str()];
        let mut at = node.parent;
        while at != 0 && keys.len() < 8 {
            keys.push(&tree.nodes[at].key);
            at = tree.nodes[at].parent;
        }
        keys.retain(|key| !key.is_empty());
        keys.reverse();
        entries.push((keys.join("."), value.clone()));
    }
    entries
}

/// The entries of a TOML text: `section.key` and the raw value; arrays and tables are not parsed.
pub(super) fn toml_settings(text: &str) -> Vec<(String, String)> {
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut section = String::new();
    let mut open_brackets = 0_usize;
    for line in text.lines() {
        let line = strip_comment(line).trim();
        if line.is_empty() {
            continue;
        }
        if open_brackets > 0 {
            if let Some((_, value)) = entries.last_mut() {
                value.push(' ');
                value.push_str(line);
            }
            open_brackets = (open_brackets + count_unquoted(line, "[{"))
                .saturating_sub(count_unquoted(line, "]}"));
        } else if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).replace(['"', '\''], "");
        } else if let Some((key, value)) = line.split_once('=') {
            let key = key.trim().replace(['"', '\''], "");
            let full_key = if section.is_empty() { key } else { format!("{section}.{key}") };
            entries.push((full_key, value.trim().to_owned()));
            open_brackets = count_unquoted(value, "[{").saturating_sub(count_unquoted(value, "]}"));
        }
    }
    entries
}

fn strip_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None, '#') => return &line[..at],
            _ => {}
        }
    }
    line
}

/// The number of characters of `text` outside quotes that are in `wanted`.
fn count_unquoted(text: &str, wanted: &str) -> usize {
    let mut quote = None;
    let mut number = 0;
    for c in text.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None, _) if wanted.contains(c) => number += 1,
            _ => {}
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_compared() {
        let delta = compare(
            "a.json",
            r#"{"a": {"b": 1, "c": "x"}, "d": 2}"#,
            r#"{"a": {"b": 3, "c": "y"}, "e": true}"#,
        );
        let expected = KeyDelta {
            added: vec!["e".into()],
            removed: vec!["d".into()],
            set: vec![("a.b".into(), Some("3".into())), ("a.c".into(), None)],
        };
        assert_eq!(delta, Some(expected));
        let delta =
            compare("a.yml", "jobs:\n  a: {x: 1}\n", "jobs:\n  a: {x: 1}\n  b: {y: 1, z: 2}\n");
        assert_eq!(delta.expect("YAML").added, ["jobs.b"]);
        assert_eq!(compare("a.txt", "", ""), None);
    }

    #[test]
    fn toml_is_read_by_line() {
        let text =
            "a = 1 # x\n[b.'c']\nd = [\n  \"e # f\", # g\n  \"h\",\n]\ni.j = { k = \"l\" }\n";
        let expected =
            [("a", "1"), ("b.c.d", "[ \"e # f\", \"h\", ]"), ("b.c.i.j", "{ k = \"l\" }")];
        let entries = toml_settings(text);
        let entries: Vec<(&str, &str)> = entries.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(entries, expected);
    }
}
