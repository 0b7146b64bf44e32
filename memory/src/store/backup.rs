//! A second copy of the data that only the store contains: sessions, observations, checkpoints,
//! lifecycles, statistics. The tracked files are the copy of permanent memory.
//!
//! The backup is a log next to the store (`data.db.backup`). Each write that changes such records
//! is appended as one line right after it was committed: JSON, the number of the write and a
//! checksum, separated by tabs. The log is not synced to disk, so a write costs only a small
//! append; a power failure loses the lines that the system had not written yet. When most of the
//! log is out of date, it is replaced by a snapshot of the store, made under the write lock of the
//! store and renamed into place. The store contains the number of its last such write: a store that
//! is behind its backup has lost writes (it was deleted, truncated, or lost its own log), and the
//! lost writes are restored when the store is opened.
#![expect(clippy::disallowed_methods, reason = "reads and writes the store's files")]

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

/// Id of the document in [`Table::Meta`] that contains the number of the last write.
pub(super) const LAST_WRITE_DOCUMENT: &str = "local-writes";

/// Bytes by which a log must exceed twice the length of its snapshot before a new snapshot replaces
/// it.
const SNAPSHOT_SLACK_BYTES: u64 = 4 << 20;
/// Maximum length in bytes of a log that is replaced by a snapshot at each deletion. In a longer
/// log, deleted records remain until the next snapshot.
const MAX_SHORT_LOG_BYTES: u64 = 1 << 20;
/// Maximum number of bytes read from a log.
const MAX_LOG_BYTES: u64 = 1 << 30;
/// Number of bytes at the end of a log that contain its last number.
const TAIL_BYTES: u64 = 128;
/// Version of the log format.
const VERSION: u32 = 1;

/// The first line of a log.
#[derive(Serialize, Deserialize)]
struct Header {
    aidd: String,
    version: u32,
    /// Length in bytes of the snapshot at the beginning of the log.
    snapshot: u64,
}

/// The state of a record after a write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "change")]
pub enum Change {
    /// A memory outside the tracked files, with the links from it.
    Entry {
        /// The memory itself.
        entry: Box<Entry>,
        /// The links from the memory.
        links: Vec<Link>,
    },
    /// A stored document, such as a session.
    Document {
        /// Name of the document's table.
        table: String,
        /// Id of the document.
        id: String,
        /// Creation time, in milliseconds since 1970.
        at: i64,
        /// Content of the document.
        document: Value,
    },
    /// A memory or a document that was deleted.
    Deleted {
        /// Name of the record's table; [`ENTRIES`] for a memory.
        table: String,
        /// Id of the record.
        id: String,
    },
}

/// The table name that identifies memories in a [`Change`].
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
pub(super) struct ChangedRecords {
    entries: BTreeSet<String>,
    documents: BTreeMap<(Table, String), Option<(i64, Value)>>,
}

impl ChangedRecords {
    /// Notes that a memory was added, changed or deleted. Permanent memories are ignored.
    pub(super) fn record_entry(&mut self, id: &str, layer: Option<Layer>) {
        if layer.is_some_and(|layer| layer != Layer::Permanent) {
            self.entries.insert(id.to_owned());
        }
    }

    /// Notes that a document was stored, or deleted if `put` is `None`.
    pub(super) fn record_document(&mut self, table: Table, id: &str, put: Option<(i64, Value)>) {
        if table != Table::Meta {
            self.documents.insert((table, id.to_owned()), put);
        }
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.documents.is_empty()
    }

    /// Reads the new state of the changed records from the store.
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

/// Path of the backup of the store at `path`.
pub(crate) fn path_of(store: &Path) -> PathBuf {
    with_suffix(store, ".backup")
}

/// A line to append once its write is committed.
#[derive(Debug)]
pub(super) struct Line(String);

/// Prepares the backup of a write that is about to be committed. Returns the line to append
/// afterwards, or `None` when there is nothing to append or a snapshot was made.
///
/// # Errors
/// When the store cannot be accessed. A backup error is stored in `fault` and does not fail the
/// write.
pub(super) fn prepare(
    store: &mut dyn StorageBackend,
    changed_records: ChangedRecords,
    fault: &mut Option<String>,
) -> Result<Option<Line>, MemoryError> {
    if changed_records.is_empty() {
        return Ok(None);
    }
    let path = path_of(store.path());
    let number = store.writes()?;
    if let Some(last) = last_number(&path).filter(|last| *last > number) {
        // The store is behind: a process was killed between its snapshot and its commit, or the
        // store has lost writes. The writes are restored when the store is next opened. Until then,
        // each write is appended to the backup under the lock of the store, with a number that the
        // store does not have.
        let changes = changed_records.changes(store)?;
        *fault = Line(format_line(last + 1, &changes)?).add(store.path());
        return Ok(None);
    }
    let number = number + 1;
    store.set_writes(number)?;
    let changes = changed_records.changes(store)?;
    let has_deletions = changes.iter().any(|change| matches!(change, Change::Deleted { .. }));
    if !is_snapshot_due(&path, has_deletions) {
        return Ok(Some(Line(format_line(number, &changes)?)));
    }
    let all = format_line(number, &local_data(store)?)?;
    let header = Header { aidd: "backup".to_owned(), version: VERSION, snapshot: all.len() as u64 };
    let text = format!("{}\n{all}\n", serde_json::to_string(&header)?);
    *fault = place::refuse_link(&path)
        .and_then(|()| json::replace(&path, text.as_bytes()))
        .err()
        .map(|error| write_fault(&path, &error.to_string()));
    Ok(None)
}

fn write_fault(path: &Path, why: &str) -> String {
    format!("the backup {} cannot be written: {why}", path.display())
}

/// Whether to replace the log with a snapshot.
fn is_snapshot_due(path: &Path, has_deletions: bool) -> bool {
    let Some(length) = length(path) else { return true };
    if length <= MAX_SHORT_LOG_BYTES {
        return has_deletions;
    }
    if length <= SNAPSHOT_SLACK_BYTES {
        return false;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(TAIL_BYTES).read_to_end(&mut start));
    let header = read.ok().and_then(|_| parse_header(&start));
    header.is_none_or(|header| length > SNAPSHOT_SLACK_BYTES + 2 * header.snapshot)
}

fn parse_header(bytes: &[u8]) -> Option<Header> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    serde_json::from_slice(line).ok().filter(|header: &Header| header.aidd == "backup")
}

