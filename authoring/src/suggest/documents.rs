//! The documents whose sentences guide people and agents, and the part of the project to which each
//! document applies.

use aidd_engine::text::files::Disk;
use aidd_engine::text::kind::is_page_path;
use aidd_engine::workspace::project::Project;
use aidd_guidance::{Library, Origin, PageKind};
use aidd_page as page;
use std::collections::BTreeSet;

/// Names of documents, in any directory. Agents recognise these names only in this casing.
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

/// Markdown files in these directories, at any depth.
const DIRECTORIES: [&str; 5] = [
    ".cursor/rules/",
    ".github/instructions/",
    ".windsurf/rules/",
    ".clinerules/",
    ".claude/rules/",
];

/// Directories with third-party code or samples.
const EXCLUDED_DIRECTORIES: [&str; 7] =
    ["node_modules", "vendor", "third_party", "fixtures", "testdata", "target", "dist"];

/// Whether the file at `path` is a guiding document.
fn is_document(path: &str) -> bool {
    let mut directories: Vec<&str> = path.split('/').collect();
    let name = directories.pop().unwrap_or_default();
    if directories.iter().any(|directory| EXCLUDED_DIRECTORIES.contains(directory)) {
        return false;
    }
    let is_below =
        |directory: &&str| path.starts_with(*directory) || path.contains(&format!("/{directory}"));
    NAMES.contains(&name)
        || is_page_path(path)
        || (name.ends_with(".md") || name.ends_with(".mdc")) && DIRECTORIES.iter().any(is_below)
}

/// The documents of a project: the files in `paths` that have a known name, the rule pages in
/// `paths`, and the pages that the configuration names. Documents that every agent reads come
/// first.
pub(super) fn documents(project: &Project, paths: &[String]) -> Vec<String> {
    let mut found: BTreeSet<String> =
        paths.iter().filter(|path| is_document(path)).cloned().collect();
    let config = project.config.content.clone().unwrap_or_default();
    let library = Library::load(project.distribution().pages, &project.disk, &config);
    let is_inside = |disk: &Disk, path: &str| disk.to_relative(path).is_some();
    let own = library
        .pages_of_kind(PageKind::Rules)
        .filter(|page| page.origin == Origin::Project && is_inside(&project.disk, &page.path));
    found.extend(own.map(|page| page.path.clone()));
    let mut found: Vec<String> = found.into_iter().collect();
    found.sort_by_key(|path| (is_page_path(path), path.matches('/').count(), path.clone()));
    found
}

/// The directory in whose `.aidd/rules` a page about a sentence of the document at `path` belongs,
/// with a trailing `/`; empty for the root of the project.
pub(super) fn page_directory(path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_nested = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"].contains(&name)
        && !directory.is_empty()
        && !directory.starts_with('.')
        // Rules of a directory are read at most two levels down.
        && directory.matches('/').count() < 2;
    if is_nested { format!("{directory}/") } else { String::new() }
}

/// The globs of the files to which the document at `path` applies; empty for the whole project.
/// AGENTS.md in a directory applies to that directory; rules of Cursor, Copilot and Claude Code
/// list globs in their header.
pub(super) fn scope(path: &str, text: &str) -> Vec<String> {
    if is_page_path(path) {
        return Vec::new();
    }
    if let Some(globs) = globs(text) {
        return globs;
    }
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let is_elsewhere = |part: &str| part.starts_with('.') || part == "docs";
    if directory.is_empty() || directory.split('/').any(is_elsewhere) {
        Vec::new()
    } else {
        vec![format!("{directory}/**")]
    }
}

/// `globs` of Cursor, `applyTo` of Copilot, `paths` of Claude Code: a comma-separated string or a
/// list. `None` if there is no such key; empty for all files.
fn globs(text: &str) -> Option<Vec<String>> {
    let (header, _) = page::split(text).ok()?;
    // Cursor writes globs without quotation marks, which is not valid YAML, so the lines are parsed
    // directly.
    let keys = ["globs:", "applyTo:", "paths:"];
    let mut lines = text[header].lines();
    let rest = lines.find_map(|line| keys.iter().find_map(|key| line.strip_prefix(key)))?;
    let inline = rest.trim().trim_start_matches('[').trim_end_matches(']');
    let mut depth = 0_i32;
    let is_comma = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth <= 0
    };
    let items: Vec<&str> = if inline.is_empty() {
        lines.map_while(|line| line.trim_start().strip_prefix("- ")).collect()
    } else {
        inline.split(is_comma).collect()
    };
    let clean = |item: &&str| item.trim().trim_matches(['"', '\'']).to_owned();
    let all: Vec<String> = items.iter().map(clean).filter(|glob| !glob.is_empty()).collect();
    let is_all = |glob: &String| ["**", "**/*", "*"].contains(&glob.as_str());
    Some(if all.iter().any(is_all) { Vec::new() } else { all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_recognized_by_name_and_directory() {
        for path in ["AGENTS.md", "web/CLAUDE.md", ".cursor/rules/a.mdc", "rules/a.md"] {
            assert!(is_document(path), "{path}");
        }
        for path in ["agents.md", "README.md", "node_modules/a/AGENTS.md", ".cursor/rules/a.json"] {
            assert!(!is_document(path), "{path}");
        }
    }

    #[test]
    fn documents_apply_to_their_directory_or_globs() {
        for (path, text, expected) in [
            ("AGENTS.md", "", vec![]),
            ("src/api/AGENTS.md", "", vec!["src/api/**"]),
            ("docs/CONTRIBUTING.md", "", vec![]),
            (
                ".cursor/rules/a.mdc",
                "---\nglobs: src/**/*.{ts,tsx}, lib/*.ts\n---\n",
                vec!["src/**/*.{ts,tsx}", "lib/*.ts"],
            ),
            (".cursor/rules/a.mdc", "---\nglobs:\nalwaysApply: true\n---\n", vec![]),
            (".github/instructions/a.md", "---\napplyTo: '**'\n---\n", vec![]),
            (
                ".claude/rules/a.md",
                "---\npaths:\n  - \"src/api/**\"\n  - lib/**\nother: 1\n---\n",
                vec!["src/api/**", "lib/**"],
            ),
            (".aidd/rules/a.md", "---\nglobs: src/**\n---\n", vec![]),
        ] {
            assert_eq!(scope(path, text), expected, "{path} {text}");
        }
    }
}
