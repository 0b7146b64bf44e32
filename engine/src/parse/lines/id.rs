//! Ids and hashes: equal input gives equal results on every system.

use super::types::Kind;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Number of hexadecimal digits of a hash in an id: 48 bits, so ids from the same millisecond do
/// not collide.
const DIGITS: usize = 12;

/// The first digits of the SHA-256 of `parts`, with unambiguous separation of the parts.
#[must_use]
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    let mut text = String::with_capacity(DIGITS);
    for byte in hash.finalize().iter().take(DIGITS / 2) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Formats an id: `<prefix>_<milliseconds>_<hash>`.
#[must_use]
pub fn make(prefix: &str, at: i64, parts: &[&str]) -> String {
    format!("{prefix}_{at}_{}", digest(parts))
}

/// The id of a memory that was created at `at` (milliseconds since 1970).
#[must_use]
pub fn of_memory(kind: Kind, at: i64, parts: &[&str]) -> String {
    make(kind.word(), at, parts)
}

/// JSON on one line with sorted keys, so that equal values give equal strings.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

/// Recursion is safe: serde_json limits the depth of a parsed value to 128.
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_text(key, text);
                text.push(':');
                write_canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_canonical(item, text);
            }
            text.push(']');
        }
        Value::String(own) => write_text(own, text),
        other => text.push_str(&other.to_string()),
    }
}

/// Writes a JSON string.
fn write_text(own: &str, text: &mut String) {
    // Most texts need no escape.
    if own.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        text.push('"');
        text.push_str(own);
        text.push('"');
    } else {
        // Writing a string as JSON cannot fail.
        text.push_str(&serde_json::to_string(own).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_distinct_and_readable() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        let id = of_memory(Kind::ToolOutcome, 1_763_800_000_000, &["인증"]);
        assert!(id.starts_with("tool_outcome_1763800000000_"), "{id}");
        assert_eq!(id.len(), "tool_outcome_1763800000000_".len() + DIGITS);
    }

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let text = canonical(&json!({"b": [1, {"d": null, "c": "é\n"}], "a": 1.5}));
        assert_eq!(text, r#"{"a":1.5,"b":[1,{"c":"é\n","d":null}]}"#);
    }
}
