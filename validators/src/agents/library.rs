//! Files for other projects, and copies of other files: their findings concern nobody who works on
//! this project, or are reported at the original.

use super::kits::{is_from_template, is_written_elsewhere};
use super::model::Purpose;
use super::words::{
    AGENT_DIRS, ARCHIVED_DIRS, BACKUP_DIRS, COPIED_DIRS, COPIED_ROOTS, HOME_FILES, KITS,
    RECORD_DIRS,
};
use super::{AgentContext, is_checked};
use crate::cached::cached;
use aidd_engine::project::manifest;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::{Finding, RuleId, Severity};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::{below, join, parent_dir};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Minimum number of files for agents in a collection.
const MIN_COLLECTION: usize = 20;
/// Maximum number of files with the same name that are compared.
const MAX_COPIES: usize = 20;
/// Rules on security: whoever copies a file copies the risk.
const SECURITY: [&str; 3] =
    ["agents/command-injection", "agents/hidden-comment", "agents/hidden-unicode"];

/// Rules on settings in templates that concern only the projects that copy them: what is broad there
/// is a choice, and the copy of a script can be executable.
const OF_COPIES: [&str; 2] = ["agents/hook-script", "agents/permission-broad"];

/// Rules on what settings allow everyone: in a home directory, it is the choice of its owner.
const OF_HOMES: [&str; 5] = [
    "agents/endpoint-override",
    "agents/local-file-tracked",
    "agents/mcp-auto-approve",
    "agents/permission-broad",
    "agents/permission-mode",
];

/// Rules on what only the author of a skill changes.
const OF_AUTHORS: [&str; 4] =
    ["agents/skill-argument", "agents/skill-name", "agents/todo-left", "agents/unused-skill-file"];

/// Rules on what a text refers to: in a template, the names are those of the projects that copy it.
const OF_TEMPLATES: [&str; 4] =
    ["agents/dead-link", "agents/dead-path", "agents/missing-command", "agents/skill-file"];

/// The file in which the installer `skills` records what it installed.
const LOCK: &str = "skills-lock.json";

/// Whether at least half of the files of the project are rules, skills, agents and commands: it
/// collects them for other projects.
pub(super) fn is_collection(files: &dyn Files, listing: &Listing) -> bool {
    *cached(files, "agents collection", || {
        let count = listing.files().iter().filter(|path| is_for_agents(path)).count();
        count >= MIN_COLLECTION && count * 2 >= listing.files().len()
    })
}

/// Whether a file is in the directory of a client, or Markdown in a directory such as `rules`.
fn is_for_agents(path: &str) -> bool {
    let is_markdown = path.ends_with(".md") || path.ends_with(".mdc");
    parent_dir(path)
        .split('/')
        .any(|part| AGENT_DIRS.contains(&part) && (is_markdown || part.starts_with('.')))
}

/// Lowers the rules on a file that no client loads from its place: in a template, a backup, an archive,
/// or the records of a measurement; and on files that an installer overwrites.
pub(super) fn lower_unloaded(
    context: &AgentContext<'_, '_>,
    rules: impl Iterator<Item = &'static str>,
    report: &mut Report<'_>,
) {
    let (path, purpose) = (context.source.path(), context.file.purpose);
    let is_markdown = context.file.is_markdown();
    let is_unused = is_unloaded(path, purpose, true) || is_of_skill(path, purpose, context.files);
    let is_installed = is_markdown && is_installed(path, context.files);
    let is_of_kit = is_markdown && is_of_kit(path, purpose, context.source.text());
    let is_of_kit = is_of_kit || is_written_elsewhere(context);
    let is_home = !is_markdown && is_home_of_one_person(context);
    let is_copied = is_markdown && is_from_template(context);
    if !is_unused && !is_installed && !is_of_kit && !is_home && !is_copied && !is_template(path) {
        return;
    }
    let is_whole = is_installed
        || is_of_kit
        || is_unused && (is_markdown || is_unloaded(path, purpose, false));
    let rules = rules.filter(|rule| !SECURITY.contains(rule));
    let rules = rules.filter(|rule| {
        is_whole
            || is_unused && OF_COPIES.contains(rule)
            || is_home && OF_HOMES.contains(rule)
            // What was in the history was written for this project.
            || is_copied && *rule != "agents/dead-path"
            || is_template(path) && OF_TEMPLATES.contains(rule)
    });
    // Links of installed skills are looked at one by one.
    let rules =
        rules.filter(|rule| !is_installed || is_unused || is_of_kit || *rule != "agents/dead-link");
    let is_of_others = |rule| (is_installed || is_of_kit) && OF_AUTHORS.contains(&rule);
    let severity = |rule| (!is_of_others(rule)).then_some(Severity::Info);
    let severities: HashMap<RuleId, Option<Severity>> =
        rules.map(|rule| (RuleId::from(rule), severity(rule))).collect();
    report.apply_overrides(severities);
}