/// Length of the file in bytes; `None` when it is not a file.
fn length(path: &Path) -> Option<u64> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len())
}

/// All data that only the store contains.
fn local_data(store: &mut dyn StorageBackend) -> Result<Vec<Change>, MemoryError> {
    let query = Query {
        statuses: Status::ALL.to_vec(),
        order: Order::Oldest,
        ..Query::new(Layers::SESSION.union(Layers::LOCAL))
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
        for (id, at, document) in store.rows(table, "")? {
            all.push(Change::Document { table: table.name().to_owned(), id, at, document });
        }
    }
    Ok(all)
}

fn format_line(number: i64, changes: &[Change]) -> Result<String, MemoryError> {
    let changes = serde_json::to_string(changes)?;
    let check = id::digest(&[&number.to_string(), &changes]);
    Ok(format!("{changes}\t{number}\t{check}"))
}

/// The number and the changes of a line. The tabs are separators, because JSON contains no
/// unescaped tabs.
fn parse_line(line: &str) -> Option<(i64, &str)> {
    let (rest, check) = line.rsplit_once('\t')?;
    let (changes, number) = rest.rsplit_once('\t')?;
    (id::digest(&[number, changes]) == check).then_some((number.parse().ok()?, changes))
}

impl Line {
    /// Appends the line to the backup of the store at `store`; returns an error message on failure.
    pub(super) fn add(self, store: &Path) -> Option<String> {
        let path = path_of(store);
        // The first newline terminates a partial line that a killed process can have left.
        let text = format!("\n{}\n", self.0);
        length(&path)?;
        let added = OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        added.err().map(|error| write_fault(&path, &error.to_string()))
    }
}

/// The number of the last write in the backup at `path`; `None` when there is none.
#[must_use]
pub fn last_number(path: &Path) -> Option<i64> {
    let length = length(path)?;
    let mut tail = Vec::new();
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
    file.take(TAIL_BYTES).read_to_end(&mut tail).ok()?;
    let text = String::from_utf8_lossy(&tail);
    let last = text.strip_suffix('\n').and_then(|text| text.lines().next_back());
    match last.and_then(|line| line.rsplit('\t').nth(1)?.parse().ok()) {
        Some(number) => Some(number),
        // A killed process left a partial line at the end.
        None => read(path).ok().filter(|backup| backup.last > 0).map(|backup| backup.last),
    }
}

/// Whether the file at `path` has lines, but none of them can be read as a line of a backup.
#[must_use]
pub fn is_damaged(path: &Path) -> bool {
    // If the last line has a number, the other lines need not be read.
    last_number(path).is_none()
        && read(path).is_ok_and(|backup| backup.lost > 0 && backup.last == 0)
}

/// The content of a backup.
#[derive(Debug, Default)]
pub struct Backup {
    /// The last change of each record, with the number of the write that made the change.
    pub changes: Vec<(i64, Change)>,
    /// The number of the last write; 0 when there is none.
    pub last: i64,
    /// Number of unreadable lines.
    pub lost: usize,
    /// Time of the last write, in milliseconds since 1970.
    pub written: i64,
}

/// Reads the backup at `path`.
///
/// # Errors
/// When the backup does not exist or cannot be read.
pub fn read(path: &Path) -> Result<Backup, MemoryError> {
    let io = |error| MemoryError::io(path)(error);
    if length(path).is_none() {
        return Err(io(std::io::ErrorKind::NotFound.into()));
    }
    let file = File::open(path).map_err(io)?;
    let modified = file.metadata().and_then(|data| data.modified()).map_err(io)?;
    let written = modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let mut bytes = Vec::new();
    file.take(MAX_LOG_BYTES).read_to_end(&mut bytes).map_err(io)?;
    let mut backup =
        Backup { written: i64::try_from(written).unwrap_or(i64::MAX), ..Backup::default() };
    if parse_header(&bytes).is_some_and(|header| header.version > VERSION) {
        return Err(MemoryError::Invalid(format!(
            "the backup {} was written by a newer aidd; update aidd",
            path.display()
        )));
    }
    let mut writes: Vec<(i64, Vec<Change>)> = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let text = std::str::from_utf8(line).ok();
        let write = text.and_then(parse_line).and_then(|(number, changes)| {
            serde_json::from_str(changes).ok().map(|changes| (number, changes))
        });
        match write {
            Some(write) => writes.push(write),
            None if parse_header(line).is_some() => {}
            None => backup.lost += 1,
        }
    }
    // A line can follow the line of a later write, or the snapshot that contains its changes.
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
