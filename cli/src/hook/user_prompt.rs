//! `aidd hook user-prompt`: prints memories that are highly relevant to the user's prompt, and a
//! line with suitable memory tools. The hook never fails, because a hint must not block the prompt.

use super::agent::{self, Payload};
use aidd_engine::check::Distribution;
use aidd_memory::brief::Brief;
use aidd_memory::kinds::{self, Decision, Mistake};
use aidd_memory::recall::Question;
use aidd_memory::situation::{OVERRIDE_VARIABLE, Situation, detect_or};
use aidd_memory::store::Layers;
use aidd_memory::types::Kind;
use aidd_report::Io;
use aidd_report::exit::Exit;
use aidd_report::one_line;
use anyhow::Result;
use serde_json::json;
use std::io::{Read, Write, copy, sink};
use std::path::Path;

/// Maximum size of the client's JSON, in bytes.
const MAX_INPUT_BYTES: u64 = 8 << 20;
/// The prompt event of Gemini CLI, which accepts only JSON; Claude Code and Codex accept plain
/// lines.
const GEMINI_EVENT: &str = "BeforeAgent";
/// The event of Cursor, which accepts context since July 2026 and ignores it in earlier versions.
const CURSOR_EVENT: &str = "beforeSubmitPrompt";

/// Maximum number of memories shown for a prompt.
const MAX_MEMORIES: usize = 3;
/// Minimum confidence of a memory, from 0 to 1.
const MIN_CONFIDENCE: f64 = 0.7;
/// Minimum confidence of a memory if the prompt asks for earlier decisions or earlier work.
const MIN_CONFIDENCE_QUESTION: f64 = 0.6;
/// Minimum number of words of a prompt that is not a question. For a shorter prompt, such as "run
/// the tests", the memory is not searched.
const MIN_WORDS: usize = 5;
/// Words that indicate a pasted error, whose lines are compared with known errors.
const ERROR_SIGNS: [&str; 7] =
    ["error", "exception", "panic", "traceback", "fatal", "undefined", "에러"];
/// Minimum similarity to a known mistake, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.6;
/// Maximum number of displayed characters of a memory.
const MAX_CHARS: usize = 160;

/// Reads the event and prints the hints, if any.
pub(super) fn run(io: &mut Io<'_>) -> Exit {
    let mut bytes = Vec::new();
    let read = (&mut *io.stdin).take(MAX_INPUT_BYTES).read_to_end(&mut bytes);
    // A client can fail if its pipe is closed early.
    let _ = copy(io.stdin, &mut sink());
    if read.is_ok()
        && let Some(payload) = Payload::read(&bytes).ok()
        && let Some(prompt) = prompt(&payload)
    {
        let root = agent::root(&payload, &io.cwd);
        let forced = std::env::var(OVERRIDE_VARIABLE).ok();
        let situation = detect_or(prompt, forced.as_deref());
        if forced.is_some() {
            // The hint names a detected situation.
            let name = situation.map_or("none", |situation| situation.name);
            let _ =
                writeln!(io.err, "aidd hook user-prompt: situation {name} ({OVERRIDE_VARIABLE})");
        }
        let mut lines =
            related_memories(io.distribution, &root, prompt, situation).unwrap_or_else(|error| {
                let why = io.distribution.redact(&one_line(&format!("{error:#}")));
                let _ = writeln!(io.err, "aidd hook user-prompt: {why}; skipped");
                Vec::new()
            });
        if let Some(situation) = situation {
            lines.push(format!("aidd memory ({}): {}.", situation.name, situation.suggestion));
        }
        // A client that has closed the pipe is not an error.
        let text = lines.join("\n");
        let text = if text.is_empty() { text } else { io.distribution.agent_text(&text) };
        let _ = print_hint(&text, payload.event(), io);
    }
    Exit::Clean
}

fn print_hint(text: &str, event: Option<&str>, io: &mut Io<'_>) -> std::io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let output = match event {
        Some(GEMINI_EVENT) => {
            json!({"hookSpecificOutput": {
                "hookEventName": GEMINI_EVENT, "additionalContext": text
            }})
        }
        Some(CURSOR_EVENT) => json!({"continue": true, "additional_context": text}),
        _ => return writeln!(io.out, "{text}"),
    };
    io.out.json_text(&format!("{output}\n"))
}

