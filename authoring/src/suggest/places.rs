//! The files whose sentences guide people and agents.

use aidd_engine::text::files::Disk;
use aidd_engine::text::kind::is_page_path;
use aidd_engine::workspace::project::Project;
use aidd_guidance::{Library, Origin, Shelf};
use std::collections::BTreeSet;

/// Files of these names, in any folder: agents know them in this case only.
const NAMES: [&str; 10] = [
    "AGENTS.md",
    "AGENT.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "CONTRIBUTING.md",
    "CONVENTIONS.md",
    "copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
];

/// Markdown in these folders, wherever they lie.
const FOLDERS: [&str; 5] = [
    ".cursor/rules/",
    ".github/instructions/",
    ".windsurf/rules/",
    ".clinerules/",
    ".claude/rules/",
];

/// Folders of somebody else's code, or of samples.
const FOREIGN: [&str; 7] =
    ["node_modules", "vendor", "third_party", "fixtures", "testdata", "target", "dist"];

/// Whether sentences of the file at `path` guide.
#[must_use]
pub fn is_place(path: &str) -> bool {
    let mut folders: Vec<&str> = path.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    if folders.iter().any(|folder| FOREIGN.contains(folder)) {
        return false;
    }
    let in_folder =
        |folder: &&str| path.starts_with(*folder) || path.contains(&format!("/{folder}"));
    NAMES.contains(&name)
        || is_page_path(path)
        || (name.ends_with(".md") || name.ends_with(".mdc")) && FOLDERS.iter().any(in_folder)
}

/// The files of a project whose sentences guide: those known by name, the rule pages, and what the
/// configuration says is a page of rules.
#[must_use]
pub fn places(project: &Project, paths: &[String]) -> Vec<String> {
    let mut found: BTreeSet<String> = paths.iter().filter(|path| is_place(path)).cloned().collect();
    let config = project.config.content.clone().unwrap_or_default();
    let library = Library::load(&project.disk, &config);
    let own = library
        .on(Shelf::Rules)
        .filter(|page| page.origin == Origin::Project && inside(&project.disk, &page.path));
    found.extend(own.map(|page| page.path.clone()));
    // First what every agent reads.
    let mut found: Vec<String> = found.into_iter().collect();
    found.sort_by_key(|path| (is_page_path(path), path.matches('/').count(), path.clone()));
    found
}

fn inside(disk: &Disk, path: &str) -> bool {
    disk.inside(path).is_some()
}
