//! The files that steer AI agents: which client reads a file, and for which purpose.

use crate::i18n::is_locale;

/// A program that reads files which steer agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Client {
    /// Several clients, such as those that read `AGENTS.md`.
    Shared,
    Claude,
    Codex,
    Copilot,
    Cursor,
    Gemini,
    Windsurf,
    Cline,
    Kiro,
    OpenCode,
    Zed,
}

impl Client {
    /// The name, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Shared => "AGENTS.md",
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "Copilot",
            Self::Cursor => "Cursor",
            Self::Gemini => "Gemini CLI",
            Self::Windsurf => "Windsurf",
            Self::Cline => "Cline",
            Self::Kiro => "Kiro",
            Self::OpenCode => "OpenCode",
            Self::Zed => "Zed",
        }
    }
}

/// The purpose of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Purpose {
    /// Instructions without front matter, such as `AGENTS.md`.
    Instructions,
    /// Instructions whose front matter says when they apply.
    Rule,
    /// A skill, the file `SKILL.md` of its directory.
    Skill,
    /// A subagent or custom agent.
    Agent,
    /// A command or prompt that a user starts by name.
    Command,
    /// A command or an agent in a data file.
    Definition,
    /// Settings with permissions and hooks.
    Settings,
    /// Hooks, without other settings.
    Hooks,
    /// Servers of the Model Context Protocol.
    Mcp,
    /// The manifest of a plugin or of a marketplace of plugins.
    Plugin,
    /// A program that a client runs on the event in its name.
    HookProgram,
    /// A Markdown file whose name the client does not read.
    Misnamed,
    /// The description of a server in the registry of MCP.
    ServerManifest,
    /// The description of an agent of the protocol A2A.
    AgentCard,
    /// An overview of a site for models, `llms.txt`.
    SiteOverview,
}

/// A file that steers agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AgentFile {
    pub(super) client: Client,
    pub(super) purpose: Purpose,
}

impl AgentFile {
    /// Whether the file is Markdown.
    pub(super) fn is_markdown(self) -> bool {
        !matches!(
            self.purpose,
            Purpose::Definition
                | Purpose::Settings
                | Purpose::Hooks
                | Purpose::Mcp
                | Purpose::Plugin
                | Purpose::HookProgram
                | Purpose::ServerManifest
                | Purpose::AgentCard
                | Purpose::SiteOverview
        )
    }

    /// Whether the file states facts about its own project, rather than about projects in which it
    /// is used.
    pub(super) fn describes_project(self) -> bool {
        matches!(self.purpose, Purpose::Instructions | Purpose::Rule)
    }
}

/// Files with a fixed name, in any directory.
const NAMES: &[(&str, Client, Purpose)] = &[
    (".clinerules", Client::Cline, Purpose::Instructions),
    (".cursorrules", Client::Cursor, Purpose::Instructions),
    (".mcp.json", Client::Claude, Purpose::Mcp),
    (".rules", Client::Zed, Purpose::Instructions),
    (".windsurfrules", Client::Windsurf, Purpose::Instructions),
    ("AGENT.md", Client::Shared, Purpose::Instructions),
    ("AGENTS.md", Client::Shared, Purpose::Instructions),
    ("AGENTS.override.md", Client::Codex, Purpose::Instructions),
    ("CLAUDE.local.md", Client::Claude, Purpose::Instructions),
    ("CLAUDE.md", Client::Claude, Purpose::Instructions),
    ("GEMINI.md", Client::Gemini, Purpose::Instructions),
    ("SKILL.md", Client::Shared, Purpose::Skill),
    ("llms.txt", Client::Shared, Purpose::SiteOverview),
    ("opencode.json", Client::OpenCode, Purpose::Settings),
    ("opencode.jsonc", Client::OpenCode, Purpose::Settings),
    ("server.json", Client::Shared, Purpose::ServerManifest),
];