/// The user's prompt; `None` for other events and unknown formats.
fn prompt(payload: &Payload) -> Option<&str> {
    let event = payload.event();
    if event.is_some_and(|event| !["UserPromptSubmit", GEMINI_EVENT, CURSOR_EVENT].contains(&event))
    {
        return None;
    }
    // A slash command of the client is not a prompt.
    payload.prompt().map(str::trim).filter(|prompt| !prompt.starts_with('/'))
}

/// The memories that answer a prompt, one per line.
fn related_memories(
    distribution: &'static Distribution,
    root: &Path,
    prompt: &str,
    situation: Option<&Situation>,
) -> Result<Vec<String>> {
    let is_question =
        situation.is_some_and(|situation| ["deciding", "searching"].contains(&situation.name));
    let text = prompt.to_lowercase();
    let is_error = ERROR_SIGNS.iter().any(|sign| text.contains(sign));
    if !is_question && !is_error && prompt.split_whitespace().take(MIN_WORDS).count() < MIN_WORDS {
        return Ok(Vec::new());
    }
    let Some(mut memory) = agent::memory(distribution, root)? else { return Ok(Vec::new()) };
    let mut ids = Vec::new();
    if is_error {
        let mistakes = memory.diagnose(prompt, MIN_SIMILARITY, MAX_MEMORIES)?.matches;
        ids.extend(mistakes.into_iter().map(|mistake| mistake.id));
    }
    let question = Question {
        text: prompt.to_owned(),
        kinds: vec![Kind::Decision, Kind::Mistake, Kind::Convention],
        limit: MAX_MEMORIES,
        // Memories of sessions and branches are not permanent project knowledge.
        ..Question::new(Layers::PERMANENT)
    };
    let min_confidence = if is_question { MIN_CONFIDENCE_QUESTION } else { MIN_CONFIDENCE };
    let hits = memory.search(&question)?.hits.into_iter();
    let hits = hits.filter(|hit| hit.confidence.is_some_and(|value| value >= min_confidence));
    ids.extend(hits.map(|hit| hit.id));
    // Show each memory once.
    let (mut entries, _) = memory.entries_by_id(&ids)?;
    entries.truncate(MAX_MEMORIES);
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let briefs = memory.briefs(&entries)?;
    let head = "Related project memory (details: `aidd_memory_get`):".to_owned();
    Ok(std::iter::once(head).chain(briefs.iter().map(line)).collect())
}

fn line(brief: &Brief) -> String {
    let entry = &brief.entry;
    let shorten = |text: &str| one_line(text).chars().take(MAX_CHARS).collect::<String>();
    let detail = match entry.kind {
        // Omit the reasoning of a failed decision.
        Kind::Decision if entry.is_failed() => String::new(),
        Kind::Decision => {
            let body: Decision = kinds::typed(&entry.metadata).unwrap_or_default();
            labelled("because", &shorten(&body.reasoning))
        }
        Kind::Mistake => {
            let body: Mistake = kinds::typed(&entry.metadata).unwrap_or_default();
            labelled("fixed by", &shorten(&body.fix))
        }
        _ => String::new(),
    };
    format!("- {} {}{detail} [{}]", entry.kind, one_line(&brief.line(MAX_CHARS)), entry.id)
}

fn labelled(label: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" ({label}: {text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_events_and_formats_print_nothing() {
        let prompt_of = |text: &str| {
            let payload = Payload::read(text.as_bytes()).ok()?;
            prompt(&payload).map(str::to_owned)
        };
        let client_payload = r#"{"session_id":"s","transcript_path":"/t","cwd":"/c","permission_mode":
            "default","hook_event_name":"UserPromptSubmit","prompt":"  continue"}"#;
        assert_eq!(prompt_of(client_payload).as_deref(), Some("continue"));
        assert_eq!(prompt_of(r#"{"prompt":"continue"}"#).as_deref(), Some("continue"));
        for text in [
            "",
            "continue",
            "[]",
            "null",
            r#"{"prompt":["continue"]}"#,
            r#"{"prompt":" /resume"}"#,
            r#"{"hook_event_name":"Stop","prompt":"continue"}"#,
            "{\"prompt\":",
        ] {
            assert_eq!(prompt_of(text), None, "{text}");
        }
    }
}
