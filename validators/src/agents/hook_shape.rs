//! The shape of hooks: groups without hooks, and hooks without the field that their kind requires.

use super::model::{Client, Purpose};
use super::vendors::names;
use super::{AgentContext, hooks};
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Finding, Severity};
use aidd_engine::text::source::Span;
use oxc_allocator::Allocator;
use oxc_regular_expression::{LiteralParser, Options};

/// The kinds of hooks of Claude Code, each with the fields that it requires.
const KINDS: &[(&str, &[&str])] = &[
    ("agent", &["prompt"]),
    ("command", &["command"]),
    ("http", &["url"]),
    ("mcp_tool", &["server", "tool"]),
    ("prompt", &["prompt"]),
];
/// The fields of which a hook of Copilot has one.
const COPILOT_COMMANDS: [&str; 9] =
    ["bash", "command", "exec", "linux", "osx", "powershell", "prompt", "url", "windows"];

/// Matchers that match everything.
const MATCH_ALL: [&str; 3] = ["", "*", ".*"];
/// Maximum length of a matcher that is parsed: the parser recurses.
const MAX_MATCHER_BYTES: usize = 200;
/// An event whose matcher is a list of names of files.
const FILE_EVENT: &str = "FileChanged";

/// How many more values with the same defect a finding points to.
const MAX_RELATED: usize = 20;

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
        if is_unknown(context, name) {
            continue;
        }
        let groups = context.children_of(Some(event));
        let without: Vec<Span> = groups
            .filter(|(group, _)| context.data.child(*group, "hooks").is_none())
            .map(|(group, value)| first_key(context, group).unwrap_or(value.span))
            .collect();
        let one = "a group without `hooks` runs nothing";
        if let Some(finding) = once(&without, one, "groups without `hooks` run nothing", report) {
            finding.help("put the hooks into the list `hooks`, next to `matcher`");
        }
        for (group, _) in context.children_of(Some(event)) {
            if is_claude {
                matcher(context, group, name, report);
            }
            let Some(hooks) = context.data.child(group, "hooks") else { continue };
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

/// Reports a matcher that the client ignores, and one that it cannot read.
fn matcher(context: &AgentContext<'_, '_>, group: usize, event: &str, report: &mut Report<'_>) {
    let value = context.data.child(group, "matcher").map(|at| &context.data.all[at]);
    let Some((text, span)) = value.and_then(super::string) else { return };
    if MATCH_ALL.contains(&text) {
        return;
    }
    let ignoring = names("claude", "events-without-matcher");
    if let Some(ignoring) = ignoring.filter(|events| events.has(event)) {
        let message =
            format!("Claude Code ignores the matcher of `{event}`, so the hook always runs");
        ignoring.report_unknown(report, span, message).severity = Severity::Info;
    } else if event != FILE_EVENT && text.len() <= MAX_MATCHER_BYTES && !is_expression(text) {
        let message = format!("`{text}` is not a valid regular expression, so the hook never runs");
        let finding = report.at(span, message);
        finding.help("name the tools, separated by `|`, or correct the expression");
    }
}

/// Whether the text is a regular expression of JavaScript.
fn is_expression(text: &str) -> bool {
    let allocator = Allocator::default();
    LiteralParser::new(&allocator, text, None, Options::default()).parse().is_ok()
}

/// Reports a defect of several values of an event once, because it is usually the same in all of them.
/// `one` is the message for a single value, and `many` follows the number of values.
fn once<'r>(
    spans: &[Span],
    one: &str,
    many: &str,
    report: &'r mut Report<'_>,
) -> Option<&'r mut Finding> {
    let (first, others) = spans.split_first()?;
    let message = match others.len() {
        0 => one.to_owned(),
        _ => format!("{} {many}", spans.len()),
    };
    let finding = report.at(*first, message);
    for span in others.iter().take(MAX_RELATED) {
        finding.related(*span, "the same defect");
    }
    Some(finding)
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
        let name = value.key.as_ref().map_or("", |(name, _)| name);
        if value.datum != Datum::List || is_unknown(context, name) {
            continue;
        }
        let (mut groups, mut empty) = (Vec::new(), Vec::new());
        for (hook, value) in context.children_of(Some(event)) {
            let has = |key: &str| context.data.child(hook, key).is_some();
            let span = first_key(context, hook).unwrap_or(value.span);
            if !commands.iter().any(|key| has(key)) {
                if has("hooks") {
                    // VS Code reads the hooks of groups in files of Copilot.
                    if context.file.client != Client::Copilot {
                        groups.push(span);
                    }
                } else if value.datum == Datum::Map {
                    empty.push(span);
                }
            }
            timeout(context, hook, report);
        }
        let client = context.file.client.name();
        let message = format!("{client} does not read groups of hooks");
        let many = format!("groups of hooks, which {client} does not read");
        if let Some(finding) = once(&groups, &message, &many, report) {
            finding.help("put the hooks directly into the list of the event");
        }
        if let Some(finding) =
            once(&empty, "the hook has no command", "hooks have no command", report)
        {
            finding.help("add `command`");
        }
    }
}

/// Whether the client does not know the event. Another rule reports it; the shape of its hooks
/// matters only after that.
fn is_unknown(context: &AgentContext<'_, '_>, event: &str) -> bool {
    hooks::events(context).is_some_and(|events| !events.has(event))
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
        }
    }
}
