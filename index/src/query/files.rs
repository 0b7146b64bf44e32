//! Queries on files.

use super::Reader;
use crate::IndexError;
use serde::Serialize;
use std::collections::{BTreeSet, VecDeque};

/// A call that accesses the network or a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessRow {
    /// What is accessed: `network` or `database`.
    pub kind: String,
    /// `proved` if an import proves it, otherwise `possible`.
    pub certainty: String,
    /// The called function, as written.
    pub code: String,
    /// The qualified name of the function with the call.
    pub symbol: String,
    /// The path of the file with the call.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

impl Reader {
    /// The test files that reach the files at `paths`, by references or imports.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn affected(&self, paths: &[String]) -> Result<Vec<String>, IndexError> {
        let sql = "SELECT DISTINCT r.file FROM refs r JOIN symbols s ON s.id = r.target
              WHERE s.file = ?1
            UNION SELECT i.file FROM imports i WHERE i.target_file = ?1";
        let mut pending: VecDeque<i64> = VecDeque::new();
        for path in paths {
            pending.extend(
                self.rows("SELECT id FROM files WHERE path = ?1", &[path], |r| r.get::<_, i64>(0))?,
            );
        }
        let mut seen: BTreeSet<i64> = pending.iter().copied().collect();
        while let Some(file) = pending.pop_front() {
            let next: Vec<i64> = self.rows(sql, &[&file], |row| row.get(0))?;
            pending.extend(next.into_iter().filter(|other| seen.insert(*other)));
        }
        let mut tests = BTreeSet::new();
        let sql = "SELECT path FROM files f WHERE id = ?1
            AND (f.test OR EXISTS(SELECT 1 FROM symbols s WHERE s.file = f.id AND s.test))";
        for file in seen {
            tests.extend(self.rows(sql, &[&file], |row| row.get::<_, String>(0))?);
        }
        Ok(tests.into_iter().collect())
    }

    /// The calls in the symbols `ids` that access the network or a database.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn accesses(&self, ids: &[i64]) -> Result<Vec<AccessRow>, IndexError> {
        let sql = "SELECT a.kind, a.certainty, a.code, s.qualified, f.path, a.line FROM accesses a
            JOIN symbols s ON s.id = a.symbol JOIN files f ON f.id = a.file
            WHERE a.symbol = ?1 ORDER BY a.line, a.id";
        let mut found = Vec::new();
        for id in ids {
            found.extend(self.rows(sql, &[id], |row| {
                Ok(AccessRow {
                    kind: row.get(0)?,
                    certainty: row.get(1)?,
                    code: row.get(2)?,
                    symbol: row.get(3)?,
                    path: row.get(4)?,
                    line: row.get(5)?,
                })
            })?);
        }
        Ok(found)
    }

    /// The indexed files at this path or below it, at most `limit`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn files_at(&self, path: &str, limit: u32) -> Result<Vec<String>, IndexError> {
        let sql = "SELECT path FROM files WHERE path = ?1 OR ?1 = '.' OR ?1 = ''
            OR substr(path, 1, length(?1) + 1) = ?1 || '/' ORDER BY path LIMIT ?2";
        self.rows(sql, &[&path.trim_end_matches('/'), &limit], |row| row.get(0))
    }
}
