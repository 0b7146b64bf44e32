//! Storage of memory in a checkout: one trait, implemented by SQLite (`sqlite`) and a JSON log
//! (`json`).
//!
//! The store mirrors the tracked files and contains the data that is not tracked. It does not
//! interpret records: it stores them, and finds them by the values of their fields.

mod aside;
pub mod backup;
mod conflict_candidates;
pub mod json;
pub mod lock;
mod migrations;
mod ownership;
pub mod place;
mod query;
pub mod salvage;
pub mod sqlite;

use super::MemoryError;
use super::log::Revision;
use super::privacy::Clean;
use super::recall::prepare::COLUMNS;
use super::similarity::SketchRow;
use super::types::{Entry, Kind, Layer, Link, Outcome, Status};
use aidd_lexicon::embedding::Vector;
pub use aside::{repaired_notice, set_aside};
pub use conflict_candidates::ConflictCandidates;
pub use query::{Layers, Order, Query};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// The part of a write that must survive a power failure. At both levels, writes survive the end of
/// the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The whole write, once it is acknowledged.
    Full,
    /// The last writes can be lost; the store stays consistent.
    Normal,
}

/// Tables of plain JSON documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// Metadata of the store and of the tracked files.
    Meta,
    /// [`super::records::SessionState`].
    Sessions,
    /// [`super::records::Lifecycle`].
    Lifecycles,
    /// Figures of reports over time, by the name of the report.
    Analytics,
}

impl Table {
    /// All tables, in order.
    pub const ALL: [Self; 4] = [Self::Meta, Self::Sessions, Self::Lifecycles, Self::Analytics];

    /// The table's name in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Sessions => "sessions",
            Self::Lifecycles => "lifecycles",
            Self::Analytics => "analytics",
        }
    }
}

/// A line of a tracked file, mirrored in the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MirroredLine {
    /// Name of the file as in [`Kind::file`], or of a file in an older format.
    pub file: String,
    /// Whether the file contains the line now. A line that was removed, by hand or by switching
    /// branches, is retained.
    pub present: bool,
    /// The parsed line.
    pub line: Revision,
}

/// Number of occurrences of a term in each text of a memory: see [`super::recall`].
pub type Counts = [u8; COLUMNS.len()];

/// The data of a memory that the search index needs.
#[derive(Clone, Debug)]
pub struct SearchData {
    /// Row number in the store's own index.
    pub row: i64,
    /// Id of the memory.
    pub id: Box<str>,
    /// Type of the memory.
    pub kind: Kind,
    /// Layer of the memory.
    pub layer: Layer,
    /// Status of the memory; removed memories are included.
    pub status: Status,
    /// Creation time, in milliseconds since 1970.
    pub created_at: i64,
    /// The topic, normalised by [`topic_key`](super::words::topic_key).
    pub topic_key: Option<Box<str>>,
    /// Session in which the memory was recorded.
    pub session_id: Option<Box<str>>,
    /// Branch on which the memory was recorded.
    pub branch: Option<Box<str>>,
    /// Outcome of a decision.
    pub outcome: Option<Outcome>,
    /// Files that the memory names.
    pub files: Vec<String>,
    /// Number of terms.
    pub length: u32,
    /// Whether the text ends with a question.
    pub is_question: bool,
    /// Embedding vector; `None` when another version of aidd computed it differently.
    pub vector: Option<Vector>,
    /// The texts as terms separated by spaces.
    pub columns: Option<[String; COLUMNS.len()]>,
}

/// Selects sessions.
#[derive(Clone, Copy, Debug)]
pub enum Sessions<'a> {
    /// Sessions that have not ended.
    Open,
    /// Sessions of a client conversation, by the client's id of the conversation.
    Conversation(&'a str),
}

/// Storage for records. Writes are made between [`begin`](Self::begin) and
/// [`commit`](Self::commit), during which no other process writes; use [`transaction`] for this.
///
/// Every method fails with [`MemoryError::Corrupt`] when the store is damaged and with
/// [`MemoryError::Store`] when it cannot be accessed.
#[expect(clippy::missing_errors_doc, reason = "documented once, above")]
pub trait StorageBackend: Send + fmt::Debug {
    /// The backend's name: "sqlite" or "json".
    fn name(&self) -> &'static str;

