//! Files that a program or another repository writes: nobody corrects them in this project.

use super::AgentContext;
use super::model::{Purpose, classify};
use super::words::{KIT_PATHS, NOT_AGENTS, NOT_STARTED, WRITTEN, WRITTEN_HERE};
use crate::cached::cached;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::{below, parent_dir};
use std::collections::HashSet;

/// Number of lines at the beginning of a file that can say what writes it.
const HEAD_LINES: usize = 25;
/// Maximum number of manifests that are searched.
const MAX_MANIFESTS: usize = 20;
/// Directories from which a program writes the files of all clients.
const GENERATORS: [&str; 2] = [".ruler", ".rulesync"];
/// The file in which a tool records from which template it made the project.
const CRUFT: &str = ".cruft.json";
/// The start of the names of the files in which Copier records its answers.
const COPIER: &str = ".copier-answers";

/// Whether a program or another repository writes the file: its first lines, its path, or the manifest
/// of an installer says so.
pub(super) fn is_written_elsewhere(context: &AgentContext<'_, '_>) -> bool {
    let path = context.source.path();
    is_path_of_kit(path)
        || says_written(context.source.text())
        || context.file.is_markdown() && is_generated(path, context.listing())
        || is_in_manifest(path, context.files)
}

/// Whether the project was made from a template that writes its files again.
pub(super) fn is_from_template(context: &AgentContext<'_, '_>) -> bool {
    let Some(listing) = context.listing() else { return false };
    listing.has_file(CRUFT) || !listing.beginning_with(COPIER).is_empty()
}

/// The file next to a skill in which a tool records from where it copied the skill.
const SYNC: &str = "SYNC.md";
/// Keys of the front matter with the author of a text.
const AUTHORS: [&[&str]; 2] = [&["author"], &["metadata", "author"]];
/// Keys of the front matter with the address from which a text was copied.
const ORIGINS: [&[&str]; 4] =
    [&["metadata", "source"], &["metadata", "upstream"], &["source"], &["upstream"]];
/// How the names of the files in the root begin in which a project names its owners.
const OWNERS: [&str; 9] = [
    "AUTHORS",
    "CODEOWNERS",
    "COPYING",
    "Cargo.toml",
    "LICEN",
    "README",
    "composer.json",
    "package.json",
    "pyproject.toml",
];

/// Whether a file of a client is a copy of a text of others: its front matter names an author or an
/// address that the project does not name as its own, a tool copied it, or it is a template.
pub(super) fn is_of_others(context: &AgentContext<'_, '_>) -> bool {
    let path = context.source.path();
    let is_copied = || context.files.exists(&below(parent_dir(path), SYNC));
    let values = |keys: &'static [&[&str]]| {
        keys.iter().filter_map(move |keys| context.text(keys)).map(|(text, _)| text)
    };
    let mut authors = values(&AUTHORS);
    let mut origins = values(&ORIGINS).filter(|text| text.contains("://"));
    path.starts_with('.')
        && (is_unfilled(context.source.text())
            || context.file.purpose == Purpose::Skill && is_copied()
            || authors.any(|author| is_foreign(author, context.files))
            || origins.any(|origin| is_foreign(origin, context.files)))
}

/// Whether the files in the root do not name the person, organisation or address.
fn is_foreign(origin: &str, files: &dyn Files) -> bool {
    // The owner of `Name <https://github.com/owner>`, and of `https://github.com/owner/project`.
    let owner = match origin.split_once("github.com/") {
        Some((_, rest)) => rest.split(['/', '>', ')', ' ']).next(),
        None => origin.split(['<', '(']).next(),
    };
    let owner = owner.unwrap_or_default().trim().to_lowercase();
    let root = files.names("");
    let is_owner = |name: &&String| OWNERS.iter().any(|start| name.starts_with(start));
    let names_owner = |name: &String| {
        side_file(files, name).is_some_and(|text| text.to_lowercase().contains(&owner))
    };
    !owner.is_empty() && !root.iter().filter(is_owner).any(names_owner)
}

/// Whether a text has variables of a template of Cookiecutter.
pub(super) fn is_unfilled(text: &str) -> bool {
    ["{{ cookiecutter.", "{{cookiecutter."].iter().any(|it| text.contains(it))
}

/// The directory of Claude Code's agents.
const AGENTS: &str = ".claude/agents/";

/// Whether an agent of Claude Code is a text that others read: it says so itself, or a command or a
/// skill names its path and gives the text to an agent of another type.
pub(super) fn is_read_as_text(context: &AgentContext<'_, '_>) -> bool {
    let (path, text) = (context.source.path(), context.source.text());
    let Some(at) = path.find(AGENTS) else { return false };
    let mut head = text.lines().take(HEAD_LINES).map(str::to_lowercase);
    let read = cached(context.files, "agents read as text", || {
        let Some(listing) = context.files.listing() else { return HashSet::new() };
        let is_naming = |path: &&String| {
            let purpose = classify(path).map(|file| file.purpose);
            matches!(purpose, Some(Purpose::Command | Purpose::Skill))
        };
        let naming = listing.files().iter().filter(is_naming);
        let texts = naming.filter_map(|path| side_file(context.files, path));
        texts.flat_map(|text| read_agents(&text)).collect()
    });
    head.any(|line| NOT_AGENTS.iter().any(|word| line.contains(word))) || read.contains(&path[at..])
}

