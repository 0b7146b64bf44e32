//! Servers of the Model Context Protocol.

use super::AgentContext;
use super::model::{AgentFile, Client, Purpose};
use aidd_engine::parse::values::{Datum, Value};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::paths::{below, parent_dir};
use aidd_engine::text::source::Span;

/// The key with the servers, and the key that another client uses.
pub(super) fn keys_of(file: AgentFile) -> Option<(&'static str, &'static str)> {
    match (file.client, file.purpose) {
        (Client::Copilot, Purpose::Mcp) => Some(("servers", "mcpServers")),
        (_, Purpose::Mcp) => Some(("mcpServers", "servers")),
        (Client::Gemini, Purpose::Settings) => Some(("mcpServers", "servers")),
        // Zed also lists extensions under this key, which have settings of their own.
        (Client::Zed, Purpose::Settings) => Some(("context_servers", "mcpServers")),
        (Client::Codex, Purpose::Settings) => Some(("mcp_servers", "mcpServers")),
        (Client::OpenCode, Purpose::Settings) => Some(("mcp", "mcpServers")),
        _ => None,
    }
}

/// The servers of the file, each with its name and the span of the name.
pub(super) fn servers<'c>(context: &'c AgentContext<'_, '_>) -> Vec<(usize, &'c str, Span)> {
    let Some((key, _)) = keys_of(context.file) else { return Vec::new() };
    let named = |(at, value): (usize, &'c Value)| {
        let (name, span) = value.key.as_ref()?;
        (value.datum == Datum::Map).then_some((at, name.as_str(), *span))
    };
    context.children(&[key]).filter_map(named).collect()
}

pub(super) fn mcp_shape(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((key, other)) = keys_of(context.file).filter(|_| context.data.broken.is_none()) else {
        return;
    };
    let client = context.file.client.name();
    // Visual Studio reads `servers` in `.mcp.json`.
    let is_own = context.file.purpose == Purpose::Mcp
        || matches!(context.file.client, Client::Codex | Client::OpenCode);
    if is_own
        && context.file.client != Client::Claude
        && context.at(&[key]).is_none()
        && let Some(at) = context.at(&[other])
        && let Some((_, span)) = &context.data.all[at].key
    {
        let client = if context.file.client == Client::Copilot { "VS Code" } else { client };
        let finding = report.at(*span, format!("{client} reads `{key}`, not `{other}`"));
        if context.file.client != Client::Codex {
            let edit = Edit::replace(*span, format!("\"{key}\""));
            finding.fix_unsafe(format!("Rename to `{key}`"), vec![edit]);
        }
        return;
    }
    if context.file.client == Client::OpenCode {
        opencode(context, report);
        return;
    }
    for (at, name, span) in servers(context) {
        let has = |key: &str| context.data.child(at, key).is_some();
        if !["command", "url", "httpUrl", "serverUrl"].iter().any(|key| has(key)) {
            if context.file.client == Client::Zed {
                continue;
            }
            // Codex merges the entry with that of the user's configuration.
            let is_part = context.file.client == Client::Codex;
            let is_comment = name.starts_with(['_', '/', '#', '$']);
            if is_comment {
                continue;
            }
            let is_disabled = has("disabled") || has("gallery") || is_part;
            if !is_disabled {
                report.at(span, format!("the server `{name}` has neither a command nor a URL"));
            }
            continue;
        }
        // A remote server without a type is read as a program without a command, except in plugins
        // of VS Code.
        let is_untyped = has("url") && !has("type") && !has("command");
        if context.file.client == Client::Claude && is_untyped && !is_in_other_plugin(context) {
            report
                .at(span, format!("the server `{name}` has a URL but no `type`"))
                .help("add `\"type\": \"http\"`; Claude Code refuses the entry otherwise");
        }
        for key in ["args", "env"] {
            let Some(value) = context.data.child(at, key) else { continue };
            let expected = if key == "args" { Datum::List } else { Datum::Map };
            if context.data.all[value].datum != expected {
                let what = if key == "args" { "a list of strings" } else { "an object of strings" };
                report.at(context.data.all[value].span, format!("`{key}` must be {what}"));
                continue;
            }
            // VS Code also accepts numbers and null as values of variables.
            let is_lenient = key == "env" && context.file.client == Client::Copilot;
            let is_other = |value: &&Value| match value.datum {
                Datum::Text(_) => false,
                Datum::Null | Datum::Number(_) => !is_lenient,
                _ => true,
            };
            let wrong = context.children_of(Some(value)).map(|(_, value)| value).find(is_other);
            if let Some(wrong) = wrong {
                report.at(wrong.span, format!("the values of `{key}` must be strings"));
            }
        }
    }
}

/// Whether the file belongs to a plugin that Claude Code does not load.
fn is_in_other_plugin(context: &AgentContext<'_, '_>) -> bool {
    let dir = parent_dir(context.source.path());
    let has = |path: &str| context.files.exists(&below(dir, path));
    has("plugin.json") && !has(".claude-plugin/plugin.json")
}

