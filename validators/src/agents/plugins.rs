//! Manifests of Claude Code plugins and of their marketplaces.

use super::AgentContext;
use super::elsewhere::is_unlisted;
use super::model::Purpose;
use aidd_engine::parse::values::{Datum, Value};
use aidd_engine::project::ignored::is_ignored_by_git;
use aidd_engine::project::manifest;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::paths::{below, join};
use std::collections::HashSet;

/// The keys of a plugin manifest whose values are paths.
const PATHS: [&str; 5] = ["agents", "commands", "hooks", "mcpServers", "skills"];

pub(super) fn plugin_manifest(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.file.purpose != Purpose::Plugin || context.data.broken.is_some() {
        return;
    }
    let first = context.source.line_span(0);
    if context.at(&[]).is_none_or(|root| context.data.all[root].datum != Datum::Map) {
        return;
    }
    let is_marketplace = context.source.name() == "marketplace.json";
    let required: &[&str] = if is_marketplace { &["name", "owner", "plugins"] } else { &["name"] };
    // A catalogue of another program has none of the fields.
    if is_marketplace && required.iter().all(|key| context.at(&[key]).is_none()) {
        return;
    }
    for key in required {
        if context.at(&[key]).is_none() {
            let what = if is_marketplace { "marketplace" } else { "plugin" };
            report
                .at(first, format!("Claude Code does not load a {what} without `{key}`"))
                .help(format!("add `{key}`"));
        }
    }
    if is_marketplace {
        marketplace(context, report);
        return;
    }
    for key in PATHS {
        let value = context.at(&[key]).map(|at| &context.data.all[at]);
        let items = context.children(&[key]).map(|(_, item)| item);
        let is_list = value.is_some_and(|value| value.datum == Datum::List);
        for item in value.into_iter().chain(items.filter(|_| is_list)) {
            path(context, &[""], item, report);
            let written = super::string(item).filter(|(text, _)| !text.ends_with(".md"));
            if let Some((_, span)) = written.filter(|_| key == "agents") {
                report
                    .at(span, "`agents` names Markdown files, not directories")
                    .help("name each file, or remove the key for the directory `agents`");
            }
        }
    }
}

/// Checks a path of the plugin, which is relative to one of the directories `bases` in the directory
/// above the manifest's.
fn path(context: &AgentContext<'_, '_>, bases: &[&str], value: &Value, report: &mut Report<'_>) {
    let Some((text, span)) = super::string(value).filter(|(text, _)| text.starts_with("./")) else {
        return;
    };
    let Some(listing) = context.listing() else { return };
    let resolve = |base: &&str| {
        let path = join(base, text)?;
        join(context.project_dir(), &path).filter(|path| !path.contains(['*', '$', '{']))
    };
    let targets: Vec<String> = bases.iter().filter_map(resolve).collect();
    let Some(target) = targets.last() else { return };
    let is_here = |target: &String| {
        target.is_empty()
            || listing.has_file(target)
            || listing.has_dir(target)
            || context.files.exists(target)
            // A build writes it.
            || is_ignored_by_git(context.files, target)
            // The files of a submodule may not be checked out.
            || is_unlisted(target, context.files)
    };
    if !targets.iter().any(is_here) {
        report
            .at(span, format!("`{target}` does not exist"))
            .help("correct the path, which is relative to the directory of the plugin");
    }
}

/// The version in the manifest of the plugin at `source`, and the path of the manifest.
fn plugin_version(
    context: &AgentContext<'_, '_>,
    root: &str,
    source: &str,
) -> Option<(String, String)> {
    let source = source.strip_prefix("./")?;
    [root.trim_start_matches("./"), ""].iter().find_map(|base| {
        let directory = join(context.project_dir(), &join(base, source)?)?;
        let path = below(&directory, ".claude-plugin/plugin.json");
        let value = manifest::json(context.files, &path);
        Some((manifest::text(&value, &["version"])?.to_owned(), path))
    })
}

fn marketplace(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let root = context.text(&["metadata", "pluginRoot"]).map_or("", |(text, _)| text).to_owned();
    let mut names: HashSet<String> = HashSet::new();
    for (plugin, _) in context.children(&["plugins"]) {
        let field = |key: &str| context.data.child(plugin, key).map(|at| &context.data.all[at]);
        for key in ["name", "source"] {
            if field(key).is_none() {
                report
                    .at(
                        context.data.all[plugin].span,
                        format!("a plugin without `{key}` is not loaded"),
                    )
                    .help(format!("add `{key}`"));
            }
        }
        if let Some((name, span)) = field("name").and_then(super::string)
            && !names.insert(name.to_owned())
        {
            report
                .at(span, format!("the marketplace lists the plugin `{name}` twice"))
                .help("remove one of the entries, or rename it");
        }
        if let Some(source) = field("source") {
            path(context, &[root.as_str(), ""], source, report);
        }
        if let (Some((own, span)), Some((source, _))) =
            (field("version").and_then(super::string), field("source").and_then(super::string))
            && let Some((version, path)) = plugin_version(context, &root, source)
            && own != version
        {
            report
                .at(span, format!("`{path}` has the version {version}, which is used"))
                .help("write the same version, or remove this one");
        }
    }
}
