//! The answer of a hook in the client's format.

use super::Event;
use super::payload::{Payload, PayloadFormat};
use aidd_report::escape;
use aidd_report::exit::Exit;
use serde_json::{Value, json};

/// The answer of a hook.
#[derive(Debug)]
pub(super) enum Answer {
    /// Context for the agent.
    Context(String),
    /// The reason to refuse a tool call.
    Deny(String),
}

impl Answer {
    /// The answer with its text replaced.
    pub(super) fn map(&self, change: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Context(text) => Self::Context(change(text)),
            Self::Deny(text) => Self::Deny(change(text)),
        }
    }
}

/// The text for the client, and the exit code. Only Cascade detects a refusal by the exit code and
/// reads the reason from standard error.
pub(super) fn render(answer: &Answer, event: Event, payload: &Payload) -> (String, Exit) {
    let format = payload.format();
    let response = match (format, answer) {
        (PayloadFormat::Cascade, Answer::Deny(why)) => return (format!("{why}\n"), Exit::Usage),
        (PayloadFormat::Cascade, Answer::Context(text)) => {
            return (format!("{text}\n"), Exit::Clean);
        }
        (PayloadFormat::Cursor, Answer::Context(text)) => json!({"additional_context": text}),
        (PayloadFormat::Cursor, Answer::Deny(why)) => json!({
            "permission": "deny", "user_message": with_first_finding(why), "agent_message": why,
        }),
        (PayloadFormat::Copilot, Answer::Context(text)) => json!({"additionalContext": text}),
        (PayloadFormat::Copilot, Answer::Deny(why)) => json!({
            "permissionDecision": "deny", "permissionDecisionReason": why,
        }),
        (PayloadFormat::Gemini, Answer::Deny(why)) => json!({"decision": "deny", "reason": why}),
        (_, Answer::Context(text)) => json!({"hookSpecificOutput": {
            "hookEventName": name(event, payload), "additionalContext": text,
        }}),
        (_, Answer::Deny(why)) => {
            let mut response = json!({"hookSpecificOutput": {
                "hookEventName": name(event, payload),
                "permissionDecision": "deny",
                "permissionDecisionReason": why,
            }});
            if format == PayloadFormat::Devin {
                response["decision"] = Value::from("block");
                response["reason"] = Value::from(why.as_str());
            }
            response
        }
    };
    (format!("{}\n", escape::json(&response.to_string())), Exit::Clean)
}

/// The first line, and the first finding below it.
fn with_first_finding(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(2).collect::<Vec<_>>().join(" ")
}

/// The client's name of the event; Claude Code's name if the payload has none.
fn name(event: Event, payload: &Payload) -> &str {
    payload.event().unwrap_or(match event {
        Event::SessionStart => "SessionStart",
        Event::PreToolUse => "PreToolUse",
        Event::PostToolUse => "PostToolUse",
        Event::PreCompact => "PreCompact",
        Event::Stop => "Stop",
        Event::SessionEnd => "SessionEnd",
    })
}
