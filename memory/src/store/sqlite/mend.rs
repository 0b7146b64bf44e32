//! Mending a store whose full-text table alone is damaged: it holds nothing that cannot be made from
//! the memories, so the store itself stays where it is.

use super::{Sqlite, connect_only, error};
use crate::MemoryError;
use crate::store::{StorageBackend, lock};
use rusqlite::Connection;

/// The tables that hold what nothing else does, and what was prepared beside the full text.
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

/// The full-text tables, the one first that the other needs not.
const TEXT: [&str; 2] = ["search_text", "search_terms"];

impl Sqlite {
    /// Makes the full-text tables anew when all others are whole; whether the store is whole now.
    pub(super) fn mend_search(&mut self) -> Result<bool, MemoryError> {
        if self.is_private || self.is_set_aside() {
            return Ok(false);
        }
        let lock = lock::take(&self.path.with_extension("lock"))?;
        for table in OTHERS {
            if !self.is_whole(&format!("PRAGMA integrity_check({table})"))? {
                return Ok(false);
            }
        }
        // Another process may have been faster.
        if !self.is_whole("PRAGMA integrity_check")? {
            let made = TEXT
                .iter()
                .map(|name| {
                    self.one("SELECT sql FROM sqlite_master WHERE name = ?1", [name], |row| {
                        row.get::<_, String>(0)
                    })
                })
                .collect::<Result<Option<Vec<String>>, _>>()?;
            let Some(made) = made else { return Ok(false) };
            if self.make_anew(&made).is_err() {
                self.cut_out(&made)?;
            }
            // The tables are others now.
            self.connection = connect_only(&self.path)?;
        }
        drop(lock);
        self.prepare_stale()?;
        self.is_whole("PRAGMA integrity_check")
    }

    /// What a check of SQLite's finds. It fails itself on some damage.
    pub(super) fn damage(&self, check: &str) -> Result<Vec<String>, MemoryError> {
        match self.all(check, [], |row| row.get::<_, String>(0)) {
            Ok(said) => Ok(said.into_iter().filter(|line| line != "ok").collect()),
            Err(MemoryError::Corrupt(why)) => Ok(vec![why]),
            Err(error) => Err(error),
        }
    }

    fn is_whole(&self, check: &str) -> Result<bool, MemoryError> {
        Ok(self.damage(check)?.is_empty())
    }

    /// Drops the tables and makes them empty; all memories are prepared again after that, by this
    /// process or the next.
    fn make_anew(&self, made: &[String]) -> Result<(), MemoryError> {
        let drop: String = TEXT.iter().rev().map(|name| format!("DROP TABLE {name};\n")).collect();
        run_whole(&self.connection, &(drop + &filled_later(made)))
    }

    /// As [`Self::make_anew`], where a page of the tables cannot be read, so that they cannot be
    /// dropped: they are taken out of the schema, and their pages out of the file.
    fn cut_out(&self, made: &[String]) -> Result<(), MemoryError> {
        let connection = connect_only(&self.path)?;
        let forget = "DELETE FROM sqlite_master
            WHERE tbl_name IN ('search_text', 'search_terms') OR tbl_name GLOB 'search_text_*';\n";
        connection.pragma_update(None, "writable_schema", "ON").map_err(error)?;
        run_whole(&connection, forget)?;
        // A new connection reads the schema as it is now.
        let connection = connect_only(&self.path)?;
        run_whole(&connection, &filled_later(made))?;
        connection.execute_batch("VACUUM").map_err(error)
    }
}

/// Makes the tables, and says of every memory that it was prepared by no scheme.
fn filled_later(made: &[String]) -> String {
    made.join(";\n") + ";\nUPDATE search SET scheme = 0;\n"
}

fn run_whole(connection: &Connection, sql: &str) -> Result<(), MemoryError> {
    let run = |sql: &str| connection.execute_batch(sql).map_err(error);
    run("BEGIN IMMEDIATE")?;
    let done = run(sql).and_then(|()| run("COMMIT"));
    if done.is_err() {
        // Fails when SQLite has rolled back on its own, which is what is wanted.
        let _ = run("ROLLBACK");
    }
    done
}