    /// Begins a write; waits up to 30 seconds for other writers.
    fn begin(&mut self, durability: Durability) -> Result<(), MemoryError>;
    /// Commits what was written since [`begin`](Self::begin).
    fn commit(&mut self) -> Result<(), MemoryError>;
    /// Discards what was written since [`begin`](Self::begin).
    fn rollback(&mut self);

    /// Adds or replaces a memory.
    fn put_entry(&mut self, entry: &Clean<Entry>) -> Result<(), MemoryError>;
    /// Sets the status of a memory.
    fn set_status(&mut self, id: &str, status: Status) -> Result<(), MemoryError>;
    /// Deletes a memory and the links from it; returns whether it existed.
    fn delete_entry(&mut self, id: &str) -> Result<bool, MemoryError>;
    /// The memory with this id.
    fn entry(&mut self, id: &str) -> Result<Option<Entry>, MemoryError>;
    /// The permanent memories, except removed ones, with one of these keys: see
    /// [`duplicate_key`](aidd_engine::parse::lines::duplicates::duplicate_key).
    fn with_duplicate_keys(&mut self, keys: &BTreeSet<String>) -> Result<Vec<Entry>, MemoryError>;
    /// Those of the memories `ids` that have the same key as another memory (see
    /// [`Self::with_duplicate_keys`]), and these other memories.
    fn duplicates(&mut self, ids: &BTreeSet<String>) -> Result<BTreeSet<String>, MemoryError>;
    /// The memories that match a query.
    fn entries(&mut self, query: &Query) -> Result<Vec<Entry>, MemoryError>;
    /// Number of memories by layer, type and status, in that order.
    fn counts(&mut self) -> Result<Vec<(Layer, Kind, Status, u32)>, MemoryError>;
    /// A counter that increases with every change of a memory.
    fn change_number(&mut self) -> Result<i64, MemoryError>;
    /// Number of all deletions of memories so far. A deletion does not change the remaining
    /// memories, so a query by change number does not show the deletion.
    fn deletions(&mut self) -> Result<i64, MemoryError>;
    /// Passes the search data of each memory that changed after a change number to `take`.
    /// `with_columns` includes the terms; a store without its own index always includes them.
    fn indexed(
        &mut self,
        after: Option<i64>,
        with_columns: bool,
        take: &mut dyn FnMut(SearchData),
    ) -> Result<(), MemoryError>;
    /// Passes the sketch of each permanent memory that changed after a change number to `take`;
    /// without a change number, of each active permanent memory.
    fn sketches(
        &mut self,
        after: Option<i64>,
        take: &mut dyn FnMut(SketchRow),
    ) -> Result<(), MemoryError>;
    /// The memory with this row of a sketch: see [`Self::sketches`].
    fn entry_in_row(&mut self, row: i64) -> Result<Option<Entry>, MemoryError>;
    /// Whether the store can look up terms with [`Self::postings`].
    fn has_postings(&self) -> bool;
    /// The memories that contain a term, ordered by [`SearchData::row`].
    fn postings(&mut self, term: &str) -> Result<Vec<(i64, Counts)>, MemoryError>;

    /// Replaces the links from a memory.
    fn put_links(&mut self, from: &str, links: &Clean<Vec<Link>>) -> Result<(), MemoryError>;
    /// The links from and to a memory, ordered.
    fn links(&mut self, id: &str) -> Result<Vec<Link>, MemoryError>;
    /// The memories that a memory supersedes directly; the memory itself can be one of them.
    fn superseded_by(&mut self, id: &str) -> Result<Vec<String>, MemoryError>;
    /// The memories that supersede a memory directly; the memory itself can be one of them.
    fn superseding(&mut self, id: &str) -> Result<Vec<String>, MemoryError>;
    /// All links, ordered.
    fn all_links(&mut self) -> Result<Vec<Link>, MemoryError>;
    /// Conflicts in permanent memory, determined by the status of each memory.
    fn conflict_candidates(&mut self) -> Result<ConflictCandidates, MemoryError>;

