//! A second copy of what only the store holds: sessions, observations, checkpoints, lifecycles,
//! figures. Permanent memory has its own in the tracked files.
//!
//! The backup is a log beside the store (`data.db.backup`). Each write that changes such records is
//! added to it as one line right after it was committed: JSON, the number of the write and a check,
//! with tabs between. Nothing waits for the disk, so a write costs what a small append costs; what a
//! power cut takes is what the system had not written yet. When most of the log is out of date, a
//! snapshot of the store takes its place, made under the write lock of the store and renamed into
//! place. The store holds the number of its last such write: one that is behind its backup has lost
//! writes (it was deleted, cut off, or lost its own log), and whoever opens it restores them.
#![expect(clippy::disallowed_methods, reason = "this is where the store's files are touched")]

use super::{
    Layer, Layers, MemoryError, Order, Query, StorageBackend, Table, json, place, with_suffix,
};
use crate::id;
use crate::types::{Entry, Link, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The document of [`Table::Meta`] that holds the number of the last write.
pub(super) const NUMBER: &str = "local-writes";

/// A log is replaced by a snapshot when it is longer than the last one twice, and these bytes.
const SLACK: u64 = 4 << 20;
/// What was deleted goes at once while the log is no longer than this, and else with the next
/// snapshot.
const SHORT: u64 = 1 << 20;
/// No more of a log is read.
const LONGEST: u64 = 1 << 30;
/// Bytes of the end of a log in which its last number stands.
const TAIL: u64 = 128;
/// The form of the log.
const VERSION: u32 = 1;

/// The first line of a log.
#[derive(Serialize, Deserialize)]
struct Header {
    aidd: String,
    version: u32,
    /// Bytes of the snapshot that the log begins with.
    snapshot: u64,
}

/// A record as a write left it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "change")]
pub enum Change {
    /// A memory outside the tracked files, with the links that start at it.
    Entry {
        /// The memory.
        entry: Box<Entry>,
        /// Its links.
        links: Vec<Link>,
    },
    /// A document.
    Document {
        /// The name of its table.
        table: String,
        /// Its id.
        id: String,
        /// When it was made.
        at: i64,
        /// What it holds.
        document: Value,
    },
    /// A memory or a document that was deleted.
    Deleted {
        /// The name of its table; [`ENTRIES`] for a memory.
        table: String,
        /// Its id.
        id: String,
    },
}

/// What stands for the table of memories in a [`Change`].
pub const ENTRIES: &str = "memories";

impl Change {
    /// The table and the id of the record.
    #[must_use]
    pub fn key(&self) -> (&str, &str) {
        match self {
            Self::Entry { entry, .. } => (ENTRIES, &entry.id),
            Self::Document { table, id, .. } | Self::Deleted { table, id } => (table, id),
        }
    }
}

/// The records that a write has changed so far.
#[derive(Debug, Default)]
pub(super) struct Touched {
    entries: BTreeSet<String>,
    documents: BTreeMap<(Table, String), Option<(i64, Value)>>,
}

impl Touched {
    /// A memory was put, changed or deleted; one of the tracked files is none of ours.
    pub(super) fn entry(&mut self, id: &str, layer: Option<Layer>) {
        if layer.is_some_and(|layer| layer != Layer::Permanent) {
            self.entries.insert(id.to_owned());
        }
    }

    /// A document was put, or deleted.
    pub(super) fn document(&mut self, table: Table, id: &str, put: Option<(i64, Value)>) {
        if table != Table::Meta {
            self.documents.insert((table, id.to_owned()), put);
        }
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.documents.is_empty()
    }

    fn changes(self, store: &mut dyn StorageBackend) -> Result<Vec<Change>, MemoryError> {
        let mut changes = Vec::new();
        for id in self.entries {
            changes.push(match store.entry(&id)? {
                Some(entry) => {
                    let mut links = store.links(&id)?;
                    links.retain(|link| link.from == id);
                    Change::Entry { entry: Box::new(entry), links }
                }
                None => Change::Deleted { table: ENTRIES.to_owned(), id },
            });
        }
        for ((table, id), put) in self.documents {
            let table = table.name().to_owned();
            changes.push(match put {
                Some((at, document)) => Change::Document { table, id, at, document },
                None => Change::Deleted { table, id },
            });
        }
        Ok(changes)
    }
}

/// Where the backup of the store at `path` lies.
pub(crate) fn path_of(store: &Path) -> PathBuf {
    with_suffix(store, ".backup")
}

/// A line that is to be added once its write is committed.
#[derive(Debug)]
pub(super) struct Line(String);

/// Gets the backup of a write ready that is about to be committed: the line to add after that, or
/// `None` when there is nothing to add, or a snapshot was made.
///
/// # Errors
/// When the store does not answer. A backup that cannot be written is `fault`, and fails no write.
pub(super) fn prepare(
    store: &mut dyn StorageBackend,
    touched: Touched,
    fault: &mut Option<String>,
) -> Result<Option<Line>, MemoryError> {
    if touched.is_empty() {
        return Ok(None);
    }
    let path = path_of(store.path());
    let number = store.writes()?;
    if let Some(last) = last_number(&path).filter(|last| *last > number) {
        // The store is behind: a process was killed between its snapshot and its commit, or the
        // store has lost writes. Whoever opens it next restores them. Until then each write joins
        // the backup under the lock of the store, with a number that the store does not have.
        let changes = touched.changes(store)?;
        *fault = Line(line(last + 1, &changes)?).add(store.path());
        return Ok(None);
    }
    let number = number + 1;
    store.set_writes(number)?;
    let changes = touched.changes(store)?;
    let deletes = changes.iter().any(|change| matches!(change, Change::Deleted { .. }));
    if !is_due(&path, deletes) {
        return Ok(Some(Line(line(number, &changes)?)));
    }
    let all = line(number, &local(store)?)?;
    let header = Header { aidd: "backup".to_owned(), version: VERSION, snapshot: all.len() as u64 };
    let text = format!("{}\n{all}\n", serde_json::to_string(&header)?);
    *fault = place::refuse_link(&path)
        .and_then(|()| json::replace(&path, text.as_bytes()))
        .err()
        .map(|error| fault_of(&path, &error.to_string()));
    Ok(None)
}

fn fault_of(path: &Path, why: &str) -> String {
    format!("the backup {} cannot be written: {why}", path.display())
}

/// Whether a snapshot is to take the place of the log.
fn is_due(path: &Path, deletes: bool) -> bool {
    let Some(length) = length(path) else { return true };
    if length <= SHORT {
        return deletes;
    }
    if length <= SLACK {
        return false;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(TAIL).read_to_end(&mut start));
    let header = read.ok().and_then(|_| header(&start));
    header.is_none_or(|header| length > SLACK + 2 * header.snapshot)
}

fn header(bytes: &[u8]) -> Option<Header> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    serde_json::from_slice(line).ok().filter(|header: &Header| header.aidd == "backup")
}

