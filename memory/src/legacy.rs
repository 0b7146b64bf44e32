//! The older JSON files of permanent memory: an object that contains a list, with the plural of the
//! type as its key, or only the list. Each item is read as a first revision whose id depends only
//! on the item, so that every clone reads the same memories.

use super::id;
use super::log::{Problem, ProblemKind, Revision};
use super::times::millis;
use super::types::Kind;
use super::words::fold_text;
use serde_json::{Map, Value};

/// Reads an older file of memories of type `kind`. If the file contains an object, the list of
/// memories has the key `plural`.
#[must_use]
pub fn read(path: &str, kind: Kind, plural: &str, bytes: &[u8]) -> (Vec<Revision>, Vec<Problem>) {
    let problem = |kind, message| Problem { path: path.to_owned(), line: 0, kind, message };
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    let items = match serde_json::from_slice(bytes) {
        Ok(Value::Array(items)) => items,
        Ok(Value::Object(mut map)) => match map.remove(plural) {
            Some(Value::Array(items)) => items,
            _ => {
                let message = format!("neither a list nor an object with a list `{plural}`");
                return (Vec::new(), vec![problem(ProblemKind::UnreadableFile, message)]);
            }
        },
        Ok(_) => {
            let message = "neither a list nor an object".to_owned();
            return (Vec::new(), vec![problem(ProblemKind::UnreadableFile, message)]);
        }
        Err(error) => {
            let message = format!("not JSON: {error}");
            return (Vec::new(), vec![problem(ProblemKind::UnreadableFile, message)]);
        }
    };
    let (mut revisions, mut problems): (Vec<Revision>, _) = (Vec::new(), Vec::new());
    for (index, item) in items.into_iter().enumerate() {
        match revision(kind, item) {
            Some(revision) if revisions.iter().any(|known| known.rev == revision.rev) => {}
            Some(revision) => revisions.push(revision),
            None => {
                let message = format!("item {} is not a {kind}", index + 1);
                problems.push(problem(ProblemKind::MalformedLine, message));
            }
        }
    }
    (revisions, problems)
}

/// Converts an item to the first revision of a memory; `None` when the item has no content.
pub(super) fn revision(kind: Kind, item: Value) -> Option<Revision> {
    let Value::Object(mut fields) = item else { return None };
    unpack(&mut fields);
    let names: &[&str] = match kind {
        Kind::Decision => &["decision", "title", "content"],
        Kind::Mistake => &["error", "description", "title", "content"],
        _ => &["convention", "title", "content"],
    };
    let content = names.iter().find_map(|name| match fields.remove(*name) {
        Some(Value::String(text)) => Some(text),
        Some(other) => {
            fields.insert((*name).to_owned(), other);
            None
        }
        None => None,
    })?;
    let at = ["date", "createdAt", "created_at", "timestamp", "at"]
        .iter()
        .find_map(|name| fields.get(*name).and_then(millis))
        .unwrap_or_default();
    let text = |fields: &mut Map<String, Value>, name: &str| match fields.remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    };
    let topic = text(&mut fields, "topic");
    let session_id = text(&mut fields, "sessionId").or_else(|| text(&mut fields, "session_id"));
    let id = id::of_memory(kind, at, &["older", &fold_text(&content)]);
    let first = Revision::first(kind, id, at, content);
    Some(Revision { topic, session_id, metadata: rename(fields), ..first }.with_rev())
}

/// Unpacks the fields that the second of the older formats stores as JSON in the string `content`.
fn unpack(fields: &mut Map<String, Value>) {
    let inner = fields
        .get("content")
        .and_then(Value::as_str)
        .and_then(|text| serde_json::from_str(text).ok());
    if let Some(Value::Object(inner)) = inner {
        fields.remove("content");
        for (name, value) in inner {
            fields.entry(name).or_insert(value);
        }
    }
}

/// Renames fields from their older names to their current names.
fn rename(fields: Map<String, Value>) -> Map<String, Value> {
    let current_name = |name: String| match name.as_str() {
        "rationale" => "reasoning".to_owned(),
        "alternatives_considered" => "alternatives".to_owned(),
        "root_cause" => "rootCause".to_owned(),
        "last_seen_at" => "lastSeenAt".to_owned(),
        _ => name,
    };
    fields.into_iter().map(|(name, value)| (current_name(name), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_older_formats_are_read_completely() {
        let with_key = json!({"decisions": [{
            "date": "2026-02-05", "context": "c", "decision": "Use SQLite", "rationale": "r",
            "alternatives_considered": [{"option": "files", "rejected_because": "slow"}], "mood": 1,
        }, 3]});
        let (revisions, problems) = read(
            "ai/memory/decisions.json",
            Kind::Decision,
            "decisions",
            with_key.to_string().as_bytes(),
        );
        assert_eq!(problems[0].message, "item 2 is not a decision");
        let first = &revisions[0];
        assert_eq!((&*first.content, first.at), ("Use SQLite", 1_770_249_600_000));
        assert!(first.id.starts_with("decision_1770249600000_"), "{}", first.id);
        assert_eq!(first.metadata["reasoning"], "r");
        assert_eq!(first.metadata["alternatives"][0]["option"], "files");
        assert_eq!(
            (&first.metadata["mood"], &first.metadata["date"]),
            (&json!(1), &json!("2026-02-05"))
        );

        let later = json!([{
            "id": "abc-1", "type": "mistake", "title": "boom", "createdAt": 5, "sessionId": "s",
            "content": "{\"rootCause\":\"r\",\"fix\":\"f\",\"occurrences\":3}",
        }]);
        let (revisions, problems) =
            read("x", Kind::Mistake, "mistakes", later.to_string().as_bytes());
        assert_eq!(problems, []);
        assert_eq!(
            (&*revisions[0].content, &revisions[0].metadata["occurrences"]),
            ("boom", &json!(3))
        );
        assert_eq!(revisions[0].session_id.as_deref(), Some("s"));
        assert_eq!(revisions[0].metadata["id"], "abc-1");
        let (_, problems) = read("x", Kind::Mistake, "mistakes", b"<<<<<<< HEAD");
        assert_eq!(problems[0].kind, ProblemKind::UnreadableFile);
    }
}
