//! `aidd hook user-prompt`: a line that names the tools of the memory which fit what a user typed.
//! It looks at words only, opens nothing, and ends well whatever it is given: a hint is worth less
//! than the prompt it goes with.

use crate::Io;
use crate::exit::Exit;
use aidd_engine::memory::situation::{Situation, detect};
use serde_json::{Value, json};
use std::io::{Read, Write};

/// More of the client's JSON is not read, in bytes.
const LARGEST: u64 = 8 << 20;
/// The event of Gemini CLI, which hears JSON only; Claude Code and Codex take a line as it is.
const GEMINI: &str = "BeforeAgent";

/// Reads what the client says and prints a suggestion, or nothing.
pub(super) fn run(io: &mut Io<'_>) -> Exit {
    let mut bytes = Vec::new();
    if (&mut *io.stdin).take(LARGEST).read_to_end(&mut bytes).is_ok()
        && let Some((event, prompt)) = prompt(&bytes)
        && let Some(found) = situation(&prompt)
    {
        let line = format!("aidd memory ({}): {}.", found.name, found.suggestion);
        let line = if event.as_deref() == Some(GEMINI) {
            json!({"hookSpecificOutput": {"hookEventName": GEMINI, "additionalContext": line}})
                .to_string()
        } else {
            line
        };
        // Nobody may be there to read it, which is no reason to fail.
        let _ = writeln!(io.out, "{line}");
    }
    Exit::Clean
}

/// The event, when it is named, and what the user typed; `None` for any other event, and for what is
/// not of this form.
fn prompt(bytes: &[u8]) -> Option<(Option<String>, String)> {
    let said: Value = serde_json::from_slice(bytes).ok()?;
    let event = said.get("hook_event_name").and_then(Value::as_str);
    if event.is_some_and(|event| event != "UserPromptSubmit" && event != GEMINI) {
        return None;
    }
    let prompt = said.get("prompt").and_then(Value::as_str)?;
    Some((event.map(str::to_owned), prompt.to_owned()))
}

fn situation(prompt: &str) -> Option<&'static Situation> {
    // A command of the client, not a wish.
    if prompt.trim_start().starts_with('/') { None } else { detect(prompt.trim_start()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_the_client_is_no_wish() {
        assert_eq!(situation("  resume it").map(|found| found.name), Some("resuming"));
        assert_eq!(situation("  /resume"), None);
    }

    #[test]
    fn other_events_and_forms_say_nothing() {
        let said = |text: &str| prompt(text.as_bytes()).map(|(_, prompt)| prompt);
        let of_client = r#"{"session_id":"s","transcript_path":"/t","cwd":"/c","permission_mode":
            "default","hook_event_name":"UserPromptSubmit","prompt":"continue"}"#;
        assert_eq!(said(of_client).as_deref(), Some("continue"));
        assert_eq!(said(r#"{"prompt":"continue"}"#).as_deref(), Some("continue"));
        for text in [
            "",
            "continue",
            "[]",
            "null",
            r#"{"prompt":["continue"]}"#,
            r#"{"hook_event_name":"Stop","prompt":"continue"}"#,
            "{\"prompt\":",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }
}