/// How long the file is; `None` where no file is.
fn length(path: &Path) -> Option<u64> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len())
}

/// Everything that only the store holds.
fn local(store: &mut dyn StorageBackend) -> Result<Vec<Change>, MemoryError> {
    let query = Query {
        statuses: Status::ALL.to_vec(),
        order: Order::Oldest,
        ..Query::new(Layers::SESSION.and(Layers::LOCAL))
    };
    let mut links: BTreeMap<String, Vec<Link>> = BTreeMap::new();
    for link in store.all_links()? {
        links.entry(link.from.clone()).or_default().push(link);
    }
    let mut all: Vec<Change> = Vec::new();
    for entry in store.entries(&query)? {
        let links = links.remove(&entry.id).unwrap_or_default();
        all.push(Change::Entry { entry: Box::new(entry), links });
    }
    for table in Table::ALL.into_iter().filter(|table| *table != Table::Meta) {
        for (id, at, document) in store.rows(table)? {
            all.push(Change::Document { table: table.name().to_owned(), id, at, document });
        }
    }
    Ok(all)
}

fn line(number: i64, changes: &[Change]) -> Result<String, MemoryError> {
    let changes = serde_json::to_string(changes)?;
    let check = id::digest(&[&number.to_string(), &changes]);
    Ok(format!("{changes}\t{number}\t{check}"))
}

