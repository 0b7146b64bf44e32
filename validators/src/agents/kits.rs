//! Files that a program or another repository writes: nobody corrects them in this project.

use super::AgentContext;
use super::words::{KIT_PATHS, WRITTEN, WRITTEN_HERE};
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