/// Files by directory and the end of their name: all files below a directory that ends with `/`.
const PLACES: &[(&str, &str, Client, Purpose)] = &[
    (".claude/agents/", ".md", Client::Claude, Purpose::Agent),
    (".claude/commands/", ".md", Client::Claude, Purpose::Command),
    (".claude/rules/", ".md", Client::Claude, Purpose::Rule),
    (".claude", "settings.json", Client::Claude, Purpose::Settings),
    (".claude", "settings.local.json", Client::Claude, Purpose::Settings),
    (".claude-plugin", "marketplace.json", Client::Claude, Purpose::Plugin),
    (".claude-plugin", "plugin.json", Client::Claude, Purpose::Plugin),
    (".clinerules/hooks/", "", Client::Cline, Purpose::HookProgram),
    (".clinerules/", ".md", Client::Cline, Purpose::Rule),
    (".codex/agents/", ".toml", Client::Codex, Purpose::Definition),
    (".codex", "config.toml", Client::Codex, Purpose::Settings),
    (".codex", "hooks.json", Client::Codex, Purpose::Hooks),
    (".cursor", "hooks.json", Client::Cursor, Purpose::Hooks),
    (".cursor", "mcp.json", Client::Cursor, Purpose::Mcp),
    (".cursor/rules/", ".mdc", Client::Cursor, Purpose::Rule),
    (".cursor/rules/", ".md", Client::Cursor, Purpose::Misnamed),
    (".devin/rules/", ".md", Client::Windsurf, Purpose::Rule),
    (".gemini/commands/", ".toml", Client::Gemini, Purpose::Definition),
    (".gemini", "settings.json", Client::Gemini, Purpose::Settings),
    (".github", "copilot-instructions.md", Client::Copilot, Purpose::Instructions),
    (".github/agents/", ".md", Client::Copilot, Purpose::Agent),
    (".github/chatmodes/", ".chatmode.md", Client::Copilot, Purpose::Agent),
    (".github/hooks/", ".json", Client::Copilot, Purpose::Hooks),
    (".github/instructions/", ".instructions.md", Client::Copilot, Purpose::Rule),
    (".github/instructions/", ".md", Client::Copilot, Purpose::Misnamed),
    (".github/prompts/", ".prompt.md", Client::Copilot, Purpose::Command),
    (".github/prompts/", ".md", Client::Copilot, Purpose::Misnamed),
    (".kiro/hooks/", ".json", Client::Kiro, Purpose::Hooks),
    (".kiro/hooks/", ".kiro.hook", Client::Kiro, Purpose::Hooks),
    (".kiro/settings", "mcp.json", Client::Kiro, Purpose::Mcp),
    (".kiro/steering/", ".md", Client::Kiro, Purpose::Rule),
    (".opencode/agent/", ".md", Client::OpenCode, Purpose::Agent),
    (".opencode/agents/", ".md", Client::OpenCode, Purpose::Agent),
    (".opencode/command/", ".md", Client::OpenCode, Purpose::Command),
    (".opencode/commands/", ".md", Client::OpenCode, Purpose::Command),
    (".opencode", "opencode.json", Client::OpenCode, Purpose::Settings),
    (".vscode", "mcp.json", Client::Copilot, Purpose::Mcp),
    (".well-known", "agent-card.json", Client::Shared, Purpose::AgentCard),
    (".well-known", "agent.json", Client::Shared, Purpose::AgentCard),
    (".windsurf", "hooks.json", Client::Windsurf, Purpose::Hooks),
    (".windsurf/rules/", ".md", Client::Windsurf, Purpose::Rule),
    (".windsurf/workflows/", ".md", Client::Windsurf, Purpose::Command),
    (".zed", "settings.json", Client::Zed, Purpose::Settings),
];

/// The file at `path` with this text; `None` if it does not steer agents.
pub(super) fn classify_text(path: &str, text: &str) -> Option<AgentFile> {
    let Some(file) = classify(path) else { return in_plugin(path, text).map(|(file, _)| file) };
    // Other programs have files with this name.
    let is_other = file.purpose == Purpose::ServerManifest
        && !text.contains("static.modelcontextprotocol.io/schemas/");
    (!is_other).then_some(file)
}

/// Whether [`classify_text`] accepts the file at `path` with some text.
pub(super) fn may_be_agent_file(path: &str) -> bool {
    classify_text(path, FRONT_MATTER).is_some() || classify(path).is_some()
}

/// A text with which every file that can belong to a plugin does.
const FRONT_MATTER: &str = "---\n---\n";

/// The file of a plugin of Claude Code at `path`, and the directory of the plugin, if it has a
/// manifest; `None` for files outside of the directories that a plugin can have.
pub(super) fn in_plugin<'p>(path: &'p str, text: &str) -> Option<(AgentFile, &'p str)> {
    let (directory, name) = path.rsplit_once('/')?;
    let (root, folder) = directory.rsplit_once('/').unwrap_or(("", directory));
    let purpose = match folder {
        "agents" if name.ends_with(".md") && text.starts_with("---") => Purpose::Agent,
        "hooks" if name == "hooks.json" => Purpose::Hooks,
        _ => return None,
    };
    Some((AgentFile { client: Client::Claude, purpose }, root))
}

