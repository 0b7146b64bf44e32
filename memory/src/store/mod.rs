//! Where memory is kept in a checkout: one trait, with SQLite (`sqlite`) and a JSON log (`json`)
//! behind it.
//!
//! The store mirrors the tracked files and holds what is not tracked. It decides nothing: it keeps
//! records and finds them by plain fields.

mod aside;
pub mod backup;
mod clashes;
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
use super::types::{Entry, Kind, Layer, Link, Outcome, Status};
use aidd_lexicon::embedding::Vector;
pub use aside::{mended, set_aside};
pub use clashes::Clashes;
pub use query::{Layers, Order, Query};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What of a write must outlast a power cut. Either outlasts the end of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// All of it, once the write is acknowledged.
    Full,
    /// The last writes may go; what is left is whole.
    Normal,
}

/// Records that are plain documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// What the store knows of itself and of the tracked files.
    Meta,
    /// [`super::records::SessionState`].
    Sessions,
    /// [`super::records::Lifecycle`].
    Lifecycles,
    /// Figures over time: by name of the figure.
    Analytics,
}

impl Table {
    /// Every table, in order.
    pub const ALL: [Self; 4] = [Self::Meta, Self::Sessions, Self::Lifecycles, Self::Analytics];

    /// Its name in the store.
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

/// A line of a tracked file, mirrored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mirrored {
    /// The file's name, as of [`Kind::file`], or of an older form.
    pub file: String,
    /// Whether the file holds it now. A line that went with a branch, or by hand, is kept aside.
    pub present: bool,
    /// The line.
    pub line: Revision,
}

/// How often a term stands in each text of a memory: see [`super::recall`].
pub type Counts = [u8; COLUMNS.len()];

/// What search needs of a memory to keep an index of it.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// Its number in the store's own index.
    pub row: i64,
    /// The memory.
    pub id: Arc<str>,
    /// What it is.
    pub kind: Kind,
    /// Where it lives.
    pub layer: Layer,
    /// How it stands; removed ones are given too.
    pub status: Status,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// What it is about, as [`topic_key`](super::words::topic_key) sees it.
    pub topic_key: Option<Box<str>>,
    /// The session it comes from.
    pub session_id: Option<Box<str>>,
    /// The branch it comes from.
    pub branch: Option<Box<str>>,
    /// What came of it.
    pub outcome: Option<Outcome>,
    /// The files it names.
    pub files: Vec<String>,
    /// How many terms it has.
    pub length: u32,
    /// What it is about; `None` when it was prepared by another scheme.
    pub vector: Option<Vector>,
    /// Its texts as terms with a space between each two.
    pub columns: Option<[String; COLUMNS.len()]>,
}

/// Which sessions are asked for.
#[derive(Clone, Copy, Debug)]
pub enum Sessions<'a> {
    /// Those that were not ended.
    Open,
    /// Those of a thread, by the client's name for it.
    Thread(&'a str),
}

/// A place for records. Writes are made between [`begin`](Self::begin) and
/// [`commit`](Self::commit), during which nobody else writes; [`transaction`] sees to that.
///
/// Every method fails with [`MemoryError::Corrupt`] when the store is damaged and with
/// [`MemoryError::Store`] when it does not answer.
#[expect(clippy::missing_errors_doc, reason = "said once, above")]
pub trait StorageBackend: Send + fmt::Debug {
    /// Its name: "sqlite", "json".
    fn name(&self) -> &'static str;

    /// Begins a write; waits for other writers, up to 30 seconds.
    fn begin(&mut self, durability: Durability) -> Result<(), MemoryError>;
    /// Makes what was written since [`begin`](Self::begin) last.
    fn commit(&mut self) -> Result<(), MemoryError>;
    /// Forgets what was written since [`begin`](Self::begin).
    fn rollback(&mut self);