/// The paths of agents in a command that gives their text to a general agent, or in a line which says
/// not to start the agent.
fn read_agents(text: &str) -> HashSet<String> {
    let is_general = text.contains("general-purpose");
    let mut found = HashSet::new();
    for line in text.lines().filter(|line| line.contains(AGENTS)) {
        let lower = line.to_lowercase();
        let is_forbidden = NOT_STARTED.iter().any(|words| lower.contains(words));
        for path in paths(line).filter_map(|path| Some(&path[path.find(AGENTS)?..])) {
            let path = path.trim_end_matches('.');
            let stem = path[AGENTS.len()..].trim_end_matches(".md");
            let is_type = ["\"", "'"].iter().any(|quote| {
                let quoted = format!("{quote}{stem}{quote}");
                text.lines().any(|it| it.contains("subagent_type") && it.contains(&quoted))
            });
            if is_forbidden || is_general && !is_type {
                found.insert(path.to_owned());
            }
        }
    }
    found
}

/// Whether a kit writes all files with such a path.
fn is_path_of_kit(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.starts_with('.') && KIT_PATHS.iter().any(|part| path.contains(part))
}

/// Whether a program writes the files of all clients from a directory of the project.
fn is_generated(path: &str, listing: Option<&Listing>) -> bool {
    let is_source = |dir: &str| path.starts_with(&format!("{dir}/"));
    let has = |dir: &&str| listing.is_some_and(|listing| listing.has_dir(dir));
    GENERATORS.iter().any(has) && !GENERATORS.iter().any(|dir| is_source(dir))
}

/// Whether a comment at the beginning of a text, or a sentence on the file, says what writes it. The
/// mark at the beginning of a block says it of the block only.
fn says_written(text: &str) -> bool {
    let mut is_comment = false;
    text.lines().take(HEAD_LINES).any(|line| {
        let line = line.trim().to_lowercase();
        let starts = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        is_comment |= line.contains("<!--");
        let is_remark = is_comment
            || starts(&["//", "/*", "* ", "\"//", "\"_", "\"$comment"])
            || line.starts_with("# ") && !text.starts_with("# ");
        if line.contains("-->") {
            is_comment = false;
        }
        let is_block = ["begin", "section", "start"].iter().any(|word| line.contains(word));
        let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
        !is_block && (is_remark && says(&WRITTEN) || says(&WRITTEN_HERE))
    })
}

/// Whether the manifest of an installer names the file.
fn is_in_manifest(path: &str, files: &dyn Files) -> bool {
    let listed = cached(files, "agents manifests", || {
        let Some(listing) = files.listing() else { return HashSet::new() };
        let found = listing.files().iter().filter(|path| is_manifest(path)).take(MAX_MANIFESTS);
        let mut listed = HashSet::new();
        for manifest in found {
            let text = side_file(files, manifest).unwrap_or_default();
            for path in paths(&text) {
                // Relative to the root, or to the directory of the manifest.
                listed.insert(path.to_owned());
                listed.insert(below(parent_dir(manifest), path));
            }
        }
        listed
    });
    listed.contains(path)
}

/// Whether a file in a directory with a dot or an underscore, or one of a package manager for agents,
/// lists what an installer wrote.
fn is_manifest(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_list = [".json", ".yaml", ".yml", ".csv", ".lock"].iter().any(|end| name.ends_with(end));
    let is_hidden = directory.split('/').any(|part| part.starts_with(['.', '_']));
    let words: Vec<&str> = name.split(['.', '-', '_']).collect();
    let has = |word: &str| words.contains(&word);
    is_list
        && (is_hidden && (has("manifest") || has("lock") || has("installed"))
            || directory.is_empty() && has("lock") && (has("apm") || has("agents")))
}

/// The words of a text that have the form of a path with a directory.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let words = text.split(move |c| !is_part(c)).map(|word| word.trim_start_matches("./"));
    words.filter(|word| word.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_what_writes_it() {
        for text in [
            "<!-- Generated by tool 1.2. Do not edit. -->\n# Rules\n",
            "<!--\nThis text is synced from the shared repository.\n-->\nText\n",
            "---\n# managed by tool\nname: a\n---\nText\n",
            "# Rules\n\n> This file is auto-generated; changes are lost.\n",
            "{\n  \"_comment\": \"generated by tool\",\n}\n",
        ] {
            assert!(says_written(text), "{text}");
        }
        for text in [
            "# Rules\n\nDo not edit files that are generated by `make`.\n",
            "<!-- BEGIN generated by tool -->\nText\n<!-- END -->\nText\n",
            "<!-- This section is auto-generated by tool. -->\nText\n",
            "<!-- For maintainers -->\nThe types are generated by the compiler.\n",
            "# Services managed by systemd\n",
        ] {
            assert!(!says_written(text), "{text}");
        }
    }

    #[test]
    fn a_manifest_names_files() {
        for path in ["apm.lock.yaml", ".kit/files-manifest.csv", ".claude/manifest.json"] {
            assert!(is_manifest(path), "{path}");
        }
        for path in ["package-lock.json", "manifest.json", ".github/labels.json", "flake.lock"] {
            assert!(!is_manifest(path), "{path}");
        }
        let text = "files:\n  - .claude/agents/a.md\n  - ./b/c.md\n  - \"d/e.md\": 1\n";
        let found: Vec<&str> = paths(text).collect();
        assert_eq!(found, [".claude/agents/a.md", "b/c.md", "d/e.md"]);
        assert!(is_path_of_kit(".github/prompts/speckit.plan.prompt.md"));
        assert!(!is_path_of_kit("docs/commands/opsx/apply.md"));
    }
}
