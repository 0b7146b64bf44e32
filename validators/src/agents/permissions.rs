//! Permissions of agents, and settings that weaken the protection of the user.

use super::AgentContext;
use super::model::{Client, Purpose};
use super::vendors::names;
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::paths::below;
use aidd_engine::text::source::Span;
use std::collections::BTreeSet;

/// Programs that run any other program or code.
const RUNNERS: [&str; 16] = [
    "bash", "bunx", "env", "eval", "node", "npx", "perl", "python", "python3", "ruby", "sh", "ssh",
    "sudo", "uvx", "xargs", "zsh",
];
/// Commands that destroy work, with any arguments.
const DESTRUCTIVE: [&str; 5] =
    ["git push --force", "git push -f", "git reset --hard", "rm -rf", "rm -fr"];

fn is_claude_settings(context: &AgentContext<'_, '_>) -> bool {
    context.file.client == Client::Claude && context.file.purpose == Purpose::Settings
}

/// Whether the file is `.claude/settings.local.json`, which Git ignores and only one user reads.
fn is_local(context: &AgentContext<'_, '_>) -> bool {
    context.source.path().ends_with("/settings.local.json")
        || context.source.path() == "settings.local.json"
}

/// Whether the file contains settings of Claude Code for everyone who opens the project.
fn is_shared_claude_settings(context: &AgentContext<'_, '_>) -> bool {
    is_claude_settings(context) && !is_local(context)
}

/// The tool of a permission rule, and its specifier: `Bash(git log:*)`.
pub(super) fn split_rule(rule: &str) -> (&str, Option<&str>) {
    match rule.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').unwrap_or(rest))),
        None => (rule, None),
    }
}

pub(super) fn permission_broad(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if !is_shared_claude_settings(context) {
        return;
    }
    let rules = context.children(&["permissions", "allow"]);
    let mut prefixes: Vec<(&str, &str, Span)> = rules
        .filter_map(|(_, value)| {
            let (rule, span) = super::string(value)?;
            let (tool, specifier) = split_rule(rule);
            let command = specifier.unwrap_or("*").strip_suffix('*').filter(|_| tool == "Bash")?;
            Some((rule, command.trim_end_matches([':', ' ']), span))
        })
        .collect();
    // If every command is allowed, the other rules change nothing.
    if let Some(every) = prefixes.iter().find(|(_, prefix, _)| prefix.is_empty()) {
        prefixes = vec![*every];
    }
    for (rule, prefix, span) in prefixes {
        let message = if prefix.is_empty() {
            format!("`{rule}` allows every shell command without asking")
        } else if RUNNERS.contains(&prefix) {
            format!("`{rule}` allows every command, because {prefix} runs any program")
        } else if DESTRUCTIVE.contains(&prefix) {
            format!("`{rule}` allows a command that destroys work without asking")
        } else {
            continue;
        };
        report
            .at(span, message)
            .help("allow the commands that the project needs, each with its prefix");
    }
}