    /// Adds or replaces a memory.
    fn put_entry(&mut self, entry: &Clean<Entry>) -> Result<(), MemoryError>;
    /// Changes how a memory stands.
    fn set_status(&mut self, id: &str, status: Status) -> Result<(), MemoryError>;
    /// Takes a memory and the links from it out; whether there was one.
    fn delete_entry(&mut self, id: &str) -> Result<bool, MemoryError>;
    /// The memory with this id.
    fn entry(&mut self, id: &str) -> Result<Option<Entry>, MemoryError>;
    /// The permanent memories, not removed, that say one of `meanings`:
    /// [`meaning_key`](super::meaning::meaning_key).
    fn same(&mut self, meanings: &BTreeSet<String>) -> Result<Vec<Entry>, MemoryError>;
    /// The memories that are asked for.
    fn entries(&mut self, query: &Query) -> Result<Vec<Entry>, MemoryError>;
    /// How many there are of each layer, type and status, in the order of those.
    fn counts(&mut self) -> Result<Vec<(Layer, Kind, Status, u32)>, MemoryError>;
    /// A number that grows with every change of a memory.
    fn mark(&mut self) -> Result<i64, MemoryError>;
    /// How many memories were ever taken out, which no later mark tells of.
    fn deletions(&mut self) -> Result<i64, MemoryError>;
    /// Hands over what search needs of the memories that changed after a mark, each once;
    /// `with_columns` also their terms, which a store without an index of its own always gives.
    fn indexed(
        &mut self,
        after: Option<i64>,
        with_columns: bool,
        take: &mut dyn FnMut(Indexed),
    ) -> Result<(), MemoryError>;
    /// In which memories a term stands, by [`Indexed::row`]; nothing where the store has no index.
    fn places(&mut self, term: &str) -> Result<Vec<(i64, Counts)>, MemoryError>;

    /// Replaces the links from a memory.
    fn put_links(&mut self, from: &str, links: &Clean<Vec<Link>>) -> Result<(), MemoryError>;
    /// The links from and to a memory, ordered.
    fn links(&mut self, id: &str) -> Result<Vec<Link>, MemoryError>;
    /// All links, ordered.
    fn all_links(&mut self) -> Result<Vec<Link>, MemoryError>;
    /// What does not go together in permanent memory, by how each memory stands.
    fn clashes(&mut self) -> Result<Clashes, MemoryError>;

    /// Adds a line of a tracked file, or replaces it: by file and revision.
    fn put_line(&mut self, line: &Clean<Mirrored>) -> Result<(), MemoryError>;
    /// Says whether the file holds a line.
    fn set_present(&mut self, file: &str, rev: &str, present: bool) -> Result<(), MemoryError>;
    /// The lines on a memory.
    fn lines_of(&mut self, id: &str) -> Result<Vec<Mirrored>, MemoryError>;
    /// The lines of a file: revision, memory, whether it is present.
    fn lines_in(&mut self, file: &str) -> Result<Vec<(String, String, bool)>, MemoryError>;

    /// Adds or replaces a document, made at `at`.
    fn put_document(
        &mut self,
        table: Table,
        id: &str,
        at: i64,
        document: &Clean<Value>,
    ) -> Result<(), MemoryError>;
    /// The document with this id.
    fn document(&mut self, table: Table, id: &str) -> Result<Option<Value>, MemoryError>;
    /// All documents, the last made first.
    fn documents(&mut self, table: Table) -> Result<Vec<Value>, MemoryError>;
    /// The documents of some sessions, the last made first; there may be others among them.
    fn sessions(&mut self, which: Sessions<'_>) -> Result<Vec<Value>, MemoryError>;
    /// Takes a document out; whether there was one.
    fn delete_document(&mut self, table: Table, id: &str) -> Result<bool, MemoryError>;

    /// The documents of a table with their ids and when they were made, in no order.
    fn rows(&mut self, table: Table) -> Result<Vec<(String, i64, Value)>, MemoryError>;
    /// The number of the last write of what only the store holds: see [`backup`].
    fn writes(&mut self) -> Result<i64, MemoryError>;
    /// Changes that number, within a write.
    fn set_writes(&mut self, number: i64) -> Result<(), MemoryError>;
    /// Where its backup lies; `None` for a store in memory.
    fn backup(&self) -> Option<PathBuf>;
    /// What went wrong with its backup and was not reported yet.
    fn take_backup_fault(&mut self) -> Option<String>;

    /// Makes what can be made from the rest anew, where that alone is damaged; whether the store is
    /// whole now.
    fn mend(&mut self) -> Result<bool, MemoryError>;
    /// Looks for damage; what was found.
    fn check(&mut self) -> Result<Vec<String>, MemoryError>;
    /// Whether another process put the file aside, so that this one must be opened again.
    fn is_set_aside(&self) -> bool;
    /// Where it lies.
    fn path(&self) -> &Path;
}

/// Runs `work` as one write: all of it lasts, or none.
///
/// # Errors
/// Those of `work` and of the store.
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

/// Which store is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// SQLite; JSON where SQLite cannot work.
    #[default]
    Auto,
    /// SQLite or nothing.
    Sqlite,
    /// The JSON log.
    Json,
}

