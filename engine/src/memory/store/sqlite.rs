//! The store in SQLite: one file in WAL mode, written in short immediate transactions.

mod index;
mod mend;
mod query;
mod quick;

use super::{
    Clashes, Counts, Durability, Indexed, Mirrored, Opened, Query, Sessions, StorageBackend, Table,
    lock, mended, migrations, put_away,
};
use crate::memory::MemoryError;
use crate::memory::id::canonical;
use crate::memory::privacy::Clean;
use crate::memory::types::{Entry, Kind, Layer, Link, Status};
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Row, params};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// The name of the file in the folder of the store.
const NAME: &str = "data.db";

/// Where the store lies in `folder`.
#[must_use]
pub fn path(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Whether there is one in `folder`. SQLite makes an empty file before it knows whether it can
/// work.
#[must_use]
pub fn exists(folder: &Path) -> bool {
    std::fs::metadata(path(folder)).is_ok_and(|data| data.is_file() && data.len() > 0)
}

/// Opens the store in `folder`.
///
/// # Errors
/// When it is of a newer aidd, or SQLite does not work there.
pub fn open(folder: &Path, now: i64) -> Result<Opened, MemoryError> {
    open_with(folder, migrations::STEPS, now)
}

/// As [`open`], with the steps of another version of aidd.
pub(in crate::memory) fn open_with(
    folder: &Path,
    steps: &[&str],
    now: i64,
) -> Result<Opened, MemoryError> {
    let path = path(folder);
    let identity = lock::identity(&path);
    match connect(&path, steps, now) {
        Err(MemoryError::Corrupt(why)) => {
            let aside = {
                let _lock = lock::take(&path.with_extension("lock"))?;
                put_away(&path, &SUFFIXES, identity != lock::identity(&path), &why, now)?
            };
            let notice = aside.noted(&path);
            let (store, more) = connect(&path, steps, now)?;
            let notices = std::iter::once(notice).chain(more).collect();
            Ok(Opened { store: Box::new(store), notices })
        }
        other => other.map(|(store, notice)| Opened {
            store: Box::new(store),
            notices: notice.into_iter().collect(),
        }),
    }
}

/// The files of a store, by what their names end in.
pub(super) const SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

fn connect_only(path: &Path) -> Result<Connection, MemoryError> {
    let mut connection = Connection::open(path).map_err(error)?;
    // SQLite's own way to wait sleeps for up to 100 milliseconds, a hundred writes of others.
    let mut start = Instant::now();
    let wait = move |times: i32| {
        if times == 0 {
            start = Instant::now();
        }
        std::thread::sleep(lock::pause(times.unsigned_abs()));
        start.elapsed() < lock::PATIENCE
    };
    connection.busy_handler(Some(wait)).map_err(error)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Reads enough to know that the file is a database whose schema can be read.
fn probe(connection: &Connection) -> Result<(), MemoryError> {
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
        .map_err(error)?;
    if tables > 0 {
        connection
            .query_row("SELECT count(*) FROM (SELECT 1 FROM meta LIMIT 1)", [], |_| Ok(()))
            .map_err(error)?;
    }
    Ok(())
}

/// Sees to it that the file has a write-ahead log. Two processes that switch a new file to it at
/// one time would lock each other out, and SQLite does not wait then.
fn use_log(connection: &Connection, path: &Path) -> Result<(), MemoryError> {
    let mode =
        |sql: &str| -> rusqlite::Result<String> { connection.query_row(sql, [], |row| row.get(0)) };
    if mode("PRAGMA journal_mode").map_err(error)?.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    let _lock = lock::take(&path.with_extension("lock"))?;
    let start = Instant::now();
    loop {
        match mode("PRAGMA journal_mode = WAL") {
            Ok(mode) if mode.eq_ignore_ascii_case("wal") => return Ok(()),
            Ok(mode) => {
                return Err(MemoryError::Store(format!(
                    "{} cannot use a write-ahead log (it has `{mode}`): is it on a network file \
                     system?",
                    path.display()
                )));
            }
            // Others look whether the file is a store before they take the lock.
            Err(busy)
                if busy.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < lock::PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(other) => return Err(error(other)),
        }
    }
}

fn connect(path: &Path, steps: &[&str], now: i64) -> Result<(Sqlite, Option<String>), MemoryError> {
    let mut connection = connect_only(path)?;
    probe(&connection)?;
    use_log(&connection, path)?;
    let notice = migrations::run(&mut connection, path, steps, now)?;
    let identity = lock::identity(path);
    let known = migrations::known(steps);
    let path = path.to_owned();
    let mut store = Sqlite { connection, path, identity, known, is_private: false };
    match store.prepare_stale() {
        Err(MemoryError::Corrupt(why)) if !store.mend().unwrap_or_default() => {
            Err(MemoryError::Corrupt(why))
        }
        Err(MemoryError::Corrupt(why)) => Ok((store, Some(mended(&why)))),
        // Tried again at the next start; a search says so until then.
        _ => Ok((store, notice)),
    }
}

/// A store in memory, for where no file can be written: gone with the process.
pub(super) fn in_memory(folder: &Path) -> Result<Box<dyn StorageBackend>, MemoryError> {
    let connection = Connection::open_in_memory().map_err(error)?;
    connection.execute_batch(&migrations::STEPS.concat()).map_err(error)?;
    let known = migrations::known(migrations::STEPS);
    connection.pragma_update(None, "user_version", known).map_err(error)?;
    let path = path(folder);
    Ok(Box::new(Sqlite { connection, path, identity: None, known, is_private: true }))
}

/// An open store.
#[derive(Debug)]
struct Sqlite {
    connection: Connection,
    path: PathBuf,
    /// Of the file that was opened.
    identity: Option<u64>,
    /// The newest schema known here.
    known: i64,
    /// Whether it has no file.
    is_private: bool,
}

/// SQLite's words for what went wrong, as ours.
#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
pub(super) fn error(error: rusqlite::Error) -> MemoryError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            MemoryError::Corrupt(error.to_string())
        }
        _ => match &error {
            // A column that does not hold what was written into it.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..) => MemoryError::Corrupt(error.to_string()),
            // No such table or column: the schema is not what its version says.
            rusqlite::Error::SqliteFailure(_, Some(message)) if message.contains("no such ") => {
                MemoryError::Corrupt(error.to_string())
            }
            rusqlite::Error::SqlInputError { msg, .. } if msg.contains("no such ") => {
                MemoryError::Corrupt(error.to_string())
            }
            _ => MemoryError::Store(error.to_string()),
        },
    }
}

