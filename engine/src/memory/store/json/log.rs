//! The log behind the JSON store: reading what others wrote, appending, writing it anew.
#![expect(clippy::disallowed_methods, reason = "this is where the store's files are touched")]

use crate::memory::MemoryError;
use crate::memory::id;
use crate::memory::store::{Durability, lock};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The form of the log.
const VERSION: i64 = 1;

/// Bytes of a first line; ours is shorter.
const LONGEST_HEADER: usize = 128;

/// A log with more lines than this, most of them out of date, is written anew.
const COMPACT_FROM: usize = 4096;

/// The table and the key of a record.
type Key = (String, String);

/// The first line of a log.
#[derive(Serialize, Deserialize)]
struct Header {
    aidd: i64,
    /// Differs in every log.
    generation: String,
}

/// One change of one record; without a value it is taken out.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Change(String, String, #[serde(default)] Option<Value>);

/// An open store: the log, and all records as of `read` bytes of it.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) path: PathBuf,
    generation: String,
    read: u64,
    lines: usize,
    records: BTreeMap<Key, Value>,
    /// The write under way, and what undoes it.
    write: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    _lock: lock::Lock,
    durability: Durability,
    changes: Vec<Change>,
    undo: Vec<(Key, Option<Value>)>,
}

impl Json {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            generation: String::new(),
            read: 0,
            lines: 0,
            records: BTreeMap::new(),
            write: None,
        }
    }

    /// Takes in what others have written.
    pub(super) fn refresh(&mut self) -> Result<(), MemoryError> {
        if self.write.is_some() {
            return Ok(());
        }
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(MemoryError::io(&self.path))?,
        };
        let length = file.metadata().map_err(MemoryError::io(&self.path))?.len();
        if length == self.read && self.same_generation(&mut file)? {
            return Ok(());
        }
        if length < self.read || !self.same_generation(&mut file)? {
            *self = Self::new(std::mem::take(&mut self.path));
        }
        file.seek(SeekFrom::Start(self.read)).map_err(MemoryError::io(&self.path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(MemoryError::io(&self.path))?;
        // What another is just writing is read next time.
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if self.generation.is_empty() && end == 0 && bytes.len() > LONGEST_HEADER {
            return Err(MemoryError::Corrupt("its first line is not that of a store".into()));
        }
        for line in bytes[..end].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            self.take_in(line)?;
        }
        self.read += end as u64;
        Ok(())
    }

    fn same_generation(&self, file: &mut File) -> Result<bool, MemoryError> {
        if self.generation.is_empty() {
            return Ok(self.read == 0);
        }
        let mut start = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.take(LONGEST_HEADER as u64).read_to_end(&mut start))
            .map_err(MemoryError::io(&self.path))?;
        Ok(start.windows(self.generation.len()).any(|part| part == self.generation.as_bytes()))
    }

    fn take_in(&mut self, line: &[u8]) -> Result<(), MemoryError> {
        if self.generation.is_empty() {
            let Ok(header) = serde_json::from_slice::<Header>(line) else {
                return Err(MemoryError::Corrupt("its first line is not that of a store".into()));
            };
            if header.aidd > VERSION {
                let path = self.path.display().to_string();
                return Err(MemoryError::Newer { path, found: header.aidd, known: VERSION });
            }
            self.generation = header.generation;
            return Ok(());
        }
        self.lines += 1;
        // A line that cannot be read is what a killed process left of a write that failed.
        for change in serde_json::from_slice::<Vec<Change>>(line).unwrap_or_default() {
            self.apply(change);
        }
        Ok(())
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

    /// The records of `table` whose keys begin with `prefix`, in the order of their keys.
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

    /// Ends the write under way.
    fn append(&mut self, pending: &Pending) -> Result<(), MemoryError> {
        let is_new = self.generation.is_empty();
        if pending.changes.is_empty() && !is_new {
            return Ok(());
        }
        let mut text = String::new();
        let length = fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        if is_new {
            self.generation = generation(&self.path);
            let header = Header { aidd: VERSION, generation: self.generation.clone() };
            text = json!(header).to_string() + "\n";
        } else if length > self.read {
            // Ends the line that a killed process left.
            text.push('\n');
        }
        if !pending.changes.is_empty() {
            text += &(json!(pending.changes).to_string() + "\n");
            self.lines += 1;
        }
        if is_new {
            // Nothing that was there could be read.
            replace(&self.path, text.as_bytes())?;
            self.read = text.len() as u64;
            return Ok(());
        }
        OpenOptions::new()
            .append(true)
            .open(&self.path)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                if pending.durability == Durability::Full { file.sync_data() } else { Ok(()) }
            })
            .map_err(MemoryError::io(&self.path))?;
        self.read = length + text.len() as u64;
        Ok(())
    }

    /// Writes the log anew when most of it is out of date; under the lock of a write.
    fn compact(&mut self) -> Result<(), MemoryError> {
        if self.lines < COMPACT_FROM || self.lines < 2 * self.records.len() {
            return Ok(());
        }
        let generation = generation(&self.path);
        let mut text = json!(Header { aidd: VERSION, generation: generation.clone() }).to_string();
        for ((table, key), value) in &self.records {
            let change = [Change(table.clone(), key.clone(), Some(value.clone()))];
            text.push('\n');
            text.push_str(&json!(change).to_string());
        }
        text.push('\n');
        replace(&self.path, text.as_bytes())?;
        self.generation = generation;
        self.read = text.len() as u64;
        self.lines = self.records.len();
        Ok(())
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
        self.compact()
    }

    pub(super) fn undo_write(&mut self) {
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

fn generation(path: &Path) -> String {
    let seed = std::collections::hash_map::RandomState::new();
    let random = std::hash::BuildHasher::hash_one(&seed, path);
    id::digest(&[&random.to_string(), &std::process::id().to_string()])
}

/// Puts a whole file in the place of another, at once.
pub(in crate::memory) fn replace(path: &Path, bytes: &[u8]) -> Result<(), MemoryError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let new = PathBuf::from(name);
    File::create(&new)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&new, path))
        .map_err(MemoryError::io(path))
}
