//! Token counts in the transcript that a client names in its payload. Only numbers, message ids and
//! times are read, and only the numbers are stored.

use aidd_memory::records::TokenUsage;
use aidd_memory::times::millis;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

/// Maximum number of bytes that are read of a transcript.
const MAX_BYTES: u64 = 256 << 20;

/// A line of a transcript of Claude Code: JSON with the message of the model.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    timestamp: Value,
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    id: String,
    usage: Usage,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input_tokens: u64,
    output_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
}

/// The tokens of the messages since `start`, in milliseconds since 1970; `None` if the transcript
/// cannot be read or contains none. Each message is counted once, although a transcript repeats it
/// for each of its parts.
pub(super) fn usage_since(path: &Path, start: i64) -> Option<TokenUsage> {
    let file =
        File::open(path).ok().filter(|file| file.metadata().is_ok_and(|data| data.is_file()))?;
    let mut messages: HashMap<String, Usage> = HashMap::new();
    for line in BufReader::new(file.take(MAX_BYTES)).split(b'\n').map_while(Result::ok) {
        let Ok(line) = serde_json::from_slice::<Line>(&line) else { continue };
        if millis(&line.timestamp).is_some_and(|at| at >= start) {
            messages.insert(line.message.id, line.message.usage);
        }
    }
    if messages.is_empty() {
        return None;
    }
    let sum = |part: fn(&Usage) -> u64| messages.values().map(part).fold(0, u64::saturating_add);
    Some(TokenUsage {
        input_tokens: sum(|usage| usage.input_tokens),
        output_tokens: sum(|usage| usage.output_tokens),
        cache_read_tokens: Some(sum(|usage| usage.cache_read_input_tokens)),
        cache_write_tokens: Some(sum(|usage| usage.cache_creation_input_tokens)),
        ..TokenUsage::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_since_the_start_is_counted_once() {
        let message = |at: &str, id: &str, output: u64| {
            format!(
                r#"{{"type":"assistant","timestamp":"{at}","message":{{"id":"{id}","content":[],"usage":{{"input_tokens":5,"cache_read_input_tokens":100,"output_tokens":{output}}}}}}}"#
            )
        };
        let lines = [
            message("2026-01-01T00:00:00.000Z", "before", 9),
            "{\"type\":\"user\",\"message\":{\"content\":\"text\"}}".to_owned(),
            message("2026-01-02T00:00:00.000Z", "a", 1),
            message("2026-01-02T00:00:01.000Z", "a", 7),
            message("2026-01-02T00:00:02.000Z", "b", 3),
            "{\"type\":".to_owned(),
        ];
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("transcript.jsonl");
        std::fs::write(&path, lines.join("\n")).expect("written");
        let start = millis(&Value::from("2026-01-02T00:00:00.000Z")).expect("a time");
        let usage = usage_since(&path, start).expect("tokens");
        assert_eq!((usage.input_tokens, usage.output_tokens), (10, 10));
        assert_eq!(usage.cache_read_tokens, Some(200));
        assert_eq!(usage_since(&path, start + 86_400_000), None);
        assert_eq!(usage_since(folder.path(), 0), None);
    }
}