/// Whether the project is what one person has in the home directory: it has several of its files, in
/// whatever directory, also with the names that chezmoi gives them.
pub(super) fn is_home_of_one_person(context: &AgentContext<'_, '_>) -> bool {
    let Some(listing) = context.listing() else { return false };
    let has = |name: &str| {
        let renamed = format!("dot_{}", name.trim_start_matches('.'));
        let mut found = listing.named(name).chain(listing.named(&renamed));
        found.any(|path| !path.starts_with(".devcontainer/"))
    };
    HOME_FILES.iter().filter(|name| has(name)).count() > 1
}

/// Whether a kit wrote the file into the directory of a client: the same file is in the projects of all
/// its users. Instructions without a directory of their own are edited in each project.
pub(super) fn is_of_kit(path: &str, purpose: Purpose, text: &str) -> bool {
    let in_client_dir = parent_dir(path)
        .split('/')
        .any(|part| part == ".github" || part.starts_with('.') && AGENT_DIRS.contains(&part));
    let is_edited = matches!(purpose, Purpose::Instructions | Purpose::Rule);
    in_client_dir && !is_edited && {
        let text = text.to_lowercase();
        KITS.iter().any(|word| text.contains(word))
    }
}

/// Whether a file with the name of instructions is one of the files of a skill: a version of the skill
/// in one document, which no client loads in the project.
fn is_of_skill(path: &str, purpose: Purpose, files: &dyn Files) -> bool {
    let directory = parent_dir(path);
    purpose == Purpose::Instructions
        && directory.contains("skills/")
        && files.exists(&below(directory, "SKILL.md"))
}

/// The names of the skills that an installer writes.
pub(super) fn installed_skills(files: &dyn Files) -> Arc<HashSet<String>> {
    cached(files, "agents installed skills", || {
        let lock = manifest::json(files, LOCK);
        let names = lock["skills"].as_object().into_iter().flatten();
        // The lock has the name of the skill, or that of its directory.
        let slug = |name: &str| name.to_lowercase().replace(' ', "-");
        names.flat_map(|(name, _)| [name.clone(), slug(name)]).collect()
    })
}

/// Whether an installer wrote the file and replaces it with the next version of its skill.
pub(super) fn is_installed(path: &str, files: &dyn Files) -> bool {
    let Some((_, rest)) = path.split_once("skills/") else { return false };
    let names = installed_skills(files);
    let name = rest.split_once('/').map(|(name, _)| name);
    path.starts_with('.') && name.is_some_and(|name| names.contains(name))
}

/// Whether a file is a template among the files of a client.
fn is_template(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let last = stem.rsplit(['-', '_']).next().unwrap_or(&stem);
    // `{{ name }}` is the name of a directory of a project made from a template.
    path.contains("{{")
        || directory.split('/').chain([last]).any(|part| COPIED_DIRS.contains(&part))
}

fn is_unloaded(path: &str, purpose: Purpose, is_markdown: bool) -> bool {
    let directory = parent_dir(path).to_ascii_lowercase();
    let is_root = |part: &str| {
        part.starts_with('.') || matches!(part, "agents" | "commands" | "rules" | "skills")
    };
    if directory.contains("{{") {
        return true;
    }
    let mut parts: Vec<&str> = directory.split('/').take_while(|part| !is_root(part)).collect();
    // A skill has the name of its directory.
    if purpose == Purpose::Skill && parts.join("/") == directory {
        parts.pop();
    }
    // Below the directories of clients, `archive` can be what a command or a skill is about.
    let below_root = directory.split('/').skip_while(|part| !is_root(part)).skip(1);
    let is_hidden = |part: &str| part.starts_with(['.', '_']) && ARCHIVED_DIRS.contains(&part);
    if parts.iter().any(|part| ARCHIVED_DIRS.contains(part))
        || below_root.into_iter().any(is_hidden)
    {
        return true;
    }
    parts.iter().enumerate().any(|(depth, part)| {
        part.split(['-', '_', ' ', '.']).any(|word| {
            BACKUP_DIRS.contains(&word)
                || is_markdown && COPIED_DIRS.contains(&word)
                || is_markdown && depth == 0 && COPIED_ROOTS.contains(&word)
                || purpose == Purpose::Skill && RECORD_DIRS.contains(&word)
        })
    })
}

