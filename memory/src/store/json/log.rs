//! The log of the JSON store: reading what other processes wrote, appending, rewriting.
//!
//! Each line has a checksum of itself and of the previous checksum. A changed, lost or duplicate
//! line is detected at the next line.
#![expect(clippy::disallowed_methods, reason = "reads and writes the store's files")]

use crate::MemoryError;
use crate::id;
use crate::store::{Durability, backup, lock};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Version of the log format.
const VERSION: i64 = 1;

/// Maximum length of the first line in bytes; the first line that aidd writes is shorter.
const MAX_HEADER_BYTES: usize = 128;

/// A log with more lines than this, most of them out of date, is rewritten.
const MIN_COMPACT_LINES: usize = 4096;

/// The table and the key of a record.
type Key = (String, String);

/// The first line of a log.
#[derive(Serialize, Deserialize)]
struct Header {
    aidd: i64,
    /// Identifies the log file; changes when the log is rewritten.
    #[serde(default)]
    generation: String,
    /// Identifies the store; preserved when the log is rewritten.
    #[serde(default)]
    store: String,
}

/// A change to one record; without a value the record is deleted.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Change(String, String, #[serde(default)] Option<Value>);

/// An open store: the log, and all records from the first `read` bytes of the log.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) path: PathBuf,
    /// Whether the store was closed: a closed store is not read or written.
    pub(super) is_closed: bool,
    generation: String,
    store: String,
    read: u64,
    /// Checksum of the last complete line.
    check: String,
    lines: usize,
    pub(super) records: BTreeMap<Key, Value>,
    /// The current write, with the data to undo it.
    write: Option<Pending>,
    /// Changes of the current write to data that no other file contains.
    pub(super) changed_records: backup::ChangedRecords,
    /// The last error of the backup.
    pub(super) backup_fault: Option<String>,
}

/// A write that was begun, but not committed.
#[derive(Debug)]
struct Pending {
    _lock: lock::Lock,
    durability: Durability,
    changes: Vec<Change>,
    /// The previous value of each changed record, in the order of the changes.
    undo: Vec<(Key, Option<Value>)>,
}

