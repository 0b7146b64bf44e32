//! Detects duplicate memories: the same content, saved twice in two clones without a common
//! history.

use super::id::canonical;
use super::types::{Entry, Kind};
use super::words::{fold_text, topic_key};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The separator between the parts of a key; it does not occur in compared text.
const SEPARATOR: char = '\u{1F}';

/// The comparison key of a memory: for a convention its kind and words, for a decision also its
/// topic. `None` for other kinds, because memories of these kinds are not necessarily duplicates if
/// their words are equal: the same error can have another cause and another fix.
#[must_use]
pub fn duplicate_key(entry: &Entry) -> Option<String> {
    let topic = match entry.kind {
        Kind::Decision => entry.topic.as_deref().map(topic_key).unwrap_or_default(),
        Kind::Convention => String::new(),
        _ => return None,
    };
    let words = fold_text(&entry.content);
    (!words.is_empty()).then(|| format!("{}{SEPARATOR}{topic}{SEPARATOR}{words}", entry.kind))
}

/// Finds the memories that repeat another active memory, and maps each to that memory. On every
/// clone, the memory that was created first is retained. A memory with a check or an outcome takes
/// precedence over a memory without either; if checks or outcomes differ, one memory with each of
/// them is retained. A memory with two concurrent edits is retained until the conflict is resolved.
#[must_use]
pub fn find_duplicates<'a>(
    active_entries: impl IntoIterator<Item = &'a Entry>,
) -> BTreeMap<&'a str, &'a str> {
    let mut groups: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for entry in active_entries {
        if let Some(key) = duplicate_key(entry).filter(|_| !entry.is_contested()) {
            groups.entry(key).or_default().push(entry);
        }
    }
    let mut repeats = BTreeMap::new();
    for group in groups.values_mut() {
        group.sort_by_key(|entry| (entry.created_at, &entry.id));
        let mut retained: BTreeMap<String, &str> = BTreeMap::new();
        for (entry, fields) in
            group.iter().filter_map(|entry| Some((entry, protected_fields(entry)?)))
        {
            retained.entry(fields).or_insert(&entry.id);
        }
        let first =
            group.iter().find(|entry| retained.is_empty() || protected_fields(entry).is_some());
        let Some(first) = first else { continue };
        let ids: BTreeSet<&str> = retained.values().copied().chain([&*first.id]).collect();
        for entry in group.iter().filter(|entry| !ids.contains(&*entry.id)) {
            let same = protected_fields(entry).and_then(|fields| retained.get(&fields).copied());
            repeats.insert(&*entry.id, same.unwrap_or(&first.id));
        }
    }
    repeats
}

/// The fields of a memory that must not be lost: its check and its outcome.
fn protected_fields(entry: &Entry) -> Option<String> {
    let field = |name| entry.metadata.get(name).filter(|value| !value.is_null());
    let fields: Vec<&Value> = ["check", "outcome"].into_iter().filter_map(field).collect();
    let texts: Vec<String> = fields.into_iter().map(canonical).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::log::{Revision, fold};
    use super::*;
    use serde_json::json;

    fn memory(id: &str, at: i64, content: &str, metadata: &Value) -> Entry {
        let first = Revision::first(Kind::Convention, id.into(), at, content);
        let metadata = serde_json::from_value(metadata.clone()).expect("an object");
        fold(&[Revision { metadata, ..first }.with_rev()]).expect("a memory").entry
    }

    #[test]
    fn the_first_duplicate_with_protected_fields_is_retained() {
        let (none, check) = (json!({}), json!({"check": {"text": {"regex": "a"}}}));
        let repeats_of = |entries: &[Entry]| -> Vec<(String, String)> {
            let repeats = find_duplicates(entries);
            repeats.into_iter().map(|(id, retained)| (id.to_owned(), retained.to_owned())).collect()
        };
        let pair = |id: &str, retained: &str| (id.to_owned(), retained.to_owned());
        let all = [
            memory("c", 3, "Use tabs.", &none),
            memory("b", 2, "use  TABS", &none),
            memory("a", 2, "Use tabs", &none),
            memory("z", 1, "Use spaces", &none),
        ];
        assert_eq!(repeats_of(&all), [pair("b", "a"), pair("c", "a")]);
        let with_check = [all[2].clone(), memory("d", 9, "use tabs", &check), all[0].clone()];
        assert_eq!(repeats_of(&with_check), [pair("a", "d"), pair("c", "d")]);
        let other = json!({"check": {"text": {"regex": "b"}}});
        let with_two_checks =
            [with_check[1].clone(), memory("e", 8, "use tabs", &other), all[0].clone()];
        assert_eq!(repeats_of(&with_two_checks), [pair("c", "e")]);
    }
}
