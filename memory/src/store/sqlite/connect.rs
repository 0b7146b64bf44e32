//! Opens the database: checks that the file is a database, sets its application id and journal
//! mode, and migrates its schema.

use super::{Changes, Sqlite, error};
use crate::MemoryError;
use crate::store::{StorageBackend, backup, lock, migrations, ownership, repaired_notice};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;
use std::time::{Duration, Instant};

pub(super) fn connect_only(path: &Path) -> Result<Connection, MemoryError> {
    let mut connection = Connection::open(path).map_err(error)?;
    // SQLite's own busy handler sleeps for up to 100 milliseconds, the time of a hundred writes.
    let mut start = Instant::now();
    let wait = move |times: i32| {
        if times == 0 {
            start = Instant::now();
        }
        std::thread::sleep(lock::backoff(times.unsigned_abs()));
        start.elapsed() < lock::LOCK_TIMEOUT
    };
    connection.busy_handler(Some(wait)).map_err(error)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Otherwise SQLite compiles a cached statement again for each execution if one of its parameters
    // could decide whether a partial index is used.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(error)?;
    Ok(connection)
}

/// Checks that the file is a database whose schema can be read.
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

/// Enables the write-ahead log. Two processes that enable it in a new file at the same time would
/// lock each other out, and SQLite does not wait in that case.
fn enable_wal(connection: &Connection, path: &Path) -> Result<(), MemoryError> {
    let mode =
        |sql: &str| -> rusqlite::Result<String> { connection.query_row(sql, [], |row| row.get(0)) };
    if mode("PRAGMA journal_mode").map_err(error)?.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    let _lock = lock::take(&path.with_extension("lock"))?;
    let count_tables = "SELECT count(*) FROM sqlite_master";
    if connection
        .query_row(count_tables, [], |row| row.get::<_, i64>(0))
        .is_ok_and(|count| count == 0)
    {
        // The id is written to the file itself, so that the file header identifies the database.
        // The migration sets the id again.
        let _ = connection.pragma_update(None, "application_id", ownership::APPLICATION_ID);
    }
    let start = Instant::now();
    loop {
        match mode("PRAGMA journal_mode = WAL") {
            Ok(mode) if mode.eq_ignore_ascii_case("wal") => return Ok(()),
            Ok(mode) => {
                return Err(MemoryError::Store(format!(
                    "{} cannot use a write-ahead log (its journal mode is `{mode}`); check \
                     whether it is on a network file system",
                    path.display()
                )));
            }
            // Another process can be reading the file although this process holds the lock, because
            // every process probes the file before it takes the lock.
            Err(busy)
                if busy.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < lock::LOCK_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(other) => return Err(error(other)),
        }
    }
}

/// A store that is held in RAM, used where no file can be written; its data is lost when the
/// process ends.
pub(in crate::store) fn in_memory(folder: &Path) -> Result<Box<dyn StorageBackend>, MemoryError> {
    let connection = Connection::open_in_memory().map_err(error)?;
    connection.execute_batch(&migrations::STEPS.concat()).map_err(error)?;
    let known = migrations::newest_version(migrations::STEPS);
    connection.pragma_update(None, "user_version", known).map_err(error)?;
    let path = super::path(folder);
    Ok(Box::new(Sqlite {
        connection,
        path,
        identity: None,
        known,
        is_in_ram: true,
        changed_records: backup::ChangedRecords::default(),
        changes: Changes::default(),
        backup_fault: None,
    }))
}

pub(super) fn connect(
    path: &Path,
    steps: &[&str],
    now: i64,
) -> Result<(Sqlite, Option<String>), MemoryError> {
    let mut connection = connect_only(path)?;
    probe(&connection)?;
    enable_wal(&connection, path)?;
    let notice = migrations::run(&mut connection, path, steps, now)?;
    let identity = lock::identity(path);
    let known = migrations::newest_version(steps);
    let path = path.to_owned();
    let changed_records = backup::ChangedRecords::default();
    let mut store = Sqlite {
        connection,
        path,
        identity,
        known,
        is_in_ram: false,
        changed_records,
        changes: Changes::default(),
        backup_fault: None,
    };
    match store.prepare_stale() {
        Err(MemoryError::Corrupt(why)) if !store.repair().unwrap_or_default() => {
            Err(MemoryError::Corrupt(why))
        }
        Err(MemoryError::Corrupt(why)) => Ok((store, Some(repaired_notice(&why)))),
        // Preparing memories is retried at the next start; until then, searches report the failure.
        _ => Ok((store, notice)),
    }
}