pub(super) fn permission_mode(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if is_local(context) {
        return;
    }
    let help = "remove the setting; each user can choose it for their own machine";
    let mut add = |span: Span, message: &str| {
        let finding = report.at(span, message);
        finding.help(help);
        // Zed reads the settings of its agent from the user's file only.
        if context.file.client == Client::Zed {
            finding.severity = finding.severity.min(Severity::Info);
        }
    };
    match (context.file.client, context.file.purpose) {
        (Client::Claude, Purpose::Settings) => {
            let mode = context.text(&["permissions", "defaultMode"]);
            if let Some((_, span)) = mode.filter(|(mode, _)| *mode == "bypassPermissions") {
                add(
                    span,
                    "`bypassPermissions` turns off all permission prompts for everyone whose Claude Code version accepts it from a project",
                );
            }
            if let Some(span) = context.is_true(&["skipDangerousModePermissionPrompt"]) {
                add(span, "the warning before `bypassPermissions` is turned off for everyone");
            }
        }
        (Client::Codex, Purpose::Settings) => {
            let sandbox = context.text(&["sandbox_mode"]);
            let approval = context.text(&["approval_policy"]);
            if let (Some(("danger-full-access", span)), Some(("never", _))) = (sandbox, approval) {
                add(span, "Codex runs every command without a sandbox and without asking");
            }
        }
        (Client::Gemini, Purpose::Settings) => {
            for (server, _) in context.children(&["mcpServers"]) {
                let trust = context.data.child(server, "trust").map(|at| &context.data.all[at]);
                if let Some(trust) = trust.filter(|trust| trust.datum == Datum::Bool(true)) {
                    add(trust.span, "`trust` runs all tools of the server without asking");
                }
            }
        }
        (Client::Zed, Purpose::Settings) => {
            let allows = context.text(&["agent", "tool_permissions", "default"]);
            let spans = [
                allows.filter(|(text, _)| *text == "allow").map(|(_, span)| span),
                context.is_true(&["agent", "always_allow_tool_actions"]),
            ];
            for span in spans.into_iter().flatten() {
                add(
                    span,
                    "Zed would run all tools without asking; it ignores this setting in projects",
                );
            }
        }
        (Client::Kiro, Purpose::Mcp) => {
            for (server, _) in context.children(&["mcpServers"]) {
                let approved = context.data.child(server, "autoApprove");
                for (_, value) in context.children_of(approved) {
                    if let Some(("*", span)) = super::string(value) {
                        add(span, "`autoApprove: *` runs all tools of the server without asking");
                    }
                }
            }
        }
        _ => {}
    }
    for (command, span) in super::hooks::commands(context) {
        if ["--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox"]
            .iter()
            .any(|flag| command.contains(flag))
        {
            add(span, "the hook starts an agent without permission checks");
        }
    }
}

pub(super) fn mcp_auto_approve(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if is_shared_claude_settings(context)
        && let Some(span) = context.is_true(&["enableAllProjectMcpServers"])
    {
        let message = "every MCP server that somebody adds to the repository starts without asking";
        let finding = report.at(span, message);
        finding.help("list the reviewed servers in `enabledMcpjsonServers`");
        // Without a file with servers, none starts yet.
        if !context.files.exists(&below(context.project_dir(), ".mcp.json")) {
            finding.severity = Severity::Info;
        }
    }
}

/// Variables with the address of a service that receives keys and conversations.
const ENDPOINTS: [&str; 4] =
    ["ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "OPENAI_API_BASE", "OPENAI_BASE_URL"];
/// Hosts of the vendors and of this machine, and domains of private networks.
const OWN_HOSTS: [&str; 13] = [
    "anthropic.com",
    "openai.com",
    "amazonaws.com",
    "azure.com",
    "googleapis.com",
    "localhost",
    "host.docker.internal",
    "127.0.0.1",
    "::1",
    "corp",
    "internal",
    "lan",
    "local",
];

pub(super) fn endpoint_override(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if !is_shared_claude_settings(context) {
        return;
    }
    for (_, value) in context.children(&["env"]) {
        let Some((name, _)) = value.key.as_ref() else { continue };
        let Some((url, span)) = super::string(value).filter(|_| ENDPOINTS.contains(&&**name))
        else {
            continue;
        };
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = host.split(['/', '?']).next().unwrap_or(host);
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let host = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or(rest),
            None => host.split(':').next().unwrap_or(host),
        };
        let is_own = |own: &str| host == own || host.ends_with(&format!(".{own}"));
        if !host.is_empty() && !host.contains('$') && !OWN_HOSTS.iter().any(|own| is_own(own)) {
            report
                .at(
                    span,
                    format!("`{name}` sends the keys and conversations of everyone to `{host}`"),
                )
                .help("set the variable in the user's own settings");
        }
    }
}

/// Minimum number of unknown settings that shows that the author invented the format.
const MIN_INVENTED: usize = 3;

