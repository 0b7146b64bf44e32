//! The project's own instructions for agents, from files such as `AGENTS.md` and `CLAUDE.md`,
//! condensed to the lines that matter most.

mod commands;
mod condense;
mod parse;

use aidd_engine::text::files::{Disk, Files, SIDE_FILE_LIMIT, markdown_below, side_file};
use std::collections::BTreeSet;

pub use commands::{CommandRules, InstructedCommand};
pub use condense::{Condensed, condense};

/// Files with instructions, in the order in which they are read. A later file that repeats an
/// earlier one adds nothing.
const FILES: [&str; 10] = [
    "AGENTS.md",
    ".aidd/AGENTS.md",
    "ai/AGENTS.md",
    "AGENT.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
];

/// Directories with instructions, and the extension of their files.
const DIRECTORIES: [(&str, &str); 5] = [
    (".claude/rules", ".md"),
    (".cursor/rules", ".mdc"),
    (".github/instructions", ".md"),
    (".windsurf/rules", ".md"),
    (".clinerules", ".md"),
];

/// Instructions for people, which are only read if there are none for agents.
const FOR_PEOPLE: [&str; 3] =
    ["CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md"];

/// Maximum number of files that are read.
const MAX_FILES: usize = 40;

/// A file with instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// The path, relative to the root of the project.
    pub path: String,
    /// The glob of the files to which the instructions apply; empty for all files.
    pub applies_to: String,
    /// The statements, in the order of the file.
    pub statements: Vec<Statement>,
}

/// A statement of a file with instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The heading above the statement; empty if there is none.
    pub heading: String,
    /// The statement on one line.
    pub text: String,
    /// How much the statement matters.
    pub weight: Weight,
    /// The number of tokens of the text.
    pub tokens: usize,
    /// The commands that it says to run.
    pub commands: Vec<String>,
    /// The commands that it forbids.
    pub forbidden: Vec<String>,
}

/// How much a statement matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// A sentence that describes the project.
    Description,
    /// A statement about conventions or structure.
    Convention,
    /// A command, or a requirement.
    Rule,
}

/// The paths of the files with instructions that exist.
#[must_use]
pub fn paths(disk: &Disk) -> Vec<String> {
    let exists = |path: &&str| disk.exists(path) && disk.to_relative(path).is_some();
    let mut paths: Vec<String> = FILES.iter().copied().filter(exists).map(str::to_owned).collect();
    for (directory, extension) in DIRECTORIES {
        if disk.is_dir(directory) && disk.to_relative(directory).is_some() {
            paths.extend(files_below(disk, directory, extension));
        }
    }
    // The lines that `aidd init` writes describe aidd, not the project.
    paths.retain(|path| !is_own_file(path));
    if paths.is_empty() {
        paths.extend(FOR_PEOPLE.iter().copied().find(|path| exists(path)).map(str::to_owned));
    }
    paths.truncate(MAX_FILES);
    paths
}

fn files_below(disk: &Disk, directory: &str, extension: &str) -> Vec<String> {
    if extension == ".md" {
        return markdown_below(disk, directory);
    }
    let names = aidd_engine::text::files::files_in(disk, directory).into_iter();
    names
        .filter(|name| name.ends_with(extension))
        .map(|name| format!("{directory}/{name}"))
        .collect()
}

fn is_own_file(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.split('.').next() == Some("aidd"))
}

/// Reads the files at `paths`. A file without its own statements is left out.
#[must_use]
pub fn read(disk: &Disk, paths: &[String]) -> Vec<Instructions> {
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    let mut pending: Vec<String> = paths.iter().rev().cloned().collect();
    let mut read: BTreeSet<String> = BTreeSet::new();
    while let Some(path) = pending.pop() {
        if read.len() >= MAX_FILES || !read.insert(path.clone()) {
            continue;
        }
        let Some(text) = side_file(disk, &path).filter(|text| text.len() as u64 <= SIDE_FILE_LIMIT)
        else {
            continue;
        };
        let parsed = parse::parse(&path, &text);
        // An import `@docs/style.md` is read in its place.
        for import in parsed.imports.iter().rev() {
            let directory = path.rsplit_once('/').map(|(directory, _)| format!("{directory}/"));
            let import = format!("{}{import}", directory.unwrap_or_default());
            if let Some(import) = disk.to_relative(&import).filter(|import| disk.exists(import)) {
                pending.push(import);
            }
        }
        let mut instructions = parsed.instructions;
        instructions.statements.retain(|statement| seen.insert(statement.text.to_lowercase()));
        if !instructions.statements.is_empty() {
            files.push(instructions);
        }
    }
    files
}

#[cfg(test)]
mod tests;
