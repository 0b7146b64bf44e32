//! The decisions, mistakes and conventions of the project memory that name a file or a symbol.

use crate::documents::lock;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use aidd_engine::text::escape::markdown;
use aidd_engine::text::files::Files;
use aidd_engine::text::kind;
use aidd_engine::text::source::Span;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::recall::naming::Naming;
use aidd_memory::store::BackendChoice;
use aidd_memory::{MemoryError, types::Kind};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

/// Maximum number of memories for one file or symbol.
const MAX_MEMORIES: usize = 8;
/// Maximum length of a text of a memory, in characters.
const MAX_CHARS: usize = 240;
/// Minimum length of a name, in bytes: shorter names occur in too many texts.
const MIN_NAME: usize = 4;

/// The open memories of projects, by root. A memory is opened when it is first used, and brought up
/// to date before each answer.
#[derive(Debug, Default)]
pub struct Memories(Mutex<HashMap<PathBuf, ProjectMemory>>);

impl Memories {
    /// The active memories of the project that name `file`, or one of `symbols`; none if the project
    /// has no tracked memory.
    ///
    /// # Errors
    /// When the memory cannot be read.
    pub fn naming(
        &self,
        workspace: &Workspace,
        file: Option<&str>,
        symbols: &[String],
    ) -> Result<Vec<Naming>, MemoryError> {
        let disk = &workspace.project.disk;
        let exists = |path: &str| disk.exists(path);
        if !kind::has_memory(kind::memory_dir(exists), exists) {
            return Ok(Vec::new());
        }
        let root = workspace.project.root();
        let mut open = lock(&self.0);
        if !open.contains_key(root) {
            let distribution = workspace.engine.distribution();
            let choice = BackendChoice::default();
            let memory = ProjectMemory::open(distribution, root, choice, system_clock())?;
            open.insert(root.to_owned(), memory);
        }
        let files: Vec<String> = file.map(str::to_owned).into_iter().collect();
        let symbols: Vec<String> =
            symbols.iter().filter(|symbol| symbol.len() >= MIN_NAME).cloned().collect();
        let memory = open.get_mut(root);
        memory.map_or(Ok(Vec::new()), |memory| memory.naming(&files, &symbols, MAX_MEMORIES))
    }
}

/// The identifier around `offset` in a document that can name a symbol.
pub(crate) fn symbol_at(snapshot: &Snapshot, offset: u32) -> Option<(String, Span)> {
    let source = &snapshot.source;
    let line = source.line_span(source.line_of(offset));
    let before = source.slice(Span { start: line.start, end: offset });
    let after = source.slice(Span { start: offset, end: line.end });
    let is_other = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'));
    let start = before
        .rfind(is_other)
        .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let end = after.find(is_other).unwrap_or(after.len());
    let span = Span::new(line.start as usize + start, offset as usize + end);
    let name = source.slice(span);
    (!name.is_empty()).then(|| (name.to_owned(), span))
}

/// The memories as a Markdown list. Their texts come from the repository, so they are escaped.
#[must_use]
pub fn markdown_list(memories: &[Naming]) -> String {
    let item = |naming: &Naming| {
        let entry = &naming.brief.entry;
        let text = markdown::message(&naming.line(MAX_CHARS));
        format!("- **{}**: {text} (`{}`)", entry.kind, entry.id)
    };
    let items: Vec<String> = memories.iter().map(item).collect();
    format!("**Project memory**\n\n{}", items.join("\n"))
}

/// The memories as plain text, one line each.
#[must_use]
pub fn text_list(memories: &[Naming]) -> String {
    let item = |naming: &Naming| {
        let entry = &naming.brief.entry;
        format!("{}: {} ({})", entry.kind, naming.line(MAX_CHARS), entry.id)
    };
    memories.iter().map(item).collect::<Vec<_>>().join("\n")
}

/// The numbers of memories by type, such as `2 decisions, 1 mistake`.
#[must_use]
pub fn counts(memories: &[Naming]) -> String {
    let count = |kind: Kind| {
        let count = memories.iter().filter(|naming| naming.brief.entry.kind == kind).count();
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {kind}{plural}"))
    };
    let kinds = [Kind::Decision, Kind::Mistake, Kind::Convention];
    kinds.into_iter().filter_map(count).collect::<Vec<_>>().join(", ")
}
