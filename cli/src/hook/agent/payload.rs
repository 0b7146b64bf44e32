//! The input of a hook. The formats follow the documentation, as of November 2026, of Claude Code
//! (also used by Codex, VS Code and Devin), Cursor, Gemini CLI and Windsurf's Cascade. Every field
//! is looked up under all of its spellings, and all are optional.

use aidd_memory::outcomes::result_of_command;
use anyhow::{Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The payload format of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PayloadFormat {
    /// Claude Code, Codex, VS Code.
    Claude,
    /// Devin's own agents, which use the format of Claude Code and an older one.
    Devin,
    /// The Cursor editor.
    Cursor,
    /// Gemini CLI, for events that Claude Code does not have.
    Gemini,
    /// Windsurf's Cascade.
    Cascade,
    /// GitHub Copilot, with hooks set up in its own format.
    Copilot,
}

/// Devin's names of the tools that Claude Code calls Edit, Write and Bash.
const DEVIN_TOOLS: [&str; 4] = ["edit", "write", "exec", "multi_edit"];

/// The input of a hook.
#[derive(Debug)]
pub(in crate::hook) struct Payload {
    value: Value,
    input: Value,
    response: Value,
}

impl Payload {
    /// Parses the input of a hook.
    ///
    /// # Errors
    /// Fails when the input is not a JSON object.
    pub(in crate::hook) fn read(bytes: &[u8]) -> Result<Self> {
        let value: Value = match serde_json::from_slice(bytes) {
            Ok(value) => value,
            Err(error) => bail!("standard input is not JSON ({error})"),
        };
        if !value.is_object() {
            bail!("standard input is not a JSON object");
        }
        let input = parsed_field(&value, &["tool_input", "toolInput", "tool_info", "toolArgs"]);
        // Some Cursor events are about one tool and have its input at the top level.
        let input = if input.is_null() { value.clone() } else { input };
        let response_fields = ["tool_response", "tool_output", "toolResponse", "toolResult"];
        let response = parsed_field(&value, &response_fields);
        Ok(Self { value, input, response })
    }

    /// The client's name of the event.
    pub(in crate::hook) fn event(&self) -> Option<&str> {
        text(&self.value, &["hook_event_name", "hookEventName", "agent_action_name"])
    }

    pub(super) fn format(&self) -> PayloadFormat {
        if self.value.get("agent_action_name").is_some() {
            return PayloadFormat::Cascade;
        }
        if self.event().is_none() && self.value.get("toolArgs").is_some() {
            return PayloadFormat::Copilot;
        }
        let event = self.event().unwrap_or_default();
        if self.value.get("cursor_version").is_some() || event.starts_with(char::is_lowercase) {
            return PayloadFormat::Cursor;
        }
        if event.starts_with("Before") || event.starts_with("After") || event == "PreCompress" {
            return PayloadFormat::Gemini;
        }
        if DEVIN_TOOLS.contains(&self.tool()) {
            PayloadFormat::Devin
        } else {
            PayloadFormat::Claude
        }
    }

    /// The client's id of the conversation.
    pub(super) fn session(&self) -> Option<&str> {
        let names = ["session_id", "sessionId", "conversation_id", "trajectory_id"];
        text(&self.value, &names).filter(|name| !name.trim().is_empty() && name.len() <= 200)
    }

    /// The working directory of the client.
    pub(super) fn working_dir(&self) -> Option<PathBuf> {
        let first = || self.value.get("workspace_roots")?.get(0)?.as_str();
        text(&self.value, &["cwd"]).or_else(first).map(PathBuf::from)
    }

    /// The client's name of the model.
    pub(super) fn model(&self) -> &str {
        text(&self.value, &["model", "model_name"]).unwrap_or_default()
    }

    /// The client, if it can be detected.
    pub(super) fn client(&self) -> &'static str {
        let transcript = text(&self.value, &["transcript_path"]).unwrap_or_default();
        match self.format() {
            PayloadFormat::Cursor => "Cursor",
            PayloadFormat::Cascade | PayloadFormat::Devin => "Windsurf",
            PayloadFormat::Gemini => "Gemini CLI",
            PayloadFormat::Copilot => "GitHub Copilot",
            PayloadFormat::Claude if transcript.contains(".claude") => "Claude Code",
            PayloadFormat::Claude if transcript.contains(".codex") => "Codex",
            PayloadFormat::Claude if transcript.contains(".gemini") => "Gemini CLI",
            PayloadFormat::Claude if self.value.get("sessionId").is_some() => "VS Code",
            PayloadFormat::Claude => "unknown",
        }
    }

    /// The transcript of the conversation.
    pub(super) fn transcript(&self) -> Option<&Path> {
        text(&self.value, &["transcript_path"]).map(Path::new).filter(|path| path.is_absolute())
    }

    /// The trigger of the event: `startup`, `compact`, `auto`, `clear`.
    pub(super) fn trigger(&self) -> &str {
        text(&self.value, &["trigger", "source", "reason"]).unwrap_or_default()
    }

    /// The user's prompt.
    pub(in crate::hook) fn prompt(&self) -> Option<&str> {
        text(&self.value, &["prompt"])
    }

    /// The client's name of the tool.
    pub(super) fn tool(&self) -> &str {
        text(&self.value, &["tool_name", "toolName", "agent_action_name"]).unwrap_or_default()
    }

    /// The input of the tool.
    pub(super) fn input(&self) -> &Value {
        &self.input
    }

    /// The command, if the tool is a shell.
    pub(super) fn command(&self) -> Option<&str> {
        let command = text(&self.input, &["command", "command_line", "cmd"])?;
        (!command.contains(super::edits::PATCH)).then_some(command)
    }

    /// The text of a file before the edit, if the client sends it.
    pub(super) fn original(&self) -> Option<&str> {
        text(&self.response, &["originalFile", "original_file"])
    }

    /// Whether the checks of a shell command passed; `None` if unknown.
    pub(super) fn checks_passed(&self) -> Option<bool> {
        let command = self.command()?;
        let names = ["stdout", "output", "llmContent", "stderr"];
        let texts = names.iter().filter_map(|name| self.response.get(name)?.as_str());
        let output: Vec<&str> = texts.chain(self.response.as_str()).collect();
        result_of_command(command, self.outcome(), &output.join("\n"))
    }

    /// Whether a tool call succeeded; `None` if unknown.
    pub(super) fn outcome(&self) -> Option<bool> {
        let event = self.event().unwrap_or_default();
        if event.ends_with("ToolUseFailure") {
            return Some(false);
        }
        for value in [&self.response, &self.input] {
            let code = ["exit_code", "exitCode", "returncode", "code"];
            if let Some(code) = code.iter().find_map(|name| value.get(name)?.as_i64()) {
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
        // Claude Code reports a failed command with another event.
        (event == "PostToolUse" && self.response.get("stdout").is_some()).then_some(true)
    }
}

/// The code in a line `Exit Code: 1`, as Gemini CLI prints it.
fn exit_code(text: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Exit Code:"))?;
    line.trim().parse().ok()
}

/// The first of the fields `names` that exists; a string that contains JSON is parsed.
fn parsed_field(value: &Value, names: &[&str]) -> Value {
    let Some(field) = names.iter().find_map(|name| value.get(name)) else { return Value::Null };
    match field {
        Value::String(text) if text.trim_start().starts_with('{') => {
            serde_json::from_str(text).unwrap_or_else(|_| field.clone())
        }
        other => other.clone(),
    }
}

/// The first of the fields `names` that is a string.
pub(super) fn text<'a>(value: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| value.get(name)?.as_str())
}
