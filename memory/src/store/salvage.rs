//! Damaged stores: recovers the records that can still be read, and maintains the list of damaged
//! stores that have not been examined yet.
#![expect(clippy::disallowed_methods, reason = "reads and writes the store's files")]

use super::{MirroredLine, Table, backup, json, lock, migrations, sqlite, with_suffix};
use crate::MemoryError;
use crate::types::{Entry, Link};
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The readable records of a damaged store. They can differ from the records that were written.
#[derive(Debug, Default)]
pub struct RecoveredRecords {
    /// Memories of all layers.
    pub entries: Vec<Entry>,
    /// Links between memories.
    pub links: Vec<Link>,
    /// Lines of tracked files.
    pub lines: Vec<MirroredLine>,
    /// Documents: table, id, creation time, content.
    pub documents: Vec<(Table, String, i64, Value)>,
    /// Number of records that were found, but could not be read.
    pub lost: usize,
}

impl RecoveredRecords {
    /// Removes deleted records, which a damaged file can still contain.
    pub(crate) fn drop_deleted(&mut self, deleted: &BTreeSet<(String, String)>) {
        let is_deleted =
            |table: &str, id: &str| deleted.contains(&(table.to_owned(), id.to_owned()));
        self.entries.retain(|entry| !is_deleted(backup::ENTRIES, &entry.id));
        self.documents.retain(|(table, id, ..)| !is_deleted(table.name(), id));
    }

    /// Adds a record to `list` if it was readable; otherwise counts it as lost.
    pub(super) fn add<T>(&mut self, read: Option<T>, list: fn(&mut Self) -> &mut Vec<T>) {
        match read {
            Some(record) => list(self).push(record),
            None => self.lost += 1,
        }
    }
}

/// Name of the file that lists the stores that have not been examined yet. Each line contains a
/// word and a file name; the word states whether the next attempt is the first or the second.
const LIST: &str = "data.salvage";
const FIRST_ATTEMPT: &str = "first";
const SECOND_ATTEMPT: &str = "again";

/// Whether a damaged store in `folder` has not been examined yet.
#[must_use]
pub fn is_pending(folder: &Path) -> bool {
    is_file(&folder.join(LIST))
}

/// Whether `path` is a regular file, not a link.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_file())
}

fn list_lock(folder: &Path) -> Result<lock::Lock, MemoryError> {
    lock::take(&folder.join(LIST).with_extension("salvage.lock"))
}

/// The entries of the list. A cloned repository can contain a list: only names of files in `folder`
/// are accepted.
fn read_list(folder: &Path) -> Vec<(String, String)> {
    if !is_pending(folder) {
        return Vec::new();
    }
    let text = fs::read_to_string(folder.join(LIST)).unwrap_or_default();
    let is_store_file = |name: &str| name.starts_with("data.") && !name.contains(['/', '\\']);
    let pair = |line: &str| {
        let (attempt, name) = line.split_once(' ')?;
        is_store_file(name).then(|| (attempt.to_owned(), name.to_owned()))
    };
    text.lines().filter_map(pair).collect()
}

fn write_list(folder: &Path, list: &[(String, String)]) -> Result<(), MemoryError> {
    let path = folder.join(LIST);
    if list.is_empty() {
        return fs::remove_file(&path).map_err(MemoryError::io(&path));
    }
    let text: String = list.iter().map(|(attempt, name)| format!("{attempt} {name}\n")).collect();
    json::replace(&path, text.as_bytes())
}

/// Adds the store that was moved to `aside` to the list.
pub(super) fn add_to_list(folder: &Path, aside: &Path) -> Result<(), MemoryError> {
    let _lock = list_lock(folder)?;
    let mut list = read_list(folder);
    let name = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    list.push((FIRST_ATTEMPT.to_owned(), name));
    write_list(folder, &list)
}