/// The file of which this one is a copy: a file with the same name, and of skills with the same
/// directory, that has nearly all of its lines.
pub(super) fn original(context: &AgentContext<'_, '_>) -> Option<String> {
    let (listing, instructions) = (context.listing()?, context.instructions.as_ref()?);
    let path = context.source.path();
    let source = named_source(path, instructions.source.text(), listing);
    let is_reported = |source: &String| {
        let text = side_file(context.files, source).unwrap_or_default();
        is_checked(source, &text, context.files)
    };
    if let Some(source) = source.filter(is_reported) {
        return Some(source);
    }
    let name = context.source.name();
    let ending = match context.file.purpose {
        Purpose::Skill => {
            let directory = parent_dir(path);
            format!("/{}/{name}", directory.rsplit('/').next().unwrap_or(directory))
        }
        _ => format!("/{}.", name.split('.').next().unwrap_or(name)),
    };
    let is_same_name = |other: &str| {
        let other = format!("/{other}");
        match context.file.purpose {
            Purpose::Skill => other.ends_with(&ending),
            _ => {
                let at = other.rfind('/').unwrap_or_default();
                other[at..].starts_with(&ending)
                    && (other.ends_with(".md") || other.ends_with(".mdc"))
            }
        }
    };
    let mut others: Vec<&str> = listing
        .files()
        .iter()
        .map(String::as_str)
        .filter(|other| is_same_name(other) && rank(other) < rank(path))
        .filter(|other| !is_unloaded(other, context.file.purpose, true))
        .filter(|other| !is_of_skill(other, context.file.purpose, context.files))
        .filter(|other| !is_installed(other, context.files))
        .take(MAX_COPIES)
        .collect();
    others.sort_by_key(|other| rank(other));
    let lines = |text: &str| -> HashSet<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let own = lines(instructions.source.text());
    let is_original = |other: &&str| {
        let text = side_file(context.files, other).unwrap_or_default();
        if !is_checked(other, &text, context.files) {
            return false;
        }
        let other = lines(&text);
        own.iter().filter(|line| other.contains(*line)).count() * 10 >= own.len() * 9
    };
    others.into_iter().find(is_original).map(str::to_owned)
}

/// Number of lines at the beginning of a file that can name its source.
const HEAD_LINES: usize = 15;
/// Words before the path of the file from which a file was made.
const SOURCE_WORDS: [&str; 7] = [
    "adapted from",
    "canonical source",
    "copied from",
    "derived from",
    "generated from",
    "mirror of",
    "synced from",
];

/// The Markdown file of the project from which a file was made, according to its first lines.
fn named_source(path: &str, text: &str, listing: &Listing) -> Option<String> {
    text.lines().take(HEAD_LINES).find_map(|line| {
        let lower = line.to_ascii_lowercase();
        let at = SOURCE_WORDS.iter().find_map(|word| Some(lower.find(word)? + word.len()))?;
        let is_end = |c: char| c.is_whitespace() || "`\"'()[]<>,;".contains(c);
        let mut written = line[at..].split(is_end).map(|word| word.trim_end_matches(['.', ':']));
        let written = written.find(|word| word.ends_with(".md") || word.ends_with(".mdc"))?;
        let candidates = [parent_dir(path), ""].into_iter().filter_map(|dir| join(dir, written));
        candidates.into_iter().find(|it| it != path && listing.has_file(it))
    })
}

/// The order in which a file is the original of its copies.
fn rank(path: &str) -> (bool, bool, usize, &str) {
    let is_built = path.split('/').any(|part| matches!(part, "build" | "dist" | "out"));
    (is_built, !path.starts_with(".claude/"), path.matches('/').count(), path)
}

impl AgentContext<'_, '_> {
    /// The file of which this one is a copy.
    pub(super) fn original(&self) -> Option<&str> {
        self.original.get_or_init(|| original(self)).as_deref()
    }

