//! Files that steer AI agents, of all clients: instructions, rules, skills, agents, commands,
//! settings, hooks and MCP servers. The checks compare the files with the documentation of the
//! vendors and with the project itself.

mod agent_targets;
mod arguments;
mod bundle;
mod collisions;
mod commands;
mod conflicts;
mod content;
mod cost;
mod duplicates;
mod elsewhere;
mod fields;
mod formatters;
mod formatting;
mod header;
mod hook_scripts;
mod hook_shape;
mod hooks;
mod kits;
mod library;
mod manifests;
mod markdown;
mod mcp;
mod mcp_access;
mod model;
mod modes;
mod package_managers;
mod permission_rules;
mod permissions;
mod planted;
mod plugins;
mod polarity;
mod project_commands;
mod reach;
mod references;
mod skills;
mod unicode;
mod vendors;
mod versions;
mod words;

use aidd_engine::check::family::{Family, FileContext, Param, ParamType};
use aidd_engine::parse::values::{Datum, Format, Value, Values};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::below;
use aidd_engine::text::purpose::Purpose as PathPurpose;
use aidd_engine::text::source::{Source, Span};
use markdown::Instructions;
use model::{AgentFile, Purpose, classify, classify_text, in_plugin, may_be_agent_file};
use std::cell::OnceCell;

/// A file that steers agents.
const AGENT_FILE: Kind = Kind("agent-file");

/// The rules on files that steer agents.
pub(super) const FAMILY: Family = Family {
    name: "agents",
    rules: || CHECKS.iter().map(|&(id, _)| id).collect(),
    params: &[Param { rule: cost::BUDGET, name: "tokens", param_type: ParamType::Number }],
    claim: |path, text| classify_text(path, text).map(|_| AGENT_FILE),
    may_check: may_be_agent_file,
    check: |_, context, report| check(context, report),
    affects_other_files: |path| classify(path).is_some(),
    session_costs: cost::session_costs,
    needs_listing: true,
    ..Family::EMPTY
};

/// The code of one rule.
type AgentCheck = fn(&AgentContext<'_, '_>, &mut Report<'_>);

/// The checks, by rule id.
const CHECKS: &[(&str, AgentCheck)] = &[
    ("agents/agent-card", manifests::agent_card),
    ("agents/agent-fields", skills::agent_fields),
    ("agents/agent-reference", agent_targets::agent_reference),
    ("agents/command-injection", planted::command_injection),
    ("agents/conflict", conflicts::conflict),
    ("agents/contradicts-formatter", formatting::contradicts_formatter),
    ("agents/dead-import", references::dead_import),
    ("agents/dead-link", references::dead_link),
    ("agents/dead-path", references::dead_path),
    ("agents/duplicate-instructions", duplicates::duplicate_instructions),
    ("agents/duplicate-key", fields::duplicate_key),
    ("agents/empty", content::empty),
    ("agents/endpoint-override", permissions::endpoint_override),
    ("agents/hidden-comment", planted::hidden_comment),
    ("agents/hidden-unicode", unicode::hidden_unicode),
    ("agents/hook-event", hooks::hook_event),
    ("agents/hook-remote-code", hooks::hook_remote_code),
    ("agents/hook-script", hook_scripts::hook_script),
    ("agents/hook-shape", hook_shape::hook_shape),
    ("agents/ignored-setting", permission_rules::ignored_setting),
    ("agents/hook-unquoted-path", hooks::hook_unquoted_path),
    ("agents/import-depth", reach::import_depth),
    ("agents/llms-txt", manifests::llms_txt),
    ("agents/local-file-tracked", reach::local_file_tracked),
    ("agents/mcp-auto-approve", permissions::mcp_auto_approve),
    ("agents/mcp-broad-access", mcp_access::mcp_broad_access),
    ("agents/mcp-diverges", mcp_access::mcp_diverges),
    ("agents/mcp-plain-http", mcp::mcp_plain_http),
    ("agents/mcp-shape", mcp::mcp_shape),
    ("agents/mcp-undefined-input", mcp::mcp_undefined_input),
    ("agents/mcp-unpinned", mcp::mcp_unpinned),
    ("agents/missing-command", commands::missing_command),
    ("agents/name-collision", collisions::name_collision),
    ("agents/not-read", reach::not_read),
    ("agents/permission-broad", permissions::permission_broad),
    ("agents/permission-mode", permissions::permission_mode),
    ("agents/permission-syntax", permission_rules::permission_syntax),
    ("agents/personal-path", planted::personal_path),
    ("agents/plugin-manifest", plugins::plugin_manifest),
    ("agents/rule-activation", header::rule_activation),
    ("agents/rule-never-applies", header::rule_never_applies),
    ("agents/server-manifest", manifests::server_manifest),
    (cost::BUDGET, cost::session_budget),
    ("agents/settings-key", permissions::settings_key),
    ("agents/shadowed", reach::shadowed),
    ("agents/skill-argument", arguments::skill_argument),
    ("agents/skill-description", skills::skill_description),
    ("agents/skill-file", content::skill_file),
    ("agents/skill-name", skills::skill_name),
    ("agents/skill-unreachable", skills::skill_unreachable),
    ("agents/todo-left", bundle::todo_left),
    ("agents/too-long", reach::too_long),
    ("agents/unclosed-fence", content::unclosed_fence),
    ("agents/unknown-field", fields::unknown_field),
    ("agents/unknown-tool", permissions::unknown_tool),
    ("agents/unknown-value", permission_rules::unknown_value),
    ("agents/unreadable", header::unreadable),
    ("agents/unused-skill-file", bundle::unused_skill_file),
    ("agents/wrong-extension", reach::wrong_extension),
    ("agents/wrong-package-manager", package_managers::wrong_package_manager),
    ("agents/wrong-version", versions::wrong_version),
];

/// The input of the checks of one file.
struct AgentContext<'s, 'f> {
    file: AgentFile,
    source: &'s Source,
    /// The directory of the plugin that the file belongs to.
    plugin: Option<&'s str>,
    files: &'f dyn Files,
    /// The data of a JSON or TOML file, or of the front matter.
    data: Values,
    /// The parsed text of a Markdown file.
    instructions: Option<Instructions<'s>>,
    /// Whether the file is about other projects, once it is known.
    is_other: OnceCell<bool>,
    /// The file of which this one is a copy, once it is known.
    original: OnceCell<Option<String>>,
}

/// Directories with instructions for other projects.
const CATALOGUES: [&str; 6] =
    ["examples", "fixtures", "plugins", "skills", "templates", "testdata"];

/// Whether the directory is that of a plugin of Claude Code.
fn is_plugin(root: &str, files: &dyn Files) -> bool {
    files.exists(&below(root, ".claude-plugin/plugin.json"))
}

/// Whether the rules check the file at `path`.
fn is_checked(path: &str, text: &str, files: &dyn Files) -> bool {
    classify(path).is_some()
        || in_plugin(path, text).is_some_and(|(_, root)| is_plugin(root, files))
}

fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let Some(file) = classify_text(source.path(), source.text()) else { return };
    let is_elsewhere = classify(source.path()).is_none();
    let plugin = in_plugin(source.path(), source.text()).filter(|_| is_elsewhere);
    let plugin = plugin.map(|(_, root)| root);
    if plugin.is_some_and(|root| !is_plugin(root, context.files)) {
        return;
    }
    let format = match source.path().rsplit('.').next() {
        Some("json" | "jsonc" | "hook") => Format::Json,
        Some("toml") => Format::Toml,
        _ => Format::FrontMatter,
    };
    let context = AgentContext {
        file,
        source,
        plugin,
        files: context.files,
        data: Values::read(format, source.text()),
        instructions: file.is_markdown().then(|| Instructions::parse(source)),
        is_other: OnceCell::new(),
        original: OnceCell::new(),
    };
    library::lower_unloaded(&context, CHECKS.iter().map(|&(id, _)| id), report);
    for &(id, check) in CHECKS {
        if report.begin(id) {
            check(&context, report);
        }
    }
}