pub(super) const COLUMNS: &str =
    "id, type, layer, topic, content, metadata, status, session_id, branch,
    created_at, updated_at, schema_version, heads, extra";

/// A column that holds a word of an enum.
fn word<T: FromStr<Err = String>>(row: &Row<'_>, index: usize) -> rusqlite::Result<T> {
    row.get_ref(index)?.as_str()?.parse().map_err(|error: String| broken(index, error))
}

/// A column that holds JSON.
pub(super) fn parsed<T: DeserializeOwned>(row: &Row<'_>, index: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(index)?.as_str()?;
    serde_json::from_str(text).map_err(|error| broken(index, error.to_string()))
}

fn broken(index: usize, why: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, why.into())
}

pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: row.get(0)?,
        kind: word(row, 1)?,
        layer: word(row, 2)?,
        topic: row.get(3)?,
        content: row.get(4)?,
        metadata: parsed(row, 5)?,
        status: word(row, 6)?,
        session_id: row.get(7)?,
        branch: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
        schema_version: row.get(11)?,
        heads: parsed(row, 12)?,
        extra: parsed(row, 13)?,
    })
}

pub(super) fn mirrored(row: &Row<'_>) -> rusqlite::Result<Mirrored> {
    Ok(Mirrored { file: row.get(0)?, present: row.get(1)?, line: parsed(row, 2)? })
}

impl Sqlite {
    fn run(&self, sql: &str, values: impl Params) -> Result<usize, MemoryError> {
        self.connection.prepare_cached(sql).and_then(|mut run| run.execute(values)).map_err(error)
    }

    fn all<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, MemoryError> {
        let all = |sql| -> rusqlite::Result<Vec<T>> {
            let mut run = self.connection.prepare_cached(sql)?;
            run.query_map(values, read)?.collect()
        };
        all(sql).map_err(error)
    }

    fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, MemoryError> {
        let one = |sql| self.connection.prepare_cached(sql)?.query_row(values, read).optional();
        one(sql).map_err(error)
    }

    fn value<T: FromSql>(&self, sql: &str) -> Result<T, MemoryError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(error)?;
        statement.query_row([], |row| row.get(0)).map_err(error)
    }
}

impl StorageBackend for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn begin(&mut self, durability: Durability) -> Result<(), MemoryError> {
        // What a killed process left is safe with either; FULL also waits for the disk.
        let level = match durability {
            Durability::Full => "PRAGMA synchronous = FULL; BEGIN IMMEDIATE",
            Durability::Normal => "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE",
        };
        self.connection.execute_batch(level).map_err(error)?;
        // A newer aidd may have changed the schema since this one opened it.
        let known = self.value("PRAGMA user_version").and_then(|found: i64| match found {
            found if found > self.known => Err(migrations::newer(&self.path, found, self.known)),
            _ => Ok(()),
        });
        // Whoever could not begin does not end the write either.
        if known.is_err() {
            self.rollback();
        }
        known
    }

    fn commit(&mut self) -> Result<(), MemoryError> {
        self.connection.execute_batch("COMMIT").map_err(error)
    }

    fn rollback(&mut self) {
        // Fails when SQLite has rolled back on its own, which is what is wanted.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    fn put_entry(&mut self, entry: &Clean<Entry>) -> Result<(), MemoryError> {
        let seq: i64 = self.value("UPDATE counter SET value = value + 1 RETURNING value")?;
        if self.holds_prepared(entry)? {
            self.put_status(&entry.id, entry.status)?;
        } else {
            self.put_prepared(entry)?;
        }
        self.run(
            "INSERT OR REPLACE INTO memories VALUES
                (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            params![
                entry.id,
                entry.kind.word(),
                entry.layer.word(),
                entry.topic,
                index::topic_of(entry),
                entry.content,
                canonical(&json!(entry.metadata)),
                entry.status.word(),
                entry.session_id,
                entry.branch,
                entry.created_at,
                entry.updated_at,
                entry.schema_version,
                json!(entry.heads).to_string(),
                canonical(&json!(entry.extra)),
                seq,
            ],
        )
        .map(|_| ())
    }

    fn set_status(&mut self, id: &str, status: Status) -> Result<(), MemoryError> {
        let sql = "SELECT 1 FROM memories WHERE id = ?1 AND status <> ?2";
        if self.one(sql, [id, status.word()], |_| Ok(()))?.is_some() {
            let seq: i64 = self.value("UPDATE counter SET value = value + 1 RETURNING value")?;
            let sql = "UPDATE memories SET status = ?2, seq = ?3 WHERE id = ?1";
            self.run(sql, params![id, status.word(), seq])?;
            self.put_status(id, status)?;
        }
        Ok(())
    }

    fn delete_entry(&mut self, id: &str) -> Result<bool, MemoryError> {
        self.run("DELETE FROM links WHERE from_id = ?1", [id])?;
        let is_gone = self.run("DELETE FROM memories WHERE id = ?1", [id])? > 0;
        if is_gone {
            self.drop_prepared(id)?;
            self.run("UPDATE counter SET value = value + 1, deleted = deleted + 1", [])?;
        }
        Ok(is_gone)
    }

    fn entry(&mut self, id: &str) -> Result<Option<Entry>, MemoryError> {
        self.one(&format!("SELECT {COLUMNS} FROM memories WHERE id = ?1"), [id], entry)
    }

    fn entries(&mut self, query: &Query) -> Result<Vec<Entry>, MemoryError> {
        let (condition, values) = query::condition(query);
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE {condition}");
        self.all(&sql, rusqlite::params_from_iter(values), entry)
    }

    fn counts(&mut self) -> Result<Vec<(Layer, Kind, Status, u32)>, MemoryError> {
        self.known_counts()
    }

    fn mark(&mut self) -> Result<i64, MemoryError> {
        self.value("SELECT value FROM counter")
    }

    fn deletions(&mut self) -> Result<i64, MemoryError> {
        self.value("SELECT deleted FROM counter")
    }

    fn indexed(
        &mut self,
        after: Option<i64>,
        with_columns: bool,
        take: &mut dyn FnMut(Indexed),
    ) -> Result<(), MemoryError> {
        self.indexed_after(after, with_columns, take)
    }

    fn places(&mut self, term: &str) -> Result<Vec<(i64, Counts)>, MemoryError> {
        self.places_of(term)
    }

    fn put_links(&mut self, from: &str, links: &Clean<Vec<Link>>) -> Result<(), MemoryError> {
        self.run("DELETE FROM links WHERE from_id = ?1", [from])?;
        for link in links.iter() {
            let data = canonical(&json!(link));
            self.run(
                "INSERT OR REPLACE INTO links VALUES (?1, ?2, ?3, ?4)",
                [from, &link.to, link.relation.word(), &data],
            )?;
        }
        Ok(())
    }

    fn links(&mut self, id: &str) -> Result<Vec<Link>, MemoryError> {
        self.all(
            "SELECT data FROM links WHERE from_id = ?1
             UNION ALL SELECT data FROM links WHERE to_id = ?1 AND from_id <> ?1",
            [id],
            |row| parsed(row, 0),
        )
        .map(super::json::sorted)
    }

    fn all_links(&mut self) -> Result<Vec<Link>, MemoryError> {
        self.all("SELECT data FROM links", [], |row| parsed(row, 0)).map(super::json::sorted)
    }

    fn clashes(&mut self) -> Result<Clashes, MemoryError> {
        self.known_clashes()
    }

    fn put_line(&mut self, line: &Clean<Mirrored>) -> Result<(), MemoryError> {
        self.run(
            "INSERT OR REPLACE INTO lines VALUES (?1, ?2, ?3, ?4, ?5)",
            params![line.file, line.line.rev, line.line.id, line.present, line.line.line()],
        )
        .map(|_| ())
    }

    fn set_present(&mut self, file: &str, rev: &str, present: bool) -> Result<(), MemoryError> {
        let sql = "UPDATE lines SET present = ?3 WHERE file = ?1 AND rev = ?2";
        self.run(sql, params![file, rev, present]).map(|_| ())
    }

    fn lines_of(&mut self, id: &str) -> Result<Vec<Mirrored>, MemoryError> {
        let sql = "SELECT file, present, data FROM lines WHERE memory_id = ?1 ORDER BY file, rev";
        self.all(sql, [id], mirrored)
    }

    fn lines_in(&mut self, file: &str) -> Result<Vec<(String, String, bool)>, MemoryError> {
        let sql = "SELECT rev, memory_id, present FROM lines WHERE file = ?1 ORDER BY rev";
        self.all(sql, [file], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    fn put_document(
        &mut self,
        table: Table,
        id: &str,
        at: i64,
        document: &Clean<Value>,
    ) -> Result<(), MemoryError> {
        let sql = format!("INSERT OR REPLACE INTO {} VALUES (?1, ?2, ?3)", table.name());
        self.run(&sql, params![id, at, canonical(document)]).map(|_| ())
    }

    fn document(&mut self, table: Table, id: &str) -> Result<Option<Value>, MemoryError> {
        let sql = format!("SELECT data FROM {} WHERE id = ?1", table.name());
        self.one(&sql, [id], |row| parsed(row, 0))
    }

    fn documents(&mut self, table: Table) -> Result<Vec<Value>, MemoryError> {
        let sql = format!("SELECT data FROM {} ORDER BY at DESC, id DESC", table.name());
        self.all(&sql, [], |row| parsed(row, 0))
    }

    fn sessions(&mut self, which: Sessions<'_>) -> Result<Vec<Value>, MemoryError> {
        self.known_sessions(which)
    }

    fn delete_document(&mut self, table: Table, id: &str) -> Result<bool, MemoryError> {
        let sql = format!("DELETE FROM {} WHERE id = ?1", table.name());
        Ok(self.run(&sql, [id])? > 0)
    }

    fn mend(&mut self) -> Result<bool, MemoryError> {
        self.mend_search()
    }

    fn check(&mut self) -> Result<Vec<String>, MemoryError> {
        self.damage("PRAGMA integrity_check")
    }

    fn is_set_aside(&self) -> bool {
        !self.is_private && self.identity != lock::identity(&self.path)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
