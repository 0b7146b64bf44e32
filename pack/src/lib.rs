//! Memory packs of a ticket: what holds (semantic pack), what was decided (decision pack and a view of
//! the decision log), and what the code looks like (research pack), each within a budget.
//!
//! A pack is derived: [`gather`] reads the tracked memory, the documents and the rules of a project,
//! [`Gathered::packs`] makes the packs from them and from the code index, and [`place`] stores them
//! below `aidd/reports`. The same inputs give the same bytes on every clone.

mod budget;
mod code;
pub mod current;
mod decisions;
mod documents;
mod markdown;
mod memories;
pub mod place;
mod research;
mod semantic;
mod slice;
mod sources;
pub mod ticket;
pub mod verify;

#[cfg(test)]
mod tests;

pub use budget::Limits;

use aidd_engine::parse::lines::id::digest;
use aidd_engine::project::git::Repository;
use aidd_engine::workspace::project::Project;
use aidd_index::query::Reader;
use aidd_index::{ChangedLines, IndexError, base_commit, changed_lines_since};
use aidd_memory::{MemoryError, times};
use budget::Draft;
use code::Code;
use documents::Document;
use memories::Memories;
use serde_json::Value;
use std::path::Path;
use thiserror::Error;

/// Why a pack cannot be made, read or written.
#[derive(Debug, Error)]
pub enum PackError {
    /// The name of a ticket is invalid.
    #[error("invalid ticket `{0}`; use letters, digits, `-`, `_` and `.`, at most 64 characters")]
    Ticket(String),
    /// A pack with this name does not exist.
    #[error("unknown pack `{0}`; expected semantic, decisions, rlm or log")]
    Unknown(String),
    /// A directory of the packs is a link.
    #[error("{0} is a link, and packs are not written through links; replace it with a directory")]
    Link(String),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// Path relative to the root.
        path: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The tracked memory cannot be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The code index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl PackError {
    /// For `map_err`: converts an I/O error of the file at `path`.
    pub(crate) fn io(path: &str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, error }
    }
}

/// The kinds of packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackKind {
    /// Terms, defaults, constraints, invariants, open questions.
    Semantic,
    /// The decisions that hold.
    Decisions,
    /// The code of the ticket.
    Rlm,
    /// All decisions of the ticket, one per line.
    Log,
}

impl PackKind {
    /// The kinds in the order in which packs are built.
    pub const ALL: [Self; 4] = [Self::Semantic, Self::Decisions, Self::Rlm, Self::Log];

    /// The name in commands and addresses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Semantic => "semantic",
            Self::Decisions => "decisions",
            Self::Rlm => "rlm",
            Self::Log => "log",
        }
    }

    /// The kind with this name.
    ///
    /// # Errors
    /// When no kind has this name.
    pub fn named(name: &str) -> Result<Self, PackError> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| PackError::Unknown(name.to_owned()))
    }

    /// The path of the pack of a ticket, relative to the root.
    #[must_use]
    pub fn path(self, ticket: &str) -> String {
        match self {
            Self::Semantic => format!("{}/memory/{ticket}.semantic.pack.json", place::DIR),
            Self::Decisions => format!("{}/memory/{ticket}.decisions.pack.json", place::DIR),
            Self::Log => format!("{}/memory/{ticket}.decisions.jsonl", place::DIR),
            Self::Rlm => format!("{}/research/{ticket}-rlm.pack.json", place::DIR),
        }
    }

    /// The JSON Schema of the pack or, for the log, of a line.
    #[must_use]
    pub fn schema(self) -> &'static str {
        match self {
            Self::Semantic => include_str!("../schemas/semantic-pack.schema.json"),
            Self::Decisions => include_str!("../schemas/decisions-pack.schema.json"),
            Self::Rlm => include_str!("../schemas/research-pack.schema.json"),
            Self::Log => include_str!("../schemas/decision.schema.json"),
        }
    }
}

/// The JSON Schema of a slice.
pub const SLICE_SCHEMA: &str = include_str!("../schemas/memory-slice.schema.json");

/// A pack as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// Path relative to the root.
    pub path: String,
    /// The whole content of the file.
    pub text: String,
}

impl Pack {
    /// Writes the pack, unless its file has this text already; returns whether it was written.
    ///
    /// # Errors
    /// When a directory is a link, or the file cannot be written.
    pub fn write(&self, root: &Path) -> Result<bool, PackError> {
        place::write(root, &self.path, &self.text)
    }
}