/// Examines the listed damaged stores in `folder` while no other process does: `work` receives the
/// path and the readable records. When the process dies or `work` fails, the store is examined once
/// more.
///
/// # Errors
/// When the lock is not released in time, or the list cannot be written.
pub fn salvage_each(
    folder: &Path,
    work: &mut dyn FnMut(&Path, RecoveredRecords) -> Result<(), MemoryError>,
) -> Result<(), MemoryError> {
    let _lock = list_lock(folder)?;
    let mut list = read_list(folder);
    if list.is_empty() && is_pending(folder) {
        return write_list(folder, &list);
    }
    while let Some((attempt, name)) = list.first().cloned() {
        let is_first = attempt == FIRST_ATTEMPT;
        if is_first {
            SECOND_ATTEMPT.clone_into(&mut list[0].0);
        } else {
            list.remove(0);
        }
        write_list(folder, &list)?;
        let path = folder.join(&name);
        // Links and pipes are ignored; a deleted file has no records.
        if fs::symlink_metadata(&path).map_or(true, |data| data.is_file()) {
            work(&path, recover(&path))?;
        }
        if is_first {
            list.remove(0);
            write_list(folder, &list)?;
        }
    }
    Ok(())
}

/// The readable records of the store at `path`.
#[must_use]
pub fn recover(path: &Path) -> RecoveredRecords {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.contains(".jsonl") {
        return json::recover(path);
    }
    let mut recovered = RecoveredRecords::default();
    if read_database(path, &mut recovered).is_err() {
        let copy = RepairedCopy(path.with_extension(format!("repaired-{}", std::process::id())));
        recovered = RecoveredRecords::default();
        // An unrepairable file has no readable records.
        let _ = copy.make(path).and_then(|()| read_database(&copy.0, &mut recovered));
    }
    recovered
}

/// Reads all readable records; fails when the schema cannot be read.
fn read_database(path: &Path, recovered: &mut RecoveredRecords) -> Result<(), MemoryError> {
    let connection = open_read_only(path).map_err(sqlite::error)?;
    let mut lost = 0;
    recovered.entries = rows(&connection, "memories", sqlite::COLUMNS, sqlite::entry, &mut lost);
    recovered.lines =
        rows(&connection, "lines", "file, present, data", sqlite::mirrored, &mut lost);
    for table in Table::ALL {
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, sqlite::parse_json(row, 2)?));
        let found: Vec<(String, i64, Value)> =
            rows(&connection, table.name(), "id, at, data", read, &mut lost);
        recovered.documents.extend(found.into_iter().map(|(id, at, data)| (table, id, at, data)));
    }
    recovered.links = links(&connection, &mut lost);
    recovered.lost = lost;
    Ok(())
}

/// Opens a database read-only, and checks that its schema is readable.
fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let check_schema = |connection: Connection| -> rusqlite::Result<Connection> {
        for table in ["memories", "links", "lines", "sessions"] {
            connection.prepare(&format!("SELECT * FROM {table} LIMIT 0"))?;
        }
        Ok(connection)
    };
    Connection::open_with_flags(path, flags).and_then(check_schema).or_else(|_| {
        // If the files of the write-ahead log cannot be created, the database is opened without its
        // log.
        let mut uri = "file:".to_owned();
        for c in path.to_string_lossy().chars() {
            match c {
                '%' | '?' | '#' => uri.push_str(&format!("%{:02x}", u32::from(c))),
                '\\' => uri.push('/'),
                _ => uri.push(c),
            }
        }
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(uri + "?immutable=1", flags).and_then(check_schema)
    })
}

/// Maximum number of attempts to read past damaged pages of a table; each damaged page needs a few
/// attempts.
const MAX_JUMPS: usize = 10_000;

/// Reads the rows of a table by row number, on both sides of every damaged page.
struct Scan<'a, T> {
    connection: &'a Connection,
    sql: String,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
    /// `None` for a row with invalid content.
    found: BTreeMap<i64, Option<T>>,
}

