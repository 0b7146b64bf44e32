//! Positions of declarations and references, for editors. Lines and columns are zero-based; columns
//! count bytes. Only proved references are returned.

use super::{COLUMNS, Reader, SymbolRow, symbol_row};
use crate::IndexError;
use rusqlite::Row;

/// The position of a name in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path of the file.
    pub path: String,
    /// The line, from 0.
    pub line: u32,
    /// The column of the first byte, from 0.
    pub column: u32,
    /// The length in bytes.
    pub length: u32,
}

/// A declaration with its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The declared symbol.
    pub symbol: SymbolRow,
    /// The line and column of the first byte.
    pub start: (u32, u32),
    /// The line and column after the last byte.
    pub end: (u32, u32),
    /// The position of the name.
    pub name: Place,
}

/// The columns after [`COLUMNS`] that [`declaration`] reads.
const POSITIONS: &str = "s.start_column, s.end_column, s.name_line, s.name_column, s.name";

fn declaration(row: &Row<'_>) -> rusqlite::Result<Declaration> {
    let symbol = symbol_row(row)?;
    let name: String = row.get("name")?;
    let line: u32 = row.get("name_line")?;
    let name = Place {
        path: symbol.path.clone(),
        line: line.saturating_sub(1),
        column: row.get("name_column")?,
        length: length(&name),
    };
    Ok(Declaration {
        start: (symbol.line.saturating_sub(1), row.get("start_column")?),
        end: (symbol.end_line.saturating_sub(1), row.get("end_column")?),
        symbol,
        name,
    })
}

fn length(name: &str) -> u32 {
    u32::try_from(name.len()).unwrap_or(u32::MAX)
}

fn place(row: &Row<'_>) -> rusqlite::Result<Place> {
    let (line, name): (u32, String) = (row.get(1)?, row.get(3)?);
    let line = line.saturating_sub(1);
    Ok(Place { path: row.get(0)?, line, column: row.get(2)?, length: length(&name) })
}

impl Reader {
    /// The symbol whose name is at a position: declared there, or the proved target of a reference.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn symbol_at(
        &self,
        path: &str,
        line: u32,
        column: u32,
    ) -> Result<Option<SymbolRow>, IndexError> {
        let line = line.saturating_add(1);
        let condition = "f.path = ?1 AND s.name_line = ?2 AND s.name_column <= ?3
            AND s.name_column + length(s.name) >= ?3 AND s.kind <> 'test'
            ORDER BY s.name_column DESC LIMIT 1";
        if let Some(found) = self.symbols(condition, &[&path, &line, &column])?.pop() {
            return Ok(Some(found));
        }
        let condition = "s.id = (SELECT r.target FROM refs r JOIN files o ON o.id = r.file
            WHERE o.path = ?1 AND r.line = ?2 AND r.column <= ?3
              AND r.column + length(r.name) >= ?3 AND r.target IS NOT NULL
            ORDER BY r.column DESC LIMIT 1)";
        Ok(self.symbols(condition, &[&path, &line, &column])?.pop())
    }

    /// The positions of the declaration of the symbol `id`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn declaration(&self, id: i64) -> Result<Option<Declaration>, IndexError> {
        Ok(self.declarations("s.id = ?1", id)?.pop())
    }

    fn declarations(&self, condition: &str, id: i64) -> Result<Vec<Declaration>, IndexError> {
        let sql = format!(
            "SELECT {COLUMNS}, {POSITIONS} FROM symbols s JOIN files f ON f.id = s.file
             WHERE {condition}"
        );
        self.rows(&sql, &[&id], declaration)
    }

    /// The references to the symbol `id`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn references(&self, id: i64) -> Result<Vec<Place>, IndexError> {
        let sql = "SELECT f.path, r.line, r.column, r.name FROM refs r
            JOIN files f ON f.id = r.file WHERE r.target = ?1 ORDER BY f.path, r.line, r.column";
        self.rows(sql, &[&id], place)
    }

    /// The symbols that call the symbol `id`, each with the positions of the calls.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn incoming(&self, id: i64) -> Result<Vec<(Declaration, Vec<Place>)>, IndexError> {
        self.calls_between("r.target = ?1", "r.source", id)
    }

    /// The symbols that the symbol `id` calls, each with the positions of the calls.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn outgoing(&self, id: i64) -> Result<Vec<(Declaration, Vec<Place>)>, IndexError> {
        self.calls_between("r.source = ?1", "r.target", id)
    }

    fn calls_between(
        &self,
        condition: &str,
        other: &str,
        id: i64,
    ) -> Result<Vec<(Declaration, Vec<Place>)>, IndexError> {
        let calls = format!(
            "FROM refs r JOIN files f ON f.id = r.file WHERE {condition} AND {other} IS NOT NULL
               AND r.kind IN ('call', 'new')"
        );
        let sql = format!("SELECT DISTINCT {other} {calls} ORDER BY f.path, r.line");
        let others: Vec<i64> = self.rows(&sql, &[&id], |row| row.get(0))?;
        let sql = format!(
            "SELECT f.path, r.line, r.column, r.name {calls} AND {other} = ?2
             ORDER BY r.line, r.column"
        );
        let mut found = Vec::new();
        for other in others {
            let places = self.rows(&sql, &[&id, &other], place)?;
            found.extend(self.declaration(other)?.map(|declared| (declared, places)));
        }
        Ok(found)
    }
}
