//! Token counts in the transcript that a client names in its payload. Only numbers, message ids and
//! times are read, and only the numbers are stored.
//!
//! The format is that of Claude Code, which does not document it; readers such as ccusage and goccc
//! agree on this much: `PROJECT/SESSION.jsonl` has one line for each part of an answer, with the id of
//! the message and its usage so far, so that the output grows from line to line; the answers of
//! subagents are in `PROJECT/SESSION/subagents/*.jsonl`, and some of them in both files; an error of
//! the client is an answer of the model `<synthetic>`.

use aidd_memory::records::TokenUsage;
use aidd_memory::times::millis;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// Maximum number of bytes that are read of all files of a transcript.
const MAX_BYTES: u64 = 256 << 20;
/// Maximum number of files of subagents that are read.
const MAX_FILES: usize = 500;
/// The model of answers that the client itself wrote.
const SYNTHETIC: &str = "<synthetic>";

/// A line with an answer of the model.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    timestamp: Value,
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    usage: Usage,
}

/// The tokens of a message; none of the numbers contains another.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
}

impl Usage {
    /// The usage of a message of which two lines are known: the numbers only grow.
    fn max(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.max(other.input_tokens),
            output_tokens: self.output_tokens.max(other.output_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .max(other.cache_creation_input_tokens),
            cache_read_input_tokens: self
                .cache_read_input_tokens
                .max(other.cache_read_input_tokens),
        }
    }
}

/// The tokens of the messages since `start`, in milliseconds since 1970, with those of subagents;
/// `None` if the transcript cannot be read or contains none. Each message is counted once.
pub(super) fn usage_since(path: &Path, start: i64) -> Option<TokenUsage> {
    let mut messages: HashMap<String, Usage> = HashMap::new();
    // A line without an id is a message of its own.
    let mut unnamed = Vec::new();
    let mut rest = MAX_BYTES;
    for path in std::iter::once(path.to_owned()).chain(subagents(path)) {
        let Some(file) = open(&path) else { continue };
        let mut lines = BufReader::new(file.take(rest));
        let mut bytes = Vec::new();
        while lines.read_until(b'\n', &mut bytes).is_ok_and(|length| length > 0) {
            let line = serde_json::from_slice::<Line>(&bytes);
            bytes.clear();
            let Ok(Line { kind, timestamp, message }) = line else { continue };
            let is_answer = kind == "assistant" && message.model.as_deref() != Some(SYNTHETIC);
            if !is_answer || millis(&timestamp).is_none_or(|at| at < start) {
                continue;
            }
            match message.id.filter(|id| !id.is_empty()) {
                Some(id) => {
                    let known = messages.entry(id).or_default();
                    *known = known.max(message.usage);
                }
                None => unnamed.push(message.usage),
            }
        }
        rest = lines.into_inner().limit();
    }
    unnamed.extend(messages.into_values());
    if unnamed.is_empty() {
        return None;
    }
    let sum = |part: fn(&Usage) -> Option<u64>| {
        unnamed.iter().filter_map(part).fold(0, u64::saturating_add)
    };
    Some(TokenUsage {
        input_tokens: sum(|usage| usage.input_tokens),
        output_tokens: sum(|usage| usage.output_tokens),
        cache_read_tokens: Some(sum(|usage| usage.cache_read_input_tokens)),
        cache_write_tokens: Some(sum(|usage| usage.cache_creation_input_tokens)),
        ..TokenUsage::default()
    })
}

fn open(path: &Path) -> Option<File> {
    // Opening a pipe can block forever.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    File::open(path).ok()
}

