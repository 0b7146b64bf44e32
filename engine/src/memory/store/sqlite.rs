//! The store in SQLite: one file in WAL mode, written in short immediate transactions.

use super::{
    Durability, Mirrored, Opened, Order, Query, StorageBackend, Table, lock, migrations, put_away,
};
use crate::memory::MemoryError;
use crate::memory::id::canonical;
use crate::memory::privacy::Clean;
use crate::memory::types::{Entry, Kind, Layer, Link, Status};
use crate::memory::words::topic_key;
use rusqlite::types::{FromSql, Value as Sql};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Row, params};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::str::FromStr;

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
pub(super) fn open_with(folder: &Path, steps: &[&str], now: i64) -> Result<Opened, MemoryError> {
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
            Ok(Opened { store: Box::new(store), notices, is_rebuilt: true })
        }
        other => other.map(|(store, notice)| Opened {
            store: Box::new(store),
            notices: notice.into_iter().collect(),
            is_rebuilt: false,
        }),
    }
}

/// The files of a store, by what their names end in.
pub(super) const SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

fn connect_only(path: &Path) -> Result<Connection, MemoryError> {
    let connection = Connection::open(path).map_err(error)?;
    connection.busy_timeout(lock::PATIENCE).map_err(error)?;
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

fn connect(path: &Path, steps: &[&str], now: i64) -> Result<(Sqlite, Option<String>), MemoryError> {
    let mut connection = connect_only(path)?;
    probe(&connection)?;
    let mode: String =
        connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(error)?;
    if !mode.eq_ignore_ascii_case("wal") {
        return Err(MemoryError::Store(format!(
            "{} cannot use a write-ahead log (it has `{mode}`): is it on a network file system?",
            path.display()
        )));
    }
    let notice = migrations::run(&mut connection, path, steps, now)?;
    let identity = lock::identity(path);
    let known = migrations::known(steps);
    Ok((Sqlite { connection, path: path.to_owned(), identity, known, is_private: false }, notice))
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
    let text: String = row.get(index)?;
    text.parse().map_err(|error: String| broken(index, error))
}

/// A column that holds JSON.
pub(super) fn parsed<T: DeserializeOwned>(row: &Row<'_>, index: usize) -> rusqlite::Result<T> {
    let text: String = row.get(index)?;
    serde_json::from_str(&text).map_err(|error| broken(index, error.to_string()))
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

/// `query` as a condition, an order, and the values in them.
fn condition(query: &Query) -> (String, Vec<Sql>) {
    let mut sql = String::from("1");
    let mut values: Vec<Sql> = Vec::new();
    let mut among = |column: &str, words: Vec<&str>| {
        if !words.is_empty() {
            let marks = vec!["?"; words.len()].join(", ");
            sql.push_str(&format!(" AND {column} IN ({marks})"));
            values.extend(words.into_iter().map(|word| Sql::Text(word.to_owned())));
        }
    };
    among("layer", query.layers.iter().map(|layer| layer.word()).collect());
    among("type", query.kinds.iter().map(|kind| kind.word()).collect());
    among("status", query.statuses().iter().map(|status| status.word()).collect());
    let topic = query.topic.as_deref().map(topic_key);
    among("topic_key", topic.iter().map(String::as_str).collect());
    among("session_id", query.session_id.iter().map(String::as_str).collect());
    among("branch", query.branch.iter().map(String::as_str).collect());
    for (test, value) in [
        (" AND created_at >= ?", query.since),
        (" AND created_at < ?", query.until),
        (" AND seq > ?", query.after),
    ] {
        if let Some(value) = value {
            sql.push_str(test);
            values.push(Sql::Integer(value));
        }
    }
    sql.push_str(match query.order {
        Order::Newest => " ORDER BY updated_at DESC, id DESC",
        Order::Oldest => " ORDER BY created_at, id",
        Order::Change => " ORDER BY seq",
    });
    if let Some(limit) = query.limit {
        sql.push_str(" LIMIT ?");
        values.push(Sql::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    }
    (sql, values)
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
        let found: i64 = self.value("PRAGMA user_version")?;
        if found > self.known {
            self.rollback();
            return Err(migrations::newer(&self.path, found, self.known));
        }
        Ok(())
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
        let topic_key = entry.topic.as_deref().map(topic_key).filter(|key| !key.is_empty());
        self.run(
            "INSERT OR REPLACE INTO memories VALUES
                (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            params![
                entry.id,
                entry.kind.word(),
                entry.layer.word(),
                entry.topic,
                topic_key,
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
        }
        Ok(())
    }

    fn delete_entry(&mut self, id: &str) -> Result<bool, MemoryError> {
        self.run("DELETE FROM links WHERE from_id = ?1", [id])?;
        Ok(self.run("DELETE FROM memories WHERE id = ?1", [id])? > 0)
    }

    fn entry(&mut self, id: &str) -> Result<Option<Entry>, MemoryError> {
        self.one(&format!("SELECT {COLUMNS} FROM memories WHERE id = ?1"), [id], entry)
    }

    fn entries(&mut self, query: &Query) -> Result<Vec<Entry>, MemoryError> {
        let (condition, values) = condition(query);
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE {condition}");
        self.all(&sql, rusqlite::params_from_iter(values), entry)
    }

    fn counts(&mut self) -> Result<Vec<(Layer, Kind, Status, u32)>, MemoryError> {
        let mut counts: Vec<(Layer, Kind, Status, u32)> = self.all(
            "SELECT layer, type, status, count(*) FROM memories GROUP BY 1, 2, 3",
            [],
            |row| Ok((word(row, 0)?, word(row, 1)?, word(row, 2)?, row.get(3)?)),
        )?;
        counts.sort_unstable();
        Ok(counts)
    }

    fn mark(&mut self) -> Result<i64, MemoryError> {
        self.value("SELECT value FROM counter")
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

    fn delete_document(&mut self, table: Table, id: &str) -> Result<bool, MemoryError> {
        let sql = format!("DELETE FROM {} WHERE id = ?1", table.name());
        Ok(self.run(&sql, [id])? > 0)
    }

    fn check(&mut self) -> Result<Vec<String>, MemoryError> {
        let said = self.all("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))?;
        Ok(said.into_iter().filter(|line| line != "ok").collect())
    }

    fn is_set_aside(&self) -> bool {
        !self.is_private && self.identity != lock::identity(&self.path)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
