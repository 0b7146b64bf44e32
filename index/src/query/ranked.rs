//! The most used symbols, for summaries of a project.

use super::context::Use;
use super::{COLUMNS, Reader, SymbolRow, symbol_row};
use crate::IndexError;
use crate::options::MODULES;

/// Maximum number of candidates whose references are counted.
const MAX_CANDIDATES: u32 = 2000;
/// Maximum number of characters of the value of a constant.
const MAX_VALUE: usize = 60;

impl Reader {
    /// The exported types with documentation, the most used first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn documented_types(&self, limit: u32) -> Result<Vec<SymbolRow>, IndexError> {
        let condition = "s.kind IN ('class', 'interface', 'struct', 'enum', 'trait', 'type')";
        self.documented(condition, limit)
    }

    /// The exported constants with documentation and a short value, the most used first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn documented_constants(&self, limit: u32) -> Result<Vec<(SymbolRow, String)>, IndexError> {
        let condition = "s.kind IN ('constant', 'variable') AND instr(s.signature, '=') > 0";
        let found = self.documented(condition, limit)?;
        let values = found.into_iter().filter_map(|symbol| {
            let (_, value) = symbol.signature.split_once('=')?;
            let value = value.trim().trim_end_matches(';').to_owned();
            let is_plain = value.starts_with(|c: char| c.is_ascii_digit() || "\"'-".contains(c))
                || matches!(&*value, "true" | "false" | "True" | "False");
            (is_plain && value.chars().count() <= MAX_VALUE).then_some((symbol, value))
        });
        Ok(values.collect())
    }

    /// Files outside of tests that import a library for command lines, those with most imports of it
    /// first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn files_with_options(&self, limit: u32) -> Result<Vec<String>, IndexError> {
        let modules: Vec<String> = MODULES
            .iter()
            .map(|module| format!("i.module = '{module}' OR i.module GLOB '{module}::*'"))
            .collect();
        let sql = format!(
            "SELECT f.path FROM imports i JOIN files f ON f.id = i.file
             WHERE i.external AND NOT f.test AND ({})
             GROUP BY f.id ORDER BY count(*) DESC, f.path LIMIT ?1",
            modules.join(" OR ")
        );
        self.rows(&sql, &[&limit], |row| row.get(0))
    }

    fn documented(&self, condition: &str, limit: u32) -> Result<Vec<SymbolRow>, IndexError> {
        let sql = format!(
            "WITH chosen AS (SELECT s.id, s.file FROM symbols s JOIN files f ON f.id = s.file
              WHERE s.doc IS NOT NULL AND s.exported AND NOT s.test AND NOT f.test AND {condition}
              ORDER BY f.path, s.start_line LIMIT {MAX_CANDIDATES})
            SELECT {COLUMNS} FROM chosen c JOIN symbols s ON s.id = c.id
              JOIN files f ON f.id = s.file
            ORDER BY (SELECT count(*) FROM refs r WHERE r.target = c.id) DESC,
              f.path, s.start_line, s.start_column LIMIT ?1"
        );
        self.rows(&sql, &[&limit], symbol_row)
    }

    /// The most used symbols, without tests, fields and modules.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn most_used(&self, limit: u32) -> Result<Vec<SymbolRow>, IndexError> {
        let sql = format!(
            "WITH used AS (SELECT target, count(*) AS uses FROM refs WHERE target IS NOT NULL
              GROUP BY target ORDER BY uses DESC LIMIT {MAX_CANDIDATES})
            SELECT {COLUMNS} FROM used u JOIN symbols s ON s.id = u.target
              JOIN files f ON f.id = s.file
            WHERE NOT s.test AND NOT f.test AND s.kind NOT IN ('field', 'variant', 'module')
            ORDER BY u.uses DESC, f.path, s.start_line, s.start_column LIMIT ?1"
        );
        self.rows(&sql, &[&limit], symbol_row)
    }

    /// The first references to a symbol from outside of it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn first_callers(&self, symbol: &SymbolRow, limit: u32) -> Result<Vec<Use>, IndexError> {
        let sql = "SELECT coalesce(s.qualified, ''), f.path, r.line, f.test OR coalesce(s.test, 0)
            FROM refs r JOIN files f ON f.id = r.file LEFT JOIN symbols s ON s.id = r.source
            WHERE r.target = ?1 AND NOT (f.path = ?2 AND r.line BETWEEN ?3 AND ?4)
            ORDER BY f.test, f.path, r.line, r.column LIMIT ?5";
        let parameters: [&dyn rusqlite::ToSql; 5] =
            [&symbol.id, &symbol.path, &symbol.line, &symbol.end_line, &limit];
        self.rows(sql, &parameters, |row| {
            Ok(Use { name: row.get(0)?, path: row.get(1)?, line: row.get(2)?, test: row.get(3)? })
        })
    }

    /// The hash of the content of the file at `path`; `None` if it is not in the index.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn content_hash(&self, path: &str) -> Result<Option<String>, IndexError> {
        let sql = "SELECT checksum FROM files WHERE path = ?1";
        Ok(self.rows(sql, &[&path], |row| row.get(0))?.pop())
    }
}
