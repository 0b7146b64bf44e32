//! The SQLite store: one file in WAL mode, written in short immediate transactions.

mod changes;
mod connect;
mod index;
mod partial_index_queries;
mod query;
mod repair;
mod rows;

use super::aside::move_aside;
use super::{
    ConflictCandidates, Counts, Durability, MirroredLine, OpenedStore, Query, SearchData, Sessions,
    StorageBackend, Table, backup, lock, migrations,
};
use crate::MemoryError;
use crate::id::canonical;
use crate::privacy::Clean;
use crate::similarity::SketchRow;
use crate::types::{Entry, Kind, Layer, Link, Status};
use changes::Changes;
use connect::connect;
use connect::connect_only;
pub(super) use connect::in_memory;
use rows::parse_word;
pub(super) use rows::{COLUMNS, entry, error, mirrored, parse_json};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Name of the database file in the store's directory.
const NAME: &str = "data.db";

/// Path of the store in `folder`.
#[must_use]
pub fn path(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Whether a store exists in `folder`. An empty file does not count: SQLite creates it before it
/// knows whether the file can be used.
#[must_use]
pub fn exists(folder: &Path) -> bool {
    std::fs::metadata(path(folder)).is_ok_and(|data| data.is_file() && data.len() > 0)
}

/// Opens the store in `folder`.
///
/// # Errors
/// When the store was written by a newer aidd, or SQLite cannot be used in `folder`.
pub fn open(folder: &Path, now: i64) -> Result<OpenedStore, MemoryError> {
    open_with(folder, migrations::STEPS, now)
}

/// Like [`open`], with the migration steps of another version of aidd.
pub(crate) fn open_with(
    folder: &Path,
    steps: &[&str],
    now: i64,
) -> Result<OpenedStore, MemoryError> {
    let path = path(folder);
    let identity = lock::identity(&path);
    match connect(&path, steps, now) {
        Err(MemoryError::Corrupt(why)) => {
            let aside = {
                let _lock = lock::take(&path.with_extension("lock"))?;
                move_aside(&path, &FILE_SUFFIXES, identity != lock::identity(&path), &why, now)?
            };
            let notice = aside.add_to_salvage_list(&path);
            let (store, migration_notice) = connect(&path, steps, now)?;
            let notices = std::iter::once(notice).chain(migration_notice).collect();
            Ok(OpenedStore { store: Box::new(store), notices })
        }
        other => other.map(|(store, notice)| OpenedStore {
            store: Box::new(store),
            notices: notice.into_iter().collect(),
        }),
    }
}

/// Suffixes of the files of a store.
pub(super) const FILE_SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

/// An open SQLite store.
#[derive(Debug)]
struct Sqlite {
    connection: Connection,
    path: PathBuf,
    /// Identity of the file that was opened.
    identity: Option<u64>,
    /// The newest supported schema version.
    known: i64,
    /// Whether the store is held in RAM, without a file.
    is_in_ram: bool,
    /// Records that the current transaction changes and that no other file contains.
    changed_records: backup::ChangedRecords,
    changes: Changes,
    /// The last error of the backup.
    backup_fault: Option<String>,
}

impl Sqlite {
    fn run(&self, sql: &str, values: impl Params) -> Result<usize, MemoryError> {
        self.connection.prepare_cached(sql).and_then(|mut run| run.execute(values)).map_err(error)
    }

    fn query_all<T>(
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

    fn query_one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, MemoryError> {
        let one = |sql| self.connection.prepare_cached(sql)?.query_row(values, read).optional();
        one(sql).map_err(error)
    }

    /// Records that a memory is about to change, unless it belongs to the tracked files.
    fn record_change(&mut self, id: &str) -> Result<(), MemoryError> {
        let layer = self.query_one("SELECT layer FROM memories WHERE id = ?1", [id], |row| {
            parse_word(row, 0)
        })?;
        self.changed_records.record_entry(id, layer);
        Ok(())
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
        // Both levels are safe when the process is killed; FULL also waits for the disk.
        let level = match durability {
            Durability::Full => "PRAGMA synchronous = FULL; BEGIN IMMEDIATE",
            Durability::Normal => "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE",
        };
        self.connection.execute_batch(level).map_err(error)?;
        // A newer aidd could have changed the schema since the store was opened.
        let supported = self.value("PRAGMA user_version").and_then(|found: i64| match found {
            found if found > self.known => {
                Err(migrations::newer_schema_error(&self.path, found, self.known))
            }
            _ => Ok(()),
        });
        // If this function fails, the caller calls neither `commit` nor `rollback`.
        if supported.is_err() {
            self.rollback();
        }
        supported
    }

    fn commit(&mut self) -> Result<(), MemoryError> {
        let changed_records = std::mem::take(&mut self.changed_records);
        let mut fault = None;
        let line =
            if self.is_in_ram { None } else { backup::prepare(self, changed_records, &mut fault)? };
        self.store_change_number()?;
        self.connection.execute_batch("COMMIT").map_err(error)?;
        self.backup_fault = line.and_then(|line| line.add(&self.path)).or(fault);
        Ok(())
    }

    fn rollback(&mut self) {
        self.changed_records = backup::ChangedRecords::default();
        self.changes.discard();
        // This fails when SQLite has already rolled back, which is harmless.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    fn put_entry(&mut self, entry: &Clean<Entry>) -> Result<(), MemoryError> {
        self.changed_records.record_entry(&entry.id, Some(entry.layer));
        let seq = self.next_change_number()?;
        let known_row = self.search_row(&entry.id)?;
        if known_row.is_some() && self.is_prepared(entry)? {
            self.put_status(&entry.id, entry.status)?;
        } else {
            self.put_prepared(entry, known_row)?;
        }
        self.run(
            "INSERT OR REPLACE INTO memories VALUES
                (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
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
                index::meaning_key_of(entry),
            ],
        )
        .map(|_| ())
    }

    fn set_status(&mut self, id: &str, status: Status) -> Result<(), MemoryError> {
        let sql = "SELECT 1 FROM memories WHERE id = ?1 AND status <> ?2";
        if self.query_one(sql, [id, status.word()], |_| Ok(()))?.is_some() {
            self.record_change(id)?;
            let seq = self.next_change_number()?;
            let sql = "UPDATE memories SET status = ?2, seq = ?3 WHERE id = ?1";
            self.run(sql, params![id, status.word(), seq])?;
            self.put_status(id, status)?;
        }
        Ok(())
    }

    fn delete_entry(&mut self, id: &str) -> Result<bool, MemoryError> {
        self.record_change(id)?;
        self.run("DELETE FROM links WHERE from_id = ?1", [id])?;
        let existed = self.run("DELETE FROM memories WHERE id = ?1", [id])? > 0;
        if existed {
            self.drop_prepared(id)?;
            self.next_change_number()?;
            self.run("UPDATE counter SET deleted = deleted + 1", [])?;
        }
        Ok(existed)
    }

    fn entry(&mut self, id: &str) -> Result<Option<Entry>, MemoryError> {
        self.query_one(&format!("SELECT {COLUMNS} FROM memories WHERE id = ?1"), [id], entry)
    }

    fn with_duplicate_keys(&mut self, keys: &BTreeSet<String>) -> Result<Vec<Entry>, MemoryError> {
        let each = keys.iter().map(|key| self.with_duplicate_key(key));
        Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn duplicates(&mut self, ids: &BTreeSet<String>) -> Result<BTreeSet<String>, MemoryError> {
        let mut duplicates = BTreeSet::new();
        for id in ids {
            let others = self.with_equal_key(id)?;
            if !others.is_empty() {
                duplicates.insert(id.clone());
                duplicates.extend(others);
            }
        }
        Ok(duplicates)
    }

    fn entries(&mut self, query: &Query) -> Result<Vec<Entry>, MemoryError> {
        let (condition, values) = query::condition(query);
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE {condition}");
        self.query_all(&sql, rusqlite::params_from_iter(values), entry)
    }

    fn counts(&mut self) -> Result<Vec<(Layer, Kind, Status, u32)>, MemoryError> {
        self.count_memories()
    }

    fn change_number(&mut self) -> Result<i64, MemoryError> {
        self.last_change_number()
    }

    fn deletions(&mut self) -> Result<i64, MemoryError> {
        self.value("SELECT deleted FROM counter")
    }

    fn indexed(
        &mut self,
        after: Option<i64>,
        with_columns: bool,
        take: &mut dyn FnMut(SearchData),
    ) -> Result<(), MemoryError> {
        self.indexed_after(after, with_columns, take)
    }

    fn sketches(
        &mut self,
        after: Option<i64>,
        take: &mut dyn FnMut(SketchRow),
    ) -> Result<(), MemoryError> {
        self.sketches_after(after, take)
    }

    fn entry_in_row(&mut self, row: i64) -> Result<Option<Entry>, MemoryError> {
        let sql = "SELECT id FROM search WHERE row = ?1";
        match self.query_one(sql, [row], |row| row.get::<_, String>(0))? {
            Some(id) => self.entry(&id),
            None => Ok(None),
        }
    }

    fn has_postings(&self) -> bool {
        true
    }

    fn postings(&mut self, term: &str) -> Result<Vec<(i64, Counts)>, MemoryError> {
        self.postings_of(term)
    }

    fn put_links(&mut self, from: &str, links: &Clean<Vec<Link>>) -> Result<(), MemoryError> {
        self.record_change(from)?;
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
        self.query_all(
            "SELECT data FROM links WHERE from_id = ?1
             UNION ALL SELECT data FROM links WHERE to_id = ?1 AND from_id <> ?1",
            [id],
            |row| parse_json(row, 0),
        )
        .map(super::json::sorted)
    }

    fn superseded_by(&mut self, id: &str) -> Result<Vec<String>, MemoryError> {
        let sql = "SELECT to_id FROM links WHERE from_id = ?1 AND relation = 'supersedes'";
        self.query_all(sql, [id], |row| row.get(0))
    }

    fn superseding(&mut self, id: &str) -> Result<Vec<String>, MemoryError> {
        let sql = "SELECT from_id FROM links WHERE relation = 'supersedes' AND to_id = ?1
            ORDER BY from_id";
        self.query_all(sql, [id], |row| row.get(0))
    }

    fn all_links(&mut self) -> Result<Vec<Link>, MemoryError> {
        self.query_all("SELECT data FROM links", [], |row| parse_json(row, 0))
            .map(super::json::sorted)
    }

    fn conflict_candidates(&mut self) -> Result<ConflictCandidates, MemoryError> {
        self.find_conflict_candidates()
    }

    fn put_line(&mut self, line: &Clean<MirroredLine>) -> Result<(), MemoryError> {
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

    fn delete_line(&mut self, file: &str, rev: &str) -> Result<(), MemoryError> {
        self.run("DELETE FROM lines WHERE file = ?1 AND rev = ?2", [file, rev]).map(|_| ())
    }

    fn lines_of(&mut self, id: &str) -> Result<Vec<MirroredLine>, MemoryError> {
        let sql = "SELECT file, present, data FROM lines WHERE memory_id = ?1 ORDER BY file, rev";
        self.query_all(sql, [id], mirrored)
    }

    fn has_lines(&mut self, id: &str) -> Result<bool, MemoryError> {
        let sql = "SELECT 1 FROM lines WHERE memory_id = ?1 LIMIT 1";
        Ok(self.query_one(sql, [id], |_| Ok(()))?.is_some())
    }

    fn lines_in(&mut self, file: &str) -> Result<Vec<(String, String, bool)>, MemoryError> {
        let sql = "SELECT rev, memory_id, present FROM lines WHERE file = ?1 ORDER BY rev";
        self.query_all(sql, [file], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    fn put_document(
        &mut self,
        table: Table,
        id: &str,
        at: i64,
        document: &Clean<Value>,
    ) -> Result<(), MemoryError> {
        self.changed_records.record_document(table, id, Some((at, Value::clone(document))));
        let sql = format!("INSERT OR REPLACE INTO {} VALUES (?1, ?2, ?3)", table.name());
        self.run(&sql, params![id, at, canonical(document)]).map(|_| ())
    }

    fn document(&mut self, table: Table, id: &str) -> Result<Option<Value>, MemoryError> {
        let sql = format!("SELECT data FROM {} WHERE id = ?1", table.name());
        self.query_one(&sql, [id], |row| parse_json(row, 0))
    }

    fn documents(&mut self, table: Table) -> Result<Vec<Value>, MemoryError> {
        let sql = format!("SELECT data FROM {} ORDER BY at DESC, id DESC", table.name());
        self.query_all(&sql, [], |row| parse_json(row, 0))
    }

    fn sessions(&mut self, which: Sessions<'_>) -> Result<Vec<Value>, MemoryError> {
        self.find_sessions(which)
    }

    fn delete_document(&mut self, table: Table, id: &str) -> Result<bool, MemoryError> {
        let sql = format!("DELETE FROM {} WHERE id = ?1", table.name());
        let existed = self.run(&sql, [id])? > 0;
        if existed {
            self.changed_records.record_document(table, id, None);
        }
        Ok(existed)
    }

    fn rows(
        &mut self,
        table: Table,
        prefix: &str,
    ) -> Result<Vec<(String, i64, Value)>, MemoryError> {
        let table = table.name();
        let sql = format!("SELECT id, at, data FROM {table} WHERE id >= ?1 AND id < ?2");
        let end = format!("{prefix}{}", char::MAX);
        self.query_all(&sql, [prefix, &end], |row| {
            Ok((row.get(0)?, row.get(1)?, parse_json(row, 2)?))
        })
    }

    fn writes(&mut self) -> Result<i64, MemoryError> {
        let known = self.document(Table::Meta, backup::LAST_WRITE_DOCUMENT)?;
        Ok(known.and_then(|number| number.as_i64()).unwrap_or_default())
    }

    fn set_writes(&mut self, number: i64) -> Result<(), MemoryError> {
        let sql = "INSERT OR REPLACE INTO meta VALUES (?1, 0, ?2)";
        self.run(sql, params![backup::LAST_WRITE_DOCUMENT, number.to_string()]).map(|_| ())
    }

    fn backup(&self) -> Option<PathBuf> {
        (!self.is_in_ram).then(|| backup::path_of(&self.path))
    }

    fn take_backup_fault(&mut self) -> Option<String> {
        self.backup_fault.take()
    }

    fn repair(&mut self) -> Result<bool, MemoryError> {
        self.repair_search()
    }

    fn check(&mut self) -> Result<Vec<String>, MemoryError> {
        self.damage("PRAGMA integrity_check")
    }

    fn is_set_aside(&self) -> bool {
        !self.is_in_ram && self.identity != lock::identity(&self.path)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