impl<'s, 'f> AgentContext<'s, 'f> {
    /// The files of the project.
    fn listing(&self) -> Option<&Listing> {
        self.files.listing()
    }

    /// The instructions and the files of the project, if the instructions are about this project.
    fn project_instructions(&self) -> Option<(&Instructions<'s>, &Listing)> {
        if !self.file.describes_project() || *self.is_other.get_or_init(|| self.is_other()) {
            return None;
        }
        Some((self.instructions.as_ref()?, self.listing()?))
    }

    /// Whether the path, or what else the project contains, shows that the file is about other
    /// projects.
    fn is_other(&self) -> bool {
        let path = self.source.path();
        let is_catalogue = path.split('/').any(|part| CATALOGUES.contains(&part));
        let is_collected = || {
            self.file.purpose == Purpose::Rule
                && self.listing().is_some_and(|it| library::is_collection(self.files, it))
        };
        is_catalogue
            || is_collected()
            || matches!(
                PathPurpose::of_file(path, self.files),
                PathPurpose::Vendored
                    | PathPurpose::Archived
                    | PathPurpose::Test
                    | PathPurpose::Sample
            )
    }

    /// The directory that contains the directory of the client's settings: empty for
    /// `.claude/settings.json`.
    fn project_dir(&self) -> &'s str {
        if let Some(root) = self.plugin {
            return root;
        }
        let path = self.source.path();
        if let Some(at) = path.rfind("/.claude-plugin/") {
            return &path[..at];
        }
        let dotted = path.match_indices('/').map(|(at, _)| at + 1).chain([0]);
        let start = dotted.filter(|&at| path[at..].starts_with('.')).min();
        start.map_or_else(
            || path.rsplit_once('/').map_or("", |(directory, _)| directory),
            |at| path[..at].trim_end_matches('/'),
        )
    }

    /// The value at a path of keys.
    fn at(&self, keys: &[&str]) -> Option<usize> {
        let root = *self.data.roots.first()?;
        keys.iter().try_fold(root, |at, key| self.data.child(at, key))
    }

    /// The values directly in the list or mapping at a path of keys.
    fn children<'c>(
        &'c self,
        keys: &[&str],
    ) -> impl Iterator<Item = (usize, &'c Value)> + use<'c, 's, 'f> {
        let at = self.at(keys);
        self.children_of(at)
    }

    /// The values directly in a list or mapping.
    fn children_of<'c>(
        &'c self,
        at: Option<usize>,
    ) -> impl Iterator<Item = (usize, &'c Value)> + use<'c, 's, 'f> {
        let children = at.map_or(&[][..], |at| self.data.all[at].children.as_slice());
        children.iter().map(|&child| (child, &self.data.all[child]))
    }

    /// The string at a path of keys, and its span.
    fn text(&self, keys: &[&str]) -> Option<(&str, Span)> {
        string(&self.data.all[self.at(keys)?])
    }

    /// Whether the value at a path of keys is `true`.
    fn is_true(&self, keys: &[&str]) -> Option<Span> {
        let value = &self.data.all[self.at(keys)?];
        (value.datum == Datum::Bool(true)).then_some(value.span)
    }
}

/// The string of a value, and its span.
fn string(value: &Value) -> Option<(&str, Span)> {
    match &value.datum {
        Datum::Text(text) => Some((text, value.span)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