    /// Adds or replaces a line of a tracked file, identified by file and revision.
    fn put_line(&mut self, line: &Clean<MirroredLine>) -> Result<(), MemoryError>;
    /// Sets whether the file contains a line.
    fn set_present(&mut self, file: &str, rev: &str, present: bool) -> Result<(), MemoryError>;
    /// Deletes a line, so that it cannot be restored.
    fn delete_line(&mut self, file: &str, rev: &str) -> Result<(), MemoryError>;
    /// The lines of a memory.
    fn lines_of(&mut self, id: &str) -> Result<Vec<MirroredLine>, MemoryError>;
    /// Whether the store contains a line of a memory, present or not.
    fn has_lines(&mut self, id: &str) -> Result<bool, MemoryError>;
    /// The lines of a file: revision, memory id, whether the line is present.
    fn lines_in(&mut self, file: &str) -> Result<Vec<(String, String, bool)>, MemoryError>;

    /// Adds or replaces a document created at `at`.
    fn put_document(
        &mut self,
        table: Table,
        id: &str,
        at: i64,
        document: &Clean<Value>,
    ) -> Result<(), MemoryError>;
    /// The document with this id.
    fn document(&mut self, table: Table, id: &str) -> Result<Option<Value>, MemoryError>;
    /// All documents, the last created first.
    fn documents(&mut self, table: Table) -> Result<Vec<Value>, MemoryError>;
    /// The documents of the selected sessions, the last created first; documents of other sessions
    /// can be included.
    fn sessions(&mut self, which: Sessions<'_>) -> Result<Vec<Value>, MemoryError>;
    /// Deletes a document; returns whether it existed.
    fn delete_document(&mut self, table: Table, id: &str) -> Result<bool, MemoryError>;

    /// The documents of a table whose ids begin with `prefix`, with their ids and creation times,
    /// in any order.
    fn rows(
        &mut self,
        table: Table,
        prefix: &str,
    ) -> Result<Vec<(String, i64, Value)>, MemoryError>;
    /// Number of the last write to the data that only the store contains: see [`backup`].
    fn writes(&mut self) -> Result<i64, MemoryError>;
    /// Sets the number of the last write, within a write.
    fn set_writes(&mut self, number: i64) -> Result<(), MemoryError>;
    /// Path of the backup; `None` for a store that is held in RAM.
    fn backup(&self) -> Option<PathBuf>;
    /// Returns and clears the last error of the backup.
    fn take_backup_fault(&mut self) -> Option<String>;

    /// Rebuilds derived data when only derived data is damaged; returns whether the store is now
    /// intact.
    fn repair(&mut self) -> Result<bool, MemoryError>;
    /// Checks the store for damage and returns a description of each fault.
    fn check(&mut self) -> Result<Vec<String>, MemoryError>;
    /// Whether another process renamed the damaged file of this store, so that the store must be
    /// reopened.
    fn is_set_aside(&self) -> bool;
    /// Path of the store's file.
    fn path(&self) -> &Path;
}

/// Runs `work` in one transaction: either all of its writes are committed, or none.
///
/// # Errors
/// The errors of `work` and of the store.
pub fn transaction<T>(
    store: &mut dyn StorageBackend,
    durability: Durability,
    work: &mut dyn FnMut(&mut dyn StorageBackend) -> Result<T, MemoryError>,
) -> Result<T, MemoryError> {
    store.begin(durability)?;
    let result = work(store).and_then(|value| store.commit().map(|()| value));
    if result.is_err() {
        store.rollback();
    }
    result
}

/// Selects a storage backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// SQLite; JSON where SQLite cannot be used.
    #[default]
    Auto,
    /// SQLite only.
    Sqlite,
    /// The JSON log.
    Json,
}

/// An open store, with notices for the user.
#[derive(Debug)]
pub struct OpenedStore {
    /// The open store.
    pub store: Box<dyn StorageBackend>,
    /// Notices, as sentences: about a fallback to another backend, a store that was moved aside, or
    /// a migration.
    pub notices: Vec<String>,
}