/// The servers of OpenCode, whose commands are lists.
fn opencode(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    for (at, name, span) in servers(context) {
        let value = |key: &str| context.data.child(at, key).map(|at| &context.data.all[at]);
        let kind = value("type").and_then(super::string).map(|(kind, _)| kind);
        if let Some(command) = value("command").filter(|it| matches!(it.datum, Datum::Text(_))) {
            report
                .at(command.span, "`command` must be a list of strings")
                .help("write the program and its arguments as a list");
        } else if kind == Some("local") && value("command").is_none() {
            report.at(span, format!("the server `{name}` has no command"));
        } else if kind == Some("remote") && value("url").is_none() {
            report.at(span, format!("the server `{name}` has no URL"));
        }
        if let Some((_, key)) = value("env").and_then(|value| value.key.as_ref()) {
            report
                .at(*key, "OpenCode reads `environment`, not `env`")
                .fix_unsafe("Rename", vec![Edit::replace(*key, "\"environment\"")]);
        }
    }
}

pub(super) fn mcp_plain_http(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    for (at, ..) in servers(context) {
        for key in ["url", "httpUrl", "serverUrl"] {
            let value = context.data.child(at, key);
            let value = value.and_then(|at| super::string(&context.data.all[at]));
            let Some((url, span)) = value else { continue };
            let Some(rest) = url.strip_prefix("http://") else { continue };
            let host = rest.split(['/', ':', '?']).next().unwrap_or(rest);
            // A host without a dot, such as `host.docker.internal`, is on this machine or network.
            let is_local = !host.contains('.')
                || host.starts_with("127.")
                || host.starts_with("0.0.0.0")
                || host.starts_with("10.")
                || host.starts_with("192.168.")
                || is_private(host)
                || host.ends_with(".internal")
                || host.ends_with(".local")
                || host.ends_with(".localhost")
                || rest.starts_with(['[', '$', '{', '<']);
            if !is_local {
                report.at(span, "the connection to the server is not encrypted").help("use https");
            }
        }
    }
}

/// Whether a host is in the private network 172.16.0.0/12.
fn is_private(host: &str) -> bool {
    let second = host.strip_prefix("172.").and_then(|rest| rest.split('.').next()?.parse().ok());
    second.is_some_and(|second: u8| (16..32).contains(&second))
}

pub(super) fn mcp_unpinned(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    for (at, ..) in servers(context) {
        let command = context.data.child(at, "command");
        let command = command.and_then(|at| super::string(&context.data.all[at]));
        if !command.is_some_and(|(command, _)| matches!(command, "npx" | "bunx" | "uvx")) {
            continue;
        }
        let arguments = context.children_of(context.data.child(at, "args"));
        let arguments: Vec<(&str, Span)> =
            arguments.filter_map(|(_, value)| super::string(value)).collect();
        // Without these options, npx runs the version that the project has installed.
        let is_download = |(argument, _): &(&str, Span)| {
            matches!(*argument, "-y" | "--yes") || argument.ends_with("@latest")
        };
        let is_uvx = command.is_some_and(|(command, _)| command == "uvx");
        if !is_uvx && !arguments.iter().any(is_download) {
            continue;
        }
        let mut operands = arguments.into_iter();
        // An option such as `--from` or `-p` is followed by the package.
        let package = operands.find(|(argument, _)| !argument.starts_with('-'));
        let Some((package, span)) = package else { continue };
        let name = package.strip_prefix('@').unwrap_or(package);
        let version = name.split_once(['@', '=']).map(|(_, version)| version);
        let is_local = package.starts_with(['.', '/', '$', '~']) || package.contains("://");
        if !is_local && version.is_none_or(|version| version == "latest") {
            report
                .at(span, format!("`{package}` starts the latest version, whatever it contains"))
                .help("add the version that was reviewed");
        }
    }
}

pub(super) fn mcp_undefined_input(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if (context.file.client, context.file.purpose) != (Client::Copilot, Purpose::Mcp) {
        return;
    }
    let ids: Vec<String> = context
        .children(&["inputs"])
        .filter_map(|(at, _)| context.data.text(context.data.child(at, "id")?))
        .collect();
    const OPEN: &str = "${input:";
    let values = context.data.all.iter().filter(|value| matches!(value.datum, Datum::Text(_)));
    for value in values {
        let mut from = value.span.start as usize;
        for (at, part) in context.source.slice(value.span).split(OPEN).enumerate() {
            if let Some((id, _)) = part.split_once('}').filter(|_| at > 0)
                && !ids.iter().any(|known| known == id)
            {
                report
                    .at(
                        Span::new(from, from + id.len()),
                        format!("the input `{id}` is not declared"),
                    )
                    .help("add an entry with this `id` to `inputs`");
            }
            from += part.len() + OPEN.len();
        }
    }
}
