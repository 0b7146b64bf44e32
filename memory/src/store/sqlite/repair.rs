//! Repairs a store in which only the full-text tables are damaged: these tables can be rebuilt from
//! the memories, so the store itself is retained.

use super::{Sqlite, connect_only, error};
use crate::MemoryError;
use crate::store::{StorageBackend, lock};
use rusqlite::Connection;

/// The tables with original data, and the search table.
const OTHER_TABLES: [&str; 9] = [
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
const TEXT_TABLES: [&str; 2] = ["search_text", "search_terms"];

impl Sqlite {
    /// Rebuilds the full-text tables if all other tables are intact; returns whether the store is
    /// now intact.
    pub(super) fn repair_search(&mut self) -> Result<bool, MemoryError> {
        if self.is_in_ram || self.is_set_aside() {
            return Ok(false);
        }
        let lock = lock::take(&self.path.with_extension("lock"))?;
        for table in OTHER_TABLES {
            if !self.is_intact(&format!("PRAGMA integrity_check({table})"))? {
                return Ok(false);
            }
        }
        // Another process could have repaired the store first.
        if !self.is_intact("PRAGMA integrity_check")? {
            let definitions = TEXT_TABLES
                .iter()
                .map(|name| {
                    self.query_one("SELECT sql FROM sqlite_master WHERE name = ?1", [name], |row| {
                        row.get::<_, String>(0)
                    })
                })
                .collect::<Result<Option<Vec<String>>, _>>()?;
            let Some(definitions) = definitions else { return Ok(false) };
            if self.recreate_tables(&definitions).is_err() {
                self.remove_from_schema(&definitions)?;
            }
            // The open connection does not know the new schema.
            self.connection = connect_only(&self.path)?;
        }
        drop(lock);
        self.prepare_stale()?;
        self.is_intact("PRAGMA integrity_check")
    }

    /// The problems that a SQLite check reports. Some kinds of damage make the check itself fail.
    pub(super) fn damage(&self, check: &str) -> Result<Vec<String>, MemoryError> {
        match self.query_all(check, [], |row| row.get::<_, String>(0)) {
            Ok(lines) => Ok(lines.into_iter().filter(|line| line != "ok").collect()),
            Err(MemoryError::Corrupt(why)) => Ok(vec![why]),
            Err(error) => Err(error),
        }
    }

    fn is_intact(&self, check: &str) -> Result<bool, MemoryError> {
        Ok(self.damage(check)?.is_empty())
    }

    /// Drops the tables and creates them empty; this process or the next one then prepares all
    /// memories again.
    fn recreate_tables(&self, definitions: &[String]) -> Result<(), MemoryError> {
        let drop: String =
            TEXT_TABLES.iter().rev().map(|name| format!("DROP TABLE {name};\n")).collect();
        run_transaction(&self.connection, &(drop + &creation_sql(definitions)))
    }

    /// Like [`Self::recreate_tables`], for tables that cannot be dropped because a page is
    /// unreadable: removes the tables from the schema, and their pages from the file.
    fn remove_from_schema(&self, definitions: &[String]) -> Result<(), MemoryError> {
        let connection = connect_only(&self.path)?;
        let remove = "DELETE FROM sqlite_master
            WHERE tbl_name IN ('search_text', 'search_terms') OR tbl_name GLOB 'search_text_*';\n";
        connection.pragma_update(None, "writable_schema", "ON").map_err(error)?;
        run_transaction(&connection, remove)?;
        // A new connection reads the current schema.
        let connection = connect_only(&self.path)?;
        run_transaction(&connection, &creation_sql(definitions))?;
        connection.execute_batch("VACUUM").map_err(error)
    }
}

/// Returns SQL that creates the tables and marks every memory as not prepared.
fn creation_sql(definitions: &[String]) -> String {
    definitions.join(";\n") + ";\nUPDATE search SET scheme = 0;\n"
}

fn run_transaction(connection: &Connection, sql: &str) -> Result<(), MemoryError> {
    let run = |sql: &str| connection.execute_batch(sql).map_err(error);
    run("BEGIN IMMEDIATE")?;
    let result = run(sql).and_then(|()| run("COMMIT"));
    if result.is_err() {
        // This fails when SQLite has already rolled back, which is harmless.
        let _ = run("ROLLBACK");
    }
    result
}