pub(super) fn settings_key(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let client = match (context.file.client, context.file.purpose) {
        (Client::Claude, Purpose::Settings) => "claude",
        (Client::OpenCode, Purpose::Settings) => "opencode",
        _ => return,
    };
    let Some(keys) = names(client, "settings") else { return };
    let present: BTreeSet<&str> = context
        .children(&[])
        .filter_map(|(_, value)| value.key.as_ref().map(|(key, _)| key.as_str()))
        .collect();
    let near_name = |key: &str| {
        keys.names().find(|known| {
            let distance = strsim::osa_distance(key, known);
            // Version 2 of OpenCode reads the plural of some names.
            let is_plural = client == "opencode" && key.strip_suffix('s') == Some(*known);
            !is_plural && (distance == 1 || distance == 2 && key.len() > 6)
        })
    };
    // Settings in a format of the author's own are no misspellings.
    let is_invented = |key: &&&str| !keys.has(key) && near_name(key).is_none();
    if present.iter().filter(is_invented).count() >= MIN_INVENTED {
        return;
    }
    for (_, value) in context.children(&[]) {
        let Some((key, span)) = value.key.as_ref() else { continue };
        let Some(near) = near_name(key).filter(|_| !keys.has(key)) else { continue };
        let message = format!("unknown setting `{key}`; did you mean `{near}`?");
        let finding = keys.report_unknown(report, *span, message);
        // A second key of the same name would replace the value of the first one.
        if !present.contains(near) {
            let edit = Edit::replace(*span, format!("\"{near}\""));
            finding.fix_unsafe(format!("Rename to `{near}`"), vec![edit]);
        }
    }
}

/// Events whose matcher is the name of a tool.
const TOOL_EVENTS: [&str; 5] =
    ["PermissionDenied", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PreToolUse"];

pub(super) fn unknown_tool(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(tools) = names("claude", "tools").filter(|_| context.file.client == Client::Claude)
    else {
        return;
    };
    let mut named: Vec<(String, Span)> = Vec::new();
    match context.file.purpose {
        Purpose::Settings | Purpose::Hooks => {
            for list in ["allow", "ask", "deny"] {
                let rules = context.children(&["permissions", list]);
                named.extend(
                    rules
                        .filter_map(|(_, value)| super::string(value))
                        .map(|(rule, span)| (split_rule(rule).0.trim().to_owned(), span)),
                );
            }
            for event in TOOL_EVENTS {
                for (group, _) in context.children(&["hooks", event]) {
                    let matcher = context.data.child(group, "matcher");
                    let matcher = matcher.and_then(|at| super::string(&context.data.all[at]));
                    let Some((matcher, span)) = matcher else { continue };
                    named.extend(matcher.split('|').map(|name| (name.trim().to_owned(), span)));
                }
            }
        }
        Purpose::Agent | Purpose::Command if context.data.broken.is_none() => {
            // Claude Code reads only `allowed-tools` of commands.
            let is_read = |key: &&&str| context.file.purpose == Purpose::Agent || key.contains('-');
            for key in ["tools", "disallowedTools", "allowed-tools"].iter().filter(is_read) {
                let items = context.children(&[key]).filter_map(|(_, value)| super::string(value));
                named
                    .extend(items.map(|(rule, span)| (split_rule(rule).0.trim().to_owned(), span)));
                if let Some((text, span)) = context.text(&[key]) {
                    let rules = without_specifiers(text);
                    named
                        .extend(rules.split([',', ' ']).map(|name| (name.trim().to_owned(), span)));
                }
            }
        }
        _ => return,
    }
    for (name, span) in named {
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic());
        if !is_name || tools.has(&name) {
            continue;
        }
        let message = format!("`{name}` is not a tool of Claude Code");
        // The start of a name is not a misspelling of it.
        let is_former = |near: &str| names("claude", "former-tools").is_some_and(|it| it.has(near));
        let near = tools.nearest(&name);
        let near = near.filter(|near| !near.starts_with(name.as_str()) && !is_former(near));
        let finding = tools.report_unknown(report, span, message);
        if let Some(near) = near {
            finding.message =
                format!("`{name}` is not a tool of Claude Code; did you mean `{near}`?");
        }
    }
}

/// A list of permission rules without the text in parentheses, which can contain separators.
fn without_specifiers(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}