/// Opens the store in `folder` (`.aidd`) and creates the directory if it does not exist. A damaged
/// store is renamed and a new one is created.
///
/// # Errors
/// When the store was written by a newer aidd, no backend can be opened, or `folder` is a link.
pub fn open(folder: &Path, choice: BackendChoice, now: i64) -> Result<OpenedStore, MemoryError> {
    place::check(folder)?;
    lock::make_folder(folder)?;
    if !sqlite::exists(folder) && !json::exists(folder) {
        place::ignore_in_git(folder);
    }
    let moved = if choice == BackendChoice::Json { None } else { set_foreign_aside(folder, now)? };
    let mut opened = match choice {
        BackendChoice::Json => json::open(folder, now),
        BackendChoice::Sqlite => sqlite::open(folder, now),
        BackendChoice::Auto => open_best(folder, place::detect_shared(folder), now),
    }?;
    opened.notices.splice(0..0, moved);
    Ok(opened)
}

/// Moves another program's database aside; returns a notice for the user.
fn set_foreign_aside(folder: &Path, now: i64) -> Result<Option<String>, MemoryError> {
    let path = sqlite::path(folder);
    if ownership::detect_foreign(&path).is_none() {
        return Ok(None);
    }
    let _lock = lock::take(&path.with_extension("lock"))?;
    // Another process could have moved the database first.
    let Some(foreign) = ownership::detect_foreign(&path) else { return Ok(None) };
    // The database itself is renamed last: if this process dies in between, the database is found
    // again and gets the same name as its other files.
    let names = |n| foreign.name_aside(folder, now, n);
    let aside = lock::set_aside(&path, &["-wal", "-shm", ""], names)?;
    Ok(Some(foreign.notice(&path, &aside)))
}

/// Opens SQLite where it can be used, otherwise JSON. `shared` describes the file system of
/// `folder` if other machines can share it.
fn open_best(
    folder: &Path,
    shared: Option<place::SharedFileSystem>,
    now: i64,
) -> Result<OpenedStore, MemoryError> {
    let is_new = !sqlite::exists(folder);
    let json = |why: String| {
        let mut opened = json::open(folder, now)?;
        let path = json::path(folder);
        opened.notices.push(format!("memory is stored in {}: {why}", path.display()));
        Ok(opened)
    };
    // The existing store remains in use, so that the data is not split between two stores.
    if is_new && json::exists(folder) {
        let database = sqlite::path(folder);
        return json(match database.symlink_metadata() {
            Ok(_) => format!("{} is not a file; move it away", database.display()),
            Err(_) => "a JSON store already exists there".to_owned(),
        });
    }
    if let Some(place::SharedFileSystem::Network(name)) = shared.filter(|_| is_new) {
        return json(format!("SQLite is not safe on a network file system ({name})"));
    }
    let mut opened = match sqlite::open(folder, now) {
        Err(MemoryError::Store(why)) if is_new => {
            return json(format!("SQLite cannot be used here ({why})"));
        }
        Err(MemoryError::Corrupt(why)) => {
            return json(format!("SQLite cannot be used here ({why})"));
        }
        other => other?,
    };
    match shared {
        Some(place::SharedFileSystem::Network(name)) => opened.notices.push(format!(
            "{} is on a network file system ({name}), where SQLite can lose concurrent writes of \
             two machines",
            folder.display()
        )),
        Some(place::SharedFileSystem::Possibly(name)) if is_new => opened.notices.push(format!(
            "{} could be on a network file system ({name}); if it is, use the store from one \
             machine at a time",
            folder.display()
        )),
        _ => {}
    }
    Ok(opened)
}

/// A store that is held in RAM, used where no file can be written; its data is lost when the
/// process ends.
///
/// # Errors
/// When there is not enough RAM.
pub fn in_memory(folder: &Path) -> Result<OpenedStore, MemoryError> {
    Ok(OpenedStore { store: sqlite::in_memory(folder)?, notices: Vec::new() })
}

/// The path with `suffix` appended to the file name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The migration steps, for tests of other versions.
#[cfg(test)]
pub(super) fn steps() -> &'static [&'static str] {
    migrations::STEPS
}

#[cfg(test)]
mod tests;
