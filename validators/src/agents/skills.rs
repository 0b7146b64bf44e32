//! The required fields of skills and agents.

use super::header::header_text;
use super::kits::is_read_as_text;
use super::model::{Client, Purpose, classify};
use super::words::AGENT_DIRS;
use super::{AgentContext, is_plugin};
use crate::cached::cached;
use aidd_engine::parse::values::front_matter;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::finding::{Edit, Finding, Severity};
use aidd_engine::text::paths::{below, join, parent_dir, upwards};
use aidd_engine::text::source::Span;
use std::collections::HashSet;

/// Maximum length of the name of a skill, by the Agent Skills specification.
const MAX_NAME: usize = 64;
/// Maximum length of the description of a skill, by the Agent Skills specification.
const MAX_DESCRIPTION: usize = 1024;
/// Maximum length of the description and of `when_to_use` in the list of Claude Code.
const MAX_LISTED: usize = 1536;

/// Minimum length of the name of a program in a comment, so that it is not part of another word.
const MIN_PROGRAM_NAME: usize = 4;

/// Directories of skills whose clients follow the specification.
const STRICT_ROOTS: [&str; 4] =
    [".agents/skills", ".codex/skills", ".cursor/skills", ".github/skills"];
/// Directories in the root with skills whose descriptions clients read.
const PROJECT_ROOTS: [&str; 6] = [
    ".agents/skills",
    ".codex/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".github/skills",
    "skills",
];
/// Directories of skills that Codex loads: it refuses front matter that is not valid YAML, and a
/// skill whose description is missing or too long.
const CODEX_ROOTS: [&str; 2] = [".agents/skills/", ".codex/skills/"];

/// Whether Codex loads the skill at `path`.
pub(super) fn is_for_codex(path: &str) -> bool {
    CODEX_ROOTS.iter().any(|root| path.starts_with(root) || path.contains(&format!("/{root}")))
}

/// Whether a directory above that of the skill is a skill, so that this one is one of its files.
fn is_in_skill(context: &AgentContext<'_, '_>) -> bool {
    let above = parent_dir(parent_dir(context.source.path()));
    !above.is_empty() && upwards(above).any(|dir| context.files.exists(&below(dir, "SKILL.md")))
}

/// Whether the file is where some client looks for skills: below a directory whose name contains
/// `skill`, or at the root of a repository that is one skill.
fn is_in_skills_dir(path: &str) -> bool {
    let dir = parent_dir(path);
    dir.is_empty() || dir.split('/').any(|part| part.contains("skill"))
}

/// Whether clients look for a skill at `path` when they are started in the root of the project, or
/// the repository offers it to other projects.
fn is_in_project_root(path: &str) -> bool {
    let root = parent_dir(parent_dir(path));
    parent_dir(path).is_empty() || PROJECT_ROOTS.contains(&root)
}

/// Whether the front matter was read.
fn is_readable(context: &AgentContext<'_, '_>) -> bool {
    context.data.broken.is_none() && front_matter(context.source.text()).is_some()
}