impl<T> Scan<'_, T> {
    /// Reads the rows between two row numbers, up to a damaged page. Returns the number of the last
    /// row that was read, as an error if reading stopped at a damaged page.
    fn read_between(
        &mut self,
        after: i64,
        before: i64,
        order: &str,
    ) -> Result<Option<i64>, Option<i64>> {
        let mut last = None;
        let sql = format!("{} ORDER BY rowid {order}", self.sql);
        let mut scan = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let number = statement.column_count() - 1;
            let mut rows = statement.query([after, before])?;
            while let Some(row) = rows.next()? {
                let number = row.get(number)?;
                self.found.insert(number, (self.read)(row).ok());
                last = Some(number);
            }
            Ok(())
        };
        if scan().is_ok() { Ok(last) } else { Err(last) }
    }

    fn read_all(&mut self) {
        let Err(front) = self.read_between(-1, i64::MAX, "ASC") else { return };
        let back = self.read_between(-1, i64::MAX, "DESC").unwrap_or_else(|back| back);
        let (mut last, back) = (front.unwrap_or(-1), back.unwrap_or(i64::MAX));
        // Searches past the damaged page in growing steps until a row is found, then back to the
        // page.
        let mut step: i64 = 1;
        for _ in 0..MAX_JUMPS {
            let from = last.saturating_add(step);
            if from >= back {
                break;
            }
            let (Ok(read) | Err(read)) = self.read_between(from - 1, back, "ASC");
            let first = self.found.range(from..back).next().map(|(first, _)| *first);
            match (read, first) {
                (Some(read), Some(first)) => {
                    let _ = self.read_between(last, first, "DESC");
                    (last, step) = (read, 1);
                }
                _ => step = step.saturating_mul(2),
            }
        }
    }
}

/// Returns the readable rows of a table, and adds the number of unreadable rows to `lost`.
fn rows<T>(
    connection: &Connection,
    table: &str,
    columns: &str,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
    lost: &mut usize,
) -> Vec<T> {
    // The query does not use an index, because an index can be damaged while the table is intact.
    let sql =
        format!("SELECT {columns}, rowid FROM {table} NOT INDEXED WHERE rowid > ?1 AND rowid < ?2");
    let mut scan = Scan { connection, sql, read, found: BTreeMap::new() };
    scan.read_all();
    let all = scan.found.len();
    let readable: Vec<T> = scan.found.into_values().flatten().collect();
    *lost += all - readable.len();
    readable
}

/// Reads the links from both ends of their table, because this table has no row numbers.
fn links(connection: &Connection, lost: &mut usize) -> Vec<Link> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for order in ["ASC", "DESC"] {
        let sql = format!(
            "SELECT data FROM links ORDER BY from_id {order}, relation {order}, to_id {order}"
        );
        let mut scan = || -> rusqlite::Result<()> {
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                found.extend(row.get::<_, String>(0).ok());
            }
            Ok(())
        };
        if scan().is_ok() {
            break;
        }
    }
    let links: Vec<Link> =
        found.iter().filter_map(|link| serde_json::from_str(link).ok()).collect();
    *lost += found.len() - links.len();
    links
}

/// A copy of a database with the first page of a new database; deleted when dropped.
///
/// The first page contains the file header and the root page of each table. Tables have the same
/// root pages in every store, because the first migration step creates them in an
/// empty file.
struct RepairedCopy(PathBuf);

impl RepairedCopy {
    fn make(&self, damaged: &Path) -> Result<(), MemoryError> {
        let first = self.first_page()?;
        fs::copy(damaged, &self.0).map_err(MemoryError::io(&self.0))?;
        let log = with_suffix(damaged, "-wal");
        if log.is_file() {
            let copy = with_suffix(&self.0, "-wal");
            fs::copy(&log, &copy).map_err(MemoryError::io(&copy))?;
        }
        OpenOptions::new()
            .write(true)
            .open(&self.0)
            .and_then(|mut file| file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&first)))
            .map_err(MemoryError::io(&self.0))
    }

    /// The first page of a new database: see "The Database Header" of SQLite's file format.
    fn first_page(&self) -> Result<Vec<u8>, MemoryError> {
        let connection = Connection::open(&self.0).map_err(sqlite::error)?;
        connection.execute_batch(migrations::STEPS[0]).map_err(sqlite::error)?;
        drop(connection);
        let mut page = Vec::new();
        fs::File::open(&self.0)
            .and_then(|file| file.take(4096).read_to_end(&mut page))
            .map_err(MemoryError::io(&self.0))?;
        if page.len() < 100 {
            return Err(MemoryError::Store("a new database has no first page".to_owned()));
        }
        // Enable the write-ahead log.
        page[18..20].fill(2);
        // No free pages.
        page[32..40].fill(0);
        // Ignore the stored file size, because it belongs to a different change counter.
        page[92..96].fill(0xFF);
        Ok(page)
    }
}

impl Drop for RepairedCopy {
    fn drop(&mut self) {
        for suffix in sqlite::FILE_SUFFIXES {
            let _ = fs::remove_file(with_suffix(&self.0, suffix));
        }
    }
}
