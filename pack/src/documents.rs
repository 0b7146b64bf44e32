//! The documents of a project from which packs are made, the most specific first.

use crate::markdown::{self, Block};
use crate::place;
use aidd_engine::text::files::{Disk, Files, files_in, markdown_below};

/// Maximum number of documents that are read.
const MAX_DOCUMENTS: usize = 80;
/// Maximum number of bytes that are read from one document, and from all.
const MAX_BYTES: u64 = 96 << 10;
const MAX_TOTAL: usize = 640 << 10;

/// Directories of documents, relative to the root.
const DIRS: &[&str] = &[
    "docs",
    "doc",
    "documentation",
    "adr",
    "adrs",
    "decisions",
    "specs",
    "spec",
    "design",
    "rfcs",
    "glossary",
    "ai/rules",
    ".aidd/rules",
    "rules",
];
/// Documents in the root that say nothing about the code.
const UNREAD: &[&str] =
    &["changelog", "license", "code_of_conduct", "history", "authors", "copying"];

/// What a document is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// The specification, the plan or another document of the ticket.
    Ticket,
    /// Definitions of terms for the project.
    Glossary,
    /// Rules for people and agents.
    Guidance,
    /// A record of one decision on the architecture.
    Record,
    /// Documentation of the code or the product.
    Other,
}

/// A Markdown file with its parts.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) role: Role,
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
}

fn role(path: &str, ticket: &str, own: &[&str]) -> Role {
    let lower = path.to_lowercase();
    let parts: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let names_ticket = ticket != crate::ticket::PROJECT && {
        let wanted = crate::ticket::slug(ticket);
        let slug = crate::ticket::slug(path);
        slug.split(&*wanted).count() > 1
            && slug.match_indices(&*wanted).any(|(at, _)| {
                let before = slug[..at].ends_with('-') || at == 0;
                let end = &slug[at + wanted.len()..];
                before && (end.is_empty() || end.starts_with('-'))
            })
    };
    let name = lower.rsplit('/').next().unwrap_or_default();
    if own.contains(&path) || names_ticket {
        Role::Ticket
    } else if parts.iter().any(|part| matches!(*part, "glossary" | "terminology" | "vocabulary")) {
        Role::Glossary
    } else if parts
        .iter()
        .any(|part| matches!(*part, "adr" | "adrs" | "decisions" | "rfc" | "rfcs"))
    {
        Role::Record
    } else if matches!(name, "agents.md" | "claude.md" | "contributing.md" | "gemini.md")
        || parts.contains(&"rules")
    {
        Role::Guidance
    } else {
        Role::Other
    }
}

/// Reads the documents of a project. `own` lists the documents of the ticket.
pub(crate) fn read(disk: &Disk, ticket: &str, own: &[&str]) -> Vec<Document> {
    let is_markdown = |name: &String| {
        let lower = name.to_lowercase();
        let stem = lower.split('.').next().unwrap_or_default();
        lower.ends_with(".md") && !UNREAD.contains(&stem)
    };
    let mut paths: Vec<String> = files_in(disk, "").into_iter().filter(is_markdown).collect();
    paths.extend(own.iter().map(|path| (*path).to_owned()).filter(|path| disk.exists(path)));
    for dir in DIRS.iter().filter(|dir| disk.is_dir(dir)) {
        let below = markdown_below(disk, dir);
        paths.extend(below.into_iter().filter(|path| !path.contains("/node_modules/")));
    }
    let mut ranked: Vec<(Role, String)> =
        paths.into_iter().map(|path| (role(&path, ticket, own), path)).collect();
    ranked.sort();
    ranked.dedup();
    let mut total = 0;
    let mut documents = Vec::new();
    for (role, path) in ranked.into_iter().take(MAX_DOCUMENTS) {
        if total >= MAX_TOTAL {
            break;
        }
        let Some(text) = place::document(disk, &path, MAX_BYTES) else { continue };
        total += text.len();
        let blocks = markdown::blocks(&text);
        documents.push(Document { path, role, text, blocks });
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_of_a_document_follows_from_its_path() {
        let role = |path| role(path, "ABC-1", &["plans/x.md"]);
        assert_eq!(role("plans/x.md"), Role::Ticket);
        assert_eq!(role("docs/specs/abc-1-login.md"), Role::Ticket);
        assert_eq!(role("docs/specs/abc-12-login.md"), Role::Other);
        assert_eq!(role("docs/glossary.md"), Role::Glossary);
        assert_eq!(role("docs/adr/0001-x.md"), Role::Record);
        assert_eq!(role("AGENTS.md"), Role::Guidance);
        assert_eq!(role("README.md"), Role::Other);
    }
}