/// Whether a name follows the Agent Skills specification.
fn is_valid_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty()
        && name.len() <= MAX_NAME
        && name.chars().all(is_allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

pub(super) fn skill_name(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.file.purpose != Purpose::Skill || !is_readable(context) {
        return;
    }
    let directory = parent_dir(context.source.path());
    let folder = directory.rsplit('/').next().unwrap_or(directory);
    // Clients with their own directory take the name from the directory, or accept other names.
    let is_strict = STRICT_ROOTS.iter().any(|root| directory.contains(root));
    let Some((name, span)) = header_text(context, "name") else {
        if is_strict {
            let message = "the skill has no `name`, which the specification requires";
            let finding = report.at(context.source.line_span(0), message);
            finding.help("add `name`, the name of the directory");
            // Codex takes the name of the directory.
            if is_for_codex(context.source.path()) && !has_client(context, &NAMED) {
                finding.severity = finding.severity.min(Severity::Info);
            }
            if is_valid_name(folder) {
                let at = front_matter(context.source.text()).map_or(0, |(start, _)| start);
                let at = u32::try_from(at).unwrap_or_default();
                finding.fix("Add the name", vec![Edit::insert(at, format!("name: {folder}\n"))]);
            }
        }
        return;
    };
    let is_template = folder.is_empty() || folder.contains("template") || name.contains(['{', '<']);
    if is_template || is_in_skill(context) {
        return;
    }
    let message = if !is_valid_name(name) {
        "a skill name consists of at most 64 lowercase letters, digits and single hyphens"
            .to_owned()
    } else if name != folder {
        format!("the name `{name}` differs from the directory `{folder}`")
    } else {
        return;
    };
    let finding = report.at(span, message);
    // Claude Code takes the name from the directory. Installers rename the directory, and plugins have
    // their own lists. Codex takes the name from the file.
    if !is_strict || is_valid_name(name) {
        finding.severity = finding.severity.min(Severity::Info);
    }
    if is_valid_name(folder) {
        finding.fix("Use the name of the directory", vec![Edit::replace(span, folder)]);
    } else {
        finding.help("rename the skill and its directory");
    }
    // Among the skills of Claude Code, the name of the original has severity `info`.
    let is_reported = context.original().is_some_and(|it| !it.contains(".claude/skills/"));
    if !is_strict && is_reported {
        context.lower_in_copy(finding);
    }
}

/// Whether the project has files of a client that also reads the skills of Claude Code, and truncates
/// their descriptions.
pub(super) fn has_strict_client(context: &AgentContext<'_, '_>) -> bool {
    has_client(context, &[Client::Copilot, Client::Cursor])
}

/// Clients that read the skills in `.agents/skills` and do not load one without a name.
const NAMED: [Client; 4] = [Client::Copilot, Client::Cursor, Client::Gemini, Client::OpenCode];

/// Whether the project has files of one of the clients.
fn has_client(context: &AgentContext<'_, '_>, clients: &[Client]) -> bool {
    let Some(listing) = context.listing() else { return false };
    let found = cached(context.files, "agents clients", || {
        let client = |path: &String| classify(path).map(|file| file.client);
        listing.files().iter().filter_map(client).collect::<HashSet<Client>>()
    });
    clients.iter().any(|client| found.contains(client))
}

/// The number of characters of the description and of `when_to_use`.
fn listed_length(context: &AgentContext<'_, '_>, description: &str) -> usize {
    let more = header_text(context, "when_to_use").map_or(0, |(text, _)| text.chars().count());
    description.chars().count() + more
}

/// Whether the skill belongs to a plugin of Claude Code.
pub(super) fn is_in_plugin(context: &AgentContext<'_, '_>) -> bool {
    let path = context.source.path();
    let mut roots = path.match_indices("skills/").map(|(at, _)| path[..at].trim_end_matches('/'));
    roots.any(|root| is_plugin(root, context.files))
}

pub(super) fn skill_description(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.file.purpose != Purpose::Skill {
        return;
    }
    let first = context.source.line_span(0);
    let path = context.source.path();
    // Claude Code takes the first paragraph of a skill without a description.
    let is_claude = path.contains(".claude/skills/");
    let is_loaded = !is_claude && is_in_project_root(path);
    let lower = |finding: &mut Finding| {
        if !is_loaded {
            finding.severity = finding.severity.min(Severity::Info);
        }
    };
    let has_header = context.source.text().trim_start_matches('\u{FEFF}').starts_with("---");
    if !has_header && !path.contains("template") && !is_in_skill(context) {
        // Other programs have files with this name.
        if !is_in_skills_dir(path) {
            return;
        }
        // Without a directory of its own, it is not a skill of a client: an installer adds the header.
        let dir = parent_dir(path);
        let is_bare = dir.ends_with("/skills") && !dir.starts_with('.');
        // Another program has its own header in a comment, which names the program.
        let text = context.source.text().trim_start();
        let comment = text.strip_prefix("<!--").and_then(|it| Some(it.split_once("-->")?.0));
        let is_foreign = |part: &str| {
            let name = part.strip_prefix('.').filter(|it| it.len() >= MIN_PROGRAM_NAME);
            !AGENT_DIRS.contains(&part)
                && name.is_some_and(|name| comment.is_some_and(|it| it.contains(name)))
        };
        if is_bare || dir.split('/').any(is_foreign) {
            return;
        }
        let finding = report.at(first, "a skill without front matter has no description");
        finding.help("add `name` and `description` between `---` lines");
        lower(finding);
        return;
    }
    if !is_readable(context) {
        return;
    }
    let is_limited = !is_claude || has_strict_client(context);
    match header_text(context, "description") {
        Some((text, span)) if text.chars().count() > MAX_DESCRIPTION && is_limited => {
            let length = text.chars().count();
            report.at(
                Span { end: context.source.lines_around(Span { end: span.start, ..span }).end, ..span },
                format!("the description has {length} characters; clients read at most {MAX_DESCRIPTION}"),
            );
        }
        Some((text, span)) if is_claude && listed_length(context, text) > MAX_LISTED => {
            let length = listed_length(context, text);
            let message = format!(
                "`description` and `when_to_use` have {length} characters; Claude Code lists {MAX_LISTED}"
            );
            report.at(context.source.lines_around(span), message);
        }
        Some((text, span)) if text.trim().is_empty() => {
            let message = "the description is empty, so no agent selects the skill";
            lower(report.at(span, message));
        }
        None if context.at(&["description"]).is_none() => {
            let is_described = is_claude || !is_for_codex(path) && is_in_plugin(context);
            let message = match is_described {
                true => {
                    "without a `description`, Claude Code describes the skill by its first paragraph"
                }
                false => "a skill without a `description` is not selected by agents",
            };
            let finding = report.at(first, message);
            finding.help("say what the skill does and when to use it");
            lower(finding);
            // A document with the front matter of another program.
            let is_document = !is_in_skills_dir(path) && context.at(&["name"]).is_none();
            if is_described || is_document {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
        _ => {}
    }
}

pub(super) fn skill_unreachable(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    const ROOT: &str = ".claude/skills/";
    let path = context.source.path();
    let Some(at) = path.find(ROOT).filter(|_| context.file.purpose == Purpose::Skill) else {
        return;
    };
    let below = &path[at + ROOT.len()..];
    let Some((first, rest)) = below.split_once('/') else {
        report
            .at(context.source.line_span(0), "a skill directly in `.claude/skills` is not loaded")
            .help("move it to a directory with the name of the skill");
        return;
    };
    // A skill can contain other files, also with this name.
    let outer = format!("{}{first}/SKILL.md", &path[..at + ROOT.len()]);
    // Some programs write their skills there, and name the files in the instructions.
    let is_named = || {
        ["CLAUDE.md", "AGENTS.md"].into_iter().any(|name| {
            let instructions = join(context.project_dir(), name);
            let text = instructions.and_then(|it| side_file(context.files, &it));
            text.is_some_and(|text| text.contains(&path[at..]))
        })
    };
    if rest.contains('/') && !context.files.exists(&outer) && !is_named() {
        report
            .at(
                context.source.line_span(0),
                "Claude Code does not load skills from nested directories",
            )
            .help("move the directory of the skill to `.claude/skills`");
    }
}

pub(super) fn agent_fields(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let path = context.source.path();
    let name = path.rsplit('/').next().unwrap_or(path);
    let required: &[&str] = match context.file.client {
        Client::Claude => &["name", "description"],
        Client::Copilot if name.ends_with(".agent.md") => &["description"],
        _ => return,
    };
    let is_document = matches!(&*name.to_ascii_uppercase(), "README.MD" | "INDEX.MD" | "CLAUDE.MD")
        || name.to_ascii_lowercase().contains("template")
        || name.starts_with('_');
    if context.file.purpose != Purpose::Agent || is_document {
        return;
    }
    // In plugins, Claude Code takes the name of the file, and a default description.
    if context.file.client == Client::Claude && !format!("/{path}").contains("/.claude/") {
        return;
    }
    // Notes that several agents share are in the same directory.
    let is_notes = || ["name", "description"].iter().all(|key| context.at(&[key]).is_none());
    if context.file.client == Client::Claude && context.data.broken.is_none() && is_notes() {
        return;
    }
    let first = context.source.line_span(0);
    let client = context.file.client.name();
    // VS Code loads an agent without a description, and documents the front matter as optional.
    let lower = |finding: &mut Finding| {
        if context.file.client == Client::Copilot || is_read_as_text(context) {
            finding.severity = finding.severity.min(Severity::Info);
        }
    };
    let Some(header) = front_matter(context.source.text()) else {
        let message = match context.file.client {
            Client::Copilot => {
                "the coding agent of Copilot needs front matter with a `description`".to_owned()
            }
            _ => format!("{client} does not load an agent without front matter"),
        };
        let finding = report.at(first, message);
        lower(finding);
        return;
    };
    if context.data.broken.is_some() {
        return;
    }
    for key in required {
        if header_text(context, key).is_none_or(|(text, _)| text.trim().is_empty()) {
            let finding =
                report.at(first, format!("{client} does not load an agent without `{key}`"));
            lower(finding);
            let stem = name.strip_suffix(".md").unwrap_or(name);
            if *key == "name" && is_valid_name(stem) && context.at(&["name"]).is_none() {
                let at = u32::try_from(header.0).unwrap_or_default();
                finding.fix("Add the name", vec![Edit::insert(at, format!("name: {stem}\n"))]);
            }
        }
    }
}
