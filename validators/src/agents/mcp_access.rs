//! Servers of the Model Context Protocol that reach the whole machine, and servers of one name that
//! differ between clients.

use super::AgentContext;
use super::mcp::{keys_of, servers};
use super::model::classify;
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::paths::below;
use aidd_engine::text::source::Span;
use std::collections::HashMap;

/// Directories that contain the files of all projects.
const ROOTS: [&str; 9] =
    ["/", "~", "~/", "$HOME", "${HOME}", "${env:HOME}", "C:\\", "C:/", "/home"];

pub(super) fn mcp_broad_access(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    for (at, ..) in servers(context) {
        let command = context.data.child(at, "command").map(|at| &context.data.all[at]);
        let is_docker = command
            .and_then(super::string)
            .is_some_and(|(command, _)| matches!(command, "docker" | "podman"));
        let arguments = context.children_of(context.data.child(at, "args"));
        let arguments: Vec<(&str, Span)> =
            arguments.filter_map(|(_, value)| super::string(value)).collect();
        let is_files = arguments.iter().any(|(text, _)| text.contains("server-filesystem"));
        for (text, span) in arguments {
            let message = if is_files && ROOTS.contains(&text) {
                "the server reads and writes all files of the machine or the user"
            } else if is_docker && text == "--privileged" {
                "a privileged container has all rights on the machine"
            } else if is_docker && text.contains("/var/run/docker.sock") {
                "a container with the socket of Docker has all rights on the machine"
            } else if is_docker && (text.starts_with("/:") || text.contains("source=/,")) {
                "the container sees all files of the machine"
            } else {
                continue;
            };
            report.at(span, message).help("name the directories and rights that the server needs");
        }
    }
}

/// The files with servers, by client, in the order in which they are compared.
const FILES: [&str; 5] = [
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".kiro/settings/mcp.json",
    ".mcp.json",
    ".vscode/mcp.json",
];

/// The part of a server that says what it runs: its URL, or the package with its version.
fn target(data: &Values, server: usize) -> Option<(String, Span)> {
    for key in ["url", "httpUrl", "serverUrl"] {
        if let Some(at) = data.child(server, key) {
            return Some((data.text(at)?, data.all[at].span));
        }
    }
    let arguments = data.all[data.child(server, "args")?].children.iter();
    let is_package = |text: &str| {
        let name = text.strip_prefix('@').unwrap_or(text);
        !text.starts_with(['-', '/', '.', '$']) && name.contains('@') && !name.contains(':')
    };
    arguments
        .filter_map(|&at| Some((data.text(at)?, data.all[at].span)))
        .find(|it| is_package(&it.0))
}

/// Whether two targets are the same package or host in different versions.
fn differs(own: &str, other: &str) -> bool {
    let package = |text: &str| text.rsplit_once('@').map(|(name, _)| name.to_owned());
    let is_url = own.contains("://") && other.contains("://");
    let is_variable = own.contains('$') || other.contains('$');
    let own_url = own.trim_end_matches('/');
    !is_variable
        && own_url != other.trim_end_matches('/')
        && (is_url || !own.contains("://") && package(own) == package(other))
}

pub(super) fn mcp_diverges(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let path = context.source.path();
    let Some(name) = FILES.iter().find(|name| path.ends_with(**name)) else { return };
    let directory = path[..path.len() - name.len()].trim_end_matches('/');
    let own = servers(context);
    if own.is_empty() || below(directory, name) != path {
        return;
    }
    for other in FILES.iter().take_while(|other| *other != name) {
        let other = below(directory, other);
        let (Some(text), Some(file)) = (side_file(context.files, &other), classify(&other)) else {
            continue;
        };
        let data = Values::read(Format::Json, &text);
        let Some(key) = keys_of(file).map(|(key, _)| key) else { continue };
        let all = data.roots.first().and_then(|&root| data.child(root, key));
        // If a name is duplicated, the last server is used.
        let by_name: HashMap<&str, usize> = all
            .map_or(&[][..], |all| data.all[all].children.as_slice())
            .iter()
            .filter_map(|&at| Some((data.all[at].key.as_ref()?.0.as_str(), at)))
            .collect();
        for (at, server, _) in &own {
            let known = by_name.get(server).copied();
            let (Some((own, span)), Some((known, _))) =
                (target(&context.data, *at), known.and_then(|known| target(&data, known)))
            else {
                continue;
            };
            if differs(&own, &known) {
                report
                    .at(span, format!("the server `{server}` is `{known}` in `{other}`"))
                    .help("use the same server for all clients");
            }
        }
    }
}