/// Everything that the packs of a ticket are made from, except the code index.
#[derive(Debug)]
pub struct Gathered<'a> {
    project: &'a Project,
    ticket: String,
    slug: String,
    branch: Option<String>,
    memories: Memories,
    documents: Vec<Document>,
    limits: Limits,
}

/// The branch that is checked out in the project, and the ticket of the work on it.
///
/// # Errors
/// When the contexts of branches cannot be read.
pub fn current_ticket(root: &Path) -> Result<(Option<String>, String), PackError> {
    let branch = Repository::open(root).ok().and_then(|repository| repository.branch());
    let feature = match &branch {
        Some(branch) => aidd_memory::journal::Journal::new(root).branch(branch)?,
        None => None,
    };
    let feature = feature.and_then(|(context, _)| context.feature);
    let ticket = ticket::of_branch(branch.as_deref(), feature.as_deref());
    Ok((branch, ticket))
}

/// Reads what the packs of a ticket are made from; without `ticket`, of the ticket of the branch that
/// is checked out.
///
/// # Errors
/// When the name of the ticket is invalid, or the tracked memory cannot be read.
pub fn gather<'a>(
    project: &'a Project,
    ticket: Option<&str>,
    limits: Limits,
) -> Result<Gathered<'a>, PackError> {
    let (branch, current) = current_ticket(project.root())?;
    let ticket = match ticket {
        Some(ticket) => ticket::check(ticket)?.to_owned(),
        None => current.clone(),
    };
    let memories = memories::read(&project.disk)?;
    // The branch that is checked out says nothing about another ticket.
    let branch = branch.filter(|_| ticket == current);
    let context = memories.branch(branch.as_deref());
    let own: Vec<&str> = context
        .into_iter()
        .flat_map(|context| [context.spec.as_deref(), context.plan.as_deref()])
        .flatten()
        .filter(|path| path.ends_with(".md"))
        .collect();
    let documents = documents::read(&project.disk, &ticket, &own);
    let named = context.and_then(|context| context.feature.clone()).or_else(|| branch.clone());
    let slug =
        ticket::slug(named.as_deref().filter(|_| ticket != ticket::PROJECT).unwrap_or(&ticket));
    Ok(Gathered { project, ticket, slug, branch, memories, documents, limits })
}

