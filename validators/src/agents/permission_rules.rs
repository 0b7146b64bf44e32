//! Permission rules and values of settings that have no effect.

use super::AgentContext;
use super::model::{Client, Purpose};
use super::permissions::split_rule;
use super::vendors::names;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::source::Span;
use std::collections::HashSet;

/// Tools whose rules with a path are never consulted; those of `Edit` apply to them.
const WRITERS: [&str; 2] = ["MultiEdit", "Write"];

fn is_claude_settings(context: &AgentContext<'_, '_>) -> bool {
    context.file.client == Client::Claude && context.file.purpose == Purpose::Settings
}

pub(super) fn permission_syntax(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if !is_claude_settings(context) {
        return;
    }
    let rules = |list: &'static str| {
        context.children(&["permissions", list]).filter_map(|(_, value)| super::string(value))
    };
    let rules_of = |list| rules(list).map(|(rule, _)| rule).collect::<HashSet<&str>>();
    let denied = rules_of("deny");
    for list in ["allow", "ask", "deny"] {
        let same_list = rules_of(list);
        let edited: HashSet<&str> = same_list
            .iter()
            .filter_map(|rule| split_rule(rule).1.filter(|_| split_rule(rule).0 == "Edit"))
            .collect();
        for (rule, span) in rules(list) {
            if rule.contains('(') != rule.trim_end().ends_with(')') {
                let what = match rule.split_once('(') {
                    Some((_, rest)) if rest.contains(')') => "has text after its parenthesis",
                    _ => "lacks a parenthesis",
                };
                let message = format!("`{rule}` {what}, so it matches nothing");
                report.at(span, message).help("write `Tool(specifier)`");
                continue;
            }
            if list != "deny" && denied.contains(rule) {
                let message = format!("`{rule}` has no effect, because `deny` has the same rule");
                report.at(span, message).help("remove one of the rules");
            }
            let (tool, specifier) = split_rule(rule);
            // `Tool(*)` means `Tool`.
            let Some(specifier) = specifier.filter(|it| *it != "*") else { continue };
            if WRITERS.contains(&tool) {
                // The same list has the rule that is consulted.
                if [tool, "Edit"].iter().any(|other| same_list.contains(other))
                    || edited.contains(specifier)
                {
                    continue;
                }
                let consulted = format!("Edit({specifier})");
                report
                    .at(span, format!("Claude Code does not consult `{rule}`"))
                    .help(format!("write `{consulted}`, which applies to all tools that write"))
                    .fix_unsafe("Use `Edit`", edit(context, span, rule, &consulted));
            } else if matches!(tool, "Edit" | "Read")
                && ["/Users/", "/home/"].iter().any(|start| specifier.starts_with(start))
            {
                let absolute = format!("{tool}(/{specifier})");
                report
                    .at(span, format!("the path of `{rule}` is relative to the project root"))
                    .help("an absolute path begins with `//`, one in the home directory with `~/`")
                    .fix_unsafe("Make the path absolute", edit(context, span, rule, &absolute));
            } else if tool == "WebSearch" && specifier.contains(['*', '?']) {
                let finding = report.at(span, format!("Claude Code refuses `{rule}`"));
                finding.help("write `WebSearch`; searches have no wildcards");
                // Versions differ in what they accept.
                finding.severity = finding.severity.min(Severity::Info);
            } else if tool == "WebFetch" && !specifier.starts_with("domain:") {
                let finding = report.at(span, format!("Claude Code refuses `{rule}`"));
                finding.help("write `WebFetch(domain:example.com)`, or `WebFetch` for all domains");
                finding.severity = finding.severity.min(Severity::Info);
                if let Some(host) = host(specifier) {
                    let domain = format!("WebFetch(domain:{host})");
                    finding.fix_unsafe("Name the domain", edit(context, span, rule, &domain));
                }
            }
        }
    }
}

/// The host of a pattern such as `https://example.com/*`.
fn host(pattern: &str) -> Option<&str> {
    let (_, rest) = pattern.split_once("://")?;
    let host = rest.split(['/', ':']).next()?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    (host.contains('.') && host.chars().all(is_host)).then_some(host)
}

/// Replaces the text of a string in quotes.
fn edit(context: &AgentContext<'_, '_>, span: Span, old: &str, new: &str) -> Vec<Edit> {
    let written = context.source.slice(span);
    vec![Edit::replace(span, written.replacen(old, new, 1))]
}

pub(super) fn ignored_setting(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if !is_claude_settings(context) {
        return;
    }
    for (list, reader) in
        [("managed-settings", "managed settings"), ("user-settings", "the user's own settings")]
    {
        let Some(keys) = names("claude", list) else { continue };
        for (_, value) in context.children(&[]) {
            let Some((key, span)) = value.key.as_ref().filter(|(key, _)| keys.has(key)) else {
                continue;
            };
            let message = format!("Claude Code reads `{key}` only from {reader}");
            keys.report_unknown(report, *span, message);
        }
    }
}

/// The keys whose values are words of a list of the client: the purpose of the file, the path of the
/// key, and the list.
const VALUES: &[(Client, Purpose, &[&str], &str)] = &[
    (Client::Claude, Purpose::Agent, &["model"], "models"),
    (Client::Claude, Purpose::Agent, &["permissionMode"], "permission-modes"),
    (Client::Claude, Purpose::Agent, &["memory"], "memory-scopes"),
    (Client::Claude, Purpose::Settings, &["permissions", "defaultMode"], "permission-modes"),
    (Client::Codex, Purpose::Definition, &["sandbox_mode"], "sandbox-modes"),
    (Client::Codex, Purpose::Settings, &["approval_policy"], "approval-policies"),
    (Client::Codex, Purpose::Settings, &["sandbox_mode"], "sandbox-modes"),
    (Client::Copilot, Purpose::Agent, &["target"], "targets"),
    (Client::Kiro, Purpose::Rule, &["inclusion"], "inclusions"),
    (Client::OpenCode, Purpose::Agent, &["mode"], "modes"),
    (Client::OpenCode, Purpose::Settings, &["permission"], "permissions"),
    (Client::OpenCode, Purpose::Settings, &["permission", "bash"], "permissions"),
    (Client::OpenCode, Purpose::Settings, &["permission", "edit"], "permissions"),
    (Client::OpenCode, Purpose::Settings, &["permission", "webfetch"], "permissions"),
    (Client::OpenCode, Purpose::Settings, &["share"], "shares"),
];

pub(super) fn unknown_value(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.data.broken.is_some() {
        return;
    }
    let client = match context.file.client {
        Client::Claude => "claude",
        Client::Codex => "codex",
        Client::Copilot => "copilot",
        Client::Kiro => "kiro",
        Client::OpenCode => "opencode",
        _ => return,
    };
    for (_, _, keys, list) in
        VALUES.iter().filter(|it| (it.0, it.1) == (context.file.client, context.file.purpose))
    {
        let Some((value, span)) = context.text(keys) else { continue };
        let Some(known) = names(client, list) else { continue };
        // Full names of models, and placeholders of templates, are not words.
        let is_word = value.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_'));
        if value.is_empty() || !is_word || known.has(value) || value.starts_with("claude-") {
            continue;
        }
        let key = keys.last().copied().unwrap_or_default();
        let message = match known.nearest(value) {
            Some(near) => format!("`{value}` is not a value of `{key}`; did you mean `{near}`?"),
            None => format!("`{value}` is not a value of `{key}`"),
        };
        known.report_unknown(report, span, message);
    }
}