    /// Lowers a finding in a copy of a file, which has the same finding.
    pub(super) fn lower_in_copy(&self, finding: &mut Finding) {
        if finding.severity == Severity::Info {
            return;
        }
        if let Some(original) = self.original() {
            finding.severity = Severity::Info;
            finding.message = format!("{} (as in `{original}`)", finding.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::files::Memory;

    #[test]
    fn no_client_loads_templates_backups_and_records() {
        for (path, purpose, expected) in [
            ("templates/web/CLAUDE.md", Purpose::Instructions, true),
            ("api-guide/CLAUDE.md", Purpose::Instructions, true),
            ("src/api-guide/CLAUDE.md", Purpose::Instructions, false),
            ("backup/2026/.claude/agents/a.md", Purpose::Agent, true),
            ("benchmarks/a/skill-snapshot/SKILL.md", Purpose::Skill, true),
            ("benchmarks/CLAUDE.md", Purpose::Instructions, false),
            ("benchmark/SKILL.md", Purpose::Skill, false),
            ("skills/benchmark/SKILL.md", Purpose::Skill, false),
            (".claude/skills/template/SKILL.md", Purpose::Skill, false),
            ("CLAUDE.md", Purpose::Instructions, false),
            ("crates/legacy/CLAUDE.md", Purpose::Instructions, true),
            ("{{ cookiecutter.name }}/CLAUDE.md", Purpose::Instructions, true),
            ("docs/archive/.claude/agents/a.md", Purpose::Agent, true),
            (".claude/agents/_archive/a.md", Purpose::Agent, true),
            (".claude/commands/archive/a.md", Purpose::Command, false),
            ("legacy-api/CLAUDE.md", Purpose::Instructions, false),
        ] {
            assert_eq!(is_unloaded(path, purpose, true), expected, "{path}");
        }
    }

    #[test]
    fn templates_and_installed_skills_are_recognised() {
        for (path, expected) in [
            (".claude/commands/templates/a.md", true),
            (".claude/commands/skill-template.md", true),
            (".claude/agents/template-engineer.md", false),
            ("CLAUDE.md", false),
        ] {
            assert_eq!(is_template(path), expected, "{path}");
        }
        let lock = r#"{ "version": 1, "skills": { "react": { "source": "owner/skills" } } }"#;
        let files = Memory([(LOCK.to_owned(), lock.as_bytes().to_vec())].into());
        for (path, expected) in [
            (".agents/skills/react/AGENTS.md", true),
            (".claude/skills/react/SKILL.md", true),
            (".agents/skills/own/SKILL.md", false),
            ("skills/react/SKILL.md", false),
        ] {
            assert_eq!(is_installed(path, &files), expected, "{path}");
        }
    }

    #[test]
    fn a_copy_names_its_source() {
        let listing = Listing::new(["docs/agents.md", "AGENTS.md"].map(str::to_owned));
        for (text, expected) in [
            ("<!-- Generated from docs/agents.md. Do not edit. -->", Some("docs/agents.md")),
            ("> Copied from [AGENTS](../AGENTS.md)", Some("AGENTS.md")),
            ("Generated from docs/other.md", None),
            ("See docs/agents.md", None),
        ] {
            let found = named_source(".claude/a.md", text, &listing);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn files_of_kits_are_recognised() {
        let text = "Run `npx claude-flow swarm`.";
        for (path, purpose, expected) in [
            (".claude/skills/swarm/SKILL.md", Purpose::Skill, true),
            (".github/agents/a.agent.md", Purpose::Agent, true),
            ("skills/swarm/SKILL.md", Purpose::Skill, false),
            ("CLAUDE.md", Purpose::Instructions, false),
        ] {
            assert_eq!(is_of_kit(path, purpose, text), expected, "{path}");
        }
        assert!(!is_of_kit(".claude/skills/a/SKILL.md", Purpose::Skill, "Run the tests."));
    }

    #[test]
    fn generated_files_are_the_copies() {
        for (original, copy) in [
            (".claude/skills/a/SKILL.md", "skills/a/SKILL.md"),
            ("skills/a/SKILL.md", "dist/skills/a/SKILL.md"),
            ("CLAUDE.md", "web/CLAUDE.md"),
        ] {
            assert!(rank(original) < rank(copy), "{original} {copy}");
        }
    }
}