impl Gathered<'_> {
    /// The ticket of the packs.
    #[must_use]
    pub fn ticket(&self) -> &str {
        &self.ticket
    }

    /// The number of decisions of the ticket.
    #[must_use]
    pub fn own_decisions(&self) -> usize {
        let own = self.memories.decisions.iter();
        own.filter(|decision| decision.ticket == self.ticket).count()
    }

    /// The documents that the packs summarize.
    pub fn document_paths(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().map(|document| &*document.path)
    }

    fn head(&self, schema: &str, kind: &str, source: &str) -> Vec<(&'static str, Value)> {
        vec![
            ("schema", schema.into()),
            ("pack_version", 1.into()),
            ("type", kind.into()),
            ("kind", "pack".into()),
            ("ticket", self.ticket.clone().into()),
            ("slug_hint", self.slug.clone().into()),
            ("generated_at", times::utc(self.memories.newest).into()),
            ("source_path", budget::one_line(source, 200).into()),
        ]
    }

    fn semantic(&self, code: Option<&mut Code<'_>>) -> Result<Draft, PackError> {
        let source = self.documents.first().map_or(self.memories.folder, |document| &document.path);
        let head = self.head(semantic::SCHEMA, "memory-semantic", source);
        let branch = self.branch.as_deref();
        let (documents, memories) = (&*self.documents, &self.memories);
        Ok(semantic::pack(self.project, code, documents, memories, (branch, head))?)
    }

    fn decisions(&self) -> Draft {
        let source = format!("{}/decisions.jsonl", self.memories.folder);
        let head = self.head(decisions::PACK_SCHEMA, "memory-decisions", &source);
        decisions::pack(&self.memories, &self.ticket, head)
    }

    /// The lines that the work on the ticket changed in indexed files.
    fn changed(&self, code: &mut Code<'_>) -> ChangedLines {
        let Some(branch) = self.branch.as_deref() else { return ChangedLines::new() };
        let disk = &self.project.disk;
        let default = Repository::open(disk.root()).ok().and_then(|git| git.default_branch());
        let base = default.filter(|default| default != branch);
        let mut lines = |rev: Option<&str>| {
            let commit = base_commit(disk.root(), rev)?;
            code.changed(&commit, || changed_lines_since(disk, &commit))
        };
        // Without a common commit, only the uncommitted changes are known.
        lines(base.as_deref()).or_else(|_| lines(None)).unwrap_or_default()
    }

    fn research(&self, mut code: Option<&mut Code<'_>>) -> Result<Draft, PackError> {
        let head = self.head(research::SCHEMA, "research-rlm", ".aidd/data.index.db");
        let modified = self.memories.branch(self.branch.as_deref());
        let modified = modified.map_or(&[][..], |context| &context.files_modified);
        let changed = code.as_deref_mut().map(|code| self.changed(code)).unwrap_or_default();
        Ok(research::pack(code, &changed, modified, &self.documents, head)?)
    }

    fn render(&self, kind: PackKind, mut draft: Draft, code: Option<&mut Code<'_>>) -> Pack {
        let rows =
            draft.sections.iter().map(|section| Value::from(section.rows.clone()).to_string());
        let rows: Vec<String> = rows.collect();
        let parts: Vec<&str> = rows.iter().map(String::as_str).collect();
        let input_hash = digest(&parts);
        draft.stats.insert("input_hash".to_owned(), input_hash.clone().into());
        let inputs = match kind {
            PackKind::Semantic => self.documents.len() + self.memories.conventions.len(),
            PackKind::Decisions | PackKind::Log => self.memories.decisions.len(),
            PackKind::Rlm => draft.sections.first().map_or(0, |files| files.rows.len()),
        };
        draft.stats.insert("inputs".to_owned(), inputs.into());
        let others = format!("{:?} {:?} {:?}", draft.head, draft.stats, self.limits);
        let input = digest(&[&input_hash, &others]);
        self.stored_or(kind, input, code, || draft.render(self.limits, self.project.distribution()))
    }

    /// The stored pack, if it was rendered from this input; otherwise, the pack with the text that
    /// `render` returns.
    fn stored_or(
        &self,
        kind: PackKind,
        input: String,
        code: Option<&mut Code<'_>>,
        render: impl FnOnce() -> String,
    ) -> Pack {
        let path = kind.path(&self.ticket);
        let Some(code) = code else { return Pack { path, text: render() } };
        if let Some(text) = code.rendered(self.project.root(), &path, &input) {
            return Pack { path, text };
        }
        let pack = Pack { path, text: render() };
        code.remember(&pack, input);
        pack
    }

    /// One pack, with the facts of the code index if there is one; stored answers are not used.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn pack(&self, kind: PackKind, reader: Option<&Reader>) -> Result<Pack, PackError> {
        let mut code = reader.map(Code::new);
        let draft = self.draft(kind, code.as_mut())?;
        Ok(match draft {
            Some(draft) => self.render(kind, draft, None),
            None => self.log(None),
        })
    }

    /// The pack before it is cut to its budget; `None` for the log.
    fn draft(
        &self,
        kind: PackKind,
        code: Option<&mut Code<'_>>,
    ) -> Result<Option<Draft>, PackError> {
        Ok(match kind {
            PackKind::Semantic => Some(self.semantic(code)?),
            PackKind::Decisions => Some(self.decisions()),
            PackKind::Rlm => Some(self.research(code)?),
            PackKind::Log => None,
        })
    }

    /// All packs. With an index, what did not change since the last call is not determined again.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn packs(&self, reader: Option<&Reader>) -> Result<Vec<Pack>, PackError> {
        let root = self.project.root();
        let mut code = reader.map(|reader| Code::load(root, reader)).transpose()?;
        let mut packs = Vec::new();
        for kind in PackKind::ALL {
            packs.push(match self.draft(kind, code.as_mut())? {
                Some(draft) => self.render(kind, draft, code.as_mut()),
                None => self.log(code.as_mut()),
            });
        }
        if let Some(code) = code {
            code.save(root);
        }
        Ok(packs)
    }

    fn log(&self, code: Option<&mut Code<'_>>) -> Pack {
        let lines = decisions::log(&self.memories, &self.ticket);
        let parts: Vec<&str> = lines.iter().map(String::as_str).collect();
        let input = digest(&parts);
        self.stored_or(PackKind::Log, input, code, || {
            let lines = budget::masked(lines, self.project.distribution());
            lines.into_iter().map(|line| line + "\n").collect()
        })
    }
}
