//! What a client says to a hook. The forms were looked up in November 2026, in the documentation of
//! Claude Code (whose form Codex, VS Code and Devin share), Cursor, Gemini CLI and Windsurf's
//! Cascade. Every field is looked for under all of its spellings, and none has to be there.

use anyhow::{Result, bail};
use serde_json::Value;
use std::path::PathBuf;

/// The form that a client speaks, and hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Claude Code, Codex, VS Code.
    Claude,
    /// Devin's own agents, which take the form of Claude Code and an older one.
    Devin,
    /// Cursor.
    Cursor,
    /// Gemini CLI, in the events that it does not share with Claude Code.
    Gemini,
    /// Windsurf's Cascade.
    Cascade,
    /// GitHub Copilot, when its hooks are set up in its own words.
    Copilot,
}

/// The names that Devin gives to what Claude Code calls Edit, Write and Bash.
const DEVIN_TOOLS: [&str; 4] = ["edit", "write", "exec", "multi_edit"];

/// What a client says.
#[derive(Debug)]
pub(in crate::hook) struct Payload {
    said: Value,
    input: Value,
    response: Value,
}

impl Payload {
    /// Reads what a client says.
    ///
    /// # Errors
    /// When it is no JSON object.
    pub(in crate::hook) fn read(bytes: &[u8]) -> Result<Self> {
        let said: Value = match serde_json::from_slice(bytes) {
            Ok(said) => said,
            Err(error) => bail!("standard input is not JSON ({error})"),
        };
        if !said.is_object() {
            bail!("standard input is no JSON object");
        }
        let input = unpacked(&said, &["tool_input", "toolInput", "tool_info", "toolArgs"]);
        // Some events of Cursor are about one tool, and name what it was given beside themselves.
        let input = if input.is_null() { said.clone() } else { input };
        let answers = ["tool_response", "tool_output", "toolResponse", "toolResult"];
        let response = unpacked(&said, &answers);
        Ok(Self { said, input, response })
    }

    /// The event, by the client's name for it.
    pub(in crate::hook) fn event(&self) -> Option<&str> {
        text(&self.said, &["hook_event_name", "hookEventName", "agent_action_name"])
    }

    pub(super) fn form(&self) -> Form {
        if self.said.get("agent_action_name").is_some() {
            return Form::Cascade;
        }
        if self.event().is_none() && self.said.get("toolArgs").is_some() {
            return Form::Copilot;
        }
        let event = self.event().unwrap_or_default();
        if self.said.get("cursor_version").is_some() || event.starts_with(char::is_lowercase) {
            return Form::Cursor;
        }
        if event.starts_with("Before") || event.starts_with("After") || event == "PreCompress" {
            return Form::Gemini;
        }
        if DEVIN_TOOLS.contains(&self.tool()) { Form::Devin } else { Form::Claude }
    }

    /// The client's name for the conversation.
    pub(super) fn session(&self) -> Option<&str> {
        let names = ["session_id", "sessionId", "conversation_id", "trajectory_id"];
        text(&self.said, &names).filter(|name| !name.trim().is_empty() && name.len() <= 200)
    }

    /// The folder that the client works in.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let first = || self.said.get("workspace_roots")?.get(0)?.as_str();
        text(&self.said, &["cwd"]).or_else(first).map(PathBuf::from)
    }

    /// The model, by the client's name for it.
    pub(super) fn model(&self) -> &str {
        text(&self.said, &["model", "model_name"]).unwrap_or_default()
    }

    /// The client, as far as it can be told.
    pub(super) fn client(&self) -> &'static str {
        let transcript = text(&self.said, &["transcript_path"]).unwrap_or_default();
        match self.form() {
            Form::Cursor => "Cursor",
            Form::Cascade | Form::Devin => "Windsurf",
            Form::Gemini => "Gemini CLI",
            Form::Copilot => "GitHub Copilot",
            Form::Claude if transcript.contains(".claude") => "Claude Code",
            Form::Claude if transcript.contains(".codex") => "Codex",
            Form::Claude if transcript.contains(".gemini") => "Gemini CLI",
            Form::Claude if self.said.get("sessionId").is_some() => "VS Code",
            Form::Claude => "unknown",
        }
    }

    /// What set the event off: `startup`, `compact`, `auto`, `clear`.
    pub(super) fn trigger(&self) -> &str {
        text(&self.said, &["trigger", "source", "reason"]).unwrap_or_default()
    }

    /// What the user typed.
    pub(in crate::hook) fn prompt(&self) -> Option<&str> {
        text(&self.said, &["prompt"])
    }

    /// The tool, by the client's name for it.
    pub(super) fn tool(&self) -> &str {
        text(&self.said, &["tool_name", "toolName", "agent_action_name"]).unwrap_or_default()
    }

    /// What the tool is given.
    pub(super) fn input(&self) -> &Value {
        &self.input
    }

    /// The command, when the tool is a shell.
    pub(super) fn command(&self) -> Option<&str> {
        let command = text(&self.input, &["command", "command_line", "cmd"])?;
        (!command.contains(super::edits::PATCH)).then_some(command)
    }

    /// The text of a file before it was edited, where the client tells it.
    pub(super) fn original(&self) -> Option<&str> {
        text(&self.response, &["originalFile", "original_file"])
    }

    /// Whether a tool did what it was asked; `None` where that is not told.
    pub(super) fn outcome(&self) -> Option<bool> {
        let event = self.event().unwrap_or_default();
        if event.ends_with("ToolUseFailure") {
            return Some(false);
        }
        for said in [&self.response, &self.input] {
            let code = ["exit_code", "exitCode", "returncode", "code"];
            if let Some(code) = code.iter().find_map(|name| said.get(name)?.as_i64()) {
                return Some(code == 0);
            }
        }
        let flag = |name: &str| self.response.get(name).and_then(Value::as_bool);
        if let Some(success) = flag("success") {
            return Some(success);
        }
        if let Some(kind) = text(&self.response, &["resultType", "result_type"]) {
            return Some(kind == "success");
        }
        if flag("is_error") == Some(true) || flag("isError") == Some(true) {
            return Some(false);
        }
        if flag("interrupted") == Some(true) {
            return None;
        }
        if text(&self.response, &["error"]).is_some_and(|error| !error.is_empty()) {
            return Some(false);
        }
        if let Some(code) = text(&self.response, &["llmContent"]).and_then(exit_code) {
            return Some(code == 0);
        }
        // Claude Code tells of a command that failed by another event.
        (event == "PostToolUse" && self.response.get("stdout").is_some()).then_some(true)
    }
}

/// The code in a line `Exit Code: 1`, as Gemini CLI tells it.
fn exit_code(text: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Exit Code:"))?;
    line.trim().parse().ok()
}

/// The first of these fields that there is; where it is a text that holds JSON, what that says.
fn unpacked(said: &Value, names: &[&str]) -> Value {
    let Some(found) = names.iter().find_map(|name| said.get(name)) else { return Value::Null };
    match found {
        Value::String(text) if text.trim_start().starts_with('{') => {
            serde_json::from_str(text).unwrap_or_else(|_| found.clone())
        }
        other => other.clone(),
    }
}

/// The first of these fields that is a text.
pub(super) fn text<'a>(said: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| said.get(name)?.as_str())
}