impl Json {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            is_closed: false,
            generation: String::new(),
            store: String::new(),
            read: 0,
            check: String::new(),
            lines: 0,
            records: BTreeMap::new(),
            write: None,
            changed_records: backup::ChangedRecords::default(),
            backup_fault: None,
        }
    }

    /// Reads the lines that other processes have written.
    pub(super) fn refresh(&mut self) -> Result<(), MemoryError> {
        if self.write.is_some() {
            return Ok(());
        }
        if self.is_closed {
            return Err(MemoryError::Store("the store was closed".to_owned()));
        }
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(MemoryError::io(&self.path))?,
        };
        let length = file.metadata().map_err(MemoryError::io(&self.path))?.len();
        if length == self.read && self.has_same_generation(&mut file)? {
            return Ok(());
        }
        if length < self.read || !self.has_same_generation(&mut file)? {
            *self = Self::new(std::mem::take(&mut self.path));
        }
        file.seek(SeekFrom::Start(self.read)).map_err(MemoryError::io(&self.path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(MemoryError::io(&self.path))?;
        // A line that is still being written is read next time.
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if self.generation.is_empty() && end == 0 && bytes.len() > MAX_HEADER_BYTES {
            return Err(MemoryError::Corrupt("its first line is not a store header".into()));
        }
        for line in bytes[..end].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            self.read_line(line)?;
        }
        self.read += end as u64;
        Ok(())
    }

    fn has_same_generation(&self, file: &mut File) -> Result<bool, MemoryError> {
        if self.generation.is_empty() {
            return Ok(self.read == 0);
        }
        let mut start = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.take(MAX_HEADER_BYTES as u64).read_to_end(&mut start))
            .map_err(MemoryError::io(&self.path))?;
        Ok(start.windows(self.generation.len()).any(|part| part == self.generation.as_bytes()))
    }

    /// Whether the log was deleted or belongs to another store now.
    pub(super) fn is_replaced(&self) -> bool {
        if self.store.is_empty() {
            return self.is_closed;
        }
        let mut start = String::new();
        let read = File::open(&self.path)
            .and_then(|file| file.take(MAX_HEADER_BYTES as u64).read_to_string(&mut start));
        match read {
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            // An unreadable header means that the log is damaged; the next read reports the damage.
            Ok(_) => start
                .lines()
                .next()
                .and_then(|line| serde_json::from_str::<Header>(line).ok())
                .is_some_and(|header| header.store != self.store),
        }
    }

    fn read_line(&mut self, line: &[u8]) -> Result<(), MemoryError> {
        if self.generation.is_empty() {
            let Ok(header) = serde_json::from_slice::<Header>(line) else {
                return Err(MemoryError::Corrupt("its first line is not a store header".into()));
            };
            if header.aidd > VERSION {
                let path = self.path.display().to_string();
                return Err(MemoryError::Newer { path, found: header.aidd, known: VERSION });
            }
            if header.generation.is_empty() || header.store.is_empty() {
                return Err(MemoryError::Corrupt("its first line is not a store header".into()));
            }
            self.check.clone_from(&header.generation);
            self.generation = header.generation;
            self.store = header.store;
            return Ok(());
        }
        self.lines += 1;
        // An unreadable line is usually the rest of a write whose process was killed. If the line
        // was valid before, the checksum of the next line does not match.
        let Some((check, changes)) = parse_line(line) else { return Ok(()) };
        let Ok(read) = serde_json::from_str::<Vec<Change>>(changes) else { return Ok(()) };
        if check != checksum(&self.check, changes) {
            return Err(MemoryError::Corrupt("a line was changed after it was written".into()));
        }
        self.check = check.to_owned();
        for change in read {
            self.apply(change);
        }
        Ok(())
    }

    /// Reads the readable lines of a damaged log; returns the number of unreadable lines.
    pub(super) fn salvage(&mut self) -> usize {
        let bytes = fs::read(&self.path).unwrap_or_default();
        let mut lost = 0;
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let changes = parse_line(line)
                .and_then(|(_, changes)| serde_json::from_str::<Vec<Change>>(changes).ok());
            match changes {
                Some(changes) => changes.into_iter().for_each(|change| drop(self.apply(change))),
                None if serde_json::from_slice::<Header>(line).is_ok() => {}
                None => lost += 1,
            }
        }
        lost
    }

    fn apply(&mut self, Change(table, key, value): Change) -> (Key, Option<Value>) {
        let key = (table, key);
        let old = match value {
            Some(value) => self.records.insert(key.clone(), value),
            None => self.records.remove(&key),
        };
        (key, old)
    }

    pub(super) fn change(
        &mut self,
        table: &str,
        key: &str,
        value: Option<Value>,
    ) -> Result<(), MemoryError> {
        let change = Change(table.to_owned(), key.to_owned(), value);
        let undo = self.apply(change.clone());
        let write = self.write.as_mut();
        let write =
            write.ok_or_else(|| MemoryError::Store("a write outside a transaction".into()))?;
        write.changes.push(change);
        write.undo.push(undo);
        Ok(())
    }

    pub(super) fn get<T: DeserializeOwned>(
        &mut self,
        table: &str,
        key: &str,
    ) -> Result<Option<T>, MemoryError> {
        self.refresh()?;
        let value = self.records.get(&(table.to_owned(), key.to_owned()));
        value.map(|value| read(value)).transpose()
    }

    /// The records of `table` whose keys start with `prefix`, in key order.
    pub(super) fn range(&self, table: &str, prefix: &str) -> impl Iterator<Item = (&str, &Value)> {
        let from = (table.to_owned(), prefix.to_owned());
        self.records
            .range(from..)
            .take_while(move |((own, key), _)| own == table && key.starts_with(prefix))
            .map(|((_, key), value)| (key.as_str(), value))
    }

    pub(super) fn put(
        &mut self,
        table: &str,
        key: &str,
        value: &impl Serialize,
    ) -> Result<(), MemoryError> {
        let value = serde_json::to_value(value)?;
        self.change(table, key, Some(value))
    }

    /// Appends the changes of the current write to the log.
    fn append(&mut self, pending: &Pending) -> Result<(), MemoryError> {
        if self.generation.is_empty() {
            // The file was missing or had no readable content.
            let changes: Vec<&[Change]> =
                if pending.changes.is_empty() { vec![] } else { vec![&pending.changes] };
            return self.rewrite(&changes);
        }
        if pending.changes.is_empty() {
            return Ok(());
        }
        let mut file = OpenOptions::new()
            .append(true)
            .open(&self.path)
            .map_err(MemoryError::io(&self.path))?;
        let length = file.metadata().map_err(MemoryError::io(&self.path))?.len();
        // Terminates the partial line of a killed process.
        let mut text = if length > self.read { "\n".to_owned() } else { String::new() };
        let check = add_line(&mut text, &self.check, &pending.changes);
        let result = file.write_all(text.as_bytes()).and_then(|()| match pending.durability {
            Durability::Full => file.sync_data(),
            Durability::Normal => Ok(()),
        });
        if let Err(error) = result {
            // On a full disk a partial line can remain. The lock keeps others from appending to it.
            let _ = file.set_len(length);
            return Err(MemoryError::io(&self.path)(error));
        }
        self.read = length + text.len() as u64;
        self.check = check;
        self.lines += 1;
        Ok(())
    }

    /// Replaces the log with a log that contains only `lines`.
    fn rewrite(&mut self, lines: &[&[Change]]) -> Result<(), MemoryError> {
        let generation = new_generation(&self.path);
        let store = if self.store.is_empty() { generation.clone() } else { self.store.clone() };
        let header = Header { aidd: VERSION, generation: generation.clone(), store: store.clone() };
        let mut text = json!(header).to_string() + "\n";
        let mut check = generation.clone();
        for changes in lines {
            check = add_line(&mut text, &check, changes);
        }
        replace(&self.path, text.as_bytes())?;
        (self.generation, self.store) = (generation, store);
        self.read = text.len() as u64;
        self.check = check;
        self.lines = lines.len();
        Ok(())
    }

    /// Rewrites the log when most of it is out of date. The caller must hold the write lock.
    fn compact(&mut self) {
        if self.lines < MIN_COMPACT_LINES || self.lines < 2 * self.records.len() {
            return;
        }
        let change = |(key, value): (&Key, &Value)| {
            [Change(key.0.clone(), key.1.clone(), Some(value.clone()))]
        };
        let lines: Vec<[Change; 1]> = self.records.iter().map(change).collect();
        let lines: Vec<&[Change]> = lines.iter().map(|line| &line[..]).collect();
        // If there is no space for both logs, the long log remains in use.
        let _ = self.rewrite(&lines);
    }

    pub(super) fn begin_write(&mut self, durability: Durability) -> Result<(), MemoryError> {
        let lock = lock::take(&self.path.with_extension("lock"))?;
        self.refresh()?;
        let pending = Pending { _lock: lock, durability, changes: Vec::new(), undo: Vec::new() };
        self.write = Some(pending);
        Ok(())
    }

    pub(super) fn commit_write(&mut self) -> Result<(), MemoryError> {
        let Some(pending) = self.write.take() else { return Ok(()) };
        if let Err(error) = self.append(&pending) {
            self.write = Some(pending);
            return Err(error);
        }
        self.compact();
        Ok(())
    }

    pub(super) fn undo_write(&mut self) {
        self.changed_records = backup::ChangedRecords::default();
        let undo = self.write.take().map(|write| write.undo).unwrap_or_default();
        for (key, old) in undo.into_iter().rev() {
            match old {
                Some(value) => self.records.insert(key, value),
                None => self.records.remove(&key),
            };
        }
    }
}