/// The number and the changes of a line; JSON holds no tab of its own.
fn parts(line: &str) -> Option<(i64, &str)> {
    let (rest, check) = line.rsplit_once('\t')?;
    let (changes, number) = rest.rsplit_once('\t')?;
    (id::digest(&[number, changes]) == check).then_some((number.parse().ok()?, changes))
}

impl Line {
    /// Adds the line to the backup of the store at `store`; what went wrong.
    pub(super) fn add(self, store: &Path) -> Option<String> {
        let path = path_of(store);
        // Ends what a killed process left of a line.
        let text = format!("\n{}\n", self.0);
        length(&path)?;
        let added = OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        added.err().map(|error| fault_of(&path, &error.to_string()))
    }
}

/// The number of the last write in the backup at `path`; `None` when there is none.
#[must_use]
pub fn last_number(path: &Path) -> Option<i64> {
    let length = length(path)?;
    let mut tail = Vec::new();
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    let text = String::from_utf8_lossy(&tail);
    let last = text.strip_suffix('\n').and_then(|text| text.lines().next_back());
    match last.and_then(|line| line.rsplit('\t').nth(1)?.parse().ok()) {
        Some(number) => Some(number),
        // Its end is what a killed process left.
        None => read(path).ok().filter(|backup| backup.last > 0).map(|backup| backup.last),
    }
}

/// What a backup holds.
#[derive(Debug, Default)]
pub struct Backup {
    /// The last change of each record and the number of its write.
    pub changes: Vec<(i64, Change)>,
    /// The number of the last write; 0 when there is none.
    pub last: i64,
    /// Lines that could not be read.
    pub lost: usize,
    /// When it was last written, in milliseconds since 1970.
    pub written: i64,
}

/// Reads the backup at `path`.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn read(path: &Path) -> Result<Backup, MemoryError> {
    let io = |error| MemoryError::io(path)(error);
    if length(path).is_none() {
        return Err(io(std::io::ErrorKind::NotFound.into()));
    }
    let file = File::open(path).map_err(io)?;
    let modified = file.metadata().and_then(|data| data.modified()).map_err(io)?;
    let written = modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).map_err(io)?;
    let mut backup =
        Backup { written: i64::try_from(written).unwrap_or(i64::MAX), ..Backup::default() };
    if header(&bytes).is_some_and(|header| header.version > VERSION) {
        return Err(MemoryError::Invalid(format!(
            "the backup {} was written by a newer aidd",
            path.display()
        )));
    }
    let mut writes: Vec<(i64, Vec<Change>)> = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let text = std::str::from_utf8(line).ok();
        let write = text.and_then(parts).and_then(|(number, changes)| {
            serde_json::from_str(changes).ok().map(|changes| (number, changes))
        });
        match write {
            Some(write) => writes.push(write),
            None if header(line).is_some() => {}
            None => backup.lost += 1,
        }
    }
    // A process may add its line after a later write, or after the snapshot that holds it.
    let snapshot = writes.first().map_or(0, |(number, _)| *number);
    writes.retain(|(number, _)| *number >= snapshot);
    writes.sort_by_key(|(number, _)| *number);
    backup.last = writes.last().map_or(0, |(number, _)| *number);
    let mut last: BTreeMap<(String, String), (i64, Change)> = BTreeMap::new();
    for (number, changes) in writes {
        for change in changes {
            let (table, id) = change.key();
            last.insert((table.to_owned(), id.to_owned()), (number, change));
        }
    }
    backup.changes = last.into_values().collect();
    Ok(backup)
}
