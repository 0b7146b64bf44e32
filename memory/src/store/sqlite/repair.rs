//! Repairs a store in which only the full-text tables are damaged: these can be rebuilt from the
//! memories, so the store itself is retained.

use super::{Sqlite, connect_only, error};
use crate::MemoryError;
use crate::store::{StorageBackend, lock};
use rusqlite::Connection;

/// The tables with original data, and the search table.
const OTHERS: [&str; 9] = [
    "counter",
    "memories",
    "links",
    "lines",
    "meta",
    "sessions",
    "lifecycles",
    "analytics",
    "search",
];

/// The full-text tables; the second depends on the first.
const TEXT: [&str; 2] = ["search_text", "search_terms"];

impl Sqlite {
    /// Rebuilds the full-text tables if all others are intact; returns whether the store is intact
    /// now.
    pub(super) fn repair_search(&mut self) -> Result<bool, MemoryError> {
        if self.is_private || self.is_set_aside() {
            return Ok(false);
        }
        let lock = lock::take(&self.path.with_extension("lock"))?;
        for table in OTHERS {
            if !self.is_whole(&format!("PRAGMA integrity_check({table})"))? {
                return Ok(false);
            }
        }
        // Another process can have repaired it first.
        if !self.is_whole("PRAGMA integrity_check")? {
            let made = TEXT
                .iter()
                .map(|name| {
                    self.query_one("SELECT sql FROM sqlite_master WHERE name = ?1", [name], |row| {
                        row.get::<_, String>(0)
                    })
                })
                .collect::<Result<Option<Vec<String>>, _>>()?;
            let Some(made) = made else { return Ok(false) };
            if self.recreate_tables(&made).is_err() {
                self.remove_from_schema(&made)?;
            }
            // The connection's schema is out of date.
            self.connection = connect_only(&self.path)?;
        }
        drop(lock);
        self.prepare_stale()?;
        self.is_whole("PRAGMA integrity_check")
    }

    /// The problems that a SQLite check reports. On some damage the check itself fails.
    pub(super) fn damage(&self, check: &str) -> Result<Vec<String>, MemoryError> {
        match self.query_all(check, [], |row| row.get::<_, String>(0)) {
            Ok(said) => Ok(said.into_iter().filter(|line| line != "ok").collect()),
            Err(MemoryError::Corrupt(why)) => Ok(vec![why]),
            Err(error) => Err(error),
        }
    }

    fn is_whole(&self, check: &str) -> Result<bool, MemoryError> {
        Ok(self.damage(check)?.is_empty())
    }

    /// Drops the tables and creates them empty; this process or the next one then prepares all
    /// memories again.
    fn recreate_tables(&self, made: &[String]) -> Result<(), MemoryError> {
        let drop: String = TEXT.iter().rev().map(|name| format!("DROP TABLE {name};\n")).collect();
        run_whole(&self.connection, &(drop + &filled_later(made)))
    }

    /// Like [`Self::recreate_tables`], for tables with an unreadable page, which cannot be dropped:
    /// removes them from the schema, and their pages from the file.
    fn remove_from_schema(&self, made: &[String]) -> Result<(), MemoryError> {
        let connection = connect_only(&self.path)?;
        let forget = "DELETE FROM sqlite_master
            WHERE tbl_name IN ('search_text', 'search_terms') OR tbl_name GLOB 'search_text_*';\n";
        connection.pragma_update(None, "writable_schema", "ON").map_err(error)?;
        run_whole(&connection, forget)?;
        // A new connection reads the current schema.
        let connection = connect_only(&self.path)?;
        run_whole(&connection, &filled_later(made))?;
        connection.execute_batch("VACUUM").map_err(error)
    }
}

/// SQL that creates the tables and marks every memory as prepared by no scheme.
fn filled_later(made: &[String]) -> String {
    made.join(";\n") + ";\nUPDATE search SET scheme = 0;\n"
}

fn run_whole(connection: &Connection, sql: &str) -> Result<(), MemoryError> {
    let run = |sql: &str| connection.execute_batch(sql).map_err(error);
    run("BEGIN IMMEDIATE")?;
    let done = run(sql).and_then(|()| run("COMMIT"));
    if done.is_err() {
        // Fails when SQLite has already rolled back, which is fine.
        let _ = run("ROLLBACK");
    }
    done
}
