//! Skills and agents that the front matter of an agent names and the project does not have.

use super::AgentContext;
use super::library::installed_skills;
use super::model::{Client, Purpose};
use aidd_engine::project::ignored::is_ignored_by_git;
use aidd_engine::project::manifest;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::{Finding, Severity};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::paths::below;
use aidd_engine::text::source::Span;

/// Agents that VS Code has without a file.
const BUILT_IN: [&str; 6] = ["agent", "ask", "default", "edit", "plan", "explore"];
/// The manifest of a plugin, below its directory.
const PLUGIN_MANIFEST: &str = ".claude-plugin/plugin.json";

pub(super) fn agent_reference(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(listing) = context.listing() else { return };
    let is_template = context.source.path().to_ascii_lowercase().contains("template");
    if context.file.purpose != Purpose::Agent || context.data.broken.is_some() || is_template {
        return;
    }
    let directory = context.project_dir();
    match context.file.client {
        Client::Claude => {
            let known = skills(listing, &below(directory, ".claude/skills/"));
            let installed = installed_skills(context.files);
            for (name, span) in items(context, "skills") {
                // Skills of plugins have the name of the plugin before a colon.
                let is_other = known.is_empty() || name.contains([':', '{', '<', '*', '/']);
                // The directory of a skill can be a link.
                let file = below(directory, &format!(".claude/skills/{name}/SKILL.md"));
                let is_known = || {
                    known.iter().any(|it| it == name)
                        || installed.contains(name)
                        || context.files.exists(&file)
                        // Without a lock file, each user can have another skill there.
                        || installed.is_empty() && is_ignored_by_git(context.files, &file)
                };
                if is_other || is_known() {
                    continue;
                }
                // The skill can be one of a plugin that everyone who works on the project has.
                let is_of_plugin = has_other_plugin(directory, listing, context.files);
                let near = nearest(name, known.iter().map(String::as_str));
                if is_of_plugin && near.is_none() {
                    continue;
                }
                let message = format!("the project has no skill `{name}`");
                let finding = add(report, span, &message, name, &known);
                if is_of_plugin {
                    finding.severity = finding.severity.min(Severity::Info);
                }
            }
        }
        // The agents of a collection are used in other projects.
        Client::Copilot if context.source.path().contains(".github/agents/") => {
            let known = agents(context, listing, &below(directory, ".github/agents/"));
            let handoffs = context.children(&["handoffs"]).filter_map(|(handoff, _)| {
                let at = context.data.child(handoff, "agent")?;
                super::string(&context.data.all[at])
            });
            for (name, span) in items(context, "agents").into_iter().chain(handoffs) {
                let is_same = |it: &&str| it.eq_ignore_ascii_case(name);
                let is_other = name.contains(['*', '{', '<', '/', '$'])
                    || BUILT_IN.iter().any(|it| it.eq_ignore_ascii_case(name));
                if !is_other && !known.iter().any(|it| is_same(&it.as_str())) {
                    let message = format!("the project has no agent `{name}`");
                    let finding = add(report, span, &message, name, &known);
                    // Users and extensions have agents too.
                    finding.severity = finding.severity.min(Severity::Info);
                }
            }
        }
        _ => {}
    }
}

/// Whether the settings of the project enable a plugin whose files are elsewhere.
fn has_other_plugin(directory: &str, listing: &Listing, files: &dyn Files) -> bool {
    let settings = manifest::json(files, &below(directory, ".claude/settings.json"));
    let plugins = settings["enabledPlugins"].as_object().into_iter().flatten();
    let mut enabled = plugins.filter(|(_, value)| value.as_bool() == Some(true)).peekable();
    if enabled.peek().is_none() {
        return false;
    }
    let manifests = listing.named("plugin.json").filter(|it| it.ends_with(PLUGIN_MANIFEST));
    let own: Vec<String> = manifests
        .filter_map(|path| manifest::json(files, path)["name"].as_str().map(str::to_owned))
        .collect();
    enabled.any(|(id, _)| {
        let name = id.split('@').next().unwrap_or(id);
        // Plugins for a language server have no skills.
        !name.ends_with("-lsp") && !own.iter().any(|it| it == name)
    })
}

fn add<'r>(
    report: &'r mut Report<'_>,
    span: Span,
    message: &str,
    name: &str,
    known: &[String],
) -> &'r mut Finding {
    let finding = report.at(span, message);
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help("correct the name, or remove the entry"),
    };
    finding
}

/// The strings of a list of the front matter, or of a string with commas.
fn items<'c>(context: &'c AgentContext<'_, '_>, key: &str) -> Vec<(&'c str, Span)> {
    if let Some((text, span)) = context.text(&[key]) {
        return text
            .split(',')
            .map(|name| (name.trim(), span))
            .filter(|it| !it.0.is_empty())
            .collect();
    }
    context.children(&[key]).filter_map(|(_, value)| super::string(value)).collect()
}

/// The names of the skills in a directory.
fn skills(listing: &Listing, directory: &str) -> Vec<String> {
    let files = listing.beginning_with(directory).iter();
    files
        .filter_map(|path| path[directory.len()..].strip_suffix("/SKILL.md"))
        .map(|name| name.rsplit('/').next().unwrap_or(name).to_owned())
        .collect()
}

/// The names of the agents in a directory: of their files, and in their front matter.
fn agents(context: &AgentContext<'_, '_>, listing: &Listing, directory: &str) -> Vec<String> {
    let mut names = Vec::new();
    for path in listing.beginning_with(directory) {
        let name = &path[directory.len()..];
        let Some(stem) = name.strip_suffix(".agent.md").or_else(|| name.strip_suffix(".md")) else {
            continue;
        };
        names.push(stem.to_owned());
        let text = aidd_engine::text::files::side_file(context.files, path).unwrap_or_default();
        let named = text.lines().take(40).find_map(|line| line.strip_prefix("name:"));
        names.extend(named.map(|it| it.trim().trim_matches(['"', '\'']).to_owned()));
    }
    names
}