pub(super) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, MemoryError> {
    T::deserialize(value).map_err(|error| MemoryError::Corrupt(error.to_string()))
}

/// The checksum of a line, chained to the checksum of the previous line, so that it is unique in
/// the log.
fn checksum(previous_check: &str, changes: &str) -> String {
    id::digest(&[previous_check, changes])
}

/// Appends a line to `text`: a list of its checksum and its changes. Returns the checksum.
fn add_line(text: &mut String, previous_check: &str, changes: &[Change]) -> String {
    let changes = json!(changes).to_string();
    let check = checksum(previous_check, &changes);
    text.push_str(&format!("[\"{check}\",{changes}]\n"));
    check
}

/// The checksum and the changes of a line.
fn parse_line(line: &[u8]) -> Option<(&str, &str)> {
    let line = std::str::from_utf8(line).ok()?;
    let (check, changes) = line.strip_prefix("[\"")?.split_once("\",")?;
    Some((check, changes.strip_suffix(']')?))
}

fn new_generation(path: &Path) -> String {
    let seed = std::collections::hash_map::RandomState::new();
    let random = std::hash::BuildHasher::hash_one(&seed, path);
    id::digest(&[&random.to_string(), &std::process::id().to_string()])
}

/// Replaces a file atomically.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), MemoryError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let new = PathBuf::from(name);
    // Removes the file of a dead process with the same id, or a link that someone created.
    let _ = fs::remove_file(&new);
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&new)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&new, path))
        .map_err(|error| {
            let _ = fs::remove_file(&new);
            MemoryError::io(path)(error)
        })?;
    lock::sync_folder(path);
    Ok(())
}