/// The files with the answers of the session's subagents.
fn subagents(transcript: &Path) -> Vec<PathBuf> {
    let directory = transcript.with_extension("").join("subagents");
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    files
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .take(MAX_FILES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session as Claude Code writes it: an answer in three lines, an answer of the client, a tool
    /// result, a progress report of a subagent, and an interrupted line.
    const SESSION: &str = r#"{"type":"summary","summary":"Fix the parser","leafUuid":"a1"}
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-02T00:00:00.000Z","cwd":"/p","version":"2.0.76","isSidechain":false,"message":{"role":"user","content":"fix it"}}
{"type":"assistant","uuid":"a0","sessionId":"s","timestamp":"2026-01-01T23:59:59.000Z","requestId":"req_0","message":{"id":"msg_0","role":"assistant","model":"claude-opus-4-5","content":[],"stop_reason":"end_turn","usage":{"input_tokens":900,"output_tokens":900}}}
{"type":"assistant","uuid":"a1","sessionId":"s","timestamp":"2026-01-02T00:00:01.000Z","requestId":"req_1","isSidechain":false,"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-5","content":[{"type":"thinking","thinking":"…"}],"stop_reason":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":200,"cache_read_input_tokens":1000,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":200},"output_tokens":3,"service_tier":"standard"}}}
{"type":"assistant","uuid":"a2","sessionId":"s","timestamp":"2026-01-02T00:00:02.000Z","requestId":"req_1","isSidechain":false,"message":{"id":"msg_1","role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"I look."}],"stop_reason":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":200,"cache_read_input_tokens":1000,"output_tokens":3}}}
{"type":"assistant","uuid":"a3","sessionId":"s","timestamp":"2026-01-02T00:00:03.000Z","requestId":"req_1","isSidechain":false,"message":{"id":"msg_1","role":"assistant","model":"claude-opus-4-5","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":4,"cache_creation_input_tokens":200,"cache_read_input_tokens":1000,"output_tokens":150}}}
{"type":"user","uuid":"u2","sessionId":"s","timestamp":"2026-01-02T00:00:04.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"text"}]},"toolUseResult":{"usage":{"input_tokens":7000,"output_tokens":7000}}}
{"type":"progress","uuid":"p1","sessionId":"s","timestamp":"2026-01-02T00:00:04.500Z","data":{"message":{"type":"assistant","message":{"id":"msg_3","usage":{"input_tokens":7000,"output_tokens":7000}}}}}
{"type":"assistant","uuid":"a4","sessionId":"s","timestamp":"2026-01-02T00:00:05.000Z","isApiErrorMessage":true,"message":{"id":"e1","role":"assistant","model":"<synthetic>","content":[],"usage":{"input_tokens":0,"output_tokens":0}}}
{"type":"assistant","uuid":"a5","sessionId":"s","timestamp":"2026-01-02T00:00:06.000Z","message":{"role":"assistant","content":[],"usage":{"input_tokens":10,"output_tokens":20,"cache_read_input_tokens":null}}}
{"type":"assistant","uuid":"a6","sessionId":"s","timestamp":"2026-01-02T00:00:07.000Z","message":{"role":"assistant","content":[],"usage":{"input_tokens":10,"output_tokens":20}}}
{"type":"assi"#;

    /// A subagent: an answer that the session also has, with another request, and one of its own.
    const SUBAGENT: &str = r#"{"type":"assistant","uuid":"b1","sessionId":"s","agentId":"x","timestamp":"2026-01-02T00:00:03.000Z","requestId":"req_9","isSidechain":true,"message":{"id":"msg_1","role":"assistant","model":"claude-opus-4-5","content":[],"usage":{"input_tokens":4,"cache_creation_input_tokens":200,"cache_read_input_tokens":1000,"output_tokens":3}}}
{"type":"assistant","uuid":"b2","sessionId":"s","agentId":"x","timestamp":"2026-01-02T00:00:04.000Z","requestId":"req_2","isSidechain":true,"message":{"id":"msg_2","role":"assistant","model":"claude-haiku-4-5","content":[],"usage":{"input_tokens":1,"cache_creation_input_tokens":30,"cache_read_input_tokens":0,"output_tokens":40}}}
"#;

    fn figures(usage: &TokenUsage) -> String {
        format!(
            "input {}, output {}, cache read {:?}, cache written {:?}",
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens
        )
    }

    #[test]
    fn each_message_since_the_start_is_counted_once() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("5f0c.jsonl");
        fs::write(&path, SESSION).expect("written");
        let start = millis(&Value::from("2026-01-02T00:00:00.000Z")).expect("a time");
        let usage = usage_since(&path, start).expect("tokens");
        insta::assert_snapshot!(figures(&usage), @"input 24, output 190, cache read Some(1000), cache written Some(200)");
        let subagents = folder.path().join("5f0c/subagents");
        fs::create_dir_all(&subagents).expect("a directory");
        fs::write(subagents.join("agent-x.jsonl"), SUBAGENT).expect("written");
        fs::write(subagents.join("agent-x.meta.json"), "{}").expect("written");
        let usage = usage_since(&path, start).expect("tokens");
        insta::assert_snapshot!(figures(&usage), @"input 25, output 230, cache read Some(1000), cache written Some(230)");
        assert!(usage_since(&path, start + 86_400_000).is_none());
        assert!(usage_since(folder.path(), 0).is_none());
    }
}
