//! The shape of hooks: groups without hooks, and hooks without the field that their kind requires.

use super::AgentContext;
use super::model::{Client, Purpose};
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::source::Span;

/// The kinds of hooks of Claude Code, each with the fields that it requires.
const KINDS: &[(&str, &[&str])] = &[
    ("agent", &["prompt"]),
    ("command", &["command"]),
    ("http", &["url"]),
    ("mcp_tool", &["server", "tool"]),
    ("prompt", &["prompt"]),
];
/// The fields of which a hook of Copilot has one.
const COPILOT_COMMANDS: [&str; 6] = ["bash", "command", "exec", "powershell", "prompt", "url"];

pub(super) fn hook_shape(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.data.broken.is_some() {
        return;
    }
    match (context.file.client, context.file.purpose) {
        (Client::Claude, Purpose::Settings | Purpose::Hooks) => grouped(context, true, report),
        (Client::Gemini, Purpose::Settings) | (Client::Codex, Purpose::Hooks) => {
            grouped(context, false, report);
        }
        (Client::Cursor, Purpose::Hooks) => flat(context, &["command", "prompt"], report),
        (Client::Windsurf, Purpose::Hooks) => flat(context, &["command", "powershell"], report),
        (Client::Copilot, Purpose::Hooks) => flat(context, &COPILOT_COMMANDS, report),
        _ => {}
    }
}

/// Hooks in groups, each with a matcher: `event: [{ matcher, hooks: [hook] }]`.
fn grouped(context: &AgentContext<'_, '_>, is_claude: bool, report: &mut Report<'_>) {
    for (event, value) in context.children(&["hooks"]) {
        let Some((name, key)) = value.key.as_ref() else { continue };
        // Gemini CLI has other settings under this key.
        if value.datum != Datum::List {
            if is_claude && value.datum == Datum::Map {
                report.at(*key, format!("the hooks of `{name}` must be a list")).help(
                    "write `[{ \"hooks\": [{ \"type\": \"command\", \"command\": \"…\" }] }]`",
                );
            }
            continue;
        }
        for (group, value) in context.children_of(Some(event)) {
            let Some(hooks) = context.data.child(group, "hooks") else {
                let message = "a group without `hooks` runs nothing";
                let help = "put the hooks into the list `hooks`, next to `matcher`";
                report.at(first_key(context, group).unwrap_or(value.span), message).help(help);
                continue;
            };
            for (hook, value) in context.children_of(Some(hooks)) {
                let span = first_key(context, hook).unwrap_or(value.span);
                if is_claude {
                    check_kind(context, hook, span, report);
                }
                timeout(context, hook, report);
            }
        }
    }
}

fn check_kind(context: &AgentContext<'_, '_>, hook: usize, span: Span, report: &mut Report<'_>) {
    let value = |key: &str| context.data.child(hook, key).map(|at| &context.data.all[at]);
    let Some((kind, at)) = value("type").and_then(super::string) else {
        if value("type").is_none() && context.data.all[hook].datum == Datum::Map {
            let message = "a hook without `type` is refused";
            report.at(span, message).help("add `\"type\": \"command\"`");
        }
        return;
    };
    let Some((_, required)) = KINDS.iter().find(|(name, _)| *name == kind) else { return };
    for key in required.iter().filter(|key| value(key).is_none()) {
        report
            .at(at, format!("a hook of the type `{kind}` needs `{key}`"))
            .help(format!("add `{key}`"));
    }
}

/// Hooks directly in the list of an event: `event: [hook]`.
fn flat(context: &AgentContext<'_, '_>, commands: &[&str], report: &mut Report<'_>) {
    for (event, value) in context.children(&["hooks"]) {
        if value.datum != Datum::List {
            continue;
        }
        for (hook, value) in context.children_of(Some(event)) {
            let has = |key: &str| context.data.child(hook, key).is_some();
            let span = first_key(context, hook).unwrap_or(value.span);
            if has("hooks") && !commands.iter().any(|key| has(key)) {
                let client = context.file.client.name();
                report
                    .at(span, format!("{client} does not read groups of hooks"))
                    .help("put the hooks directly into the list of the event");
            } else if value.datum == Datum::Map && !commands.iter().any(|key| has(key)) {
                report.at(span, "the hook has no command").help("add `command`");
            }
            timeout(context, hook, report);
        }
    }
}

/// The span of the first key of an object, which is short.
fn first_key(context: &AgentContext<'_, '_>, at: usize) -> Option<Span> {
    let (_, value) = context.children_of(Some(at)).next()?;
    value.key.as_ref().map(|(_, span)| *span)
}

fn timeout(context: &AgentContext<'_, '_>, hook: usize, report: &mut Report<'_>) {
    let keys = ["timeout", "timeoutSec"].into_iter();
    for at in keys.filter_map(|key| context.data.child(hook, key)) {
        let value = &context.data.all[at];
        let Datum::Number(text) = &value.datum else { continue };
        let Ok(number) = text.parse::<f64>() else { continue };
        if number <= 0.0 {
            report.at(value.span, "the timeout must be greater than 0");
        } else if context.file.client == Client::Gemini && number < 300.0 {
            let message = format!("the timeout is {text} milliseconds, not seconds");
            let finding = report.at(value.span, message);
            finding.help(format!("write `{text}000` for {text} seconds"));
            finding.severity = Severity::Warning;
        }
    }
}
