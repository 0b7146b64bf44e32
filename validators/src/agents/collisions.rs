//! Commands, skills and agents of one project that have the same name.

use super::AgentContext;
use super::header::header_text;
use super::library::is_of_kit;
use super::model::{Client, Purpose};
use crate::cached::cached;
use aidd_engine::parse::values::front_matter;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::{below, parent_dir};
use std::collections::HashMap;

/// The directories of skills that one client reads: Cursor, Copilot, Gemini CLI and Codex.
const READ_TOGETHER: [&[&str]; 4] = [
    &[".agents/skills", ".claude/skills", ".codex/skills", ".cursor/skills"],
    &[".agents/skills", ".claude/skills", ".github/skills"],
    &[".agents/skills", ".gemini/skills"],
    &[".agents/skills", ".codex/skills"],
];

/// Directories of skills. Most clients read several of them.
const SKILL_ROOTS: [&str; 6] = [
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".github/skills",
];

pub(super) fn name_collision(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(listing) = context.listing().filter(|_| context.plugin.is_none()) else { return };
    match (context.file.client, context.file.purpose) {
        (Client::Claude, Purpose::Command) => command(context, listing, report),
        (Client::Claude, Purpose::Agent) => agent(context, listing, report),
        (Client::Shared, Purpose::Skill) => skill(context, listing, report),
        _ => {}
    }
}

/// Reports a command that a skill replaces.
fn command(context: &AgentContext<'_, '_>, listing: &Listing, report: &mut Report<'_>) {
    let (directory, name) = (context.project_dir(), context.source.name());
    if parent_dir(context.source.path()) != below(directory, ".claude/commands") {
        return;
    }
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let skill = below(directory, &format!(".claude/skills/{stem}/SKILL.md"));
    if !listing.has_file(&skill) || calls(context.source.text(), stem) {
        return;
    }
    let finding =
        report.at(context.source.line_span(0), format!("Claude Code runs `{skill}` instead"));
    finding.help("remove the command, or rename one of them");
    // It is often another way to start the skill.
    finding.severity = finding.severity.min(Severity::Info);
}

/// Maximum number of lines of a command that calls a skill.
const MAX_CALL: usize = 15;

/// Whether a short command begins with a call of the skill of its name: nothing is lost.
fn calls(text: &str, skill: &str) -> bool {
    let body = front_matter(text).map_or(text, |(_, end)| text[end..].trim_start_matches('-'));
    let lines = body.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next().unwrap_or_default();
    let others = lines.count();
    let names_both = first.contains(skill) && first.to_ascii_lowercase().contains("skill");
    others < MAX_CALL && is_call(first, skill) || others == 0 && names_both
}

/// Whether a line names the skill as one: "the `deploy` skill", "skill: deploy".
fn is_call(line: &str, skill: &str) -> bool {
    let line = line.to_lowercase().replace(['`', '*', '"', '\''], "");
    let skill = skill.to_lowercase();
    let after = ["skill ", "skill: ", "skills/", "skill(", "skill /"];
    line.contains(&format!("{skill} skill"))
        || after.iter().any(|before| line.contains(&format!("{before}{skill}")))
}

/// Reports an agent with the name of an earlier one.
fn agent(context: &AgentContext<'_, '_>, listing: &Listing, report: &mut Report<'_>) {
    let root = below(context.project_dir(), ".claude/agents");
    let Some((name, span)) = header_text(context, "name").filter(|(name, _)| !name.is_empty())
    else {
        return;
    };
    let agents = cached(context.files, &format!("agents/names {root}"), || {
        first_with_name(context.files, listing, &root)
    });
    let path = context.source.path();
    if let Some(first) = agents.get(name).filter(|first| first.as_str() < path) {
        let message = format!("`{first}` has the same name, so Claude Code loads only one of them");
        let finding = report.at(span, message);
        finding.help("rename one of the agents, or remove it");
        // A copy loses nothing; a kit writes its agents again.
        let other = side_file(context.files, first).unwrap_or_default();
        let is_copy = instructions_of(&other) == instructions_of(context.source.text());
        if is_copy || is_of_kit(first, context.file.purpose, &other) {
            finding.severity = finding.severity.min(Severity::Info);
        }
    }
}

/// The agents below a directory: name → the first file with the name.
fn first_with_name(files: &dyn Files, listing: &Listing, root: &str) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for path in listing.below(root).iter().filter(|path| path.ends_with(".md")) {
        let text = side_file(files, path).unwrap_or_default();
        let header = front_matter(&text).map_or("", |(start, end)| &text[start..end]);
        let name = header.lines().find_map(|line| line.strip_prefix("name:"));
        if let Some(name) = name.map(|name| name.trim().trim_matches(['"', '\''])) {
            names.entry(name.to_owned()).or_insert_with(|| path.clone());
        }
    }
    names
}

/// The text of a skill without what a tool changes when it copies the skill for another client: front
/// matter, directories of clients, quotes and spaces.
fn instructions_of(text: &str) -> String {
    // The closing line of the front matter is not part of it.
    let body = front_matter(text).map_or(text, |(_, end)| text[end..].trim_start_matches('-'));
    let mut body = body.to_owned();
    for root in SKILL_ROOTS {
        body = body.replace(root.trim_end_matches("/skills"), "");
    }
    body.retain(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`'));
    body
}

/// Reports a skill that is in several directories with different texts.
fn skill(context: &AgentContext<'_, '_>, listing: &Listing, report: &mut Report<'_>) {
    let path = context.source.path();
    let own = SKILL_ROOTS.iter().find_map(|root| {
        let (before, after) = path.split_once(root)?;
        let name = after.strip_prefix('/')?.strip_suffix("/SKILL.md")?;
        let is_root = (before.is_empty() || before.ends_with('/')) && !name.contains('/');
        is_root.then_some((*root, before.trim_end_matches('/'), name))
    });
    let Some((own_root, directory, name)) = own else { return };
    let is_together = |other: &str| {
        READ_TOGETHER.iter().any(|roots| roots.contains(&own_root) && roots.contains(&other))
    };
    let before = SKILL_ROOTS.iter().take_while(|root| **root != own_root);
    let before = before.filter(|root| is_together(root));
    for other in before.map(|root| below(directory, &format!("{root}/{name}/SKILL.md"))) {
        if !listing.has_file(&other) {
            continue;
        }
        let text = side_file(context.files, &other).unwrap_or_default();
        // A file that only refers to the other one.
        if instructions_of(&text) == instructions_of(context.source.text()) || text.contains(path) {
            continue;
        }
        if context.source.text().contains(other.as_str()) {
            continue;
        }
        let message = format!("`{other}` is a skill with the same name and another text");
        let finding = report.at(context.source.line_span(0), message);
        finding.help("make the files equal, or rename one of the skills");
        finding.severity = Severity::Info;
        return;
    }
}