/// The file at `path`; `None` if it does not steer agents.
pub(super) fn classify(path: &str) -> Option<AgentFile> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    if let Some((_, client, purpose)) = NAMES.iter().find(|(known, ..)| *known == name) {
        if *purpose == Purpose::Skill && is_copy(directory) || directory.split('/').any(is_unread) {
            return None;
        }
        return Some(AgentFile { client: *client, purpose: *purpose });
    }
    if name.ends_with(".agent.md") {
        return Some(AgentFile { client: Client::Copilot, purpose: Purpose::Agent });
    }
    if !directory.contains('.') {
        return None;
    }
    let is_skill_root = directory == ".claude/skills" || directory.ends_with("/.claude/skills");
    if is_skill_root && name.ends_with(".md") {
        return Some(AgentFile { client: Client::Claude, purpose: Purpose::Misnamed });
    }
    let is_match = |place: &str, ending: &str| match place.strip_suffix('/') {
        Some(_) => {
            let start =
                if path.starts_with(place) { Some(0) } else { path.find(&format!("/{place}")) };
            start.is_some() && name.ends_with(ending)
        }
        None => {
            name == ending
                && directory
                    .strip_suffix(place)
                    .is_some_and(|above| above.is_empty() || above.ends_with('/'))
        }
    };
    let found = PLACES.iter().find(|(place, ending, ..)| is_match(place, ending));
    found.map(|&(_, _, client, purpose)| AgentFile { client, purpose })
}

/// Whether a directory only looks like that of a client.
fn is_unread(part: &str) -> bool {
    matches!(part, ".openai" | ".copilot")
}

/// Whether no client loads skills from a directory: files of a site, a directory that only looks like
/// that of a client, and translations among documents.
fn is_copy(directory: &str) -> bool {
    let mut before = "";
    // `skills/public` is a usual name.
    directory.split('/').take_while(|part| !part.contains("skill")).any(|part| {
        let is_translated = matches!(before, "docs" | "doc") && is_locale(part);
        before = part;
        is_translated || is_unread(part) || part == "public"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_client_that_reads_them() {
        let shown =
            |path| classify(path).map(|file| format!("{:?} {:?}", file.client, file.purpose));
        for (path, expected) in [
            ("AGENTS.md", "Shared Instructions"),
            ("web/CLAUDE.md", "Claude Instructions"),
            (".claude/rules/a/b.md", "Claude Rule"),
            ("a/.claude/agents/b.md", "Claude Agent"),
            (".claude/settings.json", "Claude Settings"),
            (".github/instructions/a.instructions.md", "Copilot Rule"),
            (".cursor/rules/a/b.mdc", "Cursor Rule"),
            (".cursor/rules/a.md", "Cursor Misnamed"),
            ("agents/a.agent.md", "Copilot Agent"),
            (".claude/skills/a.md", "Claude Misnamed"),
            (".vscode/mcp.json", "Copilot Mcp"),
            (".gemini/commands/git/commit.toml", "Gemini Definition"),
            (".codex/agents/reviewer.toml", "Codex Definition"),
            (".rules", "Zed Instructions"),
            (".kiro/hooks/lint.kiro.hook", "Kiro Hooks"),
            (".kiro/hooks/lint.json", "Kiro Hooks"),
            (".opencode/agents/team/a.md", "OpenCode Agent"),
            (".opencode/command/a.md", "OpenCode Command"),
            ("plugins/a/.claude-plugin/plugin.json", "Claude Plugin"),
            ("plugins/a/skills/b/SKILL.md", "Shared Skill"),
            ("skills/public/a/SKILL.md", "Shared Skill"),
            ("docs/api/skills/a/SKILL.md", "Shared Skill"),
        ] {
            assert_eq!(shown(path).as_deref(), Some(expected), "{path}");
        }
        for path in [
            "docs/zh-CN/skills/a/SKILL.md",
            "public/claude/skills/a/SKILL.md",
            ".openai/skills/a/SKILL.md",
            ".copilot/CLAUDE.md",
        ] {
            assert_eq!(shown(path), None, "{path}");
        }
        for path in ["README.md", "firestore.rules", ".codex/agents/a.md", "a.claude/settings.json"]
        {
            assert_eq!(shown(path), None, "{path}");
        }
    }
}