/// An open store, and what its user should know of it.
#[derive(Debug)]
pub struct Opened {
    /// The store.
    pub store: Box<dyn StorageBackend>,
    /// Sentences: a fallback, a quarantine, a migration.
    pub notices: Vec<String>,
}

/// Opens the store in `folder` (`.aidd`), which is made when it is not there. A damaged one is put
/// aside under another name and a new one is begun.
///
/// # Errors
/// When the store is of a newer aidd, neither kind can be opened, or `folder` is a link.
pub fn open(folder: &Path, wanted: Wanted, now: i64) -> Result<Opened, MemoryError> {
    place::check(folder)?;
    lock::make_folder(folder)?;
    if !sqlite::exists(folder) && !json::exists(folder) {
        place::keep_from_git(folder);
    }
    let moved = if wanted == Wanted::Json { None } else { set_foreign_aside(folder, now)? };
    let mut opened = match wanted {
        Wanted::Json => json::open(folder, now),
        Wanted::Sqlite => sqlite::open(folder, now),
        Wanted::Auto => open_best(folder, place::shared(folder), now),
    }?;
    opened.notices.splice(0..0, moved);
    Ok(opened)
}

/// Moves another program's database out of the way of ours; what to tell the user.
fn set_foreign_aside(folder: &Path, now: i64) -> Result<Option<String>, MemoryError> {
    let path = sqlite::path(folder);
    if ownership::foreign(&path).is_none() {
        return Ok(None);
    }
    let _lock = lock::take(&path.with_extension("lock"))?;
    // Another process may have been faster.
    let Some(foreign) = ownership::foreign(&path) else { return Ok(None) };
    // The database itself last: should this process die in between, it is found again, and gets the
    // name that what belongs to it has.
    let names = |n| ownership::name_aside(folder, now, n);
    let aside = lock::set_aside(&path, &["-wal", "-shm", ""], names)?;
    Ok(Some(foreign.notice(&path, &aside)))
}

/// SQLite where it can work, given what the file system is `shared` by.
fn open_best(
    folder: &Path,
    shared: Option<place::Shared>,
    now: i64,
) -> Result<Opened, MemoryError> {
    let is_new = !sqlite::exists(folder);
    let json = |why: String| {
        let mut opened = json::open(folder, now)?;
        let path = json::path(folder);
        opened.notices.push(format!("memory is kept in {}: {why}", path.display()));
        Ok(opened)
    };
    // Once work has begun in one of them it goes on there: nobody looks for half of it elsewhere.
    if is_new && json::exists(folder) {
        return json("no SQLite store is there".to_owned());
    }
    if let Some(place::Shared::Network(name)) = shared.filter(|_| is_new) {
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
        Some(place::Shared::Network(name)) => opened.notices.push(format!(
            "{} is on a network file system ({name}), where SQLite may lose what two machines \
             write at once",
            folder.display()
        )),
        Some(place::Shared::Perhaps(name)) if is_new => opened.notices.push(format!(
            "{} is on a file system ({name}) that may be a network's; if so, let only one machine \
             work with it at a time",
            folder.display()
        )),
        _ => {}
    }
    Ok(opened)
}

/// A store in memory, for where no file can be written: it is gone with the process.
///
/// # Errors
/// When there is not enough memory.
pub fn in_memory(folder: &Path) -> Result<Opened, MemoryError> {
    Ok(Opened { store: sqlite::in_memory(folder)?, notices: Vec::new() })
}

/// The file beside `path` whose name ends in `suffix`.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The steps of the schema, for tests of other versions.
#[cfg(test)]
pub(super) fn steps() -> &'static [&'static str] {
    migrations::STEPS
}

#[cfg(test)]
mod tests;
